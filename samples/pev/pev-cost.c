// SPDX-License-Identifier: GPL-2.0
/*
 * What a record costs that kernel code writes and reads itself: two numbers, by a marker and
 * by a channel of the module's own. Write how often to a file of <debugfs>/pev_cost and take
 * the time:
 *
 *	marker	 reaches the marker pev_cost:numbers
 *	reserve	 writes a record in place
 *	copy	 writes one from a copy
 *	bare	 does none of this: what is left is the loop
 *	deliver	 writes records to a channel with a consumer, which is called later
 *	callback calls that consumer, without a channel
 *
 * Reading "read" reads the channel that reserve and copy write to, and tells how many records
 * there were. "delivered" tells of the consumer: how often it was called, and nanoseconds from
 * its first call to its last one.
 */
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/pev_channel.h>
#include <linux/pev_marker.h>
#include <linux/preempt.h>
#include <linux/seq_file.h>
#include <linux/sizes.h>

#define MAX_COUNT 100000
#define RING_SIZE SZ_16M

/* Nothing is read while writes are timed, but for what a full ring asks for. */
#define PERIOD_MS 1000

struct pev_cost_numbers {
	u64	serial;
	u64	square;
};

PEV_CLIENT_EVENT(numbers, "pev_cost:numbers", pev_cost_numbers, serial, square);

static struct pev_client *asked, *consumed;
static struct pev_client_event *asked_numbers, *consumed_numbers;

/* Of the consumer: its calls, and the times of the first and the last of those expected. */
static u64 nr_calls, nr_expected, first, last;

static bool take(const struct pev_client_record *record, void *data)
{
	return true;
}

static void consume(const struct pev_client_record *record, void *data)
{
	if (!nr_calls)
		first = ktime_get_ns();
	if (++nr_calls == nr_expected)
		WRITE_ONCE(last, ktime_get_ns());
}

static void expect(u64 nr)
{
	nr_calls = 0;
	nr_expected = nr;
	WRITE_ONCE(last, 0);
}

/* ---- what is repeated; each is a function of its own ---- */

static noinline void bare(u64 i)
{
	barrier();
}

static noinline void marker(u64 i)
{
	PEV_MARK(pev_cost, numbers, "serial %llu square %llu", i, i * i);
}

static noinline void reserve(u64 i)
{
	struct pev_cost_numbers *to = pev_client_reserve(asked_numbers, sizeof(*to));

	if (!to)
		return;
	to->serial = i;
	to->square = i * i;
	pev_client_commit(asked_numbers);
}

static noinline void copy(u64 i)
{
	const struct pev_cost_numbers value = { .serial = i, .square = i * i };

	pev_client_write(asked_numbers, &value, sizeof(value));
}

static noinline void deliver(u64 i)
{
	const struct pev_cost_numbers value = { .serial = i, .square = i * i };

	pev_client_write(consumed_numbers, &value, sizeof(value));
}

static noinline void callback(u64 i)
{
	/* as the channel's worker calls it */
	void (*call)(const struct pev_client_record *record, void *data) = consume;

	OPTIMIZER_HIDE_VAR(call);
	call(NULL, NULL);
}

/* ---- files ---- */

/* Inlined, so that the loop calls what it repeats. */
static __always_inline int repeat(void (*what)(u64 i), u64 nr)
{
	if (nr > MAX_COUNT)
		return -EINVAL;
	guard(preempt)();
	for (u64 i = 0; i < nr; i++)
		what(i);
	return 0;
}

#define DEFINE_REPEATED(name)						\
	static int name##_set(void *data, u64 nr)			\
	{								\
		return repeat(name, nr);				\
	}								\
	DEFINE_DEBUGFS_ATTRIBUTE(name##_fops, NULL, name##_set, "%llu\n")

DEFINE_REPEATED(bare);
DEFINE_REPEATED(marker);
DEFINE_REPEATED(reserve);
DEFINE_REPEATED(copy);

static int deliver_set(void *data, u64 nr)
{
	expect(nr);
	return repeat(deliver, nr);
}
DEFINE_DEBUGFS_ATTRIBUTE(deliver_fops, NULL, deliver_set, "%llu\n");

static int callback_set(void *data, u64 nr)
{
	expect(nr);
	return repeat(callback, nr);
}
DEFINE_DEBUGFS_ATTRIBUTE(callback_fops, NULL, callback_set, "%llu\n");

static int read_show(struct seq_file *m, void *unused)
{
	long nr = pev_client_read(asked, take, NULL);

	if (nr < 0)
		return nr;
	seq_printf(m, "%ld\n", nr);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(read);

static int delivered_show(struct seq_file *m, void *unused)
{
	u64 end = READ_ONCE(last);

	seq_printf(m, "%llu %llu\n", end ? nr_expected : 0, end ? end - first : 0);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(delivered);

/* ---- the module ---- */

static struct pev_client *open_channel(const char *name, struct pev_client_event **event,
				       void (*consume)(const struct pev_client_record *record,
						       void *data))
{
	const struct pev_client_desc desc = {
		.name = name,
		.flags = PEV_CLIENT_PRIVATE,
		.ring_size = RING_SIZE,
		.consume = consume,
		.period_ms = PERIOD_MS,
	};
	struct pev_client *client = pev_client_create(&desc);

	*event = NULL;
	if (!IS_ERR(client))
		*event = pev_client_add(client, &numbers);
	return client;
}

static struct dentry *dir;

static void make_files(void)
{
	dir = debugfs_create_dir("pev_cost", NULL);
	debugfs_create_file("bare", 0200, dir, NULL, &bare_fops);
	debugfs_create_file("marker", 0200, dir, NULL, &marker_fops);
	debugfs_create_file("reserve", 0200, dir, NULL, &reserve_fops);
	debugfs_create_file("copy", 0200, dir, NULL, &copy_fops);
	debugfs_create_file("deliver", 0200, dir, NULL, &deliver_fops);
	debugfs_create_file("callback", 0200, dir, NULL, &callback_fops);
	debugfs_create_file("read", 0400, dir, NULL, &read_fops);
	debugfs_create_file("delivered", 0400, dir, NULL, &delivered_fops);
}

static int __init pev_cost_init(void)
{
	asked = open_channel("pev_cost", &asked_numbers, NULL);
	consumed = open_channel("pev_cost_consumed", &consumed_numbers, consume);
	if (IS_ERR_OR_NULL(asked_numbers) || IS_ERR_OR_NULL(consumed_numbers)) {
		pev_client_destroy(consumed);
		pev_client_destroy(asked);
		return -ENODEV;
	}
	make_files();
	return 0;
}

static void __exit pev_cost_exit(void)
{
	debugfs_remove(dir);
	pev_client_destroy(consumed);
	pev_client_destroy(asked);
}

module_init(pev_cost_init);
module_exit(pev_cost_exit);
MODULE_DESCRIPTION("What records of a module's own cost, as a sample");
MODULE_LICENSE("GPL");
