// SPDX-License-Identifier: MIT
// The relations of the memory model, pair by pair: each vector is a litmus test, two events of the execution that its
// question names, and whether the relation holds between them. Every plausible wrong formula fails one of them.
#include <stdlib.h>
#include <string.h>

#include "derive.h"
#include "litmus_read.h"
#include "memory_model.h"

#define COUNT(table) ((int)(sizeof(table) / sizeof(table)[0]))

enum which { STRONG, OBSERVATION, RELEASE, ACQUIRE, SYNCHRONIZES, BASE, PRESERVED };

// An event: of which thread, of which step, and what it is.
struct named {
    int thread, step;
    unsigned what;
};

#define NEAR  "P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n"
#define FAR   "P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n"
#define THREE "P0@cta 0,gpu 0 | P1@cta 1,gpu 0 | P2@cta 2,gpu 0 ;\n"
#define XY    "PTX t\n{ x = 0; y = 0; }\n"

static const char mp[] = XY FAR "st.weak x, 1 | ld.acquire.gpu r0, y ;\nst.release.gpu y, 1 | ld.weak r1, x ;\n"
                                "exists (P1:r0 == 1 /\\ P1:r1 == 1)";
static const char mp_narrow[] = XY FAR "st.weak x, 1 | ld.acquire.gpu r0, y ;\nst.release.cta y, 1 | ld.weak r1, x ;\n"
                                       "exists (P1:r0 == 1 /\\ P1:r1 == 0)";
static const char mp_relaxed[] = XY FAR
    "st.weak x, 1 | ld.relaxed.gpu r0, y ;\nst.relaxed.gpu y, 1 | ld.weak r1, x ;\nexists (P1:r0 == 1 /\\ P1:r1 == 1)";
static const char fences[] = XY FAR "st.weak x, 1 | ld.relaxed.gpu r0, y ;\nfence.acq_rel.gpu | fence.acq_rel.gpu ;\n"
                                    "st.relaxed.gpu y, 1 | ld.weak r1, x ;\nst.weak y, 2 | ;\nexists (P1:r0 == 1)";
static const char half_fences[] =
    XY FAR "st.weak x, 1 | ld.relaxed.gpu r0, y ;\nfence.acquire.gpu | fence.release.gpu ;\n"
           "st.relaxed.gpu y, 1 | ld.weak r1, x ;\nexists (P1:r0 == 1)";
static const char later_writes[] = XY FAR "st.release.gpu x, 1 | red.relaxed.gpu.add y, 1 ;\nst.relaxed.gpu x, 2 | "
                                          "fence.acq_rel.gpu ;\nst.relaxed.gpu y, 1 | ld.weak r0, y ;\n"
                                          "st.weak x, 3 | fence.acq_rel.gpu ;\nexists (P1:r0 == 2)";
static const char chain[] = XY THREE
    "st.release.gpu y, 1 | atom.relaxed.gpu.add r0, y, 1 | ld.acquire.gpu r0, y ;\nexists (P1:r0 == 1 /\\ P2:r0 == 2)";
static const char broken_chain[] =
    XY THREE "st.release.gpu y, 1 | ld.relaxed.gpu r0, y | ld.acquire.gpu r0, y ;\n | st.relaxed.gpu y, 2 | ;\n"
             "exists (P1:r0 == 1 /\\ P2:r0 == 2)";
static const char surface[] =
    "PTX t\n{ x = 0; s @ surface aliases x; }\n" NEAR
    "st.relaxed.gpu x, 1 | suld.relaxed.gpu r0, s ;\nst.relaxed.gpu x, 2 | ;\nexists (P1:r0 == 1)";
static const char copy[] = "PTX t\n{ .shared s = 0; .global g = 1; mbarrier b = 1; x = 0; }\n" NEAR
                           "st.weak x, 1 | mbarrier.arrive.expect_tx b, 1 ;\n"
                           "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [g], 16, [b] | "
                           "mbarrier.try_wait.parity b, 0 ;\n"
                           "st.weak x, 2 | ld.weak r0, x ;\n | ld.shared r1, s ;\nexists (P1:r0 == 0 /\\ P1:r1 == 1)";
