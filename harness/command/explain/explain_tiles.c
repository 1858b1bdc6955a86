// SPDX-License-Identifier: MIT
// The tiles of a tensor: how many boxes cover it, the coordinates of each, and the coordinates of every element of one,
// printed as CuTe prints a coordinate tensor.
#include <inttypes.h>
#include <stdio.h>

#include "answer.h"
#include "command.h"
#include "explain_command.h"
#include "json.h"
#include "tile.h"

enum { SHOWN_COLUMNS = 16, SHOWN_ROWS = 16 };

// `grid` is in boxes, `extent` what a box covers, innermost first.
struct tiling {
    const struct explain *question;
    struct tile tile;
    uint64_t grid[TENSORMAP_MAX_RANK], extent[TENSORMAP_MAX_RANK];
    uint64_t count;
};

// One CTA's box: its place in the grid, its first element, and how much of it lies inside the tensor.
struct cta {
    uint64_t number;
    int64_t tile[TENSORMAP_MAX_RANK], coord[TENSORMAP_MAX_RANK], inside[TENSORMAP_MAX_RANK];
    bool is_remainder;
};

// With interleave a box is one channel slice deep, whatever its boxDim says.
static uint64_t extent_of(const struct tensormap *map, int i)
{
    return map->interleave != INTERLEAVE_NONE && i == map->rank - 2 ? 1 : map->box[i];
}

static int tiling_of(const struct explain *question, struct tiling *tiling)
{
    const struct tensormap *map = &question->map;
    unsigned __int128 count = 1;
    *tiling = (struct tiling){.question = question, .tile = tile_of(map, question->coord)};
    for (int i = 0; i < map->rank; i++) {
        tiling->extent[i] = extent_of(map, i);
        tiling->grid[i] = (map->dim[i] + tiling->extent[i] - 1) / tiling->extent[i];
        count *= tiling->grid[i];
        if (count > INT64_MAX) return command_usage("explain", "more than 2^63 tiles");
    }
    tiling->count = (uint64_t)count;
    return EXIT_AGREE;
}

static struct cta cta_of(const struct tiling *tiling, uint64_t number)
{
    const struct tensormap *map = &tiling->question->map;
    struct cta cta = {.number = number};
    for (int k = 0; k < map->rank; k++) {
        int i = tiling->question->inner_first ? k : map->rank - 1 - k;
        uint64_t coord = number % tiling->grid[i] * tiling->extent[i], left = map->dim[i] - coord;
        cta.tile[i] = (int64_t)(number % tiling->grid[i]);
        number /= tiling->grid[i];
        cta.coord[i] = (int64_t)coord;
        cta.inside[i] = (int64_t)(left < tiling->extent[i] ? left : tiling->extent[i]);
        cta.is_remainder |= left < tiling->extent[i];
    }
    return cta;
}

static json_t *cta_json(const struct tiling *tiling, const struct cta *cta)
{
    int rank = tiling->question->map.rank;
    return json_pack("{s:I, s:o, s:o, s:o, s:b}", "cta", (json_int_t)cta->number, "tile",
                     json_numbers(NUMBERS(cta->tile, rank)), "coord", json_numbers(NUMBERS(cta->coord, rank)),
                     "inBounds", json_numbers(NUMBERS(cta->inside, rank)), "remainder", cta->is_remainder);
}

static const char text_of_tiles[] =
    "tensor of {dim*{}| x }, boxes of {box*{}| x }: {grid*{}| x } = {tiles} tiles (innermost first)\n"
    "CTA numbers run along the {order=inner?innermost dimension first (--order outer: along the outermost)}"
    "{order=outer?outermost dimension first, as with blockIdx.x over the rows of a matrix (--order inner: the other)}\n"
    "{ctas*CTA {cta:-6} tile ({tile*{}|, })  coordinates ({coord*{}|, })"
    "{remainder?  remainder: {inBounds*{}| x } in bounds}\n}"
    "{isCut?... only the first {ctas#} of {tiles}; --all prints every one\n}";

// CTAs first to end - 1.
static json_t *tiles_json(const struct tiling *tiling, uint64_t first, uint64_t end)
{
    const struct tensormap *map = &tiling->question->map;
    json_t *ctas = json_array();
    for (uint64_t i = first; i < end; i++) {
        struct cta cta = cta_of(tiling, i);
        json_array_append_new(ctas, cta_json(tiling, &cta));
    }
    return json_pack("{s:o, s:o, s:o, s:I, s:s, s:o}", "dim", json_numbers(NUMBERS(map->dim, map->rank)), "box",
                     json_numbers(NUMBERS(tiling->extent, map->rank)), "grid",
                     json_numbers(NUMBERS(tiling->grid, map->rank)), "tiles", (json_int_t)tiling->count, "order",
                     tiling->question->inner_first ? "inner" : "outer", "ctas", ctas);
}

