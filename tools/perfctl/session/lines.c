// SPDX-License-Identifier: GPL-2.0
/* Source lines by libpev-sym. See lines.h. */
#include "lines.h"

/* nothing sane is inlined deeper */
#define DEPTH_MAX 64

bool lines_find(struct objects *os, uint32_t object, uint64_t at, struct line_at *out)
{
	struct pev_sym_line lines[DEPTH_MAX];
	const char *slash;
	int n = pev_sym_lines(os->syms, (int)object, at, lines, DEPTH_MAX);

	if (n < 1 || !lines[0].file)
		return false;
	out->file = lines[0].file;
	out->line = (int)lines[0].line;
	slash = strrchr(out->file, '/');
	out->base = slash ? slash + 1 : out->file;
	return true;
}
