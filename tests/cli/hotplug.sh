#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# engines: perf
# CPUs that go and come while they are measured by perf_event_open(2).
. "$(dirname "$0")/lib/cli.bash"

cpu1=/sys/devices/system/cpu/cpu1/online
[ -w $cpu1 ] || skip_all "there is no second CPU that can be switched off"
build hot
# told FILE TEXT N: waits until perfctl, which looks each second, has said it N times
cat >told <<'EOF'
#!/bin/sh
for i in $(seq 200); do
	[ "$(grep -c "$2" "$1")" -ge "$3" ] && exit
	sleep 0.1
done
exit 1
EOF
chmod +x told

perfctl record --engine perf -a -F 200 -e cpu-clock -o cpus.trace -- bash -c "
	echo 0 >$cpu1; ./told cpus.err 'went offline' 1
	echo 1 >$cpu1; ./told cpus.err 'came online' 1 && taskset -c 1 ./hot 1000" >cpus.out 2>cpus.err
says "record -a: a CPU that goes, and comes back" 0 'CPU 1 came online, and is measured' cat cpus.err
within "record -a: it is recorded again" "$(perfctl script -F comm,cpu -e cpu-clock -i cpus.trace |
	grep -c 'hot.*\[001\]')" 5 1000
says "record -a: the recording says what is missing" 0 '^# missing: +CPU 1 from [0-9.]+ s to [0-9.]+ s$' \
	perfctl report -i cpus.trace

# it is gone for less than the time between two looks
perfctl stat --engine perf -A -a -x, -o flip.csv -e '{page-faults,cs}' -- bash -c "
	echo 0 >$cpu1; echo 1 >$cpu1; ./told flip.err 'came online' 1 && taskset -c 1 ./hot 200" \
	>flip.out 2>flip.err
says "stat -a: a CPU that is offline for a moment" 0 'CPU 1 came online' cat flip.err
echo 0 >$cpu1
perfctl record --engine perf -q -F 200 -e cpu-clock -o task.trace -- bash -c "
	echo 1 >$cpu1; exec taskset -c 1 ./hot 1000" >task.out
within "record: a command on a CPU that came later" \
	"$(perfctl script -F comm,cpu -e cpu-clock -i task.trace | grep -c 'hot.*\[001\]')" 20 1000
echo 1 >$cpu1
finish
