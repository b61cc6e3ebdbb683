// SPDX-License-Identifier: GPL-2.0
/* Finds pev-perfmon and its capabilities. See perfmon.h. */
#include "perfmon.h"

#include <endian.h>
#include <grp.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#define PACKAGE_FILES "/var/lib/dpkg/info/perfctl.list"

static void find_capabilities(struct perfmon *p)
{
	struct vfs_cap_data data = { 0 };
	uint64_t caps;

	if (getxattr(p->path, "security.capability", &data, sizeof(data)) < 0)
		return;
	caps = le32toh(data.data[0].permitted) | (uint64_t)le32toh(data.data[1].permitted) << 32;
	p->perfmon = caps >> CAP_PERFMON & 1;
	p->syslog = caps >> CAP_SYSLOG & 1;
}

void perfmon_find(struct perfmon *p)
{
	struct group *group;
	struct stat st;

	*p = (struct perfmon){ .path = secure_getenv("PEV_PERFMON") };
	if (!p->path)
		p->path = PEV_PERFMON;
	if (stat(p->path, &st))
		return;
	p->there = true;
	p->may_run = !access(p->path, X_OK);
	group = getgrgid(st.st_gid);
	if (group)
		snprintf(p->group, sizeof(p->group), "%s", group->gr_name);
	p->packaged = !strcmp(p->path, "/usr/libexec/pev-perfmon") && !access(PACKAGE_FILES, F_OK);
	find_capabilities(p);
}
