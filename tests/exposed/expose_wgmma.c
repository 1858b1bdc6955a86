// SPDX-License-Identifier: MIT
// The slow numbers of wgmma and the slow sparse wgmma on recorded cases: some elements of D of the last instruction,
// whose accumulator is the model's.
#include <string.h>

#include "exposed.h"
#include "fragments.h"
#include "rules/wgmma.h"
#include "slow_sparse.h"
#include "slow_wgmma.h"
#include "wgmma_case.h"

enum { ELEMENTS = 64, FEW = 5 }; // elements looked at; all of them where few misreadings are pending

// The last instruction of a case, about to run.
struct scene {
    const struct wgmma *wgmma;
    struct wgmma_state state;
    struct memory shared;
    struct wgmma_operands operands;
};

static void set_scene(const struct wgmma_case *c, struct scene *scene)
{
    scene->wgmma = &wgmma_instance_row(c->instance)->wgmma;
    wgmma_case_start(c, &scene->state);
    for (uint32_t step = 0; step + 1 < c->steps; step++) wgmma_case_step(c, step, &scene->state);
    scene->operands = wgmma_case_operands(c, c->steps - 1, &scene->state, &scene->shared);
}

// Element `i` of those that are looked at: its place, and the accumulator.
static struct number_place look_at(const struct wgmma_case *c, const struct scene *scene, uint32_t i, uint32_t *before)
{
    enum wgmma_types types = scene->wgmma->types;
    bool is_half = wgmma_types_row(types)->d == NUMBER_F16;
    int part = is_half ? (int)(i & 1) : 0;
    uint32_t at = i * 2654435761u % (wgmma_case_d_bytes(c) / 4), bits = scene->state.d[at];
    *before = is_half ? bits >> 16 * part & 0xffff : bits;
    return wgmma_place_d(types, (int)(at % WGMMA_THREADS), (int)(at / WGMMA_THREADS), part);
}

static bool are_exposed(const char *pending, const char *exposed, int mutants)
{
    for (int m = 1; m < mutants; m++)
        if (pending[m] && !exposed[m]) return false;
    return true;
}

// --- Dense -----------------------------------------------------------------------------------------------------------

static const char *wgmma_text(int mutant)
{
    return slow_wgmma_mutant_text((enum slow_wgmma_mutant)mutant);
}

static enum rule wgmma_rule(int mutant)
{
    static const struct misread rows[] = {{"FP8", RULE_WGMMA_SUM_FP8},
                                          {"E4M3", RULE_WGMMA_SUM_FP8},
                                          {"F32", RULE_WGMMA_RESULT},
                                          {"F16", RULE_WGMMA_RESULT},
                                          {"NEGATIVE", RULE_WGMMA_RESULT},
                                          {"OVERFLOW", RULE_WGMMA_RESULT},
                                          {"ZERO", RULE_WGMMA_SUM_EXPONENT},
                                          {"NORMALISED", RULE_WGMMA_SUM_EXPONENT},
                                          {"FLOOR", RULE_WGMMA_SUM_EXPONENT},
                                          {"FLUSH", RULE_WGMMA_SUBNORMAL},
                                          {"TF32", RULE_WGMMA_TF32},
                                          {"NAN", RULE_WGMMA_NAN},
                                          {"INF", RULE_WGMMA_NAN},
                                          {"SATFINITE", RULE_WGMMA_INTEGER},
                                          {"INTEGER", RULE_WGMMA_INTEGER},
                                          {"BITS_XOR", RULE_WGMMA_INTEGER},
                                          {NULL, RULE_WGMMA_SUM}};
    return exposed_rule(rows, wgmma_text(mutant));
}

// Can the misreading, by its name, say anything about these types?
static bool concerns(enum wgmma_types types, int mutant)
{
    const struct wgmma_types_row *row = wgmma_types_row(types);
    bool is_fp8 = row->a == NUMBER_E4M3 || row->a == NUMBER_E5M2, is_float = row->d != NUMBER_S32;
    const struct {
        const char *prefix;
        bool concerned;
    } prefixes[] = {{"FP8", is_fp8},
                    {"E4M3", is_fp8},
                    {"TF32", row->a == NUMBER_TF32},
                    {"F16", row->d == NUMBER_F16},
                    {"SATFINITE", !is_float},
                    {"INTEGER", !is_float},
                    {"BITS_XOR", row->a == NUMBER_B1}};
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
        if (strncmp(wgmma_text(mutant), prefixes[i].prefix, strlen(prefixes[i].prefix)) == 0)
            return prefixes[i].concerned;
    return is_float;
}

