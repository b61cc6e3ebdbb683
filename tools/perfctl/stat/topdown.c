// SPDX-License-Identifier: GPL-2.0
/*
 * Top-down, level 1. See topdown.h. The method and Intel's formulas: Intel 64 and IA-32
 * Architectures Optimization Reference Manual, appendix B.1 and B.3; its events: SDM volume
 * 3B, chapter 20, tables by model. AMD's: Processor Programming Reference for family 19h model
 * 11h and for family 1Ah model 02h, "Pipeline Utilization" in the list of recommended events.
 */
#include "topdown.h"
#include "read.h"

#include <errno.h>

#define MAX_EVENTS 5
#define MAX_SHARES 5
#define MAX_MODELS 16

/**
 * struct share - what became of slots
 * @name:  as printed
 * @times: slots of it for each count of an event
 * @rest:  what the others leave
 */
struct share {
	const char *name;
	double times[MAX_EVENTS];
	bool rest;
};

/**
 * struct topdown - how the shares follow from counts
 * @vendor:   as CPUID has it, with ...
 * @family:   ... this
 * @models:   and these, ranges ended by an empty one
 * @events:   as typed, with the names that their lines have; the first one says how many slots
 *            there were
 * @slots:    for each count of the first event
 * @per_core: the slots are those of both threads of a core, the counts those of one
 * @shares:   ended by one without a name
 */
struct topdown {
	const char *vendor;
	unsigned int family;
	struct {
		unsigned int first;
		unsigned int last;
	} models[MAX_MODELS];
	struct {
		const char *code;
		const char *name;
	} events[MAX_EVENTS];
	double slots;
	bool per_core;
	struct share shares[MAX_SHARES + 1];
};

#define CODE(text, name) { text ",name=" name "/", name }

/* cycles, issued, retired, not delivered, recovery */
#define FOUR_SLOTS_A_CYCLE						\
	.slots = 4, .per_core = true,					\
	.shares = {							\
		{ "topdown.retiring", { 0, 0, 1 } },			\
		{ "topdown.bad-speculation", { 0, 1, -1, 0, 4 } },	\
		{ "topdown.frontend-bound", { 0, 0, 0, 1 } },		\
		{ "topdown.backend-bound", .rest = true },		\
	}

/* cycles, retired, nothing from the front end, stalled by the back end, the other thread's */
#define DISPATCH_SLOTS							\
	.events = {							\
		CODE("cpu/event=0x76", "topdown.cycles"),		\
		CODE("cpu/event=0xc1", "topdown.retired"),		\
		CODE("cpu/event=0x1a0,umask=0x01", "topdown.frontend"),	\
		CODE("cpu/event=0x1a0,umask=0x1e", "topdown.backend"),	\
		CODE("cpu/event=0x1a0,umask=0x60", "topdown.smt"),	\
	},								\
	.shares = {							\
		{ "topdown.retiring", { 0, 1 } },			\
		{ "topdown.bad-speculation", .rest = true },		\
		{ "topdown.frontend-bound", { 0, 0, 1 } },		\
		{ "topdown.backend-bound", { 0, 0, 0, 1 } },		\
		{ "topdown.smt-contention", { 0, 0, 0, 0, 1 } },	\
	}

static const struct topdown processors[] = {
	{
		/* Sandy Bridge, Ivy Bridge, Haswell, Broadwell */
		.vendor = "GenuineIntel",
		.family = 6,
		.models = { { 0x2a, 0x2a }, { 0x2d, 0x2d }, { 0x3a, 0x3a }, { 0x3c, 0x3d },
			    { 0x3e, 0x3f }, { 0x45, 0x47 }, { 0x4f, 0x4f }, { 0x56, 0x56 } },
		.events = {
			CODE("cpu/event=0x3c,umask=0x00", "topdown.cycles"),
			CODE("cpu/event=0x0e,umask=0x01", "topdown.issued"),
			CODE("cpu/event=0xc2,umask=0x02", "topdown.retired"),
			CODE("cpu/event=0x9c,umask=0x01", "topdown.undelivered"),
			CODE("cpu/event=0x0d,umask=0x03,cmask=1", "topdown.recovery"),
		},
		FOUR_SLOTS_A_CYCLE,
	},
	{
		/* Skylake to Comet Lake, of servers to Cooper Lake */
		.vendor = "GenuineIntel",
		.family = 6,
		.models = { { 0x4e, 0x4e }, { 0x55, 0x55 }, { 0x5e, 0x5e }, { 0x8e, 0x8e },
			    { 0x9e, 0x9e }, { 0xa5, 0xa6 } },
		.events = {
			CODE("cpu/event=0x3c,umask=0x00", "topdown.cycles"),
			CODE("cpu/event=0x0e,umask=0x01", "topdown.issued"),
			CODE("cpu/event=0xc2,umask=0x02", "topdown.retired"),
			CODE("cpu/event=0x9c,umask=0x01", "topdown.undelivered"),
			CODE("cpu/event=0x0d,umask=0x01", "topdown.recovery"),
		},
		FOUR_SLOTS_A_CYCLE,
	},
	{
		/* Ice Lake, Tiger Lake, Rocket Lake, of servers to Granite Rapids */
		.vendor = "GenuineIntel",
		.family = 6,
		.models = { { 0x6a, 0x6a }, { 0x6c, 0x6c }, { 0x7d, 0x7e }, { 0x8c, 0x8d },
			    { 0x8f, 0x8f }, { 0xa7, 0xa7 }, { 0xad, 0xae }, { 0xcf, 0xcf } },
		.events = {
			CODE("cpu/event=0xa4,umask=0x01", "topdown.slots"),
			CODE("cpu/event=0xc2,umask=0x02", "topdown.retired"),
			CODE("cpu/event=0x9c,umask=0x01", "topdown.undelivered"),
			CODE("cpu/event=0xa4,umask=0x02", "topdown.backend"),
		},
		.slots = 1,
		.shares = {
			{ "topdown.retiring", { 0, 1 } },
			{ "topdown.bad-speculation", .rest = true },
			{ "topdown.frontend-bound", { 0, 0, 1 } },
			{ "topdown.backend-bound", { 0, 0, 0, 1 } },
		},
	},
	{
		/* Zen 4 */
		.vendor = "AuthenticAMD",
		.family = 0x19,
		.models = { { 0x10, 0x1f }, { 0x60, 0x7f }, { 0xa0, 0xaf } },
		.slots = 6,
		DISPATCH_SLOTS,
	},
	{
		/* Zen 5 */
		.vendor = "AuthenticAMD",
		.family = 0x1a,
		.models = { { 0x00, 0xff } },
		.slots = 8,
		DISPATCH_SLOTS,
	},
};

