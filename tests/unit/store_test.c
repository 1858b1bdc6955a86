// SPDX-License-Identifier: MIT
// Tiled stores and reductions: global memory afterwards, against an oracle that goes element by element, over random
// maps; and oracles with one rule misread, which must differ somewhere. The faults are in store_fault_test.c.
#include <string.h>

#include "store.h"
#include "store_cases.h"

// How an oracle may misread the rules.
enum misread {
    MISREAD_GRANULE_AS_ELEMENTS = 1,
    MISREAD_GRANULE_ALWAYS_WRITTEN,
    MISREAD_ROWS_PACKED,
    MISREAD_SWIZZLE_IGNORED,
    MISREAD_SWIZZLE_OF_THE_BOX,
    MISREAD_ROW_STRIDE_IGNORED,
    MISREAD_INNER_STRIDE_USED,
    MISREAD_STORE_ROUNDS_TF32,
    MISREAD_STORE_FLUSHES,
    MISREAD_OUTSIDE_WRITES_ZERO,
    MISREADS
};

static void pick_box(struct tensormap *map, uint64_t *state)
{
    uint32_t element = dtype_row(map->dtype)->size_bytes, pieces = map->swizzle ? spans[map->swizzle] / 16 : 6;
    if (map->interleave != INTERLEAVE_NONE) pieces = 1;
    for (int i = 0; i < 5; i++) {
        map->box[i] = map->estride[i] = 1;
        if (i >= map->rank) continue;
        map->estride[i] = 1 + (uint32_t)next(state, 3) * (uint32_t)next(state, 2);
        map->box[i] = 1 + (uint32_t)next(state, i < 3 ? 6 : 2);
        map->dim[i] = 1 + next(state, i < 3 ? 8 : 2);
    }
    map->box[0] = (1 + (uint32_t)next(state, pieces)) * 16 / element;
    if (map->interleave == INTERLEAVE_NONE) map->dim[0] = 1 + next(state, 2 * map->box[0]);
    if (map->interleave != INTERLEAVE_NONE) map->dim[0] = 1 + next(state, 10);
}

// A packed tensor with now and then a gap; the caller asks again if it is too big.
static bool pick_store(struct test_store *t, uint64_t *state)
{
    struct tensormap *map = &t->map;
    memset(map, 0, sizeof *map);
    map->rank = 1 + (int)next(state, 5);
    map->dtype = (enum dtype)next(state, DTYPE_COUNT);
    map->interleave = map->rank > 2 ? (enum tensormap_interleave)next(state, 3) : INTERLEAVE_NONE;
    map->swizzle = (enum tensormap_swizzle)next(state, 4);
    pick_box(map, state);
    map->address = GMEM_BASE + 512 + 32 * next(state, 16);
    map->stride[0] = tensormap_step_bytes(map);
    uint64_t extent = map->stride[0] * map->dim[0];
    for (int i = 1; i < map->rank; i++) {
        map->stride[i] = (extent + 31) / 32 * 32 + 32 * next(state, 2);
        extent = map->stride[i] * map->dim[i];
    }
    for (int i = 0; i < 5; i++) t->coord[i] = i < map->rank ? (int32_t)next(state, map->dim[i] + 1) : 0;
    int32_t piece = 16 / (int32_t)dtype_row(map->dtype)->size_bytes;
    if (map->interleave == INTERLEAVE_NONE) t->coord[0] -= t->coord[0] % piece;
    pick_operation(t, state);
    return extent + 2048 < GMEM_BYTES;
}

static void make_store(struct test_store *t, uint64_t seed)
{
    uint64_t state = seed * 977 + 5;
    while (!pick_store(t, &state)) {
    }
    fill_memory(t, &state);
    for (int i = 0; i < SMEM_BYTES; i += 8) memset(t->source + i + 1, next(&state, 4) ? 0 : 0x80, next(&state, 4));
}

// Is the element at these indices written?
static bool is_written(const struct tensormap *map, const int64_t *index, int misread)
{
    for (int i = 1; i < map->rank; i++)
        if (index[i] >= (int64_t)map->dim[i]) return false;
    int64_t piece = 16 / (int64_t)dtype_row(map->dtype)->size_bytes;
    if (map->interleave != INTERLEAVE_NONE || misread == MISREAD_GRANULE_AS_ELEMENTS)
        return index[0] < (int64_t)map->dim[0];
    if (misread == MISREAD_GRANULE_ALWAYS_WRITTEN) return index[0] - 2 * piece < (int64_t)map->dim[0];
    return index[0] / piece * piece < (int64_t)map->dim[0];
}

