// SPDX-License-Identifier: GPL-2.0
/*
 * Owns pev_open(): every copy from the user, and the fd. Must not know how
 * anything works.
 */
#include <linux/anon_inodes.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/perf_event.h>
#include <linux/pev_clock.h>
#include <linux/pev_marker.h>
#include <linux/pev_refuse.h>
#include <linux/sched/user.h>
#include <linux/security.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include "base/memory.h"
#include "base/owner.h"
#include "base/paranoid.h"
#include "base/turn.h"
#include "base/user.h"
#include "channel/channel.h"
#include "channel/persist.h"
#include "clients/user.h"
#include "event/catalog.h"
#include "event/event.h"
#include "event/reasons.h"
#include "event/sources.h"
#include "glue/linux.h"
#include "guest/grant.h"
#include "pmu/status.h"
#include "record/context.h"
#include "record/guest.h"
#include "record/sample.h"
#include "ring/ring.h"
#include "source/producer/family.h"
#include "source/producer/producer.h"
#include "source/trace/filter.h"
#include "table/table.h"
#include "target/target.h"
#include "types.h"
#include "channel_file.h"
#include "check.h"
#include "crash_file.h"
#include "event_file.h"
#include "grant_file.h"
#include "open.h"
#include "permission.h"
#include "producer_file.h"
#include "refusal.h"
#include "table_file.h"

static void __maybe_unused build_check_abi(void)
{
	BUILD_BUG_ON(sizeof(struct pev_attr) != PEV_ATTR_SIZE_VER0);
	BUILD_BUG_ON(offsetof(struct pev_attr, refusal) != 144);
	BUILD_BUG_ON(offsetof(struct pev_attr, refusal_size) != 160);
	BUILD_BUG_ON(sizeof(struct pev_refusal) != 24);
	BUILD_BUG_ON(sizeof(struct pev_info) != 160);
	BUILD_BUG_ON(sizeof(struct pev_value) != 48);
	BUILD_BUG_ON(sizeof(struct pev_multiplexed) != 160);
	BUILD_BUG_ON(sizeof(struct pev_user_page) != 40);
	BUILD_BUG_ON(sizeof(struct pev_id) != 64);
	BUILD_BUG_ON(offsetofend(struct pev_id, channel) != 24);
	BUILD_BUG_ON(sizeof(struct pev_filter_arg) != 24);
	BUILD_BUG_ON(sizeof(struct pev_cpu_values) != 16);
	BUILD_BUG_ON(sizeof(struct pev_span) != 16);
	BUILD_BUG_ON(sizeof(struct pev_snapshot_arg) != 16);
	BUILD_BUG_ON(sizeof(struct pev_channel_info) != 112);
	BUILD_BUG_ON(sizeof(struct pev_counts) != 64);
	BUILD_BUG_ON(sizeof(struct pev_channel_state) != 32);
	BUILD_BUG_ON(sizeof(struct pev_open_arg) != 16);
	BUILD_BUG_ON(sizeof(struct pev_call_text) != 2);
	BUILD_BUG_ON(sizeof(struct pev_call_structs) != 8);
	BUILD_BUG_ON(sizeof(struct pev_probe) != 72);
	BUILD_BUG_ON(sizeof(struct pev_probe_place) != 24);
	BUILD_BUG_ON(sizeof(struct pev_probe_field) != 48);
	BUILD_BUG_ON(sizeof(struct pev_probe_record) != 4);
	BUILD_BUG_ON(sizeof(struct pev_table_key) != 80);
	BUILD_BUG_ON(sizeof(struct pev_table) != 1080);
	BUILD_BUG_ON(offsetof(struct pev_table, open) != PEV_TABLE_SIZE_VER0);
	BUILD_BUG_ON(sizeof(struct pev_table_row) != 32);
	BUILD_BUG_ON(sizeof(struct pev_table_swap) != 168);
	BUILD_BUG_ON(offsetof(struct pev_table_swap, unmatched) != PEV_TABLE_SWAP_SIZE_VER0);
	BUILD_BUG_ON(sizeof(struct pev_thread_context) != 28);
	BUILD_BUG_ON(sizeof(struct pev_packet) != 88);
	BUILD_BUG_ON(sizeof(struct pev_crash) != 56);
	BUILD_BUG_ON(sizeof(struct pev_crash_ring) != 40);
	BUILD_BUG_ON(offsetof(struct pev_packet, cpu_id) != 80);
	BUILD_BUG_ON(offsetof(struct pev_ring_kernel, head) != 64);
	BUILD_BUG_ON(sizeof(struct pev_ring_kernel) > PAGE_SIZE);
}

