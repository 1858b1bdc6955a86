// SPDX-License-Identifier: MIT
// ldmatrix and stmatrix: a warp fills shared memory and its registers, runs one instruction with an address for each
// lane, and dumps both.
#include "matrix_job.h"

#define TRANS_0  ""
#define TRANS_1  ".trans"
#define LIST_1   "{%0}"
#define LIST_2   "{%0, %1}"
#define LIST_4   "{%0, %1, %2, %3}"
#define LOADED_1 "=r"(r[0])
#define LOADED_2 LOADED_1, "=r"(r[1])
#define LOADED_4 LOADED_2, "=r"(r[2]), "=r"(r[3])
#define STORED_1 "r"(r[0])
#define STORED_2 STORED_1, "r"(r[1])
#define STORED_4 STORED_2, "r"(r[2]), "r"(r[3])

#define ISSUE_0(count, trans)                                                                                          \
    asm volatile("ldmatrix.sync.aligned.m8n8.x" #count TRANS_##trans ".shared.b16 " LIST_##count ", [%" #count "];"    \
                 : LOADED_##count                                                                                      \
                 : "r"(address)                                                                                        \
                 : "memory")
#define ISSUE_1(count, trans)                                                                                          \
    asm volatile("stmatrix.sync.aligned.m8n8.x" #count TRANS_##trans ".shared.b16 [%" #count "], " LIST_##count        \
                 ";" ::STORED_##count,                                                                                 \
                 "r"(address)                                                                                          \
                 : "memory")

static __device__ void issue(uint32_t form, uint32_t address, uint32_t (&r)[MATRIX_REGISTERS])
{
    switch (form) {
#define CASE(id, name, is_store, count, is_trans)                                                                      \
    case MATRIX_##id:                                                                                                  \
        ISSUE_##is_store(count, is_trans);                                                                             \
        break;
        MATRIX_FORMS(CASE)
#undef CASE
    }
}

extern "C" __global__ void __launch_bounds__(MATRIX_THREADS)
    matrix_jobs(const matrix_job *jobs, int count, char *outputs)
{
    extern __shared__ __align__(1024) char dynamic[];
    if ((__cvta_generic_to_shared(dynamic) & 0xffffff) != MATRIX_SHARED_START) __trap();
    for (int i = blockIdx.x; i < count; i += gridDim.x) {
        const matrix_job &job = jobs[i];
        uint32_t lane = threadIdx.x, r[MATRIX_REGISTERS], *words = (uint32_t *)dynamic;
        for (uint32_t at = lane; at < MATRIX_SHARED_BYTES / 4; at += MATRIX_THREADS)
            words[at] = matrix_word(job.seed, MATRIX_SHARED_START + 4 * at);
        for (int j = 0; j < MATRIX_REGISTERS; j++) r[j] = matrix_register(job.seed, lane, j);
        __syncwarp(); // all of shared memory is filled
        issue(job.form, job.address[lane], r);
        __syncwarp(); // all rows are stored
        uint32_t *to = (uint32_t *)(outputs + job.output);
        for (int j = 0; j < MATRIX_REGISTERS; j++) to[j * MATRIX_THREADS + lane] = r[j];
        for (uint32_t at = lane; at < MATRIX_SHARED_BYTES / 4; at += MATRIX_THREADS)
            to[MATRIX_REGISTERS * MATRIX_THREADS + at] = words[at];
        __syncwarp();
    }
}
