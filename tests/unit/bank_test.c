// SPDX-License-Identifier: MIT
// The suite `bank`: wavefronts and clocks of accesses to shared memory, as an H200 counts them (the wavefronts with
// Nsight Compute, the clocks in traces/sm_90a/bank), and what a simpler rule would make of them.
#include "bank.h"

#include <stdbool.h>
#include <string.h>

#include "rows.h"

#define ALL UINT32_MAX

#define ROWS "banks.tsv"

LOOP_TEST(wavefronts_and_clocks_are_those_of_an_h200, 0, rows_count(ROWS, NULL))
{
    const struct row *row = rows_at(ROWS, NULL, _i);
    const bool is_store = strcmp(row->field[0], "store") == 0;
    uint32_t address[WARP_LANES];
    uint64_t of[3]; // group, stride, step
    struct bank_report report;
    ck_assert_msg(is_store || strcmp(row->field[0], "load") == 0, "%s: %s", row->where, row->field[0]);
    ck_assert_msg(row_numbers(row, 3, of, 3) == 3, "%s", row->where);
    for (uint32_t lane = 0; lane < WARP_LANES; lane++)
        address[lane] = (uint32_t)(lane / of[0] * of[1] + lane % of[0] * of[2]);
    bank_count(is_store ? BANK_STORE : BANK_LOAD, address, (uint32_t)row_number(row, 2), (uint32_t)row_number(row, 1),
               &report);
    ck_assert_msg(report.wavefronts == (int)row_number(row, 4) && report.clocks == (int)row_number(row, 5),
                  "%s: %s: %d wavefronts, %d clocks, not %s and %s", row->where, row->field[6], report.wavefronts,
                  report.clocks, row->field[4], row->field[5]);
}

// Lanes l and l ^ 2 agree, lanes l and l ^ 1 do not; and one lane that agrees with neither undoes it.
TEST(pairs_two_lanes_apart_count_too)
{
    uint32_t address[WARP_LANES];
    struct bank_report report;
    for (uint32_t lane = 0; lane < WARP_LANES; lane++) address[lane] = (lane & ~2u) * 8;
    bank_count(BANK_LOAD, address, ALL, 8, &report);
    ck_assert_int_eq(report.phases, 1);
    address[5] = 8;
    bank_count(BANK_LOAD, address, ALL, 8, &report);
    ck_assert_int_eq(report.phases, 2);
    for (uint32_t lane = 0; lane < WARP_LANES; lane++) address[lane] = (lane & ~4u) * 8;
    bank_count(BANK_LOAD, address, ALL, 8, &report);
    ck_assert_int_eq(report.phases, 2);
}
