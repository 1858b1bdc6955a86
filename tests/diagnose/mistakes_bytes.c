// SPDX-License-Identifier: MIT
// The mistakes whose bytes are wrong: those that are copied, or those that are there afterwards.
#include "mistakes_bytes.h"

#include <string.h>

// --- the bytes that are copied ---------------------------------------------------------------------------------------

static struct bytes *source_of(struct trial *t)
{
    return t->is_store ? &t->shared : &t->global;
}

// The tensor really lies some elements further on, at no multiple of 16.
int odd_pointer(struct trial *t, struct dice *dice)
{
    struct bytes *from = source_of(t);
    uint64_t by = (uint64_t)t->meant.pitch[0] * (1 + dice_below(dice, 40));
    if (by % 16 == 0 || t->meant.at[1] + t->meant.box[1] >= t->meant.extent[1]) return 0; // the user has the bytes
    memmove(from->at, from->at + by, from->count - by);
    return 1;
}

int other_endian(struct trial *t, struct dice *dice)
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
                    bool is_cut)
{
    for (uint64_t n = 0; n < count; n++) {
        uint64_t bits = 0;
        memcpy(&bits, from + n * field_element_bytes(old), field_element_bytes(old));
        bits = field_bits(new, field_value(old, bits), is_cut);
        memcpy(to + n * field_element_bytes(new), &bits, field_element_bytes(new));
    }
}

// bfloat16 for float16 or the other way round: the numbers are right, the bits are not.
int half_for_half(struct trial *t, struct dice *dice)
{
    struct bytes *from = source_of(t);
    enum field_type old = t->meant.type;
    (void)dice;
    if (old != FIELD_F16 && old != FIELD_BF16) return 0;
    convert(from->at, old, from->at, old == FIELD_F16 ? FIELD_BF16 : FIELD_F16, from->count / 2, false);
    return from->at[from->count / 2 / 2 * 2 + 1] != 0; // integers as bits are too small, and become zeros
}

// The file holds 32-bit numbers; the tensor in memory was made of them.
int made_of_floats(struct trial *t, struct dice *dice)
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

int other_operand(struct trial *t, struct dice *dice)
{
    (void)dice;
    memcpy(source_of(t)->at, t->other.at, source_of(t)->count);
    t->other.count = source_of(t)->count;
    t->other.first = source_of(t)->first;
    t->other_kind = OTHER_OPERAND;
    return 1;
}

int tensor_not_yet_written(struct trial *t, struct dice *dice)
{
    memset(source_of(t)->at, dice_below(dice, 2) == 0 ? 0 : 0xcd, source_of(t)->count);
    return 1;
}

// --- what is there afterwards ----------------------------------------------------------------------------------------

static struct bytes *target_of(struct trial *t)
{
    return t->is_store ? &t->global : &t->shared;
}

int never(struct trial *t, struct dice *dice)
{
    memcpy(target_of(t)->at, t->before.at, target_of(t)->count);
    return dice != NULL;
}

// Pieces of 32 bytes have not come; most of them from some place on.
int in_part(struct trial *t, struct dice *dice)
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
static void row(struct trial *t, int slice, int number, uint8_t *bytes, bool is_in)
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
int rows_mixed(struct trial *t, struct dice *dice)
{
    static uint8_t rows[64][4096];
    int count = field_rows(&t->meant), kind = (int)dice_below(dice, 3), by = 1 + (int)dice_below(dice, 7);
    if (count > 64 || field_row_bytes(&t->meant) > sizeof rows[0] || t->meant.box[2] > 1) return 0;
    for (int s = 0; s < t->slices; s++) {
        for (int r = 0; r < count; r++) row(t, s, r, rows[r], false);
        for (int r = 0; r < count; r++) {
            int from = kind == 1 ? count - 1 - r : kind == 2 ? (r + by) % count : r == 0 ? by : r == by ? 0 : r;
            row(t, s, r, rows[from], true);
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

int flipped_bits(struct trial *t, struct dice *dice)
{
    for (uint64_t n = 1 + dice_below(dice, 5); n > 0; n--) *somewhere(t, dice) ^= (uint8_t)(1u << dice_below(dice, 8));
    return 1;
}

int stray_words(struct trial *t, struct dice *dice)
{
    for (uint64_t n = 1 + dice_below(dice, 3); n > 0; n--) {
        uint32_t word = (uint32_t)dice_below(dice, 1u << 31);
        uint8_t *to = somewhere(t, dice);
        uint64_t i = (uint64_t)(to - target_of(t)->at) / 4 * 4;
        memcpy(target_of(t)->at + i, &word, i + 4 <= target_of(t)->count ? 4 : 0);
    }
    return 1;
}

int matrix_turned(struct trial *t, struct dice *dice)
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

int reader_undid_swizzle(struct trial *t, struct dice *dice)
{
    static uint8_t old[TRIAL_SHARED_BYTES];
    (void)dice;
    memcpy(old, t->shared.at, sizeof old);
    for (uint32_t at = t->meant.shared; at < t->meant.shared + tile_bytes(t); at++)
        t->shared.at[at - t->shared.first] = old[field_swizzle(t->meant.span, at) - t->shared.first];
    return t->meant.span > 0;
}

// The buffer really begins some lines into the pattern, and the user thinks that it does not.
int buffer_not_aligned(struct trial *t, struct dice *dice)
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
int next_tile_over_it(struct trial *t, struct dice *dice)
{
    struct field next = t->done;
    int i = (int)dice_below(dice, (uint64_t)t->meant.dims);
    next.at[i] += next.box[i];
    if (next.at[i] >= next.extent[i]) next.at[i] = 0;
    if (field_box_bytes(&next) <= 128 || t->slices > 1) return 0;
    next.shared += 128 * (1 + (uint32_t)dice_below(dice, (field_box_bytes(&next) - 1) / 128));
    return field_load(&next, &t->global, &t->shared);
}

// The user looks into the buffer of another stage, of which he has a dump.
int other_stage(struct trial *t, struct dice *dice)
{
    (void)dice;
    memcpy(t->shared.at, t->other.at, t->shared.count);
    t->other.first = t->shared.first;
    t->other.count = t->shared.count;
    t->other_kind = OTHER_STAGE;
    return 1;
}

int changed_in_place(struct trial *t, struct dice *dice)
{
    struct bytes *to = target_of(t);
    double by = dice_below(dice, 2) == 0 ? -1 : 0.7;
    uint32_t element = (uint32_t)t->meant.pitch[0];
    if (t->meant.type == FIELD_U8 || t->meant.type == FIELD_F32) return 0;
    for (uint64_t i = 0; i + element <= to->count; i += element) {
        uint64_t bits = 0;
        if (memcmp(to->at + i, t->before.at + i, element) == 0) continue;
        memcpy(&bits, to->at + i, element);
        bits = field_bits(t->meant.type, by * field_value(t->meant.type, bits), false);
        memcpy(to->at + i, &bits, element);
    }
    return 1;
}

// Threads wrote results over a part of it.
int results_over_it(struct trial *t, struct dice *dice)
{
    uint8_t *to = somewhere(t, dice);
    uint64_t i = (uint64_t)(to - t->shared.at) / 128 * 128, bytes = 256 + 4 * dice_below(dice, 100);
    for (uint64_t b = 0; b < bytes; b++) t->shared.at[i + b] = (uint8_t)dice_below(dice, 256);
    return 1;
}
