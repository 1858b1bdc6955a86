// SPDX-License-Identifier: MIT
// CuTe layouts: their text, what they mean, and what CuTe's own functions make of them. Which TMA box fills one is in
// cute_box.h, what wgmma reads of it in cute_operand.h. No file, no allocation.
#ifndef TMAREF_CUTE_H
#define TMAREF_CUTE_H

#include <stddef.h>
#include <stdint.h>

enum {
    CUTE_MAX_LEAVES = 32,   // numbers of a shape
    CUTE_MAX_DEPTH = 16,    // parentheses in one another
    CUTE_MAX_OPENS = 64,    // parentheses of a shape in all
    CUTE_TEXT_BYTES = 1536, // the text of every layout within these bounds fits
    CUTE_ERROR_BYTES = 256,
    CUTE_MOST_LOG2 = 48 // shapes, strides, size and cosize are at most 2^48
};

// A number of the shape and its stride (in elements), with the parentheses of the nested shape around them.
struct cute_leaf {
    uint64_t shape, stride;
    uint8_t opens, closes;
};

// Sw<bits,base,shift>: bits base + shift .. are XORed onto bits base .. ; a negative shift goes the other way.
struct cute_swizzle {
    int bits, base, shift;
};

// A layout. Of a plain one `is_swizzled` is 0.
//   offset        the number in the middle of "Sw<3,3,3> o 0 o (8,64):(64,1)"                           (elements)
//   pointer_bits  the bits of an element where the middle is "smem_ptr[16b](unset)", and the swizzle acts on byte
//                 addresses; 0: it acts on indices of elements
struct cute_layout {
    struct cute_leaf leaf[CUTE_MAX_LEAVES];
    int leaves, is_swizzled, pointer_bits;
    struct cute_swizzle swizzle;
    uint64_t offset;
};

// What is wrong with a text: the column of it (0: the first; -1: the whole), and a sentence.
struct cute_error {
    int column;
    char why[CUTE_ERROR_BYTES];
};

// --- Text ------------------------------------------------------------------------------------------------------------

// Reads a layout as CuTe prints it: "(8,64):(64,1)", "((_8,_2),_64):((_64,_512),_1)", "(8,64)" with the strides that
// CuTe gives it, "Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)", "S<3,3,3> o 0 o ...", or a tensor in shared
// memory.
//   returns  1, or 0 with `error` filled
int cute_read(const char *text, struct cute_layout *layout, struct cute_error *error);

// Writes the text, without the underscores of numbers that are known when CuTe compiles, into text[CUTE_TEXT_BYTES].
void cute_write(const struct cute_layout *layout, char *text);

// The column of that text at which the stride of leaf `leaf` stands.
int cute_stride_column(const struct cute_layout *layout, int leaf);

// --- Meaning ---------------------------------------------------------------------------------------------------------

// Elements of the domain; the last index without the swizzle, and 1.
uint64_t cute_size(const struct cute_layout *layout);
uint64_t cute_cosize(const struct cute_layout *layout);

// The first leaf with which there are more than 2^48 elements or places; -1: none. Layouts that were read have none.
int cute_overflow(const struct cute_layout *layout);

// Modes at the top; how deep the parentheses go. Both as CuTe counts them: "8:1" has rank 1 and depth 0.
int cute_rank(const struct cute_layout *layout);
int cute_depth(const struct cute_layout *layout);

// Mode `mode` (< cute_rank()) alone, without swizzle, and which leaf it begins with.
int cute_mode(const struct cute_layout *layout, int mode, struct cute_layout *alone);

// Its elements.
uint64_t cute_mode_size(const struct cute_layout *layout, int mode);

// Where an element lies, counted from a place at which the pattern of the swizzle begins: element `number` in CuTe's
// order (the first mode runs fastest); or the element with `coord` (cute_rank() entries, each a number within its
// mode).
//   returns  an index of elements, swizzled; cute_plain_at() is without the swizzle
uint64_t cute_index(const struct cute_layout *layout, uint64_t number);
uint64_t cute_index_at(const struct cute_layout *layout, const uint64_t *coord);
uint64_t cute_plain_at(const struct cute_layout *layout, const uint64_t *coord);

// The swizzle in elements: what Sw<...> before a number would be.
struct cute_swizzle cute_swizzle_of(const struct cute_layout *layout);

// --- Algebra ---------------------------------------------------------------------------------------------------------
// The results are CuTe's, which the test `cute` holds against what CuTe itself prints. `to` may not be an argument.

// The same indices with as few numbers as possible, depth 0 or 1.
void cute_coalesce(const struct cute_layout *layout, struct cute_layout *to);

// composition(a, b): index(a, index(b, i)). Returns 0, with `error`, where `a` cannot be divided so, and where `b` has
// a swizzle, a pointer or an offset.
int cute_compose(const struct cute_layout *a, const struct cute_layout *b, struct cute_layout *to,
                 struct cute_error *error);

// zipped_divide(layout, tile) and tiled_divide(): mode 0 is a tile of tile[0] x ... elements (`count` entries, at most
// the rank), the rest counts the tiles, in one mode or in a mode for each direction. Returns 0, with `error`, where
// strides do not let it.
int cute_zipped_divide(const struct cute_layout *layout, const uint64_t *tile, int count, struct cute_layout *to,
                       struct cute_error *error);
int cute_tiled_divide(const struct cute_layout *layout, const uint64_t *tile, int count, struct cute_layout *to,
                      struct cute_error *error);

#endif
