#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# engines: pev
# Probes by pev: in a file and in the kernel, with what they record.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib/cli.bash"

build calls "$here/../native/lib"

perfctl stat -x, -o user.csv -e 'uprobe:./calls:work,uretprobe:./calls:work/name=back/' \
	-- ./calls 1000 >out
says "a program runs as it did" 0 '^1000 ' cat out
within "uprobe: 1000 calls" "$(stat_value uprobe:./calls:work user.csv)" 1000 1000
within "uretprobe: 1000 returns" "$(stat_value back user.csv)" 1000 1000

perfctl stat -x, -o later.csv -e uprobe:./calls:work -- sh -c './calls 30; ./calls 40 & wait' >/dev/null
within "uprobe: in all that a command starts" "$(stat_value uprobe:./calls:work later.csv)" 70 70

perfctl record -q -o user.trace -e 'uprobe:./calls:work(x:s32)' --filter 'x >= 400' -- \
	./calls 500 >/dev/null
within "record: a record for each call that passes the filter" \
	"$(records user.trace uprobe:./calls:work)" 100 100
says "record: with its argument" 0 ' x=400 ' perfctl script -i user.trace
within "report: all in that function" "$(share user.trace work)" 100 100
perfctl record -q -o result.trace -e 'uretprobe:./calls:work(ret:s32)' -- ./calls 5 >/dev/null
says "record: results" 0 ' ret=5 ' perfctl script -i result.trace

perfctl record -q -o kernel.trace -e 'kprobe:do_filp_open(dfd:s32,path=arg1[0]:str)' -- \
	cat /etc/hostname >/dev/null
says "kprobe: with a string behind a pointer" 0 'path="?/etc/hostname"?' perfctl script -i kernel.trace
perfctl hist -o took.txt -e 'kretprobe:do_filp_open(duration)' 'log2(duration)' --sum duration \
	-- cat /etc/hostname >/dev/null
says "kretprobe: how long the calls took, in buckets" 0 '[1-9][0-9,]+ of duration = [1-9][0-9,]+ in rows' \
	cat took.txt
perfctl record -q -o return.trace -e 'kretprobe:do_filp_open(ret:x64,duration)' -- true
says "kretprobe: the result, and the time" 0 'ret=0x[0-9a-f]+ duration=[0-9]+' \
	perfctl script -i return.trace
perfctl stat -x, -o glob.csv -e 'kprobe:do_filp_o*n,kprobe:do_*_open/name=more/' -- true 2>/dev/null
within "kprobe: functions by a glob" "$(stat_value 'kprobe:do_filp_o*n' glob.csv)" 1 100000
within "... are one event, whatever their number" "$(stat_value more glob.csv)" 1 100000

perfctl record -q -o function.trace -e 'function:do_filp_open(dfd:s32,path=arg1[0]:str)' -- \
	cat /etc/hostname >/dev/null
says "function: with a string behind a pointer" 0 'path="?/etc/hostname"?' \
	perfctl script -i function.trace
perfctl stat -x, -o functions.csv -e 'function:do_*,function:vfs_*/name=files/' -- true 2>/dev/null
within "function: many by a glob" "$(stat_value 'function:do_*' functions.csv)" 1 1000000
within "... beside others" "$(stat_value files functions.csv)" 1 1000000
says "function: there is no such function" 2 'no function "no_such_f"' \
	perfctl stat -e function:no_such_f -- true
says "function: no offset" 2 'set the offset to 0' \
	perfctl stat -e function:do_filp_open+4 -- true

perfctl record -q -o named.trace -e 'uprobe:./calls:work(n=x)' -- ./calls 5 >/dev/null
says "uprobe: an argument by its name in the source, with its type" 0 ' n=4 ' \
	perfctl script -i named.trace
perfctl stat -x, -o several.csv -e 'uprobe:./calls:[wt]*/name=both/' -- ./calls 30 >/dev/null
within "uprobe: functions by a glob are one event" "$(stat_value both several.csv)" 32 32
line=$(grep -n 'return x + 1' "$here/../native/lib/calls.c" | cut -d: -f1)
perfctl stat -x, -o line.csv -e "uprobe:./calls:calls.c:$line/name=line/" -- ./calls 30 >/dev/null
within "uprobe: a line of the source" "$(stat_value line line.csv)" 30 30
says "uprobe: a line without code" 2 'has no code of calls.c, line 1' \
	perfctl stat -e uprobe:./calls:calls.c:1 -- true
says "uprobe: a glob that nothing matches" 2 'functions that the symbols of ./calls name matches "zz' \
	perfctl stat -e 'uprobe:./calls:zz*' -- true
cp calls stripped
strip stripped
says "uprobe: a line of a file without debug information" 1 'no debug information: build it with -g' \
	perfctl stat -e uprobe:./stripped:calls.c:20 -- true

