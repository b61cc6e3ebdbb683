#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# engines: pev
# What happens to a recorder: full disks, SIGKILL, hotplug, losses, memory
# limits, users without rights; the flight recorder.
. "$(dirname "$0")/lib/cli.bash"
build hot
build tree
e=raw_syscalls:sys_enter

# a disk that fills
mkdir small
if mount -t tmpfs -o size=1200k tmpfs small; then
	perfctl record -e $e -o small/t -- ./tree 0 0 200000 >full.txt 2>&1
	status=$?
	within "a full disk: exit status" $status 74 74
	ok "a full disk: it is said" grep -q 'No space left on device.*can be read' full.txt
	says "a full disk: what was written is read" 0 "$e: [0-9,]+ samples" perfctl report small/t
	ok "a full disk: babeltrace2 reads it, too" bash -c 'babeltrace2 small/t | grep -q sys_enter'
	umount small
else
	skip "a full disk" "no tmpfs"
fi

# a recorder that is killed; what it left is looked at when no program takes half of the processor
./hot 200000 >/dev/null &
pid=$!
perfctl record -q -F 2000 -g -p $pid -o killed &
rec=$!
until_ok eval '[ "$(cat killed/stream_[0-9]* | wc -c)" -gt 20000 ]'
kill -9 $rec
wait $rec 2>/dev/null
perfctl record -q -p $pid -o again -- sleep 0.3
# few samples fill no packet in that time
perfctl record -q -e cpu-clock -F 10 -p $pid -o rare &
rec=$!
sleep 4
kill -9 $rec $pid
wait 2>/dev/null
within "SIGKILL: what was on the disk is read" "$(share killed spin)" 80 100
ok "SIGKILL: babeltrace2 reads it" bash -c 'babeltrace2 killed | grep -q cpu-clock'
within "SIGKILL: the next recorder works" "$(share again spin)" 80 100
within "SIGKILL at 10 Hz: all but the last second is on the disk" "$(records rare cpu-clock)" 10 45
says "... and that its end is missing is said" 0 'or its recorder was killed' perfctl report rare

# losses
perfctl record -m 8K -e $e -o lossy -- ./tree 1 1 20000 >lossy.txt 2>&1
if grep -q 'were lost' lossy.txt; then
	pass "tiny rings: losses are said"
	ok "... by event and by CPU" bash -c "grep -qE '$e +[0-9,]+ +[1-9]' lossy.txt && grep -qE 'lost on CPU [01]: [1-9]' lossy.txt"
	says "... and again by report" 0 'records were lost while recording' perfctl report lossy
else
	ok "tiny rings: nothing was lost and it is said" grep -q 'nothing lost' lossy.txt
fi
kept=$(awk -v e=$e '$1 == e { gsub(",", ""); print $2 }' lossy.txt)
lost=$(awk -v e=$e '$1 == e { gsub(",", ""); print $3 }' lossy.txt)
if [ -n "$kept" ]; then
	within "... written records are all in the trace" "$(records lossy $e)" "$kept" "$kept"
	perfctl stat -x, -o all.csv -e $e -- ./tree 1 1 20000
	total=$(stat_value $e all.csv)
	within "... written + lost = what happens" $((kept + lost)) $((total - 60)) $((total + 60))
fi

# hotplug
if [ -w /sys/devices/system/cpu/cpu1/online ]; then
	./hot 200000 >/dev/null &
	pid=$!
	perfctl record -q -a -o plug -- sh -c 'sleep 0.4
		echo 0 >/sys/devices/system/cpu/cpu1/online; sleep 0.4
		echo 1 >/sys/devices/system/cpu/cpu1/online; sleep 0.6'
	echo 1 >/sys/devices/system/cpu/cpu1/online 2>/dev/null
	kill $pid
	wait 2>/dev/null
	within "a CPU that goes and comes: samples go on" "$(share plug spin)" 15 100
	ok "... nothing is damaged" bash -c '! perfctl report plug 2>&1 | grep -q "left out"'
	last=$(perfctl script -F time -e cpu-clock plug | tail -n 1 | tr -d ' :')
	within "... to the end (s)" "${last:-0}" 0.9 10
