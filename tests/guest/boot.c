// SPDX-License-Identifier: GPL-2.0
/*
 * Loads Linux into the memory of a guest: Documentation/arch/x86/boot.rst, "32-bit boot protocol". Instead
 * of firmware there are the map of memory and a table of processors (Intel's MultiProcessor
 * Specification 1.4).
 */
#include "linux_vmm.h"

#include <asm/bootparam.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PARAMS 0x10000
#define COMMAND_LINE 0x20000
#define TABLES 0x9fc00 /* the last of conventional memory, where Linux looks for them */
#define HIGH 0x100000
#define SECTOR 512
#define MAGIC 0x53726448 /* "HdrS" */
#define E820_RAM 1
#define E820_RESERVED 2

#define LAPIC 0xfee00000
#define IOAPIC 0xfec00000
#define LAPIC_VERSION 0x14
#define IOAPIC_VERSION 0x11
#define PINS 16

struct mp_pointer {
	char signature[4];
	uint32_t table;
	uint8_t length;
	uint8_t revision;
	uint8_t sum;
	uint8_t features[5];
} __attribute__((packed));

struct mp_table {
	char signature[4];
	uint16_t length;
	uint8_t revision;
	uint8_t sum;
	char oem[8];
	char product[12];
	uint32_t oem_table;
	uint16_t oem_size;
	uint16_t entries;
	uint32_t lapic;
	uint32_t extended;
} __attribute__((packed));

struct mp_cpu {
	uint8_t type;
	uint8_t apic;
	uint8_t version;
	uint8_t flags; /* 1: usable, 2: the one that boots */
	uint32_t signature;
	uint32_t features;
	uint32_t reserved[2];
} __attribute__((packed));

struct mp_bus {
	uint8_t type;
	uint8_t id;
	char name[6];
} __attribute__((packed));

struct mp_ioapic {
	uint8_t type;
	uint8_t id;
	uint8_t version;
	uint8_t flags;
	uint32_t address;
} __attribute__((packed));

struct mp_interrupt {
	uint8_t type;
	uint8_t kind;
	uint16_t flags;
	uint8_t bus;
	uint8_t irq;
	uint8_t apic;
	uint8_t pin;
} __attribute__((packed));

enum { MP_CPU, MP_BUS, MP_IOAPIC, MP_IRQ, MP_LOCAL };
enum { MP_INT, MP_NMI, MP_SMI, MP_EXTINT };

static uint8_t sum_of(const void *data, size_t len)
{
	const uint8_t *p = data;
	uint8_t sum = 0;

	while (len--)
		sum += *p++;
	return -sum;
}

static uint8_t *mp_add(struct mp_table *t, uint8_t *to, const void *entry, size_t size)
{
	memcpy(to, entry, size);
	t->entries++;
	return to + size;
}

static void make_mp_table(uint8_t *memory, int cpus)
{
	struct mp_pointer *pointer = (void *)(memory + TABLES);
	struct mp_table *t = (void *)(pointer + 1);
	const struct mp_bus isa = { .type = MP_BUS, .name = "ISA   " };
	const struct mp_ioapic ioapic = {
		.type = MP_IOAPIC,
		.id = cpus,
		.version = IOAPIC_VERSION,
		.flags = 1,
		.address = IOAPIC,
	};
	uint8_t *to = (void *)(t + 1);

	*t = (struct mp_table){
		.signature = "PCMP",
		.revision = 4,
		.oem = "TEST    ",
		.product = "GUEST       ",
		.lapic = LAPIC,
	};
	for (int i = 0; i < cpus; i++) {
		const struct mp_cpu cpu = {
			.type = MP_CPU,
			.apic = i,
			.version = LAPIC_VERSION,
			.flags = i ? 1 : 3,
		};

		to = mp_add(t, to, &cpu, sizeof(cpu));
	}
	to = mp_add(t, to, &isa, sizeof(isa));
	to = mp_add(t, to, &ioapic, sizeof(ioapic));
	for (int i = 0; i < PINS; i++) {
		const struct mp_interrupt irq = {
			.type = MP_IRQ,
			.irq = i,
			.apic = ioapic.id,
			.pin = i,
		};

		to = mp_add(t, to, &irq, sizeof(irq));
	}
	for (int i = 0; i < 2; i++) {
		const struct mp_interrupt line = {
			.type = MP_LOCAL,
			.kind = i ? MP_NMI : MP_EXTINT,
			.apic = i ? 0xff : 0,
			.pin = i,
		};

		to = mp_add(t, to, &line, sizeof(line));
	}
	t->length = to - (uint8_t *)t;
	t->sum = sum_of(t, t->length);
	*pointer = (struct mp_pointer){
		.signature = "_MP_",
		.table = TABLES + sizeof(*pointer),
		.length = sizeof(*pointer) / 16,
		.revision = 4,
	};
	pointer->sum = sum_of(pointer, sizeof(*pointer));
}

