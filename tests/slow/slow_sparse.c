// SPDX-License-Identifier: MIT
// A row of A is 32 bytes of pieces, a column of B 64; a piece is a byte of 8-bit types and two bytes of all others.
// Each piece of A has two bits of metadata, which name one of four pieces of B.
#include "slow_sparse.h"

#include <string.h>

enum { A_BYTES = 32, B_BYTES = 64, QUAD = 4 };

static int unit_bytes(enum wgmma_types types)
{
    enum number_format a = wgmma_types_row(types)->a;
    return a == NUMBER_TF32 ? 4 : a == NUMBER_F16 || a == NUMBER_BF16 ? 2 : 1;
}

// The two bits of piece `piece` of the row.
static int index_of(const struct slow_sparse *e, int piece, enum slow_sparse_mutant mutant)
{
    bool is_lower = e->row % 16 >= 8;
    int first = e->row / 16 * 32 + e->row % 8 * QUAD, thread, bit;
    int selector = mutant == SLOW_SPARSE_NO_SELECTOR ? 0 : e->selector;
    bool is_byte = unit_bytes(e->types) == 1;
    if (mutant == SLOW_SPARSE_ROWS_SWAPPED) is_lower = !is_lower;
    if (mutant == SLOW_SPARSE_TWO_THREADS) is_byte = false;
    if (is_byte) {
        thread = piece / 16 * 2 + is_lower;
        if (mutant == SLOW_SPARSE_ROWS_ALTERNATE) thread = piece / 16 + 2 * is_lower;
        if (mutant == SLOW_SPARSE_HALVES_SWAPPED) thread ^= 2;
        bit = piece % 16 * 2;
    } else {
        thread = selector * 2 + piece / 8 % 2;
        if (mutant == SLOW_SPARSE_HALVES_SWAPPED) thread ^= 1;
        if (mutant == SLOW_SPARSE_ALL_THREADS) thread = piece / 4;
        bit = piece % 8 * 2 + 16 * is_lower;
    }
    return (int)(e->metadata[first + thread] >> bit & 3);
}

// The piece of B that piece `piece` of A meets.
static int met_by(const struct slow_sparse *e, int piece, enum slow_sparse_mutant mutant)
{
    bool is_tf32 = unit_bytes(e->types) == 4;
    int first = piece / 2 * 2;
    int other = index_of(e, piece ^ 1, mutant), index = index_of(e, piece, mutant);
    int low = piece == first ? index : other, high = piece == first ? other : index;
    if (mutant == SLOW_SPARSE_HIGH_FIRST) index = other;
    if (mutant == SLOW_SPARSE_IN_ORDER && !is_tf32) index = (piece == first) == (low < high) ? low : high;
    if (mutant == SLOW_SPARSE_TF32_ELEMENT && is_tf32) index = high / 2 * 2 + piece % 2;
    if (mutant == SLOW_SPARSE_TF32_CHUNK_4 && is_tf32)
        return piece / 4 * 8 + index_of(e, piece / 2, mutant) * 2 + piece % 2;
    return piece / 2 * 4 + index;
}

static bool is_nan_of_f16(uint32_t bits)
{
    return (bits & 0x7fff) > 0x7c00;
}

// Whether a NaN of an f16 column lies where no piece of A meets it.
static bool drops_nan(const struct slow_sparse *e)
{
    int met[32] = {0}, drops = false;
    for (int piece = 0; piece < 16; piece++) met[met_by(e, piece, SLOW_SPARSE_RIGHT)] = 1;
    for (int k = 0; k < 32; k++) drops |= !met[k] && is_nan_of_f16(e->column[k]);
    return drops;
}

uint32_t slow_sparse(const struct slow_sparse *e, enum slow_sparse_mutant mutant)
{
    struct slow_wgmma dense = {
        .types = e->types, .c = e->c, .has_c = e->has_c, .negate = e->negate, .satfinite = e->satfinite};
    uint8_t column[B_BYTES], picked[A_BYTES] = {0};
    int unit = unit_bytes(e->types), size = unit == 1 ? 1 : 2, pieces = A_BYTES / size;
    for (int i = 0; i < B_BYTES; i++) column[i] = (uint8_t)(e->column[i / unit] >> 8 * (i % unit));
    for (int piece = 0; piece < pieces; piece++) {
        int from = met_by(e, piece, mutant);
        if (mutant == SLOW_SPARSE_ONCE && piece % 2 == 1 && from == met_by(e, piece - 1, mutant)) continue;
        memcpy(picked + piece * size, column + from * size, (size_t)size);
    }
    for (int i = 0; i < A_BYTES; i++) dense.b[i / unit] |= (uint32_t)picked[i] << 8 * (i % unit);
    for (int i = 0; i < A_BYTES / unit; i++) dense.a[i] = e->a[i];
    if (mutant == SLOW_SPARSE_DROPPED_COUNT && e->types == WGMMA_F32_F16_F16 && drops_nan(e)) return 0x7fffffff;
    return slow_wgmma(&dense, SLOW_WGMMA_RIGHT);
}

const char *slow_sparse_mutant_text(enum slow_sparse_mutant mutant)
{
    static const char *const text[SLOW_SPARSE_COUNT] = {
#define MUTANT(id, sentence) [SLOW_SPARSE_##id] = #id ": " sentence,
        SLOW_SPARSE_MUTANTS(MUTANT)
#undef MUTANT
    };
    return text[mutant];
}
