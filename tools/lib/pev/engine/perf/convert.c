// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Converts perf's records to ours. See convert.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "core/compiler.h"
#include "engine/perf/convert.h"
#include "engine/perf/sample.h"

/* Offsets in __data_loc words count from so many bytes before the payload */
#define PAYLOAD_AT	8
/* What a record may have more than the one of perf's that it is made of */
#define GROWTH		160
#define CHAINS		(PEV_SAMPLE_KSTACK | PEV_SAMPLE_USTACK)

int perf_class_layout(struct perf_class *cls)
{
	uint32_t at = 0;

	cls->copies = calloc(cls->format.nr + 1, sizeof(*cls->copies));
	if (!cls->copies)
		return -ENOMEM;
	for (size_t i = 0; i < cls->format.nr; i++) {
		const struct tp_field *f = &cls->format.fields[i];
		struct copy *last = cls->nr_copies ? &cls->copies[cls->nr_copies - 1] : NULL;
		uint32_t element = f->count ? f->size / f->count : 1;

		if (f->dynamic) {
			/* two words, filled when it is known where the data lie */
			at = align_up(at, 2) + 4;
			continue;
		}
		if (element == 2 || element == 4 || element == 8)
			at = align_up(at, element);
		if (last && last->from + last->size == f->offset && last->to + last->size == at)
			last->size += f->size;
		else
			cls->copies[cls->nr_copies++] = (struct copy){ f->offset, at, f->size };
		at += f->size;
	}
	cls->fixed = at;
	return 0;
}

void perf_class_free(struct perf_class *cls)
{
	tp_format_free(&cls->format);
	free(cls->copies);
	free(cls->name);
	*cls = (struct perf_class){ 0 };
}

static uint8_t *put32(uint8_t *at, uint32_t v)
{
	memcpy(at, &v, sizeof(v));
	return at + sizeof(v);
}

static uint8_t *put64(uint8_t *at, uint64_t v)
{
	memcpy(at, &v, sizeof(v));
	return at + sizeof(v);
}

static uint8_t *put_bytes(uint8_t *at, const void *data, size_t len)
{
	if (len)
		memcpy(at, data, len);
	return at + len;
}

/* perf puts marks between the parts of a chain that lie in kernel and program. */
static uint8_t *put_chains(uint8_t *at, const struct perf_sample *s)
{
	uint32_t len[2] = { 0, 0 };
	uint8_t *lens = at;

	at += sizeof(len);
	/* the kernel's part comes first in both */
	for (unsigned int user = 0; user < 2; user++) {
		/* before the first mark, the chain is of the side that the event happened in */
		bool wanted = user != s->kernel;

		for (uint64_t i = 0; i < s->chain_len; i++) {
			uint64_t ip = s->chain[i];

			if (ip >= (uint64_t)PERF_CONTEXT_MAX) {
				wanted = user ? ip == (uint64_t)PERF_CONTEXT_USER :
						ip == (uint64_t)PERF_CONTEXT_KERNEL ||
						ip == (uint64_t)PERF_CONTEXT_HV;
			} else if (wanted) {
				at = put64(at, ip);
				len[user]++;
			}
		}
	}
	memcpy(lens, len, sizeof(len));
	return at;
}

static uint8_t *put_regs(uint8_t *at, const struct perf_sample *s)
{
	uint64_t nr = s->regs ? s->nr_regs : 0;

	return put_bytes(put64(at, nr), s->regs, nr * sizeof(*s->regs));
}

static uint8_t *put_values(uint8_t *at, const struct perf_sample *s)
{
	at = put64(at, s->nr_values);
	for (uint64_t i = 0; i < s->nr_values; i++)
		at = put64(at, s->values[i * s->value_words]);
	return at;
}

static uint8_t *put_stack(uint8_t *at, const struct perf_sample *s)
{
	uint64_t len = s->stack_len & ~7ULL;

	return put_bytes(put64(at, len), s->stack, len);
}

/*
 * Puts the data of a __data_loc word behind all that is fixed. Words may point to the
 * same data: @limit may then leave no room for all of them, and NULL is returned.
 */
