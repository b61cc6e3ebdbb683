// SPDX-License-Identifier: GPL-2.0
/* Runs all unit tests of perfctl's modules and prints TAP. */
#include "perfctl.h"
#include "tap.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static struct {
	int n;
	int failed;
} tap;

bool tap_ok(bool cond, const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	printf("%sok %d - ", cond ? "" : "not ", ++tap.n);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	if (!cond) {
		tap.failed++;
		printf("# failed at %s:%d\n", file, line);
	}
	return cond;
}

bool tap_str(const char *got, const char *want, const char *file, int line, const char *name)
{
	bool same = got && !strcmp(got, want);

	tap_ok(same, file, line, "%s", name);
	if (!same)
		printf("#      got: %s\n# expected: %s\n", got ? got : "(null)", want);
	return same;
}

bool tap_num(long long got, long long want, const char *file, int line, const char *name)
{
	tap_ok(got == want, file, line, "%s", name);
	if (got != want)
		printf("#      got: %lld\n# expected: %lld\n", got, want);
	return got == want;
}

/* The modules' words to the user are of no interest here. */
void note(const char *fmt, ...)
{
	(void)fmt;
}

int main(void)
{
	test_util();
	test_text();
	test_opt();
	test_event_spec();
	test_cpulist();
	test_object();
	test_machine();
	test_profile();
	test_rows();
	test_diff();
	test_stat();
	test_pmu_text();
	test_processor();
	printf("1..%d\n", tap.n);
	return tap.failed != 0;
}
