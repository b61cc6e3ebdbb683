// SPDX-License-Identifier: GPL-2.0
/*
 * Owns producers from the first mapping to the last, their memory, and the links between
 * them and listeners. Which pages a mapping shows is map.c's, what a listener is asked for
 * listen.c's.
 *
 * A process becomes a producer when it maps the gate. A child has the mappings, but none of
 * the pages, as fork leaves those of shared files to be found again: when it first looks at
 * the gate it becomes a producer of its own. So no code of the program's has to run in a
 * fork, and no raw clone() leaves two processes with one ring.
 *
 * Locks: mmap lock, then pev_producers_lock or producer->lock.
 */
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/pev_clock.h>
#include <linux/pev_refuse.h>
#include <linux/ptrace.h>
#include <linux/rbtree.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>
#include <linux/sched/user.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <linux/xarray.h>
#include "base/memory.h"
#include "base/owner.h"
#include "base/strbuf.h"
#include "target/rights.h"
#include "target/target.h"
#include "types.h"
#include "producer.h"

DEFINE_MUTEX(pev_producers_lock);	/* see producer.h */
static DEFINE_XARRAY(producers);		/* by id, until they end */
static LIST_HEAD(listeners);
static struct rb_root members = RB_ROOT;	/* by mm and family */
static unsigned long last_id;

/**
 * struct member - a process with mappings of a family
 * @node:     in @members: one user may have very many, which others come by
 * @family:   the family
 * @mm:       of the process; it has not ended, as it has mappings
 * @maps:     how many
 * @producer: NULL as long as it did not look at the gate
 * @sink:     where writes to rings go that can't be had; NULL: there were none
 */
struct member {
	struct rb_node			node;
	const struct pev_family		*family;
	const struct mm_struct		*mm;
	unsigned int			maps;
	struct pev_producer_mm		*producer;
	struct page			*sink;
};

/* ---- memory ---- */

/* Of the current process? A kernel thread that borrows it has neither its limits nor its rights. */
static bool is_own(const struct mm_struct *mm)
{
	return mm == current->mm && !(current->flags & PF_KTHREAD);
}

static int charge(struct pev_producer_mm *p, unsigned long pages)
{
	struct pev_refuse unheard = {};
	int err = pev_memory_charge(p->user, pages, PEV_NO_FIELD, "rings", "less", &unheard);

	if (!err)
		p->charged += pages;
	return err;
}

static void producer_free(struct kref *ref)
{
	struct pev_producer_mm *p = container_of(ref, struct pev_producer_mm, ref);

	for (u32 i = 0; p->rings && i < p->family->nr_rings; i++)
		if (!IS_ERR(p->rings[i]))
			vfree(p->rings[i]);
	kvfree(p->rings);
	if (p->gate)
		put_page(virt_to_page(p->gate));
	pev_memory_uncharge(p->user, p->charged);
	free_uid(p->user);
	put_pid(p->pid);
	mmdrop(p->mm);
	pev_family_put(p->family);
	mutex_destroy(&p->lock);
	kfree(p);
}

void pev_producer_get(struct pev_producer_mm *p)
{
	kref_get(&p->ref);
}

void pev_producer_put(struct pev_producer_mm *p)
{
	kref_put(&p->ref, producer_free);
}

static void gate_fill(struct pev_producer_mm *p)
{
	struct pev_trace_clock clock;

	pev_clock_init(&clock, PEV_CLOCK_DEFAULT);
	p->gate->version = PEV_ABI_VERSION;
	p->gate->id = p->id;
	p->gate->clock = clock.type;
	p->gate->clock_freq = clock.freq;
	p->gate->nr_rings = p->family->nr_rings;
	p->gate->ring_size = p->family->ring_size;
	p->gate->packet_size = PEV_USER_PACKET;
}

/* Of the current process. */
static struct pev_producer_mm *producer_alloc(struct pev_family *family)
{
	struct pev_producer_mm *p = kzalloc(sizeof(*p), GFP_KERNEL_ACCOUNT);
	int err = -ENOMEM;

