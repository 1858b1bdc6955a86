// SPDX-License-Identifier: MIT
// Products of matrices on the PTX machine, against the model's own calls on the same bytes: wgmma, mma.sync, ldmatrix,
// stmatrix and movmatrix. wmma against sums of doubles.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "descriptor.h"
#include "machine.h"
#include "matrix.h"
#include "mma.h"
#include "wgmma.h"

enum { TILE_BYTES = 4096, OUT_WORDS = 1024, TILE_AT = 1024, POLICIES = 4 };

#define HEAD ".version 8.6\n.target sm_90a\n.address_size 64\n"

static struct {
    uint32_t in[TILE_BYTES / 4], out[OUT_WORDS];
} memory __attribute__((aligned(128)));

// The kernel `k` of (from, to): the tile comes from `in`, D of thread t goes to out[4 t].
static struct machine_outcome run_kernel(const char *ptx, uint32_t threads, enum machine_policy policy)
{
    static struct machine_outcome outcome;
    struct ptx_errors errors;
    struct machine_module *module = machine_module_open(ptx, strlen(ptx), &errors);
    ck_assert_msg(module != NULL, "%s", errors.count > 0 ? errors.item[0].message : "no memory");
    for (uint32_t i = 0; i < TILE_BYTES / 4; i++) memory.in[i] = 0x3f803f00u + (i * 2654435761u & 0x80ff80ffu);
    memset(memory.out, 0, sizeof memory.out);
    const struct region region = {{(uint8_t *)&memory, (uint64_t)(uintptr_t)&memory, sizeof memory}, 0};
    const struct global_memory global = {&region, 1};
    const uint64_t parameters[] = {(uint64_t)(uintptr_t)memory.in, (uint64_t)(uintptr_t)memory.out};
    const struct machine_launch launch = {
        .module = module,
        .kernel = machine_module_kernel(module, "k"),
        .grid = {1, 1, 1},
        .block = {threads, 1, 1},
        .parameters = parameters,
        .global = &global,
        .schedule = {policy, 1, 1},
        .limits = {.instructions = 10000000},
    };
    machine_run(&launch, &outcome);
    machine_module_close(module);
    return outcome;
}

static void check_done(const struct machine_outcome *outcome)
{
    ck_assert_msg(outcome->kind == MACHINE_DONE, "%s", outcome->message);
}

// Thread 0 brings the tile, all wait for it.
#define KERNEL                                                                                                         \
    HEAD ".visible .entry k(.param .u64 from, .param .u64 to)\n{\n"                                                    \
         ".reg .pred %p<4>;\n.reg .b32 %r<32>;\n.reg .f32 %f<8>;\n.reg .b64 %rd<16>;\n"                                \
         ".shared .align 1024 .b8 tile[4096];\n.shared .align 8 .b64 bar;\n"                                           \
         "ld.param.u64 %rd1, [from];\nld.param.u64 %rd2, [to];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, tile;\n"            \
         "mov.u32 %r3, bar;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra made;\n"                                               \
         "mbarrier.init.shared::cta.b64 [%r3], 1;\n"                                                                   \
         "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 4096;\n"                                                 \
         "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd1], 4096, [%r3];\n"             \
         "made:\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\n"                                                     \
         "again:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [%r3], 0;\n@!%p2 bra again;\n"                         \
         "mul.lo.u32 %r4, %r1, 16;\ncvt.u64.u32 %rd3, %r4;\nadd.u64 %rd4, %rd2, %rd3;\n"
#define OUT(type, registers) "st.global.v4." type " [%rd4], {" registers "};\nret;\n}\n"

// --- wgmma -----------------------------------------------------------------------------------------------------------

// A at the start of the tile, B 2048 bytes behind: no swizzle, 128 bytes from one core matrix to the next along K, 256
// along M or N.
#define DESCRIPTORS                                                                                                    \
    "shr.u32 %r5, %r2, 4;\ncvt.u64.u32 %rd5, %r5;\nadd.u64 %rd6, %rd5, 0x1000080000;\nadd.u64 %rd7, %rd6, 128;\n"
