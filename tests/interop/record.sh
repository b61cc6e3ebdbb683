#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# engines: pev
# Makes a recording of every kind; the host compares how they are read. Writes
# each to $PEV_OUT/traces/NAME with NAME.log, what the recorder said and counted,
# and NAME.time, the seconds since the epoch before and after.
# shellcheck disable=SC2154
. "$(dirname "$0")/../cli/lib/cli.bash"
top=$(cd "$lib/../../.." && pwd)
here=$top/tests/interop/lib
out=${PEV_OUT:-/tmp/pev-interop}/traces
rm -rf "$out"
mkdir -p "$out"
build tree
build hot
build record "$here"
build names "$here"

# make NAME COMMAND...: COMMAND gets the directory to write as its last word
# before "--", or as its last one
make() {
	local name=$1 word before after
	local -a cmd=()
	shift
	for word; do
		cmd+=("${word/@DIR@/$work/$name}")
	done
	before=$(date +%s.%N)
	if timeout 200 "${cmd[@]}" >"$name.log" 2>&1 && [ -s "$name/metadata" ]; then
		after=$(date +%s.%N)
		pass "$name is recorded"
	else
		fail "$name is recorded" "$(cat "$name.log")"
		return
	fi
	echo "$before $after" >"$name.time"
	cp -r "$name" "$name.log" "$name.time" "$out/"
	rm -rf "$name"
}

record() {
	local name=$1
	shift
	make "$name" perfctl record -o @DIR@ "$@"
}

record timer -- ./hot 400
record timer-chains -g -- ./hot 400
record timer-chains-whole --no-intern -g -- ./hot 400
record timer-period -c 500000 -e cpu-clock -e task-clock -- ./hot 200
record software -g -e page-faults,context-switches,cpu-migrations,minor-faults -- ./tree 2 2 10
record software-period -c 10 -e page-faults -- ./tree 2 2 10
record machine -ag -e cpu-clock,page-faults,sched:sched_switch -- ./tree 2 2 50
record cpus -C 0,1 -e cpu-clock -e 'irq:*' -- ./hot 200
record systems -a -e 'sched:*' -e 'irq:*' -e 'timer:*' -e 'workqueue:*' -e 'signal:*' \
	-e 'task:*' -e '9p:*' -e 'writeback:*' -e 'cgroup:*' -e 'ipi:*' -e 'kmem:*' \
	-m 16M -- sh -c './tree 1 1 5; ls /usr/bin >/dev/null'
record everything -a -m 16M -e '*:*' -- ls /
record syscalls -e 'syscalls:*' -e raw_syscalls:sys_exit -- ./tree 1 2 20
record filtered -e raw_syscalls:sys_enter --filter 'id == 110' -- ./tree 3 3 100
record strange -g -e task:task_rename,sched:sched_switch,syscalls:sys_enter_openat -- ./names
record probes -g -e 'function:vfs_*' -e 'kprobe:do_filp_open(dfd:s32,path=arg1[0]:str)' -- ls /
record monotonic --clock monotonic -e cpu-clock,raw_syscalls:sys_enter -- ./tree 1 1 200
record cycles --clock cycles -e cpu-clock,raw_syscalls:sys_enter -- ./tree 1 1 200
record flight --overwrite -m 64K -e raw_syscalls:sys_enter -- ./tree 0 0 30000
record lossy -m 8K -e raw_syscalls:sys_enter -- ./tree 1 1 20000
# a name for the metadata to be careful with
old=$(hostname)
if /usr/bin/python3 -c 'import socket; socket.sethostname(b"we\"ird\\\n}; \x1b[31m")'; then
	record hostname -e cpu-clock -- ./hot 50
	hostname "$old"
fi
record empty -e cpu-migrations -- true
cpu1=/sys/devices/system/cpu/cpu1/online
if [ -w $cpu1 ]; then
	record hotplug -a -m 4M -e cpu-clock -e 'cpuhp:*' -e sched:sched_switch -- sh -c \
		"sleep 0.2; echo 0 >$cpu1; sleep 0.3; echo 1 >$cpu1; sleep 0.3"
	echo 1 >$cpu1 2>/dev/null
else
	skip "hotplug" "CPU 1 cannot go offline"
fi
module=$PEV_MODULES/pev-sample.ko
if [ -n "${PEV_MODULES:-}" ] && [ -f "$module" ] && insmod "$module"; then
	fire=/sys/kernel/debug/pev_sample/fire
	record markers -a -m 4M -e 'pev_sample:*' -- sh -c \
		"for c in task softirq irq mixed; do echo \$c 200 >$fire; done"
	rmmod pev-sample
else
	skip "markers" "no pev-sample.ko"
fi
for scenario in all gap many flush flood fast flight; do
	make "lib-$scenario" ./record $scenario default @DIR@
done
make lib-gap-monotonic ./record gap monotonic @DIR@
make lib-gap-cycles ./record gap cycles @DIR@
make lib-all-monotonic ./record all monotonic @DIR@
finish
