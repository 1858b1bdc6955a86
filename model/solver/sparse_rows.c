// SPDX-License-Identifier: MIT
#include "sparse_rows.h"

#include <math.h>
#include <stdlib.h>

#include "numbers.h"

static int64_t first_of(const struct sparse_rows *a, int64_t row)
{
    return a->offsets[row] - a->base;
}

static int64_t end_of(const struct sparse_rows *a, int64_t row)
{
    return a->ends[row] - a->base;
}

int64_t sparse_rows_fault(const struct sparse_rows *a)
{
    for (int64_t row = 0; row < a->n; row++) {
        if (first_of(a, row) < 0 || end_of(a, row) < first_of(a, row)) return row;
        for (int64_t i = first_of(a, row); i < end_of(a, row); i++)
            if (a->columns[i] < a->base || a->columns[i] - a->base >= a->n) return row;
    }
    return -1;
}

// --- The order -------------------------------------------------------------------------------------------------------

// The rows that share an element with each row, in either direction.
struct neighbours {
    int64_t *offsets, *rows;
};

static void add_neighbours(const struct sparse_rows *a, struct neighbours *to, bool is_counted)
{
    for (int64_t row = 0; row < a->n; row++)
        for (int64_t i = first_of(a, row); i < end_of(a, row); i++) {
            const int64_t column = a->columns[i] - a->base;
            if (column == row) continue;
            if (is_counted) {
                to->offsets[row + 1]++, to->offsets[column + 1]++;
                continue;
            }
            to->rows[to->offsets[row]++] = column;
            to->rows[to->offsets[column]++] = row;
        }
}

// Filling moves each offset to the next row's, so they move back.
static bool find_neighbours(const struct sparse_rows *a, struct neighbours *to)
{
    to->offsets = calloc((size_t)a->n + 2, sizeof *to->offsets);
    to->rows = NULL;
    if (to->offsets == NULL) return false;
    add_neighbours(a, to, true);
    for (int64_t row = 0; row < a->n; row++) to->offsets[row + 1] += to->offsets[row];
    to->rows = malloc(((size_t)to->offsets[a->n] + 1) * sizeof *to->rows);
    if (to->rows == NULL) return false;
    add_neighbours(a, to, false);
    for (int64_t row = a->n; row > 0; row--) to->offsets[row] = to->offsets[row - 1];
    to->offsets[0] = 0;
    return true;
}

static int64_t degree(const struct neighbours *of, int64_t row)
{
    return of->offsets[row + 1] - of->offsets[row];
}

// Appends the neighbours of a row that were not reached, those with few of their own first.
static int64_t append(const struct neighbours *of, int64_t row, int64_t *order, int64_t count, char *is_reached)
{
    for (int64_t i = of->offsets[row], from = count; i < of->offsets[row + 1]; i++) {
        const int64_t other = of->rows[i];
        int64_t at = count;
        if (is_reached[other]) continue;
        is_reached[other] = 1;
        for (; at > from && degree(of, order[at - 1]) > degree(of, other); at--) order[at] = order[at - 1];
        order[at] = other;
        count++;
    }
    return count;
}

bool sparse_rows_order(const struct sparse_rows *a, int64_t *order)
{
    struct neighbours of;
    char *is_reached = calloc((size_t)a->n + 1, 1);
    const bool has_memory = find_neighbours(a, &of) && is_reached != NULL;
    int64_t count = 0;
    for (int64_t start = 0; has_memory && start < a->n; start++) {
        if (is_reached[start]) continue;
        is_reached[start] = 1;
        int64_t at = count;
        order[count++] = start;
        for (; at < count; at++) count = append(&of, order[at], order, count, is_reached);
    }
    for (int64_t i = 0; i < count / 2; i++) {
        const int64_t kept = order[i];
        order[i] = order[count - 1 - i];
        order[count - 1 - i] = kept;
    }
    free(is_reached);
    free(of.offsets);
    free(of.rows);
    return has_memory;
}

// --- Elimination -----------------------------------------------------------------------------------------------------

struct element {
    int64_t column;
    struct complex_number value;
};

// What is left of a row when it has its pivot, which stands first.
struct left {
    struct element *at;
    int64_t count;
};

// The row at work: its elements by column, the columns that it has, and the steps that must still be taken from it, of
// which the heap gives the least.
struct elimination {
    const struct sparse_rows *a;
    struct complex_number *work, *right;
    int64_t *columns, *heap, *step_of, *mark, *order;
    int64_t count, waiting, step;
    struct left *done;
};

static void swap(int64_t *one, int64_t *other)
{
    const int64_t kept = *one;
    *one = *other;
    *other = kept;
}

static void heap_push(struct elimination *it, int64_t step)
{
    int64_t at = it->waiting++;
    it->heap[at] = step;
    for (; at > 0 && it->heap[(at - 1) / 2] > it->heap[at]; at = (at - 1) / 2)
        swap(&it->heap[at], &it->heap[(at - 1) / 2]);
}

static int64_t heap_pop(struct elimination *it)
{
    const int64_t least = it->heap[0];
    it->heap[0] = it->heap[--it->waiting];
    for (int64_t at = 0, child = 1; child < it->waiting; child = 2 * at + 1) {
        if (child + 1 < it->waiting && it->heap[child + 1] < it->heap[child]) child++;
        if (it->heap[at] <= it->heap[child]) break;
        swap(&it->heap[at], &it->heap[child]);
        at = child;
    }
    return least;
}

