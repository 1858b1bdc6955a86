// SPDX-License-Identifier: MIT
// What each operation touches, as events: the tensor map, the ranges of global and shared memory, the bytes its
// barrier is told. The same walks as those of the copies; nothing is moved and nothing is checked, so ask the checks
// first. Read event.h of core.
#ifndef TMAREF_OBSERVE_H
#define TMAREF_OBSERVE_H

#include "bulk.h"
#include "cp_async.h"
#include "event.h"
#include "tensormap.h"

enum tensor_kind { TENSOR_LOAD, TENSOR_STORE, TENSOR_REDUCE, TENSOR_PREFETCH };

// One cp.async.bulk.tensor, cp.reduce.async.bulk.tensor or prefetch, tiled or im2col by its map.
//   map_address  where the 128 bytes of the map lie
//   offset       im2colOffsets of a load or prefetch, rank - 2 entries; not looked at for tiled maps and stores
//   shared       of a load in each CTA that is written, else of the CTA that issues
//   barrier      of a load, in each CTA that is written
//   ctas         a load: bit r for each rank r that is written (one bit without multicast)
struct tensor_operation {
    enum tensor_kind kind;
    const struct tensormap *map;
    uint64_t map_address;
    const int32_t *coord;
    const uint16_t *offset;
    uint32_t shared, barrier;
    uint32_t ctas;
};

// Tells of the reads of map and source, the writes or reductions of the destination, and of a load's
// complete_tx, once for every CTA written. Ranges are as long as they can be: neighbours are one record.
//   source  PTX ISA 9.1 cp.async.bulk.tensor (#data-movement-and-conversion-instructions-cp-async-bulk-tensor),
//           "Proxies" (#proxies)
void tensor_observe(const struct tensor_operation *operation, const struct teller *teller);

// The same for a bulk operation, `is_reduction` or a copy. Its memories are not looked at. st.async and red.async read
// registers, and write through the generic proxy: no document puts them in the async proxy.
void bulk_observe(const struct bulk *bulk, int is_reduction, uint32_t barrier, uint32_t ctas,
                  const struct teller *teller);

// cp.async: the bytes that are read, if any, and the cp-size bytes that are written, through the generic proxy.
void cp_async_observe(const struct cp_async *copy, const struct teller *teller);

// One tensormap.replace of the map at `address`: a weak read and write of all 128 bytes, whatever the field.
//   source  PTX ISA 9.1 tensormap.replace (#data-movement-and-conversion-instructions-tensormap-replace)
void map_replace_observe(enum access_space space, uint64_t address, const struct teller *teller);

// One tensormap.cp_fenceproxy: the map is read at shared address `from` and written at global address `to`.
void map_copy_observe(uint32_t from, uint64_t to, const struct teller *teller);

#endif
