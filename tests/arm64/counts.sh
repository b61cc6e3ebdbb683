#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What QEMU's PMUv3 counts, by perf_event_open(2), on a machine that executes an instruction in
# a nanosecond: each is a cycle, too. known.S is on PATH, compiled.
export ANY_ENGINE=1
. "$(dirname "$0")/../cli/lib/cli.bash"

instructions=$((7 + 2 * (3 + 2 * 1000000 + 1 + 4 * 1000 + 1) + 6 + 2 * 3))
period=10007
# perf is not to hold up interrupts, as in tests/exact/counts.sh
echo 1000000 >/proc/sys/kernel/perf_event_max_sample_rate
echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent
stat="perfctl stat --engine perf -x,"
rec="perfctl record --engine perf -q"
pmu=armv8_pmuv3

says "doctor: there are counters" 0 '^ok +hardware events +cycles.*instructions' perfctl doctor
says "list: its own names" 0 "^ +$pmu/cpu_cycles/" perfctl list

$stat -o plain.csv -e instructions:u,cycles:u -- known
$stat -o group.csv -e '{instructions:u,cycles:u}' -- known
for how in plain group; do
	for e in instructions:u cycles:u; do
		within "$how: $e" "$(stat_value $e $how.csv)" $instructions $instructions
	done
done
# as numbers, and as sysfs has them
$stat -o raw.csv -e "r8:u,r11:u,cpu/event=0x8/u,$pmu/event=0x8/u,$pmu/inst_retired/u" -- known
within "raw codes: each counts the same" "$(grep -c "^$instructions," raw.csv)" 5 5
$stat -o modes.csv -e '{instructions,instructions:u,instructions:k}' -- known
both=$(($(stat_value instructions:u modes.csv) + $(stat_value instructions:k modes.csv)))
within "user and kernel mode are all" "$(stat_value instructions modes.csv)" $both $both
# A counter that is shared: each value says for which part of the time it counted.
$stat -o more.csv -e "$(printf 'cycles:u,%.0s' {1..9})instructions:u" -- known
ok "more than it has counters: shared" awk -F, '{ sum += $5; part += $5 < 99 }
	END { exit !(NR == 10 && part && sum < 900) }' more.csv

# Of instructions QEMU 7.2 finds few overflows: what is sampled is cycles. perf counts one that
# it finds when it takes the counter off the CPU, and records none.
$rec -c $period -e cycles:u -o samples.trace -- known
within "a sample for each $period cycles" "$(records samples.trace cycles:u)" \
	$((instructions / period - 2)) $((instructions / period))
says "report: where they were" 0 '100\.00%  known +known +\[\.\] _start' \
	perfctl report -g none -i samples.trace
finish
