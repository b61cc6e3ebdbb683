/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What an engine is made of. Handles are descriptors that can be polled; an
 * engine knows its own.
 */
#ifndef _PEV_ENGINE_OPS_H
#define _PEV_ENGINE_OPS_H

#include <pev/pev.h>

/**
 * struct engine_ops - an engine; see the functions pev_engine_*() for what each does
 * @err: all sentences are the engine's own, errors included
 */
struct engine_ops {
	const char *name;
	void (*free)(struct pev_engine *engine);
	int (*info)(struct pev_engine *engine, struct pev_info *info, struct pev_error *err);
	int (*catalog)(struct pev_engine *engine, struct pev_catalog **catalog,
		       struct pev_error *err);
	int (*fields)(struct pev_engine *engine, const struct pev_catalog_entry *entry,
		      char **fields, struct pev_error *err);
	int (*open)(struct pev_engine *engine, struct pev_attr *attr, struct pev_error *err);
	void (*close)(struct pev_engine *engine, int handle);
	int (*enable)(struct pev_engine *engine, int handle, bool on, unsigned int flags);
	int (*reset)(struct pev_engine *engine, int handle, unsigned int flags);
	int (*set_period)(struct pev_engine *engine, int handle, uint64_t period);
	int (*set_filter)(struct pev_engine *engine, int handle, const char *filter,
			  struct pev_error *err);
	int (*read_values)(struct pev_engine *engine, int handle, struct pev_value *values,
			   unsigned int room);
	int (*read_cpus)(struct pev_engine *engine, int handle, struct pev_value *values,
			 unsigned int *nr);
	int (*read_multiplexed)(struct pev_engine *engine, int handle, struct pev_multiplexed *m);
	int (*refresh)(struct pev_engine *engine, pev_engine_cpu_fn changed, void *arg);
	int (*flush)(struct pev_engine *engine, int channel);
	int (*snapshot)(struct pev_engine *engine, int channel, struct pev_span *spans,
			unsigned int *nr);
	int (*metadata)(struct pev_engine *engine, int channel, char **text, size_t *len);
	bool (*exact_losses)(const struct pev_engine *engine);
	int (*map)(struct pev_engine *engine, int channel, struct pev_channel **mapped);
};

struct pev_engine {
	const struct engine_ops *ops;
};

#endif /* _PEV_ENGINE_OPS_H */