static uint8_t *put_dynamic(uint8_t *payload, uint8_t *word, uint8_t *at, const uint8_t *limit,
			    const struct tp_field *f, const struct perf_sample *s)
{
	size_t offset = (size_t)(at - payload) + PAYLOAD_AT;
	uint16_t where[2] = { (uint16_t)offset, 0 };
	uint32_t loc = 0, from;

	if (offset > UINT16_MAX)
		return NULL;
	if (f->size == sizeof(loc) && s->raw_len >= sizeof(loc) &&
	    f->offset <= s->raw_len - sizeof(loc))
		memcpy(&loc, s->raw + f->offset, sizeof(loc));
	from = loc & 0xffff;
	if (from <= s->raw_len && loc >> 16 <= s->raw_len - from)
		where[1] = (uint16_t)(loc >> 16);
	if (where[1] > limit - at)
		return NULL;
	memcpy(word, where, sizeof(where));
	return put_bytes(at, s->raw + from, where[1]);
}

/* Puts fields; what lies behind the end of the raw data is 0. */
static void put_fixed(uint8_t *payload, const struct perf_class *cls, const struct perf_sample *s)
{
	memset(payload, 0, cls->fixed);
	for (size_t i = 0; i < cls->nr_copies; i++) {
		const struct copy *c = &cls->copies[i];
		uint32_t have = c->from < s->raw_len ? s->raw_len - c->from : 0;

		put_bytes(payload + c->to, s->raw + c->from, have < c->size ? have : c->size);
	}
}

static uint8_t *put_fields(uint8_t *payload, const uint8_t *limit, const struct perf_class *cls,
			   const struct perf_sample *s)
{
	uint8_t *at = payload + cls->fixed;
	uint32_t word = 0;

	put_fixed(payload, cls, s);
	/* go through the words again, in the order of perf_class_layout() */
	for (size_t i = 0; i < cls->format.nr && at; i++) {
		const struct tp_field *f = &cls->format.fields[i];
		uint32_t element = f->count ? f->size / f->count : 1;

		if (f->dynamic) {
			word = align_up(word, 2) + 4;
			at = put_dynamic(payload, payload + word - 4, at, limit, f, s);
			continue;
		}
		if (element == 2 || element == 4 || element == 8)
			word = align_up(word, element);
		word += f->size;
	}
	return at;
}

static uint8_t *put_context(uint8_t *at, uint64_t sample, const struct perf_sample *s)
{
	if (sample & PEV_SAMPLE_PID) {
		/* what follows is aligned */
		at = put32(at, s->pid);
		at = put32(at, 0);
	}
	if (sample & PEV_SAMPLE_IP)
		at = put64(at, s->ip);
	if (sample & PEV_SAMPLE_ADDR)
		at = put64(at, s->addr);
	if (sample & PEV_SAMPLE_PERIOD)
		at = put64(at, s->period);
	if (sample & PEV_SAMPLE_CPU)
		at = put64(at, s->cpu);
	if (sample & PEV_SAMPLE_GUEST)
		at = put64(at, s->guest);
	return at;
}

static uint8_t *put_varying(uint8_t *at, uint64_t sample, const struct perf_sample *s)
{
	if (sample & CHAINS)
		at = put_chains(at, s);
	if (sample & PEV_SAMPLE_UREGS)
		at = put_regs(at, s);
	if (sample & PEV_SAMPLE_READ)
		at = put_values(at, s);
	if (sample & PEV_SAMPLE_USTACK_DUMP)
		at = put_stack(at, s);
	return at;
}

/* Returns the bytes of a record's own, at most: what it does not take is lost in each packet. */
static uint32_t size_of(const struct perf_class *cls, const struct perf_sample *s)
{
	const uint64_t words = PEV_SAMPLE_PID | PEV_SAMPLE_IP | PEV_SAMPLE_ADDR |
			       PEV_SAMPLE_PERIOD | PEV_SAMPLE_CPU | PEV_SAMPLE_GUEST;
	uint64_t sample = cls->sample;
	size_t size = 8 * (size_t)__builtin_popcountll(sample & words);

	size += cls->cgroup ? 8 : 0;
	/* texts lie at odd places */
	if (cls->format.name)
		return s->size + cls->fixed + GROWTH;
	if (sample & CHAINS)
		size += 8 + 8 * s->chain_len;
	if (sample & PEV_SAMPLE_UREGS)
		size += 8 + 8 * s->nr_regs;
	if (sample & PEV_SAMPLE_READ)
		size += 8 + 8 * s->nr_values;
	if (sample & PEV_SAMPLE_USTACK_DUMP)
		size += 8 + s->stack_len;
	if (cls->raw)
		size += 4 + s->raw_len;
	return (uint32_t)size;
}

