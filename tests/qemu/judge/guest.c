// SPDX-License-Identifier: GPL-2.0
/*
 * Judges what an emulated PMU of AMD's counts of host and guests, by Linux's own perf and KVM:
 * GuestOnly and HostOnly must count what is known of a guest's code, and nothing of the other. Each
 * VMRUN counts for the guest as an instruction and a branch, as AMD says: what changes the mode counts
 * in the mode that it leads to. Nothing of pev is used here.
 *
 * usage: guest MODEL     prints TAP
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include "counter.h"
#include "judge.h"
#include "result.h"
#include "throttle.h"
#include "vmm.h"

#define TURNS 3
/* so far apart that perf throttles none */
#define PERIOD 9973
#define RING_PAGES 64
#define VECTOR 0x40
#define APIC 0xfee00000
#define APIC_SPURIOUS 0xf0
#define INTERRUPTS 4000
#define INTERRUPTS_TAKEN 0x4000 /* where the guest counts them */
/* has no divisor in common with the guest's turns: an overflow comes at each of its instructions */
#define INTERRUPTED_PERIOD 53

enum { GUEST = 1, HOST = 2, USER = 4, KERNEL = 8 };

static struct vmm machine;

/* A guest that counts the interrupts that it takes, and is told to go on. It ends with a second one. */
asm(".pushsection .rodata\n"
    ".code32\n"
    "taker_begin:\n"
    "	mov $20, %ecx\n"
    "1:	dec %ecx\n"
    "	jnz 1b\n"
    "	out %al, $0x10\n"
    "	jmp taker_begin\n"
    "taker_interrupt:\n"
    "	incl 0x4000\n"
    "	cmpl $1, 0x4000\n"
    "	jne 3f\n"
    "	mov $20, %edx\n"
    "2:	dec %edx\n"
    "	jnz 2b\n"
    "	movl $0, 0xfee000b0\n" /* the interrupt is over */
    "	iret\n"
    "3:	out %al, $0x10\n"
    "	jmp 3b\n"
    "taker_end:\n"
    ".code64\n"
    ".popsection\n");

extern const uint8_t taker_begin[], taker_interrupt[], taker_end[];

static struct perf_event_attr attr_of(uint64_t config, int what)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(struct perf_event_attr),
		.config = config,
		.disabled = 1,
		.exclude_host = !(what & HOST),
		.exclude_guest = !(what & GUEST),
		.exclude_user = !(what & USER),
		.exclude_kernel = !(what & KERNEL),
		.exclude_hv = 1,
	};
}

static int event_of(uint64_t config, int what, int group)
{
	struct perf_event_attr attr = attr_of(config, what);
	int fd;

	attr.disabled = group < 0;
	fd = event_open(&attr, group);
	if (fd < 0) {
		printf("not ok %d - perf_event_open: %s\n", ++tests, strerror(errno));
		exit(1);
	}
	return fd;
}

static void turns(uint64_t n)
{
	while (n--) {
		if (vmm_round(&machine)) {
			printf("not ok %d - the guest ended: exit reason %u\n", ++tests,
			       machine.run->exit_reason);
			exit(1);
		}
	}
}

/* A guest of its own, in user or kernel mode, that has been in its loop. */
static bool begin(bool user)
{
	vmm_close(&machine);
	if (vmm_open(&machine, user))
		return false;
	turns(1);
	return true;
}

/* @want for each turn, and @entry for each entry. */
static void judge_guest(const char *name, uint64_t config, int levels, uint64_t want, bool entry)
{
	int fd = event_of(config, GUEST | levels, -1);
	int64_t before = vmm_entries(&machine), entries;
	uint64_t got = count(fd, turns, TURNS);

	entries = vmm_entries(&machine) - before;
	want = TURNS * want + entry * entries;
	result(before >= 0 && entries >= TURNS && got == want, name,
	       "%llu, want %llu, %lld of them entries", (unsigned long long)got,
	       (unsigned long long)want, (long long)entries);
	close(fd);
}

