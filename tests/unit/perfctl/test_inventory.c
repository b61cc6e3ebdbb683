// SPDX-License-Identifier: GPL-2.0
/* What a machine has: made-up and damaged /proc and /sys, bounds, and the way through a trace. */
#include "inventory/encode.h"
#include "inventory/fds.h"
#include "inventory/readers.h"
#include "inventory/table.h"
#include "profile/rows.h"
#include "profile/topology.h"
#include "views/inventory.h"
#include "tests.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/**
 * struct made - a directory that stands for /proc and /sys
 * @rows: all rows as text, a line each
 */
struct made {
	char root[64];
	struct gather g;
	struct strbuf rows;
};

static int put_row(void *arg, const struct inventory_row *row)
{
	const struct inventory_desc *d = &inventory_kinds[row->kind];
	struct strbuf *b = arg;

	strbuf_puts(b, d->name);
	for (size_t i = 0; i < INVENTORY_NUMBERS && d->numbers[i].name; i++)
		strbuf_addf(b, " %" PRId64, (int64_t)row->n[i]);
	for (size_t i = 0; i < INVENTORY_TEXTS && d->texts[i]; i++)
		strbuf_addf(b, " [%s]", row->s[i]);
	strbuf_putc(b, '\n');
	return 0;
}

static void begin(struct made *m)
{
	*m = (struct made){ .root = "/tmp/inventory.XXXXXX" };
	if (!mkdtemp(m->root))
		exit(1);
	m->g = (struct gather){ .proc = m->root, .sys = m->root, .put = put_row, .arg = &m->rows };
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

static void end(struct made *m)
{
	nftw(m->root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	strbuf_free(&m->rows);
}

static char *make_way(const struct made *m, const char *name)
{
	char *path = xasprintf("%s/%s", m->root, name);

	for (char *p = strchr(path + strlen(m->root) + 1, '/'); p; p = strchr(p + 1, '/')) {
		*p = '\0';
		mkdir(path, 0755);
		*p = '/';
	}
	return path;
}

static void put_file_len(const struct made *m, const char *name, const char *text, size_t len)
{
	char *path = make_way(m, name);
	FILE *f = fopen(path, "we");

	if (f) {
		fwrite(text, 1, len, f);
		fclose(f);
	}
	free(path);
}

static void put_file(const struct made *m, const char *name, const char *text)
{
	put_file_len(m, name, text, strlen(text));
}

static void put_link(const struct made *m, const char *name, const char *to)
{
	char *path = make_way(m, name);

	if (symlink(to, path))
		exit(1);
	free(path);
}

static const char *rows_of(struct made *m, const struct inventory_reader *r)
{
	strbuf_reset(&m->rows);
	return r->read(&m->g) ? "failed" : m->rows.s ? m->rows.s : "";
}

static void put_cpu(const struct made *m, int cpu, int package, int core, const char *siblings)
{
	char name[128], value[16];

	snprintf(name, sizeof(name), "devices/system/cpu/cpu%d/topology/physical_package_id", cpu);
	snprintf(value, sizeof(value), "%d\n", package);
	put_file(m, name, value);
	snprintf(name, sizeof(name), "devices/system/cpu/cpu%d/topology/core_id", cpu);
	snprintf(value, sizeof(value), "%d\n", core);
	put_file(m, name, value);
	snprintf(name, sizeof(name), "devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
	put_file(m, name, siblings);
}

static void cpus(void)
{
	struct made m;

	begin(&m);
	IS_STR(rows_of(&m, &inventory_cpus), "", "no /sys: no CPUs");
	put_cpu(&m, 0, 0, 0, "0,2\n");
	put_cpu(&m, 2, 0, 0, "0,2\n");
	put_cpu(&m, 10, 1, 4, "10\n");
	put_file(&m, "devices/system/cpu/cpu2/online", "1\n");
	put_file(&m, "devices/system/cpu/cpu3/online", "0\n");
	put_file(&m, "devices/system/cpu/cpu10/cpufreq/cpuinfo_max_freq", "3400000\n");
	put_file(&m, "devices/system/cpu/cpufreq/boost", "1\n");
	put_file(&m, "devices/system/node/node0/cpulist", "0-2\n");
	put_file(&m, "devices/system/node/node7/cpulist", "10\n");
	put_file(&m, "devices/system/node/node9/cpulist", "\n");
	put_file(&m, "devices/cpu_core/cpus", "0-2\n");
	put_file(&m, "devices/cpu_atom/cpus", "10\n");
	IS_STR(rows_of(&m, &inventory_cpus),
	       "cpu 0 1 0 0 0 0 0 0 [cpu_core]\n"
	       "cpu 2 1 0 0 1 0 0 0 [cpu_core]\n"
	       "cpu 3 0 -1 -1 -1 -1 0 0 []\n"
	       "cpu 10 1 1 4 0 7 3400000 0 [cpu_atom]\n",
	       "CPUs in order of their numbers; one that is off has no place");
	put_cpu(&m, 0, 0, 0, "everything\n");
	put_file(&m, "devices/system/cpu/cpu0/topology/core_id", "");
	put_file(&m, "devices/system/cpu/cpu0/topology/physical_package_id", "zero\n");
	put_file(&m, "devices/system/cpu/cpu0/cpu_capacity", "99999999999999999999\n");
	put_file(&m, "devices/system/node/node0/cpulist", "0-99999999\n");
	OK(!strncmp(rows_of(&m, &inventory_cpus), "cpu 0 1 -1 -1 -1 -1 0 0 [cpu_core]\n", 35),
	   "what makes no sense is not known");
	end(&m);
}

static void irqs(void)
{
	struct made m;
	char *long_name = xmalloc(9000);

	begin(&m);
	put_file(&m, "kernel/irq/9/actions", "acpi\n");
	put_file(&m, "kernel/irq/9/chip_name", "IO-APIC\n");
	put_file(&m, "kernel/irq/16/actions", "ehci_hcd:usb1,i801_smbus\n");
	put_file(&m, "kernel/irq/17/actions", "\n");
	put_file(&m, "kernel/irq/18/chip_name", "gone while it was read\n");
	put_file(&m, "kernel/irq/99999999999/actions", "too large\n");
	put_file(&m, "kernel/irq/-1/actions", "none\n");
	IS_STR(rows_of(&m, &inventory_irqs),
	       "irq 9 [acpi] [IO-APIC]\n"
	       "irq 16 [ehci_hcd:usb1,i801_smbus] []\n",
	       "interrupts with a handler");
	memset(long_name, 'a', 9000);
	put_file_len(&m, "kernel/irq/9/actions", long_name, 9000);
	OK(strlen(rows_of(&m, &inventory_irqs)) < 4096 + 100, "a name without an end is cut");
	free(long_name);
	end(&m);
}

static void others(void)
{
	struct made m;

	begin(&m);
	put_file(&m, "class/net/eth0/ifindex", "2\n");
	put_file(&m, "class/net/bonding_masters", "bond0\n");
	put_file(&m, "class/net/odd/ifindex", "-3\n");
	put_file(&m, "class/net/huge/ifindex", "4294967298\n");
	IS_STR(rows_of(&m, &inventory_netifs), "netif 2 [eth0]\n",
	       "interfaces, and what else lies there");
	put_file(
		&m, "partitions",
		"major minor  #blocks  name\n\n 259        0  500107608 nvme0n1\n"
		" 259        1     524288 nvme0n1p1\n   8 0\n -8 0 1 minus\n 8 0 1 \n8 1 2 sd a\n 7");
	IS_STR(rows_of(&m, &inventory_blocks),
	       "block 259 0 500107608 [nvme0n1]\nblock 259 1 524288 [nvme0n1p1]\n"
	       "block 8 1 2 [sd a]\n",
	       "block devices; lines that are cut are left out");
	put_file(&m, "modules",
		 "loop 32768 0 - Live 0xffffffffc0440000\n"
		 "nf_tables 200704 12 nft_ct,nft_chain_nat, Live 0x0000000000000000 (OE)\n"
		 "broken\n 12 0 - Live 0x1\ncut 4096\n");
	IS_STR(rows_of(&m, &inventory_modules),
	       "module -1069285376 32768 [loop]\nmodule 0 200704 [nf_tables]\n",
	       "modules, with and without addresses");
	end(&m);
}

static void mounts(void)
{
	struct made m;

	begin(&m);
	put_file(&m, "self/mountinfo",
		 "22 27 0:21 / /proc rw,relatime - proc proc rw\n"
		 "36 35 98:0 /mnt1 /mnt\\0402 rw,noatime master:1 shared:2 - ext3 /dev/root rw\n"
		 "40 1 0:9 / /a\\134b\\08z\\400 rw - tmpfs  rw\n"
		 "41 1 0:9 / /no/dash rw\n"
		 "42 1 nine / /x rw - tmpfs none rw\n"
		 "43 1 0:3 /only - \n"
		 "44 1 0:3 / /short rw - sysfs\n");
	IS_STR(rows_of(&m, &inventory_mounts),
	       "mount 22 27 0 21 [/proc] [proc] [proc] [/]\n"
	       "mount 36 35 98 0 [/mnt 2] [ext3] [/dev/root] [/mnt1]\n"
	       "mount 40 1 0 9 [/a\\b\\08z\\400] [tmpfs] [rw] [/]\n"
	       "mount 44 1 0 3 [/short] [sysfs] [] [/]\n",
	       "mounts, with names that are written in octal");
	end(&m);
}

static void descriptors(void)
{
	struct made m;

	begin(&m);
	put_link(&m, "7/fd/0", "/dev/null");
	put_file(&m, "7/fdinfo/0", "pos:\t0\nflags:\t0100002\nmnt_id:\t24\n");
	put_link(&m, "7/fd/5", "socket:[4711]");
	put_file(&m, "7/fdinfo/5", "pos:\t0\nflags:\t02000002\n");
	put_link(&m, "7/fd/nothing", "/no/number");
	put_file(&m, "7/fd/9", "no link: it was closed");
	IS_NUM(gather_fds(&m.g, 7, FDS_KEPT), 0, "descriptors before an exec");
	IS_STR(m.rows.s, "fd 7 0 32770 [/dev/null]\n", "... without those that it closes");
	strbuf_reset(&m.rows);
	gather_fds(&m.g, 7, FDS_FLAGS);
	OK(strstr(m.rows.s, "fd 7 5 524290 [socket:[4711]]\n"), "... with them");
	strbuf_reset(&m.rows);
	gather_fds(&m.g, 7, FDS_NAMES);
	OK(strstr(m.rows.s, "fd 7 5 4294967295 [socket:[4711]]\n"), "... without their flags");
	strbuf_reset(&m.rows);
	IS_NUM(gather_fds(&m.g, 8, FDS_NAMES), 0, "a process that has ended is no failure");
	OK(!m.rows.len && !m.g.sums[INVENTORY_FD][INVENTORY_UNREADABLE], "... and has none");
	end(&m);
}

static int count_row(void *arg, const struct inventory_row *row)
{
	uint64_t *n = arg;

	n[row->kind]++;
	return 0;
}

static void bounds(void)
{
	uint64_t rows[INVENTORY_KINDS] = { 0 };
	struct strbuf text = { 0 };
	struct made m;
	char name[64];

	begin(&m);
	m.g.put = count_row;
	m.g.arg = rows;
	for (int i = 0; i < INVENTORY_ROWS + 1000; i++)
		strbuf_addf(&text, "%d 1 0:9 / /m rw - tmpfs none rw\n", i);
	put_file(&m, "self/mountinfo", text.s);
	inventory_mounts.read(&m.g);
	OK(rows[INVENTORY_MOUNT] == INVENTORY_ROWS &&
		   m.g.sums[INVENTORY_MOUNT][INVENTORY_LEFT_OUT] == 1000,
	   "more mounts than a recording takes are counted");
	strbuf_reset(&text);
	for (int i = 0; i < 4000; i++) {
		strbuf_addf(&text, "8 %d 1 ", i);
		for (int k = 0; k < 100; k++)
			strbuf_puts(&text, "a-name-that-goes-on-and-on");
		strbuf_putc(&text, '\n');
	}
	put_file(&m, "partitions", text.s);
	inventory_blocks.read(&m.g);
	OK(rows[INVENTORY_BLOCK] < 900 &&
		   rows[INVENTORY_BLOCK] + m.g.sums[INVENTORY_BLOCK][INVENTORY_LEFT_OUT] == 4000,
	   "... and more bytes of names, too");
	for (int i = 0; i < 300; i++) {
		snprintf(name, sizeof(name), "9/fd/%d", i);
		put_link(&m, name, "/dev/null");
	}
	m.g.sums[INVENTORY_FD][INVENTORY_WRITTEN] = INVENTORY_ROWS - 100;
	gather_fds(&m.g, 9, FDS_NAMES);
	OK(rows[INVENTORY_FD] == 100 && m.g.sums[INVENTORY_FD][INVENTORY_LEFT_OUT] == 200,
	   "... and descriptors");
	/* the directory is its owner's; root is another user for once */
	snprintf(name, sizeof(name), "%s/9/fd", m.root);
	chmod(name, 0);
	if (!getuid() && seteuid(65534))
		exit(1);
	gather_fds(&m.g, 9, FDS_NAMES);
	if (!getuid() && seteuid(0))
		exit(1);
	chmod(name, 0700);
	IS_NUM(m.g.sums[INVENTORY_FD][INVENTORY_UNREADABLE], 1,
	       "a process that may not be looked at is counted");
	strbuf_free(&text);
	end(&m);
}

static int refuse(void *arg, const struct inventory_row *row)
{
	(void)arg;
	(void)row;
	return -ENOSPC;
}

/* A trace with what @fill gathers; returns its directory. */
static void write_trace(const char *path, int (*fill)(struct gather *g))
{
	static const uint8_t uuid[16] = { 1 };
	struct inventory_encode to;
	struct gather g = {
		.proc = "/proc", .sys = "/sys", .put = inventory_encode_row, .arg = &to
	};
	struct strbuf text = { 0 };
	struct pev_encoder *enc;
	struct pev_writer *w;
	struct pev_meta *meta;
	struct pev_error e;
	size_t len;
	char *head;

	pev_meta_head(uuid, 0, 0, &head, &len);
	strbuf_add(&text, head, len);
	free(head);
	strbuf_puts(&text,
		    "event {\n	name = \"later\";\n	id = 0;\n	stream_id = 0;\n"
		    "	fields := struct {\n		uint32_t _n;\n	} align(64);\n};\n\n");
	inventory_metadata(&text);
	OK(strstr(text.s, "name = \"later\"") > strstr(text.s, "state:sum"),
	   "the metadata stand before what grows");
	if (pev_writer_open(path, 0, &w, &e) || pev_writer_metadata(w, text.s, text.len) ||
	    pev_meta_parse(text.s, text.len, 0, &meta, &e) ||
	    pev_writer_encoder(w, meta, "machine", UINT32_MAX, &enc) ||
	    inventory_encode_init(&to, enc, meta, 1000))
		exit(1);
	IS_NUM(fill(&g), 0, "rows become records");

	pev_encoder_close(enc);
	pev_writer_close(w);
	pev_meta_free(meta);
	strbuf_free(&text);
}

static int fill_some(struct gather *g)
{
	const struct inventory_row rows[] = {
		{ INVENTORY_CPU, { 0, 1, 0, (uint64_t)-1, 0, 0, 2400000 }, { "" } },
		{ INVENTORY_CPU, { 1, 1, 0, (uint64_t)-1, 1, 0, 3400000 }, { "" } },
		{ INVENTORY_IRQ, { 36 }, { "virtio1-req.0", "PCI-MSIX" } },
		{ INVENTORY_MOUNT, { 30, 1, 8, 1 }, { "/bind", "ext4", "/dev/sda1", "/below" } },
		{ INVENTORY_MOUNT, { 31, 1, 8, 1 }, { "/", "ext4", "/dev/sda1", "/" } },
		{ INVENTORY_FD, { 42, 3, 0100000 }, { "/a\nb\x1b" } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		g->put(g->arg, &rows[i]);
		g->sums[rows[i].kind][INVENTORY_WRITTEN]++;
	}
	g->sums[INVENTORY_FD][INVENTORY_UNREADABLE] = 2;
	g->sums[INVENTORY_MOUNT][INVENTORY_LEFT_OUT] = 1;
	gather_sums(g);
	/* a part that was joined */
	g->put(g->arg, &rows[2]);
	return gather_sums(g);
}

static int fill_cut(struct gather *g)
{
	return g->put(g->arg, &(struct inventory_row){ INVENTORY_IRQ, { 1 }, { "a", "b" } });
}

static int fill_places(struct gather *g)
{
	const struct inventory_row rows[] = {
		{ INVENTORY_CPU, { 0, 1, 0, 4, 0, 0 }, { "" } },
		{ INVENTORY_CPU, { 1, 1, 1, 4, 0, 1 }, { "" } },
		{ INVENTORY_CPU, { 3, 0, (uint64_t)-1, (uint64_t)-1, 0, (uint64_t)-1 }, { "" } },
		{ INVENTORY_CPU, { UINT32_MAX, 1, 0, 0, 0, 0 }, { "" } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		g->put(g->arg, &rows[i]);
	return 0;
}

/* Numbers + 1 */
static void place_is(const struct topology *t, uint32_t cpu, uint32_t node, uint32_t socket,
		     uint32_t core, const char *what)
{
	struct topology_cpu at = topology_of(t, cpu);

	OK(at.node == node && at.socket == socket && at.core == core, "%s: %u %u %u", what, at.node,
	   at.socket, at.core);
}

static void places(const char *path, bool known)
{
	struct session s = { 0 };
	struct topology t;
	struct msg m = { 0 };

	if (session_open(&s, path, &m))
		exit(1);
	IS_NUM(topology_check(&s, 1u << SORT_CPU, &m), 0, "by CPU, nothing is needed");
	IS_NUM(topology_check(&s, 1u << SORT_NODE | 1u << SORT_CORE, &m), known ? 0 : -ENODATA,
	       "by node and core, a recording that says them");
	topology_load(&t, &s);
	place_is(&t, 0, known, known, known ? 5 : 0, "a CPU");
	place_is(&t, 1, known ? 2 : 0, known ? 2 : 0, known ? 5 : 0, "one of another node");
	place_is(&t, 2, 0, 0, 0, "one that is not named");
	place_is(&t, 3, 0, 0, 0, "one that is off");
	place_is(&t, UINT32_MAX, 0, 0, 0, "one that no machine has");
	topology_free(&t);
	session_close(&s);
}

static void load(struct inventory *v, const char *path)
{
	struct pev_trace *t;
	struct pev_error e;

	*v = (struct inventory){ 0 };
	if (pev_trace_open(path, 0, &t, &e))
		exit(1);
	inventory_load(v, t);
	pev_trace_close(t);
}

static void reads(const char *path)
{
	const struct inventory_row *row;
	struct strbuf b = { 0 };
	struct inventory v;

	load(&v, path);
	IS_NUM(v.count[INVENTORY_CPU], 2, "what was written is read");
	IS_NUM(v.count[INVENTORY_IRQ], 1, "... of parts that were joined, the first");
	row = inventory_find(&v, INVENTORY_IRQ, 36, 0, NULL);
	IS_STR(row ? row->s[0] : NULL, "virtio1-req.0", "... and found by its number");
	OK(!inventory_find(&v, INVENTORY_IRQ, 42, 0, NULL), "... not by one of another kind");
	row = inventory_find(&v, INVENTORY_MOUNT, 8, 1, NULL);
	row = row ? inventory_find(&v, INVENTORY_MOUNT, 8, 1, row) : NULL;
	IS_STR(row ? row->s[0] : NULL, "/", "... each of several of a number");
	OK(!row || !inventory_find(&v, INVENTORY_MOUNT, 8, 1, row), "... and no more");
	row = inventory_find(&v, INVENTORY_CPU, 1, 0, NULL);
	OK(row && (int64_t)row->n[3] == -1 && row->n[6] == 3400000, "numbers keep their signs");
	inventory_topology(&v, &b);
	IS_STR(b.s, "1 package, 2 threads; 1 NUMA node; up to 3.40 GHz", "the topology in words");
	strbuf_reset(&b);
	inventory_counts(&v, &b);
	IS_STR(b.s, "2 CPUs, 1 interrupt, 2 mounts, 1 descriptor", "how many there are");
	strbuf_reset(&b);
	inventory_missing(&v, &b);
	IS_STR(b.s,
	       "1 mount more than a recording takes; descriptors of 2 processes that the recorder "
	       "may not read",
	       "... and are missing");
	inventory_free(&v);
	strbuf_free(&b);
}

static void traces(void)
{
	struct gather full = { .proc = "/proc", .sys = "/sys", .put = refuse };
	struct strbuf b = { 0 };
	struct inventory v;
	struct made m;
	char *path;

	IS_NUM(gather_machine(&full), -ENOSPC, "a full disk ends the reading");
	begin(&m);
	path = xasprintf("%s/some", m.root);
	write_trace(path, fill_some);
	reads(path);
	free(path);
	path = xasprintf("%s/cut", m.root);
	write_trace(path, fill_cut);
	load(&v, path);
	inventory_missing(&v, &b);
	OK(v.count[INVENTORY_IRQ] == 1 && b.s && strstr(b.s, "interrupts that were cut off"),
	   "what was cut says so");
	strbuf_free(&b);
	inventory_free(&v);
	free(path);
	path = xasprintf("%s/cut", m.root);
	places(path, false);
	free(path);
	path = xasprintf("%s/places", m.root);
	write_trace(path, fill_places);
	places(path, true);
	free(path);
	path = xasprintf("%s/real", m.root);
	write_trace(path, gather_machine);
	load(&v, path);
	OK(v.count[INVENTORY_CPU] >= 1 && v.count[INVENTORY_MOUNT] >= 1, "the machine at hand");
	inventory_free(&v);
	free(path);
	end(&m);
}

void test_inventory(void)
{
	cpus();
	irqs();
	others();
	mounts();
	descriptors();
	bounds();
	traces();
}
