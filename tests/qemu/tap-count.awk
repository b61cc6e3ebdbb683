# SPDX-License-Identifier: GPL-2.0
# Counts TAP and KTAP. Results inside a subtest count, the line that sums
# them up does not. A plan that was not kept is a failure. Prints
#   PASSED FAILED SKIPPED
# and before it a line "FAIL text" for each failure, with the diagnostics of kselftest's
# harness that came before it ("# dir/file.c:12:test:Expected ...") and the first ones behind it.

function fail(text,    i) {
	failed++
	print "FAIL " text
	for (i = 1; i <= said; i++)
		print "FAIL     " saying[i]
	said = 0
	explained = 4
}

# Ends the test list at this depth and all below it.
function close_lists(depth,    d) {
	for (d in plan)
		if (d + 0 >= depth) {
			if (plan[d] != seen[d] + 0)
				fail("a plan of " plan[d] " tests, but " (seen[d] + 0) " results" (last ? ", the last: " last : ""))
			delete plan[d]
			delete seen[d]
		}
	for (d in seen)
		if (d + 0 >= depth)
			delete seen[d]
}

{ sub(/\r$/, ""); match($0, /^ */); depth = RLENGTH; text = substr($0, depth + 1) }

text ~ /^K?TAP version/ { close_lists(depth); deeper = deeper_failed = 0; next }

text ~ /^1\.\.[0-9]+/ {
	n = substr(text, 4) + 0
	if (n == 0 && text ~ /# *SKIP/) {
		skipped++
	} else if (!(depth in plan) && seen[depth]) {	# a plan at the end
		if (n != seen[depth])
			fail("a plan of " n " tests, but " seen[depth] " results")
		delete seen[depth]
	} else {
		close_lists(depth)
		plan[depth] = n
	}
	next
}

text ~ /^# ===/ { explained = 0 }

explained && text ~ /^# / {
	print "FAIL     " substr(text, 1, 200)
	explained--
	next
}

text ~ /^# [a-z_0-9\/]+\.c:[0-9]+:/ {
	if (said < 8)
		saying[++said] = text
	next
}

text ~ /^(not )?ok( |$)/ {
	# A subtest of this test has results: this line sums them up.
	parent = 0
	for (d in level)
		if (d + 0 > depth) {
			if (level[d])
				parent = 1
			below_failed += level_failed[d]
			delete level[d]
			delete level_failed[d]
		}
	close_lists(depth + 1)
	last = text
	explained = 0
	seen[depth]++
	bad = text ~ /^not ok/
	if (bad && text ~ /# *TODO/)
		bad = 0
	if (parent) {
		if (bad && !below_failed)
			fail(text)
	} else if (text ~ /# *SKIP/) {
		skipped++
	} else if (bad) {
		fail(text)
	} else {
		passed++
	}
	said = 0
	level[depth]++
	level_failed[depth] += bad + below_failed
	below_failed = 0
}

END {
	close_lists(0)
	print passed + 0, failed + 0, skipped + 0
}
