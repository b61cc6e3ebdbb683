#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# engines: pev
# perfctl record --fold: the same samples as without it, in fewer records, and none forgotten.
# lib is set by what is sourced
# shellcheck disable=SC2154,SC2016
. "$(dirname "$0")/lib/cli.bash"
build chains

getppid=syscalls:sys_enter_getppid

# folded DIR FILE: call chains, and how often each came
folded() {
	perfctl export folded -i "$1" -o - 2>/dev/null | sort >"$2"
}

says "samples become rows" 0 '^\[ f.trace: 256 samples in 256 rows, .*, nothing lost \]$' \
	perfctl record --fold -e $getppid -o f.trace -- ./chains 8 1
perfctl record -q -g -e $getppid -o g.trace -- ./chains 8 1
folded f.trace f.txt
folded g.trace g.txt
ok "each has the chain that it has without --fold" cmp f.txt g.txt
ok "... which are different ones" grep -qE '^chains;.*;zero;go;one;go;zero;go;' f.txt
says "how often each came is counted" 0 '^\[ h.trace: 1,000 samples in 1 row, ' \
	perfctl record --fold -e $getppid -o h.trace -- ./chains 0 1000
says "report counts samples, not rows" 0 '^# .*sys_enter_getppid: 1,000 samples$' \
	perfctl report -g none -i h.trace
ok "... and so do exports" test "$(perfctl export folded -i h.trace -o - 2>/dev/null |
	awk '{ n += $NF } END { print n }')" = 1000
says "the record says so, too" 0 ' folded=1000$' perfctl script -F event,fields -e $getppid -i h.trace
says "samples of a timer" 0 ' samples in [0-9,]+ rows, ' \
	perfctl record --fold -F 997 -a -o t.trace -- sh -c 'i=0; while [ $i -lt 3000 ]; do i=$((i+1)); done'
ok "... have the kernel's symbols" grep -q . t.trace/info/kallsyms
if command -v babeltrace2 >/dev/null; then
	ok "babeltrace2 reads it" test "$(babeltrace2 f.trace 2>/dev/null | grep -c 'folded = 1')" = 256
else
	skip "babeltrace2 reads it" "no babeltrace2"
fi

# A recorder that does not read while there are more chains than the kernel has room for
perfctl record --fold -e $getppid -o o.trace -- ./chains 15 1 wait 2>o.err &
recorder=$!
# state LETTER: waits until the command is in that state
state() {
	local i
	for ((i = 0; i < 3000; i++)); do
		pid=$(sed -n 's/^command_pid=//p' o.trace/info/record 2>/dev/null)
		grep -q "(chains) $1 " "/proc/${pid:-none}/stat" 2>/dev/null && return
		sleep 0.01
	done
}
# in sigwait(): all else that it waits for comes before its exec
state S
kill -STOP $recorder
kill -USR1 "$pid"
state Z
kill -CONT $recorder
wait $recorder
ok "what found no room is told" grep -q '^note: [0-9,]* samples found no room' o.err
ok "... and none is forgotten" test "$(perfctl export folded -i o.trace -o - 2>/dev/null |
	awk '{ n += $NF } END { print n }')" = 32768
says "... but is of \"(other)\"" 0 '^ *[0-9.]+%  \(other\)' \
	perfctl report -g none --sort comm -i o.trace

# refusals
says "--overwrite" 2 'leave one of them out' perfctl record --fold --overwrite -- true
says "-g dwarf" 2 '-g dwarf needs each single one' perfctl record --fold -g dwarf -- true
says "--off-cpu" 2 '--off-cpu needs each' perfctl record --fold --off-cpu -- true
says "a pipe" 2 'name a directory with -o' perfctl record --fold -o - -- true
says "--engine perf: how it counts is said" 0 '^note: --fold: perf_event_open\(2\) has no tables' \
	perfctl record --engine perf --fold -o perf.trace -- true
finish
