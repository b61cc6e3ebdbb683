#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The root of a guest of another architecture, from Debian's packages for it. It
# is made with an apt of its own, fed from the machine's apt sources, so that the
# machine's package state is not touched, and kept in the cache by the hash of its
# list.
#
# usage: ARCH=ppc64le|arm64 cross-root.sh make | path
set -euo pipefail
export LC_ALL=C

top=$(cd "$(dirname "$0")/.." && pwd)
list=$top/configs/cross-root.packages
cache=${PEV_CACHE:-$HOME/.cache/pev}
: "${ARCH:?which architecture}"
id=$(cat "$list" "$0" | sha256sum | cut -c 1-16)
root=$cache/root-$ARCH-$id
work=
case $ARCH in
ppc64le) debarch=ppc64el ;;
*)	debarch=$ARCH ;;
esac
export ARCH

say() { echo "cross-root: $*" >&2; }

private_apt() {
	"$top/scripts/cross-apt.sh" "$work" get "$@"
}

# Some are for one architecture alone: NAME [ARCHITECTURE], as Debian writes it
packages() {
	sed "s/#.*//; s/ \\[$debarch\\]\$//; /\\[/d" "$list"
}

download() {
	# A mirror may be short of one index and still have all that is needed.
	private_apt update > "$work/log" 2>&1 ||
		say "warning: $(sed -n '/^E: /{p;q}' "$work/log" | sed 's,http[^ ]*/dists/,,')"
	# shellcheck disable=SC2046
	private_apt install -y -d $(packages) > "$work/log" 2>&1 || {
		cat "$work/log" >&2
		exit 1
	}
}

extract() {
	local deb dir
	for dir in bin sbin lib lib64; do
		mkdir -p "$1/usr/$dir"
		ln -s "usr/$dir" "$1/$dir"
	done
	for deb in "$work"/cache/archives/*.deb; do
		dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$1" --keep-directory-symlink \
			--no-same-owner --exclude='./usr/share/doc/*' \
			--exclude='./usr/share/man/*' --exclude='./usr/share/locale/*'
		record "$deb" "$1/var/lib/dpkg"
	done
}

# record DEB ADMINDIR: what dpkg-shlibdeps asks for
record() {
	local info=$2/info name file
	mkdir -p "$info"
	echo 1 > "$info/format"
	name=$(dpkg-deb -f "$1" Package)
	[ "$(dpkg-deb -f "$1" Multi-Arch)" != same ] || name+=:$debarch
	{
		dpkg-deb -f "$1" | sed '1a Status: install ok installed'
		echo
	} >> "$2/status"
	dpkg-deb --fsys-tarfile "$1" | tar -t | sed -n 's,^\.,,; s,/$,,; /./p' > "$info/$name.list"
	rm -rf "$work/control"
	dpkg-deb -e "$1" "$work/control"
	for file in symbols shlibs; do
		[ ! -f "$work/control/$file" ] || cp "$work/control/$file" "$info/$name.$file"
	done
}

# What the packages' scripts would have done, as far as it matters here.
finish() {
	mkdir -p "$1"/{proc,sys,dev,run,tmp,root,mnt,work,var/tmp}
	cp "$1/usr/share/base-passwd/passwd.master" "$1/etc/passwd"
	cp "$1/usr/share/base-passwd/group.master" "$1/etc/group"
	ln -sf gawk "$1/usr/bin/awk"
	echo pev > "$1/etc/hostname"
	# Links of the sysroot must not lead to this machine's libraries.
	find "$1"/usr/lib{,64} -type l -lname '/*' | while read -r l; do
		ln -sfnr "$1$(readlink "$l")" "$l"
	done
}

make_root() {
	local start
	[ ! -d "$root" ] || return 0
	mkdir -p "$cache"
	exec 9> "$cache/.root.lock"
	flock 9
	[ ! -d "$root" ] || return 0
	start=$(date +%s)
	say "assembling from Debian packages"
	work=$(mktemp -d "$cache/root.XXXXXX")
	trap 'rm -rf "$work"' EXIT
	download
	mkdir "$work/root"
	extract "$work/root"
	finish "$work/root"
	chmod 755 "$work/root"
	mv "$work/root" "$root"
	say "$(find "$work/cache/archives" -name '*.deb' | wc -l) packages in $(($(date +%s) - start)) s"
}

case ${1:-} in
make)	make_root ;;
path)	echo "$root" ;;
*)	sed -n '/^# usage/s/^# //p' "$0" >&2; exit 2 ;;
esac
