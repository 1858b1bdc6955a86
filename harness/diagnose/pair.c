// SPDX-License-Identifier: MIT
// Two mistakes at once: each hypothesis that explains a good part counts as what was meant, and every cause is tried on
// top of it.
#include <stdio.h>
#include <string.h>

#include "search.h"

// Causes of which few hypotheses are tried, and that may hide behind another one: nothing seems to be explained by
// them alone.
static bool is_kept_always(enum cause cause)
{
    return cause == CAUSE_SWIZZLE_MODE || cause == CAUSE_TRANSPOSED || cause == CAUSE_BYTE_ORDER ||
           cause == CAUSE_CONVERTED || cause == CAUSE_OTHER_TENSOR;
}

// Is it better than that one?
static bool is_above(uint32_t score, uint32_t distance, const struct candidate *other)
{
    return score != other->score ? score > other->score : distance < other->distance;
}

// The place for a new candidate: a free one, that of the worst of the same cause if there are enough of them, or of the
// worst of all. NULL if it is worse still.
static struct candidate *place_for(struct search *search, uint32_t score, uint32_t distance)
{
    struct candidate *worst = NULL, *worst_like = NULL;
    int alike = 0;
    for (int i = 0; i < search->bests; i++) {
        struct candidate *c = &search->best[i];
        if (worst == NULL || is_above(worst->score, worst->distance, c)) worst = c;
        if (c->cause != search->cause) continue;
        alike++;
        if (worst_like == NULL || is_above(worst_like->score, worst_like->distance, c)) worst_like = c;
    }
    if (alike < BEST_OF_CAUSE && search->bests < BEST) return &search->best[search->bests++];
    if (alike >= BEST_OF_CAUSE) worst = worst_like;
    return is_above(score, distance, worst) ? worst : NULL;
}

void pair_keep(struct search *search, const struct hypothesis *hypothesis, uint32_t score, uint32_t distance,
               const char *what)
{
    bool is_kept = is_kept_always(search->cause) || search->is_measured ||
                   (search->cause == CAUSE_READ_UNSWIZZLED && distance == 0); // that of the map
    if (score == 0 && !is_kept) return;
    if (is_kept) score += search->answer->wrong_bytes;
    struct candidate *to = place_for(search, score, distance);
    if (to == NULL) return;
    *to = (struct candidate){*hypothesis, search->cause, score, distance, ""};
    snprintf(to->what, sizeof to->what, "%s", what);
}

static void keep_part(struct search *search, const struct hypothesis *h, enum cause cause, uint32_t distance,
                      const char *what)
{
    for (int i = 0; i < search->parts; i++)
        if (search->part[i].cause == cause && memcmp(&search->part[i].hypothesis, h, sizeof *h) == 0) return;
    if (search->parts == PARTS || memcmp(h, &search->meant, sizeof *h) == 0) return;
    struct candidate *to = &search->part[search->parts++];
    *to = (struct candidate){*h, cause, 0, distance, ""};
    snprintf(to->what, sizeof to->what, "%s", what);
}

void pair_keep_parts(struct search *search, const struct hypothesis *hypothesis, const char *what)
{
    enum { WORDS = sizeof *hypothesis / sizeof(uint32_t) };
    const struct candidate *built = search->built;
    struct hypothesis other = *hypothesis;
    uint32_t words[3][WORDS]; // together, the first alone, as meant
    memcpy(words[0], hypothesis, sizeof words[0]);
    memcpy(words[1], &built->hypothesis, sizeof words[1]);
    memcpy(words[2], &search->meant, sizeof words[2]);
    for (int i = 0; i < WORDS; i++)
        if (words[1][i] != words[2][i]) words[0][i] = words[2][i]; // what the first has changed
    memcpy(&other, words[0], sizeof words[0]);
    keep_part(search, &built->hypothesis, built->cause, built->distance, built->what);
    keep_part(search, &other, search->cause, built->distance, what);
}

static void search_on(struct search *search, const struct candidate *candidate)
{
    search->built = candidate;
    search->base = candidate->hypothesis;
    search_leave(search);
    if (search->left_bytes > 0) search_causes(search);
}

// Where two causes explain every byte, others may too, in the place of one or the other: they are to be named as well.
void pair_search(struct search *search)
{
    search->pass = PASS_WHOLE;
    for (int i = 0; i < search->bests; i++) search_on(search, &search->best[i]);
    search->is_thorough = true;
    for (int i = 0; i < search->parts; i++) search_on(search, &search->part[i]);
    search->is_thorough = false;
    search->built = NULL;
    search->base = search->meant;
    search_leave(search);
}
