// SPDX-License-Identifier: GPL-2.0
/* From rings to the spool, for as long as the machine is up. See agent.h. */
#include "agent.h"
#include "base/clock.h"
#include "pull_profile.h"
#include "base/say.h"
#include "base/stop.h"
#include "event/engine.h"
#include "event/kernel.h"
#include "event/sampling.h"

#include <errno.h>
#include <inttypes.h>
#include <malloc.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* So late a sample's time may be; rings that fill are read earlier. */
#define TAKE_MS 1000
/* Records of processes, of which there is no end: the part of --cpu-limit that reading may take ... */
#define READ_SHARE 0.5
/* ... of so much time together */
#define READ_NS 20000000000ull
/* Without them, what is known of a process that is sampled is so old at most */
#define DOUBT_NS 10000000000ull
/* Chains, or frames, that are remembered before all are forgotten */
#define CHAINS_MOST 25000
/* Names of threads, and files */
#define NAMES_MOST 16384
/* Rows that are not on the disk yet */
#define ROWS_MOST 100000
#define MAX_STACK 64

/* ---- samples ---- */

/* What a sample of a clock stands for; another event's counts are no time. */
static uint64_t cpu_ns(const struct pev_event *ev, const struct session_class *cls,
		       unsigned int times)
{
	return ev->cls->type == PEV_TYPE_TIMER ? collect_weight(ev, cls, times) : 0;
}

static void take_event(void *arg, const struct pev_event *ev, const struct session_class *cls)
{
	struct agent *a = arg;
	unsigned int times;

	if (cls->kind == SESSION_FORK && cls->ppid && cls->pid)
		services_fork(&a->services, (uint32_t)pev_event_int(ev, cls->ppid),
			      (uint32_t)pev_event_int(ev, cls->pid));
	if (cls->kind == SESSION_EXEC)
		services_exec(&a->services,
			      cls->pid ? (uint32_t)pev_event_int(ev, cls->pid) : ev->pid);
	if (cls->kind != SESSION_EVENT)
		return;
	if (!ev->tid) {
		a->figures.idle++;
		return;
	}
	if (machine_doubted(&a->sampler.session.machine, ev->pid) &&
	    sampler_reread(&a->sampler, ev->pid) > 0)
		a->figures.reread++;
	times = shed_times(&a->shed, ev->time);
	figures_count(
		&a->figures,
		services_find(
			&a->services,
			machine_seen(&a->sampler.session.machine, ev->pid, ev->tid)->thread.pid)
			.name,
		cpu_ns(ev, cls, times));
	/* the clock of the recording does not follow when that of the machine is set */
	collect_event(&a->collect, ev, cls, (int64_t)clock_ns(CLOCK_REALTIME), times);
}

/* Several machines, and what happens at round times on each, are not to be in step. */
static uint64_t random_period(uint64_t hz)
{
	uint64_t period = 1000000000 / hz;

	return period - period / 8 + store_new_id() % (period / 4 + 1);
}

static int plan_events(struct agent *a, struct msg *m)
{
	struct sampling sampling = { .chains = true,
				     .max_stack = MAX_STACK,
				     .count = random_period(a->opts->hz) };
	const struct target_opts all = { .all = true };
	struct event_list events = a->opts->events;
	struct pev_info info;
	int err = kernel_info(&info, m);

	if (!err && !events.n)
		err = event_list_parse(&events, "cpu-clock", m);
	if (!err)
		err = target_make(&a->target, &all, NULL, m);
	if (!err)
		err = event_plan_make(&a->plan, &events, PLAN_SAMPLE, m);
	if (!err)
		event_plan_sampling(&a->plan, &sampling);
	if (events.n && !a->opts->events.n)
		event_list_free(&events);
	return err;
}

/* ---- batches ---- */

static void flush(struct agent *a)
{
	struct store_batch b;
	struct msg m;

	while (collect_take(&a->collect, &b)) {
		/* what the disk has no room for is counted, and sampling goes on */
		if (outbox_add(&a->outbox, &b, &m))
			note("%s", m.text);
		store_batch_free(&b);
	}
}

/* Without rows, the numbers of what ended can be forgotten. */
static void forget(struct agent *a)
{
	struct session *s = &a->sampler.session;

	services_forget(&a->services);
	machine_forget(&s->machine);
	if (s->stacks.n_chains < CHAINS_MOST && s->stacks.n_frames < CHAINS_MOST &&
	    s->machine.comms.n + s->objects.n - s->objects.n_forgotten < NAMES_MOST)
		return;
	collect_forget(&a->collect);
	session_forget(s);
	malloc_trim(0);
}

/* Records were lost: processes are read again when they are sampled. */
static void notice_losses(struct agent *a)
{
	uint64_t lost = pev_channel_lost(a->sampler.recorder.channel);

	if (lost == a->figures.lost)
		return;
	a->figures.lost = lost;
	a->missing = true;
	a->doubted = clock_ns(CLOCK_MONOTONIC);
	machine_doubt(&a->sampler.session.machine);
}

