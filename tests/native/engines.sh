# SPDX-License-Identifier: GPL-2.0
# engines: pev perf
# shellcheck shell=bash disable=SC2154,SC2016,SC2086
# The table "What works by which engine" of the documents says what perfctl says:
# each row has a command here that works, or is refused, by the engine that is named in
# $engine: perf_event_open(2) here, pev in tests/cli/engines.sh.
table=$top/Documentation/admin-guide/engines.rst
engine=${engine:-perf}
rec="perfctl record --engine $engine -q"
stat="perfctl stat --engine $engine"

# LABEL<tab>WHAT, of each row: what stands below the engine, without the lines that go on
rows() {
	awk -v engine="$engine" '/^What works by which engine/ { on = 1 }
	     on && /^====.* ====/ { if (++rules == 3) exit; next }
	     rules == 2 { label = substr($0, 1, 41)
			  sub(/ +$/, "", label)
			  what = engine == "pev" ? substr($0, 44, 11) : substr($0, 57)
			  sub(/ +$/, "", what)
			  if (label != "") print label "\t" what }' "$table"
}

# row LABEL COMMAND...: it fails where the row says "no" or "none", and works elsewhere
row() {
	local said works=yes agrees=1
	said=$(awk -F '\t' -v l="$1" '$1 == l { print $2 }' table)
	echo "$1" >>asked
	limited "${@:2}" >row.txt 2>&1 || works=no
	case $said,$works in
	"",*) echo "the table has no such row" >row.txt ;;
	no,no | none,no) agrees=0 ;;
	no,yes | none,yes) ;;
	*,yes) agrees=0 ;;
	esac
	result $agrees "engines.rst, $engine: $1: $said" "${*:2}" "$(cat row.txt)"
}

# row_if CONDITION WHY LABEL COMMAND...: the same where the machine has what it takes
row_if() {
	if [ -n "$1" ]; then
		row "${@:3}"
	else
		echo "$3" >>asked
		skip "engines.rst, $engine: $3" "$2"
	fi
}

# works_or REGEX COMMAND...: fails for that reason; other failures are none of the table's
works_or() {
	! "${@:2}" 2>&1 | grep -E -- "$1"
}

rows >table
: >asked
hardware=
perfctl doctor --engine $engine | grep -q '^note *hardware events *no PMU' || hardware=1
uprobe=
[ ! -e /sys/bus/event_source/devices/uprobe ] || uprobe=1
precise=
[ "$(cat /sys/bus/event_source/devices/cpu*/caps/max_precise 2>/dev/null | head -n 1)" -lt 2 ] \
	2>/dev/null || precise=$hardware
cgroup=
for dir in /sys/fs/cgroup /sys/fs/cgroup/unified; do
	[ ! -f $dir/cgroup.controllers ] || cgroup=$dir
done
msr=
[ ! -e /sys/bus/event_source/devices/msr/events/tsc ] || msr=1

row "software events, timers" \
	bash -c "$stat -x , -e page-faults:u,task-clock -- true && $rec -e task-clock -o row.trace -- true"
row_if "$hardware" "this machine has no PMU" "hardware events, raw codes" \
	$stat -e cycles:u -- true
row_if "$precise" "this machine's PMU gives none, or it has none" \
	'exact addresses of samples (``:pp``)' \
	$rec -e cycles:pp -o row.trace -- true
row_if "${root:+$msr}" "not root, or the machine has no PMU msr" \
	'other PMUs by name (``msr/tsc/``)' $stat -e msr/tsc/ -- true
row_if "${root:+$uprobe}" "not root, or the kernel has no uprobes" \
	'probes (``kprobe:``, ``usdt:``, ...)' \
	$stat -e "uprobe:./tree:main" -- ./tree 0 0 1
row_if "${root:+$uprobe}" "not root, or the kernel has no uprobes" \
	"fields, filters and globs of probes" \
	$stat -e "uprobe:./tree:main(argc)" -- ./tree 0 0 1
dynamic=
if [ -n "$root" ] && [ -n "$tracepoints" ] && [ -n "$uprobe" ]; then
	[ -x calls ] || build calls "$here/lib"
	dynamic=pev_row_$$
	echo "p:$dynamic/work $PWD/calls:0x$(nm calls | awk '$3 == "work" { print $1 }')" \
		>>/sys/kernel/tracing/uprobe_events || dynamic=
fi
row_if "$dynamic" "none can be made" "dynamic events of tracefs" \
	$stat -e "$dynamic:work" -- true
[ -z "$dynamic" ] || echo "-:$dynamic/work" >>/sys/kernel/tracing/uprobe_events
row_if "$tracepoints" "tracefs cannot be read here" "tracepoints and their filters" \
	$rec -e raw_syscalls:sys_enter --filter "id == $getppid" -o row.trace -- true