	if (!p)
		return ERR_PTR(err);
	kref_init(&p->ref);
	mutex_init(&p->lock);
	INIT_LIST_HEAD(&p->links);
	p->family = pev_family_get(family);
	p->mm = current->mm;
	mmgrab(p->mm);
	p->pid = get_task_pid(current, PIDTYPE_TGID);
	p->user = pev_owner_of_memory();
	p->gate = (void *)get_zeroed_page(GFP_KERNEL_ACCOUNT);
	p->rings = kvcalloc(family->nr_rings, sizeof(*p->rings), GFP_KERNEL_ACCOUNT);
	if (p->user && p->gate && p->rings)
		err = charge(p, 1);
	if (!err)
		return p;
	pev_producer_put(p);
	return ERR_PTR(err);
}

static void set_flag(struct pev_producer_mm *p, u32 flag)
{
	lockdep_assert_held(&p->lock);
	WRITE_ONCE(p->gate->flags, p->gate->flags | flag);
}

static void *ring_alloc(struct pev_producer_mm *p)
{
	u64 size = pev_family_stride(p->family);
	void *ring;

	if (charge(p, size >> PAGE_SHIFT))
		return NULL;
	ring = __vmalloc(size, GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN);
	if (!ring) {
		pev_memory_uncharge(p->user, size >> PAGE_SHIFT);
		p->charged -= size >> PAGE_SHIFT;
	}
	return ring;
}

void *pev_producer_ring(struct pev_producer_mm *p, u32 nr)
{
	/* pairs with the release below */
	void *ring = smp_load_acquire(&p->rings[nr]);

	if (ring)
		return ring;
	if (!is_own(p->mm))
		return ERR_PTR(-ENOENT);
	guard(mutex)(&p->lock);
	ring = p->rings[nr];
	if (ring)
		return ring;
	ring = ring_alloc(p);
	if (!ring) {
		/* for good: parts of a ring would be worse than none */
		ring = ERR_PTR(-ENOMEM);
		set_flag(p, PEV_USER_NO_ROOM);
	} else if (nr >= p->gate->used_rings) {
		WRITE_ONCE(p->gate->used_rings, nr + 1);
	}
	/* pairs with the acquire above and in map.c */
	smp_store_release(&p->rings[nr], ring);
	return ring;
}

/* ---- who listens to which marks ---- */

static bool is_meant(const struct pev_listener *l, const char *name)
{
	return !strncmp(name, l->name, l->len) && (l->prefix || !name[l->len]);
}

/* Tell a producer which of its marks are on. */
static void gate_refresh(struct pev_producer_mm *p)
{
	DECLARE_BITMAP(on, PEV_MAX_USER_MARKS) = {};
	DECLARE_BITMAP(slots, PEV_USER_SLOTS) = {};
	struct pev_user_link *link;

	lockdep_assert_held(&pev_producers_lock);
	list_for_each_entry(link, &p->links, node)
		if (pev_event_is_on(link->listener->event))
			bitmap_or(on, on, link->marks, PEV_MAX_USER_MARKS);
	for (u32 i = 0; i < p->family->nr_marks; i++) {
		WRITE_ONCE(p->gate->on[i], test_bit(i, on));
		if (test_bit(i, on))
			__set_bit(p->family->marks[i].slot, slots);
	}
	for (u32 i = 0; i < PEV_USER_SLOTS; i++)
		if (READ_ONCE(p->gate->slots[i]) != test_bit(i, slots))
			WRITE_ONCE(p->gate->slots[i], test_bit(i, slots));
}

/**
 * struct spare - memory for links, had before the lock is taken
 * @links:   they
 * @missing: how many more there should have been
 */
struct spare {
	struct list_head	links;
	unsigned int		missing;
};

