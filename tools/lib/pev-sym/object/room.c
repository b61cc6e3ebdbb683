// SPDX-License-Identifier: LGPL-2.1-only
/* Shares memory among users. See room.h. */
#include <stdlib.h>
#include "object/room.h"

static struct room_user *user_of(const struct room *r, uid_t uid)
{
	for (size_t i = 0; i < r->users.n; i++)
		if (r->users.p[i].uid == uid)
			return &r->users.p[i];
	return NULL;
}

uint64_t room_left(const struct room *r, uid_t uid)
{
	const struct room_user *u = user_of(r, uid);
	uint64_t used = u ? u->used : 0, share = (r->most - (r->used - used)) / 2;

	return share > used ? share - used : 0;
}

bool room_take(struct room *r, uid_t uid, uint64_t bytes)
{
	struct room_user *u = user_of(r, uid);

	if (bytes > room_left(r, uid))
		return false;
	if (!u) {
		u = VEC_PUSH(&r->users);
		if (!u)
			return false;
		u->uid = uid;
	}
	u->used += bytes;
	r->used += bytes;
	return true;
}

void room_give(struct room *r, uid_t uid, uint64_t bytes)
{
	struct room_user *u = bytes ? user_of(r, uid) : NULL;

	if (!u)
		return;
	u->used -= bytes;
	r->used -= bytes;
	/* users come and go */
	if (!u->used)
		*u = r->users.p[--r->users.n];
}

void room_free(struct room *r)
{
	free(r->users.p);
	r->users.p = NULL;
	r->users.n = r->users.cap = 0;
}
