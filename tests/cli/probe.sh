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
ok "record: it has no addresses of the kernel, and so none of its symbols" \
	test ! -e user.trace/info/kallsyms
perfctl record -q -o result.trace -e 'uretprobe:./calls:work(ret:s32)' -- ./calls 5 >/dev/null
perfctl hist -o spent.txt -e 'uretprobe:./calls:work(duration)' 'log2(duration)' --sum duration \
	-- ./calls 100 >/dev/null
says "uretprobe: how long the calls took, in buckets" 0 \
	'[1-9][0-9,]+ of duration = [1-9][0-9,]+ in rows' cat spent.txt
perfctl stat -x, -o long.csv -e 'uretprobe:./calls:work(duration)' --filter 'duration > 0 && faults == 0' \
	-- ./calls 100 >/dev/null
within "uretprobe: a filter knows the time, which is known of all" \
	"$(stat_value uretprobe:./calls:work long.csv)" 100 100
perfctl record -q -o typed.trace -e 'uretprobe:./calls:work($retval)' -- ./calls 5 >/dev/null
says "uretprobe: \$retval is ret, with the type that the source has" 0 ' ret=5 ' \
	perfctl script -i typed.trace
says "record: results" 0 ' ret=5 ' perfctl script -i result.trace

perfctl record -q -o kernel.trace -e 'kprobe:do_filp_open(dfd:s32,path=arg1[0]:str)' -- \
	cat /etc/hostname >/dev/null
ok "kprobe: the kernel's symbols are in the recording" test -e kernel.trace/info/kallsyms
says "kprobe: with a string behind a pointer" 0 'path="?/etc/hostname"?' perfctl script -i kernel.trace
if [ -e /sys/kernel/btf/vmlinux ]; then
	perfctl record -q -o path.trace -e 'kprobe:vfs_read(file->f_path.dentry->d_name.name:str,count)' -- \
		cat /etc/hostname >/dev/null
	says "kprobe: members by the kernel's types, behind pointers" 0 'count=[0-9]+ name="?hostname' \
		perfctl script -i path.trace
	perfctl record -q -o opened.trace -e 'kretprobe:do_filp_open(ret->f_inode->i_size)' -- \
		cat calls >/dev/null
	says "kretprobe: members of the result" 0 " i_size=$(stat -c %s calls)\b" \
		perfctl script -i opened.trace
	says "kprobe: a member that is not there" 1 'has no member "f_flag", but' \
		perfctl stat -e 'kprobe:vfs_read(file->f_flag)' -- true
else
	says "kprobe: members, without the kernel's types" 1 'members are found by types, and .*(CONFIG_DEBUG_INFO_BTF|libbpf)' \
		perfctl stat -e 'kprobe:vfs_read(file->f_flags)' -- true
fi
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
perfctl record -q -o several.trace -e 'function:vfs_*' -- cat /etc/hostname >/dev/null 2>&1
says "function: which of several it was" 0 'function:vfs_\*: place=vfs_open faults=0' \
	perfctl script -i several.trace
says "... of how many records each has a share" 0 ' vfs_open$' \
	perfctl report -i several.trace -g none --sort place
says "... beside its number, which is that of the metadata" 0 \
	'"fields":\{"place":[0-9]+,"faults":0\},"labels":\{"place":"vfs_open"\}\}$' \
	perfctl export -o - jsonl several.trace
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
build members "$here/../native/lib"
source=$here/../native/lib/members.c
fields='r->id,r->peer.port,r->peer.host,r->codes[2],r->low,high=r->high:x32,r->grid[1][2],factor,served'
perfctl record -q -o members.trace -e "uprobe:./members:handle($fields)" -- ./members 8 >/dev/null
says "uprobe: members, elements, and variables of the file" 0 \
	' id=7 port=8007 codes_2=207 low=-7 high=0x[0-9a-f]*5 grid_1_2=12 factor=10 served=70 host="?full8888' \
	perfctl script -i members.trace
perfctl stat -x, -o peer.csv -e 'uprobe:./members:handle(next=r->next->peer.port,r->id)' \
	--filter 'next == 81 && id >= 6 && faults == 0' -- ./members 8 >/dev/null
