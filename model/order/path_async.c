// SPDX-License-Identifier: MIT
// The asynchronous instructions of a path (runner.h): copies, reductions, st.async and wgmma, their groups and ends.
// Their accesses lie beside program order: behind what came before the instruction, in front of what waits for them.
#include "runner.h"

// The end of an asynchronous operation: its implicit proxy fence, and the complete_tx at its mbarrier.
static void end_operation(struct runner *run, uint64_t events, uint64_t reads, bool has_proxy_fence)
{
    const struct litmus_step *step = runner_step(run);
    if (run->flights == OPERATIONS) runner_stop(run, PATH_IS_LONG, 0);
    if (has_proxy_fence) {
        struct order_event fence = runner_event(run, IS_PROXY_FENCE);
        fence.proxy = VIA_ASYNC;
        fence.space = IN_ANY;
        int index = runner_add_beside(run, fence, 0);
        if (run->stopped) return;
        relation_add_all(&run->x->inside, events, index);
        events |= relation_bit(index);
    }
    if (step->mbarrier >= 0) {
        struct order_event complete = runner_event(run, IS_ARRIVE | IS_COMPLETE_TX);
        complete.meeting = AT_MBARRIER;
        complete.place = step->mbarrier;
        complete.proxy = VIA_GENERIC;
        complete.order = ORDER_RELEASE;
        complete.scope = SCOPE_CLUSTER;
        complete.weight = 1;
        int index = runner_add_beside(run, complete, 0);
        if (run->stopped) return;
        relation_add_all(&run->x->inside, events, index);
    }
    if (run->stopped) return;
    run->flight[run->flights++] = (struct flight){.group = step->group, .number = -1, .all = events, .read = reads};
}

// "the loads and stores performed as part of a cp.async are ordered with respect to each other"
static void run_copy(struct runner *run)
{
    const struct litmus_step *step = runner_step(run);
    const enum litmus_proxy data = step->proxy == VIA_GENERIC ? VIA_GENERIC : VIA_ASYNC;
    int read = runner_add_beside(run, runner_read(run, step->source, ORDER_WEAK), run->before);
    if (run->stopped) return;
    struct order_event to = runner_write(run, step->place, ORDER_WEAK, run->x->event[read].value);
    to.proxy = data;
    int write = runner_add_beside(run, to, run->before);
    if (run->stopped) return;
    relation_add(&run->x->inside, read, write);
    relation_add(&run->x->dependency, read, write);
    end_operation(run, relation_bit(read) | relation_bit(write), relation_bit(read), data == VIA_ASYNC);
}

// The read and the write of a reduction that the engine makes.
static uint64_t add_reduction(struct runner *run, int64_t operand, uint64_t sources)
{
    const struct litmus_step *step = runner_step(run);
    struct order_event from = runner_read(run, step->place, ORDER_RELAXED);
    from.what |= IS_REDUCTION;
    int read = runner_add_beside(run, from, run->before);
    if (run->stopped) return 0;
    int64_t new = litmus_compute(step->operation, from.value, operand, 0);
    int write = runner_add_beside(run, runner_write(run, step->place, ORDER_RELAXED, new), run->before);
    if (run->stopped) return 0;
    relation_add(&run->x->inside, read, write);
    relation_add(&run->x->rmw, read, write);
    relation_add_all(&run->x->dependency, sources | relation_bit(read), write);
    return relation_bit(read) | relation_bit(write);
}

static void run_reduce(struct runner *run)
{
    const struct litmus_step *step = runner_step(run);
    struct order_event from = runner_read(run, step->source, ORDER_WEAK);
    from.scope = SCOPE_NONE;
    int read = runner_add_beside(run, from, run->before);
    if (run->stopped) return;
    uint64_t both = add_reduction(run, run->x->event[read].value, relation_bit(read));
    if (run->stopped) return;
    RELATION_EACH(event, both) relation_add(&run->x->inside, read, event);
    end_operation(run, both | relation_bit(read), relation_bit(read), true);
}

