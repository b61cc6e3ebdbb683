// SPDX-License-Identifier: GPL-2.0
/* Finds pev-perfmon and its capabilities. See perfmon.h. */
#include "perfmon.h"

#include <endian.h>
#include <grp.h>
#include <linux/capability.h>
#include <pev/engine.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* what Debian's package has and "make install" has not */
#define OF_PACKAGE "/usr/share/doc/perfctl/copyright"

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

	*p = (struct perfmon){ .path = pev_engine_helper() };
	if (!p->path || stat(p->path, &st))
		return;
	p->there = true;
	p->may_run = !access(p->path, X_OK);
	group = getgrgid(st.st_gid);
	if (group)
		snprintf(p->group, sizeof(p->group), "%s", group->gr_name);
	p->packaged = !strcmp(p->path, "/usr/libexec/pev-perfmon") && !access(OF_PACKAGE, F_OK);
	find_capabilities(p);
}
