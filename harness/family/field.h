// SPDX-License-Identifier: MIT
// The fields of a case, declared once. The table gives JSON both ways, the limits, the sentence that refuses a value,
// the tests of all these (tests/unit/family_case_test.c) and the page of the trace format (`tmaref list --fields`).
#ifndef TMAREF_FIELD_H
#define TMAREF_FIELD_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "json.h"
#include "result.h"

enum field_kind {
    FIELD_NUMBER,  // a whole number from `least` to `most`
    FIELD_SIGNED,  // an array of any int32_t
    FIELD_NAME,    // one of `names`; the struct holds its position, as a uint32_t
    FIELD_MAP,     // a struct map_args
    FIELD_LIST,    // a list of structs, `each` of them; the struct holds their number at `count_at`, as a uint32_t
    FIELD_SPECIAL, // what write() and read() make of it
};

struct fields;

// One key of a case's JSON object, and what of the struct it stands for. Functions get the case as far as it has been
// read: the fields before this one.
struct field {
    const char *key, *meaning; // `meaning` is a sentence for the page of the format
    enum field_kind kind;
    size_t at, bytes;         // where the member is in the struct; the size of one number there: 4 or 8
    uint64_t least, most;     // from and to which they are legal
    const char *const *names; // NULL ends them

    // An array: exactly so many numbers; both absent: a number on its own. Of FIELD_LIST: at most so many.
    uint32_t count;
    uint32_t (*count_of)(const void *of);

    // Does such a case have the field? `where` says which do, for the page. NULL: all do.
    int (*is_there)(const void *of);
    const char *where;

    // What is wrong with the case once it has the field, or NULL: for what must hold before later fields are read.
    const char *(*illegal)(const void *of);

    // A key that may be left out, and is where the value is 0.
    int is_optional;

    // Where the struct holds, as a uint32_t, whether the key is there; 0: nowhere.
    size_t presence_at;

    const struct fields *each;
    size_t each_bytes, count_at;

    void (*write)(const void *of, json_t *json);
    int (*read)(struct json_reader *reader, void *of, struct text *why);
};

// All fields of a struct, in the order in which they are written and read; a row without a key ends them. `name` names
// the object in sentences. illegal() says what is wrong with a struct whose fields are each legal, or NULL; a NULL
// function: nothing can be. start() sets what no key does.
struct fields {
    const char *name;
    const struct field *field;
    size_t bytes; // of the struct
    const char *(*illegal)(const void *of);
    void (*start)(void *of);
};

// The rows of a table: keys of the struct CASE, which the file defines. The last argument is the meaning, which other
// members may follow: FIELD_NUMBER("late", late, 0, 16, "the rank that comes late", .is_there = is_late).
#define FIELD_NUMBER(json_key, member, least_number, most_number, ...)                                                 \
    {                                                                                                                  \
        .key = json_key, .at = offsetof(CASE, member), .bytes = sizeof(((CASE *)0)->member), .least = least_number,    \
        .most = most_number, .meaning = __VA_ARGS__                                                                    \
    }
#define FIELD_ONE_OF(json_key, member, all_names, ...)                                                                 \
    {                                                                                                                  \
        .key = json_key, .kind = FIELD_NAME, .at = offsetof(CASE, member), .bytes = sizeof(((CASE *)0)->member),       \
        .names = all_names, .meaning = __VA_ARGS__                                                                     \
    }
// So many numbers; or as many as `number(case)` says.
#define FIELD_NUMBERS(json_key, member, number, least_number, most_number, ...)                                        \
    {                                                                                                                  \
        .key = json_key, .at = offsetof(CASE, member), .bytes = sizeof(((CASE *)0)->member[0]), .count = number,       \
        .least = least_number, .most = most_number, .meaning = __VA_ARGS__                                             \
    }
#define FIELD_NUMBERS_OF(json_key, member, number, least_number, most_number, ...)                                     \
    {                                                                                                                  \
        .key = json_key, .at = offsetof(CASE, member), .bytes = sizeof(((CASE *)0)->member[0]), .count_of = number,    \
        .least = least_number, .most = most_number, .meaning = __VA_ARGS__                                             \
    }
#define FIELD_COORDINATES(json_key, member, number, ...)                                                               \
    {                                                                                                                  \
        .key = json_key, .kind = FIELD_SIGNED, .at = offsetof(CASE, member), .bytes = sizeof(int32_t),                 \
        .count_of = number, .meaning = __VA_ARGS__                                                                     \
    }
#define FIELD_MAP_OF(member, ...)                                                                                      \
    {                                                                                                                  \
        .key = "map", .kind = FIELD_MAP, .at = offsetof(CASE, member), .meaning = __VA_ARGS__                          \
    }
// A list of up to `most_elements` structs, whose number is in `counter`.
#define FIELD_LIST_OF(json_key, member, counter, elements, most_elements, ...)                                         \
    {                                                                                                                  \
        .key = json_key, .kind = FIELD_LIST, .at = offsetof(CASE, member), .each = elements, .least = 1,               \
        .each_bytes = sizeof(((CASE *)0)->member[0]), .count_at = offsetof(CASE, counter), .count = most_elements,     \
        .meaning = __VA_ARGS__                                                                                         \
    }
#define FIELD_SEED FIELD_NUMBER("seed", seed, 0, UINT32_MAX, "what fills memory follows from it")
#define FIELD_END                                                                                                      \
    {                                                                                                                  \
        .key = NULL                                                                                                    \
    }

json_t *fields_write(const struct fields *fields, const void *of);

// 0 with a sentence in `why` when `json` is no such object.
int fields_read(const struct fields *fields, const json_t *json, void *of, struct text *why);

#endif
