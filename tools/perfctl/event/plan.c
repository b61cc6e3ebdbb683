// SPDX-License-Identifier: GPL-2.0
/* Expands event lists against the catalog. See plan.h. */
#include "plan.h"
#include "calls.h"
#include "engine.h"
#include "kernel.h"
#include "names.h"
#include "probe.h"
#include "base/say.h"
#include "cli/suggest.h"
#include "pmu/processor.h"
#include "pmu/sysfs.h"
#include "tracefs/dynamic.h"

#include <errno.h>
#include <stdlib.h>

/* Events that are opened by a name "system:event", which the catalog lists */
static bool is_of_system(uint32_t type)
{
	return type == PEV_TYPE_TRACEPOINT || type == PEV_TYPE_MARKER;
}

static struct planned_event *add(struct event_plan *plan, const struct event_spec *s,
				 uint32_t type, uint64_t config, const char *name)
{
	struct planned_event *e = ARRAY_PUSH(plan->events, plan->n, plan->cap);
	bool named = is_of_system(type) || type == PEV_TYPE_PROBE || type == PEV_TYPE_USER;
	char modes[16];

	e->name = xstrdup(name);
	e->label = s->label ? xstrdup(s->label) :
		   s->modes ? xasprintf("%s:%s", name, event_modes_text(modes, s)) :
			      xstrdup(name);
	e->filter = s->filter ? xstrdup(s->filter) : NULL;
	e->group = s->group;
	e->weak = s->weak;
	e->own_unit = s->unit ? xstrdup(s->unit) : NULL;
	e->unit = s->unit ? e->own_unit : "";
	e->scale = s->unit ? s->scale : 1;
	if (s->cpus.n)
		cpulist_copy(&e->cpus, &s->cpus);
	pev_attr_event(&e->attr, type, config, named ? e->name : NULL);
	/* the same event in different modes needs different names in records */
	if (event_is_hardware(e)) {
		e->attr.name = (uintptr_t)e->label;
		pev_attr_pmu(&e->attr, (uint32_t)s->pmu, s->config1, s->config2);
	}
	if (e->filter)
		pev_attr_filter(&e->attr, e->filter);
	e->attr.flags |= event_modes_flags(s) | s->trigger;
	e->attr.period = s->freq ? s->freq : s->period;
	if (s->freq)
		e->attr.flags |= PEV_F_FREQ;
	return e;
}

/* So often ticks of a timer are counted, unless the event says another number */
#define TICK_NS 1000000

/* No clock stops while a guest runs, but a tick hits the guest or the host. */
static bool counts_ticks(const struct event_spec *s, enum plan_for what)
{
	return what == PLAN_GUESTS ||
	       (what == PLAN_COUNT &&
		event_modes_flags(s) & (PEV_F_EXCLUDE_HOST | PEV_F_EXCLUDE_GUEST));
}

static void set_tick(struct planned_event *e)
{
	if (!e->attr.period)
		e->attr.period = TICK_NS;
	e->tick = e->attr.flags & PEV_F_FREQ ? 1000000000 / e->attr.period : e->attr.period;
}

static void add_software(struct event_plan *plan, const struct event_spec *s, enum plan_for what)
{
	const struct counter_name *sw = software_find(s->name, strlen(s->name));
	bool clock = s->config == PEV_SW_CPU_CLOCK || s->config == PEV_SW_TASK_CLOCK;
	struct planned_event *e;

	/* timers take samples and count nothing: the clock of that name does */
	if (clock && (what != PLAN_COUNT || counts_ticks(s, what)))
		e = add(plan, s, PEV_TYPE_TIMER,
			s->config == PEV_SW_CPU_CLOCK ? PEV_TIMER_CPU_CLOCK :
							PEV_TIMER_TASK_CLOCK, s->name);
	else
		e = add(plan, s, PEV_TYPE_SOFTWARE, s->config, s->name);
	e->unit = sw ? sw->unit : "";
	if (clock && counts_ticks(s, what))
		set_tick(e);
}

