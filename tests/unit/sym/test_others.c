// SPDX-License-Identifier: GPL-2.0
/* Files that other users may write while they are read, and room that users share. */
#include "lookup.h"
#include "object/room.h"
#include "snapshot.h"
#include "tests.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Makes "strange" of another object, as a file of another user; returns a descriptor to write to. */
static int make_strange(const char *of)
{
	char command[9000];
	int fd;

	snprintf(command, sizeof(command), "cp '%s/%s' '%s/strange' && chown 4242 '%s/strange'",
		 objects, of, objects, objects);
	if (system(command))
		return -1;
	fd = open(object_path("strange"), O_WRONLY | O_CLOEXEC);
	return fd;
}

static void overwrite(int fd)
{
	static const char zeros[4096];
	off_t size = lseek(fd, 0, SEEK_END);

	for (off_t at = 0; at < size; at += (off_t)sizeof(zeros))
		if (pwrite(fd, zeros, sizeof(zeros), at) < 0)
			perror("strange");
}

/* What was looked at once stays as it was. */
static void written(void)
{
	struct pev_sym_bytes what = { 0 };
	uint8_t before[16], now[16];
	struct pev_sym_line l[4];
	struct pev_syms *s;
	uint64_t f3;
	int fd = make_strange("dwarf5"), o;

	pev_syms_new(0, &s);
	o = pev_syms_object(s, object_path("strange"), NULL, 0);
	f3 = find_function(s, o, "f3");
	OK(f3 && !pev_sym_bytes(s, o, f3, before, sizeof(before), &what), "another user's program");
	overwrite(fd);
	OK(!pev_sym_bytes(s, o, f3, now, sizeof(now), &what) && !memcmp(now, before, sizeof(now)),
	   "... has the same code when it is overwritten");
	OK(pev_sym_lines(s, o, f3, l, 4) > 0 && strstr(l[0].file, "victim.c"), "... and lines");
	if (ftruncate(fd, 0))
		perror("strange");
	OK(!pev_sym_bytes(s, o, f3, now, sizeof(now), &what), "... and when it is cut");
	pev_syms_free(s);
	close(fd);
}

/* A hole costs its maker nothing. */
static void large(void)
{
	int fd = make_strange("plain"), o;
	struct pev_syms *s;
	const char *problem;
	uint8_t id[20];

	if (ftruncate(fd, (off_t)snapshot_most() / 2 - 4096))
		perror("strange");
	pev_syms_new(0, &s);
	o = pev_syms_object(s, object_path("strange"), NULL, 0);
	OK(find_function(s, o, "f3"), "a hole of a quarter of the memory has room");
	if (ftruncate(fd, (off_t)snapshot_most() / 2 + 4096))
		perror("strange");
	pev_syms_free(s);
	pev_syms_new(0, &s);
	o = pev_syms_object(s, object_path("strange"), NULL, 0);
	OK(!find_function(s, o, "f3"), "a larger one has not");
	problem = pev_syms_problem(s, o);
	OK(problem && strstr(problem, "no room for a copy"), "... is said: %s", problem);
	IS_NUM(pev_syms_build_id(object_path("strange"), id), 20, "... but it has a build id");
	if (ftruncate(fd, (off_t)snapshot_most() + 4096))
		perror("strange");
	IS_NUM(pev_syms_build_id(object_path("strange"), id), -EFBIG,
	       "and one larger than all room");
	pev_syms_free(s);
	close(fd);
}

static void shared(void)
{
	struct room r = { .most = 1024 };

	IS_NUM((long long)room_left(&r, 1), 512, "one user may take half of the room");
	OK(room_take(&r, 1, 500) && !room_take(&r, 1, 13) && room_take(&r, 1, 12), "... not more");
	IS_NUM((long long)room_left(&r, 2), 256, "another one half of the rest");
	OK(room_take(&r, 2, 256) && !room_take(&r, 3, 129) && room_take(&r, 3, 128),
	   "... and a third one of what those left");
	IS_NUM((long long)room_left(&r, 1), 0, "which leaves none for the first");
	room_give(&r, 1, 512);
	IS_NUM((long long)room_left(&r, 2), 192, "what is given back is for the others, too");
	room_give(&r, 2, 256);
	room_give(&r, 3, 128);
	IS_NUM((long long)room_left(&r, 3), 512, "all of it");
	room_free(&r);
}

void test_others(void)
{
	shared();
	if (geteuid()) {
		OK(true, "files of other users # SKIP not root");
		return;
	}
	written();
	large();
	unlink(object_path("strange"));
}
