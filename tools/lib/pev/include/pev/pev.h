/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * libpev: open performance events, read their rings, write and read traces.
 *
 * Rules that hold for every function here:
 *
 * - what can fail returns a negative errno (-ENOSYS: this kernel has no pev),
 *   never sets errno and never prints; a function that explains failures takes
 *   a struct pev_why or struct pev_error, and NULL for those is always allowed;
 * - objects that the library allocates are freed by the function named beside
 *   their constructor; freeing NULL does nothing;
 * - no hidden global state: different objects may be used by different threads.
 *   One object may be used by one thread at a time, but everything declared
 *   const may be read by any number of threads.
 *
 * The parts: calls, attributes, catalog, rings, metadata, decoding, traces on
 * disk, writing traces, encoding records.
 */
#ifndef _PEV_PEV_H
#define _PEV_PEV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/pev.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PEV_LIB_MAJOR	1
#define PEV_LIB_MINOR	0

/** pev_version() - version of the library that runs, as "1.0" */
const char *pev_version(void);

/**
 * struct pev_error - why the library could not do something
 * @error: positive errno
 * @line:  line of the metadata that is to blame, from 1; 0: none
 * @text:  one sentence without a full stop or newline at its end
 */
struct pev_error {
	int		error;
	unsigned int	line;
	char		text[500];
};

/**
 * struct pev_why - room for the kernel's explanation of a refusal
 *
 * The members are those of struct pev_refusal. pev_attr_why() and the functions
 * below that take one hand it to the kernel; after a failure @text is always
 * filled, by the library if the kernel said nothing.
 */
struct pev_why {
	uint32_t	error;
	uint32_t	field;
	uint64_t	min;
	uint64_t	max;
	char		text[488];
};

/*
 * ---- Attributes -----------------------------------------------------------
 *
 * pev_attr_channel() and the like clear the whole structure and set what must
 * be set; then change any member you like.
 */

/** pev_attr_channel() - a channel; @ring_size: bytes per CPU, rounded up to a power of two */
void pev_attr_channel(struct pev_attr *attr, uint64_t ring_size);

/**
 * pev_attr_event() - an event of any type, counting only, on the caller itself
 * @type:   PEV_TYPE_SOFTWARE and the like
 * @config: by type, 0 for tracepoints and markers
 * @name:   for tracepoints and markers, else NULL; must live until pev_open()
 */
void pev_attr_event(struct pev_attr *attr, uint32_t type, uint64_t config,
		    const char *name);

/** pev_attr_record() - let records of the event go to a channel */
void pev_attr_record(struct pev_attr *attr, int channel_fd, uint64_t period,
		     uint64_t sample);

/** pev_attr_target() - choose a target; @id: tid, pid or cgroup fd, by @target */
void pev_attr_target(struct pev_attr *attr, uint32_t target, int id);

/** pev_attr_cpus() - a CPU mask of @words 64-bit words, which must live until pev_open() */
void pev_attr_cpus(struct pev_attr *attr, const uint64_t *mask, unsigned int words);

/** pev_attr_filter() - a filter expression, which must live until pev_open() */
void pev_attr_filter(struct pev_attr *attr, const char *filter);

/** pev_attr_why() - ask for the explanation of a refusal */
void pev_attr_why(struct pev_attr *attr, struct pev_why *why);

/**
 * pev_event_by_name() - an event from the name that people use
 * @attr: set up as by pev_attr_event(); attr->name points into @name
 * @name: a name of the catalog: "page-faults", "sched:sched_switch", or one
 *        with its type before it: "timer/cpu-clock", "marker/pev:test".
 *
 * Looks into no catalog: a bare name is taken for a software event, then a
 * timer, then a sideband event ("mmap"; "pev:mmap" also names it), then a hardware
 * event ("cycles"). Another one that has a colon is a tracepoint, unless there are
 * capital letters before the colon: that, and a bare name which is nothing of
 * all these, goes to pev_pmu_code(): "r01c4", "INST_RETIRED:ANY_P".
 *
 * Return: 0, -EINVAL for an unknown type, -ENOENT for an unknown bare name, or as
 * pev_pmu_code(), which says more.
 */