within "... behind two pointers, in a filter" "$(stat_value 'uprobe:./members:handle' peer.csv)" 2 2
line=$(grep -n 'the line that is probed' "$source" | cut -d: -f1)
perfctl record -q -o locals.trace -e "uprobe:./members:members.c:$line(ret,a[0],a[3],s.port,s.host,\$arg2)" \
	-- ./members 8 >/dev/null
says "uprobe: locals at a line, and \$arg2 by its name" 0 \
	' ret=70 a_0=7 a_3=30 port=8007 factor=10 host="?full8888' perfctl script -i locals.trace
perfctl record -q -o stack.trace -e 'uprobe:./members:many(seventh,big.id,big.peer.host)' -- ./members 8 >/dev/null
says "uprobe: arguments on the stack" 0 ' seventh=7 id=7 host="?full8888' perfctl script -i stack.trace
perfctl record -q -o fault.trace -e 'uprobe:./members:handle(r->hidden,text=r->bad->path:str,r->bad->id)' \
	-- ./members 1 >/dev/null
says "uprobe: what a pointer to nowhere has is 0, and marked" 0 \
	' faults=6 hidden=0x0 id=0 text=""' perfctl script -i fault.trace
says "uprobe: a bit-field" 1 'is a bit-field, from byte [0-9]+ on: bits can.t be recorded alone' \
	perfctl stat -e 'uprobe:./members:handle(r->kind)' -- true
says "uprobe: a member that is not there" 1 'no member "prot", but id, urgent' \
	perfctl stat -e 'uprobe:./members:handle(r->prot)' -- true

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
	'app:work: place=[a-z:]*work faults=0 arg0=3 arg1=1003 arg2=[0-9]+ arg3=5 .*work ' \
	perfctl script -i usdt.trace
says "usdt: a number on the stack, with its sign" 0 \
	'app:work: place=[a-z:]*work faults=0 arg0=-3 arg1=1003 arg2=[0-9]+ .*work_elsewhere ' \
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

perfctl trace -o both.txt -e 'openat,kprobe:do_filp_open(dfd:s32,path=arg1[0]:str)' -- \
	cat /etc/hostname >/dev/null
says "trace: a probe between system calls" 0 \
	'cat/[0-9]+ kprobe:do_filp_open\(dfd: -100, path: "?/etc/hostname"?\)$' cat both.txt
says "trace: ... which are shown as ever" 0 'openat\(.*"/etc/hostname".* = [0-9]+ <' cat both.txt
perfctl trace -o several.txt -e 'function:vfs_*,usdt:./usdt:app:work' -- ./usdt 3 >/dev/null
says "trace: of several functions, which it was" 0 'function:vfs_\*\(place: vfs_[a-z_]+\)$' cat several.txt
says "trace: probes of sys/sdt.h with all they have" 0 'app:work\(arg0: 2, arg1: 1002, arg2: ' cat several.txt
within "trace: events alone come without system calls" "$(grep -c ' = ' several.txt)" 0 0
perfctl trace -j -o one.json -e 'uretprobe:./calls:work($retval,duration)' -- ./calls 1 >/dev/null
says "trace -j: an event is an object with its fields" 0 \
	'"event": ?"uretprobe:./calls:work", ?"fields": ?\{.*"ret": ?"1", ?"duration": ?"[1-9][0-9]*"\}' \
	cat one.json
says "trace -S: no table of events" 2 'leave kprobe:do_filp_open to perfctl stat -e' \
	perfctl trace -S -e kprobe:do_filp_open -- true
says "trace -z: is of system calls" 2 'name some beside kprobe:do_filp_open' \
	perfctl trace -z -e kprobe:do_filp_open -- true
says "a function that is not there" 2 'no function "no_such_f"' \
	perfctl stat -e kprobe:no_such_f -- true

tracing=/sys/kernel/tracing
[ -e $tracing/events ] || mount -t tracefs tracefs $tracing
echo 'p:mine/open do_filp_open dfd=$arg1:s32 path=+0(+0($arg2)):string' >>$tracing/dynamic_events
echo 'e:mine/fork sched.sched_process_fork pid=$child_pid' >>$tracing/dynamic_events
perfctl stat -e mine:open -- true 2>refusal
says "a dynamic event of tracefs: what pev has instead" 0 \
	"dynamic event .* use -e 'kprobe:do_filp_open\(dfd=\\\$arg1:s32,path=\\\$arg2\[0\]:str\)'" cat refusal
