// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of channels whose rings other CPUs write to.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/pev_refuse.h>
#include <linux/preempt.h>
#include <linux/sizes.h>
#include <linux/smp.h>
#include "channel.h"

#define SPELL_US 2000 /* far longer than a flush that does not wait */

/**
 * struct writer - a thread that stays inside of another CPU's ring for a while
 * @ring:    of that CPU, where no packet is open
 * @inside:  it is, and has not moved the position
 * @flushed: the flush is about to begin
 * @left:    it is about to write
 * @done:    it has
 */
struct writer {
	struct pev_ring		*ring;
	bool			inside;
	bool			flushed;
	bool			left;
	struct completion	done;
};

/* As an interrupt finds it that comes to a writer right behind the clock. */
static int write_slowly(void *data)
{
	struct writer *writer = data;
	struct pev_ring *ring = writer->ring;
	u32 *body;

	preempt_disable();
	local_inc(&ring->nest);
	WRITE_ONCE(writer->inside, true);
	while (!READ_ONCE(writer->flushed))
		cpu_relax();
	udelay(SPELL_US);
	WRITE_ONCE(writer->left, true);
	body = pev_ring_reserve(ring, 0, 4);
	if (!pev_ring_refused(body)) {
		*body = 0;
		pev_ring_commit(ring);
	}
	/* the one that was entered above, which publishes */
	pev_ring_commit(ring);
	preempt_enable();
	complete(&writer->done);
	return 0;
}

/* A record whose writer began before the flush is in what the flush closes. */
static void flush_waits_for_who_opens_a_packet(struct kunit *test)
{
	const struct pev_channel_desc desc = { .ring_size = SZ_16K };
	struct writer writer = { .done = COMPLETION_INITIALIZER_ONSTACK(writer.done) };
	struct pev_refuse r = {};
	struct pev_channel *channel;
	struct task_struct *task;
	unsigned int cpu, late = 0;
	bool left = false;
	u64 head;

	if (num_online_cpus() < 2)
		kunit_skip(test, "takes two CPUs");
	channel = pev_channel_create(&desc, &r);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, channel);
	/* not on the CPU that the writer keeps for itself */
	migrate_disable();
	cpu = cpumask_any_but(cpu_online_mask, smp_processor_id());
	writer.ring = channel->rings[cpu];
	task = kthread_run_on_cpu(write_slowly, &writer, cpu, "pev_writer/%u");
	if (!IS_ERR(task)) {
		while (!READ_ONCE(writer.inside))
			cond_resched();
		WRITE_ONCE(writer.flushed, true);
		late = pev_channel_flush(channel);
		left = READ_ONCE(writer.left);
		wait_for_completion(&writer.done);
	}
	migrate_enable();
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, task);
	head = READ_ONCE(writer.ring->kernel->head);
	KUNIT_EXPECT_TRUE(test, left);
	KUNIT_EXPECT_EQ(test, late, nr_cpu_ids);
	KUNIT_EXPECT_EQ(test, head, channel->packet_size);
	pev_channel_put(channel);
}

static struct kunit_case channel_cases[] = {
	KUNIT_CASE(flush_waits_for_who_opens_a_packet),
	{}
};

static struct kunit_suite channel_suite = {
	.name = "pev_channel",
	.test_cases = channel_cases,
};

kunit_test_suite(channel_suite);

MODULE_DESCRIPTION("Tests of pev's channels whose rings other CPUs write to");
MODULE_LICENSE("GPL");
