// SPDX-License-Identifier: GPL-2.0
/* Converts perf's records to ours, in order of time. */
#include "write.h"
#include "bytes.h"
#include "file.h"
#include "import.h"
#include "missing.h"
#include "base/say.h"
#include "base/version.h"
#include "record/trace_dir.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/utsname.h>

#define PACKET	  65536
#define MAX_CPUS  8192

struct cpu_out {
	struct pev_encoder *enc;
	unsigned int cpu;
	struct import *im;
	uint64_t last;
	uint64_t lost;
};

/**
 * struct import_writer - the trace that is made
 * @record: room for one that is not aligned in the file
 */
struct import_writer {
	struct trace_dir dir;
	struct pev_writer *w;
	struct pev_meta *meta;
	struct cpu_out **cpus;
	unsigned int n_cpus;
	uint64_t record[65536 / 8];
};

static int take_packet(void *arg, const void *packet, size_t len)
{
	const struct cpu_out *c = arg;

	return pev_writer_packets(c->im->writer->w, c->cpu, packet, len);
}

static struct cpu_out *cpu_get(struct import *im, uint32_t cpu)
{
	struct import_writer *w = im->writer;

	if (cpu >= MAX_CPUS) /* (u32)-1: not known */
		cpu = 0;
	if (cpu >= w->n_cpus) {
		w->cpus = xrealloc(w->cpus, (cpu + 1) * sizeof(*w->cpus));
		memset(w->cpus + w->n_cpus, 0, (cpu + 1 - w->n_cpus) * sizeof(*w->cpus));
		w->n_cpus = cpu + 1;
	}
	if (!w->cpus[cpu]) {
		struct cpu_out *c = xcalloc(1, sizeof(*c));

		c->cpu = cpu;
		c->im = im;
		if (pev_encoder_new(w->meta, PACKET, cpu, cpu, take_packet, c, &c->enc)) {
			free(c);
			return NULL;
		}
		w->cpus[cpu] = c;
	}
	return w->cpus[cpu];
}

/* ---- What surrounds the records ---- */

/* Returns whether that kernel runs, by its build id, or by release and address. */
static bool kernel_runs(const struct import *im)
{
	size_t len;
	char *text = file_read("/sys/kernel/notes", &len), *line;
	struct utsname u;
	bool same = false;

	if (im->kernel.len && text) {
		same = memmem(text, len, im->kernel.bytes, im->kernel.len);
		free(text);
		return same;
	}
	free(text);
	if (!im->text_symbol || !im->release || uname(&u) || strcmp(u.release, im->release))
		return false;
	text = file_read("/proc/kallsyms", &len);
	for (line = text; line && *line && !same; line = strchr(line, '\n')) {
		uint64_t address;
		char name[128];

		line += *line == '\n';
		if (sscanf(line, "%" SCNx64 " %*c %127s", &address, name) == 2 &&
		    !strcmp(name, im->text_symbol)) {
			same = address && address == im->text_address;
			break;
		}
	}
	free(text);
	return same;
}

/* Writes the functions of the kernel that was profiled. */
static void write_kallsyms(struct import *im, const char *path)
{
	char *text = NULL, hex[41], *cached;
	const char *home = getenv("HOME");
	size_t len = 0;

	if (!path && im->kernel.len && home) {
		build_id_text(&im->kernel, hex);
		cached = xasprintf("%s/.debug/[kernel.kallsyms]/%s/kallsyms", home, hex);
		text = file_read(cached, &len);
		free(cached);
	}
	if (!text && !path && kernel_runs(im))
		path = "/proc/kallsyms";
	if (!text && path) {
		text = file_read(path, &len);
		if (!text)
			note("%s: %s", path, strerror(errno));
	}
	if (text && len)
		pev_writer_info_file(im->writer->w, "kallsyms", text, len);
	free(text);
}

static int write_info(struct import *im, const char *kallsyms)
{
	struct pev_writer *w = im->writer->w;
	char text[41], number[24];
	const struct {
		const char *key;
		const char *value;
	} lines[] = {
		{ "command", im->command }, { "hostname", im->hostname },
		{ "release", im->release }, { "machine", im->machine },
		{ "cpus", number }, { "build_id", text },
		{ "tool", "perfctl " PERFCTL_VERSION " import" },
	};
	int err = 0;

	build_id_text(&im->kernel, text);
	snprintf(number, sizeof(number), "%u", im->cpus);
	for (size_t i = 0; i < ARRAY_SIZE(lines) && !err; i++)
		if (lines[i].value && lines[i].value[0] && strcmp(lines[i].value, "0"))
			err = pev_writer_info(w, lines[i].key, lines[i].value);
	for (size_t i = 0; i < im->n_events && !err; i++)
		if (im->events[i].attr.sample_regs_user) {
			snprintf(text, sizeof(text), "0x%" PRIx64,
				 (uint64_t)im->events[i].attr.sample_regs_user);
			err = pev_writer_info(w, "regs_user", text);
			break;
		}
	if (!err)
		write_kallsyms(im, kallsyms);
	return err;
}

