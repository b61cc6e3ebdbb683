# SPDX-License-Identifier: GPL-2.0
# engines: perf
# shellcheck shell=bash disable=SC2154,SC2086
# Call chains that are written once a packet: the same chains in fewer bytes, each part of a recording alone.
mkdir interned && cp usage hot interned && cd interned || exit 1
engine=perf
many=${many:-5000}
recorded="perfctl record --engine $engine -q -g -e page-faults:u -c 1"
bytes() { cat "$1"/stream_[0-9]* | wc -c; }
lines() { perfctl script -i "$1" 2>/dev/null | md5sum; }
# named DIR: do its records name chains?
named() { grep -q 'uint16_t kstack_id;' "$1/metadata"; }
# frames DIR: "RECORDS FRAMES", of the length of chains that most faults have
frames() {
	perfctl script -F event,chain -e page-faults* --no-sideband -i "$1" 2>/dev/null |
		awk '/page-faults/ { n = 0; next } NF { n++ } !NF { seen[n]++ }
		     END { for (n in seen) if (seen[n] > most) { most = seen[n]; frames = n } print most, frames }'
}

$recorded -o named -- ./usage "$many" 0 >/dev/null
$recorded --no-intern -o whole -- ./usage "$many" 0 >/dev/null
ok "record -g: records name chains" named named
ok "--no-intern: they have them" bash -c '! grep -q stack_id whole/metadata && grep -q "uint32_t kstack_len;" whole/metadata'
read -r named_records named_frames <<<"$(frames named)"
read -r whole_records whole_frames <<<"$(frames whole)"
within "the page faults of the program have one chain" "$named_records" "$many" 1000000
within "... also where each has it" "$whole_records" "$many" 1000000
ok "... of as many frames" test "$named_frames" = "$whole_frames" -a "$named_frames" -ge 1
# of some hundred bytes in whole recordings, without a packet's head
within "what each takes less are its frames" $((($(bytes whole) - $(bytes named)) / many)) \
	$((8 * named_frames - 2)) $((8 * named_frames + 8))
ok "as many are recorded as the program had" test \
	"$(records named 'page-faults*')" -ge "$many" -a "$(records named '*')" -ge "$(records named 'page-faults*')"
if command -v babeltrace2 >/dev/null; then
	within "babeltrace2 reads as many" "$(babeltrace2 named 2>/dev/null | wc -l)" \
		"$(records named '*')" "$(records named '*')"
else
	skip "babeltrace2 reads as many" "babeltrace2 is not installed"
fi

half=$(perfctl info -j named | python3 -c 'import json, sys; d = json.load(sys.stdin); print((d["end_ns"] - d["begin_ns"]) / 2e9)')
ok "cut: the second half is what --time shows of it" bash -c \
	"perfctl cut --time $half, -o half named 2>/dev/null
	 [ \"\$(perfctl script --no-sideband -F tid,event,fields,chain -i half | md5sum)\" = \\
	   \"\$(perfctl script --no-sideband -F tid,event,fields,chain -i named --time $half, | md5sum)\" ]"
ok "... which names chains, too" named half
perfctl cut -o again named 2>/dev/null
ok "cut: all of it is the same" test "$(lines named)" = "$(lines again)"
perfctl cut -o again whole 2>/dev/null
ok "... as is what names none, and does not then" bash -c '! grep -q stack_id again/metadata && [ "$1" = "$2" ]' \
	_ "$(lines whole)" "$(lines again)"

$recorded -o - -- ./usage "$many" 0 2>/dev/null | perfctl import -o piped - >/dev/null 2>&1
read -r piped_records piped_frames <<<"$(frames piped)"
within "-o -: through a pipe" "$piped_records" "$many" 1000000
ok "... with their chains" test "$piped_frames" = "$named_frames"
$recorded --switch-output=64K -o part -- sh -c './usage $((3 * $0)) 0; exec ./usage $((3 * $0)) 0' "$many" >/dev/null
all=0 damaged=0
for dir in part.[0-9]*; do
	read -r got _ <<<"$(frames "$dir")"
	all=$((all + ${got:-0}))
	perfctl info -i "$dir" 2>&1 | grep -qi damaged && damaged=$((damaged + 1))
done
within "--switch-output: each part has the chains of its records" "$all" $((6 * many)) $((7 * many))
within "... and is whole" "$damaged" 0 0
perfctl merge -o both part.[0-9]* 2>/dev/null
within "merge: they are one recording" "$(records both 'page-faults*')" $((6 * many)) 100000000
$recorded --overwrite -o shot -- ./usage 100 0 >/dev/null
read -r shot_records shot_frames <<<"$(frames shot)"
within "--overwrite: what is kept" "$shot_records" 100 1000000
ok "... with its chains" test "$shot_frames" = "$named_frames"

$recorded -z -o packed -- ./usage "$many" 0 >/dev/null
ok "-z: records have their chains, which zstd finds again" bash -c '! grep -q stack_id packed/metadata'
perfctl record --engine $engine -q -e page-faults:u -c 1 -o none -- ./usage 100 0 >/dev/null
ok "without -g there is nothing to name" bash -c '! grep -q stack none/metadata'

# a name of a chain that is nowhere: the last record of the first packet has one
python3 - named damaged <<-'EOF'
	import shutil, struct, sys
	shutil.copytree(sys.argv[1], sys.argv[2])
	stream = max(__import__("glob").glob(sys.argv[2] + "/stream_[0-9]*"), key=lambda f: __import__("os").path.getsize(f))
	data = bytearray(open(stream, "rb").read())
	content = struct.unpack_from("<Q", data, 48)[0] // 8
	words = [at for at in range(88, content, 8)
	         if data[at:at + 6] == bytes(6) and data[at + 6:at + 8] != bytes(2)]
	struct.pack_into("<H", data, words[-1] + 6, 3)
	open(stream, "wb").write(data)
EOF
says "a record that names what is not there" 0 'names a call chain that is not there' \
	bash -c 'perfctl script -i damaged 2>&1 >/dev/null; true'
cd .. || exit 1
