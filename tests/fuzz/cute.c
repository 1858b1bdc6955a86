// SPDX-License-Identifier: MIT
// Target `cute`: any text as a layout. What is read is written and read again as the same text, and its algebra and its
// boxes keep what they promise.
#include "cute.h"
#include "cute_box.h"
#include "cute_operand.h"
#include "fuzz.h"

static void check_text(const struct cute_layout *layout)
{
    struct cute_layout again;
    struct cute_error error;
    char text[CUTE_TEXT_BYTES], text_again[CUTE_TEXT_BYTES];
    cute_write(layout, text);
    fuzz_require(cute_read(text, &again, &error));
    cute_write(&again, text_again);
    fuzz_require(strcmp(text, text_again) == 0);
}

// The results are layouts again, with the indices that they were made of.
static void check_algebra(const struct cute_layout *layout, uint64_t tile, uint64_t number)
{
    struct cute_layout coalesced, divided, composed;
    struct cute_error error;
    cute_coalesce(layout, &coalesced);
    check_text(&coalesced);
    number %= cute_size(layout);
    fuzz_require(cute_index(layout, number) == cute_index(&coalesced, number));
    if (cute_zipped_divide(layout, &tile, 1, &divided, &error)) check_text(&divided);
    if (cute_tiled_divide(layout, &tile, 1, &divided, &error)) check_text(&divided);
    const struct cute_leaf leaf = coalesced.leaf[0];
    const struct cute_layout step = {.leaf = {{leaf.shape, leaf.stride, 0, 0}}, .leaves = 1}; // sums may carry over
    if (!cute_compose(layout, &step, &composed, &error)) return;
    check_text(&composed);
    number %= cute_size(&step);
    if (cute_cosize(&step) <= cute_size(layout))
        fuzz_require(cute_index(&composed, number) == cute_index(layout, cute_index(&step, number)));
}

static void check_box(const struct cute_layout *layout, enum dtype dtype)
{
    struct cute_box box;
    struct cute_error error;
    uint64_t elements = 1;
    if (!cute_box_of(layout, dtype, cute_rank(layout), &box, &error)) {
        fuzz_require(error.why[0] != '\0');
        return;
    }
    for (int i = 0; i < box.rank; i++) {
        fuzz_require(box.box[i] >= 1 && box.box[i] <= TENSORMAP_MAX_BOX && box.extent[i] % box.box[i] == 0);
        elements *= box.box[i];
    }
    fuzz_require(elements * box.copies == cute_size(layout));
}

// What wgmma would read begins and ends within the layout.
static void check_operand(const struct cute_layout *layout, uint32_t bytes)
{
    struct cute_operand operand;
    struct cute_error error;
    if (!cute_operand_of(layout, bytes, &operand, &error)) {
        fuzz_require(error.why[0] != '\0');
        return;
    }
    fuzz_require(operand.rows >= 8 && operand.rows <= 256 && operand.steps >= 1);
    uint64_t last = cute_operand_start(layout, &operand, bytes, operand.steps - 1);
    fuzz_require(last < (layout->offset + cute_cosize(layout)) * bytes);
}

void fuzz_cute(const uint8_t *bytes, size_t size_bytes)
{
    struct fuzz_input input = {bytes, size_bytes};
    enum dtype dtype = (enum dtype)(fuzz_take(&input, 1) % DTYPE_COUNT);
    uint64_t tile = fuzz_take(&input, 2), number = fuzz_take(&input, 4);
    struct cute_layout layout;
    struct cute_error error;
    char *text = calloc(input.left + 1, 1);
    memcpy(text, input.bytes, input.left);
    if (cute_read(text, &layout, &error)) {
        check_text(&layout);
        check_algebra(&layout, tile, number);
        check_box(&layout, dtype);
        check_operand(&layout, dtype_row(dtype)->size_bytes);
    } else {
        fuzz_require(error.column >= 0 && (size_t)error.column <= strlen(text) && error.why[0] != '\0');
    }
    free(text);
}
