// SPDX-License-Identifier: MIT
// The boxes that fill a layout: the model's tensor loads put every element where the layout has it. Layouts of CuTe's
// own (cute_facts.tsv), layouts by chance, and the reasons where there is no box.
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
static int step(const struct filling *f, uint64_t *coord)
{
    for (int i = 0; i < f->box->rank; i++) {
        if (++coord[i] < f->box->extent[i]) return 1;
        coord[i] = 0;
    }
    return 0;
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
        int is_pair = chance(state, 3) == 0 && layout.leaf[i - 1].closes == 0 && layout.leaf[i - 1].opens < 2 &&
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

// The box, the dimension that each mode is, and how many copies: of CuTe's tiles of 128 x 64 and 64 x 128 the same as
// its make_tma_copy() takes.
static const struct {
    const char *text;
    enum dtype dtype;
    int modes;
    uint32_t box[3];
    int mode[3];
    uint64_t copies;
    const char *why;
} boxes[] = {
    {"Sw<3,4,3> o smem_ptr[16b](unset) o ((8,16),(64,1)):((64,512),(1,0))",
     DTYPE_BFLOAT16,
     2,
     {64, 128},
     {1, 0},
     1,
     "K-major, one atom wide"},
    {"Sw<3,4,3> o smem_ptr[16b](unset) o ((8,8),(64,2)):((64,512),(1,4096))",
     DTYPE_BFLOAT16,
     2,
     {64, 64},
     {1, 0},
     2,
     "two atoms wide: a copy for each"},
    {"Sw<3,4,3> o smem_ptr[16b](unset) o ((8,8),(64,2),(1,3)):((64,512),(1,4096),(0,8192))",
     DTYPE_BFLOAT16,
     2,
     {64, 64},
     {1, 0},
     6,
     "three stages"},
    {"Sw<2,4,3> o smem_ptr[16b](unset) o ((32,4),(8,8)):((1,256),(32,1024))",
     DTYPE_FLOAT16,
     2,
     {32, 8},
     {0, 1},
     32,
     "MN-major, atoms along M first"},
    {"Sw<2,4,3> o smem_ptr[16b](unset) o ((32,4),(8,8)):((1,2048),(32,256))",
     DTYPE_FLOAT16,
     2,
     {32, 64},
     {0, 1},
     4,
     "MN-major, atoms along K first: fewer copies"},
    {"Sw<3,3,3> o 0 o (8,64):(64,1)", DTYPE_BFLOAT16, 2, {64, 8}, {1, 0}, 1, "a swizzle of elements"},
    {"Sw<3,4,3> o 0 o (8,128):(128,1)", DTYPE_UINT8, 2, {128, 8}, {1, 0}, 1, "of bytes that are elements"},
    {"(8,64,4):(64,1,512)", DTYPE_BFLOAT16, 3, {64, 8, 4}, {1, 0, 2}, 1, "no swizzle: any row"},
    {"(512,8):(1,512)", DTYPE_BFLOAT16, 2, {256, 1}, {0, 1}, 16, "a row of more than 256"},
    {"(64,512):(1,64)", DTYPE_BFLOAT16, 2, {64, 256}, {0, 1}, 2, "more than 256 rows"},
    {"(64,257):(1,64)", DTYPE_BFLOAT16, 2, {64, 1}, {0, 1}, 257, "a prime number of rows"},
    {"Sw<3,4,3> o 64 o (64,8):(1,64)", DTYPE_UINT8, 2, {0}, {0}, 0, "the offset is 64 bytes: a copy begins"},
    {"Sw<3,4,3> o smem_ptr[16b](unset) o (8,128):(128,1)",
     DTYPE_BFLOAT16,
     2,
     {64, 1},
     {1, 0},
     16,
     "rows longer than the span"},
    {"Sw<3,4,3> o smem_ptr[16b](unset) o (8,32):(64,1)",
     DTYPE_BFLOAT16,
     2,
     {32, 8},
     {1, 0},
     1,
     "rows shorter than the span, one span apart"},
    // none
    {"Sw<3,4,3> o smem_ptr[16b](unset) o (8,32):(32,1)",
     DTYPE_BFLOAT16,
     2,
     {0},
     {0},
     0,
     "stride 32 is 64 bytes: a copy begins at a multiple of 128 bytes, and the rows of a box lie 128 bytes apart"},
    {"(8,64):(72,1)", DTYPE_BFLOAT16, 2, {0}, {0}, 0, "stride 72 is 144 bytes"},
    {"Sw<3,4,3> o 0 o (8,64):(64,1)", DTYPE_BFLOAT16, 2, {0}, {0}, 0, "in bytes the swizzle is Sw<3,5,3>"},
    {"Sw<3,4,3> o 0 o (8,64):(64,1)", DTYPE_BFLOAT16, 2, {0}, {0}, 0, "write smem_ptr[16b](unset)"},
    {"Sw<2,5,2> o smem_ptr[16b](unset) o (8,64):(64,1)", DTYPE_BFLOAT16, 2, {0}, {0}, 0, "Sw<2,5,2>"},
    {"Sw<3,4,4> o smem_ptr[16b](unset) o (8,64):(64,1)", DTYPE_BFLOAT16, 2, {0}, {0}, 0, "Sw<3,4,4>"},
    {"Sw<4,4,4> o smem_ptr[16b](unset) o (8,64):(64,1)", DTYPE_BFLOAT16, 2, {0}, {0}, 0, "Sw<4,4,4>"},
    {"smem_ptr[16b](unset) o (8,64):(64,1)", DTYPE_FLOAT32, 2, {0}, {0}, 0, "of elements of 16 bits, the type has 32"},
    {"(8,64):(0,1)", DTYPE_BFLOAT16, 2, {0}, {0}, 0, "stride 0: 8 elements would lie at one place"},
    {"(8,64):(32,1)", DTYPE_BFLOAT16, 2, {0}, {0}, 0, "would lie at one place, 32"},
    {"(8,64):(128,2)", DTYPE_BFLOAT16, 2, {0}, {0}, 0, "no stride is 1"},
    {"((8,8),64):((8,1),64)",
     DTYPE_BFLOAT16,
     2,
     {0},
     {0},
     0,
     "neighbours in shared memory are 8 elements of mode 0 apart"},
    {"(8,64):(64,1)", DTYPE_BFLOAT16, 1, {0}, {0}, 0, "stride 1 is in mode 1, which is no dimension"},
    {"(4,64):(1,4)", DTYPE_BFLOAT16, 2, {0}, {0}, 0, "a row of 8 bytes"},
    {"(1,1)", DTYPE_BFLOAT16, 2, {0}, {0}, 0, "one element alone"},
    {"(1024,128)", DTYPE_BFLOAT16, 2, {0}, {0}, 0, "reaches over 262144 bytes; a CTA has at most 232448"},
    {"(2,2,2,2,2,8)", DTYPE_BFLOAT16, 6, {0}, {0}, 0, "a tensor map 1 to 5"},
};

LOOP_TEST(boxes_are_these, 0, ROWS_OF(boxes))
{
    const struct cute_layout layout = layout_of(boxes[_i].text);
    struct cute_box box;
    struct cute_error error = {-1, ""};
    int found = cute_box_of(&layout, boxes[_i].dtype, boxes[_i].modes, &box, &error);
    ck_assert_msg(found == (boxes[_i].copies != 0), "%s: %s", boxes[_i].text, error.why);
    if (!found) {
        ck_assert_msg(strstr(error.why, boxes[_i].why) != NULL, "%s: %s", boxes[_i].text, error.why);
        return;
    }
    ck_assert_msg(box.copies == boxes[_i].copies, "%s: %llu copies", boxes[_i].text, (unsigned long long)box.copies);
    for (int i = 0; i < box.rank && i < 3; i++) {
        ck_assert_msg(box.box[i] == boxes[_i].box[i], "%s: box[%d] is %u", boxes[_i].text, i, box.box[i]);
        ck_assert_msg(box.mode[i] == boxes[_i].mode[i], "%s: dimension %d is mode %d", boxes[_i].text, i, box.mode[i]);
    }
    if (boxes[_i].modes == cute_rank(&layout)) check_filling(&layout, &box, boxes[_i].dtype);
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
