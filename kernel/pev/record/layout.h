/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How long records are, for PEV_IOC_ID.
 */
#ifndef _PEV_LAYOUT_H
#define _PEV_LAYOUT_H

#include <linux/types.h>

struct pev_event;
struct pev_id;

/**
 * struct pev_layout - the payload of an event
 * @payload: bytes of its fixed part
 * @nr:      dynamic parts behind it
 * @room:    elements of @lengths
 * @lengths: where in the fixed part each one's length lies, a u16
 */
struct pev_layout {
	u32	payload;
	u32	nr;
	u32	room;
	u16	*lengths;
};

/* The next dynamic part has its length at @offset of the payload. */
void pev_layout_length(struct pev_layout *layout, u32 offset);
int pev_layout_id(struct pev_event *event, struct pev_id __user *uid);

#endif
