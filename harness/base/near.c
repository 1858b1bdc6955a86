// SPDX-License-Identifier: MIT
#include "near.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "dtype.h"

enum { MAX_NAME = 64, MAX_PROPOSALS = 3 };

// How many letters have to be changed, put in or left out to make one of the other. Names are cut at MAX_NAME.
static int distance(const char *one, const char *other)
{
    int above[MAX_NAME + 1], columns = (int)strnlen(other, MAX_NAME);
    for (int j = 0; j <= columns; j++) above[j] = j;
    for (int i = 0; one[i] != '\0' && i < MAX_NAME; i++) {
        int diagonal = above[0];
        above[0] = i + 1;
        for (int j = 0; j < columns; j++) {
            int change = diagonal + (toupper((unsigned char)one[i]) != toupper((unsigned char)other[j]));
            diagonal = above[j + 1];
            int shorter = above[j] < diagonal ? above[j] : diagonal;
            above[j + 1] = shorter + 1 < change ? shorter + 1 : change;
        }
    }
    return above[columns];
}

// How far `word` is from a name; a part of the name is close to it, how the name begins closer.
static int farness(const char *word, const char *name)
{
    int far = distance(word, name);
    if (strlen(word) >= 2 && strncasecmp(name, word, strlen(word)) == 0 && far > 1) return 1;
    return strlen(word) >= 4 && strcasestr(name, word) != NULL && far > 2 ? 2 : far;
}

struct text near_names(const char *word, const char *(*name_at)(int i))
{
    struct text list = {""};
    int length = (int)strlen(word), limit = length / 3 > 2 ? length / 3 : 2, count = 0;
    if (limit >= length) limit = length - 1; // a word of which no letter is left means nothing
    for (int far = 0; far <= limit && count < MAX_PROPOSALS; far++)
        for (int i = 0; name_at(i) != NULL && count < MAX_PROPOSALS; i++) {
            if (farness(word, name_at(i)) != far) continue;
            size_t used = strlen(list.at);
            snprintf(list.at + used, sizeof list.at - used, "%s%s", count++ == 0 ? "; did you mean " : ", ",
                     name_at(i));
        }
    if (count != 0) strcat(list.at, "?");
    return list;
}

struct text near_all(const char *(*name_at)(int i))
{
    struct text list = {""};
    int count = 0;
    while (name_at(count) != NULL) count++;
    for (int i = 0; i < count; i++) text_add_name(&list, name_at(i), i, count);
    return list;
}

// What frameworks and compilers call the types. A tensor map has no type of 8 or 4 bits but u8.
static const struct {
    const char *word, *hint;
} dtype_hints[] = {
    {"half", "; did you mean f16?"},
    {"fp16", "; did you mean f16?"},
    {"__half", "; did you mean f16?"},
    {"bfloat", "; did you mean bf16?"},
    {"float", "; did you mean f32?"},
    {"fp32", "; did you mean f32?"},
    {"float32.ftz", "; did you mean f32.ftz?"},
    {"double", "; did you mean f64?"},
    {"fp64", "; did you mean f64?"},
    {"fp8", "; FP8 moves as u8"},
    {"e4m3", "; FP8 moves as u8"},
    {"e5m2", "; FP8 moves as u8"},
    {"float8_e4m3fn", "; FP8 moves as u8"},
    {"float8_e5m2", "; FP8 moves as u8"},
    {"s8", "; bytes with a sign move as u8"},
    {"i8", "; bytes with a sign move as u8"},
    {"int8", "; bytes with a sign move as u8"},
    {"char", "; bytes move as u8"},
    {"bool", "; bytes move as u8"},
    {"s16", "; 16 bits with a sign move as u16"},
    {"i16", "; 16 bits with a sign move as u16"},
    {"int16", "; 16 bits with a sign move as u16"},
    {"short", "; 16 bits with a sign move as u16"},
    {"i32", "; did you mean s32?"},
    {"int", "; did you mean s32?"},
    {"i64", "; did you mean s64?"},
    {"long", "; did you mean s64?"},
};

static const char *dtype_name_at(int i)
{
    return i < DTYPE_COUNT       ? dtype_row((enum dtype)i)->ptx
           : i < 2 * DTYPE_COUNT ? dtype_row((enum dtype)(i - DTYPE_COUNT))->name
                                 : NULL;
}

struct text near_dtype(const char *word)
{
    struct text hint;
    for (size_t i = 0; i < sizeof dtype_hints / sizeof dtype_hints[0]; i++) {
        if (strcasecmp(word, dtype_hints[i].word) != 0) continue;
        text_set(&hint, "%s", dtype_hints[i].hint);
        return hint;
    }
    return near_names(word, dtype_name_at);
}