// An element, or 16 bytes of a pixel.
static void put_element(const struct test_store *t, int misread, uint8_t *to, uint32_t from)
{
    const struct tensormap *map = &t->map;
    uint32_t bytes = map->stride[0] < 16 ? (uint32_t)map->stride[0] : 16, word;
    const uint8_t *source = t->source + (from - SMEM_BASE);
    if (t->op >= 0) {
        reduce_apply((enum reduce_op)t->op, map->dtype, to, source, bytes / dtype_row(map->dtype)->size_bytes);
        return;
    }
    memcpy(to, source, bytes);
    memcpy(&word, to, sizeof word);
    if (misread == MISREAD_STORE_ROUNDS_TF32 && dtype_row(map->dtype)->is_tf32) word &= 0xffffe000;
    if (misread == MISREAD_STORE_FLUSHES && map->dtype == DTYPE_FLOAT32_FTZ && (word & 0x7f800000) == 0)
        word &= 0x80000000;
    if (dtype_row(map->dtype)->size_bytes == 4) memcpy(to, &word, sizeof word);
}

// The shared address of byte `inner` of a row of the box, after swizzling.
static uint32_t shared_of(const struct test_store *t, uint32_t row, uint32_t inner, int misread)
{
    const struct tensormap *map = &t->map;
    uint32_t pitch = (uint32_t)map->stride[0] * map->box[0];
    if (map->interleave != INTERLEAVE_NONE)
        pitch = (uint32_t)map->stride[0] * ((map->box[0] + map->estride[0] - 1) / map->estride[0]);
    else if (map->swizzle != SWIZZLE_NONE && misread != MISREAD_ROWS_PACKED)
        pitch = spans[map->swizzle];
    uint32_t offset = row * pitch + inner, at = t->shared + offset;
    uint32_t pattern = misread == MISREAD_SWIZZLE_OF_THE_BOX ? offset : at;
    if (misread == MISREAD_SWIZZLE_IGNORED) return at;
    return at ^ ((pattern >> 7 & (spans[map->swizzle] / 16 - (map->swizzle != SWIZZLE_NONE))) << 4);
}

// One step of dimension 0: an element or a pixel.
static void put_step(const struct test_store *t, int misread, const int64_t *index, uint32_t row, uint32_t k,
                     uint8_t *to)
{
    uint32_t step = (uint32_t)t->map.stride[0];
    bool written = is_written(&t->map, index, misread);
    for (uint32_t part = 0; part < step && written; part += 16)
        put_element(t, misread, to + part, shared_of(t, row, k * step + part, misread));
    if (!written && misread == MISREAD_OUTSIDE_WRITES_ZERO) memset(to, 0, step);
}

static void oracle(const struct test_store *t, int misread, uint8_t *memory)
{
    const struct tensormap *map = &t->map;
    bool interleaved = map->interleave != INTERLEAVE_NONE;
    uint32_t steps[5], row = 0, k[5] = {0};
    int64_t by[5];
    for (int i = 0; i < 5; i++) {
        by[i] = i == 0 && !interleaved && misread != MISREAD_INNER_STRIDE_USED ? 1 : map->estride[i];
        if (i > 0 && misread == MISREAD_ROW_STRIDE_IGNORED) by[i] = 1;
        steps[i] = (map->box[i] + map->estride[i] - 1) / map->estride[i];
        if (i == 0 && !interleaved) steps[i] = map->box[i];
        if (i == map->rank - 2 && interleaved) steps[i] = 1;
    }
    for (k[4] = 0; k[4] < steps[4]; k[4]++)
        for (k[3] = 0; k[3] < steps[3]; k[3]++)
            for (k[2] = 0; k[2] < steps[2]; k[2]++)
                for (k[1] = 0; k[1] < steps[1]; k[1]++, row++)
                    for (k[0] = 0; k[0] < steps[0]; k[0]++) {
                        int64_t index[5];
                        uint64_t offset = map->address - GMEM_BASE;
                        for (int i = 0; i < 5; i++) index[i] = t->coord[i] + by[i] * k[i];
                        for (int i = 0; i < map->rank; i++) offset += (uint64_t)index[i] * map->stride[i];
                        if (offset < GMEM_BYTES - 32) put_step(t, misread, index, row, k[0], memory + offset);
                    }
}

