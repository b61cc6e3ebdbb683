// SPDX-License-Identifier: GPL-2.0
/* Parsing of event lists. See event_spec.h. */
#include "event_spec.h"
#include "opt.h"

#include <ctype.h>
#include <errno.h>
#include <linux/pev.h>
#include <stdlib.h>

static const struct software_name software[] = {
	{ "cpu-clock", NULL, PEV_SW_CPU_CLOCK, "ns", "time that the target's CPUs were counted" },
	{ "task-clock", NULL, PEV_SW_TASK_CLOCK, "ns", "time that the target ran" },
	{ "page-faults", "faults", PEV_SW_PAGE_FAULTS, "", "page faults" },
	{ "minor-faults", "page-faults-min", PEV_SW_PAGE_FAULTS_MIN, "",
	  "page faults that needed no input or output" },
	{ "major-faults", "page-faults-maj", PEV_SW_PAGE_FAULTS_MAJ, "",
	  "page faults that waited for input or output" },
	{ "context-switches", "cs", PEV_SW_CONTEXT_SWITCHES, "", "the target was switched out" },
	{ "cpu-migrations", "migrations", PEV_SW_CPU_MIGRATIONS, "",
	  "the target moved to another CPU" },
	{ "alignment-faults", NULL, PEV_SW_ALIGNMENT_FAULTS, "",
	  "unaligned accesses that the kernel fixed" },
	{ "emulation-faults", NULL, PEV_SW_EMULATION_FAULTS, "",
	  "instructions that the kernel emulated" },
};

/* perf's generic names; each needs a PMU backend */
static const char *const hardware[] = {
	"cycles",	   "cpu-cycles",	 "instructions",  "cache-references",
	"cache-misses",	   "branches",		 "branch-misses", "branch-instructions",
	"bus-cycles",	   "ref-cycles",	 "stalled-cycles-frontend",
	"stalled-cycles-backend", "idle-cycles-frontend", "idle-cycles-backend",
	"L1-dcache-loads", "L1-dcache-load-misses", "LLC-loads", "LLC-load-misses",
	"dTLB-loads",	   "dTLB-load-misses",	 "iTLB-load-misses",
};

const struct software_name *software_names(size_t *n)
{
	*n = ARRAY_SIZE(software);
	return software;
}

static bool name_is(const char *candidate, const char *name, size_t len)
{
	return candidate && strlen(candidate) == len && !strncmp(candidate, name, len);
}

const struct software_name *software_find(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(software); i++)
		if (name_is(software[i].name, name, len) || name_is(software[i].alias, name, len))
			return &software[i];
	return NULL;
}

bool hardware_find(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(hardware); i++)
		if (name_is(hardware[i], name, len))
			return true;
	/* raw PMU codes, "r01c4" */
	if (len > 1 && name[0] == 'r') {
		for (size_t i = 1; i < len; i++)
			if (!isxdigit((unsigned char)name[i]))
				return false;
		return true;
	}
	return false;
}

void software_offer(struct nearest *n)
{
	for (size_t i = 0; i < ARRAY_SIZE(software); i++) {
		nearest_offer(n, software[i].name);
		if (software[i].alias)
			nearest_offer(n, software[i].alias);
	}
	for (size_t i = 0; i < ARRAY_SIZE(hardware); i++)
		nearest_offer(n, hardware[i]);
}

static int parse_modes(struct event_spec *s, const char *text, size_t len, struct msg *m)
{
	for (size_t i = 0; i < len; i++) {
		if (text[i] == 'u')
			s->modes |= SPEC_USER;
		else if (text[i] == 'k')
			s->modes |= SPEC_KERNEL;
		else if (text[i] != 'p' && text[i] != 'P') /* precision: nothing to choose */
			return msg_set(m, -EINVAL,
				       "event modifier \"%c\" is not known: u (user mode) and k "
				       "(kernel mode) are", text[i]);
	}
	if (s->modes == (SPEC_USER | SPEC_KERNEL))
		s->modes = 0;
	return 0;
}