int pev_event_by_name(struct pev_attr *attr, const char *name);

/** pev_type_name() - "software", "timer", ...; NULL if there is none */
const char *pev_type_name(uint32_t type);
/** pev_type_by_name() - enum pev_type or -ENOENT */
int pev_type_by_name(const char *name);
/** pev_config_name() - name of attr.config of a software, timer or sideband event, or NULL */
const char *pev_config_name(uint32_t type, uint64_t config);
/** pev_config_by_name() - attr.config or -ENOENT */
int pev_config_by_name(uint32_t type, const char *name);
/** pev_attr_field_name() - member of struct pev_attr at a byte offset (pev_why.field), or NULL */
const char *pev_attr_field_name(uint32_t offset);

/*
 * ---- Calls ----------------------------------------------------------------
 *
 * Where an argument is called "group": true applies the call to a group leader
 * and all its members. enable, disable and reset on a channel's fd apply to all
 * its events.
 */

/** pev_open() - the system call; returns an fd, 0 for PEV_TYPE_INFO, or -errno */
int pev_open(const struct pev_attr *attr, size_t size, uint32_t flags);

/**
 * pev_open_why() - pev_open() with PEV_OPEN_CLOEXEC and an explanation
 * @attr: its refusal members are overwritten during the call and restored
 * @why:  filled at failure
 */
int pev_open_why(struct pev_attr *attr, struct pev_why *why);

/** pev_query_info() - what this kernel can do; -ENOSYS: it has no pev */
int pev_query_info(struct pev_info *info);

int pev_enable(int fd, bool group);
int pev_disable(int fd, bool group);
int pev_reset(int fd, bool group);
/**
 * pev_set_period() - a new period, or frequency for events opened with PEV_F_FREQ
 * @fd: of an event; of a channel for all its events
 */
int pev_set_period(int fd, uint64_t period);
/** pev_set_filter() - replace the filter, on a channel that of all events; NULL removes it */
int pev_set_filter(int fd, const char *filter, struct pev_why *why);
int pev_get_id(int fd, struct pev_id *id);

/** pev_read_value() - one event's value; -ENOSPC on a leader with PEV_F_READ_GROUP */
int pev_read_value(int fd, struct pev_value *value);
/** pev_read_values() - a group's values; returns their number */
int pev_read_values(int fd, struct pev_value *values, unsigned int room);
/**
 * pev_read_cpus() - values by CPU
 * @nr: in: room; out: elements that exist, also at -ENOSPC
 */
int pev_read_cpus(int fd, struct pev_value *values, unsigned int *nr);
/** pev_read_multiplexed() - what says how well a hardware event's value is known */
int pev_read_multiplexed(int fd, struct pev_multiplexed *m);

/** pev_flush() - close the open packets of a channel */
int pev_flush(int channel_fd);
/** pev_snapshot() - close the packets and say what each ring holds; @nr as in pev_read_cpus() */
int pev_snapshot(int channel_fd, struct pev_span *spans, unsigned int *nr);
int pev_channel_query(int channel_fd, struct pev_channel_info *info);

/**
 * pev_read_metadata() - the channel's metadata so far
 * @text: allocated with malloc(), NUL behind its end; free() it
 */
int pev_read_metadata(int channel_fd, char **text, size_t *len);

/*
 * ---- Catalog --------------------------------------------------------------
 */

/**
 * struct pev_catalog_entry - an event that can be opened
 * @type:   enum pev_type; 0 for a type that this library does not know
 * @type_name: as the kernel wrote it
 * @name:   what to put in attr.name or into pev_event_by_name()
 * @fields: "type name" pairs separated by ';', "" for none
 */
struct pev_catalog_entry {
	uint32_t	type;
	const char	*type_name;
	const char	*name;
	const char	*fields;
};

