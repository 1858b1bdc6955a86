// SPDX-License-Identifier: MIT
// Family "replace": a tensor map on the device. The result is the 128 bytes after the edits and, with a load through
// them, the barrier's word and shared memory around the box.
#include <inttypes.h>
#include <string.h>

#include "arena.h"
#include "copy.h"
#include "family.h"
#include "field.h"
#include "load_launch.h"
#include "location.h"
#include "mbarrier.h"
#include "provenance.h"
#include "replace_case.h"
#include "rules/load.h"
#include "rules/replace.h"
#include "rules/tile.h"

enum { WORD_BYTES = 8, GAP_BYTES = REPLACE_OUTPUT_LEAD - TENSORMAP_BYTES - WORD_BYTES };
#define NEAR_BYTES ((uint64_t)32 << 30) // addresses this near to the arena are kept unmapped, and shifted with it

static const char *const spaces[] = {"shared::cta", "global", NULL};
static const char *const locations[] = {"global", "param", "const", "shared", "local", "unmapped", NULL};

// --- JSON ------------------------------------------------------------------------------------------------------------

static const char *field_name(uint32_t field)
{
    return replace_field_name((enum replace_field)field);
}

static const char *op_illegal(const void *of, uint32_t i)
{
    const struct replace_case *c = of;
    return replace_is_legal(&c->op[i]) ? NULL
                                       : "the assembler takes no such \"ordinal\" or \"value\" for this \"field\"";
}

// NULL, or what the kernel could not do.
static const char *illegal(const void *test_case)
{
    const struct replace_case *c = test_case;
    if (c->count > 0 && (c->location != MAP_IN_GLOBAL || c->misalign > 0))
        return "a map with \"replace\" has \"location\" global and \"misalign\" 0";
    if (c->dims == 0 && (c->misalign > 0 || c->location > MAP_IN_CONSTANT))
        return "only a load (\"dims\" 1 to 5) looks at a map that is misaligned, shared, local or unmapped";
    if (c->misalign > 0 && c->location != MAP_IN_GLOBAL) return "\"misalign\" is for \"location\" global";
    if (c->dims > 0 && c->shared < LOAD_WINDOW_START) return "\"shared\" is 2048 to 233472";
    return NULL;
}

#define CASE struct replace_op
static const struct field op_field[] = {
    FIELD_NAMED("field", field, field_name, REPLACE_FIELDS - 1, "what is replaced"),
    FIELD_NUMBER("ordinal", ordinal, 0, REPLACE_ORDINALS - 1, "of which dimension; 0 of a field that has none"),
    FIELD_NUMBER("value", value, 0, UINT64_MAX, "the new value"),
    FIELD_END,
};
#undef CASE

static const struct fields op_fields = {.name = "an edit", .field = op_field, .bytes = sizeof(struct replace_op)};

#define CASE struct replace_case
static const struct field field[] = {
    FIELD_BYTES("start", start, "what the map holds before"),
    FIELD_LIST_OF("replace", op, count, &op_fields, 0, REPLACE_MAX_OPS, "the edits in order",
                  .illegal_each = op_illegal),
    FIELD_ONE_OF("space", space, spaces, "where the edits find the map"),
    FIELD_ONE_OF("location", location, locations, "where the load finds it"),
    FIELD_NUMBER("misalign", misalign, 0, REPLACE_MAX_MISALIGN, "bytes of the map past a 64-byte boundary"),
    FIELD_NUMBER("dims", dims, 0, TENSORMAP_MAX_RANK, "the .Nd of the load; 0: there is none"),
    FIELD_NUMBERS_SIGNED("tensorCoords", coord, TENSORMAP_MAX_RANK, "coordinates of the load"),
    FIELD_NUMBER("shared", shared, 0, LOAD_SHARED_END, "destination in shared memory"),
    FIELD_NUMBER("expect", expect, 0, UINT32_MAX, "bytes that the barrier expects"),
    FIELD_END,
};
#undef CASE

// --- What is where ---------------------------------------------------------------------------------------------------

// The map after all edits.
static void replace_final(const struct replace_case *c, struct tensormap_image *image)
{
    memcpy(image->word, c->start, sizeof image->word);
    for (uint32_t i = 0; i < c->count; i++) tensormap_replace(image, &c->op[i], NULL);
}

