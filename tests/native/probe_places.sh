# SPDX-License-Identifier: GPL-2.0
# engines: perf
# shellcheck shell=bash disable=SC2154
# What perfctl probe says of places, which needs no right to probe them.
build calls "$here/lib"
build usdt "$here/lib"

says "probe list: functions" 0 '^  work +0x[0-9a-f]+$' perfctl probe list ./calls
says "... and probes of sys/sdt.h, with their operands" 0 '^  app:work +0x[0-9a-f]+ +-4@' \
	perfctl probe list ./usdt 'app:*'
perfctl probe --names list ./usdt work >names
says "... as -e takes them" 0 '^usdt:./usdt:app:work uprobe:./usdt:work$' xargs <names
says "... as JSON" 0 "app:work \['[0-9]+', '[0-9]+'\]" bash -c 'perfctl probe --json list ./usdt work |
	python3 -c "import json, sys
for p in json.load(sys.stdin):
	print(p[\"place\"], [str(x[\"offset\"]) for x in p.get(\"places\", [])])"'
says "probe list: nothing that matches" 1 'nothing in ./calls .* matches "zz"' \
	perfctl probe list ./calls zz
says "probe list: a process and its libraries" 0 '/libc\.so\.6:fork$' \
	perfctl probe --names list $$ fork
says "probe list: a process that is not there" 2 'process 4194305: there is none' \
	perfctl probe list 4194305
says "probe list: the kernel" 0 '^  do_nanosleep$' perfctl probe list kernel 'do_nano*'

says "probe show: a function's arguments and line" 0 'calls.c:[0-9]+ +x +int +s32' \
	bash -c 'perfctl probe show uprobe:./calls:work | xargs'
says "probe show: operands" 0 'arg3 +8@\$5 +u64' \
	perfctl probe show usdt:./usdt:app:work
says "probe show: as JSON" 0 '"name": "argv", "source": "char \*\*", "type": "x64"' \
	perfctl probe --json show uprobe:./calls:main
says "probe show: the type of a result" 0 'calls.c:[0-9]+ +ret +int +s32' \
	bash -c 'perfctl probe show uretprobe:./calls:work | xargs'
# Members and locals, as several compilations have them.
# fields PLACE: names and types of what is recorded there, in a line
fields() { perfctl probe show "$1" 2>&1 | awk 'NR > 1 { printf "%s:%s ", $1, $3 }'; }
source=$here/lib/members.c
line=$(grep -n 'the line that is probed' "$source" | cut -d: -f1)
inlined=$(grep -n 'what is inlined' "$source" | cut -d: -f1)
# a compiler takes long in an emulated machine
hows=(gcc-0 gcc-2)
command -v clang >/dev/null && hows+=(clang-0)
[ -z "${PEV_VM:-}" ] || hows=(gcc-2)
for how in "${hows[@]}"; do
	ok "members, $how" "${how%-*}" -g -O"${how#*-}" -o members "$source"
	says "... what pointers, structures and arrays have" 0 \
		'^id:s32 port:u16 host:str codes_2:s32 low:s16 grid_1_2:s32 next_port:u16 path:str served:s32 $' \
		fields 'uprobe:./members:handle(r->id,r->peer.port,r->peer.host,r->codes[2],r->low,r->grid[1][2],next_port=r->next->peer.port,r->path:str,served)'
	says "... and locals at a line" 0 '^ret:s32 a_2:s32 port:u16 host:str factor:s32 id:s32 $' \
		fields "uprobe:./members:members.c:$line(ret,a[2],s.port,s.host,\$arg2,r->id)"
	says "... all of which are shown" 0 'r:request factor:s32 a:\[\] s:peer ret:s32' \
		fields "uprobe:./members:members.c:$line"
	says "... a local that is not set yet" 1 'local|no value there|not set yet' \
		perfctl probe explain 'uprobe:./members:handle(ret)'
	says "... of each thread" 1 'each thread has its own' \
		perfctl probe explain "uprobe:./members:members.c:$line(own)"
	says "... a bit-field" 1 'is a bit-field, from byte [0-9]+ on: bits can.t be recorded alone' \
		perfctl probe explain 'uprobe:./members:handle(r->kind)'
	says "... what is known by its name alone" 1 'members of "struct hidden" are not known' \
		perfctl probe explain 'uprobe:./members:handle(r->hidden->x)'
	says "... a member that is not there" 1 'no member "prot", but id, urgent, kind, peer' \
		perfctl probe explain 'uprobe:./members:handle(r->prot)'
	says "... a variable that is not there" 1 'no variable "nope" there, but r, factor' \
		perfctl probe explain "uprobe:./members:members.c:$line(nope)"
	says "... at a return" 1 'arguments are gone when a function returns' \
		perfctl probe explain 'uretprobe:./members:handle(r->id)'
	says "... at several functions" 1 'these are of one function, where this names several' \
		perfctl probe explain 'uprobe:./members:*a*(r->id)'
done
gcc -g -O0 -o members "$source" 2>/dev/null
says "a line that is inlined twice: the variable of each place" 0 '^deep:s32 .*deep:s32 $' \
	fields "uprobe:./members:members.c:$inlined(deep)"
cp members bare && strip -d bare
says "members without debug information" 1 'the file has no debug information of this place: build it with -g' \
	perfctl probe explain 'uprobe:./bare:handle(r->id)'

if [ ! -e /sys/kernel/btf/vmlinux ]; then
	says "probe show: what the kernel's types are not known by" 0 \
		'names of arguments are not known: .*(CONFIG_DEBUG_INFO_BTF|libbpf)' \
		perfctl probe show kprobe:vfs_read
elif ! ldconfig -p | grep -q 'libbpf\.so\.1 '; then
	says "probe show: what reads the kernel's types" 0 'by libbpf' perfctl probe show kprobe:vfs_read
else
	says "probe show: arguments of the kernel's functions" 0 \
		'file struct file \* x64 buf char \* x64 count size_t u64 pos loff_t \* x64$' \
		bash -c 'perfctl probe show kprobe:vfs_read | xargs'
	says "probe show: ... and results" 0 'ret ssize_t s64$' \
		bash -c 'perfctl probe show kretprobe:vfs_read | xargs'
	says "probe show: members of what the kernel's functions are given" 0 '^skc_dport:u16 size:u64 $' \
		fields 'kprobe:tcp_sendmsg(sk->__sk_common.skc_dport,size)'
	says "... and of what they return" 0 '^f_flags:u32 i_ino:u64 $' \
		fields 'kretprobe:do_filp_open(ret->f_flags,$retval->f_inode->i_ino)'
	says "... texts" 0 '^comm:str parent:str $' \
		fields 'kprobe:wake_up_new_task(p->comm,parent=p->real_parent->comm)'
	says "... not at an offset" 1 'only at the beginning of a function' \
		perfctl probe explain 'kprobe:vfs_read+4(file->f_flags)'
	says "... a bit-field of the kernel's" 1 'bit-field' \
		perfctl probe explain 'kprobe:wake_up_new_task(p->sched_reset_on_fork)'
	says "... a text of a process behind a pointer of the kernel's" 1 'one field does not load from both' \
		perfctl probe explain 'kprobe:vfs_read(file->f_path.dentry:ustr)'
	says "probe show: a function that returns nothing" 0 'the function returns nothing$' \
		perfctl probe show kretprobe:kfree
fi
says "probe show: a function that the kernel has not" 2 'no function "no_such_f" in the kernel' \
	perfctl probe show kprobe:no_such_f
says "probe show: no place" 2 '"work" is not a place: it begins with' perfctl probe show work

says "probe explain: what can be probed" 0 'can be probed, at 1 place$' \
	perfctl probe explain uprobe:./calls:work
says "probe explain: a name that two have" 1 'of that name is uprobe:./calls:0x[0-9a-f]+$' \
	perfctl probe explain uprobe:./calls:twice
perfctl probe explain uprobe:./usdt:limited >inlined
says "probe explain: what was inlined, and where" 0 \
	'inlined into main, by .*usdt.c:[0-9]+: there, probe uprobe:./usdt:0x[0-9a-f]+' cat inlined
says "... which can be probed" 0 'can be probed' \
	perfctl probe explain "$(grep -o 'uprobe:./usdt:0x[0-9a-f]*' inlined)"
says "probe explain: the middle of an instruction" 1 'in the middle of the instruction at 0x' \
	perfctl probe explain uprobe:./calls:work+1
says "probe explain: beyond the end of a function" 1 'beyond the end of work, in what comes next' \
	perfctl probe explain uprobe:./calls:work+0x1000
says "probe explain: the same in the kernel" 1 'vfs_read\+0x100000 is beyond the end of vfs_read' \
	perfctl probe explain kprobe:vfs_read+0x100000
says "probe explain: a return with an offset" 1 'is that of a whole function: leave \+4 out' \
	perfctl probe explain uretprobe:./calls:work+4
cp usdt stripped
strip stripped
says "probe explain: a stripped file" 1 'was stripped: install' \
	perfctl probe explain uprobe:./stripped:work
says "probe explain: as JSON" 1 '"probeable": false, "reason": ".*no function' \
	perfctl probe --json explain uprobe:./calls:no_such
says "probe explain: a function that the kernel has not" 1 'has no function no_such_f: it was inl' \
	perfctl probe explain kprobe:no_such_f
mountpoint -q /sys/kernel/debug || mount -t debugfs debugfs /sys/kernel/debug 2>/dev/null
# one that no other function is called like
banned=$(awk 'NR == FNR { on[$2] = 1; next } $3 in on && $2 ~ /[tTwW]/ { n[$3]++ }
	END { for (f in n) if (n[f] == 1) { print f; exit } }' \
	/sys/kernel/debug/kprobes/blacklist /proc/kallsyms 2>/dev/null)
if [ -n "$banned" ]; then
	says "probe explain: the kernel's blacklist" 1 "is on the kernel's blacklist" \
		perfctl probe explain "kprobe:$banned"
else
	skip "probe explain: the blacklist" "not root, or the kernel has no kprobes"
fi
