// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Channels: perf's rings, one for each CPU, and ours, which are filled from them
 * whenever a reader looks. Records without room in ours stay in perf's.
 *
 * Several threads may look, each at rings of its own, while nothing else is done to the channel
 * (fetch()). They share its ids, which stay as they are meanwhile, the counts of events, and, under its
 * lock, what is made for the first record of a call and for mappings of files: metadata and build ids.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/utsname.h>
#include <fcntl.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>
#include "ctf/head.h"
#include "engine/perf/calls.h"
#include "engine/perf/channel.h"
#include "engine/perf/cpus.h"
#include "engine/perf/error.h"
#include "engine/perf/event.h"
#include "engine/perf/locked.h"
#include "engine/perf/metadata.h"
#include "engine/perf/producer.h"
#include "ring/ring.h"

#define LEAST_RING	(16U << 10)
/* perf's ring of a flight recorder only bridges the time until it is read */
#define MOST_BRIDGE	(512U << 10)
#define MOST_RECORD	65536

/**
 * struct cpu_ring - both rings of a CPU
 * @fd:   the perf event that the others write into the ring of
 * @lost: records that readers were told of
 * @by_record: the part of them that PERF_RECORD_LOST has told of
 * @open: number behind that of the packet that has been seen open since @since
 * @counted: the event that the last records were of, which does not count @samples and @skipped yet;
 *        NULL: there is none
 * @record: room for one that goes beyond the end of perf's ring
 */
struct cpu_ring {
	int				fd;
	struct perf_event_mmap_page	*page;
	size_t				map_size;
	const uint8_t			*data;
	uint64_t			size;
	uint64_t			lost;
	uint64_t			by_record;
	uint64_t			open;
	uint64_t			since;
	struct event *counted;
	uint64_t samples;
	uint64_t skipped;
	struct producer			out;
	uint64_t record[MOST_RECORD / 8];
};

struct id_slot {
	uint64_t	id;
	struct event	*event;
};

/**
 * struct channel - a channel of ours
 * @engine:   whose channel it is
 * @handle:   an epoll descriptor: readable when one of perf's rings has much
 * @flush_ns: age at which an open packet is closed; 0: none
 * @looked:   when rings were filled last, ns
 * @lock:     of @metadata, @next_id and @files while threads fill rings
 * @perf_size: bytes wished for each of perf's rings
 * @ids:      which event a record is of, a hash table of @nr_slots
 * @sideband: the perf event that all sideband events share
 * @functions: the perf events that tell which functions come into the kernel; NULL: this
 *            user may not know
 * @gone:     stands for events that were closed
 * @side_ids: classes of theirs
 * @next_id:  of the next class
 * @files:    build ids that were read
 * @builds:   those for mappings, where perf does not tell them
 */
struct channel {
	struct perf_engine *engine;
	int			handle;
	struct pev_channel_info	info;
	uint64_t		flush_ns;
	uint64_t looked;
	pthread_mutex_t lock;
	uint64_t		perf_size;
	struct text		metadata;
	struct cpu_ring		**rings;
	struct event		**events;
	size_t			nr_events;
	size_t			room_events;
	struct id_slot		*ids;
	size_t			nr_ids;
	size_t			nr_slots;
	struct event		*sideband;
	struct event		*functions;
	struct event		gone;
	uint32_t		side_ids[PERF_SB_MAX];
	uint32_t		next_id;
	struct pev_channel	*mapped;
	struct builds *files;
	struct known_builds builds;
};

/* ---- Ids ---- */

static struct id_slot *find_slot(const struct channel *c, uint64_t id)
{
	size_t at = (id * 0x9e3779b97f4a7c15ULL) >> 32 & (c->nr_slots - 1);

	while (c->ids[at].event && c->ids[at].id != id)
		at = (at + 1) & (c->nr_slots - 1);
	return &c->ids[at];
}

