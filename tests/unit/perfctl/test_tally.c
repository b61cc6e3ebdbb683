// SPDX-License-Identifier: GPL-2.0
/* perfctl trace's table: percentiles and histograms of times. */
#include "strace/tally.h"
#include "tests.h"

#include <stdlib.h>

static bool near(uint64_t got, uint64_t want)
{
	return (double)got * 16 >= (double)want * 15 && (double)got * 16 <= (double)want * 17;
}

void test_tally(void)
{
	struct tally t = { 0 }, other = { 0 };
	char *text = NULL;
	size_t len;
	FILE *out;

	IS_NUM(tally_percentile(&t, 0.5), 0, "no calls, no median");
	for (uint64_t i = 1; i <= 1000; i++)
		tally_add(&t, i * 1000, true, i % 10 == 0);
	OK(t.calls == 1000 && t.errors == 100 && t.longest == 1000000, "calls, errors, the longest");
	OK(near(tally_percentile(&t, 0.5), 500000), "the median, to a sixteenth");
	OK(near(tally_percentile(&t, 0.99), 990000), "99 %%");
	IS_NUM(tally_percentile(&t, 1), 1000000, "all: none is longer than the longest");
	tally_add(&t, 0, false, false);
	OK(t.calls == 1001 && near(tally_percentile(&t, 0.01), 10000),
	   "a call whose time is not known is none of 0 ns");
	for (uint64_t ns = 0; ns < 9; ns++)
		tally_add(&other, ns, true, false);
	IS_NUM(tally_percentile(&other, 0.5), 4, "a few ns are exact");
	tally_add(&other, UINT64_MAX, true, false);
	OK(near(tally_percentile(&other, 1), UINT64_MAX), "the longest that there can be");
	other = (struct tally){ 0 };
	tally_add(&other, 3000000000, true, false);
	tally_merge(&t, &other);
	OK(t.calls == 1002 && t.longest == 3000000000, "two tables as one");
	out = open_memstream(&text, &len);
	tally_histogram(&other, out);
	fclose(out);
	OK(!strcmp(text, "  from    2.147 s  ######################################## 1\n"),
	   "a histogram of one call");
	free(text);
}
