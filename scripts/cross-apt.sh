#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# apt for Debian's packages of another architecture or release, fed from the machine's apt
# sources, with all its state in DIR: the machine's own is not touched. Backports are known, too;
# apt prefers others. Of another release there is what it was published with.
#
# usage: ARCH=x86_64|ppc64le|arm64 [RELEASE=bullseye] cross-apt.sh DIR get|cache ARGUMENT...
#	of apt-get or apt-cache
set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
dir=$1 tool=apt-$2
shift 2
case ${ARCH:-} in
x86_64)	debarch=amd64 ;;
ppc64le) debarch=ppc64el ;;
arm64)	debarch=arm64 ;;
*)	echo "cross-apt: ARCH=${ARCH:-} is none of x86_64, ppc64le and arm64" >&2; exit 2 ;;
esac

sources() {
	local list
	list=$("$top/scripts/apt-sources.sh")
	if [ -n "${RELEASE:-}" ]; then
		sed -n "s/ [a-z]* main$/ $RELEASE main/p" <<< "$list"
		return
	fi
	echo "$list"
	sed -n 's/ \([a-z]*\) main$/ \1-backports main/p' <<< "$list" | grep -v security
}

mkdir -p "$dir/state/lists/partial" "$dir/cache/archives/partial"
[ -e "$dir/status" ] || : > "$dir/status"
[ -s "$dir/sources.list" ] || sources > "$dir/sources.list"
exec "$tool" -q -o Dir::State="$dir/state" -o Dir::State::status="$dir/status" \
	-o Dir::Cache="$dir/cache" -o Dir::Etc::sourcelist="$dir/sources.list" \
	-o Dir::Etc::sourceparts=/dev/null -o Dir::Log="$dir" \
	-o APT::Architecture=$debarch -o APT::Architectures::=$debarch \
	-o APT::Install-Recommends=false -o APT::Sandbox::User=root \
	-o Debug::NoLocking=true -o Acquire::Languages=none "$@"
