#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# babeltrace2, libpev and perfctl read the same from each recording, record by
# record, and that is what the kernel counted.
# shellcheck disable=SC2154
. "$(dirname "$0")/lib/host.bash"
python=/usr/bin/python3
$python -c 'import bt2' 2>/dev/null || { echo "1..0 # SKIP no python3-bt2"; exit 0; }
gcc -O2 -Wall -I"$top/tools/lib/pev/include" -I"$top/include/uapi" -o events \
	"$here/events.c" "$tools/libpev/libpev.a" || { echo "1..0 # SKIP no C compiler"; exit 0; }

columns=tid,cpu,abstime,event,ip,fields,chain

# compare NAME: leaves NAME.events for what follows
compare() {
	local name=$1 dir=$traces/$1 text times
	if ! ./events "$dir" >"$name.events" 2>"$name.err" || [ -s "$name.err" ]; then
		fail "$name: libpev reads it without a warning" "$(cat "$name.err")"
		return
	fi
	perfctl script -F $columns -e '*' "$dir" >"$name.script" 2>"$name.err"
	perfctl report -j - "$dir" >"$name.json" 2>>"$name.err"
	read -r -a times <"$dir.time"
	if text=$($python "$here/compare.py" "$dir" "$name.events" "$name.script" "$name.json" \
		  "${times[@]}" 2>&1); then
		pass "$name: the same records ($(awk '{
			print $1 " in " $2 " streams, " $4 " events, " $3 " lost" }' <<<"$text"))"
	else
		fail "$name: the same records" "$text"
	fi
	rm -f "$name.script" "$name.json"
}

# counted NAME: what the recorder said of it, each event alone
counted() {
	local name=$1
	awk -v log_file="$traces/$name.log" '
	$1 == "lost" { lost += $3; next }
	# what describes the tasks is not asked for; the markers of pev itself are
	{ seen[$4]++; if ($4 !~ /^(pev|state):/ || $4 ~ /^pev:(loss|throttle|multiplex|refusal|wakeup)$/) records++ }
	END {
		while ((getline line < log_file) > 0) {
			count = split(line, f, " ")
			if (f[1] == "event" && f[3] == "samples") {
				samples[f[2]] += f[4]; event_lost += f[6]; by_event = 1
			} else if (f[1] == "ring") {
				ring_lost += f[4]; by_ring = 1
			} else if (match(line, /: [0-9,]+ records,/) && line !~ /newest were kept/) {
				said = substr(line, RSTART + 2, RLENGTH - 11)
				gsub(",", "", said)
				if (said + 0 != records) {
					print said " records, but " records " are in the trace"
					bad = 1
				}
			} else if (line ~ /^  lost on CPU/) {
				gsub(",", "", line)
				count = split(line, f, " ")
				for (i = 5; i <= count; i += 3)
					ring_lost += f[i]
				by_ring = 1
			}
		}
		for (e in samples)
			if (samples[e] != seen[e] + 0) {
				print e ": " samples[e] " written, " seen[e] + 0 " read"
				bad = 1
			}
		if (by_ring && ring_lost != lost || by_event && event_lost != lost) {
			print "lost: events " event_lost ", rings " ring_lost ", read " lost
			bad = 1
		}
		exit bad
	}' "$name.events"
}

for dir in "$traces"/*/; do
	name=$(basename "$dir")
	[ -f "$dir/metadata" ] || continue
	compare "$name"
	[ "$name" = lib-flight ] || ok "$name: as many as the kernel wrote and lost" counted "$name"
done

# covers WHAT NAME AWK-CONDITION: at least one record of the trace is like that
covers() {
	if awk "$3 { found = 1 } END { exit !found }" "$2.events"; then
		pass "covered: $1"
	else
		fail "covered: $1"
	fi
}

ids() {
	[ "$(sed -n 's/^\tid = \([0-9]*\);$/\1/p' "$traces/$1/metadata" | sort -n | tail -n 1)" -gt "$2" ]
}

# flushed NAME NUMBER BYTES: so many packets of CPU 0 have less than half of a full one, of BYTES.
# On the disk each is as large as what it has.
flushed() {
	python3 - "$traces/$1/stream_0" "$2" "$3" <<-'EOF'
	import struct, sys
	data, found, at = open(sys.argv[1], "rb").read(), 0, 0
	while at < len(data):
	    content, size = (bits // 8 for bits in struct.unpack_from("<QQ", data, at + 48))
	    found += content < int(sys.argv[3]) / 2
	    at += size
	sys.exit(found < int(sys.argv[2]) and f"{found} packets of {at} bytes together")
	EOF
}

# altered NAME PROGRAM: compare.py finds a difference that a program makes
altered() {
	sed -E "$2" "$1.events" >altered.events
	perfctl script -F $columns -e '*' "$traces/$1" >altered.script 2>/dev/null
	perfctl report -j - "$traces/$1" >altered.json 2>/dev/null
	# shellcheck disable=SC2046
	! $python "$here/compare.py" "$traces/$1" altered.events altered.script altered.json \
		$(cat "$traces/$1.time")
}

covers "call chains of kernel and program" machine '/kstack=\[0x[^]]+\] ustack=\[0x/'
covers "call chains of the kernel that an earlier record has" machine '/kstack_len=0 .* kstack_id=[1-9]/'
covers "... and of programs" machine '/ustack_len=0 .* ustack_id=[1-9]/'
covers "call chains in each record" timer-chains-whole '/ustack=\[0x/ && !/stack_id=/'
covers "user registers" lib-all '/uregs=\[0x/'
covers "values of a group" lib-all '/values=\[[0-9]+, [0-9]+, [0-9]+\]/'
covers "a dump of the stack" lib-all '/dump_len=[1-9][0-9]* dump=[0-9a-f]+/'
covers "strings that vary" systems '/ sched:sched_process_exec .* filename="\/[^"]+"/'
covers "arrays that vary" everything '/ 9p:9p_protocol_dump |=\[[0-9a-fx]+, /'
covers "signed numbers below 0" everything '/=-[0-9]/'
covers "two CPUs" machine '/ cpu=1 /'
covers "programs that ran before" machine '/^stream_state /'
covers "escape sequences in names" strange '/newcomm="\\x1b\[31mred/'
covers "bytes that are no UTF-8" strange 'index($0, "\377\376\200bad")'
covers "records more than 2^27 ticks apart" lib-gap '$4 ~ /sys_enter/ && last && $2 - last > 134217728 { found = 1 } { last = $2 } 0'
covers "the same in ns" lib-gap-monotonic '$4 ~ /sys_enter/ && last && $2 - last > 134217728 { found = 1 } { last = $2 } 0'
covers "markers" markers '/ pev_sample:types /'
covers "losses in the middle" lib-fast '$1 == "lost" && $3 > 0'
ok "covered: more than 31 events" ids lib-many 31
ok "covered: more than 500 events" ids everything 500
ok "covered: both clocks" grep -q 'name = "monotonic"' "$traces/monotonic/metadata"
ok "... and cycles" grep -q 'name = "cycles"' "$traces/cycles/metadata"
ok "covered: packets closed by time" flushed lib-flush 10 65536
ok "compared: values" altered systems '100s/([a-z])=([0-9])/\1=1\2/'
ok "compared: times" altered systems '100s/^(stream_[a-z0-9]+ [0-9]+)/\12/'
ok "compared: numbers" altered systems 100d
ok "compared: losses" altered lossy 's/^(lost stream_0 [0-9]+)/\11/'
finish
