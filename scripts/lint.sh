#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Everything that can be said about the code without running it.
#
#   layers                who includes what: scripts/layers
#   checkpatch            the kernel part with --strict, the tools and tests with what
#                         is right in no C
#   licences              which the first lines of sources name
#   kernel-doc            headers of the kernel part; W=1 checks its .c files
#   W=1 C=1               compiler warnings, kernel-doc and sparse on kernel/pev
#                         and the architectures' backends
#   tools                 perfctl and both libraries, with -Werror
#   clang-format          lines of the tools and tests that differ from LINT_BASE
#   codespell, words      all text; scripts/words has words that are not to come back
#   bash -n, shellcheck   all shell scripts
#   patches               each applies, and patches/README lists them
#
# What passed is remembered in BUILD/lint and not looked at again before it changes;
# objects are kept, too. LINT_BASE=main looks at the format of a whole branch, by
# default it is HEAD: what is not committed yet. LINT="layers tools" makes these checks alone.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
build=${BUILD:-$PWD/build}
export BUILD=$build
seen=$build/lint
jobs=$(nproc)
bad=0

# What checkpatch looks for in user space: what the compiler and clang-format let pass and
# is right in no C. Its other checks are about the kernel's headers and macros, or about
# tables and tests that are laid out on purpose.
user_types=SPDX_LICENSE_TAG,TRAILING_WHITESPACE,CODE_INDENT,SPACE_BEFORE_TAB,DOS_LINE_ENDINGS
user_types+=,INDENTED_LABEL,SWITCH_CASE_INDENT_LEVEL,DEEP_INDENTATION,LINE_CONTINUATIONS
user_types+=,OPEN_BRACE,ELSE_AFTER_BRACE,WHILE_AFTER_BRACE,POINTER_LOCATION,LOGICAL_CONTINUATIONS
user_types+=,ASSIGN_IN_IF,RETURN_PARENTHESES,SIZEOF_PARENTHESIS,FUNCTION_WITHOUT_ARGS
user_types+=,ONE_SEMICOLON,DEFAULT_NO_BREAK,UNNECESSARY_BREAK,RETURN_VOID
user_types+=,UNNECESSARY_CONTINUE,GLOBAL_INITIALISERS,STORAGE_CLASS,INLINE_LOCATION,UNNECESSARY_CASTS
user_types+=,MULTISTATEMENT_MACRO_USE_DO_WHILE,DO_WHILE_MACRO_WITH_TRAILING_SEMICOLON
user_types+=,TYPO_SPELLING,EXECUTE_PERMISSIONS

licences='GPL-2\.0|GPL-2\.0 WITH Linux-syscall-note|GPL-2\.0 OR MIT|LGPL-2\.1-only'

# Named in LINT, or nothing is.
wanted() { [ -z "${LINT:-}" ] || [[ " $LINT " = *" $1 "* ]]; }

names=()
check() {
	local name=$1 out
	shift
	names+=("$name")
	wanted "$name" || return 0
	if out=$("$@" 2>&1); then
		printf 'lint: %-12s ok\n' "$name"
	else
		printf 'lint: %-12s FAILED\n' "$name"
		sed 's/^/    /' <<< "$out"
		bad=1
	fi
}

# sources PATTERN PATH...: files of the tree, new ones as well, whose names match
sources() {
	git ls-files -co --exclude-standard -- "${@:2}" | grep -E "$1" |
		while read -r f; do [ ! -f "$f" ] || echo "$f"; done
}

kernel_sources() { sources '\.[chS]$' kernel include 'arch/*/pev' 'arch/*/kvm' samples; }

# The emulators' sources follow QEMU's style.
user_sources() { sources '\.[ch]$' tools tests Documentation/examples ':!tests/qemu/machine'; }

# once NAME COMMAND...: runs the command with those of the files on standard input that
# have not passed it as they are. A line of its output that begins with a file's name
# is a finding.
once() {
	local name=$1 stamps out hash file
	shift
	stamps=$seen/$name-$(echo "$@" | sha256sum | cut -c 1-12)
	mkdir -p "$stamps"
	xargs -r -d '\n' sha256sum | while read -r hash file; do
		[ -e "$stamps/$hash" ] || echo "$hash $file"
	done > "$seen/$name.todo"
	out=$(cut -d ' ' -f 2- "$seen/$name.todo" | xargs -r -d '\n' -P "$jobs" -n 16 "$@" 2>&1)
	while read -r hash file; do
		grep -q -F "$file:" <<< "$out" || touch "$stamps/$hash"
	done < "$seen/$name.todo"
	[ -z "$out" ] || echo "$out"
	[ -z "$out" ]
}

# Without a git directory it does not start scripts/spdxcheck.py for each file; perl's own
# warnings (-X), as of a lock defined in a file's last line, are about checkpatch.
checkpatch=(env GIT_DIR=/nonexistent perl -X "$build/linux/scripts/checkpatch.pl" "--root=$build/linux" --strict
	--quiet --no-summary --terse --show-types)

# New files need no MAINTAINERS entry here, and a list of declarations is a macro that
# ends with a semicolon.
kernel_ignored=FILE_PATH_CHANGES,LINUX_VERSION_CODE,TRAILING_SEMICOLON

# Lists of names, X(name), and what a header of trace/events is expanded to: a macro there
# stands for declarations, has the parameters that Linux's headers give it, and may be a path.
# What is made of a structure's members is a list, too, and names types for _Generic(). The %
# before an operand of asm() is no modulo.
macro_sources='^(kernel/pev/(module/(shadow/.*|older/6\.1/(trace/.*|linux/sysctl\.h)|glue/linux\.h|resolve\.c)|glue/user\.h)|include/linux/pev_(record|marker)\.h)$'
macro_ignored=COMPLEX_MACRO,MULTISTATEMENT_MACRO_USE_DO_WHILE,SPACING
macro_ignored+=,MACRO_ARG_REUSE,MACRO_ARG_UNUSED,MACRO_ARG_PRECEDENCE
macro_ignored+=,CAMELCASE,INDENTED_LABEL,LOGICAL_CONTINUATIONS

