# SPDX-License-Identifier: GPL-2.0
# engines: perf
# shellcheck shell=bash disable=SC2154
# perfctl record --engine perf: what is recorded is read back by everything that
# reads recordings.
rec="perfctl record --engine perf -q"

$rec -F "$fast" -g -o hot.trace -- ./hot 800 400 >hot.txt
within "record: most samples lie in the busy function" "$(share hot.trace spin)" 60 100
ok "record: the recording names its engine" grep -qx engine=perf hot.trace/info/record
says "info: who made it" 0 '^  made by +perfctl .*, engine perf$' perfctl info hot.trace
says "info: the kernel" 0 "^  kernel +$(uname -r | sed "s,+,\\\\+,g")$" perfctl info hot.trace
says "info: it is complete" 0 '^  complete +yes$' perfctl info hot.trace
ok "record: mappings have build ids" bash -c \
	'perfctl script -i hot.trace | grep "pev:mmap.*libc" | grep -q "build_id_size=20"'
# build_ids DIR: which file has which; the library that makes the kernel older is one more
build_ids() {
	perfctl script -e pev:mmap -i "$1" | sed -n '/old\.so/d; s/.*\(build_id_size=.*\)/\1/p' | sort -u
}
gcc -shared -fPIC -o old.so "$here/lib/old_perf.c" -ldl &&
	LD_PRELOAD=$work/old.so $rec -F "$fast" -o old.trace -- ./hot 100 >/dev/null
ok "... those of the files, where the kernel does not tell them" \
	diff <(build_ids hot.trace) <(build_ids old.trace)
says "record -g: call chains" 0 'main' perfctl report -i hot.trace
for format in perf.data pprof folded firefox chrome callgrind csv jsonl; do
	ok "record: exported as $format" perfctl export -i hot.trace -o "hot.$format" $format
done
if command -v babeltrace2 >/dev/null; then
	within "babeltrace2 reads as many events as script" \
		"$(babeltrace2 hot.trace | wc -l)" \
		"$(records hot.trace '*')" "$(records hot.trace '*')"
else
	skip "babeltrace2 reads as many events as script" "babeltrace2 is not installed"
fi
within "record: an index has an entry for each packet" "$(python3 -c '
import glob, struct
packets = 0
for name in glob.glob("hot.trace/stream_*"):
	data, at = open(name, "rb").read(), 0
	index = open(f"hot.trace/index/{name.split(chr(47))[-1]}.idx", "rb").read()
	assert struct.unpack_from(">4I", index) == (0xc1f1dcc1, 1, 1, 72), name
	for entry in struct.iter_unpack(">9Q", index[16:]):
		kind, instance, begin, end, content, size, lost, seq = struct.unpack_from("=I7Q", data, at + 20)
		assert entry == (at, size, content, begin, end, lost, kind, instance, seq), (name, at)
		at += size // 8
		packets += 1
	assert at == len(data), name
print(packets)')" 2 100000
if command -v babeltrace2 >/dev/null; then
	babeltrace2 --log-level=I hot.trace >/dev/null 2>bt.log
	ok "babeltrace2 reads by it" bash -c 'grep -q "from .idx file" bt.log &&
		! grep -qE "from stream file|[Ii]nvalid.*index" bt.log'
else
	skip "babeltrace2 reads by it" "babeltrace2 is not installed"
fi
if command -v perf >/dev/null; then
	within "perf reads as many samples of the export" \
		"$(perf script -i hot.perf.data -F event 2>/dev/null | grep -c cpu-clock)" \
		"$(records hot.trace cpu-clock)" "$(records hot.trace cpu-clock)"
else
	skip "perf reads as many samples of the export" "perf is not installed"
fi

