// SPDX-License-Identifier: MIT
// Layouts as text: what CuTe prints in C++ and in Python, read and written.
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "refuse.h"

// A text being read. Once `failed` nothing more is taken.
struct reader {
    const char *text;
    int at;
    bool failed;
    struct cute_error *error;
};

// One of the two halves of a layout, shape or stride: its numbers, with the column of each, and their parentheses.
struct tuple {
    int count, at[CUTE_MAX_LEAVES];
    uint64_t number[CUTE_MAX_LEAVES];
    uint8_t opens[CUTE_MAX_LEAVES], closes[CUTE_MAX_LEAVES];
};

__attribute__((format(printf, 3, 4))) static void fail(struct reader *r, int at, const char *format, ...)
{
    va_list arguments;
    if (r->failed) return;
    r->failed = true;
    va_start(arguments, format);
    cute_refuse_list(r->error, at, format, arguments);
    va_end(arguments);
}

static void skip_blanks(struct reader *r)
{
    while (r->text[r->at] == ' ' || r->text[r->at] == '\t' || r->text[r->at] == '\n') r->at++;
}

static char look(struct reader *r)
{
    skip_blanks(r);
    return r->text[r->at];
}

static int take(struct reader *r, const char *word)
{
    size_t length = strlen(word);
    skip_blanks(r);
    if (r->failed || strncmp(r->text + r->at, word, length) != 0) return 0;
    r->at += (int)length;
    return 1;
}

static void expect(struct reader *r, const char *word, const char *what)
{
    if (!take(r, word)) fail(r, r->at, "%s is missing here", what);
}

static uint64_t take_digits(struct reader *r, uint64_t most)
{
    uint64_t value = 0;
    skip_blanks(r);
    int start = r->at;
    for (; r->text[r->at] >= '0' && r->text[r->at] <= '9' && !r->failed; r->at++) {
        value = value * 10 + (uint64_t)(r->text[r->at] - '0');
        if (value > most) fail(r, start, "a number here is at most %llu", (unsigned long long)most);
    }
    if (r->at == start) fail(r, start, "a number is missing here");
    return value;
}

// A number of a shape or stride; CuTe writes _8 for one that is known when it compiles.
static uint64_t take_number(struct reader *r)
{
    char next = look(r);
    if (next == '?') fail(r, r->at, "a number that only the running program knows: write it here");
    if (next == '-') fail(r, r->at, "a negative number: shapes begin at 1, strides at 0; no tensor copy goes back");
    (void)take(r, "_");
    uint64_t value = take_digits(r, (uint64_t)1 << CUTE_MOST_LOG2);
    if (look(r) == '@') fail(r, r->at, "strides of a coordinate tensor: they are no places in memory");
    return value;
}

static void take_tuple(struct reader *r, struct tuple *tuple)
{
    int depth = 0, opens = 0, all = 0;
    *tuple = (struct tuple){0};
    do {
        for (; take(r, "("); opens++) r->failed = !cute_check_nesting(++depth, ++all, r->error, r->at - 1);
        if (tuple->count == CUTE_MAX_LEAVES) fail(r, r->at, "more than %d numbers", CUTE_MAX_LEAVES);
        if (r->failed) return;
        int leaf = tuple->count++;
        tuple->at[leaf] = r->at;
        tuple->number[leaf] = take_number(r);
        tuple->opens[leaf] = (uint8_t)opens;
        for (opens = 0; depth > 0 && take(r, ")"); depth--) tuple->closes[leaf]++;
    } while (depth > 0 && take(r, ",") && !r->failed);
    if (depth > 0) fail(r, r->at, ", or ) is missing here");
}

static void take_swizzle(struct reader *r, struct cute_layout *layout)
{
    int negative = 0, start = r->at;
    struct cute_swizzle *to = &layout->swizzle;
    layout->is_swizzled = 1;
    expect(r, "<", "<");
    to->bits = (int)take_digits(r, CUTE_MOST_LOG2);
    expect(r, ",", ",");
    to->base = (int)take_digits(r, CUTE_MOST_LOG2);
    expect(r, ",", ",");
    negative = take(r, "-");
    to->shift = (int)take_digits(r, CUTE_MOST_LOG2);
    expect(r, ">", ">");
    if (to->shift < to->bits) fail(r, start, "the shift of a swizzle is not less than its bits");
    if (to->bits + to->base + to->shift > CUTE_MOST_LOG2)
        fail(r, start, "the swizzle reaches past bit %d", CUTE_MOST_LOG2);
    if (negative) to->shift = -to->shift;
}

