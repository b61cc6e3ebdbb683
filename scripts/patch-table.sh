#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The list of patches/linux-6.12 with what each is for and how many lines it
# adds and removes, from the patches themselves: the first line of each is its
# title.
#
# usage: patch-table.sh            to stdout
#        patch-table.sh --update   into patches/README
#        patch-table.sh --check    fails if patches/README is behind
set -euo pipefail
cd "$(dirname "$0")/.."
mark='Each patch, with the lines that it adds and removes:'

table() {
	local p title plus minus all_plus=0 all_minus=0 n=0
	for p in patches/linux-6.12/[0-9]*.patch; do
		[ -f "$p" ] || continue
		title=$(sed -n -E '/^(From|Date|---|diff) ?/d; s/^Subject: *(\[[^]]*\] *)?//; /./{p;q}' "$p")
		plus=$(grep -c '^+\([^+]\|$\)' "$p" || true)
		minus=$(grep -c '^-\([^-]\|$\)' "$p" || true)
		printf '%-52s +%d -%d\n    %s\n' "$(basename "$p" .patch)" "$plus" "$minus" "$title"
		all_plus=$((all_plus + plus)) all_minus=$((all_minus + minus)) n=$((n + 1))
	done
	printf '\n%-52s +%d -%d\n' "$n in all" $all_plus $all_minus
}

readme() {
	sed "/^$mark/,\$d" patches/README
	printf '%s\n\n' "$mark"
	table
}

case ${1:-} in
'')	table ;;
--update) readme > patches/README.new && mv patches/README.new patches/README ;;
--check) diff -u patches/README <(readme) || {
		echo "run scripts/patch-table.sh --update"
		exit 1
	} ;;
*)	sed -n '/^# usage/,/^[^#]/s/^# //p' "$0" >&2; exit 2 ;;
esac
