// SPDX-License-Identifier: MIT
#include "why_place.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// A number that ends where the text does, decimal or 0x and hexadecimal.
static bool read_number(const char *text, uint64_t *value)
{
    char *end;
    if (*text < '0' || *text > '9') return false;
    errno = 0;
    *value = strtoull(text, &end, text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 16 : 10);
    return errno == 0 && *end == '\0';
}

// Cuts the text at the last `mark`, and reads the number behind it. 0 if that is none; without a mark, nothing is done.
static bool cut_number(char *text, char mark, uint64_t *value)
{
    char *at = strrchr(text, mark);
    if (at == NULL) return true;
    *at = '\0';
    return read_number(at + 1, value);
}

// ":BYTES" at the end: a colon with nothing but digits behind it.
static bool cut_bytes(char *text, struct why_place *place)
{
    char *colon = strrchr(text, ':');
    uint64_t bytes = WHY_WIDTH;
    if (colon != NULL && colon[1] != '\0' && strspn(colon + 1, "0123456789") == strlen(colon + 1)) {
        *colon = '\0';
        if (!read_number(colon + 1, &bytes)) return false;
    }
    place->bytes = (uint32_t)bytes;
    return bytes > 0 && bytes <= WHY_MOST_WIDTH && (bytes & (bytes - 1)) == 0;
}

static bool cut_cta(char *text, struct why_place *place)
{
    char *at = strrchr(text, '@');
    struct look_triple triple;
    if (at == NULL) return true;
    *at = '\0';
    if (!look_triple_read(at + 1, &triple)) return false;
    memcpy(place->cta, triple.value, sizeof place->cta);
    place->ctas = strchr(at + 1, ',') != NULL ? 3 : 1;
    return true;
}

// The colon between the kernel and the name: of "::" it is neither.
static char *colon_of(char *text)
{
    for (char *at = text + strlen(text); at > text; at--) {
        if (*at != ':') continue;
        if (at[-1] != ':' && at[1] != ':') return at;
        at--;
    }
    return NULL;
}

static bool cut_kernel(char *text, struct why_place *place)
{
    char *colon = colon_of(text);
    const char *name = colon != NULL ? colon + 1 : text;
    if (colon != NULL) {
        *colon = '\0';
        place->launch = UINT64_MAX;
        if (!cut_number(text, '#', &place->launch) || place->launch == 0 || *text == '\0') return false;
        if (place->launch == UINT64_MAX) place->launch = 0;
        strcpy(place->kernel, text);
    }
    if (*name == '\0' || *name == ':' || name[strlen(name) - 1] == ':' || strlen(name) >= sizeof place->name)
        return false;
    strcpy(place->name, name);
    return true;
}

static bool read_named(char *text, struct why_place *place)
{
    if (!cut_cta(text, place) || !cut_number(text, '+', &place->offset)) return false;
    return cut_kernel(text, place);
}

static bool read_allocation(char *text, struct why_place *place)
{
    place->kind = WHY_ALLOCATION;
    return cut_number(text, '+', &place->offset) && read_number(text, &place->number) && place->number > 0;
}

bool why_place_read(const char *text, struct why_place *place)
{
    static const char global[] = "global:", allocation[] = "alloc:";
    char room[sizeof place->kernel];
    *place = (struct why_place){.kind = WHY_NAME};
    if (strlen(text) >= sizeof room) return false;
    strcpy(room, text);
    if (strncmp(room, global, strlen(global)) == 0) {
        char *address = room + strlen(global);
        place->kind = WHY_ADDRESS;
        return cut_bytes(address, place) && read_number(address, &place->number);
    }
    if (strncmp(room, allocation, strlen(allocation)) == 0) {
        char *number = room + strlen(allocation);
        return cut_bytes(number, place) && read_allocation(number, place);
    }
    return cut_bytes(room, place) && read_named(room, place);
}

bool look_why_check(const char *text)
{
    struct why_place place;
    return why_place_read(text, &place);
}
