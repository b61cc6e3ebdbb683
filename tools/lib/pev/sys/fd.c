// SPDX-License-Identifier: LGPL-2.1-only
/*
 * What can be done with pev_open(), and the ioctl()s, each in one function.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <pev/pev.h>
#include "core/error.h"
#include "core/file.h"
#include "sys/entry.h"

/* Takes the kernel's sentence, or one of our own if it has written none. @opens: by pev_open() */
static void explain(struct pev_error *err, int error, const char *what, bool opens)
{
	if (!err)
		return;
	err->text[sizeof(err->text) - 1] = '\0';
	if (err->error && err->text[0])
		return;
	if (!err->error)
		err->field = UINT32_MAX;
	err->error = error;
	if (!opens || !entry_reason(err->text, sizeof(err->text)))
		snprintf(err->text, sizeof(err->text), "%s: %s", what, strerror(error));
}

PEV_EXPORT int pev_attr_open(struct pev_attr *attr, unsigned int flags, struct pev_error *err)
{
	uint32_t size = attr->refusal_size;
	uint64_t refusal = attr->refusal;
	int ret;

	if (flags)
		return pev_fail(err, EINVAL, 0, "pev_attr_open() has no flags 0x%x", flags);
	pev_attr_error(attr, err);
	ret = pev_open(attr, sizeof(*attr), PEV_OPEN_CLOEXEC);
	if (ret < 0)
		explain(err, -ret, "pev_open", true);
	attr->refusal = refusal;
	attr->refusal_size = size;
	return ret;
}

PEV_EXPORT int pev_context_attach(const void *pointer, struct pev_error *err)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_CONTEXT,
		.config = (uintptr_t)pointer,
		.channel_fd = -1,
		.group_fd = -1,
	};

	return pev_attr_open(&attr, 0, err);
}

PEV_EXPORT int pev_query_info(struct pev_info *info)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_INFO,
		.info = (uintptr_t)info,
		.info_size = sizeof(*info),
	};

	memset(info, 0, sizeof(*info));
	return pev_open(&attr, sizeof(attr), 0);
}

static int ask(int fd, unsigned long request, unsigned long arg)
{
	int ret;

	do {
		ret = ioctl(fd, request, arg);
	} while (ret < 0 && errno == EINTR);
	return ret < 0 ? -errno : ret;
}

static int control(int fd, unsigned long request, unsigned long arg)
{
	int ret = ask(fd, request, arg);

	return ret < 0 ? ret : 0;
}

PEV_EXPORT int pev_fd_enable(int fd, unsigned int flags)
{
	return control(fd, PEV_IOC_ENABLE, flags);
}

PEV_EXPORT int pev_fd_disable(int fd, unsigned int flags)
{
	return control(fd, PEV_IOC_DISABLE, flags);
}

PEV_EXPORT int pev_fd_reset(int fd, unsigned int flags)
{
	return control(fd, PEV_IOC_RESET, flags);
}

PEV_EXPORT int pev_fd_set_period(int fd, uint64_t period)
{
	__u64 value = period;

	return control(fd, PEV_IOC_PERIOD, (uintptr_t)&value);
}

PEV_EXPORT int pev_fd_set_filter(int fd, const char *filter, struct pev_error *err)
{
	struct pev_filter_arg arg = {
		.filter = (uintptr_t)filter,
		.refusal = (uintptr_t)err,
		.refusal_size = err ? ERROR_FOR_KERNEL : 0,
	};
	int ret;

	if (err)
		memset(err, 0, sizeof(*err));
	ret = control(fd, PEV_IOC_FILTER, (uintptr_t)&arg);
	if (ret)
		explain(err, -ret, "the filter", false);
	return ret;
}

PEV_EXPORT int pev_fd_id(int fd, struct pev_id *id, uint16_t *lengths, unsigned int room)
{
	memset(id, 0, sizeof(*id));
	id->size = sizeof(*id);
	id->lengths = (uintptr_t)lengths;
	id->nr_lengths = room;
	return control(fd, PEV_IOC_ID, (uintptr_t)id);
}

PEV_EXPORT int pev_fd_read_group(int fd, struct pev_value *values, unsigned int room)
{
	ssize_t n;

	do {
		n = read(fd, values, room * sizeof(*values));
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	return n % sizeof(*values) ? -EIO : (int)(n / sizeof(*values));
}

PEV_EXPORT int pev_fd_read(int fd, struct pev_value *value)
{
	int n = pev_fd_read_group(fd, value, 1);

	return n < 0 ? n : n == 1 ? 0 : -EIO;
}

PEV_EXPORT int pev_fd_read_cpus(int fd, struct pev_value *values, unsigned int *nr)
{
	struct pev_cpu_values arg = { .values = (uintptr_t)values, .nr = *nr };
	int ret = control(fd, PEV_IOC_READ_CPUS, (uintptr_t)&arg);

	*nr = arg.nr;
	return ret;
}

PEV_EXPORT int pev_fd_read_multiplexed(int fd, struct pev_multiplexed *m)
{
	memset(m, 0, sizeof(*m));
	m->size = sizeof(*m);
	return control(fd, PEV_IOC_READ_MULTIPLEXED, (uintptr_t)m);
}

PEV_EXPORT int pev_fd_read_counts(int fd, struct pev_counts *counts)
{
	memset(counts, 0, sizeof(*counts));
	counts->size = sizeof(*counts);
	return control(fd, PEV_IOC_READ_COUNTS, (uintptr_t)counts);
}

PEV_EXPORT int pev_fd_act(int channel_fd, unsigned int action)
{
	return control(channel_fd, PEV_IOC_ACT, action);
}

PEV_EXPORT int pev_fd_channel_state(int channel_fd, struct pev_channel_state *state)
{
	memset(state, 0, sizeof(*state));
	state->size = sizeof(*state);
	return control(channel_fd, PEV_IOC_CHANNEL_STATE, (uintptr_t)state);
}

PEV_EXPORT int pev_fd_flush(int fd)
{
	return ask(fd, PEV_IOC_FLUSH, 0);
}

PEV_EXPORT int pev_fd_snapshot(int channel_fd, struct pev_span *spans, unsigned int *nr)
{
	struct pev_snapshot_arg arg = { .spans = (uintptr_t)spans, .nr = *nr };
	int ret = control(channel_fd, PEV_IOC_SNAPSHOT, (uintptr_t)&arg);

	*nr = arg.nr;
	return ret;
}

PEV_EXPORT int pev_fd_channel_info(int channel_fd, struct pev_channel_info *info)
{
	memset(info, 0, sizeof(*info));
	info->size = sizeof(*info);
	return control(channel_fd, PEV_IOC_CHANNEL_INFO, (uintptr_t)info);
}

/* Reads at offsets, so that several readers of one channel do not disturb each other. */
PEV_EXPORT int pev_fd_metadata(int channel_fd, char **text, size_t *len)
{
	return pev_pread_whole(channel_fd, text, len);
}
