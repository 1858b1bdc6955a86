// SPDX-License-Identifier: MIT
// Runs random PTX programs on libraries that have the driver's calls: a GPU's and the simulated one.
//
//   random_ptx run LIBRARY FIRST COUNT STEP [LIMIT]
//     programs FIRST, FIRST + STEP, ..., a line of each: seed, digest of the text, instructions under test, steps,
//     threads, digest of each step. LIMIT cuts programs short
//   random_ptx diff LIBRARY OTHER FIRST COUNT STEP
//     the same, and shows the first step that differs on the other one
//   random_ptx check LIBRARY FILE [FIRST STEP]
//     runs the programs of a file that `run` wrote, all or every STEPth from FIRST on, and compares. Status 1 if one
//     differs, or is not the program that was recorded; 2 if there is none
//   random_ptx ptx SEED [LIMIT]
//     prints a program
//   random_ptx rows COUNT
//     how many steps of each row COUNT programs have
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "../alu/alu_device.h"
#include "../alu/values.h"
#include "ptx.h"
#include "random_program.h"

enum { SHOWN = 4, MEMORY_WORDS = 3 * PROGRAM_CTA_BYTES / 8 + PROGRAM_MOST_THREADS * PROGRAM_OWN_BYTES / 8 };

// One run of a program: what a device left.
struct outcome {
    int error;
    char said[2000];
    uint64_t *log, *memory;
    uint32_t digest[PROGRAM_MOST_STEPS + 1]; // of each step, and of the memory
};

static struct program program;
static char *text;
static int limit = INT_MAX; // of the instructions under test of a program
static uint64_t *input;

static void *room(size_t words)
{
    void *memory = calloc(words, 8);
    if (memory == NULL) abort();
    return memory;
}

static void open_outcome(struct outcome *outcome)
{
    outcome->log = room((size_t)PROGRAM_MOST_STEPS * PROGRAM_MOST_THREADS);
    outcome->memory = room(MEMORY_WORDS);
}

static int threads(void)
{
    return program.block * program.ctas;
}

static size_t memory_words(void)
{
    return (size_t)(program.ctas * PROGRAM_CTA_BYTES + threads() * PROGRAM_OWN_BYTES) / 8;
}

static void make(uint64_t seed)
{
    size_t bytes;
    free(text);
    FILE *to = open_memstream(&text, &bytes);
    if (to == NULL) abort();
    program_print(&program, seed, limit, to);
    fclose(to);
    memset(input, 0, sizeof *input * PROGRAM_INPUTS * PROGRAM_MOST_THREADS); // loads may go behind the threads' words
    for (int word = 0; word < PROGRAM_INPUTS; word++)
        for (int thread = 0; thread < threads(); thread++)
            input[word * threads() + thread] = program_input(seed, word, thread);
}

static uint32_t digest(const uint64_t *words, size_t count)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < count; i++) hash = value_mix(hash + words[i] + i * 0x9e3779b97f4a7c15u);
    return (uint32_t)(hash >> 32);
}

// Compiles the program and launches it once.
static int launch(struct device *device, struct outcome *outcome)
{
    unsigned char blob[64];
    size_t log_words = (size_t)(program.steps * threads());
    const struct device_work work = {.kernel = "kernel",
                                     .ctas = program.ctas,
                                     .block = program.block,
                                     .buffer = {{input, NULL, PROGRAM_INPUTS * PROGRAM_MOST_THREADS},
                                                {NULL, outcome->log, log_words},
                                                {outcome->memory, outcome->memory, memory_words()}},
                                     .last = blob};
    void *module;
    for (size_t i = 0; i < sizeof blob; i++) blob[i] = (unsigned char)(i * 37 + 11);
    int error = device_module(device, text, program.level, &module, outcome->said, sizeof outcome->said);
    if (error != 0) return error;
    error = device_run(device, module, &work);
    device_module_close(device, module);
    return error;
}

static void run(struct device *device, uint64_t seed, struct outcome *outcome)
{
    for (size_t i = 0; i < memory_words(); i++) outcome->memory[i] = value_mix(seed + i);
    outcome->error = launch(device, outcome);
    for (int step = 0; step < program.steps; step++)
        outcome->digest[step] = digest(outcome->log + step * threads(), (size_t)threads());
    outcome->digest[program.steps] = digest(outcome->memory, memory_words());
}

static uint32_t text_digest(void)
{
    uint64_t hash = 0;
    for (const char *at = text; *at != '\0'; at++) hash = value_mix(hash + (uint8_t)*at);
    return (uint32_t)(hash >> 32);
}