static bool is_named(const struct pev_catalog_entry *c, const struct event_spec *s)
{
	if (!is_of_system(c->type))
		return false;
	return !s->type || !strcmp(s->type, c->type_name);
}

/* Returns the name behind the system, NULL if it is not a tracepoint or marker. */
static const char *name_in_system(const struct pev_catalog_entry *c)
{
	const char *colon = strchr(c->name, ':');

	if (!is_of_system(c->type))
		return NULL;
	return colon ? colon + 1 : NULL;
}

/* Offers names with one wrong letter, or two in a long name. */
static void offer_near(struct strbuf *b, const char *name, const struct pev_catalog *catalog)
{
	const char *full = NULL;
	struct suggestion n = { .word = name };

	for (size_t i = 0; i < pev_catalog_count(catalog); i++) {
		const char *own = name_in_system(pev_catalog_entry(catalog, i));
		const char *before = n.best;

		if (own)
			suggest_offer(&n, own);
		if (n.best != before)
			full = pev_catalog_entry(catalog, i)->name;
	}
	if (full && n.distance <= (strlen(name) >= 8 ? 2 : 1))
		strbuf_addf(b, "\"%s\"", full);
}

bool event_without_system(struct strbuf *b, const char *name, const struct pev_catalog *catalog)
{
	bool glob = strpbrk(name, "*?[") != NULL;
	unsigned int found = 0;

	for (size_t i = 0; i < pev_catalog_count(catalog); i++) {
		const char *own = name_in_system(pev_catalog_entry(catalog, i));

		if (!own || !(glob ? glob_match(name, own) : !strcmp(name, own)))
			continue;
		if (glob) {
			strbuf_addf(b, "\"*:%s\"", name);
			return true;
		}
		/* three are enough to see what is missing */
		if (found < 3)
			strbuf_addf(b, "%s\"%s\"", found ? " or " : "",
				    pev_catalog_entry(catalog, i)->name);
		found++;
	}
	if (!found && !glob)
		offer_near(b, name, catalog);
	return found;
}

static bool has_tracepoints(const struct pev_catalog *catalog)
{
	for (size_t i = 0; i < pev_catalog_count(catalog); i++)
		if (pev_catalog_entry(catalog, i)->type == PEV_TYPE_TRACEPOINT)
			return true;
	return false;
}

/* Asks for an event that is in no list. Returns 0 if there is one, else the error. */
static int ask(const struct event_spec *s, struct pev_error *why)
{
	struct pev_attr attr;
	int handle;

	pev_attr_event(&attr, PEV_TYPE_TRACEPOINT, 0, s->name);
	attr.flags = PEV_F_DISABLED;
	handle = pev_engine_open(engine(), &attr, 0, why);
	if (handle < 0)
		return handle;
	pev_engine_close(engine(), handle);
	return 0;
}

/* If there are none at all, the refusal of one says what is in the way. */
static int no_tracepoints(const struct event_spec *s, struct msg *m)
{
	struct pev_error why;
	int err = ask(s, &why);

	if (err)
		return kernel_refused(m, err, &why, "%s", s->name);
	return msg_set(m, -ENOENT, "%s: the kernel does not list its tracepoints", s->name);
}

/* Is it a trace event that only perf and ftrace can hook? Then that is in @m. */
static bool is_refused(const struct event_spec *s, struct msg *m)
{
	char *definitions, *instead = NULL;
	struct pev_error why;
	struct msg refusal;

	if (!strchr(s->name, ':') || strpbrk(s->name, "*?[") || ask(s, &why) != -EOPNOTSUPP)
		return false;
	kernel_refused(&refusal, -EOPNOTSUPP, &why, "%s", s->name);
	definitions = dynamic_events_read();
	if (definitions)
		instead = dynamic_event_instead(definitions, s->name);
	if (instead)
		msg_set(m, -EOPNOTSUPP, "%s: instead, use -e '%s'", refusal.text, instead);
	else
		*m = refusal;
	free(instead);
	free(definitions);
	return true;
}

