// SPDX-License-Identifier: GPL-2.0
/* C++ names, by the C++ runtime's own demangler. */
#include "symtab.h"

#include <stdlib.h>

/* of libstdc++ (cxxabi.h is a C++ header) */
char *__cxa_demangle(const char *name, char *buf, size_t *len, int *status);

/* deeper names than any compiler makes are not worth a deep recursion */
#define MANGLED_MAX 16384

char *demangle(const char *name)
{
	char *copy = NULL, *out;
	const char *at;
	int status;

	if (name[0] != '_' || name[1] != 'Z' || strlen(name) > MANGLED_MAX)
		return NULL;
	/* versions ("@@GLIBCXX_3.4") and clone suffixes (".cold") are not C++'s */
	at = strchr(name, '@');
	if (at)
		copy = xstrndup(name, (size_t)(at - name));
	out = __cxa_demangle(copy ? copy : name, NULL, NULL, &status);
	free(copy);
	return status == 0 ? out : NULL;
}
