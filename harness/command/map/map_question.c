// SPDX-License-Identifier: MIT
#include "map_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "map_bytes.h"
#include "map_text.h"
#include "parse_number.h"

// The map a call makes; a call that is refused is answered here, as 'tmaref encode' does.
static int encode_map(const char *command, const struct map_args *args, struct tensormap *map)
{
    struct tensormap_image image;
    struct findings findings = {0};
    enum rule rule = map_args_encode(args, &image, &findings);
    if (rule == RULE_OK) {
        tensormap_decode(&image, map, NULL);
        return EXIT_AGREE;
    }
    fprintf(stderr, "tmaref %s: there is no such map: %s refuses\n", command, map_function_name(args->function));
    findings_print(&findings, stderr);
    return EXIT_MISMATCH;
}

// --map: a JSON call or bytes.
static int read_map_text(const char *command, const char *argument, struct tensormap *map)
{
    struct text why;
    struct map_args args;
    struct tensormap_image image;
    size_t size;
    int status = EXIT_AGREE;
    char *text = argument_text(argument, &size, &why);
    if (text == NULL) return command_usage(command, "--map: %s", why.at);
    if (text[strspn(text, " \t\r\n")] == '{') {
        if (map_json_read(text, "--map", &args, &why))
            status = encode_map(command, &args, map);
        else
            status = command_usage(command, "%s", why.at);
    } else if (map_bytes_parse(text, size, "--map", &image, &why)) {
        tensormap_decode(&image, map, NULL);
    } else {
        status = command_usage(command, "%s", why.at);
    }
    free(text);
    return status;
}

int map_question_read(const char *command, const char *map_text, const struct map_options *options,
                      struct tensormap *map)
{
    struct text why;
    struct map_args args;
    int status;
    if (map_text != NULL) {
        status = read_map_text(command, map_text, map);
    } else {
        if (!map_options_read(options, &args, &why)) return command_usage(command, "%s", why.at);
        status = encode_map(command, &args, map);
    }
    if (status == EXIT_AGREE && (map->rank > TENSORMAP_MAX_RANK || map->dtype == DTYPE_COUNT))
        return command_usage(command, "--map: no encoder makes these bytes; 'tmaref decode' says why");
    return status;
}

int index_read(const char *command, const char *option, const char *text, const struct indices *wanted, int64_t *index)
{
    struct text why;
    int64_t values[16];
    int count = parse_i64_list(text, wanted->min, wanted->max, 16, values, &why);
    if (count == 0) return command_usage(command, "--%s: %s", option, why.at);
    if (count != wanted->count)
        return command_usage(command, "--%s: has %d numbers, %s is %d", option, count, wanted->what, wanted->count);
    memcpy(index, values, (size_t)count * sizeof values[0]);
    return EXIT_AGREE;
}

int address_read(const char *command, const char *option, const char *text, uint32_t *address)
{
    uint64_t value;
    if (!parse_u64(text, UINT32_MAX, &value))
        return command_usage(command, "--%s: '%s' is not a 32-bit shared address, decimal or 0x...", option, text);
    *address = (uint32_t)value;
    return EXIT_AGREE;
}