uint32_t replace_ops_of(const struct tensormap *map, struct replace_op *op)
{
    const struct replace_op whole[] = {{REPLACE_GLOBAL_ADDRESS, 0, map->address},
                                       {REPLACE_RANK, 0, (uint64_t)map->rank - 1},
                                       {REPLACE_ELEMTYPE, 0, replace_elemtype(map->dtype)},
                                       {REPLACE_INTERLEAVE_LAYOUT, 0, map->interleave},
                                       {REPLACE_SWIZZLE_MODE, 0, map->swizzle},
                                       {REPLACE_FILL_MODE, 0, map->oob_fill}};
    uint32_t count = sizeof whole / sizeof whole[0];
    memcpy(op, whole, sizeof whole);
    for (uint32_t i = 0; i < (uint32_t)map->rank; i++) {
        op[count++] = (struct replace_op){REPLACE_GLOBAL_DIM, i, (uint32_t)map->dim[i]};
        op[count++] = (struct replace_op){REPLACE_BOX_DIM, i, map->box[i]};
        op[count++] = (struct replace_op){REPLACE_ELEMENT_STRIDE, i, map->estride[i]};
        if (i > 0) op[count++] = (struct replace_op){REPLACE_GLOBAL_STRIDE, i - 1, map->stride[i]};
    }
    return count;
}

bool replace_final_map(const struct replace_case *c, struct tensormap *map)
{
    struct tensormap_image image;
    replace_final(c, &image);
    tensormap_decode(&image, map, NULL);
    return tile_map_check(map, NULL) == RULE_OK;
}

// The shared addresses that the result holds: around the box, nothing without a load.
static struct load_window replace_window(const struct replace_case *c)
{
    struct tensormap map;
    if (c->dims == 0) return (struct load_window){LOAD_WINDOW_START, 0};
    if (!replace_final_map(c, &map)) return load_window_around(c->shared, 0);
    struct tile tile = tile_of(&map, c->coord);
    return load_window_around(c->shared, tile_extent_bytes(&tile));
}

enum { MAP, WORD, SHARED };

static void replace_windows(const void *test_case, struct result *result)
{
    const struct replace_case *c = test_case;
    struct load_window window = replace_window(c);
    result_window(result, "map", 0, TENSORMAP_BYTES);
    result->free_bytes += GAP_BYTES;
    if (c->dims > 0) result_window(result, "mbarrier", LOAD_BARRIER, WORD_BYTES);
    if (c->dims > 0) result_window(result, "shared", window.base, window.size_bytes);
}

// --- The model -------------------------------------------------------------------------------------------------------

static enum rule check_location(const struct replace_case *c)
{
    return map_location_check((enum map_location)c->location, c->misalign, NULL, NULL);
}

// The kernel's order: arrive.expect_tx, the load, its complete_tx. Returns the first rule broken.
static enum rule run_load(const struct replace_case *c, const struct tensormap_image *image,
                          const struct memory *shared, uint64_t *word)
{
    const struct mbarrier_transaction announce = {.arrivals = 1, .expect_bytes = c->expect};
    struct tensormap map;
    uint32_t transaction_bytes;
    *word = mbarrier_init(1);
    tensormap_decode(image, &map, NULL);
    enum rule rule = mbarrier_transact(word, &announce);
    if (rule == RULE_OK) rule = check_location(c);
    if (rule == RULE_OK)
        rule = tile_load(&map, (int)c->dims, c->coord, arena(), shared, c->shared, &transaction_bytes, NULL);
    if (rule == RULE_OK)
        mbarrier_transact_remote(word, &(struct mbarrier_transaction){.complete_bytes = transaction_bytes});
    return rule;
}

