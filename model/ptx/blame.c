// SPDX-License-Identifier: MIT
// What is wrong with a spelling that no row takes, and which name a mistyped one is near.
#include <stdio.h>
#include <string.h>

#include "form.h"

enum { MOST_NAME = 40, FAR = 3 };

// How many letters must be put in, taken out or changed to make b of a; FAR and more are all the same.
static int distance(const char *a, size_t a_length, const char *b)
{
    int cost[MOST_NAME + 1];
    size_t b_length = strlen(b);
    if (a_length > MOST_NAME || b_length > MOST_NAME) return FAR;
    for (size_t j = 0; j <= b_length; j++) cost[j] = (int)j;
    for (size_t i = 0; i < a_length; i++) {
        int diagonal = cost[0]++;
        for (size_t j = 0; j < b_length; j++) {
            int change = diagonal + (a[i] != b[j]), least = cost[j] < cost[j + 1] ? cost[j] : cost[j + 1];
            diagonal = cost[j + 1];
            cost[j + 1] = change < least + 1 ? change : least + 1;
        }
    }
    return cost[b_length];
}

const char *ptx_near(const char *name, size_t length, const char *(*name_at)(int i))
{
    const char *best = NULL, *other;
    int least = length < 3 ? 2 : FAR;
    for (int i = 0; (other = name_at(i)) != NULL; i++) {
        size_t other_length = strlen(other);
        if (other_length + FAR <= length || length + FAR <= other_length) continue;
        int far = distance(name, length, other);
        if (far < least) least = far, best = other;
    }
    return best;
}

const char *ptx_near_opcode(int i)
{
    return i < ptx_form_count() ? ptx_form_row(i)->opcode : NULL;
}

const char *ptx_near_word(int i)
{
    if (i + 1 < PTX_WORDS) return ptx_word_spelling((enum ptx_word)(i + 1));
    i -= PTX_WORDS - 1;
    return i + 1 < PTX_TYPES ? ptx_type_row((enum ptx_type)(i + 1))->name : NULL;
}

// The row that takes most of the words.
static int nearest_row(const struct ptx_spelling *spelling, int *most)
{
    struct ptx_choice choice;
    int best = -1, taken;
    *most = -1;
    for (int form = ptx_form_next(spelling, 0); form >= 0; form = ptx_form_next(spelling, form + 1)) {
        ptx_form_match(form, spelling, &choice, &taken);
        if (taken > *most) *most = taken, best = form;
    }
    return best;
}

int ptx_form_blame(const struct ptx_spelling *spelling, char *message, char *advice, size_t size_bytes)
{
    int taken, best = nearest_row(spelling, &taken);
    const struct ptx_form *form = ptx_form_row(best);
    snprintf(advice, size_bytes, "A form of it is: %s %s%s", form->opcode, form->modifiers[0] == '\0' ? "" : "with ",
             form->modifiers[0] == '\0' ? "alone" : form->modifiers);
    if (taken >= spelling->words) {
        snprintf(message, size_bytes, "'%s' lacks a modifier", form->opcode);
        return -1;
    }
    const struct ptx_spelled *word = &spelling->word[taken];
    if (word->kind != PTX_CLASSES) {
        snprintf(message, size_bytes, "'%s' does not take '.%.*s' here", form->opcode, (int)word->length, word->at);
        return taken;
    }
    const char *near = ptx_near(word->at, word->length, ptx_near_word);
    snprintf(message, size_bytes, "'.%.*s' is not a PTX modifier%s%s%s", (int)word->length, word->at,
             near == NULL ? "" : "; did you mean '.", near == NULL ? "" : near, near == NULL ? "" : "'?");
    return taken;
}
