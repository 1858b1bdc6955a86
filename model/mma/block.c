// SPDX-License-Identifier: MIT
// All formats but f64. The sums of an instruction are made step by step, by number/lanes.h: of fp8 there are two, of
// integers as many as the units fill. What is summed apart from C (fp8, .satfinite, .xor) is added to it at the end.
#include "block.h"

#include <string.h>

#include "float_add.h"
#include "float_environment.h"
#include "hopper.h"
#include "lanes.h"

enum { STEP_TERMS = 16, MAX_STEPS = 4, MAX_GROUPS = STEP_TERMS / NUMBER_LANES };

// What each element of D is the sum of: `steps` sums of sum.terms products. unit[s][i]: which unit of a row of A is
// term i of step s.
struct plan {
    const struct mma_instruction *of;
    const struct mma_row *row;
    struct number_sum sum;
    struct number_sparsity sparsity;
    int steps, units, columns, is_fp8;
    uint8_t unit[MAX_STEPS][STEP_TERMS];
};

// Of each four units of fp8 two are in the first sum.
static void order_units(struct plan *plan)
{
    for (int step = 0; step < plan->steps; step++)
        for (int i = 0; i < plan->sum.terms; i++)
            plan->unit[step][i] = (uint8_t)(plan->is_fp8 ? i / 2 * 4 + 2 * step + i % 2 : step * plan->sum.terms + i);
}

static void make_plan(const struct mma_instruction *of, struct plan *plan)
{
    const struct mma_row *row = mma_row(of->form);
    plan->of = of;
    plan->row = row;
    plan->units = mma_units(of->form);
    plan->columns = mma_column_units(of->form);
    plan->is_fp8 = mma_is_fp8(row->a);
    plan->steps = plan->is_fp8 ? 2 : (plan->units + STEP_TERMS - 1) / STEP_TERMS;
    plan->sum = (struct number_sum){row->d, row->a, row->b, plan->units / plan->steps, NUMBER_SUM_BITS, 0};
    if (plan->is_fp8) plan->sum.a = plan->sum.b = NUMBER_F16;
    if (row->is_sparse) plan->sparsity = mma_sparsity(of->form);
    order_units(plan);
}

// The tensor cores get fp8 as f16.
static void widen(const struct plan *plan, struct mma_matrices *matrices)
{
    for (int i = 0; i < plan->row->m; i++)
        for (int k = 0; k < plan->units; k++)
            matrices->a[i][k] = mma_fp8_as_f16(plan->row->a, (uint32_t)matrices->a[i][k]);
    for (int i = 0; i < MMA_N; i++)
        for (int k = 0; k < plan->columns; k++)
            matrices->b[i][k] = mma_fp8_as_f16(plan->row->b, (uint32_t)matrices->b[i][k]);
}

// What a row of A may meet of a column of B. Returns how many units there are.
static int candidates_of(const struct plan *plan, const uint64_t *column, uint32_t *candidates)
{
    uint32_t units[MMA_MAX_COLUMN];
    for (int i = 0; i < plan->columns; i++) units[i] = (uint32_t)column[i];
    return number_candidates(plan->sparsity, units, candidates);
}

// The same of eight columns side by side.
static int read_b(const struct plan *plan, const struct mma_matrices *matrices, struct number_factors *b)
{
    uint32_t candidates[NUMBER_MAX_CANDIDATES], lanes[NUMBER_MAX_CANDIDATES][NUMBER_LANES];
    int count = 0;
    for (int j = 0; j < MMA_N; j++) {
        count = candidates_of(plan, matrices->b[j], candidates);
        for (int i = 0; i < count; i++) lanes[i][j] = candidates[i];
    }
    number_factors_read_groups(plan->sum.b, (const uint32_t(*)[NUMBER_LANES])lanes, (size_t)count, 0, b);
    return count;
}

// Which units of B the kept units of the rows of A meet.
typedef uint8_t kept[MMA_MAX_M][NUMBER_MAX_KEPT];

static void find_kept(const struct plan *plan, kept of)
{
    for (int row = 0; row < plan->row->m; row++)
        number_picks(plan->sparsity, plan->of->selector, plan->of->metadata, row, of[row]);
}

static void add_step(const struct plan *plan, const struct mma_matrices *matrices, kept kept_units, int step,
                     const struct number_factors *b, int count, uint32_t (*d)[NUMBER_LANES])
{
    _Alignas(32) struct number_factors a[MMA_MAX_M * MAX_GROUPS];
    uint32_t bits[MMA_MAX_M * MAX_GROUPS][NUMBER_LANES] = {{0}};
    uint8_t picks[MMA_MAX_M * NUMBER_MAX_TERMS];
    const int groups = number_groups(plan->sum.terms), rows = plan->row->m;
    const struct number_block block = {.sum = plan->sum,
                                       .rows = rows,
                                       .steps = 1,
                                       .a_row = (size_t)groups,
                                       .b_step = (size_t)count,
                                       .a = a,
                                       .b = b,
                                       .picks = picks};
    for (int row = 0; row < rows; row++)
        for (int i = 0; i < plan->sum.terms; i++) {
            const int unit = plan->unit[step][i];
            bits[row * groups + i / NUMBER_LANES][i % NUMBER_LANES] = (uint32_t)matrices->a[row][unit];
            picks[row * NUMBER_MAX_TERMS + i] = kept_units[row][unit];
        }
    number_factors_read_groups(plan->sum.a, (const uint32_t(*)[NUMBER_LANES])bits, (size_t)(rows * groups), 0, a);
    number_multiply(&block, d);
}

