// SPDX-License-Identifier: GPL-2.0
/* Parses event lists. See spec.h. */
#include "spec.h"
#include "kernel.h"
#include "names.h"
#include "plan.h"
#include "probe.h"
#include "cli/suggest.h"
#include "pmu/processor.h"
#include "pmu/sysfs.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <pev/engine.h>
#include <stdlib.h>

/* What the events of programs begin with, here and in recordings */
#define MARK_PREFIX "user:"

static bool name_is(const char *candidate, const char *name, size_t len)
{
	return candidate && strlen(candidate) == len && !strncmp(candidate, name, len);
}

static const struct {
	char letter;
	unsigned int mode;
} letters[] = {
	{ 'u', SPEC_USER },   { 'k', SPEC_KERNEL }, { 'h', SPEC_HV },	     { 'G', SPEC_GUEST },
	{ 'H', SPEC_HOST },   { 'D', SPEC_PINNED }, { 'e', SPEC_EXCLUSIVE },
	{ 'p', SPEC_PRECISE },
};

static unsigned int letter_mode(char letter)
{
	for (size_t i = 0; i < ARRAY_SIZE(letters); i++)
		if (letters[i].letter == letter)
			return letters[i].mode;
	return 0;
}

uint64_t event_modes_flags(const struct event_spec *s)
{
	unsigned int modes = s->modes;
	uint64_t flags = PEV_EF_PRECISE(s->precise);

	if (modes & (SPEC_USER | SPEC_KERNEL | SPEC_HV)) {
		flags |= modes & SPEC_USER ? 0 : PEV_F_EXCLUDE_USER;
		flags |= modes & SPEC_KERNEL ? 0 : PEV_F_EXCLUDE_KERNEL;
	}
	flags |= modes & SPEC_GUEST ? PEV_F_EXCLUDE_HOST : 0;
	flags |= modes & SPEC_HOST ? PEV_F_EXCLUDE_GUEST : 0;
	flags |= modes & SPEC_PINNED ? PEV_F_PINNED : 0;
	flags |= modes & SPEC_EXCLUSIVE ? PEV_F_EXCLUSIVE : 0;
	return flags;
}

const char *event_modes_text(char buf[16], const struct event_spec *s)
{
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(letters); i++)
		if (s->modes & letters[i].mode)
			buf[n++] = letters[i].letter;
	for (unsigned int i = 1; i < s->precise; i++)
		buf[n++] = 'p';
	buf[n] = '\0';
	return buf;
}

static bool is_hardware(const struct event_spec *s)
{
	return s->kind == SPEC_HARDWARE || s->kind == SPEC_RAW;
}

static bool is_clock(const struct event_spec *s)
{
	return s->kind == SPEC_SOFTWARE &&
	       (s->config == PEV_SW_CPU_CLOCK || s->config == PEV_SW_TASK_CLOCK);
}

/* Clocks are ticks of a timer, each of which hits the host or a guest. */
static bool may_have(const struct event_spec *s, unsigned int mode)
{
	return is_hardware(s) || mode == SPEC_USER || mode == SPEC_KERNEL ||
	       (is_clock(s) && (mode == SPEC_GUEST || mode == SPEC_HOST));
}

static int parse_modes(struct event_spec *s, const char *text, size_t len, struct msg *m)
{
	for (size_t i = 0; i < len; i++) {
		unsigned int mode = letter_mode(text[i]);

		if (!mode)
			return msg_set(
				m, -EINVAL,
				"event modifier \"%c\" is not known: u (user mode), k "
				"(kernel mode), for hardware events and clocks G (guests), H "
				"(host), and for hardware events h (hypervisor), D (pinned), e (exclusive), p, pp, ppp "
				"(exact addresses of samples) are",
				text[i]);
		if (!may_have(s, mode))
			return msg_set(m, -EINVAL, "%s: \":%c\" is for hardware events%s only",
				       s->name, text[i],
				       mode == SPEC_GUEST || mode == SPEC_HOST ? " and clocks" :
										 "");
		if (mode == SPEC_PRECISE && ++s->precise > 3)
			return msg_set(m, -EINVAL, "%s: \":ppp\" is as exact as samples get", s->name);
		s->modes |= mode;
	}
	/* all of them is the same as none */
	if ((s->modes & (SPEC_USER | SPEC_KERNEL)) == (SPEC_USER | SPEC_KERNEL))
		s->modes &= ~(SPEC_USER | SPEC_KERNEL | SPEC_HV);
	if ((s->modes & (SPEC_GUEST | SPEC_HOST)) == (SPEC_GUEST | SPEC_HOST))
		s->modes &= ~(SPEC_GUEST | SPEC_HOST);
	return 0;
}

