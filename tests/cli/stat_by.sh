#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# engines: pev
# perfctl stat --by and top --by: counts that are known, whose they are, and that they add up.
# lib is set by what is sourced
# shellcheck disable=SC2154
. "$(dirname "$0")/lib/cli.bash"
build tree

ppid=(-e raw_syscalls:sys_enter --filter 'id == 110')

says "each process" 0 '^40$' bash -c "perfctl stat --by process -x, -o - -e raw_syscalls:sys_enter \
	--filter 'id == 110' -- ./tree 3 3 100 | grep -cE '^[0-9]+,tree,100,,raw_syscalls:sys_enter,100.00\$'"
perfctl stat --by process -j -o p.json "${ppid[@]}" -- ./tree 3 3 100
ok "... adds up" rows_add_up p.json
says "by name" 0 '^ +4,000  tree$' perfctl stat --by comm "${ppid[@]}" -- ./tree 3 3 100
says "... in total" 0 '^ +4,000  total$' perfctl stat --by comm "${ppid[@]}" -- ./tree 3 3 100
says "by cgroup, by its path" 0 '^ +4,000  /' perfctl stat --by cgroup "${ppid[@]}" -- ./tree 3 3 100
says "by service" 0 '^ +4,000  [^ ]' perfctl stat --by service "${ppid[@]}" -- ./tree 3 3 100
says "two at once" 0 '^ +[0-9,]+  tree  [01]$' perfctl stat --by comm,cpu "${ppid[@]}" -- ./tree 3 3 100
says "threads have their names" 0 '^ +100  tree [0-9]+$' \
	perfctl stat --by thread "${ppid[@]}" -- ./tree 1 1 100
perfctl stat --by thread --rows 4 -j -o few.json "${ppid[@]}" -- ./tree 3 3 100 2>few.err
ok "--rows 4: what found no row is told" python3 -c '
import json
e = json.load(open("few.json"))["events"][0]
assert e["other"] and e["rows"] + e["other"] == 4000, e'
ok "... adds up" rows_add_up few.json
ok "... with what helps" grep -q 'found no row left: --rows 16 gives more room' few.err

# the machine, the events that there are by default, and intervals
perfctl stat --by process,cpu -a -j -o all.json -- ./tree 2 2 1000
ok "the machine: all events add up, times to the ns" rows_add_up all.json
ok "... and the command is there" python3 -c '
import json
p = json.load(open("all.json"))
assert [e["event"] for e in p["events"]][:4] == ["task-clock", "context-switches", "cpu-migrations",
	"page-faults"], p["events"]
assert sum(r["comm"] == "tree" for r in p["rows"]) >= 5, p["rows"]'
perfctl stat --by comm -I 20 -j -o i.json "${ppid[@]}" -- \
	sh -c './tree 0 0 100; sleep 0.1; ./tree 0 0 200; sleep 0.1'
ok "-I: each occurrence is in one interval" python3 -c '
import json
lines = [json.loads(l) for l in open("i.json")]
assert len(lines) > 2, len(lines)
assert sum(r["counts"][0] for l in lines for r in l["rows"] if r["comm"] == "tree") == 300, lines'

# top prints pictures of it
says "top --by" 0 '^ +task-clock  comm$' perfctl top --by comm -e task-clock -d 0.2 -n 2
says "... as many lines as asked for" 0 ' \([0-9]+ more\)$' \
	perfctl top --by thread -e task-clock -d 0.3 -n 1 -l 1
says "top --by: what is for samples" 2 'are for samples' perfctl top --by comm -F 99

says "nonsense" 2 'split by cgroup' perfctl stat --by weekday -- true
says "--by and -A" 2 'exclude each other' perfctl stat --by cpu -A -a -- true
says "--by and -r" 2 'goes without -r' perfctl stat --by cpu -r 2 -- true
says "--rows 0" 2 'takes 1 to 65536' perfctl stat --by cpu --rows 0 -- true
finish