// "[16b](unset)" or "[16b](0x7f00)", behind the name of a pointer.
static void take_pointer(struct reader *r, struct cute_layout *layout)
{
    expect(r, "[", "[ before the bits of an element");
    skip_blanks(r);
    int at = r->at;
    layout->pointer_bits = (int)take_digits(r, 256);
    if (layout->pointer_bits < 1 || (layout->pointer_bits & (layout->pointer_bits - 1)) != 0)
        fail(r, at, "elements of %d bits: only powers of two lie in shared memory one by one", layout->pointer_bits);
    expect(r, "b]", "b]");
    expect(r, "(", "( before the address");
    while (r->text[r->at] != '\0' && r->text[r->at] != ')') r->at++;
    expect(r, ")", ")");
}

// CuTe prints tensors elsewhere than in shared memory with these names. `swizzle` is the swizzle before the name, or
// "".
static void refuse_pointer(struct reader *r, const char *swizzle, int swizzle_bytes)
{
    static const char *const names[] = {"gmem_ptr[", "rmem_ptr[", "tmem_ptr[", "ptr["};
    const bool is_tensor = look(r) == '_';
    const char *at = r->text + r->at + is_tensor, *behind = strstr(at, " o ");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strncmp(at, names[i], strlen(names[i])) == 0)
            fail(r, r->at, "the pointer is not of shared memory: give the layout alone, %.*s%s%.140s", swizzle_bytes,
                 swizzle, swizzle_bytes == 0 ? "" : " o 0 o ", behind == NULL ? "(8,64):(64,1)" : behind + 3);
}

// What stands before the shape: a swizzle, a pointer, both, or nothing.
static void take_front(struct reader *r, struct cute_layout *layout)
{
    const char first = look(r);
    if (first != '\0' && strchr("(0123456789_?-", first) != NULL) return;
    const int start = r->at;
    refuse_pointer(r, "", 0);
    if (take(r, "smem_ptr")) {
        take_pointer(r, layout);
        expect(r, "o", "o before the layout");
        return;
    }
    if (!take(r, "Swizzle") && !take(r, "Sw") && !take(r, "S"))
        fail(r, r->at, "a layout begins with (, a number or Sw<");
    take_swizzle(r, layout);
    const int swizzle_bytes = r->at - start;
    refuse_pointer(r, r->text + start, swizzle_bytes);
    if (take(r, "_smem_ptr")) { // a tensor
        take_pointer(r, layout);
    } else {
        expect(r, "o", "o before 0 or smem_ptr[16b](unset)");
        refuse_pointer(r, r->text + start, swizzle_bytes);
        if (take(r, "smem_ptr"))
            take_pointer(r, layout);
        else
            layout->offset = take_number(r);
    }
    expect(r, "o", "o before the layout");
}

// The strides that CuTe gives a shape: each mode behind the one before; those of one step are 0.
static void make_compact(struct cute_layout *layout)
{
    uint64_t stride = 1;
    for (int i = 0; i < layout->leaves; i++) {
        layout->leaf[i].stride = layout->leaf[i].shape == 1 ? 0 : stride;
        stride *= layout->leaf[i].shape;
    }
}

static void check_same_form(struct reader *r, const struct tuple *shape, const struct tuple *stride)
{
    if (stride->count != shape->count)
        fail(r, stride->count > shape->count ? stride->at[shape->count] : r->at,
             "the shape has %d numbers, the strides %d", shape->count, stride->count);
    for (int i = 0; i < shape->count && !r->failed; i++)
        if (shape->opens[i] != stride->opens[i] || shape->closes[i] != stride->closes[i])
            fail(r, stride->at[i], "the strides are nested otherwise than the shape");
}

