/* SPDX-License-Identifier: GPL-2.0 */
/* What tests of users who hold up others share: what another user does meanwhile. */
#ifndef STALL_UTIL_H
#define STALL_UTIL_H

#include <linux/pev_user.h>
#include <poll.h>
#include <time.h>
#include "pev_child.h"

#define ATTACKER 1000
#define ANOTHER 1001

#define CLOSE "syscalls:sys_enter_close"
#define SECOND 1000000000LL

static UNUSED int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * SECOND + t.tv_nsec;
}

/* What a caller has open. */
struct objects {
	int channel;
	int leader;
	int event;
	int catalog;
};

static UNUSED struct pev_attr attr_of_calls(const struct objects *o)
{
	return (struct pev_attr){
		.type = PEV_TYPE_TRACEPOINT,
		.name = (uintptr_t)CLOSE,
		.target = PEV_TARGET_TASK,
		.channel_fd = o->channel,
		.group_fd = -1,
		.period = 1,
		.sample = PEV_SAMPLE_TID,
		.flags = PEV_F_DISABLED,
	};
}

/* A producer of @nr marks that are called "shop:checkout...", @len bytes. Returns the fd or -errno. */
static UNUSED int open_producer(unsigned int nr, unsigned int len)
{
	static struct pev_user_mark marks[PEV_MAX_USER_MARKS];
	static char name[PEV_MAX_USER_NAME] = "shop:checkout";
	struct pev_producer producer = {
		.size = sizeof(producer),
		.nr_marks = nr,
		.marks = (uintptr_t)marks,
		.strings = (uintptr_t)name,
		.strings_size = len + 1,
		.nr_rings = 1,
		.ring_size = PEV_MIN_USER_RING,
	};
	struct pev_attr attr = {
		.type = PEV_TYPE_PRODUCER,
		.channel_fd = -1,
		.group_fd = -1,
		.config = (uintptr_t)&producer,
	};

	memset(name + strlen(name), 't', len - strlen(name));
	for (unsigned int i = 0; i < nr; i++)
		marks[i] = (struct pev_user_mark){ .format = len, .fields = len };
	return pev_open(&attr);
}

/* Returns the gate of the process, of which a page stays mapped; or NULL. */
static UNUSED const struct pev_user_gate *become_producer(unsigned int nr, unsigned int len)
{
	int fd = open_producer(nr, len);
	void *gate = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);

	close(fd);
	return gate == MAP_FAILED ? NULL : gate;
}

/* What anybody does; ns that it took, or -line of what failed. */
static UNUSED int64_t a_round(void)
{
	struct objects o = { .leader = -1 };
	const struct pev_user_gate *gate;
	int64_t begin = now();
	struct pev_attr attr;
	char text[4096];
	struct pev_value v;
	int alone;

	alone = pev_open_event(PEV_TYPE_SOFTWARE, NULL, NULL, -1);
	if (alone < 0 || pev_on(alone) || read(alone, &v, sizeof(v)) != sizeof(v) || pev_off(alone))
		return -__LINE__;
	o.channel = pev_open_channel(8192, 4096, 0);
	if (o.channel < 0)
		return -__LINE__;
	attr = attr_of_calls(&o);
	attr.filter = (uintptr_t) "fd == 3";
	o.event = pev_open(&attr);
	if (o.event < 0 || read(o.channel, text, sizeof(text)) <= 0)
		return -__LINE__;
	if (ioctl(o.channel, PEV_IOC_ENABLE, 0) || ioctl(o.channel, PEV_IOC_FLUSH, 0) ||
	    ioctl(o.event, PEV_IOC_RESET, 0))
		return -__LINE__;
	close(o.event);
	close(alone);
	close(o.channel);
	gate = become_producer(1, 13);
	if (!gate || munmap((void *)gate, sysconf(_SC_PAGESIZE)))
		return -__LINE__;
	return now() - begin;
}

static UNUSED void another(struct pev_child *c)
{
	/* who has pages locked waits for closed events to be freed */
	int channel;

	if (pev_become(ANOTHER, -1))
		_exit(1);
	channel = pev_open_channel(8192, 4096, 0);
	if (channel < 0)
		_exit(2);
	for (;;) {
		pev_child_wait(c);
		pev_child_say(c, a_round());
	}
}

/* Does @c have an answer within @ns? */
static UNUSED bool answers(const struct pev_child *c, int64_t ns)
{
	struct pollfd p = { .fd = c->said[0], .events = POLLIN };

	return poll(&p, 1, ns / 1000000) == 1;
}

#endif
