# SPDX-License-Identifier: GPL-2.0
# engines: pev perf
# shellcheck shell=bash disable=SC2154,SC2086
# Parts of recordings as recordings, and several recordings as one: the same records, and losses
# that are carried over.
export engine=${engine:-perf}
json() { perfctl info -j "$1" | python3 -c "import json, sys; d = json.load(sys.stdin); print($2)"; }
events() { perfctl script --no-sideband -i "$@" 2>/dev/null; }
# by perf on one CPU, where the recorder runs only when the program does not
where=on_one_cpu
[ $engine = perf ] || where=
$where perfctl record --engine $engine -q -m 16K -e page-faults:u,minor-faults:u -c 1 -o long.trace -- \
	sh -c './usage $0 0; ./hot 20; ./usage $((5 * $0)) 0; ./hot 300; exec ./usage 1000 20' "${many:-20000}" >/dev/null
lost=$(json long.trace 'd["lost"]')
within "cut: the recording that is cut has losses" "$lost" 1 1000000000

perfctl cut -o all.cut long.trace 2>cut.err
ok "cut: all of it is the same" bash -c \
	'[ "$(perfctl script -i long.trace | md5sum)" = "$(perfctl script -i all.cut | md5sum)" ]'
within "... with its losses" "$(json all.cut 'd["lost"]')" "$lost" "$lost"
ok "... which it says" grep -qE "^\[ all.cut: [0-9,]+ records, [0-9.]+ [KM]iB, [0-9,]+ lost of all events and processes in that time \]$" cut.err
ok "... complete, with an index and a UUID of its own" bash -c \
	'grep -qx complete=yes all.cut/info/record && [ -e all.cut/index/stream_state.idx ] &&
	 [ "$(grep "uuid = " all.cut/metadata)" != "$(grep "uuid = " long.trace/metadata)" ]'
seconds=$(json long.trace '(d["end_ns"] - d["begin_ns"]) / 1e9')
middle=$(awk -v s="$seconds" 'BEGIN { printf "%.9f", s / 3 }')
perfctl cut --time ",$middle" -o first.cut long.trace 2>/dev/null
perfctl cut --time "$middle," -o second.cut long.trace 2>/dev/null
ok "cut --time: both halves have all, each event once" bash -c '
	perfctl script --no-sideband -F comm,tid,cpu,abstime,event,fields,ip -i long.trace 2>/dev/null >whole.txt
	for half in first.cut second.cut; do
		perfctl script --no-sideband -F comm,tid,cpu,abstime,event,fields,ip -i $half 2>/dev/null
	done | cmp - whole.txt'
within "... and all losses, those in between maybe twice" \
	$(($(json first.cut 'd["lost"]') + $(json second.cut 'd["lost"]'))) "$lost" $((2 * lost))
perfctl cut --time "$(awk -v s="$seconds" 'BEGIN { printf "%.9f", s - 0.001 }')," -o end.cut long.trace 2>/dev/null
within "... of a shorter time less" "$(json end.cut 'd["lost"]')" 0 $((lost - 1))
perfctl cut --comm usage -e page-faults -o some.cut long.trace 2>/dev/null
ok "cut -e --comm: these alone" bash -c \
	'[ "$(perfctl script --no-sideband -i some.cut | md5sum)" = "$(perfctl script --no-sideband -e page-faults --comm usage -i long.trace | md5sum)" ]'
# gaps of more than the 27 bits of time that a record has
perfctl cut --comm hot -o rare.cut long.trace 2>/dev/null
ok "... over gaps, at the right times" bash -c \
	'[ "$(perfctl script -i rare.cut | grep -v pev: | md5sum)" = "$(perfctl script --no-sideband --comm hot -i long.trace | md5sum)" ]'
pid=$(events long.trace -F pid,comm | awk '$1 == "usage" { print $2; exit }')
perfctl cut --pid "$pid" -o one.cut long.trace 2>/dev/null
within "cut --pid: as many" "$(events one.cut | wc -l)" "$(events long.trace --pid "$pid" | wc -l)" "$(events long.trace --pid "$pid" | wc -l)"
if command -v babeltrace2 >/dev/null; then
	for cut in all first second some rare one; do
		within "babeltrace2 reads as many of $cut.cut" "$(babeltrace2 $cut.cut 2>/dev/null | wc -l)" \
			"$(records $cut.cut '*')" "$(records $cut.cut '*')"
	done
else
	skip "babeltrace2 reads what was cut" "babeltrace2 is not installed"
fi
cp -r long.trace unfinished.trace
sed -i s/complete=yes/complete=no/ unfinished.trace/info/record
perfctl cut -o unfinished.cut unfinished.trace 2>unfinished.err || sed "s/^/# /" unfinished.err
says "cut: of what is incomplete" 0 'unfinished.cut is incomplete: what it was made of is incomplete' \
	perfctl report -i unfinished.cut
