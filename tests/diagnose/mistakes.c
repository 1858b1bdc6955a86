// SPDX-License-Identifier: MIT
// The mistakes, and of their hooks those that change numbers. A hook returns 0 where this tile cannot have its mistake;
// one that does not show is drawn again.
#include <stddef.h>

#include "mistakes_bytes.h"

// Elements in 16 bytes.
static int pieces_of(const struct field *field)
{
    return 16 / (int)field->pitch[0];
}

static int sign(struct dice *dice)
{
    return dice_below(dice, 2) == 0 ? -1 : 1;
}

static int either(const struct trial *trial, struct dice *dice)
{
    return (int)dice_below(dice, (uint64_t)trial->meant.dims);
}

// --- numbers ---------------------------------------------------------------------------------------------------------

static int tile_numbers(struct trial *t, struct dice *dice)
{
    int i = either(t, dice);
    if (t->done.at[i] % t->done.box[i] != 0 || (i == 0 && t->done.at[0] / t->done.box[0] % pieces_of(&t->done) != 0))
        return 0;
    t->done.at[i] /= t->done.box[i];
    return 1;
}

static int byte_numbers(struct trial *t, struct dice *dice)
{
    t->done.at[0] *= t->done.pitch[0];
    return dice != NULL && t->done.pitch[0] > 1;
}

static int column_for_row(struct trial *t, struct dice *dice)
{
    int64_t old = t->done.at[0];
    (void)dice;
    t->done.at[0] = t->done.at[1];
    t->done.at[1] = old;
    return t->done.at[0] % pieces_of(&t->done) == 0;
}

static int neighbour(struct trial *t, struct dice *dice)
{
    int i = either(t, dice);
    t->done.at[i] += sign(dice) * (1 + (int64_t)dice_below(dice, 3)) * t->done.box[i];
    if (t->slices > 1 && i == t->slice_dim) t->done.at[i] = t->meant.at[i] + t->slices * t->done.box[i];
    return t->done.at[i] >= 0 && t->done.at[i] < t->done.extent[i];
}

static int rows_off(struct trial *t, struct dice *dice)
{
    int64_t by = sign(dice) * (1 + (int64_t)dice_below(dice, 20));
    t->done.at[1] += by;
    return by % t->done.box[1] != 0;
}

static int columns_off(struct trial *t, struct dice *dice)
{
    int64_t by = sign(dice) * (1 + (int64_t)dice_below(dice, 12)) * pieces_of(&t->done);
    t->done.at[0] += by;
    return by % t->done.box[0] != 0;
}

static int no_padding(struct trial *t, struct dice *dice)
{
    (void)dice;
    t->done.pitch[1] = t->done.extent[0] * t->done.pitch[0];
    t->done.pitch[2] = t->done.pitch[1] * t->done.extent[1];
    return t->done.pitch[1] % 16 == 0 && t->done.pitch[1] != t->meant.pitch[1];
}

static int pitch_off(struct trial *t, struct dice *dice)
{
    t->done.pitch[1] += 16 * (dice_below(dice, 3) == 0 ? -1 : 1) * (1 + (int64_t)dice_below(dice, 6));
    return t->done.pitch[1] > 0;
}

static int pitch_in_elements(struct trial *t, struct dice *dice)
{
    (void)dice;
    t->done.pitch[1] /= t->done.pitch[0];
    return t->done.pitch[0] > 1 && t->done.pitch[1] % 16 == 0;
}

static int pointer_off(struct trial *t, struct dice *dice)
{
    t->done.address += (uint64_t)(16 * sign(dice) * (1 + (int64_t)dice_below(dice, 100)));
    return 1;
}

static int other_swizzle(struct trial *t, struct dice *dice)
{
    t->done.span = (int[]){0, 32, 64, 128}[dice_below(dice, 4)];
    return (t->done.span == 0 || field_row_bytes(&t->done) <= (uint32_t)t->done.span) &&
           field_row_pitch(&t->done) == field_row_pitch(&t->meant);
}

