// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Opens the directory of a trace: metadata, and the files of its streams.
 */
#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "core/error.h"
#include "core/file.h"
#include "trace/index.h"
#include "trace/info.h"
#include "trace/trace.h"

void trace_warn(struct pev_trace *trace, const char *fmt, ...)
{
	char text[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	pthread_mutex_lock(&trace->lock);
	if (trace->nr_warnings < MAX_WARNINGS - 1) {
		trace->warnings[trace->nr_warnings] = strdup(text);
		if (trace->warnings[trace->nr_warnings])
			trace->nr_warnings++;
	} else {
		trace->more_warnings++;
		trace->nr_warnings = MAX_WARNINGS;
	}
	pthread_mutex_unlock(&trace->lock);
}

/* Links may lead to one file by several names. */
static const struct stream *same_file(const struct pev_trace *trace, const struct stream *s)
{
	for (unsigned int i = 0; i < trace->nr_streams; i++)
		if (trace->streams[i]->dev == s->dev && trace->streams[i]->ino == s->ino)
			return trace->streams[i];
	return NULL;
}

static bool is_known(const struct pev_trace *trace, const char *name)
{
	for (unsigned int i = 0; i < trace->nr_streams; i++)
		if (!strcmp(trace->streams[i]->pub.name, name))
			return true;
	return false;
}

static int add_stream(struct pev_trace *trace, const struct pev_meta *meta, const char *dir,
		      const char *name)
{
	struct stream *s = calloc(1, sizeof(*s)), **more;
	const struct stream *other;
	char *path;
	int ret;

	if (!s)
		return -ENOMEM;
	if (asprintf(&path, "%s/%s", dir, name) < 0) {
		free(s);
		return -ENOMEM;
	}
	s->trace = trace;
	s->fd = s->source = -1;
	s->pub.meta = meta;
	s->pub.cpu = -1;
	s->pub.path = path;
	s->pub.name = path + strlen(dir) + 1;
	ret = stream_map(s, dir);
	other = ret ? NULL : same_file(trace, s);
	if (ret || other) {
		if (ret)
			trace_warn(trace, "%s: %s", path, stream_why_not(ret));
		else
			trace_warn(trace, "%s: left out: it is %s", path, other->pub.path);
		stream_close_file(s);
		stream_free(s);
		return 0;
	}
	ret = stream_find_packets(s, dir);
	if (!trace->follow)
		stream_close_file(s);
	more = ret ? NULL : realloc(trace->streams, (trace->nr_streams + 1) * sizeof(*more));
	if (!more) {
		stream_free(s);
		return ret ? ret : -ENOMEM;
	}
	trace->streams = more;
	s->pub.index = trace->nr_streams;
	trace->streams[trace->nr_streams++] = s;
	return 0;
}

/* ---- Directories ---- */

static bool is_regular(const char *dir, const char *name, bool *is_dir)
{
	struct stat st;
	char *path;
	int ret;

	*is_dir = false;
	if (asprintf(&path, "%s/%s", dir, name) < 0)
		return false;
	ret = stat(path, &st);
	free(path);
	if (ret)
		return false;
	*is_dir = S_ISDIR(st.st_mode);
	return S_ISREG(st.st_mode);
}

/* Returns 1 if the directory has usable metadata, 0 if it has none, or -errno. */
static int open_meta(struct pev_trace *trace, const char *dir, struct pev_meta **out,
		     struct pev_error *err)
{
	struct pev_error own = { 0 };
	struct pev_meta *meta, **more;
	char *path, *text;
	size_t len;
	int ret;

	if (asprintf(&path, "%s/metadata", dir) < 0)
		return -ENOMEM;
	ret = pev_read_file(path, &text, &len);
	if (ret) {
		if (ret != -ENOENT)
			pev_fail(err, -ret, 0, "%s: %s", path,
				 ret == -ENXIO ? "it is no file" : strerror(-ret));
		free(path);
		return ret == -ENOENT ? 0 : ret;
	}
	meta = meta_new();
	more = realloc(trace->metas, (trace->nr_metas + 1) * sizeof(*more));
	if (more)
		trace->metas = more;
	if (!meta || !more) {
		ret = -ENOMEM;
	} else {
		meta->first_index = pev_trace_nr_classes(trace);
		ret = meta_parse_more(meta, text, len, &own);
		if (!ret && !meta_usable(meta))
			ret = pev_fail(&own, EBADMSG, 0,
				       "the metadata lacks a trace, clock or stream block");
		if (ret && ret != -ENOMEM && meta_usable(meta)) {
			trace_warn(trace, "%s: %s; events described below are left out", path,
				   own.text);
			ret = 0;
		}
	}
	if (ret) {
		pev_fail(err, -ret, own.line, "%s: %s", path,
			 own.error ? own.text : strerror(-ret));
		pev_meta_free(meta);
	} else {
		trace->metas[trace->nr_metas++] = meta;
		*out = meta;
	}
	free(text);
	free(path);
	return ret ? ret : 1;
}

/* A link in a trace may lead back to it. */
static bool is_same(const char *a, const char *b)
{
	struct stat x, y;

	return !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/*
 * Opens one directory with its stream files, and at the top the directories in it.
 * Returns -ENOENT if no metadata was found.
 */
static int open_dir(struct pev_trace *trace, const char *path, bool top,
		    struct pev_error *err)
{
	struct pev_meta *meta = NULL;
	const struct dirent *e;
	bool is_dir, found;
	char *sub;
	DIR *dir;
	int ret;

	dir = opendir(path);
	if (!dir)
		return pev_fail(err, errno, 0, "%s: %s", path, strerror(errno));
	ret = open_meta(trace, path, &meta, err);
	found = ret > 0;
	while (ret >= 0 && (e = readdir(dir))) {
		if (e->d_name[0] == '.' || !strcmp(e->d_name, "metadata") ||
		    !strcmp(e->d_name, "metadata.new"))
			continue;
		if (is_regular(path, e->d_name, &is_dir)) {
			if (meta)
				ret = add_stream(trace, meta, path, e->d_name);
		} else if (is_dir && top && strcmp(e->d_name, "info") &&
			   strcmp(e->d_name, INDEX_DIR)) {
			struct pev_error own = { 0 };

			if (asprintf(&sub, "%s/%s", path, e->d_name) < 0) {
				ret = -ENOMEM;
				break;
			}
			ret = is_same(path, sub) ? -ENOENT : open_dir(trace, sub, false, &own);
			free(sub);
			if (!ret)
				found = true;
			else if (ret != -ENOMEM && own.text[0])
				trace_warn(trace, "%s", own.text);
			if (ret != -ENOMEM)
				ret = 0;
		}
	}
	closedir(dir);
	if (ret < 0)
		return ret;
	return found ? 0 : -ENOENT;
}

int trace_new_streams(struct pev_trace *trace)
{
	DIR *dir = opendir(trace->path);
	const struct dirent *e;
	bool is_dir;
	int ret = 0;

	if (!dir)
		return -errno;
	while (!ret && (e = readdir(dir)))
		if (!strncmp(e->d_name, "stream_", 7) && !is_known(trace, e->d_name) &&
		    is_regular(trace->path, e->d_name, &is_dir))
			ret = add_stream(trace, trace->metas[0], trace->path, e->d_name);
	closedir(dir);
	return ret;
}

/* Puts streams of the first metadata first; those with a name before those of rings. */
static int compare(const void *a, const void *b)
{
	const struct pev_stream *x = &(*(struct stream *const *)a)->pub;
	const struct pev_stream *y = &(*(struct stream *const *)b)->pub;
	bool x_ring, y_ring;

	if (x->meta != y->meta)
		return x->meta->first_index < y->meta->first_index ? -1 :
		       x->meta->first_index > y->meta->first_index ? 1 :
		       strcmp(x->path, y->path);
	x_ring = !strncmp(x->name, "stream_", 7) && x->name[7] >= '0' && x->name[7] <= '9';
	y_ring = !strncmp(y->name, "stream_", 7) && y->name[7] >= '0' && y->name[7] <= '9';
	if (x_ring != y_ring)
		return x_ring ? 1 : -1;
	if (x_ring && x->stream_id != y->stream_id)
		return x->stream_id < y->stream_id ? -1 : 1;
	if (x_ring && x->instance != y->instance)
		return x->instance < y->instance ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* ---- The whole ---- */

static bool same_clock(const struct pev_meta *a, const struct pev_meta *b)
{
	return a->clock.freq == b->clock.freq && a->clock.offset_s == b->clock.offset_s &&
	       a->clock.offset == b->clock.offset;
}

PEV_EXPORT int pev_trace_open(const char *path, unsigned int flags, struct pev_trace **out,
			      struct pev_error *err)
{
	struct pev_error own = { 0 };
	struct pev_trace *trace;
	int ret = -ENOMEM;

	*out = NULL;
	if (flags & ~PEV_TRACE_FOLLOW)
		return pev_fail(err, EINVAL, 0, "pev_trace_open() has no flags 0x%x", flags);
	trace = calloc(1, sizeof(*trace));
	if (!trace)
		return pev_fail(err, ENOMEM, 0, "out of memory");
	pthread_mutex_init(&trace->lock, NULL);
	trace->follow = flags & PEV_TRACE_FOLLOW;
	trace->path = strdup(path);
	if (trace->path)
		ret = open_dir(trace, path, true, &own);
	if (!ret)
		ret = trace_open_info(trace);
	if (ret) {
		if (ret == -ENOENT && !own.error)
			pev_fail(err, ENOENT, 0, "%s is no trace: it has no file metadata",
				 path);
		else
			pev_fail(err, -ret, own.line, "%s",
				 own.error ? own.text : strerror(-ret));
		pev_trace_close(trace);
		return ret;
	}
	if (trace->nr_streams)
		qsort(trace->streams, trace->nr_streams, sizeof(*trace->streams), compare);
	for (unsigned int i = 0; i < trace->nr_streams; i++)
		trace->streams[i]->pub.index = i;
	trace->one_clock = true;
	for (unsigned int i = 1; i < trace->nr_metas; i++)
		if (!same_clock(trace->metas[0], trace->metas[i]))
			trace->one_clock = false;
	*out = trace;
	return 0;
}

PEV_EXPORT void pev_trace_close(struct pev_trace *trace)
{
	if (!trace)
		return;
	for (unsigned int i = 0; i < trace->nr_streams; i++)
		stream_free(trace->streams[i]);
	for (unsigned int i = 0; i < trace->nr_metas; i++)
		pev_meta_free(trace->metas[i]);
	for (unsigned int i = 0; i < MAX_WARNINGS - 1; i++)
		free(trace->warnings[i]);
	arena_free(&trace->texts);
	free(trace->streams);
	free(trace->metas);
	free(trace->info);
	free(trace->info_text);
	free(trace->first_info);
	free(trace->first_text);
	free(trace->info_path);
	free(trace->path);
	pthread_mutex_destroy(&trace->lock);
	free(trace);
}

PEV_EXPORT const char *pev_trace_path(const struct pev_trace *trace)
{
	return trace->path;
}

PEV_EXPORT unsigned int pev_trace_nr_streams(const struct pev_trace *trace)
{
	return trace->nr_streams;
}

PEV_EXPORT const struct pev_stream *pev_trace_stream(const struct pev_trace *trace,
						     unsigned int nr)
{
	return nr < trace->nr_streams ? &trace->streams[nr]->pub : NULL;
}

PEV_EXPORT unsigned int pev_trace_nr_metas(const struct pev_trace *trace)
{
	return trace->nr_metas;
}

PEV_EXPORT const struct pev_meta *pev_trace_meta(const struct pev_trace *trace,
						 unsigned int nr)
{
	return nr < trace->nr_metas ? trace->metas[nr] : NULL;
}

PEV_EXPORT unsigned int pev_trace_nr_classes(const struct pev_trace *trace)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < trace->nr_metas; i++)
		nr += trace->metas[i]->nr_classes;
	return nr;
}

PEV_EXPORT const struct pev_class *pev_trace_class(const struct pev_trace *trace,
						   unsigned int index)
{
	const struct pev_meta *meta;

	for (unsigned int i = 0; i < trace->nr_metas; i++) {
		meta = trace->metas[i];
		if (index - meta->first_index < meta->nr_classes)
			return &meta->classes[index - meta->first_index]->pub;
	}
	return NULL;
}

PEV_EXPORT int64_t pev_trace_begin_ns(const struct pev_trace *trace)
{
	int64_t begin = INT64_MAX, ns;

	for (unsigned int i = 0; i < trace->nr_streams; i++) {
		const struct pev_stream *s = &trace->streams[i]->pub;

		if (!s->nr_packets)
			continue;
		ns = pev_meta_ns(s->meta, s->packets[0].begin);
		begin = ns < begin ? ns : begin;
	}
	return begin == INT64_MAX ? 0 : begin;
}

PEV_EXPORT int64_t pev_trace_end_ns(const struct pev_trace *trace)
{
	int64_t end = INT64_MIN, ns;

	for (unsigned int i = 0; i < trace->nr_streams; i++) {
		const struct pev_stream *s = &trace->streams[i]->pub;

		if (!s->nr_packets)
			continue;
		ns = pev_meta_ns(s->meta, s->packets[s->nr_packets - 1].end);
		end = ns > end ? ns : end;
	}
	return end == INT64_MIN ? 0 : end;
}

PEV_EXPORT uint64_t pev_trace_lost(const struct pev_trace *trace)
{
	uint64_t lost = 0;

	for (unsigned int i = 0; i < trace->nr_streams; i++)
		lost += trace->streams[i]->pub.lost;
	return lost;
}

/*
 * The functions below read what cursors in other threads may change: the trace is
 * const for the caller, but has to be locked.
 */
static struct pev_trace *locked(const struct pev_trace *trace)
{
	struct pev_trace *t = (struct pev_trace *)trace;

	pthread_mutex_lock(&t->lock);
	return t;
}

PEV_EXPORT uint64_t pev_trace_damaged(const struct pev_trace *trace)
{
	struct pev_trace *t = locked(trace);
	uint64_t damaged = t->damaged;

	pthread_mutex_unlock(&t->lock);
	for (unsigned int i = 0; i < trace->nr_streams; i++)
		damaged += trace->streams[i]->pub.damaged;
	return damaged;
}

PEV_EXPORT unsigned int pev_trace_nr_warnings(const struct pev_trace *trace)
{
	struct pev_trace *t = locked(trace);
	unsigned int nr = t->nr_warnings;

	pthread_mutex_unlock(&t->lock);
	return nr;
}

/* Older texts of the last warning stay, as a caller may be reading them. */
static const char *last_warning(struct pev_trace *t)
{
	char text[64], *copy;
	int len;

	if (t->last_counts != t->more_warnings) {
		len = snprintf(text, sizeof(text), "%llu more warnings",
			       (unsigned long long)t->more_warnings);
		copy = arena_strndup(&t->texts, text, len);
		if (copy) {
			t->warnings[MAX_WARNINGS - 1] = copy;
			t->last_counts = t->more_warnings;
		}
	}
	return t->warnings[MAX_WARNINGS - 1];
}

PEV_EXPORT const char *pev_trace_warning(const struct pev_trace *trace, unsigned int nr)
{
	struct pev_trace *t = locked(trace);
	const char *text = NULL;

	if (nr < t->nr_warnings)
		text = nr < MAX_WARNINGS - 1 ? t->warnings[nr] : last_warning(t);
	pthread_mutex_unlock(&t->lock);
	return text;
}
