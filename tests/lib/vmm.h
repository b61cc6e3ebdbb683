/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A virtual machine of KVM for tests: one processor, in a loop that begins and ends at known
 * addresses. After VMM_ROUNDS of it the guest asks its host to go on. On x86_64 it has 32 bits
 * without pages, vmm_load() gives it other code, vmm_show_counters() counters. On ppc64le it
 * is one of KVM-HV on a POWER9 or later, whose user mode alone has an address space.
 */
#ifndef VMM_H
#define VMM_H

#include <endian.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
#define VMM_MEMORY 0x10000
#define VMM_CODE 0x1000 /* the guest's code */
#define VMM_CODE_END 0x100c
#define VMM_ROUNDS 1000000
#define VMM_PORT 0x10
#define VMM_GDT 0x800
#define VMM_IDT 0x900 /* 128 gates */
#define VMM_STACK 0x8000
#define VMM_EXITS "exits" /* as KVM calls them */
/*
 * What the guest does each time that it is told to go on: one that asks its host has
 * not done that itself. On AMD's processors each entry counts, too, see vmm_entries().
 */
#define VMM_INSNS (2 * VMM_ROUNDS + 2)
#define VMM_BRANCHES (VMM_ROUNDS + 1)
#define VMM_COUNTS_BRANCHES 1
/* an entry counts at the level at which the guest goes on */
#define VMM_ENTRY_IS_GUESTS 1

/* Modules of the kernel that runs, in the order in which they need each other. */
static inline void vmm_load_kvm(void)
{
	static const char *const names[] = { "irqbypass", "ccp", "kvm", "kvm-amd" };
	char path[80];

	for (unsigned int i = 0; i < sizeof(names) / sizeof(*names); i++) {
		int fd;

		snprintf(path, sizeof(path), "/run/pev/modules/%s.ko", names[i]);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		/* it may be loaded, or part of the kernel */
		if (fd >= 0) {
			syscall(SYS_finit_module, fd, "", 0);
			close(fd);
		}
	}
}

#else
#define VMM_MEMORY 0x80000
#define VMM_CODE 0x2000 /* the guest's code */
#define VMM_CODE_END 0x2020
#define VMM_ROUNDS 1000000
#define VMM_PORT 0x10000000 /* an address without memory */
#define VMM_EXITS "sum_exits"
#define VMM_INSNS (2 * VMM_ROUNDS + 5)
#define VMM_BRANCHES (VMM_ROUNDS + 1)
#define VMM_COUNTS_BRANCHES 0 /* by the emulator */
/* what an entry counts is the host's kernel */
#define VMM_ENTRY_IS_GUESTS 0

/* KVM is part of the kernel. */
static inline void vmm_load_kvm(void)
{
}

#endif

struct vmm {
	int kvm;
	int vm;
	int vcpu;
	uint8_t *memory;
	struct kvm_run *run;
	int run_size;
};

static inline void vmm_close(struct vmm *m)
{
	if (m->run)
		munmap(m->run, m->run_size);
	if (m->memory)
		munmap(m->memory, VMM_MEMORY);
	if (m->vcpu >= 0)
		close(m->vcpu);
	if (m->vm >= 0)
		close(m->vm);
	if (m->kvm >= 0)
		close(m->kvm);
	*m = (struct vmm){ .kvm = -1, .vm = -1, .vcpu = -1 };
}

#if defined(__x86_64__)
static inline int vmm_init_machine(struct vmm *m)
{
	return ioctl(m->vm, KVM_SET_TSS_ADDR, 0xfffbd000);
}

static inline bool vmm_asks(const struct vmm *m)
{
	return m->run->exit_reason == KVM_EXIT_IO && m->run->io.port == VMM_PORT;
}

static inline int vmm_fill_memory(struct vmm *m)
{
	/* clang-format off */
	static const uint8_t code[VMM_CODE_END - VMM_CODE] = {
		/* mov $VMM_ROUNDS, %ecx */
		0xb9, VMM_ROUNDS & 0xff, VMM_ROUNDS >> 8 & 0xff, VMM_ROUNDS >> 16, 0,
		0x49,			/* dec %ecx */
		0x75, 0xfd,		/* jnz, to the dec */
		0xe6, VMM_PORT,		/* out %al, $VMM_PORT */
		0xeb, 0xf4,		/* jmp VMM_CODE */
	};
	/* clang-format on */
	struct kvm_userspace_memory_region region = { .memory_size = VMM_MEMORY };

	m->memory = mmap(NULL, VMM_MEMORY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			 0);
	if (m->memory == MAP_FAILED) {
		m->memory = NULL;
		return -1;
	}
	memcpy(m->memory + VMM_CODE, code, sizeof(code));
	region.userspace_addr = (uintptr_t)m->memory;
	return ioctl(m->vm, KVM_SET_USER_MEMORY_REGION, &region);
}

