// SPDX-License-Identifier: MIT
// The public C API of tmaref: include this, link libtmaref. What is where:
// clang-format off
//   rule.h, finding.h   rules of the machine, and what a check reports
//   dtype.h             element types of tensor maps
//   access.h, event.h, ledger.h  what observers hear: accesses and synchronisation; who told a barrier what
//   bank.h              wavefronts of an access to shared memory
//   memory.h, cluster_memory.h  global memory: the regions that are mapped; the shared memories of a cluster
//   tensormap.h         cuTensorMapEncode*, decode: the 128 bytes
//   replace.h           tensormap.replace on the 128 bytes
//   location.h          where a map may lie
//   hopper.h            what sm_90a chooses where the documents leave it open
//   swizzle.h, tile.h, box.h  where the bytes of a box lie
//   cp_async.h          cp.async
//   bulk.h              bulk copies and reductions without a map
//   copy.h              tiled loads
//   store.h, im2col_store.h, reduce.h  stores and reductions
//   multicast.h, slice.h  loads in clusters, and the slices that CTAs load for each other
//   operation.h, flight.h  any asynchronous operation: checked, issued, advanced in pieces; who listens hears of each
//   tell_map.h          the events of edits of a map
//   async_group.h       what a wait for async-groups promises
//   cluster.h           clusters: addresses, ranks, launches
//   cluster_barrier.h   who waits for whom at barrier.cluster
//   cluster_access.h, atomic.h  loads, stores and atomics on the shared memory of a cluster
//   address_check.h, operand.h, prefetch.h   what single instructions check of their operands
//   mbarrier.h          the 64-bit barrier word
//   mbarrier_form.h, mbarrier_address.h, mbarrier_operate.h  mbarrier instructions: forms, addresses, effects
//   fence.h             what each form of a fence orders
//   register_pool.h     setmaxnreg: the registers of a CTA's warps
//   format.h, terms.h, sum.h  the numbers of tensor cores: formats, exact sums of products
//   types.h             what wgmma multiplies
//   descriptor.h, fragments.h  where wgmma's operands lie, in shared memory and in registers; ldmatrix, stmatrix
//   sparsity.h          what the metadata of a sparse wgmma or mma picks
//   wgmma.h, chain.h    one wgmma.mma_async; a chain of them along K, element by element
// clang-format on
// The ABI: docs/abi.md.
//
// What may be passed: any number. What the documents forbid is a finding; an enumeration, size or count that PTX does
// not have is rule INSTRUCTION_FORM, and a struct tensormap that no bytes decode to LOAD_MAP_FORMAT or
// STORE_MAP_FORMAT. A pointer is NULL only where its comment says so (`findings` always may be); an array has as many
// entries as its comment says. Tables that are looked up by number (dtype_row(), rule_row(), ...) take the numbers of
// their enumeration alone.
#ifndef TMAREF_H
#define TMAREF_H

#include "access.h"
#include "address_check.h"
#include "async_group.h"
#include "atomic.h"
#include "bank.h"
#include "box.h"
#include "bulk.h"
#include "chain.h"
#include "cluster.h"
#include "cluster_access.h"
#include "cluster_barrier.h"
#include "cluster_memory.h"
#include "copy.h"
#include "cp_async.h"
#include "descriptor.h"
#include "dtype.h"
#include "event.h"
#include "fence.h"
#include "finding.h"
#include "flight.h"
#include "format.h"
#include "fragments.h"
#include "hopper.h"
#include "im2col_load.h"
#include "im2col_store.h"
#include "lanes.h"
#include "ledger.h"
#include "location.h"
#include "matrix.h"
#include "mbarrier.h"
#include "mbarrier_address.h"
#include "mbarrier_form.h"
#include "mbarrier_operate.h"
#include "memory.h"
#include "mma.h"
#include "multicast.h"
#include "operand.h"
#include "operation.h"
#include "prefetch.h"
#include "ptx.h"
#include "reduce.h"
#include "register_pool.h"
#include "replace.h"
#include "rule.h"
#include "slice.h"
#include "sparsity.h"
#include "store.h"
#include "sum.h"
#include "swizzle.h"
#include "tell_map.h"
#include "tensormap.h"
#include "terms.h"
#include "tile.h"
#include "types.h"
#include "wgmma.h"
#include "wgmma_group.h"

#endif
