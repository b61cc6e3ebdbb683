# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
# perfctl record -o net://: lttng-relayd gets a recording as it grows, babeltrace2 shows it live, and
# what is lost with the relay or on the way to it is counted. Records are page faults of a program
# that counts them, so that all of them must be somewhere.
# engines: perf

read -r rctl rdata rlive rfake <<< "$(free_ports 4)"
to=net://127.0.0.1:$rctl:$rdata
live=net://127.0.0.1:$rlive/host/$(hostname)
engines+=("$work/relay")
mkdir "$work/relay"

# listens PORT: all connect() of bash needs
listens() { : < "/dev/tcp/127.0.0.1/$1"; }

# start_relay: returns once all of its ports are there. What is started here must not hold the pipe to
# the program open.
start_relay() {
	"$here/engines" run lttng-relayd -o "$work/relay/out" -C "tcp://127.0.0.1:$rctl" \
		-D "tcp://127.0.0.1:$rdata" -L "tcp://127.0.0.1:$rlive" > relay/log 2>&1 7>&- 8<&- &
	echo $! > relay/pid
	until_true 20 listens "$rctl" && until_true 20 listens "$rdata" && until_true 20 listens "$rlive"
}

kill_relay() { stop_engines "$work/relay"; }

# recordings SESSION: their directories, the oldest first
recordings() { printf '%s\n' relay/out/*/"$1"-*/pev; }

# calls DIR: faults of the program, as perfctl reads the recording
calls() { perfctl script -i "$1" -F event 2> /dev/null | grep -c page-faults; }

# lost DIR: records that a recording says were lost
lost() { perfctl info -i "$1" 2> /dev/null | awk '$1 == "lost" { gsub(",", ""); print $2 == "nothing" ? 0 : $2; exit }'; }

# lost_calls DIR: the same, of the program alone
lost_calls() { perfctl info -i "$1" 2> /dev/null | awk '$5 == "page-faults" { gsub(",", ""); print $4 }'; }

# figure FILE BEFORE AFTER: the number between two expressions, 0 without them
figure() { sed -nE "s/.*$2([0-9,]+)$3.*/\1/p" "$1" | tr -d , | awk '{ n = $1 } END { print n + 0 }'; }

gcc -O1 -fno-omit-frame-pointer -static -o faults "$here/faults.c"
program=$work/faults
# how many functions deep it makes them
depth=0

# begin SESSION OPTION...: a recording of the program, which is led by call
begin() {
	local session=$1
	shift
	rm -f to from
	mkfifo to from
	perfctl record -o "$to/$session" -e page-faults -c 1 --flush 100ms "$@" -- "$program" "$depth" < to > from 2> said &
	recorder=$!
	exec 7> to 8< from
}
# call N [CPU]: once it has made them, on the first of its CPUs
call() { echo "$1 ${2:-0}" >&7; read -r -t 600 -u 8 _; }
# end: with the status of the recorder
end() { exec 7>&- 8<&-; wait "$recorder"; }

has_calls() { [ "$(calls "$(recordings "$1")")" -ge "$2" ]; }

# all_calls SESSION: how many there are when no more come, of the program's start as well
all_calls() {
	local dir now last=-1 same=0
	dir=$(recordings "$1")
	while [ $same -lt 10 ]; do
		now=$(calls "$dir")
		same=$((now == last ? same + 1 : 0))
		last=$now
		sleep 0.05
	done
	echo "$now"
}

# arrive SESSION N: so many calls are at the relay, and confirmed: it is asked before it gets more
arrive() {
	local there
	ok "$1: records arrive" until_true 20 has_calls "$1" "$2"
	there=$(all_calls "$1")
	call 1
	ok "$1: one more arrives" until_true 20 has_calls "$1" $((there + 1))
}

