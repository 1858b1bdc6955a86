// SPDX-License-Identifier: MIT
// What layouts mean, and what CuTe's functions make of them.
#include <stdbool.h>
#include <stdio.h>

#include "refuse.h"

// --- Meaning ---------------------------------------------------------------------------------------------------------

uint64_t cute_size(const struct cute_layout *layout)
{
    uint64_t size = 1;
    for (int i = 0; i < layout->leaves; i++) size *= layout->leaf[i].shape;
    return size;
}

uint64_t cute_cosize(const struct cute_layout *layout)
{
    uint64_t last = 0;
    for (int i = 0; i < layout->leaves; i++) last += (layout->leaf[i].shape - 1) * layout->leaf[i].stride;
    return last + 1;
}

static const uint64_t most = (uint64_t)1 << CUTE_MOST_LOG2, too_much = (uint64_t)1 << (CUTE_MOST_LOG2 + 8);

// The product, or too much.
static uint64_t times(uint64_t a, uint64_t b)
{
    return a != 0 && b > too_much / a ? too_much : a * b;
}

int cute_overflow(const struct cute_layout *layout)
{
    uint64_t elements = 1, last = layout->offset;
    for (int i = 0; i < layout->leaves; i++) {
        const struct cute_leaf *leaf = &layout->leaf[i];
        elements = times(elements, leaf->shape);
        last += times(leaf->shape - 1, leaf->stride);
        if (elements > most || last >= most || leaf->stride > most) return i;
    }
    return -1;
}

// Where the mode ends that begins with leaf `from`: the parentheses around the whole layout are not counted.
static int mode_end(const struct cute_layout *layout, int from)
{
    bool has_outer = layout->leaf[0].opens > 0;
    int depth = from == 0 ? -has_outer : 0, i = from;
    do {
        depth += layout->leaf[i].opens - layout->leaf[i].closes;
        i++;
    } while (depth > 0 && i < layout->leaves);
    return i;
}

int cute_rank(const struct cute_layout *layout)
{
    int rank = 0;
    for (int at = 0; at < layout->leaves; at = mode_end(layout, at)) rank++;
    return rank;
}

int cute_depth(const struct cute_layout *layout)
{
    int depth = 0, deepest = 0;
    for (int i = 0; i < layout->leaves; i++) {
        depth += layout->leaf[i].opens;
        if (depth > deepest) deepest = depth;
        depth -= layout->leaf[i].closes;
    }
    return deepest;
}

int cute_mode(const struct cute_layout *layout, int mode, struct cute_layout *alone)
{
    int from = 0, end = mode_end(layout, 0);
    for (; mode > 0; mode--) {
        from = end;
        end = mode_end(layout, from);
    }
    *alone = (struct cute_layout){.leaves = end - from};
    for (int i = from; i < end; i++) alone->leaf[i - from] = layout->leaf[i];
    if (layout->leaf[0].opens == 0) return 0;
    if (from == 0) alone->leaf[0].opens--;
    if (end == layout->leaves) alone->leaf[end - from - 1].closes--;
    return from;
}

uint64_t cute_mode_size(const struct cute_layout *layout, int mode)
{
    struct cute_layout alone;
    cute_mode(layout, mode, &alone);
    return cute_size(&alone);
}

struct cute_swizzle cute_swizzle_of(const struct cute_layout *layout)
{
    struct cute_swizzle swizzle = layout->swizzle;
    if (layout->pointer_bits != 0) swizzle.base += 3;
    for (int bits = layout->pointer_bits; bits > 1; bits /= 2) swizzle.base--;
    return swizzle;
}

static uint64_t swizzled(const struct cute_layout *layout, uint64_t index)
{
    const struct cute_swizzle s = cute_swizzle_of(layout);
    const uint64_t mask = ((uint64_t)1 << s.bits) - 1;
    if (!layout->is_swizzled) return index;
    if (s.shift < 0) return index ^ (index >> s.base & mask) << (s.base - s.shift);
    return index ^ (index >> (s.base + s.shift) & mask) << s.base;
}

static uint64_t plain(const struct cute_leaf *leaf, int leaves, uint64_t number)
{
    uint64_t index = 0;
    for (int i = 0; i < leaves; i++) {
        index += (i + 1 == leaves ? number : number % leaf[i].shape) * leaf[i].stride;
        number /= leaf[i].shape;
    }
    return index;
}

uint64_t cute_index(const struct cute_layout *layout, uint64_t number)
{
    return swizzled(layout, layout->offset + plain(layout->leaf, layout->leaves, number));
}

uint64_t cute_plain_at(const struct cute_layout *layout, const uint64_t *coord)
{
    uint64_t index = layout->offset;
    for (int mode = 0, from = 0; from < layout->leaves; mode++) {
        int end = mode_end(layout, from);
        index += plain(layout->leaf + from, end - from, coord[mode]);
        from = end;
    }
    return index;
}

