// SPDX-License-Identifier: MIT
// Single places of a box or column, and the list of all: which element lies at a shared address, where an element lies,
// and what of it moves.
#include <inttypes.h>

#include "bank.h"
#include "command.h"
#include "explain_box.h"
#include "swizzle.h"

enum { LINE_BYTES = 128, CHUNK_BYTES = 16 };

// Is the element past the end of dimension 0, in a 16-byte piece that a store writes whole?
static bool is_past(const struct copy *copy, const struct provenance *place)
{
    const struct tensormap *map = &copy->question->map;
    return !place->is_fill && map->interleave == INTERLEAVE_NONE && place->index[0] >= (int64_t)map->dim[0];
}

// A place; `key` is that of its object.
#define PLACE(key)                                                                                                     \
    "{" key "?\nshared 0x{" key ".shared:x}: byte {" key ".byte} of {slicedBytes?pixel}{slicedBytes!element} ({" key   \
    ".index*{}|, })\n{" key ".pixel=*?  pixel              {" key ".pixel} of the column\n}"                           \
    "  global memory      {" key ".fill?none: out of bounds, {operation?skipped}{operation!filled}}{" key              \
    ".fill!{" key ".global}}{" key ".past?: past the end of dimension 0, but in a piece that is written whole}\n"      \
    "  bank               {" key ".bank}\n  16-byte chunk      {" key ".chunk} of the 128-byte line 0x{" key           \
    ".line:x}\n  without swizzle    0x{" key ".unswizzled:x}\n}"

const char box_places_text[] = "{noByte?\n{noByte}\n}" PLACE("byte") "{noElement?\n{noElement}\n}" PLACE(
    "element") "{table?\n{pixels?pixel  }shared   bytes  global memory       elements\n}"
               "{table*{pixel=*?{pixel:5}  }0x{shared:05x} {bytes:6}  {fill!{global:-18}}"
               "{fill?{^operation?skipped           }{^operation!fill              }}  ({first*{}|, }) to ({last*{}|, "
               "})"
               "{past?, past the end of dimension 0}\n}"
               "{tableIsCut?... only the first {table#} pieces; --all prints every one\n}";

static json_t *place_json(const struct copy *copy, const struct provenance *place)
{
    uint32_t at = place->shared;
    json_t *json = json_pack(
        "{s:o, s:I, s:I, s:b, s:I, s:I, s:I, s:I}", "index",
        json_numbers(NUMBERS(place->index, copy->question->map.rank)), "byte", (json_int_t)place->byte, "shared",
        (json_int_t)at, "fill", place->is_fill, "bank", (json_int_t)(at / BANK_BYTES % BANKS), "chunk",
        (json_int_t)(at % LINE_BYTES / CHUNK_BYTES), "line", (json_int_t)(at / LINE_BYTES * LINE_BYTES), "unswizzled",
        (json_int_t)swizzle_apply(copy->question->map.swizzle, at));
    if (!place->is_fill) json_object_set_new(json, "global", json_sprintf("0x%" PRIx64, place->address));
    if (copy->is_im2col) json_object_set_new(json, "pixel", json_integer(place->pixel));
    if (is_past(copy, place)) json_object_set_new(json, "past", json_true());
    return json;
}

static const char *gap(const struct copy *copy)
{
    if (copy->question->operation != EXPLAIN_LOAD) return "a gap; the store does not read it";
    return copy->is_im2col ? "a gap behind a short pixel; the load does not write it"
                           : "a gap behind a short row; the load does not write it";
}

// Adds a place under its key, or the sentence under the other one. Returns the exit status.
static int add_place(const struct copy *copy, const struct provenance *place, const char *key, const char *key_of_why,
                     const struct text *why, json_t *json)
{
    json_object_set_new(json, key, place != NULL ? place_json(copy, place) : json_null());
    if (place == NULL) json_object_set_new(json, key_of_why, json_string(why->at));
    return place != NULL ? EXIT_AGREE : EXIT_MISMATCH;
}

int box_add_byte(const struct copy *copy, json_t *json)
{
    const struct explain *question = copy->question;
    struct provenance place;
    struct text why;
    bool is_there = provenance_of_shared(&copy->box, question->coord, question->shared, question->byte, &place);
    uint32_t flat = swizzle_apply(question->map.swizzle, question->byte);
    bool is_gap = flat >= question->shared && flat - question->shared < copy->extent_bytes;
    text_set(&why, "shared 0x%" PRIx32 ": no byte of the %s: %s", question->byte, copy->is_im2col ? "column" : "box",
             is_gap ? gap(copy) : "outside of it");
    return add_place(copy, is_there ? &place : NULL, "byte", "noByte", &why, json);
}

int box_add_element(const struct copy *copy, json_t *json)
{
    const struct explain *question = copy->question;
    struct provenance place;
    struct text why;
    bool is_there = provenance_of_element(&copy->box, question->coord, question->shared, question->element, &place);
    text_set(&why, "element (%s): the %s does not hold it",
             text_numbers(NUMBERS(question->element, question->map.rank), ", ").at, copy->is_im2col ? "column" : "box");
    return add_place(copy, is_there ? &place : NULL, "element", "noElement", &why, json);
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

static json_t *piece_json(const struct copy *copy, uint32_t offset, uint32_t bytes)
{
    const struct explain *question = copy->question;
    int rank = question->map.rank;
    struct provenance first, last;
    uint32_t flat = question->shared + offset, at = swizzle_apply(question->map.swizzle, flat);
    uint32_t end = swizzle_apply(question->map.swizzle, flat + bytes - 1);
    provenance_of_shared(&copy->box, question->coord, question->shared, at, &first);
    provenance_of_shared(&copy->box, question->coord, question->shared, end, &last);
    json_t *json = json_pack("{s:I, s:I, s:o, s:o, s:b}", "shared", (json_int_t)at, "bytes", (json_int_t)bytes, "first",
                             json_numbers(NUMBERS(first.index, rank)), "last", json_numbers(NUMBERS(last.index, rank)),
                             "fill", first.is_fill);
    if (!first.is_fill) json_object_set_new(json, "global", json_sprintf("0x%" PRIx64, first.address));
    if (copy->is_im2col) json_object_set_new(json, "pixel", json_integer(first.pixel));
    if (is_past(copy, &last)) json_object_set_new(json, "past", json_true());
    return json;
}

void box_add_table(const struct copy *copy, json_t *json)
{
    json_t *list = json_array();
    struct box box = copy->box;
    if (copy->is_im2col) box.column.pixels_touch = 0; // a run for each pixel
    struct box_walk walk = box_walk(&box);
    struct tile_run run;
    int lines = 0, limit = copy->question->all ? INT32_MAX : EXPLAIN_LIST_LINES;
    while (lines <= limit && (copy->is_im2col ? im2col_next(&walk.pixels, &run) : tile_next(&walk.rows, &run)))
        for (uint32_t done = 0, bytes; done < run.bytes && lines <= limit; done += bytes, lines++) {
            bytes = piece_bytes(copy, run.offset + done, run.bytes - done);
            if (lines < limit) json_array_append_new(list, piece_json(copy, run.offset + done, bytes));
        }
    json_object_set_new(json, "table", list);
    json_object_set_new(json, "tableIsCut", json_boolean(lines > limit));
}