#define ZERO "mov.f32 %f1, 0f00000000;\nmov.f32 %f2, %f1;\nmov.f32 %f3, %f1;\nmov.f32 %f4, %f1;\n"
#define MULTIPLY(n, d, sign)                                                                                           \
    "wgmma.mma_async.sync.aligned.m64n" n "k16.f32.bf16.bf16 {" d "}, %rd6, %rd7, %p3, 1, " sign ", 0, 0;\n"
#define D       "%f1, %f2, %f3, %f4"
#define THREE   MULTIPLY("8", D, "1") MULTIPLY("8", D, "-1") MULTIPLY("8", D, "1")
#define PRODUCT "wgmma.fence.sync.aligned;\nsetp.ne.u32 %p3, 1, 0;\n" THREE "wgmma.commit_group.sync.aligned;\n"

static void multiply(const struct wgmma *wgmma, uint32_t *d)
{
    const struct memory shared = {(uint8_t *)memory.in, TILE_AT, TILE_BYTES};
    const struct wgmma_descriptor a = {TILE_AT, 128, 256, 0, WGMMA_SWIZZLE_NONE}, b = {TILE_AT + 2048, 128, 256, 0, 0};
    const struct wgmma_operands operands = {
        .descriptor = {wgmma_descriptor_pack(&a), wgmma_descriptor_pack(&b)}, .shared = &shared, .scale_d = 1};
    ck_assert_int_eq(wgmma_execute(wgmma, &operands, d, NULL), RULE_OK);
}

static void expect_product(uint32_t *d)
{
    for (int i = 0; i < 3; i++)
        multiply(&(struct wgmma){.types = WGMMA_F32_BF16_BF16, .n = 8, .negate = {0, i == 1}}, d);
}

static bool is_product(const uint32_t *d)
{
    for (uint32_t t = 0; t < WGMMA_THREADS; t++)
        for (uint32_t r = 0; r < 4; r++)
            if (memory.out[4 * t + r] != d[WGMMA_THREADS * r + t]) return false;
    return true;
}

#define WAITED "wgmma.wait_group.sync.aligned 0;\n" OUT("f32", D)
static void check_product(const char *ptx, int policy)
{
    uint32_t d[4 * WGMMA_THREADS] = {0};
    struct machine_outcome outcome = run_kernel(ptx, WGMMA_THREADS, (enum machine_policy)policy);
    check_done(&outcome);
    expect_product(d);
    ck_assert(is_product(d));
}

LOOP_TEST(WGMMA_WAIT__a_product_is_there_behind_its_wait, 0, POLICIES)
{
    check_product(KERNEL DESCRIPTORS ZERO PRODUCT WAITED, _i);
}

// Half of the lanes come to each instruction behind the others.
#define PART(n) "@%p1 bra P" n ";\nnanosleep.u32 20;\nP" n ":\n"
#define PARTED_PRODUCT                                                                                                 \
    "setp.ne.u32 %p3, 1, 0;\nand.b32 %r6, %r1, 1;\nsetp.ne.u32 %p1, %r6, 0;\n" PART(                                   \
        "0") "wgmma.fence.sync.aligned;\n" PART("1") THREE PART("2") "wgmma.commit_group.sync.aligned;\n" PART("3")

LOOP_TEST(WGMMA_WAIT__lanes_that_come_later_are_waited_for, 0, POLICIES)
{
    check_product(KERNEL DESCRIPTORS ZERO PARTED_PRODUCT WAITED, _i);
}

