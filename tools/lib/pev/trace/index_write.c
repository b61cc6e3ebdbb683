// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Writes indexes, some entries at a time. A file is open only meanwhile, so that a trace does not
 * need twice as many descriptors as it has streams.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "trace/index.h"
#include "trace/index_write.h"
#include "trace/pack.h"

/* Entries that are kept until they are written */
#define INDEX_ROOM 64

static void give_up(struct out_file *f)
{
	free(f->index);
	free(f->ends);
	f->index = NULL;
	f->ends = NULL;
	f->nr_index = 0;
	f->no_index = true;
}

static void add_entry(struct index_entry *e, uint64_t offset, const struct pev_packet *p)
{
	*e = (struct index_entry){
		.offset = htobe64(offset),
		.packet_size = htobe64(p->packet_size),
		.content_size = htobe64(p->content_size),
		.timestamp_begin = htobe64(p->timestamp_begin),
		.timestamp_end = htobe64(p->timestamp_end),
		.events_discarded = htobe64(p->events_discarded),
		.stream_id = htobe64(p->stream_id),
		.stream_instance_id = htobe64(p->stream_instance_id),
		.packet_seq_num = htobe64(p->packet_seq_num),
	};
}

void index_add(struct pev_writer *w, struct out_file *f, uint64_t offset, const void *data,
	       size_t len)
{
	const uint8_t *at = data, *end = at + len;

	while (at < end && !w->sink && !f->no_index) {
		const struct pev_packet *p = (const struct pev_packet *)at;

		if (!f->index)
			f->index = malloc(INDEX_ROOM * sizeof(*f->index));
		if (w->packer && !f->ends)
			f->ends = malloc(INDEX_ROOM * sizeof(*f->ends));
		if (!f->index || (w->packer && !f->ends)) {
			give_up(f);
			return;
		}
		/* packets that are compressed come one by one */
		if (w->packer)
			f->ends[f->nr_index] = htobe64(f->on_disk);
		add_entry(&f->index[f->nr_index++], offset, p);
		/* of a packet that is written shorter, @data is the header alone */
		offset += p->packet_size / 8;
		at += p->packet_size / 8;
		if (f->nr_index == INDEX_ROOM)
			index_flush(w, f);
	}
}

void index_prepare(struct pev_writer *w)
{
	if (w->index_dir != -1)
		return;
	if (!mkdirat(w->dir, INDEX_DIR, 0700))
		w->index_dir = openat(w->dir, INDEX_DIR,
				      O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (w->index_dir < 0)
		w->index_dir = -2;
}

static int open_index(struct pev_writer *w, const struct out_file *f, const char *ending)
{
	int how = O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, fd;
	char name[80];
	struct stat st;

	index_prepare(w);
	if (w->index_dir < 0)
		return -1;
	snprintf(name, sizeof(name), "stream_%s%s", f->name, ending);
	fd = openat(w->index_dir, name, how | (f->indexed ? O_APPEND : O_EXCL), 0600);
	/* what the name leads to may be another's by now */
	if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_nlink > 1)) {
		close(fd);
		return -1;
	}
	return fd;
}

static bool put_ends(struct pev_writer *w, const struct out_file *f)
{
	size_t len = f->nr_index * sizeof(*f->ends);
	int fd = open_index(w, f, PACK_ENDS);
	bool good = fd >= 0 && write(fd, f->ends, len) == (ssize_t)len;

	if (fd >= 0)
		close(fd);
	return good;
}

void index_flush(struct pev_writer *w, struct out_file *f)
{
	const struct index_head head = {
		.magic = htobe32(INDEX_MAGIC),
		.major = htobe32(INDEX_MAJOR),
		.minor = htobe32(INDEX_MINOR),
		.entry = htobe32(sizeof(struct index_entry)),
	};
	size_t len = f->nr_index * sizeof(*f->index);
	bool good;
	int fd;

	if (!f->nr_index)
		return;
	fd = open_index(w, f, ".idx");
	good = fd >= 0 && (f->indexed || write(fd, &head, sizeof(head)) == sizeof(head)) &&
	       write(fd, f->index, len) == (ssize_t)len;
	if (fd >= 0)
		close(fd);
	if (good && w->packer)
		good = put_ends(w, f);
	f->indexed = true;
	f->nr_index = 0;
	/* half an entry at the end is not read; nothing may follow it */
	if (!good)
		give_up(f);
}
