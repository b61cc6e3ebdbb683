#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Writes the requests of ioctl(2) that the kernel's headers define by their parts, as those headers
# have them that a compiler finds: IOCTL(0x5452, "NAME"), a line, sorted by number. Headers that
# do not go together with the others are left out, and so are requests that refer to what is not
# defined.
#
# usage: ioctl-table.sh CC [FLAG...]
set -u
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
request='[ 	]*#[ 	]*define[ 	]+([A-Z][A-Za-z0-9_]*)[ 	]+(_IO|DRM_IO)(R|W|WR|C)?[ 	]*\('

# "HEADER:NAME" of every request
echo | "$@" -E -v -x c - 2>&1 | sed -n '/^#include </,/^End/s/^ //p' | while IFS= read -r place; do
	cd "$place" && grep -sHE "^$request" asm/*.h drm/*.h linux/*.h linux/*/*.h misc/*.h misc/*/*.h \
		mtd/*.h rdma/*.h rdma/*/*.h scsi/*.h sound/*.h video/*.h
done | sed -nE "s,^([^:]*):$request.*,\1:\2,p" | LC_ALL=C sort -u >"$dir/requests"
cut -d: -f1 "$dir/requests" | uniq >"$dir/headers"

# A header a line, and behind them a request a line.
program() {
	echo '#include <stddef.h>
#include <stdint.h>
#include <linux/ioctl.h>
#include <linux/types.h>
#define ASK(name) asm volatile("IOCTL %c0 " #name : : "i"((unsigned int)(name)))'
	sed 's/.*/#include <&>/' "$dir/headers"
	echo 'void requests(void);
void requests(void)
{'
	# one that a header has undefined again
	cut -d: -f2 "$dir/requests" | sort -u | sed 's/.*/\n#ifdef &\nASK(&);\n#endif/'
	echo '}'
}

# What the compiler complains about, until it does not: most fall in the first turn.
turns=0
while program >"$dir/program.c" &&
	! "$@" -w -fmax-errors=0 -S -o "$dir/program.s" "$dir/program.c" 2>"$dir/log"; do
	turns=$((turns + 1))
	[ $turns -lt 30 ] || exit 0
	# of headers: those that the program includes itself, or if that is none of the list, where
	# the mistake is
	awk -v program="$dir/program.c" '
		FNR == NR { line[NR] = $0; next }
		/^In file included from / { from = "" }
		match($0, /from [^ ]*:[0-9]+/) && index($0, "from " program ":") {
			split(substr($0, index($0, "from " program ":") + length(program) + 6), n, /[:,]/)
			from = line[n[1]]
		}
		/error:/ {
			if (index($0, program ":") == 1) {
				split(substr($0, length(program) + 2), n, ":")
				from = line[n[1]]
			}
			print from
			print $0
		}' "$dir/program.c" "$dir/log" >"$dir/bad"
	sed -nE 's/^#include <(.*)>$/\1/p; s/^([^:]*\.h):[0-9].*error:.*/\1/p' "$dir/bad" >"$dir/names"
	sed -nE 's/^ASK\((.*)\);$/:\1/p' "$dir/bad" >>"$dir/names"
	cp "$dir/requests" "$dir/before"
	awk -F: 'FNR == NR { bad[$0]; next }
		{
			is_bad = $1 in bad || ":" $2 in bad
			for (name in bad)
				if (length(name) > length($1) &&
				    substr(name, length(name) - length($1)) == "/" $1)
					is_bad = 1
			if (!is_bad)
				print
		}' "$dir/names" "$dir/before" >"$dir/requests"
	cmp -s "$dir/before" "$dir/requests" && exit 0
	cut -d: -f1 "$dir/requests" | uniq >"$dir/headers"
done
# the signs before a number that some assemblers want
sed -nE 's/^[ 	]*IOCTL [#$]?(-?[0-9]+) ([A-Za-z0-9_]+)$/\1 \2/p' "$dir/program.s" |
	awk '{ printf "IOCTL(0x%08x, \"%s\"),\n", $1 < 0 ? $1 + 4294967296 : $1, $2 }' | LC_ALL=C sort -u
