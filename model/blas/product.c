// SPDX-License-Identifier: MIT
// Blocks of A and B are widened to doubles, so that sixteen rows or six columns lie side by side, and multiplied into a
// block of sums. A complex product is a real one: rows are pairs, and each column of A is two, (re, im) and (-im, re),
// which meet re and im of B.
#include "product.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

#include "fp8.h"

enum { WIDE = 8, NARROW = 6, ROWS = FP8_MOST, COLUMNS = FP8_MOST, DEPTH = 256 };

// A part of the work, and what it needs. One product runs at a time.
static struct {
    double a[ROWS * DEPTH], b[COLUMNS * DEPTH], sums[ROWS * COLUMNS];
} work;
const double product_one[2] = {1, 0};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

// --- The products ----------------------------------------------------------------------------------------------------

// sums[WIDE x NARROW] += a[WIDE x depth] * b[depth x NARROW]; rows of sums lie side by side.
typedef double wide_row __attribute__((vector_size(WIDE * sizeof(double))));

#define MULTIPLY(name, attributes)                                                                                     \
    attributes static void name(int depth, const double *a, const double *b, double *sums)                             \
    {                                                                                                                  \
        wide_row sum[NARROW] = {{0}}, row;                                                                             \
        for (int p = 0; p < depth; p++, a += WIDE, b += NARROW) {                                                      \
            memcpy(&row, a, sizeof row);                                                                               \
            for (int j = 0; j < NARROW; j++) sum[j] += row * b[j];                                                     \
        }                                                                                                              \
        for (int j = 0; j < NARROW; j++)                                                                               \
            for (int i = 0; i < WIDE; i++) sums[j * WIDE + i] += sum[j][i];                                            \
    }

MULTIPLY(multiply_plain, )
#if defined(__x86_64__)
MULTIPLY(multiply_avx2, __attribute__((target("avx2"))))
MULTIPLY(multiply_avx512, __attribute__((target("avx512f"))))
#endif

typedef void multiply_fn(int depth, const double *a, const double *b, double *sums);

static multiply_fn *multiply_here(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) return multiply_avx512;
    if (__builtin_cpu_supports("avx2")) return multiply_avx2;
#endif
    return multiply_plain;
}

// --- From matrices to panels -----------------------------------------------------------------------------------------

// A or B of one product of a batch. Lanes are rows of A, or columns of B; `width` of them lie side by side.
struct side {
    const struct matrix *matrix;
    const void *at;
    int64_t lane_step, depth_step;
    int width, lanes, reals; // lanes of a panel; reals of an element: 1 or 2
    bool is_a;
};

static const void *matrix_at(const struct matrix *matrix, int64_t batch)
{
    if (matrix->at == NULL) return NULL; // not used: its factor is 0
    if (matrix->is_array) return ((const void *const *)matrix->at)[batch];
    return (const uint8_t *)matrix->at + batch * matrix->batch_step * (int64_t)numbers_bytes(matrix->type);
}

static struct side side_a(const struct matrix *matrix, int64_t batch, int reals)
{
    return (struct side){
        matrix, matrix_at(matrix, batch), matrix->row_step, matrix->column_step, WIDE, WIDE / reals, reals, true};
}

static struct side side_b(const struct matrix *matrix, int64_t batch, int reals)
{
    return (struct side){matrix, matrix_at(matrix, batch), matrix->column_step, matrix->row_step, NARROW, NARROW, reals,
                         false};
}

static void pack_pairs(const struct side *side, int64_t first, int lanes, double *to)
{
    double re[WIDE], im[WIDE], *const next = to + side->width;
    const enum number_type real = numbers_real(side->matrix->type);
    numbers_widen(real, side->at, 2 * first, 2 * side->lane_step, lanes, re);
    numbers_widen(real, side->at, 2 * first + 1, 2 * side->lane_step, lanes, im);
    for (int i = 0; i < lanes; i++) {
        if (side->matrix->is_conjugate) im[i] = -im[i];
        if (side->is_a) {
            to[2 * i] = next[2 * i + 1] = re[i];
            to[2 * i + 1] = im[i], next[2 * i] = -im[i];
        } else {
            to[i] = re[i], next[i] = im[i];
        }
    }
}

static void pack_panel(const struct side *side, int64_t first, int lanes, int depth, double *to)
{
    for (int p = 0; p < depth; p++, first += side->depth_step) {
        if (side->reals == 2)
            pack_pairs(side, first, lanes, to + 2 * p * side->width);
        else
            numbers_widen((enum number_type)side->matrix->type, side->at, first, side->lane_step, lanes,
                          to + p * side->width);
    }
}

