// SPDX-License-Identifier: GPL-2.0
/*
 * Owns markers: the places in the source, what they share by name, and the
 * events and functions that listen. The format's meaning is marker/format.c's,
 * how functions are called functions.c's.
 *
 * A marker lives as long as there is a place, an event or a function of its name. A module
 * may therefore go while events listen to its markers: they see nothing more
 * until it comes back with the same format.
 *
 * Locks: pev_control (events), then markers_lock, which protects the list, the
 * ranges and all members of markers. A marker that fires takes no lock: it
 * reads @hooks and @functions under preemption disabled.
 */
#define pr_fmt(fmt) "pev: " fmt

#include <linux/context_tracking.h>
#include <linux/export.h>
#include <linux/module.h>
#include <linux/pev_marker.h>
#include <linux/pev_refuse.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "base/strbuf.h"
#include "base/work.h"
#include "glue/marks.h"
#include "source/list.h"
#include "source/trace/fields.h"
#include "source/trace/filter.h"
#include "source/trace/tracepoint.h"
#include "format.h"
#include "functions.h"
#include "marker.h"

/**
 * struct hooks - the events on a marker
 * @rcu:   freed when no marker can be inside
 * @nr:    number of them
 * @trace: the events, NULL behind the last
 */
struct hooks {
	struct rcu_head		rcu;
	unsigned int		nr;
	struct pev_trace	*trace[];
};

/**
 * struct pev_marker - what all places of one name share
 * @node:   in the list of markers
 * @rcu:    freed when no place can be inside
 * @places: in the source, of modules that are loaded
 * @events: that are open
 * @name:   "subsystem:event"
 * @format: of all places
 * @fields: as those of a trace event, for filters and descriptions
 * @layout: of the record
 * @hooks:  the events; NULL: none
 * @functions: those of the kernel; NULL: none
 */
struct pev_marker {
	struct list_head		node;
	struct rcu_head			rcu;
	unsigned int			places;
	unsigned int			events;
	char				*name;
	char				*format;
	struct pev_field		fields[PEV_MARKER_ARGS + 1];
	struct pev_marker_layout		layout;
	struct hooks __rcu		*hooks;
	struct pev_functions __rcu	*functions;
};

/* A range of marker places: the kernel's own, or a module's. */
struct place_range {
	struct list_head	node;
	struct pev_marks	marks;
};

static DEFINE_MUTEX(markers_lock);
static LIST_HEAD(markers);
static LIST_HEAD(ranges);

/* --- a marker fires ------------------------------------------------------ */

static const char *text_of(u64 arg)
{
	return arg ? (const char *)(unsigned long)arg : EVENT_NULL_STR;
}

/* Return: bytes of all strings; @lens receives each one's. */
static u32 measure(const struct pev_marker_layout *layout, const u64 *args, u16 *lens)
{
	u32 sum = 0;

	for (u32 i = 0; i < layout->nr; i++) {
		const struct pev_marker_arg *arg = &layout->args[i];

		if (arg->kind != PEV_MARKER_TEXT)
			continue;
		lens[i] = strnlen(text_of(args[i]), arg->limit - 1) + 1;
		sum += lens[i];
	}
	return sum;
}

static void put_text(void *entry, const struct pev_marker_arg *arg, u16 at, u16 len,
		     const char *text)
{
	struct trace_dynamic_info *where = entry + arg->offset;
	char *to = entry + at;
	u16 end;

	where->offset = at;
	where->len = len;
	memcpy(to, text, len - 1);
	to[len - 1] = '\0';
	/* the string may have been cut meanwhile: clear what follows its end */
	end = strlen(to);
	memset(to + end, 0, len - end);
}

static void put_number(void *to, u8 kind, u64 arg)
{
	if (kind == PEV_MARKER_WORD)
		*(u64 *)to = arg;
	else if (kind == PEV_MARKER_INT)
		*(u32 *)to = arg;
	else if (kind == PEV_MARKER_SHORT)
		*(u16 *)to = arg;
	else
		*(u8 *)to = arg;
}

static noinline void record_text(struct pev_trace *trace,
				 const struct pev_marker_layout *layout,
				 const u64 *args, unsigned long ip)
{
	u32 size = layout->size, at = layout->size;
	struct pev_trace_record record;
	u16 lens[PEV_MARKER_ARGS];

	size += measure(layout, args, lens);
	record = pev_trace_begin(&trace->hook, size, ip);
	if (!record.entry)
		return;
	for (u32 i = 0; i < layout->nr; i++) {
		const struct pev_marker_arg *arg = &layout->args[i];

		if (arg->kind != PEV_MARKER_TEXT) {
			put_number(record.entry + arg->offset, arg->kind, args[i]);
		} else {
			put_text(record.entry, arg, at, lens[i], text_of(args[i]));
			at += lens[i];
		}
	}
	pev_trace_end(record.token);
}