static enum rule replace_run_model(const void *test_case, struct result *result)
{
    uint8_t cta[LOAD_SHARED_BYTES];
    const struct memory shared = {cta, LOAD_SHARED_START, sizeof cta};
    const struct replace_case *c = test_case;
    const struct window *window = &result->window[SHARED];
    struct tensormap_image image;
    uint64_t word = 0;
    replace_final(c, &image);
    memcpy(result->window[MAP].bytes, image.word, TENSORMAP_BYTES);
    if (c->dims == 0) return RULE_OK;
    uint8_t *in_cta = cta + (window->base - LOAD_SHARED_START);
    load_canaries((uint32_t)window->base, in_cta, window->size_bytes);
    enum rule rule = run_load(c, &image, &shared, &word);
    memcpy(result->window[WORD].bytes, &word, sizeof word);
    memcpy(window->bytes, in_cta, window->size_bytes);
    return rule;
}

// --- The GPU ---------------------------------------------------------------------------------------------------------

// Addresses near `from` move to where they are near `to`: the arena of the device and the model's. The bits above the
// 57 of an address stay as they are.
static uint64_t shifted(uint64_t address, uint64_t from, uint64_t to)
{
    uint64_t place = address & (((uint64_t)1 << 57) - 1);
    return place - (from - NEAR_BYTES) < 2 * NEAR_BYTES ? address + (to - from) : address;
}

// The map and its edits, their addresses as the device has them.
static void put_map(const struct replace_case *c, uint64_t arena_address, struct replace_job *job)
{
    uint8_t *start = (uint8_t *)job->map + c->misalign;
    uint64_t first = shifted(c->start[0], ARENA_BASE, arena_address);
    memcpy(start, c->start, sizeof c->start);
    memcpy(start, &first, sizeof first);
    memcpy(job->op, c->op, sizeof job->op);
    for (uint32_t i = 0; i < c->count; i++)
        if (c->op[i].field == REPLACE_GLOBAL_ADDRESS)
            job->op[i].value = shifted(c->op[i].value, ARENA_BASE, arena_address);
}

static int make_job(const struct gpu_place *place, void *to)
{
    const struct replace_case *c = place->test_case;
    uint64_t arena_address = gpu_arena(place->gpu);
    struct replace_job *job = to;
    struct load_window window = replace_window(c);
    struct tensormap map;
    *job = (struct replace_job){.address = arena_address - NEAR_BYTES / 2,
                                .output = place->offset + REPLACE_OUTPUT_LEAD,
                                .ops = c->count,
                                .space = c->space,
                                .location = c->location,
                                .slot = (uint32_t)place->index % REPLACE_SLOTS,
                                .misalign = c->misalign,
                                .dims = (int32_t)c->dims,
                                .shared = c->shared,
                                .window = window.base,
                                .window_end = window.base + window.size_bytes,
                                .expect_bytes = c->expect};
    put_map(c, arena_address, job);
    memcpy(job->coord, c->coord, sizeof job->coord);
    if (c->dims == 0 || !replace_final_map(c, &map)) return CUDA_SUCCESS;
    struct tile tile = tile_of(&map, c->coord);
    job->settle = tile_transaction_bytes(&tile) != c->expect;
    return CUDA_SUCCESS;
}

// The maps that are parameters or constants go along with the launch.
static int shape(struct gpu *gpu, uint32_t group, struct gpu_launch *launch, struct gpu_arguments *arguments)
{
    static struct replace_maps maps;
    const struct replace_job *jobs = arguments->made;
    unsigned long long constants = gpu_symbol(gpu, "replace", "replace_constants");
    (void)group, (void)launch;
    for (int i = 0; i < arguments->count; i++)
        if (jobs[i].location == MAP_IN_PARAM || jobs[i].location == MAP_IN_CONSTANT)
            memcpy(maps.map[jobs[i].slot], jobs[i].map, sizeof maps.map[0]);
    arguments->list[3] = &maps;
    return constants == 0 ? CUDA_ERROR_NOT_FOUND : (int)gpu->driver.cuMemcpyHtoD_v2(constants, &maps, sizeof maps);
}

static const struct gpu_jobs jobs = {GPU_JOBS_OF("replace", struct replace_case, struct replace_job),
                                     .block = LOAD_THREADS,
                                     .shared_bytes = LOAD_SHARED_BYTES,
                                     .make = make_job,
                                     .shape = shape,
                                     .most_jobs = REPLACE_SLOTS};

