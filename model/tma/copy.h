// SPDX-License-Identifier: MIT
// The only code that moves bytes: tensor loads from global to shared memory. Checks first, then copies; a copy that
// faults has written nothing. Read tile.h first.
#ifndef TMAREF_COPY_H
#define TMAREF_COPY_H

#include "memory.h"
#include "tile.h"

// What keeps an H200 from loading through a map at all, whatever the instruction and the coordinates: the 715 rules of
// the map's own bits, then the 716 of its address. `map` is what tensormap_decode() makes of any 128 bytes.
//   findings  NULL, or takes every rule broken
//   returns   RULE_OK or the first rule broken
enum rule tile_map_check(const struct tensormap *map, struct findings *findings);

// The check of a tiled load, in the hardware's order: 715 before 716 before 700. Without global memory (NULL) what
// is mapped is not asked, and all else is checked.
//   dims      the .Nd of the instruction; `coord` has as many entries
//   shared    destination address in the CTA's shared window                                           (bytes)
//   findings  NULL, or takes every rule broken, not only the first
//   returns   RULE_OK or the first rule broken; rule_cuda_error() of it is the sticky error an H200 raises
//   source    PTX ISA 9.1 cp.async.bulk.tensor (#data-movement-and-conversion-instructions-cp-async-bulk-tensor)
enum rule tile_load_check(const struct tensormap *map, int dims, const int32_t *coord,
                          const struct memory *global_memory, const struct memory *shared_memory, uint32_t shared,
                          struct findings *findings);

// cp.async.bulk.tensor.{dims}d.shared::cluster.global.tile, done at once.
//   transaction_bytes  what complete_tx subtracts from the mbarrier; written only on RULE_OK           (bytes)
//   findings, returns  as tile_load_check(); on a fault shared memory is unchanged
enum rule tile_load(const struct tensormap *map, int dims, const int32_t *coord, const struct memory *global_memory,
                    const struct memory *shared_memory, uint32_t shared, uint32_t *transaction_bytes,
                    struct findings *findings);

// The bits a load of a TFLOAT32 or TFLOAT32_FTZ tensor puts in place of `bits`: ten mantissa bits, nearest even.
uint32_t tf32_round(uint32_t bits);

// The 16-bit pattern that repeats over out-of-bounds elements: 0, or 0x7ff7 for the NaN fill.
uint16_t oob_fill_pattern(enum tensormap_oob_fill fill);

#endif
