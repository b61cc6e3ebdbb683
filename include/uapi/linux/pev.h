/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * pev: performance events, the whole user-space ABI.
 *
 * One system call, pev_open(2), creates every object:
 *
 *	int pev_open(const struct pev_attr *attr, size_t size, __u32 flags);
 *
 * - a *channel* holds rings, one for each CPU, and is the consumer's end: mmap()
 *   it, poll() it, read() its metadata (CTF 1.8 text that describes every
 *   event that was ever added to it);
 * - an *event* counts something on a target (a thread, a process, a subtree of
 *   processes, CPUs, a cgroup) and, when it was opened with a channel, writes
 *   records into that channel's rings. One fd whatever the number of CPUs;
 * - a *table* takes the place of a channel where records are too much: counts and
 *   sums by key, in fixed memory, read by an ioctl();
 * - a *catalog* lists, as text, the events that can be opened;
 * - an *info* query fills struct pev_info and creates nothing.
 *
 * Rules that hold for all structures below: fixed-width types only, no
 * bit-fields, no pointers but __u64, the same layout on every architecture,
 * unknown bits and non-zero reserved words are refused, new fields are only
 * ever appended and zero in them means the old behaviour.
 */
#ifndef _UAPI_LINUX_PEV_H
#define _UAPI_LINUX_PEV_H

#include <linux/types.h>
#include <linux/ioctl.h>

/* Number of pev_open(2), the same on x86_64 and ppc64le. */
#ifndef __NR_pev_open
#define __NR_pev_open		500
#endif

/* Revision of this file; grows with every addition. */
#define PEV_ABI_VERSION		14

/* pev_open() flags argument */
#define PEV_OPEN_CLOEXEC	(1U << 0)	/* close-on-exec */

/**
 * enum pev_type - what pev_open() is asked to create
 * @PEV_TYPE_INFO:       nothing: fill the struct pev_info at attr.info, return 0
 * @PEV_TYPE_CATALOG:    an fd whose read() yields one text line an event
 * @PEV_TYPE_CHANNEL:    a set of rings
 * @PEV_TYPE_SOFTWARE:   a software counter, attr.config is enum pev_software
 * @PEV_TYPE_TIMER:      samples taken by a timer, attr.config is enum pev_timer
 * @PEV_TYPE_TRACEPOINT: a kernel tracepoint, attr.name is "system:event"
 * @PEV_TYPE_MARKER:     a kernel marker, attr.name is "subsystem:event"
 * @PEV_TYPE_SIDEBAND:   what tools need to resolve samples, attr.config is
 *                       enum pev_sideband
 * @PEV_TYPE_HARDWARE:   a hardware counter by what it means on any processor,
 *                       attr.config is enum pev_hardware
 * @PEV_TYPE_RAW:        a hardware counter by the code of its PMU, of the cores' in
 *                       attr.config: on x86 the event select register (event, unit
 *                       mask, edge, invert, counter mask); on PowerPC the event
 *                       code of the processor's manual. attr.name, if not 0, is the
 *                       name that records and texts give it
 * @PEV_TYPE_PMU:        an fd whose read() yields text about the counters: what
 *                       there are, what holds them, what went wrong
 * @PEV_TYPE_PROBE:      places in the kernel or in a file that processes map,
 *                       attr.config is the address of a struct pev_probe,
 *                       attr.name the name that records and texts give it
 * @PEV_TYPE_TABLE:      a table for each CPU, in which events count by key instead of
 *                       writing records, attr.config is the address of a struct pev_table
 * @PEV_TYPE_WAIT:       threads that do not run: why, for how long, and what let them
 *                       go on; see struct pev_waits
 * @PEV_TYPE_CLIENT:     the channel that a part of the kernel writes to, attr.name is the
 *                       name of its owner; the fd is that of a channel
 * @PEV_TYPE_PRODUCER:   the marks of a program that writes events itself, attr.config is
 *                       the address of a struct pev_producer; see linux/pev_user.h
 * @PEV_TYPE_USER:       what such programs write, attr.name is "provider:event", or the
 *                       beginning of that and a *
 * @PEV_TYPE_CONTEXT:    nothing, return 0: the calling thread says for which request it
 *                       works from now on at attr.config, the address of a pointer to a
 *                       struct pev_thread_context; 0: nowhere any more
 * @PEV_TYPE_USTACK:     the user's stacks of records that have PEV_SAMPLE_COOKIE, told by the
 *                       thread on its way to user mode; see struct pev_ustack_record
 * @PEV_TYPE_CRASH:      what a channel with PEV_CHF_PERSIST had when an earlier boot ended:
 *                       an fd whose read() yields struct pev_crash and what follows it.
 *                       attr.config is enum pev_crash_config. Needs CAP_PERFMON
 * @PEV_TYPE_GRANT:      counters lent to a guest, while the fd is open: to each virtual processor
 *                       that asks for them attr.config many, 1 to PEV_GUEST_COUNTERS. The
 *                       target is PEV_TARGET_GUEST; read() yields struct pev_grant, poll() tells
 *                       its end. Needs CAP_PERFMON. See linux/pev_guest.h
 *
 * A line of the catalog is "<type> <name> <fields>\n", <type> being
 * "software", "timer", "tracepoint", "marker", "sideband", "wait", "ustack", "hardware"
 * (those that this processor has), "user" (those of processes that you may
 * trace, with "user:" before attr.name) or "client" (channels of the kernel's that you may
 * read, by attr.name, and "<channel>/<event>" for each event in one), <fields> either "-" or
 * a list of "type name" pairs separated by ';'.
 */
enum pev_type {
	PEV_TYPE_INFO		= 0,
	PEV_TYPE_CATALOG	= 1,
	PEV_TYPE_CHANNEL	= 2,
	PEV_TYPE_SOFTWARE	= 3,
	PEV_TYPE_TIMER		= 4,
	PEV_TYPE_TRACEPOINT	= 5,
	PEV_TYPE_MARKER		= 6,
	PEV_TYPE_SIDEBAND	= 7,
	PEV_TYPE_HARDWARE	= 8,
	PEV_TYPE_RAW		= 9,
	PEV_TYPE_PMU		= 10,
	PEV_TYPE_PROBE		= 11,
	PEV_TYPE_TABLE		= 12,
	PEV_TYPE_WAIT		= 13,
	PEV_TYPE_CLIENT		= 14,
	PEV_TYPE_PRODUCER	= 15,
	PEV_TYPE_USER		= 16,
	PEV_TYPE_CONTEXT	= 17,
	PEV_TYPE_USTACK		= 18,
	PEV_TYPE_CRASH		= 19,
	PEV_TYPE_GRANT		= 20,

	/* private: not ABI */
	PEV_TYPE_MAX,
};

/* attr.config of PEV_TYPE_SOFTWARE */
enum pev_software {
	PEV_SW_CPU_CLOCK	= 0,	/* ns that the target ran; of CPUs, wall time */
	PEV_SW_TASK_CLOCK	= 1,	/* the same by perf's other name */
	PEV_SW_PAGE_FAULTS	= 2,
	PEV_SW_PAGE_FAULTS_MIN	= 3,
	PEV_SW_PAGE_FAULTS_MAJ	= 4,
	PEV_SW_CONTEXT_SWITCHES	= 5,	/* the target was switched out */
	PEV_SW_CPU_MIGRATIONS	= 6,
	PEV_SW_ALIGNMENT_FAULTS	= 7,	/* where the architecture traps them */
	PEV_SW_EMULATION_FAULTS	= 8,

	PEV_SW_MAX,			/* not ABI */
};

/* attr.config of PEV_TYPE_TIMER; attr.period is ns, or Hz with PEV_F_FREQ */
enum pev_timer {
	PEV_TIMER_CPU_CLOCK	= 0,	/* while the target runs; of CPUs, while not idle */
	PEV_TIMER_TASK_CLOCK	= 1,	/* the same by perf's other name */

	PEV_TIMER_MAX,			/* not ABI */
};

/* attr.config of PEV_TYPE_SIDEBAND; the records' fields are in the metadata */
enum pev_sideband {
	PEV_SB_MMAP		= 0,	/* executable mapping, with build id */
	PEV_SB_COMM		= 1,	/* a thread's name changed */
	PEV_SB_FORK		= 2,
	PEV_SB_EXEC		= 3,
	PEV_SB_EXIT		= 4,

	PEV_SB_MAX,			/* not ABI */
};

/*
 * attr.pmu: that of the processor's cores; PEV_TYPE_PMU says what it is. Others are those of
 * perf, by the numbers in /sys/bus/event_source/devices/NAME/type
 */
#define PEV_PMU_CORE		0U

/* attr.config of PEV_TYPE_HARDWARE; each processor has some of them */
enum pev_hardware {
	PEV_HW_CYCLES		= 0,	/* of the core, as it runs */
	PEV_HW_REF_CYCLES	= 1,	/* at a constant rate, while not halted */
	PEV_HW_INSTRUCTIONS	= 2,	/* retired */
	PEV_HW_BRANCHES		= 3,	/* retired */
	PEV_HW_BRANCH_MISSES	= 4,	/* retired, mispredicted */
	PEV_HW_CACHE_REFS	= 5,	/* of the last level */
	PEV_HW_CACHE_MISSES	= 6,
	PEV_HW_STALLED_FRONT	= 7,	/* cycles in which nothing was delivered */
	PEV_HW_STALLED_BACK	= 8,	/* cycles in which nothing could go on */
	PEV_HW_BUS_CYCLES	= 9,
	PEV_HW_L1D_LOADS	= 10,
	PEV_HW_L1D_MISSES	= 11,	/* of loads */
	PEV_HW_L1I_MISSES	= 12,
	PEV_HW_LLC_LOADS	= 13,
	PEV_HW_LLC_MISSES	= 14,	/* of loads */
	PEV_HW_DTLB_LOADS	= 15,
	PEV_HW_DTLB_MISSES	= 16,	/* of loads */
	PEV_HW_ITLB_MISSES	= 17,

	PEV_HW_MAX,			/* not ABI */
};

/* kind of struct pev_probe */
enum pev_probe_kind {
	PEV_PROBE_KERNEL	= 0,	/* before an instruction of the kernel */
	PEV_PROBE_KERNEL_RETURN	= 1,	/* when a function of the kernel returns */
	PEV_PROBE_USER		= 2,	/* before an instruction in a file */
	PEV_PROBE_USER_RETURN	= 3,	/* when a function in a file returns */
	PEV_PROBE_FUNCTION	= 4,	/* when a function of the kernel is entered, by ftrace */

	PEV_PROBE_MAX,			/* not ABI */
};