/* @m already has the error of the lookup among the processor's events. */
static int not_in_catalog(const struct pev_catalog *catalog, const struct event_spec *s,
			  struct msg *m)
{
	struct suggestion n = { .word = s->name };

	if (strchr(s->name, ':') && !has_tracepoints(catalog))
		return no_tracepoints(s, m);
	if (is_refused(s, m))
		return -EOPNOTSUPP;
	if (strpbrk(s->name, "*?["))
		return msg_set(m, -ENOENT, "no event matches \"%s\"; \"perfctl list\" shows the "
			       "events", s->name);
	for (size_t i = 0; i < pev_catalog_count(catalog); i++)
		if (is_named(pev_catalog_entry(catalog, i), s))
			suggest_offer(&n, pev_catalog_entry(catalog, i)->name);
	if (!s->type)
		processor_suggest(&n);
	if (n.best)
		return msg_set(m, -ENOENT, "unknown event \"%s\"; did you mean \"%s\"?", s->name,
			       n.best);
	return msg_set(m, -ENOENT, "unknown event \"%s\"; \"perfctl list\" shows the events",
		       s->name);
}

/* A processor's event with a unit mask, in small letters, looks like a tracepoint. */
static int add_processor(struct event_plan *plan, const struct event_spec *s)
{
	struct msg ignored;
	uint64_t code;

	if (s->type || s->filter || strpbrk(s->name, "*?[") ||
	    processor_code(s->name, &code, &ignored))
		return -ENOENT;
	add(plan, s, PEV_TYPE_RAW, code, s->name);
	return 0;
}

/* perf_event_open(2) opens what is attached to another event, and never reports it. */
static int check_attached(const struct event_spec *s, struct msg *m)
{
	char *definitions = engine_is_pev() ? NULL : dynamic_events_read(), *instead;
	int err = 0;

	if (definitions && dynamic_event_is_attached(definitions, s->name)) {
		instead = dynamic_event_instead(definitions, s->name);
		err = msg_set(m, -EOPNOTSUPP,
			      "%s is attached to another event, so that perf_event_open(2) would "
			      "never report it: use that, -e '%s'",
			      s->name, instead ? instead : "");
		free(instead);
	}
	free(definitions);
	return err;
}

static bool is_glob(const struct event_spec *s)
{
	return s->kind == SPEC_NAMED && strpbrk(s->name, "*?[");
}

static int add_named(struct event_plan *plan, const struct event_spec *s,
		     const struct pev_catalog *catalog, struct msg *m)
{
	bool glob = is_glob(s);
	size_t before = plan->n;

	for (size_t i = 0; i < pev_catalog_count(catalog); i++) {
		const struct pev_catalog_entry *c = pev_catalog_entry(catalog, i);

		if (!is_named(c, s))
			continue;
		if (glob ? glob_match(s->name, c->name) : !strcmp(s->name, c->name))
			add(plan, s, c->type, 0, c->name);
	}
	if (plan->n == before && add_processor(plan, s))
		return not_in_catalog(catalog, s, m);
	return glob ? 0 : check_attached(s, m);
}

bool event_is_hardware(const struct planned_event *e)
{
	return e->attr.type == PEV_TYPE_HARDWARE || (e->attr.type == PEV_TYPE_RAW && !e->place);
}

/* Samples by time are much the same as samples by one of these. */
static bool is_like_time(const struct event_spec *s)
{
	return s->kind == SPEC_HARDWARE &&
	       (s->config == PEV_HW_CYCLES || s->config == PEV_HW_REF_CYCLES ||
		s->config == PEV_HW_BUS_CYCLES);
}