/* ---- what each type does ---- */

/* The types that are not events, and the events that have a source here. */
static u64 available_types(void)
{
	u64 types = BIT(PEV_TYPE_INFO) | BIT(PEV_TYPE_CATALOG) | BIT(PEV_TYPE_CHANNEL) |
		    BIT(PEV_TYPE_PMU) | BIT(PEV_TYPE_TABLE) | BIT(PEV_TYPE_CLIENT) |
		    BIT(PEV_TYPE_PRODUCER) | BIT(PEV_TYPE_CONTEXT) | BIT(PEV_TYPE_CRASH) |
		    BIT(PEV_TYPE_GRANT);

	for (u32 type = 0; type < PEV_TYPE_MAX; type++)
		types |= pev_source_of(type) ? BIT(type) : 0;
	return types;
}

/* Under locks that others open events with. */
static int count_sources(struct pev_info *info)
{
	struct pev_turn *turn = pev_turn_take();

	if (IS_ERR(turn))
		return PTR_ERR(turn);
	if (!pev_reasons_known())
		info->sample &= ~PEV_SAMPLE_EXIT;
	pev_sources_info(info);
	pev_turn_end(turn);
	return 0;
}

static int open_info(const struct pev_attr *attr, struct pev_refuse *r)
{
	struct pev_info info = {
		.size		= sizeof(info),
		.abi_version	= PEV_ABI_VERSION,
		.types		= available_types(),
		.event_flags	= PEV_F_ALL,
		.sample		= PEV_SAMPLE_ALL,
		.channel_flags	= PEV_CHF_ALL,
		.targets	= ((1ULL << PEV_TARGET_MAX) - 1) & ~1ULL,
		.paranoid	= pev_paranoid_level(),
		.nr_cpus	= nr_cpu_ids,
	};
	struct pev_trace_clock clock;
	int err;

	info.regs_user = pev_sample_regs();
	if (!info.regs_user)
		info.sample &= ~PEV_SAMPLE_UREGS;
	if (!IS_ENABLED(CONFIG_CGROUPS))
		info.targets &= ~(1ULL << PEV_TARGET_CGROUP);
	if (!pev_guest_known())
		info.targets &= ~(1ULL << PEV_TARGET_GUEST);
	if (pev_guest_hidden())
		info.sample &= ~PEV_SAMPLE_GUEST;
	err = count_sources(&info);
	if (err)
		return err;
	pev_clock_init(&clock, PEV_CLOCK_DEFAULT);
	info.clock = clock.type;
	info.clock_freq = clock.freq;
	if (attr->info_size < sizeof(info.size) || !attr->info)
		return pev_refuse(r, EINVAL, PEV_FIELD(info_size),
				  "a query needs info and at least %zu bytes there",
				  sizeof(info.size));
	if (attr->info_size > PAGE_SIZE)
		return pev_refuse(r, E2BIG, PEV_FIELD(info_size), "info_size is too large");
	return pev_copy_struct_to_user(u64_to_user_ptr(attr->info), attr->info_size, &info,
				       sizeof(info));
}

/* Of a channel whose records another kernel or the console has when this one is gone */
static int check_last(const struct pev_attr *attr, struct pev_refuse *r)
{
	if (!(attr->flags & PEV_CHF_OVERWRITE))
		return pev_refuse(r, EINVAL, PEV_FIELD(flags),
				  "%s keeps the newest records: set PEV_CHF_OVERWRITE, too",
				  attr->flags & PEV_CHF_PERSIST ? "PEV_CHF_PERSIST" :
								  "PEV_CHF_PANIC");
	return pev_permit_crash(r);
}

static struct pev_channel *create_channel(const struct pev_attr *attr, struct user_struct *user,
					  struct pev_refuse *r)
{
	const struct pev_channel_desc desc = {
		.user = user,
		.flags = attr->flags,
		.ring_size = attr->ring_size,
		.packet_size = attr->packet_size,
		.watermark = attr->watermark,
		.flush_ms = attr->flush_ms,
		.clock = attr->clock,
	};
	struct pev_channel *channel = pev_channel_create(&desc, r);

	if (channel != ERR_PTR(-EPERM))
		return channel;
	/* closed events hand their memory back a little later */
	pev_event_reap_sync();
	r->error = 0;
	return pev_channel_create(&desc, r);
}

