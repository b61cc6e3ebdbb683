// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Reading one's own counter: what pev_self_read() needs before and when it may
 * not. See hardware.h and struct pev_user_page.
 */
#include <sys/mman.h>
#include <unistd.h>
#if __has_include(<sys/rseq.h>)
#include <sys/rseq.h>
#define HAVE_RSEQ 1
#endif
#include "internal.h"

/* Of events that have none: says that there is no counter, for ever. */
static const struct pev_user_page no_page;

/* cpu_id is the second word of struct rseq, which glibc registers. */
static bool find_rseq(ptrdiff_t *offset)
{
#if defined(PEV_SELF_READS) && defined(HAVE_RSEQ)
	if (__rseq_size >= 8) {
		*offset = __rseq_offset;
		return true;
	}
#endif
	*offset = 0;
	return false;
}

PEV_EXPORT int pev_self_map(int fd, struct pev_self *self)
{
	void *page = MAP_FAILED;

	self->fd = fd;
	self->page = &no_page;
	if (find_rseq(&self->rseq))
		page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED)
		return 0;
	self->page = page;
	return 1;
}

/* What refuses the page may let the event be opened without it. */
PEV_EXPORT int pev_self_open(const struct pev_attr *attr, struct pev_self *self,
			     struct pev_why *why)
{
	struct pev_attr with = *attr;
	int fd;

	self->fd = -1;
	self->page = &no_page;
	with.flags |= PEV_F_USER_PAGE;
	fd = pev_open_why(&with, why);
	if (fd < 0) {
		with.flags = attr->flags;
		fd = pev_open_why(&with, why);
	}
	return fd < 0 ? fd : pev_self_map(fd, self);
}

PEV_EXPORT void pev_self_unmap(struct pev_self *self)
{
	if (self->page && self->page != &no_page)
		munmap((void *)self->page, sysconf(_SC_PAGESIZE));
	self->page = &no_page;
}

PEV_EXPORT int pev_self_read_slow(const struct pev_self *self, uint64_t *value)
{
	struct pev_value v;
	int ret = pev_read_value(self->fd, &v);

	if (!ret)
		*value = v.value;
	return ret;
}