static int grow_ids(struct channel *c)
{
	size_t nr_old = c->nr_slots;
	struct id_slot *old = c->ids;

	if (2 * (c->nr_ids + 1) < nr_old)
		return 0;
	c->nr_slots = nr_old ? 4 * nr_old : 64;
	c->ids = calloc(c->nr_slots, sizeof(*c->ids));
	if (!c->ids) {
		c->ids = old;
		c->nr_slots = nr_old;
		return -ENOMEM;
	}
	for (size_t i = 0; i < nr_old; i++)
		if (old[i].event)
			*find_slot(c, old[i].id) = old[i];
	free(old);
	return 0;
}

static int add_id(struct channel *c, uint64_t id, struct event *event)
{
	int ret = grow_ids(c);

	if (ret)
		return ret;
	*find_slot(c, id) = (struct id_slot){ id, event };
	c->nr_ids++;
	return 0;
}

/* ---- The two rings of a CPU ---- */

static void free_ring(struct channel *c, struct cpu_ring *r)
{
	if (!r)
		return;
	if (r->page) {
		munmap(r->page, r->map_size);
		c->engine->mapped -= r->map_size;
	}
	if (r->fd >= 0)
		close(r->fd);
	producer_free(&r->out);
	free(r);
}

/* Tries smaller rings, too: other processes of this user may have taken what there was. */
static int map_perf(struct channel *c, struct cpu_ring *r)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint64_t size = c->perf_size;
	void *map;

	for (; size >= LEAST_RING; size /= 2) {
		map = mmap(NULL, page + size, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, 0);
		if (map != MAP_FAILED) {
			r->page = map;
			r->map_size = page + size;
			r->data = (const uint8_t *)map + page;
			r->size = size;
			c->engine->mapped += r->map_size;
			return 0;
		}
		if (errno != EPERM && errno != ENOMEM)
			break;
	}
	return -errno;
}

static int wait_for(const struct channel *c, int fd)
{
	/* the event of an ended task stays readable for ever: report it once */
	struct epoll_event ev = { .events = EPOLLIN | EPOLLET };

	return epoll_ctl(c->handle, EPOLL_CTL_ADD, fd, &ev) ? -errno : 0;
}

static int new_ring(struct channel *c, int fd, int cpu, struct pev_error *err)
{
	struct cpu_ring *r = calloc(1, sizeof(*r));
	int ret;

	if (!r)
		return pev_fail(err, ENOMEM, 0, "no memory");
	r->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	ret = r->fd < 0 ? -errno : map_perf(c, r);
	if (ret == -EPERM || ret == -ENOMEM)
		ret = pev_fail(err, EPERM, 0,
			       "perf's rings do not fit into the memory that you may "
			       "lock: raise \"ulimit -l\", or as root "
			       "\"sysctl kernel.perf_event_mlock_kb=4096\"");
	else if (ret)
		pev_fail(err, -ret, 0, "perf's ring of CPU %d: %s", cpu, strerror(-ret));
	if (!ret && (producer_init(&r->out, &c->info, (unsigned int)cpu) || wait_for(c, r->fd)))
		ret = pev_fail(err, ENOMEM, 0, "no memory for the ring of CPU %d", cpu);
	if (!ret && c->mapped)
		ret = channel_add_ring(c->mapped, r->out.kernel, r->out.user, r->out.data);
	if (ret) {
		free_ring(c, r);
		return ret;
	}
	c->rings[cpu] = r;
	return 0;
}

int perf_channel_join(struct channel *c, struct event *event, int fd, int cpu,
		      struct pev_error *err)
{
	uint64_t id;
	int ret;

	if (cpu < 0 || (unsigned int)cpu >= c->info.nr_rings)
		return pev_fail(err, EINVAL, 0, "CPU %d has no ring", cpu);
	if (!c->rings[cpu]) {
		ret = new_ring(c, fd, cpu, err);
		if (ret)
			return ret;
	} else if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, c->rings[cpu]->fd)) {
		return pev_fail(err, errno, 0, "sharing the ring of CPU %d: %s", cpu,
				strerror(errno));
	}
	if (ioctl(fd, PERF_EVENT_IOC_ID, &id) || add_id(c, id, event))
		return pev_fail(err, ENOMEM, 0, "no memory");
	return 0;
}

