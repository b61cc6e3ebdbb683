// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The ways into the kernel's pev, in each state that a machine can have them in: the system
 * call and the device are functions here.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <pev/pev.h>
#include "tap.h"

/* What a way answers with that is open. */
#define BY_CALL 1001
#define BY_DEVICE 1002

/*
 * The machine. @call and @device are errors of the ways, 0: they work; @ioctl is what the
 * device refuses then, and @refuses what pev itself refuses by any way.
 */
static struct {
	int call, device, ioctl, refuses;
	bool module;
	int calls, opens;
	int fd;
	struct pev_open_arg arg;
} machine;

long __wrap_syscall(long number, const struct pev_attr *attr, size_t size, uint32_t flags);
int __wrap_open(const char *path, int flags, ...);
int __wrap_ioctl(int fd, unsigned long request, ...);
int __wrap_access(const char *path, int mode);
int __real_open(const char *path, int flags, ...);
int __real_access(const char *path, int mode);

static int answer(int error, int otherwise)
{
	errno = error;
	return error ? -1 : otherwise;
}

/* pev itself, by @way */
static int pev(const struct pev_attr *attr, size_t size, uint32_t flags, int way)
{
	if (!attr || !size)
		return answer(EINVAL, 0);
	if (attr->type == PEV_TYPE_INFO && !machine.refuses) {
		((struct pev_info *)(uintptr_t)attr->info)->abi_version = 77;
		way = 0;
	}
	return answer(flags & ~PEV_OPEN_CLOEXEC ? EINVAL : machine.refuses, way);
}

long __wrap_syscall(long number, const struct pev_attr *attr, size_t size, uint32_t flags)
{
	machine.calls++;
	if (number != __NR_pev_open || machine.call)
		return answer(machine.call ? machine.call : ENOSYS, 0);
	return pev(attr, size, flags, BY_CALL);
}

int __wrap_open(const char *path, int flags, ...)
{
	if (strcmp(path, PEV_DEVICE))
		return __real_open(path, flags, 0);
	machine.opens++;
	if (machine.device || !(flags & O_CLOEXEC))
		return answer(machine.device ? machine.device : EINVAL, 0);
	machine.fd = __real_open("/dev/null", flags);
	return machine.fd;
}

int __wrap_ioctl(int fd, unsigned long request, ...)
{
	va_list ap;

	va_start(ap, request);
	machine.arg = *va_arg(ap, struct pev_open_arg *);
	va_end(ap);
	if (fd != machine.fd || request != PEV_IOC_OPEN || machine.ioctl)
		return answer(machine.ioctl ? machine.ioctl : ENOTTY, 0);
	return pev((void *)(uintptr_t)machine.arg.attr, machine.arg.size, machine.arg.flags,
		   BY_DEVICE);
}

int __wrap_access(const char *path, int mode)
{
	if (!strcmp(path, "/sys/module/pev/initstate"))
		return answer(machine.module ? 0 : ENOENT, 0);
	return __real_access(path, mode);
}

/* Both closed, so that the next call searches again. */
static void forget(void)
{
	struct pev_attr attr = { .type = PEV_TYPE_CHANNEL };

	memset(&machine, 0, sizeof(machine));
	machine.device = ENOENT;
	machine.call = ENOSYS;
	pev_open(&attr, sizeof(attr), 0);
}

static int open_one(void)
{
	struct pev_attr attr = { .type = PEV_TYPE_CHANNEL };

	return pev_open(&attr, sizeof(attr), PEV_OPEN_CLOEXEC);
}

static void test_device(void)
{
	struct pev_attr attr = { .type = PEV_TYPE_CHANNEL };
	int calls, unused;

	forget();
	machine.device = 0;
	check(open_one() == BY_DEVICE, "no system call: the device");
	check(machine.arg.attr && machine.arg.size == sizeof(attr) &&
		      machine.arg.flags == PEV_OPEN_CLOEXEC,
	      "... is given what the call was");
	calls = machine.calls;
	check(open_one() == BY_DEVICE && machine.calls == calls, "... and remembered");
	unused = __real_open("/dev/null", O_RDONLY);
	check(unused == machine.fd, "... and no descriptor of it is kept");
	close(unused);
	machine.refuses = ESRCH;
	check(open_one() == -ESRCH, "... its refusals are handed on");
	machine.refuses = EPERM;
	check(open_one() == -EPERM, "... and those that look like a filter's");
	machine.refuses = 0;
	pev_open(&attr, SIZE_MAX, 0);
	check(machine.arg.size == UINT32_MAX, "... a size of 64 bits does not get small");
	machine.device = ENOENT;
	check(open_one() == -ENOSYS, "the module is unloaded");
	machine.device = 0;
	check(open_one() == BY_DEVICE, "... and loaded");
	machine.device = EMFILE;
	check(open_one() == -EMFILE, "... there are no descriptors left");
}