struct pev_catalog {
	size_t				nr;
	struct pev_catalog_entry	*entries;
	char				*text;	/* private */
};

/** pev_catalog_read() - ask the kernel; free with pev_catalog_free() */
int pev_catalog_read(struct pev_catalog **catalog, struct pev_why *why);
/** pev_catalog_parse() - the same from text; lines of another form are left out */
int pev_catalog_parse(const char *text, size_t len, struct pev_catalog **catalog);
void pev_catalog_free(struct pev_catalog *catalog);

/*
 * ---- Rings ----------------------------------------------------------------
 *
 * Discard mode, for each ring that has data:
 *
 *	while (pev_ring_next(ring, &piece) > 0)
 *		consume(piece.data, piece.len);
 *	pev_ring_release(ring);
 *
 * piece.data points into the mapped ring; it is valid until pev_ring_release(),
 * which gives the space of all pieces handed out so far back to the kernel.
 */

struct pev_channel;
struct pev_ring;

/**
 * struct pev_piece - whole packets as they lie in a ring, or part of one
 * @data:     the first packet; 8-byte aligned
 * @len:      bytes; a multiple of the packet size unless @partial
 * @position: of @data in the ring's count
 * @partial:  the packet is still open: its header is not final
 */
struct pev_piece {
	const void	*data;
	size_t		len;
	uint64_t	position;
	bool		partial;
};

/**
 * pev_channel_map() - map the rings of all CPUs that were ever online
 * @fd: of the channel; stays the caller's and must stay open
 */
int pev_channel_map(int fd, struct pev_channel **channel);
void pev_channel_unmap(struct pev_channel *channel);
/** pev_channel_map_new() - map rings of CPUs that came online since; returns how many */
int pev_channel_map_new(struct pev_channel *channel);
const struct pev_channel_info *pev_channel_info(const struct pev_channel *channel);
int pev_channel_fd(const struct pev_channel *channel);
/** pev_channel_nr_cpus() - rings are numbered below this; some may be NULL */
unsigned int pev_channel_nr_cpus(const struct pev_channel *channel);
/** pev_channel_ring() - NULL for a CPU that was never online */
struct pev_ring *pev_channel_ring(const struct pev_channel *channel, unsigned int cpu);
/** pev_channel_poll() - wait for a watermark: 1 data, 0 time is up */
int pev_channel_poll(struct pev_channel *channel, int timeout_ms);
/** pev_channel_lost() - sum of the rings' lost counts */
uint64_t pev_channel_lost(const struct pev_channel *channel);

/**
 * pev_ring_attach() - a ring in memory that the caller mapped or made up
 * @user: NULL in overwrite mode
 *
 * Return: 0 or -EINVAL for sizes that make no ring. Free with pev_ring_detach().
 */
int pev_ring_attach(const struct pev_ring_kernel *kernel, struct pev_ring_user *user,
		    const void *data, uint64_t ring_size, uint32_t packet_size,
		    struct pev_ring **ring);
void pev_ring_detach(struct pev_ring *ring);

/**
 * pev_ring_next() - the next run of complete packets, not copied
 *
 * Return: 1 with @piece filled, 0 if there is none, -EOVERFLOW once if the ring's
 * head makes no sense (the reader then goes on at the newest data).
 */
int pev_ring_next(struct pev_ring *ring, struct pev_piece *piece);
/** pev_ring_partial() - the open packet behind the complete ones; returns 1 or 0 */
int pev_ring_partial(struct pev_ring *ring, struct pev_piece *piece);
/** pev_ring_release() - give back what pev_ring_next() handed out */
void pev_ring_release(struct pev_ring *ring);
/** pev_ring_release_to() - give back everything before a position */
void pev_ring_release_to(struct pev_ring *ring, uint64_t position);
/** pev_ring_unread() - bytes that pev_ring_next() has not handed out yet, open packet included */
uint64_t pev_ring_unread(const struct pev_ring *ring);
/**
 * pev_ring_copy() - copy one complete packet out of a ring in overwrite mode
 * @position: a multiple of the packet size
 * @buf:      room for one packet
 *
 * Return: 1, 0 if the packet is not complete yet, -ESTALE if it was overwritten.
 */
