// SPDX-License-Identifier: GPL-2.0
/* perfctl pmu: the processor's counters, what they count, and what went wrong. */
#include "cmd/commands.h"
#include "base/json.h"
#include "base/status.h"
#include "base/text.h"
#include "event/kernel.h"
#include "event/pmu_text.h"
#include "pmu/absence.h"
#include "pmu/sysfs.h"

#include <errno.h>
#include <stdlib.h>

struct pmu_opts {
	bool json;
};

static const struct opt pmu_options[] = {
	{ 'j', OPT_FLAG, "json", NULL, "print JSON", offsetof(struct pmu_opts, json) },
	{ 0 },
};

static void print_none(void)
{
	char *remedy, *why = pmu_absence(&remedy);

	printf("There is no PMU here that pev can use.\n  %s\n", why);
	if (remedy)
		printf("  -> %s\n", remedy);
	free(why);
	free(remedy);
}

/* Prints what hardware events count by, and why it is not pev's driver. */
static void print_driver(const struct pmu_text *p)
{
	const char *about = pmu_driver_about(p->driver);

	if (!*about)
		return;
	printf("  %-12s %s\n", "driver", about);
	if (!strcmp(p->driver, "perf"))
		printf("  -> \"sysctl kernel.pev_pmu\" says when: auto, own or perf\n");
}

/* Prints the PMU of each kind of core, where there are several. */
static void print_kinds(void)
{
	size_t n;
	const struct pmu_kind *k = pmu_kinds(&n);

	for (size_t i = 0; i < n; i++) {
		struct strbuf cpus = { 0 };

		cpulist_put(&cpus, &k[i].cpus);
		printf("  %-12s PMU %llu, that of the cores of CPUs %s\n", k[i].name,
		       (unsigned long long)k[i].type, cpus.s);
		strbuf_free(&cpus);
	}
}

static void print_counters(const struct pmu_text *p)
{
	/* perf does not say which there are */
	if (!p->n_counters)
		return;
	printf("\nCounters of each CPU:\n  %-12s %6s  %-14s %s\n", "counter", "bits", "user mode",
	       "holder");
	for (size_t i = 0; i < p->n_counters; i++) {
		const struct pmu_counter *c = &p->counters[i];
		char safe[128], user[24];

		printf("  %-12s %6u  %-14s %s\n", c->name, c->bits, pmu_counter_user(c, user),
		       *c->holder ? text_safe(safe, sizeof(safe), c->holder) : "-");
	}
}

static bool held_by_others(const struct pmu_text *p)
{
	for (size_t i = 0; i < p->n_counters; i++)
		if (*p->counters[i].holder && strcmp(p->counters[i].holder, "pev"))
			return true;
	return false;
}

/* Prints a line for each CPU on which something counts. */
static void print_uses(const struct pmu_text *p)
{
	size_t n, shown = 0;

	for (size_t i = 0; i < p->n_uses; i += n) {
		struct strbuf b = { 0 };

		for (n = 0; i + n < p->n_uses && p->uses[i + n].cpu == p->uses[i].cpu; n++) {
			const struct pmu_use *u = &p->uses[i + n];
			char safe[PEV_MAX_NAME * 4];

			if (strcmp(u->event, "free"))
				strbuf_addf(&b, "  %s: %s", u->counter,
					    text_safe(safe, sizeof(safe), u->event));
		}
		if (b.len) {
			if (!shown++)
				printf("\nCounting now:\n");
			printf("  CPU %-4u%s\n", p->uses[i].cpu, b.s);
		}
		strbuf_free(&b);
	}
	if (!shown)
		printf("\nNothing counts now.\n");
}

static void print_incidents(const struct pmu_text *p)
{
	size_t shown = 0;
	char num[32];

	for (size_t i = 0; i < p->n_incidents; i++) {
		const struct pmu_word *w = &p->incidents[i];

		if (!strcmp(w->text, "0"))
			continue;
		if (!shown++)
			printf("\nIncidents since boot:\n");
		printf("  %-12s %12s  %s\n", w->name,
		       text_count(num, strtoull(w->text, NULL, 10)), pmu_incident_about(w->name));
	}
	if (!shown && p->n_incidents)
		printf("No incident since boot.\n");
}

/* Groups the missing events by reason. */
static void print_missing(const struct pmu_text *p)
{
	if (p->n_missing)
		printf("\nNot counted by this processor:\n");
	for (size_t i = 0; i < p->n_missing; i++) {
		const char *why = p->missing[i].text;
		size_t first = 0, column = 0;

		while (strcmp(p->missing[first].text, why))
			first++;
		if (first < i)
			continue;
		for (size_t k = i; k < p->n_missing; k++) {
			const char *name = p->missing[k].name;

			if (strcmp(p->missing[k].text, why))
				continue;
			if (column && column + strlen(name) > 76) {
				printf(",\n");
				column = 0;
			}
			column += (size_t)printf("%s%s", column ? ", " : "  ", name);
		}
		printf(":\n      %s\n", why);
	}
}

/* Prints what the kernel says of each, which may be more than is known here. */
static void print_grants(const struct pmu_text *p)
{
	char safe[256];

	if (p->n_grants)
		printf("\nLent to guests, of the processes:\n");
	for (size_t i = 0; i < p->n_grants; i++)
		printf("  %-12s %s\n", p->grants[i].name,
		       text_safe(safe, sizeof(safe), p->grants[i].text));
}