static void add_timer_instead(struct event_plan *plan, const struct event_spec *s)
{
	struct event_spec timer = *s;

	note("%s is a hardware event, and there is no PMU here that pev can use (\"perfctl doctor\" "
	     "says why): sampling by the cpu-clock timer instead%s",
	     s->name,
	     s->precise ?
		     ", without the exact addresses that \":p\" asks for: those are of where its "
		     "interrupt comes" :
		     "");
	timer.kind = SPEC_SOFTWARE;
	timer.config = PEV_SW_CPU_CLOCK;
	timer.name = (char *)"cpu-clock";
	timer.modes &= SPEC_USER | SPEC_KERNEL;
	timer.precise = 0;
	/* a number of cycles is not a number of nanoseconds */
	timer.period = 0;
	add_software(plan, &timer, PLAN_SAMPLE);
	plan->events[plan->n - 1].fallback = true;
}

/* perf's driver takes a code without a PMU for one of the first kind, and counts nothing elsewhere. */
static int check_code(const struct event_spec *s, struct msg *m)
{
	size_t n;
	const struct pmu_kind *k = pmu_kinds(&n);

	if (s->kind != SPEC_RAW || s->pmu || !n)
		return 0;
	return msg_set(
		m, -EINVAL,
		"%s: there are several kinds of cores here, and each has codes of its own: name "
		"the PMU of one, as in %s/event=0xc4/ or %s/event=0xc4/",
		s->name, k[0].name, k[1].name);
}

static int add_hardware(struct event_plan *plan, const struct event_spec *s, enum plan_for what,
			struct msg *m)
{
	struct pev_info info;
	int err = kernel_info(&info, m);

	err = err ? err : check_code(s, m);
	if (err)
		return err;
	if (s->precise && !(info.event_flags & PEV_EF_PRECISE_ALL))
		return msg_set(
			m, -EINVAL,
			"%s: \":p\" asks for the exact address of each sample "
			"(PEBS, IBS), which this kernel's pev does not offer: leave it out, and "
			"addresses may be some instructions late, or sample by --engine perf",
			s->name);
	/* of other PMUs only the engine knows */
	if (info.pmu_counters || s->pmu) {
		add(plan, s, s->kind == SPEC_RAW ? PEV_TYPE_RAW : PEV_TYPE_HARDWARE, s->config,
		    s->name);
		return 0;
	}
	if (what >= PLAN_SAMPLE && is_like_time(s)) {
		add_timer_instead(plan, s);
		return 0;
	}
	return msg_set(m, -ENOENT, "%s is a hardware event, and there is no PMU here that pev can "
		       "use; \"perfctl doctor\" says why, \"perfctl list\" what can be counted",
		       s->name);
}

/**
 * struct probe_owner - where the events of a probe go
 * @plan: of them
 * @spec: as typed
 */
struct probe_owner {
	struct event_plan *plan;
	const struct event_spec *spec;
};

static void add_places(void *arg, const char *name, struct probe_places *p)
{
	const struct probe_owner *o = arg;
	struct planned_event *e = add(o->plan, o->spec, PEV_TYPE_PROBE, (uintptr_t)&p->head,
				      o->spec->label ? o->spec->label : name);

	e->probe = p;
}

static void add_of_perf(void *arg, const char *name, const struct probe *p)
{
	const struct probe_owner *o = arg;
	struct planned_event *e = add(o->plan, o->spec, PEV_TYPE_RAW, p->code.config[0], name);

	e->place = xstrdup(p->place);
	pev_attr_pmu(&e->attr, (uint32_t)p->code.type, (uintptr_t)e->place, p->offset);
}

static int add_probe(struct event_plan *plan, const struct event_spec *s, enum plan_for what,
		     struct msg *m)
{
	struct probe_owner owner = { plan, s };
	const struct probe_taker taker = { .by_perf = add_of_perf, .by_pev = add_places,
					   .all_fields = what == PLAN_RECORD || s->filter,
					   .arg = &owner };
	int err = engine_ready(m);

