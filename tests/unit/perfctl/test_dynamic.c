// SPDX-License-Identifier: GPL-2.0
/* What pev has in place of dynamic events of tracefs. */
#include "tracefs/dynamic.h"
#include "tests.h"

#include <stdlib.h>

static const char definitions[] =
	"p:kprobes/open do_filp_open dfd=%di:s32 flags=%dx\n"
	"p:kprobes/opens do_filp_open+16\n"
	"r10:kprobes/opened do_filp_open ret=$retval:x64\n"
	"p:mine/readdir ext4:ext4_readdir ino=+64(+32($arg1)):u32\n"
	"p:mine/name do_filp_open name=+0(+0(%si)):string at=+8(%si):string user=+u0(%si):ustring\n"
	"p:mine/address 0xffffffff81234567 a=%di\n"
	"p:mine/odd vfs_read comm=$comm bits=%di:b4@0/32 sym=@jiffies s=$stack2:u16 g=%gpr3 m=%ax:x8\n"
	"p:mine/deep vfs_read a=+1(+2(+3(+4(%di)))) b=+1(+2(+3(+4(+5(%di))))) c=-8(%di):s8\n"
	"p:mine/none vfs_read comm=$comm\n"
	"p:mine/broken vfs_read a=+0( b=+0) c=+( d= e\n"
	"p:uprobes/work /usr/bin/a:b:0x000000000000114d x=%di:s32\n"
	"r:uprobes/worked /usr/bin/calls:0x000000000000114d\n"
	"p:uprobes/guarded /usr/bin/calls:0x000000000000114d(0x4010)\n"
	"f:fprobes/read vfs_read\n"
	"f:fprobes/back vfs_read%return\n"
	"e:eprobes/switch sched.sched_switch pid=$next_pid:u32\n"
	"s:synthetic/wake u64 lat; pid_t pid;\n"
	"t:tracepoints/t sched_switch\n"
	"nonsense\n"
	"p:\n"
	"p:a/\n";

static void is_instead(const char *name, const char *event)
{
	char *instead = dynamic_event_instead(definitions, name);

	IS_STR(instead ? instead : "nothing", event, name);
	free(instead);
}

static void places(void)
{
	is_instead("kprobes:opens", "kprobe:do_filp_open+16");
	is_instead("mine:address", "nothing");
	is_instead("uprobes:work", "uprobe:/usr/bin/a:b:0x114d(x=%di:s32)");
	is_instead("uprobes:worked", "uretprobe:/usr/bin/calls:0x114d");
	is_instead("uprobes:guarded", "nothing");
	is_instead("fprobes:read", "function:vfs_read");
	is_instead("fprobes:back", "kretprobe:vfs_read");
	is_instead("eprobes:switch", "sched:sched_switch");
	is_instead("synthetic:wake", "nothing");
	is_instead("tracepoints:t", "nothing");
}

static void fields(void)
{
	is_instead("kprobes:open", "kprobe:do_filp_open(dfd=%di:s32,flags=%dx:x64)");
	is_instead("kprobes:opened", "kretprobe:do_filp_open(ret=$retval:x64)");
	is_instead("mine:readdir", "kprobe:ext4_readdir(ino=$arg1[32][64]:u32)");
	is_instead("mine:name", "kprobe:do_filp_open(name=%si[0]:str)");
	is_instead("mine:odd", "kprobe:vfs_read(s=stack2:u16,g=%r3:x64,m=%ax:u8)");
	is_instead("mine:deep", "kprobe:vfs_read(a=%di[4][3][2][1]:x64,c=%di[-8]:s8)");
	is_instead("mine:none", "kprobe:vfs_read");
	is_instead("mine:broken", "kprobe:vfs_read");
}

static void names(void)
{
	static const char *const others[] = {
		"kprobes:ope",	 "kprobe:open", "kprobes:openn", "open", "kprobes:", ":open", "",
		"kprobes/open:", "a:"
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		is_instead(others[i], "nothing");
}

void test_dynamic(void)
{
	OK(dynamic_event_is_attached(definitions, "eprobes:switch"), "one is attached to an event");
	OK(!dynamic_event_is_attached(definitions, "kprobes:open"), "... another one is not");
	OK(!dynamic_event_is_attached(definitions, "sched:sched_switch"),
	   "... nor is a tracepoint");
	places();
	fields();
	names();
}
