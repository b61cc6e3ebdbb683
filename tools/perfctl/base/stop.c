// SPDX-License-Identifier: GPL-2.0
/* What asks the program to end. See stop.h. */
#include "stop.h"

#include <stddef.h>

static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
#define N_SIGNALS (sizeof(signals) / sizeof(signals[0]))

static volatile sig_atomic_t came;
static volatile bool *volatile told;

void stop_signals(sigset_t *set)
{
	struct sigaction now;

	sigemptyset(set);
	for (size_t i = 0; i < N_SIGNALS; i++)
		if (!sigaction(signals[i], NULL, &now) && now.sa_handler != SIG_IGN)
			sigaddset(set, signals[i]);
}

static void on_signal(int sig)
{
	(void)sig;
	came = 1;
	if (told)
		*told = true;
}

void stop_catch(volatile bool *flag)
{
	/* without SA_RESTART: what waits notices */
	struct sigaction act = { .sa_handler = on_signal };
	sigset_t set;

	told = flag;
	stop_signals(&set);
	for (size_t i = 0; i < N_SIGNALS; i++)
		if (sigismember(&set, signals[i]))
			sigaction(signals[i], &act, NULL);
}

bool stop_wanted(void)
{
	sigset_t pending, set;

	if (came)
		return true;
	stop_signals(&set);
	sigpending(&pending);
	for (size_t i = 0; i < N_SIGNALS; i++)
		if (sigismember(&set, signals[i]) && sigismember(&pending, signals[i]))
			return true;
	return false;
}
