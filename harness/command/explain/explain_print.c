// SPDX-License-Identifier: MIT
// How all answers of `tmaref explain` write an index and JSON.
#include <inttypes.h>
#include <stdio.h>

#include "explain.h"

void explain_print_index(const int64_t *index, int rank)
{
    for (int i = 0; i < rank; i++) printf("%s%" PRId64, i == 0 ? "(" : ", ", index[i]);
    printf(")");
}

json_t *explain_index(const int64_t *index, int rank)
{
    json_t *array = json_array();
    for (int i = 0; i < rank; i++) json_array_append_new(array, json_integer(index[i]));
    return array;
}