static struct file *open_channel(const struct pev_attr *attr, struct pev_refuse *r)
{
	int err = attr->flags & (PEV_CHF_PERSIST | PEV_CHF_PANIC) ? check_last(attr, r) : 0;
	struct pev_channel *channel;
	struct user_struct *user;
	struct file *file;

	if (err)
		return ERR_PTR(err);
	if (attr->clock >= PEV_CLOCK_MAX)
		return ERR_PTR(pev_refuse_range(r, EINVAL, PEV_FIELD(clock), 0,
						PEV_CLOCK_MAX - 1,
						"there is no clock %u", attr->clock));
	user = pev_owner_of_memory();
	if (!user)
		return ERR_PTR(-ENOMEM);
	channel = create_channel(attr, user, r);
	free_uid(user);
	if (IS_ERR(channel))
		return ERR_CAST(channel);
	file = pev_channel_file(channel);
	if (IS_ERR(file))
		pev_channel_put(channel);
	return file;
}

/* As pev_attr, the user's structure may be longer than the kernel's, with zeros there. */
static int copy_table(const struct pev_attr *attr, struct pev_table *table, struct pev_refuse *r)
{
	const struct pev_table __user *from = u64_to_user_ptr(attr->config);
	u32 size;
	int err;

	if (get_user(size, &from->size))
		return pev_refuse(r, EFAULT, PEV_FIELD(config), "the table can't be read");
	if (size < PEV_TABLE_SIZE_VER0 || size > PAGE_SIZE)
		return pev_refuse_range(r, EINVAL, PEV_FIELD(config), PEV_TABLE_SIZE_VER0,
					PAGE_SIZE, "size %u of the table", size);
	err = copy_struct_from_user(table, sizeof(*table), from, size);
	if (err == -E2BIG)
		return pev_refuse(r, E2BIG, PEV_FIELD(config),
				  "the table has members that this kernel does not know and that are not 0");
	if (err)
		return pev_refuse(r, EFAULT, PEV_FIELD(config), "the table can't be read");
	return 0;
}

/* Return: the channel for the records of a table, with a reference; NULL: it has none. */
static struct pev_channel *records_channel(const struct pev_table *asked, struct pev_refuse *r)
{
	struct pev_channel *channel = NULL;
	struct file *file;
	int err = EBADF;

	if (!(asked->flags & PEV_TABLE_F_RECORDS))
		return NULL;
	file = fget(asked->channel_fd);
	if (file) {
		err = EINVAL;
		channel = pev_channel_from_file(file);
		if (channel)
			pev_channel_get(channel);
		fput(file);
	}
	if (channel)
		return channel;
	return ERR_PTR(pev_refuse(r, err, PEV_FIELD(config),
				  "fd %d, for the records of the table, is not a pev channel",
				  asked->channel_fd));
}

/* Takes over the reference on @table. */
static struct file *table_with_channel(struct pev_table_set *table, struct pev_refuse *r)
{
	struct pev_channel *channel = records_channel(&table->attr, r);
	struct file *file;

	if (IS_ERR(channel)) {
		pev_table_put(table);
		return ERR_CAST(channel);
	}
	file = pev_table_file(table, channel);
	if (!IS_ERR(file))
		return file;
	if (channel)
		pev_channel_put(channel);
	pev_table_put(table);
	return file;
}

static struct file *open_table(const struct pev_attr *attr, struct pev_refuse *r)
{
	struct pev_table_set *table;
	struct pev_table asked;
	int err;

	err = copy_table(attr, &asked, r);
	if (err)
		return ERR_PTR(err);
	table = pev_table_create(&asked, r);
	if (table == ERR_PTR(-EPERM)) {
		/* closed events hand their memory back a little later */
		pev_event_reap_sync();
		r->error = 0;
		table = pev_table_create(&asked, r);
	}
	return IS_ERR(table) ? ERR_CAST(table) : table_with_channel(table, r);
}

/*
 * Its memory is had by mapping it and by faults, which must not wait for what closed events
 * hand back a little later.
 */
static int wait_for_room(const struct pev_family *family)
{
	unsigned long pages = 1 + (family->nr_rings * pev_family_stride(family) >> PAGE_SHIFT);
	struct user_struct *user = pev_owner_of_memory();

	if (!user)
		return -ENOMEM;
	if (!pev_memory_fits(user, pages))
		pev_event_reap_sync();
	free_uid(user);
	return 0;
}

