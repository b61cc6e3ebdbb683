# SPDX-License-Identifier: GPL-2.0
# engines: perf
# shellcheck shell=bash disable=SC2154,SC2016
# CPUs that come online while they are measured: a list of ours lies over the kernel's in the
# namespace of the tests, and the measured command writes it.
online=/sys/devices/system/cpu/online

# comes FILE COMMAND...: CPU 1 comes, and once that was told the command runs there
cat >comes <<'EOF'
#!/bin/sh
echo 0-1 >cpus.online
for i in $(seq 200); do
	grep -q 'CPU 1 came online' "$1" && break
	sleep 0.05
done
shift
exec taskset -c 1 "$@"
EOF
chmod +x comes

# watched NAME COMMAND...: with CPU 1 offline at first; what perfctl says goes to NAME.err
watched() {
	echo 0 >cpus.online
	: >"$1.err"
	"${@:2}" >"$1.out" 2>"$1.err"
}

echo 0 >cpus.online
if [ -n "${NATIVE_NS:-}" ] && [ "$(nproc)" -ge 2 ] && grep -q 1 $online &&
   mount --bind cpus.online $online 2>/dev/null; then
	watched cpus perfctl record --engine perf -a -F 1000 -e '{cpu-clock,cs}' -o cpus.trace -- \
		./comes cpus.err ./hot 500
	says "record -a: a CPU that comes is told" 0 'CPU 1 came online, and is measured from' \
		cat cpus.err
	within "record -a: it is recorded from then on" \
		"$(perfctl script -F comm -e cpu-clock -i cpus.trace | grep -c hot)" 1 2000
	says "record -a: the recording says what is missing" 0 '^# missing: +CPU 1 from 0\.[0-9]+ s to ' \
		perfctl report -i cpus.trace
	ok "record -a: babeltrace2 reads both CPUs" bash -c \
		'! command -v babeltrace2 >/dev/null || babeltrace2 cpus.trace | grep -q "cpu_id = 1"'
	watched stat perfctl stat --engine perf -A -a -x, -o cpus.csv -e '{page-faults,cs}' -- \
		./comes stat.err ./usage 2000 0
	within "stat -a: what happens on a CPU that came is counted" \
		"$(awk -F, '$1 == "CPU1" && $4 == "page-faults" { print $2 }' cpus.csv)" 2000 1e9
	watched only perfctl stat --engine perf -C 0 -e page-faults -- sleep 0.3
	ok "stat -C 0: another one is none of it" bash -c '! grep -q "CPU 1" only.err'
	if [ -n "$tracepoints" ]; then
		e=raw_syscalls:sys_enter
		watched filter perfctl record --engine perf -a -e $e --filter "id == $getppid" \
			-o filter.trace -- ./comes filter.err ./tree 0 0 1000
		within "record -a: with its filter" "$(records filter.trace $e)" 1000 1900
	else
		skip "record -a: with its filter" "tracefs cannot be read here"
	fi
	umount $online
else
	skip "CPUs that come online" "not root, one CPU, or no namespace"
fi
