// SPDX-License-Identifier: MIT
// Family "diagnose": wrong tiles, made on purpose. The result is shared memory as the kernel dumped it, and the
// barrier's word. Where the dump is taken while a copy runs, or the barrier expects too little, an H200 decides on its
// own what is seen: such a result is compared with all that is possible. docs/diagnose.md says what these cases are
// for.
#include <string.h>

#include "arena.h"
#include "diagnose_case.h"
#include "family.h"
#include "field.h"
#include "load_launch.h"
#include "mbarrier.h"
#include "rules/tile.h"

// --- JSON ----------------------------------------------------------------------------------------------------------

static const char *cause_name(uint32_t cause)
{
    return cause < CAUSES ? cause_row((enum cause)cause)->id : "CLEAN";
}

static int is_im2col(const void *load)
{
    return ((const struct diagnose_load *)load)->map.function == MAP_IM2COL;
}

static const char *map_illegal(const void *load)
{
    const struct map_args *map = &((const struct diagnose_load *)load)->map;
    return map->function > MAP_IM2COL || map->rank < (is_im2col(load) ? 3 : 1) || map->rank > TENSORMAP_MAX_RANK
               ? "map is not a tiled map of rank 1 to 5 or an im2col map of rank 3 to 5"
               : NULL;
}

// What no single value shows.
static const char *illegal(const void *test_case)
{
    const struct diagnose_case *c = test_case;
    if (c->slices < 1 || c->slices > DIAGNOSE_MAX_LOADS || c->slice_dim >= c->meant.map.rank)
        return "\"slices\" is how many, and along which dimension";
    return c->earlier > c->loads || c->moved > c->meant.shared - LOAD_WINDOW_START
               ? "\"earlier\" or \"moved\" is too large"
               : NULL;
}

#define CASE struct diagnose_load
static const struct field load_field[] = {
    FIELD_MAP_OF(map, "the map; left out: as in `meant`", .may_be_like = 1,
                 .like_at = offsetof(struct diagnose_case, meant.map), .illegal = map_illegal),
    FIELD_COORDINATES_AS("tensorCoords", coord, map.rank, "as many as the map has dimensions"),
    FIELD_NUMBERS_AS("im2colOffsets", offset, map.rank, 2, 0, UINT16_MAX, "as many as the instruction has",
                     .is_there = is_im2col, .where = "maps of im2col"),
    FIELD_NUMBER("shared", shared, LOAD_WINDOW_START, LOAD_SHARED_END, "destination in shared memory"),
    FIELD_END,
};
#undef CASE

static const struct fields load_fields = {.name = "a load", .field = load_field, .bytes = sizeof(struct diagnose_load)};

#define CASE struct diagnose_case
static const struct field field[] = {
    FIELD_NAMED("cause", cause, cause_name, CAUSES, "the cause that is planted"),
    FIELD_OBJECT_OF("meant", meant, &load_fields, "the load that was meant"),
    FIELD_LIST_OF("loads", load, loads, &load_fields, 0, DIAGNOSE_MAX_LOADS, "what is done"),
    FIELD_NUMBER("slices", slices, 0, UINT32_MAX, "boxes side by side, and along which dimension", .count = 2,
                 .missing = FIELD_LEFT_OUT, .absent = 1),
    FIELD_NUMBER("earlier", earlier, 0, DIAGNOSE_MAX_LOADS, "loads that are done before the others are issued",
                 .missing = FIELD_LEFT_OUT),
    FIELD_NUMBER("expect", expect, 0, MBARRIER_COUNT_MAX,
                 "bytes that the barrier expects; left out: nobody announces any",
                 .presence_at = offsetof(CASE, announce)),
    FIELD_NUMBER("clocks", clocks, 0, INT16_MAX, "clocks after which the dump is taken; left out: at the end",
                 .missing = FIELD_LEFT_OUT, .absent = UINT32_MAX),
    FIELD_NUMBER("moved", moved, 0, 1024, "bytes by which the dump's begin is mistaken", .missing = FIELD_LEFT_OUT),
    FIELD_NUMBER("undone", undone, 0, SWIZZLE_128B, "the swizzle mode that the reader undoes",
                 .missing = FIELD_LEFT_OUT),
    FIELD_NUMBER("transposed", transposed, 0, 1, "1: the reader takes rows for columns", .missing = FIELD_LEFT_OUT),
    FIELD_END,
};
#undef CASE

// --- the model -----------------------------------------------------------------------------------------------------

static void windows(const void *test_case, struct result *result)
{
    load_lay_out(diagnose_window(test_case), result);
}

// Runs the loads from `first` to `past`; returns the first rule broken.
static enum rule run_loads(const struct diagnose_case *c, uint32_t first, uint32_t past, const struct memory *shared,
                           uint64_t *word)
{
    for (uint32_t i = first; i < past; i++) {
        uint32_t bytes;
        enum rule rule = diagnose_load_run(&c->load[i], shared, &bytes);
        if (rule != RULE_OK) return rule;
        mbarrier_transact_remote(word, &(struct mbarrier_transaction){.complete_bytes = bytes});
    }
    return RULE_OK;
}

// Shared memory before the last loads (in `earlier`, may be NULL) and after them.
static enum rule run_case(const struct diagnose_case *c, struct load_window window, uint8_t *earlier, uint8_t *after,
                          uint64_t *word)
{
    uint8_t cta[LOAD_SHARED_BYTES];
    const struct memory shared = {cta, LOAD_SHARED_START, sizeof cta};
    uint8_t *in_cta = cta + (window.base - LOAD_SHARED_START);
    uint64_t unused = mbarrier_init(1);
    load_canaries(window.base, in_cta, window.size_bytes);
    enum rule rule = run_loads(c, 0, c->earlier, &shared, &unused);
    if (earlier != NULL) memcpy(earlier, in_cta, window.size_bytes);
    *word = mbarrier_init(1);
    if (rule == RULE_OK && c->announce)
        rule = mbarrier_transact(word, &(struct mbarrier_transaction){.arrivals = 1, .expect_bytes = c->expect});
    if (rule == RULE_OK) rule = run_loads(c, c->earlier, c->loads, &shared, word);
    memcpy(after, in_cta, window.size_bytes);
    return rule;
}

