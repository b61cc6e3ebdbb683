// SPDX-License-Identifier: GPL-2.0
/* Waiting for what ends a measurement. See wait_loop.h. */
#include "wait_loop.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

/* polled beside the target's processes: signals, the caller's fd, timers */
#define OTHERS (2 + ARRAY_SIZE(((struct wait_loop *)NULL)->timers))

int wait_loop_init(struct wait_loop *w, struct msg *m)
{
	sigset_t set;

	*w = (struct wait_loop){ 0 };
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, &w->old);
	w->sig = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (w->sig < 0)
		return msg_set(m, -errno, "signalfd: %s", strerror(errno));
	return 0;
}

void wait_loop_watch(struct wait_loop *w, const struct target *t)
{
	size_t cap = 0;

	if (t->workload || t->type == PEV_TARGET_CPUS || t->type == PEV_TARGET_CGROUP)
		return;
	for (size_t i = 0; i < t->n_ids; i++) {
		int fd = (int)syscall(SYS_pidfd_open, t->ids[i], 0);

		/* a thread that is not its process's first has none: Ctrl-C ends the measurement */
		if (fd >= 0)
			*ARRAY_PUSH(w->pids, w->n, cap) = fd;
	}
}

static unsigned int take_signals(int fd)
{
	struct signalfd_siginfo si;
	unsigned int got = 0;

	while (read(fd, &si, sizeof(si)) == sizeof(si)) {
		if (si.ssi_signo == SIGCHLD)
			got |= WAIT_CHILD;
		else if (si.ssi_signo == SIGUSR2)
			got |= WAIT_SNAPSHOT;
		else
			got |= WAIT_STOP;
	}
	return got;
}

/* Forgets processes that have ended. */
static unsigned int drop_ended(struct wait_loop *w, const struct pollfd *p)
{
	size_t kept = 0;

	for (size_t i = 0; i < w->n; i++) {
		if (p[i].revents)
			close(w->pids[i]);
		else
			w->pids[kept++] = w->pids[i];
	}
	if (kept == w->n)
		return 0;
	w->n = kept;
	return kept ? 0 : WAIT_GONE;
}

int wait_loop_alarm(struct wait_loop *w, unsigned int bit, uint64_t ns, struct msg *m)
{
	struct itimerspec when = {
		.it_value = { .tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000) },
	};
	int *timer = &w->timers[bit == WAIT_TIME];

	if (!ns)
		return 0;
	if (*timer)
		close(*timer);
	*timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	if (*timer < 0 || timerfd_settime(*timer, 0, &when, NULL))
		return msg_set(m, -errno, "timerfd: %s", strerror(errno));
	return 0;
}

static unsigned int take_timer(struct wait_loop *w, unsigned int i)
{
	close(w->timers[i]);
	w->timers[i] = 0;
	return i ? WAIT_TIME : WAIT_BEGIN;
}

unsigned int wait_loop_wait(struct wait_loop *w, int fd, int timeout_ms)
{
	struct pollfd *p = xcalloc(w->n + OTHERS, sizeof(*p));
	unsigned int got = 0;

	p[0] = (struct pollfd){ .fd = w->sig, .events = POLLIN };
	p[1] = (struct pollfd){ .fd = fd, .events = POLLIN };
	for (size_t i = 0; i < ARRAY_SIZE(w->timers); i++)
		p[i + 2] = (struct pollfd){ .fd = w->timers[i] ? w->timers[i] : -1,
					    .events = POLLIN };
	for (size_t i = 0; i < w->n; i++)
		p[i + OTHERS] = (struct pollfd){ .fd = w->pids[i], .events = POLLIN };
	if (poll(p, w->n + OTHERS, timeout_ms) > 0) {
		if (p[0].revents)
			got |= take_signals(w->sig);
		if (p[1].revents & POLLIN)
			got |= WAIT_DATA;
		if (p[1].revents & (POLLHUP | POLLERR))
			got |= WAIT_HUP;
		for (unsigned int i = 0; i < ARRAY_SIZE(w->timers); i++)
			if (p[i + 2].revents)
				got |= take_timer(w, i);
		got |= drop_ended(w, p + OTHERS);
	}
	free(p);
	return got;
}

void wait_loop_free(struct wait_loop *w)
{
	if (w->sig > 0)
		close(w->sig);
	for (size_t i = 0; i < w->n; i++)
		close(w->pids[i]);
	for (size_t i = 0; i < ARRAY_SIZE(w->timers); i++)
		if (w->timers[i] > 0)
			close(w->timers[i]);
	free(w->pids);
	sigprocmask(SIG_SETMASK, &w->old, NULL);
	*w = (struct wait_loop){ 0 };
}
