// SPDX-License-Identifier: MIT
// One box of a tiled map, or one column of an im2col map, in shared memory: its size and bytes to expect, whether the
// load, store or reduction works, and which element lies where. explain_summary.c and explain_place.c print it.
#include "explain_box.h"
#include "json.h"

#include <inttypes.h>
#include <stdio.h>

#include "command.h"
#include "copy.h"
#include "im2col_load.h"
#include "im2col_store.h"
#include "map_text.h"
#include "picture/swizzle_names.h"
#include "store.h"

// All shared addresses that a CTA can have: 1 KiB of the system's and 227 KiB of its own.
enum { SHARED_WINDOW_BYTES = TENSORMAP_MAX_BOX_BYTES, PIECE_BYTES = 16 };

void box_walk_start(struct box_walk *walk, const struct box *box)
{
    *walk = (struct box_walk){.box = box};
    if (box->is_im2col) {
        walk->single = box->column;
        walk->single.pixels_touch = 0;
        walk->pixels = im2col_walk(&walk->single);
    } else {
        walk->rows = tile_walk(&box->tile);
    }
}

int box_walk_next(struct box_walk *walk, struct tile_run *run)
{
    return walk->box->is_im2col ? im2col_next(&walk->pixels, run) : tile_next(&walk->rows, run);
}

int box_place_of_shared(const struct box *box, uint32_t address, struct provenance *place)
{
    const struct explain *question = box->question;
    return box->is_im2col ? provenance_of_column_shared(&box->column, question->coord, question->shared, address, place)
                          : provenance_of_shared(&box->walked, question->coord, question->shared, address, place);
}

int box_place_of_element(const struct box *box, const int64_t *index, struct provenance *place)
{
    const struct explain *question = box->question;
    return box->is_im2col ? provenance_of_column_element(&box->column, question->coord, question->shared, index, place)
                          : provenance_of_element(&box->walked, question->coord, question->shared, index, place);
}

static void check_operation(const struct explain *q, const struct memory *shared, struct findings *findings)
{
    const struct tensormap *map = &q->map;
    int is_im2col = map->mode == TENSORMAP_IM2COL, rank = map->rank;
    if (q->operation == EXPLAIN_LOAD && is_im2col)
        im2col_load_check(map, rank, q->coord, q->offset, NULL, shared, q->shared, findings);
    else if (q->operation == EXPLAIN_LOAD)
        tile_load_check(map, rank, q->coord, NULL, shared, q->shared, findings);
    else if (q->operation == EXPLAIN_STORE && is_im2col)
        im2col_store_check(map, rank, q->coord, NULL, shared, q->shared, findings);
    else if (q->operation == EXPLAIN_STORE)
        tile_store_check(map, rank, q->coord, NULL, shared, q->shared, findings);
    else if (is_im2col)
        im2col_reduce_check(q->op, map, rank, q->coord, NULL, shared, q->shared, findings);
    else
        tile_reduce_check(q->op, map, rank, q->coord, NULL, shared, q->shared, findings);
}

// The check with all of a CTA's shared memory. Where global memory is mapped nobody knows here.
static void check(struct box *box)
{
    const struct memory shared = {NULL, 0, SHARED_WINDOW_BYTES};
    check_operation(box->question, &shared, &box->findings);
    box->rule = findings_first_broken(&box->findings);
}

static int is_readable(const struct box *box)
{
    return box->rule != RULE_LOAD_MAP_FORMAT && box->rule != RULE_STORE_MAP_FORMAT;
}

// The map whose plain walk is that of a store (tile_of_store).
static void round_up_dimension_0(struct tensormap *map)
{
    uint64_t piece = PIECE_BYTES / tensormap_step_bytes(map);
    if (piece > 1) map->dim[0] = (map->dim[0] + piece - 1) / piece * piece;
}

static uint32_t next_alike(struct box_walk *walk, struct tile_run *run)
{
    return walk->box->is_im2col ? im2col_next_pixels(&walk->pixels, run) : tile_next_rows(&walk->rows, run);
}

static uint64_t count_bytes(const struct box *box, uint64_t *reach_bytes)
{
    const uint64_t pitch = box->is_im2col ? box->column.pitch_bytes : box->tile.pitch_bytes;
    struct box_walk walk;
    struct tile_run run;
    uint64_t bytes = 0;
    box_walk_start(&walk, box);
    for (uint64_t alike; (alike = next_alike(&walk, &run)) > 0;) {
        if (run.is_fill) continue;
        bytes += alike * run.bytes;
        *reach_bytes = run.offset + (alike - 1) * pitch + run.bytes;
    }
    return bytes;
}

static void measure(struct box *box)
{
    const struct explain *question = box->question;
    box->walked = question->map;
    if (box->is_im2col) {
        box->column = im2col_of(&question->map, question->coord, question->offset);
        box->extent_bytes = im2col_extent_bytes(&box->column);
        box->all_bytes = im2col_transaction_bytes(&box->column);
    } else {
        box->tile = tile_of(&question->map, question->coord);
        box->extent_bytes = tile_extent_bytes(&box->tile);
        box->all_bytes = tile_transaction_bytes(&box->tile);
    }
}

static void count(struct box *box)
{
    const struct explain *question = box->question;
    box->data_bytes = count_bytes(box, &box->reach_bytes);
    if (question->operation == EXPLAIN_LOAD) return;
    uint64_t in_bounds = box->data_bytes;
    round_up_dimension_0(&box->walked);
    if (box->is_im2col)
        box->column = im2col_of_store(&question->map, question->coord);
    else
        box->tile = tile_of(&box->walked, question->coord);
    box->data_bytes = count_bytes(box, &box->reach_bytes);
    box->past_bytes = box->data_bytes - in_bounds;
}

static int answer(const struct box *box)
{
    const struct explain *question = box->question;
    json_t *json = question->json ? box_summary_json(box) : NULL;
    int status = box->rule == RULE_OK ? EXIT_AGREE : EXIT_MISMATCH;
    if (json == NULL) box_print_summary(box);
    if (question->wants_byte && box_answer_byte(box, json) != EXIT_AGREE) status = EXIT_MISMATCH;
    if (question->wants_element && box_answer_element(box, json) != EXIT_AGREE) status = EXIT_MISMATCH;
    if (question->wants_table) box_answer_table(box, json);
    if (json != NULL) json_print(json, JSON_INDENT(2));
    return status;
}

int explain_box(const struct explain *question)
{
    struct box box = {.question = question, .swizzle = swizzle_name(question->map.swizzle)->name};
    box.is_im2col = question->map.mode == TENSORMAP_IM2COL;
    check(&box);
    if (!is_readable(&box)) {
        findings_print(&box.findings, stderr);
        return command_usage("explain", "no copy can use this map; 'tmaref decode' says what it holds");
    }
    measure(&box);
    if (box.extent_bytes > UINT32_MAX || question->shared + box.extent_bytes > (uint64_t)UINT32_MAX + 1)
        return command_usage("explain", "the box would end at 0x%" PRIx64 ", past all shared addresses",
                             question->shared + box.extent_bytes - 1);
    count(&box);
    return answer(&box);
}
