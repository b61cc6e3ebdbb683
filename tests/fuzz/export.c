// SPDX-License-Identifier: GPL-2.0
/*
 * perfctl export: packets of any content, through the reader into each format.
 * The first byte chooses the format, the others are a stream; its first packet is
 * given the right uuid, so that what follows is reached.
 */
// FUZZ-SOURCES: tools/perfctl/export/*.c tools/perfctl/session/*.c tools/perfctl/inventory/kinds.c tools/perfctl/inventory/table.c tools/perfctl/kvm/guest_kernel.c tools/perfctl/kvm/reasons.c tools/perfctl/profile/*.c tools/perfctl/cli/term.c tools/perfctl/cli/suggest.c tools/perfctl/base/*.c tools/lib/pev/*/*.c tools/lib/pev/*/*/*.c tools/lib/pev-sym/*/*.c
// FUZZ-CFLAGS: -iquote tools/perfctl -iquote tools/lib/pev -Itools/lib/pev/include -Iinclude/uapi -iquote tools/lib/pev-sym -Itools/lib/pev-sym/include
// FUZZ-LIBS: -lz -Wl,--wrap=lines_find,--wrap=note -ldw -lelf -liberty -lm -lpthread -ldl
// FUZZ-SEEDS: tests/fuzz/seed_stream.py "$1"
#include "export/formats.h"
#include "base/say.h"
#include "strace/syscalls.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const uint8_t uuid[16] = { 0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
				  0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff };
static char dir[64], stream[80];

/* perfctl's and libpev's own functions of that name are not asked for source lines here. */
long __wrap_lines_find(void);
long __wrap_lines_find(void)
{
	return 0;
}

/* Names of system calls are a table that is made by the build. */
void syscalls_init(struct syscalls *s, const struct pev_catalog *catalog)
{
	(void)catalog;
	s->n = 0;
}

void syscalls_init_trace(struct syscalls *s, const struct pev_trace *trace)
{
	(void)trace;
	s->n = 0;
}

void syscalls_free(struct syscalls *s)
{
	(void)s;
}

const struct syscall_desc *syscalls_get(const struct syscalls *s, int64_t nr)
{
	(void)s;
	(void)nr;
	return NULL;
}

void __wrap_note(const char *fmt, ...);
void __wrap_note(const char *fmt, ...)
{
	(void)fmt;
}

static void clean(void)
{
	char command[100];

	snprintf(command, sizeof(command), "rm -rf %s", dir);
	if (system(command))
		perror(dir);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	char command[300];

	(void)argc;
	(void)argv;
	snprintf(dir, sizeof(dir), "%s/pev-fuzz.XXXXXX", access("/dev/shm", W_OK) ? "/tmp" :
										     "/dev/shm");
	if (!mkdtemp(dir))
		abort();
	snprintf(stream, sizeof(stream), "%s/stream_0", dir);
	snprintf(command, sizeof(command), "cp tests/unit/lib/metadata.tsdl %s/metadata", dir);
	if (system(command))
		abort();
	atexit(clean);
	return 0;
}

static void write_stream(const uint8_t *data, size_t size)
{
	FILE *f = fopen(stream, "w");

	if (!f)
		abort();
	if (size >= 24) {
		fwrite(data, 1, 4, f);
		fwrite(uuid, 1, 16, f);
		data += 20;
		size -= 20;
	}
	fwrite(data, 1, size, f);
	if (fclose(f))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct export x = { 0 };
	const struct session_class *cls;
	const struct pev_event *ev;
	struct msg m;
	int err;

	if (!size)
		return 0;
	write_stream(data + 1, size - 1);
	x.format = export_formats[data[0] % export_formats_n];
	if (session_open(&x.session, dir, &m))
		return 0;
	profile_init(&x.profile, &x.session);
	x.begin = pev_trace_begin_ns(x.session.trace);
	if (out_open(&x.out, "/dev/null", OUT_WHOLE, &m))
		abort();
	err = x.format->begin ? x.format->begin(&x, &m) : 0;
	while (!err && session_next(&x.session, &ev, &cls, &m) > 0)
		if (cls->kind != SESSION_EVENT || !x.format->samples ||
		    export_class_has_samples(ev->cls))
			err = x.format->event(&x, session_unwind(&x.session, NULL, ev), cls, &m);
	if (!err && x.format->end)
		err = x.format->end(&x, &m);
	out_close(&x.out, err, &m);
	if (x.format->free)
		x.format->free(&x);
	for (size_t i = 0; i < x.n_names; i++)
		free(x.names[i].name);
	free(x.names);
	profile_free(&x.profile);
	session_close(&x.session);
	return 0;
}
