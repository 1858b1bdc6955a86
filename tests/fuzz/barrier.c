// SPDX-License-Identifier: MIT
// Target `barrier`: a program of mbarrier operations; then any words, tokens and contributions; then async-groups,
// groups of wgmma and arrivals at a cluster's barrier. A fault leaves the word as it was; words unpack and pack; a wait
// for all leaves nothing open; phases only rise.
#include "async_group.h"
#include "cluster_barrier.h"
#include "fuzz.h"
#include "mbarrier_step.h"
#include "wgmma_group.h"

enum { MOST_STEPS = 64, MEMBERS = 8 };

static struct mbarrier_op take_op(struct fuzz_input *input)
{
    struct mbarrier_op op = {.opcode = (uint32_t)fuzz_take(input, 1) % (MBARRIER_STEP_OPS + 1)};
    op.barrier = (uint32_t)fuzz_take(input, 1) % (MBARRIER_SLOTS + 1);
    op.issuer = (uint32_t)fuzz_take(input, 1) % (MBARRIER_ISSUERS + 1);
    uint32_t *const rest[] = {&op.lanes, &op.operand, &op.step};
    for (int i = 0; i < 3; i++) *rest[i] = (uint32_t)fuzz_take(input, 4);
    op.token = (uint32_t)fuzz_take(input, 1);
    if (op.token == 0xff) op.token = MBARRIER_TOKEN_OPERAND;
    op.offset_bytes = (uint32_t)fuzz_take(input, 1) % 8;
    if (op.opcode == MBARRIER_OP_WORD) op.word = fuzz_take(input, 8);
    return op;
}

static void run_program(struct fuzz_input *input)
{
    static struct mbarrier_machine machine;
    static struct mbarrier_op program[MBARRIER_MAX_OPS];
    struct findings findings = {0};
    mbarrier_machine_start(&machine);
    enum rule rule = RULE_OK;
    for (int i = 0; i < MBARRIER_MAX_OPS && input->left > 0 && rule == RULE_OK; i++) {
        program[i] = take_op(input);
        if (mbarrier_op_illegal(program, i) != NULL) return;
        uint64_t word = machine.word[0][program[i].barrier];
        rule = mbarrier_step(&machine, &program[i], &findings);
        fuzz_require(rule == findings_first_broken(&findings) && machine.event[i].rule == rule);
        if (rule != RULE_OK) fuzz_require(machine.word[0][program[i].barrier] == word);
    }
}

static void change_word(struct fuzz_input *input)
{
    uint64_t word = fuzz_take(input, 8), before = word, remote = word;
    struct mbarrier_fields fields = mbarrier_unpack(word);
    fuzz_require(mbarrier_pack(&fields) == word);
    struct mbarrier_transaction transaction = {fuzz_take(input, 5), fuzz_take(input, 5), fuzz_take(input, 5),
                                               (int)fuzz_take(input, 1) & 1};
    enum rule rule = mbarrier_transact(&word, &transaction);
    fuzz_require(rule == RULE_OK || word == before);
    mbarrier_transact_remote(&remote, &transaction);
    fuzz_require(rule != RULE_OK || remote == word);
    mbarrier_pending_count(fuzz_take(input, 8));
}

static void run_groups(struct fuzz_input *input)
{
    struct async_groups groups = {0};
    struct wgmma_groups wgmma = wgmma_groups_start();
    struct async_operation operation = async_issue(&groups, ASYNC_BULK, NULL);
    struct wgmma_operation of_wgmma;
    wgmma_issue(&wgmma, &of_wgmma, NULL);
    for (int i = 0; i < MOST_STEPS && input->left > 0; i++) {
        uint32_t what = (uint32_t)fuzz_take(input, 1), newest = (uint32_t)fuzz_take(input, 1);
        enum async_kind kind = (enum async_kind)(what / 8 % ASYNC_KINDS);
        int warp = (int)(what / 8 % WGMMA_WARPS);
        enum async_state before = async_state(&groups, operation);
        if (what % 8 == 0) async_commit(&groups, kind, NULL);
        if (what % 8 == 1) async_wait_group(&groups, kind, newest, NULL);
        if (what % 8 == 2) async_wait_group_read(&groups, newest, NULL);
        if (what % 8 == 3) async_wait_all(&groups, NULL);
        if (what % 8 == 4) wgmma_commit(&wgmma, warp, NULL);
        if (what % 8 == 5) wgmma_wait(&wgmma, warp, newest, NULL);
        if (what % 8 == 6) wgmma_fence(&wgmma, warp, NULL);
        if (what % 8 == 7) wgmma_write_registers(&wgmma, warp);
        fuzz_require(async_state(&groups, operation) >= before);
        async_check_use(&groups, operation, ASYNC_WRITES_SOURCE);
        wgmma_check_registers(&wgmma, &of_wgmma, warp);
        wgmma_check_shared(&wgmma, &of_wgmma, newest);
    }
}

static void meet(struct fuzz_input *input)
{
    static struct cluster_barrier barrier;
    cluster_barrier_start(&barrier, MEMBERS);
    for (int i = 0; i < MOST_STEPS && input->left > 0; i++) {
        uint32_t what = (uint32_t)fuzz_take(input, 1);
        int member = (int)(what / 3 % MEMBERS);
        uint64_t phases = barrier.phases;
        if (barrier.has_exited[member]) continue;
        if (what % 3 == 0) cluster_barrier_arrive(&barrier, member, ORDER_RELEASE, NULL);
        if (what % 3 == 1) cluster_barrier_wait(&barrier, member, NULL);
        if (what == 2) cluster_barrier_exit(&barrier, member, NULL);
        fuzz_require(barrier.phases >= phases);
    }
}

void fuzz_barrier(const uint8_t *bytes, size_t size_bytes)
{
    struct fuzz_input input = {bytes, size_bytes};
    uint8_t what = (uint8_t)fuzz_take(&input, 1);
    if (what % 4 == 0) run_program(&input);
    if (what % 4 == 1) change_word(&input);
    if (what % 4 == 2) run_groups(&input);
    if (what % 4 == 3) meet(&input);
}
