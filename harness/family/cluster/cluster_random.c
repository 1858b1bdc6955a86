// SPDX-License-Identifier: MIT
// Random launches at the limits of grids, blocks, clusters and shared memory, and random programs. The generator steps
// the model as it goes, so that a program lives to its end unless it is meant to fault.
#include <string.h>

#include "arena.h"
#include "cluster_case.h"

// --- Launches --------------------------------------------------------------------------------------------------------

static void random_cluster(struct random *random, uint32_t cluster[3])
{
    static const uint32_t small[] = {1, 1, 1, 2, 2, 3, 4};
    static const uint32_t wide[] = {0, 1, 1, 2, 2, 3, 4, 5, 6, 7, 8, 8, 9, 12, 15, 16, 16, 17, 32, UINT32_MAX};
    bool is_line = random_chance(random, 40);
    for (int i = 0; i < 3; i++) cluster[i] = is_line ? 1 : random_pick(random, small);
    if (!is_line && !random_chance(random, 25)) return;
    uint32_t value = random_pick(random, wide);
    cluster[random_below(random, 3)] = value;
}

static void random_grid(struct random *random, struct cluster_launch *launch)
{
    static const uint32_t most[] = {65535, 65536, 0x7fffffff, 0x80000000, UINT32_MAX};
    const uint32_t *of = launch->has_cluster ? launch->cluster : launch->compiled_cluster;
    for (int i = 0; i < 3; i++) {
        uint32_t unit = of[i] == 0 || of[i] > 64 ? 1 : of[i];
        launch->grid[i] = unit * (uint32_t)random_range(random, 1, random_chance(random, 25) ? 3 : 2);
        if (random_chance(random, 2)) launch->grid[i]++;
        if (random_chance(random, 1)) launch->grid[i] = 0;
    }
    if (!random_chance(random, 2)) return;
    uint32_t value = random_pick(random, most);
    launch->grid[random_below(random, 3)] = value;
}

static void random_block(struct random *random, struct cluster_launch *launch)
{
    static const uint32_t x[] = {1, 31, 32, 33, 64, 127, 128, 129, 256, 512, 1023, 1024, 1025, 0, 2048, 0x80000000};
    static const uint32_t y[] = {0, 1, 2, 3, 16, 32, 33, 1024, 1025}, z[] = {0, 1, 2, 3, 32, 63, 64, 65};
    launch->block[0] = random_chance(random, 75) ? 32 : random_pick(random, x);
    launch->block[1] = launch->block[2] = 1;
    if (random_chance(random, 90)) return;
    launch->block[0] = (uint32_t)random_range(random, 1, 16);
    launch->block[1] = random_pick(random, y);
    launch->block[2] = random_pick(random, z);
}

static uint32_t random_shared(struct random *random)
{
    static const uint32_t bytes[] = {0,      0,      1024,       45056,      45057,     49151,  49152,
                                     49153,  65536,  115712,     228352,     228353,    232447, 232448,
                                     232449, 233472, 0x7fffffff, 0x80000000, UINT32_MAX};
    if (random_chance(random, 20)) return (uint32_t)random_below(random, LAUNCH_MAX_SHARED_BYTES + 1);
    return random_pick(random, bytes);
}

static struct cluster_question random_question(struct random *random)
{
    static const uint64_t offsets[] = {0,         1024,      0xffffff,   0x1000000,   0x1ffffff,  0x2000000,
                                       0xf000400, 0xfffffff, 0xffffffff, 0x100000000, UINT64_MAX, 0xffffffff00000000};
    struct cluster_question question = {.address = (uint32_t)random_u64(random)};
    question.rank = random_chance(random, 70) ? (uint32_t)random_below(random, 17) : (uint32_t)random_u64(random);
    question.offset = random_pick(random, offsets);
    if (random_chance(random, 50)) {
        question.offset = random_u64(random);
        question.offset >>= random_range(random, 8, 40);
    }
    return question;
}

