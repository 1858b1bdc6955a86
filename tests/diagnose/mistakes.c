// SPDX-License-Identifier: MIT
// The mistakes. A hook returns 0 where this tile cannot have its mistake; one that does not show is drawn again.
#include "mistakes.h"

#include <string.h>

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
    t->is_added = 1;
    return dice != NULL && t->meant.type != FIELD_U8; // no reduction has it
}

// --- the bytes that are copied ---------------------------------------------------------------------------------------

static struct bytes *source_of(struct trial *t)
{
    return t->is_store ? &t->shared : &t->global;
}

// The tensor really lies some elements further on, at no multiple of 16.
static int odd_pointer(struct trial *t, struct dice *dice)
{
    struct bytes *from = source_of(t);
    uint64_t by = (uint64_t)t->meant.pitch[0] * (1 + dice_below(dice, 40));
    if (by % 16 == 0 || t->meant.at[1] + t->meant.box[1] >= t->meant.extent[1]) return 0; // the user has the bytes
    memmove(from->at, from->at + by, from->count - by);
    return 1;
}

static int other_endian(struct trial *t, struct dice *dice)
{
    struct bytes *from = source_of(t);
    uint32_t bytes = (uint32_t)t->meant.pitch[0];
    if (dice_below(dice, 4) == 0) bytes = 4;
    for (uint64_t i = 0; i + bytes <= from->count; i += bytes)
        for (uint32_t b = 0; b < bytes / 2; b++) {
            uint8_t old = from->at[i + b];
            from->at[i + b] = from->at[i + bytes - 1 - b];
            from->at[i + bytes - 1 - b] = old;
        }
    return bytes > 1;
}

static void convert(const uint8_t *from, enum field_type old, uint8_t *to, enum field_type new, uint64_t count,
                    int is_cut)
{
    for (uint64_t n = 0; n < count; n++) {
        uint64_t bits = 0;
        memcpy(&bits, from + n * field_element_bytes(old), field_element_bytes(old));
        bits = field_bits(new, field_value(old, bits), is_cut);
        memcpy(to + n * field_element_bytes(new), &bits, field_element_bytes(new));
    }
}

// bfloat16 for float16 or the other way round: the numbers are right, the bits are not.
static int half_for_half(struct trial *t, struct dice *dice)
{
    struct bytes *from = source_of(t);
    enum field_type old = t->meant.type;
    (void)dice;
    if (old != FIELD_F16 && old != FIELD_BF16) return 0;
    convert(from->at, old, from->at, old == FIELD_F16 ? FIELD_BF16 : FIELD_F16, from->count / 2, 0);
    return from->at[from->count / 2 / 2 * 2 + 1] != 0; // integers as bits are too small, and become zeros
}

// The file holds 32-bit numbers; the tensor in memory was made of them.
static int made_of_floats(struct trial *t, struct dice *dice)
{
    static uint8_t floats[2 * TRIAL_TENSOR_BYTES];
    if (t->is_store || (t->meant.type != FIELD_F16 && t->meant.type != FIELD_BF16)) return 0;
    if (2 * t->global.count > TRIAL_TENSOR_BYTES) return 0;
    for (uint64_t n = 0; n < t->global.count / 2; n++) {
        float value;
        uint16_t bits;
        memcpy(&bits, t->global.at + 2 * n, sizeof bits);
        value = (float)(field_value(t->meant.type, bits) * (1 + 0.001 * (double)dice_below(dice, 4)));
        memcpy(floats + 4 * n, &value, sizeof value);
    }
    t->file.count = t->global.count / 2 * 4;
    memcpy(t->file.at, floats, t->file.count);
    convert(floats, FIELD_F32, t->global.at, t->meant.type, t->global.count / 2, dice_below(dice, 3) == 0);
    return 1;
}

static int other_operand(struct trial *t, struct dice *dice)
{
    (void)dice;
    memcpy(source_of(t)->at, t->other.at, source_of(t)->count);
    t->other.count = source_of(t)->count;
    t->other.first = source_of(t)->first;
    t->other_kind = OTHER_OPERAND;
    return 1;
}

static int tensor_not_yet_written(struct trial *t, struct dice *dice)
{
    memset(source_of(t)->at, dice_below(dice, 2) == 0 ? 0 : 0xcd, source_of(t)->count);
    return 1;
}

// --- what is there afterwards ----------------------------------------------------------------------------------------

static struct bytes *target_of(struct trial *t)
{
    return t->is_store ? &t->global : &t->shared;
}

