// SPDX-License-Identifier: MIT
// A batch is read into an array of complex numbers, which holds half of the last dimension if one side is real: real
// input is transformed along its last dimension first, real output last. Both sides may be the same memory, because a
// batch is read before it is written.
#include "fft_grid.h"

#include <stdio.h>
#include <stdlib.h>

#include "transform.h"

// What one execution needs: the transforms of the dimensions, the array, and two rows.
struct workspace {
    struct transform *transforms[FFT_MOST_RANK];
    struct complex_number *array, *row, *result;
};

static bool is_half(const struct fft_plan *plan)
{
    return plan->from.is_complex != plan->to.is_complex;
}

int64_t grid_count(const struct fft_plan *plan, const struct fft_side *side, int dimension)
{
    const int64_t n = plan->n[dimension];
    return dimension == plan->rank - 1 && is_half(plan) && side->is_complex ? n / 2 + 1 : n;
}

static void pack_side(const struct fft_plan *plan, struct fft_side *side, bool is_padded)
{
    const int last = plan->rank - 1;
    side->step = side->apart = 1;
    for (int i = 0; i <= last; i++) {
        side->embed[i] = grid_count(plan, side, i);
        if (i == last && is_padded && !side->is_complex) side->embed[i] = 2 * (plan->n[i] / 2 + 1);
        side->apart *= side->embed[i];
    }
}

void grid_pack(struct fft_plan *plan, bool is_in_place)
{
    const bool is_padded = is_in_place && is_half(plan);
    pack_side(plan, &plan->from, is_padded);
    pack_side(plan, &plan->to, is_padded);
}

static int64_t element_at(const struct fft_plan *plan, const struct fft_side *side, const int64_t *index)
{
    int64_t at = 0;
    for (int i = 0; i < plan->rank; i++) at = at * side->embed[i] + index[i];
    return at * side->step;
}

size_t grid_bytes(const struct fft_plan *plan, const struct fft_side *side)
{
    int64_t last[FFT_MOST_RANK];
    for (int i = 0; i < plan->rank; i++) last[i] = grid_count(plan, side, i) - 1;
    const int64_t elements = element_at(plan, side, last) + (plan->batch - 1) * side->apart + 1;
    return (size_t)elements * numbers_bytes(side->real) * (side->is_complex ? 2 : 1);
}

// --- One dimension of the array --------------------------------------------------------------------------------------

// Along the last dimension the array may hold half of each row.
static int64_t array_count(const struct fft_plan *plan, int dimension)
{
    return dimension == plan->rank - 1 && is_half(plan) ? plan->n[dimension] / 2 + 1 : plan->n[dimension];
}

static int64_t row_step(const struct fft_plan *plan, int dimension)
{
    int64_t step = 1;
    for (int i = dimension + 1; i < plan->rank; i++) step *= array_count(plan, i);
    return step;
}

// All rows along a dimension that the array holds whole.
static void transform_rows(const struct grid_job *job, struct workspace *work, int dimension)
{
    const int64_t n = job->plan.n[dimension], step = row_step(&job->plan, dimension);
    int64_t others = 1;
    for (int i = 0; i < job->plan.rank; i++)
        if (i != dimension) others *= array_count(&job->plan, i);
    for (int64_t other = 0; other < others; other++) {
        struct complex_number *first = work->array + other / step * step * n + other % step;
        for (int64_t k = 0; k < n; k++) work->row[k] = first[k * step];
        transform_run(work->transforms[dimension], work->row, work->result, job->sign);
        for (int64_t k = 0; k < n; k++) first[k * step] = work->result[k];
    }
}

// --- Rows of memory --------------------------------------------------------------------------------------------------

// The next row of the last dimension; 0 behind the last row.
static bool next_row(const struct fft_plan *plan, int64_t *index)
{
    for (int i = plan->rank - 2; i >= 0; i--) {
        if (++index[i] < plan->n[i]) return true;
        index[i] = 0;
    }
    return false;
}

static void read_row(const struct grid_job *job, int64_t first, struct complex_number *row)
{
    const struct fft_side *side = &job->plan.from;
    const int64_t count = grid_count(&job->plan, side, job->plan.rank - 1);
    for (int64_t k = 0; k < count; k++) {
        double parts[2] = {0, 0};
        const int64_t at = first + k * side->step;
        if (side->is_complex)
            numbers_widen(side->real, job->from, 2 * at, 1, 2, parts);
        else
            numbers_widen(side->real, job->from, at, 1, 1, parts);
        row[k] = (struct complex_number){parts[0], parts[1]};
    }
}

