// SPDX-License-Identifier: GPL-2.0
/*
 * Owns PEV_IOC_ID: an event's id, and how long its records are, so that a reader
 * finds the next one without their metadata. What it says is what sample.c and
 * the sources write, and metadata.c describes: change them together.
 *
 * Takes no lock: all of it is fixed when the event is opened.
 */
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "base/user.h"
#include "channel/channel.h"
#include "types.h"
#include "layout.h"

void pev_layout_length(struct pev_layout *layout, u32 offset)
{
	if (layout->nr < layout->room)
		layout->lengths[layout->nr] = offset;
	layout->nr++;
}

/* The source is asked twice: how many lengths there are, and then where. */
static int copy_lengths(struct pev_event *event, u32 nr, u64 to, u32 room)
{
	struct pev_layout layout = { .room = min(nr, room) };
	int err = 0;

	if (!layout.room)
		return 0;
	layout.lengths = kcalloc(layout.room, sizeof(*layout.lengths), GFP_KERNEL_ACCOUNT);
	if (!layout.lengths)
		return -ENOMEM;
	event->ops->layout(event, &layout);
	if (copy_to_user(u64_to_user_ptr(to), layout.lengths,
			 layout.room * sizeof(*layout.lengths)))
		err = -EFAULT;
	kfree(layout.lengths);
	return err;
}

/**
 * pev_layout_id() - PEV_IOC_ID
 * @event: an event
 * @uid:   struct pev_id as its caller knows it
 *
 * Context: Process context, may sleep.
 * Return: 0, -EFAULT, -EINVAL or -ENOMEM.
 */
int pev_layout_id(struct pev_event *event, struct pev_id __user *uid)
{
	struct pev_layout layout = { };
	struct pev_id id = { };
	u32 size, room;
	u64 to;
	int err;

	if (get_user(size, &uid->size))
		return -EFAULT;
	if (size < offsetofend(struct pev_id, channel) || size > PAGE_SIZE)
		return -EINVAL;
	if (copy_from_user(&id, uid, min_t(size_t, size, sizeof(id))))
		return -EFAULT;
	if (id.reserved)
		return -EINVAL;
	to = id.lengths;
	room = to ? id.nr_lengths : 0;

	memset(&id, 0, sizeof(id));
	id.size = sizeof(id);
	id.lengths = to;
	if (event->tally || event->charge)
		id.id = event->id;
	if (event->channel) {
		if (event->ops->layout)
			event->ops->layout(event, &layout);
		err = copy_lengths(event, layout.nr, to, room);
		if (err)
			return err;
		id.id = event->id;
		id.channel = event->channel->id;
		id.sample = event->sample;
		id.varying = event->varying;
		id.fixed_size = event->body;
		id.payload_size = layout.payload;
		id.nr_lengths = layout.nr;
	}
	return pev_copy_struct_to_user(uid, size, &id, sizeof(id));
}
