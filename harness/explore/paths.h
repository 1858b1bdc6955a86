// SPDX-License-Identifier: MIT
// What synchronises in one cluster of a run, as a program of its own: for each thread the sequence of its steps on
// barriers, with what the values of the run made them. paths_read.c reads such programs, paths_state.c runs them in any
// order, by the rules of model/sync, and paths_search.c searches all orders.
#ifndef TMAREF_EXPLORE_PATHS_H
#define TMAREF_EXPLORE_PATHS_H

#include <stdint.h>

#include "cluster_barrier.h"
#include "mbarrier.h"
#include "text.h"

enum { PATHS_NONE = UINT32_MAX, PATHS_WARP_LANES = 32, PATHS_MOST_CTAS = 16, PATHS_MOST_WARPS = 32 };
enum { PATHS_NAME_BYTES = 96, PATHS_MOST_MEMBERS = CLUSTER_BARRIER_MEMBERS };

// What mbarrier.init counts as its first phase, so that none from before it has the number.
enum { PATHS_FIRST_PHASE = 2 };

// The first three change no barrier: operations begin, lanes meet, a strong access. COME and LEAVE are of a barrier of
// threads, those of the cluster have no object.
enum paths_kind {
    PATHS_ISSUE,
    PATHS_JOIN,
    PATHS_ACCESS,
    PATHS_INIT,
    PATHS_INVAL,
    PATHS_TRANSACTION,
    PATHS_WAIT,
    PATHS_COME,
    PATHS_LEAVE,
    PATHS_CLUSTER_COME,
    PATHS_CLUSTER_LEAVE,
    PATHS_EXIT,
};
static inline bool paths_is_local(enum paths_kind kind)
{
    return kind <= PATHS_ACCESS;
}

//   object     of the program; PATHS_NONE: none
//   actors     that make it together, from first_actor on in program->actor_of
//   afters     steps that come before it in any order, from first_after on in program->after
//   token      of a WAIT by a token: the step that has the token; PATHS_NONE: it waits by parity
//   count      INIT: of arrivals; COME: how many threads it counts as, of `threads`
//   wanted     how many phases of the barrier had completed in the run: when an arrival came, when a wait went on
struct paths_step {
    enum paths_kind kind;
    uint32_t object, place, rank, warp, lanes, actors, first_actor, afters, first_after, token, count, threads;
    uint32_t at; // how many steps its first actor makes before it
    uint64_t operation, wanted;
    int parity;
    struct mbarrier_transaction moves;
};

// Lanes of a warp that make all their steps together, or what an operation does to one barrier.
struct paths_actor {
    uint32_t rank, warp, lanes, steps, first_step; // in program->step_of
    uint64_t operation;                            // 0: lanes
};

// An mbarrier, or a barrier of threads: of the CTA (scope 1) with that number, or of the lanes of a warp (scope 0).
//   last_wait  the most phases that a wait wants to have completed
struct paths_object {
    bool is_mbarrier;
    int scope;
    uint32_t rank, warp, address;
    uint64_t last_wait;
    char name[PATHS_NAME_BYTES];
};

struct paths_cta {
    uint32_t id[3], warps;
};

// The steps are in the order of the run.
//   held   strong accesses that come behind those of others as in the run; once searched, those of them that no barrier
//          orders so
//   alike  clusters that have the same program; the first of them is `cluster` of launch `launch`, of kernel `kernel`
struct paths_program {
    struct paths_step *step;
    struct paths_actor *actor;
    struct paths_object *object;
    uint32_t *actor_of, *step_of, *after;
    uint32_t steps, actors, objects, lanes_actors, afters, ctas, held, has_error;
    uint64_t launch, cluster, alike, digest, kernel;
    struct paths_cta cta[PATHS_MOST_CTAS];
};

struct paths_texts {
    char **item;
    uint32_t count, room;
};

// All programs of a run, which differ, and the texts that they name.
//   is_full  the run made more steps than were written
struct paths_set {
    struct paths_program *program;
    struct paths_texts places, kernels;
    uint32_t programs;
    uint64_t clusters, steps;
    bool is_full;
};

