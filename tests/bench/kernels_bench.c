// SPDX-License-Identifier: MIT
// Whole kernels on the PTX machine against the same work in plain C on one core, in the same run (this file is compiled
// without vectors; memcpy is the C library's). The kernels are those of kernels.cu. Each row compares the results too.
// Arguments: names of rows; none: all.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "machine.h"
#include "pair.h"

enum { ROUNDS = 7, ALIGN = 256, SIDE = 1024, MATRIX = 192, EACH = 64, WORDS = 1 << 20, EXCHANGED = 1 << 14 };

struct bench {
    struct machine_module *module;
    float *a, *b, *ours, *theirs;
    uint32_t *index;
    const struct row *row;
};

// One kernel: its launch, its parameters, and what it is measured against. `units` of work a round.
struct row {
    const char *name, *kernel, *unit;
    uint32_t grid[3], block[3];
    double units;
    void (*compute)(struct bench *bench); // NULL: nothing, so only the machine's time is printed
    uint32_t result_words;                // of ours and theirs, compared
};

// --- The C side ------------------------------------------------------------------------------------------------------

static void c_copy(struct bench *bench)
{
    memcpy(bench->theirs, bench->a, WORDS * sizeof(float));
    __asm__ volatile("" : : "r"(bench->theirs) : "memory");
}

static void c_triad(struct bench *bench)
{
    for (uint32_t i = 0; i < WORDS; i++) bench->theirs[i] = __builtin_fmaf(bench->b[i], 3.0f, bench->a[i]);
}

static void c_stencil(struct bench *bench)
{
    for (uint32_t y = 1; y < SIDE - 1; y++)
        for (uint32_t x = 1; x < SIDE - 1; x++) {
            const float *at = bench->a + (size_t)y * SIDE + x;
            bench->theirs[(size_t)y * SIDE + x] = 0.2f * (at[0] + at[-1] + at[1] + at[-SIDE] + at[SIDE]);
        }
}

static void c_gather(struct bench *bench)
{
    for (uint32_t i = 0; i < WORDS; i++) bench->theirs[i] = bench->a[bench->index[i]];
}

static void c_transpose(struct bench *bench)
{
    for (uint32_t y0 = 0; y0 < SIDE; y0 += 32)
        for (uint32_t x0 = 0; x0 < SIDE; x0 += 32)
            for (uint32_t y = y0; y < y0 + 32; y++)
                for (uint32_t x = x0; x < x0 + 32; x++)
                    bench->theirs[(size_t)x * SIDE + y] = bench->a[(size_t)y * SIDE + x];
}

static void c_exchange(struct bench *bench)
{
    float row[256], next[256];
    for (uint32_t block = 0; block < EXCHANGED / 256; block++) {
        memcpy(row, bench->a + block * 256, sizeof row);
        for (int round = 0; round < 64; round++) {
            for (uint32_t i = 0; i < 256; i++) next[i] = __builtin_fmaf(row[(i + 1) & 255], 0.5f, row[i] * 0.5f);
            memcpy(row, next, sizeof row);
        }
        memcpy(bench->theirs + block * 256, row, sizeof row);
    }
}

static void c_histogram(struct bench *bench)
{
    uint32_t *bins = (uint32_t *)(void *)bench->theirs;
    for (uint32_t i = 0; i < WORDS; i++) bins[bench->index[i] & 255]++;
}

static void c_reduce(struct bench *bench)
{
    uint32_t *sums = (uint32_t *)(void *)bench->theirs;
    for (uint32_t block = 0; block < WORDS / (256 * EACH); block++) {
        uint32_t sum = 0;
        for (uint32_t i = 0; i < 256 * EACH; i++) sum += bench->index[(size_t)block * 256 * EACH + i];
        sums[block] = sum;
    }
}

static void c_gemm(struct bench *bench)
{
    for (uint32_t row = 0; row < MATRIX; row++) {
        float *c = bench->theirs + (size_t)row * MATRIX;
        memset(c, 0, MATRIX * sizeof *c);
        for (uint32_t k = 0; k < MATRIX; k++) {
            const float a = bench->a[(size_t)row * MATRIX + k], *b = bench->b + (size_t)k * MATRIX;
            for (uint32_t column = 0; column < MATRIX; column++) c[column] = __builtin_fmaf(a, b[column], c[column]);
        }
    }
}

