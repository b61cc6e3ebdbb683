#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Installs the Debian packages of packages.txt that are missing. Asking dpkg
# is the fast path: nothing else happens on a machine that has them all.
# PEV_NO_INSTALL=1 only reports.
#
# usage: setup.sh [PART...]    PART: those below the line "# PART ..." of packages.txt
set -eu

list=$(dirname "$0")/packages.txt
# of PART...: the packages, or all of them
packages() {
	awk -v parts="$*" '
	/^#/ { wanted = parts == "" || index(" " parts " ", " " $2 " "); next }
	wanted && NF && !seen[$1]++ { print $1 }' "$list"
}

for part; do
	[ -n "$(packages "$part")" ] || {
		echo "setup: packages.txt has no part \"$part\"" >&2
		exit 2
	}
done
want=$(packages "$@")

missing() {
	have=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' 2>/dev/null |
		sed -n 's/^installed //p')
	for p in $want; do
		case "
$have
" in
		*"
$p
"*) ;;
		*) echo "$p" ;;
		esac
	done
}

need=$(missing)
[ -n "$need" ] || exit 0

if [ -n "${PEV_NO_INSTALL:-}" ]; then
	echo "setup: missing packages:" $need >&2
	exit 1
fi

sudo=
if [ "$(id -u)" != 0 ]; then
	sudo=sudo
	command -v sudo >/dev/null || {
		echo "setup: need root or sudo to install:" $need >&2
		exit 1
	}
fi

echo "setup: installing" $need >&2
export DEBIAN_FRONTEND=noninteractive
$sudo apt-get -q update >&2
# shellcheck disable=SC2086
$sudo env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends \
	install $need >&2
