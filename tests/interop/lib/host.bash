# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What the tests on the host share. The recordings are in $traces, perfctl is
# on PATH; a fresh directory is the working directory.

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck disable=SC2034
top=$(cd "$here/../../.." && pwd)
traces=${PEV_OUT:-/tmp/pev-interop}/traces
tools=$(dirname "$(command -v perfctl || echo /)")
n=0
failures=0

if ! compgen -G "$traces/*/metadata" >/dev/null || [ ! -f "$tools/libpev/libpev.a" ]; then
	echo "1..0 # SKIP no recordings in $traces, or no perfctl on PATH"
	exit 0
fi
work=$(mktemp -d "${TMPDIR:-/tmp}/pev-interop.XXXXXX")
cd "$work" || exit 1
trap 'cd /; rm -rf "$work"' EXIT

pass() {
	n=$((n + 1))
	echo "ok $n - $1"
}

fail() {
	n=$((n + 1))
	failures=$((failures + 1))
	echo "not ok $n - $1"
	shift
	printf '%s\n' "$@" | head -n 20 | cut -c 1-400 | cat -v | sed 's/^/# /'
}

# check NAME COMMAND...: the command must succeed
check() {
	local name=$1 text
	shift
	if text=$("$@" 2>&1); then pass "$name"; else fail "$name" "$text"; fi
}

finish() {
	echo "1..$n"
	[ "$failures" = 0 ]
	exit
}
