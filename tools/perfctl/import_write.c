// SPDX-License-Identifier: GPL-2.0
/* Records of perf become ours, in order of time. */
#include "import.h"
#include "perfctl.h"
#include "recorder.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/utsname.h>

#define PACKET	  65536
#define MAX_CPUS  8192
#define MAX_CHAIN 4096

struct cpu_out {
	struct pev_encoder *enc;
	unsigned int cpu;
	struct import *im;
	uint64_t last;
	uint64_t lost;
};

/**
 * struct import_writer - the trace that is made
 * @k, @u: the two call chains of a sample, put apart
 */
struct import_writer {
	struct pev_writer *w;
	struct pev_meta *meta;
	const struct pev_class *mmap, *comm, *fork, *exec, *exit;
	struct cpu_out **cpus;
	unsigned int n_cpus;
	uint64_t k[MAX_CHAIN], u[MAX_CHAIN];
	uint32_t nk, nu;
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
		if (pev_encoder_new(w->meta, PACKET, cpu, take_packet, c, &c->enc)) {
			free(c);
			return NULL;
		}
		w->cpus[cpu] = c;
	}
	return w->cpus[cpu];
}

/* ---- What surrounds the records ---- */

/* Is it the kernel that runs, at the same place? By its build id, or by release and address. */
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

/* The functions of the kernel that was profiled. */
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

int import_write_open(struct import *im, const char *path, const char *kallsyms, struct msg *m)
{
	struct import_writer *w = im->writer = xcalloc(1, sizeof(*w));
	struct pev_error e;
	size_t len;
	char *text;
	int err = trace_dir_prepare(path, m);

	if (err)
		return err;
	err = pev_writer_open(path, 0, &w->w, &e);
	if (err)
		return msg_set(m, err == -EEXIST ? err : -EIO, "%s", e.text);
	text = import_metadata(im, &len);
	err = pev_writer_metadata(w->w, text, len);
	if (err) {
		msg_set(m, err, "%s: %s", path, strerror(-err));
	} else {
		err = pev_meta_parse(text, len, &w->meta, &e);
		if (err)
			msg_set(m, err, "the metadata made of %s: %s", im->path, e.text);
	}
	free(text);
	if (err)
		return err;
	w->mmap = pev_meta_class_by_id(w->meta, 0);
	w->comm = pev_meta_class_by_id(w->meta, 1);
	w->fork = pev_meta_class_by_id(w->meta, 2);
	w->exec = pev_meta_class_by_id(w->meta, 3);
	w->exit = pev_meta_class_by_id(w->meta, 4);
	for (size_t i = 0; i < im->n_events; i++)
		im->events[i].cls = pev_meta_class_by_id(w->meta, 5 + (uint32_t)i);
	err = write_info(im, kallsyms);
	return err ? msg_set(m, err, "%s: %s", path, strerror(-err)) : 0;
}

/* ---- Samples ---- */

static struct pev_encoder *begin(struct import *im, const struct pev_class *cls, uint32_t cpu,
				 uint64_t time, uint32_t tid)
{
	struct cpu_out *c = cpu_get(im, cpu);

	if (!c || !cls)
		return NULL;
	if (time < c->last) {
		time = c->last;
		im->late++;
	}
	c->last = time;
	return pev_encoder_begin(c->enc, cls, time, tid) ? NULL : c->enc;
}

/* perf puts marks between the parts of a chain that lie in kernel and program. */
static void split_chain(struct import_writer *w, struct bytes *b, bool kernel)
{
	uint64_t n = bytes_u64(b);
	enum { KERNEL, USER, OTHER } part = kernel ? KERNEL : USER;

	w->nk = w->nu = 0;
	for (uint64_t i = 0; i < n && !b->short_; i++) {
		uint64_t ip = bytes_u64(b);

		if (ip == (uint64_t)PERF_CONTEXT_KERNEL || ip == (uint64_t)PERF_CONTEXT_HV)
			part = KERNEL;
		else if (ip == (uint64_t)PERF_CONTEXT_USER)
			part = USER;
		else if (ip >= (uint64_t)PERF_CONTEXT_MAX)
			part = OTHER;
		else if (part == KERNEL && w->nk < MAX_CHAIN)
			w->k[w->nk++] = ip;
		else if (part == USER && w->nu < MAX_CHAIN)
			w->u[w->nu++] = ip;
	}
}

