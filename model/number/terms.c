// SPDX-License-Identifier: MIT
#include "terms.h"

#include "fields.h"

void number_terms_read(enum number_format format, int count, const uint32_t *bits, int negate,
                       struct number_terms *vector)
{
    const struct number_format_row *row = number_format_row(format);
    vector->is_special = 0;
    for (int i = 0; i < count; i++) {
        if (row->exponent_bits == 0) {
            vector->magnitude[i] = read_integer(row, bits[i]);
            continue;
        }
        read_float(row, bits[i], &vector->magnitude[i], &vector->exponent[i]);
        vector->sign[i] = sign_of(row, bits[i]) ^ -(int32_t)(negate != 0);
        vector->is_special |= class_of(vector->exponent[i]) != NUMBER_FINITE;
    }
}
