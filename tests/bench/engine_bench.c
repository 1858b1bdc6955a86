// SPDX-License-Identifier: MIT
// What the PTX machine adds to the model on one core, in the same run: a kernel that loads tiles against memcpy of the
// same rows, and against the model's own loads; a kernel of wgmma against the model's own calls; one of mma.sync
// against a product of floats in C. And how long a large module takes to load.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "machine.h"
#include "pair.h"
#include "plain_c.h"
#include "tmaref.h"
#include "wgmma.h"

enum { ROUNDS = 9, COLUMNS = 4096, ROWS = 4096, BOX_COLUMNS = 64, BOX_ROWS = 128, TILE_BYTES = 16384 };
enum { PRODUCTS = 400, N = 128, D_REGISTERS = N / 2, FACTOR_WORDS = 2048, FACTORS_AT = 1024, B_AT = 2048 };
enum { MMAS = 4000, M = PLAIN_ROWS, COLUMNS_OF_D = PLAIN_COLUMNS, K = PLAIN_ROWS, MMA_D = 4 };
enum { ENTRIES = 100, LINES = 2400, LINE_BYTES = 64 };
#define SOURCE_BYTES ((size_t)COLUMNS * ROWS * 2)

#define HEAD ".version 8.6\n.target sm_90a\n.address_size 64\n"

// One thread, one tile at a time: the loop of a producer without a consumer.
#define LOADS                                                                                                          \
    HEAD ".visible .entry k(.param .align 64 .b8 map[128])\n{\n.reg .pred %p<2>;\n.reg .b32 %r<8>;\n"                  \
         ".reg .b64 %rd<2>;\n.shared .align 1024 .b8 tile[16384];\n.shared .align 8 .b64 bar;\n"                       \
         "mov.b64 %rd0, map;\ncvta.param.u64 %rd1, %rd0;\nmov.u32 %r0, tile;\nmov.u32 %r1, bar;\n"                     \
         "mbarrier.init.shared.b64 [%r1], 1;\nmov.u32 %r3, 0;\nmov.u32 %r4, 0;\nY:\nmov.u32 %r2, 0;\nX:\n"             \
         "mbarrier.arrive.expect_tx.shared.b64 _, [%r1], 16384;\n"                                                     \
         "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r0], [%rd1, {%r2, %r3}], "     \
         "[%r1];\nW:\nmbarrier.try_wait.parity.shared.b64 %p0, [%r1], %r4;\n@!%p0 bra W;\nxor.b32 %r4, %r4, 1;\n"      \
         "add.u32 %r2, %r2, 64;\nsetp.lt.u32 %p1, %r2, 4096;\n@%p1 bra X;\n"                                           \
         "add.u32 %r3, %r3, 128;\nsetp.lt.u32 %p1, %r3, 4096;\n@%p1 bra Y;\nret;\n}\n"

// A warpgroup: fills A and B, multiplies four at a time, and gives the first register of D.
#define MULTIPLY_HEAD                                                                                                  \
    HEAD ".visible .entry k(.param .u64 out)\n{\n.reg .pred %p<2>;\n.reg .b32 %r<8>;\n.reg .f32 %f<64>;\n"             \
         ".reg .b64 %rd<8>;\n.shared .align 1024 .b8 factors[8192];\nld.param.u64 %rd0, [out];\nmov.u32 %r0, "         \
         "%tid.x;\nmov.u32 %r1, factors;\nmov.u32 %r2, %r0;\nF:\nmul.lo.u32 %r3, %r2, 2654435761;\n"                   \
         "and.b32 %r3, %r3, 0x80ff80ff;\nadd.u32 %r3, %r3, 0x3f003f00;\nshl.b32 %r4, %r2, 2;\n"                        \
         "add.u32 %r4, %r4, %r1;\nst.shared.u32 [%r4], %r3;\nadd.u32 %r2, %r2, 128;\nsetp.lt.u32 %p0, %r2, 2048;\n"    \
         "@%p0 bra F;\nfence.proxy.async;\nbar.sync 0;\nshr.u32 %r5, %r1, 4;\ncvt.u64.u32 %rd5, %r5;\n"                \
         "add.u64 %rd6, %rd5, 0x1000080000;\nadd.u64 %rd7, %rd6, 128;\nmov.u32 %r6, 0;\nsetp.eq.u32 %p1, %r6, 0;\n"