// --- The machine's side ----------------------------------------------------------------------------------------------

#define ONE                                                                                                            \
    {                                                                                                                  \
        1, 1, 1                                                                                                        \
    }
#define THREADS                                                                                                        \
    {                                                                                                                  \
        256, 1, 1                                                                                                      \
    }
#define GEMM_UNITS (2.0 * MATRIX * MATRIX * MATRIX)
static const struct row rows[] = {
    {"empty warps of one-warp CTAs", "empty", "warps", {4096, 1, 1}, {32, 1, 1}, 4096, NULL, 0},
    {"empty warps of CTAs of 1024 threads", "empty", "warps", {128, 1, 1}, {1024, 1, 1}, 4096, NULL, 0},
    {"copy, one float a thread, against memcpy", "copy", "words", {WORDS / 256, 1, 1}, THREADS, WORDS, c_copy, WORDS},
    {"triad, one float a thread", "triad", "words", {WORDS / 256, 1, 1}, THREADS, WORDS, c_triad, WORDS},
    {"stencil of five points", "stencil", "words", {SIDE / 32, SIDE / 8, 1}, {32, 8, 1}, WORDS, c_stencil, WORDS},
    {"gather", "gather", "words", {WORDS / 256, 1, 1}, THREADS, WORDS, c_gather, WORDS},
    {"transpose through shared memory",
     "transpose",
     "words",
     {SIDE / 32, SIDE / 32, 1},
     {32, 8, 1},
     WORDS,
     c_transpose,
     WORDS},
    {"shared memory with bar.sync",
     "exchange",
     "words",
     {EXCHANGED / 256, 1, 1},
     THREADS,
     64.0 * EXCHANGED,
     c_exchange,
     EXCHANGED},
    {"histogram in shared memory",
     "histogram",
     "words",
     {WORDS / (256 * EACH), 1, 1},
     THREADS,
     WORDS,
     c_histogram,
     256},
    {"reduction", "reduce", "words", {WORDS / (256 * EACH), 1, 1}, THREADS, WORDS, c_reduce, WORDS / (256 * EACH)},
    {"SGEMM, 16 x 16 tiles",
     "sgemm16",
     "operations",
     {MATRIX / 16, MATRIX / 16, 1},
     {16, 16, 1},
     GEMM_UNITS,
     c_gemm,
     MATRIX *MATRIX},
    {"SGEMM, 4 x 4 elements a thread",
     "sgemm64",
     "operations",
     {MATRIX / 64, MATRIX / 64, 1},
     THREADS,
     GEMM_UNITS,
     c_gemm,
     MATRIX *MATRIX},
};

// A kernel's parameters lie at multiples of their size.
struct parameters {
    uint8_t bytes[64];
    uint32_t used;
};

static void add_pointer(struct parameters *parameters, const void *pointer)
{
    const uint64_t address = (uint64_t)(uintptr_t)pointer;
    memcpy(parameters->bytes + parameters->used, &address, sizeof address);
    parameters->used += sizeof address;
}

static void add_word(struct parameters *parameters, uint32_t word)
{
    memcpy(parameters->bytes + parameters->used, &word, sizeof word);
    parameters->used += sizeof word;
}

static int is(const struct row *row, const char *kernel)
{
    return strcmp(row->kernel, kernel) == 0;
}

static struct parameters parameters_of(const struct bench *bench)
{
    const struct row *row = bench->row;
    struct parameters parameters = {.used = 0};
    const int counts = is(row, "histogram") || is(row, "reduce"), multiplies = is(row, "sgemm16") || is(row, "sgemm64");
    if (is(row, "exchange")) {
        add_pointer(&parameters, bench->ours);
        return parameters;
    }
    add_pointer(&parameters, counts ? (const void *)bench->index : bench->a);
    if (is(row, "triad") || multiplies) add_pointer(&parameters, bench->b);
    if (is(row, "gather")) add_pointer(&parameters, bench->index);
    add_pointer(&parameters, bench->ours);
    if (is(row, "triad")) memcpy(parameters.bytes + parameters.used, &(float){3.0f}, sizeof(float));
    if (is(row, "stencil") || is(row, "transpose")) add_word(&parameters, SIDE), add_word(&parameters, SIDE);
    if (counts) add_word(&parameters, EACH);
    if (multiplies) add_word(&parameters, MATRIX);
    return parameters;
}

