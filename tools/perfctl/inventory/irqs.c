// SPDX-License-Identifier: GPL-2.0
/* Interrupts with handlers: /sys/kernel/irq, which says what /proc/interrupts lays out. */
#include "readers.h"
#include "rows.h"

#include <stdlib.h>
#include <unistd.h>

static int read_irqs(struct gather *g)
{
	int dir = rows_open(g->sys, "kernel/irq"), err = 0;
	char name[40], actions[INVENTORY_TEXT], chip[256];
	uint32_t *irqs;
	size_t n;

	if (dir < 0) {
		rows_unreadable(g, INVENTORY_IRQ, dir);
		return 0;
	}
	irqs = rows_numbers(dir, "", &n);
	for (size_t i = 0; i < n && !err; i++) {
		snprintf(name, sizeof(name), "%u/actions", irqs[i]);
		if (!rows_text(dir, name, actions, sizeof(actions)) || !*actions)
			continue;
		snprintf(name, sizeof(name), "%u/chip_name", irqs[i]);
		if (!rows_text(dir, name, chip, sizeof(chip)))
			*chip = '\0';
		err = rows_add(g, &(struct inventory_row){
					  .kind = INVENTORY_IRQ,
					  .n = { irqs[i] },
					  .s = { actions, chip },
				  });
	}
	free(irqs);
	close(dir);
	return err;
}

const struct inventory_reader inventory_irqs = { read_irqs };
