// SPDX-License-Identifier: GPL-2.0
/* Reads the notes of sys/sdt.h. See usdt.h. */
#include "usdt.h"

#include <errno.h>
#include <stdlib.h>

#define NOTE_TYPE 3
#define NOTE_NAME "stapsdt"

/* Takes a string up to @end; returns what is behind it, or NULL. */
static const char *take_string(const char **to, const char *from, const char *end)
{
	const char *nul = from ? memchr(from, '\0', (size_t)(end - from)) : NULL;

	*to = from;
	return nul ? nul + 1 : NULL;
}

/*
 * The linker adjusts neither what a note says nor what prelink(8) moves; the section
 * .stapsdt.base tells how far the program has moved since the note was written.
 */
static bool read_note(const struct program *p, const Elf_Data *desc, uint64_t base,
		      struct usdt_probe *to)
{
	const char *text = (const char *)desc->d_buf, *end = text + desc->d_size;
	uint64_t words[3], moved;

	if (desc->d_size < sizeof(words))
		return false;
	memcpy(words, text, sizeof(words));
	text = take_string(&to->provider, text + sizeof(words), end);
	text = take_string(&to->name, text, end);
	if (!take_string(&to->args, text, end) || !*to->provider || !*to->name)
		return false;
	moved = base && words[1] ? base - words[1] : 0;
	to->address = words[0] + moved;
	if (!program_offset(p, to->address, &to->offset))
		return false;
	return !words[2] || program_offset(p, words[2] + moved, &to->semaphore);
}

static size_t read_section(const struct program *p, Elf_Data *data, struct usdt_probes *to)
{
	size_t at = 0, name, desc, bad = 0;
	GElf_Shdr header;
	GElf_Nhdr note;
	uint64_t base = program_section(p, ".stapsdt.base", &header) ? header.sh_addr : 0;

	while (data && (at = gelf_getnote(data, at, &note, &name, &desc)) > 0) {
		const Elf_Data text = { .d_buf = (char *)data->d_buf + desc,
					.d_size = note.n_descsz };
		struct usdt_probe one = { 0 };

		if (note.n_type != NOTE_TYPE || note.n_namesz != sizeof(NOTE_NAME) ||
		    memcmp((char *)data->d_buf + name, NOTE_NAME, sizeof(NOTE_NAME)))
			continue;
		if (read_note(p, &text, base, &one))
			*ARRAY_PUSH(to->probes, to->n, to->cap) = one;
		else
			bad++;
	}
	return bad;
}

static int by_name(const void *va, const void *vb)
{
	const struct usdt_probe *a = va, *b = vb;
	int c = strcmp(a->provider, b->provider);

	c = c ? c : strcmp(a->name, b->name);
	if (c)
		return c;
	return a->address < b->address ? -1 : a->address > b->address;
}

int usdt_read(const struct program *p, struct usdt_probes *to, struct msg *m)
{
	Elf_Scn *section;
	GElf_Shdr header;
	size_t bad;

	*to = (struct usdt_probes){ 0 };
	section = program_section(p, ".note.stapsdt", &header);
	if (!section)
		return msg_set(m, -ENOENT, "%s has no probes of sys/sdt.h: its author placed none, "
			       "or it was built without them (often --enable-dtrace adds them)",
			       p->path);
	bad = read_section(p, elf_getdata(section, NULL), to);
	if (!to->n)
		return msg_set(m, -EBADMSG, "%s: %s", p->path,
			       bad ? "its notes of sys/sdt.h are damaged" :
				     "its section .note.stapsdt has no probe");
	qsort(to->probes, to->n, sizeof(*to->probes), by_name);
	return 0;
}

void usdt_free(struct usdt_probes *probes)
{
	free(probes->probes);
	*probes = (struct usdt_probes){ 0 };
}
