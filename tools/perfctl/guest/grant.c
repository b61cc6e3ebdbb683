// SPDX-License-Identifier: GPL-2.0
/*
 * Grants of counters to guests, each a descriptor that is held: closing it takes the counters
 * back. What became of them is read before. See grant.h.
 */
#include "grant.h"
#include "base/json.h"
#include "base/output.h"
#include "base/say.h"
#include "base/text.h"
#include "event/engine.h"
#include "event/kernel.h"
#include "kvm/vmm.h"

#include <linux/pev_guest.h>

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/**
 * struct grant - what one guest is lent
 * @fd:    -1: the guest ended before it was lent anything
 * @comm:  of its process
 * @name:  of the machine, NULL: its process does not say
 * @ended: the process has
 */
struct grant {
	int pid;
	int fd;
	char *comm;
	char *name;
	bool ended;
	struct pev_grant now;
};

struct grant_run {
	struct grant_opts opts;
	struct measure measure;
	struct grant *grants;
	size_t n;
	struct out out;
	double start;
	double seconds;
};

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* ---- what became of them ---- */

static void print_grant(const struct grant *g, FILE *out)
{
	char comm[64], calls[32], refused[32], over[32], missed[32], throttled[32], vcpus[16];

	snprintf(vcpus, sizeof(vcpus), "%" PRIu32, g->now.vcpus);
	fprintf(out, "%8d  %-15s %6s %12s %10s %12s %10s %10s\n", g->pid,
		text_safe(comm, sizeof(comm), g->comm), g->ended ? "ended" : vcpus,
		text_count(calls, g->now.calls), text_count(refused, g->now.refused),
		text_count(over, g->now.overflows), text_count(missed, g->now.missed),
		text_count(throttled, g->now.throttled));
}

static void print_all(const struct grant_run *r, FILE *out)
{
	fprintf(out, "\n %" PRIu64 " counter%s lent to each virtual processor, for %.3f s\n\n",
		r->opts.counters, text_s(r->opts.counters), r->seconds);
	fprintf(out, "%8s  %-15s %6s %12s %10s %12s %10s %10s\n", "guest", "program", "vCPUs",
		"calls", "refused", "overflows", "missed", "throttled");
	for (size_t i = 0; i < r->n; i++)
		if (r->grants[i].fd >= 0)
			print_grant(&r->grants[i], out);
	fprintf(out, "\n");
}

static void json_grant(const struct grant *g, struct json *j)
{
	json_open(j, NULL, '{');
	json_i64(j, "pid", g->pid);
	json_string(j, "comm", g->comm);
	if (g->name)
		json_string(j, "name", g->name);
	json_bool(j, "ended", g->ended);
	json_u64(j, "vcpus", g->now.vcpus);
	json_u64(j, "calls", g->now.calls);
	json_u64(j, "refused", g->now.refused);
	json_u64(j, "overflows", g->now.overflows);
	json_u64(j, "nmis", g->now.nmis);
	json_u64(j, "missed", g->now.missed);
	json_u64(j, "throttled", g->now.throttled);
	json_close(j, '}');
}

static void json_all(const struct grant_run *r, FILE *out)
{
	struct json j = { .out = out };

	json_open(&j, NULL, '{');
	json_double(&j, "seconds", r->seconds, 6);
	json_u64(&j, "counters", r->opts.counters);
	json_open(&j, "guests", '[');
	for (size_t i = 0; i < r->n; i++)
		if (r->grants[i].fd >= 0)
			json_grant(&r->grants[i], &j);
	json_close(&j, ']');
	json_close(&j, '}');
	json_end_line(&j);
}

static int read_grant(struct grant *g, struct msg *m)
{
	struct pollfd p = { .fd = g->fd };
	ssize_t got;

	if (g->fd < 0)
		return 0;
	/* a kernel that knows less leaves the rest 0 */
	got = read(g->fd, &g->now, sizeof(g->now));
	if (got < (ssize_t)offsetof(struct pev_grant, calls))
		return msg_set(
			m, got < 0 ? -errno : -EIO,
			"what the guest of process %d did with its counters can't be read: %s",
			g->pid, strerror(got < 0 ? errno : EIO));
	g->ended = poll(&p, 1, 0) > 0 && p.revents & POLLHUP;
	return 0;
}

/* A guest without a use for them is easily missed. */
static void note_idle(const struct grant_run *r)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct grant *g = &r->grants[i];

		if (g->fd >= 0 && !g->now.calls)
			note("the guest of process %d never asked for counters: its kernel needs pev "
			     "built in, and something in it has to count",
			     g->pid);
	}
}

/* ---- the time in between ---- */

/* What can be done, behind the kernel's sentence */
static const char *remedy(int err)
{
	switch (err) {
	case -EACCES:
	case -EPERM:
		return "; run it as root, or with CAP_PERFMON";
	case -EEXIST:
		return "; \"perfctl pmu\" shows what is lent, and the end of the program that does it "
		       "takes it back";
	case -EBUSY:
		return "; \"perfctl pmu\" shows what has the counters";
	case -EOPNOTSUPP:
		return "; \"perfctl record --guest\" samples guests from here, without their help";
	default:
		return "";
	}
}

