// SPDX-License-Identifier: GPL-2.0
/*
 * Owns channels: their rings, event ids, wake-up and periodic flush.
 * Must not know how a record looks inside.
 *
 * Lock order: channel->add_lock, cpus_read_lock -> pev_channels_lock -> channel->lock. No
 * memory of the user's is touched, and none allocated, with one of the last three held, but
 * for a CPU that comes online: who asks for it may be made to wait by his memory cgroup, and
 * others wait for these locks.
 */
#include <linux/capability.h>
#include <linux/cpu.h>
#include <linux/irq_work.h>
#include <linux/pev_clock.h>
#include <linux/pev_marker.h>
#include <linux/pev_refuse.h>
#include <linux/rcuwait.h>
#include <linux/sched/signal.h>
#include <linux/sched/user.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/syscore_ops.h>
#include <linux/uuid.h>
#include "base/memory.h"
#include "base/strbuf.h"
#include "base/work.h"
#include "types.h"
#include "act.h"
#include "channel.h"
#include "map.h"
#include "metadata.h"
#include "persist.h"
#include "recorders.h"

#define DEFAULT_PACKET	SZ_64K

/* A flush costs kernel time that is charged to no task. */
#define USER_FLUSH_MS	10

static DEFINE_MUTEX(pev_channels_lock);
static LIST_HEAD(pev_channels);
static u64 last_channel_id;

/* ---- memory limit ---- */

/* What was set aside at boot is nobody's. */
static unsigned long ring_pages(struct pev_channel *channel)
{
	return channel->persists ? 0 : pev_channel_stride(channel) >> PAGE_SHIFT;
}

static int charge(struct pev_channel *channel, unsigned long pages, struct pev_refuse *r)
{
	int err = 0;

	if (channel->user)
		err = pev_memory_charge(channel->user, pages, PEV_FIELD(ring_size), "rings",
					"a smaller ring_size", r);
	if (!err)
		channel->charged += pages;
	return err;
}

static void uncharge(struct pev_channel *channel, unsigned long pages)
{
	pev_memory_uncharge(channel->user, pages);
	channel->charged -= pages;
}

/* ---- wake-up and flush ---- */

static void wake_consumer(struct irq_work *work)
{
	struct pev_channel *channel = container_of(work, struct pev_channel, wake);

	PEV_MARK(pev, wakeup, "channel %llu", channel->id);
	wake_up_all(&channel->wait);
}

/**
 * struct flush - a flush on its way to a ring's CPU
 * @ring: the ring
 * @end:  of what it closed
 */
struct flush {
	struct pev_ring	*ring;
	u64		end;
};

static void flush_here(void *data)
{
	struct flush *flush = data;
	unsigned long flags;

	local_irq_save(flags);
	flush->end = pev_ring_flush(flush->ring);
	local_irq_restore(flags);
}

/*
 * Rings of CPUs that are offline: a ring is for one CPU to write, and here each
 * caller is on its own.
 */
static DEFINE_MUTEX(offline_flush);

static u64 flush_ring(struct pev_ring *ring, unsigned int cpu)
{
	struct flush flush = { .ring = ring };

	/* the CPU must stay online, or stay offline */
	guard(cpus_read_lock)();
	if (cpu_online(cpu)) {
		smp_call_function_single(cpu, flush_here, &flush, 1);
	} else {
		guard(mutex)(&offline_flush);
		flush_here(&flush);
	}
	return flush.end;
}

/* Writers finish soon, but for one that never commits: until @limit, if the channel has one. */
static bool may_wait(const struct pev_channel *channel, unsigned long limit)
{
	if (fatal_signal_pending(current) || (channel->patience && time_after(jiffies, limit)))
		return false;
	cond_resched();
	return true;
}

/* An interrupted writer finishes soon and then publishes. */
static bool await_published(struct pev_channel *channel, struct pev_ring *ring, u64 end)
{
	unsigned long limit = jiffies + channel->patience;

	while (!pev_ring_published(ring, end))
		if (!may_wait(channel, limit))
			return false;
	return true;
}

