// SPDX-License-Identifier: GPL-2.0
/*
 * Owns what a program says of its marks: the copy, and that it is what it should be. What
 * a format means is for readers to find out, who have to distrust it.
 */
#include <linux/ctype.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/pev_refuse.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include "family.h"

static void __maybe_unused build_check_abi(void)
{
	BUILD_BUG_ON(sizeof(struct pev_producer) != 40);
	BUILD_BUG_ON(sizeof(struct pev_user_mark) != 16);
	BUILD_BUG_ON(sizeof(struct pev_user_gate) != 4096);
	BUILD_BUG_ON(offsetof(struct pev_user_gate, on) != 1024);
	BUILD_BUG_ON(sizeof(struct pev_user_gate) > PAGE_SIZE);
	BUILD_BUG_ON(sizeof(struct pev_user_record) != 16);
	BUILD_BUG_ON(sizeof(struct pev_user_next) != 64);
}

u64 pev_family_stride(const struct pev_family *family)
{
	return PAGE_SIZE + PAGE_ALIGN((u64)family->ring_size);
}

struct pev_family *pev_family_get(struct pev_family *family)
{
	kref_get(&family->ref);
	return family;
}

static void family_free(struct kref *ref)
{
	struct pev_family *family = container_of(ref, struct pev_family, ref);

	kvfree(family->marks);
	kvfree(family->strings);
	kfree(family);
}

void pev_family_put(struct pev_family *family)
{
	kref_put(&family->ref, family_free);
}

/* ---- checks ---- */

static bool is_word(const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (!isascii(text[i]) || (!isalnum(text[i]) && text[i] != '_'))
			return false;
	return len;
}

static bool is_name(const char *name)
{
	size_t len = strnlen(name, PEV_MAX_USER_NAME);
	const char *colon = memchr(name, ':', len);

	return colon && len < PEV_MAX_USER_NAME && is_word(name, colon - name) &&
	       is_word(colon + 1, name + len - colon - 1);
}

static bool is_text(const char *text)
{
	size_t i;

	for (i = 0; i < PEV_MAX_USER_FORMAT && text[i]; i++)
		if (!isascii(text[i]) || !isprint(text[i]))
			return false;
	return i < PEV_MAX_USER_FORMAT;
}

static int check_mark(const struct pev_family *family, u32 nr, struct pev_refuse *r)
{
	const struct pev_user_mark *mark = &family->marks[nr];
	const char *strings = family->strings;

	if (mark->name >= family->strings_size || mark->format >= family->strings_size ||
	    mark->fields >= family->strings_size)
		return pev_refuse(r, EINVAL, PEV_FIELD(config),
				  "mark %u has strings beyond strings_size", nr);
	if (mark->slot >= PEV_USER_SLOTS)
		return pev_refuse_range(r, EINVAL, PEV_FIELD(config), 0, PEV_USER_SLOTS - 1,
					"mark %u has slot %u", nr, mark->slot);
	if (!is_name(strings + mark->name))
		return pev_refuse(r, EINVAL, PEV_FIELD(config),
				  "the name of mark %u is not provider:event, of letters, digits and _, and less than %u bytes",
				  nr, PEV_MAX_USER_NAME);
	if (!is_text(strings + mark->format) || !is_text(strings + mark->fields))
		return pev_refuse(r, EINVAL, PEV_FIELD(config),
				  "the format of mark %u or its fields are not printable ASCII of less than %u bytes",
				  nr, PEV_MAX_USER_FORMAT);
	return 0;
}