static void write_row(const struct grid_job *job, int64_t first, const struct complex_number *row)
{
    const struct fft_side *side = &job->plan.to;
    const int64_t count = grid_count(&job->plan, side, job->plan.rank - 1);
    for (int64_t k = 0; k < count; k++) {
        const int64_t at = first + k * side->step;
        if (!side->is_complex) {
            numbers_put(side->real, job->to, at, row[k].re);
            continue;
        }
        numbers_put(side->real, job->to, 2 * at, row[k].re);
        numbers_put(side->real, job->to, 2 * at + 1, row[k].im);
    }
}

// The other half of a row whose transform is real. What the imaginary part of its first element says does not count.
static void mirror(struct complex_number *row, int64_t n)
{
    row[0].im = 0;
    if (n % 2 == 0) row[n / 2].im = 0;
    for (int64_t k = n / 2 + 1; k < n; k++) row[k] = (struct complex_number){row[n - k].re, -row[n - k].im};
}

static void read_batch(const struct grid_job *job, struct workspace *work, int64_t batch)
{
    const struct fft_side *side = &job->plan.from;
    const int last = job->plan.rank - 1;
    const int64_t count = array_count(&job->plan, last);
    struct complex_number *to = work->array;
    int64_t index[FFT_MOST_RANK] = {0};
    do {
        const int64_t first = batch * side->apart + element_at(&job->plan, side, index);
        read_row(job, first, work->row);
        const bool is_real = !side->is_complex && is_half(&job->plan);
        if (is_real) transform_run(work->transforms[last], work->row, work->result, job->sign);
        for (int64_t k = 0; k < count; k++) to[k] = is_real ? work->result[k] : work->row[k];
        to += count;
    } while (next_row(&job->plan, index));
}

static void write_batch(const struct grid_job *job, struct workspace *work, int64_t batch)
{
    const struct fft_side *side = &job->plan.to;
    const int last = job->plan.rank - 1;
    const int64_t count = array_count(&job->plan, last);
    const struct complex_number *from = work->array;
    int64_t index[FFT_MOST_RANK] = {0};
    do {
        const int64_t first = batch * side->apart + element_at(&job->plan, side, index);
        const bool is_real = !side->is_complex && is_half(&job->plan);
        for (int64_t k = 0; k < count; k++) work->row[k] = from[k];
        if (is_real) mirror(work->row, job->plan.n[last]);
        if (is_real) transform_run(work->transforms[last], work->row, work->result, job->sign);
        write_row(job, first, is_real ? work->result : work->row);
        from += count;
    } while (next_row(&job->plan, index));
}

// --- All -------------------------------------------------------------------------------------------------------------

static bool open_workspace(const struct fft_plan *plan, struct workspace *work)
{
    int64_t longest = 1, elements = 1;
    bool is_whole = true;
    *work = (struct workspace){0};
    for (int i = 0; i < plan->rank; i++) {
        longest = plan->n[i] > longest ? plan->n[i] : longest;
        elements *= array_count(plan, i);
        work->transforms[i] = transform_new((size_t)plan->n[i]);
        is_whole &= work->transforms[i] != NULL;
    }
    work->array = calloc((size_t)elements, sizeof *work->array);
    work->row = calloc((size_t)longest, sizeof *work->row);
    work->result = calloc((size_t)longest, sizeof *work->result);
    return is_whole && work->array != NULL && work->row != NULL && work->result != NULL;
}

static void close_workspace(struct workspace *work)
{
    for (int i = 0; i < FFT_MOST_RANK; i++) transform_free(work->transforms[i]);
    free(work->array);
    free(work->row);
    free(work->result);
}

void grid_run(void *job)
{
    const struct grid_job *all = job;
    const int whole_dimensions = all->plan.rank - is_half(&all->plan);
    struct workspace work;
    if (!open_workspace(&all->plan, &work)) {
        fprintf(stderr, "tmaref: a transform of cuFFT did not run: no memory\n");
        abort(); // the results would be old ones
    }
    for (int64_t batch = 0; batch < all->plan.batch; batch++) {
        read_batch(all, &work, batch);
        for (int i = 0; i < whole_dimensions; i++) transform_rows(all, &work, i);
        write_batch(all, &work, batch);
    }
    close_workspace(&work);
}
