// SPDX-License-Identifier: MIT
// The slow second model: tiled copies byte by byte and tensor maps bit by bit, written from the documents and the
// measurements, not from model/, with which it shares the field names of struct tensormap and no code. Tests only.
// It can also be told to misread one rule (slow_mutants.def), to show that the tests would notice.
#ifndef TMAREF_SLOW_H
#define TMAREF_SLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tensormap.h"

enum slow_mutant {
    SLOW_NONE,
#define MUTANT(subject, id, rule, sentence) SLOW_##id,
#include "slow_mutants.def"
#undef MUTANT
    SLOW_COUNT
};

// Whose vectors must notice a misreading; BOX: those of loads and those of stores.
enum slow_subject { SLOW_OF_BOX, SLOW_OF_LOAD, SLOW_OF_STORE, SLOW_OF_REDUCE, SLOW_OF_BULK, SLOW_OF_ENCODE };

// One misreading.
struct slow_mutant_row {
    const char *id;
    enum rule rule;
    const char *sentence;
    enum slow_subject subject;
};

const struct slow_mutant_row *slow_mutant_row(enum slow_mutant mutant);

// One box of a tiled map, where global and shared memory begin (bytes[0] has address gmem_base, smem_base) and how many
// bytes they have. Shared memory begins and ends at a multiple of 128, like an allocation on the device. `shared` is
// the shared address of the box, `dims` the .Nd of the instruction.
struct slow_tile {
    struct tensormap map;
    int dims;
    int32_t coord[5];
    uint32_t shared;
    uint64_t gmem_base, gmem_bytes;
    uint64_t smem_base, smem_bytes;
};

// Loads `tile` from `gmem` to `smem`.
//   tx_bytes  what the load signals to its mbarrier; written only when 0 is returned                   (bytes)
//   returns   0, or the CUDA error 715, 716 or 700 (in this order); then nothing was written
//   source    PTX ISA 9.1, "Tensors" and "cp.async.bulk.tensor"; docs/hardware.md, "Tiled loads"
int slow_load(const struct slow_tile *tile, const uint8_t *gmem, uint8_t *smem, uint32_t *tx_bytes,
              enum slow_mutant mutant);

// Where a byte at shared address `address` lands: bit by bit.
//   source    PTX ISA 9.1, "Swizzling modes"
uint32_t slow_swizzle(int mode, uint32_t address, enum slow_mutant mutant);

// The float32 `bits` as a load of a TFLOAT32 tensor delivers it, by exact arithmetic in double.
uint32_t slow_tf32(uint32_t bits, enum slow_mutant mutant);

// All fields of `tile` as text of one line, cut to `capacity`.
void slow_tile_text(const struct slow_tile *tile, char *text, size_t capacity);

enum slow_call { SLOW_TILED, SLOW_IM2COL, SLOW_WIDE };

// The arguments of an encode call, by the driver's names and numbers; what the call does not have is ignored.
// `box[0]` is also channelsPerPixel; `lower[0]`, `upper[0]` are also the corners of im2colWide.
struct slow_encode {
    enum slow_call call;
    uint32_t dtype, rank;
    uint64_t address;
    uint64_t dim[5], stride[4];
    uint32_t box[5], estride[5];
    int lower[3], upper[3];
    uint32_t pixels, interleave, swizzle, l2_promotion, oob_fill, mode;
};

// The 128 bytes of `arguments`; returns 0 and writes nothing when the driver refuses, else 1.
//   source    CUDA driver API 13.0, cuTensorMapEncodeTiled, cuTensorMapEncodeIm2col; docs/hardware.md, "Tensor maps"
bool slow_encode(const struct slow_encode *arguments, uint8_t bytes[128], enum slow_mutant mutant);

// cuTensorMapReplaceAddress on 128 bytes; returns 0 and changes nothing when the driver refuses.
//   source    CUDA driver API 13.0, cuTensorMapReplaceAddress
bool slow_replace(uint8_t bytes[128], uint64_t address, enum slow_mutant mutant);

// All arguments as text of one line, cut to `capacity`.
void slow_encode_text(const struct slow_encode *arguments, char *text, size_t capacity);

#endif
