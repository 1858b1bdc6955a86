// SPDX-License-Identifier: MIT
// The family "rmw": the read-modify-write of an array through shared memory by each of CCCL's calls. Cases as JSON, and
// what they do on the model and on a GPU. The kernels and their terms are in kernels/rmw.cu and rmw_job.h.
#include "rmw_case.h"

#include <inttypes.h>
#include <string.h>

#include "bulk_job.h"
#include "family.h"
#include "field.h"
#include "gpu_jobs.h"
#include "rules/bulk.h"

#define FORM_NAME(id, name, is_bulk)   #name,
#define TYPE_NAME(id, name, ctype, by) #name,
#define ISSUER_NAME(id, name)          #name,
const char *const rmw_form_names[] = {RMW_FORMS_LIST(FORM_NAME) NULL};
const char *const rmw_type_names[] = {RMW_TYPES_LIST(TYPE_NAME) NULL};
const char *const rmw_issuer_names[] = {RMW_ISSUERS_LIST(ISSUER_NAME) NULL};

uint32_t rmw_ctas(const struct rmw_case *c)
{
    return (c->count + c->tile - 1) / c->tile;
}

// --- JSON ------------------------------------------------------------------------------------------------------------

// NULL, or what makes a case illegal that an executor could not run.
static const char *illegal(const void *test_case)
{
    const struct rmw_case *c = test_case;
    uint32_t bytes = rmw_element_bytes((enum rmw_type)c->type);
    if (c->tile > RMW_MAX_TILE_BYTES / bytes) return "\"tile\" is 1 to 65536 bytes";
    if (c->count > (uint64_t)RMW_MAX_CTAS * c->tile) return "\"count\" is that of 1 to 64 tiles";
    if (c->offset % bytes != 0) return "\"offset\" is a multiple of the type's bytes";
    return NULL;
}

// --- What is where ---------------------------------------------------------------------------------------------------

static uint32_t array_window_bytes(const struct rmw_case *c)
{
    uint32_t bytes = c->offset + c->count * rmw_element_bytes((enum rmw_type)c->type);
    return 2 * RMW_SURROUND_BYTES + (bytes + 15) / 16 * 16;
}

static void rmw_windows(const void *test_case, struct result *result)
{
    const struct rmw_case *c = test_case;
    uint32_t ctas = rmw_ctas(c), guarded = rmw_guarded_bytes(rmw_tile_bytes(c));
    result_window(result, "array", RMW_ARRAY, array_window_bytes(c));
    result_window(result, "before", 0, ctas * guarded);
    result_window(result, "after", 0, ctas * guarded);
    result_window(result, "log", 0, ctas * (uint32_t)sizeof(struct rmw_log));
}

// The array and its surroundings before: limits of the type are among the elements.
static void rmw_fill(const void *test_case, const struct result *result)
{
    const struct rmw_case *c = test_case;
    const struct window *array = &result->window[RMW_WINDOW_ARRAY];
    static const enum bulk_content contents[] = {BULK_CONTENT_DISTINCT, BULK_CONTENT_F16,   BULK_CONTENT_INT32,
                                                 BULK_CONTENT_F32,      BULK_CONTENT_INT64, BULK_CONTENT_F64,
                                                 BULK_CONTENT_INT32};
    for (uint32_t at = 0; at < array->size_bytes; at += 8)
        put_u64(array->bytes + at, bulk_word(c->seed, contents[c->type], BULK_SALT_SOURCE, at));
}

// --- The GPU ---------------------------------------------------------------------------------------------------------

