# SPDX-License-Identifier: GPL-2.0
# engines: perf
# shellcheck shell=bash disable=SC2154,SC2016
# Losses where the kernel does not count them for each event, as before Linux 6.0.
if [ -n "$tracepoints" ] && gcc -shared -fPIC -o old.so "$here/lib/old_perf.c" -ldl; then
	old() { LD_PRELOAD=$work/old.so perfctl record --engine perf -e $e --filter "id == $getppid" "$@"; }
	e=raw_syscalls:sys_enter
	old -m 16K -o old.trace -- ./tree 3 1 100000 2>old.err
	lost=$(sed -nE 's/^note: at least ([0-9,]+) of .* records were lost.*/\1/p' old.err | tr -d ,)
	# those of mappings and of ends of processes are among them
	within "before Linux 6.0: losses are counted at least, and it says so" "${lost:-0}" 1 \
		$((400100 - $(records old.trace $e)))
	ok "... not those of each event" grep -qE "^ +$e +[0-9,]+ +- +-$" old.err
	ok "... in the recording" grep -qx 'losses=at least' old.trace/info/record
	says "... by whatever reads it" 0 '^note: at least [0-9,]+ records were lost while recording' \
		perfctl report -i old.trace
	says "... that there are none is more than is known" 0 'no losses are known' old -o few.trace -- true
	[ -z "$exact_losses" ] || ok "since then, nothing of that is said" bash -c \
		"perfctl record --engine perf -e page-faults:u -o new.trace -- true 2>&1 |
			grep -q 'nothing lost' && ! grep -q losses new.trace/info/record"
else
	skip "before Linux 6.0" "tracefs cannot be read here"
fi

if [ -z "$exact_losses" ]; then
	skip "losses: as many of events as of rings" "$inexact"
	return
fi
# the rings and the events count the same losses, however often they are looked at meanwhile
# now it does not run, and then it runs beside the program
perfctl record --engine perf -m 16K --flush 50ms -e page-faults:u -c 1 -o often.trace -- sh -c \
	'for _ in 1 2 3 4; do kill -STOP $PPID; ./usage 4000 0; kill -CONT $PPID; ./usage 100 20; done' \
	>/dev/null 2>often.err
lost=$(awk '$1 == "page-faults:u" { gsub(",", ""); print $3 }' often.err)
on_rings=$(sed -n 's/^  lost on//p' often.err | tr -d , | grep -oE ': [0-9]+' | awk '{ n += $2 } END { print n }')
within "losses: small rings have some" "${lost:-0}" 1000 16400
within "... as many as the events, and few of mappings" "$on_rings" "$lost" $((lost + 200))
