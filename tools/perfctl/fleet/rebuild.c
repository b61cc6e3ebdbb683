// SPDX-License-Identifier: GPL-2.0
/* Writes what a store answered as a recording. See rebuild.h. */
#include "rebuild.h"
#include "places.h"
#include "base/text.h"
#include "session/session.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#define NS 1000000000ull
/* maps all files; the processes of programs are forked from it */
#define PARENT 1u
#define FIRST_PROGRAM 2u
#define LABEL_MOST 255
#define COMM_LEN 16

/**
 * struct rebuild - a recording that is written
 * @events: ids, in the order of the classes
 * @programs: their processes have the numbers behind FIRST_PROGRAM
 */
struct rebuild {
	const struct store_query *q;
	const struct answer *a;
	struct places places;
	struct pev_meta *meta;
	struct pev_encoder *enc;
	uint64_t *events;
	size_t n_events, cap_events;
	struct strtab programs;
	uint64_t *chain;
	size_t n_chain, cap_chain;
};

static const char sideband[] =
	"event {\n	name = \"pev:mmap\";\n	id = 0;\n	stream_id = 0;\n"
	"	model.emf.uri = \"pev:sideband?period=1&freq=0\";\n"
	"	fields := struct {\n		xint64_t addr;\n		xint64_t len;\n"
	"		xint64_t pgoff;\n		uint32_t pid;\n"
	"		uint32_t build_id_size;\n		uint8_t build_id[20];\n"
	"		uint16_t filename_off;\n		uint16_t filename_len;\n"
	"		text_t filename[filename_len];\n"
	"		struct { } align(64) ___end;\n	} align(64);\n};\n\n"
	"event {\n	name = \"pev:comm\";\n	id = 1;\n	stream_id = 0;\n"
	"	model.emf.uri = \"pev:sideband?period=1&freq=0\";\n"
	"	fields := struct {\n		uint32_t pid;\n		uint32_t tid;\n"
	"		text_t comm[16];\n"
	"		struct { } align(64) ___end;\n	} align(64);\n};\n\n"
	"event {\n	name = \"pev:fork\";\n	id = 2;\n	stream_id = 0;\n"
	"	model.emf.uri = \"pev:sideband?period=1&freq=0\";\n"
	"	fields := struct {\n		uint32_t pid;\n		uint32_t tid;\n"
	"		uint32_t ppid;\n		uint32_t ptid;\n"
	"		struct { } align(64) ___end;\n	} align(64);\n};\n\n"
	"event {\n	name = \"pev:exit\";\n	id = 3;\n	stream_id = 0;\n"
	"	model.emf.uri = \"pev:sideband?period=1&freq=0\";\n"
	"	fields := struct {\n		uint32_t pid;\n		uint32_t tid;\n"
	"		struct { } align(64) ___end;\n	} align(64);\n};\n\n";

#define N_SIDEBAND 4

static const char samples[] = "	context := struct {\n		uint32_t pid;\n"
			      "		uint64_t period;\n	};\n"
			      "	fields := struct {\n"
			      "		uint32_t kstack_len;\n		uint32_t ustack_len;\n"
			      "		xint64_t kstack[kstack_len];\n"
			      "		xint64_t ustack[ustack_len];\n"
			      "		uint64_t folded;\n"
			      "		uint16_t host_off;\n		uint16_t host_len;\n"
			      "		uint16_t service_off;\n		uint16_t service_len;\n"
			      "		text_t host[host_len];\n"
			      "		text_t service[service_len];\n"
			      "		struct { } align(64) ___end;\n"
			      "	} align(64);\n};\n\n";

/* ---- metadata ---- */

/* Names of events come from other machines, and go into a text with a grammar of its own. */
static void put_event_name(struct strbuf *b, const char *name)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "_:.,/=-+*@()[]$ ";

	for (size_t i = 0; name[i] && i < LABEL_MOST; i++)
		strbuf_putc(b, strchr(plain, name[i]) ? name[i] : '_');
}

static uint32_t event_of(struct rebuild *r, uint64_t id)
{
	size_t i = 0;

	while (i < r->n_events && r->events[i] != id)
		i++;
	if (i == r->n_events)
		*ARRAY_PUSH(r->events, r->n_events, r->cap_events) = id;
	return (uint32_t)i;
}