static int least(int64_t a, int64_t b)
{
    return (int)(a < b ? a : b);
}

// Lanes that are not there are 0. Returns how many panels there are.
static int pack(const struct side *side, int64_t lane, int lanes, int64_t k, int depth, double *to)
{
    const int panel = side->width * depth * side->reals;
    int panels = 0;
    for (int first = 0; first < lanes; first += side->lanes, panels++) {
        const int here = least(side->lanes, lanes - first);
        if (here < side->lanes) memset(to + panels * panel, 0, (size_t)panel * sizeof *to);
        pack_panel(side, (lane + first) * side->lane_step + k * side->depth_step, here, depth, to + panels * panel);
    }
    return panels;
}

// --- What becomes of a sum -------------------------------------------------------------------------------------------

struct finish {
    const struct product *job;
    const void *c, *bias;
    void *d, *aux;
    double alpha[2], beta[2], d_scale, amax;
    int reals;
    bool is_fp8; // then each step is rounded to f32
};

static void factor_read(const struct factor *factor, double *to)
{
    const bool is_complex = numbers_is_complex(factor->type);
    memcpy(to, factor->value, sizeof factor->value);
    if (factor->device == NULL) return;
    to[1] = 0;
    numbers_widen(numbers_real(factor->type), factor->device, 0, 1, 1 + is_complex, to);
}

static double scale_of(const float *scale)
{
    return scale == NULL ? 1 : (double)*scale;
}

static double gelu(double x)
{
    return 0.5 * x * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
}

static double activated(enum product_activation activation, double x)
{
    if (activation == ACTIVATION_RELU) return x > 0 || x != x ? x : 0;
    return activation == ACTIVATION_GELU ? gelu(x) : x;
}

static int64_t place_of(const struct matrix *matrix, int64_t row, int64_t column)
{
    return row * matrix->row_step + column * matrix->column_step;
}

static void put_real(struct finish *finish, int64_t row, int64_t column, double value)
{
    const struct product *job = finish->job;
    const struct epilogue *epilogue = &job->epilogue;
    double bias = 0;
    if (finish->bias != NULL) numbers_widen((enum number_type)epilogue->bias_type, finish->bias, row, 1, 1, &bias);
    value = finish->is_fp8 ? (double)(float)(value + bias) : value + bias;
    if (finish->aux != NULL)
        numbers_put((enum number_type)epilogue->aux.type, finish->aux, place_of(&epilogue->aux, row, column), value);
    value = activated(epilogue->activation, value);
    finish->amax = fmax(finish->amax, fabs(value));
    numbers_put((enum number_type)job->d.type, finish->d, place_of(&job->d, row, column), value * finish->d_scale);
}

static void add_product(double to[2], const double a[2], const double b[2])
{
    const double re = a[0] * b[0] - a[1] * b[1], im = a[0] * b[1] + a[1] * b[0];
    to[0] += re, to[1] += im;
}

static double scaled(const struct finish *finish, double sum, double c)
{
    const double alpha = finish->alpha[0], beta = finish->beta[0];
    return finish->is_fp8 ? (double)fmaf((float)sum, (float)alpha, (float)beta * (float)c) : alpha * sum + beta * c;
}

// With beta 0 C is not read.
static void put(struct finish *finish, int64_t row, int64_t column, const double *sum)
{
    const struct product *job = finish->job;
    double value[2] = {0}, c[2] = {0};
    const int reals = finish->reals;
    const bool has_c = finish->beta[0] != 0 || finish->beta[1] != 0;
    if (has_c) numbers_widen(numbers_real(job->c.type), finish->c, reals * place_of(&job->c, row, column), 1, reals, c);
    if (job->c.is_conjugate) c[1] = -c[1];
    if (reals == 1) {
        put_real(finish, row, column, scaled(finish, sum[0], c[0]));
        return;
    }
    add_product(value, finish->alpha, sum);
    if (has_c) add_product(value, finish->beta, c);
    for (int i = 0; i < 2; i++)
        numbers_put(numbers_real(job->d.type), finish->d, 2 * place_of(&job->d, row, column) + i, value[i]);
}

// --- One block, and all ----------------------------------------------------------------------------------------------

enum { TILE = WIDE * NARROW, TILES_HIGH = ROWS / WIDE };

