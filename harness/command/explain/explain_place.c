// SPDX-License-Identifier: MIT
// Single places of a box or column, and the list of all: which element lies at a shared address, where an element lies,
// and what of it moves.
#include <inttypes.h>
#include <stdio.h>

#include "bank.h"
#include "command.h"
#include "explain_box.h"
#include "swizzle.h"

enum { LINE_BYTES = 128, CHUNK_BYTES = 16 };

// Is the element past the end of dimension 0, in a 16-byte piece that a store writes whole?
static int is_past(const struct copy *copy, const struct provenance *place)
{
    const struct tensormap *map = &copy->question->map;
    return !place->is_fill && map->interleave == INTERLEAVE_NONE && place->index[0] >= (int64_t)map->dim[0];
}

// What happens to an element that does not move.
static const char *unmoved(const struct copy *copy)
{
    return copy->question->operation == EXPLAIN_LOAD ? "filled" : "skipped";
}

// One byte of the box, in words. Banks are 4 bytes wide.
static void print_place(const struct copy *copy, const struct provenance *place)
{
    const struct tensormap *map = &copy->question->map;
    uint32_t at = place->shared;
    printf("\nshared 0x%" PRIx32 ": byte %" PRIu32 " of %s (%s)", at, place->byte,
           map->interleave == INTERLEAVE_NONE ? "element" : "pixel",
           text_numbers(NUMBERS(place->index, map->rank), ", ").at);
    if (copy->is_im2col) printf("\n  pixel              %" PRIu32 " of the column", place->pixel);
    if (place->is_fill)
        printf("\n  global memory      none: out of bounds, %s\n", unmoved(copy));
    else
        printf("\n  global memory      0x%" PRIx64 "%s\n", place->address,
               is_past(copy, place) ? ": past the end of dimension 0, but in a piece that is written whole" : "");
    printf("  bank               %" PRIu32 "\n  16-byte chunk      %" PRIu32 " of the 128-byte line 0x%" PRIx32 "\n",
           at / BANK_BYTES % BANKS, at % LINE_BYTES / CHUNK_BYTES, at / LINE_BYTES * LINE_BYTES);
    printf("  without swizzle    0x%" PRIx32 "\n", swizzle_apply(copy->question->map.swizzle, at));
}

static json_t *place_json(const struct copy *copy, const struct provenance *place)
{
    uint32_t at = place->shared;
    json_t *json = json_pack(
        "{s:o, s:I, s:I, s:b, s:I, s:I, s:I}", "index", json_numbers(NUMBERS(place->index, copy->question->map.rank)),
        "byte", (json_int_t)place->byte, "shared", (json_int_t)at, "fill", place->is_fill, "bank",
        (json_int_t)(at / BANK_BYTES % BANKS), "chunk", (json_int_t)(at % LINE_BYTES / CHUNK_BYTES), "unswizzled",
        (json_int_t)swizzle_apply(copy->question->map.swizzle, at));
    if (!place->is_fill) json_object_set_new(json, "global", json_sprintf("0x%" PRIx64, place->address));
    if (copy->is_im2col) json_object_set_new(json, "pixel", json_integer(place->pixel));
    return json;
}

static const char *gap(const struct copy *copy)
{
    if (copy->question->operation != EXPLAIN_LOAD) return "a gap; the store does not read it";
    return copy->is_im2col ? "a gap behind a short pixel; the load does not write it"
                           : "a gap behind a short row; the load does not write it";
}

// Adds a place to the object under its key, or prints it. Returns the exit status.
static int answer_place(const struct copy *copy, int is_there, const struct provenance *place, const char *key,
                        json_t *json)
{
    if (json != NULL)
        json_object_set_new(json, key, is_there ? place_json(copy, place) : json_null());
    else if (is_there)
        print_place(copy, place);
    return is_there ? EXIT_AGREE : EXIT_MISMATCH;
}

int box_answer_byte(const struct copy *copy, json_t *json)
{
    const struct explain *question = copy->question;
    struct provenance place;
    int is_there = provenance_of_shared(&copy->box, question->coord, question->shared, question->byte, &place);
    uint32_t flat = swizzle_apply(question->map.swizzle, question->byte);
    int is_gap = flat >= question->shared && flat - question->shared < copy->extent_bytes;
    if (!is_there && json == NULL)
        printf("\nshared 0x%" PRIx32 ": no byte of the %s: %s\n", question->byte, copy->is_im2col ? "column" : "box",
               is_gap ? gap(copy) : "outside of it");
    return answer_place(copy, is_there, &place, "byte", json);
}

