// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of channels that kernel code has: what is written is read, in order, whatever was
 * lost is counted, in each channel for itself, and misuse harms no other client.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/pev_channel.h>
#include <linux/pev_refuse.h>
#include <linux/preempt.h>
#include <linux/sizes.h>
#include <linux/workqueue.h>
#include "object.h"

struct test_number {
	u64	serial;
	u32	cpu;
	s16	below[2];
};

PEV_CLIENT_EVENT(number_event, "pev_test:number", test_number, serial, cpu, below);

struct test_text {
	u8	kind;
	char	letter;
	u16	text_len;
	char	text[];
};

PEV_CLIENT_EVENT_ARRAY(text_event, "pev_test:text", test_text, text, kind, letter, text_len);

static struct pev_client *create(struct kunit *test, const char *name, u64 ring_size, u32 flags)
{
	const struct pev_client_desc desc = {
		.name = name,
		.ring_size = ring_size,
		.flags = flags,
	};
	struct pev_client *client = pev_client_create(&desc);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, client);
	return client;
}

static struct pev_client_event *add(struct kunit *test, struct pev_client *client,
				    const struct pev_payload_desc *desc)
{
	struct pev_client_event *event = pev_client_add(client, desc);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, event);
	return event;
}

static bool put_number(struct pev_client_event *event, u64 serial)
{
	const struct test_number number = {
		.serial = serial,
		.cpu = raw_smp_processor_id(),
		.below = { -1, -2 },
	};

	return pev_client_write(event, &number, sizeof(number));
}

/**
 * struct seen - what was read
 * @test:      reports
 * @nr:        records
 * @newest:    time of the last one
 * @unordered: records that were older than the one before
 * @wrong:     records with other contents than were written
 * @cpus:      on which they were written
 * @left:      reading ends when it is 0
 */
struct seen {
	struct kunit	*test;
	u64		nr;
	u64		newest;
	u64		unordered;
	u64		wrong;
	unsigned long	cpus;
	u64		left;
};

static bool see(const struct pev_client_record *record, void *data)
{
	const struct test_number *number = record->data;
	struct seen *seen = data;

	seen->nr++;
	seen->unordered += record->time < seen->newest;
	seen->newest = record->time;
	seen->wrong += record->size != sizeof(*number) || number->cpu != record->cpu ||
		       number->below[0] != -1 || number->below[1] != -2;
	seen->cpus |= 1UL << record->cpu;
	return --seen->left;
}

static struct seen read_all(struct kunit *test, struct pev_client *client)
{
	struct seen seen = { .test = test, .left = U64_MAX };

	KUNIT_EXPECT_EQ(test, pev_client_read(client, see, &seen), seen.nr);
	return seen;
}

static void client_writes_and_reads(struct kunit *test)
{
	struct pev_client *client = create(test, "pev_test", SZ_64K, PEV_CLIENT_PRIVATE);
	struct pev_client_event *event = add(test, client, &number_event);
	struct seen seen;

	for (int i = 0; i < 1000; i++)
		KUNIT_EXPECT_TRUE(test, put_number(event, i));
	seen = read_all(test, client);
	KUNIT_EXPECT_EQ(test, seen.nr, 1000);
	KUNIT_EXPECT_EQ(test, seen.unordered, 0);
	KUNIT_EXPECT_EQ(test, seen.wrong, 0);
	KUNIT_EXPECT_EQ(test, read_all(test, client).nr, 0);
	KUNIT_EXPECT_TRUE(test, put_number(event, 0));
	KUNIT_EXPECT_EQ(test, read_all(test, client).nr, 1);
	KUNIT_EXPECT_STREQ(test, pev_client_event_name(event), "pev_test:number");
	pev_client_destroy(client);
}

