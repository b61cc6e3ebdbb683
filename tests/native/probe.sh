# SPDX-License-Identifier: GPL-2.0
# engines: perf
# shellcheck shell=bash disable=SC2154
# Probes: perf's PMUs kprobe and uprobe. calls N calls work() N times and prints the sum.
stat="perfctl stat --engine perf"
rec="perfctl record --engine perf -q"

build calls "$here/lib"
cp calls user/
if [ -n "$root" ] && [ -e /sys/bus/event_source/devices/uprobe ]; then
	$stat -x, -o uprobe.csv -e "uprobe:./calls:work,uretprobe:./calls:work/name=back/,cs" \
		-- ./calls 1000 >/dev/null
	within "uprobe: 1000 calls" "$(stat_value uprobe:./calls:work uprobe.csv)" 1000 1000
	within "uretprobe: 1000 returns" "$(stat_value back uprobe.csv)" 1000 1000
	offset=0x$(nm calls | awk '$3 == "work" { print $1 }')
	$stat -x, -o offset.csv -e "{uprobe:./calls:$offset/name=at/,uprobe:./calls:work+0/name=plus/}" \
		-- ./calls 700 >/dev/null
	within "uprobe: by its offset in the file" "$(stat_value at offset.csv)" 700 700
	within "uprobe: with an offset behind its name" "$(stat_value plus offset.csv)" 700 700
	$stat -a -x, -o all.csv -e uprobe:./calls:work -- sh -c './calls 300 & ./calls 400; wait' >/dev/null
	within "uprobe -a: all processes" "$(stat_value uprobe:./calls:work all.csv)" 700 700
	says "uprobe: what a command starts is not probed, and that is said" 0 'misses nothing' \
		$stat -e uprobe:./calls:work -- sh -c './calls 30; ./calls 40'
	$rec -g -e uprobe:./calls:work -o uprobe.trace -- ./calls 500 >/dev/null
	within "record uprobe: a record for each call" \
		"$(records uprobe.trace uprobe:./calls:work)" 500 500
	within "record uprobe: all in that function" "$(share uprobe.trace work)" 100 100
	says "record uprobe: with who called it" 0 'main' perfctl report -i uprobe.trace
	line=$(grep -n 'return x + 1' "$here/lib/calls.c" | cut -d: -f1)
	$stat -x, -o line.csv -e "uprobe:./calls:calls.c:$line/name=line/" -- ./calls 30 >/dev/null
	within "uprobe: a line of the source" "$(stat_value line line.csv)" 30 30
	build usdt "$here/lib"
	$stat -x, -o usdt.csv -e 'usdt:./usdt:*' -- ./usdt 10 >out
	says "usdt: semaphores are set while a probe is there" 0 '^20 listened' cat out
	within "usdt: a probe at two places is two events" \
		"$(stat_value usdt:./usdt:app:work usdt.csv | awk '{ n += $1 } END { print n }')" 20 20
	within "usdt: one behind a semaphore" "$(stat_value usdt:./usdt:app:guarded usdt.csv)" 10 10
	within "usdt: one whose note has an old address" \
		"$(stat_value usdt:./usdt:app:moved usdt.csv)" 10 10
	says "usdt: semaphores are cleared behind that" 0 '^0 listened' ./usdt 10
	perfctl trace --engine perf -o lines.txt -e "uprobe:./calls:work,write" -- ./calls 3 >/dev/null
	within "trace: a line for each time that a probe is reached" \
		"$(grep -c 'uprobe:./calls:work()$' lines.txt)" 3 3
	says "trace: ... between system calls" 0 'write\(fd: 1, .* = 5 <' cat lines.txt
	says "uprobe: so are members" 1 'only a kernel with pev .* written to uprobe_events of tracefs' \
		$stat -e 'uprobe:./calls:main(argv[0])' -- true
	says "uretprobe: times are refused in words" 1 'only a kernel with pev records fields' \
		$stat -e 'uretprobe:./calls:work(duration)' -- true
	says "uprobe: an offset in the next function" 2 'beyond the end of work' \
		$stat -e uprobe:./calls:work+0x1000 -- true
	says "uprobe: the middle of an instruction" 2 'in the middle of the instruction' \
		$stat -e uprobe:./calls:work+1 -- true
	says "usdt: fields are refused in words" 1 'only a kernel with pev records fields' \
		$stat -e 'usdt:./usdt:app:work(x)' -- true
	# each CPU counts on its own
	$rec -c 10 -e uprobe:./calls:work -o tenth.trace -- taskset -c 0 ./calls 500 >/dev/null
	within "record -c 10 uprobe: for each tenth call" \
		"$(records tenth.trace uprobe:./calls:work)" 50 $((50 + first_more))
	says "uprobe: a function that is not there" 2 'has no function "no_work"' \
		$stat -e uprobe:./calls:no_work -- true
	says "uprobe: one that several have" 1 'several functions twice: give the offset' \
		$stat -e uprobe:./calls:twice -- true
	says "uprobe: a file that is not there" 2 'no-such-file: No such file' \
		$stat -e uprobe:./no-such-file:work -- true
	says "uprobe: a file that is no program" 1 'is not an ELF file' \
		$stat -e uprobe:/etc/passwd:work -- true
	says "uprobe: no code at the offset" 2 'has no code there' \
		$stat -e uprobe:./calls:0x99999999 -- true
	says "uprobe: without a function" 2 'not of the form uprobe:FILE:FUNCTION' \
		$stat -e uprobe:./calls -- true
	says "uprobe: globs are refused in words" 2 'has no globs' $stat -e 'uprobe:./calls:w*' -- true
	says "uprobe: so are modifiers" 2 'has no modifiers' $stat -e 'uprobe:./calls:work/period=1/u' -- true
	says "uprobe: and users without rights" 77 'probes need CAP_PERFMON|paranoid is 3' \
		nobody $stat -e uprobe:./calls:work -- true
