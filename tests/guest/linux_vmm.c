// SPDX-License-Identifier: GPL-2.0
/*
 * Boots Linux as a guest of KVM, x86_64 alone: one to four processors, the interrupt controllers and
 * the timer that KVM has, a serial port, and what init.c does by registers of its own:
 *
 *   MSR_STDOUT   bytes for the VMM's standard output
 *   MSR_FILE     bytes that are appended to --file
 *   MSR_STATUS   ends the guest: the byte is the VMM's exit status
 *   MSR_STOP     stops the VMM, as SIGSTOP does, until it gets SIGCONT
 *
 * The guest has no counters unless it is given them. Each of its processors is a thread named like
 * QEMU's. The exit status is 125 where the guest ended in another way, or did not begin.
 *
 * usage: linux_vmm [--cpus 1..4] [--memory MIB] --kernel BZIMAGE [--initrd CPIO]... [--append WORDS]
 *                  [--pmu] [--serial FILE] [--file FILE]
 *
 * Without --serial the port is the standard input and output.
 */
#include "linux_vmm.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <linux/kvm.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define FAILED 125
#define COM1 0x3f8
#define COM1_IRQ 4
#define CMOS 0x70
#define KEYBOARD 0x64
#define KEYBOARD_RESET 0xfe
#define CPUID_ENTRIES 256
#define PAGE 4096

struct vcpu {
	int id;
	int fd;
	struct kvm_run *run;
	pthread_t thread;
};

static struct {
	int kvm;
	int vm;
	int run_size;
	bool pmu;
	int serial;
	int file;
	uint8_t *memory;
	size_t size;
	struct vcpu vcpus[VMM_CPUS];
	uint8_t cmos; /* the register that is chosen */
} vmm = { .serial = STDOUT_FILENO, .file = -1 };

void die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fprintf(stderr, "linux_vmm: ");
	vfprintf(stderr, fmt, ap);
	fprintf(stderr, "\n");
	va_end(ap);
	_exit(FAILED);
}