uint64_t cute_index_at(const struct cute_layout *layout, const uint64_t *coord)
{
    return swizzled(layout, cute_plain_at(layout, coord));
}

// --- Making layouts --------------------------------------------------------------------------------------------------

// Adds a number to a layout that has room for it.
static void add_leaf(struct cute_layout *to, uint64_t shape, uint64_t stride)
{
    to->leaf[to->leaves++] = (struct cute_leaf){shape, stride, 0, 0};
}

// Parentheses around what stands from leaf `from` on, unless it is one number.
static void enclose(struct cute_layout *to, int from)
{
    if (to->leaves - from < 2) return;
    to->leaf[from].opens++;
    to->leaf[to->leaves - 1].closes++;
}

// Parentheses around leaves `from` on, whatever they are.
static void enclose_all(struct cute_layout *to, int from)
{
    to->leaf[from].opens++;
    to->leaf[to->leaves - 1].closes++;
}

static void take_swizzle_of(const struct cute_layout *layout, struct cute_layout *to)
{
    to->is_swizzled = layout->is_swizzled;
    to->swizzle = layout->swizzle;
    to->pointer_bits = layout->pointer_bits;
    to->offset = layout->offset;
}

// Merges neighbours whose strides go on. `goes_on`: what the last number does past its end counts too, as in the left
// side of a composition.
static void merge(const struct cute_layout *layout, bool goes_on, struct cute_layout *to)
{
    int last = layout->leaves - 1;
    *to = (struct cute_layout){0};
    for (int i = 0; i <= last; i++) {
        uint64_t shape = layout->leaf[i].shape, stride = layout->leaf[i].stride;
        struct cute_leaf *before = to->leaves > 0 ? &to->leaf[to->leaves - 1] : NULL;
        if (goes_on && i == last && shape == 1) shape = 2;
        if (shape == 1) continue;
        if (before != NULL && before->shape * before->stride == stride)
            before->shape *= shape;
        else
            add_leaf(to, shape, stride);
    }
    if (to->leaves == 0) add_leaf(to, 1, 0);
}

void cute_coalesce(const struct cute_layout *layout, struct cute_layout *to)
{
    merge(layout, false, to);
    enclose(to, 0);
    take_swizzle_of(layout, to);
}

// --- Composition -----------------------------------------------------------------------------------------------------

int cute_refuse_list(struct cute_error *error, int column, const char *format, va_list arguments)
{
    error->column = column;
    vsnprintf(error->why, sizeof error->why, format, arguments);
    return 0;
}

int cute_refuse(struct cute_error *error, int column, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    cute_refuse_list(error, column, format, arguments);
    va_end(arguments);
    return 0;
}

int cute_check_nesting(int depth, int opens, struct cute_error *error, int column)
{
    if (depth <= CUTE_MAX_DEPTH && opens <= CUTE_MAX_OPENS) return 1;
    return cute_refuse(error, column, "nested too deeply: at most %d parentheses in one another, and %d in all",
                       CUTE_MAX_DEPTH, CUTE_MAX_OPENS);
}

int cute_check_bits(const struct cute_layout *layout, uint32_t bytes, struct cute_error *error)
{
    if (layout->pointer_bits == 0 || (uint32_t)layout->pointer_bits == 8 * bytes) return 1;
    return cute_refuse(error, -1, "the layout is of elements of %d bits, the type has %u", layout->pointer_bits,
                       8 * bytes);
}

static int refuse_step(struct cute_error *error, const char *what, uint64_t number, uint64_t shape)
{
    return cute_refuse(error, -1, "%s %llu does not divide a mode of %llu elements, nor the mode it", what,
                       (unsigned long long)number, (unsigned long long)shape);
}

// A result whose numbers are no larger, and nested no deeper, than those that are read.
static int check_result(const struct cute_layout *to, struct cute_error *error)
{
    int opens = 0;
    for (int i = 0; i < to->leaves; i++) opens += to->leaf[i].opens;
    if (cute_overflow(to) >= 0)
        return cute_refuse(error, -1, "the result has more than 2^%d elements or places", CUTE_MOST_LOG2);
    return cute_check_nesting(cute_depth(to), opens, error, -1);
}

// Adds a number of the result, if there is room.
static int append(struct cute_layout *to, struct cute_leaf leaf, struct cute_error *error)
{
    if (to->leaves == CUTE_MAX_LEAVES)
        return cute_refuse(error, -1, "the result has more than %d numbers", CUTE_MAX_LEAVES);
    to->leaf[to->leaves++] = leaf;
    return 1;
}

