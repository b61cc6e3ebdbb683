// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Prepares pev_self_read() of one's own counter, and replaces it where that is not
 * possible. See hardware.h and struct pev_user_page.
 */
#include <sys/mman.h>
#include <unistd.h>
#if __has_include(<sys/rseq.h>)
#include <sys/rseq.h>
#define HAVE_RSEQ 1
#endif
#include <pev/pev.h>
#include "core/compiler.h"

/* Events without a page use this one, which says that there is no counter. */
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

	*self = (struct pev_self){ .page = &no_page, .fd = fd };
	if (find_rseq(&self->rseq))
		page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED)
		return 0;
	self->page = page;
	return 1;
}

/* A kernel that refuses the page may still open the event without it. */
PEV_EXPORT int pev_self_open(const struct pev_attr *attr, struct pev_self *self,
			     struct pev_error *err)
{
	struct pev_attr with = *attr;
	int fd;

	*self = (struct pev_self){ .page = &no_page, .fd = -1 };
	with.flags |= PEV_F_USER_PAGE;
	fd = pev_attr_open(&with, 0, err);
	if (fd < 0) {
		with.flags = attr->flags;
		fd = pev_attr_open(&with, 0, err);
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
	int ret = pev_fd_read(self->fd, &v);

	if (!ret)
		*value = v.value;
	return ret;
}
