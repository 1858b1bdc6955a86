// SPDX-License-Identifier: MIT
// The fields of tensormap.replace, one row each. The hardware does plain arithmetic on the 128 bytes: it shifts, cuts
// and inserts, and looks neither at the value nor at the rest of the map.
#include "replace.h"

#include <assert.h>
#include <stdbool.h>
#include <strings.h>

#include "bits.h"
#include "broken.h"
#include "rules/replace.h"

enum { STRIDE_SHIFT = 4, STRIDE_HIGH_SHIFT = 36, STRIDES = TENSORMAP_MAX_RANK - 1 };
#define BITS_ADDRESS_REGISTER ((struct bits){0, 64}) // the whole register, past the 57 bits of an address
#define BITS_SWIZZLE_CLEARS   ((struct bits){86, 1})

// `ordinals` is 1 for a field that has none, `minus` what the number stored is less than the value. `least` to `most`,
// multiples of `align`, are the values a map may have; `immediates` counts those of an immediate operand.
struct replace_row {
    const char *name;
    int ordinals;
    uint32_t minus, immediates;
    uint64_t least, most, align;
};

static const struct replace_row rows[REPLACE_FIELDS] = {
    [REPLACE_GLOBAL_ADDRESS] = {"global_address", 1, 0, 0, 0, ((uint64_t)1 << 57) - 16, 16},
    [REPLACE_RANK] = {"rank", 1, 0, 0, 0, TENSORMAP_MAX_RANK - 1, 1},
    [REPLACE_BOX_DIM] = {"box_dim", REPLACE_ORDINALS, 1, 0, 1, TENSORMAP_MAX_BOX, 1},
    [REPLACE_GLOBAL_DIM] = {"global_dim", REPLACE_ORDINALS, 1, 0, 1, UINT32_MAX, 1},
    [REPLACE_GLOBAL_STRIDE] = {"global_stride", REPLACE_ORDINALS, 0, 0, 0, ((uint64_t)1 << 40) - 16, 16},
    [REPLACE_ELEMENT_STRIDE] = {"element_stride", REPLACE_ORDINALS, 1, 0, 1, TENSORMAP_MAX_ESTRIDE, 1},
    [REPLACE_ELEMTYPE] = {"elemtype", 1, 0, REPLACE_ELEMTYPES, 0, REPLACE_ELEMTYPES - 1, 1},
    [REPLACE_INTERLEAVE_LAYOUT] = {"interleave_layout", 1, 0, REPLACE_INTERLEAVES, 0, REPLACE_INTERLEAVES - 1, 1},
    [REPLACE_SWIZZLE_MODE] = {"swizzle_mode", 1, 0, REPLACE_SWIZZLES, 0, REPLACE_SWIZZLES - 1, 1},
    [REPLACE_FILL_MODE] = {"fill_mode", 1, 0, REPLACE_FILLS, 0, REPLACE_FILLS - 1, 1},
};

// Where a field lies; of a stride its low bits, of a type its format.
static struct bits bits_of(uint32_t field, int ordinal)
{
    switch (field) {
    case REPLACE_GLOBAL_ADDRESS:
        return BITS_ADDRESS_REGISTER;
    case REPLACE_RANK:
        return BITS_RANK;
    case REPLACE_BOX_DIM:
        return BITS_BOX(ordinal);
    case REPLACE_GLOBAL_DIM:
        return BITS_DIM(ordinal);
    case REPLACE_GLOBAL_STRIDE:
        return BITS_STRIDE_LOW(ordinal);
    case REPLACE_ELEMENT_STRIDE:
        return BITS_ESTRIDE(ordinal);
    case REPLACE_ELEMTYPE:
        return BITS_FORMAT;
    case REPLACE_INTERLEAVE_LAYOUT:
        return BITS_INTERLEAVE;
    case REPLACE_SWIZZLE_MODE:
        return BITS_SWIZZLE;
    default:
        return BITS_OOB_FILL;
    }
}

static const struct replace_row *row_of(uint32_t field)
{
    assert(field < REPLACE_FIELDS);
    return &rows[field];
}

const char *replace_field_name(enum replace_field field)
{
    return row_of(field)->name;
}

enum replace_field replace_field_find(const char *name)
{
    int field = 0;
    while (field < REPLACE_FIELDS && strcasecmp(rows[field].name, name) != 0) field++;
    return (enum replace_field)field;
}

uint32_t replace_elemtype(enum dtype dtype)
{
    if (dtype == DTYPE_TFLOAT32) return REPLACE_ELEMTYPES - 2;
    return dtype == DTYPE_TFLOAT32_FTZ ? REPLACE_ELEMTYPES - 1 : dtype_row(dtype)->format;
}

static bool takes_64_bits(uint32_t field)
{
    return field == REPLACE_GLOBAL_ADDRESS || field == REPLACE_GLOBAL_STRIDE;
}