static void test_container(void)
{
	forget();
	machine.call = EPERM;
	check(open_one() == -EPERM, "a filter that answers with EPERM");
	machine.device = 0;
	check(open_one() == BY_DEVICE, "... and a container that has the device");
}

/* The last, as a kernel does not lose its system calls. */
static void test_call(void)
{
	forget();
	machine.call = machine.device = machine.opens = 0;
	check(open_one() == BY_CALL, "both: the system call");
	machine.refuses = EPERM;
	check(open_one() == -EPERM && !machine.opens,
	      "... whose EPERM is its own: the device is not asked");
}

static void test_ways(void)
{
	int call, device;

	forget();
	check(pev_way(&call, &device) == PEV_WAY_NONE && call == ENOSYS && device == ENOENT,
	      "pev_way(): none");
	machine.device = EACCES;
	check(pev_way(&call, &device) == PEV_WAY_NONE && device == EACCES, "... no rights");
	machine.device = 0;
	check(pev_way(&call, &device) == PEV_WAY_DEVICE && call == ENOSYS && !device,
	      "... the device");
	machine.ioctl = ENOTTY;
	check(pev_way(&call, &device) == PEV_WAY_NONE && device == ENOTTY,
	      "... a device of that name that is another's");
	machine.call = 0;
	check(pev_way(NULL, NULL) == PEV_WAY_CALL, "... the system call");
}

/* One sentence for each state in which nothing is open. */
static void test_sentences(void)
{
	static const struct {
		int call, device, ioctl;
		bool module;
		int error;
		const char *says;
	} cases[] = {
		{ ENOSYS, ENOENT, 0, false, ENOSYS, "this kernel has no pev: neither" },
		{ ENOSYS, ENOENT, 0, true, ENOSYS,
		  "the module pev is loaded, but /dev/pev is not" },
		{ ENOSYS, ENXIO, 0, false, ENOSYS, "this kernel has no pev: neither" },
		{ ENOSYS, EACCES, 0, true, EACCES,
		  "you may not open /dev/pev (Permission denied)" },
		{ ENOSYS, EPERM, 0, true, EACCES, "containers have to be given the device" },
		{ EPERM, ENOENT, 0, false, EPERM, "seccomp profile: allow it there" },
		{ ENOSYS, 0, ENOTTY, true, ENOSYS, "/dev/pev is not the device of the module pev" },
	};
	struct pev_attr attr;
	struct pev_error why;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int fd;

		forget();
		machine.call = cases[i].call;
		machine.device = cases[i].device;
		machine.ioctl = cases[i].ioctl;
		machine.module = cases[i].module;
		pev_attr_channel(&attr, 4096);
		fd = pev_attr_open(&attr, 0, &why);
		check(fd == -cases[i].error && why.error == (uint32_t)cases[i].error &&
			      strstr(why.text, cases[i].says) && strlen(why.text) < 230,
		      "%s", why.text);
	}
	forget();
	machine.device = 0;
	machine.refuses = EBUSY;
	check(pev_attr_open(&attr, 0, &why) == -EBUSY && !strncmp(why.text, "pev_open: ", 10),
	      "a refusal without a sentence: %s", why.text);
}

static void test_engine(void)
{
	struct pev_engine *engine;
	struct pev_info info;
	struct pev_error why;

	forget();
	machine.device = 0;
	if (check(!pev_engine_new(NULL, 0, &engine, &why) &&
			  !strcmp(pev_engine_name(engine), "pev"),
		  "with the device the engine is pev")) {
		check(!pev_engine_info(engine, &info, &why) && info.abi_version == 77,
		      "... which asks the module");
		pev_engine_free(engine);
	}
	machine.device = EACCES;
	check(pev_engine_new("pev", 0, &engine, &why) == -EACCES && strstr(why.text, "/dev/pev"),
	      "... and says why it may not: %s", why.text);
	why = (struct pev_error){ 0 };
	if (!pev_engine_new(NULL, 0, &engine, &why)) {
		check(!strcmp(pev_engine_name(engine), "perf") && !*why.text,
		      "the other one takes its place without a complaint: \"%s\"", why.text);
		pev_engine_free(engine);
	}
}

int main(void)
{
	test_device();
	test_container();
	test_ways();
	test_sentences();
	test_engine();
	test_call();
	return tap_done();
}