static void expose_dense(const void *test_case, int status, const char *pending, char *exposed)
{
    static struct scene scene;
    const struct wgmma_case *c = test_case;
    if (status != 0 || c->steps == 0 || wgmma_case_reads_outside(c)) return;
    set_scene(c, &scene);
    const struct wgmma *w = scene.wgmma;
    int few = 0;
    for (int m = 1; m < SLOW_WGMMA_COUNT; m++) few += pending[m] && concerns(w->types, m);
    uint32_t elements = few > FEW ? ELEMENTS : wgmma_case_d_bytes(c) / 2;
    if (few == 0) return;
    for (uint32_t i = 0; i < elements && !are_exposed(pending, exposed, SLOW_WGMMA_COUNT); i++) {
        struct slow_wgmma e = {.types = w->types,
                               .has_c = scene.operands.scale_d,
                               .negate = w->negate[0] != w->negate[1],
                               .satfinite = w->satfinite};
        struct number_place place = look_at(c, &scene, i, &e.c);
        wgmma_factors_of(w, &scene.operands, place.row, place.column, e.a, e.b);
        uint32_t right = slow_wgmma(&e, SLOW_WGMMA_RIGHT);
        for (int m = 1; m < SLOW_WGMMA_COUNT; m++)
            if (pending[m] && !exposed[m] && concerns(w->types, m))
                exposed[m] = slow_wgmma(&e, (enum slow_wgmma_mutant)m) != right;
    }
}

const struct exposer expose_wgmma = {
    "numbers of wgmma", {"wgmma", "wgmma_sparse"}, SLOW_WGMMA_COUNT, wgmma_text, wgmma_rule, NULL, expose_dense,
};

// --- Sparse ----------------------------------------------------------------------------------------------------------

static const char *sparse_text(int mutant)
{
    return slow_sparse_mutant_text((enum slow_sparse_mutant)mutant);
}

static enum rule sparse_rule(int mutant)
{
    static const struct misread rows[] = {
        {"HIGH_FIRST", RULE_WGMMA_SPARSE_ORDER}, {"IN_ORDER", RULE_WGMMA_SPARSE_ORDER},
        {"ONCE", RULE_WGMMA_SPARSE_METADATA},    {"TF32", RULE_WGMMA_SPARSE_METADATA},
        {"DROPPED", RULE_WGMMA_SPARSE_SUM},      {NULL, RULE_WGMMA_SPARSE_PLACE}};
    return exposed_rule(rows, sparse_text(mutant));
}

// The whole column of B: what metadata that picks the first half of each chunk meets, and what the second.
static void read_column(const struct scene *scene, struct number_place place, uint32_t *a, uint32_t *column)
{
    int kept = wgmma_types_row(scene->wgmma->types)->a == NUMBER_TF32 ? 1 : 2;
    for (int half = 0; half < 2; half++) {
        uint32_t metadata[WGMMA_THREADS], b[32];
        struct wgmma_operands operands = scene->operands;
        memset(metadata, half == 0 ? 0x44 : 0xee, sizeof metadata);
        operands.metadata = metadata;
        wgmma_factors_of(scene->wgmma, &operands, place.row, place.column, a, b);
        for (int i = 0; i < wgmma_units(scene->wgmma->types); i++)
            column[i / kept * 2 * kept + half * kept + i % kept] = b[i];
    }
}

static void expose_sparse_case(const void *test_case, int status, const char *pending, char *exposed)
{
    static struct scene scene;
    const struct wgmma_case *c = test_case;
    if (status != 0 || c->steps == 0 || wgmma_case_reads_outside(c)) return;
    set_scene(c, &scene);
    const struct wgmma *w = scene.wgmma;
    const uint32_t elements = 4 * ELEMENTS;
    for (uint32_t i = 0; i < elements && !are_exposed(pending, exposed, SLOW_SPARSE_COUNT); i++) {
        struct slow_sparse e = {.types = w->types,
                                .selector = w->selector,
                                .has_c = scene.operands.scale_d,
                                .negate = w->negate[0] != w->negate[1],
                                .satfinite = w->satfinite};
        struct number_place place = look_at(c, &scene, i, &e.c);
        e.row = place.row;
        memcpy(e.metadata, scene.operands.metadata, sizeof e.metadata);
        read_column(&scene, place, e.a, e.column);
        uint32_t right = slow_sparse(&e, SLOW_SPARSE_RIGHT);
        for (int m = 1; m < SLOW_SPARSE_COUNT; m++)
            if (pending[m] && !exposed[m]) exposed[m] = slow_sparse(&e, (enum slow_sparse_mutant)m) != right;
    }
}

const struct exposer expose_sparse = {
    "sparse wgmma", {"wgmma_sparse"}, SLOW_SPARSE_COUNT, sparse_text, sparse_rule, NULL, expose_sparse_case,
};
