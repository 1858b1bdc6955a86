// SPDX-License-Identifier: MIT
#include "diagnose.h"

#include <stdlib.h>
#include <string.h>

#include "copy.h"
#include "im2col_load.h"
#include "im2col_store.h"
#include "rules/load.h"
#include "rules/store.h"
#include "search.h"
#include "store.h"

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

bool diagnosis_is_foreign(const struct diagnosis *diagnosis)
{
    for (int i = 0; i < diagnosis->explanations; i++)
        if (diagnosis->explanation[i].is_whole) return false;
    for (int i = 0; i < diagnosis->explanations; i++)
        if (diagnosis->explanation[i].cause == CAUSE_FOREIGN) return true;
    return false;
}

// Why the copy as meant faults.
static enum rule fault_of(const struct diagnose *q)
{
    static uint8_t nothing;
    const struct memory shared = {&nothing, 0, WORK_BYTES};
    bool is_im2col = q->map.mode == TENSORMAP_IM2COL;
    enum rule rule;
    if (q->is_store)
        rule = (is_im2col ? im2col_store_check : tile_store_check)(&q->map, q->map.rank, q->coord, &q->dump, &q->source,
                                                                   q->shared, NULL);
    else if (is_im2col)
        rule = im2col_load_check(&q->map, q->map.rank, q->coord, q->offset, &q->source, &shared, q->shared, NULL);
    else
        rule = tile_load_check(&q->map, q->map.rank, q->coord, &q->source, &shared, q->shared, NULL);
    if (rule != RULE_OK) return rule;
    return q->is_store ? RULE_STORE_UNMAPPED : RULE_LOAD_UNMAPPED; // that of a later slice
}

static int compare_explanations(const void *left, const void *right)
{
    const struct explanation *a = left, *b = right;
    if (a->is_whole != b->is_whole) return b->is_whole - a->is_whole;
    if (!a->is_whole && a->is_maybe != b->is_maybe) return b->is_maybe - a->is_maybe;
    if (!a->is_whole && (a->cause == CAUSE_FOREIGN) != (b->cause == CAUSE_FOREIGN))
        return a->cause == CAUSE_FOREIGN ? 1 : -1; // the last resort
    if ((a->second == CAUSES) != (b->second == CAUSES)) return a->second == CAUSES ? -1 : 1;
    if (!a->is_whole && !a->is_maybe && a->bytes != b->bytes) return a->bytes < b->bytes ? 1 : -1;
    if (a->second == CAUSES) return (int)a->cause - (int)b->cause;
    int a_last = a->cause > a->second ? (int)a->cause : (int)a->second;
    int b_last = b->cause > b->second ? (int)b->cause : (int)b->second;
    return a_last != b_last ? a_last - b_last : (int)(a->cause + a->second) - (int)(b->cause + b->second);
}

// Keeps the explanations that are whole or may be, or the best few if there is none.
static void rank(struct diagnosis *answer)
{
    enum { PARTIAL_KEPT = 3 };
    int kept = 0;
    qsort(answer->explanation, (size_t)answer->explanations, sizeof answer->explanation[0], compare_explanations);
    while (kept < answer->explanations && (answer->explanation[kept].is_whole || answer->explanation[kept].is_maybe))
        kept++;
    if (kept > 0)
        answer->explanations = kept;
    else if (answer->explanations > PARTIAL_KEPT)
        answer->explanations = PARTIAL_KEPT;
}

// Where the dump differs from what was there before.
static void find_changes(struct search *search)
{
    const struct diagnose *question = search->question;
    uint64_t size = question->dump.size_bytes, first = 0, last = size;
    search->last_changed = size > 0 ? size - 1 : 0;
    if (question->before == NULL) return;
    while (first < size && question->before[first] == question->dump.bytes[first]) first++;
    while (last > first && question->before[last - 1] == question->dump.bytes[last - 1]) last--;
    search->first_changed = first;
    search->last_changed = last > 0 ? last - 1 : 0;
}

void search_leave(struct search *search)
{
    const struct diagnose *question = search->question;
    const struct memory *dump = &question->dump;
    const uint8_t *background = question->before != NULL ? question->before : dump->bytes;
    const uint8_t *got = search_run(search, &search->base, background, NULL);
    search->left_bytes = 0;
    for (uint64_t i = 0; i < dump->size_bytes; i++) {
        bool is_inside = got != NULL && i >= search->low && i < search->high;
        search->left[i] = (is_inside ? got[i] : background[i]) != dump->bytes[i];
        search->left_bytes += search->left[i];
    }
    if (search->set == NULL) return;
    origin_find(search);
    sample_fill(search);
    search->base_right = 0;
    got = search_run(search, &search->base, search->inverse, NULL);
    for (uint64_t i = search->low; got != NULL && i < search->high; i++)
        search->base_right += got[i] == dump->bytes[i] && !search->right[i];
}

