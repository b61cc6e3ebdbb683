# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034
# What known.S does in user mode, on this machine: see there, in known-ppc64le.S, and in
# tests/arm64/known.S.
case $(uname -m) in
x86_64)	instructions=$((2 + 2 * (2 + 2 * 1000000 + 1 + 4 * 1000 + 2) + 6 + 2 * 3))
	branches=$((2 * (1000000 + 1000 + 1))) ;;
ppc64le) instructions=$((2 + 2 * (4 + 2 * 1000000 + 1 + 4 * 1000 + 2) + 6 + 2 * 3)) ;;
aarch64) instructions=$((7 + 2 * (3 + 2 * 1000000 + 1 + 4 * 1000 + 1) + 6 + 2 * 3)) ;;
esac
