// SPDX-License-Identifier: MIT
// Family "transpose": a matrix, or the article's tile, transposed by tensor copies. The result is the output with what
// lies around it, and shared memory: both buffers of a tile.
#include <inttypes.h>
#include <string.h>

#include "arena.h"
#include "family.h"
#include "field.h"
#include "rules/store.h"
#include "swizzle_names.h"
#include "transpose_case.h"

static const char *const kernel_names[] = {"matrix", "article", NULL};
static const char *const walk_names[] = {"rows", "diagonal", NULL};

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

static const char *illegal(const void *test_case)
{
    const struct transpose_case *c = test_case;
    uint32_t bytes = c->element_bytes;
    if (bytes == 0 || bytes > 16 || (bytes & (bytes - 1)) != 0) return "\"bytes\" is 1, 2, 4, 8 or 16";
    if (c->source_pitch < c->columns * bytes || c->result_pitch < c->rows * bytes)
        return "a row is longer than its pitch";
    if (c->source + (uint64_t)c->rows * c->source_pitch > ARENA_BYTES) return "the source does not fit the arena";
    if ((uint64_t)c->columns * c->result_pitch > TRANSPOSE_MAX_OUTPUT_BYTES) return "the result is too large";
    return c->is_article ? illegal_article(c) : illegal_matrix(c);
}

static int kernel_of(const void *test_case)
{
    return 1 << ((const struct transpose_case *)test_case)->is_article;
}

#define CASE    struct transpose_case
#define MATRIX  .is_there = kernel_of, .only = 1 << 0, .where = "the kernels of whole matrices"
#define ARTICLE .is_there = kernel_of, .only = 1 << 1, .where = "the article's kernel"
static const struct field field[] = {
    FIELD_ONE_OF("kernel", is_article, kernel_names, "the kernel"),
    FIELD_NUMBER("bytes", element_bytes, 1, 16, "bytes of an element: 1, 2, 4, 8 or 16"),
    FIELD_NUMBER("rows", rows, 1, UINT16_MAX, "rows of the source"),
    FIELD_NUMBER("columns", columns, 1, UINT16_MAX, "columns of the source"),
    FIELD_NUMBER("source", source, 0, ARENA_BYTES, "where the source is in the arena", .multiple = 16),
    FIELD_NUMBER("sourcePitch", source_pitch, 0, TRANSPOSE_MAX_OUTPUT_BYTES, "bytes from row to row of the source",
                 .multiple = 16),
    FIELD_NUMBER("resultPitch", result_pitch, 0, TRANSPOSE_MAX_OUTPUT_BYTES, "bytes from row to row of the result",
                 .multiple = 16),
    FIELD_NAMED("swizzle", swizzle, swizzle_plain_name, SWIZZLE_128B, "of both maps"),
    FIELD_NUMBER("x", x, 0, UINT16_MAX, "column of the tile", ARTICLE),
    FIELD_NUMBER("y", y, 0, UINT16_MAX, "row of the tile", ARTICLE),
    FIELD_NUMBER("loaded", loaded, 0, UINT16_MAX, "where the tile is loaded in shared memory", ARTICLE),
    FIELD_NUMBER("transposed", transposed, 0, UINT16_MAX, "where it is transposed to", ARTICLE),
    FIELD_ONE_OF("walk", walk, walk_names, "how threads walk over a tile", MATRIX),
    FIELD_NUMBER("band", band, 0, UINT16_MAX, "rows of tiles of a band", MATRIX),
    FIELD_NUMBER("ctas", ctas, 0, UINT16_MAX, "CTAs of the grid", MATRIX),
    FIELD_NUMBER("tile", tile, 0, UINT16_MAX, "the tile whose shared memory is kept", MATRIX),
    FIELD_END,
};
#undef ARTICLE
#undef MATRIX
#undef CASE

// --- In words --------------------------------------------------------------------------------------------------------

enum rule transpose_explain(const void *test_case, const struct difference *difference, FILE *out)
{
    const struct transpose_case *c = test_case;
    uint32_t at = difference->at;
    const enum rule swizzle = swizzle_name((enum tensormap_swizzle)c->swizzle)->rule;
    if (difference->window != 0) return swizzle; // the buffers: the place says all
    uint32_t end = c->columns * c->result_pitch, byte = at - TRANSPOSE_GUARD_BYTES;
    if (at < TRANSPOSE_GUARD_BYTES || byte >= end) {
        fprintf(out, "    it is outside of the output\n");
        return RULE_STORE_BOUNDS;
    }
    uint32_t row = byte / c->result_pitch, column = byte % c->result_pitch / c->element_bytes;
    if (column >= c->rows) {
        fprintf(out, "    it is behind row %u of the output\n", row);
        return RULE_STORE_GRANULE;
    }
    fprintf(out, "    it is element (%u, %u) of the output, (%u, %u) of the source\n", row, column, column, row);
    return swizzle;
}

const struct family family_transpose = {
    FAMILY_CASES("transpose", struct transpose_case, field, .illegal = illegal),
    .summary = "transposition through swizzled tiles: the output, and both buffers of a tile",
    .cost = 15,
    .generate = transpose_generate,
    .windows = transpose_windows,
    .fill = transpose_fill,
    .run_model = transpose_run_model,
    .run_gpu = transpose_run_gpu,
    .kernels = "transpose",
    .explain = transpose_explain,
};
