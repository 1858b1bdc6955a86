// SPDX-License-Identifier: MIT
// All formats but f64, by number/tiles.h and number/lanes.h. Of fp8 there are two steps, of sparse integers as many as
// the units fill. What is summed apart from C (fp8, .satfinite, .xor) is added to it at the end.
#include "block.h"

#include <string.h>

#include "float_add.h"
#include "float_environment.h"
#include "hopper.h"
#include "tiles.h"

enum { MOST_UNITS = 64, STEP_TERMS = 16, MAX_STEPS = MOST_UNITS / STEP_TERMS };

// What each element of D is the sum of: `steps` sums of sum.terms products.
struct plan {
    const struct mma_instruction *of;
    const struct mma_row *row;
    struct number_sum sum;
    struct number_bytes a, b;
    int steps, units;
    bool is_fp8;
};

static struct plan plan_of(const struct mma_instruction *of, const struct mma_tile *tile)
{
    const struct mma_row *row = mma_row(of->form);
    const bool is_fp8 = mma_is_fp8(row->a);
    const int units = mma_units(of->form);
    const bool is_integer = row->d == NUMBER_S32;
    const bool has_pairs = is_integer && row->a != NUMBER_B1 && !row->is_sparse;
    const enum number_reading reading = has_pairs ? NUMBER_PAIRS : is_fp8 ? NUMBER_SPLIT : NUMBER_IN_ORDER;
    struct plan plan = {.of = of,
                        .row = row,
                        .a = {row->a, reading, units, 0, tile->a[0], MMA_A_BYTES},
                        .b = {row->b, reading, units, 0, tile->b[0], MMA_B_BYTES},
                        .units = units,
                        .is_fp8 = is_fp8,
                        .steps = is_fp8           ? 2
                                 : row->is_sparse ? (units + STEP_TERMS - 1) / STEP_TERMS
                                                  : 1};
    plan.sum = (struct number_sum){row->d, row->a, row->b, units / plan.steps, NUMBER_SUM_BITS, 0};
    if (is_fp8) plan.sum.a = plan.sum.b = NUMBER_F16;
    if (has_pairs) plan.sum.terms = units / 2;
    return plan;
}

static struct number_block block_of(const struct plan *plan, const struct number_factors *a,
                                    const struct number_factors *b)
{
    return (struct number_block){.sum = plan->sum,
                                 .rows = plan->row->m,
                                 .steps = (size_t)plan->steps,
                                 .a_row = (size_t)number_row_groups(&plan->a),
                                 .b_step = (size_t)plan->sum.terms,
                                 .a = a,
                                 .b = b};
}

// The factors of A: those that are kept, or else `own`.
static const struct number_factors *factors_of_a(const struct plan *plan, struct number_factors *own)
{
    struct mma_kept *kept = plan->of->kept;
    if (kept == NULL) {
        number_read_rows(&plan->a, plan->row->m, own);
        return own;
    }
    if (!kept->is_there) number_read_rows(&plan->a, plan->row->m, kept->factors);
    kept->is_there = true;
    return kept->factors;
}

static void add_dense(const struct plan *plan, uint32_t (*d)[NUMBER_LANES])
{
    enum { MOST_GROUPS = MMA_KEPT_FACTORS / MMA_MAX_M };
    _Alignas(32) struct number_factors a[MMA_MAX_M * MOST_GROUPS], b[MOST_UNITS / 2];
    number_read_columns(&plan->b, b);
    const struct number_block block = block_of(plan, factors_of_a(plan, a), b);
    if (plan->a.reading == NUMBER_PAIRS)
        number_multiply_pairs(&block, d);
    else
        number_multiply(&block, d);
}

// --- Sparse ----------------------------------------------------------------------------------------------------------

// What rows of A may meet of eight columns of B. Returns how many units there are.
static int read_candidates(const struct plan *plan, struct number_factors *b)
{
    uint32_t candidates[MMA_N][NUMBER_MAX_CANDIDATES];
    struct number_bytes of = plan->b;
    of.units = mma_column_units(plan->of->form);
    of.reading = plan->is_fp8 ? NUMBER_AS_F16 : NUMBER_IN_ORDER;
    for (int j = 0; of.format == NUMBER_TF32 && j < MMA_N; j++) {
        uint32_t column[MMA_B_BYTES / sizeof(uint32_t)];
        memcpy(column, plan->b.bytes + (size_t)j * MMA_B_BYTES, sizeof column);
        const int count = number_candidates(mma_sparsity(plan->of->form), column, candidates[j]);
        if (j < MMA_N - 1) continue;
        of.units = count;
        of.bytes = (const uint8_t *)candidates;
        of.pitch = sizeof candidates[0];
    }
    number_read_columns(&of, b);
    return of.units;
}

