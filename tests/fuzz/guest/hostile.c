// SPDX-License-Identifier: GPL-2.0
/*
 * Guests that make hypercalls of linux/pev_guest.h by chance: any operation, addresses beyond memory,
 * read-only or without a page behind them, areas full of nonsense, counters that overflow at each
 * instruction; and read counters by any number that the processor may know. The host lends them
 * counters and takes them back meanwhile, and kills them in the middle. What it counts of its
 * own work must be exact all the time, and be seen by none of them.
 *
 * usage: hostile [CALLS [SEED]]
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include "pmu_util.h"
#include "tap.h"
#include "vmm_calls.h"

#define GUESTS 2
#define ROUNDS 2000
/* So many calls of a guest until it asks its host, who changes what it takes its words from. */
#define BATCH 256

#define STATE 0x4000 /* of the guest's generator */
#define CALLS 0x4004
#define REFUSED 0x4008
#define NMIS 0x400c
#define READS 0x4010 /* of a counter that was not 0 */
#define FAULTS 0x4014 /* at an attempt */
#define LEAKS 0x4018 /* of a value that can't be the guest's own; and the last */
#define LEAK 0x401c
#define OPS 0x4100 /* operations to choose from, 16 */
#define WORDS 0x4200 /* words to choose from, 64 */
#define TEMPLATE 0x4400 /* of an area */
#define PAIRS 0x4600 /* of an operation and its argument, 32 */
#define READ_ONLY 0x20000
#define HOLE 0x30000

/* clang-format off */
asm(".pushsection .rodata\n"
    ".code32\n"
    "hostile_begin:\n"
    /* a whole area that makes sense, or a word of one that makes none */
    "1:	call hostile_random\n"
    "	test $0x3000, %eax\n"
    "	jz 2f\n"
    "	mov $0x4400, %esi\n"
    "	mov $0x3000, %edi\n"
    "	mov $102, %ecx\n"
    "	rep movsl\n"
    "	jmp 7f\n"
    "2:	mov %eax, %edx\n"
    "	shr $5, %edx\n"
    "	and $63, %edx\n"
    "	call hostile_word\n"
    "	mov %eax, 0x3000(,%edx,4)\n"
    /* a call that makes sense, or one that makes none */
    "7:	call hostile_random\n"
    "	mov %eax, %edx\n"
    "	shr $5, %eax\n"
    "	test $0xe0000, %edx\n"
    "	jz 8f\n"
    "	and $31, %eax\n"
    "	mov 0x4600(,%eax,8), %ebx\n"
    "	mov 0x4604(,%eax,8), %ecx\n"
    "	jmp 9f\n"
    "8:	and $15, %eax\n"
    "	mov 0x4100(,%eax,4), %ebx\n"
    "	call hostile_word\n"
    "	mov %eax, %ecx\n"
    "9:	mov $0x706576, %eax\n"
    "	vmmcall\n"
    "	incl 0x4004\n"
    "	test %eax, %eax\n"
    "	jns 3f\n"
    "	incl 0x4008\n"
    /* one of 32 registers, or any */
    "3:	call hostile_random\n"
    "	mov %eax, %ecx\n"
    "	test $0x3800, %eax\n"
    "	jz 10f\n"
    "	and $31, %ecx\n"
    "	test $0xc000, %eax\n"
    "	jz 10f\n"
    "	and $7, %ecx\n"
    "10:	xor %eax, %eax\n"
    "	xor %edx, %edx\n"
    "	rdpmc\n"
    "	mov %eax, %ebx\n"
    "	or %edx, %ebx\n"
    "	jz 11f\n"
    "	incl 0x4010\n"
    /* the host's counters begin at 2^45, the guest's at 2^47 or more, or have overflowed */
    "	cmp $0x2000, %edx\n"
    "	jb 11f\n"
    "	cmp $0x8000, %edx\n"
    "	jae 11f\n"
    "	incl 0x4018\n"
    "	mov %edx, 0x401c\n"
    "11:	call hostile_random\n"
    "	and $1023, %eax\n"
    "4:	dec %eax\n"
    "	jns 4b\n"
    "	mov 0x4004, %eax\n"
    "	test $255, %eax\n"
    "	jnz 1b\n"
    "	out %al, $0x10\n"
    "	jmp 1b\n"
    /* a word of the host's choice, or any */
    "hostile_word:\n"
    "	call hostile_random\n"
    "	test $0xe000, %eax\n"
    "	jz hostile_random\n"
    "	shr $3, %eax\n"
    "	and $63, %eax\n"
    "	mov 0x4200(,%eax,4), %eax\n"
    "	ret\n"
    /* xorshift; an NMI in the middle makes it no less random */
    "hostile_random:\n"
    "	mov 0x4000, %eax\n"
    "	mov %eax, %ecx\n"
    "	shl $13, %ecx\n"
    "	xor %ecx, %eax\n"
    "	mov %eax, %ecx\n"
    "	shr $17, %ecx\n"
    "	xor %ecx, %eax\n"
    "	mov %eax, %ecx\n"
    "	shl $5, %ecx\n"
    "	xor %ecx, %eax\n"
    "	mov %eax, 0x4000\n"
    "	ret\n"
    /* answers some NMIs, and starts again or not */
    "hostile_nmi:\n"
    "	pusha\n"
    "	incl 0x400c\n"
    "	call hostile_random\n"
    "	test $0x300, %eax\n"
    "	jz 5f\n"
    "	mov $4, %ebx\n"
    "	mov $1, %ecx\n"
    "	mov $0x706576, %eax\n"
    "	vmmcall\n"
    "	incl 0x4004\n"
    "5:	call hostile_random\n"
    "	test $0x300, %eax\n"
    "	jnz 6f\n"
    "	call hostile_word\n"
    "	mov %eax, %ecx\n"
    "	mov $5, %ebx\n"
    "	mov $0x706576, %eax\n"
    "	vmmcall\n"
    "	incl 0x4004\n"
    "6:	popa\n"
    "	iret\n"
    /* goes on behind an rdpmc; anything else is its ruin */
    "hostile_gp:\n"
    "	push %eax\n"
    "	mov 8(%esp), %eax\n"
    "	cmpw $0x330f, (%eax)\n"
    "	jne 12f\n"
    "	incl 0x4014\n"
    "	addl $2, 8(%esp)\n"
    "	pop %eax\n"
    "	add $4, %esp\n"
    "	iret\n"
    "12:	ud2\n"
    "hostile_end:\n"
    ".code64\n"
    ".popsection\n");
