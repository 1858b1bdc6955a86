// SPDX-License-Identifier: MIT
// What other languages call: flat functions over the model. The C compiler reads this header, and so do cffi when the
// Python package is imported (lines that begin with # are passed over) and the build of the playground, which leaves
// out what it does not call. Memory is the caller's. Arrays lie in memory as C has them; an image is the 128 bytes
// of a tensor map.
#ifndef TMAREF_NATIVE_H
#define TMAREF_NATIVE_H

#include <stdint.h>

// What a call says of what it was given: the first rule that is broken (0: none), the CUDA error that it ends in, and
// all findings, as the command prints them and as the JSON that docs/json.md describes.
struct native_report {
    int rule, cuda_error;
    char text[65536], json[65536];
};

// --- Names -----------------------------------------------------------------------------------------------------------

const char *native_version(void);

// The number of a value of the driver's enums by any name that the command takes, or -1 with a sentence in
// report->text. `which`: 0 data type, 1 interleave, 2 swizzle, 3 L2 promotion, 4 out-of-bounds fill.
int64_t native_value(int which, const char *text, struct native_report *report);

// "float16", ...: the PTX name of a data type, and the bytes of an element; NULL and 0 for a number that is none.
const char *native_dtype_name(uint32_t dtype);
uint32_t native_dtype_bytes(uint32_t dtype);

// The number of a reduction ("add", "min", ...), -1 if there is none.
int native_reduction(const char *name);

// --- Tensor maps -----------------------------------------------------------------------------------------------------

// A map as fields, innermost dimension first: struct tensormap of the library.
struct native_fields {
    int32_t mode, rank, dtype, interleave, swizzle, l2_promotion, oob_fill;
    uint64_t address, dim[5], stride[5];
    uint32_t box[5], estride[5];
    int32_t lower[3], upper[3];
    uint32_t pixels, box_bytes, pattern_bytes;
};

// cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col of what the fields say; `rank` may be any number, the arrays have
// five entries (three corners), and stride[0] is not looked at.
void native_encode(const struct native_fields *fields, uint8_t *image, struct native_report *report);
void native_decode(const uint8_t *image, struct native_fields *fields, struct native_report *report);

// --- Copies ----------------------------------------------------------------------------------------------------------

// One range of global memory: bytes[0] has address `base`.
struct native_memory {
    uint8_t *bytes;
    uint64_t base, size_bytes;
    int is_read_only;
};

// An instruction, for many boxes. `kind` is a number of enum operation_kind; of tensor copies `image` is the map; of
// bulk copies `size_bytes` is the size. `shared`: where each box lies in shared memory. `ctas`: of the cluster, at most
// 16; with `is_multicast` the CTAs of `mask` get the box, in `tiles` one after the other.
struct native_copy {
    int kind, is_multicast;
    const uint8_t *image;
    uint32_t shared, ctas, issuer, mask;
    int op, dtype;
    uint32_t size_bytes;
};

// Bytes of shared memory from the first to the last of a box (with a swizzle whole spans, because the pieces of a short
// row may lie anywhere in its span), and those that the barrier hears of.
uint64_t native_box_bytes(const uint8_t *image);
uint64_t native_transaction_bytes(const uint8_t *image);

// Does `count` copies one after the other. Copy i has the coordinates coord[5 * i] ..., innermost first, or of bulk
// copies the global address address[i]; its shared memory is the `pitch_bytes` bytes at tiles + i * ctas * pitch_bytes,
// of each CTA one after the other. The last 16 bytes of each are for the barrier. Returns how many were done: the next
// one broke a rule.
int64_t native_copy(const struct native_copy *copy, int64_t count, const int32_t *coord, const uint16_t *offset,
                    const uint64_t *address, const struct native_memory *memory, uint8_t *tiles, uint64_t pitch_bytes,
                    struct native_report *report);

// A piece of a box: bytes that lie together in shared memory before swizzling, `offset` behind its start, and in global
// memory from `address` on, unless they are fill.
struct native_run {
    uint64_t address;
    uint32_t offset, bytes;
    int32_t is_fill, unused;
};

// The pieces of the box at `coord` (`offset`: im2colOffsets), at most `most` of them. Returns how many there are here.
int64_t native_runs(const uint8_t *image, const int32_t *coord, const uint16_t *offset, int64_t most,
                    struct native_run *run);

// Elements of the box along each dimension, innermost first, 5 entries each: those that are copied, and those that
// tiles count, which element strides do not make fewer.
void native_box_steps(const uint8_t *image, uint32_t *steps, uint64_t *extent);

// What the load at `coord` breaks, whatever is mapped.
void native_load_check(const uint8_t *image, const int32_t *coord, uint32_t shared, struct native_report *report);

// The CTA `rank` of a cluster of `size` (3 entries) that shares the tile `tile` at `coord` along the directions `along`
// (bits: 1 x, 2 y, 4 z): `result` takes the CTAs of its group, the slice that it loads, the ctaMask, how far the slice
// lies behind the tile's start (bytes), how many slices the tile has (0: boxes do not make up the tile), and its
// coordinates: 10 entries.
void native_slice(const uint8_t *image, const uint32_t *size, int along, uint32_t rank, const int32_t *coord,
                  const uint64_t *tile, int64_t *result);

// --- Shared memory ---------------------------------------------------------------------------------------------------

// Where the swizzle `mode` (0 to 3) puts the byte at each address: place[i] of address[i].
void native_swizzle(int mode, int64_t count, const uint32_t *address, uint32_t *place);

