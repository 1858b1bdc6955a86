// SPDX-License-Identifier: MIT
// Target `native`: the flat functions of native.h, which Python and the playground call, each with any numbers, maps
// and texts. native.inc, made from the header, is the list: a function without a caller here does not compile. An input
// may take no more than TIME_SECONDS of CPU time and MEMORY_KIB more memory than the process had.
#include "native.h"

#include <sys/resource.h>
#include <time.h>

#include "fuzz.h"

enum {
    TIME_SECONDS = 5,
    MEMORY_KIB = 256 << 10,
    IMAGE_BYTES = 128,
    TEXT_BYTES = 96,
    MOST = 40,
    GLOBAL_BYTES = 1 << 14
};
enum { TILE_BYTES = 4096, CTAS = 16 };

static struct native_report report;

static void *take_array(struct fuzz_input *input, void *array, size_t size_bytes)
{
    for (size_t i = 0; i < size_bytes; i++) ((uint8_t *)array)[i] = (uint8_t)fuzz_take(input, 1);
    return array;
}

static const char *take_text(struct fuzz_input *input, char *text)
{
    size_t length = fuzz_take(input, 1) % TEXT_BYTES;
    for (size_t i = 0; i < length; i++) text[i] = (char)fuzz_take(input, 1);
    text[length] = '\0';
    return text;
}

// A number: small mostly, any sometimes.
static uint32_t take_number(struct fuzz_input *input)
{
    uint8_t small = (uint8_t)fuzz_take(input, 1);
    return small == 0xff ? (uint32_t)fuzz_take(input, 4) : small;
}

// Declares what most callers take: memory of just so many bytes, so that a sanitizer sees who leaves it.
#define TAKE(type, name, count)                                                                                        \
    type name[count];                                                                                                  \
    take_array(input, name, sizeof name)
#define TAKE_IMAGE                                                                                                     \
    uint8_t image[IMAGE_BYTES];                                                                                        \
    take_array(input, image, sizeof image)
#define TAKE_TEXT(name)                                                                                                \
    char name[TEXT_BYTES];                                                                                             \
    take_text(input, name)

// --- Names and maps --------------------------------------------------------------------------------------------------

static void call_native_version(struct fuzz_input *input)
{
    (void)input;
    fuzz_require(native_version()[0] != '\0');
}

static void call_native_value(struct fuzz_input *input)
{
    int which = (int)take_number(input);
    TAKE_TEXT(text);
    fuzz_require(native_value(which, text, &report) >= 0 || report.text[0] != '\0');
}

static void call_native_dtype_name(struct fuzz_input *input)
{
    uint32_t dtype = take_number(input);
    fuzz_require((native_dtype_name(dtype) == NULL) == (native_dtype_bytes(dtype) == 0));
}

static void call_native_dtype_bytes(struct fuzz_input *input)
{
    fuzz_require(native_dtype_bytes(take_number(input)) <= 8);
}

static void call_native_reduction(struct fuzz_input *input)
{
    TAKE_TEXT(text);
    fuzz_require(native_reduction(text) >= -1);
}

static void call_native_encode(struct fuzz_input *input)
{
    struct native_fields fields, decoded;
    uint8_t image[IMAGE_BYTES];
    take_array(input, &fields, sizeof fields);
    native_encode(&fields, image, &report);
    if (report.rule != 0) return;
    native_decode(image, &decoded, &report);
    fuzz_require(report.rule == 0 && decoded.rank == fields.rank && decoded.mode == fields.mode);
}

static void call_native_decode(struct fuzz_input *input)
{
    struct native_fields fields;
    TAKE_IMAGE;
    native_decode(image, &fields, &report);
    fuzz_require((report.rule == 0) == (report.text[0] == '\0'));
}

// --- Boxes and copies ------------------------------------------------------------------------------------------------

static void call_native_box_bytes(struct fuzz_input *input)
{
    TAKE_IMAGE;
    fuzz_require((native_box_bytes(image) == 0) == (native_transaction_bytes(image) == 0));
}

static void call_native_transaction_bytes(struct fuzz_input *input)
{
    TAKE_IMAGE;
    fuzz_require(native_transaction_bytes(image) <= native_box_bytes(image));
}

static void call_native_copy(struct fuzz_input *input)
{
    static uint8_t global[GLOBAL_BYTES], tiles[CTAS * TILE_BYTES];
    TAKE_IMAGE;
    TAKE(int32_t, coord, 5);
    TAKE(uint16_t, offset, 3);
    uint64_t address = fuzz_take(input, 8), pitch_bytes = fuzz_take(input, 2) % (TILE_BYTES + 1);
    const struct native_memory memory = {global, fuzz_take(input, 8), GLOBAL_BYTES, (int)fuzz_take(input, 1) & 1};
    const struct native_copy copy = {.kind = (int)take_number(input),
                                     .is_multicast = (int)fuzz_take(input, 1) & 1,
                                     .image = fuzz_take(input, 1) == 0xff ? NULL : image,
                                     .shared = (uint32_t)fuzz_take(input, 4),
                                     .ctas = take_number(input),
                                     .issuer = take_number(input),
                                     .mask = (uint32_t)fuzz_take(input, 4),
                                     .op = (int)take_number(input),
                                     .dtype = (int)take_number(input),
                                     .size_bytes = (uint32_t)fuzz_take(input, 3)};
    if (memory.base + GLOBAL_BYTES < memory.base) return; // none goes around the end of all addresses
    int64_t done = native_copy(&copy, 1, coord, offset, &address, &memory, tiles, pitch_bytes, &report);
    fuzz_require(done == (report.rule == 0));
}

