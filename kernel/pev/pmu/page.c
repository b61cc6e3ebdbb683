// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the page by which a task reads its own counter without a call: see
 * struct pev_user_page. The page speaks of one task, which runs on one CPU at a
 * time: that CPU writes it.
 */
#include <linux/gfp.h>
#include <linux/jump_label.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/pev_refuse.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include "base/hooks.h"
#include "glue/watch.h"
#include "target/commit.h"
#include "target/target.h"
#include "page.h"
#include "pmu.h"

/* As the administrator has it. */
static bool allowed = true;

/*
 * H, pairs with G in the uapi header: the reader is on this CPU or finds that it
 * is not, so its loads and our stores need an order for the compiler alone.
 */
void pev_pmu_page_update(struct pev_hw_event *hw, const struct pev_hw_cpu *s)
{
	const struct pev_pmu_counter *counter = NULL;
	struct pev_user_page *page = hw->page;

	if (s->counter >= 0 && !s->throttled && READ_ONCE(allowed))
		counter = &pev_pmu->counters[s->counter];
	WRITE_ONCE(page->seq, page->seq + 1);
	barrier();
	page->counter = counter ? counter->user + 1 : 0;
	/* invalid, so that no read on this CPU succeeds until the event is back */
	page->cpu = counter ? smp_processor_id() : ~0U;
	page->shift = counter ? 64 - counter->bits : 0;
	/* on any CPU */
	page->partial |= !!s->waited;
	page->start = s->raw;
	page->base = atomic64_read(&hw->total);
	barrier();
	WRITE_ONCE(page->seq, page->seq + 1);
}

/**
 * pev_pmu_page_init() - an address space has no page, and so no right to read counters
 * @mm: a copy, without mappings yet: those that a program has copied by madvise(2) come later, and
 *      each with a right of its own
 *
 * The architecture may keep the right in the address space that was copied, for perf, too, which
 * clears counters that stand, but does not know of those of pev.
 *
 * Context: Process context.
 */
void pev_pmu_page_init(struct mm_struct *mm)
{
	const struct pev_pmu *pmu = READ_ONCE(pev_pmu);

	if (pmu && pmu->ops->grant)
		pmu->ops->grant(PEV_PMU_GRANT_NONE, NULL, mm, false);
}

/* ---- what others' counters hold is hidden while there are pages ---- */

/*
 * Hiding takes an update of each CPU. Those that run the address space which is given the right
 * are interrupted for it; others look at each switch whether they have to, while there are
 * pages: pev_pmu_cpu_arrive(). A switch that saw none is over a grace period after the first
 * one came, and from then on the address space tells on which CPUs it is.
 */

/* Pages, and one more while all may read. */
static atomic_t readers;

bool pev_pmu_readable(void)
{
	return atomic_read(&readers);
}

static DEFINE_MUTEX(pages_lock);
static unsigned int pages;
/* Of the grace period after the first page came. */
static unsigned long pages_since;

PEV_KEY_HOOK(arrivals, &pev_arrive_key);

static int pages_get(void)
{
	int err;

	guard(mutex)(&pages_lock);
	if (pages) {
		pages++;
		return 0;
	}
	err = pev_target_hooks_get();
	if (err)
		return err;
	/* can't fail */
	pev_hook_get(&arrivals);
	pages = 1;
	atomic_inc(&readers);
	WRITE_ONCE(pages_since, get_state_synchronize_rcu());
	return 0;
}

static void pages_put(void)
{
	guard(mutex)(&pages_lock);
	if (--pages)
		return;
	atomic_dec(&readers);
	pev_hook_put(&arrivals);
	pev_target_hooks_put();
}

int pev_pmu_page_make(struct pev_hw_event *hw, const struct pev_attr *attr,
		      struct pev_refuse *r)
{
	int err;

	if (!(attr->flags & PEV_F_USER_PAGE))
		return 0;
	if (!(pev_pmu->features & PEV_PMU_USER_READS))
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(flags),
				  "user mode can't read this processor's counters: do without PEV_F_USER_PAGE");
	if (attr->target != PEV_TARGET_TASK || attr->flags & PEV_F_MARKED)
		return pev_refuse(r, EINVAL, PEV_FIELD(flags),
				  "PEV_F_USER_PAGE is for a single task to read: its target must be one, and not marked");
	hw->page = (void *)get_zeroed_page(GFP_KERNEL_ACCOUNT);
	if (!hw->page)
		return -ENOMEM;
	err = pages_get();
	if (err) {
		free_page((unsigned long)hw->page);
		hw->page = NULL;
		return pev_hook_refuse(err, "tasks", r);
	}
	hw->page->version = PEV_ABI_VERSION;
	return 0;
}

/* No mapping is left: each held a reference to the event's file. */
void pev_pmu_page_free(struct pev_hw_event *hw)
{
	if (!hw->page)
		return;
	free_page((unsigned long)hw->page);
	pages_put();
}

static void update_here(void *unused)
{
	pev_pmu_cpu_update();
}

/* Where the right is given, stopped counters hide their values first. */
static void page_grant(struct vm_area_struct *vma)
{
	struct mm_struct *mm = vma->vm_mm;

	cond_synchronize_rcu(READ_ONCE(pages_since));
	on_each_cpu_cond_mask(pev_pmu_cpu_is_late, update_here, NULL, true, mm_cpumask(mm));
	pev_pmu->ops->grant(PEV_PMU_GRANT_READS, NULL, mm, true);
}

static void page_unmap(struct vm_area_struct *vma)
{
	pev_pmu->ops->grant(PEV_PMU_GRANT_READS, NULL, vma->vm_mm, false);
}

static void show_here(void *unused)
{
	pev_pmu_cpu_show();
}

void pev_pmu_reads_allowed(bool now)
{
	WRITE_ONCE(allowed, now);
	on_each_cpu(show_here, NULL, 1);
}

void pev_pmu_reads_by_all(bool all)
{
	static bool before;

	if (all == before)
		return;
	before = all;
	if (!all) {
		atomic_dec(&readers);
		return;
	}
	atomic_inc(&readers);
	on_each_cpu(update_here, NULL, 1);
}

static const struct vm_operations_struct page_vm_ops = {
	.open	= page_grant,
	.close	= page_unmap,
};

int pev_pmu_page_map(struct pev_event *event, struct vm_area_struct *vma)
{
	struct pev_hw_event *hw;
	int err;

	if (!(event->flags & PEV_F_USER_PAGE))
		return -ENODEV;
	hw = event->private;
	if (vma->vm_pgoff || vma->vm_end - vma->vm_start != PAGE_SIZE)
		return -EINVAL;
	if (vma->vm_flags & (VM_WRITE | VM_EXEC))
		return -EACCES;
	/* not copied by fork: the page speaks of the parent */
	vm_flags_mod(vma, VM_DONTCOPY | VM_DONTEXPAND, VM_MAYWRITE | VM_MAYEXEC);
	err = vm_insert_page(vma, vma->vm_start, virt_to_page(hw->page));
	if (err)
		return err;
	vma->vm_ops = &page_vm_ops;
	page_grant(vma);
	return 0;
}