	if (err)
		return err;
	if (engine_is_pev())
		return probe_places_each(s->name, &taker, m);
	if (s->filter)
		return msg_set(m, -EOPNOTSUPP, "%s: only a kernel with pev filters probes", s->name);
	return probe_each(s->name, &taker, m);
}

static int add_mark(struct event_plan *plan, const struct event_spec *s, enum plan_for what,
		    struct msg *m)
{
	struct planned_event *e;
	struct pev_info info;
	int err = kernel_info(&info, m);

	if (err)
		return err;
	if (!(info.types >> PEV_TYPE_USER & 1))
		return msg_set(m, -ENOSYS,
			       "user:%s: the marks of programs need a kernel with pev, "
			       "ABI 7 or later",
			       s->name);
	if (what < PLAN_SAMPLE)
		return msg_set(m, -EINVAL,
			       "user:%s: programs write their marks without a call, so that "
			       "they can be recorded, but not counted",
			       s->name);
	if (s->filter || s->modes || s->period || s->freq)
		return msg_set(m, -EINVAL,
			       "user:%s: marks of programs have no filter, period or "
			       "modifiers: choose when you read the recording",
			       s->name);
	e = add(plan, s, PEV_TYPE_USER, 0, s->name);
	if (!s->label) {
		free(e->label);
		e->label = xasprintf("user:%s", s->name);
	}
	return 0;
}

static int add_one(struct event_plan *plan, const struct event_spec *s, enum plan_for what,
		   struct pev_catalog **catalog, struct msg *m)
{
	int err = 0;

	if (s->kind == SPEC_SOFTWARE) {
		add_software(plan, s, what);
		return 0;
	}
	if (s->kind == SPEC_HARDWARE || s->kind == SPEC_RAW)
		return add_hardware(plan, s, what, m);
	if (s->kind == SPEC_PROBE)
		return add_probe(plan, s, what, m);
	if (s->kind == SPEC_MARK)
		return add_mark(plan, s, what, m);
	if (!*catalog)
		err = kernel_catalog(catalog, m);
	return err ? err : add_named(plan, s, *catalog, m);
}

/* ---- kinds of cores ---- */

static bool is_of_all_kinds(const struct event_spec *s)
{
	return s->kind == SPEC_HARDWARE && !s->pmu;
}

/* An event of a unit on one kind of core; what that does not matter for is there once. */
static int add_of_kind(struct event_plan *plan, const struct event_spec *s, enum plan_for what,
		       const struct event_list *list, size_t kind, unsigned int sum,
		       struct pev_catalog **catalog, struct msg *m)
{
	struct event_spec one = *s;
	size_t n, before = plan->n;
	const struct pmu_kind *k = &pmu_kinds(&n)[kind];
	char modes[16];
	int err;

	if (!is_of_all_kinds(s) && kind)
		return 0;
	if (s->group)
		one.group = s->group + (unsigned int)kind * list->groups;
	if (!is_of_all_kinds(s))
		return add_one(plan, &one, what, catalog, m);
	one.name = xasprintf("%s/%s/", k->name, s->name);
	one.label = s->label ? xasprintf("%s/%s/", k->name, s->label) : NULL;
	one.pmu = k->type;
	err = add_one(plan, &one, what, catalog, m);
	if (!err && plan->n > before) {
		struct planned_event *e = &plan->events[before];

		e->unit_nr = plan->units;
		e->sum = sum;
		e->sum_label = s->label ? xstrdup(s->label) :
			       s->modes ? xasprintf("%s:%s", s->name, event_modes_text(modes, s)) :
					  xstrdup(s->name);
	}
	free(one.name);
	free(one.label);
	return err;
}

