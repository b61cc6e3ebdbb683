# SPDX-License-Identifier: GPL-2.0
# engines: perf
# shellcheck shell=bash disable=SC2154
# What perfctl record does with files that are there already.
rec="perfctl record --engine perf -q -e page-faults:u -c 100"

mkdir files && cd files || exit 1
$rec -- true
$rec -- true
ok "record: an older recording becomes NAME.old" test -f pev.trace.old/info/record
echo "a year of work" >pev.trace/notes.txt
$rec -- true
ok "record: what was added to it is still there" test -f pev.trace.old/notes.txt
says "record: ... and never removed" 1 'pev.trace.old .*contains notes.txt' $rec -- true
ok "record: then both stay as they were" \
	test -f pev.trace.old/notes.txt -a -f pev.trace/info/record
says "record: ... and under another name it works" 0 '^$' bash -c "$rec -o other.trace -- true; echo"
mv pev.trace.old/notes.txt .
mkdir -p pev.trace.old/deep && echo text >pev.trace.old/deep/metadata
says "record: a directory in it is not removed either" 1 'contains deep' $rec -- true
rm -r pev.trace.old/deep
mkdir theirs && echo "/* CTF 1.8 */" >theirs/metadata && echo data >theirs/channel0_0
$rec -o theirs -- true
says "record: traces of others are not removed" 1 'contains channel0_0|contains metadata' \
	$rec -o theirs -- true
mkdir -p disk && ln -s disk/here linked
$rec -o linked -- true
$rec -o linked -- true
ok "record: through a link, the older one stays beside the newer" \
	test -L linked -a -f disk/here/metadata -a -f disk/here.old/metadata
mkfifo go
$rec -o busy.trace -- sh -c 'read -r _ <go' &
first=$!
until_ok test -s busy.trace/metadata
says "record: two at once into one directory" 1 'busy.trace is being written by another perfctl: wait' \
	$rec -o busy.trace -- touch second.ran
says "record: ... or into what would be removed" 1 'is being written by another perfctl' \
	bash -c "mv busy.trace held.old; $rec -o held -- true; $rec -o held -- true; err=\$?
		mv held.old busy.trace; exit \$err"
ok "record: ... and the second command did not run" test ! -e second.ran
echo >go
wait $first
within "record: the first one was not disturbed" $? 0 0
ok "record: ... its recording is whole" perfctl report -i busy.trace
$rec -o busy.trace -- true
ok "record: afterwards the directory is free" test -d busy.trace.old
mkdir full && echo x >full/file
says "record: a directory of other things" 1 'full exists and is not a pev trace' $rec -o full -- true
printf '#!/nowhere\n' >broken && chmod +x broken
says "record: a command that does not start" 127 'cannot run ./broken' $rec -- ./broken
ok "record: ... does not take the place of the last recording" perfctl report -i pev.trace
if [ -n "$root" ]; then
	mkdir -m 1777 shared
	(cd shared && setpriv --reuid 65534 --clear-groups ln -s "$PWD/../disk/new" trace)
	says "record: another user's link in a shared directory" 77 'is not followed' \
		$rec -o shared/trace -- true
	(cd shared && setpriv --reuid 65534 --clear-groups mkdir -m 777 waits)
	says "record: another user's directory" 77 'belongs to another user \(65534\)' \
		$rec -o shared/waits -- true
else
	skip "record: links and directories of other users" "this needs root"
fi

# a disk that fills up
bash -c 'ulimit -f 64; exec perfctl record --engine perf -e page-faults:u -c 1 -o cut.trace \
	-- ../usage 20000 0' >/dev/null 2>cut.err
within "a file that cannot grow: exit status" $? 74 74
written=$(records cut.trace page-faults)
within "... the records that are there" "$(number_of records cut.err)" "$written" "$written"
within "... and those that are not" "$(sed -n 's/.* \([0-9,]*\) more could not.*/\1/p' cut.err |
	tr -d ,)" 1 $((20200 - written))
ok "... nothing claims that nothing was lost" bash -c '! grep "nothing lost" cut.err'
says "... report says that it is not whole" 0 '^# incomplete: its end could not be written .File too large' \
	perfctl report -i cut.trace
says "... so does script" 0 'note: cut.trace is incomplete: its end could not be written .File too large' \
	perfctl script -i cut.trace
ok "... and JSON" bash -c "perfctl report -i cut.trace -j - | python3 -c '
import json, sys
t = json.load(sys.stdin)
assert not t[\"complete\"] and \"too large\" in t[\"missing\"], t'"
ok "a whole recording says that it is" bash -c "perfctl report -i pev.trace -j - |
	python3 -c 'import json, sys; assert json.load(sys.stdin)[\"complete\"]'"
ok "... and nothing else" bash -c '! perfctl report -i pev.trace 2>&1 | grep incomplete'
perfctl record --engine perf -e page-faults:u -c 1 -o gone.trace -- \
	sh -c 'rm -r gone.trace; ../usage 2000 0' >/dev/null 2>gone.err
within "a directory that is removed meanwhile: exit status" $? 74 74
ok "... what was recorded is missing" grep -q ' 0 records.* [0-9,]* more could not be written' gone.err

# a recorder that is killed; few samples fill no packet in that time
if [ -n "$root" ]; then
	# idle CPUs are not sampled
	busy=
	for _ in $(seq "$(nproc)"); do
		../hot 600000 >/dev/null &
		busy="$busy $!"
	done
	perfctl record --engine perf -q -e cpu-clock -F 10 -a -o killed.trace &
	recorder=$!
	# a packet that is written only when it is full takes more than a minute
	wanted=$((10 * $(nproc)))
	for _ in {1..150}; do
		[ "$(records killed.trace cpu-clock)" -lt $wanted ] || break
		sleep 0.2
	done
	{ kill -9 $recorder; wait $recorder; } 2>/dev/null
	# shellcheck disable=SC2086
	{ kill $busy; wait $busy; } 2>/dev/null
	within "SIGKILL at 10 Hz: all but the last second is on the disk" \
		"$(records killed.trace cpu-clock)" $wanted $((60 * wanted))
	says "... and that its end is missing is said" 0 'or its recorder was killed' \
		perfctl report -i killed.trace
else
	skip "SIGKILL at 10 Hz" "this needs root"
fi

# what is written line by line
echo old >lines
says "stat -o: a command that is not there" 127 'cannot run' \
	perfctl stat --engine perf -e page-faults -o lines -- ./nothere
ok "stat -o: ... leaves what was there" grep -qx old lines
says "stat -o: a command" 0 '' perfctl stat --engine perf -e page-faults -o lines -- true
ok "stat -o: ... takes its place" bash -c 'grep -q page-faults lines && ! grep -qx old lines'
mkfifo fifo
timeout 20 perfctl stat --engine perf -e page-faults -o fifo -- true &
ok "stat -o: a FIFO" grep -q page-faults fifo
wait $!
cd .. || exit 1
