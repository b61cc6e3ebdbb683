// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the channels of kernel code: their names, their events, and who reads them inside the
 * kernel. Must not know what a record means.
 *
 * Locks: pev_clients_lock has the list; a client's @lock has its events and its reader. In this
 * order, and before those of events and channels. Writers take none.
 */
#define pr_fmt(fmt) "pev: " fmt

#include <linux/bits.h>
#include <linux/cleanup.h>
#include <linux/export.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/pev_channel.h>
#include <linux/pev_refuse.h>
#include <linux/pid_namespace.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include "base/strbuf.h"
#include "base/work.h"
#include "channel/channel.h"
#include "event/event.h"
#include "record/layout.h"
#include "record/payload.h"
#include "record/sample.h"
#include "types.h"
#include "client.h"
#include "merge.h"
#include "misuse.h"
#include "object.h"

#define DEFAULT_RING SZ_256K
#define DEFAULT_PERIOD 100

/* A writer that takes longer between reserve and commit has forgotten one of them. */
#define PATIENCE HZ

DEFINE_MUTEX(pev_clients_lock); /* see above */
LIST_HEAD(pev_clients);
static bool ready;

static bool is_private(const struct pev_client *client)
{
	return client->desc.flags & PEV_CLIENT_PRIVATE;
}

/* ---- reading ---- */

/* Return: false if a record that is not committed holds up those behind it. */
static bool begin_pass(struct pev_client *client)
{
	if (pev_merge_begin(&client->merge) >= nr_cpu_ids)
		return true;
	pev_client_misused(client, MISUSE_UNCOMMITTED);
	return false;
}

/* Inlined, with @consume: most of what a record costs would be calls. */
static __always_inline long
read_records(struct pev_client *client,
	     bool (*consume)(const struct pev_client_record *record, void *data), void *data)
{
	struct pev_client_record record;
	long nr = 0;

	lockdep_assert_held(&client->lock);
	while (pev_merge_next(&client->merge, &record)) {
		nr++;
		if (!consume(&record, data))
			break;
		if (need_resched())
			cond_resched();
	}
	client->nr_read += nr;
	if (client->merge.broken)
		pev_client_misused(client, MISUSE_OVERLONG);
	return nr;
}

static __always_inline bool consume_one(const struct pev_client_record *record, void *data)
{
	struct pev_client *client = data;

	client->desc.consume(record, client->desc.data);
	return true;
}

/* Give @consume of the descriptor all that there is. Return: as begin_pass(). */
static bool deliver(struct pev_client *client)
{
	bool whole = begin_pass(client);

	read_records(client, consume_one, client);
	return whole;
}

long pev_client_read(struct pev_client *client,
		     bool (*consume)(const struct pev_client_record *record, void *data),
		     void *data)
{
	if (!is_private(client) || client->desc.consume)
		return -EINVAL;
	guard(mutex)(&client->lock);
	begin_pass(client);
	return read_records(client, consume, data);
}
EXPORT_SYMBOL_GPL(pev_client_read);

const char *pev_client_event_name(const struct pev_client_event *ce)
{
	return ce->event->name;
}
EXPORT_SYMBOL_GPL(pev_client_event_name);

struct pev_event *pev_client_event_of(const struct pev_client_event *ce)
{
	return ce->event;
}

const struct pev_trace_clock *pev_client_clock(const struct pev_client *client)
{
	return &client->channel->clock;
}

u64 pev_client_lost(struct pev_client *client)
{
	struct pev_client_event *ce;
	u64 lost = 0;

	guard(mutex)(&client->lock);
	list_for_each_entry(ce, &client->events, node)
		lost += pev_client_stat(ce).lost;
	return lost;
}

bool pev_client_unread(struct pev_client *client)
{
	struct pev_client_event *ce;
	u64 written = 0;

	guard(mutex)(&client->lock);
	list_for_each_entry(ce, &client->events, node)
		written += pev_client_stat(ce).written;
	return written != client->nr_read;
}

wait_queue_head_t *pev_client_queue(struct pev_client *client)
{
	return &client->channel->wait;
}

