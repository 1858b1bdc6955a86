// SPDX-License-Identifier: MIT
// One box of a tiled map, or one column of an im2col map, in shared memory: its size and bytes to expect, whether the
// load, store or reduction works, and which element lies where. explain_summary.c and explain_place.c print it.
#include "explain_box.h"
#include "json.h"

#include <inttypes.h>
#include <stdio.h>

#include "answer.h"
#include "command.h"
#include "copy.h"
#include "im2col_load.h"
#include "im2col_store.h"
#include "map_text.h"
#include "rules/load.h"
#include "rules/store.h"
#include "store.h"
#include "swizzle_names.h"

// All shared addresses that a CTA can have: 1 KiB of the system's and 227 KiB of its own.
enum { SHARED_WINDOW_BYTES = TENSORMAP_MAX_BOX_BYTES };

static void check_operation(const struct explain *q, const struct memory *shared, struct findings *findings)
{
    const struct tensormap *map = &q->map;
    bool is_im2col = map->mode == TENSORMAP_IM2COL;
    int rank = map->rank;
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
static void check(struct copy *copy)
{
    const struct memory shared = {NULL, 0, SHARED_WINDOW_BYTES};
    check_operation(copy->question, &shared, &copy->findings);
    copy->rule = findings_first_broken(&copy->findings);
}

static bool is_readable(const struct copy *copy)
{
    return copy->rule != RULE_LOAD_MAP_FORMAT && copy->rule != RULE_STORE_MAP_FORMAT;
}

// The bytes that move, and how far they reach.
static uint64_t count_bytes(const struct box *box, uint64_t *reach_bytes)
{
    struct box_walk walk = box_walk(box);
    struct tile_run run;
    uint64_t bytes = 0;
    for (uint64_t alike; (alike = box_next_rows(box, &walk, &run)) > 0;) {
        if (run.is_fill) continue;
        bytes += alike * run.bytes;
        *reach_bytes = run.offset + (alike - 1) * box_pitch_bytes(box) + run.bytes;
    }
    return bytes;
}

static void count(struct copy *copy)
{
    const struct explain *question = copy->question;
    copy->data_bytes = count_bytes(&copy->box, &copy->reach_bytes);
    if (question->operation == EXPLAIN_LOAD) return;
    uint64_t in_bounds = copy->data_bytes;
    box_start_store(&copy->box, question->map.mode, &question->map, question->coord);
    copy->data_bytes = count_bytes(&copy->box, &copy->reach_bytes);
    copy->past_bytes = copy->data_bytes - in_bounds;
}

static int answer(const struct copy *copy)
{
    const struct explain *question = copy->question;
    json_t *json = box_summary(copy);
    int status = copy->rule == RULE_OK ? EXIT_AGREE : EXIT_MISMATCH;
    if (question->wants_byte && box_add_byte(copy, json) != EXIT_AGREE) status = EXIT_MISMATCH;
    if (question->wants_element && box_add_element(copy, json) != EXIT_AGREE) status = EXIT_MISMATCH;
    if (question->wants_table) box_add_table(copy, json);
    if (!question->json) {
        answer_text(json, box_summary_text, stdout);
        findings_print(&copy->findings, stdout);
    }
    answer_print(json, question->json ? NULL : box_places_text, JSON_INDENT(2));
    return status;
}

int explain_box(const struct explain *question)
{
    struct copy copy = {.question = question, .swizzle = swizzle_name(question->map.swizzle)->name};
    copy.is_im2col = question->map.mode == TENSORMAP_IM2COL;
    check(&copy);
    if (!is_readable(&copy)) {
        findings_print(&copy.findings, stderr);
        return command_usage("explain", "no copy can use this map; 'tmaref decode' says what it holds");
    }
    box_start(&copy.box, question->map.mode, &question->map, question->coord, question->offset);
    copy.extent_bytes = box_extent_bytes(&copy.box);
    copy.all_bytes = box_transaction_bytes(&copy.box);
    if (copy.extent_bytes > UINT32_MAX || question->shared + copy.extent_bytes > (uint64_t)UINT32_MAX + 1)
        return command_usage("explain", "the box would end at 0x%" PRIx64 ", past all shared addresses",
                             question->shared + copy.extent_bytes - 1);
    count(&copy);
    return answer(&copy);
}
