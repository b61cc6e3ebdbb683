#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What QEMU's PMUv3 counts, by perf_event_open(2), or by pev.ko with ENGINE=pev, on a machine that
# executes an instruction in a nanosecond: each is a cycle, too. known.S is on PATH, compiled.
export ANY_ENGINE=1
# shellcheck source=tests/exact/known.bash
. "$(dirname "$0")/../exact/known.bash"
. "$(dirname "$0")/../cli/lib/cli.bash"
period=10007
engine=${ENGINE:-perf}
# perf is not to hold up interrupts, as in tests/exact/counts.sh
echo 1000000 >/proc/sys/kernel/perf_event_max_sample_rate
echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent
stat="perfctl stat --engine $engine -x,"
rec="perfctl record --engine $engine -q"
pmu=armv8_pmuv3

says "doctor: this engine" 0 "^ok +engine +$engine(: .*)?\$" perfctl doctor
case $engine in
perf)	counters='^ok +hardware events +cycles.*instructions' ;;
pev)	counters="^ok +counters +perf's driver" ;;
esac
says "doctor: there are counters" 0 "$counters" perfctl doctor
says "list: its own names" 0 "^ +$pmu/cpu_cycles/" perfctl list

$stat -o plain.csv -e instructions:u,cycles:u -- known
$stat -o group.csv -e '{instructions:uD,cycles:u}' -- known
for how in "plain instructions:u" "plain cycles:u" "group instructions:uD" "group cycles:u"; do
	read -r file e <<< "$how"
	within "$file: $e" "$(stat_value $e $file.csv)" $instructions $instructions
done
# as numbers, and as sysfs has them
$stat -o raw.csv -e "r8:u,r11:u,cpu/event=0x8/u,$pmu/event=0x8/u,$pmu/inst_retired/u" -- known
within "raw codes: each counts the same" "$(grep -c "^$instructions," raw.csv)" 5 5
$stat -o modes.csv -e '{instructions:D,instructions:u,instructions:k}' -- known
both=$(($(stat_value instructions:u modes.csv) + $(stat_value instructions:k modes.csv)))
# by pev they are counters that perf starts one by one
case $engine in
perf)	most=$both ;;
pev)	most=$((both + both / 100)) ;;
esac
within "user and kernel mode are all" "$(stat_value instructions:D modes.csv)" $((2 * both - most)) $most
# perf shares the counters by time, and each value says for which part it counted: to pev
# events that are the same are one.
$stat -o more.csv -e "$(printf 'cycles:u,%.0s' {1..9})instructions:u" -- known
case $engine in
perf)	ok "more than it has counters: shared" awk -F, '{ sum += $5; part += $5 < 99 }
		END { exit !(NR == 10 && part && sum < 900) }' more.csv ;;
pev)	within "more than it has counters: each counts" "$(grep -c "^$instructions," more.csv)" 10 10 ;;
esac

# Of instructions QEMU 7.2 finds few overflows: what is sampled is cycles. perf counts one that
# it finds when it takes the counter off the CPU, and records none.
$rec -c $period -e cycles:u -o samples.trace -- known
within "a sample for each $period cycles" "$(records samples.trace cycles:u)" \
	$((instructions / period - 2)) $((instructions / period))
says "report: where they were" 0 '100\.00%  known +known +\[\.\] _start' \
	perfctl report -g none -i samples.trace
finish
