// SPDX-License-Identifier: GPL-2.0
/*
 * Owns what user space sees of the channels of kernel code: who may read one, and what the
 * catalog says of them. What is private is never seen.
 *
 * Locks: those of client.c.
 */
#include <linux/capability.h>
#include <linux/cleanup.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/pev_channel.h>
#include <linux/pev_refuse.h>
#include <linux/user_namespace.h>
#include "base/strbuf.h"
#include "channel/channel.h"
#include "record/payload.h"
#include "types.h"
#include "client.h"
#include "object.h"
#include "user.h"

static bool is_shown(const struct pev_client *client)
{
	return !(client->desc.flags & PEV_CLIENT_PRIVATE);
}

static int check_reader(struct pev_client *client, struct pev_refuse *r)
{
	const struct pev_client_desc *desc = &client->desc;

	if (desc->may_read ? !desc->may_read(desc->data) : !perfmon_capable())
		return pev_refuse(r, EACCES, PEV_FIELD(name),
				  desc->may_read ?
					  "%s does not let you read its channel" :
					  "%s lets only readers with CAP_PERFMON read its channel",
				  desc->name);
	if (!pev_channel_enter(client->channel))
		return pev_refuse(r, EBUSY, PEV_FIELD(name),
				  "the channel of %s is being read by another", desc->name);
	return 0;
}

struct pev_channel *pev_client_channel(const char *name, struct pev_refuse *r)
{
	struct pev_client *client;
	int err;

	guard(mutex)(&pev_clients_lock);
	client = pev_client_find(name);
	if (!client || !is_shown(client))
		return ERR_PTR(pev_refuse(r, ENOENT, PEV_FIELD(name),
					  "no kernel code has a channel \"%.100s\" to read", name));
	err = check_reader(client, r);
	if (err)
		return ERR_PTR(err);
	kref_get(&client->channel->ref);
	return client->channel;
}

/* ---- the catalog ---- */

/* As perfmon_capable(), but nothing is refused: what may not be read is left out. */
static bool sees_all(void)
{
	return ns_capable_noaudit(&init_user_ns, CAP_PERFMON) ||
	       ns_capable_noaudit(&init_user_ns, CAP_SYS_ADMIN);
}

static void catalog_event(const struct pev_client_event *ce, struct pev_strbuf *text)
{
	pev_strbuf_printf(text, "client %s/%s ", ce->client->desc.name, ce->event->name);
	/* the fields of others are where the catalog has those */
	if (ce->desc)
		pev_payload_catalog(ce->desc, text);
	else
		pev_strbuf_printf(text, "-");
	pev_strbuf_printf(text, "\n");
}

static void catalog_client(struct pev_client *client, struct pev_strbuf *text)
{
	struct pev_client_event *ce;

	guard(mutex)(&client->lock);
	pev_strbuf_printf(text, "client %s -\n", client->desc.name);
	list_for_each_entry(ce, &client->events, node)
		catalog_event(ce, text);
}

void pev_clients_catalog(struct pev_strbuf *text)
{
	struct pev_client *client;

	guard(mutex)(&pev_clients_lock);
	list_for_each_entry(client, &pev_clients, node) {
		const struct pev_client_desc *desc = &client->desc;

		if (is_shown(client) && (desc->may_read ? desc->may_read(desc->data) : sees_all()))
			catalog_client(client, text);
	}
}
