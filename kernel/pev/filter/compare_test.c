// SPDX-License-Identifier: GPL-2.0
/*
 * Compares filters with the kernel's own: the same expressions, asked about the same records.
 * Where the answers are meant to differ is said at @odd in generate_test.h.
 */
#include <kunit/test.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/pid_namespace.h>
#include <linux/slab.h>
#include "filter/generate_test.h"
#include "filter/parse.h"
#include "filter/program.h"
#include "glue/trace_internal.h"

/* A trace event for the kernel, with the fields of struct made_record. */
struct made_event {
	struct trace_event_class	class;
	struct trace_event_call		call;
	struct ftrace_event_field	fields[ARRAY_SIZE(made_fields)];
};

static struct made_event *make_event(struct kunit *test)
{
	struct made_event *event = kunit_kzalloc(test, sizeof(*event), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, event);
	event->call.class = &event->class;
	INIT_LIST_HEAD(&event->class.fields);
	for (u32 i = 0; i < ARRAY_SIZE(made_fields); i++) {
		const struct made_field *made = &made_fields[i];
		struct ftrace_event_field *field = &event->fields[i];

		field->name = made->name;
		field->type = made->type;
		field->filter_type = filter_assign_type(made->type);
		field->offset = made->field.offset;
		field->size = made->field.size;
		field->is_signed = made->field.sign;
		list_add(&field->link, &event->class.fields);
	}
	return event;
}

/* 1 or 0: what the kernel says; -1: it refused the expression. */
static int kernel_says(struct made_event *event, struct made *m)
{
	struct event_filter *filter = NULL;
	int ret = -1;

	scoped_guard(mutex, &event_mutex) {
		if (!create_event_filter(NULL, &event->call, m->expr, true, &filter)) {
			guard(preempt)();
			ret = filter_match_preds(filter, &m->record);
		}
	}
	free_event_filter(filter);
	return ret;
}

static int pev_says(struct made *m)
{
	const struct pev_filter_scope scope = { .find = made_find, .pid_ns = &init_pid_ns };
	const struct pev_occurrence o = { .record = &m->record, .size = sizeof(m->record) };
	struct pev_filter_mistake why;
	struct pev_program *program = pev_filter_parse(m->expr, &scope, &why);
	int ret;

	if (IS_ERR(program))
		return -1;
	ret = pev_program_passes(program, &o);
	kvfree(program);
	return ret;
}

KUNIT_ARRAY_PARAM(seeds, made_seeds, NULL);

static void as_the_kernel(struct kunit *test)
{
	struct made_event *event = make_event(test);
	struct made *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	u32 compared = 0, passed = 0;

	KUNIT_ASSERT_NOT_NULL(test, m);
	m->seed = *(const u64 *)test->param_value;
	m->task = current;
	while (compared < MADE_A_PART) {
		int theirs, ours;

		migrate_disable();
		made_next(m);
		theirs = m->odd ? 0 : kernel_says(event, m);
		ours = m->odd ? 0 : pev_says(m);
		migrate_enable();
		KUNIT_EXPECT_GE_MSG(test, theirs, 0, "%s\n", m->expr);
		KUNIT_EXPECT_EQ_MSG(test, ours, theirs, "%s\n", m->expr);
		if (theirs < 0 || ours != theirs)
			return;
		compared += !m->odd;
		passed += ours;
		cond_resched();
	}
	KUNIT_EXPECT_GT(test, passed, MADE_A_PART / 4);
	KUNIT_EXPECT_LT(test, passed, MADE_A_PART / 4 * 3);
}

/* An expression of many tests, as perfctl trace makes them, and the longest. */
static void long_ones(struct kunit *test)
{
	struct made_event *event = make_event(test);
	struct made *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, m);
	m->task = current;
	for (u32 value = 0; value < 200; value += 7) {
		m->len = 0;
		m->record.u16 = value;
		made_print(m, "u16 == 0");
		for (u32 i = 2; i < 140; i += 2)
			made_print(m, " || u16 == %u", i);
		KUNIT_EXPECT_EQ(test, pev_says(m), value < 140 && value % 2 == 0);
		KUNIT_EXPECT_EQ(test, kernel_says(event, m), pev_says(m));
	}
}

static struct kunit_case compare_cases[] = {
	KUNIT_CASE_PARAM_ATTR(as_the_kernel, seeds_gen_params, { .speed = KUNIT_SPEED_SLOW }),
	KUNIT_CASE(long_ones),
	{}
};

static struct kunit_suite compare_suite = {
	.name		= "pev_compare",
	.test_cases	= compare_cases,
};

kunit_test_suite(compare_suite);

MODULE_DESCRIPTION("Comparison of pev's filters with the kernel's");
MODULE_LICENSE("GPL");
