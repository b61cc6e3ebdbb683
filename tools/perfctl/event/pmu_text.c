// SPDX-License-Identifier: GPL-2.0
/* Parses the kernel's text about the counters. See pmu_text.h. */
#include "pmu_text.h"
#include "kernel.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

static const struct pmu_word features[] = {
	{ "freezes", "all counters stop at an overflow, so that samples do not count their own cost" },
	{ "user-reads", "programs can read their counters without a system call" },
	{ "marks", "the processor tells marked tasks from others (counting costs nothing at a switch)" },
};

static const struct pmu_word drivers[] = {
	{ "pev", "pev's own driver" },
	{ "perf", "perf's driver, beside perf's own events" },
};

static const struct pmu_word incidents[] = {
	{ "late", "interrupts whose overflow had been dealt with before" },
	{ "foreign", "registers that something else changed, and pev repaired" },
	{ "stuck", "overflows that could not be acknowledged" },
	{ "lost", "overflows without an interrupt, found a second later" },
	{ "paused", "counters stood still at times: the host needed them, or took them back" },
};

static const char *about(const struct pmu_word *words, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(words[i].name, name))
			return words[i].text;
	return "";
}

const char *pmu_driver_about(const char *driver)
{
	return about(drivers, ARRAY_SIZE(drivers), driver);
}

const char *pmu_feature_about(const char *name)
{
	return about(features, ARRAY_SIZE(features), name);
}

const char *pmu_incident_about(const char *name)
{
	return about(incidents, ARRAY_SIZE(incidents), name);
}

/* Returns the next word of a line and ends it there; "" at the end. */
static char *word(char **line)
{
	char *start = *line, *end = start + strcspn(start, " ");

	*line = *end ? end + 1 : end;
	*end = '\0';
	return start;
}

/* bit 30 chooses rdpmc's fixed counters */
#define FLAGS (1u << 30)

static void parse_counter(struct pmu_text *p, char *rest)
{
	struct pmu_counter c = { .holder = "" };

	c.nr = (unsigned int)strtoul(word(&rest), NULL, 10);
	c.name = word(&rest);
	c.bits = (unsigned int)strtoul(word(&rest), NULL, 10);
	if (strcmp(word(&rest), "bits") || strcmp(word(&rest), "user") || !*rest)
		return;
	c.user = word(&rest);
	*ARRAY_PUSH(p->counters, p->n_counters, p->cap_counters) = c;
}

const char *pmu_counter_user(const struct pmu_counter *c, char buf[24])
{
	uint64_t nr;

	if (parse_u64(c->user, &nr))
		return "cannot read it";
	snprintf(buf, 24, nr >= FLAGS ? "0x%" PRIx64 : "%" PRIu64, nr);
	return buf;
}

static void parse_holder(struct pmu_text *p, char *rest)
{
	const char *name = word(&rest);

	for (size_t i = 0; i < p->n_counters; i++)
		if (!strcmp(p->counters[i].name, name))
			p->counters[i].holder = rest;
}

static void parse_use(struct pmu_text *p, char *rest)
{
	struct pmu_use *u = ARRAY_PUSH(p->uses, p->n_uses, p->cap_uses);

	u->cpu = (unsigned int)strtoul(word(&rest), NULL, 10);
	u->counter = word(&rest);
	u->event = rest;
}

static void parse_pmu(struct pmu_text *p, char *rest)
{
	unsigned int id = (unsigned int)strtoul(word(&rest), NULL, 10);

	/* that of the cores comes first, and what follows is about it */
	if (p->name || !*rest)
		return;
	p->id = id;
	p->name = rest;
}

static void parse_line(struct pmu_text *p, char *line)
{
	char *rest = line;
	const char *what = word(&rest);
	struct pmu_word *w = NULL;

	if (!*rest)
		return;
	if (!strcmp(what, "pmu"))
		parse_pmu(p, rest);
	else if (!strcmp(what, "driver"))
		p->driver = rest;
	else if (!strcmp(what, "counter"))
		parse_counter(p, rest);
	else if (!strcmp(what, "holder"))
		parse_holder(p, rest);
	else if (!strcmp(what, "cpu"))
		parse_use(p, rest);
	else if (!strcmp(what, "feature"))
		w = ARRAY_PUSH(p->features, p->n_features, p->cap_features);
	else if (!strcmp(what, "incident"))
		w = ARRAY_PUSH(p->incidents, p->n_incidents, p->cap_incidents);
	else if (!strcmp(what, "event"))
		w = ARRAY_PUSH(p->missing, p->n_missing, p->cap_missing);
	else if (!strcmp(what, "grant"))
		w = ARRAY_PUSH(p->grants, p->n_grants, p->cap_grants);
	if (w) {
		size_t len;

		w->name = word(&rest);
		len = strlen(w->name);
		/* a reason may name the event once more */
		w->text = !strncmp(rest, w->name, len) && !strncmp(rest + len, ": ", 2) ?
				  rest + len + 2 : rest;
	}
}

void pmu_text_parse(struct pmu_text *p, const char *text)
{
	char *save, *line;

	*p = (struct pmu_text){ .buf = xstrdup(text), .driver = "" };
	for (line = strtok_r(p->buf, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		parse_line(p, line);
}

int pmu_text_read(struct pmu_text *p, struct msg *m)
{
	struct pev_attr attr = { .type = PEV_TYPE_PMU };
	struct strbuf b = { 0 };
	struct pev_error why;
	char buf[4096];
	ssize_t n;
	int fd;

	*p = (struct pmu_text){ 0 };
	fd = pev_attr_open(&attr, 0, &why);
	if (fd < 0)
		return kernel_refused(m, fd, &why, "the state of the counters");
	while ((n = read(fd, buf, sizeof(buf))) > 0)
		strbuf_add(&b, buf, (size_t)n);
	if (n < 0)
		msg_set(m, -EIO, "reading the state of the counters: %s", strerror(errno));
	else
		pmu_text_parse(p, b.s ? b.s : "");
	close(fd);
	strbuf_free(&b);
	return n < 0 ? -EIO : 0;
}

void pmu_text_free(struct pmu_text *p)
{
	free(p->features);
	free(p->counters);
	free(p->uses);
	free(p->incidents);
	free(p->missing);
	free(p->grants);
	free(p->buf);
	*p = (struct pmu_text){ 0 };
}
