/* SPDX-License-Identifier: GPL-2.0 */
/* perfctl doctor: what works here, and what gives more, in a few lines. */
#ifndef PERFCTL_DOCTOR_SUMMARY_H
#define PERFCTL_DOCTOR_SUMMARY_H

#include "doctor.h"

/* Examines, and prints to @d->out a summary above the findings; returns an exit status. */
int doctor_report(struct doctor *d);
/* The same as a JSON object. */
int doctor_report_json(struct doctor *d);

#endif