/* clang-format on */

extern const uint8_t hostile_begin[], hostile_nmi[], hostile_gp[], hostile_end[];

_Static_assert(sizeof(struct pev_guest_area) == 102 * 4 && BATCH == 256,
	       "the guest's code has other numbers");

/* What all processes share. */
static struct shared {
	uint64_t calls;
	uint64_t refused;
	uint64_t nmis;
	uint64_t reads;
	uint64_t faults;
	uint64_t leaks;
	uint64_t fell; /* over, and were set up again */
} * all;

static uint64_t seed;

static uint64_t rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static uint64_t below(uint64_t n)
{
	return (rnd() >> 20) % n;
}

/* ---- a guest and its process ---- */

static uint32_t some_word(void)
{
	static const uint32_t words[] = {
		VMM_AREA,
		VMM_AREA,
		VMM_AREA,
		VMM_AREA,
		VMM_AREA,
		VMM_AREA | PEV_GUEST_WHOLE,
		VMM_AREA | PEV_GUEST_WHOLE,
		VMM_AREA | PEV_GUEST_WHOLE,
		(VMM_AREA + 0x100) | PEV_GUEST_WHOLE,
		VMM_AREA + 0xf00,
		VMM_AREA + 8,
		VMM_GDT,
		VMM_MEMORY - 256,
		VMM_MEMORY,
		VMM_MEMORY - 128,
		READ_ONLY,
		HOLE,
		0xffffff00,
		0x80000000,
		0,
		1,
		2,
		3,
		4,
		5,
		7,
		15,
		255,
		0xffff,
		0xfffffff0,
		0xffffffff,
		PEV_HW_INSTRUCTIONS,
		PEV_HW_BRANCHES,
		PEV_HW_CYCLES,
		PEV_HW_MAX,
		0x10000000,
		0x50000000,
		0x90000000,
		0xc0000000,
	};

	return words[below(sizeof(words) / sizeof(*words))];
}

