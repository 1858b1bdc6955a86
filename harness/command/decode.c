// SPDX-License-Identifier: MIT
// `tmaref decode`: the fields of 128 bytes, the call that makes them, and what no encoder would have set.
#include <stdio.h>

#include "command.h"
#include "map_bytes.h"
#include "map_text.h"

enum { OPTION_JSON = 256 };

struct decode_options {
    const char *input;
    int json;
};

static const struct argp_option options[] = {
    {"json", OPTION_JSON, NULL, 0, "print a JSON object", 0},
    {0},
};

static error_t parse(int key, char *value, struct argp_state *state)
{
    struct decode_options *to = state->input;
    switch (key) {
    case OPTION_JSON:
        to->json = 1;
        return 0;
    case ARGP_KEY_ARG:
        if (to->input != NULL)
            argp_error(state, "one map at a time, not also '%s'; put digits with blanks between quotes", value);
        to->input = value;
        return 0;
    case ARGP_KEY_END:
        if (to->input == NULL) argp_error(state, "say which map: 256 hex digits, a file, or - for standard input");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void print_text(const struct tensormap *map, const struct findings *findings)
{
    struct map_args args;
    map_print_fields(map, stdout);
    printf("\n");
    if (map_args_of(map, &args))
        map_print_call(&args, stdout);
    else
        printf("No call makes a map with these fields.\n");
    if (findings->count != 0) printf("\nThese are not the bytes an encoder makes:\n");
    findings_print(findings, stdout);
}

static void print_json(const struct tensormap_image *image, const struct tensormap *map,
                       const struct findings *findings)
{
    json_t *json = map_json(image, map);
    json_object_set_new(json, "findings", findings_array(findings));
    json_dumpf(json, stdout, JSON_INDENT(2));
    printf("\n");
    json_decref(json);
}

int command_decode(int argc, char **argv)
{
    static const struct argp argp = {
        options,
        parse,
        "MAP",
        "Name the fields of a tensor map's 128 bytes and the call that makes it.\vMAP is 256 hex digits (lowest byte "
        "first), or a file with them, with 128 raw bytes, or with a dump of cuda-gdb (x/16gx, p/x); '-' is standard "
        "input. Exit status: 0 a map, 1 bytes that no encoder makes, 2 not 128 bytes.",
        NULL,
        NULL,
        NULL};
    struct decode_options to = {0};
    struct tensormap_image image;
    struct tensormap map;
    struct findings findings = {0};
    struct text why;
    if (argp_parse(&argp, argc, argv, 0, NULL, &to) != 0) return EXIT_USAGE;
    if (!map_bytes_read(to.input, &image, &why)) return command_usage("decode", "%s", why.at);
    enum rule rule = tensormap_decode(&image, &map, &findings);
    to.json ? print_json(&image, &map, &findings) : print_text(&map, &findings);
    return rule == RULE_OK ? EXIT_AGREE : EXIT_MISMATCH;
}