static int fewer_rows(struct trial *t, struct dice *dice)
{
    t->done.box[1] -= 1 + (int)dice_below(dice, (uint64_t)t->done.box[1] - 1);
    return t->slices == 1;
}

static int turned_box(struct trial *t, struct dice *dice)
{
    int old = t->done.box[0];
    (void)dice;
    t->done.box[0] = t->done.box[1];
    t->done.box[1] = old;
    return t->slices == 1 && field_row_bytes(&t->done) % 16 == 0 &&
           (t->done.span == 0 || field_row_bytes(&t->done) <= (uint32_t)t->done.span);
}

static int every_second_row(struct trial *t, struct dice *dice)
{
    t->done.every[1] = 2 + (int)dice_below(dice, 2);
    if (dice_below(dice, 2) == 0) t->done.box[1] *= t->done.every[1];
    return t->slices == 1 && t->done.box[1] <= 256;
}

static int short_tensor(struct trial *t, struct dice *dice)
{
    int i = (int)dice_below(dice, 2), left = t->done.box[i] - 1 - (int)dice_below(dice, (uint64_t)t->done.box[i] - 1);
    if (i == 0) left -= left % pieces_of(&t->done);
    t->done.extent[i] = t->done.at[i] + left;
    return t->done.extent[i] > 0 && t->done.extent[i] < t->meant.extent[i];
}

static int other_fill(struct trial *t, struct dice *dice)
{
    (void)dice;
    t->done.nan_fill = !t->meant.nan_fill;
    return t->meant.type != FIELD_U8;
}

static int stage_off(struct trial *t, struct dice *dice)
{
    uint32_t bytes = (field_box_bytes(&t->meant) + 127) / 128 * 128;
    (void)dice;
    t->done.shared += bytes > 2048 ? bytes / 2 / 1024 * 1024 : bytes;
    return t->slices == 1;
}

// The element type has another size; the box as many elements, the pitch as many bytes.
static int other_size(struct trial *t, struct dice *dice)
{
    t->done.type = (enum field_type[]){FIELD_U8, FIELD_F16, FIELD_F32}[dice_below(dice, 3)];
    t->done.pitch[0] = field_element_bytes(t->done.type);
    return t->done.pitch[0] != t->meant.pitch[0] && t->slices == 1 && field_row_bytes(&t->done) % 16 == 0 &&
           t->done.at[0] * t->done.pitch[0] % 16 == 0 &&
           (t->done.span == 0 || field_row_bytes(&t->done) <= (uint32_t)t->done.span);
}

static int slices_turned(struct trial *t, struct dice *dice)
{
    int by = 1 + (int)dice_below(dice, (uint64_t)(t->slices > 1 ? t->slices - 1 : 1));
    for (int s = 0; s < t->slices; s++) t->slot[s] = (s + by) % t->slices;
    return t->slices > 1;
}

static int slices_of_rank_zero(struct trial *t, struct dice *dice)
{
    (void)dice;
    for (int s = 0; s < t->slices; s++) t->slot[s] = 0;
    return t->slices > 1;
}

static int slice_missing(struct trial *t, struct dice *dice)
{
    t->slot[dice_below(dice, (uint64_t)t->slices)] = -1;
    return t->slices > 1;
}

static int adds(struct trial *t, struct dice *dice)
{
    t->is_added = true;
    return dice != NULL && t->meant.type != FIELD_U8; // no reduction has it
}

// --- all of them -----------------------------------------------------------------------------------------------------

