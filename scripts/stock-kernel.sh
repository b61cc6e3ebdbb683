#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Debian's own kernel, unmodified, for a test machine: its image, an initrd with the modules
# that it takes to mount the guest's root by 9p, and those of KVM for tests that run guests
# of their own, in $BUILD/$ARCH/kernel-$FLAVOR. The package comes by the machine's apt; what is needed of
# it is kept in the cache by its version. FLAVOR:
#
#   stock        6.12, the series that pev is built from
#   stock-6.1    6.1, which Debian 12 began with
#
# usage: stock-kernel.sh build
#        stock-kernel.sh headers	of FLAVOR=stock: what modules for it are compiled
#			with, from Debian's packages; prints the directory for make -C
#
# Exit status 3: Debian's package cannot be had.
set -euo pipefail
export LC_ALL=C

top=$(cd "$(dirname "$0")/.." && pwd)
arch=${ARCH:-x86_64}
flavor=${FLAVOR:-stock}
img=${BUILD:-$top/build}/$arch/kernel-$flavor
cache=${PEV_CACHE:-$HOME/.cache/pev}
work=
# what is kept has another name when more of the package is
kept=boot

case $flavor in
stock)	series=6.12 meta=linux-image-6.12-amd64 ;;
stock-6.1) series=6.1 meta=linux-image-amd64 ;;
*)	echo "stock-kernel: FLAVOR=$flavor is neither stock nor stock-6.1" >&2; exit 2 ;;
esac
[ "$arch" = x86_64 ] || { echo "stock-kernel: FLAVOR=$flavor has no ARCH=$arch" >&2; exit 2; }

say() { echo "stock-kernel: $*" >&2; }

sudo_() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

# PACKAGE VERSION of the newest kernel that the machine's apt knows
newest() {
	local package
	package=$(apt-cache depends --important "$meta" 2> /dev/null |
		sed -n 's/^ *Depends: \(linux-image-[0-9].*\)/\1/p')
	[ -z "$package" ] || echo "$package" \
		"$(apt-cache policy "$package" | sed -n 's/^ *Candidate: //p')"
}

# modules ROOT RELEASE NAME...: in the order in which they are loaded, with what each one needs,
# by an index that is made here as the package's own script would do
modules() {
	local what
	depmod -b "$1" "$2"
	for what in "${@:3}"; do
		modprobe -d "$1" -S "$2" --show-depends "$what"
	done | sed -n 's/^insmod \([^ ]*\).*/\1/p' | awk '!seen[$0]++'
}

unpack_module() {
	case $1 in
	*.xz)	xz -dc "$1" ;;
	*)	cat "$1" ;;
	esac > "$2/${3:-}$(basename "${1%.xz}")"
}

# extract RELEASE: fills $work/out from the package
extract() {
	local path i=10
	mkdir -p "$work/root" "$work/initrd/modules" "$work/out/modules"
	dpkg-deb --fsys-tarfile "$work"/*.deb |
		tar -x -C "$work/root" --wildcards './boot/*' './lib/modules/*'
	modules "$work/root" "$1" virtio_pci virtio_mmio 9p 9pnet_virtio > "$work/modules"
	while read -r path; do
		unpack_module "$path" "$work/initrd/modules" "$i-"
		i=$((i + 1))
	done < "$work/modules"
	modules "$work/root" "$1" kvm_amd | while read -r path; do
		unpack_module "$path" "$work/out/modules"
	done
	(cd "$work/initrd" && find . | sort | cpio -o -H newc --quiet) > "$work/out/modules.cpio"
	cp "$work/root/boot/vmlinuz-$1" "$work/out/bzImage"
	cp "$work/root/boot/config-$1" "$work/out/config"
	echo "$1" > "$work/out/kernel.release"
}

# download PACKAGE VERSION: into $work
download() {
	say "fetching $1 $2"
	(cd "$work" && apt-get -q -o APT::Sandbox::User=root download "$1=$2") > "$work/log" 2>&1
}

# fetch_newest NAME DOWNLOAD STORE: what DOWNLOAD brings of the newest version into $work is
# put by STORE into the cache as NAME_SERIES_VERSION, where it takes the place of older ones.
# An apt without lists, or with old ones, names what cannot be fetched. Without a network the
# cached one does.
fetch_newest() {
	local package version
	read -r package version <<< "$(newest)"
	[ ! -d "$cache/$1-${series}_${version:-none}" ] || return 0
	work=$(mktemp -d "$cache/.stock.XXXXXX")
	trap 'rm -rf "$work"' EXIT
	if [ -z "$version" ] || ! "$2" "$package" "$version"; then
		sudo_ apt-get -q update >&2 || :
		read -r package version <<< "$(newest)"
		[ -n "$version" ] && "$2" "$package" "$version" || return 0
	fi
	"$3" "${package#linux-image-}" "$cache/$1-${series}_$version"
	rm -rf "$cache/$1-${series}_"*
	mv "$work/out" "$cache/$1-${series}_$version"
}

fetch() {
	fetch_newest "$kept" download extract
}

# download_headers PACKAGE VERSION: of this image
download_headers() {
	local release=${1#linux-image-} base
	base=${release%-amd64}
	download "linux-headers-$release" "$2" && download "linux-headers-$base-common" "$2" &&
		download "linux-kbuild-$base" "$2"
}

# The three packages know each other by where they would be installed.
unpack_headers() {
	local deb
	for deb in "$work"/*.deb; do
		dpkg-deb -x "$deb" "$work/root"
	done
	sed -i "s|^include /usr|include $2/usr|" "$work/root/usr/src/linux-headers-$1/Makefile"
	ln -s "usr/src/linux-headers-$1" "$work/root/build"
	mv "$work/root" "$work/out"
}

fetch_headers() {
	fetch_newest headers download_headers unpack_headers
}

headers() {
	local found
	[ "$flavor" = stock ] ||
		{ echo "stock-kernel: headers are fetched for FLAVOR=stock only" >&2; exit 2; }
	mkdir -p "$cache"
	exec 9> "$cache/.stock.lock"
	flock 9
	fetch_headers
	found=$(compgen -G "$cache/headers-${series}_*") ||
		{ say "Debian's headers of $meta cannot be fetched"; exit 3; }
	echo "$found/build"
}

build() {
	local found
	mkdir -p "$cache" "$img"
	exec 9> "$cache/.stock.lock"
	flock 9
	fetch
	found=$(compgen -G "$cache/$kept-${series}_*") ||
		{ say "Debian's package $meta cannot be fetched"; exit 3; }
	[ "$(cat "$img/key" 2> /dev/null)" != "${found##*/}" ] || return 0
	cp -r "$found"/* "$img/"
	echo "${found##*/}" > "$img/key"
}

case ${1:-} in
build|headers) "$1" ;;
*)	sed -n '/^# usage/,/^#$/s/^# //p' "$0" >&2; exit 2 ;;
esac
