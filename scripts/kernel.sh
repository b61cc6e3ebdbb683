#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Builds the kernel with pev in it. See usage() for the commands; everything
# is configured by environment variables that the Makefile sets:
#
#   ARCH       x86_64 or ppc64le
#   FLAVOR     plain, debug, race, rt, cover, or lint: an output directory for scripts/lint.sh
#   BUILD      directory of all build output
#   LINUX_SRC  a 6.12 tree to use (it is copied) instead of Debian's
#
# The source tree $BUILD/linux holds Linux with patches/ applied and the files
# of this repository laid in as symbolic links. A file changes there only when
# its content does, so that kbuild rebuilds only what it must. Each
# architecture and flavor has its output directory inside of that tree:
# kbuild then uses relative paths, and ccache hits from any clone.
set -euo pipefail
export LC_ALL=C

top=$(cd "$(dirname "$0")/.." && pwd)
arch=${ARCH:-x86_64}
flavor=${FLAVOR:-plain}
mkdir -p "${BUILD:=$top/build}"
build=$(cd "$BUILD" && pwd)
src=$build/linux
out=$src/out-$arch-$flavor
img=$build/$arch/kernel-$flavor
cache=${PEV_CACHE:-$HOME/.cache/pev}
patches=$top/patches/linux-6.12
tarball=/usr/src/linux-source-6.12.tar.xz
linux_src=${LINUX_SRC:+$(cd "$LINUX_SRC" && pwd)}
jobs=${JOBS:-$(nproc)}

# The caller's make must not hand its variables (ARCH, BUILD) to kbuild.
unset MAKEFLAGS MFLAGS MAKEOVERRIDES MAKELEVEL ARCH BUILD FLAVOR LINUX_SRC CROSS_COMPILE O V C W M

case $arch in
x86_64)	karch=x86 cross='' image=bzImage imagepath=arch/x86/boot/bzImage ;;
ppc64le) karch=powerpc cross=powerpc64le-linux-gnu- image=vmlinux imagepath=vmlinux ;;
*)	echo "kernel: ARCH=$arch is neither x86_64 nor ppc64le" >&2; exit 2 ;;
esac
case $flavor in
plain|debug|race|rt|cover) ;;
lint)	;; # plain, for scripts/lint.sh to build single objects in
*)	echo "kernel: FLAVOR=$flavor is not plain, debug, race, rt or cover" >&2; exit 2 ;;
esac

usage() {
	cat <<-EOF
	usage: kernel.sh build     image, System.map, config and modules into \$BUILD/\$ARCH/kernel-\$FLAVOR
	       kernel.sh source    only the patched source tree
	       kernel.sh make ...  kbuild with these arguments in the configured output directory
	       kernel.sh key       the hash of all inputs of the image
	EOF
	exit 2
}

say() { echo "kernel: $*" >&2; }

# --- inputs ---------------------------------------------------------------

# The overlay, one line a file: path in the repository, path in Linux. What is for a module
# alone is none of the kernel's, which need not be built again for it.
overlay() {
	cd "$top"
	{
		find include/uapi/linux include/linux include/trace -maxdepth 1 -name 'pev*.h' || true
		find kernel/pev arch/*/pev arch/*/kvm samples/pev -path kernel/pev/module -prune -o -type f -print || true
	} 2>/dev/null | sed 's/.*/& &/'
}

overlay_files() { overlay | sed -E '/(~|\.sw[a-z]|\.orig|\.rej) /d' | sort; }

fragments() {
	echo "$top/configs/common.config"
	echo "$top/configs/$arch.config"
	case $flavor in
	debug|race|rt|cover)
		echo "$top/configs/$flavor.config"
		find "$top/configs" -name "$flavor-$arch.config" ;;
	esac
}

series() { { find "$patches" -name '[0-9]*.patch' 2>/dev/null || true; } | sort; }

source_id() {
	if [ -n "$linux_src" ]; then
		echo "dir $linux_src"
	else
		dpkg-query -W -f 'debian ${Version}\n' linux-source-6.12
	fi
}

key() {
	{
		echo "$arch $flavor $(source_id)"
		"${cross}gcc" -dumpfullversion
		"${cross}ld" --version | head -n 1
		cd "$top"
		sha256sum < scripts/kernel.sh
		fragments | xargs cat configs/pev.config
		series | xargs -r cat
		overlay_files | cut -d ' ' -f 1 | xargs -r sha256sum
	} | sha256sum | cut -c 1-20
}

