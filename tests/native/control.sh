# SPDX-License-Identifier: GPL-2.0
# engines: pev perf
# shellcheck shell=bash disable=SC2154,SC2086
# Commands while it is recorded, by FIFOs and descriptors: what they do, and their answers.
export engine=${engine:-perf}
mkfifo ctl answers
exec 7<>answers
# tell COMMAND: the lines of the answer, the last of which says what came of it
tell() {
	local line
	printf '%s\n' "$1" >told
	timeout 60 bash -c 'cat told >ctl' || return
	while IFS= read -r -t 60 line <&7; do
		echo "$line"
		case $line in ack | error:*) return ;; esac
	done
}
# answers NAME REGEX COMMAND: the last line of the answer
answers() { says "$1" 0 "$2" bash -c "echo '$(tell "$3" | tail -n 1)'"; }
recorder=
record_controlled() {
	perfctl record --engine $engine -q --control fifo:ctl,answers "$@" >control.txt 2>control.err &
	recorder=$!
}

./usage 0 60000 >usage.txt &
target=$!
record_controlled --paused -e page-faults:u,minor-faults:u -c 1 -o off.trace -p $target
answers "record --control: it answers" '^ack$' ping
ok "record --paused: all events are off" bash -c "[ '$(tell evlist | tr '\n' ' ')' = 'page-faults:u off minor-faults:u off ack ' ]"
answers "... one is switched on" '^ack$' 'enable page-faults:u'
ok "... which it says" bash -c "[ '$(tell evlist | tr '\n' ' ')' = 'page-faults:u on minor-faults:u off ack ' ]"
answers "... by a glob" '^ack$' 'enable minor-*'
answers "... and off again" '^ack$' 'disable'
ok "... all" bash -c "[ '$(tell evlist | grep -c ' off$')' = 2 ]"
answers "an event that there is not" '^error: no event is called cycles: evlist has their names' 'enable cycles'
answers "a word that is no command" '^error: "destroy" is none of enable, disable' destroy
answers "a line that is too long" '^error: a line has 511 bytes at most' "$(printf '%600s' x)"
answers "a snapshot of what has none" '^error: only --overwrite has snapshots' snapshot
answers "stop" '^ack$' stop
wait $recorder
result $? "... ends the recording, with status 0"
ok "... which is complete" grep -qx complete=yes off.trace/info/record
ok "... and not what it was attached to" kill -0 $target
kill $target
wait $target 2>/dev/null

# what happens while events are off is not recorded
mkfifo steps
exec 6<>steps
record_controlled -e page-faults:u -c 1 -o some.trace -- bash -c \
	'./usage 100 0; echo 1 >ready; read -r go <steps; ./usage 5000 0; echo 2 >ready; read -r go <steps; ./usage 100 0'
until_ok grep -qx 1 ready
answers "disable, while a command runs" '^ack$' disable
echo go >&6
until_ok grep -qx 2 ready
answers "enable again" '^ack$' start
echo go >&6
wait $recorder
result $? "the command ends"
within "what happened meanwhile is not recorded" "$(records some.trace page-faults)" 200 4999

# parts and snapshots
./usage 0 60000 >usage.txt &
target=$!
record_controlled --switch-output -e page-faults:u -c 1 -o steps.trace -p $target
answers "snapshot begins another part" '^ack$' snapshot
ok "... which is there when it has answered" test -e steps.trace.2/metadata
answers "stop, of parts" '^ack$' stop
wait $recorder
within "... all are complete" "$(grep -lx complete=yes steps.trace.[12]/info/record | wc -l)" 2 2
record_controlled --overwrite -e page-faults:u -c 1 -o shot.trace -p $target
answers "snapshot of a flight recorder" '^ack$' snapshot
ok "... is complete when it has answered" grep -qx complete=yes shot.trace.1/info/record
answers "stop, of a flight recorder" '^ack$' stop
wait $recorder
# descriptors, whose other end is closed after the last command
says "--control fd: what is told there" 0 '^ack$' bash -c \
	"(echo ping; echo stop) | perfctl record --engine $engine -q -e page-faults:u -o fd.trace --control fd:0,1 -p $target"
says "--control fd: it ends, the recording goes on" 0 '' perfctl record --engine $engine -q -e page-faults:u \
	-o fd.trace --control fd:0 -- true </dev/null
kill $target
wait $target 2>/dev/null
exec 6<&- 7<&-

says "--control: neither" 2 'takes fifo:PATH\[,PATH\] or fd:N\[,N\]' perfctl record --engine $engine -q --control ctl -o no -- true
says "--control: no FIFO" 2 'usage is no FIFO \(mkfifo makes one\)' perfctl record --engine $engine -q --control fifo:usage -o no -- true
says "--control: nothing there" 2 'nowhere: No such file or directory \(mkfifo makes it\)' \
	perfctl record --engine $engine -q --control fifo:nowhere -o no -- true
says "--control: no descriptor" 2 '"x" is no descriptor' perfctl record --engine $engine -q --control fd:x -o no -- true
says "--control: a descriptor that is closed" 1 'descriptor 57: Bad file descriptor' \
	perfctl record --engine $engine -q --control fd:57 -o no -- true
says "--control: an answer to nowhere" 2 'takes fifo:PATH' perfctl record --engine $engine -q --control fifo:ctl, -o no -- true
says "--paused without --control" 2 'waits for "enable" on --control' perfctl record --engine $engine -q --paused -o no -- true
says "--paused with --delay" 2 'exclude each other' perfctl record --engine $engine -q --paused --delay 1 --control fifo:ctl -o no -- true
