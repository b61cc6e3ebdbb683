#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Debian's own kernel, unmodified, for a test machine: its image, an initrd with the modules
# that it takes to mount the guest's root by 9p, and those of KVM for tests that run guests
# of their own, in $BUILD/$ARCH/kernel-$FLAVOR. The package comes by the machine's apt; what is needed of
# it is kept in the cache by its version. FLAVOR:
#
#   stock        6.12, the series that pev is built from; the only one of ARCH=ppc64le and
#                ARCH=arm64, where it may be from Debian's backports
#   stock-cloud  the same with fewer drivers, for virtual machines
#   stock-rt     the same with PREEMPT_RT
#   stock-6.1    6.1, which Debian 12 began with
#   stock-5.10   5.10, of Debian 11: the oldest that perfctl works on
#
# usage: stock-kernel.sh build
#        stock-kernel.sh headers	what modules for it are compiled with, from Debian's
#			packages; prints the directory for make -C
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
# the headers, for what the package lacks
kdir=
# of Debian, when it is not the machine's own
release=
# what is kept has another name when more of the package is
kept=boot
# of the package, but for what the machine boots with
modules=kvm_amd

case $arch-$flavor in
ppc64le-stock) series=6.12-ppc64le meta=linux-image-6.12-powerpc64le ;;
arm64-stock) series=6.12-arm64 meta=linux-image-6.12-arm64 ;;
x86_64-stock) series=6.12 meta=linux-image-6.12-amd64 ;;
x86_64-stock-cloud) series=6.12-cloud meta=linux-image-6.12-cloud-amd64 ;;
x86_64-stock-rt) series=6.12-rt meta=linux-image-6.12-rt-amd64 ;;
x86_64-stock-6.1) series=6.1 meta=linux-image-amd64 kept=boot-fuse modules="kvm_amd fuse" ;;
x86_64-stock-5.10) series=5.10 meta=linux-image-amd64 release=bullseye ;;
*-stock|*-stock-cloud|*-stock-rt|*-stock-6.1|*-stock-5.10)
	echo "stock-kernel: FLAVOR=$flavor has no ARCH=$arch" >&2
	exit 2 ;;
*)	echo "stock-kernel: FLAVOR=$flavor is none of stock, stock-cloud, stock-rt, stock-6.1, stock-5.10" >&2
	exit 2 ;;
esac

# image: what tests/qemu/vm boots; boot_image: its name in the package
case $arch in
x86_64)	image=bzImage boot_image=vmlinuz root_modules="virtio_pci virtio_mmio 9p 9pnet_virtio" ;;
ppc64le) image=vmlinux boot_image=vmlinux root_modules="virtio_pci 9p 9pnet_virtio" ;;
arm64)	image=Image boot_image=vmlinuz root_modules="virtio_pci virtio_mmio 9p 9pnet_virtio" ;;
esac

say() { echo "stock-kernel: $*" >&2; }

sudo_() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

# the state of an apt for packages of another machine or release
apt_dir=$cache/apt-${release:-$arch}

# apt_ get|cache ARGUMENT...: of this machine's apt, or of that one
apt_() {
	if [ "$arch$release" = x86_64 ]; then
		"apt-$1" -q -o APT::Sandbox::User=root "${@:2}"
	else
		# programs that compile for it are amd64's
		ARCH=$arch RELEASE=$release "$top/scripts/cross-apt.sh" "$apt_dir" "$1" \
			-o APT::Architectures::=amd64 "${@:2}"
	fi
}

apt_update() {
	if [ "$arch$release" = x86_64 ]; then
		sudo_ apt-get -q update
	else
		rm -f "$apt_dir/sources.list"
		apt_ get update
	fi >&2 || :
}

# PACKAGE VERSION of the newest kernel that apt knows. Backports have it without a name for
# the series.
newest() {
	local package
	package=$(apt_ cache depends --important "$meta" 2> /dev/null |
		sed -n 's/^ *Depends: \(linux-image-[0-9].*\)/\1/p')
	if [ -z "$package" ] && [ "$arch" != x86_64 ]; then
		package=$(apt_ cache pkgnames linux-image-6.12. |
			grep -x "linux-image-6\.12\.[0-9]*+deb[0-9]*-${meta##*-}" | sort -V | tail -n 1)
	fi
	[ -z "$package" ] || echo "$package" \
		"$(apt_ cache policy "$package" | sed -n 's/^ *Candidate: //p')"
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

# add_9p ROOT RELEASE: a kernel that has no 9p gets it as modules, from Debian's source
add_9p() {
	local src=/usr/src/linux-source-6.12.tar.xz part
	[ -r "$src" ] || { say "$src is not there: it is the package linux-source-6.12"; exit 3; }
	say "compiling 9p for $2"
	mkdir -p "$work/9p" "$1/lib/modules/$2/extra"
	tar -x -C "$work/9p" --strip-components=1 -f "$src" linux-source-6.12/{net,fs}/9p
	for part in net fs; do
		make -s -C "$kdir" M="$work/9p/$part/9p" -j"${JOBS:-2}" CONFIG_DEBUG_INFO_BTF_MODULES= \
			CONFIG_NET_9P=m CONFIG_NET_9P_VIRTIO=m CONFIG_9P_FS=m \
			KBUILD_EXTRA_SYMBOLS="$([ $part = net ] || echo "$work/9p/net/9p/Module.symvers")" \
			modules >&2
		find "$work/9p/$part" -name '*.ko' -exec cp -t "$1/lib/modules/$2/extra" {} +
	done
}

# extract RELEASE: fills $work/out from the package
extract() {
	local path i=10
	mkdir -p "$work/root" "$work/initrd/modules" "$work/out/modules"
	dpkg-deb --fsys-tarfile "$work"/*.deb |
		tar -x -C "$work/root" --wildcards './boot/*' './lib/modules/*'
	[ -z "$kdir" ] || add_9p "$work/root" "$1"
	# shellcheck disable=SC2086
	modules "$work/root" "$1" $root_modules > "$work/modules"
	while read -r path; do
		unpack_module "$path" "$work/initrd/modules" "$i-"
		i=$((i + 1))
	done < "$work/modules"
	# shellcheck disable=SC2086
	[ "$arch" != x86_64 ] || modules "$work/root" "$1" $modules | while read -r path; do
		unpack_module "$path" "$work/out/modules"
	done
	(cd "$work/initrd" && find . | sort | cpio -o -H newc --quiet) > "$work/out/modules.cpio"
	cp "$work/root/boot/$boot_image-$1" "$work/out/$image"
	cp "$work/root/boot/config-$1" "$work/out/config"
	echo "$1" > "$work/out/kernel.release"
}

# download PACKAGE VERSION: into $work
download() {
	say "fetching $1 $2"
	(cd "$work" && apt_ get download "$1=$2") > "$work/log" 2>&1
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
		apt_update
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

# depends PACKAGE REGEX: those of its dependencies
depends() {
	apt_ cache depends --important "$1" 2> /dev/null | sed -n "s/^ *Depends: \($2\)$/\1/p"
}

# download_headers PACKAGE VERSION: of this image
download_headers() {
	local headers=linux-headers-${1#linux-image-} more
	download "$headers" "$2" || return 1
	for more in $(depends "$headers" 'linux-\(headers\|kbuild\)-.*'); do
		case $arch-$more in
		x86_64-*) ;;
		*-linux-kbuild-*) more=${more%:*}:amd64 ;;
		esac
		download "$more" "$2" || return 1
	done
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
	[ "$flavor" != stock-cloud ] || kdir=$("$0" headers)
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