/* ---- Metadata and events ---- */

static void begin_metadata(struct channel *c)
{
	struct ctf_env env = { 0 };
	struct utsname u;

	if (!uname(&u))
		env = (struct ctf_env){ u.nodename, u.release, u.machine, NULL };
	env.engine = "perf";
	ctf_head(&c->metadata, c->info.uuid, &env, (int64_t)c->info.clock_offset_s,
		 (int64_t)c->info.clock_offset);
}

static int describe(struct channel *c, struct perf_class *cls)
{
	cls->id = c->next_id++;
	metadata_event(&c->metadata, cls);
	return c->metadata.failed ? -ENOMEM : 0;
}

int perf_channel_describe(struct channel *c, struct event *event)
{
	struct event **more;

	if (c->nr_events == c->room_events) {
		c->room_events = c->room_events ? 2 * c->room_events : 16;
		more = realloc(c->events, c->room_events * sizeof(*more));
		if (!more)
			return -ENOMEM;
		c->events = more;
	}
	c->events[c->nr_events++] = event;
	/* each call's class comes with its first record */
	if (event->calls)
		return 0;
	if (event->type != PEV_TYPE_SIDEBAND) {
		perf_plan_make(&event->plan, &event->cls, &event->attr);
		return describe(c, &event->cls);
	}
	event->cls.id = c->next_id++;
	metadata_sideband(&c->metadata, (unsigned int)event->config, event->cls.id);
	c->side_ids[event->config] = event->cls.id;
	return c->metadata.failed ? -ENOMEM : 0;
}

void perf_channel_leave(struct channel *c, struct event *event)
{
	/* records that come late belong to no event */
	for (size_t i = 0; i < c->nr_slots; i++)
		if (c->ids[i].event == event)
			c->ids[i].event = &c->gone;
	for (size_t i = 0; i < c->nr_events; i++) {
		if (c->events[i] != event)
			continue;
		c->events[i] = c->events[--c->nr_events];
		break;
	}
	if (c->sideband == event)
		c->sideband = NULL;
	event->channel = NULL;
}

struct event *perf_channel_sideband(struct channel *c)
{
	return c->sideband;
}

void perf_channel_set_sideband(struct channel *c, struct event *event)
{
	c->sideband = event;
}

void perf_channel_set_functions(struct channel *c, struct event *event)
{
	c->functions = event;
}

uint32_t perf_channel_watermark(const struct channel *c)
{
	return c->info.watermark;
}

int perf_channel_each(struct channel *c, int (*fn)(struct event *event, void *arg), void *arg)
{
	int ret = 0;

	for (size_t i = 0; i < c->nr_events && !ret; i++)
		ret = fn(c->events[i], arg);
	return ret;
}

int perf_channel_metadata(struct channel *c, char **text, size_t *len)
{
	*text = malloc(c->metadata.len + 1);
	if (!*text)
		return -ENOMEM;
	memcpy(*text, c->metadata.s, c->metadata.len + 1);
	if (len)
		*len = c->metadata.len;
	return 0;
}

/* ---- From perf's ring into ours ---- */

/* Reads the trailer of non-sample records: pid and tid, time, id. */
static uint64_t trailer_time(const struct perf_event_header *record)
{
	size_t size = perf_record_size(record);
	const uint64_t *end = (const uint64_t *)((const uint8_t *)record + size);

	return size >= sizeof(*record) + 3 * sizeof(*end) ? end[-2] : 0;
}

static int describe_call(void *arg, struct perf_class *cls)
{
	return describe(arg, cls);
}

