// SPDX-License-Identifier: MIT
// Where metadata lies and what it picks. An H200 does not look whether it is legal: each kept element has an index of
// two bits, and meets the element of B that it names. Of tf32, which is two halves of 16 bits, each half has one.
#include "sparse.h"

enum {
    BITS_OF_CHUNK = 4,
    VALUES = 16,
    CHUNK = 4,
    CHUNKS_OF_WORD = 8,
    WARP_THREADS = 32,
    WARP_ROWS = 16,
    QUAD = 4,
    ROWS = 8
};

static int is_8_bit(enum wgmma_types types)
{
    return number_format_row(wgmma_types_row(types)->a)->size_bits == 8;
}

static int is_tf32(enum wgmma_types types)
{
    return wgmma_types_row(types)->a == NUMBER_TF32;
}

int wgmma_chunks(enum wgmma_types types)
{
    return is_8_bit(types) ? WGMMA_MAX_CHUNKS : WGMMA_MAX_CHUNKS / 2;
}

int wgmma_most_selector(enum wgmma_types types)
{
    return is_8_bit(types) ? 0 : 1;
}

// A lane's four threads share two rows, r and r + 8. Of 8-bit types a thread has half of one row; of others the two
// threads that the selector names have a half of both, r in their low bits.
uint32_t wgmma_chunk_bits(enum wgmma_types types, int selector, const uint32_t *metadata, int row, int chunk)
{
    int first = row / WARP_ROWS * WARP_THREADS + row % ROWS * QUAD, is_lower = row % WARP_ROWS / ROWS;
    int thread = first + 2 * selector + chunk / QUAD, at = chunk % QUAD + is_lower * QUAD;
    if (is_8_bit(types)) {
        thread = first + chunk / CHUNKS_OF_WORD * 2 + is_lower;
        at = chunk % CHUNKS_OF_WORD;
    }
    return metadata[thread] >> (BITS_OF_CHUNK * at) & 0xf;
}

int wgmma_chunk_is_legal(enum wgmma_types types, uint32_t bits)
{
    if (is_tf32(types)) return bits == 0x4 || bits == 0xe;
    return (bits & 3) != bits >> 2;
}

int wgmma_candidates(enum wgmma_types types, const uint32_t *column, uint32_t *candidates)
{
    int count = is_tf32(types) ? wgmma_chunks(types) * VALUES : 2 * wgmma_units(types);
    for (int i = 0; i < count; i++) {
        if (!is_tf32(types)) {
            candidates[i] = column[i];
            continue;
        }
        const uint32_t *pair = column + i / VALUES * 2; // halves 0 and 1 are the first element's, low and high
        int low = i & 3, high = i >> 2 & 3;
        candidates[i] = (pair[low / 2] >> 16 * (low % 2) & 0xffff) | pair[high / 2] >> 16 * (high % 2) << 16;
    }
    return count;
}

void wgmma_picks(enum wgmma_types types, int selector, const uint32_t *metadata, int row, uint8_t *picks)
{
    for (int chunk = 0; chunk < wgmma_chunks(types); chunk++) {
        uint32_t bits = wgmma_chunk_bits(types, selector, metadata, row, chunk);
        if (is_tf32(types)) {
            picks[chunk] = (uint8_t)((uint32_t)chunk * VALUES + bits);
            continue;
        }
        picks[2 * chunk] = (uint8_t)((uint32_t)chunk * CHUNK + (bits & 3));
        picks[2 * chunk + 1] = (uint8_t)((uint32_t)chunk * CHUNK + (bits >> 2));
    }
}
