// SPDX-License-Identifier: GPL-2.0
/* tar archives. See tar.h. */
#include "tar.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK 512
#define SIZE_MOST 077777777777ULL
#define NAME_ROOM 100

/* As POSIX has it: texts end with NUL unless they fill their place, numbers are octal. */
struct tar_head {
	char name[NAME_ROOM];
	char mode[8];
	char uid[8];
	char gid[8];
	char size[12];
	char mtime[12];
	char checksum[8];
	char type;
	char link[100];
	char magic[8];
	char user[32];
	char group[32];
	char major[8];
	char minor[8];
	char prefix[155];
	char unused[12];
};

_Static_assert(sizeof(struct tar_head) == BLOCK, "struct tar_head is a block");

/* A long name is cut at a slash. */
static bool put_name(struct tar_head *h, const char *name)
{
	size_t len = strlen(name), cut = 0;

	if (len > NAME_ROOM) {
		const char *slash = strchr(name + len - NAME_ROOM - 1, '/');

		if (!slash || !slash[1] || (size_t)(slash - name) > sizeof(h->prefix))
			return false;
		memcpy(h->prefix, name, (size_t)(slash - name));
		cut = (size_t)(slash - name) + 1;
	}
	memcpy(h->name, name + cut, len - cut);
	return true;
}

static void put_octal(char *to, size_t room, uint64_t v)
{
	char text[32];

	snprintf(text, sizeof(text), "%0*llo", (int)room - 1, (unsigned long long)v);
	memcpy(to, text, room);
}

static void put_checksum(struct tar_head *h)
{
	const unsigned char *p = (const unsigned char *)h;
	unsigned int sum = 0;

	memset(h->checksum, ' ', sizeof(h->checksum));
	for (size_t i = 0; i < BLOCK; i++)
		sum += p[i];
	put_octal(h->checksum, sizeof(h->checksum) - 1, sum);
}

static int copy(struct out *out, int fd, uint64_t size)
{
	static const char zeros[BLOCK];
	char buf[1 << 16];

	for (uint64_t left = size; left && !out_failed(out);) {
		ssize_t n = read(fd, buf, min_u64(left, sizeof(buf)));

		if (n < 0 && errno == EINTR)
			continue;
		/* what is cut while it is read */
		if (n <= 0)
			return n ? -errno : -ESTALE;
		out_write(out, buf, (size_t)n);
		left -= (uint64_t)n;
	}
	out_write(out, zeros, (BLOCK - size % BLOCK) % BLOCK);
	return 0;
}

int tar_add(struct out *out, const char *name, int fd)
{
	struct tar_head h = { .type = '0',
			      .magic = "ustar\0"
				       "00" };
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if ((uint64_t)st.st_size > SIZE_MOST)
		return -EFBIG;
	if (!put_name(&h, name))
		return -ENAMETOOLONG;
	/* who unpacks it owns it, and can remove it */
	put_octal(h.mode, sizeof(h.mode), 0644);
	put_octal(h.uid, sizeof(h.uid), 0);
	put_octal(h.gid, sizeof(h.gid), 0);
	put_octal(h.size, sizeof(h.size), (uint64_t)st.st_size);
	put_octal(h.mtime, sizeof(h.mtime), st.st_mtime > 0 ? (uint64_t)st.st_mtime : 0);
	put_checksum(&h);
	out_write(out, &h, sizeof(h));
	return copy(out, fd, (uint64_t)st.st_size);
}

void tar_end(struct out *out)
{
	static const char zeros[2 * BLOCK];

	out_write(out, zeros, sizeof(zeros));
}