static int parse_term(struct event_spec *s, const char *term, size_t len, struct msg *m)
{
	const char *eq = memchr(term, '=', len);
	size_t key = eq ? (size_t)(eq - term) : len;
	char *value = eq ? xstrndup(eq + 1, len - key - 1) : xstrdup("");
	int err = 0;

	if (name_is("period", term, key))
		err = parse_u64(value, &s->period);
	else if (name_is("freq", term, key))
		err = parse_u64(value, &s->freq);
	else if (name_is("name", term, key))
		s->label = xstrdup(value);
	else
		err = msg_set(m, -ENOENT, "event term \"%.*s\" is not known: period, freq and "
			      "name are", (int)key, term);
	if (err == -EINVAL)
		msg_set(m, err, "event term \"%.*s\" takes a whole number", (int)key, term);
	free(value);
	return err;
}

/* "/period=1000,freq=99/"; @text is behind the first slash, *used is what was read */
static int parse_terms(struct event_spec *s, const char *text, size_t len, size_t *used,
		       struct msg *m)
{
	const char *close = memchr(text, '/', len), *p = text;
	int err = 0;

	if (!close)
		return msg_set(m, -EINVAL, "the terms of an event end with a slash: \"/%.*s\"",
			       (int)len, text);
	*used = (size_t)(close - text) + 1;
	while (p < close && !err) {
		const char *comma = memchr(p, ',', (size_t)(close - p));
		const char *end = comma ? comma : close;

		err = parse_term(s, p, (size_t)(end - p), m);
		p = end + 1;
	}
	return err;
}

static bool is_type(const char *s, size_t len)
{
	static const char *const types[] = { "software", "timer", "tracepoint", "marker",
					     "sideband" };

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (name_is(types[i], s, len))
			return true;
	return false;
}

/* Everything behind the name: terms and modifiers. */
static int parse_tail(struct event_spec *s, const char *p, size_t left, struct msg *m)
{
	int err;

	if (left && *p == '/') {
		size_t used = 0;

		err = parse_terms(s, p + 1, left - 1, &used, m);
		if (err)
			return err;
		p += used + 1;
		left -= used + 1;
	}
	if (left && *p == ':') {
		p++;
		left--;
	}
	return parse_modes(s, p, left, m);
}

static int no_event(const char *text, size_t len, struct msg *m)
{
	char *typed = xstrndup(text, len);
	struct nearest n = { .word = typed };
	int err;

	software_offer(&n);
	if (n.best)
		err = msg_set(m, -ENOENT, "unknown event \"%s\"; did you mean \"%s\"?", typed,
			      n.best);
	else
		err = msg_set(m, -ENOENT, "unknown event \"%s\"; \"perfctl list\" shows the events",
			      typed);
	free(typed);
	return err;
}

/* "sched:sched_switch"; what follows a second colon or a slash is the tail */
static int parse_named(struct event_spec *s, const char *p, size_t len, const char *colon,
		       struct msg *m)
{
	size_t system = (size_t)(colon - p), n = system + 1;

	while (n < len && p[n] != ':' && p[n] != '/')
		n++;
	if (!system || n == system + 1)
		return msg_set(m, -EINVAL, "\"%.*s\" is not of the form system:event", (int)len, p);
	s->kind = SPEC_NAMED;
	s->name = xstrndup(p, n);
	return parse_tail(s, p + n, len - n, m);
}

static int parse_event(struct event_spec *s, const char *p, size_t len, struct msg *m)
{
	const struct software_name *sw;
	const char *slash, *colon;
	size_t n;

	slash = memchr(p, '/', len);
	if (slash && is_type(p, (size_t)(slash - p))) {
		s->type = xstrndup(p, (size_t)(slash - p));
		len -= (size_t)(slash + 1 - p);
		p = slash + 1;
		slash = memchr(p, '/', len);
	}
	colon = memchr(p, ':', len);
	n = len;
	if (slash)
		n = (size_t)(slash - p);
	if (colon && (size_t)(colon - p) < n)
		n = (size_t)(colon - p);
	sw = software_find(p, n);
	if (sw) {
		s->kind = SPEC_SOFTWARE;
		s->config = sw->config;
		s->name = xstrdup(sw->name);
		return parse_tail(s, p + n, len - n, m);
	}
	if (colon && (!slash || colon < slash) && !hardware_find(p, n))
		return parse_named(s, p, len, colon, m);
	if (hardware_find(p, n)) {
		s->kind = SPEC_HARDWARE;
		s->name = xstrndup(p, n);
		return parse_tail(s, p + n, len - n, m);
	}
	return n ? no_event(p, n, m) : msg_set(m, -EINVAL, "an event name is missing");
}

