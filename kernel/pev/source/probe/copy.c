// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the copy of what a user wants probed, and its checks. What comes from the user is
 * copied once, before it is looked at; its lengths are bounded before anything is taken.
 */
#include <linux/ctype.h>
#include <linux/dcache.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kallsyms.h>
#include <linux/mm.h>
#include <linux/pev_refuse.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "base/strbuf.h"
#include "copy.h"
#include "probe.h"

static int refuse(struct pev_refuse *r, int error, const char *text)
{
	return pev_refuse(r, error, PEV_FIELD(config), "%s", text);
}

static void *copy_array(u64 addr, u32 bytes, struct pev_refuse *r)
{
	void *copy = kvmalloc(bytes, GFP_KERNEL_ACCOUNT);

	if (!copy)
		return ERR_PTR(-ENOMEM);
	if (!copy_from_user(copy, u64_to_user_ptr(addr), bytes))
		return copy;
	kvfree(copy);
	return ERR_PTR(refuse(r, EFAULT,
			      "the places or strings of the probe can't be read"));
}

/* Return: the string that begins at @at, or NULL. */
static const char *string_at(const struct pev_probe_event *probe, u32 at)
{
	/* the last byte is a NUL */
	return at < probe->strings_size ? probe->strings + at : NULL;
}

static int copy_strings(struct pev_probe_event *probe, const struct pev_probe *want,
			struct pev_refuse *r)
{
	char *strings;

	if (!want->strings_size || want->strings_size > PEV_MAX_PROBE_STRINGS)
		return pev_refuse_range(r, EINVAL, PEV_FIELD(config), 1, PEV_MAX_PROBE_STRINGS,
					"strings_size %u of a probe", want->strings_size);
	strings = copy_array(want->strings, want->strings_size, r);
	if (IS_ERR(strings))
		return PTR_ERR(strings);
	probe->strings = strings;
	probe->strings_size = want->strings_size;
	if (strings[want->strings_size - 1])
		return refuse(r, EINVAL, "the strings of the probe don't end with a NUL");
	return 0;
}

static int check_place_name(const struct pev_probe_event *probe, u32 i, struct pev_refuse *r)
{
	const char *name = string_at(probe, probe->places[i].name);

	if (!name)
		return pev_refuse(r, EINVAL, PEV_FIELD(config),
				  "the name of place %u begins behind the strings", i);
	if (strnlen(name, PEV_MAX_PROBE_NAME) == PEV_MAX_PROBE_NAME)
		return pev_refuse(r, EINVAL, PEV_FIELD(config),
				  "the name of place %u has more than %d bytes", i,
				  PEV_MAX_PROBE_NAME - 1);
	if (!pev_is_label(name))
		return pev_refuse(r, EINVAL, PEV_FIELD(config),
				  "the name of place %u is empty, or not of printable ASCII characters without blanks, quotes and backslashes",
				  i);
	return 0;
}

static int check_place(const struct pev_probe_event *probe, u32 i, struct pev_refuse *r)
{
	const struct pev_probe_place *place = &probe->places[i];
	bool file = pev_probe_in_file(probe->fetches.kind);
	int err = check_place_name(probe, i, r);

	if (err)
		return err;
	if (place->reserved)
		return pev_refuse(r, EINVAL, PEV_FIELD(config),
				  "place %u has a reserved member that is not 0", i);
	if (place->offset > (file ? S64_MAX : U32_MAX))
		return pev_refuse(r, EINVAL, PEV_FIELD(config),
				  "%s+0x%llx is not in the kernel or the file",
				  pev_probe_name(probe, i), place->offset);
	if (place->semaphore > (file ? S64_MAX : 0))
		return pev_refuse(r, EINVAL, PEV_FIELD(config),
				  "%s: 0x%llx is no place in a file for a semaphore",
				  pev_probe_name(probe, i), place->semaphore);
	if (place->offset && (probe->fetches.kind == PEV_PROBE_KERNEL_RETURN ||
			      probe->fetches.kind == PEV_PROBE_FUNCTION))
		return pev_refuse(r, EINVAL, PEV_FIELD(config),
				  "%s+0x%llx: a probe of this kind is that of a whole function: set the offset to 0",
				  pev_probe_name(probe, i), place->offset);
	return 0;
}

static int copy_places(struct pev_probe_event *probe, const struct pev_probe *want,
		       struct pev_refuse *r)
{
	struct pev_probe_place *places;
	int err = 0;

	if (!want->nr_places || want->nr_places > PEV_MAX_PROBE_PLACES)
		return pev_refuse_range(r, EINVAL, PEV_FIELD(config), 1, PEV_MAX_PROBE_PLACES,
					"a probe of %u places", want->nr_places);
	places = copy_array(want->places, want->nr_places * sizeof(*places), r);
	if (IS_ERR(places))
		return PTR_ERR(places);
	probe->places = places;
	probe->nr = want->nr_places;
	for (u32 i = 0; i < probe->nr && !err; i++)
		err = check_place(probe, i, r);
	return err;
}

static int copy_fields(struct pev_probe_event *probe, const struct pev_probe *want,
		       struct pev_refuse *r)
{
	const struct pev_probe_field __user *from = u64_to_user_ptr(want->fields);

