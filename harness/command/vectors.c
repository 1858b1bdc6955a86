// SPDX-License-Identifier: MIT
// `tmaref vectors`: the recordings as JSON files of vectors, for those who have a judge of their own.
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "arena.h"
#include "command.h"
#include "command_option.h"
#include "common_program.h"
#include "score.h"
#include "trace_file.h"
#include "vector_set.h"
#include "workers.h"

enum { DEFAULT_SAMPLE = 50, PATH_BYTES = 4096 };

struct vectors_options {
    const char *output;
    int jobs, has_arena;
    uint64_t sample;
    struct trace_paths paths;
    struct text *why; // of each trace, in shared memory
};

static void take_path(void *line, char *argument, struct argp_state *state)
{
    struct vectors_options *to = line;
    struct text why;
    if (!trace_paths_add(&to->paths, argument, &why)) argp_error(state, "%s", why.at);
}

#define TO struct vectors_options
static const struct command_option options[] = {
    OPTION_TEXT('o', "output", "DIR", output, "the folder of the files; it is made where it is not there"),
    OPTION_NUMBER('s', "sample", "N", sample, 0, UINT32_MAX,
                  "at most N cases of each trace, evenly spread (default 50; 0: all)"),
    OPTION_FLAG('a', "arena", has_arena, "also write arena.bin, the 32 MiB of global memory that cases read"),
    OPTION_NUMBER('J', "jobs", "N", jobs, 1, MOST_SIDE_BY_SIDE,
                  "use N processors (default: all); the output does not depend on it"),
    OPTION_END,
};

static void print_vectors(const void *json, FILE *out)
{
    json_dumpf(json, out, JSON_INDENT(1));
    fputc('\n', out);
}

static void write_trace(int job, void *context, FILE *out)
{
    struct vectors_options *to = context;
    char path[PATH_BYTES];
    (void)out;
    json_t *json = vectors_of(to->paths.path[job], to->sample, &to->why[job]);
    if (json == NULL) return;
    snprintf(path, sizeof path, "%s/%s.json", to->output, score_trace_name(to->paths.path[job]).at);
    if (save_written(path, print_vectors, json, &to->why[job])) to->why[job].at[0] = '\0';
    json_decref(json);
}

static bool write_arena(const struct vectors_options *to, struct text *why)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/arena.bin", to->output);
    return !to->has_arena || save_file(path, (const char *)arena()->bytes, ARENA_BYTES, why);
}

int command_vectors(int argc, char **argv)
{
    static const struct command_line line = {
        .usage = "[PATH...]",
        .help = "Writes the recordings (files, or all in a folder) as JSON files of vectors, which other programs can "
                "judge "
                "by: docs/conformance-kit.md.",
        .options = options,
        .argument = take_path,
    };
    static struct vectors_options to = {.sample = DEFAULT_SAMPLE};
    char installed[PATH_BYTES];
    struct text why = {"there is no trace"};
    command_line_read(&line, argc, argv, &to);
    if (to.output == NULL) return command_usage("vectors", "--output is needed: a folder");
    const char *traces = to.paths.count == 0 ? program_traces(installed, sizeof installed) : NULL;
    if (traces != NULL && !trace_paths_add(&to.paths, traces, &why)) return command_usage("vectors", "%s", why.at);
    if (to.paths.count == 0) return command_usage("vectors", "%s", why.at);
    if (mkdir(to.output, 0777) != 0 && errno != EEXIST)
        return command_usage("vectors", "%s: %s", to.output, strerror(errno));
    to.why = shared_memory(TRACE_PATHS_MOST * sizeof *to.why);
    if (to.why == NULL) return command_usage("vectors", "not enough memory");
    const struct jobs jobs = {.count = to.paths.count, .run = write_trace, .context = &to, .label = "vectors"};
    const enum workers_end end = workers_run(&jobs, to.jobs, stderr);
    for (int i = 0; i < to.paths.count; i++)
        if (to.why[i].at[0] != '\0') return command_usage("vectors", "%s", to.why[i].at);
    if (end != WORKERS_DONE) return command_usage("vectors", "interrupted; not all files were written");
    if (!write_arena(&to, &why)) return command_usage("vectors", "%s", why.at);
    printf("%d files in %s\n", to.paths.count, to.output);
    return EXIT_AGREE;
}
