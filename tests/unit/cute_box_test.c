// SPDX-License-Identifier: MIT
// The boxes that fill a layout: the model's tensor loads put every element where the layout has it. Layouts of CuTe's
// own (cute_facts.tsv), layouts by chance, and the reasons where there is no box.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "copy.h"
#include "cute_box.h"
#include "rows.h"

#define FACTS "cute_facts.tsv"

TEST_FILE(.seconds = 600);

enum { MARGIN = 1024, GLOBAL = 0x10000, MOST_BYTES = 232448, RANDOM_LAYOUTS = 4000 };

static struct cute_layout layout_of(const char *text)
{
    struct cute_layout layout;
    struct cute_error error;
    ck_assert_msg(cute_read(text, &layout, &error), "%s: column %d: %s", text, error.column, error.why);
    return layout;
}

// --- The copies, done ------------------------------------------------------------------------------------------------

// A tensor as large as the layout, whose element i of dimension order has the number i, with the copies of `box`.
struct filling {
    const struct cute_layout *layout;
    const struct cute_box *box;
    struct tensormap map;
    struct memory global, shared;
    uint32_t bytes;
};

static void start(struct filling *f, const struct cute_layout *layout, const struct cute_box *box, enum dtype dtype)
{
    struct tensormap_image image;
    struct findings findings;
    uint64_t dim[TENSORMAP_MAX_RANK], stride[TENSORMAP_MAX_RANK] = {0}, bytes = dtype_row(dtype)->size_bytes;
    uint32_t estride[TENSORMAP_MAX_RANK] = {1, 1, 1, 1, 1};
    *f = (struct filling){.layout = layout, .box = box, .bytes = (uint32_t)bytes};
    for (int i = 0; i < box->rank; i++) {
        dim[i] = box->extent[i];
        bytes = (bytes * dim[i] + 15) / 16 * 16; // strides are multiples of 16
        stride[i] = bytes;
    }
    enum rule rule = tensormap_encode_tiled(&image, dtype, (uint32_t)box->rank, GLOBAL, dim, stride, box->box, estride,
                                            INTERLEAVE_NONE, box->swizzle, 0, 0, &findings);
    ck_assert_msg(rule == RULE_OK, "the map is refused: %s", rule_row(rule)->id);
    tensormap_decode(&image, &f->map, NULL);
    f->global = (struct memory){calloc(bytes, 1), GLOBAL, bytes};
    f->shared = (struct memory){calloc(MOST_BYTES, 1), MARGIN, MOST_BYTES};
}

// The element's number, one more than where it lies in order: 0 is what nobody wrote.
static uint64_t number_of(const struct filling *f, const uint64_t *coord)
{
    uint64_t number = 0;
    for (int i = f->box->rank - 1; i >= 0; i--) number = number * f->box->extent[i] + coord[i];
    return (number + 1) & (f->bytes == 8 ? UINT64_MAX : ((uint64_t)1 << 8 * f->bytes) - 1);
}

// Steps through all coordinates of the tensor; returns 0 behind the last.
static bool step(const struct filling *f, uint64_t *coord)
{
    for (int i = 0; i < f->box->rank; i++) {
        if (++coord[i] < f->box->extent[i]) return true;
        coord[i] = 0;
    }
    return false;
}

static void fill_global(struct filling *f)
{
    uint64_t coord[TENSORMAP_MAX_RANK] = {0};
    do {
        uint64_t at = coord[0] * f->bytes, number = number_of(f, coord);
        for (int i = 1; i < f->box->rank; i++) at += coord[i] * f->map.stride[i];
        memcpy(f->global.bytes + at, &number, f->bytes);
    } while (step(f, coord));
}

// All copies of the loops from `loop` on.
static void load_all(const struct filling *f, int loop, int32_t *coord, uint32_t shared)
{
    uint32_t transaction;
    if (loop == f->box->loops) {
        enum rule rule = tile_load(&f->map, f->box->rank, coord, &f->global, &f->shared, shared, &transaction, NULL);
        ck_assert_msg(rule == RULE_OK, "a copy faults: %s", rule_row(rule)->id);
        return;
    }
    const struct cute_loop *l = &f->box->loop[loop];
    for (uint64_t i = 0; i < l->count; i++) {
        load_all(f, loop + 1, coord, shared + (uint32_t)(i * l->step_bytes));
        if (l->dim >= 0) coord[l->dim] += (int32_t)l->step_elems;
    }
    if (l->dim >= 0) coord[l->dim] -= (int32_t)(l->count * l->step_elems);
}