#define STORE(place, there)                                                                                            \
    "PTX t\n{ .shared s = 0; .global g = 0; f = 0; }\n" place "st.weak s, 1 | ld.acquire.gpu r1, f ;\n" there          \
    " | cp.async.bulk.global.shared::cta.bulk_group [g], [s], 16 ;\nst.release.gpu f, 1 | ;\n"                         \
    "exists (P1:r1 == 1)"
static const char store_fenced[] = STORE(NEAR, "fence.proxy.async");
static const char store_unfenced[] = STORE(NEAR, "");
static const char store_fenced_afar[] = STORE(FAR, "fence.proxy.async");
static const char store_other_fence[] = STORE(NEAR, "fence.proxy.surface");
#define SURFACES(place)                                                                                                \
    "PTX t\n{ x = 0; s @ surface aliases x; f = 0; }\n" place "sust.weak s, 1 | ld.acquire.gpu r1, f ;\n"              \
    "st.release.gpu f, 1 | suld.weak r0, s ;\nexists (P1:r1 == 1)"
static const char surfaces_near[] = SURFACES(NEAR);
static const char surfaces_far[] = SURFACES(FAR);
static const char aliases[] =
    "PTX t\n{ x = 0; y @ generic aliases x; }\nP0@cta 0,gpu 0 ;\nst.weak x, 1 ;\nld.weak r0, y ;\n"
    "fence.proxy.alias ;\nld.weak r1, y ;\nexists (P0:r1 == 1)";