static void put_class(const struct rebuild *r, uint32_t nr, struct strbuf *b)
{
	const struct answer_name *n = answer_name(r->a, STORE_EVENT, r->events[nr]);
	int type = n ? pev_type_by_name(n->more) : -ENOENT;

	strbuf_puts(b, "event {\n	name = \"");
	put_event_name(b, n ? n->name : "unknown");
	strbuf_addf(b,
		    "\";\n	id = %u;\n	stream_id = 0;\n"
		    "	model.emf.uri = \"pev:%s?period=1&freq=0\";\n",
		    N_SIDEBAND + nr, type < 0 || type == PEV_TYPE_SIDEBAND ? "software" : n->more);
	strbuf_puts(b, samples);
}

static int write_metadata(struct rebuild *r, struct pev_writer *w, struct msg *m)
{
	static const uint8_t uuid[16] = "pev from a store";
	struct strbuf b = { 0 };
	struct pev_error e;
	size_t len;
	char *head;
	int err;

	if (pev_meta_head(uuid, 0, 0, &head, &len))
		checked(NULL);
	strbuf_add(&b, head, len);
	free(head);
	strbuf_puts(&b, sideband);
	for (uint32_t i = 0; i < r->n_events; i++)
		put_class(r, i, &b);
	err = pev_writer_metadata(w, b.s, b.len);
	if (err)
		msg_set(m, -EIO, "writing what the store answered: %s", strerror(-err));
	else if (pev_meta_parse(b.s, b.len, 0, &r->meta, &e))
		err = msg_set(m, -EBADMSG, "the store's events make no sense: %s", e.text);
	strbuf_free(&b);
	return err;
}

/* ---- what stands before the samples ---- */

static int begin(struct rebuild *r, uint32_t cls, uint64_t seconds, uint32_t pid)
{
	return pev_encoder_begin(r->enc, pev_meta_class_by_id(r->meta, 0, cls), seconds * NS, pid);
}

static int put_ids(struct rebuild *r, uint32_t pid)
{
	int err = pev_encoder_int(r->enc, "pid", pid);

	return err ? err : pev_encoder_int(r->enc, "tid", pid);
}

static int put_mapping(struct rebuild *r, const struct place_file *f)
{
	struct build_id id;
	int err = begin(r, 0, r->q->from, PARENT);

	if (!err)
		err = pev_encoder_int(r->enc, "addr", f->base);
	if (!err)
		err = pev_encoder_int(r->enc, "len", f->size);
	if (!err)
		err = pev_encoder_int(r->enc, "pid", PARENT);
	if (!err && build_id_parse(f->build_id, &id)) {
		err = pev_encoder_int(r->enc, "build_id_size", id.len);
		if (!err)
			err = pev_encoder_data(r->enc, "build_id", id.bytes, id.len);
	}
	if (!err)
		err = pev_encoder_data(r->enc, "filename", f->path, strlen(f->path) + 1);
	return err ? err : pev_encoder_commit(r->enc);
}

static int put_program(struct rebuild *r, uint32_t nr)
{
	const char *name = strtab_get(&r->programs, nr);
	uint32_t pid = FIRST_PROGRAM + nr;
	int err = begin(r, 2, r->q->from, pid);

	if (!err)
		err = put_ids(r, pid);
	if (!err)
		err = pev_encoder_int(r->enc, "ppid", PARENT);
	if (!err)
		err = pev_encoder_int(r->enc, "ptid", PARENT);
	if (!err)
		err = pev_encoder_commit(r->enc);
	if (!err)
		err = begin(r, 1, r->q->from, pid);
	if (!err)
		err = put_ids(r, pid);
	if (!err)
		err = pev_encoder_data(r->enc, "comm", name, min_u64(strlen(name) + 1, COMM_LEN));
	return err ? err : pev_encoder_commit(r->enc);
}

/* Files that were made for code without one, by the names that they have in info/ */
static const struct {
	const char *path;
	const char *info;
} code_files[PLACE_CODES] = {
	[PLACE_VDSO] = { "[vdso]", "vdso" },
	[PLACE_JIT] = { SESSION_JIT, SESSION_JIT + 1 },
};

