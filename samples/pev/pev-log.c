// SPDX-License-Identifier: GPL-2.0
/*
 * Channels of a driver's own: its log, which user space reads as "pev_log" while a program
 * is interested, and the same records once more in "pev_log_private", of which the driver
 * keeps the sums itself. A reader of the first that stops loses nothing of the second.
 *
 * Write "<context> <count>" to <debugfs>/pev_log/fire, <context> being task, softirq, irq
 * or mixed. <debugfs>/pev_log/sums tells what the driver has read of its private channel:
 *
 *	written lost read unordered characters
 *
 * With forgets=1 the module goes without giving its channels back, which the kernel does then.
 */
#include <linux/atomic.h>
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/pev_channel.h>
#include <linux/preempt.h>
#include <linux/seq_file.h>
#include <linux/sizes.h>
#include <linux/string.h>
#include "contexts.h"

static bool forgets;
module_param(forgets, bool, 0444);
MODULE_PARM_DESC(forgets, "Do not give the channels back when the module goes");

/* A line of the log: what a reader sees is what is declared here. */
struct pev_log_line {
	u64	serial;
	u32	level;
	u16	text_len;
	char	text[];
};

PEV_CLIENT_EVENT_ARRAY(line_event, "pev_log:line", pev_log_line, text, serial, level, text_len);

/* And one that is always the same size. */
struct pev_log_state {
	u64		serial;
	const void	*device;
	s32		celsius;
	char		name[12];
};

PEV_CLIENT_EVENT(state_event, "pev_log:state", pev_log_state, serial, device, celsius, name);

/* Both channels have both events. */
struct pev_log {
	struct pev_client	*client;
	struct pev_client_event	*line;
	struct pev_client_event	*state;
};

static struct pev_log shown, hidden;
static atomic64_t serial;
static u64 nr_read, nr_unordered, nr_characters, newest;

/* Reserved, filled in where it lies, and committed. Preemption is disabled. */
static void log_line(const struct pev_log *log, u32 level, const char *text)
{
	u16 len = strlen(text);
	struct pev_log_line *line;

	line = pev_client_reserve(log->line, offsetof(struct pev_log_line, text) + len);
	if (!line)
		return;
	line->serial = atomic64_read(&serial);
	line->level = level;
	line->text_len = len;
	memcpy(line->text, text, len);
	pev_client_commit(log->line);
}

/* Or copied, which disables preemption on its own. */
static void log_state(const struct pev_log *log, s32 celsius)
{
	struct pev_log_state state = {
		.serial = atomic64_read(&serial),
		.device = &shown,
		.celsius = celsius,
		.name = "sample",
	};

	pev_client_write(log->state, &state, sizeof(state));
}

static void fire(const char *context, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++) {
		atomic64_inc(&serial);
		preempt_disable();
		log_line(&shown, 6, context);
		log_line(&hidden, 6, context);
		preempt_enable();
		log_state(&shown, -(int)i);
		log_state(&hidden, -(int)i);
	}
}

/* A worker calls it with the records of all CPUs, in the order of time. */
static void consume(const struct pev_client_record *record, void *data)
{
	/* by nobody else, and read by sums_show() meanwhile */
	WRITE_ONCE(nr_read, nr_read + 1);
	WRITE_ONCE(nr_unordered, nr_unordered + (record->time < newest));
	newest = record->time;
	if (record->event == hidden.line) {
		const struct pev_log_line *line = record->data;

		WRITE_ONCE(nr_characters, nr_characters + line->text_len);
	}
}

static int sums_show(struct seq_file *m, void *unused)
{
	struct pev_client_stat line = pev_client_stat(hidden.line);
	struct pev_client_stat state = pev_client_stat(hidden.state);

	seq_printf(m, "%llu %llu %llu %llu %llu\n", line.written + state.written,
		   line.lost + state.lost, READ_ONCE(nr_read), READ_ONCE(nr_unordered),
		   READ_ONCE(nr_characters));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(sums);

static int open_log(struct pev_log *log, const struct pev_client_desc *desc)
{
	log->client = pev_client_create(desc);
	if (IS_ERR(log->client))
		return PTR_ERR(log->client);
	log->line = pev_client_add(log->client, &line_event);
	if (IS_ERR(log->line))
		return PTR_ERR(log->line);
	log->state = pev_client_add(log->client, &state_event);
	return PTR_ERR_OR_ZERO(log->state);
}

static int open_logs(void)
{
	const struct pev_client_desc to_show = { .name = "pev_log", .ring_size = SZ_64K };
	const struct pev_client_desc to_hide = {
		.name = "pev_log_private",
		.flags = PEV_CLIENT_PRIVATE,
		.ring_size = SZ_4M,
		.consume = consume,
		.period_ms = 10,
	};
	int err;

	err = open_log(&shown, &to_show);
	return err ?: open_log(&hidden, &to_hide);
}

static struct dentry *dir;

static int __init pev_log_init(void)
{
	int err = open_logs();

	if (err) {
		pev_client_destroy(hidden.client);
		pev_client_destroy(shown.client);
		return err;
	}
	dir = debugfs_create_dir("pev_log", NULL);
	debugfs_create_file("fire", 0200, dir, NULL, &fire_fops);
	debugfs_create_file("sums", 0400, dir, NULL, &sums_fops);
	return 0;
}

static void __exit pev_log_exit(void)
{
	/* nothing writes any more, then the channels can go */
	debugfs_remove(dir);
	contexts_end();
	if (forgets)
		return;
	pev_client_destroy(hidden.client);
	pev_client_destroy(shown.client);
}

module_init(pev_log_init);
module_exit(pev_log_exit);
MODULE_DESCRIPTION("A driver's log in channels of pev, as a sample");
MODULE_LICENSE("GPL");