// ptxas copies such a register before, and moves the last part of D into it behind.
LOOP_TEST(WGMMA__a_register_that_D_names_twice_begins_as_it_was_and_ends_as_the_last, 0, POLICIES)
{
    uint32_t d[8 * WGMMA_THREADS] = {0};
    struct machine_outcome outcome =
        run_kernel(KERNEL DESCRIPTORS ZERO
                   "mov.f32 %f5, %f1;\nmov.f32 %f6, %f1;\nmov.f32 %f7, %f1;\nsetp.ne.u32 %p3, 1, 0;\n" MULTIPLY(
                       "16", D ", %f1, %f5, %f6, %f7", "1") "wgmma.commit_group.sync.aligned;\n" WAITED,
                   WGMMA_THREADS, (enum machine_policy)_i);
    check_done(&outcome);
    multiply(&(struct wgmma){.types = WGMMA_F32_BF16_BF16, .n = 16}, d);
    for (uint32_t i = 0; i < 4 * WGMMA_THREADS; i++)
        ck_assert_uint_eq(memory.out[i], d[WGMMA_THREADS * (i % 4 == 0 ? 4 : i % 4) + i / 4]);
}

// ldmatrix, movmatrix and mma, whose lanes come together (PART is nothing) or not.
#define MATRICES(p0, p1, p2)                                                                                           \
    "and.b32 %r6, %r1, 1;\nsetp.ne.u32 %p1, %r6, 0;\nmad.lo.u32 %r5, %r1, 16, %r2;\n" p0                               \
    "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, %r12, %r13}, [%r5];\n" p1                                   \
    "movmatrix.sync.aligned.m8n8.trans.b16 %r14, %r13;\n" p2                                                           \
    "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f1, %f2, %f3, %f4}, {%r10, %r11, %r12, %r13}, {%r14, "      \
    "%r11}, {%f1, %f2, %f3, %f4};\n" OUT("f32", D)

TEST(MATRIX__lanes_that_come_later_are_waited_for)
{
    static uint32_t together[OUT_WORDS];
    struct machine_outcome outcome = run_kernel(KERNEL ZERO MATRICES("", "", ""), 32, MACHINE_DEFAULT);
    check_done(&outcome);
    memcpy(together, memory.out, sizeof together);
    ck_assert_uint_ne(together[0], 0);
    outcome = run_kernel(KERNEL ZERO MATRICES(PART("0"), PART("1"), PART("2")), 32, MACHINE_DEFAULT);
    check_done(&outcome);
    ck_assert_int_eq(memcmp(together, memory.out, sizeof together), 0);
}

TEST(WGMMA_WAIT__without_it_registers_are_stale)
{
    uint32_t d[4 * WGMMA_THREADS] = {0};
    struct machine_outcome outcome =
        run_kernel(KERNEL DESCRIPTORS ZERO PRODUCT OUT("f32", D), WGMMA_THREADS, MACHINE_LATE);
    check_done(&outcome);
    expect_product(d);
    ck_assert(!is_product(d));
}

// --- mma.sync and matrices -------------------------------------------------------------------------------------------

// Registers r8 .. r13 of a lane are its words of the tile.
#define WORDS                                                                                                          \
    "add.u32 %r6, %r2, %r4;\nld.shared.v4.u32 {%r8, %r9, %r10, %r11}, [%r6];\n"                                        \
    "ld.shared.v2.u32 {%r12, %r13}, [%r6+512];\n"

TEST(MMA__is_the_model_s_product)
{
    uint32_t a[4 * 32], b[2 * 32], d[4 * 32] = {0};
    struct machine_outcome outcome =
        run_kernel(KERNEL WORDS ZERO "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%f1, %f2, %f3, %f4}, "
                                     "{%r8, %r9, %r10, %r11}, {%r12, %r13}, {%f1, %f2, %f3, %f4};\n" OUT("f32", D),
                   32, MACHINE_DEFAULT);
    check_done(&outcome);
    for (uint32_t t = 0; t < 32; t++) {
        for (uint32_t r = 0; r < 4; r++) a[32 * r + t] = memory.in[4 * t + r];
        for (uint32_t r = 0; r < 2; r++) b[32 * r + t] = memory.in[128 + 4 * t + r];
    }
    mma_execute(mma_find("m16n8k16.f32.bf16.bf16"), a, b, d, NULL);
    for (uint32_t t = 0; t < 32; t++)
        for (uint32_t r = 0; r < 4; r++) ck_assert_uint_eq(memory.out[4 * t + r], d[32 * r + t]);
}

