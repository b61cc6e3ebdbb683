// SPDX-License-Identifier: GPL-2.0
/* Processes that run virtual machines. See vmm.h. */
#include "vmm.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "procs/stat.h"

#define MACHINE_FILE "anon_inode:kvm-vm"
#define VCPU_FILE "anon_inode:kvm-vcpu:"

static void add_vcpu(struct vmm *vmm, int id)
{
	*ARRAY_PUSH(vmm->vcpus, vmm->n_vcpus, vmm->cap_vcpus) = (struct vcpu){ .id = id };
}

static int by_id(const void *a, const void *b)
{
	const struct vcpu *x = a, *y = b;

	return x->id != y->id ? (x->id > y->id) - (x->id < y->id) :
				(x->tid > y->tid) - (x->tid < y->tid);
}

/* Counts what the process has open. Returns 0 or -errno. */
static int look_at_files(struct vmm *vmm)
{
	char *path = xasprintf("/proc/%d/fd", vmm->pid), to[64];
	const struct dirent *e;
	DIR *dir = opendir(path);

	free(path);
	if (!dir)
		return errno == ENOENT ? -ESRCH : -errno;
	while ((e = readdir(dir))) {
		ssize_t len = readlinkat(dirfd(dir), e->d_name, to, sizeof(to) - 1);
		uint64_t id;

		to[len > 0 ? len : 0] = 0;
		if (!strcmp(to, MACHINE_FILE))
			vmm->machines++;
		else if (!strncmp(to, VCPU_FILE, strlen(VCPU_FILE)) &&
			 !parse_u64(to + strlen(VCPU_FILE), &id))
			add_vcpu(vmm, (int)id);
	}
	closedir(dir);
	if (vmm->n_vcpus)
		qsort(vmm->vcpus, vmm->n_vcpus, sizeof(*vmm->vcpus), by_id);
	return vmm->machines ? 0 : -ESRCH;
}

/* QEMU calls the threads "CPU 0/KVM", Firecracker "fc_vcpu 0", crosvm "crosvm_vcpu0", others "vcpu0". */
int vmm_vcpu_of_thread(const char *comm)
{
	const char *at = strstr(comm, "vcpu");

	at = at ? at + 4 : strncmp(comm, "CPU ", 4) ? NULL : comm + 4;
	if (!at)
		return -1;
	at += strspn(at, " _-");
	return *at >= '0' && *at <= '9' ? (int)strtol(at, NULL, 10) : -1;
}

static struct vcpu *find_vcpu(struct vmm *vmm, int id)
{
	for (size_t i = 0; i < vmm->n_vcpus; i++)
		if (vmm->vcpus[i].id == id && !vmm->vcpus[i].tid)
			return &vmm->vcpus[i];
	return NULL;
}

/* One virtual CPU and one thread that ran a guest belong to each other. */
static void join_the_only_one(struct vmm *vmm)
{
	struct vcpu *nameless = NULL, *threadless = NULL;

	for (size_t i = 0; i < vmm->n_vcpus; i++) {
		struct vcpu *v = &vmm->vcpus[i], **of = v->id < 0 ? &nameless :
							v->tid	  ? NULL :
								    &threadless;

		if (of && *of)
			return;
		if (of)
			*of = v;
	}
	if (!nameless || !threadless)
		return;
	threadless->tid = nameless->tid;
	threadless->ticks = nameless->ticks;
	*nameless = vmm->vcpus[--vmm->n_vcpus];
}

static void look_at_threads(struct vmm *vmm)
{
	char *path = xasprintf("/proc/%d/task", vmm->pid);
	const struct dirent *e;
	DIR *dir = opendir(path);
	uint64_t tid;

	free(path);
	while (dir && (e = readdir(dir))) {
		struct proc_stat stat;
		struct vcpu *v;
		int id;

		if (parse_u64(e->d_name, &tid))
			continue;
		proc_stat_thread(&stat, (uint32_t)vmm->pid, (uint32_t)tid);
		id = vmm_vcpu_of_thread(stat.comm);
		v = id < 0 ? NULL : find_vcpu(vmm, id);
		if (!v && stat.guest) {
			add_vcpu(vmm, -1);
			v = &vmm->vcpus[vmm->n_vcpus - 1];
		}
		if (v) {
			v->tid = (int)tid;
			v->ticks = stat.guest;
		}
	}
	if (dir)
		closedir(dir);
	join_the_only_one(vmm);
}

/* What follows "-name" of QEMU, without "guest=" and what is behind a comma; "--id" of Firecracker */
static char *machine_name(int pid)
{
	static const char *const options[] = { "-name", "--id", "--name" };
	char *path = xasprintf("/proc/%d/cmdline", pid), *name = NULL;
	size_t len;
	char *text = file_read(path, &len);

	free(path);
	for (size_t at = 0; text && at < len && !name; at += strlen(text + at) + 1) {
		size_t next = at + strlen(text + at) + 1;

		for (size_t i = 0; i < ARRAY_SIZE(options) && next < len; i++)
			if (!strcmp(text + at, options[i]))
				name = text + next;
	}
	if (name && !strncmp(name, "guest=", 6))
		name += 6;
	name = name && *name ? xasprintf("%.*s", (int)strcspn(name, ","), name) : NULL;
	free(text);
	return name;
}

bool vmm_runs_machine(int pid)
{
	struct vmm vmm = { .pid = pid };
	int err = look_at_files(&vmm);

	vmm_free(&vmm);
	return err != -ESRCH;
}

int vmm_look(struct vmm *vmm, int pid)
{
	char *path;
	int err;

	*vmm = (struct vmm){ .pid = pid };
	err = look_at_files(vmm);
	if (err) {
		vmm_free(vmm);
		return err;
	}
	look_at_threads(vmm);
	path = xasprintf("/proc/%d/comm", pid);
	vmm->comm = file_read(path, NULL);
	free(path);
	if (!vmm->comm)
		vmm->comm = xstrdup("?");
	vmm->comm[strcspn(vmm->comm, "\n")] = 0;
	vmm->name = machine_name(pid);
	return 0;
}

void vmm_free(struct vmm *vmm)
{
	free(vmm->comm);
	free(vmm->name);
	free(vmm->vcpus);
	*vmm = (struct vmm){ 0 };
}

static int by_pid(const void *a, const void *b)
{
	const struct vmm *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

void vmms_find(struct vmms *vmms)
{
	DIR *dir = opendir("/proc");
	const struct dirent *e;
	struct vmm one;
	uint64_t id;

	*vmms = (struct vmms){ 0 };
	while (dir && (e = readdir(dir)))
		if (!parse_u64(e->d_name, &id) && !vmm_look(&one, (int)id))
			*ARRAY_PUSH(vmms->v, vmms->n, vmms->cap) = one;
	if (dir)
		closedir(dir);
	if (vmms->n)
		qsort(vmms->v, vmms->n, sizeof(*vmms->v), by_pid);
}

void vmms_free(struct vmms *vmms)
{
	for (size_t i = 0; i < vmms->n; i++)
		vmm_free(&vmms->v[i]);
	free(vmms->v);
	*vmms = (struct vmms){ 0 };
}