/**
 * struct pev_probe - a probe: places, and what is recorded of each time one is reached
 * @size:         of this structure
 * @kind:         enum pev_probe_kind
 * @fd:           of the file, open for reading; kernel: 0
 * @nr_places:    elements of @places, 1 to PEV_MAX_PROBE_PLACES
 * @nr_fields:    elements of @fields, at most PEV_MAX_PROBE_FIELDS
 * @max_active:   of PEV_PROBE_KERNEL_RETURN: calls of each function that may be under
 *                way at once, those beyond count as lost; 0: chosen
 * @places:       address of an array of struct pev_probe_place
 * @fields:       address of an array of struct pev_probe_field
 * @strings:      address of NUL-terminated strings, the names of all of them
 * @strings_size: bytes there, at most PEV_MAX_PROBE_STRINGS
 * @flags:        PEV_PROBE_F_*
 * @results:      with PEV_PROBE_F_SKIP the address of an array of __s32, one for each
 *                place, which receives 0 or a negative errno; else 0
 *
 * All places are attached when the event is opened, or none, and detached together
 * when it is closed. What each of them does is counted as one event.
 *
 * PEV_PROBE_FUNCTION attaches thousands of functions in one step, and costs less each
 * time than PEV_PROBE_KERNEL. It takes functions that ftrace knows, each once; those that
 * are reached by what a probe of this kind does itself count as lost.
 *
 * The payload of a record is struct pev_probe_record, then for each field in their
 * order, naturally aligned, a number of its type, or for a text two __u16: where it
 * begins, counted from 8 bytes before the payload as in tracepoints, and its bytes. The
 * texts lie behind all of that, in the order of the fields, each with its NUL.
 */
struct pev_probe {
	__u32	size;
	__u32	kind;
	__s32	fd;
	__u32	nr_places;
	__u32	nr_fields;
	__u32	max_active;
	__u64	places;
	__u64	fields;
	__u64	strings;
	__u32	strings_size;
	__u32	flags;
	__u64	results;
};

/* flags of struct pev_probe: leave places out that can't be probed, but not all of them */
#define PEV_PROBE_F_SKIP	(1U << 0)

/**
 * struct pev_probe_place - a place
 * @name:      where its name begins in the strings: kernel: a function, or
 *             "module:function"; file: what records call it
 * @reserved:  0
 * @offset:    bytes behind the function; in the file: from the file's beginning
 * @semaphore: where in the file a __u16 lies that counts who listens (sys/sdt.h);
 *             0: there is none
 */
struct pev_probe_place {
	__u32	name;
	__u32	reserved;
	__u64	offset;
	__u64	semaphore;
};

/* type of struct pev_probe_field */
enum pev_probe_type {
	PEV_PROBE_U8		= 0,
	PEV_PROBE_U16		= 1,
	PEV_PROBE_U32		= 2,
	PEV_PROBE_U64		= 3,
	PEV_PROBE_S8		= 4,
	PEV_PROBE_S16		= 5,
	PEV_PROBE_S32		= 6,
	PEV_PROBE_S64		= 7,
	PEV_PROBE_X32		= 8,	/* shown in hexadecimal */
	PEV_PROBE_X64		= 9,
	PEV_PROBE_TEXT		= 10,	/* the string at an address; needs a load */

	PEV_PROBE_TYPE_MAX,		/* not ABI */
};

/* from of struct pev_probe_field */
enum pev_probe_from {
	PEV_PROBE_ARGUMENT	= 0,	/* of the function, number 0 is the first */
	PEV_PROBE_REGISTER	= 1,	/* by its number in asm/perf_regs.h */
	PEV_PROBE_STACK		= 2,	/* a word above the stack pointer */
	PEV_PROBE_RESULT	= 3,	/* what the function returns */
	PEV_PROBE_DURATION	= 4,	/* ns since the function was entered, of a return */
	PEV_PROBE_CONSTANT	= 5,	/* offsets[0], with no load */

	PEV_PROBE_FROM_MAX,		/* not ABI */
};

#define PEV_MAX_PROBE_PLACES	4096
#define PEV_MAX_PROBE_FIELDS	16
#define PEV_MAX_PROBE_LOADS	4
#define PEV_MAX_PROBE_STRINGS	262144	/* bytes */
#define PEV_MAX_PROBE_NAME	128	/* bytes of a place's name, NUL included */
#define PEV_MAX_PROBE_TEXT	256	/* bytes of a text, NUL included */
#define PEV_MAX_PROBE_ACTIVE	65536	/* max_active of all places together */

/* flags of struct pev_probe_field */
#define PEV_PROBE_USER_MEMORY	(1U << 0)	/* kernel: loads are from the process's memory */

/**
 * struct pev_probe_field - a field of a record
 * @name:     where its name begins in the strings: at most 31 letters, digits and _
 * @type:     enum pev_probe_type
 * @from:     enum pev_probe_from
 * @nr_loads: of @offsets
 * @flags:    PEV_PROBE_USER_MEMORY
 * @number:   of the argument, register, or word
 * @limit:    of a text: most bytes, NUL included; 0: PEV_MAX_PROBE_TEXT
 * @offsets:  @nr_loads times what lies so many bytes behind the value takes its place:
 *            a word, at the last one something of @type. The others are 0, but the first
 *            of a PEV_PROBE_CONSTANT
 */
struct pev_probe_field {
	__u32	name;
	__u8	type;
	__u8	from;
	__u8	nr_loads;
	__u8	flags;
	__u32	number;
	__u32	limit;
	__s64	offsets[PEV_MAX_PROBE_LOADS];
};

/**
 * struct pev_probe_record - what the payload of a probe's record begins with
 * @place:  index of the place; the metadata has their names
 * @faults: bit n is set if a load of field n failed, or the duration is not known, because
 *          the function was entered before: then it is 0, or empty
 */
struct pev_probe_record {
	__u16	place;
	__u16	faults;
};

/* from of struct pev_table_key: what a key is */
enum pev_table_from {
	PEV_TABLE_PID		= 0,	/* process, as the event's opener sees it */
	PEV_TABLE_TID		= 1,	/* thread, likewise */
	PEV_TABLE_COMM		= 2,	/* the thread's name, 16 bytes */
	PEV_TABLE_CPU		= 3,
	PEV_TABLE_CGROUP	= 4,	/* id in the unified hierarchy */
	PEV_TABLE_EVENT		= 5,	/* which event: id of struct pev_id */
	PEV_TABLE_SYSCALL	= 6,	/* number of the call that the thread is in, -1: none */
	PEV_TABLE_FIELD		= 7,	/* a number of the record, by its name */
	PEV_TABLE_KSTACK	= 8,	/* the kernel's call chain, see struct pev_table_swap */
	PEV_TABLE_USTACK	= 9,	/* the program's */
	PEV_TABLE_LATENCY	= 10,	/* ns since the pair began: see struct pev_table */
	PEV_TABLE_REQUEST	= 11,	/* trace id that the thread says, 16 bytes */

	PEV_TABLE_FROM_MAX,		/* not ABI */
};

/*
 * Added to PEV_TABLE_PID, _TID, _COMM, _CPU, _CGROUP, _SYSCALL or _FIELD, of a table with pairs:
 * what the event had that began the pair
 */
#define PEV_TABLE_AT_BEGIN	(1U << 16)

/* bucket of struct pev_table_key: which values share a row */
enum pev_table_bucket {
	PEV_TABLE_EXACT		= 0,	/* equal ones */
	PEV_TABLE_LOG2		= 1,	/* key 0: 0, n: 2^(n-1) to 2^n - 1, -n: the same below 0 */
	PEV_TABLE_LINEAR	= 2,	/* key n: n * step to (n + 1) * step - 1 */
	PEV_TABLE_EIGHTHS	= 3,	/* up to 15: that; above: 8 for each power of 2 */

	PEV_TABLE_BUCKET_MAX,		/* not ABI */
};

/* value of struct pev_table: what is summed up beside the count */
enum pev_table_value {
	PEV_TABLE_COUNT		= 0,	/* nothing: sum, min and max are 0 */
	PEV_TABLE_PERIOD	= 1,	/* what a record stands for: see PEV_SAMPLE_PERIOD */
	PEV_TABLE_OF_FIELD	= 2,	/* a number of the record */
	PEV_TABLE_COUNTED	= 3,	/* what an event counts: see struct pev_table */
	PEV_TABLE_OF_LATENCY	= 4,	/* ns since the pair began */

	PEV_TABLE_VALUE_MAX,		/* not ABI */
};

#define PEV_MAX_TABLE_KEYS	4
#define PEV_MAX_TABLE_ROWS	65536	/* of each CPU */
#define PEV_MAX_TABLE_NAME	64	/* bytes of a field's name, NUL included */
#define PEV_MIN_TABLE_FRAMES	4096
#define PEV_MAX_TABLE_FRAMES	(1 << 22) /* of each CPU */
#define PEV_MIN_TABLE_OPEN	16
#define PEV_MAX_TABLE_OPEN	(1 << 20) /* pairs, of all CPUs */

/* flags of struct pev_table */
#define PEV_TABLE_F_TIMES	(1U << 0) /* min and max of a row are when it came first and last */
#define PEV_TABLE_F_RECORDS	(1U << 1) /* pairs that took long become records, too */
#define PEV_TABLE_F_ALL		((1U << 2) - 1)

/**
 * struct pev_table_key - a part of what tells rows apart
 * @from:     enum pev_table_from, and PEV_TABLE_AT_BEGIN
 * @bucket:   enum pev_table_bucket
 * @step:     of PEV_TABLE_LINEAR, at least 1; else 0
 * @name:     of the field, NUL-terminated; empty without PEV_TABLE_FIELD
 */
struct pev_table_key {
	__u32	from;
	__u32	bucket;
	__u64	step;
	char	name[PEV_MAX_TABLE_NAME];
};

