# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
# perfctl agent: what it samples gets to the store once, whatever happens to either; and what it
# says of itself to Prometheus and to pprof.

# waiting DIR: samples of the batches in a spool, by their names
waiting() {
	find "$1" -name '*-*.*' -printf '%f\n' | sed 's/.*-//; s/[.].*//' | awk '{ n += $1 } END { print n + 0 }'
}

# number FILE WORDS: the one before these
number() { sed -n "s/.* \([0-9]*\) $2.*/\1/p" "$1" | tail -n 1; }

# once DATABASE DIR N: so many samples are in the store or wait; of a batch that was being sent when an
# agent ended, both may be true
once() {
	local both doubt
	both=$(($(samples_in "$1") + $(waiting "$2")))
	doubt=$(find "$2" -name '*.sent' -printf '%f\n' | sed 's/.*-//; s/[.].*//')
	echo "$both, of which ${doubt:-0} are in doubt, of $3"
	[ "$both" = "$3" ] || [ $((both - ${doubt:-0})) = "$3" ]
}

# all_sent DIR: nothing waits
all_sent() { [ "$(waiting "$1")" = 0 ]; }

# Where other suites keep the CPUs busy, there is something to sample without these.
load=()
for _ in 1 2; do
	# a program of its own: a subshell has the name by which this test was started
	nice -n 19 bash -c 'while :; do :; done' &
	load+=($!)
done

# ---- to the store, and nothing else
url=$(new_db agent)
perfctl agent "$url" -F 199 --spool spool1 --interval 1s --timeout 4s --host a1 2> said
taken=$(number said samples,)
within "samples of programs" "$taken" 100 100000
before=$(sql "$http1" agent <<< 'SELECT sum(samples) FROM pev_rows')
says "the rest is the next agent's" 0 "the store has [1-9]" perfctl agent "$url" -F 1 --spool spool1 --timeout 3s --host a2
ok "then nothing waits that is older" test "$(find spool1 -name '*.sent' | wc -l)" = 0
within "all that was sampled is there" "$(samples_in agent)" "$before" 1000000
says "by service, host and program" 0 "a1 +.* bash" perfctl report --from "$url" --sort host,service,comm -g none

# ---- an agent that takes more than it may: no CPU is what none can do with
url=$(new_db shed)
read -r port <<< "$(free_ports 1)"
perfctl agent "$url" -F 640 --cpu-limit 0 --spool spool9 --interval 300ms --metrics "127.0.0.1:$port" --host s1 2> said &
agent=$!
ok "an agent above its limit samples less often, and says so" until_true 60 grep -q \
	'took [0-9.]* % of a CPU, more than --cpu-limit, 0.00 %: it samples 64 times less often' said
ok "by halves" test "$(grep -c 'times less often than asked for' said)" = 6
thin() { python3 -c "import urllib.request as u; print(u.urlopen('http://127.0.0.1:$port/metrics').read().decode())" | grep -qx 'perfctl_agent_rate_divisor 64'; }
ok "its metrics have it" until_true 20 thin
kill -TERM $agent
wait $agent 2> /dev/null
perfctl agent "$url" -F 1 --cpu-limit 1000 --spool spool9 --interval 300ms --timeout 3s --host s2 2> said
ok "one below its limit does not" test "$(grep -c 'less often' said)" = 0
ratio=$(sql "$http1" shed <<< "SELECT max(weight) / min(weight) FROM pev_rows WHERE samples = 1 AND host GLOBAL IN (SELECT id FROM pev_names WHERE name = 's1')")
ok "in the store, each sample stands for its own time" grep -qx -e 2 -e 4 -e 8 -e 16 -e 32 -e 64 <<< "$ratio"
says "and who asks is told" 0 "^note: s1 was sampled less often than asked for" perfctl report --from "$url" -g none

