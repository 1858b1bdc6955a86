// SPDX-License-Identifier: MIT
// Whole kernels on the PTX machine against the same work in plain C on one core, without and with the host's vectors,
// in the same run. The kernels are those of kernels.cu. Each row compares the results too. Arguments: --json, names of
// kernels; none: all.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "machine.h"
#include "pair.h"
#include "plain_c.h"

enum { ROUNDS = 7, ALIGN = 256 };

struct bench {
    struct machine_module *module;
    float *a, *b, *ours, *theirs;
    uint32_t *index;
    const struct row *row;
    uint64_t thread_instructions; // of the last launch
};

// One kernel: its launch, its parameters, and what it is measured against. `units` of work a round, `bytes` of each.
struct row {
    const char *name, *kernel, *unit;
    uint32_t grid[3], block[3];
    double units, bytes;
    enum plain_work work;  // PLAIN_NOTHING: only the machine's time is printed
    uint32_t result_words; // of ours and theirs, compared
};

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
#define GEMM_BYTES (3.0 * MATRIX * MATRIX * sizeof(float) / GEMM_UNITS) // each matrix once
static const struct row rows[] = {
    {"empty warps of one-warp CTAs", "empty", "warps", {4096, 1, 1}, {32, 1, 1}, 4096, 0, PLAIN_NOTHING, 0},
    {"empty warps of CTAs of 1024 threads", "empty", "warps", {128, 1, 1}, {1024, 1, 1}, 4096, 0, PLAIN_NOTHING, 0},
    {"copy, one float a thread, against memcpy",
     "copy",
     "words",
     {WORDS / 256, 1, 1},
     THREADS,
     WORDS,
     8,
     PLAIN_COPY,
     WORDS},
    {"triad, one float a thread", "triad", "words", {WORDS / 256, 1, 1}, THREADS, WORDS, 12, PLAIN_TRIAD, WORDS},
    {"stencil of five points",
     "stencil",
     "words",
     {SIDE / 32, SIDE / 8, 1},
     {32, 8, 1},
     WORDS,
     8,
     PLAIN_STENCIL,
     WORDS},
    {"gather", "gather", "words", {WORDS / 256, 1, 1}, THREADS, WORDS, 12, PLAIN_GATHER, WORDS},
    {"transpose through shared memory",
     "transpose",
     "words",
     {SIDE / 32, SIDE / 32, 1},
     {32, 8, 1},
     WORDS,
     8,
     PLAIN_TRANSPOSE,
     WORDS},
    {"shared memory with bar.sync",
     "exchange",
     "words",
     {EXCHANGED / 256, 1, 1},
     THREADS,
     64.0 * EXCHANGED,
     0.125,
     PLAIN_EXCHANGE,
     EXCHANGED},
    {"histogram in shared memory",
     "histogram",
     "words",
     {WORDS / (256 * EACH), 1, 1},
     THREADS,
     WORDS,
     4,
     PLAIN_HISTOGRAM,
     256},
    {"reduction",
     "reduce",
     "words",
     {WORDS / (256 * EACH), 1, 1},
     THREADS,
     WORDS,
     4,
     PLAIN_REDUCE,
     WORDS / (256 * EACH)},
    {"SGEMM, 16 x 16 tiles",
     "sgemm16",
     "operations",
     {MATRIX / 16, MATRIX / 16, 1},
     {16, 16, 1},
     GEMM_UNITS,
     GEMM_BYTES,
     PLAIN_GEMM,
     MATRIX *MATRIX},
    {"SGEMM, 4 x 4 elements a thread",
     "sgemm64",
     "operations",
     {MATRIX / 64, MATRIX / 64, 1},
     THREADS,
     GEMM_UNITS,
     GEMM_BYTES,
     PLAIN_GEMM,
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

static bool is(const struct row *row, const char *kernel)
{
    return strcmp(row->kernel, kernel) == 0;
}

static struct parameters parameters_of(const struct bench *bench)
{
    const struct row *row = bench->row;
    struct parameters parameters = {.used = 0};
    const bool counts = is(row, "histogram") || is(row, "reduce"),
               multiplies = is(row, "sgemm16") || is(row, "sgemm64");
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
    const bool is_done = machine_run(&launch, &outcome);
    bench->thread_instructions = outcome.thread_instructions;
    if (is_done) return;
    fprintf(stderr, "%s: %s\n", row->name, outcome.message);
    exit(1);
}

static void compute(const struct plain_side *side, const struct bench *bench)
{
    const struct plain plain = {bench->a, bench->b, bench->index, bench->theirs};
    side->work[bench->row->work](&plain);
}

static void compute_scalar(void *context)
{
    compute(&plain_scalar, context);
}

static void compute_vectors(void *context)
{
    compute(&plain_vectors, context);
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
    pair_tell_alone(bench->row->name, "warp", least / bench->row->units);
}

static void expect_same(struct bench *bench, void (*work)(void *context))
{
    memset(bench->theirs, 0, WORDS * sizeof(float));
    work(bench);
    if (memcmp(bench->ours, bench->theirs, bench->row->result_words * sizeof(float)) == 0) return;
    fprintf(stderr, "%s: the results differ\n", bench->row->name);
    exit(1);
}

static void measure(struct bench *bench, const struct row *row)
{
    bench->row = row;
    if (row->work == PLAIN_NOTHING) {
        measure_alone(bench);
        return;
    }
    memset(bench->ours, 0, WORDS * sizeof(float));
    run(bench);
    expect_same(bench, compute_scalar);
    expect_same(bench, compute_vectors);
    pair_measure(&(struct pair){row->name,
                                {"machine", run},
                                {{"scalar C", compute_scalar}, {"C by vectors", compute_vectors}}, // of copies memcpy()
                                bench,
                                row->unit,
                                row->units,
                                row->bytes * row->units,
                                (double)bench->thread_instructions,
                                ROUNDS});
}

static bool is_wanted(const struct row *row, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (is(row, argv[i])) return true;
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
    pair_open(&argc, argv);
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
    pair_close();
    machine_module_close(bench.module);
    free(bench.a);
    return 0;
}