const struct mistake mistakes[] = {
    {"never copied, or seen too early", "STALE|OTHER_PHASE", true, true, NULL, NULL, never},
    {"part of it seen too early", "STALE|OTHER_PHASE", true, true, NULL, NULL, in_part},
    {"copied from a tensor not yet written", "STALE|?", true, true, NULL, tensor_not_yet_written, NULL},
    {"tile numbers for coordinates", "COORD_UNIT", true, true, tile_numbers, NULL, NULL},
    {"a coordinate in bytes", "COORD_UNIT", true, true, byte_numbers, NULL, NULL},
    {"row for column", "COORD_SWAPPED", true, true, column_for_row, NULL, NULL},
    {"the tile beside it", "OTHER_PHASE", true, true, neighbour, NULL, NULL},
    {"some rows off", "COORD_OFF", true, true, rows_off, NULL, NULL},
    {"some columns off", "COORD_OFF", true, true, columns_off, NULL, NULL},
    {"padding of rows forgotten", "STRIDE", true, true, no_padding, NULL, NULL},
    {"another pitch", "STRIDE", true, true, pitch_off, NULL, NULL},
    {"pitch in elements", "STRIDE", true, true, pitch_in_elements, NULL, NULL},
    {"pointer off", "GLOBAL_BASE", true, true, pointer_off, NULL, NULL},
    {"pointer off by no multiple of 16", "GLOBAL_BASE", true, false, NULL, odd_pointer, NULL},
    {"another swizzle", "SWIZZLE_MODE", true, true, other_swizzle, NULL, NULL},
    {"fewer rows in the box", "BOX", true, true, fewer_rows, NULL, NULL},
    {"box turned", "BOX", true, true, turned_box, NULL, NULL},
    {"every second or third row", "ELEMENT_STRIDE", true, true, every_second_row, NULL, NULL},
    {"tensor given as smaller", "BOUNDS", true, true, short_tensor, NULL, NULL},
    {"fill of the other kind", "FILL", true, false, other_fill, NULL, NULL},
    {"another stage's address", "SHARED_ADDRESS", true, true, stage_off, NULL, NULL},
    {"element of another size", "ELEMENT_TYPE", true, false, other_size, NULL, NULL},
    {"slices turned round", "WRONG_SLICE", true, true, slices_turned, NULL, NULL},
    {"every slice that of rank 0", "WRONG_SLICE", true, true, slices_of_rank_zero, NULL, NULL},
    {"one slice never issued", "STALE", true, true, slice_missing, NULL, NULL},
    {"other byte order", "BYTE_ORDER", true, true, NULL, other_endian, NULL},
    {"bfloat16 for float16, or back", "CONVERTED", true, true, NULL, half_for_half, NULL},
    {"made of 32-bit numbers", "CONVERTED", true, false, NULL, made_of_floats, NULL},
    {"the other operand (given)", "OTHER_TENSOR", true, true, NULL, other_operand, NULL},
    {"another stage's bytes (given)", "OTHER_TENSOR", true, false, NULL, NULL, other_stage},
    {"rows in each other's places", "ROW_ORDER", true, false, NULL, NULL, rows_mixed},
    {"rows written in each other's places", "ROW_ORDER", false, true, NULL, rows_mixed, NULL},
    {"a few bits flipped", "CORRUPTED", true, true, NULL, NULL, flipped_bits},
    {"stray words", "CORRUPTED", true, true, NULL, NULL, stray_words},
    {"tile transposed", "TRANSPOSED", true, false, NULL, NULL, matrix_turned},
    {"tile written transposed", "TRANSPOSED", false, true, NULL, matrix_turned, NULL},
    {"swizzle undone by the reader", "READ_UNSWIZZLED", true, false, NULL, NULL, reader_undid_swizzle},
    {"buffer not aligned to the pattern", "SWIZZLE_BASE", true, false, NULL, NULL, buffer_not_aligned},
    {"the next tile over it", "OVERWRITTEN", true, false, NULL, NULL, next_tile_over_it},
    {"added in place of stored", "ADDED|?", false, true, adds, NULL, NULL},
    {"changed in place", "?", true, true, NULL, NULL, changed_in_place},
    {"results written over a part", "CORRUPTED|STALE|?", true, false, NULL, NULL, results_over_it},
};

const int mistakes_count = sizeof mistakes / sizeof mistakes[0];
