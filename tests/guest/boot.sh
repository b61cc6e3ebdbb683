#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Linux boots as a guest of KVM, in a machine that has it. "root" has built what is booted.
# shellcheck source=tests/lib/tap.bash
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib/tap.bash"

# Where the machine has one itself, two of a guest wait for each other most of the time.
cpus=$(nproc)
[ "$cpus" -le 4 ] || cpus=4
# KVM-HV gives each guest a PMU of its own.
pmus=0
[ "$PEV_ARCH" = x86_64 ] || pmus=1
says "a guest boots, and its exit status is the VMM's" 7 "^$cpus processors, $pmus PMUs\$" \
	"$here/run" 'echo "$(nproc) processors, $(ls -d /sys/bus/event_source/devices/cpu 2> /dev/null | wc -l) PMUs"
		uname > /run/host; exit 7' --cpus "$cpus" --file /tmp/sent
says "what it sends to a file is there" 0 '^Linux$' cat /tmp/sent
says "a guest that panics is told in words" 125 'linux_vmm: CPU 0 shut down|qemu_vmm: the guest ended without an exit status' \
	"$here/run" 'echo c > /proc/sysrq-trigger; sleep 100'
says "so is a kernel that is none" 125 'is no bzImage|The image is not ELF' \
	env GUEST_KERNEL="$0" "$here/run" true
finish
