// SPDX-License-Identifier: MIT
// What `tmaref compare` found, for people and as JSON: the first element that differs, by its place in the buffer or
// the tensor, with both values.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bank.h"
#include "compare_command.h"
#include "json.h"
#include "provenance.h"
#include "result.h"

// --- Values ----------------------------------------------------------------------------------------------------------

static uint64_t bits_of(const struct compare *compare, int side, uint64_t element)
{
    uint64_t bits = 0;
    uint32_t bytes = compare->element_bytes;
    memcpy(&bits, compare->side[side].bytes + element * bytes, bytes < 8 ? bytes : 8);
    return bits;
}

// Exponent and fraction bits of a float type; 0 if it is none.
static int float_fields(enum dtype dtype, int *exponent, int *fraction)
{
    switch (dtype) {
    case DTYPE_FLOAT16:
        return *exponent = 5, *fraction = 10, 16;
    case DTYPE_BFLOAT16:
        return *exponent = 8, *fraction = 7, 16;
    case DTYPE_FLOAT64:
        return *exponent = 11, *fraction = 52, 64;
    case DTYPE_FLOAT32:
    case DTYPE_FLOAT32_FTZ:
    case DTYPE_TFLOAT32:
    case DTYPE_TFLOAT32_FTZ:
        return *exponent = 8, *fraction = 23, 32;
    default:
        return 0;
    }
}

static double float_value(uint64_t bits, int exponent, int fraction)
{
    uint64_t digits = bits & (((uint64_t)1 << fraction) - 1);
    int power = (int)(bits >> fraction & (((uint64_t)1 << exponent) - 1)), bias = (1 << (exponent - 1)) - 1;
    double sign = bits >> (exponent + fraction) & 1 ? -1 : 1;
    if (power == (1 << exponent) - 1) return digits == 0 ? sign * INFINITY : NAN;
    if (power == 0) return sign * ldexp((double)digits, 1 - bias - fraction);
    return sign * ldexp((double)(digits | (uint64_t)1 << fraction), power - bias - fraction);
}

// "0x3f800000 (1)": the bits, and what they are as a number.
static void value_text(const struct compare *compare, int side, uint64_t element, char *text, size_t bytes)
{
    int exponent, fraction, used;
    uint64_t bits = bits_of(compare, side, element);
    if (compare->element_bytes > 8) {
        snprintf(text, bytes, "begins with 0x%016" PRIx64, bits);
        return;
    }
    used = snprintf(text, bytes, "0x%0*" PRIx64, (int)compare->element_bytes * 2, bits);
    text += used;
    bytes -= (size_t)used;
    if (float_fields(compare->dtype, &exponent, &fraction) > 0)
        snprintf(text, bytes, " (%.9g)", float_value(bits, exponent, fraction));
    else if (compare->dtype == DTYPE_INT32)
        snprintf(text, bytes, " (%" PRId32 ")", (int32_t)bits);
    else if (compare->dtype == DTYPE_INT64)
        snprintf(text, bytes, " (%" PRId64 ")", (int64_t)bits);
    else if (compare->dtype < DTYPE_COUNT)
        snprintf(text, bytes, " (%" PRIu64 ")", bits);
}

// Floats of one sign lie in the order of their bits.
static int64_t rank_of(uint64_t bits, int width)
{
    uint64_t sign = (uint64_t)1 << (width - 1);
    return bits & sign ? -(int64_t)(bits & (sign - 1)) : (int64_t)bits;
}

uint64_t compare_ulps(const struct compare *compare, uint64_t element)
{
    int exponent, fraction, width = float_fields(compare->dtype, &exponent, &fraction);
    uint64_t a = bits_of(compare, 0, element), b = bits_of(compare, 1, element);
    if (width == 0 || isnan(float_value(a, exponent, fraction)) || isnan(float_value(b, exponent, fraction))) return 0;
    int64_t left = rank_of(a, width), right = rank_of(b, width);
    return left > right ? (uint64_t)left - (uint64_t)right : (uint64_t)right - (uint64_t)left;
}

// --- Places ----------------------------------------------------------------------------------------------------------

// The element of the tensor that lies at a shared address of the dump; 0 if none of the box does.
static bool tensor_place(const struct compare *compare, uint64_t element, struct provenance *place)
{
    const struct tmaref_dump_head *head = &compare->side[0].head;
    uint32_t address = compare->base + (uint32_t)(element * compare->element_bytes);
    struct box box;
    if (!compare->has_map) return false;
    box_start(&box, TENSORMAP_TILED, &compare->map, head->coord, NULL);
    return provenance_of_shared(&box, head->coord, head->destination & 0xffffff, address, place);
}

static bool is_poison(const struct compare *compare, int side, uint64_t element)
{
    uint64_t offset = element * compare->element_bytes / 4 * 4;
    uint32_t word;
    if ((compare->side[side].head.has & TMAREF_DUMP_POISONED) == 0) return false;
    if (offset + sizeof word > compare->side[side].head.bytes)
        return false; // it ends within a word, which poison does not
    memcpy(&word, compare->side[side].bytes + offset, sizeof word);
    return word == tmaref_poison_word(compare->base + (uint32_t)offset);
}

