/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perfctl import: turns a perf.data into a trace. Reads it twice: first the
 * descriptions of events (file.c, format.c), then the records, sorted by time in
 * rounds (sort.c), which libpev converts (write.c). Files are untrusted.
 */
#ifndef PERFCTL_IMPORT_IMPORT_H
#define PERFCTL_IMPORT_IMPORT_H

#include "base/perf_file.h"
#include "session/object.h"

#include <pev/pev.h>

/**
 * struct import_event - an attribute of the file
 * @name:   as perf shows it; NULL until it is known
 */
struct import_event {
	struct perf_event_attr attr;
	char *name;
};

struct import_id {
	uint64_t id;
	uint32_t event;
};

/* one past the last PERF_RECORD_* of the kernel that is known */
#define IMPORT_KERNEL_TYPES (PERF_RECORD_AUX_OUTPUT_HW_ID + 1)

/**
 * struct import - one run of the command
 * @data:     the file, mapped
 * @records:  of the file: where records are
 * @perf:     what makes metadata and records, knows the file's build ids as well
 * @formats:  of tracepoints
 * @clock_offset: ns from the records' clock to the epoch
 * @written:  when the file was written, ns since the epoch
 * @kernel:   build id of the kernel
 * @text_symbol: a function of the kernel, NULL: not known; @text_address: where it was
 * @why_end:  why reading ended before the end of the file, NULL: it did not
 * @skipped:  the kernel's records that have no counterpart, by type
 * @unknown:  records of types that are newer than this program; @unknown_type: the last one's
 * @aux:      bytes of AUX data
 */
struct import {
	const char *path;
	char head[8];
	size_t n_head;
	const uint8_t *data;
	uint64_t size;
	struct perf_file_section records;
	bool pipe;
	struct import_event *events;
	size_t n_events, cap_events;
	struct import_id *ids;
	size_t n_ids, cap_ids;
	struct htab h_ids;
	struct pev_perf *perf;
	uint32_t formats;
	struct build_id kernel;
	char *text_symbol;
	uint64_t text_address;
	char *hostname, *release, *machine, *command;
	uint32_t cpus;
	int64_t clock_offset;
	int64_t written;
	const char *why_end;
	uint64_t end_at;
	uint64_t skipped[IMPORT_KERNEL_TYPES];
	uint64_t unknown, aux;
	uint32_t unknown_type;
	uint64_t samples, sideband, lost, late, broken;
	struct import_writer *writer;
	struct import_queue *queue;
};

/**
 * struct import_head - what any record has
 * @event: that it belongs to, NULL if that is not known
 */
struct import_head {
	uint64_t time;
	uint32_t pid, tid, cpu;
	const struct import_event *event;
};

#endif
