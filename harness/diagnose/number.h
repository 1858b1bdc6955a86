// SPDX-License-Identifier: MIT
// Numbers of one floating-point type as those of another, by their bits.
#ifndef TMAREF_DIAGNOSE_NUMBER_H
#define TMAREF_DIAGNOSE_NUMBER_H

#include <stdbool.h>

#include "format.h"

// From and to f16, bf16 or f32: to nearest even as cvt.rn, or cut off towards zero as cvt.rz (bf16: its upper half).
uint32_t number_convert(enum number_format from, enum number_format to, bool is_cut, uint32_t bits);

#endif
