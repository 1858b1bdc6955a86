// SPDX-License-Identifier: MIT
// `tmaref bench`: our kernels against the best opponent this machine has, in one run, as ratios.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "command.h"
#include "command_option.h"
#include "graph.h"
#include "json.h"
#include "near.h"

struct bench_options {
    struct bench set; // rounds to candidates
    int json;
    int is_wanted[BENCH_MAX_SUBJECTS]; // by row of bench_subjects[]
    int wanted;
};

static const char *near_benchmark(int i)
{
    return bench_subjects[i].name;
}

static void want(void *line, char *name, struct argp_state *state)
{
    struct bench_options *to = line;
    for (int i = 0; bench_subjects[i].name != NULL; i++) {
        if (strcmp(bench_subjects[i].name, name) != 0) continue;
        to->is_wanted[i] = 1;
        to->wanted++;
        return;
    }
    argp_error(state, "there is no benchmark '%s'%s (--help lists them)", name, near_names(name, near_benchmark).at);
}

static void add_shape(const struct command_option *option, void *line, char *text, struct argp_state *state)
{
    struct bench *to = &((struct bench_options *)line)->set;
    uint32_t shape[3];
    int end = 0;
    (void)option;
    if (sscanf(text, "%5" SCNu32 "x%5" SCNu32 "x%5" SCNu32 "%n", &shape[0], &shape[1], &shape[2], &end) != 3 ||
        text[end] != '\0' || shape[0] == 0 || shape[1] == 0 || shape[2] == 0)
        argp_error(state, "--shape takes three sizes below 100000, as 512x1280x8192, not '%s'", text);
    if (to->shapes == BENCH_MAX_SHAPES) argp_error(state, "--shape can be given %d times", BENCH_MAX_SHAPES);
    memcpy(to->shape[to->shapes++], shape, sizeof shape);
}

static void take_rounds(const struct command_option *option, void *line, char *value, struct argp_state *state)
{
    uint64_t number;
    (void)option;
    if (!parse_u64(value, BENCH_MAX_ROUNDS, &number) || number % 2 == 0)
        argp_error(state, "--rounds takes an odd number up to %d, not '%s'", BENCH_MAX_ROUNDS, value);
    ((struct bench_options *)line)->set.rounds = (int)number;
}

#define TO struct bench_options
static const struct command_option options[] = {
    OPTION_TAKEN('r', "rounds", "N", take_rounds, "samples of each side, an odd number up to 99 (default 15)"),
    OPTION_REAL('s', "sample", "MS", set.sample_ms, 1, 10000,
                "repeat the work until a sample takes this many milliseconds (default 10)"),
    OPTION_REAL('l', "long", "MS", set.long_ms, 0, 60000,
                "length of the run of each side after the samples, in milliseconds (default 500, 0: none)"),
    OPTION_TAKEN('m', "shape", "MxNxK", add_shape, "gemm: this shape instead of the listed ones; up to 32 times"),
    OPTION_NUMBER('n', "random", "N", set.random_shapes, 1, 10000,
                  "gemm: N random shapes, each side 16 to 16384, instead of the listed ones"),
    OPTION_NUMBER('S', "seed", "SEED", set.seed, 0, UINT32_MAX, "seed of the random shapes (default 1)"),
    OPTION_FLAG('b', "behind", set.is_behind,
                "gemm: a kernel of another kind runs before each call; its own time is not counted"),
    OPTION_FLAG('w', "warm", set.is_warm, "gemm: all calls have the same operands, so they stay in the L2 cache"),
    OPTION_TEXT('c', "candidates", "FILE", set.candidates,
                "gemm: write the times of all candidate kernels and splits to a CSV file"),
    OPTION_TEXT('o', "only", "TEXT", set.filter, "only contests whose name contains TEXT"),
    OPTION_TEXT('t', "triton", "FOLDER", set.triton,
                "also measure the kernels that harness/bench/triton_gemm.py wrote to FOLDER"),
    OPTION_FLAG('j', "json", json, "one JSON object with the device, its driver and all contests"),
    OPTION_END,
};

