#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Two CPUs make system calls, and one recorder has all of them, or says how many not. Prints TAP.
#
# usage: flood.sh SECONDS CALLS	CALLS: the program of calls.c. As root, in a machine with pev.
seconds=$1 calls=$2
# shellcheck source=tests/lib/tap.bash
. "$(dirname "$0")/../lib/tap.bash"
TAP_TIMEOUT=$((3 * seconds + 300))
work=$(mktemp -d /tmp/pev-flood.XXXXXX)
trap 'cd /; rm -rf "$work"' EXIT
cd "$work" || exit 1
e=raw_syscalls:sys_enter

# flood NAME OPTION...
flood() {
	local name=$1 made records lost
	shift
	timeout "$TAP_TIMEOUT" perfctl record -a -z -m 4M --flush 200ms -e $e --filter "id == $("$calls")" -o "$name" "$@" -- \
		sh -c "taskset -c 0 $calls $seconds & taskset -c 1 $calls $seconds; wait" >made.txt 2>err.txt
	result $? "$name: it is recorded" "$(cat err.txt)"
	made=$(awk '{ n += $1 } END { print n + 0 }' made.txt)
	read -r records lost < <(awk -v e=$e '$1 == e { gsub(",", ""); print $2, $3; n++ } END { if (!n) print 0, 0 }' err.txt)
	# where nothing is lost, there is no table
	[ "$records" != 0 ] || records=$(sed -n 's/^\[ .*: \([0-9,]*\) records.*/\1/p' err.txt | tr -d ,)
	echo "# $made calls, $((made / seconds)) a second: $records recorded, $lost lost"
	within "... records and losses are all calls" $((records + lost)) "$made" $((made + 5000))
	within "... the recording has as many" "$(perfctl info -j "$name" | python3 -c '
import json, sys
print(sum(e["records"] for e in json.load(sys.stdin)["events"] if not e["sideband"]))')" "$records" "$records"
	rm -rf "$name"
}

flood one-writer
flood two-writers --writers 2
finish
