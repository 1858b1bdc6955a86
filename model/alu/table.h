// SPDX-License-Identifier: MIT
// Which function computes which instruction: rows that each file of operations has for its forms and types.
#ifndef TMAREF_ALU_TABLE_H
#define TMAREF_ALU_TABLE_H

#include "lanes_loop.h"

struct alu_row {
    const char *form;     // the name of its row of forms.def: what computes it is not compiled again for another row
    uint8_t type, second; // enum ptx_type, of the choice; PTX_TYPE_NONE: any
    alu_function *function;
};

struct alu_rows {
    const struct alu_row *row;
    size_t count;
};

#define ROW(form, type, name)                                                                                          \
    {                                                                                                                  \
#form, PTX_TYPE_##type, PTX_TYPE_NONE, name                                                                    \
    }
#define ROW_2(form, type, second, name)                                                                                \
    {                                                                                                                  \
#form, PTX_TYPE_##type, PTX_TYPE_##second, name                                                                \
    }
#define ROW_ANY(form, name)                                                                                            \
    {                                                                                                                  \
#form, PTX_TYPE_NONE, PTX_TYPE_NONE, name                                                                      \
    }
#define ALU_ROWS(file, rows) const struct alu_rows ALU_NAME(file) = {rows, sizeof rows / sizeof *rows}

// Every file of operations.
// clang-format off
#define ALU_FILES(FILE) \
    FILE(alu_integer) FILE(alu_bits) FILE(alu_logic) FILE(alu_compare) \
    FILE(alu_float32) FILE(alu_double) FILE(alu_half) FILE(alu_convert) FILE(alu_pack) FILE(alu_approximate) \
    FILE(alu_video) FILE(alu_warp)
// clang-format on

#define ALU_DECLARE(file) extern const struct alu_rows file, file##_avx2;
#pragma GCC visibility push(hidden)
ALU_FILES(ALU_DECLARE)
#pragma GCC visibility pop

#endif