int perf_convert_sample(struct sink *out, const struct perf_class *cls,
			const struct perf_sample *s)
{
	const struct record_head head = { cls->id, s->tid, s->time };
	uint32_t room = size_of(cls, s);
	const uint8_t *limit;
	uint8_t *at;
	int ret = out->begin(out, room, &head, &at);

	if (unlikely(ret))
		return ret;
	limit = at + room;
	at = put_context(at, cls->sample, s);
	if (cls->cgroup)
		at = put64(at, s->cgroup);
	at = put_varying(at, cls->sample, s);
	if (cls->format.name)
		at = put_fields(at, limit, cls, s);
	if (cls->raw)
		at = put_bytes(put32(at, s->raw_len), s->raw, s->raw_len);
	return at ? out->commit(out, at) : -E2BIG;
}

/* ---- Samples of words ---- */

#define LOW_HALF UINT32_MAX

/* Members that are a word each, in the order of perf's samples */
static const struct {
	uint64_t perf;
	uint64_t ours;
} words_of_sample[] = {
	{ PERF_SAMPLE_IDENTIFIER, 0 },
	{ PERF_SAMPLE_IP, PEV_SAMPLE_IP },
	{ PERF_SAMPLE_TID, PEV_SAMPLE_PID },
	{ PERF_SAMPLE_TIME, 0 },
	{ PERF_SAMPLE_ADDR, PEV_SAMPLE_ADDR },
	{ PERF_SAMPLE_CPU, PEV_SAMPLE_CPU },
	{ PERF_SAMPLE_PERIOD, PEV_SAMPLE_PERIOD },
};

/* ... and in that of put_context() */
static const uint64_t words_of_record[] = {
	PEV_SAMPLE_PID, PEV_SAMPLE_IP, PEV_SAMPLE_ADDR, PEV_SAMPLE_PERIOD, PEV_SAMPLE_CPU,
};

static bool is_words(const struct perf_class *cls, const struct perf_event_attr *attr)
{
	uint64_t ours = PEV_SAMPLE_TID, perf = 0;

	for (size_t i = 0; i < ARRAY_SIZE(words_of_sample); i++) {
		perf |= words_of_sample[i].perf;
		ours |= words_of_sample[i].ours;
	}
	return !(attr->sample_type & ~perf) && !(cls->sample & ~ours) && !cls->cgroup &&
	       !cls->raw && !cls->excludes && !cls->format.name;
}

/* The number of a word in samples; 0, which is the identifier: it is not among them */
static uint32_t place_of(uint64_t perf, const struct perf_event_attr *attr)
{
	uint32_t nr = 0;

	if (!(attr->sample_type & perf))
		return 0;
	for (size_t i = 0; words_of_sample[i].perf != perf; i++)
		nr += !!(attr->sample_type & words_of_sample[i].perf);
	return nr;
}

static uint64_t perf_of(uint64_t ours)
{
	size_t i = 0;

	while (words_of_sample[i].ours != ours)
		i++;
	return words_of_sample[i].perf;
}

void perf_plan_make(struct perf_plan *plan, const struct perf_class *cls,
		    const struct perf_event_attr *attr)
{
	*plan = (struct perf_plan){ .tid = place_of(PERF_SAMPLE_TID, attr),
				    .time = place_of(PERF_SAMPLE_TIME, attr) };
	if (!is_words(cls, attr) || !plan->tid || !plan->time)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(words_of_record); i++) {
		uint64_t ours = words_of_record[i];

		if (!(cls->sample & ours))
			continue;
		plan->from[plan->nr] = place_of(perf_of(ours), attr);
		/* what samples do not have is 0 in records */
		if (!plan->from[plan->nr])
			return;
		plan->mask[plan->nr++] = ours == PEV_SAMPLE_PID || ours == PEV_SAMPLE_CPU ?
						 LOW_HALF :
						 UINT64_MAX;
	}
	for (size_t i = 0; i < ARRAY_SIZE(words_of_sample); i++)
		plan->words += !!(attr->sample_type & words_of_sample[i].perf);
}

