// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Samples that are nothing but words: what is made of them without parsing is what is made with.
 */
#include <errno.h>
#include <linux/pev.h>
#include <string.h>
#include "core/compiler.h"
#include "engine/perf/convert.h"
#include "tap.h"

/* Ours and perf's, in the order of perf's words */
static const struct {
	uint64_t ours;
	uint64_t perf;
} bits[] = {
	{ 0, PERF_SAMPLE_IDENTIFIER },
	{ PEV_SAMPLE_IP, PERF_SAMPLE_IP },
	{ PEV_SAMPLE_PID, PERF_SAMPLE_TID },
	{ 0, PERF_SAMPLE_TIME },
	{ PEV_SAMPLE_ADDR, PERF_SAMPLE_ADDR },
	{ PEV_SAMPLE_CPU, PERF_SAMPLE_CPU },
	{ PEV_SAMPLE_PERIOD, PERF_SAMPLE_PERIOD },
};

/**
 * struct kept - takes one record
 */
struct kept {
	struct sink sink;
	struct record_head head;
	uint8_t body[256];
	size_t len;
};

static int begin(struct sink *sink, uint32_t size, const struct record_head *head, uint8_t **at)
{
	struct kept *k = (struct kept *)sink;

	k->head = *head;
	*at = k->body;
	return size > sizeof(k->body) ? -E2BIG : 0;
}

static int commit(struct sink *sink, uint8_t *end)
{
	struct kept *k = (struct kept *)sink;

	k->len = (size_t)(end - k->body);
	return 0;
}

/**
 * struct record - a sample of perf's
 */
struct record {
	struct perf_event_header header;
	uint64_t words[ARRAY_SIZE(bits)];
};

/* Makes a sample with such members, and what belongs to it. */
static void make(uint64_t sample, struct record *r, struct perf_event_attr *attr,
		 struct perf_class *cls)
{
	const uint64_t always = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	uint32_t nr = 0;

	*attr = (struct perf_event_attr){ .sample_type = always };
	*cls = (struct perf_class){ .id = 7, .sample = PEV_SAMPLE_TID | sample };
	for (size_t i = 0; i < ARRAY_SIZE(bits); i++)
		if (sample & bits[i].ours)
			attr->sample_type |= bits[i].perf;
	for (size_t i = 0; i < ARRAY_SIZE(bits); i++)
		if (attr->sample_type & bits[i].perf)
			r->words[nr++] = 0x8877665544332211 * (i + 1);
	r->header = (struct perf_event_header){
		.type = PERF_RECORD_SAMPLE,
		.size = (uint16_t)(sizeof(r->header) + nr * sizeof(*r->words)),
	};
}

static bool same(uint64_t sample)
{
	struct kept parsed = { .sink = { begin, commit } }, planned = { .sink = { begin, commit } };
	struct perf_event_attr attr;
	struct perf_sample s;
	struct perf_class cls;
	struct perf_plan plan;
	struct record r;

	make(sample, &r, &attr, &cls);
	perf_plan_make(&plan, &cls, &attr);
	if (!plan.words || !perf_sample_parse(&r.header, &attr, &s) ||
	    perf_convert_sample(&parsed.sink, &cls, &s) ||
	    perf_convert_words(&planned.sink, &cls, &plan, &r.header))
		return false;
	r.header.size -= 8;
	return perf_convert_words(&planned.sink, &cls, &plan, &r.header) == -EBADMSG &&
	       parsed.len == planned.len && !memcmp(parsed.body, planned.body, parsed.len) &&
	       !memcmp(&parsed.head, &planned.head, sizeof(parsed.head));
}

/* Is it parsed, with what @change adds? */
static bool parsed_with(void (*change)(struct perf_event_attr *attr, struct perf_class *cls))
{
	struct perf_event_attr attr;
	struct perf_class cls;
	struct perf_plan plan;
	struct record r;

	make(PEV_SAMPLE_IP, &r, &attr, &cls);
	change(&attr, &cls);
	perf_plan_make(&plan, &cls, &attr);
	return !plan.words;
}

static void add_chain(struct perf_event_attr *attr, struct perf_class *cls)
{
	attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
	cls->sample |= PEV_SAMPLE_USTACK;
}

static void add_cgroup(struct perf_event_attr *attr, struct perf_class *cls)
{
	attr->sample_type |= PERF_SAMPLE_CGROUP;
	cls->cgroup = true;
}

static void add_guest(struct perf_event_attr *attr, struct perf_class *cls)
{
	(void)attr;
	cls->sample |= PEV_SAMPLE_GUEST;
}

static void add_excluded(struct perf_event_attr *attr, struct perf_class *cls)
{
	(void)attr;
	cls->excludes = PEV_F_EXCLUDE_KERNEL;
}

static void add_missing(struct perf_event_attr *attr, struct perf_class *cls)
{
	(void)attr;
	cls->sample |= PEV_SAMPLE_ADDR;
}

int main(void)
{
	unsigned int different = 0;

	for (unsigned int set = 0; set < 1U << ARRAY_SIZE(bits); set++) {
		uint64_t sample = 0;

		for (size_t i = 0; i < ARRAY_SIZE(bits); i++)
			sample |= set >> i & 1 ? bits[i].ours : 0;
		different += !same(sample);
	}
	check(!different, "samples of words become the same records without being parsed");
	check(parsed_with(add_chain) && parsed_with(add_cgroup) && parsed_with(add_guest),
	      "those that have more are parsed");
	check(parsed_with(add_excluded), "... and those that may be left out");
	check(parsed_with(add_missing), "... and those that lack something");
	return tap_done();
}
