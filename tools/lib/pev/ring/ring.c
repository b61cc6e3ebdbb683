// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Reads rings in place. The letters are those of the ring's contract in
 * <linux/pev.h>:
 *
 *	load_head()	B, pairs with the kernel's A
 *	publish_tail()	C, pairs with the kernel's D
 *	pev_ring_copy()	E, pairs with the kernel's F
 *
 * The kernel's page is read only where it may change: sizes are taken once and
 * kept, so that not even a kernel page full of nonsense leads outside the ring.
 */
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <pev/pev.h>
#include "core/compiler.h"
#include "core/packet.h"
#include "ring/ring.h"

/**
 * struct pev_ring - a ring
 * @taken:    everything before it was handed out
 * @released: what the kernel knows as tail
 */
struct pev_ring {
	const struct pev_ring_kernel	*kernel;
	struct pev_ring_user		*user;
	const uint8_t			*data;
	uint64_t			size;
	uint64_t			taken;
	uint64_t			released;
	uint32_t			packet_size;
	uint32_t			number;
	int				cpu;
	void				*maps[3];
};

/**
 * struct pev_channel - the rings of a channel, mapped
 * @source: fills them; all 0: the kernel does
 * @fresh:  rings that the source added since the last pev_channel_map_new()
 */
struct pev_channel {
	int			fd;
	struct pev_channel_info	info;
	struct pev_ring		**rings;
	long			page;
	struct channel_source	source;
	int			fresh;
};

static uint64_t load_head(const struct pev_ring *ring)
{
	/* B: the records before head are visible once head is */
	return __atomic_load_n(&ring->kernel->head, __ATOMIC_ACQUIRE);
}

static void publish_tail(struct pev_ring *ring, uint64_t tail)
{
	if (!ring->user || tail == ring->released)
		return;
	ring->released = tail;
	/* C: all reads of the space are done before the kernel may reuse it */
	__atomic_store_n(&ring->user->tail, tail, __ATOMIC_RELEASE);
}

static bool power_of_two(uint64_t n)
{
	return n && !(n & (n - 1));
}

PEV_EXPORT int pev_ring_attach(const struct pev_ring_kernel *kernel,
			       struct pev_ring_user *user, const void *data,
			       uint64_t ring_size, uint32_t packet_size,
			       struct pev_ring **out)
{
	struct pev_ring *ring;

	*out = NULL;
	if (!power_of_two(ring_size) || !power_of_two(packet_size) ||
	    packet_size < PACKET_HEADER || ring_size / packet_size < PEV_MIN_PACKETS)
		return -EINVAL;
	ring = calloc(1, sizeof(*ring));
	if (!ring)
		return -ENOMEM;
	ring->kernel = kernel;
	ring->user = user;
	ring->data = data;
	ring->size = ring_size;
	ring->packet_size = packet_size;
	ring->number = kernel->ring;
	ring->cpu = kernel->cpu;
	/* a ring that had another reader before goes on where that one stopped */
	if (user)
		ring->taken = __atomic_load_n(&user->tail, __ATOMIC_RELAXED);
	ring->taken &= ~((uint64_t)packet_size - 1);
	ring->released = user ? ring->taken : 0;
	*out = ring;
	return 0;
}

PEV_EXPORT void pev_ring_detach(struct pev_ring *ring)
{
	free(ring);
}

/* In overwrite mode the oldest data moves under the reader. */
static bool sane(struct pev_ring *ring, uint64_t head)
{
	return head >= ring->taken && head - ring->taken <= ring->size;
}

PEV_EXPORT int pev_ring_next(struct pev_ring *ring, struct pev_piece *piece)
{
	uint64_t head = load_head(ring), len, to_wrap;

	if (!sane(ring, head)) {
		ring->taken = head & ~((uint64_t)ring->packet_size - 1);
		return -EOVERFLOW;
	}
	len = (head - ring->taken) & ~((uint64_t)ring->packet_size - 1);
	to_wrap = ring->size - (ring->taken & (ring->size - 1));
	if (len > to_wrap)
		len = to_wrap;
	if (!len)
		return 0;
	piece->data = ring->data + (ring->taken & (ring->size - 1));
	piece->len = len;
	piece->position = ring->taken;
	piece->flags = 0;
	ring->taken += len;
	return 1;
}

void ring_put_back(struct pev_ring *ring, const struct pev_piece *piece)
{
	ring->taken = piece->position;
}

PEV_EXPORT int pev_ring_partial(struct pev_ring *ring, struct pev_piece *piece)
{
	uint64_t head = load_head(ring), start;

	start = head & ~((uint64_t)ring->packet_size - 1);
	if (!sane(ring, head) || start != ring->taken || head - start < PACKET_HEADER)
		return 0;
	piece->data = ring->data + (start & (ring->size - 1));
	piece->len = head - start;
	piece->position = start;
	piece->flags = PEV_PIECE_PARTIAL;
	return 1;
}

