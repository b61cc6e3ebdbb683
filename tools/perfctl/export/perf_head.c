// SPDX-License-Identifier: GPL-2.0
/*
 * perf.data: what is in it besides the records: attributes, names of events,
 * formats of tracepoints, build ids, the machine. In a file they are sections
 * before and behind the records; in a pipe, records themselves.
 */
#include "perf_head.h"
#include "common.h"
#include "perf.h"
#include "base/output.h"
#include "base/perf_file.h"
#include "base/version.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

static void add_string(struct strbuf *b, const char *s)
{
	size_t len = (strlen(s) + 1 + 63) & ~63ul, at = strlen(s);

	perf_add32(b, (uint32_t)len);
	strbuf_puts(b, s);
	for (; at < len; at++)
		strbuf_putc(b, 0);
}

/* ---- Attributes ---- */

/* Clocks that count and timers that sample have the same names. */
static void set_type(struct perf_event_attr *a, const struct pev_class *cls)
{
	const char *name = strrchr(cls->name, ':') ? strrchr(cls->name, ':') + 1 : cls->name;
	static const uint32_t types[] = { PEV_TYPE_SOFTWARE, PEV_TYPE_HARDWARE };

	a->type = PERF_TYPE_SOFTWARE;
	a->config = PERF_COUNT_SW_DUMMY;
	if (perf_is_tracepoint(cls)) {
		a->type = PERF_TYPE_TRACEPOINT;
		a->config = TRACEPOINT_ID(cls);
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		int ours = pev_config_by_name(types[i], name);
		uint64_t config;

		if (ours >= 0 && !pev_config_perf(types[i], (uint64_t)ours, &a->type, &config)) {
			a->config = config;
			return;
		}
	}
}

static void make_attr(struct perf_event_attr *a, const struct pev_class *cls)
{
	*a = (struct perf_event_attr){ .size = PERF_ATTR_BYTES };
	a->sample_period = 1;
	if (cls) {
		set_type(a, cls);
		a->sample_type = perf_sample_type(cls);
		a->freq = cls->freq != 0;
		a->sample_period = cls->freq ? cls->freq : max_u64(cls->period, 1);
	} else {
		a->type = PERF_TYPE_SOFTWARE;
		a->config = PERF_COUNT_SW_DUMMY;
		a->sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
				 PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;
	}
	a->inherit = a->mmap = a->mmap2 = a->comm = a->comm_exec = a->task = 1;
	a->sample_id_all = 1;
}

/* Calls @fn for each event that is written, for a nameless one if there is none. */
static void each_event(struct export *x, void (*fn)(struct export *x, const struct pev_class *cls,
						    uint64_t id, struct strbuf *b),
		       struct strbuf *b)
{
	struct perf_out *p = x->state;

	for (unsigned int i = 0; i < x->session.n_classes; i++)
		if (p->ids[i])
			fn(x, pev_trace_class(x->session.trace, i), p->ids[i], b);
	if (!p->first)
		fn(x, NULL, 1, b);
}

static const char *event_name(const struct pev_class *cls)
{
	return cls ? cls->name : "nothing";
}

static void add_desc(struct export *x, const struct pev_class *cls, uint64_t id, struct strbuf *b)
{
	struct perf_event_attr a;

	(void)x;
	make_attr(&a, cls);
	strbuf_add(b, &a, PERF_ATTR_BYTES);
	perf_add32(b, 1);
	add_string(b, event_name(cls));
	perf_add64(b, id);
}

static void count_desc(struct export *x, const struct pev_class *cls, uint64_t id, struct strbuf *b)
{
	(void)x;
	(void)cls;
	(void)id;
	++*(uint32_t *)b->s;
}

/* ---- Formats of tracepoints, as trace-cmd's files have them ---- */

static void add_field(struct strbuf *b, const char *type, const char *name, const char *suffix,
		      int64_t offset, uint32_t size, bool is_signed)
{
	strbuf_addf(b, "\tfield:%s %s%s;\toffset:%d;\tsize:%u;\tsigned:%d;\n", type, name, suffix,
		    (int)offset + 8, size, is_signed);
}

static const char *c_type(const struct pev_field *f)
{
	switch (f->size) {
	case 1:
		return f->is_text ? "char" : f->is_signed ? "signed char" : "unsigned char";
	case 2:
		return f->is_signed ? "short" : "unsigned short";
	case 4:
		return f->is_signed ? "int" : "unsigned int";
	default:
		return f->is_signed ? "long" : "unsigned long";
	}
}

