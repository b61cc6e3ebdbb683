#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# report --html in a headless Chromium; run by "run" behind trace_tests.sh.
. "$(dirname "$0")/../../lib/tap.bash"
p=$OUT/tools/perfctl
cd "$OUT/traces" || exit 1
profile=$(mktemp -d)
trap 'rm -rf "$profile"' EXIT

# page HASH FILE: what the browser made of it, as HTML
page() {
	timeout 120 chromium --headless=new --no-sandbox --disable-gpu --user-data-dir="$profile" \
		--window-size=1200,900 --timeout=20000 --dump-dom "file://$PWD/$2#$1" 2>"$2.log"
}

# has NAME REGEX FILE: grep with a result
has() {
	grep -qE -- "$2" "$3"
	result $? "$1"
}

hasnot() {
	! grep -qE -- "$2" "$3"
	result $? "$1"
}

"$p" report --html flat.html flat 2>/dev/null
result $? "report --html writes a page"
hasnot "... that loads nothing from elsewhere" '(src|href)="?(https?:)?//|@import|url\(|fetch\(|XMLHttpRequest|import\(' flat.html
"$p" report --html - flat 2>/dev/null | cmp -s - flat.html
result $? "... the same to the standard output"
"$OUT/mktrace" markup markup 100 && "$p" report --html markup.html markup 2>/dev/null
has "names end no script" '^<script id="data"' markup.html
# shellcheck disable=SC2016
result "$(grep -c '</script>' markup.html | grep -qx 2; echo $?)" "... there are two scripts and no third end"
hasnot "nothing is folded where all can be shown" '"rest": [1-9]|"\(rest\)"' flat.html
"$OUT/mktrace" random random 200000
kib=$(/usr/bin/python3 -c 'import os, subprocess, sys
process = subprocess.Popen(sys.argv[1:], stderr=subprocess.DEVNULL)
print(os.wait4(process.pid, 0)[2].ru_maxrss)' "$p" report --html random.html random)
echo "# the page of 200,000 different chains was made in $kib KiB"
# a third of it with sanitizers off, and twice as much if each function had a node
result "$([ "$kib" -lt 500000 ]; echo $?)" "... in memory that the recording's chains need anyway"
has "chains that never come twice: the page knows what was folded" '"rest": [1-9][0-9.]*' random.html
has "... and has it as a function" '"\(rest\)"' random.html
result "$([ "$(stat -c %s random.html)" -lt 3000000 ]; echo $?)" "chains that never come twice: the page is smaller than 3 MB"
"$p" report --html chains.html chains 2>/dev/null
"$p" report --html sched.html sched 2>/dev/null
"$p" report --html empty.html empty 2>/dev/null

# what waited is in an event of its own, and what woke it in another; each is ns
"$OUT/mktrace" waiting.trace sums 10 -1
"$p" report --html waiting.html waiting.trace 2>/dev/null
has "waits: wall-clock time, with the wait that has not ended" \
	'"name": "wall-clock time", "weight": 25700000, "samples": 11, "ns": true' waiting.html
has "... and what woke, of the waits that something ended" \
	'"name": "time waited, by what woke", "weight": 25000000, "samples": 10, "ns": true' waiting.html
hasnot "without waits there are none of these" '"ns": true' flat.html

if ! command -v chromium >/dev/null; then
	skip "the page in a browser" "chromium is not installed"
	finish
fi
page "view=table" flat.html >table.dom
has "browser: the script ran to its end" 'data-ready="[0-9]+"' table.dom
has "browser: a table with shares" '<td class="n">50\.00 %</td>.*alpha' table.dom
has "browser: the status line" 'id="status"[^>]*><b>cpu-clock</b> +1,000 samples' table.dom
page "view=table&event=1" waiting.html >wakers.dom
has "browser: wakers are told by their functions" '<td class="n">50\.00 %</td>.*pipe_write' wakers.dom
has "browser: the status line of times" 'id="status"[^>]*><b>time waited, by what woke</b> +25\.0+ ms of threads' wakers.dom
page "view=icicle&q=alpha" chains.html >search.dom
has "browser: a search says its share" '[0-9.]+ % match' search.dom
page "view=tree" chains.html >tree.dom
has "browser: a call tree with levels" 'aria-level="1" aria-expanded="false"' tree.dom
page "view=table&time=0-250000" flat.html >part.dom
has "browser: a span of time" 'samples +· +from 0 ns to 25[0-9.]+ µs' part.dom
hasnot "... has a part of the samples" '<b>cpu-clock</b> +1,000 samples' part.dom
page "view=tree" markup.html >markup.dom
has "browser: hostile names are text" '&lt;/script&gt;&lt;b id=x&gt;' markup.dom
hasnot "... and no elements" '<b id="?x|<img' markup.dom
has "... and run nothing" '<title>mktrace' markup.dom
page "view=flame" random.html >random.dom
ms=$(grep -oE 'data-ready="[0-9]+"' random.dom | tr -dc 0-9)
echo "# first picture of 200,000 different chains after ${ms:-no} ms"
result "$([ "${ms:-99999}" -lt 5000 ]; echo $?)" "browser: chains that never come twice are shown at once"
has "browser: ... and what was folded is told" 'too rare to be shown, as \(rest\): *<b[^>]*>[1-9][0-9.]* %' random.dom
page "" sched.html >sched.dom
has "browser: a recording of tracepoints only" 'sched:sched_switch \(10\)' sched.dom
page "" empty.html >empty.dom
has "browser: an empty recording says so" 'No samples' empty.dom
finish