// The results' map windows, with the addresses that the model has.
static void shift_back(const struct result *results, int count, uint64_t arena_address)
{
    for (int i = 0; i < count; i++) {
        uint64_t first;
        memcpy(&first, results[i].window[0].bytes, sizeof first);
        first = shifted(first, arena_address, ARENA_BASE);
        memcpy(results[i].window[0].bytes, &first, sizeof first);
    }
}

static int replace_run_gpu(struct gpu *gpu, const void *cases, int count, struct result *results)
{
    int error = gpu_run_jobs(gpu, &jobs, cases, count, results);
    if (error == CUDA_SUCCESS) shift_back(results, count, gpu_arena(gpu));
    return error;
}

// --- In words --------------------------------------------------------------------------------------------------------

// Does the edit write this bit, whatever it held?
static bool writes(const struct replace_op *op, int bit)
{
    struct tensormap_image zeros = {{0}}, ones;
    memset(ones.word, 0xff, sizeof ones.word);
    tensormap_replace(&zeros, op, NULL);
    tensormap_replace(&ones, op, NULL);
    return ((zeros.word[bit / 64] ^ ones.word[bit / 64]) >> bit % 64 & 1) == 0;
}

static enum rule explain_map(const struct replace_case *c, const struct window *expected, const struct window *found,
                             FILE *out)
{
    int bit = 0;
    while (bit < 8 * TENSORMAP_BYTES && ((expected->bytes[bit / 8] ^ found->bytes[bit / 8]) >> bit % 8 & 1) == 0) bit++;
    if (bit == 8 * TENSORMAP_BYTES) return RULE_REPLACE_KEEPS;
    fprintf(out, "    map bit %d: expected %d, found %d\n", bit, expected->bytes[bit / 8] >> bit % 8 & 1,
            found->bytes[bit / 8] >> bit % 8 & 1);
    for (uint32_t i = c->count; i > 0; i--) {
        const struct replace_op *op = &c->op[i - 1];
        if (!writes(op, bit)) continue;
        fprintf(out, "    the last edit to write it is number %u, %s:%u=%" PRIu64 "\n", i,
                replace_field_name((enum replace_field)op->field), op->ordinal, op->value);
        return RULE_REPLACE_FIELD;
    }
    fprintf(out, "    no edit writes it\n");
    return RULE_REPLACE_KEEPS;
}

static enum rule explain_shared(const struct replace_case *c, const struct difference *difference, FILE *out)
{
    struct tensormap map;
    struct provenance place;
    uint32_t address = (uint32_t)difference->expected->base + difference->at;
    struct box box;
    if (!replace_final_map(c, &map)) return RULE_REPLACE_FIELD;
    box_start(&box, TENSORMAP_TILED, &map, c->coord, NULL);
    if (!provenance_of_shared(&box, c->coord, c->shared, address, &place)) {
        fprintf(out, "    the byte is outside the box\n");
        return RULE_TILE_PITCH;
    }
    fprintf(out, "    element (");
    for (int k = 0; k < map.rank; k++) fprintf(out, "%s%" PRId64, k > 0 ? ", " : "", place.index[k]);
    if (place.is_fill) {
        fprintf(out, "), out of bounds\n");
        return RULE_TILE_BOUNDS;
    }
    fprintf(out, ") byte %u, global address +0x%" PRIx64 "\n", place.byte, place.address - ARENA_BASE);
    return c->count > 0 ? RULE_REPLACE_FIELD : RULE_LOAD_MAP_IGNORED;
}

enum rule replace_explain(const void *test_case, const struct difference *difference, FILE *out)
{
    if (difference->window == 0) return explain_map(test_case, difference->expected, difference->found, out);
    if (difference->window != 1) return explain_shared(test_case, difference, out);
    return difference_explain_barrier(difference, RULE_TILE_TX_BYTES, out);
}

const struct family family_replace = {
    FAMILY_CASES("replace", struct replace_case, field, .illegal = illegal),
    .summary = "tensormap.replace and maps on the device: the 128 bytes, and a tiled load through them",
    .generate = replace_generate,
    .windows = replace_windows,
    .run_model = replace_run_model,
    .run_gpu = replace_run_gpu,
    .kernels = "replace",
    .explain = replace_explain,
};