/* Returns the 16-bit offset before the length of a sequence: __data_loc. */
static const struct pev_field *location(const struct pev_class *cls, const struct pev_field *f)
{
	const struct pev_field *len;

	if (f->shape != PEV_SHAPE_SEQUENCE || f->length < 1)
		return NULL;
	len = &cls->fields[f->length];
	return len->size == 2 && len[-1].size == 2 && len[-1].offset >= 0 &&
			       len[-1].offset + 2 == len->offset ? len - 1 : NULL;
}

static void add_fields(struct strbuf *b, const struct pev_class *cls)
{
	char suffix[32];

	for (unsigned int i = 0; i < cls->nr_fields; i++) {
		const struct pev_field *f = &cls->fields[i], *loc = location(cls, f);

		if (loc) {
			add_field(b, f->is_text ? "__data_loc char[]" : "__data_loc u8[]", f->name,
				  "", loc->offset, 4, false);
		} else if (f->shape == PEV_SHAPE_INT && f->offset >= 0 &&
			   !export_is_plumbing(cls, f)) {
			add_field(b, c_type(f), f->name, "", f->offset, f->size, f->is_signed);
		} else if (f->shape == PEV_SHAPE_ARRAY && f->offset >= 0) {
			snprintf(suffix, sizeof(suffix), "[%u]", f->count);
			add_field(b, c_type(f), f->name, suffix, f->offset, f->size * f->count,
				  f->is_signed);
		}
	}
}

static bool add_print(struct strbuf *b, struct strbuf *args, const struct pev_class *cls,
		      const struct pev_field *f)
{
	const char *space = args->len ? " " : "";

	if (location(cls, f)) {
		if (!f->is_text)
			return false;
		strbuf_addf(b, "%s%s=%%s", space, f->name);
		strbuf_addf(args, ", __get_str(%s)", f->name);
		return true;
	}
	if (f->offset < 0 || export_is_plumbing(cls, f))
		return false;
	if (f->shape == PEV_SHAPE_ARRAY && f->is_text)
		strbuf_addf(b, "%s%s=%%s", space, f->name);
	else if (f->shape != PEV_SHAPE_INT)
		return false;
	else
		strbuf_addf(b, "%s%s=%s%s%s", space, f->name, f->base == 16 ? "0x%" : "%",
			    f->size == 8 ? "l" : "", f->base == 16 ? "x" : f->is_signed ? "d" : "u");
	strbuf_addf(args, ", REC->%s", f->name);
	return true;
}

static void add_format(struct strbuf *b, const struct pev_class *cls)
{
	const char *name = strchr(cls->name, ':') ? strchr(cls->name, ':') + 1 : cls->name;
	struct strbuf print = { 0 }, args = { 0 };

	strbuf_addf(b, "name: %s\nID: %u\nformat:\n"
		    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		    "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		    "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n", name,
		    TRACEPOINT_ID(cls));
	add_fields(b, cls);
	for (unsigned int i = 0; i < cls->nr_fields; i++)
		add_print(&print, &args, cls, &cls->fields[i]);
	strbuf_addf(b, "\nprint fmt: \"%s\"%s\n", print.s ? print.s : "", args.s ? args.s : "");
	strbuf_free(&print);
	strbuf_free(&args);
}

static size_t system_len(const struct pev_class *cls)
{
	const char *colon = strchr(cls->name, ':');

	return colon ? (size_t)(colon - cls->name) : 0;
}

static bool same_system(const struct pev_class *a, const struct pev_class *b)
{
	return system_len(a) == system_len(b) && !memcmp(a->name, b->name, system_len(a));
}

/* Adds all classes of a system with the first one. */
static uint32_t add_system(struct export *x, unsigned int first, struct strbuf *b)
{
	const struct pev_class *cls = pev_trace_class(x->session.trace, first), *other;
	struct strbuf format = { 0 };
	uint32_t count = 0;
	size_t count_at;

	for (unsigned int i = 0; i < first; i++) {
		other = pev_trace_class(x->session.trace, i);
		if (perf_is_tracepoint(other) && same_system(cls, other))
			return 0;
	}
	strbuf_add(b, cls->name, system_len(cls));
	strbuf_putc(b, 0);
	count_at = b->len;
	perf_add32(b, 0);
	for (unsigned int i = first; i < x->session.n_classes; i++) {
		other = pev_trace_class(x->session.trace, i);
		if (!perf_is_tracepoint(other) || !same_system(cls, other))
			continue;
		strbuf_reset(&format);
		add_format(&format, other);
		perf_add64(b, format.len);
		strbuf_add(b, format.s, format.len);
		count++;
	}
	memcpy(b->s + count_at, &count, sizeof(count));
	strbuf_free(&format);
	return 1;
}