static void random_launch(struct random *random, struct cluster_launch_case *c)
{
    struct cluster_launch *launch = &c->launch;
    c->kernel = random_chance(random, 55) ? 0 : (uint32_t)random_below(random, CLUSTER_KERNELS);
    c->question = random_question(random);
    cluster_compiled(c->kernel, launch);
    launch->has_cluster = random_chance(random, launch->compiled_cluster[0] != 0 ? 40 : 80);
    launch->non_portable = random_chance(random, 60);
    if (launch->has_cluster && launch->compiled_cluster[0] != 0 && random_chance(random, 60))
        memcpy(launch->cluster, launch->compiled_cluster, sizeof launch->cluster);
    else if (launch->has_cluster)
        random_cluster(random, launch->cluster);
    random_grid(random, launch);
    random_block(random, launch);
    launch->shared_bytes = random_chance(random, 70) ? 0 : random_shared(random);
    launch->allows_shared = random_chance(random, 40);
    if (launch->allows_shared)
        launch->allowed_shared_bytes = random_chance(random, 70) ? launch->shared_bytes : random_shared(random);
    if (cluster_launch_illegal(c) == NULL) return;
    const uint32_t *of = launch->has_cluster ? launch->cluster : launch->compiled_cluster; // too many CTAs to answer
    for (int i = 0; i < 3; i++) launch->grid[i] = of[i] > 0 ? of[i] : 1;
}

// --- Programs --------------------------------------------------------------------------------------------------------

// A program in the making. Data do not decide whether it lives, so one buffer is every CTA's.
struct plan {
    struct random *random;
    struct cluster_program_case *c;
    struct cluster_machine machine;
    uint8_t data[CLUSTER_FILLED_BYTES], global[CLUSTER_FILLED_BYTES];
    struct memory stored;
    uint32_t gone;
};

static uint32_t random_ctas(struct random *random)
{
    static const uint32_t small[] = {2, 2, 2, 3, 4, 4, 5, 6, 7, 8};
    return random_chance(random, 80) ? random_pick(random, small) : (uint32_t)random_range(random, 1, CLUSTER_CTAS);
}

static uint32_t random_rank(struct plan *plan)
{
    return (uint32_t)random_below(plan->random, plan->c->ctas);
}

// CTAs that are left: one, some or all.
static uint32_t random_issuers(struct plan *plan, bool is_one)
{
    uint32_t left = ((UINT32_C(1) << plan->c->ctas) - 1) & ~plan->gone, mask = 0;
    if (!is_one && random_chance(plan->random, 40)) return left;
    while (mask == 0)
        mask = is_one || random_chance(plan->random, 60) ? UINT32_C(1) << random_rank(plan)
                                                         : (uint32_t)random_u64(plan->random),
        mask &= left;
    return mask;
}

static uint32_t random_opcode(struct random *random)
{
    static const uint8_t often[] = {CLUSTER_OP_LD,     CLUSTER_OP_ST,        CLUSTER_OP_RED,         CLUSTER_OP_ATOM,
                                    CLUSTER_OP_ARRIVE, CLUSTER_OP_EXPECT_TX, CLUSTER_OP_COMPLETE_TX, CLUSTER_OP_INIT};
    if (random_chance(random, 60)) return random_pick(random, often);
    return (uint32_t)random_below(random, CLUSTER_OP_EXIT_WARP + 1);
}

static uint32_t random_size(struct random *random, uint32_t opcode)
{
    static const uint32_t sizes[] = {1, 2, 4, 8, 16}, words[] = {4, 8, 16};
    if (opcode == CLUSTER_OP_LD || opcode == CLUSTER_OP_ST) return random_pick(random, sizes);
    if (opcode == CLUSTER_OP_ST_ASYNC) return random_pick(random, words);
    if (opcode == CLUSTER_OP_BULK) return 16 * (uint32_t)random_range(random, 1, 4);
    if (opcode == CLUSTER_OP_MULTICAST) return 16 * (uint32_t)random_range(random, 1, 8);
    return 0;
}

static uint64_t random_operand(struct random *random, uint32_t opcode)
{
    static const uint32_t counts[] = {0, 1, 1, 1, 1, 2, 3, 4, 8, 16};
    static const uint32_t bytes[] = {0, 1, 4, 8, 16, 32, 64, 1024, 0xfffff};
    if (opcode == CLUSTER_OP_MULTICAST) return 16 * random_below(random, (ARENA_BYTES - CLUSTER_DATA_BYTES) / 16);
    if (opcode == CLUSTER_OP_BULK || opcode == CLUSTER_OP_LD) return 0;
    if (cluster_is(opcode, CLUSTER_WITH_DATA))
        return random_chance(random, 20) ? random_below(random, 3) : random_u64(random);
    if (opcode == CLUSTER_OP_ARRIVE || opcode == CLUSTER_OP_ARRIVE_DROP) return random_pick(random, counts);
    if (opcode != CLUSTER_OP_INIT) return random_pick(random, bytes);
    uint32_t count = random_pick(random, counts);
    return count + (random_chance(random, 95) ? 1u : 0u);
}