static void compare_meant(struct search *search)
{
    const struct diagnose *question = search->question;
    const struct memory *dump = &question->dump;
    struct diagnosis *answer = search->answer;
    const uint8_t *background = question->before != NULL ? question->before : dump->bytes;
    search->meant_low = UINT64_MAX;
    const uint8_t *got = search_run(search, &search->meant, background, &answer->tx_bytes);
    if (got == NULL) {
        answer->rule = fault_of(question);
        return;
    }
    search->meant_low = search->low;
    search->meant_high = search->high;
    search_leave(search);
    memcpy(search->wrong, search->left, dump->size_bytes);
    for (uint64_t i = 0; i < dump->size_bytes; i++) {
        search->inverse[i] = (uint8_t)~dump->bytes[i];
        if (search->wrong[i] && answer->wrong_bytes++ == 0) answer->first_wrong = dump->base + i;
    }
    got = search_run(search, &search->meant, search->inverse, NULL);
    for (uint64_t i = search->low; i < search->high; i++) search->right[i] = got[i] == dump->bytes[i];
    for (uint64_t i = (0 - dump->base) % CHUNK_BYTES; i + CHUNK_BYTES <= dump->size_bytes; i += CHUNK_BYTES)
        if (memchr(search->right + i, 0, CHUNK_BYTES) == NULL)
            memset(search->right + i, search->is_part_right = 2, CHUNK_BYTES);
}

static void count_foreign(struct search *search)
{
    const struct memory *dump = &search->question->dump;
    uint64_t skip = (0 - dump->base) % CHUNK_BYTES;
    for (uint64_t n = 0; n < search->chunks; n++) {
        if (search->origin[n].address != 0 || search->origin[n].is_alike) continue;
        for (uint64_t b = 0; b < CHUNK_BYTES; b++)
            search->answer->foreign_bytes += search->wrong[skip + n * CHUNK_BYTES + b];
    }
}

void search_causes(struct search *search)
{
    int last = search->answer->wrong_bytes == 0 ? CAUSE_TX_COUNT + 1 : CAUSES; // right bytes leave only the barrier
    for (int cause = 0; cause < last; cause++) {
        search->cause = (enum cause)cause;
        causes[cause].propose(search);
    }
}

static bool has(const struct diagnosis *answer, bool is_whole, bool is_maybe)
{
    for (int i = 0; i < answer->explanations; i++)
        if (answer->explanation[i].is_whole == is_whole && answer->explanation[i].is_maybe == is_maybe) return true;
    return false;
}

static bool try_causes(struct search *search)
{
    struct diagnosis *answer = search->answer;
    if (answer->wrong_bytes > 0) {
        if (!origin_find(search)) return false;
        sample_fill(search);
        count_foreign(search);
    }
    search->pass = PASS_WHOLE;
    search_causes(search);
    bool is_sure = has(answer, true, false), is_guess = has(answer, false, true), is_likely = has(answer, true, true);
    if (answer->wrong_bytes > 0 && (!is_sure || is_guess || is_likely)) {
        search->pass = PASS_PART;
        search_count_meant(search);
        search_causes(search);
        if (!is_sure && !is_likely) pair_search(search);
    }
    rank(answer);
    return true;
}

// All rooms in one: two of shared memory, five of the dump, or of shared memory if that is more.
static bool make_room(struct search *search)
{
    const struct diagnose *question = search->question;
    uint64_t dump_bytes = question->dump.size_bytes > WORK_BYTES ? question->dump.size_bytes : WORK_BYTES;
    uint8_t **const of_dump[] = {&search->work, &search->inverse, &search->wrong, &search->right, &search->left};
    enum { ROOMS = sizeof of_dump / sizeof of_dump[0] };
    search->room = calloc(1, ROOMS * dump_bytes + 2 * WORK_BYTES);
    search->best = calloc(BEST + PARTS, sizeof *search->best);
    if (search->room == NULL || search->best == NULL) return false;
    search->part = search->best + BEST;
    for (unsigned i = 0; i < ROOMS; i++) *of_dump[i] = search->room + i * dump_bytes;
    search->image = search->room + ROOMS * dump_bytes;
    search->plane = search->image + WORK_BYTES;
    search->dump_at = question->is_store ? 0 : question->dump.base;
    return true;
}

bool diagnose(const struct diagnose *question, struct diagnosis *diagnosis)
{
    struct search search = {.question = question, .answer = diagnosis, .meant = search_meant(question)};
    *diagnosis = (struct diagnosis){0};
    search.base = search.meant;
    bool is_done = make_room(&search);
    if (is_done) {
        find_changes(&search);
        compare_meant(&search);
    }
    if (is_done && diagnosis->rule == RULE_OK) is_done = try_causes(&search);
    for (int i = 0; i < MAX_MADE; i++) free(search.made[i].bytes);
    origin_free(&search);
    free(search.room);
    free(search.best);
    return is_done;
}
