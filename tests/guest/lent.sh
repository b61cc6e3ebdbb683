#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A Linux guest without a PMU, with pev of its own, is lent counters: it counts and samples itself by those
# of the host's, exactly. "root" has built what is booted, with known.S of tests/exact as /usr/bin/known.
# shellcheck source=tests/cli/lib/cli.bash disable=SC2154
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../cli/lib/cli.bash"
# shellcheck source=tests/exact/known.bash
. "$here/../exact/known.bash"
period=10007 seldom=100003
turns=3 programs=10 # of the guest that counts while the host does

# Shell code of the guest's: it says that it asked in vain, and waits until it need not.
# shellcheck disable=SC2016
until_lent='
	echo "before: $(perfctl stat -e instructions -- true 2>&1)"
	until perfctl stat -e instructions -- true > /dev/null 2>&1; do sleep 0.05; done'

# lend [OPTION...]: to the guest of $run, once it has said that it has nothing
lend() {
	until grep -qs '^before' said || [ ! -d /proc/$run ]; do sleep 0.05; done
	perfctl guest grant "$(pgrep -x linux_vmm)" -j -o grant.json "$@" 2> grant.err
}

# boot COMMAND: in the background
boot() {
	"$here/run" "$1" > said 2> err &
	run=$!
}

# said_of WHAT: lines of the guest's
said_of() { sed -n "s/^$1: //p" said; }

# counted WHAT EVENT: by stat -x,
counted() { said_of "$1" | awk -F, -v e="$2" '$3 == e { print $1 }'; }

# granted MEMBER
granted() {
	python3 -c 'import json, sys; print(json.load(open("grant.json"))["guests"][0][sys.argv[1]])' "$1"
}

boot "$until_lent"'
	for turn in 1 2 3; do
		perfctl stat -x, -e "{instructions:u,branches:u}" -- known 2>&1 | sed "s/^/group: /"
	done
	perfctl record -q -o /tmp/t -e instructions:u -c '$period' -- known
	echo "samples: $(perfctl script /tmp/t | grep -c instructions)"
	perfctl report --stdio --sort dso /tmp/t | sed "s/^/objects: /"
	perfctl stat -x, -e cycles,instructions,branches,branch-misses,cache-references,cache-misses -- known 2>&1 |
		sed "s/^/many: /"
	perfctl stat -e stalled-cycles-frontend -- true 2>&1 | sed "s/^/none: /"
	perfctl pmu | sed "s/^/pmu: /"
	exit 3'
lend --counters 4
wait $run
status=$?
within "a guest that is lent counters ends as it wants to" $status 3 3
says "it had none before, and was told what to do" 0 'the host lends this guest no counters now: on the host, perfctl guest grant' \
	said_of before
# an entry of the processor into the guest is an instruction of it, and a branch
for count in $(counted group instructions:u); do
	within "... instructions of a known program" "$count" $instructions $((instructions + 20))
done
for count in $(counted group branches:u); do
	within "... its branches" "$count" $branches $((branches + 20))
done
within "... a sample for each $period instructions" "$(said_of samples)" $((instructions / period)) $((instructions / period + 1))
within "... as many overflows were there" "$(granted overflows)" "$(said_of samples)" "$(said_of samples)"
within "... and NMIs" "$(granted nmis)" "$(said_of samples)" "$(said_of samples)"
says "... all of them in it" 0 '^ +100.00%  known' said_of objects
within "... 6 events on 4 counters are multiplexed, and estimated" \
	"$(counted many branches)" $((branches * 9 / 10)) $((branches * 12 / 10))
says "... what the host can't count is refused in words" 0 "stalled-cycles-frontend: the host's counters can't count it for guests" \
	said_of none
says "... pmu names them" 0 "^PMU 0: the host's, by KVM" said_of pmu
says "... without an incident" 0 'No incident since boot' said_of pmu
within "... nothing stood still" "$(granted missed)" 0 0

# It is taken back in the middle of a recording, which goes on without.
boot "$until_lent"'
	perfctl record -q -o /tmp/t -e instructions:u -c '$seldom' -- bash -c "
		until perfctl pmu | grep -q paused; do :; done"
	echo "status: $?"
	echo "samples: $(perfctl script -F event /tmp/t | grep -c instructions)"
	echo "after: $(perfctl stat -e instructions -- true 2>&1)"'
lend --timeout 500ms
wait $run
says "a guest whose counters are taken back goes on" 0 '^0$' said_of status
within "... and keeps its samples" "$(said_of samples)" 10 1000000
says "... what it asks for afterwards is refused in words" 0 'the host lends this guest no counters now' said_of after

# The host needs counters itself, again and again: what the guest counts by them stands still meanwhile, its
# running time shows it, and the count is an estimate. The first counter is left to the guest.
boot "$until_lent"'
	for ((turn = 0; turn < '$turns'; turn++)); do
		perfctl stat -x, -e branches:u,instructions:u -- bash -c "for ((i = 0; i < '$programs'; i++)); do known; done" 2>&1 |
			sed "s/^/shared: /"
	done
	perfctl pmu | sed "s/^/pmu: /"'
lend --counters 4 &
lends=$!
until_ok grep -q '^before' said
while [ -d /proc/$run ]; do
	perfctl stat -a -e instructions:D,branches:D,cycles:D,branch-misses:D,cache-references:D -- sleep 0.05 2> /dev/null
	sleep 0.05
done
wait $run $lends

# shares EVENT: "COUNT SHARE" of each turn
shares() { said_of shared | awk -F, -v e="$1" '$3 == e { print $1, $5 }'; }
within "a guest counts while the host does" "$(shares instructions:u | wc -l)" $turns $turns
# bash itself is what they have beside it
while read -r count share; do
	within "... by the counter that is left to it all the time ($share %)" "$count" $((programs * branches)) $(((programs + 1) * branches))
done < <(shares branches:u)
within "... which says so" "$(shares branches:u | grep -c ' 100.00$')" $turns $turns
some=0
while read -r count share; do
	part=$(awk -v c="$count" -v s="$share" 'BEGIN { print int(c * s / 100) }')
	# in a hundredth of the time there may have been none
	least=$(awk -v s="$share" 'BEGIN { print s >= 5 }')
	within "... by one that is not, $share % of the time: no more than there was" "$part" "$least" $(((programs + 1) * instructions))
	some=$(awk -v s="$share" -v some=$some 'BEGIN { print some + (s > 0 && s < 100) }')
done < <(shares instructions:u)
within "... and not whole" "$some" 1 $turns
within "... as the host knows" "$(granted missed)" 1 100000
says "... and the guest's kernel" 0 'paused' said_of pmu
[ $failures = 0 ] || sed 's/^/# /' said err grant.json grant.err | cat -v
finish
