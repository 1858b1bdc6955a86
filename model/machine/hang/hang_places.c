// SPDX-License-Identifier: MIT
// The places that the likely mistake is about, for the first line of a report: editors show no more of it.
#include <string.h>

#include "hang.h"
#include "report.h"

// The next "pipe.cu:12" of a text, and its length; NULL: there is none.
static const char *next_place(const char *text, size_t *length)
{
    for (const char *colon = strchr(text, ':'); colon != NULL; colon = strchr(colon + 1, ':')) {
        const char *begin = colon;
        const size_t digits = strspn(colon + 1, "0123456789");
        while (begin > text && strchr(" (\n", begin[-1]) == NULL) begin--;
        *length = (size_t)(colon + 1 - begin) + digits;
        if (digits > 0 && begin < colon) return begin;
    }
    return NULL;
}

static bool is_named(const char *text, size_t bytes, const char *place, size_t length)
{
    for (size_t i = 0; i + length <= bytes; i++)
        if (strncmp(text + i, place, length) == 0 && (text[i + length] < '0' || text[i + length] > '9')) return true;
    return false;
}

uint32_t hang_see(const char *likely, const char *named, struct hang_see see[HANG_MOST_SEEN])
{
    uint32_t places = 0;
    size_t length;
    for (const char *at = next_place(likely, &length); at != NULL && places < HANG_MOST_SEEN;
         at = next_place(at + length, &length)) {
        const size_t before = (size_t)(at - likely);
        if (is_named(named, strlen(named), at, length) || is_named(likely, before, at, length)) continue;
        see[places++] = (struct hang_see){at, (int)length};
    }
    return places;
}

void hang_add_places(struct machine_text *to, const char *likely, const char *named)
{
    struct hang_see see[HANG_MOST_SEEN];
    const uint32_t places = hang_see(likely, named, see);
    for (uint32_t i = 0; i < places; i++)
        machine_text_add(to, "%s%.*s", i == 0 ? "; see " : ", ", see[i].length, see[i].at);
}
