#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Prints Debian's entries of the machine's own apt sources, one a line, for roots
# that are made of packages.
set -eu

# apt expands these itself.
# shellcheck disable=SC2016
sources() {
	key=/usr/share/keyrings/debian-archive-keyring.gpg
	by=
	[ ! -f $key ] || by="[signed-by=$key] "
	apt-get indextargets --format "deb $by"'$(REPO_URI) $(RELEASE) $(COMPONENT)' \
		'Created-By: Packages' 'Origin: Debian' | sort -u
}

# Without lists of its own the machine's apt cannot name its sources.
if [ -z "$(sources)" ]; then
	sudo=
	[ "$(id -u)" = 0 ] || sudo=sudo
	$sudo apt-get -q update >&2
fi
sources
