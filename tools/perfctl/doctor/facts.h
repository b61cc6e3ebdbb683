/* SPDX-License-Identifier: GPL-2.0 */
/* perfctl doctor: facts about this machine that bug reports need, each as a few lines. */
#ifndef PERFCTL_DOCTOR_FACTS_H
#define PERFCTL_DOCTOR_FACTS_H

#include "cli/opt.h"

/**
 * struct facts_source - what facts are drawn from besides the machine
 * @commands: all of perfctl's
 */
struct facts_source {
	const struct command *const *commands;
	size_t n_commands;
};

void facts_perfctl(const struct facts_source *from, FILE *out);
void facts_doctor(const struct facts_source *from, FILE *out);
void facts_kernel(const struct facts_source *from, FILE *out);
/* What of the kernel's configuration concerns measuring */
void facts_kernel_config(const struct facts_source *from, FILE *out);
void facts_sysctls(const struct facts_source *from, FILE *out);
void facts_processor(const struct facts_source *from, FILE *out);
/* All of /sys/bus/event_source */
void facts_pmus(const struct facts_source *from, FILE *out);
void facts_limits(const struct facts_source *from, FILE *out);
void facts_mounts(const struct facts_source *from, FILE *out);
/* Values of the few variables without secrets; of others whether they are set */
void facts_environment(const struct facts_source *from, FILE *out);
/* perfctl's configuration: known options, with values that can hold no secret */
void facts_config(const struct facts_source *from, FILE *out);

#endif