int pev_ring_copy(const struct pev_ring *ring, uint64_t position, void *buf);
uint64_t pev_ring_head(const struct pev_ring *ring);
uint64_t pev_ring_oldest(const struct pev_ring *ring);
uint64_t pev_ring_lost(const struct pev_ring *ring);
uint32_t pev_ring_cpu(const struct pev_ring *ring);
uint32_t pev_ring_packet_size(const struct pev_ring *ring);

/*
 * ---- Metadata -------------------------------------------------------------
 */

/**
 * enum pev_shape - what a field is
 * @PEV_SHAPE_INT:      one integer
 * @PEV_SHAPE_ARRAY:    a fixed number of integers
 * @PEV_SHAPE_SEQUENCE: as many integers as another field of the record says
 * @PEV_SHAPE_STRING:   bytes up to a NUL
 */
enum pev_shape {
	PEV_SHAPE_INT		= 0,
	PEV_SHAPE_ARRAY		= 1,
	PEV_SHAPE_SEQUENCE	= 2,
	PEV_SHAPE_STRING	= 3,
};

/**
 * struct pev_field - a field of an event class
 * @name:      as in the metadata
 * @shape:     enum pev_shape
 * @size:      bytes of an element: 1, 2, 4 or 8
 * @align:     bytes
 * @is_signed: of an element
 * @is_text:   elements are characters
 * @base:      to print in: 10, 16, 8 or 2
 * @index:     in its structure
 * @count:     elements of an array, 1 for an integer
 * @length:    index of the field with the number of elements, -1 for none
 * @offset:    bytes from the start of the structure, -1 if it varies
 */
struct pev_field {
	const char	*name;
	uint8_t		shape;
	uint8_t		size;
	uint8_t		align;
	bool		is_signed;
	bool		is_text;
	uint8_t		base;
	uint16_t	index;
	uint32_t	count;
	int32_t		length;
	int32_t		offset;
};

/**
 * struct pev_class - an event, as the metadata describes it
 * @id:         in the records
 * @index:      dense number; unique in a trace or, without one, in the metadata
 * @name:       "sched:sched_switch"
 * @uri:        "pev:tracepoint?period=1", "" for none
 * @type:       enum pev_type from @uri, 0 if unknown
 * @period:     from @uri: period, 0 if it is not there
 * @freq:       from @uri: Hz, 0 if it is not there
 * @sample:     PEV_SAMPLE_* that its records carry
 * @context:    fields of the context
 * @fields:     fields of the payload
 */
struct pev_class {
	uint32_t		id;
	uint32_t		index;
	const char		*name;
	const char		*uri;
	uint32_t		type;
	uint64_t		period;
	uint64_t		freq;
	uint64_t		sample;
	unsigned int		nr_context;
	unsigned int		nr_fields;
	const struct pev_field	*context;
	const struct pev_field	*fields;
};

/**
 * struct pev_clock_desc - the clock of a trace
 * @name:     "cycles" or "monotonic"
 * @freq:     Hz
 * @offset_s: with @offset: time of the clock's zero since the epoch, in seconds ...
 * @offset:   ... and ticks
 */
struct pev_clock_desc {
	const char	*name;
	uint64_t	freq;
	int64_t		offset_s;
	int64_t		offset;
};

struct pev_meta;

/** pev_meta_parse() - metadata from text; free with pev_meta_free() */
int pev_meta_parse(const char *text, size_t len, struct pev_meta **meta,
		   struct pev_error *err);
/**
 * pev_meta_update() - more of the same metadata
 * @text: all of it from its start; what was parsed already is not looked at
 *
 * Classes found earlier stay where they are. Not while another thread decodes.
 */
int pev_meta_update(struct pev_meta *meta, const char *text, size_t len,
		    struct pev_error *err);
