// SPDX-License-Identifier: MIT
// mma.sync and mma.sp: each warp takes jobs in turn, fills its registers, runs one to three instructions on the same D,
// and dumps D of all lanes. One function for each instruction that mma_op.h lists; every instruction is exact text, so
// that what runs is what the assembler makes of it for sm_90a.
#include "mma_job.h"

#define CLAMP_PLAIN     ""
#define CLAMP_SATFINITE ".satfinite"
#define CLAMP_AND       ""
#define CLAMP_XOR       ""
#define COUNT_PLAIN     ""
#define COUNT_SATFINITE ""
#define COUNT_AND       ".and.popc"
#define COUNT_XOR       ".xor.popc"

// The operands as text and as lists, by the registers of D, A and B.
#define TEXT_2_1_1   "{%0, %1}, {%2}, {%3}, {%0, %1};"
#define TEXT_2_2_1   "{%0, %1}, {%2, %3}, {%4}, {%0, %1};"
#define TEXT_2_4_2   "{%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
#define TEXT_4_2_1   "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
#define TEXT_4_4_2   "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
#define TEXT_4_8_4   "{%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, {%0, %1, %2, %3};"
#define SPARSE_2_2_2 "{%0, %1}, {%2, %3}, {%4, %5}, {%0, %1}, %6, %7;"
#define SPARSE_2_4_4 "{%0, %1}, {%2, %3, %4, %5}, {%6, %7, %8, %9}, {%0, %1}, %10, %11;"
#define SPARSE_4_2_2 "{%0, %1, %2, %3}, {%4, %5}, {%6, %7}, {%0, %1, %2, %3}, %8, %9;"
#define SPARSE_4_4_4 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9, %10, %11}, {%0, %1, %2, %3}, %12, %13;"
#define D_2(x)       "+" x(d[0]), "+" x(d[1])
#define D_4(x)       D_2(x), "+" x(d[2]), "+" x(d[3])
#define A_1(x)       x(a[0])
#define A_2(x)       x(a[0]), x(a[1])
#define A_4(x)       A_2(x), x(a[2]), x(a[3])
#define A_8(x)       A_4(x), x(a[4]), x(a[5]), x(a[6]), x(a[7])
#define B_1(x)       x(b[0])
#define B_2(x)       x(b[0]), x(b[1])
#define B_4(x)       B_2(x), x(b[2]), x(b[3])

static __device__ __noinline__ uint64_t content(wgmma_layout layout, uint32_t seed, uint32_t salt, uint32_t step,
                                                uint32_t index)
{
    return mma_content(layout, seed, salt, step, threadIdx.x % MMA_LANES, index);
}

// One function for registers of 32 bits and for those of 64.
static __device__ __forceinline__ void put(uint64_t bits, uint32_t &to)
{
    to = (uint32_t)bits;
}

static __device__ __forceinline__ void put(uint64_t bits, double &to)
{
    to = __longlong_as_double((long long)bits);
}

// The steps of a job: `multiply` is the instruction; Register is uint32_t, or double of the forms that have 64 bits.
template <int D, int A, int B, class Register, class Multiply>
static __device__ __forceinline__ void run(const mma_job &job, wgmma_layout of_d, wgmma_layout of_a, wgmma_layout of_b,
                                           uint32_t *output, Multiply multiply)
{
    Register d[D], a[A], b[B];
    for (int i = 0; i < D; i++) put(content(of_d, job.seed, WGMMA_SALT_D, 0, i), d[i]);
#pragma unroll 1
    for (uint32_t step = 0; step < job.steps; step++) {
        for (int i = 0; i < A; i++) put(content(of_a, job.seed, WGMMA_SALT_A, step, i), a[i]);
        for (int i = 0; i < B; i++) put(content(of_b, job.seed, WGMMA_SALT_B, step, i), b[i]);
        multiply(d, a, b, step);
    }
    Register *to = (Register *)(output + job.output);
    for (int i = 0; i < D; i++) to[i * MMA_LANES + threadIdx.x % MMA_LANES] = d[i];
}

