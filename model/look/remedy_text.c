// SPDX-License-Identifier: MIT
#define _GNU_SOURCE 1

#include "remedy_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx_body.h"
#include "remedy_names.h"

static const char *line_of(const char *text, uint32_t line)
{
    for (; line > 1 && text != NULL; line--) text = (text = strchr(text, '\n')) != NULL ? text + 1 : NULL;
    return text;
}

// Behind the statement that begins in this line: at the first end of a line that ends one. *lines: how many it takes.
static const char *end_of(const char *at, uint32_t *lines)
{
    for (*lines = 1;; (*lines)++) {
        const char *end = strchr(at, '\n'), *last = end;
        if (end == NULL) return NULL;
        const char *comment = memmem(at, (size_t)(end - at), "//", 2);
        if (comment != NULL) last = comment;
        while (last > at && (last[-1] == ' ' || last[-1] == '\t' || last[-1] == '\r')) last--;
        if (last > at && (last[-1] == ';' || last[-1] == '}')) return end + 1;
        at = end + 1;
    }
}

static uint32_t moved(uint32_t line, uint32_t first)
{
    return line >= first ? line + 1 : line;
}

// A text of its own, and the aim's lines in it; NULL if the piece cannot be edited.
static char *edit_piece(const char *text, const struct remedy_piece *piece, struct remedy_aim *aim)
{
    char *edited = NULL;
    const char *at = line_of(text, piece->line), *rest = at;
    uint32_t lines = 0;
    if (at == NULL) return NULL;
    if (piece->where == REMEDY_REPLACE) {
        const char *end = strchr(at, '\n');
        at = memmem(at, end != NULL ? (size_t)(end - at) : strlen(at), piece->from, strlen(piece->from));
        if (at == NULL) return NULL;
        rest = at + strlen(piece->from);
    } else if (piece->where == REMEDY_INSTEAD) {
        rest = at + strcspn(at, "\n");
    } else if (piece->where == REMEDY_BEHIND) {
        rest = at = end_of(at, &lines);
        if (at == NULL) return NULL;
    }
    const bool adds_lines = piece->where == REMEDY_BEFORE || piece->where == REMEDY_BEHIND;
    if (asprintf(&edited, "%.*s%s%s%s", (int)(at - text), text, piece->text, adds_lines ? "\n" : "", rest) < 0)
        return NULL;
    if (!adds_lines) return edited;
    aim->newer = moved(aim->newer, piece->line + lines);
    aim->older = moved(aim->older, piece->line + lines);
    return edited;
}

// --- Places ----------------------------------------------------------------------------------------------------------

// A piece at its line, or at one of the copies. rank: in which order those of one line are made.
struct place {
    uint32_t line, piece, copy, rank;
};
enum { ITS_OWN = REMEDY_COPIES, MOST_PLACES = REMEDY_PIECES * (REMEDY_COPIES + 1) };

// The last line first, so that the lines in front of it stay where they are; behind a line before in front of it.
static int compare(const void *one, const void *other)
{
    const struct place *a = one, *b = other;
    if (a->line != b->line) return a->line > b->line ? -1 : 1;
    return a->rank < b->rank ? -1 : 1;
}

static uint32_t places_of(const struct remedy_edit *edit, struct place *places)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < edit->count; i++) {
        const struct remedy_piece *piece = &edit->piece[i];
        const uint32_t rank = i + (piece->where == REMEDY_BEHIND ? 0 : REMEDY_PIECES);
        places[count++] = (struct place){piece->line, i, ITS_OWN, rank};
        for (uint32_t copy = 0; copy < piece->copies; copy++)
            places[count++] = (struct place){piece->copy[copy], i, copy, rank};
    }
    qsort(places, count, sizeof *places, compare);
    return count;
}

// The piece as it is made there; 0: its text is too long then.
static bool piece_at(const char *text, const struct remedy_edit *edit, const struct place *place,
                     struct remedy_piece *piece)
{
    char one[PTX_STATEMENT_BYTES], other[PTX_STATEMENT_BYTES];
    struct remedy_names names = {0};
    struct ptx_body body;
    *piece = edit->piece[place->piece];
    if (place->copy == ITS_OWN) return true;
    piece->line = place->line;
    for (uint32_t i = 0; i < edit->count && ptx_body_find(&body, text, place->line); i++)
        if (edit->piece[i].copies > 0 && ptx_body_text(&body, edit->piece[i].line, one) &&
            ptx_body_text(&body, edit->piece[i].copy[place->copy], other))
            remedy_names_add(&names, one, other);
    return remedy_names_put(&names, edit->piece[place->piece].text, piece->text, sizeof piece->text) &&
           remedy_names_put(&names, edit->piece[place->piece].from, piece->from, sizeof piece->from);
}

char *remedy_text(const char *text, const struct remedy_edit *edit, struct remedy_aim *aim)
{
    struct place places[MOST_PLACES];
    struct remedy_piece piece;
    const uint32_t count = places_of(edit, places);
    char *edited = strdup(text);
    for (uint32_t i = 0; i < count && edited != NULL; i++) {
        char *before = edited;
        edited = piece_at(text, edit, &places[i], &piece) ? edit_piece(before, &piece, aim) : NULL;
        free(before);
    }
    return edited;
}
