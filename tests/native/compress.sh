# SPDX-License-Identifier: GPL-2.0
# engines: perf
# shellcheck shell=bash disable=SC2154,SC2086
# Compressed recordings: the same records in fewer bytes.
mkdir compressed && cp usage hot compressed && cd compressed || exit 1
engine=perf
many=${many:-20000}
lines() { perfctl script -i "$1" 2>/dev/null | md5sum; }
# bytes FILE...
bytes() { cat "$@" | wc -c; }
recorded="perfctl record --engine $engine -q -z -e page-faults:u -c 1"

perfctl record --engine $engine -z -e page-faults:u -c 1 -o packed -- ./usage "$many" 0 >/dev/null 2>packed.err
ok "record -z: the streams are compressed" bash -c 'test -s packed/stream_state.zst -a ! -e packed/stream_state'
within "... and have as many records as it says" "$(records packed 'page-faults*')" \
	"$(number_of records, packed.err)" "$(number_of records, packed.err)"
perfctl cut -o plain packed 2>/dev/null
ok "cut: makes a plain one of it, which is the same" test "$(lines packed)" = "$(lines plain)"
within "... four times as large at least" "$(bytes plain/stream_*)" $((4 * $(bytes packed/stream_*))) 100000000000
if command -v babeltrace2 >/dev/null; then
	within "babeltrace2 reads as many of what was cut" "$(babeltrace2 plain 2>/dev/null | wc -l)" \
		"$(records packed '*')" "$(records packed '*')"
else
	skip "babeltrace2 reads as many of what was cut" "babeltrace2 is not installed"
fi
if command -v zstd >/dev/null; then
	cp -r packed unpacked
	zstd -q -d --rm unpacked/stream_*.zst
	ok "zstd -d: makes plain streams, with an index" bash -c \
		'[ "$(perfctl script -i packed 2>/dev/null | md5sum)" = "$(perfctl script -i unpacked 2>unpacked.err | md5sum)" ] && [ ! -s unpacked.err ]'
else
	skip "zstd -d: makes plain streams" "zstd is not installed"
fi
for level in -50 9; do
	perfctl record --engine $engine -q -z$level -e page-faults:u -c 1 -o packed$level -- ./usage "$many" 0 >/dev/null
done
within "record -z-50: all records, for less time" "$(records packed-50 'page-faults*')" "$many" 1000000
ok "... in more bytes than by -z9" test "$(bytes packed-50/stream_*)" -gt $((2 * $(bytes packed9/stream_*)))
half=$(perfctl info -j packed | python3 -c 'import json, sys; d = json.load(sys.stdin); print((d["end_ns"] - d["begin_ns"]) / 2e9)')
ok "script --time: the same as of the plain one" bash -c \
	"[ \"\$(perfctl script --no-sideband -i packed --time $half, | md5sum)\" = \"\$(perfctl script --no-sideband -i plain --time $half, | md5sum)\" ]"
ok "report: the same" bash -c \
	'[ "$(perfctl report --stdio -i packed | grep -v "^#" | md5sum)" = "$(perfctl report --stdio -i plain | grep -v "^#" | md5sum)" ]'
mkdir -p small
if [ -n "$root" ] && mount -t tmpfs -o size=64k none small 2>/dev/null; then
	says "a disk that is full of what is decompressed" 0 'No space left on device' \
		bash -c 'TMPDIR=$PWD/small perfctl script -i packed 2>&1 >/dev/null; true'
	umount small
else
	skip "a disk that is full of what is decompressed" "this needs root"
fi
rm -r packed/index
ok "... also without an index" test "$(lines packed)" = "$(lines plain)"

$recorded --switch-output=64K -o part -- sh -c './usage $((3 * $0)) 0; exec ./usage $((3 * $0)) 0' "$many" >/dev/null
within "--switch-output: parts have their size on the disk" "$(find . -name 'part.[0-9]*' | wc -l)" 2 100
perfctl merge -o both part.[0-9]* 2>/dev/null
within "merge: they are one recording" "$(records both 'page-faults*')" \
	"$(for dir in part.[0-9]*; do records "$dir" 'page-faults*'; done | awk '{ n += $1 } END { print n }')" 100000000

# it is killed while the program waits
mkfifo go
$recorded --flush 100ms -o killed -- sh -c './usage 2000 0; read -r x <go' >/dev/null &
there() { [ "$(records killed 'page-faults*')" -ge 2000 ]; }
until_ok there
kill -KILL $!
wait $! 2>/dev/null
echo >go &
within "SIGKILL: what was flushed can be read" "$(records killed 'page-faults*')" 2000 1000000
kill %% 2>/dev/null
$recorded --overwrite -o shot -- ./usage 100 0 >/dev/null
within "--overwrite -z: what is kept" "$(records shot 'page-faults*')" 100 1000000
says "-z of no level" 2 '-z takes a level of zstd, 1 to 19, or -1 to -100' perfctl record -z20 -o no.trace true
ok "--no-compress: takes -z back" bash -c "$recorded --no-compress -o not true && [ ! -e not/stream_state.zst ]"
says "-z into a pipe" 2 'writes a directory' bash -c "set -o pipefail; $recorded -o - true | cat"
says "script -f of it" 0 'cannot be followed' bash -c 'cp -r part.1 again; perfctl script -f -i again 2>&1; true'
cd .. || exit 1
