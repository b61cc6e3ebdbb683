# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
# perfctl diff and timeline --from --by: of 1,000 services in a store, those are called changed that did,
# and lines show when.
# engines: none

url=$store/changes
sql "$http1" <<< "CREATE DATABASE changes"
perfctl store init "$url"

# Two hours of 1,000 services on two hosts, in windows of 10 s. Samples of a third of them come evenly,
# of a third in bursts, of a third at a rate that drifts by the minute. 20 of the even ones take half
# as much again in the second hour, one is new and one has gone then.
cat > fill.py <<'EOP'
import math, random, sys, time
random.seed(1)
now = int(time.time()) // 10 * 10
begin, rows = now - 3 * 3600, open('rows', 'w')
def poisson(mean):
    if mean > 30:
        return max(0, round(random.gauss(mean, math.sqrt(mean))))
    n, p, end = 0, random.random(), math.exp(-mean)
    while p > end:
        n, p = n + 1, p * random.random()
    return n
def day(t):
    return time.strftime('%Y-%m-%d', time.gmtime(t))
for s in range(1000):
    rate, drift = 10 ** random.uniform(-1, 1.5), random.gauss(0, 1)
    if s < 60:
        rate = 8
    for w in range(720):
        t = begin + 10 * w
        mean = rate
        if s % 3 == 1:
            mean *= random.expovariate(1)
        if s % 3 == 2:
            mean *= math.exp(0.5 * drift - 0.125)
        drift = 0.967 * drift + 0.254 * random.gauss(0, 1)
        if w >= 360 and s < 60 and s % 3 == 0:
            mean *= 1.5
        if (s == 300 and w < 360) or (s == 303 and w >= 360):
            mean = 0
        n = poisson(mean)
        if n:
            print(day(t), t, 1 + w % 2, s + 1, 7, 9, n, n * 52631579, 1, sep='\t', file=rows)
with open('names', 'w') as names:
    for t in {day(begin), day(now)}:
        print(t, 3, 7, 'cpu-clock', 'timer', sep='\t', file=names)
        for h in (1, 2):
            print(t, 1, h, f'host-{h}', '', sep='\t', file=names)
        for s in range(1000):
            kind = 'grown' if s < 60 and s % 3 == 0 else 'new' if s == 300 else 'gone' if s == 303 else 'same'
            print(t, 2, s + 1, f'{kind}-{s}', '1.%d' % (s % 2), sep='\t', file=names)

EOP
python3 fill.py
{ echo "INSERT INTO pev_rows FORMAT TabSeparated"; cat rows; } | sql "$http1" changes
{ echo "INSERT INTO pev_names FORMAT TabSeparated"; cat names; } | sql "$http1" changes
within "the store has rows" "$(sql "$http1" changes <<< 'SELECT count() FROM pev_rows')" 400000 720000
begin=$(sql "$http1" changes <<< 'SELECT min(time) FROM pev_rows')
at() { date -u -d "@$((begin + $1))" '+%Y-%m-%d %H:%M:%S'; }
spans=(--from "$url" --before "$(at 0)..$(at 3600)" --after "$(at 3600)..$(at 7200)")

perfctl diff "${spans[@]}" --by service --csv > by.csv
rows() { awk -F, -v p="$1" 'NR > 1 && $1 ~ "^" p "-" { n++ } END { print n + 0 }' by.csv; }
within "services that grew are found" "$(rows grown)" 19 20
ok "and what is new, and what has gone" test "$(rows new)$(rows gone)" = 11
within "of the others at most 1 % are called changed" "$(rows same)" 0 9
perfctl diff "${spans[@]}" --by service --all --csv > by.csv
ok "--all has all of them" test "$(wc -l < by.csv)" = 1001
# 8 samples of 52,631,579 ns in 10 s
within "in CPUs (thousandths)" "$(awk -F, '$1 == "grown-0" { printf "%d", 1000 * $2 }' by.csv)" 38 46
within "... half as much again (percent)" "$(awk -F, '$1 == "grown-0" { printf "%d", $6 }' by.csv)" 35 65
ok "what they are made of is what the store has" test "$(awk -F, 'NR > 1 { n += $7 + $8 } END { print n }' by.csv)" = \
	"$(sql "$http1" changes <<< 'SELECT sum(samples) FROM pev_rows')"