#define MULTIPLY_TAIL                                                                                                  \
    "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\nadd.u32 %r6, %r6, 4;\n"                       \
    "setp.lt.u32 %p0, %r6, 400;\n@%p0 bra L;\nmul.wide.u32 %rd1, %r0, 4;\nadd.u64 %rd1, %rd0, %rd1;\n"                 \
    "st.global.f32 [%rd1], %f0;\nret;\n}\n"

// A warp: A and B from memory, four products a turn, each with a D of its own; gives the first D.
#define MMA_HEAD                                                                                                       \
    HEAD ".visible .entry k(.param .u64 out)\n{\n.reg .pred %p0;\n.reg .b32 %r<9>;\n.reg .f32 %f<16>;\n"               \
         ".reg .b64 %rd<2>;\nld.param.u64 %rd0, [out];\nmov.u32 %r0, %tid.x;\nmul.wide.u32 %rd1, %r0, 4;\n"            \
         "add.u64 %rd1, %rd0, %rd1;\nmov.u32 %r8, 0;\n"
#define MMA_TAIL                                                                                                       \
    "add.u32 %r8, %r8, 4;\nsetp.lt.u32 %p0, %r8, 4000;\n@%p0 bra L;\n"                                                 \
    "st.global.f32 [%rd1], %f0;\nst.global.f32 [%rd1+128], %f1;\nst.global.f32 [%rd1+256], %f2;\n"                     \
    "st.global.f32 [%rd1+384], %f3;\nret;\n}\n"

struct bench {
    struct machine_module *loads, *multiply, *mma;
    uint32_t words[6 * 32]; // registers of A and B of a warp, and then of D
    struct plain_product product;
    struct tensormap_image image;
    struct tensormap map;
    uint8_t *source, tile[TILE_BYTES];
    uint32_t out[WGMMA_THREADS], d[D_REGISTERS * WGMMA_THREADS], factors[FACTOR_WORDS];
};

static void expect(bool is_right, const char *what)
{
    if (is_right) return;
    fprintf(stderr, "%s\n", what);
    exit(1);
}

static struct machine_module *open_module(const char *text)
{
    struct ptx_errors errors;
    struct machine_module *module = machine_module_open(text, strlen(text), &errors);
    expect(module != NULL, module == NULL ? errors.item[0].message : "");
    return module;
}

static void run(struct machine_module *module, uint32_t threads, const void *parameters, void *bytes, size_t size_bytes)
{
    static struct machine_outcome outcome;
    const struct region region = {{bytes, (uint64_t)(uintptr_t)bytes, size_bytes}, 0};
    const struct global_memory global = {&region, 1};
    const struct machine_launch launch = {.module = module,
                                          .kernel = machine_module_kernel(module, "k"),
                                          .grid = {1, 1, 1},
                                          .block = {threads, 1, 1},
                                          .parameters = parameters,
                                          .global = &global};
    expect(machine_run(&launch, &outcome), outcome.message);
}

// --- Tiles -----------------------------------------------------------------------------------------------------------

static void machine_loads(void *context)
{
    struct bench *bench = context;
    run(bench->loads, 1, &bench->image, bench->source, SOURCE_BYTES);
}

static void memcpy_rows(void *context)
{
    struct bench *bench = context;
    for (size_t y = 0; y < ROWS; y += BOX_ROWS)
        for (size_t x = 0; x < COLUMNS; x += BOX_COLUMNS) {
            for (size_t row = 0; row < BOX_ROWS; row++)
                memcpy(bench->tile + row * BOX_COLUMNS * 2, bench->source + ((y + row) * COLUMNS + x) * 2,
                       BOX_COLUMNS * 2);
            __asm__ volatile("" : : "r"(bench->tile) : "memory");
        }
}

static void model_loads(void *context)
{
    struct bench *bench = context;
    const struct memory global = {bench->source, (uint64_t)(uintptr_t)bench->source, SOURCE_BYTES};
    const struct memory shared = {bench->tile, 0, TILE_BYTES};
    uint32_t transaction_bytes;
    for (int32_t y = 0; y < ROWS; y += BOX_ROWS)
        for (int32_t x = 0; x < COLUMNS; x += BOX_COLUMNS) {
            const int32_t coord[] = {x, y};
            expect(tile_load(&bench->map, 2, coord, &global, &shared, 0, &transaction_bytes, NULL) == RULE_OK,
                   "a tile");
        }
}