static enum rule run_model(const void *test_case, struct result *result)
{
    uint64_t word;
    enum rule rule = run_case(test_case, diagnose_window(test_case), NULL, result->window[1].bytes, &word);
    memcpy(result->window[0].bytes, &word, sizeof word);
    return rule;
}

uint32_t diagnose_brought(const struct diagnose_case *c)
{
    uint32_t total = 0, bytes;
    for (uint32_t i = c->earlier; i < c->loads; i++) {
        diagnose_load_bytes(&c->load[i], &bytes);
        total += bytes;
    }
    return total;
}

static int case_varies(const void *test_case)
{
    const struct diagnose_case *c = test_case;
    return c->clocks >= 0 || (c->announce && c->expect < diagnose_brought(c));
}

// Each byte is as it was before the last loads or as they leave it (if the dump came early), and the word is what it
// must be, unless too little was expected.
static int is_legal(const void *test_case, const struct result *result)
{
    uint8_t earlier[LOAD_SHARED_BYTES], after[LOAD_SHARED_BYTES];
    const struct diagnose_case *c = test_case;
    struct load_window window = diagnose_window(c);
    uint64_t word;
    if (run_case(c, window, earlier, after, &word) != RULE_OK || result->status != 0 || result->windows != 2) return 0;
    if (result->window[1].size_bytes != window.size_bytes) return 0;
    bool is_word_sure = !c->announce || c->expect >= diagnose_brought(c);
    if (is_word_sure && memcmp(result->window[0].bytes, &word, sizeof word) != 0) return 0;
    for (uint32_t i = 0; i < window.size_bytes; i++) {
        uint8_t byte = result->window[1].bytes[i];
        if (byte != after[i] && (c->clocks < 0 || byte != earlier[i])) return 0;
    }
    return 1;
}

// --- the GPU -------------------------------------------------------------------------------------------------------

_Static_assert(sizeof(struct diagnose_job_load) % 64 == 0 && sizeof(struct diagnose_job) % 64 == 0,
               "maps lie at multiples of 64 bytes");

static int make_load(struct gpu *gpu, const struct diagnose_load *load, struct diagnose_job_load *job)
{
    struct map_args args = load->map;
    struct tensormap_image image;
    args.address += gpu_arena(gpu) - ARENA_BASE;
    int error = map_args_call(&gpu->driver, &args, &image);
    if (error != CUDA_SUCCESS) return error;
    *job = (struct diagnose_job_load){.dims = (int32_t)args.rank, .shared = load->shared};
    job->mode = args.function == MAP_IM2COL ? LOAD_IM2COL : LOAD_TILE;
    diagnose_load_bytes(load, &job->bytes);
    memcpy(job->map, image.word, sizeof job->map);
    memcpy(job->coord, load->coord, sizeof job->coord);
    memcpy(job->offset, load->offset, sizeof load->offset);
    return CUDA_SUCCESS;
}

static int make_job(const struct gpu_place *place, void *to)
{
    const struct diagnose_case *c = place->test_case;
    const struct window *window = &place->result->window[1];
    struct diagnose_job *job = to;
    int error = CUDA_SUCCESS;
    *job = (struct diagnose_job){.loads = c->loads,
                                 .earlier = c->earlier,
                                 .announce = c->announce,
                                 .expect_bytes = c->expect,
                                 .clocks = c->clocks,
                                 .settle = !c->announce || c->expect != diagnose_brought(c),
                                 .window = (uint32_t)window->base,
                                 .window_end = (uint32_t)window->base + window->size_bytes,
                                 .output = place->offset + LOAD_LEAD_BYTES};
    for (uint32_t i = 0; i < c->loads && error == CUDA_SUCCESS; i++)
        error = make_load(place->gpu, &c->load[i], &job->load[i]);
    return error;
}

static const struct gpu_jobs jobs = {GPU_JOBS_OF("diagnose", struct diagnose_case, struct diagnose_job),
                                     .block = LOAD_THREADS, .shared_bytes = LOAD_SHARED_BYTES, .make = make_job};

// --- words ---------------------------------------------------------------------------------------------------------

enum rule diagnose_explain(const void *test_case, const struct difference *difference, FILE *out)
{
    if (case_varies(test_case))
        fprintf(out, "    the dump was taken early, or too little was expected: the bytes fit no moment of it\n");
    return difference->window == 0 ? RULE_TILE_TX_BYTES : RULE_TILE_ADDRESS;
}

static int restore(const void *test_case, const json_t *text, struct result *result)
{
    (void)test_case;
    const struct window *shared = &result->window[1];
    load_canaries((uint32_t)shared->base, shared->bytes, shared->size_bytes);
    return load_restore(text, result->window[0].bytes, shared->bytes, shared->base, shared->size_bytes);
}

const struct family family_diagnose = {
    FAMILY_CASES("diagnose", struct diagnose_case, field, .illegal = illegal),
    .summary = "tiles gone wrong: a cause planted in a load, the dump of shared memory, and the barrier's word",
    .generate = diagnose_generate,
    .windows = windows,
    .run_model = run_model,
    .jobs = &jobs,
    .kernels = "diagnose",
    .describe = load_describe,
    .restore = restore,
    .varies = case_varies,
    .is_legal = is_legal,
    .explain = diagnose_explain,
};
