// SPDX-License-Identifier: MIT
#include "core_barriers.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"

enum { MOST_ARRAY_BYTES = 1024 };

// Addresses in rising order, each once.
struct places {
    uint32_t *at;
    uint32_t count;
};

static bool add_place(struct places *places, uint64_t address)
{
    uint32_t i = 0;
    if (address > UINT32_MAX || address % MBARRIER_BYTES != 0) return true;
    while (i < places->count && places->at[i] < address) i++;
    if (i < places->count && places->at[i] == address) return true;
    if (!array_grow(&places->at, places->count, sizeof *places->at)) return false;
    memmove(places->at + i + 1, places->at + i, (places->count - i) * sizeof *places->at);
    places->at[i] = (uint32_t)address;
    places->count++;
    return true;
}

static bool add_site(struct places *places, const struct core_kernel *kernel, const struct core_site *site)
{
    if (site->at == UINT64_MAX || site->kind > CORE_SITE_EXPECT) return true;
    if (site->is_exact) return add_place(places, site->at);
    const uint64_t bytes = core_code_shared_bytes(kernel->code, site->variable);
    bool ok = true;
    for (uint64_t at = 0; bytes <= MOST_ARRAY_BYTES && at + MBARRIER_BYTES <= bytes; at += MBARRIER_BYTES)
        ok = ok && add_place(places, site->variable + at);
    return ok;
}

static bool find_places(struct places *places, const struct core_state *state, const struct core_kernel *kernel)
{
    bool ok = true;
    core_code_kernel(kernel->code, kernel->function->name);
    for (uint32_t i = 0; ok && i < kernel->sites.sites; i++) ok = add_site(places, kernel, &kernel->sites.site[i]);
    for (uint32_t i = 0; ok && i < state->strands; i++) {
        const struct core_strand *strand = &state->strand[i];
        if (strand->doing == CORE_WAITS_MBARRIER && strand->has_word &&
            core_kernel_of(state, core_strand_cta(state, strand)) == kernel)
            ok = add_place(places, strand->address);
    }
    return ok;
}

static bool add_cta(struct core_barriers *barriers, const struct core_state *state, uint32_t cta,
                    const struct places *places)
{
    for (uint32_t i = 0; i < places->count; i++) {
        struct core_barrier barrier = {cta, places->at[i], 0};
        const uint8_t *word = core_bytes_at(&state->dump->cta[cta].shared, places->at[i], sizeof barrier.word);
        if (word == NULL) continue;
        memcpy(&barrier.word, word, sizeof barrier.word);
        if (!ARRAY_ADD(barriers->barrier, barriers->barriers, barrier)) return false;
    }
    return true;
}

bool core_barriers_open(struct core_barriers *barriers, const struct core_state *state)
{
    bool ok = true;
    *barriers = (struct core_barriers){0};
    for (uint32_t k = 0; ok && k < state->kernels; k++) {
        struct places places = {0};
        if (state->kernel[k].function == NULL) continue;
        ok = find_places(&places, state, &state->kernel[k]);
        for (uint32_t cta = 0; ok && cta < state->dump->ctas; cta++)
            if (core_kernel_of(state, &state->dump->cta[cta]) == &state->kernel[k])
                ok = add_cta(barriers, state, cta, &places);
        free(places.at);
    }
    return ok;
}

void core_barriers_close(struct core_barriers *barriers)
{
    free(barriers->barrier);
    *barriers = (struct core_barriers){0};
}
