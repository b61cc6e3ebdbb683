#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# engines: pev
# perfctl record --latency: of known pairs the long ones are records, with what began them.
. "$(dirname "$0")/lib/cli.bash"

sleep=syscalls:sys_enter_clock_nanosleep..sys_exit_clock_nanosleep
naps=(sh -c 'sleep 0.001; sleep 0.001; sleep 5')

perfctl record --latency "$sleep by tid with which_clock,comm" --min 4s -o long -- "${naps[@]}" 2>long.err
ok "one pair of three is a record" \
	grep -qE '^  3 pairs of .*, 1 of 4\.000 s or more; 0 ended without a begin$' long.err
ok "... in the table of events, too" grep -qE '^  syscalls:sys_exit_clock_nanosleep +1 +0 ' long.err
ok "... and all that began has ended" grep -qx '  3 begun: 0 replaced, 0 dropped, 0 open' long.err
perfctl script -i long >long.txt
ok "... with its latency, and what the begin had" test "$(grep -cE \
	'sys_exit_clock_nanosleep: latency=5[0-9]{9} begin_which_clock=[0-9]+ begin_comm="sleep" .*ret=0$' \
	long.txt)" = 1
ok "... and no other" test "$(grep -c latency= long.txt)" = 1
says "babeltrace2 reads it" 0 'sys_exit_clock_nanosleep: .*latency = 5[0-9]{9}, begin_which_clock' \
	babeltrace2 long
says "without --min each one is" 0 '^  3 pairs of [^,]*; 0 ended without a begin$' \
	perfctl record --latency "$sleep" -o all -- sh -c 'sleep 0.001; sleep 0.001; sleep 0.001'
says "-g: where it ended" 0 'clock_nanosleep \(libc' \
	bash -c "perfctl record -q -g --latency $sleep -o chain -- sleep 0.001 && perfctl script -i chain"
says "a thread that wakes another" 0 'sched_switch: latency=[0-9]+ begin_comm="' bash -c "
	perfctl record -q -a --latency 'sched:sched_wakeup..sched_switch by field(pid)=next_pid with comm' \
		-o wakes -- sh -c 'sleep 0.01; sleep 0.01' && perfctl script -i wakes"
says "hist has the same keys" 0 '^ begin\(which_clock\) [0-9]+, begin\(comm\) sleep: 2 times$' \
	perfctl hist --latency "$sleep" 'begin(which_clock)' 'begin(comm)' -- sh -c 'sleep 0.001; sleep 0.001'

says "-e: refused" 2 '^perfctl: --latency names its events: -e goes without it$' \
	perfctl record --latency "$sleep" -e cpu-clock -- true
says "--fold: refused" 2 '^perfctl: --latency records the ends of long pairs, which --fold has none of' \
	perfctl record --latency "$sleep" --fold -- true
says "--min alone: refused" 2 '^perfctl: --min is the least time of --latency$' \
	perfctl record --min 1s -- true
says "one event: refused" 2 '^perfctl: --latency takes two events, what they have in common' \
	perfctl record --latency sched:sched_switch -- true
says "a field that the first event does not have: refused" 2 'asks for the field ret, which syscalls:sys_enter_clock_nanosleep does not have$' \
	perfctl record --latency "$sleep with ret" -- true
says "hist: begin() without pairs: refused" 2 'PEV_TABLE_AT_BEGIN is for tables with pairs' \
	perfctl hist -e syscalls:sys_exit_clock_nanosleep 'begin(comm)' -- true
finish
