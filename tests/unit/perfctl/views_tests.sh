#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# annotate, diff, flame and other views on made-up traces; run by "run" behind
# trace_tests.sh.
. "$(dirname "$0")/../../lib/tap.bash"
p=$OUT/tools/perfctl
here=$(cd "$(dirname "$0")" && pwd)
cd "$OUT/traces" || exit 1

# a debuginfod server that takes connections and never answers
cat >slow_server.py <<'PY'
import os, socket
s = socket.create_server(("127.0.0.1", 0))
with open("port.new", "w") as f:
    f.write(str(s.getsockname()[1]))
os.rename("port.new", "port")
kept = []
while True:
    kept.append(s.accept())
PY
if ldconfig -p | grep -q 'libdebuginfod\.so\.1'; then
	rm -f port
	python3 slow_server.py &
	server=$!
	until [ -s port ] || ! kill -0 $server; do sleep 0.05; done
	url=http://127.0.0.1:$(cat port)/
	cache=$PWD/no_cache
	rm -rf no_cache && mkdir no_cache
	# only a server could have this file
	gcc -O1 -no-pie -Wl,--build-id=sha1 -DOTHER -Wl,-s -o stripped \
		"$here/tools/victim.c" && "$OUT/mktrace" nowhere flat 100 "$PWD/stripped" 0x1100
	says "debuginfod: a server that does not answer is said" 124 'debuginfod servers are asked' \
		timeout 5 env DEBUGINFOD_URLS="$url" DEBUGINFOD_CACHE_PATH="$cache" \
		"$p" report nowhere
	says "report --no-debuginfod: no server is asked" 0 '100\.00%' timeout 20 env \
		DEBUGINFOD_URLS="$url" DEBUGINFOD_CACHE_PATH="$cache" \
		"$p" report --no-debuginfod nowhere
	kill $server
	wait $server 2>/dev/null
else
	skip "debuginfod: a server that does not answer" "libdebuginfod is not installed"
fi

cat >names.cc <<'CC'
template <class T> struct Map { template <class U> __attribute__((noinline)) int hash(U u); };
template <class T> template <class U> int Map<T>::hash(U u) { return sizeof(T) * u; }
int main(int n, char **) { return Map<char>().hash<long>(n); }
CC
if g++ -O1 -no-pie -Wl,--build-id=sha1 -o names names.cc 2>/dev/null; then
	at=$(nm names | awk '/4hash/ { print $1 }')
	"$OUT/mktrace" cxx flat 100 "$PWD/names" "$(printf '0x%x' $((0x$at - 0x400000)))"
	says "report: names of C++ are shortened" 0 '\[\.\] Map<>::hash<>$' "$p" report cxx
	says "report --full-names: they are not" 0 '\[\.\] int Map<char>::hash<long>\(long\)$' \
		"$p" report --full-names cxx
	says "report --csv: they are not for programs" 0 ',int Map<char>::hash<long>\(long\)$' \
		"$p" report --csv - cxx
else
	skip "names of C++" "g++ is not installed"
fi

# files of another machine
rm -rf image moved && mkdir -p "image$PWD"
gcc -O1 -no-pie -Wl,--build-id=sha1 -o moved "$here/tools/victim.c"
at=$(nm moved | awk '$3 == "alpha" { print $1 }')
"$OUT/mktrace" elsewhere flat 100 "$PWD/moved" "$(printf '0x%x' $((0x$at - 0x400000)))"
mv moved "image$PWD/moved"
says "a program that is gone" 0 '\[\.\] moved\+0x[0-9a-f]+$' "$p" report elsewhere
says "report --symfs" 0 '\[\.\] alpha$' "$p" report --symfs image elsewhere
says "script --symfs" 0 ' alpha' "$p" script --symfs image elsewhere
says "annotate --symfs" 0 '^# alpha in moved' "$p" annotate --symfs image alpha elsewhere
says "export --symfs" 0 'alpha' "$p" export --symfs image folded -o - elsewhere
says "report --symfs: a file" 2 'is no directory; it takes one with the files' \
	"$p" report --symfs elsewhere/metadata elsewhere
says "report --symfs: nothing" 2 'nowhere.at.all: No such file' \
	"$p" report --symfs nowhere.at.all elsewhere

# a page, and a browser that only notes what it is to show
mkdir -p fake && printf '#!/bin/sh\necho "$1" >shown\nexit "${FAKE_STATUS:-0}"\n' >fake/xdg-open
chmod +x fake/xdg-open
mkdir -p 'a b' && cp -rT flat 'a b/flat%'
says "open: where the page is" 0 "^$PWD/flat%\.html$" env DISPLAY=:0 PATH="$PWD/fake:$PATH" "$p" open 'a b/flat%'
ok "open: ... is shown, as a URL" grep -qx "file://$PWD/flat%25.html" shown
ok "open: ... has the functions" grep -q alpha 'flat%.html'
rm shown
says "open -n: no browser" 0 "^$PWD/page\.html$" \
	env DISPLAY=:0 PATH="$PWD/fake:$PATH" "$p" open -n -o page.html flat
says "open: without a screen" 0 '^note: there is no screen here .*open file:///.*page.html in a browser' \
	env -u DISPLAY -u WAYLAND_DISPLAY PATH="$PWD/fake:$PATH" "$p" open -o page.html flat
ok "open: ... and the browser is not tried" test ! -e shown
says "open: xdg-open fails" 0 '^note: xdg-open found no browser: open file:' \
	env DISPLAY=:0 FAKE_STATUS=3 PATH="$PWD/fake:$PATH" "$p" open -o page.html flat
says "open: no xdg-open" 0 '^note: xdg-open is not installed' env DISPLAY=:0 PATH=/nowhere "$p" open -o page.html flat
says "open -o -" 2 'a browser needs a file' "$p" open -o - flat
says "open: a directory that is not there" 74 'no.such.dir/x.html: No such file' "$p" open -o no.such.dir/x.html flat

# files that may become recordings
says "archive: not to a terminal" 2 'name a file with -o' script -qec "'$p' archive -o - elsewhere" /dev/null
says "archive: what is missing is said, with the reason" 0 '/moved is not taken along: No such file' \
	"$p" archive -o elsewhere.tar elsewhere