# another machine: without the program, and with another one at its place
cp hot hot.real
ok "archive" perfctl archive -o hot.tar hot.trace
rm -rf moved image && mkdir -p moved "image$PWD"
tar -xf hot.tar -C moved
cp usage hot
within "archive: all functions have their names elsewhere" "$(share moved/hot.trace spin)" 60 100
within "... which they don't have without it" "$(share hot.trace spin)" 0 0
says "... and the reason is said" 0 'hot: the file has changed since the recording' perfctl report -i hot.trace
says "--symfs: by build id" 0 '\[\.\] spin$' perfctl report -i hot.trace --symfs moved/hot.trace/symfs
cp hot "image$PWD/hot"
ok "--symfs: a file of another build id is not taken" \
	bash -c "! perfctl report -i hot.trace --symfs image | grep -q '\[\.\] spin'"
cp hot.real "image$PWD/hot"
says "--symfs: by path" 0 '\[\.\] spin$' perfctl report -i hot.trace --symfs image
mv hot.real hot

most=$(cat /proc/sys/kernel/perf_event_max_sample_rate)
[ "$most" -lt 100000 ] || most=100000
# a clock, where there is no PMU, is let tick less often
[ -d /sys/bus/event_source/devices/cpu ] || [ "$most" -lt 10000 ] || most=10000
says "record -F max: what the kernel allows" 0 "^note: -F max: up to $most samples a second" \
	perfctl record --engine perf -F max -o max.trace -- true
says "record -F: neither a number nor max" 2 '\-F takes a whole number, 1 or more, or max' \
	$rec -F most -o max.trace -- true
$rec -F "$fast" -g dwarf -o dwarf.trace -- ./hot 200 100 >hot.txt
within "record -g dwarf: the busy function" "$(share dwarf.trace spin)" 60 100
says "record -g dwarf: its callers" 0 'main' perfctl report -i dwarf.trace

