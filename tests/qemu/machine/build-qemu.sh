#!/bin/bash
# An emulator with exact PMUs: QEMU from Debian's source with the changes that
# README describes. It is built once for each version of Debian's package and
# of these changes, and kept in the cache; its path goes to stdout.
#
# usage: build-qemu.sh x86_64|ppc64       build it if it is not there
#        build-qemu.sh --path x86_64|ppc64  only the path; fails if not there
#        build-qemu.sh --source x86_64|ppc64 DIR  only the changed source
#
# Exit status 3: Debian's source cannot be had. JOBS: processes, default nproc.
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
cache=${PEV_CACHE:-$HOME/.cache/pev}
jobs=${JOBS:-$(nproc)}
# The caller's make must not hand its variables to QEMU's.
unset MAKEFLAGS MFLAGS MAKEOVERRIDES MAKELEVEL ARCH BUILD
work=

say() { echo "build-qemu: $*" >&2; }
usage() { sed -n '/^# usage/,/^#$/s/^# //p' "$0" >&2; exit 2; }

inputs() {
	cd "$here"
	echo "$version"
	sha256sum build-qemu.sh
	find "$arch" "$arch.patch" -type f | sort | xargs sha256sum
}

# Debian's entries of the machine's own sources, for source packages.
sources() {
	local key=/usr/share/keyrings/debian-archive-keyring.gpg by=
	[ ! -f $key ] || by="[signed-by=$key] "
	apt-get indextargets --format "deb-src $by"'$(REPO_URI) $(RELEASE) $(COMPONENT)' \
		'Created-By: Packages' 'Origin: Debian' | sort -u
}

private_apt() {
	apt-get -q -o Dir::State="$work/state" -o Dir::State::status="$work/status" \
		-o Dir::Cache="$work/cache" -o Dir::Etc::sourcelist="$work/sources.list" \
		-o Dir::Etc::sourceparts=/dev/null -o Dir::Log="$work" \
		-o APT::Sandbox::User=root -o Debug::NoLocking=true \
		-o Acquire::Languages=none "$@"
}

sudo_() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

no_source() {
	say "Debian's source of qemu $version cannot be fetched:"
	sed -n '/^[EW]: /p' "$work/log" | sed 's,[a-z]*://[^ ]*/,,g' | tail -n 3 >&2
	exit 3
}

# Debian's source package, once for all architectures, into $cache.
fetch() {
	mkdir -p "$work/state/lists/partial" "$work/cache/archives/partial" "$work/dsc"
	: > "$work/status"
	# Without lists of its own the machine's apt cannot name its sources.
	[ -n "$(sources)" ] || sudo_ apt-get -q update >&2
	sources > "$work/sources.list"
	say "fetching qemu $version"
	private_apt update > "$work/log" 2>&1 || true
	(cd "$work/dsc" && private_apt source --download-only "qemu=$version") \
		>> "$work/log" 2>&1 || no_source
	rm -rf "$cache"/qemu-source-*
	mv "$work/dsc" "$dsc"
}

unpack() {
	[ -d "$dsc" ] || fetch
	dpkg-source --no-check -x "$dsc"/*.dsc "$1" > "$work/log" 2>&1 || {
		cat "$work/log" >&2
		exit 1
	}
	patch -d "$1" -p1 -s -N --no-backup-if-mismatch < "$here/$arch.patch" >&2
	cp -r "$here/$arch/." "$1/"
}

# Most objects are the same for each architecture: with paths that are, too, the second emulator
# has them from the compiler's cache, where tests/run has set one up.
compile() {
	mkdir "$2"
	cd "$2"
	export CCACHE_BASEDIR=$work
	# Nothing but what a test machine has; --enable-werror: no new warnings.
	"$1/configure" --target-list="$arch-softmmu" --with-devices-"$arch"=pev \
		--without-default-features --without-default-devices \
		--enable-tcg --enable-virtfs --enable-attr --enable-cap-ng \
		--enable-fdt=system --enable-werror --disable-debug-info \
		--disable-install-blobs --with-git-submodules=ignore \
		--firmwarepath=/usr/share/qemu:/usr/share/seabios > "$work/log" 2>&1 &&
		nice ninja -j "$jobs" "qemu-system-$arch" >> "$work/log" 2>&1 || {
		tail -n 40 "$work/log" >&2
		exit 1
	}
	strip "qemu-system-$arch"
}

# Keeps the newest only: each edit of a developer makes one.
prune_cache() {
	find "$cache" -maxdepth 1 -name "qemu-$arch-*" -printf '%T@ %p\n' | sort -rn |
		tail -n +4 | cut -d ' ' -f 2- | xargs -r -d '\n' rm -rf
}

build() {
	local start
	if [ ! -x "$binary" ]; then
		mkdir -p "$cache"
		exec 9> "$cache/.qemu.lock"
		flock 9
	fi
	if [ ! -x "$binary" ]; then
		start=$(date +%s)
		work=$(mktemp -d "$cache/.qemu.XXXXXX")
		trap 'rm -rf "$work"' EXIT
		unpack "$work/src"
		say "building qemu-system-$arch with $jobs jobs"
		(compile "$work/src" "$work/build")
		mkdir "$work/out"
		mv "$work/build/qemu-system-$arch" "$work/out/"
		rm -rf "$dir"
		mv "$work/out" "$dir"
		prune_cache
		say "qemu-system-$arch: $(($(date +%s) - start)) s"
	fi
	echo "$binary"
}

command=build
case ${1:-} in
--path|--source) command=${1#--}; shift ;;
esac
arch=${1:-}
case $arch in x86_64|ppc64) ;; *) usage ;; esac

# shellcheck disable=SC2016
version=$(dpkg-query -W -f '${source:Version}' qemu-system-data)
id=$(inputs | sha256sum | cut -c 1-16)
dir=$cache/qemu-$arch-$id
binary=$dir/qemu-system-$arch
dsc=$cache/qemu-source-${version//[!0-9A-Za-z.+-]/_}

case $command in
build)	build ;;
path)	[ -x "$binary" ] && echo "$binary" ;;
source)	[ -n "${2:-}" ] || usage
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	mkdir -p "$cache"
	unpack "$2" ;;
esac