static bool readable(const struct pev_channel *channel)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		struct pev_ring *ring = READ_ONCE(channel->rings[cpu]);

		if (ring && pev_ring_readable(ring))
			return true;
	}
	return false;
}

int pev_client_wait(struct pev_client *client, unsigned long timeout)
{
	long left = wait_event_interruptible_timeout(client->channel->wait,
						     readable(client->channel), timeout);

	return min(left, 0L);
}

static void queue_work_in(struct pev_client *client, unsigned long delay)
{
	mod_delayed_work(pev_wq, &client->work, delay);
}

static void consumer(struct work_struct *work)
{
	struct pev_client *client = container_of(to_delayed_work(work), struct pev_client, work);
	bool whole;

	scoped_guard(mutex, &client->lock) whole = deliver(client);
	/* before the look: a wake-up from here on queues it again */
	queue_work_in(client, msecs_to_jiffies(client->desc.period_ms));
	/*
	 * A wake-up meanwhile was for what is still there, and is not told again. All that was
	 * there when the pass began is delivered, unless it is held up: that stays readable, and
	 * each pass waits for it.
	 */
	if (whole && readable(client->channel))
		queue_work_in(client, 0);
}

/* A ring has its watermark's worth, or is full. */
static int wake_consumer(wait_queue_entry_t *entry, unsigned int mode, int sync, void *key)
{
	queue_work_in(container_of(entry, struct pev_client, entry), 0);
	return 0;
}

/* ---- events ---- */

static const struct pev_payload_desc *desc_of(const struct pev_event *event)
{
	return ((struct pev_client_event *)event->private)->desc;
}

static void client_fields(struct pev_event *event, struct pev_strbuf *text)
{
	pev_payload_tsdl(desc_of(event), text);
}

static void client_layout(struct pev_event *event, struct pev_layout *layout)
{
	pev_payload_layout(desc_of(event), layout);
}

/* Not in the table of sources: only a client has such an event. */
static const struct pev_source_ops client_ops = {
	.type = "client",
	.fields = client_fields,
	.layout = client_layout,
};

static void event_free(struct pev_event *event)
{
	free_percpu(event->percpu);
	kfree(event->name);
	kfree(event);
}

static struct pev_event *event_alloc(struct pev_client_event *ce)
{
	struct pev_event *event = kzalloc(sizeof(*event), GFP_KERNEL);
	unsigned int cpu;

	if (!event)
		return NULL;
	event->name = kstrdup(ce->desc->name, GFP_KERNEL);
	event->percpu = alloc_percpu(struct pev_event_cpu);
	if (!event->name || !event->percpu) {
		event_free(event);
		return NULL;
	}
	event->rings = event->percpu;
	for_each_possible_cpu(cpu)
		per_cpu_ptr(event->percpu, cpu)->event = event;
	event->ops = &client_ops;
	event->private = ce;
	event->period = 1;
	event->body = sizeof(u32);
	event->sample = PEV_SAMPLE_TID;
	event->simple = true;
	event->pid_ns = &init_pid_ns;
	return event;
}

/* The record that its client writes. */
static int make_event(struct pev_client_event *ce, struct pev_refuse *r)
{
	int err;

	ce->event = event_alloc(ce);
	if (!ce->event)
		return -ENOMEM;
	err = pev_channel_add_event(ce->client->channel, ce->event, r);
	if (err)
		event_free(ce->event);
	return err;
}

/* What the kernel asks for, with the rights that it has. */
static struct pev_event *open_event(struct pev_client *client, u32 type, const char *name,
				    const char *filter, struct pev_refuse *r)
{
	struct pev_request req = {
		.attr = {
			.type = type, .target = PEV_TARGET_CPUS, .flags = PEV_F_DISABLED,
			.sample = PEV_SAMPLE_TID, .period = 1, .group_fd = -1,
		},
		.name = kstrdup(name, GFP_KERNEL),
		.filter = filter ? kstrdup(filter, GFP_KERNEL) : NULL,
		.channel = client->channel,
		.kernel = true,
	};
	struct pev_event *event = ERR_PTR(-ENOMEM);

	if (req.name && (req.filter || !filter))
		event = pev_event_create(&req, r);
	kfree(req.name);
	kfree(req.filter);
	return event;
}