int perf_convert_words(struct sink *out, const struct perf_class *cls, const struct perf_plan *plan,
		       const struct perf_event_header *record)
{
	const uint64_t *words = (const uint64_t *)(record + 1);
	struct record_head head = { .id = cls->id };
	uint8_t *at;
	int ret;

	if (unlikely(record->size < sizeof(*record) + plan->words * sizeof(*words)))
		return -EBADMSG;
	head.tid = (uint32_t)(words[plan->tid] >> 32);
	head.time = words[plan->time];
	ret = out->begin(out, plan->nr * (uint32_t)sizeof(*words), &head, &at);
	if (unlikely(ret))
		return ret;
	for (uint32_t i = 0; i < plan->nr; i++)
		at = put64(at, words[plan->from[i]] & plan->mask[i]);
	return out->commit(out, at);
}

/* ---- Sideband ---- */

/* PERF_RECORD_MMAP behind its header, which in PERF_RECORD_MMAP2 goes on */
struct mmap1 {
	uint32_t	pid;
	uint32_t	tid;
	uint64_t	addr;
	uint64_t	len;
	uint64_t	pgoff;
};

struct mmap2 {
	struct mmap1	one;
	union {
		struct {
			uint32_t	maj;
			uint32_t	min;
			uint64_t	ino;
			uint64_t	generation;
		};
		struct {
			uint8_t		id_size;
			uint8_t		reserved[3];
			uint8_t		id[20];
		};
	};
	uint32_t	prot;
	uint32_t	flags;
};

/* Ours; @filename follows */
struct mmap_fields {
	uint64_t	addr;
	uint64_t	len;
	uint64_t	pgoff;
	uint64_t	ino;
	uint32_t	pid;
	uint32_t	tid;
	uint32_t	maj;
	uint32_t	min;
	uint32_t	prot;
	uint32_t	flags;
	uint32_t	build_id_size;
	uint8_t		build_id[20];
	uint16_t	filename_off;
	uint16_t	filename_len;
	char		filename[];
};

#define MMAP_FIXED	offsetof(struct mmap_fields, filename)
#define BUILD_ID	20

struct task {
	uint32_t	pid;
	uint32_t	ppid;
	uint32_t	tid;
	uint32_t	ptid;
};

static size_t body(const struct perf_event_header *record)
{
	return record->size - sizeof(*record);
}

static void set_build(struct mmap_fields *f, const uint8_t *id, size_t len)
{
	f->build_id_size = len < BUILD_ID ? (uint32_t)len : BUILD_ID;
	memcpy(f->build_id, id, f->build_id_size);
}

static void set_known_build(struct mmap_fields *f, const struct known_builds *builds,
			    const char *path, size_t len)
{
	for (size_t i = 0; builds && i < builds->nr; i++) {
		const struct known_build *b = &builds->at[i];

		if (strncmp(b->path, path, len) || b->path[len])
			continue;
		set_build(f, b->id, b->len);
		return;
	}
}

static void read_build(struct mmap_fields *f, const struct known_builds *builds, const char *path)
{
	const struct mapped_file file = {
		.pid = f->pid,
		.maj = f->maj,
		.min = f->min,
		.ino = f->ino,
		.path = path,
	};
	uint8_t id[BUILD_ID_MOST];

	set_build(f, id, builds_find(builds->files, &file, id));
}

