// SPDX-License-Identifier: MIT
// Target `cluster`: the arguments of a launch, and a program of steps on the shared memory of other CTAs. Registers fit
// the launch; a legal step stays in the memories it was given.
#include "cluster_step.h"
#include "fuzz.h"

enum { ARENA_BASE = 0x10000, ARENA_BYTES = 1 << 16, GLOBAL_BASE = 0x100000, GLOBAL_BYTES = 1 << 16 };

static void check_launch(struct fuzz_input *input)
{
    struct cluster_launch launch = {.compiled_threads = LAUNCH_MAX_THREADS};
    struct findings findings;
    uint32_t *const arrays[] = {launch.grid, launch.block, launch.cluster, launch.compiled_cluster};
    for (int i = 0; i < 4; i++)
        for (int d = 0; d < 3; d++) arrays[i][d] = (uint32_t)fuzz_take(input, i == 0 ? 4 : 2);
    uint8_t flags = (uint8_t)fuzz_take(input, 1);
    launch.has_cluster = flags & 1;
    launch.non_portable = flags >> 1 & 1;
    launch.allows_shared = flags >> 2 & 1;
    launch.shared_bytes = (uint32_t)fuzz_take(input, 3);
    launch.allowed_shared_bytes = (uint32_t)fuzz_take(input, 3);
    launch.static_shared_bytes = (uint32_t)fuzz_take(input, 2);
    enum rule rule = cluster_launch_check(&launch, &findings);
    fuzz_require(rule == findings_first_broken(&findings));
    if (rule != RULE_OK) return;
    uint32_t ctaid[3];
    for (int d = 0; d < 3; d++) ctaid[d] = (uint32_t)fuzz_take(input, 4) % launch.grid[d];
    struct cluster_registers registers = cluster_registers(&launch, ctaid);
    fuzz_require(registers.cluster_ctarank < registers.cluster_nctarank);
}

static struct cluster_step take_step(struct fuzz_input *input)
{
    struct cluster_step step = {.opcode = (uint32_t)fuzz_take(input, 1)};
    step.issuers = (uint32_t)fuzz_take(input, 2);
    step.target = (uint32_t)fuzz_take(input, 2);
    step.function = (uint32_t)fuzz_take(input, 1);
    step.size_bytes = (uint32_t)fuzz_take(input, 2);
    step.offset_bytes = (uint32_t)fuzz_take(input, 3);
    step.barrier = (uint32_t)fuzz_take(input, 1);
    step.skew_bytes = (uint32_t)fuzz_take(input, 1);
    step.operand = fuzz_take(input, 8);
    step.compare = fuzz_take(input, 2);
    step.meeting = (uint32_t)fuzz_take(input, 1);
    return step;
}

// Does a multicast read what the caller has mapped? That is not the step's to know.
static bool is_in_arena(const struct cluster_step *step, const struct memory *arena)
{
    uint64_t address = arena->base + step->operand;
    return step->opcode != CLUSTER_OP_MULTICAST || memory_at(arena, address, step->size_bytes) != NULL;
}

static void run_program(struct fuzz_input *input, uint32_t ctas)
{
    static struct cluster_machine machine;
    struct memory arena = {malloc(ARENA_BYTES), ARENA_BASE, ARENA_BYTES};
    struct memory global = {malloc(GLOBAL_BYTES), GLOBAL_BASE, GLOBAL_BYTES};
    struct cluster_step program[CLUSTER_MAX_STEPS];
    struct cluster_answer answer;
    int count = 0;
    enum rule rule = RULE_OK;
    memset(arena.bytes, 1, ARENA_BYTES);
    memset(global.bytes, 2, GLOBAL_BYTES);
    machine = (struct cluster_machine){.ctas = ctas, .is_cluster = true, .arena = &arena, .global = &global};
    for (uint32_t i = 0; i < ctas; i++) machine.cta[i].data = calloc(1, CLUSTER_FILLED_BYTES);
    while (count < CLUSTER_MAX_STEPS && input->left > 0) program[count++] = take_step(input);
    for (int i = 0; i < count; i++)
        if (cluster_step_illegal(program, i, count, ctas) != NULL || !is_in_arena(&program[i], &arena)) count = 0;
    for (int i = 0; i < count && rule == RULE_OK; i++) rule = cluster_step(&machine, &program[i], &answer);
    for (uint32_t i = 0; i < ctas; i++) free(machine.cta[i].data);
    free(global.bytes);
    free(arena.bytes);
}

void fuzz_cluster(const uint8_t *bytes, size_t size_bytes)
{
    struct fuzz_input input = {bytes, size_bytes};
    uint8_t what = (uint8_t)fuzz_take(&input, 1);
    if (what == 0)
        check_launch(&input);
    else
        run_program(&input, 1 + what % CLUSTER_CTAS);
}