static enum rule run_model(const struct test_store *t, uint8_t *memory)
{
    const struct memory global = {memory, GMEM_BASE, GMEM_BYTES};
    const struct memory shared = {(uint8_t *)t->source, SMEM_BASE, SMEM_BYTES};
    if (t->op < 0) return tile_store(&t->map, t->map.rank, t->coord, &global, &shared, t->shared, NULL);
    return tile_reduce((enum reduce_op)t->op, &t->map, t->map.rank, t->coord, &global, &shared, t->shared, NULL);
}

static struct test_store *store_of(uint64_t seed)
{
    static struct test_store t;
    make_store(&t, seed);
    return &t;
}

static int has_tail(const struct test_store *t)
{
    return t->map.interleave == INTERLEAVE_NONE && t->map.dim[0] * t->map.stride[0] % 16 != 0;
}

static int is_strange(const struct test_store *t)
{
    return t->map.swizzle != SWIZZLE_NONE || t->map.interleave != INTERLEAVE_NONE;
}

TEST(store_bounds__skips_what_is_outside)
{
    compare(is_store);
    compare(is_reduction);
}

TEST_CALL(store_granule__writes_whole_pieces, compare(has_tail))
TEST_CALL(store_layout__is_that_of_a_load, compare(is_strange))

// A row of 3 floats in a tensor of 5 rows: the fourth float is written too, and nothing after it.
TEST(store_granule__reaches_past_the_row)
{
    static uint8_t memory[GMEM_BYTES];
    struct test_store *t = store_of(0);
    t->map = (struct tensormap){.rank = 2,
                                .dtype = DTYPE_FLOAT32,
                                .address = GMEM_BASE,
                                .dim = {3, 5},
                                .stride = {4, 32},
                                .box = {8, 1},
                                .estride = {1, 1}};
    t->coord[0] = 0, t->coord[1] = 2, t->op = -1;
    memcpy(memory, t->before, GMEM_BYTES);
    ck_assert_int_eq(run_model(t, memory), RULE_OK);
    ck_assert_mem_eq(memory, t->before, 64);
    ck_assert_mem_eq(memory + 64, t->source + (t->shared - SMEM_BASE), 16);
    ck_assert_mem_eq(memory + 80, t->before + 80, GMEM_BYTES - 80);
}

TEST(store_bits__copies_every_pattern)
{
    static const uint32_t patterns[] = {0x00000001, 0x80000001, 0x7f800001, 0xffc12345, 0x3f801fff, 0x7f7fffff};
    struct test_store *t = store_of(1);
    for (int d = 0; d < DTYPE_COUNT; d++) {
        uint8_t memory[64] = {0};
        const struct memory global = {memory, GMEM_BASE, sizeof memory}, shared = {t->source, SMEM_BASE, SMEM_BYTES};
        uint32_t element = dtype_row((enum dtype)d)->size_bytes;
        const struct tensormap map = {.rank = 1,
                                      .dtype = (enum dtype)d,
                                      .address = GMEM_BASE,
                                      .dim = {64 / element},
                                      .stride = {element},
                                      .box = {64 / element},
                                      .estride = {1}};
        for (uint32_t i = 0; i < 16; i++) memcpy(t->source + 4 * i, &patterns[i % 6], 4);
        ck_assert_int_eq(tile_store(&map, 1, (int32_t[]){0}, &global, &shared, SMEM_BASE, NULL), RULE_OK);
        ck_assert_mem_eq(memory, t->source, sizeof memory);
    }
}

TEST(store_base_untouched__may_be_unmapped)
{
    struct test_store *t = store_of(2);
    uint8_t memory[16] = {0};
    const struct memory global = {memory, GMEM_BASE, sizeof memory}, shared = {t->source, SMEM_BASE, SMEM_BYTES};
    struct tensormap map = {.rank = 2,
                            .dtype = DTYPE_UINT32,
                            .address = GMEM_BASE - 4096 * 7,
                            .dim = {4, 8},
                            .stride = {4, 4096},
                            .box = {4, 4},
                            .estride = {1, 1}};
    ck_assert_int_eq(tile_store(&map, 2, (int32_t[]){0, 7}, &global, &shared, SMEM_BASE, NULL), RULE_OK);
    ck_assert_mem_eq(memory, t->source, sizeof memory);
    ck_assert_int_eq(tile_store(&map, 2, (int32_t[]){0, 8}, &global, &shared, SMEM_BASE, NULL), RULE_OK);
    ck_assert_int_eq(tile_store(&map, 2, (int32_t[]){4, 0}, &global, &shared, SMEM_BASE, NULL), RULE_OK);
}

LOOP_TEST(store_cases_notice_misread_rules, 1, MISREADS)
{
    check_notices(_i);
}
