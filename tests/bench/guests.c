// SPDX-License-Identifier: GPL-2.0
/*
 * What it costs to enter and leave a guest of KVM that is lent counters, and what the guest's own calls
 * cost, in instructions of host and guest. Wants a machine whose counters tell the two
 * apart, and a kernel with pev and KVM. See bench.h.
 */
#include "bench.h"

#ifdef __x86_64__

#include <linux/pev_guest.h>
#include <pev/pev.h>
#include <time.h>
#include <unistd.h>
#include "vmm.h"

#define ROUNDS 10000
#define COUNTERS 4
/* Addresses of the guest's. */
#define LENT 0x2000
#define AREA 0x3000

/* clang-format off */
#define STR_(x)		#x
#define STR(x)		STR_(x)
#define CALL(op, arg)	"mov $" STR(PEV_GUEST_CALL) ", %eax; mov $" #op ", %ebx; mov $" arg ", %ecx; vmmcall\n"
#define REPEAT(body)	"mov $" STR(ROUNDS) ", %esi\n1:" body "dec %esi; jnz 1b; out %al, $" STR(VMM_PORT) "\n"

/* Each part ends with an access to the port. */
extern const char guest_begin[], guest_end[];
asm(".pushsection .rodata\n.code32\nguest_begin:\n"
    "cmpl $0, " STR(LENT) "; je 2f\n"
    CALL(1, STR(AREA)) CALL(5, "15")
    "2: out %al, $" STR(VMM_PORT) "\n"
    REPEAT("xor %eax, %eax; cpuid\n")
    REPEAT(CALL(6, "0"))
    REPEAT(CALL(4, "0") CALL(5, "15"))
    "3: jmp 3b\n"
    "guest_end:\n.code64\n.popsection\n");
/* clang-format on */

/**
 * struct costs - of one turn
 * @exit:     leaving the guest for KVM, and entering it again
 * @read:     a counter's value
 * @exchange: all counters stopped and started
 */
struct costs {
	double exit;
	double read;
	double exchange;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static double round_of(struct vmm *m)
{
	double begin = now(), ns;

	if (vmm_round(m))
		die("the guest ended with %u", m->run->exit_reason);
	ns = now() - begin;
	return ns / ROUNDS;
}

static int lend(void)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_GRANT,
		.target = PEV_TARGET_GUEST,
		.target_id = getpid(),
		.config = COUNTERS,
		.channel_fd = -1,
		.group_fd = -1,
	};
	int fd = pev_open(&attr, sizeof(attr), 0);

	if (fd < 0)
		die("counters can't be lent: %s", strerror(-fd));
	return fd;
}

static void check_grant(int fd)
{
	struct pev_grant grant;

	if (read(fd, &grant, sizeof(grant)) != sizeof(grant) || grant.refused || !grant.vcpus)
		die("the guest was refused");
	if (grant.calls < 3 * ROUNDS || grant.missed)
		die("the guest's counters stood still at times");
}

static struct costs run_guest(bool lent)
{
	struct pev_guest_area *area;
	struct costs costs = {};
	struct vmm m;
	int fd = -1;

	if (vmm_open(&m, false))
		die("no guest can be run");
	if (lent)
		fd = lend();
	vmm_load(&m, guest_begin, guest_end - guest_begin);
	*(uint32_t *)(m.memory + LENT) = lent;
	area = (void *)(m.memory + AREA);
	area->set = (1 << COUNTERS) - 1;
	for (int i = 0; i < COUNTERS; i++)
		area->event[i] = i % 2 ? PEV_HW_CYCLES : PEV_HW_INSTRUCTIONS;
	round_of(&m);
	costs.exit = round_of(&m);
	costs.read = round_of(&m);
	/* what was set stays */
	area->set = 0;
	costs.exchange = round_of(&m);
	if (lent) {
		check_grant(fd);
		close(fd);
	}
	vmm_close(&m);
	return costs;
}

void measure_guests(void)
{
	struct costs bare, lent;
	struct figure *f;

	vmm_load_kvm();
	run_guest(false);
	bare = run_guest(false);
	lent = run_guest(true);
	f = figure("guest_exit", 0, "a guest is left for KVM and entered again");
	f->at[PEV] = bare.exit;
	f = figure("guest_exit_lent", 300, "... what 4 counters that it is lent add to that");
	f->at[PEV] = lent.exit - bare.exit;
	f = figure("guest_call", 0, "a call of the guest's that is refused, exit and all");
	f->at[PEV] = bare.read;
	f = figure("guest_read", 0, "a guest reads a counter, exit and all");
	f->at[PEV] = lent.read;
	f = figure("guest_exchange", 0, "... stops 4 and starts them again, by two calls");
	f->at[PEV] = lent.exchange;
}

#else

void measure_guests(void)
{
	die("guests are measured on x86_64");
}

#endif