else
	skip "uprobe" "not root, or the kernel has no uprobes"
fi
if [ -n "$root" ] && [ -e /sys/bus/event_source/devices/kprobe ]; then
	# a thread ends once, and sleep(1) waits once
	$stat -x, -o kprobe.csv -e kprobe:do_exit,kretprobe:do_nanosleep -- sleep 0.01 >/dev/null
	within "kprobe: the end of a process" "$(stat_value kprobe:do_exit kprobe.csv)" 1 1
	within "kretprobe: a return" "$(stat_value kretprobe:do_nanosleep kprobe.csv)" 1 1
	$rec -e kprobe:do_exit -o kprobe.trace -- ./calls 1 >/dev/null
	within "record kprobe" "$(records kprobe.trace kprobe:do_exit)" 1 1
	says "record kprobe: in that function" 0 'do_exit' perfctl report -g none -i kprobe.trace
	says "kprobe: a function that is not there" 2 'no function of that name' \
		$stat -e kprobe:no_such_function -- true
elif [ -n "$root" ]; then
	says "kprobe: why there are none" 1 'built without CONFIG_KPROBE_EVENTS' \
		$stat -e kprobe:do_exit -- true
else
	skip "kprobe" "not root"
fi
# dynamic DEFINITION: makes an event of tracefs, which the end of this file drops
dynamic() {
	local name=${1%% *}
	echo "$1" >>"$tracing/dynamic_events" 2>/dev/null || return
	made+=("-:${name#*:}")
}
tracing=/sys/kernel/tracing made=() group=pev_test_$$
if [ -n "$root" ] && [ -e $tracing/uprobe_events ]; then
	offset=0x$(nm calls | awk '$3 == "work" { print $1 }')
	dynamic "p:$group/work $PWD/calls:$offset x=%di:s32"
	$stat -x, -o dynamic.csv -e "$group:work" -- ./calls 50 >/dev/null
	within "dynamic events: counted" "$(stat_value "$group:work" dynamic.csv)" 50 50
	$rec -o dynamic.trace -e "$group:work" --filter 'x >= 40' -- ./calls 50 >/dev/null
	within "dynamic events: recorded if they pass the filter" \
		"$(records dynamic.trace "$group:work")" 10 10
	says "dynamic events: with their fields" 0 ' x=49$' perfctl script -i dynamic.trace
	says "dynamic events: in the list" 0 "^ *$group:work" perfctl list --engine perf
else
	skip "dynamic events" "not root, or the kernel has no uprobe_events"
fi
if [ -n "$root" ] && [ -e $tracing/kprobe_events ]; then
	dynamic "p:$group/exit do_exit"
	$stat -x, -o exit.csv -e "$group:exit" -- ./calls 1 >/dev/null
	within "dynamic events: of a kprobe" "$(stat_value "$group:exit" exit.csv)" 1 1
else
	skip "dynamic events: of a kprobe" "not root, or the kernel has no kprobe_events"
fi
if [ -n "$root" ] && dynamic "e:$group/fork sched.sched_process_fork pid=\$child_pid"; then
	says "dynamic events: one that perf never reports" 1 "use that, -e 'sched:sched_process_fork'" \
		$stat -e "$group:fork" -- true
else
	skip "dynamic events: one that perf never reports" "not root, or it can't be made"
fi
for event in "${made[@]}"; do
	echo "$event" >>"$tracing/dynamic_events"
done
