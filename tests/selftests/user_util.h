/* SPDX-License-Identifier: GPL-2.0 */
/* Producers whose marks are registered by hand: what the tests of linux/pev_user.h share. */
#ifndef USER_UTIL_H
#define USER_UTIL_H

#include <sys/wait.h>
#include "pev_user.h"

#define RING 65536
#define RINGS 4

/* A producer with two marks, of which any part can be made wrong. */
struct asked {
	struct pev_producer producer;
	struct pev_user_mark marks[2];
	char strings[64];
};

static UNUSED void ask(struct asked *a)
{
	static const char strings[] = "shop:checkout\0%lu %s\0order, city\0shop:close\0";

	memset(a, 0, sizeof(*a));
	memcpy(a->strings, strings, sizeof(strings));
	a->marks[0] = (struct pev_user_mark){ .name = 0, .format = 14, .fields = 21, .slot = 5 };
	a->marks[1] = (struct pev_user_mark){ .name = 33, .format = 44, .fields = 44, .slot = 7 };
	a->producer = (struct pev_producer){
		.size = sizeof(a->producer),
		.nr_marks = 2,
		.marks = (uintptr_t)a->marks,
		.strings = (uintptr_t)a->strings,
		.strings_size = sizeof(strings),
		.nr_rings = RINGS,
		.ring_size = RING,
	};
}

static UNUSED int produce(const struct asked *a)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_PRODUCER,
		.channel_fd = -1,
		.group_fd = -1,
		.config = (uintptr_t)&a->producer,
	};

	return pev_open(&attr);
}

/* The mappings of a producer. */
struct space {
	const volatile struct pev_user_gate *gate;
	char *rings;
};

static UNUSED uint64_t rings_size(void)
{
	return RINGS * (PAGE + (RING + PAGE - 1) / PAGE * PAGE);
}

/* Returns 0 or -errno; closes @fd. */
static UNUSED int map_space(struct space *s, int fd)
{
	int err = 0;

	s->gate = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0);
	if (s->gate == MAP_FAILED)
		err = -errno;
	s->rings = mmap(NULL, rings_size(), PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)PAGE);
	if (!err && s->rings == MAP_FAILED)
		err = -errno;
	close(fd);
	return err;
}

static UNUSED int begin(struct space *s)
{
	struct asked a;
	int fd;

	ask(&a);
	fd = produce(&a);
	return fd < 0 ? fd : map_space(s, fd);
}

static UNUSED void end(struct space *s)
{
	munmap((void *)s->gate, PAGE);
	munmap(s->rings, rings_size());
}

/* The gate is changed by a work item when an event is switched. */
static UNUSED bool becomes(const volatile uint8_t *byte, int value)
{
	for (int i = 0; i < 5000 && *byte != value; i++)
		usleep(1000);
	return *byte == value;
}

/* Returns 0 or -errno; it is unmapped again. */
static UNUSED int try_map(int fd, size_t size, int prot, int flags, uint64_t offset)
{
	void *p = mmap(NULL, size, prot, flags, fd, (off_t)offset);

	if (p == MAP_FAILED)
		return -errno;
	munmap(p, size);
	return 0;
}

/* What a child found, told by its exit status. */
static UNUSED int reap(pid_t pid)
{
	int status;

	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* clang-format off */
#define NEEDS_PEV()                                            \
	do {                                                   \
		if (!pev_present())                            \
			SKIP(return, "no pev in this kernel"); \
	} while (0)

/* clang-format on */

#endif
