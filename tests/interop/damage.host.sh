#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# perfctl on damaged recordings: each command that reads them ends soon, with a
# documented status and a message, and never passes on what a terminal would
# obey. What is left of the records is read.
#
# PEV_TEST_ROUNDS: rounds of random damage, PEV_TEST_SEED: the first one
# shellcheck disable=SC2154
. "$(dirname "$0")/lib/host.bash"
damage=$here/damage.py
rounds=${PEV_TEST_ROUNDS:-2}
seed=${PEV_TEST_SEED:-1}

damaged() {
	"$damage" "$1" "$2" "$traces/$3" bad
}

# lines DIR: all records, one a line; names of numbers are of other records, which may be lost
lines() {
	perfctl script -F tid,cpu,abstime,event,fields -e '*' "$1" 2>/dev/null |
		sed -E 's/=(-?[0-9]+)\([^)]*\)/=\1/g'
}

# whole NAME: those of a sound recording
whole() {
	lines "$traces/$1"
}

while IFS=$'\t' read -r kind text bad; do
	if [ -z "$bad" ]; then pass "$kind: $text"; else fail "$kind: $text" "$bad"; fi
done < <("$damage" try "$seed" "$rounds" "$traces"/{systems,machine,lossy})
wait $! || fail "every kind is tried"

# ends KIND STATUS REGEX: how script ends, and what it says
ends() {
	local status
	damaged "$1" "$seed" systems
	timeout -k 5 30 perfctl script bad >out 2>err
	status=$?
	if [ "$status" = "$2" ] && grep -qE -- "$3" err; then
		pass "$1: status $2, \"$3\""
	else
		fail "$1: status $2, \"$3\"" "status $status" "$(cat err)"
	fi
}

ends no-dir 65 'No such file'
ends empty-dir 65 'metadata'
ends plain-file 65 'bad'
ends no-metadata 65 'metadata'
ends empty-metadata 65 'metadata'
ends garbage-metadata 65 'metadata line [0-9]+'
ends cut-inside 0 'left out|missing'
ends zero-hole 0 'left out|no packet|zero'
ends repeated 0 'left out|order|twice'
ends no-streams 0 'no events'

# left KIND NAME AWK: of the sound recording's records the damaged one has a
# part, in the same order; AWK tells from kept and all whether it is enough
left() {
	local all
	damaged "$1" "$seed" "$2"
	whole "$2" >whole.txt
	lines bad >out
	all=$(wc -l <whole.txt)
	if ! diff whole.txt out | grep -q '^>' &&
	   awk -v kept="$(wc -l <out)" -v all="$all" "BEGIN { exit !($3) }"; then
		pass "$1: $(wc -l <out) of $all records are left"
	else
		fail "$1: records are left" "$(wc -l <out) of $all" "$(diff whole.txt out | grep -m 5 '^>')"
	fi
}

left cut-packet systems 'kept > 0 && kept < all'
left cut-inside systems 'kept > all / 2'
left cut-header systems 'kept > all / 2'
left zero-tail systems 'kept == all'
left garbage-tail systems 'kept == all'
left zero-hole systems 'kept > all / 2 && kept < all'
left repeated systems 'kept == all'
left cut-classes everything 'kept > 0'
left loops systems 'kept == all'

# babeltrace2 has no more to say where a recording ends behind a packet
damaged cut-packet 1 systems
ok "cut-packet: as many as babeltrace2 reads" [ \
	"$(perfctl script -F event -e '*' bad 2>/dev/null | wc -l)" = "$(babeltrace2 bad 2>/dev/null | wc -l)" ]
finish