/* More events than short headers have ids for: the others are read, too, and in order. */
static void client_has_many_events(struct kunit *test)
{
	struct pev_client *client = create(test, "pev_test", SZ_64K, PEV_CLIENT_PRIVATE);
	static struct pev_client_event *events[40];
	static struct pev_payload_desc descs[ARRAY_SIZE(events)];
	static char names[ARRAY_SIZE(events)][24];
	struct seen seen;

	for (int i = 0; i < ARRAY_SIZE(events); i++) {
		snprintf(names[i], sizeof(names[i]), "pev_test:number%d", i);
		descs[i] = number_event;
		descs[i].name = names[i];
		events[i] = add(test, client, &descs[i]);
	}
	for (int i = 0; i < 400; i++)
		KUNIT_EXPECT_TRUE(test, put_number(events[i * 7 % ARRAY_SIZE(events)], i));
	seen = read_all(test, client);
	KUNIT_EXPECT_EQ(test, seen.nr, 400);
	KUNIT_EXPECT_EQ(test, seen.unordered, 0);
	KUNIT_EXPECT_EQ(test, seen.wrong, 0);
	for (int i = 0; i < ARRAY_SIZE(events); i++)
		KUNIT_EXPECT_EQ(test, pev_client_stat(events[i]).written, 10);
	pev_client_destroy(client);
}

/* A reader that stops early goes on behind the record that it saw last. */
static void client_stops_early(struct kunit *test)
{
	struct pev_client *client = create(test, "pev_test", SZ_64K, PEV_CLIENT_PRIVATE);
	struct pev_client_event *event = add(test, client, &number_event);
	struct seen seen = { .test = test, .left = 3 };

	for (int i = 0; i < 10; i++)
		put_number(event, i);
	KUNIT_EXPECT_EQ(test, pev_client_read(client, see, &seen), 3);
	seen.left = 1;
	KUNIT_EXPECT_EQ(test, pev_client_read(client, see, &seen), 1);
	KUNIT_EXPECT_EQ(test, read_all(test, client).nr, 6);
	pev_client_destroy(client);
}

static bool see_text(const struct pev_client_record *record, void *data)
{
	const struct test_text *text = record->data;
	struct kunit *test = data;

	KUNIT_EXPECT_EQ(test, record->size, offsetof(struct test_text, text) + text->text_len);
	KUNIT_EXPECT_EQ(test, text->letter, 'a' + text->kind);
	for (u32 i = 0; i < text->text_len; i++)
		KUNIT_EXPECT_EQ(test, text->text[i], text->letter);
	return true;
}

static void client_writes_text(struct kunit *test)
{
	struct pev_client *client = create(test, "pev_test", SZ_64K, PEV_CLIENT_PRIVATE);
	struct pev_client_event *event = add(test, client, &text_event);

	for (int i = 0; i < 26; i++) {
		struct test_text *text;

		guard(preempt)();
		text = pev_client_reserve(event, offsetof(struct test_text, text) + i);
		KUNIT_ASSERT_NOT_NULL(test, text);
		text->kind = i;
		text->letter = 'a' + i;
		text->text_len = i;
		memset(text->text, 'a' + i, i);
		pev_client_commit(event);
	}
	KUNIT_EXPECT_EQ(test, pev_client_read(client, see_text, test), 26);
	pev_client_destroy(client);
}

/* ---- several writers, several traces ---- */

#define WRITES 20000

/**
 * struct writer - a thread that writes to two channels
 * @events: of the channels
 * @done:   it has
 */
struct writer {
	struct pev_client_event	**events;
	struct completion	done;
};

static int write_both(void *data)
{
	struct writer *writer = data;

	for (int i = 0; i < WRITES; i++) {
		put_number(writer->events[0], i);
		put_number(writer->events[1], i);
		cond_resched();
	}
	complete(&writer->done);
	return 0;
}

static void count_record(const struct pev_client_record *record, void *data)
{
	see(record, data);
}