	if (want->nr_fields > PEV_MAX_PROBE_FIELDS)
		return pev_refuse_range(r, EINVAL, PEV_FIELD(config), 0, PEV_MAX_PROBE_FIELDS,
					"a probe of %u fields", want->nr_fields);
	for (u32 i = 0; i < want->nr_fields; i++) {
		struct pev_probe_field field;
		const char *name;
		int err;

		if (copy_from_user(&field, &from[i], sizeof(field)))
			return refuse(r, EFAULT, "the fields of the probe can't be read");
		name = string_at(probe, field.name);
		if (!name)
			return pev_refuse(r, EINVAL, PEV_FIELD(config),
					  "the name of field %u begins behind the strings", i);
		err = pev_fetch_add(&probe->fetches, &field, name, r);
		if (err)
			return err;
	}
	pev_fetch_arrange(&probe->fetches);
	return 0;
}

static int find_file(struct pev_probe_event *probe, int fd, struct pev_refuse *r)
{
	struct file *file = fget(fd);
	int err = 0;

	if (!file)
		return pev_refuse(r, EBADF, PEV_FIELD(config),
				  "fd %d of the probe is not open", fd);
	if (!S_ISREG(file_inode(file)->i_mode))
		err = pev_refuse(r, EINVAL, PEV_FIELD(config),
				 "fd %d of the probe is not a regular file", fd);
	else if (!(file->f_mode & FMODE_READ))
		err = pev_refuse(r, EBADF, PEV_FIELD(config),
				 "fd %d of the probe is not open for reading", fd);
	if (!err) {
		probe->path = file->f_path;
		path_get(&probe->path);
	}
	fput(file);
	return err;
}

static int check_active(const struct pev_probe *want, struct pev_refuse *r)
{
	if (!want->max_active)
		return 0;
	if (want->kind != PEV_PROBE_KERNEL_RETURN)
		return refuse(r, EINVAL,
			      "max_active is for returns in the kernel: set it to 0");
	if (want->max_active <= PEV_MAX_PROBE_ACTIVE / want->nr_places)
		return 0;
	return pev_refuse_range(r, EINVAL, PEV_FIELD(config), 0,
				PEV_MAX_PROBE_ACTIVE / want->nr_places,
				"max_active %u of each of %u places", want->max_active,
				want->nr_places);
}

static int copy_head(struct pev_probe *want, u64 addr, struct pev_refuse *r)
{
	struct pev_probe __user *from = u64_to_user_ptr(addr);
	u32 size;
	int err;

	if (get_user(size, &from->size))
		return refuse(r, EFAULT, "config is not the address of a struct pev_probe");
	if (size < sizeof(*want) || size > PAGE_SIZE)
		return pev_refuse_range(r, EINVAL, PEV_FIELD(config), sizeof(*want), PAGE_SIZE,
					"size %u of struct pev_probe", size);
	err = copy_struct_from_user(want, sizeof(*want), from, size);
	if (err == -E2BIG)
		return refuse(r, E2BIG,
			      "struct pev_probe has members that this kernel does not know and that are not 0");
	if (err)
		return refuse(r, -err, "struct pev_probe can't be read");
	if (want->flags & ~PEV_PROBE_F_SKIP)
		return pev_refuse(r, EINVAL, PEV_FIELD(config),
				  "flags of the probe has bits that this kernel does not know: 0x%x",
				  want->flags & ~PEV_PROBE_F_SKIP);
	if (!(want->flags & PEV_PROBE_F_SKIP) != !want->results)
		return refuse(r, EINVAL, "PEV_PROBE_F_SKIP and results go together");
	if (want->kind >= PEV_PROBE_MAX)
		return pev_refuse_range(r, EINVAL, PEV_FIELD(config), 0, PEV_PROBE_MAX - 1,
					"there is no kind %u of probes", want->kind);
	if (want->fd && !pev_probe_in_file(want->kind))
		return refuse(r, EINVAL, "a probe in the kernel has no file: set fd to 0");
	return 0;
}

int pev_probe_copy(struct pev_probe_event *probe, u64 addr, struct pev_refuse *r)
{
	struct pev_probe want;
	int err = copy_head(&want, addr, r);

	if (err)
		return err;
	probe->fetches.kind = want.kind;
	err = copy_strings(probe, &want, r);
	err = err ?: copy_places(probe, &want, r);
	err = err ?: copy_fields(probe, &want, r);
	err = err ?: check_active(&want, r);
	if (!err && pev_probe_in_file(want.kind))
		err = find_file(probe, want.fd, r);
	probe->max_active = want.max_active;
	probe->results = u64_to_user_ptr(want.results);
	if (!err && want.results) {
		probe->skipped = kvcalloc(probe->nr, sizeof(*probe->skipped), GFP_KERNEL_ACCOUNT);
		err = probe->skipped ? 0 : -ENOMEM;
	}
	return err;
}

void pev_probe_free(struct pev_probe_event *probe)
{
	path_put(&probe->path);
	kvfree(probe->places);
	kvfree(probe->strings);
	kvfree(probe->skipped);
}