static int write_metadata(struct import *im, const char *path, struct msg *m)
{
	const struct pev_perf_machine machine = { im->hostname, im->release, im->machine,
						  im->clock_offset };
	struct import_writer *w = im->writer;
	struct pev_error e;
	size_t len;
	char *text;
	int err;

	for (size_t i = 0; i < im->n_events; i++)
		if (pev_perf_event(im->perf, im->events[i].name, &im->events[i].attr) < 0)
			checked(NULL);
	if (pev_perf_metadata(im->perf, &machine, &text, &len))
		checked(NULL);
	err = pev_writer_metadata(w->w, text, len);
	if (err) {
		msg_set(m, err, "%s: %s", path, strerror(-err));
	} else {
		err = pev_meta_parse(text, len, 0, &w->meta, &e);
		if (err)
			msg_set(m, err, "the metadata made of %s: %s", im->path, e.text);
	}
	free(text);
	return err;
}

int import_write_open(struct import *im, const char *path, const char *kallsyms, struct msg *m)
{
	struct import_writer *w = im->writer = xcalloc(1, sizeof(*w));
	int err = trace_dir_open(&w->dir, path, &w->w, m);

	if (err)
		return err;
	err = write_metadata(im, path, m);
	if (err)
		return err;
	err = write_info(im, kallsyms);
	return err ? msg_set(m, err, "%s: %s", path, strerror(-err)) : 0;
}

/* ---- Records ---- */

/* Returns the packets that a record goes to; its @time may become that of the last one. */
static struct pev_encoder *encoder_of(struct import *im, uint32_t cpu, uint64_t *time)
{
	struct cpu_out *c = cpu_get(im, cpu);

	if (!c)
		return NULL;
	if (*time < c->last) {
		*time = c->last;
		im->late++;
	}
	c->last = *time;
	return c->enc;
}

static int write_sample(struct import *im, const struct perf_event_header *r,
			const struct import_head *h, uint64_t time)
{
	struct pev_encoder *enc = encoder_of(im, h->cpu, &time);
	unsigned int event = (unsigned int)(h->event - im->events);
	int err = enc ? pev_perf_sample(im->perf, enc, event, r, time) : -EINVAL;

	if (!err)
		im->samples++;
	return err;
}

static int write_sideband(struct import *im, const struct perf_event_header *r,
			  const struct import_head *h, uint64_t time)
{
	struct pev_encoder *enc = encoder_of(im, h->cpu, &time);
	int ret = enc ? pev_perf_sideband(im->perf, enc, r, time) : -EINVAL;

	if (ret > 0)
		im->sideband++;
	return ret < 0 ? ret : 0;
}

static void count_lost(struct import *im, const struct perf_event_header *r,
		       const struct import_head *h)
{
	struct bytes b = { (const uint8_t *)(r + 1), (const uint8_t *)r + r->size, false };
	struct cpu_out *c = cpu_get(im, h->cpu);
	uint64_t lost;

	if (r->type == PERF_RECORD_LOST)
		bytes_u64(&b);
	lost = bytes_u64(&b);
	if (!c || b.short_ || lost > UINT32_MAX)
		return;
	c->lost += lost;
	im->lost += lost;
}

int import_write(struct import *im, const struct perf_event_header *r, uint64_t time,
		 struct msg *m)
{
	struct import_head h;
	int err = 0;

	/* in a file, records may have any alignment */
	if ((uintptr_t)r % 8)
		r = memcpy(im->writer->record, r, r->size);
	if (!import_head(im, r, &h))
		return 0;
	switch (r->type) {
	case PERF_RECORD_SAMPLE:
		err = write_sample(im, r, &h, time);
		break;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
	case PERF_RECORD_KSYMBOL:
		err = write_sideband(im, r, &h, time);
		break;
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		count_lost(im, r, &h);
		break;
	default:
		if (r->type < ARRAY_SIZE(im->skipped))
			im->skipped[r->type]++;
		else
			import_unknown(im, r);
		break;
	}
	/* damaged, or more than ours can hold */
	if (err == -EBADMSG || err == -E2BIG || err == -EINVAL) {
		im->broken++;
		err = 0;
	}
	return err < 0 ? msg_set(m, err, "writing the trace: %s", strerror(-err)) : 0;
}

/* Leaves a mark in the trace, for all who read it. */
static int write_missing(struct import *im)
{
	struct strbuf b = { 0 };
	int ret = 0;

	import_missing(im, &b);
	if (b.len)
		ret = pev_writer_info(im->writer->w, "incomplete", b.s);
	strbuf_free(&b);
	return ret;
}

int import_write_close(struct import *im, int err, struct msg *m)
{
	struct import_writer *w = im->writer;
	int ret = 0;

	if (!w)
		return err;
	for (unsigned int i = 0; i < w->n_cpus; i++) {
		struct cpu_out *c = w->cpus[i];
		int one;

		if (!c)
			continue;
		one = pev_encoder_close(c->enc);
		if (!one && c->lost)
			one = pev_writer_lost(w->w, c->cpu, (int)c->cpu, c->lost, 0);
		if (one && !ret)
			ret = one;
		free(c);
	}
	if (!err && !ret && w->w)
		ret = write_missing(im);
	if (w->w) {
		int one = pev_writer_close(w->w);

		if (!ret)
			ret = one;
	}
	trace_dir_free(&w->dir);
	pev_meta_free(w->meta);
	free(w->cpus);
	free(w);
	im->writer = NULL;
	if (!err && ret)
		err = msg_set(m, ret, "writing the trace: %s", strerror(-ret));
	return err;
}