/* A tracepoint or, if there is none of that name, a marker. */
static int find_event(struct pev_client_event *ce, const char *name, const char *filter,
		      struct pev_refuse *r)
{
	struct pev_refuse first = {};
	struct pev_event *event;

	event = open_event(ce->client, PEV_TYPE_TRACEPOINT, name, filter, &first);
	if (event == ERR_PTR(-ENOENT)) {
		event = open_event(ce->client, PEV_TYPE_MARKER, name, filter, r);
		if (event == ERR_PTR(-ENOENT))
			pev_refuse(r, ENOENT, PEV_FIELD(name),
				   "there is no tracepoint or marker \"%.100s\"", name);
	} else {
		*r = first;
	}
	if (IS_ERR(event))
		return PTR_ERR(event);
	ce->event = event;
	return 0;
}

/* Undo make_event() or find_event(). */
static void drop_event(struct pev_client_event *ce)
{
	if (ce->desc) {
		pev_channel_forget_event(ce->client->channel, ce->event);
		pev_channel_put(ce->client->channel);
		event_free(ce->event);
	} else {
		pev_event_close(ce->event);
	}
}

/* Its records can be read from here on. */
static int list_event(struct pev_client_event *ce)
{
	int err = 0;

	if (is_private(ce->client))
		err = pev_merge_add(&ce->client->merge, ce->event, ce);
	if (err)
		return err;
	list_add_tail(&ce->node, &ce->client->events);
	return 0;
}

static struct pev_client_event *ce_alloc(struct pev_client *client,
					 const struct pev_payload_desc *desc)
{
	struct pev_client_event *ce = kzalloc(sizeof(*ce), GFP_KERNEL);

	if (!ce)
		return NULL;
	ce->client = client;
	ce->desc = desc;
	ce->least = desc ? desc->size : NOT_WRITTEN;
	return ce;
}

/* Tell the log; what has no sentence of its own has an error's number. */
static void *refused(const char *name, const char *what, int err, const struct pev_refuse *r)
{
	if (r->error)
		pr_warn("client %s %s: %s\n", name, what, r->text);
	else
		pr_warn("client %s %s: error %d\n", name, what, -err);
	return ERR_PTR(err);
}

/* It is to stand in metadata and in messages. */
static int check_name(const char *name, struct pev_refuse *r)
{
	if (name && pev_is_label(name) && strlen(name) < PEV_MAX_NAME)
		return 0;
	return pev_refuse(r, EINVAL, PEV_FIELD(name),
			  "a name is of up to %u letters without blanks and quotes",
			  PEV_MAX_NAME - 1);
}

/* One event of a name in a channel: readers could not tell which is which. */
static int check_event(struct pev_client *client, const struct pev_payload_desc *desc,
		       struct pev_refuse *r)
{
	struct pev_client_event *other;

	int err = check_name(desc->name, r);

	if (err)
		return err;
	list_for_each_entry(other, &client->events, node)
		if (!strcmp(other->event->name, desc->name))
			return pev_refuse(r, EEXIST, PEV_FIELD(name),
					  "the channel has an event \"%s\" already", desc->name);
	return 0;
}

struct pev_client_event *pev_client_add(struct pev_client *client,
					const struct pev_payload_desc *desc)
{
	struct pev_client_event *ce;
	struct pev_refuse r = {};
	int err;

	guard(mutex)(&client->lock);
	err = check_event(client, desc, &r);
	if (err)
		return refused(client->desc.name, "can't add an event", err, &r);
	ce = ce_alloc(client, desc);
	if (!ce)
		return ERR_PTR(-ENOMEM);
	err = make_event(ce, &r);
	if (err)
		goto err_free;
	err = list_event(ce);
	if (!err)
		return ce;
	drop_event(ce);
err_free:
	kfree(ce);
	return refused(client->desc.name, "can't add an event", err, &r);
}
EXPORT_SYMBOL_GPL(pev_client_add);

