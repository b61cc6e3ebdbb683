/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * libpev: traces on disk.
 *
 * A trace is a directory with the file metadata, files stream_<ring> and the
 * directories info and index, which it may lack. A directory may hold further traces as subdirectories, with
 * or without being one itself. What is damaged is left out, and a warning says
 * what.
 */
#ifndef _PEV_TRACE_H
#define _PEV_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <pev/event.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pev_trace;
struct pev_cursor;

#define PEV_TRACE_FOLLOW (1U << 0) /* it is being written: see pev_trace_update() */

/**
 * struct pev_packet_index - a sound packet of a stream
 * @offset:    bytes from the start of the file
 * @begin:     ticks
 * @end:       ticks
 * @lost:      records lost between the end of the previous packet and the end
 *             of this one
 * @seq:       number in its stream
 * @size:      bytes of the packet
 * @content:   bytes of header and records
 *
 * Lies in arrays: its size never changes.
 */
struct pev_packet_index {
	uint64_t	offset;
	uint64_t	begin;
	uint64_t	end;
	uint64_t	lost;
	uint64_t	seq;
	uint32_t	size;
	uint32_t	content;
};

/**
 * struct pev_stream - one stream file of an opened trace
 * @path:    of the file
 * @name:    last part of it
 * @cpu:     CPU of its packets; -1 for none, or an empty file
 * @index:   number of the stream in the trace
 * @stream_id: class of its packets
 * @instance: of its packets: the number of the ring, or from PEV_STREAM_USER on
 * @meta:    metadata of its trace
 * @data:    the file's contents; of one that is compressed, a packet is there after
 *           pev_stream_packet()
 * @size:    bytes of it
 * @packets: sound packets, in order of time
 * @lost:    records lost in this ring, up to the end of the last packet
 * @damaged: packets or stretches of the file that were left out
 * @skipped: bytes of these
 *
 * Only the library allocates this structure; later versions add members at its end.
 */
struct pev_stream {
	const char			*path;
	const char			*name;
	int				cpu;
	unsigned int			index;
	uint32_t			stream_id;
	uint64_t			instance;
	const struct pev_meta		*meta;
	const uint8_t			*data;
	uint64_t			size;
	size_t				nr_packets;
	const struct pev_packet_index	*packets;
	uint64_t			lost;
	uint64_t			damaged;
	uint64_t			skipped;
};

/**
 * pev_trace_open() - open a directory; free with pev_trace_close()
 * @flags: 0, or PEV_TRACE_FOLLOW
 *
 * Return: 0; -ENOENT if it is no trace; -EBADMSG if its metadata makes no sense;
 * -EINVAL for unknown @flags; -errno.
 */
int pev_trace_open(const char *path, unsigned int flags, struct pev_trace **trace,
		   struct pev_error *err);
void pev_trace_close(struct pev_trace *trace);

#define PEV_UPDATE_ALL (1U << 0) /* nothing writes any more: hold nothing back */

/**
 * pev_trace_update() - see what was written since, of a trace that is followed
 * @flags: 0, or PEV_UPDATE_ALL
 *
 * Cursors go on then: they return 0 where an older event of another stream may be missing.
 * Until the first call they do so at once. Streams, packets and classes may have been added;
 * no other thread may use the trace meanwhile.
 *
 * Return: 1; 0 if its writer has ended it, so that nothing is held back; -EINVAL if it is
 * not followed; -errno.
 */
int pev_trace_update(struct pev_trace *trace, unsigned int flags);
/**
 * pev_trace_synced() - how far a trace that is followed is complete
 *
 * Return: the time up to which no event is held back, in ticks of its clock; UINT64_MAX if none
 * is, as the trace is not followed, or has ended.
 */
uint64_t pev_trace_synced(const struct pev_trace *trace);
/**
 * pev_trace_remove() - remove a trace that a writer has made, with its directory
 *
 * Return: 0; -EEXIST if there is anything else in it, which the text names: then
 * nothing is removed; -ELOOP or -ENOTDIR for a symbolic link; -errno.
 */