static uint64_t ceil_div(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

// What shape:stride takes of `a` (merged): every stride-th element, shape of them, as numbers appended to `to`.
static int compose_leaf(const struct cute_layout *a, uint64_t shape, uint64_t stride, struct cute_layout *to,
                        struct cute_error *error)
{
    int from = to->leaves;
    if (stride == 0) return append(to, (struct cute_leaf){shape, 0, 0, 0}, error);
    for (int i = 0; i + 1 < a->leaves; i++) {
        uint64_t here = a->leaf[i].shape, left = ceil_div(here, stride);
        if (stride % here != 0 && stride > here) return refuse_step(error, "a step of", stride, here);
        if (left > 1 && shape > 1) {
            uint64_t taken = left < shape ? left : shape;
            if (shape % taken != 0 || (shape > taken && here % stride != 0))
                return refuse_step(error, "a tile of", shape, here);
            if (!append(to, (struct cute_leaf){taken, times(stride, a->leaf[i].stride), 0, 0}, error)) return 0;
            shape /= taken;
        }
        stride = ceil_div(stride, here);
    }
    const struct cute_leaf rest = {shape, times(stride, a->leaf[a->leaves - 1].stride), 0, 0};
    if ((shape > 1 || to->leaves == from) && !append(to, rest, error)) return 0;
    enclose(to, from);
    return 1;
}

int cute_compose(const struct cute_layout *a, const struct cute_layout *b, struct cute_layout *to,
                 struct cute_error *error)
{
    struct cute_layout merged;
    if (b->is_swizzled || b->pointer_bits != 0 || b->offset != 0)
        return cute_refuse(error, -1,
                           "the second layout has a swizzle, a pointer or an offset: only the first one may");
    merge(a, true, &merged);
    *to = (struct cute_layout){0};
    for (int i = 0; i < b->leaves; i++) {
        int from = to->leaves;
        if (!compose_leaf(&merged, b->leaf[i].shape, b->leaf[i].stride, to, error)) return 0;
        to->leaf[from].opens = (uint8_t)(to->leaf[from].opens + b->leaf[i].opens);
        to->leaf[to->leaves - 1].closes = (uint8_t)(to->leaf[to->leaves - 1].closes + b->leaf[i].closes);
    }
    take_swizzle_of(a, to);
    return check_result(to, error);
}

// --- Tiles -----------------------------------------------------------------------------------------------------------

// Appends what shape:stride takes of mode `mode`. CuTe gives a number that is 1 the stride 0.
static int add_part(const struct cute_layout *layout, int mode, uint64_t shape, uint64_t stride, struct cute_layout *to,
                    struct cute_error *error)
{
    struct cute_layout alone, merged;
    cute_mode(layout, mode, &alone);
    merge(&alone, true, &merged);
    return compose_leaf(&merged, shape, shape == 1 ? 0 : stride, to, error);
}

static int add_whole(const struct cute_layout *layout, int mode, struct cute_layout *to, struct cute_error *error)
{
    struct cute_layout alone;
    cute_mode(layout, mode, &alone);
    for (int i = 0; i < alone.leaves; i++)
        if (!append(to, alone.leaf[i], error)) return 0;
    return 1;
}

static int divide(const struct cute_layout *layout, const uint64_t *tile, int count, bool is_zipped,
                  struct cute_layout *to, struct cute_error *error)
{
    int rank = cute_rank(layout), rest;
    *to = (struct cute_layout){0};
    if (count < 1 || count > rank)
        return cute_refuse(error, -1, "a tile of %d numbers: the layout has rank %d", count, rank);
    for (int i = 0; i < count; i++)
        if (tile[i] == 0) return cute_refuse(error, -1, "a tile of no elements");
    for (int i = 0; i < count; i++)
        if (!add_part(layout, i, tile[i], 1, to, error)) return 0;
    enclose_all(to, 0);
    rest = to->leaves;
    for (int i = 0; i < rank; i++) {
        int fits = i < count ? add_part(layout, i, ceil_div(cute_mode_size(layout, i), tile[i]), tile[i], to, error)
                             : add_whole(layout, i, to, error);
        if (!fits) return 0;
    }
    if (is_zipped || rank == 1) enclose_all(to, rest); // CuTe does not unpack a single mode
    enclose_all(to, 0);
    take_swizzle_of(layout, to);
    return check_result(to, error);
}

int cute_zipped_divide(const struct cute_layout *layout, const uint64_t *tile, int count, struct cute_layout *to,
                       struct cute_error *error)
{
    return divide(layout, tile, count, true, to, error);
}

int cute_tiled_divide(const struct cute_layout *layout, const uint64_t *tile, int count, struct cute_layout *to,
                      struct cute_error *error)
{
    return divide(layout, tile, count, false, to, error);
}
