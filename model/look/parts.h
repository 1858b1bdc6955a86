// SPDX-License-Identifier: MIT
// What the files of this room share. tally.c counts what one launch executes; the parts that were asked for
// (coverage.c) take the counts at its end, because a module may be gone at the next.
#ifndef TMAREF_LOOK_PARTS_H
#define TMAREF_LOOK_PARTS_H

#include <stdio.h>

#include "look.h"
#include "looker.h"

#pragma GCC visibility push(hidden)

// Room for `count` things of `each_bytes` in an array that has room for *room: the array, moved, or NULL without
// memory, and the old one stays as it is. What is new is zero.
void *look_grow(void *array, uint32_t *room, uint32_t count, size_t each_bytes);

// A string of its own, or NULL.
char *look_string(const char *at, size_t length);

// Closes the file. One that could not be written whole (`error`: what was seen so far) is removed: 0 with errno.
bool look_file_close(FILE *file, const char *path, int error);

// Opens the file at *path for writing and holds it until it is shared or closed. `run` must stand in its first 500
// bytes before that: another process of the same run then writes *path with its number behind, which *path becomes, and
// says so. A run of "" is none. NULL with errno.
FILE *look_file_open(char **path, const char *run);
const char *look_file_error(void); // why it is NULL
bool look_file_share(FILE *file);

// --- Counts of a launch ----------------------------------------------------------------------------------------------

// How often warps executed one code, and threads. Of accesses to shared memory, with statistics: how many, the
// wavefronts that they took, those that they would take without conflicts, and the most of one.
struct look_count {
    uint64_t warps, threads, accesses, wavefronts, ideal;
    uint32_t worst;
};

struct look_function {
    const struct machine_function *function;
    struct look_count *count; // of each code
    uint8_t *is_break;        // is it at the breakpoint? NULL: nobody asked yet
};

struct look_tally {
    struct look_function *item;
    uint32_t count, room, last; // last: whose count went up last
    bool is_short;              // there was no memory for all
};

// The counts of a function; NULL without memory.
struct look_function *look_tally_function(struct look_tally *tally, const struct machine_function *function);

// Counts one more; returns the count, NULL without memory.
struct look_count *look_tally_step(struct look_tally *tally, const struct machine_step *step);
void look_tally_join(struct look_tally *tally, const struct look_tally *other); // adds the counts
void look_tally_clear(struct look_tally *tally);

// Adds those functions of the kernel that were never called, with counts of 0.
void look_tally_complete(struct look_tally *tally, const struct machine_kernel *kernel);

// How often the instruction was executed, and the code that does what it says: others are asides of it. *code is the
// first that may be of it, and goes on to the next instruction's. *main: NULL if there is none.
struct look_count look_instruction_count(const struct look_function *of, uint32_t instruction, uint32_t *code,
                                         const struct machine_code **main);

// Where an instruction stands: "file:line", or "PTX line N" where .loc says nothing.
void look_place(const struct machine_module *module, const struct ptx_function *source,
                const struct ptx_instruction *instruction, char *place, size_t bytes);

// A launch, and what it has executed up to now.
struct look_ran {
    const char *kernel;
    struct machine_module *module;
    struct look_tally tally;
};

// --- Statistics ------------------------------------------------------------------------------------------------------

struct look_stats;

// What a launch keeps while it is under way: its kernel's number plus 1, 0 for none, and which form issued an operation
// at a line of the PTX.
struct look_stats_launch {
    uint32_t kernel, lines;
    uint16_t *form_of_line;
};

struct look_stats *look_stats_open(bool is_json);
void look_stats_begin(struct look_stats *stats, struct look_stats_launch *launch, const char *kernel);
void look_stats_before(struct look_stats *stats, const struct machine_step *step);
void look_stats_after(struct look_stats *stats, struct look_count *count);
void look_stats_hear(struct look_stats *stats, const struct look_stats_launch *launch, const struct event *event);
void look_stats_issue(struct look_stats *stats, struct look_stats_launch *launch, uint32_t line);
void look_stats_take(struct look_stats *stats, struct look_stats_launch *launch, const struct look_tally *tally,
                     struct machine_module *module);
