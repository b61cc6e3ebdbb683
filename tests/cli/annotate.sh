#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# engines: pev perf
# Code of the kernel: as it is in memory, while the kernel runs that was recorded.
. "$(dirname "$0")/lib/cli.bash"
build tree

perfctl record -q -c 100000 -e cpu-clock -o k -- ./tree 0 0 300000
says "annotate: the kernel's code" 0 '^ +[0-9.]*%? +f+8[0-9a-f]+:  (mov|call|j|ret|pop|test)' \
	perfctl annotate --dso '[[]kernel]' -m 3 -i k
ok "... and no excuse" bash -c '! perfctl annotate --dso "[[]kernel]" -m 3 -i k | grep "not shown"'
ok "... calls with the names of what they call" bash -c '
	perfctl annotate --dso "[[]kernel]" -m 5 -i k | grep -qE "call.* 0xf+8[0-9a-f]+ <[a-z_0-9.]+>$"'
cp -r k other
sed -i 's/^build_id=.*/build_id=0102030405060708090a0b0c0d0e0f1011121314/' other/info/record
sed -i 's/ T / T not_/;s/ t / t not_/' other/info/kallsyms
says "annotate: of a kernel that runs no longer" 0 'not shown: no vmlinux with the kernel.s build id' \
	perfctl annotate --dso '[[]kernel]' -i other
says "annotate -k: another kernel's" 1 'is not of the kernel that was recorded.*0102030405' \
	perfctl annotate -k "$(command -v perfctl)" -i other
says "annotate -k: no such file" 1 'vmlinux /no/such: No such file' perfctl annotate -k /no/such -i k
finish