static void print_text(const struct pmu_text *p)
{
	if (!p->name) {
		print_none();
		return;
	}
	printf("PMU %u: %s\n", p->id, p->name);
	print_driver(p);
	print_kinds();
	for (size_t i = 0; i < p->n_features; i++)
		printf("  %-12s %s\n", p->features[i].name, pmu_feature_about(p->features[i].name));
	print_counters(p);
	if (held_by_others(p) && pmu_watchdog_is_on())
		printf("  -> \"sysctl kernel.nmi_watchdog=0\" makes the hard lockup detector give back its "
		       "counter\n");
	if (p->n_counters)
		print_uses(p);
	print_incidents(p);
	print_grants(p);
	print_missing(p);
}

static void json_words(struct json *j, const char *key, const struct pmu_word *words, size_t n)
{
	json_open(j, key, '{');
	for (size_t i = 0; i < n; i++)
		json_string(j, words[i].name, words[i].text);
	json_close(j, '}');
}

static void json_kinds(struct json *j)
{
	size_t n;
	const struct pmu_kind *k = pmu_kinds(&n);

	json_open(j, "kinds", '[');
	for (size_t i = 0; i < n; i++) {
		struct strbuf cpus = { 0 };

		cpulist_put(&cpus, &k[i].cpus);
		json_open(j, NULL, '{');
		json_string(j, "pmu", k[i].name);
		json_u64(j, "id", k[i].type);
		json_string(j, "cpus", cpus.s);
		json_close(j, '}');
		strbuf_free(&cpus);
	}
	json_close(j, ']');
}

/* Words of the kernel's with a number behind each: "vcpus 2 calls 7" */
static void json_numbers(struct json *j, const char *text)
{
	char *copy = xstrdup(text), *save, *key = strtok_r(copy, " ", &save), *number;
	uint64_t v;

	while (key && (number = strtok_r(NULL, " ", &save))) {
		if (!parse_u64(number, &v))
			json_u64(j, key, v);
		key = strtok_r(NULL, " ", &save);
	}
	free(copy);
}

static void json_grants(struct json *j, const struct pmu_text *p)
{
	json_open(j, "grants", '[');
	for (size_t i = 0; i < p->n_grants; i++) {
		json_open(j, NULL, '{');
		json_u64(j, "pid", strtoull(p->grants[i].name, NULL, 10));
		json_numbers(j, p->grants[i].text);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void print_json(const struct pmu_text *p)
{
	struct json j = { .out = stdout };

	json_open(&j, NULL, '{');
	if (p->name) {
		json_string(&j, "pmu", p->name);
		json_u64(&j, "id", p->id);
		if (*p->driver)
			json_string(&j, "driver", p->driver);
	} else {
		char *remedy, *why = pmu_absence(&remedy);

		json_null(&j, "pmu");
		json_string(&j, "why", why);
		free(why);
		free(remedy);
	}
	json_kinds(&j);
	json_open(&j, "features", '[');
	for (size_t i = 0; i < p->n_features; i++)
		json_string(&j, NULL, p->features[i].name);
	json_close(&j, ']');
	json_open(&j, "counters", '[');
	for (size_t i = 0; i < p->n_counters; i++) {
		const struct pmu_counter *c = &p->counters[i];

		json_open(&j, NULL, '{');
		json_u64(&j, "number", c->nr);
		json_string(&j, "name", c->name);
		json_u64(&j, "bits", c->bits);
		if (strcmp(c->user, "-"))
			json_i64(&j, "user", strtoll(c->user, NULL, 10));
		else
			json_null(&j, "user");
		json_string(&j, "holder", c->holder);
		json_close(&j, '}');
	}
	json_close(&j, ']');
	json_open(&j, "cpus", '[');
	for (size_t i = 0; i < p->n_uses; i++) {
		json_open(&j, NULL, '{');
		json_u64(&j, "cpu", p->uses[i].cpu);
		json_string(&j, "counter", p->uses[i].counter);
		json_string(&j, "event", p->uses[i].event);
		json_close(&j, '}');
	}
	json_close(&j, ']');
	json_grants(&j, p);
	json_words(&j, "incidents", p->incidents, p->n_incidents);
	json_words(&j, "not-counted", p->missing, p->n_missing);
	json_close(&j, '}');
	json_end_line(&j);
}

static int pmu_run(const void *opts, int n, char **args, struct msg *m)
{
	const struct pmu_opts *o = opts;
	struct pev_info info;
	struct pmu_text p;
	int err, status;

	(void)n;
	(void)args;
	err = kernel_info(&info, m);
	if (!err)
		err = pmu_text_read(&p, m);
	if (err)
		return err;
	if (o->json)
		print_json(&p);
	else
		print_text(&p);
	status = p.name ? STATUS_OK : STATUS_FAILED;
	pmu_text_free(&p);
	return status;
}

const struct command command_pmu = {
	.name = "pmu",
	.operands = "",
	.summary = "see the processor's counters, who has them, and what went wrong",
	.about =
		"Shows the processor's performance counters, who holds each of them, what they count "
		"at this moment, what went wrong since boot, and which events the processor cannot "
		"count. Exits with 1 if there are no counters that pev can use.",
	.opts = pmu_options,
	.opts_size = sizeof(struct pmu_opts),
	.run = pmu_run,
};
