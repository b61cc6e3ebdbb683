// SPDX-License-Identifier: GPL-2.0
/*
 * Lent counters that a guest reads without a call: what it reads is what it did, whatever its host
 * counts, and nothing of another's.
 */
#include <signal.h>
#include "grant_util.h"

#if defined(__x86_64__)
/* The next turn reads @counter where the area says. */
static void read_there(struct vmm *m, unsigned int counter)
{
	vmm_mail(m)->reg = VMM_AREA + offsetof(struct pev_guest_area, reg[counter]);
}

/* The next turn reads register @reg, which the guest need not have been told. */
static void read_reg(struct vmm *m, uint32_t reg)
{
	vmm_mail(m)->pad = reg + 1;
	vmm_mail(m)->reg = VMM_MAIL + offsetof(struct vmm_mail, pad);
}

/* What the register that was read says of a counter. */
static uint64_t value_read(struct vmm *m, unsigned int counter)
{
	return (vmm_mail(m)->read - vmm_area(m)->offset[counter]) & bits_mask(m);
}

/* A turn with a read and two calls that change nothing. Return: exits for the read; -1: it is none */
static int64_t exits_of_read(struct vmm *m)
{
	uint32_t reads = vmm_mail(m)->reads;
	int64_t least = INT64_MAX;

	for (unsigned int i = 0; i < TRIES; i++) {
		int64_t before = vmm_entries(m);

		if (vmm_calls(m, PEV_GUEST_HELLO, 2, 0, PEV_GUEST_HELLO, 2))
			return -1;
		before = vmm_entries(m) - before;
		if (before < least)
			least = before;
	}
	return vmm_mail(m)->reads - reads == TRIES ? least - 3 : -1;
}

TEST_F(lent, read_by_register)
{
	struct pev_guest_area *area = vmm_area(&self->m);
	struct vmm_mail *mail = vmm_mail(&self->m);
	/* near the overflow, in the middle, and far from it */
	const uint64_t starts[] = { bits_mask(&self->m) - 4 * ROUNDS, 1ULL << 46, 0 };

	PMU_SKIP_WITHOUT(SKIP);
	if (!pmu_is_exact())
		SKIP(return, "not a machine that counts exactly");
	ASSERT_TRUE(attached_whole(&self->m));
	area->event[0] = PEV_HW_INSTRUCTIONS;
	read_there(&self->m, 0);
	for (unsigned int i = 0; i < 3; i++) {
		area->start[0] = starts[i];
		ASSERT_TRUE(undisturbed_but(&self->m, 1, ROUNDS, 0));
		EXPECT_EQ(starts[i] + VMM_CALLS_INSNS(ROUNDS) + 1 + VMM_READ_INSNS, area->value[0]);
		EXPECT_EQ(area->value[0] - VMM_READ_AS_OF(0), value_read(&self->m, 0));
		EXPECT_EQ(0, area->lost[0]);
	}
	EXPECT_EQ(0, area->reg[1]);
	EXPECT_EQ(0, mail->faults);
}

/* What else the processor's counters show has the read be an exit, and nothing else. */
TEST_F(lent, read_beside_the_host)
{
	struct pev_guest_area *area = vmm_area(&self->m);
	int fd = pmu_open(PEV_HW_INSTRUCTIONS, PEV_F_EXCLUDE_GUEST);

	PMU_SKIP_WITHOUT(SKIP);
	if (!pmu_is_exact())
		SKIP(return, "not a machine that counts exactly");
	ASSERT_LE(0, fd) TH_LOG("%s", pev_reason());
	ASSERT_TRUE(attached_whole(&self->m));
	area->event[0] = PEV_HW_INSTRUCTIONS;
	read_there(&self->m, 0);
	for (int i = 0; i < 3; i++) {
		ASSERT_TRUE(undisturbed_but(&self->m, 1, ROUNDS, 0));
		pev_on(fd);
		ASSERT_TRUE(undisturbed_but(&self->m, 1, ROUNDS, 1));
		EXPECT_EQ(VMM_CALLS_INSNS(ROUNDS) + 1 + VMM_READ_INSNS, area->value[0]);
		EXPECT_EQ(area->value[0] - VMM_READ_AS_OF(1), value_read(&self->m, 0));
		/* what it counted stays in its counter until another event needs that */
		pev_off(fd);
	}
	/* while the guest's runs, too */
	area->set = 1;
	ASSERT_EQ(0, vmm_call(&self->m, PEV_GUEST_START, 1));
	EXPECT_EQ(0, exits_of_read(&self->m));
	pev_on(fd);
	EXPECT_EQ(1, exits_of_read(&self->m));
	pev_off(fd);
	EXPECT_EQ(0, exits_of_read(&self->m));
	EXPECT_EQ(0, vmm_mail(&self->m)->faults);
	close(fd);
}

