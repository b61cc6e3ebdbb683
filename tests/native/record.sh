# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
# perfctl record --engine perf: what is recorded is read back by everything that
# reads recordings.
rec="perfctl record --engine perf -q"

$rec -F 2000 -g -o hot.trace -- ./hot 400 >hot.txt
within "record: most samples lie in the busy function" "$(share hot.trace spin)" 60 100
ok "record: the recording names its engine" grep -qx engine=perf hot.trace/info/record
ok "record: mappings have build ids" bash -c \
	'perfctl script -i hot.trace | grep "pev:mmap.*libc" | grep -q "build_id_size=20"'
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
if command -v perf >/dev/null; then
	within "perf reads as many samples of the export" \
		"$(perf script -i hot.perf.data -F event 2>/dev/null | grep -c cpu-clock)" \
		"$(records hot.trace cpu-clock)" "$(records hot.trace cpu-clock)"
else
	skip "perf reads as many samples of the export" "perf is not installed"
fi

$rec -F 1000 -g dwarf -o dwarf.trace -- ./hot 200 >hot.txt
within "record -g dwarf: the busy function" "$(share dwarf.trace spin)" 60 100
says "record -g dwarf: its callers" 0 'main' perfctl report -i dwarf.trace

perfctl record --engine perf -e page-faults:u -c 1 -o pf.trace -- ./usage 2000 0 >pf.txt 2>pf.err
within "record -c 1: a record for each fault" "$(records pf.trace page-faults)" 2000 2200
within "record -c 1: as many as it says" "$(records pf.trace page-faults)" \
	"$(number_of records pf.err)" "$(number_of records pf.err)"
$rec -e page-faults:u -c 10 -o pf10.trace -- ./usage 2000 0 >/dev/null
within "record -c 10: a tenth" "$(records pf10.trace page-faults)" 200 220
$rec -o names.trace -F 5000 -- sh -c './hot 60; exec ./hot 60' >hot.txt
says "record: names after an exec" 0 '^ *[0-9.]+% +hot +hot ' perfctl report -g none -i names.trace

./hot 1500 >hot.txt &
hot=$!
$rec -F 500 -o pid.trace -p $hot
within "record -p: a process that ran before" "$(share pid.trace spin)" 60 100
wait $hot

# a flight recorder's rings forget what ran
./hot 600 >hot.txt &
hot=$!
$rec --overwrite -F 2000 -o gone.trace -p $hot
wait $hot
within "record --overwrite -p: a process that ended" "$(share gone.trace spin)" 60 100
./hot 4000 >hot.txt &
hot=$!
perfctl record --engine perf -q --overwrite -m 64K -F 10000 -o lives.trace -p $hot 2>/dev/null &
recorder=$!
sleep 1
kill -USR2 $recorder
sleep 0.3
kill -INT $recorder
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

says "record -F: more than the kernel allows" 2 'cpu-clock: 20000000 samples a second are more than .* allows \(1 to [0-9]+\)' \
	$rec -F 20000000 -e cpu-clock -o no.trace -- true
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
	$rec -e $e -c 10 --filter "id == $getppid" -o calls10.trace -- ./tree 0 0 1000
	within "record -c 10: for each tenth call" "$(records calls10.trace $e)" 100 100
	# what happened = records + lost, whatever the ring
	perfctl record --engine perf -m 16K -e $e --filter "id == $getppid" -o flood.trace \
		-- ./tree 3 1 100000 2>flood.err
	lost=$(awk -v e=$e '$1 == e { gsub(",", ""); print $3 }' flood.err)
	within "record: records and losses ($lost) are what happened" \
		$(($(records flood.trace $e) + lost)) 400000 400000
	$rec -a -e sched:sched_process_exec -o exec.trace -- ./tree 0 0 1
	ok "record -a: strings of tracepoints" bash -c \
		'perfctl script -i exec.trace | grep -q "filename=\"./tree\""'
	# rings, events and the files of tracefs each take one: whichever comes last fails
	for allowed in {48..63}; do
		says "record: $allowed descriptors are not enough" 1 'each event takes a descriptor' \
			bash -c "ulimit -n $allowed; $rec -e 'syscalls:*' -o many.trace -- true"
	done
	says "trace" 0 'getppid\(\) = [0-9]+ ' perfctl trace --engine perf -- ./tree 0 0 3
	says "trace: names of arguments, and numbers" 0 \
		'mprotect\(start: 0x[0-9a-f]+, len: [0-9a-fx]+, prot: PROT_READ\) = 0' \
		perfctl trace --engine perf -e mprotect -- true
	says "trace: names of flags, and addresses of strings" 0 \
		'openat\(dfd: AT_FDCWD, filename: 0x[0-9a-f]+, flags: O_RDONLY\|O_CLOEXEC' \
		perfctl trace --engine perf -e openat -- true
	says "trace: why there are no strings" 0 'does not copy what arguments point to' \
		perfctl trace --engine perf -- true
	ok "trace --no-strings does not say so" bash -c \
		'! perfctl trace --engine perf --no-strings -- true 2>&1 | grep "point to"'
else
	skip "record: tracepoints" "tracefs cannot be read here"
fi