/**
 * struct pev_table - a table that is to be opened
 * @size:    of this structure
 * @rows:    that each CPU has room for, 1 to PEV_MAX_TABLE_ROWS
 * @nr_keys: of @keys, 1 to PEV_MAX_TABLE_KEYS; the others are 0
 * @value:   enum pev_table_value
 * @keys:    what tells rows apart
 * @field:   of PEV_TABLE_OF_FIELD, its name; else empty
 * @flags:   PEV_TABLE_F_*
 * @clock:   of PEV_TABLE_F_TIMES, enum pev_clock; else 0
 * @frames:  words that each CPU has room for in call chains, as struct pev_table_swap counts
 *           them, PEV_MIN_TABLE_FRAMES to PEV_MAX_TABLE_FRAMES; 0 without such a key
 * @max_stack: frames of a call chain at most, up to PEV_MAX_STACK; 0: PEV_MAX_STACK
 * @open:    pairs that there is room for on all CPUs together, PEV_MIN_TABLE_OPEN to
 *           PEV_MAX_TABLE_OPEN; 0: the table has no pairs
 * @nr_pair: of @begin and @end, 1 to PEV_MAX_TABLE_KEYS; 0 without pairs
 * @begin:   what tells pairs apart where they begin: PEV_TABLE_TID, _PID, _CPU, _CGROUP or
 *           _FIELD, without buckets
 * @end:     the same where they end, in the same order
 * @least:   of PEV_TABLE_F_RECORDS, ns that a pair takes at least to become a record; else 0
 * @channel_fd: of PEV_TABLE_F_RECORDS, the channel of these records; else 0
 * @reserved: 0
 *
 * An event that names the table's descriptor as its attr.channel_fd updates a row where
 * it would write a record. It needs the fields that the table asks for, numbers of 1, 2,
 * 4 or 8 bytes with the same sign in all events of the table.
 *
 * With PEV_TABLE_COUNTED events write no records, have no period, and only count, as
 * without a table. What one has counted on a CPU since it was asked last is the value of
 * an update, with the key of the task that ran there: when that task leaves the CPU, renames
 * itself or is about to exec, when the event is switched off or reset, and when the table is
 * read. An update of 0 is left out. Keys are what stays the same meanwhile: PEV_TABLE_PID,
 * _TID, _COMM, _CPU, _CGROUP and _EVENT.
 *
 * A table with pairs has events with PEV_F_BEGIN, by which pairs begin, and others, by which
 * they end. One that ends updates a row if a pair with its key is open, and is unmatched
 * otherwise; the rows' keys and fields are those of the event that ends. One that begins
 * updates none: it opens a pair, in place of one with the same key if that is open, and of
 * the oldest one near it if there is no room.
 *
 * With PEV_TABLE_F_RECORDS an event that ends a pair of @least ns or more writes a record, too,
 * as it would with @channel_fd instead of the table: its sample and its fields are those of any
 * event, and its id is that of the channel. Rows have all pairs, long and short. The channel may
 * be closed before the table, and has then no reader. An event that ends pairs of keys with
 * PEV_TABLE_AT_BEGIN is opened after one that begins them, which says whether fields have a sign.
 */
struct pev_table {
	__u32	size;
	__u32	rows;
	__u32	nr_keys;
	__u32	value;
	struct pev_table_key keys[PEV_MAX_TABLE_KEYS];
	char	field[PEV_MAX_TABLE_NAME];
	__u32	flags;
	__u32	clock;
	__u32	frames;
	__u32	max_stack;
	__u32	open;
	__u32	nr_pair;
	struct pev_table_key begin[PEV_MAX_TABLE_KEYS];
	struct pev_table_key end[PEV_MAX_TABLE_KEYS];
	__u64	least;
	__s32	channel_fd;
	__u32	reserved;
};

#define PEV_TABLE_SIZE_VER0	416	/* up to max_stack */

/**
 * struct pev_table_row - a row of a table
 * @count: records that would have been written
 * @sum:   of their values, modulo 2^64
 * @min:   the least of them, or see PEV_TABLE_F_TIMES
 * @max:   the greatest
 * @key:   a word for each key in their order, but two for PEV_TABLE_COMM: 16 bytes of
 *         text, filled up with zeros; and for PEV_TABLE_REQUEST: the higher 64 bits and the
 *         lower, 0 without one; of a call chain, where it is in @stacks of struct
 *         pev_table_swap
 *
 * Numbers with a sign are extended to 64 bits. Rows of several CPUs may have the same
 * key, and so may, in rare cases, two of one CPU: a reader adds them up.
 */
struct pev_table_row {
	__u64	count;
	__u64	sum;
	__u64	min;
	__u64	max;
	__u64	key[];
};

/**
 * struct pev_table_sum - occurrences that share a fate
 * @count: how many
 * @sum:   of their values, modulo 2^64
 */
struct pev_table_sum {
	__u64	count;
	__u64	sum;
};

/**
 * struct pev_table_swap - PEV_IOC_TABLE_SWAP
 * @size:      in: bytes of this structure; out: bytes the kernel knows
 * @cpu:       whose table
 * @rows:      address of memory for @nr_rows rows of @row_size bytes, one behind the other
 * @nr_rows:   in: rows there is room for, at least as many as the table was opened with;
 *             out: rows that there are
 * @row_size:  bytes of struct pev_table_row with its keys; in: 0 or what it is
 * @stacks:    address of memory for @nr_words words; 0 if the table has no call chains
 * @nr_words:  in: room there, at least as many as the table's @frames;
 *             out: words that there are
 * @sign:      in: 0; out: bit n is set if key n has a sign, bit PEV_MAX_TABLE_KEYS if the value has
 * @generated: all that came, but for what begins a pair
 * @other:     of these, those that found no row left
 * @lost:      of these, those for which there was no memory to write the fields down, so
 *             that a field has no value and counts as 0
 * @filtered:  of these, those that the filter refused
 * @unmatched: of these, those that would end a pair of which none is open
 * @begun:     pairs that began on this CPU
 * @replaced:  of those that were open, these had the same key as one that began
 * @dropped:   of those that began or were open, these had no room left
 * @open:      pairs that are open now, of all CPUs
 * @recorded:  of the pairs that ended, these became records
 * @unrecorded: of the pairs that ended, these took as long, and found no room in the channel
 *
 * Gives what came since the last call, and begins again with an empty table, at one
 * moment of that CPU: nothing is told twice and nothing is left out. If it fails,
 * nothing is taken away. For each CPU, modulo 2^64, of counts and of sums:
 *
 *	generated = all rows + other + lost + filtered + unmatched
 *
 * and, of a table with pairs, for all CPUs and calls together, while nothing begins or ends:
 *
 *	begun = all rows + other + replaced + dropped + open
 *	all rows and other that took at least struct pev_table's @least = recorded + unrecorded
 *
 * A call chain is a word that says how many addresses follow, and these, innermost first.
 * The key of a row is the number of its first word, 0 of a chain without addresses. It
 * has a meaning in the memory that came with the row.
 */
struct pev_table_swap {
	__u32	size;
	__u32	cpu;
	__u64	rows;
	__u32	nr_rows;
	__u32	row_size;
	__u64	stacks;
	__u32	nr_words;
	__u32	sign;
	struct pev_table_sum generated;
	struct pev_table_sum other;
	struct pev_table_sum lost;
	struct pev_table_sum filtered;
	struct pev_table_sum unmatched;
	__u64	begun;
	__u64	replaced;
	__u64	dropped;
	__u64	open;
	__u64	recorded;
	__u64	unrecorded;
};

#define PEV_TABLE_SWAP_SIZE_VER0 104	/* up to filtered */

/**
 * enum pev_target - what an event is counted on, attr.target
 * @PEV_TARGET_NONE:    of channels and queries
 * @PEV_TARGET_TASK:    one thread, attr.target_id is its tid, 0 the caller
 * @PEV_TARGET_PROCESS: a process: all its present and future threads;
 *                      attr.target_id is its pid, 0 the caller's
 * @PEV_TARGET_SUBTREE: a process, its threads, and all their present and
 *                      future descendants, attached without a race
 * @PEV_TARGET_CPUS:    the CPUs in the mask at attr.cpus, whatever runs there;
 *                      no mask (attr.cpus_size 0): the whole machine,
 *                      including CPUs that come online later
 * @PEV_TARGET_CGROUP:  tasks of the cgroup v2 directory whose fd is
 *                      attr.target_id and of its descendants; a CPU mask may
 *                      narrow it
 * @PEV_TARGET_GUEST:   a virtual machine of KVM: what its guest does, and nothing else.
 *                      attr.target_id is the pid of the process that runs it, all of
 *                      whose present and future threads may be processors of the
 *                      guest. For timers and hardware counters; as if PEV_F_EXCLUDE_HOST
 *                      were set
 */
enum pev_target {
	PEV_TARGET_NONE		= 0,
	PEV_TARGET_TASK		= 1,
	PEV_TARGET_PROCESS	= 2,
	PEV_TARGET_SUBTREE	= 3,
	PEV_TARGET_CPUS		= 4,
	PEV_TARGET_CGROUP	= 5,
	PEV_TARGET_GUEST	= 6,

	/* private: not ABI */
	PEV_TARGET_MAX,
};

/* attr.flags of events */
#define PEV_F_DISABLED		(1ULL << 0)	/* open it switched off */
#define PEV_F_ENABLE_ON_EXEC	(1ULL << 1)	/* switch on at the target's next execve() */
#define PEV_F_FREQ		(1ULL << 2)	/* attr.period is a frequency in Hz */
#define PEV_F_EXCLUDE_USER	(1ULL << 3)	/* nothing from user mode */
#define PEV_F_EXCLUDE_KERNEL	(1ULL << 4)	/* nothing from kernel mode */
#define PEV_F_READ_GROUP	(1ULL << 5)	/* read() on a leader gives the group */
/* of hardware counters; refused where the processor can't tell them apart */
#define PEV_F_EXCLUDE_HV	(1ULL << 6)	/* nothing from the hypervisor */
/* of timers, too: see PEV_SAMPLE_GUEST */
#define PEV_F_EXCLUDE_HOST	(1ULL << 7)	/* guests only */
#define PEV_F_EXCLUDE_GUEST	(1ULL << 8)	/* nothing from guests */
#define PEV_F_PINNED		(1ULL << 9)	/* has a counter before all that is not pinned */
#define PEV_F_EXCLUSIVE		(1ULL << 10)	/* its group has the PMU for itself */
/* The processor tells tasks apart by a mark: no counter is touched at a switch */
#define PEV_F_MARKED		(1ULL << 11)	/* user mode only */
#define PEV_F_USER_PAGE		(1ULL << 12)	/* for mmap(): see struct pev_user_page */
/* Tracepoints of system calls: what their arguments point to, see struct pev_call_text */
#define PEV_F_TEXT		(1ULL << 13)
/* Begins a pair of its table: see struct pev_table */
#define PEV_F_BEGIN		(1ULL << 14)
/* With PEV_F_TEXT: structures, too, and what each is, see struct pev_call_structs */
#define PEV_F_STRUCTS		(1ULL << 15)
/* Triggers: when a record of it is due, the event acts on its channel, see enum pev_action */
#define PEV_F_START		(1ULL << 16)	/* the channel accepts records, this one first */
#define PEV_F_STOP		(1ULL << 17)	/* and none behind this one */
#define PEV_F_FREEZE		(1ULL << 18)	/* the same, until PEV_ACT_THAW */
/*
 * Of hardware counters that sample: how near a sample's address is to the instruction that it
 * is of, 1 to 3 as perf's precise_ip; 0: as the PMU's interrupt gives it. Counted by perf
 */
#define PEV_F_PRECISE(level)	((__u64)(level) << 62)
#define PEV_F_PRECISE_LEVEL(flags)	((unsigned int)((__u64)(flags) >> 62))
#define PEV_F_PRECISE_ALL	PEV_F_PRECISE(3)
#define PEV_F_ALL		(((1ULL << 19) - 1) | PEV_F_PRECISE_ALL)

/* attr.flags of channels */
#define PEV_CHF_OVERWRITE	(1ULL << 0)	/* flight recorder: newest data wins */
#define PEV_CHF_STOPPED		(1ULL << 1)	/* no record before PEV_ACT_START */
/*
 * Rings in memory that outlives a crash, see struct pev_crash; goes with PEV_CHF_OVERWRITE. One
 * channel at a time; ring_size 0: as large as there is room. Needs CAP_PERFMON
 */
