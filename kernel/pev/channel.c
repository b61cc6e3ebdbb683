// SPDX-License-Identifier: GPL-2.0
/*
 * Owns channels: their rings, event ids, file, wake-up and periodic flush.
 * Must not know how a record looks inside.
 *
 * Lock order: cpus_read_lock -> pev_channels_lock -> channel->lock.
 */
#include <linux/anon_inodes.h>
#include <linux/capability.h>
#include <linux/cpu.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/sched/signal.h>
#include <linux/sched/user.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/uaccess.h>
#include <linux/uuid.h>
#include "channel.h"
#include "control.h"
#include "event.h"
#include "refuse.h"

#define DEFAULT_PACKET	SZ_64K

static DEFINE_MUTEX(pev_channels_lock);
static LIST_HEAD(pev_channels);
static u64 last_channel_id;

/* ---- memory limit ---- */

static unsigned long ring_pages(struct pev_channel *channel)
{
	return pev_channel_stride(channel) >> PAGE_SHIFT;
}

static int charge(struct pev_channel *channel, unsigned long pages, struct pev_refuse *r)
{
	unsigned long limit = rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT;
	long used = atomic_long_add_return(pages, &channel->user->locked_vm);

	if (used > limit && !capable(CAP_IPC_LOCK)) {
		atomic_long_sub(pages, &channel->user->locked_vm);
		return pev_refuse(r, EPERM, PEV_FIELD(ring_size),
			"%lu KiB of rings do not fit in RLIMIT_MEMLOCK, %lu of %lu KiB are in use: ask for a smaller ring_size, raise the limit (ulimit -l) or use CAP_IPC_LOCK",
			pages << (PAGE_SHIFT - 10), (used - pages) << (PAGE_SHIFT - 10),
			limit << (PAGE_SHIFT - 10));
	}
	channel->charged += pages;
	return 0;
}

static void uncharge(struct pev_channel *channel)
{
	atomic_long_sub(channel->charged, &channel->user->locked_vm);
	channel->charged = 0;
}

/* ---- wake-up and flush ---- */

static void wake_consumer(struct irq_work *work)
{
	struct pev_channel *channel = container_of(work, struct pev_channel, wake);

	wake_up_all(&channel->wait);
}

/**
 * struct flush - a flush on its way to a ring's CPU
 * @ring: the ring
 * @done: all that was in the ring is published
 */
struct flush {
	struct pev_ring	*ring;
	bool		done;
};

static void flush_here(void *data)
{
	struct flush *flush = data;
	unsigned long flags;

	local_irq_save(flags);
	flush->done = pev_ring_flush(flush->ring);
	local_irq_restore(flags);
}

static void flush_ring(struct pev_ring *ring, unsigned int cpu)
{
	struct flush flush = { .ring = ring };

	lockdep_assert_cpus_held();
	/* a writer that was interrupted is done soon, and publishes then */
	do {
		if (cpu_online(cpu))
			smp_call_function_single(cpu, flush_here, &flush, 1);
		else
			flush_here(&flush);
	} while (!flush.done);
}

void pev_channel_flush(struct pev_channel *channel)
{
	unsigned int cpu;

	cpus_read_lock();
	for_each_possible_cpu(cpu) {
		struct pev_ring *ring = READ_ONCE(channel->rings[cpu]);

		if (ring && local64_read(&ring->pos) & (ring->packet_size - 1))
			flush_ring(ring, cpu);
	}
	cpus_read_unlock();
}

static void periodic_flush(struct work_struct *work)
{
	struct pev_channel *channel = container_of(to_delayed_work(work),
						   struct pev_channel, flush);

	pev_channel_flush(channel);
	schedule_delayed_work(&channel->flush, msecs_to_jiffies(channel->flush_ms));
}

/* ---- creation and end ---- */

