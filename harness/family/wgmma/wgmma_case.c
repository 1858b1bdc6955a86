// SPDX-License-Identifier: MIT
// Families "wgmma" and "wgmma_sparse": one to three wgmma on the same accumulators, dense or sparse. The result is D in
// the registers of all threads.
#include "wgmma_case.h"

#include <stdlib.h>
#include <string.h>

#include "family.h"
#include "field.h"
#include "fragments.h"
#include "gpu_jobs.h"

// --- The instructions that are compiled ------------------------------------------------------------------------------

static const struct wgmma_instance_row instances[WGMMA_SPARSE_INSTANCE_END] = {
#define ROW(D, A, B, n, variant, is_sparse, selector)                                                                  \
    {#variant,                                                                                                         \
     {WGMMA_##D##_##A##_##B, n, WGMMA_VARIANT_##variant, is_sparse, selector},                                         \
     WGMMA_LAYOUT_##A,                                                                                                 \
     WGMMA_LAYOUT_##B,                                                                                                 \
     WGMMA_LAYOUT_##D},
#define X(D, A, B, d, a, b, k, n, variant) ROW(D, A, B, n, variant, 0, 0)
    WGMMA_INSTANCES(X, X, X, X)
#undef X
#define X(D, A, B, d, a, b, k, n, variant, selector) ROW(D, A, B, n, variant, 1, selector)
        WGMMA_SPARSE_INSTANCES(X, X, X)
#undef X
#undef ROW
};

const struct wgmma_instance_row *wgmma_instance_row(uint32_t instance)
{
    return &instances[instance];
}

// --- The fields ------------------------------------------------------------------------------------------------------

static const char *const metadata_names[] = {"legal", "any", "few", NULL};
static const char *const variant_names[] = {"SS", "RS", "TA", "TB", "TT", "RT", "NA", "NB", "NN", "SF", "RF", NULL};

static const char *types_name(uint32_t types)
{
    return wgmma_types_row((enum wgmma_types)types)->name;
}

enum { KEY_IS_SPARSE, KEY_TYPES, KEY_N, KEY_VARIANT, KEY_SELECTOR };

static uint64_t instance_key(uint32_t instance, uint32_t key)
{
    const struct wgmma *w = &instances[instance].wgmma;
    uint64_t variant = 0;
    switch (key) {
    case KEY_IS_SPARSE:
        return (uint64_t)w->is_sparse;
    case KEY_TYPES:
        return w->types;
    case KEY_N:
        return (uint64_t)w->n;
    case KEY_SELECTOR:
        return (uint64_t)w->selector;
    default:
        while (strcmp(variant_names[variant], instances[instance].variant) != 0) variant++;
        return variant;
    }
}

static const struct field_rows compiled = {WGMMA_SPARSE_INSTANCE_END, instance_key};

static const struct wgmma *instruction(const void *test_case)
{
    return &instances[((const struct wgmma_case *)test_case)->instance].wgmma;
}

static int is_sparse(const void *test_case)
{
    return instruction(test_case)->is_sparse;
}

static int has_a(const void *test_case)
{
    return !instruction(test_case)->a_in_registers;
}

static void start_sparse(void *test_case)
{
    ((struct wgmma_case *)test_case)->instance = WGMMA_INSTANCE_COUNT;
}

#define CASE struct wgmma_case
static const struct field field[] = {
    FIELD_ROW("types", instance, &compiled, KEY_TYPES, "of D, A and B", .kind = FIELD_NAME, .name_of = types_name,
              .most = WGMMA_TYPES_COUNT - 1),
    FIELD_ROW("n", instance, &compiled, KEY_N, "columns of D"),
    FIELD_ROW("variant", instance, &compiled, KEY_VARIANT, "signs, majorness and saturation, and where A is",
              .kind = FIELD_NAME, .names = variant_names),
    FIELD_ROW("selector", instance, &compiled, KEY_SELECTOR, "sparsity selector", .is_there = is_sparse,
              .where = "wgmma.sp"),
    FIELD_ONE_OF("metadata", metadata, metadata_names, "what sparsity metadata hold", .is_there = is_sparse,
                 .where = "wgmma.sp"),
    FIELD_NUMBER("steps", steps, 0, WGMMA_MAX_STEPS, "instructions on the same accumulators"),
    FIELD_NUMBER("scale_d", scale_d, 0, (1 << WGMMA_MAX_STEPS) - 1, "a bit for each step: D is added to"),
    FIELD_NUMBER("a", descriptor[0], 0, UINT64_MAX, "descriptor of A", .hex_digits = 1, .is_there = has_a,
                 .where = "variants with A in shared memory"),
    FIELD_NUMBER("b", descriptor[1], 0, UINT64_MAX, "descriptor of B", .hex_digits = 1),
    FIELD_NUMBERS("advance", advance_bytes, 2, 0, UINT32_MAX, "bytes from step to step, of A and of B"),
    FIELD_SEED,
    FIELD_END,
};
#undef CASE

// --- The model -------------------------------------------------------------------------------------------------------

uint32_t wgmma_case_d_bytes(const struct wgmma_case *c)
{
    const struct wgmma *w = &wgmma_instance_row(c->instance)->wgmma;
    return (uint32_t)wgmma_d_registers(w->types, w->n) * WGMMA_THREADS * 4;
}

// Shared addresses that an operand of all steps is read from; nothing where it is in registers.
static struct wgmma_range reach_of(const struct wgmma_case *c, int operand)
{
    const struct wgmma *w = &wgmma_instance_row(c->instance)->wgmma;
    struct wgmma_range range = {WGMMA_SHARED_END, WGMMA_SHARED_START};
    if (operand == 0 && w->a_in_registers) return range;
    for (uint32_t step = 0; step < c->steps; step++) {
        uint32_t first, end;
        wgmma_reach(w, operand, wgmma_advance(c->descriptor[operand], step * c->advance_bytes[operand]), &first, &end);
        if (first < range.start) range.start = first;
        if (end > range.end) range.end = end;
    }
    return range;
}

// Shared addresses that operand 0 or 1 of all steps is read from, cut to what is mapped, in multiples of 16.
static struct wgmma_range wgmma_case_range(const struct wgmma_case *c, int operand)
{
    struct wgmma_range range = reach_of(c, operand);
    if (range.start < WGMMA_SHARED_START) range.start = WGMMA_SHARED_START;
    if (range.end > WGMMA_SHARED_END) range.end = WGMMA_SHARED_END;
    return range.end > range.start ? range : (struct wgmma_range){0, 0};
}

bool wgmma_case_reads_outside(const struct wgmma_case *c)
{
    bool outside = false;
    for (int operand = 0; operand < 2; operand++) {
        struct wgmma_range range = reach_of(c, operand);
        outside |= range.start < WGMMA_SHARED_START || range.end > WGMMA_SHARED_END;
    }
    return outside;
}

static void fill(const struct wgmma_case *c, struct wgmma_layout layout, enum wgmma_salt salt, uint8_t *shared)
{
    struct wgmma_range range = wgmma_case_range(c, (int)salt);
    for (uint32_t at = range.start; at < range.end; at += 8)
        put_u64(shared + (at - WGMMA_SHARED_START), wgmma_word(layout, c->seed, salt, at / 8));
}

void wgmma_case_start(const struct wgmma_case *c, struct wgmma_state *state)
{
    const struct wgmma_instance_row *row = wgmma_instance_row(c->instance);
    fill(c, row->layout_a, WGMMA_SALT_A, state->shared);
    fill(c, row->layout_b, WGMMA_SALT_B, state->shared);
    for (uint32_t i = 0; i < wgmma_case_d_bytes(c) / 4; i++)
        state->d[i] = (uint32_t)wgmma_word(row->layout_d, c->seed, WGMMA_SALT_D,
                                           wgmma_index_d(i % WGMMA_THREADS, i / WGMMA_THREADS));
}

struct wgmma_operands wgmma_case_operands(const struct wgmma_case *c, uint32_t step, struct wgmma_state *state,
                                          struct memory *shared)
{
    const struct wgmma_instance_row *row = wgmma_instance_row(c->instance);
    *shared = (struct memory){state->shared, WGMMA_SHARED_START, WGMMA_SHARED_BYTES};
    struct wgmma_operands o = {.shared = shared, .scale_d = (int)(c->scale_d >> step & 1)};
    for (int i = 0; i < 2; i++) o.descriptor[i] = wgmma_advance(c->descriptor[i], step * c->advance_bytes[i]);
    for (uint32_t thread = 0; row->wgmma.is_sparse && thread < WGMMA_THREADS; thread++)
        state->metadata[thread] = wgmma_metadata(c->metadata, row->layout_a.width, c->seed, step, thread);
    o.metadata = row->wgmma.is_sparse ? state->metadata : NULL;
    if (!row->wgmma.a_in_registers) return o;
    for (uint32_t thread = 0; thread < WGMMA_THREADS; thread++)
        for (uint32_t i = 0; i < 4; i++)
            state->a[thread][i] =
                (uint32_t)wgmma_word(row->layout_a, c->seed, WGMMA_SALT_A, wgmma_index_a(step, thread, i));
    o.a = (const uint32_t(*)[4])state->a;
    return o;
}

enum rule wgmma_case_step(const struct wgmma_case *c, uint32_t step, struct wgmma_state *state)
{
    struct memory shared;
    struct wgmma_operands operands = wgmma_case_operands(c, step, state, &shared);
    return wgmma_execute(&wgmma_instance_row(c->instance)->wgmma, &operands, state->d, NULL);
}

static void wgmma_windows(const void *test_case, struct result *result)
{
    uint32_t bytes = wgmma_case_d_bytes(test_case);
    if (wgmma_case_reads_outside(test_case))
        result_mixed_window(result, "d", 0, bytes);
    else
        result_window(result, "d", 0, bytes);
}

// An element of D is open where its row of A or its column of B has a byte that the CTA's memory does not hold.
static void open_elements(const void *test_case, const struct window *window, uint8_t *is_open)
{
    const struct wgmma_case *c = test_case;
    const struct wgmma *w = &wgmma_instance_row(c->instance)->wgmma;
    const struct memory shared = {NULL, WGMMA_SHARED_START, WGMMA_SHARED_BYTES};
    uint8_t is_outside[2][WGMMA_MAX_N] = {{0}};
    for (uint32_t step = 0; step < c->steps; step++) {
        struct wgmma_operands o = {.shared = &shared};
        for (int i = 0; i < 2; i++) {
            o.descriptor[i] = wgmma_advance(c->descriptor[i], step * c->advance_bytes[i]);
            wgmma_mark_outside(w, &o, i, is_outside[i]);
        }
    }
    uint32_t bytes = wgmma_types_row(w->types)->d == NUMBER_F16 ? 2 : 4;
    for (uint32_t at = 0; at < window->size_bytes; at += bytes) {
        uint32_t word = at / 4;
        struct number_place place =
            wgmma_place_d(w->types, (int)(word % WGMMA_THREADS), (int)(word / WGMMA_THREADS), at % 4 != 0);
        memset(is_open + at, is_outside[0][place.row] | is_outside[1][place.column], bytes);
    }
}

static enum rule wgmma_run_model(const void *test_case, struct result *result)
{
    const struct wgmma_case *c = test_case;
    struct wgmma_state *state = malloc(sizeof *state);
    enum rule rule = RULE_OK;
    if (state == NULL) abort();
    wgmma_case_start(c, state);
    for (uint32_t step = 0; step < c->steps && rule == RULE_OK; step++) rule = wgmma_case_step(c, step, state);
    memcpy(result->window[0].bytes, state->d, result->window[0].size_bytes);
    free(state);
    return rule;
}

// --- The GPU ---------------------------------------------------------------------------------------------------------

static int make_job(const struct gpu_place *place, void *to)
{
    const struct wgmma_case *c = place->test_case;
    *(struct wgmma_job *)to = (struct wgmma_job){.descriptor = {c->descriptor[0], c->descriptor[1]},
                                                 .output = place->offset / 4,
                                                 .advance_bytes = {c->advance_bytes[0], c->advance_bytes[1]},
                                                 .range = {wgmma_case_range(c, 0), wgmma_case_range(c, 1)},
                                                 .instance = c->instance,
                                                 .seed = c->seed,
                                                 .steps = c->steps,
                                                 .scale_d = c->scale_d,
                                                 .metadata = c->metadata};
    return CUDA_SUCCESS;
}

#define JOBS(name)                                                                                                     \
    {                                                                                                                  \
        GPU_JOBS_OF(name, struct wgmma_case, struct wgmma_job),                                                        \
            .block = WGMMA_THREADS, .shared_bytes = WGMMA_SHARED_BYTES, .per_processor = 3, .make = make_job           \
    }
static const struct gpu_jobs jobs = JOBS("wgmma"), sparse_jobs = JOBS("wgmma_sparse");
#undef JOBS

const struct family family_wgmma = {
    FAMILY_CASES("wgmma", struct wgmma_case, field),
    .summary = "wgmma.mma_async, dense: one to three of them on the same accumulators, D of all threads",
    .cost = 20,
    .generate = wgmma_generate,
    .windows = wgmma_windows,
    .open_bytes = open_elements,
    .run_model = wgmma_run_model,
    .jobs = &jobs,
    .kernels = "wgmma",
    .explain = wgmma_explain,
};

const struct family family_wgmma_sparse = {
    FAMILY_CASES("wgmma_sparse", struct wgmma_case, field, .start = start_sparse),
    .summary = "wgmma.mma_async.sp: as wgmma, with sparsity metadata and selector",
    .cost = 20,
    .generate = wgmma_sparse_generate,
    .windows = wgmma_windows,
    .open_bytes = open_elements,
    .run_model = wgmma_run_model,
    .jobs = &sparse_jobs,
    .kernels = "wgmma_sparse",
    .explain = wgmma_explain,
};