#define PEV_CHF_PERSIST		(1ULL << 2)
/*
 * A panic prints its last records to the console, as many as kernel.pev_panic_records says; goes
 * with PEV_CHF_OVERWRITE. That of PEV_CHF_PERSIST is printed without it. At most PEV_MAX_PANIC
 * channels at a time. Needs CAP_PERFMON
 */
#define PEV_CHF_PANIC		(1ULL << 3)
#define PEV_CHF_ALL		((1ULL << 4) - 1)

#define PEV_MAX_PANIC		8

/* attr.clock of channels */
enum pev_clock {
	PEV_CLOCK_DEFAULT	= 0,	/* the best that this machine has */
	PEV_CLOCK_MONOTONIC	= 1,	/* ns, CLOCK_MONOTONIC's axis */
	PEV_CLOCK_CYCLES	= 2,	/* TSC or timebase, refused if unstable */

	PEV_CLOCK_MAX,			/* not ABI */
};

/*
 * attr.sample: what each record of an event carries in its context. The order
 * of this list is the order in the record; see struct pev_packet below.
 */
#define PEV_SAMPLE_TID		(1ULL << 0)	/* __u32 tid (costs no space) */
#define PEV_SAMPLE_PID		(1ULL << 1)	/* __u32 pid */
#define PEV_SAMPLE_IP		(1ULL << 2)	/* __u64 ip */
#define PEV_SAMPLE_ADDR		(1ULL << 3)	/* __u64 addr, 0 if there is none */
#define PEV_SAMPLE_PERIOD	(1ULL << 4)	/* __u64 period since the last record */
#define PEV_SAMPLE_CPU		(1ULL << 5)	/* __u64 cpu (the packet has it too) */
#define PEV_SAMPLE_KSTACK	(1ULL << 6)	/* kernel call chain */
#define PEV_SAMPLE_USTACK	(1ULL << 7)	/* user call chain, by frame pointers */
#define PEV_SAMPLE_UREGS	(1ULL << 8)	/* user registers, attr.regs_user */
#define PEV_SAMPLE_READ		(1ULL << 9)	/* values of the event's group on this CPU */
#define PEV_SAMPLE_USTACK_DUMP	(1ULL << 10)	/* bytes of the user stack */
#define PEV_SAMPLE_GUEST	(1ULL << 11)	/* __u64 guest, PEV_GUEST_*, behind cpu */
#define PEV_SAMPLE_CONTEXT	(1ULL << 12)	/* __u64 trace_high, _low, span: see below */
#define PEV_SAMPLE_PAIR		(1ULL << 13)	/* __u64 latency and more: see below */
#define PEV_SAMPLE_COOKIE	(1ULL << 14)	/* __u64 ustack_cookie: see below */
#define PEV_SAMPLE_EXIT		(1ULL << 15)	/* __u64 exit, behind guest: see below */
#define PEV_SAMPLE_ALL		((1ULL << 16) - 1)

/*
 * PEV_SAMPLE_GUEST says what a sample of a timer or hardware counter hit; all else happens in
 * the host. With it, or with PEV_F_EXCLUDE_HOST, the ip of a sample that hit a guest is the
 * guest's own, and the call chains are empty; otherwise the ip is where the host's kernel
 * took the interrupt. The thread that runs the guest's processor is tid, its process pid.
 * User and kernel mode, for PEV_F_EXCLUDE_USER and PEV_F_EXCLUDE_KERNEL, are then the guest's.
 */
#define PEV_GUEST_CODE		(1U << 0)	/* a guest; 0: the host */
#define PEV_GUEST_USER		(1U << 1)	/* of it: user mode; 0: its kernel */

/*
 * PEV_SAMPLE_EXIT says why the guest was left for which the host works: of a record of a thread
 * that runs a guest's processor, from the guest's end to its next entry, in KVM, in the VMM and
 * in interrupts meanwhile. The low 32 bits are the processor's own number, the upper ones
 * enum pev_exit_isa. 0: the host works for no guest, a guest was hit, the record is about
 * another thread than the one that runs, or the guest was left before there was an event that
 * asks. KVM's tracepoints tell it, so that each exit of each guest takes longer while there is
 * such an event; it needs CAP_PERFMON, and KVM to be loaded.
 */
#define PEV_EXIT_WORD(isa, reason)	((__u64)(isa) << 32 | (__u32)(reason))
#define PEV_EXIT_ISA(exit)	((__u32)((exit) >> 32))
#define PEV_EXIT_REASON(exit)	((__u32)(exit))

/**
 * enum pev_exit_isa - whose number a reason is
 * @PEV_EXIT_NONE:  there is none
 * @PEV_EXIT_VMX:   Intel's exit reason, all 32 bits
 * @PEV_EXIT_SVM:   AMD's EXITCODE
 * @PEV_EXIT_POWER: the vector of the interrupt that ended the guest; numbers of Linux's own
 *                  from 0x1980 on, and 0 where Linux does not say
 */
enum pev_exit_isa {
	PEV_EXIT_NONE	= 0,
	PEV_EXIT_VMX	= 1,
	PEV_EXIT_SVM	= 2,
	PEV_EXIT_POWER	= 3,
};

/*
 * PEV_SAMPLE_PAIR is for events that end pairs of a table with PEV_TABLE_F_RECORDS: the ns
 * since the pair began, and for each of the table's keys with PEV_TABLE_AT_BEGIN what the event
 * had that began it, without buckets: 16 bytes of text for a name, a word for all else. The
 * metadata calls them "begin_comm" and so on, and fields by their own name behind "begin_".
 */

/*
 * PEV_SAMPLE_COOKIE puts PEV_SAMPLE_USTACK, _UREGS and _USTACK_DUMP off, for an event that asks
 * for one of the stacks. Where an interrupt finds a thread in the kernel, and where a wait ends,
 * they are empty and ustack_cookie is not 0: a record of an event of PEV_TYPE_USTACK with that
 * cookie follows in the same channel, see struct pev_ustack_record. With ustack_cookie 0 the
 * record has what there is, as without PEV_SAMPLE_COOKIE: it hit user mode, or a thread without
 * one, or the thread itself came to the place, or it is of a trigger that stops or freezes the
 * channel, or no event of PEV_TYPE_USTACK in this channel counts the thread, or that has no room
 * for more threads.
 */

/**
 * struct pev_thread_context - for which request a thread works, as it says itself
 * @trace_id:   of the request, in the order of W3C's Trace Context; zeros: none
 * @span_id:    of the part of it
 * @valid:      1: it is whole; anything else: there is none, or it is being written
 * @reserved:   of who writes it
 * @attrs_size: bytes of attributes that follow, which the kernel does not look at
 *
 * It is the thread context record of OpenTelemetry (OTEP 4947). A thread makes the
 * address of its pointer known once, by PEV_TYPE_CONTEXT, and from then on changes the
 * pointer, or what it points to, as it goes from one request to the next: no call tells
 * the kernel, which looks when it writes a record with PEV_SAMPLE_CONTEXT. It finds the
 * identifiers as numbers: the first byte is the most significant. All three are 0 if
 * the thread made nothing known, the pointer is NULL, @valid is not 1, or what they point
 * to is not in memory at this moment; and if the record is about another thread than the
 * one that runs, or about a guest.
 *
 * The address belongs to the thread and its program: execve() and the thread's end make
 * the kernel forget it, and no new thread or process has one.
 */
struct pev_thread_context {
	__u8	trace_id[16];
	__u8	span_id[8];
	__u8	valid;
	__u8	reserved;
	__u16	attrs_size;
};

/* Limits, all refused with their range in the explanation. */
#define PEV_MAX_STACK		127	/* frames in each of the two call chains */
#define PEV_MAX_STACK_DUMP	32768	/* bytes of user stack in a record */
#define PEV_MIN_PACKET		4096	/* bytes */
#define PEV_MAX_PACKET		(1U << 20)
#define PEV_MIN_PACKETS		2	/* packets in a ring */
#define PEV_MAX_RING		(1ULL << 32)
#define PEV_MIN_TIMER_NS	10000	/* shortest timer period */
#define PEV_MAX_NAME		256	/* bytes of attr.name, NUL included */
#define PEV_MAX_FILTER		4096	/* bytes of a filter, NUL included */
#define PEV_MAX_CHANNEL_EVENTS	65536
#define PEV_MAX_GROUP		256	/* events in a group, the leader included */
/*
 * Events that count one task, with those of others. What takes longer at a switch counts as
 * several: timers as 32, hardware counters as 24, switches, waits, mappings and programs as 16,
 * names of tasks as 8, forks and exits as 5, and those whose counts go into a table as 16 more.
 * Twice as many for openers with CAP_PERFMON; of others moves between CPUs count as 128, and long
 * filters and records count, too. Documentation/userspace-api/pev.rst has all of it.
 */
#define PEV_MAX_TASK_EVENTS	768
#define PEV_MAX_CALL_TEXT	1024	/* bytes of a system call's texts in a record */
#define PEV_CALL_TEXT		256	/* most bytes of each, if attr.config is 0 */

/**
 * struct pev_refusal - why a call was refused
 * @error: positive errno, the same that the call returned
 * @field: byte offset in the structure that was passed, ~0U if no single field
 *         is to blame
 * @min:   with @max, the range that would have been accepted; both are 0 where
 *         no range applies
 * @max:   see @min
 * @text:  one NUL-terminated English sentence for people
 *
 * The caller passes its address in the refusal member and the size of the
 * whole buffer (header and text) in refusal_size; 0 for none. At success
 * nothing is written. The text is cut to fit.
 */
struct pev_refusal {
	__u32	error;
	__u32	field;
	__u64	min;
	__u64	max;
	char	text[];
};