/* The events from @first to before @end, which are one or a group, on each kind of core. */
static int add_unit(struct event_plan *plan, const struct event_list *list, size_t first,
		    size_t end, enum plan_for what, struct pev_catalog **catalog, struct msg *m)
{
	unsigned int sums = plan->sums;
	size_t n;
	int err = 0;

	pmu_kinds(&n);
	plan->units++;
	plan->sums += (unsigned int)(end - first);
	for (size_t kind = 0; kind < n; kind++)
		for (size_t i = first; i < end && !err; i++)
			err = add_of_kind(plan, &list->specs[i], what, list, kind,
					  sums + 1 + (unsigned int)(i - first), catalog, m);
	return err;
}

/* Where does what belongs together with @first end? @split: is it counted for each kind? */
static size_t unit_end(const struct event_list *list, size_t first, bool *split)
{
	unsigned int group = list->specs[first].group;
	size_t end = first, n;

	pmu_kinds(&n);
	*split = false;
	do {
		*split |= is_of_all_kinds(&list->specs[end++]);
	} while (group && end < list->n && list->specs[end].group == group);
	/* one event of perf's is of one PMU, for a task, too */
	*split = *split && n && (list->by_kind || !engine_is_pev());
	return end;
}

int event_plan_make(struct event_plan *plan, const struct event_list *list, enum plan_for what,
		    struct msg *m)
{
	struct pev_catalog *catalog = NULL;
	size_t i = 0, n;
	int err = 0;

	*plan = (struct event_plan){ 0 };
	if (pmu_kinds(&n) && n)
		err = engine_ready(m);
	while (i < list->n && !err) {
		bool split;
		size_t end = unit_end(list, i, &split);

		if (split) {
			err = add_unit(plan, list, i, end, what, &catalog, m);
			i = end;
		} else {
			err = add_one(plan, &list->specs[i++], what, &catalog, m);
		}
	}
	if (!err && what == PLAN_RECORD && catalog)
		err = calls_join(plan, catalog, m);
	pev_catalog_free(catalog);
	return err;
}

static bool is_first_of_sum(const struct event_plan *plan, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (plan->events[k].sum == plan->events[i].sum)
			return false;
	return plan->events[i].sum;
}

size_t event_plan_sum_behind(const struct event_plan *plan, size_t last, size_t from)
{
	unsigned int unit = plan->events[last].unit_nr;

	if (!unit || (last + 1 < plan->n && plan->events[last + 1].unit_nr == unit))
		return plan->n;
	for (size_t i = from; i <= last; i++)
		if (plan->events[i].unit_nr == unit && is_first_of_sum(plan, i))
			return i;
	return plan->n;
}

char *planned_event_sum_name(const struct planned_event *e)
{
	return xasprintf("sum of %s", e->sum_label);
}

bool event_list_has_globs(const struct event_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		if (is_glob(&list->specs[i]))
			return true;
	return false;
}

static int by_name(const void *a, const void *b)
{
	const struct pev_catalog_entry *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

/* Returns the entries of a catalog in the order of their names. */
static const struct pev_catalog_entry **sorted(const struct pev_catalog *catalog)
{
	size_t n = pev_catalog_count(catalog);
	const struct pev_catalog_entry **list = xcalloc(n + 1, sizeof(*list));

	for (size_t i = 0; i < n; i++)
		list[i] = pev_catalog_entry(catalog, i);
	qsort(list, n, sizeof(*list), by_name);
	return list;
}

static void add_matching(struct event_plan *plan, const struct event_list *list,
			 const struct pev_catalog_entry *c)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct event_spec *s = &list->specs[i];

		/* a group is opened as a whole */
		if (is_glob(s) && !s->group && is_named(c, s) && glob_match(s->name, c->name))
			add(plan, s, c->type, 0, c->name);
	}
}

int event_plan_more(struct event_plan *plan, const struct event_list *list,
		    struct pev_catalog **before, struct msg *m)
{
	const struct pev_catalog_entry **old;
	struct pev_catalog *now;
	size_t n = plan->n;
	int err = kernel_catalog(&now, m);