says "archive: by path without a build id" 0 "^elsewhere/symfs$PWD/moved$" \
	bash -c "'$p' archive --symfs image -o - elsewhere | tar -t"
ok "archive -j" bash -c "'$p' archive -j --symfs image -o said.tar elsewhere | python3 -c '
import json, os, sys
said = json.load(sys.stdin)
assert said[\"file\"] == \"said.tar\" and said[\"trace\"] == \"elsewhere\", said
assert said[\"programs\"] == 1 and 0 < said[\"bytes\"] <= os.path.getsize(\"said.tar\"), said
'"
says "archive -j -o -" 2 'both for the standard output' "$p" archive -j -o - elsewhere
ok "archive: has what the recording has" bash -c "rm -rf unpacked && mkdir unpacked &&
	tar -xf elsewhere.tar -C unpacked && diff -r elsewhere unpacked/elsewhere"
says "info: what an archive took along" 0 'KiB  symfs/.*/moved$' bash -c \
	"'$p' archive --symfs image -o - elsewhere | tar -x -C unpacked && '$p' info unpacked/elsewhere"
says "report: an archive" 65 'is an archive: unpack it .tar -xf elsewhere.tar.' "$p" report elsewhere.tar
printf 'PERFILE2%600s' '' >perf.file
says "report: perf.data" 65 'perfctl import perf.file" makes' "$p" report perf.file
rm -rf linked && cp -r elsewhere linked && mv linked/info private && ln -s ../private linked/info
says "archive: follows no link within a recording" 0 '^linked/metadata$' \
	bash -c "'$p' archive -o - linked 2>linked.log | tar -t >linked.list; cat linked.list"
ok "archive: ... to what is elsewhere" bash -c "! grep info/ linked.list"
"$OUT/mktrace" outside flat 100 "$PWD/image/../moved.up" "$(printf '0x%x' $((0x$at - 0x400000)))"
cp "image$PWD/moved" moved.up
says "archive: a path that leads out of it" 0 'moved.up is not taken along: its path leads out' \
	"$p" archive -o outside.tar outside
ok "archive: ... is in none" bash -c "! tar -tf outside.tar | grep moved"
says "archive: a full disk" 74 'No space left' "$p" archive -o /dev/full elsewhere

# annotate
says "annotate: the share of an instruction" 0 '^ +100\.00% +[0-9a-f]+:  [a-z]+ ' "$p" annotate alpha flat
says "annotate: the function and its share" 0 '^# alpha in victim: 500 samples of cpu-clock, 50\.00 % of all$' "$p" annotate alpha flat
says "annotate: without a name the hottest function" 0 '^# alpha in victim' "$p" annotate -i flat
says "annotate -m 2: two of them" 0 '^# (beta|main) in victim' "$p" annotate -m 2 -i flat
says "annotate: up to the end of the function" 0 'ret' "$p" annotate alpha flat
says "annotate: calls name what they call" 0 'call.* 0x[0-9a-f]+ <beta>$' "$p" annotate main flat
says "annotate: a function without samples" 1 'no sample is in a function "gamma_ray"' "$p" annotate gamma_ray flat
ok "annotate -j: the weights of a function's instructions" bash -c "'$p' annotate -j alpha flat | python3 -c '
import json, sys
f, = json.load(sys.stdin)
assert f[\"function\"] == \"alpha\" and f[\"samples\"] == 500 and f[\"percent\"] == 50, f
code = [l for l in f[\"lines\"] if \"instruction\" in l]
assert code and sum(l[\"weight\"] for l in code) == f[\"weight\"] > 0, f
'"
says "annotate -j: nothing to show" 1 '^\[\]' "$p" annotate -j gamma_ray flat
"$OUT/mktrace" places random 100
says "annotate: code without a file" 0 "instructions are not shown" "$p" annotate -i places
if gcc -O1 -g -no-pie -Wl,--build-id=sha1 -o victim.g "$here/tools/victim.c"; then
	at=$(nm victim.g | awk '$3 == "alpha" { print $1 }')
	"$OUT/mktrace" lines flat 100 "$PWD/victim.g" "$(printf '0x%x' $((0x$at - 0x400000)))"
	says "annotate: source lines" 0 'victim\.c:[0-9]+ +(int alpha|volatile int y = x)' "$p" annotate alpha lines
	ok "annotate --no-source" bash -c "! '$p' annotate --no-source alpha lines | grep -q victim.c:"
	if [ "$(id -u)" = 0 ]; then
		rm -f private.c victim.other
		cp "$here/tools/victim.c" private.c
		chmod 600 private.c
		gcc -O1 -g -no-pie -Wl,--build-id=sha1 -o victim.other "$PWD/private.c"
		chown 4242 victim.other
		"$OUT/mktrace" theirs flat 100 "$PWD/victim.other" "$(printf '0x%x' $((0x$at - 0x400000)))"
		says "annotate: another user's program whose source only root may read" 0 \
			'private\.c:[0-9]+ *$' "$p" annotate alpha theirs
		ok "... which is not shown" bash -c "! '$p' annotate alpha theirs | grep -q 'int alpha\|int y'"
		chown 4242 private.c
		says "... but what is that user's own" 0 'private\.c:[0-9]+ +(int alpha|volatile int y = x)' \
			"$p" annotate alpha theirs
	fi
	says "report --sort srcline" 0 '^ +100\.00% +victim\.c:[0-9]+$' "$p" report --sort srcline lines
fi
if powerpc64le-linux-gnu-gcc -O1 -g -static -Wl,--build-id=sha1 -o victim.ppc "$here/tools/victim.c" 2>/dev/null; then
	at=$(nm victim.ppc | awk '$3 == "alpha" { print $1 }')
	"$OUT/mktrace" ppc flat 100 "$PWD/victim.ppc" "$(printf '0x%x' $((0x$at - 0x10000000)))"
	says "annotate: instructions of ppc64le" 0 '(stw|std|blr)' "$p" annotate alpha ppc
else
	skip "annotate: instructions of ppc64le" "no compiler for it"
fi

# diff
"$OUT/mktrace" same flat 1000 "$OUT/victim" "$(printf '0x%x' $((0x$(nm "$OUT/victim" | awk '$3 == "alpha" { print $1 }') - 0x400000)))"
says "diff: what grew, with its significance" 0 '^ +50\.00% +100\.00% +\+50\.00 +<0\.0001 \*\*\* +prog +victim +alpha$' "$p" diff flat same
says "diff: what went" 0 '^ +25\.00% +0\.00% +-25\.00 +<0\.0001 \*\*\* .* main$' "$p" diff flat same
says "diff: a recording and itself" 0 'more changed by less than' "$p" diff flat flat
ok "... no row is shown" bash -c "! '$p' diff flat flat | grep -q alpha"
says "diff --all shows them" 0 '^ +50\.00% +50\.00% +\+0\.00 +1\.0000 .* alpha$' "$p" diff --all flat flat
says "diff --absolute: numbers of samples" 0 '^ +500 +1000 +\+50\.00% .* alpha$' "$p" diff --absolute flat same
says "diff --csv" 0 '^50\.0000,100\.0000,50\.0000,500,1000,.*,prog,victim,alpha$' "$p" diff --csv flat same
says "diff --sort dso" 0 '^ +100\.00% +100\.00% .* victim$' "$p" diff --all --sort dso flat same
cp "$OUT/victim" "$OUT/victim2"
off() { printf '0x%x' $((0x$(nm "$OUT/victim" | awk -v f="$1" '$3 == f { print $1 }') - 0x400000)); }
"$OUT/mktrace" renamed renamed 2000 "$OUT/victim2" "$(off alpha)" "$(off alpha)" "$(off beta)" "$(off main)"
says "diff: a program of another name: functions by their name" 0 '^ +50\.00% +50\.00% +\+0\.00 +1\.0000 +alpha$' "$p" diff --all flat renamed
says "... and says so" 0 '^# the programs have other names: functions are compared by name' "$p" diff flat renamed
says "... unless they are to be kept apart" 0 '^ +50\.00% +0\.00% .* prog +victim +alpha$' "$p" diff -s comm,dso,symbol flat renamed
says "diff: how much more, and how much longer" 0 '^# after has 2\.00 times the cpu-clock, and took 2\.00 times as long$' "$p" diff flat renamed
says "diff: of what the change is" 0 '^# change in percentage points of each recording' "$p" diff flat flat
says "... and what to do if the wholes differ" 0 "^# change in .* of each recording's samples: .* --absolute compares" "$p" diff flat renamed
says "... not if they hardly do" 0 "^# change in percentage points of each recording's samples$" "$p" diff flat flat
says "diff --absolute: of what the change is" 0 '^# change in percent of all samples before$' "$p" diff --absolute flat flat
says "diff: several of each side" 0 '^ +50\.00% ±0\.00 +100\.00% ±0\.00 +\+50\.00 +<0\.0001 \*\*\* .* alpha$' "$p" diff flat flat flat vs same same same
says "diff: no more than recordings of one side differ by" 0 '^ +75\.00% ±35\.36 +100\.00% ±0\.00 +\+25\.00 +0\.4226  .* alpha$' "$p" diff --all flat same vs same same
says "... is left out" 0 'more changed by less than' "$p" diff flat same vs same same
ok "... with its row" bash -c "! '$p' diff flat same vs same same | grep -q alpha"
says "diff: one and several" 0 '^ +50\.00% +100\.00% ±0\.00 +\+50\.00 .* alpha$' "$p" diff --all flat vs same same
says "diff --absolute: several" 0 '^ +750 ±354 +1000 ±0 +\+25\.00% .* alpha$' "$p" diff --all --absolute flat same vs same same
says "diff --csv: several" 0 '^75\.0000,100\.0000,25\.0000,1500,2000,0\.423,prog,victim,alpha$' "$p" diff --all --csv flat same vs same same
says "diff: times, of the means" 0 '^# after has 1\.00 times the cpu-clock' "$p" diff flat flat vs same
says "diff: three recordings" 2 'BEFORE\.\.\. vs AFTER' "$p" diff flat flat same
says "diff: none of one side" 2 '"vs" stands between recordings' "$p" diff vs flat same
says "diff: nothing that all have" 65 'no event of which all' "$p" diff flat flat vs sched
cp -rT same vs
says "diff: a recording may have any name" 0 '^# after   vs: 1,000 samples' "$p" diff flat vs
ok "diff -j: each recording of each side" bash -c "'$p' diff -j flat same vs same same | python3 -c '
import json, sys
d = json.load(sys.stdin)
assert [r[\"samples\"] for r in d[\"before\"] + d[\"after\"]] == [1000] * 4, d
assert d[\"rows\"] == [] and d[\"unit\"] == \"percent\", d
'"
ok "diff -j: the figures of a row" bash -c "'$p' diff -j --all flat same vs same same | python3 -c '
import json, sys
row, = [r for r in json.load(sys.stdin)[\"rows\"] if r[\"symbol\"] == \"alpha\"]
assert row[\"before\"] == [50, 100] and row[\"after\"] == [100, 100], row
assert row[\"change\"] == 25 and row[\"comm\"] == \"prog\" and 0.42 < row[\"p\"] < 0.43, row
'"
says "diff: one form" 2 'exclude each other' "$p" diff -j --csv flat same
says "diff: one recording" 2 'two recordings' "$p" diff flat
says "diff: nothing in common" 65 'no event of which both' "$p" diff flat sched

# flame
ok "flame: an SVG" "$p" flame -o flame.svg chains
if command -v xmllint >/dev/null; then
	ok "flame: it is well-formed" xmllint --noout flame.svg
	"$OUT/mktrace" markup markup 100
	"$p" flame -o markup.svg markup 2>/dev/null
	ok "flame: hostile names, too" xmllint --noout markup.svg
else
	ok "flame: it is well-formed" python3 -c 'import sys, xml.dom.minidom as x; x.parse("flame.svg")'
fi
says "flame: a title for each box" 0 '<g><title>alpha$' cat flame.svg
ok "flame: no script and nothing from elsewhere" bash -c '! grep -qE "<script|href|url\(|@import" flame.svg'
says "flame --folded: chains with numbers" 0 '^main;.*alpha [0-9]+$' "$p" flame --folded chains
ok "flame --folded: no sample is missing" bash -c "[ \$('$p' flame --folded flat | awk '{ n += \$NF } END { print n }') = \$('$p' report --csv - --sort event flat | awk -F, 'NR == 2 { print \$2 }') ]"
"$OUT/mktrace" mixed mixed 10
says "flame --folded: of several events the first of the recording" 0 '^true\+0x1000 1$' "$p" flame --folded mixed
says "export folded: the same one, though it came last" 0 '^prog;true\+0x1000 1$' "$p" export folded -o - mixed
says "... and another one by its name" 0 '^prog;pev_is_no_probe;ttwu_do_activate [0-9]$' "$p" export folded -o - -e 'sched*' mixed
ok "flame -j: a tree with the same weights" bash -c "'$p' flame -j chains | python3 -c '
import json, subprocess, sys
t = json.load(sys.stdin)
nodes = {n[\"node\"]: n for n in t[\"nodes\"]}
assert t[\"event\"] == \"cpu-clock\" and t[\"samples\"] == 1000 and nodes[0][\"weight\"] == t[\"weight\"], t
assert sum(n[\"self\"] for n in nodes.values()) == t[\"weight\"]
def path(n):
    return path(nodes[n[\"parent\"]]) + [n[\"symbol\"]] if n[\"node\"] else []
mine = {\";\".join(path(n)): n[\"self\"] for n in nodes.values() if n[\"self\"]}
folded = subprocess.run([\"$p\", \"flame\", \"--folded\", \"chains\"], stdout=-1, text=True, check=True).stdout
assert mine == {l.rsplit(\" \", 1)[0]: int(l.rsplit(\" \", 1)[1]) for l in folded.splitlines()}, mine
'"
says "flame -j: one output" 2 'exclude each other' "$p" flame -j --folded chains
says "flame: no samples" 1 'no samples' "$p" flame -o none.svg empty
says "flame --width: nonsense" 2 'takes 200 to 20000' "$p" flame --width 3 flat
# off-cpu and timeline: 100 turns of 10 us each
"$OUT/mktrace" turns turns 101
says "off-cpu: both waited half of the time" 0 '50 +10\.00 us +10\.00 us +42$' "$p" off-cpu --sort tid --no-open turns
says "off-cpu: their number and sum" 0 '100 waits, 1\.00 ms in all' "$p" off-cpu --sort tid --no-open turns
says "off-cpu --flame: what its widths are" 0 'sched_switch: 100 waits, 1\.00 ms in all</text>' \
	"$p" off-cpu --no-open --flame - turns
says "off-cpu --state blocked: only who blocks" 0 ': 50 waits, 500\.00 us in all' "$p" off-cpu --sort tid --state blocked turns
ok "... and not who is pushed aside" bash -c "! '$p' off-cpu --sort tid --state blocked turns | grep -q ' 43$'"
says "off-cpu: who ended waits for nothing" 0 ': 50 waits' "$p" off-cpu --sort tid --state preempted turns
says "off-cpu --least" 0 'no wait matches' "$p" off-cpu --least 11 turns
says "off-cpu: call chains are missed" 0 'not known where threads waited' "$p" off-cpu turns
says "off-cpu: no such event" 65 'has no sched:sched_switch' "$p" off-cpu flat
says "off-cpu: switches of one thread alone" 65 '9 of 10 switches show a thread leave .* record --off-cpu' "$p" off-cpu sched
says "off-cpu: one output" 2 'exclude each other' "$p" off-cpu --folded --json - turns
says "off-cpu --sort waker: without wakeups" 65 'lacks sched:sched_switch or sched:sched_waking, which together tell what woke' "$p" off-cpu --sort waker turns
says "off-cpu --sort: mistyped" 2 'did you mean "waker"' "$p" off-cpu --sort wakr turns
says "off-cpu --sort user: without chains" 0 '%.* \[kernel\]$' "$p" off-cpu --sort tid,user turns
says "off-cpu --comm: a name that is not there" 0 'no program is called "progs"; did you mean "prog"' "$p" off-cpu --comm progs turns
says "off-cpu --comm: names that are there" 0 'called "nothing"; there are .*prog' "$p" off-cpu --comm nothing turns
says "off-cpu --state: nonsense" 2 'takes blocked or preempted' "$p" off-cpu --state asleep turns
# requests: 10 rounds of samples that carry one of two, or none
"$OUT/mktrace" requests requests 10
one=4bf92f3577b34da6a3ce929d0e0e4737 two=4bf92f3577b34da6a3ce929d0e0e4738
says "report --sort request" 0 "^ +60\.00% +$two$" "$p" report --stdio --sort request requests
says "... the other one" 0 "^ +20\.00% +$one$" "$p" report --stdio --sort request requests
says "... and those without" 0 '^ +20\.00% +\[none\]$' "$p" report --stdio --sort request requests
ok "report --sort request: the same with any number of threads" bash -c "
	[ \"\$('$p' report --json - --sort request,tid requests)\" = \
	  \"\$(taskset -c 0 '$p' report --json - --sort request,tid requests)\" ]"
says "report --sort request of a recording without: none" 0 '100\.00% +\[none\]$' \
	"$p" report --stdio --sort request flat
says "script shows the request and its span" 0 "^ +prog +43 .* task-clock: request=$two/0000000000000001 " \
	"$p" script requests
ok "script -F request" bash -c "
	[ \"\$('$p' script -F request -e task-clock requests | sort | uniq -c | wc -l)\" = 13 ]"
says "timeline --request: its time" 0 '0\.000015 s +0\.000375 s$' \
	"$p" timeline --request $one --width 80 requests
says "... its threads" 0 '^prog +42 ' "$p" timeline --request $one requests
ok "... and no others" bash -c "! '$p' timeline --request $one requests | grep -qE '^[^ ]+ +(43|44) '"
says "timeline --request TRACE/SPAN" 0 '^[^ ]+ +43 ' "$p" timeline --request $two/0000000000000001 requests
ok "... and not the thread of another span" bash -c "
	! '$p' timeline --request $two/0000000000000001 requests | grep -qE '^[^ ]+ +42 '"
says "timeline --request of none that there is" 2 'no record of that request; "perfctl report' \
	"$p" timeline --request 00000000000000000000000000000001 requests
says "timeline --request where nothing was said" 2 'record with --context' \
	"$p" timeline --request $one turns
for id in '' 4bf92f35 "${one}0" "$one/1" "${one%7}x" "$one/000000000000000g" "$one-0000000000000001"; do
	says "timeline --request '$id' is refused" 2 'takes the 32 hexadecimal digits' \
		"$p" timeline --request "$id" requests
done
ok "pprof: samples of requests have a label" bash -c "
	'$p' export pprof -o requests.pprof requests && zcat requests.pprof |
		grep -aq trace_id && zcat requests.pprof | grep -aq $one && zcat requests.pprof | grep -aq $two"
ok "... others have none" bash -c "
	'$p' export pprof -o flat.pprof flat && ! zcat flat.pprof | grep -aq trace_id"

# waits: by records of the kernel, and by the scheduler's events with what wakes threads
"$OUT/mktrace" waits waits 10
says "off-cpu of pev:wait: the place" 0 '^ +50\.00% +12\.50 ms +5 +2\.50 ms +2\.50 ms +cc1 +\[k\] anon_pipe_read' "$p" off-cpu --flat waits
says "off-cpu --sort waker, by" 0 ' as/77 +as +pipe_write$' "$p" off-cpu --sort waker,by,from waits
says "... of an interrupt" 0 ' \[timer\] +\[timer\] +hrtimer_wakeup$' "$p" off-cpu --sort waker,by,from waits
says "off-cpu --wakers: in sentences" 0 '^ +35\.71% +12\.50 ms +5 +2\.50 ms +2\.50 ms +cc1: blocked in anon_pipe_read, woken by as from pipe_write$' \
	"$p" off-cpu --wakers waits
says "off-cpu --wakers has its own columns" 2 'leave --sort out' "$p" off-cpu --wakers --sort comm waits
ok "off-cpu --wakers --json" bash -c "'$p' off-cpu --wakers --json - waits | python3 -c '
import json, sys
rows = json.load(sys.stdin)[\"events\"][0][\"rows\"]
assert sorted(r[\"from\"] for r in rows) == [\"hrtimer_wakeup\", \"pipe_write\"], rows
assert all(r[\"weight\"] == 12500000 for r in rows), rows
'"
says "report: what the kernel counted adds up" 0 \
	'^# run 10000000 \+ blocked 20000000 \+ runnable 5000000 \+ folded 10 = 35000010 ns, counted by the kernel$' \
	"$p" report --stdio waits
says "report: the shares of a thread" 0 '^ +35\.00 ms +28\.57% +57\.14% +14\.29% +10  cc1/42$' "$p" report --stdio waits
ok "report --json: the time of each thread adds up" bash -c "'$p' report --json - waits | python3 -c '
import json, sys
time = json.load(sys.stdin)[\"time\"]
assert time[\"counted_by_kernel\"] and time[\"folded_waits\"] == 10, time
thread, = time[\"threads\"]
assert thread[\"blocked_ns\"] == 20000000 and thread[\"runnable_ns\"] == 5000000, thread
'"
# time TRACE: of its only thread, by its records: enabled run blocked runnable folded unknown waits
time_of_thread() {
	"$p" report --json - "$1" 2>/dev/null | python3 -c '
import json, sys
t, = json.load(sys.stdin)["time"]["threads"]
print(*(t[k + "_ns"] for k in ("enabled", "run", "blocked", "runnable", "folded", "unknown")), t["waits"])'
}
"$OUT/mktrace" sums sums 10 -1
ok "the law of a thread: to the ns, with the wait that it is in" \
	test "$(time_of_thread sums)" = "35700010 10000000 20700000 5000000 10 0 10"
ok "... which is handed on, too" bash -c "
	'$p' off-cpu --sort tid -j - sums | grep -q '\"weight\": 25700000'"
ok "... and left out where only those are wanted that ended" bash -c "
	'$p' off-cpu --sort tid --no-open -j - sums | grep -q '\"weight\": 25000000'"
"$OUT/mktrace" gap sums 10 5
ok "the law of a thread: a wait whose record is missing is the time that is not known" \
	test "$(time_of_thread gap)" = "35700010 10000000 18700000 4500000 10 2500000 9"
"$OUT/mktrace" later sums 10 0
ok "the law of a thread: from the first wait on that the recording has" \
	test "$(time_of_thread later)" = "31200008 8000000 18700000 4500000 8 0 9"
ok "flame --wall: what waited, in ns" bash -c "
	[ \"\$('$p' flame --wall --folded waits 2>/dev/null | sort | tr '\n' '|')\" = 'do_nanosleep 12500000|ksys_read;anon_pipe_read 12500000|' ]"
says "flame --wall: without waits" 65 'has no waits beside its samples; record with' "$p" flame --wall flat
says "flame --wall: of all of it" 2 'leave --time out' "$p" flame --wall --time 1, waits
"$OUT/mktrace" wakes wakes 10
ok "waits by the scheduler: woken, woken before it left, not woken" bash -c "'$p' report --json - wakes | python3 -c '
import json, sys
time = json.load(sys.stdin)[\"time\"]
thread = next(t for t in time[\"threads\"] if t[\"tid\"] == 42)
assert not time[\"counted_by_kernel\"], time
assert thread[\"blocked_ns\"] == 10 * (100 + 0 + 250) * 1000, thread
assert thread[\"runnable_ns\"] == 10 * (20 + 10 + 0) * 1000, thread
assert thread[\"run_ns\"] == 310 * 1000 and not thread[\"unknown_ns\"], thread
assert thread[\"enabled_ns\"] == 4110 * 1000 and thread[\"waits\"] == 30, thread
'"
"$OUT/mktrace" missing missing 10
ok "waits by the scheduler: a return that is missing is no time that is" bash -c "'$p' report --json - missing | python3 -c '
import json, sys
time = json.load(sys.stdin)[\"time\"]
thread = next(t for t in time[\"threads\"] if t[\"tid\"] == 42)
assert thread[\"blocked_ns\"] == 10 * (100 + 60) * 1000, thread
assert thread[\"run_ns\"] == 10 * 10 * 1000 and thread[\"unknown_ns\"] == 10 * 30 * 1000, thread
assert thread[\"enabled_ns\"] == 10 * 200 * 1000 and thread[\"waits\"] == 20, thread
'"
"$OUT/mktrace" phases phases 1000
says "report: of two that work at once for half of the time, two thirds" 0 '^ +66\.67% +42$' "$p" report --stdio --sort tid phases
says "report --latency: three quarters" 0 '^ +75\.0[0-9]% +42$' "$p" report --stdio --latency --sort tid phases
says "... how many ran at once" 0 '^# threads at once: 1 in 50\.0 %, 2 in 50\.0 % of the time that any ran$' \
	"$p" report --stdio --latency phases
ok "report --latency -j: the same" bash -c "'$p' report --latency -j - phases | python3 -c '
import json, sys
report = json.load(sys.stdin)
assert report[\"parallel\"] == [{\"threads\": n, \"ns\": 1000000} for n in (1, 2)], report[\"parallel\"]
event = report[\"events\"][0]
# half of a sample more for each that was taken when another thread came or went
assert 0 <= event[\"weight\"] - 2000 * 1001001 < 2 * 1001001, event[\"weight\"]
'"
ok "report --latency: the same in several threads" bash -c \
	"[ \"\$('$p' report --csv - --latency --threads 1 phases)\" = \"\$('$p' report --csv - --latency --threads 4 phases)\" ]"
says "report --latency: nothing tells when threads ran" 65 'has no sched:sched_switch; record with' "$p" report --latency flat
says "report --latency has no page" 2 '--html has shares of its own' "$p" report --latency --html x.html phases
says "off-cpu: what woke it, also before it left" 0 '1\.30 ms +20 +10\.00 us +120\.00 us +prog +\[unknown\]/43$' "$p" off-cpu --sort comm,waker wakes
says "off-cpu --wakers: without chains" 0 " prog: blocked$" "$p" off-cpu --wakers wakes
says "... and what nothing is seen to wake" 0 '2\.50 ms +10 +250\.00 us +250\.00 us +prog +\[unknown\]$' "$p" off-cpu --sort comm,waker wakes
# by a thread's own switches it is not known what woke it, even if that was recorded
"$OUT/mktrace" own own 10
says "off-cpu by own switches" 0 ': 10 waits, 900\.00 us in all' "$p" off-cpu --sort comm own
says "off-cpu by own switches --sort waker" 65 'switches alone.*that takes root, tracefs.*record --waits -a' \
	"$p" off-cpu --sort comm,waker own
# a third each of 10, 120 and 250 us
ok "off-cpu --json: percentiles of all waits of a row" bash -c "'$p' off-cpu --sort comm --json - wakes 2>/dev/null | python3 -c '
import json, sys
rows = json.load(sys.stdin)[\"events\"][0][\"rows\"]
waits, = (r[\"waits\"] for r in rows if r[\"comm\"] == \"prog\")
assert waits == {\"total_ns\": 3800000, \"times\": 30, \"mean_ns\": 126666, \"p50_ns\": 120000,
	\"p95_ns\": 250000, \"p99_ns\": 250000, \"most_ns\": 250000}, waits
'"
says "off-cpu --csv: the same" 0 ',3800000,30,120000,250000,250000,250000,prog$' \
	"$p" off-cpu --sort comm --csv - wakes
says "sched latency: what was runnable, with percentiles" 0 \
	'^ +310\.00 us +3\.50 ms +300\.00 us +30 +10\.00 us +10\.00 us +20\.00 us +20\.00 us +20\.00 us +[0-9.]+  prog/42$' \
	"$p" sched latency wakes
says "... of all threads" 0 '^ +4\.11 ms +3\.50 ms +600\.00 us +60 .* \(all\)$' "$p" sched latency wakes
says "sched latency --programs" 0 '  prog$' "$p" sched latency --programs wakes
says "sched histogram: powers of two" 0 '^ +32\.77 us +10  #' "$p" sched histogram wakes
says "sched timehist: a line for each wait" 0 \
	'^ +0\.003500 +0  cc1/42 +1\.00 ms +2\.00 ms +500\.00 us  sleeping in anon_pipe_read, woken by as/77 from pipe_write$' \
	"$p" sched timehist waits
says "sched: --comm" 0 'no wait matches' "$p" sched latency --comm none wakes
says "sched: no such events" 65 'has no sched:sched_switch; record with' "$p" sched latency flat
says "sched: an option of another table" 2 'is for "perfctl sched latency"' "$p" sched timehist --programs waits
ok "sched -j: the same as text" bash -c "'$p' sched latency -j wakes | python3 -c '
import json, sys
d = json.load(sys.stdin)
row = next(r for r in d[\"rows\"] if r.get(\"tid\") == 42)
assert row[\"runnable\"][\"p50_ns\"] == 10000 and row[\"runnable\"][\"p99_ns\"] == 20000, row
assert row[\"blocked\"][\"total_ns\"] == 3500000 and row[\"run_ns\"] == 310000, row
' && '$p' sched histogram -j wakes | python3 -c '
import json, sys
d = json.load(sys.stdin)
assert {32768: 10} == {r[\"up_to_ns\"]: r[\"times\"] for r in d[\"runnable\"] if r[\"up_to_ns\"] > 20000}, d
' && '$p' sched timehist -j wakes | python3 -c '
import json, sys
waits = json.load(sys.stdin)
assert len(waits) == 60 and sum(w[\"runnable_ns\"] for w in waits) == 600000, waits
'"
says "timeline --threads: of waits, it runs and sleeps" 0 '^cc1 +42 .*#.*·.*#' "$p" timeline --threads --width 100 waits
ok "timeline -j --threads: of waits, as long as they took" bash -c "'$p' timeline -j -t waits | python3 -c '
import json, sys
t, = json.load(sys.stdin)[\"threads\"]
assert abs(sum(t[\"run_ns\"]) - 10000000) < 100, t
assert abs(sum(t[\"sleep_ns\"]) - 20000000) < 100 and abs(sum(t[\"wait_ns\"]) - 5000000) < 100, t
'"
ok "path: through what wakes, all of the time" bash -c "'$p' path --tid 42 -j wakes | python3 -c '
import json, sys
d = json.load(sys.stdin)
# the last time 42 was blocked for 250 us for no thread, and before that for 43, which was there to the beginning
assert d[\"ns\"] == sum(p[\"ns\"] for p in d[\"parts\"]) == 4100000 and d[\"jumps\"] == 1, d
ns = {p[\"comm\"] + \" \" + p[\"what\"]: p[\"ns\"] for p in d[\"parts\"]}
assert ns[\"prog blocked\"] == 250000 and ns[\"prog runs\"] == ns[\"prog runnable\"] == 30000, ns
assert ns[\"[unknown] runnable\"] == 270000 and ns[\"[unknown] runs\"] == 3520000, ns
'"
says "path: blocked for what no thread did" 0 '^ +28\.57% +10\.00 ms +5  cc1: blocked in do_nanosleep$' "$p" path --tid 42 waits
says "path: not of a command" 65 'is not of a command: name the thread' "$p" path waits
says "path: no such thread" 65 'has nothing of thread 9' "$p" path --tid 9 waits
"$OUT/mktrace" locks locks 10
says "lock: the function that takes it" 0 \
	'^ +12\.50 ms +5 +2\.50 ms +2\.50 ms +2\.50 ms +2\.50 ms +2\.50 ms  rwsem in dup_mmap$' "$p" lock locks
says "lock --by holder" 0 '  rwsem in dup_mmap, by as/77$' "$p" lock --by holder locks
says "lock --by stack" 0 '^ +rwsem_down_write_slowpath$' "$p" lock --by stack locks
says "lock --by: nonsense" 2 'takes function, holder or stack, not "name"' "$p" lock --by name locks
says "lock: waits for other things are none for locks" 0 'no wait for a lock matches' "$p" lock waits
says "lock: without call chains" 0 'not known where threads waited' "$p" lock wakes
ok "lock -j: the same as text" bash -c "'$p' lock -j --by stack locks | python3 -c '
import json, sys
row, = json.load(sys.stdin)
assert row[\"kind\"] == \"rwsem\" and row[\"function\"] == \"dup_mmap\", row
assert row[\"waited\"][\"times\"] == 5 and row[\"waited\"][\"p95_ns\"] == 2500000, row
assert row[\"stack\"][-1] == \"dup_mmap\", row
'"
says "timeline: a track for a CPU" 0 '^ +CPU 0 +(ab)+$' "$p" timeline --width 60 turns
says "timeline: the share of a program" 0 '^# a  .* [0-9.]+ %$' "$p" timeline turns
says "timeline --threads: runs and sleeps alternate" 0 '42 [# ]*#··*·#' "$p" timeline --threads --width 226 --time 0,0.0002 turns
says "timeline --threads: waits for its turn" 0 '43 .*#--*-#' "$p" timeline --threads --width 226 --time 0,0.0002 turns
ok "timeline -j: as long as the time, on one CPU" bash -c "'$p' timeline -j --width 60 turns | python3 -c '
import json, sys
d = json.load(sys.stdin)
cpu, = d[\"cpus\"]
assert len(cpu[\"busy_ns\"]) == len(cpu[\"comm\"]) == d[\"columns\"], d
assert 0 < sum(cpu[\"busy_ns\"]) <= d[\"end_ns\"] - d[\"begin_ns\"], d
'"
ok "timeline -j --threads: each with three states" bash -c "'$p' timeline -j -t turns | python3 -c '
import json, sys
d = json.load(sys.stdin)
span = d[\"end_ns\"] - d[\"begin_ns\"]
assert {42, 43} <= {t[\"tid\"] for t in d[\"threads\"]}, d
for t in d[\"threads\"]:
    assert 0 < sum(map(sum, (t[\"run_ns\"], t[\"wait_ns\"], t[\"sleep_ns\"]))) <= span, t
'"
ok "cache -j" bash -c "'$p' cache -j | python3 -c '
import json, sys
d = json.load(sys.stdin)
assert d[\"files\"] >= 0 and d[\"bytes\"] <= d[\"most_bytes\"] and d[\"path\"], d
'"
says "timeline: no such event" 65 'has no sched:sched_switch' "$p" timeline flat
says "timeline: a time in which nothing is" 2 'nothing was recorded' "$p" timeline --time 5,6 turns
# conventions of the command line
for shell in bash zsh fish; do
	"$p" completion $shell >completion.$shell
	if command -v $shell >/dev/null; then
		ok "completion: $shell can read it" $shell -n completion.$shell
	else
		skip "completion: $shell can read it" "there is no $shell"
	fi
	ok "completion: $shell knows every option of report" bash -c "
		for o in \$('$p' report --help | grep -oE '^ +(-., )?--[a-z-]+' | grep -oE '[a-z-]+\$'); do
			[ \$o = --help ] || grep -qE -- \"\${o#--}\" completion.$shell || { echo \$o; exit 1; }
		done"
done
says "completion: bash completes options" 0 '^--html$' bash -c '. ./completion.bash
	COMP_WORDS=(perfctl report --ht) COMP_CWORD=2; _perfctl; echo "${COMPREPLY[@]}"'
says "completion: bash completes commands" 0 '^annotate$' bash -c '. ./completion.bash
	COMP_WORDS=(perfctl ann) COMP_CWORD=1; _perfctl; echo "${COMPREPLY[@]}"'
says "completion: bash completes what is measured, behind --" 0 '(^| )cat( |$)' bash -c '. ./completion.bash
	COMP_LINE="perfctl record -- ca"
	COMP_WORDS=(perfctl record -- ca) COMP_CWORD=3; _perfctl; echo "${COMPREPLY[@]}"'
# complete_probe PLACE: as bash parts it
complete_probe() {
	P=$p bash -c '. ./completion.bash
	perfctl() { "$P" "$@"; }
	COMP_LINE="perfctl record -e $1" COMP_POINT=${#COMP_LINE}
	COMP_WORDS=(perfctl record -e "${1##*:}") COMP_CWORD=3; _perfctl; printf "%s\n" "${COMPREPLY[@]}"' \
		bash "$1"
}
says "completion: bash completes functions of files" 0 '^main$' complete_probe "cs,uprobe:$OUT/victim:mai"
says "... at their return" 0 '^main$' complete_probe "uretprobe:$OUT/victim:mai"
says "... and functions of the kernel, of which ftrace knows" 0 '^do_nanosleep$' complete_probe function:do_nano
says "... and files before them" 0 '/victim$' complete_probe "uprobe:$OUT/victi"
# zsh_probe WORD: what is offered, where zsh offers and parts words by builtins that are only there while
# it completes
zsh_probe() {
	P=$p zsh -f -c 'perfctl() { "$P" "$@" }
	compadd() { print -l -- "${@:2}" }
	compset() { PREFIX=${PREFIX#${~2}} }
	_files() { print "a file, behind $1/$PREFIX" }
	_arguments() { print "an option" }
	words=(perfctl record -e "$1") CURRENT=4 PREFIX=$1
	. ./completion.zsh' zsh "$1"
}
if command -v zsh >/dev/null; then
	says "completion: zsh completes functions of files" 0 "^uprobe:$OUT/victim:main\$" \
		zsh_probe "cs,uprobe:$OUT/victim:mai"
	says "... at their return" 0 "^uretprobe:$OUT/victim:main\$" \
		zsh_probe "--event=uretprobe:$OUT/victim:mai"
	says "... and functions of the kernel, of which ftrace knows" 0 '^function:do_nanosleep$' \
		zsh_probe function:do_nano
	says "... and files before them" 0 "^a file, behind .*/$OUT/victi\$" zsh_probe "uprobe:$OUT/victi"
	says "... and everything else as ever" 0 '^an option$' zsh_probe cycles
else
	skip "completion: zsh completes functions of files" "there is no zsh"
fi
fish_probe() {
	P=$p fish --no-config -c 'function perfctl; $P $argv; end
		source completion.fish
		complete -C "perfctl record -e $argv[1]"' "$1"
}
if command -v fish >/dev/null; then
	says "completion: fish completes functions of files" 0 "^cs,uprobe:$OUT/victim:main\\b" \
		fish_probe "cs,uprobe:$OUT/victim:mai"
	says "... at their return" 0 "uretprobe:$OUT/victim:main\\b" fish_probe "'uretprobe:$OUT/victim:mai"
	says "... and functions of the kernel, of which ftrace knows" 0 '^function:do_nanosleep\b' \
		fish_probe function:do_nano
	says "... and files before them" 0 "^uprobe:$OUT/victim\\b" fish_probe "uprobe:$OUT/victi"
else
	skip "completion: fish completes functions of files" "there is no fish"
fi
says "completion: another shell" 2 'takes bash, zsh or fish' "$p" completion tcsh
printf '# mine\n[script]\nfields = time\n[report]\nsort = dso\nshow-nr-samples = yes\n' >config
export PERFCTL_CONFIG=$PWD/config
says "config: options that are always wanted" 0 '^ +100\.00% +1,000 +victim$' "$p" report flat
says "config: what is typed goes before it" 0 '50\.00% +500 +\[\.\] alpha$' "$p" report --sort symbol flat
says "config: --no- takes it back" 0 '^ +100\.00% +victim$' "$p" report --no-show-nr-samples flat
echo 'sorted = dso' >>config
says "config: a mistyped option" 2 'in the configuration: unknown option --sorted; did you mean --sort' "$p" report flat
says "config: ... and --help helps" 0 '--sort KEY' "$p" report --help
says "config: ... although the line is named" 0 'in the configuration: unknown option --sorted' "$p" report --help
export PERFCTL_CONFIG=
says "help TOPIC" 0 'perfctl off-cpu --comm NAME' "$p" help slow
# what the tool knows of other tools, and what the document says, without markup
"$p" help perf | awk '/^  [^ ]/ { if (row) print row; row = substr($0, 3) ":"; next }
	row { sub(/^ +/, ""); row = row " " $0 } END { print row }' | tr -d '"' >others.tool
awk '/^Traps$/ { on = 1 } /^trace-cmd$/ { on = 0 }
	on && /^``[^`]*``$/ { if (row) print row; row = $0 ":"; next }
	on && row && NF { sub(/^ +/, ""); row = row " " $0 } END { print row }' \
	"$here/../../../Documentation/admin-guide/from-perf.rst" | tr -d '`"' >others.doc
ok "help perf: as many rows as there are" bash -c '[ "$(wc -l <others.tool)" -gt 50 ]'
ok "help perf: the document lists the same" diff others.tool others.doc
mkdir -p empty
says "no recording: how to make one" 65 'pev.trace: there is no recording here: "perfctl record" makes one' \
	env -C empty "$p" report
says "perf's commands: what does the same" 2 '"timechart" is a command of perf; here: .*perfctl timeline' "$p" timechart
says "... of a command that is ours, too" 2 'not "map"; here: "perfctl timeline" draws it' "$p" sched map
says "... and none at all" 2 'say which view: sched latency' "$p" sched
says "perf's options: what does the same" 2 'unknown option -G, which perf has: -g caller' "$p" report -G
says "perf's options: without effect" 0 'alpha$' "$p" report -f flat
says "perf's options: of the same letter" 2 'takes a whole number, not "ls"; .* -S$' "$p" trace -s ls
says "strace's options: without effect" 2 'what is to be measured' "$p" trace -fT
says "a topic is no command" 2 'unknown command "lost"; "perfctl help lost" explains it' "$p" lost
ok "none of them is an option of ours" bash -c '
	declare -A help=()
	while read -r tool command option rest; do
		[ "$tool" != strace ] || { option=$command; command=trace; }
		case $option in -*) option=${option%:} ;; *) continue ;; esac
		case "$command $option" in "record -F" | "trace -s") continue ;; esac
		[[ -v help[$command] ]] || help[$command]=$("$0" "$command" --help)
		! grep -qE -e "^ +$option[, ]" <<<"${help[$command]}" || { echo "$command $option"; exit 1; }
	done <others.tool' "$p"
says "report -g no: as in record" 0 '^ +33\.[0-9]+% +prog' "$p" report -g no chains
says "help: a mistyped topic" 2 'did you mean "symbols"' "$p" help symbls
says "help lists topics" 0 '^  call-chains ' "$p" help
says "no progress and no pager in a pipe" 0 '^# command: +mktrace$' env PAGER=false "$p" report flat
says "the pager on a terminal" 0 'PAGED' script -qec "PAGER='sed s/alpha/PAGED/' '$p' report --stdio flat" /dev/null

finish
