// SPDX-License-Identifier: GPL-2.0
/* Source lines by elfutils. See lines.h. */
#include "lines.h"

#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

struct line_file {
	bool tried;
	Dwfl *dwfl;
	Dwfl_Module *mod;
	GElf_Addr bias;
};

struct lines {
	struct line_file *files; /* by number of the object */
	size_t n;
};

struct lines *lines_new(void)
{
	return xcalloc(1, sizeof(struct lines));
}

void lines_free(struct lines *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->n; i++)
		if (l->files[i].dwfl)
			dwfl_end(l->files[i].dwfl);
	free(l->files);
	free(l);
}

static void open_file(struct line_file *f, const struct object *o)
{
	static char *debug_path; /* NULL: the standard places */
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.section_address = dwfl_offline_section_address,
		.debuginfo_path = &debug_path,
	};
	int fd;

	f->tried = true;
	/* a file with a problem is not the one that was recorded */
	if (o->kind != OBJECT_FILE || !o->n_segments)
		return;
	fd = open(o->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return;
	f->dwfl = dwfl_begin(&callbacks);
	f->mod = f->dwfl ? dwfl_report_elf(f->dwfl, o->path, o->path, fd, 0, true) : NULL;
	if (!f->mod) {
		close(fd);
		return;
	}
	dwfl_report_end(f->dwfl, NULL, NULL);
	if (!dwfl_module_getdwarf(f->mod, &f->bias))
		f->mod = NULL;
}

bool lines_find(struct lines *l, struct objects *os, uint32_t object, uint64_t at,
		struct line_at *out)
{
	uint64_t vaddr = object_vaddr(&os->o[object], at);
	struct line_file *f;
	const char *slash;
	Dwfl_Line *line;
	Dwarf_Addr addr;

	if (l->n < os->n) {
		l->files = xrealloc(l->files, os->n * sizeof(*l->files));
		memset(l->files + l->n, 0, (os->n - l->n) * sizeof(*l->files));
		l->n = os->n;
	}
	f = &l->files[object];
	if (!f->tried)
		open_file(f, &os->o[object]);
	if (!f->mod || vaddr == UINT64_MAX)
		return false;
	line = dwfl_module_getsrc(f->mod, vaddr);
	out->file = line ? dwfl_lineinfo(line, &addr, &out->line, NULL, NULL, NULL) : NULL;
	if (!out->file)
		return false;
	out->dir = dwfl_line_comp_dir(line);
	slash = strrchr(out->file, '/');
	out->base = slash ? slash + 1 : out->file;
	return true;
}
