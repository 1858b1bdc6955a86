// SPDX-License-Identifier: MIT
// The types of PTX that products of matrices multiply and add, as the formats of model/number.
#ifndef TMAREF_MACHINE_NUMBER_TYPE_H
#define TMAREF_MACHINE_NUMBER_TYPE_H

#include "form.h"
#include "format.h"

// The enum number_format of type `i` of an instruction; -1 if it is none.
static inline int machine_number_format(const struct ptx_choice *choice, int i)
{
    static const int8_t formats[PTX_TYPES] = {
        [PTX_TYPE_f16] = NUMBER_F16 + 1,   [PTX_TYPE_f32] = NUMBER_F32 + 1,   [PTX_TYPE_bf16] = NUMBER_BF16 + 1,
        [PTX_TYPE_tf32] = NUMBER_TF32 + 1, [PTX_TYPE_e4m3] = NUMBER_E4M3 + 1, [PTX_TYPE_e5m2] = NUMBER_E5M2 + 1,
        [PTX_TYPE_s8] = NUMBER_S8 + 1,     [PTX_TYPE_u8] = NUMBER_U8 + 1,     [PTX_TYPE_s32] = NUMBER_S32 + 1,
        [PTX_TYPE_s4] = NUMBER_S4 + 1,     [PTX_TYPE_u4] = NUMBER_U4 + 1,     [PTX_TYPE_b1] = NUMBER_B1 + 1,
        [PTX_TYPE_f64] = NUMBER_F64 + 1,
    };
    return formats[choice->type[i]] - 1;
}

#endif
