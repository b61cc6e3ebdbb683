// SPDX-License-Identifier: LGPL-2.1-only
/*
 * System calls: their names, and the classes of records that one perf event of all calls makes.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "engine/perf/calls.h"
#include <pev/catalog.h>
#include "tap.h"

static void test_names(void)
{
	check(!strcmp(pev_syscall_name(SYS_getppid) ?: "", "getppid") &&
		      pev_syscall_number("getppid") == SYS_getppid,
	      "a call by number and by name");
	check(pev_syscall_number("newuname") == SYS_uname &&
		      pev_syscall_number("uname") == SYS_uname,
	      "a call whose function is named otherwise");
	check(!strcmp(pev_syscall_name(462) ?: "", "mseal") && pev_syscall_number("mseal") == 462,
	      "a call that is newer than the headers");
	check(!pev_syscall_name(100000) && pev_syscall_number("no_such_call") == -ENOENT,
	      "calls that there are not");
}

/* A directory as tracefs is; "umount" is a call whose function is named otherwise. */
static void make_format(const char *dir, const char *name)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/events/syscalls/%s", dir, name);
	mkdir(path, 0700);
	strcat(path, "/format");
	f = fopen(path, "w");
	if (!f)
		exit(2);
	fprintf(f,
		"name: %s\nID: 7\nformat:\n"
		"\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"
		"\tfield:unsigned long flags;\toffset:16;\tsize:8;\tsigned:0;\n\n"
		"print fmt: \"\"\n",
		name);
	fclose(f);
}

static unsigned int described;

static int describe(void *arg, struct perf_class *cls)
{
	cls->id = ++described;
	return arg ? -ENOMEM : 0;
}

static void test_classes(const char *dir)
{
	struct tp_field id = { .name = "id", .type = "long", .offset = 8, .size = 8 };
	struct perf_engine engine = { .tracefs = dir };
	struct event event = { .cls = { .type = PEV_TYPE_TRACEPOINT,
					.period = 1,
					.name = "raw_syscalls:sys_enter",
					.format = { .fields = &id, .nr = 1 } } };
	uint64_t raw[3] = { 0, SYS_umount2, 5 };
	struct perf_sample s = { .raw = (const uint8_t *)raw,
				 .raw_len = sizeof(raw),
				 .regs_abi = PERF_SAMPLE_REGS_ABI_64 };
	const struct perf_class *cls, *again;

	check(!perf_calls_new(&engine, &event), "made");
	check(perf_calls_class(&event, &s, &cls) == -ENODATA, "a call is not known at first");
	check(perf_calls_ask(&event, &s, describe, &event) == -ENOMEM &&
		      perf_calls_class(&event, &s, &cls) == -ENODATA,
	      "nor when its class could not be described");
	check(!perf_calls_ask(&event, &s, describe, NULL) && !perf_calls_class(&event, &s, &cls) &&
		      cls && cls->id == 2 && !strcmp(cls->name, "syscalls:sys_enter_umount") &&
		      cls->format.nr == 2,
	      "the class of a call whose function is named otherwise");
	check(!perf_calls_ask(&event, &s, describe, NULL) && described == 2 &&
		      !perf_calls_class(&event, &s, &again) && again == cls,
	      "the same class for the next record");
	s.regs_abi = PERF_SAMPLE_REGS_ABI_32;
	check(!perf_calls_class(&event, &s, &cls) && !cls,
	      "no class for a program of 32 bits, where the number is another call's");
	s.regs_abi = PERF_SAMPLE_REGS_ABI_64;
	raw[1] = SYS_getppid;
	check(!perf_calls_ask(&event, &s, describe, NULL) && described == 2 &&
		      !perf_calls_class(&event, &s, &cls) && !cls,
	      "no class for a call without a tracepoint");
	raw[1] = ~0ULL;
	check(!perf_calls_class(&event, &s, &cls) && !cls, "no class for call -1");
	s.raw_len = 12;
	check(perf_calls_class(&event, &s, &cls) == -EBADMSG && !cls, "a sample that is too short");
	perf_calls_free(event.calls);
}

int main(void)
{
	char dir[] = "/tmp/pevcalls.XXXXXX", path[256];

	test_names();
	if (!mkdtemp(dir))
		return 2;
	snprintf(path, sizeof(path), "%s/events", dir);
	mkdir(path, 0700);
	strcat(path, "/syscalls");
	mkdir(path, 0700);
	make_format(dir, "sys_enter_umount");
	test_classes(dir);
	snprintf(path, sizeof(path), "rm -rf %s", dir);
	return system(path) ? 2 : tap_done();
}