void pev_meta_free(struct pev_meta *meta);
/** pev_meta_text() - the text that was parsed */
const char *pev_meta_text(const struct pev_meta *meta, size_t *len);
unsigned int pev_meta_nr_classes(const struct pev_meta *meta);
/** pev_meta_class() - by number below pev_meta_nr_classes(), in the order of the text */
const struct pev_class *pev_meta_class(const struct pev_meta *meta, unsigned int nr);
/** pev_meta_class_by_id() - NULL if there is none */
const struct pev_class *pev_meta_class_by_id(const struct pev_meta *meta, uint32_t id);
/** pev_meta_class_by_name() - the first of that name; several may share it */
const struct pev_class *pev_meta_class_by_name(const struct pev_meta *meta,
					       const char *name);
const struct pev_clock_desc *pev_meta_clock(const struct pev_meta *meta);
/** pev_meta_uuid() - 16 bytes */
const uint8_t *pev_meta_uuid(const struct pev_meta *meta);
/** pev_meta_env() - a value of the env block as text, NULL if there is none */
const char *pev_meta_env(const struct pev_meta *meta, const char *key);
/** pev_meta_ns() - ticks to ns since the epoch */
int64_t pev_meta_ns(const struct pev_meta *meta, uint64_t ticks);
/** pev_meta_ticks() - ns since the epoch to ticks, rounded down, 0 for what was before */
uint64_t pev_meta_ticks(const struct pev_meta *meta, int64_t ns);

/** pev_class_field() - a field of the payload by name, NULL if there is none */
const struct pev_field *pev_class_field(const struct pev_class *cls, const char *name);
/** pev_class_context_field() - a field of the context by name */
const struct pev_field *pev_class_context_field(const struct pev_class *cls,
						const char *name);

/*
 * ---- Decoding -------------------------------------------------------------
 */

/**
 * struct pev_event - a record, decoded
 * @time:    ticks of the clock, all 64 bits
 * @cls:     its class
 * @cpu:     CPU, from the packet
 * @tid:     0 if the event did not ask for it
 * @pid:     and everything below: what the class's @sample says, else 0 or NULL
 * @payload: start of the payload
 * @payload_len: bytes of it, padding behind not counted
 * @record:  start of the record
 * @record_len: bytes from @record to the end of the payload
 * @meta:    metadata of its trace
 * @stream:  where it came from; NULL outside a trace
 *
 * All pointers point into the packet. Call chains are ordered from the
 * innermost frame outwards.
 */
struct pev_event {
	uint64_t		time;
	const struct pev_class	*cls;
	const void		*payload;
	const void		*record;
	uint32_t		payload_len;
	uint32_t		record_len;
	const struct pev_meta	*meta;
	const struct pev_stream	*stream;
	uint32_t		cpu;
	uint32_t		tid;
	/* context */
	uint32_t		pid;
	uint32_t		sample_cpu;
	uint64_t		ip;
	uint64_t		addr;
	uint64_t		period;
	const uint64_t		*kstack;
	const uint64_t		*ustack;
	uint32_t		kstack_len;
	uint32_t		ustack_len;
	const uint64_t		*uregs;
	const uint64_t		*values;
	const uint8_t		*dump;
	uint32_t		uregs_len;
	uint32_t		values_len;
	uint64_t		dump_len;
};

/**
 * struct pev_decoder - walks through the records of one packet
 *
 * Lives on the caller's stack; all members are private. Any number of them may
 * work on the same metadata in different threads.
 */
struct pev_decoder {
	const struct pev_meta	*meta;
	const struct pev_stream	*stream;
	const uint8_t		*packet;
	uint64_t		time;
	uint64_t		begin;
	uint64_t		limit;
	size_t			pos;
	size_t			end;
	uint32_t		cpu;
	uint32_t		unknown_id;
};

/**
 * pev_decode_packet() - start on a packet
 * @data: 8-byte aligned
 * @len:  bytes that may be read; a packet that claims more is refused
 *
 * Return: 0, -EBADMSG for what is no packet of this trace.
 */
