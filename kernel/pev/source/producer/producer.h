/* SPDX-License-Identifier: GPL-2.0 */
/* Processes that write events themselves, and who listens to them. */
#ifndef _PEV_PRODUCER_H
#define _PEV_PRODUCER_H

#include <linux/bitmap.h>
#include <linux/bits.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rbtree.h>
#include <linux/sizes.h>
#include <linux/workqueue.h>
#include <uapi/linux/pev_user.h>
#include "family.h"

struct mm_struct;
struct page;
struct pev_event;
struct pev_refuse;
struct pev_strbuf;
struct pid;
struct user_struct;

/**
 * struct pev_producer_mm - a process's memory with the marks of a family
 * @ref:     its mappings, and one for each listener and for each of these one's mappings
 * @id:      unique since boot
 * @family:  the marks
 * @mm:      for comparing, and for its rights; it may have ended
 * @pid:     of the process that looked at the gate first; it may have another memory by now
 * @user:    pays for the memory
 * @charged: pages, under @lock
 * @linked:  to all who listened when it began; no thread of the process sees the gate before
 * @gate:    a page
 * @lock:    protects @rings, and the flags of @gate
 * @rings:   by number; NULL: not there yet; ERR_PTR(): there was no memory. Set once;
 *           lockless for readers
 * @links:   to its listeners, under pev_producers_lock
 */
struct pev_producer_mm {
	struct kref		ref;
	unsigned long		id;
	struct pev_family	*family;
	struct mm_struct	*mm;
	struct pid		*pid;
	struct user_struct	*user;
	unsigned long		charged;
	bool			linked;
	struct pev_user_gate	*gate;
	struct mutex		lock;	/* see above */
	void			**rings;
	struct list_head	links;
};

/**
 * struct pev_listener - an event that listens
 * @event:  it says where, and whether it is on
 * @name:   of the marks
 * @len:    bytes of @name that count
 * @prefix: any name that begins so
 * @node:   in the list of all, in the order of @seq
 * @seq:    no other one had it
 * @links:  to producers, by number; adding to them takes no memory
 * @places: all links, by place
 * @unused: links to nothing, which keep their places
 * @nr:     of places
 * @next:   the number of the next one; none is used twice
 * @work:   tells all producers after the event was switched on or off
 *
 * All under pev_producers_lock.
 */
struct pev_listener {
	struct pev_event	*event;
	const char		*name;
	size_t			len;
	bool			prefix;
	struct list_head	node;
	u64			seq;
	struct rb_root		links;
	struct rb_root		places;
	struct list_head	unused;
	u32			nr;
	u32			next;
	struct work_struct	work;
};

/* Producers that an event can have at once, and what each has of its file's offsets. */
#define PEV_MAX_LINKS	SZ_1M
#define PEV_USER_SPAN	BIT_ULL(40)

/**
 * struct pev_user_link - a producer that a listener has found
 * @node:     in the producer's list, or in one of those that wait for use
 * @of_listener: in the listener's tree, by @number
 * @by_place: in that by @place
 * @listener: one end
 * @producer: the other one; NULL: the link is unused
 * @number:   what the listener calls it
 * @place:    of its offsets; others have it when this one is forgotten
 * @marks:    that are meant
 */
struct pev_user_link {
	struct list_head	node;
	struct rb_node		of_listener;
	struct rb_node		by_place;
	struct pev_listener	*listener;
	struct pev_producer_mm	*producer;
	u32			number;
	u32			place;
	DECLARE_BITMAP(marks, PEV_MAX_USER_MARKS);
};

/*
 * Protects lists, links and members. Taken with an mmap lock held: none is taken under it,
 * and no memory of a user's is touched, or charged to one: who is beyond his limit is made to
 * wait there, and programs of others that fork or end wait for the lock.
 */
extern struct mutex pev_producers_lock;

/* ---- mappings of a process: map.c; mmap lock held ---- */

/**
 * pev_member_add() - a process has one more mapping of a family
 * @family: the family
 * @mm:     of the process
 */
void pev_member_add(struct pev_family *family, struct mm_struct *mm);

/* The opposite: with the last one its producer ends. */
void pev_member_drop(struct pev_family *family, struct mm_struct *mm);

/**
 * pev_member_producer() - the producer of a process that has mappings
 * @family: of them
 * @mm:     if there is none yet, and this is the current one, one is made
 *
 * Return: the producer with a reference, linked to its listeners; or an ERR_PTR(): -ENOENT if
 * there is no such one yet, and the current thread is not the process's.
 */
struct pev_producer_mm *pev_member_producer(struct pev_family *family, struct mm_struct *mm);

/**
 * pev_producer_ring() - a ring to write to
 * @producer: who has it
 * @nr:       below the family's number of rings; if it is not there yet, and the producer is the
 *            current process's, it is made
 *
 * Return: the ring, or an ERR_PTR(): -ENOENT if it is not there yet, and the current thread is
 * not the process's.
 */
void *pev_producer_ring(struct pev_producer_mm *producer, u32 nr);

/**
 * pev_member_sink() - a page for writes that are lost
 * @family: of the mappings
 * @mm:     of the process, which becomes no producer any more if it is none yet
 *
 * Return: the page with a reference, or NULL.
 */
struct page *pev_member_sink(const struct pev_family *family, const struct mm_struct *mm);

/**
 * pev_page_share() - a page for one more entry of a page table
 * @shared: that others show, too; if too many do, or it is NULL, one of zeros takes its place
 * @lock:   of @shared; nothing is allocated under it
 *
 * Return: the page with a reference; NULL: there is no memory.
 */
struct page *pev_page_share(struct page **shared, struct mutex *lock);

void pev_producer_get(struct pev_producer_mm *producer);
void pev_producer_put(struct pev_producer_mm *producer);

/* ---- listeners: listen.c; process context, no locks held ---- */

/* A listener without producers, which has its event. */
void pev_listener_init(struct pev_listener *l);

/**
 * pev_listener_begin() - listen to all producers that there are and will be
 * @l: filled in
 * @r: says why not
 *
 * Return: 0, -EMFILE if the user has too many, -EINTR, -ENOMEM.
 */
int pev_listener_begin(struct pev_listener *l, struct pev_refuse *r);
void pev_listener_end(struct pev_listener *l);

/* The event may have been switched on or off. */
void pev_listener_refresh(struct pev_listener *l);

/**
 * pev_listener_find() - the producer with a number, or the first one with a higher one
 * @l:      the listener
 * @number: from which on; receives the number of what was found
 * @offset: receives where it begins in the event's file
 *
 * Return: the producer with a reference, or NULL.
 */
struct pev_producer_mm *pev_listener_find(struct pev_listener *l, u32 *number, u64 *offset);

/* Return: the producer at an offset of the event's file, with a reference, or NULL. */
struct pev_producer_mm *pev_listener_at(struct pev_listener *l, u64 offset);

/* Forget a producer. Return: 0 or -ENOENT. */
int pev_listener_drop(struct pev_listener *l, u32 number);

/* Append a line for each mark of a process that the caller may trace. */
void pev_producers_catalog(struct pev_strbuf *text);

#endif
