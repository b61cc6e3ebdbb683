/* SPDX-License-Identifier: GPL-2.0 */
/* Takes a piece of a file apart, which may be damaged. */
#ifndef PERFCTL_IMPORT_BYTES_H
#define PERFCTL_IMPORT_BYTES_H

#include <stdbool.h>
#include <stdint.h>

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

#endif
