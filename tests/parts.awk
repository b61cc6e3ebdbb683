# SPDX-License-Identifier: GPL-2.0
# The parts of a suite, which say in its TAP where they begin and that they have ended:
#   # === NAME
#   # === NAME took N s
# usage: awk -f parts.awk LOG                     their names
#        awk -v only="NAME..." -f parts.awk LOG   the TAP of these alone

BEGIN {
	n = split(only, list, " ")
	for (i = 1; i <= n; i++)
		wanted[list[i]]
}

/^# === [^ ]+$/ {
	part = $3
	if (only == "" && !(part in seen))
		print part
	seen[part]
	if (part in wanted)
		print "TAP version 13"
	next
}

# It has no end where the machine had none, which kept others from running.
/^not ok - .*exit status [0-9]+ of the machine/ {
	part = ""
}

/^# === [^ ]+ took / {
	part = ""
	next
}

part in wanted