/* Return: false: nothing is missing, or there is no memory for it. */
static bool spare_add(struct spare *spare)
{
	struct pev_user_link *link;

	if (!spare->missing)
		return false;
	for (; spare->missing; spare->missing--) {
		link = kzalloc(sizeof(*link), GFP_KERNEL_ACCOUNT);
		if (!link)
			return false;
		list_add(&link->node, &spare->links);
	}
	return true;
}

static struct pev_user_link *spare_take(struct spare *spare)
{
	struct pev_user_link *link;

	link = list_first_entry_or_null(&spare->links, struct pev_user_link, node);
	if (link)
		list_del(&link->node);
	else
		spare->missing++;
	return link;
}

static void links_free(struct list_head *links)
{
	struct pev_user_link *link, *next;

	list_for_each_entry_safe(link, next, links, node) {
		kfree(link);
		cond_resched();
	}
	INIT_LIST_HEAD(links);
}

/* Return: is any of the marks meant? */
static bool find_marks(const struct pev_listener *l, const struct pev_family *family,
		       unsigned long *marks)
{
	bitmap_zero(marks, PEV_MAX_USER_MARKS);
	for (u32 i = 0; i < family->nr_marks; i++)
		if (is_meant(l, pev_family_name(family, i)))
			__set_bit(i, marks);
	return !bitmap_empty(marks, PEV_MAX_USER_MARKS);
}

static bool is_linked(const struct pev_listener *l, const struct pev_producer_mm *p)
{
	struct pev_user_link *link;

	list_for_each_entry(link, &p->links, node)
		if (link->listener == l)
			return true;
	return false;
}

static bool is_before(struct rb_node *a, const struct rb_node *b)
{
	return rb_entry(a, struct pev_user_link, of_listener)->number <
	       rb_entry(b, struct pev_user_link, of_listener)->number;
}

static bool is_placed_before(struct rb_node *a, const struct rb_node *b)
{
	return rb_entry(a, struct pev_user_link, by_place)->place <
	       rb_entry(b, struct pev_user_link, by_place)->place;
}

/* Return: a link with a place, that of one that was forgotten if there is any; or NULL. */
static struct pev_user_link *take_place(struct pev_listener *l, struct spare *spare)
{
	struct pev_user_link *link;

	link = list_first_entry_or_null(&l->unused, struct pev_user_link, node);
	if (link) {
		list_del(&link->node);
		return link;
	}
	if (l->nr == PEV_MAX_LINKS)
		return NULL;
	link = spare_take(spare);
	if (!link)
		return NULL;
	link->listener = l;
	link->place = l->nr++;
	rb_add(&link->by_place, &l->places, is_placed_before);
	return link;
}

/* What finds no memory in @spare is not listened to, unless the caller comes with more. */
static void link_add(struct pev_listener *l, struct pev_producer_mm *p, struct spare *spare)
{
	DECLARE_BITMAP(marks, PEV_MAX_USER_MARKS);
	struct pev_user_link *link;

	lockdep_assert_held(&pev_producers_lock);
	if (l->next == U32_MAX || is_linked(l, p) || !find_marks(l, p->family, marks))
		return;
	link = take_place(l, spare);
	if (!link)
		return;
	bitmap_copy(link->marks, marks, PEV_MAX_USER_MARKS);
	link->number = l->next++;
	rb_add(&link->of_listener, &l->links, is_before);
	link->producer = p;
	pev_producer_get(p);
	list_add_tail(&link->node, &p->links);
	gate_refresh(p);
}

/* Return: the producer, which the caller puts without the lock: rings take long to free. */
static struct pev_producer_mm *link_drop(struct pev_user_link *link)
{
	struct pev_producer_mm *p = link->producer;

	lockdep_assert_held(&pev_producers_lock);
	rb_erase(&link->of_listener, &link->listener->links);
	list_move(&link->node, &link->listener->unused);
	link->producer = NULL;
	gate_refresh(p);
	return p;
}

/* ---- processes ---- */

/* Also who may watch all CPUs sees of a program what he may trace alone: marks say more. */
static bool may_listen(const struct pev_event *event)
{
	return event->privileged || pev_rights_allow(event, current);
}

