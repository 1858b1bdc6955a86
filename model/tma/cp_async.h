// SPDX-License-Identifier: MIT
// cp.async, the copy of 4, 8 or 16 bytes from global to shared memory that Hopper still has: what is written, and what
// faults. When it is done is for the thread's groups (sync/async_group.h) or a barrier (mbarrier_copies_issue()).
#ifndef TMAREF_CP_ASYNC_H
#define TMAREF_CP_ASYNC_H

#include "cp_async_form.h"
#include "finding.h"
#include "memory.h"

// One copy. `size_bytes` is cp-size: 4, 8 or 16; `operand` the src-size, or 1 where ignore-src is true; `from` a global
// address, `to` a shared one.
struct cp_async {
    const struct memory *global, *shared;
    enum cp_async_form form;
    uint32_t size_bytes, operand;
    uint64_t from, to;
};

// The bytes that are read, `*bytes` from `*start`; the rest of the cp-size bytes is written as zeros.
// Rules CP_ASYNC_ZERO_FILL, CP_ASYNC_IGNORE_SRC, CP_ASYNC_SRC_SIZE, CP_ASYNC_SRC_SIZE_ALIGN.
void cp_async_source(const struct cp_async *copy, uint64_t *start, uint32_t *bytes);

// The check of a copy, in the order of the hardware: the source's alignment (716); the destination's window (715),
// bounds (700) and alignment (716); an unmapped source (700).
//   findings  NULL, or takes every rule broken, and the warnings
//   returns   RULE_OK or the first rule broken; rule_cuda_error() of it is the sticky error an H200 raises
//   source    PTX ISA 9.1 cp.async (#data-movement-and-conversion-instructions-cp-async)
enum rule cp_async_check(const struct cp_async *copy, struct findings *findings);

// The copy, done at once. Findings and result as cp_async_check(); on a fault nothing is written.
enum rule cp_async_copy(const struct cp_async *copy, struct findings *findings);

#endif
