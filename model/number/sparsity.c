// SPDX-License-Identifier: MIT
// Where metadata lies and what it picks. An H200 does not look whether it is legal: each index of two bits names an
// element of B (a pair of 4-bit ones). Of tf32, which is two halves of 16 bits, each half has an index.
#include "sparsity.h"

#include <stdbool.h>

enum { BITS_OF_CHUNK = 4, VALUES = 16, INDEX = 3, CHUNKS_OF_HALF = 4, CHUNKS_OF_WORD = 8 };
enum { WARP_THREADS = 32, WARP_ROWS = 16, QUAD = 4, ROWS = 8 };

int number_most_selector(struct number_sparsity s)
{
    return s.chunks == CHUNKS_OF_HALF ? 3 : s.chunks == CHUNKS_OF_WORD ? 1 : 0;
}

// The four threads of a quad share rows r and r + 8. One thread has four chunks of both, r in its low half; two threads
// have four chunks of both each, or (bytes and less) eight chunks of one row each; four have eight of one row each.
uint32_t number_chunk_bits(struct number_sparsity s, int selector, const uint32_t *metadata, int row, int chunk)
{
    int thread = row / WARP_ROWS * WARP_THREADS + row % ROWS * QUAD, is_lower = row % WARP_ROWS / ROWS;
    int at = chunk % CHUNKS_OF_HALF + is_lower * CHUNKS_OF_HALF;
    if (s.chunks == CHUNKS_OF_HALF)
        thread += selector;
    else if (s.element_bits > 8)
        thread += 2 * selector + chunk / CHUNKS_OF_HALF;
    else {
        thread += 2 * (s.chunks == CHUNKS_OF_WORD ? selector : chunk / CHUNKS_OF_WORD) + is_lower;
        at = chunk % CHUNKS_OF_WORD;
    }
    return metadata[thread] >> (BITS_OF_CHUNK * at) & 0xf;
}

int number_chunk_is_legal(struct number_sparsity s, uint32_t bits)
{
    if (s.element_bits == 32) return bits == 0x4 || bits == 0xe;
    return s.is_ordered ? (bits & INDEX) < bits >> 2 : (bits & INDEX) != bits >> 2;
}

// The two halves that four bits name of a pair of tf32; halves 0 and 1 are the first element's, low and high.
static uint32_t halves(const uint32_t *pair, uint32_t bits)
{
    uint32_t low = bits & INDEX, high = bits >> 2;
    return (pair[low / 2] >> 16 * (low % 2) & 0xffff) | pair[high / 2] >> 16 * (high % 2) << 16;
}

// Units of B in a chunk that the two indices tell apart, and how many each of them names.
static int units_of_index(struct number_sparsity s)
{
    return s.element_bits == 4 ? 2 : 1;
}

int number_candidates(struct number_sparsity s, const uint32_t *column, uint32_t *candidates)
{
    bool is_tf32 = s.element_bits == 32;
    int count = s.chunks * (is_tf32 ? VALUES : 4 * units_of_index(s));
    for (int i = 0; i < count; i++)
        candidates[i] = is_tf32 ? halves(column + i / VALUES * 2, (uint32_t)i % VALUES) : column[i];
    return count;
}

int number_picks(struct number_sparsity s, int selector, const uint32_t *metadata, int row, uint8_t *picks)
{
    int step = units_of_index(s), kept = s.element_bits == 32 ? 1 : 2 * step;
    for (int chunk = 0; chunk < s.chunks; chunk++) {
        int bits = (int)number_chunk_bits(s, selector, metadata, row, chunk);
        uint8_t *const to = picks + chunk * kept;
        if (kept == 1) to[0] = (uint8_t)(chunk * VALUES + bits);
        for (int unit = 0; kept > 1 && unit < step; unit++) {
            to[unit] = (uint8_t)(4 * step * chunk + step * (bits & INDEX) + unit);
            to[step + unit] = (uint8_t)(4 * step * chunk + step * (bits >> 2) + unit);
        }
    }
    return s.chunks * kept;
}

void number_pick(struct number_sparsity s, int selector, const uint32_t *metadata, int row, const uint32_t *column,
                 uint32_t *units)
{
    uint8_t picks[NUMBER_MAX_KEPT];
    int count = number_picks(s, selector, metadata, row, picks);
    for (int i = 0; i < count; i++)
        units[i] = s.element_bits == 32 ? halves(column + 2 * i, picks[i] % VALUES) : column[picks[i]];
}