void look_stats_close(struct look_stats *stats);

// --- The sanitizer ---------------------------------------------------------------------------------------------------

// Of one launch; where options->check is asked for and options->sanitize is not, its quick form. NULL without memory.
struct look_sanitize;
struct look_sanitize_kept;
struct look_sanitize *look_sanitize_open(const char *kernel, const struct machine_launch *launch,
                                         const struct look_options *options, struct look_sanitize_kept *kept);
bool look_sanitize_skips_plain(const struct look_sanitize *sanitize); // no instruction that only computes matters
void look_sanitize_before(struct look_sanitize *sanitize, const struct machine_step *step);
void look_sanitize_launches(struct look_sanitize *sanitize); // the kernel has launched something
void look_sanitize_hear(struct look_sanitize *sanitize, const struct event *event);
void look_sanitize_rows(struct look_sanitize *sanitize, const struct event *event, const struct machine_rows *rows);
void look_sanitize_lanes(struct look_sanitize *sanitize, const struct event *event, const uint64_t *address);
void look_sanitize_issue(struct look_sanitize *sanitize, const struct machine_flight *flight);
void look_sanitize_done(struct look_sanitize *sanitize, const struct machine_flight *flight);
void look_sanitize_tell(struct look_sanitize *sanitize, const struct look_tally *tally,
                        const struct machine_module *module);
struct sanitize_lint; // NULL: not asked for
void look_sanitize_remedies(struct look_sanitize *sanitize, const struct remedy_trier *trier,
                            struct sanitize_lint *lint);
void look_sanitize_try(struct look_sanitize *sanitize, const struct remedy_aim *aim, struct remedy_result *result);
void look_sanitize_close(struct look_sanitize *sanitize);

// Findings that are not told (suppress.h); NULL: none.
struct suppressions;
struct told_before;
void look_sanitize_suppress(struct look_sanitize *sanitize, const struct suppressions *suppressions,
                            struct told_before *before);

// The launch is that work of a stream (sanitize_works.h).
struct sanitize_works;
void look_sanitize_is(struct look_sanitize *sanitize, struct sanitize_works *works, uint32_t work);

// Closes it, but keeps what a programmatic launch behind it has to know; NULL: nothing. look_sanitize_open() takes it
// over, or drops it where it is of another launch. apart: its accesses, where threads have seen them; it is taken over.
struct order_apart;
struct look_sanitize_kept *look_sanitize_keep(struct look_sanitize *sanitize, const struct look_tally *tally,
                                              const struct machine_module *module, uint64_t number,
                                              struct order_apart *apart);
void look_sanitize_drop(struct look_sanitize_kept *kept);

// --- The history of a place ------------------------------------------------------------------------------------------

// Of the program, and of one launch. NULL without memory. A launch that is a try of another is dropped, and adds
// nothing.
struct look_why;
struct look_why_launch;
struct look_why *look_why_open(const struct look_options *options);
struct look_why_launch *look_why_begin(struct look_why *why, const struct machine_launch *launch, const char *kernel);
void look_why_before(struct look_why_launch *launch, const struct machine_step *step);
void look_why_after(struct look_why_launch *launch);
void look_why_hear(struct look_why_launch *launch, const struct event *event);
void look_why_flight(struct look_why_launch *launch, const struct machine_flight *flight, int begins);
void look_why_break(const struct look_why_launch *launch); // tells it as it is now
void look_why_end(struct look_why_launch *launch);
void look_why_close(struct look_why *why); // tells it

// --- Coverage of lines -----------------------------------------------------------------------------------------------

struct look_coverage;
struct look_coverage *look_coverage_open(const char *path, const char *run);
void look_coverage_take(struct look_coverage *coverage, const struct look_tally *tally, struct machine_module *module);
void look_coverage_drop(struct look_coverage *coverage); // without writing it
bool look_coverage_close(struct look_coverage *coverage, char *why, size_t why_bytes);

#pragma GCC visibility pop

#endif
