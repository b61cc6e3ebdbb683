# SPDX-License-Identifier: GPL-2.0
# engines: perf
# shellcheck shell=bash disable=SC2154
# What is measured: cgroups, processes that start threads while they are attached to, and those
# that end.
stat="perfctl stat --engine perf"
rec="perfctl record --engine perf -q"

# a cgroup v2 of its own
group=
for dir in /sys/fs/cgroup /sys/fs/cgroup/unified; do
	[ -z "$root" ] || [ ! -f $dir/cgroup.procs ] || [ -n "$group" ] ||
		[ ! -f $dir/cgroup.controllers ] || ! mkdir $dir/pev-test.$$ 2>/dev/null ||
		group=$dir/pev-test.$$
done
if [ -n "$group" ]; then
	# hist.sh tries it without
	[ -z "${PEV_VM:-}" ] || echo +pids >"${group%/*}/cgroup.subtree_control"
	mkdir "$group/below"
	# inside DIR COMMAND...: in the cgroup
	printf '#!/bin/sh\necho $$ >"$1/cgroup.procs"\nshift\nexec "$@"\n' >inside
	chmod +x inside
	$stat -x, -o group.csv -G "$group" -e page-faults -- \
		sh -c "./usage 9000 0; ./inside $group ./usage 3000 0" >/dev/null
	within "stat -G: what runs in the cgroup" "$(stat_value page-faults group.csv)" 3000 5000
	$stat -x, -o below.csv -G "$group" -e page-faults -- \
		./inside "$group/below" ./usage 3000 0 >/dev/null
	within "stat -G: and below it" "$(stat_value page-faults below.csv)" 3000 5000
	$rec -F "$fast" -G "$group" -o group.trace -- \
		sh -c "./hot 200; ./inside $group sh -c './hot $((slow * 300))'" >/dev/null
	within "record -G: most samples lie in the busy function" "$(share group.trace spin)" 60 100
	# one that enters the cgroup was named before, and is unknown until its exec
	within "record -G: none is of another cgroup" "$(perfctl script -F comm,time -e cpu-clock \
		-i group.trace | grep -cvE '^ *(hot|sh|inside|\[unknown\]) ')" 0 0
	if [ -n "$tracepoints" ]; then
		e=raw_syscalls:sys_enter
		$stat -x, -o calls.csv -G "$group" -e $e --filter "id == $getppid" -- \
			sh -c "./tree 0 0 5000; ./inside $group ./tree 3 3 100 threads"
		# the shell itself asks for its parent, too
		within "stat -G: each call of 40 processes" "$(stat_value $e calls.csv)" 4000 4010
	else
		skip "stat -G: each call of 40 processes" "tracefs cannot be read here"
	fi
	says "stat -G: a cgroup that is not there" 2 'cgroup .*no-such: No such file' \
		$stat -G "$group/no-such" -e cs -- true
	rmdir "$group/below" "$group"
else
	skip "cgroups" "not root, or no cgroup v2"
fi
says "stat -G: a directory that is no cgroup" 2 'is a directory, but no cgroup' $stat -G "$PWD" -e cs -- true

if [ -n "$tracepoints" ]; then
	gcc -O1 -pthread -o chain "$here/lib/chain.c" || exit 1
	e=raw_syscalls:sys_enter
	# a thread that begins at the very moment is missed, with all that follow it: try again
	whole=0
	for turn in 1 2 3 4 5 6; do
		[ "$whole" -lt 2000 ] || break
		./chain 200 $((2 * slow * slow)) &
		chain=$!
		$rec -e $e --filter "id == $getppid" -o chain.trace -p $chain &
		recorder=$!
		# from the first call on the disk on, none may be missed
		for _ in {1..100}; do
			! has_records chain.trace $e || break
			sleep 0.05
		done
		kill -USR1 $chain
		wait $chain
		wait $recorder
		whole=$(records chain.trace $e)
		rm -rf chain.trace
	done
	within "record -p: follows a chain of threads (at try $turn)" "$whole" 2000 1e9
else
	skip "record -p: a chain of threads" "tracefs cannot be read here"
fi

if [ -n "${NATIVE_NS:-}" ]; then
	says "stat -a: where sysfs is not mounted" 2 'sysfs, which is not mounted' unshare -m sh -c \
		"mount -t tmpfs tmpfs /sys && $stat -a -e page-faults -- true"
else
	skip "stat -a: where sysfs is not mounted" "not root"
fi

# one that has ended, and was not waited for: a shell would have waited, now and then
sh -c 'until grep -qx sleep /proc/$$/comm; do :; done & echo $! >zombie; exec sleep 30' &
parent=$!
until [ -s zombie ] && grep -qs '^State:.Z' "/proc/$(cat zombie)/status"; do sleep 0.02; done
says "stat -p: a process that has ended" 1 'the process is gone' \
	$stat -e page-faults:u -p "$(cat zombie)"
kill $parent
wait $parent 2>/dev/null
sleep 60 &
first=$!
./hot 600000 >/dev/null &
second=$!
$rec -e task-clock -F 500 -o both.trace -p $first,$second &
recorder=$!
until_ok has_records both.trace task-clock
kill $first
wait $first 2>/dev/null
ok "record -p: goes on when one of two has ended" kill -0 $recorder
kill $second
wait $recorder
result $? "record -p: until the last has ended"
within "record -p: has what that did" "$(share both.trace spin)" 60 100
wait $second 2>/dev/null
./hot 600000 >/dev/null &
running=$!
limited $stat -e task-clock:u -I 50 -t $running >interval.txt 2>&1 &
counter=$!
until_ok grep -q task-clock interval.txt
kill $running
wait $counter
result $? "stat -t: until the thread ends" "$(cat interval.txt)"
wait $running 2>/dev/null