static inline int vmm_set_registers(struct vmm *m, bool user)
{
	/* ports are for user mode, too: bits 12 and 13 */
	struct kvm_regs regs = { .rip = VMM_CODE, .rflags = user ? 0x3002 : 2 };
	struct kvm_segment flat = {
		.limit = 0xffffffff,
		.selector = user ? 0x13 : 0x10,
		.type = 3,
		.present = 1,
		.dpl = user ? 3 : 0,
		.db = 1,
		.s = 1,
		.g = 1,
	};
	struct kvm_sregs sregs;

	if (ioctl(m->vcpu, KVM_GET_SREGS, &sregs))
		return -1;
	sregs.ds = sregs.es = sregs.fs = sregs.gs = sregs.ss = flat;
	sregs.cs = flat;
	sregs.cs.selector -= 8;
	sregs.cs.type = 11;
	sregs.cr0 |= 1;
	if (ioctl(m->vcpu, KVM_SET_SREGS, &sregs))
		return -1;
	return ioctl(m->vcpu, KVM_SET_REGS, &regs);
}

#else
#define VMM_MSR_KERNEL \
	0x8000000000001003ULL /* 64 bits, machine checks, recoverable, little endian */
#define VMM_MSR_USER (VMM_MSR_KERNEL | 0xc030) /* interrupts, user mode, addresses are translated */
#define VMM_DIRECTORY 0x10000 /* 2^13 entries, of 2^39 bytes each */
#define VMM_GIGABYTES 0x20000 /* 2^9 entries */
#define VMM_PROCESSES 0x30000 /* the table of directories by process */

static inline int vmm_init_machine(struct vmm *m)
{
	(void)m;
	return 0;
}

static inline bool vmm_asks(const struct vmm *m)
{
	return m->run->exit_reason == KVM_EXIT_MMIO && m->run->mmio.phys_addr == VMM_PORT;
}

/* Pages of user mode: the first gigabyte is where it is. */
static inline void vmm_fill_pages(struct vmm *m)
{
	uint64_t *processes = (uint64_t *)(m->memory + VMM_PROCESSES);
	uint64_t *directory = (uint64_t *)(m->memory + VMM_DIRECTORY);
	uint64_t *gigabytes = (uint64_t *)(m->memory + VMM_GIGABYTES);

	/* 52 bits of addresses, 13 of them in the first level */
	processes[0] = htobe64(2ULL << 61 | 5 << 5 | VMM_DIRECTORY | 13);
	directory[0] = htobe64(1ULL << 63 | VMM_GIGABYTES | 9);
	/* a leaf, accessed and changed, that can be read, written and executed */
	gigabytes[0] = htobe64(3ULL << 62 | 0x187);
}

static inline int vmm_fill_memory(struct vmm *m)
{
	static const uint32_t code[(VMM_CODE_END - VMM_CODE) / 4] = {
		0x3c800000 | VMM_ROUNDS >> 16, /* lis r4 */
		0x60840000 | (VMM_ROUNDS & 0xffff), /* ori r4, r4 */
		0x7c8903a6, /* mtctr r4 */
		0x38c60001, /* addi r6, r6, 1 */
		0x4200fffc, /* bdnz, to the addi */
		0x3ca00000 | VMM_PORT >> 16, /* lis r5 */
		0x90850000, /* stw r4, 0(r5) */
		0x4bffffe4, /* b VMM_CODE */
	};
	/* The decrementer's interrupt, which user mode cannot switch off: lis r3; mtdec r3; rfid */
	static const uint32_t decrementer[] = { 0x3c607fff, 0x7c7603a6, 0x4c000024 };
	struct kvm_userspace_memory_region region = { .memory_size = VMM_MEMORY };
	struct kvm_ppc_mmuv3_cfg mmu = {
		.flags = KVM_PPC_MMUV3_RADIX | KVM_PPC_MMUV3_GTSE,
		.process_table = 1ULL << 63 | VMM_PROCESSES,
	};
	uint32_t *at;

	m->memory = mmap(NULL, VMM_MEMORY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			 0);
	if (m->memory == MAP_FAILED) {
		m->memory = NULL;
		return -1;
	}
	memcpy(m->memory + VMM_CODE, code, sizeof(code));
	at = (uint32_t *)(m->memory + 0x900);
	for (unsigned int i = 0; i < sizeof(decrementer) / sizeof(*decrementer); i++)
		at[i] = htobe32(decrementer[i]);
	vmm_fill_pages(m);
	region.userspace_addr = (uintptr_t)m->memory;
	if (ioctl(m->vm, KVM_SET_USER_MEMORY_REGION, &region))
		return -1;
	return ioctl(m->vm, KVM_PPC_CONFIGURE_V3_MMU, &mmu);
}

