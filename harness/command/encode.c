// SPDX-License-Identifier: MIT
// `tmaref encode`: the 128 bytes that an H200's driver makes of a tensor-map call, or every reason why it refuses.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "files.h"
#include "json.h"
#include "map_bytes.h"
#include "map_options.h"
#include "map_text.h"

struct encode_options {
    struct map_options map;
    const char *input, *raw;
    int json, words;
};

static void check_line(const void *line, struct argp_state *state)
{
    const struct encode_options *to = line;
    if (to->input != NULL && to->map.given != 0) argp_error(state, "options of the map, or a JSON file, not both");
}

#define TO struct encode_options
static const struct command_option rows_of_options[] = {
    OPTION_TITLE(4, "The output:"),
    OPTION_FLAG(0, "words", words, "print sixteen 64-bit words instead of one line of hex"),
    OPTION_TEXT(0, "raw", "FILE", raw,
                "also write the 128 bytes into FILE; - is standard output, and nothing else is printed"),
    OPTION_FLAG(0, "json", json, "print a JSON object"),
    OPTION_END,
};

static int read_call(const struct encode_options *options, struct map_args *args, struct text *why)
{
    if (options->input == NULL) return map_options_read(&options->map, args, why);
    size_t size;
    char *text = read_file(options->input, (size_t)1 << 20, &size, why);
    if (text == NULL) return 0;
    int ok = map_json_read(text, options->input, args, why);
    free(text);
    return ok;
}

// What the call returns; a driver that crashes returns nothing.
static void print_answer(const struct map_args *args, enum rule rule)
{
    int error = rule_cuda_error(rule);
    if (rule != RULE_OK && rule_row(rule)->sm_90a == OUTCOME_CRASH)
        printf("%s crashes the process on an H200:\n", map_function_name(args->function));
    else if (rule != RULE_OK)
        printf("%s returns %s (%d):\n", map_function_name(args->function), cuda_error_name(error), error);
}

// What nobody asked for and the map has nevertheless.
static void print_left_out(const struct map_options *given, const struct tensormap *map)
{
    if (given->given == 0 || given->replace != NULL) return;
    const char *const left_out[] = {given->address == NULL ? "globalAddress 0" : NULL,
                                    given->strides == NULL && map->rank > 1 ? "globalStrides packed" : NULL,
                                    given->estride == NULL ? "elementStrides 1" : NULL};
    int count = 0;
    for (size_t i = 0; i < sizeof left_out / sizeof left_out[0]; i++)
        if (left_out[i] != NULL) printf("%s%s", count++ == 0 ? "\nDefaults used: " : ", ", left_out[i]);
    if (count != 0) printf(".\n");
}

static json_t *answer_json(const struct map_args *args, enum rule rule, const struct tensormap_image *image)
{
    struct tensormap map;
    tensormap_decode(image, &map, NULL);
    json_t *json = rule == RULE_OK ? map_json(image, &map) : json_object();
    if (rule != RULE_OK) json_object_set_new(json, "call", fields_write(&map_fields, args));
    json_object_set_new(json, "function", json_string(map_function_name(args->function)));
    json_object_set_new(json, "result", json_integer(rule_cuda_error(rule)));
    json_object_set_new(json, "resultName", json_string(cuda_error_name(rule_cuda_error(rule))));
    return json;
}

static void print_map(const struct encode_options *options, const struct tensormap_image *image)
{
    struct tensormap map;
    tensormap_decode(image, &map, NULL);
    options->words ? map_print_words(image, stdout) : map_print_hex(image, stdout);
    printf("\n");
    map_print_fields(&map, stdout);
    print_left_out(&options->map, &map);
}

static void print(const struct encode_options *options, const struct map_args *args, enum rule rule,
                  const struct tensormap_image *image, const struct findings *findings)
{
    if (options->json) {
        json_t *json = answer_json(args, rule, image);
        json_object_set_new(json, "findings", findings_array(findings));
        json_print(json, JSON_INDENT(2));
        return;
    }
    if (rule == RULE_OK) print_map(options, image);
    if (rule == RULE_OK && findings->count != 0) printf("\nAn H200 accepts this call; the documents forbid it:\n");
    print_answer(args, rule);
    findings_print(findings, stdout);
}

int command_encode(int argc, char **argv)
{
    static const struct command_line line = {
        .usage = "[CALL.json]",
        .help =
            "Make the 128 bytes that an H200's driver makes for a cuTensorMapEncode call, or list every reason why it "
            "refuses.\vInstead of options, a JSON object with the driver's parameter names as keys can be given in a "
            "file, or '-' for standard input. Exit status: 0 encoded, 1 refused, 2 wrong arguments.",
        .options = rows_of_options,
        .twice = "one file at a time, not also '%s'",
        .argument_at = offsetof(TO, input),
        .end = check_line,
        .part = &map_line,
        .part_at = offsetof(TO, map),
    };
    struct encode_options to = {0};
    struct map_args args;
    struct text why;
    struct tensormap_image image = {{0}};
    struct findings findings = {0};
    command_line_read(&line, argc, argv, &to);
    if (!read_call(&to, &args, &why)) return command_usage("encode", "%s", why.at);

    enum rule rule = map_args_encode(&args, &image, &findings);
    if (rule == RULE_OK && to.raw != NULL && strcmp(to.raw, "-") == 0) {
        fwrite(image.word, 1, TENSORMAP_BYTES, stdout);
        return EXIT_AGREE;
    }
    if (rule == RULE_OK && to.raw != NULL && !save_file(to.raw, (const char *)image.word, TENSORMAP_BYTES, &why))
        return command_usage("encode", "--raw: %s", why.at);
    print(&to, &args, rule, &image, &findings);
    return rule == RULE_OK ? EXIT_AGREE : EXIT_MISMATCH;
}
