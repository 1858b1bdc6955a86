// SPDX-License-Identifier: MIT
// Numbers of one floating-point type as those of another, by their bits: to nearest even where nothing else is said.
#ifndef TMAREF_DIAGNOSE_NUMBER_H
#define TMAREF_DIAGNOSE_NUMBER_H

#include <stdint.h>

uint32_t number_bf16_of_f32(uint32_t bits);
uint32_t number_bf16_cut_of_f32(uint32_t bits);
uint32_t number_f16_of_f32(uint32_t bits);
uint32_t number_f16_cut_of_f32(uint32_t bits);
uint32_t number_f32_of_bf16(uint32_t bits);
uint32_t number_f32_of_f16(uint32_t bits);
uint32_t number_bf16_of_f16(uint32_t bits);
uint32_t number_f16_of_bf16(uint32_t bits);

#endif