# --- source tree ----------------------------------------------------------

# Not unpacked: big directories that neither kbuild nor a Kconfig file needs.
unpack() {
	say "unpacking $tarball"
	rm -rf "$src" "$build/linux.orig" "$build/linux.tmp"
	mkdir -p "$build/linux.tmp"
	tar -C "$build/linux.tmp" --strip-components=1 -xJf "$tarball" \
		--exclude='*/arch/*/boot/dts/*' \
		--exclude='*/drivers/gpu/drm/amd/include/*' \
		--exclude='*/Documentation/devicetree/bindings/*' \
		--exclude='*/tools/perf/pmu-events/*'
	mv "$build/linux.tmp" "$src"
}

copy_tree() {
	say "copying $linux_src"
	mkdir -p "$src"
	# What the overlay and the patches put there stays as it is.
	{ patched_files; overlay_files | cut -d ' ' -f 2; } | sed 's,^,/,' |
		rsync -a --exclude-from=- --exclude='/out-*' --exclude=.git \
			--exclude='*.o' --exclude='*.cmd' --exclude=/.config \
			--exclude=/include/config --exclude=/include/generated \
			--exclude='/arch/*/include/generated' "$linux_src/" "$src/"
}

files_of_patch() { sed -n -E 's,^(---|\+\+\+) [ab]/([^[:space:]]+).*,\2,p' "$@"; }

patched_files() {
	{
		series | while read -r p; do files_of_patch "$p"; done
		cat "$src/.pev-patched" 2>/dev/null || true
	} | sort -u
}

# The unpatched text of file $1 to stdout; fails if Linux has no such file.
pristine() {
	if [ -n "$linux_src" ]; then
		[ -f "$linux_src/$1" ] && cat "$linux_src/$1"
		return
	fi
	local orig=$build/linux.orig/$1
	if ! [ -e "$orig" ] && ! [ -e "$orig.absent" ]; then
		mkdir -p "$(dirname "$orig")"
		if [ -f "$src/$1" ] && ! [ -L "$src/$1" ]; then
			cp -p "$src/$1" "$orig"
		else
			touch "$orig.absent"
		fi
	fi
	[ -f "$orig" ] && cat "$orig"
}

# Patches the files in a scratch directory, then copies those that differ.
apply_patches() {
	local stamp tmp
	stamp=$({ echo "$linux_src"; series | xargs -r sha256sum | sed "s,$patches/,,"; } | sha256sum)
	if [ -z "$linux_src" ] && [ "$(cat "$src/.pev-series" 2>/dev/null)" = "$stamp" ]; then
		return
	fi
	tmp=$(mktemp -d "$build/patch.XXXXXX")
	# shellcheck disable=SC2064
	trap "rm -rf '$tmp'" EXIT
	patched_files | while read -r f; do
		mkdir -p "$tmp/$(dirname "$f")"
		pristine "$f" > "$tmp/$f" || rm -f "$tmp/$f"
	done
	series | while read -r p; do
		patch -d "$tmp" -p1 -s -N --no-backup-if-mismatch < "$p" >&2 || {
			say "$(basename "$p") does not apply"
			exit 1
		}
	done
	patched_files | while read -r f; do
		if ! [ -e "$tmp/$f" ]; then
			rm -f "$src/$f"
		elif ! cmp -s "$tmp/$f" "$src/$f"; then
			mkdir -p "$src/$(dirname "$f")"
			rm -f "$src/$f"
			cp "$tmp/$f" "$src/$f"
			[ ! -x "$linux_src/$f" ] && [ ! -x "$build/linux.orig/$f" ] || chmod +x "$src/$f"
		fi
	done
	series | while read -r p; do files_of_patch "$p"; done | sort -u > "$src/.pev-patched"
	echo "$stamp" > "$src/.pev-series"
	rm -rf "$tmp"
	trap - EXIT
}

# Real directories, one link a file: "../x.h" means what it does in Linux.
lay_overlay() {
	overlay_files > "$src/.pev-overlay.new"
	if [ -f "$src/.pev-overlay" ]; then
		cut -d ' ' -f 2 "$src/.pev-overlay" | while read -r to; do
			grep -q " $to\$" "$src/.pev-overlay.new" || rm -f "$src/$to"
		done
	fi
	while read -r from to; do
		[ "$(readlink "$src/$to")" = "$top/$from" ] || {
			mkdir -p "$src/$(dirname "$to")"
			ln -sfn "$top/$from" "$src/$to"
		}
	done < "$src/.pev-overlay.new"
	mv "$src/.pev-overlay.new" "$src/.pev-overlay"
}