static int check_sizes(struct pev_channel *channel, const struct pev_attr *attr,
		       struct pev_refuse *r)
{
	u64 ring = attr->ring_size;
	u32 packet = attr->packet_size;

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
	if (attr->watermark > ring - packet)
		return pev_refuse_range(r, EINVAL, PEV_FIELD(watermark), 0, ring - packet,
					"watermark %u would be reached when the ring is full",
					attr->watermark);
	channel->ring_size = ring;
	channel->packet_size = packet;
	channel->watermark = attr->watermark ?: packet;
	return 0;
}

static void channel_free(struct pev_channel *channel)
{
	unsigned int cpu;

	mutex_lock(&pev_channels_lock);
	list_del(&channel->node);
	mutex_unlock(&pev_channels_lock);

	cancel_delayed_work_sync(&channel->flush);
	irq_work_sync(&channel->wake);
	if (channel->rings) {
		for_each_possible_cpu(cpu)
			pev_ring_free(channel->rings[cpu]);
	}
	kfree(channel->rings);
	uncharge(channel);
	free_uid(channel->user);
	pev_text_free(&channel->metadata);
	mutex_destroy(&channel->lock);
	kfree(channel);
}

static void channel_release_ref(struct kref *ref)
{
	channel_free(container_of(ref, struct pev_channel, ref));
}

void pev_channel_put(struct pev_channel *channel)
{
	kref_put(&channel->ref, channel_release_ref);
}

/* Rings for all online CPUs. */
static int alloc_rings(struct pev_channel *channel, struct pev_refuse *r)
{
	unsigned int cpu;
	int err;

	lockdep_assert_held(&pev_channels_lock);
	lockdep_assert_cpus_held();

	err = charge(channel, ring_pages(channel) * num_online_cpus(), r);
	if (err)
		return err;
	for_each_online_cpu(cpu) {
		channel->rings[cpu] = pev_ring_alloc(channel, cpu);
		if (!channel->rings[cpu])
			return pev_refuse(r, ENOMEM, PEV_FIELD(ring_size),
				"no memory for %u rings of %llu bytes: ask for a smaller ring_size",
				num_online_cpus(), channel->ring_size);
	}
	return 0;
}

static struct pev_channel *channel_alloc(const struct pev_attr *attr)
{
	struct pev_channel *channel = kzalloc(sizeof(*channel), GFP_KERNEL_ACCOUNT);

	if (!channel)
		return NULL;
	kref_init(&channel->ref);
	mutex_init(&channel->lock);
	INIT_LIST_HEAD(&channel->events);
	INIT_LIST_HEAD(&channel->node);
	init_waitqueue_head(&channel->wait);
	init_irq_work(&channel->wake, wake_consumer);
	INIT_DELAYED_WORK(&channel->flush, periodic_flush);
	channel->user = get_current_user();
	channel->flags = attr->flags;
	channel->flush_ms = attr->flush_ms;
	generate_random_uuid(channel->uuid);
	return channel;
}

struct pev_channel *pev_channel_create(const struct pev_attr *attr, struct pev_refuse *r)
{
	struct pev_channel *channel = channel_alloc(attr);
	int err;

	if (!channel)
		return ERR_PTR(-ENOMEM);
	err = check_sizes(channel, attr, r);
	if (err)
		goto err_free;
	err = pev_clock_init(&channel->clock, attr->clock);
	if (err) {
		pev_refuse(r, -err, PEV_FIELD(clock),
			   "this machine's cycle counter can't serve as a clock: use PEV_CLOCK_DEFAULT or PEV_CLOCK_MONOTONIC");
		goto err_free;
	}
	err = -ENOMEM;
	channel->rings = kcalloc(nr_cpu_ids, sizeof(*channel->rings), GFP_KERNEL_ACCOUNT);
	if (!channel->rings)
		goto err_free;

