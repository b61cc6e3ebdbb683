// SPDX-License-Identifier: GPL-2.0
/* PMUs in sysfs. See sysfs.h. */
#include "sysfs.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#define DEVICES "/sys/bus/event_source/devices"

static char *pmu_path(const char *pmu, const char *rest)
{
	return xasprintf(DEVICES "/%s/%s", pmu, rest);
}

/* The first line; NULL if there is none */
static char *read_line(const char *pmu, const char *dir, const char *name)
{
	char *rest = xasprintf("%s%s%s", dir, *dir ? "/" : "", name), *path = pmu_path(pmu, rest);
	char *text = strchr(name, '/') ? NULL : file_read(path, NULL);

	if (text)
		text[strcspn(text, "\n")] = '\0';
	free(rest);
	free(path);
	return text;
}

bool pmu_sysfs_exists(const char *name, size_t len)
{
	char *pmu = xstrndup(name, len), *path = pmu_path(pmu, "type");
	bool exists = len && *pmu != '.' && !access(path, R_OK);

	free(pmu);
	free(path);
	return exists;
}

/* ---- kinds of cores: those PMUs say which CPUs they are of ---- */

static struct pmu_kind *kinds;
static size_t n_kinds, cap_kinds;

static void add_kind(const char *pmu)
{
	char *cpus = *pmu == '.' ? NULL : read_line(pmu, "", "cpus"), *type;
	struct msg ignored;
	struct pmu_kind *k;

	if (!cpus)
		return;
	type = read_line(pmu, "", "type");
	k = ARRAY_PUSH(kinds, n_kinds, cap_kinds);
	*k = (struct pmu_kind){ .name = xstrdup(pmu), .type = type ? strtoull(type, NULL, 10) : 0 };
	/* none of them may be online */
	if (!type || !*cpus || cpulist_parse(&k->cpus, cpus, &ignored)) {
		free(k->name);
		n_kinds--;
	}
	free(type);
	free(cpus);
}

static unsigned int first_cpu(const struct cpulist *l)
{
	unsigned int cpu = 0;

	while (cpu < l->n * 64 && !cpulist_has(l, cpu))
		cpu++;
	return cpu;
}

static int by_first_cpu(const void *a, const void *b)
{
	const struct pmu_kind *x = a, *y = b;
	unsigned int i = first_cpu(&x->cpus), k = first_cpu(&y->cpus);

	return i < k ? -1 : i > k;
}

const struct pmu_kind *pmu_kinds(size_t *n)
{
	static bool known;
	DIR *d = known ? NULL : opendir(DEVICES);
	struct dirent *e;

	known = true;
	while (d && (e = readdir(d)))
		add_kind(e->d_name);
	if (d) {
		closedir(d);
		if (n_kinds)
			qsort(kinds, n_kinds, sizeof(*kinds), by_first_cpu);
	}
	*n = n_kinds > 1 ? n_kinds : 0;
	return kinds;
}

const struct pmu_kind *pmu_kind_find(const char *name, size_t len)
{
	size_t n;
	const struct pmu_kind *k = pmu_kinds(&n);

	for (size_t i = 0; i < n; i++)
		if (strlen(k[i].name) == len && !strncmp(k[i].name, name, len))
			return &k[i];
	return NULL;
}

const struct pmu_kind *pmu_kind_of(uint64_t type)
{
	size_t n;
	const struct pmu_kind *k = pmu_kinds(&n);

	for (size_t i = 0; i < n; i++)
		if (k[i].type == type)
			return &k[i];
	return NULL;
}

/* "config:0-7,32-35", "config1:3": the bits of @value, lowest first, go there */
static int put_bits(struct pmu_code *code, const char *format, uint64_t value)
{
	const char *p = strchr(format, ':');
	unsigned int word = 0, first, last;
	int used;

	if (!p || strncmp(format, "config", 6))
		return -EINVAL;
	if (p > format + 6)
		word = (unsigned int)(format[6] - '0');
	if (word >= ARRAY_SIZE(code->config) || p > format + 7)
		return -EINVAL;
	do {
		if (sscanf(++p, "%u%n", &first, &used) != 1)
			return -EINVAL;
		p += used;
		last = first;
		if (*p == '-') {
			if (sscanf(++p, "%u%n", &last, &used) != 1)
				return -EINVAL;
			p += used;
		}
		if (first > last || last > 63)
			return -EINVAL;
		for (unsigned int bit = first; bit <= last; bit++, value >>= 1)
			code->config[word] |= (value & 1) << bit;
	} while (*p == ',');
	return value ? -ERANGE : 0;
}

/* Names in a folder of the PMU's, for a sentence */
static void put_names(struct strbuf *b, const char *pmu, const char *dir)
{
	char *path = pmu_path(pmu, dir);
	DIR *d = opendir(path);
	struct dirent *e;

	while (d && (e = readdir(d)))
		/* tsc.scale is of tsc */
		if (!strchr(e->d_name, '.'))
			strbuf_addf(b, "%s%s", b->len ? ", " : "", e->d_name);
	if (d)
		closedir(d);
	free(path);
}

