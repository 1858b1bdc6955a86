// SPDX-License-Identifier: MIT
// The sides of a GEMM contest: our kernels, cuBLASLt, Triton, on the same operands. Then: did they compute it?
#ifndef TMAREF_BENCH_GEMM_SIDES_H
#define TMAREF_BENCH_GEMM_SIDES_H

#include "bench.h"
#include "cublas.h"
#include "gemm/gemm_job.h"
#include "gemm_launch.h"
#include "triton.h"

// D[m, n] = A[m, k] * B[n, k]^T, D of bf16.
struct gemm_shape {
    enum gemm_type type; // GEMM_BF16 or GEMM_E4M3
    uint32_t m, n, k;
};

// Random numbers of a type in device memory, of which all operands are pieces; D of each side; workspaces of each, of
// CUBLAS_WORKSPACE_BYTES, ours with zeros between launches.
struct gemm_memory {
    unsigned long long numbers, d[2], workspace[2];
    size_t numbers_bytes, d_bytes;
};

// What a contest works on.
struct gemm_sides {
    struct gemm_shape shape;
    const struct gemm_memory *memory;
    struct gemm_call call; // ours: instance and job are the caller's
    struct cublas *cublas;
    struct cublas_gemm plan;
    const struct triton *triton;
    const struct triton_kernel *triton_kernel;
    int sets, last_set[2];              // that each side was started on
    bool is_warm;                       // one set serves all starts
    int (*before)(struct bench *bench); // of the contest, and how long it takes
    double before_ms;
};

enum { GEMM_SIDE_NAME_BYTES = 96 };

// Memory for the shapes of one type of which A and B together have at most `most_ab` bytes, D at most `most_d`. Returns
// 0 or the CUDA error.
int gemm_memory_new(struct gpu *gpu, enum gemm_type type, size_t most_ab, size_t most_d, struct gemm_memory *memory);
void gemm_memory_free(struct gpu *gpu, struct gemm_memory *memory);

// Ready for all but the choice of ours: `sides->cublas` is open. Returns 0, or the status of cuBLASLt without a plan.
int gemm_sides_open(struct gemm_sides *sides, const struct gemm_memory *memory, const struct gemm_shape *shape);
void gemm_sides_close(struct gemm_sides *sides);

// A contest of them; its sides are ours and cuBLASLt.
struct contest gemm_sides_contest(struct gemm_sides *sides, const char *name);

int gemm_start_ours(struct bench *bench, void *sides, int set);
int gemm_start_cublas(struct bench *bench, void *sides, int set);
int gemm_start_triton(struct bench *bench, void *sides, int set);

// Fills both D with NaN; says whether, after both sides were started on the same last set, they hold that product:
// against each other in many rows, against sums of doubles in some elements. Returns 0, the CUDA error, or -1 with a
// sentence in `why`.
//   apart   norm of the difference of both D over the norm of theirs, in at most `rows` rows; NaN where one is missing
int gemm_sides_compare(struct bench *bench, const struct gemm_sides *sides, uint32_t rows, double *apart);
int gemm_sides_clear(struct bench *bench, const struct gemm_sides *sides);
int gemm_sides_check(struct bench *bench, const struct gemm_sides *sides, const char *name, struct text *why);

// Kernel: GEMM_PINGPONG, or GEMM_ANY for what gemm_choose() takes. `bar`: of the ratio, 0 for none.
enum { GEMM_ANY = -1 };
struct gemm_row {
    int kernel;
    uint32_t m, n, k;
    double bar;
};

// What all random shapes together have to reach.
#define GEMM_MEAN_BAR  1.0
#define GEMM_WORST_BAR 0.85

// Row `index` of this run; 0 past the last. Random shapes: each side 16 * 1024^u for a uniform u in [0, 1), rounded
// down to a multiple of 8; the same for every type. Sides that are asked for or drawn go up to the next multiple of 8,
// for e4m3 of 16: rows of TMA, and cuBLASLt's fp8 kernels, want 16 bytes.
bool gemm_row_of(const struct bench *bench, enum gemm_type type, int index, struct gemm_row *row);

#endif
