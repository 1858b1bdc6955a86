// SPDX-License-Identifier: MIT
// The suite `bank`: wavefronts and clocks of accesses to shared memory, as an H200 counts them (the wavefronts with
// Nsight Compute, the clocks in traces/sm_90a/bank), and what a simpler rule would make of them.
#include "bank.h"

#define ALL UINT32_MAX

// Lane l wants byte l / group * stride + l % group * step, of `bytes` bytes.
static const struct {
    enum bank_access access;
    uint32_t bytes, active, group, stride, step;
    int wavefronts, clocks;
    const char *why;
} rows[] = {
    {BANK_LOAD, 4, ALL, 1, 4, 0, 1, 1, "one word of each bank"},
    {BANK_LOAD, 4, ALL, 1, 8, 0, 2, 2, "every other bank, two words each"},
    {BANK_LOAD, 4, ALL, 1, 128, 0, 32, 32, "one bank"},
    {BANK_LOAD, 4, ALL, 32, 0, 0, 1, 1, "one word for all"},
    {BANK_LOAD, 1, ALL, 1, 1, 0, 1, 1, "four lanes a word"},
    {BANK_LOAD, 2, ALL, 1, 2, 0, 1, 1, "two lanes a word"},
    {BANK_LOAD, 4, 0x10, 1, 4, 0, 1, 1, "one lane"},
    {BANK_LOAD, 8, ALL, 1, 8, 0, 2, 2, "two half warps"},
    {BANK_LOAD, 8, ALL, 32, 0, 0, 1, 1, "all lanes agree: the whole warp at once"},
    {BANK_LOAD, 8, ALL, 2, 8, 0, 1, 1, "lanes l and l ^ 1 agree: 16 places, all banks once"},
    {BANK_LOAD, 8, 0xf, 1, 8, 0, 1, 2, "one wavefront, but the empty half takes a clock"},
    {BANK_LOAD, 8, 0x5, 1, 8, 0, 1, 1, "no two lanes l and l ^ 1 are active: the whole warp at once"},
    {BANK_LOAD, 8, 0x1, 1, 8, 0, 1, 1, "one lane"},
    {BANK_STORE, 8, ALL, 32, 0, 0, 2, 2, "stores have no pairs"},
    {BANK_STORE, 8, 0xf, 1, 8, 0, 1, 1, "nor do they pay for an empty half"},
    {BANK_LOAD, 16, ALL, 1, 16, 0, 4, 4, "four quarter warps"},
    {BANK_LOAD, 16, ALL, 1, 128, 0, 32, 32, "a column without swizzle: eight words of a bank in each quarter"},
    {BANK_LOAD, 16, ALL, 32, 0, 0, 2, 2, "all lanes agree: a half warp at once"},
    {BANK_LOAD, 16, ALL, 2, 16, 0, 2, 2, "lanes l and l ^ 1 agree"},
    {BANK_LOAD, 16, ALL, 4, 32, 0, 2, 2, "four lanes agree"},
    {BANK_LOAD, 16, ALL, 8, 16, 0, 2, 2, "eight lanes agree"},
    {BANK_LOAD, 16, 0xff, 1, 16, 0, 1, 4, "one wavefront, four clocks"},
    {BANK_LOAD, 16, 0xff, 1, 128, 0, 8, 8, "eight wavefronts hide the empty quarters"},
    {BANK_LOAD, 16, 0x1, 1, 16, 0, 1, 2, "one lane: two half warps, one of them empty"},
    {BANK_STORE, 16, ALL, 1, 16, 0, 4, 4, "four quarter warps"},
    {BANK_STORE, 16, ALL, 1, 128, 0, 32, 32, "a column without swizzle"},
    {BANK_STORE, 16, ALL, 32, 0, 0, 4, 4, "stores have no pairs"},
    {BANK_STORE, 16, 0xff, 1, 16, 0, 1, 1, "one wavefront, one clock"},
};

static void count(int row, struct bank_report *report)
{
    uint32_t address[WARP_LANES];
    for (uint32_t lane = 0; lane < WARP_LANES; lane++)
        address[lane] = lane / rows[row].group * rows[row].stride + lane % rows[row].group * rows[row].step;
    bank_count(rows[row].access, address, rows[row].active, rows[row].bytes, report);
}

LOOP_TEST(wavefronts_and_clocks_are_those_of_an_h200, 0, ROWS_OF(rows))
{
    struct bank_report report;
    count(_i, &report);
    ck_assert_msg(report.wavefronts == rows[_i].wavefronts, "%s: %d wavefronts", rows[_i].why, report.wavefronts);
    ck_assert_msg(report.clocks == rows[_i].clocks, "%s: %d clocks", rows[_i].why, report.clocks);
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