static int put_mmap(struct sink *out, uint32_t id, const struct perf_event_header *record,
		    uint64_t time, const struct known_builds *builds)
{
	bool two = record->type == PERF_RECORD_MMAP2;
	/* Linux leaves the bit set for those who did not ask, when another event has asked */
	bool has_id = two && record->misc & PERF_RECORD_MISC_MMAP_BUILD_ID &&
		      !(builds && builds->files);
	size_t fixed = two ? sizeof(struct mmap2) : sizeof(struct mmap1), len;
	/* the older form is of code unless it says otherwise */
	struct mmap2 m = { .prot = record->misc & PERF_RECORD_MISC_MMAP_DATA ? 1 : 5, .flags = 2 };
	const char *path = (const char *)(record + 1) + fixed;
	struct record_head head;
	struct mmap_fields f;
	uint8_t *at;
	int ret;

	if (body(record) < fixed)
		return -EBADMSG;
	memcpy(&m, record + 1, fixed);
	len = strnlen(path, body(record) - fixed);
	/* the kernel's own, and data */
	if (m.one.pid == UINT32_MAX || !len || !(m.prot & 4))
		return 0;
	f = (struct mmap_fields){
		.addr = m.one.addr, .len = m.one.len, .pgoff = m.one.pgoff, .pid = m.one.pid,
		.tid = m.one.tid, .prot = m.prot, .flags = m.flags,
		.filename_off = MMAP_FIXED + PAYLOAD_AT, .filename_len = (uint16_t)(len + 1),
	};
	if (has_id) {
		set_build(&f, m.id, m.id_size);
	} else {
		set_known_build(&f, builds, path, len);
		f.maj = m.maj;
		f.min = m.min;
		f.ino = m.ino;
		if (builds && builds->files && len < body(record) - fixed)
			read_build(&f, builds, path);
	}
	head = (struct record_head){ id, m.one.tid, time };
	ret = out->begin(out, (uint32_t)(MMAP_FIXED + len + 1), &head, &at);
	if (ret)
		return ret;
	at = put_bytes(at, &f, MMAP_FIXED);
	at = put_bytes(at, path, len);
	*at++ = '\0';
	ret = out->commit(out, at);
	return ret < 0 ? ret : 1;
}

static uint8_t *put_comm_text(uint8_t *at, const char *text, size_t room)
{
	size_t len = strnlen(text, room);

	memset(at, 0, 16);
	memcpy(at, text, len < 15 ? len : 15);
	return at + 16;
}

static int put_exec(struct sink *out, uint32_t id, const uint32_t pid_tid[2], uint64_t time)
{
	const struct record_head head = { id, pid_tid[1], time };
	uint8_t *at;
	int ret = out->begin(out, 12, &head, &at);

	if (ret)
		return ret;
	at = put32(at, pid_tid[0]);
	at = put32(at, pid_tid[1]);
	return out->commit(out, put32(at, pid_tid[1]));
}

/* An exec becomes two records: what runs now, and its name. */
static int put_comm(struct sink *out, const uint32_t ids[PERF_SB_MAX],
		    const struct perf_event_header *record, uint64_t time)
{
	bool exec = record->misc & PERF_RECORD_MISC_COMM_EXEC;
	const uint32_t *pid_tid = (const void *)(record + 1);
	struct record_head head;
	uint8_t *at;
	int ret = 0;

	if (body(record) < 2 * sizeof(*pid_tid))
		return -EBADMSG;
	if (exec && ids[PEV_SB_EXEC] != PERF_NO_CLASS)
		ret = put_exec(out, ids[PEV_SB_EXEC], pid_tid, time);
	if (ret < 0 || ids[PEV_SB_COMM] == PERF_NO_CLASS)
		return ret;
	head = (struct record_head){ ids[PEV_SB_COMM], pid_tid[1], time };
	ret = out->begin(out, 24, &head, &at);
	if (ret)
		return ret;
	at = put32(at, pid_tid[0]);
	at = put32(at, pid_tid[1]);
	at = put_comm_text(at, (const char *)(pid_tid + 2), body(record) - 2 * sizeof(*pid_tid));
	ret = out->commit(out, at);
	return ret < 0 ? ret : 1;
}

