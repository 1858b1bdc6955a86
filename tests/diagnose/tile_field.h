// SPDX-License-Identifier: MIT
// Tensors and boxes in plain numbers, for the measurement of `tmaref diagnose` on mistakes that its table does not know
// of (mistakes.c). Every byte is moved by the loops of tile_field.c: no code of model/ or harness/ has a part in them.
#ifndef TMAREF_TESTS_TILE_FIELD_H
#define TMAREF_TESTS_TILE_FIELD_H

#include <stdbool.h>
#include <stdint.h>

enum { FIELD_DIMS = 5 };

enum field_type { FIELD_U8, FIELD_F16, FIELD_BF16, FIELD_F32, FIELD_F64, FIELD_TYPES };

// A tensor and one box of it. Everything of index 0 is innermost; pitch[0] is the bytes of an element.
//   every   each so-many-th element along a dimension; box counts elements passed over, as boxDim does
//   span    of the swizzle: 0, 32, 64 or 128 bytes
struct field {
    enum field_type type;
    int dims;
    uint64_t address;
    int64_t extent[FIELD_DIMS], pitch[FIELD_DIMS], at[FIELD_DIMS];
    int box[FIELD_DIMS], every[FIELD_DIMS];
    int span, nan_fill;
    uint32_t shared;
};

// Bytes with addresses.
struct bytes {
    uint8_t *at;
    uint64_t first, count;
};

uint32_t field_element_bytes(enum field_type type);

// Elements of the box along dimension i, rows of it, bytes of a row and from one row to the next in shared memory.
int field_steps(const struct field *field, int i);
int field_rows(const struct field *field);
uint32_t field_row_bytes(const struct field *field);
uint32_t field_row_pitch(const struct field *field);
uint32_t field_box_bytes(const struct field *field);

// Where a byte of shared memory lies once it is swizzled.
uint32_t field_swizzle(int span, uint32_t address);

// Loads the box, or stores it; 0 if it would touch bytes that are not there.
int field_load(const struct field *field, const struct bytes *tensor, const struct bytes *shared);
bool field_store(const struct field *field, const struct bytes *shared, const struct bytes *tensor, bool is_added);

// A number as the bits of a type, to nearest even or cut off; and back.
uint64_t field_bits(enum field_type type, double value, bool is_cut);
double field_value(enum field_type type, uint64_t bits);

#endif
