/* SPDX-License-Identifier: GPL-2.0 */
/* The encodings of a page's data. */
#ifndef PERFCTL_HTML_ENC_H
#define PERFCTL_HTML_ENC_H

#include "base/util.h"

struct html_enc {
	struct strbuf b;
	struct strtab strings;
};

/* Appends a number in groups of seven bits, the lowest first. */
void html_varint(struct strbuf *b, uint64_t v);
/* "name": "base64", */
void html_put_bytes(struct strbuf *out, const char *name, const struct strbuf *bytes);
/* Appends a JSON string that is safe within <script>. */
void html_put_text(struct strbuf *out, const char *s);
uint32_t html_string(struct html_enc *e, const char *s);

/* Threads are numbered in the order in which they are met. */
struct html_thread {
	uint32_t comm, pid, tid;
};

struct html_threads {
	struct html_thread *t;
	size_t n, cap;
	struct htab h;
};

uint32_t html_thread(struct html_threads *ts, uint32_t comm, uint32_t pid, uint32_t tid);

#endif