else
	skip "hotplug" "CPU 1 cannot go offline"
fi

# the flight recorder
perfctl record --overwrite -m 64K -e $e -o flight -- ./tree 0 0 50000 >flight.txt 2>&1
ok "--overwrite: the summary" grep -q 'the newest were kept' flight.txt
newest=$(records flight $e)
within "--overwrite: only the newest are kept" "$newest" 100 49000
ok "--overwrite: the last ones" bash -c "perfctl script -e $e flight | tail -n 1 | grep -qE 'id=(231|60|3)\('"
perfctl record -q --overwrite -m 64K -e $e -o snap -- sh -c './tree 0 0 5000; kill -USR2 $PPID; sleep 0.5; ./tree 0 0 5000' 2>snap.txt
ok "SIGUSR2: a snapshot" [ -f snap.1/metadata ]
within "... which can be read" "$(records snap.1 $e)" 100 100000
ok "... before the end's" bash -c "a=\$(perfctl script -F abstime -e $e snap.1 | tail -n 1 | tr -d ' :'); b=\$(perfctl script -F abstime -e $e snap | tail -n 1 | tr -d ' :'); awk -v a=\$a -v b=\$b 'BEGIN { exit !(a < b) }'"

# users without rights, who may not even look into the directory that it was built in
mkdir bin
cp "$(command -v perfctl)" bin
PATH=$PWD/bin:$PATH
user=(setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set=-all --inh-caps=-all)
chmod 1777 .
says "a user: own programs, user mode, said so" 0 'only user mode is measured' \
	"${user[@]}" perfctl record -g -o u1 -- ./hot 600
within "... with samples" "$(share u1 spin)" 60 100
ok "... and no kernel address" bash -c '! perfctl script u1 | grep -qE "^ +ffff"'
says "a user: all system calls of a program" 0 . \
	"${user[@]}" perfctl record -e 'syscalls:*' -o u5 -- ./hot 50
within "... with records" "$(records u5 'syscalls:*')" 10 100000
says "a user: stat" 0 'page-faults' "${user[@]}" perfctl stat -- ./hot 50
says "a user: the whole machine is refused, with the kernel's words" 77 'CAP_PERFMON' \
	"${user[@]}" perfctl record -a -o u2 -- true
says "a user: tracepoints are refused" 77 'CAP_PERFMON' \
	"${user[@]}" perfctl record -e sched:sched_switch -o u2 -- true
says "a user: someone else's process is refused" 77 'perfctl: ' \
	"${user[@]}" perfctl stat -p $$ -- true
says "a user: little locked memory gives smaller rings and a note" 0 'rings of [0-9.]+ KiB' \
	"${user[@]}" bash -c 'ulimit -l 640; perfctl record -o u3 -- ./hot 100'
says "a user: a wish that does not fit is refused with the limit" 77 'RLIMIT_MEMLOCK' \
	"${user[@]}" bash -c 'ulimit -l 640; perfctl record -m 16M -o u4 -- ./hot 100'
old=$(cat /proc/sys/kernel/pev_paranoid)
echo 3 >/proc/sys/kernel/pev_paranoid
says "paranoid 3: nothing for users" 77 'kernel.pev_paranoid is 3' "${user[@]}" perfctl stat true
echo 4 >/proc/sys/kernel/pev_paranoid
says "paranoid 4: switched off for all" 77 'pev_paranoid is 4' perfctl stat true
says "paranoid 4: doctor says what helps" 1 'sysctl kernel.pev_paranoid' perfctl doctor
echo "$old" >/proc/sys/kernel/pev_paranoid
says "a ring that is too large is refused with what helps" 1 "ask for a smaller ring_size" perfctl record -m 64G -o r -- true
finish
