// SPDX-License-Identifier: MIT
#include "sanitize_spread.h"

#include <string.h>

#include "ptx_body.h"

// A line of the function: the .loc in front of it, its guard and its opcode.
struct part {
    const char *at;
    size_t length;
};
struct walk {
    const char *next;
    uint32_t line;
    struct part loc, word;
    bool is_guarded;
};

static struct part part_of(const char *at, const char *ends)
{
    return (struct part){at, strcspn(at, ends)};
}

static bool is_same(const struct part *one, const struct part *other)
{
    return one->length == other->length && memcmp(one->at, other->at, one->length) == 0;
}

static struct walk walk_begin(const struct ptx_body *body)
{
    return (struct walk){.next = body->at, .line = body->first - 1};
}

// To the next line; 0: the function ends there.
static bool walk_on(struct walk *walk, const struct ptx_body *body)
{
    if (walk->next == NULL || walk->line + 1 >= body->last) return false;
    const char *at = walk->next + strspn(walk->next, " \t");
    const bool is_loc = strncmp(at, ".loc", 4) == 0;
    if (is_loc) walk->loc = part_of(at, "\r\n");
    walk->word =
        is_loc || strchr("./{}", *at) != NULL ? (struct part){at, 0} : part_of(ptx_statement_word(at), " \t;\r\n");
    walk->is_guarded = *at == '@';
    walk->next = strchr(at, '\n');
    if (walk->next != NULL) walk->next++;
    walk->line++;
    return true;
}

static bool is_copy(const struct walk *one, const struct walk *other)
{
    return one->line != other->line && one->is_guarded == other->is_guarded && other->word.length > 0 &&
           is_same(&one->word, &other->word) && is_same(&one->loc, &other->loc);
}

// *before: how many copies are in front of it.
static bool find_copies(struct remedy_piece *piece, const struct ptx_body *body, uint32_t *before)
{
    struct walk own = walk_begin(body), other = own;
    while (own.line < piece->line && walk_on(&own, body)) continue;
    piece->copies = *before = 0;
    if (own.line != piece->line || own.word.length == 0 || own.loc.length == 0) return true;
    while (walk_on(&other, body)) {
        if (!is_copy(&own, &other)) continue;
        if (piece->copies == REMEDY_COPIES) return false;
        *before += other.line < own.line;
        piece->copy[piece->copies++] = other.line;
    }
    return true;
}

bool sanitize_spread(struct remedy_edit *edit, const char *text)
{
    struct ptx_body body;
    uint32_t copies = 0, place = 0;
    for (uint32_t i = 0; i < edit->count; i++) {
        uint32_t before;
        struct remedy_piece *piece = &edit->piece[i];
        if (!ptx_body_find(&body, text, piece->line) || !find_copies(piece, &body, &before)) return false;
        if (piece->copies == 0) continue;
        if (copies > 0 && (copies != piece->copies || place != before)) return false;
        copies = piece->copies;
        place = before;
    }
    return copies > 0;
}