/* The class of a sample's record; *@cls is NULL if it leaves none. 0 or -errno */
static int class_of(struct channel *c, struct event *event, const struct perf_sample *sample,
		    const struct perf_class **cls)
{
	int ret;

	*cls = &event->cls;
	if (likely(!event->calls))
		return 0;
	ret = perf_calls_class(event, sample, cls);
	if (likely(ret != -ENODATA))
		return ret;
	pthread_mutex_lock(&c->lock);
	ret = perf_calls_ask(event, sample, describe_call, c);
	pthread_mutex_unlock(&c->lock);
	return ret ? ret : perf_calls_class(event, sample, cls);
}

/* Other threads count the same events, on other CPUs. */
static void count_records(struct cpu_ring *r)
{
	if (!r->counted)
		return;
	__atomic_fetch_add(&r->counted->samples, r->samples, __ATOMIC_RELAXED);
	__atomic_fetch_add(&r->counted->skipped, r->skipped, __ATOMIC_RELAXED);
	r->counted = NULL;
	r->samples = 0;
	r->skipped = 0;
}

/* Mostly, one record comes behind another of the same event. */
static void count_for(struct cpu_ring *r, struct event *event)
{
	if (r->counted == event)
		return;
	count_records(r);
	r->counted = event;
}

/* Of host and guests, and their modes, may it be what was hit? */
static bool wanted(const struct perf_class *cls, const struct perf_sample *s)
{
	bool user = s->guest ? s->guest & PEV_GUEST_USER : !s->kernel;

	if (likely(!cls->excludes))
		return true;
	return !(cls->excludes & (s->guest ? PEV_F_EXCLUDE_GUEST : PEV_F_EXCLUDE_HOST)) &&
	       !(cls->excludes & (user ? PEV_F_EXCLUDE_USER : PEV_F_EXCLUDE_KERNEL));
}

static int take_sample(struct channel *c, struct cpu_ring *r,
		       const struct perf_event_header *record)
{
	const struct perf_class *cls;
	struct perf_sample sample;
	struct event *event;
	uint64_t id;
	int ret;

	if (record->size < sizeof(*record) + sizeof(id))
		return -EBADMSG;
	memcpy(&id, record + 1, sizeof(id));
	event = find_slot(c, id)->event;
	if (!event || event == &c->gone)
		return 0;
	if (event->plan.words) {
		ret = perf_convert_words(&r->out.sink, &event->cls, &event->plan, record);
		count_for(r, event);
		r->samples += !ret;
		return ret;
	}
	if (unlikely(!perf_sample_parse(record, &event->attr, &sample)))
		return -EBADMSG;
	if (!wanted(&event->cls, &sample))
		return 0;
	ret = class_of(c, event, &sample, &cls);
	if (ret)
		return ret;
	count_for(r, event);
	if (!cls) {
		r->skipped++;
		return 0;
	}
	ret = perf_convert_sample(&r->out.sink, cls, &sample);
	r->samples += !ret;
	return ret;
}

/* Both ways to hear of losses tell all of them, each at its own time. */
static void lost_so_far(struct cpu_ring *r, uint64_t lost)
{
	if (lost <= r->lost)
		return;
	producer_lose(&r->out, lost - r->lost);
	r->lost = lost;
}

static int take_switch(struct channel *c, struct cpu_ring *r,
		       const struct perf_event_header *record)
{
	const uint64_t *end = (const uint64_t *)((const uint8_t *)record + record->size);
	uint32_t pid_tid[2];
	struct event *event;
	int ret;

	/* behind the header: pid and tid, time, id */
	if (record->size < sizeof(*record) + 3 * sizeof(*end))
		return -EBADMSG;
	event = find_slot(c, end[-1])->event;
	if (!event || event == &c->gone || event->type != PEV_TYPE_WAIT)
		return 0;
	memcpy(pid_tid, &end[-3], sizeof(pid_tid));
	ret = perf_convert_switch(&r->out.sink, event->cls.id, record, pid_tid[1], end[-2]);
	count_for(r, event);
	r->samples += !ret;
	return ret;
}

