// SPDX-License-Identifier: MIT
// The lines of an adapter in C (docs/conformance-kit.md), with jansson: requests are read, families asked, answers
// written. What runs the cases is the adapter's own: adapter.c.
#ifndef TMAREF_ADAPTER_LINES_H
#define TMAREF_ADAPTER_LINES_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The shared memory that the kernels of the families have, from SHARED on, and the global memory of stores and of bulk
// copies.
enum { SHARED = 1024, LOAD_BYTES = 232448, STORE_BYTES = 101376, BULK_BYTES = 203776, STORE_GLOBAL_BYTES = 65536 };
enum { OTHER_CTA = 1 << 24 }; // of a shared::cluster address
#define STORE_GLOBAL ((uint64_t)1 << 46)
#define BULK_GLOBAL  ((uint64_t)1 << 45)

// A family: `run` fills `result` with the windows of a case, or returns why it cannot run the case.
struct adapter_family {
    const char *name;
    const char *(*run)(const json_t *asked, const json_t *c, json_t *result);
};

// --- What a case says: numbers may be strings of hex digits --------------------------------------------------------------

static inline uint64_t number(const json_t *of, const char *key, uint64_t absent)
{
    const json_t *value = json_object_get(of, key);
    if (json_is_string(value)) return strtoull(json_string_value(value), NULL, 0);
    return json_is_integer(value) ? (uint64_t)json_integer_value(value) : absent;
}

static inline uint32_t word(const json_t *of, const char *key)
{
    return (uint32_t)number(of, key, 0);
}

static inline void numbers(const json_t *of, const char *key, void *to, size_t bytes)
{
    const json_t *list = json_object_get(of, key);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *value = json_array_get(list, i);
        uint64_t entry =
            json_is_string(value) ? strtoull(json_string_value(value), NULL, 0) : (uint64_t)json_integer_value(value);
        memcpy((char *)to + i * bytes, &entry, bytes);
    }
}

static inline const char *text(const json_t *of, const char *key)
{
    const char *value = json_string_value(json_object_get(of, key));
    return value != NULL ? value : "";
}

// What memory holds before, into `memory`, whose first byte has the address `first`. Returns how many bytes.
static inline size_t before(const json_t *asked, const char *name, uint8_t *memory, uint64_t first)
{
    const json_t *window = json_object_get(json_object_get(asked, "before"), name);
    const char *hex = text(window, "bytes");
    const size_t count = strlen(hex) / 2;
    for (size_t i = 0; i < count; i++) sscanf(hex + 2 * i, "%2hhx", memory + number(window, "base", 0) - first + i);
    return count;
}

// Window `name` of the result, from `memory`, whose first byte has the address `first`.
static inline void answer(json_t *result, const json_t *asked, const char *name, const void *memory, uint64_t first)
{
    const json_t *window = json_object_get(json_object_get(asked, "windows"), name);
    const uint8_t *from = (const uint8_t *)memory + number(window, "base", 0) - first;
    const uint64_t count = number(window, "size", 0);
    char *digits = malloc(2 * count + 1);
    if (digits == NULL) abort();
    for (uint64_t i = 0; i < count; i++) {
        digits[2 * i] = "0123456789abcdef"[from[i] >> 4];
        digits[2 * i + 1] = "0123456789abcdef"[from[i] & 15];
    }
    json_object_set_new(result, name, json_pack("{s:s#}", "bytes", digits, (size_t)(2 * count)));
    free(digits);
}

// --- Lines -----------------------------------------------------------------------------------------------------------

static inline json_t *adapter_answer(const struct adapter_family *families, size_t count, const json_t *asked)
{
    const char *why = "no such family here";
    json_t *result = json_object();
    for (size_t i = 0; i < count; i++)
        if (strcmp(text(asked, "family"), families[i].name) == 0)
            why = families[i].run(asked, json_object_get(asked, "case"), result);
    json_t *json = json_pack("{s:O}", "index", json_object_get(asked, "index"));
    if (why != NULL) json_object_set_new(json, "unsupported", json_string(why));
    if (why == NULL) json_object_set(json, "result", result);
    json_decref(result);
    return json;
}

// Answers each line of standard input until it ends. Returns the exit status.
static inline int adapter_run(const struct adapter_family *families, size_t count)
{
    char *line = NULL;
    size_t room = 0;
    for (ssize_t length; (length = getline(&line, &room, stdin)) > 0;) {
        json_t *asked = json_loadb(line, (size_t)length, 0, NULL);
        if (asked == NULL) return EXIT_FAILURE;
        json_t *json = adapter_answer(families, count, asked);
        json_dumpf(json, stdout, JSON_COMPACT);
        putchar('\n');
        fflush(stdout);
        json_decref(json), json_decref(asked);
    }
    free(line);
    return EXIT_SUCCESS;
}

#endif
