/* SPDX-License-Identifier: LGPL-2.1-only OR MIT */
/* What is said of events that a machine lacks: one line for all that lack for one reason. */
#ifndef LACKS_H
#define LACKS_H

#include "counter_set.h"

/*
 * lacks_note - a counter_note_fn that keeps events that are not supported for lacks_say(), and says
 *	at once what is counted otherwise than asked for
 */
void lacks_note(const struct counter *counter, const char *why);

/* lacks_note_unnamed - the same of events that nobody has named: only those not supported are kept */
void lacks_note_unnamed(const struct counter *counter, const char *why);

/* lacks_say - a line for each reason, with the names; forgets them */
void lacks_say(void);

/* lacks_forget - of events that nobody has asked for by name */
void lacks_forget(void);

#endif
