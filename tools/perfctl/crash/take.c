// SPDX-License-Identifier: GPL-2.0
/* What was recorded before the machine went down, as a recording. See take.h. */
#include "take.h"
#include "base/say.h"
#include "base/text.h"
#include "base/version.h"
#include "event/kernel.h"
#include "record/trace_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define WHAT "what was recorded before the machine went down"

static void text_began(uint64_t ns, char *buf, size_t size)
{
	time_t s = (time_t)(ns / 1000000000);
	struct tm tm;

	if (!localtime_r(&s, &tm) || !strftime(buf, size, "%Y-%m-%d %H:%M:%S", &tm))
		snprintf(buf, size, "an unknown time");
}

/* What was torn is counted, and said. */
static void say_report(const struct pev_crash_report *r, const char *path)
{
	char began[64];

	text_began(r->began, began, sizeof(began));
	fprintf(stderr, "[ %" PRIu64 " records of %u CPUs, recorded from %s on, are in %s ]\n",
		r->records, r->rings, began, path);
	if (r->unpublished)
		fprintf(stderr,
			"[ %" PRIu64 " bytes of records were being written when the machine went "
			"down, and are not there ]\n",
			r->unpublished);
	if (r->lost)
		fprintf(stderr, "[ %" PRIu64 " records were lost before, as they found no room ]\n",
			r->lost);
	if (r->torn_packets)
		note("%" PRIu64 " packets are left out: their headers were not whole any more",
		     r->torn_packets);
	if (r->cut_packets)
		note("%" PRIu64 " packets end early, by %" PRIu64
		     " bytes in all: what follows there makes no sense",
		     r->cut_packets, r->cut_bytes);
	if (r->bad_rings)
		note("of %u rings nothing can be read: their state makes no sense", r->bad_rings);
}

static int describe(struct pev_writer *w)
{
	int err = pev_writer_info(w, "command", "");

	if (!err)
		err = pev_writer_info(w, "target", "a machine that went down");
	if (!err)
		err = pev_writer_info(w, "tool", "perfctl " PERFCTL_VERSION);
	return err ? err : pev_writer_info(w, "engine", "pev");
}

/* For "perfctl info", which has nothing else to know it from once the memory is free. */
static int put_report(struct pev_writer *w, const struct pev_crash_report *r)
{
	const struct {
		const char *key;
		uint64_t n;
	} lines[] = {
		{ "crash_began", r->began },
		{ "crash_records", r->records },
		{ "crash_packets", r->packets },
		{ "crash_rings", r->rings },
		{ "crash_bad_rings", r->bad_rings },
		{ "crash_torn_packets", r->torn_packets },
		{ "crash_cut_packets", r->cut_packets },
		{ "crash_cut_bytes", r->cut_bytes },
		{ "crash_unpublished", r->unpublished },
		{ "crash_lost", r->lost },
	};
	char text[24];
	int err = 0;

	for (size_t i = 0; i < ARRAY_SIZE(lines) && !err; i++) {
		snprintf(text, sizeof(text), "%" PRIu64, lines[i].n);
		err = pev_writer_info(w, lines[i].key, text);
	}
	return err;
}

/* Only what is on the disk may be dropped. */
static int sync_dir(const char *path, struct msg *m)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), err = 0;

	if (fd < 0 || syncfs(fd))
		err = msg_set(m, -EIO, "%s: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	return err;
}

static int write_trace(int fd, const char *path, struct pev_crash_report *report, struct msg *m)
{
	struct trace_dir dir;
	struct pev_error why = { 0 };
	struct pev_writer *w;
	int err = trace_dir_open(&dir, path, &w, m), close_err;

	if (err)
		return err;
	err = describe(w);
	if (err)
		msg_set(m, err, "%s: %s", path, strerror(-err));
	if (!err) {
		err = pev_crash_write(fd, w, report, &why);
		if (err)
			msg_set(m, err, WHAT ": %s", why.text);
	}
	if (!err) {
		err = put_report(w, report);
		if (err)
			msg_set(m, err, "%s: %s", path, strerror(-err));
	}
	close_err = pev_writer_close(w);
	if (!err && close_err)
		err = msg_set(m, close_err, "%s: %s", path, strerror(-close_err));
	if (!err)
		err = sync_dir(dir.path, m);
	if (err)
		trace_dir_discard(&dir);
	else
		trace_dir_free(&dir);
	return err;
}

int crash_take(const char *path, bool quiet, struct msg *m)
{
	struct pev_crash_report report = { 0 };
	struct pev_error why = { 0 };
	int fd = pev_crash_open(&why), err;

	if (fd < 0)
		return kernel_refused(m, fd, &why, "--from-crash");
	err = write_trace(fd, path, &report, m);
	close(fd);
	if (err)
		return err;
	if (!quiet)
		say_report(&report, path);
	err = pev_crash_drop(&why);
	return err ? kernel_refused(m, err, &why, "%s is written, but the memory is not free", path) :
		     0;
}

int crash_drop(bool quiet, struct msg *m)
{
	struct pev_error why = { 0 };
	int err = pev_crash_drop(&why);

	if (err)
		return kernel_refused(m, err, &why, "--drop-crash");
	if (!quiet)
		fprintf(stderr, "[ " WHAT " is dropped ]\n");
	return 0;
}

const char *crash_state(char *buf, size_t size)
{
	struct pev_error why = { 0 };
	int fd = pev_crash_open(&why);

	if (fd >= 0) {
		close(fd);
		snprintf(buf, size,
			 "there is a recording from before the machine went down: \"perfctl record "
			 "--from-crash\" takes it");
		return buf;
	}
	if (fd == -EBUSY || fd == -ENOENT || fd == -EBADMSG) {
		snprintf(buf, size, "%s", why.text);
		return buf;
	}
	return NULL;
}
