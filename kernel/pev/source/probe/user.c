// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the probes in files: uprobes. Must not know what is recorded.
 *
 * Only processes of the event's target get breakpoints. Those that inherit them by a fork
 * and are not in it lose each at its first hit.
 */
#include <linux/dcache.h>
#include <linux/pev_refuse.h>
#include <linux/ptrace.h>
#include <linux/slab.h>
#include <linux/uprobes.h>
#include "target/target.h"
#include "types.h"
#include "entries.h"
#include "place.h"
#include "probe.h"
#include "user.h"

/**
 * struct user_place - a place in a file
 * @uc:     what uprobes call
 * @probe:  back
 * @entries: see struct user_hooks
 * @uprobe: what it is registered at
 * @index:  of the place
 */
struct user_place {
	struct uprobe_consumer	uc;
	struct pev_probe_event	*probe;
	struct pev_entries	*entries;
	struct uprobe		*uprobe;
	u32			index;
};

/**
 * struct user_hooks - all places of a probe
 * @nr:      of @places: those with an @uprobe are registered
 * @entries: calls under way, if records say how long they took; else NULL
 * @places:  the places
 */
struct user_hooks {
	u32			nr;
	struct pev_entries	*entries;
	struct user_place	places[];
};

static struct user_place *to_place(struct uprobe_consumer *uc)
{
	return container_of(uc, struct user_place, uc);
}

static void hit(const struct user_place *place, unsigned long ip, const struct pev_fetch_in *in)
{
	preempt_disable_notrace();
	pev_probe_hit(place->probe, place->index, ip, in);
	preempt_enable_notrace();
}

static bool wanted(struct uprobe_consumer *uc, struct mm_struct *mm)
{
	return pev_target_maps(to_place(uc)->probe->event, mm);
}

static int reached(struct uprobe_consumer *uc, struct pt_regs *regs)
{
	const struct pev_fetch_in in = { .regs = regs };

	hit(to_place(uc), instruction_pointer(regs), &in);
	return wanted(uc, current->mm) ? 0 : UPROBE_HANDLER_REMOVE;
}

static bool counts(const struct user_place *place)
{
	guard(preempt_notrace)();
	return pev_event_running(place->probe->event);
}

/* The breakpoint at the function's beginning: its return will be reported. */
static int entered(struct uprobe_consumer *uc, struct pt_regs *regs)
{
	const struct user_place *place = to_place(uc);

	if (!wanted(uc, current->mm))
		return UPROBE_HANDLER_REMOVE;
	if (place->entries && counts(place))
		pev_entries_add(place->entries, place->index, user_stack_pointer(regs));
	return 0;
}

/* Return: the stack pointer as it was when the function was entered. */
static unsigned long entry_stack(struct pt_regs *regs)
{
#ifdef CONFIG_X86
	/* the return address has been taken off */
	return user_stack_pointer(regs) - (user_64bit_mode(regs) ? sizeof(u64) : sizeof(u32));
#else
	return user_stack_pointer(regs);
#endif
}

static int returned(struct uprobe_consumer *uc, unsigned long func, struct pt_regs *regs)
{
	const struct user_place *place = to_place(uc);
	struct pev_fetch_in in = { .regs = regs };
	u64 duration;

	if (place->entries &&
	    pev_entries_take(place->entries, place->index, entry_stack(regs), &duration))
		in.duration = &duration;
	hit(place, func, &in);
	return 0;
}

/* ---- placing them ---- */

static int refuse_place(const struct pev_probe_event *probe, u32 i, int err,
			struct pev_refuse *r)
{
	const char *name = pev_probe_name(probe, i);
	u64 offset = probe->places[i].offset;

	switch (err) {
	case -EIO:
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(config),
				  "%s: files of this file system can't be probed", name);
	case -EINVAL:
		return pev_refuse(r, EINVAL, PEV_FIELD(config),
				  "%s: offset 0x%llx is behind the end of the file or not at an instruction, or another probe has it with another semaphore",
				  name, offset);
	case -ENOTSUPP:
	case -EOPNOTSUPP:
	case -ENOEXEC:
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(config),
				  "%s: the instruction at offset 0x%llx can't be probed", name,
				  offset);
	default:
		return pev_probe_refuse_place(probe, i, err, r);
	}
}

static int place_one(struct pev_probe_event *probe, void *to, u32 i)
{
	bool at_return = probe->fetches.kind == PEV_PROBE_USER_RETURN;
	struct inode *inode = d_real_inode(probe->path.dentry);
	struct user_hooks *hooks = to;
	struct user_place *place = &hooks->places[i];
	struct uprobe *uprobe;

	place->probe = probe;
	place->entries = hooks->entries;
	place->index = i;
	place->uc.filter = wanted;
	place->uc.handler = at_return ? entered : reached;
	if (at_return)
		place->uc.ret_handler = returned;
	uprobe = uprobe_register(inode, probe->places[i].offset, probe->places[i].semaphore,
				 &place->uc);
	if (IS_ERR(uprobe))
		return PTR_ERR(uprobe);
	place->uprobe = uprobe;
	return 0;
}

static void remove_places(struct user_hooks *hooks)
{
	for (u32 i = 0; i < hooks->nr; i++) {
		struct user_place *place = &hooks->places[i];

		if (place->uprobe)
			uprobe_unregister_nosync(place->uprobe, &place->uc);
		cond_resched();
	}
}

static void free_hooks(struct user_hooks *hooks)
{
	pev_entries_free(hooks->entries);
	kvfree(hooks);
}

static struct user_hooks *make_hooks(const struct pev_probe_event *probe)
{
	struct user_hooks *hooks;

	hooks = kvzalloc(struct_size(hooks, places, probe->nr), GFP_KERNEL_ACCOUNT);
	if (!hooks)
		return NULL;
	hooks->nr = probe->nr;
	if (!pev_fetch_needs_duration(&probe->fetches))
		return hooks;
	hooks->entries = pev_entries_make();
	if (hooks->entries)
		return hooks;
	kvfree(hooks);
	return NULL;
}

int pev_probe_user_hook(struct pev_probe_event *probe, struct pev_refuse *r)
{
	struct user_hooks *hooks = make_hooks(probe);
	int err;

	if (!hooks)
		return -ENOMEM;
	err = pev_probe_place_all(probe, hooks, place_one, refuse_place, r);
	if (!err) {
		probe->hooks = hooks;
		return 0;
	}
	remove_places(hooks);
	uprobe_unregister_sync();
	free_hooks(hooks);
	return err;
}

/* Places were removed, and may still be at work; the reaper's alone. */
static bool leaving;

void pev_probe_user_unhook(struct pev_probe_event *probe)
{
	remove_places(probe->hooks);
	leaving = true;
}

void pev_probe_user_quiesce(void)
{
	if (leaving)
		uprobe_unregister_sync();
	leaving = false;
}

void pev_probe_user_free(struct pev_probe_event *probe)
{
	free_hooks(probe->hooks);
	probe->hooks = NULL;
}
