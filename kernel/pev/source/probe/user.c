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
#include "place.h"
#include "probe.h"
#include "user.h"

/**
 * struct user_place - a place in a file
 * @uc:     what uprobes call
 * @probe:  back
 * @uprobe: what it is registered at
 * @index:  of the place
 */
struct user_place {
	struct uprobe_consumer	uc;
	struct pev_probe_event	*probe;
	struct uprobe		*uprobe;
	u32			index;
};

/**
 * struct user_hooks - all places of a probe
 * @nr:     of @places: those with an @uprobe are registered
 * @places: the places
 */
struct user_hooks {
	u32			nr;
	struct user_place	places[];
};

static struct user_place *to_place(struct uprobe_consumer *uc)
{
	return container_of(uc, struct user_place, uc);
}

static void hit(struct uprobe_consumer *uc, struct pt_regs *regs, unsigned long ip)
{
	const struct pev_fetch_in in = { .regs = regs };
	struct user_place *place = to_place(uc);

	preempt_disable_notrace();
	pev_probe_hit(place->probe, place->index, ip, &in);
	preempt_enable_notrace();
}

static bool wanted(struct uprobe_consumer *uc, struct mm_struct *mm)
{
	return pev_target_maps(to_place(uc)->probe->event, mm);
}

static int reached(struct uprobe_consumer *uc, struct pt_regs *regs)
{
	hit(uc, regs, instruction_pointer(regs));
	return wanted(uc, current->mm) ? 0 : UPROBE_HANDLER_REMOVE;
}

/* The breakpoint at the function's beginning: its return will be reported. */
static int entered(struct uprobe_consumer *uc, struct pt_regs *regs)
{
	return wanted(uc, current->mm) ? 0 : UPROBE_HANDLER_REMOVE;
}

static int returned(struct uprobe_consumer *uc, unsigned long func, struct pt_regs *regs)
{
	hit(uc, regs, func);
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
	if (hooks->nr)
		uprobe_unregister_sync();
	kvfree(hooks);
}

int pev_probe_user_hook(struct pev_probe_event *probe, struct pev_refuse *r)
{
	struct user_hooks *hooks;
	int err;

	hooks = kvzalloc(struct_size(hooks, places, probe->nr), GFP_KERNEL_ACCOUNT);
	if (!hooks)
		return -ENOMEM;
	hooks->nr = probe->nr;
	err = pev_probe_place_all(probe, hooks, place_one, refuse_place, r);
	if (!err) {
		probe->hooks = hooks;
		return 0;
	}
	remove_places(hooks);
	return err;
}

void pev_probe_user_unhook(struct pev_probe_event *probe)
{
	remove_places(probe->hooks);
	probe->hooks = NULL;
}
