// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Marks whose names are known only while the program runs, and the clock that all have. Each
 * is registered alone, and written as <pev/mark.h> writes those of C.
 */
#include <errno.h>
#include <stdlib.h>
#include <pev/mark.h>
#include <pev/pev.h>
#include <pev/user.h>
#include "core/compiler.h"

/* The head of a record, strings of the greatest length in all fields, and a free word */
#define MOST_WORDS (3 + PEV_USER_FIELDS * (1 + PEV_MARK_TEXT / 8))

struct pev_marks {
	struct pev_mark_set set;
	struct pev_user_class cls;
	void *gate;
};

static __attribute__((tls_model("initial-exec"))) __thread struct pev_mark_self self;

static int register_one(struct pev_marks *m, const char *name, const char *format,
			const char *fields)
{
	char strings[PEV_MAX_USER_NAME + 2 * PEV_MAX_USER_FORMAT];
	struct pev_user_mark mark = { .slot = pev_mark_slot(name) };
	uint32_t used = 0;

	mark.name = pev_mark_string(strings, &used, name);
	mark.format = pev_mark_string(strings, &used, format);
	mark.fields = pev_mark_string(strings, &used, fields);
	m->gate = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);
	if (m->gate == MAP_FAILED) {
		m->gate = NULL;
		return -ENOMEM;
	}
	return pev_mark_register(&m->set, &mark, 1, strings, used, m->gate) ? -EOPNOTSUPP : 0;
}

PEV_EXPORT int pev_marks_new(const char *name, const char *format, const char *fields,
			     struct pev_marks **out)
{
	struct pev_marks *m;
	int err;

	*out = NULL;
	if (!pev_mark_possible())
		return -EOPNOTSUPP;
	if (!strchr(name, ':') || strlen(name) >= PEV_MAX_USER_NAME || !pev_mark_is_plain(format) ||
	    !pev_mark_is_plain(fields))
		return -EINVAL;
	m = calloc(1, sizeof(*m));
	if (!m)
		return -ENOMEM;
	err = pev_user_parse(format, fields, &m->cls);
	if (!err)
		err = register_one(m, name, format, fields);
	if (err)
		pev_marks_free(m);
	else
		*out = m;
	return err;
}

PEV_EXPORT void pev_marks_free(struct pev_marks *m)
{
	if (!m)
		return;
	if (m->gate)
		munmap(m->gate, (size_t)sysconf(_SC_PAGESIZE));
	if (m->set.rings)
		munmap(m->set.rings, m->set.nr_rings * m->set.stride);
	free(m);
}

PEV_EXPORT bool pev_marks_on(const struct pev_marks *m)
{
	return m && m->set.gate->on[0];
}

static uint64_t *put_text(uint64_t *at, const struct pev_user_value *v)
{
	uint32_t len = v->len < PEV_MARK_TEXT ? v->len : PEV_MARK_TEXT, units = (len + 7) / 8;

	*at++ = len;
	if (units)
		at[units - 1] = 0;
	memcpy(at, v->text, len);
	return at + units;
}

PEV_EXPORT void pev_marks_write(struct pev_marks *m, const struct pev_user_value *values)
{
	uint64_t words[MOST_WORDS], *at = words + 3;

	if (!pev_marks_on(m))
		return;
	for (uint32_t i = 0; i < m->cls.nr_fields; i++) {
		if (m->cls.fields[i].kind == PEV_USER_TEXT)
			at = put_text(at, &values[i]);
		else
			at = pev_mark_word(at, values[i].word);
		/* a record of more than a packet is none */
		if (at - words > PEV_MARK_UNITS - 2 - (ptrdiff_t)(1 + PEV_MARK_TEXT / 8))
			break;
	}
	pev_mark_emit(&m->set, &self, 0, words, at);
}

PEV_EXPORT uint64_t pev_clock(void)
{
	/* which clock, and that it was asked for: one word, so that all threads may ask */
	static uint32_t known;
	uint32_t clock = __atomic_load_n(&known, __ATOMIC_RELAXED);
	struct pev_user_gate gate = { .clock = clock };
	struct pev_info info;

	if (!clock) {
		if (pev_query_info(&info))
			return 0;
		gate.clock = info.clock;
		__atomic_store_n(&known, info.clock, __ATOMIC_RELAXED);
	}
	return pev_mark_time(&gate);
}