// Every element lies where the layout has it, stages of the same tile one like the other.
static void check_shared(const struct filling *f, const char *text)
{
    uint64_t coord[TENSORMAP_MAX_RANK] = {0}, at[CUTE_MAX_LEAVES] = {0};
    do {
        for (int i = 0; i < f->box->rank; i++) at[f->box->mode[i]] = coord[i];
        uint64_t place = cute_index_at(f->layout, at) * f->bytes, got = 0, want = number_of(f, coord);
        memcpy(&got, f->shared.bytes + place, f->bytes);
        ck_assert_msg(got == want, "%s: at byte %llu of shared memory lies element %llu, not %llu", text,
                      (unsigned long long)place, (unsigned long long)got, (unsigned long long)want);
    } while (step(f, coord));
}

static void check_filling(const struct cute_layout *layout, const struct cute_box *box, enum dtype dtype)
{
    struct filling f;
    char text[CUTE_TEXT_BYTES];
    int32_t coord[TENSORMAP_MAX_RANK] = {0};
    cute_write(layout, text);
    start(&f, layout, box, dtype);
    fill_global(&f);
    ck_assert_msg(MARGIN % box->align_bytes == 0, "%s: aligned to %u", text, box->align_bytes);
    load_all(&f, 0, coord, MARGIN + box->offset_bytes);
    check_shared(&f, text);
    free(f.global.bytes);
    free(f.shared.bytes);
}

// --- CuTe's own layouts ----------------------------------------------------------------------------------------------

TEST(boxes_fill_the_layouts_of_gmma)
{
    static const enum dtype types[] = {DTYPE_UINT8, DTYPE_BFLOAT16, DTYPE_INT32,
                                       DTYPE_UINT64}; // loads that convert not
    int filled = 0;
    for (int i = 0; i < rows_count(FACTS, "LAYOUT"); i++) {
        const char *text = rows_at(FACTS, "LAYOUT", i)->field[1];
        const struct cute_layout layout = layout_of(text);
        struct cute_box box;
        struct cute_error error;
        if (layout.pointer_bits == 0) continue;
        for (int t = 0; t < 4; t++) {
            enum dtype dtype = types[t];
            if (8 * dtype_row(dtype)->size_bytes != (uint32_t)layout.pointer_bits) continue;
            ck_assert_msg(cute_box_of(&layout, dtype, cute_rank(&layout), &box, &error), "%s: %s", text, error.why);
            check_filling(&layout, &box, dtype);
            filled++;
        }
    }
    ck_assert_msg(filled > 40, "only %d layouts of GMMA", filled);
}

// --- Layouts by chance -----------------------------------------------------------------------------------------------

static uint32_t chance(uint32_t *state, uint32_t below)
{
    *state = *state * 1664525 + 1013904223;
    return (*state >> 8) % below;
}

// Compact in a random order of its numbers, one of them innermost that steps through its mode one by one; sometimes
// with gaps. Most can be filled.
static struct cute_layout random_layout(uint32_t *state, uint32_t bytes)
{
    static const uint64_t inner[] = {4, 8, 16, 32, 64, 96, 128, 256, 512}, outer[] = {1, 2, 3, 4, 5, 8, 16};
    struct cute_layout layout = {.leaves = 1 + (int)chance(state, 5)};
    int order[8], swizzle = (int)chance(state, 5);
    uint64_t stride = 1;
    for (int i = 0; i < layout.leaves; i++) {
        layout.leaf[i].shape = i == 0 ? inner[chance(state, 9)] / bytes + (bytes > 4) : outer[chance(state, 7)];
        layout.leaf[i].opens = i == 0;
        layout.leaf[i].closes = i == layout.leaves - 1;
        order[i] = i;
    }
    for (int i = layout.leaves - 1; i > 1; i--) {
        int j = 1 + (int)chance(state, (uint32_t)i), swap = order[i];
        order[i] = order[j];
        order[j] = swap;
    }
    for (int i = 0; i < layout.leaves; i++) {
        layout.leaf[order[i]].stride = stride;
        stride *= layout.leaf[order[i]].shape;
        if (chance(state, 8) == 0) stride = (stride + 127) / 128 * 128;
    }
    for (int i = 1; i < layout.leaves; i++) { // pairs of numbers are a mode
        bool is_pair = chance(state, 3) == 0 && layout.leaf[i - 1].closes == 0 && layout.leaf[i - 1].opens < 2 &&
                       (i == 1 || layout.leaf[i - 1].opens == 0);
        layout.leaf[i - 1].opens = (uint8_t)(layout.leaf[i - 1].opens + is_pair);
        layout.leaf[i].closes = (uint8_t)(layout.leaf[i].closes + is_pair);
    }
    if (swizzle == 4) return layout;
    layout.is_swizzled = 1;
    layout.swizzle = (struct cute_swizzle){swizzle, 4, 3};
    layout.pointer_bits = (int)(8 * bytes);
    return layout;
}