# ---- what is refused
says "no relay listens" 1 "no relay answers at port $rctl.*lttng-relayd" perfctl record -o "$to" -- true
says "a session that leads elsewhere" 2 "a session has letters" perfctl record -o "$to/../../etc" -- true
says "-z" 2 "-z writes a directory; a relay" perfctl record -z -o "$to" -- true
says "--switch-output" 2 "does not go together with -o net://" perfctl record --switch-output=1s -o "$to" -- true
says "--overwrite" 2 "for which a relay has no place" perfctl record --overwrite -o "$to" -- true
# fake BYTES: answers a connection with them, whatever is said
fake() {
	python3 - "$rfake" "$1" <<-'EOP' &
	import socket, sys
	s = socket.create_server(('127.0.0.1', int(sys.argv[1])))
	while True:
	    c, _ = s.accept()
	    if c.recv(100):
	        c.sendall(bytes.fromhex(sys.argv[2]))
	    c.close()
	EOP
	faker=$!
	until_true 60 listens "$rfake"
}
fake 0000000300000001
says "another version of the protocol" 1 "speaks version 3[.]1 .*2[.]11 or a later 2[.]x is needed" \
	perfctl record -o "net://127.0.0.1:$rfake:$rdata" -- true
kill $faker; wait $faker 2> /dev/null
fake 485454
says "what is not a relay" 74 "is no lttng-relayd" perfctl record -o "net://127.0.0.1:$rfake:$rdata" -- true
kill $faker; wait $faker 2> /dev/null

if ! start_relay; then
	fail "lttng-relayd starts" "$(tail -n 5 relay/log)"
else

# ---- a recording, and its name
says "a recording" 0 "nothing lost|no losses are known" \
	perfctl record -e cpu-clock -c 1000000 -g -o "$to/whole" -- python3 -c 'print(sum(i * i for i in range(10**6)))'
dir=$(recordings whole)
says "is complete at the relay" 0 "complete +yes" perfctl info -i "$dir"
says "perfctl report reads it" 0 "PyEval_EvalFrame|python3" perfctl report -i "$dir" -g none
ok "babeltrace2 reads it" test "$(babeltrace2 "$dir" 2> /dev/null | grep -c cpu-clock)" = \
	"$(perfctl script -i "$dir" -F event 2> /dev/null | grep -c cpu-clock)"

# ---- live
# attached: babeltrace2 has found the session
attached() { babeltrace2 --input-format=lttng-live "net://127.0.0.1:$rlive" 2> /dev/null | grep -q "/$1 .* 1 client"; }
begin live -a
call 1
says "a session that is there is refused" 1 "receives a session live of .* already" \
	perfctl record -o "$to/live" -- true
until_true 10 eval 'babeltrace2 --input-format=lttng-live "net://127.0.0.1:$rlive" | grep -q "/live "'
# events of the whole machine: one CPU or the other has none for long
timeout 60 babeltrace2 --input-format=lttng-live "$live/live" > shown 2> live.err 7>&- 8<&- &
viewer=$!
ok "a viewer attaches" until_true 20 attached live
call 10
ok "events are shown while they are recorded" until_true 20 eval '[ "$(grep -c page-faults shown)" -ge 10 ]'
ok "and the recording goes on" kill -0 "$recorder"
call 7
end
wait $viewer
# the state of the machine was written before the viewer came
ok "a viewer sees the end" test "$(grep -c page-faults shown)" -ge 17 -a \
	"$(tail -n 1 shown | cut -d ' ' -f 1)" = "$(babeltrace2 "$(recordings live)" | tail -n 1 | cut -d ' ' -f 1)"

# Where more comes than is kept for a relay and what sockets have room for, 20 MB or so, records are large.
depth=100

# ---- a relay that stands still, for longer than a connection may be without an answer: meanwhile the
# others are tried
mkdir still still/relay
still() {
	cd still || exit
	read -r rctl rdata rlive <<< "$(free_ports 3)"
	start_relay || exit
	to=net://127.0.0.1:$rctl:$rdata
	begin still -m 64K -g
	call 1000
	kill -STOP "$(cat relay/pid)"
	stopped=$SECONDS
	# more than is kept for it and what sockets have room for
	call 100000
	echo filled > state
	while [ $((SECONDS - stopped)) -lt 40 ]; do sleep 0.2; done
	kill -CONT "$(cat relay/pid)"
	call 1000 1
	end
	echo $? > status
	cp said ended
}
(work=$work/still; still) &
still=$!
engines+=("$work/still/relay")