static int never(struct trial *t, struct dice *dice)
{
    memcpy(target_of(t)->at, t->before.at, target_of(t)->count);
    return dice != NULL;
}

// Pieces of 32 bytes have not come; most of them from some place on.
static int in_part(struct trial *t, struct dice *dice)
{
    struct bytes *to = target_of(t);
    uint64_t first = t->is_store ? (uint64_t)(t->meant.at[1] * t->meant.pitch[1]) : t->done.shared - to->first;
    uint64_t span = t->is_store ? (uint64_t)(t->meant.box[1] * t->meant.pitch[1])
                                : field_box_bytes(&t->meant) * (uint32_t)t->slices;
    uint64_t from = first + dice_below(dice, span), odds = dice_below(dice, 3) * 10;
    for (uint64_t i = to->first % 32; i + 32 <= to->count; i += 32)
        if (dice_below(dice, 100) < (i >= from ? 100 - odds : odds)) memcpy(to->at + i, t->before.at + i, 32);
    return 1;
}

// The bytes of a row of the tile as the user means it, copied out or in.
static void row(struct trial *t, int slice, int number, uint8_t *bytes, int is_in)
{
    struct field *field = &t->meant;
    uint32_t start = field->shared + (uint32_t)slice * ((field_box_bytes(field) + 127) / 128 * 128);
    for (uint32_t b = 0; b < field_row_bytes(field); b++) {
        uint32_t at = field_swizzle(t->done.span, start + (uint32_t)number * field_row_pitch(field) + b);
        uint8_t *byte = t->shared.at + (at - t->shared.first);
        if (is_in)
            *byte = bytes[b];
        else
            bytes[b] = *byte;
    }
}

// Rows of each slice change places: two of them, or all turned round or moved on.
static int rows_mixed(struct trial *t, struct dice *dice)
{
    static uint8_t rows[64][4096];
    int count = field_rows(&t->meant), kind = (int)dice_below(dice, 3), by = 1 + (int)dice_below(dice, 7);
    if (count > 64 || field_row_bytes(&t->meant) > sizeof rows[0] || t->meant.box[2] > 1) return 0;
    for (int s = 0; s < t->slices; s++) {
        for (int r = 0; r < count; r++) row(t, s, r, rows[r], 0);
        for (int r = 0; r < count; r++) {
            int from = kind == 1 ? count - 1 - r : kind == 2 ? (r + by) % count : r == 0 ? by : r == by ? 0 : r;
            row(t, s, r, rows[from], 1);
        }
    }
    return 1;
}

static uint8_t *somewhere(struct trial *t, struct dice *dice)
{
    if (!t->is_store)
        return t->shared.at + (t->done.shared - t->shared.first) + dice_below(dice, field_box_bytes(&t->meant));
    int64_t down = t->meant.at[1] + (int64_t)dice_below(dice, (uint64_t)t->meant.box[1]);
    int64_t across = t->meant.at[0] * t->meant.pitch[0] + (int64_t)dice_below(dice, field_row_bytes(&t->meant));
    int64_t at = down * t->meant.pitch[1] + across + t->meant.at[2] * t->meant.pitch[2] * (t->meant.dims > 2);
    return t->global.at + ((uint64_t)at < t->global.count ? (uint64_t)at : 0);
}

static int flipped_bits(struct trial *t, struct dice *dice)
{
    for (uint64_t n = 1 + dice_below(dice, 5); n > 0; n--) *somewhere(t, dice) ^= (uint8_t)(1u << dice_below(dice, 8));
    return 1;
}

static int stray_words(struct trial *t, struct dice *dice)
{
    for (uint64_t n = 1 + dice_below(dice, 3); n > 0; n--) {
        uint32_t word = (uint32_t)dice_below(dice, 1u << 31);
        uint8_t *to = somewhere(t, dice);
        uint64_t i = (uint64_t)(to - target_of(t)->at) / 4 * 4;
        memcpy(target_of(t)->at + i, &word, i + 4 <= target_of(t)->count ? 4 : 0);
    }
    return 1;
}

