// SPDX-License-Identifier: GPL-2.0
/*
 * Owns <debugfs>/pev/text, which shows events as lines on a machine where there is nothing
 * but a shell. Who opens it has a private channel: "system:event [filter]" is written to it
 * to listen, and what is read are the records of all CPUs, in the order of time, each in the
 * print format of its event. With the file all of it goes.
 *
 * Locks: a text's @lock has its buffer; the client's own lock nests in it.
 */
#include <linux/atomic.h>
#include <linux/capability.h>
#include <linux/cleanup.h>
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/poll.h>
#include <linux/pev_channel.h>
#include <linux/pev_clock.h>
#include <linux/security.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <linux/uaccess.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include "base/paranoid.h"
#include "base/work.h"
#include "glue/linux.h"
#include "types.h"
#include "client.h"
#include "line.h"
#include "text.h"

#define RING_SIZE SZ_1M
#define PACKET_SIZE SZ_16K

/* Lines that are formatted at once; it has room for the longest one. */
#define BUFFER SZ_64K

/* A line with its event and a filter. */
#define MAX_LINE (PEV_MAX_NAME + PEV_MAX_FILTER)

/* So often is looked for records of which there are not enough to wake a reader. */
#define LOOK (HZ / 10)

static const char help[] =
	"# Open this file to read and write, write lines \"system:event [filter]\" to it, and read:\n"
	"#	exec 3<>/sys/kernel/debug/pev/text; echo sched:sched_switch >&3; cat <&3\n";

/**
 * struct text - an open file
 * @client: its channel
 * @events: it listens to
 * @lock:   see above
 * @line:   the one that is made
 * @buffer: lines
 * @used:   bytes of them that were read
 * @len:    bytes of them
 * @left:   bytes of them that were not read, for poll(), which must not wait for @lock
 * @lost:   records of which was told that they are lost
 * @helped: it was told how this file is used
 * @look:   wakes poll() when there is less than wakes a reader
 */
struct text {
	struct pev_client	*client;
	atomic_t		events;
	struct mutex		lock; /* see above */
	struct pev_line		line;
	char			*buffer;
	size_t			used;
	size_t			len;
	size_t			left;
	u64			lost;
	bool			helped;
	struct delayed_work	look;
};

static struct dentry *dir;
static atomic64_t last_nr;

/* ---- lines ---- */

/* Return: false if there is no room for another line. */
static bool take_record(const struct pev_client_record *record, void *data)
{
	struct text *text = data;
	struct seq_buf *line = &text->line.iter->seq.seq;

	pev_line_put(&text->line, pev_client_clock(text->client),
		     pev_client_event_of(record->event), record->time, record->cpu, record->tid,
		     record->data, record->size);
	memcpy(text->buffer + text->len, line->buffer, seq_buf_used(line));
	text->len += seq_buf_used(line);
	/* one that is too long was cut, and its newline with it */
	if (text->buffer[text->len - 1] != '\n')
		text->buffer[text->len++] = '\n';
	return text->len < BUFFER - TRACE_SEQ_SIZE;
}

/* Say how much was lost since this was said last; all lines have been read. */
static void put_lost(struct text *text)
{
	u64 lost = pev_client_lost(text->client);

	if (lost == text->lost)
		return;
	text->len = scnprintf(text->buffer, BUFFER, "# %llu records were lost\n",
			      lost - text->lost);
	WRITE_ONCE(text->lost, lost);
}

/* Nothing is listened to: say so, once. */
static void put_help(struct text *text)
{
	text->used = 0;
	text->len = text->helped ? 0 : strscpy(text->buffer, help, BUFFER);
	text->helped = true;
}

/* Format what there is. Return: 0, or an error: there is nothing, or a signal came. */
static int fill(struct text *text, bool wait)
{
	long nr;

	text->used = 0;
	text->len = 0;
	put_lost(text);
	while (!text->len) {
		nr = pev_client_read(text->client, take_record, text);
		if (nr < 0)
			return nr;
		if (nr)
			break;
		if (!wait)
			return -EAGAIN;
		if (pev_client_wait(text->client, LOOK))
			return -ERESTARTSYS;
	}
	return 0;
}

/* ---- the file ---- */

/* Let there be something in the buffer; if that is nothing, it is the end. */
static int prepare(struct text *text, bool wait)
{
	if (text->used < text->len)
		return 0;
	if (atomic_read(&text->events))
		return fill(text, wait);
	put_help(text);
	return 0;
}

static ssize_t text_read(struct file *file, char __user *buf, size_t count, loff_t *pos)
{
	struct text *text = file->private_data;
	int err;

	if (mutex_lock_interruptible(&text->lock))
		return -ERESTARTSYS;
	err = prepare(text, !(file->f_flags & O_NONBLOCK));
	if (!err) {
		count = min(count, text->len - text->used);
		if (copy_to_user(buf, text->buffer + text->used, count))
			err = -EFAULT;
		else
			text->used += count;
	}
	WRITE_ONCE(text->left, text->len - text->used);
	mutex_unlock(&text->lock);
	return err ?: count;
}

