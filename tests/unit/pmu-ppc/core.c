// SPDX-License-Identifier: GPL-2.0
/* See core.h. */
#include <stdarg.h>
#include <stdio.h>
#include "../../../arch/powerpc/pev/cpu.h"
#include "../../../arch/powerpc/pev/isa207.h"
#include "../../../arch/powerpc/pev/power.h"
#include <linux/pev_refuse.h>
#include "core.h"
#include "model.h"

struct event events[6];
u64 incidents[PEV_PMU_INCIDENTS];
unsigned int overflows;
u64 standing;
bool readable;
char refusal[400];

static bool updating, deferred;
static u64 active, known, configs[6], raws[6];

static void fold(unsigned int c)
{
	struct event *e = &events[c];
	u64 raw = ppc_pev_read(c), delta = (raw - e->raw) & 0x7fffffff;

	e->raw = raw;
	e->count += delta;
	e->left -= delta;
}

static void load(unsigned int c)
{
	struct event *e = &events[c];

	if (e->period)
		e->raw = (0x80000000ULL - (e->left > 0 ? e->left : 1)) & 0x7fffffff;
	ppc_pev_write(c, e->raw);
}

void reload(unsigned int c)
{
	fold(c);
	load(c);
}

void core_reset(void)
{
	memset(events, 0, sizeof(events));
	memset(incidents, 0, sizeof(incidents));
	overflows = 0;
	standing = 0;
	updating = false;
	deferred = false;
	readable = false;
	active = 0;
	known = 0;
}

void update_begin(void)
{
	updating = true;
	barrier();
	ppc_pev_freeze();
}

void update_end(void)
{
	unsigned int c;

	for (;;) {
		if (deferred) {
			deferred = false;
			for (c = 0; c < 6; c++) {
				if (!(active >> c & 1))
					continue;
				fold(c);
				load(c);
			}
		}
		ppc_pev_thaw(active, readable);
		barrier();
		updating = false;
		barrier();
		if (!READ_ONCE(deferred))
			break;
		updating = true;
	}
}

void attach(unsigned int c, u64 config, u64 period)
{
	struct event *e = &events[c];

	*e = (struct event) { .on = true, .config = config, .period = period, .left = period };
	if (!(known >> c & 1) || configs[c] != config) {
		configs[c] = config;
		ppc_pev_set(c, config);
	}
	if (!(known >> c & 1)) {
		known |= BIT_ULL(c);
		raws[c] = 0;
		ppc_pev_write(c, 0);
	}
	e->raw = raws[c];
	if (period)
		load(c);
	active |= BIT_ULL(c);
}

void detach(unsigned int c)
{
	fold(c);
	raws[c] = events[c].raw;
	events[c].on = false;
	active &= ~BIT_ULL(c);
}

void fold_running(unsigned int c)
{
	updating = true;
	barrier();
	fold(c);
	barrier();
	updating = false;
	barrier();
	if (READ_ONCE(deferred)) {
		updating = true;
		update_end();
	}
}

void pev_pmu_overflow(u64 counters, const struct pev_pmu_sample *sample)
{
	unsigned int c;

	overflows++;
	if (updating) {
		deferred = true;
		return;
	}
	for (c = 0; c < 6; c++) {
		struct event *e = &events[c];

		if (!(counters & active & BIT_ULL(c)))
			continue;
		fold(c);
		if (e->period && e->left <= 0) {
			e->samples++;
			e->last = *sample;
			e->left += e->period;
			if (e->left <= 0)
				e->left = 1;
		}
		load(c);
	}
	ppc_pev_thaw(active, readable);
}

void pev_pmu_stand(u64 counters, bool stand)
{
	/* a step of the kernel's for each counter, at least */
	model_run(KERNEL, false, 1 + __builtin_popcountll(counters & active));
	if (stand)
		standing |= counters & active;
	else
		standing &= ~counters;
}

void pev_pmu_report(enum pev_pmu_incident what)
{
	incidents[what]++;
}

int pev_refuse(struct pev_refuse *r, int error, u32 field, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(refusal, sizeof(refusal), fmt, args);
	va_end(args);
	if (r)
		r->field = field;
	return -error;
}
