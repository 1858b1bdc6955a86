// SPDX-License-Identifier: MIT
// `tmaref compare`: two dumps of tmaref_dump(), or two buffers, of one program: one made on a GPU, one under `tmaref
// exec`. Which element is the first that differs?
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "compare_command.h"

enum { OPTION_TYPE = 256, OPTION_SHAPE };

static const struct argp_option option_rows[] = {
    {"type", OPTION_TYPE, "TYPE", 0, "of the elements of raw files: f32, bf16, u8, ... (default: bytes)", 0},
    {"shape", OPTION_SHAPE, "LIST", 0, "of raw files, outermost first as numpy has it: 64,128", 0},
    {"json", 'j', NULL, 0, "print a JSON object", 0},
    {0}};

static error_t parse(int key, char *value, struct argp_state *state)
{
    struct compare_options *to = state->input;
    switch (key) {
    case OPTION_TYPE:
        to->type = value;
        return 0;
    case OPTION_SHAPE:
        to->shape = value;
        return 0;
    case 'j':
        to->json = 1;
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num > 1) argp_error(state, "takes two files, not '%s' too", value);
        to->path[state->arg_num & 1] = value;
        return 0;
    case ARGP_KEY_END:
        if (state->arg_num < 2) argp_error(state, "takes two files");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
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

static void answer(const struct compare *compare, int as_json)
{
    if (!as_json) {
        compare_print(compare);
        return;
    }
    json_t *json = compare_json(compare);
    json_dumpf(json, stdout, JSON_INDENT(2));
    printf("\n");
    json_decref(json);
}

int command_compare(int argc, char **argv)
{
    static const struct argp argp = {
        .options = option_rows,
        .parser = parse,
        .args_doc = "A B",
        .doc = "Compare two files that one program wrote, on a GPU and under 'tmaref exec': dumps of tmaref_dump() "
               "(tmaref_dump.h), .npy files, or raw bytes of buffers. The first element that differs is named, bit for "
               "bit, with its place in the tensor or the buffer.\vOf dumps, what their heads say is compared too, "
               "except clocks and the address of the tensor, which differ from run to run. Exit status: 0 they are "
               "the same; 1 they differ; 2 wrong arguments."};
    struct compare_options options = {0};
    struct compare compare;
    argp_err_exit_status = EXIT_USAGE;
    if (argp_parse(&argp, argc, argv, 0, NULL, &options) != 0) return EXIT_USAGE;
    int status = compare_read(&options, &compare);
    if (status == EXIT_AGREE) {
        count(&compare);
        answer(&compare, options.json);
        status = compare.facts == 0 && compare.different == 0 ? EXIT_AGREE : EXIT_MISMATCH;
    }
    free(compare.side[0].room);
    free(compare.side[1].room);
    return status;
}
