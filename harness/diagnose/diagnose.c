// SPDX-License-Identifier: MIT
#include "diagnose.h"

#include <stdlib.h>
#include <string.h>

#include "copy.h"
#include "im2col_load.h"
#include "search.h"

static const struct {
    struct cause_row row;
    void (*propose)(struct search *search);
} causes[] = {
#define CAUSE(id, propose, sentence, advice) {{#id, sentence, advice}, propose},
#include "causes.def"
#undef CAUSE
};

const struct cause_row *cause_row(enum cause cause)
{
    return &causes[cause].row;
}

enum cause cause_find(const char *id)
{
    int cause = 0;
    while (cause < CAUSES && strcmp(causes[cause].row.id, id) != 0) cause++;
    return (enum cause)cause;
}

// Why the load as meant faults.
static enum rule fault_of(const struct diagnose *question)
{
    static uint8_t nothing;
    const struct memory shared = {&nothing, 0, WORK_BYTES};
    const struct tensormap *map = &question->map;
    enum rule rule =
        map->mode == TENSORMAP_IM2COL
            ? im2col_load_check(map, map->rank, question->coord, question->offset, &question->tensor, &shared,
                                question->shared, NULL)
            : tile_load_check(map, map->rank, question->coord, &question->tensor, &shared, question->shared, NULL);
    return rule != RULE_OK ? rule : RULE_LOAD_UNMAPPED; // that of a later slice
}

static int compare_wholes(const void *left, const void *right)
{
    const struct explanation *a = left, *b = right;
    if (a->is_whole != b->is_whole) return b->is_whole - a->is_whole;
    if (!a->is_whole && a->bytes != b->bytes) return a->bytes < b->bytes ? 1 : -1;
    return (int)a->cause - (int)b->cause;
}

// Keeps the whole explanations, or the best few if there is none.
static void rank(struct diagnosis *answer)
{
    enum { PARTIAL_KEPT = 3 };
    int wholes = 0;
    qsort(answer->explanation, (size_t)answer->explanations, sizeof answer->explanation[0], compare_wholes);
    while (wholes < answer->explanations && answer->explanation[wholes].is_whole) wholes++;
    if (wholes > 0)
        answer->explanations = wholes;
    else if (answer->explanations > PARTIAL_KEPT)
        answer->explanations = PARTIAL_KEPT;
}

static void compare_meant(struct search *search)
{
    const struct diagnose *question = search->question;
    const struct memory *dump = &question->dump;
    struct diagnosis *answer = search->answer;
    const uint8_t *background = question->before != NULL ? question->before : dump->bytes;
    const uint8_t *meant = search_run(search, &search->meant, background, &answer->tx_bytes);
    if (meant == NULL) {
        answer->rule = fault_of(question);
        return;
    }
    memcpy(search->expected, meant, dump->size_bytes);
    for (uint64_t i = 0; i < dump->size_bytes; i++) {
        search->inverse[i] = (uint8_t)~dump->bytes[i];
        search->wrong[i] = meant[i] != dump->bytes[i];
        if (search->wrong[i] && answer->wrong_bytes++ == 0) answer->first_wrong = (uint32_t)(dump->base + i);
    }
    meant = search_run(search, &search->meant, search->inverse, NULL);
    for (uint64_t i = 0; i < dump->size_bytes; i++) search->right[i] = meant[i] == dump->bytes[i];
}

static void try_causes(struct search *search)
{
    struct diagnosis *answer = search->answer;
    int last = answer->wrong_bytes == 0 ? CAUSE_TX_COUNT + 1 : CAUSES; // right bytes leave only the barrier
    for (int pass = 0; pass < 2; pass++) {
        search->is_partial = pass;
        for (int cause = 0; cause < last; cause++) {
            search->cause = (enum cause)cause;
            causes[cause].propose(search);
        }
        if (answer->explanations > 0 || answer->wrong_bytes == 0) break;
    }
    rank(answer);
}

int diagnose(const struct diagnose *question, struct diagnosis *diagnosis)
{
    uint8_t *room = calloc(6, WORK_BYTES);
    *diagnosis = (struct diagnosis){0};
    if (room == NULL) return 0;
    struct search search = {.question = question,
                            .answer = diagnosis,
                            .work = room,
                            .plane = room + WORK_BYTES,
                            .expected = room + 2 * WORK_BYTES,
                            .wrong = room + 3 * WORK_BYTES,
                            .inverse = room + 4 * WORK_BYTES,
                            .right = room + 5 * WORK_BYTES,
                            .meant = search_meant(question)};
    compare_meant(&search);
    if (diagnosis->rule == RULE_OK) try_causes(&search);
    free(room);
    return 1;
}
