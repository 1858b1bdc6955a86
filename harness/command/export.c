// SPDX-License-Identifier: MIT
// `tmaref export`: recordings as CUDA programs that check themselves.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "command.h"
#include "command_option.h"
#include "export.h"
#include "score.h"
#include "trace_file.h"

enum { DEFAULT_SAMPLE = 20, MOST_CASES = 2000, PATH_BYTES = 4096 };

struct export_options {
    const char *output;
    uint64_t sample;
    struct trace_paths paths;
};

static void take_path(void *line, char *argument, struct argp_state *state)
{
    struct export_options *to = line;
    struct text why;
    if (!trace_paths_add(&to->paths, argument, &why)) argp_error(state, "%s", why.at);
}

#define TO struct export_options
static const struct command_option options[] = {
    OPTION_TEXT('o', "output", "DIR", output, "the folder of the programs; it is made where it is not there"),
    OPTION_NUMBER('s', "sample", "N", sample, 1, MOST_CASES,
                  "at most N cases of each trace, evenly spread (default 20)"),
    OPTION_END,
};

// Writes the program of a trace; 0 with `why`.
static int write_trace(const struct export_options *to, const char *trace, struct text *why)
{
    char path[PATH_BYTES], *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    int ok = export_program(trace, to->sample, out, why);
    fclose(out);
    snprintf(path, sizeof path, "%s/check_%s.cu", to->output, score_trace_name(trace).at);
    ok = ok && save_file(path, text, bytes, why);
    if (ok) printf("%s\n", path);
    free(text);
    return ok;
}

int command_export(int argc, char **argv)
{
    static const struct command_line line = {
        .usage = "TRACE...",
        .help = "Writes recordings as CUDA programs with the expected bytes inside. A program prints PASSED, or place, "
                "expected and found byte: docs/conformance-kit.md.",
        .options = options,
        .argument = take_path,
    };
    static struct export_options to = {.sample = DEFAULT_SAMPLE};
    struct text why;
    command_line_read(&line, argc, argv, &to);
    if (to.output == NULL) return command_usage("export", "--output is needed: a folder");
    if (to.paths.count == 0) return command_usage("export", "which recordings?");
    if (mkdir(to.output, 0777) != 0 && errno != EEXIST)
        return command_usage("export", "%s: %s", to.output, strerror(errno));
    for (int i = 0; i < to.paths.count; i++)
        if (!write_trace(&to, to.paths.path[i], &why)) return command_usage("export", "%s", why.at);
    return EXIT_AGREE;
}