static void multiply_block(const struct side *a, const struct side *b, int64_t k, int64_t row, int rows, int64_t column,
                           int columns)
{
    multiply_fn *const multiply = multiply_here();
    const int most = DEPTH / a->reals;
    memset(work.sums, 0, (size_t)((columns + NARROW - 1) / NARROW * TILES_HIGH * TILE) * sizeof *work.sums);
    for (int64_t at = 0; at < k; at += most) {
        const int depth = least(most, k - at), reals = depth * a->reals;
        const int high = pack(a, row, rows, at, depth, work.a), wide = pack(b, column, columns, at, depth, work.b);
        for (int j = 0; j < wide; j++)
            for (int i = 0; i < high; i++)
                multiply(reals, work.a + i * WIDE * reals, work.b + j * NARROW * reals,
                         work.sums + (j * TILES_HIGH + i) * TILE);
    }
}

// Of a real number, or the first of a pair, which is two rows.
static double *sum_at(int row, int column)
{
    return work.sums + (column / NARROW * TILES_HIGH + row / WIDE) * TILE + column % NARROW * WIDE + row % WIDE;
}

static struct fp8_side fp8_side(const struct side *side, int64_t lane)
{
    const uint8_t *first = (const uint8_t *)side->at + lane * side->lane_step;
    return (struct fp8_side){(enum number_type)side->matrix->type, first, side->lane_step, side->depth_step};
}

static void multiply_fp8(const struct fp8_block *block)
{
    fp8_multiply(block);
    for (int i = 0; i < block->rows; i++)
        for (int j = 0; j < block->columns; j++) *sum_at(i, j) = (double)fp8_sum(i, j);
}

static void put_block(struct finish *finish, int64_t row, int rows, int64_t column, int columns)
{
    for (int j = 0; j < columns; j++)
        for (int i = 0; i < rows; i++) put(finish, row + i, column + j, sum_at(i * finish->reals, j));
}

static struct finish finish_of(const struct product *job, int64_t batch, int reals)
{
    const struct epilogue *epilogue = &job->epilogue;
    struct finish finish = {.job = job, .reals = reals, .d_scale = scale_of(epilogue->d_scale)};
    finish.is_fp8 = numbers_is_fp8(job->a.type);
    finish.c = matrix_at(&job->c, batch);
    finish.d = (void *)matrix_at(&job->d, batch);
    if (epilogue->aux.at != NULL) finish.aux = (void *)matrix_at(&epilogue->aux, batch);
    if (epilogue->bias != NULL)
        finish.bias =
            (const uint8_t *)epilogue->bias + batch * epilogue->bias_step * (int64_t)numbers_bytes(epilogue->bias_type);
    factor_read(&job->alpha, finish.alpha);
    factor_read(&job->beta, finish.beta);
    finish.alpha[0] *= scale_of(epilogue->scales[0]) * scale_of(epilogue->scales[1]);
    finish.beta[0] *= scale_of(epilogue->c_scale);
    return finish;
}

static void run_one(const struct product *job, int64_t batch, int reals, double *amax)
{
    const struct side a = side_a(&job->a, batch, reals), b = side_b(&job->b, batch, reals);
    struct finish finish = finish_of(job, batch, reals);
    const int rows = ROWS / reals;
    const int64_t k = finish.alpha[0] == 0 && finish.alpha[1] == 0 ? 0 : job->k; // then A and B are not read
    for (int64_t column = 0; column < job->n; column += COLUMNS)
        for (int64_t row = 0; row < job->m; row += rows) {
            const int high = least(rows, job->m - row), wide = least(COLUMNS, job->n - column);
            if (finish.is_fp8)
                multiply_fp8(
                    &(struct fp8_block){fp8_side(&a, row), fp8_side(&b, column), high, wide, k, job->has_fast_sums});
            else
                multiply_block(&a, &b, k, row, high, column, wide);
            put_block(&finish, row, high, column, wide);
        }
    *amax = fmax(*amax, finish.amax);
}

void product_run(const struct product *job)
{
    double amax = 0;
    const int reals = 1 + numbers_is_complex(job->d.type);
    pthread_mutex_lock(&lock);
    for (int64_t batch = 0; batch < job->batches; batch++) run_one(job, batch, reals, &amax);
    pthread_mutex_unlock(&lock);
    if (job->epilogue.amax != NULL) *job->epilogue.amax = (float)amax;
}
