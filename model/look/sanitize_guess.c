// SPDX-License-Identifier: MIT
#include "sanitize_guess.h"

static bool is_known(const struct sanitize_guesses *guesses, uint32_t line)
{
    for (uint32_t i = 0; i < guesses->count; i++)
        if (guesses->line[i] == line) return true;
    return false;
}

static bool is_plain_read(int flags)
{
    return !(flags & (SHADOW_WRITES | SHADOW_STRONG | SHADOW_ASYNC));
}

struct asking {
    struct sanitize_guesses *guesses;
    uint32_t actor, mask;
};

static void note(void *context, uint64_t address, const struct shadow_entry *entry)
{
    const struct asking *asking = context;
    struct sanitize_guesses *guesses = asking->guesses;
    (void)address;
    if (entry->actor != asking->actor || !(entry->mask & asking->mask) || !is_plain_read(entry->flags)) return;
    if (guesses->count < SANITIZE_GUESSES && !is_known(guesses, entry->line))
        guesses->line[guesses->count++] = entry->line;
}

void sanitize_guess_note(struct sanitize_guesses *guesses, const struct clock_order *order, const struct event *event)
{
    struct order_cta *cta;
    const struct order_warp *warp = order_warp_of(order, event->origin, &cta);
    const uint64_t address = event->access.address;
    const uint32_t mask = ((1u << event->access.bytes) - 1) << address % SHADOW_CELL_BYTES;
    const struct shadow_page *page = warp != NULL ? order_global_find(order, address) : NULL;
    if (page == NULL) return;
    struct asking asking = {guesses, warp->actor, mask};
    shadow_each_of(&order->pool, page, address % SHADOW_PAGE_BYTES / SHADOW_CELL_BYTES, note, &asking);
}

static bool is_of_guess(const struct sanitize_guesses *guesses, const struct sanitize_side *read,
                        const struct sanitize_side *other)
{
    const int atomic = SHADOW_WRITES | SHADOW_STRONG;
    return is_plain_read(read->flags) && is_known(guesses, read->line) && (other->flags & atomic) == atomic;
}

void sanitize_guess_forgive(const struct sanitize_guesses *guesses, struct sanitize_found *found)
{
    for (uint32_t i = 0; i < found->count; i++) {
        struct sanitize_finding *one = &found->item[i];
        const bool is_guess =
            is_of_guess(guesses, &one->newer, &one->older) || is_of_guess(guesses, &one->older, &one->newer);
        const bool is_race =
            one->kind == SANITIZE_GLOBAL_RACE || one->kind == SANITIZE_LANES || one->kind == SANITIZE_IN_STEP;
        if (is_race && is_guess) one->kind = SANITIZE_GUESS;
    }
}
