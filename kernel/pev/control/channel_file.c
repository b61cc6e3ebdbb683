// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the files of channels: reading the metadata, poll, and what ioctl() tells. Rings
 * are mapped by channel/map.c.
 *
 * Locks: channel->lock, under which no memory of the user's is touched.
 */
#include <linux/anon_inodes.h>
#include <linux/fs.h>
#include <linux/poll.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "base/user.h"
#include "channel/act.h"
#include "channel/channel.h"
#include "channel/map.h"
#include "channel_file.h"
#include "control.h"

#define READ_CHUNK	((size_t)SZ_16K)

/* Copy metadata from @pos on, under the lock: the buffer moves when it grows. */
static size_t metadata_copy(struct pev_channel *channel, char *to, size_t size, loff_t pos)
{
	guard(mutex)(&channel->lock);
	if (pos >= channel->metadata.len)
		return 0;
	size = min_t(u64, size, channel->metadata.len - pos);
	memcpy(to, channel->metadata.buf + pos, size);
	return size;
}

/* Copies to the user through a chunk: user memory may fault forever, so never under the lock. */
static ssize_t channel_read(struct file *file, char __user *buf, size_t count, loff_t *pos)
{
	struct pev_channel *channel = file->private_data;
	size_t done = 0, size;
	char *chunk;

	if (*pos < 0)
		return -EINVAL;
	if (!count)
		return 0;
	chunk = kvmalloc(min(count, READ_CHUNK), GFP_KERNEL_ACCOUNT);
	if (!chunk)
		return -ENOMEM;
	while (done < count && !fatal_signal_pending(current)) {
		size = metadata_copy(channel, chunk, min(count - done, READ_CHUNK), *pos);
		if (!size)
			break;
		size -= copy_to_user(buf + done, chunk, size);
		if (!size) {
			kvfree(chunk);
			return done ?: -EFAULT;
		}
		*pos += size;
		done += size;
	}
	kvfree(chunk);
	return done;
}

static loff_t channel_llseek(struct file *file, loff_t offset, int whence)
{
	struct pev_channel *channel = file->private_data;

	return fixed_size_llseek(file, offset, whence, READ_ONCE(channel->metadata.len));
}

static __poll_t channel_poll(struct file *file, poll_table *wait)
{
	struct pev_channel *channel = file->private_data;
	__poll_t got = 0;
	unsigned int cpu;

	poll_wait(file, &channel->wait, wait);
	if (pev_channel_has_news(channel))
		got = EPOLLPRI;
	for_each_possible_cpu(cpu) {
		struct pev_ring *ring = READ_ONCE(channel->rings[cpu]);

		if (ring && pev_ring_readable(ring))
			return got | EPOLLIN | EPOLLRDNORM;
	}
	return got;
}

static int channel_info(struct pev_channel *channel, struct pev_channel_info __user *uinfo)
{
	struct pev_channel_info info = {
		.size = sizeof(info),
		.nr_rings = nr_cpu_ids,
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

	if (get_user(size, &uinfo->size))
		return -EFAULT;
	if (size < sizeof(info.size))
		return -EINVAL;
	if (size > PAGE_SIZE)
		return -E2BIG;
	memcpy(info.uuid, channel->uuid, sizeof(info.uuid));
	scoped_guard(mutex, &channel->lock)
		info.metadata_size = channel->metadata.len;
	return pev_copy_struct_to_user(uinfo, size, &info, sizeof(info));
}

static int channel_snapshot(struct pev_channel *channel,
			    struct pev_snapshot_arg __user *uarg)
{
	struct pev_span __user *spans;
	struct pev_snapshot_arg arg;
	unsigned int nr;

	if (copy_from_user(&arg, uarg, sizeof(arg)))
		return -EFAULT;
	if (arg.reserved)
		return -EINVAL;
	if (put_user(nr_cpu_ids, &uarg->nr))
		return -EFAULT;
	if (arg.nr < nr_cpu_ids)
		return -ENOSPC;
	/* a closed one holds the same until it is opened */
	pev_channel_settle(channel);
	pev_channel_flush(channel);
	spans = u64_to_user_ptr(arg.spans);
	for (nr = 0; nr < nr_cpu_ids; nr++) {
		struct pev_ring *ring = READ_ONCE(channel->rings[nr]);
		struct pev_span span = {};

		if (ring) {
			span.end = READ_ONCE(ring->kernel->head);
			if (ring->overwrite)
				span.begin = READ_ONCE(ring->kernel->oldest);
			else
				span.begin = READ_ONCE(ring->user->tail);
			/* it may have moved on since, and is the user's to write */
			span.begin = min(span.begin, span.end);
		}
		if (copy_to_user(&spans[nr], &span, sizeof(span)))
			return -EFAULT;
	}
	return 0;
}

static int channel_state(struct pev_channel *channel, struct pev_channel_state __user *ustate)
{
	struct pev_channel_state state = { .size = sizeof(state) };
	u32 size;

	if (get_user(size, &ustate->size))
		return -EFAULT;
	if (size < offsetofend(struct pev_channel_state, state))
		return -EINVAL;
	if (size > PAGE_SIZE)
		return -E2BIG;
	state.starts = atomic64_read(&channel->starts);
	state.stops = atomic64_read(&channel->stops);
	state.freezes = atomic64_read(&channel->freezes);
	/* what comes from here on is news, even if the state has it already */
	WRITE_ONCE(channel->told, state.starts + state.stops + state.freezes);
	state.state = pev_gate_state(&channel->gate);
	return pev_copy_struct_to_user(ustate, size, &state, sizeof(state));
}

static int channel_act(struct pev_channel *channel, unsigned long action)
{
	if (!action || action >= PEV_ACT_MAX)
		return -EINVAL;
	/* what its owner writes is not the reader's to stop */
	if (!channel->user)
		return -EOPNOTSUPP;
	pev_channel_act(channel, action);
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
	case PEV_IOC_CHANNEL_STATE:
		return channel_state(channel, (void __user *)arg);
	case PEV_IOC_ACT:
		return channel_act(channel, arg);
	case PEV_IOC_CHANNEL_INFO:
		return channel_info(channel, (void __user *)arg);
	default:
		return pev_control_channel(channel, cmd, arg);
	}
}

static int channel_release(struct inode *inode, struct file *file)
{
	struct pev_channel *channel = file->private_data;

	/* no consumer is left, so that nothing has to be flushed in time */
	cancel_delayed_work_sync(&channel->flush);
	pev_channel_leave(channel);
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
	if (IS_ERR(file))
		return file;
	file->f_mode |= FMODE_LSEEK | FMODE_PREAD;
	pev_channel_flush_often(channel);
	return file;
}
