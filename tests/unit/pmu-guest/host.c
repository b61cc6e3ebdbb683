// SPDX-License-Identifier: GPL-2.0
/* Written from linux/pev_guest.h of the uapi alone. */
#include <uapi/linux/pev_guest.h>
#include <linux/pev_pmu.h>
#include "rdpmc.h"
#include "host.h"

struct host host;
struct shim_cpu boot_cpu_data;
u64 shim_features, shim_now = 1000;

#define LAP BIT_ULL(HOST_BITS)

int shim_say(const char *fmt, ...)
{
	return 0;
}

void *host_alloc(size_t size)
{
	void *p = aligned_alloc(size, size);

	memset(p, 0, size);
	return p;
}

int __register_nmi_handler(unsigned int type, struct nmiaction *action)
{
	static struct list_head handlers;

	if (!list_empty(&action->list) || action->flags != NMI_FLAG_FIRST)
		return -EINVAL;
	action->list = (struct list_head){ &handlers, &handlers };
	host.handler = action->handler;
	return 0;
}

/* ---- the guest's processor ---- */

void host_nmi_point(void)
{
	struct pt_regs regs;

	if (host.in_nmi || host.hold)
		return;
	while (host.pending) {
		bool kernel = host.kernel;

		host.pending = false;
		host.in_nmi = true;
		host.kernel = true;
		host.nmis++;
		if (!host.handler || host.handler(NMI_LOCAL, &regs) != NMI_HANDLED)
			host.unknown += !host.swallow;
		host.swallow = false;
		host.kernel = kernel;
		host.in_nmi = false;
	}
}

bool host_other_nmi(void)
{
	struct pt_regs regs;
	bool taken;

	host.in_nmi = true;
	taken = host.handler && host.handler(NMI_LOCAL, &regs) == NMI_HANDLED;
	host.in_nmi = false;
	/* Linux lets one that found two causes have the one right behind it: default_do_nmi() */
	host.swallow = taken;
	host_nmi_point();
	host.swallow = false;
	return taken;
}

/* The host's PMI. */
static void pmi(u64 counters)
{
	host.over |= counters;
	host.due &= ~counters;
	if (!counters || host.told)
		return;
	host.told = true;
	host.pending = true;
}

static bool counts(int i)
{
	u64 leave_out = host.kernel ? PEV_GUEST_NO_KERNEL : PEV_GUEST_NO_USER;

	return host.on >> i & 1 && !(host.word[i] & leave_out);
}

static void tick(void)
{
	for (int i = 0; i < host.lent; i++) {
		if (!counts(i))
			continue;
		if (host.starve >> i & 1) {
			host.missed |= BIT_ULL(i);
			host.lost[i]++;
			continue;
		}
		host.total[i]++;
		host.value[i] = (host.value[i] + 1) & (LAP - 1);
		if (host.value[i])
			continue;
		if (!host.due)
			host.due_in = host.late;
		host.due |= BIT_ULL(i);
	}
	if (host.due && host.due_in-- <= 0)
		pmi(host.due);
	host_nmi_point();
}

void host_run(u64 n)
{
	while (n--)
		tick();
}

static void drag(void)
{
	bool kernel = host.kernel;

	host.kernel = true;
	for (int i = 0; i < host.drag; i++)
		tick();
	host.kernel = kernel;
}

/* ---- calls ---- */

static struct pev_guest_area *area(void)
{
	return (struct pev_guest_area *)(uintptr_t)host.area;
}

static void switch_to(u64 on)
{
	host.on = 0;
	pmi(host.due);
	host.on = on;
}

static bool can_count(u64 word)
{
	if (word & PEV_GUEST_NO_USER && word & PEV_GUEST_NO_KERNEL)
		return false;
	word &= ~(PEV_GUEST_NO_USER | PEV_GUEST_NO_KERNEL);
	return word & PEV_GUEST_RAW ? (word & 0xff) != 0xee : word != PEV_HW_REF_CYCLES;
}

