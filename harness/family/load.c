// SPDX-License-Identifier: MIT
// Family "load": one tiled tensor load. The result is the barrier's word after the load, and shared memory around the
// box: what must not change is part of it.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "copy.h"
#include "family.h"
#include "gpu.h"
#include "json.h"
#include "load_case.h"
#include "load_job.h"
#include "load_text.h"
#include "mbarrier.h"

enum { GUARD_BYTES = 256, WORD_BYTES = 8, LEAD_BYTES = 16 };

static json_t *load_write(const void *test_case)
{
    const struct load_case *c = test_case;
    json_t *json = json_object();
    json_object_set_new(json, "map", map_args_write(&c->map));
    json_object_set_new(json, "dims", json_u64(c->dims));
    json_object_set_new(json, "tensorCoords", json_i32s(c->coord, (int)c->map.rank));
    json_object_set_new(json, "shared", json_u64(c->shared));
    json_object_set_new(json, "expect", json_u64(c->expect));
    return json;
}

static int load_read(const json_t *json, void *test_case, struct text *why)
{
    struct load_case *c = test_case;
    struct json_reader reader = json_reader_open(json, "load case", why);
    *c = (struct load_case){0};
    const json_t *map = json_read_object(&reader, "map");
    if (!reader.ok || !map_args_read(map, "load case: map", &c->map, why)) return 0;
    if (c->map.function != MAP_TILED || c->map.rank < 1 || c->map.rank > TENSORMAP_MAX_RANK) {
        text_set(why, "load case: map is not a tiled map of rank 1 to 5");
        return 0;
    }
    c->dims = (uint32_t)json_read_u64(&reader, "dims", TENSORMAP_MAX_RANK);
    json_read_i32s(&reader, "tensorCoords", (int)c->map.rank, c->coord);
    c->shared = (uint32_t)json_read_u64(&reader, "shared", LOAD_SHARED_END);
    c->expect = (uint32_t)json_read_u64(&reader, "expect", UINT32_MAX);
    if (json_reader_close(&reader) && (c->dims < 1 || c->shared < LOAD_WINDOW_START)) {
        text_set(why, "load case: \"dims\" is 1 to 5, and \"shared\" is %d to %d", LOAD_WINDOW_START, LOAD_SHARED_END);
        return 0;
    }
    return reader.ok;
}

int load_map(const struct load_case *c, struct tensormap *map)
{
    struct tensormap_image image;
    if (map_args_encode(&c->map, &image, NULL) != RULE_OK) return 0;
    tensormap_decode(&image, map, NULL);
    return 1;
}

struct load_window load_window(const struct load_case *c)
{
    struct tensormap map;
    uint64_t extent = 0;
    if (load_map(c, &map)) {
        struct tile tile = tile_of(&map, c->coord);
        extent = tile_extent_bytes(&tile);
    }
    if (extent > LOAD_SHARED_BYTES) extent = LOAD_SHARED_BYTES;
    uint32_t base = c->shared / 128 * 128 - GUARD_BYTES;
    uint32_t end = (c->shared + (uint32_t)extent + 127) / 128 * 128 + GUARD_BYTES;
    if (base < LOAD_WINDOW_START) base = LOAD_WINDOW_START;
    if (end > LOAD_SHARED_END) end = LOAD_SHARED_END;
    return (struct load_window){base, end > base ? end - base : 0};
}

static size_t load_result_bytes(const void *test_case)
{
    return LEAD_BYTES + load_window(test_case).size_bytes;
}

// Lays out the windows: the word in the second half of the first 16 bytes, then shared memory. The kernel's output has
// the same form, so that results come back in one copy.
static void lay_out(const struct load_case *c, struct result *result, uint8_t **word, uint8_t **shared)
{
    struct load_window window = load_window(c);
    result->free_bytes += LEAD_BYTES - WORD_BYTES;
    *word = result_window(result, "mbarrier", LOAD_BARRIER, WORD_BYTES);
    *shared = result_window(result, "shared", window.base, window.size_bytes);
}

static void canaries(uint8_t *bytes, struct load_window window)
{
    for (uint32_t at = 0; at < window.size_bytes; at += 4) {
        uint32_t word = load_canary(window.base + at);
        memcpy(bytes + at, &word, sizeof word);
    }
}

// The kernel's order: the encode, arrive.expect_tx, the load, its complete_tx. Returns the first rule broken.
static enum rule run_load(const struct load_case *c, const struct memory *shared, uint64_t *word)
{
    const struct mbarrier_transaction announce = {.arrivals = 1, .expect_bytes = c->expect};
    struct tensormap_image image;
    struct tensormap map;
    uint32_t transaction_bytes;
    *word = mbarrier_init(1);
    enum rule rule = map_args_encode(&c->map, &image, NULL);
    if (rule == RULE_OK) rule = mbarrier_transact(word, &announce);
    if (rule != RULE_OK) return rule;
    tensormap_decode(&image, &map, NULL);
    rule = tile_load(&map, (int)c->dims, c->coord, arena(), shared, c->shared, &transaction_bytes);
    if (rule == RULE_OK)
        mbarrier_transact_remote(word, &(struct mbarrier_transaction){.complete_bytes = transaction_bytes});
    return rule;
}

