/* SPDX-License-Identifier: GPL-2.0 */
/* How changes of labels are shown. */
#ifndef PERFCTL_FLEET_CHANGES_PRINT_H
#define PERFCTL_FLEET_CHANGES_PRINT_H

#include "changes.h"

/**
 * struct changes_shape - what is shown, and how
 * @limit: percent; smaller changes are not shown
 * @p_limit: those that chance explains with a higher probability neither
 */
struct changes_shape {
	double limit;
	double p_limit;
	bool all;
	bool color;
};

void changes_print(const struct changes *c, const char *const spans[SIDES],
		   const struct changes_shape *shape);
void changes_print_csv(const struct changes *c, const struct changes_shape *shape);
void changes_print_json(const struct changes *c, const struct changes_shape *shape);

#endif
