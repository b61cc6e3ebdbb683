/* SPDX-License-Identifier: GPL-2.0 */
/* What a recording holds: its events and how many of them, programs, rings, files. */
#ifndef PERFCTL_VIEWS_CONTENTS_H
#define PERFCTL_VIEWS_CONTENTS_H

#include "inventory/table.h"
#include "session/session.h"

/**
 * struct contents_event - records of one name
 * @cls:      the first class of that name
 * @sideband: it tells of processes and their code
 * @inventory: it tells what the machine had, and is @sideband, too
 * @bytes:    of its records
 * @counted:  the recorder said what follows
 * @written:  records that the kernel made
 * @lost:     records that it could not keep
 * @filtered: events that a filter refused
 */
struct contents_event {
	const struct pev_class *cls;
	bool sideband;
	bool inventory;
	uint64_t records;
	uint64_t bytes;
	bool counted;
	uint64_t written;
	uint64_t lost;
	uint64_t filtered;
};

/**
 * struct contents_program - what a process ran while events happened to it
 * @comm: number in machine.comms
 */
struct contents_program {
	uint32_t pid;
	uint32_t comm;
	uint64_t records;
};

/**
 * struct contents_file - a file of the recording
 * @name: below its directory
 */
struct contents_file {
	char *name;
	uint64_t bytes;
};

/**
 * struct contents_crash - what "record --from-crash" says of a recording
 * @known:       it is of memory that outlived a crash
 * @booted:      when its kernel had begun, ns since the epoch; 0: it does not say that
 * @began:       when it began to record
 * @records:     that are here
 * @packets:     of these
 * @rings:       that were read
 * @bad_rings:   of which nothing could be
 * @torn:        packets that were left out
 * @cut:         packets that end early ...
 * @cut_bytes:   ... by so much
 * @unpublished: bytes that were being written
 * @lost:        records that had found no room
 */
struct contents_crash {
	bool known;
	uint64_t booted;
	uint64_t began;
	uint64_t records;
	uint64_t packets;
	uint64_t rings;
	uint64_t bad_rings;
	uint64_t torn;
	uint64_t cut;
	uint64_t cut_bytes;
	uint64_t unpublished;
	uint64_t lost;
};

/**
 * struct contents - all of it
 * @events:   by number of the name in session.names
 * @records:  without the sideband
 * @inventory: what the machine had
 * @programs: those with most records first
 * @files:    by name
 * @bytes:    of all files
 * @crash:    if it is of crash memory
 * @code:     programs and libraries that were mapped ...
 * @code_ids: ... and of how many the build id is known
 */
struct contents {
	struct session *session;
	struct contents_event *events;
	size_t n_events;
	uint64_t records;
	struct inventory inventory;
	struct contents_program *programs;
	size_t n_programs, cap_programs;
	struct htab h_programs;
	struct contents_file *files;
	size_t n_files, cap_files;
	uint64_t bytes;
	size_t code;
	size_t code_ids;
	struct contents_crash crash;
};

/* Reads all of the recording; contents_free() is needed after an error, too. */
int contents_load(struct contents *c, struct session *session, struct msg *m);
void contents_free(struct contents *c);

/* What the records of a class carry, as "thread, address, call chain"; returns @buf. */
const char *contents_carries(const struct pev_class *cls, char *buf, size_t size);

#endif
