/* SPDX-License-Identifier: GPL-2.0 */
/* Reads records of a perf.data, one after the other. */
#ifndef PERFCTL_IMPORT_FILE_H
#define PERFCTL_IMPORT_FILE_H

#include "import.h"

/**
 * struct bytes - a piece of the file that is read from its front
 * @short_: more was asked for than there is; what was given then is 0
 */
struct bytes {
	const uint8_t *p;
	const uint8_t *end;
	bool short_;
};

uint64_t bytes_u64(struct bytes *b);
uint32_t bytes_u32(struct bytes *b);
/* Takes @n bytes; NULL if there are not so many. */
const void *bytes_take(struct bytes *b, uint64_t n);
/* Takes @room bytes and returns the string in them up to its NUL; "" if there is none. */
const char *bytes_text(struct bytes *b, uint64_t room);

/* Reads what describes the records of what import_input() has mapped. */
int import_open(struct import *im, struct msg *m);
/* Gets what any record has; false if it makes no sense. */
bool import_head(const struct import *im, const struct perf_event_header *r,
		 struct import_head *h);
const struct import_event *import_event_by_id(const struct import *im, uint64_t id);
void import_free(struct import *im);

#endif
