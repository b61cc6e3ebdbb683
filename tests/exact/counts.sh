#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# On a machine that counts exactly, both engines count and sample what is known of a
# program: KNOWN is the path of known.S, compiled.
. "$(dirname "$0")/../cli/lib/cli.bash"

instructions=$((2 + 2 * (2 + 2000000 + 1 + 4000 + 2) + 6 + 2 * 3))
branches=$((2 * (1000000 + 1000 + 1)))
# core cycles of the emulator
cycles=$((2 * instructions))
period=10007
# perf is not to hold up interrupts: an emulator's take long, by which it may have lowered the rate
# that it allows, and all samples of a run may fall into one tick
echo 1000000 >/proc/sys/kernel/perf_event_max_sample_rate
echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent

for engine in pev perf; do
	stat="perfctl stat --engine $engine -x,"
	rec="perfctl record --engine $engine -q"
	# perf counts an overflow that it finds when it takes the counter off the CPU, before the
	# interrupt came, but records no sample of it
	unsampled=0
	[ $engine = pev ] || unsampled=1

	$stat -o plain.csv -e instructions:u,branches:u,cycles:u -- "$KNOWN"
	$stat -o group.csv -e '{instructions:u,branches:u,cycles:u}' -- "$KNOWN"
	for how in plain group; do
		within "$engine, $how: instructions" "$(stat_value instructions:u $how.csv)" \
			$instructions $instructions
		within "$engine, $how: branches" "$(stat_value branches:u $how.csv)" $branches $branches
		within "$engine, $how: cycles" "$(stat_value cycles:u $how.csv)" $cycles $cycles
	done
	$stat -o modes.csv -e '{instructions,instructions:u,instructions:k}' -- "$KNOWN"
	within "$engine: user and kernel mode are all" "$(stat_value instructions modes.csv)" \
		$(($(stat_value instructions:u modes.csv) + $(stat_value instructions:k modes.csv))) \
		$(($(stat_value instructions:u modes.csv) + $(stat_value instructions:k modes.csv)))
	$rec -c $period -e instructions:u -o samples.trace -- "$KNOWN"
	within "$engine: a sample for each $period instructions" \
		"$(records samples.trace instructions:u)" \
		$((instructions / period - unsampled)) $((instructions / period))
	$rec -c $period -e branches:u -o branches.trace -- "$KNOWN"
	within "$engine: a sample for each $period branches" "$(records branches.trace branches:u)" \
		$((branches / period - unsampled)) $((branches / period))
done
finish