/* Parses a number in any base, as in the parts of a code. */
static int parse_word(const char *text, uint64_t *value)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return -EINVAL;
	errno = 0;
	*value = strtoull(text, &end, 0);
	return errno || *end ? -EINVAL : 0;
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
	else if (name_is("config1", term, key))
		err = parse_word(value, &s->config1);
	else if (name_is("config2", term, key))
		err = parse_word(value, &s->config2);
	else if (name_is("pmu", term, key))
		err = parse_word(value, &s->pmu);
	else
		err = msg_set(m, -ENOENT, "event term \"%.*s\" is not known: period, freq, name, "
			      "and of hardware events config1, config2 and pmu are", (int)key,
			      term);
	if (err == -EINVAL)
		msg_set(m, err, "event term \"%.*s\" takes a whole number", (int)key, term);
	free(value);
	return err;
}

static bool is_own_term(const char *term, size_t len)
{
	static const char *const own[] = { "period", "freq", "name", "config1", "config2", "pmu" };
	const char *eq = memchr(term, '=', len);
	size_t key = eq ? (size_t)(eq - term) : len;

	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		if (name_is(own[i], term, key))
			return true;
	return false;
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
					     "sideband", "hardware" };

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (name_is(types[i], s, len))
			return true;
	return false;
}

/* Parses everything behind the name: terms and modifiers. */
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

static bool has_capital(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (isupper((unsigned char)text[i]))
			return true;
	return false;
}

/* Offers tracepoints by a name without its system; see event_without_system(). */
static bool offer_tracepoints(struct strbuf *b, const char *name)
{
	struct pev_catalog *catalog = NULL;
	struct msg ignored;
	bool exact;

	if (kernel_catalog(&catalog, &ignored))
		return false;
	exact = event_without_system(b, name, catalog);
	pev_catalog_free(catalog);
	return exact;
}

static int mean(struct msg *m, const char *name, struct strbuf *quoted)
{
	msg_set(m, -ENOENT, "unknown event \"%s\"; did you mean %s?", name, quoted->s);
	strbuf_free(quoted);
	return -ENOENT;
}

/* @m already has the error of the lookup among the processor's events. */
static int no_event(const char *name, int err, struct msg *m)
{
	struct suggestion n = { .word = name };
	struct strbuf names = { 0 };

	if (offer_tracepoints(&names, name))
		return mean(m, name, &names);
	counter_names_suggest(&n);
	if (n.best && n.distance <= 2) {
		strbuf_reset(&names);
		strbuf_addf(&names, "\"%s\"", n.best);
		return mean(m, name, &names);
	}
	if (names.len)
		return mean(m, name, &names);
	strbuf_free(&names);
	/* it may have been one of these, or looks like one */
	if (has_capital(name, strlen(name)) || strstr(name, "::") ||
	    (err == -ENOENT && strstr(m->text, "did you mean")))
		return -ENOENT;
	return msg_set(m, -ENOENT, "unknown event \"%s\"; \"perfctl list\" shows the events", name);
}

/* "INST_RETIRED:ANY_P:u": the part behind the last colon may be ours */
static size_t without_modes(const char *p, size_t len)
{
	size_t n = len;

	while (n && letter_mode(p[n - 1]))
		n--;
	/* not "skl::e" */
	if (n && n < len && p[n - 1] == ':' && n > 1 && p[n - 2] != ':')
		return n - 1;
	return len;
}

static int try_processor(struct event_spec *s, const char *p, size_t len, struct msg *m)
{
	char *name = xstrndup(p, len);
	int err = processor_code(name, &s->config, m);

	if (err) {
		free(name);
		return err;
	}
	s->kind = SPEC_RAW;
	s->name = name;
	return 0;
}

