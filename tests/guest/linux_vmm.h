/* SPDX-License-Identifier: GPL-2.0 */
/* What the parts of the VMM in linux_vmm.c share. */
#ifndef LINUX_VMM_H
#define LINUX_VMM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VMM_CPUS 4
#define VMM_INITRDS 8

/*
 * Registers that no processor has, by which init.c talks to the VMM: they need no driver in the guest but
 * /dev/cpu/0/msr. What STDOUT and FILE are given is within a page: its address, and the length - 1 in the low
 * bits.
 */
#define MSR_STDOUT 0x70657600
#define MSR_FILE 0x70657601
#define MSR_STATUS 0x70657602
#define MSR_STOP 0x70657603

struct boot_image {
	uint8_t *memory;
	size_t size;
	int cpus;
	const char *kernel;
	const char *initrds[VMM_INITRDS]; /* one behind the other in memory */
	int nr_initrds;
	const char *command_line;
};

/* Where the guest begins, in protected mode without pages, and where its boot_params are. */
struct boot_entry {
	uint32_t code;
	uint32_t params;
};

/* Fills the memory by Linux's 32-bit boot protocol; what fails is said, and ends the program. */
struct boot_entry boot_load(const struct boot_image *image);

/* A 16550 at COM1. @set_irq is called with the level of its line whenever that changes. */
void serial_init(int out, void (*set_irq)(bool level));
void serial_write(unsigned int reg, uint8_t value);
uint8_t serial_read(unsigned int reg);
/* A byte for the guest, which waits while the guest has 64 to read. */
void serial_receive(uint8_t byte);

__attribute__((noreturn, format(printf, 1, 2))) void die(const char *fmt, ...);

#endif
