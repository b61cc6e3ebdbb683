// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Finds events by the names that vendors of processors give them, through libpfm4.
 * That is loaded when it is first needed, so that neither libpev nor a program has to
 * link to it, and all else works where it is not installed.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "core/error.h"
#include "sys/pfm.h"

#if __has_include(<perfmon/pfmlib.h>)
#include <dlfcn.h>
#include <perfmon/pfmlib.h>
#include <pthread.h>
#include <stdio.h>

#define LIBRARY "libpfm.so.4"

/**
 * struct pfm - libpfm4, the same for the whole process
 * @error: 0, or why it cannot be used ...
 * @text:  ... in words
 */
static struct pfm {
	int		error;
	char		text[200];
	pfm_err_t	(*initialize)(void);
	const char	*(*strerror)(int code);
	pfm_err_t	(*pmu_info)(pfm_pmu_t pmu, pfm_pmu_info_t *info);
	int		(*event_next)(int idx);
	pfm_err_t	(*event_info)(int idx, pfm_os_t os, pfm_event_info_t *info);
	pfm_err_t	(*attr_info)(int idx, int attr, pfm_os_t os,
				     pfm_event_attr_info_t *info);
	pfm_err_t	(*encode)(const char *name, int modes, pfm_os_t os, void *args);
} pfm;

static void load(void)
{
	static const struct { const char *name; size_t offset; } calls[] = {
		{ "pfm_initialize", offsetof(struct pfm, initialize) },
		{ "pfm_strerror", offsetof(struct pfm, strerror) },
		{ "pfm_get_pmu_info", offsetof(struct pfm, pmu_info) },
		{ "pfm_get_event_next", offsetof(struct pfm, event_next) },
		{ "pfm_get_event_info", offsetof(struct pfm, event_info) },
		{ "pfm_get_event_attr_info", offsetof(struct pfm, attr_info) },
		{ "pfm_get_os_event_encoding", offsetof(struct pfm, encode) },
	};
	void *lib = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	int ret;

	pfm.error = ELIBACC;
	if (!lib) {
		snprintf(pfm.text, sizeof(pfm.text), "names of the processor's own events are "
			 "looked up in libpfm4, which is not installed (Debian: libpfm4)");
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		void *call = dlsym(lib, calls[i].name);

		if (!call) {
			snprintf(pfm.text, sizeof(pfm.text), LIBRARY " has no %s()",
				 calls[i].name);
			return;
		}
		memcpy((char *)&pfm + calls[i].offset, &call, sizeof(call));
	}
	ret = pfm.initialize();
	if (ret == PFM_SUCCESS)
		pfm.error = 0;
	else
		snprintf(pfm.text, sizeof(pfm.text), LIBRARY ": %s", pfm.strerror(ret));
}

static int need(struct pev_error *err)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load);
	return pfm.error ? pev_fail(err, pfm.error, 0, "%s", pfm.text) : 0;
}

/* libpfm4's numbers of tables have holes. */
static bool table(int id, struct pev_pmu_table *t)
{
	pfm_pmu_info_t info = { .size = sizeof(info) };

	if (pfm.pmu_info(id, &info) != PFM_SUCCESS || info.type != PFM_PMU_TYPE_CORE)
		return false;
	*t = (struct pev_pmu_table){
		.name = info.name,
		.about = info.desc,
		.present = info.is_present,
		.general = info.is_dfl || id == PFM_PMU_INTEL_X86_ARCH,
		.nr_events = info.nevents,
		.id = id,
		.first = info.first_event,
	};
	return true;
}

PEV_EXPORT int pev_pmu_table_next(int *pos, struct pev_pmu_table *t, struct pev_error *err)
{
	int ret = need(err);

	if (ret)
		return ret;
	while (*pos < PFM_PMU_MAX)
		if (table((*pos)++, t))
			return 1;
	return 0;
}

/* @pos is the number of the last event plus 1 */
PEV_EXPORT int pev_pmu_event_next(const struct pev_pmu_table *t, int *pos,
				  struct pev_pmu_event *event)
{
	int id = *pos ? pfm.event_next(*pos - 1) : t->first;
	pfm_event_info_t info = { .size = sizeof(info) };

	for (; id >= 0; id = pfm.event_next(id)) {
		*pos = id + 1;
		if (pfm.event_info(id, PFM_OS_NONE, &info) != PFM_SUCCESS)
			continue;
		*event = (struct pev_pmu_event){
			.name = info.name,
			.about = info.desc ? info.desc : "",
			.nr_units = info.nattrs,
			.id = id,
		};
		return 1;
	}
	return 0;
}

PEV_EXPORT int pev_pmu_unit(const struct pev_pmu_event *event, int nr,
			    struct pev_pmu_unit *unit)
{
	pfm_event_attr_info_t info = { .size = sizeof(info) };