/*
 * Where no packet is open there is nothing to close, and the CPU is not interrupted. A writer may
 * be about to open one nevertheless, at a time that it has read before the caller read the
 * clock: it is waited for.
 * Return: 1 if a packet is open or not published yet, 0 if not, and -1 if that writer does not
 * finish.
 */
static int await_opened(struct pev_channel *channel, struct pev_ring *ring)
{
	unsigned long limit = jiffies + channel->patience;

	for (;;) {
		bool writing = pev_ring_is_written(ring);
		u64 pos = local64_read(&ring->pos);

		if (pos & (ring->packet_size - 1))
			return 1;
		/* another flush may have closed it in the midst of a writer, which publishes it */
		if (!writing)
			return !pev_ring_published(ring, pos);
		if (!may_wait(channel, limit))
			return -1;
	}
}

unsigned int pev_channel_flush(struct pev_channel *channel)
{
	unsigned int cpu, late = nr_cpu_ids;

	for_each_possible_cpu(cpu) {
		struct pev_ring *ring = READ_ONCE(channel->rings[cpu]);
		int opened = ring ? await_opened(channel, ring) : 0;

		if (opened < 0 ||
		    (opened && !await_published(channel, ring, flush_ring(ring, cpu))))
			late = cpu;
	}
	return late;
}

void pev_channel_flush_often(struct pev_channel *channel)
{
	if (channel->flush_ms)
		queue_delayed_work(pev_wq, &channel->flush, msecs_to_jiffies(channel->flush_ms));
}

static void periodic_flush(struct work_struct *work)
{
	struct pev_channel *channel = container_of(to_delayed_work(work),
						   struct pev_channel, flush);

	pev_channel_flush(channel);
	pev_channel_flush_often(channel);
}

/* ---- creation and end ---- */

static int check_sizes(struct pev_channel *channel, const struct pev_channel_desc *desc,
		       struct pev_refuse *r)
{
	u64 ring = desc->ring_size;
	u32 packet = desc->packet_size;

	if (!ring && desc->flags & PEV_CHF_PERSIST)
		ring = pev_persist_ring_size() ?: PEV_MIN_PACKET * PEV_MIN_PACKETS;
	if (ring < PEV_MIN_PACKET * PEV_MIN_PACKETS || ring > PEV_MAX_RING ||
	    !is_power_of_2(ring))
		return pev_refuse_range(r, EINVAL, PEV_FIELD(ring_size),
					PEV_MIN_PACKET * PEV_MIN_PACKETS, PEV_MAX_RING,
					"ring_size %llu is not a power of two in the range",
					ring);
	if (!packet)
		packet = clamp_t(u64, ring / 4, PEV_MIN_PACKET, DEFAULT_PACKET);
	if (packet < PEV_MIN_PACKET || packet > PEV_MAX_PACKET || !is_power_of_2(packet) ||
	    ring / packet < PEV_MIN_PACKETS)
		return pev_refuse_range(r, EINVAL, PEV_FIELD(packet_size), PEV_MIN_PACKET,
					min_t(u64, PEV_MAX_PACKET, ring / PEV_MIN_PACKETS),
					"packet_size %u is not a power of two in the range",
					packet);
	if (desc->watermark > ring - packet)
		return pev_refuse_range(r, EINVAL, PEV_FIELD(watermark), 0, ring - packet,
					"watermark %u would be reached when the ring is full",
					desc->watermark);
	if (desc->flush_ms && desc->flush_ms < USER_FLUSH_MS && desc->user &&
	    !perfmon_capable())
		return pev_refuse_range(r, EACCES, PEV_FIELD(flush_ms), USER_FLUSH_MS, U32_MAX,
					"to flush every %u ms needs CAP_PERFMON",
					desc->flush_ms);
	channel->ring_size = ring;
	channel->packet_size = packet;
	channel->watermark = desc->watermark ?: packet;
	return 0;
}

/*
 * The consumer is woken by a thread where the kernel is PREEMPT_RT. That one looks at the work
 * again after it has run it, under RCU, for which irq_work_sync() waits a grace period: one for
 * each channel, in the queue where closed events of all users are freed. The channel is freed
 * after one instead.
 */
