// SPDX-License-Identifier: GPL-2.0
/*
 * Refusals: what is asked for is valid but for what one check looks at, of which chance would
 * meet a few alone. The law is that the call is refused by the errno that belongs to it, and
 * that the same without the mistake is not.
 */
#include <fcntl.h>
#include <linux/pev_user.h>
#include <string.h>
#include <unistd.h>
#include "fuzz.h"

/* Where there is no memory; no address at all. */
#define NOWHERE 8
#define KERNELS (1ULL << 63 | 8)

/* Of descriptors that an entry speaks of. */
#define A_CHANNEL -1001
#define A_FILE -1002 /* no descriptor of pev */
#define A_CLOSED -1003
#define A_LEADER -1004 /* an event on this thread */
#define A_MEMBER -1005 /* one of its group */
#define A_RECORDER -1006 /* an event on this thread, in another channel */
#define A_CGROUP -1007 /* that of all */
#define A_MAIN -1008 /* the process of all workers */

#define STRINGS 512

/* Names and texts that places, fields and marks may have. */
static const struct {
	uint16_t at;
	const char *text;
} texts[] = {
#define GOOD 0
	{ GOOD, "do_nanosleep" },
#define ANOTHER 16
	{ ANOTHER, "number" },
#define TEXT 32
	{ TEXT, "text" },
#define WORD 40
	{ WORD, "text_len" },
#define PLACE 52
	{ PLACE, "place" },
#define DIGIT 60
	{ DIGIT, "9lives" },
#define BLANK 68
	{ BLANK, "a b" },
#define NOTHING 72
	{ NOTHING, "" },
#define MARK 76
	{ MARK, "fuzz:spoiled" },
#define FORMAT 92
	{ FORMAT, "%d" },
#define NO_TEXT 96
	{ NO_TEXT, "\001\002" },
#define NO_FUNCTION 100
	{ NO_FUNCTION, "no_such_function" },
/* code that probes need */
#define NO_PROBE 117
	{ NO_PROBE, "get_kprobe" },
/* of letters, to one before the end */
#define LONG 128
};

/* What a call asks with; what is behind a structure is not 0. */
struct asked {
	struct pev_attr attr;
	struct pev_probe probe;
	struct pev_probe_place places[2];
	struct pev_probe_field fields[2];
	struct pev_table table;
	struct pev_producer producer;
	struct pev_user_mark mark;
	uint64_t mask;
	char strings[STRINGS];
};

enum valid {
	COUNTS, /* a software event without a channel */
	RECORDS,
	CALLS, /* a tracepoint */
	CALLS_WITH_TEXT,
	CALLS_IN_TABLE,
	TIMER,
	SIDEBAND,
	WAIT,
	USTACK,
	RAW,
	CPUS, /* of root */
	CPUS_GROUPED,
	GROUPED, /* with a leader */
	PROBE_USER,
	PROBE_USER_RETURN,
	PROBE_KERNEL, /* of root, as the next two */
	PROBE_KERNEL_RETURN,
	PROBE_FUNCTION,
	TABLE,
	PAIRS,
	PRODUCER,
	LISTENER,
	CHANNEL,
	CLIENT,
	CRASH,
	CONTEXT,
};

#define CHANGES 4

static const uint64_t first_cpu = 1;

/**
 * struct change - one member is another
 * @at:    in struct asked
 * @size:  of it; more than 8: all its bytes are @value
 */
struct change {
	uint16_t at;
	uint16_t size;
	uint64_t value;
};

/**
 * struct spoiled - something that a check refuses
 * @of:      what is valid without
 * @err:     by which it is refused
 * @text:    of @changes
 * @changes: what is not valid, and what goes with that
 */
struct spoiled {
	enum valid of;
	int err;
	const char *text;
	struct change changes[CHANGES];
};

#define SET(m, v)                                                                        \
	{                                                                                \
		offsetof(struct asked, m), sizeof(((struct asked *)0)->m), (uint64_t)(v) \
	}
#define A(m, v) SET(attr.m, v)
#define OFF PEV_F_DISABLED
#define SPOIL(of, err, ...)            \
	{                              \
		of, err, #__VA_ARGS__, \
		{                      \
			__VA_ARGS__    \
		}                      \
	}
#define FILTER(text) SPOIL(CALLS, EINVAL, A(filter, (uintptr_t)(text)))

#define TEN(text) text text text text text text text text text text

