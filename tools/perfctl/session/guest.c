// SPDX-License-Identifier: GPL-2.0
/* Finds functions of a guest's kernel. See guest.h. */
#include "guest.h"
#include "base/util.h"

#include <errno.h>
#include <inttypes.h>
#include <pev/sym.h>
#include <stdlib.h>

/* One file for all guests of a run: it is named by an option. */
static struct pev_syms *guest;

/* Says what is wrong with a file that names no function. */
static int check_text(const char *path, const char *text, struct msg *m)
{
	bool any = false;

	for (const char *line = text; line && *line; line = strchr(line, '\n')) {
		uint64_t addr;
		char type, name[2];

		line += *line == '\n';
		if (sscanf(line, "%" SCNx64 " %c %1s", &addr, &type, name) != 3)
			continue;
		any = true;
		if (addr)
			return 0;
	}
	if (any)
		return msg_set(m, -EINVAL,
			       "--guest-kallsyms %s: all addresses in it are 0: copy "
			       "/proc/kallsyms as root, in the guest",
			       path);
	return msg_set(m, -EINVAL,
		       "--guest-kallsyms %s: no line of it is \"ADDRESS TYPE NAME\": give a copy "
		       "of the guest's /proc/kallsyms",
		       path);
}

int guest_kallsyms(void *opts, const char *arg, struct msg *m)
{
	size_t len;
	char *text = file_read(arg, &len);
	int err;

	(void)opts;
	if (!text)
		return msg_set(m, -EINVAL, "--guest-kallsyms %s: %s", arg, strerror(errno));
	err = check_text(arg, text, m);
	if (!err) {
		pev_syms_free(guest);
		if (pev_syms_new(0, &guest) || pev_syms_set_kernel(guest, text, len))
			checked(NULL);
	}
	free(text);
	return err;
}

const char *guest_function(uint64_t addr)
{
	struct pev_sym sym;

	if (!guest || pev_sym_find(guest, PEV_SYM_KERNEL, addr, &sym) <= 0 ||
	    sym.index == PEV_SYM_NO_INDEX)
		return NULL;
	return pev_sym_name(guest, sym.object, sym.index);
}
