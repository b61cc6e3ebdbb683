/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * libpev: writing traces.
 *
 * After a failed write (-ENOSPC) each file ends with its last whole packet, the
 * trace can be read, and pev_writer_close() still works. Every further
 * pev_writer_packets() returns the same error. Only a trace that was closed
 * without an error says that it is complete.
 */
#ifndef _PEV_WRITER_H
#define _PEV_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <pev/error.h>
#include <pev/ring.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pev_writer;

#define PEV_WRITER_REPLACE	(1U << 0)	/* remove an older trace of that name */

/**
 * pev_writer_open() - create the directory of a trace
 *
 * Return: 0, -EEXIST if it exists and is not empty. With PEV_WRITER_REPLACE the
 * files of an older trace are removed first; -EEXIST if there is anything else.
 */
int pev_writer_open(const char *path, unsigned int flags, struct pev_writer **writer,
		    struct pev_error *err);
/**
 * pev_writer_pipe() - write a trace into a pipe, for pev_pipe_read() at its other end
 * @fd:   a pipe, a socket or a file; stays the caller's
 * @full: called each 200 ms while there is no room; 0: go on waiting, -errno: what
 *        the writer fails with; NULL: wait forever
 * @arg:  for @full
 *
 * All functions take such a writer, too. Ignore SIGPIPE: without a reader, the writer
 * fails with -EPIPE. What does not end by pev_writer_close() is called incomplete
 * where it arrives.
 */
int pev_writer_pipe(int fd, int (*full)(void *arg), void *arg, struct pev_writer **writer,
		    struct pev_error *err);
/**
 * struct pev_sink_ops - where the writer's calls go, instead of into files
 * @metadata: all of the text so far
 * @packets:  whole packets of a stream: headers and what follows them are @head, @head_len bytes,
 *            and then @data. @ring: the stream is a ring's, whose number @stream is
 * @info:     a key and its value
 * @info_file: a whole file
 * @synced:   all records up to a time are written
 * @end:      the trace is complete; not called after an error
 * @release:  nothing is called any more
 *
 * They return 0 or -errno, which is the writer's error from then on. @packets may return -EAGAIN
 * if it took none of a ring's: then they stay in the ring, which counts what finds no room there.
 */
struct pev_sink_ops {
	int (*metadata)(void *arg, const char *text, size_t len);
	int (*packets)(void *arg, const char *stream, bool ring, const void *head, size_t head_len,
		       const void *data, size_t len);
	int (*info)(void *arg, const char *key, const char *value);
	int (*info_file)(void *arg, const char *name, const void *data, size_t len);
	int (*synced)(void *arg, uint64_t ticks);
	int (*end)(void *arg);
	void (*release)(void *arg);
};

/**
 * pev_writer_sink() - write a trace by functions of the caller's
 *
 * All functions below take such a writer, but for pev_writer_compress(). If this one fails, @arg
 * stays the caller's.
 *
 * Return: 0, -ENOMEM.
 */
int pev_writer_sink(const struct pev_sink_ops *ops, void *arg, struct pev_writer **writer);
/**
 * pev_writer_continue() - go on where another trace of the same channel ends
 * @before: stays the caller's; NULL: the trace only gets a UUID of its own, as one that is made of
 *          another needs
 *
 * Call it before metadata are written, and again once @before has got its last packet, if that is
 * later. The trace gets a UUID of its own, and its packets count only what was lost since the last
 * packet or pev_writer_lost() of @before: each trace says its own losses, and their sum is that of
 * the channel. The same text of metadata is written to both.
 *
 * Return: 0; -EINVAL if metadata were written before the first call, or packets of a ring; -ENOMEM;
 * -EIO.
 */
int pev_writer_continue(struct pev_writer *writer, const struct pev_writer *before);
/**
 * pev_writer_add_lost() - count records of a ring that were lost behind it
 *
 * The packets that follow count them beside what the ring has lost.
 *
 * Return: 0, -EINVAL, -ENOMEM.
 */
int pev_writer_add_lost(struct pev_writer *writer, unsigned int ring, uint64_t records);
/**
 * pev_writer_compress() - compress packets by zstd, each alone
 * @level: of zstd: 1 to 19, and below 0 for more speed
 *
 * Call it before packets are written. Streams are files stream_<name>.zst, which pev_trace_open()
 * reads, and others once "zstd -d" has made plain streams of them.
 *
 * Return: 0; -ELIBACC if there is no libzstd.so.1; -EINVAL if the trace goes into a pipe or a sink,
 * or packets were written; -ENOMEM.
 */
int pev_writer_compress(struct pev_writer *writer, int level);
/**
 * pev_writer_intern() - write each call chain once a packet
 *
 * Call it before metadata are written. A record whose chain an earlier record of its packet has names
 * that one: lengths of chains have 16 bits, and kstack_id and ustack_id follow, which say where in
 * the packet, in units of 8 bytes, the lengths are that the chain follows. libpev resolves them;
 * others find the chain by the record that has a length and the same id. Chains of classes are
 * interned whose metadata declare them as the kernel's do.
 *
 * The metadata must describe all records of a packet. If they do not yet, pev_writer_packets() returns
 * -ESTALE once it has written the packets before, and pev_writer_drain() leaves the packet in its ring;
 * if they are the same when it comes again, it is written up to that record, and is damaged there.
 *
 * Return: 0; -EINVAL if metadata or packets were written; -ENOMEM.
 */
