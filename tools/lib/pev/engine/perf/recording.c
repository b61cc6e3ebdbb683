// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Converts perf's recordings: the engine's conversion for records of a file.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <pev/pev.h>
#include "core/compiler.h"
#include "ctf/encoder.h"
#include "ctf/head.h"
#include "engine/perf/metadata.h"

#define NS_PER_S	1000000000

/**
 * struct recorded_event - an event of a recording
 * @attr: of perf
 */
struct recorded_event {
	struct perf_event_attr	attr;
	struct perf_class	cls;
};

/**
 * struct pev_perf - a recording
 * @builds: of files
 */
struct pev_perf {
	struct tp_format	*formats;
	size_t			nr_formats;
	size_t			room_formats;
	struct recorded_event	*events;
	size_t			nr_events;
	size_t			room_events;
	struct known_builds	builds;
	size_t			room_builds;
};

/**
 * struct packets - a sink that puts records into an encoder's packets
 */
struct packets {
	struct sink		sink;
	struct pev_encoder	*enc;
};

/* Returns @array with room for one more element, or NULL and leaves it as it is. */
static void *grow(void *array, size_t size, size_t nr, size_t *room)
{
	size_t wish = *room ? 2 * *room : 16;

	if (nr < *room)
		return array;
	array = realloc(array, wish * size);
	if (array)
		*room = wish;
	return array;
}

PEV_EXPORT int pev_perf_new(struct pev_perf **perf)
{
	*perf = calloc(1, sizeof(**perf));
	return *perf ? 0 : -ENOMEM;
}

PEV_EXPORT void pev_perf_free(struct pev_perf *perf)
{
	if (!perf)
		return;
	for (size_t i = 0; i < perf->nr_formats; i++)
		tp_format_free(&perf->formats[i]);
	for (size_t i = 0; i < perf->nr_events; i++)
		perf_class_free(&perf->events[i].cls);
	for (size_t i = 0; i < perf->builds.nr; i++)
		free(perf->builds.at[i].path);
	free(perf->formats);
	free(perf->events);
	free(perf->builds.at);
	free(perf);
}

/* ---- What is said of events ---- */

PEV_EXPORT int pev_perf_format(struct pev_perf *perf, const char *system, const char *text,
			       size_t len)
{
	struct tp_format *more = grow(perf->formats, sizeof(*more), perf->nr_formats,
				      &perf->room_formats);
	int ret;

	if (!more)
		return -ENOMEM;
	perf->formats = more;
	ret = tp_format_parse(&more[perf->nr_formats], system, text, len);
	if (!ret)
		perf->nr_formats++;
	return ret;
}

/* Finds a format by id; of several the last one counts. */
static const struct tp_format *find_format(const struct pev_perf *perf, uint64_t id)
{
	for (size_t i = perf->nr_formats; i-- > 0;)
		if (perf->formats[i].id == id)
			return &perf->formats[i];
	return NULL;
}

PEV_EXPORT const char *pev_perf_tracepoint(const struct pev_perf *perf, uint64_t id)
{
	const struct tp_format *f = find_format(perf, id);

	return f ? f->name : NULL;
}

PEV_EXPORT int pev_perf_build_id(struct pev_perf *perf, const char *path, const void *id,
				 size_t len)
{
	struct known_build *more = grow(perf->builds.at, sizeof(*more), perf->builds.nr,
					&perf->room_builds);
	struct known_build b = { .path = strdup(path) };

	if (more)
		perf->builds.at = more;
	if (!more || !b.path) {
		free(b.path);
		return -ENOMEM;
	}
	b.len = len < sizeof(b.id) ? len : sizeof(b.id);
	memcpy(b.id, id, b.len);
	more[perf->builds.nr++] = b;
	return 0;
}

static uint32_t type_of(const struct perf_event_attr *a)
{
	switch (a->type) {
	case PERF_TYPE_SOFTWARE:
		return a->config == PERF_COUNT_SW_CPU_CLOCK ||
		       a->config == PERF_COUNT_SW_TASK_CLOCK ? PEV_TYPE_TIMER : PEV_TYPE_SOFTWARE;
	case PERF_TYPE_TRACEPOINT:
		return PEV_TYPE_TRACEPOINT;
	case PERF_TYPE_HARDWARE:
	case PERF_TYPE_HW_CACHE:
		return PEV_TYPE_HARDWARE;
	default:
		return PEV_TYPE_RAW;
	}
}

/* Returns what perf recorded, as far as our records have a member for it. */
static uint64_t sample_of(const struct perf_event_attr *attr, const struct tp_format *format)
{
	static const struct {
		uint64_t	perf;
		uint64_t	ours;
		const char	*name;
	} bits[] = {
		{ PERF_SAMPLE_TID, PEV_SAMPLE_PID, "pid" },
		{ PERF_SAMPLE_IP, PEV_SAMPLE_IP, "ip" },
		{ PERF_SAMPLE_ADDR, PEV_SAMPLE_ADDR, "addr" },
		{ PERF_SAMPLE_PERIOD, PEV_SAMPLE_PERIOD, "period" },
		{ PERF_SAMPLE_CALLCHAIN, PEV_SAMPLE_KSTACK | PEV_SAMPLE_USTACK, "kstack" },
		{ PERF_SAMPLE_REGS_USER, PEV_SAMPLE_UREGS, "uregs" },
		{ PERF_SAMPLE_READ, PEV_SAMPLE_READ, "values" },
		{ PERF_SAMPLE_STACK_USER, PEV_SAMPLE_USTACK_DUMP, "dump" },
	};
	uint64_t sample = PEV_SAMPLE_TID;

	for (size_t i = 0; i < ARRAY_SIZE(bits); i++)
		if ((attr->sample_type & bits[i].perf) && !tp_format_has(format, bits[i].name, ""))
			sample |= bits[i].ours;
	return sample;
}

