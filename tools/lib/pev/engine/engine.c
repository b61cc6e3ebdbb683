// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Chooses an engine, and hands calls on to it.
 */
#include <errno.h>
#include <string.h>
#include <pev/engine.h>
#include "core/error.h"
#include "engine/pev.h"
#include "engine/perf/perf.h"
#include "helper/helper.h"

/* No function has flags yet that the engines would have to know of. */
static int check_flags(unsigned int flags, const char *function, struct pev_error *err)
{
	return flags ? pev_fail(err, EINVAL, 0, "%s() has no flags 0x%x", function, flags) : 0;
}

static void forget(struct pev_error *err)
{
	if (err)
		memset(err, 0, sizeof(*err));
}

/* Makes a failure without an explanation say at least what its errno means. */
static int explained(int ret, struct pev_error *err)
{
	return ret < 0 && err && !err->text[0] ? pev_fail(err, -ret, 0, "%s", strerror(-ret)) : ret;
}

PEV_EXPORT int pev_engine_new(const char *name, unsigned int flags, struct pev_engine **engine,
			      struct pev_error *err)
{
	int ret = check_flags(flags, __func__, err);

	*engine = NULL;
	if (ret)
		return ret;
	if (!name) {
		/* why there is no pev is no mistake of this call */
		ret = engine_pev_new(engine, NULL);
		return ret ? engine_perf_new(engine, err) : 0;
	}
	if (!strcmp(name, "pev"))
		return engine_pev_new(engine, err);
	if (!strcmp(name, "perf"))
		return engine_perf_new(engine, err);
	return pev_fail(err, EINVAL, 0, "there is no engine \"%s\": choose pev or perf", name);
}

PEV_EXPORT void pev_engine_free(struct pev_engine *engine)
{
	if (engine)
		engine->ops->free(engine);
}

PEV_EXPORT const char *pev_engine_name(const struct pev_engine *engine)
{
	return engine->ops->name;
}

PEV_EXPORT const char *pev_engine_helper(void)
{
	return helper_path();
}

PEV_EXPORT bool pev_engine_exact_losses(const struct pev_engine *engine)
{
	return engine->ops->exact_losses(engine);
}

PEV_EXPORT int pev_engine_info(struct pev_engine *engine, struct pev_info *info,
			       struct pev_error *err)
{
	forget(err);
	return explained(engine->ops->info(engine, info, err), err);
}

PEV_EXPORT int pev_engine_catalog(struct pev_engine *engine, unsigned int flags,
				  struct pev_catalog **catalog, struct pev_error *err)
{
	int ret = check_flags(flags, __func__, err);

	if (ret)
		return ret;
	forget(err);
	return explained(engine->ops->catalog(engine, catalog, err), err);
}

PEV_EXPORT int pev_engine_fields(struct pev_engine *engine, const struct pev_catalog_entry *entry,
				 unsigned int flags, char **text, struct pev_error *err)
{
	int ret = check_flags(flags, __func__, err);

	*text = NULL;
	if (ret)
		return ret;
	forget(err);
	return explained(engine->ops->fields(engine, entry, text, err), err);
}

PEV_EXPORT int pev_engine_open(struct pev_engine *engine, struct pev_attr *attr, unsigned int flags,
			       struct pev_error *err)
{
	int ret = check_flags(flags, __func__, err);

	if (ret)
		return ret;
	forget(err);
	return explained(engine->ops->open(engine, attr, err), err);
}

PEV_EXPORT void pev_engine_close(struct pev_engine *engine, int handle)
{
	engine->ops->close(engine, handle);
}

PEV_EXPORT int pev_engine_enable(struct pev_engine *engine, int handle, unsigned int flags)
{
	return engine->ops->enable(engine, handle, true, flags);
}

PEV_EXPORT int pev_engine_disable(struct pev_engine *engine, int handle, unsigned int flags)
{
	return engine->ops->enable(engine, handle, false, flags);
}

PEV_EXPORT int pev_engine_reset(struct pev_engine *engine, int handle, unsigned int flags)
{
	return engine->ops->reset(engine, handle, flags);
}

PEV_EXPORT int pev_engine_set_period(struct pev_engine *engine, int handle, uint64_t period)
{
	return engine->ops->set_period(engine, handle, period);
}

PEV_EXPORT int pev_engine_set_filter(struct pev_engine *engine, int handle, const char *filter,
				     struct pev_error *err)
{
	forget(err);
	return explained(engine->ops->set_filter(engine, handle, filter, err), err);
}

PEV_EXPORT int pev_engine_read(struct pev_engine *engine, int handle,
				     struct pev_value *value)
{
	int n = engine->ops->read_values(engine, handle, value, 1);

	return n < 0 ? n : n == 1 ? 0 : -EIO;
}

PEV_EXPORT int pev_engine_read_group(struct pev_engine *engine, int handle,
				      struct pev_value *values, unsigned int room)
{
	return engine->ops->read_values(engine, handle, values, room);
}

PEV_EXPORT int pev_engine_read_cpus(struct pev_engine *engine, int handle,
				    struct pev_value *values, unsigned int *nr)
{
	return engine->ops->read_cpus(engine, handle, values, nr);
}

PEV_EXPORT int pev_engine_read_multiplexed(struct pev_engine *engine, int handle,
					   struct pev_multiplexed *m)
{
	return engine->ops->read_multiplexed(engine, handle, m);
}

PEV_EXPORT int pev_engine_refresh(struct pev_engine *engine, pev_engine_cpu_fn changed, void *arg)
{
	return engine->ops->refresh(engine, changed, arg);
}

PEV_EXPORT int pev_engine_flush(struct pev_engine *engine, int channel)
{
	return engine->ops->flush(engine, channel);
}

PEV_EXPORT int pev_engine_snapshot(struct pev_engine *engine, int channel,
				   struct pev_span *spans, unsigned int *nr)
{
	return engine->ops->snapshot(engine, channel, spans, nr);
}

PEV_EXPORT int pev_engine_metadata(struct pev_engine *engine, int channel, char **text,
					size_t *len)
{
	return engine->ops->metadata(engine, channel, text, len);
}

PEV_EXPORT int pev_engine_map(struct pev_engine *engine, int channel, unsigned int flags,
			      struct pev_channel **mapped)
{
	return flags ? -EINVAL : engine->ops->map(engine, channel, mapped);
}
