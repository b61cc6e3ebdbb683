// SPDX-License-Identifier: GPL-2.0
/* Asking the running kernel. See kernel.h. */
#include "kernel.h"

#include <errno.h>
#include <stdarg.h>
#include <sys/utsname.h>

static int no_pev(struct msg *m)
{
	struct utsname u;

	if (uname(&u))
		strcpy(u.release, "?");
	return msg_set(m, -ENOSYS,
		       "the running kernel (%s) has no pev: boot a kernel that was built with "
		       "CONFIG_PEV, or try one with \"make vm\" in the pev sources", u.release);
}

int kernel_info(struct pev_info *info, struct msg *m)
{
	int err = pev_query_info(info);

	if (err == -ENOSYS)
		return no_pev(m);
	if (err == -EPERM)
		return msg_set(m, err,
			       "pev_open(2) is not permitted here: a seccomp filter (as containers "
			       "have) or a security module forbids it");
	if (err)
		return msg_set(m, err, "the kernel does not say what it can do: %s",
			       strerror(-err));
	return 0;
}

int kernel_catalog(struct pev_catalog **catalog, struct msg *m)
{
	struct pev_why why;
	int err = pev_catalog_read(catalog, &why);

	if (err == -ENOSYS)
		return no_pev(m);
	if (err)
		return kernel_refused(m, err, &why, "the list of events");
	return 0;
}

int kernel_refused(struct msg *m, int err, const struct pev_why *why, const char *fmt, ...)
{
	char what[512];
	va_list ap;

	if (err == -ENOSYS)
		return no_pev(m);
	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	if (err == -EMFILE || err == -ENFILE)
		return msg_set(m, err, "%s: too many open files (%s); raise \"ulimit -n\"", what,
			       strerror(-err));
	/* the kernel may have begun with the same name */
	if (!strncmp(why->text, what, strlen(what)) && why->text[strlen(what)] == ':')
		return msg_set(m, err, "%s", why->text);
	return msg_set(m, err, "%s: %s", what, why->text[0] ? why->text : strerror(-err));
}
