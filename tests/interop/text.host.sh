#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What <debugfs>/pev/text showed is what babeltrace2 reads of a recording of the same things, record by
# record, in order and fields; and each kind of difference would be seen.
# shellcheck disable=SC2154
. "$(dirname "$0")/lib/host.bash"
python=/usr/bin/python3
both=${PEV_OUT:-/tmp/pev-interop}/text
export PYTHONDONTWRITEBYTECODE=1
$python -c 'import bt2' 2>/dev/null || { echo "1..0 # SKIP no python3-bt2"; exit 0; }
[ -s "$both/text" ] || { echo "1..0 # SKIP no text in $both"; exit 0; }

# altered WHAT SAYS SED-PROGRAM: a text with a difference, which is to be found
names=() found=()
altered() {
	names+=("$1") found+=("$2")
	sed -E "$3" "$both/text" >"altered.${#names[@]}"
}
middle=$(($(wc -l <"$both/text") / 2))
altered "a record that is missing" 'the text lacks a record|no record is like it' "${middle}d"
altered "one that is there twice" 'no record is like it' "${middle}p"
altered "another thread" 'no record is like it' "$middle,\$s/^( *[0-9.]+ \[[0-9]+\] +)[0-9]+ (sys_getppid\(\))/\19999999 \2/"
altered "another value of a field" 'no record is like it' "$middle,\$s/(sys_getpriority\(which: )[0-9a-f]+/\17/"
altered "another word for a value" 'no record is like it' "$middle,\$s/(sched_switch: .* prev_state=)[A-Z]/\1Q/"
altered "another tick" 'no record is like it' "$middle,\$s/(timer_expire_entry: .* now=)([0-9]+)/\19\2/"
altered "a state that is none of an end" 'no record is like it' "$middle,\$s/(sched_switch: .* prev_state=)Z/\1S/"
altered "another order" 'order of time' "$middle{h;d};$((middle + 400))G"

# all at once: the recording takes longer to read than a text
ln -s "$both/text" text
judge_says=$($python "$here/text_judge.py" "$both" text altered.* 2>&1)
if [ -e text.same ]; then
	read -r records kinds cpus enclosed <text.same
	pass "the same records ($records of $kinds kinds on $cpus CPUs, $enclosed within another's write)"
else
	records=0 kinds=0 cpus=0
	fail "the same records" "$judge_says" "$(cat text.differs 2>&1)"
fi
within "... 10^5 of them" "$records" 100000 100000000
within "... of 200 kinds" "$kinds" 200 100000
within "... on two CPUs" "$cpus" 2 1000

for i in "${!names[@]}"; do
	text=altered.$((i + 1))
	if cmp -s "$text" text; then
		fail "found: ${names[i]}" "nothing was altered"
	else
		says "found: ${names[i]}" 0 "${found[i]}" cat "$text.differs"
	fi
done
finish
