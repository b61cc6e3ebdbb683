# SPDX-License-Identifier: GPL-2.0
# engines: perf
# shellcheck shell=bash disable=SC2154,SC2016
# record --fold by samples that are added up here: the same as without it, in fewer records.
build chains
fold() { perfctl record --engine perf --fold "$@"; }
# folded DIR: call chains, and how often each came; sum: of all
folded() { perfctl export folded -i "$1" -o - 2>/dev/null | sort; }
sum() { folded "$1" | awk '{ n += $NF } END { print n + 0 }'; }

says "--fold: how samples are counted is said" 0 '^note: --fold: perf_event_open\(2\) has no tables: each sample is copied' \
	fold -o said.trace -- true
ok "... unless it is to be quiet" test -z "$(fold -q -o quiet.trace -- true 2>&1)"
faults=(-e page-faults:u -c 1)
fold "${faults[@]}" -o faults.trace -- ./usage 3000 0 2>faults.err
ok "each fault is in a row" awk '/^\[ faults.trace: / {
	gsub(",", ""); ok = $3 >= 3000 && $3 < 3500 && $6 < $3 / 2 && $0 ~ none } END { exit !ok }' none="$nothing_lost" faults.err
ok "... and exports have as many as there were" \
	test "$(sum faults.trace)" = "$(sed -n 's/^\[ faults.trace: \([0-9,]*\) samples.*/\1/p' faults.err | tr -d ,)"
says "report counts samples, not rows" 0 '^# page-faults: 3,[0-9]{3} samples$' \
	perfctl report -g none -i faults.trace
says "... flame, too" 0 '3,[0-9]{3} samples' sh -c 'perfctl flame -i faults.trace -o - 2>/dev/null'
ok "records say for how many they stand" sh -c \
	'perfctl script -F event,fields -i faults.trace | sed -n "s/.* folded=\([0-9]*\)$/\1/p" |
	awk "{ n += \$1 } END { exit !(n >= 3000) }"'
if [ -n "$tracepoints" ]; then
	getppid_call=syscalls:sys_enter_getppid
	says "chains: samples become rows" 0 "^\\[ f.trace: 256 samples in 256 rows, .*, $nothing_lost \\]$" \
		fold -e $getppid_call -o f.trace -- ./chains 8 1
	perfctl record -q --engine perf -g -e $getppid_call -o g.trace -- ./chains 8 1
	folded f.trace >f.txt
	folded g.trace >g.txt
	ok "... each has the chain that it has without --fold" cmp f.txt g.txt
	says "... 1,000 of one" 0 '^\[ h.trace: 1,000 samples in 1 row, ' \
		fold -e $getppid_call -o h.trace -- ./chains 0 1000
	# more chains than are kept before they are written
	says "... 262,144 of as many" 0 "^\\[ many.trace: 262,144 samples in 262,144 rows, .*, $nothing_lost \\]$" \
		fold -m 64M -e $getppid_call -o many.trace -- ./chains 18 1
	ok "... and none is forgotten" test "$(sum many.trace)" = 262144
else
	for what in "chains: samples become rows" "... each has the chain" "... 1,000 of one" \
		"... 262,144 of as many" "... and none is forgotten"; do
		skip "$what" "tracefs cannot be read here"
	done
fi
if [ -n "$root" ]; then
	says "-a: all that runs" 0 '^\[ all.trace: [0-9,]+ samples? in [0-9,]+ rows?, ' \
		fold -F "$fast" -a -o all.trace -- ./hot 1
	says "... by name" 0 '^ *[0-9.]+%  hot ' perfctl report -g none -i all.trace
else
	skip "-a: all that runs" "needs root"
	skip "... by name" "needs root"
fi
if [ -n "$users" ]; then
	says "as nobody" 0 '^\[ n.trace: [0-9,]+ samples? in [0-9,]+ rows?, ' \
		users_may nobody perfctl record --engine perf --fold -F "$fast" -o n.trace -- ./hot 1
else
	skip "as nobody" "kernel.perf_event_paranoid is $level"
fi

# A recorder that does not read while there are more samples than its rings hold. Before Linux 6.0
# what was lost is known by what comes next.
fold -m 64K "${faults[@]}" -o lost.trace -- sh -c \
	'kill -STOP $PPID; ./usage 30000 0; kill -CONT $PPID; sleep $0; ./usage 100 0' "$slow" 2>lost.err
ok "what is lost is told" grep -Eq '^note: (at least )?[0-9,]+ of [0-9,]+ records were lost' lost.err
# samples, lost: of the recording's own counts
read -r samples lost _ <lost.trace/info/counts
[ -n "$exact_losses" ] || lost=$(sed -nE 's/^note: at least ([0-9,]+) of .*/\1/p' lost.err | tr -d ,)
ok "... and in the recording" test "$lost" -gt 0
ok "... by which CPU, the same" awk -v lost="$lost" '/^  lost on/ {
	gsub(",", ""); for (i = 5; i <= NF; i += 3) n += $i } END { exit !(n == lost) }' lost.err
ok "... and all others are in rows" test "$(sum lost.trace)" = "$samples"
ok "... report says so" sh -c "perfctl report -g none -i lost.trace 2>&1 | tr -d , | grep -q '$lost'"
