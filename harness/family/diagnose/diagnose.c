// SPDX-License-Identifier: MIT
// Family "diagnose": wrong tiles, made on purpose. The result is shared memory as the kernel dumped it, and the
// barrier's word. Where the dump is taken while a copy runs, or the barrier expects too little, an H200 decides on its
// own what is seen: such a result is compared with all that is possible. docs/diagnose.md says what these cases are
// for.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "diagnose_case.h"
#include "family.h"
#include "gpu.h"
#include "json.h"
#include "load_launch.h"
#include "load_text.h"
#include "mbarrier.h"

enum { LEAD_BYTES = 16, WORD_BYTES = 8 };

// --- JSON ----------------------------------------------------------------------------------------------------------

static json_t *load_write(const struct diagnose_load *load, const struct diagnose_load *meant)
{
    json_t *json = json_object();
    if (meant == NULL || memcmp(&load->map, &meant->map, sizeof load->map) != 0)
        json_object_set_new(json, "map", map_args_write(&load->map));
    json_object_set_new(json, "tensorCoords", json_i32s(load->coord, (int)load->map.rank));
    if (load->map.function == MAP_IM2COL)
        json_object_set_new(json, "im2colOffsets", json_u32s(load->offset, (int)load->map.rank - 2));
    json_object_set_new(json, "shared", json_u64(load->shared));
    return json;
}

static json_t *case_write(const void *test_case)
{
    const struct diagnose_case *c = test_case;
    json_t *json = json_object(), *loads = json_array();
    const uint64_t slices[2] = {c->slices, c->slice_dim};
    json_object_set_new(json, "cause", json_string(c->cause < CAUSES ? cause_row((enum cause)c->cause)->id : "CLEAN"));
    json_object_set_new(json, "meant", load_write(&c->meant, NULL));
    for (uint32_t i = 0; i < c->loads; i++) json_array_append_new(loads, load_write(&c->load[i], &c->meant));
    json_object_set_new(json, "loads", loads);
    if (c->slices > 1) json_object_set_new(json, "slices", json_u64s(slices, 2));
    if (c->earlier > 0) json_object_set_new(json, "earlier", json_u64(c->earlier));
    if (c->announce) json_object_set_new(json, "expect", json_u64(c->expect));
    if (c->clocks >= 0) json_object_set_new(json, "clocks", json_integer(c->clocks));
    if (c->moved > 0) json_object_set_new(json, "moved", json_u64(c->moved));
    if (c->undone > 0) json_object_set_new(json, "undone", json_u64(c->undone));
    if (c->transposed) json_object_set_new(json, "transposed", json_u64(1));
    return json;
}

static int load_read(const json_t *json, const struct diagnose_load *meant, struct diagnose_load *load,
                     struct text *why)
{
    struct json_reader reader = json_reader_open(json, "diagnose case: a load of \"meant\" or \"loads\"", why);
    if (json_has(&reader, "map") || meant == NULL) {
        const json_t *map = json_read_object(&reader, "map");
        if (!reader.ok || !map_args_read(map, "diagnose case: map", &load->map, why)) return 0;
    } else {
        load->map = meant->map;
    }
    if (load->map.function > MAP_IM2COL || load->map.rank < 1 || load->map.rank > TENSORMAP_MAX_RANK ||
        (load->map.function == MAP_IM2COL && load->map.rank < 3)) {
        text_set(why, "diagnose case: map is not a tiled map of rank 1 to 5 or an im2col map of rank 3 to 5");
        return 0;
    }
    json_read_i32s(&reader, "tensorCoords", (int)load->map.rank, load->coord);
    if (load->map.function == MAP_IM2COL)
        json_read_u32s(&reader, "im2colOffsets", (int)load->map.rank - 2, load->offset);
    load->shared = (uint32_t)json_read_u64(&reader, "shared", LOAD_SHARED_END);
    if (reader.ok && load->shared < LOAD_WINDOW_START) {
        text_set(why, "diagnose case: \"shared\" is %d to %d", LOAD_WINDOW_START, LOAD_SHARED_END);
        return 0;
    }
    return json_reader_close(&reader);
}

static int loads_read(const json_t *loads, struct diagnose_case *c, struct text *why)
{
    if (!json_is_array(loads) || json_array_size(loads) > DIAGNOSE_MAX_LOADS) {
        text_set(why, "diagnose case: \"loads\" is an array of at most %d loads", DIAGNOSE_MAX_LOADS);
        return 0;
    }
    for (c->loads = 0; c->loads < json_array_size(loads); c->loads++)
        if (!load_read(json_array_get(loads, c->loads), &c->meant, &c->load[c->loads], why)) return 0;
    return 1;
}