prepare_source() {
	local id
	id=$(source_id)
	if [ "$(cat "$src/.pev-source" 2>/dev/null)" != "$id" ]; then
		rm -rf "$src"
		[ -n "$linux_src" ] || unpack
	fi
	[ -z "$linux_src" ] || copy_tree
	echo "$id" > "$src/.pev-source"
	apply_patches
	lay_overlay
}

# --- build ----------------------------------------------------------------

kmake() {
	export CCACHE_DIR=$cache/ccache CCACHE_BASEDIR=$build CCACHE_NOHASHDIR=1
	export CCACHE_MAXSIZE=8G CCACHE_SLOPPINESS=time_macros
	export KBUILD_BUILD_USER=pev KBUILD_BUILD_HOST=pev KBUILD_BUILD_VERSION=1
	export KBUILD_BUILD_TIMESTAMP='Thu Jan  1 00:00:00 UTC 2026'
	nice make -C "$src" O="$out" ARCH=$karch CROSS_COMPILE=$cross \
		CC="ccache ${cross}gcc" HOSTCC="ccache gcc" -j"$jobs" "$@"
}

# pev.config, less what the overlay does not define (yet).
pev_fragment() {
	[ -f "$src/kernel/pev/Kconfig" ] || {
		say "warning: no kernel/pev/Kconfig: building without pev"
		return 0
	}
	local line sym defs
	defs=$(overlay_files | cut -d ' ' -f 2 | grep Kconfig | sed "s,^,$src/,")
	while read -r line; do
		sym=$(sed -n -E 's/^CONFIG_([A-Z0-9_]+)=.*/\1/p' <<< "$line")
		[ -n "$sym" ] || continue
		# shellcheck disable=SC2086
		if grep -q -s -E "^[[:space:]]*(menu)?config $sym\$" $defs "$src/samples/Kconfig"; then
			echo "$line"
		else
			say "warning: no Kconfig defines $sym yet: skipped"
		fi
	done < "$top/configs/pev.config"
}

check_config() {
	local bad
	bad=$(cat "$@" | awk -v config="$out/.config" '
		BEGIN {
			while ((getline line < config) > 0) {
				eq = index(line, "=")
				if (line ~ /^CONFIG_/ && eq)
					have[substr(line, 1, eq - 1)] = substr(line, eq + 1)
			}
		}
		/^CONFIG_/ { eq = index($0, "="); want[substr($0, 1, eq - 1)] = substr($0, eq + 1) }
		END {
			for (s in want) {
				h = (s in have) ? have[s] : "n"
				if (h != want[s])
					print s "=" want[s] " asked for, " h " made"
			}
		}')
	if [ -n "$bad" ]; then
		say "these symbols did not stick (unmet dependency?):"
		echo "$bad" >&2
		rm -f "$out/.pev-config"
		exit 1
	fi
}

configure() {
	local stamp
	mkdir -p "$out"
	pev_fragment > "$out/.pev.fragment"
	stamp=$({ fragments; echo "$out/.pev.fragment"; } | xargs cat |
		cat - "$src/.pev-series" "$src/.pev-source" | sha256sum)
	if [ -f "$out/.config" ] && [ "$(cat "$out/.pev-config" 2>/dev/null)" = "$stamp" ]; then
		return
	fi
	say "configuring $arch $flavor"
	local frags
	mapfile -t frags < <(fragments; echo "$out/.pev.fragment")
	"$src/scripts/kconfig/merge_config.sh" -m -O "$out" "${frags[@]}" > "$out/.merge.log"
	mv "$out/.config" "$out/.pev.merged"
	# Not olddefconfig: options that were not asked for are off, even if they default to on.
	KCONFIG_ALLCONFIG=$out/.pev.merged kmake -s allnoconfig
	check_config "${frags[@]}"
	echo "$stamp" > "$out/.pev-config"
}

# Where KCOV sees the kernel pass, which is in pev only: address, function, file:line of
# the innermost function that pev has there. It reports the address behind the call.
coverage_points() {
	"${cross}objdump" -d --no-show-raw-insn "$out/vmlinux" | awk '
		after { sub(":", "", $1); print $1; after = 0 }
		/(call|bl) .*<__sanitizer_cov_trace_pc(\+0x8)?>/ { after = 1 }' |
		"${cross}addr2line" -a -f -i -e "$out/vmlinux" | awk '
		/^0x/ { address = substr($1, 3); next }
		address && !line { name = $1; line = 1; next }
		line {
			line = 0
			if (match($1, "(kernel|arch/[a-z0-9]+)/pev/") && address) {
				print address, name, substr($1, RSTART)
				address = ""
			}
		}'
}

# Fills directory $1 with what a virtual machine and the tests need.
collect() {
	mkdir -p "$1/modules" "$1/kselftest"
	if [ $image = vmlinux ]; then
		"${cross}strip" -o "$1/$image" "$out/$imagepath"
	else
		cp "$out/$imagepath" "$1/$image"
	fi
	cp "$out/System.map" "$1/"
	cp "$out/.config" "$1/config"
	cp "$out/include/config/kernel.release" "$1/"
	cp "$src"/tools/testing/selftests/kselftest*.h "$1/kselftest/"
	# tell to what a report of FLAVOR=race belongs
	(cd "$out" && "${cross}nm" kernel/pev/built-in.a arch/$karch/pev/built-in.a) |
		awk '$2 ~ /^[tTwW]$/ { print $3 }' | sort -u > "$1/pev-functions"
	case $flavor in
	debug|cover) coverage_points > "$1/pev-coverage" ;;
	esac
	# the graphs to which gcov's counts belong
	(cd "$out" && find kernel/pev arch/$karch/pev -name '*.gcno') | while read -r gcno; do
		mkdir -p "$1/gcno/${gcno%/*}"
		cp "$out/$gcno" "$1/gcno/$gcno"
	done
	(cd "$out" && find . -name '*.ko') | while read -r ko; do
		cp "$out/$ko" "$1/modules/"
	done
}

