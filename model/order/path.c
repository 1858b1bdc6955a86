// SPDX-License-Identifier: MIT
// Runs one thread of a litmus test along chosen values (path.h). One function per kind of instruction.
#include <string.h>

#include "runner.h"

void runner_stop(struct runner *run, enum path_end end, int options)
{
    if (run->stopped) return;
    run->stopped = 1;
    run->result = (struct path_result){.end = end, .options = options};
}

// The next choice among `options`; 0 and a stopped run if it is not made yet.
static int runner_choose(struct runner *run, int options)
{
    if (run->stopped) return 0;
    if (run->taken < run->path->choices) return run->path->choice[run->taken++];
    runner_stop(run, run->path->choices == PATH_CHOICES ? PATH_IS_LONG : PATH_ASKS, options);
    return 0;
}

static int64_t *registers(struct runner *run)
{
    return run->x->end.reg[run->thread];
}

int64_t runner_value(struct runner *run, const struct litmus_value *value)
{
    return value->is_register ? registers(run)[value->number] : value->number;
}

uint64_t runner_source(const struct runner *run, const struct litmus_value *value)
{
    return value->is_register ? run->source[value->number] : 0;
}

void runner_set(struct runner *run, int to, int64_t value, uint64_t source)
{
    if (to < 0) return;
    registers(run)[to] = value;
    run->source[to] = source;
}

const struct litmus_step *runner_step(const struct runner *run)
{
    return &run->code->step[run->step];
}

struct order_event runner_event(const struct runner *run, unsigned what)
{
    const struct litmus_step *step = runner_step(run);
    return (struct order_event){.what = what,
                                .thread = run->thread,
                                .step = run->step,
                                .operation = -1,
                                .order = step->order,
                                .scope = step->scope,
                                .proxy = step->proxy,
                                .space = step->space,
                                .place = -1};
}

static int add(struct runner *run, struct order_event event)
{
    if (run->stopped) return 0;
    int index = execution_add(run->x, event);
    if (index < 0) {
        runner_stop(run, PATH_IS_LONG, 0);
        return 0;
    }
    relation_add_all(&run->x->dependency, run->control, index);
    return index;
}

// Adds an event behind all others of the thread.
int runner_add(struct runner *run, struct order_event event)
{
    int index = add(run, event);
    if (run->stopped) return 0;
    relation_add_all(&run->x->program, run->before, index);
    run->before |= relation_bit(index);
    return index;
}

// Adds an event of an asynchronous operation: behind what came before its instruction, in front of nothing.
int runner_add_beside(struct runner *run, struct order_event event, uint64_t behind)
{
    event.operation = run->flights;
    int index = add(run, event);
    if (!run->stopped) relation_add_all(&run->x->issue, behind, index);
    return index;
}

static int64_t choose_value(struct runner *run, int place)
{
    const struct path_domain *domain = &run->domains[run->x->test->place[place].memory];
    int chosen = runner_choose(run, domain->values);
    return domain->value[chosen < domain->values ? chosen : 0];
}

static enum access_order read_order(enum access_order order)
{
    return order == ORDER_ACQ_REL ? ORDER_ACQUIRE : order == ORDER_RELEASE ? ORDER_RELAXED : order;
}

static enum access_order write_order(enum access_order order)
{
    return order == ORDER_ACQ_REL ? ORDER_RELEASE : order == ORDER_ACQUIRE ? ORDER_RELAXED : order;
}

struct order_event runner_read(struct runner *run, int place, enum access_order order)
{
    struct order_event event = runner_event(run, IS_READ);
    event.place = place;
    event.order = order;
    event.value = choose_value(run, place);
    return event;
}

struct order_event runner_write(const struct runner *run, int place, enum access_order order, int64_t value)
{
    struct order_event event = runner_event(run, IS_WRITE);
    event.place = place;
    event.order = order;
    event.value = value;
    return event;
}

static void run_load(struct runner *run)
{
    const struct litmus_step *step = runner_step(run);
    int read = runner_add(run, runner_read(run, step->place, read_order(step->order)));
    if (!run->stopped) runner_set(run, step->to, run->x->event[read].value, relation_bit(read));
}

static void run_store(struct runner *run)
{
    const struct litmus_step *step = runner_step(run);
    int write = runner_add(run, runner_write(run, step->place, write_order(step->order), runner_value(run, &step->a)));
    if (!run->stopped) relation_add_all(&run->x->dependency, runner_source(run, &step->a), write);
}