# ---- a relay that is slow
begin slow -m 64K -g
call 1000
kill -STOP "$(cat relay/pid)"
call 150000
kill -CONT "$(cat relay/pid)"
call 1000 1
end
status=$?
dir=$(recordings slow)
within "a relay that stops costs records" "$(lost "$dir")" 1 152000
got=$(calls "$dir") gone=$(lost_calls "$dir") all=$(figure said ' of ' ' records were lost')
test $((status)) = 0 -a $((got + gone)) = "$all"
result $? "what it got and what was lost is all that there was" "$got + $gone of $all" "$(cat said)"
says "and all of it can be read" 0 "complete +yes" perfctl info -i "$dir"
within "of which the program knows" "$(figure said ' of ' ' records were lost')" 152001 152100

depth=0

# ---- one that is killed
begin killed
call 5000
# what is on the disk was written before
arrive killed 5000
kill_relay
call 3000
end
ok "the recording ends well without its relay" test $? = 0
grep -q "the relay has gone" said
result $? "which it says" "$(cat said)"
dir=$(recordings killed)
# it may have written what it had not confirmed, as a busy one is late to do
within "what did not reach it is counted" "$(figure said ', ' ' more did not reach')" 3000 8100
within "and it has all that the recorder says" $(($(calls "$dir") - $(figure said ': ' ' records,'))) 0 5010
within "so that all is delivered or counted" \
	$(($(figure said ': ' ' records,') + $(figure said ', ' ' more did not reach'))) 8000 8100
says "its recording is incomplete" 0 "complete +no" perfctl info -i "$dir"

# ---- one that starts again
start_relay
begin again
call 5000
arrive again 5000
# the relay dies while it is stopped, with records on their way that it has not got
kill -STOP "$(cat relay/pid)"
call 2000
kill_relay
call 1000
start_relay
ok "the recording goes on" until_true 20 grep -q "the relay answers again" said
# the ring that lost records has no later one that would say so
call 500 1
end
ok "and ends" test $? = 0
mapfile -t dirs < <(recordings again)
test ${#dirs[@]} = 2
result $? "in a second session" "${dirs[@]}" "$(cat said)"
first=$(calls "${dirs[0]}") second=$(calls "${dirs[1]}")
within "which has what came later" "$second" 500 3600
echo "# $first in the first session, $second in the second, $(lost "${dirs[1]}") lost"
within "all that happened was delivered or is counted as lost" \
	"$((first + second + $(lost "${dirs[1]}")))" 8502 13600
within "as the recorder says" \
	$(($(figure said ': ' ' records,') + $(figure said ', ' ' more did not reach'))) 8502 8600

# ---- one that takes nothing when the recording ends
begin stuck
call 100
arrive stuck 100
kill -STOP "$(cat relay/pid)"
call 50
begun=$SECONDS
end
ok "a relay that takes nothing does not hold up the end" test $? = 0 -a $((SECONDS - begun)) -lt 30
within "and what it did not take is counted" "$(figure said ', ' ' more did not reach')" 50 160 \
	"$(cat said)" "$(calls "$(recordings stuck)") in the recording"

wait $still
ok "a relay that stood still for 40 s: the recording ends well" grep -qx 0 still/status
mapfile -t dirs < <(cd still && recordings still)
test ${#dirs[@]} = 1
result $? "in one session" "${dirs[@]}" "$(cat still/ended)"
dir=still/${dirs[0]}
within "it costs records" "$(lost "$dir")" 1 102000
got=$(calls "$dir") gone=$(lost_calls "$dir") all=$(figure still/ended ' of ' ' records were lost')
test $((got + gone)) = "$all"
result $? "and what it got and what was lost is all that there was" "$got + $gone of $all" "$(cat still/ended)"
fi
kill_relay