static int set_up_class(struct pev_perf *perf, struct perf_class *cls, const char *name,
			const struct perf_event_attr *attr)
{
	const struct tp_format *format = NULL;
	int ret = 0;

	if (attr->type == PERF_TYPE_TRACEPOINT)
		format = find_format(perf, attr->config);
	if (format && !tp_format_usable(format))
		format = NULL;
	cls->type = type_of(attr);
	cls->sample = sample_of(attr, format);
	cls->period = attr->sample_period;
	cls->freq = attr->freq;
	cls->raw = !format && (attr->sample_type & PERF_SAMPLE_RAW);
	cls->name = strdup(name);
	if (!cls->name)
		return -ENOMEM;
	if (format)
		ret = tp_format_copy(&cls->format, format);
	if (format && !ret)
		ret = perf_class_layout(cls);
	return ret;
}

PEV_EXPORT int pev_perf_event(struct pev_perf *perf, const char *name,
			      const struct perf_event_attr *attr)
{
	struct recorded_event *more = grow(perf->events, sizeof(*more), perf->nr_events,
					   &perf->room_events);
	/* the sideband's ids come first */
	struct recorded_event e = {
		.attr = *attr,
		.cls = { .id = PERF_SB_MAX + (uint32_t)perf->nr_events },
	};
	int ret;

	if (!more)
		return -ENOMEM;
	perf->events = more;
	ret = set_up_class(perf, &e.cls, name, attr);
	if (ret) {
		perf_class_free(&e.cls);
		return ret;
	}
	more[perf->nr_events] = e;
	return (int)perf->nr_events++;
}

PEV_EXPORT int pev_perf_metadata(struct pev_perf *perf, const struct pev_perf_machine *machine,
				 char **out, size_t *len)
{
	const struct ctf_env env = { machine->hostname, machine->release, machine->machine, NULL };
	struct text text = { 0 };
	uint8_t uuid[16];

	if (getrandom(uuid, sizeof(uuid), 0) != sizeof(uuid))
		memset(uuid, 0x5a, sizeof(uuid));
	ctf_head(&text, uuid, &env, machine->clock_offset / NS_PER_S,
		 machine->clock_offset % NS_PER_S);
	for (unsigned int i = 0; i < PERF_SB_MAX; i++)
		metadata_sideband(&text, i, i);
	for (size_t i = 0; i < perf->nr_events; i++)
		metadata_event(&text, &perf->events[i].cls);
	return text_take(&text, out, len);
}

/* ---- Records ---- */

static struct packets *packets_of(struct sink *sink)
{
	return (struct packets *)((uint8_t *)sink - offsetof(struct packets, sink));
}

static int begin_record(struct sink *sink, uint32_t size, const struct record_head *head,
			uint8_t **at)
{
	struct pev_encoder *enc = packets_of(sink)->enc;
	const struct pev_class *cls = encoder_class(enc, head->id);

	return cls ? encoder_body(enc, cls, head->time, head->tid, size, at) : -EINVAL;
}

static int commit_record(struct sink *sink, uint8_t *end)
{
	return encoder_commit_body(packets_of(sink)->enc, end);
}

PEV_EXPORT int pev_perf_sample(struct pev_perf *perf, struct pev_encoder *enc,
			       unsigned int event, const struct perf_event_header *record,
			       uint64_t time)
{
	struct packets to = { { begin_record, commit_record }, enc };
	const struct recorded_event *e;
	struct perf_sample sample;

	if (event >= perf->nr_events || record->size < sizeof(*record))
		return -EINVAL;
	e = &perf->events[event];
	if (!perf_sample_parse(record, &e->attr, &sample))
		return -EBADMSG;
	sample.time = time;
	return perf_convert_sample(&to.sink, &e->cls, &sample);
}

PEV_EXPORT int pev_perf_sideband(struct pev_perf *perf, struct pev_encoder *enc,
				 const struct perf_event_header *record, uint64_t time)
{
	static const uint32_t ids[PERF_SB_MAX] = {
		[PEV_SB_MMAP] = PEV_SB_MMAP, [PEV_SB_COMM] = PEV_SB_COMM,
		[PEV_SB_FORK] = PEV_SB_FORK, [PEV_SB_EXEC] = PEV_SB_EXEC,
		[PEV_SB_EXIT] = PEV_SB_EXIT, [PERF_SB_FUNCTION] = PERF_SB_FUNCTION,
	};
	struct packets to = { { begin_record, commit_record }, enc };

	if (record->size < sizeof(*record))
		return -EBADMSG;
	return perf_convert_sideband(&to.sink, ids, record, time, &perf->builds);
}
