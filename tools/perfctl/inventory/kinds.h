/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a machine has that numbers in records name: CPUs, interrupts, devices, descriptors. One table
 * describes all kinds: metadata, writing, reading and printing follow from it.
 */
#ifndef PERFCTL_INVENTORY_KINDS_H
#define PERFCTL_INVENTORY_KINDS_H

#include "base/util.h"

#include <pev/pev.h>

enum inventory_kind {
	INVENTORY_CPU,
	INVENTORY_IRQ,
	INVENTORY_NETIF,
	INVENTORY_BLOCK,
	INVENTORY_MOUNT,
	INVENTORY_CGROUP,
	INVENTORY_MODULE,
	INVENTORY_FD,
	/* how many there are of another kind; the last records, so that without them some is cut */
	INVENTORY_SUM,
	INVENTORY_KINDS,
};

/* Numbers and texts of a row at most */
#define INVENTORY_NUMBERS 8
#define INVENTORY_TEXTS 4

/**
 * struct inventory_row - one thing that the machine has
 * @n: numbers, in the order of the table; signed ones are extended
 * @s: texts
 */
struct inventory_row {
	enum inventory_kind kind;
	uint64_t n[INVENTORY_NUMBERS];
	const char *s[INVENTORY_TEXTS];
};

/**
 * struct inventory_number - a number of a row
 * @type: in metadata: uint32_t, int32_t, uint64_t or xint64_t
 */
struct inventory_number {
	const char *name;
	const char *type;
};

/**
 * struct inventory_desc - a kind
 * @name:    "irq", of events "state:irq"
 * @one:     how it is called ...
 * @several: ... and of several
 * @numbers: ends with a name of NULL, unless it is full
 * @texts:   the same
 * @keys:    numbers by which a row is found
 * @first:   of these numbers
 */
struct inventory_desc {
	const char *name;
	const char *one;
	const char *several;
	struct inventory_number numbers[INVENTORY_NUMBERS];
	const char *texts[INVENTORY_TEXTS];
	unsigned int keys;
	unsigned int first;
};

extern const struct inventory_desc inventory_kinds[INVENTORY_KINDS];

/* Numbers of INVENTORY_SUM */
enum inventory_sum {
	INVENTORY_WRITTEN,
	INVENTORY_LEFT_OUT,
	INVENTORY_UNREADABLE,
	INVENTORY_SUMS,
};

/* The kind of a class of events; -1: none */
int inventory_class_kind(const struct pev_class *cls);
/* Adds the metadata of all kinds to those of a channel, where nothing that comes later moves it. */
int inventory_metadata(struct strbuf *text);

#endif