/* It watches no task: what the program writes is its own, and it pays for the memory. */
static struct file *open_producer(const struct pev_attr *attr, struct pev_refuse *r)
{
	struct pev_family *family = pev_family_create(attr->config, r);
	struct file *file;
	int err;

	if (IS_ERR(family))
		return ERR_CAST(family);
	err = wait_for_room(family);
	file = err ? ERR_PTR(err) : pev_producer_file(family);
	if (IS_ERR(file))
		pev_family_put(family);
	return file;
}

/* It is the thread's own to say; a reader may look at all of the thread's memory. */
static int open_context(const struct pev_attr *attr, struct pev_refuse *r)
{
	int err = pev_permit_any(pev_paranoid_level(), r);

	return err ?: pev_context_attach(attr->config, r);
}

/* ---- copies from the user: before any lock, for a page may never come ---- */

static int copy_name(struct pev_request *req, struct pev_refuse *r)
{
	char *name;

	if (!req->attr.name)
		return 0;
	name = strndup_user(u64_to_user_ptr(req->attr.name), PEV_MAX_NAME);
	if (!IS_ERR(name)) {
		/* the event keeps it, and what copies from the user is charged to nobody */
		req->name = kstrdup(name, GFP_KERNEL_ACCOUNT);
		kfree(name);
		return req->name ? 0 : -ENOMEM;
	}
	if (PTR_ERR(name) == -EINVAL)
		return pev_refuse_range(r, EINVAL, PEV_FIELD(name), 1, PEV_MAX_NAME,
					"the name is too long in bytes");
	return pev_refuse(r, -PTR_ERR(name), PEV_FIELD(name), "the name can't be read");
}

static int copy_filter(struct pev_request *req, struct pev_refuse *r)
{
	char *filter;

	if (!req->attr.filter)
		return 0;
	filter = pev_filter_copy(u64_to_user_ptr(req->attr.filter), r);
	if (IS_ERR(filter))
		return PTR_ERR(filter);
	req->filter = filter;
	return 0;
}

static int copy_cpus(struct pev_request *req, struct pev_refuse *r)
{
	u64 *cpus;

	if (!req->attr.cpus_size)
		return 0;
	cpus = memdup_user(u64_to_user_ptr(req->attr.cpus), req->attr.cpus_size);
	if (IS_ERR(cpus))
		return pev_refuse(r, -PTR_ERR(cpus), PEV_FIELD(cpus),
				  "the CPU mask can't be read");
	req->cpus = cpus;
	return 0;
}

/* Whether they are what they should be is checked when it is their turn. */
static void find_files(struct pev_request *req)
{
	if (req->attr.channel_fd >= 0)
		req->channel_file = fget(req->attr.channel_fd);
	if (req->channel_file)
		req->channel = pev_channel_from_file(req->channel_file);
	if (req->channel_file)
		req->table = pev_table_from_file(req->channel_file);
	if (req->table)
		req->channel = pev_table_file_channel(req->channel_file);
	/* from here on it is an event that only counts */
	if (req->table && pev_table_is_counted(req->table))
		req->attr.channel_fd = -1;
	if (req->attr.group_fd >= 0)
		req->leader_file = fget(req->attr.group_fd);
	if (req->leader_file)
		req->leader = pev_event_from_file(req->leader_file);
}

static void request_free(struct pev_request *req)
{
	if (req->channel_file)
		fput(req->channel_file);
	if (req->leader_file)
		fput(req->leader_file);
	kfree(req->name);
	kfree(req->filter);
	kfree(req->cpus);
}

static struct pev_event *request_event(struct pev_request *req, struct pev_refuse *r)
{
	int err;

	err = copy_name(req, r);
	err = err ?: copy_filter(req, r);
	err = err ?: copy_cpus(req, r);
	return err ? ERR_PTR(err) : pev_event_create(req, r);
}

static struct file *open_event(const struct pev_attr *attr, struct pev_refuse *r)
{
	struct pev_request req = { .attr = *attr };
	struct pev_event *event;
	struct file *file;
	int err;