static void make_map(struct bench *bench)
{
    const uint32_t estride[] = {1, 1}, box[] = {BOX_COLUMNS, BOX_ROWS};
    const uint64_t dim[] = {COLUMNS, ROWS}, strides[] = {COLUMNS * 2};
    expect(tensormap_encode_tiled(&bench->image, DTYPE_FLOAT16, 2, (uint64_t)(uintptr_t)bench->source, dim, strides,
                                  box, estride, INTERLEAVE_NONE, SWIZZLE_128B, L2_PROMOTION_NONE, OOB_FILL_ZERO,
                                  NULL) == RULE_OK,
           "a tensor map");
    tensormap_decode(&bench->image, &bench->map, NULL);
}

// --- Products --------------------------------------------------------------------------------------------------------

static struct machine_module *open_multiply(void)
{
    static char text[1 << 16];
    char *at = text + sprintf(text, "%s", MULTIPLY_HEAD);
    for (int r = 0; r < D_REGISTERS; r++) at += sprintf(at, "mov.f32 %%f%d, 0f00000000;\n", r);
    at += sprintf(at, "L:\nwgmma.fence.sync.aligned;\n");
    for (int i = 0; i < 4; i++) {
        at += sprintf(at, "wgmma.mma_async.sync.aligned.m64n%dk16.f32.bf16.bf16 {%%f0", N);
        for (int r = 1; r < D_REGISTERS; r++) at += sprintf(at, ", %%f%d", r);
        at += sprintf(at, "}, %%rd6, %%rd7, %%p1, 1, 1, 0, 0;\n");
    }
    sprintf(at, "%s", MULTIPLY_TAIL);
    return open_module(text);
}

static void machine_multiply(void *context)
{
    struct bench *bench = context;
    const uint64_t out = (uint64_t)(uintptr_t)bench->out;
    run(bench->multiply, WGMMA_THREADS, &out, bench->out, sizeof bench->out);
}

// The bits of factors are those of `mask`, above `base`. `scale_d`: 0, each product begins with zeros.
static void multiply_all(struct bench *bench, uint32_t base, uint32_t mask, int scale_d)
{
    const struct memory shared = {(uint8_t *)bench->factors, FACTORS_AT, sizeof bench->factors};
    const struct wgmma_descriptor a = {FACTORS_AT, 128, 256, 0, WGMMA_SWIZZLE_NONE};
    struct wgmma_descriptor b = a;
    b.start_bytes += B_AT;
    const struct wgmma wgmma = {.types = WGMMA_F32_BF16_BF16, .n = N};
    const struct wgmma_operands operands = {
        .descriptor = {wgmma_descriptor_pack(&a), wgmma_descriptor_pack(&b)}, .shared = &shared, .scale_d = scale_d};
    for (uint32_t i = 0; i < FACTOR_WORDS; i++) bench->factors[i] = base + (i * 2654435761u & mask);
    memset(bench->d, 0, sizeof bench->d);
    for (int i = 0; i < PRODUCTS; i++) expect(wgmma_execute(&wgmma, &operands, bench->d, NULL) == RULE_OK, "a product");
}

enum { AT_ONE = 0x3f003f00, AT_LEAST = 0x30003000 };
#define NEAR_ONE UINT32_C(0x80ff80ff) // signs, fractions, and the last bit of exponents
#define TO_LIMIT UINT32_C(0xbf7fbf7f) // signs, fractions, exponents up to 95: nothing becomes subnormal

static void model_multiply(void *context)
{
    multiply_all(context, AT_ONE, NEAR_ONE, 1);
}

static void model_multiply_usual(void *context)
{
    multiply_all(context, AT_ONE, NEAR_ONE, 0);
}

// Few sums have an exponent that one power of two aligns.
static void model_multiply_extreme(void *context)
{
    multiply_all(context, AT_LEAST, TO_LIMIT, 0);
}

// --- mma.sync --------------------------------------------------------------------------------------------------------

