// SPDX-License-Identifier: MIT
// The suite `mbarrier_operate`: random instructions of a warp on three barriers against lanes summed one by one. What
// single instructions do is in mbarrier_instruction.calls.
#include <stdbool.h>
#include <string.h>

#include "mbarrier_operate.h"

enum { BASE = 1024, BYTES = 2048 };

static uint8_t bytes[BYTES];
static const struct memory memory = {bytes, BASE, BYTES};
static const struct cluster_memory cluster = {&memory, 1, 1, 0};

static uint64_t word_of(uint32_t barrier)
{
    uint64_t word;
    memcpy(&word, bytes + 8 * barrier, sizeof word);
    return word;
}

static uint64_t seed;

static uint64_t draw(uint64_t below)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (seed >> 33) % below;
}

static struct mbarrier_instruction random_arrive(void)
{
    struct mbarrier_instruction in = {.opcode = MBARRIER_OP_ARRIVE + (uint32_t)draw(8),
                                      .lanes = 1 + (uint32_t)draw(~0u)};
    for (int lane = 0; lane < 32; lane++) {
        in.address[lane] = 1024 + 8 * (uint32_t)draw(3);
        in.operand[lane] = draw(3);
    }
    return in;
}

// What barrier `address` must be after the instruction where nothing faults: each lane alone, the phase decided at the
// end. Only without .noComplete, which is one transaction for each operand.
static uint64_t expected_word(const struct mbarrier_instruction *in, uint32_t address, uint64_t before)
{
    struct mbarrier_fields fields = mbarrier_unpack(before);
    const struct mbarrier_op_row *row = mbarrier_op_row(in->opcode);
    bool touched = false;
    for (int lane = 0; lane < 32; lane++) {
        if (!(in->lanes >> lane & 1) || in->address[lane] != address) continue;
        uint32_t operand = (uint32_t)in->operand[lane], arrivals = row->does == MBARRIER_BOTH ? 1 : operand;
        touched = true;
        if (row->does == MBARRIER_EXPECTS || row->does == MBARRIER_BOTH) fields.tx += (int32_t)operand;
        if (row->does == MBARRIER_COMPLETES) fields.tx -= (int32_t)operand;
        if (row->does == MBARRIER_ARRIVES || row->does == MBARRIER_BOTH) fields.pending -= arrivals;
        if (row->drop) fields.expected -= arrivals;
    }
    if (touched && fields.pending == 0 && fields.tx == 0)
        fields.phase = !fields.phase, fields.pending = fields.expected;
    return mbarrier_pack(&fields);
}

TEST(mbarrier_warp_sum__random_instructions)
{
    const struct mbarrier_unit unit = {&cluster, NULL};
    struct mbarrier_answer answer;
    seed = 1;
    int compared = 0;
    for (int i = 0; i < 20000; i++) {
        uint64_t before[3];
        for (uint32_t b = 0; b < 3; b++) {
            const struct mbarrier_fields fields = {.phase = (int)draw(2),
                                                   .pending = 1 + (uint32_t)draw(90),
                                                   .expected = 100,
                                                   .tx = (int32_t)draw(40) - 20};
            before[b] = mbarrier_pack(&fields);
            memcpy(bytes + 8 * b, &before[b], 8);
        }
        const struct mbarrier_instruction in = random_arrive();
        if (mbarrier_op_row(in.opcode)->by_value || mbarrier_operate(&unit, &in, NULL, &answer, NULL) != RULE_OK)
            continue;
        compared++;
        for (uint32_t b = 0; b < 3; b++) ck_assert_uint_eq(word_of(b), expected_word(&in, 1024 + 8 * b, before[b]));
    }
    ck_assert_int_gt(compared, 10000);
}