static int matrix_turned(struct trial *t, struct dice *dice)
{
    static uint8_t old[TRIAL_SHARED_BYTES];
    const struct field *f = &t->meant;
    uint32_t e = (uint32_t)f->pitch[0], columns = (uint32_t)f->box[0], rows = (uint32_t)f->box[1];
    (void)dice;
    if (field_row_bytes(f) != field_row_pitch(f) || t->slices > 1 || f->box[2] > 1) return 0;
    memcpy(old, t->shared.at, sizeof old);
    for (uint32_t r = 0; r < rows; r++)
        for (uint32_t c = 0; c < columns; c++) {
            uint32_t from = field_swizzle(t->done.span, t->done.shared + (r * columns + c) * e);
            uint32_t to = field_swizzle(t->done.span, t->done.shared + (c * rows + r) * e);
            memcpy(t->shared.at + (to - t->shared.first), old + (from - t->shared.first), e);
        }
    return 1;
}

static uint32_t tile_bytes(const struct trial *t) // rows with their gaps
{
    return ((field_box_bytes(&t->meant) + 127) / 128 * 128) * (uint32_t)t->slices;
}

static int reader_undid_swizzle(struct trial *t, struct dice *dice)
{
    static uint8_t old[TRIAL_SHARED_BYTES];
    (void)dice;
    memcpy(old, t->shared.at, sizeof old);
    for (uint32_t at = t->meant.shared; at < t->meant.shared + tile_bytes(t); at++)
        t->shared.at[at - t->shared.first] = old[field_swizzle(t->meant.span, at) - t->shared.first];
    return t->meant.span > 0;
}

// The buffer really begins some lines into the pattern, and the user thinks that it does not.
static int buffer_not_aligned(struct trial *t, struct dice *dice)
{
    static uint8_t old[TRIAL_SHARED_BYTES];
    uint32_t by = 128 * (1 + (uint32_t)dice_below(dice, 7)), pitch = field_row_pitch(&t->meant);
    memcpy(old, t->shared.at, sizeof old);
    for (uint32_t at = 0; at < tile_bytes(t); at++)
        t->shared.at[t->meant.shared + at - t->shared.first] = t->before.at[t->meant.shared + at - t->shared.first];
    for (uint32_t n = 0; n < tile_bytes(t); n++) {
        uint32_t at = t->meant.shared + n, to = field_swizzle(t->done.span, at + by) - by;
        if (n % pitch < field_row_bytes(&t->meant))
            t->shared.at[to - t->shared.first] = old[field_swizzle(t->done.span, at) - t->shared.first];
    }
    return t->done.span > 0 && by < 8 * (uint32_t)t->done.span;
}

// The next tile came before this one was read: it lies over the second part of it.
static int next_tile_over_it(struct trial *t, struct dice *dice)
{
    struct field next = t->done;
    int i = either(t, dice);
    next.at[i] += next.box[i];
    if (next.at[i] >= next.extent[i]) next.at[i] = 0;
    if (field_box_bytes(&next) <= 128 || t->slices > 1) return 0;
    next.shared += 128 * (1 + (uint32_t)dice_below(dice, (field_box_bytes(&next) - 1) / 128));
    return field_load(&next, &t->global, &t->shared);
}

// The user looks into the buffer of another stage, of which he has a dump.
static int other_stage(struct trial *t, struct dice *dice)
{
    (void)dice;
    memcpy(t->shared.at, t->other.at, t->shared.count);
    t->other.first = t->shared.first;
    t->other.count = t->shared.count;
    t->other_kind = OTHER_STAGE;
    return 1;
}

static int changed_in_place(struct trial *t, struct dice *dice)
{
    struct bytes *to = target_of(t);
    double by = dice_below(dice, 2) == 0 ? -1 : 0.7;
    uint32_t element = (uint32_t)t->meant.pitch[0];
    if (t->meant.type == FIELD_U8 || t->meant.type == FIELD_F32) return 0;
    for (uint64_t i = 0; i + element <= to->count; i += element) {
        uint64_t bits = 0;
        if (memcmp(to->at + i, t->before.at + i, element) == 0) continue;
        memcpy(&bits, to->at + i, element);
        bits = field_bits(t->meant.type, by * field_value(t->meant.type, bits), 0);
        memcpy(to->at + i, &bits, element);
    }
    return 1;
}

// Threads wrote results over a part of it.
static int results_over_it(struct trial *t, struct dice *dice)
{
    uint8_t *to = somewhere(t, dice);
    uint64_t i = (uint64_t)(to - t->shared.at) / 128 * 128, bytes = 256 + 4 * dice_below(dice, 100);
    for (uint64_t b = 0; b < bytes; b++) t->shared.at[i + b] = (uint8_t)dice_below(dice, 256);
    return 1;
}