/* The reader of the first channel keeps up, the second has none. */
static void client_isolates_loss(struct kunit *test)
{
	struct seen seen = { .test = test, .left = U64_MAX };
	const struct pev_client_desc desc = {
		.name = "pev_test_fast",
		.flags = PEV_CLIENT_PRIVATE,
		.ring_size = SZ_8M,
		.consume = count_record,
		.data = &seen,
	};
	struct pev_client *fast = pev_client_create(&desc);
	struct pev_client *slow = create(test, "pev_test_slow", SZ_16K, PEV_CLIENT_PRIVATE);
	struct pev_client_event *events[2];
	struct pev_client_stat stat;
	struct writer writers[3];

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, fast);
	events[0] = add(test, fast, &number_event);
	events[1] = add(test, slow, &number_event);
	for (int i = 0; i < ARRAY_SIZE(writers); i++) {
		writers[i].events = events;
		init_completion(&writers[i].done);
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, kthread_run(write_both, &writers[i],
							       "pev_test/%d", i));
	}
	for (int i = 0; i < ARRAY_SIZE(writers); i++)
		wait_for_completion(&writers[i].done);

	stat = pev_client_stat(events[1]);
	KUNIT_EXPECT_GT(test, stat.lost, 0);
	KUNIT_EXPECT_EQ(test, stat.written + stat.lost, ARRAY_SIZE(writers) * WRITES);
	KUNIT_EXPECT_EQ(test, read_all(test, slow).nr, stat.written);
	stat = pev_client_stat(events[0]);
	KUNIT_EXPECT_EQ(test, stat.lost, 0);
	KUNIT_EXPECT_EQ(test, stat.written, ARRAY_SIZE(writers) * WRITES);
	pev_client_destroy(fast);
	KUNIT_EXPECT_EQ(test, seen.nr, stat.written);
	KUNIT_EXPECT_EQ(test, seen.unordered, 0);
	KUNIT_EXPECT_EQ(test, seen.wrong, 0);
	pev_client_destroy(slow);
}

/* A flight recorder has the newest records, without a gap. */
static bool see_next(const struct pev_client_record *record, void *data)
{
	const struct test_number *number = record->data;
	struct seen *seen = data;

	seen->wrong += seen->nr && number->serial != seen->newest + 1;
	seen->newest = number->serial;
	seen->nr++;
	return true;
}

static void client_overwrites(struct kunit *test)
{
	struct pev_client *client = create(test, "pev_test", SZ_16K,
					   PEV_CLIENT_PRIVATE | PEV_CLIENT_OVERWRITE);
	struct pev_client_event *event = add(test, client, &number_event);
	struct seen seen = { .test = test };

	migrate_disable();
	for (int i = 0; i < 10000; i++)
		put_number(event, i);
	migrate_enable();
	KUNIT_EXPECT_EQ(test, pev_client_stat(event).lost, 0);
	pev_client_read(client, see_next, &seen);
	KUNIT_EXPECT_GT(test, seen.nr, 100);
	KUNIT_EXPECT_LT(test, seen.nr, 1000);
	KUNIT_EXPECT_EQ(test, seen.wrong, 0);
	KUNIT_EXPECT_EQ(test, seen.newest, 9999);
	pev_client_destroy(client);
}

/* ---- events that the kernel has ---- */

static bool count_event(const struct pev_client_record *record, void *data)
{
	unsigned long *nr = data;

	*nr += 1;
	return true;
}

static void work_fn(struct work_struct *work)
{
}

static void client_listens(struct kunit *test)
{
	struct pev_client *client = create(test, "pev_test", SZ_1M, PEV_CLIENT_PRIVATE);
	struct pev_client_event *event;
	struct work_struct work;
	unsigned long nr = 0;

	event = pev_client_listen(client, "workqueue:workqueue_queue_work", NULL, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, event);
	INIT_WORK_ONSTACK(&work, work_fn);
	for (int i = 0; i < 10; i++) {
		schedule_work(&work);
		flush_work(&work);
	}
	destroy_work_on_stack(&work);
	KUNIT_EXPECT_GE(test, pev_client_read(client, count_event, &nr), 10);
	KUNIT_EXPECT_EQ(test, nr, pev_client_stat(event).written);
	pev_client_destroy(client);
}