static void put_read(struct pev_encoder *enc, struct bytes *b, uint64_t format, bool put)
{
	uint64_t values[64], n = 1, per = 1 + !!(format & PERF_FORMAT_ID) + !!(format & (1 << 4));
	uint32_t used = 0;

	if (format & PERF_FORMAT_GROUP)
		n = bytes_u64(b);
	else
		values[used++] = bytes_u64(b);
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		bytes_u64(b);
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		bytes_u64(b);
	if (format & PERF_FORMAT_GROUP) {
		for (uint64_t i = 0; i < n && !b->short_; i++) {
			uint64_t v = bytes_u64(b);

			bytes_take(b, (per - 1) * 8);
			if (used < ARRAY_SIZE(values))
				values[used++] = v;
		}
	} else {
		bytes_take(b, (per - 1) * 8);
	}
	if (put && !b->short_)
		pev_encoder_data(enc, "values", values, used * sizeof(*values));
}

/* The value of a field in raw data of @size bytes */
static void put_field(struct pev_encoder *enc, const struct import_field *f, const uint8_t *raw,
		      uint32_t size)
{
	uint32_t loc, at;

	if (f->offset > size || f->size > size - f->offset)
		return;
	if (f->dynamic) {
		memcpy(&loc, raw + f->offset, sizeof(loc));
		at = loc & 0xffff;
		if (f->size == 4 && at <= size && loc >> 16 <= size - at)
			pev_encoder_data(enc, f->name, raw + at, loc >> 16);
		return;
	}
	if (f->count == 1 && (f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8))
		pev_encoder_int(enc, f->name, pev_load(raw + f->offset, f->size, f->is_signed));
	else
		pev_encoder_data(enc, f->name, raw + f->offset, f->size);
}

static void put_raw(const struct import_event *e, struct pev_encoder *enc, struct bytes *b)
{
	uint32_t size = bytes_u32(b);
	const uint8_t *raw = bytes_take(b, size);

	if (!raw)
		return;
	if (!e->format) {
		pev_encoder_data(enc, "raw", raw, size);
		return;
	}
	for (size_t i = 0; i < e->format->n; i++)
		put_field(enc, &e->format->fields[i], raw, size);
}

static void skip_branches(struct bytes *b, uint64_t branch_type)
{
	uint64_t n = bytes_u64(b);

	if (branch_type & PERF_SAMPLE_BRANCH_HW_INDEX)
		bytes_u64(b);
	bytes_take(b, n > UINT32_MAX ? UINT64_MAX : n * 24);
}

static void put_regs(const struct import_event *e, struct pev_encoder *enc, struct bytes *b)
{
	uint64_t n = (uint64_t)__builtin_popcountll(e->attr.sample_regs_user);
	const void *regs;

	if (!bytes_u64(b)) /* of a kernel thread */
		return;
	regs = bytes_take(b, n * 8);
	if (regs && (e->sample & PEV_SAMPLE_UREGS))
		pev_encoder_data(enc, "uregs", regs, n * 8);
}

static void put_stack(const struct import_event *e, struct pev_encoder *enc, struct bytes *b)
{
	uint64_t size = bytes_u64(b), used;
	const void *stack = bytes_take(b, size);

	if (!size || !stack)
		return;
	used = min_u64(bytes_u64(b), size) & ~7ULL;
	if (e->sample & PEV_SAMPLE_USTACK_DUMP)
		pev_encoder_data(enc, "dump", stack, used);
}

static bool put_sample(struct import *im, const struct import_event *e, struct pev_encoder *enc,
		       struct bytes b, bool kernel)
{
	struct import_writer *w = im->writer;
	uint64_t type = e->attr.sample_type, ip, addr;

