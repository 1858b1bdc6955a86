// SPDX-License-Identifier: MIT
// The suite `multicast`: loads in clusters. Who gets what, the faults in the order of the hardware, the slices that
// CTAs load for each other, and the example of the 16 x 16 tile with its numbers. Wrong formulas must be noticed by a
// vector.
#include "multicast_test.h"

#include <string.h>

#include "rules/load.h"
#include "slice.h"

void bench_set_up(struct bench *bench)
{
    const uint64_t dim[] = {SIDE, SIDE}, stride[] = {ROW_BYTES};
    const uint32_t box[] = {SIDE, SIDE / 2}, estride[] = {1, 1};
    struct tensormap_image image;
    memset(bench, 0, sizeof *bench);
    for (uint32_t i = 0; i < TILE_ELEMS; i++) bench->source[i] = i;
    bench->global = (struct memory){(uint8_t *)bench->source, GMEM_BASE, sizeof bench->source};
    for (int i = 0; i < CTAS; i++) bench->cta[i] = (struct memory){bench->bytes[i], SMEM_BASE, SMEM_BYTES};
    ck_assert_int_eq(tensormap_encode_tiled(&image, 3, 2, GMEM_BASE, dim, stride, box, estride, 0, 0, 0, 0, NULL),
                     RULE_OK);
    tensormap_decode(&image, &bench->map, NULL);
}

struct cluster_load bench_load(const struct bench *bench, uint32_t ctas, uint32_t issuer, uint32_t mask)
{
    return (struct cluster_load){.cluster.cta = bench->cta,
                                 .cluster.ctas = ctas,
                                 .cluster.is_cluster = 1,
                                 .issuer = issuer,
                                 .is_multicast = 1,
                                 .mask = mask,
                                 .to_rank = issuer,
                                 .shared = TO,
                                 .barrier_rank = issuer};
}

uint32_t bench_written(const struct bench *bench)
{
    uint32_t mask = 0;
    for (int rank = 0; rank < CTAS; rank++)
        for (int i = 0; i < SMEM_BYTES; i++)
            if (bench->bytes[rank][i] != 0) mask |= (uint32_t)1 << rank;
    return mask;
}

// --- Who gets it -----------------------------------------------------------------------------------------------------

static const struct target {
    const char *why;
    uint32_t ctas, issuer, is_multicast, mask, to_rank, targets;
} targets[] = {
    {"both", 2, 0, 1, 3, 0, 3},
    {"the other alone: the issuer gets nothing", 2, 0, 1, 2, 0, 2},
    {"the issuer alone", 4, 3, 1, 8, 3, 8},
    {"bits are ranks, not distances", 4, 3, 1, 3, 3, 3},
    {"the ends of sixteen, from the middle", 16, 7, 1, 0x8001, 7, 0x8001},
    {"all sixteen", 16, 15, 1, 0xffff, 15, 0xffff},
    {"every second", 16, 0, 1, 0xaaaa, 0, 0xaaaa},
    {"the rank of the destination does not matter", 4, 0, 1, 6, 3, 6},
    {"nor that it is not there", 2, 0, 1, 3, 200, 3},
    {"nobody", 4, 1, 1, 0, 1, 0},
    {"no multicast: its own", 4, 2, 0, 0, 2, 4},
    {"no multicast: another", 4, 2, 0, 0, 1, 2},
    {"no multicast: the mask is not looked at", 4, 2, 0, 15, 1, 2},
};

static uint32_t with_issuer(const struct target *t)
{
    return (t->is_multicast ? t->mask : (uint32_t)1 << t->to_rank) | (uint32_t)1 << t->issuer;
}

static uint32_t relative(const struct target *t)
{
    return t->is_multicast ? t->mask << t->issuer : (uint32_t)1 << t->to_rank;
}

static uint32_t destination(const struct target *t)
{
    return (t->is_multicast ? t->mask : 0) | (t->to_rank < CTAS ? (uint32_t)1 << t->to_rank : 0);
}

static uint32_t everybody(const struct target *t)
{
    return t->is_multicast ? ((uint32_t)1 << t->ctas) - 1 : (uint32_t)1 << t->to_rank;
}

