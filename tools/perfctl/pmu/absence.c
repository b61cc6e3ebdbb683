// SPDX-License-Identifier: GPL-2.0
/* Explains a missing PMU by what the processor and the machine say. */
#include "absence.h"

#include <stdlib.h>
#include <sys/utsname.h>

bool pmu_watchdog_is_on(void)
{
	char *text = file_read("/proc/sys/kernel/nmi_watchdog", NULL);
	bool on = text && text[0] == '1';

	free(text);
	return on;
}

#if defined(__x86_64__)
#include <cpuid.h>

/* Returns "KVMKVMKVM" or the like; "" outside of a virtual machine. */
static const char *hypervisor(char name[13])
{
	unsigned int a, b, c, d;

	name[0] = name[12] = '\0';
	if (__get_cpuid(1, &a, &b, &c, &d) && c & 1u << 31) {
		__cpuid(0x40000000, a, b, c, d);
		memcpy(name, &b, 4);
		memcpy(name + 4, &c, 4);
		memcpy(name + 8, &d, 4);
		if (!name[0])
			strcpy(name, "no name");
	}
	return name;
}

static bool is_intel(void)
{
	unsigned int a, b = 0, c, d;

	return __get_cpuid(0, &a, &b, &c, &d) && b == signature_INTEL_ebx;
}

static bool is_amd(void)
{
	unsigned int a, b = 0, c, d;

	return __get_cpuid(0, &a, &b, &c, &d) &&
	       (b == signature_AMD_ebx || b == 0x6f677948 /* Hygon */);
}

char *pmu_absence(char **remedy)
{
	unsigned int a = 0, b, c = 0, d;
	char name[13];
	bool virtual = *hypervisor(name) != '\0';
	char *why;

	*remedy = NULL;
	if (is_intel() && (!__get_cpuid(0xa, &a, &b, &c, &d) || !(a & 0xff)))
		why = xasprintf("CPUID leaf 0xA says version 0: the processor shows no counters");
	else if (is_intel())
		why = xasprintf("CPUID leaf 0xA says version %u, %u counters: the processor has them, "
				"but the kernel has not taken them", a & 0xff, a >> 8 & 0xff);
	else if (is_amd() && (!__get_cpuid(0x80000001, &a, &b, &c, &d) || !(c & 1u << 23)))
		why = xasprintf("CPUID leaf 0x80000001 shows no core counters (PerfCtrExtCore)");
	else if (is_amd())
		why = xasprintf("CPUID shows core counters, but the kernel has not taken them");
	else
		why = xasprintf("pev drives the counters of Intel's and AMD's processors, and this is "
				"another one's");
	if (virtual) {
		char *more = xasprintf("%s; this is a virtual machine (%s), and what it shows is its "
				       "hypervisor's choice", why, name);

		free(why);
		why = more;
		*remedy = xstrdup("let the hypervisor give the machine a PMU (QEMU/KVM: -cpu host,pmu=on; "
				  "clouds: whole-host or metal sizes); timers sample everywhere");
	} else {
		*remedy = xstrdup("see \"dmesg | grep -i -e pev -e pmu\", and the firmware's setting for "
				  "performance monitoring");
	}
	return why;
}

#else

char *pmu_absence(char **remedy)
{
	char *text = file_read("/proc/cpuinfo", NULL);
	char *line = text ? strstr(text, "\ncpu\t") : NULL, *why;
	struct utsname u;

	*remedy = xstrdup("see \"dmesg | grep -i -e pev -e pmu\"");
	line = line ? strchr(line, ':') : NULL;
	if (line)
		why = xasprintf("pev drives the counters of POWER8, POWER9 and POWER10; this is \"%.*s\"",
				(int)strcspn(line + 2, "\n"), line + 2);
	else
		why = xasprintf("pev has no driver for the counters of this %s machine",
				uname(&u) ? "" : u.machine);
	free(text);
	return why;
}

#endif
