// SPDX-License-Identifier: MIT
// One GEMM of the family "gemm" as data: which kernel, the problem, how it is cut up, and what A and B hold.
#ifndef TMAREF_GEMM_CASE_H
#define TMAREF_GEMM_CASE_H

#include "family.h"
#include "field.h"
#include "gemm/cp_async_job.h"
#include "gemm_instance.h"
#include "memory.h"
#include "types.h"

enum gemm_operand { GEMM_A, GEMM_B, GEMM_D };

// `instance` counts the rows of GEMM_INSTANCES, then those of CP_ASYNC_INSTANCES (which has no clusters and a CTA for
// each tile). pitch_bytes: from row to row of A, B and D, multiples of 16. `ctas`:
// the grid has at most so many (0: as many as the GPU has SMs). `workspace`: splits go through one, see gemm_job.h.
// `exact`: A and B hold -1, 0 and 1, whose sums are exact in any order; else `seed` tells the style of their numbers
// too (wgmma_style() of wgmma_job.h).
struct gemm_case {
    uint32_t instance, m, n, k;
    uint32_t pitch_bytes[3];
    uint32_t stages, cluster_m, cluster_n, splits, reduce, workspace, group, ctas;
    uint32_t exact, dump, seed;
};

enum {
    GEMM_MAX_SIDE = 1 << 15,
    GEMM_MAX_PITCH = 1 << 18,
    GEMM_PITCH_UNIT = 16,
    GEMM_MAX_SPLITS = 64,
    GEMM_MAX_SIDE_CTAS = 4,
    GEMM_GUARD_BYTES = 256,
};

// The types of the instructions that an instance chains, and the format of an element.
enum wgmma_types gemm_wgmma_types(const struct gemm_instance *instance);
enum number_format gemm_format(enum gemm_type type);

// Bytes that a row of an operand takes, without what lies between rows; a row's elements.
uint32_t gemm_row_bytes(const struct gemm_case *c, enum gemm_operand operand);
uint32_t gemm_rows(const struct gemm_case *c, enum gemm_operand operand);

// Bytes of an operand in memory. D has GEMM_GUARD_BYTES before and behind it, which must not change.
size_t gemm_operand_bytes(const struct gemm_case *c, enum gemm_operand operand);

// What an operand's memory holds before the launch, what lies between rows too; D its guards as well.
void gemm_fill(const struct gemm_case *c, enum gemm_operand operand, uint8_t *bytes);

// The numbers of A or B by themselves, and the canaries of D: `size_bytes` is a multiple of 8.
void gemm_fill_numbers(enum gemm_type type, int exact, uint32_t seed, enum gemm_operand operand, uint8_t *bytes,
                       size_t size_bytes);
void gemm_fill_canaries(uint8_t *bytes, size_t size_bytes);

// The job of the kernel; `dump` and `timeline` are 0.
struct gemm_job gemm_case_job(const struct gemm_case *c);

// The least pitch of each operand for the case's instance and sizes.
void gemm_least_pitch(struct gemm_case *c);

extern const struct fields gemm_fields;

// --- The model (gemm_model.c) ----------------------------------------------------------------------------------------

// D after the GEMM into `d`, GEMM_GUARD_BYTES of it before the first row; `d` holds what gemm_fill() puts there.
// Returns 0 if there is no memory for it.
bool gemm_model(const struct gemm_case *c, uint8_t *d);

// What CTA 0 has to do (gemm_dump.c): its tiles, and how many blocks go through its stages.
void gemm_model_work(const struct gemm_case *c, uint32_t *tiles, uint32_t *loads);

// The instruction of the chain along k with which part `part` of a split begins, or the number of all.
size_t gemm_part_start(const struct gemm_case *c, uint32_t part);

// What the other parts of a tile send to CTA 0 in distributed shared memory (gemm_dump_parts.c): the tile begins at row
// m and column n, `stages` are those of CTA 0. Returns 0 if there is no memory for it.
bool gemm_model_parts(const struct gemm_case *c, const struct memory operand[2], uint32_t m, uint32_t n,
                      uint8_t *stages);

// The shared memory that a dump shows (gemm_dump.c): gemm_dump_bytes() of it.
bool gemm_model_dump(const struct gemm_case *c, uint8_t *dump);

#endif
