// SPDX-License-Identifier: MIT
// What `tmaref exec` tells of kernels that run: the state at a line or at a fault, statistics, a timeline, which lines
// of the source ran. One struct look serves all launches of a program. It looks on through the machine's looker and
// observer (looker.h, core/event.h); where nothing is asked for there is none, and nothing is paid.
#ifndef TMAREF_LOOK_H
#define TMAREF_LOOK_H

#include "json_line.h"
#include "machine.h"
#include "remedy.h"

#pragma GCC visibility push(hidden)

// What is asked for. Texts are "" where nothing is.
//   stats      statistics of each kernel on standard error when the program ends: a table, or with lines.is_json a line
//   break_at   a place to look into: "file:line", or "kernel:line" with a line of the PTX; at the `hit`-th warp that
//              comes there (0: the first), of those of `cta` and of the thread `thread`: "x,y,z"
//   dump       what is shown there, and where a kernel fails: words of look_what_read()
//   trace      the file that takes a timeline, in the trace event format
//   write_sync the file that takes what synchronises, step by step (sync_log.h)
//   coverage   the file that takes the coverage of lines, in the format of lcov
//   sanitize   says what no synchronisation orders, whether it went wrong in this run or not (sanitize.c)
//   check      the same of copies, operations and mbarriers in shared memory alone (check_found.h)
//   lint_sync  says which fences, waits and barriers no access needs (sanitize_lint.h); sanitize is asked for, too
//   why        a place whose history is told when the program ends (why_place.h); why_writes: how many writes to it;
//              NULL: none
//   notes      the file that takes a line for each launch in which something is wrong (note.h)
//   suppressions  the file of findings of --sanitize that are not told (suppress.h); NULL: none
//   run        what the processes of one tmaref exec share: each has files of its own
struct look_options {
    bool stats, check, sanitize, lint_sync;
    struct json_lines lines; // where findings go
    uint64_t hit, why_writes;
    const char *why, *break_at, *cta, *thread, *dump, *trace, *write_sync, *coverage, *run, *notes, *suppressions;
};

// The parts of options, as a user writes them: 0 if it is not so written.
struct look_triple {
    uint32_t value[3];
    bool is_given;
};
bool look_break_read(const char *text, size_t *name_length, uint32_t *line);
bool look_triple_read(const char *text, struct look_triple *triple); // x or x,y or x,y,z
bool look_what_read(const char *text, unsigned *what);               // registers, warp, shared, barriers, all; commas
bool look_why_check(const char *text);                               // a place of --why
bool look_suppressions_check(const char *path, char *why, size_t why_bytes); // the file

struct look;

// NULL if nothing is asked for (`why` is ""), or something is that cannot be (`why` says what).
struct look *look_open(const struct look_options *options, char *why, size_t why_bytes);

// Before and behind a launch, of which several may be under way, though one thread at a time runs them. NULL where
// nobody looks (a look of NULL looks at nothing), or there is no memory, which look_close() says.
struct look_launch;
struct look_launch *look_begin(struct look *look, struct machine_launch *launch, const char *kernel);
void look_end(struct look_launch *launch);

// For a launch that --sanitize looks at: who can do it again with an edit, for remedies. Or it is such a try itself:
// then nothing is told, and *result says what was found.
void look_remedies(struct look_launch *launch, const struct remedy_trier *trier);
void look_try(struct look_launch *launch, const struct remedy_aim *aim, struct remedy_result *result);
bool look_is_under_way(const struct look *look);

// May several threads of the host run the launch though --sanitize looks at it? Sets launch->views then, before it
// begins; `launch` must stay as it is until look_end(). Once the launch is over, or waits (is_over 0): 1 if what was
// seen counts. 0: memory is as before the launch, which has to be done again without views, for the same look.
void look_apart(struct look_launch *launch, struct machine_launch *machine_launch);
bool look_apart_is_over(struct look_launch *launch, bool is_over, struct machine_outcome *outcome);

// Writes what is left to write. 0 with `why` if a file cannot be written. Launches that are under way are told of as
// far as they ran. They may go on, and end.
int look_close(struct look *look, char *why, size_t why_bytes);

#pragma GCC visibility pop

#endif