// What no single value shows: 0 with a sentence in `why`.
static int check_case(const struct diagnose_case *c, const char *cause, struct text *why)
{
    if (c->cause == CAUSES && strcmp(cause, "CLEAN") != 0)
        text_set(why, "diagnose case: there is no cause '%.40s'", cause);
    else if (c->slices < 1 || c->slices > DIAGNOSE_MAX_LOADS || c->slice_dim >= c->meant.map.rank)
        text_set(why, "diagnose case: \"slices\" is how many (1 to %d), and along which dimension", DIAGNOSE_MAX_LOADS);
    else if (c->earlier > c->loads || c->moved > c->meant.shared - LOAD_WINDOW_START)
        text_set(why, "diagnose case: \"earlier\" or \"moved\" is too large");
    else
        return 1;
    return 0;
}

static int case_read(const json_t *json, void *test_case, struct text *why)
{
    struct diagnose_case *c = test_case;
    struct json_reader reader = json_reader_open(json, "diagnose case", why);
    uint64_t slices[2] = {1, 0};
    char cause[40];
    *c = (struct diagnose_case){0};
    json_read_text(&reader, "cause", cause, sizeof cause);
    c->cause = cause_find(cause);
    const json_t *meant = json_read_object(&reader, "meant"), *loads = json_read_any(&reader, "loads");
    if (!reader.ok || !load_read(meant, NULL, &c->meant, why) || !loads_read(loads, c, why)) return 0;
    if (json_has(&reader, "slices")) json_read_u64s(&reader, "slices", 2, UINT32_MAX, slices);
    c->slices = (uint32_t)slices[0];
    c->slice_dim = (uint32_t)slices[1];
    c->announce = (uint32_t)json_has(&reader, "expect");
    c->earlier = (uint32_t)json_read_u64_or(&reader, "earlier", DIAGNOSE_MAX_LOADS, 0);
    c->expect = (uint32_t)json_read_u64_or(&reader, "expect", MBARRIER_COUNT_MAX, 0);
    c->clocks = json_has(&reader, "clocks") ? (int32_t)json_read_i64(&reader, "clocks", 0, INT16_MAX) : -1;
    c->moved = (uint32_t)json_read_u64_or(&reader, "moved", 1024, 0);
    c->undone = (uint32_t)json_read_u64_or(&reader, "undone", SWIZZLE_128B, 0);
    c->transposed = (uint32_t)json_read_u64_or(&reader, "transposed", 1, 0);
    if (!json_reader_close(&reader)) return 0;
    return check_case(c, cause, why);
}

// --- the model -----------------------------------------------------------------------------------------------------

static size_t result_bytes(const void *test_case)
{
    return load_window_bytes(diagnose_window(test_case));
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
    static uint8_t cta[LOAD_SHARED_BYTES];
    const struct memory shared = {cta, LOAD_SHARED_START, sizeof cta};
    uint8_t *in_cta = cta + (window.base - LOAD_SHARED_START);
    uint64_t unused = mbarrier_init(1);
    diagnose_before(window, in_cta);
    enum rule rule = run_loads(c, 0, c->earlier, &shared, &unused);
    if (earlier != NULL) memcpy(earlier, in_cta, window.size_bytes);
    *word = mbarrier_init(1);
    if (rule == RULE_OK && c->announce)
        rule = mbarrier_transact(word, &(struct mbarrier_transaction){.arrivals = 1, .expect_bytes = c->expect});
    if (rule == RULE_OK) rule = run_loads(c, c->earlier, c->loads, &shared, word);
    memcpy(after, in_cta, window.size_bytes);
    return rule;
}

// The word in the second half of the first 16 bytes, then shared memory, as the kernel's output has them.
static void lay_out(struct load_window window, struct result *result, uint8_t **word, uint8_t **shared)
{
    result->free_bytes += LEAD_BYTES - WORD_BYTES;
    *word = result_window(result, "mbarrier", LOAD_BARRIER, WORD_BYTES);
    *shared = result_window(result, "shared", window.base, window.size_bytes);
}

static void run_model(const void *test_case, struct result *result)
{
    static uint8_t after[LOAD_SHARED_BYTES];
    struct load_window window = diagnose_window(test_case);
    uint8_t *word_bytes, *shared_bytes;
    uint64_t word;
    result->rule = run_case(test_case, window, NULL, after, &word);
    result->status = rule_cuda_error(result->rule);
    if (result->rule != RULE_OK) return;
    lay_out(window, result, &word_bytes, &shared_bytes);
    memcpy(word_bytes, &word, sizeof word);
    memcpy(shared_bytes, after, window.size_bytes);
}

// Bytes that the last loads signal.
static uint32_t brought(const struct diagnose_case *c)
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
    return c->clocks >= 0 || (c->announce && c->expect < brought(c));
}

// Each byte is as it was before the last loads or as they leave it (if the dump came early), and the word is what it
// must be, unless too little was expected.
static int is_legal(const void *test_case, const struct result *result)
{
    static uint8_t earlier[LOAD_SHARED_BYTES], after[LOAD_SHARED_BYTES];
    const struct diagnose_case *c = test_case;
    struct load_window window = diagnose_window(c);
    uint64_t word;
    if (run_case(c, window, earlier, after, &word) != RULE_OK || result->status != 0 || result->windows != 2) return 0;
    if (result->window[1].size_bytes != window.size_bytes) return 0;
    int is_word_sure = !c->announce || c->expect >= brought(c);
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
    for (int i = 0; i < 3; i++) job->offset[i] = (uint16_t)load->offset[i];
    return CUDA_SUCCESS;
}

