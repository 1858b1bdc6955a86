// SPDX-License-Identifier: MIT
// The fields of a case, declared once. The table gives JSON both ways, the limits, the sentence that refuses a value,
// the tests of all these (tests/unit/family_case_test.c) and the page of the trace format (`tmaref list --fields`).
#ifndef TMAREF_FIELD_H
#define TMAREF_FIELD_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "draw.h"
#include "json.h"
#include "result.h"

enum field_kind {
    FIELD_NUMBER, // a whole number from `least` to `most`
    FIELD_SIGNED, // any int32_t
    FIELD_NAME,   // a name; the struct holds its position
    FIELD_HEX,    // `bytes` bytes as hex digits
    FIELD_OBJECT, // a struct: `each` tells its fields
    FIELD_LIST,   // a list of structs, `each` of them; the struct holds their number at `count_at`, as a uint32_t
};

// What a missing key stands for: nothing, it is refused; or `absent`, or what supply() sets. A value that is `absent`
// is FIELD_LEFT_OUT when a case is written, or it is written all the same: FIELD_SUPPLIED.
enum field_missing { FIELD_NEEDED, FIELD_LEFT_OUT, FIELD_SUPPLIED };

// A table of what is compiled. Several fields name a row of it together, each by a key: every one narrows down what
// the ones before have left, and the first row that is left counts.
struct field_rows {
    uint32_t count;
    uint64_t (*key)(uint32_t row, uint32_t key);
};

struct fields;

// One key of a case's JSON object, and what of the struct it stands for. Functions get the struct as far as it has been
// read: the fields before this one.
struct field {
    const char *key, *meaning; // `meaning` is a sentence for the page of the format
    enum field_kind kind;
    size_t at, bytes;     // where the member is in the struct; the size of one number there, or of all hex digits
    uint64_t least, most; // from and to which they are legal
    uint32_t multiple;    // above 0: of which they are multiples

    // Names: a list that NULL ends, or a function for 0 to `most`.
    const char *const *names;
    const char *(*name_of)(uint32_t position);

    // A number that may be a name too: 0 if there is none of that name.
    int (*find)(const char *name, uint64_t *number);

    // The member is the row of a table; the value is its key `row_key`, or `count` keys from there on.
    const struct field_rows *rows;
    uint32_t row_key;

    int hex_digits; // above 0: written as a string "0x...", with at least so many digits

    // An array: exactly so many numbers, or as many as the uint32_t at `count_at` says, less `count_less`; all absent:
    // a number on its own. Of FIELD_LIST: at most `count`.
    uint32_t count;
    uint32_t (*count_of)(const void *of);
    size_t count_at;
    uint32_t count_less;

    // Does such a case have the field? Where `only` is not 0, is_there() returns bits, of which one must be among
    // these. `where` says which cases have it, for the page. NULL: all do.
    int (*is_there)(const void *of);
    int only;
    const char *where;

    // In a list or an object: is_there(), count_of() and `count_at` are asked of the whole case.
    bool asks_whole;

    // What is wrong with the case once it has the field, or NULL: for what must hold before later fields are read.
    const char *(*illegal)(const void *of);

    enum field_missing missing;
    uint64_t absent;
    void (*supply)(void *of);

    // Where a random case has it from: a function that sets the member, by the fields before; or rows, for each number
    // of an array; or neither: any value that is legal.
    void (*draw)(struct random *random, void *of);
    const struct draw *draws;

    // Where the struct holds, as a uint32_t, whether the key is there: `presence` (0 counts as 1) if it is. 0: nowhere.
    // All these are known before any field is read.
    size_t presence_at;
    uint32_t presence;

    // A bit that the member has beside the number, and only where the key is there; 0: none.
    uint64_t flag;

    // A struct that may be left out: it is then the one at `like_at` of the whole case.
    bool may_be_like;
    size_t like_at;

    // Of a list: what is wrong with element `i` of the list in `of`, or NULL.
    const struct fields *each;
    size_t each_bytes;
    const char *(*illegal_each)(const void *of, uint32_t i);
};

