// SPDX-License-Identifier: MIT
// Where the page's JavaScript finds the members of native.h's structs (library.js and map.js have the same numbers).
#include <stddef.h>

#include "native.h"

_Static_assert(offsetof(struct native_report, cuda_error) == 4 && offsetof(struct native_report, text) == 8 &&
                   offsetof(struct native_report, json) == 8 + 65536,
               "struct native_report");
_Static_assert(offsetof(struct native_fields, address) == 32 && offsetof(struct native_fields, dim) == 40 &&
                   offsetof(struct native_fields, stride) == 80 && offsetof(struct native_fields, box) == 120 &&
                   offsetof(struct native_fields, estride) == 140 && offsetof(struct native_fields, lower) == 160 &&
                   sizeof(struct native_fields) == 200,
               "struct native_fields");
_Static_assert(sizeof(struct native_run) == 24 && offsetof(struct native_run, is_fill) == 16, "struct native_run");
_Static_assert(sizeof(struct native_barrier) == 8 + 8192, "struct native_barrier");
