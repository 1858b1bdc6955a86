// SPDX-License-Identifier: MIT
// A launch whose clusters nothing orders, looked at by --sanitize on several threads of the host: each thread has a
// look_sanitize of its own, which sees one cluster after the other, and order_apart says whether two clusters access
// the same bytes. Where nothing at all is found, that is the answer. Else, or where anything else comes to pass, the
// launch is undone, and done again on one thread, which tells what it finds.
#ifndef TMAREF_LOOK_LOOK_APART_H
#define TMAREF_LOOK_LOOK_APART_H

#include "parts.h"

#pragma GCC visibility push(hidden)

struct look_apart;

// whole: of the launch on one thread. is_closed: nothing is looked at any more. NULL: the launch cannot be looked at
// so, or there is no memory. `launch` must stay as it is.
struct look_apart *look_apart_open(struct look_sanitize *whole, const struct machine_launch *launch,
                                   const struct look_options *options, const int *is_closed);
const struct machine_views *look_apart_views(const struct look_apart *apart);

// The launch is over, or waits (is_over 0), and no thread runs it. 1: all is well, and what the threads have counted is
// added to `tally`; or it was stopped before anything was found. 0: it has to be done again, and memory is as it was
// before. Where there was no memory for that, *outcome says so.
bool look_apart_counts(struct look_apart *apart, bool is_over, struct machine_outcome *outcome,
                       struct look_tally *tally);
void look_apart_close(struct look_apart *apart);

// What clusters have accessed, which the caller closes; NULL where `apart` is.
struct order_apart *look_apart_release(struct look_apart *apart);

#pragma GCC visibility pop

#endif