static const struct vector {
    enum which which;
    const char *text;
    struct named from, to;
    bool want;
    const char *why;
} vectors[] = {
    {STRONG, mp, {0, 1, IS_WRITE}, {1, 0, IS_READ}, true, "both strong, each scope has the other"},
    {STRONG, mp, {0, 0, IS_WRITE}, {1, 1, IS_READ}, false, "weak operations of two threads"},
    {STRONG, mp, {0, 1, IS_WRITE}, {1, 1, IS_READ}, false, "one is weak, and of another place"},
    {STRONG, mp_narrow, {0, 1, IS_WRITE}, {1, 0, IS_READ}, false, "the scope of the write does not have the reader"},
    {STRONG, fences, {0, 2, IS_WRITE}, {0, 3, IS_WRITE}, true, "program order suffices for weak ones"},
    {STRONG, later_writes, {0, 2, IS_WRITE}, {1, 0, IS_WRITE}, true, "an atomic's write too"},
    {STRONG, later_writes, {0, 1, IS_WRITE}, {1, 0, IS_WRITE}, false, "another place"},
    {STRONG, surface, {0, 0, IS_WRITE}, {1, 0, IS_READ}, false, "another proxy"},
    {OBSERVATION, mp, {0, 1, IS_WRITE}, {1, 0, IS_READ}, true, "a strong read of a strong write"},
    {OBSERVATION, mp, {0, 0, IS_WRITE}, {1, 1, IS_READ}, false, "a weak read observes nothing"},
    {OBSERVATION, chain, {0, 0, IS_WRITE}, {2, 0, IS_READ}, true, "through an atomic"},
    {OBSERVATION, broken_chain, {0, 0, IS_WRITE}, {2, 0, IS_READ}, false, "not through a load and a store"},
    {RELEASE, mp, {0, 1, IS_WRITE}, {0, 1, IS_WRITE}, true, "a release is a pattern"},
    {RELEASE, mp_relaxed, {0, 1, IS_WRITE}, {0, 1, IS_WRITE}, false, "a relaxed write is none"},
    {RELEASE, fences, {0, 1, IS_FENCE}, {0, 2, IS_WRITE}, true, "a fence and a strong write"},
    {RELEASE, fences, {0, 1, IS_FENCE}, {0, 3, IS_WRITE}, false, "a fence and a weak write"},
    {RELEASE, half_fences, {0, 1, IS_FENCE}, {0, 2, IS_WRITE}, false, "a fence that acquires only"},
    {RELEASE, later_writes, {0, 0, IS_WRITE}, {0, 1, IS_WRITE}, true, "a strong write of the same place behind it"},
    {RELEASE, later_writes, {0, 0, IS_WRITE}, {0, 2, IS_WRITE}, false, "one of another place"},
    {ACQUIRE, mp, {1, 0, IS_READ}, {1, 0, IS_READ}, true, "an acquire is a pattern"},
    {ACQUIRE, fences, {1, 0, IS_READ}, {1, 1, IS_FENCE}, true, "a strong read and a fence"},
    {ACQUIRE, half_fences, {1, 0, IS_READ}, {1, 1, IS_FENCE}, false, "a fence that releases only"},
    {ACQUIRE, later_writes, {1, 0, IS_READ}, {1, 1, IS_FENCE}, false, "the read of red begins none"},
    {ACQUIRE, later_writes, {1, 2, IS_READ}, {1, 3, IS_FENCE}, false, "nor does a weak read"},
    {SYNCHRONIZES, mp, {0, 1, IS_WRITE}, {1, 0, IS_READ}, true, "release and acquire that observes it"},
    {SYNCHRONIZES, mp_relaxed, {0, 1, IS_WRITE}, {1, 0, IS_READ}, false, "an observation alone"},
    {SYNCHRONIZES, fences, {0, 1, IS_FENCE}, {1, 1, IS_FENCE}, true, "from fence to fence"},
    {SYNCHRONIZES, copy, {0, 1, IS_ARRIVE}, {1, 1, IS_WAIT}, true, "complete_tx and the wait"},
    {BASE, mp, {0, 0, IS_WRITE}, {1, 1, IS_READ}, true, "transitive"},
    {BASE, copy, {0, 0, IS_WRITE}, {0, 1, IS_WRITE}, true, "a copy comes behind prior instructions"},
    {BASE, copy, {0, 1, IS_WRITE}, {0, 2, IS_WRITE}, false, "and in front of nothing"},
    {BASE, copy, {0, 0, IS_WRITE}, {1, 2, IS_READ}, false, "its complete_tx does not carry them"},
    {BASE, copy, {0, 1, IS_WRITE}, {1, 3, IS_READ}, true, "but the copy itself"},
    {PRESERVED, store_fenced, {0, 0, IS_WRITE}, {1, 1, IS_READ}, true, "a proxy fence on the way"},
    {PRESERVED, store_unfenced, {0, 0, IS_WRITE}, {1, 1, IS_READ}, false, "none"},
    {PRESERVED, store_fenced_afar, {0, 0, IS_WRITE}, {1, 1, IS_READ}, false, "not in the CTA of the copy"},
    {PRESERVED, store_other_fence, {0, 0, IS_WRITE}, {1, 1, IS_READ}, false, "of another proxy"},
    {PRESERVED, surfaces_near, {0, 0, IS_WRITE}, {1, 1, IS_READ}, true, "one proxy in one CTA"},
    {PRESERVED, surfaces_far, {0, 0, IS_WRITE}, {1, 1, IS_READ}, false, "one proxy in two CTAs"},
    {PRESERVED, aliases, {0, 0, IS_WRITE}, {0, 1, IS_READ}, false, "aliases without a fence"},
    {PRESERVED, aliases, {0, 0, IS_WRITE}, {0, 3, IS_READ}, true, "aliases with one"},
    {PRESERVED, copy, {0, 1, IS_WRITE}, {1, 3, IS_READ}, true, "the implicit proxy fence of a copy"},
};