// Wavefronts, clocks and the least wavefronts of one warp's access (bank.h): `result` has 3 entries.
void native_bank(int is_store, const uint32_t *address, uint32_t active, uint32_t bytes, int *result,
                 struct native_report *report);

// --- Barriers --------------------------------------------------------------------------------------------------------

// The barrier's word, and room for the ledger of who told it what.
struct native_barrier {
    uint64_t word, ledger[1024];
};

// Takes the room before anything else: 8 bytes that are no barrier yet.
void native_barrier_start(struct native_barrier *barrier);

// Whether there is an instruction of this name.
int native_barrier_has(const char *opcode);

// One instruction ("arrive.expect_tx", ...) of the lanes of a warp on the barrier. `operand` and `value` have 32
// entries; `ballot` takes the lanes whose wait is true.
void native_barrier_operate(struct native_barrier *barrier, const char *opcode, uint32_t lanes, const uint64_t *operand,
                            uint64_t *value, uint32_t *ballot, struct native_report *report);

// What a copy of `bytes` brings when it lands: complete_tx by the asynchronous proxy, which never faults.
void native_barrier_land(struct native_barrier *barrier, uint32_t bytes, struct native_report *report);

// phase, error, pending, expected, tx: 5 entries.
void native_barrier_fields(uint64_t word, int64_t *fields);

// What its phase waits for, as a sentence, into report->text.
void native_barrier_reading(uint64_t word, struct native_report *report);

// --- Matrix descriptors of wgmma -------------------------------------------------------------------------------------

// start, leading and stride (bytes), base offset (lines of 128 bytes), swizzle (0 none, 1 128B, 2 64B, 3 32B): 5
// entries.
void native_descriptor_unpack(uint64_t bits, uint32_t *fields);
uint64_t native_descriptor_pack(const uint32_t *fields);

// The shared address of a byte of a K-major operand: byte `k_bytes` of row `row` of M or N.
uint32_t native_descriptor_address(uint64_t bits, int row, int k_bytes);

// --- CuTe layouts ----------------------------------------------------------------------------------------------------

// A layout: its text as it is written, the number before the layout (0 where there is none), elements of each mode;
// where a call returns 0, the reason and the column of the text that it speaks of (-1: none).
struct native_layout {
    char text[1536], why[256];
    uint64_t size, cosize, offset, mode[32];
    int32_t rank, depth, column;
};

// Reads a layout as CuTe prints it. Returns 1, or 0 with the reason.
int native_layout_read(const char *text, struct native_layout *layout);

// Coalesce (`other` is any layout), composition with `other`, zipped_divide and tiled_divide by the shape of `other`.
enum native_make { NATIVE_COALESCE, NATIVE_COMPOSE, NATIVE_ZIPPED, NATIVE_TILED };
int native_layout_make(enum native_make what, const char *text, const char *other, struct native_layout *layout);

// index[i] of element number[i], in CuTe's order.
int native_layout_indices(const char *text, int64_t count, const uint64_t *number, uint64_t *index);

// The copies that fill a layout: struct cute_box of the library.
struct native_filling {
    int32_t rank, swizzle, loops, mode[5];
    uint32_t align_bytes, offset_bytes, box[5];
    uint64_t copies, count[40], step_elems[40], step_bytes[40];
    int32_t dim[40];
};
int native_layout_box(const char *text, uint32_t dtype, int modes, struct native_filling *filling,
                      struct native_layout *why);

// The descriptor that reads a layout of elements of `bytes` bytes, and how far behind the layout's begin the operand of
// a step along K starts.
struct native_operand {
    uint64_t descriptor;
    uint32_t leading_bytes, stride_bytes;
    int32_t is_mn_major, rows, k, steps;
    char atom[32];
};
int native_layout_operand(const char *text, uint32_t bytes, struct native_operand *operand, struct native_layout *why);
uint32_t native_layout_start(const char *text, uint32_t bytes, int step);

// The layout of a box, outermost dimension first. Returns 0 for maps whose box has none.
int native_layout_of_box(const uint8_t *image, struct native_layout *layout);

// --- Products --------------------------------------------------------------------------------------------------------

// The types of a wgmma ("f32.bf16.bf16": D, A, B) and of an mma ("m16n8k16.f32.bf16.bf16"); -1 if there are none.
int native_wgmma_types(const char *name);
int native_mma_form(const char *name);

// m, n, k of the instruction, and the bits of an element of D, A and B: 6 entries. A wgmma has n 0: any.
void native_wgmma_shape(int types, int *shape);
void native_mma_shape(int form, int *shape);

// D of rows `first` .. `end` - 1 of a product of matrices that lie anywhere, as chains of wgmma along K: strides in
// bytes. `d` has n words a row, which hold the accumulators where `accumulate` is not 0, and the results. Returns 0 if
// there is no memory.
struct native_product {
    int types, accumulate;
    int64_t n, k;
    const uint8_t *a, *b;
    int64_t a_row, a_k, b_k, b_column;
    uint32_t *d;
};
int native_multiply(const struct native_product *product, int64_t first, int64_t end);

// D = A * B + D of one mma (dense). Matrices of units: `a` m x k, `b` k x n, `d` m x n, 64 bits each, row by row.
void native_mma(int form, const uint64_t *a, const uint64_t *b, uint64_t *d);

// Rounds f32 bits to the format of an epilogue: 16 for f16, 17 for bf16.
void native_round(int to_bf16, int64_t count, const uint32_t *f32, uint16_t *rounded);

#endif
