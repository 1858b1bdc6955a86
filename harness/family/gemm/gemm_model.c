// SPDX-License-Identifier: MIT
// D of a GEMM on the model: each element is one chain of instructions along K (model/wgmma/chain.h), whatever the tiles
// are. In squares of elements, so that rows of A and B are taken apart once for many of them; large problems on as many
// threads as there are processors.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "chain.h"
#include "gemm_case.h"
#include "reduce.h"

enum { SQUARE = 64, MAX_THREADS = 64 };
#define THREAD_WORK ((uint64_t)1 << 26) // products that are worth a thread

// What all threads share: the operands, and the next square to be computed.
struct work {
    const struct gemm_case *c;
    const struct gemm_instance *instance;
    enum wgmma_types types;
    uint8_t *operand[2], *d;                       // d: the first row, behind the guard
    size_t steps, part_start[GEMM_MAX_SPLITS + 1]; // instructions in all, and before each part of k
    uint32_t columns;     // that are written: a store by TMA ends with a whole piece of 16 bytes
    uint32_t next, count; // squares
};

// Rows of A and of B of a square, taken apart.
struct square {
    struct number_terms *a, *b;
};

// --- The parts of k --------------------------------------------------------------------------------------------------

// Parts are whole blocks, the first the smallest.
size_t gemm_part_start(const struct gemm_case *c, uint32_t part)
{
    const struct gemm_instance *i = gemm_instance_row(c->instance);
    uint32_t block_k = gemm_block_k(i->in), blocks = (c->k - 1) / block_k + 1;
    size_t of_block = block_k / (size_t)wgmma_types_row(gemm_wgmma_types(i))->k;
    size_t start = (size_t)blocks * part / c->splits * of_block, steps = wgmma_chain_steps(gemm_wgmma_types(i), c->k);
    return start < steps ? start : steps;
}

static uint32_t part_of(const struct work *w, uint32_t part, const struct number_terms *a, const struct number_terms *b)
{
    size_t first = w->part_start[part], end = w->part_start[part + 1];
    return wgmma_chain_dot(w->types, end - first, a + first, b + first, NULL);
}

// One part after the other, each added as TMA's reductions and a kernel's additions do.
static void compute(const struct work *w, const struct number_terms *a, const struct number_terms *b, uint8_t *to)
{
    uint32_t sum = part_of(w, 0, a, b);
    if (w->c->reduce) reduce_apply(REDUCE_ADD, DTYPE_FLOAT32, to, &sum, 1);
    for (uint32_t part = 1; part < w->c->splits; part++) {
        uint32_t more = part_of(w, part, a, b);
        reduce_apply(REDUCE_ADD, DTYPE_FLOAT32, w->c->reduce ? to : (void *)&sum, &more, 1);
    }
    if (w->c->reduce) return;
    sum = number_round(gemm_format(w->instance->out), sum);
    memcpy(to, &sum, gemm_bytes(w->instance->out));
}

// --- Squares ---------------------------------------------------------------------------------------------------------

// Rows first .. first + SQUARE - 1 of an operand; those past its end are zeros, as a load out of bounds gives.
static void read_rows(const struct work *w, int operand, uint32_t first, struct number_terms *vectors)
{
    uint32_t rows = gemm_rows(w->c, (enum gemm_operand)operand), end = operand == GEMM_B ? w->columns : rows;
    for (uint32_t i = 0; i < SQUARE && first + i < end; i++) {
        int is_there = first + i < rows;
        const uint8_t *row = w->operand[operand] + (size_t)(first + i) * w->c->pitch_bytes[operand];
        static const uint8_t zeros[NUMBER_MAX_TERMS * 4];
        for (size_t step = 0; !is_there && step < w->steps; step++)
            wgmma_chain_read(w->types, operand, 1, zeros, vectors + i * w->steps + step);
        if (is_there) wgmma_chain_read(w->types, operand, w->c->k, row, vectors + i * w->steps);
    }
}

static void compute_square(const struct work *w, uint32_t index, struct square *square)
{
    uint32_t across = (w->columns - 1) / SQUARE + 1, bytes = gemm_bytes(w->instance->out);
    uint32_t m = index / across * SQUARE, n = index % across * SQUARE;
    read_rows(w, GEMM_A, m, square->a);
    read_rows(w, GEMM_B, n, square->b);
    for (uint32_t i = 0; i < SQUARE && m + i < w->c->m; i++) {
        uint8_t *row = w->d + (size_t)(m + i) * w->c->pitch_bytes[GEMM_D];
        for (uint32_t j = 0; j < SQUARE && n + j < w->columns; j++)
            compute(w, square->a + i * w->steps, square->b + j * w->steps, row + (size_t)(n + j) * bytes);
    }
}

// A thread takes squares as long as there are any. Returns NULL, or `work` without memory.
static void *run(void *work)
{
    struct work *w = work;
    size_t bytes = SQUARE * w->steps * sizeof(struct number_terms);
    struct square square = {malloc(bytes), malloc(bytes)};
    int ok = square.a != NULL && square.b != NULL;
    for (uint32_t index; ok && (index = __atomic_fetch_add(&w->next, 1, __ATOMIC_RELAXED)) < w->count;)
        compute_square(w, index, &square);
    free(square.a);
    free(square.b);
    return ok ? NULL : work;
}

static int run_all(struct work *w)
{
    pthread_t thread[MAX_THREADS];
    uint64_t wanted = (uint64_t)w->c->m * w->columns * w->c->k / THREAD_WORK;
    long processors = sysconf(_SC_NPROCESSORS_ONLN), most = processors < MAX_THREADS ? processors : MAX_THREADS;
    int count = 0;
    while (count < most - 1 && (uint64_t)count < wanted && pthread_create(&thread[count], NULL, run, w) == 0) count++;
    int ok = run(w) == NULL;
    for (int i = 0; i < count; i++) {
        void *failed;
        pthread_join(thread[i], &failed);
        ok = ok && failed == NULL;
    }
    return ok;
}

int gemm_model(const struct gemm_case *c, uint8_t *d)
{
    const struct gemm_instance *instance = gemm_instance_row(c->instance);
    uint32_t piece = instance->kernel == GEMM_CP_ASYNC ? 1 : 16 / gemm_bytes(instance->out),
             columns = (c->n - 1) / piece * piece + piece;
    struct work w = {.c = c, .instance = instance, .types = gemm_wgmma_types(instance), .columns = columns};
    w.steps = wgmma_chain_steps(w.types, c->k);
    for (uint32_t part = 0; part <= c->splits; part++) w.part_start[part] = gemm_part_start(c, part);
    w.d = d + GEMM_GUARD_BYTES;
    w.count = ((c->m - 1) / SQUARE + 1) * ((columns - 1) / SQUARE + 1);
    for (int i = 0; i < 2; i++) {
        w.operand[i] = malloc(gemm_operand_bytes(c, (enum gemm_operand)i));
        if (w.operand[i] != NULL) gemm_fill(c, (enum gemm_operand)i, w.operand[i]);
    }
    int ok = w.operand[0] != NULL && w.operand[1] != NULL && run_all(&w);
    free(w.operand[0]);
    free(w.operand[1]);
    return ok;
}