static void choose_target(struct plan *plan, struct cluster_step *step)
{
    struct random *random = plan->random;
    if (step->opcode >= CLUSTER_OP_INIT) {
        step->target = 0;
    } else if (step->opcode == CLUSTER_OP_MULTICAST) {
        while (step->target == 0) step->target = (uint32_t)random_u64(random) & ((UINT32_C(1) << plan->c->ctas) - 1);
    } else if (random_chance(random, 50)) {
        step->target = CLUSTER_RING | random_rank(plan);
    } else {
        step->target = random_rank(plan);
    }
}

static struct cluster_step random_step(struct plan *plan)
{
    struct random *random = plan->random;
    struct cluster_step step = {.opcode = random_opcode(random)};
    bool is_alone = step.opcode == CLUSTER_OP_MULTICAST || random_chance(random, 40);
    step.issuers = random_issuers(plan, is_alone);
    choose_target(plan, &step);
    if (cluster_is(step.opcode, CLUSTER_WITH_FUNCTION))
        step.function = (uint32_t)random_below(random, ATOMIC_FUNCTION_COUNT);
    if (step.opcode != CLUSTER_OP_ATOM && !atomic_row(step.function)->is_red) step.function = ATOMIC_ADD_U32;
    step.size_bytes = random_size(random, step.opcode);
    uint32_t bytes = cluster_data_bytes(&step);
    if (cluster_is(step.opcode, CLUSTER_WITH_DATA) && bytes > 0) {
        uint32_t align = bytes > 16 ? 16 : bytes;
        step.offset_bytes = align * (uint32_t)random_below(random, (CLUSTER_DATA_BYTES - bytes) / align + 1);
    }
    if (cluster_is(step.opcode, CLUSTER_WITH_BARRIER)) step.barrier = (uint32_t)random_below(random, 2);
    if (random_chance(random, 10)) step.barrier *= 3;
    step.operand = random_operand(random, step.opcode);
    if (!cluster_is(step.opcode, CLUSTER_WITH_DATA)) step.operand = (uint32_t)step.operand;
    if (cluster_is(step.opcode, CLUSTER_WITH_DATA) && step.opcode != CLUSTER_OP_LD) step.compare = random_u64(random);
    if (random_chance(random, 50)) step.meeting = (uint32_t)random_below(random, CLUSTER_MEETING_COUNT);
    return step;
}

// Makes a remote step into one that the hardware should refuse.
static void spoil(struct plan *plan, struct cluster_step *step)
{
    static const uint32_t past[] = {CLUSTER_FILLED_BYTES, CLUSTER_FILLED_BYTES + 4096,
                                    SM_SHARED_BYTES - CLUSTER_DATA_START};
    struct random *random = plan->random;
    uint32_t gone = plan->gone, size = cluster_data_bytes(step);
    uint64_t kind = random_below(random, 8);
    step->issuers = random_issuers(plan, true);
    if (gone != 0 && kind < 5)
        step->target = step->opcode == CLUSTER_OP_MULTICAST ? gone : (uint32_t)__builtin_ctz(gone);
    else if (kind < 3)
        step->target =
            step->opcode == CLUSTER_OP_MULTICAST
                ? UINT32_C(1) << (uint32_t)random_range(random, plan->c->ctas - 1, CLUSTER_CTAS - 1)
                : (uint32_t)random_range(random, (int64_t)plan->c->ctas, random_chance(random, 50) ? 16 : 255);
    else if (kind < 5 && cluster_is(step->opcode, CLUSTER_WITH_DATA) && size > 1)
        step->offset_bytes += size > 8 ? 8 : size / 2;
    else if (kind < 5 && !cluster_is(step->opcode, CLUSTER_WITH_DATA))
        step->skew_bytes = (uint32_t)random_range(random, 1, 7);
    else if (cluster_is(step->opcode, CLUSTER_WITH_DATA))
        step->offset_bytes = random_pick(random, past);
}

// Whether what a copy leaves on a barrier depends on the pieces in which it signals its bytes (the limits page says
// so).
static bool depends_on_pieces(const struct plan *plan, const struct cluster_step *step)
{
    const uint32_t ctas = plan->c->ctas;
    if (step->opcode != CLUSTER_OP_BULK && step->opcode != CLUSTER_OP_MULTICAST) return false;
    for (uint32_t rank = 0; rank < ctas; rank++) // any CTA that might be reached
        if (mbarrier_depends_on_pieces(plan->machine.cta[rank].word[step->barrier], step->size_bytes)) return true;
    return false;
}

