// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The engine of a kernel that has pev: handles are its descriptors, and every
 * function is a call.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "core/compiler.h"
#include "core/error.h"
#include "engine/pev.h"

static void release(struct pev_engine *engine)
{
	free(engine);
}

static int info(struct pev_engine *engine, struct pev_info *to, struct pev_error *err)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_INFO,
		.info = (uintptr_t)to,
		.info_size = sizeof(*to),
	};

	(void)engine;
	memset(to, 0, sizeof(*to));
	return pev_attr_open(&attr, 0, err);
}

static int catalog(struct pev_engine *engine, struct pev_catalog **to, struct pev_error *err)
{
	(void)engine;
	return pev_catalog_read(0, to, err);
}

/* The kernel's catalog has them all. */
static int fields(struct pev_engine *engine, const struct pev_catalog_entry *entry, char **to,
		  struct pev_error *err)
{
	(void)engine;
	*to = strdup(entry->fields);
	return *to ? 0 : pev_fail(err, ENOMEM, 0, "no memory");
}

static int open_one(struct pev_engine *engine, struct pev_attr *attr, struct pev_error *err)
{
	(void)engine;
	return pev_attr_open(attr, 0, err);
}

static void close_one(struct pev_engine *engine, int fd)
{
	(void)engine;
	close(fd);
}

static int enable(struct pev_engine *engine, int fd, bool on, unsigned int flags)
{
	(void)engine;
	return on ? pev_fd_enable(fd, flags) : pev_fd_disable(fd, flags);
}

static int reset(struct pev_engine *engine, int fd, unsigned int flags)
{
	(void)engine;
	return pev_fd_reset(fd, flags);
}

static int set_period(struct pev_engine *engine, int fd, uint64_t period)
{
	(void)engine;
	return pev_fd_set_period(fd, period);
}

static int set_filter(struct pev_engine *engine, int fd, const char *filter, struct pev_error *err)
{
	(void)engine;
	return pev_fd_set_filter(fd, filter, err);
}

static int read_values(struct pev_engine *engine, int fd, struct pev_value *values,
		       unsigned int room)
{
	(void)engine;
	return pev_fd_read_group(fd, values, room);
}

static int read_cpus(struct pev_engine *engine, int fd, struct pev_value *values,
		     unsigned int *nr)
{
	(void)engine;
	return pev_fd_read_cpus(fd, values, nr);
}

static int read_multiplexed(struct pev_engine *engine, int fd, struct pev_multiplexed *m)
{
	(void)engine;
	return pev_fd_read_multiplexed(fd, m);
}

/* The kernel brings new CPUs in. */
static int refresh(struct pev_engine *engine, pev_engine_cpu_fn changed, void *arg)
{
	(void)engine;
	(void)changed;
	(void)arg;
	return 0;
}

static int flush(struct pev_engine *engine, int fd)
{
	(void)engine;
	return pev_fd_flush(fd);
}

static int snapshot(struct pev_engine *engine, int fd, struct pev_span *spans, unsigned int *nr)
{
	(void)engine;
	return pev_fd_snapshot(fd, spans, nr);
}

static int metadata(struct pev_engine *engine, int fd, char **text, size_t *len)
{
	(void)engine;
	return pev_fd_metadata(fd, text, len);
}

static int map(struct pev_engine *engine, int fd, struct pev_channel **mapped)
{
	(void)engine;
	return pev_channel_map(fd, 0, mapped);
}

static bool exact_losses(const struct pev_engine *engine)
{
	(void)engine;
	return true;
}

static const struct engine_ops ops = {
	.name = "pev",
	.exact_losses = exact_losses,
	.free = release,
	.info = info,
	.catalog = catalog,
	.fields = fields,
	.open = open_one,
	.close = close_one,
	.enable = enable,
	.reset = reset,
	.set_period = set_period,
	.set_filter = set_filter,
	.read_values = read_values,
	.read_cpus = read_cpus,
	.read_multiplexed = read_multiplexed,
	.refresh = refresh,
	.flush = flush,
	.snapshot = snapshot,
	.metadata = metadata,
	.map = map,
};

int engine_pev_new(struct pev_engine **engine, struct pev_error *err)
{
	struct pev_info ignored;
	int ret = info(NULL, &ignored, err);

	if (ret)
		return ret;
	*engine = calloc(1, sizeof(**engine));
	if (!*engine)
		return -ENOMEM;
	(*engine)->ops = &ops;
	return 0;
}