TEST(MATRIX__ldmatrix_is_the_model_s_and_movmatrix_its_transpose)
{
    uint32_t rows[MATRIX_LANES], plain[4][MATRIX_LANES], turned[4][MATRIX_LANES];
    const struct memory shared = {(uint8_t *)memory.in, TILE_AT, TILE_BYTES};
    struct machine_outcome outcome =
        run_kernel(KERNEL "add.u32 %r6, %r2, %r4;\n"
                          "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r8, %r9, %r10, %r11}, [%r6];\n"
                          "movmatrix.sync.aligned.m8n8.trans.b16 %r11, %r10;\n" OUT("u32", "%r8, %r9, %r10, %r11"),
                   32, MACHINE_DEFAULT);
    check_done(&outcome);
    for (uint32_t t = 0; t < 32; t++) rows[t] = TILE_AT + 16 * t;
    matrix_load(&shared, rows, 4, 0, plain, NULL);
    matrix_load(&shared, rows, 4, 1, turned, NULL);
    for (uint32_t t = 0; t < 32; t++) {
        for (uint32_t r = 0; r < 3; r++) ck_assert_uint_eq(memory.out[4 * t + r], plain[r][t]);
        ck_assert_uint_eq(memory.out[4 * t + 3], turned[2][t]);
    }
}

TEST(MATRIX__stmatrix_puts_back_what_ldmatrix_took)
{
    struct machine_outcome outcome =
        run_kernel(KERNEL "add.u32 %r6, %r2, %r4;\n"
                          "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r8, %r9}, [%r6];\n"
                          "stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%r6+1024], {%r8, %r9};\n"
                          "ld.shared.v4.u32 {%r8, %r9, %r10, %r11}, [%r6+1024];\n" OUT("u32", "%r8, %r9, %r10, %r11"),
                   32, MACHINE_DEFAULT);
    check_done(&outcome);
    ck_assert_int_eq(memcmp(memory.out, memory.in, 256), 0);
}

// --- wmma ------------------------------------------------------------------------------------------------------------

enum { WMMA_STRIDE = 32, WMMA_B_AT = 2048, WMMA_K = 16 };

// Registers of A and B for the shapes of wmma_shapes[].
static const struct {
    const char *type, *types, *of_d;
    enum number_format format;
    int bytes, a[3], b[3];
} wmma_types[] = {
    {"f16", "f32.f32", "f32", NUMBER_F16, 2, {8, 8, 8}, {8, 8, 8}},
    {"bf16", "f32.bf16.bf16.f32", "f32", NUMBER_BF16, 2, {4, 8, 2}, {4, 2, 8}},
    {"s8", "s32.s8.s8.s32", "s32", NUMBER_S8, 1, {2, 4, 1}, {2, 1, 4}},
    {"u8", "s32.u8.u8.s32", "s32", NUMBER_U8, 1, {2, 4, 1}, {2, 1, 4}},
};
static const struct {
    const char *name;
    int m, n;
} wmma_shapes[] = {{"m16n16k16", 16, 16}, {"m32n8k16", 32, 8}, {"m8n32k16", 8, 32}};
enum { WMMA_TYPES = 4, WMMA_SHAPES = 3, WMMA_CASES = 2 * WMMA_TYPES * WMMA_SHAPES };

// "{%a0, %a1}"
static const char *registers_of(char name, int count, char *text)
{
    char *at = text;
    for (int i = 0; i < count; i++) at += sprintf(at, "%s%%%c%d", i == 0 ? "{" : ", ", name, i);
    strcpy(at, "}");
    return text;
}

