// SPDX-License-Identifier: GPL-2.0
/* Colours, progress, pager. See term.h. */
#include "term.h"
#include "base/clock.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROGRESS_AFTER_MS 500
#define PROGRESS_EVERY_MS 100

int term_check_color(const char *when, struct msg *m)
{
	if (!when || !strcmp(when, "auto") || !strcmp(when, "always") || !strcmp(when, "never"))
		return 0;
	return msg_set(m, -EINVAL, "--color takes auto, always or never, not \"%s\"", when);
}

bool term_color(const char *when)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	if (when && !strcmp(when, "always"))
		return true;
	if ((when && !strcmp(when, "never")) || (no && *no))
		return false;
	return isatty(STDOUT_FILENO) && term && *term && strcmp(term, "dumb");
}

static struct {
	int64_t start;
	int64_t last;
	bool shown;
} bar;

void term_progress(void *arg, uint64_t done, uint64_t total)
{
	int64_t now = now_ms();
	struct winsize w;
	int percent, width, full;

	if (!bar.start)
		bar.start = now;
	if (now - bar.start < PROGRESS_AFTER_MS || now - bar.last < PROGRESS_EVERY_MS ||
	    !total || !isatty(STDERR_FILENO))
		return;
	bar.last = now;
	bar.shown = true;
	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &w) || w.ws_col < 20)
		w.ws_col = 80;
	percent = (int)(100 * min_u64(done, total) / total);
	width = w.ws_col - (int)strlen(arg) - 12;
	if (width > 50)
		width = 50;
	if (width < 1)
		width = 1;
	full = width * percent / 100;
	fprintf(stderr, "\r%s [%.*s%*s] %3d %%", (const char *)arg, full,
		"##################################################", width - full, "", percent);
	fflush(stderr);
}

void term_progress_end(void)
{
	if (bar.shown)
		fputs("\r\033[K", stderr);
	bar.shown = false;
	bar.start = bar.last = 0;
}

static pid_t pager;

void term_pager_start(void)
{
	const char *command = getenv("PAGER");
	int fds[2];

	if (!isatty(STDOUT_FILENO) || (command && (!*command || !strcmp(command, "cat"))))
		return;
	if (!command)
		command = "less";
	fflush(stdout);
	if (pipe(fds))
		return;
	pager = fork();
	if (pager < 0) {
		pager = 0;
		close(fds[0]);
		close(fds[1]);
		return;
	}
	if (!pager) {
		/* less exits if the table fits on the screen, and passes on colours */
		setenv("LESS", "FRX", 0);
		dup2(fds[0], STDIN_FILENO);
		close(fds[0]);
		close(fds[1]);
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	/* Ctrl-C is for the pager: it ends a search there, and nothing else */
	signal(SIGINT, SIG_IGN);
	dup2(fds[1], STDOUT_FILENO);
	close(fds[0]);
	close(fds[1]);
}

void term_pager_end(void)
{
	if (!pager)
		return;
	fflush(stdout);
	close(STDOUT_FILENO);
	while (waitpid(pager, NULL, 0) < 0 && errno == EINTR)
		;
	pager = 0;
	/* main() flushes stdout, which must stay open */
	dup2(STDERR_FILENO, STDOUT_FILENO);
}
