// SPDX-License-Identifier: MIT
// A wrong tile as data: the load that was meant, what was done in its place, and the cause that this plants. The maps'
// addresses are in the model's arena (arena.h). Used to measure `tmaref diagnose`.
#ifndef TMAREF_DIAGNOSE_CASE_H
#define TMAREF_DIAGNOSE_CASE_H

#include "diagnose.h"
#include "diagnose_job.h"
#include "family.h"
#include "load_case.h"
#include "map_args.h"

struct diagnose_load {
    struct map_args map;
    int32_t coord[TENSORMAP_MAX_RANK];
    uint16_t offset[IM2COL_MAX_SPATIAL]; // im2col maps only
    uint32_t shared;
};

//   slices, slice_dim  as in struct diagnose
//   cause      what is planted; CAUSES: nothing, the tile is as meant
//   load[]     what is done: the first `earlier` of `loads` are there before the others are issued
//   announce, expect   whether arrive.expect_tx is done, and with how many bytes
//   clocks     so many clocks after the issue the dump is taken; -1: when all is there
//   moved      the dump is taken for one that begins so many bytes further up
//   undone     the swizzle mode that the reader undoes
//   transposed the reader takes rows for columns
struct diagnose_case {
    struct diagnose_load meant;
    uint32_t slices, slice_dim, cause;
    uint32_t loads, earlier;
    struct diagnose_load load[DIAGNOSE_MAX_LOADS];
    uint32_t announce, expect;
    int32_t clocks;
    uint32_t moved, undone, transposed;
};

// Bytes of the load's box in shared memory, and those it signals; 0 if there is no such map.
uint32_t diagnose_load_bytes(const struct diagnose_load *load, uint32_t *tx_bytes);

// Does the load on the model, into `shared`. Returns the first rule broken.
enum rule diagnose_load_run(const struct diagnose_load *load, const struct memory *shared, uint32_t *tx_bytes);

// The shared addresses that a result holds; canaries before everything, load_canaries().
struct load_window diagnose_window(const struct diagnose_case *test_case);

// Bytes that the last loads signal.
uint32_t diagnose_brought(const struct diagnose_case *test_case);

// What the reader makes of a raw dump of the window.
void diagnose_read_back(const struct diagnose_case *test_case, struct load_window window, uint8_t *bytes);

// The question that a user with this dump would ask; the bytes stay the caller's. `before` may be NULL. Returns 0 if
// the load meant has no map.
bool diagnose_question(const struct diagnose_case *test_case, struct load_window window, uint8_t *bytes,
                       const uint8_t *before, uint64_t word, struct diagnose *question);

#endif