static void client_listens_to_nothing(struct kunit *test)
{
	struct pev_client *client = create(test, "pev_test", SZ_64K, PEV_CLIENT_PRIVATE);
	struct pev_refuse why = {};

	KUNIT_EXPECT_PTR_EQ(test, pev_client_listen(client, "no_such:thing", NULL, &why),
			    ERR_PTR(-ENOENT));
	KUNIT_EXPECT_STREQ(test, why.text, "there is no tracepoint or marker \"no_such:thing\"");
	KUNIT_EXPECT_PTR_EQ(test, pev_client_listen(client, "sched:sched_switch", "x == ", &why),
			    ERR_PTR(-EINVAL));
	pev_client_destroy(client);
}

/* ---- misuse ---- */

static void client_names(struct kunit *test)
{
	struct pev_client *client = create(test, "pev_test", SZ_64K, 0);
	const struct pev_client_desc same = { .name = "pev_test" };
	const struct pev_client_desc none = {};
	const struct pev_client_desc blank = { .name = "pev test" };
	const struct pev_client_desc flags = { .name = "x", .flags = ~0U };
	const struct pev_client_desc size = { .name = "x", .ring_size = 3 };
	const struct pev_client_desc shown = { .name = "x", .consume = count_record };

	KUNIT_EXPECT_PTR_EQ(test, pev_client_create(&same), ERR_PTR(-EEXIST));
	KUNIT_EXPECT_PTR_EQ(test, pev_client_create(&none), ERR_PTR(-EINVAL));
	KUNIT_EXPECT_PTR_EQ(test, pev_client_create(&blank), ERR_PTR(-EINVAL));
	KUNIT_EXPECT_PTR_EQ(test, pev_client_create(&flags), ERR_PTR(-EINVAL));
	KUNIT_EXPECT_PTR_EQ(test, pev_client_create(&size), ERR_PTR(-EINVAL));
	KUNIT_EXPECT_PTR_EQ(test, pev_client_create(&shown), ERR_PTR(-EINVAL));
	KUNIT_EXPECT_EQ(test, pev_client_read(client, see, NULL), -EINVAL);
	add(test, client, &number_event);
	KUNIT_EXPECT_PTR_EQ(test, pev_client_add(client, &number_event), ERR_PTR(-EEXIST));
	pev_client_destroy(client);
	client = create(test, "pev_test", SZ_64K, 0);
	pev_client_destroy(client);
	pev_client_destroy(NULL);
	pev_client_destroy(ERR_PTR(-ENOMEM));
}

/* Sizes that an event can't have, and a record of one that is not written: nothing comes. */
static void client_sizes(struct kunit *test)
{
	struct pev_client *client = create(test, "pev_test", SZ_64K, PEV_CLIENT_PRIVATE);
	struct pev_client_event *event = add(test, client, &text_event);
	static const u32 sizes[] = { 0, 3, SZ_64K, SZ_1M, S32_MAX, 1U << 31, U32_MAX - 6, U32_MAX };
	struct pev_client_event *listened;

	preempt_disable();
	for (int i = 0; i < ARRAY_SIZE(sizes); i++)
		KUNIT_EXPECT_NULL_MSG(test, pev_client_reserve(event, sizes[i]), "%u", sizes[i]);
	preempt_enable();
	KUNIT_EXPECT_EQ(test, pev_client_stat(event).lost, ARRAY_SIZE(sizes));
	listened = pev_client_listen(client, "workqueue:workqueue_execute_end", "function == 1",
				     NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, listened);
	preempt_disable();
	for (int i = 0; i < ARRAY_SIZE(sizes); i++)
		KUNIT_EXPECT_NULL(test, pev_client_reserve(listened, sizes[i]));
	preempt_enable();
	KUNIT_EXPECT_EQ(test, pev_client_read(client, see_text, test), 0);
	pev_client_destroy(client);
}