/*
 * To the next listener behind @seq, if it matters to that one, and not to more: each takes a
 * comparison for each mark, while others wait for the lock. Return: false if there is none.
 */
static bool link_next(struct pev_producer_mm *p, u64 *seq, struct spare *spare)
{
	struct pev_listener *l;

	guard(mutex)(&pev_producers_lock);
	list_for_each_entry(l, &listeners, node) {
		if (l->seq <= *seq)
			continue;
		*seq = l->seq;
		if (pev_target_counts(l->event, p->mm, p->pid) && may_listen(l->event))
			link_add(l, p, spare);
		return true;
	}
	return false;
}

/*
 * Rights are judged here as they are for a record of the current task; see target/rights.c.
 * The process has not gone on since it asked to be a producer.
 */
static void link_current(struct pev_producer_mm *p)
{
	struct spare spare = { .links = LIST_HEAD_INIT(spare.links) };
	u64 seq;

	do {
		seq = 0;
		while (link_next(p, &seq, &spare))
			cond_resched();
	} while (spare_add(&spare));
	links_free(&spare.links);
	/* what the gate says is there; pairs with the acquire in pev_member_producer() */
	smp_store_release(&p->linked, true);
}

static int compare_members(const struct member *a, const struct member *b)
{
	if (a->mm != b->mm)
		return a->mm < b->mm ? -1 : 1;
	if (a->family != b->family)
		return a->family < b->family ? -1 : 1;
	return 0;
}

static int compare_member(const void *wanted, const struct rb_node *node)
{
	return compare_members(wanted, rb_entry(node, struct member, node));
}

static bool is_member_before(struct rb_node *a, const struct rb_node *b)
{
	return compare_member(rb_entry(a, struct member, node), b) < 0;
}

/* There is one as long as a mapping is: who asks has it, or looks whether there is another. */
static struct member *member_of(const struct pev_family *family, const struct mm_struct *mm)
{
	const struct member wanted = { .family = family, .mm = mm };
	struct rb_node *node;

	lockdep_assert_held(&pev_producers_lock);
	node = rb_find(&wanted, &members, compare_member);
	return node ? rb_entry(node, struct member, node) : NULL;
}

void pev_member_add(struct pev_family *family, struct mm_struct *mm)
{
	struct member *member, *fresh;

	/*
	 * A fork can't be told that a mapping was not counted: the last that was would end the
	 * producer, and a mark that finds none kills its program.
	 */
	fresh = kzalloc(sizeof(*fresh), GFP_KERNEL_ACCOUNT | __GFP_NOFAIL);
	guard(mutex)(&pev_producers_lock);
	member = member_of(family, mm);
	if (member) {
		member->maps++;
		kfree(fresh);
		return;
	}
	fresh->family = family;
	fresh->mm = mm;
	fresh->maps = 1;
	rb_add(&fresh->node, &members, is_member_before);
}

/* The process does without: nothing finds it any more, but who listens keeps it. */
static void producer_end(struct pev_producer_mm *p)
{
	/* not with the lock of all: who makes a ring has this one, and waits for memory */
	scoped_guard(mutex, &p->lock)
		set_flag(p, PEV_USER_ENDED);
	pev_producer_put(p);
}

void pev_member_drop(struct pev_family *family, struct mm_struct *mm)
{
	struct pev_producer_mm *p = NULL;
	struct member *member;

	scoped_guard(mutex, &pev_producers_lock) {
		member = member_of(family, mm);
		if (--member->maps)
			return;
		rb_erase(&member->node, &members);
		p = member->producer;
		if (p)
			xa_erase(&producers, p->id);
	}
	if (member->sink)
		put_page(member->sink);
	kfree(member);
	if (p)
		producer_end(p);
}

/* Return: the producer with a reference; NULL: there is none yet. */
static struct pev_producer_mm *producer_of(struct pev_family *family, struct mm_struct *mm)
{
	struct member *member;

