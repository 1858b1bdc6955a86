// SPDX-License-Identifier: MIT
// The picture for machines. Field names follow the text: bytes carry _bytes, addresses are absolute numbers.
#include "picture.h"

static json_t *json_cell(const struct layout *layout, uint32_t address)
{
    static const char *const kinds[] = {[CELL_OUTSIDE] = "outside", [CELL_GAP] = "gap", [CELL_DATA] = "data"};
    struct cell cell = layout_cell(layout, address);
    json_t *object = json_pack("{s:I, s:i, s:s}", "address", (json_int_t)address, "bank",
                               (int)(address / BANK_BYTES % BANKS), "holds", kinds[cell.kind]);
    if (cell.kind != CELL_OUTSIDE)
        json_object_update_new(object, json_pack("{s:i, s:i}", "row", (int)cell.row, "chunk", (int)cell.chunk));
    if (cell.kind == CELL_DATA && layout->element_bytes != 0)
        json_object_set_new(object, "first_element",
                            json_integer(cell.chunk * LAYOUT_CHUNK_BYTES / layout->element_bytes));
    return object;
}

static json_t *json_cells(const struct layout *layout)
{
    json_t *cells = json_array();
    for (uint32_t chunk = 0; chunk < layout_lines(layout) * LAYOUT_LINE_CHUNKS; chunk++)
        json_array_append_new(cells, json_cell(layout, layout->base + chunk * LAYOUT_CHUNK_BYTES));
    return cells;
}

static json_t *json_cute(struct swizzle_cute cute)
{
    return json_pack("[i, i, i]", (int)cute.bits, (int)cute.base, (int)cute.shift);
}

static json_t *json_names(const struct layout *layout)
{
    const struct swizzle_name *mode = swizzle_name(layout->mode);
    char formula[96];
    picture_formula(layout->mode, formula, sizeof formula);
    json_t *names =
        json_pack("{s:s, s:i, s:i, s:i, s:o, s:s, s:i, s:i}", "driver", mode->driver, "tensor_map", (int)layout->mode,
                  "tensormap_replace", (int)layout->mode, "wgmma_descriptor", (int)mode->wgmma, "cute_bytes",
                  json_cute(swizzle_cute(layout->mode, 1)), "lands_at", formula, "repeat_bytes",
                  (int)swizzle_repeat_bytes(layout->mode), "align_bytes", (int)swizzle_align_bytes(layout->mode));
    if (layout->element_bytes != 0)
        json_object_set_new(names, "cute_elements", json_cute(swizzle_cute(layout->mode, layout->element_bytes)));
    return names;
}

static json_t *json_lanes(uint32_t lanes)
{
    json_t *array = json_array();
    for (int lane = 0; lane < WARP_LANES; lane++)
        if (lanes >> lane & 1) json_array_append_new(array, json_integer(lane));
    return array;
}

static json_t *json_report(const struct bank_report *report)
{
    json_t *collisions = json_array();
    for (int i = 0; i < report->phases; i++)
        for (int bank = 0; bank < BANKS; bank++) {
            const struct bank_phase *phase = &report->phase[i];
            if (phase->words[bank] < 2) continue;
            json_array_append_new(collisions, json_pack("{s:i, s:i, s:i, s:o}", "phase", i, "bank", bank, "words",
                                                        phase->words[bank], "lanes", json_lanes(phase->lanes[bank])));
        }
    return json_pack("{s:i, s:i, s:o}", "wavefronts", report->wavefronts, "clocks", report->clocks, "collisions",
                     collisions);
}

static json_t *json_access(const struct picture *picture)
{
    const struct access *access = picture->access;
    json_t *lanes = json_array();
    for (int lane = 0; lane < access->lanes; lane++)
        json_array_append_new(
            lanes,
            json_pack("{s:i, s:i, s:I}", "row", (int)access->row[lane], "byte", (int)access->byte[lane], "address",
                      (json_int_t)layout_address(&picture->layout, access->row[lane], access->byte[lane])));
    return json_pack("{s:s, s:i, s:o, s:i, s:o, s:o}", "pattern", access->pattern, "bytes", (int)access->bytes, "lanes",
                     lanes, "ideal_wavefronts", picture->swizzled.ideal, "swizzled", json_report(&picture->swizzled),
                     "unswizzled", json_report(&picture->unswizzled));
}

json_t *picture_json(const struct picture *picture)
{
    const struct layout *layout = &picture->layout;
    uint32_t lines = 1u << layout->mode;
    json_t *object =
        json_pack("{s:s, s:o, s:I, s:i, s:i, s:i, s:i, s:i, s:o}", "mode", swizzle_name(layout->mode)->name, "names",
                  json_names(layout), "base", (json_int_t)layout->base, "pattern_line",
                  (int)(layout->base / LAYOUT_LINE_BYTES % lines), "rows", (int)layout->rows, "row_bytes",
                  (int)layout->row_bytes, "pitch_bytes", (int)layout_pitch_bytes(layout), "element_bytes",
                  (int)layout->element_bytes, "cells", json_cells(layout));
    if (object != NULL && picture->access != NULL) json_object_set_new(object, "access", json_access(picture));
    return object;
}
