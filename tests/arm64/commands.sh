#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What arm64 has of its own in perfctl, by perf_event_open(2): unwinding by tables, through
# functions that keep no frame pointer and through a signal's frame, the numbers of system calls,
# and its instructions. On the machine of counts.sh, where the host's load does not show.
# path and handler are on PATH, without frame pointers.
export ANY_ENGINE=1
. "$(dirname "$0")/../cli/lib/cli.bash"
build getppid
build tree
rec="perfctl record --engine perf -q -e cycles:u -c 100003"

says "doctor: where it is" 0 'Works here by perf_event_open.2., on Linux 6\..*\(aarch64\)' perfctl doctor
says "version" 0 '^perfctl [0-9]' perfctl version

# chains DIR: samples in spin(), one a line, callers behind blanks
chains() {
	perfctl script -e cycles:u --no-sideband -i "$1" 2>/dev/null | awk '
		function end() { if (split(line, f, " ") && f[1] == "spin") print line; line = "" }
		/^ *[0-9a-f]+ [^ ]+ \(/ { line = line (line == "" ? "" : " ") $2; next }
		{ end() }
		END { end() }'
}

# right DIR REGEX: percent of the chains that are what they must be
right() {
	chains "$1" | awk -v want="$2" '{ n++; good += $0 ~ want } END { print n ? 100 * good / n : "none" }'
}

$rec -g dwarf -o path.dwarf -- path 20
within "-g dwarf: percent of chains that are the truth" \
	"$(right path.dwarf '^spin three two one main [^ ]+ __libc_start_main[^ ]* _start$')" 99 100
$rec -g fp -o path.fp -- path 20
within "... of -g fp's, for comparison" "$(right path.fp '^spin three two one main')" 0 50
$rec -g dwarf -o handler.dwarf -- handler
within "-g dwarf: from a handler to what was interrupted" \
	"$(right handler.dwarf '^spin handler .vdso.[^ ]* (__)?kill two one main ')" 99 100
says "report: the tree" 0 'spin' perfctl report -i path.dwarf
# with frame pointers, by the kernel
perfctl record --engine perf -q -e cycles -c 20011 -g -o tree.fp -- ./tree 0 0 20000
says "record -g: from a system call to the kernel" 0 \
	'(^|;)main;.*el0t_64_sync;.*__arm64_sys_getppid' perfctl flame --folded tree.fp

says "trace: calls by name, whose numbers are generic" 0 'getppid\(\) = [0-9]+' \
	perfctl trace --engine perf -e getppid -- ./tree 0 0 2
for call in lseek fcntl mmap newfstatat; do
	says "trace -e $call" 0 "^ .* $call\\(.*\\) = " perfctl trace --engine perf -e $call -- \
		bash -c 'exec 3</etc/passwd; read -r line <&3; read -r line <&3'
done
says "stat: calls of a program" 0 '^ +1,00[0-9] +raw_syscalls:sys_enter' perfctl stat --engine perf \
	-e raw_syscalls:sys_enter --filter "id == $(./getppid)" -- ./tree 0 0 1000

says "annotate: its instructions" 0 '[0-9a-f]+:  (ldr|str|add|b\.)' perfctl annotate -i path.dwarf spin
says "annotate: the kernel's, as they are in memory" 0 'f+[89a-f][0-9a-f]+:  [a-z]' \
	perfctl annotate --dso '[[]kernel]' -m 3 -i tree.fp
says "list: tracepoints" 0 '^ +sched:sched_switch' perfctl list
says "pmu: there is no pev" 69 'no pev' perfctl pmu
says "a code that has more bits than an event" 2 'no number of 16 bits' \
	perfctl stat --engine perf -e cpu/event=0x10000/ -- true
says "markers are refused in words" 69 'need a kernel with pev' \
	perfctl record --engine perf -q -e 'user:shop:*' -o marks -- true
finish
