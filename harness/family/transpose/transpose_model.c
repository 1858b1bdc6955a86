// SPDX-License-Identifier: MIT
// A transposition on the model: tile by tile, element by element, between tensor loads and tensor stores.
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "copy.h"
#include "store.h"
#include "swizzle.h"
#include "transpose_case.h"

enum {
    SHARED_BYTES = 2 * TRANSPOSE_TILE_BYTES(2), // the largest tile, twice
    CHUNKS = TRANSPOSE_BOX_BYTES / TRANSPOSE_CHUNK_BYTES,
    QUARTER = WARP_LANES / 4,
};

// --- What is where ---------------------------------------------------------------------------------------------------

struct transpose_tiles transpose_tiles(const struct transpose_case *c)
{
    static const uint32_t article_side[] = {8, 2, 4, 8}; // by swizzle: a row is the span, or 128 bytes without one
    struct transpose_tiles tiles = {.side = TRANSPOSE_SIDE(c->element_bytes), .down = 1, .across = 1};
    if (c->is_article) {
        tiles.side = article_side[c->swizzle];
        return tiles;
    }
    tiles.down = (c->rows + tiles.side - 1) / tiles.side;
    tiles.across = (c->columns + tiles.side - 1) / tiles.side;
    return tiles;
}

// Elements of a map: those of 16 bytes are several of them.
static uint32_t map_elements(const struct transpose_case *c)
{
    return c->is_article ? ARTICLE_ELEMENT_WORDS : c->element_bytes == 16 ? 2 : 1;
}

static void make_map(const struct transpose_case *c, uint64_t address, const uint32_t dim[2], uint32_t pitch,
                     struct map_args *map)
{
    static const enum dtype types[] = {[1] = DTYPE_UINT8, [2] = DTYPE_UINT16, [4] = DTYPE_INT32, [8] = DTYPE_UINT64};
    uint32_t elements = map_elements(c), bytes = c->element_bytes / elements, side = transpose_tiles(c).side;
    *map = (struct map_args){.function = MAP_TILED,
                             .data_type = types[bytes],
                             .rank = 2,
                             .address = address,
                             .dim = {dim[0] * elements, dim[1]},
                             .strides = {pitch},
                             .box = {c->is_article ? side * elements : TRANSPOSE_BOX_BYTES / bytes, side},
                             .estride = {1, 1},
                             .swizzle = c->swizzle,
                             .l2_promotion = c->element_bytes == 1 ? L2_PROMOTION_L2_128B : L2_PROMOTION_L2_256B};
}

void transpose_maps(const struct transpose_case *c, uint64_t source, uint64_t result, struct map_args maps[2])
{
    const uint32_t dim[] = {c->columns, c->rows, c->columns};
    make_map(c, source, dim, c->source_pitch, &maps[0]);
    make_map(c, result, dim + 1, c->result_pitch, &maps[1]);
}

// Bytes of the output, guards on both sides included.
static uint32_t transpose_output_bytes(const struct transpose_case *c)
{
    return c->columns * c->result_pitch + 2 * TRANSPOSE_GUARD_BYTES;
}

void transpose_windows(const void *test_case, struct result *result)
{
    const struct transpose_case *c = test_case;
    uint32_t tile_bytes = TRANSPOSE_TILE_BYTES(c->element_bytes);
    result_window(result, "output", TRANSPOSE_OUTPUT_BASE - TRANSPOSE_GUARD_BYTES, transpose_output_bytes(c));
    if (c->is_article) result_window(result, "shared", ARTICLE_WINDOW, ARTICLE_WINDOW_BYTES);
    if (!c->is_article) result_window(result, "loaded", 0, tile_bytes);
    if (!c->is_article) result_window(result, "transposed", 0, tile_bytes);
}

void transpose_fill(const void *test_case, const struct result *result)
{
    const struct window *output = &result->window[0];
    (void)test_case;
    for (uint32_t at = 0; at < output->size_bytes; at += 4)
        memcpy(output->bytes + at, &(uint32_t){transpose_canary(at)}, 4);
}

// --- The model -------------------------------------------------------------------------------------------------------

