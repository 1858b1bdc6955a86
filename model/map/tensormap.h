// SPDX-License-Identifier: MIT
// Tensor maps: the driver's four calls as C functions that make the very 128 bytes, and the way back to named fields.
// What a map means for a copy is in tile.h; the rules are MAP_*. Start with struct tensormap.
#ifndef TMAREF_TENSORMAP_H
#define TMAREF_TENSORMAP_H

#include <stdalign.h>
#include <stdint.h>

#include "dtype.h"
#include "finding.h"
#include "memory.h"

enum {
    TENSORMAP_MAX_RANK = 5,
    TENSORMAP_BYTES = 128,
    TENSORMAP_MAX_BOX = 256,     // boxDim[i], channelsPerPixel
    TENSORMAP_MAX_PIXELS = 1024, // pixelsPerColumn
    TENSORMAP_MAX_ESTRIDE = 8,   // elementStrides[i]
    TENSORMAP_MAX_BOX_BYTES = SM_SHARED_BYTES
};

enum tensormap_mode { TENSORMAP_TILED, TENSORMAP_IM2COL };
enum tensormap_interleave { INTERLEAVE_NONE, INTERLEAVE_16B, INTERLEAVE_32B };
enum tensormap_swizzle { SWIZZLE_NONE, SWIZZLE_32B, SWIZZLE_64B, SWIZZLE_128B };
enum tensormap_l2_promotion { L2_PROMOTION_NONE, L2_PROMOTION_L2_64B, L2_PROMOTION_L2_128B, L2_PROMOTION_L2_256B };
enum tensormap_oob_fill { OOB_FILL_ZERO, OOB_FILL_NAN_REQUEST_ZERO_FMA };

// The opaque CUtensorMap: 16 little-endian 64-bit words. The type asks for 64-byte alignment, as cuda.h does.
struct tensormap_image {
    alignas(64) uint64_t word[TENSORMAP_BYTES / 8];
};

// A map as named fields. Index 0 is the innermost dimension; entries from `rank` on are 0.
//   stride[i]   bytes from one step of dimension i to the next; stride[0] is implied by dtype or interleave
//   box[]       tiled: boxDim (elements); im2col: box[0] is channelsPerPixel
//   lower[], upper[], pixels   im2col only: the corners (rank - 2 of them, W first) and pixelsPerColumn
//   box_bytes, pattern_bytes   the two redundant fields the encoder adds (bytes of the box; 16, 256, 512 or 1024)
struct tensormap {
    enum tensormap_mode mode;
    int rank;
    enum dtype dtype;
    enum tensormap_interleave interleave;
    enum tensormap_swizzle swizzle;
    enum tensormap_l2_promotion l2_promotion;
    enum tensormap_oob_fill oob_fill;
    uint64_t address;
    uint64_t dim[TENSORMAP_MAX_RANK];
    uint64_t stride[TENSORMAP_MAX_RANK];
    uint32_t box[TENSORMAP_MAX_RANK];
    uint32_t estride[TENSORMAP_MAX_RANK];
    int32_t lower[3], upper[3];
    uint32_t pixels;
    uint32_t box_bytes, pattern_bytes;
};

// cuTensorMapEncodeTiled. Arguments, units and order are the driver's; enums are passed as its numbers.
//   image     written only on RULE_OK (a real driver leaves rubbish in a rejected map)
//   arrays    have tensorRank entries, globalStrides one less; NULL is a finding, and entries past the fifth are never
//             read. No entry is read of a rank that is too large, unless findings are wanted
//   findings  NULL, or takes every rule broken, and warnings where the documents are stricter than an H200. What they
//             propose is legal together: the call with all `nearest` in place (and legal entries for a greater rank)
//             is accepted
//   returns   RULE_OK or the first rule broken; rule_cuda_error() of it is the driver's return value
//   errors    no value crashes it
//   source    CUDA driver API "Tensor Map Object Management", cuTensorMapEncodeTiled; bits: traces/sm_90a/encode
enum rule tensormap_encode_tiled(struct tensormap_image *image, uint32_t data_type, uint32_t rank, uint64_t address,
                                 const uint64_t *global_dim, const uint64_t *global_strides, const uint32_t *box_dim,
                                 const uint32_t *element_strides, uint32_t interleave, uint32_t swizzle,
                                 uint32_t l2_promotion, uint32_t oob_fill, struct findings *findings);

// cuTensorMapEncodeIm2col: as above; corners are rank - 2 entries, W first.
enum rule tensormap_encode_im2col(struct tensormap_image *image, uint32_t data_type, uint32_t rank, uint64_t address,
                                  const uint64_t *global_dim, const uint64_t *global_strides,
                                  const int *pixel_box_lower_corner, const int *pixel_box_upper_corner,
                                  uint32_t channels_per_pixel, uint32_t pixels_per_column,
                                  const uint32_t *element_strides, uint32_t interleave, uint32_t swizzle,
                                  uint32_t l2_promotion, uint32_t oob_fill, struct findings *findings);

// cuTensorMapEncodeIm2colWide: an H200 makes the bytes of im2col with corners (width, 0, 0) out of it.
enum rule tensormap_encode_im2col_wide(struct tensormap_image *image, uint32_t data_type, uint32_t rank,
                                       uint64_t address, const uint64_t *global_dim, const uint64_t *global_strides,
                                       int pixel_box_lower_corner_width, int pixel_box_upper_corner_width,
                                       uint32_t channels_per_pixel, uint32_t pixels_per_column,
                                       const uint32_t *element_strides, uint32_t interleave, uint32_t mode,
                                       uint32_t swizzle, uint32_t l2_promotion, uint32_t oob_fill,
                                       struct findings *findings);

// cuTensorMapReplaceAddress: replaces the 57 address bits of `image`, whatever else it holds.
enum rule tensormap_replace_address(struct tensormap_image *image, uint64_t address, struct findings *findings);

// The fields of 128 bytes. Total: any bytes decode to something; `findings` (may be NULL) takes what no encoder
// would have set, MAP_BITS_FIELD with argument, value and limit of the encode call's refusal. Returns RULE_OK, or the
// first such rule.
enum rule tensormap_decode(const struct tensormap_image *image, struct tensormap *map, struct findings *findings);

// The 128 bytes of `map`, unchecked: every field is cut to the bits it has. Total: whatever bytes a map was decoded
// from, it is what the bytes made of it here decode to; of a type that does not exist that is all that is kept.
void tensormap_pack(const struct tensormap *map, struct tensormap_image *image);

// Bytes of one step of dimension 0: the element size, or 16 / 32 with interleave.
uint32_t tensormap_step_bytes(const struct tensormap *map);

// Bytes of one swizzle span: 32, 64, 128; 0 for SWIZZLE_NONE.
uint32_t tensormap_span_bytes(enum tensormap_swizzle swizzle);

// Bytes after which the swizzle pattern repeats: 256, 512, 1024; 16 for SWIZZLE_NONE.
uint32_t tensormap_pattern_bytes(enum tensormap_swizzle swizzle);

#endif
