// SPDX-License-Identifier: MIT
// The suite `mma_case`: what random cases of the family "mma" hold.
#include "family.h"
#include "mma_case.h"

// --- Random cases ----------------------------------------------------------------------------------------------------

// The sums of a case of f32 with other bits kept, or another floor: what a wrong formula would give.
static int differs(const struct mma_case *c, enum number_format format, int sum_bits)
{
    const struct mma_row *row = mma_row(c->form);
    struct mma_state state;
    uint64_t units[MMA_MAX_UNITS] = {0};
    struct mma_vector a, b;
    const struct number_sum right = {row->d, format, format, row->k, NUMBER_SUM_BITS, 0};
    const struct number_sum wrong = {row->d, format, format, row->k, sum_bits, 0};
    mma_case_start(c, &state);
    mma_case_operands(c, 0, &state);
    int parts = mma_parts(c->form, MMA_OF_A), count = 0;
    for (int operand = MMA_OF_A; operand <= MMA_OF_B; operand++) { // row 0 and column 0: lanes 0 to 3
        const uint32_t *words = operand == MMA_OF_A ? state.a : state.b;
        for (int i = 0; i < 4 * row->registers[operand] * parts; i++) {
            int lane = i / parts % 4, index = i / parts / 4;
            struct number_place at = mma_place(c->form, (enum mma_operand)operand, lane, index, i % parts);
            uint32_t unit =
                words[index * MMA_LANES + lane] >> 32 / parts * (i % parts) & UINT32_MAX >> (32 - 32 / parts);
            if (operand == MMA_OF_B) units[at.row] = unit;
            if (operand == MMA_OF_A && at.row == 0) units[at.column] = unit;
        }
        mma_vector_read(c->form, (enum mma_operand)operand, units, operand == MMA_OF_A ? &a : &b);
    }
    count += number_sum_float(&right, &a.part[0], &b.part[0], state.d) !=
             number_sum_float(&wrong, &a.part[0], &b.part[0], state.d);
    return count;
}

// Random cases tell 25 bits from 24 and from 26, in one element of each case already.
LOOP_TEST(mma_cases_tell_how_many_bits_are_kept, 0, 3)
{
    static const struct {
        enum mma_form form;
        enum number_format format;
    } forms[] = {{MMA_M16K16_F32_F16_F16_PLAIN, NUMBER_F16},
                 {MMA_M16K16_F32_BF16_BF16_PLAIN, NUMBER_BF16},
                 {MMA_M16K4_F32_TF32_TF32_PLAIN, NUMBER_TF32}};
    for (int bits = 24; bits <= 26; bits += 2) {
        int noticed = 0;
        for (uint32_t seed = 0; seed < 3000; seed++) {
            struct mma_case c = {forms[_i].form, 1, seed * 0x9e3779b9u, 0};
            noticed += differs(&c, forms[_i].format, bits);
        }
        ck_assert_msg(noticed > 20, "%s: %d of 3000 cases tell %d bits from 25", mma_row(forms[_i].form)->name, noticed,
                      bits);
    }
}