# ---- programs that begin all the time: nothing is lost, or what runs is read again
gcc -O1 -o storm "$here/storm.c"
url=$(new_db storm)
read -r port <<< "$(free_ports 1)"
metric() { python3 -c "import urllib.request as u; print(u.urlopen('http://127.0.0.1:$port/metrics').read().decode())" | awk -v n="$1" '$1 == n { print $2 }'; }
# grown NAME: a metric is more than 0
grown() { awk -v v="$(metric "$1")" 'BEGIN { exit !(v > 0) }'; }
perfctl agent "$url" -F 199 --cpu-limit 1000 --spool spool10 --interval 1s --metrics "127.0.0.1:$port" 2> said &
agent=$!
until_true 20 grown perfctl_agent_samples_total
./storm fork & storms=($!)
./storm exec & storms+=($!)
sleep 4
kill "${storms[@]}"
wait "${storms[@]}" 2> /dev/null
kill -TERM $agent
wait $agent
lost=$(number said 'records lost')
echo "# $lost records were lost"
ok "a storm of processes: records of it are not lost by the thousand" test "$lost" -lt 5000

# so little that the kernel is soon told not to tell of processes, and how the agent knows them then
url=$(new_db blind)
read -r port <<< "$(free_ports 1)"
printf 'int main(void) { for (volatile long i = 0; ; i++) ; }\n' > begun.c
gcc -O1 -o begun begun.c
perfctl agent "$url" -F 199 --cpu-limit 0.02 --spool spool11 --interval 500ms --metrics "127.0.0.1:$port" 2> said &
agent=$!
until_true 20 grown perfctl_agent_samples_total
./storm map & storms=($!)
ok "more than it may follow: it is told of no process for a while" until_true 60 grown perfctl_agent_unwatched_seconds_total
ok "which it says" until_true 20 grep -q "faster than the agent may follow within --cpu-limit, 0.02 %" said
./begun & storms+=($!)
ok "what is sampled it reads from /proc" until_true 60 grown perfctl_agent_reread_processes_total
has_begun() { perfctl report --from "$url" -g none --stdio 2> /dev/null | grep -Eq ' begun +begun .*main'; }
ok "so that it knows a program that has begun meanwhile" until_true 60 has_begun
ok "samples go on" grown perfctl_agent_sent_samples_total
kill "${storms[@]}"
wait "${storms[@]}" 2> /dev/null
kill -TERM $agent
wait $agent

# ---- code that a process makes: its names are there while it lives
url=$(new_db jit)
python3 "$here/jit.py" > jit.pid &
jit=$!
until_true 20 test -s jit.pid
perfctl agent -q "$url" -F 199 --spool spool6 --interval 1s --timeout 3s
perfctl agent -q "$url" -F 1 --spool spool6 --interval 1s --timeout 3s
kill $jit
wait $jit 2> /dev/null
rm -f "/tmp/perf-$(cat jit.pid).map"
says "code without a file has its name" 0 "jit +.*LazyCompile:\*spin app.js:7" perfctl report --from "$url" -g none

# ---- the store is away
url=$(new_db outage)
stop_engines "$work/ch1"
perfctl agent "$url" -F 199 --spool spool2 --interval 300ms --timeout 3s 2> said
taken=$(number said samples,)
ok "the store away: all waits in the spool" test "$(waiting spool2)" = "$taken"
clickhouse_start "$work/ch1" "$http1"
perfctl agent "$url" -F 199 --spool spool2 --interval 300ms --timeout 4s 2> said2
more=$(number said2 samples,)
ok "the store back: each sample is there or waits, once" once outage spool2 $((taken + more))
within "most of it is there" "$(samples_in outage)" "$taken" 1000000

# ---- SIGKILL between the store's insert and its answer
url=$(new_db sigkill)
coproc PROXY { exec python3 "$here/proxy.py" "$http1" 'INSERT%20INTO%20pev_rows' "$work/victim"; }
read -r -u "${PROXY[0]}" proxy
(
	echo $BASHPID > victim
	exec perfctl agent -q "http://127.0.0.1:$proxy/sigkill" -F 199 --spool spool3 --interval 500ms
) 2> /dev/null
ok "the agent is killed in the middle" test $? = 137
doubt=$(find spool3 -name '*.sent' -printf '%f\n' | sed 's/.*-//; s/[.].*//')
ok "the store has a batch that the spool has, too" test "$(samples_in sigkill)" = "$doubt"
older=$(waiting spool3)
perfctl agent "http://127.0.0.1:$proxy/sigkill" -F 199 --spool spool3 --interval 500ms --timeout 4s 2> said
more=$(number said samples,)
ok "after the next agent each sample counts once" once sigkill spool3 $((older + more))
says "the first attempt is void" 0 "^[1-9][0-9]* rows are void" perfctl store check "$store/sigkill"
kill "$PROXY_PID" 2> /dev/null
wait "$PROXY_PID" 2> /dev/null