/* Would read() return at once? The help and the end are something to read. */
static bool ready(struct text *text)
{
	return READ_ONCE(text->left) || !atomic_read(&text->events) ||
	       pev_client_unread(text->client) ||
	       pev_client_lost(text->client) != READ_ONCE(text->lost);
}

/* Rechecks as long as a caller waits. */
static void look(struct work_struct *work)
{
	struct text *text = container_of(to_delayed_work(work), struct text, look);
	wait_queue_head_t *queue = pev_client_queue(text->client);

	if (ready(text))
		wake_up_poll(queue, EPOLLIN | EPOLLRDNORM);
	else if (wq_has_sleeper(queue))
		queue_delayed_work(pev_wq, &text->look, LOOK);
}

static __poll_t text_poll(struct file *file, poll_table *wait)
{
	struct text *text = file->private_data;
	__poll_t mask = EPOLLOUT | EPOLLWRNORM;

	poll_wait(file, pev_client_queue(text->client), wait);
	if (ready(text))
		mask |= EPOLLIN | EPOLLRDNORM;
	else
		queue_delayed_work(pev_wq, &text->look, LOOK);
	return mask;
}

/* "system:event", or that and a filter behind a blank. */
static int listen(struct text *text, char *line)
{
	struct pev_client_event *event;
	char *name, *filter = strim(line);

	name = strsep(&filter, " \t");
	if (!*name || *name == '#')
		return 0;
	filter = filter ? skip_spaces(filter) : NULL;
	event = pev_client_listen(text->client, name, filter, NULL);
	if (IS_ERR(event))
		return PTR_ERR(event);
	atomic_inc(&text->events);
	return 0;
}

/* Up to the first line that is refused; why it is, is in the kernel's log. */
static ssize_t text_write(struct file *file, const char __user *buf, size_t count, loff_t *pos)
{
	char *lines __free(kfree) = NULL;
	char *rest, *line;
	int err = 0;

	if (count > MAX_LINE)
		return -E2BIG;
	lines = memdup_user_nul(buf, count);
	if (IS_ERR(lines))
		return PTR_ERR(lines);
	rest = lines;
	while (!err && (line = strsep(&rest, "\n")))
		err = listen(file->private_data, line);
	return err ?: count;
}

static void text_free(struct text *text)
{
	cancel_delayed_work_sync(&text->look);
	pev_client_destroy(text->client);
	pev_line_free(&text->line);
	kvfree(text->buffer);
	mutex_destroy(&text->lock);
	kfree(text);
}

static int text_alloc(struct text *text)
{
	char name[32];
	const struct pev_client_desc desc = {
		.name = name,
		.flags = PEV_CLIENT_PRIVATE,
		.ring_size = RING_SIZE,
		.packet_size = PACKET_SIZE,
	};

	snprintf(name, sizeof(name), "text:%lld", atomic64_inc_return(&last_nr));
	text->buffer = kvmalloc(BUFFER, GFP_KERNEL);
	if (!text->buffer || pev_line_alloc(&text->line, PACKET_SIZE))
		return -ENOMEM;
	text->client = pev_client_create(&desc);
	return PTR_ERR_OR_ZERO(text->client);
}

/* The file shows what the kernel does: the rights are those of tracepoints. */
static int may_open(void)
{
	int err;

	if (pev_paranoid_level() >= PEV_PARANOID_OFF || !perfmon_capable())
		return -EACCES;
	err = pev_security_perf(PERF_SECURITY_TRACEPOINT);
	return err ?: security_locked_down(LOCKDOWN_PERF);
}

static int text_open(struct inode *inode, struct file *file)
{
	struct text *text;
	int err = may_open();

	if (err)
		return err;
	text = kzalloc(sizeof(*text), GFP_KERNEL);
	if (!text)
		return -ENOMEM;
	mutex_init(&text->lock);
	INIT_DELAYED_WORK(&text->look, look);
	err = text_alloc(text);
	if (err) {
		text_free(text);
		return err;
	}
	file->private_data = text;
	return stream_open(inode, file);
}

static int text_release(struct inode *inode, struct file *file)
{
	text_free(file->private_data);
	return 0;
}

static const struct file_operations text_fops = {
	.owner = THIS_MODULE,
	.open = text_open,
	.read = text_read,
	.write = text_write,
	.poll = text_poll,
	.release = text_release,
};

void __init pev_text_setup(void)
{
	dir = debugfs_create_dir("pev", NULL);
	debugfs_create_file("text", 0600, dir, NULL, &text_fops);
}

void __pev_teardown pev_text_teardown(void)
{
	debugfs_remove(dir);
}
