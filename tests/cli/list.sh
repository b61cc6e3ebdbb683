#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# engines: pev
# perfctl list and doctor.
. "$(dirname "$0")/lib/cli.bash"

says "list: software counters" 0 '^  task-clock ' perfctl list
says "list: a system's tracepoints by glob" 0 '^  sched:sched_switch$' perfctl list 'sched:*'
ok "list: ... and no others" bash -c '! perfctl list --names "sched:*" | grep -v ^sched:'
says "list: by system" 0 '^  sched:sched_switch$' perfctl list sched
says "list: by kind" 0 '^  page-faults' perfctl list software
says "list -v: fields of a tracepoint" 0 '^      next_pid +[a-z0-9_]+$' perfctl list -v sched:sched_switch
ok "list -j: is JSON" bash -c 'perfctl list -j "sched:*" | python3 -m json.tool'
ok "list: as many tracepoints as doctor says" bash -c \
	'[ "$(perfctl list --names tracepoint | wc -l)" = "$(perfctl doctor | awk "\$2 == \"tracepoints\" { print \$3 }")" ]'
says "list: nothing matches" 1 'no event matches "sched:sched_swich"; did you mean "sched:sched_switch"' \
	perfctl list sched:sched_swich
if [ -e "$PEV_MODULES/pev-log.ko" ]; then
	# another test may have left it
	rmmod pev-log 2>/dev/null
	insmod "$PEV_MODULES/pev-log.ko"
	says "list: a channel of the kernel's, with its events" 0 '^  pev_log/pev_log:line$' \
		perfctl list pev_log
	says "list -v: ... and their fields" 0 '^      text\[text_len\] +text_t$' \
		perfctl list -v pev_log
	says "list: channels by kind" 0 '^pev_log$' perfctl list --names client
	ok "list: nothing is without a heading of its own" bash -c 'perfctl list >list.txt && ! grep -A 3 "^Others" list.txt'
	ok "list: ... not what is private" bash -c '! perfctl list | grep pev_log_private'
	ok "list: ... not for who may not read it" bash -c '! setpriv --reuid 65534 --regid 65534 \
		--clear-groups --bounding-set=-all --inh-caps=-all perfctl list | grep pev_log'
	rmmod pev-log
else
	skip "list: channels of the kernel's" "no pev-log.ko"
fi
says "doctor: nothing is bad" 0 '^ok +kernel +Linux' perfctl doctor
says "doctor: kernel symbols" 0 '^ok +kernel symbols' perfctl doctor
says "doctor: unprivileged" 0 'no CAP_PERFMON' setpriv --reuid 65534 --regid 65534 --clear-groups \
	--bounding-set=-all --inh-caps=-all perfctl doctor
finish