static void take_lost(struct cpu_ring *r, const struct perf_event_header *record)
{
	const uint64_t *id_lost = (const uint64_t *)(record + 1);
	uint64_t lost;

	if (record->size < sizeof(*record) + 2 * sizeof(*id_lost))
		return;
	lost = record->type == PERF_RECORD_LOST ? id_lost[1] : id_lost[0];
	r->by_record += lost;
	lost_so_far(r, r->by_record);
}

static int take_sideband(struct channel *c, struct cpu_ring *r,
			 const struct perf_event_header *record)
{
	bool reads = c->builds.files;
	int ret;

	if (reads)
		pthread_mutex_lock(&c->lock);
	ret = perf_convert_sideband(&r->out.sink, c->side_ids, record, trailer_time(record),
				    &c->builds);
	if (reads)
		pthread_mutex_unlock(&c->lock);
	return ret < 0 ? ret : 0;
}

static int take_record(struct channel *c, struct cpu_ring *r,
		       const struct perf_event_header *record)
{
	int ret;

	switch (record->type) {
	case PERF_RECORD_SAMPLE:
		ret = take_sample(c, r, record);
		break;
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		take_lost(r, record);
		return 0;
	case PERF_RECORD_SWITCH:
		ret = take_switch(c, r, record);
		break;
	default:
		ret = take_sideband(c, r, record);
		break;
	}
	if (ret == -EAGAIN || !ret)
		return ret;
	/* too large for a packet, or damaged: count it at least */
	producer_lose(&r->out, 1);
	return 0;
}

/* Returns the record at @tail, copied if it goes beyond the end of the ring. */
static const struct perf_event_header *record_at(struct cpu_ring *r, uint64_t tail)
{
	uint64_t at = tail & (r->size - 1), first = r->size - at;
	const struct perf_event_header *record = (const void *)(r->data + at);

	if (likely(record->size <= first))
		return record;
	memcpy(r->record, record, first);
	memcpy((uint8_t *)r->record + first, r->data, record->size - first);
	return (const void *)r->record;
}