static void print_line(uint64_t seed, const struct outcome *outcome)
{
    if (outcome->error != 0) {
        printf("# program %llu: CUDA error %d: %.300s\n", (unsigned long long)seed, outcome->error, outcome->said);
        return;
    }
    printf("%llu %08x %d %d %d ", (unsigned long long)seed, text_digest(), program.instances, program.steps, threads());
    for (int step = 0; step <= program.steps; step++) printf("%04x", outcome->digest[step] & 0xffff);
    printf("\n");
}

// The PTX of a step.
static void print_step(int step)
{
    char mark[32];
    const char *at = NULL;                    // the last of those with one number: the others wrote nothing
    for (; at == NULL && step >= 0; step--) { // an instruction that writes several values has several steps
        snprintf(mark, sizeof mark, "// step %d ", step);
        for (const char *next = strstr(text, mark); next != NULL; next = strstr(next + 1, mark)) at = next;
    }
    const char *end = at == NULL ? NULL : strstr(at + 3, "// step ");
    if (at == NULL) return;
    for (int length = end == NULL ? 400 : (int)(end - at); length > 0;) {
        int line = (int)strcspn(at, "\n") + 1;
        if (line > length) line = length;
        printf("!   %.*s", line, at);
        at += line, length -= line;
    }
}

static int first_difference(const struct outcome *one, const struct outcome *other, int from, int to)
{
    while (from < to && one->digest[from] == other->digest[from]) from++;
    return from;
}

static void show_values(const uint64_t *a, const uint64_t *b, size_t count)
{
    int shown = 0;
    for (size_t i = 0; i < count && shown < SHOWN; i++)
        if (a[i] != b[i] && shown++ < SHOWN)
            printf("!  %zu: %016llx %016llx\n", i, (unsigned long long)a[i], (unsigned long long)b[i]);
}

static void show_step(const struct outcome *one, const struct outcome *other, int step)
{
    show_values(one->log + step * threads(), other->log + step * threads(), (size_t)threads());
    print_step(step);
}

// The kernel's first step that differs, and, as bodies of functions are printed before the kernel's, theirs.
static bool show_difference(uint64_t seed, const struct outcome *one, const struct outcome *other)
{
    int called = first_difference(one, other, 0, program.kernel_step);
    int step = first_difference(one, other, program.kernel_step, program.steps), any = 0;
    bool is_memory = one->digest[program.steps] != other->digest[program.steps];
    if (called == program.kernel_step && step == program.steps && !is_memory) return false;
    printf("! program %llu (level %d) differs:", (unsigned long long)seed, program.level);
    for (int next = 0; next <= program.steps; next++)
        if (one->digest[next] != other->digest[next] && any++ < 40) printf(" %d", next);
    printf("\n");
    if (called < program.kernel_step) show_step(one, other, called);
    if (step < program.steps) show_step(one, other, step);
    if (is_memory && any == 1) show_values(one->memory, other->memory, memory_words());
    return true;
}

static struct device *open_device(const char *path)
{
    static const size_t bytes[DEVICE_BUFFERS] = {PROGRAM_INPUTS * PROGRAM_MOST_THREADS * 8,
                                                 PROGRAM_MOST_STEPS * PROGRAM_MOST_THREADS * 8, MEMORY_WORDS * 8};
    const char *why = "";
    struct device *device = device_open(path, bytes, &why);
    if (device == NULL) fprintf(stderr, "random_ptx: %s: %s\n", path, why), exit(2);
    return device;
}

static uint64_t number_of(const char *argument)
{
    char *end;
    const uint64_t number = strtoull(argument, &end, 0);
    if (*argument >= '0' && *argument <= '9' && *end == '\0') return number;
    fprintf(stderr, "random_ptx: '%s' is no number\n", argument);
    exit(2);
}

static int run_all(struct device *device, struct device *other, char **range)
{
    static struct outcome one, two;
    uint64_t first = number_of(range[0]), count = number_of(range[1]), step = number_of(range[2]);
    int different = 0;
    open_outcome(&one), open_outcome(&two);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t seed = first + i * step;
        make(seed);
        run(device, seed, &one);
        print_line(seed, &one);
        if (other != NULL) {
            run(other, seed, &two);
            if (two.error != one.error) print_line(seed, &two);
            different += two.error != one.error || (one.error == 0 && show_difference(seed, &one, &two));
        }
        fflush(stdout);
        if (one.error >= 700) return 2; // the context is lost
    }
    return different > 0;
}

// --- Against what was recorded ---------------------------------------------------------------------------------------

// A line of a recording as far as the digests of the steps, which begin at `digests`.
struct recorded {
    unsigned long long seed;
    unsigned text;
    int instances, steps, threads;
    const char *digests;
};

static bool read_line(const char *line, struct recorded *to)
{
    int used = 0;
    int fields =
        sscanf(line, "%llu %x %d %d %d %n", &to->seed, &to->text, &to->instances, &to->steps, &to->threads, &used);
    to->digests = line + used;
    return fields == 5 && to->steps <= PROGRAM_MOST_STEPS;
}