/**
 * struct pev_attr - the argument of pev_open()
 * @type:         enum pev_type
 * @target:       enum pev_target; PEV_TARGET_NONE unless this is an event
 * @flags:        PEV_F_* of an event, PEV_CHF_* of a channel
 * @sample:       PEV_SAMPLE_*; needs a channel
 * @config:       by @type; with PEV_F_TEXT the most bytes of each text, 0:
 *                PEV_CALL_TEXT; of PEV_TYPE_PROBE, PEV_TYPE_TABLE, PEV_TYPE_PRODUCER and
 *                PEV_TYPE_CONTEXT an address; else 0
 * @config1:      of PEV_TYPE_RAW, where the PMU has events that need more than
 *                one word: the second one
 * @config2:      the third one
 * @pmu:          of PEV_TYPE_RAW: which PMU, by the number that perf gives it; 0: that of
 *                the processor's cores. What a whole socket or device counts goes with
 *                PEV_TARGET_CPUS only, and is counted on one CPU of those that share it
 * @reserved:     0
 * @name:         address of the NUL-terminated event name, where @type has one, or that
 *                of a PEV_TYPE_CLIENT
 * @filter:       address of a NUL-terminated filter expression in the kernel's
 *                trace-event syntax, for tracepoints, markers, probes, software
 *                events and timers; 0: none
 * @period:       records are made for each @period-th occurrence; ns for
 *                timers; Hz with PEV_F_FREQ. 0 for what only counts, 0 or 1
 *                for sideband events, at least 1 otherwise; timers always
 *                need one. Of waits the ns below which they are only summed up,
 *                0: none are
 * @channel_fd:   the channel that takes the records, or the table in which they are
 *                counted; -1 to count only
 * @group_fd:     an event that becomes this event's group leader, -1 for none
 * @target_id:    tid, pid or cgroup directory fd, by @target
 * @cpus_size:    bytes at @cpus, a multiple of 8, at most a page; 0: all CPUs
 * @cpus:         address of an array of __u64, bit n%64 of word n/64 is CPU n
 * @regs_user:    registers for PEV_SAMPLE_UREGS, a mask of the numbers in
 *                asm/perf_regs.h
 * @stack_user:   bytes for PEV_SAMPLE_USTACK_DUMP, a multiple of 8
 * @max_stack:    frames for PEV_SAMPLE_KSTACK and _USTACK, each; 0: the maximum
 * @ring_size:    channel: bytes of each ring, a power of two
 * @packet_size:  channel: bytes of a packet, a power of two; 0: chosen
 * @watermark:    channel: bytes unread in one ring that wake poll(); 0: one packet
 * @flush_ms:     channel: close partial packets at least so often; 0: never
 * @clock:        channel: enum pev_clock
 * @refusal:      address of a struct pev_refusal, 0 for none
 * @info:         address of a struct pev_info, for PEV_TYPE_INFO
 * @refusal_size: bytes at @refusal
 * @info_size:    bytes at @info; the kernel writes at most so many
 *
 * Members that have no meaning for @type must be 0 (fds: 0 or -1).
 */
struct pev_attr {
	__u32	type;
	__u32	target;
	__u64	flags;
	__u64	sample;
	__u64	config;
	__u64	config1;
	__u64	config2;
	__u32	pmu;
	__u32	reserved;
	__u64	name;
	__u64	filter;
	__u64	period;
	__s32	channel_fd;
	__s32	group_fd;
	__s32	target_id;
	__u32	cpus_size;
	__u64	cpus;
	__u64	regs_user;
	__u32	stack_user;
	__u32	max_stack;
	__u64	ring_size;
	__u32	packet_size;
	__u32	watermark;
	__u32	flush_ms;
	__u32	clock;
	__u64	refusal;
	__u64	info;
	__u32	refusal_size;
	__u32	info_size;
};

#define PEV_ATTR_SIZE_VER0	168	/* the first published structure */

/**
 * struct pev_info - what this kernel and machine can do; any user may ask
 * @size:        bytes that this kernel knows of this structure
 * @abi_version: PEV_ABI_VERSION of the running kernel
 * @types:       mask of 1 << enum pev_type
 * @software:    mask of 1 << enum pev_software that this machine can count
 * @event_flags: PEV_F_* understood
 * @sample:      PEV_SAMPLE_* that this machine can give
 * @regs_user:   registers that PEV_SAMPLE_UREGS accepts
 * @channel_flags: PEV_CHF_* understood
 * @targets:     mask of 1 << enum pev_target
 * @clock:       what PEV_CLOCK_DEFAULT means here
 * @paranoid:    the stricter of kernel.pev_paranoid and kernel.perf_event_paranoid
 * @clock_freq:  Hz of that clock
 * @nr_tracepoints: tracepoints that can be opened now
 * @nr_markers:  markers that can be opened now
 * @hardware:    mask of 1 << enum pev_hardware that this processor can count
 * @pmu_counters: counters of each CPU in PMU 0, 0: no PMU that pev can drive
 * @pmu_features: PEV_PMU_*
 * @pmu:         name of PMU 0
 * @nr_cpus:     CPUs are numbered below this: elements that PEV_IOC_READ_CPUS
 *               fills, bits that attr.cpus may have
 * @reserved:    0
 */
struct pev_info {
	__u32	size;
	__u32	abi_version;
	__u64	types;
	__u64	software;
	__u64	event_flags;
	__u64	sample;
	__u64	regs_user;
	__u64	channel_flags;
	__u64	targets;
	__u32	clock;
	__s32	paranoid;
	__u64	clock_freq;
	__u32	nr_tracepoints;
	__u32	nr_markers;
	__u64	hardware;
	__u32	pmu_counters;
	__u32	pmu_features;
	char	pmu[48];
	__u32	nr_cpus;
	__u32	reserved;
};

/* pev_info.pmu_features */
#define PEV_PMU_FREEZES		(1U << 0)	/* counters stop at the overflow itself */
#define PEV_PMU_USER_READS	(1U << 1)	/* user space can read counters */
#define PEV_PMU_MARKS		(1U << 2)	/* PEV_F_MARKED works */

/**
 * struct pev_value - what read() on an event gives
 * @value:        occurrences that passed the filter (ns for clocks)
 * @time_enabled: ns that the event was switched on and its target was running;
 *                with PEV_F_MARKED, that it was switched on, of all CPUs
 * @time_running: ns of these that it really counted
 * @lost:         records that found no room in the ring
 * @filtered:     occurrences that the filter refused
 * @samples:      records written
 *
 * read() on an event gives one of these; on a group leader that was opened with
 * PEV_F_READ_GROUP, one for the leader and one for each member in the order
 * they joined. A buffer that is too small is -ENOSPC.
 *
 * For each event, at any moment when it is switched off and its period is 1:
 * value = samples + lost, and what happened = value + filtered. In a channel that was
 * stopped or frozen at times, value has what came then, too: see struct pev_counts.
 */
struct pev_value {
	__u64	value;
	__u64	time_enabled;
	__u64	time_running;
	__u64	lost;
	__u64	filtered;
	__u64	samples;
};

/**
 * struct pev_waits - what read() on an event of PEV_TYPE_WAIT gives behind struct pev_value
 * @enabled:      ns that the event was on, summed over the threads of the target: from
 *                when each was attached or made to its exit, or to now
 * @run:          of these, ns that they ran
 * @blocked:      ns that they were blocked
 * @runnable:     ns that they could have run, and had no CPU
 * @folded:       ns of waits that took less than attr.period
 * @waits:        waits that took as long, and ended
 * @folded_waits: the others that ended
 * @threads:      threads that are followed now
 * @unfollowed:   threads that are not, because there was no memory
 *
 * A wait begins when a thread leaves its CPU and ends when it has one again: it is
 * blocked until something wakes it, and then runnable; or runnable from the beginning,
 * if it had to give its CPU to another thread, or is new. At any moment, to the ns,
 *
 *	enabled = run + blocked + runnable + folded
 *
 * for each thread and so for all of them. A wait that has not ended counts as what it
 * was until now. A buffer that has no room for both structures gets the first one.
 */
struct pev_waits {
	__u64	enabled;
	__u64	run;
	__u64	blocked;
	__u64	runnable;
	__u64	folded;
	__u64	waits;
	__u64	folded_waits;
	__u64	threads;
	__u64	unfollowed;
};

/* state of struct pev_wait_record: why the thread left its CPU */
enum pev_wait_state {
	PEV_WAIT_PREEMPTED	= 0,	/* it did not want to */
	PEV_WAIT_SLEEPING	= 1,	/* a signal would end it */
	PEV_WAIT_DISK		= 2,	/* no signal ends it but, perhaps, a fatal one */
	PEV_WAIT_STOPPED	= 3,	/* by a signal */
	PEV_WAIT_TRACED		= 4,	/* by its debugger */
	PEV_WAIT_IDLE		= 5,	/* a thread of the kernel with nothing to do */
	PEV_WAIT_NEW		= 6,	/* it had never run */
	PEV_WAIT_FROZEN		= 7,	/* by the freezer of a cgroup or of a suspend */

	PEV_WAIT_STATE_MAX,		/* not ABI */
};

/* waker of struct pev_wait_record: what ended the blocked part */
enum pev_waker {
	PEV_WAKER_NONE		= 0,	/* there was none */
	PEV_WAKER_THREAD	= 1,	/* a thread of a process */
	PEV_WAKER_KTHREAD	= 2,	/* a thread of the kernel */
	PEV_WAKER_SOFTIRQ	= 3,	/* a soft interrupt, as timers and the network have */
	PEV_WAKER_INTERRUPT	= 4,
	PEV_WAKER_UNSEEN	= 5,	/* it was not noticed */

	PEV_WAKER_MAX,			/* not ABI */
};

/* flags of struct pev_wait_record */
#define PEV_WAIT_IO		(1U << 0)	/* it counts as waiting for a device */
#define PEV_WAIT_LATE		(1U << 1)	/* the program's stack is of a later moment */
#define PEV_WAIT_OPEN		(1U << 2)	/* no wait has ended: it is for the sums' sake */
#define PEV_WAIT_ENDED		(1U << 3)	/* the thread is followed no longer */

#define PEV_WAKER_FRAMES	12

/**
 * struct pev_wait_record - payload of a record of PEV_TYPE_WAIT
 * @blocked:    ns
 * @runnable:   ns behind them
 * @state:      enum pev_wait_state
 * @waker:      enum pev_waker
 * @flags:      PEV_WAIT_*
 * @frames:     of @stack
 * @waker_pid:  of a waker that is a thread
 * @waker_tid:  of the same
 * @waker_comm: its name, not always ended by a NUL
 * @enabled:    ns that the thread was followed so far while the event was on
 * @run:        of these, ns that it ran
 * @folded:     ns of waits that took less than attr.period
 * @stack:      with PEV_SAMPLE_KSTACK only: where in the kernel the waker was, the
 *              innermost frame first, if the blocked part alone took long enough
 *
 * It is written when the wait ends, with the time, the tid and the stacks of the thread
 * that waited. What is told of a waker beyond its kind is 0 if the event's opener may
 * not trace it.
 *
 * One more is written when the thread ends, with PEV_WAIT_OPEN and PEV_WAIT_ENDED, and one
 * at PEV_IOC_FLUSH for each thread that is followed, with PEV_WAIT_OPEN: @blocked and
 * @runnable are of the wait that the thread is in, as it was until then, and 0 if it runs or
 * was not kept for attr.period yet; there are no stacks. So, for each thread, to the ns,
 *
 *	enabled = run + folded + blocked and runnable of all its records
 *
 * of which those with PEV_WAIT_OPEN count for themselves alone: the record of the wait, when
 * it ends, has what they had. What is missing was in records that were lost.
 */
struct pev_wait_record {
	__u64	blocked;
	__u64	runnable;
	__u32	state;
	__u32	waker;
	__u32	flags;
	__u32	frames;
	__u32	waker_pid;
	__u32	waker_tid;
	char	waker_comm[16];
	__u64	enabled;
	__u64	run;
	__u64	folded;
	__u64	stack[PEV_WAKER_FRAMES];
};

