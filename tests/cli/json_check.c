// SPDX-License-Identifier: MIT
// json_check [KEY...] < text: is the text one JSON value? Prints what lies at KEY, KEY of KEY, ... (a number picks an
// entry of an array). Exit status: 0, 1 no JSON, 2 no such key.
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    json_error_t error;
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
