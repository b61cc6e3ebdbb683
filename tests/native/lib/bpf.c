// SPDX-License-Identifier: GPL-2.0
/*
 * Loads a BPF program that counts to 10000, and runs it for some milliseconds.
 *
 * usage: bpf MILLISECONDS
 */
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const struct bpf_insn code[] = {
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
	{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = BPF_REG_0, .imm = 1 },
	{ .code = BPF_JMP | BPF_JLT | BPF_K, .dst_reg = BPF_REG_0, .off = -2, .imm = 10000 },
	{ .code = BPF_JMP | BPF_EXIT },
};

static int bpf(enum bpf_cmd cmd, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

static int load(void)
{
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_SOCKET_FILTER,
		.insns = (unsigned long)code,
		.insn_cnt = sizeof(code) / sizeof(code[0]),
		.license = (unsigned long)"GPL",
	};

	strcpy(attr.prog_name, "counts_up");
	return bpf(BPF_PROG_LOAD, &attr);
}

static double ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

int main(int argc, char **argv)
{
	const struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };
	char packet[64] = { 0 };
	double end;
	int fd;

	/* before Linux 5.11 programs are locked memory, as are the rings of who records this */
	setrlimit(RLIMIT_MEMLOCK, &all);
	fd = load();
	end = ms() + (argc > 1 ? atof(argv[1]) : 100);

	if (fd < 0) {
		perror("bpf");
		return 1;
	}
	while (ms() < end) {
		union bpf_attr attr = { .test = { .prog_fd = (unsigned int)fd, .repeat = 1000,
						  .data_in = (unsigned long)packet,
						  .data_size_in = sizeof(packet) } };

		if (bpf(BPF_PROG_TEST_RUN, &attr)) {
			perror("running it");
			return 1;
		}
	}
	return 0;
}