static void await_works(struct pev_channel *channel)
{
	struct irq_work *wake = &channel->wake;

	/* which queues the other one */
	irq_work_sync(&channel->close);
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		rcuwait_wait_event(&wake->irqwait, !irq_work_is_busy(wake), TASK_UNINTERRUPTIBLE);
	else
		irq_work_sync(wake);
}

static void channel_free(struct pev_channel *channel)
{
	unsigned int cpu;

	mutex_lock(&pev_channels_lock);
	list_del(&channel->node);
	mutex_unlock(&pev_channels_lock);

	pev_recorders_remove(channel);
	cancel_delayed_work_sync(&channel->flush);
	await_works(channel);
	if (channel->rings) {
		for_each_possible_cpu(cpu)
			pev_ring_free(channel->rings[cpu]);
	}
	pev_persist_release(channel);
	xa_destroy(&channel->events);
	kfree(channel->rings);
	uncharge(channel, channel->charged);
	free_uid(channel->user);
	pev_strbuf_free(&channel->metadata);
	mutex_destroy(&channel->lock);
	mutex_destroy(&channel->add_lock);
	kfree_rcu(channel, rcu);
}

static void channel_release_ref(struct kref *ref)
{
	channel_free(container_of(ref, struct pev_channel, ref));
}

void pev_channel_put(struct pev_channel *channel)
{
	kref_put(&channel->ref, channel_release_ref);
}

/*
 * Become visible to CPUs that come online, which get their rings from
 * pev_channels_cpu_prepare(). CPUs that are online now are put in @cpus, and their rings
 * are charged for.
 */
static int enlist(struct pev_channel *channel, struct cpumask *cpus, struct pev_refuse *r)
{
	int err;

	guard(cpus_read_lock)();
	guard(mutex)(&pev_channels_lock);
	err = charge(channel, ring_pages(channel) * num_online_cpus(), r);
	if (err)
		return err;
	cpumask_copy(cpus, cpu_online_mask);
	channel->id = ++last_channel_id;
	list_add_tail(&channel->node, &pev_channels);
	return 0;
}

/* The machine may have been suspended since the ring was made. */
static void shift_clock(struct pev_channel *channel, struct pev_ring *ring)
{
	lockdep_assert_held(&pev_channels_lock);
	if (ring->shift != channel->clock_shift)
		pev_ring_shift(ring, channel->clock_shift - ring->shift);
}

/* The CPU may have gone offline and come back: then it has a ring already. */
static void publish_ring(struct pev_channel *channel, struct pev_ring *ring, unsigned int cpu)
{
	scoped_guard(mutex, &pev_channels_lock) {
		if (!channel->rings[cpu]) {
			shift_clock(channel, ring);
			/* pairs with the acquire in pev_channel_mmap() */
			smp_store_release(&channel->rings[cpu], ring);
			return;
		}
		uncharge(channel, ring_pages(channel));
	}
	pev_ring_free(ring);
}

/* Allocate rings for all online CPUs; no lock is held while allocating. */
static int alloc_rings(struct pev_channel *channel, struct pev_refuse *r)
{
	cpumask_var_t cpus;
	unsigned int cpu;
	int err;

	if (!zalloc_cpumask_var(&cpus, GFP_KERNEL))
		return -ENOMEM;
	err = enlist(channel, cpus, r);
	if (err)
		goto out;
	for_each_cpu(cpu, cpus) {
		struct pev_ring *ring = pev_ring_alloc(channel, cpu);

		if (!ring) {
			err = pev_refuse(r, ENOMEM, PEV_FIELD(ring_size),
					 "no memory for %u rings of %llu bytes: ask for a smaller ring_size",
					 cpumask_weight(cpus), channel->ring_size);
			break;
		}
		publish_ring(channel, ring, cpu);
	}
out:
	free_cpumask_var(cpus);
	return err;
}

static struct pev_channel *channel_alloc(const struct pev_channel_desc *desc)
{
	struct pev_channel *channel = kzalloc(sizeof(*channel), GFP_KERNEL_ACCOUNT);