static struct execution *execution_of(const char *text)
{
    static struct litmus test;
    static struct model_work work;
    static struct model_answer answer;
    struct text why = {""};
    ck_assert_msg(litmus_read("t", text, strlen(text), &test, &why), "%s", why.at);
    memory_model_ask(&test, &(struct model_options){0}, &work, &answer);
    ck_assert_msg(answer.has_witness && answer.broken == AXIOM_NONE, "no such execution: %s", text);
    return &answer.witness;
}

static int find_event(const struct execution *x, const struct named *named)
{
    for (int i = 0; i < x->events; i++)
        if (x->event[i].thread == named->thread && x->event[i].step == named->step && (x->event[i].what & named->what))
            return i;
    ck_abort_msg("no event of step %d of P%d", named->step, named->thread);
    return 0;
}

static struct relation relation_of(struct execution *x, enum which which)
{
    struct relation pattern;
    switch (which) {
    case STRONG:
        return x->morally_strong;
    case OBSERVATION:
        return x->observation;
    case RELEASE:
        derive_release_pattern(x, &pattern);
        return pattern;
    case ACQUIRE:
        derive_acquire_pattern(x, &pattern);
        return pattern;
    case SYNCHRONIZES:
        return x->synchronizes;
    case BASE:
        return x->base;
    default:
        return x->preserved;
    }
}

LOOP_TEST(relation_vectors, 0, COUNT(vectors))
{
    const struct vector *v = &vectors[_i];
    struct execution *x = execution_of(v->text);
    struct relation relation = relation_of(x, v->which);
    int got = relation_has(&relation, find_event(x, &v->from), find_event(x, &v->to));
    ck_assert_msg(got == v->want, "vector %d, %s: got %d", _i, v->why, got);
}

// --- wrong formulas ---

static bool is_strong(const struct order_event *event)
{
    return event->order != ORDER_WEAK;
}

static bool same_thread(const struct execution *x, int a, int b)
{
    return x->event[a].thread == x->event[b].thread;
}

static bool same_place(const struct execution *x, int a, int b)
{
    return execution_address(x, a) == execution_address(x, b);
}

static bool both_strong(const struct execution *x, int a, int b)
{
    return is_strong(&x->event[a]) && is_strong(&x->event[b]);
}

static int strong_by_one_scope(const struct execution *x, int a, int b)
{
    return both_strong(x, a, b) && (execution_includes(x, a, b) || execution_includes(x, b, a)) &&
           same_place(x, a, b) && x->event[a].proxy == x->event[b].proxy;
}

static int strong_without_strength(const struct execution *x, int a, int b)
{
    return same_place(x, a, b) && x->event[a].proxy == x->event[b].proxy;
}

static int strong_by_any_proxy(const struct execution *x, int a, int b)
{
    return (same_thread(x, a, b) ||
            (both_strong(x, a, b) && execution_includes(x, a, b) && execution_includes(x, b, a))) &&
           same_place(x, a, b);
}

static int strong_at_any_place(const struct execution *x, int a, int b)
{
    return both_strong(x, a, b) && execution_includes(x, a, b) && execution_includes(x, b, a) &&
           x->event[a].proxy == x->event[b].proxy;
}

static int strong_of_strong_only(const struct execution *x, int a, int b)
{
    return relation_has(&x->morally_strong, a, b) && both_strong(x, a, b);
}

static int observed_by_all(const struct execution *x, int a, int b)
{
    return relation_has(&x->reads_from, a, b);
}

static int observed_without_atomics(const struct execution *x, int a, int b)
{
    return relation_has(&x->reads_from, a, b) && relation_has(&x->morally_strong, a, b);
}

static int observed_through_threads(const struct execution *x, int a, int b)
{
    struct relation steps = x->reads_from;
    relation_join(&steps, &x->program);
    relation_close(&steps);
    return relation_has(&steps, a, b);
}

static int released_by_any_write(const struct execution *x, int a, int b)
{
    return a == b || relation_has(&x->program, a, b);
}

static int released_on_any_place(const struct execution *x, int a, int b)
{
    return x->event[a].order == ORDER_RELEASE &&
           (a == b || (relation_has(&x->program, a, b) && is_strong(&x->event[b])));
}