int pev_writer_intern(struct pev_writer *writer);
#define PEV_WRITER_MOST_THREADS 1024

/**
 * pev_writer_threads() - drain rings by several threads, each rings of its own
 * @nr: threads, with the caller's; 1: that one alone, as without the call; at most
 *      PEV_WRITER_MOST_THREADS
 *
 * Call it before packets are written. pev_writer_drain() is what they do together: it returns when all
 * of them have drained their rings, and nothing runs beside other functions. Ring n is that of thread
 * n % @nr. The threads take no signals, and end with pev_writer_close().
 *
 * Return: 0; -EINVAL for another @nr, a pipe or a sink, or if it was called before or packets were
 * written; -ENOMEM; -EAGAIN if there are too many threads.
 */
int pev_writer_threads(struct pev_writer *writer, unsigned int nr);
/**
 * pev_meta_intern() - the metadata that a writer makes of others by pev_writer_intern()
 * @out: gets the text; free it
 *
 * Return: 0, -ENOMEM.
 */
int pev_meta_intern(const char *text, size_t len, char **out, size_t *out_len);
/** pev_writer_close() - finish and free; the first error that writing met, or 0 */
int pev_writer_close(struct pev_writer *writer);
/** pev_writer_metadata() - write or extend the file metadata; @text: all of it */
int pev_writer_metadata(struct pev_writer *writer, const char *text, size_t len);
/**
 * pev_writer_packets() - append whole packets of one ring to stream_<ring>
 *
 * They are written as they are, but for an empty rest of those that were closed early, and for what
 * pev_writer_intern() and pev_writer_compress() do.
 */
int pev_writer_packets(struct pev_writer *writer, unsigned int ring, const void *data,
		       size_t len);
/**
 * pev_writer_named() - the same to stream_<name>, which is no ring's
 * @name: without '/', at most 40 bytes
 */
int pev_writer_named(struct pev_writer *writer, const char *name, const void *data, size_t len);
/**
 * pev_writer_lost() - the final count of lost records of one ring
 * @ring: its number
 * @cpu:  as pev_ring_cpu() gives it
 * @lost: as in struct pev_ring_kernel
 *
 * If the last packet written does not have that count yet, an empty packet that
 * has it is appended. @time: ticks for its end, 0: the end of the last packet.
 * A ring of which no packet was written gets one if @lost is not 0; then
 * pev_writer_metadata() must have been called.
 */
int pev_writer_lost(struct pev_writer *writer, unsigned int ring, int cpu, uint64_t lost,
		    uint64_t time);
/**
 * pev_writer_drain() - move all complete packets of a channel into the trace
 *
 * Maps new rings, too. Return: bytes written or -errno; at -ENOSPC the
 * packets that found no room stay in the rings.
 */
int64_t pev_writer_drain(struct pev_writer *writer, struct pev_channel *channel);
/**
 * pev_writer_sync() - tell readers that follow the trace how far they can read
 *
 * Call it after a pev_engine_flush() and the pev_writer_drain() that takes what that
 * closed: whatever is older than the newest record of the call before is written then.
 */
int pev_writer_sync(struct pev_writer *writer);
uint64_t pev_writer_bytes(const struct pev_writer *writer);
uint64_t pev_writer_packets_written(const struct pev_writer *writer);

struct pev_pipe;

/** pev_pipe_begins() - do these bytes, at least 4, begin what pev_writer_pipe() writes? */
bool pev_pipe_begins(const void *head, size_t len);
/**
 * pev_pipe_open() - receive what pev_writer_pipe() sends; free with pev_pipe_close()
 * @fd:     stays the caller's
 * @head:   bytes that were read from it already, at most 16
 * @writer: of a directory that no other trace was written to; stays the caller's
 *
 * Return: 0, -EINVAL, -ENOMEM.
 */
int pev_pipe_open(int fd, const void *head, size_t len, struct pev_writer *writer,
		  struct pev_pipe **pipe);
void pev_pipe_close(struct pev_pipe *pipe);
/**
 * pev_pipe_read() - wait for the next piece, and write it
 *
 * Return: 1; 2 after pev_writer_sync(); 0 at the end of the trace; -ENODATA if the pipe ends before; -EINTR: call
 * again; -EBADMSG if it is no trace or damaged; -ENOTSUP if it is one of a later
 * version; -errno of the writer.
 */
int pev_pipe_read(struct pev_pipe *pipe, struct pev_error *err);

/** pev_writer_info() - a key=value line of the file info/record */
int pev_writer_info(struct pev_writer *writer, const char *key, const char *value);
/** pev_writer_info_file() - a whole file of the directory info; @name without '/' */
int pev_writer_info_file(struct pev_writer *writer, const char *name, const void *data,
			 size_t len);

#define PEV_SYSTEM_KALLSYMS	(1U << 0)	/* info/kallsyms: functions, if addresses are shown */
#define PEV_SYSTEM_MODULES	(1U << 1)	/* info/modules: "name address size build_id" lines */

/** pev_writer_system() - describe this machine and its kernel in info/ */
int pev_writer_system(struct pev_writer *writer, unsigned int flags);

#ifdef __cplusplus
}
#endif

#endif /* _PEV_WRITER_H */