	if (err)
		return err;
	old = sorted(*before);
	for (size_t i = 0; i < pev_catalog_count(now); i++) {
		const struct pev_catalog_entry *c = pev_catalog_entry(now, i);

		if (!bsearch(&c, old, pev_catalog_count(*before), sizeof(*old), by_name))
			add_matching(plan, list, c);
	}
	free(old);
	pev_catalog_free(*before);
	*before = now;
	return (int)(plan->n - n);
}

void event_plan_sideband(struct event_plan *plan, int fd, unsigned int mask, const char *why)
{
	static const struct {
		uint64_t config;
		const char *name;
	} all[] = {
		{ PEV_SB_MMAP, "mmap" }, { PEV_SB_COMM, "comm" }, { PEV_SB_FORK, "fork" },
		{ PEV_SB_EXEC, "exec" }, { PEV_SB_EXIT, "exit" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		struct planned_event *e;

		if (!(mask >> all[i].config & 1))
			continue;
		e = ARRAY_PUSH(plan->events, plan->n, plan->cap);
		e->name = xstrdup(all[i].name);
		e->label = xasprintf("the %s events that %s", all[i].name, why);
		e->unit = "";
		e->scale = 1;
		pev_attr_event(&e->attr, PEV_TYPE_SIDEBAND, all[i].config, NULL);
		pev_attr_record(&e->attr, fd, 0, PEV_SAMPLE_TID);
	}
}

/* An event of pev's own, for what the command needs beside what was asked for. */
static struct planned_event *add_own(struct event_plan *plan, const char *name, uint32_t type)
{
	struct planned_event *e = ARRAY_PUSH(plan->events, plan->n, plan->cap);

	e->name = xstrdup(name);
	e->label = xstrdup(name);
	e->unit = "";
	e->scale = 1;
	pev_attr_event(&e->attr, type, 0, NULL);
	return e;
}

void event_plan_waits(struct event_plan *plan, uint64_t least)
{
	add_own(plan, "pev:wait", PEV_TYPE_WAIT)->attr.period = least;
}

void event_plan_ustack(struct event_plan *plan)
{
	add_own(plan, "pev:ustack", PEV_TYPE_USTACK);
}

void planned_event_free(struct planned_event *e)
{
	free(e->name);
	free(e->label);
	free(e->place);
	probe_places_free(e->probe);
	free(e->own_unit);
	free(e->sum_label);
	cpulist_free(&e->cpus);
	free(e->filter);
	free(e->refused);
}

void event_plan_free(struct event_plan *plan)
{
	for (size_t i = 0; i < plan->n; i++)
		planned_event_free(&plan->events[i]);
	free(plan->events);
	*plan = (struct event_plan){ 0 };
}

void event_plan_note_ended(const struct event_plan *plan, uint32_t type,
			   const struct pev_value *counted)
{
	/* older kernels end a task's events before the first one */
	static const char *const late[] = { "sched:sched_process_exit", "sched:sched_process_free" };

	for (size_t i = 0; i < plan->n && type != PEV_TARGET_CPUS; i++) {
		const struct planned_event *e = &plan->events[i];

		for (size_t k = 0; k < ARRAY_SIZE(late); k++)
			if (!strcmp(e->name, late[k]) && !counted[i].value && !counted[i].samples &&
			    !counted[i].filtered)
				note("%s comes when a task has ended and is no longer measured: count "
				     "it on the whole machine (-a), and choose by its fields comm and pid",
				     e->name);
	}
}

void event_plan_note_user_only(const struct event_plan *plan)
{
	for (size_t i = 0; i < plan->n; i++) {
		if (plan->events[i].user_only) {
			note("without the right to see kernel addresses (CAP_PERFMON, or a lower "
			     "kernel.%s_paranoid) only user mode is measured",
			     engine_is_pev() ? "pev" : "perf_event");
			return;
		}
	}
}
