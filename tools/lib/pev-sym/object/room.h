/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Memory for what other users make, in which one of them leaves room for the next.
 */
#ifndef _PEV_SYM_OBJECT_ROOM_H
#define _PEV_SYM_OBJECT_ROOM_H

#include <sys/types.h>
#include "util/vec.h"

struct room_user {
	uid_t uid;
	uint64_t used;
};

/**
 * struct room - how much of it is used
 * @most: bytes, for all
 * @used: by all
 * @users: and by each
 */
struct room {
	uint64_t most;
	uint64_t used;
	VEC(struct room_user) users;
};

/* Returns how much more a user may take: of what the others left, each may take half. */
uint64_t room_left(const struct room *r, uid_t uid);
/* Takes it, if there is as much; else, and without memory, returns false. */
bool room_take(struct room *r, uid_t uid, uint64_t bytes);
void room_give(struct room *r, uid_t uid, uint64_t bytes);
void room_free(struct room *r);

#endif /* _PEV_SYM_OBJECT_ROOM_H */
