// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the probes in the kernel: kprobes and kretprobes. Must not know what is recorded.
 *
 * A probe on what the handlers call is passed over by the kprobes themselves, which count
 * it: pev_probe_kernel_missed().
 */
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/pev_clock.h>
#include <linux/pev_refuse.h>
#include <linux/slab.h>
#include "types.h"
#include "kernel.h"
#include "place.h"
#include "probe.h"

/**
 * struct kernel_place - a place in the kernel
 * @probe: back
 * @index: of the place
 * @kp:    before an instruction
 * @rp:    when a function returns
 */
struct kernel_place {
	struct pev_probe_event	*probe;
	u32			index;
	union {
		struct kprobe		kp;
		struct kretprobe	rp;
	};
};

/**
 * struct kernel_hooks - all places of a probe
 * @node:   in the list of those to be removed
 * @nr:     that are registered
 * @kps:    they, for unregister_kprobes()
 * @rps:    the same for kretprobes
 * @places: the places
 */
struct kernel_hooks {
	struct list_head	node;
	u32			nr;
	union {
		struct kprobe		**kps;
		struct kretprobe	**rps;
	};
	struct kernel_place	places[];
};

static bool at_return(const struct pev_probe_event *probe)
{
	return probe->fetches.kind == PEV_PROBE_KERNEL_RETURN;
}

static int reached(struct kprobe *kp, struct pt_regs *regs)
{
	struct kernel_place *place = container_of(kp, struct kernel_place, kp);
	const struct pev_fetch_in in = { .regs = regs };

	preempt_disable_notrace();
	pev_probe_hit(place->probe, place->index, (unsigned long)kp->addr, &in);
	preempt_enable_notrace();
	return 0;
}

NOKPROBE_SYMBOL(reached);

/* Return: not 0: this call's return is of no interest. */
static int entered(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kretprobe *rp = get_kretprobe(ri);
	struct kernel_place *place;
	bool counts;

	if (unlikely(!rp))
		return 1;
	place = container_of(rp, struct kernel_place, rp);
	preempt_disable_notrace();
	counts = pev_event_running(place->probe->event);
	preempt_enable_notrace();
	if (!counts)
		return 1;
	*(u64 *)ri->data = pev_now_ns();
	return 0;
}

NOKPROBE_SYMBOL(entered);

static int returned(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kretprobe *rp = get_kretprobe(ri);
	u64 duration = pev_elapsed(*(u64 *)ri->data, pev_now_ns());
	const struct pev_fetch_in in = { .regs = regs, .duration = &duration };
	struct kernel_place *place;

	/* it was unregistered meanwhile */
	if (unlikely(!rp))
		return 0;
	place = container_of(rp, struct kernel_place, rp);
	preempt_disable_notrace();
	pev_probe_hit(place->probe, place->index, (unsigned long)rp->kp.addr, &in);
	preempt_enable_notrace();
	return 0;
}

NOKPROBE_SYMBOL(returned);

/* ---- placing them ---- */

static int refuse_place(const struct pev_probe_event *probe, u32 i, int err,
			struct pev_refuse *r)
{
	const char *name = pev_probe_name(probe, i);
	u64 offset = probe->places[i].offset;

	switch (err) {
	case -ERANGE:
		return pev_refuse(r, EINVAL, PEV_FIELD(config),
				  "%s+0x%llx is beyond the end of %s, in what comes next", name,
				  offset, name);
	case -EILSEQ:
		return pev_refuse(r, EINVAL, PEV_FIELD(config),
				  "%s+0x%llx is not where an instruction begins", name, offset);
	case -EINVAL:
		return pev_refuse(r, EINVAL, PEV_FIELD(config),
				  "%s+0x%llx can't be probed: it is no code, or code that probes themselves need",
				  name, offset);
	case -ENOTSUPP:
	case -EOPNOTSUPP:
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(config),
				  "%s+0x%llx has an instruction that can't be probed", name,
				  offset);
	default:
		return pev_probe_refuse_place(probe, i, err, r);
	}
}

/* Kprobes themselves take any offset, and find the function there that comes next. */
static int check_offset(const char *name, u64 offset)
{
	unsigned long addr = kallsyms_lookup_name(name), size, from;

	if (!addr || !kallsyms_lookup_size_offset(addr, &size, &from))
		return -ENOENT;
	return offset < size - from ? 0 : -ERANGE;
}

static int place_kprobe(struct pev_probe_event *probe, struct kernel_hooks *hooks, u32 i)
{
	struct kprobe *kp = &hooks->places[i].kp;
	int err = check_offset(pev_probe_name(probe, i), probe->places[i].offset);

	if (err)
		return err;
	kp->symbol_name = pev_probe_name(probe, i);
	kp->offset = probe->places[i].offset;
	kp->pre_handler = reached;
	hooks->kps[hooks->nr] = kp;
	return register_kprobe(kp);
}