says "as text" 0 "CPUs, each with its standard error by blocks of 240 s" perfctl diff "${spans[@]}" --by service
says "... new ones first" 0 "new .*<0[.]0001 +new-300" perfctl diff "${spans[@]}" --by service
ok "as JSON" test "$(perfctl diff "${spans[@]}" --by service -j | python3 -c 'import json, sys
j = json.load(sys.stdin)
print(j["compared"], j["unit"], sum(r["service"].startswith("grown") and r["p"] <= 0.05 for r in j["rows"]) >= 19)')" = "1000 CPUs True"
says "by host and version" 0 "host +version" perfctl diff "${spans[@]}" --by host,version --all
ok "hosts do not differ" test "$(perfctl diff "${spans[@]}" --by host --all --csv | wc -l)" = 3
says "--where chooses" 0 "^# 0 of 1 changed|grown-0$" perfctl diff "${spans[@]}" --by service --where 'service = "grown-0"'
says "another label is refused" 2 "host, service and version" perfctl diff "${spans[@]}" --by program
says "of functions nothing is known there" 2 "leave out --sort" perfctl diff "${spans[@]}" --by service --sort symbol
says "of recordings neither" 2 "compares what a store has" perfctl diff --by service one two
says "a span that is too short" 2 "a minute and more" perfctl diff "${spans[@]}" --after "$(at 3600)..$(at 3620)" --by service
says "spans that can't be compared" 2 "40 times as long" perfctl diff "${spans[@]}" --before "$(at 0)..$(at 3600)" \
	--after "$(at 3600)..$(at 3670)" --by service
says "an event that is not there" 1 "no samples of cycles" perfctl diff "${spans[@]}" --by service -e cycles

# ---- when
when=(--from "$url" --since "$(at 0)" --until "$(at 7200)")
perfctl timeline "${when[@]}" -j --width 100 -m 1000 > course.json
ok "timeline --from has all services, and all samples" test "$(python3 -c 'import json
j = json.load(open("course.json"))
print(j["unit"], len(j["rows"]), sum(r["samples"] for r in j["rows"]))')" = \
	"CPUs 1000 $(sql "$http1" changes <<< 'SELECT sum(samples) FROM pev_rows')"
ok "columns add up to what the samples stand for" python3 -c 'import json
j = json.load(open("course.json"))
for r in j["rows"]:
    seconds = sum(r["columns"]) * j["step"]
    assert abs(seconds - r["samples"] * 0.052631579) < 1e-3 * seconds + 1e-3, r'
ok "one that is new has nothing before, and one that has gone nothing after" python3 -c 'import json
rows = {r["service"]: r["columns"] for r in json.load(open("course.json"))["rows"]}
half = len(rows["new-300"]) // 2
assert not any(rows["new-300"][:half - 1]) and all(rows["new-300"][half + 1:])
assert all(rows["gone-303"][:half - 1]) and not any(rows["gone-303"][half + 1:])'
ok "as text, full while it was there, and empty then" python3 - "$(perfctl timeline "${when[@]}" --width 100 \
	--where 'service = "gone-303"')" <<-'EOP'
	import re, sys
	line = sys.argv[1].splitlines()[-1]
	assert re.fullmatch(r' +[0-9.]+ +[0-9.]+ [▂-█]{25,27}▁? {24,28}  gone-303', line), line
	EOP
says "by host" 0 "host-2" perfctl timeline "${when[@]}" --by host
says "--most" 0 "^# 997 more" perfctl timeline "${when[@]}" -m 3
within "no line is wider than the screen" "$(perfctl timeline "${when[@]}" --width 100 | LC_ALL=C.UTF-8 wc -L)" 80 100
says "a store has no threads" 2 "leave --threads out" perfctl timeline "${when[@]}" --threads
says "--by is of a store" 2 "asked of a store" perfctl timeline --by service one
says "--from beside a recording" 2 "takes the place" perfctl timeline "${when[@]}" one
