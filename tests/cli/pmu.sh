#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# engines: pev
# perfctl and hardware events: on a machine with a PMU that counts, and without
# one what is said and done instead.
. "$(dirname "$0")/lib/cli.bash"

nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set=-all --inh-caps=-all)

# What needs no PMU: names and codes
names() {
	if ! perfctl list --pmu list >/dev/null 2>&1; then
		says "list --pmu without libpfm4 says so" 1 'libpfm4' perfctl list --pmu skl
		return
	fi
	case $(uname -m) in
	x86_64)
		says "list --pmu: another processor" 0 '^  INST_RETIRED ' perfctl list --pmu skl
		says "list --pmu WORD: by unit mask" 0 '^  MEM_LOAD_RETIRED ' perfctl list --pmu skl l3_miss
		says "list --pmu: a description" 0 '^  ARITH ' perfctl list --pmu skl 'divide'
		says "list --pmu -v: unit masks" 0 '^    :ANY_P ' perfctl list --pmu skl -v INST_RETIRED
		says "list --pmu: no such table" 2 'did you mean "skl"' perfctl list --pmu sklx
		ok "list --pmu -j is JSON" bash -c 'perfctl list --pmu spr -j | python3 -m json.tool'
		;;
	ppc64le)
		for t in power8 power9 power10; do
			says "list --pmu $t" 0 '^  PM_CYC ' perfctl list --pmu $t cyc
		done
		;;
	esac
	says "list --pmu --names: with their table" 0 '^[a-z0-9_]+::[A-Z]' perfctl list --names \
		--pmu "$(perfctl list --pmu list --names | tail -n 1)"
}

without_pmu() {
	says "no PMU: pmu says why" 1 'There is no PMU' perfctl pmu
	ok "no PMU: pmu -j is JSON" bash -c 'perfctl pmu -j | python3 -m json.tool'
	says "no PMU: doctor says why" 0 '^note +hardware events +no PMU' perfctl doctor
	says "no PMU: doctor --self-test skips" 0 '^SKIP +all' perfctl doctor --self-test
	ok "no PMU: stat counts the rest" bash -c \
		'perfctl stat -x, -o s.csv true && [ "$(cut -d, -f3 s.csv | tr "\n" " ")" = \
		"task-clock context-switches cpu-migrations page-faults " ]'
	says "no PMU: stat -e cycles" 2 'cycles .*no PMU' perfctl stat -e cycles true
	says "no PMU: stat -M ipc" 2 'no PMU' perfctl stat -M ipc true
	says "no PMU: stat --topdown" 2 'no PMU' perfctl stat --topdown true
	says "no PMU: record falls back to the timer, and says so" 0 'note: no PMU .*timer' \
		perfctl record -o d -- true
	says "no PMU: record -e cycles, too" 0 'note: cycles is a hardware event' \
		perfctl record -o d -e cycles -- true
	says "no PMU: but not for what is not like time" 2 'cache-misses .*no PMU' \
		perfctl record -o d -e cache-misses -- true
	says "no PMU: list hw" 1 'there is no PMU' perfctl list hw
	says "no PMU: list" 0 '^Hardware events: there is no PMU' perfctl list
}

