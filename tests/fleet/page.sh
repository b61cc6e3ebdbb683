# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
# perfctl report --html --from: a page with time, host and service to choose from; what it leaves
# together, and names of other machines that are no HTML.

sql "$http1" <<< 'CREATE DATABASE page'
url=$store/page
perfctl store init "$url"
perfctl record -q -e cpu-clock -c 1000000 -g -o web -- python3 -c 'print(sum(i * i for i in range(10**6)))' > /dev/null 2>&1
perfctl record -q -e cpu-clock -c 1000000 -g -o db -- sh -c 'ls -R /usr/share | sort' > /dev/null 2>&1
evil=$'</script><script>document.title="owned"</script><img src=x onerror=document.title="owned"> \e[31m &lt;b&gt;'
ok "two services of two hosts" perfctl push -q "$url" web --service web --host web-1
ok "one of which has a hostile name" perfctl push -q "$url" db --service "$evil" --host "$evil"
# asked DATABASE QUERY
asked() { sql "$http1" "$1" <<< "$2"; }
in_all=$(asked page 'SELECT sum(samples) FROM pev_rows')
of_web=$(asked page "SELECT sum(samples) FROM pev_rows WHERE host GLOBAL IN (SELECT id FROM pev_names WHERE name = 'web-1')")
# commas N: as a page has it
commas() { sed ':a;s/\B[0-9]\{3\}\>/,&/;ta' <<< "$1"; }

ok "report --html --from writes a page" perfctl report --from "$url" --html page.html
ok "which loads nothing from elsewhere" test \
	"$(grep -cE '(src|href)="?(https?:)?//|@import|url\(|fetch\(|XMLHttpRequest|import\(' page.html)" = 0
ok "no name ends its script, or begins one" test "$(grep -o '</script>' page.html | wc -l)" = 2 -a \
	"$(grep -o '<script' page.html | wc -l)" = 2
ok "it says what it has" grep -q '"bounds": "all 2 hosts; all 2 services; all [0-9,]* call chains"' page.html
ok "the same to the standard output" eval 'perfctl report --from "$url" --html - 2> /dev/null | grep -q "\"fleet\""'

# 60 hosts, and eight hours of what took seconds: more hosts than a page has, and more rows
sql "$http1" <<< 'CREATE DATABASE many'
perfctl store init "$store/many"
asked many "INSERT INTO pev_names SELECT * FROM page.pev_names"
asked many "INSERT INTO pev_stacks SELECT * FROM page.pev_stacks"
asked many "INSERT INTO pev_frames SELECT * FROM page.pev_frames"
asked many "INSERT INTO pev_names SELECT day, toUInt8(1), 1000 + number, concat('n-', toString(number)), '' FROM (SELECT DISTINCT day FROM pev_names) CROSS JOIN (SELECT number FROM system.numbers LIMIT 60)"
asked many "INSERT INTO pev_rows SELECT day, time - number * 30, 1000 + number % 60, service, event, stack, samples, weight, batch
	FROM page.pev_rows CROSS JOIN (SELECT number FROM system.numbers LIMIT 1000)"
rows=$(asked many 'SELECT count() FROM pev_rows')
within "many rows" "$rows" 100000 1000000000
ok "a page of them" perfctl report --from "$store/many" --since 12h --html many.html
ok "has the heaviest, and says so" grep -q '"bounds": "the 40 heaviest of 60 hosts, with [0-9.]* % of the samples; all 2 services; ' many.html
within "and is no larger for what there is" "$(stat -c %s many.html)" 50000 4000000
many_all=$(asked many 'SELECT sum(samples) FROM pev_rows')

if ! command -v chromium > /dev/null; then
	skip "the fleet's page in a browser" "chromium is not installed"
else
# page FILE HASH: what the browser makes of it
page() {
	timeout 120 chromium --headless=new --no-sandbox --disable-gpu --user-data-dir="$work/profile" \
		--window-size=1200,900 --timeout=20000 --dump-dom "file://$work/$1#$2" 2> "$1.log"
}
# has REGEX FILE
has() { grep -qE -- "$1" "$2"; }
hasnot() { ! grep -qE -- "$1" "$2"; }
page page.html "view=who" > who.dom
ok "browser: the script runs to its end" has 'data-ready="[0-9]+"' who.dom
ok "all samples are there" has "<b>cpu-clock</b>[^<]* $(commas "$in_all") samples" who.dom
ok "hosts and services are to be chosen from" has '<option value="[0-9]+">web-1 \([0-9.]+ %\)</option>' who.dom
ok "and in tables" has '<td class="f">web-1</td>' who.dom
ok "hostile names are text" has '<td class="f">&lt;/script&gt;&lt;script&gt;document' who.dom
ok "no elements" hasnot '<img|<script>document' who.dom
ok "and run nothing" hasnot '<title>owned' who.dom
page page.html "view=table&host=web-1" > host.dom
ok "a host has its samples" has "<b>cpu-clock</b>[^<]* $(commas "$of_web") samples[^<]* host web-1<" host.dom
ok "and its functions" has '<td class="f">_PyEval_EvalFrameDefault|python3' host.dom
page page.html "view=table&service=$(python3 -c 'import sys, urllib.parse; print(urllib.parse.quote(sys.argv[1]))' "${evil//$'\e'/\\x1b}")" > service.dom
ok "a service with a hostile name can be chosen" has "<b>cpu-clock</b>[^<]* $(commas $((in_all - of_web))) samples" service.dom
page page.html "view=table&host=web-1&service=nothing" > none.dom
ok "an address that names what is not there chooses all" has "<b>cpu-clock</b>[^<]* $(commas "$of_web") samples" none.dom
page page.html "view=flame&time=0-10000000000" > early.dom
ok "a time without samples has none" has '<b>cpu-clock</b>[^<]* 0 samples' early.dom
page many.html "view=who" > many.dom
ok "what is together is a host" has '<td class="f">\(other hosts\)</td>' many.dom
ok "and no sample is left out" has "<b>cpu-clock</b>[^<]* $(commas "$many_all") samples" many.dom
fi