static void wmma_kernel(int type, int shape, const char *of_a, const char *of_b, char *text, size_t bytes)
{
    const char *name = wmma_shapes[shape].name, *element = wmma_types[type].type, *of_d = wmma_types[type].of_d;
    char a[80], b[80], d[80];
    registers_of('a', wmma_types[type].a[shape], a);
    registers_of('b', wmma_types[type].b[shape], b);
    registers_of('d', 8, d);
    snprintf(text, bytes,
             HEAD ".visible .entry k(.param .u64 from, .param .u64 to)\n{\n"
                  ".reg .b32 %%a<8>, %%b<8>, %%d<8>;\n.reg .b64 %%rd<4>;\n"
                  "ld.param.u64 %%rd1, [from];\nld.param.u64 %%rd2, [to];\n"
                  "wmma.load.a.sync.aligned.%s.%s.global.%s %s, [%%rd1], 32;\n"
                  "wmma.load.b.sync.aligned.%s.%s.%s %s, [%%rd1+2048], 32;\n"
                  "wmma.load.c.sync.aligned.%s.%s.global.%s %s, [%%rd2], 32;\n"
                  "wmma.mma.sync.aligned.%s.%s.%s.%s %s, %s, %s, %s;\n"
                  "wmma.store.d.sync.aligned.%s.%s.global.%s [%%rd2], %s, 32;\nret;\n}\n",
             of_a, name, element, a, of_b, name, element, b, of_a, name, of_d, d, of_a, of_b, name,
             wmma_types[type].types, d, a, b, d, of_a, name, of_d, d);
}

static double half_value(uint16_t bits)
{
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double size = exponent == 0 ? ldexp(fraction, -24) : ldexp(1024 + fraction, exponent - 25);
    return bits >> 15 ? -size : size;
}

// Element `fast` of line `slow` of a matrix in `in`, from `at` on.
static double wmma_element(int type, int at, int slow, int fast)
{
    const int bytes = wmma_types[type].bytes;
    uint64_t bits = 0;
    memcpy(&bits, (const uint8_t *)memory.in + at + (slow * WMMA_STRIDE + fast) * bytes, (size_t)bytes);
    if (wmma_types[type].format == NUMBER_S8) return (int8_t)bits;
    if (wmma_types[type].format == NUMBER_U8) return (double)bits;
    const int fraction = wmma_types[type].format == NUMBER_F16 ? 10 : 7;
    const int bias = fraction == 10 ? 15 : 127, exponent = (int)(bits >> fraction) & (fraction == 10 ? 31 : 255);
    const double size = ldexp(1 + (double)(bits & ((1u << fraction) - 1)) / (1 << fraction), exponent - bias);
    return bits >> 15 ? -size : size;
}

LOOP_TEST(MMA__wmma_is_the_product_of_the_matrices, 0, WMMA_CASES)
{
    const int type = _i % WMMA_TYPES, shape = _i / WMMA_TYPES % WMMA_SHAPES;
    const bool is_row = _i / WMMA_TYPES / WMMA_SHAPES;
    const char *of_a = is_row ? "row" : "col", *of_b = is_row ? "col" : "row";
    char text[2048];
    wmma_kernel(type, shape, of_a, of_b, text, sizeof text);
    struct machine_outcome outcome = run_kernel(text, 32, MACHINE_DEFAULT);
    check_done(&outcome);
    for (int m = 0; m < wmma_shapes[shape].m; m++)
        for (int n = 0; n < wmma_shapes[shape].n; n++) {
            double sum = 0;
            for (int k = 0; k < WMMA_K; k++)
                sum += wmma_element(type, 0, is_row ? m : k, is_row ? k : m) *
                       wmma_element(type, WMMA_B_AT, is_row ? n : k, is_row ? k : n);
            const uint32_t got = memory.out[(is_row ? m : n) * WMMA_STRIDE + (is_row ? n : m)];
            float single;
            memcpy(&single, &got, sizeof single);
            ck_assert_msg(fabs((type < 2 ? single : (double)(int32_t)got) - sum) <= (type == 0 ? 0x1p-14 : 0),
                          "%s %s (%d, %d)", wmma_shapes[shape].name, wmma_types[type].type, m, n);
        }
}

