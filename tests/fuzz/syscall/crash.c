// SPDX-License-Identifier: GPL-2.0
/*
 * Channels in memory that outlives a crash, of which there is one at a time, and those that would
 * read or drop what an earlier boot left there. A user without the right is refused in any case.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "fuzz.h"

/* Root may be told any of these, as others have the memory, or there is none. */
static bool may_fail(int err)
{
	static const int errors[] = {
		EBUSY, EEXIST, EOPNOTSUPP, ENOSPC, ENOENT, EBADMSG, ENOMEM, EINTR, EMFILE, ENFILE,
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(errors); i++)
		if (err == -errors[i])
			return true;
	return err == -EACCES && !me->root;
}

static int checked(const struct pev_attr *attr)
{
	int fd = k_event(attr);

	if (fd >= 0 && !me->root)
		broken("a user has memory that outlives a crash: type %u", attr->type);
	if (fd < 0 && !may_fail(fd))
		broken("memory that outlives a crash was refused by %d: %s", fd, k_reason());
	return fd;
}

static void fault(struct rng *r)
{
	size_t size = 4096 << below(r, 3);
	void *at = mmap(NULL, size, PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		return;
	memset(at, 1, size);
	munmap(at, size);
}

/* With an event in it, whose records come while it is there. */
static void have_channel(struct rng *r)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_CHANNEL, .flags = PEV_CHF_OVERWRITE | PEV_CHF_PERSIST,
		.channel_fd = -1, .group_fd = -1,
	};
	struct pev_attr faults = {
		.type = PEV_TYPE_SOFTWARE, .config = PEV_SW_PAGE_FAULTS, .period = 1,
		.target = PEV_TARGET_TASK, .group_fd = -1,
	};
	int fd, event;

	if (one_in(r, 2))
		attr.ring_size = 8192ULL << below(r, 10);
	fd = checked(&attr);
	if (fd < 0)
		return;
	faults.channel_fd = fd;
	event = k_event(&faults);
	for (unsigned int i = 0; i < 64; i++)
		fault(r);
	k_ioctl(fd, PEV_IOC_FLUSH, 0);
	if (event >= 0)
		k_close(event);
	k_close(fd);
}

static void have_old(struct rng *r)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_CRASH, .config = below(r, PEV_CRASH_MAX),
		.channel_fd = -1, .group_fd = -1,
	};
	char buf[4096];
	int fd = checked(&attr);

	/* 0: it was dropped */
	if (fd <= 0)
		return;
	for (unsigned int i = 0; i < 8; i++) {
		lseek(fd, below(r, 1 << 24), SEEK_SET);
		k_read(fd, buf, below(r, sizeof(buf)));
	}
	k_close(fd);
}

void world_crash(struct player *w, const struct op *op, struct rng *r)
{
	(void)w;
	(void)op;
	if (one_in(r, 3))
		have_old(r);
	else
		have_channel(r);
}
