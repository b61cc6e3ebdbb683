/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * pev: events that programs write themselves, without a system call.
 *
 * A *producer* is a process with marks: named places in its code. It opens
 * PEV_TYPE_PRODUCER with the names and formats of its marks, and maps two things:
 * the *gate*, a page that it can only read and in which the kernel says which marks
 * are listened to, and *rings*, which belong to the kernel and which it alone can write.
 *
 * A *listener* opens an event of PEV_TYPE_USER with a name, "shop:checkout", or the
 * beginning of one, "shop:*". Marks of that name are on in all producers that its target
 * has now and gets later, before these run on. It asks for the producers by
 * PEV_IOC_USER_NEXT and maps what they have, read-only.
 *
 * All that is in rings, and the names and formats, comes from programs: the kernel
 * vouches for the gate, and for what PEV_IOC_USER_NEXT says of the process, and for nothing
 * else. A reader checks each length, and copies before it looks.
 */
#ifndef _UAPI_LINUX_PEV_USER_H
#define _UAPI_LINUX_PEV_USER_H

#include <linux/types.h>
#include <linux/ioctl.h>

#define PEV_MAX_USER_MARKS	1024		/* of a producer */
#define PEV_MAX_USER_STRINGS	262144		/* bytes */
#define PEV_MAX_USER_NAME	128		/* bytes of a mark's name, NUL included */
#define PEV_MAX_USER_FORMAT	256		/* bytes of a format, and of the fields' names */
#define PEV_MAX_USER_RINGS	8192		/* of a producer */
#define PEV_MAX_USER_LISTENS	64		/* events of one user without CAP_PERFMON */
#define PEV_USER_PACKET		4096		/* bytes; no record crosses the end of a packet */
#define PEV_MIN_USER_RING	16384		/* bytes */
#define PEV_MAX_USER_RING	(1U << 24)

/**
 * struct pev_user_mark - a mark, for PEV_TYPE_PRODUCER
 * @name:   where "provider:event" begins in the strings: letters, digits and _ on both
 *          sides of the colon
 * @format: where its format begins, as for printf
 * @fields: where the names of the fields begin, separated by commas; a format says how
 *          many there are
 * @slot:   in the gate, below PEV_USER_SLOTS; several marks may share one
 */
struct pev_user_mark {
	__u32	name;
	__u32	format;
	__u32	fields;
	__u32	slot;
};

/**
 * struct pev_producer - at attr.config of PEV_TYPE_PRODUCER
 * @size:         of this structure
 * @nr_marks:     elements of @marks, 1 to PEV_MAX_USER_MARKS
 * @marks:        address of an array of struct pev_user_mark
 * @strings:      address of NUL-terminated strings of printable ASCII
 * @strings_size: bytes there, at most PEV_MAX_USER_STRINGS
 * @nr_rings:     1 to PEV_MAX_USER_RINGS
 * @ring_size:    bytes of each, a power of two from PEV_MIN_USER_RING to PEV_MAX_USER_RING
 * @flags:        0
 *
 * The fd can be closed once both parts are mapped:
 *
 *	gate	offset 0, one page, read-only and shared
 *	rings	offset of a page, @nr_rings * (a page + @ring_size) bytes, shared; where pages
 *		are larger than @ring_size, two pages for each
 *
 * Both are mapped as a whole or not at all. A page counts to RLIMIT_MEMLOCK and the memory
 * cgroup of the process; each ring does when it is first written to. One for which there is
 * no room is not there: what is written to it is lost, and the gate says so.
 *
 * A child has mappings of its own at the same addresses: it is a producer with other rings
 * from the moment when it first looks at the gate. execve() ends a producer, as does the
 * end of the last of its mappings, be it of the gate or of rings.
 */
struct pev_producer {
	__u32	size;
	__u32	nr_marks;
	__u64	marks;
	__u64	strings;
	__u32	strings_size;
	__u32	nr_rings;
	__u32	ring_size;
	__u32	flags;
};

#define PEV_USER_SLOTS		2048

/* flags of struct pev_user_gate */
#define PEV_USER_ENDED		(1U << 0)	/* the process is gone, or does without */
#define PEV_USER_NO_ROOM	(1U << 1)	/* there was no memory for a ring */

/**
 * struct pev_user_gate - what the kernel tells a producer
 * @version:    PEV_ABI_VERSION
 * @flags:      PEV_USER_*
 * @id:         of the producer, unique since boot and never 0: another one after a fork
 * @clock:      enum pev_clock, the one that PEV_CLOCK_DEFAULT means
 * @nr_rings:   as asked for
 * @ring_size:  as asked for
 * @packet_size: PEV_USER_PACKET
 * @clock_freq: Hz
 * @used_rings: rings with this number or a higher one are not there yet
 * @reserved:   0
 * @on:         not 0: the mark of this number is on
 * @slots:      not 0: one of the marks that have the slot is on
 *
 * A page of zeros in its place means that no mark is on: it is what memory holds before
 * it is mapped.
 */
