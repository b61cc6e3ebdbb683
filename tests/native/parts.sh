# SPDX-License-Identifier: GPL-2.0
# engines: pev perf
# shellcheck shell=bash disable=SC2154,SC2086
# Recordings in parts: each can be read alone, and together they are the whole.
export engine=${engine:-perf}
faults="perfctl record --engine $engine -q -e page-faults:u -c 1"
# numbers BASE: of its parts
numbers() { find . -maxdepth 1 -name "$1.[0-9]*" | sed 's/.*\.//' | sort -n | tr '\n' ' '; }
# sum_of BASE KEY: over all parts, of the event or of the recording
sum_of() {
	local dir
	for dir in "$1".[0-9]*; do perfctl info -j "$dir"; done | python3 -c '
import json, sys
text, total, at = sys.stdin.read(), 0, 0
while text[at:].strip():
	d, end = json.JSONDecoder().raw_decode(text[at:].lstrip())
	at += len(text[at:]) - len(text[at:].lstrip()) + end
	assert d["complete"]
	events = [e for e in d["events"] if not e["sideband"]]
	total += d[sys.argv[1]] if sys.argv[1] in d else sum(e[sys.argv[1]] for e in events)
print(total)' "$2"
}

# by size: the rings are large enough for all, and so names can't be missing
$faults --switch-output=64K -m 512K -o whole -- ./usage 8000 0 >/dev/null
# shellcheck disable=SC2016
ok "record --switch-output=SIZE: a part knows the names of what began before it" bash -c \
	'for part in whole.[0-9]*; do [ $part = whole.1 ] || perfctl script -e page-faults -F comm $part; done |
		sort -u | tee names.txt; grep -qx " *usage *" names.txt && [ $(wc -l <names.txt) = 1 ]'
# ... and so small that records are lost, for as long as it takes to have four parts
# shellcheck disable=SC2016
perfctl record --engine $engine -m 16K --switch-output=64K -e page-faults:u -c 1 -o sized --timeout 60s -- \
	sh -c 'until [ -e sized.4/metadata ]; do ./usage $0 0; done' "${many:-20000}" >/dev/null 2>sized.err
made=$(number_of records, sized.err)
lost=$(awk '$1 == "page-faults:u" { gsub(",", ""); print $3 }' sized.err)
within "record --switch-output=SIZE: parts" "$(numbers sized | wc -w)" 4 1000
within "... which have all records together" "$(sum_of sized records)" "$made" "$made"
within "... and say all losses, each its own" "$(sum_of sized lost)" "${lost:-0}" $((lost + made))
within "... by event as well" "$(sum_of sized made)" "$made" "$made"
ok "... each has its own UUID" bash -c \
	'grep -h "uuid = " sized.*/metadata | sort | uniq -d | wc -l | grep -qx 0'
says "... whose names are said" 0 '^\[ .*sized\.2: [0-9.]+ KiB, [0-9.]+ s \]$' cat sized.err
says "... and at the end all of them" 0 '^\[ .*sized\.1 to .*sized\.[0-9]+: ' cat sized.err
if command -v babeltrace2 >/dev/null; then
	within "... babeltrace2 reads as many" \
		"$(babeltrace2 sized.* 2>/dev/null | grep -c ' page-faults')" "$made" "$made"
	for dir in whole.[0-9]*; do babeltrace2 "$dir" 2>&1 >/dev/null; done >whole.err
	sed 's/^/# /' whole.err
	ok "... and of parts that lack nothing, it says so" test ! -s whole.err
else
	skip "... babeltrace2 reads as many" "babeltrace2 is not installed"
fi

# by time, by the signal; the target runs before and behind
$faults --switch-output=200ms --timeout 1s -o timed -- ./hot 20000 >/dev/null 2>&1
within "record --switch-output=TIME: parts of a second" "$(numbers timed | wc -w)" 2 6
./hot 600000 >hot.txt &
hot=$!
perfctl record --engine $engine -q -F "$fast" --switch-output -o asked -p $hot &
recorder=$!
until_ok test -e asked.1/stream_state
perfctl script -f -e '*' -i asked.1 >followed.txt 2>followed.err &
follower=$!
sleep 0.$((slow * 4))
kill -USR2 $recorder
wait $follower
result $? "record --switch-output: what follows a part ends with it"
within "... and has seen all of it" "$(wc -l <followed.txt)" "$(records asked.1 '*')" "$(records asked.1 '*')"
until_ok test -e asked.2/stream_state
sleep 0.$((slow * 4))
kill -USR2 $recorder
until_ok test -e asked.3/stream_state
until_ok has_records asked.2 '*clock'
within "record --switch-output: another part at SIGUSR2" "$(share asked.2 spin)" 60 100
# killed: what is on the disk can be read, and nothing is called complete that is not
until_ok grep -qx complete=yes asked.2/info/record
kill -KILL $recorder
wait $recorder 2>/dev/null
ok "... killed: earlier parts are complete" grep -qx complete=yes asked.1/info/record
says "... the last one is not" 0 'missing +it is being made, or its recorder was killed' \
	perfctl info asked.3
$faults --switch-output -o asked -- true
within "... the next recording goes on behind it" "$(numbers asked | wc -w)" 4 4
ok "... without touching it" test -e asked.3/metadata
kill $hot
wait $hot 2>/dev/null

