// SPDX-License-Identifier: MIT
#include "terms.h"

#include "fields.h"

void number_terms_read(enum number_format format, int count, const uint32_t *bits, int negate,
                       struct number_terms *vector)
{
    const struct number_format_row *row = number_format_row(format);
    vector->is_special = 0;
    for (int i = 0; i < count; i++) {
        vector->magnitude[i] = bits[i];
        if (row->is_signed) vector->magnitude[i] = sign_extended(bits[i], row->size_bits);
        if (row->exponent_bits == 0) continue;
        read_float(row, bits[i], &vector->magnitude[i], &vector->exponent[i]);
        vector->sign[i] = sign_of(row, bits[i]) ^ -(int32_t)(negate != 0);
        vector->is_special |= class_of(vector->exponent[i]) != NUMBER_FINITE;
    }
}

void number_terms_pick(const struct number_terms *from, const uint8_t *picks, int count, struct number_terms *vector)
{
    vector->is_special = 0;
    for (int i = 0; i < count; i++) {
        const struct number_terms *source = &from[picks[i] / NUMBER_MAX_TERMS];
        int at = picks[i] % NUMBER_MAX_TERMS;
        vector->magnitude[i] = source->magnitude[at];
        vector->exponent[i] = source->exponent[at];
        vector->sign[i] = source->sign[at];
        vector->is_special |= source->is_special;
    }
}