int pev_decode_packet(struct pev_decoder *dec, const struct pev_meta *meta,
		      const void *data, size_t len);
/**
 * pev_decode_partial() - start on an open packet, or go on in one
 * @from: 0 or what pev_decode_offset() gave for the same packet earlier
 * @time: pev_event.time of the last record before @from; not used if @from is 0
 * @len:  bytes up to the ring's head
 */
int pev_decode_partial(struct pev_decoder *dec, const struct pev_meta *meta,
		       const void *data, size_t len, size_t from, uint64_t time);
/**
 * pev_decode_next() - the next record
 *
 * Return: 1; 0 at the end; -EBADMSG if the rest of the packet makes no sense;
 * -ESTALE at a record whose id the metadata does not have: read the metadata
 * again, pev_meta_update() it and call again.
 */
int pev_decode_next(struct pev_decoder *dec, struct pev_event *ev);
/** pev_decode_offset() - bytes from the packet's start to the next record */
size_t pev_decode_offset(const struct pev_decoder *dec);

/** pev_event_locate() - address of a payload field and its number of elements, NULL if damaged */
const void *pev_event_locate(const struct pev_event *ev, const struct pev_field *field,
			     size_t *count);

/** pev_load() - an integer from memory, sign-extended if it is signed */
static inline uint64_t pev_load(const void *at, unsigned int size, bool is_signed)
{
	switch (size) {
	case 1: {
		uint8_t v = *(const uint8_t *)at;

		return is_signed ? (uint64_t)(int8_t)v : v;
	}
	case 2: {
		uint16_t v;

		__builtin_memcpy(&v, at, sizeof(v));
		return is_signed ? (uint64_t)(int16_t)v : v;
	}
	case 4: {
		uint32_t v;

		__builtin_memcpy(&v, at, sizeof(v));
		return is_signed ? (uint64_t)(int32_t)v : v;
	}
	default: {
		uint64_t v;

		__builtin_memcpy(&v, at, sizeof(v));
		return v;
	}
	}
}

/**
 * pev_event_int() - value of an integer field of the payload
 * @field: of the event's class
 *
 * The first element of an array; 0 for NULL, strings and empty sequences.
 * Cast to int64_t if field->is_signed.
 */
static inline uint64_t pev_event_int(const struct pev_event *ev,
				     const struct pev_field *field)
{
	size_t count;
	const void *at;

	if (!field)
		return 0;
	if (field->shape == PEV_SHAPE_INT && field->offset >= 0)
		return pev_load((const char *)ev->payload + field->offset,
				field->size, field->is_signed);
	at = pev_event_locate(ev, field, &count);
	if (!at || !count || field->shape == PEV_SHAPE_STRING)
		return 0;
	return pev_load(at, field->size, field->is_signed);
}

/**
 * pev_event_text() - characters of a text field of the payload
 * @text: not NUL-terminated; NULL if the field is NULL or no text
 *
 * Return: number of bytes before the first NUL or the field's end.
 */
size_t pev_event_text(const struct pev_event *ev, const struct pev_field *field,
		      const char **text);
/** pev_event_copy_text() - the same as a NUL-terminated copy, cut to @size; returns @buf */
char *pev_event_copy_text(const struct pev_event *ev, const struct pev_field *field,
			  char *buf, size_t size);
/** pev_event_ns() - time of an event in ns since the epoch */
int64_t pev_event_ns(const struct pev_event *ev);

/**
 * pev_event_print_field() - a field as people read it
 *
 * Integers in their base (hex with 0x), text in double quotes with control
 * characters escaped, arrays as "[1, 2, 3]", bytes as hex digits. @context:
 * the field is one of cls->context.
 *
 * Return: length of the full text without its NUL, as snprintf() does.
 */
int pev_event_print_field(const struct pev_event *ev, const struct pev_field *field,
			  bool context, char *buf, size_t size);

