// SPDX-License-Identifier: GPL-2.0
/* Waiting for what ends a measurement. See wait_loop.h. */
#include "wait_loop.h"
#include "base/stop.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#ifndef PIDFD_THREAD
#define PIDFD_THREAD O_EXCL
#endif
/* how often threads are looked for whose end nothing tells */
#define TID_MS 200
/* polled beside the target's processes: signals, the caller's fds, timers */
#define FIRST_TIMER 4
#define OTHERS (FIRST_TIMER + ARRAY_SIZE(((struct wait_loop *)NULL)->timers))

int wait_loop_init(struct wait_loop *w, struct msg *m)
{
	sigset_t set;

	*w = (struct wait_loop){ 0 };
	/* an ignored one reaps children before their status is read */
	signal(SIGCHLD, SIG_DFL);
	stop_signals(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, &w->old);
	w->sig = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (w->sig < 0)
		return msg_set(m, -errno, "signalfd: %s", strerror(errno));
	return 0;
}

/* Before 6.9, only processes have descriptors that tell their end. */
static int open_task(int id, bool thread)
{
	int fd = (int)syscall(SYS_pidfd_open, id, thread ? PIDFD_THREAD : 0);

	return fd < 0 ? -errno : fd;
}

void wait_loop_watch(struct wait_loop *w, const struct target *t)
{
	bool threads = t->type == PEV_TARGET_TASK;
	size_t cap_tids = 0;

	if (t->workload || t->type == PEV_TARGET_CPUS || t->type == PEV_TARGET_CGROUP)
		return;
	for (size_t i = 0; i < t->n_ids; i++) {
		int fd = open_task(t->ids[i], threads);

		if (fd >= 0)
			*ARRAY_PUSH(w->pids, w->n, w->cap) = fd;
		else if (fd == -EINVAL)
			*ARRAY_PUSH(w->tids, w->n_tids, cap_tids) = t->ids[i];
		else
			w->ended = true;
	}
}

void wait_loop_add(struct wait_loop *w, int pid)
{
	int fd = open_task(pid, false);

	if (fd >= 0)
		*ARRAY_PUSH(w->pids, w->n, w->cap) = fd;
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

/* Forgets processes and threads that have ended. */
static void drop_ended(struct wait_loop *w, const struct pollfd *p)
{
	size_t kept = 0;

	for (size_t i = 0; i < w->n; i++) {
		if (p[i].revents)
			close(w->pids[i]);
		else
			w->pids[kept++] = w->pids[i];
	}
	w->ended |= kept < w->n;
	w->n = kept;
	kept = 0;
	for (size_t i = 0; i < w->n_tids; i++)
		if (!kill(w->tids[i], 0) || errno != ESRCH)
			w->tids[kept++] = w->tids[i];
	w->ended |= kept < w->n_tids;
	w->n_tids = kept;
}

/* What the timers are for */
static const unsigned int timer_bits[] = { WAIT_BEGIN, WAIT_TIME, WAIT_PART };

int wait_loop_alarm(struct wait_loop *w, unsigned int bit, uint64_t ns, struct msg *m)
{
	struct itimerspec when = {
		.it_value = { .tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000) },
	};
	int *timer = w->timers;

	if (!ns)
		return 0;
	for (unsigned int i = 0; timer_bits[i] != bit; i++)
		timer++;
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
	return timer_bits[i];
}

static unsigned int wait_once(struct wait_loop *w, int fd, int timeout_ms)
{
	struct pollfd *p = xcalloc(w->n + OTHERS, sizeof(*p));
	unsigned int got = 0;

	p[0] = (struct pollfd){ .fd = w->sig, .events = POLLIN };
	p[1] = (struct pollfd){ .fd = fd, .events = POLLIN };
	p[2] = (struct pollfd){ .fd = w->control ? w->control : -1, .events = POLLIN };
	p[3] = (struct pollfd){ .fd = w->channel ? w->channel : -1, .events = POLLPRI };
	for (size_t i = 0; i < ARRAY_SIZE(w->timers); i++)
		p[i + FIRST_TIMER] = (struct pollfd){
			.fd = w->timers[i] ? w->timers[i] : -1,
			.events = POLLIN,
		};
	for (size_t i = 0; i < w->n; i++)
		p[i + OTHERS] = (struct pollfd){ .fd = w->pids[i], .events = POLLIN };
	poll(p, w->n + OTHERS, timeout_ms);
	if (p[0].revents)
		got |= take_signals(w->sig);
	if (p[1].revents & POLLIN)
		got |= WAIT_DATA;
	if (p[2].revents)
		got |= WAIT_CONTROL;
	if (p[3].revents & POLLPRI)
		got |= WAIT_TRIGGER;
	for (unsigned int i = 0; i < ARRAY_SIZE(w->timers); i++)
		if (p[i + FIRST_TIMER].revents)
			got |= take_timer(w, i);
	drop_ended(w, p + OTHERS);
	if (w->ended && !w->n && !w->n_tids)
		got |= WAIT_GONE;
	free(p);
	return got;
}

unsigned int wait_loop_wait(struct wait_loop *w, int fd, int timeout_ms)
{
	int left = timeout_ms, step;
	unsigned int got;

	do {
		step = left;
		if (w->n_tids && (left < 0 || left > TID_MS))
			step = TID_MS;
		got = wait_once(w, fd, step);
		if (left > 0)
			left -= step;
	} while (!got && left);
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
	free(w->tids);
	sigprocmask(SIG_SETMASK, &w->old, NULL);
	*w = (struct wait_loop){ 0 };
}
