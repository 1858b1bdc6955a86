// SPDX-License-Identifier: MIT
// The states of a barrier, and all that they become as arrivals land in any order.
#include "async_barrier.h"
#include "rules/mbarrier.h"

static void add(struct async_barrier *barrier, struct async_barrier_state state)
{
    for (int i = 0; i < barrier->states; i++) {
        const struct async_barrier_state *known = &barrier->state[i];
        if (known->word == state.word && known->plain == state.plain && known->noinc == state.noinc) return;
    }
    if (barrier->states == ASYNC_BARRIER_STATES)
        barrier->open = true;
    else
        barrier->state[barrier->states++] = state;
}

// Adds what becomes of every state when one more arrival lands, until there is nothing new.
static void land(struct async_barrier *barrier)
{
    for (int i = 0; i < barrier->states; i++) {
        struct async_barrier_state plain = barrier->state[i], noinc = plain;
        if (plain.plain > 0) {
            mbarrier_copies_done(&plain.word, 1, 0);
            plain.plain--;
            add(barrier, plain);
        }
        if (noinc.noinc > 0) {
            mbarrier_copies_done(&noinc.word, 1, 1);
            noinc.noinc--;
            add(barrier, noinc);
        }
    }
}

void async_barrier_start(struct async_barrier *barrier, uint32_t count)
{
    *barrier = (struct async_barrier){.states = 1, .state = {{.word = mbarrier_init(count)}}};
}

// The fault of one state among others: it is one only if it is everyone's.
static void agree(struct async_barrier *barrier, int state, enum rule rule, enum rule *first)
{
    if (state > 0 && rule_cuda_error(rule) != rule_cuda_error(*first)) barrier->open = true;
    if (state == 0) *first = rule;
}

enum rule async_barrier_transact(struct async_barrier *barrier, const struct mbarrier_transaction *transaction)
{
    struct async_barrier old = *barrier;
    enum rule first = RULE_OK;
    barrier->states = 0;
    for (int i = 0; i < old.states; i++) {
        agree(barrier, i, mbarrier_transact(&old.state[i].word, transaction), &first);
        add(barrier, old.state[i]);
    }
    land(barrier);
    return first;
}

enum rule async_barrier_copies_arrive(struct async_barrier *barrier, bool is_noinc)
{
    struct async_barrier old = *barrier;
    enum rule first = RULE_OK;
    barrier->states = 0;
    for (int i = 0; i < old.states; i++) {
        struct async_barrier_state state = old.state[i];
        agree(barrier, i, mbarrier_copies_issue(&state.word, 1, is_noinc), &first);
        state.plain += !is_noinc;
        state.noinc += is_noinc != 0;
        add(barrier, state);
    }
    land(barrier);
    return first;
}

static bool is_landed(const struct async_barrier_state *state)
{
    return state->plain == 0 && state->noinc == 0;
}

enum rule async_barrier_wait(struct async_barrier *barrier, uint32_t parity, int *complete)
{
    struct async_barrier old = *barrier;
    int faults = 0, now = 0, ends = 0, landed = 0;
    barrier->states = 0;
    for (int i = 0; i < old.states; i++) {
        int is_complete = 0;
        if (mbarrier_test_parity(old.state[i].word, parity, &is_complete) != RULE_OK) faults++;
        now += is_complete;
        landed += is_landed(&old.state[i]);
        ends += is_complete && is_landed(&old.state[i]);
        if (is_complete) add(barrier, old.state[i]);
    }
    if (now == 0) *barrier = old;
    *complete = now > 0;
    if ((faults > 0 && faults < old.states) || (now > 0 && ends < landed)) barrier->open = true;
    return faults > 0 ? RULE_MBARRIER_ERROR : RULE_OK;
}

void async_barrier_settle(struct async_barrier *barrier)
{
    struct async_barrier old = *barrier;
    barrier->states = 0;
    for (int i = 0; i < old.states; i++)
        if (is_landed(&old.state[i])) add(barrier, old.state[i]);
}

bool async_barrier_is_settled(const struct async_barrier *barrier)
{
    for (int i = 0; i < barrier->states; i++)
        if (!is_landed(&barrier->state[i])) return false;
    return true;
}
