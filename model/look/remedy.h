// SPDX-License-Identifier: MIT
// A finding of --sanitize, and whether an edit of the PTX mends it: the launch is done again, from the state that it
// began with, with the edit. Who can do that (model/driver/kernel/try_again.c) is asked by sanitize_remedy.c.
#ifndef TMAREF_LOOK_REMEDY_H
#define TMAREF_LOOK_REMEDY_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

// `text` goes before the line of the PTX, or behind the statement that begins there; or it replaces `from` in that
// line, or the line.
enum remedy_where { REMEDY_BEFORE, REMEDY_BEHIND, REMEDY_REPLACE, REMEDY_INSTEAD };
enum { REMEDY_TEXT_BYTES = 512, REMEDY_FROM_BYTES = 48, REMEDY_PIECES = 4, REMEDY_COPIES = 32 };
struct remedy_piece {
    enum remedy_where where;
    uint32_t line;
    uint32_t copies, copy[REMEDY_COPIES]; // the other lines where it is made too
    char text[REMEDY_TEXT_BYTES], from[REMEDY_FROM_BYTES];
};

// The lines are those of the text as it was. count 0: nothing is edited.
struct remedy_edit {
    uint32_t count;
    struct remedy_piece piece[REMEDY_PIECES];
};

// The finding that is to go: its kind, and its lines of the PTX as it was.
struct remedy_aim {
    uint32_t kind, older, newer;
    bool is_older_here; // the older line is of this launch
};

// policy: enum machine_policy
struct remedy_schedule {
    int policy;
    uint64_t seed;
};

// has_ended: the launch came to its end. is_over: and all of it was seen. errors: what was found then, without
// advice; advice: that. is_there: the aim was among it. digest: of the global memory that it accessed, as it left it.
struct remedy_result {
    bool is_over, is_there, has_ended;
    uint32_t errors, advice;
    uint64_t digest;
};

// schedule: NULL: that of the launch. 0: nothing could be tried.
struct remedy_trier {
    void *context;
    int (*try)(void *context, const struct remedy_edit *edit, const struct remedy_aim *aim,
               const struct remedy_schedule *schedule, struct remedy_result *result);
};

#pragma GCC visibility pop

#endif