static int list_tiles(const struct tiling *tiling)
{
    const struct explain *question = tiling->question;
    uint64_t shown = question->all || tiling->count < EXPLAIN_LIST_LINES ? tiling->count : EXPLAIN_LIST_LINES;
    json_t *json = tiles_json(tiling, 0, shown);
    json_object_set_new(json, "isCut", json_boolean(shown < tiling->count));
    answer_print(json, question->json ? NULL : text_of_tiles, JSON_INDENT(2));
    return EXIT_AGREE;
}

// The step of one element of the box along dimension i: CuTe's basis element with its scale, _1@0.
static uint32_t scale_of(const struct tensormap *map, int i)
{
    return i == 0 && map->interleave == INTERLEAVE_NONE ? 1 : map->estride[i];
}

// ArithTuple(0,112) o (_16,_16):(_1@1,_1@0): coordinates innermost first, shape and strides outermost first.
static void print_arith_tuple(const struct tiling *tiling, const struct cta *cta)
{
    const struct tensormap *map = &tiling->question->map;
    printf("ArithTuple(%s) o (", text_numbers(NUMBERS(cta->coord, map->rank), ",").at);
    for (int i = map->rank - 1; i >= 0; i--) printf("_%" PRIu32 "%s", tiling->tile.steps[i], i == 0 ? "" : ",");
    printf("):(");
    for (int i = map->rank - 1; i >= 0; i--) printf("_%" PRIu32 "@%d%s", scale_of(map, i), i, i == 0 ? "" : ",");
    printf("):\n");
}

static void print_coordinate(const struct tiling *tiling, const struct cta *cta, const uint32_t *step)
{
    const struct tensormap *map = &tiling->question->map;
    bool outside = false;
    printf("(");
    for (int i = 0; i < map->rank; i++) {
        int64_t index = cta->coord[i] + (int64_t)step[i] * scale_of(map, i);
        outside |= index >= (int64_t)map->dim[i];
        printf("%s%" PRId64, i == 0 ? "" : ",", index);
    }
    printf(")%s", outside ? "*" : "");
}

// Shows entry k of n: all, or the first ones and the last.
static bool is_shown(const struct tiling *tiling, uint64_t k, uint64_t n, uint64_t shown)
{
    return tiling->question->all || n <= shown || k < shown - 1 || k == n - 1;
}

static void print_row(const struct tiling *tiling, const struct cta *cta, uint32_t *step)
{
    uint32_t columns = tiling->tile.steps[0];
    for (uint32_t k = 0; k < columns; k++) {
        if (!is_shown(tiling, k, columns, SHOWN_COLUMNS)) {
            if (k == SHOWN_COLUMNS - 1) printf("  ...");
            continue;
        }
        step[0] = k;
        printf("  ");
        print_coordinate(tiling, cta, step);
    }
    printf("\n");
}

// Rows of dimension 0, one below the other along dimension 1; a blank line where a dimension further out moves on.
static void print_coordinates(const struct tiling *tiling, const struct cta *cta)
{
    const struct tile *tile = &tiling->tile;
    uint64_t rows = tile->rows;
    for (uint64_t row = 0; row < rows; row++) {
        uint32_t step[TENSORMAP_MAX_RANK] = {0};
        uint64_t rest = row;
        if (!is_shown(tiling, row, rows, SHOWN_ROWS)) {
            if (row == SHOWN_ROWS - 1) printf("  ...\n");
            continue;
        }
        for (int i = 1; i < tile->map->rank; i++) {
            step[i] = (uint32_t)(rest % tile->steps[i]);
            rest /= tile->steps[i];
        }
        if (row != 0 && tile->map->rank > 2 && step[1] == 0) printf("\n");
        print_row(tiling, cta, step);
    }
    if (cta->is_remainder) printf("* out of bounds: filled\n");
    if (!tiling->question->all && (rows > SHOWN_ROWS || tile->steps[0] > SHOWN_COLUMNS))
        printf("--all prints every coordinate\n");
}

static int explain_cta(const struct tiling *tiling)
{
    const struct explain *question = tiling->question;
    if (question->cta >= tiling->count)
        return command_usage("explain", "--cta: there are %" PRIu64 " tiles, so CTA 0 to %" PRIu64, tiling->count,
                             tiling->count - 1);
    struct cta cta = cta_of(tiling, question->cta);
    if (question->json) {
        json_print(cta_json(tiling, &cta), JSON_INDENT(2));
        return EXIT_AGREE;
    }
    answer_print(tiles_json(tiling, question->cta, question->cta + 1), text_of_tiles, 0);
    printf("\n");
    print_arith_tuple(tiling, &cta);
    print_coordinates(tiling, &cta);
    return EXIT_AGREE;
}

int explain_tiles(const struct explain *question)
{
    struct tiling tiling;
    int status = tiling_of(question, &tiling);
    if (status != EXIT_AGREE) return status;
    return question->wants_cta ? explain_cta(&tiling) : list_tiles(&tiling);
}
