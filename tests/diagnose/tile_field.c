// SPDX-License-Identifier: MIT
#include "tile_field.h"

#include <math.h>
#include <string.h>

uint32_t field_element_bytes(enum field_type type)
{
    static const uint32_t bytes[FIELD_TYPES] = {1, 2, 2, 4, 8};
    return bytes[type];
}

int field_steps(const struct field *field, int i)
{
    int count = 0;
    for (int passed = 0; passed < field->box[i]; passed += i == 0 ? 1 : field->every[i]) count++;
    return count;
}

int field_rows(const struct field *field)
{
    int rows = 1;
    for (int i = 1; i < field->dims; i++) rows *= field_steps(field, i);
    return rows;
}

uint32_t field_row_bytes(const struct field *field)
{
    return (uint32_t)field->box[0] * field_element_bytes(field->type);
}

uint32_t field_row_pitch(const struct field *field)
{
    uint32_t bytes = field_row_bytes(field);
    return bytes < (uint32_t)field->span ? (uint32_t)field->span : bytes;
}

uint32_t field_box_bytes(const struct field *field)
{
    return (uint32_t)(field_rows(field) - 1) * field_row_pitch(field) + field_row_bytes(field);
}

// Chunks of 16 bytes change places inside the span; which ones, the 128-byte line says.
uint32_t field_swizzle(int span, uint32_t address)
{
    if (span == 0) return address;
    uint32_t line = address / 128, chunk = address / 16 % 8, byte = address % 16;
    uint32_t flips = line % ((uint32_t)span / 16);
    return line * 128 + (chunk ^ flips) * 16 + byte;
}

// The element that is `step` steps into the box; its place in the tensor, and whether it is inside.
struct place {
    int64_t offset;
    bool is_inside;
    uint32_t shared;
};

static struct place place_of(const struct field *field, int row, int column)
{
    struct place place = {0, true, 0};
    int64_t index = field->at[0] + column, rest = row;
    place.is_inside = index >= 0 && index < field->extent[0];
    place.offset = index * field->pitch[0];
    for (int i = 1; i < field->dims; i++) {
        int steps = field_steps(field, i);
        index = field->at[i] + rest % steps * field->every[i];
        rest /= steps;
        place.is_inside = place.is_inside && index >= 0 && index < field->extent[i];
        place.offset += index * field->pitch[i];
    }
    place.shared =
        field->shared + (uint32_t)row * field_row_pitch(field) + (uint32_t)column * field_element_bytes(field->type);
    return place;
}

static uint8_t *find(const struct bytes *bytes, uint64_t address, uint64_t count)
{
    if (address < bytes->first || address + count > bytes->first + bytes->count) return NULL;
    return bytes->at + (address - bytes->first);
}

static void put(const struct field *field, const struct bytes *shared, uint32_t at, const uint8_t *from)
{
    static const uint8_t zeros[8], nan[8] = {0xf7, 0x7f, 0xf7, 0x7f, 0xf7, 0x7f, 0xf7, 0x7f};
    if (from == NULL) from = field->nan_fill ? nan : zeros;
    for (uint32_t b = 0; b < field_element_bytes(field->type); b++) {
        uint8_t *to = find(shared, field_swizzle(field->span, at + b), 1);
        if (to != NULL) *to = from[b];
    }
}

int field_load(const struct field *field, const struct bytes *tensor, const struct bytes *shared)
{
    uint32_t element = field_element_bytes(field->type);
    for (int row = 0; row < field_rows(field); row++)
        for (int column = 0; column < field->box[0]; column++) {
            struct place place = place_of(field, row, column);
            const uint8_t *from = NULL;
            if (place.is_inside) from = find(tensor, field->address + (uint64_t)place.offset, element);
            if (place.is_inside && from == NULL) return 0;
            put(field, shared, place.shared, from);
        }
    return 1;
}

static void add(enum field_type type, uint8_t *to, const uint8_t *from)
{
    uint64_t left = 0, right = 0;
    uint32_t element = field_element_bytes(type);
    memcpy(&left, to, element);
    memcpy(&right, from, element);
    left = field_bits(type, field_value(type, left) + field_value(type, right), false);
    memcpy(to, &left, element);
}

bool field_store(const struct field *field, const struct bytes *shared, const struct bytes *tensor, bool is_added)
{
    uint32_t element = field_element_bytes(field->type);
    for (int row = 0; row < field_rows(field); row++)
        for (int column = 0; column < field->box[0]; column++) {
            struct place place = place_of(field, row, column);
            if (!place.is_inside) continue;
            uint8_t *to = find(tensor, field->address + (uint64_t)place.offset, element);
            const uint8_t *from = find(shared, field_swizzle(field->span, place.shared), element);
            if (to == NULL || from == NULL) return false;
            if (is_added)
                add(field->type, to, from);
            else
                memcpy(to, from, element);
        }
    return true;
}

// --- numbers ---------------------------------------------------------------------------------------------------------

// How many bits the fraction has, and the exponents of normal numbers.
static const struct {
    int fraction, least, most;
} formats[FIELD_TYPES] = {{0, 0, 0}, {10, -14, 15}, {7, -126, 127}, {23, -126, 127}, {52, -1022, 1023}};

double field_value(enum field_type type, uint64_t bits)
{
    if (type == FIELD_U8) return (double)bits;
    int fraction = formats[type].fraction, top = (int)field_element_bytes(type) * 8 - 1;
    uint64_t low = bits & (((uint64_t)1 << fraction) - 1), exponent = (bits & (((uint64_t)1 << top) - 1)) >> fraction;
    double scale = ldexp(1, formats[type].least - fraction), value = (double)low * scale;
    if (exponent > 0) value = ldexp((double)(low + ((uint64_t)1 << fraction)) * scale, (int)exponent - 1);
    return bits >> top & 1 ? -value : value;
}

// Finite numbers of modest size only: nothing here overflows.
uint64_t field_bits(enum field_type type, double value, bool is_cut)
{
    if (type == FIELD_U8) return (uint64_t)(int64_t)value & 255;
    int fraction = formats[type].fraction, top = (int)field_element_bytes(type) * 8 - 1, exponent;
    uint64_t sign = signbit(value) ? (uint64_t)1 << top : 0;
    frexp(value, &exponent);
    if (value == 0 || exponent - 1 < formats[type].least) exponent = formats[type].least + 1;
    double units = ldexp(fabs(value), fraction - (exponent - 1));
    uint64_t whole = (uint64_t)(is_cut ? floor(units) : nearbyint(units));
    uint64_t biased = (uint64_t)(exponent - 1 - formats[type].least); // a carry of `whole` goes into the exponent
    return sign | ((biased << fraction) + whole);
}
