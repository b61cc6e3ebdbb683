// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The metadata of a trace: its text, classes and clock. tsdl.c parses the text,
 * layout.c places the fields.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "core/error.h"
#include "ctf/tsdl.h"
#include "ctf/tsdl_type.h"

#define MAX_TEXT	(256U << 20)

struct pev_meta *meta_new(void)
{
	struct pev_meta *meta = calloc(1, sizeof(*meta));

	if (meta)
		meta->line = 1;
	return meta;
}

bool meta_usable(const struct pev_meta *meta)
{
	return meta->have_trace && meta->have_clock && meta->streams;
}

struct pev_stream_class *meta_stream(const struct pev_meta *meta, uint32_t id)
{
	struct pev_stream_class *s = meta->streams;

	while (s && s->id != id)
		s = s->next;
	return s;
}

int meta_parse_more(struct pev_meta *meta, const char *text, size_t len,
		    struct pev_error *err)
{
	char *copy;

	if (len > MAX_TEXT)
		return pev_fail(err, EFBIG, 0, "the metadata has more than 256 MiB");
	if (len < meta->parsed)
		return pev_fail(err, EINVAL, 0, "the metadata has become shorter");
	/* nothing points into the text: names are copies */
	copy = realloc(meta->text, len + 1);
	if (!copy)
		return pev_fail(err, ENOMEM, 0, "out of memory");
	memcpy(copy + meta->parsed, text + meta->parsed, len - meta->parsed);
	copy[len] = '\0';
	meta->text = copy;
	meta->len = len;
	return tsdl_parse(meta, err);
}

PEV_EXPORT int pev_meta_parse(const char *text, size_t len, unsigned int flags,
			      struct pev_meta **out, struct pev_error *err)
{
	struct pev_meta *meta;
	int ret;

	*out = NULL;
	if (flags)
		return pev_fail(err, EINVAL, 0, "pev_meta_parse() has no flags 0x%x", flags);
	meta = meta_new();
	if (!meta)
		return pev_fail(err, ENOMEM, 0, "out of memory");
	ret = meta_parse_more(meta, text, len, err);
	if (!ret && !meta_usable(meta))
		ret = pev_fail(err, EBADMSG, meta->line,
			       "metadata line %u: the text ends without a %s block", meta->line,
			       !meta->have_trace ? "trace" : !meta->have_clock ? "clock" :
			       "stream");
	if (ret) {
		pev_meta_free(meta);
		return ret;
	}
	*out = meta;
	return 0;
}

PEV_EXPORT int pev_meta_update(struct pev_meta *meta, const char *text, size_t len,
			       struct pev_error *err)
{
	return meta_parse_more(meta, text, len, err);
}

PEV_EXPORT void pev_meta_free(struct pev_meta *meta)
{
	if (!meta)
		return;
	for (struct pev_stream_class *s = meta->streams; s; s = s->next)
		free(s->by_id);
	tsdl_drop_types(meta, NULL);
	arena_free(&meta->arena);
	free(meta->classes);
	free(meta->text);
	free(meta);
}

PEV_EXPORT const char *pev_meta_text(const struct pev_meta *meta, size_t *len)
{
	if (len)
		*len = meta->len;
	return meta->text;
}

PEV_EXPORT unsigned int pev_meta_nr_classes(const struct pev_meta *meta)
{
	return meta->nr_classes;
}

PEV_EXPORT const struct pev_class *pev_meta_class(const struct pev_meta *meta,
						  unsigned int nr)
{
	return nr < meta->nr_classes ? &meta->classes[nr]->pub : NULL;
}

PEV_EXPORT const struct pev_class *pev_meta_class_by_id(const struct pev_meta *meta,
							uint32_t stream_id, uint32_t id)
{
	const struct pev_stream_class *s = meta_stream(meta, stream_id);

	return s && id < s->nr_ids && s->by_id[id] ? &s->by_id[id]->pub : NULL;
}

PEV_EXPORT const struct pev_class *pev_meta_class_by_name(const struct pev_meta *meta,
							  const char *name)
{
	for (uint32_t i = 0; i < meta->nr_classes; i++)
		if (!strcmp(meta->classes[i]->pub.name, name))
			return &meta->classes[i]->pub;
	return NULL;
}

PEV_EXPORT const struct pev_clock_desc *pev_meta_clock(const struct pev_meta *meta)
{
	return &meta->clock;
}

PEV_EXPORT const uint8_t *pev_meta_uuid(const struct pev_meta *meta)
{
	return meta->uuid;
}

__extension__ typedef __int128 wide;

#define NS	1000000000

PEV_EXPORT int64_t pev_meta_ns(const struct pev_meta *meta, uint64_t ticks)
{
	const struct pev_clock_desc *c = &meta->clock;
	wide t = (wide)ticks + c->offset, ns;

	ns = c->freq == NS ? t : t * NS / (int64_t)c->freq;
	ns += (wide)c->offset_s * NS;
	return ns > INT64_MAX ? INT64_MAX : ns < INT64_MIN ? INT64_MIN : (int64_t)ns;
}

PEV_EXPORT uint64_t pev_meta_ticks(const struct pev_meta *meta, int64_t ns)
{
	const struct pev_clock_desc *c = &meta->clock;
	wide t = (wide)ns - (wide)c->offset_s * NS;

	if (c->freq != NS)
		t = t * (int64_t)c->freq / NS;
	t -= c->offset;
	return t < 0 ? 0 : t > UINT64_MAX ? UINT64_MAX : (uint64_t)t;
}

static const struct pev_field *find(const struct pev_field *f, unsigned int nr,
				    const char *name)
{
	for (unsigned int i = 0; i < nr; i++)
		if (!strcmp(f[i].name, name))
			return &f[i];
	return NULL;
}

PEV_EXPORT const struct pev_field *pev_class_field(const struct pev_class *cls,
						   const char *name)
{
	return find(cls->fields, cls->nr_fields, name);
}

PEV_EXPORT const struct pev_field *pev_class_context_field(const struct pev_class *cls,
							   const char *name)
{
	return find(cls->context, cls->nr_context, name);
}