static void write_all(int fd, const void *data, size_t size)
{
	const char *at = data;

	while (size) {
		ssize_t n = write(fd, at, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			die("what the guest wrote cannot be written: %m");
		at += n;
		size -= n;
	}
}

static void set_serial_irq(bool level)
{
	struct kvm_irq_level irq = { .irq = COM1_IRQ, .level = level };

	if (ioctl(vmm.vm, KVM_IRQ_LINE, &irq))
		die("KVM_IRQ_LINE: %m");
}

static void *read_input(void *arg)
{
	char buf[256];
	ssize_t n;

	(void)arg;
	while ((n = read(STDIN_FILENO, buf, sizeof(buf))) > 0) {
		for (ssize_t i = 0; i < n; i++)
			serial_receive(buf[i]);
	}
	return NULL;
}

/* The time, in BCD, by a clock that never is about to change */
static uint8_t read_cmos(void)
{
	time_t now = time(NULL);
	struct tm tm;
	int n;

	gmtime_r(&now, &tm);
	switch (vmm.cmos & 0x7f) {
	case 0:
		n = tm.tm_sec;
		break;
	case 2:
		n = tm.tm_min;
		break;
	case 4:
		n = tm.tm_hour;
		break;
	case 7:
		n = tm.tm_mday;
		break;
	case 8:
		n = tm.tm_mon + 1;
		break;
	case 9:
		n = tm.tm_year % 100;
		break;
	case 0xb:
		return 2; /* 24 hours */
	case 0xd:
		return 0x80; /* valid */
	default:
		return 0;
	}
	return n / 10 << 4 | n % 10;
}

static void write_port(uint16_t port, const uint8_t *data, unsigned int size)
{
	uint32_t value = 0;

	memcpy(&value, data, size < 4 ? size : 4);
	switch (port) {
	case COM1 ... COM1 + 7:
		serial_write(port - COM1, value);
		break;
	case CMOS:
		vmm.cmos = value;
		break;
	case KEYBOARD:
		if ((value & 0xff) == KEYBOARD_RESET)
			die("the guest reset itself by the keyboard's controller");
		break;
	}
}

static uint32_t read_port(uint16_t port)
{
	switch (port) {
	case COM1 ... COM1 + 7:
		return serial_read(port - COM1);
	case CMOS + 1:
		return read_cmos();
	case KEYBOARD:
		return 0;
	default:
		return UINT32_MAX;
	}
}

static void handle_io(struct vcpu *v)
{
	typeof(v->run->io) *io = &v->run->io;
	uint8_t *data = (uint8_t *)v->run + io->data_offset;
	uint32_t value;

	for (uint32_t i = 0; i < io->count; i++, data += io->size) {
		if (io->direction == KVM_EXIT_IO_OUT) {
			write_port(io->port, data, io->size);
		} else {
			value = read_port(io->port);
			memcpy(data, &value, io->size);
		}
	}
}

/* Bytes of the guest's memory: false if they are not there */
static bool put_bytes(int fd, uint64_t where)
{
	uint64_t at = where & ~(uint64_t)(PAGE - 1), len = (where & (PAGE - 1)) + 1;

	if (at > vmm.size - PAGE)
		return false;
	if (fd >= 0)
		write_all(fd, vmm.memory + at, len);
	return true;
}

/* Of all other registers that KVM does not know it is said that there is none. */
static void handle_msr(struct kvm_run *run)
{
	uint64_t value = run->msr.data;
	bool known = run->exit_reason == KVM_EXIT_X86_WRMSR;

	switch (known ? run->msr.index : 0) {
	case MSR_STDOUT:
		known = put_bytes(STDOUT_FILENO, value);
		break;
	case MSR_FILE:
		known = put_bytes(vmm.file, value);
		break;
	case MSR_STATUS:
		_exit(value & 0xff);
	case MSR_STOP:
		raise(SIGSTOP);
		break;
	default:
		known = false;
	}
	run->msr.error = !known;
}

static void handle_exit(struct vcpu *v)
{
	struct kvm_run *run = v->run;

	switch (run->exit_reason) {
	case KVM_EXIT_IO:
		handle_io(v);
		return;
	case KVM_EXIT_MMIO:
		/* there is nothing */
		if (!run->mmio.is_write)
			memset(run->mmio.data, 0xff, sizeof(run->mmio.data));
		return;
	case KVM_EXIT_X86_RDMSR:
	case KVM_EXIT_X86_WRMSR:
		handle_msr(run);
		return;
	case KVM_EXIT_INTR:
	case KVM_EXIT_IRQ_WINDOW_OPEN:
		return;
	case KVM_EXIT_SHUTDOWN:
		die("CPU %d shut down: a triple fault, or how Linux resets without a keyboard",
		    v->id);
	case KVM_EXIT_SYSTEM_EVENT:
		die("CPU %d: event %u of the system", v->id, run->system_event.type);
	case KVM_EXIT_FAIL_ENTRY:
		die("CPU %d could not be entered: reason %#llx of the processor", v->id,
		    (unsigned long long)run->fail_entry.hardware_entry_failure_reason);
	case KVM_EXIT_INTERNAL_ERROR:
		die("CPU %d: KVM gave up, suberror %u", v->id, run->internal.suberror);
	default:
		die("CPU %d: exit %u, which nothing here expects", v->id, run->exit_reason);
	}
}

static void *run_vcpu(void *arg)
{
	struct vcpu *v = arg;
	char name[16];

	snprintf(name, sizeof(name), "CPU %d/KVM", v->id);
	pthread_setname_np(pthread_self(), name);
	for (;;) {
		if (!ioctl(v->fd, KVM_RUN, 0))
			handle_exit(v);
		else if (errno != EINTR && errno != EAGAIN)
			die("CPU %d: KVM_RUN: %m", v->id);
	}
	return NULL;
}

struct cpuid {
	struct kvm_cpuid2 head;
	struct kvm_cpuid_entry2 entries[CPUID_ENTRIES];
};

/* Which of the guest's processors it is, and how many there are: cores of one package */
static void set_topology(struct kvm_cpuid_entry2 *e, int id, int cpus)
{
	switch (e->function) {
	case 1:
		e->ebx = (e->ebx & 0xffff) | (uint32_t)cpus << 16 | (uint32_t)id << 24;
		e->edx = cpus > 1 ? e->edx | 1 << 28 : e->edx & ~(1U << 28);
		break;
	case 0xb:
		e->eax = e->ebx = e->ecx = 0;
		e->edx = id;
		break;
	case 0x80000008:
		e->ecx = cpus - 1;
		break;
	case 0x8000001e:
		e->eax = id;
		e->ebx = id;
		e->ecx = 0;
		break;
	}
}

static void hide_counters(struct kvm_cpuid_entry2 *e)
{
	switch (e->function) {
	case 0xa:
	case 0x80000022:
		e->eax = e->ebx = e->ecx = e->edx = 0;
		break;
	case 0x80000001:
		e->ecx &= ~(1U << 23 | 1U << 24 | 1U << 28);
		break;
	}
}

static void set_cpuid(const struct vcpu *v, int cpus)
{
	static struct cpuid all;

	all = (struct cpuid){ .head.nent = CPUID_ENTRIES };
	if (ioctl(vmm.kvm, KVM_GET_SUPPORTED_CPUID, &all))
		die("KVM_GET_SUPPORTED_CPUID: %m");
	for (uint32_t i = 0; i < all.head.nent; i++) {
		struct kvm_cpuid_entry2 *e = &all.entries[i];

		set_topology(e, v->id, cpus);
		if (!vmm.pmu)
			hide_counters(e);
		/* a guest, whose timer need not be measured: the deadline is one of the TSC */
		if (e->function == 1)
			e->ecx |= 1U << 31 | 1U << 24;
	}
	if (ioctl(v->fd, KVM_SET_CPUID2, &all))
		die("KVM_SET_CPUID2: %m");
}

static void set_registers(const struct vcpu *v, struct boot_entry entry)
{
	const struct kvm_segment data = {
		.limit = 0xffffffff,
		.selector = 0x18,
		.type = 3,
		.present = 1,
		.db = 1,
		.s = 1,
		.g = 1,
	};
	struct kvm_regs regs = { .rip = entry.code, .rsi = entry.params, .rflags = 2 };
	struct kvm_sregs sregs;

	if (ioctl(v->fd, KVM_GET_SREGS, &sregs))
		die("KVM_GET_SREGS: %m");
	sregs.ds = sregs.es = sregs.fs = sregs.gs = sregs.ss = data;
	sregs.cs = data;
	sregs.cs.selector = 0x10;
	sregs.cs.type = 11;
	sregs.cr0 |= 1;
	if (ioctl(v->fd, KVM_SET_SREGS, &sregs) || ioctl(v->fd, KVM_SET_REGS, &regs))
		die("the first processor's registers: %m");
}

/* The guest's clock is the host's, so that either's times can be compared. */
static void share_clock(const struct vcpu *v)
{
	const uint64_t none = 0;
	struct kvm_device_attr offset = {
		.group = KVM_VCPU_TSC_CTRL,
		.attr = KVM_VCPU_TSC_OFFSET,
		.addr = (uintptr_t)&none,
	};

	if (ioctl(v->fd, KVM_SET_DEVICE_ATTR, &offset))
		die("KVM_VCPU_TSC_OFFSET: %m");
}

static void open_vcpu(struct vcpu *v, int id, int cpus)
{
	v->id = id;
	v->fd = ioctl(vmm.vm, KVM_CREATE_VCPU, id);
	if (v->fd < 0)
		die("KVM_CREATE_VCPU: %m");
	v->run = mmap(NULL, vmm.run_size, PROT_READ | PROT_WRITE, MAP_SHARED, v->fd, 0);
	if (v->run == MAP_FAILED)
		die("the page of a processor: %m");
	set_cpuid(v, cpus);
	share_clock(v);
}

static void open_machine(void)
{
	struct kvm_pit_config pit = { .flags = KVM_PIT_SPEAKER_DUMMY };
	struct kvm_enable_cap no_pmu = {
		.cap = KVM_CAP_PMU_CAPABILITY,
		.args[0] = KVM_PMU_CAP_DISABLE,
	};
	struct kvm_enable_cap msrs = {
		.cap = KVM_CAP_X86_USER_SPACE_MSR,
		.args[0] = KVM_MSR_EXIT_REASON_UNKNOWN,
	};

	vmm.kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	if (vmm.kvm < 0)
		die("/dev/kvm: %m");
	vmm.run_size = ioctl(vmm.kvm, KVM_GET_VCPU_MMAP_SIZE, 0);
	vmm.vm = ioctl(vmm.kvm, KVM_CREATE_VM, 0);
	if (vmm.vm < 0 || vmm.run_size < 0)
		die("KVM_CREATE_VM: %m");
	if (ioctl(vmm.vm, KVM_SET_TSS_ADDR, 0xfffbd000) || ioctl(vmm.vm, KVM_CREATE_IRQCHIP, 0) ||
	    ioctl(vmm.vm, KVM_CREATE_PIT2, &pit))
		die("KVM's interrupt controllers and timer: %m");
	/* counters of AMD's are not in CPUID: Linux tries whether they keep what is written */
	if (!vmm.pmu && ioctl(vmm.vm, KVM_ENABLE_CAP, &no_pmu))
		die("KVM_CAP_PMU_CAPABILITY: %m");
	if (ioctl(vmm.vm, KVM_ENABLE_CAP, &msrs))
		die("KVM_CAP_X86_USER_SPACE_MSR: %m");
}

static void add_memory(size_t size)
{
	struct kvm_userspace_memory_region region = { .memory_size = size };

	vmm.size = size;
	vmm.memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (vmm.memory == MAP_FAILED)
		die("%zu bytes of memory: %m", size);
	region.userspace_addr = (uintptr_t)vmm.memory;
	if (ioctl(vmm.vm, KVM_SET_USER_MEMORY_REGION, &region))
		die("KVM_SET_USER_MEMORY_REGION: %m");
}

static int open_output(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);

	if (fd < 0)
		die("%s: %m", path);
	return fd;
}