// The units of a row of A or a column of B that a step of a dense instruction sums.
static void take_units(const struct plan *plan, const uint64_t *units, int step, uint32_t *to)
{
    const int terms = plan->sum.terms;
    for (int i = 0; i < terms && plan->is_fp8; i++) to[i] = (uint32_t)units[plan->unit[step][i]];
    for (int i = 0; i < terms && !plan->is_fp8; i++) to[i] = (uint32_t)units[step * terms + i];
}

// All steps of a dense instruction at once: term i of A meets term i of B.
static __attribute__((noinline)) void add_dense(const struct plan *plan, const struct mma_matrices *matrices,
                                                uint32_t (*d)[NUMBER_LANES])
{
    enum { MOST_GROUPS = MAX_STEPS * MAX_GROUPS, MOST_TERMS = MAX_STEPS * STEP_TERMS };
    _Alignas(32) struct number_factors a[MMA_MAX_M * MOST_GROUPS], b[MOST_TERMS];
    uint32_t of_a[MMA_MAX_M * MOST_GROUPS][NUMBER_LANES], of_b[MOST_TERMS][NUMBER_LANES];
    const int terms = plan->sum.terms, groups = number_groups(terms), steps = plan->steps, rows = plan->row->m;
    if (terms % NUMBER_LANES != 0) memset(of_a, 0, sizeof of_a);
    for (int row = 0; row < rows; row++)
        for (int step = 0; step < steps; step++)
            take_units(plan, matrices->a[row], step, of_a[(row * steps + step) * groups]);
    for (int j = 0; j < MMA_N; j++)
        for (int step = 0; step < steps; step++) {
            uint32_t units[STEP_TERMS];
            take_units(plan, matrices->b[j], step, units);
            for (int i = 0; i < terms; i++) of_b[step * terms + i][j] = units[i];
        }
    number_factors_read_groups(plan->sum.a, (const uint32_t(*)[NUMBER_LANES])of_a, (size_t)(rows * steps * groups), 0,
                               a);
    number_factors_read_groups(plan->sum.b, (const uint32_t(*)[NUMBER_LANES])of_b, (size_t)(steps * terms), 0, b);
    const struct number_block block = {.sum = plan->sum,
                                       .rows = rows,
                                       .steps = (size_t)steps,
                                       .a_row = (size_t)(steps * groups),
                                       .b_step = (size_t)terms,
                                       .a = a,
                                       .b = b};
    number_multiply(&block, d);
}

static void add_sparse(const struct plan *plan, const struct mma_matrices *matrices, uint32_t (*d)[NUMBER_LANES])
{
    _Alignas(32) struct number_factors b[NUMBER_MAX_CANDIDATES];
    kept kept_units;
    const int count = read_b(plan, matrices, b);
    find_kept(plan, kept_units);
    for (int step = 0; step < plan->steps; step++) add_step(plan, matrices, kept_units, step, b, count, d);
}

static int64_t ones(const uint64_t *units, int count)
{
    int64_t sum = 0;
    for (int i = 0; i < count; i++) sum += __builtin_popcountll(units[i]);
    return sum;
}

// C and the sum of products of one element.
static uint32_t add_c(const struct plan *plan, const struct mma_matrices *matrices, int row, int column, uint32_t sum)
{
    const uint32_t c = (uint32_t)matrices->d[row][column];
    int64_t products = (int32_t)sum;
    if (plan->row->d == NUMBER_F32) return sum_f32(c, sum);
    if (plan->row->d == NUMBER_F16) return sum_f16(c, sum);
    if (plan->row->tail == MMA_XOR)
        products = ones(matrices->a[row], plan->units) + ones(matrices->b[column], plan->units) - 2 * products;
    return number_result_integer((int32_t)c + products, plan->row->tail == MMA_SATFINITE);
}

static __attribute__((noinline)) void add_all_c(const struct plan *plan, struct mma_matrices *matrices,
                                                uint32_t (*sum)[NUMBER_LANES])
{
    for (int i = 0; i < plan->row->m * MMA_N; i++) {
        const int row = i / MMA_N, column = i % MMA_N;
        matrices->d[row][column] = add_c(plan, matrices, row, column, sum[row][column]);
    }
}

void mma_multiply_block(const struct mma_instruction *of, struct mma_matrices *matrices)
{
    uint32_t d[MMA_MAX_M][NUMBER_LANES] = {{0}};
    struct plan plan;
    make_plan(of, &plan);
    const int elements = plan.row->m * MMA_N,
              is_apart = plan.is_fp8 || plan.row->tail == MMA_SATFINITE || plan.row->tail == MMA_XOR;
    if (plan.is_fp8) widen(&plan, matrices);
    for (int i = 0; i < elements && !is_apart; i++)
        d[i / MMA_N][i % MMA_N] = (uint32_t)matrices->d[i / MMA_N][i % MMA_N];
    if (plan.row->is_sparse)
        add_sparse(&plan, matrices, d);
    else
        add_dense(&plan, matrices, d);
    struct float_environment caller = float_environment_set_default();
    if (is_apart) add_all_c(&plan, matrices, d);
    float_environment_put_back(&caller);
    for (int i = 0; i < elements && !is_apart; i++) matrices->d[i / MMA_N][i % MMA_N] = d[i / MMA_N][i % MMA_N];
}