# ---- no room
perfctl agent "http://127.0.0.1:1/x" -F 499 --spool spool4 --spool-size 96K --interval 300ms --timeout 4s 2> said
within "a full spool loses its oldest batches" "$(number said 'were dropped')" 1 100000
ok "it counts them: nothing else is missing" test \
	$(($(waiting spool4) + $(number said 'were dropped'))) = "$(number said samples,)"
within "and keeps to its size" "$(du -b --apparent-size spool4/*-*.* | awk '{ n += $1 } END { print n }')" 1 98304
mkdir small
if mount -t tmpfs -o size=128k tmpfs small 2> /dev/null; then
	perfctl agent "http://127.0.0.1:1/x" -F 499 --spool small/spool --interval 300ms --timeout 4s 2> said
	ok "a full disk: the same" test \
		$(($(waiting small/spool) + $(number said 'were dropped'))) = "$(number said samples,)"
	umount small
else
	skip "a full disk: the same" "this needs root"
fi

# ---- what it says of itself
url=$(new_db metrics)
read -r port prom <<< "$(free_ports 2)"
perfctl agent -q "$url" --spool spool5 --interval 1s --metrics "127.0.0.1:$port" \
	--count context-switches,page-faults 2> said &
agent=$!
until_true 20 python3 -c "import urllib.request as u; u.urlopen('http://127.0.0.1:$port/metrics')"
get() { python3 -c "import sys, urllib.request as u; sys.stdout.buffer.write(u.urlopen(sys.argv[1], timeout=60).read())" "$1"; }
counted() { get "http://127.0.0.1:$port/metrics" | awk -v n="$1" '$1 == n { print $2 }'; }
sent() { [ "$(counted perfctl_agent_sent_samples_total)" -gt 0 ]; }
ok "/metrics says when the store has something" until_true 30 sent
get "http://127.0.0.1:$port/metrics" > metrics
says "promtool finds nothing wrong" 0 "^\$" bash -c '"$0" run promtool check metrics < metrics; s=$?; echo; exit $s' "$here/engines"
# of all CPUs: each program that begins here makes some
before=$(counted 'perfctl_event_total{event="context-switches"}')
for _ in 1 2 3 4 5; do python3 -c ''; done
within "what is counted goes on" "$(counted 'perfctl_event_total{event="context-switches"}')" $((before + 5)) 1000000000000
ok "and is exact: it takes no turns" test "$(counted 'perfctl_event_bound{event="page-faults"}')" = 0 -a \
	"$(counted 'perfctl_event_counted_ratio{event="page-faults"}')" = 1
