# SPDX-License-Identifier: GPL-2.0
# Finds what the kernel's concurrency sanitizer reported of pev on a console.
#
# usage: awk -f races.awk pev-functions CONSOLE...
#
# A report has two accesses, of which one may be unknown, each with its stack. It is
# pev's if an access is: if the first function of the stack that is not a helper,
# which works on whatever memory it is given, is pev's. Others race for memory of
# their own below pev, and above it. Prints TAP, and each report of pev once.

function is_pev(name) {
	return name in pev || name ~ /pev_/
}

# "func+0x12/0x34 [module]" behind the time
function frame(line) {
	sub(/^\[ *[0-9.]+\] */, "", line)
	return line
}

function helper(name) {
	return name ~ /^_*(mem(cpy|set|cmp|move|chr)|str|copy_(from|to)_|find_|bitmap_|list_|llist_|hlist_|rb_|xa_|xas_|idr_|seq_|v?s[nc]*printf|number$|string|format_|put_dec|prandom_|refcount_|sort)/
}

function access(stack,    n, i, part, name) {
	n = split(stack, part, "\n")
	for (i = 1; i <= n; i++) {
		name = part[i]
		sub(/\+0x.*/, "", name)
		if (is_pev(name) || part[i] ~ /\[pev/)
			return 1
		if (!helper(name))
			return 0
	}
	return 0
}

function finish() {
	if (!inside)
		return
	inside = 0
	if (access(stack[1]) || access(stack[2])) {
		ours++
		if (!(title in seen)) {
			seen[title] = 1
			print text "not ok - " title
		}
	} else {
		others++
	}
}

FILENAME == ARGV[1] { pev[$1] = 1; next }

{ sub(/\r$/, "") }

/BUG: KCSAN: / {
	finish()
	inside = 1
	title = frame($0)
	sub(/^BUG: KCSAN: /, "", title)
	text = ""
	nr = 0
	split("", stack)
}

inside {
	line = frame($0)
	if (line ~ /^=====/) {
		finish()
		next
	}
	text = text "# " line "\n"
	if (line ~ / of [0-9]+ bytes by /)
		nr++
	else if (line ~ /^[^ ]+\+0x[0-9a-f]+\/0x[0-9a-f]+/)
		stack[nr] = stack[nr] (stack[nr] == "" ? "" : "\n") line
}

END {
	finish()
	if (!ours)
		print "ok - no data race in pev"
	print "# reports: " ours + 0 " of pev, " others + 0 " of the rest of Linux"
}
