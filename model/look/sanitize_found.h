// SPDX-License-Identifier: MIT
// What --sanitize has found in one launch, and how it is told: each cause once. sanitize.c finds.
#ifndef TMAREF_LOOK_SANITIZE_FOUND_H
#define TMAREF_LOOK_SANITIZE_FOUND_H

#include "clock_order.h"
#include "parts.h"

#pragma GCC visibility push(hidden)

// One row of sanitize_kinds.c each. The first word is the later of the two accesses in this run.
enum sanitize_kind {
    SANITIZE_RACE,
    SANITIZE_LANES,
    SANITIZE_UPDATE,
    SANITIZE_GLOBAL_RACE,
    SANITIZE_SCOPE,
    SANITIZE_READ_BEFORE_COPY,
    SANITIZE_WRITE_BEFORE_COPY,
    SANITIZE_OPERATION_BEFORE_COPY,
    SANITIZE_OPERATION_BEFORE_WRITE,
    SANITIZE_REFILL,
    SANITIZE_SOURCE_OVERWRITTEN,
    SANITIZE_PRODUCT_OVERWRITTEN,
    SANITIZE_PRODUCT_REGISTER,
    SANITIZE_PRODUCT_SOURCE,
    SANITIZE_PRODUCT_FENCE,
    SANITIZE_SMALL_COPY,
    SANITIZE_COPIES,
    SANITIZE_FENCE,
    SANITIZE_GLOBAL_FENCE,
    SANITIZE_GLOBAL_STORE,
    SANITIZE_GLOBAL_SOURCE,
    SANITIZE_GLOBAL_LOAD,
    SANITIZE_MAP_FENCE,
    SANITIZE_MAP_RACE,
    SANITIZE_MAP_EDITED,
    SANITIZE_GRID_EARLY,
    SANITIZE_GRID_OVERWRITES,
    SANITIZE_EXIT,
    SANITIZE_UNINITIALISED,
    SANITIZE_UNORDERED_INIT,
    SANITIZE_AGAIN,
    SANITIZE_UNEXPECTED,
    SANITIZE_OVER_ARRIVAL,
    SANITIZE_ABSENT_LANE,
    SANITIZE_MEMBERMASK,
    SANITIZE_BARRIER_WRITTEN,
    SANITIZE_CONSTANT,
    SANITIZE_MEETING,
    SANITIZE_INVAL,
    SANITIZE_LAYOUT,
    SANITIZE_DIVERGENT,
    SANITIZE_COUNT,
    SANITIZE_SETMAXNREG,
    SANITIZE_STREAMS, // of works of streams (sanitize_works.c), as those up to SANITIZE_HOST
    SANITIZE_STREAM_FREED,
    SANITIZE_STREAM_NEW,
    SANITIZE_HOST,
    SANITIZE_SMALL_COPY_FENCE, // advice, as those below
    SANITIZE_PRODUCT_WARPS,
    SANITIZE_IN_STEP,
    SANITIZE_SAME_VALUE,
    SANITIZE_GUESS,
    SANITIZE_UNWRITTEN,
    SANITIZE_GLOBAL_UNWRITTEN,
    SANITIZE_BARRIER_RANK,
    SANITIZE_LINEAR,
    SANITIZE_SIZES,
    SANITIZE_VOLATILE,
};

// One side of a finding. release: what its thread did next that others can be ordered by (of the older side); acquire:
// what it was last ordered by before (of the newer).
enum { SANITIZE_NAME_BYTES = 192 };
struct sanitize_side {
    uint32_t line, rank, warp, lane;
    uint64_t cta;
    int flags;
    bool is_operation, is_product;
    int is_before; // of the launch so many in front of this one
    struct order_note note;
    char note_name[SANITIZE_NAME_BYTES];
};

struct sanitize_finding {
    enum sanitize_kind kind;
    enum access_space space;
    uint64_t cta, address, seen;            // seen: how often
    uint32_t bytes, unexpected, barrier_at; // unexpected: bytes that nobody announced; barrier_at: where `barrier` is
    char name[SANITIZE_NAME_BYTES], barrier[SANITIZE_NAME_BYTES];
    bool is_parted; // nothing is missing but that lanes of a warp meet
    struct sanitize_side older, newer;
};

// A launch in front, as far as it is told of: its kernel, sizes, and the functions that ran.
struct sanitize_front {
    const struct sanitize_front *next; // in front of that
    const struct machine_module *module;
    char kernel[SANITIZE_NAME_BYTES];
    uint32_t grid[3], block[3];
    struct look_tally tally; // without counts
};

enum { SANITIZE_KEPT = 512, SANITIZE_TOLD = 32 };
struct sanitize_found {
    const char *kernel, *notes;
    const struct sanitize_front *front; // NULL: it has ended
    const struct remedy_trier *trier;   // NULL: no remedies
    struct sanitize_lint *lint;         // NULL: not asked for
    const struct remedy_aim *aim;       // of a try, with its result; NULL: it is none
    struct remedy_result *result;
    uint32_t grid[3], block[3];
    struct json_lines lines;
    const struct suppressions *suppressions;
    struct told_before *before; // NULL: what other launches told is not known
    uint32_t works;             // findings against works of other streams, which are told
    uint32_t count, lost;
    struct sanitize_finding item[SANITIZE_KEPT];
};

// What is said of a kind. `newer` and `older` name the two sides; older NULL: there is one side. missing: what orders
// them in a kernel that is right.
struct sanitize_text {
    const char *id, *sentence, *newer, *older, *missing, *advice;
};
const struct sanitize_text *sanitize_text(enum sanitize_kind kind);

// Are both sides threads of one warp, whom no release orders?
bool sanitize_is_of_lanes(const struct sanitize_finding *finding);

// What orders the two in a kernel that is right, and what to do: of the kind, or that lanes meet.
const char *sanitize_missing(const struct sanitize_finding *finding);
const char *sanitize_advice(const struct sanitize_finding *finding);

// Is there one of that id?
bool sanitize_has_rule(const char *id);

// Is it no error, but advice? It does not count for the verdict.
bool sanitize_is_advice(enum sanitize_kind kind);

// Is one of the same lines there? It counts. It needs no names.
bool sanitize_found_again(struct sanitize_found *found, const struct sanitize_finding *finding);

// Keeps it, unless one of the same lines is there.
void sanitize_found_add(struct sanitize_found *found, const struct sanitize_finding *finding);

// Is it what follows from bytes that nobody expected? A wait cannot know of their copy.
bool sanitize_found_follows(const struct sanitize_found *found, const struct sanitize_finding *finding);

// Tells them, and the verdict. incomplete: why the launch was not seen whole, or NULL.
void sanitize_found_tell(const struct sanitize_found *found, const struct look_tally *tally,
                         const struct machine_module *module, const char *incomplete);

#pragma GCC visibility pop

#endif
