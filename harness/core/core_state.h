// SPDX-License-Identifier: MIT
// What every thread of a core dump does: lanes of a warp that are at one place, the place in the source, and what they
// wait for, with the barrier's word. And who is the root of it: a wait that no thread which is left can end.
#ifndef TMAREF_CORE_STATE_H
#define TMAREF_CORE_STATE_H

#include "core_code.h"
#include "core_sites.h"
#include "mbarrier.h"

enum core_doing {
    CORE_RUNS,
    CORE_FAULTED,
    CORE_WAITS_MBARRIER,
    CORE_WAITS_NAMED,     // bar.sync
    CORE_WAITS_CLUSTER,   // barrier.cluster.wait
    CORE_WAITS_WARP,      // for other lanes of its warp
    CORE_WAITS_REGISTERS, // setmaxnreg.inc
    CORE_WAITS_GRID,      // griddepcontrol.wait
    CORE_POLLS,           // reads global memory in a loop
};

// Why a wait is one that others follow from, the strongest reason first.
enum core_reason {
    CORE_NO_ROOT,
    CORE_ROOT_BYTES,   // all have arrived, and bytes are missing, or came that nobody expects
    CORE_ROOT_NOBODY,  // no thread that is left can come to an instruction that arrives
    CORE_ROOT_PARTIAL, // some have arrived
    CORE_ROOT_POLL,
    CORE_ROOT_CYCLE, // all wait for one another
};

//   site      offset of the wait, or where they are, in the function; home: where the source has that;
//             line: the instruction whose line is its
//   where     its place in the source; source_line 0 if not known
//   of a barrier: `address` in the CTA `barrier_cta` (UINT32_MAX: not in the dump), `word` if has_word, and
//             where the `variable` begins that it is in, UINT64_MAX if not known
//   named     its number, and how many threads it counts (0: all of the CTA)
//   memory    that is polled, its 4 bytes if has_value
struct core_strand {
    uint32_t warp, lanes;
    const struct core_function *function;
    uint64_t offset, site, home, line;
    enum core_doing doing;
    uint32_t exception;
    struct machine_where where;
    uint32_t address, barrier_cta, parity;
    bool has_address, has_word, has_value;
    uint64_t word, memory, variable;
    uint32_t named, count, value;
    enum core_reason reason;
};

// The kernel of a grid, with its code.
struct core_kernel {
    const struct core_grid *grid;
    struct core_code *code;
    const struct core_function *function;
    struct core_sites sites;
};

struct core_state {
    const struct core_dump *dump;
    struct core_code *code; // of each image
    struct core_kernel *kernel;
    struct core_strand *strand; // by CTA and warp
    uint32_t codes, kernels, strands;
};

// 0 if there is no memory. core_state_close() is right after either.
int core_state_open(struct core_state *state, const struct core_dump *dump, struct text *why);
void core_state_close(struct core_state *state);

const struct core_cta *core_strand_cta(const struct core_state *state, const struct core_strand *strand);

// The number of its warp in the CTA, and of a CTA in its cluster.
uint32_t core_strand_warp(const struct core_state *state, const struct core_strand *strand);
uint32_t core_cta_rank(const struct core_cta *cta);

// NULL if the grid, or its code, is not in the dump.
const struct core_kernel *core_kernel_of(const struct core_state *state, const struct core_cta *cta);

#endif