static int pump_ring(struct channel *c, struct cpu_ring *r)
{
	/* pairs with the kernel, which writes data_head behind the records */
	uint64_t head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = r->page->data_tail;
	const struct perf_event_header *record;
	int ret = 0;

	while (tail < head && !ret) {
		record = record_at(r, tail);
		if (record->size < sizeof(*record)) {
			tail = head;
			break;
		}
		ret = take_record(c, r, record);
		if (!ret)
			tail += record->size;
	}
	count_records(r);
	producer_publish(&r->out);
	/* the kernel may reuse the space only after all of it has been read */
	__atomic_store_n(&r->page->data_tail, tail, __ATOMIC_RELEASE);
	return ret == -EAGAIN ? 1 : ret;
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* A packet that nothing fills would wait for ever. */
static void flush_aged(const struct channel *c, struct cpu_ring *r, uint64_t now)
{
	if (r->out.pos == r->out.packet) {
		r->open = 0;
	} else if (r->open != r->out.seq) {
		r->open = r->out.seq;
		r->since = now;
	} else if (now - r->since >= c->flush_ns) {
		producer_flush(&r->out);
		r->open = 0;
	}
}

static int prepare(void *arg)
{
	struct channel *c = arg;
	struct epoll_event ignored[16];

	c->looked = c->flush_ns ? now_ns() : 0;
	/* clear what made the handle readable: it is handled now */
	while (epoll_wait(c->handle, ignored, ARRAY_SIZE(ignored), 0) == ARRAY_SIZE(ignored))
		;
	return 0;
}

/* Return: 0, 1: our ring is full and perf's is not empty, or -errno. */
static int fetch(void *arg, unsigned int cpu)
{
	struct channel *c = arg;
	struct cpu_ring *r = c->rings[cpu];
	int ret = pump_ring(c, r);

	if (c->flush_ns && ret >= 0)
		flush_aged(c, r, c->looked);
	return ret;
}

int perf_channel_pump(struct channel *c)
{
	int ret = prepare(c), one;

	for (unsigned int cpu = 0; cpu < c->info.nr_rings && ret >= 0; cpu++) {
		one = c->rings[cpu] ? fetch(c, cpu) : 0;
		if (one)
			ret = one;
	}
	return ret;
}

/*
 * Losses since the last PERF_RECORD_LOST of a ring show only in the events' own
 * counts, which kernels before 6.0 don't have.
 */
static int count_losses(struct channel *c)
{
	uint64_t *lost = calloc(c->info.nr_rings, sizeof(*lost));

	if (!lost)
		return -ENOMEM;
	for (size_t i = 0; i < c->nr_events; i++)
		perf_event_add_losses(c->events[i], lost);
	for (unsigned int cpu = 0; cpu < c->info.nr_rings; cpu++) {
		if (c->rings[cpu])
			lost_so_far(c->rings[cpu], lost[cpu]);
	}
	free(lost);
	return 0;
}

int perf_channel_flush(struct channel *c)
{
	int ret = perf_channel_pump(c);

	if (!ret)
		ret = count_losses(c);
	for (unsigned int cpu = 0; cpu < c->info.nr_rings && ret >= 0; cpu++)
		if (c->rings[cpu])
			producer_flush(&c->rings[cpu]->out);
	return ret < 0 ? ret : 0;
}

int perf_channel_snapshot(struct channel *c, struct pev_span *spans, unsigned int *nr)
{
	unsigned int room = *nr;
	int ret;

	*nr = c->info.nr_rings;
	if (room < *nr)
		return -ENOSPC;
	ret = perf_channel_flush(c);
	for (unsigned int cpu = 0; cpu < *nr && !ret; cpu++) {
		const struct cpu_ring *r = c->rings[cpu];

		spans[cpu] = (struct pev_span){ 0 };
		if (r)
			spans[cpu] = (struct pev_span){ r->out.kernel->oldest, r->out.pos };
	}
	return ret;
}

/* ---- Life ---- */

static void unmapped(void *arg)
{
	((struct channel *)arg)->mapped = NULL;
}

int perf_channel_map(struct channel *c, struct pev_channel **mapped)
{
	const struct channel_source source = {
		.arg = c, .prepare = prepare, .fetch = fetch, .unmapped = unmapped
	};
	int ret = c->mapped ? -EBUSY : channel_make(&c->info, c->handle, &source, &c->mapped);

	for (unsigned int cpu = 0; cpu < c->info.nr_rings && !ret; cpu++)
		if (c->rings[cpu])
			ret = channel_add_ring(c->mapped, c->rings[cpu]->out.kernel,
					       c->rings[cpu]->out.user, c->rings[cpu]->out.data);
	if (ret) {
		pev_channel_unmap(c->mapped);
		return ret;
	}
	*mapped = c->mapped;
	return 0;
}

static uint64_t power_of_two(uint64_t wish)
{
	uint64_t size = LEAST_RING;

	while (size < wish && size < PEV_MAX_RING)
		size *= 2;
	return size;
}

/*
 * Each CPU gets a ring of the same size. Where the wish does not fit into the memory that may be
 * locked, half of what fits is left for another channel.
 */
static uint64_t size_that_fits(const struct perf_engine *engine, uint64_t wish)
{
	uint64_t room = perf_ring_room(engine);

	if (wish <= room)
		return wish;
	while (wish > LEAST_RING && wish > room / 2)
		wish /= 2;
	return wish;
}

/* Makes our rings twice as large as perf's, so that all of perf's fits at once. */
static void choose_sizes(struct channel *c, const struct pev_attr *attr)
{
	struct pev_channel_info *info = &c->info;
	uint64_t ring = power_of_two(attr->ring_size);

	c->perf_size = ring;
	if (attr->flags & PEV_CHF_OVERWRITE)
		c->perf_size = ring < MOST_BRIDGE ? ring : MOST_BRIDGE;
	else
		ring *= 2;
	c->perf_size = size_that_fits(c->engine, c->perf_size);
	info->ring_size = ring;
	info->packet_size = attr->packet_size ? attr->packet_size : LEAST_RING;
	while (info->packet_size > ring / PEV_MIN_PACKETS)
		info->packet_size /= 2;
	info->watermark = attr->watermark ? attr->watermark : info->packet_size;
	if (info->watermark > c->perf_size / 2)
		info->watermark = (uint32_t)(c->perf_size / 2);
	info->flags = (uint32_t)attr->flags;
}

/* Finds when the clock's zero was: CLOCK_REALTIME less CLOCK_MONOTONIC. */
static void choose_clock(struct pev_channel_info *info)
{
	struct timespec real, mono;
	int64_t s, ns;

	clock_gettime(CLOCK_REALTIME, &real);
	clock_gettime(CLOCK_MONOTONIC, &mono);
	s = real.tv_sec - mono.tv_sec;
	ns = real.tv_nsec - mono.tv_nsec;
	if (ns < 0) {
		s--;
		ns += 1000000000;
	}
	info->clock = PEV_CLOCK_MONOTONIC;
	info->clock_freq = 1000000000;
	info->clock_offset_s = (uint64_t)s;
	info->clock_offset = (uint64_t)ns;
}

int perf_channel_new(struct perf_engine *engine, const struct pev_attr *attr,
		     struct pev_error *err)
{
	struct channel *c;
	int ret = 0;

	if (attr->clock == PEV_CLOCK_CYCLES)
		return pev_fail(err, EOPNOTSUPP, 0,
				"perf_event_open(2) does not stamp records with "
				"the cycle counter: use PEV_CLOCK_DEFAULT or PEV_CLOCK_MONOTONIC");
	c = calloc(1, sizeof(*c));
	if (!c)
		return pev_fail(err, ENOMEM, 0, "no memory");
	c->engine = engine;
	c->handle = -1;
	pthread_mutex_init(&c->lock, NULL);
	if (!(engine->features & PERF_HAS_BUILD_ID))
		c->builds.files = &c->files;
	c->flush_ns = attr->flush_ms * 1000000ULL;
	choose_sizes(c, attr);
	choose_clock(&c->info);
	c->info.size = sizeof(c->info);
	c->info.nr_rings = perf_cpus_room();
	c->rings = calloc(c->info.nr_rings, sizeof(struct cpu_ring *));
	for (size_t i = 0; i < PERF_SB_MAX; i++)
		c->side_ids[i] = PERF_NO_CLASS;
	if (getrandom(c->info.uuid, sizeof(c->info.uuid), 0) != sizeof(c->info.uuid))
		ret = -EIO;
	begin_metadata(c);
	if (!ret && (!c->rings || c->metadata.failed || grow_ids(c)))
		ret = -ENOMEM;
	if (!ret) {
		c->handle = epoll_create1(EPOLL_CLOEXEC);
		ret = c->handle < 0 ? -errno : perf_remember(engine, c->handle, NULL, c);
	}
	if (ret) {
		perf_channel_free(engine, c);
		return pev_fail(err, -ret, 0, "a channel: %s", strerror(-ret));
	}
	return c->handle;
}

void perf_channel_free(struct perf_engine *engine, struct channel *c)
{
	if (c->functions)
		perf_event_free(engine, c->functions);
	while (c->nr_events)
		perf_channel_leave(c, c->events[c->nr_events - 1]);
	for (unsigned int cpu = 0; c->rings && cpu < c->info.nr_rings; cpu++)
		free_ring(c, c->rings[cpu]);
	if (c->handle >= 0) {
		perf_remember(engine, c->handle, NULL, NULL);
		close(c->handle);
	}
	text_free(&c->metadata);
	free(c->rings);
	free(c->events);
	free(c->ids);
	builds_free(c->files);
	pthread_mutex_destroy(&c->lock);
	free(c);
}