static int unknown_term(const char *pmu, const char *term, struct msg *m)
{
	struct strbuf names = { 0 };

	put_names(&names, pmu, "events");
	put_names(&names, pmu, "format");
	msg_set(m, -ENOENT, "the PMU %s has no \"%s\"%s%s", pmu, term, names.len ? "; it has " : "",
		names.len ? names.s : "");
	strbuf_free(&names);
	return -ENOENT;
}

static int parse_value(const char *pmu, const char *key, const char *text, uint64_t *value,
		       struct msg *m)
{
	char *end;

	*value = 1;
	if (!text)
		return 0;
	errno = 0;
	*value = strtoull(text, &end, 0);
	if (isdigit((unsigned char)*text) && !*end && !errno)
		return 0;
	return msg_set(m, -EINVAL, "%s/%s=%s/: \"%s\" is not a number", pmu, key, text, text);
}

/* "power/energy-pkg/" has energy-pkg.scale and energy-pkg.unit beside it. */
static void put_unit(const char *pmu, const char *event, struct pmu_code *code)
{
	char *name = xasprintf("%s.scale", event), *scale = read_line(pmu, "events", name);
	char *end;
	double value = scale ? strtod(scale, &end) : 0;

	free(name);
	name = xasprintf("%s.unit", event);
	free(code->unit);
	code->unit = read_line(pmu, "events", name);
	code->scale = scale && end != scale && !*end && isfinite(value) && value > 0 ? value : 1;
	if (!code->unit && code->scale != 1)
		code->unit = xstrdup("");
	free(scale);
	free(name);
}

static int put_terms(const char *pmu, const char *terms, struct pmu_code *code, bool events,
		     struct msg *m);

static int put_term(const char *pmu, char *term, struct pmu_code *code, bool events, struct msg *m)
{
	char *value = strchr(term, '='), *text;
	uint64_t number;
	int err;

	if (value)
		*value++ = '\0';
	text = events && !value ? read_line(pmu, "events", term) : NULL;
	if (text) {
		err = put_terms(pmu, text, code, false, m);
		put_unit(pmu, term, code);
		free(text);
		return err;
	}
	err = parse_value(pmu, term, value, &number, m);
	if (err)
		return err;
	text = strcmp(term, "config") ? read_line(pmu, "format", term) : xstrdup("config:0-63");
	if (!text)
		return unknown_term(pmu, term, m);
	err = put_bits(code, text, number);
	if (err == -ERANGE)
		msg_set(m, err, "%s/%s=%s/: the value has more bits than %s", pmu, term, value,
			text);
	else if (err)
		msg_set(m, err, "the PMU %s: perfctl cannot set \"%s\", which lies in %s", pmu,
			term, text);
	free(text);
	return err;
}

static int put_terms(const char *pmu, const char *terms, struct pmu_code *code, bool events,
		     struct msg *m)
{
	char *copy = xstrdup(terms), *save, *term;
	int err = 0;

	for (term = strtok_r(copy, ",", &save); term && !err; term = strtok_r(NULL, ",", &save))
		err = put_term(pmu, term, code, events, m);
	free(copy);
	return err;
}

int pmu_sysfs_code(const char *pmu, const char *terms, struct pmu_code *code, struct msg *m)
{
	char *type = read_line(pmu, "", "type"), *cpus;
	int err = 0;

	*code = (struct pmu_code){ .scale = 1 };
	if (!type)
		return msg_set(m, -ENOENT, "there is no PMU %s", pmu);
	code->type = strtoull(type, NULL, 10);
	free(type);
	cpus = read_line(pmu, "", "cpumask");
	if (cpus && *cpus)
		err = cpulist_parse(&code->cpus, cpus, m);
	free(cpus);
	if (!err)
		err = put_terms(pmu, terms, code, true, m);
	if (err)
		pmu_code_free(code);
	return err;
}

void pmu_code_free(struct pmu_code *code)
{
	cpulist_free(&code->cpus);
	free(code->unit);
	*code = (struct pmu_code){ 0 };
}

/* Numbers below are perf's own kinds of events, and the PMU of the cores, if they are alike. */
#define FIRST_OTHER_PMU 6

static bool is_other_pmu(const char *pmu)
{
	char *type = read_line(pmu, "", "type");
	bool other = type && (strtoul(type, NULL, 10) >= FIRST_OTHER_PMU ||
			      pmu_kind_find(pmu, strlen(pmu)));

	free(type);
	return other && *pmu != '.' && strcmp(pmu, "kprobe") && strcmp(pmu, "uprobe");
}

static void each_event_of(const char *pmu, void (*each)(void *arg, const char *name), void *arg)
{
	char *path = pmu_path(pmu, "events");
	DIR *d = opendir(path);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		char *name;

		/* tsc.scale is of tsc */
		if (strchr(e->d_name, '.'))
			continue;
		name = xasprintf("%s/%s/", pmu, e->d_name);
		each(arg, name);
		free(name);
	}
	if (d)
		closedir(d);
	free(path);
}

void pmu_sysfs_events(void (*each)(void *arg, const char *name), void *arg)
{
	DIR *d = opendir(DEVICES);
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (is_other_pmu(e->d_name))
			each_event_of(e->d_name, each, arg);
	if (d)
		closedir(d);
}
