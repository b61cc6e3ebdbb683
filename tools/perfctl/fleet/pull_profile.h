/* SPDX-License-Identifier: GPL-2.0 */
/* /debug/pprof/profile: some seconds of the whole machine, as pprof reads them. */
#ifndef PERFCTL_FLEET_PULL_PROFILE_H
#define PERFCTL_FLEET_PULL_PROFILE_H

#include "base/util.h"

#define PULL_SECONDS 30u

/*
 * Records and exports by perfctl itself, one at a time. @stop: ends it early. Returns a status of
 * HTTP: 503 while another one is made.
 */
unsigned int pull_profile(unsigned int seconds, const volatile bool *stop, const char **type,
			  struct strbuf *b);

#endif