	if (nr < 0 || nr >= event->nr_units ||
	    pfm.attr_info(event->id, nr, PFM_OS_NONE, &info) != PFM_SUCCESS)
		return 0;
	*unit = (struct pev_pmu_unit){
		.name = info.name,
		.about = info.desc ? info.desc : "",
		.code = info.type == PFM_ATTR_UMASK ? info.code : 0,
		.is_default = info.is_dfl,
		.is_modifier = info.type != PFM_ATTR_UMASK,
	};
	return 1;
}

/*
 * In x86's event select register the kernel sets the modes that count (16, 17), the
 * interrupt at an overflow (20) and the enable bit (22).
 */
static uint64_t without_control(uint64_t code)
{
#if defined(__x86_64__)
	return code & ~(3ULL << 16 | 1ULL << 20 | 1ULL << 22);
#else
	return code;
#endif
}

/* Encodes a @name with its table before it. */
static int encode(const char *name, uint64_t *code)
{
	uint64_t codes[8] = { 0 };
	pfm_pmu_encode_arg_t arg = {
		.codes = codes, .count = ARRAY_SIZE(codes), .size = sizeof(arg),
	};
	int ret = pfm.encode(name, PFM_PLM0 | PFM_PLM3, PFM_OS_NONE, &arg);

	if (ret == PFM_ERR_TOOSMALL || (ret == PFM_SUCCESS && arg.count > 1))
		return PFM_ERR_TOOMANY;
	*code = without_control(codes[0]);
	return ret;
}

/* Tries the tables of this machine's processor, the most specific first. */
static int encode_present(const char *name, uint64_t *code)
{
	int best = PFM_ERR_NOTFOUND;
	char full[PEV_MAX_NAME + 64];
	struct pev_pmu_table t;

	for (int general = 0; general < 2; general++) {
		for (int pos = 0; pev_pmu_table_next(&pos, &t, NULL) > 0;) {
			int ret;

			if (!t.present || t.general != general)
				continue;
			snprintf(full, sizeof(full), "%s::%s", t.name, name);
			ret = encode(full, code);
			if (ret == PFM_SUCCESS)
				return ret;
			if (best == PFM_ERR_NOTFOUND)
				best = ret;
		}
	}
	return best;
}

static int explain(int ret, const char *name, struct pev_error *err)
{
	switch (ret) {
	case PFM_SUCCESS:
		return 0;
	case PFM_ERR_NOTFOUND:
		return pev_fail(err, ENOENT, 0, "libpfm4 knows no event \"%s\"%s", name,
				strstr(name, "::") ? "" : " of this machine's processor");
	case PFM_ERR_TOOMANY:
		return pev_fail(err, EOPNOTSUPP, 0, "%s needs a second register beside the "
				"counter's own, which pev does not program", name);
	case PFM_ERR_UMASK:
		return pev_fail(err, EINVAL, 0, "%s: a unit mask is missing or does not exist",
				name);
	case PFM_ERR_ATTR:
		return pev_fail(err, EINVAL, 0, "%s: the event has no such unit mask or modifier",
				name);
	case PFM_ERR_FEATCOMB:
		return pev_fail(err, EINVAL, 0, "%s: these unit masks exclude each other", name);
	case PFM_ERR_ATTR_VAL:
		return pev_fail(err, EINVAL, 0, "%s: a modifier's value is out of its range", name);
	case PFM_ERR_ATTR_SET:
		return pev_fail(err, EINVAL, 0, "%s: the event itself says what this modifier is",
				name);
	case PFM_ERR_NOMEM:
		return pev_fail(err, ENOMEM, 0, "%s: no memory", name);
	default:
		return pev_fail(err, EINVAL, 0, "%s: %s", name, pfm.strerror(ret));
	}
}

int pev_pfm_code(const char *name, uint64_t *code, struct pev_error *err)
{
	int ret = need(err);

	if (ret)
		return ret;
	if (!name[0] || strlen(name) >= PEV_MAX_NAME || strchr(name, ','))
		return pev_fail(err, EINVAL, 0, "\"%s\" is no event's name", name);
	return explain(strstr(name, "::") ? encode(name, code) : encode_present(name, code),
		       name, err);
}

#else

static int need(struct pev_error *err)
{
	return pev_fail(err, ENOTSUP, 0, "names of the processor's own events are looked up in "
			"libpfm4, without which this libpev was built (Debian: libpfm4-dev)");
}

PEV_EXPORT int pev_pmu_table_next(int *pos, struct pev_pmu_table *t, struct pev_error *err)
{
	(void)pos;
	(void)t;
	return need(err);
}

PEV_EXPORT int pev_pmu_event_next(const struct pev_pmu_table *t, int *pos,
				  struct pev_pmu_event *event)
{
	(void)t;
	(void)pos;
	(void)event;
	return 0;
}

PEV_EXPORT int pev_pmu_unit(const struct pev_pmu_event *event, int nr,
			    struct pev_pmu_unit *unit)
{
	(void)event;
	(void)nr;
	(void)unit;
	return 0;
}

int pev_pfm_code(const char *name, uint64_t *code, struct pev_error *err)
{
	(void)name;
	(void)code;
	return need(err);
}

#endif