	guard(mutex)(&pev_producers_lock);
	member = member_of(family, mm);
	if (member->producer)
		pev_producer_get(member->producer);
	return member->producer;
}

/*
 * It gets a reference of the mappings. @id: there is memory for it. Return: 0 or an error, that of
 * -EEXIST if another thread was faster, -EAGAIN if another process has taken the id, and -EPERM if
 * a page of a ring is lost already: that is for good, as parts of a ring would be worse than none.
 */
static int publish_as(struct pev_producer_mm *p, u64 id)
{
	struct member *member;
	int err;

	guard(mutex)(&pev_producers_lock);
	member = member_of(p->family, p->mm);
	if (member->producer)
		return -EEXIST;
	if (member->sink)
		return -EPERM;
	if (id != last_id + 1)
		return -EAGAIN;
	p->id = id;
	err = xa_err(xa_store(&producers, p->id, p, GFP_NOWAIT));
	if (err)
		return err;
	WRITE_ONCE(last_id, p->id);
	gate_fill(p);
	pev_producer_get(p);
	member->producer = p;
	return 0;
}

/* Others' forks wait for the lock: memory is there before it is taken. Return: as publish_as(). */
static int producer_publish(struct pev_producer_mm *p)
{
	int err;

	do {
		u64 id = READ_ONCE(last_id) + 1;

		err = xa_reserve(&producers, id, GFP_KERNEL);
		if (err)
			return err;
		err = publish_as(p, id);
		if (err)
			xa_release(&producers, id);
		/* another one may have released it meanwhile, who had the same id in mind */
	} while (err == -EAGAIN || err == -ENOMEM);
	return err;
}

/*
 * Return: a producer of the current process, be it another thread's that was faster: who begins to
 * listen from here on finds it; or an ERR_PTR().
 */
static struct pev_producer_mm *producer_make(struct pev_family *family)
{
	struct pev_producer_mm *p = producer_alloc(family);
	int err;

	if (IS_ERR(p))
		return p;
	err = producer_publish(p);
	if (!err)
		return p;
	pev_producer_put(p);
	return err == -EEXIST ? producer_of(family, current->mm) : ERR_PTR(err);
}

struct pev_producer_mm *pev_member_producer(struct pev_family *family, struct mm_struct *mm)
{
	struct pev_producer_mm *p = producer_of(family, mm);

	/* pairs with the release in link_current() */
	if (p && smp_load_acquire(&p->linked))
		return p;
	if (!is_own(mm)) {
		if (p)
			pev_producer_put(p);
		return ERR_PTR(-ENOENT);
	}
	if (!p)
		p = producer_make(family);
	/* a thread that meets it while another one links it does the same: it waits for none */
	if (!IS_ERR(p))
		link_current(p);
	return p;
}

/* ---- pages that many entries of page tables show ---- */

/* What counts them is an int, and may wrap. */
#define SHARED_USERS	SZ_64K

static struct page *share(struct page **shared, struct mutex *lock, struct page **fresh)
{
	guard(mutex)(lock);
	if (!*shared || page_ref_count(*shared) > SHARED_USERS) {
		if (!*fresh)
			return NULL;
		swap(*shared, *fresh);
	}
	get_page(*shared);
	return *shared;
}

struct page *pev_page_share(struct page **shared, struct mutex *lock)
{
	struct page *fresh = NULL, *page = share(shared, lock, &fresh);

	if (page)
		return page;
	fresh = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);
	page = share(shared, lock, &fresh);
	/* it, or the one that it replaces */
	if (fresh)
		put_page(fresh);
	return page;
}

struct page *pev_member_sink(const struct pev_family *family, const struct mm_struct *mm)
{
	struct member *member;

	scoped_guard(mutex, &pev_producers_lock)
		member = member_of(family, mm);
	return pev_page_share(&member->sink, &pev_producers_lock);
}

/* ---- listeners ---- */

/* Producers that are looked at before others get the lock; so many marks are as one more. */
#define BATCH		64
#define MARKS_OF_ONE	16