static int put_task(struct sink *out, const uint32_t ids[PERF_SB_MAX],
		    const struct perf_event_header *record, uint64_t time)
{
	bool fork = record->type == PERF_RECORD_FORK;
	const struct task *t = (const void *)(record + 1);
	struct record_head head;
	uint8_t *at;
	int ret;

	if (body(record) < sizeof(*t))
		return -EBADMSG;
	head = (struct record_head){
		ids[fork ? PEV_SB_FORK : PEV_SB_EXIT], fork ? t->ptid : t->tid, time,
	};
	if (head.id == PERF_NO_CLASS)
		return 0;
	ret = out->begin(out, 32, &head, &at);
	if (ret)
		return ret;
	at = put32(at, t->pid);
	at = put32(at, t->tid);
	if (fork) {
		at = put32(at, t->ppid);
		at = put32(at, t->ptid);
		/* perf does not tell the name, as a child begins with its parent's */
		at = put_comm_text(at, "", 0);
	} else {
		at = put32(at, 0);
	}
	ret = out->commit(out, at);
	return ret < 0 ? ret : 1;
}

/* PERF_RECORD_KSYMBOL behind its header; ours is the same with where the name lies */
struct ksymbol {
	uint64_t	addr;
	uint32_t	len;
	uint16_t	type;
	uint16_t	flags;
};

/* pid and tid, time, id */
#define TRAILER (3 * sizeof(uint64_t))

/*
 * While several events of a CPU want functions, the kernel says a size that grows by a trailer with each
 * of them, but writes one: what is behind that was in the ring before. The name is padded to 8 bytes.
 */
size_t perf_record_size(const struct perf_event_header *record)
{
	size_t before = sizeof(*record) + sizeof(struct ksymbol), len, size;

	if (record->type != PERF_RECORD_KSYMBOL || record->size < before)
		return record->size;
	len = strnlen((const char *)record + before, record->size - before);
	size = before + ((len + 8) & ~(size_t)7) + TRAILER;
	return size < record->size ? size : record->size;
}

static int put_function(struct sink *out, uint32_t id, const struct perf_event_header *record,
			uint64_t time)
{
	const char *name = (const char *)(record + 1) + sizeof(struct ksymbol);
	struct record_head head = { id, 0, time };
	uint16_t where[2];
	size_t len;
	uint8_t *at;
	int ret;

	if (body(record) < sizeof(struct ksymbol))
		return -EBADMSG;
	len = strnlen(name, body(record) - sizeof(struct ksymbol));
	where[0] = sizeof(struct ksymbol) + sizeof(where) + PAYLOAD_AT;
	where[1] = (uint16_t)(len + 1);
	ret = out->begin(out, (uint32_t)(sizeof(struct ksymbol) + sizeof(where) + len + 1), &head,
			 &at);
	if (ret)
		return ret;
	at = put_bytes(at, record + 1, sizeof(struct ksymbol));
	at = put_bytes(at, where, sizeof(where));
	at = put_bytes(at, name, len);
	*at++ = '\0';
	ret = out->commit(out, at);
	return ret < 0 ? ret : 1;
}

int perf_convert_switch(struct sink *out, uint32_t id, const struct perf_event_header *record,
			uint32_t tid, uint64_t time)
{
	const struct record_head head = { id, tid, time };
	uint8_t *at;
	int ret = out->begin(out, 8, &head, &at);

	if (ret)
		return ret;
	at = put32(at, !!(record->misc & PERF_RECORD_MISC_SWITCH_OUT));
	at = put32(at, !!(record->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT));
	return out->commit(out, at);
}

int perf_convert_sideband(struct sink *out, const uint32_t ids[PERF_SB_MAX],
			  const struct perf_event_header *record, uint64_t time,
			  const struct known_builds *builds)
{
	switch (record->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return ids[PEV_SB_MMAP] == PERF_NO_CLASS ? 0 :
			put_mmap(out, ids[PEV_SB_MMAP], record, time, builds);
	case PERF_RECORD_COMM:
		return put_comm(out, ids, record, time);
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return put_task(out, ids, record, time);
	case PERF_RECORD_KSYMBOL:
		return ids[PERF_SB_FUNCTION] == PERF_NO_CLASS ? 0 :
			put_function(out, ids[PERF_SB_FUNCTION], record, time);
	default:
		return 0;
	}
}