static void load_run_model(const void *test_case, struct result *result)
{
    static uint8_t cta[LOAD_SHARED_BYTES];
    const struct load_case *c = test_case;
    const struct memory shared = {cta, LOAD_SHARED_START, sizeof cta};
    struct load_window window = load_window(c);
    uint8_t *word_bytes, *shared_bytes, *in_cta = cta + (window.base - LOAD_SHARED_START);
    uint64_t word;
    canaries(in_cta, window);
    result->rule = run_load(c, &shared, &word);
    result->status = rule_cuda_error(result->rule);
    if (result->rule != RULE_OK) return;
    lay_out(c, result, &word_bytes, &shared_bytes);
    memcpy(word_bytes, &word, sizeof word);
    memcpy(shared_bytes, in_cta, window.size_bytes);
}

// Fills the job of one case; returns the CUDA error of its encode.
static int make_job(struct gpu *gpu, const struct load_case *c, uint64_t output, struct load_job *job)
{
    struct map_args args = c->map;
    struct tensormap_image image;
    struct tensormap map;
    struct load_window window = load_window(c);
    args.address += gpu_arena(gpu) - ARENA_BASE;
    int error = map_args_call(&gpu->driver, &args, &image);
    if (error != CUDA_SUCCESS) return error;
    int settle = load_map(c, &map);
    struct tile tile = tile_of(&map, c->coord);
    settle = settle && tile_transaction_bytes(&tile) != c->expect;
    *job = (struct load_job){.dims = (int32_t)c->dims,
                             .shared = c->shared,
                             .window = window.base,
                             .window_end = window.base + window.size_bytes,
                             .expect_bytes = c->expect,
                             .settle = (uint32_t)settle,
                             .output = output};
    memcpy(job->map, image.word, sizeof job->map);
    memcpy(job->coord, c->coord, sizeof job->coord);
    return CUDA_SUCCESS;
}

static int launch_jobs(struct gpu *gpu, const struct load_job *jobs, int count, uint8_t *output, size_t output_bytes)
{
    unsigned long long device_jobs = gpu_buffer(gpu, 0, (size_t)count * sizeof *jobs);
    unsigned long long device_output = gpu_buffer(gpu, 1, output_bytes);
    if (device_jobs == 0 || device_output == 0) return CUDA_ERROR_OUT_OF_MEMORY;
    int error = (int)gpu->driver.cuMemcpyHtoD_v2(device_jobs, jobs, (size_t)count * sizeof *jobs);
    void *arguments[] = {&device_jobs, &count, &device_output};
    struct gpu_launch launch = {.module = "load",
                                .kernel = "load_jobs",
                                .grid = (unsigned)(count < gpu->processors ? count : gpu->processors),
                                .block = LOAD_THREADS,
                                .shared_bytes = LOAD_SHARED_BYTES,
                                .arguments = arguments};
    if (error == CUDA_SUCCESS) error = gpu_launch(gpu, &launch);
    if (error == CUDA_SUCCESS) error = (int)gpu->driver.cuMemcpyDtoH_v2(output, device_output, output_bytes);
    return error;
}

static int load_run_gpu(struct gpu *gpu, const void *cases, int count, struct result *results)
{
    const struct load_case *c = cases;
    struct load_job *jobs = aligned_alloc(64, (size_t)count * sizeof *jobs);
    uint8_t *output = results[0].free_bytes, *end = output, *unused;
    if (jobs == NULL || gpu_arena(gpu) == 0) return CUDA_ERROR_OUT_OF_MEMORY;
    int launched = 0;
    for (int i = 0; i < count; i++) {
        uint64_t offset = (uint64_t)(results[i].free_bytes - output) + LEAD_BYTES;
        results[i].status = make_job(gpu, &c[i], offset, &jobs[launched]);
        if (results[i].status != CUDA_SUCCESS) continue;
        lay_out(&c[i], &results[i], &unused, &unused);
        end = results[i].free_bytes;
        launched++;
    }
    int error = launched > 0 ? launch_jobs(gpu, jobs, launched, output, (size_t)(end - output)) : CUDA_SUCCESS;
    free(jobs);
    return error;
}

const struct family family_load = {
    .name = "load",
    .summary = "cp.async.bulk.tensor.{1d..5d} tiled loads: shared memory around the box, and the barrier's word",
    .case_bytes = sizeof(struct load_case),
    .generate = load_generate,
    .write = load_write,
    .read = load_read,
    .result_bytes = load_result_bytes,
    .run_model = load_run_model,
    .run_gpu = load_run_gpu,
    .kernel = "load",
    .describe = load_describe,
    .explain = load_explain,
    .explain_place = load_explain_place,
};
