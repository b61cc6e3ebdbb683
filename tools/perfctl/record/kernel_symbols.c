// SPDX-License-Identifier: GPL-2.0
/* Leaves the kernel's symbols that a recording needs. See kernel_symbols.h. */
#include "kernel_symbols.h"
#include "base/util.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Reading more than this would take longer than what is saved is worth */
#define MOST_BYTES (256u << 20)
#define MOST_PACKED (MOST_BYTES / 8)
#define CHUNK (256u << 10)
/* Digits of an address in a line of kallsyms */
#define DIGITS 16

/**
 * struct needed - addresses in the packets
 * @at:   sorted, each once
 * @lowest: address of a function of the kernel
 * @highest: the same
 * @set:  while they are collected
 */
struct needed {
	uint64_t *at;
	size_t n, cap;
	uint64_t lowest, highest;
	struct htab set;
};

/* Of a line with more than that. All lines are read thrice: strtoull() takes most of the time. */
static uint64_t address_of(const char *line)
{
	uint64_t addr = 0;

	for (unsigned int i = 0; i < DIGITS; i++) {
		unsigned int c = (unsigned char)line[i];

		addr = addr << 4 | ((c <= '9' ? c - '0' : c - 'a' + 10) & 0xf);
	}
	return addr;
}

static bool is_function(const char *line)
{
	char type = line[DIGITS + 1] | 0x20;

	return type == 't' || type == 'w';
}

/* Calls @fn for each function; what is behind the address stays in @line. */
static void each_function(const char *text,
			  void (*fn)(void *arg, uint64_t addr, const char *line, size_t len),
			  void *arg)
{
	while (*text) {
		const char *end = strchrnul(text, '\n');
		size_t len = (size_t)(end - text);

		if (len > DIGITS + 3 && is_function(text))
			fn(arg, address_of(text), text, len);
		text = *end ? end + 1 : end;
	}
}

static void take_range(void *arg, uint64_t addr, const char *line, size_t len)
{
	struct needed *d = arg;

	(void)line;
	(void)len;
	if (addr && addr < d->lowest)
		d->lowest = addr;
	if (addr > d->highest)
		d->highest = addr;
}

static void need(struct needed *d, uint64_t addr)
{
	uint64_t *to;

	if (HTAB_GET(to, &d->set, hash_u64(addr), *to == addr, d->at, d->n, d->cap))
		*to = addr;
}

/*
 * Whatever looks like an address of the kernel's code is taken for one, in fields and call chains
 * alike: all of them begin at multiples of 4 bytes.
 */
static void scan(struct needed *d, const uint8_t *data, size_t len)
{
	uint64_t v, last = 0, room = d->highest - d->lowest + (1 << 20);

	for (size_t i = 0; i + sizeof(v) <= len; i += 4) {
		memcpy(&v, data + i, sizeof(v));
		if (v - d->lowest >= room || v == last)
			continue;
		need(d, v);
		/* a call that never returns is the last of its function: its caller is before it */
		need(d, v - 1);
		last = v;
	}
}

static int scan_file(struct needed *d, int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	uint8_t *data = xmalloc(CHUNK);
	off_t at = 0;
	ssize_t n;

	/* an address that goes beyond the end of a chunk is whole in the next one */
	while ((n = fd < 0 ? -1 : pread(fd, data, CHUNK, at)) >= (ssize_t)sizeof(uint64_t)) {
		scan(d, data, (size_t)n);
		at += n - 4;
	}
	free(data);
	if (fd >= 0)
		close(fd);
	return n < 0 ? -1 : 0;
}

static int scan_packets(struct needed *d, const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *e;
	int err = dir ? 0 : -1;

	while (!err && (e = readdir(dir)))
		if (!strncmp(e->d_name, "stream_", 7))
			err = scan_file(d, dirfd(dir), e->d_name);
	if (dir)
		closedir(dir);
	return err;
}