// "write operation: atomic operations if they result in a write": a cas that fails only reads.
static void run_atom(struct runner *run)
{
    const struct litmus_step *step = runner_step(run);
    struct order_event event = runner_read(run, step->place, read_order(step->order));
    if (step->to < 0) event.what |= IS_REDUCTION;
    int read = runner_add(run, event);
    if (run->stopped) return;
    int64_t old = event.value, operand = runner_value(run, &step->a);
    if (step->operation != DO_COMPARE_SWAP || old == operand) {
        int64_t new = litmus_compute(step->operation, old, operand, runner_value(run, &step->b));
        int write = runner_add(run, runner_write(run, step->place, write_order(step->order), new));
        if (run->stopped) return;
        relation_add(&run->x->rmw, read, write);
        uint64_t sources = runner_source(run, &step->a) | runner_source(run, &step->b);
        if (step->operation != DO_EXCHANGE) sources |= relation_bit(read);
        relation_add_all(&run->x->dependency, sources, write);
    }
    runner_set(run, step->to, old, relation_bit(read));
}

static void run_compute(struct runner *run)
{
    const struct litmus_step *step = runner_step(run);
    int64_t a = runner_value(run, &step->a), b = runner_value(run, &step->b);
    int64_t value = step->operation == DO_MOVE ? a : litmus_compute(step->operation, a, b, 0);
    runner_set(run, step->to, value, runner_source(run, &step->a) | runner_source(run, &step->b));
}

static void run_fence(struct runner *run, unsigned what)
{
    int fence = runner_add(run, runner_event(run, what));
    if (!run->stopped && runner_step(run)->proxy == VIA_ASYNC) run->ordered = run->before | relation_bit(fence);
}

// The copy of tensormap.cp_fenceproxy, then its fence.
static void run_map_copy(struct runner *run)
{
    const struct litmus_step *step = runner_step(run);
    struct order_event from = runner_read(run, step->source, ORDER_WEAK);
    from.proxy = VIA_GENERIC;
    from.scope = SCOPE_NONE;
    int read = runner_add(run, from);
    struct order_event to = runner_write(run, step->place, ORDER_WEAK, from.value);
    to.proxy = VIA_GENERIC;
    to.scope = SCOPE_NONE;
    int write = runner_add(run, to);
    if (run->stopped) return;
    relation_add(&run->x->dependency, read, write);
    run_fence(run, IS_FENCE | IS_ONE_WAY);
}

// In a question about progress, a wait may also be the thread's last event.
static bool is_stuck_here(struct runner *run, struct order_event event)
{
    if (!run->limits->is_progress || runner_choose(run, 2) == 0) return false;
    event.what = IS_STUCK;
    runner_add(run, event);
    runner_stop(run, PATH_IS_STUCK, 0);
    return true;
}

static void run_meeting(struct runner *run, enum meeting meeting)
{
    const struct litmus_step *step = runner_step(run);
    struct order_event event = runner_event(run, 0);
    event.meeting = meeting;
    event.weight = 1;
    event.instance = step->instance;
    event.barrier = (int)runner_value(run, &step->a);
    event.quorum = step->has_b ? (int)runner_value(run, &step->b) : 0;
    if (step->arrives) {
        event.what = IS_ARRIVE;
        runner_add(run, event);
    }
    if (!step->waits || is_stuck_here(run, event)) return;
    event.what = IS_WAIT;
    runner_add(run, event);
}

static void run_init(struct runner *run)
{
    struct order_event event = runner_write(run, runner_step(run)->mbarrier, ORDER_WEAK, 1);
    event.weight = (int)runner_value(run, &runner_step(run)->a);
    runner_add(run, event);
}

// An arrive on an object that a thread initialises reads whether that has happened.
static void run_arrive(struct runner *run, int weight, int expected)
{
    const struct litmus_step *step = runner_step(run);
    struct order_event event = runner_event(run, IS_ARRIVE);
    event.place = step->mbarrier;
    event.meeting = AT_MBARRIER;
    event.value = 1;
    if (run->x->test->place[step->mbarrier].count == 0) {
        event.what |= IS_READ;
        event.value = choose_value(run, step->mbarrier);
    }
    if (event.value == 0) event.what &= ~(unsigned)IS_ARRIVE; // the arrival is lost
    if (expected > 0) {
        struct order_event expect = event;
        expect.what = IS_EXPECT_TX;
        expect.weight = expected;
        if (event.value != 0) runner_add(run, expect);
    }
    event.weight = weight;
    int arrive = weight > 0 ? runner_add(run, event) : 0;
    if (!run->stopped) runner_set(run, step->to, event.value, weight > 0 ? relation_bit(arrive) : 0);
}

// With a register try_wait may be false. Without one the thread tries again until it is true.
static void run_try_wait(struct runner *run)
{
    const struct litmus_step *step = runner_step(run);
    struct order_event event = runner_event(run, IS_WAIT);
    event.place = step->mbarrier;
    event.meeting = AT_MBARRIER;
    event.weight = (int)runner_value(run, &step->a) & 1; // the parity
    if (step->to < 0 && is_stuck_here(run, event)) return;
    bool is_true = step->to < 0 || runner_choose(run, 2) != 0;
    if (run->stopped) return;
    int wait = is_true ? runner_add(run, event) : 0;
    if (!run->stopped) runner_set(run, step->to, is_true, is_true ? relation_bit(wait) : 0);
}

