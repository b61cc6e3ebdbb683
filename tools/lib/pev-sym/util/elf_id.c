// SPDX-License-Identifier: LGPL-2.1-only
/* Reads build ids of ELF files. */
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "regular.h"
#include "snapshot.h"
#include "util/elf_id.h"

struct elf_id elf_id_make(const void *bytes, size_t len)
{
	struct elf_id id = { 0 };

	id.len = (uint8_t)(len > sizeof(id.bytes) ? sizeof(id.bytes) : len);
	if (id.len)
		memcpy(id.bytes, bytes, id.len);
	return id;
}

bool elf_id_equal(const struct elf_id *a, const struct elf_id *b)
{
	return a->len == b->len && !memcmp(a->bytes, b->bytes, a->len);
}

void elf_id_text(const struct elf_id *id, char buf[41])
{
	static const char digits[] = "0123456789abcdef";
	unsigned int n = id->len > 20 ? 20 : id->len;

	for (unsigned int i = 0; i < n; i++) {
		buf[2 * i] = digits[id->bytes[i] >> 4];
		buf[2 * i + 1] = digits[id->bytes[i] & 15];
	}
	buf[2 * n] = 0;
}

int elf_id_read(Elf *elf, struct elf_id *id)
{
	const void *bits;
	ssize_t n = dwelf_elf_gnu_build_id(elf, &bits);

	*id = elf_id_make(bits, n > 0 ? (size_t)n : 0);
	return n > 0 ? 0 : -ENOENT;
}

int elf_id_at(int fd, struct elf_id *id)
{
	struct stat st;
	bool others = snapshot_is_needed(fd, &st);
	int err;
	Elf *elf;

	*id = (struct elf_id){ 0 };
	if (others && (uint64_t)st.st_size > snapshot_most())
		return -EFBIG;
	elf_version(EV_CURRENT);
	/* what is looked at is read once then */
	elf = elf_begin(fd, others ? ELF_C_READ : ELF_C_READ_MMAP, NULL);
	err = elf && elf_kind(elf) == ELF_K_ELF ? elf_id_read(elf, id) : -ENOEXEC;
	elf_end(elf);
	return err;
}

int elf_id_of(const char *file, struct elf_id *id)
{
	int fd = regular_open(file), err;

	*id = (struct elf_id){ 0 };
	if (fd < 0)
		return fd;
	err = elf_id_at(fd, id);
	close(fd);
	return err;
}
