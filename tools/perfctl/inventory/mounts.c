// SPDX-License-Identifier: GPL-2.0
/* What the recorder sees mounted: /proc/self/mountinfo. */
#include "readers.h"
#include "rows.h"

#include <inttypes.h>
#include <stdlib.h>

enum word {
	WORD_ID,
	WORD_PARENT,
	WORD_DEVICE,
	WORD_ROOT,
	WORD_PATH,
	WORDS,
};

static bool is_octal(const char *s)
{
	return s[0] >= '0' && s[0] <= '3' && s[1] >= '0' && s[1] <= '7' && s[2] >= '0' &&
	       s[2] <= '7';
}

/* Blanks, newlines and backslashes are written as "\040". */
static char *unescape(char *s)
{
	char *to = s;

	for (const char *from = s; *from;) {
		if (*from == '\\' && is_octal(from + 1)) {
			*to++ = (char)((from[1] - '0') << 6 | (from[2] - '0') << 3 |
				       (from[3] - '0'));
			from += 4;
		} else {
			*to++ = *from++;
		}
	}
	*to = '\0';
	return s;
}

/* "22 27 0:21 / /proc rw,relatime shared:1 - proc proc rw": any number of words before the dash */
static int add_mount(struct gather *g, char *line)
{
	struct inventory_row row = { .kind = INVENTORY_MOUNT };
	char *rest = strstr(line, " - "), *words[WORDS], *save, *type, *source;
	unsigned int major, minor;

	if (!rest)
		return 0;
	*rest = '\0';
	for (size_t i = 0; i < WORDS; i++) {
		words[i] = strtok_r(i ? NULL : line, " ", &save);
		if (!words[i])
			return 0;
	}
	type = strtok_r(rest + 3, " ", &save);
	source = strtok_r(NULL, " ", &save);
	if (!type || parse_u64(words[WORD_ID], &row.n[0]) ||
	    parse_u64(words[WORD_PARENT], &row.n[1]) ||
	    sscanf(words[WORD_DEVICE], "%u:%u", &major, &minor) != 2)
		return 0;
	row.n[2] = major;
	row.n[3] = minor;
	row.s[0] = unescape(words[WORD_PATH]);
	row.s[1] = unescape(type);
	row.s[2] = source ? unescape(source) : "";
	row.s[3] = unescape(words[WORD_ROOT]);
	return rows_add(g, &row);
}

static int read_mounts(struct gather *g)
{
	char *text = rows_file(g, INVENTORY_MOUNT, g->proc, "self/mountinfo");
	int err = rows_lines(g, text, add_mount);

	free(text);
	return err;
}

const struct inventory_reader inventory_mounts = { read_mounts };
