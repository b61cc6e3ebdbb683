// SPDX-License-Identifier: GPL-2.0
/* What perfctl doctor says of the way into the kernel's pev, on made-up machines. */
#include "tests.h"
#include "doctor/way.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define HERE "6.12.9-amd64"
#define THERE "6.12.8-amd64"

static char top[] = "/tmp/perfctl-way.XXXXXX";

static void make(const char *name, const char *text)
{
	char *path = xasprintf("%s/%s", top, name);
	FILE *f;

	for (char *at = path + strlen(top) + 1; (at = strchr(at, '/')); *at++ = '/') {
		*at = '\0';
		mkdir(path, 0700);
	}
	f = checked(fopen(path, "w"));
	fputs(text, f);
	fclose(f);
	free(path);
}

static void forget(void)
{
	char *command = xasprintf("rm -rf %s/*", top);

	if (system(command))
		abort();
	free(command);
}

static const char *release = HERE;

/* Checks the sentence and the remedy for a machine where no way is open. */
static void says(int call, int device, enum finding finding, const char *text, const char *remedy)
{
	struct way w = { .call = call, .device = device };
	struct way_text t;

	snprintf(w.release, sizeof(w.release), "%s", release);
	way_look(&w, top);
	t = way_explain(&w);
	if (!OK(t.finding == finding && strstr(t.text, text) && strstr(t.remedy, remedy), "%s",
		text))
		printf("# %s\n# -> %s\n", t.text, t.remedy);
}

static void installed(void)
{
	says(ENOSYS, ENOENT, GOOD, "not in this kernel", "a kernel with pev also has");
	make("lib/modules/" THERE "/modules.dep", "kernel/x.ko.xz:\nupdates/dkms/pev.ko.xz:\n");
	make("lib/modules/" HERE "/modules.dep", "kernel/pev.kok.ko:\nupdates/spev.ko:\n");
	says(ENOSYS, ENOENT, NOTE, "is installed for Linux " THERE ", and this is " HERE,
	     "install pev-dkms");
	make("usr/src/pev-1.0/dkms.conf", "");
	says(ENOSYS, ENOENT, NOTE, "has not been built for Linux " HERE ", for lack of its headers",
	     "sudo apt install linux-headers-" HERE);
#ifdef __x86_64__
#define SERIES "6.12.y and 6.1.y"
	/* Debian 12's own */
	release = "6.1.0-56-amd64";
	says(ENOSYS, ENOENT, NOTE, "has not been built for Linux 6.1.0-56-amd64, for lack of",
	     "sudo apt install linux-headers-6.1.0-56-amd64");
	release = "6.1.0-56-rt-amd64";
	says(ENOSYS, ENOENT, NOTE, "and this is 6.1.0-56-rt-amd64", "linux-image-6.12-amd64");
#else
#define SERIES "6.12.y"
#endif
	/* building it would be refused, headers or not */
	release = "6.6.0-56-amd64";
	says(ENOSYS, ENOENT, NOTE, "the module is for Linux " SERIES ", and this is 6.6.0-56-amd64",
	     "linux-image-6.12-amd64");
	make("lib/modules/6.6.0-56-amd64/build/Makefile", "");
	says(ENOSYS, ENOENT, NOTE, "the module is for Linux " SERIES ", and this is 6.6.0-56-amd64",
	     "boot a kernel of such a series");
	release = HERE;
	make("lib/modules/" HERE "/build/Makefile", "");
	says(ENOSYS, ENOENT, NOTE, "has not been built for Linux " HERE ", but for " THERE,
	     "sudo dkms autoinstall");
	make("lib/modules/" HERE "/modules.dep", "updates/dkms/pev.ko: kernel/x.ko.xz\n");
	says(ENOSYS, ENOENT, NOTE, "installed, but not loaded", "sudo modprobe pev");
	make("sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	says(ENOSYS, ENOENT, NOTE, "installed, but not loaded", "mokutil --import");
	forget();
	make("lib/modules/" HERE "/modules.dep", "updates/pev.ko:\n");
	make("sys/kernel/security/lockdown", "[none] integrity confidentiality\n");
	make("sys/module/module/parameters/sig_enforce", "N\n");
	says(ENOSYS, ENOENT, NOTE, "installed, but not loaded", "sudo modprobe pev");
	make("sys/module/module/parameters/sig_enforce", "Y\n");
	says(ENOSYS, ENOENT, NOTE, "installed, but not loaded", "mokutil --import");
	forget();
}

static void loaded(void)
{
	make("proc/sys/kernel/pev_paranoid", "2\n");
	make("sys/module/pev/initstate", "live\n");
	says(ENOSYS, EACCES, NOTE, "you may not open /dev/pev (Permission denied)",
	     "sudo chmod 0666 /dev/pev");
	says(ENOSYS, EPERM, NOTE, "you may not open /dev/pev", "--device /dev/pev");
	says(ENOSYS, ENOENT, NOTE, "/dev/pev is not there (No such file", "udevadm trigger");
	says(ENOSYS, ENOTTY, NOTE, "is not the device of the module", "sudo modprobe pev");
	forget();
}

static void containers(void)
{
	says(EPERM, ENOENT, NOTE, "a seccomp profile forbids the system call", "system call 500");
	make("proc/sys/kernel/pev_paranoid", "2\n");
	make("proc/self/status", "Name:\tx\nSeccomp:\t2\nSeccomp_filters:\t1\n");
	says(ENOSYS, ENOENT, NOTE, "the system call is hidden here, by a seccomp profile",
	     "system call 500");
	says(EPERM, ENOENT, NOTE, "the system call is forbidden here, by a seccomp profile",
	     "system call 500");
	forget();
}

static void open_ways(void)
{
	struct way w = { .way = PEV_WAY_CALL, .device = ENOENT, .release = HERE };
	struct way_text t = way_explain(&w);

	OK(t.finding == GOOD && !*t.remedy, "open: %s", t.text);
	w.loaded = true;
	t = way_explain(&w);
	OK(t.finding == NOTE && strstr(t.text, "is not used") &&
		   !strcmp(t.remedy, "sudo rmmod pev"),
	   "both: %s", t.text);
	w = (struct way){ .way = PEV_WAY_DEVICE, .call = ENOSYS, .loaded = true };
	t = way_explain(&w);
	OK(t.finding == GOOD && strstr(t.text, "/dev/pev") && !*t.remedy, "open: %s", t.text);
	w.call = EPERM;
	t = way_explain(&w);
	OK(strstr(t.text, "forbidden here"), "open: %s", t.text);
}

void test_way(void)
{
	checked(mkdtemp(top));
	open_ways();
	installed();
	loaded();
	containers();
	rmdir(top);
}
