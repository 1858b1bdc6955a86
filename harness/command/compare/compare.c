// SPDX-License-Identifier: MIT
// `tmaref compare`: two dumps of tmaref_dump(), or two buffers, of one program: one made on a GPU, one under `tmaref
// exec`. Which element is the first that differs?
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "command_option.h"
#include "compare_command.h"
#include "json.h"

#define TO struct compare_options
static const struct command_option option_rows[] = {
    OPTION_TEXT(0, "type", "TYPE", type, "type of the elements of raw files: f32, bf16, u8, ... (default: bytes)"),
    OPTION_TEXT(0, "shape", "LIST", shape, "shape of raw files, outermost first as in NumPy: 64,128"),
    OPTION_FLAG('j', "json", json, "print a JSON object"),
    OPTION_END,
};

static void take_path(void *line, char *argument, struct argp_state *state)
{
    struct compare_options *to = line;
    if (state->arg_num > 1) argp_error(state, "takes two files, not '%s' too", argument);
    to->path[state->arg_num & 1] = argument;
}

static void check_line(const void *line, struct argp_state *state)
{
    (void)line;
    if (state->arg_num < 2) argp_error(state, "takes two files");
}

static void count(struct compare *compare)
{
    const uint32_t bytes = compare->element_bytes;
    for (uint64_t i = 0; i < compare->elements; i++) {
        if (memcmp(compare->side[0].bytes + i * bytes, compare->side[1].bytes + i * bytes, bytes) == 0) continue;
        if (compare->different++ == 0) compare->first = i;
        compare->last = i;
        uint64_t ulps = compare_ulps(compare, i);
        if (ulps > compare->largest_ulps) compare->largest_ulps = ulps;
    }
}

int command_compare(int argc, char **argv)
{
    static const struct command_line line = {
        .usage = "A B",
        .options = option_rows,
        .argument = take_path,
        .end = check_line,
        .help =
            "Compare two files that one program wrote, on a GPU and under 'tmaref exec': dumps of tmaref_dump() "
            "(tmaref_dump.h), .npy files, or raw bytes of buffers. The first element that differs is named, bit for "
            "bit, with its place in the tensor or the buffer.\vOf dumps, what their heads say is compared too, "
            "except clocks and the address of the tensor, which differ from run to run. Exit status: 0 they are "
            "the same; 1 they differ; 2 wrong arguments.",
    };
    struct compare_options options = {0};
    struct compare compare;
    command_line_read(&line, argc, argv, &options);
    int status = compare_read(&options, &compare);
    if (status == EXIT_AGREE) {
        count(&compare);
        if (options.json)
            json_print(compare_json(&compare), JSON_INDENT(2));
        else
            compare_print(&compare);
        status = compare.facts == 0 && compare.different == 0 ? EXIT_AGREE : EXIT_MISMATCH;
    }
    free(compare.side[0].room);
    free(compare.side[1].room);
    return status;
}