PEV_EXPORT void pev_ring_release(struct pev_ring *ring)
{
	publish_tail(ring, ring->taken);
}

PEV_EXPORT void pev_ring_release_to(struct pev_ring *ring, uint64_t position)
{
	if (position > ring->released && position <= ring->taken)
		publish_tail(ring, position);
}

PEV_EXPORT uint64_t pev_ring_unread(const struct pev_ring *ring)
{
	uint64_t head = load_head(ring);

	return head > ring->taken ? head - ring->taken : 0;
}

PEV_EXPORT int pev_ring_copy(const struct pev_ring *ring, uint64_t position, void *buf)
{
	uint64_t head = load_head(ring);

	if (position % ring->packet_size)
		return -EINVAL;
	if (head < position || head - position < ring->packet_size)
		return 0;
	if (head - position > ring->size || pev_ring_oldest(ring) > position)
		return -ESTALE;
	memcpy(buf, ring->data + (position & (ring->size - 1)), ring->packet_size);
	/* E: the copy is complete before oldest is looked at */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return pev_ring_oldest(ring) <= position ? 1 : -ESTALE;
}

PEV_EXPORT uint64_t pev_ring_head(const struct pev_ring *ring)
{
	return load_head(ring);
}

PEV_EXPORT uint64_t pev_ring_oldest(const struct pev_ring *ring)
{
	return __atomic_load_n(&ring->kernel->oldest, __ATOMIC_RELAXED);
}

PEV_EXPORT uint64_t pev_ring_lost(const struct pev_ring *ring)
{
	return __atomic_load_n(&ring->kernel->lost, __ATOMIC_RELAXED);
}

PEV_EXPORT uint32_t pev_ring_number(const struct pev_ring *ring)
{
	return ring->number;
}

PEV_EXPORT int pev_ring_cpu(const struct pev_ring *ring)
{
	return ring->cpu;
}

PEV_EXPORT uint32_t pev_ring_packet_size(const struct pev_ring *ring)
{
	return ring->packet_size;
}

static void unmap_ring(const struct pev_channel *ch, struct pev_ring *ring)
{
	size_t sizes[] = { ch->page, ch->page, ch->info.ring_size };

	if (!ring)
		return;
	for (int i = 0; i < 3; i++)
		if (ring->maps[i])
			munmap(ring->maps[i], sizes[i]);
	free(ring);
}

/* Returns 1, 0 if there is no such ring yet, or -errno. */
static int map_ring(struct pev_channel *ch, unsigned int nr)
{
	const struct pev_channel_info *info = &ch->info;
	size_t sizes[] = { ch->page, ch->page, info->ring_size };
	off_t at = (off_t)(nr * info->mmap_stride);
	off_t offsets[] = { at, at + info->mmap_user, at + info->mmap_data };
	bool overwrite = info->flags & PEV_CHF_OVERWRITE;
	void *maps[3] = { NULL, NULL, NULL };
	struct pev_ring *ring;
	int ret = 0, i;

	for (i = 0; i < 3; i++) {
		if (i == 1 && overwrite)
			continue;
		maps[i] = mmap(NULL, sizes[i], i == 1 ? PROT_READ | PROT_WRITE : PROT_READ,
			       MAP_SHARED, ch->fd, offsets[i]);
		if (maps[i] == MAP_FAILED) {
			ret = -errno;
			maps[i] = NULL;
			break;
		}
	}
	if (!ret)
		ret = pev_ring_attach(maps[0], maps[1], maps[2], info->ring_size,
				      info->packet_size, &ring);
	if (ret) {
		for (i = 0; i < 3; i++)
			if (maps[i])
				munmap(maps[i], sizes[i]);
		return ret == -ENXIO ? 0 : ret;
	}
	ring->number = nr;
	memcpy(ring->maps, maps, sizeof(maps));
	ch->rings[nr] = ring;
	return 1;
}

/* Makes room for rings that were added to the channel. */
static int grow(struct pev_channel *ch)
{
	struct pev_channel_info info;
	struct pev_ring **more;
	int ret = pev_fd_channel_info(ch->fd, &info);

	if (ret || info.nr_rings <= ch->info.nr_rings)
		return ret;
	more = realloc(ch->rings, info.nr_rings * sizeof(*more));
	if (!more)
		return -ENOMEM;
	memset(more + ch->info.nr_rings, 0,
	       (info.nr_rings - ch->info.nr_rings) * sizeof(*more));
	ch->rings = more;
	ch->info = info;
	return 0;
}

static int prepare(struct pev_channel *ch)
{
	int ret = ch->source.prepare(ch->source.arg), fresh = ch->fresh;

	ch->fresh = 0;
	return ret < 0 ? ret : fresh;
}

