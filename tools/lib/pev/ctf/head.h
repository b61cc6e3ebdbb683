/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What stands before the classes of metadata, in the form of a pev kernel's.
 */
#ifndef _PEV_CTF_HEAD_H
#define _PEV_CTF_HEAD_H

#include <stdint.h>
#include "core/text.h"

/**
 * struct ctf_env - the machine that was recorded; NULL for what is not known
 * @engine: that recorded it
 */
struct ctf_env {
	const char *hostname;
	const char *release;
	const char *machine;
	const char *engine;
};

/* @offset_s, @offset: time of the clock's zero since the epoch, in seconds and ns */
void ctf_head(struct text *t, const uint8_t uuid[16], const struct ctf_env *env, int64_t offset_s,
	      int64_t offset);

#endif /* _PEV_CTF_HEAD_H */
