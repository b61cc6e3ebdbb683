# SPDX-License-Identifier: GPL-2.0
# engines: perf
# shellcheck shell=bash disable=SC2154
# Recordings through pipes.
export TMPDIR=$work/pipes PYTHONPATH=$top/tools/python PYTHONDONTWRITEBYTECODE=1
mkdir -p "$TMPDIR"
none_left() { [ -z "$(ls -A "$TMPDIR")" ]; }
piped="perfctl record --engine perf -q -e page-faults:u -c 1 -o -"

$piped -- ./hot 10 >sent.bin 2>hot.err
ok "record -o -: the command writes where errors go" test -s hot.err
perfctl import -o piped.trace - <sent.bin 2>import.err
ok "import -: makes a recording of it" grep -qx complete=yes piped.trace/info/record
faults=$(records piped.trace page-faults)
within "... with its records" "$faults" 10 1000000
within "script -i -: reads the same" \
	"$(perfctl script -i - <sent.bin | grep -c ' page-faults:')" "$faults" "$faults"
says "report -i -: while it is recorded" 0 '^# page-faults: [0-9]+ samples' \
	bash -c "$piped -- ./hot 10 2>/dev/null | perfctl report -i -"
ok "nothing of it is left" none_left
perfctl script -i - <sent.bin 2>/dev/null | head -n 1 >first.txt
ok "... if the reader of the reader ends early, either" until_ok none_left
export LIBPEV=${BUILD:-$top/build}/$machine/tools/libpev/libpev.so.1
if [ -e "$LIBPEV" ]; then
	printf 'def end():\n\tprint("the end")\n' >end.py
	says "script -i - -s: functions in Python see it" 0 '^the end$' \
		perfctl script -i - -s end.py <sent.bin
	ok "... and nothing of it is left" until_ok none_left
fi

size=$(stat -c %s sent.bin)
head -c $((size - 8)) sent.bin >cut.bin
says "a pipe that ends early: said" 0 'is incomplete: the pipe ended before the recording did' \
	perfctl report -i - <cut.bin
says "import -: said by what reads the recording" 0 'incomplete: the pipe ended before' \
	bash -c 'perfctl import -o cut.trace - <cut.bin && perfctl report -i cut.trace'
says "what is not a recording" 65 'no recording' perfctl report -i - <hot.err
says "nothing at all" 65 'ended before a recording came' perfctl report -i - </dev/null
says "a file of one: how to read it" 65 'perfctl import - <' perfctl report -i sent.bin
says "--overwrite has no place in a pipe" 2 'name a directory' bash -c "set -o pipefail; $piped --overwrite true | cat"

# the reader ends: the command goes on, and is waited for
says "a reader that ends" 74 'its reader has ended' \
	bash -c "set -o pipefail; $piped -- sh -c 'sleep 0.1; ./hot 10' | head -c 100 >/dev/null"
# it stops: the recorder ends when it is asked to
mkfifo stuck
exec 8<>stuck
$piped -a -- sleep 1000 >stuck 2>stuck.err &
recorder=$!
until_ok pgrep -P $recorder >/dev/null
kill -TERM $recorder
wait $recorder
ended=$?
# it was asked before or after it has begun, which depends on what it has to send first
ok "a reader that stops does not keep the recorder from ending" test $ended = 74 -o $ended = 143
exec 8<&-

# It is followed: the command waits until what it did was printed.
printed() { [ "$(grep -c " $2:" "$1")" -ge "$3" ]; }
mkfifo go
exec 9<>go
steps="sh -c './hot 1 >/dev/null; read -r x <go; ./hot 1 >/dev/null; read -r x <go; ./hot 1 >/dev/null'"
bash -c "exec perfctl record --engine perf -q -e page-faults:u -c 1 -o live.trace -- $steps" &
recorder=$!
until_ok test -e live.trace/info/synced
perfctl script -f live.trace >live.txt 2>live.err &
follower=$!
ok "script -f: events are printed while it is recorded" until_ok printed live.txt page-faults 10
before=$(wc -l <live.txt)
echo >&9
more() { [ "$(wc -l <live.txt)" -gt "$before" ]; }
ok "... and those that come later" until_ok more
echo >&9
wait $recorder
wait $follower
ok "... until it ends" test $? = 0
perfctl script live.trace >whole.txt
ok "it printed what is in the recording, in the same order" cmp live.txt whole.txt

bash -c "$piped -- $steps 2>/dev/null | perfctl script -i - >stream.txt" &
both=$!
ok "script -i -: events are printed as they come" until_ok printed stream.txt page-faults 10
echo >&9
echo >&9
wait $both
ok "... until it ends" test $? = 0

# the recorder is killed: what it wrote is printed, and the follower ends
bash -c "exec perfctl record --engine perf -q -e page-faults:u -c 1 -o dead.trace -- $steps" &
recorder=$!
until_ok test -e dead.trace/info/synced
perfctl script -f dead.trace >dead.txt 2>dead.err &
follower=$!
until_ok printed dead.txt page-faults 10
kill -KILL $recorder
wait $recorder 2>/dev/null
wait $follower
ok "script -f: a recorder that is killed ends it" test $? = 0
ok "... which it says" grep -q 'is incomplete: it is being made, or its recorder was killed' dead.err
echo >&9
echo >&9
exec 9<&-
says "script -f: of a recording that has ended" 0 'page-faults' perfctl script -f live.trace
