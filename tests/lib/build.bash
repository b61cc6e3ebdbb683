# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# The programs that tests of the command measure: DIR/NAME.c, with DIR/NAME_*.c if there
# are any, where call chains by frame pointers are whole. NAME.so is a library. libpev is
# there for those that call it. What DIR/variants names has the source and the flags that are there.

# $ARCH: the machine that they are for, another one than this if a compiler for it is installed.

# The directory of BUILD that a machine's files are in is called as the kernel calls the machine.
pev_arch() {
	local machine
	machine=$(uname -m)
	case $machine in
	aarch64) echo arm64 ;;
	*)	echo "$machine" ;;
	esac
}

# cross_of ARCH: what stands before gcc
cross_of() {
	[ "$1" != "$(pev_arch)" ] || return 0
	case $1 in
	ppc64le) echo powerpc64le-linux-gnu- ;;
	arm64)	echo aarch64-linux-gnu- ;;
	esac
}

# compile_program DIR NAME OUT
compile_program() {
	local parts top libpev shared=() variant arch=${ARCH:-$(pev_arch)}
	read -ra variant < <(sed -n "s/^$2  *//p" "$1/variants" 2>/dev/null)
	if [ ${#variant[@]} != 0 ]; then
		"$(cross_of "$arch")gcc" "${variant[@]:1}" -o "$3" "$1/${variant[0]}"
		return
	fi
	[[ $2 != *.so ]] || shared=(-shared -fPIC)
	top=$(dirname "${BASH_SOURCE[0]}")/../..
	libpev=${BUILD:-$top/build}/$arch/tools/libpev/libpev.a
	mapfile -t parts < <(compgen -G "$1/$2_*.c")
	[ ! -e "$libpev" ] || parts+=("$libpev")
	"$(cross_of "$arch")gcc" -O1 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -pthread \
		-D_GNU_SOURCE -Wall "${shared[@]}" -I"$top/tools/lib/pev" \
		-I"$top/tools/lib/pev/include" -I"$top/include/uapi" \
		-o "$3" "$1/$2.c" "${parts[@]}" -lm -ldl
}

# is_made DIR OUT: and nothing that a program of DIR is made of is younger
is_made() {
	local top file
	top=$(dirname "${BASH_SOURCE[0]}")/../..
	for file in "$1"/* "$top"/tests/lib/* "${BUILD:-$top/build}/${ARCH:-$(pev_arch)}/tools/libpev/libpev.a"; do
		[ "$2" -nt "$file" ] || [ ! -e "$file" ] || return 1
	done
}

# compile_programs OUT DIR...: all of them that are not there yet, for a guest in which a compiler takes long.
# There, $PEV_PROGRAMS is OUT.
compile_programs() {
	local dir source name
	mkdir -p "$1"
	for dir in "${@:2}"; do
		for source in "$dir"/*.c; do
			name=$(basename "$source" .c)
			case $name in
			*_*)	;;
			*)	is_made "$dir" "$1/$name" || compile_program "$dir" "$name" "$1/$name" || return ;;
			esac
		done
		for name in $(sed -n 's/^\([a-z][^ ]*\) .*/\1/p' "$dir/variants" 2>/dev/null); do
			is_made "$dir" "$1/$name" || compile_program "$dir" "$name" "$1/$name" || return
		done
	done
}