// The lanes of a block of 16 threads load and store their own fragments of C, and those which are not there nothing.
TEST(MMA__wmma_moves_only_what_lanes_have)
{
    uint32_t moved = 0;
    struct machine_outcome outcome =
        run_kernel(HEAD ".visible .entry k(.param .u64 from, .param .u64 to)\n{\n.reg .b64 %rd<4>;\n.reg .b32 %d<8>;\n"
                        "ld.param.u64 %rd1, [from];\nld.param.u64 %rd2, [to];\n"
                        "wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {%d0, %d1, %d2, %d3, %d4, %d5, %d6, %d7}, "
                        "[%rd1];\nwmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%rd2], {%d0, %d1, %d2, %d3, %d4, "
                        "%d5, %d6, %d7};\nret;\n}\n",
                   16, MACHINE_DEFAULT);
    check_done(&outcome);
    for (int i = 0; i < OUT_WORDS; i++) {
        if (memory.out[i] != 0) ck_assert_uint_eq(memory.out[i], memory.in[i]);
        moved += memory.out[i] != 0;
    }
    ck_assert_uint_eq(moved, 16 * 8);
}

// Every type of a fragment has a form of mma.sync whose tiles it is made of.
static const char *const wmma_others[] = {
    "wmma.load.a.sync.aligned.row.m16n16k8.global.tf32 {%d0, %d1, %d2, %d3}, [%rd1];\n",
    "wmma.load.b.sync.aligned.col.m8n8k4.global.f64 {%q0}, [%rd1];\n",
    "wmma.load.c.sync.aligned.row.m16n16k8.global.f32 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, [%rd1];\n",
    "wmma.store.d.sync.aligned.row.m8n32k16.global.f16 [%rd1], {%d0, %d1, %d2, %d3};\n",
    "wmma.store.d.sync.aligned.row.m8n8k4.global.f64 [%rd1], {%q0, %q1};\n",
    "wmma.mma.sync.aligned.row.col.m16n16k8.f32.tf32.tf32.f32 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, "
    "{%d0, %d1, %d2, %d3}, {%d0, %d1, %d2, %d3}, {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7};\n",
    "wmma.mma.sync.aligned.row.col.m8n8k4.f64.f64.f64.f64 {%q0, %q1}, {%q0}, {%q1}, {%q0, %q1};\n",
    "wmma.mma.sync.aligned.row.col.m32n8k16.s32.u8.u8.s32.satfinite {%d0, %d1, %d2, %d3, %d4, %d5, %d6, %d7}, "
    "{%d0, %d1, %d2, %d3}, {%d0}, {%d0, %d1, %d2, %d3, %d4, %d5, %d6, %d7};\n",
    "wmma.mma.sync.aligned.row.col.m8n32k16.f16.f16 {%d0, %d1, %d2, %d3}, {%d0, %d1, %d2, %d3, %d4, %d5, %d6, %d7}, "
    "{%d0, %d1, %d2, %d3, %d4, %d5, %d6, %d7}, {%d0, %d1, %d2, %d3};\n",
};

LOOP_TEST(MMA__wmma_has_tiles_for_every_type, 0, ROWS_OF(wmma_others))
{
    char text[2048];
    snprintf(text, sizeof text,
             HEAD ".visible .entry k(.param .u64 from, .param .u64 to)\n{\n.reg .b64 %%rd<4>;\n.reg .b32 %%d<8>;\n"
                  ".reg .f32 %%f<8>;\n.reg .f64 %%q<2>;\nld.param.u64 %%rd1, [from];\n%sret;\n}\n",
             wmma_others[_i]);
    struct machine_outcome outcome = run_kernel(text, 32, MACHINE_DEFAULT);
    check_done(&outcome);
}

