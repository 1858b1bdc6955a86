// SPDX-License-Identifier: MIT
// The search for a schedule under which a program fails, and for the fewest delays that make it fail.
#ifndef TMAREF_EXPLORE_H
#define TMAREF_EXPLORE_H

#include <stdint.h>

#include "explore_run.h"
#include "paths.h"
#include "text.h"

//   only         the schedule of all runs but the first; EXPLORE_SCHEDULES: all in turn
//   first_seed   of those with seeds
//   runs         at most so many, the first one with them; seconds: no run begins later; 0: no limit
//   shard        of the runs behind the first, those whose number is shard - 1 modulo shards
//   every        in place of these schedules, each list of one delay (explore_every())
//   all          in place of these schedules, every order of steps (explore_all.c)
//   paths        in place of these schedules, every order of what synchronises in the first run (explore_paths.c), in at
//                most `steps` steps of a program
//   same_output  other output than that of the first run is a failure
//   reduce       runs that the reduction of a failure may take; 0: it is not reduced
//   keep         the file that gets the delays of a reduced failure
struct explore_plan {
    struct explore_program program;
    enum explore_schedule only;
    uint64_t first_seed, depth, runs, shard, shards, reduce, steps;
    double seconds;
    int same_output, every, all, paths;
    const char *keep;
};

// What a delay of the reduced failure is: as in the file, where it began, and who went on meanwhile.
enum { EXPLORE_MOST_DELAYS = 64, EXPLORE_MOST_PAST = 32 };
struct explore_delay {
    char text[EXPLORE_LINE_BYTES], at[EXPLORE_LINE_BYTES];
    int pasts;
    char past[EXPLORE_MOST_PAST][EXPLORE_LINE_BYTES];
};

// A reduced failure.
//   is_repeated  it came again when it was run again
//   is_found     a list of delays makes it come
//   is_least     leaving out any one of them it does not come; else the runs were used up
//   delays       how many there are, of which `delay` has the first
struct explore_reduced {
    bool is_repeated, is_found, is_least, is_weak;
    uint32_t delays;
    uint64_t runs;
    struct explore_delay delay[EXPLORE_MOST_DELAYS];
};

enum explore_verdict { EXPLORE_NONE, EXPLORE_STATUS, EXPLORE_REPORT, EXPLORE_OUTPUT, EXPLORE_ORDER };

// Of every order of steps.
//   orders    that were tried; known: runs that came to one that had been; vain: in which the choice could not be made
//   outcomes  that differ: status, report, output
//   left      choices that were not tried, of those that are known; is_whole: no others are left
//   are_clusters  a launch has several, which were tried in one order alone; is_timed: so was what warps did by the number
//             of their tries, or by a clock
struct explore_all {
    uint64_t orders, known, vain, outcomes, left;
    bool is_whole, are_clusters, is_timed;
};

// Of what synchronises in the first run: the programs of its clusters, and of each what was found. why: of one that
// could not be searched, else "".
struct explore_paths {
    struct paths_set set;
    struct paths_found *found;
    struct text *why;
};
void explore_paths_free(struct explore_paths *paths);

//   runs      by schedule; cut: of them, those that were killed after the seconds of a run
//   lists     of plan->every, how many there are; tried: of them
//   verdict   of `failed`, the run that failed, if one did
struct explore_result {
    uint64_t runs[EXPLORE_SCHEDULES], all_runs, cut, lists, tried;
    struct explore_end first, end;
    enum explore_verdict verdict;
    struct explore_how failed;
    struct explore_reduced reduced;
    struct explore_all all;
    struct explore_paths paths;
};

// Runs the plan to its end, or to the first failure. 0 if the program cannot be run, with `why`.
int explore(const struct explore_plan *plan, struct explore_result *result, struct text *why);

// The lists of one delay of a program, each with stores hidden and not: each of its operations, and each warp behind
// each number of instructions that one has executed. They are of a run in which all warps and operations are late.
struct explore_every {
    char **line;                // with the number of instructions left out
    uint32_t operations, warps; // the operations come first
    uint64_t steps;
};
struct explore_every explore_every_of(const char *path);
void explore_every_free(struct explore_every *every);
uint64_t explore_every_lists(const struct explore_every *every);

// Writes list `number` to a file; 0 if it cannot be written.
bool explore_every_write(const struct explore_every *every, uint64_t number, const char *path);

// Does a run fail that ends so? `first` ended as the default schedule has it.
enum explore_verdict explore_verdict(const struct explore_plan *plan, const struct explore_end *first,
                                     const struct explore_end *end);

// How many instructions a warp of the program had at most, as a file says that a run has written; 0: it does not.
uint64_t explore_steps(const char *path);

// Finds the fewest delays that make the failure of `result` come again.
void explore_reduce(const struct explore_plan *plan, struct explore_result *result);

#endif
