#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# engines: pev
# perfctl record --deferred: the program's part of call chains comes when its thread returns from
# the kernel, and every reader shows it as if it had been in the sample.
# lib is set by what is sourced
# shellcheck disable=SC2154,SC2016
. "$(dirname "$0")/lib/cli.bash"
build long

# samples TRACE: those in the kernel's random number generator, by whether main is in their chain
samples() {
	perfctl script -F event,ip,chain -i "$1" 2>/dev/null | awk '
		function end() { if (kernel) { if (main) with++; else without++ } kernel = main = 0 }
		!/^[ \t]/ { end() }
		/getrandom|chacha/ { kernel = 1 }
		/ main/ { main = 1 }
		END { end(); print with + 0, without + 0 }'
}

# paths TRACE: what an export has of main, outer and inner
paths() { perfctl export folded -i "$1" -o - 2>/dev/null | grep -c 'main;outer;inner;.*getrandom'; }

# size TRACE: bytes of its streams
size() { cat "$1"/stream_* | wc -c; }

perfctl record -q -g -F 5000 -o once.trace -- ./long 6
says "record --deferred" 0 '^\[ later.trace: .* records.*, nothing lost \]$' \
	perfctl record -g -F 5000 --deferred -o later.trace -- ./long 6
read -r with without <<<"$(samples later.trace)"
within "samples in the kernel have the program's chain" "$with" 20 1000000
within "... all of them" "$without" 0 0
ok "... as those that have it at once" test "$(paths once.trace)" -gt 0
ok "export folded: from main to the kernel" test "$(paths later.trace)" -gt 0
says "report: by callers" 0 ' main$' perfctl report --stdio -g caller -i later.trace
perfctl report --stdio -i later.trace >report.txt 2>&1
ok "... which takes no stack for a sample" bash -c '! grep -q ustack report.txt'
# what hit the exec itself had a program that was no more
ok "... and misses none but for an exec" bash -c \
	'! grep "came later" report.txt | grep -qv "executed another program before"'
says "info: what brings them" 0 'pev:ustack +call chains that came later$' perfctl info -i later.trace
stacks=$(records later.trace pev:ustack)
within "one for many samples" "$((with / stacks))" 3 1000000
ok "an exec ends no recording" has_records later.trace pev:exec

# by unwind tables: the piece of stack comes once, too
perfctl record -q -g dwarf -F 5000 -o dwarf-once.trace -- ./long 4
perfctl record -q -g dwarf -F 5000 --deferred -o dwarf.trace -- ./long 4
read -r with without <<<"$(samples dwarf.trace)"
within "-g dwarf" "$with" 10 1000000
within "... all of them" "$without" 0 0
within "... in less room" "$(size dwarf.trace)" 1 $(($(size dwarf-once.trace) / 2))

# waits are put off, too, and their readers have them
perfctl record -q --waits=0 --deferred -o waits.trace -- ./long 3
ok "--waits" has_records waits.trace pev:ustack
missing=$(perfctl script -e pev:ustack -F event,fields -i waits.trace |
	awk 'match($0, /missing=[1-9]/) { sub(".*records=", ""); sum += $0 } END { print sum + 0 }')
lost=$(perfctl script -F event,chain -i waits.trace | grep -c "chain lost")
within "... and lost are those of which it is said" "$lost" "$missing" "$missing"
within "... which are few" "$missing" 0 20

# the begin of a recording, cut in the middle of a call: its stack came behind
middle=$(perfctl script -e cpu-clock -F time -i later.trace 2>/dev/null |
	awk '{ sub(":", ""); if ($1 + 0 > 0) t[n++] = $1 } END { print t[int(n / 2)] }')
perfctl cut --time ",$middle" -o cut.trace later.trace >/dev/null 2>&1
ok "script: a stack that is lost" bash -c \
	'perfctl script -e cpu-clock -i cut.trace 2>/dev/null | grep -q "\[user call chain lost\]"'
says "report: ... is told of" 0 'of [0-9,]+ samples whose user call chain came later are without it' \
	perfctl report --stdio -i cut.trace

says "it needs call chains" 2 'add -g' perfctl record --deferred -o no.trace -- true
says "--fold has none" 2 'leave one of them out' perfctl record -g --fold --deferred -o no.trace -- true
says "perf takes them at once" 69 'takes call chains with the samples' \
	perfctl record -g --engine perf --deferred -o no.trace -- true

finish