says "cut: from a pipe" 0 '^\[ piped.cut: [0-9,]+ records' bash -c \
	'perfctl record --engine $engine -q -e page-faults:u -c 1 -o - -- ./usage 100 0 2>/dev/null | perfctl cut -i - -o piped.cut'
says "cut: onto what is read" 2 'long.trace is what is read: choose another name with -o' \
	perfctl cut -o long.trace long.trace
mv all.cut again.old
cp -r first.cut again
says "cut: onto what would be removed" 2 'is what is read: choose another name' perfctl cut -o again again.old
ok "... which is still there" test -e again.old/metadata
says "cut: no time" 2 '\-\-time takes FROM,TO' perfctl cut --time 5 -o no.cut long.trace
says "cut: no recording" 65 'nowhere' perfctl cut -o no.cut nowhere
ok "... nothing is left" test ! -e no.cut

# parts are one recording again
perfctl record --engine $engine -q -m 16K --switch-output=64K -e page-faults:u -c 1 -o part -- \
	sh -c './usage $0 0; exec ./usage $((6 * $0)) 20' "${many:-5000}" >/dev/null
perfctl merge -o both.trace part.[0-9]* 2>merge.err
# a part may not know the name and the code of what ended while it began
for dir in part.[0-9]*; do
	events "$dir" -F tid,cpu,abstime,event,fields
done | sort -k 3,3 -k 1,1 >parts.txt
lost=0
for dir in part.[0-9]*; do lost=$((lost + $(json "$dir" 'd["lost"]'))); done
ok "merge: parts are one recording" bash -c '
	perfctl script --no-sideband -F tid,cpu,abstime,event,fields -i both.trace 2>/dev/null |
		sort -k 3,3 -k 1,1 | cmp - parts.txt && [ -s parts.txt ]'
within "... with the losses of all" "$(json both.trace 'd["lost"]')" "$lost" "$lost"
says "... which it says" 0 '^\[ both.trace: [0-9]+ recordings, [0-9.]+ [KM]iB, [0-9,]+ records lost \]$' cat merge.err
ok "... in any order" bash -c 'perfctl merge -o back.trace $(ls -vdr part.[0-9]*) 2>/dev/null
	[ "$(perfctl script -i both.trace | md5sum)" = "$(perfctl script -i back.trace | md5sum)" ]'
sed -i s/complete=yes/complete=no/ part.2/info/record
says "... incomplete if one is" 0 'half.trace is incomplete: one of those it was made of is' bash -c \
	'perfctl merge -o half.trace part.[0-9]* && perfctl report -i half.trace'
# another machine's clock
cp -r some.cut other.cut
sed -i s/^hostname=.*/hostname=other/ other.cut/info/record
says "merge: of several machines, what reads them" 0 'babeltrace2 reads two.trace in order of time, perfctl two.trace/some.cut' \
	perfctl merge -o two.trace some.cut@-1.5s other.cut@+250ms
begin() { json "$1" 'd["begin_ns"]'; }
within "merge @-TIME: earlier" $(($(begin some.cut) - $(begin two.trace/some.cut))) 1500000000 1500000000
within "merge @+TIME: later" $(($(begin two.trace/other.cut) - $(begin other.cut))) 250000000 250000000
ok "merge: the same name twice" bash -c \
	'perfctl merge -o twice.trace some.cut some.cut 2>/dev/null && [ -e twice.trace/some.cut/metadata ] && [ -e twice.trace/some.cut.2/metadata ]'
if command -v babeltrace2 >/dev/null; then
	within "babeltrace2 reads as many of both.trace" "$(babeltrace2 both.trace 2>/dev/null | wc -l)" \
		"$(records both.trace '*')" "$(records both.trace '*')"
	for dir in two twice; do
		within "babeltrace2 reads both of $dir.trace" "$(babeltrace2 $dir.trace 2>/dev/null | wc -l)" \
			$((2 * $(records some.cut '*'))) $((2 * $(records some.cut '*')))
	done
else
	skip "babeltrace2 reads what was merged" "babeltrace2 is not installed"
fi
says "merge: one" 2 'takes two recordings or more' perfctl merge some.cut
says "merge: no offset" 2 'behind @ stands what to add' perfctl merge some.cut other.cut@5
says "merge: no recording" 2 'nowhere' perfctl merge some.cut nowhere
says "merge: onto what is read" 2 'is what is read' perfctl merge -o some.cut some.cut other.cut
says "merge: of what holds several" 2 'two.trace holds 2 recordings: name them one by one' \
	perfctl merge -o no.trace some.cut two.trace
ok "... nothing is left" test ! -e no.trace
says "cut: of what holds several" 2 'two.trace has several recordings' perfctl cut -o no.trace two.trace
