// SPDX-License-Identifier: MIT
#include "other_layout.h"

#include <string.h>

static int below(struct dice *dice, int sides)
{
    return (int)dice_below(dice, (uint64_t)sides);
}

static void draw_interleaved(struct layout *l, struct dice *dice)
{
    l->piece = l->element = 16 << below(dice, 2);
    l->dims = 4 - (below(dice, 4) == 0);
    l->span = l->piece == 32 ? (int[]){0, 32, 64, 128}[below(dice, 4)] : 0;
    int extent[4] = {8 + below(dice, 32), 4 + below(dice, 16), 2 + below(dice, 3), 1 + below(dice, 3)};
    int box[4] = {2 << below(dice, 3), 1 << below(dice, 4), 1, 1 + below(dice, 2)};
    for (int i = 0, from = 0; i < l->dims; i++, from++) {
        if (l->dims == 3 && i == 1) from = 2; // W, slice, N
        l->extent[i] = extent[from];
        l->box[i] = box[from] > extent[from] ? extent[from] : box[from];
        l->at[i] = below(dice, (int)l->extent[i]) / l->box[i] * l->box[i];
        l->pitch[i] = i == 0 ? l->piece : l->pitch[i - 1] * l->extent[i - 1] + 32 * below(dice, 3);
    }
}

static void draw_im2col(struct layout *l, struct dice *dice)
{
    l->element = 1 << below(dice, 3);
    l->dims = 4 - (below(dice, 4) == 0);
    l->span = (int[]){0, 32, 64, 128}[below(dice, 4)];
    int row = l->span > 0 ? l->span : 16 << below(dice, 4);
    int extent[4] = {row / l->element * (1 + below(dice, 2)), 6 + below(dice, 20), 6 + below(dice, 12),
                     2 + below(dice, 3)};
    for (int i = 0, from = 0; i < l->dims; i++, from++) {
        if (l->dims == 3 && i == 2) from = 3; // C, W, N
        l->extent[i] = extent[from];
        l->pitch[i] = i == 0 ? l->element : l->pitch[i - 1] * l->extent[i - 1];
        if (i == 1) l->pitch[i] = (l->pitch[i] + 15) / 16 * 16 + 16 * below(dice, 2);
        l->at[i] = below(dice, extent[from] - (from == 1 || from == 2 ? 3 : 0));
    }
    l->box[0] = row / l->element;
    l->at[0] = below(dice, (int)l->extent[0] / l->box[0]) * l->box[0];
    l->pixels = 8 << below(dice, 4);
    for (int k = 0; k < l->dims - 2; k++) {
        int filter = 1 + 2 * (1 + below(dice, 2)), padding = below(dice, filter / 2 + 1);
        l->lower[k] = -padding;
        l->upper[k] = padding - (filter - 1);
        l->tap[k] = below(dice, filter);
    }
}

uint64_t layout_tensor_bytes(const struct layout *l)
{
    int64_t bytes = l->pitch[0];
    for (int i = 0; i < l->dims; i++) bytes += (l->extent[i] - 1) * l->pitch[i];
    return (uint64_t)bytes;
}

static uint32_t row_bytes(const struct layout *l)
{
    return (uint32_t)(l->box[0] * (l->piece > 0 ? l->piece : l->element));
}

// From one row, or pixel of im2col, to the next in shared memory: at least the span, but of interleaved ones.
static uint32_t row_pitch(const struct layout *l)
{
    return l->piece == 0 && row_bytes(l) < (uint32_t)l->span ? (uint32_t)l->span : row_bytes(l);
}

static int rows(const struct layout *l)
{
    int count = 1;
    for (int i = 1; i < l->dims; i++) count *= l->box[i];
    return l->piece > 0 ? count : l->pixels;
}

uint32_t layout_tile_bytes(const struct layout *l)
{
    return (uint32_t)(rows(l) - 1) * row_pitch(l) + row_bytes(l);
}

