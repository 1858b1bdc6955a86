// SPDX-License-Identifier: MIT
// Target `tensor`: the 128 bytes of a map, memories, and one copy of each kind through it: tiled and im2col loads,
// stores, reductions, prefetches, loads by multicast. A check says what the copy does; what is refused has written
// nothing; an access record lies in memory that is mapped.
#include "copy.h"
#include "flight.h"
#include "fuzz.h"
#include "im2col_load.h"
#include "im2col_store.h"
#include "multicast.h"
#include "prefetch.h"
#include "store.h"

enum {
    GLOBAL_BASE = 0x10000,
    GLOBAL_BYTES = 1 << 14,
    SHARED_BASE = 1024,
    SHARED_BYTES = 1 << 13,
    COORDS = 8,
    CTAS = 4,
    OBSERVED_BYTES = 1 << 16
};

struct copy {
    struct tensormap map;
    int dims;
    int32_t *coord;
    uint16_t *offset;
    uint32_t shared;
    enum reduce_op op;
    struct memory global, cta[CTAS];
    struct findings findings, moving; // of the check, and of the call that moves
};

// Arrays of what an instruction has, and no more.
static struct copy take_copy(struct fuzz_input *input)
{
    struct tensormap_image image;
    struct copy c = {0};
    for (int i = 0; i < TENSORMAP_BYTES / 8; i++) image.word[i] = fuzz_take(input, 8);
    tensormap_decode(&image, &c.map, NULL);
    c.dims = (int)(fuzz_take(input, 1) % COORDS);
    c.coord = malloc((size_t)c.dims * sizeof *c.coord + 1);
    c.offset = malloc((size_t)c.dims * sizeof *c.offset + 1);
    for (int i = 0; i < c.dims; i++) c.coord[i] = (int32_t)fuzz_take(input, 4);
    for (int i = 0; i < c.dims - 2; i++) c.offset[i] = (uint16_t)fuzz_take(input, 2);
    c.shared = (uint32_t)fuzz_take(input, 4);
    c.op = (enum reduce_op)fuzz_take(input, 1);
    c.global = fuzz_memory(input, GLOBAL_BASE, GLOBAL_BYTES);
    c.cta[0] = fuzz_memory(input, SHARED_BASE, SHARED_BYTES);
    for (int i = 1; i < CTAS; i++) {
        c.cta[i] = c.cta[0];
        c.cta[i].bytes = malloc(c.cta[0].size_bytes + 1);
        memcpy(c.cta[i].bytes, c.cta[0].bytes, c.cta[0].size_bytes);
    }
    return c;
}

static void free_copy(struct copy *c)
{
    for (int i = 0; i < CTAS; i++) free(c->cta[i].bytes);
    free(c->global.bytes);
    free(c->offset);
    free(c->coord);
}

static void see_event(void *context, const struct event *event)
{
    (void)context;
    if (event->kind == EVENT_ACCESS) fuzz_require(event->access.bytes > 0);
}

// A copy that is done, as an observer sees it: its first bytes, since no memory bounds the box of a prefetch.
static void observe(const struct copy *c, enum operation_kind kind, enum tensormap_mode mode)
{
    const struct observer observer = {NULL, see_event};
    const struct teller teller = {&observer, {0}};
    struct operation operation = {.kind = kind, .mode = mode, .dims = c->dims, .map = c->map, .shared = c->shared};
    for (int i = 0; i < c->map.rank; i++) operation.coord[i] = c->coord[i];
    for (int i = 0; i < c->map.rank - 2; i++) operation.offset[i] = c->offset[i];
    struct flight flight = operation_issue(&operation, NULL, &teller);
    flight_advance(&flight, OBSERVED_BYTES);
}

// `check` and what was then done agree.
static void agree(const struct copy *c, enum rule check, enum rule done, enum operation_kind kind)
{
    fuzz_require(check == findings_first_broken(&c->findings));
    fuzz_require(check == done);
    fuzz_require_alike(&c->findings, &c->moving);
    if (done == RULE_OK) observe(c, kind, c->map.mode);
}