/* A commit without a reservation changes nothing; those of another client go on. */
static void client_commits_twice(struct kunit *test)
{
	struct pev_client *wrong = create(test, "pev_test_twice", SZ_64K, PEV_CLIENT_PRIVATE);
	struct pev_client *right = create(test, "pev_test", SZ_64K, PEV_CLIENT_PRIVATE);
	struct pev_client_event *twice = add(test, wrong, &number_event);
	struct pev_client_event *event = add(test, right, &number_event);

	preempt_disable();
	pev_client_commit(twice);
	put_number(twice, 1);
	pev_client_commit(twice);
	put_number(twice, 2);
	preempt_enable();
	put_number(event, 1);
	KUNIT_EXPECT_EQ(test, read_all(test, wrong).nr, 2);
	KUNIT_EXPECT_EQ(test, read_all(test, right).nr, 1);
	pev_client_destroy(wrong);
	pev_client_destroy(right);
}

/* What comes later on that CPU is not seen, the reader does not wait forever, nor does the end. */
static void client_never_commits(struct kunit *test)
{
	struct pev_client *wrong = create(test, "pev_test_never", SZ_64K, PEV_CLIENT_PRIVATE);
	struct pev_client *right = create(test, "pev_test", SZ_64K, PEV_CLIENT_PRIVATE);
	struct pev_client_event *never = add(test, wrong, &number_event);
	struct pev_client_event *event = add(test, right, &number_event);

	preempt_disable();
	put_number(never, 1);
	KUNIT_EXPECT_NOT_NULL(test, pev_client_reserve(never, sizeof(struct test_number)));
	put_number(never, 2);
	put_number(event, 1);
	preempt_enable();
	KUNIT_EXPECT_LE(test, read_all(test, wrong).nr, 1);
	KUNIT_EXPECT_EQ(test, read_all(test, right).nr, 1);
	pev_client_destroy(wrong);
	pev_client_destroy(right);
}

/* ---- consumers ---- */

#define PASSES 200

/**
 * struct refill - a consumer that is written to as fast as it reads
 * @event:   of its channel
 * @nr:      records that were delivered
 * @written: records that were accepted
 * @passes:  how often a packet's worth was written while one was delivered
 * @done:    that was so PASSES times
 */
struct refill {
	struct pev_client_event	*event;
	u64			nr;
	u64			written;
	unsigned int		passes;
	struct completion	done;
};

/* Woken by a packet, and not by the clock. */
static struct pev_client *
create_consumer(struct kunit *test,
		void (*consume)(const struct pev_client_record *record, void *data),
		struct refill *refill)
{
	const struct pev_client_desc desc = {
		.name = "pev_test",
		.flags = PEV_CLIENT_PRIVATE,
		.ring_size = SZ_64K,
		.packet_size = SZ_4K,
		.period_ms = 100000,
		.consume = consume,
		.data = refill,
	};
	struct pev_client *client = pev_client_create(&desc);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, client);
	refill->event = add(test, client, &number_event);
	return client;
}

static void write_packet(struct refill *refill)
{
	for (int i = 0; i < SZ_4K / sizeof(struct test_number); i++)
		refill->written += put_number(refill->event, i);
}

/* With the last record that there was goes the first of those that are left over. */
static void consume_and_write(const struct pev_client_record *record, void *data)
{
	struct refill *refill = data;

	if (++refill->nr != refill->written)
		return;
	if (refill->passes++ < PASSES)
		write_packet(refill);
	else
		complete(&refill->done);
}

