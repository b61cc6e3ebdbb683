# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
# Starts engines on loopback, with all that they write below $work, and asks them.

# free_ports N: that nothing listens on
free_ports() {
	python3 - "$1" <<-'EOF'
	import socket, sys
	s = [socket.create_server(('127.0.0.1', 0)) for _ in range(int(sys.argv[1]))]
	print(*(x.getsockname()[1] for x in s))
	EOF
}

# until_true SECONDS COMMAND...
until_true() {
	local end=$((SECONDS + $1))
	shift
	while ! "$@" > /dev/null 2>&1; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.05
	done
}

# sql PORT [DATABASE]: the statement on standard input; its answer
sql() {
	python3 -c '
import sys, urllib.error, urllib.request
port, db = sys.argv[1], sys.argv[2]
try:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/?database={db}",
                                sys.stdin.buffer.read(), timeout=60) as f:
        sys.stdout.buffer.write(f.read())
except (urllib.error.URLError, ConnectionError, TimeoutError) as e:
    sys.exit(e.read().decode() if hasattr(e, "read") else str(e))' "$1" "${2:-default}"
}

# Of the store $store at port $http1.

# make_db NAME: its URL
make_db() {
	sql "$http1" <<< "CREATE DATABASE $1"
	echo "$store/$1"
}

# new_db NAME: the same with tables
new_db() {
	local url
	url=$(make_db "$1")
	perfctl store init "$url"
	echo "$url"
}

# samples_in DATABASE: those that count
samples_in() {
	sql "$http1" "$1" <<< 'SELECT sum(samples) FROM pev_rows WHERE batch NOT IN (SELECT batch FROM pev_voids)'
}

# answers PORT
answers() { sql "$1" <<< 'SELECT 1'; }

# clickhouse_config DIR HTTP TCP INTER HTTPS PEER_TCP...: shards, itself and its peers
clickhouse_config() {
	local shards
	shards=$(printf '<shard><replica><host>127.0.0.1</host><port>%s</port></replica></shard>\n' "$3" "${@:6}")
	mkdir -p "$1/data" "$1/tmp" "$1/format"
	cat > "$1/config.xml" <<-EOF
	<?xml version="1.0"?>
	<yandex>
	<logger><level>warning</level><log>$1/log</log><errorlog>$1/err</errorlog></logger>
	<listen_host>127.0.0.1</listen_host>
	<http_port>$2</http_port><tcp_port>$3</tcp_port>
	<interserver_http_port>$4</interserver_http_port><https_port>$5</https_port>
	<openSSL><server><certificateFile>$work/cert.pem</certificateFile>
	<privateKeyFile>$work/key.pem</privateKeyFile>
	<verificationMode>none</verificationMode></server></openSSL>
	<path>$1/data/</path><tmp_path>$1/tmp/</tmp_path>
	<format_schema_path>$1/format/</format_schema_path>
	<users_config>$1/users.xml</users_config>
	<default_profile>default</default_profile><default_database>default</default_database>
	<mark_cache_size>100000000</mark_cache_size><keep_alive_timeout>3</keep_alive_timeout>
	<remote_servers><fleet>
	$shards
	</fleet></remote_servers>
	</yandex>
	EOF
	cat > "$1/users.xml" <<-EOF
	<?xml version="1.0"?>
	<yandex>
	<profiles><default/></profiles><quotas><default/></quotas>
	<users>
	<default><password></password><networks><ip>127.0.0.1</ip></networks>
	<profile>default</profile><quota>default</quota></default>
	<keeper><password>open sesame</password><networks><ip>127.0.0.1</ip></networks>
	<profile>default</profile><quota>default</quota></keeper>
	</users>
	</yandex>
	EOF
}

# clickhouse_start DIR HTTP: returns once it answers
clickhouse_start() {
	"$here/engines" run clickhouse-server --config-file="$1/config.xml" > "$1/out" 2>&1 &
	echo $! > "$1/pid"
	until_true 60 answers "$2"
}

# started DIR...: ends what was started there
stop_engines() {
	local dir pid
	for dir; do
		pid=$(cat "$dir/pid" 2> /dev/null) || continue
		kill -9 "$pid" 2> /dev/null
		wait "$pid" 2> /dev/null
	done
}
