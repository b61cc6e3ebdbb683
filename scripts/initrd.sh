#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# usage: initrd.sh ARCH DIR: what a test machine is started with, in DIR:
#   initrd.cpio  the initramfs, one static program
#   tsc-khz      x86 only: prints the frequency of the host's TSC
set -eu
case $1 in
x86_64) cc=gcc ;;
ppc64le) cc=powerpc64le-linux-gnu-gcc ;;
arm64) cc=aarch64-linux-gnu-gcc ;;
*) exit 2 ;;
esac
src=$(dirname "$0")/../tests/qemu
out=$2

# fresh TARGET SOURCE
fresh() { [ -e "$1" ] && [ -z "$(find "$2" "$0" -newer "$1")" ]; }

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$out" "$tmp/root"

if ! fresh "$out/initrd.cpio" "$src/init.c"; then
	$cc -O2 -static -Wall -Wno-unused-result -s -o "$tmp/root/init" "$src/init.c"
	(cd "$tmp/root" && echo init | cpio -o -H newc --quiet) > "$tmp/initrd"
	mv "$tmp/initrd" "$out/initrd.cpio"
fi
if [ "$1" = x86_64 ] && [ "$(uname -m)" = x86_64 ] && ! fresh "$out/tsc-khz" "$src/tsc-khz.c"; then
	gcc -O2 -Wall -o "$tmp/tsc-khz" "$src/tsc-khz.c"
	mv "$tmp/tsc-khz" "$out/tsc-khz"
fi