const struct topdown *topdown_find(const char *vendor, unsigned int family, unsigned int model)
{
	for (size_t i = 0; i < ARRAY_SIZE(processors); i++) {
		const struct topdown *t = &processors[i];

		if (strcmp(vendor, t->vendor) != 0 || family != t->family)
			continue;
		for (size_t k = 0; k < MAX_MODELS && t->models[k].last; k++)
			if (model >= t->models[k].first && model <= t->models[k].last)
				return t;
	}
	return NULL;
}

/* What the first processor of /proc/cpuinfo is; x86 has these lines. */
static const struct topdown *find_here(void)
{
	FILE *f = fopen("/proc/cpuinfo", "re");
	unsigned int family = 0, model = 0;
	char line[256], vendor[32] = "";

	while (f && fgets(line, sizeof(line), f) && *line != '\n') {
		sscanf(line, "vendor_id : %31s", vendor);
		sscanf(line, "cpu family : %u", &family);
		sscanf(line, "model : %u", &model);
	}
	if (f)
		fclose(f);
	return topdown_find(vendor, family, model);
}

static bool threads_share_cores(void)
{
	FILE *f = fopen("/sys/devices/system/cpu/smt/active", "re");
	bool active = f && getc(f) == '1';

	if (f)
		fclose(f);
	return active;
}

int topdown_here(const struct topdown **t, struct msg *m)
{
	*t = find_here();
	if (!*t)
		return msg_set(m, -ENOENT, "--topdown needs events of Intel's processors with cores of "
			       "one kind since Sandy Bridge, or of AMD's since Zen 4, and this is "
			       "none of them; -M frontend-bound,backend-bound has the cycles without "
			       "progress where a processor counts them");
	if ((*t)->per_core && threads_share_cores())
		return msg_set(m, -ENOENT, "--topdown: the two threads of a core share its slots, which "
			       "this processor cannot tell of one of them; switch the second "
			       "threads off: echo off >/sys/devices/system/cpu/smt/control");
	return 0;
}

int topdown_events(const struct topdown *t, struct event_list *list, struct msg *m)
{
	struct strbuf text = { 0 };
	int err;

	for (size_t i = 0; i < MAX_EVENTS && t->events[i].code; i++)
		strbuf_addf(&text, "%c%s", i ? ',' : '{', t->events[i].code);
	strbuf_putc(&text, '}');
	err = event_list_parse(list, text.s, m);
	strbuf_free(&text);
	return err;
}

const char *topdown_name(const struct topdown *t, size_t i)
{
	return t->shares[i].name;
}

/* Reads all its events, which are counted together or not at all. */
static bool read_events(const struct topdown *t, const struct stat_result *r,
			double counts[MAX_EVENTS])
{
	size_t n = 0;

	for (size_t i = 0; i < r->plan->n && n < MAX_EVENTS && t->events[n].name; i++) {
		struct reading got;

		if (strcmp(r->plan->events[i].label, t->events[n].name) != 0)
			continue;
		got = stat_read(r, i, -1);
		if (r->plan->events[i].refused || got.running <= 0)
			return false;
		counts[n++] = got.value;
	}
	return n && (n == MAX_EVENTS || !t->events[n].name) && counts[0] > 0;
}

static double slots_of(const struct topdown *t, const struct share *s,
		       const double counts[MAX_EVENTS])
{
	double slots = 0;

	for (size_t i = 0; i < MAX_EVENTS; i++)
		slots += s->times[i] * counts[i];
	if (!s->rest)
		return slots > 0 ? slots : 0;
	slots = t->slots * counts[0];
	for (const struct share *other = t->shares; other->name; other++)
		if (!other->rest)
			slots -= slots_of(t, other, counts);
	return slots > 0 ? slots : 0;
}

enum ratio_state topdown_share(const struct topdown *t, const struct stat_result *r, size_t i,
			       double *percent)
{
	double counts[MAX_EVENTS] = { 0 };

	*percent = 0;
	if (!read_events(t, r, counts))
		return RATIO_NONE;
	*percent = 100 * slots_of(t, &t->shares[i], counts) / (t->slots * counts[0]);
	return RATIO_GIVEN;
}