	if (type & PERF_SAMPLE_IDENTIFIER)
		bytes_u64(&b);
	ip = type & PERF_SAMPLE_IP ? bytes_u64(&b) : 0;
	if (e->sample & PEV_SAMPLE_IP)
		pev_encoder_int(enc, "ip", ip);
	if (type & PERF_SAMPLE_TID) {
		uint32_t pid = bytes_u32(&b);

		bytes_u32(&b);
		if (e->sample & PEV_SAMPLE_PID)
			pev_encoder_int(enc, "pid", pid);
	}
	if (type & PERF_SAMPLE_TIME)
		bytes_u64(&b);
	addr = type & PERF_SAMPLE_ADDR ? bytes_u64(&b) : 0;
	if (e->sample & PEV_SAMPLE_ADDR)
		pev_encoder_int(enc, "addr", addr);
	if (type & PERF_SAMPLE_ID)
		bytes_u64(&b);
	if (type & PERF_SAMPLE_STREAM_ID)
		bytes_u64(&b);
	if (type & PERF_SAMPLE_CPU)
		bytes_u64(&b);
	if (type & PERF_SAMPLE_PERIOD) {
		uint64_t period = bytes_u64(&b);

		if (e->sample & PEV_SAMPLE_PERIOD)
			pev_encoder_int(enc, "period", period);
	}
	if (type & PERF_SAMPLE_READ)
		put_read(enc, &b, e->attr.read_format, e->sample & PEV_SAMPLE_READ);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		split_chain(w, &b, kernel);
		if (e->sample & PEV_SAMPLE_KSTACK) {
			pev_encoder_data(enc, "kstack", w->k, w->nk * sizeof(*w->k));
			pev_encoder_data(enc, "ustack", w->u, w->nu * sizeof(*w->u));
		}
	}
	if (type & PERF_SAMPLE_RAW)
		put_raw(e, enc, &b);
	if (type & PERF_SAMPLE_BRANCH_STACK)
		skip_branches(&b, e->attr.branch_sample_type);
	if (type & PERF_SAMPLE_REGS_USER)
		put_regs(e, enc, &b);
	if (type & PERF_SAMPLE_STACK_USER)
		put_stack(e, enc, &b);
	return !b.short_;
}

