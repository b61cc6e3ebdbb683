# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Users without rights, and what they are told.
if [ "$level" -lt 2 ]; then
	skip "a user without rights" "kernel.perf_event_paranoid is $level: everyone has them"
elif [ "$level" -gt 2 ]; then
	says "user: nothing may be measured, and why" 77 "perf_event_paranoid is $level" \
		nobody perfctl stat --engine perf -- true
else
	says "user: stat counts what it may" 0 '^ +[0-9,]+ +page-faults' \
		nobody perfctl stat --engine perf -- true
	says "user: and says why not the rest" 0 \
		'^context-switches: .*perf_event_paranoid is 2.*sysctl.*setcap' \
		nobody perfctl stat --engine perf -- true
	says "user: record sees user mode only, and says so" 0 'only user mode is measured' \
		nobody perfctl record --engine perf -g -o t -- ./hot 200
	within "user: record finds the busy function" "$(share user/t spin)" 60 100
	says "user: the whole machine is refused in words" 77 'may measure whole CPUs.*sysctl' \
		nobody perfctl record --engine perf -q -a -o t2 -- true
	says "user: so are tracepoints" 77 'tracefs|tracing' \
		nobody perfctl record --engine perf -q -e sched:sched_switch -o t2 -- true
	says "user: so is another user's process" 77 'may not be measured by you|belongs to another' \
		nobody perfctl stat --engine perf -e page-faults:u -p 1
	[ "$(cat /proc/sys/kernel/kptr_restrict)" != 0 ] ||
		says "user: doctor says what hides the kernel's addresses" 0 \
			'without CAP_SYSLOG \(kernel.perf_event_paranoid is above 1\)' \
			nobody perfctl doctor --engine perf
	says "user: rings of what memory may be locked" 0 'nothing lost' \
		nobody bash -c 'ulimit -l 16; perfctl record --engine perf -o t3 -- ./hot 50'
fi
if [ -n "$root" ]; then
	says "doctor: root may measure the whole machine" 0 '^  yes  the whole machine ' \
		perfctl doctor --engine perf
	says "doctor: ... and is not told to lower the level" 1 '^$' \
		bash -c 'perfctl doctor --engine perf | grep "^For more: .*paranoid"'
fi
if [ "$level" -gt 1 ]; then
	says "doctor: a user without rights is told the one command" "$((level > 2 ? 77 : 0))" \
		'^For more: sudo sysctl kernel.perf_event_paranoid=1$' nobody perfctl doctor --engine perf
fi
says "doctor: recordings are read everywhere" "$((level > 2 ? 77 : 0))" '^  yes  recordings ' \
	nobody perfctl doctor --engine perf
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
if perfctl doctor --engine pev >/dev/null 2>&1; then
	skip "an engine that the kernel does not have" "this kernel has pev"
else
	says "an engine that the kernel does not have" 69 'has no pev' \
		perfctl stat --engine pev -- true
fi
