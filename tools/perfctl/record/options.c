// SPDX-License-Identifier: GPL-2.0
/* What the options of perfctl record ask for, and which of them exclude each other. See options.h. */
#include "options.h"
#include "base/say.h"
#include "event/engine.h"
#include "event/kernel.h"
#include "event/sampling.h"
#include "kvm/points.h"
#include "kvm/reasons.h"
#include "relay/url.h"

#include <errno.h>
#include <fnmatch.h>

#define FLUSH_LEAST 50000000ull
#define FLUSH_MOST 3600000000000ull

/* Unless it is among them already */
static int add_event(struct event_list *list, const char *name, struct msg *m)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->specs[i].kind == SPEC_NAMED && !fnmatch(list->specs[i].name, name, 0))
			return 0;
	return event_list_parse(list, name, m);
}

/*
 * A thread's return to a processor is in the record of the thread that leaves it, so
 * that the scheduler's events cannot be recorded of some threads alone.
 */
static int add_switches(struct record_opts *o, const char *option, struct msg *m)
{
	const struct target_opts *t = &o->target;
	int err;

	if (t->pids || t->tids || t->subtree || t->cpus || t->cgroup || t->guests)
		return msg_set(m, -EINVAL,
			       "%s records the whole machine%s: choose threads when "
			       "you read it (\"perfctl off-cpu --comm NAME\")",
			       option, o->waits ? " where the kernel has no waits of its own" : "");
	o->target.all = true;
	if (!o->graph_typed)
		o->graph = true;
	err = add_event(&o->events, RECORD_SWITCH, m);
	return err ? err : add_event(&o->events, RECORD_WAKING, m);
}

/* Threads are for packets that are written as they come, into files. */
static int check_writers(const struct record_opts *o, struct msg *m)
{
	const char *other = o->overwrite ? "--overwrite, which writes nothing while it records" :
			    o->fold	 ? "--fold, which writes little" :
			    !strcmp(o->output, "-") ? "-o -, which is one stream" :
			    relay_url_is(o->output) ? "-o net://, which is one connection" :
						      NULL;

	if (o->writers > PEV_WRITER_MOST_THREADS)
		return msg_set(m, -EINVAL, "--writers takes 1 to %d", PEV_WRITER_MOST_THREADS);
	if (o->writers > 1 && other)
		return msg_set(m, -EINVAL, "--writers does not go together with %s", other);
	return 0;
}

int record_options_check(const struct record_opts *o, char **argv, struct msg *m)
{
	const char *other = o->crash	 ? "--crash, which has snapshots instead" :
			    o->overwrite ? "--overwrite, which has snapshots instead" :
			    o->fold	 ? "--fold, which writes little" :
			    o->waits	 ? "--waits, whose sums are of a whole recording" :
			    !strcmp(o->output, "-") ?
				       "-o -, which is one stream" :
			    relay_url_is(o->output) ?
				       "-o net://, as the relay keeps one recording" :
				       NULL;

	if (o->parts.on && other)
		return msg_set(m, -EINVAL, "--switch-output does not go together with %s", other);
	if (!o->parts.on && o->parts.max_files)
		return msg_set(
			m, -EINVAL,
			"--max-files is the number of parts to keep: --switch-output makes some");
	if (o->paused && !o->control)
		return msg_set(m, -EINVAL,
			       "--paused waits for \"enable\" on --control, which is missing");
	if (o->paused && o->span.delay)
		return msg_set(m, -EINVAL, "--paused and --delay exclude each other");
	if (o->compress && !strcmp(o->output, "-"))
		return msg_set(m, -EINVAL,
			       "-z writes a directory; what comes through a pipe is compressed by "
			       "\"perfctl record -o - ... | zstd\"");
	if (o->compress && relay_url_is(o->output))
		return msg_set(
			m, -EINVAL,
			"-z writes a directory; a relay and its viewers read packets as they "
			"are");
	if (o->panic && !o->overwrite)
		return msg_set(m, -EINVAL,
			       "--panic is for what is kept in memory: add --overwrite or --crash");
	if (o->flush && o->overwrite)
		return msg_set(m, -EINVAL,
			       "--flush is for what is written while it is recorded, and "
			       "--overwrite writes nothing before its end or SIGUSR2");
	if (o->flush && (o->flush < FLUSH_LEAST || o->flush > FLUSH_MOST))
		return msg_set(m, -EINVAL, "--flush takes 50ms to 1h");
	if (o->on_exit && (!o->overwrite || !argv))
		return msg_set(m, -EINVAL,
			       "--snapshot-on-exit is for --overwrite with a command, whose end it "
			       "looks at");
	if (o->overwrite && o->parts.max_size)
		return msg_set(m, -EINVAL,
			       "--max-size is for what is written while it is recorded: the rings "
			       "of --overwrite have the size of -m");
	return check_writers(o, m);
}