// The list of subjects behind the options in --help.
static char *add_subjects(int key, const char *text, void *input)
{
    char *list = NULL;
    size_t size;
    (void)input;
    if (key != ARGP_KEY_HELP_POST_DOC) return (char *)(uintptr_t)text;
    FILE *out = open_memstream(&list, &size);
    if (out == NULL) return NULL;
    fprintf(out, "Benchmarks (all, if none is named):\n");
    for (int i = 0; bench_subjects[i].name != NULL; i++)
        fprintf(out, "  %-12s %s\n", bench_subjects[i].name, bench_subjects[i].summary);
    fclose(out);
    return list;
}

static int run_subjects(struct bench *bench, const struct bench_options *to)
{
    for (int i = 0; bench_subjects[i].name != NULL; i++) {
        struct text why = {""};
        if (to->wanted > 0 && !to->is_wanted[i]) continue;
        int error = bench_subjects[i].run(bench, &why);
        const char *name = "?";
        if (error == 0) continue;
        if (error == BENCH_DIFFERS) return EXIT_MISMATCH;
        if (error < 0) return command_usage("bench", "%s: %s", bench_subjects[i].name, why.at);
        bench->gpu.driver.cuGetErrorName((enum cuda_result)error, &name);
        return command_usage("bench", "%s: a kernel or call failed: %s (%d)", bench_subjects[i].name, name, error);
    }
    if (bench->contests > 0) return EXIT_AGREE;
    return command_usage("bench", "no contest's name contains '%s'", to->set.filter != NULL ? to->set.filter : "");
}

static bool needs_gpu(const struct bench_options *to)
{
    for (int i = 0; bench_subjects[i].name != NULL; i++)
        if ((to->wanted == 0 || to->is_wanted[i]) && !bench_subjects[i].is_cpu) return true;
    return false;
}

// Opens the device, and what the measurements need of its driver. Returns EXIT_AGREE or says what is wrong.
static int open_bench(struct bench *bench)
{
    static struct graph_driver graphs;
    struct text why;
    bench->graphs = &graphs;
    if (!gpu_init(&bench->gpu, &why) || !graph_open(bench, &why)) return command_usage("bench", "%s", why.at);
    for (int i = 0; i < 2; i++)
        if (bench->gpu.driver.cuEventCreate(&bench->event[i], 0) != CUDA_SUCCESS)
            return command_usage("bench", "cuEventCreate failed");
    return EXIT_AGREE;
}

int command_bench(int argc, char **argv)
{
    static struct bench_options to = {.set = {.rounds = 15, .sample_ms = 10, .long_ms = 500, .seed = 1}};
    struct bench *bench = &to.set;
    static const struct command_line line = {
        .usage = "[BENCHMARK...]",
        .help = "Times our kernels against the best opponent on this machine's GPU: samples of both sides, as CUDA "
                "graphs, in turn, the median ratio of their speeds with its least and greatest value; then a long run "
                "of each.\v",
        .options = options,
        .argument = want,
        .value_at = near_benchmark,
        .filter = add_subjects,
    };
    command_line_read(&line, argc, argv, &to);
    const bool has_gpu = needs_gpu(&to);
    const char *device = has_gpu ? bench->gpu.description : "one core of this machine";
    int status = has_gpu ? open_bench(bench) : EXIT_AGREE;
    if (status != EXIT_AGREE) return status;
    bench->report = to.json ? json_array() : NULL;
    if (!to.json) printf("%s\n", device);
    status = run_subjects(bench, &to);
    if (status != EXIT_AGREE || !to.json) return status;
    json_t *json = json_pack("{s:s, s:o}", "device", device, "contests", bench->report);
    json_print(json, JSON_INDENT(2));
    return status;
}