static void call_native_runs(struct fuzz_input *input)
{
    struct native_run runs[MOST];
    TAKE_IMAGE;
    TAKE(int32_t, coord, 5);
    TAKE(uint16_t, offset, 3);
    int64_t count = native_runs(image, coord, offset, MOST, runs);
    for (int64_t i = 0; i < count; i++)
        fuzz_require((uint64_t)runs[i].offset + runs[i].bytes <= native_box_bytes(image));
}

static void call_native_box_steps(struct fuzz_input *input)
{
    uint32_t steps[5];
    uint64_t extent[5];
    TAKE_IMAGE;
    native_box_steps(image, steps, extent);
    for (int i = 0; i < 5; i++) fuzz_require(steps[i] <= extent[i] || native_box_bytes(image) > 0);
}

static void call_native_load_check(struct fuzz_input *input)
{
    TAKE_IMAGE;
    TAKE(int32_t, coord, 5);
    native_load_check(image, coord, (uint32_t)fuzz_take(input, 4), &report);
    fuzz_require(report.rule != 0 || native_box_bytes(image) > 0);
}

static void call_native_slice(struct fuzz_input *input)
{
    int64_t result[10];
    TAKE_IMAGE;
    const uint32_t size[3] = {take_number(input), take_number(input), take_number(input)};
    TAKE(int32_t, coord, 5);
    TAKE(uint64_t, tile, 5);
    native_slice(image, size, (int)take_number(input), take_number(input), coord, tile, result);
    fuzz_require(result[0] <= CTAS && result[4] >= 0);
}

// --- Shared memory, barriers, descriptors ----------------------------------------------------------------------------

static void call_native_swizzle(struct fuzz_input *input)
{
    uint32_t place[MOST];
    TAKE(uint32_t, address, MOST);
    native_swizzle((int)take_number(input), MOST, address, place);
    for (int i = 0; i < MOST; i++) fuzz_require((place[i] ^ address[i]) < 128);
}

static void call_native_bank(struct fuzz_input *input)
{
    int result[3];
    TAKE(uint32_t, address, 32);
    native_bank((int)take_number(input), address, (uint32_t)fuzz_take(input, 4), take_number(input), result, &report);
    fuzz_require(result[0] >= result[2]);
}

static void call_native_barrier_start(struct fuzz_input *input)
{
    static struct native_barrier barrier;
    native_barrier_start(&barrier);
    barrier.word = fuzz_take(input, 8);
    native_barrier_land(&barrier, (uint32_t)fuzz_take(input, 4), &report);
}

static void call_native_barrier_has(struct fuzz_input *input)
{
    TAKE_TEXT(text);
    fuzz_require(native_barrier_has(text) >= 0);
}

static void call_native_barrier_operate(struct fuzz_input *input)
{
    static const char *const opcodes[] = {"init",     "inval",         "arrive",    "arrive.expect_tx", "expect_tx",
                                          "complete", "arrive_drop",   "test_wait", "try_wait.parity",  "complete_tx",
                                          "",         "pending_count", "nothing"};
    static struct native_barrier barrier;
    uint32_t ballot;
    native_barrier_start(&barrier);
    for (int i = 0; i < 4 && input->left > 0; i++) {
        const char *opcode = opcodes[fuzz_take(input, 1) % (sizeof opcodes / sizeof *opcodes)];
        uint64_t operand[32] = {fuzz_take(input, 4), fuzz_take(input, 8)}, value[32];
        native_barrier_operate(&barrier, opcode, (uint32_t)fuzz_take(input, 4), operand, value, &ballot, &report);
    }
}

static void call_native_barrier_land(struct fuzz_input *input)
{
    call_native_barrier_start(input);
}

static void call_native_barrier_fields(struct fuzz_input *input)
{
    int64_t fields[5];
    native_barrier_fields(fuzz_take(input, 8), fields);
    fuzz_require(fields[0] == 0 || fields[0] == 1);
}

static void call_native_barrier_reading(struct fuzz_input *input)
{
    native_barrier_reading(fuzz_take(input, 8), &report);
    fuzz_require(report.text[0] != '\0');
}

static void call_native_descriptor_unpack(struct fuzz_input *input)
{
    uint32_t fields[5], again[5];
    native_descriptor_unpack(fuzz_take(input, 8), fields);
    native_descriptor_unpack(native_descriptor_pack(fields), again);
    fuzz_require(memcmp(fields, again, sizeof fields) == 0);
}

static void call_native_descriptor_pack(struct fuzz_input *input)
{
    TAKE(uint32_t, fields, 5);
    native_descriptor_pack(fields);
}

