// SPDX-License-Identifier: MIT
// json_check [KEY...] < text: is the text one JSON value? Prints what lies at KEY, KEY of KEY, ... (a number picks an
// entry of an array). json_check --paths < text: every key of the JSON values there, as rules[].id.
// Exit status: 0, 1 no JSON, 2 no such key.
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PATH = 256 };

// "large": a number above 2^63 - 1, which is a string that begins with 0x.
static const char *type_name(const json_t *value)
{
    static const char *const names[] = {"object", "array", "string", "number", "number", "boolean", "boolean", "null"};
    const char *text = json_string_value(value);
    return text != NULL && strncmp(text, "0x", 2) == 0 ? "large" : names[json_typeof(value)];
}

// Prints the path of every value that is no object, with its type; an empty array or object too.
static void print_paths(const char *path, json_t *value)
{
    char below[MAX_PATH];
    const char *key;
    json_t *entry;
    size_t i;
    if (json_is_object(value) && json_object_size(value) > 0) {
        json_object_foreach(value, key, entry)
        {
            snprintf(below, sizeof below, "%.120s%s%.120s", path, path[0] == '\0' ? "" : ".", key);
            print_paths(below, entry);
        }
    } else if (json_is_array(value) && json_array_size(value) > 0) {
        snprintf(below, sizeof below, "%.250s[]", path);
        json_array_foreach(value, i, entry) print_paths(below, entry);
    } else
        printf("%s %s\n", path, type_name(value));
}

static int print_all_paths(void)
{
    json_error_t error;
    json_t *root;
    int values = 0;
    for (; (root = json_loadf(stdin, JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES, &error)) != NULL; values++) {
        print_paths("", root);
        json_decref(root);
    }
    bool ended = json_error_code(&error) == json_error_premature_end_of_input || feof(stdin);
    if (!ended) fprintf(stderr, "json_check: line %d: %s\n", error.line, error.text);
    return values > 0 && ended ? 0 : 1;
}

int main(int argc, char **argv)
{
    json_error_t error;
    if (argc == 2 && strcmp(argv[1], "--paths") == 0) return print_all_paths();
    json_t *root = json_loadf(stdin, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, &error), *at = root;
    if (root == NULL) {
        fprintf(stderr, "json_check: line %d: %s\n", error.line, error.text);
        return 1;
    }
    for (int i = 1; i < argc && at != NULL; i++)
        at = json_is_array(at) ? json_array_get(at, strtoul(argv[i], NULL, 10)) : json_object_get(at, argv[i]);
    if (at != NULL && argc > 1) {
        json_dumpf(at, stdout, JSON_ENCODE_ANY | JSON_COMPACT);
        printf("\n");
    }
    json_decref(root);
    return at == NULL ? 2 : 0;
}
