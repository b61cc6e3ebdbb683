/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ring of kernel/pev/ring/ring.c, small: a ring of two packets that have room
 * for a header and two records of one position each, and writers that nest,
 * against a consumer on another CPU.
 *
 * Writer n takes a step only while running == n: that is how an interrupt is
 * atomic for the code it interrupts. Memory is sequentially consistent here; the
 * pairs of barriers have litmus tests beside this file.
 *
 * DEPTH: writers. RECORDS: by each; with FLUSH the innermost flushes instead.
 * Discard mode, or with OVERWRITE the flight recorder.
 * BROKEN_*: mistakes that must be found.
 */
#ifndef DEPTH
#define DEPTH	3
#endif
#ifndef RECORDS
#define RECORDS	2
#endif

#define PACKET	4	/* a header, two records, and the end: never filled exactly */
#define RING	8
#ifdef BROKEN_FILL
#define EXACT	1	/* a record may end where its packet does */
#else
#define EXACT	0
#endif
#define TORN	255

#define used(p)		((p) % PACKET)
#define start(p)	((p) - used(p))
#define number(p)	((p) / PACKET)

byte pos, nest, head, tail, oldest;
byte tail_seen;
byte generated, lost;
byte data[RING];	/* position that was written here last */
byte closed_as[2];	/* packet's header: 1 + number that was closed, and */
byte content[2];	/* its size */

byte running;
byte did[DEPTH];
#define all_done	(running == 0 && did[0] == RECORDS && did[DEPTH - 1] == RECORDS && \
			 did[1] == RECORDS)

/* ---- the writers' side, as in ring.h and ring.c ---- */

inline close_packet(p)
{
	content[number(p) % 2] = used(p);
	closed_as[number(p) % 2] = number(p) + 1
}

inline commit()
{
	do
	:: h = pos;
	   if
	   :: nest != 1 -> nest--; break
	   :: else ->
		assert(h >= head);
		head = h;			/* A */
		nest--;
#ifdef BROKEN_COMMIT
		break
#else
		if
		:: h == pos -> break
		:: else -> nest++
		fi
#endif
	   fi
	od
}

#ifdef OVERWRITE
/* The loop around cmpxchg, in one step. */
inline raise_oldest(s)
{
	if
	:: may && s + PACKET > RING && oldest < s + PACKET - RING ->
		oldest = s + PACKET - RING
	:: else
	fi
}

inline room(s)
{
#ifdef BROKEN_ROOM
	may = true;
#else
	may = (s + PACKET - start(head) <= RING);
#endif
#ifndef BROKEN_OLDEST
	raise_oldest(s)				/* F */
#endif
}
#else
inline room(s)
{
	may = (s + PACKET - tail_seen <= RING);
	if
	:: !may ->
		h = tail;			/* D */
		tail_seen = (tail_seen < h -> h : tail_seen);
		may = (s + PACKET - tail_seen <= RING)
	:: else
	fi
}
#endif

inline write_record()
{
	generated++;
	nest++;
	p = pos;
	do
	:: if
	   :: used(p) != 0 && used(p) + 1 < PACKET + EXACT -> s = p; lead = 0; may = true
	   :: else ->
		s = (used(p) == 0 -> p : start(p) + PACKET);
		lead = 1;
		room(s)
	   fi;
	   if
	   :: !may -> lost++; break
	   :: else
	   fi;
	   atomic {
		if
		:: pos == p -> pos = s + lead + 1; break
		:: else -> p = pos
		fi
	   }
	od;
	if
	:: may ->
		if
		:: lead == 1 && used(p) != 0 -> close_packet(p)
		:: else
		fi;
		if
		:: lead == 1 -> data[s % RING] = s
		:: else
		fi;
#ifdef BROKEN_OLDEST
		raise_oldest(s);
#endif
		data[(s + lead) % RING] = TORN;
		data[(s + lead) % RING] = s + lead
	:: else
	fi;
	commit()
}

inline flush()
{
	nest++;
	p = pos;
	do
	:: used(p) == 0 -> break
	:: else ->
	   atomic {
		if
		:: pos == p -> pos = start(p) + PACKET; break
		:: else -> p = pos
		fi
	   }
	od;
	if
	:: used(p) != 0 -> close_packet(p)
	:: else
	fi;
	commit()
}

active [DEPTH] proctype writer() provided (running == _pid)
{
	byte p, s, h;
	bit lead, may;

end:
	do
	:: did[_pid] < RECORDS ->
#ifdef FLUSH
		if
		:: _pid == DEPTH - 1 -> flush()
		:: else -> write_record()
		fi;
#else
		write_record();
#endif
		atomic {
			p = 0; s = 0; h = 0; lead = 0; may = 0;
			did[_pid]++;
			if
			:: _pid > 0 -> running--
			:: else
			fi
		}
	:: else -> break
	od
}

/* Interrupts come at any moment, also when there is no write. */
active proctype irq()
{
end:
	do
	:: atomic { running + 1 < DEPTH && did[running + 1] < RECORDS -> running++ }
	od
}

/* ---- the consumer's side ---- */

#ifdef OVERWRITE

/* Copy packet after packet, then see whether it was overrun meanwhile. */
active proctype consumer()
{
	byte p, h, c0, c1, c2, as, size;
	bool last;

	do
	:: last = all_done;
	   h = head;				/* B */
	   p = (p < oldest -> oldest : p);
	   if
	   :: p + PACKET <= h ->
		as = closed_as[number(p) % 2];
		size = content[number(p) % 2];
		c0 = data[p % RING];
		c1 = data[(p + 1) % RING];
		c2 = data[(p + 2) % RING];
		if
		:: oldest <= p ->		/* E */
			assert(as == number(p) + 1);
			assert(size > 1 && size < PACKET);
			assert(c0 == p && c1 == p + 1);
			assert(size == 2 || c2 == p + 2);
			p = p + PACKET
		:: else
		fi
	   :: else ->
		if
		:: last -> break
		:: else
		fi
	   fi
	od;
	assert(head == pos && nest == 0)
}

#else

byte delivered;

/* Read in place, then give the space back. */
active proctype consumer()
{
	byte c, h;
	bool last;

	do
	:: last = all_done;
	   h = head;				/* B */
	   do
	   :: c < h && used(c) == 0 ->
		assert(data[c % RING] == c);
		c++
	   :: c < h && used(c) != 0 && start(c) + PACKET <= h ->
		assert(closed_as[number(c) % 2] == number(c) + 1);
		if
		:: used(c) < content[number(c) % 2] ->
			assert(data[c % RING] == c);
			delivered++;
			c++
		:: else -> c = start(c) + PACKET
		fi
	   :: c < h && used(c) != 0 && start(c) + PACKET > h ->
		assert(data[c % RING] == c);
		delivered++;
		c++
	   :: c >= h -> break
	   od;
	   tail = c;				/* C */
	   if
	   :: last -> break
	   :: else
	   fi
	od;
	assert(head == pos && nest == 0);
	assert(generated == delivered + lost)
}

#endif
