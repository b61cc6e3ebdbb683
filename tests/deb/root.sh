#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A small Debian 12 as an archive, with apt in working order and the packages of
# root.packages downloaded, or installed: what takes half a minute of a processor. Both are kept in the
# cache by the hash of their list.
#
# usage: root.sh plain	makes it if it is not there, and prints its path
#        root.sh full	the same of one in which all of them are installed
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
cache=${PEV_CACHE:-$HOME/.cache/pev}
id=$(cat "$here/root.packages" "$0" | sha256sum | cut -c 1-16)
root=$cache/root-debian-$id.tar
mapfile -t packages < <(sed 's/#.*//' "$here/root.packages" | xargs -n 1)
# the hook's shell expands $1
# shellcheck disable=SC2016
case ${1:-} in
plain)	how=(--skip=cleanup/apt --customize-hook='chroot "$1" apt-get -q -y --no-install-recommends -d install '"${packages[*]}") ;;
full)	root=${root%.tar}-full.tar how=(--skip=cleanup/apt/lists "${packages[@]/#/--include=}") ;;
*)	sed -n '/^# usage/,/^[^#]/s/^# //p' "$0" >&2; exit 2 ;;
esac

# How the machine's apt gets at its mirror counts here, too.
options() { apt-config dump Acquire | grep -iE '^Acquire::(https?::Proxy|Check-Valid-Until|Check-Date) ' || :; }

# make_root SOURCES
make_root() {
	mmdebstrap --quiet --variant=minbase --format=tar "${how[@]}" \
		--dpkgopt=force-unsafe-io --aptopt="$work/options" --aptopt='Acquire::Languages "none"' \
		bookworm "$work/root.tar" "$1" > "$work/log" 2>&1
}

mkdir -p "$cache"
exec 9> "$cache/.root-debian.lock"
flock 9
if [ ! -f "$root" ]; then
	work=$(mktemp -d "$cache/root-debian.XXXXXX")
	trap 'rm -rf "$work"' EXIT
	options > "$work/options"
	"$top/scripts/apt-sources.sh" > "$work/all.list"
	# updates may be out of step on a mirror
	grep -E ' bookworm main$' "$work/all.list" > "$work/main.list" ||
		{ echo "the machine's apt has no Debian 12" >&2; exit 1; }
	make_root "$work/all.list" || make_root "$work/main.list" || {
		tail -n 5 "$work/log" >&2
		exit 1
	}
	mv "$work/root.tar" "$root"
fi
echo "$root"
