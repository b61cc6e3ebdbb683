#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# engines: pev
# perfctl record, report and script on real programs.
. "$(dirname "$0")/lib/cli.bash"
build hot
build tree

# a program with known shares
says "record: the summary" 0 '^\[ pev.trace: [0-9,]+ records, [0-9.]+ [KM]iB, .*nothing lost \]' \
	perfctl record -g -- ./hot 800
within "report: spin() has nearly all" "$(share pev.trace spin)" 80 100
perfctl report --percent-limit 5 >report.txt 2>&1
ok "report: called by hot()" grep -qE -- '--[ 0-9.]+%-- hot$' report.txt
hot=$(sed -nE 's/.*--([ 0-9.]+)%-- hot$/\1/p' report.txt | head -n 1)
cold=$(sed -nE 's/.*--([ 0-9.]+)%-- cold$/\1/p' report.txt | head -n 1)
within "report: hot() has about three quarters" "${hot:-0}" 55 90
within "report: cold() has about one quarter" "${cold:-0}" 8 40
says "report --children: main() has it all" 0 '^ +(8|9|10)[0-9.]+% +[0-9.]+% +hot +hot +\[\.\] main$' \
	perfctl report --children -g none

# fewer samples than usual, where the kernel allows no more
rate=/proc/sys/kernel/pev_max_sample_rate
most=$(cat $rate)
echo 70 >$rate
says "record: as many samples as the limit allows, which is said" 0 \
	'^note: 70 samples a second are taken, not 999: kernel.pev_max_sample_rate' \
	perfctl record -o rate.trace -e cpu-clock:u -- ./hot 300
says "record: -F beyond the limit is refused, and by what" 2 'kernel.pev_max_sample_rate' \
	perfctl record -o rate.trace -e cpu-clock:u -F 71 -- true
echo "$most" >$rate

# what was inlined has levels of its own where it is asked for
build inlined
perfctl record -q -g -o inlined.trace -- ./inlined
says "flame: what was inlined is a part of its function" 0 ';outer_part [0-9]+$' \
	perfctl flame --folded inlined.trace
says "flame --inline: ... and a level of its own" 0 ';outer_part;inner_part [0-9]+$' \
	perfctl flame --inline --folded inlined.trace
perfctl report --html page.html inlined.trace
perfctl report --inline --html page2.html inlined.trace
within "report --html: the page has it with --inline alone" "$(grep -c '"inner_part"' page.html)" 0 0
within "... and there as a function" "$(grep -c '"inner_part"' page2.html)" 1 1000

ok "record: the older trace is kept" bash -c './hot 1 >/dev/null; perfctl record -q -- ./hot 50 && [ -f pev.trace.old/metadata ]'
says "record: a directory that is no trace stays" 1 'exists and is not a pev trace' \
	bash -c 'mkdir mine; touch mine/file; perfctl record -o mine -- true'
says "record: the command's status is passed on" 5 '[0-9] records?, ' perfctl record -o s -- sh -c 'exit 5'
within "record: all is the command's, its exec, too" \
	"$(perfctl script -F comm -i s | grep -cv '^ *sh$')" 0 0
says "record: a command that is not there" 127 'cannot run no-such-command' \
	perfctl record -o s -- no-such-command
ok "... and costs no older recording" bash -c 'perfctl script s | grep -q pev:exec'
ok "record -F: about as often as asked" bash -c \
	'perfctl record -q -F 200 -o f -- ./hot 1000 && n=$(perfctl script -F event -e cpu-clock f | wc -l) && [ $n -ge 60 ] && [ $n -le 230 ]'
says "record -F and -c" 2 'exclude each other' perfctl record -F 9 -c 9 true
says "record -g lbr is refused by name" 2 'not available' perfctl record -g lbr true
says "record -e cycles: falls back with a note" 0 'note: cycles is a hardware event' \
	perfctl record -o c -e cycles -- ./hot 100
ok "... and has samples" bash -c '[ "$(perfctl script -F event -e cpu-clock c | wc -l)" -gt 5 ]'

