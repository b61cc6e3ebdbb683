# SPDX-License-Identifier: GPL-2.0
# engines: perf
# shellcheck shell=bash disable=SC2154
# Of the kernel's functions, a recording has those that its addresses lie in.
# same_as_whole NAME: says the same with all functions of the kernel
same_as_whole() {
	cp -r "$1.trace" "$1-whole.trace"
	cat /proc/kallsyms >"$1-whole.trace/info/kallsyms"
	for what in 'script' 'report --percent-limit 0' 'export -o - folded' 'export -o - firefox'; do
		for which in "$1" "$1-whole"; do
			# shellcheck disable=SC2086
			perfctl ${what%% *} -i "$which.trace" ${what#"${what%% *}"} 2>/dev/null |
				sed "s/$which\\.trace//" >"$which.txt"
		done
		within "$what: it has names of the kernel" "$(grep -c "$2" "$1.txt")" 1 1e9
		ok "... the same as with all functions" cmp "$1.txt" "$1-whole.txt"
	done
}

if [ -n "$root" ] && grep -q '^[0-9a-f]*[1-9a-f][0-9a-f]* T _stext$' /proc/kallsyms; then
	perfctl record --engine perf -q -g -F "$fast" -o some.trace -- ./usage 200000 100 >/dev/null
	within "recorded functions of the kernel" "$(grep -c ' [tTwW] ' some.trace/info/kallsyms)" \
		5 $(($(grep -c ' [tTwW] ' /proc/kallsyms) / 4))
	ok "... among them the kernel's begin" grep -q ' T _stext$' some.trace/info/kallsyms
	same_as_whole some page_fault
	if [ -e /sys/kernel/tracing/events/sched ]; then
		# a stack of the idle task goes through calls that never return
		perfctl record --engine perf -q -g -a -e sched:sched_switch -o idle.trace -- ./usage 1000 1 >/dev/null
		same_as_whole idle schedule
	else
		skip "recorded stacks of the idle task" "tracefs cannot be read here"
	fi
	perfctl record --engine perf -q --overwrite -g -F "$fast" -o snap.trace -- ./usage 200000 100 >/dev/null
	within "... of a flight recorder" "$(grep -c ' [tTwW] ' snap.trace/info/kallsyms)" \
		5 $(($(grep -c ' [tTwW] ' /proc/kallsyms) / 4))
else
	skip "recorded functions of the kernel" "only root can see their addresses"
fi
