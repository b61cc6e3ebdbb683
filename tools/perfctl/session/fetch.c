// SPDX-License-Identifier: GPL-2.0
/* Asking debuginfod servers. See fetch.h. */
#include "fetch.h"
#include "base/clock.h"
#include "base/say.h"
#include "base/stop.h"
#include "base/text.h"

#include <stdlib.h>
#include <unistd.h>

#define TELL_AFTER_MS 1000
#define TELL_EVERY_MS 200

/* Several threads may fetch, one at a time. */
static struct {
	int64_t begin;
	int64_t last;
	bool noted;
	bool shown;
	bool silent;
} fetch;

int fetch_none(void *opts, const char *arg, struct msg *m)
{
	(void)opts;
	(void)arg;
	(void)m;
	/* elfutils looks for it, too */
	unsetenv("DEBUGINFOD_URLS");
	return 0;
}

void fetch_silently(void)
{
	fetch.silent = true;
}

static void show(uint64_t done, uint64_t total)
{
	char a[32], b[32];

	if (!fetch.noted)
		note("debuginfod servers are asked for debug information; --no-debuginfod asks none");
	fetch.noted = true;
	if (!isatty(STDERR_FILENO))
		return;
	fetch.shown = true;
	if (total)
		fprintf(stderr, "\rdebuginfod: %s of %s\033[K", text_bytes(a, done),
			text_bytes(b, total));
	else
		fprintf(stderr, "\rdebuginfod: %s\033[K", text_bytes(a, done));
}

int fetch_told(void *arg, uint64_t done, uint64_t total)
{
	int64_t now = now_ms();

	(void)arg;
	if (!fetch.begin)
		fetch.begin = now;
	if (!fetch.silent && now - fetch.begin >= TELL_AFTER_MS && now - fetch.last >= TELL_EVERY_MS) {
		fetch.last = now;
		show(done, total);
	}
	return stop_wanted();
}

void fetch_clear(void)
{
	if (fetch.shown)
		fputs("\r\033[K", stderr);
	fetch.shown = false;
}