/* clang-format off */
static const struct spoiled table[] = {
	/* members */
	SPOIL(COUNTS, EINVAL, A(type, 99)),
	SPOIL(COUNTS, EINVAL, A(reserved, 1)),
	SPOIL(COUNTS, EINVAL, A(config1, 1)),
	SPOIL(COUNTS, EINVAL, A(pmu, 1)),
	SPOIL(COUNTS, EINVAL, A(name, NOWHERE)),
	SPOIL(COUNTS, EINVAL, A(ring_size, 4096)),
	SPOIL(COUNTS, EINVAL, A(info, NOWHERE)),
	SPOIL(TABLE, EINVAL, A(target, PEV_TARGET_TASK)),
	SPOIL(TABLE, EINVAL, A(channel_fd, 1)),
	SPOIL(CHANNEL, EINVAL, A(period, 1)),

	/* targets */
	SPOIL(COUNTS, EINVAL, A(target, 0)),
	SPOIL(COUNTS, EINVAL, A(target, PEV_TARGET_MAX)),
	SPOIL(COUNTS, EINVAL, A(cpus_size, 8)),
	SPOIL(COUNTS, EINVAL, A(cpus, NOWHERE)),
	SPOIL(COUNTS, EINVAL, A(target_id, -5)),
	SPOIL(CPUS, EINVAL, A(cpus_size, 4)),
	SPOIL(CPUS, EINVAL, A(cpus_size, 65544)),
	SPOIL(CPUS, EINVAL, A(cpus_size, 0)),
	SPOIL(CPUS, EINVAL, A(target_id, 1)),
	SPOIL(CPUS, EFAULT, A(cpus, NOWHERE)),
	SPOIL(CPUS, EINVAL, SET(mask, 0)),
	SPOIL(CPUS, ENODEV, SET(mask, 1ULL << 63)),
	SPOIL(CPUS, EINVAL, A(flags, OFF | PEV_F_ENABLE_ON_EXEC)),
	SPOIL(CPUS, EBADF, A(target, PEV_TARGET_CGROUP), A(target_id, -1)),
	SPOIL(CPUS, EBADF, A(target, PEV_TARGET_CGROUP), A(target_id, A_FILE)),
	SPOIL(CPUS, EBADF, A(target, PEV_TARGET_CGROUP), A(target_id, A_CLOSED)),
	SPOIL(COUNTS, EOPNOTSUPP, A(target, PEV_TARGET_GUEST)),
	SPOIL(COUNTS, EINVAL, A(target, PEV_TARGET_GUEST), A(flags, OFF | PEV_F_ENABLE_ON_EXEC)),
	SPOIL(TIMER, EINVAL, A(target, PEV_TARGET_GUEST), A(flags, OFF | PEV_F_EXCLUDE_GUEST)),
	SPOIL(CPUS_GROUPED, EINVAL, SET(mask, 2)),
	SPOIL(CPUS_GROUPED, EINVAL, A(target, PEV_TARGET_CGROUP), A(target_id, A_CGROUP)),

	/* flags */
	SPOIL(COUNTS, EINVAL, A(flags, OFF | 1ULL << 40)),
	SPOIL(CHANNEL, EINVAL, A(flags, 1ULL << 40)),
	SPOIL(COUNTS, EOPNOTSUPP, A(flags, OFF | PEV_F_EXCLUDE_KERNEL | PEV_F_FREQ)),
	SPOIL(COUNTS, EOPNOTSUPP, A(flags, OFF | PEV_F_EXCLUDE_KERNEL | PEV_F_PINNED)),
	SPOIL(COUNTS, EOPNOTSUPP, A(flags, OFF | PEV_F_EXCLUDE_KERNEL | PEV_F_TEXT)),
	SPOIL(CALLS, EINVAL, A(flags, OFF | PEV_F_EXCLUDE_KERNEL | PEV_F_STRUCTS)),
	SPOIL(COUNTS, EINVAL, A(flags, OFF | PEV_F_EXCLUDE_KERNEL | PEV_F_EXCLUDE_USER)),
	SPOIL(RECORDS, EINVAL, A(flags, OFF | PEV_F_EXCLUDE_KERNEL | PEV_F_START | PEV_F_STOP)),
	SPOIL(COUNTS, EINVAL, A(flags, OFF | PEV_F_EXCLUDE_KERNEL | PEV_F_FREEZE)),
	SPOIL(RECORDS, EINVAL, A(flags, OFF | PEV_F_EXCLUDE_KERNEL | PEV_F_BEGIN)),

	/* descriptors */
	SPOIL(COUNTS, EBADF, A(channel_fd, -2)),
	SPOIL(COUNTS, EBADF, A(group_fd, -2)),
	SPOIL(RECORDS, EBADF, A(channel_fd, A_CLOSED)),
	SPOIL(RECORDS, EINVAL, A(channel_fd, A_FILE)),
	SPOIL(RECORDS, EINVAL, A(channel_fd, A_LEADER)),
	SPOIL(COUNTS, EBADF, A(group_fd, A_CLOSED)),
	SPOIL(COUNTS, EINVAL, A(group_fd, A_FILE)),
	SPOIL(COUNTS, EINVAL, A(group_fd, A_CHANNEL)),
	SPOIL(GROUPED, EINVAL, A(group_fd, A_MEMBER)),
	SPOIL(GROUPED, EINVAL, A(target, PEV_TARGET_PROCESS)),
	SPOIL(GROUPED, EINVAL, A(target_id, A_MAIN)),
	SPOIL(GROUPED, EINVAL, A(channel_fd, A_CHANNEL), A(period, 1), A(group_fd, A_RECORDER)),

	/* periods and configs */
	SPOIL(COUNTS, EINVAL, A(period, 1)),
	SPOIL(RECORDS, EINVAL, A(period, 0)),
	SPOIL(RECORDS, EINVAL, A(period, 1ULL << 63)),
	SPOIL(SIDEBAND, EINVAL, A(period, 2)),
	SPOIL(WAIT, EINVAL, A(period, 1ULL << 63)),
	SPOIL(TIMER, EINVAL, A(period, 1)),
	SPOIL(TIMER, EINVAL, A(period, 1ULL << 63)),
	SPOIL(TIMER, EINVAL, A(period, 1 << 30), A(flags, OFF | PEV_F_EXCLUDE_KERNEL | PEV_F_FREQ)),
	SPOIL(TIMER, EINVAL, A(config, PEV_TIMER_MAX)),
	SPOIL(COUNTS, EINVAL, A(config, PEV_SW_MAX)),
	SPOIL(SIDEBAND, EINVAL, A(config, PEV_SB_MAX)),
	SPOIL(RECORDS, EOPNOTSUPP, A(config, PEV_SW_TASK_CLOCK)),
	SPOIL(SIDEBAND, EINVAL, A(channel_fd, -1), A(sample, 0)),
	SPOIL(WAIT, EOPNOTSUPP, A(flags, OFF | PEV_F_EXCLUDE_USER)),
	SPOIL(WAIT, EOPNOTSUPP, A(target, PEV_TARGET_CPUS)),
	SPOIL(USTACK, EINVAL, A(channel_fd, -1)),
	SPOIL(USTACK, EINVAL, A(sample, PEV_SAMPLE_TID)),
	SPOIL(USTACK, EINVAL, A(sample, PEV_SAMPLE_USTACK | PEV_SAMPLE_COOKIE)),
	SPOIL(USTACK, EOPNOTSUPP, A(flags, OFF | PEV_F_EXCLUDE_KERNEL)),
	SPOIL(USTACK, EOPNOTSUPP, A(flags, OFF | PEV_F_FREEZE)),

	/* samples */
	SPOIL(COUNTS, EINVAL, A(sample, PEV_SAMPLE_TID)),
	SPOIL(RECORDS, EINVAL, A(sample, 1ULL << 40)),
	SPOIL(RECORDS, EINVAL, A(sample, PEV_SAMPLE_PAIR)),
	SPOIL(RECORDS, EINVAL, A(sample, PEV_SAMPLE_COOKIE)),
	SPOIL(RECORDS, EINVAL, A(sample, PEV_SAMPLE_UREGS)),
	SPOIL(RECORDS, EINVAL, A(sample, PEV_SAMPLE_UREGS), A(regs_user, 1ULL << 63)),
	SPOIL(RECORDS, EINVAL, A(regs_user, 1)),
	SPOIL(RECORDS, EINVAL, A(sample, PEV_SAMPLE_USTACK_DUMP), A(stack_user, 7)),
	SPOIL(RECORDS, EINVAL, A(sample, PEV_SAMPLE_USTACK_DUMP), A(stack_user, 1 << 16)),
	SPOIL(RECORDS, EINVAL, A(stack_user, 8)),
	SPOIL(RECORDS, EINVAL, A(sample, PEV_SAMPLE_USTACK), A(max_stack, PEV_MAX_STACK + 1)),
	SPOIL(RECORDS, EINVAL, A(max_stack, 1)),

	/* names */
	SPOIL(CALLS, EINVAL, A(name, 0)),
	SPOIL(CALLS, EFAULT, A(name, NOWHERE)),
	SPOIL(CALLS, EINVAL, A(name, (uintptr_t)"nothing")),
	SPOIL(CALLS, ENOENT, A(name, (uintptr_t)"no:event")),
	SPOIL(CALLS, EINVAL, A(name, (uintptr_t)TEN("more than 26 bytes in each "))),
	SPOIL(CALLS, EOPNOTSUPP, A(name, (uintptr_t)"ftrace:function")),
	SPOIL(CALLS, EINVAL, A(config, 5)),
	SPOIL(CALLS, EINVAL, A(config, PEV_MAX_CALL_TEXT + 1),
	      A(flags, OFF | PEV_F_EXCLUDE_KERNEL | PEV_F_TEXT)),
	SPOIL(CALLS, EINVAL, A(channel_fd, -1), A(period, 0), A(sample, 0),
	      A(flags, OFF | PEV_F_EXCLUDE_KERNEL | PEV_F_TEXT)),
	SPOIL(CLIENT, EINVAL, A(name, 0)),
	SPOIL(CLIENT, ENOENT, A(name, (uintptr_t)"nobody")),
	SPOIL(RAW, EINVAL, A(name, (uintptr_t)"a b")),
	SPOIL(CRASH, EINVAL, A(config, PEV_CRASH_MAX)),
	SPOIL(CONTEXT, EINVAL, A(config, 4)),
	SPOIL(CONTEXT, EFAULT, A(config, KERNELS)),

	/* filters */
	SPOIL(CALLS, EFAULT, A(filter, NOWHERE)),
	SPOIL(COUNTS, EINVAL, A(filter, (uintptr_t)"pid == 1")),
	FILTER(""), FILTER("pid"), FILTER("== 1"), FILTER("pid =="), FILTER("pid ? 1"),
	FILTER("pid.ustring == \"a\""), FILTER("pid.function == 1"), FILTER("no_field == 1"),
	FILTER("common_flags == 1"), FILTER("pid == \"a\""), FILTER("comm < \"a\""),
	FILTER("comm == \"a"), FILTER("comm == 1"), FILTER("pid ~ 1"),
	FILTER("pid == 111111111111111111111111111111"), FILTER("pid == 99999999999999999999"),
	FILTER("pid == 1x"), FILTER("common_cgroup == -1"), FILTER("common_pid == 0x1ffffffff"),
	FILTER("pid == 1 2"), FILTER("pid == 1)"), FILTER("(pid == 1"), FILTER("pid == 1 &&"),
	FILTER("common_cpu & CPUS{0"), FILTER("common_cpu & CPUS 0}"),
	FILTER("common_cpu & CPUS{99999}"), FILTER("common_cpu & CPUS{}"),
	FILTER("common_cpu < CPUS{0}"), FILTER("comm & CPUS{0}"), FILTER("comm == CPUS{0}"),
	FILTER("((((((((((((((((((((((((((((((((((pid == 1"),
	FILTER("comm == \"" TEN("more than 26 bytes in each ") "\""),
	SPOIL(CALLS, EINVAL, A(filter, (uintptr_t)"filename == \"a\""),
	      A(name, (uintptr_t)"syscalls:sys_enter_openat")),
	SPOIL(CALLS, EINVAL, A(filter, (uintptr_t)TEN(TEN("pid == 12345678 || pid == 123456789 || ")) "1")),

	/* probes */
	SPOIL(PROBE_USER, EFAULT, A(config, NOWHERE)),
	SPOIL(PROBE_USER, EINVAL, A(name, 0)),
	SPOIL(PROBE_USER, EINVAL, A(filter, (uintptr_t)"thing == 1")),
	SPOIL(PROBE_USER, EINVAL, A(filter, (uintptr_t)"things == 1")),
	SPOIL(PROBE_USER, EINVAL, A(name, (uintptr_t)"a b")),
	SPOIL(PROBE_USER, EINVAL, A(flags, OFF | PEV_F_EXCLUDE_USER)),
	SPOIL(PROBE_KERNEL, EINVAL, A(flags, OFF | PEV_F_EXCLUDE_KERNEL)),
	SPOIL(PROBE_USER, EINVAL, SET(probe.size, 8)),
	SPOIL(PROBE_USER, EINVAL, SET(probe.size, 1 << 17)),
	SPOIL(PROBE_USER, E2BIG, SET(probe.size, sizeof(struct pev_probe) + 24)),
	SPOIL(PROBE_USER, EINVAL, SET(probe.kind, PEV_PROBE_MAX)),
	SPOIL(PROBE_USER, EINVAL, SET(probe.flags, 2)),
	SPOIL(PROBE_USER, EINVAL, SET(probe.flags, PEV_PROBE_F_SKIP)),
	SPOIL(PROBE_USER, EINVAL, SET(probe.results, NOWHERE)),
	SPOIL(PROBE_USER, EFAULT, SET(probe.flags, PEV_PROBE_F_SKIP), SET(probe.results, NOWHERE)),
	SPOIL(PROBE_KERNEL, EINVAL, SET(probe.fd, 1)),
	SPOIL(PROBE_USER, EBADF, SET(probe.fd, A_CLOSED)),
	SPOIL(PROBE_USER, EINVAL, SET(probe.fd, A_FILE)),
	SPOIL(PROBE_USER, EINVAL, SET(probe.strings_size, 0)),
	SPOIL(PROBE_USER, EINVAL, SET(probe.strings_size, PEV_MAX_PROBE_STRINGS + 1)),
	SPOIL(PROBE_USER, EINVAL, SET(probe.strings_size, 3)),
	SPOIL(PROBE_USER, EFAULT, SET(probe.strings, NOWHERE)),
	SPOIL(PROBE_USER, EINVAL, SET(probe.nr_places, 0)),
	SPOIL(PROBE_USER, EINVAL, SET(probe.nr_places, PEV_MAX_PROBE_PLACES + 1)),
	SPOIL(PROBE_USER, EFAULT, SET(probe.places, NOWHERE)),
	SPOIL(PROBE_USER, EINVAL, SET(places[0].name, STRINGS)),
	SPOIL(PROBE_USER, EINVAL, SET(places[0].name, NOTHING)),
	SPOIL(PROBE_USER, EINVAL, SET(places[0].name, BLANK)),
	SPOIL(PROBE_USER, EINVAL, SET(places[0].name, LONG)),
	SPOIL(PROBE_USER, EINVAL, SET(places[0].reserved, 1)),
	SPOIL(PROBE_USER, EINVAL, SET(places[0].offset, 1ULL << 63)),
	SPOIL(PROBE_USER, EINVAL, SET(places[0].offset, 1ULL << 40)),
	SPOIL(PROBE_USER, EINVAL, SET(places[0].semaphore, 1ULL << 63)),
	SPOIL(PROBE_KERNEL, EINVAL, SET(places[0].semaphore, 8)),
	SPOIL(PROBE_KERNEL, EINVAL, SET(places[0].offset, 1ULL << 32)),
	SPOIL(PROBE_KERNEL, EINVAL, SET(places[0].offset, 1 << 20)),
	SPOIL(PROBE_KERNEL, ENOENT, SET(places[0].name, NO_FUNCTION)),
	SPOIL(PROBE_KERNEL, EINVAL, SET(places[0].name, NO_PROBE)),
	SPOIL(PROBE_KERNEL_RETURN, EINVAL, SET(places[0].offset, 4)),
	SPOIL(PROBE_KERNEL_RETURN, EINVAL, SET(probe.max_active, PEV_MAX_PROBE_ACTIVE + 1)),
	SPOIL(PROBE_USER, EINVAL, SET(probe.max_active, 1)),
	SPOIL(PROBE_FUNCTION, EINVAL, SET(places[0].offset, 4)),
	SPOIL(PROBE_FUNCTION, EINVAL, SET(probe.nr_places, 2)),
	SPOIL(PROBE_FUNCTION, ENOENT, SET(places[0].name, NO_FUNCTION)),
	SPOIL(PROBE_USER, EINVAL, SET(probe.nr_fields, PEV_MAX_PROBE_FIELDS + 1)),
	SPOIL(PROBE_USER, EFAULT, SET(probe.fields, NOWHERE)),
	SPOIL(PROBE_USER, EINVAL, SET(fields[0].name, STRINGS)),
	SPOIL(PROBE_USER, EINVAL, SET(fields[0].name, NOTHING)),
	SPOIL(PROBE_USER, EINVAL, SET(fields[0].name, LONG)),
	SPOIL(PROBE_USER, EINVAL, SET(fields[0].name, DIGIT)),
	SPOIL(PROBE_USER, EINVAL, SET(fields[0].name, BLANK)),
	SPOIL(PROBE_USER, EINVAL, SET(fields[0].name, PLACE)),
	SPOIL(PROBE_USER, EINVAL, SET(fields[0].name, TEXT)),
	SPOIL(PROBE_USER, EINVAL, SET(fields[0].name, WORD)),
	SPOIL(PROBE_USER, EINVAL, SET(fields[0].number, 50)),
	SPOIL(PROBE_USER, EINVAL, SET(fields[0].from, PEV_PROBE_RESULT)),
	SPOIL(PROBE_USER, EINVAL, SET(fields[0].from, PEV_PROBE_DURATION)),
	SPOIL(PROBE_USER, EINVAL, SET(fields[0].from, PEV_PROBE_FROM_MAX)),
	SPOIL(PROBE_USER, EINVAL, SET(fields[1].number, 63)),
	SPOIL(PROBE_USER, EINVAL, SET(fields[1].number, 1000)),
	SPOIL(PROBE_USER, EINVAL, SET(fields[1].from, PEV_PROBE_STACK), SET(fields[1].number, 4096)),
	SPOIL(PROBE_USER, EINVAL, SET(fields[1].from, PEV_PROBE_CONSTANT)),
	SPOIL(PROBE_USER, EINVAL, SET(fields[0].from, PEV_PROBE_CONSTANT), SET(fields[0].number, 1)),
	SPOIL(PROBE_USER_RETURN, EINVAL, SET(fields[0].from, PEV_PROBE_ARGUMENT)),
	SPOIL(PROBE_USER_RETURN, EINVAL, SET(fields[0].number, 1)),
	SPOIL(PROBE_USER_RETURN, EINVAL, SET(fields[0].from, PEV_PROBE_DURATION),
	      SET(fields[0].number, 1)),
	SPOIL(PROBE_USER, EINVAL, SET(fields[0].nr_loads, PEV_MAX_PROBE_LOADS + 1)),
	SPOIL(PROBE_USER, EINVAL, SET(fields[0].offsets[0], 8)),
	SPOIL(PROBE_USER, EINVAL, SET(fields[1].offsets[3], 8)),
	SPOIL(PROBE_USER, EINVAL, SET(fields[0].flags, 2)),
	SPOIL(PROBE_USER, EINVAL, SET(fields[0].flags, PEV_PROBE_USER_MEMORY)),
	SPOIL(PROBE_USER, EINVAL, SET(fields[0].type, PEV_PROBE_TYPE_MAX)),
	SPOIL(PROBE_USER, EINVAL, SET(fields[0].limit, 5)),
	SPOIL(PROBE_USER, EINVAL, SET(fields[1].nr_loads, 0)),
	SPOIL(PROBE_USER, EINVAL, SET(fields[1].limit, 1)),
	SPOIL(PROBE_USER, EINVAL, SET(fields[1].limit, PEV_MAX_PROBE_TEXT + 1)),

	/* tables */
	SPOIL(TABLE, EFAULT, A(config, NOWHERE)),
	SPOIL(TABLE, EINVAL, SET(table.size, 8)),
	SPOIL(TABLE, EINVAL, SET(table.size, 1 << 17)),
	SPOIL(TABLE, E2BIG, SET(table.size, sizeof(struct pev_table) + 8)),
	SPOIL(TABLE, EINVAL, SET(table.rows, 0)),
	SPOIL(TABLE, EINVAL, SET(table.rows, PEV_MAX_TABLE_ROWS + 1)),
	SPOIL(TABLE, EINVAL, SET(table.nr_keys, 0)),
	SPOIL(TABLE, EINVAL, SET(table.nr_keys, PEV_MAX_TABLE_KEYS + 1)),
	SPOIL(TABLE, EINVAL, SET(table.keys[0].from, PEV_TABLE_FROM_MAX)),
	SPOIL(TABLE, EINVAL, SET(table.keys[0].from, PEV_TABLE_LATENCY)),
	SPOIL(TABLE, EINVAL, SET(table.keys[0].from, PEV_TABLE_TID | PEV_TABLE_AT_BEGIN)),
	SPOIL(PAIRS, EINVAL, SET(table.keys[0].from, PEV_TABLE_EVENT | PEV_TABLE_AT_BEGIN)),
	SPOIL(TABLE, EINVAL, SET(table.keys[0].bucket, PEV_TABLE_BUCKET_MAX)),
	SPOIL(TABLE, EINVAL, SET(table.keys[0].from, PEV_TABLE_COMM),
	      SET(table.keys[0].bucket, PEV_TABLE_LOG2)),
	SPOIL(TABLE, EINVAL, SET(table.keys[0].from, PEV_TABLE_REQUEST),
	      SET(table.keys[0].bucket, PEV_TABLE_LOG2)),
	SPOIL(TABLE, EINVAL, SET(table.keys[0].from, PEV_TABLE_USTACK),
	      SET(table.keys[0].bucket, PEV_TABLE_LOG2)),
	SPOIL(TABLE, EINVAL, SET(table.keys[0].bucket, PEV_TABLE_LINEAR)),
	SPOIL(TABLE, EINVAL, SET(table.keys[0].step, 1)),
	SPOIL(TABLE, EINVAL, SET(table.keys[0].name, 'a')),
	SPOIL(TABLE, EINVAL, SET(table.keys[0].name[0], 'a')),
	SPOIL(TABLE, EINVAL, SET(table.keys[0].from, PEV_TABLE_FIELD)),
	SPOIL(TABLE, EINVAL, SET(table.keys[2].from, PEV_TABLE_TID)),
	SPOIL(TABLE, EINVAL, SET(table.value, PEV_TABLE_VALUE_MAX)),
	SPOIL(TABLE, EINVAL, SET(table.value, PEV_TABLE_OF_FIELD)),
	SPOIL(TABLE, EINVAL, SET(table.value, PEV_TABLE_OF_LATENCY)),
	SPOIL(TABLE, EINVAL, SET(table.field[0], 'a')),
	SPOIL(TABLE, EINVAL, SET(table.field, 'a')),
	SPOIL(TABLE, EINVAL, SET(table.value, PEV_TABLE_COUNTED),
	      SET(table.keys[0].from, PEV_TABLE_SYSCALL)),
	SPOIL(TABLE, EINVAL, SET(table.begin[0].from, PEV_TABLE_TID)),
	SPOIL(TABLE, EINVAL, SET(table.nr_pair, 1)),
	SPOIL(PAIRS, EINVAL, SET(table.open, PEV_MIN_TABLE_OPEN - 1)),
	SPOIL(PAIRS, EINVAL, SET(table.open, PEV_MAX_TABLE_OPEN + 1)),
	SPOIL(PAIRS, EINVAL, SET(table.nr_pair, 0)),
	SPOIL(PAIRS, EINVAL, SET(table.nr_pair, PEV_MAX_TABLE_KEYS + 1)),
	SPOIL(PAIRS, EINVAL, SET(table.value, PEV_TABLE_COUNTED)),
	SPOIL(PAIRS, EINVAL, SET(table.begin[0].from, PEV_TABLE_COMM)),
	SPOIL(PAIRS, EINVAL, SET(table.end[0].bucket, PEV_TABLE_LOG2)),
	SPOIL(TABLE, EINVAL, SET(table.frames, PEV_MIN_TABLE_FRAMES)),
	SPOIL(TABLE, EINVAL, SET(table.keys[0].from, PEV_TABLE_KSTACK)),
	SPOIL(TABLE, EINVAL, SET(table.keys[0].from, PEV_TABLE_KSTACK),
	      SET(table.frames, PEV_MIN_TABLE_FRAMES), SET(table.max_stack, PEV_MAX_STACK + 1)),
	SPOIL(TABLE, EINVAL, SET(table.flags, PEV_TABLE_F_ALL + 1)),
	SPOIL(TABLE, EINVAL, SET(table.clock, PEV_CLOCK_MONOTONIC)),
	SPOIL(TABLE, EINVAL, SET(table.flags, PEV_TABLE_F_TIMES), SET(table.clock, PEV_CLOCK_MAX)),
	SPOIL(TABLE, EINVAL, SET(table.reserved, 1)),
	SPOIL(TABLE, EINVAL, SET(table.least, 1)),
	SPOIL(TABLE, EINVAL, SET(table.channel_fd, 1)),
	SPOIL(TABLE, EINVAL, SET(table.flags, PEV_TABLE_F_RECORDS)),
	SPOIL(PAIRS, EINVAL, SET(table.flags, PEV_TABLE_F_RECORDS), SET(table.channel_fd, A_CHANNEL),
	      SET(table.keys[0].from, PEV_TABLE_KSTACK), SET(table.frames, PEV_MIN_TABLE_FRAMES)),
	SPOIL(PAIRS, EBADF, SET(table.flags, PEV_TABLE_F_RECORDS), SET(table.channel_fd, A_CLOSED)),
	SPOIL(PAIRS, EINVAL, SET(table.flags, PEV_TABLE_F_RECORDS), SET(table.channel_fd, A_FILE)),

	/* events of tables */
	SPOIL(CALLS_IN_TABLE, EINVAL, A(sample, PEV_SAMPLE_TID)),
	SPOIL(CALLS_IN_TABLE, EINVAL, A(flags, OFF | PEV_F_EXCLUDE_KERNEL | PEV_F_TEXT)),
	SPOIL(CALLS_IN_TABLE, EINVAL, A(flags, OFF | PEV_F_EXCLUDE_KERNEL | PEV_F_STOP)),
	SPOIL(CALLS_IN_TABLE, EINVAL, A(flags, OFF | PEV_F_EXCLUDE_KERNEL | PEV_F_BEGIN)),
	SPOIL(CALLS_IN_TABLE, EINVAL, A(period, 0)),
	SPOIL(CALLS_IN_TABLE, EINVAL, A(name, (uintptr_t)"syscalls:sys_enter_getppid")),
	SPOIL(CALLS_IN_TABLE, EINVAL, A(name, (uintptr_t)"raw_syscalls:sys_enter")),

	/* programs that write events, and who listens */
	SPOIL(PRODUCER, EFAULT, A(config, NOWHERE)),
	SPOIL(PRODUCER, EINVAL, SET(producer.size, 8)),
	SPOIL(PRODUCER, EINVAL, SET(producer.size, 1 << 17)),
	SPOIL(PRODUCER, E2BIG, SET(producer.size, sizeof(struct pev_producer) + 8)),
	SPOIL(PRODUCER, EINVAL, SET(producer.flags, 1)),
	SPOIL(PRODUCER, EINVAL, SET(producer.nr_marks, 0)),
	SPOIL(PRODUCER, EINVAL, SET(producer.nr_marks, PEV_MAX_USER_MARKS + 1)),
	SPOIL(PRODUCER, EINVAL, SET(producer.strings_size, 0)),
	SPOIL(PRODUCER, EINVAL, SET(producer.strings_size, PEV_MAX_USER_STRINGS + 1)),
	SPOIL(PRODUCER, EINVAL, SET(producer.strings_size, 3)),
	SPOIL(PRODUCER, EINVAL, SET(producer.nr_rings, 0)),
	SPOIL(PRODUCER, EINVAL, SET(producer.nr_rings, PEV_MAX_USER_RINGS + 1)),
	SPOIL(PRODUCER, EINVAL, SET(producer.ring_size, PEV_MIN_USER_RING / 2)),
	SPOIL(PRODUCER, EINVAL, SET(producer.ring_size, PEV_MIN_USER_RING + 1)),
	SPOIL(PRODUCER, EINVAL, SET(producer.ring_size, PEV_MAX_USER_RING * 2)),
	SPOIL(PRODUCER, EFAULT, SET(producer.marks, NOWHERE)),
	SPOIL(PRODUCER, EFAULT, SET(producer.strings, NOWHERE)),
	SPOIL(PRODUCER, EINVAL, SET(mark.name, STRINGS)),
	SPOIL(PRODUCER, EINVAL, SET(mark.format, STRINGS)),
	SPOIL(PRODUCER, EINVAL, SET(mark.fields, STRINGS)),
	SPOIL(PRODUCER, EINVAL, SET(mark.slot, PEV_USER_SLOTS)),
	SPOIL(PRODUCER, EINVAL, SET(mark.name, GOOD)),
	SPOIL(PRODUCER, EINVAL, SET(mark.name, BLANK)),
	SPOIL(PRODUCER, EINVAL, SET(mark.name, LONG)),
	SPOIL(PRODUCER, EINVAL, SET(mark.format, NO_TEXT)),
	SPOIL(PRODUCER, EINVAL, SET(mark.fields, LONG)),
	SPOIL(LISTENER, EOPNOTSUPP, A(target, PEV_TARGET_TASK)),
	SPOIL(LISTENER, EOPNOTSUPP, A(target, PEV_TARGET_CPUS), A(cpus_size, 8),
	      A(cpus, (uintptr_t)&first_cpu)),
	SPOIL(LISTENER, EOPNOTSUPP, A(flags, OFF | PEV_F_EXCLUDE_KERNEL)),
	SPOIL(LISTENER, EOPNOTSUPP, A(channel_fd, A_CHANNEL), A(period, 1)),
	SPOIL(LISTENER, EINVAL, A(name, 0)),
	SPOIL(LISTENER, EINVAL, A(name, (uintptr_t)"fuzz")),
	SPOIL(LISTENER, EINVAL, A(name, (uintptr_t)"fuzz-er:*")),
	SPOIL(LISTENER, EINVAL, A(period, 1)),
};
/* clang-format on */

