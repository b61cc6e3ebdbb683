// SPDX-License-Identifier: GPL-2.0
/* Kinds of system calls. See classes.h. */
#include "classes.h"
#include "fds.h"

#include <string.h>

/**
 * struct call_class - a kind
 * @calls: globs; NULL: @has says it
 */
struct call_class {
	const char *name;
	const char *calls;
	bool (*has)(const struct syscall_desc *d);
};

/* Other strings are names, too, but of no files. */
static bool takes_file(const struct syscall_desc *d)
{
	for (unsigned int i = 0; i < d->n; i++)
		if (strstr(d->args[i].type, "char *") && d->args[i].text == TEXT_STRING &&
		    globs_match("filename,pathname,path,oldname,newname,old,new,dev_name,dir_name,"
				"specialfile,library,put_old,new_root,from_pathname,to_pathname",
				d->args[i].name))
			return true;
	return false;
}

static bool takes_descriptor(const struct syscall_desc *d)
{
	for (unsigned int i = 0; i < d->n; i++)
		if (d->args[i].is_fd)
			return true;
	return fds_is_result(d, NULL) || globs_match("pipe,pipe2,socketpair", d->name);
}

static const struct call_class classes[] = {
	{ "%file", .has = takes_file },
	{ "%desc", .has = takes_descriptor },
	{ "%network", "socket,socketpair,bind,connect,listen,accept,accept4,getsockname,"
		      "getpeername,send*,recv*,shutdown,setsockopt,getsockopt" },
	{ "%process", "fork,vfork,clone,clone3,exec*,exit,exit_group,wait4,waitid" },
	{ "%signal", "kill,tkill,tgkill,pidfd_send_signal,rt_sig*,sigaltstack,signalfd*,pause" },
	{ "%memory", "mmap,munmap,mprotect,pkey_mprotect,brk,mremap,madvise,process_madvise,msync,"
		     "mlock*,munlock*,mincore,remap_file_pages,mbind,migrate_pages,move_pages" },
	{ "%ipc", "shm*,sem*,msg*" },
};

const struct call_class *call_class_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(classes); i++)
		if (!strcmp(classes[i].name, name))
			return &classes[i];
	return NULL;
}

bool call_class_has(const struct call_class *c, const struct syscall_desc *d)
{
	return c->calls ? globs_match(c->calls, d->name) : c->has(d);
}

const char *call_class_names(void)
{
	return "%file, %desc, %network, %process, %signal, %memory and %ipc";
}