int channel_prepare(struct pev_channel *ch)
{
	int mapped = 0, ret;

	if (ch->source.prepare)
		return prepare(ch);
	ret = grow(ch);
	if (ret)
		return ret;
	for (unsigned int nr = 0; nr < ch->info.nr_rings; nr++) {
		if (ch->rings[nr])
			continue;
		ret = map_ring(ch, nr);
		if (ret < 0)
			return ret;
		mapped += ret;
	}
	return mapped;
}

int channel_fetch(const struct pev_channel *ch, unsigned int nr)
{
	int ret = ch->rings[nr] && ch->source.fetch ? ch->source.fetch(ch->source.arg, nr) : 0;

	return ret < 0 ? ret : 0;
}

PEV_EXPORT int pev_channel_map_new(struct pev_channel *ch)
{
	int mapped = channel_prepare(ch), ret = mapped;

	for (unsigned int nr = 0; nr < ch->info.nr_rings && ret >= 0; nr++)
		ret = channel_fetch(ch, nr);
	return ret < 0 ? ret : mapped;
}

PEV_EXPORT int pev_channel_map(int fd, unsigned int flags, struct pev_channel **out)
{
	struct pev_channel *ch;
	int ret;

	*out = NULL;
	if (flags)
		return -EINVAL;
	ch = calloc(1, sizeof(*ch));
	if (!ch)
		return -ENOMEM;
	ch->fd = fd;
	ch->page = sysconf(_SC_PAGESIZE);
	ret = pev_fd_channel_info(fd, &ch->info);
	if (!ret) {
		ch->rings = calloc(ch->info.nr_rings ? ch->info.nr_rings : 1,
				   sizeof(*ch->rings));
		ret = ch->rings ? pev_channel_map_new(ch) : -ENOMEM;
	}
	if (ret < 0) {
		pev_channel_unmap(ch);
		return ret;
	}
	*out = ch;
	return 0;
}

PEV_EXPORT void pev_channel_unmap(struct pev_channel *ch)
{
	if (!ch)
		return;
	for (unsigned int nr = 0; ch->rings && nr < ch->info.nr_rings; nr++)
		unmap_ring(ch, ch->rings[nr]);
	free(ch->rings);
	if (ch->source.unmapped)
		ch->source.unmapped(ch->source.arg);
	free(ch);
}

int channel_make(const struct pev_channel_info *info, int fd, const struct channel_source *source,
		 struct pev_channel **out)
{
	struct pev_channel *ch = calloc(1, sizeof(*ch));

	*out = NULL;
	if (!ch)
		return -ENOMEM;
	ch->fd = fd;
	ch->info = *info;
	ch->source = *source;
	ch->rings = calloc(info->nr_rings, sizeof(*ch->rings));
	if (!ch->rings) {
		free(ch);
		return -ENOMEM;
	}
	*out = ch;
	return 0;
}

int channel_add_ring(struct pev_channel *ch, const struct pev_ring_kernel *kernel,
		     struct pev_ring_user *user, const void *data)
{
	int ret = pev_ring_attach(kernel, ch->info.flags & PEV_CHF_OVERWRITE ? NULL : user, data,
				  ch->info.ring_size, ch->info.packet_size,
				  &ch->rings[kernel->ring]);

	ch->fresh += !ret;
	return ret;
}

PEV_EXPORT const struct pev_channel_info *pev_channel_info(const struct pev_channel *ch)
{
	return &ch->info;
}

PEV_EXPORT int pev_channel_fd(const struct pev_channel *ch)
{
	return ch->fd;
}

PEV_EXPORT unsigned int pev_channel_nr_rings(const struct pev_channel *ch)
{
	return ch->info.nr_rings;
}

PEV_EXPORT struct pev_ring *pev_channel_ring(const struct pev_channel *ch, unsigned int nr)
{
	return nr < ch->info.nr_rings ? ch->rings[nr] : NULL;
}

PEV_EXPORT int pev_channel_poll(struct pev_channel *ch, int timeout_ms)
{
	struct pollfd fd = { .fd = ch->fd, .events = POLLIN };
	int n = poll(&fd, 1, timeout_ms);

	if (n < 0)
		return -errno;
	if (fd.revents & POLLNVAL)
		return -EBADF;
	return (fd.revents & POLLIN ? PEV_POLL_DATA : 0) |
	       (fd.revents & (POLLHUP | POLLERR) ? PEV_POLL_HANGUP : 0);
}

PEV_EXPORT uint64_t pev_channel_lost(const struct pev_channel *ch)
{
	uint64_t lost = 0;

	for (unsigned int nr = 0; nr < ch->info.nr_rings; nr++)
		if (ch->rings[nr])
			lost += pev_ring_lost(ch->rings[nr]);
	return lost;
}