// Which units of B the kept units of the rows meet, in the order of the factors of A; one step behind the other.
typedef uint8_t step_picks[MMA_MAX_M * NUMBER_MAX_TERMS];

static void find_picks(const struct plan *plan, step_picks *picks)
{
    const int terms = plan->sum.terms;
    for (int row = 0; row < plan->row->m; row++) {
        uint8_t kept[NUMBER_MAX_KEPT];
        number_picks(mma_sparsity(plan->of->form), plan->of->selector, plan->of->metadata, row, kept);
        for (int step = 0; step < plan->steps; step++)
            for (int i = 0; i < terms; i++)
                picks[step][row * NUMBER_MAX_TERMS + i] =
                    kept[plan->is_fp8 ? i / 2 * 4 + 2 * step + i % 2 : step * terms + i];
    }
}

static void add_sparse(const struct plan *plan, uint32_t (*d)[NUMBER_LANES])
{
    _Alignas(32) struct number_factors a[MMA_MAX_M * MOST_UNITS / NUMBER_LANES], b[NUMBER_MAX_CANDIDATES];
    step_picks picks[MAX_STEPS];
    number_read_rows(&plan->a, plan->row->m, a);
    const int candidates = read_candidates(plan, b);
    find_picks(plan, picks);
    struct number_block block = block_of(plan, a, b);
    block.b_step = (size_t)candidates;
    block.steps = 1;
    for (int step = 0; step < plan->steps; step++) {
        block.picks = picks[step];
        block.a = a + step * number_groups(plan->sum.terms);
        number_multiply(&block, d);
    }
}

// --- All -------------------------------------------------------------------------------------------------------------

static int64_t ones(const uint8_t *words, int count)
{
    int64_t sum = 0;
    for (int i = 0; i < count; i++) {
        uint32_t word;
        memcpy(&word, words + (size_t)i * sizeof word, sizeof word);
        sum += __builtin_popcount(word);
    }
    return sum;
}

// C and the sums of products: by the host's FPU.
static void add_c_f32(uint32_t *c, const uint32_t *sums, int count)
{
    for (int i = 0; i < count; i++) c[i] = sum_f32(c[i], sums[i]);
}

static void add_c_f16(uint32_t *c, const uint32_t *sums, int count)
{
    for (int i = 0; i < count; i++) c[i] = sum_f16(c[i], sums[i]);
}

static void add_c_floats(enum number_format d, uint32_t *c, const uint32_t *sums, int count)
{
    (d == NUMBER_F32 ? add_c_f32 : add_c_f16)(c, sums, count);
}

static void add_c_integers(const struct plan *plan, struct mma_tile *tile, uint32_t (*sums)[NUMBER_LANES])
{
    for (int i = 0; i < plan->row->m * MMA_N; i++) {
        const int row = i / MMA_N, column = i % MMA_N;
        int64_t products = (int32_t)sums[row][column];
        if (plan->row->tail == MMA_XOR)
            products = ones(tile->a[row], plan->units) + ones(tile->b[column], plan->units) - 2 * products;
        tile->d[row][column] =
            number_result_integer((int32_t)tile->d[row][column] + products, plan->row->tail == MMA_SATFINITE);
    }
}

static __attribute__((noinline)) void multiply_block(const struct mma_instruction *of, struct mma_tile *tile)
{
    uint32_t apart[MMA_MAX_M][NUMBER_LANES] = {{0}};
    const struct plan plan = plan_of(of, tile);
    const bool is_apart = plan.is_fp8 || plan.row->tail == MMA_SATFINITE || plan.row->tail == MMA_XOR;
    (plan.row->is_sparse ? add_sparse : add_dense)(&plan, is_apart ? apart : tile->d);
    if (is_apart && plan.row->d == NUMBER_S32)
        add_c_integers(&plan, tile, apart);
    else if (is_apart)
        add_c_floats(plan.row->d, tile->d[0], apart[0], plan.row->m * MMA_N);
}

// To read operands takes the host's FPU too: a subnormal factor is an exception of it.
void mma_multiply_block(const struct mma_instruction *of, struct mma_tile *tile)
{
    const struct float_environment caller = float_environment_set_default();
    multiply_block(of, tile);
    float_environment_put_back(&caller);
}