checkpatch_kernel() {
	local rc=0
	kernel_sources | grep -v -E "$macro_sources" | once checkpatch \
		"${checkpatch[@]}" --ignore "$kernel_ignored" -f || rc=1
	kernel_sources | grep -E "$macro_sources" | once checkpatch-macros \
		"${checkpatch[@]}" --ignore "$kernel_ignored,$macro_ignored" -f || rc=1
	return $rc
}

# The macros of marks are parts of statements, and choose by type.
user_macro_source='^tools/lib/pev/include/pev/mark(_asm)?\.h$'

checkpatch_user() {
	local rc=0 types=$user_types
	user_sources | grep -v -E "$user_macro_source" | once checkpatch-user \
		"${checkpatch[@]}" --types "$types" -f || rc=1
	types=$(tr , '\n' <<< "$types" |
		grep -v -x -E 'MULTISTATEMENT_MACRO_USE_DO_WHILE|INDENTED_LABEL' | paste -sd ,)
	user_sources | grep -E "$user_macro_source" | once checkpatch-user-macros \
		"${checkpatch[@]}" --types "$types" -f || rc=1
	return $rc
}

check_patch() {
	local rc=0
	checkpatch_kernel || rc=1
	checkpatch_user || rc=1
	return $rc
}

# The emulators' sources have QEMU's own, some of them without a tag.
licences() {
	local out
	out=$(sources '\.([chS]|py|sh|bash|awk)$|Makefile$' . ':!tests/qemu/machine' |
		xargs -r -d '\n' grep -L -E "SPDX-License-Identifier: ($licences)( \*/|\r?$)")
	[ -z "$out" ] || echo "$out"
	[ -z "$out" ]
}

kernel_doc() {
	kernel_sources | grep '\.h$' |
		once kernel-doc perl "$build/linux/scripts/kernel-doc" -none -Werror
}

# Each warning is an error: an object that had one is made again the next time.
kbuild() {
	local dirs=() d out rc
	for d in kernel/pev $([ "$1" = x86_64 ] && echo arch/x86/pev || echo arch/powerpc/pev); do
		dirs+=("$d/")
	done
	out=$(ARCH=$1 FLAVOR=lint KDOC_WERROR=1 scripts/kernel.sh make -s W=1e C=1 \
		CF=-Wsparse-error "${dirs[@]}" 2>&1)
	rc=$?
	[ $rc = 0 ] || echo "$out"
	return $rc
}

tools() {
	local out rc
	mkdir -p "$build/lint-tools"
	out=$(make -s -C tools/perfctl O="$build/lint-tools" -j"$jobs" CFLAGS='-O2 -g -Werror' 2>&1)
	rc=$?
	[ $rc = 0 ] || echo "$out"
	return $rc
}

# Only what changes: a table that was aligned by hand, or a condition that is broken
# where it reads best, is not worth a commit that hides who wrote its lines.
format() {
	local out
	out=$(git diff -U0 --no-color -M "${LINT_BASE:-HEAD}" -- tools tests Documentation/examples \
		':!tests/qemu/machine' | clang-format-diff-14 -p1)
	[ -z "$out" ] || echo "$out"
	[ -z "$out" ]
}

prose() { sources . ':!patches' ':!*.patch'; }

spelling() {
	prose | xargs -r -d '\n' codespell -q 3 \
		--ignore-words-list=inout,ro,creat,parms,recrod,crate,bu,damon,iif
}

# Phrases, too, which codespell's dictionaries cannot have.
words() {
	local list=scripts/words out
	out=$(prose | grep -vx "$list" | xargs -r -d '\n' grep -I -n -i -o -w -F \
		-f <(sed -n '/^#/d; s/->.*//p' "$list") | awk -F '->' '
			NR == FNR { better[tolower($1)] = $2; next }
			{
				split($0, at, ":")
				word = substr($0, length(at[1] at[2]) + 3)
				print at[1] ":" at[2] ": \"" word "\" ==> " better[tolower(word)]
			}' <(grep -v '^#' "$list") -)
	[ -z "$out" ] || echo "$out"
	[ -z "$out" ]
}

shell_scripts() {
	sources . | while read -r f; do
		if head -c 20 "$f" | grep -a -q -E '^#!/bin/(ba)?sh' || [[ $f = *.bash ]]; then
			echo "$f"
		fi
	done
}

# Words are split on purpose where lists of names are passed, and -Wl,x in an array
# is one word.
shells() {
	local f rc=0
	for f in $(shell_scripts); do
		bash -n "$f" || rc=1
	done
	shell_scripts | once shellcheck shellcheck -f gcc -x -S warning -e SC2086,SC2046,SC2054 || rc=1
	return $rc
}

scripts/kernel.sh source || exit 1
mkdir -p "$seen"
check layers scripts/lint-layers
check checkpatch check_patch
check licences licences
check kernel-doc kernel_doc
check patches scripts/patch-table.sh --check
check W=1,sparse kbuild x86_64
check ppc64le kbuild ppc64le
check tools tools
check clang-format format
check codespell spelling
check words words
check shell shells
for name in ${LINT:-}; do
	[[ " ${names[*]} " = *" $name "* ]] && continue
	echo "lint: there is no check $name: LINT takes of ${names[*]}" >&2
	bad=1
done
exit $bad
