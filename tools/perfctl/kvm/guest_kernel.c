// SPDX-License-Identifier: GPL-2.0
/* Reads files of a guest. See guest_kernel.h. */
#include "guest_kernel.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* The guest may put there what it likes. */
#define FILE_MOST (256u << 20)
#define KALLSYMS "/proc/kallsyms"
#define NOTES "/sys/kernel/notes"

static size_t padded(size_t len)
{
	return (len + 3) & ~(size_t)3;
}

/* Finds the build id among ELF notes. */
static void find_id(struct guest_kernel *k, const char *notes, size_t len)
{
	Elf64_Nhdr head;

	for (size_t at = 0; at + sizeof(head) <= len;) {
		size_t name = at + sizeof(head), desc;

		memcpy(&head, notes + at, sizeof(head));
		if (head.n_namesz > len - name)
			return;
		desc = name + padded(head.n_namesz);
		if (desc > len || head.n_descsz > len - desc)
			return;
		at = desc + padded(head.n_descsz);
		if (head.n_type != NT_GNU_BUILD_ID || head.n_namesz != 4 ||
		    memcmp(notes + name, "GNU", 4) || head.n_descsz > GUEST_KERNEL_ID / 2)
			continue;
		for (size_t i = 0; i < head.n_descsz; i++)
			snprintf(k->id + 2 * i, 3, "%02x", (unsigned char)notes[desc + i]);
		return;
	}
}

/* There may be none: then nothing is known of which kernel it is. */
static void read_notes(struct guest_kernel *k, const char *file)
{
	size_t len;
	char *notes = file_read_regular(file, FILE_MOST, &len);

	if (notes)
		find_id(k, notes, len);
	free(notes);
}

static bool parse_line(const char *line, uint64_t *addr, char *type)
{
	char name[2];

	return sscanf(line, "%" SCNx64 " %c %1s", addr, type, name) == 3;
}

uint64_t guest_kernel_text(const char *symbols)
{
	static const char stext[] = " T _stext\n";
	const char *at = strstr(symbols, stext);
	uint64_t addr = 0;

	if (!at)
		return 0;
	while (at > symbols && at[-1] != '\n')
		at--;
	return sscanf(at, "%" SCNx64, &addr) == 1 ? addr : 0;
}

static const char *next_line(const char *line)
{
	const char *end = strchr(line, '\n');

	return end ? end + 1 : line + strlen(line);
}

/* Keeps the functions. Says what is wrong with a file that names none. */
static int take_symbols(struct guest_kernel *k, const char *text, const char *what,
			const char *file, struct msg *m)
{
	bool any = false, placed = false;
	struct strbuf b = { 0 };

	for (const char *line = text; *line; line = next_line(line)) {
		uint64_t addr;
		char type;

		if (!parse_line(line, &addr, &type))
			continue;
		any = true;
		placed |= addr != 0;
		if (strchr("tTwW", type))
			strbuf_add(&b, line, (size_t)(next_line(line) - line));
	}
	k->symbols = b.s ? b.s : xstrdup("");
	k->len = b.len;
	k->text = guest_kernel_text(k->symbols);
	if (placed)
		return 0;
	guest_kernel_free(k);
	if (any)
		return msg_set(m, -EINVAL,
			       "%s%s: all addresses in it are 0: copy "
			       "/proc/kallsyms as root, in the guest",
			       what, file);
	return msg_set(m, -EINVAL,
		       "%s%s: no line of it is \"ADDRESS TYPE NAME\": give a copy "
		       "of the guest's /proc/kallsyms",
		       what, file);
}

int guest_kernel_read(struct guest_kernel *k, const char *what, const char *file, struct msg *m)
{
	size_t len = strlen(file), end = strlen(KALLSYMS);
	bool rooted = len >= end && !strcmp(file + len - end, KALLSYMS);
	char *text = file_read_regular(file, FILE_MOST, NULL), *notes;
	int err;

	*k = (struct guest_kernel){ 0 };
	if (!text)
		return msg_set(m, -EINVAL, "%s%s: %s", what, file, strerror(errno));
	err = take_symbols(k, text, what, file, m);
	free(text);
	if (err)
		return err;
	notes = rooted ? xasprintf("%.*s" NOTES, (int)(len - end), file) :
			 xasprintf("%s.notes", file);
	read_notes(k, notes);
	free(notes);
	return 0;
}

int guest_kernel_mounted(struct guest_kernel *k, const char *dir, struct msg *m)
{
	char *file = xasprintf("%s" KALLSYMS, dir);
	int err = guest_kernel_read(k, "--guest-mount: ", file, m);

	if (!err && !k->id[0]) {
		err = msg_set(m, -EINVAL,
			      "--guest-mount %s: there is no " NOTES
			      " with a build id below it: mount "
			      "the whole root of the guest, with proc and sys",
			      dir);
		guest_kernel_free(k);
	}
	free(file);
	return err;
}

void guest_kernel_free(struct guest_kernel *k)
{
	free(k->symbols);
	*k = (struct guest_kernel){ 0 };
}