static int start_case(struct gpu *gpu, const void *test_case, struct result *result, uint64_t shift)
{
    const struct rmw_case *c = test_case;
    const struct window *w = result->window;
    struct rmw_job job = {.data =
                              (uint64_t)(uintptr_t)w[RMW_WINDOW_ARRAY].bytes + shift + RMW_SURROUND_BYTES + c->offset,
                          .before = (uint64_t)(uintptr_t)w[RMW_WINDOW_BEFORE].bytes + shift,
                          .after = (uint64_t)(uintptr_t)w[RMW_WINDOW_AFTER].bytes + shift,
                          .log = (uint64_t)(uintptr_t)w[RMW_WINDOW_LOG].bytes + shift,
                          .count = c->count,
                          .tile = c->tile};
    char kernel[80];
    void *arguments[] = {&job};
    snprintf(kernel, sizeof kernel, "rmw_%s_%s_%s", rmw_form_names[c->form], rmw_type_names[c->type],
             rmw_issuer_names[c->issuer]);
    const struct gpu_launch launch = {.module = "rmw",
                                      .kernel = kernel,
                                      .grid = rmw_ctas(c),
                                      .block = c->threads,
                                      .shared_bytes = rmw_shared_bytes(rmw_tile_bytes(c)),
                                      .arguments = arguments};
    return gpu_start(gpu, &launch);
}

// --- Random cases: every kernel; arrays that start anywhere their call allows, with a last tile of any length, and now
// and then one that is not aligned for a bulk copy.

enum { MOST_BYTES = 48 << 10 }; // of an array, but for a few
static const int32_t some_threads[] = {32, 64, 96, 128, 128, 192, 256};

// What tiles and starts are multiples of: bulk copies take whole 16 bytes, but for a few that fault.
static uint32_t unit_of(struct random *random, const struct rmw_case *c)
{
    const uint32_t bytes = rmw_element_bytes((enum rmw_type)c->type);
    const bool is_bulk = rmw_path((enum rmw_form)c->form, (enum rmw_type)c->type) == RMW_BULK;
    return is_bulk && bytes < 16 && !random_chance(random, 3) ? 16 : bytes;
}

static void draw_tile(struct random *random, void *test_case)
{
    struct rmw_case *c = test_case;
    const uint32_t bytes = rmw_element_bytes((enum rmw_type)c->type), unit = unit_of(random, c);
    c->tile = (uint32_t)DRAW(random, {50, BETWEEN(unit, 512), .unit = unit}, {40, BETWEEN(unit, 4096), .unit = unit},
                             {10, BETWEEN(unit, 16384), .unit = unit}) /
              bytes;
}

// Often whole tiles, one element more, or one less.
static void draw_count(struct random *random, void *test_case)
{
    struct rmw_case *c = test_case;
    const uint32_t tiles = MOST_BYTES / rmw_element_bytes((enum rmw_type)c->type) / c->tile;
    const uint32_t whole = c->tile * (uint32_t)random_range(random, 1, tiles < 1 ? 1 : tiles > 16 ? 16 : tiles);
    c->count = (uint32_t)DRAW(random, {15, JUST(whole)}, {10, JUST(whole + 1)}, {10, JUST(whole > 1 ? whole - 1 : 1)},
                              {65, BETWEEN(whole - c->tile + 1, whole)});
}

static void draw_offset(struct random *random, void *test_case)
{
    struct rmw_case *c = test_case;
    const uint32_t unit = unit_of(random, c);
    c->offset = unit * (uint32_t)random_below(random, 112 / unit);
}

#define CASE struct rmw_case
static const struct field field[] = {
    FIELD_ONE_OF("form", form, rmw_form_names, "the function that copies",
                 DRAWN({5, BETWEEN(0, RMW_FORMS - 1)}, {1, JUST(RMW_MEMCPY_ASYNC)})),
    FIELD_ONE_OF("type", type, rmw_type_names, "type of an element"),
    FIELD_ONE_OF("issuer", issuer, rmw_issuer_names, "which threads copy"),
    FIELD_NUMBER("threads", threads, 32, RMW_MAX_THREADS, "threads of a CTA", .multiple = 32,
                 DRAWN({1, ONE_OF(some_threads)})),
    FIELD_NUMBER("tile", tile, 1, RMW_MAX_TILE_BYTES, "elements of a CTA", .draw = draw_tile),
    FIELD_NUMBER("count", count, 1, UINT32_MAX, "elements of the array", .draw = draw_count),
    FIELD_NUMBER("offset", offset, 0, RMW_MAX_OFFSET, "bytes of the array past 128-byte alignment",
                 .draw = draw_offset),
    FIELD_SEED,
    FIELD_END,
};
#undef CASE

