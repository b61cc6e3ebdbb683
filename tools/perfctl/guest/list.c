// SPDX-License-Identifier: GPL-2.0
/* Virtual machines that run, as a table. See list.h. */
#include "list.h"
#include "base/json.h"
#include "base/say.h"
#include "base/text.h"
#include "event/target.h"
#include "kvm/vmm.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static double seconds(uint64_t ticks)
{
	return (double)ticks / (double)sysconf(_SC_CLK_TCK);
}

static void print_vcpu(const struct vcpu *v)
{
	char id[16] = "?", tid[16] = "-";

	if (v->id >= 0)
		snprintf(id, sizeof(id), "%d", v->id);
	if (v->tid)
		snprintf(tid, sizeof(tid), "%d", v->tid);
	printf("%18s %8s %10.2f s\n", id, tid, seconds(v->ticks));
}

static void print_vmm(const struct vmm *vmm)
{
	char comm[64], name[128];

	printf("%8d  %s", vmm->pid, text_safe(comm, sizeof(comm), vmm->comm));
	if (vmm->name)
		printf("  \"%s\"", text_safe(name, sizeof(name), vmm->name));
	if (vmm->machines > 1)
		printf("  %u machines", vmm->machines);
	printf("\n");
	for (size_t i = 0; i < vmm->n_vcpus; i++)
		print_vcpu(&vmm->vcpus[i]);
}

static void json_vmm(const struct vmm *vmm, struct json *j)
{
	json_open(j, NULL, '{');
	json_i64(j, "pid", vmm->pid);
	json_string(j, "comm", vmm->comm);
	if (vmm->name)
		json_string(j, "name", vmm->name);
	json_u64(j, "machines", vmm->machines);
	json_open(j, "vcpus", '[');
	for (size_t i = 0; i < vmm->n_vcpus; i++) {
		const struct vcpu *v = &vmm->vcpus[i];

		json_open(j, NULL, '{');
		if (v->id >= 0)
			json_i64(j, "vcpu", v->id);
		if (v->tid)
			json_i64(j, "tid", v->tid);
		json_double(j, "guest_seconds", seconds(v->ticks), 2);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_close(j, '}');
}

static void print_all(const struct vmms *vmms)
{
	if (!vmms->n) {
		printf("no process runs a guest of KVM%s\n", geteuid() ? " that you may see" : "");
		return;
	}
	printf("#    PID  Program%sThread   In guest\n", "  vCPU   ");
	for (size_t i = 0; i < vmms->n; i++)
		print_vmm(&vmms->v[i]);
}

static void json_all(const struct vmms *vmms)
{
	struct json j = { .out = stdout };

	json_open(&j, NULL, '[');
	for (size_t i = 0; i < vmms->n; i++)
		json_vmm(&vmms->v[i], &j);
	json_close(&j, ']');
	json_end_line(&j);
}

/* Those that were asked for, which may end meanwhile. */
static int find(struct vmms *vmms, const char *guests, struct msg *m)
{
	const struct target_opts opts = { .guests = guests };
	struct target target;
	int err;

	*vmms = (struct vmms){ 0 };
	if (!guests || !strcmp(guests, "all")) {
		vmms_find(vmms);
		return 0;
	}
	err = target_make(&target, &opts, NULL, m);
	for (size_t i = 0; i < target.n_ids && !err; i++) {
		struct vmm one;

		err = vmm_look(&one, target.ids[i]);
		if (err)
			err = msg_set(m, err, "the guest of process %d: %s", target.ids[i],
				      err == -ESRCH ? "it has ended" : strerror(-err));
		else
			*ARRAY_PUSH(vmms->v, vmms->n, vmms->cap) = one;
	}
	target_free(&target);
	return err;
}

int guest_list(const char *guests, bool json, struct msg *m)
{
	struct vmms vmms;
	int err = find(&vmms, guests, m);

	if (!err && json)
		json_all(&vmms);
	else if (!err)
		print_all(&vmms);
	vmms_free(&vmms);
	return err;
}