// Of 4 bits and of 1 bit: A from row 0 on, B from 2048, with lines of 32 bytes; C is 0.
static const struct {
    const char *type, *product;
    int bits, k;
} wmma_narrow[] = {
    {"s4", "wmma.mma.sync.aligned.row.col.m8n8k32.s32.s4.s4.s32", 4, 32},
    {"u4", "wmma.mma.sync.aligned.row.col.m8n8k32.s32.u4.u4.s32.satfinite", 4, 32},
    {"b1", "wmma.mma.xor.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32", 1, 128},
    {"b1", "wmma.mma.and.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32", 1, 128},
};
enum { NARROW_LINE = 32 };

static int narrow_element(int type, int at, int line, int k)
{
    const uint8_t *bytes = (const uint8_t *)memory.in + at + line * NARROW_LINE;
    const int bits = wmma_narrow[type].bits, value = bytes[k * bits / 8] >> k * bits % 8 & ((1 << bits) - 1);
    return wmma_narrow[type].type[0] == 's' && value > 7 ? value - 16 : value;
}

LOOP_TEST(MMA__wmma_of_less_than_a_byte_is_the_product, 0, ROWS_OF(wmma_narrow))
{
    const int k = wmma_narrow[_i].k, stride = NARROW_LINE * 8 / wmma_narrow[_i].bits;
    const bool is_xor = _i == 2;
    char text[2048];
    snprintf(text, sizeof text,
             HEAD ".visible .entry k(.param .u64 from, .param .u64 to)\n{\n.reg .b32 %%r<8>;\n.reg .b64 %%rd<4>;\n"
                  "ld.param.u64 %%rd1, [from];\nld.param.u64 %%rd2, [to];\n"
                  "wmma.load.a.sync.aligned.row.m8n8k%d.global.%s {%%r0}, [%%rd1], %d;\n"
                  "wmma.load.b.sync.aligned.col.m8n8k%d.%s {%%r1}, [%%rd1+2048], %d;\n"
                  "wmma.load.c.sync.aligned.row.m8n8k%d.global.s32 {%%r2, %%r3}, [%%rd2];\n"
                  "%s {%%r4, %%r5}, {%%r0}, {%%r1}, {%%r2, %%r3};\n"
                  "wmma.store.d.sync.aligned.col.m8n8k%d.s32 [%%rd2], {%%r4, %%r5}, 8;\nret;\n}\n",
             k, wmma_narrow[_i].type, stride, k, wmma_narrow[_i].type, stride, k, wmma_narrow[_i].product, k);
    struct machine_outcome outcome = run_kernel(text, 32, MACHINE_DEFAULT);
    check_done(&outcome);
    for (int m = 0; m < 8; m++)
        for (int n = 0; n < 8; n++) {
            int sum = 0;
            for (int i = 0; i < k; i++) {
                const int a = narrow_element(_i, 0, m, i), b = narrow_element(_i, WMMA_B_AT, n, i);
                sum += is_xor ? a ^ b : a * b;
            }
            ck_assert_msg((int)memory.out[n * 8 + m] == sum, "%s (%d, %d): %d, not %d", wmma_narrow[_i].product, m, n,
                          (int)memory.out[n * 8 + m], sum);
        }
}