	err = pev_check_target(attr, r);
	if (err)
		return ERR_PTR(err);
	if (attr->target == PEV_TARGET_GUEST)
		req.attr.flags |= PEV_F_EXCLUDE_HOST;
	find_files(&req);
	err = pev_permit_level(&req, r);
	err = err ?: pev_permit_security(&req, r);
	event = err ? ERR_PTR(err) : request_event(&req, r);
	request_free(&req);
	if (IS_ERR(event))
		return ERR_CAST(event);
	file = pev_event_file(event);
	if (IS_ERR(file))
		pev_event_close(event);
	return file;
}

/* The channel that kernel code has under the name that the user gives. */
static struct pev_channel *client_channel(const struct pev_attr *attr, struct pev_refuse *r)
{
	struct pev_request req = { .attr = *attr };
	struct pev_channel *channel;
	int err;

	if (!attr->name)
		return ERR_PTR(pev_refuse(r, EINVAL, PEV_FIELD(name),
					  "whose channel? A name is needed"));
	err = pev_security_perf(PERF_SECURITY_OPEN);
	err = err ?: security_locked_down(LOCKDOWN_PERF);
	if (err)
		return ERR_PTR(pev_refuse(r, -err, PEV_NO_FIELD,
					  "a security module or lockdown refuses"));
	err = copy_name(&req, r);
	if (err)
		return ERR_PTR(err);
	channel = pev_client_channel(req.name, r);
	request_free(&req);
	return channel;
}

static struct file *open_client(const struct pev_attr *attr, struct pev_refuse *r)
{
	struct pev_channel *channel = client_channel(attr, r);
	struct file *file;

	if (IS_ERR(channel))
		return ERR_CAST(channel);
	file = pev_channel_file(channel);
	if (IS_ERR(file)) {
		pev_channel_leave(channel);
		pev_channel_put(channel);
	}
	return file;
}

static int check_crash(const struct pev_attr *attr, struct pev_refuse *r)
{
	if (attr->config >= PEV_CRASH_MAX)
		return pev_refuse_range(r, EINVAL, PEV_FIELD(config), 0, PEV_CRASH_MAX - 1,
					"config %llu is nothing that can be done", attr->config);
	return pev_permit_crash(r);
}

static struct file *open_crash(const struct pev_attr *attr, struct pev_refuse *r)
{
	int err = check_crash(attr, r);

	return err ? ERR_PTR(err) : pev_crash_file(r);
}

static struct file *open_grant(const struct pev_attr *attr, struct pev_refuse *r)
{
	int err = pev_permit_grant(r);

	return err ? ERR_PTR(err) : pev_grant_file(attr, r);
}

static struct file *open_file(const struct pev_attr *attr, struct pev_refuse *r)
{
	int err;

	switch (attr->type) {
	case PEV_TYPE_CATALOG:
		return pev_catalog_file(pev_clients_catalog);
	case PEV_TYPE_PMU:
		return pev_pmu_file(pev_grants_text);
	case PEV_TYPE_CHANNEL:
		err = pev_permit_any(pev_paranoid_level(), r);
		return err ? ERR_PTR(err) : open_channel(attr, r);
	case PEV_TYPE_TABLE:
		err = pev_permit_any(pev_paranoid_level(), r);
		return err ? ERR_PTR(err) : open_table(attr, r);
	case PEV_TYPE_CLIENT:
		err = pev_permit_any(pev_paranoid_level(), r);
		return err ? ERR_PTR(err) : open_client(attr, r);
	case PEV_TYPE_PRODUCER:
		err = pev_permit_any(pev_paranoid_level(), r);
		return err ? ERR_PTR(err) : open_producer(attr, r);
	case PEV_TYPE_CRASH:
		return open_crash(attr, r);
	case PEV_TYPE_GRANT:
		return open_grant(attr, r);
	default:
		return open_event(attr, r);
	}
}

static int open_fd(const struct pev_attr *attr, u32 flags, struct pev_refuse *r)
{
	struct file *file;
	int fd;

	fd = get_unused_fd_flags(flags & PEV_OPEN_CLOEXEC ? O_CLOEXEC : 0);
	if (fd < 0)
		return pev_refuse(r, -fd, PEV_NO_FIELD,
				  "this process has no file descriptor left: raise its limit (ulimit -n)");
	file = open_file(attr, r);
	if (IS_ERR(file)) {
		put_unused_fd(fd);
		return PTR_ERR(file);
	}
	fd_install(fd, file);
	return fd;
}