	if (!channel)
		return NULL;
	kref_init(&channel->ref);
	mutex_init(&channel->add_lock);
	mutex_init(&channel->lock);
	xa_init_flags(&channel->events, XA_FLAGS_ACCOUNT);
	INIT_LIST_HEAD(&channel->node);
	init_waitqueue_head(&channel->wait);
	init_irq_work(&channel->wake, wake_consumer);
	pev_channel_act_init(channel, desc->flags & PEV_CHF_STOPPED);
	INIT_DELAYED_WORK(&channel->flush, periodic_flush);
	channel->user = desc->user ? get_uid(desc->user) : NULL;
	channel->flags = desc->flags;
	channel->flush_ms = desc->flush_ms;
	channel->patience = desc->patience;
	generate_random_uuid(channel->uuid);
	return channel;
}

struct pev_channel *pev_channel_create(const struct pev_channel_desc *desc,
				       struct pev_refuse *r)
{
	struct pev_channel *channel = channel_alloc(desc);
	int err;

	if (!channel)
		return ERR_PTR(-ENOMEM);
	err = check_sizes(channel, desc, r);
	if (err)
		goto err_free;
	err = pev_clock_init(&channel->clock, desc->clock);
	if (err) {
		pev_refuse(r, -err, PEV_FIELD(clock),
			   "this machine's cycle counter can't serve as a clock: use PEV_CLOCK_DEFAULT or PEV_CLOCK_MONOTONIC");
		goto err_free;
	}
	err = -ENOMEM;
	channel->rings = kcalloc(nr_cpu_ids, sizeof(*channel->rings), GFP_KERNEL_ACCOUNT);
	if (!channel->rings)
		goto err_free;

	err = pev_metadata_begin(channel);
	if (!err && desc->flags & PEV_CHF_PERSIST)
		err = pev_persist_claim(channel, r);
	err = err ?: pev_persist_text(channel, r);
	err = err ?: pev_recorders_add(channel, r);
	err = err ?: alloc_rings(channel, r);
	if (err)
		goto err_free;
	return channel;

err_free:
	channel_free(channel);
	return ERR_PTR(err);
}

/**
 * pev_channels_cpu_prepare() - rings of a CPU that comes online
 * @cpu: the CPU
 *
 * Context: CPU hotplug, before @cpu runs.
 * Return: 0; a channel for which memory is short goes without that CPU.
 */
int pev_channels_cpu_prepare(unsigned int cpu)
{
	struct pev_channel *channel;
	struct pev_event *event;
	unsigned long id;

	mutex_lock(&pev_channels_lock);
	list_for_each_entry(channel, &pev_channels, node) {
		struct pev_ring *ring;

		if (channel->rings[cpu])
			continue;
		ring = pev_ring_alloc(channel, cpu);
		if (!ring)
			continue;
		if (channel->user)
			atomic_long_add(ring_pages(channel), &channel->user->locked_vm);
		channel->charged += ring_pages(channel);
		shift_clock(channel, ring);
		mutex_lock(&channel->lock);
		/* pairs with the acquire in pev_channel_mmap() */
		smp_store_release(&channel->rings[cpu], ring);
		xa_for_each(&channel->events, id, event)
			per_cpu_ptr(event->rings, cpu)->ring = ring;
		mutex_unlock(&channel->lock);
	}
	mutex_unlock(&pev_channels_lock);
	return 0;
}

/* ---- a machine that sleeps ---- */

static struct {
	u64	cycles;
	u64	ns;
} asleep;

/* Both run on the last CPU with interrupts off, while all tasks are frozen. */
static int channels_suspend(void *data)
{
	asleep.cycles = pev_clock_read(PEV_CLOCK_CYCLES);
	asleep.ns = ktime_get_boottime_ns();
	return 0;
}

/*
 * The counter may have been reset, to 0 mostly. All rings go on with the same time,
 * that of a counter that ran on.
 */