#define NAME(rows, depth, DT, AT, BT, tail) mma_m##rows##k##depth##_##DT##_##AT##_##BT##_##tail
#define FUNCTION(Register, constraint, rows, depth, DT, AT, BT, d_ptx, a_ptx, b_ptx, tail, nd, na, nb)                 \
    static __device__ __noinline__ void NAME(rows, depth, DT, AT, BT, tail)(const mma_job &job, uint32_t *output)      \
    {                                                                                                                  \
        run<nd, na, nb, Register>(                                                                                     \
            job, wgmma_layout MMA_LAYOUT_##DT, wgmma_layout MMA_LAYOUT_##AT, wgmma_layout MMA_LAYOUT_##BT, output,     \
            [](Register(&d)[nd], Register(&a)[na], Register(&b)[nb], uint32_t) {                                       \
                asm volatile("mma.sync.aligned.m" #rows "n8k" #depth ".row.col" CLAMP_##tail                           \
                             "." #d_ptx "." #a_ptx "." #b_ptx "." #d_ptx COUNT_##tail " " TEXT_##nd##_##na##_##nb      \
                             : D_##nd(constraint)                                                                      \
                             : A_##na(constraint), B_##nb(constraint));                                                \
            });                                                                                                        \
    }
#define FUNCTION_32(X, rows, columns, depth, DT, AT, BT, d, a, b, tail, nd, na, nb)                                    \
    FUNCTION(uint32_t, "r", rows, depth, DT, AT, BT, d, a, b, tail, nd, na, nb)
#define FUNCTION_64(X, rows, columns, depth, DT, AT, BT, d, a, b, tail, nd, na, nb)                                    \
    FUNCTION(double, "d", rows, depth, DT, AT, BT, d, a, b, tail, nd, na, nb)
MMA_ROWS_32(FUNCTION_32, )
MMA_ROWS_DOUBLE(FUNCTION_64, )

// Sparse ones have a kernel text for each selector.
#define SPARSE_NAME(depth, DT, AT, BT, tail) mma_sp_k##depth##_##DT##_##AT##_##BT##_##tail
#define SPARSE_FUNCTION(X, rows, columns, depth, DT, AT, BT, d_ptx, a_ptx, b_ptx, tail, nd, na, nb)                    \
    template <int selector>                                                                                            \
    static __device__ __noinline__ void SPARSE_NAME(depth, DT, AT, BT, tail)(const mma_job &job, uint32_t *output)     \
    {                                                                                                                  \
        constexpr wgmma_layout of_a = MMA_LAYOUT_##AT;                                                                 \
        run<nd, na, nb, uint32_t>(                                                                                     \
            job, wgmma_layout MMA_LAYOUT_##DT, of_a, wgmma_layout MMA_LAYOUT_##BT, output,                             \
            [&](uint32_t(&d)[nd], uint32_t(&a)[na], uint32_t(&b)[nb], uint32_t step) {                                 \
                uint32_t e = mma_metadata(job.seed, step, threadIdx.x % MMA_LANES, of_a.width == 32);                  \
                asm volatile("mma.sp::ordered_metadata.sync.aligned.m16n8k" #depth ".row.col" CLAMP_##tail             \
                             "." #d_ptx "." #a_ptx "." #b_ptx "." #d_ptx " " SPARSE_##nd##_##na##_##nb                 \
                             : D_##nd("r")                                                                             \
                             : A_##na("r"), B_##nb("r"), "r"(e), "n"(selector));                                       \
            });                                                                                                        \
    }
MMA_ROWS_SPARSE(SPARSE_FUNCTION, )

// The selectors that a form has, by how many bits of metadata a row has; the first one stands for those it lacks.
template <int depth, int width>
constexpr int metadata_bits = width == 32  ? depth * 2
                              : width == 4 ? depth / 2
                                           : depth;
template <int selector, int depth, int width>
constexpr int valid = selector *metadata_bits<depth, width> < 64 ? selector : 0;

static __device__ void run_job(const mma_job &job, uint32_t *output)
{
    switch (job.form * MMA_MAX_SELECTORS + job.selector) {
#define CASE(X, rows, columns, depth, DT, AT, BT, d, a, b, tail, nd, na, nb)                                           \
    case MMA_M##rows##K##depth##_##DT##_##AT##_##BT##_##tail *MMA_MAX_SELECTORS:                                       \
        return NAME(rows, depth, DT, AT, BT, tail)(job, output);
        MMA_ROWS(CASE, )
#undef CASE
#define SELECTED(selector, depth, DT, AT, BT, tail)                                                                    \
    case MMA_SP_M16K##depth##_##DT##_##AT##_##BT##_##tail *MMA_MAX_SELECTORS + selector:                               \
        return SPARSE_NAME(depth, DT, AT, BT,                                                                          \
                           tail)<valid<selector, depth, (wgmma_layout MMA_LAYOUT_##AT).width>>(job, output);
#define CASE(X, rows, columns, depth, DT, AT, BT, d, a, b, tail, nd, na, nb)                                           \
    SELECTED(0, depth, DT, AT, BT, tail)                                                                               \
    SELECTED(1, depth, DT, AT, BT, tail) SELECTED(2, depth, DT, AT, BT, tail) SELECTED(3, depth, DT, AT, BT, tail)
        MMA_ROWS_SPARSE(CASE, )
#undef CASE
    }
}

extern "C" __global__ void __launch_bounds__(MMA_THREADS) mma_jobs(const mma_job *jobs, int count, uint32_t *output)
{
    int warps = gridDim.x * MMA_THREADS / MMA_LANES, warp = (blockIdx.x * MMA_THREADS + threadIdx.x) / MMA_LANES;
    for (int i = warp; i < count; i += warps) run_job(jobs[i], output);
}
