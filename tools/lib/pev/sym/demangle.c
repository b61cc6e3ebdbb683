// SPDX-License-Identifier: LGPL-2.1-only
/* C++ names by the C++ runtime's own demangler; Rust's go to rust.c. */
#include "internal.h"

#include <stdlib.h>

/* of libstdc++ (cxxabi.h is a C++ header) */
char *__cxa_demangle(const char *name, char *buf, size_t *len, int *status);

/* deeper names than any compiler makes are not worth a deep recursion */
#define MANGLED_MAX 16384

static char *cxx_demangle(const char *name, size_t len)
{
	char *bare = strndup(name, len), *out;
	int status = -1;

	out = bare ? __cxa_demangle(bare, NULL, NULL, &status) : NULL;
	free(bare);
	if (!status)
		return out;
	free(out);
	return NULL;
}

PEV_EXPORT char *pev_sym_demangle(const char *name)
{
	size_t len = strcspn(name, "@"); /* versions ("@@GLIBCXX_3.4") are not C++'s */
	char *out;

	if (name[0] != '_' || len > MANGLED_MAX)
		return NULL;
	/* Rust's older names are C++ names with a hash behind: they come first */
	out = rust_demangle(name, len);
	if (!out && name[1] == 'Z')
		out = cxx_demangle(name, len);
	return out;
}
