/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rows of kernel/pev/table/rows.c, small: two tables of a CPU with SLOTS slots, of which
 * ROWS may be in use, writers that nest, and a reader on another CPU that has the tables
 * exchanged, adds up, and clears what it was given.
 *
 * Writer n takes a step only while running == n: that is how an interrupt is atomic for the
 * code that it interrupts. Writer 0 is a task, the last one an NMI; the exchange is an
 * interrupt to the CPU, below the NMI. Both keys begin their search at slot 0, so that they
 * collide whenever they can.
 *
 * DEPTH: writers. UPDATES: of each. SWAPS: by the reader.
 * BROKEN_*: mistakes that must be found.
 */
#ifndef DEPTH
#define DEPTH	3
#endif
#ifndef UPDATES
#define UPDATES	2
#endif
#ifndef SWAPS
#define SWAPS	2
#endif
#ifndef ROWS
#define ROWS	2
#endif
#define SLOTS	(2 * ROWS)
#define KEYS	2

#define FREE	0
#define TAKEN	1
#define READY	2

#define at(h, s)	((h) * SLOTS + (s))

byte state[2 * SLOTS], key[2 * SLOTS], count[2 * SLOTS];
byte used[2], generated[2], other[2];
bit active_half;
byte nest;

/* What was done and told, by those who look from outside. */
byte made[KEYS], made_other[KEYS], told[KEYS], told_other;

byte running;
byte did[DEPTH];
bit wanted;	/* the reader waits for the exchange */
#define all_done	(running == 0 && did[0] == UPDATES && did[1] == UPDATES && \
			 did[DEPTH - 1] == UPDATES)

/* ---- the writers' side, as in rows.c ---- */

inline add_one(what)
{
#ifdef BROKEN_ADD
	tmp = what;
	what = tmp + 1
#else
	what++
#endif
}

/* row_begin(): one more may come into use */
inline begin_row()
{
	used[h]++;
	if
	:: used[h] <= ROWS -> begun = true
	:: else -> used[h]--; no_room = true
	fi
}

inline take_slot()
{
#ifdef BROKEN_TAKE
	state[at(h, s)] = TAKEN;
	mine = true
#else
	atomic {
		if
		:: state[at(h, s)] == FREE -> state[at(h, s)] = TAKEN; mine = true
		:: else
		fi
	}
#endif
}

inline fill()
{
#ifdef BROKEN_FILL
	state[at(h, s)] = READY;
#endif
	key[at(h, s)] = k;
	count[at(h, s)] = 1;
	state[at(h, s)] = READY
}

inline update_row()
{
	s = 0;
	do
	:: s == SLOTS || no_room || found -> break
	:: else ->
	   if
	   :: state[at(h, s)] == FREE && !begun -> begin_row()
	   :: else
	   fi;
	   if
	   :: !no_room && state[at(h, s)] == FREE ->
		take_slot();
		if
		:: mine -> fill(); found = true
		:: else
		fi
	   :: else
	   fi;
	   if
	   :: !no_room && !mine && state[at(h, s)] == READY && key[at(h, s)] == k ->
		add_one(count[at(h, s)]);
		found = true;
		if
		:: begun -> used[h]--
		:: else
		fi
	   :: else
	   fi;
	   s++
	od;
	if
	:: begun && !found -> used[h]--
	:: else
	fi
}

inline update()
{
	if
	:: k = 0
	:: k = 1
	fi;
	nest++;
	h = active_half;
	add_one(generated[h]);
	made[k]++;
	update_row();
	if
	:: !found -> add_one(other[h]); made_other[k]++
	:: else
	fi;
	nest--
}

/* pev_rows_swap(): interrupts are off, but an NMI comes. */
inline swap()
{
	if
#ifdef BROKEN_SWAP
	:: true ->
#else
	:: nest == 0 ->
#endif
		active_half = 1 - active_half;
		wanted = 0
	:: else
	fi
}

active [DEPTH] proctype writer() provided (running == _pid)
{
	byte k, s, tmp;
	bit h, begun, no_room, found, mine;

end:
	do
	:: _pid == 1 && wanted ->
		swap();
		running--
	:: !(_pid == 1 && wanted) && did[_pid] < UPDATES ->
		update();
		atomic {
			k = 0; s = 0; tmp = 0; h = 0;
			begun = 0; no_room = 0; found = 0; mine = 0;
			did[_pid]++;
			if
			:: _pid > 0 -> running--
			:: else
			fi
		}
	/* the one that it came for was done by the one before */
	:: _pid > 0 && !(_pid == 1 && wanted) && did[_pid] == UPDATES -> running--
	:: _pid == 0 && did[0] == UPDATES -> break
	od
}

/* Interrupts come at any moment, also when there is no update. */
active proctype irq()
{
end:
	do
	:: atomic { running + 1 < DEPTH &&
		    (did[running + 1] < UPDATES || (running == 0 && wanted)) -> running++ }
	od
}

/* ---- the reader's side ---- */

/* Add a table up that is not written to, and clear it. */
inline hand_out(h)
{
	sum = 0;
	i = 0;
	do
	:: i == SLOTS -> break
	:: else ->
	   assert(state[at(h, i)] != TAKEN);
	   if
	   :: state[at(h, i)] == READY ->
		sum = sum + count[at(h, i)];
		told[key[at(h, i)]] = told[key[at(h, i)]] + count[at(h, i)];
		rows++
	   :: else
	   fi;
	   atomic { state[at(h, i)] = FREE; key[at(h, i)] = 0; count[at(h, i)] = 0; i++ }
	od;
	assert(rows <= ROWS);
	assert(rows == used[h]);
	assert(sum + other[h] == generated[h]);
	told_other = told_other + other[h];
	atomic { used[h] = 0; generated[h] = 0; other[h] = 0; rows = 0; sum = 0; i = 0 }
}

active proctype reader()
{
	byte i, rows, sum, n;

	do
	:: n == SWAPS -> break
	:: else ->
	   wanted = 1;
	   wanted == 0;
	   hand_out(1 - active_half);
	   n++
	od;
	all_done;
	hand_out(active_half);
	assert(nest == 0);
	assert(told[0] + made_other[0] == made[0]);
	assert(told[1] + made_other[1] == made[1]);
	assert(told_other == made_other[0] + made_other[1])
}
