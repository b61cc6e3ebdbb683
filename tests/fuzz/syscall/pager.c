// SPDX-License-Identifier: GPL-2.0
/*
 * Pages that do not come until they are given: of a memory that user space pages (userfaultfd),
 * and of a file whose server is this process (FUSE).
 */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "fuse_file.h"
#include "fuzz.h"

#define HELD_FOR	10	/* s: how long a page is kept back at most */
#define FILE_PAGES	(1ULL << 32)	/* each is used once, so that it must come */

static struct pager {
	int			fd;
	struct fuse_file	file;
	uint64_t		used;	/* pages of it */
	bool			of_file;	/* so is the page */
	pthread_mutex_t		lock;
	pthread_cond_t		changed;
	bool			wanted;
	bool			given;
	bool			late;
	char			*page;
	char			data[64];
} pager = {
	.fd = -1, .file = { .file = -1 }, .lock = PTHREAD_MUTEX_INITIALIZER,
	.changed = PTHREAD_COND_INITIALIZER,
};

static struct timespec deadline(unsigned int seconds)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec += seconds;
	return t;
}

/* A fault: returns with @whole once the page is given. */
static void fill(void *unused, char *whole, size_t size)
{
	struct timespec end = deadline(HELD_FOR);

	(void)unused;
	memset(whole, 0, size);
	pthread_mutex_lock(&pager.lock);
	pager.wanted = true;
	pthread_cond_broadcast(&pager.changed);
	while (!pager.given && !pager.late)
		if (pthread_cond_timedwait(&pager.changed, &pager.lock, &end))
			pager.late = true;
	memcpy(whole, pager.data, sizeof(pager.data));
	pthread_mutex_unlock(&pager.lock);
}

static void *memory_thread(void *unused)
{
	static char whole[65536] __attribute__((aligned(65536)));
	struct uffd_msg msg;

	for (;;) {
		if (read(pager.fd, &msg, sizeof(msg)) != sizeof(msg)) {
			if (errno == EINTR || errno == EAGAIN)
				continue;
			return unused;
		}
		if (msg.event != UFFD_EVENT_PAGEFAULT)
			continue;
		fill(NULL, whole, PAGE);
		ioctl(pager.fd, UFFDIO_COPY, &(struct uffdio_copy){
			.dst = msg.arg.pagefault.address & -PAGE,
			.src = (uintptr_t)whole, .len = PAGE });
	}
}

void pager_mount(void)
{
	pager.file.size = FILE_PAGES * PAGE;
	pager.file.fill = fill;
	fuse_file_open(&pager.file);
}

void pager_init(void)
{
	struct uffdio_api api = { .api = UFFD_API };
	pthread_t t;

	pager.fd = syscall(SYS_userfaultfd, O_CLOEXEC);
	if (pager.fd < 0)
		return;
	if (ioctl(pager.fd, UFFDIO_API, &api) || pthread_create(&t, NULL, memory_thread, NULL)) {
		close(pager.fd);
		pager.fd = -1;
	}
}

/* Returns 0 if there is no such page. */
static int map(bool of_file)
{
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	int flags = MAP_PRIVATE | (of_file ? 0 : MAP_ANONYMOUS);
	int fd = of_file ? pager.file.file : -1;
	uint64_t at = of_file ? pager.used++ % FILE_PAGES * PAGE : 0;
	void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, flags, fd, at);

	if (page == MAP_FAILED)
		return 0;
	pager.page = page;
	pager.of_file = of_file;
	if (of_file)
		return 1;
	reg.range = (struct uffdio_range){ (uintptr_t)page, PAGE };
	return !ioctl(pager.fd, UFFDIO_REGISTER, &reg);
}

void *pager_page(struct rng *r)
{
	bool of_file = pager.file.file >= 0 && (pager.fd < 0 || one_in(r, 2));

	if (pager.fd < 0 && !of_file)
		return NULL;
	if (pager.page)
		munmap(pager.page, PAGE);
	pager.page = NULL;
	pthread_mutex_lock(&pager.lock);
	pager.wanted = false;
	pager.given = false;
	pager.late = false;
	memset(pager.data, 0, sizeof(pager.data));
	pthread_mutex_unlock(&pager.lock);
	return map(of_file) ? pager.page : NULL;
}

bool pager_wait(void)
{
	struct timespec end = deadline(HELD_FOR);
	bool wanted;

	pthread_mutex_lock(&pager.lock);
	while (!pager.wanted)
		if (pthread_cond_timedwait(&pager.changed, &pager.lock, &end))
			break;
	wanted = pager.wanted;
	pthread_mutex_unlock(&pager.lock);
	if (wanted)
		add(&all->held[pager.of_file], 1);
	return wanted;
}

bool pager_give(const void *data, size_t size)
{
	bool late;

	pthread_mutex_lock(&pager.lock);
	late = pager.late;
	memcpy(pager.data, data, size);
	pager.given = true;
	pthread_cond_broadcast(&pager.changed);
	pthread_mutex_unlock(&pager.lock);
	return !late;
}