// No product or sum of the numbers is more than 2^48.
static void check_numbers(struct reader *r, const struct cute_layout *layout, const struct tuple *shape)
{
    for (int i = 0; i < layout->leaves; i++)
        if (layout->leaf[i].shape == 0) fail(r, shape->at[i], "a mode of no elements");
    int leaf = r->failed ? -1 : cute_overflow(layout);
    if (leaf >= 0)
        fail(r, shape->at[leaf], "with this mode the layout has more than 2^%d elements or places", CUTE_MOST_LOG2);
}

static void check_pointer(struct reader *r, const struct cute_layout *layout)
{
    if (layout->is_swizzled && cute_swizzle_of(layout).base < 0)
        fail(r, 0, "elements of %d bits are larger than what the swizzle moves", layout->pointer_bits);
}

int cute_read(const char *text, struct cute_layout *layout, struct cute_error *error)
{
    struct reader r = {text, 0, false, error};
    struct tuple shape, stride;
    *layout = (struct cute_layout){0};
    *error = (struct cute_error){-1, ""};
    take_front(&r, layout);
    take_tuple(&r, &shape);
    layout->leaves = shape.count;
    for (int i = 0; i < shape.count; i++)
        layout->leaf[i] = (struct cute_leaf){shape.number[i], 0, shape.opens[i], shape.closes[i]};
    if (take(&r, ":")) {
        take_tuple(&r, &stride);
        check_same_form(&r, &shape, &stride);
        for (int i = 0; i < shape.count && !r.failed; i++) layout->leaf[i].stride = stride.number[i];
        check_numbers(&r, layout, &shape);
    } else if (!r.failed) {
        check_numbers(&r, layout, &shape);
        if (!r.failed) make_compact(layout);
    }
    if (!r.failed) check_pointer(&r, layout);
    if (look(&r) != '\0') fail(&r, r.at, "the layout is at its end here");
    return !r.failed;
}

// --- Writing ---------------------------------------------------------------------------------------------------------

struct writer {
    char *text;
    size_t used;
};

__attribute__((format(printf, 2, 3))) static void add(struct writer *w, const char *format, ...)
{
    const size_t room = CUTE_TEXT_BYTES - w->used;
    va_list arguments;
    va_start(arguments, format);
    size_t length = (size_t)vsnprintf(w->text + w->used, room, format, arguments);
    va_end(arguments);
    w->used += length < room ? length : room - 1;
}

// The shape or the strides; returns the column of leaf `wanted`.
static int add_tuple(struct writer *w, const struct cute_layout *layout, bool is_stride, int wanted)
{
    static const char open[] = "((((((((((((((((", close[] = "))))))))))))))))";
    _Static_assert(sizeof open == CUTE_MAX_DEPTH + 1 && sizeof close == sizeof open, "the deepest nesting");
    int column = -1;
    for (int i = 0; i < layout->leaves; i++) {
        const struct cute_leaf *leaf = &layout->leaf[i];
        add(w, "%s%.*s", i == 0 ? "" : ",", leaf->opens, open);
        if (i == wanted) column = (int)w->used;
        add(w, "%llu%.*s", (unsigned long long)(is_stride ? leaf->stride : leaf->shape), leaf->closes, close);
    }
    return column;
}

static int write_all(const struct cute_layout *layout, char *text, int wanted)
{
    struct writer w = {text, 0};
    text[0] = '\0';
    if (layout->is_swizzled)
        add(&w, "Sw<%d,%d,%d> o ", layout->swizzle.bits, layout->swizzle.base, layout->swizzle.shift);
    if (layout->pointer_bits != 0)
        add(&w, "smem_ptr[%db](unset) o ", layout->pointer_bits);
    else if (layout->is_swizzled)
        add(&w, "%llu o ", (unsigned long long)layout->offset);
    add_tuple(&w, layout, false, -1);
    add(&w, ":");
    return add_tuple(&w, layout, true, wanted);
}

void cute_write(const struct cute_layout *layout, char *text)
{
    write_all(layout, text, -1);
}

int cute_stride_column(const struct cute_layout *layout, int leaf)
{
    char text[CUTE_TEXT_BYTES];
    return write_all(layout, text, leaf);
}