/* What is compressed shows its addresses to libpev only. */
static int scan_packed(struct needed *d, const char *path)
{
	struct pev_trace *trace;
	struct pev_error e;
	int err = pev_trace_open(path, 0, &trace, &e);

	if (err)
		return err;
	for (unsigned int i = 0; i < pev_trace_nr_streams(trace) && !err; i++) {
		const struct pev_stream *s = pev_trace_stream(trace, i);

		for (size_t k = 0; k < s->nr_packets && !err; k++) {
			const struct pev_packet *packet = pev_stream_packet(s, k);

			if (packet)
				scan(d, (const uint8_t *)packet, s->packets[k].content);
			else
				err = -ENOSPC;
		}
	}
	if (!err && pev_trace_nr_warnings(trace))
		err = -EBADMSG;
	pev_trace_close(trace);
	return err;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/**
 * struct bounds - what a needed address lies between
 * @begin: of its function
 * @end:   begin of the next one
 */
struct bounds {
	uint64_t begin, end;
};

/**
 * struct choice - the functions that are kept
 * @bounds: of needed->at[], sorted; while functions are looked at, of these addresses alone
 */
struct choice {
	const struct needed *needed;
	struct bounds *bounds;
	struct strbuf text;
};

/* Returns the first needed address from @addr on, needed->n if there is none. */
static size_t first_from(const struct needed *d, uint64_t addr)
{
	size_t low = 0, high = d->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (d->at[mid] < addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Modules follow in no order: each function is tried against the addresses beside it. */
static void bound(void *arg, uint64_t addr, const char *line, size_t len)
{
	struct choice *c = arg;
	size_t i = first_from(c->needed, addr);

	(void)line;
	(void)len;
	if (i < c->needed->n)
		c->bounds[i].begin = max_u64(c->bounds[i].begin, addr);
	if (i)
		c->bounds[i - 1].end = min_u64(c->bounds[i - 1].end, addr);
}

static void choose(struct choice *c, const char *text)
{
	size_t n = c->needed->n;

	c->bounds = xcalloc(n + 1, sizeof(*c->bounds));
	for (size_t i = 0; i < n; i++)
		c->bounds[i].end = UINT64_MAX;
	/* none is needed where only programs were looked at */
	if (n)
		each_function(text, bound, c);
	for (size_t i = 1; i < n; i++)
		c->bounds[i].begin = max_u64(c->bounds[i].begin, c->bounds[i - 1].begin);
	for (size_t i = n; i-- > 1;)
		c->bounds[i - 1].end = min_u64(c->bounds[i - 1].end, c->bounds[i].end);
}

/* What other programs look for, and where the kernel was loaded */
static bool is_landmark(const char *name, size_t len)
{
	static const char *const names[] = { "_text", "_stext", "_etext", "_end" };

	if (*name != '_')
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strlen(names[i]) == len && !memcmp(names[i], name, len))
			return true;
	return false;
}

static bool is_begin(const struct choice *c, uint64_t addr)
{
	/* the address itself, or the next one, has this begin, if any has it */
	size_t i = first_from(c->needed, addr);

	return i < c->needed->n && c->bounds[i].begin == addr;
}

/* Functions follow that are left out. */
static void put_end(struct choice *c, uint64_t addr)
{
	strbuf_addf(&c->text, "%016" PRIx64 " e -\n", addr);
}

static void keep_line(struct choice *c, const char *line, size_t len)
{
	bool landmark = is_landmark(line + DIGITS + 3, len - DIGITS - 3);
	bool function = is_function(line), begin;
	uint64_t addr;

	if (!landmark && !(function && c->needed->n))
		return;
	addr = address_of(line);
	begin = function && is_begin(c, addr);
	if (!landmark && !begin)
		return;
	strbuf_add(&c->text, line, len);
	strbuf_putc(&c->text, '\n');
	if (function && !begin)
		put_end(c, addr + 1);
}

static void keep(struct choice *c, const char *text)
{
	while (*text) {
		const char *end = strchrnul(text, '\n');
		size_t len = (size_t)(end - text);

		if (len > DIGITS + 3)
			keep_line(c, text, len);
		text = *end ? end + 1 : end;
	}
	for (size_t i = 0; i < c->needed->n; i++) {
		uint64_t end = c->bounds[i].end;

		if (end != UINT64_MAX && (i + 1 == c->needed->n || c->bounds[i + 1].begin > end))
			put_end(c, end);
	}
}

void kernel_symbols_reduce(struct pev_writer *w, const char *path, bool packed)
{
	struct needed d = { .lowest = UINT64_MAX };
	struct choice c = { .needed = &d };
	char *name = xasprintf("%s/info/kallsyms", path), *text = NULL;

	if (pev_writer_bytes(w) <= (packed ? MOST_PACKED : MOST_BYTES))
		text = file_read(name, NULL);
	free(name);
	if (text)
		each_function(text, take_range, &d);
	if (text && d.lowest < d.highest && !(packed ? scan_packed : scan_packets)(&d, path)) {
		if (d.n)
			qsort(d.at, d.n, sizeof(*d.at), compare);
		choose(&c, text);
		keep(&c, text);
		if (c.text.len)
			pev_writer_info_file(w, "kallsyms", c.text.s, c.text.len);
	}
	strbuf_free(&c.text);
	free(c.bounds);
	htab_free(&d.set);
	free(d.at);
	free(text);
}
