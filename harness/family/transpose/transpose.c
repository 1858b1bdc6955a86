// SPDX-License-Identifier: MIT
// Family "transpose": a matrix, or the article's tile, transposed by tensor copies. The result is the output with what
// lies around it, and shared memory: both buffers of a tile.
#include <string.h>

#include "arena.h"
#include "family.h"
#include "json.h"
#include "transpose_case.h"

static const char *const kernel_names[] = {"matrix", "article", NULL};
static const char *const swizzle_names[] = {"none", "32B", "64B", "128B", NULL};
static const char *const walk_names[] = {"rows", "diagonal", NULL};

static json_t *transpose_write(const void *test_case)
{
    const struct transpose_case *c = test_case;
    json_t *json = json_object();
    json_object_set_new(json, "kernel", json_string(kernel_names[c->is_article]));
    json_object_set_new(json, "bytes", json_u64(c->element_bytes));
    json_object_set_new(json, "rows", json_u64(c->rows));
    json_object_set_new(json, "columns", json_u64(c->columns));
    json_object_set_new(json, "source", json_u64(c->source));
    json_object_set_new(json, "sourcePitch", json_u64(c->source_pitch));
    json_object_set_new(json, "resultPitch", json_u64(c->result_pitch));
    json_object_set_new(json, "swizzle", json_string(swizzle_names[c->swizzle]));
    if (c->is_article) {
        json_object_set_new(json, "x", json_u64(c->x));
        json_object_set_new(json, "y", json_u64(c->y));
        json_object_set_new(json, "loaded", json_u64(c->loaded));
        json_object_set_new(json, "transposed", json_u64(c->transposed));
    } else {
        json_object_set_new(json, "walk", json_string(walk_names[c->walk]));
        json_object_set_new(json, "band", json_u64(c->band));
        json_object_set_new(json, "ctas", json_u64(c->ctas));
        json_object_set_new(json, "tile", json_u64(c->tile));
    }
    return json;
}

static const char *illegal_article(const struct transpose_case *c)
{
    uint32_t side = transpose_tiles(c).side, bytes = side * side * ARTICLE_ELEMENT_BYTES;
    uint32_t end = ARTICLE_WINDOW + ARTICLE_WINDOW_BYTES - bytes;
    if (c->element_bytes != ARTICLE_ELEMENT_BYTES) return "the article's kernel has elements of 16 bytes";
    if (c->loaded < ARTICLE_WINDOW || c->loaded > end || c->loaded % 128 != 0 || c->transposed < ARTICLE_WINDOW ||
        c->transposed > end || c->transposed % 128 != 0)
        return "\"loaded\" and \"transposed\" are multiples of 128 in the window";
    if (c->loaded < c->transposed + bytes && c->transposed < c->loaded + bytes) return "the two buffers overlap";
    return NULL;
}

static const char *illegal_matrix(const struct transpose_case *c)
{
    struct transpose_tiles tiles = transpose_tiles(c);
    if (c->swizzle != SWIZZLE_NONE && c->swizzle != SWIZZLE_128B) return "a matrix has \"swizzle\" none or 128B";
    if (c->ctas == 0 || c->band == 0 || c->band > tiles.down) return "\"band\" and \"ctas\" are 1 to the rows of tiles";
    if (tiles.down > TRANSPOSE_MAX_TILES || tiles.down * tiles.across > TRANSPOSE_MAX_TILES)
        return "there are at most 64 tiles";
    if (c->tile >= tiles.down * tiles.across) return "there is no such \"tile\"";
    return NULL;
}

static const char *illegal(const struct transpose_case *c)
{
    uint32_t bytes = c->element_bytes;
    if (bytes == 0 || bytes > 16 || (bytes & (bytes - 1)) != 0) return "\"bytes\" is 1, 2, 4, 8 or 16";
    if (c->rows == 0 || c->columns == 0) return "a matrix has rows and columns";
    if (c->source % 16 != 0 || c->source_pitch % 16 != 0 || c->result_pitch % 16 != 0)
        return "\"source\" and pitches are multiples of 16";
    if (c->source_pitch < c->columns * bytes || c->result_pitch < c->rows * bytes)
        return "a row is longer than its pitch";
    if (c->source + (uint64_t)c->rows * c->source_pitch > ARENA_BYTES) return "the source does not fit the arena";
    if ((uint64_t)c->columns * c->result_pitch > TRANSPOSE_MAX_OUTPUT_BYTES) return "the result is too large";
    return c->is_article ? illegal_article(c) : illegal_matrix(c);
}

static int transpose_read(const json_t *json, void *test_case, struct text *why)
{
    struct transpose_case *c = test_case;
    struct json_reader reader = json_reader_open(json, "transpose case", why);
    *c = (struct transpose_case){0};
    c->is_article = (uint32_t)json_read_name(&reader, "kernel", kernel_names);
    c->element_bytes = (uint32_t)json_read_u64(&reader, "bytes", 16);
    c->rows = (uint32_t)json_read_u64(&reader, "rows", UINT16_MAX);
    c->columns = (uint32_t)json_read_u64(&reader, "columns", UINT16_MAX);
    c->source = (uint32_t)json_read_u64(&reader, "source", ARENA_BYTES);
    c->source_pitch = (uint32_t)json_read_u64(&reader, "sourcePitch", TRANSPOSE_MAX_OUTPUT_BYTES);
    c->result_pitch = (uint32_t)json_read_u64(&reader, "resultPitch", TRANSPOSE_MAX_OUTPUT_BYTES);
    c->swizzle = (uint32_t)json_read_name(&reader, "swizzle", swizzle_names);
    if (c->is_article) {
        c->x = (uint32_t)json_read_u64(&reader, "x", UINT16_MAX);
        c->y = (uint32_t)json_read_u64(&reader, "y", UINT16_MAX);
        c->loaded = (uint32_t)json_read_u64(&reader, "loaded", UINT16_MAX);
        c->transposed = (uint32_t)json_read_u64(&reader, "transposed", UINT16_MAX);
    } else {
        c->walk = (uint32_t)json_read_name(&reader, "walk", walk_names);
        c->band = (uint32_t)json_read_u64(&reader, "band", UINT16_MAX);
        c->ctas = (uint32_t)json_read_u64(&reader, "ctas", UINT16_MAX);
        c->tile = (uint32_t)json_read_u64(&reader, "tile", UINT16_MAX);
    }
    if (!json_reader_close(&reader)) return 0;
    const char *what = illegal(c);
    if (what != NULL) text_set(why, "transpose case: %s", what);
    return what == NULL;
}

const struct family family_transpose = {
    .name = "transpose",
    .summary = "transposition through swizzled tiles: the output, and both buffers of a tile",
    .case_bytes = sizeof(struct transpose_case),
    .cost = 15,
    .generate = transpose_generate,
    .write = transpose_write,
    .read = transpose_read,
    .result_bytes = transpose_result_bytes,
    .run_model = transpose_run_model,
    .run_gpu = transpose_run_gpu,
    .kernels = "transpose",
    .explain = transpose_explain,
    .rule = RULE_SWIZZLE_128B,
};
