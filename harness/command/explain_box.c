// SPDX-License-Identifier: MIT
// One box of a tiled map in shared memory: its size and bytes to expect, whether the load works, and which element lies
// where. Everything is asked of the walk (tile.h, provenance.h); nothing is computed a second time here.
#include <inttypes.h>
#include <stdio.h>

#include "command.h"
#include "copy.h"
#include "explain.h"
#include "map_names.h"
#include "map_text.h"
#include "picture/bank.h"
#include "picture/swizzle_names.h"
#include "provenance.h"
#include "swizzle.h"

// All shared addresses that a CTA can have: 1 KiB of the system's and 227 KiB of its own.
enum { SHARED_WINDOW_BYTES = TENSORMAP_MAX_BOX_BYTES, LINE_BYTES = 128, CHUNK_BYTES = 16 };

struct box {
    const struct explain *question;
    struct tile tile;
    struct findings findings;
    enum rule rule;      // the first that makes the load fault
    uint64_t data_bytes; // in bounds
    const char *swizzle;
};

// The check of a load with all of a CTA's shared memory. Where global memory is mapped nobody knows here, so findings
// about that are left out.
static void check_load(const struct explain *question, struct box *box)
{
    static uint8_t shared_bytes[SHARED_WINDOW_BYTES];
    uint8_t global_byte = 0;
    const struct memory shared = {shared_bytes, 0, sizeof shared_bytes}, global = {&global_byte, 0, 1};
    struct findings all = {0};
    tile_load_check(&question->map, question->map.rank, question->coord, &global, &shared, question->shared, &all);
    for (int i = 0; i < all.count && i < FINDINGS_MAX; i++)
        if (all.item[i].rule != RULE_LOAD_UNMAPPED && all.item[i].rule != RULE_LOAD_BASE_UNMAPPED)
            finding_add(&box->findings, all.item[i]);
    box->rule = findings_first_broken(&box->findings);
}

static int is_readable(const struct box *box)
{
    for (int i = 0; i < box->findings.count; i++)
        if (box->findings.item[i].rule == RULE_LOAD_MAP_FORMAT) return 0;
    return 1;
}

static void print_product(const char *name, const uint64_t *values, int rank)
{
    printf("%-20s ", name);
    for (int i = 0; i < rank; i++) printf("%s%" PRIu64, i == 0 ? "" : " x ", values[i]);
}

static void print_tensor(const struct box *box)
{
    const struct tensormap *map = box->tile.map;
    uint64_t steps[TENSORMAP_MAX_RANK];
    int64_t coord[TENSORMAP_MAX_RANK];
    for (int i = 0; i < map->rank; i++) {
        steps[i] = box->tile.steps[i];
        coord[i] = box->tile.coord[i];
    }
    print_product("tensor", map->dim, map->rank);
    printf(" %s at 0x%" PRIx64 "\n%-20s ", dtype_row(map->dtype)->name, map->address, "coordinates");
    explain_print_index(coord, map->rank);
    printf(", innermost first\n");
    print_product("box", steps, map->rank);
    if (map->interleave == INTERLEAVE_NONE)
        printf(" elements\n");
    else
        printf(" pixels of %" PRIu32 " bytes\n", tensormap_step_bytes(map));
}

static void print_swizzle(const struct box *box)
{
    enum tensormap_swizzle mode = box->tile.map->swizzle;
    uint32_t repeat = swizzle_repeat_bytes(mode);
    printf("%-20s %s", "swizzle", box->swizzle);
    if (repeat != 0 && box->question->shared % repeat == 0)
        printf(": the pattern repeats every %" PRIu32 " bytes, the box begins where it begins", repeat);
    else if (repeat != 0)
        printf(": the pattern repeats every %" PRIu32 " bytes, the box begins %" PRIu32 " bytes into it", repeat,
               box->question->shared % repeat);
    printf("\n");
}

static void print_summary(const struct box *box)
{
    const struct tile *tile = &box->tile;
    uint64_t extent = tile_extent_bytes(tile), bytes = tile_transaction_bytes(tile);
    uint32_t shared = box->question->shared;
    print_tensor(box);
    printf("%-20s %" PRIu64 " rows of %" PRIu32 " bytes, pitch %" PRIu32 " bytes\n", "rows", tile->rows,
           tile->row_bytes, tile->pitch_bytes);
    printf("%-20s 0x%" PRIx32 " to 0x%" PRIx64 ", %" PRIu64 " bytes\n", "shared memory", shared,
           (uint64_t)shared + extent - 1, extent);
    printf("%-20s %" PRIu64 " bytes, in and out of bounds\n", "expect_tx", bytes);
    printf("%-20s %" PRIu64 " bytes; %" PRIu64 " bytes are filled", "in bounds", box->data_bytes,
           bytes - box->data_bytes);
    if (bytes != box->data_bytes && tile->map->oob_fill == OOB_FILL_ZERO)
        printf(" with zeros");
    else if (bytes != box->data_bytes)
        printf(" with 0x%04x in every 16 bits", oob_fill_pattern(tile->map->oob_fill));
    printf("\n");
    print_swizzle(box);
}

