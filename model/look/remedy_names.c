// SPDX-License-Identifier: MIT
#include "remedy_names.h"

#include <ctype.h>
#include <string.h>

static bool is_of_name(char letter)
{
    return isalnum((unsigned char)letter) || letter == '_' || letter == '%' || letter == '.';
}

// The next register, or address in brackets, at or behind `at`; NULL: there is none.
static const char *next_name(const char *at, bool is_address, size_t *length)
{
    at = strchr(at, is_address ? '[' : '%');
    if (at == NULL) return NULL;
    const char *close = strchr(at, ']');
    if (is_address && close == NULL) return NULL;
    *length = is_address ? (size_t)(close - at) + 1 : 1;
    while (!is_address && is_of_name(at[*length])) ++*length;
    return at;
}

static void add(struct remedy_names *names, const char *from, size_t from_length, const char *to, size_t to_length)
{
    if (names->count == sizeof names->item / sizeof names->item[0]) return;
    if (from_length >= REMEDY_FROM_BYTES || to_length >= REMEDY_FROM_BYTES) return;
    memcpy(names->item[names->count].from, from, from_length);
    names->item[names->count].from[from_length] = '\0';
    memcpy(names->item[names->count].to, to, to_length);
    names->item[names->count++].to[to_length] = '\0';
}

// Addresses come first: they have registers in them.
void remedy_names_add(struct remedy_names *names, const char *one, const char *other)
{
    for (int is_address = 1; is_address >= 0; is_address--) {
        size_t length, other_length;
        const char *from = next_name(one, is_address, &length), *to = next_name(other, is_address, &other_length);
        while (from != NULL && to != NULL) {
            add(names, from, length, to, other_length);
            from = next_name(from + length, is_address, &length);
            to = next_name(to + other_length, is_address, &other_length);
        }
    }
}

// Which name stands here; count: none does.
static uint32_t name_at(const struct remedy_names *names, const char *at, char before)
{
    for (uint32_t i = 0; i < names->count; i++) {
        const char *from = names->item[i].from;
        const size_t length = strlen(from);
        if (strncmp(at, from, length) != 0) continue;
        if (from[0] == '[' || (!is_of_name(before) && !is_of_name(at[length]))) return i;
    }
    return names->count;
}

bool remedy_names_put(const struct remedy_names *names, const char *text, char *renamed, uint32_t bytes)
{
    size_t length = 0;
    for (const char *at = text; *at != '\0';) {
        const uint32_t i = name_at(names, at, at > text ? at[-1] : ' ');
        const char *to = i < names->count ? names->item[i].to : at;
        const size_t to_length = i < names->count ? strlen(to) : 1;
        if (length + to_length >= bytes) return false;
        memcpy(renamed + length, to, to_length);
        length += to_length;
        at += i < names->count ? strlen(names->item[i].from) : 1;
    }
    renamed[length] = '\0';
    return true;
}