static long attach(u64 address)
{
	host.lent = 0;
	host.on = 0;
	host.known = 0;
	host.over = 0;
	host.due = 0;
	host.told = false;
	host.shown = 0;
	host.whole = !host.first && address & PEV_GUEST_WHOLE;
	if (host.whole)
		address &= ~(u64)PEV_GUEST_WHOLE;
	if (address & (host.whole ? 511 : 255))
		return -EINVAL;
	if (!host.grant)
		return -ENODEV;
	host.area = address;
	host.lent = host.grant;
	memset(host.value, 0, sizeof(host.value));
	return host.lent;
}

static long stop(u64 arg)
{
	bool told = host.told;

	if (arg == PEV_GUEST_NMI) {
		host.told = false;
		if (!told)
			return 0;
	}
	switch_to(0);
	area()->over = host.over;
	area()->missed = host.missed;
	for (int i = 0; i < host.lent; i++)
		area()->value[i] = host.value[i];
	for (int i = 0; i < host.lent && host.whole; i++)
		area()->lost[i] = host.lost[i] * HOST_NS;
	if (arg == PEV_GUEST_NMI)
		host.over = 0;
	return told;
}

/* Each time somewhere else. */
static void show(u64 counters)
{
	static u64 offset = 12345;

	host.shown = counters;
	for (int i = 0; i < host.lent; i++) {
		bool shown = counters >> i & 1;

		offset = offset * 6364136223846793005 + 1442695040888963407;
		host.offset[i] = shown ? offset & (LAP - 1) : 0;
		area()->reg[i] = shown ? HOST_REG(i) + 1 : 0;
		area()->offset[i] = host.offset[i];
	}
}

int x86_pev_rdpmc_safe(u32 index, u64 *value)
{
	int err = -EIO;

	host_nmi_point();
	*value = 0;
	for (int i = 0; i < host.lent; i++) {
		if (host.fault || !(host.shown >> i & 1) || index != HOST_REG(i))
			continue;
		*value = (host.value[i] + host.offset[i]) & (LAP - 1);
		err = 0;
	}
	host.rdpmcs++;
	host_nmi_point();
	return err;
}

static long start(u64 on)
{
	u64 all = (1ULL << host.lent) - 1;

	switch_to(0);
	if ((on | area()->set) & ~all)
		return -EINVAL;
	for (int i = 0; i < host.lent; i++) {
		if (!(area()->set >> i & 1))
			continue;
		if (!can_count(area()->event[i]))
			return -EINVAL;
		host.word[i] = area()->event[i];
		host.value[i] = area()->start[i] & (LAP - 1);
		host.known |= BIT_ULL(i);
		host.over &= ~BIT_ULL(i);
	}
	if (on & ~host.known)
		return -EINVAL;
	host.missed = 0;
	memset(host.lost, 0, sizeof(host.lost));
	switch_to(on);
	if (host.whole)
		show(on & ~host.hide);
	return 0;
}

static long usual_hello(u64 version)
{
	return (host.first || version < 2 ? 1 : 2) | HOST_COUNTERS << 8 | host.grant << 16 |
	       (long)HOST_BITS << 24;
}

static long answer(u64 op, u64 arg)
{
	if (host.old)
		return -KVM_ENOSYS;
	if (host.deny && host.deny_after-- <= 0) {
		switch_to(0);
		return host.deny;
	}
	switch (op) {
	case PEV_GUEST_HELLO:
		return host.hello ? host.hello : usual_hello(arg);
	case PEV_GUEST_ATTACH:
		return attach(arg);
	case PEV_GUEST_CHECK:
		return can_count(arg) ? 2 : -EINVAL;
	}
	if (!host.lent)
		return -ENODEV;
	switch (op) {
	case PEV_GUEST_DETACH:
		switch_to(0);
		host.lent = 0;
		return 0;
	case PEV_GUEST_STOP:
		return stop(arg);
	case PEV_GUEST_START:
		return start(arg);
	case PEV_GUEST_READ:
		return arg < host.lent ? (long)host.value[arg] : -EINVAL;
	}
	return -EINVAL;
}

long host_call(unsigned int nr, u64 op, u64 arg)
{
	long result;

	if (nr != PEV_GUEST_CALL || op > PEV_GUEST_READ)
		abort();
	host.calls[op]++;
	drag();
	result = answer(op, arg);
	host_nmi_point();
	drag();
	return result;
}