int box_answer_element(const struct copy *copy, json_t *json)
{
    const struct explain *question = copy->question;
    struct provenance place;
    int is_there = provenance_of_element(&copy->box, question->coord, question->shared, question->element, &place);
    if (!is_there && json == NULL)
        printf("\nelement (%s): the %s does not hold it\n",
               text_numbers(NUMBERS(question->element, question->map.rank), ", ").at,
               copy->is_im2col ? "column" : "box");
    return answer_place(copy, is_there, &place, "element", json);
}

// How many bytes of a run, from `offset` of the box on, lie together in shared memory after swizzling.
static uint32_t piece_bytes(const struct copy *copy, uint32_t offset, uint32_t left)
{
    enum tensormap_swizzle mode = copy->question->map.swizzle;
    uint32_t flat = copy->question->shared + offset, at = swizzle_apply(mode, flat);
    uint32_t bytes = mode == SWIZZLE_NONE ? left : CHUNK_BYTES - flat % CHUNK_BYTES;
    while (bytes < left && swizzle_apply(mode, flat + bytes) == at + bytes) bytes += CHUNK_BYTES;
    return bytes < left ? bytes : left;
}

static void list_piece(const struct copy *copy, uint32_t offset, uint32_t bytes, json_t *list)
{
    const struct explain *question = copy->question;
    int rank = question->map.rank;
    struct provenance first, last;
    uint32_t flat = question->shared + offset, at = swizzle_apply(question->map.swizzle, flat);
    uint32_t end = swizzle_apply(question->map.swizzle, flat + bytes - 1);
    provenance_of_shared(&copy->box, question->coord, question->shared, at, &first);
    provenance_of_shared(&copy->box, question->coord, question->shared, end, &last);
    if (list != NULL) {
        json_t *json = json_pack("{s:I, s:I, s:o, s:o, s:b}", "shared", (json_int_t)at, "bytes", (json_int_t)bytes,
                                 "first", json_numbers(NUMBERS(first.index, rank)), "last",
                                 json_numbers(NUMBERS(last.index, rank)), "fill", first.is_fill);
        if (!first.is_fill) json_object_set_new(json, "global", json_sprintf("0x%" PRIx64, first.address));
        if (copy->is_im2col) json_object_set_new(json, "pixel", json_integer(first.pixel));
        json_array_append_new(list, json);
        return;
    }
    if (copy->is_im2col) printf("%5" PRIu32 "  ", first.pixel);
    printf("0x%05" PRIx32 " %6" PRIu32 "  ", at, bytes);
    if (first.is_fill)
        printf("%-18s  ", question->operation == EXPLAIN_LOAD ? "fill" : "skipped");
    else
        printf("0x%-16" PRIx64 "  ", first.address);
    printf("(%s) to (%s)%s\n", text_numbers(NUMBERS(first.index, rank), ", ").at,
           text_numbers(NUMBERS(last.index, rank), ", ").at,
           is_past(copy, &last) ? ", past the end of dimension 0" : "");
}

void box_answer_table(const struct copy *copy, json_t *json)
{
    json_t *list = json == NULL ? NULL : json_array();
    struct box box = copy->box;
    if (copy->is_im2col) box.column.pixels_touch = 0; // a run for each pixel
    struct box_walk walk = box_walk(&box);
    struct tile_run run;
    int lines = 0, limit = copy->question->all ? INT32_MAX : EXPLAIN_LIST_LINES;
    if (list == NULL) printf("\n%sshared   bytes  global memory       elements\n", copy->is_im2col ? "pixel  " : "");
    while (lines <= limit && (copy->is_im2col ? im2col_next(&walk.pixels, &run) : tile_next(&walk.rows, &run)))
        for (uint32_t done = 0, bytes; done < run.bytes && lines <= limit; done += bytes, lines++) {
            bytes = piece_bytes(copy, run.offset + done, run.bytes - done);
            if (lines < limit) list_piece(copy, run.offset + done, bytes, list);
        }
    if (list != NULL) {
        json_object_set_new(json, "table", list);
        json_object_set_new(json, "tableIsCut", json_boolean(lines > limit));
    } else if (lines > limit) {
        printf("... only the first %d pieces; --all prints every one\n", limit);
    }
}