static long number(const char *text, long least, long most, const char *what)
{
	char *end;
	long n = strtol(text, &end, 10);

	if (end == text || *end || n < least || n > most)
		die("%s is %ld to %ld, not \"%s\"", what, least, most, text);
	return n;
}

/* What the processor says of its clock is not to be measured again. */
static const char *command_line(const char *append)
{
	static char line[2048];
	int khz = ioctl(vmm.vcpus[0].fd, KVM_GET_TSC_KHZ, 0);

	if (khz > 0)
		snprintf(line, sizeof(line), "tsc_early_khz=%d tsc=reliable %s", khz, append);
	else
		snprintf(line, sizeof(line), "%s", append);
	return line;
}

static void start_threads(int cpus)
{
	bool input = vmm.serial == STDOUT_FILENO;
	pthread_t thread;

	for (int i = 0; i < cpus; i++) {
		if (pthread_create(&vmm.vcpus[i].thread, NULL, run_vcpu, &vmm.vcpus[i]))
			die("a thread for CPU %d: %m", i);
	}
	if (input && pthread_create(&thread, NULL, read_input, NULL))
		die("a thread for the input: %m");
}

int main(int argc, char **argv)
{
	static const struct option options[] = { { "cpus", required_argument, NULL, 'c' },
						 { "memory", required_argument, NULL, 'm' },
						 { "kernel", required_argument, NULL, 'k' },
						 { "initrd", required_argument, NULL, 'i' },
						 { "append", required_argument, NULL, 'a' },
						 { "pmu", no_argument, NULL, 'p' },
						 { "serial", required_argument, NULL, 's' },
						 { "file", required_argument, NULL, 'f' },
						 {} };
	struct boot_image image = { .cpus = 1, .size = 128 << 20 };
	const char *append = "console=ttyS0";
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) >= 0) {
		switch (c) {
		case 'c':
			image.cpus = number(optarg, 1, VMM_CPUS, "--cpus");
			break;
		case 'm':
			image.size = (size_t)number(optarg, 32, 2048, "--memory") << 20;
			break;
		case 'k':
			image.kernel = optarg;
			break;
		case 'i':
			if (image.nr_initrds == VMM_INITRDS)
				die("more than %d of --initrd", VMM_INITRDS);
			image.initrds[image.nr_initrds++] = optarg;
			break;
		case 'a':
			append = optarg;
			break;
		case 'p':
			vmm.pmu = true;
			break;
		case 's':
			vmm.serial = open_output(optarg);
			break;
		case 'f':
			vmm.file = open_output(optarg);
			break;
		default:
			return FAILED;
		}
	}
	if (!image.kernel || optind != argc)
		die("usage: linux_vmm [OPTION]... --kernel BZIMAGE");

	open_machine();
	add_memory(image.size);
	image.memory = vmm.memory;
	for (int i = 0; i < image.cpus; i++)
		open_vcpu(&vmm.vcpus[i], i, image.cpus);
	image.command_line = command_line(append);
	set_registers(&vmm.vcpus[0], boot_load(&image));
	serial_init(vmm.serial, set_serial_irq);
	start_threads(image.cpus);
	pthread_join(vmm.vcpus[0].thread, NULL);
	return FAILED;
}
