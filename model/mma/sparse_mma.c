// SPDX-License-Identifier: MIT
// Where the metadata of mma.sp lies and what it picks. As in a sparse wgmma an H200 does not look whether it is legal:
// each index names an element of B (a pair of 4-bit ones; of tf32 a half of 16 bits).
#include "mma.h"

enum { BITS_OF_CHUNK = 4, CHUNKS_OF_WORD = 8, CHUNKS_OF_HALF = 4, QUAD = 4, ROWS = 8, INDEX = 3 };

static int element_bits(enum mma_form form)
{
    return number_format_row(mma_row(form)->a)->size_bits;
}

int mma_chunks(enum mma_form form)
{
    int k = mma_row(form)->k, bits = element_bits(form);
    return bits == 32 ? k / 2 : bits == 4 ? k / 8 : k / 4;
}

int mma_most_selector(enum mma_form form)
{
    return mma_chunks(form) == 4 ? 3 : mma_chunks(form) == 8 ? 1 : 0;
}

// The four lanes of a quad share rows r and r + 8. One lane has four chunks of both, r in its low half; two lanes have
// four chunks of both each, or (bytes and less) eight chunks of one row each; four lanes have eight of one row each.
uint32_t mma_chunk_bits(enum mma_form form, int selector, const uint32_t metadata[MMA_LANES], int row, int chunk)
{
    int lane = row % ROWS * QUAD, is_lower = row / ROWS, chunks = mma_chunks(form);
    int at = chunk % CHUNKS_OF_HALF + is_lower * CHUNKS_OF_HALF;
    if (chunks == CHUNKS_OF_HALF)
        lane += selector;
    else if (element_bits(form) > 8)
        lane += 2 * selector + chunk / CHUNKS_OF_HALF;
    else {
        lane += 2 * (chunks == CHUNKS_OF_WORD ? selector : chunk / CHUNKS_OF_WORD) + is_lower;
        at = chunk % CHUNKS_OF_WORD;
    }
    return metadata[lane] >> BITS_OF_CHUNK * at & 0xf;
}

int mma_chunk_is_legal(enum mma_form form, uint32_t bits)
{
    if (element_bits(form) == 32) return bits == 0x4 || bits == 0xe;
    return (bits & INDEX) < bits >> 2;
}

void mma_pick(enum mma_form form, int selector, const uint32_t metadata[MMA_LANES], int row, const uint64_t *column,
              uint64_t *units)
{
    int bits = element_bits(form), step = bits == 4 ? 2 : 1;
    for (int chunk = 0; chunk < mma_chunks(form); chunk++) {
        uint32_t four = mma_chunk_bits(form, selector, metadata, row, chunk), low = four & INDEX, high = four >> 2;
        if (bits == 32) { // halves 0 and 1 are the first element's, low and high
            const uint64_t *pair = column + 2 * chunk;
            units[chunk] = (pair[low / 2] >> 16 * (low % 2) & 0xffff) | (pair[high / 2] >> 16 * (high % 2) & 0xffff)
                                                                            << 16;
            continue;
        }
        for (int i = 0; i < 2 * step; i++) {
            uint32_t index = i < step ? low : high;
            units[2 * step * chunk + i] = column[4 * step * chunk + step * (int)index + i % step];
        }
    }
}
