// SPDX-License-Identifier: MIT
// D of a GEMM on the model: each element is one chain of instructions along K (model/wgmma/chain.h), whatever the tiles
// are. In squares of elements, so that rows of A are taken apart once for many columns of B, eight at a time; large
// problems on as many threads as there are processors.
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
    uint8_t *operand[2], *d;                // d: the first row, behind the guard
    size_t part_start[GEMM_MAX_SPLITS + 1]; // instructions before each part of k
    uint32_t columns;                       // that are written: a store by TMA ends with a whole piece of 16 bytes
    uint32_t next, count;                   // squares
};

// Rows of A and columns of B of a square, taken apart.
struct square {
    struct number_factors *a, *b;
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

// One part after the other, each added as TMA's reductions and a kernel's additions do.
static void add_part(const struct work *w, uint32_t part, uint32_t own, uint32_t *sum, uint8_t *to)
{
    if (w->c->reduce)
        reduce_apply(REDUCE_ADD, DTYPE_FLOAT32, to, &own, 1);
    else if (part > 0)
        reduce_apply(REDUCE_ADD, DTYPE_FLOAT32, sum, &own, 1);
    else
        *sum = own;
}

static void put(const struct work *w, uint32_t sum, uint8_t *to)
{
    uint32_t rounded = number_round(gemm_format(w->instance->out), sum);
    if (!w->c->reduce) memcpy(to, &rounded, gemm_bytes(w->instance->out));
}

// --- Squares ---------------------------------------------------------------------------------------------------------

static void read_a(const struct work *w, uint32_t first, uint32_t rows, struct number_factors *a)
{
    size_t bytes = gemm_bytes(w->instance->in), of_row = wgmma_chain_row(w->types, w->c->k);
    for (uint32_t i = 0; i < rows; i++)
        wgmma_chain_read_row(w->types, w->c->k, w->operand[GEMM_A] + (size_t)(first + i) * w->c->pitch_bytes[GEMM_A],
                             bytes, a + i * of_row);
}

// Eight columns from `first` on; those past the end of B are zeros, as a load out of bounds gives.
static void read_b(const struct work *w, uint32_t first, struct number_factors *b)
{
    uint32_t left = first < w->c->n ? w->c->n - first : 0, count = left < NUMBER_LANES ? left : NUMBER_LANES;
    size_t pitch = w->c->pitch_bytes[GEMM_B];
    wgmma_chain_read_columns(w->types, w->c->k, (int)count, w->operand[GEMM_B] + (count > 0 ? first * pitch : 0), pitch,
                             gemm_bytes(w->instance->in), b);
}

// Eight columns of D from `n` on, of the rows `m` to m + rows - 1.
static void compute_columns(const struct work *w, uint32_t m, uint32_t rows, uint32_t n, const struct square *square)
{
    uint32_t bytes = gemm_bytes(w->instance->out), sums[SQUARE][NUMBER_LANES], own[SQUARE][NUMBER_LANES];
    uint32_t count = w->columns - n < NUMBER_LANES ? w->columns - n : NUMBER_LANES;
    uint8_t *d = w->d + (size_t)m * w->c->pitch_bytes[GEMM_D] + (size_t)n * bytes;
    for (uint32_t part = 0; part < w->c->splits; part++) {
        size_t first = w->part_start[part], steps = w->part_start[part + 1] - first;
        const struct number_block block =
            wgmma_chain_block(w->types, w->c->k, (int)rows, square->a, square->b, first, steps);
        memset(own, 0, sizeof own);
        number_multiply(&block, own);
        for (uint32_t i = 0; i < rows * count; i++) {
            uint32_t row = i / count, j = i % count;
            add_part(w, part, own[row][j], &sums[row][j], d + row * w->c->pitch_bytes[GEMM_D] + j * bytes);
        }
    }
    for (uint32_t i = 0; i < rows * count; i++)
        put(w, sums[i / count][i % count], d + i / count * w->c->pitch_bytes[GEMM_D] + i % count * bytes);
}

static void compute_square(const struct work *w, uint32_t index, struct square *square)
{
    uint32_t across = (w->columns - 1) / SQUARE + 1, m = index / across * SQUARE, n = index % across * SQUARE;
    uint32_t rows = w->c->m - m < SQUARE ? w->c->m - m : SQUARE,
             end = n + SQUARE < w->columns ? n + SQUARE : w->columns;
    read_a(w, m, rows, square->a);
    for (; n < end; n += NUMBER_LANES) {
        read_b(w, n, square->b);
        compute_columns(w, m, rows, n, square);
    }
}

// A thread takes squares as long as there are any. Returns NULL, or `work` without memory.
static void *run(void *work)
{
    struct work *w = work;
    struct square square = {malloc(SQUARE * wgmma_chain_row(w->types, w->c->k) * sizeof *square.a),
                            malloc(wgmma_chain_columns(w->types, w->c->k) * sizeof *square.b)};
    bool ok = square.a != NULL && square.b != NULL;
    for (uint32_t index; ok && (index = __atomic_fetch_add(&w->next, 1, __ATOMIC_RELAXED)) < w->count;)
        compute_square(w, index, &square);
    free(square.a);
    free(square.b);
    return ok ? NULL : work;
}

static bool run_all(struct work *w)
{
    pthread_t thread[MAX_THREADS];
    uint64_t wanted = (uint64_t)w->c->m * w->columns * w->c->k / THREAD_WORK;
    long processors = sysconf(_SC_NPROCESSORS_ONLN), most = processors < MAX_THREADS ? processors : MAX_THREADS;
    int count = 0;
    while (count < most - 1 && (uint64_t)count < wanted && pthread_create(&thread[count], NULL, run, w) == 0) count++;
    bool ok = run(w) == NULL;
    for (int i = 0; i < count; i++) {
        void *failed;
        pthread_join(thread[i], &failed);
        ok = ok && failed == NULL;
    }
    return ok;
}

bool gemm_model(const struct gemm_case *c, uint8_t *d)
{
    const struct gemm_instance *instance = gemm_instance_row(c->instance);
    uint32_t piece = instance->kernel == GEMM_CP_ASYNC ? 1 : 16 / gemm_bytes(instance->out),
             columns = (c->n - 1) / piece * piece + piece;
    struct work w = {.c = c, .instance = instance, .types = gemm_wgmma_types(instance), .columns = columns};
    for (uint32_t part = 0; part <= c->splits; part++) w.part_start[part] = gemm_part_start(c, part);
    w.d = d + GEMM_GUARD_BYTES;
    w.count = ((c->m - 1) / SQUARE + 1) * ((columns - 1) / SQUARE + 1);
    for (int i = 0; i < 2; i++) {
        w.operand[i] = malloc(gemm_operand_bytes(c, (enum gemm_operand)i));
        if (w.operand[i] != NULL) gemm_fill(c, (enum gemm_operand)i, w.operand[i]);
    }
    bool ok = w.operand[0] != NULL && w.operand[1] != NULL && run_all(&w);
    free(w.operand[0]);
    free(w.operand[1]);
    return ok;
}
