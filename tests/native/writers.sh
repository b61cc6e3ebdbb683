# SPDX-License-Identifier: GPL-2.0
# engines: pev perf
# shellcheck shell=bash disable=SC2154,SC2016
# Several threads that write: all that one of them does holds with two.
mkdir writers && cp usage writers && cd writers || exit 1
export engine=${engine:-perf}
many=${many:-8000}
# a program on each of two CPUs, or twice on the only one
cpus=$(taskset -cp $$ | sed 's/.*: //' | tr ',' '\n' | awk -F- '{ for (i = $1; i <= $NF; i++) print i }' | head -n 2)
first=$(head -n 1 <<<"$cpus") second=$(tail -n 1 <<<"$cpus")
# twice PAGES: a script whose faults are of both
twice() { echo "taskset -c $first ./usage $1 0 & taskset -c $second ./usage $1 0; wait"; }
written="perfctl record --engine $engine --writers 2 -e page-faults:u -c 1"
# lost_in FILE: of what record says at its end
lost_in() { awk '$1 == "page-faults:u" { gsub(",", ""); print $3; n++ } END { if (!n) print 0 }' "$1"; }

$written -o both -- sh -c "$(twice "$many")" >faults.txt 2>both.err
made=$(number_of records, both.err)
lost=$(lost_in both.err)
within "record --writers 2: records and losses are what happened" $((made + lost)) $((2 * many)) \
	$(($(awk '{ n += $2 } END { print n }' faults.txt) + 4000))
within "... and can be read" "$(records both 'page-faults*')" "$made" "$made"
ok "... complete, with an index" grep -qx complete=yes both/info/record
ok "... in order of time" bash -c 'perfctl script --no-sideband -F time both | sort -C -n'

# while it records: as many threads as were asked for
mkfifo go
$written -q -o threads -- sh -c 'read -r x <go' &
recorder=$!
until_ok test -s threads/metadata
ok "... by two threads" test "$(find /proc/$recorder/task -mindepth 1 -maxdepth 1 | wc -l)" = 2
echo >go
wait $recorder
printf '[record]\nwriters = 2\n' >config
says "... and so by writers = 2 of the configuration" 2 '--writers does not go together with -o -' \
	bash -c "set -o pipefail; PERFCTL_CONFIG=$PWD/config perfctl record --engine $engine -o - true | cat"

if [ "$engine" = perf ]; then
	chains="$written -g -m 2M"
	$chains -q -z -o packed -- sh -c "$(twice "$many")" >/dev/null
	$chains -q -o interned -- sh -c "$(twice "$many")" >/dev/null
	within "... compressed: all can be read" "$(records packed 'page-faults*')" $((2 * many)) 10000000
	ok "... all of it with chains" bash -c '! perfctl script -F ip,sym,event packed 2>&1 | grep -q damaged'
	within "... with call chains once a packet" "$(records interned 'page-faults*')" $((2 * many)) 10000000
	ok "... which are those of compressed records" bash -c \
		'chains() { perfctl report --stdio -g none --comm usage -i $1 2>/dev/null | grep -v "^#" |
			awk "NF { print \$NF }" | head -n 1; }; [ -n "$(chains packed)" -a "$(chains packed)" = "$(chains interned)" ]'
fi

# in parts, with rings that are too small: nothing is lost between them that no part counts
perfctl record --engine "$engine" --writers 2 -m 16K --switch-output=64K -e page-faults:u -c 1 -o part -- \
	sh -c "$(twice $((3 * many)))" >/dev/null 2>part.err
made=$(number_of records, part.err)
for dir in part.[0-9]*; do perfctl info -j "$dir"; done >parts.json
python3 - >sums.txt <<'PY'
import json
text, at, d = open("parts.json").read(), 0, json.JSONDecoder()
records = lost = parts = 0
while text[at:].strip():
	at += len(text[at:]) - len(text[at:].lstrip())
	part, end = d.raw_decode(text[at:])
	at, parts = at + end, parts + 1
	assert part["complete"]
	lost += part["lost"]
	records += sum(e["records"] for e in part["events"] if not e["sideband"])
print(parts, records, lost)
PY
read -r parts records rings_lost <sums.txt
within "... --switch-output: parts" "$parts" 2 1000
within "... which have all records together" "$(perfctl merge -o merged part.[0-9]* 2>/dev/null; records merged 'page-faults*')" \
	"$records" "$records"
within "... and all losses" "$rings_lost" "$(lost_in part.err)" $(($(lost_in part.err) + 4000))

# a full disk: each stream ends with a whole packet, and nothing hangs
export written
says "... a full disk ends it" 74 'File too large' bash -c \
	"trap '' XFSZ; ulimit -f 100; $written -q -m 1M -o full -- sh -c '$(twice $((4 * many)))'"
says "... what was written can be read" 0 'incomplete|missing|records' perfctl info full
ok "... and is not damaged" bash -c 'perfctl script full 2>&1 >/dev/null | tee full.err; ! grep -q damaged full.err'
$written -q --max-size 256K -o most -- sh -c "until false; do $(twice "$many"); done" >/dev/null 2>&1
within "... --max-size ends it, KiB" "$(du -sk --apparent-size most | cut -f 1)" 100 40000

# killed at any time: what was flushed is there
for moment in 1 3; do
	$written -q -m 64K --flush 50ms -o dead -- sh -c "$(twice 200000)" >/dev/null 2>&1 &
	recorder=$!
	until_ok has_records dead 'page-faults*'
	sleep 0.0$moment
	kill -KILL $recorder
	wait $recorder 2>/dev/null
	perfctl script -i dead >dead.txt 2>dead.err
	ok "... killed: what was flushed can be read, try $moment" test $? = 0 -a -s dead.txt
	rm -rf dead dead.old
done

says "--writers of a flight recorder" 2 'writes nothing while it records' \
	perfctl record --writers 2 --overwrite -o no.trace true
says "... of counted chains" 2 'writes little' perfctl record --writers 2 --fold -o no.trace true
says "... of a relay" 2 'is one connection' perfctl record --writers 2 -o net://127.0.0.1:1:1/x true
says "... of too many" 2 'takes 1 to 1024' perfctl record --writers 1025 -o no.trace true
cd .. || exit 1