static void call_native_descriptor_address(struct fuzz_input *input)
{
    uint64_t bits = fuzz_take(input, 8);
    native_descriptor_address(bits, (int)fuzz_take(input, 4), (int)fuzz_take(input, 4));
}

// --- CuTe layouts ----------------------------------------------------------------------------------------------------

static struct native_layout layout;

static void call_native_layout_read(struct fuzz_input *input)
{
    TAKE_TEXT(text);
    fuzz_require(native_layout_read(text, &layout) || layout.why[0] != '\0');
}

static void call_native_layout_make(struct fuzz_input *input)
{
    int what = (int)take_number(input);
    TAKE_TEXT(text);
    TAKE_TEXT(other);
    fuzz_require(native_layout_make((enum native_make)what, text, other, &layout) || layout.why[0] != '\0');
}

static void call_native_layout_indices(struct fuzz_input *input)
{
    uint64_t index[4];
    TAKE(uint64_t, number, 4);
    TAKE_TEXT(text);
    native_layout_indices(text, 4, number, index);
}

static void call_native_layout_box(struct fuzz_input *input)
{
    struct native_filling filling;
    uint32_t dtype = take_number(input);
    int modes = (int)take_number(input);
    TAKE_TEXT(text);
    fuzz_require(native_layout_box(text, dtype, modes, &filling, &layout) || layout.why[0] != '\0');
}

static void call_native_layout_operand(struct fuzz_input *input)
{
    struct native_operand operand;
    uint32_t bytes = take_number(input);
    TAKE_TEXT(text);
    fuzz_require(native_layout_operand(text, bytes, &operand, &layout) || layout.why[0] != '\0');
}

static void call_native_layout_start(struct fuzz_input *input)
{
    uint32_t bytes = take_number(input);
    int step = (int)take_number(input);
    TAKE_TEXT(text);
    native_layout_start(text, bytes, step);
}

static void call_native_layout_of_box(struct fuzz_input *input)
{
    TAKE_IMAGE;
    fuzz_require(!native_layout_of_box(image, &layout) || native_box_bytes(image) > 0);
}

// --- Products --------------------------------------------------------------------------------------------------------

static void call_native_wgmma_types(struct fuzz_input *input)
{
    TAKE_TEXT(text);
    fuzz_require(native_wgmma_types(text) >= -1);
}

static void call_native_mma_form(struct fuzz_input *input)
{
    TAKE_TEXT(text);
    fuzz_require(native_mma_form(text) >= -1);
}

static void call_native_wgmma_shape(struct fuzz_input *input)
{
    int shape[6];
    native_wgmma_shape((int)take_number(input), shape);
    fuzz_require(shape[0] == 0 || shape[0] == 64);
}

static void call_native_mma_shape(struct fuzz_input *input)
{
    int shape[6];
    native_mma_shape((int)take_number(input), shape);
    fuzz_require(shape[1] == 0 || shape[1] == 8);
}

static void call_native_multiply(struct fuzz_input *input)
{
    enum { SIDE = 9, BYTES = SIDE * SIDE * 4 };
    TAKE(uint8_t, a, BYTES);
    TAKE(uint8_t, b, BYTES);
    uint32_t d[SIDE * SIDE] = {0};
    const struct native_product product = {.types = (int)take_number(input),
                                           .accumulate = (int)fuzz_take(input, 1),
                                           .n = (int64_t)(fuzz_take(input, 1) % (SIDE + 1)),
                                           .k = (int64_t)(fuzz_take(input, 1) % (SIDE + 1)),
                                           .a = a,
                                           .b = b,
                                           .a_row = SIDE * 4,
                                           .a_k = 4,
                                           .b_k = SIDE * 4,
                                           .b_column = 4,
                                           .d = d};
    native_multiply(&product, 0, (int64_t)(fuzz_take(input, 1) % (SIDE + 1)));
}

static void call_native_mma(struct fuzz_input *input)
{
    enum { MOST_ELEMENTS = 16 * 256 };
    static uint64_t a[MOST_ELEMENTS], b[MOST_ELEMENTS], d[16 * 8];
    int form = (int)take_number(input);
    take_array(input, a, 256);
    take_array(input, b, 256);
    native_mma(form, a, b, d);
}

static void call_native_round(struct fuzz_input *input)
{
    uint16_t rounded[4];
    TAKE(uint32_t, f32, 4);
    native_round((int)fuzz_take(input, 1), 4, f32, rounded);
}

// --- All of them -----------------------------------------------------------------------------------------------------

static void (*const calls[])(struct fuzz_input *input) = {
#define X(name) call_##name,
#include "native.inc"
#undef X
};

static long memory_kib(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

void fuzz_native(const uint8_t *bytes, size_t size_bytes)
{
    struct fuzz_input input = {bytes, size_bytes};
    clock_t start = clock();
    long before = memory_kib();
    calls[fuzz_take(&input, 1) % (sizeof calls / sizeof *calls)](&input);
    fuzz_require((clock() - start) / CLOCKS_PER_SEC < TIME_SECONDS);
    fuzz_require(memory_kib() - before < MEMORY_KIB);
}
