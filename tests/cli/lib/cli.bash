# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What the end-to-end tests of perfctl share. Each test sources this, works in
# a fresh directory below /tmp and ends with "finish".
# As root, with perfctl on PATH, on a kernel with pev unless ANY_ENGINE is set. Each says
# by which engines it holds, in a line "# engines: pev perf"; PEV_ENGINE is the one of this
# run, if it is not perfctl's own choice.

lib=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$lib/../../lib/tap.bash"
. "$lib/../../lib/build.bash"
work=$(mktemp -d /tmp/pev-cli.XXXXXX)
chmod 755 "$work"
cd "$work" || exit 1
trap 'cd /; rm -rf "$work"' EXIT

if [ -n "${PEV_ENGINE:-}" ]; then
	printf "[%s]\nengine = $PEV_ENGINE\n" doctor list record stat top trace >config
	export PERFCTL_CONFIG=$work/config
fi
if ! command -v perfctl >/dev/null; then
	skip_all "perfctl is not on PATH"
fi
perfctl doctor --engine pev >/dev/null 2>&1
if [ $? = 69 ] && [ -z "${ANY_ENGINE:-}" ]; then
	skip_all "the running kernel has no pev"
fi

# on_one_cpu COMMAND...: on the first that may be used
on_one_cpu() { taskset -c "$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')" "$@"; }

# share DIR SYMBOL: percent of the samples
share() {
	perfctl report -g none --percent-limit 0 --sort symbol -i "$1" 2>/dev/null |
		awk -v s="$2" '$NF == s { sub("%", "", $1); print $1; found = 1 }
			END { if (!found) print 0 }'
}

# records DIR EVENT: how many script prints
records() {
	perfctl script -F event -e "$2" -i "$1" 2>/dev/null | wc -l
}

# stat_value EVENT FILE: from -x , output
stat_value() {
	awk -F, -v e="$1" '$3 == e { print $1 }' "$2"
}

# build NAME [DIR]: the program NAME of DIR, lib/ unless it is given
build() {
	if [ -x "${PEV_PROGRAMS:-}/$1" ]; then
		cp "$PEV_PROGRAMS/$1" .
	else
		compile_program "${2:-$lib}" "$1" "$1" || skip_all "no C compiler"
	fi
}

# has_records DIR EVENT: something of it is on the disk
has_records() { [ "$(records "$1" "$2")" -gt 0 ]; }

# until_ok COMMAND...: tries it again and again, for a minute
until_ok() {
	local tries
	for tries in {1..1200}; do
		! "$@" 2>/dev/null || return 0
		sleep 0.05
	done
	echo "# not in $((tries / 20)) s: $*"
	return 1
}

# ran PID: the hundredths of a second that it had of a processor
ran() { sed 's/.*) //' "/proc/$1/stat" | awk '{ print $12 + $13 }'; }

# let_run PID HUNDREDTHS: waits until it had so many more, which a busy machine may take long to give
let_run() {
	local end
	end=$(($(ran "$1") + $2))
	had_it() { [ "$(ran "$1")" -ge "$2" ]; }
	until_ok had_it "$1" "$end"
}

# The numbers of a line "... N WORD"
number_of() {
	sed -n "s/.* \([0-9,]*\) $1.*/\1/p" "$2" | tr -d , | head -n 1
}

# rows_add_up FILE...: of "stat --by -j": each line's rows and what is other are what the counter has
rows_add_up() {
	cat "$@" | python3 -c '
import json, sys
for line in sys.stdin:
	p = json.loads(line)
	for i, e in enumerate(p["events"]):
		assert e["rows"] == sum(r["counts"][i] for r in p["rows"]), e
		assert e["rows"] + e["other"] == e["counter"], e'
}