static uint32_t always_mask(const struct target *t)
{
    return t->mask;
}

static uint32_t own_if_empty(const struct target *t)
{
    uint32_t own = (uint32_t)1 << t->issuer;
    return !t->is_multicast ? (uint32_t)1 << t->to_rank : t->mask != 0 ? t->mask : own;
}

static uint32_t (*const target_mutants[])(const struct target *) = {with_issuer, relative,    destination,
                                                                    everybody,   always_mask, own_if_empty};

// The load of a vector: nothing but the targets may change, and each holds the box.
static void check_target(const struct target *t)
{
    static struct bench bench;
    const int32_t coord[] = {0, 8};
    uint32_t bytes = 0xdeadbeef;
    bench_set_up(&bench);
    struct cluster_load load = bench_load(&bench, t->ctas, t->issuer, t->mask);
    load.is_multicast = (int)t->is_multicast;
    load.to_rank = load.barrier_rank = t->to_rank;
    ck_assert_msg(multicast_targets(&load) == t->targets, "%s", t->why);
    ck_assert_int_eq(multicast_tile_load(&bench.map, 2, coord, &bench.global, &load, &bytes, NULL), RULE_OK);
    ck_assert_msg(bench_written(&bench) == t->targets, "%s: 0x%x written", t->why, bench_written(&bench));
    ck_assert_uint_eq(bytes, t->targets != 0 ? 512 : 0);
    for (int rank = 0; rank < CTAS; rank++)
        if (t->targets >> rank & 1)
            ck_assert_mem_eq(bench.bytes[rank] + (TO - SMEM_BASE), bench.source + TILE_ELEMS / 2, 512);
}

LOOP_TEST(multicast_targets__are_the_bits_of_the_mask, 0, ROWS_OF(targets))
{
    check_target(&targets[_i]);
}

LOOP_TEST(multicast_targets__vectors_notice_wrong_formulas, 0, ROWS_OF(target_mutants))
{
    int noticed = 0;
    for (int i = 0; i < ROWS_OF(targets); i++) noticed += target_mutants[_i](&targets[i]) != targets[i].targets;
    ck_assert_msg(noticed > 0, "no vector tells mutant %d", _i);
}

// A column of 8 pixels of 64 bytes, the second half of the tile: every target gets it, and its bytes.
TEST(multicast_targets__get_im2col_columns)
{
    static struct bench bench;
    const uint64_t dim[] = {SIDE, SIDE, 1}, stride[] = {ROW_BYTES, ROW_BYTES * SIDE};
    const uint32_t estride[] = {1, 1, 1};
    const int corner[] = {0};
    const int32_t coord[] = {0, 6, 0};
    const uint16_t offset[] = {2};
    struct tensormap_image image;
    uint32_t bytes;
    bench_set_up(&bench);
    ck_assert_int_eq(tensormap_encode_im2col(&image, 3, 3, GMEM_BASE, dim, stride, corner, corner, SIDE, 8, estride, 0,
                                             0, 0, 0, NULL),
                     RULE_OK);
    tensormap_decode(&image, &bench.map, NULL);
    struct cluster_load load = bench_load(&bench, 3, 1, 5);
    ck_assert_int_eq(multicast_im2col_load(&bench.map, 3, coord, offset, &bench.global, &load, &bytes, NULL), RULE_OK);
    ck_assert_uint_eq(bytes, 512);
    ck_assert_uint_eq(bench_written(&bench), 5);
    ck_assert_mem_eq(bench.bytes[2] + (TO - SMEM_BASE), bench.source + TILE_ELEMS / 2, 512);
    load.shared = SMEM_END - 128;
    ck_assert_int_eq(multicast_im2col_load(&bench.map, 3, coord, offset, &bench.global, &load, &bytes, NULL),
                     RULE_LOAD_REMOTE_BOUNDS);
}

