// SPDX-License-Identifier: MIT
// One dense wgmma.mma_async.sync.aligned.m64nNkK: checks, then D of the whole warpgroup. The numbers are in
// arithmetic.h, the layout of shared memory in descriptor.h, that of registers in fragments.h. Fences and groups are
// not here: the model does the whole instruction at once.
#ifndef TMAREF_WGMMA_H
#define TMAREF_WGMMA_H

#include "finding.h"
#include "memory.h"
#include "types.h"

// The instruction. `is_transposed`, `negate`: imm-trans and imm-scale -1 of A and B; 0 where PTX has no such operand.
struct wgmma {
    enum wgmma_types types;
    int n, a_in_registers, satfinite;
    int is_transposed[2], negate[2];
};

// What it works on. `descriptor` of A (ignored where A is in registers) and of B; `a[thread]` are the registers of A
// (NULL where it is not there); `scale_d` 0: the accumulator does not count.
struct wgmma_operands {
    uint64_t descriptor[2];
    const uint32_t (*a)[4];
    const struct memory *shared;
    int scale_d;
};

// All rules broken, in `findings` (may be NULL); returns the first that stops the instruction. Shared memory below
// shared->base is the system's: reading it breaks no rule.
enum rule wgmma_check(const struct wgmma *wgmma, const struct wgmma_operands *operands, struct findings *findings);

// D = A * B + D, or A * B. Register r of thread t is d[WGMMA_THREADS * r + t]; wgmma_d_registers() says how many there
// are. Returns the first rule broken; then D is as before.
//   source   PTX ISA 9.1 "wgmma.mma_async" (#asynchronous-warpgroup-level-matrix-instructions-wgmma-mma)
enum rule wgmma_execute(const struct wgmma *wgmma, const struct wgmma_operands *operands, uint32_t *d);

// Shared memory that operand 0 (A) or 1 (B) is read from, in pieces of 16 bytes: its first address, and the end.
void wgmma_reach(const struct wgmma *wgmma, int operand, uint64_t descriptor, uint32_t *first, uint32_t *end);

// Row `row` of A, or column `row` of B, as the units that the arithmetic takes; what is not mapped reads as zero.
void wgmma_units_of(const struct wgmma *wgmma, const struct wgmma_operands *operands, int operand, int row,
                    uint32_t units[32]);

#endif