struct pev_user_gate {
	__u32	version;
	__u32	flags;
	__u64	id;
	__u32	clock;
	__u32	nr_rings;
	__u32	ring_size;
	__u32	packet_size;
	__u64	clock_freq;
	__u32	used_rings;
	__u32	reserved[245];
	__u8	on[PEV_MAX_USER_MARKS];
	__u8	slots[PEV_USER_SLOTS];
};

/*
 * A ring: a page that begins with struct pev_user_ring, and ring_size bytes of data, a
 * sequence of packets. Positions count units of 8 bytes modulo 2^32; that of unit u is
 * data[8 * u % ring_size].
 *
 * Threads that run at the same time have different rings: a thread takes the one with the
 * number that struct rseq has as mm_cid. It writes all of a record, and publishes it by
 * storing the head, in one restartable sequence:
 *
 *	head = load(&ring->head); time = clock;
 *	begin of the sequence: leave if mm_cid or ring->head are others by now
 *	copy the record to where head says;
 *	store_release(&ring->head, head behind it);	// U, pairs with V
 *	end of the sequence
 *
 * The newest records displace the oldest. The reader:
 *
 *	head = load_acquire(&ring->head);		// V, pairs with U
 *	copy up to head; load-load barrier; head = load(&ring->head);
 *
 * What lay more than ring_size - 2 * packet_size before the second head may have been
 * overwritten while it was copied, and is lost.
 *
 * Each packet begins with struct pev_user_packet. A record is struct pev_user_record and
 * its fields in the order of the format, each a word of 8 bytes: a number with its sign
 * extended, the bits of a double, an address. A string is a word that says how many bytes
 * follow, without NUL, and these, filled up with zeros to a multiple of 8. Where a word of
 * zeros follows in place of a record, the rest of the packet is empty.
 */

/**
 * struct pev_user_ring - first page of a ring
 * @head: low 32 bits: position behind the last record, in units; high 32 bits: records
 *        that were written so far, modulo 2^32
 */
struct pev_user_ring {
	__u64	head;
};

/**
 * struct pev_user_packet - what a packet begins with
 * @unit:  its own position
 * @count: records that were written before it
 */
struct pev_user_packet {
	__u32	unit;
	__u32	count;
};

/**
 * struct pev_user_record - what a record begins with
 * @units: of the whole record, at least 2
 * @mark:  its number
 * @tid:   of the thread, as the process sees it
 * @time:  in ticks of the gate's clock
 */
struct pev_user_record {
	__u16	units;
	__u16	mark;
	__u32	tid;
	__u64	time;
};

/**
 * struct pev_user_next - PEV_IOC_USER_NEXT, on an event of PEV_TYPE_USER
 * @size:         in: bytes of this structure; out: bytes the kernel knows
 * @number:       in: the first that is wanted, 0 for all; out: what the event calls the
 *                producer. None is used twice: behind 4294967295 the event finds no more
 * @id:           of the producer, as in the gate: several events of one process name it
 *                alike
 * @pid:          of the process, as the event's opener sees it; 0: not at all
 * @inner_pid:    the same as the process itself sees it
 * @nr_rings:     that there may be
 * @ring_size:    bytes of each
 * @mmap_offset:  of the producer in the event's file, with the parts as the producer has them;
 *                another one may have it after PEV_IOC_USER_DONE
 * @marks:        address of an array of struct pev_user_mark
 * @strings:      address of room for their strings
 * @nr_marks:     in: room; out: number
 * @strings_size: in: room; out: bytes
 *
 * Finds the first producer with this number or a higher one. -EAGAIN: there is none, yet;
 * -ENOSPC with @nr_marks and @strings_size set: there is not enough room; -EACCES: the process
 * has gained rights since, and is passed over by asking for @number + 1.
 *
 * mmap() of the gate or of one ring, or a part of it, gives them read-only; -ENXIO: there
 * is no such ring yet. They stay when the process goes, until PEV_IOC_USER_DONE.
 */
struct pev_user_next {
	__u32	size;
	__u32	number;
	__u64	id;
	__u32	pid;
	__u32	inner_pid;
	__u32	nr_rings;
	__u32	ring_size;
	__u64	mmap_offset;
	__u64	marks;
	__u64	strings;
	__u32	nr_marks;
	__u32	strings_size;
};

#define PEV_IOC_USER_NEXT	_IOWR(0xb9, 13, __u32)
/* Forget a producer, by its number: -ENOENT if there is none. */
#define PEV_IOC_USER_DONE	_IOW(0xb9, 14, __u32)

#endif /* _UAPI_LINUX_PEV_USER_H */