int pev_trace_remove(const char *path, struct pev_error *err);
const char *pev_trace_path(const struct pev_trace *trace);
unsigned int pev_trace_nr_streams(const struct pev_trace *trace);
const struct pev_stream *pev_trace_stream(const struct pev_trace *trace, unsigned int nr);
/** pev_trace_nr_metas() - metadata files: one for each trace in the directory */
unsigned int pev_trace_nr_metas(const struct pev_trace *trace);
const struct pev_meta *pev_trace_meta(const struct pev_trace *trace, unsigned int nr);
/** pev_trace_nr_classes() - of all metadata; pev_class.index lies below */
unsigned int pev_trace_nr_classes(const struct pev_trace *trace);
const struct pev_class *pev_trace_class(const struct pev_trace *trace, unsigned int index);
/** pev_trace_begin_ns() - begin of the first packet, ns since the epoch; 0 without packets */
int64_t pev_trace_begin_ns(const struct pev_trace *trace);
int64_t pev_trace_end_ns(const struct pev_trace *trace);
/** pev_trace_lost() - records lost, of all streams */
uint64_t pev_trace_lost(const struct pev_trace *trace);
/** pev_trace_damaged() - packets left out, of all streams, so far */
uint64_t pev_trace_damaged(const struct pev_trace *trace);
unsigned int pev_trace_nr_warnings(const struct pev_trace *trace);
/** pev_trace_warning() - one sentence; there are at most 64, the last one counts the rest */
const char *pev_trace_warning(const struct pev_trace *trace, unsigned int nr);
/**
 * pev_trace_info() - a value of the file info/record, NULL if there is none
 *
 * Keys that perfctl and pev_writer_system() write: command, command_pid, hostname, release,
 * version, machine, cpus, page_size, begin, build_id (of the kernel), tool,
 * counters (by whose driver hardware events counted: "pev", "perf"), complete ("yes" or "no": it is being written, or was cut), error (that cut it).
 */
const char *pev_trace_info(const struct pev_trace *trace, const char *key);
/**
 * pev_trace_info_file() - a whole file of the directory info
 * @text: allocated with malloc(), NUL behind its end; free() it
 */
int pev_trace_info_file(const struct pev_trace *trace, const char *name, char **text,
			size_t *len);

/**
 * pev_stream_packet() - a packet with its header
 * @nr: below stream->nr_packets
 *
 * Of a stream that is compressed, it is decompressed first, once; threads may do so at once.
 *
 * Return: in stream->data; NULL if there is no such packet, or no room to decompress it.
 */
const struct pev_packet *pev_stream_packet(const struct pev_stream *stream, size_t nr);

/**
 * pev_decoder_stream_packet() - start on a packet of a stream; see pev_decoder_next()
 * @nr: below stream->nr_packets
 *
 * Return: 0, -EINVAL if there is no such packet.
 */
int pev_decoder_stream_packet(struct pev_decoder *dec, const struct pev_stream *stream,
			      size_t nr);

/** pev_scan_fn - one event; anything but 0 ends the scan */
typedef int (*pev_scan_fn)(void *arg, const struct pev_event *ev);
/**
 * pev_stream_scan() - the events of some classes, faster than by walking through all
 * @from:   number of the first packet
 * @to:     number behind the last; what the stream does not have is left out
 * @wanted: for each class of the trace, by pev_class.index
 *
 * In order of the stream. What a packet has behind damage is left out without
 * a warning. Scans of one stream may run in several threads.
 *
 * Return: 0 at the end, or what @fn returned to end it.
 */
int pev_stream_scan(const struct pev_stream *stream, size_t from, size_t to,
		    const bool *wanted, pev_scan_fn fn, void *arg);

/**
 * pev_cursor_open() - walk through events in order of time
 * @stream: one stream, or NULL: all of them, merged. Events of the same time
 *          come in the order of the streams.
 * @flags:  0
 *
 * Free with pev_cursor_close(), before the trace.
 *
 * Return: 0, -EINVAL for unknown @flags, -ENOMEM.
 */
int pev_cursor_open(struct pev_trace *trace, const struct pev_stream *stream,
		    unsigned int flags, struct pev_cursor **cursor);
void pev_cursor_close(struct pev_cursor *cursor);
/**
 * pev_cursor_next() - the next event
 * @ev: valid until the next call on the same cursor; what it points to, until
 *      the trace is closed
 *
 * A packet that turns out to be damaged is left at that point, with a warning.
 *
 * Return: 1, 0 at the end, or until pev_trace_update().
 */
int pev_cursor_next(struct pev_cursor *cursor, const struct pev_event **ev);
/**
 * pev_trace_find() - check the index of each stream around a time, before cursors go there
 * @ns: since the epoch
 *
 * A seek finds its packets by the index, which may be wrong. This compares the packets that a search
 * for the time meets, a number that grows with the logarithm of all; of a stream that has others,
 * all packets are looked for, and a warning says so. No other thread may use the trace meanwhile,
 * and cursors that are open have to seek afterwards.
 *
 * Return: 0, -ENOMEM.
 */
int pev_trace_find(struct pev_trace *trace, int64_t ns);
/**
 * pev_cursor_seek_early() - go to a time, with some classes of events from before it
 * @since: where to begin, ns since the epoch
 * @early: for each class of the trace, by pev_class.index: are its events wanted that come before
 *         @ns, too? Stays the caller's, until the cursor is closed or seeks.
 * @ns:    from here on, all events come; some of others may come before it
 *
 * Events that are not wanted are only measured, which is several times as fast as decoding them.
 *
 * Return: 0.
 */
int pev_cursor_seek_early(struct pev_cursor *cursor, int64_t since, const bool *early, int64_t ns);
/** pev_cursor_seek() - go to the first event at or after a time in ns since the epoch */
int pev_cursor_seek(struct pev_cursor *cursor, int64_t ns);

#ifdef __cplusplus
}
#endif

#endif /* _PEV_TRACE_H */
