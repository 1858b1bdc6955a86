// SPDX-License-Identifier: MIT
// Single instructions that name memory: plain loads and stores, and the instructions around a tensor map. Only their
// addresses are checked here. Copies have checks of their own, and so have barriers (sync/mbarrier_address.h).
#ifndef TMAREF_ADDRESS_CHECK_H
#define TMAREF_ADDRESS_CHECK_H

#include "finding.h"
#include "memory.h"

// Do bits 56 to 63 of an address agree? Instructions that only hint at memory look no further.
static inline int address_is_canonical(uint64_t address)
{
    return address >> 56 == 0 || address >> 56 == 0xff;
}

// A plain load, store or atomic of `bytes` bytes (a power of two) at a shared::cta address: 715 from 2^24 on, 716, then
// 700. Unlike a copy it looks at the whole address.
//   findings  NULL, or takes every rule broken
//   returns   RULE_OK or the first rule broken
enum rule shared_access_check(uint32_t address, uint32_t bytes, const struct memory *shared, struct findings *findings);

// The same for global memory: 716, then 700. What is mapped read-only is not there for a store or an atomic.
enum rule global_access_check(uint64_t address, uint32_t bytes, enum memory_use use, const struct global_memory *global,
                              struct findings *findings);

// prefetch.tensormap: 716 unless the address is a multiple of 64, then 700 unless `global` holds 64 bytes there. Below
// 2^56 the 700 is late: it comes with a later kernel.
enum rule map_prefetch_check(uint64_t address, const struct global_memory *global, struct findings *findings);

// fence.proxy.tensormap acquire: 716 unless the address is a multiple of 64, then 700 unless bits 56 to 63 agree.
enum rule map_acquire_check(uint64_t address, struct findings *findings);

// tensormap.cp_fenceproxy of 128 bytes from shared to global memory: 716, then 700 for the source, then for the
// destination 717 where that is a generic address of shared memory, and 700.
//   to      a generic address
//   window  the generic address at which the window of shared memory begins
enum rule map_copy_check(uint32_t from, const struct memory *shared, uint64_t to, uint64_t window,
                         const struct global_memory *global, struct findings *findings);

#endif