static void run_point(struct runner *run)
{
    struct order_event event = runner_event(run, 0);
    event.weight = (int)runner_value(run, &runner_step(run)->a); // the grid, of the host
    runner_add(run, event);
    if (runner_step(run)->kind == LITMUS_WGMMA_FENCE) run->ordered = run->before;
}

// Has a whole round of this loop gone by that changed no register and did nothing but read?
static bool is_idle_round(const struct runner *run, int target)
{
    uint64_t round = run->before & ~run->before_then[target];
    RELATION_EACH(event, round)
    {
        if (run->x->event[event].what & ~(unsigned)(IS_READ | IS_FENCE)) return false;
    }
    return memcmp(run->registers_then[target], run->x->end.reg[run->thread], sizeof run->registers_then[target]) == 0;
}

static void spin(struct runner *run, int target)
{
    uint64_t round = run->before & ~run->before_then[target];
    RELATION_EACH(event, round)
    {
        if (run->x->event[event].what & IS_READ) run->x->event[event].what |= IS_FOREVER;
    }
    runner_stop(run, PATH_SPINS, 0);
}

static int run_branch(struct runner *run)
{
    const struct litmus_step *step = runner_step(run);
    int64_t a = runner_value(run, &step->a), b = runner_value(run, &step->b);
    run->control |= runner_source(run, &step->a) | runner_source(run, &step->b);
    if (!litmus_compare(step->operation, a, b)) return run->step + 1;
    if (step->target > run->step) return step->target;
    bool is_idle = is_idle_round(run, step->target);
    if (is_idle && !run->limits->is_progress)
        runner_stop(run, PATH_IS_IDLE, 0);
    else if (is_idle && runner_choose(run, 2) != 0)
        spin(run, step->target);
    else if (++run->rounds[run->step] > run->limits->unroll)
        runner_stop(run, PATH_IS_CUT, 0);
    return step->target;
}

// Executes one step; returns the next.
static int run_step(struct runner *run)
{
    const struct litmus_step *step = runner_step(run);
    switch (step->kind) {
    case LITMUS_BRANCH:
        return run_branch(run);
    case LITMUS_COMPUTE:
        run_compute(run);
        break;
    case LITMUS_LOAD:
        run_load(run);
        break;
    case LITMUS_STORE:
        run_store(run);
        break;
    case LITMUS_ATOM:
        run_atom(run);
        break;
    case LITMUS_FENCE:
        run_fence(run, IS_FENCE);
        break;
    case LITMUS_PROXY_FENCE:
        run_fence(run, IS_PROXY_FENCE);
        break;
    case LITMUS_ONE_WAY_FENCE:
        run_fence(run, IS_FENCE | IS_ONE_WAY);
        break;
    case LITMUS_INIT_FENCE:
        run_fence(run, IS_INIT_FENCE);
        break;
    case LITMUS_MAP_COPY:
        run_map_copy(run);
        break;
    case LITMUS_BARRIER:
        run_meeting(run, AT_BARRIER);
        break;
    case LITMUS_CLUSTER_ARRIVE:
    case LITMUS_CLUSTER_WAIT:
        run_meeting(run, AT_CLUSTER);
        break;
    case LITMUS_MBARRIER_INIT:
        run_init(run);
        break;
    case LITMUS_MBARRIER_ARRIVE:
        run_arrive(run, (int)runner_value(run, &step->a), 0);
        break;
    case LITMUS_MBARRIER_EXPECT:
        run_arrive(run, step->arrives, (int)runner_value(run, &step->a));
        break;
    case LITMUS_MBARRIER_WAIT:
        run_try_wait(run);
        break;
    default:
        if (!runner_begin(run)) run_point(run);
        break;
    }
    return run->step + 1;
}

static void mark_step(struct runner *run)
{
    memcpy(run->registers_then[run->step], run->x->end.reg[run->thread], sizeof run->registers_then[0]);
    run->before_then[run->step] = run->before;
}

struct path_result path_run(const struct path *path, int thread, const struct path_domain *domains,
                            const struct path_limits *limits, struct execution *x)
{
    struct runner run = {.x = x,
                         .code = &x->test->thread[thread],
                         .path = path,
                         .domains = domains,
                         .limits = limits,
                         .thread = thread,
                         .result = {.end = PATH_ENDS}};
    memcpy(x->end.reg[thread], run.code->initial, sizeof run.code->initial);
    while (!run.stopped && run.step < run.code->steps) {
        mark_step(&run);
        run.step = run_step(&run);
    }
    return run.result;
}