static void print_buffer_place(const struct compare *compare, uint64_t element)
{
    uint64_t index[NPY_MAX_RANK], left = element;
    printf("element %" PRIu64, element);
    for (int i = compare->rank - 1; i >= 0; i--) {
        index[i] = left % compare->shape[i];
        left /= compare->shape[i];
    }
    if (compare->rank > 0) printf(" [%s]", text_numbers(NUMBERS(index, compare->rank), ", ").at);
}

static void print_dump_place(const struct compare *compare, uint64_t element)
{
    struct provenance place;
    uint32_t address = compare->base + (uint32_t)(element * compare->element_bytes);
    printf("shared 0x%" PRIx32 " (bank %u)", address, address / BANK_BYTES % BANKS);
    if (!tensor_place(compare, element, &place)) {
        if (compare->has_map) printf(", outside of the box");
        return;
    }
    printf(", element (%s)%s", text_numbers(NUMBERS(place.index, compare->map.rank), ", ").at,
           place.is_fill ? ", which is out of bounds: fill" : " of the tensor");
}

static void print_element(const struct compare *compare, const char *which, uint64_t element)
{
    printf("%s", which);
    if (compare->is_dump)
        print_dump_place(compare, element);
    else
        print_buffer_place(compare, element);
    printf("\n");
    for (int s = 0; s < 2; s++) {
        char value[64];
        value_text(compare, s, element, value, sizeof value);
        printf("    %s: %s%s\n", compare->side[s].path, value,
               is_poison(compare, s, element) ? ", never written: the word of tmaref_poison()" : "");
    }
    uint64_t ulps = compare_ulps(compare, element);
    if (ulps > 0) printf("    that is %" PRIu64 " unit%s in the last place\n", ulps, ulps == 1 ? "" : "s");
}

static const char *type_name(const struct compare *compare)
{
    return compare->dtype < DTYPE_COUNT ? dtype_row(compare->dtype)->name : "bytes";
}

void compare_print(const struct compare *compare)
{
    for (int i = 0; i < compare->facts; i++)
        printf("different: %s\n    %s: %s\n    %s: %s\n", compare->fact[i].name, compare->side[0].path,
               compare->fact[i].value[0], compare->side[1].path, compare->fact[i].value[1]);
    if (compare->different > 0) {
        print_element(compare, "first difference: ", compare->first);
        if (compare->last != compare->first) print_element(compare, "last difference: ", compare->last);
    }
    printf("%" PRIu64 " of %" PRIu64 " elements (%s) differ", compare->different, compare->elements,
           type_name(compare));
    if (compare->largest_ulps > 0) printf(", by at most %" PRIu64 " units in the last place", compare->largest_ulps);
    printf("\n");
    if (compare->is_dump && compare->different > 0)
        printf("'tmaref diagnose --dump FILE' finds the cause of a wrong tile.\n");
}

// --- JSON ------------------------------------------------------------------------------------------------------------

static json_t *element_json(const struct compare *compare, uint64_t element)
{
    struct provenance place;
    json_t *json = json_pack("{s:o}", "element", json_u64(element));
    for (int s = 0; s < 2; s++) {
        char value[64];
        value_text(compare, s, element, value, sizeof value);
        json_object_set_new(json, s == 0 ? "a" : "b", json_string(value));
        json_object_set_new(json, s == 0 ? "aIsPoison" : "bIsPoison", json_boolean(is_poison(compare, s, element)));
    }
    if (compare->is_dump)
        json_object_set_new(json, "shared", json_u64(compare->base + element * compare->element_bytes));
    if (tensor_place(compare, element, &place)) {
        json_object_set_new(json, "index", json_numbers(NUMBERS(place.index, compare->map.rank)));
        json_object_set_new(json, "fill", json_boolean(place.is_fill));
    }
    return json;
}

json_t *compare_json(const struct compare *compare)
{
    json_t *facts = json_array();
    for (int i = 0; i < compare->facts; i++)
        json_array_append_new(facts, json_pack("{s:s, s:s, s:s}", "name", compare->fact[i].name, "a",
                                               compare->fact[i].value[0], "b", compare->fact[i].value[1]));
    json_t *json =
        json_pack("{s:b, s:s, s:o, s:o, s:o, s:o}", "same", compare->facts == 0 && compare->different == 0, "type",
                  type_name(compare), "elements", json_u64(compare->elements), "different",
                  json_u64(compare->different), "largestUlps", json_u64(compare->largest_ulps), "facts", facts);
    if (compare->different == 0) return json;
    json_object_set_new(json, "first", element_json(compare, compare->first));
    json_object_set_new(json, "last", element_json(compare, compare->last));
    return json;
}
