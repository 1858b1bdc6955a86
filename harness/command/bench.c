// SPDX-License-Identifier: MIT
// `tmaref bench`: our kernels against the best opponent this machine has, in one run, as ratios.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "command.h"
#include "json.h"
#include "near.h"

struct bench_options {
    int rounds, json;
    double sample_ms;
    const char *filter, *triton;
    int is_wanted[BENCH_MAX_SUBJECTS]; // by row of bench_subjects[]
    int wanted;
};

static const struct argp_option options[] = {
    {"rounds", 'r', "N", 0, "samples of each side, an odd number up to 99 (default 15)", 0},
    {"sample", 's', "MS", 0, "repeat the work until a sample takes so many milliseconds (default 10)", 0},
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

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct bench_options *to = state->input;
    uint64_t number;
    switch (key) {
    case 'r':
        if (!parse_u64(argument, BENCH_MAX_ROUNDS, &number) || number % 2 == 0)
            argp_error(state, "--rounds takes an odd number up to %d, not '%s'", BENCH_MAX_ROUNDS, argument);
        to->rounds = (int)number;
        return 0;
    case 's':
        if (!parse_u64(argument, 10000, &number) || number == 0)
            argp_error(state, "--sample takes 1 to 10000 milliseconds, not '%s'", argument);
        to->sample_ms = (double)number;
        return 0;
    case 'o':
        to->filter = argument;
        return 0;
    case 't':
        to->triton = argument;
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
        if (error < 0) return command_usage("bench", "%s: %s", bench_subjects[i].name, why.at);
        bench->gpu.driver.cuGetErrorName((enum cuda_result)error, &name);
        return command_usage("bench", "%s: a kernel or call failed: %s (%d)", bench_subjects[i].name, name, error);
    }
    if (bench->contests > 0) return EXIT_AGREE;
    return command_usage("bench", "no contest's name contains '%s'", to->filter != NULL ? to->filter : "");
}

int command_bench(int argc, char **argv)
{
    static struct bench bench;
    struct bench_options to = {.rounds = 15, .sample_ms = 10};
    const struct argp argp = {
        options,
        parse,
        "[BENCHMARK...]",
        "Times our kernels against the best opponent on this machine's GPU: samples of both sides "
        "in turn, the median ratio of their speeds with its least and greatest value.\v",
        NULL,
        add_subjects,
        NULL};
    struct text why;
    argp_parse(&argp, argc, argv, 0, NULL, &to);
    if (!gpu_init(&bench.gpu, &why)) return command_usage("bench", "%s", why.at);
    bench.rounds = to.rounds;
    bench.sample_ms = to.sample_ms;
    bench.filter = to.filter;
    bench.triton = to.triton;
    bench.report = to.json ? json_array() : NULL;
    for (int i = 0; i < 2; i++)
        if (bench.gpu.driver.cuEventCreate(&bench.event[i], 0) != CUDA_SUCCESS)
            return command_usage("bench", "cuEventCreate failed");
    if (!to.json) printf("%s\n", bench.gpu.description);
    int status = run_subjects(&bench, &to);
    if (status != EXIT_AGREE || !to.json) return status;
    json_t *json = json_pack("{s:s, s:o}", "device", bench.gpu.description, "contests", bench.report);
    json_dumpf(json, stdout, JSON_INDENT(2));
    printf("\n");
    json_decref(json);
    return status;
}