/* Fewer do, where the processor has not so many and nobody asked for a number. */
static bool take_fewer(struct grant_run *r, int err, const struct pev_error *why)
{
	bool few = err == -EINVAL && why->field == offsetof(struct pev_attr, config) &&
		   r->opts.any_number && why->max && why->max < r->opts.counters;

	if (few)
		r->opts.counters = why->max;
	return few;
}

static int open_grant(struct grant_run *r, struct grant *g, struct msg *m)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_GRANT,
		.target = PEV_TARGET_GUEST,
		.target_id = g->pid,
		.config = r->opts.counters,
		.channel_fd = -1,
		.group_fd = -1,
	};
	struct pev_error why;
	size_t len;

	g->fd = pev_engine_open(engine(), &attr, 0, &why);
	if (g->fd < 0 && take_fewer(r, g->fd, &why)) {
		attr.config = r->opts.counters;
		g->fd = pev_engine_open(engine(), &attr, 0, &why);
	}
	if (g->fd >= 0)
		return 0;
	/* of several, one may end meanwhile */
	if (g->fd == -ESRCH && r->n > 1) {
		note("process %d has ended, and with it its virtual machine", g->pid);
		return 0;
	}
	kernel_refused(m, g->fd, &why, "lending counters to the guest of process %d", g->pid);
	len = strlen(m->text);
	snprintf(m->text + len, sizeof(m->text) - len, "%s", remedy(g->fd));
	return g->fd;
}

static int grants_open(void *arg, struct msg *m)
{
	struct grant_run *r = arg;
	size_t lent = 0;

	for (size_t i = 0; i < r->n; i++) {
		int err = open_grant(r, &r->grants[i], m);

		if (err)
			return err;
		lent += r->grants[i].fd >= 0;
	}
	return lent ? 0 : msg_set(m, -ESRCH, "all guests have ended");
}

static int grants_start(void *arg, struct msg *m)
{
	struct grant_run *r = arg;

	(void)m;
	r->start = now();
	if (!r->measure.argv && !r->measure.span.timeout && isatty(STDERR_FILENO))
		note("counters are lent until Ctrl-C");
	return 0;
}

static int grants_wait(void *arg, struct msg *m)
{
	struct grant_run *r = arg;
	int err = 0;

	while (measure_goes_on(&r->measure, wait_loop_wait(&r->measure.wait, -1, -1)))
		;
	r->seconds = now() - r->start;
	for (size_t i = 0; i < r->n && !err; i++)
		err = read_grant(&r->grants[i], m);
	return err;
}

static void grants_close(void *arg)
{
	struct grant_run *r = arg;

	for (size_t i = 0; i < r->n; i++)
		if (r->grants[i].fd >= 0)
			close(r->grants[i].fd);
}

static const struct measure_ops grants_ops = {
	.open = grants_open,
	.start = grants_start,
	.run = grants_wait,
	.close = grants_close,
};

/* ---- before and after it ---- */

static int check_kernel(struct msg *m)
{
	struct pev_info info;
	int err = kernel_info(&info, m);

	if (err)
		return err;
	if (!engine_is_pev())
		return msg_set(
			m, -EOPNOTSUPP,
			"perf_event_open(2) can't lend counters to guests: boot a kernel with "
			"pev and KVM built in; \"perfctl record --guest\" samples guests from "
			"here, without their help");
	if (!(info.types >> PEV_TYPE_GRANT & 1))
		return msg_set(
			m, -EOPNOTSUPP,
			"the pev of this kernel (ABI %u) is older than counters for guests: "
			"boot a newer one; \"perfctl record --guest\" samples guests from here, "
			"without their help",
			info.abi_version);
	return 0;
}

static void look_at_guests(struct grant_run *r)
{
	const struct target *t = &r->measure.target;

	r->n = t->n_ids;
	r->grants = xcalloc(r->n, sizeof(*r->grants));
	for (size_t i = 0; i < r->n; i++) {
		struct grant *g = &r->grants[i];
		struct vmm vmm = { 0 };

		*g = (struct grant){ .pid = t->ids[i], .fd = -1 };
		if (!vmm_look(&vmm, g->pid) && vmm.name)
			g->name = xstrdup(vmm.name);
		g->comm = xstrdup(vmm.comm ? vmm.comm : "?");
		vmm_free(&vmm);
	}
}

int grant_hold(const struct grant_opts *opts, char **argv, struct msg *m)
{
	struct grant_run r = {
		.opts = *opts,
		.measure.argv = argv,
		.measure.span = opts->span,
	};
	int err = check_kernel(m);

	if (!err)
		err = target_make(&r.measure.target, &opts->target, argv, m);
	if (!err)
		err = out_open(&r.out, opts->output, OUT_LINES, m);
	if (!err)
		err = measure_init(&r.measure, m);
	if (!err) {
		look_at_guests(&r);
		err = measure_run(&r.measure, &grants_ops, &r, m);
	}
	if (!err && opts->json)
		json_all(&r, r.out.f);
	else if (!err)
		print_all(&r, r.out.f);
	if (!err)
		note_idle(&r);
	err = out_close(&r.out, err, m);
	for (size_t i = 0; i < r.n; i++) {
		free(r.grants[i].comm);
		free(r.grants[i].name);
	}
	free(r.grants);
	return measure_exit(&r.measure, err, m);
}