static uint64_t some_event(void)
{
	static const uint64_t modes[] = {
		0,
		0,
		0,
		PEV_GUEST_NO_USER,
		PEV_GUEST_NO_KERNEL,
		PEV_GUEST_NO_USER | PEV_GUEST_NO_KERNEL,
		1ULL << 61,
	};
	uint64_t mode = modes[below(sizeof(modes) / sizeof(*modes))];

	switch (below(4)) {
	case 0:
		return mode | PEV_GUEST_RAW | (below(2) ? 0xc0 : rnd() & PEV_GUEST_EVENT_CODE);
	case 1:
		return mode | below(PEV_HW_MAX + 2);
	default:
		return rnd();
	}
}

static uint64_t some_start(void)
{
	switch (below(4)) {
	case 0:
		return rnd();
	case 1:
		return 0;
	default:
		/* of 48 bits, or a few */
		return (1ULL << 48) - 1 - (below(3) ? below(2000) : 0);
	}
}

static void some_call(uint32_t call[2])
{
	switch (below(10)) {
	case 0:
		call[0] = PEV_GUEST_ATTACH;
		call[1] = VMM_AREA | (below(4) ? PEV_GUEST_WHOLE : 0);
		break;
	case 1 ... 5:
		call[0] = PEV_GUEST_START;
		call[1] = below(8) ? 1 : below(16);
		break;
	case 6 ... 7:
		call[0] = PEV_GUEST_STOP;
		call[1] = below(2);
		break;
	default:
		call[0] = below(4) ? PEV_GUEST_READ : PEV_GUEST_CHECK;
		call[1] = below(4);
	}
}

/* What the guest takes its words from. */
static void fill(struct vmm *m)
{
	static const uint32_t often[] = {
		PEV_GUEST_ATTACH, PEV_GUEST_STOP, PEV_GUEST_START, PEV_GUEST_START, PEV_GUEST_READ,
	};
	struct pev_guest_area *area = (struct pev_guest_area *)(m->memory + TEMPLATE);
	uint32_t *ops = (uint32_t *)(m->memory + OPS), *words = (uint32_t *)(m->memory + WORDS);

	for (unsigned int i = 0; i < 16; i++)
		ops[i] = i < 8 ? i : often[below(sizeof(often) / sizeof(*often))];
	if (!below(4))
		ops[7] = (uint32_t)rnd();
	for (unsigned int i = 0; i < 64; i++)
		words[i] = some_word();
	for (unsigned int i = 0; i < 32; i++)
		some_call((uint32_t *)(m->memory + PAIRS) + 2 * i);
	area->set = below(8) ? 1 : below(4) ? below(16) : rnd();
	for (unsigned int i = 0; i < PEV_GUEST_COUNTERS; i++) {
		area->event[i] = below(8) ? PEV_HW_INSTRUCTIONS : some_event();
		area->start[i] = some_start();
	}
}

static int set_up(struct vmm *m)
{
	/* none is masked any more */
	struct kvm_vcpu_events none = {};

	memset(m->memory, 0, VMM_MEMORY);
	vmm_load(m, hostile_begin, hostile_end - hostile_begin);
	*(uint32_t *)(m->memory + STATE) = (uint32_t)rnd() | 1;
	fill(m);
	return ioctl(m->vcpu, KVM_SET_VCPU_EVENTS, &none) || vmm_set_registers(m, false) ||
	       vmm_give_gate(m, 13, VMM_CODE + (hostile_gp - hostile_begin)) ||
	       vmm_give_gate(m, 2, VMM_CODE + (hostile_nmi - hostile_begin));
}

static int add_memory(struct vmm *m, uint32_t slot, uint64_t at, uint32_t flags)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct kvm_userspace_memory_region region = {
		.slot = slot,
		.flags = flags,
		.guest_phys_addr = at,
		.memory_size = 4096,
		.userspace_addr = (uintptr_t)page,
	};
	int err = page == MAP_FAILED || ioctl(m->vm, KVM_SET_USER_MEMORY_REGION, &region);

	if (!err && at == HOLE)
		munmap(page, 4096);
	return err;
}

