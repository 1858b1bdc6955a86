// SPDX-License-Identifier: MIT
// Where the page's JavaScript finds the members of native.h's structs (library.js, map.js and layout.js have the same
// numbers).
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
_Static_assert(offsetof(struct native_layout, why) == 1536 && offsetof(struct native_layout, size) == 1792 &&
                   offsetof(struct native_layout, mode) == 1816 && offsetof(struct native_layout, rank) == 2072 &&
                   offsetof(struct native_layout, column) == 2080 && sizeof(struct native_layout) == 2088,
               "struct native_layout");
_Static_assert(offsetof(struct native_filling, mode) == 12 && offsetof(struct native_filling, align_bytes) == 32 &&
                   offsetof(struct native_filling, box) == 40 && offsetof(struct native_filling, copies) == 64 &&
                   offsetof(struct native_filling, count) == 72 && offsetof(struct native_filling, step_elems) == 392 &&
                   offsetof(struct native_filling, step_bytes) == 712 && offsetof(struct native_filling, dim) == 1032 &&
                   sizeof(struct native_filling) == 1192,
               "struct native_filling");
_Static_assert(offsetof(struct native_operand, leading_bytes) == 8 && offsetof(struct native_operand, steps) == 28 &&
                   offsetof(struct native_operand, atom) == 32 && sizeof(struct native_operand) == 64,
               "struct native_operand");
