#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# pev as a module for a kernel that knows nothing of it.
#
# usage: module.sh layout DIR	the sources in DIR, as links: make -C KERNEL M=DIR modules
#        module.sh copy DIR	the same as files, to be packed
#        module.sh build	pev.ko, in $BUILD/$ARCH/module: for Debian's 6.12, or for the
#			kernel whose headers are in KDIR; for Debian's FLAVOR=stock-* in
#			module-*
#        module.sh samples	the modules of samples/pev, which use it, and that of
#			tests/module/pmu, in $BUILD/$ARCH/module-samples, or
#			module-*-samples
#
# Exit status 3: Debian's headers, or their compiler, cannot be had.
set -euo pipefail
export LC_ALL=C

top=$(cd "$(dirname "$0")/.." && pwd)
arch=${ARCH:-x86_64}
out=${BUILD:-$top/build}/$arch/module
case ${FLAVOR:=stock} in
stock-*) out+=${FLAVOR#stock} ;;
*)	FLAVOR=stock ;;
esac

case $arch in
x86_64)	cross= ;;
ppc64le) cross=powerpc64le-linux-gnu- ;;
arm64)	cross=aarch64-linux-gnu- ;;
*)	echo "module: there is no module for ARCH=$arch" >&2; exit 2 ;;
esac

# lay_out DIR CP-OPTION...: what was there and is no source any more goes, objects stay
lay_out() {
	local dir=$1 arch
	shift
	mkdir -p "$dir/include"
	find "$dir" -type l -delete
	cp -r "$@" "$top/kernel/pev/." "$dir/"
	cp -r "$@" "$top/include/." "$dir/include/"
	rm -f "$dir/Kbuild"
	cp -r "$@" "$top/kernel/pev/module/Kbuild" "$dir/Kbuild"
	for arch in arm64 powerpc x86; do
		mkdir -p "$dir/module/$arch"
		cp -r "$@" "$top/arch/$arch/pev/clock.c" "$dir/module/$arch/"
	done
}

# Debian's headers name the compiler of their kernel.
compiler_of() {
	local cc
	cc=$(sed -n 's/.*)\(gcc-[0-9]*\)$/\1/p' "$1/.kernelvariables" 2> /dev/null || :)
	[ -z "$cc" ] || command -v "$cross$cc" > /dev/null ||
		{ echo "module: $cross$cc, which compiled that kernel, is not installed" >&2; exit 3; }
}

# kbuild DIR VARIABLE=VALUE...: the modules of that folder
kbuild() {
	local dir=$1 kdir=${KDIR:-}
	shift
	[ -n "$kdir" ] || kdir=$(FLAVOR=$FLAVOR "$top/scripts/stock-kernel.sh" headers)
	compiler_of "$kdir"
	# what this make was told is not meant for the kernel's
	if env -u MAKEFLAGS -u MFLAGS -u MAKEOVERRIDES -u MAKELEVEL -u ARCH -u CROSS_COMPILE \
		make -s -C "$kdir" M="$dir" -j"${JOBS:-2}" CONFIG_DEBUG_INFO_BTF_MODULES= "$@" modules; then
		return
	fi
	echo "module: nothing is made for the kernel of $kdir: the first error above says why" >&2
	exit 2
}

# Linux relocates everything in a module but what each CPU has of it: an address that it begins
# with is one of nothing there.
no_addresses_by_cpu() {
	local wrong
	# of an object that was cut short it says so, and ends with status 0
	wrong=$(LC_ALL=C readelf -rW "$1" 2>&1 | awk '
		/^[^ ]*readelf: / { print > "/dev/stderr"; failed = 1 }
		/^Relocation section/ { of = $3 }
		of ~ /percpu/ && $3 ~ /^R_/
		END { exit failed }') || {
		echo "module: readelf does not say which addresses Linux relocates in $1: the error is above" >&2
		rm -f "$1"
		exit 2
	}
	[ -n "$wrong" ] || return 0
	printf 'module: addresses in per-CPU data are not relocated, set them at run time:\n%s\n' "$wrong" >&2
	rm -f "$1"
	exit 2
}

build() {
	lay_out "$out" -s
	kbuild "$out"
	no_addresses_by_cpu "$out/pev.ko"
}

# In the way that Documentation/core-api/pev.rst tells others.
samples() {
	local dir=$out-samples
	build
	mkdir -p "$dir"
	find "$dir" -type l -delete
	cp -s "$top"/samples/pev/*.[ch] "$top"/tests/module/pmu/*.c "$dir/"
	{
		echo "ccflags-y += -I$out/include -DCONFIG_PEV=1"
		echo "KBUILD_EXTRA_SYMBOLS := $out/Module.symvers"
		cat "$top/samples/pev/Makefile"
		echo "obj-m += pev-test-pmu.o"
	} > "$dir/Kbuild"
	# kbuild does not look again which versions its symbols have
	[ "$dir/Module.symvers" -nt "$out/Module.symvers" ] || rm -f "$dir/Module.symvers"
	kbuild "$dir" CONFIG_SAMPLE_PEV=m
}

case ${1:-} in
layout) lay_out "$2" -s ;;
copy)	lay_out "$2" ;;
build|samples) "$1" ;;
*)	sed -n '/^# usage/,/^#$/s/^# //p' "$0" >&2; exit 2 ;;
esac
