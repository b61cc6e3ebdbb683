# SPDX-License-Identifier: GPL-2.0
# engines: perf
# shellcheck shell=bash disable=SC2154
# Users without rights, and what they are told.
# What there is at each level of kernel.perf_event_paranoid; ours is one of them, and a
# virtual machine has all.

doctor_says() {
	says "user at $1: doctor names the one command" "$2" \
		'^For more: sudo sysctl kernel.perf_event_paranoid=1$' nobody perfctl doctor --engine perf
	says "user at $1: doctor, recordings are read everywhere" "$2" '^  yes  recordings ' \
		nobody perfctl doctor --engine perf
}

# Debian's own
user_at_3() {
	local command
	for command in "stat -- true" "stat -a -- true" "record -- true" \
			"record -e sched:sched_switch -- true" "trace -- true" "top --stdio"; do
		# shellcheck disable=SC2086
		says "user at 3: $command is refused, and why" 77 \
			'perf_event_paranoid is 3.*sysctl kernel.perf_event_paranoid=2' \
			nobody perfctl ${command%% *} --engine perf ${command#* }
	done
	doctor_says 3 77
}

user_at_2() {
	says "user at 2: stat counts what it may" 0 '^ +[0-9,]+ +page-faults' \
		nobody perfctl stat --engine perf -- true
	says "user at 2: and says why not the rest" 0 \
		'^context-switches: .*perf_event_paranoid is 2.*sysctl.*setcap' \
		nobody perfctl stat --engine perf -- true
	says "user at 2: record sees user mode only, and says so" 0 'only user mode is measured' \
		nobody perfctl record --engine perf -F "$fast" -g -o t -- ./hot 800 400
	within "user at 2: record finds the busy function" "$(share user/t spin)" 60 100
	says "user at 2: the whole machine is refused in words" 77 'may measure whole CPUs.*sysctl' \
		nobody perfctl record --engine perf -q -a -o t2 -- true
	says "user at 2: so are tracepoints" 77 'tracefs|tracing' \
		nobody perfctl record --engine perf -q -e sched:sched_switch -o t2 -- true
	says "user at 2: so is another user's process" 77 'may not be measured by you|belongs to another' \
		nobody perfctl stat --engine perf -e page-faults:u -p 1
	says "user at 2: ... also its kernel side, which no other level would allow" 77 \
		'^perfctl: page-faults: this process may not be measured by you' \
		nobody perfctl stat --engine perf -p 1
	[ ! -e /sys/bus/event_source/devices/msr ] ||
		says "user at 2: so is what has no user mode, for want of rights" 77 'perf_event_paranoid is 2' \
			nobody perfctl stat --engine perf -e msr/tsc/ -- true
	[ "$(cat /proc/sys/kernel/kptr_restrict)" != 0 ] ||
		says "user at 2: doctor says what hides the kernel's addresses" 0 \
			'without CAP_SYSLOG \(kernel.perf_event_paranoid is above 1\)' \
			nobody perfctl doctor --engine perf
	# all CPUs get one of a size, also where one of the usual size is all that there may be
	for locked in 0 16 64; do
		says "user at 2: rings of what memory may be locked, $locked KiB more" 0 "$nothing_lost" \
			nobody bash -c "ulimit -l $locked; perfctl record --engine perf -o t3 -- ./hot 50"
		says "user at 2: ... and twice as many, of --fold" 0 "$nothing_lost" \
			nobody bash -c "ulimit -l $locked; perfctl record --engine perf --fold -F $fast -o t3 -- ./hot 50"
	done
	# a recorder that does not read while there are more samples than its rings hold
	says "user at 2: what is lost for want of memory is not for -m to mend" 0 \
		'lost .*: raise the limit of locked memory .ulimit -l, or as root sysctl kernel.perf_event_mlock_kb.' \
		nobody bash -c "ulimit -l 64; perfctl record --engine perf -e page-faults:u -c 1 -m 64K -o t5 -- \
			sh -c 'kill -STOP \$PPID; ./usage 30000 0; kill -CONT \$PPID; sleep $slow; ./usage 100 0'"
	if [ -n "${PEV_VM:-}" ]; then
		locked=$(cat /proc/sys/kernel/perf_event_mlock_kb)
		echo 8 >/proc/sys/kernel/perf_event_mlock_kb
		says "user at 2: ... and that there is too little, not that the kernel side may not be seen" \
			77 '^perfctl: .* do not fit into the memory that you may lock: raise "ulimit -l"' \
			nobody bash -c 'ulimit -l 0; perfctl record --engine perf -o t4 -- ./hot 50'
		echo "$locked" >/proc/sys/kernel/perf_event_mlock_kb
	fi
	doctor_says 2 0
}

user_at_1() {
	says "user at 1: the kernel side is counted" 0 '^ +[0-9,]+ +context-switches' \
		nobody perfctl stat --engine perf -- true
	says "user at 1: ... and recorded" 0 '\[k\]' nobody bash -c \
		'perfctl record --engine perf -q -F 5000 -o t1 -- ./usage 5000 0 >t1.txt && perfctl report -i t1'
	says "user at 1: the whole machine is refused in words" 77 'may measure whole CPUs.*sysctl' \
		nobody perfctl stat --engine perf -a -e cs -- true
}

user_at_0() {
	says "user at 0: the whole machine" 0 '^ +[0-9,]+ +context-switches' \
		nobody perfctl stat --engine perf -a -e cs -- sleep 0.1
	says "user at 0: tracepoints are refused, and which mount helps" 77 'remount,gid=' \
		nobody perfctl record --engine perf -q -e sched:sched_switch -o t0 -- true
	mount -o remount,gid=65534,mode=750 /sys/kernel/tracing
	says "user at 0: ... and which level" 77 'perf_event_paranoid is 0.*sysctl kernel.perf_event_paranoid=-1' \
		nobody perfctl record --engine perf -q -a -e sched:sched_switch -o t0 -- true
	echo -1 >$level_file
	says "user at -1: tracepoints" 0 "$nothing_lost" \
		nobody perfctl record --engine perf -a -e sched:sched_switch -o t0 -- true
	mount -o remount,gid=0,mode=700 /sys/kernel/tracing
}

if [ "$level" -lt 2 ]; then
	skip "a user without rights" "kernel.perf_event_paranoid is $level: everyone has them"
elif [ -n "${PEV_VM:-}" ]; then
	# without Debian's patch, 3 is 2
	for at in $([ "$level" != 3 ] || echo 3) 2 1 0; do
		echo "$at" >$level_file
		"user_at_$at"
	done
	echo "$level" >$level_file
else
	"user_at_$level"
fi
if [ -n "$root" ]; then
	says "doctor: root may measure the whole machine" 0 '^  yes  the whole machine ' \
		perfctl doctor --engine perf
	says "doctor: ... and is not told to lower the level" 1 '^$' \
		bash -c 'perfctl doctor --engine perf | grep "^For more: .*paranoid"'
fi
says "doctor: names the engine" 0 'engine +perf: perf_event_open' perfctl doctor --engine perf
if [ -n "$tracepoints" ]; then
	says "list: a word within a tracepoint's name" 0 '^sched:sched_waking$' \
		perfctl list --engine perf --names waking
	says "list: a system's name is no such word" 1 '^0$' bash -c \
		'perfctl list --engine perf --names sched | grep -vc "^sched:"'
else
	skip "list: a word within a tracepoint's name" "tracefs cannot be read here"
fi
says "list: counters and timers" 0 'page-faults' perfctl list --engine perf
ok "list: ... and nothing without a heading of its own" bash -c \
	'perfctl list --engine perf >list.txt && ! grep -A 3 "^Others" list.txt'
if perfctl doctor --engine pev >/dev/null 2>&1; then
	skip "an engine that the kernel does not have" "this kernel has pev"
else
	says "an engine that the kernel does not have" 69 'has no pev' \
		perfctl stat --engine pev -- true
fi