static bool has_mm(struct task_struct *task, const struct mm_struct *mm)
{
	bool has;

	/* exec changes the memory with this lock held, and the rights after that */
	task_lock(task);
	has = task->mm == mm;
	task_unlock(task);
	return has;
}

/*
 * Judged is a process that has the memory, not the one that made the producer: that may have
 * executed another program since, of a user who may trace it. A memory that is lost is never had
 * again: a thread that has it after the answer had it when it was judged.
 */
static bool may_trace(struct pev_producer_mm *p)
{
	struct task_struct *task;
	bool may, valid;

	do {
		task = pev_target_thread(p->mm, p->pid);
		if (!task)
			return false;
		may = ptrace_may_access(task, PTRACE_MODE_READ_REALCREDS);
		valid = has_mm(task, p->mm);
		put_task_struct(task);
	} while (!valid);
	return may;
}

/**
 * each_producer() - call a function for all producers
 * @fn:   called with pev_producers_lock held
 * @more: called without it: is @fn to be called once more for those that it was called for
 *        last? NULL: no
 * @arg:  for both
 *
 * Those that come meanwhile may be left out: they look for listeners.
 *
 * Return: 0 or -EINTR.
 */
static int each_producer(void (*fn)(struct pev_producer_mm *p, void *arg),
			 bool (*more)(void *arg), void *arg)
{
	unsigned long first = 0, id;
	struct pev_producer_mm *p;
	unsigned int nr;
	bool again;

	do {
		nr = 0;
		id = first;
		again = false;
		if (mutex_lock_killable(&pev_producers_lock))
			return -EINTR;
		xa_for_each_start(&producers, id, p, id) {
			again = nr >= BATCH;
			if (again)
				break;
			fn(p, arg);
			nr += 1 + p->family->nr_marks / MARKS_OF_ONE;
		}
		mutex_unlock(&pev_producers_lock);
		cond_resched();
		if (more && more(arg))
			again = true;
		else
			first = id;
	} while (again);
	return 0;
}

/**
 * struct finding - a listener that looks for those that are there
 * @listener: it
 * @spare:    for the links
 */
struct finding {
	struct pev_listener	*listener;
	struct spare		spare;
};

/* In the context of the event's opener. */
static void link_other(struct pev_producer_mm *p, void *arg)
{
	struct finding *finding = arg;
	struct pev_listener *l = finding->listener;

	if (pev_target_counts(l->event, p->mm, p->pid) && (l->event->privileged || may_trace(p)))
		link_add(l, p, &finding->spare);
}

static bool more_spare(void *arg)
{
	return spare_add(&((struct finding *)arg)->spare);
}

static int enlist(struct pev_listener *l, struct pev_refuse *r)
{
	kuid_t owner = pev_owner(l->event->cred);
	struct pev_listener *other;
	unsigned int nr = 0;
	static u64 last_seq;

	guard(mutex)(&pev_producers_lock);
	list_for_each_entry(other, &listeners, node)
		nr += uid_eq(pev_owner(other->event->cred), owner);
	if (nr >= PEV_MAX_USER_LISTENS && !l->event->privileged)
		return pev_refuse(r, EMFILE, PEV_FIELD(type),
				  "you listen to user marks with %u events already: name several marks by one event, \"provider:*\"",
				  nr);
	l->seq = ++last_seq;
	list_add_tail(&l->node, &listeners);
	return 0;
}

static void refresh_work(struct work_struct *work)
{
	pev_listener_refresh(container_of(work, struct pev_listener, work));
}

void pev_listener_init(struct pev_listener *l)
{
	INIT_LIST_HEAD(&l->node);
	l->links = RB_ROOT;
	l->places = RB_ROOT;
	INIT_LIST_HEAD(&l->unused);
	INIT_WORK(&l->work, refresh_work);
}