static bool make_tracing_data(struct export *x, struct strbuf *b)
{
	static const char page[] =
		"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
		"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
		"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";
	uint32_t systems = 0;
	size_t at;

	strbuf_add(b, "\x17\x08\x44tracing0.6", 14);
	strbuf_add(b, "\0\x08", 2); /* little endian, 8 bytes in a long */
	perf_add32(b, (uint32_t)sysconf(_SC_PAGESIZE));
	strbuf_add(b, "header_page", 12);
	perf_add64(b, sizeof(page) - 1);
	strbuf_add(b, page, sizeof(page) - 1);
	strbuf_add(b, "header_event", 13);
	perf_add64(b, 0);
	perf_add32(b, 0); /* formats of ftrace itself */
	at = b->len;
	perf_add32(b, 0);
	for (unsigned int i = 0; i < x->session.n_classes; i++)
		if (perf_is_tracepoint(pev_trace_class(x->session.trace, i)))
			systems += add_system(x, i, b);
	memcpy(b->s + at, &systems, sizeof(systems));
	perf_add32(b, 0); /* kallsyms */
	perf_add32(b, 0); /* printk formats */
	perf_add64(b, 0); /* command lines */
	return systems != 0;
}

/* ---- The machine ---- */

static void add_build_id(struct strbuf *b, const struct build_id *id, const char *path, bool kernel)
{
	struct perf_build_id r = { .pid = -1, .size = id->len };
	size_t at = b->len;

	r.header.type = PERF_USER_BUILD_ID;
	r.header.misc = (kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER) |
			PERF_MISC_BUILD_ID_SIZE;
	memcpy(r.id, id->bytes, id->len);
	strbuf_add(b, &r, sizeof(r));
	strbuf_add(b, path, strlen(path) + 1);
	perf_pad(b);
	((struct perf_event_header *)(b->s + at))->size = (uint16_t)(b->len - at);
}

static bool add_kernel_id(struct export *x, struct strbuf *b)
{
	struct build_id id;

	if (!build_id_parse(pev_trace_info(x->session.trace, "build_id"), &id))
		return false;
	add_build_id(b, &id, "[kernel.kallsyms]", true);
	return true;
}

static bool make_build_ids(struct export *x, struct strbuf *b)
{
	const struct objects *os = &x->session.objects;
	bool some = add_kernel_id(x, b);

	for (size_t i = OBJECT_ID_KERNEL + 1; i < os->n; i++)
		if (os->o[i].id.len && os->o[i].kind == OBJECT_FILE) {
			add_build_id(b, &os->o[i].id, os->o[i].path, false);
			some = true;
		}
	return some;
}

static uint64_t symbol_address(const char *kallsyms, const char *name)
{
	size_t len = strlen(name);
	const char *p = kallsyms;

	while ((p = strstr(p, name))) {
		const char *line = p;

		while (line > kallsyms && line[-1] != '\n')
			line--;
		if (p > line && p[-1] == ' ' && (p[len] == '\n' || !p[len]))
			return strtoull(line, NULL, 16);
		p += len;
	}
	return 0;
}

static void put_map(struct export *x, uint64_t addr, uint64_t len, uint64_t pgoff, const char *name)
{
	struct perf_out *p = x->state;

	perf_start(p, PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL);
	perf_add32(&p->build, UINT32_MAX);
	perf_add32(&p->build, 0);
	perf_add64(&p->build, addr);
	perf_add64(&p->build, len);
	perf_add64(&p->build, pgoff);
	strbuf_add(&p->build, name, strlen(name) + 1);
	perf_pad(&p->build);
	for (int i = 0; i < 4; i++) /* tid, time, cpu, id */
		perf_add64(&p->build, i == 3 ? p->first ? p->ids[p->first->index] : 1 : 0);
	perf_send(x);
}

