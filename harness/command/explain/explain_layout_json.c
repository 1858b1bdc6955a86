// SPDX-License-Identifier: MIT
// The answer about a layout, for programs.
#include "explain_layout.h"
#include "json.h"
#include "swizzle_names.h"

static json_t *text_of(const struct cute_layout *layout)
{
    char text[CUTE_TEXT_BYTES];
    cute_write(layout, text);
    return json_string(text);
}

static json_t *loops_of(const struct cute_box *box)
{
    json_t *loops = json_array();
    for (int i = 0; i < box->loops; i++) {
        const struct cute_loop *loop = &box->loop[i];
        json_array_append_new(loops,
                              json_pack("{s:o, s:i, s:o, s:o}", "count", json_u64(loop->count), "dimension", loop->dim,
                                        "elements", json_u64(loop->step_elems), "bytes", json_u64(loop->step_bytes)));
    }
    return loops;
}

static json_t *box_of(const struct layout_answer *a)
{
    const struct cute_box *box = &a->box;
    const uint64_t bytes = (a->layout.offset + cute_cosize(&a->layout)) * dtype_row(a->dtype)->size_bytes;
    return json_pack("{s:o, s:o, s:s, s:o, s:o, s:o, s:i, s:i}", "box", json_numbers(NUMBERS(box->box, box->rank)),
                     "modes", json_numbers(NUMBERS(box->mode, box->rank)), "swizzle", swizzle_plain_name(box->swizzle),
                     "copies", json_u64(box->copies), "loops", loops_of(box), "bytes", json_u64(bytes), "alignBytes",
                     (int)box->align_bytes, "offsetBytes", (int)box->offset_bytes);
}

static json_t *operand_of(const struct layout_answer *a)
{
    const struct cute_operand *operand = &a->operand;
    json_t *starts = json_array(), *steps = json_array();
    for (int step = 0; step < operand->steps; step++) {
        const uint32_t start = cute_operand_start(&a->layout, operand, dtype_row(a->dtype)->size_bytes, step);
        json_array_append_new(starts, json_integer(start));
        if (step > 0) json_array_append_new(steps, json_integer(start - operand->descriptor.start_bytes));
    }
    return json_pack("{s:o, s:b, s:s, s:i, s:i, s:i, s:i, s:o, s:o}", "descriptor", json_u64(layout_descriptor(a)),
                     "mnMajor", operand->is_mn_major, "atom", cute_operand_atom(operand), "rows", operand->rows, "k",
                     operand->k_elems, "leading", (int)operand->descriptor.leading_bytes, "stride",
                     (int)operand->descriptor.stride_bytes, "starts", starts, "steps", steps);
}

// The object, or the reason why there is none.
static void add(json_t *json, const char *key, json_t *value, const char *key_of_reason, const struct cute_error *error)
{
    if (value != NULL)
        json_object_set_new(json, key, value);
    else
        json_object_set_new(json, key_of_reason, json_string(error->why));
}

static void add_element(const struct layout_answer *a, json_t *json)
{
    const uint64_t index = cute_index_at(&a->layout, a->element);
    json_object_set_new(json, "element", json_numbers(NUMBERS(a->element, a->rank)));
    json_object_set_new(json, "index", json_u64(index));
    if (a->has_dtype) json_object_set_new(json, "byte", json_u64(index * dtype_row(a->dtype)->size_bytes));
}

static void add_tiles(const struct layout_answer *a, json_t *json)
{
    json_object_set_new(json, "zippedDivide", text_of(&a->zipped));
    json_object_set_new(json, "tiledDivide", text_of(&a->tiled));
    json_object_set_new(json, "tiles", json_numbers(NUMBERS(a->tiles, a->rank)));
    json_object_set_new(json, "allTiles", json_u64(a->all_tiles));
    if (!a->question->has_cta) return;
    json_object_set_new(json, "cta", json_u64(a->question->cta));
    json_object_set_new(json, "corner", json_numbers(NUMBERS(a->corner, a->rank)));
    json_object_set_new(json, "cornerIndex", json_u64(cute_plain_at(&a->layout, a->corner)));
}

// Rows of mode 0, each with the indices of mode 1.
static json_t *table_of(const struct layout_answer *a)
{
    json_t *rows = json_array();
    for (uint64_t row = 0; row < layout_table_rows(a); row++) {
        json_t *columns = json_array();
        for (uint64_t column = 0; column < layout_table_columns(a); column++)
            json_array_append_new(columns, json_u64(layout_table_index(a, row, column)));
        json_array_append_new(rows, columns);
    }
    return rows;
}

json_t *layout_json(const struct layout_answer *a)
{
    json_t *json = json_pack("{s:s, s:o, s:o, s:o, s:i, s:i, s:o}", "layout", a->text, "shape",
                             json_numbers(NUMBERS(a->size, a->rank)), "size", json_u64(cute_size(&a->layout)), "cosize",
                             json_u64(cute_cosize(&a->layout)), "rank", a->rank, "depth", cute_depth(&a->layout),
                             "coalesced", text_of(&a->coalesced));
    if (a->has_dtype) {
        json_object_set_new(json, "dtype", json_string(dtype_row(a->dtype)->name));
        add(json, "box", a->has_box ? box_of(a) : NULL, "noBox", &a->no_box);
        add(json, "wgmma", a->has_operand ? operand_of(a) : NULL, "noWgmma", &a->no_operand);
    }
    if (a->has_element) add_element(a, json);
    if (a->has_tile) add_tiles(a, json);
    if (a->question->wants_table) json_object_set_new(json, "table", table_of(a));
    return json;
}
