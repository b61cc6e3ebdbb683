#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# engines: pev perf
# perfctl record -g dwarf: chains of programs without frame pointers, beside the truth.
. "$(dirname "$0")/lib/cli.bash"

# lib/path.c without frame pointers; where it has tables to unwind by is told by lib/variants
for p in path stripped nohdr debugonly; do
	build $p
done

# chains DIR [FUNCTION]: samples in spin() (or FUNCTION), one a line, callers behind blanks
chains() {
	perfctl script -e cpu-clock --no-sideband -i "$1" 2>/dev/null | awk -v leaf="${2:-spin}" '
		function end() { if (split(line, f, " ") && f[1] == leaf) print line; line = "" }
		/^ *[0-9a-f]+ [^ ]+ \(/ { line = line (line == "" ? "" : " ") $2; next }
		{ end() }
		END { end() }'
}

# right DIR PATTERN: percent of the chains that are what they must be
right() {
	chains "$1" | awk -v want="$2" '{ n++; good += index($0, want) == 1 }
		END { print n ? 100 * good / n : "none" }'
}

for p in path nohdr debugonly; do
	perfctl record -q -F 500 -g dwarf -o "$p.dwarf" -- "./$p" 700
	within "$p: percent of -g dwarf's chains that are the truth" \
		"$(right "$p.dwarf" 'spin three two one main')" 99 100
done
perfctl record -q -F 500 -g fp -o path.fp -- ./path 700
within "path: ... of -g fp's, for comparison" "$(right path.fp 'spin three two one main')" 0 50
perfctl record -q -F 500 --call-graph dwarf,1024 -o short -- ./path 700
says "a piece of the stack that is too short is said to be" 0 \
	'of the user call chains .* are cut: .*record more of it \(-g dwarf,' perfctl report -g none short
says "with enough of it nothing is cut" 0 'cpu-clock' perfctl report -g none path.dwarf
ok "... and nothing is said to be" bash -c '! perfctl report -g none path.dwarf 2>&1 | grep "are cut"'
perfctl record -q -F 500 -g dwarf -o stripped.dwarf -- ./stripped 700
deep=$(perfctl script -e cpu-clock --no-sideband -i stripped.dwarf 2>/dev/null | awk '
	function end() { if (n) { all++; good += n >= 5 } n = 0 }
	/stripped\+0x/ { n++ }
	/^$/ { end() }
	END { end(); print all ? 100 * good / all : 0 }')
within "stripped: percent of chains that are as deep, by offsets" "$deep" 95 100
perfctl record -q -g no -o none -- ./path 200
says "-g no records none" 0 '\[\.\] spin' perfctl report none
ok "... indeed" bash -c '! perfctl report none 2>/dev/null | grep -v "\[[.k]\]" | grep -q -w "one$"'
perfctl record -q -e cpu-clock:u -F 500 -g dwarf -o user.dwarf -- ./path 500
perfctl export -o user.data perf.data user.dwarf
perfctl import -o user.again user.data
says "-g dwarf of user mode alone: an exported perf.data has the chains" 0 \
	'main;one;two;three;spin [0-9]{2}' perfctl flame --folded user.again
says "bytes of the stack: too many" 2 'takes 64 to 32768 bytes' perfctl record -g dwarf,1M true
says "bytes of the stack: no number" 2 'not "x"' perfctl record -g dwarf,x true
says "another way" 2 'by "lbr" are not available' perfctl record -g lbr true
perfctl record -q -F 300 -ag dwarf -o all -- ./path 500
within "the whole machine" "$(right all 'spin three two one main')" 99 100

# a stripped library without frame pointers: how many chains end where no thread begins
cut_share() {
	perfctl script -e cpu-clock --no-sideband -i "$1" 2>/dev/null | awk '
		function end() { if (last != "") { n++; cut += last !~ /sqlite3\+|_start|clone/ } last = "" }
		/^ *[0-9a-f]+ [^ ]+ \(/ { last = $2; next }
		{ end() }
		END { end(); print n ? 100 * cut / n : "none" }'
}
if command -v sqlite3 >/dev/null; then
	q='WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c WHERE x<60000)
		SELECT count(DISTINCT x%1000), max(printf("%d",x)) FROM c;'
	perfctl record -q -g dwarf -o sql -- sqlite3 :memory: "$q" >/dev/null
	perfctl record -q -g fp -o sqlfp -- sqlite3 :memory: "$q" >/dev/null
	within "sqlite3: percent of chains that are cut, -g dwarf" "$(cut_share sql)" 0 2
	within "sqlite3: ... -g fp" "$(cut_share sqlfp)" 5 100
else
	skip "sqlite3" "is not installed"
fi
finish