/* Writes where the kernel's own code is mapped. */
static void put_kernel(struct export *x)
{
	uint64_t start, end;
	char *text;
	size_t len;

	if (pev_trace_info_file(x->session.trace, "kallsyms", &text, &len))
		return;
	start = symbol_address(text, "_text");
	if (!start)
		start = symbol_address(text, "_stext");
	end = symbol_address(text, "_end");
	if (end <= start)
		end = symbol_address(text, "_etext");
	if (start && end > start)
		put_map(x, start, end - start, start, "[kernel.kallsyms]_text");
	free(text);
}

static void put_modules(struct export *x)
{
	char *text, *line, *save, name[72], path[80];
	uint64_t addr, size;
	size_t len;

	if (pev_trace_info_file(x->session.trace, "modules", &text, &len))
		return;
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		if (sscanf(line, "%70s %" SCNx64 " %" SCNu64, name, &addr, &size) == 3 && addr) {
			snprintf(path, sizeof(path), "[%s]", name);
			put_map(x, addr, size, 0, path);
		}
	free(text);
}

/* Returns false if the recording does not have the feature. */
static bool make_feature(struct export *x, unsigned int feature, struct strbuf *b)
{
	static const struct {
		unsigned int feature;
		const char *key;
	} texts[] = {
		{ PERF_FEAT_HOSTNAME, "hostname" },
		{ PERF_FEAT_OSRELEASE, "release" },
		{ PERF_FEAT_ARCH, "machine" },
	};
	struct perf_out *p = x->state;
	const char *value;

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (texts[i].feature == feature) {
			value = pev_trace_info(x->session.trace, texts[i].key);
			if (value)
				add_string(b, value);
			return value != NULL;
		}
	switch (feature) {
	case PERF_FEAT_VERSION:
		add_string(b, PERF_OUR_VERSION PERFCTL_VERSION);
		return true;
	case PERF_FEAT_TRACING_DATA:
		return make_tracing_data(x, b);
	case PERF_FEAT_BUILD_ID:
		return make_build_ids(x, b);
	case PERF_FEAT_NRCPUS:
		value = pev_trace_info(x->session.trace, "cpus");
		perf_add32(b, value ? (uint32_t)atoi(value) : 1);
		perf_add32(b, value ? (uint32_t)atoi(value) : 1);
		return value != NULL;
	case PERF_FEAT_CMDLINE:
		value = pev_trace_info(x->session.trace, "command");
		perf_add32(b, 1);
		add_string(b, value ? value : "");
		return value != NULL;
	case PERF_FEAT_EVENT_DESC:
		perf_add32(b, 0);
		each_event(x, count_desc, b);
		perf_add32(b, PERF_ATTR_BYTES);
		each_event(x, add_desc, b);
		return true;
	case PERF_FEAT_SAMPLE_TIME:
		perf_add64(b, p->begin);
		perf_add64(b, p->last);
		return true;
	default:
		return false;
	}
}

/* ---- Pipe ---- */

static void send_attr(struct export *x, const struct pev_class *cls, uint64_t id, struct strbuf *b)
{
	struct perf_out *p = x->state;
	struct perf_event_attr a;

	(void)b;
	make_attr(&a, cls);
	perf_start(p, PERF_USER_ATTR, 0);
	strbuf_add(&p->build, &a, PERF_ATTR_BYTES);
	perf_add64(&p->build, id);
	perf_send(x);
	perf_start(p, PERF_USER_EVENT_UPDATE, 0);
	perf_add64(&p->build, PERF_UPDATE_NAME);
	perf_add64(&p->build, id);
	strbuf_puts(&p->build, event_name(cls));
	strbuf_putc(&p->build, 0);
	perf_pad(&p->build);
	perf_send(x);
}