static inline int vmm_set_registers(struct vmm *m, bool user)
{
	struct kvm_enable_cap papr = { .cap = KVM_CAP_PPC_PAPR };
	struct kvm_regs regs = {
		.pc = VMM_CODE,
		.msr = user ? VMM_MSR_USER : VMM_MSR_KERNEL,
	};

	if (ioctl(m->vcpu, KVM_ENABLE_CAP, &papr))
		return -1;
	return ioctl(m->vcpu, KVM_SET_REGS, &regs);
}
#endif

/* Opens processor @id of a machine that has memory. */
static inline int vmm_open_vcpu(struct vmm *m, int id, bool user)
{
	m->vcpu = ioctl(m->vm, KVM_CREATE_VCPU, id);
	m->run_size = ioctl(m->kvm, KVM_GET_VCPU_MMAP_SIZE, 0);
	if (m->vcpu < 0 || m->run_size < 0)
		return -1;
	m->run = mmap(NULL, m->run_size, PROT_READ | PROT_WRITE, MAP_SHARED, m->vcpu, 0);
	if (m->run == MAP_FAILED) {
		m->run = NULL;
		return -1;
	}
	return vmm_set_registers(m, user);
}

/* Another processor, @id, of the machine of @first, which stays open longer. */
static inline int vmm_add(struct vmm *m, const struct vmm *first, int id)
{
	*m = (struct vmm){ .kvm = first->kvm, .vm = first->vm, .vcpu = -1 };
	return vmm_open_vcpu(m, id, false);
}

/* A machine with memory, and no processor yet. Returns 0, or -1 with errno. */
static inline int vmm_open_machine(struct vmm *m)
{
	*m = (struct vmm){ .kvm = -1, .vm = -1, .vcpu = -1 };
	m->kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	if (m->kvm < 0)
		return -1;
	m->vm = ioctl(m->kvm, KVM_CREATE_VM, 0);
	return m->vm < 0 || vmm_init_machine(m) || vmm_fill_memory(m) ? -1 : 0;
}

#if defined(__x86_64__)
/* Its processors have no counters: KVM gives AMD's some that no CPUID tells of. Returns 0, or -1. */
static inline int vmm_hide_counters(struct vmm *m)
{
	struct kvm_enable_cap cap = {
		.cap = KVM_CAP_PMU_CAPABILITY,
		.args[0] = KVM_PMU_CAP_DISABLE,
	};

	/* on a machine without counters there is nothing to hide */
	if (!(ioctl(m->vm, KVM_CHECK_EXTENSION, KVM_CAP_PMU_CAPABILITY) & KVM_PMU_CAP_DISABLE))
		return 0;
	return ioctl(m->vm, KVM_ENABLE_CAP, &cap);
}
#endif

/* A machine whose guest is in user or kernel mode. Returns 0, or -1 with errno. */
static inline int vmm_open(struct vmm *m, bool user)
{
	return vmm_open_machine(m) || vmm_open_vcpu(m, 0, user) ? -1 : 0;
}

/* The guest runs @code from its beginning, before it has run anything. */
static inline void vmm_load(struct vmm *m, const void *code, size_t size)
{
	memcpy(m->memory + VMM_CODE, code, size);
}

#if defined(__x86_64__)
/*
 * An interrupt gate of the guest's, with tables and a stack for what vmm_load() gave it. Returns 0,
 * or -1.
 */
