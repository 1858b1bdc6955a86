// SPDX-License-Identifier: MIT
// What the replace kernel and the harness agree on: one job is a map that reaches the kernel in some way, edits of it,
// and a tiled load through it. Plain C, included by both. Shared memory and its canaries are load_job.h's.
#ifndef TMAREF_REPLACE_JOB_H
#define TMAREF_REPLACE_JOB_H

#include "../model/map/replace_op.h"
#include "load_job.h"

// Where tensormap.replace works: in shared memory, and tensormap.cp_fenceproxy copies the map out, or in place.
enum replace_space { REPLACE_IN_SHARED, REPLACE_IN_GLOBAL, REPLACE_SPACES };

enum {
    REPLACE_MAX_OPS = 28,   // a map of rank 5 from zeros takes 25
    REPLACE_MAP_WORDS = 24, // room for a map 64 bytes off its place
    REPLACE_MAX_MISALIGN = 64,
    REPLACE_SLOTS = 128,                          // maps that one launch passes as parameters, and as constants
    REPLACE_SHARED_MAP = LOAD_SHARED_START + 512, // shared address of the map, between barrier and window
    REPLACE_OUTPUT_LEAD = 144,                    // bytes of a job's output before the window: the map, 8, the word
};

// `map` holds the map `misalign` bytes from its start; `address` is where the map is said to be for
// MAP_UNMAPPED, `slot` which of the launch's maps it is for parameters and constants. `dims` 0: no load.
// `output` is where the window goes, the map's final bytes REPLACE_OUTPUT_LEAD bytes before it, the barrier's word 8.
// The rest is as in struct load_job.
struct replace_job {
    uint64_t map[REPLACE_MAP_WORDS];
    struct replace_op op[REPLACE_MAX_OPS];
    uint64_t address, output;
    uint32_t ops, space, location, misalign, slot;
    int32_t coord[5];
    int32_t dims;
    uint32_t shared, window, window_end;
    uint32_t expect_bytes, settle;
    uint32_t unused[12]; // to a multiple of 64 bytes: jobs, and with them their maps, lie at such
};

#ifdef __CUDACC__
#define REPLACE_MAP_ALIGN alignas(64)
#else
#define REPLACE_MAP_ALIGN _Alignas(64)
#endif

// The maps of one launch, a __grid_constant__ parameter or a __constant__ variable. The alignment is that of a map: it
// is what gives the parameter its place.
struct replace_maps {
    REPLACE_MAP_ALIGN uint64_t map[REPLACE_SLOTS][16];
};

#endif