TEST(multicast_offset__ignores_ranks_of_addresses)
{
    static struct bench bench;
    const int32_t coord[] = {0, 0};
    uint32_t bytes;
    bench_set_up(&bench);
    struct cluster_load load = bench_load(&bench, 4, 1, 0xc);
    load.to_rank = 77, load.barrier_rank = 200, load.shared = 0x1000;
    ck_assert_int_eq(multicast_tile_load(&bench.map, 2, coord, &bench.global, &load, &bytes, NULL), RULE_OK);
    ck_assert_mem_eq(bench.bytes[2] + (0x1000 - SMEM_BASE), bench.source, 512);
    ck_assert_mem_eq(bench.bytes[2], bench.bytes[3], SMEM_BYTES);
    ck_assert_uint_eq(bench_written(&bench), 0xc);
}

// Each target is signalled the whole box, not its share, also what is filled.
TEST(multicast_tx_bytes__are_the_whole_box_in_every_cta)
{
    static struct bench bench;
    const int32_t coord[] = {8, 12};
    uint32_t bytes;
    bench_set_up(&bench);
    struct cluster_load load = bench_load(&bench, 16, 4, 0xffff);
    ck_assert_int_eq(multicast_tile_load(&bench.map, 2, coord, &bench.global, &load, &bytes, NULL), RULE_OK);
    ck_assert_uint_eq(bytes, 512);
    ck_assert_int_eq(multicast_bulk_load(GMEM_BASE, 47, &bench.global, &load, &bytes, NULL), RULE_OK);
    ck_assert_uint_eq(bytes, 32);
}

TEST(multicast_mask_empty__does_nothing_not_even_fault)
{
    static struct bench bench;
    const int32_t coord[5] = {1, 0};
    uint32_t bytes = 1;
    bench_set_up(&bench);
    struct cluster_load load = bench_load(&bench, 2, 0, 0);
    load.shared = SMEM_END + 8, load.to_rank = 255;
    bench.map.address = 0;
    ck_assert_int_eq(multicast_tile_load(&bench.map, 5, coord, &bench.global, &load, &bytes, NULL), RULE_OK);
    ck_assert_uint_eq(bytes, 0);
    bytes = 1;
    ck_assert_int_eq(multicast_bulk_load(1, 64, &bench.global, &load, &bytes, NULL), RULE_OK);
    ck_assert_uint_eq(bytes, 0);
    load.cluster.is_cluster = 0, load.cluster.ctas = 1;
    ck_assert_int_eq(multicast_im2col_load(&bench.map, 2, coord, NULL, &bench.global, &load, &bytes, NULL), RULE_OK);
    ck_assert_uint_eq(bench_written(&bench), 0);
}

TEST(load_other_cta__writes_there_alone)
{
    static struct bench bench;
    uint32_t bytes;
    bench_set_up(&bench);
    struct cluster_load load = bench_load(&bench, 8, 2, 0);
    load.is_multicast = 0, load.to_rank = load.barrier_rank = 7;
    ck_assert_int_eq(multicast_bulk_load(GMEM_BASE + 64, 128, &bench.global, &load, &bytes, NULL), RULE_OK);
    ck_assert_uint_eq(bytes, 128);
    ck_assert_uint_eq(bench_written(&bench), 0x80);
    ck_assert_mem_eq(bench.bytes[7] + (TO - SMEM_BASE), bench.source + 16, 128);
    load.to_rank = CTAS;
    ck_assert_uint_eq(multicast_targets(&load), 0);
}

TEST(load_other_barrier__is_a_warning)
{
    static struct bench bench;
    struct findings findings = {0};
    uint32_t bytes;
    bench_set_up(&bench);
    struct cluster_load load = bench_load(&bench, 2, 0, 0);
    load.is_multicast = 0, load.to_rank = 1, load.barrier_rank = 0;
    ck_assert_int_eq(multicast_bulk_load(GMEM_BASE, 16, &bench.global, &load, &bytes, &findings), RULE_OK);
    ck_assert_int_eq(findings.count, 1);
    ck_assert_int_eq(findings.item[0].rule, RULE_LOAD_OTHER_BARRIER);
    ck_assert_uint_eq(findings.item[0].nearest, 1);
    load.barrier_rank = 1;
    findings.count = 0;
    ck_assert_int_eq(multicast_bulk_load(GMEM_BASE, 16, &bench.global, &load, &bytes, &findings), RULE_OK);
    ck_assert_int_eq(findings.count, 0);
    ck_assert(rule_is_warning(RULE_LOAD_OTHER_BARRIER));
}

