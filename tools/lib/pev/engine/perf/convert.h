/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Converts perf's records to ours.
 */
#ifndef _PEV_ENGINE_PERF_CONVERT_H
#define _PEV_ENGINE_PERF_CONVERT_H

#include <linux/perf_event.h>
#include <linux/pev.h>
#include "engine/perf/builds.h"
#include "engine/perf/format.h"
#include "engine/perf/sample.h"
#include "engine/perf/sink.h"

/**
 * struct copy - bytes of a tracepoint's data that go into a record together
 * @from: in the raw data
 * @to:   in the payload's fixed part
 */
struct copy {
	uint32_t	from;
	uint32_t	to;
	uint32_t	size;
};

/**
 * struct perf_class - a class of our records, and how to make them
 * @id:      in records and metadata
 * @type:    enum pev_type
 * @name:    of the event
 * @sample:  PEV_SAMPLE_* that its records carry
 * @excludes: PEV_F_EXCLUDE_*: of samples that come nevertheless
 * @freq:    @period is a frequency
 * @cgroup:  PEV_EF_CGROUP: they carry the thread's cgroup, too
 * @raw:     they carry what perf calls raw data as it is
 * @format:  of a tracepoint; @format.name is NULL for others
 * @copies:  what its fixed part is made of, @fixed bytes
 */
struct perf_class {
	uint32_t		id;
	uint32_t		type;
	char			*name;
	uint64_t		sample;
	uint64_t		period;
	uint64_t excludes;
	bool			freq;
	bool cgroup;
	bool			raw;
	struct tp_format	format;
	struct copy		*copies;
	size_t			nr_copies;
	uint32_t		fixed;
};

#define PLAN_WORDS 8

/**
 * struct perf_plan - how a record is made of a sample that is nothing but words: without parsing it
 * @words: of the sample; 0: it has more than words
 * @tid:   which of them has process and thread
 * @time:  ... and the time
 * @nr:    words of the record, each @from one of the sample's, with the bits of @mask
 */
struct perf_plan {
	uint32_t words;
	uint32_t tid;
	uint32_t time;
	uint32_t nr;
	uint32_t from[PLAN_WORDS];
	uint64_t mask[PLAN_WORDS];
};

/* Plans the records of a class, or leaves @plan empty. */
void perf_plan_make(struct perf_plan *plan, const struct perf_class *cls,
		    const struct perf_event_attr *attr);
/* As perf_convert_sample(), of a sample that is not parsed; -EBADMSG if it is too short */
int perf_convert_words(struct sink *sink, const struct perf_class *cls,
		       const struct perf_plan *plan, const struct perf_event_header *record);

/* Lays out the class by @cls.format. 0 or -ENOMEM */
int perf_class_layout(struct perf_class *cls);
void perf_class_free(struct perf_class *cls);

/* Kinds of the sideband that only perf has, behind those of enum pev_sideband */
enum perf_sideband {
	/* a function that came into the kernel: a BPF program, a trampoline */
	PERF_SB_FUNCTION = PEV_SB_MAX,

	PERF_SB_MAX,
};

/* Returns as sink's begin() and commit(), and -E2BIG for more data than perf's record has */
int perf_convert_sample(struct sink *sink, const struct perf_class *cls,
			const struct perf_sample *sample);

/**
 * struct known_build - the build id of a file, from elsewhere than its mappings
 */
struct known_build {
	char		*path;
	uint8_t		id[20];
	size_t		len;
};

/**
 * struct known_builds - of several
 * @files: what was read from the files themselves, if they are here; or NULL
 */
struct known_builds {
	struct known_build	*at;
	size_t			nr;
	struct builds **files;
};

/* Of a switch of thread @tid, by PERF_RECORD_SWITCH. Returns as sink's begin() and commit() */
int perf_convert_switch(struct sink *sink, uint32_t id, const struct perf_event_header *record,
			uint32_t tid, uint64_t time);

/* Bytes of a record that the kernel has written: its size, or less */
size_t perf_record_size(const struct perf_event_header *record);

#define PERF_NO_CLASS	UINT32_MAX

/**
 * perf_convert_sideband() - a record about a process
 * @record: in memory that has header.size bytes, aligned to 8
 * @ids:    the sideband's classes, by enum pev_sideband and perf_sideband; PERF_NO_CLASS:
 *          they are left out
 * @builds: for mappings without a build id, or NULL
 *
 * Return: 1; 0 if we have no such record; -EBADMSG for a damaged one; or the sink's
 * error.
 */
int perf_convert_sideband(struct sink *sink, const uint32_t ids[PERF_SB_MAX],
			  const struct perf_event_header *record, uint64_t time,
			  const struct known_builds *builds);

#endif /* _PEV_ENGINE_PERF_CONVERT_H */