/* What the guest counted since it was asked last. */
static void take(struct vmm *m)
{
	static const struct {
		unsigned int at;
		size_t to;
	} counts[] = {
		{ CALLS, offsetof(struct shared, calls) },
		{ REFUSED, offsetof(struct shared, refused) },
		{ NMIS, offsetof(struct shared, nmis) },
		{ READS, offsetof(struct shared, reads) },
		{ FAULTS, offsetof(struct shared, faults) },
		{ LEAKS, offsetof(struct shared, leaks) },
	};

	for (unsigned int i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		uint32_t *count = (uint32_t *)(m->memory + counts[i].at);

		if (*count && counts[i].at == LEAKS)
			printf("# a guest read %#x and 32 bits\n", *(uint32_t *)(m->memory + LEAK));
		__atomic_fetch_add((uint64_t *)((char *)all + counts[i].to), *count,
				   __ATOMIC_RELAXED);
		*count = 0;
	}
}

static void guest_main(void)
{
	struct vmm m;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (vmm_open_machine(&m) || vmm_hide_counters(&m) || vmm_open_vcpu(&m, 0, false) ||
	    add_memory(&m, 1, READ_ONLY, KVM_MEM_READONLY) || add_memory(&m, 2, HOLE, 0) ||
	    set_up(&m))
		_exit(1);
	for (;;) {
		bool fell = vmm_round(&m);

		take(&m);
		__atomic_fetch_add(&all->fell, fell, __ATOMIC_RELAXED);
		/* what it wrote over its tables is its ruin at the next NMI, unless it is set up */
		if (fell || !below(4)) {
			if (set_up(&m))
				_exit(2);
		} else {
			fill(&m);
		}
	}
}

struct guest {
	pid_t pid;
	int grant;
};

static bool guest_start(struct guest *g)
{
	uint64_t next = rnd();

	g->grant = -1;
	g->pid = fork();
	if (!g->pid) {
		seed = next | 1;
		guest_main();
	}
	return g->pid > 0;
}

/* ---- the host ---- */

/**
 * struct sums - what the host saw
 * @ended: guests that ended by themselves
 */
struct sums {
	uint64_t measured, wrong;
	uint64_t lent, killed, ended;
	struct pev_grant grants;
};

static void give_back(struct guest *g, struct sums *s)
{
	struct pev_grant stat;

	if (g->grant < 0)
		return;
	if (read(g->grant, &stat, sizeof(stat)) == sizeof(stat)) {
		s->grants.calls += stat.calls;
		s->grants.refused += stat.refused;
		s->grants.overflows += stat.overflows;
		s->grants.nmis += stat.nmis;
		s->grants.missed += stat.missed;
		s->grants.throttled += stat.throttled;
	}
	close(g->grant);
	g->grant = -1;
}

static void lend(struct guest *g, struct sums *s)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_GRANT,
		.target = PEV_TARGET_GUEST,
		.target_id = g->pid,
		.config = 1 + below(4),
		.channel_fd = -1,
		.group_fd = -1,
	};

	if (g->grant >= 0)
		return;
	/* it may have no machine yet */
	g->grant = pev_open(&attr);
	s->lent += g->grant >= 0;
}

static void end(struct guest *g, struct sums *s)
{
	int status;

	kill(g->pid, SIGKILL);
	waitpid(g->pid, &status, 0);
	if (WIFEXITED(status)) {
		s->ended++;
		printf("# a guest's process ended with %d\n", WEXITSTATUS(status));
	}
	/* before or after its process is gone */
	give_back(g, s);
	s->killed++;
}

static void disturb(struct guest *guests, struct sums *s)
{
	struct guest *g = &guests[below(GUESTS)];

	switch (below(40)) {
	case 0:
		if (below(2))
			give_back(g, s);
		end(g, s);
		guest_start(g);
		break;
	case 1 ... 6:
		give_back(g, s);
		break;
	default:
		lend(g, s);
	}
}

/* What the host does itself is the same each time. */
static void measure(int fd, uint64_t want, struct sums *s)
{
	uint64_t got = pmu_count(fd, ROUNDS);
	struct pev_multiplexed times = pmu_multiplexed(fd);

	s->measured++;
	if (got == want && times.time_running == times.time_enabled)
		return;
	s->wrong++;
	printf("# %llu instructions instead of %llu, in %llu of %llu ns\n", (unsigned long long)got,
	       (unsigned long long)want, (unsigned long long)times.time_running,
	       (unsigned long long)times.time_enabled);
}

