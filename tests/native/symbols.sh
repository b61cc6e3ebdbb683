# SPDX-License-Identifier: GPL-2.0
# engines: perf
# shellcheck shell=bash disable=SC2154
# Of the kernel's functions, a recording has those that its addresses lie in.
if [ -n "$root" ] && grep -q '^[0-9a-f]*[1-9a-f][0-9a-f]* T _stext$' /proc/kallsyms; then
	perfctl record --engine perf -q -g -F "$fast" -o some.trace -- ./usage 200000 100 >/dev/null
	cp -r some.trace full.trace
	cat /proc/kallsyms >full.trace/info/kallsyms
	within "recorded functions of the kernel" "$(grep -c ' [tTwW] ' some.trace/info/kallsyms)" \
		5 $(($(grep -c ' [tTwW] ' /proc/kallsyms) / 4))
	ok "... among them the kernel's begin" grep -q ' T _stext$' some.trace/info/kallsyms
	for what in 'script' 'report --percent-limit 0' 'export -o - folded' 'export -o - firefox'; do
		for which in some full; do
			# shellcheck disable=SC2086
			perfctl ${what%% *} -i $which.trace ${what#"${what%% *}"} 2>/dev/null |
				sed "s/$which.trace//" >$which.txt
		done
		within "$what: it has names of the kernel" "$(grep -c page_fault some.txt)" 1 1e9
		ok "... the same as with all functions" cmp some.txt full.txt
	done
	perfctl record --engine perf -q --overwrite -g -F "$fast" -o snap.trace -- ./usage 200000 100 >/dev/null
	within "... of a flight recorder" "$(grep -c ' [tTwW] ' snap.trace/info/kallsyms)" \
		5 $(($(grep -c ' [tTwW] ' /proc/kallsyms) / 4))
else
	skip "recorded functions of the kernel" "only root can see their addresses"
fi
