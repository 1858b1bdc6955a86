// SPDX-License-Identifier: MIT
// Family "matrix": one ldmatrix or stmatrix of a warp. The result is the registers of all lanes, and all shared memory.
#include "matrix_case.h"

#include <string.h>

#include "draw.h"
#include "family.h"
#include "field.h"
#include "gpu_jobs.h"
#include "rules/matrix.h"

static const struct matrix_form_row rows[MATRIX_FORM_COUNT + 1] = {
#define ROW(id, name, is_store, count, is_trans) {name, is_store, count, is_trans},
    MATRIX_FORMS(ROW)
#undef ROW
        {NULL, false, 0, false}};

const struct matrix_form_row *matrix_form_row(enum matrix_form form)
{
    return &rows[form];
}

// --- JSON ------------------------------------------------------------------------------------------------------------

static const char *const form_names[] = {
#define NAME(id, name, is_store, count, is_trans) name,
    MATRIX_FORMS(NAME)
#undef NAME
        NULL};

// --- The model -------------------------------------------------------------------------------------------------------

static void matrix_windows(const void *test_case, struct result *result)
{
    (void)test_case;
    result_window(result, "registers", 0, MATRIX_OUTPUT_BYTES - MATRIX_SHARED_BYTES);
    result_window(result, "shared", MATRIX_SHARED_START, MATRIX_SHARED_BYTES);
}

static enum rule matrix_run_model(const void *test_case, struct result *result)
{
    const struct matrix_case *c = test_case;
    const struct matrix_form_row *row = &rows[c->form];
    uint32_t registers[MATRIX_REGISTERS][MATRIX_LANES];
    uint8_t *bytes = result->window[1].bytes;
    const struct memory shared = {bytes, MATRIX_SHARED_START, MATRIX_SHARED_BYTES};
    for (uint32_t at = 0; at < MATRIX_SHARED_BYTES; at += 4)
        put_u32(bytes + at, matrix_word(c->seed, MATRIX_SHARED_START + at));
    for (uint32_t i = 0; i < MATRIX_REGISTERS * MATRIX_LANES; i++)
        registers[i / MATRIX_LANES][i % MATRIX_LANES] = matrix_register(c->seed, i % MATRIX_LANES, i / MATRIX_LANES);
    enum rule rule = row->is_store ? matrix_store(&shared, c->address, row->count, row->is_trans, registers, NULL)
                                   : matrix_load(&shared, c->address, row->count, row->is_trans, registers, NULL);
    memcpy(result->window[0].bytes, registers, sizeof registers);
    return rule;
}

// --- The GPU ---------------------------------------------------------------------------------------------------------

static int make_job(const struct gpu_place *place, void *to)
{
    const struct matrix_case *c = place->test_case;
    struct matrix_job *job = to;
    *job = (struct matrix_job){.output = place->offset, .form = (uint32_t)c->form, .seed = c->seed};
    memcpy(job->address, c->address, sizeof job->address);
    return CUDA_SUCCESS;
}

static const struct gpu_jobs jobs = {GPU_JOBS_OF("matrix", struct matrix_case, struct matrix_job),
                                     .block = MATRIX_THREADS, .shared_bytes = MATRIX_SHARED_BYTES, .per_processor = 32,
                                     .make = make_job};

#define CASE struct matrix_case
static const struct field field[] = {
    FIELD_ONE_OF("form", form, form_names, "the instruction"),
    FIELD_SEED,
    FIELD_NUMBERS("address", address, MATRIX_LANES, 0, UINT32_MAX, "each lane's address in shared memory"),
    FIELD_END,
};
#undef CASE

// --- Random cases ----------------------------------------------------------------------------------------------------
// Random ldmatrix and stmatrix: rows side by side, a tile's rows apart, swizzled, anywhere, and on top of each other;
// addresses of lanes that do not count are now and then nonsense, and a row is misaligned or outside.

enum { PLACES = MATRIX_SHARED_BYTES / MATRIX_ROW_BYTES };

static uint32_t place(uint32_t index)
{
    return MATRIX_SHARED_START + index % PLACES * MATRIX_ROW_BYTES;
}

// Rows `pitch` 16-byte places apart, matrix after matrix or two matrices side by side, XORed by a swizzle or not.
static void tile(struct random *random, struct matrix_case *c)
{
    static const uint32_t pitches[] = {1, 2, 4, 8, 8, 8, 9, 5};
    uint32_t pitch = random_pick(random, pitches), first = (uint32_t)random_below(random, PLACES);
    uint32_t swizzle = random_chance(random, 50) ? 7 : 0;
    bool is_square = random_chance(random, 50);
    if (pitch % 8 == 0) first &= ~7u;
    for (uint32_t lane = 0; lane < MATRIX_LANES; lane++) {
        uint32_t row = is_square ? lane % 16 : lane, column = is_square && pitch > 1 ? lane / 16 : 0;
        uint32_t chunk = pitch % 8 == 0 ? column ^ (row & swizzle) : column;
        c->address[lane] = place(first + row * pitch + chunk);
    }
}

