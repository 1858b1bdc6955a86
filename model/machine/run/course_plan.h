// SPDX-License-Identifier: MIT
// What is found out of a course: from one barrier to the next, or to the end, for all warps of a CTA at once.
#ifndef TMAREF_MACHINE_COURSE_PLAN_H
#define TMAREF_MACHINE_COURSE_PLAN_H

#include "handler.h"

#pragma GCC visibility push(hidden)

// Instructions between two barriers, fewer than a turn has, and what is left of them.
enum { COURSE_MOST_CODES = 1000, COURSE_MOST_ACTS = 1000, COURSE_REACHES = 8 };

enum course_doing {
    COURSE_FILL,
    COURSE_COMPUTE,
    COURSE_COMPUTE_SOME,
    COURSE_ADD_UP,
    COURSE_SET,
    COURSE_MOVE,
    COURSE_FETCH_AND_MOVE,
    COURSE_MOVE_ROWS,
    COURSE_MOVE_SOME,
    COURSE_MOVE_REACHED,
    COURSE_BY_LANES
};

// Where the lanes of each warp are that go by a ramp which is none now: of `transfer`, or of another one like it.
struct course_reach {
    const struct machine_transfer *transfer;
    uint32_t number;
    enum alu_reach reach[MACHINE_MOST_WARPS];
    struct machine_spots spots[MACHINE_MOST_WARPS];
};

// What a warp does of an instruction, or in front of one.
//   slot   of its registers: of what computes, and of what moves; of what is filled, and set, is in `number`
//   at     where its first lane is in memory, for warp 0; rise: from warp to warp
//   ahead  how far in front of it memory is asked for; bytes: how many
//   ramp   whose lanes are written, or at which they lie, for warp 0
//   lanes  those that compute, or move; of a predicate that is set, its value
//   before of what may be elsewhere: how many instructions of the part are in front of it
struct course_act {
    enum course_doing doing;
    const struct machine_code *code;
    const uint32_t *slot;
    uint8_t *at;
    int64_t rise, ahead;
    struct machine_ramp ramp;
    struct course_reach *reach;
    uint32_t number, bytes, lanes, before;
};

//   warp    stands for all warps of the CTA: its registers are theirs, one after the other, and its rows are all of
//           theirs
//   act     of the part of the course under way, which leads up to `to`: `codes` instructions, among them
//           `stores`, of so many `threads`. meets: the barrier at `to`, which is none of them; NULL: it ends
//   rows    of a warp
//   fills   how often each ramp's lanes are written
//   is_made of each instruction: it has made what is the same in every CTA
//   is_apart of each ramp: it is none now, its lanes are, since part apart_in; aparts: so many are
//   is_alike  and those lanes are the same in every warp; alike: of each instruction, whether it makes such, as far as
//           known (course_alike.c); looks: how often that was asked
//   fails   of each instruction, a barrier: how often no part began there; is_at_begin: the part is not found out,
//           since none is likely to begin
//   reach   of such ramps, `reaches` in all up to now; reaches_of_part: those that the part's acts go by, a bit each
//   fixed   predicates that are known; set: those that each warp's own registers have, too
//   lanes   of each warp, that have not gone on to `end`, where the others wait for them to leave, or to `join`, where
//           they wait for them; 0: nobody has
//   is_wrong  the CTA takes no course; is_never: it meets an instruction that is on none
//   is_by_acts  the part may be gone act by act, each by several warps: it comes to the same
//   is_own  each warp has its own registers, as one that is on none
//   is_mixed  something that may be elsewhere comes behind a store; needs_same: or where some lanes have left
//   has_ended  the part leads to the end
//   is_again  the part is found out once more, to see how it was on the way; until: so many instructions
//   pause   so many CTAs are not tried; failures: in a row
//   phases  how often each barrier was complete; met: the barriers met, those of the last MACHINE_MET parts;
//           waited_at: of each warp, the cluster's progress when it began to wait last. What a warp is at its barrier
//           it is told when it leaves
//   looker  hears of it; NULL: nobody does. is_told: of this CTA; is_shown: of each instruction: it was told before
//   part    barriers in front of it; done: the warps that have gone it; gone: instructions up to its end
struct machine_course {
    struct machine_warp warp;
    struct course_act act[COURSE_MOST_ACTS];
    const struct machine_code *meets;
    uint32_t acts, codes, stores, to;
    uint64_t threads;
    uint8_t fills[UINT8_MAX + 1], is_apart[UINT8_MAX + 1], *is_made;
    uint8_t is_alike[UINT8_MAX + 1], *alike, *fails;
    uint32_t apart_in[UINT8_MAX + 1], reaches, reaches_of_part, looks;
    struct course_reach reach[COURSE_REACHES];
    uint64_t fixed, set;
    uint32_t aparts, lanes, end, join;
    uint32_t pause, failures, warps, rows, part, done, gone, until;
    uint64_t phases[MACHINE_BARRIERS], waited_at[MACHINE_MOST_WARPS];
    const struct machine_code *met[MACHINE_MET];
    const struct machine_looker *looker;
    uint8_t *is_shown;
    bool is_told, is_open, is_wrong, is_never, is_own, is_again, is_mixed, needs_same, has_ended, is_by_acts,
        is_at_begin;
};

// All is as the CTA's first instruction finds it.
void machine_course_renew(struct machine_course *course, struct machine_cta *cta);

// Finds out the part from `to` on, up to a barrier or to the end. 0: the course does not lead there.
bool machine_course_follow(struct machine_course *course);

// The ramp of warp 0 as the warp has it, and what its first lane rises by from warp to warp.
struct machine_ramp machine_course_first(const struct machine_course *course, const struct machine_ramp *ramp);
int64_t machine_course_rise(const struct machine_course *course, const struct machine_ramp *ramp);

static inline uint32_t machine_course_number(uint16_t place)
{
    return place / sizeof(struct machine_ramp);
}

// The instruction makes no ramp: does it make the same lanes in every warp? Then they are in the rows of course->warp.
bool machine_course_is_alike(struct machine_course *course, const struct machine_ramp_code *as,
                             const struct machine_code *code, const struct machine_course_code *what);

// Warp `index` does what the part has for it. NULL: all; else what it cannot do, and what is behind it.
const struct course_act *machine_course_act(const struct machine_course *course, struct machine_strand *strand,
                                            uint32_t index);

// The same by `warps` of them, of a part that is_by_acts.
void machine_course_act_all(const struct machine_course *course, struct machine_cta *cta, uint32_t first,
                            uint32_t warps);

// All warps go on by themselves. `who` is on its way through the part, behind `before` instructions of it, and behind
// the barrier in front; COURSE_NOBODY: nobody is. Then `codes`, `stores` and `threads` are those of its way.
enum { COURSE_NOBODY = UINT32_MAX };
void machine_course_end(struct machine_cluster *cluster, uint32_t who, uint32_t before);

// Where one does not take a course, or leaves it soon, the next ones may not take one either. Grids are often powers of
// two wide: pauses are none, lest the same column is tried each time.
void machine_course_fail(struct machine_course *course);

// Somebody hears of global memory by rows of several warps (looker.h): then a course meets neither barriers nor shared
// memory, and knows where all lanes are. He is told here of the instruction, if it is on a course for the first time;
// and of all loads and stores of all warps, before the first one begins.
void machine_course_show(struct machine_course *course, const struct machine_code *code);
void machine_course_tell(struct machine_course *course);

// What is the same for all warps, and written once, is written now.
void machine_course_fill_same(struct machine_course *course);

#pragma GCC visibility pop

#endif
