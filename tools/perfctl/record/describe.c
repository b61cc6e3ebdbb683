// SPDX-License-Identifier: GPL-2.0
/* All of a recording but its packets. See describe.h. */
#include "describe.h"
#include "inventory/kinds.h"
#include "procs/state.h"
#include "base/text.h"
#include "base/version.h"
#include "event/engine.h"
#include "event/pmu_text.h"
#include "event/probe.h"
#include "kvm/guest_kernel.h"
#include "session/guest.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/auxv.h>

/* A place in a file is reached in user mode: where it is tells nothing of the kernel. */
static bool is_in_file(const struct planned_event *e)
{
	return e->probe && e->probe->head.fd > 0;
}

/* Are kernel addresses recorded, so that their symbols are needed? */
static bool wants_kallsyms(const struct recorder *r)
{
	const struct event_plan *plan = r->config.plan;

	for (size_t i = 0; i < plan->n; i++) {
		const struct planned_event *e = &plan->events[i];

		if (e->attr.sample & PEV_SAMPLE_KSTACK)
			return true;
		if ((r->config.fold || (e->attr.sample & PEV_SAMPLE_IP)) && !e->user_only &&
		    !is_in_file(e) && !(e->attr.flags & PEV_F_EXCLUDE_KERNEL))
			return true;
	}
	return false;
}

static int write_vdso(struct pev_writer *w)
{
	const char *vdso = (const char *)getauxval(AT_SYSINFO_EHDR); /* NOLINT */
	char *maps = vdso ? file_read("/proc/self/maps", NULL) : NULL;
	unsigned long start, end;
	char *line = maps;
	int err = 0;

	while (line && *line) {
		char *next = strchr(line, '\n');

		if (sscanf(line, "%lx-%lx", &start, &end) == 2 && start == (unsigned long)vdso &&
		    end > start && end - start < (1u << 20))
			err = pev_writer_info_file(w, "vdso", vdso, end - start);
		line = next ? next + 1 : NULL;
	}
	free(maps);
	return err;
}

/* Notes which registers samples carry, as a record has only their number. */
static int write_regs(const struct recorder *r, struct pev_writer *w)
{
	const struct event_plan *plan = r->config.plan;
	char mask[24];

	for (size_t i = 0; i < plan->n; i++) {
		if (!plan->events[i].attr.regs_user)
			continue;
		snprintf(mask, sizeof(mask), "0x%" PRIx64,
			 (uint64_t)plan->events[i].attr.regs_user);
		return pev_writer_info(w, "regs_user", mask);
	}
	return 0;
}

int describe_failed(const struct recorder *r, int err, struct msg *m)
{
	return msg_set(m, err == -EPIPE || err == -ETIMEDOUT ? -EIO : err, "%s: %s", r->config.path,
		       recorder_strerror(err));
}

static bool has_hardware(const struct event_plan *plan)
{
	for (size_t i = 0; i < plan->n; i++)
		if (plan->events[i].attr.type == PEV_TYPE_HARDWARE ||
		    plan->events[i].attr.type == PEV_TYPE_RAW)
			return true;
	return false;
}

/* What pev's own driver does not have is counted by perf's, whatever counts the rest. */
static const char *driver_of(const struct event_plan *plan, const char *driver)
{
	size_t by_perf = 0, others = 0;

	for (size_t i = 0; i < plan->n; i++) {
		const struct pev_attr *attr = &plan->events[i].attr;

		if (plan->events[i].refused || !event_is_hardware(&plan->events[i]))
			continue;
		if (attr->pmu || attr->flags & PEV_F_PRECISE_ALL)
			by_perf++;
		else
			others++;
	}
	if (!by_perf || !strcmp(driver, "perf"))
		return driver;
	return others ? "pev, perf" : "perf";
}

/* Notes by which driver the events count, which are open. */
static int write_driver(const struct recorder *r, struct pev_writer *w)
{
	struct pmu_text p;
	struct msg m;
	int err = 0;

	if (!engine_is_pev() || !r->set.plan || !has_hardware(r->set.plan) || pmu_text_read(&p, &m))
		return 0;
	if (*p.driver)
		err = pev_writer_info(w, "counters", driver_of(r->set.plan, p.driver));
	pmu_text_free(&p);
	return err;
}