static noinline void record_numbers(struct pev_trace *trace,
				    const struct pev_marker_layout *layout,
				    const u64 *args, unsigned long ip)
{
	struct pev_trace_record record;

	record = pev_trace_begin(&trace->hook, layout->size, ip);
	if (!record.entry)
		return;
	for (u32 i = 0; i < layout->nr; i++)
		put_number(record.entry + layout->args[i].offset, layout->args[i].kind,
			   args[i]);
	pev_trace_end(record.token);
}

/* The common case, inlined: words only, no filter, a simple context. */
static __always_inline void record_words(struct pev_trace *trace,
					 const struct pev_marker_layout *layout,
					 const u64 *args, unsigned long ip)
{
	struct pev_event *event = trace->event;
	struct pev_event_cpu *ec = this_cpu_ptr(event->percpu);
	u64 *to;

	if (unlikely(READ_ONCE(event->gate) || !event->simple)) {
		record_numbers(trace, layout, args, ip);
		return;
	}
	if (!pev_event_hit(event, ec, 1))
		return;
	to = pev_sample_begin_simple(event, ec, layout->nr * sizeof(u64));
	if (unlikely(!to))
		return;
	for (u32 i = 0; i < layout->nr; i++)
		to[i] = args[i] & layout->masks[i];
	pev_ring_commit(ec->ring);
}

static __always_inline void record(const struct pev_marker *marker, const struct hooks *hooks,
				   const u64 *args, unsigned long ip)
{
	for (struct pev_trace *const *trace = hooks->trace; *trace; trace++) {
		if (!pev_trace_running(&(*trace)->hook))
			continue;
		if (likely(marker->layout.words))
			record_words(*trace, &marker->layout, args, ip);
		else if (marker->layout.text)
			record_text(*trace, &marker->layout, args, ip);
		else
			record_numbers(*trace, &marker->layout, args, ip);
	}
}

static noinline void call_functions(const struct pev_marker *marker,
				    const struct pev_functions *functions, const u64 *args,
				    unsigned long ip)
{
	const struct pev_marker_hit hit = {
		.name = marker->name, .ip = ip, .nr = marker->layout.nr, .args = args,
	};

	pev_functions_call(functions, &hit);
}

/**
 * pev_marker_fire() - fire a marker that may be on
 * @mark: the place
 * @args: a word for each argument of its format
 *
 * Context: Any. Does nothing where RCU is not watching.
 */
void pev_marker_fire(struct pev_mark *mark, const u64 *args)
{
	struct pev_functions *functions;
	struct pev_marker *marker;
	struct hooks *hooks;

	preempt_disable_notrace();
	if (unlikely(!rcu_is_watching_curr_cpu()))
		goto out;
	/* the key of a place without a marker is never enabled */
	marker = READ_ONCE(mark->marker);
	hooks = rcu_dereference_sched(marker->hooks);
	if (likely(hooks))
		record(marker, hooks, args, _RET_IP_);
	/* read late: a register less to keep over the record */
	functions = rcu_dereference_sched(marker->functions);
	if (unlikely(functions))
		call_functions(marker, functions, args, _RET_IP_);
out:
	preempt_enable_notrace();
}
EXPORT_SYMBOL_GPL(pev_marker_fire);

/* --- markers by name ----------------------------------------------------- */

static struct pev_marker *find_marker(const char *name)
{
	struct pev_marker *marker;

	lockdep_assert_held(&markers_lock);
	list_for_each_entry(marker, &markers, node) {
		if (!strcmp(marker->name, name))
			return marker;
	}
	return NULL;
}

static void make_fields(struct pev_marker *marker)
{
	for (u32 i = 0; i < marker->layout.nr; i++) {
		struct pev_marker_arg *arg = &marker->layout.args[i];

		marker->fields[i] = (struct pev_field){
			.name = arg->name, .type = arg->type, .offset = arg->offset,
			.size = arg->size, .len = arg->letter, .sign = arg->sign,
		};
	}
}

static void free_marker(struct pev_marker *marker)
{
	kfree(marker->name);
	kfree(marker->format);
	kfree(marker);
}

static void free_marker_rcu(struct rcu_head *rcu)
{
	free_marker(container_of(rcu, struct pev_marker, rcu));
}

