// SPDX-License-Identifier: GPL-2.0
/* Runs a guest until it is killed, and says so when it does. */
#include <stdio.h>
#include "vmm.h"

int main(void)
{
	struct vmm m;

	if (vmm_open(&m, false)) {
		perror("a guest of KVM");
		return 1;
	}
	if (!vmm_round(&m)) {
		puts("runs");
		fflush(stdout);
	}
	while (!vmm_round(&m))
		;
	vmm_close(&m);
	return 1;
}