// Whether a call announces bytes is seen as long as some of them are on their way; the log alone says it.
static enum family_ground rmw_ground(const void *test_case)
{
    const struct rmw_case *c = test_case;
    bool is_asked = c->form != RMW_MEMCPY_ASYNC_GROUP && rmw_path(c->form, c->type) == RMW_BULK;
    return is_asked ? GROUND_SLOW : GROUND_PTX;
}

// --- In words --------------------------------------------------------------------------------------------------------

static void explain_log(const struct window *expected, const struct window *found, uint32_t at, FILE *out)
{
    struct rmw_log want, got;
    uint32_t cta = at / (uint32_t)sizeof want;
    memcpy(&want, expected->bytes + cta * sizeof want, sizeof want);
    memcpy(&got, found->bytes + cta * sizeof got, sizeof got);
    fprintf(out,
            "    CTA %" PRIu32 ": mbarrier 0x%016" PRIx64 ", %" PRIu32
            " bytes awaited after the call, fulfilled %" PRIu32,
            cta, want.word, want.bulk_bytes, want.fulfilled);
    fprintf(out, " expected; 0x%016" PRIx64 ", %" PRIu32 ", %" PRIu32 " found\n", got.word, got.bulk_bytes,
            got.fulfilled);
}

static void explain_array(const struct rmw_case *c, const struct window *expected, const struct window *found,
                          uint32_t at, FILE *out)
{
    uint32_t size = rmw_element_bytes((enum rmw_type)c->type), start = RMW_SURROUND_BYTES + c->offset;
    uint64_t want = 0, got = 0;
    if (at < start || at >= start + c->count * size) {
        fprintf(out, "    array: byte %" PRIu32 " of the window lies outside of it and is never written\n", at);
        return;
    }
    uint32_t index = (at - start) / size, place = start + index * size, shown = size < 8 ? size : 8;
    memcpy(&want, expected->bytes + place, shown);
    memcpy(&got, found->bytes + place, shown);
    fprintf(out,
            "    array: element %" PRIu32 " (CTA %" PRIu32 ", %" PRIu32 " of its tile): 0x%" PRIx64
            " expected, 0x%" PRIx64 " found\n",
            index, index / c->tile, index % c->tile, want, got);
}

static void explain_tile(const struct rmw_case *c, const struct window *expected, const struct window *found,
                         uint32_t at, FILE *out)
{
    uint32_t guarded = rmw_guarded_bytes(rmw_tile_bytes(c));
    fprintf(out, "    %s: CTA %" PRIu32 ", byte %" PRId64 " of its tile: 0x%02x expected, 0x%02x found\n",
            expected->name, at / guarded, (int64_t)(at % guarded) - RMW_GUARD_BYTES, expected->bytes[at],
            found->bytes[at]);
}

enum rule rmw_explain(const void *test_case, const struct difference *difference, FILE *out)
{
    const struct window *w = difference->expected, *f = difference->found;
    if (strcmp(w->name, "log") == 0) {
        explain_log(w, f, difference->at, out);
        return RULE_BULK_TX_BYTES;
    }
    if (strcmp(w->name, "array") == 0)
        explain_array(test_case, w, f, difference->at, out);
    else
        explain_tile(test_case, w, f, difference->at, out);
    return RULE_BULK_SIZE;
}

const struct family family_rmw = {
    FAMILY_CASES("rmw", struct rmw_case, field, .illegal = illegal),
    .summary =
        "read-modify-write of an array by memcpy_async, memcpy_async_tx and cp_async_bulk: the array, tiles, barriers",
    .cost = 20,
    .windows = rmw_windows,
    .fill = rmw_fill,
    .run_model = rmw_run_model,
    .start = start_case,
    .kernels = "rmw",
    .ground = rmw_ground,
    .grounded = 1u << RMW_WINDOW_LOG,
    .explain = rmw_explain,
};