/* missing of struct pev_ustack_record: why there is no stack */
enum pev_missing {
	PEV_MISSING_NOTHING	= 0,	/* there is one */
	PEV_MISSING_EXEC	= 1,	/* another program has taken its place */
	PEV_MISSING_MEMORY	= 2,	/* the thread has ended */

	PEV_MISSING_MAX,		/* not ABI */
};

/**
 * struct pev_ustack_record - payload of a record of PEV_TYPE_USTACK
 * @cookie:  of the records whose user's stack this is, all of one thread
 * @missing: enum pev_missing; the stacks and registers are empty if it is not 0
 * @records: with that cookie that were written
 *
 * The event's own attr.sample says what is told: PEV_SAMPLE_USTACK, _USTACK_DUMP, _UREGS. A thread
 * has one cookie at a time for all events of the channel, from the first record that wants its
 * stack until it returns to user mode, handles a signal, executes a program or ends. Each
 * cookie has one record, or is counted in lost of struct pev_value: where there was no room for
 * it, the event did not count the thread any more, or its opener may not see it any more.
 *
 * PEV_IOC_FLUSH on the event counts as lost what threads have not told yet, which those that
 * sleep in the kernel may never do: behind it, and while the events of the channel are off, its
 * value is the number of cookies.
 */
struct pev_ustack_record {
	__u64	cookie;
	__u32	missing;
	__u32	records;
};

/**
 * struct pev_multiplexed - PEV_IOC_READ_MULTIPLEXED, of hardware events and timers
 * @size:         in: bytes of this structure; out: bytes the kernel knows
 * @reserved:     0
 * @windows:      turns on a counter that the event has had while others had to wait
 * @value:        as in struct pev_value
 * @time_enabled: as in struct pev_value
 * @time_running: as in struct pev_value
 * @throttled:    times that sampling was held up because it came too fast
 * @throttled_ns: for how long; not part of @time_running
 * @windows_ns:   time of the windows
 * @pairs:        windows in @sum_first
 * @triples:      windows in @sum_second
 * @ends:         gaps that are estimated by the window at one side only
 * @blind_ns:     time on CPUs on which the event had no window yet
 * @sum_gaps:     what was missed in the gaps between windows, twice, in parts of 2^40
 * @sum_first:    sum of squares of differences between windows, see below
 * @sum_second:   sum of squares of second differences
 * @sum_fourth:   sum of the squares of what was added to @sum_second; each sum is the low,
 *                then the high 64 bits, and stays at the largest value if it gets there
 *
 * While there are more events than counters they are multiplexed. In the gap of g ns between two
 * windows in which the rates were r and r', it would have counted about g * (r + r') / 2:
 *
 *	estimate = value + sum_gaps / 2^41
 *
 * With a the ns from the middle of a window to that of the one before it, g the gap between
 * them, and d the difference of their rates, and a', g' and d' those of the window before,
 * windows add
 *
 *	g a d^2				to sum_first, in parts of 2^16
 *	(g a + g' a') (d - d')^2	to sum_second, in parts of 2^16
 *	the square of that		to sum_fourth
 *
 * pev_multiplexed_estimate(3) makes a bound for the error of it. All members are sums over
 * CPUs, each of which has windows of its own; the current one is not in the sums until it ends.
 */
struct pev_multiplexed {
	__u32	size;
	__u32	reserved;
	__u64	windows;
	__u64	value;
	__u64	time_enabled;
	__u64	time_running;
	__u64	throttled;
	__u64	throttled_ns;
	__u64	windows_ns;
	__u64	pairs;
	__u64	triples;
	__u64	ends;
	__u64	blind_ns;
	__u64	sum_gaps[2];
	__u64	sum_first[2];
	__u64	sum_second[2];
	__u64	sum_fourth[2];
};

/**
 * struct pev_user_page - a hardware counter for its own task to read
 * @version:  PEV_ABI_VERSION
 * @seq:      changes with every change of the page; odd: it is changing
 * @counter:  number of the counter plus 1, for rdpmc or as SPR; 0: there is
 *            none now: call read()
 * @cpu:      where the task has it; of use only there
 * @shift:    64 less the counter's width
 * @partial:  not 0: the event had to wait for a counter at times, and the value
 *            lacks what happened then; read() gives the times to scale it
 * @start:    the counter when the page last changed
 * @base:     the event's value at that time, see below
 *
 * mmap() of one page at offset 0 of an event fd, read-only, for hardware
 * events on one task (PEV_TARGET_TASK) that were opened with PEV_F_USER_PAGE.
 * The task reads:
 *
 *	do {
 *		seq = READ_ONCE(page->seq);		// G, pairs with H
 *		counter = page->counter;
 *		if (!counter || page->cpu != this CPU)
 *			return by read();
 *		value = rdpmc(counter - 1) - page->start;
 *		value = page->base + (value << page->shift >> page->shift);
 *	} while (READ_ONCE(page->seq) != seq || seq & 1);
 *
 * "This CPU" is cpu_id of struct rseq, read after @seq. Another task that
 * maps the page never takes what it finds in its own CPU's register for the
 * counter: while it runs on @cpu, the owner does not, and the page says 0.
 */
struct pev_user_page {
	__u32	version;
	__u32	seq;
	__u32	counter;
	__u32	cpu;
	__u32	shift;
	__u32	partial;
	__u64	start;
	__u64	base;
};

/**
 * struct pev_counts - PEV_IOC_READ_COUNTS: where the occurrences of an event went
 * @size:     in: bytes of this structure; out: bytes the kernel knows
 * @reserved: 0
 * @value:    as in struct pev_value
 * @samples:  as in struct pev_value
 * @lost:     as in struct pev_value
 * @filtered: as in struct pev_value
 * @unarmed:  records that were due while the channel was stopped or frozen
 * @fired:    of a trigger: times that a record was due
 * @acted:    of these, times that it changed the state of the channel
 *
 * With a period of 1, as for struct pev_value, value = samples + lost + unarmed.
 */
struct pev_counts {
	__u32	size;
	__u32	reserved;
	__u64	value;
	__u64	samples;
	__u64	lost;
	__u64	filtered;
	__u64	unarmed;
	__u64	fired;
	__u64	acted;
};

/* state of struct pev_channel_state: records are accepted while no bit is set */
#define PEV_STATE_STOPPED	(1U << 0)
#define PEV_STATE_FROZEN	(1U << 1)

/**
 * enum pev_action - argument of PEV_IOC_ACT, and what triggers do
 * @PEV_ACT_START:  stopped no more; a frozen channel stays frozen
 * @PEV_ACT_STOP:   stopped, also behind a thaw
 * @PEV_ACT_FREEZE: frozen, unless stopped
 * @PEV_ACT_THAW:   frozen no more
 *
 * Closed, that is stopped or frozen, a channel keeps what it has, also in overwrite mode.
 * Records that are due meanwhile are counted, see struct pev_counts. The CPU that closes it
 * writes none from then on; others end those that they have begun, and learn of it by an
 * interrupt of that CPU. PEV_IOC_SNAPSHOT waits for both.
 */
enum pev_action {
	PEV_ACT_START		= 1,
	PEV_ACT_STOP		= 2,
	PEV_ACT_FREEZE		= 3,
	PEV_ACT_THAW		= 4,

	/* private: not ABI */
	PEV_ACT_MAX,
};

/**
 * struct pev_channel_state - PEV_IOC_CHANNEL_STATE
 * @size:    in: bytes of this structure; out: bytes the kernel knows
 * @state:   PEV_STATE_*
 * @starts:  times that a trigger started the channel
 * @stops:   times that one stopped it
 * @freezes: times that one froze it
 *
 * From each of these until the call, poll() on the channel tells POLLPRI.
 */
struct pev_channel_state {
	__u32	size;
	__u32	state;
	__u64	starts;
	__u64	stops;
	__u64	freezes;
};

/* ioctl()s. "group" as argument applies to the leader and all its members. */
#define PEV_IOC_MAGIC		0xb9
#define PEV_IOF_GROUP		1U

/**
 * struct pev_id - PEV_IOC_ID: which event wrote a record, and how long it is
 * @size:         in: bytes of this structure; out: bytes the kernel knows
 * @stream_id:    class of the streams that have the event's records
 * @id:           of the event in these records and in the metadata, or in its table
 * @channel:      number of the channel, unique since boot; 0: counts only, or in a
 *                table, and what follows is 0
 * @sample:       PEV_SAMPLE_* that the records carry
 * @varying:      those of @sample that differ in size from record to record
 * @fixed_size:   bytes behind the record's header of all that comes before the
 *                parts of @varying: tid, and the rest of the context
 * @payload_size: bytes of the payload's fixed part
 * @lengths:      in: address of an array of __u16, 0: none
 * @nr_lengths:   in: elements there is room for; out: elements that there are,
 *                which may be more: those that had room were written
 * @reserved:     0
 *
 * A record that begins at p, with a header of h bytes (4 or 12), ends where this
 * does, rounded up to a multiple of 8:
 *
 *	p += h + fixed_size;
 *	if (varying & (PEV_SAMPLE_KSTACK | PEV_SAMPLE_USTACK))
 *		p += 8 + 8 * (((__u32 *)p)[0] + ((__u32 *)p)[1]);
 *	if (varying & PEV_SAMPLE_UREGS)
 *		p += 8 + 8 * *(__u64 *)p;
 *	if (varying & PEV_SAMPLE_READ)
 *		p += 8 + 8 * *(__u64 *)p;
 *	if (varying & PEV_SAMPLE_USTACK_DUMP)
 *		p += 8 + *(__u64 *)p;
 *	payload = p;
 *	p += payload_size;
 *	for (i = 0; i < nr_lengths; i++)
 *		p += *(__u16 *)(payload + lengths[i]);
 *
 * Where @varying and @nr_lengths are 0 all records of the event have the same
 * size, but for the header's. A bit of @varying that a reader does not know
 * means that it cannot find the next record.
 */
struct pev_id {
	__u32	size;
	__u32	stream_id;
	__u64	id;
	__u64	channel;
	__u64	sample;
	__u64	varying;
	__u32	fixed_size;
	__u32	payload_size;
	__u64	lengths;
	__u32	nr_lengths;
	__u32	reserved;
};

/**
 * struct pev_filter_arg - PEV_IOC_FILTER
 * @filter:       address of the NUL-terminated expression; 0 removes the filter
 * @refusal:      as in struct pev_attr
 * @refusal_size: as in struct pev_attr
 * @flags:        0 or PEV_IOF_GROUP
 *
 * On a group or a channel, events that have no fields are passed over. Of up to
 * PEV_MAX_GROUP events at a time all get it or, if one of them refuses, none.
 */
struct pev_filter_arg {
	__u64	filter;
	__u64	refusal;
	__u32	refusal_size;
	__u32	flags;
};

/**
 * struct pev_cpu_values - PEV_IOC_READ_CPUS
 * @values: address of an array of struct pev_value, indexed by CPU
 * @nr:     in: elements there is room for; out: elements that exist
 * @reserved: 0
 *
 * -ENOSPC with @nr set if there is not room for every possible CPU.
 */
