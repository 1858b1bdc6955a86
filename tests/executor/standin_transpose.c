// SPDX-License-Identifier: MIT
// The kernels transpose.cu of the stand-in GPU, with the kernels' own indices: micro tiles and chunks for a matrix, the
// article's formula for its tile. Loads and stores are the model's.
#include <string.h>

#include "copy.h"
#include "standin.h"
#include "store.h"
#include "transpose_job.h"

enum { CHUNKS = TRANSPOSE_BOX_BYTES / TRANSPOSE_CHUNK_BYTES };

static _Alignas(16) uint8_t shared_bytes[2 * TRANSPOSE_TILE_BYTES(2)];
static const struct memory shared = {shared_bytes, TRANSPOSE_SHARED_START, sizeof shared_bytes};

// The tensor that a map describes, as memory: all of it is mapped here.
static struct memory tensor(const struct tensormap *map)
{
    uint64_t bytes = map->dim[1] * map->stride[1];
    return (struct memory){(uint8_t *)(uintptr_t)map->address, map->address, bytes};
}

static enum rule move(const struct tensormap *map, int32_t inner, int32_t outer, uint32_t at, int is_store)
{
    const struct memory global = tensor(map);
    const int32_t coord[] = {inner, outer};
    uint32_t moved;
    return is_store ? tile_store(map, 2, coord, &global, &shared, at)
                    : tile_load(map, 2, coord, standin_mapped(), &shared, at, &moved);
}

static uint32_t chunk_at(uint32_t buffer, uint32_t side, uint32_t row, uint32_t chunk, uint32_t mask)
{
    uint32_t line = chunk / CHUNKS * side + row, place = chunk % CHUNKS ^ (row & mask);
    return buffer + line * TRANSPOSE_BOX_BYTES + place * TRANSPOSE_CHUNK_BYTES;
}

// Elements of `bytes` bytes: micro tile (down, across) of the first buffer to the second.
static void turn(const struct transpose_job *job, uint32_t bytes, uint32_t down, uint32_t across)
{
    uint32_t micro = TRANSPOSE_CHUNK_BYTES / bytes, side = TRANSPOSE_SIDE(bytes);
    for (uint32_t i = 0; i < micro; i++)
        for (uint32_t j = 0; j < micro; j++) {
            uint32_t from = chunk_at(0, side, micro * down + i, across, job->line_mask) + j * bytes;
            uint32_t to =
                chunk_at(TRANSPOSE_TILE_BYTES(bytes), side, micro * across + j, down, job->line_mask) + i * bytes;
            memcpy(shared_bytes + to, shared_bytes + from, bytes);
        }
}

static enum rule run_tile(const struct transpose_job *job, const struct tensormap map[2], uint32_t bytes, uint32_t tile)
{
    uint32_t side = TRANSPOSE_SIDE(bytes), in_band = job->band * job->tiles_across, step = TRANSPOSE_BOX_BYTES / bytes;
    uint32_t first = tile / in_band * job->band, rows = job->tiles_down - first;
    if (rows > job->band) rows = job->band;
    uint32_t row = (first + tile % in_band % rows) * side, column = tile % in_band / rows * side;
    uint32_t elements = bytes == 16 ? 2 : 1, micros = side * bytes / TRANSPOSE_CHUNK_BYTES;
    enum rule rule = RULE_OK;
    for (uint32_t at = 0; at < side && rule == RULE_OK; at += step)
        rule = move(&map[0], (int32_t)((column + at) * elements), (int32_t)row,
                    TRANSPOSE_SHARED_START + at / step * side * TRANSPOSE_BOX_BYTES, 0);
    for (uint32_t i = 0; i < micros * micros; i++) turn(job, bytes, i / micros, i % micros);
    for (uint32_t at = 0; at < side && rule == RULE_OK; at += step)
        rule = move(&map[1], (int32_t)((row + at) * elements), (int32_t)column,
                    TRANSPOSE_SHARED_START + TRANSPOSE_TILE_BYTES(bytes) + at / step * side * TRANSPOSE_BOX_BYTES, 1);
    return rule;
}

static void decode(void **parameters, struct tensormap map[2])
{
    for (int i = 0; i < 2; i++) {
        struct tensormap_image image;
        memcpy(image.word, parameters[i], sizeof image.word);
        tensormap_decode(&image, &map[i], NULL);
    }
}

static enum rule run_matrix(void **parameters, uint32_t bytes)
{
    struct transpose_job job;
    struct tensormap map[2];
    enum rule rule = RULE_OK;
    decode(parameters, map);
    memcpy(&job, parameters[2], sizeof job);
    for (uint32_t tile = 0; tile < job.tiles_down * job.tiles_across && rule == RULE_OK; tile++) {
        rule = run_tile(&job, map, bytes, tile);
        if (tile == job.dumped)
            memcpy((uint8_t *)(uintptr_t)job.dump, shared_bytes, 2 * (size_t)TRANSPOSE_TILE_BYTES(bytes));
    }
    return rule;
}

enum rule transpose_1(void **parameters)
{
    return run_matrix(parameters, 1);
}

enum rule transpose_2(void **parameters)
{
    return run_matrix(parameters, 2);
}

enum rule transpose_4(void **parameters)
{
    return run_matrix(parameters, 4);
}

enum rule transpose_8(void **parameters)
{
    return run_matrix(parameters, 8);
}

enum rule transpose_16(void **parameters)
{
    return run_matrix(parameters, 16);
}

static uint8_t *element(const struct article_job *job, uint32_t address, uint32_t i, uint32_t j)
{
    uint32_t index = i * job->side + j, line = index / CHUNKS, offset = address / 128 % job->lines;
    uint32_t chunk = CHUNKS * line + ((line + offset) % job->lines ^ index % CHUNKS);
    return shared_bytes + (address - TRANSPOSE_SHARED_START) + ARTICLE_ELEMENT_BYTES * chunk;
}

enum rule transpose_article(void **parameters)
{
    struct article_job job;
    struct tensormap map[2];
    uint8_t *window = shared_bytes + (ARTICLE_WINDOW - TRANSPOSE_SHARED_START);
    decode(parameters, map);
    memcpy(&job, parameters[2], sizeof job);
    meet_trouble((uint32_t)job.x);
    for (uint32_t at = 0; at < ARTICLE_WINDOW_BYTES; at += 4)
        memcpy(window + at, &(uint32_t){transpose_canary(ARTICLE_WINDOW + at)}, 4);
    enum rule rule = move(&map[0], job.x * ARTICLE_ELEMENT_WORDS, job.y, job.loaded, 0);
    for (uint32_t i = 0; i < job.side; i++)
        for (uint32_t j = 0; j < job.side; j++)
            memcpy(element(&job, job.transposed, j, i), element(&job, job.loaded, i, j), ARTICLE_ELEMENT_BYTES);
    if (rule == RULE_OK) rule = move(&map[1], job.y * ARTICLE_ELEMENT_WORDS, job.x, job.transposed, 1);
    memcpy((uint8_t *)(uintptr_t)job.dump, window, ARTICLE_WINDOW_BYTES);
    return rule;
}