// C and D of different types give what D of f32 gives, with C made wider, or D narrower.
TEST(MMA__wmma_mixes_the_types_of_c_and_d)
{
    struct machine_outcome outcome = run_kernel(
        HEAD ".visible .entry k(.param .u64 from, .param .u64 to)\n{\n.reg .b32 %a<8>, %b<8>, %c<8>, %d<8>;\n"
             ".reg .b64 %rd<4>;\nld.param.u64 %rd1, [from];\nld.param.u64 %rd2, [to];\n"
             "wmma.load.a.sync.aligned.row.m32n8k16.f16 {%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7}, [%rd1];\n"
             "wmma.load.b.sync.aligned.row.m32n8k16.f16 {%b0, %b1, %b2, %b3, %b4, %b5, %b6, %b7}, [%rd1+1024];\n"
             "wmma.load.c.sync.aligned.row.m32n8k16.f16 {%c0, %c1, %c2, %c3}, [%rd1+2048];\n"
             "wmma.mma.sync.aligned.row.row.m32n8k16.f32.f16 {%d0, %d1, %d2, %d3, %d4, %d5, %d6, %d7}, "
             "{%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7}, {%b0, %b1, %b2, %b3, %b4, %b5, %b6, %b7}, "
             "{%c0, %c1, %c2, %c3};\n"
             "wmma.store.d.sync.aligned.row.m32n8k16.f32 [%rd2], {%d0, %d1, %d2, %d3, %d4, %d5, %d6, %d7};\n"
             "wmma.load.c.sync.aligned.row.m32n8k16.f32 {%c0, %c1, %c2, %c3, %c4, %c5, %c6, %c7}, [%rd1+2048];\n"
             "wmma.mma.sync.aligned.row.row.m32n8k16.f32.f32 {%d0, %d1, %d2, %d3, %d4, %d5, %d6, %d7}, "
             "{%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7}, {%b0, %b1, %b2, %b3, %b4, %b5, %b6, %b7}, "
             "{%c0, %c1, %c2, %c3, %c4, %c5, %c6, %c7};\n"
             "wmma.store.d.sync.aligned.row.m32n8k16.f32 [%rd2+1024], {%d0, %d1, %d2, %d3, %d4, %d5, %d6, %d7};\n"
             "wmma.mma.sync.aligned.row.row.m32n8k16.f16.f32 {%d0, %d1, %d2, %d3}, "
             "{%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7}, {%b0, %b1, %b2, %b3, %b4, %b5, %b6, %b7}, "
             "{%c0, %c1, %c2, %c3, %c4, %c5, %c6, %c7};\n"
             "wmma.store.d.sync.aligned.row.m32n8k16.f16 [%rd2+2048], {%d0, %d1, %d2, %d3};\nret;\n}\n",
        32, MACHINE_DEFAULT);
    check_done(&outcome);
    const uint16_t *of_c = (const uint16_t *)memory.in + 1024, *narrow = (const uint16_t *)memory.out + 1024;
    for (int i = 0; i < 256; i++) {
        double sum = 0;
        for (int k = 0; k < 16; k++)
            sum += half_value(((const uint16_t *)memory.in)[i / 8 * 16 + k]) *
                   half_value(((const uint16_t *)memory.in)[512 + k * 8 + i % 8]);
        float wide;
        memcpy(&wide, &memory.out[i], sizeof wide);
        ck_assert_msg(fabs(wide - (sum + half_value(of_c[i]))) <= 0x1p-10, "element %d on C of f16: %g", i, wide);
        ck_assert_uint_eq(narrow[i], number_round(NUMBER_F16, memory.out[256 + i]));
    }
}

TEST(MMA__wmma_beside_memory_is_a_fault)
{
    struct machine_outcome outcome = run_kernel(
        HEAD ".visible .entry k(.param .u64 from, .param .u64 to)\n{\n.reg .b32 %d<8>;\n"
             "mov.u32 %d0, 300000;\n"
             "wmma.load.c.sync.aligned.row.m16n16k16.shared.f32 {%d0, %d1, %d2, %d3, %d4, %d5, %d6, %d7}, [%d0];\n"
             "ret;\n}\n",
        32, MACHINE_DEFAULT);
    ck_assert_int_eq(outcome.kind, MACHINE_FAULTED);
}