static struct machine_module *open_mma(void)
{
    static char text[1 << 14];
    char *at = text + sprintf(text, "%s", MMA_HEAD);
    for (int r = 0; r < 6; r++) at += sprintf(at, "ld.global.b32 %%r%d, [%%rd1+%d];\n", r, 128 * r);
    for (int r = 0; r < 4 * MMA_D; r++) at += sprintf(at, "mov.f32 %%f%d, 0f00000000;\n", r);
    at += sprintf(at, "L:\n");
    for (int r = 0; r < 4 * MMA_D; r += MMA_D)
        at += sprintf(
            at,
            "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%%f%d,%%f%d,%%f%d,%%f%d}, {%%r0,%%r1,%%r2,%%r3}, "
            "{%%r4,%%r5}, {%%f%d,%%f%d,%%f%d,%%f%d};\n",
            r, r + 1, r + 2, r + 3, r, r + 1, r + 2, r + 3);
    sprintf(at, "%s", MMA_TAIL);
    return open_module(text);
}

// Small whole numbers, of which f32 holds every sum.
static float number_of(int i)
{
    return (float)(i * 7 % 5 - 2);
}

static uint32_t bf16_pair(float low, float high)
{
    uint32_t bits[2];
    memcpy(&bits[0], &low, sizeof low);
    memcpy(&bits[1], &high, sizeof high);
    return bits[0] >> 16 | (bits[1] & 0xffff0000);
}

// The fragments that docs/mma.md draws.
static void fill_mma(struct bench *bench)
{
    for (int i = 0; i < M * K; i++) bench->product.a[i / K][i % K] = number_of(i);
    for (int i = 0; i < K * COLUMNS_OF_D; i++)
        bench->product.b[i / COLUMNS_OF_D][i % COLUMNS_OF_D] = number_of(3 * i + 1);
    for (int i = 0; i < 6 * 32; i++) {
        const int lane = i % 32, r = i / 32, row = lane / 4 + 8 * (r % 2),
                  k = lane % 4 * 2 + (r < 4 ? r / 2 : r - 4) * 8;
        bench->words[i] = r < 4 ? bf16_pair(bench->product.a[row][k], bench->product.a[row][k + 1])
                                : bf16_pair(bench->product.b[k][lane / 4], bench->product.b[k + 1][lane / 4]);
    }
}

static void machine_mma(void *context)
{
    struct bench *bench = context;
    const uint64_t out = (uint64_t)(uintptr_t)bench->words;
    fill_mma(bench);
    run(bench->mma, 32, &out, bench->words, sizeof bench->words);
}

// As many products as the four D of the kernel take, into one: a quarter of them with their sum kept.
static void multiply_plainly(struct bench *bench, const struct plain_side *side)
{
    for (int part = 0; part < 4; part++) {
        memset(bench->product.c, 0, sizeof bench->product.c);
        for (int n = 0; n < MMAS / 4; n++) {
            side->multiply(&bench->product);
            __asm__ volatile("" : : "r"(&bench->product) : "memory");
        }
    }
}

static void c_mma(void *context)
{
    multiply_plainly(context, &plain_scalar);
}

static void c_mma_by_vectors(void *context)
{
    multiply_plainly(context, &plain_vectors);
}

static bool is_same_mma(const struct bench *bench)
{
    for (int i = 0; i < MMA_D * 32; i++) {
        const int lane = i % 32, r = i / 32;
        if (memcmp(&bench->words[i], &bench->product.c[lane / 4 + 8 * (r / 2)][lane % 4 * 2 + r % 2], sizeof(float)) !=
            0)
            return false;
    }
    return true;
}

// --- A large module --------------------------------------------------------------------------------------------------