static void judge_none(const char *name, int what, work_fn *work)
{
	int fd = event_of(PERF_COUNT_HW_INSTRUCTIONS, what, -1);
	uint64_t got = count(fd, work, TURNS * VMM_ROUNDS / LOOP_INSNS);

	result(!got, name, "%llu, want 0", (unsigned long long)got);
	close(fd);
}

/* In user mode the host does the same for each turn, however long that takes the guest. */
static void judge_host(void)
{
	int fd = event_of(PERF_COUNT_HW_INSTRUCTIONS, HOST | USER, -1);
	uint64_t first, second, third;

	first = count(fd, turns, 1);
	second = count(fd, turns, 2);
	third = count(fd, turns, 3);
	result(first && first < 10000 && second - first == third - second, "host only",
	       "%llu, %llu and %llu for 1, 2 and 3 turns", (unsigned long long)first,
	       (unsigned long long)second, (unsigned long long)third);
	close(fd);
}

/* Three counters that start at once; without a global switch one after the other. */
static void judge_sum(const char *model)
{
	const uint64_t slack = strcmp(model, "amd") ? 0 : 200;
	int fd = event_of(PERF_COUNT_HW_INSTRUCTIONS, GUEST | HOST | USER | KERNEL, -1);
	int gfd = event_of(PERF_COUNT_HW_INSTRUCTIONS, GUEST | USER | KERNEL, fd);
	int hfd = event_of(PERF_COUNT_HW_INSTRUCTIONS, HOST | USER | KERNEL, fd);
	uint64_t all, guest, host;

	start(fd);
	turns(TURNS);
	stop(fd);
	all = value(fd);
	guest = value(gfd);
	host = value(hfd);
	result(guest >= TURNS * VMM_INSNS && host > 1000 &&
		       (uint64_t)llabs((int64_t)(all - guest - host)) <= slack,
	       "host and guest add up", "%llu + %llu = %llu, within %llu",
	       (unsigned long long)guest, (unsigned long long)host, (unsigned long long)all,
	       (unsigned long long)slack);
	close(hfd);
	close(gfd);
	close(fd);
}

/* Each interrupt is one of the guest, and KVM says so. */
static void judge_samples(void)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_HW_INSTRUCTIONS, GUEST | USER | KERNEL);
	uint64_t counted, all = 0, right = 0, other = 0, tail = 0, size;
	struct perf_event_mmap_page *page;
	struct perf_event_header h;
	char *data;
	int fd;

	attr.sample_period = PERIOD;
	attr.sample_type = PERF_SAMPLE_IP;
	fd = event_open(&attr, -1);
	size = RING_PAGES * PAGE;
	page = mmap(NULL, size + PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd < 0 || page == MAP_FAILED) {
		result(0, "samples of the guest", "%s", strerror(errno));
		return;
	}
	data = (char *)page + PAGE;
	counted = count(fd, turns, TURNS);
	for (; tail < page->data_head; tail += h.size) {
		uint64_t ip;

		memcpy(&h, data + tail % size, sizeof(h));
		memcpy(&ip, data + tail % size + sizeof(h), sizeof(ip));
		if (h.type != PERF_RECORD_SAMPLE) {
			other++;
			continue;
		}
		all++;
		right += (h.misc & PERF_RECORD_MISC_CPUMODE_MASK) ==
				 PERF_RECORD_MISC_GUEST_KERNEL &&
			 ip >= VMM_CODE && ip < VMM_CODE_END;
	}
	result(all == counted / PERIOD && right == all && !other, "samples of the guest",
	       "%llu, want %llu; %llu in its loop, %llu lost or odd", (unsigned long long)all,
	       (unsigned long long)(counted / PERIOD), (unsigned long long)right,
	       (unsigned long long)other);
	munmap(page, size + PAGE);
	close(fd);
}