void layout_draw(struct layout *l, struct dice *dice, bool is_im2col)
{
    do {
        *l = (struct layout){.address = 0x7f0000000000 + 256 * dice_below(dice, 999)};
        l->shared = TRIAL_SHARED_FIRST + 0x2000 + 1024 * (uint32_t)below(dice, 4);
        (is_im2col ? draw_im2col : draw_interleaved)(l, dice);
    } while (!layout_is_legal(l) || layout_tensor_bytes(l) > TRIAL_TENSOR_BYTES / 8 || layout_tile_bytes(l) > 16384);
}

bool layout_is_legal(const struct layout *l)
{
    for (int i = 1; i < l->dims; i++)
        if (l->pitch[i] <= 0 || l->pitch[i] % (l->piece == 32 ? 32 : 16) != 0 || l->extent[i] < 1) return false;
    if (row_bytes(l) % 16 != 0 || l->box[0] < 1 || rows(l) < 1 || l->address % (l->piece == 32 ? 32 : 16) != 0)
        return false;
    if (l->piece > 0) return true;
    for (int k = 0; k < l->dims - 2; k++) // the start lies in the bounding box
        if (l->at[k + 1] < l->lower[k] || l->at[k + 1] > l->extent[k + 1] - 1 + l->upper[k]) return false;
    return l->at[0] * l->element % 16 == 0 && (l->span == 0 || row_bytes(l) <= (uint32_t)l->span);
}

// One row: `count` bytes from the tensor, element by element, or zeros.
static bool put_row(const struct layout *l, int number, const int64_t *index, const struct bytes *tensor,
                    const struct bytes *shared)
{
    bool is_inside = true;
    int64_t offset = 0;
    for (int i = 1; i < l->dims; i++) {
        is_inside = is_inside && index[i] >= 0 && index[i] < l->extent[i];
        offset += index[i] * l->pitch[i];
    }
    for (uint32_t b = 0; b < row_bytes(l); b++) {
        int64_t column = index[0] + b / (uint32_t)l->pitch[0];
        uint64_t from =
            l->address + (uint64_t)(offset + column * l->pitch[0] + b % (uint32_t)l->pitch[0]) - tensor->first;
        uint32_t to = field_swizzle(l->span, l->shared + (uint32_t)number * row_pitch(l) + b) - (uint32_t)shared->first;
        bool is_read = is_inside && column >= 0 && column < l->extent[0];
        if ((is_read && from >= tensor->count) || to >= shared->count) return false;
        shared->at[to] = is_read ? tensor->at[from] : 0;
    }
    return true;
}

static int load_interleaved(const struct layout *l, const struct bytes *tensor, const struct bytes *shared)
{
    for (int row = 0; row < rows(l); row++) {
        int64_t index[LAYOUT_DIMS] = {l->at[0]};
        for (int i = 1, rest = row; i < l->dims; rest /= l->box[i], i++) index[i] = l->at[i] + rest % l->box[i];
        if (!put_row(l, row, index, tensor, shared)) return 0;
    }
    return 1;
}

// Steps of one pixel go along W inside of the bounding box, then to its next row, then to the next image.
static int load_im2col(const struct layout *l, const struct bytes *tensor, const struct bytes *shared)
{
    int64_t at[LAYOUT_DIMS];
    memcpy(at, l->at, sizeof at);
    for (int pixel = 0; pixel < l->pixels; pixel++) {
        int64_t index[LAYOUT_DIMS];
        memcpy(index, at, sizeof index);
        for (int k = 0; k < l->dims - 2; k++) index[k + 1] += l->tap[k];
        if (!put_row(l, pixel, index, tensor, shared)) return 0;
        for (int i = 1; i < l->dims && (++at[i], i < l->dims - 1) && at[i] > l->extent[i] - 1 + l->upper[i - 1]; i++)
            at[i] = l->lower[i - 1];
    }
    return 1;
}

int layout_load(const struct layout *layout, const struct bytes *tensor, const struct bytes *shared)
{
    return (layout->piece > 0 ? load_interleaved : load_im2col)(layout, tensor, shared);
}