static inline int vmm_give_gate(struct vmm *m, unsigned int vector, uint32_t handler)
{
	static const uint64_t gdt[] = { 0, 0x00cf9b000000ffff, 0x00cf93000000ffff };
	uint64_t gate = (handler & 0xffff) | 8 << 16 | 0x8eULL << 40 |
			(uint64_t)(handler >> 16) << 48;
	struct kvm_sregs sregs;
	struct kvm_regs regs;

	memcpy(m->memory + VMM_GDT, gdt, sizeof(gdt));
	memcpy(m->memory + VMM_IDT + vector * sizeof(gate), &gate, sizeof(gate));
	if (ioctl(m->vcpu, KVM_GET_SREGS, &sregs) || ioctl(m->vcpu, KVM_GET_REGS, &regs))
		return -1;
	sregs.gdt = (struct kvm_dtable){ .base = VMM_GDT, .limit = sizeof(gdt) - 1 };
	sregs.idt = (struct kvm_dtable){ .base = VMM_IDT, .limit = 128 * sizeof(gate) - 1 };
	regs.rsp = VMM_STACK;
	return ioctl(m->vcpu, KVM_SET_SREGS, &sregs) || ioctl(m->vcpu, KVM_SET_REGS, &regs) ? -1 :
											      0;
}

/* The guest's processor has all that KVM can give it, counters too. Returns 0, or -1. */
static inline int vmm_show_counters(struct vmm *m)
{
	struct {
		struct kvm_cpuid2 head;
		struct kvm_cpuid_entry2 entries[256];
	} cpuid = { .head.nent = 256 };

	if (ioctl(m->kvm, KVM_GET_SUPPORTED_CPUID, &cpuid))
		return -1;
	return ioctl(m->vcpu, KVM_SET_CPUID2, &cpuid);
}

#else
/* Interrupts of the guest's begin little endian, as its code is. Returns 0, or -1. */
static inline int vmm_little_endian(struct vmm *m)
{
	uint64_t lpcr;
	struct kvm_one_reg reg = { .id = KVM_REG_PPC_LPCR_64, .addr = (uintptr_t)&lpcr };

	if (ioctl(m->vcpu, KVM_GET_ONE_REG, &reg))
		return -1;
	lpcr |= 1 << 25;
	return ioctl(m->vcpu, KVM_SET_ONE_REG, &reg);
}

/* ... with a branch to @handler: see vmm_little_endian(). */
static inline void vmm_give_vector(struct vmm *m, uint32_t vector, uint32_t handler)
{
	uint32_t branch = 0x48000000 | ((handler - vector) & 0x03fffffc);

	memcpy(m->memory + vector, &branch, sizeof(branch));
}
#endif

/*
 * How often the guest's processor was entered, as KVM counts it; -1: it does not say. AMD's counters
 * take an entry for an instruction and a branch of the guest.
 */
static inline int64_t vmm_entries(const struct vmm *m)
{
	union {
		struct kvm_stats_desc head;
		char text[256];
	} desc;
	struct kvm_stats_header head;
	int fd = ioctl(m->vcpu, KVM_GET_STATS_FD, NULL);
	int64_t entries = -1;

	if (fd < 0 || pread(fd, &head, sizeof(head), 0) != sizeof(head))
		head.num_desc = 0;
	for (uint32_t i = 0; i < head.num_desc; i++) {
		size_t size = sizeof(desc.head) + head.name_size;

		if (size > sizeof(desc) ||
		    pread(fd, &desc, size, head.desc_offset + i * size) != (ssize_t)size)
			break;
		if (strcmp(desc.text + sizeof(desc.head), VMM_EXITS))
			continue;
		if (pread(fd, &entries, sizeof(entries), head.data_offset + desc.head.offset) !=
		    sizeof(entries))
			entries = -1;
		break;
	}
	if (fd >= 0)
		close(fd);
	return entries;
}

/* Runs the guest until it asks. Returns 0, or -1 if it ended in another way. */
static inline int vmm_round(struct vmm *m)
{
	if (ioctl(m->vcpu, KVM_RUN, 0))
		return -1;
	return vmm_asks(m) ? 0 : -1;
}

#define VMM_COST_TURNS 10000 /* of each try */
#define VMM_COST_TRIES 3

/*
 * Nanoseconds, which are instructions in a machine that takes time by these, of an exit to the VMM and
 * an entry: the least of some tries, as the kernel does other work, too. Returns -1 if the guest ended.
 */
static inline int64_t vmm_round_trip(struct vmm *m)
{
	int64_t least = INT64_MAX;

	for (unsigned int i = 0; i < VMM_COST_TRIES; i++) {
		struct timespec from, to;
		int64_t took;

		clock_gettime(CLOCK_MONOTONIC, &from);
		for (unsigned int turn = 0; turn < VMM_COST_TURNS; turn++)
			if (vmm_round(m))
				return -1;
		clock_gettime(CLOCK_MONOTONIC, &to);
		took = (to.tv_sec - from.tv_sec) * 1000000000LL + to.tv_nsec - from.tv_nsec;
		if (took < least)
			least = took;
	}
	return least / VMM_COST_TURNS;
}

#endif