// 1 if each step left what was recorded of it.
static int same_steps(const struct recorded *recorded, const struct outcome *outcome)
{
    for (int step = 0; step <= recorded->steps; step++) {
        unsigned said;
        if (sscanf(recorded->digests + step * 4, "%4x", &said) != 1) said = UINT32_MAX;
        if (said == (outcome->digest[step] & 0xffff)) continue;
        printf("program %llu: %s %d differs from the recording\n", recorded->seed,
               step == recorded->steps ? "memory after step" : "step", step);
        if (step < recorded->steps) print_step(step);
        return 0;
    }
    return 1;
}

static int agrees(struct device *device, struct outcome *outcome, const char *line)
{
    struct recorded recorded;
    if (!read_line(line, &recorded)) return printf("no line of a recording: %.60s\n", line), 0;
    make(recorded.seed);
    if (text_digest() != recorded.text || program.steps != recorded.steps)
        return printf("program %llu is not the one that was recorded: record it again\n", recorded.seed), 0;
    run(device, recorded.seed, outcome);
    if (outcome->error != 0) return print_line(recorded.seed, outcome), 0;
    return same_steps(&recorded, outcome);
}

static int check(struct device *device, const char *path, long first, long step)
{
    static char line[PROGRAM_MOST_STEPS * 4 + 200];
    static struct outcome outcome;
    FILE *file = fopen(path, "r");
    long programs = 0, checked = 0, agreed = 0;
    if (file == NULL) fprintf(stderr, "random_ptx: cannot read %s\n", path), exit(2);
    if (first < 0 || step < 1) fprintf(stderr, "random_ptx: FIRST is 0 or more, STEP 1 or more\n"), exit(2);
    open_outcome(&outcome);
    while (fgets(line, sizeof line, file) != NULL) {
        if (*line == '#' || *line == '!' || programs++ < first || (programs - 1 - first) % step != 0) continue;
        checked++;
        agreed += agrees(device, &outcome, line);
    }
    fclose(file);
    if (checked == 0) fprintf(stderr, "random_ptx: %s names no program to run\n", path), exit(2);
    printf("%ld programs, %ld agree with the recording\n", checked, agreed);
    return agreed < checked;
}

// --- Which rows there are --------------------------------------------------------------------------------------------

static void count_program(uint64_t *drawn)
{
    struct ptx_errors errors;
    struct ptx_module *module = ptx_open(text, strlen(text), (struct ptx_limits){0}, &errors);
    if (module == NULL) abort();
    for (uint32_t i = 0; i < ptx_program(module)->functions; i++) {
        if (!ptx_decode(module, i, &errors))
            printf("# line %u: %s\n", errors.item[0].line, errors.item[0].message), exit(1);
        const struct ptx_program *read = ptx_program(module);
        for (uint32_t at = 0; at < read->function[i].instructions; at++)
            drawn[read->op[read->function[i].instruction[at].op].choice.form]++;
    }
    ptx_close(module);
}

static int count_rows(int count)
{
    uint64_t *drawn = calloc((size_t)ptx_form_count(), sizeof *drawn);
    if (drawn == NULL) abort();
    for (int seed = 0; seed < count; seed++) {
        make((uint64_t)seed);
        count_program(drawn);
    }
    for (int form = 0; form < ptx_form_count(); form++)
        if (ptx_form_row(form)->runs != PTX_RUNS_NOT)
            printf("%s\t%llu\n", ptx_form_row(form)->name, (unsigned long long)drawn[form]);
    free(drawn);
    return 0;
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    input = room((size_t)PROGRAM_INPUTS * PROGRAM_MOST_THREADS);
    if (strcmp(mode, "ptx") == 0 && argc == 4) limit = atoi(argv[3]);
    if (strcmp(mode, "ptx") == 0 && argc >= 3) return make(number_of(argv[2])), fputs(text, stdout) == EOF;
    if (strcmp(mode, "rows") == 0 && argc == 3) return count_rows(atoi(argv[2]));
    if (strcmp(mode, "run") == 0 && argc == 7) limit = atoi(argv[6]);
    if (strcmp(mode, "run") == 0 && argc >= 6) return run_all(open_device(argv[2]), NULL, argv + 3);
    if (strcmp(mode, "diff") == 0 && argc == 7) {
        struct device *device = open_device(argv[2]), *other = open_device(argv[3]);
        return run_all(device, other, argv + 4);
    }
    if (strcmp(mode, "check") == 0 && argc >= 4)
        return check(open_device(argv[2]), argv[3], argc > 5 ? atol(argv[4]) : 0, argc > 5 ? atol(argv[5]) : 1);
    fprintf(stderr, "random_ptx: run, diff, check, ptx or rows\n");
    return 2;
}