/* Nothing of the host's is in any register: in those that were not told, either. */
TEST_F(lent, read_of_others)
{
	struct pev_guest_area *area = vmm_area(&self->m);
	struct vmm_mail *mail = vmm_mail(&self->m);
	int fds[3], seen = 0;

	PMU_SKIP_WITHOUT(SKIP);
	for (unsigned int i = 0; i < 3; i++) {
		fds[i] = pmu_open(PEV_HW_INSTRUCTIONS, 0);
		ASSERT_LE(0, fds[i]) TH_LOG("%s", pev_reason());
	}
	ASSERT_TRUE(attached_whole(&self->m));
	area->event[0] = PEV_HW_INSTRUCTIONS;
	area->set = 1;
	for (int on = 0; on < 2; on++) {
		for (unsigned int i = 0; i < 3; i++) {
			pev_on(fds[i]);
			pmu_loop(ROUNDS);
			if (!on)
				pev_off(fds[i]);
		}
		ASSERT_EQ(0, vmm_call(&self->m, PEV_GUEST_START, 1));
		ASSERT_NE(0, area->reg[0]);
		for (uint32_t reg = 0; reg < 32; reg++) {
			mail->faults = 0;
			mail->read = 0;
			read_reg(&self->m, reg);
			ASSERT_EQ(0, vmm_call(&self->m, PEV_GUEST_START, 1));
			seen += !mail->faults;
			if (reg != area->reg[0] - 1) {
				EXPECT_EQ(0, mail->read)
				TH_LOG("register %u of a host that counts: %d", reg, on);
			}
		}
	}
	/* without an exit all of the processor's are there; with one those that were told */
	EXPECT_LT(2, seen);
	for (unsigned int i = 0; i < 3; i++)
		close(fds[i]);
}

/* The thread leaves the processor and comes back, and the guest knows nothing of it. */
TEST_F(lent, read_after_a_switch)
{
	struct pev_guest_area *area = vmm_area(&self->m);
	uint64_t last = 0;

	PMU_SKIP_WITHOUT(SKIP);
	ASSERT_TRUE(attached_whole(&self->m));
	area->event[0] = PEV_HW_INSTRUCTIONS;
	area->set = 1;
	for (int i = 0; i < 2; i++) {
		area->start[0] = i ? 0 : bits_mask(&self->m) - VMM_ROUNDS;
		ASSERT_EQ(0, vmm_call(&self->m, PEV_GUEST_START, 1));
		read_there(&self->m, 0);
		for (unsigned int turn = 0; turn < 5; turn++) {
			usleep(1000);
			EXPECT_EQ(0, exits_of_read(&self->m));
			EXPECT_TRUE(!turn || value_read(&self->m, 0) > last);
			last = value_read(&self->m, 0);
			EXPECT_GT(100000, last - area->start[0]);
		}
	}
}