static int released_by_any_fence(const struct execution *x, int a, int b)
{
    return (x->event[a].what & IS_FENCE) && relation_has(&x->program, a, b) && is_strong(&x->event[b]);
}

static int acquired_by_red(const struct execution *x, int a, int b)
{
    return is_strong(&x->event[a]) && (x->event[b].what & IS_FENCE) && relation_has(&x->program, a, b);
}

static int acquired_by_weak_reads(const struct execution *x, int a, int b)
{
    return x->event[b].order >= ORDER_ACQUIRE && !(x->event[a].what & IS_REDUCTION) && relation_has(&x->program, a, b);
}

static int synchronized_by_observation(const struct execution *x, int a, int b)
{
    return relation_has(&x->observation, a, b);
}

static int base_with_copies_in_order(const struct execution *x, int a, int b)
{
    struct relation steps = x->program;
    relation_join(&steps, &x->synchronizes);
    relation_join(&steps, &x->inside);
    relation_join(&steps, &x->issue);
    relation_close(&steps);
    return relation_has(&steps, a, b);
}

static int base_without_issue(const struct execution *x, int a, int b)
{
    return relation_has(&x->base, a, b) && !relation_has(&x->issue, a, b);
}

static int preserved_without_fences(const struct execution *x, int a, int b)
{
    return relation_has(&x->base, a, b);
}

static bool has_fence(const struct execution *x, int a, int b, enum litmus_proxy proxy)
{
    for (int i = 0; i < x->events; i++)
        if ((x->event[i].what & IS_PROXY_FENCE) && (proxy == VIA_COUNT || x->event[i].proxy == proxy) &&
            relation_has(&x->base, a, i) && relation_has(&x->base, i, b))
            return true;
    return false;
}

static int preserved_by_a_fence_anywhere(const struct execution *x, int a, int b)
{
    return relation_has(&x->preserved, a, b) || has_fence(x, a, b, VIA_ASYNC);
}

static int preserved_by_any_fence(const struct execution *x, int a, int b)
{
    return relation_has(&x->preserved, a, b) || (execution_same_cta(x, a, b) && has_fence(x, a, b, VIA_COUNT));
}

static int preserved_in_one_proxy(const struct execution *x, int a, int b)
{
    return relation_has(&x->base, a, b) && x->event[a].proxy == x->event[b].proxy;
}

static int preserved_by_generic_fences_only(const struct execution *x, int a, int b)
{
    return relation_has(&x->preserved, a, b) && x->event[a].proxy == x->event[b].proxy;
}

static const struct mutant {
    enum which which;
    int (*relates)(const struct execution *x, int a, int b);
    const char *name;
} mutants[] = {
    {STRONG, strong_by_one_scope, "one scope that has the other thread is enough"},
    {STRONG, strong_without_strength, "weak operations count"},
    {STRONG, strong_by_any_proxy, "the proxies do not matter"},
    {STRONG, strong_at_any_place, "the places do not matter"},
    {STRONG, strong_of_strong_only, "program order is not enough"},
    {OBSERVATION, observed_by_all, "weak reads observe"},
    {OBSERVATION, observed_without_atomics, "an atomic ends the observation"},
    {OBSERVATION, observed_through_threads, "a load and a store go on with it"},
    {RELEASE, released_by_any_write, "every write releases"},
    {RELEASE, released_on_any_place, "the writes behind it may be of any place"},
    {RELEASE, released_by_any_fence, "every fence releases"},
    {ACQUIRE, acquired_by_red, "the read of red begins a pattern, and every fence ends one"},
    {ACQUIRE, acquired_by_weak_reads, "a weak read begins a pattern"},
    {SYNCHRONIZES, synchronized_by_observation, "an observation synchronizes"},
    {BASE, base_with_copies_in_order, "a complete_tx carries what came before its copy"},
    {BASE, base_without_issue, "a copy is ordered behind nothing"},
    {PRESERVED, preserved_without_fences, "proxies need no fence"},
    {PRESERVED, preserved_by_a_fence_anywhere, "the fence may be in any CTA"},
    {PRESERVED, preserved_by_any_fence, "a fence of any proxy is enough"},
    {PRESERVED, preserved_in_one_proxy, "one proxy in two CTAs needs no fence"},
    {PRESERVED, preserved_by_generic_fences_only, "no fence carries one proxy to another"},
};