# The emulated Zen 4 counts none of these events but cycles: what is not counted is the rest
topdown_tests() {
	if ! grep -q AuthenticAMD /proc/cpuinfo; then
		says "stat --topdown: which processors it is for" 2 "since Zen 4, and this is none of them" \
			perfctl stat --topdown -- true
		return
	fi
	says "stat --topdown" 0 '^ +100\.000 +topdown\.bad-speculation +% of slots' perfctl stat --topdown -- true
	says "... and the rest" 0 '^ +0\.000 +topdown\.retiring ' perfctl stat --topdown -- true
	ok "... -j" bash -c 'perfctl stat --topdown -j -o t.json -- true &&
		[ "$(grep -c "% of slots" t.json)" = 5 ] && python3 -c "
import json
for line in open(\"t.json\"): json.loads(line)"'
	says "... -x" 0 '^100\.000,% of slots,topdown\.bad-speculation' perfctl stat --topdown -x, -- true
	says "... with events of one's own" 0 ' instructions$' perfctl stat --topdown -e instructions -- true
	says "... not with --by" 2 'goes without' perfctl stat --topdown --by comm -- true
}

stat_tests() {
	perfctl stat -x, -o s.csv -- true
	for e in cycles instructions; do
		within "stat: $e by default" "$(stat_value $e s.csv)" 1000 1e12
	done
	says "stat: cycles have a rate" 0 ' cycles +# +[0-9.]+ GHz' perfctl stat -- true
	says "stat: instructions have a ratio" 0 ' instructions +# +[0-9.]+ insn per cycle' \
		perfctl stat -- true
	says "stat -M" 0 ' [0-9.]+ +ipc +insn per cycle' perfctl stat -M ipc,cpi -- true
	says "stat -M list" 0 '^branch-miss-rate .* branch-misses and branches' perfctl stat -M list
	absent=$(perfctl stat -M list | awk '{ print $1 }' | while read -r metric; do
		! perfctl stat -M "$metric" -- true 2>&1 | grep -q "this processor does not count" || echo "$metric"
	done | head -n 1)
	if [ -n "$absent" ]; then
		says "stat -M: one that is not here costs no other" 0 ' [0-9.]+ +ipc +insn per cycle' \
			perfctl stat -M "$absent,ipc" -- true
		says "... and is named" 0 "note: $absent needs .*does not count" perfctl stat -M "ipc,$absent" -- true
		says "... alone it is an error" 2 "$absent needs .*does not count" perfctl stat -M "$absent" -- true
	else
		skip "stat -M: one that is not here" "all metrics are"
	fi
	says "stat -M: a slip" 2 'did you mean "ipc"' perfctl stat -M ipx true
	topdown_tests
	says "stat -r" 0 ' cycles .*\( \+- ' perfctl stat -r 3 -e cycles -- true
	ok "stat -I: IPC in each interval" bash -c \
		'perfctl stat -I 100 -e "{cycles,instructions}" -x, -o i.csv -- ./hot 350 &&
		[ "$(grep -c "insn per cycle" i.csv)" -ge 3 ]'
	perfctl stat -x, -o modes.csv -e '{instructions,instructions:u,instructions:k}' -- ./tree 1 1 2000
	within "stat: user and kernel are all (per cent)" "$(awk -F, '
		$3 == "instructions" { all = $1 } $3 ~ /:/ { sum += $1 }
		END { print all ? 100 * sum / all : 0 }' modes.csv)" 98 102
	says "stat: a raw code" 0 ' r[0-9a-f]+$' perfctl stat -e "$raw" -- true
	says "stat: :p is refused in words" 2 'addresses of samples' perfctl stat -e cycles:p true
	says "stat: what cannot be counted" 0 '<not supported> +[A-Za-z]' \
		perfctl stat -e cycles,"$missing" -- true
	says "stat: ... and why" 0 "^Not counted:" perfctl stat -e cycles,"$missing" -- true
	says "stat: nothing else is asked for" 1 "$missing" perfctl stat -e "$missing" true
	says "stat: an unprivileged user" 0 ' cycles$' "${nobody[@]}" perfctl stat -e cycles -- true
}

# More events than counters
shared_tests() {
	local many='cycles:u,instructions:u,branches:u'

	for _ in 1 2 3 4 5; do many=$many,cycles,instructions,branches; done
	says "shared: the bound and the share" 0 ' cycles .*± .*\([0-9.]+% of the time\)' \
		perfctl stat -e "$many" -- ./hot 300
	says "shared: ratios are refused" 0 ' instructions +# +refused insn per cycle' \
		perfctl stat -e "$many" -- ./hot 300
	says "shared: ... with the reason and a way out" 0 "^Refused: .*-e '{instructions" \
		perfctl stat -e "$many" -- ./hot 300
	says "shared: ... unless asked for" 0 ' instructions +# +[0-9.]+ insn per cycle' \
		perfctl stat --allow-cross-window -e "$many" -- ./hot 300
	says "shared: a group has its ratio" 0 ' instructions:u +# +[0-9.]+ insn per cycle' \
		perfctl stat -e "$many,{cycles:u,instructions:u}" -- ./hot 300
	perfctl stat -j -o j.json -e "$many" -- ./hot 300 >/dev/null
	ok "shared: JSON has bounds" python3 -c '
import json
rows = [json.loads(l) for l in open("j.json")]
shared = [r for r in rows if r["pcnt-running"] < 99]
assert len(shared) > 5 and all(r["bound-percent"] is None or r["bound-percent"] >= 0 for r in shared), rows
assert any(r.get("metric-refused") for r in rows), rows'
}

record_tests() {
	ok "record: cycles by default" bash -c \
		'perfctl record -c 100000 -o d -- ./hot 200 2>/dev/null && perfctl report -i d | grep -q "^# cycles: "'
	within "record -c: most samples in what ran" "$(share d spin)" 60 100
	perfctl record -c 50000 -o e -e instructions:u -- ./tree 1 1 100000 2>/dev/null
	perfctl stat -x, -o e.csv -e instructions:u -- ./tree 1 1 100000 >/dev/null
	within "record -c: as many samples as there were instructions" "$(records e instructions:u)" \
		"$(awk -F, '{ print $1 / 50000 * 0.9 - 2 }' e.csv)" "$(awk -F, '{ print $1 / 50000 * 1.1 + 2 }' e.csv)"
	ok "record: two modes have names of their own" bash -c \
		'perfctl record -c 100000 -o m -e cycles:u,cycles:k -- ./hot 100 2>/dev/null &&
		perfctl report -i m | grep -q "^# cycles:u: " && perfctl report -i m | grep -q "^# cycles:k: "'
	says "record: too fast is told of" 0 'note: .*sampling was held up [0-9,]+ times?' \
		perfctl record -c 1000 -o f -e instructions:u -- ./hot 300
}

with_pmu() {
	build hot
	build tree
	missing=$(perfctl pmu -j | python3 -c 'import json, sys
print(next(iter(json.load(sys.stdin)["not-counted"]), "LLC-loads"))')
	raw=r00c0
	[ "$(uname -m)" = x86_64 ] || raw=r1001e
	says "pmu: the counters" 0 '^  (PMC|fixed)[0-9]+ +[0-9]+ ' perfctl pmu
	ok "pmu -j is JSON" bash -c 'perfctl pmu -j | python3 -m json.tool'
	says "doctor: the counters" 0 '^ok +counters +[0-9]+ on each CPU' perfctl doctor
	ok "doctor --self-test: none failed" perfctl doctor --self-test
	says "list hw" 0 '^  cycles +' perfctl list hw
	stat_tests
	shared_tests
	record_tests
	says "an unprivileged self-test" 0 '^none failed' "${nobody[@]}" perfctl doctor --self-test
}

names
if perfctl pmu >/dev/null 2>&1; then
	with_pmu
else
	without_pmu
fi
finish
