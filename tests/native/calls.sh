# SPDX-License-Identifier: GPL-2.0
# engines: perf
# shellcheck shell=bash disable=SC2154
# Many tracepoints of system calls: two perf events record them all.
rec="perfctl record --engine perf -q"
if [ -n "$tracepoints" ]; then
	# as many as few are opened one by one (-c 1), in a program that does the same each time
	fixed='' fields=event
	! setarch -R true 2>/dev/null || fixed='setarch -R' fields=event,fields
	$fixed $rec -e 'syscalls:sys_*_[bm]*' -o joined.trace -- ./tree 1 1 5
	$fixed $rec -c 1 -e 'syscalls:sys_*_[bm]*' -o single.trace -- ./tree 1 1 5
	for how in joined single; do
		perfctl script --no-sideband -F $fields -i $how.trace | sort >$how.txt
	done
	ok "syscalls:*: the same records as of each event alone" cmp joined.txt single.txt
	within "... which are some" "$(wc -l <joined.txt)" 10 1000
	$rec -e 'syscalls:*' -o all.trace -- ./tree 3 2 100
	for end in enter exit; do
		within "syscalls:*: each of 1300 calls ($end)" \
			"$(records all.trace syscalls:sys_${end}_getppid)" 1300 1300
	done
	ok "syscalls:*: other names than those of the calls" bash -c \
		'perfctl script -i all.trace -F event | grep -q "syscalls:sys_enter_exit_group"'
	if [ -n "$exact_losses" ]; then
		perfctl record --engine perf -m 16K -e 'syscalls:sys_enter_g*' -o flood.trace \
			-- ./tree 3 1 100000 2>flood.err
		lost=$(awk '$1 == "syscalls:sys_enter_g*" || $1 == "syscalls:sys_enter_*" {
			gsub(",", ""); print $3 }' flood.err)
		within "syscalls:*: records and losses ($lost) are what happened" \
			$(($(records flood.trace 'syscalls:*') + lost)) 400000 401000
	else
		skip "syscalls:*: records and losses are what happened" "$inexact"
	fi
	$rec --overwrite -e 'syscalls:*' -o flight.trace -- ./tree 0 0 100
	within "syscalls:*: of a flight recorder" "$(records flight.trace syscalls:sys_exit_getppid)" 100 100
	./usage 0 1000000000 >/dev/null &
	user=$!
	$rec -e 'syscalls:*' -o killed.trace -p $user &
	recorder=$!
	until_ok has_records killed.trace 'syscalls:*'
	within "syscalls:*: few descriptors" \
		"$(ls -l /proc/$recorder/fd | grep -c perf_event)" 1 $((8 * $(nproc)))
	{ kill -9 $recorder; wait $recorder; } 2>/dev/null
	kill $user
	wait $user 2>/dev/null
	ok "syscalls:*: what a killed recorder wrote can be read" bash -c \
		'perfctl script -i killed.trace | grep -q "syscalls:sys_"'
	says "syscalls:*: --filter is for each event" 2 'the kernel does not understand the filter' \
		$rec -e 'syscalls:sys_enter_*' --filter 'no_such > 1' -o no.trace -- true
else
	skip "record: many system calls" "tracefs cannot be read here"
fi