static struct complex_number *element_at(struct elimination *it, int64_t column)
{
    if (it->mark[column] != it->step) {
        it->mark[column] = it->step;
        it->work[column] = (struct complex_number){0, 0};
        it->columns[it->count++] = column;
        if (it->step_of[column] >= 0) heap_push(it, it->step_of[column]);
    }
    return &it->work[column];
}

static void take(struct elimination *it, int64_t step, struct complex_number *right)
{
    const struct left *row = &it->done[step];
    const struct complex_number factor = complex_quotient(it->work[row->at[0].column], row->at[0].value);
    for (int64_t i = 1; i < row->count; i++) {
        struct complex_number *to = element_at(it, row->at[i].column);
        *to = complex_difference(*to, complex_product(factor, row->at[i].value));
    }
    *right = complex_difference(*right, complex_product(factor, it->right[step]));
}

static double size_of(const struct elimination *it, int64_t column)
{
    return sqrt(complex_square(it->work[column]));
}

// The column of the pivot; -1 if there is none.
static int64_t choose(const struct elimination *it, int64_t row, double tolerance, bool is_definite)
{
    const bool has_diagonal = it->mark[row] == it->step && it->step_of[row] < 0;
    int64_t best = -1;
    if (is_definite) return has_diagonal && it->work[row].re > tolerance ? row : -1;
    for (int64_t i = 0; i < it->count; i++) {
        const int64_t column = it->columns[i];
        if (it->step_of[column] < 0 && (best < 0 || size_of(it, column) > size_of(it, best))) best = column;
    }
    if (best < 0 || !(size_of(it, best) > tolerance)) return -1;
    return has_diagonal && 10 * size_of(it, row) >= size_of(it, best) ? row : best;
}

static bool keep(struct elimination *it, int64_t pivot)
{
    struct left *to = &it->done[it->step];
    to->at = malloc((size_t)it->count * sizeof *to->at);
    if (to->at == NULL) return false;
    to->at[to->count++] = (struct element){pivot, it->work[pivot]};
    for (int64_t i = 0; i < it->count; i++) {
        const int64_t column = it->columns[i];
        if (column != pivot && it->step_of[column] < 0 && complex_square(it->work[column]) != 0)
            to->at[to->count++] = (struct element){column, it->work[column]};
    }
    it->step_of[pivot] = it->step;
    return true;
}

static int64_t eliminate(struct elimination *it, double tolerance, bool is_definite, const struct complex_number *b)
{
    const struct sparse_rows *a = it->a;
    const int reals = 1 + numbers_is_complex(a->type);
    for (it->step = 0; it->step < a->n; it->step++) {
        const int64_t row = it->order[it->step];
        it->count = it->waiting = 0;
        for (int64_t i = first_of(a, row); i < end_of(a, row); i++) {
            struct complex_number *to = element_at(it, a->columns[i] - a->base);
            double pair[2] = {0, 0};
            numbers_widen(numbers_real(a->type), a->values, reals * i, 1, reals, pair);
            *to = complex_sum(*to, (struct complex_number){pair[0], pair[1]});
        }
        it->right[it->step] = b[row];
        while (it->waiting > 0) take(it, heap_pop(it), &it->right[it->step]);
        const int64_t pivot = choose(it, row, tolerance, is_definite);
        if (pivot < 0) return row;
        if (!keep(it, pivot)) return SPARSE_NO_MEMORY;
    }
    return SPARSE_SOLVED;
}

static void substitute(const struct elimination *it, struct complex_number *x)
{
    for (int64_t step = it->a->n - 1; step >= 0; step--) {
        const struct left *row = &it->done[step];
        struct complex_number sum = it->right[step];
        for (int64_t i = 1; i < row->count; i++)
            sum = complex_difference(sum, complex_product(row->at[i].value, x[row->at[i].column]));
        x[row->at[0].column] = complex_quotient(sum, row->at[0].value);
    }
}

static bool begin(struct elimination *it)
{
    const size_t n = (size_t)it->a->n + 1;
    int64_t **const integers[] = {&it->columns, &it->heap, &it->step_of, &it->mark, &it->order};
    bool has_memory = true;
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++) {
        *integers[i] = malloc(n * sizeof **integers[i]);
        has_memory = has_memory && *integers[i] != NULL;
    }
    it->work = malloc(n * sizeof *it->work);
    it->right = malloc(n * sizeof *it->right);
    it->done = calloc(n, sizeof *it->done);
    has_memory = has_memory && it->work != NULL && it->right != NULL && it->done != NULL;
    for (size_t i = 0; has_memory && i < n; i++) it->step_of[i] = it->mark[i] = -1;
    return has_memory && sparse_rows_order(it->a, it->order);
}

static void end(struct elimination *it)
{
    for (int64_t i = 0; it->done != NULL && i < it->a->n; i++) free(it->done[i].at);
    free(it->done);
    free(it->right);
    free(it->work);
    free(it->order);
    free(it->mark);
    free(it->step_of);
    free(it->heap);
    free(it->columns);
}

int64_t sparse_rows_solve(const struct sparse_rows *a, double tolerance, bool is_definite, struct complex_number *x)
{
    struct elimination it = {.a = a};
    const int64_t result = begin(&it) ? eliminate(&it, tolerance, is_definite, x) : SPARSE_NO_MEMORY;
    if (result == SPARSE_SOLVED) substitute(&it, x);
    end(&it);
    return result;
}