/* As many as kretprobes themselves choose, but bounded for all places together. */
static u32 default_active(const struct pev_probe_event *probe)
{
	return clamp(PEV_MAX_PROBE_ACTIVE / probe->nr, 1U, max(10U, 2 * num_possible_cpus()));
}

static int place_kretprobe(struct pev_probe_event *probe, struct kernel_hooks *hooks, u32 i)
{
	struct kretprobe *rp = &hooks->places[i].rp;

	rp->kp.symbol_name = pev_probe_name(probe, i);
	rp->handler = returned;
	rp->entry_handler = entered;
	rp->data_size = sizeof(u64);
	rp->maxactive = probe->max_active ?: default_active(probe);
	hooks->rps[hooks->nr] = rp;
	return register_kretprobe(rp);
}

static int place_one(struct pev_probe_event *probe, void *to, u32 i)
{
	struct kernel_hooks *hooks = to;
	int err;

	hooks->places[i].probe = probe;
	hooks->places[i].index = i;
	err = at_return(probe) ? place_kretprobe(probe, hooks, i) : place_kprobe(probe, hooks, i);
	hooks->nr += !err;
	return err;
}

static void remove_places(bool returns, struct kernel_hooks *hooks)
{
	if (returns)
		unregister_kretprobes(hooks->rps, hooks->nr);
	else
		unregister_kprobes(hooks->kps, hooks->nr);
}

static void free_hooks(struct kernel_hooks *hooks)
{
	kvfree(hooks->kps);
	kvfree(hooks);
}

int pev_probe_kernel_hook(struct pev_probe_event *probe, struct pev_refuse *r)
{
	struct kernel_hooks *hooks;
	int err;

	hooks = kvzalloc(struct_size(hooks, places, probe->nr), GFP_KERNEL_ACCOUNT);
	if (!hooks)
		return -ENOMEM;
	hooks->kps = kvcalloc(probe->nr, sizeof(*hooks->kps), GFP_KERNEL_ACCOUNT);
	if (!hooks->kps) {
		kvfree(hooks);
		return -ENOMEM;
	}
	err = pev_probe_place_all(probe, hooks, place_one, refuse_place, r);
	if (!err) {
		/* pairs with pev_probe_kernel_missed(): a group may be read meanwhile */
		smp_store_release(&probe->hooks, hooks);
		return 0;
	}
	remove_places(at_return(probe), hooks);
	free_hooks(hooks);
	return err;
}

/* ---- removing them ---- */

/* To be removed, by kind; the reaper's alone. */
static LIST_HEAD(leaving_kprobes);
static LIST_HEAD(leaving_kretprobes);

void pev_probe_kernel_unhook(struct pev_probe_event *probe)
{
	struct kernel_hooks *hooks = probe->hooks;

	list_add_tail(&hooks->node, at_return(probe) ? &leaving_kretprobes : &leaving_kprobes);
}

/* Of both kinds they are pointers in a row. Return: false: there is no memory. */
static bool remove_together(bool returns, const struct list_head *leaving, u32 nr)
{
	struct kernel_hooks all = {
		.kps = kvmalloc_array(nr, sizeof(*all.kps), GFP_KERNEL),
	};
	const struct kernel_hooks *hooks;

	if (!all.kps)
		return false;
	list_for_each_entry(hooks, leaving, node) {
		memcpy(all.kps + all.nr, hooks->kps, hooks->nr * sizeof(*all.kps));
		all.nr += hooks->nr;
	}
	remove_places(returns, &all);
	kvfree(all.kps);
	return true;
}

static void remove_all(bool returns, struct list_head *leaving)
{
	struct kernel_hooks *hooks, *next;
	u32 nr = 0;

	list_for_each_entry(hooks, leaving, node)
		nr += hooks->nr;
	if (nr && !remove_together(returns, leaving, nr))
		list_for_each_entry(hooks, leaving, node)
			remove_places(returns, hooks);
	list_for_each_entry_safe(hooks, next, leaving, node)
		list_del(&hooks->node);
}

void pev_probe_kernel_quiesce(void)
{
	remove_all(false, &leaving_kprobes);
	remove_all(true, &leaving_kretprobes);
}

void pev_probe_kernel_free(struct pev_probe_event *probe)
{
	free_hooks(probe->hooks);
	probe->hooks = NULL;
}

u64 pev_probe_kernel_missed(const struct pev_probe_event *probe)
{
	/* pairs with pev_probe_kernel_hook() */
	const struct kernel_hooks *hooks = smp_load_acquire(&probe->hooks);
	u64 missed = 0;

	/* they are only counted up, each by any CPU: an older number will do */
	for (u32 i = 0; hooks && i < hooks->nr; i++) {
		const struct kprobe *kp = at_return(probe) ? &hooks->rps[i]->kp : hooks->kps[i];

		/* see above */
		missed += data_race(kp->nmissed);
		/* see above */
		missed += at_return(probe) ? data_race(hooks->rps[i]->nmissed) : 0;
	}
	return missed;
}
