#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs test programs that print "ok - name" or "not ok - name" and numbers these
# lines: TAP. make check calls it. usage: run DIR PROGRAM...

set -u
dir=$1
shift
n=0
failed=0

result() {	# "ok" or "not ok", description
	n=$((n + 1))
	[ "$1" = ok ] || failed=1
	echo "$1 $n - $2"
}

for program in "$@"; do
	before=$failed
	failed=0
	exec 3< <("$dir/$program" 2>&1; echo "exit $?")
	while IFS= read -r line <&3; do
		case $line in
		"ok - "*) result ok "$program: ${line#ok - }" ;;
		"not ok - "*) result "not ok" "$program: ${line#not ok - }" ;;
		"exit "*) status=${line#exit } ;;
		*) echo "# ${line#\# }" ;;
		esac
	done
	exec 3<&-
	# 1: a test has failed and was printed; the sanitizers end with 1, too
	[ "$status" -le $failed ] || result "not ok" "$program ended with status $status"
	[ $before = 0 ] || failed=1
done
echo "1..$n"
exit $failed