/* With KVM's interrupt controller, which else is told to leave the guest at once. */
static bool begin_interrupts(void)
{
	struct kvm_lapic_state lapic;
	struct kvm_regs regs;

	vmm_close(&machine);
	if (vmm_open_machine(&machine) || ioctl(machine.vm, KVM_CREATE_IRQCHIP, 0) ||
	    vmm_open_vcpu(&machine, 0, false))
		return false;
	vmm_load(&machine, taker_begin, taker_end - taker_begin);
	if (vmm_give_gate(&machine, VECTOR, VMM_CODE + (taker_interrupt - taker_begin)) ||
	    ioctl(machine.vcpu, KVM_GET_LAPIC, &lapic) || ioctl(machine.vcpu, KVM_GET_REGS, &regs))
		return false;
	lapic.regs[APIC_SPURIOUS + 1] |= 1; /* it is switched on */
	regs.rflags |= 1 << 9;
	return !ioctl(machine.vcpu, KVM_SET_LAPIC, &lapic) &&
	       !ioctl(machine.vcpu, KVM_SET_REGS, &regs);
}

/* Returns how often the guest took one. */
static uint32_t interrupt_turns(uint64_t n)
{
	struct kvm_msi interrupt = { .address_lo = APIC, .data = VECTOR };
	volatile uint32_t *taken = (uint32_t *)(machine.memory + INTERRUPTS_TAKEN);
	uint32_t sum = 0;

	while (n--) {
		*taken = 0;
		if (ioctl(machine.vm, KVM_SIGNAL_MSI, &interrupt) != 1) {
			printf("not ok %d - KVM_SIGNAL_MSI: %s\n", ++tests, strerror(errno));
			exit(1);
		}
		turns(1);
		sum += *taken;
		if (*taken > 1)
			break;
	}
	return sum;
}

/*
 * An interrupt that is injected into the guest is one, also if a counter overflows in its handler, so that
 * the guest is left there.
 */
static void judge_interrupts(void)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_HW_INSTRUCTIONS, GUEST | USER | KERNEL);
	int64_t before, entries;
	uint32_t taken;
	int fd;

	attr.sample_period = INTERRUPTED_PERIOD;
	fd = event_open(&attr, -1);
	if (fd < 0 || !begin_interrupts()) {
		result(0, "interrupts of the guest", "%s", strerror(errno));
		return;
	}
	before = vmm_entries(&machine);
	start(fd);
	taken = interrupt_turns(INTERRUPTS);
	stop(fd);
	entries = vmm_entries(&machine) - before;
	result(taken == INTERRUPTS && entries > 3 * INTERRUPTS, "interrupts of the guest",
	       "%u taken, want %u, each once; %lld entries", taken, INTERRUPTS, (long long)entries);
	close(fd);
}

int main(int argc, char **argv)
{
	printf("TAP version 13\n");
	never_throttle();
	machine = (struct vmm){ .kvm = -1, .vm = -1, .vcpu = -1 };
	vmm_load_kvm();
	if (!begin(false)) {
		printf("not ok %d - a guest of KVM: %s\n1..1\n", ++tests, strerror(errno));
		return 1;
	}
	judge_guest("guest only", PERF_COUNT_HW_INSTRUCTIONS, USER | KERNEL, VMM_INSNS, true);
	judge_guest("guest only: branches", PERF_COUNT_HW_BRANCH_INSTRUCTIONS, USER | KERNEL,
		    VMM_BRANCHES, true);
	judge_guest("guest only: its kernel", PERF_COUNT_HW_INSTRUCTIONS, KERNEL, VMM_INSNS, true);
	judge_guest("guest only: its user mode", PERF_COUNT_HW_INSTRUCTIONS, USER, 0, false);
	judge_none("guest only, of the host's loop", GUEST | USER | KERNEL, loop);
	judge_host();
	judge_sum(argc > 1 ? argv[1] : "amd");
	judge_samples();
	judge_interrupts();
	if (begin(true)) {
		judge_guest("guest in user mode", PERF_COUNT_HW_INSTRUCTIONS, USER, VMM_INSNS,
			    true);
		judge_guest("guest in user mode: its kernel", PERF_COUNT_HW_INSTRUCTIONS, KERNEL, 0,
			    false);
	}
	vmm_close(&machine);
	printf("1..%d\n", tests);
	return 0;
}