/* Reads between overflows, as the counter is loaded again each time. */
TEST_F(lent, read_of_what_overflows)
{
	uint64_t mask = bits_mask(&self->m);
	struct pev_guest_area *area = vmm_area(&self->m);
	struct vmm_mail *mail = vmm_mail(&self->m);

	PMU_SKIP_WITHOUT(SKIP);
	ASSERT_TRUE(attached_whole(&self->m));
	area->event[0] = PEV_HW_INSTRUCTIONS;
	read_there(&self->m, 0);
	for (unsigned int i = 0; i < 200; i++) {
		uint64_t period = 150 + 7 * i;

		area->start[0] = mask + 1 - period;
		area->set = 1;
		/* the handler starts nothing: the read is of a counter that stands, or was loaded */
		mail->nmis = 0;
		ASSERT_EQ(0, vmm_calls(&self->m, PEV_GUEST_START, 1, 500, PEV_GUEST_STOP, 0));
		/* each interrupt of the host's is an instruction more */
		EXPECT_TRUE(mail->nmis == (period < 1000) || (period >= 1000 && period < 1100))
		TH_LOG("period %lu: %u", period, mail->nmis);
		EXPECT_GE(50, (area->value[0] - value_read(&self->m, 0)) & mask);
	}
	EXPECT_EQ(0, mail->faults);
}