int pev_listener_begin(struct pev_listener *l, struct pev_refuse *r)
{
	struct finding finding = {
		.listener = l, .spare.links = LIST_HEAD_INIT(finding.spare.links),
	};
	int err = enlist(l, r);

	if (err)
		return err;
	err = each_producer(link_other, more_spare, &finding);
	links_free(&finding.spare.links);
	if (err)
		pev_listener_end(l);
	return err;
}

/* The first of @l's links from @number on. */
static struct pev_user_link *next_link(struct pev_listener *l, u32 number)
{
	struct rb_node *node = l->links.rb_node;
	struct pev_user_link *link, *next = NULL;

	lockdep_assert_held(&pev_producers_lock);
	while (node) {
		link = rb_entry(node, struct pev_user_link, of_listener);
		if (link->number >= number)
			next = link;
		node = link->number >= number ? node->rb_left : node->rb_right;
	}
	return next;
}

/* The first link with a number from @first to @last. Return: its producer to be put, or NULL. */
static struct pev_producer_mm *drop_link(struct pev_listener *l, u32 first, u32 last)
{
	struct pev_user_link *link;

	guard(mutex)(&pev_producers_lock);
	link = next_link(l, first);
	return link && link->number <= last ? link_drop(link) : NULL;
}

void pev_listener_end(struct pev_listener *l)
{
	struct pev_producer_mm *p;

	scoped_guard(mutex, &pev_producers_lock)
		list_del_init(&l->node);
	do {
		p = drop_link(l, 0, U32_MAX);
		if (p)
			pev_producer_put(p);
		cond_resched();
	} while (p);
	links_free(&l->unused);
	/* whatever is still asked for is not there */
	l->places = RB_ROOT;
}

void pev_listener_refresh(struct pev_listener *l)
{
	struct pev_user_link *link;
	u32 number = 0;

	do {
		scoped_guard(mutex, &pev_producers_lock) {
			link = next_link(l, number);
			if (link) {
				number = link->number + 1;
				gate_refresh(link->producer);
			}
		}
		cond_resched();
	} while (link);
}

struct pev_producer_mm *pev_listener_find(struct pev_listener *l, u32 *number, u64 *offset)
{
	struct pev_user_link *link;

	guard(mutex)(&pev_producers_lock);
	link = next_link(l, *number);
	if (!link)
		return NULL;
	*number = link->number;
	*offset = link->place * PEV_USER_SPAN;
	pev_producer_get(link->producer);
	return link->producer;
}

static int compare_place(const void *place, const struct rb_node *node)
{
	const u64 wanted = *(const u64 *)place;
	const u64 own = rb_entry(node, struct pev_user_link, by_place)->place;

	return wanted < own ? -1 : wanted > own;
}

struct pev_producer_mm *pev_listener_at(struct pev_listener *l, u64 offset)
{
	const u64 place = offset / PEV_USER_SPAN;
	struct pev_user_link *link;
	struct rb_node *node;

	guard(mutex)(&pev_producers_lock);
	node = rb_find(&place, &l->places, compare_place);
	if (!node)
		return NULL;
	link = rb_entry(node, struct pev_user_link, by_place);
	if (link->producer)
		pev_producer_get(link->producer);
	return link->producer;
}

int pev_listener_drop(struct pev_listener *l, u32 number)
{
	struct pev_producer_mm *p = drop_link(l, number, number);

	if (!p)
		return -ENOENT;
	pev_producer_put(p);
	return 0;
}

/* ---- the catalog ---- */

/* A list that is longer is of no use. */
#define CATALOG_BYTES	SZ_1M

static void catalog_one(struct pev_producer_mm *p, void *arg)
{
	struct pev_strbuf *text = arg;

	if (text->len > CATALOG_BYTES || !may_trace(p))
		return;
	for (u32 i = 0; i < p->family->nr_marks; i++)
		pev_strbuf_printf(text, "user user:%s -\n", pev_family_name(p->family, i));
}

void pev_producers_catalog(struct pev_strbuf *text)
{
	each_producer(catalog_one, NULL, text);
}
