// SPDX-License-Identifier: GPL-2.0
/* Finds functions of a guest's kernel. See guest.h. */
#include "guest.h"
#include "base/util.h"
#include "kvm/guest_kernel.h"

#include <errno.h>
#include <inttypes.h>
#include <pev/sym.h>
#include <stdlib.h>

/**
 * struct guest_names - one file for all guests of a run
 * @kernel: of options; @option is what was typed, NULL: nothing
 */
static struct {
	struct pev_syms *syms;
	struct guest_kernel kernel;
	char *option;
} guest;

static void take(const char *symbols, size_t len)
{
	pev_syms_free(guest.syms);
	if (pev_syms_new(0, &guest.syms) || pev_syms_set_kernel(guest.syms, symbols, len))
		checked(NULL);
}

/* What an option named: the last one is meant. */
static void choose(struct guest_kernel *k, char *option)
{
	take(k->symbols, k->len);
	guest_kernel_free(&guest.kernel);
	free(guest.option);
	guest.kernel = *k;
	guest.option = option;
}

int guest_kallsyms(void *opts, const char *arg, struct msg *m)
{
	struct guest_kernel k;
	int err = guest_kernel_read(&k, "--guest-kallsyms ", arg, m);

	(void)opts;
	if (!err)
		choose(&k, xasprintf("--guest-kallsyms %s", arg));
	return err;
}

int guest_mount(void *opts, const char *arg, struct msg *m)
{
	struct guest_kernel k;
	int err = guest_kernel_mounted(&k, arg, m);

	(void)opts;
	if (!err)
		choose(&k, xasprintf("--guest-mount %s", arg));
	return err;
}

/* Is it the kernel that was recorded, and the same boot of it? */
static int check(const char *id, uint64_t text, struct msg *m)
{
	if (id && guest.kernel.id[0] && strcmp(id, guest.kernel.id))
		return msg_set(
			m, -ESTALE,
			"%s is of another kernel than the guest ran, whose build id is %s, and "
			"not %s: copy /proc/kallsyms of that kernel",
			guest.option, id, guest.kernel.id);
	if (text && guest.kernel.text && text != guest.kernel.text)
		return msg_set(m, -ESTALE,
			       "%s is of another boot of the guest, as the kernel lay at 0x%" PRIx64
			       ", and not at 0x%" PRIx64
			       ": leave it out, as the recording has the names",
			       guest.option, text, guest.kernel.text);
	return 0;
}

int guest_names_open(const struct pev_trace *trace, struct msg *m)
{
	char *symbols;
	size_t len;
	int err = 0;

	if (pev_trace_info_file(trace, GUEST_KALLSYMS_FILE, &symbols, &len))
		return 0;
	if (guest.option)
		err = check(pev_trace_info(trace, GUEST_BUILD_ID), guest_kernel_text(symbols), m);
	else
		take(symbols, len);
	free(symbols);
	return err;
}

const char *guest_function(uint64_t addr)
{
	struct pev_sym sym;

	if (!guest.syms || pev_sym_find(guest.syms, PEV_SYM_KERNEL, addr, &sym) <= 0 ||
	    sym.index == PEV_SYM_NO_INDEX)
		return NULL;
	return pev_sym_name(guest.syms, sym.object, sym.index);
}