static void run(void *context)
{
    struct bench *bench = context;
    const struct row *row = bench->row;
    const struct parameters parameters = parameters_of(bench);
    // All arrays lie side by side.
    const struct region region = {{(uint8_t *)bench->a, (uint64_t)(uintptr_t)bench->a, 5 * WORDS * sizeof(float)}, 0};
    const struct global_memory global = {&region, 1};
    struct machine_outcome outcome;
    const struct machine_launch launch = {.module = bench->module,
                                          .kernel = machine_module_kernel(bench->module, row->kernel),
                                          .grid = {row->grid[0], row->grid[1], row->grid[2]},
                                          .block = {row->block[0], row->block[1], row->block[2]},
                                          .parameters = parameters.bytes,
                                          .global = &global,
                                          .schedule = {.threads = 1}};
    if (is(row, "exchange")) memcpy(bench->ours, bench->a, EXCHANGED * sizeof(float));
    if (machine_run(&launch, &outcome)) return;
    fprintf(stderr, "%s: %s\n", row->name, outcome.message);
    exit(1);
}

static void compute(void *context)
{
    struct bench *bench = context;
    bench->row->compute(bench);
}

// --- Measuring -------------------------------------------------------------------------------------------------------

static void fill(struct bench *bench)
{
    uint32_t random = 1;
    for (uint32_t i = 0; i < WORDS; i++) {
        random = random * 1664525 + 1013904223;
        bench->a[i] = (float)(random >> 8) * 0x1p-24f;
        bench->b[i] = (float)(random >> 20) * 0x1p-12f;
        bench->index[i] = (random >> 4) % WORDS;
    }
}

static void measure_alone(struct bench *bench)
{
    struct timespec start, end;
    double least = 1e9;
    for (int i = 0; i < ROUNDS; i++) {
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
        run(bench);
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
        const double ns = 1e9 * (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec);
        if (ns < least) least = ns;
    }
    printf("%-44s machine %.0f ns a warp\n", bench->row->name, least / bench->row->units);
}

static void measure(struct bench *bench, const struct row *row)
{
    const struct pair_side machine = {"machine", run}, scalar = {"C", compute};
    bench->row = row;
    if (row->compute == NULL) {
        measure_alone(bench);
        return;
    }
    memset(bench->ours, 0, WORDS * sizeof(float));
    memset(bench->theirs, 0, WORDS * sizeof(float));
    run(bench);
    compute(bench);
    if (memcmp(bench->ours, bench->theirs, row->result_words * sizeof(float)) != 0) {
        fprintf(stderr, "%s: the results differ\n", row->name);
        exit(1);
    }
    pair_measure(row->name, machine, scalar, bench, row->units, row->unit, ROUNDS);
}

static int is_wanted(const struct row *row, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (is(row, argv[i])) return 1;
    return argc < 2;
}

static struct machine_module *open_module(const char *path)
{
    static char text[1 << 17];
    struct ptx_errors errors;
    FILE *file = fopen(path, "r");
    size_t length = file == NULL ? 0 : fread(text, 1, sizeof text, file);
    if (file != NULL) fclose(file);
    if (length == 0 || length == sizeof text) {
        fprintf(stderr, "%s: cannot be read\n", path);
        exit(1);
    }
    struct machine_module *module = machine_module_open(text, length, &errors);
    if (module != NULL) return module;
    fprintf(stderr, "%s: %s\n", path, errors.item[0].message);
    exit(1);
}

int main(int argc, char **argv)
{
    struct bench bench = {.module = open_module(KERNELS_PTX)};
    bench.a = aligned_alloc(ALIGN, 5 * WORDS * sizeof(float));
    if (bench.a == NULL) return 1;
    bench.b = bench.a + WORDS;
    bench.ours = bench.b + WORDS;
    bench.theirs = bench.ours + WORDS;
    bench.index = (uint32_t *)(void *)(bench.theirs + WORDS);
    fill(&bench);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (is_wanted(&rows[i], argc, argv)) measure(&bench, &rows[i]);
    machine_module_close(bench.module);
    free(bench.a);
    return 0;
}