// One tile on its way: its first element, the shared addresses of its buffers. A buffer is boxes of lines of 128 bytes,
// or a single box of shorter rows. All its sizes are powers of two, `..._log` of them.
struct turn {
    const struct transpose_case *c;
    const struct tensormap *map[2];
    const struct memory *global, *shared;
    uint32_t row, column, buffer[2];
    uint32_t side, side_log, bytes_log, pitch_log;
};

static uint32_t log_of(uint32_t power)
{
    uint32_t log = 0;
    while (power >> log > 1) log++;
    return log;
}

static uint32_t row_bytes(const struct transpose_case *c)
{
    uint32_t bytes = transpose_tiles(c).side * c->element_bytes;
    return bytes < TRANSPOSE_BOX_BYTES ? bytes : TRANSPOSE_BOX_BYTES;
}

static uint8_t *element(const struct turn *turn, int buffer, uint32_t row, uint32_t column)
{
    uint32_t byte = column << turn->bytes_log, line = (byte >> turn->pitch_log << turn->side_log) + row;
    uint32_t within = byte & ((UINT32_C(1) << turn->pitch_log) - 1);
    uint32_t address = turn->buffer[buffer] + (line << turn->pitch_log) + within;
    return turn->shared->bytes + swizzle_apply((enum tensormap_swizzle)turn->c->swizzle, address) - turn->shared->base;
}

static void turn_element(const struct turn *turn, uint32_t row, uint32_t column)
{
    const uint8_t *from = element(turn, 0, row, column);
    uint8_t *to = element(turn, 1, column, row);
    for (uint32_t i = 0; i < turn->c->element_bytes; i++) to[i] = from[i];
}

static enum rule copy_tile(const struct turn *turn, bool is_store)
{
    const struct transpose_case *c = turn->c;
    uint32_t side = transpose_tiles(c).side, step = row_bytes(c) / c->element_bytes, moved;
    enum rule rule = RULE_OK;
    for (uint32_t at = 0; at < side && rule == RULE_OK; at += step) {
        uint32_t inner = (is_store ? turn->row : turn->column) + at, outer = is_store ? turn->column : turn->row;
        int32_t coord[] = {(int32_t)(inner * map_elements(c)), (int32_t)outer};
        uint32_t shared = turn->buffer[is_store] + at / step * side * row_bytes(c);
        rule = is_store ? tile_store(turn->map[1], 2, coord, turn->global, turn->shared, shared, NULL)
                        : tile_load(turn->map[0], 2, coord, arena(), turn->shared, shared, &moved, NULL);
    }
    return rule;
}

static enum rule turn_tile(const struct turn *turn)
{
    enum rule rule = copy_tile(turn, false);
    if (rule != RULE_OK) return rule;
    for (uint32_t row = 0; row < turn->side; row++)
        for (uint32_t column = 0; column < turn->side; column++) turn_element(turn, row, column);
    return copy_tile(turn, true);
}

// The place of tile `tile`, in bands (see kernels/transpose_job.h).
static void place_tile(const struct transpose_case *c, uint32_t tile, struct turn *turn)
{
    struct transpose_tiles tiles = transpose_tiles(c);
    uint32_t first = tile / (c->band * tiles.across) * c->band, within = tile % (c->band * tiles.across);
    uint32_t rows = tiles.down - first < c->band ? tiles.down - first : c->band;
    turn->row = (first + within % rows) * tiles.side;
    turn->column = within / rows * tiles.side;
}

static enum rule run_article(struct turn *turn, struct result *result)
{
    const struct transpose_case *c = turn->c;
    uint8_t *window = turn->shared->bytes + (ARTICLE_WINDOW - TRANSPOSE_SHARED_START);
    for (uint32_t at = 0; at < ARTICLE_WINDOW_BYTES; at += 4)
        memcpy(window + at, &(uint32_t){transpose_canary(ARTICLE_WINDOW + at)}, 4);
    turn->row = c->y;
    turn->column = c->x;
    turn->buffer[0] = c->loaded;
    turn->buffer[1] = c->transposed;
    enum rule rule = turn_tile(turn);
    memcpy(result->window[1].bytes, window, ARTICLE_WINDOW_BYTES);
    return rule;
}