/* @flush: what is in packets that are not full, too */
static void take(struct agent *a, bool flush_packets, bool all)
{
	uint64_t begin = clock_ns(CLOCK_THREAD_CPUTIME_ID), took;

	if (flush_packets)
		pev_engine_flush(engine(), a->sampler.recorder.fd);
	pthread_mutex_lock(&a->lock);
	sampler_take(&a->sampler, all);
	notice_losses(a);
	pthread_mutex_unlock(&a->lock);
	took = clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
	a->purse -= min_u64(a->purse, took);
	if (a->collect.n_rows > ROWS_MOST)
		flush(a);
}

/* ---- what tells of processes ---- */

static uint64_t purse_size(const struct agent *a)
{
	return (uint64_t)(READ_NS * READ_SHARE * a->opts->cpu_limit / 100);
}

static void say_blind(struct agent *a)
{
	if (!a->said_blind)
		note("processes begin and map code faster than the agent may follow within --cpu-limit, "
		     "%.2f %%: for a while it reads from /proc what those are that it samples",
		     a->opts->cpu_limit);
	a->said_blind = true;
}

static void watch_processes(struct agent *a, bool on, uint64_t now)
{
	struct msg m;

	if (event_set_enable(&a->sampler.recorder.side, on, &m)) {
		note("%s", m.text);
		return;
	}
	a->blind = on ? 0 : now;
	a->missing = true;
	a->doubted = now;
	machine_doubt(&a->sampler.session.machine);
	if (!on)
		say_blind(a);
}

/*
 * Programs decide how often the kernel tells of processes, and the agent what it pays for that.
 * Samples go on.
 */
static void keep_purse(struct agent *a)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC), size = purse_size(a), since = now - a->filled;
	bool empty = !a->purse;

	a->purse = min_u64(size, a->purse + (uint64_t)((double)size * (double)since / READ_NS));
	a->filled = now;
	if (a->blind) {
		pthread_mutex_lock(&a->lock);
		a->figures.blind_ns += since;
		pthread_mutex_unlock(&a->lock);
	}
	if (!a->blind && empty)
		watch_processes(a, false, now);
	else if (a->blind && a->purse >= size / 2)
		watch_processes(a, true, now);
	else if (a->blind && now - a->doubted >= DOUBT_NS) {
		a->doubted = now;
		machine_doubt(&a->sampler.session.machine);
	}
}

static bool runs(uint32_t pid, uint32_t tid)
{
	return !syscall(SYS_tgkill, pid, tid, 0) || errno != ESRCH;
}

static uint64_t lost_samples(struct agent *a)
{
	struct pev_value *values = xcalloc(a->plan.n, sizeof(*values));
	uint64_t sum = 0;
	struct msg m;

	if (!recorder_values(&a->sampler.recorder, values, &m))
		for (size_t i = 0; i < a->plan.n; i++)
			sum += values[i].lost;
	free(values);
	return sum;
}

/* The end of a process may be among what was lost. */
static void look_after(struct agent *a)
{
	uint64_t lost = lost_samples(a);

	pthread_mutex_lock(&a->lock);
	a->figures.lost_samples = lost;
	pthread_mutex_unlock(&a->lock);
	if (a->missing)
		machine_sweep(&a->sampler.session.machine, runs);
	a->said_blind &= a->missing;
	a->missing = a->blind;
}

/* ---- load ---- */

static uint64_t ticks_now(const struct agent *a)
{
	const struct recorder *r = &a->sampler.recorder;

	return switch_clock_now(&r->clock, pev_trace_meta(a->sampler.session.trace, 0));
}

static void say_rate(struct agent *a, unsigned int times, bool less, double share)
{
	char rate[64];

	if (times > 1)
		snprintf(rate, sizeof(rate), "%u times less often than asked for", times);
	else
		snprintf(rate, sizeof(rate), "as often as asked for again");
	note("the agent took %.2f %% of a CPU, %s --cpu-limit, %.2f %%: it samples %s", share,
	     less ? "more than" : "well below", a->opts->cpu_limit, rate);
	/* samples of before are in the next batch, too, so that it has the remark after the last one */
	if (times > 1)
		a->collect.remark =
			"was sampled less often than asked for, at times: its agent took "
			"more than it may (--cpu-limit)";
}

/* Takes what the agent costs for a measure of how often to sample. */
static void shed(struct agent *a)
{
	double share;
	unsigned int level = shed_decide(&a->shed, clock_ns(CLOCK_PROCESS_CPUTIME_ID),
					 clock_ns(CLOCK_MONOTONIC), a->opts->cpu_limit, &share);
	bool less = level > a->shed.level;
	struct msg m;

	if (!a->shed.level)
		a->collect.remark = NULL;
	if (level == a->shed.level)
		return;
	if (event_set_thin(&a->sampler.recorder.set, level, &m)) {
		note("%s", m.text);
		return;
	}
	shed_set(&a->shed, level, ticks_now(a));
	pthread_mutex_lock(&a->lock);
	a->figures.times = 1u << level;
	pthread_mutex_unlock(&a->lock);
	say_rate(a, 1u << level, less, share);
}

