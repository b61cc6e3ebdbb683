/* SPDX-License-Identifier: GPL-2.0 */
/* How the commands of "perfctl probe" show what they find. */
#ifndef PERFCTL_PROBE_VIEW_H
#define PERFCTL_PROBE_VIEW_H

#include "base/util.h"

/**
 * struct probe_view - how it is shown
 * @json:  as JSON
 * @names: places alone, one a line, as -e takes them
 */
struct probe_view {
	bool json;
	bool names;
};

#endif