static struct pev_marker *make_marker(const struct pev_mark *mark)
{
	struct pev_marker *marker;
	const char *wrong;

	marker = kzalloc(sizeof(*marker), GFP_KERNEL);
	if (!marker)
		return NULL;
	marker->name = kstrdup(mark->name, GFP_KERNEL);
	marker->format = kstrdup(mark->format, GFP_KERNEL);
	if (!marker->name || !marker->format)
		goto err_free;
	wrong = pev_marker_parse(mark->format, &marker->layout);
	if (wrong) {
		pr_warn("marker %s: \"%s\" has %s\n", mark->name, mark->format, wrong);
		goto err_free;
	}
	make_fields(marker);
	list_add_tail(&marker->node, &markers);
	return marker;

err_free:
	free_marker(marker);
	return NULL;
}

static void put_marker(struct pev_marker *marker)
{
	lockdep_assert_held(&markers_lock);
	if (marker->places || marker->events || rcu_access_pointer(marker->functions))
		return;
	list_del(&marker->node);
	call_rcu(&marker->rcu, free_marker_rcu);
}

/* --- places -------------------------------------------------------------- */

static bool listened(struct pev_marker *marker)
{
	return rcu_access_pointer(marker->hooks) || rcu_access_pointer(marker->functions);
}

static void add_place(struct pev_mark *mark)
{
	struct pev_marker *marker = find_marker(mark->name);

	if (marker && strcmp(marker->format, mark->format)) {
		pr_warn("marker %s: \"%s\" differs from \"%s\" elsewhere\n", mark->name,
			mark->format, marker->format);
		return;
	}
	if (!marker)
		marker = make_marker(mark);
	if (!marker)
		return;
	marker->places++;
	WRITE_ONCE(mark->marker, marker);
	if (listened(marker))
		static_branch_enable(&mark->key);
}

static void remove_place(struct pev_mark *mark)
{
	struct pev_marker *marker = mark->marker;

	if (!marker)
		return;
	WRITE_ONCE(mark->marker, NULL);
	marker->places--;
	put_marker(marker);
}

static int add_places(struct pev_marks marks)
{
	struct place_range *range;

	if (marks.begin == marks.end)
		return 0;
	range = kzalloc(sizeof(*range), GFP_KERNEL);
	if (!range)
		return -ENOMEM;
	range->marks = marks;
	guard(mutex)(&markers_lock);
	list_add_tail(&range->node, &ranges);
	for (struct pev_mark *mark = marks.begin; mark < marks.end; mark++)
		add_place(mark);
	return 0;
}

/* Switch the branches of all places of @marker. */
static void switch_places(struct pev_marker *marker, bool on)
{
	struct pev_mark *mark;
	struct place_range *range;

	lockdep_assert_held(&markers_lock);
	list_for_each_entry(range, &ranges, node) {
		for (mark = range->marks.begin; mark < range->marks.end; mark++) {
			if (mark->marker != marker)
				continue;
			if (on)
				static_branch_enable(&mark->key);
			else
				static_branch_disable(&mark->key);
		}
	}
}

/* --- functions ----------------------------------------------------------- */

static struct pev_functions *functions_of(struct pev_marker *marker)
{
	return rcu_dereference_protected(marker->functions, lockdep_is_held(&markers_lock));
}

static void set_functions(struct pev_marker *marker, struct pev_functions *new)
{
	struct pev_functions *old = functions_of(marker);
	bool was = listened(marker);

	rcu_assign_pointer(marker->functions, new);
	if (listened(marker) != was)
		switch_places(marker, !was);
	if (old)
		kfree_rcu(old, rcu);
}

/* The marker may be gone afterwards. */
static void drop_functions(struct pev_marker *marker, const struct pev_function_choice *choice,
			   struct list_head *gone)
{
	struct pev_functions *old = functions_of(marker);
	struct pev_functions *new = pev_functions_without(old, choice, gone);

	if (new == old)
		return;
	set_functions(marker, new);
	put_marker(marker);
}

static void drop_everywhere(const struct pev_function_choice *choice)
{
	struct pev_marker *marker, *next;
	LIST_HEAD(gone);

	scoped_guard(mutex, &markers_lock) {
		list_for_each_entry_safe(marker, next, &markers, node)
			drop_functions(marker, choice, &gone);
	}
	pev_functions_free(&gone);
}

static void drop_slow(void)
{
	const struct pev_function_choice slow = { .slow = true, .why = "it takes too long" };

	drop_everywhere(&slow);
}

