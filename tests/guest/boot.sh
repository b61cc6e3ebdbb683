#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Linux boots as a guest of KVM, in a machine that has it. "root" has built what is booted.
# shellcheck source=tests/lib/tap.bash
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib/tap.bash"

# Where the machine has one itself, two of a guest wait for each other most of the time.
cpus=$(nproc)
[ "$cpus" -le 4 ] || cpus=4
says "a guest boots, and its exit status is the VMM's" 7 "^$cpus processors, 0 PMUs\$" \
	"$here/run" 'echo "$(nproc) processors, $(ls -d /sys/bus/event_source/devices/cpu 2> /dev/null | wc -l) PMUs"; exit 7' \
	--cpus "$cpus"
says "what it sends to a file is there" 0 '^sent, Linux$' \
	bash -c "'$here/run' 'uname > /run/host' --file /tmp/sent && echo sent, \$(cat /tmp/sent)"
says "a guest that panics is told in words" 125 'linux_vmm: CPU 0 shut down' \
	"$here/run" 'echo c > /proc/sysrq-trigger; sleep 100'
says "so is a kernel that is none" 125 'is no bzImage' \
	env GUEST_KERNEL=/proc/self/exe "$here/run" true
finish