static void print_verdict(const struct box *box)
{
    int error = rule_cuda_error(box->rule);
    printf("%-20s ", "load");
    if (box->rule == RULE_OK)
        printf("works, if what is in bounds is mapped\n");
    else
        printf("faults with %s (%d):\n", cuda_error_name(error), error);
    findings_print(&box->findings, stdout);
}

static json_t *summary_json(const struct box *box)
{
    const struct tile *tile = &box->tile;
    json_t *steps = json_array(), *coord = json_array();
    for (int i = 0; i < tile->map->rank; i++) {
        json_array_append_new(steps, json_integer(tile->steps[i]));
        json_array_append_new(coord, json_integer(tile->coord[i]));
    }
    return json_pack("{s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:s}", "coord", coord, "steps", steps, "shared",
                     (json_int_t)box->question->shared, "rows", (json_int_t)tile->rows, "rowBytes",
                     (json_int_t)tile->row_bytes, "pitchBytes", (json_int_t)tile->pitch_bytes, "extentBytes",
                     (json_int_t)tile_extent_bytes(tile), "expectTx", (json_int_t)tile_transaction_bytes(tile),
                     "inBoundsBytes", (json_int_t)box->data_bytes, "swizzle", box->swizzle);
}

// One byte of the box, in words. Banks are 4 bytes wide.
static void print_place(const struct box *box, const struct provenance *place)
{
    int rank = box->tile.map->rank;
    uint32_t at = place->shared;
    printf("\nshared 0x%" PRIx32 ": byte %" PRIu32 " of %s ", at, place->byte,
           box->tile.map->interleave == INTERLEAVE_NONE ? "element" : "pixel");
    explain_print_index(place->index, rank);
    if (place->is_fill)
        printf("\n  global memory      none: out of bounds, filled\n");
    else
        printf("\n  global memory      0x%" PRIx64 "\n", place->address);
    printf("  bank               %" PRIu32 "\n  16-byte chunk      %" PRIu32 " of the 128-byte line 0x%" PRIx32 "\n",
           at / BANK_BYTES % BANKS, at % LINE_BYTES / CHUNK_BYTES, at / LINE_BYTES * LINE_BYTES);
    printf("  without swizzle    0x%" PRIx32 "\n", swizzle_apply(box->tile.map->swizzle, at));
}

static json_t *place_json(const struct box *box, const struct provenance *place)
{
    uint32_t at = place->shared;
    json_t *json =
        json_pack("{s:o, s:I, s:I, s:b, s:I, s:I, s:I}", "index", explain_index(place->index, box->tile.map->rank),
                  "byte", (json_int_t)place->byte, "shared", (json_int_t)at, "fill", place->is_fill, "bank",
                  (json_int_t)(at / BANK_BYTES % BANKS), "chunk", (json_int_t)(at % LINE_BYTES / CHUNK_BYTES),
                  "unswizzled", (json_int_t)swizzle_apply(box->tile.map->swizzle, at));
    if (!place->is_fill) json_object_set_new(json, "global", json_sprintf("0x%" PRIx64, place->address));
    return json;
}

static int answer_byte(const struct box *box, json_t *json)
{
    const struct explain *question = box->question;
    struct provenance place;
    if (provenance_of_shared(&question->map, question->coord, question->shared, question->byte, &place)) {
        if (json != NULL)
            json_object_set_new(json, "byte", place_json(box, &place));
        else
            print_place(box, &place);
        return EXIT_AGREE;
    }
    uint32_t flat = swizzle_apply(question->map.swizzle, question->byte);
    uint64_t extent = tile_extent_bytes(&box->tile);
    int is_gap = flat >= question->shared && flat - question->shared < extent;
    if (json != NULL)
        json_object_set_new(json, "byte", json_null());
    else
        printf("\nshared 0x%" PRIx32 ": no byte of the box: %s\n", question->byte,
               is_gap ? "a gap after a short row, which the load leaves as it is" : "outside of it");
    return EXIT_MISMATCH;
}

static int answer_element(const struct box *box, json_t *json)
{
    const struct explain *question = box->question;
    struct provenance place;
    if (provenance_of_element(&question->map, question->coord, question->shared, question->element, &place)) {
        if (json != NULL)
            json_object_set_new(json, "element", place_json(box, &place));
        else
            print_place(box, &place);
        return EXIT_AGREE;
    }
    if (json != NULL) {
        json_object_set_new(json, "element", json_null());
        return EXIT_MISMATCH;
    }
    printf("\nelement ");
    explain_print_index(question->element, question->map.rank);
    printf(": the box does not hold it\n");
    return EXIT_MISMATCH;
}