static int do_open(const struct pev_attr *attr, u32 flags, struct pev_refuse *r)
{
	int err;

	if (flags & ~PEV_OPEN_CLOEXEC)
		return pev_refuse(r, EINVAL, PEV_NO_FIELD,
				  "the flags argument has bits that this kernel does not know: 0x%x",
				  flags & ~PEV_OPEN_CLOEXEC);
	if (attr->type >= PEV_TYPE_MAX)
		return pev_refuse_range(r, EINVAL, PEV_FIELD(type), 0, PEV_TYPE_MAX - 1,
					"this kernel has no type %u", attr->type);
	if (!(available_types() & BIT(attr->type)))
		return pev_refuse(r, EOPNOTSUPP, PEV_FIELD(type),
				  "this kernel was built without type %u", attr->type);
	err = pev_check_members(attr, r);
	err = err ?: pev_check_flags(attr, r);
	if (err)
		return err;
	if (attr->type == PEV_TYPE_INFO)
		return open_info(attr, r);
	if (attr->type == PEV_TYPE_CONTEXT)
		return open_context(attr, r);
	if (attr->type == PEV_TYPE_CRASH && attr->config == PEV_CRASH_DROP)
		return check_crash(attr, r) ?: pev_persist_drop(r);
	return open_fd(attr, flags, r);
}

/* What of a refused structure can be known: where to explain. */
static int refuse_size(const struct pev_attr __user *uattr, size_t size, struct pev_refuse *r)
{
	struct pev_attr attr;

	if (copy_from_user(&attr, uattr, min(size, sizeof(attr))))
		return -EFAULT;
	pev_refuse_range(r, E2BIG, PEV_NO_FIELD, PEV_ATTR_SIZE_VER0, sizeof(attr),
			 "the structure has members beyond %zu bytes that this kernel does not know and that are not 0",
			 sizeof(attr));
	return pev_refusal(r, -E2BIG, attr.refusal, attr.refusal_size);
}

/**
 * pev_open() - create a channel, a table, an event or a catalog, or query
 * @uattr: what to open
 * @size:  sizeof(*uattr) as the caller knows it
 * @flags: PEV_OPEN_*
 *
 * Return: a file descriptor (0 for a query, a thread's context and PEV_CRASH_DROP), or
 *
 * - %-E2BIG: @size is larger than the kernel's and the rest is not zero, or
 *   larger than a page, or so is a table; info_size is larger than a page; the group
 *   is full
 * - %-EACCES: a right is missing; see kernel.pev_paranoid
 * - %-EBADMSG: what an earlier boot left can't be read
 * - %-EBUSY: the counters, or the processor's mark, are in use; so is a client's channel, or the
 *   memory that outlives a crash
 * - %-EEXIST: that memory has what an earlier boot left
 * - %-EBADF: channel_fd, group_fd, a cgroup's or a probe's fd: not open
 * - %-EINTR: a fatal signal ended a long walk over tasks
 * - %-EFAULT: an address can't be read or written
 * - %-EINVAL: a member's value
 * - %-EMFILE, %-ENFILE: no fd left; %-EMFILE, too: you listen to marks by too many events
 * - %-ENODEV: a CPU of the mask is not online, or there is no PMU, or none of
 *   that number
 * - %-ENOENT: no such tracepoint, marker, or function to probe; no such client; no earlier boot
 *   left anything
 * - %-ENOMEM: no memory
 * - %-ENOSPC: the channel or table has no event id left, or the task counts too many events; the
 *   memory that outlives a crash is too small
 * - %-EOPNOTSUPP: this machine or source can't do that, or the channel is a client's
 * - %-EPERM: RLIMIT_MEMLOCK, or the kernel is locked down
 * - %-ESRCH: no such task, or it has exited
 *
 * and, in the buffer that refusal names, why.
 */
long pev_open(const struct pev_attr __user *uattr, size_t size, u32 flags)
{
	struct pev_refuse r = {};
	struct pev_attr attr;
	int ret;

	if (size < PEV_ATTR_SIZE_VER0)
		return -EINVAL;
	if (size > PAGE_SIZE)
		return -E2BIG;
	ret = copy_struct_from_user(&attr, sizeof(attr), uattr, size);
	if (ret == -E2BIG)
		return refuse_size(uattr, size, &r);
	if (ret)
		return ret;
	ret = do_open(&attr, flags, &r);
	PEV_MARK(pev_api, open, "type %u target %u flags %llx result %d", attr.type, attr.target,
		 attr.flags, ret);
	if (ret >= 0)
		return ret;
	return pev_refusal(&r, ret, attr.refusal, attr.refusal_size);
}