build usdt "$here/../native/lib"
perfctl stat -x, -o usdt.csv -e 'usdt:./usdt:*' -- ./usdt 10 >out
says "usdt: semaphores are set while a probe is there" 0 '^20 listened' cat out
within "usdt: a probe at two places is one event" \
	"$(stat_value usdt:./usdt:app:work usdt.csv)" 20 20
within "usdt: one behind a semaphore" "$(stat_value usdt:./usdt:app:guarded usdt.csv)" 10 10
within "usdt: one whose note has an old address" \
	"$(stat_value usdt:./usdt:app:moved usdt.csv)" 10 10
says "usdt: semaphores are cleared behind that" 0 '^0 listened' ./usdt 10
perfctl stat -x, -o later.csv -e usdt:./usdt:guarded -- sh -c './usdt 3; ./usdt 4 & wait' >out
within "usdt: semaphores of programs that are started later" \
	"$(stat_value usdt:./usdt:app:guarded later.csv)" 7 7

perfctl record -q -o guarded.trace -e 'usdt:./usdt:app:guarded' -- ./usdt 5 >/dev/null 2>err
says "usdt: what can't be recorded is said" 0 'argument 1, "8f@0", is not recorded: it is a float' cat err
perfctl record -o usdt.trace -e 'usdt:./usdt:app:work' -- ./usdt 5 >/dev/null
says "usdt: a number in a register, a variable, a pointer, a constant" 0 \
	'app:work: place=0 faults=0 arg0=3 arg1=1003 arg2=[0-9]+ arg3=5 .*work ' \
	perfctl script -i usdt.trace
says "usdt: a number on the stack, with its sign" 0 \
	'app:work: place=0 faults=0 arg0=-3 arg1=1003 arg2=[0-9]+ .*work_elsewhere ' \
	perfctl script -i usdt.trace
perfctl record -q -o own.trace -e 'usdt:./usdt:app:work(x,text=arg2:str)' --filter 'x > 2 || x == -4' \
	-- ./usdt 5 >/dev/null
within "usdt: fields and filters of one's own" "$(records own.trace usdt:./usdt:app:work)" 3 3
says "usdt: ... with strings" 0 'x=3 text="here"' perfctl script -i own.trace
says "usdt: ... at all of its places" 0 'x=-4 text="there"' perfctl script -i own.trace
says "usdt: a probe that is not there" 2 'has no probe \*:gaurded; did you mean "guarded"' \
	perfctl stat -e usdt:./usdt:gaurded -- true
says "usdt: an argument that is not there" 2 'no argument 9, the place has 4' \
	perfctl stat -e 'usdt:./usdt:app:work(x=arg9)' -- true
says "usdt: an argument that can't be recorded" 1 'argument 1 can.t be recorded: it is a float' \
	perfctl stat -e 'usdt:./usdt:app:guarded(x=arg1)' -- true
says "usdt: nothing lies behind a constant" 2 'a constant, behind which nothing lies' \
	perfctl stat -e 'usdt:./usdt:app:work(x=arg3:str)' -- true
says "usdt: a program without any" 2 'calls has no probes of sys/sdt.h' \
	perfctl stat -e 'usdt:./calls:*' -- true
says "usdt: a file that is no program" 1 'passwd is not an ELF file' \
	perfctl stat -e 'usdt:/etc/passwd:*' -- true

says "trace: a probe is no system call" 2 'no system call "kprobe:do_filp_open": .*perfctl record -e' \
	perfctl trace -e kprobe:do_filp_open -- true
says "a function that is not there" 2 'no function "no_such_f"' \
	perfctl stat -e kprobe:no_such_f -- true
says "a glob that nothing matches" 2 'no function of the kernel matches' \
	perfctl stat -e 'kprobe:no_such_f*' -- true
says "the middle of nowhere" 2 "can't be probed|instruction" \
	perfctl stat -e kprobe:do_filp_open+0x1ffff -- true
says "a field of no type" 2 'its type is one of' perfctl stat -e 'kprobe:do_filp_open(a:b)' -- true
says "a field of no value" 2 'its value is' perfctl stat -e 'kprobe:do_filp_open(a=b)' -- true
says "an argument at the return" 2 'arguments are gone' \
	perfctl stat -e 'kretprobe:do_filp_open(a)' -- true
says "a filter on no field" 2 'nofield' \
	perfctl stat -e 'kprobe:do_filp_open(dfd)' --filter 'nofield == 1' -- true

if command -v babeltrace2 >/dev/null; then
	says "babeltrace2: names the place" 0 '"work" : container = 0' babeltrace2 user.trace
	says "babeltrace2: and the argument" 0 'x = 400' babeltrace2 user.trace
else
	skip "babeltrace2" "babeltrace2 is not installed"
fi
finish