// --- Slices ----------------------------------------------------------------------------------------------------------

static const struct group {
    const char *why;
    struct cluster_shape shape;
    int along;
    uint32_t rank, mask, index;
} groups[] = {
    {"two CTAs", {{2, 1, 1}}, SLICE_XYZ, 1, 3, 1},
    {"two CTAs along z", {{1, 1, 2}}, SLICE_Z, 1, 3, 1},
    {"along x: neighbours", {{2, 2, 1}}, SLICE_X, 2, 0xc, 0},
    {"along y: every second", {{2, 2, 1}}, SLICE_Y, 2, 0x5, 1},
    {"4 x 2 along x", {{4, 2, 1}}, SLICE_X, 6, 0xf0, 2},
    {"4 x 2 along y", {{4, 2, 1}}, SLICE_Y, 6, 0x44, 1},
    {"2 x 4 along y", {{2, 4, 1}}, SLICE_Y, 5, 0xaa, 2},
    {"2 x 3 x 2 along y and z", {{2, 3, 2}}, SLICE_Y | SLICE_Z, 9, 0xaaa, 4},
    {"2 x 3 x 2 along x and z", {{2, 3, 2}}, SLICE_X | SLICE_Z, 9, 0x30c, 3},
    {"nobody shares", {{4, 1, 1}}, SLICE_Y, 3, 0x8, 0},
    {"all of 4 x 2 x 2", {{4, 2, 2}}, SLICE_XYZ, 13, 0xffff, 13},
};

struct mask_index {
    uint32_t mask, index;
};

// z fastest, as a program that numbers CTAs like C arrays would have it.
static struct mask_index z_first(const struct group *g)
{
    struct cluster_shape turned = {{g->shape.size[2], g->shape.size[1], g->shape.size[0]}};
    int along = (g->along & SLICE_Y) | (g->along & SLICE_X) << 2 | (g->along & SLICE_Z) >> 2;
    return (struct mask_index){slice_group_mask(&turned, along, g->rank), slice_group_index(&turned, along, g->rank)};
}

// The CTAs that agree along the directions, instead of those that differ.
static struct mask_index complement(const struct group *g)
{
    int along = SLICE_XYZ & ~g->along;
    return (struct mask_index){slice_group_mask(&g->shape, along, g->rank),
                               slice_group_index(&g->shape, along, g->rank)};
}

static struct mask_index index_is_rank(const struct group *g)
{
    return (struct mask_index){slice_group_mask(&g->shape, g->along, g->rank), g->rank};
}

static struct mask_index whole_cluster(const struct group *g)
{
    return (struct mask_index){((uint32_t)1 << slice_cluster_ctas(&g->shape)) - 1,
                               slice_group_index(&g->shape, g->along, g->rank)};
}

static struct mask_index (*const group_mutants[])(const struct group *) = {z_first, complement, index_is_rank,
                                                                           whole_cluster};

LOOP_TEST(multicast_slice__groups_are_rows_and_columns, 0, ROWS_OF(groups))
{
    const struct group *g = &groups[_i];
    ck_assert_msg(slice_group_mask(&g->shape, g->along, g->rank) == g->mask, "%s", g->why);
    ck_assert_msg(slice_group_index(&g->shape, g->along, g->rank) == g->index, "%s", g->why);
    ck_assert_uint_eq((uint32_t)__builtin_popcount(g->mask), slice_group_ctas(&g->shape, g->along));
}

LOOP_TEST(multicast_slice__vectors_notice_wrong_formulas, 0, ROWS_OF(group_mutants))
{
    int noticed = 0;
    for (int i = 0; i < ROWS_OF(groups); i++) {
        struct mask_index wrong = group_mutants[_i](&groups[i]);
        noticed += wrong.mask != groups[i].mask || wrong.index != groups[i].index;
    }
    ck_assert_msg(noticed > 0, "no vector tells mutant %d", _i);
}

