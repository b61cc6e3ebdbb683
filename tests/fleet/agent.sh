# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
# perfctl agent: what it samples gets to the store once, whatever happens to either; and what it
# says of itself to Prometheus and to pprof.

# samples_in DATABASE: those that count
samples_in() {
	sql "$http1" "$1" <<< 'SELECT sum(samples) FROM pev_rows WHERE batch NOT IN (SELECT batch FROM pev_voids)'
}

# waiting DIR: samples of the batches in a spool, by their names
waiting() {
	find "$1" -name '*-*.*' -printf '%f\n' | sed 's/.*-//; s/[.].*//' | awk '{ n += $1 } END { print n + 0 }'
}

# number FILE WORDS: the one before these
number() { sed -n "s/.* \([0-9]*\) $2.*/\1/p" "$1" | tail -n 1; }

# all_sent DIR: nothing waits
all_sent() { [ "$(waiting "$1")" = 0 ]; }

# new_db NAME: its URL
new_db() {
	sql "$http1" <<< "CREATE DATABASE $1"
	perfctl store init "$store/$1"
	echo "$store/$1"
}

load=()
for _ in 1 2; do
	# a program of its own: a subshell has the name by which this test was started
	bash -c 'while :; do :; done' &
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
ok "the store back: each sample is there or waits, once" test \
	$(($(samples_in outage) + $(waiting spool2))) = $((taken + more))
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
ok "after the next agent each sample counts once" test \
	$(($(samples_in sigkill) + $(waiting spool3))) = $((older + more))
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
perfctl agent -q "$url" --spool spool5 --interval 1s --metrics "127.0.0.1:$port" 2> said &
agent=$!
until_true 20 python3 -c "import urllib.request as u; u.urlopen('http://127.0.0.1:$port/metrics')"
get() { python3 -c "import sys, urllib.request as u; sys.stdout.buffer.write(u.urlopen(sys.argv[1], timeout=60).read())" "$1"; }
counted() { get "http://127.0.0.1:$port/metrics" | awk -v n="$1" '$1 == n { print $2 }'; }
sent() { [ "$(counted perfctl_agent_sent_samples_total)" -gt 0 ]; }
ok "/metrics says when the store has something" until_true 30 sent
get "http://127.0.0.1:$port/metrics" > metrics
says "promtool finds nothing wrong" 0 "^\$" bash -c '"$0" run promtool check metrics < metrics; s=$?; echo; exit $s' "$here/engines"
within "memory of the agent, bytes" "$(counted perfctl_agent_resident_bytes)" 1000000 67108864
says "nothing else is there" 1 "404" get "http://127.0.0.1:$port/etc/passwd"
says "a time that makes no sense" 1 "400" get "http://127.0.0.1:$port/debug/pprof/profile?seconds=-1"
ok "pprof reads /debug/pprof/profile" go tool pprof -raw -output raw "http://127.0.0.1:$port/debug/pprof/profile?seconds=1"
ok "it has samples" grep -q ' cpu-clock/' raw
mkdir prom
cat > prom/prometheus.yml <<-EOF
	global: { scrape_interval: 1s }
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
kill "${load[@]}"
wait "${load[@]}" 2> /dev/null