// A misaligned operation of the own CTA's barrier that breaks a rule of the barrier too: an H200 reports either (the
// limits page says so).
static bool has_two_faults(const struct plan *plan, const struct cluster_step *step)
{
    struct cluster_machine machine = plan->machine;
    struct cluster_step aligned = *step;
    struct cluster_answer unused;
    aligned.skew_bytes = 0;
    return step->skew_bytes != 0 && cluster_step(&machine, &aligned, &unused) != RULE_OK;
}

static bool try_step(struct plan *plan, const struct cluster_step *step, bool is_fault)
{
    struct cluster_program_case *c = plan->c;
    struct cluster_machine after = plan->machine;
    struct cluster_answer answer;
    c->step[c->count] = *step;
    int count = c->count + 1;
    bool is_last = cluster_is(step->opcode, CLUSTER_STORES_AT_EXIT);
    if (cluster_step_illegal(c->step, c->count, is_last ? count : CLUSTER_MAX_STEPS + 1, c->ctas) != NULL) return false;
    if (depends_on_pieces(plan, step) || has_two_faults(plan, step)) return false;
    if ((cluster_step(&after, step, &answer) != RULE_OK) != is_fault) return false;
    plan->machine = after;
    if (step->opcode == CLUSTER_OP_EXIT) plan->gone |= step->issuers;
    c->count = count;
    return true;
}

static void add_steps(struct plan *plan, int count)
{
    for (int tries = 0; tries < 200 && plan->c->count < count; tries++) {
        struct cluster_step step = random_step(plan);
        try_step(plan, &step, false);
    }
}

static void add_exit(struct plan *plan)
{
    struct cluster_step step = {.opcode = CLUSTER_OP_EXIT, .issuers = random_issuers(plan, true)};
    step.meeting = (uint32_t)random_below(plan->random, CLUSTER_MEETING_COUNT);
    try_step(plan, &step, false);
}

static void add_fault(struct plan *plan)
{
    for (int tries = 0; tries < 60; tries++) {
        struct cluster_step step = random_step(plan);
        if (step.opcode >= CLUSTER_OP_INIT) continue;
        spoil(plan, &step);
        if (try_step(plan, &step, true)) return;
    }
}

static void add_store(struct plan *plan)
{
    struct random *random = plan->random;
    struct cluster_step step = {.opcode = (uint32_t)random_range(random, CLUSTER_OP_STORE_EXIT, CLUSTER_OP_REDUCE_EXIT),
                                .issuers = random_issuers(plan, true)};
    uint32_t most = random_chance(random, 70) ? 32 : CLUSTER_FILLED_BYTES / 16;
    step.size_bytes = 16 * (uint32_t)random_range(random, 1, most);
    try_step(plan, &step, false);
}

static void random_program(struct random *random, struct cluster_program_case *c)
{
    struct plan plan;
    plan = (struct plan){.random = random, .c = c, .stored = {plan.global, 0, sizeof plan.global}};
    c->no_cluster = (uint32_t)random_chance(random, 6);
    c->ctas = c->no_cluster ? 1 : random_ctas(random);
    c->seed = (uint32_t)random_u64(random);
    plan.machine = (struct cluster_machine){
        .ctas = c->ctas, .is_cluster = !c->no_cluster, .arena = arena(), .global = &plan.stored};
    for (uint32_t rank = 0; rank < c->ctas; rank++) plan.machine.cta[rank].data = plan.data;

    int length = (int)random_range(random, 1, CLUSTER_MAX_STEPS - 2), exits = random_chance(random, 15);
    add_steps(&plan, exits ? length / 2 + 1 : length);
    if (exits) add_exit(&plan);
    if (exits) add_steps(&plan, length);
    if (random_chance(random, exits ? 15 : 2))
        add_fault(&plan);
    else if (random_chance(random, 12))
        add_store(&plan);
    if (c->count == 0) add_steps(&plan, 1);
}

void cluster_generate(struct random *random, void *test_case)
{
    struct cluster_case *c = test_case;
    memset(c, 0, sizeof *c);
    c->is_program = random_chance(random, 60) ? 1 : 0;
    if (c->is_program)
        random_program(random, &c->program);
    else
        random_launch(random, &c->launch);
    struct cluster_program_case *program = &c->program;
    if (c->is_program && program->count == 0) // every try was refused: the plainest program
        program->step[program->count++] = (struct cluster_step){.opcode = CLUSTER_OP_EXIT_WARP, .issuers = 1};
    memset(&program->step[program->count], 0, sizeof program->step - (size_t)program->count * sizeof program->step[0]);
}