LOOP_TEST(relation_a_vector_catches_each_mutant, 0, COUNT(mutants))
{
    const struct mutant *mutant = &mutants[_i];
    for (int i = 0; i < COUNT(vectors); i++) {
        if (vectors[i].which != mutant->which) continue;
        const struct execution *x = execution_of(vectors[i].text);
        bool got = mutant->relates(x, find_event(x, &vectors[i].from), find_event(x, &vectors[i].to)) != 0;
        if (got != vectors[i].want) return;
    }
    ck_abort_msg("no vector fails under the formula '%s'", mutant->name);
}

// --- axioms: what each forbids; what breaks Sequential Consistency Per Location breaks Causality too ---

static const struct deciding {
    enum axiom axiom;
    const char *text;
} deciding[] = {
    {AXIOM_FENCE_SC, XY FAR "fence.sc.gpu | ld.acquire.gpu r0, y ;\nst.release.gpu y, 1 | fence.sc.gpu ;\n"
                            "exists (P1:r0 == 1)"},
    {AXIOM_ATOMICITY, XY FAR "atom.relaxed.gpu.add r0, x, 1 | atom.relaxed.gpu.add r0, x, 1 ;\n"
                             "exists (P0:r0 == 0 /\\ P1:r0 == 0)"},
    {AXIOM_SC_PER_LOCATION, XY FAR "st.relaxed.gpu x, 1 | ld.relaxed.gpu r0, x ;\n | ld.relaxed.gpu r1, x ;\n"
                                   "exists (P1:r0 == 1 /\\ P1:r1 == 0)"},
    {AXIOM_CAUSALITY, XY FAR "st.weak x, 1 | ld.acquire.gpu r0, y ;\nst.release.gpu y, 1 | ld.weak r1, x ;\n"
                             "exists (P1:r0 == 1 /\\ P1:r1 == 0)"},
};

// The search orders fences either way: one of the two ways breaks the axiom Fence-SC, and the other keeps all.
LOOP_TEST(axiom_breaks_alone, 0, COUNT(deciding))
{
    static struct litmus test;
    static struct model_work work;
    static struct model_answer answer;
    struct text why = {""};
    const char *text = deciding[_i].text;
    ck_assert_msg(litmus_read("t", text, strlen(text), &test, &why), "%s", why.at);
    memory_model_ask(&test, &(struct model_options){.all_outcomes = 1}, &work, &answer);
    ck_assert(answer.has_witness);
    struct execution *x = &answer.witness;
    if (deciding[_i].axiom == AXIOM_FENCE_SC) {
        struct relation turned;
        ck_assert_int_eq(axiom_broken(x), AXIOM_NONE);
        relation_turn(&x->fence_sc, &turned);
        x->fence_sc = turned;
    }
    ck_assert_int_eq(axiom_broken(x), deciding[_i].axiom);
    ck_assert_int_eq(axiom_coherence(x), 1);
    ck_assert_int_eq(axiom_fence_sc(x), deciding[_i].axiom != AXIOM_FENCE_SC);
    ck_assert_int_eq(axiom_atomicity(x), deciding[_i].axiom != AXIOM_ATOMICITY);
    ck_assert_int_eq(axiom_no_thin_air(x), 1);
    ck_assert_int_eq(axiom_sc_per_location(x), deciding[_i].axiom != AXIOM_SC_PER_LOCATION);
    ck_assert_int_eq(axiom_causality(x),
                     deciding[_i].axiom != AXIOM_CAUSALITY && deciding[_i].axiom != AXIOM_SC_PER_LOCATION);
    struct axiom_edge edges[16];
    int count = axiom_cycle(x, deciding[_i].axiom, edges, 16);
    ck_assert_int_ge(count, 2);
    for (int i = 0; i < count; i++) ck_assert_int_eq(edges[i].to, edges[(i + 1) % count].from);
}

