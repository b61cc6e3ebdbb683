#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Writes the numbers of system calls, which differ between architectures, as the headers have
# them that a compiler finds.
#
# usage: syscall-table.sh CC [FLAG...]
echo '#include <asm/unistd.h>' | "$@" -E -dM -x c - | awk '
	# where 32 and 64 bits differ the generic table has one name for both
	sub(/^__NR/, "", $2) { number[$2] = $3 }
	END {
		for (name in number) {
			n = number[name]
			sub(/^__NR/, "", n)
			if (n in number)
				n = number[n]
			if (name ~ /^_[a-z0-9_]+$/ && n ~ /^[0-9]+$/ &&
			    name != "_syscalls" && name != "_arch_specific_syscall")
				printf "SYSCALL(%s, \"%s\"),\n", n, substr(name, 2)
		}
	}' | sort