static int write_sample(struct import *im, const struct perf_event_header *r,
			const struct import_head *h, uint64_t time)
{
	struct bytes b = { (const uint8_t *)(r + 1), (const uint8_t *)r + r->size, false };
	struct pev_encoder *enc = begin(im, h->event->cls, h->cpu, time, h->tid);
	bool kernel = (r->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;

	if (!enc || !put_sample(im, h->event, enc, b, kernel)) {
		im->broken++;
		return 0;
	}
	im->samples++;
	return pev_encoder_commit(enc);
}

/* ---- Sideband ---- */

static const struct build_id *known_build(const struct import *im, const char *path)
{
	for (size_t i = 0; i < im->n_builds; i++)
		if (!strcmp(im->builds[i].path, path))
			return &im->builds[i].id;
	return NULL;
}

static int write_mmap(struct import *im, const struct perf_event_header *r,
		      const struct import_head *h, uint64_t time)
{
	struct bytes b = { (const uint8_t *)(r + 1), (const uint8_t *)r + r->size, false };
	bool two = r->type == PERF_RECORD_MMAP2;
	uint32_t pid = bytes_u32(&b), tid = bytes_u32(&b), prot = 5, flags = 2;
	uint64_t addr = bytes_u64(&b), len = bytes_u64(&b), pgoff = bytes_u64(&b), size;
	const uint8_t *id = two ? bytes_take(&b, 24) : NULL;
	const struct build_id *known;
	struct pev_encoder *enc;
	const char *path;

	if (two) {
		prot = bytes_u32(&b);
		flags = bytes_u32(&b);
	}
	size = (uint64_t)(b.end - b.p);
	path = bytes_text(&b, size);
	/* the kernel's own, and data */
	if (pid == UINT32_MAX || !*path || (!two && (r->misc & PERF_RECORD_MISC_MMAP_DATA)) ||
	    !(prot & 4))
		return 0;
	enc = begin(im, im->writer->mmap, h->cpu, time, tid);
	if (!enc || b.short_) {
		im->broken++;
		return 0;
	}
	pev_encoder_int(enc, "pid", pid);
	pev_encoder_int(enc, "tid", tid);
	pev_encoder_int(enc, "addr", addr);
	pev_encoder_int(enc, "len", len);
	pev_encoder_int(enc, "pgoff", pgoff);
	pev_encoder_int(enc, "prot", prot);
	pev_encoder_int(enc, "flags", flags);
	known = known_build(im, path);
	if (id && (r->misc & PERF_RECORD_MISC_MMAP_BUILD_ID)) {
		pev_encoder_int(enc, "build_id_size", min_u64(id[0], 20));
		pev_encoder_data(enc, "build_id", id + 4, min_u64(id[0], 20));
	} else if (known) {
		pev_encoder_int(enc, "build_id_size", known->len);
		pev_encoder_data(enc, "build_id", known->bytes, known->len);
	}
	if (id && !(r->misc & PERF_RECORD_MISC_MMAP_BUILD_ID)) {
		pev_encoder_int(enc, "maj", pev_load(id, 4, false));
		pev_encoder_int(enc, "min", pev_load(id + 4, 4, false));
		pev_encoder_int(enc, "ino", pev_load(id + 8, 8, false));
	}
	pev_encoder_data(enc, "filename", path, strlen(path) + 1);
	im->sideband++;
	return pev_encoder_commit(enc);
}

static int write_exec(struct import *im, const struct import_head *h, uint64_t time, uint32_t pid,
		      uint32_t tid)
{
	struct pev_encoder *enc = begin(im, im->writer->exec, h->cpu, time, tid);

	if (!enc)
		return 0;
	pev_encoder_int(enc, "pid", pid);
	pev_encoder_int(enc, "tid", tid);
	pev_encoder_int(enc, "old_tid", tid);
	return pev_encoder_commit(enc);
}

static int write_comm(struct import *im, const struct perf_event_header *r,
		      const struct import_head *h, uint64_t time)
{
	struct bytes b = { (const uint8_t *)(r + 1), (const uint8_t *)r + r->size, false };
	uint32_t pid = bytes_u32(&b), tid = bytes_u32(&b);
	const char *comm = bytes_text(&b, (uint64_t)(b.end - b.p));
	struct pev_encoder *enc;
	int err = 0;

	if (r->misc & PERF_RECORD_MISC_COMM_EXEC)
		err = write_exec(im, h, time, pid, tid);
	enc = err ? NULL : begin(im, im->writer->comm, h->cpu, time, tid);
	if (!enc)
		return err;
	pev_encoder_int(enc, "pid", pid);
	pev_encoder_int(enc, "tid", tid);
	pev_encoder_data(enc, "comm", comm, min_u64(strlen(comm), 15));
	im->sideband++;
	return pev_encoder_commit(enc);
}

static int write_task(struct import *im, const struct perf_event_header *r,
		      const struct import_head *h, uint64_t time)
{
	struct bytes b = { (const uint8_t *)(r + 1), (const uint8_t *)r + r->size, false };
	bool fork = r->type == PERF_RECORD_FORK;
	uint32_t pid = bytes_u32(&b), ppid = bytes_u32(&b), tid = bytes_u32(&b),
		 ptid = bytes_u32(&b);
	struct pev_encoder *enc = begin(im, fork ? im->writer->fork : im->writer->exit, h->cpu,
					time, fork ? ptid : tid);

	if (!enc || b.short_)
		return 0;
	pev_encoder_int(enc, "pid", pid);
	pev_encoder_int(enc, "tid", tid);
	if (fork) {
		pev_encoder_int(enc, "ppid", ppid);
		pev_encoder_int(enc, "ptid", ptid);
	}
	im->sideband++;
	return pev_encoder_commit(enc);
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

	if (!import_head(im, r, &h))
		return 0;
	switch (r->type) {
	case PERF_RECORD_SAMPLE:
		err = write_sample(im, r, &h, time);
		break;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		err = write_mmap(im, r, &h, time);
		break;
	case PERF_RECORD_COMM:
		err = write_comm(im, r, &h, time);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		err = write_task(im, r, &h, time);
		break;
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		count_lost(im, r, &h);
		break;
	default:
		im->skipped[r->type & 255]++;
		break;
	}
	if (err == -E2BIG || err == -EINVAL) { /* more in a record than ours can hold */
		im->broken++;
		err = 0;
	}
	return err < 0 ? msg_set(m, err, "writing the trace: %s", strerror(-err)) : 0;
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
			one = pev_writer_lost(w->w, c->cpu, c->lost, 0);
		if (one && !ret)
			ret = one;
		free(c);
	}
	if (w->w) {
		int one = pev_writer_close(w->w);

		if (!ret)
			ret = one;
	}
	pev_meta_free(w->meta);
	free(w->cpus);
	free(w);
	im->writer = NULL;
	if (!err && ret)
		err = msg_set(m, ret, "writing the trace: %s", strerror(-ret));
	return err;
}
