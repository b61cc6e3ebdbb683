// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel markers in a module. Listen to one of
 *
 *	pev_sample:number	number %d pointer %p
 *	pev_sample:text		name %s length %zu
 *	pev_sample:types	every type that a field can have
 *	pev_sample:plain	no field at all
 *
 * and write "<context> <count>" to <debugfs>/pev_sample/fire, <context> being
 * task, softirq, irq or mixed: each of the markers fires <count> times there.
 * "mixed" lets the contexts interrupt each other.
 */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/pev_marker.h>
#include <linux/string.h>
#include "contexts.h"

static struct dentry *dir;

static void fire_one(unsigned int i, const char *context)
{
	PEV_MARK(pev_sample, number, "number %d pointer %p", -(int)i, (void *)0x1000UL + i);
	PEV_MARK(pev_sample, text, "name %s length %zu", i & 1 ? context : NULL,
		 strlen(context));
	PEV_MARK(pev_sample, types,
		 "hh %hhd hhu=%hhu h %hd hu=%hx i %i u: %#x l %ld llu %llu c %c s %.4s pct 100%% z %zd",
		 (signed char)-1, (unsigned char)200, (short)-2, (unsigned short)60000, -3,
		 4000000000U, -5L, 6ULL, 'p', context, (ssize_t)-7);
	PEV_MARK(pev_sample, plain, "nothing to say");
}

static void fire(const char *context, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		fire_one(i, context);
}

static int __init pev_sample_init(void)
{
	dir = debugfs_create_dir("pev_sample", NULL);
	debugfs_create_file("fire", 0200, dir, NULL, &fire_fops);
	return 0;
}

static void __exit pev_sample_exit(void)
{
	debugfs_remove(dir);
	contexts_end();
}

module_init(pev_sample_init);
module_exit(pev_sample_exit);
MODULE_DESCRIPTION("Kernel markers of pev, as a sample");
MODULE_LICENSE("GPL");