	/* closed events hand their memory back a little later */
	if (atomic_long_read(&channel->user->locked_vm))
		pev_event_reap_sync();
	cpus_read_lock();
	mutex_lock(&pev_channels_lock);
	channel->id = ++last_channel_id;
	err = alloc_rings(channel, r);
	if (!err)
		list_add_tail(&channel->node, &pev_channels);
	mutex_unlock(&pev_channels_lock);
	cpus_read_unlock();
	if (err)
		goto err_free;

	err = pev_metadata_begin(channel);
	if (err)
		goto err_free;
	if (channel->flush_ms)
		schedule_delayed_work(&channel->flush, msecs_to_jiffies(channel->flush_ms));
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

	mutex_lock(&pev_channels_lock);
	list_for_each_entry(channel, &pev_channels, node) {
		struct pev_ring *ring;

		if (channel->rings[cpu])
			continue;
		ring = pev_ring_alloc(channel, cpu);
		if (!ring)
			continue;
		atomic_long_add(ring_pages(channel), &channel->user->locked_vm);
		channel->charged += ring_pages(channel);
		mutex_lock(&channel->lock);
		/* pairs with the acquire in pev_channel_mmap() */
		smp_store_release(&channel->rings[cpu], ring);
		list_for_each_entry(event, &channel->events, channel_node)
			per_cpu_ptr(event->slots, cpu)->ring = ring;
		mutex_unlock(&channel->lock);
	}
	mutex_unlock(&pev_channels_lock);
	return 0;
}

/* ---- events of a channel ---- */

int pev_channel_add_event(struct pev_channel *channel, struct pev_event *event,
			  struct pev_refuse *r)
{
	unsigned int cpu;
	int err;

	mutex_lock(&channel->lock);
	if (channel->next_id == PEV_MAX_CHANNEL_EVENTS) {
		err = pev_refuse(r, ENOSPC, PEV_FIELD(channel_fd),
				 "the channel has given out all its %u event ids: open another channel",
				 PEV_MAX_CHANNEL_EVENTS);
		goto out;
	}
	/* the compact header keeps 31 for itself */
	event->id = channel->next_id;
	if (event->id == PEV_ID_EXTENDED)
		event->id++;
	err = pev_metadata_event(channel, event);
	if (err)
		goto out;
	channel->next_id = event->id + 1;
	kref_get(&channel->ref);
	event->channel = channel;
	list_add_tail(&event->channel_node, &channel->events);
	for_each_possible_cpu(cpu)
		per_cpu_ptr(event->slots, cpu)->ring = channel->rings[cpu];
out:
	mutex_unlock(&channel->lock);
	return err;
}

void pev_channel_remove_event(struct pev_channel *channel, struct pev_event *event)
{
	mutex_lock(&channel->lock);
	list_del(&event->channel_node);
	mutex_unlock(&channel->lock);
	pev_channel_put(channel);
}

/* ---- the file ---- */

static ssize_t channel_read(struct file *file, char __user *buf, size_t count, loff_t *pos)
{
	struct pev_channel *channel = file->private_data;
	ssize_t ret;

	mutex_lock(&channel->lock);
	ret = simple_read_from_buffer(buf, count, pos, channel->metadata.buf,
				      channel->metadata.len);
	mutex_unlock(&channel->lock);
	return ret;
}

static loff_t channel_llseek(struct file *file, loff_t offset, int whence)
{
	struct pev_channel *channel = file->private_data;

	return fixed_size_llseek(file, offset, whence, READ_ONCE(channel->metadata.len));
}

static __poll_t channel_poll(struct file *file, poll_table *wait)
{
	struct pev_channel *channel = file->private_data;
	unsigned int cpu;

	poll_wait(file, &channel->wait, wait);
	for_each_possible_cpu(cpu) {
		struct pev_ring *ring = READ_ONCE(channel->rings[cpu]);

		if (ring && pev_ring_readable(ring))
			return EPOLLIN | EPOLLRDNORM;
	}
	return 0;
}