# killed at any step: all parts but the last are whole, and what was written to that can be read
whole=0 torn=''
for moment in ${moments:-1 2 3 4 5 6 7 8}; do
	perfctl record --engine $engine -q -m 64K --switch-output=64K -e page-faults:u -c 1 -o dead -- \
		sh -c 'echo $$ >program; exec ./usage 300000 0' >/dev/null 2>&1 &
	recorder=$!
	until_ok test -e "dead.$(($(numbers dead | awk '{ print $NF + 0 }') + 1 + moment % 3))/info"
	sleep 0.0$moment
	# the program would go on for long
	kill -KILL $recorder "$(<program)"
	wait $recorder 2>/dev/null
	last=$(numbers dead | awk '{ print $NF }')
	for number in $(numbers dead); do
		perfctl script -i "dead.$number" >/dev/null 2>dead.err
		status=$?
		# the one before the last may be ended while the last one begins
		if [ "$number" -lt $((last - 1)) ]; then
			[ $status = 0 ] && ! grep -qE 'left out|missing|incomplete' dead.err && whole=$((whole + 1)) ||
				torn="$torn $number: $(cat dead.err)"
		elif [ $status != 0 ] && [ -e "dead.$number/metadata" ]; then
			torn="$torn $number: $(cat dead.err)"
		fi
	done
	rm -rf dead.*
done
ok "... killed at any step: all earlier parts are whole ($whole)" test -z "$torn" -a $whole -gt 0
[ -z "$torn" ] || echo "# $torn"
# a disk that is full
mkdir -p disk
if mount -t tmpfs -o size=1M tmpfs disk 2>/dev/null; then
	says "a full disk ends it" 74 'No space left on device' \
		$faults --switch-output=128K -o disk/full -- ./usage 100000 0
	ok "... all parts can be read" bash -c 'for dir in disk/full.*; do
		[ ! -e "$dir/metadata" ] || perfctl script -i "$dir" >/dev/null || exit 1; done'
	ok "... earlier ones are complete" grep -qx complete=yes disk/full.1/info/record
	rm -rf disk/full.*
	# beyond the limit there may be what the rings hold, and the pages of files that have little in them
	$faults -m 64K --switch-output=64K --max-size 320K -o disk/full -- ./usage 60000 0 >/dev/null
	result $? "... with --max-size it does not become full"
	umount disk
else
	skip "a full disk" "only root can mount one here"
fi

# limits
# a part has what the rings hold beyond that: a recorder that gets little time makes as many
$faults -m 64K --switch-output=64K --max-files 3 -o few -- ./usage 100000 0 >/dev/null
within "record --max-files: so many are kept" "$(numbers few | wc -w)" 3 3
ok "... the newest" bash -c '[ ! -e few.1 ] && [ -e few."$(ls -vd few.* | sed "s/.*\.//" | tail -n 1)" ]'
last=$(numbers few | awk '{ print $NF }')
touch "few.$((last - 1))/mine"
says "... what has other files in it is left" 0 'few\.[0-9]+ is not removed: it contains mine' \
	perfctl record --engine $engine -q --switch-output=64K --max-files 1 -e page-faults:u -c 1 -o few -- \
	./usage 10000 0
ok "... with all that is in it" test -e "few.$((last - 1))/mine" -a -e "few.$((last - 1))/metadata"
$faults -m 64K --switch-output=64K --max-size 400K -o small -- ./usage 60000 0 >/dev/null
within "record --max-size: of all parts together, KiB" "$(du -sck --apparent-size small.* | tail -n 1 | cut -f 1)" 100 600
if [ -n "$root" ]; then
	mkdir -p small.9000 && chown 65534 small.9000
	truncate -s 1G small.9000/much
	$faults --switch-output=64K --max-size 400K -o small -- ./usage 10000 0 >/dev/null 2>&1
	within "... another user's directory does not count" "$(numbers small | wc -w)" 3 20
	# the numbers go on behind it; the first of them may have been removed for its size
	ok "... and stays" bash -c '[ -e small.9000/much ] && ls small.90*/metadata | grep -vF small.9000/'
	rm -rf small.9000
else
	skip "... another user's directory does not count" "only root can make one"
fi
says "record --max-size: one recording ends" 0 'the recording ends, as --max-size says' \
	perfctl record --engine $engine --max-size 100K -e page-faults:u -c 1 -o one -- ./usage 100000 100000
ok "... and is complete" grep -qx complete=yes one/info/record

says "--switch-output: neither size nor time" 2 'a size such as 100M, a time such as' \
	$faults --switch-output=often -o no -- true
says "--switch-output: a number alone" 2 'is it a size \(100M\) or a time \(100s\)' \
	$faults --switch-output=100 -o no -- true
says "--switch-output: too small a size" 2 'a part has 64 KiB at least' \
	$faults --switch-output=4K -o no -- true
says "--switch-output with --overwrite" 2 'does not go together with --overwrite' \
	$faults --switch-output --overwrite -o no -- true
says "--switch-output into a pipe" 2 'does not go together with -o -' \
	bash -c "set -o pipefail; $faults --switch-output -o - -- true | cat"
says "--max-files without parts" 2 '--switch-output makes some' $faults --max-files 3 -o no -- true
says "--max-size with --overwrite" 2 'the rings of --overwrite have the size of -m' \
	$faults --overwrite --max-size 10M -o no -- true
mkdir -p taken.7 && touch taken.9
$faults --switch-output=64K -o taken -- ./usage 10000 0 >/dev/null
ok "what has the name of a part is left alone" test -d taken.10 -a ! -s taken.9 -a ! -e taken.7/metadata
