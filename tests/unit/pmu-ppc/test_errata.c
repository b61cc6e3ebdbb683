// SPDX-License-Identifier: GPL-2.0
/* What processors are known to do wrong. */
#include <asm/ptrace.h>
#include "../../../arch/powerpc/pev/cpu.h"
#include "../../../arch/powerpc/pev/power.h"
#include "check.h"
#include "core.h"
#include "model.h"

int failed;

#define USER_INSTRUCTIONS (0x500fa | CFG_IDLE_TOO | CFG_NOT_KERNEL | CFG_NOT_HV)
#define USER_ANY (0x00002 | CFG_NOT_KERNEL | CFG_NOT_HV)

static void begin(bool edge)
{
	model_reset();
	core_reset();
	machine.no_pmao = true;
	machine.edge = edge;
	machine.handler = ppc_pev_pmi;
	ppc_pev_model_is(&ppc_pev_models[0]);
	ppc_pev_cpu_start();
	update_begin();
	attach(4, USER_INSTRUCTIONS, 100);
	attach(0, USER_ANY, 0);
	update_end();
	/* an overflow whose PMI is held off, and an update that takes the alert away */
	machine.ee = false;
	model_run(USER, false, 100);
	update_begin();
	update_end();
	machine.ee = true;
}

static void end(void)
{
	update_begin();
	detach(4);
	detach(0);
	update_end();
	ppc_pev_cpu_stop();
	EQ(incidents[PEV_PMU_FOREIGN] + incidents[PEV_PMU_STUCK], 0);
}

/* The condition, which is still there, raises it again. */
static void pmao_by_condition(void)
{
	begin(false);
	model_run(USER, false, 1000);
	EQ(events[4].samples, 1100 / 100);
	end();
	EQ(events[4].count, machine.total[4]);
	EQ(events[0].count, machine.total[0]);
}

/* Nothing does: the overflow is lost, but all count on, and the core can repair it. */
static void pmao_lost(void)
{
	begin(true);
	model_run(USER, false, 500);
	EQ(events[4].samples, 0);
	fold_running(4);
	fold_running(0);
	EQ(events[4].count, machine.total[4]);
	EQ(events[0].count, machine.total[0]);
	TRUE(events[0].count >= 600);
	/* what heal() does with an event that is overdue */
	update_begin();
	reload(4);
	update_end();
	model_run(USER, false, 10);
	TRUE(events[4].samples);
	end();
	EQ(events[4].count, machine.total[4]);
}

static const struct test tests[] = {
	{ "PMAO that can't be set: the condition raises the PMI again", pmao_by_condition },
	{ "PMAO that can't be set: nothing stands still", pmao_lost },
};

int main(void)
{
	return run_tests(tests, ARRAY_SIZE(tests));
}
