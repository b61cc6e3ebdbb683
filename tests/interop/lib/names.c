// SPDX-License-Identifier: GPL-2.0
/*
 * Gives itself names with every kind of byte: controls, escape sequences for a
 * terminal, quotes, UTF-8, and invalid UTF-8.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const names[] = {
	"\033[31mred\033[0m", "\033]0;title\007", "\302\2331mC1 control", "tab\there",
	"line\nbreak", "q\"uo'te\\s", "gr\303\274\303\237e \342\202\254", "\360\237\220\247 tux",
	"cut \303", "\377\376\200bad", "\r\b\177", "a=1, b=\"2\" }", "%s%n%d", " ", "\342\200\256rtl",
	"\001\002\003\004\005\006\010\013\014\016\017\020\021\022\023", "normal",
};

int main(void)
{
	for (unsigned int i = 0; i < sizeof(names) / sizeof(*names); i++) {
		prctl(PR_SET_NAME, names[i]);
		/* the name of a file, too */
		close(open(names[i], O_RDONLY));
		usleep(1000);
		access(names[i], R_OK);
	}
	return 0;
}
