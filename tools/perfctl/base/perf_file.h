/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The file perf.data as export writes and import reads it. Records and
 * attributes are those of perf_event_open(2); what the perf command adds to
 * them is here.
 */
#ifndef PERFCTL_BASE_PERF_FILE_H
#define PERFCTL_BASE_PERF_FILE_H

#include "util.h"

#include <linux/perf_event.h>
#include <stdint.h>

#define PERF_FILE_MAGIC	      0x32454c4946524550ULL /* "PERFILE2" */
#define PERF_FILE_MAGIC_OTHER 0x50455246494c4532ULL /* in the other byte order */

struct perf_file_section {
	uint64_t offset;
	uint64_t size;
};

/* A pipe's header is the first two members alone. */
struct perf_file_header {
	uint64_t magic;
	uint64_t size;
	uint64_t attr_size;
	struct perf_file_section attrs;
	struct perf_file_section data;
	struct perf_file_section event_types;
	uint64_t features[4];
};

#define PERF_PIPE_HEADER_SIZE 16

/* Feature sections, by bit of perf_file_header.features */
enum perf_feature {
	PERF_FEAT_TRACING_DATA = 1,
	PERF_FEAT_BUILD_ID = 2,
	PERF_FEAT_HOSTNAME = 3,
	PERF_FEAT_OSRELEASE = 4,
	PERF_FEAT_VERSION = 5,
	PERF_FEAT_ARCH = 6,
	PERF_FEAT_NRCPUS = 7,
	PERF_FEAT_CMDLINE = 11,
	PERF_FEAT_EVENT_DESC = 12,
	PERF_FEAT_SAMPLE_TIME = 21,
	PERF_FEAT_CLOCKID = 23,
	PERF_FEAT_COMPRESSED = 27,
	PERF_FEAT_CLOCK_DATA = 29,
	PERF_FEAT_MAX = 256,
};

/* Records that no kernel writes */
enum perf_user_record {
	PERF_USER_ATTR = 64,
	PERF_USER_EVENT_TYPE = 65,
	PERF_USER_TRACING_DATA = 66,
	PERF_USER_BUILD_ID = 67,
	PERF_USER_FINISHED_ROUND = 68,
	PERF_USER_ID_INDEX = 69,
	PERF_USER_AUXTRACE = 71,
	PERF_USER_EVENT_UPDATE = 78,
	PERF_USER_FEATURE = 80,
	PERF_USER_COMPRESSED = 81,
	PERF_USER_COMPRESSED2 = 83,
	PERF_USER_SCHEDSTAT_DOMAIN = 86, /* the last one that we know */
};

/* AUX area data: @size bytes follow the record, padded already */
struct perf_auxtrace {
	struct perf_event_header header;
	uint64_t size;
};

/* As PERF_USER_COMPRESSED, but padded: the data has its own size. */
struct perf_compressed2 {
	struct perf_event_header header;
	uint64_t data_size;
};

#define PERF_UPDATE_NAME	  2
#define PERF_MISC_BUILD_ID_SIZE (1 << 15)

/* A build id in a section or record; the path follows. */
struct perf_build_id {
	struct perf_event_header header;
	int32_t pid;
	uint8_t id[20];
	uint8_t size;
	uint8_t reserved[3];
};

/* What attributes have in all of their versions that we write */
#define PERF_ATTR_BYTES 112

/* The feature VERSION of what export writes begins with this. */
#define PERF_OUR_VERSION "perfctl "

/* Is it a perf.data that export has not written? */
bool perf_file_is_original(const char *path);

#endif
