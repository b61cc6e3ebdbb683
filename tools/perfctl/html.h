/* SPDX-License-Identifier: GPL-2.0 */
/* perfctl report --html: a page that shows a recording and needs nothing else. */
#ifndef PERFCTL_HTML_H
#define PERFCTL_HTML_H

#include "load.h"

/* Bits of the columns that samples must have been loaded with. */
#define HTML_MASK (1u << SORT_COMM | 1u << SORT_PID | 1u << SORT_TID | 1u << SORT_TIME)
/* Spans of time that a recording is cut into, so that parts of it can be shown. */
#define HTML_SPANS 240

/* @path: "-": the standard output */
int html_write(const struct load *l, const char *path, struct msg *m);

/* html_enc.c: what the page's data is written with */
struct html_enc {
	struct strbuf b;
	struct strtab strings;
};

/* A number as bytes of seven bits, the lowest first. */
void html_varint(struct strbuf *b, uint64_t v);
/* "name": "base64", */
void html_put_bytes(struct strbuf *out, const char *name, const struct strbuf *bytes);
/* A string of JSON that may stand within <script>. */
void html_put_text(struct strbuf *out, const char *s);
uint32_t html_string(struct html_enc *e, const char *s);

/**
 * struct html_node - a function in a call tree
 * @func:  HTML_REST: all below @parent that is too light to be shown
 * @share: of the samples, added up over the events
 */
struct html_node {
	uint32_t parent;
	uint32_t func;
	double share;
};

#define HTML_REST UINT32_MAX

/**
 * struct html_tree - call chains put together from their outermost caller
 * @nodes:  number 0 is the root; parents stand before their children
 * @leaf:   for each cell of the profile the node that it ends in
 * @rest:   share of the samples that end in nodes that stand for others
 * @events: number of those that have samples: what all shares make together
 */
struct html_tree {
	struct html_node *nodes;
	size_t n, cap;
	uint32_t *leaf;
	double rest;
	uint32_t events;
};

/* html_tree.c: the @most heaviest nodes and what stands for the rest */
void html_tree_make(struct html_tree *t, const struct profile *p, uint32_t n_events, size_t most);
void html_tree_free(struct html_tree *t);

/* Threads in the order in which they are met. */
struct html_thread {
	uint32_t comm, pid, tid;
};

struct html_threads {
	struct html_thread *t;
	size_t n, cap;
	struct htab h;
};

uint32_t html_thread(struct html_threads *ts, uint32_t comm, uint32_t pid, uint32_t tid);

/* html_lanes.c: what ran where and when, and single events; members of the page's data */
int html_put_lanes(struct strbuf *out, struct html_enc *e, struct html_threads *ts,
		   const struct load *l, struct msg *m);

#endif
