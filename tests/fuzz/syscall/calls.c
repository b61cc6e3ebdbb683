// SPDX-License-Identifier: GPL-2.0
/*
 * pev_open(2) and what can be done with its descriptors: each call is counted, and
 * looked at for what must hold of all of them.
 */
#include <ctype.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include "fuzz.h"
#include "pev_enter.h"

#define MARK	0x5a

/* What the last refusal said. */
static __thread union {
	struct pev_refusal	head;
	char			room[512];
} why;

/* When the last pev_open() began. */
__thread uint64_t k_started;
/* Failures are injected. */
bool k_failing;

void k_begin(void)
{
	pev_enter_device();
}

const char *k_reason(void)
{
	return why.head.text;
}

/*
 * Where the kernel's memory, its text and its modules lie. What is next to the end of
 * the address space is a negative number.
 */
bool kernel_address(uint64_t value)
{
#if defined(__x86_64__)
	if (value >> 31 != 0x1ffffffff)
		return value >> 47 == 0x1ffff;
	return value >> 24 != 0xffffffff80 && value >> 28 < 0xffffffffb;
#else
	/*
	 * What begins with 0xc00 is one in 4096 of all numbers, and programs keep random ones
	 * in their registers. Each area is used from its start, that of vmalloc also from its
	 * end: by the chunks of per-CPU memory.
	 */
	uint64_t tib = value >> 40 & 0xff;

	return value >> 52 == 0xc00 && (tib == 0 || tib == 0xff);
#endif
}

/* Numbers of 16 hexadecimal digits in a text. */
void scan_text(const char *text, const char *what)
{
	add(&all->scanned, strlen(text));
	while (*text) {
		size_t digits = strspn(text, "0123456789abcdefABCDEF");
		uint64_t value = 0;

		if (digits == 16) {
			for (size_t i = 0; i < digits; i++)
				value = value << 4 | (isdigit(text[i]) ? text[i] - '0' :
						      (tolower(text[i]) - 'a' + 10));
			if (kernel_address(value))
				broken("%s has a kernel address: %.80s", what, text);
		}
		text += digits ? digits : 1;
	}
}

void scan_words(const void *data, size_t size, const char *what)
{
	const uint64_t *words = data;

	add(&all->scanned, size);
	for (size_t i = 0; i < size / sizeof(*words); i++)
		if (kernel_address(words[i]))
			broken("%s has the kernel address %#llx at %#zx", what, (llu)words[i],
			       i * sizeof(*words));
}

static bool documented(int error)
{
	static const int errors[] = {
		E2BIG,	EACCES, EBUSY,	EBADF,	EEXIST, EFAULT,	    EINTR, EINVAL, EMFILE,
		ENFILE, ENODEV, ENOENT, ENOMEM, ENOSPC, EOPNOTSUPP, EPERM, ESRCH,
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(errors); i++)
		if (errors[i] == error)
			return true;
	return false;
}

/* The explanation of a refusal; nothing is written at success. */
static void check_why(int error)
{
	const char *text = why.head.text;
	size_t room = sizeof(why) - sizeof(why.head);

	if (!error) {
		for (size_t i = 0; i < sizeof(why); i++)
			if (why.room[i] != MARK)
				broken("pev_open() worked and wrote a refusal at %zu", i);
		return;
	}
	if (k_failing)		/* so may the copy of the explanation */
		return;
	if (why.room[0] == MARK && why.room[1] == MARK) {
		broken("pev_open() failed with %s and wrote no refusal", strerror(error));
		return;
	}
	if (why.head.error != (unsigned int)error)
		broken("pev_open() failed with %d, its refusal says %u", error, why.head.error);
	if (!memchr(text, 0, room) || !*text)
		broken("pev_open() failed with %s, and has no text for it", strerror(error));
	else if (!me->root)
		scan_text(text, "a refusal");
}

/* -errno, or a descriptor, or 0 of a query. */
int k_open(const struct pev_attr *attr, size_t size, uint32_t flags)
{
	int ret, error;

	ret = pev_enter(attr, size, flags);
	error = ret < 0 ? errno : 0;
	add(&all->ops, 1);
	add(&all->opens, !error);
	add(&all->refused, !!error);
	if (error && !documented(error))
		broken("pev_open() failed with %d (%s), which is not documented", error,
		       strerror(error));
	return error ? -error : ret;
}

/* The same with all that is known of it, and a place for the refusal. */
int k_event(const struct pev_attr *attr)
{
	struct pev_attr copy = *attr;
	int ret;

	k_started = now_ns();
	memset(&why, MARK, sizeof(why));
	copy.refusal = (uintptr_t)&why;
	copy.refusal_size = sizeof(why);
	ret = k_open(&copy, sizeof(copy), PEV_OPEN_CLOEXEC);
	check_why(ret < 0 ? -ret : 0);
	return ret;
}

int k_ioctl(int fd, unsigned long cmd, unsigned long arg)
{
	int ret = ioctl(fd, cmd, arg);

	add(&all->ops, 1);
	return ret < 0 ? -errno : ret;
}

ssize_t k_read(int fd, void *buf, size_t size)
{
	ssize_t ret = read(fd, buf, size);

	add(&all->ops, 1);
	return ret < 0 ? -errno : ret;
}

ssize_t k_write(int fd, const void *data, size_t size)
{
	ssize_t ret = write(fd, data, size);
	int error = ret < 0 ? errno : 0;

	add(&all->ops, 1);
	if (error && !documented(error))
		broken("a write was refused by %d (%s), which is not documented", error,
		       strerror(error));
	return error ? -error : ret;
}

int k_close(int fd)
{
	if (fd < 0)
		return -EBADF;
	add(&all->ops, 1);
	add(&all->opens, 1);
	return close(fd) ? -errno : 0;
}

void *k_mmap(int fd, size_t size, int prot, int flags, uint64_t offset)
{
	void *at = mmap(NULL, size, prot, flags, fd, offset);

	add(&all->ops, 1);
	return at == MAP_FAILED ? NULL : at;
}

int k_munmap(void *at, size_t size)
{
	add(&all->ops, 1);
	return munmap(at, size) ? -errno : 0;
}
