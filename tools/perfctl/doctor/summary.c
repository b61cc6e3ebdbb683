// SPDX-License-Identifier: GPL-2.0
/* Puts what works here above the findings. See summary.h. */
#include "summary.h"
#include "advice.h"
#include "examine.h"
#include "base/status.h"
#include "event/engine.h"
#include "event/kernel.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

static const struct {
	const char *what, *how, *key;
} abilities[NR_ABILITIES] = {
	[CAN_OWN] = { "your own programs", "record, top, stat: by a timer, with call chains", "own_programs" },
	[CAN_KERNEL] = { "their kernel side", "what the kernel does for them",
			 "kernel_side" },
	[CAN_MACHINE] = { "the whole machine", "-a, -C, and other users' processes",
			  "whole_machine" },
	[CAN_TRACEPOINTS] = { "the kernel's events", "trace, and -e SYSTEM:NAME",
			      "tracepoints" },
	[CAN_COUNTERS] = { "hardware counters", "cycles, instructions, cache misses",
			   "hardware_counters" },
};

static void put_abilities(const struct doctor *d)
{
	for (size_t i = 0; i < NR_ABILITIES; i++) {
		const char *color = !d->color ? "" : d->can[i] ? "\033[32m" : "\033[33m";

		fprintf(d->out, "  %s%s%s  %-20s %s\n", color, d->can[i] ? "yes" : "no ",
			d->color ? "\033[m" : "", abilities[i].what, abilities[i].how);
	}
	fprintf(d->out, "  %syes%s  %-20s %s\n", d->color ? "\033[32m" : "",
		d->color ? "\033[m" : "", "recordings", "report, script, export: on every machine");
}

static struct advice advice_for(const struct doctor *d, bool pev)
{
	const struct situation s = {
		.can = d->can,
		.perfmon = &d->perfmon,
		.paranoid = d->info.paranoid,
		.pev = pev,
		.root = !geteuid(),
		.tracefs = !access("/sys/kernel/tracing/events", F_OK) ||
			   !access("/sys/kernel/tracing/instances", F_OK),
	};

	return advise(&s);
}

static void put_advice(const struct doctor *d, bool pev)
{
	struct advice a = advice_for(d, pev);

	if (*a.command)
		fprintf(d->out, "\nFor more: %s\n          %s\n", a.command, a.gives);
}

static void put_place(const struct doctor *d, const char *engine)
{
	struct utsname u;

	if (uname(&u))
		strcpy(u.release, "?");
	if (engine)
		fprintf(d->out, "Works here by %s, on Linux %s (%s):\n\n", engine, u.release,
			u.machine);
	else
		fprintf(d->out, "Nothing can be measured here, on Linux %s (%s):\n\n", u.release,
			u.machine);
}

/* There is no engine: returns whether for lack of rights, as then the level has to do with it. */
static bool find_level(struct doctor *d, int err)
{
	char *level = file_read("/proc/sys/kernel/perf_event_paranoid", NULL);

	d->info.paranoid = level ? atoi(level) : 2;
	free(level);
	return err == -EACCES || err == -EPERM;
}

static int report_refusal(struct doctor *d, int err, const struct msg *m)
{
	bool rights = find_level(d, err);

	put_place(d, NULL);
	put_abilities(d);
	if (rights)
		put_advice(d, false);
	fputc('\n', d->out);
	doctor_say(d, BAD, "kernel", "%s", m->text);
	doctor_way(d);
	return status_of(err);
}

int doctor_report(struct doctor *d)
{
	FILE *out = d->out;
	struct msg m;
	size_t len;
	char *text;
	int err = kernel_info(&d->info, &m);

	perfmon_find(&d->perfmon);
	if (err)
		return report_refusal(d, err, &m);
	d->out = checked(open_memstream(&text, &len));
	doctor_examine(d);
	fclose(d->out);
	d->out = out;
	put_place(d, engine_is_pev() ? "the kernel's own pev" : "perf_event_open(2)");
	put_abilities(d);
	put_advice(d, engine_is_pev());
	fputc('\n', out);
	fwrite(text, 1, len, out);
	free(text);
	return d->bad ? STATUS_FAILED : STATUS_OK;
}

static void json_head(struct doctor *d, const char *engine, bool advice)
{
	struct json *j = d->json;
	struct utsname u;

	if (uname(&u))
		return;
	if (engine)
		json_string(j, "engine", engine);
	else
		json_null(j, "engine");
	json_string(j, "release", u.release);
	json_string(j, "machine", u.machine);
	json_open(j, "can", '{');
	for (size_t i = 0; i < NR_ABILITIES; i++)
		json_bool(j, abilities[i].key, d->can[i]);
	json_close(j, '}');
	if (advice) {
		struct advice a = advice_for(d, engine && engine_is_pev());

		if (*a.command)
			json_string(j, "advice", a.command);
	}
}

int doctor_report_json(struct doctor *d)
{
	struct json j = { .out = d->out };
	struct msg m;
	int err = kernel_info(&d->info, &m);
	bool rights = err && find_level(d, err);

	d->json = &j;
	perfmon_find(&d->perfmon);
	json_open(&j, NULL, '{');
	json_open(&j, "findings", '[');
	if (err) {
		doctor_say(d, BAD, "kernel", "%s", m.text);
		doctor_way(d);
	} else {
		doctor_examine(d);
	}
	doctor_end(d);
	json_close(&j, ']');
	json_head(d, err ? NULL : engine_is_pev() ? "pev" : "perf", !err || rights);
	json_close(&j, '}');
	json_end_line(&j);
	if (err)
		return status_of(err);
	return d->bad ? STATUS_FAILED : STATUS_OK;
}
