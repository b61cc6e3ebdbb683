// SPDX-License-Identifier: GPL-2.0
/*
 * Terminals of the hypervisor's, in the order in which qemu_vmm has them behind the console. They
 * need no driver but the console's own.
 */
#include "host.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/reboot.h>
#include <termios.h>
#include <unistd.h>

enum { STATUS = HOST_FILE + 1, TERMINALS };

static int terminals[TERMINALS];

void host_open(void)
{
	for (int i = 0; i < TERMINALS; i++) {
		struct termios raw;
		char path[16];

		snprintf(path, sizeof(path), "/dev/hvc%d", i + 1);
		terminals[i] = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);
		if (terminals[i] < 0 || tcgetattr(terminals[i], &raw))
			die("init: %s: %m", path);
		cfmakeraw(&raw);
		if (tcsetattr(terminals[i], TCSANOW, &raw))
			die("init: %s cannot be set: %m", path);
	}
}

static void write_all(int fd, const char *at, size_t size)
{
	while (size) {
		ssize_t n = write(fd, at, size);

		if (n <= 0) {
			perror("init: a terminal of the VMM's");
			return;
		}
		at += n;
		size -= n;
	}
}

void host_send(enum host_stream to, const void *page, size_t size)
{
	write_all(terminals[to], page, size);
}

void host_end(int status)
{
	char text[16];

	write_all(terminals[STATUS], text, snprintf(text, sizeof(text), "%d\n", status));
	for (int i = 0; i < TERMINALS; i++)
		tcdrain(terminals[i]);
	reboot(RB_POWER_OFF);
	for (;;)
		pause();
}