struct pev_cpu_values {
	__u64	values;
	__u32	nr;
	__u32	reserved;
};

/**
 * struct pev_span - a part of one ring
 * @begin: first byte, a position that only grows
 * @end:   one past the last byte
 */
struct pev_span {
	__u64	begin;
	__u64	end;
};

/**
 * struct pev_snapshot_arg - PEV_IOC_SNAPSHOT
 * @spans: address of an array of struct pev_span, indexed by ring number
 * @nr:    in: elements there is room for; out: elements that exist
 * @reserved: 0
 *
 * Closes the open packets, so that all that happened before the call lies in
 * complete packets, and reports what each ring holds at that moment.
 */
struct pev_snapshot_arg {
	__u64	spans;
	__u32	nr;
	__u32	reserved;
};

/**
 * struct pev_channel_info - PEV_IOC_CHANNEL_INFO
 * @size:          in: bytes of this structure; out: bytes the kernel knows
 * @nr_rings:      rings are numbered 0 .. @nr_rings - 1; it may grow, a ring
 *                 keeps its number
 * @ring_size:     bytes of a ring's data
 * @packet_size:   bytes of a packet
 * @watermark:     bytes unread that wake poll()
 * @mmap_stride:   distance of two rings in the fd's offsets
 * @mmap_user:     offset in a ring's part of the consumer's page
 * @mmap_data:     offset in a ring's part of the data
 * @clock:         enum pev_clock, never PEV_CLOCK_DEFAULT
 * @flags:         PEV_CHF_*
 * @clock_freq:    Hz
 * @clock_offset_s: time of the clock's zero since the epoch, whole seconds
 * @clock_offset:  the rest of that time, in ticks of the clock
 * @metadata_size: bytes that read() on the channel gives now; it only grows
 * @id:            number of the channel, unique since boot
 * @uuid:          UUID of the trace
 *
 * Ring n is mapped by three mmap() calls (or, for reading only, one) at offset
 * n * @mmap_stride: one page with struct pev_ring_kernel, read-only; at
 * + @mmap_user one page with struct pev_ring_user; at + @mmap_data the data,
 * read-only. -ENXIO for a ring that has no memory yet, as that of a CPU that was
 * never online. Which CPU a ring belongs to, if to any, is in its first page:
 * the number does not say it.
 */
struct pev_channel_info {
	__u32	size;
	__u32	nr_rings;
	__u64	ring_size;
	__u32	packet_size;
	__u32	watermark;
	__u64	mmap_stride;
	__u64	mmap_user;
	__u64	mmap_data;
	__u32	clock;
	__u32	flags;
	__u64	clock_freq;
	__u64	clock_offset_s;
	__u64	clock_offset;
	__u64	metadata_size;
	__u64	id;
	__u8	uuid[16];
};

/*
 * On events; on a channel: all its events at once. The argument of the first
 * three is 0 or PEV_IOF_GROUP. Sideband events, waits, stacks that come later and what
 * only counts keep the period they have when that of a channel or group is changed.
 */
#define PEV_IOC_ENABLE		_IO(PEV_IOC_MAGIC, 0)
#define PEV_IOC_DISABLE		_IO(PEV_IOC_MAGIC, 1)
#define PEV_IOC_RESET		_IO(PEV_IOC_MAGIC, 2)
#define PEV_IOC_PERIOD		_IOW(PEV_IOC_MAGIC, 3, __u64)
#define PEV_IOC_GROUP_PERIOD	_IOW(PEV_IOC_MAGIC, 10, __u64)
#define PEV_IOC_FILTER		_IOW(PEV_IOC_MAGIC, 4, struct pev_filter_arg)
/*
 * On events. A structure that begins with its size may grow: the number of its
 * ioctl has the size of that member, and stays the same.
 */
#define PEV_IOC_ID		_IOWR(PEV_IOC_MAGIC, 5, __u32)
#define PEV_IOC_READ_CPUS	_IOWR(PEV_IOC_MAGIC, 6, struct pev_cpu_values)
#define PEV_IOC_READ_MULTIPLEXED _IOWR(PEV_IOC_MAGIC, 11, __u32)
#define PEV_IOC_READ_COUNTS	_IOWR(PEV_IOC_MAGIC, 16, __u32)
/* On tables */
#define PEV_IOC_TABLE_SWAP	_IOWR(PEV_IOC_MAGIC, 12, __u32)
/*
 * On channels; the argument of FLUSH is 0. FLUSH on an event of PEV_TYPE_WAIT writes a record
 * for each thread, see struct pev_wait_record: some at a time, and returns 1 while there
 * are more. On one of PEV_TYPE_USTACK it ends what threads owe, see struct pev_ustack_record.
 */
#define PEV_IOC_FLUSH		_IO(PEV_IOC_MAGIC, 7)
#define PEV_IOC_SNAPSHOT	_IOWR(PEV_IOC_MAGIC, 8, struct pev_snapshot_arg)
#define PEV_IOC_CHANNEL_INFO	_IOWR(PEV_IOC_MAGIC, 9, __u32)
#define PEV_IOC_CHANNEL_STATE	_IOWR(PEV_IOC_MAGIC, 14, __u32)
#define PEV_IOC_ACT		_IO(PEV_IOC_MAGIC, 15)	/* the argument is enum pev_action */

/**
 * struct pev_open_arg - PEV_IOC_OPEN: pev_open(2) by a device
 * @attr:  address of a struct pev_attr
 * @size:  bytes of that structure
 * @flags: PEV_OPEN_*
 *
 * A kernel that has pev as a module has no system call for it, but a character
 * device. This ioctl of it is the same call: it returns what pev_open() returns,
 * and refuses what pev_open() refuses. Opening the device takes no right.
 */
struct pev_open_arg {
	__u64	attr;
	__u32	size;
	__u32	flags;
};

#define PEV_DEVICE		"/dev/pev"
#define PEV_IOC_OPEN		_IOW(PEV_IOC_MAGIC, 0x20, struct pev_open_arg)

/*
 * The ring.
 *
 * Positions are byte counts that start at 0 and only grow; the byte at position
 * p lies at data[p % ring_size]. The ring is a sequence of packets of fixed
 * size; packet k occupies positions [k * packet_size, (k + 1) * packet_size).
 *
 * Discard mode. The consumer does, for one ring:
 *
 *	head = load_acquire(&kernel->head);		// B, pairs with A
 *	... read [user->tail, head) in place ...
 *	store_release(&user->tail, new_tail);		// C, pairs with D
 *
 * and the kernel:
 *
 *	write records; store_release(&kernel->head);	// A
 *	load_acquire(&user->tail); reuse the space;	// D
 *
 * A packet that ends at or before head is complete and its header is final.
 * The last one may be open: its records up to head are readable, its
 * content_size, timestamp_end and events_discarded are not final yet. The
 * kernel reuses whole packets only: a tail inside a packet keeps that packet.
 * A tail that moves backwards or beyond head is ignored.
 *
 * Overwrite mode. The kernel ignores the tail. Copy a packet at position p,
 * then check that it was not overrun meanwhile:
 *
 *	copy; load-load barrier;			// E, pairs with F
 *	valid = READ_ONCE(kernel->oldest) <= p;
 */

/**
 * struct pev_ring_kernel - first page of a ring, written by the kernel
 * @version:     PEV_ABI_VERSION
 * @ring:        number of the ring in its channel
 * @ring_size:   bytes of data
 * @packet_size: bytes of a packet
 * @clock:       enum pev_clock of the channel: a program that stamps its own
 *               events on the same axis reads the TSC or timebase
 *               (PEV_CLOCK_CYCLES) or CLOCK_MONOTONIC
 * @clock_freq:  Hz of the clock
 * @stream_id:   class of its packets: the stream in the metadata
 * @cpu:         CPU that writes it, -1 for a ring that belongs to no CPU
 * @clock_shift: what records add to the counter, in ticks: not 0 if it was set
 *               back since the channel was created, see pev.rst
 * @reserved:    0
 * @head:        end of what may be read
 * @oldest:      overwrite mode: data before it may be gone
 * @lost:        records that found no room
 */
struct pev_ring_kernel {
	__u32	version;
	__u32	ring;
	__u64	ring_size;
	__u32	packet_size;
	__u32	clock;
	__u64	clock_freq;
	__u32	stream_id;
	__s32	cpu;
	__u64	clock_shift;
	__u64	reserved[2];
	/* written often, on a cache line of its own */
	__u64	head;
	__u64	oldest;
	__u64	lost;
};

/**
 * struct pev_ring_user - second page of a ring, written by the consumer
 * @tail: everything before it may be overwritten
 */
struct pev_ring_user {
	__u64	tail;
};

/*
 * Packets are CTF 1.8 packets in the byte order of the machine, and the
 * channel's metadata describes them in full; what follows says the same for
 * readers that know no CTF.
 *
 * A packet is struct pev_packet followed by records up to content_size bits.
 * Each record starts at a multiple of 8 bytes from the start of the packet:
 *
 *	__u32 word;	// low 5 bits: id, high 27: time
 *	// or: low 5 bits: PEV_ID_EXTENDED, high 27: id, and then
 *	[ __u64 time; ]	// at a multiple of 4, not of 8
 *	__u32 tid;	// 0 without PEV_SAMPLE_TID
 *	... context, as asked by attr.sample, in the order of its bits:
 *	[ __u32 pid; ] then, aligned to 8,
 *	[ __u64 ip; ] [ __u64 addr; ] [ __u64 period; ] [ __u64 cpu; ] [ __u64 guest; ]
 *	[ __u64 trace_high, trace_low, span; ] [ __u64 latency, begin_...; ]
 *	[ __u64 ustack_cookie; ]
 *	[ __u32 kstack_len, ustack_len; __u64 kstack[], ustack[]; ]
 *	[ __u64 uregs_len; __u64 uregs[]; ]
 *	[ __u64 values_len; __u64 values[]; ]
 *	[ __u64 dump_len; __u8 dump[]; ]
 *	... payload, aligned to 8
 *
 * The pair kstack_len, ustack_len is there if either call chain was asked for.
 * Frames are ordered from the innermost outwards. uregs_len is 0 where there
 * are no user registers (kernel threads). values are those of the group, the
 * leader's first, as counted on this CPU. dump_len is a multiple of 8.
 *
 * 27 bits of time are the low bits of the clock; a record that follows the
 * previous one (or the start of the packet) by 2^27 ticks or more has the
 * extended form.
 *
 * The payload of a tracepoint is the kernel's own trace event without its
 * first 8 bytes (the common fields): offsets in __data_loc words count from 8
 * bytes before the payload.
 */
#define PEV_PACKET_MAGIC	0xc1fc1fc1U
#define PEV_ID_EXTENDED		31U
#define PEV_ID_BITS		5
#define PEV_TIME_BITS		27
#define PEV_STREAM_USER		(1ULL << 32)	/* no ring has this number or a higher one */