/**
 * pev_marker_connect() - call a function each time a marker is reached
 * @name: of the marker, "subsystem:event"
 * @fn:   the function
 * @data: for it
 *
 * Several functions may be on a marker, and a function on several, or on one with several
 * @data; events that listen are not affected. If the module of the marker goes, the
 * function stays connected, and is called again when it is back.
 *
 * A function that takes more than 250 us in the mean of its last calls on a CPU, each
 * counted as 1 ms at most, is not called any more: it is reported in the kernel log and
 * disconnected a moment later.
 *
 * Context: Process context, may sleep.
 * Return: 0; -ENOENT if neither the kernel nor a loaded module has the marker; -EEXIST if
 * @fn and @data are connected to it; -EINVAL if @fn is NULL; -ENOMEM.
 */
int pev_marker_connect(const char *name, pev_marker_fn fn, void *data)
{
	struct pev_functions *new;
	struct pev_marker *marker;

	if (!fn)
		return -EINVAL;
	guard(mutex)(&markers_lock);
	marker = find_marker(name);
	if (!marker || !marker->places)
		return -ENOENT;
	new = pev_functions_with(functions_of(marker), name, fn, data);
	if (IS_ERR(new))
		return PTR_ERR(new);
	set_functions(marker, new);
	return 0;
}
EXPORT_SYMBOL_GPL(pev_marker_connect);

/**
 * pev_marker_disconnect() - undo pev_marker_connect()
 * @name: as there
 * @fn:   as there
 * @data: as there
 *
 * When it returns, the function is not running and will not be called, whatever it
 * returns. A module does this before it goes; what it forgets is disconnected when it
 * is gone, and reported.
 *
 * Context: Process context, sleeps; not from a function on a marker.
 * Return: 0; -ENOENT if it was not connected, or had been disconnected as it took long.
 */
int pev_marker_disconnect(const char *name, pev_marker_fn fn, void *data)
{
	const struct pev_function_choice choice = { .fn = fn, .data = data };
	struct pev_marker *marker;
	int err = -ENOENT;
	LIST_HEAD(gone);

	scoped_guard(mutex, &markers_lock) {
		marker = find_marker(name);
		if (marker)
			drop_functions(marker, &choice, &gone);
	}
	if (!list_empty(&gone))
		err = 0;
	else
		/* the worker may have taken it just now, while it runs */
		synchronize_rcu();
	pev_functions_free(&gone);
	return err;
}
EXPORT_SYMBOL_GPL(pev_marker_disconnect);

/* --- modules come and go ------------------------------------------------- */

#ifdef CONFIG_MODULES
static void remove_places(struct pev_marks marks)
{
	struct pev_mark *mark;
	struct place_range *range;

	guard(mutex)(&markers_lock);
	list_for_each_entry(range, &ranges, node) {
		if (range->marks.begin != marks.begin)
			continue;
		for (mark = range->marks.begin; mark < range->marks.end; mark++)
			remove_place(mark);
		list_del(&range->node);
		kfree(range);
		return;
	}
}

static int module_changes(struct notifier_block *nb, unsigned long what, void *data)
{
	const struct pev_function_choice left = { .mod = data, .why = "its module goes" };

	if (what == MODULE_STATE_COMING)
		return notifier_from_errno(add_places(pev_marks_of(data)));
	if (what == MODULE_STATE_GOING) {
		remove_places(pev_marks_of(data));
		drop_everywhere(&left);
	}
	return NOTIFY_DONE;
}

/* Runs after the notifier of jump labels, which our keys depend on. */
static struct notifier_block module_notifier = {
	.notifier_call	= module_changes,
};

static int __init watch_modules(void)
{
	return register_module_notifier(&module_notifier);
}

/**
 * pev_markers_teardown() - forget all places
 *
 * Context: Process context; no event is open.
 */
void __pev_teardown pev_markers_teardown(void)
{
	struct place_range *range, *next;

	unregister_module_notifier(&module_notifier);
	list_for_each_entry_safe(range, next, &ranges, node)
		remove_places(range->marks);
	/* no place is inside, and no marker waits for its end */
	rcu_barrier();
	pev_functions_teardown();
}
#else
static int __init watch_modules(void)
{
	return 0;
}
#endif

/**
 * pev_markers_setup() - find the markers of the kernel, and watch for those of modules
 *
 * Context: Boot, before the first module is loaded.
 * Return: 0 or an error.
 */
int __init pev_markers_setup(void)
{
	int err = add_places(pev_marks_of_kernel());

	pev_functions_setup(drop_slow);
	return err ?: watch_modules();
}

