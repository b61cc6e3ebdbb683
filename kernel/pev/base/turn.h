/* SPDX-License-Identifier: GPL-2.0 */
/* What one user does for long under a lock that all share, his threads do one after the other. */
#ifndef _PEV_TURN_H
#define _PEV_TURN_H

struct pev_turn;

/**
 * pev_turn_take() - wait until no other thread of the user is at it
 *
 * So no more than one thread of each user stands between others and the locks that are taken
 * then. It may take as long as it likes: none of another user's waits for it. Who may watch all
 * waits for none.
 *
 * Context: Process context, may sleep. Nothing is copied from or to the user until pev_turn_end():
 * who serves that memory might be about to take a turn.
 * Return: the turn; NULL: none is needed; -EINTR: the task is killed; -ENOMEM.
 */
struct pev_turn *pev_turn_take(void);

/**
 * pev_turn_wait() - the same for what can't fail, as a close
 *
 * Context: As above.
 * Return: the turn; NULL: none is needed, or there is no memory for one.
 */
struct pev_turn *pev_turn_wait(void);

/* The opposite; @turn may be NULL. */
void pev_turn_end(struct pev_turn *turn);

#endif