// All fields of a struct, in the order in which they are written and read; a row without a key ends them. `name` names
// the object in sentences. What is wrong with a struct whose fields are each legal: illegal() says it, or NULL; check()
// returns 0 with a sentence in `why`. start() sets what keys may leave out,
// finish() what follows from them all. Each function may be absent.
struct fields {
    const char *name;
    const struct field *field;
    size_t bytes; // of the struct
    const char *(*illegal)(const void *of);
    int (*check)(const void *of, struct text *why);
    void (*start)(void *of), (*finish)(void *of);
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
#define FIELD_NUMBERS_SIGNED(json_key, member, number, ...)                                                            \
    {                                                                                                                  \
        .key = json_key, .kind = FIELD_SIGNED, .at = offsetof(CASE, member), .bytes = sizeof(int32_t),                 \
        .count = number, .meaning = __VA_ARGS__                                                                        \
    }
#define FIELD_COORDINATES(json_key, member, number, ...)                                                               \
    {                                                                                                                  \
        .key = json_key, .kind = FIELD_SIGNED, .at = offsetof(CASE, member), .bytes = sizeof(int32_t),                 \
        .count_of = number, .meaning = __VA_ARGS__                                                                     \
    }
// As many as the member `counter` says, less `less`.
#define FIELD_NUMBERS_AS(json_key, member, counter, less, least_number, most_number, ...)                              \
    {                                                                                                                  \
        .key = json_key, .at = offsetof(CASE, member), .bytes = sizeof(((CASE *)0)->member[0]),                        \
        .count_at = offsetof(CASE, counter), .count_less = less, .least = least_number, .most = most_number,           \
        .meaning = __VA_ARGS__                                                                                         \
    }
#define FIELD_COORDINATES_AS(json_key, member, counter, ...)                                                           \
    {                                                                                                                  \
        .key = json_key, .kind = FIELD_SIGNED, .at = offsetof(CASE, member), .bytes = sizeof(int32_t),                 \
        .count_at = offsetof(CASE, counter), .meaning = __VA_ARGS__                                                    \
    }
// One of the names that `function` has for 0 to `most_position`.
#define FIELD_NAMED(json_key, member, function, most_position, ...)                                                    \
    {                                                                                                                  \
        .key = json_key, .kind = FIELD_NAME, .at = offsetof(CASE, member), .bytes = sizeof(((CASE *)0)->member),       \
        .name_of = function, .most = most_position, .meaning = __VA_ARGS__                                             \
    }
// A number, or a name, that is key `number` of a row of a table; the member is the row.
#define FIELD_ROW(json_key, member, table, number, ...)                                                                \
    {                                                                                                                  \
        .key = json_key, .at = offsetof(CASE, member), .bytes = sizeof(((CASE *)0)->member), .rows = table,            \
        .row_key = number, .meaning = __VA_ARGS__                                                                      \
    }
#define FIELD_BYTES(json_key, member, ...)                                                                             \
    {                                                                                                                  \
        .key = json_key, .kind = FIELD_HEX, .at = offsetof(CASE, member), .bytes = sizeof(((CASE *)0)->member),        \
        .meaning = __VA_ARGS__                                                                                         \
    }
#define FIELD_OBJECT_OF(json_key, member, of_fields, ...)                                                              \
    {                                                                                                                  \
        .key = json_key, .kind = FIELD_OBJECT, .at = offsetof(CASE, member), .bytes = sizeof(((CASE *)0)->member),     \
        .each = of_fields, .meaning = __VA_ARGS__                                                                      \
    }
#define FIELD_MAP_OF(member, ...) FIELD_OBJECT_OF("map", member, &map_fields, __VA_ARGS__)
// A list of so many structs, whose number is in `counter`.
#define FIELD_LIST_OF(json_key, member, counter, elements, least_elements, most_elements, ...)                         \
    {                                                                                                                  \
        .key = json_key, .kind = FIELD_LIST, .at = offsetof(CASE, member), .each = elements, .least = least_elements,  \
        .each_bytes = sizeof(((CASE *)0)->member[0]), .count_at = offsetof(CASE, counter), .count = most_elements,     \
        .meaning = __VA_ARGS__                                                                                         \
    }
// How it is drawn: FIELD_NUMBER("k", k, 1, 900, "...", DRAWN({80, BETWEEN(1, 9)}, {20, BETWEEN(1, 900)})).
#define DRAWN(...)                                                                                                     \
    .draws = (const struct draw[])                                                                                     \
    {                                                                                                                  \
        __VA_ARGS__,                                                                                                   \
        {                                                                                                              \
            0                                                                                                          \
        }                                                                                                              \
    }
#define FIELD_SEED_AT(member, ...)                                                                                     \
    FIELD_NUMBER("seed", member, 0, UINT32_MAX, "what fills memory follows from it", __VA_ARGS__)
#define FIELD_SEED FIELD_SEED_AT(seed, .missing = FIELD_NEEDED)
#define FIELD_END                                                                                                      \
    {                                                                                                                  \
        .key = NULL                                                                                                    \
    }

// Has `of`, a case or a part of the case `whole`, the field? And how many values has it then?
bool field_is_there(const struct field *field, const void *of, const void *whole);
uint32_t field_values(const struct field *field, const void *of, const void *whole);

// A random case that is legal, field by field in their order. The table has no lists, objects or bytes.
void fields_draw(struct random *random, const struct fields *fields, void *of);

json_t *fields_write(const struct fields *fields, const void *of);

// 0 with a sentence in `why` when `json` is no such object. `name` names it in the sentence.
int fields_read_as(const struct fields *fields, const char *name, const json_t *json, void *of, struct text *why);
int fields_read(const struct fields *fields, const json_t *json, void *of, struct text *why);

#endif