says "--count needs a place where it is shown" 2 "needs --metrics" perfctl agent "$url" --spool spool5 --count page-faults
within "memory of the agent, bytes" "$(counted perfctl_agent_resident_bytes)" 1000000 67108864
says "nothing else is there" 1 "404" get "http://127.0.0.1:$port/etc/passwd"
says "a time that makes no sense" 1 "400" get "http://127.0.0.1:$port/debug/pprof/profile?seconds=-1"
ok "pprof reads /debug/pprof/profile" go tool pprof -timeout 60 -raw -output raw "http://127.0.0.1:$port/debug/pprof/profile?seconds=1"
ok "it has samples" grep -q ' cpu-clock/' raw
mkdir prom
cp "$top"/tools/perfctl/prometheus/* "$here/rules_test.yml" prom/
says "promtool takes the rules" 0 "SUCCESS" "$here/engines" run promtool check rules prom/perfctl.rules.yml
says "they make of known series what they should" 0 "SUCCESS" "$here/engines" run promtool test rules prom/rules_test.yml
cat > prom/prometheus.yml <<-EOF
	global: { scrape_interval: 1s, evaluation_interval: 1s }
	rule_files: [ perfctl.rules.yml ]
	scrape_configs: [ { job_name: pev, static_configs: [ { targets: [ "127.0.0.1:$port" ] } ] } ]
EOF
"$here/engines" run prometheus --config.file=prom/prometheus.yml --storage.tsdb.path=prom/data \
	--web.listen-address="127.0.0.1:$prom" > prom/out 2>&1 &
echo $! > prom/pid
engines+=("$work/prom")
# has_metric NAME: Prometheus has scraped it
has_metric() {
	get "http://127.0.0.1:$prom/api/v1/query?query=$1" |
		python3 -c 'import json, sys; sys.exit(not json.load(sys.stdin)["data"]["result"])'
}
ok "Prometheus scrapes it" until_true 60 has_metric perfctl_agent_samples_total
ok "and what services took" until_true 60 has_metric perfctl_service_cpu_seconds_total
ok "rules make CPUs of services of it" until_true 60 has_metric service:perfctl_cpus:rate5m
ok "and switches a second" until_true 60 has_metric instance:perfctl_context_switches:rate5m
# what the dashboard asks, Prometheus understands; of names, only those of hardware are missing here, once
# all rules have seen two values that differ
cat > ask.py <<-'EOF'
	import json, sys, urllib.parse, urllib.request
	for panel in json.load(open(sys.argv[2]))['panels']:
	    for target in panel['targets']:
	        expr = target['expr'].replace('$instance', '.*')
	        url = f'http://127.0.0.1:{sys.argv[1]}/api/v1/query?query=' + urllib.parse.quote(expr)
	        answer = json.load(urllib.request.urlopen(url, timeout=60))
	        print(answer['status'], len(answer['data']['result']), panel['title'])
EOF
missing() { awk '$2 == 0 && !/Instructions|Mispredicted/' asked; }
all_there() {
	python3 ask.py "$prom" "$top/tools/perfctl/prometheus/dashboard.json" > asked
	[ -z "$(missing)" ]
}
until_true 60 all_there
result $? "only what processors count is not there" "$(missing)"
ok "Prometheus answers all that the dashboard asks" test "$(grep -c ^success asked)" = 10 -a "$(wc -l < asked)" = 10
# Grafana itself is not in Debian: what it needs of each panel, and that variables are there
python3 - "$top/tools/perfctl/prometheus/dashboard.json" <<-'EOF'
	import json, re, sys
	d = json.load(open(sys.argv[1]))
	assert d['title'] and d['uid'] and d['schemaVersion'] >= 36
	known = {v['name'] for v in d['templating']['list']}
	taken = set()
	assert len({p['id'] for p in d['panels']}) == len(d['panels'])
	for p in d['panels']:
	    g = p['gridPos']
	    cells = {(x, y) for x in range(g['x'], g['x'] + g['w']) for y in range(g['y'], g['y'] + g['h'])}
	    assert p['type'] == 'timeseries' and p['title'] and g['x'] + g['w'] <= 24 and not cells & taken, p['title']
	    taken |= cells
	    assert p['datasource'] == {'type': 'prometheus', 'uid': '${datasource}'}, p['title']
	    assert len({t['refId'] for t in p['targets']}) == len(p['targets']) > 0, p['title']
	    assert all(t['legendFormat'] for t in p['targets']), p['title']
	used = set(re.findall(r'\$\{?([a-z]+)', json.dumps(d['panels'])))
	assert used <= known, used - known
EOF
result $? "the dashboard has panels beside each other, and only variables that it defines"
# 19 Hz on two busy CPUs, over some seconds without the start
begin=$(counted perfctl_agent_cpu_seconds_total) start=$(date +%s%N)
sleep 5
within "the agent's own share of a CPU, %" "$(awk -v a="$begin" -v b="$(counted perfctl_agent_cpu_seconds_total)" \
	-v ns=$(($(date +%s%N) - start)) 'BEGIN { print 100 * (b - a) / (ns / 1e9) }')" 0 3
kill -TERM $agent
wait $agent
result $? "SIGTERM ends it well"
says "an address that is none" 2 "takes ADDRESS:PORT" perfctl agent "$url" --spool spool5 --metrics 9111
says "no store" 2 "URL of a store" perfctl agent
sed "s,http://.*,$url," "$top/tools/perfctl/systemd/agent.config" > agent.config
ok "its configuration is taken" env PERFCTL_CONFIG="$work/agent.config" \
	perfctl agent -q --spool spool5 --timeout 1s

# ---- services: the program of a unit is its version, and what ended keeps its name
# here only what a service does is looked at
kill -STOP "${load[@]}"
unit=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)/pev-test-$$.service
if mkdir "$unit" 2> /dev/null; then
	url=$(new_db versions)
	printf '#include <time.h>\nint main(void) { while (clock() < 3 * CLOCKS_PER_SEC) ; }\n' > work.c
	gcc -O1 -Wl,--build-id -o work1 work.c
	gcc -O2 -DSECOND -g -Wl,--build-id -o work2 work.c
	build() { readelf -n "$1" | awk '/Build ID/ { print substr($3, 1, 12) }'; }
	read -r port <<< "$(free_ports 1)"
	for release in 1 2; do
		# so often that there are samples of an exec before its program is mapped
		perfctl agent -q "$url" -F 1000 --cpu-limit 1000 --spool spool8 --interval 1m --metrics "127.0.0.1:$port" --host v &
		agent=$!
		until_true 20 grown perfctl_agent_samples_total
		# as what makes services does, it takes time before it is in the cgroup, and there before it
		# becomes the program, which ends before the batch is made
		bash -c "takes_time() { for ((i = 0; i < 100000; i++)); do :; done; }
			takes_time; echo \$\$ > '$unit/cgroup.procs'; takes_time; exec ./work$release"
		kill -TERM $agent
		wait $agent
	done
	perfctl agent -q "$url" -F 1 --spool spool8 --interval 1m &
	agent=$!
	ok "what was sampled is sent" until_true 60 all_sent spool8
	kill -TERM $agent
	wait $agent
	for release in 1 2; do
		says "release $release has the build id of its program" 0 "work$release" perfctl report --from "$url" -g none \
			--where "service = \"pev-test-$$\" and version = \"build $(build work$release)\"" --sort comm
	done
	rmdir "$unit"
else
	skip "versions of services" "there is no cgroup to be made"
fi

kill -CONT "${load[@]}"

# ---- as a service
sed "s,@bindir@,${BUILD:-$top/build}/$machine/tools," "$top/tools/perfctl/systemd/perfctl-agent.service.in" \
	> perfctl-agent.service
if command -v systemd-analyze > /dev/null; then
	says "systemd finds nothing wrong with its unit" 0 "^done\$" bash -c \
		'systemd-analyze verify --man=no "$PWD/perfctl-agent.service" && echo done'
	# 10 times what it prints: 0 is a program that may do nothing
	within "and that it may do little (exposure, tenths)" "$(systemd-analyze security --offline=true "$PWD/perfctl-agent.service" 2> /dev/null |
		sed -n 's/.*Overall exposure level.*: \([0-9.]*\) .*/\1/p' | tr -d .)" 0 35