// Adds to the set what `tmaref exec --write-sync` has written. 0 with `why` if it cannot be read.
int paths_read(const char *path, struct paths_set *set, struct text *why);
void paths_set_free(struct paths_set *set);

// Is the program one that can be searched? 0 with `why`.
int paths_check(const struct paths_program *program, struct text *why);

// For paths_read(): of steps, objects and CTAs makes the rest, and of pairs of steps in `after`, of which the first
// comes before the second. 0: there is no memory.
bool paths_finish(struct paths_program *program);
void paths_program_free(struct paths_program *program);

// --- Running a program -----------------------------------------------------------------------------------------------

// What comes of a step. WAITS: it cannot be made yet. All others behind are findings.
//   DEADLOCK  nobody can make a step, and not all are done
//   OVER      an arrival is one too many for its phase
//   PHASE     an arrival counts in another phase than in the run: another one is missing from that phase
//   LAP       a wait goes on behind another phase than in the run
//   BYTES     the tx-count leaves its range
//   LIFE      a barrier is used that is not initialised
enum paths_end { PATHS_DONE, PATHS_WAITS, PATHS_DEADLOCK, PATHS_OVER, PATHS_PHASE, PATHS_LAP, PATHS_BYTES, PATHS_LIFE };
enum { PATHS_ENDS = PATHS_LIFE + 1 };
extern const char *const paths_end_name[PATHS_ENDS];

// phases: how many have completed; of an mbarrier its parity is that of the word.
struct paths_barrier {
    uint64_t word, phases;
    uint32_t is_live, sum, threads;
    uint8_t come[PATHS_WARP_LANES];
};

//   at      the number of steps that an actor has made; done: a byte for each step; phase: at which it was made
//   exited  lanes of each warp; left: steps that are not done
struct paths_state {
    const struct paths_program *program;
    uint32_t *at, left;
    uint8_t *done;
    uint64_t *phase;
    struct paths_barrier *barrier;
    struct cluster_barrier cluster;
    uint32_t exited[PATHS_MOST_CTAS][PATHS_MOST_WARPS];
};

// 0: there is no memory.
bool paths_state_open(const struct paths_program *program, struct paths_state *state);
void paths_state_begin(struct paths_state *state); // again
void paths_state_close(struct paths_state *state);

// Have all its actors come to the step, and is all done that comes before it?
bool paths_is_next(const struct paths_state *state, uint32_t step);

// Makes a step that is next. Where the answer is not DONE, nothing has changed.
enum paths_end paths_make(struct paths_state *state, uint32_t step);

// Can a step that is next be made, whatever comes of it?
bool paths_can(const struct paths_state *state, uint32_t step);

// Do two steps that are next, and could be made, give the same in either order, in the same phases?
bool paths_commute(const struct paths_state *state, uint32_t one, uint32_t other);

// Makes the steps in the order of the run, and writes down what they want. The answer is that of the first that is not
// DONE, which is *step.
enum paths_end paths_record(struct paths_program *program, struct paths_state *state, uint32_t *step);

// --- Searching its orders --------------------------------------------------------------------------------------------

// first, later: steps of a pair that the run made the other way round, and of which the finding comes; PATHS_NONE: the
// run itself ends so
// order: the steps that lead to the finding; with `step` behind them, but for a deadlock
//   tried   orders; made: steps of all of them; races: pairs of the run's order that synchronisation leaves open
//   is_whole  nothing is left
struct paths_found {
    enum paths_end end;
    uint32_t step, first, later, steps, *order;
    uint64_t tried, made, races;
    bool is_whole;
};

// Leaves out of the order what the finding does not need.
void paths_shorten(const struct paths_program *program, struct paths_found *found);

// most: how many steps may be made; until: the second of seconds_now() in which it ends (0: none). 0 with `why`:
// there is no memory. found->order is the caller's to free.
bool paths_search(struct paths_program *program, uint64_t most, double until, struct paths_found *found,
                  struct text *why);

#endif
