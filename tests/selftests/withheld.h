/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A page whose fault waits until the test lets it in: of a memory that user space pages
 * (userfaultfd), or of a file whose server is the test (FUSE).
 */
#ifndef WITHHELD_H
#define WITHHELD_H

#include <linux/userfaultfd.h>
#include <poll.h>
#include "fuse_file.h"
#include "pev_util.h"

/* How long a fault may be in coming */
#define WITHHELD_MS	20000

/**
 * struct withheld - such a page
 * @page: private, so that it can be written, too
 * @fd:   of userfaultfd
 * @file: of FUSE, of one page
 * @came: FUSE: the kernel asks for the page
 * @let:  FUSE: it gets it
 */
struct withheld {
	void			*page;
	int			fd;
	struct fuse_file	file;
	int			came[2];
	int			let[2];
};

struct withheld_way {
	/* Returns NULL, or why it can't be had here. */
	const char	*(*missing)(void);
	/* In the process that uses it, with root's rights. Returns 0. */
	int		(*keep_out)(struct withheld *w);
	/* Does a fault wait, or come in time? */
	bool		(*faults)(struct withheld *w);
	void		(*let_in)(struct withheld *w);
};

/* ---- userfaultfd ---- */

static const char *withheld_uffd_missing(void)
{
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);

	if (fd < 0)
		return "no userfaultfd in this kernel";
	close(fd);
	return NULL;
}

static int withheld_uffd_keep_out(struct withheld *w)
{
	long size = sysconf(_SC_PAGESIZE);
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	struct uffdio_api api = { .api = UFFD_API };

	w->fd = syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	w->page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	reg.range = (struct uffdio_range) { (uintptr_t)w->page, size };
	return w->fd < 0 || w->page == MAP_FAILED || ioctl(w->fd, UFFDIO_API, &api) ||
	       ioctl(w->fd, UFFDIO_REGISTER, &reg);
}

static bool withheld_uffd_faults(struct withheld *w)
{
	struct pollfd p = { .fd = w->fd, .events = POLLIN };
	struct uffd_msg msg;

	return poll(&p, 1, WITHHELD_MS) == 1 && read(w->fd, &msg, sizeof(msg)) == sizeof(msg) &&
	       msg.event == UFFD_EVENT_PAGEFAULT;
}

static void withheld_uffd_let_in(struct withheld *w)
{
	struct uffdio_zeropage zero = {
		.range = { (uintptr_t)w->page, sysconf(_SC_PAGESIZE) },
	};

	ioctl(w->fd, UFFDIO_ZEROPAGE, &zero);
}

static const struct withheld_way UNUSED withheld_uffd = {
	.missing = withheld_uffd_missing,
	.keep_out = withheld_uffd_keep_out,
	.faults = withheld_uffd_faults,
	.let_in = withheld_uffd_let_in,
};

/* ---- FUSE ---- */

static const char *withheld_fuse_missing(void)
{
	int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return "no FUSE in this kernel";
	close(fd);
	return NULL;
}

static void withheld_fuse_fill(void *arg, char *UNUSED data, size_t UNUSED size)
{
	struct withheld *w = arg;
	char c = 0;

	if (write(w->came[1], &c, 1) != 1 || read(w->let[0], &c, 1) != 1)
		perror("a page that FUSE waits for");
}

static int withheld_fuse_keep_out(struct withheld *w)
{
	w->file = (struct fuse_file) {
		.size = sysconf(_SC_PAGESIZE), .fill = withheld_fuse_fill, .arg = w,
	};
	if (pipe(w->came) || pipe(w->let) || fuse_file_open(&w->file))
		return -1;
	w->page = mmap(NULL, w->file.size, PROT_READ | PROT_WRITE, MAP_PRIVATE, w->file.file, 0);
	return w->page == MAP_FAILED;
}

static bool withheld_fuse_faults(struct withheld *w)
{
	struct pollfd p = { .fd = w->came[0], .events = POLLIN };

	return poll(&p, 1, WITHHELD_MS) == 1;
}

static void withheld_fuse_let_in(struct withheld *w)
{
	char c = 0;

	if (write(w->let[1], &c, 1) != 1)
		perror("a page that FUSE waits for");
}

static const struct withheld_way UNUSED withheld_fuse = {
	.missing = withheld_fuse_missing,
	.keep_out = withheld_fuse_keep_out,
	.faults = withheld_fuse_faults,
	.let_in = withheld_fuse_let_in,
};

#endif