static int check_sizes(const struct pev_producer *asked, struct pev_refuse *r)
{
	if (asked->flags)
		return pev_refuse(r, EINVAL, PEV_FIELD(config),
				  "a producer has no flags: 0x%x", asked->flags);
	if (!asked->nr_marks || asked->nr_marks > PEV_MAX_USER_MARKS)
		return pev_refuse_range(r, EINVAL, PEV_FIELD(config), 1, PEV_MAX_USER_MARKS,
					"a producer has %u marks", asked->nr_marks);
	if (!asked->strings_size || asked->strings_size > PEV_MAX_USER_STRINGS)
		return pev_refuse_range(r, EINVAL, PEV_FIELD(config), 1, PEV_MAX_USER_STRINGS,
					"strings_size is %u", asked->strings_size);
	if (!asked->nr_rings || asked->nr_rings > PEV_MAX_USER_RINGS)
		return pev_refuse_range(r, EINVAL, PEV_FIELD(config), 1, PEV_MAX_USER_RINGS,
					"a producer has %u rings", asked->nr_rings);
	if (asked->ring_size < PEV_MIN_USER_RING || asked->ring_size > PEV_MAX_USER_RING ||
	    !is_power_of_2(asked->ring_size))
		return pev_refuse_range(r, EINVAL, PEV_FIELD(config), PEV_MIN_USER_RING,
					PEV_MAX_USER_RING,
					"ring_size %u is not a power of two in the range",
					asked->ring_size);
	return 0;
}

/* ---- copies ---- */

/* As pev_attr, the user's structure may be longer than the kernel's, with zeros there. */
static int copy_asked(u64 uaddr, struct pev_producer *asked, struct pev_refuse *r)
{
	const struct pev_producer __user *from = u64_to_user_ptr(uaddr);
	u32 size;
	int err;

	if (get_user(size, &from->size))
		return pev_refuse(r, EFAULT, PEV_FIELD(config), "the producer can't be read");
	if (size < sizeof(*asked) || size > PAGE_SIZE)
		return pev_refuse_range(r, EINVAL, PEV_FIELD(config), sizeof(*asked), PAGE_SIZE,
					"size %u of the producer", size);
	err = copy_struct_from_user(asked, sizeof(*asked), from, size);
	if (err == -E2BIG)
		return pev_refuse(r, E2BIG, PEV_FIELD(config),
				  "the producer has members that this kernel does not know and that are not 0");
	if (err)
		return pev_refuse(r, EFAULT, PEV_FIELD(config), "the producer can't be read");
	return 0;
}

static int copy_marks(struct pev_family *family, const struct pev_producer *asked,
		      struct pev_refuse *r)
{
	size_t size = array_size(asked->nr_marks, sizeof(*family->marks));

	family->marks = kvmalloc(size, GFP_KERNEL_ACCOUNT);
	family->strings = kvmalloc(asked->strings_size, GFP_KERNEL_ACCOUNT);
	if (!family->marks || !family->strings)
		return -ENOMEM;
	if (copy_from_user(family->marks, u64_to_user_ptr(asked->marks), size) ||
	    copy_from_user(family->strings, u64_to_user_ptr(asked->strings),
			   asked->strings_size))
		return pev_refuse(r, EFAULT, PEV_FIELD(config),
				  "the marks or their strings can't be read");
	if (family->strings[asked->strings_size - 1])
		return pev_refuse(r, EINVAL, PEV_FIELD(config),
				  "the last of the strings has no end");
	family->nr_marks = asked->nr_marks;
	family->strings_size = asked->strings_size;
	return 0;
}

static int family_fill(struct pev_family *family, u64 uaddr, struct pev_refuse *r)
{
	struct pev_producer asked;
	int err;

	err = copy_asked(uaddr, &asked, r);
	err = err ?: check_sizes(&asked, r);
	err = err ?: copy_marks(family, &asked, r);
	for (u32 i = 0; !err && i < asked.nr_marks; i++)
		err = check_mark(family, i, r);
	if (err)
		return err;
	family->nr_rings = asked.nr_rings;
	family->ring_size = asked.ring_size;
	return 0;
}

struct pev_family *pev_family_create(u64 uaddr, struct pev_refuse *r)
{
	struct pev_family *family = kzalloc(sizeof(*family), GFP_KERNEL_ACCOUNT);
	int err;

	if (!family)
		return ERR_PTR(-ENOMEM);
	kref_init(&family->ref);
	err = family_fill(family, uaddr, r);
	if (!err)
		return family;
	pev_family_put(family);
	return ERR_PTR(err);
}