/* From a pipe, perf expects the formats behind a record with their size. */
static void pipe_head(struct export *x)
{
	static const unsigned int features[] = { PERF_FEAT_HOSTNAME, PERF_FEAT_OSRELEASE,
						 PERF_FEAT_VERSION, PERF_FEAT_ARCH,
						 PERF_FEAT_NRCPUS, PERF_FEAT_CMDLINE };
	uint64_t head[2] = { PERF_FILE_MAGIC, PERF_PIPE_HEADER_SIZE };
	struct perf_out *p = x->state;
	struct strbuf b = { 0 };

	out_write(&x->out, head, sizeof(head));
	each_event(x, send_attr, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(features); i++) {
		strbuf_reset(&b);
		if (!make_feature(x, features[i], &b))
			continue;
		perf_start(p, PERF_USER_FEATURE, 0);
		perf_add64(&p->build, features[i]);
		strbuf_add(&p->build, b.s, b.len);
		perf_pad(&p->build);
		perf_send(x);
	}
	strbuf_reset(&b);
	if (make_tracing_data(x, &b)) {
		perf_pad(&b);
		perf_start(p, PERF_USER_TRACING_DATA, 0);
		perf_add32(&p->build, (uint32_t)b.len);
		perf_add32(&p->build, 0);
		((struct perf_event_header *)p->build.s)->size = 12;
		perf_send(x);
		out_write(&x->out, b.s, b.len);
	}
	strbuf_reset(&b);
	if (add_kernel_id(x, &b))
		out_write(&x->out, b.s, b.len);
	strbuf_free(&b);
}

/* ---- File ---- */

static void add_id(struct export *x, const struct pev_class *cls, uint64_t id, struct strbuf *b)
{
	(void)x;
	(void)cls;
	perf_add64(b, id);
}

static void add_attr(struct export *x, const struct pev_class *cls, uint64_t id, struct strbuf *b)
{
	struct perf_event_attr a;

	(void)x;
	(void)id;
	make_attr(&a, cls);
	strbuf_add(b, &a, PERF_ATTR_BYTES);
	perf_add64(b, sizeof(struct perf_file_header) +
		   b->len / (PERF_ATTR_BYTES + sizeof(struct perf_file_section)) * sizeof(uint64_t));
	perf_add64(b, sizeof(uint64_t));
}

/* Is called again at the end, when the size of the data is known. */
static void file_head(struct export *x, const uint64_t *features)
{
	struct perf_file_header h = { .magic = PERF_FILE_MAGIC, .size = sizeof(h) };
	struct perf_out *p = x->state;
	struct strbuf ids = { 0 }, attrs = { 0 };

	each_event(x, add_id, &ids);
	each_event(x, add_attr, &attrs);
	h.attr_size = PERF_ATTR_BYTES + sizeof(struct perf_file_section);
	h.attrs.offset = sizeof(h) + ids.len;
	h.attrs.size = attrs.len;
	h.data.offset = h.attrs.offset + attrs.len;
	h.data.size = p->bytes;
	if (features)
		memcpy(h.features, features, sizeof(h.features));
	out_write(&x->out, &h, sizeof(h));
	out_write(&x->out, ids.s, ids.len);
	out_write(&x->out, attrs.s, attrs.len);
	strbuf_free(&ids);
	strbuf_free(&attrs);
}

int perf_head(struct export *x, struct msg *m)
{
	struct perf_out *p = x->state;

	(void)m;
	if (p->pipe)
		pipe_head(x);
	else
		file_head(x, NULL);
	p->bytes = 0;
	put_kernel(x);
	put_modules(x);
	return 0;
}

int perf_tail(struct export *x, struct msg *m)
{
	struct perf_file_section section = { 0 };
	struct perf_out *p = x->state;
	struct strbuf table = { 0 }, all = { 0 }, one = { 0 };
	uint64_t features[4] = { 0 };
	unsigned int n = 0;

	if (p->pipe)
		return 0;
	for (unsigned int i = 0; i < 32; i++) {
		strbuf_reset(&one);
		if (!make_feature(x, i, &one))
			continue;
		features[0] |= 1ULL << i;
		section.offset = all.len;
		section.size = one.len;
		strbuf_add(&table, &section, sizeof(section));
		strbuf_add(&all, one.s, one.len);
		n++;
	}
	for (unsigned int i = 0; i < n; i++)
		((struct perf_file_section *)table.s)[i].offset +=
			(uint64_t)ftello(x->out.f) + table.len;
	out_write(&x->out, table.s, table.len);
	out_write(&x->out, all.s, all.len);
	if (!out_failed(&x->out)) {
		if (fseeko(x->out.f, 0, SEEK_SET))
			return msg_set(m, -EIO, "%s: %s", x->out.path, strerror(errno));
		file_head(x, features);
	}
	strbuf_free(&table);
	strbuf_free(&all);
	strbuf_free(&one);
	return 0;
}