static enum rule run_matrix(struct turn *turn, struct result *result)
{
    const struct transpose_case *c = turn->c;
    uint32_t tile_bytes = TRANSPOSE_TILE_BYTES(c->element_bytes), tile = 0;
    struct transpose_tiles tiles = transpose_tiles(c);
    enum rule rule = RULE_OK;
    for (int i = 0; i < 2; i++) turn->buffer[i] = TRANSPOSE_SHARED_START + (uint32_t)i * tile_bytes;
    for (; tile < tiles.down * tiles.across && rule == RULE_OK; tile++) {
        place_tile(c, tile, turn);
        rule = turn_tile(turn);
        if (tile != c->tile) continue;
        memcpy(result->window[1].bytes, turn->shared->bytes, tile_bytes);
        memcpy(result->window[2].bytes, turn->shared->bytes + tile_bytes, tile_bytes);
    }
    return rule;
}

enum rule transpose_run_model(const void *test_case, struct result *result)
{
    uint8_t cta[SHARED_BYTES];
    const struct transpose_case *c = test_case;
    struct map_args args[2];
    struct tensormap map[2];
    transpose_maps(c, ARENA_BASE + c->source, TRANSPOSE_OUTPUT_BASE, args);
    for (int i = 0; i < 2; i++) {
        enum rule rule = map_args_make(&args[i], &map[i]);
        if (rule != RULE_OK) return rule;
    }
    const struct memory shared = {cta, TRANSPOSE_SHARED_START, sizeof cta};
    const struct memory global = {result->window[0].bytes, result->window[0].base, result->window[0].size_bytes};
    struct turn turn = {.c = c,
                        .map = {&map[0], &map[1]},
                        .global = &global,
                        .shared = &shared,
                        .side = transpose_tiles(c).side,
                        .side_log = log_of(transpose_tiles(c).side),
                        .bytes_log = log_of(c->element_bytes),
                        .pitch_log = log_of(row_bytes(c))};
    return c->is_article ? run_article(&turn, result) : run_matrix(&turn, result);
}

// --- Banks -----------------------------------------------------------------------------------------------------------

enum transpose_walk transpose_best_walk(uint32_t element_bytes)
{
    return element_bytes == TRANSPOSE_CHUNK_BYTES ? TRANSPOSE_ROWS : TRANSPOSE_DIAGONAL;
}

// A warp takes four quarters of 8 chunk columns each; chunk (row, column) of an 8 x 8 patch of micro tiles.
struct transpose_wavefronts transpose_wavefronts(uint32_t element_bytes, enum tensormap_swizzle swizzle,
                                                 enum transpose_walk walk)
{
    uint32_t micro = TRANSPOSE_CHUNK_BYTES / element_bytes, side = TRANSPOSE_SIDE(element_bytes), lane;
    uint32_t patches = (side / micro / CHUNKS) * (side / micro / CHUNKS);
    struct transpose_wavefronts count = {.ideal = (int)(side * side * element_bytes / TRANSPOSE_BOX_BYTES)};
    for (uint32_t first = 0; first < CHUNKS * CHUNKS; first += WARP_LANES)
        for (uint32_t k = 0; k < micro; k++) {
            uint32_t from[WARP_LANES], to[WARP_LANES];
            struct bank_report reads, writes;
            for (lane = 0; lane < WARP_LANES; lane++) {
                uint32_t across = lane % QUARTER, down = (first + lane) / QUARTER;
                if (walk == TRANSPOSE_DIAGONAL) down ^= across;
                from[lane] = (micro * down + k) * TRANSPOSE_BOX_BYTES + across * TRANSPOSE_CHUNK_BYTES;
                to[lane] = (micro * across + k) * TRANSPOSE_BOX_BYTES + down * TRANSPOSE_CHUNK_BYTES;
                from[lane] = swizzle_apply(swizzle, from[lane]);
                to[lane] = swizzle_apply(swizzle, to[lane]);
            }
            bank_count(BANK_LOAD, from, UINT32_MAX, TRANSPOSE_CHUNK_BYTES, &reads);
            bank_count(BANK_STORE, to, UINT32_MAX, TRANSPOSE_CHUNK_BYTES, &writes);
            count.reads += (int)patches * reads.wavefronts;
            count.writes += (int)patches * writes.wavefronts;
        }
    return count;
}