/* Descriptors that what is asked for refers to; -1: not opened. */
struct around {
	int channel;
	int file;
	int leader;
	int member;
	int second;
	int recorder;
	int table;
	int cgroup;
};

static const struct around nothing = { -1, -1, -1, -1, -1, -1, -1, -1 };

static int open_channel(void)
{
	const struct pev_attr attr = { .type = PEV_TYPE_CHANNEL,
				       .ring_size = 2 * PEV_MIN_PACKET,
				       .packet_size = PEV_MIN_PACKET,
				       .channel_fd = -1,
				       .group_fd = -1 };

	return k_event(&attr);
}

static void plain(struct pev_attr *attr)
{
	*attr = (struct pev_attr){
		.type = PEV_TYPE_SOFTWARE,
		.config = PEV_SW_PAGE_FAULTS,
		.target = PEV_TARGET_TASK,
		.flags = OFF | PEV_F_EXCLUDE_KERNEL,
		.channel_fd = -1,
		.group_fd = -1,
	};
}

static int open_plain(int channel, int leader)
{
	struct pev_attr attr;

	plain(&attr);
	attr.channel_fd = channel;
	attr.period = channel >= 0;
	attr.group_fd = leader;
	return k_event(&attr);
}

static int channel_of(struct around *a)
{
	if (a->channel < 0)
		a->channel = open_channel();
	return a->channel;
}