static void run_store_async(struct runner *run)
{
    const struct litmus_step *step = runner_step(run);
    int64_t value = runner_value(run, &step->a);
    uint64_t events = 0;
    if (step->kind == LITMUS_REDUCE_ASYNC) {
        events = add_reduction(run, value, runner_source(run, &step->a));
    } else {
        int write = runner_add_beside(run, runner_write(run, step->place, ORDER_WEAK, value), run->before);
        if (run->stopped) return;
        relation_add_all(&run->x->dependency, runner_source(run, &step->a), write);
        events = relation_bit(write);
    }
    if (!run->stopped) end_operation(run, events, 0, false);
}

// "ordered with respect to the memory operations performed by all prior cp.async operations initiated by the same
// thread, but not to those of any other instruction issued by the thread"
static void run_copy_arrive(struct runner *run)
{
    struct order_event event = runner_event(run, IS_ARRIVE);
    event.meeting = AT_MBARRIER;
    event.place = runner_step(run)->mbarrier;
    event.weight = 1;
    int arrive = runner_add_beside(run, event, 0);
    if (run->stopped) return;
    for (int i = 0; i < run->flights; i++)
        if (run->flight[i].group == GROUP_ASYNC) relation_add_all(&run->x->inside, run->flight[i].all, arrive);
}

static void run_commit(struct runner *run)
{
    const enum litmus_group group = runner_step(run)->group;
    for (int i = 0; i < run->flights; i++)
        if (run->flight[i].group == group && run->flight[i].number < 0) run->flight[i].number = run->committed[group];
    run->committed[group]++;
}

static bool is_waited_for(const struct runner *run, const struct flight *flight)
{
    const struct litmus_step *step = runner_step(run);
    if (flight->group != step->group) return false;
    if (step->instance) return true; // cp.async.wait_all: also what is not committed
    return flight->number >= 0 && flight->number < run->committed[step->group] - (int)step->a.number;
}

// With .read the sources are read, and what the thread then writes there comes later: an end with a proxy fence too
// (docs/memory-model.md, "wait_group.read").
static uint64_t end_reads(struct runner *run, uint64_t reads)
{
    struct order_event fence = runner_event(run, IS_PROXY_FENCE);
    fence.proxy = VIA_ASYNC;
    int index = runner_add_beside(run, fence, 0);
    if (run->stopped) return 0;
    relation_add_all(&run->x->inside, reads, index);
    return reads | relation_bit(index);
}

static void run_wait_group(struct runner *run)
{
    uint64_t ended = 0;
    for (int i = 0; i < run->flights; i++)
        if (is_waited_for(run, &run->flight[i]))
            ended |= runner_step(run)->is_read ? run->flight[i].read : run->flight[i].all;
    if (runner_step(run)->is_read && ended != 0) ended = end_reads(run, ended);
    int wait = runner_add(run, runner_event(run, 0));
    if (!run->stopped) relation_add_all(&run->x->inside, ended, wait);
}

// wgmma.mma_async is not ordered behind prior instructions: only a fence in front of it makes an order.
static void run_wgmma(struct runner *run)
{
    const struct litmus_step *step = runner_step(run);
    int read = runner_add_beside(run, runner_read(run, step->place, ORDER_WEAK), run->ordered);
    if (run->stopped) return;
    runner_set(run, step->to, run->x->event[read].value, relation_bit(read));
    end_operation(run, relation_bit(read), relation_bit(read), true);
}

bool runner_begin(struct runner *run)
{
    switch (runner_step(run)->kind) {
    case LITMUS_COPY:
        run_copy(run);
        break;
    case LITMUS_REDUCE:
        run_reduce(run);
        break;
    case LITMUS_STORE_ASYNC:
    case LITMUS_REDUCE_ASYNC:
        run_store_async(run);
        break;
    case LITMUS_COPY_ARRIVE:
        run_copy_arrive(run);
        break;
    case LITMUS_COMMIT:
        run_commit(run);
        break;
    case LITMUS_WAIT_GROUP:
        run_wait_group(run);
        break;
    case LITMUS_WGMMA:
        run_wgmma(run);
        break;
    default:
        return false;
    }
    return true;
}