// How many bytes of a run, from `offset` of the box on, lie together in shared memory after swizzling.
static uint32_t piece_bytes(const struct box *box, uint32_t offset, uint32_t left)
{
    enum tensormap_swizzle mode = box->tile.map->swizzle;
    uint32_t flat = box->question->shared + offset, at = swizzle_apply(mode, flat);
    uint32_t bytes = mode == SWIZZLE_NONE ? left : CHUNK_BYTES - flat % CHUNK_BYTES;
    while (bytes < left && swizzle_apply(mode, flat + bytes) == at + bytes) bytes += CHUNK_BYTES;
    return bytes < left ? bytes : left;
}

static void list_piece(const struct box *box, uint32_t offset, uint32_t bytes, json_t *list)
{
    const struct explain *question = box->question;
    int rank = question->map.rank;
    struct provenance first, last;
    uint32_t flat = question->shared + offset, at = swizzle_apply(question->map.swizzle, flat);
    uint32_t end = swizzle_apply(question->map.swizzle, flat + bytes - 1);
    provenance_of_shared(&question->map, question->coord, question->shared, at, &first);
    provenance_of_shared(&question->map, question->coord, question->shared, end, &last);
    if (list != NULL) {
        json_t *json =
            json_pack("{s:I, s:I, s:o, s:o, s:b}", "shared", (json_int_t)at, "bytes", (json_int_t)bytes, "first",
                      explain_index(first.index, rank), "last", explain_index(last.index, rank), "fill", first.is_fill);
        if (!first.is_fill) json_object_set_new(json, "global", json_sprintf("0x%" PRIx64, first.address));
        json_array_append_new(list, json);
        return;
    }
    printf("0x%05" PRIx32 " %6" PRIu32 "  ", at, bytes);
    if (first.is_fill)
        printf("%-18s  ", "fill");
    else
        printf("0x%-16" PRIx64 "  ", first.address);
    explain_print_index(first.index, rank);
    printf(" to ");
    explain_print_index(last.index, rank);
    printf("\n");
}

static void answer_table(const struct box *box, json_t *json)
{
    json_t *list = json == NULL ? NULL : json_array();
    struct tile_walk walk = tile_walk(&box->tile);
    int lines = 0, limit = box->question->all ? INT32_MAX : EXPLAIN_LIST_LINES;
    if (list == NULL) printf("\nshared   bytes  global memory       elements\n");
    for (struct tile_run run; lines <= limit && tile_next(&walk, &run);)
        for (uint32_t done = 0, bytes; done < run.bytes && lines <= limit; done += bytes, lines++) {
            bytes = piece_bytes(box, run.offset + done, run.bytes - done);
            if (lines < limit) list_piece(box, run.offset + done, bytes, list);
        }
    if (list != NULL) {
        json_object_set_new(json, "table", list);
        json_object_set_new(json, "tableIsCut", json_boolean(lines > limit));
    } else if (lines > limit) {
        printf("... only the first %d pieces; --all prints every one\n", limit);
    }
}

static int answer(const struct box *box)
{
    const struct explain *question = box->question;
    json_t *json = question->json ? summary_json(box) : NULL;
    int status = box->rule == RULE_OK ? EXIT_AGREE : EXIT_MISMATCH;
    if (json == NULL)
        print_summary(box);
    else {
        json_object_set_new(json, "result", json_integer(rule_cuda_error(box->rule)));
        json_object_set_new(json, "findings", findings_array(&box->findings));
    }
    if (json == NULL) print_verdict(box);
    if (question->wants_byte && answer_byte(box, json) != EXIT_AGREE) status = EXIT_MISMATCH;
    if (question->wants_element && answer_element(box, json) != EXIT_AGREE) status = EXIT_MISMATCH;
    if (question->wants_table) answer_table(box, json);
    if (json != NULL) explain_print_json(json);
    return status;
}

int explain_box(const struct explain *question)
{
    struct box box = {.question = question, .swizzle = swizzle_name(question->map.swizzle)->name};
    box.tile = tile_of(&question->map, question->coord);
    check_load(question, &box);
    if (!is_readable(&box)) {
        findings_print(&box.findings, stderr);
        return command_usage("explain", "no load can use this map; 'tmaref decode' says what it holds");
    }
    uint64_t extent = tile_extent_bytes(&box.tile);
    if (extent > UINT32_MAX || question->shared + extent > (uint64_t)UINT32_MAX + 1)
        return command_usage("explain", "the box would end at 0x%" PRIx64 ", past all shared addresses",
                             question->shared + extent - 1);
    struct tile_walk walk = tile_walk(&box.tile);
    for (struct tile_run run; tile_next(&walk, &run);)
        if (!run.is_fill) box.data_bytes += run.bytes;
    return answer(&box);
}