int describe_text(struct recorder *r, struct strbuf *text, struct msg *m)
{
	char *of_channel;
	size_t len;
	int err = pev_engine_metadata(engine(), r->fd, &of_channel, &len);

	if (err)
		return msg_set(m, err, "reading the channel's metadata: %s", strerror(-err));
	strbuf_add(text, of_channel, len);
	free(of_channel);
	if (r->config.state)
		err = inventory_metadata(text);
	if (!err && r->config.fold)
		err = fold_metadata(&r->fold, text);
	if (!err)
		err = user_marks_metadata(&r->marks, text);
	return err ? msg_set(m, err, "metadata of tables and marks: %s", strerror(-err)) : 0;
}

int describe_metadata(struct recorder *r, struct pev_writer *w, struct pev_meta **meta,
		      struct msg *m)
{
	struct strbuf text = { 0 };
	struct pev_error e;
	int err = describe_text(r, &text, m);

	if (err) {
		strbuf_free(&text);
		return err;
	}
	err = pev_writer_metadata(w, text.s, text.len);
	if (err)
		err = describe_failed(r, err, m);
	if (!err && meta) {
		err = pev_meta_parse(text.s, text.len, 0, meta, &e);
		if (err)
			msg_set(m, err, "the channel's metadata: %s", e.text);
	}
	if (!err && meta && r->config.fold)
		err = fold_begin(&r->fold, w, text.s, text.len, m);
	if (!err && user_marks_described(&r->marks, text.s, text.len))
		err = msg_set(m, -EIO, "the metadata of programs' marks can't be read");
	strbuf_free(&text);
	return err;
}

static int write_target(const struct recorder *r, struct pev_writer *w)
{
	char *text;
	int err;

	if (!r->config.channel)
		return pev_writer_info(w, "target", r->config.target->text);
	text = xasprintf("the kernel's channel %s", r->config.channel);
	err = pev_writer_info(w, "target", text);
	free(text);
	return err;
}

/* The names of the guest's kernel, which only its root sees, and by what it is known again */
static int write_guest(const struct recorder *r, struct pev_writer *w, struct msg *m)
{
	const char *root = r->config.target ? r->config.target->guest_root : NULL;
	struct guest_kernel k;
	int err = root ? guest_kernel_mounted(&k, root, m) : 0;

	if (!root || err)
		return err;
	err = pev_writer_info_file(w, GUEST_KALLSYMS_FILE, k.symbols, k.len);
	if (!err)
		err = pev_writer_info(w, GUEST_BUILD_ID, k.id);
	guest_kernel_free(&k);
	return err ? describe_failed(r, err, m) : 0;
}

int describe_trace(struct recorder *r, struct pev_writer *w, struct pev_meta **out, struct msg *m)
{
	unsigned int flags = wants_kallsyms(r) ? PEV_SYSTEM_KALLSYMS | PEV_SYSTEM_MODULES : 0;
	struct pev_meta *meta = NULL;
	char pid[16];
	int err = describe_metadata(r, w, &meta, m);

	if (err)
		return err;
	err = pev_writer_system(w, flags);
	if (!err)
		err = pev_writer_info(w, "command", r->config.command);
	if (!err && r->config.command_pid) {
		snprintf(pid, sizeof(pid), "%d", r->config.command_pid);
		err = pev_writer_info(w, "command_pid", pid);
	}
	if (!err)
		err = write_regs(r, w);
	if (!err)
		err = write_target(r, w);
	if (!err)
		err = pev_writer_info(w, "tool", "perfctl " PERFCTL_VERSION);
	if (!err)
		err = pev_writer_info(w, "engine", pev_engine_name(engine()));
	if (!err && !pev_engine_exact_losses(engine()))
		err = pev_writer_info(w, "losses", "at least");
	if (!err && r->config.waits)
		err = pev_writer_info(w, "purpose", "waits");
	if (!err)
		err = write_driver(r, w);
	if (!err)
		err = write_vdso(w);
	err = err ? describe_failed(r, err, m) : write_guest(r, w, m);
	if (!err && out)
		*out = meta;
	else
		pev_meta_free(meta);
	return err;
}