/* Samples that are counted have call chains, and nothing else. */
static int plan_fold(struct record_opts *o, const struct pev_info *info, struct msg *m)
{
	const char *other = o->overwrite		? "--overwrite" :
			    o->off_cpu			? "--off-cpu" :
			    o->waits			? "--waits" :
			    o->strings			? "--strings" :
			    o->stack_user		? "-g dwarf" :
			    o->graph_typed && !o->graph ? "-g none" :
							  NULL;

	if (other)
		return msg_set(m, -EINVAL,
			       "--fold counts samples by their call chains, and %s needs each "
			       "single one: leave one of them out",
			       other);
	if (!strcmp(o->output, "-") || relay_url_is(o->output))
		return msg_set(
			m, -EINVAL,
			"--fold writes records that are minutes old, which the reader of a pipe or "
			"at a relay does not wait for: name a directory with -o");
	if (engine_is_pev() && !(info->types & 1ULL << PEV_TYPE_TABLE))
		return msg_set(
			m, -ENOSYS,
			"--fold needs tables, which the running kernel's pev has not: --engine "
			"perf adds samples up as they come; without --fold each is written down, "
			"and \"perfctl report\" counts them");
	if (!engine_is_pev() && !o->quiet)
		note("--fold: perf_event_open(2) has no tables: each sample is copied, as without "
		     "--fold, and added up here; none is written");
	o->graph = true;
	return 0;
}

/* What is told of pairs is a record of the second event, and nothing of the first. */
static int check_pairs(const struct record_opts *o, const struct pev_info *info, struct msg *m)
{
	const char *other = o->fold    ? "--fold" :
			    o->off_cpu ? "--off-cpu" :
			    o->waits   ? "--waits" :
			    o->strings ? "--strings" :
			    o->count   ? "-c" :
					 NULL;

	if (other)
		return msg_set(m, -EINVAL,
			       "--latency records the ends of long pairs, which %s has none of: "
			       "leave one of them out",
			       other);
	if (engine_is_pev() && info->sample & PEV_SAMPLE_PAIR)
		return 0;
	return msg_set(m, -ENOSYS,
		       "--latency needs tables with records, which %s: without it record both "
		       "events, and subtract their times",
		       engine_is_pev() ? "the running kernel's pev has not" :
					 "perf_event_open(2) has not");
}

static bool has_waits(const struct pev_info *info)
{
	return engine_is_pev() && info->types & 1ULL << PEV_TYPE_WAIT;
}

/* May the scheduler's events be recorded, of all that runs? */
static bool sees_scheduler(struct pev_error *why)
{
	struct pev_attr attr;
	int fd;

	pev_attr_event(&attr, PEV_TYPE_TRACEPOINT, 0, RECORD_SWITCH);
	attr.target = PEV_TARGET_CPUS;
	attr.flags = PEV_F_DISABLED;
	fd = pev_engine_open(engine(), &attr, 0, why);
	if (fd < 0)
		return false;
	pev_engine_close(engine(), fd);
	return true;
}

/*
 * Where the kernel has no waits, by the scheduler's events; and by the switches of the threads that
 * are measured, where only some are asked for, or may be watched.
 */
