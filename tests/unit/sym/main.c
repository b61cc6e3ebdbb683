// SPDX-License-Identifier: GPL-2.0
/* Runs the tests of libpev-sym on generated objects: main DIR; prints TAP. */
#include "tests.h"

const char *objects;

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	objects = argv[1];
	test_tables();
	test_names();
	test_files();
	test_lines();
	test_kernel();
	test_jit();
	test_named();
	test_others();
	test_chains();
	test_arm64();
	test_hostile();
	return tap_plan();
}
