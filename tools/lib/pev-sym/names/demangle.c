// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Readable names of C++ and Rust, by libiberty.
 *
 * Names come from untrusted files. libiberty limits how deep they nest, but both
 * manglings can refer back to earlier parts, so that a name of 100 bytes can stand for
 * megabytes: this file limits the output, and what is counted before there is any.
 */
#include <libiberty/demangle.h>
#include <ctype.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "names/demangle.h"

/* compilers make no longer ones */
#define MANGLED_MAX	16384
#define SHOWN_MAX	(64u << 10)

/**
 * struct shown - a readable name while it is printed
 * @full: taken when there is no more room
 */
struct shown {
	char	*text;
	size_t	len;
	size_t	room;
	jmp_buf	full;
};

typedef int (*demangle_fn)(const char *name, int options, demangle_callbackref put, void *arg);

/* A callback cannot end the printing by what it returns. */
static void put(const char *piece, size_t len, void *arg)
{
	struct shown *s = arg;

	if (!len)
		return;
	if (s->len + len >= s->room) {
		size_t room = 2 * (s->len + len) + 64;
		char *more = s->len + len < SHOWN_MAX ? realloc(s->text, room) : NULL;

		if (!more)
			longjmp(s->full, 1);
		s->text = more;
		s->room = room;
	}
	memcpy(s->text + s->len, piece, len);
	s->len += len;
}

/* Returns false if @name is not one of @fn's, or there was no room. */
static bool print(struct shown *s, demangle_fn fn, const char *name)
{
	s->len = 0;
	return !setjmp(s->full) && fn(name, DMGL_PARAMS | DMGL_ANSI, put, s) && s->len;
}

/*
 * Rust says how many lifetimes a function's type binds ("FG", or "DG" for a trait, a number to base 62
 * and "_"), and libiberty counts them one by one before it prints any: three digits are thousands,
 * and eleven never end. An identifier with such letters is rare, and shown as it is mangled.
 */
static bool binds_many(const char *name)
{
	if (strncmp(name, "_R", 2))
		return false;
	while ((name = strchr(name, 'G'))) {
		const char *digits = name + 1, *end = digits;

		while (isalnum((unsigned char)*end))
			end++;
		if (*end == '_' && end - digits > 2 && (name[-1] == 'F' || name[-1] == 'D'))
			return true;
		name++;
	}
	return false;
}

char *demangle(const char *name)
{
	/* versions ("@@GLIBCXX_3.4") are not part of the mangling */
	size_t len = strcspn(name, "@");
	struct shown s = { 0 };
	bool found = false;
	char *bare;

	if (name[0] != '_' || len > MANGLED_MAX || binds_many(name))
		return NULL;
	bare = strndup(name, len);
	if (bare) {
		/* Rust's older names are C++ names with a hash at their end: they come first */
		found = print(&s, rust_demangle_callback, bare) ||
			(name[1] == 'Z' && print(&s, cplus_demangle_v3_callback, bare));
		free(bare);
	}
	if (!found) {
		free(s.text);
		return NULL;
	}
	s.text[s.len] = '\0';
	return s.text;
}
