// SPDX-License-Identifier: MIT
// The library: what this header includes is public, and so is what that includes. A user sees each name with the prefix
// tmaref_ or TMAREF_, and the headers as tmaref/core/rule.h and so on; cmake/publish.sh makes those of these.
//
// One way to do it: an instruction of the copy engine is a struct operation, which operation_run() checks and executes
// in a struct memories, or operation_check(), operation_issue() and flight_advance() piece by piece. A warp's
// instruction on barriers is mbarrier_operate(). docs/instructions.md has the call of every instruction.
//
//   core    rules and findings, element types, memories, what observers hear, the barriers' ledger
//   map     the 128 bytes of a tensor map: encode, decode, replace
//   walk    where the bytes of a box lie; slices of a tile in a cluster
//   tma     operations, flights; tensor loads and stores at once, and what single instructions check of their addresses
//   sync    mbarriers, async-groups, fences, clusters, setmaxnreg
//   number  formats of the tensor cores, exact sums of products
//   wgmma   wgmma.mma_async; chains of them along K
//   cute    CuTe layouts: their text and algebra, the boxes that fill them, what wgmma reads of them
//   mma     mma.sync, ldmatrix, stmatrix
//   ptx     the reader of PTX
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
#include "chain.h"
#include "cluster.h"
#include "cluster_access.h"
#include "cluster_barrier.h"
#include "cluster_memory.h"
#include "complete.h"
#include "copy.h"
#include "cute.h"
#include "cute_box.h"
#include "cute_operand.h"
#include "descriptor.h"
#include "dtype.h"
#include "event.h"
#include "fence.h"
#include "finding.h"
#include "flight.h"
#include "form_number.h"
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
#include "operation.h"
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
#include "version.h"
#include "wgmma.h"
#include "wgmma_group.h"

#endif