struct pev_client_event *pev_client_listen(struct pev_client *client, const char *name,
					   const char *filter, struct pev_refuse *to)
{
	struct pev_refuse r = {};
	struct pev_client_event *ce;
	int err;

	guard(mutex)(&client->lock);
	ce = ce_alloc(client, NULL);
	if (!ce)
		return ERR_PTR(-ENOMEM);
	err = find_event(ce, name, filter, &r);
	if (err)
		goto err_free;
	err = list_event(ce);
	if (!err) {
		pev_event_switch_on(ce->event);
		return ce;
	}
	drop_event(ce);
err_free:
	kfree(ce);
	if (!to)
		return refused(client->desc.name, "can't listen", err, &r);
	*to = r;
	return ERR_PTR(err);
}
EXPORT_SYMBOL_GPL(pev_client_listen);

/* ---- channels ---- */

struct pev_client *pev_client_find(const char *name)
{
	struct pev_client *client;

	lockdep_assert_held(&pev_clients_lock);
	list_for_each_entry(client, &pev_clients, node)
		if (!strcmp(client->desc.name, name))
			return client;
	return NULL;
}

static int check_desc(const struct pev_client_desc *desc, struct pev_refuse *r)
{
	const u32 flags = PEV_CLIENT_PRIVATE | PEV_CLIENT_OVERWRITE;
	int err = check_name(desc->name, r);

	if (err)
		return err;
	if (desc->flags & ~flags)
		return pev_refuse(r, EINVAL, PEV_FIELD(flags), "flags has unknown bits: 0x%x",
				  desc->flags & ~flags);
	if (desc->consume && !(desc->flags & PEV_CLIENT_PRIVATE))
		return pev_refuse(r, EINVAL, PEV_FIELD(flags),
				  "consume goes with PEV_CLIENT_PRIVATE: a channel has one reader");
	return 0;
}

static void client_free(struct pev_client *client)
{
	struct pev_client_event *ce, *next;

	list_for_each_entry(ce, &client->events, node)
		drop_event(ce);
	/* the events that the client listened to go a little later, with their references */
	pev_client_misuse_sync(client);
	list_for_each_entry_safe(ce, next, &client->events, node)
		kfree(ce);
	if (is_private(client))
		pev_merge_exit(&client->merge);
	if (client->channel)
		pev_channel_put(client->channel);
	kfree(client->desc.name);
	mutex_destroy(&client->lock);
	kfree(client);
}

static struct pev_client *client_alloc(const struct pev_client_desc *desc, struct module *owner)
{
	struct pev_client *client = kzalloc(sizeof(*client), GFP_KERNEL);

	if (!client)
		return NULL;
	client->desc = *desc;
	client->desc.name = kstrdup(desc->name, GFP_KERNEL);
	if (!client->desc.name) {
		kfree(client);
		return NULL;
	}
	client->desc.period_ms = desc->period_ms ?: DEFAULT_PERIOD;
	client->owner = owner;
	mutex_init(&client->lock);
	pev_merge_prepare(&client->merge);
	INIT_LIST_HEAD(&client->events);
	INIT_DELAYED_WORK(&client->work, consumer);
	init_waitqueue_func_entry(&client->entry, wake_consumer);
	pev_client_misuse_init(client);
	return client;
}

static int open_channel(struct pev_client *client, struct pev_refuse *r)
{
	const struct pev_client_desc *asked = &client->desc;
	const struct pev_channel_desc desc = {
		.flags = asked->flags & PEV_CLIENT_OVERWRITE ? PEV_CHF_OVERWRITE : 0,
		.ring_size = asked->ring_size ?: DEFAULT_RING,
		.packet_size = asked->packet_size,
		.flush_ms = asked->period_ms,
		.patience = PATIENCE,
	};
	struct pev_channel *channel = pev_channel_create(&desc, r);

	if (IS_ERR(channel))
		return PTR_ERR(channel);
	client->channel = channel;
	return is_private(client) ? pev_merge_init(&client->merge, channel) : 0;
}