// Of the two axioms that the search keeps by itself: coherence follows causality, values need a cause.
TEST(axiom_coherence_wants_the_order_of_causality)
{
    struct execution *x = execution_of(fences);
    struct named first = {0, 2, IS_WRITE}, second = {0, 3, IS_WRITE};
    int a = find_event(x, &first), b = find_event(x, &second);
    ck_assert_int_eq(axiom_coherence(x), 1);
    x->coherence.row[a] &= ~relation_bit(b);
    ck_assert_int_eq(axiom_coherence(x), 0);
    relation_add(&x->coherence, a, b);
    relation_add(&x->coherence, b, a);
    relation_close(&x->coherence);
    ck_assert_int_eq(axiom_coherence(x), 0);
}

TEST(axiom_no_thin_air_wants_no_cycle)
{
    struct execution *x = execution_of(XY FAR "ld.weak r0, x | ld.weak r0, y ;\nst.weak y, 1 | st.weak x, 1 ;\n"
                                              "exists (P0:r0 == 1 /\\ P1:r0 == 1)");
    struct named read = {0, 0, IS_READ}, write = {0, 1, IS_WRITE}, other = {1, 0, IS_READ}, last = {1, 1, IS_WRITE};
    ck_assert_int_eq(axiom_no_thin_air(x), 1);
    relation_add(&x->dependency, find_event(x, &read), find_event(x, &write));
    ck_assert_int_eq(axiom_no_thin_air(x), 1);
    relation_add(&x->dependency, find_event(x, &other), find_event(x, &last));
    ck_assert_int_eq(axiom_no_thin_air(x), 0);
    ck_assert_int_eq(axiom_broken(x), AXIOM_NO_THIN_AIR);
}

// A pair that is weak and unordered races; one that is ordered, or morally strong, does not.
static const struct race {
    const char *text;
    bool holds;
    const char *why;
} races[] = {
    {mp, false, "the reader may come before the flag, and then reads x while it is written"},
    {chain, true, "all accesses are strong"},
    {surface, false, "strong accesses by two proxies"},
    {aliases, false, "the first load by the alias is in front of the fence"},
    {XY NEAR "st.weak x, 1 | bar.sync 0 ;\nbar.sync 0 | ld.weak r0, x ;\nexists (P1:r0 == 1)", true,
     "a barrier orders them"},
    {XY FAR "st.relaxed.cta x, 1 | ld.relaxed.cta r0, x ;\nexists (P1:r0 == 1)", false,
     "strong, but of too narrow a scope"},
    {XY FAR "ld.weak r0, x | ld.weak r0, x ;\nexists (P1:r0 == 0)", true, "two reads do not conflict"},
};

LOOP_TEST(race_needs_a_pair_that_is_neither_ordered_nor_strong, 0, COUNT(races))
{
    static struct litmus test;
    static struct model_work work;
    static struct model_answer answer;
    struct text why = {""};
    ck_assert_msg(litmus_read("t", races[_i].text, strlen(races[_i].text), &test, &why), "%s", why.at);
    memory_model_ask(&test, &(struct model_options){.question = MODEL_RACES}, &work, &answer);
    ck_assert_msg(answer.holds == races[_i].holds, "%s: %d", races[_i].why, answer.holds);
    if (answer.holds) return;
    const struct order_event *a = &answer.witness.event[answer.race[0]], *b = &answer.witness.event[answer.race[1]];
    ck_assert((a->what | b->what) & IS_WRITE);
    ck_assert_int_eq(test.place[a->place].memory, test.place[b->place].memory);
}
