// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The system call and the ioctl()s, each in one function.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "internal.h"

PEV_EXPORT int pev_open(const struct pev_attr *attr, size_t size, uint32_t flags)
{
	long ret = syscall(__NR_pev_open, attr, size, flags);

	return ret < 0 ? -errno : (int)ret;
}

/* The kernel's sentence, or one of our own if it has written none. */
static void explain(struct pev_why *why, int error, const char *what)
{
	if (!why)
		return;
	why->text[sizeof(why->text) - 1] = '\0';
	if (why->error && why->text[0])
		return;
	if (!why->error)
		why->field = UINT32_MAX;
	why->error = error;
	if (error == ENOSYS)
		snprintf(why->text, sizeof(why->text),
			 "this kernel has no pev: system call %d is not there",
			 __NR_pev_open);
	else
		snprintf(why->text, sizeof(why->text), "%s: %s", what, strerror(error));
}

PEV_EXPORT int pev_open_why(struct pev_attr *attr, struct pev_why *why)
{
	uint32_t size = attr->refusal_size;
	uint64_t refusal = attr->refusal;
	int ret;

	pev_attr_why(attr, why);
	ret = pev_open(attr, sizeof(*attr), PEV_OPEN_CLOEXEC);
	if (ret < 0)
		explain(why, -ret, "pev_open");
	attr->refusal = refusal;
	attr->refusal_size = size;
	return ret;
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

static int control(int fd, unsigned long request, unsigned long arg)
{
	int ret;

	do {
		ret = ioctl(fd, request, arg);
	} while (ret < 0 && errno == EINTR);
	return ret < 0 ? -errno : 0;
}

PEV_EXPORT int pev_enable(int fd, bool group)
{
	return control(fd, PEV_IOC_ENABLE, group ? PEV_IOF_GROUP : 0);
}

PEV_EXPORT int pev_disable(int fd, bool group)
{
	return control(fd, PEV_IOC_DISABLE, group ? PEV_IOF_GROUP : 0);
}

PEV_EXPORT int pev_reset(int fd, bool group)
{
	return control(fd, PEV_IOC_RESET, group ? PEV_IOF_GROUP : 0);
}

PEV_EXPORT int pev_set_period(int fd, uint64_t period)
{
	__u64 value = period;

	return control(fd, PEV_IOC_PERIOD, (uintptr_t)&value);
}

PEV_EXPORT int pev_set_filter(int fd, const char *filter, struct pev_why *why)
{
	struct pev_filter_arg arg = {
		.filter = (uintptr_t)filter,
		.refusal = (uintptr_t)why,
		.refusal_size = why ? sizeof(*why) : 0,
	};
	int ret;

	if (why)
		memset(why, 0, sizeof(*why));
	ret = control(fd, PEV_IOC_FILTER, (uintptr_t)&arg);
	if (ret)
		explain(why, -ret, "the filter");
	return ret;
}

PEV_EXPORT int pev_get_id(int fd, struct pev_id *id)
{
	memset(id, 0, sizeof(*id));
	return control(fd, PEV_IOC_ID, (uintptr_t)id);
}

PEV_EXPORT int pev_read_values(int fd, struct pev_value *values, unsigned int room)
{
	ssize_t n;

	do {
		n = read(fd, values, room * sizeof(*values));
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	return n % sizeof(*values) ? -EIO : (int)(n / sizeof(*values));
}

PEV_EXPORT int pev_read_value(int fd, struct pev_value *value)
{
	int n = pev_read_values(fd, value, 1);

	return n < 0 ? n : n == 1 ? 0 : -EIO;
}

PEV_EXPORT int pev_read_cpus(int fd, struct pev_value *values, unsigned int *nr)
{
	struct pev_cpu_values arg = { .values = (uintptr_t)values, .nr = *nr };
	int ret = control(fd, PEV_IOC_READ_CPUS, (uintptr_t)&arg);

	*nr = arg.nr;
	return ret;
}

PEV_EXPORT int pev_read_multiplexed(int fd, struct pev_multiplexed *m)
{
	memset(m, 0, sizeof(*m));
	m->size = sizeof(*m);
	return control(fd, PEV_IOC_READ_MULTIPLEXED, (uintptr_t)m);
}

PEV_EXPORT int pev_flush(int channel_fd)
{
	return control(channel_fd, PEV_IOC_FLUSH, 0);
}

PEV_EXPORT int pev_snapshot(int channel_fd, struct pev_span *spans, unsigned int *nr)
{
	struct pev_snapshot_arg arg = { .spans = (uintptr_t)spans, .nr = *nr };
	int ret = control(channel_fd, PEV_IOC_SNAPSHOT, (uintptr_t)&arg);

	*nr = arg.nr;
	return ret;
}

PEV_EXPORT int pev_channel_query(int channel_fd, struct pev_channel_info *info)
{
	memset(info, 0, sizeof(*info));
	info->size = sizeof(*info);
	return control(channel_fd, PEV_IOC_CHANNEL_INFO, (uintptr_t)info);
}

/* By pread(), so that several readers of one channel do not disturb each other. */
PEV_EXPORT int pev_read_metadata(int channel_fd, char **text, size_t *len)
{
	size_t room = 65536, used = 0;
	char *buf = NULL, *more;
	ssize_t n = 1;

	while (n) {
		if (!buf || used + 1 >= room) {
			room *= 2;
			more = realloc(buf, room);
			if (!more) {
				free(buf);
				return -ENOMEM;
			}
			buf = more;
		}
		n = pread(channel_fd, buf + used, room - used - 1, used);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			int error = errno;

			free(buf);
			return -error;
		}
		used += n;
	}
	buf[used] = '\0';
	*text = buf;
	if (len)
		*len = used;
	return 0;
}

PEV_EXPORT int pev_catalog_read(struct pev_catalog **catalog, struct pev_why *why)
{
	struct pev_attr attr = { .type = PEV_TYPE_CATALOG };
	int fd = pev_open_why(&attr, why), ret;
	size_t len;
	char *text;

	*catalog = NULL;
	if (fd < 0)
		return fd;
	ret = pev_read_whole(fd, &text, &len);
	close(fd);
	if (ret) {
		explain(why, -ret, "reading the catalog");
		return ret;
	}
	ret = pev_catalog_parse(text, len, catalog);
	free(text);
	return ret;
}

/* One line, which ends at a NUL; false if it has another form. */
static bool parse_line(char *line, struct pev_catalog_entry *e)
{
	char *name = strchr(line, ' '), *fields;
	int type;

	if (!name || name == line)
		return false;
	*name++ = '\0';
	fields = strchr(name, ' ');
	if (fields)
		*fields++ = '\0';
	if (!*name)
		return false;
	type = pev_type_by_name(line);
	e->type = type > 0 ? type : 0;
	e->type_name = line;
	e->name = name;
	e->fields = !fields || !strcmp(fields, "-") ? "" : fields;
	return true;
}

PEV_EXPORT int pev_catalog_parse(const char *text, size_t len, struct pev_catalog **out)
{
	struct pev_catalog *c = calloc(1, sizeof(*c));
	size_t lines = 1;
	char *line, *end;

	*out = NULL;
	for (size_t i = 0; i < len; i++)
		lines += text[i] == '\n';
	if (c) {
		c->text = malloc(len + 1);
		c->entries = calloc(lines, sizeof(*c->entries));
	}
	if (!c || !c->text || !c->entries) {
		pev_catalog_free(c);
		return -ENOMEM;
	}
	memcpy(c->text, text, len);
	c->text[len] = '\0';
	for (line = c->text; line < c->text + len; line = end + 1) {
		end = memchr(line, '\n', c->text + len - line);
		if (!end)
			end = c->text + len;
		*end = '\0';
		if (parse_line(line, &c->entries[c->nr]))
			c->nr++;
	}
	*out = c;
	return 0;
}

PEV_EXPORT void pev_catalog_free(struct pev_catalog *catalog)
{
	if (!catalog)
		return;
	free(catalog->text);
	free(catalog->entries);
	free(catalog);
}
