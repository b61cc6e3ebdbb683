// SPDX-License-Identifier: GPL-2.0
/*
 * Collects what a bug report needs into one text. A section prints what it finds; all of it
 * goes through scrub_text(). Nothing is listed that can't be named here: no environment,
 * no processes, no files but those of the kernel.
 */
#include "bundle.h"
#include "facts.h"
#include "scrub.h"
#include "base/text.h"
#include "base/version.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const struct section {
	const char *title;
	void (*print)(const struct facts_source *from, FILE *out);
} sections[] = {
	{ "perfctl", facts_perfctl },
	{ "perfctl doctor", facts_doctor },
	{ "system and kernel", facts_kernel },
	{ "configuration of the kernel", facts_kernel_config },
	{ "settings of the kernel", facts_sysctls },
	{ "processor", facts_processor },
	{ "PMUs", facts_pmus },
	{ "rights and limits", facts_limits },
	{ "mounts", facts_mounts },
	{ "environment", facts_environment },
	{ "configuration of perfctl", facts_config },
};

/* Returns the text of a section, without what must not be sent. */
static void put_section(const struct section *section, const struct facts_source *from,
			const struct scrub *scrub, struct strbuf *b)
{
	size_t len;
	char *text;
	FILE *out = checked(open_memstream(&text, &len));

	section->print(from, out);
	fclose(out);
	strbuf_addf(b, "== %s ==\n", section->title);
	scrub_text(scrub, b, text);
	strbuf_putc(b, '\n');
	free(text);
}

static int write_all(int fd, const struct strbuf *b)
{
	for (size_t done = 0; done < b->len;) {
		ssize_t n = write(fd, b->s + done, b->len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -ENOSPC;
		done += (size_t)n;
	}
	return fsync(fd) ? -errno : 0;
}

/* Gives the complete file its name, unless something has it. */
static int give_name(const char *temporary, const char *path)
{
	if (!renameat2(AT_FDCWD, temporary, AT_FDCWD, path, RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -errno;
	/* file systems without that flag have links */
	if (link(temporary, path))
		return -errno;
	unlink(temporary);
	return 0;
}

/* The file has its name only when it is complete, and is its owner's alone from the start. */
static int save(const char *path, const struct strbuf *b, struct msg *m)
{
	char *temporary = xasprintf("%s.XXXXXX", path);
	int fd = mkostemp(temporary, O_CLOEXEC), err = fd < 0 ? -errno : 0;

	if (!err) {
		err = write_all(fd, b);
		close(fd);
		if (!err)
			err = give_name(temporary, path);
		if (err)
			unlink(temporary);
	}
	free(temporary);
	if (err == -EEXIST)
		return msg_set(m, err, "%s exists and is not overwritten: give another name, as in "
			       "--bundle FILE", path);
	return err ? msg_set(m, -EIO, "%s: %s", path, strerror(-err)) : 0;
}

static char *default_name(void)
{
	time_t now = time(NULL);
	char date[16];
	struct tm tm;

	strftime(date, sizeof(date), "%Y-%m-%d", localtime_r(&now, &tm));
	return xasprintf("perfctl-doctor-%s.txt", date);
}

static void announce(const char *path, size_t size)
{
	char buf[32];

	printf("%s (%s) has:\n\n", path, text_bytes(buf, size));
	for (size_t i = 0; i < ARRAY_SIZE(sections); i++)
		printf("  %s\n", sections[i].title);
	printf("\nNames of the machine and of users, paths in home directories, and values that may be\n"
	       "secret were taken out. It is plain text: look at it before you send it, and add the\n"
	       "command that failed and what it said.\n");
}

int bundle_write(const char *path, const struct command *const *commands, size_t n,
		 struct msg *m)
{
	const struct facts_source from = { commands, n };
	char *name = path ? xstrdup(path) : default_name();
	struct scrub scrub = { 0 };
	struct strbuf b = { 0 };
	struct stat st;
	int err;

	/* the examination takes a moment: refuse before it */
	if (!lstat(name, &st)) {
		err = msg_set(m, -EEXIST, "%s exists and is not overwritten: give another name, as "
			      "in --bundle FILE", name);
		free(name);
		return err;
	}
	scrub_learn(&scrub);
	for (size_t i = 0; i < ARRAY_SIZE(sections); i++)
		put_section(&sections[i], &from, &scrub, &b);
	err = save(name, &b, m);
	if (!err)
		announce(name, b.len);
	scrub_free(&scrub);
	strbuf_free(&b);
	free(name);
	return err;
}
