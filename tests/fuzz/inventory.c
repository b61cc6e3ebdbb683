// SPDX-License-Identifier: GPL-2.0
/*
 * What a machine has: files of /proc with any content, and records of it from strangers. The first
 * byte says which file the rest is; from 3 on, it is a packet of records.
 */
// FUZZ-SOURCES: tools/perfctl/inventory/*.c tools/perfctl/views/inventory.c tools/perfctl/event/cgroups.c tools/perfctl/base/util.c tools/perfctl/base/text.c tools/perfctl/base/json.c tools/perfctl/base/cpulist.c tools/lib/pev/*/*.c tools/lib/pev/*/*/*.c
// FUZZ-CFLAGS: -iquote tools/perfctl -iquote tools/lib/pev -Itools/lib/pev/include -Iinclude/uapi
// FUZZ-LIBS: -lm -lpthread -ldl
// FUZZ-SEEDS: tests/fuzz/seed_inventory.py "$1"
#include "inventory/readers.h"
#include "inventory/table.h"
#include "views/inventory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct file {
	const char *name;
	const struct inventory_reader *reader;
} files[] = {
	{ "self/mountinfo", &inventory_mounts },
	{ "partitions", &inventory_blocks },
	{ "modules", &inventory_modules },
};

static const uint8_t uuid[16] = { 0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
				  0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff };
static char dir[64];
static struct pev_meta *meta;
static FILE *nowhere;

static void clean(void)
{
	char path[100];

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, files[i].name);
		unlink(path);
	}
	snprintf(path, sizeof(path), "%s/self", dir);
	rmdir(path);
	rmdir(dir);
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	struct strbuf text = { 0 };
	char *head, path[100];
	size_t len;

	(void)argc;
	(void)argv;
	snprintf(dir, sizeof(dir), "%s/pev-fuzz.XXXXXX",
		 access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
	nowhere = fopen("/dev/null", "we");
	if (!nowhere || !mkdtemp(dir) || pev_meta_head(uuid, 0, 0, &head, &len))
		abort();
	atexit(clean);
	snprintf(path, sizeof(path), "%s/self", dir);
	if (mkdir(path, 0700))
		abort();
	strbuf_add(&text, head, len);
	free(head);
	if (inventory_metadata(&text) || pev_meta_parse(text.s, text.len, 0, &meta, NULL))
		abort();
	strbuf_free(&text);
	return 0;
}

/* Texts are whole, and there are as many as counted. */
static int put(void *arg, const struct inventory_row *row)
{
	const struct inventory_desc *d = &inventory_kinds[row->kind];
	size_t sum = 0;

	for (size_t i = 0; i < INVENTORY_TEXTS && d->texts[i]; i++)
		sum += strlen(row->s[i]);
	++*(uint64_t *)arg;
	return sum > SIZE_MAX / 2;
}

static void read_file(const struct file *f, const uint8_t *data, size_t size)
{
	uint64_t rows = 0, sum = 0;
	struct gather g = { .proc = dir, .sys = dir, .put = put, .arg = &rows };
	char path[100];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", dir, f->name);
	out = fopen(path, "we");
	if (!out || fwrite(data, 1, size, out) != size || fclose(out))
		abort();
	if (f->reader->read(&g))
		abort();
	for (int k = 0; k < INVENTORY_KINDS; k++)
		sum += g.sums[k][INVENTORY_WRITTEN];
	if (sum != rows)
		abort();
}

static void show(const struct inventory *v)
{
	struct json j = { .out = nowhere };
	struct strbuf b = { 0 };

	inventory_topology(v, &b);
	inventory_counts(v, &b);
	inventory_missing(v, &b);
	strbuf_free(&b);
	inventory_print(v, nowhere);
	json_open(&j, NULL, '{');
	inventory_json(v, true, &j);
	json_close(&j, '}');
	/* each row is found by its own numbers */
	for (size_t i = 0; i < v->n; i++) {
		const struct inventory_row *row = &v->rows[i], *found = NULL;
		const struct inventory_desc *d = &inventory_kinds[row->kind];

		do
			found = inventory_find(v, row->kind, row->n[d->first],
					       d->keys > 1 ? row->n[d->first + 1] : 0, found);
		while (found && found != row);
		if (!found)
			abort();
	}
}

static void read_records(const uint8_t *data, size_t size)
{
	struct inventory v = { 0 };
	struct pev_decoder *dec;
	const struct pev_event *ev;
	void *packet = malloc(size + 1);

	if (!packet || pev_decoder_new(0, &dec))
		abort();
	memcpy(packet, data, size);
	if (!pev_decoder_packet(dec, meta, packet, size))
		while (v.n < 1000 && pev_decoder_next(dec, &ev) > 0)
			inventory_take(&v, ev);
	show(&v);
	inventory_free(&v);
	pev_decoder_free(dec);
	free(packet);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	if (*data < ARRAY_SIZE(files))
		read_file(&files[*data], data + 1, size - 1);
	else
		read_records(data + 1, size - 1);
	return 0;
}