// Different places, in any order.
static void scatter(struct random *random, struct matrix_case *c)
{
    uint32_t first = (uint32_t)random_below(random, PLACES), step = 2 * (uint32_t)random_below(random, PLACES / 2) + 1;
    for (uint32_t lane = 0; lane < MATRIX_LANES; lane++) c->address[lane] = place(first + lane * step);
}

// A row that is not there: misaligned, over an end of shared memory, or far away.
static void spoil(struct random *random, struct matrix_case *c)
{
    uint32_t lane = (uint32_t)random_below(random, (uint64_t)matrix_form_row(c->form)->count * MATRIX_ROWS);
    const uint32_t there = c->address[lane], far = there | (uint32_t)1 << random_range(random, 18, 31);
    c->address[lane] = (uint32_t)DRAW(
        random, {1, BETWEEN(there + 1, there + MATRIX_ROW_BYTES - 1)}, {1, JUST(far)},
        {1, BETWEEN(MATRIX_SHARED_END, MATRIX_SHARED_END + 64 * MATRIX_ROW_BYTES - 1), .unit = MATRIX_ROW_BYTES},
        {1, BETWEEN(MATRIX_SHARED_END - MATRIX_ROW_BYTES + 1, MATRIX_SHARED_END - 1)});
}

void matrix_generate(struct random *random, void *test_case)
{
    struct matrix_case *c = test_case;
    *c = (struct matrix_case){.form = (enum matrix_form)random_below(random, MATRIX_FORM_COUNT)};
    const struct matrix_form_row *row = matrix_form_row(c->form);
    c->seed = (uint32_t)random_u64(random);
    uint64_t kind = random_below(random, 10);
    if (kind < 4)
        tile(random, c);
    else
        scatter(random, c);
    if (kind == 9)
        for (int lane = 0; lane < MATRIX_LANES; lane++) c->address[lane] = place((uint32_t)random_below(random, 6));
    if (random_chance(random, 20))
        for (int lane = row->count * MATRIX_ROWS; lane < MATRIX_LANES; lane++)
            c->address[lane] = (uint32_t)random_u64(random);
    if (random_below(random, 1000) < 15) spoil(random, c);
}

// --- In words --------------------------------------------------------------------------------------------------------

static enum rule explain_register(const struct matrix_case *c, uint32_t index, uint32_t want, uint32_t got, FILE *out)
{
    const struct matrix_form_row *row = matrix_form_row(c->form);
    int lane = (int)(index % MATRIX_LANES), matrix = (int)(index / MATRIX_LANES);
    int part = ((want ^ got) & 0xffff) == 0, first = row->is_trans ? lane % 4 * 2 + part : lane / 4;
    int column = row->is_trans ? lane / 4 : lane % 4 * 2 + part;
    fprintf(out, "    %s: lane %d, register %d: 0x%x expected, 0x%x found\n", row->name, lane, matrix, want, got);
    if (row->is_store || matrix >= row->count)
        fprintf(out, "    the instruction does not write it\n");
    else
        fprintf(out, "    the %s half is row %d, column %d of matrix %d: lane %d's address, 0x%x\n",
                part ? "upper" : "lower", first, column, matrix, matrix * MATRIX_ROWS + first,
                c->address[matrix * MATRIX_ROWS + first]);
    return RULE_MATRIX_LANES;
}

static enum rule explain_shared(const struct matrix_case *c, uint32_t address, uint32_t want, uint32_t got, FILE *out)
{
    const struct matrix_form_row *row = matrix_form_row(c->form);
    fprintf(out, "    %s: shared memory at 0x%x: 0x%x expected, 0x%x found\n", row->name, address, want, got);
    int writers = 0;
    for (int lane = 0; row->is_store && lane < row->count * MATRIX_ROWS; lane++)
        if (address >= c->address[lane] && address - c->address[lane] < MATRIX_ROW_BYTES) {
            writers++;
            fprintf(out, "    it is in row %d of matrix %d, at lane %d's address, 0x%x\n", lane % MATRIX_ROWS,
                    lane / MATRIX_ROWS, lane, c->address[lane]);
        }
    return writers > 1 ? RULE_MATRIX_SAME_ROW : RULE_MATRIX_LANES;
}

enum rule matrix_explain(const void *test_case, const struct difference *difference, FILE *out)
{
    struct difference_units words = difference_units(difference, 4);
    uint32_t want = (uint32_t)words.expected, got = (uint32_t)words.found, word = difference->at / 4;
    if (difference->window == 0) return explain_register(test_case, word, want, got, out);
    return explain_shared(test_case, (uint32_t)difference->expected->base + 4 * word, want, got, out);
}

const struct family family_matrix = {
    FAMILY_CASES("matrix", struct matrix_case, field),
    .summary = "ldmatrix and stmatrix: the registers of all lanes, and shared memory",
    .generate = matrix_generate,
    .windows = matrix_windows,
    .run_model = matrix_run_model,
    .jobs = &jobs,
    .kernels = "matrix",
    .explain = matrix_explain,
};