static bool text_has_grants(void)
{
	struct pev_attr attr = { .type = PEV_TYPE_PMU, .channel_fd = -1, .group_fd = -1 };
	static char text[65536];
	int fd = pev_open(&attr);
	ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	close(fd);
	text[got > 0 ? got : 0] = 0;
	return got < 0 || strstr(text, "\ngrant ");
}

static int can_lend(void)
{
	struct guest g = { .grant = -1 };
	struct sums none = {};
	struct vmm m;

	if (vmm_open(&m, false))
		return -errno;
	g.pid = getpid();
	lend(&g, &none);
	vmm_close(&m);
	if (g.grant >= 0)
		close(g.grant);
	return g.grant < 0 ? g.grant : 0;
}

static void run(uint64_t most, struct sums *s)
{
	int fd = pmu_open(PEV_HW_INSTRUCTIONS, USER_ONLY);
	struct pev_attr attr = pmu_attr(PEV_HW_INSTRUCTIONS, 0, -1, 0);
	struct guest guests[GUESTS];
	uint64_t want;
	int beside;

	/* what guests must not see, at times */
	attr.target = PEV_TARGET_CPUS;
	beside = pev_open(&attr);
	pmu_count(fd, ROUNDS);
	want = pmu_count(fd, ROUNDS);
	for (unsigned int i = 0; i < GUESTS; i++)
		guest_start(&guests[i]);
	while (__atomic_load_n(&all->calls, __ATOMIC_RELAXED) < most && s->ended < 10) {
		disturb(guests, s);
		if (!below(4))
			ioctl(beside, below(2) ? PEV_IOC_ENABLE : PEV_IOC_DISABLE, 0);
		measure(fd, want, s);
		usleep(200);
		measure(fd, want, s);
	}
	for (unsigned int i = 0; i < GUESTS; i++)
		end(&guests[i], s);
	measure(fd, want, s);
	close(beside);
	close(fd);
}

int main(int argc, char **argv)
{
	uint64_t most = argc > 1 ? strtoull(argv[1], NULL, 10) : 100000;
	struct sums s = {};
	int err;

	seed = argc > 2 ? strtoull(argv[2], NULL, 10) | 1 : 1;
	setvbuf(stdout, NULL, _IOLBF, 0);
	vmm_load_kvm();
	err = pmu_info().pmu_counters ? can_lend() : -ENODEV;
	if (err) {
		printf("1..0 # SKIP this kernel lends no counters: %s\n", strerror(-err));
		return 0;
	}
	all = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	run(most, &s);
	printf("# %llu calls, %llu refused; %llu NMIs; %llu times a guest fell over\n",
	       (unsigned long long)all->calls, (unsigned long long)all->refused,
	       (unsigned long long)all->nmis, (unsigned long long)all->fell);
	printf("# of grants: %llu calls, %llu refused, %llu overflows, %llu NMIs, %llu missed, "
	       "%llu throttled\n",
	       (unsigned long long)s.grants.calls, (unsigned long long)s.grants.refused,
	       (unsigned long long)s.grants.overflows, (unsigned long long)s.grants.nmis,
	       (unsigned long long)s.grants.missed, (unsigned long long)s.grants.throttled);
	printf("# lent %llu times, %llu guests killed, %llu measurements\n",
	       (unsigned long long)s.lent, (unsigned long long)s.killed,
	       (unsigned long long)s.measured);
	OK(all->calls >= most && !s.ended, "guests called by chance until they were killed");
	printf("# counters were read %llu times, and could not be %llu times\n",
	       (unsigned long long)all->reads, (unsigned long long)all->faults);
	OK(all->reads && all->faults, "guests read counters, and tried in vain");
	OK(!all->leaks, "... and no other's than their own");
	OK(s.measured && !s.wrong, "the host counted its own work exactly all the time");
	OK(all->refused && all->refused < all->calls, "some calls were refused, others were not");
	OK(s.grants.overflows && all->nmis, "counters overflowed, and guests had NMIs");
	OK(s.lent && !text_has_grants(), "nothing is lent when all have ended");
	OK(!can_lend(), "... and can be again");
	return tap_plan();
}