static int put_code(struct rebuild *r, enum place_code code)
{
	const struct place_names *names = &r->places.code[code];
	struct build_id id = { .len = sizeof(names->id) };
	char hex[41];
	const struct place_file file = { code_files[code].path, hex, names->base, names->file.len };

	memcpy(id.bytes, names->id, sizeof(names->id));
	build_id_text(&id, hex);
	return names->n ? put_mapping(r, &file) : 0;
}

static int write_head(struct rebuild *r)
{
	int err = 0;

	for (int i = 0; i < PLACE_CODES && !err; i++)
		err = put_code(r, (enum place_code)i);
	for (size_t i = 0; i < r->places.n_files && !err; i++)
		err = put_mapping(r, &r->places.files[i]);
	for (uint32_t i = 0; i < r->programs.n && !err; i++)
		err = put_program(r, i);
	return err;
}

/* ---- samples ---- */

static int put_label(struct rebuild *r, const char *field, enum store_name kind, uint64_t id)
{
	const struct answer_name *n = answer_name(r->a, kind, id);
	char text[LABEL_MOST + 1];

	if (r->q->most && id == STORE_OTHERS)
		snprintf(text, sizeof(text), "(other %ss)", field);
	else
		snprintf(text, sizeof(text), "%s%s%s", n ? n->name : "unknown",
			 n && *n->more ? " " : "", n ? n->more : "");
	return pev_encoder_data(r->enc, field, text, strlen(text) + 1);
}

/* Readers look for callers one byte before an address: but for the first ones, these return there. */
static uint64_t as_return(uint64_t at, bool first)
{
	return first ? at : at + 1;
}

static int put_chains(struct rebuild *r, const struct answer_stack *s)
{
	size_t nk = 0;
	int err = 0;

	r->n_chain = 0;
	for (size_t i = 0; s && i < s->n; i++) {
		uint64_t at = places_find(&r->places, r->a->chain[s->first + i]);
		bool kernel = at >> 63;

		/* frames of the kernel come first */
		if (kernel && nk == i)
			nk++;
		else if (kernel)
			at = PLACE_NOWHERE;
		*ARRAY_PUSH(r->chain, r->n_chain,
			    r->cap_chain) = as_return(at, !i || (!kernel && i == nk));
	}
	if (!r->n_chain)
		*ARRAY_PUSH(r->chain, r->n_chain, r->cap_chain) = PLACE_NOWHERE;
	if (nk)
		err = pev_encoder_data(r->enc, "kstack", r->chain, nk * sizeof(*r->chain));
	if (!err && r->n_chain > nk)
		err = pev_encoder_data(r->enc, "ustack", r->chain + nk,
				       (r->n_chain - nk) * sizeof(*r->chain));
	return err;
}

/* Does a row stand for call chains that are not apart? */
static bool is_rest(const struct rebuild *r, const struct answer_row *row)
{
	return r->q->most && row->stack == STORE_OTHERS;
}

static uint32_t program_of(struct rebuild *r, const struct answer_row *row)
{
	const struct answer_stack *s = answer_stack(r->a, row->stack);

	return strtab_id(&r->programs, s ? s->program : is_rest(r, row) ? "(rest)" : "unknown");
}

static int put_row(struct rebuild *r, const struct answer_row *row)
{
	const struct answer_stack *s = answer_stack(r->a, row->stack);
	uint32_t pid = FIRST_PROGRAM + program_of(r, row);
	int err = begin(r, N_SIDEBAND + event_of(r, row->event),
			row->time > r->q->from ? row->time : r->q->from, pid);

	if (!err)
		err = pev_encoder_int(r->enc, "pid", pid);
	if (!err)
		err = pev_encoder_int(r->enc, "period", row->weight);
	if (!err)
		err = pev_encoder_int(r->enc, "folded", row->samples);
	if (!err && !is_rest(r, row))
		err = put_chains(r, s);
	if (!err && r->q->by_host)
		err = put_label(r, "host", STORE_HOST, row->host);
	if (!err && r->q->by_service)
		err = put_label(r, "service", STORE_SERVICE, row->service);
	return err ? err : pev_encoder_commit(r->enc);
}

