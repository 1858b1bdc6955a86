// SPDX-License-Identifier: MIT
// The slow tiled and im2col loads on recorded cases: the barrier's transaction bytes and what the result's window
// holds.
#include <string.h>

#include "arena.h"
#include "exposed.h"
#include "load_case.h"
#include "load_job.h"
#include "load_launch.h"
#include "rules/all.h"
#include "slow.h"
#include "slow_im2col.h"

enum { MOST_WINDOW_BYTES = 16384 }; // a larger box costs the slow model much and tells no more

// What one reading leaves.
struct left {
    int error;
    uint32_t transaction_bytes;
    uint8_t cta[LOAD_SHARED_BYTES];
};

static void prepare(struct left *outcome, struct load_window window)
{
    outcome->transaction_bytes = 0;
    for (uint32_t at = 0; at < window.size_bytes; at += 4) {
        uint32_t word = load_canary(window.base + at);
        memcpy(outcome->cta + (window.base - LOAD_SHARED_START) + at, &word, sizeof word);
    }
}

static bool is_same(const struct left *a, const struct left *b, struct load_window window)
{
    uint32_t at = window.base - LOAD_SHARED_START;
    return a->error == b->error && a->transaction_bytes == b->transaction_bytes &&
           (a->error != 0 || memcmp(a->cta + at, b->cta + at, window.size_bytes) == 0);
}

// --- Tiled -----------------------------------------------------------------------------------------------------------

static int is_of_loads(int mutant)
{
    enum slow_subject subject = slow_mutant_row((enum slow_mutant)mutant)->subject;
    return subject == SLOW_OF_BOX || subject == SLOW_OF_LOAD;
}

static void expose_tile(const void *test_case, int status, const char *pending, char *exposed)
{
    static struct left right, wrong;
    const struct load_case *c = test_case;
    struct load_window window = load_window(c);
    struct slow_tile tile = {.dims = (int)c->dims,
                             .shared = c->shared,
                             .gmem_base = ARENA_BASE,
                             .gmem_bytes = ARENA_BYTES,
                             .smem_base = LOAD_SHARED_START,
                             .smem_bytes = LOAD_SHARED_BYTES};
    if (window.size_bytes > MOST_WINDOW_BYTES || !map_args_made(&c->map, &tile.map)) return;
    memcpy(tile.coord, c->coord, sizeof tile.coord);
    prepare(&right, window);
    right.error = slow_load(&tile, arena()->bytes, right.cta, &right.transaction_bytes, SLOW_NONE);
    if (right.error != status) return; // something else ended the case
    for (int m = 1; m < SLOW_COUNT; m++) {
        if (!pending[m]) continue;
        prepare(&wrong, window);
        wrong.error = slow_load(&tile, arena()->bytes, wrong.cta, &wrong.transaction_bytes, (enum slow_mutant)m);
        exposed[m] = !is_same(&right, &wrong, window);
    }
}

const struct exposer expose_load = {
    "loads", {"load"}, SLOW_COUNT, exposed_slow_text, exposed_slow_rule, is_of_loads, expose_tile,
};

// --- im2col ----------------------------------------------------------------------------------------------------------

static const struct {
    const char *text;
    enum rule rule;
} im2col_rows[] = {{"", RULE_OK},
#define X(id, rule, sentence) {#id ": " sentence, RULE_##rule},
                   SLOW_IM2COL_MUTANTS(X)
#undef X
};

static const char *im2col_text(int mutant)
{
    return im2col_rows[mutant].text;
}

static enum rule im2col_rule(int mutant)
{
    return im2col_rows[mutant].rule;
}

static void expose_column(const void *test_case, int status, const char *pending, char *exposed)
{
    static struct left right, wrong;
    const struct load_case *c = test_case;
    struct slow_im2col load = {.dims = (int)c->dims,
                               .destination = c->shared,
                               .gmem = arena()->bytes,
                               .gmem_base = ARENA_BASE,
                               .gmem_bytes = ARENA_BYTES,
                               .smem_base = LOAD_SHARED_START,
                               .smem_bytes = LOAD_SHARED_BYTES};
    if (c->mode != LOAD_IM2COL || !map_args_made(&c->map, &load.map) || load.map.mode != TENSORMAP_IM2COL) return;
    struct im2col column = im2col_of(&load.map, c->coord, c->offset);
    struct load_window window = load_window_around(c->shared, im2col_extent_bytes(&column));
    if (window.size_bytes > MOST_WINDOW_BYTES) return;
    memcpy(load.coord, c->coord, sizeof load.coord);
    memcpy(load.offset, c->offset, sizeof load.offset);
    prepare(&right, window);
    right.error = slow_im2col(&load, right.cta, &right.transaction_bytes, IM2COL_RIGHT);
    if (right.error != status) return;
    for (int m = 1; m < IM2COL_MUTANTS; m++) {
        if (!pending[m]) continue;
        prepare(&wrong, window);
        wrong.error = slow_im2col(&load, wrong.cta, &wrong.transaction_bytes, (enum slow_im2col_mutant)m);
        exposed[m] = !is_same(&right, &wrong, window);
    }
}

const struct exposer expose_im2col = {
    "im2col loads", {"im2col"}, IM2COL_MUTANTS, im2col_text, im2col_rule, NULL, expose_column,
};