/* What is written while records are delivered is not left to the next period, nor to a tick. */
static void client_keeps_up(struct kunit *test)
{
	struct refill refill = { .done = COMPLETION_INITIALIZER_ONSTACK(refill.done) };
	struct pev_client *client = create_consumer(test, consume_and_write, &refill);
	ktime_t begun = ktime_get();

	scoped_guard(mutex, &client->lock) write_packet(&refill);
	KUNIT_EXPECT_NE(test, wait_for_completion_timeout(&refill.done, 30 * HZ), 0);
	KUNIT_EXPECT_LT(test, ktime_ms_delta(ktime_get(), begun), PASSES * 8);
	KUNIT_EXPECT_EQ(test, pev_client_stat(refill.event).lost, 0);
	pev_client_destroy(client);
	KUNIT_EXPECT_EQ(test, refill.nr, refill.written);
}

static void consume_nothing(const struct pev_client_record *record, void *data)
{
}

static bool is_delivering(struct pev_client *client)
{
	return work_busy(&client->work.work) & WORK_BUSY_RUNNING;
}

/* What nobody commits stays readable: it is waited for once a period, not all the time. */
static void client_never_commits_to_a_consumer(struct kunit *test)
{
	struct refill refill = {};
	struct pev_client *client = create_consumer(test, consume_nothing, &refill);

	/* the pass that the first packet wakes begins when it is all there */
	mutex_lock(&client->lock);
	preempt_disable();
	write_packet(&refill);
	KUNIT_EXPECT_NOT_NULL(test, pev_client_reserve(refill.event, sizeof(struct test_number)));
	write_packet(&refill);
	preempt_enable();
	mutex_unlock(&client->lock);
	for (int i = 0; i < 1000 && (!READ_ONCE(client->told) || is_delivering(client)); i++)
		msleep(20);
	KUNIT_EXPECT_NE(test, READ_ONCE(client->told), 0);
	for (int i = 0; i < 10; i++) {
		KUNIT_EXPECT_FALSE(test, is_delivering(client));
		msleep(20);
	}
	pev_client_destroy(client);
}

/* A length that says more than there is: the packet is passed over, and the next one read. */
static void client_lies(struct kunit *test)
{
	struct pev_client *client = create(test, "pev_test", SZ_64K, PEV_CLIENT_PRIVATE);
	struct pev_client_event *event = add(test, client, &text_event);
	const struct test_text lie = { .text_len = U16_MAX };
	const struct test_text truth = { .letter = 'a' };

	pev_client_write(event, &lie, sizeof(lie));
	KUNIT_EXPECT_EQ(test, pev_client_read(client, see_text, test), 0);
	pev_client_write(event, &truth, sizeof(truth));
	KUNIT_EXPECT_EQ(test, pev_client_read(client, see_text, test), 1);
	pev_client_destroy(client);
}

static struct kunit_case client_cases[] = { KUNIT_CASE(client_writes_and_reads),
					    KUNIT_CASE(client_has_many_events),
					    KUNIT_CASE(client_stops_early),
					    KUNIT_CASE(client_writes_text),
					    KUNIT_CASE(client_isolates_loss),
					    KUNIT_CASE(client_overwrites),
					    KUNIT_CASE(client_listens),
					    KUNIT_CASE(client_listens_to_nothing),
					    KUNIT_CASE(client_names),
					    KUNIT_CASE(client_sizes),
					    KUNIT_CASE(client_commits_twice),
					    KUNIT_CASE(client_never_commits),
					    KUNIT_CASE(client_keeps_up),
					    KUNIT_CASE(client_never_commits_to_a_consumer),
					    KUNIT_CASE(client_lies),
					    {} };

static struct kunit_suite client_suite = {
	.name = "pev_client",
	.test_cases = client_cases,
};

kunit_test_suite(client_suite);

MODULE_DESCRIPTION("Tests of pev's channels for kernel code");
MODULE_LICENSE("GPL");
