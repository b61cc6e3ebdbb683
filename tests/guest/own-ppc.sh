#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A Linux guest of KVM-HV counts and samples itself, by the PMU that KVM-HV gives each guest and with nothing lent, while
# the host counts a program of its own: both are right, to the last instruction.
# "root" has built what is booted, with known-ppc64le.S of tests/exact as /usr/bin/known, which is KNOWN here.
# shellcheck source=tests/cli/lib/cli.bash disable=SC2154
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../cli/lib/cli.bash"
# shellcheck source=tests/exact/known.bash
. "$here/../exact/known.bash"
period=10007
turns=10
recordings=3

# said_of WHAT: lines of the guest's
said_of() { sed -n "s/^$1: //p" said; }

# whole EVENT FILE: counts by stat -x, of what counted all the time
whole() { awk -F, -v e="$1" '$3 == e && $5 == "100.00" { print $1 }' "$2"; }

"$here/run" '
	for ((turn = 1; turn < '$turns'; turn++)); do
		perfctl stat -x, -e instructions:u -- known 2>&1 | sed "s/^/count: /"
	done
	for ((turn = 0; turn < '$recordings'; turn++)); do
		text=$(perfctl record -o /tmp/t -e instructions:u -c '$period' -- known 2>&1)
		echo "samples: $(perfctl script -F event /tmp/t | grep -c instructions) held up: $(grep -c "held up" <<< "$text")"
	done
	perfctl report --stdio --sort dso /tmp/t | sed "s/^/objects: /"
	perfctl pmu | sed "s/^/pmu: /"
	perfctl stat -x, -e instructions:u -- known 2>&1 | sed "s/^/count: /"
	exit 3' > said 2> err &
run=$!
until grep -qs '^count' said || [ ! -d /proc/$run ]; do sleep 0.05; done
while [ -d /proc/$run ] && ! grep -q '^pmu' said; do
	perfctl stat -x, -e instructions:u -- "$KNOWN" 2>> ours
done
wait $run
within "a guest that profiles itself ends as it wants to" $? 3 3
said_of count > theirs
within "... it counts a known program, all the time" "$(whole instructions:u theirs | wc -l)" $turns $turns
within "... each time all of its instructions" "$(whole instructions:u theirs | sort -u)" $instructions $instructions
# Interrupts may have half of a tick, and what the host does in the middle of one seems to the guest to be a part of it:
# samples may be held up, which record says.
said_of samples | sed -n 's/ held up: 0$//p' > kept
within "... records it $recordings times, and not each time held up" "$(wc -l < kept)" 1 $recordings
within "... has a sample for each $period of them" "$(sort -u kept)" $((instructions / period)) $((instructions / period))
within "... and no more where it was held up" "$(said_of samples | sed -n 's/ held up: [1-9].*//p' | awk -v w=$((instructions / period)) '$1 > w' | wc -l)" 0 0
says "... all of them in it" 0 '^ +100.00%  known' said_of objects
says "... by counters of a PMU of its own" 0 "pev's own driver" said_of pmu
says "... without an incident" 0 'No incident since boot' said_of pmu
count=$(whole instructions:u ours | wc -l)
within "the host counts meanwhile, all the time" "$count" 3 "$(grep -c instructions:u ours)"
within "... and all of its own program's instructions" "$(whole instructions:u ours | sort -u)" $instructions $instructions
[ $failures = 0 ] || sed 's/^/# /' said err ours | cat -v
finish
