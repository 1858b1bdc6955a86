// SPDX-License-Identifier: MIT
// Products of matrices as the tensor cores compute them.
#include <stdlib.h>
#include <string.h>

#include "chain.h"
#include "mma.h"
#include "native.h"

int native_wgmma_types(const char *name)
{
    enum wgmma_types types = wgmma_types_find(name);
    return types == WGMMA_TYPES_COUNT ? -1 : (int)types;
}

static int is_dense(int form)
{
    return (unsigned)form < MMA_FORMS && !mma_row((enum mma_form)form)->is_sparse;
}

int native_mma_form(const char *name)
{
    enum mma_form form = mma_find(name);
    return is_dense((int)form) ? (int)form : -1;
}

static int bits_of(enum number_format format)
{
    return number_format_row(format)->size_bits;
}

static int is_types(int types)
{
    return (unsigned)types < WGMMA_TYPES_COUNT;
}

void native_wgmma_shape(int types, int *shape)
{
    memset(shape, 0, 6 * sizeof *shape);
    if (!is_types(types)) return;
    const struct wgmma_types_row *row = wgmma_types_row((enum wgmma_types)types);
    memcpy(shape, (int[]){WGMMA_M, 0, row->k, bits_of(row->d), bits_of(row->a), bits_of(row->b)}, 6 * sizeof *shape);
}

void native_mma_shape(int form, int *shape)
{
    memset(shape, 0, 6 * sizeof *shape);
    if (!is_dense(form)) return;
    const struct mma_row *row = mma_row((enum mma_form)form);
    memcpy(shape, (int[]){row->m, 8, row->k, bits_of(row->d), bits_of(row->a), bits_of(row->b)}, 6 * sizeof *shape);
}

// --- Matrices of any size --------------------------------------------------------------------------------------------

enum { ROWS = 64 }; // that are taken apart together

// Rows first .. first + rows - 1, taken apart in `a`, times the eight columns from `n` on, taken apart in `b`.
static void multiply_columns(const struct native_product *p, int64_t first, int rows, int64_t n,
                             const struct number_factors *a, const struct number_factors *b)
{
    enum wgmma_types types = (enum wgmma_types)p->types;
    uint32_t d[ROWS][NUMBER_LANES] = {{0}};
    size_t count = p->n - n < NUMBER_LANES ? (size_t)(p->n - n) : NUMBER_LANES, bytes = count * sizeof **d;
    const struct number_block block =
        wgmma_chain_block(types, (uint64_t)p->k, rows, a, b, 0, wgmma_chain_steps(types, (uint64_t)p->k));
    for (int i = 0; i < rows && p->accumulate; i++) memcpy(d[i], p->d + (first + i) * p->n + n, bytes);
    number_multiply(&block, d);
    for (int i = 0; i < rows; i++) memcpy(p->d + (first + i) * p->n + n, d[i], bytes);
}

static void multiply_rows(const struct native_product *p, int64_t first, int rows, struct number_factors *a,
                          struct number_factors *b)
{
    enum wgmma_types types = (enum wgmma_types)p->types;
    for (int i = 0; i < rows; i++)
        wgmma_chain_read_row(types, (uint64_t)p->k, p->a + (first + i) * p->a_row, (size_t)p->a_k,
                             a + (size_t)i * wgmma_chain_row(types, (uint64_t)p->k));
    for (int64_t n = 0; n < p->n; n += NUMBER_LANES) {
        int count = p->n - n < NUMBER_LANES ? (int)(p->n - n) : NUMBER_LANES;
        wgmma_chain_read_columns(types, (uint64_t)p->k, count, p->b + n * p->b_column, (size_t)p->b_column,
                                 (size_t)p->b_k, b);
        multiply_columns(p, first, rows, n, a, b);
    }
}

int native_multiply(const struct native_product *product, int64_t first, int64_t end)
{
    enum wgmma_types types = (enum wgmma_types)product->types;
    uint64_t k = (uint64_t)product->k;
    if (!is_types(product->types) || wgmma_types_row(types)->a == NUMBER_B1 || product->k < 0) return 0;
    struct number_factors *a = malloc((ROWS * wgmma_chain_row(types, k) + 1) * sizeof *a),
                          *b = malloc((wgmma_chain_columns(types, k) + 1) * sizeof *b);
    int ok = a != NULL && b != NULL;
    for (; ok && first < end; first += ROWS)
        multiply_rows(product, first, end - first < ROWS ? (int)(end - first) : ROWS, a, b);
    free(a);
    free(b);
    return ok;
}

void native_round(int to_bf16, int64_t count, const uint32_t *f32, uint16_t *rounded)
{
    for (int64_t i = 0; i < count; i++) rounded[i] = (uint16_t)number_round(to_bf16 ? NUMBER_BF16 : NUMBER_F16, f32[i]);
}

// --- One mma ---------------------------------------------------------------------------------------------------------

void native_mma(int form, const uint64_t *a, const uint64_t *b, uint64_t *d)
{
    enum { N = 8 };
    if (!is_dense(form)) return;
    const struct mma_row *row = mma_row((enum mma_form)form);
    int units = mma_units((enum mma_form)form);
    for (int m = 0; m < row->m; m++) {
        struct mma_vector of_a, of_b;
        mma_vector_read((enum mma_form)form, MMA_OF_A, a + m * units, &of_a);
        for (int n = 0; n < N; n++) {
            uint64_t column[MMA_MAX_UNITS];
            for (int i = 0; i < units; i++) column[i] = b[i * N + n];
            mma_vector_read((enum mma_form)form, MMA_OF_B, column, &of_b);
            d[m * N + n] = mma_dot((enum mma_form)form, &of_a, &of_b, d[m * N + n]);
        }
    }
}
