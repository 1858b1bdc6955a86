// SPDX-License-Identifier: MIT
// The model's wgmma against a plain matrix product of floats in C, on one core of this machine: user CPU time, for
// other programs run too. As one instruction with both operands in shared memory, and as a product of plain arrays.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"
#include "chain.h"
#include "descriptor.h"
#include "random.h"
#include "wgmma.h"

enum { N = WGMMA_MAX_N, MOST_BYTES_OF_ROW = 32, ARRAY = 256, ARRAY_K = 1024, BASE = 1024 };

static const enum wgmma_types measured[] = {WGMMA_F32_BF16_BF16, WGMMA_F32_F16_F16,   WGMMA_F16_F16_F16,
                                            WGMMA_F32_TF32_TF32, WGMMA_F32_E4M3_E4M3, WGMMA_S32_S8_S8};

// Both sides' operands. `shared`: A, and B behind it, as a descriptor without a swizzle has them; or plain arrays.
struct work {
    enum wgmma_types types;
    uint8_t shared[(WGMMA_M + N) * MOST_BYTES_OF_ROW];
    uint32_t d[WGMMA_THREADS * N / 2];
    uint8_t bytes[2][ARRAY * ARRAY_K * 4];
    struct number_factors rows[ARRAY * ARRAY_K / NUMBER_LANES], columns[ARRAY_K];
    float a[ARRAY * ARRAY_K], b[ARRAY * ARRAY_K], product[ARRAY * ARRAY];
};

// --- Data ------------------------------------------------------------------------------------------------------------

// Floats between 1/16 and 1 in magnitude, of either sign; integers of any value.
static uint32_t element(enum number_format format, struct random *random)
{
    const struct number_format_row *row = number_format_row(format);
    uint32_t bits = (uint32_t)random_u64(random), low = (uint32_t)(row->fraction_bits + row->ignored_bits);
    if (row->exponent_bits == 0) return bits;
    uint32_t top = (1u << row->exponent_bits) - 1, field = top / 2 - 1 - (uint32_t)random_below(random, 4);
    return (bits & ~(top << low)) | field << low;
}

static void fill(enum number_format format, uint8_t *bytes, size_t count_bytes, struct random *random)
{
    size_t element_bytes = (size_t)number_format_row(format)->size_bits / 8;
    for (size_t at = 0; at < count_bytes; at += element_bytes) {
        uint32_t bits = element(format, random);
        memcpy(bytes + at, &bits, element_bytes);
    }
}

// --- The sides -------------------------------------------------------------------------------------------------------

static void one_instruction(struct work *w)
{
    const struct memory shared = {w->shared, BASE, sizeof w->shared};
    struct wgmma_descriptor a = {BASE, 128, 256, 0, WGMMA_SWIZZLE_NONE}, b = a;
    const struct wgmma wgmma = {.types = w->types, .n = N};
    b.start_bytes += WGMMA_M * MOST_BYTES_OF_ROW;
    const struct wgmma_operands operands = {
        .descriptor = {wgmma_descriptor_pack(&a), wgmma_descriptor_pack(&b)}, .shared = &shared, .scale_d = 1};
    if (wgmma_execute(&wgmma, &operands, w->d, NULL) != RULE_OK) abort();
}

// A and B^T with K along their rows, D in f32 by rows.
static void arrays(struct work *w)
{
    size_t bytes = (size_t)wgmma_unit_bytes(w->types), of_row = wgmma_chain_row(w->types, ARRAY_K);
    for (size_t i = 0; i < ARRAY; i++)
        wgmma_chain_read_row(w->types, ARRAY_K, w->bytes[0] + i * ARRAY_K * bytes, bytes, w->rows + i * of_row);
    for (size_t n = 0; n < ARRAY; n += NUMBER_LANES) {
        uint32_t d[ARRAY][NUMBER_LANES] = {{0}};
        wgmma_chain_read_columns(w->types, ARRAY_K, NUMBER_LANES, w->bytes[1] + n * ARRAY_K * bytes, ARRAY_K * bytes,
                                 bytes, w->columns);
        const struct number_block block =
            wgmma_chain_block(w->types, ARRAY_K, ARRAY, w->rows, w->columns, 0, wgmma_chain_steps(w->types, ARRAY_K));
        number_multiply(&block, d);
        for (size_t i = 0; i < ARRAY; i++) memcpy(&w->product[i * ARRAY + n], d[i], sizeof d[i]);
    }
}