/**
 * struct pev_packet - header and context of a packet
 * @magic:     PEV_PACKET_MAGIC
 * @uuid:      of the trace, as in the metadata
 * @stream_id: class of the stream; the kernel writes class 0
 * @stream_instance_id: number of the ring in its channel. Packets that user space
 *             adds to a trace count from PEV_STREAM_USER
 * @timestamp_begin: time of the first record or earlier
 * @timestamp_end:   time of the last record or later
 * @content_size:    bits of header and records
 * @packet_size:     bits of the whole packet
 * @events_discarded: records lost in this ring since the start, up to the end of
 *             this packet; only grows
 * @packet_seq_num:  number of the packet in this ring
 * @cpu_id:    CPU, ~0U if there is none
 * @reserved:  0; with PEV_CHF_PERSIST, of a packet that is complete: the CRC-32 (as of zlib) of
 *             @packet_seq_num, @timestamp_end, @content_size and @events_discarded in that order
 *
 * All stream classes have it; they differ in what their records carry.
 */
struct pev_packet {
	__u32	magic;
	__u8	uuid[16];
	__u32	stream_id;
	__u64	stream_instance_id;
	__u64	timestamp_begin;
	__u64	timestamp_end;
	__u64	content_size;
	__u64	packet_size;
	__u64	events_discarded;
	__u64	packet_seq_num;
	__u32	cpu_id;
	__u32	reserved;
};

/*
 * What a channel with PEV_CHF_PERSIST had when its kernel ended, by a crash or in any other way,
 * while it was open, in memory that "reserve_mem=SIZE:ALIGN:pev" on the command line of both
 * kernels sets aside. It stays until PEV_CRASH_DROP, and until then no new channel gets the memory.
 * The kernel has checked the bounds of it, and the CRC-32 of the metadata; nothing else is to be
 * believed: a machine that is reset may lose what its caches had not written yet.
 */

/**
 * enum pev_crash_config - attr.config of PEV_TYPE_CRASH
 * @PEV_CRASH_READ: an fd to read it; one at a time
 * @PEV_CRASH_DROP: none, return 0: it is given up, whether it can be read or not
 */
enum pev_crash_config {
	PEV_CRASH_READ		= 0,
	PEV_CRASH_DROP		= 1,

	/* private: not ABI */
	PEV_CRASH_MAX,
};

/**
 * struct pev_crash - what an earlier boot left: how it begins
 * @size:          bytes of this structure
 * @nr_rings:      number of rings
 * @ring_size:     bytes of data of each
 * @packet_size:   bytes of a packet
 * @reserved:      0
 * @metadata_size: bytes of the metadata; 0: they are damaged
 * @began:         when the channel was opened, ns since the epoch
 * @uuid:          of the trace
 *
 * Behind it lie @metadata_size bytes of metadata, and then for each ring struct pev_crash_ring
 * and @ring_size bytes of data.
 */
struct pev_crash {
	__u32	size;
	__u32	nr_rings;
	__u64	ring_size;
	__u32	packet_size;
	__u32	reserved;
	__u64	metadata_size;
	__u64	began;
	__u8	uuid[16];
};

/**
 * struct pev_crash_ring - a ring that an earlier boot left
 * @cpu:       CPU that wrote it, and the number of the ring
 * @reserved0: 0
 * @head:      end of what was published, a position as in struct pev_ring_kernel
 * @oldest:    data before it may be gone
 * @reserved:  end of what writers had got room for: behind @head lies what was being written
 * @lost:      records that found no room
 *
 * A packet that ends at or before @head was complete: if the check in its header is right, its
 * header is that of this packet, as it was closed. The last one may be open, and then has none.
 */
struct pev_crash_ring {
	__u32	cpu;
	__u32	reserved0;
	__u64	head;
	__u64	oldest;
	__u64	reserved;
	__u64	lost;
};

/**
 * struct pev_call_text - what follows the fields of a system call with PEV_F_TEXT
 * @copied: bit n is set if what argument n points to was copied
 * @cut:    bit n is set if there was more of it
 * @len:    bytes of the text of each argument that may have one
 *
 * Behind it lie the texts, one after the other. There is one @len for each of
 * the six arguments in raw_syscalls:sys_enter and :sys_exit; in syscalls:* one
 * for each argument that the metadata names, and none of all this if the call
 * takes no text.
 *
 * A text is a string, with its NUL unless it is cut; the strings of an exec's
 * argument list, each with its NUL; or bytes as write() takes them. With the
 * event of its end come those that the call filled in, as read() does, and those
 * that lay in a page that was not there when it began, as they are then. All are
 * what the memory held at that moment: another thread may have changed it before
 * the call looked at it.
 */
struct pev_call_text {
	__u8	copied;
	__u8	cut;
	__u16	len[];
};

/**
 * enum pev_call_kind - what an argument of a system call points to
 * @PEV_CALL_NOTHING:     nothing that is copied
 * @PEV_CALL_STRING:      a string
 * @PEV_CALL_STRINGS:     strings, each with its NUL
 * @PEV_CALL_BYTES:       data
 * @PEV_CALL_SOCKADDR:    struct sockaddr of any family, as long as the caller or
 *                        the call says
 * @PEV_CALL_SOCKOPT:     the value of a socket's option
 * @PEV_CALL_MSGHDR:      struct msghdr, behind it two __u32, how many bytes of its msg_name
 *                        and of its msg_control follow, these, which may be fewer than it
 *                        says, and PEV_CALL_BUFFERS of its msg_iov
 * @PEV_CALL_IOVEC:       array of struct iovec, without what they point to
 * @PEV_CALL_INT:         int: the length of an address or option
 * @PEV_CALL_FDS:         int[2]: two descriptors
 * @PEV_CALL_POLLFD:      array of struct pollfd
 * @PEV_CALL_EPOLL_EVENT: array of struct epoll_event, or one
 * @PEV_CALL_STAT:        struct stat
 * @PEV_CALL_STATX:       struct statx
 * @PEV_CALL_TIMESPEC:    struct timespec, or two
 * @PEV_CALL_TIMEVAL:     struct timeval, or two
 * @PEV_CALL_ITIMERSPEC:  struct itimerspec
 * @PEV_CALL_ITIMERVAL:   struct itimerval
 * @PEV_CALL_WAIT_STATUS: int: how a child ended
 * @PEV_CALL_RUSAGE:      struct rusage
 * @PEV_CALL_RLIMIT:      struct rlimit, of two __u64
 * @PEV_CALL_SIGSET:      the kernel's sigset_t: bit n - 1 is signal n
 * @PEV_CALL_SIGACTION:   the kernel's struct sigaction
 * @PEV_CALL_UTSNAME:     struct utsname
 * @PEV_CALL_SYSINFO:     struct sysinfo
 * @PEV_CALL_STATFS:      struct statfs
 * @PEV_CALL_SIGINFO:     siginfo_t
 * @PEV_CALL_CLONE_ARGS:  struct clone_args, as long as the caller says
 * @PEV_CALL_OPEN_HOW:    struct open_how, likewise
 * @PEV_CALL_FD_SET:      fd_set: __u64 words, in which bit n is descriptor n of those that
 *                        the call looks at
 * @PEV_CALL_BUFFERS:     __u64 number of the elements that follow, array of struct iovec,
 *                        and what they point to, one behind the other: of a call that
 *                        fills them, as much as it returns
 * @PEV_CALL_COMPAT:      of all arguments: a 32-bit call, whose number is of another table,
 *                        and of which nothing is copied (ABI 12)
 * @PEV_CALL_IOCTL:       what the request before it, the second argument of ioctl(), says: a
 *                        structure or number of that driver, or nothing (ABI 12)
 *
 * Structures are as 64-bit programs of the architecture have them.
 */
enum pev_call_kind {
	PEV_CALL_NOTHING	= 0,
	PEV_CALL_STRING		= 1,
	PEV_CALL_STRINGS	= 2,
	PEV_CALL_BYTES		= 3,
	PEV_CALL_SOCKADDR	= 4,
	PEV_CALL_SOCKOPT	= 5,
	PEV_CALL_MSGHDR		= 6,
	PEV_CALL_IOVEC		= 7,
	PEV_CALL_INT		= 8,
	PEV_CALL_FDS		= 9,
	PEV_CALL_POLLFD		= 10,
	PEV_CALL_EPOLL_EVENT	= 11,
	PEV_CALL_STAT		= 12,
	PEV_CALL_STATX		= 13,
	PEV_CALL_TIMESPEC	= 14,
	PEV_CALL_TIMEVAL	= 15,
	PEV_CALL_ITIMERSPEC	= 16,
	PEV_CALL_ITIMERVAL	= 17,
	PEV_CALL_WAIT_STATUS	= 18,
	PEV_CALL_RUSAGE		= 19,
	PEV_CALL_RLIMIT		= 20,
	PEV_CALL_SIGSET		= 21,
	PEV_CALL_SIGACTION	= 22,
	PEV_CALL_UTSNAME	= 23,
	PEV_CALL_SYSINFO	= 24,
	PEV_CALL_STATFS		= 25,
	PEV_CALL_SIGINFO	= 26,
	PEV_CALL_CLONE_ARGS	= 27,
	PEV_CALL_OPEN_HOW	= 28,
	PEV_CALL_FD_SET		= 29,
	PEV_CALL_BUFFERS	= 30,
	PEV_CALL_COMPAT		= 31,
	PEV_CALL_IOCTL		= 32,

	/* private: not ABI */
	PEV_CALL_MAX,
};

/**
 * struct pev_call_structs - the same with PEV_F_STRUCTS
 * @copied: as in struct pev_call_text
 * @cut:    as there
 * @kind:   what argument n points to, enum pev_call_kind, was it copied or not
 * @len:    as in struct pev_call_text
 *
 * A structure that the caller fills in is copied when the call begins, one that
 * the call fills in when it has worked; one that is for both (struct pollfd, fd_set,
 * the length of an address) both times. Of an array there are whole
 * elements. A @kind that you do not know is bytes.
 */
struct pev_call_structs {
	__u8	copied;
	__u8	cut;
	__u8	kind[6];
	__u16	len[];
};

/**
 * struct pev_grant - read() from a PEV_TYPE_GRANT
 * @size:      of this structure
 * @vcpus:     virtual processors that have counters now
 * @calls:     that the guest made, of enum pev_guest_op, since the grant began
 * @refused:   of these: they ask for what there is not, or make no sense
 * @overflows: of lent counters
 * @nmis:      that were sent for them; one may answer several
 * @missed:    stretches, from PEV_GUEST_START to the next PEV_GUEST_STOP, in which a counter had to
 *             stand still for a time
 * @throttled: times that a counter overflowed too often, and stood still until the next tick
 *
 * All are 64 bits wide but for the first two. When poll() says POLLHUP the guest's process has
 * ended.
 */
struct pev_grant {
	__u32	size;
	__u32	vcpus;
	__u64	calls;
	__u64	refused;
	__u64	overflows;
	__u64	nmis;
	__u64	missed;
	__u64	throttled;
};

#endif /* _UAPI_LINUX_PEV_H */
