# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154
# What packages of one commit have in common: $arch, which Debian calls $debarch, and its $cross
# compiler; $version, the library's and which commit it is, without that $upstream; $maintainer;
# SOURCE_DATE_EPOCH. Expects $top.
#
# ARCH=x86_64|ppc64le; DEBFULLNAME and DEBEMAIL are the maintainer.
arch=${ARCH:-x86_64}
case $arch in
x86_64)	 debarch=amd64 cross= ;;
ppc64le) debarch=ppc64el cross=powerpc64le-linux-gnu- ;;
*)	 echo "deb: no packages for $arch" >&2; exit 2 ;;
esac

version=$(sed -n 's/.*PEV_VERSION "\(.*\)"/\1/p' "$top/tools/lib/pev/include/pev/version.h")
upstream=$version
time=$(date +%s)
if commit=$(git -C "$top" rev-parse --short=7 HEAD 2>/dev/null); then
	time=$(git -C "$top" log -1 --format=%ct)
	version+=+git$(date -u -d "@$time" +%Y%m%d.%H%M%S).$commit
	git -C "$top" diff --quiet HEAD 2>/dev/null || version+=+changed
fi
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$time}
maintainer="${DEBFULLNAME:-The pev developers} <${DEBEMAIL:-pev@localhost}>"

# changelog SOURCE: the packages'
changelog() {
	cat <<-END
	$1 ($version) unstable; urgency=medium

	  * Built from its sources: see their history.

	 -- $maintainer  $(date -u -R -d "@$SOURCE_DATE_EPOCH")
	END
}
