/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perfctl import: a perf.data becomes a trace. Read twice: first what is said
 * about events (import_file.c, import_meta.c makes metadata of it), then the
 * records, sorted by time in rounds (import_sort.c), which become ours
 * (import_write.c). Files are believed nothing.
 */
#ifndef PERFCTL_IMPORT_H
#define PERFCTL_IMPORT_H

#include "object.h"
#include "perf_file.h"

#include <pev/pev.h>

/**
 * struct bytes - a piece of the file that is read from its front
 * @short_: more was asked for than there is; what was given then is 0
 */
struct bytes {
	const uint8_t *p;
	const uint8_t *end;
	bool short_;
};

uint64_t bytes_u64(struct bytes *b);
uint32_t bytes_u32(struct bytes *b);
/* NULL if there are not so many. */
const void *bytes_take(struct bytes *b, uint64_t n);
/* A string up to its NUL within @room bytes, which are taken; "" if there is none. */
const char *bytes_text(struct bytes *b, uint64_t room);

/**
 * struct import_field - a field of a tracepoint, from its format
 * @offset:  in the raw data
 * @size:    bytes in all
 * @count:   elements
 * @dynamic: a __data_loc word
 */
struct import_field {
	char *name;
	uint32_t offset;
	uint32_t size;
	uint32_t count;
	bool is_signed;
	bool is_text;
	bool is_pointer;
	bool dynamic;
};

struct import_format {
	uint64_t id;
	char *name; /* "sched:sched_switch" */
	struct import_field *fields;
	size_t n, cap;
};

/**
 * struct import_event - an attribute of the file
 * @name:   as perf shows it; NULL until it is known
 * @format: of tracepoints, NULL if the file has none
 * @sample: PEV_SAMPLE_* of what its records become
 * @cls:    its class in our metadata
 */
struct import_event {
	struct perf_event_attr attr;
	char *name;
	const struct import_format *format;
	uint64_t sample;
	const struct pev_class *cls;
};

struct import_id {
	uint64_t id;
	uint32_t event;
};

struct import_build {
	char *path;
	struct build_id id;
};

/**
 * struct import - one run of the command
 * @data:     the file, mapped
 * @records:  of the file: where records are
 * @clock_offset: ns from the records' clock to the epoch
 * @written:  when the file was, ns since the epoch
 * @kernel:   build id of the kernel
 * @text_symbol: a function of the kernel, NULL: not known; @text_address: where it was
 * @why_end:  why reading ended before the end of the file, NULL: it did not
 * @skipped:  records that have no counterpart, by type
 */
struct import {
	const char *path;
	const uint8_t *data;
	uint64_t size;
	struct perf_file_section records;
	bool pipe;
	struct import_event *events;
	size_t n_events, cap_events;
	struct import_id *ids;
	size_t n_ids, cap_ids;
	struct htab h_ids;
	struct import_format *formats;
	size_t n_formats, cap_formats;
	struct import_build *builds;
	size_t n_builds, cap_builds;
	struct build_id kernel;
	char *text_symbol;
	uint64_t text_address;
	char *hostname, *release, *machine, *command;
	uint32_t cpus;
	int64_t clock_offset;
	int64_t written;
	const char *why_end;
	uint64_t end_at;
	uint64_t skipped[256];
	uint64_t samples, sideband, lost, late, broken;
	struct import_writer *writer;
	struct import_queue *queue;
};

/**
 * struct import_head - what any record says of itself
 * @event: that it belongs to, NULL if that is not known
 */
struct import_head {
	uint64_t time;
	uint32_t pid, tid, cpu;
	const struct import_event *event;
};

/* import_file.c */
int import_open(struct import *im, struct msg *m);
/* Calls for each record, compressed ones unpacked; what lies at @r lives for the call only,
 * unless @stays. */
typedef int (*import_record_fn)(struct import *im, const struct perf_event_header *r, bool stays,
				struct msg *m);
int import_each(struct import *im, import_record_fn fn, struct msg *m);
/* What a record says of itself; false: it makes no sense. */
bool import_head(const struct import *im, const struct perf_event_header *r,
		 struct import_head *h);
const struct import_event *import_event_by_id(const struct import *im, uint64_t id);
void import_free(struct import *im);

/* import_format.c: the formats of tracepoints */
void import_tracing_data(struct import *im, struct bytes b);

/* import_meta.c: TSDL for all events; @text is to be freed */
char *import_metadata(struct import *im, size_t *len);

/* import_sort.c */
int import_queue_add(struct import *im, const struct perf_event_header *r, bool stays,
		     struct msg *m);
/* All that is left. */
int import_queue_end(struct import *im, struct msg *m);
void import_queue_free(struct import *im);

/* import_write.c */
int import_write_open(struct import *im, const char *path, const char *kallsyms, struct msg *m);
/* In order of time; @time: ns of the records' clock */
int import_write(struct import *im, const struct perf_event_header *r, uint64_t time,
		 struct msg *m);
int import_write_close(struct import *im, int err, struct msg *m);

#endif