TEST(boxes_fill_random_layouts)
{
    static const enum dtype types[] = {DTYPE_UINT8, DTYPE_BFLOAT16, DTYPE_INT32, DTYPE_UINT64};
    uint32_t state = 2026;
    int filled = 0, in_copies = 0;
    for (int i = 0; i < RANDOM_LAYOUTS; i++) {
        enum dtype dtype = types[chance(&state, 4)];
        const struct cute_layout layout = random_layout(&state, dtype_row(dtype)->size_bytes);
        struct cute_box box;
        struct cute_error error;
        if (cute_size(&layout) > 16384 || !cute_box_of(&layout, dtype, cute_rank(&layout), &box, &error)) continue;
        check_filling(&layout, &box, dtype);
        filled++;
        in_copies += box.copies > 1;
    }
    ck_assert_msg(filled > RANDOM_LAYOUTS / 4 && in_copies > filled / 4, "%d filled, %d of them in copies", filled,
                  in_copies);
}

// --- Single layouts --------------------------------------------------------------------------------------------------

#define BOXES "cute_boxes.tsv" // layout, type, modes, box, modes of the box, copies, why

static void check_box(const struct row *row, const struct cute_box *box)
{
    uint64_t sizes[3], modes[3];
    row_numbers(row, 3, sizes, 3);
    row_numbers(row, 4, modes, 3);
    ck_assert_msg(box->copies == row_number(row, 5), "%s: %llu copies", row->where, (unsigned long long)box->copies);
    for (int i = 0; i < box->rank && i < 3; i++) {
        ck_assert_msg(box->box[i] == sizes[i], "%s: box[%d] is %u", row->where, i, box->box[i]);
        ck_assert_msg(box->mode[i] == (int)modes[i], "%s: dimension %d is mode %d", row->where, i, box->mode[i]);
    }
}

LOOP_TEST(boxes_are_these, 0, rows_count(BOXES, NULL))
{
    const struct row *row = rows_at(BOXES, NULL, _i);
    const struct cute_layout layout = layout_of(row->field[0]);
    const enum dtype dtype = dtype_find(row->field[1]);
    const int modes = (int)row_number(row, 2);
    struct cute_box box;
    struct cute_error error = {-1, ""};
    ck_assert_msg(dtype != DTYPE_COUNT, "%s: there is no type %s", row->where, row->field[1]);
    int found = cute_box_of(&layout, dtype, modes, &box, &error);
    ck_assert_msg(found == (row_number(row, 5) != 0), "%s: %s: %s", row->where, row->field[0], error.why);
    if (!found) {
        ck_assert_msg(row->field[6][0] != '\0' && strstr(error.why, row->field[6]) != NULL, "%s: %s: %s", row->where,
                      row->field[0], error.why);
        return;
    }
    check_box(row, &box);
    if (modes == cute_rank(&layout)) check_filling(&layout, &box, dtype);
}

// The caret stands under the stride that is to blame.
TEST(a_reason_names_the_stride)
{
    const struct cute_layout layout = layout_of("((8,2),64):((72,1000),1)");
    struct cute_box box;
    struct cute_error error;
    char text[CUTE_TEXT_BYTES];
    ck_assert(!cute_box_of(&layout, DTYPE_BFLOAT16, 2, &box, &error));
    cute_write(&layout, text);
    ck_assert_str_eq(text + error.column, "72,1000),1)");
}

// --- And back --------------------------------------------------------------------------------------------------------

static const struct {
    struct tensormap map;
    const char *want;
} backs[] = {
    {{.rank = 2, .dtype = DTYPE_BFLOAT16, .swizzle = SWIZZLE_128B, .box = {64, 128}, .estride = {1, 1}},
     "Sw<3,4,3> o smem_ptr[16b](unset) o (64,128):(1,64)"},
    {{.rank = 2, .dtype = DTYPE_UINT8, .swizzle = SWIZZLE_64B, .box = {48, 4}, .estride = {1, 1}},
     "Sw<2,4,3> o smem_ptr[8b](unset) o (48,4):(1,64)"},
    {{.rank = 3, .dtype = DTYPE_FLOAT32, .box = {16, 4, 9}, .estride = {1, 1, 2}}, "(16,4,5):(1,16,64)"},
    {{.rank = 1, .dtype = DTYPE_FLOAT32, .box = {16}, .estride = {1}}, "(16):(1)"},
};

LOOP_TEST(a_box_has_a_layout, 0, ROWS_OF(backs))
{
    struct cute_layout layout;
    char text[CUTE_TEXT_BYTES];
    ck_assert(cute_of_box(&backs[_i].map, &layout));
    cute_write(&layout, text);
    ck_assert_str_eq(text, backs[_i].want);
}

TEST(slices_and_columns_have_none)
{
    const struct tensormap slices = {.rank = 3, .interleave = INTERLEAVE_16B, .box = {8, 8, 8}, .estride = {1, 1, 1}};
    const struct tensormap column = {.rank = 3, .mode = TENSORMAP_IM2COL};
    struct cute_layout layout;
    ck_assert(!cute_of_box(&slices, &layout));
    ck_assert(!cute_of_box(&column, &layout));
}
