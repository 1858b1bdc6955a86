// SPDX-License-Identifier: MIT
// `tmaref bench`: our kernels against the best opponent this machine has, in one run, as ratios.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "command.h"
#include "graph.h"
#include "json.h"
#include "near.h"

struct bench_options {
    struct bench set; // rounds to candidates
    int json;
    int is_wanted[BENCH_MAX_SUBJECTS]; // by row of bench_subjects[]
    int wanted;
};

static const struct argp_option options[] = {
    {"rounds", 'r', "N", 0, "samples of each side, an odd number up to 99 (default 15)", 0},
    {"sample", 's', "MS", 0, "repeat the work until a sample takes so many milliseconds (default 10)", 0},
    {"long", 'l', "MS", 0,
     "after the samples a run of each side that takes so many milliseconds (default 500, 0: none)", 0},
    {"shape", 'm', "MxNxK", 0, "gemm: this shape instead of the listed ones; up to 32 times", 0},
    {"random", 'n', "N", 0, "gemm: N random shapes, each side 16 to 16384, instead of the listed ones", 0},
    {"seed", 'S', "SEED", 0, "of the random shapes (default 1)", 0},
    {"candidates", 'c', "FILE", 0, "gemm: time all kernels and cuts that could be chosen, into a CSV file", 0},
    {"only", 'o', "TEXT", 0, "only contests whose name contains TEXT", 0},
    {"triton", 't', "FOLDER", 0, "measure the kernels that harness/bench/triton_gemm.py wrote to FOLDER too", 0},
    {"json", 'j', NULL, 0, "one JSON object with the device, its driver and all contests", 0},
    {0},
};

static const char *near_benchmark(int i)
{
    return bench_subjects[i].name;
}

static void want(struct bench_options *to, const char *name, struct argp_state *state)
{
    for (int i = 0; bench_subjects[i].name != NULL; i++) {
        if (strcmp(bench_subjects[i].name, name) != 0) continue;
        to->is_wanted[i] = 1;
        to->wanted++;
        return;
    }
    argp_error(state, "there is no benchmark '%s'%s (--help lists them)", name, near_names(name, near_benchmark).at);
}

static void add_shape(struct bench *to, const char *text, struct argp_state *state)
{
    uint32_t shape[3];
    int end = 0;
    if (sscanf(text, "%5" SCNu32 "x%5" SCNu32 "x%5" SCNu32 "%n", &shape[0], &shape[1], &shape[2], &end) != 3 ||
        text[end] != '\0' || shape[0] == 0 || shape[1] == 0 || shape[2] == 0)
        argp_error(state, "--shape takes three sizes below 100000, as 512x1280x8192, not '%s'", text);
    if (to->shapes == BENCH_MAX_SHAPES) argp_error(state, "--shape can be given %d times", BENCH_MAX_SHAPES);
    memcpy(to->shape[to->shapes++], shape, sizeof shape);
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct bench_options *to = state->input;
    uint64_t number;
    switch (key) {
    case 'r':
        if (!parse_u64(argument, BENCH_MAX_ROUNDS, &number) || number % 2 == 0)
            argp_error(state, "--rounds takes an odd number up to %d, not '%s'", BENCH_MAX_ROUNDS, argument);
        to->set.rounds = (int)number;
        return 0;
    case 's':
        if (!parse_u64(argument, 10000, &number) || number == 0)
            argp_error(state, "--sample takes 1 to 10000 milliseconds, not '%s'", argument);
        to->set.sample_ms = (double)number;
        return 0;
    case 'l':
        if (!parse_u64(argument, 60000, &number))
            argp_error(state, "--long takes 0 to 60000 milliseconds, not '%s'", argument);
        to->set.long_ms = (double)number;
        return 0;
    case 'm':
        add_shape(&to->set, argument, state);
        return 0;
    case 'n':
        if (!parse_u64(argument, 10000, &number) || number == 0)
            argp_error(state, "--random takes 1 to 10000 shapes, not '%s'", argument);
        to->set.random_shapes = (int)number;
        return 0;
    case 'S':
        if (!parse_u64(argument, UINT32_MAX, &number))
            argp_error(state, "--seed takes 0 to 2^32 - 1, not '%s'", argument);
        to->set.seed = number;
        return 0;
    case 'c':
        to->set.candidates = argument;
        return 0;
    case 'o':
        to->set.filter = argument;
        return 0;
    case 't':
        to->set.triton = argument;
        return 0;
    case 'j':
        to->json = 1;
        return 0;
    case ARGP_KEY_ARG:
        want(to, argument, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

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

static int needs_gpu(const struct bench_options *to)
{
    for (int i = 0; bench_subjects[i].name != NULL; i++)
        if ((to->wanted == 0 || to->is_wanted[i]) && !bench_subjects[i].is_cpu) return 1;
    return 0;
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
    const struct argp argp = {
        options,
        parse,
        "[BENCHMARK...]",
        "Times our kernels against the best opponent on this machine's GPU: samples of both sides, as CUDA graphs, "
        "in turn, the median ratio of their speeds with its least and greatest value; then a long run of each.\v",
        NULL,
        add_subjects,
        NULL};
    argp_parse(&argp, argc, argv, 0, NULL, &to);
    int status = EXIT_AGREE, has_gpu = needs_gpu(&to);
    const char *device = has_gpu ? bench->gpu.description : "one core of this machine";
    if (has_gpu) status = open_bench(bench);
    if (status != EXIT_AGREE) return status;
    bench->report = to.json ? json_array() : NULL;
    if (!to.json) printf("%s\n", device);
    status = run_subjects(bench, &to);
    if (status != EXIT_AGREE || !to.json) return status;
    json_t *json = json_pack("{s:s, s:o}", "device", device, "contests", bench->report);
    json_dumpf(json, stdout, JSON_INDENT(2));
    printf("\n");
    json_decref(json);
    return status;
}
