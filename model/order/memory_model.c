// SPDX-License-Identifier: MIT
// The search (memory_model.h): a path for each thread, the phases of barriers, a write for each read, the Fence-SC
// order, the coherence order. Each level calls the next for all of its choices.
#include "memory_model.h"

#include <string.h>

#include "derive.h"
#include "domain.h"
#include "phase.h"

struct search {
    const struct litmus *test;
    const struct model_options *options;
    struct path_limits limits;
    struct model_work *work;
    struct model_answer *answer;
    struct execution *x;
    uint64_t reads; // of the execution, not counting what is fixed
    bool stopped;
};

// --- what is asked ---

static void use_term(struct search *search, int term)
{
    const struct litmus_term *at = &search->test->term[term];
    if (at->kind == TERM_AND || at->kind == TERM_OR || at->kind == TERM_NOT) {
        use_term(search, at->left);
        if (at->kind != TERM_NOT) use_term(search, at->right);
    }
    if (at->kind != TERM_COMPARE) return;
    for (int i = 0; i < 2; i++) {
        if (at->leaf[i].kind == LEAF_PLACE) search->answer->used_places |= relation_bit(at->leaf[i].index);
        if (at->leaf[i].kind == LEAF_REGISTER)
            search->answer->used_registers[at->leaf[i].thread] |= relation_bit(at->leaf[i].index);
    }
}

static void use_all(struct search *search)
{
    use_term(search, search->test->condition);
    if (search->test->filter >= 0) use_term(search, search->test->filter);
}

// What is left when all but the registers and places that are asked about is forgotten.
static struct litmus_end asked_end(const struct search *search)
{
    struct litmus_end end = {{{0}}, {0}};
    for (int thread = 0; thread < search->test->threads; thread++)
        RELATION_EACH(reg, search->answer->used_registers[thread])
    end.reg[thread][reg] = search->x->end.reg[thread][reg];
    RELATION_EACH(place, search->answer->used_places) end.place[place] = search->x->end.place[place];
    return end;
}

static int meets(const struct search *search)
{
    return litmus_holds(search->test, search->test->condition, &search->x->end);
}

static bool passes_filter(const struct search *search)
{
    return search->test->filter < 0 || litmus_holds(search->test, search->test->filter, &search->x->end);
}

// An end that decides: one that the claim says exists, or denies.
static bool is_decisive(const struct search *search)
{
    if (search->options->question == MODEL_PROGRESS) return true;
    if (search->options->question == MODEL_RACES) return axiom_race(search->x, search->answer->race);
    return search->test->claim == CLAIM_ALWAYS ? !meets(search) : meets(search);
}

// --- what is found ---

static void keep_witness(struct search *search, enum axiom broken)
{
    struct model_answer *answer = search->answer;
    if (answer->has_witness && answer->broken == AXIOM_NONE) return;
    if (answer->has_witness && broken != AXIOM_NONE && broken <= answer->broken) return;
    answer->has_witness = true;
    answer->broken = broken;
    answer->witness = *search->x;
}

static void count_outcome(struct search *search)
{
    struct model_answer *answer = search->answer;
    struct litmus_end end = asked_end(search);
    int i = 0;
    while (i < answer->outcomes && memcmp(&answer->outcome[i].end, &end, sizeof end) != 0) i++;
    if (i == MODEL_OUTCOMES) {
        answer->outcomes_lost = 1;
        return;
    }
    if (i == answer->outcomes) {
        answer->outcome[i] = (struct model_outcome){.end = end, .meets_condition = meets(search)};
        answer->outcomes++;
    }
    answer->outcome[i].executions++;
}

// An execution is whole, and its places have their last values.
static void end_here(struct search *search, enum axiom broken)
{
    if (!passes_filter(search)) return;
    bool decides = is_decisive(search);
    if (broken == AXIOM_NONE) {
        search->answer->allowed++;
        search->answer->can_end = true;
        if (search->options->question == MODEL_CLAIM) count_outcome(search);
    }
    if (decides) keep_witness(search, broken);
    if (decides && broken == AXIOM_NONE && !search->options->all_outcomes) search->stopped = true;
}

// The last value of each place that is asked about: that of any write with none behind it in coherence order.
static void choose_last(struct search *search, uint64_t places, enum axiom broken)
{
    if (places == 0) {
        end_here(search, broken);
        return;
    }
    struct execution *x = search->x;
    int place = relation_first(places);
    RELATION_EACH(write, x->writes)
    {
        if (search->stopped || execution_memory(x, write) != x->test->place[place].memory) continue;
        if (x->coherence.row[write] != 0) continue;
        x->end.place[place] = x->event[write].value;
        choose_last(search, places & (places - 1), broken);
    }
}