else
	skip "the unit" "there is no systemd-analyze"
fi
# with the capabilities of the unit and no other, as root without them is nobody
caps=$(sed -n 's/^CapabilityBoundingSet=//p' perfctl-agent.service | tr '[:upper:]' '[:lower:]' | sed 's/cap_/+/g; s/ /,/g')
url=$(new_db service)
if [ "$(id -u)" = 0 ]; then
	# what is in the kernel most of the time
	dd if=/dev/zero of=/dev/null bs=64 status=none &
	load+=($!)
	setpriv --bounding-set="-all,$caps" --inh-caps=-all --no-new-privs \
		perfctl agent "$url" -F 199 --spool spool7 --interval 1s --timeout 3s 2> said
	within "with the unit's capabilities it samples all" "$(number said samples,)" 100 100000
	perfctl agent -q "$url" -F 1 --spool spool7 --interval 1s --timeout 2s
	says "and knows functions of the kernel" 0 "\[k\] [a-z_]+" perfctl report --from "$url" -g none
else
	skip "the unit's capabilities" "this needs root"
fi
echo "machine 127.0.0.1 login keeper password \"open sesame\"" > credentials
chmod 644 credentials
says "credentials that others may read are refused" 77 "chmod 600" perfctl agent "$url" --spool spool7 --timeout 1s --credentials credentials
kill "${load[@]}"
wait "${load[@]}" 2> /dev/null