static void plain(struct work *w, size_t m, size_t n, size_t k)
{
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) {
            float sum = 0;
            for (size_t at = 0; at < k; at++) sum += w->a[i * k + at] * w->b[j * k + at];
            w->product[i * n + j] = sum;
        }
}

static void plain_instruction(struct work *w)
{
    plain(w, WGMMA_M, N, (size_t)wgmma_types_row(w->types)->k);
}

static void plain_arrays(struct work *w)
{
    plain(w, ARRAY, ARRAY, ARRAY_K);
}

// --- The measurement -------------------------------------------------------------------------------------------------

static double cpu_ms(void)
{
    struct timespec at;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &at);
    return 1e3 * (double)at.tv_sec + 1e-6 * (double)at.tv_nsec;
}

// CPU time of one run, of as many as fill a sample.
static double sample(const struct bench *bench, void (*side)(struct work *), struct work *w)
{
    double start = cpu_ms(), taken;
    int runs = 0;
    do {
        side(w);
        runs++;
        taken = cpu_ms() - start;
    } while (taken < bench->sample_ms);
    return taken / runs;
}

static void measure(struct bench *bench, const struct contest *contest, void (*side[2])(struct work *), struct work *w)
{
    double ms[2][BENCH_MAX_ROUNDS];
    struct score score = {0};
    for (int s = 0; s < 2; s++) side[s](w); // warm
    for (int round = 0; round < bench->rounds; round++)
        for (int turn = 0; turn < 2; turn++) ms[(round + turn) % 2][round] = sample(bench, side[(round + turn) % 2], w);
    score_rounds(contest->work, bench->rounds, ms, &score);
    contest_report(bench, contest, &score);
}

static void run(struct bench *bench, struct work *w, bool is_array)
{
    char name[64];
    void (*side[2])(struct work *) = {is_array ? arrays : one_instruction, is_array ? plain_arrays : plain_instruction};
    struct contest contest = {.name = name, .unit = "GFLOP", .ours = {.name = "model"}, .theirs = {.name = "plain C"}};
    uint32_t k = (uint32_t)wgmma_types_row(w->types)->k;
    if (is_array)
        snprintf(name, sizeof name, "product %s %dx%dx%d", wgmma_types_row(w->types)->name, ARRAY, ARRAY, ARRAY_K);
    else
        snprintf(name, sizeof name, "wgmma %s m64n%dk%u", wgmma_types_row(w->types)->name, N, k);
    contest.work = 2e-9 * (double)(is_array ? (uint64_t)ARRAY * ARRAY * ARRAY_K : (uint64_t)WGMMA_M * N * k);
    if (contest_wanted(bench, name)) measure(bench, &contest, side, w);
}

int bench_model(struct bench *bench, struct text *why)
{
    struct work *w = calloc(1, sizeof *w);
    struct random random = random_for(bench->seed, 0);
    if (w == NULL) return snprintf(why->at, sizeof why->at, "no memory"), -1;
    for (size_t i = 0; i < ARRAY * ARRAY_K; i++) {
        w->a[i] = (float)random_range(&random, -1000, 1000) / 1024;
        w->b[i] = (float)random_range(&random, -1000, 1000) / 1024;
    }
    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
        w->types = measured[i];
        enum number_format format = wgmma_types_row(w->types)->a;
        fill(format, w->shared, sizeof w->shared, &random);
        for (int s = 0; s < 2; s++) fill(format, w->bytes[s], sizeof w->bytes[s], &random);
        memset(w->d, 0, sizeof w->d);
        for (int is_array = 0; is_array < 2; is_array++) run(bench, w, is_array);
    }
    free(w);
    return 0;
}