static int leader_of(struct around *a)
{
	if (a->leader < 0)
		a->leader = open_plain(-1, -1);
	return a->leader;
}

/* Return: what stands for @value; negative: it is not to be had. */
static int resolve(struct around *a, int value)
{
	switch (value) {
	case A_CHANNEL:
		return channel_of(a);
	case A_FILE:
		if (a->file < 0)
			a->file = open("/dev/null", O_RDONLY | O_CLOEXEC);
		return a->file;
	case A_CLOSED:
		return 1 << 20;
	case A_LEADER:
		return leader_of(a);
	case A_MEMBER:
		if (leader_of(a) >= 0 && a->member < 0)
			a->member = open_plain(-1, a->leader);
		return a->member;
	case A_CGROUP:
		if (a->cgroup < 0)
			a->cgroup = open("/sys/fs/cgroup", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		return a->cgroup;
	case A_RECORDER:
		if (a->second < 0)
			a->second = open_channel();
		if (a->second >= 0 && a->recorder < 0)
			a->recorder = open_plain(a->second, -1);
		return a->recorder;
	default:
		return getppid();
	}
}

/* Return: false if there is no way now. */
static bool change(struct asked *asked, struct around *a, const struct change *c)
{
	uint64_t value = c->value;
	int fd = (int)value;

	if (c->size == sizeof(fd) && fd <= A_CHANNEL && fd >= A_MAIN) {
		fd = resolve(a, fd);
		value = fd;
		if (fd < 0)
			return false;
	}
	if (c->size > sizeof(value))
		memset((char *)asked + c->at, value, c->size);
	else
		memcpy((char *)asked + c->at, &value, c->size);
	return true;
}

static void valid_probe(struct asked *asked, uint32_t kind)
{
	struct pev_attr *attr = &asked->attr;

	attr->type = PEV_TYPE_PROBE;
	attr->name = (uintptr_t) "spoiled";
	probe_plain(kind, attr);
	asked->probe = *(const struct pev_probe *)(uintptr_t)attr->config;
	asked->places[0] = *(const struct pev_probe_place *)(uintptr_t)asked->probe.places;
	asked->places[0].name = GOOD;
	asked->places[1] = asked->places[0];
	asked->fields[0] = (struct pev_probe_field){
		.name = ANOTHER,
		.type = PEV_PROBE_U64,
		.from = kind & 1 ? PEV_PROBE_RESULT : PEV_PROBE_ARGUMENT,
	};
	asked->fields[1] = (struct pev_probe_field){
		.name = TEXT,
		.type = PEV_PROBE_TEXT,
		.from = PEV_PROBE_REGISTER,
		.nr_loads = 1,
	};
	asked->probe.nr_fields = 2;
	asked->probe.places = (uintptr_t)asked->places;
	asked->probe.fields = (uintptr_t)asked->fields;
	asked->probe.strings = (uintptr_t)asked->strings;
	asked->probe.strings_size = STRINGS;
	attr->config = (uintptr_t)&asked->probe;
	if (kind != PEV_PROBE_USER && kind != PEV_PROBE_USER_RETURN)
		attr->flags = OFF;
}

static void valid_table(struct asked *asked, bool pairs)
{
	asked->table = (struct pev_table){ .size = sizeof(struct pev_table),
					   .rows = 16,
					   .nr_keys = 1,
					   .keys[0].from = PEV_TABLE_TID };
	if (!pairs)
		return;
	asked->table.open = PEV_MIN_TABLE_OPEN;
	asked->table.nr_pair = 1;
	asked->table.begin[0].from = PEV_TABLE_TID;
	asked->table.end[0].from = PEV_TABLE_TID;
}

static int open_table(void)
{
	const struct pev_table own = {
		.size = sizeof(own),
		.rows = 16,
		.nr_keys = 1,
		.keys[0] = { .from = PEV_TABLE_FIELD, .name = "pid" },
	};
	const struct pev_attr attr = {
		.type = PEV_TYPE_TABLE, .config = (uintptr_t)&own, .channel_fd = -1, .group_fd = -1
	};

	return k_event(&attr);
}

static void no_event(struct pev_attr *attr, uint32_t type, const void *config)
{
	*attr = (struct pev_attr){
		.type = type, .config = (uintptr_t)config, .channel_fd = -1, .group_fd = -1
	};
}

static void records(struct asked *asked, struct around *a, uint32_t type, uint64_t period)
{
	asked->attr.type = type;
	asked->attr.period = period;
	asked->attr.channel_fd = channel_of(a);
}

static void fill(struct asked *asked)
{
	memset(asked, 0, sizeof(*asked));
	for (unsigned int i = 0; i < ARRAY_SIZE(texts); i++)
		strcpy(asked->strings + texts[i].at, texts[i].text);
	memset(asked->strings + LONG, 'a', STRINGS - 1 - LONG);
	asked->mark = (struct pev_user_mark){
		.name = MARK, .format = FORMAT, .fields = TEXT, .slot = 1
	};
	asked->producer = (struct pev_producer){
		.size = sizeof(asked->producer),
		.nr_marks = 1,
		.marks = (uintptr_t)&asked->mark,
		.strings = (uintptr_t)asked->strings,
		.strings_size = STRINGS,
		.nr_rings = 1,
		.ring_size = PEV_MIN_USER_RING,
	};
	asked->mask = 1;
	plain(&asked->attr);
}

/* Return: false if there is no way now. */
static bool make_valid(struct asked *asked, struct around *a, enum valid of)
{
	static const uint64_t pointer;
	struct pev_attr *attr = &asked->attr;

	fill(asked);
	switch (of) {
	case COUNTS:
		break;
	case RECORDS:
		records(asked, a, PEV_TYPE_SOFTWARE, 1);
		break;
	case CALLS:
		records(asked, a, PEV_TYPE_TRACEPOINT, 1);
		attr->config = 0;
		attr->name = (uintptr_t) "syscalls:sys_enter_getsid";
		break;
	case CALLS_WITH_TEXT:
		records(asked, a, PEV_TYPE_TRACEPOINT, 1);
		attr->config = 0;
		attr->flags |= PEV_F_TEXT;
		attr->name = (uintptr_t) "syscalls:sys_enter_execve";
		break;
	case CALLS_IN_TABLE:
		attr->type = PEV_TYPE_TRACEPOINT;
		attr->config = 0;
		attr->name = (uintptr_t) "syscalls:sys_enter_getsid";
		attr->period = 1;
		a->table = open_table();
		attr->channel_fd = a->table;
		return a->table >= 0;
	case TIMER:
		records(asked, a, PEV_TYPE_TIMER, 1000000000);
		attr->config = 0;
		break;
	case SIDEBAND:
		records(asked, a, PEV_TYPE_SIDEBAND, 1);
		attr->config = PEV_SB_COMM;
		break;
	case WAIT:
		attr->type = PEV_TYPE_WAIT;
		attr->config = 0;
		break;
	case USTACK:
		records(asked, a, PEV_TYPE_USTACK, 0);
		attr->config = 0;
		attr->flags = OFF;
		attr->sample = PEV_SAMPLE_USTACK;
		break;
	case RAW:
		attr->type = PEV_TYPE_RAW;
		attr->config = 0x1c4;
		return true;
	case CPUS:
		attr->target = PEV_TARGET_CPUS;
		attr->cpus = (uintptr_t)&asked->mask;
		attr->cpus_size = sizeof(asked->mask);
		break;
	case CPUS_GROUPED:
		attr->target = PEV_TARGET_CPUS;
		attr->cpus = (uintptr_t)&asked->mask;
		attr->cpus_size = sizeof(asked->mask);
		a->leader = k_event(attr);
		attr->group_fd = a->leader;
		return a->leader >= 0;
	case GROUPED:
		attr->group_fd = leader_of(a);
		return attr->group_fd >= 0;
	case PROBE_USER:
		valid_probe(asked, PEV_PROBE_USER);
		break;
	case PROBE_USER_RETURN:
		valid_probe(asked, PEV_PROBE_USER_RETURN);
		break;
	case PROBE_KERNEL:
		valid_probe(asked, PEV_PROBE_KERNEL);
		break;
	case PROBE_KERNEL_RETURN:
		valid_probe(asked, PEV_PROBE_KERNEL_RETURN);
		break;
	case PROBE_FUNCTION:
		valid_probe(asked, PEV_PROBE_FUNCTION);
		break;
	case TABLE:
	case PAIRS:
		valid_table(asked, of == PAIRS);
		no_event(attr, PEV_TYPE_TABLE, &asked->table);
		break;
	case PRODUCER:
		no_event(attr, PEV_TYPE_PRODUCER, &asked->producer);
		break;
	case LISTENER:
		attr->type = PEV_TYPE_USER;
		attr->config = 0;
		attr->target = PEV_TARGET_PROCESS;
		attr->flags = OFF;
		attr->name = (uintptr_t) "fuzz:spoiled";
		break;
	case CHANNEL:
		no_event(attr, PEV_TYPE_CHANNEL, NULL);
		attr->ring_size = 2 * PEV_MIN_PACKET;
		break;
	case CLIENT:
		no_event(attr, PEV_TYPE_CLIENT, NULL);
		attr->name = (uintptr_t) "pev_log";
		break;
	case CRASH:
		no_event(attr, PEV_TYPE_CRASH, NULL);
		break;
	case CONTEXT:
		no_event(attr, PEV_TYPE_CONTEXT, &pointer);
		break;
	}
	return true;
}

/* What may be refused whatever is asked for: rights come before most else, and CPUs go. */
static bool out_of_something(int err)
{
	return err == -ENOMEM || err == -EINTR || err == -EMFILE || err == -EPERM ||
	       err == -ENOSPC || err == -EACCES || err == -ESRCH || err == -ENODEV;
}

/* What has counters, readers or rights of its own is not there for all. */
static bool always(enum valid of)
{
	return of != RAW && of != CLIENT && of != CRASH && of != CONTEXT && of != CPUS &&
	       of != CPUS_GROUPED && (of < PROBE_USER || of > PROBE_FUNCTION);
}

static void close_all(const struct around *a)
{
	k_close(a->member);
	k_close(a->leader);
	k_close(a->recorder);
	k_close(a->second);
	k_close(a->channel);
	k_close(a->table);
	if (a->file >= 0)
		close(a->file);
	if (a->cgroup >= 0)
		close(a->cgroup);
}

static void ask(const struct spoiled *s, struct asked *asked, struct around *a, bool good)
{
	int fd;

	if (!make_valid(asked, a, s->of))
		return;
	for (unsigned int i = 0; !good && i < CHANGES && s->changes[i].size; i++)
		if (!change(asked, a, &s->changes[i]))
			return;
	fd = k_event(&asked->attr);
	add(&all->laws, 1);
	if (good && fd < 0 && always(s->of) && !out_of_something(fd))
		broken("what is valid was refused: %s: %s", strerror(-fd), k_reason());
	else if (!good && fd >= 0)
		broken("this was taken: %s", s->text);
	else if (!good && fd != -s->err && !out_of_something(fd) && s->of != RAW &&
		 !(fd == -EOPNOTSUPP && asked->attr.target == PEV_TARGET_GUEST))
		broken("this was refused by %s: %s: %s", strerror(-fd), s->text, k_reason());
	if (fd > 0)
		k_close(fd);
}

/* ---- calls on descriptors ---- */

#define WORDS 8

/**
 * struct spoiled_call - a call on a descriptor that is refused
 * @on:    what the descriptor is of
 * @cmd:   of ioctl(); 0: read(), of @words[1] bytes to @words[0]
 * @err:   as of struct spoiled
 * @words: behind the address that is its argument; first 0, NOWHERE or a number: see @plain
 * @plain: @words[0] is the argument
 */
struct spoiled_call {
	enum valid on;
	unsigned long cmd;
	int err;
	bool plain;
	uint64_t words[WORDS];
};

#define ON(on, cmd, err, ...)                  \
	{                                      \
		on, PEV_IOC_##cmd, err, false, \
		{                              \
			__VA_ARGS__            \
		}                              \
	}
#define PLAIN(on, cmd, err, value)            \
	{                                     \
		on, PEV_IOC_##cmd, err, true, \
		{                             \
			value                 \
		}                             \
	}
#define READ(on, err, to, size)   \
	{                         \
		on, 0, err, true, \
		{                 \
			to, size  \
		}                 \
	}
#define HUGE_SIZE (1 << 20)
/* Two members of 32 bits. */
#define PAIR(a, b) ((uint64_t)(b) << 32 | (a))

/* clang-format off */
static const struct spoiled_call calls[] = {
	READ(COUNTS, ENOSPC, NOWHERE, 8),
	READ(COUNTS, EFAULT, NOWHERE, sizeof(struct pev_value)),
	READ(WAIT, EFAULT, NOWHERE, 4096),
	READ(CHANNEL, EFAULT, NOWHERE, 4096),
	PLAIN(COUNTS, ENABLE, EINVAL, 2),
	PLAIN(CHANNEL, RESET, EINVAL, 2),
	PLAIN(COUNTS, PERIOD, EFAULT, NOWHERE),
	ON(RECORDS, PERIOD, ERANGE, 0),
	ON(RECORDS, PERIOD, ERANGE, 1ULL << 63),
	ON(COUNTS, GROUP_PERIOD, EINVAL, 5),
	ON(TIMER, PERIOD, ERANGE, 1),
	PLAIN(CALLS, FILTER, EFAULT, NOWHERE),
	ON(CALLS, FILTER, EFAULT, NOWHERE),
	ON(CALLS, FILTER, EINVAL, 0, 0, PAIR(0, 8)),
	ON(CALLS, FILTER, EINVAL, (uintptr_t)"pid"),
	ON(WAIT, FILTER, EOPNOTSUPP, (uintptr_t)"pid == 1"),
	PLAIN(RECORDS, ID, EFAULT, NOWHERE),
	ON(RECORDS, ID, EINVAL, 4),
	ON(RECORDS, ID, EINVAL, HUGE_SIZE),
	ON(CALLS_WITH_TEXT, ID, EFAULT, sizeof(struct pev_id), 0, 0, 0, 0, 0, NOWHERE, 16),
	PLAIN(COUNTS, READ_CPUS, EFAULT, NOWHERE),
	ON(COUNTS, READ_CPUS, EFAULT, NOWHERE, PAIR(MAX_CPUS, 0)),
	ON(COUNTS, READ_CPUS, EINVAL, NOWHERE, PAIR(MAX_CPUS, 1)),
	ON(COUNTS, READ_CPUS, ENOSPC, NOWHERE, PAIR(0, 0)),
	PLAIN(COUNTS, READ_COUNTS, EFAULT, NOWHERE),
	ON(COUNTS, READ_COUNTS, EINVAL, 4),
	ON(COUNTS, READ_COUNTS, E2BIG, HUGE_SIZE),
	PLAIN(COUNTS, USER_NEXT, ENOTTY, NOWHERE),
	PLAIN(COUNTS, USER_DONE, ENOTTY, NOWHERE),
	ON(COUNTS, READ_MULTIPLEXED, EOPNOTSUPP, 8),
	PLAIN(TIMER, READ_MULTIPLEXED, EFAULT, NOWHERE),
	ON(TIMER, READ_MULTIPLEXED, EINVAL, 4),
	ON(TIMER, READ_MULTIPLEXED, E2BIG, HUGE_SIZE),
	PLAIN(CHANNEL, CHANNEL_INFO, EFAULT, NOWHERE),
	ON(CHANNEL, CHANNEL_INFO, EINVAL, 2),
	ON(CHANNEL, CHANNEL_INFO, E2BIG, HUGE_SIZE),
	PLAIN(CHANNEL, CHANNEL_STATE, EFAULT, NOWHERE),
	ON(CHANNEL, CHANNEL_STATE, EINVAL, 2),
	ON(CHANNEL, CHANNEL_STATE, E2BIG, HUGE_SIZE),
	PLAIN(CHANNEL, SNAPSHOT, EFAULT, NOWHERE),
	ON(CHANNEL, SNAPSHOT, EFAULT, NOWHERE, PAIR(MAX_CPUS, 0)),
	ON(CHANNEL, SNAPSHOT, EINVAL, NOWHERE, PAIR(MAX_CPUS, 1)),
	ON(CHANNEL, SNAPSHOT, ENOSPC, NOWHERE, PAIR(0, 0)),
	PLAIN(CHANNEL, ACT, EINVAL, 0),
	PLAIN(CHANNEL, ACT, EINVAL, PEV_ACT_MAX),
	PLAIN(TABLE, TABLE_SWAP, EFAULT, NOWHERE),
	ON(TABLE, TABLE_SWAP, EINVAL, 8),
	ON(TABLE, TABLE_SWAP, E2BIG, HUGE_SIZE),
	ON(TABLE, TABLE_SWAP, EINVAL, PAIR(sizeof(struct pev_table_swap), 1 << 20)),
	ON(TABLE, TABLE_SWAP, EINVAL, sizeof(struct pev_table_swap), NOWHERE, PAIR(16, 1)),
	ON(TABLE, TABLE_SWAP, ENOSPC, sizeof(struct pev_table_swap), NOWHERE, PAIR(15, 0)),
	PLAIN(LISTENER, USER_NEXT, EFAULT, NOWHERE),
	ON(LISTENER, USER_NEXT, EINVAL, 8),
	ON(LISTENER, USER_NEXT, E2BIG, HUGE_SIZE),
	PLAIN(LISTENER, USER_DONE, EFAULT, NOWHERE),
};
/* clang-format on */

/* The room is more than any of the structures: an answer overwrites nothing else. */
static void call_wrongly(const struct spoiled_call *c, int fd)
{
	uint64_t room[64] = { 0 };
	long ret;

	memcpy(room, c->words, sizeof(c->words));
	if (!c->cmd)
		ret = k_read(fd, (void *)(uintptr_t)c->words[0], c->words[1]);
	else
		ret = k_ioctl(fd, c->cmd, c->plain ? c->words[0] : (uintptr_t)room);
	add(&all->laws, 1);
	if (ret != -c->err && !out_of_something(ret))
		broken("call %zu that is wrong: %ld instead of %d", c - calls, ret, -c->err);
}

static void call_one(const struct spoiled_call *c, struct asked *asked, struct around *a)
{
	int fd = make_valid(asked, a, c->on) ? k_event(&asked->attr) : -1;

	if (fd < 0)
		return;
	call_wrongly(c, fd);
	k_close(fd);
}

void world_spoil(struct player *w, const struct op *op, struct rng *r)
{
	static __thread struct asked asked;
	unsigned int n = 1 + below(r, 4);

	(void)w;
	(void)op;
	while (n--) {
		struct around around = nothing;

		if (one_in(r, 5))
			call_one(&calls[below(r, ARRAY_SIZE(calls))], &asked, &around);
		else
			ask(&table[below(r, ARRAY_SIZE(table))], &asked, &around, one_in(r, 16));
		close_all(&around);
	}
}
