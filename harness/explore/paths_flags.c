// SPDX-License-Identifier: MIT
#include "paths_flags.h"

#include <stdlib.h>

#include "paths_trace.h"

enum { SLOTS = 1024, WORD_BYTES = 4, MOST_WORDS = 64 };

// A word of memory: steps that accessed it last, all in the way `what`, and may change places; and those before them.
struct word {
    struct word *next;
    uint32_t space, rank;
    uint64_t address;
    char what;
    struct paths_list now, before;
};

struct paths_flags {
    struct word *word[SLOTS];
};

struct paths_flags *paths_flags_open(void)
{
    return calloc(1, sizeof(struct paths_flags));
}

void paths_flags_close(struct paths_flags *flags)
{
    if (flags == NULL) return;
    for (int i = 0; i < SLOTS; i++)
        for (struct word *at = flags->word[i], *next; at != NULL; at = next) {
            next = at->next;
            paths_list_free(&at->now);
            paths_list_free(&at->before);
            free(at);
        }
    free(flags);
}

static struct word *word_of(struct paths_flags *flags, const struct paths_flag *flag, uint64_t address)
{
    const uint32_t rank = flag->space == 0 ? 0 : flag->rank;
    struct word **slot = &flags->word[(address / WORD_BYTES * 31 + rank) % SLOTS], *at = *slot;
    while (at != NULL && (at->space != flag->space || at->rank != rank || at->address != address)) at = at->next;
    if (at != NULL) return at;
    at = calloc(1, sizeof *at);
    if (at == NULL) return NULL;
    *at = (struct word){.next = *slot, .space = flag->space, .rank = rank, .address = address};
    *slot = at;
    return at;
}

bool paths_flags_hold(struct paths_program *program, uint32_t before, uint32_t behind)
{
    if (before == behind) return true;
    uint32_t *more = realloc(program->after, (program->afters + 2) * sizeof *more);
    if (more == NULL) return false;
    program->after = more;
    program->after[program->afters++] = before;
    program->after[program->afters++] = behind;
    return true;
}

static bool access_word(struct word *word, struct paths_program *program, const struct paths_flag *flag)
{
    const bool is_shared = flag->what == 'R' || flag->what == 'A';
    bool ok = true;
    if (!is_shared || flag->what != word->what) {
        const struct paths_list old = word->before;
        word->before = word->now;
        word->now = old;
        word->now.count = 0;
    }
    word->what = flag->what;
    for (uint32_t i = 0; i < word->before.count; i++)
        ok = ok && paths_flags_hold(program, word->before.item[i], flag->step);
    return ok && paths_list_add(&word->now, flag->step);
}

bool paths_flags_add(struct paths_flags *flags, struct paths_program *program, const struct paths_flag *flag)
{
    const uint64_t first = flag->address & ~(uint64_t)(WORD_BYTES - 1), end = flag->address + flag->bytes;
    int words = 0;
    for (uint64_t at = first; at < end && words++ < MOST_WORDS; at += WORD_BYTES) {
        struct word *word = word_of(flags, flag, at);
        if (word == NULL || !access_word(word, program, flag)) return false;
    }
    return true;
}