static int channel_info(struct pev_channel *channel, struct pev_channel_info __user *uinfo)
{
	struct pev_channel_info info = {
		.size = sizeof(info),
		.nr_cpus = nr_cpu_ids,
		.ring_size = channel->ring_size,
		.packet_size = channel->packet_size,
		.watermark = channel->watermark,
		.mmap_stride = pev_channel_stride(channel),
		.mmap_user = PAGE_SIZE,
		.mmap_data = PAGE_SIZE * 2,
		.clock = channel->clock.type,
		.flags = channel->flags,
		.clock_freq = channel->clock.freq,
		.clock_offset_s = channel->clock.offset_s,
		.clock_offset = channel->clock.offset,
		.id = channel->id,
	};
	u32 size;

	memcpy(info.uuid, channel->uuid, sizeof(info.uuid));
	mutex_lock(&channel->lock);
	info.metadata_size = channel->metadata.len;
	mutex_unlock(&channel->lock);
	if (get_user(size, &uinfo->size))
		return -EFAULT;
	if (size < sizeof(info.size))
		return -EINVAL;
	return pev_copy_struct_to_user(uinfo, size, &info, sizeof(info));
}

static int channel_snapshot(struct pev_channel *channel,
			    struct pev_snapshot_arg __user *uarg)
{
	struct pev_span __user *spans;
	struct pev_snapshot_arg arg;
	unsigned int cpu;

	if (copy_from_user(&arg, uarg, sizeof(arg)))
		return -EFAULT;
	if (arg.reserved)
		return -EINVAL;
	if (put_user(nr_cpu_ids, &uarg->nr))
		return -EFAULT;
	if (arg.nr < nr_cpu_ids)
		return -ENOSPC;
	pev_channel_flush(channel);
	spans = u64_to_user_ptr(arg.spans);
	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		struct pev_ring *ring = READ_ONCE(channel->rings[cpu]);
		struct pev_span span = {};

		if (ring) {
			span.end = READ_ONCE(ring->kernel->head);
			if (ring->overwrite)
				span.begin = READ_ONCE(ring->kernel->oldest);
			else
				span.begin = min(READ_ONCE(ring->user->tail), span.end);
		}
		if (copy_to_user(&spans[cpu], &span, sizeof(span)))
			return -EFAULT;
	}
	return 0;
}

static long channel_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct pev_channel *channel = file->private_data;

	switch (cmd) {
	case PEV_IOC_FLUSH:
		if (arg)
			return -EINVAL;
		pev_channel_flush(channel);
		return 0;
	case PEV_IOC_SNAPSHOT:
		return channel_snapshot(channel, (void __user *)arg);
	case PEV_IOC_CHANNEL_INFO:
		return channel_info(channel, (void __user *)arg);
	default:
		return pev_event_control_channel(channel, cmd, arg);
	}
}

static int channel_release(struct inode *inode, struct file *file)
{
	struct pev_channel *channel = file->private_data;

	/* no consumer can come back: nobody needs latency any more */
	cancel_delayed_work_sync(&channel->flush);
	pev_channel_put(channel);
	return 0;
}

static const struct file_operations pev_channel_fops = {
	.owner		= THIS_MODULE,
	.read		= channel_read,
	.llseek		= channel_llseek,
	.poll		= channel_poll,
	.mmap		= pev_channel_mmap,
	.unlocked_ioctl	= channel_ioctl,
	.compat_ioctl	= compat_ptr_ioctl,
	.release	= channel_release,
};

struct pev_channel *pev_channel_from_file(struct file *file)
{
	return file->f_op == &pev_channel_fops ? file->private_data : NULL;
}

struct file *pev_channel_file(struct pev_channel *channel)
{
	struct file *file;

	file = anon_inode_getfile("[pev-channel]", &pev_channel_fops, channel, O_RDWR);
	if (!IS_ERR(file))
		file->f_mode |= FMODE_LSEEK | FMODE_PREAD;
	return file;
}
