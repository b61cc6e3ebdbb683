// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Parses codes of the processor's events, as numbers and by their parts. pfm.c knows
 * the names.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <pev/pev.h>
#include "core/error.h"
#include "sys/pfm.h"

/**
 * struct code_part - a part of the code that has a name
 * @name:  as perf's sysfs files call it
 * @bits:  it has so many
 * @shift: the first eight ...
 * @high:  ... and the others go to these bits; 0: it has no others
 */
struct code_part {
	const char	*name;
	unsigned int	bits;
	unsigned int	shift;
	unsigned int	high;
};

static const struct code_part parts[] = {
#if defined(__x86_64__)
	/* the four high bits of event are AMD's */
	{ "event", 12, 0, 32 }, { "umask", 8, 8, 0 }, { "edge", 1, 18, 0 },
	{ "any", 1, 21, 0 }, { "inv", 1, 23, 0 }, { "cmask", 8, 24, 0 },
#elif defined(__aarch64__)
	{ "event", 16, 0, 8 },
#else
	{ "event", 60, 0, 8 },
#endif
	{ "config", 64, 0, 8 },
};

static const char part_names[] =
#if defined(__x86_64__)
	"event, umask, edge, any, inv, cmask and config";
#else
	"event and config";
#endif

/* Parses digits with nothing behind; nothing at all is 1, as in "edge". */
static bool number(const char *text, size_t len, uint64_t *value)
{
	char copy[32], *end;

	if (!len) {
		*value = 1;
		return true;
	}
	if (len >= sizeof(copy) || !isdigit((unsigned char)text[0]))
		return false;
	memcpy(copy, text, len);
	copy[len] = '\0';
	errno = 0;
	*value = strtoull(copy, &end, 0);
	return !errno && !*end;
}

static int add_part(const char *term, size_t len, uint64_t *code, struct pev_error *err)
{
	const char *eq = memchr(term, '=', len);
	size_t key = eq ? (size_t)(eq - term) : len;
	uint64_t v;

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		const struct code_part *p = &parts[i];

		if (strlen(p->name) != key || strncmp(p->name, term, key))
			continue;
		if ((eq && key + 1 == len) || !number(term + key + !!eq, len - key - !!eq, &v) ||
		    (p->bits < 64 && v >> p->bits))
			return pev_fail(err, EINVAL, 0, "\"%.*s\" is no number of %u bits",
					(int)len, term, p->bits);
		*code |= (p->high ? (v & 0xff) << p->shift | v >> 8 << p->high : v << p->shift);
		return 0;
	}
	return pev_fail(err, EINVAL, 0, "an event's code has no part \"%.*s\": %s are its parts",
			(int)key, term, part_names);
}

/* Parses what is behind "cpu/", up to the slash that ends it. */
static int code_by_parts(const char *text, uint64_t *code, struct pev_error *err)
{
	size_t len = strcspn(text, "/");
	const char *end = text + len;
	uint64_t sum = 0;
	int ret;

	if (!len || strcmp(end, "/"))
		return pev_fail(err, EINVAL, 0,
				"\"cpu/%s\" is not of the form cpu/event=N,umask=N/", text);
	while (text < end) {
		len = strcspn(text, ",/");
		ret = add_part(text, len, &sum, err);
		if (ret)
			return ret;
		text += len + 1;
	}
	*code = sum;
	return 0;
}

/* Parses "r01c4". */
static bool code_in_hex(const char *name, uint64_t *code)
{
	size_t len = strlen(name);
	char *end;

	if (name[0] != 'r' || len < 2 || len > 17 || !isxdigit((unsigned char)name[1]))
		return false;
	*code = strtoull(name + 1, &end, 16);
	return !*end;
}

PEV_EXPORT int pev_pmu_code(const char *name, uint64_t *code, struct pev_error *err)
{
	uint64_t found;
	int ret = 0;

	if (!strncmp(name, "cpu/", 4))
		ret = code_by_parts(name + 4, &found, err);
	else if (!code_in_hex(name, &found))
		ret = pev_pfm_code(name, &found, err);
	if (!ret)
		*code = found;
	return ret;
}
