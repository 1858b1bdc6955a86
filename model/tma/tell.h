// SPDX-License-Identifier: MIT
// What an operation tells while it moves: ranges of global and of shared memory that grow while the next bytes go on
// where the last ended, so that neighbours are one event. Private to model/tma. Read event.h of core.
#ifndef TMAREF_TELL_H
#define TMAREF_TELL_H

#include "flight.h"
#include "move.h"

// A stretch of one space that has not been told yet; `end` 0: none.
struct stretch {
    uint64_t start, end;
};

//   global, shared   all of the accesses but the range
//   ctas             whose shared memory
struct telling {
    const struct teller *teller;
    struct access global, shared;
    enum tensormap_swizzle swizzle;
    uint32_t ctas;
    struct stretch global_stretch, shared_stretch;
};

// What a tensor operation tells; the map is read by the first piece.
struct telling telling_of(const struct flight *flight);
void tell_map(const struct flight *flight);

// Rows move: `run` is the first. Loads write fill too, prefetches no shared memory.
void tell_rows(struct telling *telling, const struct flight *flight, const struct rows *rows,
               const struct tile_run *run);

// The piece is done: what has not been told is told.
void tell_rest(struct telling *telling);

// Any other operation reads `from_bytes` bytes at `from` and writes or reduces `to_bytes` at `to`, in its CTAs.
void tell_ends(const struct flight *flight, uint64_t from, uint64_t from_bytes, uint64_t to, uint64_t to_bytes);

#endif
