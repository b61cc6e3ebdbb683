#!/bin/bash
# Everything that can be said about the code without running it.
#
#   checkpatch --strict   kernel code of the overlay
#   W=1 C=1               compiler warnings, kernel-doc and sparse on kernel/pev
#                         and the architectures' backends
#   -Wall -Wextra         the tools, in a build directory of their own
#   codespell             all text
#   bash -n, shellcheck   all shell scripts
#   patches               each applies, and patches/README lists them
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
build=${BUILD:-$PWD/build}
export BUILD=$build
bad=0

check() {
	local name=$1 out
	shift
	if out=$("$@" 2>&1); then
		printf 'lint: %-12s ok\n' "$name"
	else
		printf 'lint: %-12s FAILED\n' "$name"
		sed 's/^/    /' <<< "$out"
		bad=1
	fi
}

kernel_files() {
	git ls-files -co --exclude-standard -- kernel include 'arch/*/pev' samples tests/kunit |
		grep -E '\.[chS]$'
}

checkpatch() {
	local files out dictionary
	dictionary=$(dpkg -L codespell | grep '/codespell_lib/data/dictionary.txt$')
	mapfile -t files < <(kernel_files)
	[ ${#files[@]} != 0 ] || return 0
	# What checkpatch cannot know: new files need no MAINTAINERS entry here.
	out=$(for f in "${files[@]}"; do
		perl "$build/linux/scripts/checkpatch.pl" --root="$build/linux" --strict \
			--no-summary --terse --show-types --ignore FILE_PATH_CHANGES,LINUX_VERSION_CODE \
			--codespell --codespellfile="$dictionary" -f "$f" 2>/dev/null
	done)
	echo "$out"
	! grep -q -E ': (ERROR|WARNING|CHECK):' <<< "$out"
}

# Objects of the overlay are built anew, so that each warning comes out.
kbuild() {
	local dirs=() d out
	for d in kernel/pev $([ "$1" = x86_64 ] && echo arch/x86/pev || echo arch/powerpc/pev); do
		[ -f "$d/Makefile" ] && dirs+=("$d/")
	done
	[ ${#dirs[@]} != 0 ] || return 0
	rm -rf "$build/linux/out-$1-lint"/{kernel/pev,arch/*/pev}
	out=$(ARCH=$1 FLAVOR=lint scripts/kernel.sh make -s W=1 C=1 "${dirs[@]}" 2>&1)
	local rc=$?
	# -Wno-... of kbuild's own scripts are not ours: only our paths count.
	out=$(grep -E '(kernel/pev|arch/[a-z0-9]+/pev|linux/pev|trace/pev|error:|Error )' <<< "$out")
	echo "$out"
	[ $rc = 0 ] && ! grep -q -E '(warning|error):' <<< "$out"
}

tools() {
	local out rc
	[ -f tools/perfctl/Makefile ] || return 0
	mkdir -p "$build/lint-tools"
	out=$(make -s -C tools/perfctl O="$build/lint-tools" -B -j2 \
		EXTRA_CFLAGS='-Wall -Wextra -Wno-unused-parameter -Wno-sign-compare' 2>&1)
	rc=$?
	grep -E 'warning:|error:|Error ' <<< "$out"
	[ $rc = 0 ] && ! grep -q -E '(warning|error):' <<< "$out"
}

spelling() {
	git ls-files -co --exclude-standard -- ':!patches' ':!*.patch' |
		xargs -r -d '\n' codespell -q 3 --ignore-words-list=inout,ro,creat,parms,recrod,crate
}

shell_scripts() {
	git ls-files -co --exclude-standard | while read -r f; do
		if [ -f "$f" ] && head -c 20 "$f" | grep -a -q -E '^#!/bin/(ba)?sh'; then
			echo "$f"
		fi
	done
}

shells() {
	local f rc=0
	for f in $(shell_scripts); do
		bash -n "$f" || rc=1
	done
	# Words are split on purpose where lists of names are passed, and -Wl,x
	# in an array is one word.
	shell_scripts | xargs -r shellcheck -S warning -e SC2086,SC2046,SC2054 || rc=1
	return $rc
}

scripts/kernel.sh source || exit 1
check checkpatch checkpatch
check patches scripts/patch-table.sh --check
check W=1,sparse kbuild x86_64
[ ! -f arch/powerpc/pev/Makefile ] || check ppc64le kbuild ppc64le
check tools tools
check codespell spelling
check shell shells
exit $bad