/* Length of the event at @p: up to a comma that is not between slashes, or a brace. */
static size_t event_len(const char *p)
{
	bool in_terms = false;
	size_t n;

	for (n = 0; p[n]; n++) {
		const char *slash;

		if (in_terms) {
			in_terms = p[n] != '/';
			continue;
		}
		if (p[n] == ',' || p[n] == '}' || p[n] == '{')
			break;
		slash = p[n] == '/' ? strpbrk(p + n + 1, "/,}") : NULL;
		/* terms have an "=", a type before the name has none */
		if (p[n] == '/' && !is_type(p, n))
			in_terms = slash && strchr(p + n + 1, '/');
	}
	return n;
}

static int add_event(struct event_list *list, const char *p, size_t len, unsigned int group,
		     struct msg *m)
{
	struct event_spec *s = ARRAY_PUSH(list->specs, list->n, list->cap);

	s->group = group;
	return parse_event(s, p, len, m);
}

/* Modifiers behind a group's brace apply to its members. */
static int group_modes(struct event_list *list, unsigned int group, const char *p, size_t len,
		       struct msg *m)
{
	for (size_t i = 0; i < list->n; i++) {
		if (list->specs[i].group == group) {
			int err = parse_modes(&list->specs[i], p, len, m);

			if (err)
				return err;
		}
	}
	return 0;
}

static int parse_list(struct event_list *list, const char *p, struct msg *m)
{
	const char *all = p;
	unsigned int group = 0;

	while (*p) {
		size_t len;
		int err;

		if (*p == '{') {
			if (group)
				return msg_set(m, -EINVAL, "a group within a group: \"%s\"", all);
			group = ++list->groups;
			p++;
			continue;
		}
		len = event_len(p);
		err = add_event(list, p, len, group, m);
		if (err)
			return err;
		p += len;
		if (*p == '}') {
			if (!group)
				return msg_set(m, -EINVAL, "\"}\" without \"{\": \"%s\"", all);
			p++;
			if (*p == ':') {
				len = strcspn(++p, ",");
				err = group_modes(list, group, p, len, m);
				if (err)
					return err;
				p += len;
			}
			group = 0;
		}
		if (*p == ',' && p[1])
			p++;
		else if (*p)
			return msg_set(m, -EINVAL, "\"%s\" in the list of events \"%s\"", p, all);
	}
	if (group)
		return msg_set(m, -EINVAL, "a group is not closed by \"}\": \"%s\"", all);
	return 0;
}

int event_list_parse(struct event_list *list, const char *text, struct msg *m)
{
	size_t before = list->n;
	int err;

	if (!*text)
		return msg_set(m, -EINVAL, "an event name is missing");
	err = parse_list(list, text, m);
	list->last_n = list->n - before;
	return err;
}

int event_list_filter(struct event_list *list, const char *filter, struct msg *m)
{
	if (!list->last_n)
		return msg_set(m, -EINVAL, "--filter belongs behind the -e that it is for");
	for (size_t i = list->n - list->last_n; i < list->n; i++) {
		struct event_spec *s = &list->specs[i];

		if (s->kind != SPEC_NAMED)
			return msg_set(m, -EINVAL,
				       "%s cannot have a filter: tracepoints and markers can",
				       s->name);
		free(s->filter);
		s->filter = xstrdup(filter);
	}
	return 0;
}

void event_list_free(struct event_list *list)
{
	for (size_t i = 0; i < list->n; i++) {
		free(list->specs[i].name);
		free(list->specs[i].label);
		free(list->specs[i].type);
		free(list->specs[i].filter);
	}
	free(list->specs);
	*list = (struct event_list){ 0 };
}
