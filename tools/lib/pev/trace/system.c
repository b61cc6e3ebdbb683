// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Describes the machine that a trace was made on: what a report needs later to
 * know the kernel's functions, its modules and where it ran.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include <pev/pev.h>
#include "core/compiler.h"
#include "core/file.h"
#include "helper/helper.h"

#define NOTE_BUILD_ID	3

/* Finds a build id in ELF notes, as hex digits; "" if there is none. */
static void find_build_id(const uint8_t *notes, size_t len, char *hex, size_t size)
{
	uint32_t head[3];
	size_t pos = 0, name, desc;

	*hex = '\0';
	while (len - pos >= sizeof(head)) {
		memcpy(head, notes + pos, sizeof(head));
		pos += sizeof(head);
		name = align_up(head[0], 4);
		desc = align_up(head[1], 4);
		if (name > len - pos || desc > len - pos - name)
			return;
		if (head[2] == NOTE_BUILD_ID && head[0] == 4 &&
		    !memcmp(notes + pos, "GNU", 4) && head[1] * 2U < size) {
			for (uint32_t i = 0; i < head[1]; i++)
				snprintf(hex + 2 * i, 3, "%02x", notes[pos + name + i]);
			return;
		}
		pos += name + desc;
	}
}

static void read_build_id(const char *path, char *hex, size_t size)
{
	size_t len;
	char *notes;

	*hex = '\0';
	if (pev_read_file(path, &notes, &len))
		return;
	find_build_id((const uint8_t *)notes, len, hex, size);
	free(notes);
}

/* Keeps functions: lines of type t, T, w or W. Returns the new length. */
static size_t keep_functions(char *text, size_t len, bool *addresses)
{
	char *line, *end, *to = text;

	*addresses = false;
	for (line = text; line < text + len; line = end + 1) {
		char *type;

		end = memchr(line, '\n', text + len - line);
		if (!end)
			break;
		type = memchr(line, ' ', end - line);
		if (!type || end - type < 3 || ((type[1] | 0x20) != 't' && (type[1] | 0x20) != 'w'))
			continue;
		/* one is enough */
		if (!*addresses)
			*addresses = strspn(line, "0") < (size_t)(type - line);
		memmove(to, line, end + 1 - line);
		to += end + 1 - line;
	}
	return to - text;
}

/* Reads what the kernel lists; with the addresses if the helper may see them. */
static int read_list(const char *path, enum helper_what what, char **text, size_t *len)
{
	/* the kernel shows addresses of 0 to those without rights */
	return helper_read(what, text, len) ? pev_read_file(path, text, len) : 0;
}

static int write_kallsyms(struct pev_writer *w)
{
	bool addresses;
	size_t len;
	char *text;
	int ret;

	/* a kernel without it is not a failure */
	if (read_list("/proc/kallsyms", HELPER_KALLSYMS, &text, &len))
		return 0;
	len = keep_functions(text, len, &addresses);
	ret = addresses ? pev_writer_info_file(w, "kallsyms", text, len) : 0;
	free(text);
	return ret;
}

static int write_modules(struct pev_writer *w)
{
	char *text, *line, *rest, *out, build_id[64], path[160], name[64];
	size_t len, used = 0, room;
	unsigned long long address;
	unsigned long size;
	int ret;

	if (read_list("/proc/modules", HELPER_MODULES, &text, &len))
		return 0;
	/* each line of the list is longer than name, address and size */
	room = 4 * len + 4096;
	out = malloc(room);
	if (!out) {
		free(text);
		return -ENOMEM;
	}
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		const char *hex = strstr(line, " 0x");

		if (sscanf(line, "%63s %lu", name, &size) != 2 || !hex)
			continue;
		address = strtoull(hex, NULL, 16);
		snprintf(path, sizeof(path), "/sys/module/%s/notes/.note.gnu.build-id", name);
		read_build_id(path, build_id, sizeof(build_id));
		if (used + 200 > room)
			break;
		used += snprintf(out + used, room - used, "%s 0x%llx %lu %s\n", name, address,
				 size, *build_id ? build_id : "-");
	}
	ret = pev_writer_info_file(w, "modules", out, used);
	free(out);
	free(text);
	return ret;
}

static int put_number(struct pev_writer *w, const char *key, long long number)
{
	char text[24];

	snprintf(text, sizeof(text), "%lld", number);
	return pev_writer_info(w, key, text);
}

PEV_EXPORT int pev_writer_system(struct pev_writer *w, unsigned int flags)
{
	struct utsname uts;
	struct timespec now;
	char build_id[64];
	int ret;

	uname(&uts);
	clock_gettime(CLOCK_REALTIME, &now);
	read_build_id("/sys/kernel/notes", build_id, sizeof(build_id));
	ret = pev_writer_info(w, "hostname", uts.nodename);
	if (!ret)
		ret = pev_writer_info(w, "release", uts.release);
	if (!ret)
		ret = pev_writer_info(w, "version", uts.version);
	if (!ret)
		ret = pev_writer_info(w, "machine", uts.machine);
	if (!ret)
		ret = put_number(w, "cpus", sysconf(_SC_NPROCESSORS_CONF));
	if (!ret)
		ret = put_number(w, "page_size", sysconf(_SC_PAGESIZE));
	if (!ret)
		ret = put_number(w, "begin", now.tv_sec * 1000000000LL + now.tv_nsec);
	if (!ret && *build_id)
		ret = pev_writer_info(w, "build_id", build_id);
	if (!ret && (flags & PEV_SYSTEM_KALLSYMS))
		ret = write_kallsyms(w);
	if (!ret && (flags & PEV_SYSTEM_MODULES))
		ret = write_modules(w);
	return ret;
}
