// SPDX-License-Identifier: MIT
// One wgmma.mma_async.sync.aligned.m64nNkK, dense or sparse (.sp): checks, then D of the whole warpgroup. The numbers
// are in chain.h, the layout of shared memory in descriptor.h, that of registers in fragments.h, the metadata in
// sparsity.h. Fences and groups are not here: the model does the whole instruction at once.
#ifndef TMAREF_WGMMA_H
#define TMAREF_WGMMA_H

#include "event.h"
#include "finding.h"
#include "memory.h"
#include "types.h"

// The instruction. `is_transposed`, `negate`: imm-trans and imm-scale -1 of A and B; 0 where PTX has no such operand.
// `is_sparse`: of the 2 K elements of a row of A K are kept, and B is twice as deep as in types.h; `selector`: sp-sel.
struct wgmma {
    enum wgmma_types types;
    int n, a_in_registers, satfinite;
    int is_transposed[2], negate[2];
    int is_sparse, selector;
};

// What it works on. `descriptor` of A (ignored where A is in registers) and of B; `a[thread]` are the registers of A in
// each of the WGMMA_THREADS threads (NULL where it is not there); `scale_d` 0: the accumulator does not count.
// `metadata`: sp-meta of each thread (NULL where the instruction is dense).
struct wgmma_operands {
    uint64_t descriptor[2];
    const uint32_t (*a)[4];
    const struct memory *shared;
    int scale_d;
    const uint32_t *metadata;
};

// All rules broken, in `findings` (may be NULL); returns the first that stops the instruction. Shared memory below
// shared->base is the system's: reading it breaks no rule.
enum rule wgmma_check(const struct wgmma *wgmma, const struct wgmma_operands *operands, struct findings *findings);

// D = A * B + D, or A * B. Register r of thread t is d[WGMMA_THREADS * r + t]; wgmma_d_registers() says how many there
// are. Findings and result as wgmma_check(); where a rule is broken D is as before.
//   source   PTX ISA 9.1 "wgmma.mma_async" (#asynchronous-warpgroup-level-matrix-instructions-wgmma-mma),
//            "wgmma.mma_async.sp" (#asynchronous-warpgroup-level-matrix-instructions-wgmma-mma-sp)
enum rule wgmma_execute(const struct wgmma *wgmma, const struct wgmma_operands *operands, uint32_t *d,
                        struct findings *findings);

// The same with registers anywhere in memory: d[r][w] points to register r of the 32 lanes of warp w. They must not
// overlap.
enum rule wgmma_execute_at(const struct wgmma *wgmma, const struct wgmma_operands *operands,
                           uint32_t *const (*d)[WGMMA_PARTS], struct findings *findings);

// Shared memory that operand 0 (A) or 1 (B) is read from, in pieces of 16 bytes: its first address, and the end.
void wgmma_reach(const struct wgmma *wgmma, int operand, uint64_t descriptor, uint32_t *first, uint32_t *end);

// Marks with 1 the rows of A (operand 0) or columns of B (operand 1) of which shared memory holds not every byte;
// the bytes themselves are not looked at.
void wgmma_mark_outside(const struct wgmma *wgmma, const struct wgmma_operands *operands, int operand,
                        uint8_t is_outside[WGMMA_MAX_N]);

// Tells of the reads of A and B that wgmma_execute() makes, by the async proxy: neighbouring pieces are one event. What
// is not mapped is not told. Registers are no memory: what orders them is in sync/wgmma_group.h.
void wgmma_observe(const struct wgmma *wgmma, const struct wgmma_operands *operands, const struct teller *teller);

// What is multiplied for D[row][column]: the units of A, and those of B that they meet (wgmma_units() of each); what is
// not mapped reads as zero.
void wgmma_factors_of(const struct wgmma *wgmma, const struct wgmma_operands *operands, int row, int column,
                      uint32_t a[32], uint32_t b[32]);

#endif