TEST_F(lent, read_while_moved)
{
	struct pev_guest_area *area = vmm_area(&self->m);
	int64_t entries;
	pid_t pid;

	PMU_SKIP_WITHOUT(SKIP);
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		SKIP(return, "one CPU");
	ASSERT_TRUE(attached_whole(&self->m));
	area->event[0] = PEV_HW_INSTRUCTIONS;
	read_there(&self->m, 0);
	pid = mover();
	ASSERT_LT(0, pid);
	for (int i = 0; i < 20; i++) {
		entries = entries_of_turn(&self->m, 1, VMM_ROUNDS);
		ASSERT_LE(0, entries);
		EXPECT_LE(VMM_CALLS_INSNS(VMM_ROUNDS) - 3, value_read(&self->m, 0));
		EXPECT_GE(area->value[0], value_read(&self->m, 0));
		EXPECT_GE(VMM_CALLS_INSNS(VMM_ROUNDS) + VMM_READ_INSNS + entries - 2,
			  area->value[0]);
	}
	EXPECT_EQ(0, vmm_mail(&self->m)->faults);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* A guest that was told where its counters are may go on to read them. */
TEST_F(lent, read_of_what_was_taken_back)
{
	struct pev_guest_area *area = vmm_area(&self->m);
	struct vmm_mail *mail = vmm_mail(&self->m);
	uint64_t last;

	PMU_SKIP_WITHOUT(SKIP);
	/* one that never was */
	read_reg(&self->m, 0);
	vmm_call(&self->m, PEV_GUEST_HELLO, 2);
	EXPECT_EQ(1, mail->faults);
	ASSERT_TRUE(attached(&self->m));
	area->event[0] = PEV_HW_INSTRUCTIONS;
	area->set = 1;
	ASSERT_EQ(0, vmm_call(&self->m, PEV_GUEST_START, 1));
	vmm_call(&self->m, PEV_GUEST_HELLO, 1);
	EXPECT_LT(2, mail->faults);
	EXPECT_EQ(0, area->reg[0]);
	ASSERT_TRUE(attached_whole(&self->m));
	mail->faults = 0;
	read_there(&self->m, 0);
	ASSERT_EQ(0, vmm_call(&self->m, PEV_GUEST_START, 1));
	EXPECT_EQ(0, exits_of_read(&self->m));
	last = mail->read;
	close(self->fd);
	self->fd = -1;
	EXPECT_EQ(1, exits_of_read(&self->m));
	EXPECT_LE(last, mail->read);
	EXPECT_GE(last + 100, mail->read);
	last = mail->read;
	EXPECT_EQ(1, exits_of_read(&self->m));
	EXPECT_EQ(last, mail->read);
	EXPECT_EQ(0, mail->faults);
	/* nothing is left of it */
	EXPECT_EQ(-ENODEV, vmm_call(&self->m, PEV_GUEST_ATTACH, VMM_AREA | PEV_GUEST_WHOLE));
	mail->faults = 0;
	vmm_call(&self->m, PEV_GUEST_HELLO, 2);
	EXPECT_EQ(1, mail->faults);
}

/* One that is shown counters of its own by KVM reads those. */
TEST_F(lent, read_by_a_guest_with_counters)
{
	struct pev_guest_area *area = vmm_area(&self->m);
	struct vmm_mail *mail = vmm_mail(&self->m);

	PMU_SKIP_WITHOUT(SKIP);
	vmm_close(&self->m);
	ASSERT_EQ(0, vmm_open_calls_with(&self->m, true));
	mail = vmm_mail(&self->m);
	area = vmm_area(&self->m);
	ASSERT_TRUE(attached_whole(&self->m));
	area->event[0] = PEV_HW_INSTRUCTIONS;
	area->start[0] = 12345;
	area->set = 1;
	read_there(&self->m, 0);
	ASSERT_EQ(0, vmm_call(&self->m, PEV_GUEST_START, 1));
	mail->read = ~0ULL;
	vmm_call(&self->m, PEV_GUEST_HELLO, 2);
	/* which count nothing, or there are none */
	EXPECT_TRUE(mail->faults ? mail->read == ~0ULL : !mail->read);
}

/* The guest's user mode may read what its kernel lets it: CR4.PCE. */
TEST_F(lent, read_in_user_mode)
{
	struct pev_guest_area *area = vmm_area(&self->m);
	struct vmm_mail *mail = vmm_mail(&self->m);
	/* mov $reg, %ecx; rdpmc; mov %eax, mail->read; mov %edx, above; out %al, $VMM_PORT; jmp */
	uint8_t code[] = { 0xb9, 0,    0,    0,	   0,	 0x0f, 0x33, 0xa3, 0x40,     0x40, 0,
			   0,	 0x89, 0x15, 0x44, 0x40, 0,    0,    0xe6, VMM_PORT, 0xeb, 0xea };
	int fd = pmu_open(PEV_HW_INSTRUCTIONS, PEV_F_EXCLUDE_GUEST);
	struct kvm_sregs sregs;

	PMU_SKIP_WITHOUT(SKIP);
	ASSERT_TRUE(attached_whole(&self->m));
	area->event[0] = PEV_HW_INSTRUCTIONS;
	area->set = 1;
	ASSERT_EQ(0, vmm_call(&self->m, PEV_GUEST_START, 1));
	ASSERT_NE(0, area->reg[0]);
	code[1] = area->reg[0] - 1;
	vmm_load(&self->m, code, sizeof(code));
	ASSERT_EQ(0, vmm_set_registers(&self->m, true));
	ASSERT_EQ(0, ioctl(self->m.vcpu, KVM_GET_SREGS, &sregs));
	sregs.cr4 |= 1 << 8;
	ASSERT_EQ(0, ioctl(self->m.vcpu, KVM_SET_SREGS, &sregs));
	/* by an exit, and without */
	for (int host = 1; host >= 0; host--) {
		if (host)
			pev_on(fd);
		mail->read = ~0ULL;
		ASSERT_EQ(0, vmm_round(&self->m));
		EXPECT_GT(100000, (mail->read - area->offset[0]) & ((1ULL << 48) - 1));
		if (host)
			pev_off(fd);
	}
	close(fd);
}
#elif defined(__powerpc64__)
/* Only calls read: the PMU's registers are the guest's own once it touches them. */
TEST_F(lent, no_register_is_told)
{
	struct pev_guest_area *area = vmm_area(&self->m);

	PMU_SKIP_WITHOUT(SKIP);
	area->reg[0] = 77;
	area->lost[1] = 77;
	ASSERT_TRUE(attached_whole(&self->m));
	EXPECT_EQ(0, area->reg[0]);
	EXPECT_EQ(0, area->lost[1]);
	area->event[0] = PEV_HW_INSTRUCTIONS;
	ASSERT_TRUE(undisturbed(&self->m, 1, ROUNDS));
	EXPECT_EQ(area->value[0], vmm_call(&self->m, PEV_GUEST_READ, 0));
	for (unsigned int i = 0; i < PEV_GUEST_COUNTERS; i++) {
		EXPECT_EQ(0, area->reg[i]);
		EXPECT_EQ(0, area->offset[i]);
		EXPECT_EQ(0, area->lost[i]);
	}
}
#else
FIXTURE(lent){};

FIXTURE_SETUP(lent)
{
	SKIP(return, "this kernel lends no counters");
}

FIXTURE_TEARDOWN(lent)
{
}

TEST_F(lent, is_read)
{
}
#endif

TEST_HARNESS_MAIN
