# SPDX-License-Identifier: GPL-2.0
# Finds skips that tests/skips does not permit.
# usage: awk -v suite=NAME -f skips.awk tests/skips TAP
# Prints "FAIL text" for each; nothing for a suite that the list does not name.

FNR == 1 { files++ }

files == 1 {
	if (/^#/ || NF == 0)
		next
	if (suite !~ "^(" $1 ")$")
		next
	permits++
	sub(/^[^ ]+ +/, "")
	cut = index($0, " # ")
	name[permits] = substr($0, 1, cut - 1)
	reason[permits] = substr($0, cut + 3)
	next
}

# of kselftest's harness, which says it twice, the second is the result
permits && /# *SKIP/ && !/^#/ {
	split($0, part, / *# *SKIP */)
	what = part[1]
	sub(/^ *ok *[0-9]* *-? */, "", what)
	for (i = 1; i <= permits; i++)
		if (what ~ "^(" name[i] ")$" && part[2] ~ "^(" reason[i] ")$")
			next
	print "FAIL skipped, which tests/skips does not permit: " what " # " part[2]
}