static size_t write_entry(char *at, int number)
{
    char *begin = at;
    at += sprintf(at,
                  ".visible .entry k%d(.param .u64 out)\n{\n.reg .pred %%p<9>;\n.reg .b32 %%r<64>;\n"
                  ".reg .b64 %%rd<2>;\n.reg .f32 %%f<9>;\nld.param.u64 %%rd0, [out];\n",
                  number);
    for (int i = 0; i < LINES - 10; i += 5)
        at += sprintf(at,
                      "mad.lo.s32 %%r%d, %%r%d, %d, %%r%d;\nsetp.lt.u32 %%p%d, %%r%d, %%r1;\n@%%p%d add.f32 %%f1, "
                      "%%f2, %%f3;\nst.global.v2.u32 [%%rd0+%d], {%%r1, %%r2};\nxor.b32 %%r5, %%r%d, 0x%x;\n",
                      i % 60, i % 59, i, i % 61, i % 8, i % 50, i % 8, i * 8, i % 60, (unsigned)i);
    at += sprintf(at, "ret;\n}\n");
    return (size_t)(at - begin);
}

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double load_module(void)
{
    struct ptx_errors errors;
    struct machine_kernel_facts facts;
    char *text = malloc((size_t)ENTRIES * LINES * LINE_BYTES);
    expect(text != NULL, "no memory");
    size_t bytes = (size_t)sprintf(text, HEAD);
    for (int i = 0; i < ENTRIES; i++) bytes += write_entry(text + bytes, i);
    double start = cpu_seconds();
    struct machine_module *module = machine_module_open(text, bytes, &errors);
    expect(module != NULL, "a large module");
    double opened = cpu_seconds() - start;
    for (int i = 0; i < ENTRIES; i++) expect(machine_module_facts(module, i, &facts, &errors), "an entry");
    double all = cpu_seconds() - start;
    pair_tell_alone("a module of 240,000 lines", "module", 1e9 * opened);
    pair_tell_alone("the same, with all 100 entries decoded", "module", 1e9 * all);
    machine_module_close(module);
    free(text);
    return all;
}

// --- All -------------------------------------------------------------------------------------------------------------

static double measure_pair(struct bench *bench, const char *what, struct pair_side ours, struct pair_side theirs,
                           double units, const char *unit)
{
    return pair_measure(&(struct pair){.what = what,
                                       .ours = ours,
                                       .theirs = {theirs},
                                       .context = bench,
                                       .unit = unit,
                                       .units = units,
                                       .rounds = ROUNDS});
}

static bool measure(struct bench *bench)
{
    const struct pair_side tiles = {"machine", machine_loads}, rows = {"memcpy", memcpy_rows};
    const struct pair_side loads = {"model", model_loads}, products = {"machine", machine_multiply},
                           calls = {"model", model_multiply};
    double copied = measure_pair(bench, "tiles of f16, 128B swizzle", tiles, rows, (double)SOURCE_BYTES, "bytes");
    double loaded = measure_pair(bench, "the same", tiles, loads, (double)SOURCE_BYTES, "bytes");
    double multiplied = measure_pair(bench, "wgmma m64n128k16 f32.bf16.bf16", products, calls, PRODUCTS, "wgmma");
    expect(memcmp(bench->out, bench->d, sizeof bench->out) == 0, "wgmma: wrong results");
    const struct pair_side extreme = {"model", model_multiply_extreme}, usual = {"usual numbers", model_multiply_usual};
    double spread =
        measure_pair(bench, "the model's wgmma, exponents up to the limits", extreme, usual, PRODUCTS, "wgmma");
    double summed = pair_measure(&(struct pair){.what = "mma.sync m16n8k16 f32.bf16.bf16",
                                                .ours = {"machine", machine_mma},
                                                .theirs = {{"scalar C", c_mma}, {"C by vectors", c_mma_by_vectors}},
                                                .context = bench,
                                                .unit = "FLOP",
                                                .units = MMAS * 2.0 * M * COLUMNS_OF_D * K,
                                                .rounds = ROUNDS});
    expect(is_same_mma(bench), "mma.sync: wrong results");
    return copied >= 0.1 && loaded >= 0.2 && multiplied >= 0.2 && spread >= 0.03 && summed >= 0.1 && load_module() < 10;
}

int main(int argc, char **argv)
{
    pair_open(&argc, argv);
    struct bench *bench = calloc(1, sizeof *bench);
    if (bench == NULL || (bench->source = aligned_alloc(64, SOURCE_BYTES)) == NULL) return 1;
    for (size_t i = 0; i < SOURCE_BYTES; i++) bench->source[i] = (uint8_t)(i * 7 + (i >> 12));
    make_map(bench);
    bench->loads = open_module(LOADS);
    bench->multiply = open_multiply();
    bench->mma = open_mma();
    bool is_fast = measure(bench);
    pair_close();
    if (!is_fast) fprintf(stderr, "far slower than it was when this was written: docs/machine.md says how fast\n");
    machine_module_close(bench->loads);
    machine_module_close(bench->multiply);
    machine_module_close(bench->mma);
    free(bench->source);
    free(bench);
    return !is_fast;
}
