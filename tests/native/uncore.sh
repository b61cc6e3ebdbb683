# SPDX-License-Identifier: GPL-2.0
# engines: perf
# shellcheck shell=bash disable=SC2154
# PMUs of sockets and devices: where they are counted, and in which unit. Few machines have one,
# so that a made-up one lies over sysfs in the namespace of the tests; its number is that of
# software events, and event 2 of these are page faults.
devices=/sys/bus/event_source/devices
stat="perfctl stat --engine perf"

if [ -n "${NATIVE_NS:-}" ] && mount -t tmpfs none $devices 2>/dev/null; then
	pmu=$devices/uncore_test
	mkdir -p $pmu/events $pmu/format
	echo 1 >$pmu/type
	echo 0 >$pmu/cpumask
	echo config:0-7 >$pmu/format/event
	echo event=0x02 | tee $pmu/events/halves >$pmu/events/bytes
	echo 0.5 >$pmu/events/halves.scale
	echo Joules >$pmu/events/halves.unit
	echo Bytes >$pmu/events/bytes.unit

	$stat -a -A -x, -o cpu.csv -e '{uncore_test/halves/,uncore_test/event=2/,uncore_test/bytes/}' -- \
		taskset -c 0 ./usage 20000 0 >/dev/null
	says "stat: a unit of sysfs" 0 '^CPU0,[0-9]+\.[0-9]+,Joules,uncore_test/halves/,' cat cpu.csv
	within "stat: its scale" "$(awk -F, '$4 == "uncore_test/halves/" { half = $2 }
		$4 == "uncore_test/event=2/" { print half / $2 }' cpu.csv)" 0.49 0.51
	says "stat: a unit without a scale" 0 '^CPU0,[0-9]+,Bytes,uncore_test/bytes/,' cat cpu.csv
	ok "stat: counted on the CPUs of cpumask only" bash -c '! grep -q ^CPU1 cpu.csv'
	says "stat: as a table" 0 '^ +[0-9]+\.[0-9]{2} Joules uncore_test/halves/ *$' \
		$stat -a -e uncore_test/halves/,cpu-clock -- true
	ok "stat -j: value and unit" bash -c "$stat -a -j -e uncore_test/halves/ -- taskset -c 0 true 2>&1 | python3 -c '
import json, sys
e = json.loads(sys.stdin.readline())
assert e[\"unit\"] == \"Joules\" and e[\"counter-value\"] > 0 and e[\"event-runtime\"] > 0, e'"
	says "stat: a process is refused in words" 2 'whole socket or device does.*with -a' \
		$stat -e uncore_test/halves/ -- true
	says "stat -C: CPUs on which it is not counted" 2 'none of those of -C' \
		$stat -C 1 -e uncore_test/halves/ -- true
	ok "stat -C: one on which it is" $stat -C 0-1 -e uncore_test/halves/ -- true
	says "stat: a group with events of all CPUs is refused in words" 2 'counted on other CPUs' \
		$stat -a -e '{page-faults,uncore_test/halves/}' -- true
	echo nonsense >$pmu/events/halves.scale
	says "stat: a scale that is no number" 0 '^ +[0-9,]+ Joules uncore_test/halves/' \
		$stat -a -e uncore_test/halves/ -- true
	umount $devices
else
	skip "PMUs of sockets and devices" "not root, or no namespace"
fi