/*
 * ---- Traces on disk -------------------------------------------------------
 *
 * A trace is a directory with the file metadata, files stream_<cpu> and the
 * directory info. A directory may hold further traces as subdirectories, with
 * or without being one itself. What is damaged is left out, and a warning says
 * what.
 */

struct pev_trace;
struct pev_cursor;

/**
 * struct pev_packet_index - a sound packet of a stream
 * @offset:    bytes from the start of the file
 * @begin:     ticks
 * @end:       ticks
 * @lost:      records lost between the end of the previous packet and the end
 *             of this one
 * @seq:       number on its CPU
 * @size:      bytes of the packet
 * @content:   bytes of header and records
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
 * @cpu:     CPU of its packets; -1 for an empty file
 * @index:   number of the stream in the trace
 * @meta:    metadata of its trace
 * @data:    the file's contents
 * @size:    bytes of it
 * @packets: sound packets, in order of time
 * @lost:    records lost on this CPU, up to the end of the last packet
 * @damaged: packets or stretches of the file that were left out
 * @skipped: bytes of these
 */
struct pev_stream {
	const char			*path;
	const char			*name;
	int				cpu;
	unsigned int			index;
	const struct pev_meta		*meta;
	const uint8_t			*data;
	uint64_t			size;
	size_t				nr_packets;
	const struct pev_packet_index	*packets;
	uint64_t			lost;
	uint64_t			damaged;
	uint64_t			skipped;
};

/** pev_trace_open() - open a directory; free with pev_trace_close() */
int pev_trace_open(const char *path, struct pev_trace **trace, struct pev_error *err);
void pev_trace_close(struct pev_trace *trace);
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
 * Keys that perfctl and pev_writer_system() write: command, hostname, release,
 * version, machine, cpus, page_size, begin, build_id (of the kernel), tool.
 */
const char *pev_trace_info(const struct pev_trace *trace, const char *key);
/**
 * pev_trace_info_file() - a whole file of the directory info
 * @text: allocated with malloc(), NUL behind its end; free() it
 */
int pev_trace_info_file(const struct pev_trace *trace, const char *name, char **text,
			size_t *len);