perfctl record --engine perf -e page-faults:u -c 1 -o pf.trace -- ./usage 2000 0 >pf.txt 2>pf.err
within "record -c 1: a record for each fault" "$(records pf.trace page-faults)" 2000 2200
ok "info: as many as the kernel made, none lost" bash -c "perfctl info -j pf.trace | python3 -c '
import json, sys
e = [e for e in json.load(sys.stdin)[\"events\"] if not e[\"sideband\"]]
assert len(e) == 1 and e[0][\"made\"] == e[0][\"records\"] >= 2000 and e[0][\"lost\"] == 0, e
'"
within "record -c 1: as many as it says" "$(records pf.trace page-faults)" \
	"$(number_of records pf.err)" "$(number_of records pf.err)"
$rec -e page-faults:u -c 10 -o pf10.trace -- ./usage 2000 0 >/dev/null
within "record -c 10: a tenth" "$(records pf10.trace page-faults)" 200 220
# each has a whole period before it
long=$((100 * slow))
short="./hot $long $long; i=0; while [ \$i -lt 300 ]; do /bin/true; i=\$((i + 1)); done"
$rec -F $((99 / slow / slow)) -o brief.trace -- sh -c "$short" >hot.txt
says "report: programs shorter than the period are hardly seen, which is said" 0 \
	'^note: more processes and threads ended than there are samples \([0-9]+\): by perf_event_open' \
	perfctl report -i brief.trace
says "... not of one that ran for long" 1 '^0$' bash -c \
	'perfctl report -i hot.trace 2>&1 | grep -c "more processes"'
$rec -o names.trace -F 5000 -- sh -c './hot 60 20; exec ./hot 60 20' >hot.txt
says "record: names after an exec" 0 '^ *[0-9.]+% +hot +hot ' perfctl report -g none -i names.trace

./hot 600000 >hot.txt &
hot=$!
$rec -F "$fast" -o pid.trace -p $hot &
until_ok test -e pid.trace/stream_state
let_run $hot 60
kill $hot
wait
within "record -p: a process that ran before" "$(share pid.trace spin)" 60 100

# a flight recorder's rings forget what ran
./hot 600000 >hot.txt &
hot=$!
$rec --overwrite -F "$fast" -o gone.trace -p $hot &
until_ok grep -q perf_event /proc/$!/maps
let_run $hot 40
kill $hot
wait
within "record --overwrite -p: a process that ended" "$(share gone.trace spin)" 60 100
./hot 600000 >hot.txt &
hot=$!
perfctl record --engine perf -q --overwrite -m 64K -F 10000 -e cpu-clock:u -o lives.trace -p $hot 2>/dev/null &
recorder=$!
until_ok grep -q perf_event /proc/$recorder/maps
let_run $hot 80
kill -USR2 $recorder
until_ok test -e lives.trace.1/metadata
let_run $hot 20
kill -TERM $recorder
wait $recorder
within "record --overwrite -p: a snapshot while it runs" "$(share lives.trace.1 spin)" 60 100
within "record --overwrite -p: another at the end" "$(share lives.trace spin)" 60 100
kill $hot
wait $hot 2>/dev/null
$rec --overwrite -m 64K -e page-faults:u -c 1 -o wrapped.trace -- \
	sh -c './usage 5000 0; ./hot 20; ./usage 20000 0' >/dev/null
faults=$(records wrapped.trace page-faults)
within "record --overwrite: the rings wrapped" "$faults" 100 19000
perfctl script -e page-faults -F comm wrapped.trace >wrapped.txt
within "record --overwrite: what started before is named" "$(grep -c unknown wrapped.txt)" 0 0
within "record --overwrite: most of it is the last" "$(grep -cw usage wrapped.txt)" \
	$((faults / 2)) "$faults"
ok "record --overwrite: sideband is there once" bash -c \
	'[ "$(perfctl script -e pev:exec wrapped.trace | sort | uniq -d | wc -l)" = 0 ]'
if command -v babeltrace2 >/dev/null; then
	ok "babeltrace2 reads what a flight recorder kept" bash -c \
		'babeltrace2 wrapped.trace >/dev/null'
else
	skip "babeltrace2 reads what a flight recorder kept" "babeltrace2 is not installed"
fi

died="$rec --overwrite --snapshot-on-exit=SEGV,SIGABRT -F $fast"
says "record --snapshot-on-exit: nothing of a command that ends well" 0 \
	'^\[ nothing is written: true ended with status 0 \]$' \
	perfctl record --engine perf --overwrite --snapshot-on-exit=any -F "$fast" -o died.trace -- true
$died -o died.trace -- sh -c './hot 20 20; kill -TERM $$' >/dev/null 2>&1
ok "... nor of one that ends by another signal" test $? = 143 -a ! -e died.trace
moments=$((20 * slow))
$died -o died.trace -- sh -c "./hot $moments $moments; kill -SEGV \$\$" >/dev/null 2>&1
ok "... but of that one" test $? = 139 -a -e died.trace/metadata
within "... its last moments" "$(share died.trace spin)" 20 100
$died -o shell.trace -- sh -c 'sh -c "kill -ABRT \$\$"; exit $?' >/dev/null 2>&1
ok "... and if a shell says so" test $? = 134 -a -e shell.trace/metadata
says "record --snapshot-on-exit: no signal" 2 'there is no signal "CRASH"; it takes names such as SEGV' \
	$rec --overwrite --snapshot-on-exit=CRASH -o no.trace -- true
says "record --snapshot-on-exit without --overwrite" 2 'is for --overwrite with a command' \
	$rec --snapshot-on-exit=SEGV -o no.trace -- true
begin=$(date +%s%N)
says "record --timeout: ends, with status 0" 0 'records' perfctl record --engine perf -F 500 --timeout 300ms \
	-o timed.trace -- ./hot 20000
within "record --timeout: after so many ms" "$((($(date +%s%N) - begin) / 1000000))" 300 $((slow * 15000))
within "record --timeout: samples of that time" "$(records timed.trace '*clock')" 3 400
says "record --timeout -p: neither the process nor a helper ends" 0 '' perfctl record --engine perf -q \
	--timeout 100ms -o timed.trace -p $$
$rec --delay "${slow}.5s" -F 500 -o late.trace -- sh -c './usage 0 10; exec ./hot $0' $((slow * 1000 + 2000)) >/dev/null
ok "record --delay: nothing of before" bash -c '! perfctl script -F comm -e "*clock" late.trace | grep -w usage'
within "record --delay: but what comes after" "$(share late.trace spin)" 50 100
says "record --timeout: no time" 2 'takes a time such as 5s or 100ms, not "soon"' \
	$rec --timeout soon -- true
says "record -F: more than the kernel allows" 2 'cpu-clock: 20000000 samples a second are more than .* allows \(1 to [0-9]+\)' \
	$rec -F 20000000 -e cpu-clock -o no.trace -- true
$rec -c 1000000 -e cpu-clock -o ms.trace -- ./hot 200 >hot.txt
says "report: what samples of a clock stand for is time" 0 \
	'^# cpu-clock: [0-9]+ samples, which stand for [0-9.]+ ms$' perfctl report -i ms.trace
says "record --strings is refused in words" 1 'this kernel does not copy what arguments point to' \
	perfctl record --engine perf -q --strings -e raw_syscalls:sys_enter -o no.trace -- true
sh -c 'sleep 30 & echo $! >child; wait' &
parent=$!
while [ ! -s child ]; do sleep 0.05; done
says "record --subtree with children is refused in words" 1 'has children already' \
	perfctl record --engine perf -q --subtree $parent -o no.trace
kill "$(cat child)"
wait $parent

if [ -n "$tracepoints" ]; then
	e=raw_syscalls:sys_enter
	$rec -e $e --filter "id == $getppid" -o calls.trace -- ./tree 3 2 100
	within "record: a record for each of 1300 calls" "$(records calls.trace $e)" 1300 1300
	says "script: names of system calls" 0 "id=$getppid\(getppid\) " perfctl script -i calls.trace
	cp -r calls.trace foreign.trace
	sed -i 's/^machine=.*/machine=vax/' foreign.trace/info/record
	says "script: another machine's numbers have other names" 0 "id=$getppid args" \
		perfctl script -i foreign.trace
	$rec -e $e --filter "id == 9999" -o none.trace -- ./tree 0 0 1
	says "report: an event that did not happen wants no higher frequency" 0 \
		'no samples: none of the events happened' perfctl report -i none.trace
	$rec -e $e -c 10 --filter "id == $getppid" -o calls10.trace -- ./tree 0 0 1000
	within "record -c 10: for each tenth call" "$(records calls10.trace $e)" 100 $((100 + first_more))
	# what happened = records + lost, whatever the ring
	if [ -n "$exact_losses" ]; then
		perfctl record --engine perf -m 16K -e $e --filter "id == $getppid" -o flood.trace \
			-- ./tree 3 1 100000 2>flood.err
		lost=$(awk -v e=$e '$1 == e { gsub(",", ""); print $3 }' flood.err)
		within "record: records and losses ($lost) are what happened" \
			$(($(records flood.trace $e) + lost)) 400000 400000
		says "info: the same losses" 0 "\"event\": \"$e\"[^}]* \"lost\": $lost," \
			perfctl info -j flood.trace
	else
		skip "record: records and losses are what happened" "$inexact"
	fi
	$rec -a -e sched:sched_process_exec -o exec.trace -- ./tree 0 0 1
	ok "record -a: strings of tracepoints" bash -c \
		'perfctl script -i exec.trace | grep -q "filename=\"./tree\""'
	# rings, events and the files of tracefs each take one: whichever comes last fails
	for allowed in $(seq 48 ${PEV_VM:+5} 63); do
		says "record: $allowed descriptors are not enough" 1 'each event takes a descriptor' \
			bash -c "ulimit -n $allowed; $rec -e 'sched:*,kmem:*,block:*' -o many.trace -- true"
	done
	says "trace" 0 'getppid\(\) = [0-9]+ ' perfctl trace --engine perf -- ./tree 0 0 3
	perfctl trace --engine perf --no-strings -e getppid -o forked.txt -- ./tree 2 2 1
	ok "trace: processes that were forked have names" bash -c \
		'[ "$(grep -c "tree/[0-9]* getppid" forked.txt)" = 7 ]'
	says "trace: names of arguments, and numbers" 0 \
		'mprotect\(start: 0x[0-9a-f]+, len: [0-9a-fx]+, prot: PROT_READ\) = 0' \
		perfctl trace --engine perf -e mprotect -- true
	says "trace: names of flags, and addresses of strings" 0 \
		'openat\(dfd: AT_FDCWD, filename: 0x[0-9a-f]+, flags: O_RDONLY\|O_CLOEXEC' \
		perfctl trace --engine perf -e openat -- true
	perfctl trace --engine perf --no-strings -j -o calls.json -- ./tree 0 0 3
	ok "trace -j: each call is an object, with its time in ns" python3 -c '
import json
calls = [json.loads(line) for line in open("calls.json")]
own = [c for c in calls if c["call"] == "getppid"]
assert len(own) == 3 and all(c["ns"] > 0 and c["comm"] == "tree" and c["args"] == "" for c in own), own'
	perfctl trace --engine perf --no-strings -S -j -o rows.json -- ./tree 0 0 50
	ok "trace -S -j: a row is an object" python3 -c '
import json
row = [r for r in map(json.loads, open("rows.json")) if r["call"] == "getppid"][0]
assert row["calls"] == 50 and 0 < row["median_ns"] <= row["p99_ns"] <= row["longest_ns"], row'
	says "trace -S: medians" 0 ' median +99 % +longest +calls ' \
		perfctl trace --engine perf --no-strings -S -- true
	says "trace -S --histogram" 0 '^  from +[0-9.]+ [num]?s  #+' \
		perfctl trace --engine perf --no-strings -S --histogram -- true
	perfctl trace --engine perf --no-strings -S --per-thread -o threads.txt -- ./tree 1 2 3
	within "trace -S --per-thread: a table for each" "$(grep -c 'System calls of thread' threads.txt)" 3 3
	perfctl trace --engine perf --no-strings --duration 200ms -o slow.txt -- sleep 0.3
	ok "trace --duration: the slow calls alone" bash -c \
		'grep -q "nanosleep(" slow.txt && ! grep -qE "brk\(|openat\(" slow.txt'
	says "trace --histogram without -S" 2 'belongs to the table' perfctl trace --histogram -- true
	says "trace: why there are no strings" 0 'does not copy what arguments point to' \
		perfctl trace --engine perf -- true
	ok "trace --no-strings does not say so" bash -c \
		'! perfctl trace --engine perf --no-strings -- true 2>&1 | grep "point to"'
else
	skip "record: tracepoints" "tracefs cannot be read here"
fi

# a BPF program comes into the kernel while it is recorded, and leaves it
build bpf "$here/lib"
jit=$(cat /proc/sys/net/core/bpf_jit_enable 2>/dev/null)
if [ -n "$root" ] && [ "${jit:-0}" != 0 ] && ./bpf 1 2>/dev/null; then
	$rec -F "$fast" -o bpf.trace -- ./bpf $((slow * 800))
	name=$(perfctl report -g none --sort symbol -i bpf.trace | sed -n 's/.* \(bpf_prog_.*_counts_up\)$/\1/p')
	within "record: a BPF program that was loaded later has its name" "$(share bpf.trace "$name")" 30 100
	says "record: it is counted to [bpf]" 0 '\[bpf\] +\[k\] bpf_prog_' \
		perfctl report -g none -i bpf.trace
	ok "record: as many threads as there are read its name" bash -c \
		'for n in 1 2 3; do perfctl report --threads $n -g none --sort symbol -i bpf.trace |
		 md5sum; done | sort -u | wc -l | grep -qx 1'
	ok "record: exported, too" bash -c \
		"perfctl export -i bpf.trace -o - folded | grep -q '$name'"
	if command -v perf >/dev/null; then
		perfctl export -i bpf.trace -o bpf.perf.data perf.data 2>/dev/null
		perf record -q -F "$fast" -o bpf.data -- ./bpf $((slow * 800)) 2>/dev/null
		# where perf reads /proc/kcore, that hides such programs from it
		if perf report --stdio -i bpf.data 2>/dev/null | grep -q 'bpf_prog_.*_counts_up'; then
			ok "perf reads its name of the export" bash -c \
				"perf report --stdio -i bpf.perf.data 2>/dev/null | grep -q '$name'"
		else
			skip "perf reads its name of the export" "nor does it know that of its own recording"
		fi
		perfctl import -o bpf.imported bpf.data 2>/dev/null
		within "import: perf's names of such programs" \
			"$(share bpf.imported "$name")" 30 100
	else
		skip "perf reads its name of the export" "perf is not installed"
	fi
	# the kernel's records of them are longer for each event that gets them, by bytes that it does not write
	many='i=0; while [ $i -lt 150 ]; do /bin/true; i=$((i + 1)); done
		for n in 1 2 3 4 5; do ./bpf 10; /bin/true; /bin/true; done; ./hot 100'
	length_ns() {
		perfctl info -j "$1" | python3 -c 'import json, sys
t = json.load(sys.stdin)
print(t["end_ns"] - t["begin_ns"])'
	}
	for nr in 1 2; do
		$rec -a -m 64K -o several$nr.trace -- sleep 1000 &
		several[nr]=$!
	done
	# comes FILE: waits until a recorder has begun it
	comes() { for _ in $(seq 300); do [ ! -s "$1" ] || return 0; sleep 0.1; done; }
	comes several1.trace/metadata
	comes several2.trace/metadata
	$rec -a -m 64K -o several3.trace -- sh -c "$many" >hot.txt
	kill "${several[@]}"
	wait "${several[@]}"
	for nr in 1 2 3; do
		within "record: when such programs came is known to each of several, $nr" \
			"$(length_ns several$nr.trace)" \
			1 3600000000000
		says "... as is what ran afterwards" 0 '^ *[0-9.]+% +hot +hot +' \
			perfctl report -g none --symbol spin -i several$nr.trace
	done
	if command -v perf >/dev/null; then
		perf record -q -a -e cpu-clock -m 16 -o several1.data -- sleep 1000 2>/dev/null &
		several[1]=$!
		perf record -q -a -e cpu-clock -m 16 -o several2.data -- sleep 1000 2>/dev/null &
		several[2]=$!
		comes several1.data
		comes several2.data
		sh -c "$many" >hot.txt
		kill "${several[@]}"
		wait "${several[@]}"
		for nr in 1 2; do
			perfctl import -o several$nr.imported several$nr.data
			within "import: perf's recordings of several, $nr" \
				"$(length_ns several$nr.imported)" \
				1 3600000000000
		done
	fi
else
	skip "record: a BPF program that was loaded later" "it cannot be loaded here, or is not compiled"
fi

# what is for the end of the kernel takes one with pev
for option in --crash "--overwrite --panic"; do
	says "record $option by perf_event_open(2) is refused" 1 \
		"^perfctl: ${option##* } takes a kernel with pev, of ABI 12 or later; this recording is by engine perf" \
		perfctl record --engine perf $option -o no.trace -- true
done
says "record --panic without --overwrite" 2 'add --overwrite or --crash' perfctl record --panic -o no.trace -- true