/* Enter the name, so that no other one takes it. */
static int enlist(struct pev_client *client, struct pev_refuse *r)
{
	struct pev_client *other;

	guard(mutex)(&pev_clients_lock);
	if (!ready)
		return pev_refuse(r, ENODEV, PEV_NO_FIELD,
				  "pev is not ready: create channels from late_initcall on");
	other = pev_client_find(client->desc.name);
	if (other)
		return pev_refuse(r, EEXIST, PEV_FIELD(name),
				  "%s has a channel of that name already",
				  other->owner ? module_name(other->owner) : "the kernel");
	list_add_tail(&client->node, &pev_clients);
	return 0;
}

static void begin_to_consume(struct pev_client *client)
{
	if (!client->desc.consume)
		return;
	add_wait_queue(&client->channel->wait, &client->entry);
	queue_work_in(client, msecs_to_jiffies(client->desc.period_ms));
}

static void end_consuming(struct pev_client *client)
{
	if (!client->desc.consume)
		return;
	remove_wait_queue(&client->channel->wait, &client->entry);
	cancel_delayed_work_sync(&client->work);
}

struct pev_client *__pev_client_create(const struct pev_client_desc *desc, struct module *owner)
{
	struct pev_client *client;
	struct pev_refuse r = {};
	int err;

	err = check_desc(desc, &r);
	if (err)
		return refused(owner ? module_name(owner) : "of the kernel", "gets no channel", err,
			       &r);
	client = client_alloc(desc, owner);
	if (!client)
		return ERR_PTR(-ENOMEM);
	err = open_channel(client, &r);
	err = err ?: enlist(client, &r);
	if (!err) {
		begin_to_consume(client);
		return client;
	}
	refused(client->desc.name, "gets no channel", err, &r);
	client_free(client);
	return ERR_PTR(err);
}
EXPORT_SYMBOL_GPL(__pev_client_create);

/* The last look, with what @consume can still be given if there is one. */
static void look_back(struct pev_client *client, bool consume)
{
	guard(mutex)(&client->lock);
	if (consume && client->desc.consume)
		deliver(client);
	else if (pev_channel_flush(client->channel) < nr_cpu_ids)
		pev_client_misused(client, MISUSE_UNCOMMITTED);
}

static void client_end(struct pev_client *client, bool consume)
{
	end_consuming(client);
	/* writers that are inside end: what they see goes only then */
	synchronize_rcu();
	look_back(client, consume);
	client_free(client);
}

void pev_client_destroy(struct pev_client *client)
{
	if (IS_ERR_OR_NULL(client))
		return;
	if (current_work() == &client->work.work) {
		pr_err("client %s destroys its channel while it is given records: it stays\n",
		       client->desc.name);
		return;
	}
	scoped_guard(mutex, &pev_clients_lock) list_del(&client->node);
	client_end(client, true);
}
EXPORT_SYMBOL_GPL(pev_client_destroy);

/* ---- modules ---- */

#ifdef CONFIG_MODULES
/* Return: a channel that @owner left behind, taken off the list; or NULL. */
static struct pev_client *take_left(const struct module *owner)
{
	struct pev_client *client;

	guard(mutex)(&pev_clients_lock);
	list_for_each_entry(client, &pev_clients, node) {
		if (client->owner != owner)
			continue;
		list_del(&client->node);
		return client;
	}
	return NULL;
}

static int module_changes(struct notifier_block *nb, unsigned long what, void *module)
{
	struct pev_client *client;

	if (what != MODULE_STATE_GOING)
		return NOTIFY_DONE;
	while ((client = take_left(module))) {
		pr_warn("client %s was not destroyed when its module %s went: it is now\n",
			client->desc.name, module_name(module));
		client_end(client, false);
	}
	return NOTIFY_DONE;
}

static struct notifier_block module_notifier = {
	.notifier_call = module_changes,
};

static int __init watch_modules(void)
{
	return register_module_notifier(&module_notifier);
}

static void __pev_teardown unwatch_modules(void)
{
	unregister_module_notifier(&module_notifier);
}
#else
static int __init watch_modules(void)
{
	return 0;
}

static void __pev_teardown unwatch_modules(void)
{
}
#endif

int __init pev_clients_setup(void)
{
	int err = watch_modules();

	scoped_guard(mutex, &pev_clients_lock)
		ready = !err;
	return err;
}

void __pev_teardown pev_clients_teardown(void)
{
	unwatch_modules();
}
