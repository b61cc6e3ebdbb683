// SPDX-License-Identifier: GPL-2.0
/*
 * Owns the catalog: a snapshot of all events that can be opened, one line each.
 * Where the lines come from is the sources' business.
 */
#include <linux/anon_inodes.h>
#include <linux/array_size.h>
#include <linux/fs.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "catalog.h"
#include "event.h"
#include "pmu.h"
#include "software.h"

static const char * const timers[PEV_TIMER_MAX] = {
	[PEV_TIMER_CPU_CLOCK]	= "cpu-clock",
	[PEV_TIMER_TASK_CLOCK]	= "task-clock",
};

static const char * const sidebands[PEV_SB_MAX] = {
	[PEV_SB_MMAP]	= "mmap",
	[PEV_SB_COMM]	= "comm",
	[PEV_SB_FORK]	= "fork",
	[PEV_SB_EXEC]	= "exec",
	[PEV_SB_EXIT]	= "exit",
};

static void list_software(struct pev_text *text)
{
	for (unsigned int i = 0; i < PEV_SW_MAX; i++) {
		if (pev_software_name(i))
			pev_text_printf(text, "software %s -\n", pev_software_name(i));
	}
}

static void list_timers(struct pev_text *text)
{
	for (unsigned int i = 0; i < PEV_TIMER_MAX; i++)
		pev_text_printf(text, "timer %s -\n", timers[i]);
}

/* "\t\ttype name;\n" for each field, as metadata has it, to "type name;...". */
static void put_fields(struct pev_text *text, const struct pev_text *lines)
{
	const char *p = lines->buf;
	const char *end = p + lines->len;
	const char *sep = "";

	while (p < end) {
		const char *semicolon = memchr(p, ';', end - p) ?: end;

		while (p < semicolon && (*p == '\t' || *p == '\n' || *p == ' '))
			p++;
		if (p < semicolon) {
			pev_text_printf(text, "%s%.*s", sep, (int)(semicolon - p), p);
			sep = ";";
		}
		p = semicolon + 1;
	}
	if (!*sep)
		pev_text_printf(text, "-");
}

/* Sideband events say what they have in metadata's language only. */
static void list_sideband(struct pev_text *text)
{
	struct pev_event *event = kzalloc(sizeof(*event), GFP_KERNEL);

	if (!event) {
		text->error = -ENOMEM;
		return;
	}
	event->ops = &pev_sideband_source;
	for (unsigned int i = 0; i < PEV_SB_MAX; i++) {
		struct pev_text lines = { };

		event->config = i;
		if (event->ops->fields)
			event->ops->fields(event, &lines);
		pev_text_printf(text, "sideband %s ", sidebands[i]);
		put_fields(text, &lines);
		pev_text_printf(text, "\n");
		if (lines.error)
			text->error = lines.error;
		pev_text_free(&lines);
	}
	kfree(event);
}

static ssize_t text_read(struct file *file, char __user *buf, size_t count, loff_t *pos)
{
	struct pev_text *text = file->private_data;

	return simple_read_from_buffer(buf, count, pos, text->buf, text->len);
}

static loff_t text_llseek(struct file *file, loff_t offset, int whence)
{
	struct pev_text *text = file->private_data;

	return fixed_size_llseek(file, offset, whence, text->len);
}

static int text_release(struct inode *inode, struct file *file)
{
	struct pev_text *text = file->private_data;

	pev_text_free(text);
	kfree(text);
	return 0;
}

static const struct file_operations text_fops = {
	.owner		= THIS_MODULE,
	.read		= text_read,
	.llseek		= text_llseek,
	.release	= text_release,
};

struct file *pev_text_file(const char *name, struct pev_text *text)
{
	struct file *file = text->error ? ERR_PTR(text->error) :
			    anon_inode_getfile_fmode(name, &text_fops, text, O_RDONLY,
						     FMODE_PREAD);

	if (IS_ERR(file)) {
		pev_text_free(text);
		kfree(text);
	}
	return file;
}

struct file *pev_catalog_file(void)
{
	struct pev_text *text = kzalloc(sizeof(*text), GFP_KERNEL_ACCOUNT);

	if (!text)
		return ERR_PTR(-ENOMEM);
	list_software(text);
	list_timers(text);
	pev_tracepoint_catalog(text);
	pev_marker_catalog(text);
	list_sideband(text);
	pev_pmu_catalog(text);
	return pev_text_file("[pev-catalog]", text);
}