// --- coherence order ---

static bool both_ways(const struct relation *relation, int a, int b)
{
    return relation_has(relation, a, b) || relation_has(relation, b, a);
}

// A pair of morally strong writes of one memory that the order does not relate yet.
static bool find_unordered(const struct execution *x, int *first, int *second)
{
    RELATION_EACH(a, x->writes)
    {
        uint64_t others = x->writes & x->morally_strong.row[a] & ~(relation_bit(a) | (relation_bit(a) - 1));
        RELATION_EACH(b, others)
        {
            if (both_ways(&x->coherence, a, b)) continue;
            *first = a;
            *second = b;
            return true;
        }
    }
    return false;
}

// A read that goes on for ever reads, if it is strong, no write that another one has replaced.
static bool is_fair(const struct execution *x)
{
    RELATION_EACH(read, x->reads)
    {
        if (!(x->event[read].what & IS_FOREVER) || x->event[read].order == ORDER_WEAK) continue;
        if (x->from_reads.row[read] != 0) return false;
    }
    return true;
}

static void order_writes(struct search *search)
{
    struct execution *x = search->x;
    if (search->stopped) return;
    derive_from_reads(x);
    enum axiom broken = axiom_broken(x);
    int first = 0, second = 0;
    if (broken != AXIOM_NONE && search->answer->has_witness && broken <= search->answer->broken) return;
    if (broken != AXIOM_NONE || !find_unordered(x, &first, &second)) {
        search->answer->tried++;
        if (search->options->most != 0 && search->answer->tried >= search->options->most)
            search->stopped = search->answer->is_unfinished = true;
        if (search->options->question == MODEL_PROGRESS && !is_fair(x)) return;
        choose_last(search, search->answer->used_places, broken);
        return;
    }
    const struct relation kept = x->coherence;
    for (int turn = 0; turn < 2; turn++) {
        relation_add(&x->coherence, turn ? second : first, turn ? first : second);
        relation_close(&x->coherence);
        order_writes(search);
        x->coherence = kept;
    }
}

static void start_coherence(struct search *search)
{
    struct execution *x = search->x;
    memset(&x->coherence, 0, sizeof x->coherence);
    RELATION_EACH(write, x->writes)
    {
        uint64_t later = x->event[write].what & IS_INITIAL ? x->writes & ~relation_bit(write) : x->causality.row[write];
        RELATION_EACH(other, later & x->writes)
        {
            if (execution_memory(x, write) == execution_memory(x, other)) relation_add(&x->coherence, write, other);
        }
    }
    relation_close(&x->coherence);
    order_writes(search);
}

// --- Fence-SC order ---

static bool find_fences(const struct execution *x, int *first, int *second)
{
    for (int a = 0; a < x->events; a++) {
        if (!(x->event[a].what & IS_FENCE) || x->event[a].order != ORDER_SC) continue;
        for (int b = a + 1; b < x->events; b++) {
            if (!(x->event[b].what & IS_FENCE) || x->event[b].order != ORDER_SC) continue;
            if (!relation_has(&x->morally_strong, a, b) || both_ways(&x->fence_sc, a, b)) continue;
            *first = a;
            *second = b;
            return true;
        }
    }
    return false;
}

static void order_fences(struct search *search)
{
    struct execution *x = search->x;
    int first = 0, second = 0;
    if (search->stopped) return;
    if (!find_fences(x, &first, &second)) {
        derive_synchronizes(x);
        derive_base(x);
        derive_preserved(x);
        derive_causality(x);
        start_coherence(search);
        return;
    }
    for (int turn = 0; turn < 2; turn++) {
        int from = turn ? second : first, to = turn ? first : second;
        if (relation_has(&x->program, to, from)) continue;
        relation_add(&x->fence_sc, from, to);
        if (!relation_has_cycle(&x->fence_sc)) order_fences(search);
        x->fence_sc.row[from] &= ~relation_bit(to);
    }
}

// --- reads ---

// A thread does not read by the proxy and address of its own later write.
static bool may_read(const struct execution *x, int read, int write)
{
    if (execution_memory(x, read) != execution_memory(x, write)) return false;
    if (x->event[read].value != x->event[write].value) return false;
    return !relation_has(&x->program, read, write) || execution_address(x, read) != execution_address(x, write) ||
           x->event[read].proxy != x->event[write].proxy;
}