/* Waits until a ring is a quarter full, or for its time; returns whether that has come. */
static bool wait_for_rings(struct agent *a, uint64_t *due)
{
	struct pollfd ring = { recorder_fd(&a->sampler.recorder), POLLIN, 0 };
	uint64_t step = min_u64(TAKE_MS * 1000000ull, a->opts->interval);
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (now < *due)
		poll(&ring, 1, (int)((*due - now) / 1000000 + 1));
	now = clock_ns(CLOCK_MONOTONIC);
	if (now < *due)
		return false;
	*due = now + step;
	return true;
}

static void loop(struct agent *a)
{
	uint64_t begin = clock_ns(CLOCK_MONOTONIC), last = begin, now = begin, due = begin;

	a->filled = begin;
	a->purse = purse_size(a);
	while (!a->stop && (!a->opts->timeout || now - begin < a->opts->timeout)) {
		take(a, wait_for_rings(a, &due), false);
		keep_purse(a);
		now = clock_ns(CLOCK_MONOTONIC);
		if (now - last < a->opts->interval)
			continue;
		flush(a);
		look_after(a);
		forget(a);
		shed(a);
		last = now;
	}
	take(a, true, true);
	flush(a);
}

/* ---- figures ---- */

/* With a->lock held */
static void update(struct agent *a)
{
	struct figures *f = &a->figures;

	pthread_mutex_lock(&a->outbox.lock);
	f->dropped = a->outbox.dropped_samples;
	f->spooled_batches = a->outbox.n;
	f->spooled_bytes = a->outbox.bytes;
	pthread_mutex_unlock(&a->outbox.lock);
	pthread_mutex_lock(&a->sender.lock);
	f->sent_batches = a->sender.batches;
	f->sent_samples = a->sender.samples;
	f->failures = a->sender.failures;
	f->up = a->sender.up;
	pthread_mutex_unlock(&a->sender.lock);
}

static unsigned int on_request(void *arg, const char *path, unsigned int seconds, const char **type,
			       struct strbuf *b)
{
	struct agent *a = arg;

	if (!strcmp(path, "/debug/pprof/profile"))
		return pull_profile(seconds ? seconds : PULL_SECONDS, &a->stop, type, b);
	if (strcmp(path, "/metrics"))
		return 404;
	*type = "text/plain; version=0.0.4; charset=utf-8";
	pthread_mutex_lock(&a->lock);
	update(a);
	figures_text(&a->figures, b);
	counters_text(&a->counters, b);
	pthread_mutex_unlock(&a->lock);
	return 200;
}

static void say(struct agent *a)
{
	const struct figures *f = &a->figures;

	update(a);
	if (!a->opts->quiet)
		fprintf(stderr,
			"[ %" PRIu64 " samples, %" PRIu64 " records lost; the store has %" PRIu64
			", %" PRIu64 " were dropped, %" PRIu64 " batches wait ]\n",
			f->samples, f->lost, f->sent_samples, f->dropped, f->spooled_batches);
}

/* ---- a run ---- */

static int prepare(struct agent *a, const struct store_url *url, struct msg *m)
{
	const struct agent_opts *o = a->opts;
	int err;

	if (o->host)
		snprintf(a->host, sizeof(a->host), "%s", o->host);
	else if (gethostname(a->host, sizeof(a->host) - 1))
		return msg_set(m, -errno, "the name of this machine: %s", strerror(errno));
	err = outbox_open(&a->outbox, o->spool, o->most, m);
	if (!err)
		err = plan_events(a, m);
	if (!err)
		err = sampler_open(&a->sampler, "agent", &a->plan, &a->target, m);
	if (err)
		return err;
	a->services.session = &a->sampler.session;
	collect_init(&a->collect, &a->sampler.session, a->host, services_find, &a->services);
	err = counters_open(&a->counters, &o->counted, m);
	if (!err)
		err = sender_start(&a->sender, &a->outbox, url, m);
	if (!err && o->metrics)
		err = listen_open(&a->listener, o->metrics, on_request, a, m);
	return err;
}

int agent_run(const struct agent_opts *opts, const struct store_url *url, struct msg *m)
{
	struct agent a = { .opts = opts,
			   .outbox = { .fd = -1 },
			   .sampler = { .recorder = { .fd = -1 }, .event = take_event } };
	int err;

	a.sampler.arg = &a;
	pthread_mutex_init(&a.lock, NULL);
	figures_init(&a.figures);
	stop_catch(&a.stop);
	err = prepare(&a, url, m);
	if (!err)
		err = recorder_start(&a.sampler.recorder, m);
	if (!err)
		loop(&a);
	listen_close(a.listener);
	sender_stop(&a.sender);
	if (!err)
		say(&a);
	sender_end(&a.sender);
	figures_free(&a.figures);
	collect_free(&a.collect);
	sampler_close(&a.sampler);
	counters_close(&a.counters);
	services_free(&a.services);
	outbox_close(&a.outbox);
	event_plan_free(&a.plan);
	target_free(&a.target);
	return err;
}
