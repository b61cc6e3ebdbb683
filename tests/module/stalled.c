// SPDX-License-Identifier: GPL-2.0
/*
 * pev.ko is to go while an exec waits for a file system that a user serves, which may be for ever.
 * On Linux 6.1 that exec may be in pev's code. Then pev.ko is in use; nobody waits.
 * Prints TAP, unloads pev.ko, and needs a DIRECTORY for the file system.
 * usage: stalled DIRECTORY
 */
#include <elf.h>
#include <poll.h>
#include <time.h>
#include <sys/wait.h>
#include "fuse_file.h"
#include "../selftests/pev_util.h"

/* How long the exec waits: one that is not in use goes by then. */
#define STALL_MS 5000

static int came[2], let[2];

/* The program: exit(0), on x86_64. */
static void fill(void *arg, char *data, size_t size)
{
	static const unsigned char code[] = {
		0x31, 0xff, /* xor edi, edi */
		0xb8, 0x3c, 0x00, 0x00, 0x00, /* mov eax, 60 */
		0x0f, 0x05, /* syscall */
	};
	static const Elf64_Ehdr head = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = ET_EXEC,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_entry = 0x400000 + sizeof(head) + sizeof(Elf64_Phdr),
		.e_phoff = sizeof(head),
		.e_ehsize = sizeof(head),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
	};
	static const Elf64_Phdr segment = {
		.p_type = PT_LOAD,
		.p_flags = PF_R | PF_X,
		.p_vaddr = 0x400000,
		.p_filesz = 4096,
		.p_memsz = 4096,
		.p_align = 4096,
	};

	(void)arg;
	if (size < sizeof(head) + sizeof(segment) + sizeof(code))
		return;
	memcpy(data, &head, sizeof(head));
	memcpy(data + sizeof(head), &segment, sizeof(segment));
	memcpy(data + sizeof(head) + sizeof(segment), code, sizeof(code));
}

/* An exec asks for security.capability; the file system's thread. */
static void stall(void *arg)
{
	struct pollfd p = { .fd = let[0], .events = POLLIN };

	(void)arg;
	if (write(came[1], "", 1) == 1)
		poll(&p, 1, STALL_MS);
}

static unsigned int now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Returns whether pev.ko was in use, and the call did not wait to say so. */
static bool in_use(void)
{
	unsigned int begun = now_ms();
	bool in_use = syscall(SYS_delete_module, "pev", O_NONBLOCK) < 0 && errno == EWOULDBLOCK;
	unsigned int ms = now_ms() - begun;

	printf("# %s, after %u ms\n", in_use ? "in use" : "not in use", ms);
	return in_use && ms < STALL_MS / 2;
}

/* Returns whether the exec waits, with the hooks of an event in place, and nothing of pev open. */
static bool stalls(const char *program, pid_t *pid)
{
	struct pev_attr attr = {
		.type = PEV_TYPE_SOFTWARE,
		.config = PEV_SW_PAGE_FAULTS,
		.channel_fd = -1,
		.group_fd = -1,
		.target = PEV_TARGET_SUBTREE,
	};
	struct pollfd p = { .fd = came[0], .events = POLLIN };
	int fd = pev_open(&attr), device = pev_enter_device();
	bool ok;

	*pid = fork();
	if (!*pid) {
		/* they would stay open until the exec goes on */
		close(fd);
		close(device);
		execl(program, program, NULL);
		_exit(1);
	}
	ok = fd >= 0 && poll(&p, 1, 20000) == 1;
	close(fd);
	close(device);
	return ok;
}

int main(int argc, char **argv)
{
	struct fuse_file file = { .size = 4096, .fill = fill, .attr = stall, .dir = argv[1] };
	char path[200];
	int status;
	pid_t pid;
	bool ok;

	puts("1..3");
	fflush(stdout);
	if (argc != 2 || pipe2(came, O_CLOEXEC) || pipe2(let, O_CLOEXEC) || fuse_file_open(&file)) {
		perror("FUSE");
		return 1;
	}
	snprintf(path, sizeof(path), "%s/page", argv[1]);
	ok = stalls(path, &pid);
	printf("%s 1 - an exec waits for a file system of a user's\n", ok ? "ok" : "not ok");
	printf("%s 2 - pev.ko is in use meanwhile\n", in_use() ? "ok" : "not ok");
	if (write(let[1], "", 1) != 1 || waitpid(pid, &status, 0) != pid)
		return 1;
	printf("%s 3 - the program runs when it comes\n", status ? "not ok" : "ok");
	close(file.file);
	umount2(argv[1], MNT_DETACH);
	return 0;
}