// Slices are numbered innermost first, and follow each other at whole rows of the pitch.
TEST(multicast_slice__cuts_a_tile_into_boxes)
{
    static struct bench bench;
    const int32_t coord[] = {4, -8};
    bench_set_up(&bench);
    const struct {
        uint64_t tile[2];
        uint32_t count, index;
        int32_t coord[2];
    } cuts[] = {
        {{16, 16}, 2, 1, {4, 0}},  {{16, 64}, 8, 7, {4, 48}},
        {{32, 8}, 2, 1, {20, -8}}, {{32, 16}, 4, 1, {20, -8}},
        {{32, 16}, 4, 2, {4, 0}},  {{16, 8}, 1, 0, {4, -8}},
        {{16, 12}, 0, 0, {0, 0}},  {{8, 8}, 0, 0, {0, 0}},
        {{0, 8}, 0, 0, {0, 0}},    {{16, (uint64_t)1 << 40}, 0, 0, {0, 0}},
    };
    for (int i = 0; i < ROWS_OF(cuts); i++) {
        ck_assert_uint_eq(slice_count(&bench.map, cuts[i].tile), cuts[i].count);
        if (cuts[i].count == 0) continue;
        struct slice slice = slice_of(&bench.map, coord, cuts[i].tile, cuts[i].index);
        ck_assert_mem_eq(slice.coord, cuts[i].coord, sizeof cuts[i].coord);
        ck_assert_uint_eq(slice.offset_bytes, cuts[i].index * 512);
    }
    bench.map.swizzle = SWIZZLE_128B;
    ck_assert_uint_eq(slice_pitch_bytes(&bench.map), 8 * 128);
    bench.map.rank = 3, bench.map.interleave = INTERLEAVE_16B, bench.map.box[2] = 2;
    ck_assert_uint_eq(slice_extent(&bench.map, 1), 1);
    ck_assert_uint_eq(slice_extent(&bench.map, 2), 2);
}

// --- The example -----------------------------------------------------------------------------------------------------

// Each of two CTAs loads a slice of the tile and sends it to both: `slice[rank]` is the one that it takes. In the end
// both hold elements `first` to `past` - 1, and zeros.
static const struct {
    const char *why;
    uint32_t slice[2], first, past;
} examples[] = {
    {"each its own", {0, 1}, 0, 256},
    {"swapped", {1, 0}, 0, 256},
    {"both the first: 0 to 127, then zeros", {0, 0}, 0, 128},
    {"both the second: zeros, then 128 to 255", {1, 1}, 128, 256},
};

LOOP_TEST(multicast_slice__example_of_the_16_by_16_tile, 0, ROWS_OF(examples))
{
    static struct bench bench;
    const struct cluster_shape shape = {{1, 1, 2}};
    const uint64_t tile[] = {SIDE, SIDE};
    const int32_t origin[] = {0, 0};
    uint32_t signalled[2] = {0}, bytes, value;
    bench_set_up(&bench);
    for (uint32_t rank = 0; rank < 2; rank++) {
        struct slice slice = slice_of(&bench.map, origin, tile, examples[_i].slice[rank]);
        struct cluster_load load = bench_load(&bench, 2, rank, slice_group_mask(&shape, SLICE_Z, rank));
        load.shared = TO + (uint32_t)slice.offset_bytes;
        ck_assert_int_eq(multicast_tile_load(&bench.map, 2, slice.coord, &bench.global, &load, &bytes, NULL), RULE_OK);
        for (uint32_t to = 0; to < 2; to++) signalled[to] += load.mask >> to & 1 ? bytes : 0;
    }
    for (uint32_t rank = 0; rank < 2; rank++) {
        ck_assert_uint_eq(signalled[rank], TILE_ELEMS * sizeof value); // whatever the slices
        for (uint32_t i = 0; i < TILE_ELEMS; i++) {
            memcpy(&value, bench.bytes[rank] + (TO - SMEM_BASE) + i * sizeof value, sizeof value);
            ck_assert_msg(value == (i >= examples[_i].first && i < examples[_i].past ? i : 0),
                          "%s: CTA %u has %u at %u", examples[_i].why, rank, value, i);
        }
    }
}
