#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# On a machine whose counters tell guests from the host, with KVM: what is known of a guest is counted
# and sampled in each of three ways, as in counts.sh. GUEST is tests/module/guest.c, compiled, whose guest
# is that of tests/lib/vmm.h. WAYS names others than all.
# shellcheck source=tests/exact/ways.bash
. "$(dirname "$0")/ways.bash"
. "$(dirname "$0")/../cli/lib/cli.bash"

turns=3
turn=2000002 turn_branches=1000001
# so long that a busy host does not make the interrupts too many
period=100003
# shellcheck disable=SC2154
"$lib/../../lib/load_kvm"
never_throttle 1000000

# known TURN: of all turns, the first of which lacks a jump; each entry counts as one more
known() { echo $((turns * $1 - 1 + $(cat said))); }

# all_in_guest TRACE: of the samples
all_in_guest() {
	perfctl report --stdio --sort dso "$1" | awk '
		!/^#/ && NF { n++; print "# " $0 } !/^#/ && NF && !/guest.kernel/ { wrong = 1 }
		END { exit n != 1 || wrong }'
}

# cycles_fit FILE: the emulator's cycles are two for each instruction. perf_event_open(2) reads one after the
# other, while the guest runs: a busy host may stand still in between.
cycles_fit() {
	local cycles instructions differ
	cycles=$(stat_value cycles "$1") instructions=$(stat_value instructions "$1")
	echo "# $cycles cycles, $instructions instructions"
	differ=$((2 * instructions - cycles))
	[ "$instructions" -gt $turn ] && [ $((${differ#-} * 20)) -lt "$cycles" ]
}

for way in ${WAYS:-own lent perf}; do
	take_way "$way"
	$stat -o guest.csv -e instructions:G,branches:G,instructions:uG,instructions:uH -- "$GUEST" $turns >said
	want=$(known $turn)
	within "$way: instructions of a guest" "$(stat_value instructions:G guest.csv)" "$want" "$want"
	want=$(known $turn_branches)
	within "$way: its branches" "$(stat_value branches:G guest.csv)" "$want" "$want"
	within "$way: none is in its user mode" "$(stat_value instructions:uG guest.csv)" 0 0
	within "$way: what the host does is none of it" "$(stat_value instructions:uH guest.csv)" 1000 $turn
	# without a global switch they start one after the other
	if [ $way != lent ] && [ "${PEV_PMU:-}" = amd-v2 ]; then
		$stat -o sum.csv -e '{instructions,instructions:G,instructions:H}' -- "$GUEST" $turns >said
		want=$(known $turn)
		within "$way: instructions beside those of the host" \
			"$(stat_value instructions:G sum.csv)" "$want" "$want"
		want=$(($(stat_value instructions:G sum.csv) + $(stat_value instructions:H sum.csv)))
		within "$way: host and guest are all" "$(stat_value instructions sum.csv)" "$want" "$want"
	fi
	$rec -c $period -e instructions:G -o $way.trace -- "$GUEST" $turns >said
	want=$(($(known $turn) / period))
	within "$way: a sample for each $period instructions" "$(records $way.trace instructions:G)" \
		$((want - unsampled)) $want
	ok "$way: each is the guest's" all_in_guest $way.trace

	# why the guest was left: each turn ends with an access to a port. What the host does for one takes 2 us, so that
	# one of 20 has a sample.
	if [ $way = own ]; then
		exits=150
		$rec --exits -F 20000 -e kvm:kvm_pio -e cpu-clock -o why.trace -- "$GUEST" $exits >said
		perfctl script -e kvm:kvm_pio -F exit why.trace >why
		within "$way: accesses to a port, for which the guest was left" "$(grep -cx ' exit=io' why)" $exits $exits
		within "$way: none for another reason" "$(grep -cvx ' exit=io' why)" 0 0
		says "$way: samples of the host's work have a reason" 0 '^ .*%  for [0-9]+ +io$' \
			perfctl report --stdio --percent-limit 0 --sort guest,exit -e cpu-clock why.trace
		says "$way: those of the guest have none" 0 '^ .*%  of [0-9]+ +\[none\]$' \
			perfctl report --stdio --percent-limit 0 --sort guest,exit -e cpu-clock why.trace
	fi

	# it says when it runs
	exec {line}< <(exec "$GUEST" </dev/null)
	guest=$!
	read -r -u "$line"
	named=()
	[ $way != perf ] || named=(-e '{cycles,instructions}')	# perf's clocks are refused
	$stat --guest $guest -o target.csv "${named[@]}" --timeout 200ms
	[ "${PEV_PMU:-}" != amd-v2 ] || [ $way = lent ] ||
		ok "$way: stat --guest counts its cycles and instructions" cycles_fit target.csv
	$rec --guest $guest -e instructions -o target.trace --timeout 200ms
	ok "$way: record --guest samples them" all_in_guest target.trace
	kill $guest
	exec {line}<&-
done
# as the kernel has it
echo auto >/proc/sys/kernel/pev_pmu
finish