/* The end of the process that maps all: the recording reaches to the end of what was asked for. */
static int write_end(struct rebuild *r)
{
	int err = begin(r, 3, r->q->to, PARENT);

	if (!err)
		err = put_ids(r, PARENT);
	return err ? err : pev_encoder_commit(r->enc);
}

static int write_packets(struct rebuild *r, struct pev_writer *w)
{
	int err = pev_writer_encoder(w, r->meta, "0", UINT32_MAX, &r->enc), close_err;

	if (err)
		return err;
	err = write_head(r);
	for (size_t i = 0; i < r->a->n_rows && !err; i++)
		err = put_row(r, &r->a->rows[i]);
	if (!err)
		err = write_end(r);
	close_err = pev_encoder_close(r->enc);
	return err ? err : close_err;
}

static void put_kept(struct strbuf *b, const struct store_kept *k, const char *of,
		     const char *things)
{
	char n[32], all[32];

	if (k->of == 1)
		strbuf_addf(b, "1 %.*s", (int)strlen(things) - 1, things);
	else if (k->n >= k->of)
		strbuf_addf(b, "all %s %s", text_count(n, k->n), things);
	else
		strbuf_addf(b, "the %s heaviest of %s%s %s, with %.1f %% of the samples",
			    text_count(n, k->n), of, text_count(all, k->of), things,
			    100 * k->share);
}

/* What a bounded answer leaves together or out, for its reader */
static int write_bounds(const struct rebuild *r, struct pev_writer *w)
{
	const struct store_kept *kept = r->a->kept;
	struct strbuf b = { 0 };
	char step[32];
	int err;

	put_kept(&b, &kept[NARROW_HOST], "", "hosts");
	strbuf_puts(&b, "; ");
	put_kept(&b, &kept[NARROW_SERVICE], "", "services");
	strbuf_puts(&b, "; ");
	put_kept(&b, &kept[NARROW_STACK], "about ", "call chains");
	if (kept[NARROW_EVENT].n < kept[NARROW_EVENT].of) {
		strbuf_puts(&b, "; ");
		put_kept(&b, &kept[NARROW_EVENT], "", "events, and no others");
	}
	err = pev_writer_info(w, "fleet_bounds", b.s);
	snprintf(step, sizeof(step), "%u", r->a->step);
	if (!err)
		err = pev_writer_info(w, "fleet_step", step);
	strbuf_free(&b);
	return err;
}

static int write_info(struct rebuild *r, struct pev_writer *w, const char *what)
{
	struct strbuf kallsyms = { 0 };
	int err = pev_writer_info(w, "command", what);

	if (!err && r->q->most)
		err = write_bounds(r, w);
	places_kallsyms(&r->places, &kallsyms);
	if (!err && kallsyms.len)
		err = pev_writer_info_file(w, "kallsyms", kallsyms.s, kallsyms.len);
	strbuf_free(&kallsyms);
	for (int i = 0; i < PLACE_CODES && !err; i++) {
		const struct place_names *names = &r->places.code[i];

		if (names->n)
			err = pev_writer_info_file(w, code_files[i].info, names->file.s,
						   names->file.len);
	}
	return err;
}

int rebuild_recording(struct pev_writer *w, const struct store_query *q, const struct answer *a,
		      const char *what, struct msg *m)
{
	struct rebuild r = { .q = q, .a = a };
	int err;

	places_make(&r.places, a);
	for (size_t i = 0; i < a->n_rows; i++) {
		event_of(&r, a->rows[i].event);
		program_of(&r, &a->rows[i]);
	}
	err = write_metadata(&r, w, m);
	if (!err) {
		err = write_info(&r, w, what);
		if (!err)
			err = write_packets(&r, w);
		if (err)
			msg_set(m, -EIO, "writing what the store answered: %s", strerror(-err));
	}
	pev_meta_free(r.meta);
	places_free(&r.places);
	strtab_free(&r.programs);
	free(r.events);
	free(r.chain);
	return err;
}