static size_t size_of(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		die("%s: %m", path);
	return st.st_size;
}

/* @size bytes of the file, from @offset of it on */
static void read_at(const char *path, void *to, size_t size, size_t offset)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		die("%s: %m", path);
	for (size_t done = 0; done < size;) {
		ssize_t n = pread(fd, (char *)to + done, size - done, offset + done);

		if (n < 0)
			die("%s: %m", path);
		if (!n)
			die("%s has become shorter", path);
		done += n;
	}
	close(fd);
}

static void add_e820(struct boot_params *p, uint64_t from, uint64_t to, uint32_t type)
{
	p->e820_table[p->e820_entries++] = (struct boot_e820_entry){
		.addr = from,
		.size = to - from,
		.type = type,
	};
}

/* Archives may follow each other, each at a multiple of four. At the end of memory. */
static void load_initrds(const struct boot_image *image, struct setup_header *hdr,
			 size_t kernel_end)
{
	size_t size = 0, at;

	for (int i = 0; i < image->nr_initrds; i++)
		size += (size_of(image->initrds[i]) + 3) & ~(size_t)3;
	if (size > image->size || image->size - size < kernel_end)
		die("%zu bytes of memory are too few for the kernel and %zu of initramfs",
		    image->size, size);
	at = (image->size - size) & ~(size_t)4095;
	hdr->ramdisk_image = at;
	hdr->ramdisk_size = size;
	for (int i = 0; i < image->nr_initrds; i++) {
		size = size_of(image->initrds[i]);
		read_at(image->initrds[i], image->memory + at, size, 0);
		at += (size + 3) & ~(size_t)3;
	}
}

struct boot_entry boot_load(const struct boot_image *image)
{
	struct boot_params *p = (void *)(image->memory + PARAMS);
	size_t size = size_of(image->kernel), setup;
	struct setup_header hdr;

	if (size < 2 * SECTOR)
		die("%s is no bzImage: it is too short", image->kernel);
	read_at(image->kernel, &hdr, sizeof(hdr), offsetof(struct boot_params, hdr));
	if (hdr.header != MAGIC || hdr.version < 0x20a || !(hdr.loadflags & LOADED_HIGH))
		die("%s is no bzImage of a kernel that can be loaded here", image->kernel);
	setup = ((hdr.setup_sects ? hdr.setup_sects : 4) + 1) * SECTOR;
	if (size < setup)
		die("%s is no bzImage: it is cut off", image->kernel);
	if (strlen(image->command_line) > hdr.cmdline_size)
		die("the command line has more than %u characters", hdr.cmdline_size);
	if (HIGH + size - setup > image->size)
		die("%zu bytes of memory are too few for %s", image->size, image->kernel);

	memset(p, 0, sizeof(*p));
	p->hdr = hdr;
	p->hdr.type_of_loader = 0xff;
	p->hdr.cmd_line_ptr = COMMAND_LINE;
	strcpy((char *)image->memory + COMMAND_LINE, image->command_line);
	read_at(image->kernel, image->memory + HIGH, size - setup, setup);
	load_initrds(image, &p->hdr, hdr.pref_address + hdr.init_size);
	add_e820(p, 0, TABLES, E820_RAM);
	add_e820(p, TABLES, HIGH, E820_RESERVED);
	add_e820(p, HIGH, image->size, E820_RAM);
	make_mp_table(image->memory, image->cpus);
	return (struct boot_entry){ .code = HIGH, .params = PARAMS };
}
