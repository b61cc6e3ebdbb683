// SPDX-License-Identifier: GPL-2.0
/* perfctl agent: always on, one on each machine of a fleet. */
#include "cmd/commands.h"
#include "event/engine.h"
#include "event/sampling.h"
#include "fleet/agent.h"

#include <errno.h>

#define DEFAULT_SPOOL "/var/spool/perfctl"
#define DEFAULT_HZ 19
#define LEAST_INTERVAL 100000000ull

struct agent_typed {
	struct agent_opts o;
	const char *url;
};

static const struct opt agent_options[] = {
	{ 0, OPT_HEADING, .help = "What to measure" },
	ENGINE_OPT,
	{ 'e', OPT_CALL, "event", "EVENT", "what is sampled (default: cpu-clock)",
	  offsetof(struct agent_typed, o.events), event_list_option },
	{ 'F', OPT_POSITIVE, "freq", "HZ",
	  "samples a second of each CPU that is busy, about "
	  "(default: 19)",
	  offsetof(struct agent_typed, o.hz) },
	{ 0, OPT_CALL, "count", "EVENT[,EVENT]",
	  "what is counted on all CPUs for --metrics, e.g. cycles,instructions; may be repeated",
	  offsetof(struct agent_typed, o.counted), event_list_option },
	{ 0, OPT_DOUBLE, "cpu-limit", "PERCENT",
	  "of one CPU that the agent may take: above, it samples half as often, and says so "
	  "(default: 1)",
	  offsetof(struct agent_typed, o.cpu_limit) },
	{ 0, OPT_STRING, "host", "NAME", "of this machine (default: its host name)",
	  offsetof(struct agent_typed, o.host) },
	{ 0, OPT_TIME, "timeout", "TIME", "end after so long (default: never)",
	  offsetof(struct agent_typed, o.timeout) },
	{ 0, OPT_HEADING, .help = "Where to" },
	{ 0, OPT_STRING, "store", "URL", "the store, if it is no operand: for the configuration",
	  offsetof(struct agent_typed, url) },
	STORE_OPTS(struct agent_typed, o.store),
	{ 0, OPT_TIME, "interval", "TIME", "between two batches (default: 1m)",
	  offsetof(struct agent_typed, o.interval) },
	{ 0, OPT_STRING, "spool", "DIR",
	  "what the store has not taken yet (default: " DEFAULT_SPOOL ")",
	  offsetof(struct agent_typed, o.spool) },
	{ 0, OPT_SIZE, "spool-size", "SIZE",
	  "of that; then the oldest goes, and is counted (default: 256M)",
	  offsetof(struct agent_typed, o.most) },
	{ 0, OPT_HEADING, .help = "What it says" },
	{ 0, OPT_STRING, "metrics", "ADDRESS:PORT",
	  "answer Prometheus there at /metrics, and pprof at /debug/pprof/profile?seconds=10; :PORT "
	  "is of the loopback device",
	  offsetof(struct agent_typed, o.metrics) },
	{ 'q', OPT_FLAG, "quiet", NULL, "say nothing unless something goes wrong",
	  offsetof(struct agent_typed, o.quiet) },
	{ 0 },
};

static int agent_run_command(const void *opts, int n, char **args, struct msg *m)
{
	struct agent_typed o = *(const struct agent_typed *)opts;
	const char *typed = n ? args[0] : o.url;
	struct store_url url = { 0 };
	int err;

	if (n > 1 || !typed)
		return msg_set(m, -EINVAL,
			       "agent takes the URL of a store, as an operand or with "
			       "--store");
	if (o.o.hz > 1000)
		return msg_set(m, -EINVAL,
			       "-F takes 1 to 1000 samples a second, which go on for ever");
	if (o.o.interval < LEAST_INTERVAL)
		return msg_set(m, -EINVAL, "--interval takes 100ms and more");
	if (o.o.counted.n && !o.o.metrics)
		return msg_set(m, -EINVAL,
			       "--count needs --metrics ADDRESS:PORT, where counts can be asked for");
	err = store_url_parse(&url, typed, &o.o.store, m);
	if (!err)
		err = agent_run(&o.o, &url, m);
	event_list_free(&o.o.events);
	event_list_free(&o.o.counted);
	store_url_free(&url);
	return http_error(err);
}

const struct command command_agent = {
	.name = "agent",
	.operands = "[URL]",
	.summary = "sample this machine always, and send it to a fleet's store",
	.about =
		"Samples all CPUs with call chains at a low rate, adds up by service (systemd unit "
		"or container) and call chain, and sends the sums to a store that \"perfctl store "
		"init\" made. While the store is away they stay on the disk. Ends on SIGTERM; what "
		"was not sent is sent by the next agent.",
	.examples = "  perfctl agent http://store:8123\n"
		    "  systemctl enable --now perfctl-agent    as a service, see the manual\n",
	.opts = agent_options,
	.opts_size = sizeof(struct agent_typed),
	.defaults = &(const struct agent_typed){ .o = { .spool = DEFAULT_SPOOL,
							.most = 256u << 20,
							.hz = DEFAULT_HZ,
							.cpu_limit = 1,
							.interval = 60000000000ull } },
	.run = agent_run_command,
};