# Keeps the newest images only: each edit of a developer makes one.
prune_cache() {
	find "$cache" -maxdepth 1 -name 'kernel-*' -printf '%T@ %p\n' | sort -rn |
		tail -n +25 | cut -d ' ' -f 2- | xargs -r -d '\n' rm -rf
}

install_image() {
	[ "$(cat "$img/key" 2>/dev/null)" != "$1" ] || return 0
	rm -rf "$img.tmp"
	mkdir -p "$build/$arch"
	cp -r "$2" "$img.tmp"
	echo "$1" > "$img.tmp/key"
	rm -rf "$img"
	mv "$img.tmp" "$img"
}

do_build() {
	local k start new
	start=$(date +%s)
	k=$(key)
	[ -z "$linux_src" ] || k=
	if [ -n "$k" ]; then
		[ "$(cat "$img/key" 2>/dev/null)" != "$k" ] || return 0
		if [ -f "$cache/kernel-$k/$image" ]; then
			say "$arch $flavor: from the cache"
			touch "$cache/kernel-$k"
			install_image "$k" "$cache/kernel-$k"
			return 0
		fi
	fi
	locked "$build/.source.lock" prepare_source
	configure
	say "building $arch $flavor with $jobs jobs"
	kmake -s $image modules
	new=$build/image.$$
	collect "$new"
	# Sources may have changed under the build: then the key is not its name.
	if [ -n "$k" ] && [ "$(key)" = "$k" ]; then
		mkdir -p "$cache"
		rm -rf "$cache/kernel-$k"
		cp -r "$new" "$cache/kernel-$k.$$" && mv -T "$cache/kernel-$k.$$" "$cache/kernel-$k"
		prune_cache
	else
		k=none-$$
	fi
	install_image "$k" "$new"
	rm -rf "$new"
	say "$arch $flavor: $(cat "$img/kernel.release") in $(($(date +%s) - start)) s"
}

# locked FILE COMMAND...: one at a time. The source tree and each output
# directory have a lock of their own: two architectures may build at once.
locked() {
	local fd lock=$1
	shift
	exec {fd}> "$lock"
	flock "$fd"
	"$@"
	exec {fd}>&-
}

configured_make() {
	locked "$build/.source.lock" prepare_source
	configure
	kmake "$@"
}

# bash reads a script as it runs it: all of it must have been read by now.
main() {
	case ${1:-} in
	build)	locked "$build/.$arch-$flavor.lock" do_build ;;
	source)	locked "$build/.source.lock" prepare_source ;;
	make)	shift
		locked "$build/.$arch-$flavor.lock" configured_make "$@" ;;
	key)	key ;;
	*)	usage ;;
	esac
}

main "$@"; exit