static void choose_writes(struct search *search, uint64_t reads)
{
    struct execution *x = search->x;
    if (search->stopped) return;
    if (reads == 0) {
        if (!axiom_no_thin_air(x)) return;
        memset(&x->fence_sc, 0, sizeof x->fence_sc);
        derive_observation(x);
        order_fences(search);
        return;
    }
    int read = relation_first(reads);
    RELATION_EACH(write, x->writes)
    {
        if (!may_read(x, read, write)) continue;
        relation_add(&x->reads_from, write, read);
        choose_writes(search, reads & (reads - 1));
        x->reads_from.row[write] &= ~relation_bit(read);
    }
}

static bool all_reads_have_a_write(const struct execution *x)
{
    RELATION_EACH(read, x->reads)
    {
        bool found = false;
        RELATION_EACH(write, x->writes) found |= may_read(x, read, write);
        if (!found) return false;
    }
    return true;
}

static int at_phases(void *to)
{
    struct search *search = to;
    struct execution *x = search->x;
    const struct relation grids = x->meets;
    derive_morally_strong(x);
    derive_meets(x);
    memset(&x->reads_from, 0, sizeof x->reads_from);
    choose_writes(search, x->reads);
    x->meets = grids;
    return !search->stopped;
}

// --- paths ---

// Registers alone may show that this end decides nothing.
static bool is_of_no_interest(const struct search *search)
{
    return !search->options->all_outcomes && search->options->question == MODEL_CLAIM &&
           search->answer->used_places == 0 && (!is_decisive(search) || !passes_filter(search)) &&
           search->answer->can_end;
}

static bool some_thread_goes_on(const uint8_t *ends, int threads)
{
    for (int i = 0; i < threads; i++)
        if (ends[i] != PATH_ENDS) return true;
    return false;
}

static void choose_path(struct search *search, int thread, uint8_t *ends)
{
    struct execution *x = search->x;
    if (search->stopped) return;
    if (thread == search->test->threads) {
        if ((search->options->question == MODEL_PROGRESS) != some_thread_goes_on(ends, thread) ||
            is_of_no_interest(search))
            return;
        int events = x->events;
        if (!all_reads_have_a_write(x)) return;
        if (phase_add_grids(x))
            phase_each(x, at_phases, search);
        else
            search->answer->is_full = true;
        execution_cut(x, events);
        return;
    }
    int events = x->events;
    for (int i = 0; i < search->work->paths[thread] && !search->stopped; i++) {
        struct path_result result =
            path_run(&search->work->path[thread][i], thread, search->work->domain, &search->limits, x);
        ends[thread] = (uint8_t)result.end;
        if (result.end == PATH_IS_LONG || result.end == PATH_ASKS)
            search->answer->is_full = true;
        else
            choose_path(search, thread + 1, ends);
        execution_cut(x, events);
    }
}

static void add_initial(struct execution *x)
{
    for (int i = 0; i < x->test->places; i++) {
        const struct litmus_place *place = &x->test->place[i];
        if (place->memory != i) continue;
        execution_add(x, (struct order_event){.what = IS_WRITE | IS_INITIAL,
                                              .thread = -1,
                                              .step = -1,
                                              .operation = -1,
                                              .place = i,
                                              .value = place->is_mbarrier ? place->count > 0 : place->initial});
    }
}

static int verdict(const struct search *search)
{
    int found = search->answer->has_witness && search->answer->broken == AXIOM_NONE;
    return search->test->claim == CLAIM_EXISTS && search->options->question == MODEL_CLAIM ? found : !found;
}

static void search_with(const struct litmus *test, const struct model_options *options, int unroll,
                        struct model_work *work, struct model_answer *answer)
{
    struct search search = {.test = test,
                            .options = options,
                            .limits = {.unroll = unroll, .is_progress = options->question == MODEL_PROGRESS},
                            .work = work,
                            .answer = answer,
                            .x = &work->x};
    memset(answer, 0, sizeof *answer);
    memset(&work->x, 0, sizeof work->x);
    work->x.test = test;
    use_all(&search);
    domain_find(test, &search.limits, work, answer);
    add_initial(&work->x);
    uint8_t ends[LITMUS_THREADS] = {0};
    choose_path(&search, 0, ends);
    answer->holds = verdict(&search);
}

// Short loops first: what decides is often found there, and the number of paths grows with every round.
void memory_model_ask(const struct litmus *test, const struct model_options *options, struct model_work *work,
                      struct model_answer *answer)
{
    const int most = options->unroll > 0 ? options->unroll : 2;
    for (int unroll = options->all_outcomes || options->question == MODEL_PROGRESS ? most : 0; unroll <= most;
         unroll++) {
        search_with(test, options, unroll, work, answer);
        bool is_decided = answer->has_witness && answer->broken == AXIOM_NONE;
        if (is_decided || !answer->is_cut || answer->is_unfinished) return;
    }
}
