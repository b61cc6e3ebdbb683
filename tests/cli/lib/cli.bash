# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What the end-to-end tests of perfctl share. Each test sources this, works in
# a fresh directory below /tmp and ends with "finish".
# As root, on a kernel with pev, with perfctl on PATH.

lib=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
n=0
failures=0
work=$(mktemp -d /tmp/pev-cli.XXXXXX)
chmod 755 "$work"
cd "$work" || exit 1
trap 'cd /; rm -rf "$work"' EXIT

if ! command -v perfctl >/dev/null; then
	echo "1..0 # SKIP perfctl is not on PATH"
	exit 0
fi
perfctl doctor >/dev/null 2>&1
if [ $? = 69 ]; then
	echo "1..0 # SKIP the running kernel has no pev"
	exit 0
fi

pass() {
	n=$((n + 1))
	echo "ok $n - $1"
}

fail() {
	n=$((n + 1))
	failures=$((failures + 1))
	echo "not ok $n - $1"
	shift
	printf '%s\n' "$@" | head -n 30 | cat -v | sed 's/^/# /'
}

skip() {
	n=$((n + 1))
	echo "ok $n - $1 # SKIP $2"
}

# ok NAME COMMAND...: the command must succeed
ok() {
	local name=$1 text
	shift
	if text=$("$@" 2>&1); then pass "$name"; else fail "$name" "$*" "$text"; fi
}

# says NAME STATUS REGEX COMMAND...: exit status, and a line of either stream
says() {
	local name=$1 want=$2 regex=$3 text status
	shift 3
	text=$(timeout 120 "$@" 2>&1)
	status=$?
	if [ "$status" = "$want" ] && grep -qE -- "$regex" <<<"$text"; then
		pass "$name"
	else
		fail "$name" "$* gave $status instead of $want; wanted: $regex" "$text"
	fi
}

# within NAME VALUE LOW HIGH: numbers, with decimals
within() {
	if awk -v v="$2" -v lo="$3" -v hi="$4" 'BEGIN { exit !(v != "" && v >= lo && v <= hi) }'
	then pass "$1 ($2)"; else fail "$1" "got \"$2\", expected $3 to $4"; fi
}

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

# build NAME: compiles lib/NAME.c
build() {
	gcc -O1 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -pthread \
		-o "$1" "$lib/$1.c" || { echo "1..0 # SKIP no C compiler"; exit 0; }
}

finish() {
	echo "1..$n"
	[ "$failures" = 0 ]
	exit
}
