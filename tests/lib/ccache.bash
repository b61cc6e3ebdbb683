# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Objects that this clone or another has compiled before are taken from the cache: source it.
# A compilation with absolute paths below this tree is the same in each clone.
if [ -x /usr/lib/ccache/gcc ]; then
	export CCACHE_DIR=${PEV_CACHE:-$HOME/.cache/pev}/ccache CCACHE_MAXSIZE=8G CCACHE_NOHASHDIR=1
	CCACHE_BASEDIR=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
	export CCACHE_BASEDIR
	case :$PATH: in *:/usr/lib/ccache:*) ;; *) export PATH=/usr/lib/ccache:$PATH ;; esac
fi
