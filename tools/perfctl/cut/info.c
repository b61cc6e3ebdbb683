// SPDX-License-Identifier: GPL-2.0
/* Copies all of a recording but its records. See info.h. */
#include "info.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>

#define NS_PER_S 1000000000

/* Writes a number in place of that behind @key in the block of the clock. Returns 0 or -EBADMSG. */
static int set_number(struct strbuf *b, const char *key, int64_t value)
{
	char *block = strstr(b->s, "clock {"), *at = block ? strstr(block, key) : NULL;
	struct strbuf rest = { 0 };
	char *end = block ? strchr(block, '}') : NULL;

	if (!at || !end || at > end)
		return -EBADMSG;
	at += strlen(key);
	strbuf_puts(&rest, at + strspn(at, "-0123456789"));
	b->len = (size_t)(at - b->s);
	strbuf_addf(b, "%" PRId64, value);
	strbuf_add(b, rest.s, rest.len);
	strbuf_free(&rest);
	return 0;
}

/* The zero of the clock, in seconds and ticks, is so much later. */
static int shift_clock(struct strbuf *b, const struct pev_clock_desc *clock, int64_t shift)
{
	int64_t freq = (int64_t)clock->freq, s = clock->offset_s + shift / NS_PER_S, ticks;
	int err;

	ticks = clock->offset + (int64_t)((double)(shift % NS_PER_S) * (double)freq / NS_PER_S);
	s += ticks / freq;
	ticks %= freq;
	if (ticks < 0) {
		ticks += freq;
		s--;
	}
	err = set_number(b, "offset_s = ", s);
	return err ? err : set_number(b, "offset = ", ticks);
}

static int write_shifted(struct pev_writer *w, const struct pev_meta *meta, int64_t shift)
{
	struct strbuf b = { 0 };
	const char *text;
	size_t len;
	int err = 0;

	text = pev_meta_text(meta, &len);
	strbuf_add(&b, text, len);
	strbuf_putc(&b, '\0');
	b.len--;
	if (shift)
		err = shift_clock(&b, pev_meta_clock(meta), shift);
	if (!err)
		err = pev_writer_metadata(w, b.s, b.len);
	strbuf_free(&b);
	return err;
}

int cut_metadata(struct pev_writer *w, const struct pev_trace *trace, int64_t shift, struct msg *m)
{
	int err;

	if (pev_trace_nr_metas(trace) != 1)
		return msg_set(m, -EINVAL, "%s holds %u recordings: name one of them",
			       pev_trace_path(trace), pev_trace_nr_metas(trace));
	err = pev_writer_continue(w, NULL);
	if (!err)
		err = write_shifted(w, pev_trace_meta(trace, 0), shift);
	return err ? msg_set(m, err, "writing the metadata: %s", strerror(-err)) : 0;
}

static void unescape(char *value)
{
	char *to = value;

	for (; *value; value++) {
		if (*value == '\\' && value[1])
			*to++ = *++value == 'n' ? '\n' : *value;
		else
			*to++ = *value;
	}
	*to = '\0';
}

/* A line of info/record. Files are listed again when they are written. */
static int copy_value(struct pev_writer *w, char *line, bool *complete)
{
	char *value = strchr(line, '=');

	if (!value)
		return 0;
	*value++ = '\0';
	unescape(value);
	if (!strcmp(line, "complete"))
		*complete = !strcmp(value, "yes");
	if (!strcmp(line, "complete") || !strcmp(line, "file"))
		return 0;
	return pev_writer_info(w, strcmp(line, "error") ? line : "incomplete", value);
}

static int copy_record(struct pev_writer *w, char *text)
{
	bool complete = true;
	char *line, *rest;
	int err = 0;

	for (line = strtok_r(text, "\n", &rest); line && !err; line = strtok_r(NULL, "\n", &rest))
		err = copy_value(w, line, &complete);
	if (!err && !complete)
		err = pev_writer_info(w, "incomplete", "what it was made of is incomplete");
	return err;
}

static int copy_file(struct pev_writer *w, const char *dir, const char *name)
{
	char *path = xasprintf("%s/%s", dir, name), *text = NULL;
	struct stat st;
	size_t len;
	int err = 0;

	/* counts by event are of all records; "synced" says that it is being written */
	if (*name != '.' && strcmp(name, "counts") && strcmp(name, "synced") && !lstat(path, &st) &&
	    S_ISREG(st.st_mode)) {
		text = file_read(path, &len);
		err = text ? 0 : -errno;
	}
	if (text && !strcmp(name, "record"))
		err = copy_record(w, text);
	else if (text)
		err = pev_writer_info_file(w, name, text, len);
	free(text);
	free(path);
	return err;
}

int cut_info(struct pev_writer *w, const char *from, struct msg *m)
{
	char *path = xasprintf("%s/info", from);
	DIR *dir = opendir(path);
	struct dirent *d;
	int err = 0;

	while (dir && !err && (d = readdir(dir)))
		err = copy_file(w, path, d->d_name);
	/* a trace may lack it */
	if (dir)
		closedir(dir);
	if (err)
		msg_set(m, err, "copying %s: %s", path, strerror(-err));
	free(path);
	return err;
}