/* Parses what is none of the others: up to a slash it is the name. */
static int parse_processor(struct event_spec *s, const char *p, size_t len, struct msg *m)
{
	const char *slash = memchr(p, '/', len);
	size_t n = slash ? (size_t)(slash - p) : len, bare = slash ? n : without_modes(p, n);
	char *name;
	int err = try_processor(s, p, bare, m);

	if (!err)
		return parse_tail(s, p + bare, len - bare, m);
	if (bare < n && !try_processor(s, p, n, m))
		return parse_tail(s, p + n, len - n, m);
	if (err != -ENOENT && err != -ELIBACC && err != -ENOTSUP)
		return err;
	name = xstrndup(p, n);
	err = no_event(name, err, m);
	free(name);
	return err;
}

/* "cpu/event=0xc4,umask=1,period=1000/": parts of the code, and terms of ours */
static int parse_parts(struct event_spec *s, const char *p, size_t len, struct msg *m)
{
	const char *text = p + 4, *close = memchr(text, '/', len - 4);
	struct strbuf name = { 0 };
	int err = 0;

	if (!close)
		return msg_set(m, -EINVAL, "\"%.*s\" is not of the form cpu/event=N,umask=N/",
			       (int)len, p);
	strbuf_puts(&name, "cpu/");
	while (text < close && !err) {
		const char *comma = memchr(text, ',', (size_t)(close - text));
		size_t n = (size_t)((comma ? comma : close) - text);

		if (!is_own_term(text, n))
			strbuf_addf(&name, "%s%.*s", name.len > 4 ? "," : "", (int)n, text);
		else
			err = parse_term(s, text, n, m);
		text += n + 1;
	}
	strbuf_putc(&name, '/');
	if (!err)
		err = processor_code(name.s, &s->config, m);
	if (err) {
		strbuf_free(&name);
		return err;
	}
	s->kind = SPEC_RAW;
	s->name = name.s;
	close++;
	return parse_tail(s, close, (size_t)(p + len - close), m);
}

/* "cpu_core/cycles/": what all processors count, on one kind of core */
static bool take_generic(struct event_spec *s, const char *pmu, const char *terms)
{
	const struct pmu_kind *kind = pmu_kind_find(pmu, strlen(pmu));
	const struct counter_name *c = kind ? hardware_find(terms, strlen(terms)) : NULL;

	if (!c)
		return false;
	s->kind = SPEC_HARDWARE;
	s->name = xasprintf("%s/%s/", pmu, c->name);
	s->pmu = kind->type;
	s->config = c->config;
	return true;
}

/* "msr/tsc,period=1000/": terms of the PMU, and terms of ours */
static int parse_pmu(struct event_spec *s, const char *p, size_t len, struct msg *m)
{
	const char *text = (const char *)memchr(p, '/', len) + 1;
	const char *close = memchr(text, '/', len - (size_t)(text - p));
	char *pmu = xstrndup(p, (size_t)(text - 1 - p));
	struct pmu_code code = { 0 };
	struct strbuf terms = { 0 };
	bool generic;
	int err = 0;

	if (!close)
		err = msg_set(m, -EINVAL, "\"%.*s\" is not of the form %s/event=N/", (int)len, p,
			      pmu);
	while (close && text < close && !err) {
		const char *comma = memchr(text, ',', (size_t)(close - text));
		size_t n = (size_t)((comma ? comma : close) - text);

		if (!is_own_term(text, n))
			strbuf_addf(&terms, "%s%.*s", terms.len ? "," : "", (int)n, text);
		else
			err = parse_term(s, text, n, m);
		text += n + 1;
	}
	generic = !err && terms.len && take_generic(s, pmu, terms.s);
	if (!err && !generic)
		err = pmu_sysfs_code(pmu, terms.len ? terms.s : "", &code, m);
	if (!err && !generic) {
		s->kind = SPEC_RAW;
		s->name = xasprintf("%s/%s/", pmu, terms.len ? terms.s : "");
		s->pmu = code.type;
		s->config = code.config[0];
		s->config1 |= code.config[1];
		s->config2 |= code.config[2];
		s->cpus = code.cpus;
		s->scale = code.scale;
		s->unit = code.unit;
	}
	strbuf_free(&terms);
	free(pmu);
	if (err)
		return err;
	close++;
	return parse_tail(s, close, (size_t)(p + len - close), m);
}