const struct mistake mistakes[] = {
    {"never copied, or seen too early", "STALE|OTHER_PHASE", 1, 1, NULL, NULL, never},
    {"part of it seen too early", "STALE|OTHER_PHASE", 1, 1, NULL, NULL, in_part},
    {"copied from a tensor not yet written", "STALE|?", 1, 1, NULL, tensor_not_yet_written, NULL},
    {"tile numbers for coordinates", "COORD_UNIT", 1, 1, tile_numbers, NULL, NULL},
    {"a coordinate in bytes", "COORD_UNIT", 1, 1, byte_numbers, NULL, NULL},
    {"row for column", "COORD_SWAPPED", 1, 1, column_for_row, NULL, NULL},
    {"the tile beside it", "OTHER_PHASE", 1, 1, neighbour, NULL, NULL},
    {"some rows off", "COORD_OFF", 1, 1, rows_off, NULL, NULL},
    {"some columns off", "COORD_OFF", 1, 1, columns_off, NULL, NULL},
    {"padding of rows forgotten", "STRIDE", 1, 1, no_padding, NULL, NULL},
    {"another pitch", "STRIDE", 1, 1, pitch_off, NULL, NULL},
    {"pitch in elements", "STRIDE", 1, 1, pitch_in_elements, NULL, NULL},
    {"pointer off", "GLOBAL_BASE", 1, 1, pointer_off, NULL, NULL},
    {"pointer off by no multiple of 16", "GLOBAL_BASE", 1, 0, NULL, odd_pointer, NULL},
    {"another swizzle", "SWIZZLE_MODE", 1, 1, other_swizzle, NULL, NULL},
    {"fewer rows in the box", "BOX", 1, 1, fewer_rows, NULL, NULL},
    {"box turned", "BOX", 1, 1, turned_box, NULL, NULL},
    {"every second or third row", "ELEMENT_STRIDE", 1, 1, every_second_row, NULL, NULL},
    {"tensor given as smaller", "BOUNDS", 1, 1, short_tensor, NULL, NULL},
    {"fill of the other kind", "FILL", 1, 0, other_fill, NULL, NULL},
    {"another stage's address", "SHARED_ADDRESS", 1, 1, stage_off, NULL, NULL},
    {"element of another size", "ELEMENT_TYPE", 1, 0, other_size, NULL, NULL},
    {"slices turned round", "WRONG_SLICE", 1, 1, slices_turned, NULL, NULL},
    {"every slice that of rank 0", "WRONG_SLICE", 1, 1, slices_of_rank_zero, NULL, NULL},
    {"one slice never issued", "STALE", 1, 1, slice_missing, NULL, NULL},
    {"other byte order", "BYTE_ORDER", 1, 1, NULL, other_endian, NULL},
    {"bfloat16 for float16, or back", "CONVERTED", 1, 1, NULL, half_for_half, NULL},
    {"made of 32-bit numbers", "CONVERTED", 1, 0, NULL, made_of_floats, NULL},
    {"the other operand (given)", "OTHER_TENSOR", 1, 1, NULL, other_operand, NULL},
    {"another stage's bytes (given)", "OTHER_TENSOR", 1, 0, NULL, NULL, other_stage},
    {"rows in each other's places", "ROW_ORDER", 1, 0, NULL, NULL, rows_mixed},
    {"rows written in each other's places", "ROW_ORDER", 0, 1, NULL, rows_mixed, NULL},
    {"a few bits flipped", "CORRUPTED", 1, 1, NULL, NULL, flipped_bits},
    {"stray words", "CORRUPTED", 1, 1, NULL, NULL, stray_words},
    {"tile transposed", "TRANSPOSED", 1, 0, NULL, NULL, matrix_turned},
    {"tile written transposed", "TRANSPOSED", 0, 1, NULL, matrix_turned, NULL},
    {"swizzle undone by the reader", "READ_UNSWIZZLED", 1, 0, NULL, NULL, reader_undid_swizzle},
    {"buffer not aligned to the pattern", "SWIZZLE_BASE", 1, 0, NULL, NULL, buffer_not_aligned},
    {"the next tile over it", "OVERWRITTEN", 1, 0, NULL, NULL, next_tile_over_it},
    {"added in place of stored", "ADDED|?", 0, 1, adds, NULL, NULL},
    {"changed in place", "?", 1, 1, NULL, NULL, changed_in_place},
    {"results written over a part", "CORRUPTED|STALE|?", 1, 0, NULL, NULL, results_over_it},
};

const int mistakes_count = sizeof mistakes / sizeof mistakes[0];
