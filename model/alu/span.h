// SPDX-License-Identifier: MIT
// A span: the bytes of memory that the 32 lanes of a warp have side by side, each its scalar or its vector of 2 or 4
// parts. What moves it from and to registers, a row of lanes a part.
#ifndef TMAREF_ALU_SPAN_H
#define TMAREF_ALU_SPAN_H

#include "alu.h"

#pragma GCC visibility push(hidden)

enum { ALU_SPAN_PARTS = 4, ALU_SPAN_SIZES = 4 };

// `slot`: of each part's register; all are as wide as a part, and no two are one if they are loaded.
typedef void alu_span_mover(const struct alu_registers *registers, const uint32_t *slot, void *span);

// A stretch of memory that lanes reach here and there: the addresses origin to origin + last are those at which what a
// lane moves may begin. `last` is below 2^63, and of a row of 32 bits below 2^31.
struct alu_stretch {
    uint64_t origin, last;
};

// How lanes lie in a stretch: not all are in it, and aligned; here and there; side by side; all at one place. The last
// two are told of all 32 lanes alone.
enum alu_reach { ALU_OUTSIDE, ALU_SCATTERED, ALU_SIDE_BY_SIDE, ALU_AT_ONE };

// Where each lane's bytes are: from the origin, begin + offset[lane]. Of lanes side by side or at one place, the
// first's are at begin, and offsets are not set.
struct alu_spots {
    uint64_t begin;
    int32_t offset[32];
};

// Where the `bytes` bytes (a power of two, of which `origin` is a multiple) of each of `lanes` are that the address
// row[lane] + `add` names; of other lanes it says anything. Lanes 2^31 bytes apart are outside.
typedef enum alu_reach alu_reacher(const struct alu_stretch *stretch, const void *row, uint64_t add, uint64_t bytes,
                                   uint32_t lanes, struct alu_spots *spots);

// Moves what lies here and there: of each of `lanes`, from at + offset[lane] to its place in the row, or back.
typedef void alu_gatherer(void *row, uint32_t lanes, uint8_t *at, const int32_t *offset);

// Fills a row: lane l is first + l % width * step + l / width * rise, cut to its bits. `width`: a multiple of 4 that
// divides 32.
typedef void alu_ramper(void *row, uint64_t first, int64_t step, int64_t rise, uint32_t width);

// Moves lanes that lie as a ramp has it: lane l at at + l % width * step + l / width * rise. Of what is stored to one
// place the last lane's stays.
typedef void alu_rower(void *row, uint8_t *at, int64_t step, int64_t rise, uint32_t width);

//   reach  by rows of 32 and of 64 bits
//   move   by the bytes of a part (2, 4, 8, 16), by what is done (0 load, 1 store), by parts (1, 2, 4); NULL: there is
//          none
//   some   by the bytes of an element (4, 8), by what is done (0 load, 1 store): moves elements that lie here and there;
//          NULL: it would take no less than a loop over lanes
//   ramp   by rows of 32 and of 64 bits
//   rows   by the bytes of an element (4, 8), by what is done (0 load, 1 store)
struct alu_span {
    alu_reacher *reach[2];
    alu_span_mover *move[ALU_SPAN_SIZES][2][3];
    alu_gatherer *some[2][2];
    alu_ramper *ramp[2];
    alu_rower *rows[2][2];
};

// For every processor; for those with AVX2; those that this one runs fastest.
extern const struct alu_span alu_span_of, alu_span_of_avx2;
const struct alu_span *alu_span(void);

#pragma GCC visibility pop

#endif
