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

# Whether a command ended as it should; its output stays in out and err.
fine() {
	local status
	timeout -k 5 30 "$@" >out 2>err </dev/null
	status=$?
	case $status in
	0|65) ;;
	*)	echo "$* ended with $status"
		tail -n 5 err
		return 1 ;;
	esac
	# tabs and line ends are all the control characters that may be there;
	# ESC and the eight-bit controls in UTF-8 are none
	if LC_ALL=C grep -a -n -m 1 -P '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' out err; then
		echo "$* prints control characters"
		return 1
	fi
	if [ $status != 0 ] && ! grep -q '^perfctl: .' err; then
		echo "$* ended with $status without a word"
		return 1
	fi
	if [ $status = 0 ] && [ ! -s out ] && [ ! -s err ]; then
		echo "$* says nothing at all"
		return 1
	fi
	return 0
}

# all DIR: every command that reads
all() {
	fine perfctl report "$1" &&
	fine perfctl report --children -g none --sort comm,dso,symbol,pid,tid,cpu "$1" &&
	fine perfctl report -j - "$1" &&
	{ [ ! -s out ] || /usr/bin/python3 -c 'import json; json.load(open("out", errors="replace"))'; } &&
	fine perfctl script -F tid,cpu,abstime,event,fields "$1" &&
	fine perfctl script "$1"
}

damaged() {
	rm -rf bad
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

python3() { /usr/bin/python3 "$@"; }
while read -r kind text; do
	bad=
	for ((round = seed; round < seed + rounds; round++)); do
		for name in systems machine lossy; do
			damaged "$kind" "$round" "$name" || bad="cannot damage $name"
			bad=${bad:-$(all bad)}
			[ -z "$bad" ] || { bad="$bad ($name, seed $round)"; break 2; }
		done
	done
	if [ -z "$bad" ]; then pass "$kind: $text"; else fail "$kind: $text" "$bad"; fi
done < <("$damage" kinds)

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