static void load(struct copy *c)
{
    uint32_t bytes;
    enum rule rule = tile_load_check(&c->map, c->dims, c->coord, &c->global, c->cta, c->shared, &c->findings);
    agree(c, rule, tile_load(&c->map, c->dims, c->coord, &c->global, c->cta, c->shared, &bytes, &c->moving),
          OPERATION_TENSOR_LOAD);
    rule = im2col_load_check(&c->map, c->dims, c->coord, c->offset, &c->global, c->cta, c->shared, &c->findings);
    agree(c, rule,
          im2col_load(&c->map, c->dims, c->coord, c->offset, &c->global, c->cta, c->shared, &bytes, &c->moving),
          OPERATION_TENSOR_LOAD);
}

static void store(struct copy *c)
{
    enum rule rule = tile_store_check(&c->map, c->dims, c->coord, &c->global, c->cta, c->shared, &c->findings);
    agree(c, rule, tile_store(&c->map, c->dims, c->coord, &c->global, c->cta, c->shared, &c->moving),
          OPERATION_TENSOR_STORE);
    rule = im2col_store_check(&c->map, c->dims, c->coord, &c->global, c->cta, c->shared, &c->findings);
    agree(c, rule, im2col_store(&c->map, c->dims, c->coord, &c->global, c->cta, c->shared, &c->moving),
          OPERATION_TENSOR_STORE);
}

static void reduce(struct copy *c)
{
    enum rule rule = tile_reduce_check(c->op, &c->map, c->dims, c->coord, &c->global, c->cta, c->shared, &c->findings);
    agree(c, rule, tile_reduce(c->op, &c->map, c->dims, c->coord, &c->global, c->cta, c->shared, &c->moving),
          OPERATION_TENSOR_REDUCE);
    rule = im2col_reduce_check(c->op, &c->map, c->dims, c->coord, &c->global, c->cta, c->shared, &c->findings);
    agree(c, rule, im2col_reduce(c->op, &c->map, c->dims, c->coord, &c->global, c->cta, c->shared, &c->moving),
          OPERATION_TENSOR_REDUCE);
}

static void prefetch(struct copy *c)
{
    enum rule rule = tile_prefetch_check(&c->map, c->dims, c->coord, &c->findings);
    c->moving = c->findings;
    agree(c, rule, rule, OPERATION_TENSOR_PREFETCH);
    rule = im2col_prefetch_check(&c->map, c->dims, c->coord, c->offset, &c->findings);
    c->moving = c->findings;
    agree(c, rule, rule, OPERATION_TENSOR_PREFETCH);
    fuzz_require(tile_map_check(&c->map, &c->findings) == findings_first_broken(&c->findings));
}

static void multicast(struct copy *c, struct fuzz_input *input)
{
    struct cluster_load load = {
        .cluster.cta = c->cta, .cluster.ctas = 1 + (uint32_t)fuzz_take(input, 1) % CTAS, .shared = c->shared};
    uint32_t bytes = 0;
    load.cluster.is_cluster = (int)fuzz_take(input, 1) & 1;
    load.is_multicast = (int)fuzz_take(input, 1) & true;
    load.issuer = (uint32_t)fuzz_take(input, 1) % load.cluster.ctas;
    load.mask = (uint32_t)fuzz_take(input, 2);
    load.to_rank = (uint32_t)fuzz_take(input, 1);
    load.barrier_rank = (uint32_t)fuzz_take(input, 1);
    enum rule rule = multicast_tile_load(&c->map, c->dims, c->coord, &c->global, &load, &bytes, &c->findings);
    fuzz_require(rule == findings_first_broken(&c->findings));
    rule = multicast_im2col_load(&c->map, c->dims, c->coord, c->offset, &c->global, &load, &bytes, &c->findings);
    fuzz_require(rule == findings_first_broken(&c->findings));
}

void fuzz_tensor(const uint8_t *bytes, size_t size_bytes)
{
    struct fuzz_input input = {bytes, size_bytes};
    struct copy c = take_copy(&input);
    load(&c);
    store(&c);
    reduce(&c);
    prefetch(&c);
    multicast(&c, &input);
    free_copy(&c);
}
