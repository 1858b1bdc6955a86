// SPDX-License-Identifier: MIT
// The kernels maps.cu of the stand-in GPU, as loops over the model: maps that are made, and maps that are used.
#include <string.h>

#include "copy.h"
#include "maps_job.h"
#include "replace.h"
#include "standin.h"
#include "store.h"

enum { FIRST_PAGE = 4096 };

struct maps_batch standin_maps_constants;

static uint8_t cta[MAPS_SHARED_BYTES];
static const struct memory shared = {cta, MAPS_SHARED_START, sizeof cta};

static enum rule use(const struct maps_task *task, const uint64_t *bytes)
{
    const struct memory global = {(uint8_t *)(uintptr_t)FIRST_PAGE, FIRST_PAGE,
                                  (uint64_t)1 << 56}; // all of this process
    struct tensormap_image image;
    struct tensormap map;
    uint32_t moved = 0, word;
    memcpy(image.word, bytes, sizeof image.word);
    tensormap_decode(&image, &map, NULL);
    for (uint32_t at = task->window; at < task->window_end; at += 4)
        memcpy(memory_at(&shared, at, 4), &(uint32_t){maps_canary(at)}, 4);
    enum rule rule = tile_load(&map, task->dims, task->coord, &global, &shared, task->shared, &moved);
    if (rule == RULE_OK && moved != task->expect_bytes) rule = RULE_MBARRIER_PHASE;
    for (uint32_t at = task->first; at < task->end; at += 4) {
        memcpy(&word, memory_at(&shared, at, 4), 4);
        memcpy(memory_at(&shared, at, 4), &(uint32_t){word + 1}, 4);
    }
    if (rule == RULE_OK) rule = tile_store(&map, task->dims, task->coord, &global, &shared, task->shared);
    memcpy((uint8_t *)(uintptr_t)task->dump, memory_at(&shared, task->window, 0), task->window_end - task->window);
    memcpy((uint8_t *)(uintptr_t)task->map, bytes, sizeof image.word);
    return rule;
}

static enum rule use_all(const void *tasks, const struct maps_batch *maps)
{
    enum rule rule = RULE_OK;
    struct maps_tasks t;
    memcpy(&t, tasks, sizeof t);
    for (unsigned i = 0; i < standin_config()->grid_x && rule == RULE_OK; i++) rule = use(&t.task[i], maps->map[i]);
    return rule;
}

static void *pointer_of(void *parameter)
{
    unsigned long long address;
    memcpy(&address, parameter, sizeof address);
    return (void *)(uintptr_t)address;
}

enum rule maps_use_param(void **parameters)
{
    struct maps_batch maps;
    memcpy(&maps, parameters[1], sizeof maps);
    return use_all(parameters[0], &maps);
}

enum rule maps_use_constant(void **parameters)
{
    return use_all(parameters[0], &standin_maps_constants);
}

enum rule maps_use_global(void **parameters)
{
    return use_all(parameters[0], pointer_of(parameters[1]));
}

static void set(struct tensormap_image *image, enum replace_field field, uint32_t ordinal, uint64_t value)
{
    tensormap_replace(image, &(struct replace_op){field, ordinal, value}, NULL);
}

static void encode(const struct maps_fields *fields, const uint64_t *start, uint64_t *to)
{
    struct tensormap_image image;
    memcpy(image.word, start, sizeof image.word);
    set(&image, REPLACE_GLOBAL_ADDRESS, 0, fields->address);
    set(&image, REPLACE_ELEMTYPE, 0, fields->elemtype);
    set(&image, REPLACE_INTERLEAVE_LAYOUT, 0, fields->interleave);
    set(&image, REPLACE_SWIZZLE_MODE, 0, fields->swizzle);
    set(&image, REPLACE_FILL_MODE, 0, fields->fill);
    set(&image, REPLACE_RANK, 0, fields->rank);
    for (uint32_t i = 0; i <= fields->rank; i++) {
        if (i > 0) set(&image, REPLACE_GLOBAL_STRIDE, i - 1, fields->stride[i - 1]);
        set(&image, REPLACE_BOX_DIM, i, fields->box[i]);
        set(&image, REPLACE_GLOBAL_DIM, i, fields->dim[i]);
        set(&image, REPLACE_ELEMENT_STRIDE, i, fields->estride[i]);
    }
    memcpy(to, image.word, sizeof image.word);
}

static enum rule encode_all(const uint64_t *start, const struct maps_fields *fields, struct maps_batch *maps)
{
    for (unsigned i = 0; i < standin_config()->grid_x; i++) encode(&fields[i], start, maps->map[i]);
    return RULE_OK;
}

enum rule maps_encode_template(void **parameters)
{
    struct maps_batch start;
    memcpy(&start, parameters[0], sizeof start);
    return encode_all(start.map[0], pointer_of(parameters[1]), pointer_of(parameters[2]));
}

enum rule maps_encode_zeros(void **parameters)
{
    const struct maps_batch zeros = {{{0}}};
    return encode_all(zeros.map[0], pointer_of(parameters[0]), pointer_of(parameters[1]));
}