/** pev_decode_stream_packet() - start on packet @nr of a stream; see pev_decode_next() */
int pev_decode_stream_packet(struct pev_decoder *dec, const struct pev_stream *stream,
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
 *
 * Free with pev_cursor_close(), before the trace.
 */
int pev_cursor_open(struct pev_trace *trace, const struct pev_stream *stream,
		    struct pev_cursor **cursor);
void pev_cursor_close(struct pev_cursor *cursor);
/**
 * pev_cursor_next() - the next event
 * @ev: valid until the next call on the same cursor; what it points to, until
 *      the trace is closed
 *
 * A packet that turns out to be damaged is left at that point, with a warning.
 *
 * Return: 1, 0 at the end, -ENOMEM.
 */
int pev_cursor_next(struct pev_cursor *cursor, const struct pev_event **ev);
/** pev_cursor_seek() - go to the first event at or after a time in ns since the epoch */
int pev_cursor_seek(struct pev_cursor *cursor, int64_t ns);

/*
 * ---- Writing traces -------------------------------------------------------
 *
 * After a failed write (-ENOSPC) each file ends with its last whole packet, the
 * trace can be read, and pev_writer_close() still works. Every further
 * pev_writer_packets() returns the same error.
 */

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
/** pev_writer_close() - finish and free; the first error that writing met, or 0 */
int pev_writer_close(struct pev_writer *writer);
/** pev_writer_metadata() - write or extend the file metadata; @text: all of it */
int pev_writer_metadata(struct pev_writer *writer, const char *text, size_t len);
/** pev_writer_packets() - append whole packets of one CPU as they are */
int pev_writer_packets(struct pev_writer *writer, unsigned int cpu, const void *data,
		       size_t len);
/**
 * pev_writer_lost() - the final count of lost records of one CPU
 * @lost: as in struct pev_ring_kernel
 *
 * If the last packet written does not have that count yet, an empty packet that
 * has it is appended. @time: ticks for its end, 0: the end of the last packet.
 * A CPU of which no packet was written gets one if @lost is not 0; then
 * pev_writer_metadata() must have been called.
 */
int pev_writer_lost(struct pev_writer *writer, unsigned int cpu, uint64_t lost,
		    uint64_t time);
/**
 * pev_writer_drain() - move all complete packets of a channel into the trace
 *
 * Maps rings of new CPUs, too. Return: bytes written or -errno; at -ENOSPC the
 * packets that found no room stay in the rings.
 */
int64_t pev_writer_drain(struct pev_writer *writer, struct pev_channel *channel);
uint64_t pev_writer_bytes(const struct pev_writer *writer);
uint64_t pev_writer_packets_written(const struct pev_writer *writer);

/** pev_writer_info() - a key=value line of the file info/record */
int pev_writer_info(struct pev_writer *writer, const char *key, const char *value);
/** pev_writer_info_file() - a whole file of the directory info; @name without '/' */
int pev_writer_info_file(struct pev_writer *writer, const char *name, const void *data,
			 size_t len);

#define PEV_SYSTEM_KALLSYMS	(1U << 0)	/* info/kallsyms: functions, if addresses are shown */
#define PEV_SYSTEM_MODULES	(1U << 1)	/* info/modules: "name address size build_id" lines */

/** pev_writer_system() - describe this machine and its kernel in info/ */
int pev_writer_system(struct pev_writer *writer, unsigned int flags);

/*
 * ---- Encoding records -----------------------------------------------------
 *
 * Makes packets in user space from the classes of a trace's metadata, for the
 * state of processes that ran before the recording: records of pev:mmap and
 * pev:comm in a stream file of their own.
 *
 *	pev_encoder_begin(enc, cls, time, tid);
 *	pev_encoder_int(enc, "pid", pid);
 *	pev_encoder_data(enc, "filename", name, strlen(name) + 1);
 *	pev_encoder_commit(enc);
 */

struct pev_encoder;

/** typedef pev_packet_fn - takes a finished packet; what it returns below 0 is passed on */
typedef int (*pev_packet_fn)(void *arg, const void *packet, size_t len);

/**
 * pev_encoder_new() - records to packets
 * @packet_size: bytes; a record that does not fit gets a larger packet of its own
 * @cpu:         in the packets
 */
int pev_encoder_new(const struct pev_meta *meta, uint32_t packet_size, uint32_t cpu,
		    pev_packet_fn fn, void *arg, struct pev_encoder **enc);
/**
 * pev_writer_encoder() - the same into file stream_<name> of a trace
 *
 * Close the encoder before the writer.
 */
int pev_writer_encoder(struct pev_writer *writer, const struct pev_meta *meta,
		       const char *name, uint32_t cpu, struct pev_encoder **enc);
/** pev_encoder_close() - hand out the last packet and free */
int pev_encoder_close(struct pev_encoder *enc);

/** pev_encoder_begin() - a record; all its fields are 0. @time: not before the last one's */
int pev_encoder_begin(struct pev_encoder *enc, const struct pev_class *cls,
		      uint64_t time, uint32_t tid);
/**
 * pev_encoder_int() - an integer of the payload, or of the context
 *
 * A name is looked for in the payload first. Return: 0, -ENOENT for a field
 * that the class does not have.
 */
int pev_encoder_int(struct pev_encoder *enc, const char *field, uint64_t value);
/**
 * pev_encoder_data() - bytes of an array, sequence or string
 * @data: copied
 * @len:  bytes; too many for an array are cut, too few filled with 0. The
 *        length of a sequence is set by this, and <name>_off if there is one.
 */
int pev_encoder_data(struct pev_encoder *enc, const char *field, const void *data,
		     size_t len);
int pev_encoder_commit(struct pev_encoder *enc);

#ifdef __cplusplus
}
#endif

#include <pev/hardware.h>

#endif
