// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The records of all system calls, taken by one perf event. See calls.h.
 *
 * The data of raw_syscalls:sys_enter and sys_exit begin with the number of the call, in 64 bits,
 * and go on as those of the call's own tracepoints do, which begin with it in 32 and pad: on a
 * little-endian machine the fields of these lie where the kernel says.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "engine/perf/calls.h"
#include "engine/perf/error.h"
#include "engine/perf/tracepoint.h"
#include "sys/syscalls.h"

#define MOST_CALLS	1024

/**
 * struct call_class - what records of one call are made by
 * @asked: its format was looked for, and the class described: it stays as it is
 * @cls:   NULL: it has no tracepoint
 */
struct call_class {
	bool			asked;
	struct perf_class	*cls;
};

/**
 * struct calls - by number
 * @prefix: of the names of their tracepoints
 */
struct calls {
	const struct perf_engine	*engine;
	const char			*prefix;
	struct call_class		by_nr[MOST_CALLS];
};

int perf_calls_check(const struct pev_attr *attr, struct pev_error *err)
{
	const char *name = (const char *)(uintptr_t)attr->name;

	if (attr->type != PEV_TYPE_TRACEPOINT || !name || attr->channel_fd < 0 ||
	    (strcmp(name, "raw_syscalls:sys_enter") && strcmp(name, "raw_syscalls:sys_exit")))
		return pev_fail(err, EINVAL, 0, "PEV_EF_CALLS is for raw_syscalls:sys_enter and "
				"raw_syscalls:sys_exit that record");
	return 0;
}

int perf_calls_new(const struct perf_engine *engine, struct event *event)
{
	struct calls *c = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	c->engine = engine;
	c->prefix = strstr(event->cls.name, "sys_exit") ? "syscalls:sys_exit_" :
							   "syscalls:sys_enter_";
	event->calls = c;
	return 0;
}

void perf_calls_free(struct calls *c)
{
	for (size_t i = 0; c && i < MOST_CALLS; i++) {
		if (!c->by_nr[i].cls)
			continue;
		perf_class_free(c->by_nr[i].cls);
		free(c->by_nr[i].cls);
	}
	free(c);
}

static int make_class(const struct event *event, const char *name, struct perf_class **to)
{
	const struct perf_class *model = &event->cls;
	struct perf_class *cls = calloc(1, sizeof(*cls));
	int ret;

	if (!cls)
		return -ENOMEM;
	ret = perf_tracepoint_format(event->calls->engine, name, &cls->format, NULL);
	if (!ret && !tp_format_usable(&cls->format))
		ret = -ENOENT;
	if (!ret) {
		cls->type = model->type;
		cls->sample = model->sample;
		cls->period = model->period;
		cls->name = strdup(name);
		ret = cls->name ? perf_class_layout(cls) : -ENOMEM;
	}
	if (!ret) {
		*to = cls;
		return 0;
	}
	perf_class_free(cls);
	free(cls);
	return ret;
}

static int find_class(const struct event *event, unsigned int nr, struct perf_class **cls)
{
	char name[PEV_MAX_NAME];
	const char *function;
	int ret = -ENOENT;

	for (unsigned int i = 0; ret == -ENOENT && (function = syscall_function(nr, i)); i++) {
		snprintf(name, sizeof(name), "%s%s", event->calls->prefix, function);
		ret = make_class(event, name, cls);
	}
	return ret == -ENOENT ? 0 : ret;
}

/* The call of a sample; NULL if there is no such call. 0 or -EBADMSG */
static int call_of(const struct event *event, const struct perf_sample *s, struct call_class **call)
{
	const struct tp_field *id = event->cls.format.fields;
	uint64_t nr;

	*call = NULL;
	/* its tracepoints leave out programs of 32 bits, too, which have other numbers */
	if (s->regs_abi == PERF_SAMPLE_REGS_ABI_32)
		return 0;
	if (id->size != sizeof(nr) || s->raw_len < sizeof(nr) ||
	    id->offset > s->raw_len - sizeof(nr))
		return -EBADMSG;
	memcpy(&nr, s->raw + id->offset, sizeof(nr));
	if (nr < MOST_CALLS)
		*call = &event->calls->by_nr[nr];
	return 0;
}

int perf_calls_class(const struct event *event, const struct perf_sample *s,
		     const struct perf_class **cls)
{
	struct call_class *call;
	int ret = call_of(event, s, &call);

	*cls = NULL;
	if (ret || !call)
		return ret;
	if (unlikely(!__atomic_load_n(&call->asked, __ATOMIC_ACQUIRE)))
		return -ENODATA;
	*cls = call->cls;
	return 0;
}

int perf_calls_ask(const struct event *event, const struct perf_sample *s,
		   int (*describe)(void *arg, struct perf_class *cls), void *arg)
{
	struct call_class *call;
	int ret = call_of(event, s, &call);

	if (ret || !call || call->asked)
		return ret;
	if (!call->cls)
		ret = find_class(event, (unsigned int)(call - event->calls->by_nr), &call->cls);
	if (!ret && call->cls)
		ret = describe(arg, call->cls);
	/* pairs with perf_calls_class() of other threads */
	if (!ret)
		__atomic_store_n(&call->asked, true, __ATOMIC_RELEASE);
	return ret;
}