# a stripped, larger program with shared libraries
if command -v sqlite3 >/dev/null; then
	perfctl record -q -g -o sql -- sqlite3 :memory: \
		'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c WHERE x<60000) SELECT count(DISTINCT x%1000) FROM c;' >/dev/null
	sql=$(perfctl report -g none --sort dso sql 2>/dev/null | awk '/libsqlite3/ { sub("%", "", $1); print $1 }')
	within "sqlite3: its library has most of the time" "${sql:-0}" 15 100
	ok "sqlite3: exported functions have names" bash -c "perfctl report -g none --percent-limit 0 sql 2>/dev/null | grep -q '\] sqlite3'"
else
	skip "sqlite3" "is not installed"
fi

says "-F max: what the kernel allows" 0 'note: -F max: up to [1-9][0-9]* samples a second' \
	perfctl record -F max -o max -- ./hot 100

# exact numbers of tracepoints
e=raw_syscalls:sys_enter
perfctl record -q -e $e --filter 'id == 110' -o tp -- ./tree 3 3 100
within "a tree of 40 processes: every call is recorded" "$(records tp $e)" 4000 4000
within "... of 40 processes" "$(perfctl script -F tid -e $e tp | sort -u | wc -l)" 40 40
says "script: fields with their values" 0 "tree +[0-9]+ \[00[01]\] +[0-9.]+: $e: id=110\(getppid\) args=" \
	perfctl script -e $e tp
says "a filter: what it refused is in the summary" 0 "$e +100 +0 +[1-9][0-9,]*$" \
	perfctl record -e $e --filter 'id == 110' -o tp2 -- ./tree 0 0 100
perfctl record -q -e cpu-clock,page-faults --filter 'comm == "hot"' -o comms -- \
	sh -c './tree 2 2 100; ./hot 400; :'
for one in cpu-clock page-faults; do
	ok "a filter of $one: samples of one program" \
		[ "$(perfctl script -F comm -e $one comms | sort -u | xargs)" = hot ]
done
perfctl record -q -e 'sched:*' -e page-faults -o multi -- ./tree 2 2 10
says "several events: a section for each" 0 '^# page-faults: [0-9,]+ samples' perfctl report -g none multi
says "... and for tracepoints" 0 '^# sched:sched_process_fork: 6 samples' perfctl report multi
ok "forks are seen with their maps: no unknown program" bash -c \
	'! perfctl report --percent-limit 0 -e page-faults multi | grep -q "\[unknown\]"'
says "-c: the weight of samples" 0 'which stand for' bash -c \
	"perfctl record -q -c 10 -e page-faults -o per10 -- ./tree 2 2 10; perfctl report per10"

(ulimit -Sn 256
says "all tracepoints at once: one fd each, and the limit is raised" 0 'records' \
	perfctl record -e '*:*' -o everything -- ./tree 0 0 10)
n=$((n + 1))
ok "... and script reads them all" bash -c "perfctl script everything | grep -c raw_syscalls:sys_enter"

# attached to what runs, which would take half of the processor from what reads the recordings
./hot 200000 >/dev/null &
pid=$!
sleep 0.2
perfctl record -q -g -p $pid -o p -- sleep 0.7
perfctl record -q --subtree $$ -o sub -- sleep 0.7
perfctl record -q -ag -o all -- sleep 0.7
perfctl record -q -C 0,1 -o cpus -- sleep 0.3
timeout -s INT 4 perfctl record -q -p $pid -o int
timeout -s TERM 4 perfctl record -q -p $pid -o term
kill $pid
wait 2>/dev/null
within "-p: a program that ran before is resolved" "$(share p spin)" 60 100
says "... and named" 0 '^ +[0-9.]+% +hot +hot ' perfctl report -g none p
within "--subtree of a running shell has its children" "$(share sub spin)" 50 100
within "-a: it is found among all" "$(share all spin)" 20 100
says "-a: with its name" 0 ' hot +hot +\[\.\] spin' perfctl report -g none all
says "-C" 0 'cpu-clock: [0-9,]+ samples' perfctl report -g none cpus
within "Ctrl-C ends it cleanly" "$(share int spin)" 80 100
within "so does SIGTERM" "$(share term spin)" 80 100
./hot 8000 >/dev/null &
says "-p without a command ends with the process" 0 'records' perfctl record -p $! -o gone
finish