static bool by_switches(const struct record_opts *o, const struct pev_info *info)
{
	const struct target_opts *t = &o->target;
	struct pev_error why = { 0 };

	if (has_waits(info) || t->all || t->cpus || t->cgroup || t->guests)
		return false;
	if (!t->pids && !t->tids && !t->subtree && sees_scheduler(&why))
		return false;
	if (!o->quiet)
		note("--waits: how long threads waited is recorded, but not where, and what woke them: %s",
		     *why.text ? why.text :
				 "that needs the scheduler's events, of all that runs (-a)");
	return true;
}

/* Beside the samples that are usual. */
static int add_waits(struct record_opts *o, const struct pev_info *info, struct msg *m)
{
	int err = 0;

	if (!o->graph_typed)
		o->graph = true;
	o->plan_waits = has_waits(info) || by_switches(o, info);
	if (o->plan_waits)
		return 0;
	if (!o->events.n)
		err = event_list_parse(&o->events, event_to_sample(info, o->quiet), m);
	if (!err)
		err = add_switches(o, "--waits", m);
	return err ? err : add_event(&o->events, RECORD_WAKEUP, m);
}

/* What no engine but pev's knows, and what has no records of its own to put it in. */
static int check_context(const struct record_opts *o, const struct pev_info *info, struct msg *m)
{
	if (!o->context)
		return 0;
	if (o->fold)
		return msg_set(
			m, -EINVAL,
			"--fold counts samples by call chains and writes none down: it can't "
			"tell requests apart (--context)");
	if (info->sample & PEV_SAMPLE_CONTEXT)
		return 0;
	return msg_set(m, -EOPNOTSUPP,
		       "--context: %s, so requests can't be recorded: leave --context out",
		       engine_is_pev() ? "this kernel's pev is older than contexts" :
					 "perf_event_open(2) does not know which request a thread "
					 "works for, only a kernel with pev does");
}

/* KVM's tracepoints tell it to pev alone, and there are none before KVM is loaded. */
static int check_exits(const struct record_opts *o, const struct pev_info *info, struct msg *m)
{
	enum guest_isa isa = guest_isa_here();

	if (!o->exits)
		return 0;
	if (o->fold)
		return msg_set(
			m, -EINVAL,
			"--fold counts samples by call chains and writes none down: it can't "
			"say why guests were left (--exits)");
	if (o->target.guests)
		return msg_set(
			m, -EINVAL,
			"--guest records what guests do, --exits is of what the host does for "
			"them: take -a, or -p with the process that runs the guest");
	if (info->sample & PEV_SAMPLE_EXIT)
		return 0;
	if (!engine_is_pev())
		return msg_set(
			m, -EOPNOTSUPP,
			"--exits: perf_event_open(2) does not say why a guest was left, only "
			"a kernel with pev does; \"perfctl guest exits\" counts the reasons");
	if (isa == GUEST_ISA_ARM64 || info->abi_version < 13)
		return msg_set(m, -EOPNOTSUPP,
			       "--exits: this kernel's pev does not say why a guest was left; "
			       "\"perfctl guest exits\" counts the reasons");
	return msg_set(m, -EOPNOTSUPP, "--exits: %s", kvm_points(isa)->missing);
}

int record_options_events(struct record_opts *o, const struct pev_info *info, struct msg *m)
{
	int err = check_context(o, info, m);

	err = err ? err : check_exits(o, info, m);

	if (err)
		return err;
	if (o->channel)
		return 0;
	if (o->fold && o->target.guests)
		return msg_set(
			m, -EINVAL,
			"--fold counts samples by call chains, which those of guests (--guest) "
			"do not have");
	if (o->fold)
		err = plan_fold(o, info, m);
	if (!err && o->latency)
		err = check_pairs(o, info, m);
	if (!err && o->off_cpu)
		err = add_switches(o, "--off-cpu", m);
	if (!err && o->waits)
		err = add_waits(o, info, m);
	/* few processors count guests alone, but a timer samples them on all */
	if (!err && !o->events.n)
		err = event_list_parse(
			&o->events,
			o->target.guests ? "cpu-clock" : event_to_sample(info, o->quiet), m);
	return err;
}
