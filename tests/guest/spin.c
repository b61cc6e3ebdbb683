// SPDX-License-Identifier: GPL-2.0
/*
 * A program of a guest that spends its time in one function, of which the host knows the address:
 * it is linked with --section-start=.spin=ADDRESS.
 */
__attribute__((noinline, section(".spin"))) static void guest_spin(void)
{
	for (;;)
		__asm__ volatile("" : : : "memory");
}

int main(void)
{
	guest_spin();
}
