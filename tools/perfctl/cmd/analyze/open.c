// SPDX-License-Identifier: GPL-2.0
/* perfctl open: the page of a recording, in the browser. */
#include "cmd/commands.h"
#include "base/say.h"
#include "html/html.h"
#include "profile/load.h"
#include "report/notes.h"
#include "report/times.h"
#include "session/fetch.h"
#include "session/use.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define OPENER "xdg-open"

struct open_opts {
	const char *vmlinux;
	const char *input;
	const char *output;
	bool no_browser;
};

static const struct opt open_options[] = {
	{ 'i', OPT_STRING, "input", "DIR",
	  "the trace (default: pev.trace); -: the standard input, from \"record -o -\"",
	  offsetof(struct open_opts, input) },
	{ 'o', OPT_STRING, "output", "FILE",
	  "the page (default: the trace's name and .html, in the "
	  "directory where you are)",
	  offsetof(struct open_opts, output) },
	{ 'n', OPT_FLAG, "print", NULL, "print where the page is, and start no browser",
	  offsetof(struct open_opts, no_browser) },
	VMLINUX_OPT(struct open_opts, vmlinux),
	SYMFS_OPT,
	DEBUGINFOD_OPT,
	{ 0 },
};

/* "pev.trace.html" of "/tmp/pev.trace/" */
static char *page_name(const char *trace)
{
	char *real = realpath(trace, NULL), *name;
	const char *slash = real ? strrchr(real, '/') : NULL;

	name = xasprintf("%s.html", slash && slash[1] ? slash + 1 : "pev.trace");
	free(real);
	return name;
}

/* Without a screen, xdg-open would start a browser for terminals, which shows no page. */
static bool has_screen(void)
{
	static const char *const screens[] = { "DISPLAY", "WAYLAND_DISPLAY" };

	for (size_t i = 0; i < ARRAY_SIZE(screens); i++) {
		const char *value = getenv(screens[i]);

		if (value && *value)
			return true;
	}
	return false;
}

/* "%20" for what a URL cannot have */
static void add_url(struct strbuf *b, const char *path)
{
	strbuf_puts(b, "file://");
	for (; *path; path++)
		if (strchr("%?# \"<>\\^`{|}", *path) || (unsigned char)*path < ' ' ||
		    (unsigned char)*path > '~')
			strbuf_addf(b, "%%%02X", (unsigned char)*path);
		else
			strbuf_putc(b, *path);
}

/* Returns why no browser was started, NULL if one was. */
static const char *start_browser(char *url)
{
	char *argv[] = { (char *)OPENER, url, NULL };
	int status, err;
	pid_t pid;

	if (!has_screen())
		return "there is no screen here (neither DISPLAY nor WAYLAND_DISPLAY is set)";
	err = posix_spawnp(&pid, OPENER, NULL, NULL, argv, environ);
	if (err)
		return err == ENOENT ? OPENER " is not installed (Debian: xdg-utils)" :
				       strerror(err);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return strerror(errno);
	return WIFEXITED(status) && !WEXITSTATUS(status) ? NULL : OPENER " found no browser";
}

static void show(const struct open_opts *o, const char *page)
{
	char *real = realpath(page, NULL);
	struct strbuf url = { 0 };
	const char *why;

	add_url(&url, real ? real : page);
	printf("%s\n", real ? real : page);
	fflush(stdout);
	why = o->no_browser ? NULL : start_browser(url.s);
	if (why)
		note("%s: open %s in a browser, or copy the file to where you have one; it needs "
		     "nothing else", why, url.s);
	strbuf_free(&url);
	free(real);
}

static int make_page(struct session *session, const char *page, struct msg *m)
{
	struct load_config config = { .from = INT64_MIN, .to = INT64_MAX };
	struct load load = { 0 };
	bool waits = times_has(session);
	int err;

	html_load_config(session, &config);
	if (waits)
		config.except = times_events();
	err = load_samples(&load, session, &config, m);
	if (!err)
		err = html_write(&load, waits, page, m);
	if (!err)
		report_notes(&load.profile, false);
	load_free(&load);
	return err;
}

static int open_run(const void *opts, int n, char **args, struct msg *m)
{
	const struct open_opts *o = opts;
	struct session session = { 0 };
	char *page = NULL;
	int err;

	if (session_given_twice(n, args, o->input, m))
		return -EINVAL;
	if (o->output && !strcmp(o->output, "-"))
		return msg_set(m, -EINVAL, "a browser needs a file: \"perfctl report --html -\" writes "
			       "the page to the standard output");
	err = session_open(&session, n ? args[0] : o->input, m);
	if (!err)
		err = session_vmlinux(&session, o->vmlinux, m);
	if (!err) {
		page = o->output ? xstrdup(o->output) : page_name(pev_trace_path(session.trace));
		err = make_page(&session, page, m);
	}
	session_close(&session);
	if (!err)
		show(o, page);
	free(page);
	return err;
}

const struct command command_open = {
	.name = "open",
	.operands = "[DIR]",
	.summary = "show a recording in the browser",
	.about = "Writes the page of \"perfctl report --html\", with flame graph, call tree, table and "
		 "timeline to search and to zoom in, prints where it is, and opens it by " OPENER ".",
	.examples = "  perfctl open                        pev.trace, as pev.trace.html\n"
		    "  perfctl open -n -o /srv/www/slow.html slow.trace\n",
	.opts = open_options,
	.opts_size = sizeof(struct open_opts),
	.run = open_run,
};