/* --- events -------------------------------------------------------------- */

static struct pev_marker *to_marker(struct pev_event *event)
{
	return container_of(event->fields, struct pev_marker, fields[0]);
}

static struct pev_marker *get_marker(const char *name, struct pev_refuse *r)
{
	struct pev_marker *marker;

	guard(mutex)(&markers_lock);
	marker = find_marker(name);
	if (!marker || !marker->places)
		return ERR_PTR(pev_refuse(r, ENOENT, PEV_FIELD(name),
					  "there is no marker \"%.100s\" in the kernel or a loaded module",
					  name));
	marker->events++;
	return marker;
}

static void release_marker(struct pev_marker *marker)
{
	guard(mutex)(&markers_lock);
	marker->events--;
	put_marker(marker);
}

static int marker_open(struct pev_event *event, const struct pev_attr *attr,
		       struct pev_refuse *r)
{
	struct pev_marker *marker;
	int err;

	err = pev_trace_check_name(event, r);
	if (err)
		return err;
	marker = get_marker(event->name, r);
	if (IS_ERR(marker))
		return PTR_ERR(marker);
	err = pev_trace_create(event, marker->fields);
	if (err)
		release_marker(marker);
	return err;
}

static void marker_close(struct pev_event *event)
{
	struct pev_marker *marker = to_marker(event);

	pev_trace_destroy(event);
	release_marker(marker);
}

/* Replace the array by one with @add and without @remove. */
static int change_hooks(struct pev_marker *marker, struct pev_trace *add,
			struct pev_trace *remove)
{
	struct hooks *old, *new = NULL;
	bool was = listened(marker);
	unsigned int nr, i;

	old = rcu_dereference_protected(marker->hooks, lockdep_is_held(&markers_lock));
	nr = (old ? old->nr : 0) + !!add - !!remove;
	if (nr) {
		/* unhooking must not fail */
		new = kzalloc(struct_size(new, trace, nr + 1),
			      GFP_KERNEL | (remove ? __GFP_NOFAIL : 0));
		if (!new)
			return -ENOMEM;
		for (i = 0; old && i < old->nr; i++) {
			if (old->trace[i] != remove)
				new->trace[new->nr++] = old->trace[i];
		}
		if (add)
			new->trace[new->nr++] = add;
	}
	rcu_assign_pointer(marker->hooks, new);
	if (listened(marker) != was)
		switch_places(marker, !was);
	if (old)
		kfree_rcu(old, rcu);
	return 0;
}

static int marker_hook(struct pev_event *event, struct pev_refuse *r)
{
	guard(mutex)(&markers_lock);
	if (change_hooks(to_marker(event), event->private, NULL))
		return pev_refuse(r, ENOMEM, PEV_NO_FIELD, "no memory to connect the marker");
	return 0;
}

static void marker_unhook(struct pev_event *event)
{
	guard(mutex)(&markers_lock);
	change_hooks(to_marker(event), NULL, event->private);
}

/* --- the catalog --------------------------------------------------------- */

static void marker_catalog(struct pev_strbuf *text)
{
	struct pev_marker *marker;

	guard(mutex)(&markers_lock);
	list_for_each_entry(marker, &markers, node) {
		if (!marker->places)
			continue;
		pev_strbuf_printf(text, "marker %s ", marker->name);
		pev_fields_catalog(marker->fields, text);
		pev_strbuf_printf(text, "\n");
	}
}

static void marker_info(struct pev_info *info)
{
	struct pev_marker *marker;

	guard(mutex)(&markers_lock);
	list_for_each_entry(marker, &markers, node)
		info->nr_markers += !!marker->places;
}

static void marker_print(struct pev_event *event, struct trace_iterator *iter)
{
	struct pev_marker *marker = to_marker(event);

	trace_seq_printf(&iter->seq, "%s: ", strchr(marker->name, ':') + 1);
	pev_marker_print(marker->format, &marker->layout, iter->ent, &iter->seq);
	trace_seq_putc(&iter->seq, '\n');
}

const struct pev_source_ops pev_marker_source = {
	.type		= "marker",
	.attrs		= PEV_ATTR_NAME | PEV_ATTR_FILTER,
	.shows		= PEV_SHOWS_KERNEL_DATA,
	.unhook_late	= true,
	.open		= marker_open,
	.hook		= marker_hook,
	.unhook		= marker_unhook,
	.close		= marker_close,
	.fields		= pev_trace_fields,
	.layout		= pev_trace_layout,
	.print		= marker_print,
	.info		= marker_info,
	.catalog	= marker_catalog,
};
