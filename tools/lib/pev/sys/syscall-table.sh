#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-only
# Writes the numbers of system calls, which differ between architectures, as the headers have
# them that a compiler finds.
#
# usage: syscall-table.sh CC [FLAG...]
echo '#include <asm/unistd.h>' | "$@" -E -dM -x c - |
	sed -n 's/^#define __NR_\([a-z0-9_]*\) \([0-9]*\)$/SYSCALL(\2, "\1"),/p' | sort
