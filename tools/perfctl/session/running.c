// SPDX-License-Identifier: GPL-2.0
/* The running kernel, if it is the one that was recorded. See running.h. */
#include "running.h"

#include <stdlib.h>

static bool is_same_build(const struct session *f)
{
	struct build_id id;
	size_t len;
	char *notes;
	bool same;

	if (!build_id_parse(pev_trace_info(f->trace, "build_id"), &id))
		return false;
	notes = file_read("/sys/kernel/notes", &len);
	same = notes && memmem(notes, len, id.bytes, id.len);
	free(notes);
	return same;
}

/* Returns the line of a symbol, NULL if there is none. */
static const char *line_of(const char *text, const char *symbol)
{
	const char *at = strstr(text, symbol);

	while (at && at > text && at[-1] != '\n')
		at--;
	return at;
}

/* Where a kernel is loaded is chosen when it boots. */
static bool is_same_place(const char *recorded, const char *running)
{
	const char *a = line_of(recorded, " T _stext\n"), *b = line_of(running, " T _stext\n");

	return a && b && !strncmp(a, b, strcspn(a, "\n"));
}

/* Adds lines of modules, or those of the kernel itself. */
static void add_lines(struct strbuf *b, const char *text, bool of_modules)
{
	while (*text) {
		size_t len = strcspn(text, "\n");

		if (!memchr(text, '\t', len) == !of_modules) {
			strbuf_add(b, text, len);
			strbuf_putc(b, '\n');
		}
		text += len + (text[len] == '\n');
	}
}

void session_add_running(struct session *f)
{
	struct strbuf b = { 0 };
	char *recorded, *running;
	size_t len;

	if (!is_same_build(f) || pev_trace_info_file(f->trace, "kallsyms", &recorded, &len))
		return;
	running = file_read("/proc/kallsyms", NULL);
	if (running && is_same_place(recorded, running)) {
		/* modules may have been loaded again, elsewhere */
		add_lines(&b, running, false);
		add_lines(&b, recorded, true);
		pev_syms_set_kernel(f->objects.syms, b.s, b.len);
	}
	strbuf_free(&b);
	free(running);
	free(recorded);
}
