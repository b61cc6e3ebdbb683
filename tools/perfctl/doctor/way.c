// SPDX-License-Identifier: GPL-2.0
/* Looks for the system call, the device, and the module. See way.h. */
#include "way.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

static PRINTF(2, 3) bool is_there(const char *top, const char *fmt, ...)
{
	char name[512], *path;
	va_list ap;
	bool there;

	va_start(ap, fmt);
	vsnprintf(name, sizeof(name), fmt, ap);
	va_end(ap);
	path = xasprintf("%s/%s", top, name);
	there = !access(path, F_OK);
	free(path);
	return there;
}

static char *read_below(const char *top, const char *name)
{
	char *path = xasprintf("%s/%s", top, name), *text = file_read(path, NULL);

	free(path);
	return text;
}

/* Whether the module is among those of a kernel, packed or not */
static bool has_module(const char *top, const char *release)
{
	char *path = xasprintf("lib/modules/%s/modules.dep", release);
	char *text = read_below(top, path), *at = text;
	bool found = false;

	while (at && !found && (at = strstr(at, "/pev.ko"))) {
		at += strlen("/pev.ko");
		found = *at == ':' || *at == '.';
	}
	free(text);
	free(path);
	return found;
}

/* The first other kernel that the module is installed for */
static void find_other(struct way *w, const char *top)
{
	char *path = xasprintf("%s/lib/modules", top);
	struct dirent **names;
	int n = scandir(path, &names, NULL, versionsort);

	for (int i = 0; i < n; i++) {
		if (*names[i]->d_name != '.' && strcmp(names[i]->d_name, w->release) &&
		    strlen(names[i]->d_name) < sizeof(w->other) &&
		    has_module(top, names[i]->d_name))
			strcpy(w->other, names[i]->d_name);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	free(path);
}

static bool has_sources(const char *top)
{
	char *path = xasprintf("%s/usr/src", top);
	struct dirent *entry;
	DIR *dir = opendir(path);
	bool found = false;

	while (dir && !found && (entry = readdir(dir)))
		found = !fnmatch("pev-[0-9]*", entry->d_name, 0) &&
			is_there(top, "usr/src/%s/dkms.conf", entry->d_name);
	if (dir)
		closedir(dir);
	free(path);
	return found;
}

/* Lockdown, or a kernel that asks for signatures anyway */
static bool is_sealed(const char *top)
{
	char *lockdown = read_below(top, "sys/kernel/security/lockdown");
	char *enforced = read_below(top, "sys/module/module/parameters/sig_enforce");
	bool sealed = (lockdown && !strstr(lockdown, "[none]")) || (enforced && *enforced == 'Y');

	free(lockdown);
	free(enforced);
	return sealed;
}

void way_look(struct way *w, const char *top)
{
	char *status = read_below(top, "proc/self/status");

	w->filtered = status && strstr(status, "\nSeccomp:\t2");
	free(status);
	w->settings = is_there(top, "proc/sys/kernel/pev_paranoid");
	w->loaded = is_there(top, "sys/module/pev/initstate");
	w->installed = has_module(top, w->release);
	w->headers = is_there(top, "lib/modules/%s/build", w->release);
	w->sources = has_sources(top);
	w->sealed = is_sealed(top);
	find_other(w, top);
}

static PRINTF(3, 4) void say(struct way_text *t, enum finding finding, const char *fmt, ...)
{
	va_list ap;

	t->finding = finding;
	va_start(ap, fmt);
	vsnprintf(t->text, sizeof(t->text), fmt, ap);
	va_end(ap);
}

static PRINTF(2, 3) void advise_to(struct way_text *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(t->remedy, sizeof(t->remedy), fmt, ap);
	va_end(ap);
}

static void explain_open(struct way_text *t, const struct way *w)
{
	if (w->way == PEV_WAY_DEVICE) {
		say(t, GOOD, "open, by the module's " PEV_DEVICE "%s",
		    w->call == EPERM ? "; the system call is forbidden here" : "");
		return;
	}
	say(t, w->loaded ? NOTE : GOOD, "open, by the system call%s",
	    w->loaded ? "; the module is loaded, too, and is not used" : "");
	if (w->loaded)
		advise_to(t, "%srmmod pev", w->root ? "" : "sudo ");
}

/* The module is there, and its device is of no use. */
static void explain_loaded(struct way_text *t, const struct way *w)
{
	if (w->device == EACCES || w->device == EPERM) {
		say(t, NOTE, "the module is loaded, but you may not open " PEV_DEVICE " (%s)",
		    strerror(w->device));
		advise_to(t,
			  "%schmod 0666 " PEV_DEVICE ", if it should be for everyone; give it to "
			  "a container by --device " PEV_DEVICE,
			  w->root ? "" : "sudo ");
	} else if (w->device == ENOTTY) {
		say(t, NOTE, PEV_DEVICE " is not the device of the module that is loaded");
		advise_to(t, "%srmmod pev && %smodprobe pev", w->root ? "" : "sudo ",
			  w->root ? "" : "sudo ");
	} else {
		say(t, NOTE, "the module is loaded, but " PEV_DEVICE " is not there (%s)",
		    strerror(w->device));
		advise_to(t,
			  "in a container, start it with --device " PEV_DEVICE "; else "
			  "%sudevadm trigger /sys/class/misc/pev",
			  w->root ? "" : "sudo ");
	}
}

/* As in module/Kbuild and DKMS's BUILD_EXCLUSIVE_KERNEL */
#ifdef __x86_64__
#define MODULE_SERIES "6.12.y and 6.1.y"
#else
#define MODULE_SERIES "6.12.y"
#endif

static bool is_of_series(const char *release)
{
#ifdef __x86_64__
	if (!strncmp(release, "6.1.", strlen("6.1.")))
		return !strstr(release, "-rt-");
#endif
	return !strncmp(release, "6.12.", strlen("6.12."));
}

static void explain_absent(struct way_text *t, const struct way *w)
{
	const char *sudo = w->root ? "" : "sudo ";

	if (w->installed) {
		say(t, NOTE, "the module is installed, but not loaded");
		advise_to(
			t, "%smodprobe pev%s", sudo,
			w->sealed ?
				"; this kernel takes signed modules only: enroll dkms's key by mokutil "
				"--import /var/lib/dkms/mok.pub" :
				"");
	} else if (w->sources && !is_of_series(w->release)) {
		say(t, NOTE, "the module is for Linux " MODULE_SERIES ", and this is %s", w->release);
		advise_to(t,
			  "boot a kernel of such a series: Debian's is linux-image-6.12-amd64, and "
			  "its headers linux-headers-6.12-amd64");
	} else if (w->sources && !w->headers) {
		say(t, NOTE, "the module has not been built for Linux %s, for lack of its headers",
		    w->release);
		advise_to(t, "%sapt install linux-headers-%s", sudo, w->release);
	} else if (w->sources) {
		say(t, NOTE, "the module has not been built for Linux %s%s%s", w->release,
		    *w->other ? ", but for " : "", w->other);
		advise_to(t, "%sdkms autoinstall, whose log is in /var/lib/dkms/pev", sudo);
	} else if (*w->other) {
		say(t, NOTE, "the module is installed for Linux %s, and this is %s", w->other,
		    w->release);
		advise_to(t, "boot that kernel, or install pev-dkms, which builds it for each");
	} else {
		say(t, GOOD, "not in this kernel");
		advise_to(t, "a kernel with pev also has markers, texts of system calls, whole "
			     "subtrees, and error bounds of multiplexed counters");
	}
}

struct way_text way_explain(const struct way *w)
{
	struct way_text t = { 0 };

	if (w->way != PEV_WAY_NONE) {
		explain_open(&t, w);
	} else if (w->loaded) {
		explain_loaded(&t, w);
	} else if (w->settings) {
		say(&t, NOTE, "the kernel has it, but the system call is %s here%s",
		    w->call == EPERM ? "forbidden" : "hidden",
		    w->filtered ? ", by a seccomp profile" : "");
		advise_to(&t, "allow the system call %d in the container's seccomp profile",
			  __NR_pev_open);
	} else if (w->call == EPERM) {
		say(&t, NOTE,
		    "a seccomp profile forbids the system call, so this kernel may have "
		    "pev or not");
		advise_to(&t, "allow the system call %d in the container's seccomp profile",
			  __NR_pev_open);
	} else {
		explain_absent(&t, w);
	}
	return t;
}
