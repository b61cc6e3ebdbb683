#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# On a machine that counts exactly, what is known of programs is counted and sampled in
# each of three ways: by pev's own driver, by pev with perf's, and by perf_event_open(2). KNOWN
# and STORM are the paths of known.S and storm.S, compiled; without STORM there is none for this
# machine. WAYS names others than all.
# shellcheck source=tests/exact/ways.bash
. "$(dirname "$0")/ways.bash"
# shellcheck source=tests/exact/known.bash
. "$(dirname "$0")/known.bash"
. "$(dirname "$0")/../cli/lib/cli.bash"

# what is counted of known.S, and how often it happens: cycles are the emulator's
case $(pev_arch) in
x86_64)	counts=(instructions "$instructions" branches "$branches" cycles $((2 * instructions)))
	sampled=(instructions branches) ;;
ppc64le) counts=(instructions "$instructions" cycles "$instructions")
	sampled=(instructions cycles) ;;
esac
declare -A known
events=
for ((i = 0; i < ${#counts[@]}; i += 2)); do
	known[${counts[i]}]=${counts[i + 1]}
	events+=${events:+,}${counts[i]}:u
done
period=10007
never_throttle 1000000

storm=$((1 + 64 * 6 + 1 + 64 * 8 + 1 + 3 + 64 * (16 + 2001) + 64 * (6 + 2001)))
storm_branches=$((64 * 3 + 1 + 64 * 1002 + 64 * 1001))

for way in ${WAYS:-own lent perf}; do
	take_way "$way"
	$stat -o plain.csv -e "$events" -- "$KNOWN"
	group="{$events}"
	if [ $way = lent ]; then
		says "$way: a group is refused, as perf may divide it" 2 "may take them from a part" \
			$stat -e "$group" -- "$KNOWN"
		group="{${events//:u/:uD}}"
	fi
	$stat -o group.csv -e "$group" -- "$KNOWN"
	sed -i 's/:uD,/:u,/' group.csv
	for how in plain group; do
		for e in "${!known[@]}"; do
			within "$way, $how: $e" "$(stat_value "$e:u" $how.csv)" \
				"${known[$e]}" "${known[$e]}"
		done
	done
	if [ -n "${STORM:-}" ]; then
		$stat -o storm.csv -e instructions:u,branches:u -- "$STORM"
		within "$way: instructions of a fork storm" \
			"$(stat_value instructions:u storm.csv)" $storm $storm
		within "$way: its branches" "$(stat_value branches:u storm.csv)" \
			$storm_branches $storm_branches
	fi
	# perf's counters are not started at once: each counts the starting of the others
	if [ $way != lent ]; then
		$stat -o modes.csv -e '{instructions,instructions:u,instructions:k}' -- "$KNOWN"
		both=$(($(stat_value instructions:u modes.csv) + $(stat_value instructions:k modes.csv)))
		within "$way: user and kernel mode are all" "$(stat_value instructions modes.csv)" \
			$both $both
	fi
	for e in "${sampled[@]}"; do
		$rec -c $period -e "$e:u" -o $way-$e.trace -- "$KNOWN"
		within "$way: a sample for each $period $e" "$(records $way-$e.trace "$e:u")" \
			$((known[$e] / period - unsampled)) $((known[$e] / period))
	done
done
finish