perfctl record -q -o instead.trace -e "$(sed "s/.* -e '\(.*\)'/\1/" refusal)" -- cat /etc/hostname >/dev/null
says "... which records the same" 0 ' dfd=-100 path="/etc/hostname"' perfctl script -i instead.trace
perfctl record --engine perf -q -o dynamic.trace -e mine:open -- cat /etc/hostname >/dev/null
says "... as perf_event_open(2) does" 0 ' dfd=-100 path="/etc/hostname"' perfctl script -i dynamic.trace
says "one that is attached to a tracepoint" 1 "dynamic event .* use -e 'sched:sched_process_fork'" \
	perfctl stat -e mine:fork -- true
says "... which perf_event_open(2) never reports" 1 "never report it: use that, -e 'sched:sched_process_fork'" \
	perfctl stat --engine perf -e mine:fork -- true
printf '%s\n' -:mine/fork -:mine/open >>$tracing/dynamic_events
says "a glob that nothing matches" 2 'no function of the kernel matches' \
	perfctl stat -e 'kprobe:no_such_f*' -- true
says "an offset in the next function" 2 'beyond the end of do_filp_open, in what comes next' \
	perfctl stat -e kprobe:do_filp_open+0x1ffff -- true
says "uprobe: an offset in the next function" 2 'beyond the end of work, in what comes next: it has 0x' \
	perfctl stat -e uprobe:./calls:work+0x1000 -- true
says "uretprobe: a return has no offset" 2 'a return is that of a whole function: leave \+4 out' \
	perfctl stat -e uretprobe:./calls:work+4 -- true
cp calls gone
says "uprobe: a file that is replaced meanwhile" 0 'gone:work: the file was deleted or replaced meanwhile' \
	perfctl stat -e uprobe:./gone:work -- sh -c 'rm gone; cp calls gone; ./gone 5'
cp calls changed
says "uprobe: a file that is changed meanwhile" 0 'changed:work: the file was changed meanwhile' \
	perfctl stat -e uprobe:./changed:work -- sh -c './changed 5; echo >>changed'
says "a set beyond limits" 1 'functions match "\*": one probe takes at most 4096' \
	perfctl stat -e 'kprobe:*' -- true
mountpoint -q /sys/kernel/debug || mount -t debugfs debugfs /sys/kernel/debug
banned=$(awk 'NR == FNR { on[$2] = 1; next } $3 in on && $2 ~ /[tTwW]/ { n[$3]++ }
	END { for (f in n) if (n[f] == 1) { print f; exit } }' /sys/kernel/debug/kprobes/blacklist /proc/kallsyms)
says "a function on the kernel's blacklist" 2 "can't be probed: it is no code, or code that probes themselves need" \
	perfctl stat -e "kprobe:$banned" -- true
warnings() { dmesg | grep -cE 'WARNING:|BUG:|Oops'; }
before=$(warnings)
if [ -e "$PEV_MODULES/pev-sample.ko" ]; then
	rmmod pev-sample 2>/dev/null
	for kind in kprobe kretprobe function; do
		insmod "$PEV_MODULES/pev-sample.ko"
		says "$kind: the module goes while it is probed" 0 "$kind:pev_sample:fire_write" \
			perfctl stat -e "$kind:pev_sample:fire_write" -- sh -c 'echo task 3 >/sys/kernel/debug/pev_sample/fire; rmmod pev-sample'
	done
	ok "... and comes again, and is probed again" insmod "$PEV_MODULES/pev-sample.ko"
	perfctl stat -x, -o again.csv -e kprobe:pev_sample:fire_write -- sh -c 'echo task 3 >/sys/kernel/debug/pev_sample/fire'
	within "... as ever" "$(stat_value kprobe:pev_sample:fire_write again.csv)" 1 100
	rmmod pev-sample
else
	skip "a module that goes while it is probed" "no pev-sample.ko"
fi
within "... of which the kernel warns of nothing" "$(warnings)" 0 "$before"
says "a name that is not known to be the argument's" 0 '"nodfd" is arg0, by its place in the list' \
	perfctl stat -e 'kprobe:do_filp_open(nodfd)' -- true
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
