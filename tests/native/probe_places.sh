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