int replace_is_legal(const struct replace_op *op)
{
    if (op->field >= REPLACE_FIELDS || op->ordinal >= (uint32_t)rows[op->field].ordinals) return 0;
    if (rows[op->field].immediates > 0) return op->value < rows[op->field].immediates;
    return takes_64_bits(op->field) || op->value <= UINT32_MAX;
}

uint64_t replace_becomes(const struct replace_op *op)
{
    const struct replace_row *row = row_of(op->field);
    if (op->field == REPLACE_GLOBAL_STRIDE) return op->value & (((uint64_t)1 << 40) - 16);
    struct bits at = bits_of(op->field, (int)op->ordinal);
    if (at.count == 64 || row->immediates > 0) return op->value;
    return ((op->value - row->minus) & (((uint64_t)1 << at.count) - 1)) + row->minus;
}

static void put(struct tensormap_image *image, struct bits at, uint64_t value)
{
    uint64_t mask = at.count == 64 ? UINT64_MAX : bits_mask(at);
    image->word[at.first / 64] = (image->word[at.first / 64] & ~mask) | (value << at.first % 64 & mask);
}

// The low 32 bits have a word of their own, the high 4 a place in the word after the last: that is also where ordinal
// 4, which no map has, puts its low bits.
static void put_stride(struct tensormap_image *image, int ordinal, uint64_t value)
{
    put(image, BITS_STRIDE_LOW(ordinal), value >> STRIDE_SHIFT);
    put(image, BITS_STRIDE_HIGH(ordinal), value >> STRIDE_HIGH_SHIFT);
}

// Formats are numbered as the 128 bytes have them, but for the two TF32 types, which are a float and a bit: it is set
// here, and no replace ever clears it.
static void put_type(struct tensormap_image *image, uint64_t value)
{
    enum dtype tf32[] = {DTYPE_TFLOAT32, DTYPE_TFLOAT32_FTZ};
    int plain = REPLACE_ELEMTYPES - 2;
    if (value >= (uint64_t)plain) {
        put(image, BITS_TF32, 1);
        value = dtype_row(tf32[value - (uint64_t)plain])->format;
    }
    put(image, BITS_FORMAT, value);
}

static void warn(struct findings *findings, enum rule *first, struct finding finding)
{
    if (*first == RULE_OK) *first = finding.rule;
    finding_add(findings, finding);
}

static void check_value(const struct replace_op *op, struct findings *findings, enum rule *first)
{
    const struct replace_row *row = row_of(op->field);
    int index = row->ordinals > 1 ? (int)op->ordinal : -1;
    uint64_t nearest = op->value < row->least ? row->least : op->value > row->most ? row->most : op->value;
    uint64_t limit = nearest != op->value ? nearest : row->align;
    nearest -= nearest % row->align;
    if (nearest != op->value)
        warn(findings, first,
             FINDING_AT(RULE_REPLACE_VALUE, row->name, index, .value = op->value, .limit = limit, .nearest = nearest));
}

static void check_oddities(const struct tensormap_image *image, const struct replace_op *op, struct findings *findings,
                           enum rule *first)
{
    if (op->field == REPLACE_GLOBAL_STRIDE && op->ordinal >= STRIDES)
        warn(findings, first,
             FINDING(RULE_REPLACE_STRIDE_ORDINAL, "ord", .value = op->ordinal, .limit = STRIDES - 1,
                     .nearest = STRIDES - 1));
    bool is_tf32 = op->value >= REPLACE_ELEMTYPES - 2;
    if (op->field == REPLACE_ELEMTYPE && !is_tf32 && bits_get(image, BITS_TF32) != 0)
        warn(findings, first,
             FINDING(RULE_REPLACE_TF32, "elemtype", .value = op->value, .limit = REPLACE_ELEMTYPES - 2,
                     .nearest = REPLACE_ELEMTYPES - 2));
}

enum rule tensormap_replace(struct tensormap_image *image, const struct replace_op *op, struct findings *findings)
{
    enum rule first = RULE_OK;
    findings_clear(findings);
    if (!replace_is_legal(op)) return finding_of_form(findings, "new_val or ord of this field", op->value);
    const struct replace_row *row = row_of(op->field);
    check_value(op, findings, &first);
    check_oddities(image, op, findings, &first);

    if (op->field == REPLACE_GLOBAL_STRIDE)
        put_stride(image, (int)op->ordinal, op->value);
    else if (op->field == REPLACE_ELEMTYPE)
        put_type(image, op->value);
    else
        put(image, bits_of(op->field, (int)op->ordinal), op->value - row->minus);
    if (op->field == REPLACE_SWIZZLE_MODE) put(image, BITS_SWIZZLE_CLEARS, 0);
    return first;
}