static bool is_code(const char *p, size_t len)
{
	for (size_t i = 1; i < len; i++)
		if (!isxdigit((unsigned char)p[i]))
			return false;
	return len > 1 && len <= 17 && p[0] == 'r';
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

/* "uprobe:/bin/sh:main/name=start/" */
static int parse_probe(struct event_spec *s, const char *p, size_t len, struct msg *m)
{
	size_t n = probe_length(p), used = 0;
	int err;

	s->kind = SPEC_PROBE;
	s->name = xstrndup(p, n);
	if (n == len)
		return 0;
	err = parse_terms(s, p + n + 1, len - n - 1, &used, m);
	if (!err && n + 1 + used < len)
		err = msg_set(m, -EINVAL, "%s: a probe has no modifiers", s->name);
	return err;
}

/* "user:shop:checkout", "user:shop:*" */
static int parse_mark(struct event_spec *s, const char *p, size_t len, struct msg *m)
{
	size_t n = strlen(MARK_PREFIX), end = n;

	while (end < len && p[end] != '/')
		end++;
	if (end == n)
		return msg_set(m, -EINVAL,
			       "which marks of programs? user:PROVIDER:EVENT or "
			       "user:PROVIDER:* is needed");
	s->kind = SPEC_MARK;
	s->name = xstrndup(p + n, end - n);
	return parse_tail(s, p + end, len - end, m);
}

/* "uncore_imc/cas_count_read/" of another machine: the vendors' names have capitals. */
static int no_pmu(const char *name, size_t len, struct msg *m)
{
	return msg_set(m, -ENOENT,
		       "there is neither a PMU nor an event \"%.*s\" here; \"perfctl list\" shows "
		       "what this machine has",
		       (int)len, name);
}

static int parse_event(struct event_spec *s, const char *p, size_t len, struct msg *m)
{
	const struct counter_name *c;
	const char *slash, *colon;
	size_t n;
	int err;

	if (len > 4 && !strncmp(p, "cpu/", 4))
		return parse_parts(s, p, len, m);
	if (probe_length(p))
		return parse_probe(s, p, len, m);
	if (len >= strlen(MARK_PREFIX) && !strncmp(p, MARK_PREFIX, strlen(MARK_PREFIX)))
		return parse_mark(s, p, len, m);
	slash = memchr(p, '/', len);
	if (slash && is_type(p, (size_t)(slash - p))) {
		s->type = xstrndup(p, (size_t)(slash - p));
		len -= (size_t)(slash + 1 - p);
		p = slash + 1;
		slash = memchr(p, '/', len);
	}
	if (slash && !s->type && pmu_sysfs_exists(p, (size_t)(slash - p)))
		return parse_pmu(s, p, len, m);
	colon = memchr(p, ':', len);
	n = len;
	if (slash)
		n = (size_t)(slash - p);
	if (colon && (size_t)(colon - p) < n)
		n = (size_t)(colon - p);
	c = hardware_find(p, n);
	s->kind = c ? SPEC_HARDWARE : SPEC_SOFTWARE;
	if (!c)
		c = software_find(p, n);
	if (c) {
		s->config = c->config;
		s->name = xstrdup(c->name);
		return parse_tail(s, p + n, len - n, m);
	}
	if (!n && !colon)
		return msg_set(m, -EINVAL, "an event name is missing");
	if (is_code(p, n)) {
		err = try_processor(s, p, n, m);
		return err ? err : parse_tail(s, p + n, len - n, m);
	}
	/* systems of tracepoints have no capitals */
	if (colon && (!slash || colon < slash) && (s->type || !has_capital(p, n)) &&
	    !(n + 1 < len && p[n + 1] == ':' && n))
		return parse_named(s, p, len, colon, m);
	err = parse_processor(s, p, len, m);
	if (err == -ENOENT && slash == p + n && !s->type && !has_capital(p, n) &&
	    !strstr(m->text, "did you mean"))
		return no_pmu(p, n, m);
	return err;
}

/* Length of the event at @p: up to a comma that is not between slashes, or a brace. */
static size_t event_len(const char *p)
{
	bool in_terms = false;
	size_t n;

	for (n = probe_length(p); p[n]; n++) {
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

static int check_words(const struct event_spec *s, struct msg *m)
{
	if ((s->config1 || s->config2) && s->kind != SPEC_RAW)
		return msg_set(m, -EINVAL, "%s: config1 and config2 are for events by their code: "
			       "r1c4/config1=5/, cpu/event=0xc4,config1=5/", s->name);
	if (s->pmu && !is_hardware(s))
		return msg_set(m, -EINVAL, "%s: \"pmu\" is for hardware events", s->name);
	if (s->pmu > UINT32_MAX)
		return msg_set(m, -EINVAL, "%s: there is no PMU %" PRIu64, s->name, s->pmu);
	return 0;
}

static int add_event(struct event_list *list, const char *p, size_t len, unsigned int group,
		     struct msg *m)
{
	struct event_spec *s = ARRAY_PUSH(list->specs, list->n, list->cap);

	int err;

	s->group = group;
	err = parse_event(s, p, len, m);
	return err ? err : check_words(s, m);
}

/*
 * Modifiers behind a group's brace apply to its members; those that only
 * hardware events have, to these.
 */
static int group_modes(struct event_list *list, unsigned int group, const char *p, size_t len,
		       struct msg *m)
{
	bool mixed = false;
	int err = 0;

	for (size_t i = 0; i < list->n; i++)
		if (list->specs[i].group == group)
			mixed |= is_hardware(&list->specs[i]);
	for (size_t i = 0; i < list->n && !err; i++) {
		struct event_spec *s = &list->specs[i];

		if (s->group != group)
			continue;
		for (size_t k = 0; k < len && !err; k++)
			if (!mixed || is_hardware(s) || p[k] == 'u' || p[k] == 'k' ||
			    !letter_mode(p[k]))
				err = parse_modes(s, p + k, 1, m);
	}
	return err;
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

		if (s->kind == SPEC_HARDWARE || s->kind == SPEC_RAW)
			return msg_set(m, -EINVAL,
				       "%s cannot have a filter, as a PMU counts it: tracepoints, "
				       "markers, probes, software events and timers can", s->name);
		free(s->filter);
		s->filter = xstrdup(filter);
	}
	return 0;
}

/* What takes samples has no moment of its own. */
static bool has_moments(const struct event_spec *s)
{
	return s->period || !(is_clock(s) || s->kind == SPEC_HARDWARE || s->kind == SPEC_RAW);
}

static int make_triggers(struct event_list *list, uint64_t flag, struct msg *m)
{
	for (size_t i = list->n - list->last_n; i < list->n; i++) {
		struct event_spec *s = &list->specs[i];

		if (s->kind == SPEC_MARK)
			return msg_set(
				m, -EINVAL,
				"%s is written by a program, not by the kernel, and triggers "
				"nothing there: a probe of the program can",
				s->name);
		if (!has_moments(s))
			return msg_set(m, -EINVAL,
				       "%s takes samples all the time: a trigger is an event that "
				       "happens, or has a period (%s/period=N/)",
				       s->name, s->name);
		s->trigger = flag;
	}
	return 0;
}

int event_list_triggers(struct event_list *list, const char *text, uint64_t flag, struct msg *m)
{
	const char *filter = strstr(text, " if ");
	char *events = filter ? xstrndup(text, (size_t)(filter - text)) : xstrdup(text);
	int err = event_list_parse(list, events, m);

	if (!err && filter)
		err = event_list_filter(list, filter + strlen(" if "), m);
	free(events);
	return err ? err : make_triggers(list, flag, m);
}

void event_list_take(struct event_list *list, struct event_list *from)
{
	for (size_t i = 0; i < from->n; i++) {
		struct event_spec *s = ARRAY_PUSH(list->specs, list->n, list->cap);

		*s = from->specs[i];
		if (s->group)
			s->group += list->groups;
	}
	list->groups += from->groups;
	free(from->specs);
	*from = (struct event_list){ 0 };
}

int event_list_option(void *list, const char *arg, struct msg *m)
{
	return event_list_parse(list, arg, m);
}

int event_list_filter_option(void *list, const char *arg, struct msg *m)
{
	return event_list_filter(list, arg, m);
}

void event_list_free(struct event_list *list)
{
	for (size_t i = 0; i < list->n; i++) {
		free(list->specs[i].name);
		free(list->specs[i].label);
		free(list->specs[i].type);
		free(list->specs[i].filter);
		free(list->specs[i].unit);
		cpulist_free(&list->specs[i].cpus);
	}
	free(list->specs);
	*list = (struct event_list){ 0 };
}