static int make_job(struct gpu *gpu, const struct diagnose_case *c, struct diagnose_job *job)
{
    int error = CUDA_SUCCESS;
    *job = (struct diagnose_job){.loads = c->loads,
                                 .earlier = c->earlier,
                                 .announce = c->announce,
                                 .expect_bytes = c->expect,
                                 .clocks = c->clocks,
                                 .settle = !c->announce || c->expect != brought(c)};
    for (uint32_t i = 0; i < c->loads && error == CUDA_SUCCESS; i++) error = make_load(gpu, &c->load[i], &job->load[i]);
    return error;
}

static int launch(struct gpu *gpu, const struct diagnose_job *jobs, int count, uint8_t *output, size_t output_bytes)
{
    unsigned long long device_jobs = gpu_buffer(gpu, 0, (size_t)count * sizeof *jobs);
    unsigned long long device_output = gpu_buffer(gpu, 1, output_bytes);
    if (device_jobs == 0 || device_output == 0) return CUDA_ERROR_OUT_OF_MEMORY;
    int error = (int)gpu->driver.cuMemcpyHtoD_v2(device_jobs, jobs, (size_t)count * sizeof *jobs);
    void *arguments[] = {&device_jobs, &count, &device_output};
    struct gpu_launch launch = {.module = "diagnose",
                                .kernel = "diagnose_jobs",
                                .grid = (unsigned)(count < gpu->processors ? count : gpu->processors),
                                .block = LOAD_THREADS,
                                .shared_bytes = LOAD_SHARED_BYTES,
                                .arguments = arguments};
    if (error == CUDA_SUCCESS) error = gpu_launch(gpu, &launch);
    if (error == CUDA_SUCCESS) error = (int)gpu->driver.cuMemcpyDtoH_v2(output, device_output, output_bytes);
    return error;
}

static int run_gpu(struct gpu *gpu, const void *cases, int count, struct result *results)
{
    struct diagnose_job *jobs = aligned_alloc(64, (size_t)count * sizeof *jobs);
    uint8_t *output = results[0].free_bytes, *end = output, *unused;
    const struct diagnose_case *c = cases;
    int launched = 0;
    if (jobs == NULL || gpu_arena(gpu) == 0) return CUDA_ERROR_OUT_OF_MEMORY;
    for (int i = 0; i < count; i++) {
        struct load_window window = diagnose_window(&c[i]);
        struct diagnose_job *job = &jobs[launched];
        uint64_t offset = (uint64_t)(results[i].free_bytes - output) + LEAD_BYTES;
        results[i].status = make_job(gpu, &c[i], job);
        if (results[i].status != CUDA_SUCCESS) continue;
        job->window = window.base;
        job->window_end = window.base + window.size_bytes;
        job->output = offset;
        lay_out(window, &results[i], &unused, &unused);
        end = results[i].free_bytes;
        launched++;
    }
    int error = launched > 0 ? launch(gpu, jobs, launched, output, (size_t)(end - output)) : CUDA_SUCCESS;
    free(jobs);
    return error;
}

// --- words ---------------------------------------------------------------------------------------------------------

static void explain(const void *test_case, const struct result *expected, const struct result *found, FILE *out)
{
    const struct diagnose_case *c = test_case;
    if (expected->windows < 2 || found->windows < 2) return;
    uint32_t i = 0, size = found->window[1].size_bytes;
    while (i < size && expected->window[1].bytes[i] == found->window[1].bytes[i]) i++;
    if (i < size)
        fprintf(out, "    shared 0x%x: expected %02x, found %02x\n", (uint32_t)found->window[1].base + i,
                expected->window[1].bytes[i], found->window[1].bytes[i]);
    else
        fprintf(out, "    shared memory is the same, the barrier's word is not\n");
    if (case_varies(c))
        fprintf(out, "    the dump was taken early, or too little was expected: the bytes fit no moment of it\n");
}

static int restore(const void *test_case, const json_t *text, struct result *result)
{
    uint8_t *word, *shared;
    struct load_window window = diagnose_window(test_case);
    lay_out(window, result, &word, &shared);
    diagnose_before(window, shared);
    return load_restore(text, word, shared, window.base, window.size_bytes);
}

const struct family family_diagnose = {
    .name = "diagnose",
    .summary = "tiles gone wrong: a cause planted in a load, the dump of shared memory, and the barrier's word",
    .case_bytes = sizeof(struct diagnose_case),
    .generate = diagnose_generate,
    .write = case_write,
    .read = case_read,
    .result_bytes = result_bytes,
    .run_model = run_model,
    .run_gpu = run_gpu,
    .kernels = "diagnose",
    .describe = load_describe,
    .restore = restore,
    .varies = case_varies,
    .is_legal = is_legal,
    .explain = explain,
    .rule = RULE_TILE_ADDRESS,
};
