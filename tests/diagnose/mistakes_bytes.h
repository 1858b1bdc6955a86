// SPDX-License-Identifier: MIT
// The hooks of mistakes_bytes.c, for the table in mistakes.c.
#ifndef TMAREF_MISTAKES_BYTES_H
#define TMAREF_MISTAKES_BYTES_H

#include "mistakes.h"

typedef int mistake_hook(struct trial *trial, struct dice *dice);
mistake_hook odd_pointer, other_endian, half_for_half, made_of_floats, other_operand, tensor_not_yet_written, never,
    in_part, rows_mixed, flipped_bits, stray_words, matrix_turned, reader_undid_swizzle, buffer_not_aligned,
    next_tile_over_it, other_stage, changed_in_place, results_over_it;

#endif
