// SPDX-License-Identifier: GPL-2.0
/* Runs the tests of libpev-sym on generated objects: main DIR; prints TAP. */
#include "tap.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int n, failed;
const char *objects;

bool ok(bool cond, const char *fmt, ...)
{
	va_list ap;

	printf("%sok %d - ", cond ? "" : "not ", ++n);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	fflush(stdout);
	failed += !cond;
	return cond;
}

bool is_str(const char *got, const char *want, const char *name)
{
	bool same = got && want ? !strcmp(got, want) : got == want;

	ok(same, "%s", name);
	if (!same)
		printf("#      got: %s\n# expected: %s\n", got ? got : "(null)",
		       want ? want : "(null)");
	return same;
}

bool is_num(long long got, long long want, const char *name)
{
	ok(got == want, "%s", name);
	if (got != want)
		printf("#      got: %lld\n# expected: %lld\n", got, want);
	return got == want;
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	objects = argv[1];
	test_tables();
	test_names();
	test_files();
	test_lines();
	test_kernel();
	test_jit();
	test_chains();
	test_hostile();
	printf("1..%d\n", n);
	return failed != 0;
}
