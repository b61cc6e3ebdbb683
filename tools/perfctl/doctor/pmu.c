// SPDX-License-Identifier: GPL-2.0
/* perfctl doctor: hardware counters, and what stands in their way. */
#include "pmu.h"
#include "doctor.h"
#include "event/engine.h"
#include "event/kernel.h"
#include "event/names.h"
#include "event/pmu_text.h"
#include "pmu/processor.h"
#include "pmu/absence.h"
#include "pmu/sysfs.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static void no_pmu(struct doctor *d)
{
	char *remedy, *why = pmu_absence(&remedy);

	doctor_say(d, NOTE, "hardware events", "no PMU: timers take the samples. %s", why);
	if (remedy)
		doctor_remedy(d, "%s", remedy);
	free(why);
	free(remedy);
}

/* Reports counters that others hold. */
static void check_holders(struct doctor *d, const struct pmu_text *p)
{
	struct strbuf b = { 0 };

	for (size_t i = 0; i < p->n_counters; i++) {
		const struct pmu_counter *c = &p->counters[i];

		if (*c->holder && strcmp(c->holder, "pev"))
			strbuf_addf(&b, "%s%s: %s", b.len ? ", " : "", c->name, c->holder);
	}
	if (!strcmp(p->driver, "perf")) {
		doctor_say(d, GOOD, "counters", "%s", pmu_driver_about(p->driver));
	} else if (b.len) {
		doctor_say(d, NOTE, "counters", "held by others: %s", b.s);
		if (pmu_watchdog_is_on())
			doctor_remedy(d, "sysctl kernel.nmi_watchdog=0 makes the hard lockup detector give "
				      "back its counter");
		doctor_remedy(d, "sysctl kernel.pev_pmu=auto counts by perf's driver meanwhile");
	} else {
		doctor_say(d, GOOD, "counters", "%zu on each CPU", p->n_counters);
	}
	strbuf_free(&b);
}

static void check_events(struct doctor *d, const struct pmu_text *p)
{
	struct strbuf b = { 0 };

	for (size_t i = 0; i < p->n_missing; i++)
		strbuf_addf(&b, "%s%s", i ? ", " : "", p->missing[i].name);
	if (b.len) {
		doctor_say(d, NOTE, "hardware events", "%s, without %s", p->name, b.s);
		doctor_remedy(d, "\"perfctl pmu\" says why for each");
	} else {
		doctor_say(d, GOOD, "hardware events", "%s", p->name);
	}
	strbuf_free(&b);
}

/* Of processors with several kinds of cores */
static void check_kinds(struct doctor *d)
{
	struct strbuf b = { 0 };
	size_t n;
	const struct pmu_kind *k = pmu_kinds(&n);

	for (size_t i = 0; i < n; i++) {
		strbuf_addf(&b, "%s%s (CPUs ", i ? ", " : "", k[i].name);
		cpulist_put(&b, &k[i].cpus);
		strbuf_putc(&b, ')');
	}
	if (b.len)
		doctor_say(d, GOOD, "kinds of cores", "%s: events are counted for each", b.s);
	strbuf_free(&b);
}

static void check_incidents(struct doctor *d, const struct pmu_text *p)
{
	for (size_t i = 0; i < p->n_incidents; i++) {
		const struct pmu_word *w = &p->incidents[i];

		if (strcmp(w->text, "0") && strcmp(w->name, "late"))
			doctor_say(d, NOTE, "incidents", "%s %s since boot", w->text,
				   pmu_incident_about(w->name));
	}
}

static void check_opening(struct doctor *d)
{
	struct pev_attr attr;
	struct pev_error why;
	int fd;

	if (!(d->info.hardware >> PEV_HW_CYCLES & 1))
		return;
	pev_attr_event(&attr, PEV_TYPE_HARDWARE, PEV_HW_CYCLES, NULL);
	attr.flags |= PEV_F_EXCLUDE_KERNEL;
	fd = pev_attr_open(&attr, 0, &why);
	if (fd >= 0) {
		doctor_say(d, GOOD, "cycles", "can be counted now; \"perfctl doctor --self-test\" tries the "
			   "counters");
		close(fd);
	} else {
		doctor_say(d, NOTE, "cycles", "%s", kernel_reason(&why));
	}
}

static void check_names(struct doctor *d)
{
	struct pev_pmu_table t;
	struct strbuf b = { 0 };
	struct msg m;
	int pos = 0;

	if (processor_names(&m)) {
		doctor_say(d, NOTE, "event names", "%s", m.text);
		doctor_remedy(d, "raw codes (r01c4, cpu/event=0xc4/) and generic names work without it");
		return;
	}
	while (processor_table_next(&pos, NULL, &t))
		strbuf_addf(&b, "%s%s (%d)", b.len ? ", " : "", t.about, t.nr_events);
	if (b.len)
		doctor_say(d, GOOD, "event names", "%s", b.s);
	else
		doctor_say(d, NOTE, "event names", "libpfm4 does not know this processor: raw codes and "
			   "generic names work");
	strbuf_free(&b);
}

/* Lists what perf_event_open(2) counts; pev's own view of the PMU is not there. */
static void check_perf_events(struct doctor *d)
{
	struct strbuf b = { 0 }, missing = { 0 };
	const struct counter_name *hw;
	size_t n;

	hw = hardware_names(&n);
	for (size_t i = 0; i < n; i++) {
		struct strbuf *to = d->info.hardware >> hw[i].config & 1 ? &b : &missing;

		strbuf_addf(to, "%s%s", to->len ? ", " : "", hw[i].name);
	}
	doctor_say(d, GOOD, "hardware events", "%s", b.s ? b.s : "none");
	if (missing.len)
		doctor_say(d, NOTE, "hardware events", "without %s", missing.s);
	strbuf_free(&b);
	strbuf_free(&missing);
}

void doctor_pmu(struct doctor *d)
{
	struct pmu_text p = { 0 };
	struct msg m;

	d->can[CAN_COUNTERS] = d->info.pmu_counters;
	if (!d->info.pmu_counters && !d->can[CAN_OWN]) {
		doctor_say(d, NOTE, "hardware events", "nothing may be opened, so that they are not "
			   "known");
		return;
	}
	if (!d->info.pmu_counters) {
		no_pmu(d);
		return;
	}
	if (!engine_is_pev()) {
		check_perf_events(d);
		check_kinds(d);
		check_names(d);
		return;
	}
	if (pmu_text_read(&p, &m)) {
		doctor_say(d, BAD, "hardware events", "%s", m.text);
		return;
	}
	check_events(d, &p);
	check_kinds(d);
	check_holders(d, &p);
	check_opening(d);
	check_incidents(d, &p);
	check_names(d);
	pmu_text_free(&p);
}