static void channels_resume(void *data)
{
	u64 ns = ktime_get_boottime_ns() - asleep.ns;
	struct pev_channel *channel;
	unsigned int cpu;
	u64 lag;

	/* a frozen task holds it: set_back() in ring.c corrects these rings later */
	if (!mutex_trylock(&pev_channels_lock))
		return;
	list_for_each_entry(channel, &pev_channels, node) {
		if (channel->clock.type != PEV_CLOCK_CYCLES)
			continue;
		lag = pev_clock_lag(asleep.cycles, pev_clock_read(PEV_CLOCK_CYCLES), ns,
				    channel->clock.freq);
		if (!lag)
			continue;
		channel->clock_shift += lag;
		for_each_possible_cpu(cpu)
			if (channel->rings[cpu])
				shift_clock(channel, channel->rings[cpu]);
	}
	mutex_unlock(&pev_channels_lock);
}

static const struct syscore_ops channels_syscore_ops = {
	.suspend	= channels_suspend,
	.resume		= channels_resume,
};

static struct syscore channels_syscore = { .ops = &channels_syscore_ops };

void __init pev_channels_setup(void)
{
	register_syscore(&channels_syscore);
	pev_persist_setup();
}

void __pev_teardown pev_channels_teardown(void)
{
	unregister_syscore(&channels_syscore);
}

/* ---- events of a channel ---- */

static int give_id(struct pev_channel *channel, struct pev_event *event, struct pev_refuse *r)
{
	lockdep_assert_held(&channel->add_lock);
	if (channel->next_id == PEV_MAX_CHANNEL_EVENTS)
		return pev_refuse(r, ENOSPC, PEV_FIELD(channel_fd),
				  "the channel has given out all its %u event ids: open another channel",
				  PEV_MAX_CHANNEL_EVENTS);
	/* id 31 marks an extended header */
	event->id = channel->next_id;
	if (event->id == PEV_ID_EXTENDED)
		event->id++;
	return xa_reserve(&channel->events, event->id, GFP_KERNEL);
}

/* Let the metadata have room for @more. Who adds an event is the only one to change it. */
static int make_room(struct pev_channel *channel, const struct pev_strbuf *more)
{
	struct pev_strbuf *text = &channel->metadata, wide = { };
	int err;

	lockdep_assert_held(&channel->add_lock);
	err = pev_strbuf_room(text, more->len, &wide);
	if (err || !wide.buf)
		return err;
	scoped_guard(mutex, &channel->lock) {
		swap(text->buf, wide.buf);
		text->size = wide.size;
	}
	pev_strbuf_free(&wide);
	return 0;
}

/* From here on CPUs that come online find the event. All memory is there. */
static int add_described(struct pev_channel *channel, struct pev_event *event,
			 const struct pev_strbuf *described, struct pev_refuse *r)
{
	size_t len = channel->metadata.len;
	unsigned int cpu;
	int err;

	guard(mutex)(&channel->lock);
	pev_strbuf_append(&channel->metadata, described);
	/* before its first record */
	err = pev_persist_text(channel, r);
	if (err) {
		WRITE_ONCE(channel->metadata.len, len);
		return err;
	}
	xa_store(&channel->events, event->id, event, 0);
	kref_get(&channel->ref);
	event->channel = channel;
	for_each_possible_cpu(cpu)
		per_cpu_ptr(event->rings, cpu)->ring = channel->rings[cpu];
	return 0;
}

int pev_channel_add_event(struct pev_channel *channel, struct pev_event *event,
			  struct pev_refuse *r)
{
	struct pev_strbuf described = { };
	int err;

	guard(mutex)(&channel->add_lock);
	err = give_id(channel, event, r);
	if (err)
		return err;
	err = pev_metadata_event(&described, event);
	err = err ?: make_room(channel, &described);
	err = err ?: add_described(channel, event, &described, r);
	if (err)
		xa_release(&channel->events, event->id);
	else
		channel->next_id = event->id + 1;
	pev_strbuf_free(&described);
	return err;
}

void pev_channel_forget_event(struct pev_channel *channel, struct pev_event *event)
{
	mutex_lock(&channel->lock);
	xa_erase(&channel->events, event->id);
	mutex_unlock(&channel->lock);
}