row 'waits of threads (``--waits``)' $rec --waits -o row.trace -- true
row "filters of software events and timers" \
	$rec -e page-faults --filter 'comm != "no such"' -o row.trace -- true
row_if "$tracepoints" "tracefs cannot be read here" "what a filter refused is counted" bash -c \
	"perfctl record --engine $engine -e raw_syscalls:sys_enter --filter 'id == $getppid' \
	-o row.trace -- true 2>&1 | grep -q ' filtered'"
# those of a module that pev comes with
row 'counts by key (``hist``)' perfctl hist --engine $engine -e page-faults -- true
row_if "$tracepoints" "tracefs cannot be read here" 'time between events (``hist --latency``)' \
	perfctl hist --engine $engine --latency raw_syscalls:sys_enter..sys_exit -- true
row 'counts by what runs (``stat --by``)' \
	$stat --by thread -e page-faults -t $$ --timeout 50ms
row 'samples counted (``--fold``)' $rec --fold -o row.trace -- true
row "kernel markers" $rec -e 'pev_sample:*' -o row.trace -- true
row 'marks of programs (``user:*``)' \
	works_or 'need a kernel with pev' $rec -e 'user:shop:*' -o row.trace -- true
row 'texts of system calls (``--strings``)' \
	works_or 'does not copy what arguments' $rec --strings -e raw_syscalls:sys_enter -o row.trace -- true
row 'requests of threads (``--context``)' \
	works_or 'does not know which request a thread works for' $rec --context -o row.trace -- true
row 'call chains, ``-g`` and ``-g dwarf``' \
	bash -c "$rec -g -o row.trace -- true && $rec -g dwarf -o row.trace -- true"
row 'names of BPF programs' $rec -o row.trace -- true
row "a command with all that it starts" $rec -o row.trace -- sh -c './hot 20; ./hot 20'
# each runs for an eighth of a period, which is 50 ms where a program starts in a few of them; the
# first one reads what it is made of
rate=$({ TIMEFORMAT='%U %S'; for i in 1 2 3 4 5; do time ./hot 5 >/dev/null; done; } 2>&1 |
	awk '{ s = $1 + $2; least = NR == 1 || s < least ? s : least }
		END { rate = int(1 / 8 / (least + 0.0001)); print (rate < 1 ? 1 : rate > 20 ? 20 : rate) }')
short='i=0; while [ $i -lt 60 ]; do ./hot 5 >/dev/null; i=$((i + 1)); done'
row "samples of programs shorter than a period" bash -c \
	"$rec -F ${rate:?} -o row.trace -- sh -c '$short' && perfctl script -i row.trace -e '*clock' -F comm | grep -q hot"
./hot 600000 >hot.txt &
running=$!
row 'processes with their threads (``-p``)' \
	$stat -e page-faults:u -p $running -- sleep 0.1
row "a process with all its descendants" \
	$stat -e page-faults:u --subtree $running -- sleep 0.1
kill $running
wait $running 2>/dev/null
row_if "$root" "CPUs are measured by root" "CPUs, the whole machine" \
	$rec -a -o row.trace -- sleep 0.1
row_if "${root:+$cgroup}" "cgroups are measured by root, where they are mounted" "cgroups" \
	$rec -G "$cgroup" -o row.trace -- sleep 0.1
row "flight recorder, snapshots" $rec --overwrite -o row.trace -- true
row 'triggers (``--snapshot-on``)' \
	$rec --overwrite --snapshot-on page-faults:u -o row.trace -- true
row "commands while it runs (\`\`--control\`\`)" $rec --control fd:0 -o row.trace -- true </dev/null
row 'recordings in parts (``--switch-output``)' $rec --switch-output -o row.trace -- true
exact=1
[ $engine = pev ] || exact=$exact_losses
row_if "$exact" "$inexact" "losses" \
	bash -c "perfctl record --engine $engine -o row.trace -- true 2>&1 | grep -q 'nothing lost'"
row "cycle counter as clock" \
	works_or 'does not stamp records with the cycle' $rec --clock cycles -o row.trace -- true
cpus=1
[ $engine = pev ] || cpus=$(getconf _NPROCESSORS_ONLN)
row_if "$root" "CPUs are measured by root" "descriptors for an event" $stat -a -e page-faults -- bash -c \
	'[ "$(ls -l /proc/$PPID/fd | grep -cE "(perf_|pev-)event")" = $0 ]' "$cpus"
row_if "" "it takes a PMU that multiplexes its counters" "error bounds of shared counters" false
cut -f 1 table | sort >named
sort asked | diff named - >row.txt
result $? "engines.rst, $engine: each row has been tried" "$(cat row.txt)"
