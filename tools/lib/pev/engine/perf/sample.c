// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Parses samples. See sample.h.
 */
#include <linux/pev.h>
#include <string.h>
#include "core/compiler.h"
#include "engine/perf/sample.h"

#define READ_LOST	(1U << 4)

/* What would lie before the cgroup, and is not parsed: events of ours don't ask for it */
#define BEFORE_CGROUP                                                               \
	(PERF_SAMPLE_WEIGHT_TYPE | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_TRANSACTION | \
	 PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_PHYS_ADDR)

/* What is left of a record, in words of 8 bytes */
struct words {
	const uint64_t	*at;
	size_t		nr;
};

static uint64_t take(struct words *w, bool wanted, bool *ok)
{
	if (!wanted)
		return 0;
	if (unlikely(!w->nr)) {
		*ok = false;
		return 0;
	}
	w->nr--;
	return *w->at++;
}

static void take_pair(struct words *w, bool wanted, uint32_t *first, uint32_t *second, bool *ok)
{
	uint32_t pair[2];
	uint64_t word = take(w, wanted, ok);

	memcpy(pair, &word, sizeof(pair));
	*first = pair[0];
	*second = pair[1];
}

static const uint64_t *take_many(struct words *w, uint64_t nr, bool *ok)
{
	const uint64_t *at = w->at;

	if (unlikely(nr > w->nr)) {
		*ok = false;
		return NULL;
	}
	w->at += nr;
	w->nr -= nr;
	return at;
}

/* Takes values as read() gives them: times precede a group's, but follow a single one. */
static void take_values(struct words *w, const struct perf_event_attr *attr,
			struct perf_sample *s, bool *ok)
{
	uint64_t format = attr->read_format;
	unsigned int times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
			     !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);

	s->value_words = 1 + !!(format & PERF_FORMAT_ID) + !!(format & READ_LOST);
	if (!(format & PERF_FORMAT_GROUP)) {
		s->values = take_many(w, s->value_words + times, ok);
		s->nr_values = 1;
		return;
	}
	s->nr_values = take(w, true, ok);
	take_many(w, times, ok);
	/* avoid a product that wraps */
	if (s->nr_values > w->nr)
		*ok = false;
	else
		s->values = take_many(w, s->nr_values * s->value_words, ok);
}

static void skip_branches(struct words *w, const struct perf_event_attr *attr, bool *ok)
{
	uint64_t nr = take(w, true, ok);

	take(w, attr->branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX, ok);
	if (nr > w->nr)
		*ok = false;
	else
		take_many(w, nr * sizeof(struct perf_branch_entry) / sizeof(*w->at), ok);
}

/* Takes a length of 4 bytes, and data that end at a multiple of 8 from there. */
static void take_raw(struct words *w, struct perf_sample *s, bool *ok)
{
	const uint8_t *at = (const uint8_t *)w->at;

	if (!w->nr) {
		*ok = false;
		return;
	}
	memcpy(&s->raw_len, at, sizeof(s->raw_len));
	if (take_many(w, (align_up(sizeof(s->raw_len) + (size_t)s->raw_len, 8)) / 8, ok))
		s->raw = at + sizeof(s->raw_len);
}

static void take_regs(struct words *w, const struct perf_event_attr *attr, struct perf_sample *s,
		      bool *ok)
{
	unsigned int nr = (unsigned int)__builtin_popcountll(attr->sample_regs_user);

	s->regs_abi = take(w, true, ok);
	if (!s->regs_abi)
		return;
	s->regs = take_many(w, nr, ok);
	s->nr_regs = nr;
}

static void take_stack(struct words *w, struct perf_sample *s, bool *ok)
{
	uint64_t size = take(w, true, ok), used;

	if (!size)
		return;
	s->stack = (const uint8_t *)take_many(w, size / 8, ok);
	used = take(w, true, ok);
	s->stack_len = used < size ? used : size;
}

/* Whom it hit: KVM has told the kernel. */
static uint32_t guest_of(const struct perf_event_header *record)
{
	switch (record->misc & PERF_RECORD_MISC_CPUMODE_MASK) {
	case PERF_RECORD_MISC_GUEST_KERNEL:
		return PEV_GUEST_CODE;
	case PERF_RECORD_MISC_GUEST_USER:
		return PEV_GUEST_CODE | PEV_GUEST_USER;
	default:
		return 0;
	}
}

bool perf_sample_parse(const struct perf_event_header *record,
		       const struct perf_event_attr *attr, struct perf_sample *s)
{
	struct words w = { (const uint64_t *)(record + 1),
			   (record->size - sizeof(*record)) / sizeof(uint64_t) };
	uint64_t type = attr->sample_type;
	uint32_t ignored;
	bool ok = true;

	memset(s, 0, sizeof(*s));
	s->size = record->size;
	s->raw = (const uint8_t *)(record + 1);
	s->kernel = (record->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
	s->guest = guest_of(record);
	s->id = take(&w, type & PERF_SAMPLE_IDENTIFIER, &ok);
	s->ip = take(&w, type & PERF_SAMPLE_IP, &ok);
	take_pair(&w, type & PERF_SAMPLE_TID, &s->pid, &s->tid, &ok);
	s->time = take(&w, type & PERF_SAMPLE_TIME, &ok);
	s->addr = take(&w, type & PERF_SAMPLE_ADDR, &ok);
	take(&w, type & PERF_SAMPLE_ID, &ok);
	take(&w, type & PERF_SAMPLE_STREAM_ID, &ok);
	take_pair(&w, type & PERF_SAMPLE_CPU, &s->cpu, &ignored, &ok);
	s->period = take(&w, type & PERF_SAMPLE_PERIOD, &ok);
	if (type & PERF_SAMPLE_READ)
		take_values(&w, attr, s, &ok);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		s->chain_len = take(&w, true, &ok);
		s->chain = take_many(&w, s->chain_len, &ok);
	}
	if (type & PERF_SAMPLE_RAW)
		take_raw(&w, s, &ok);
	if (type & PERF_SAMPLE_BRANCH_STACK)
		skip_branches(&w, attr, &ok);
	if (type & PERF_SAMPLE_REGS_USER)
		take_regs(&w, attr, s, &ok);
	if (type & PERF_SAMPLE_STACK_USER)
		take_stack(&w, s, &ok);
	if ((type & (PERF_SAMPLE_CGROUP | BEFORE_CGROUP)) == PERF_SAMPLE_CGROUP)
		s->cgroup = take(&w, true, &ok);
	return ok;
}
