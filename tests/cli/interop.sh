#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# engines: pev
# babeltrace2 reads what record writes, and agrees.
# lib is set by what is sourced
# shellcheck disable=SC2154
. "$(dirname "$0")/lib/cli.bash"
build hot
build tree
command -v babeltrace2 >/dev/null || { echo "1..0 # SKIP no babeltrace2"; exit 0; }

# agree NAME DIR: same events, same order, same number by name
agree() {
	babeltrace2 --clock-seconds --names none "$2" 2>"$2.err" >"$2.bt" || {
		fail "$1: babeltrace2 reads it" "$(head -n 5 "$2.err")"
		return
	}
	perfctl script -F abstime,event -e '*' "$2" >"$2.pc" 2>/dev/null
	within "$1: as many events" "$(wc -l <"$2.pc")" "$(wc -l <"$2.bt")" "$(wc -l <"$2.bt")"
	ok "$1: the same events at the same times" python3 "$lib/agree.py" "$2.bt" "$2.pc"
	ok "$1: perfctl's are in order" bash -c "awk '{ print \$1 }' '$2.pc' | tr -d : | sort -c -n"
}

perfctl record -q -o flat -- ./hot 300
agree "timer samples" flat
perfctl record -q -g -o chains -- ./hot 300
agree "call chains" chains
perfctl record -q -e 'sched:*' -e raw_syscalls:sys_enter -o tp -- ./tree 2 2 200
agree "tracepoints of a tree" tp
perfctl record -q -ag -e cpu-clock -e page-faults -e sched:sched_switch -o machine -- ./tree 2 2 50
agree "the whole machine" machine
perfctl record -q -e 'syscalls:*' -o sys -- ls / >/dev/null 2>&1 && agree "hundreds of events" sys
perfctl record -q --overwrite -m 64K -e raw_syscalls:sys_enter -o flight -- ./tree 0 0 20000
agree "a flight recorder" flight
perfctl record -q -m 8K -e raw_syscalls:sys_enter -o lossy -- ./tree 1 1 20000 2>/dev/null
agree "a recording with losses" lossy

# field values
babeltrace2 tp 2>/dev/null | sed -nE 's/.*sched:sched_process_fork.* parent_pid = ([0-9]+).*child_pid = ([0-9]+).*/\1 \2/p' | sort >bt.fork
perfctl script -F fields -e sched:sched_process_fork tp | sed -nE 's/.* parent_pid=([0-9]+).*child_pid=([0-9]+).*/\1 \2/p' | sort >pc.fork
within "forks in both" "$(wc -l <pc.fork)" 6 6
ok "fields have the same values" cmp bt.fork pc.fork
finish
