// SPDX-License-Identifier: MIT
// The suite `sass`: instructions of sm_90 as ptxas 13.0 wrote them and nvdisasm 13 spells them.
#include <string.h>

#include "core_sites.h"
#include "sass.h"

static struct sass decoded(uint64_t low, uint64_t high)
{
    static uint64_t words[2];
    const struct core_bytes code = {(const uint8_t *)words, 0, sizeof words};
    words[0] = low;
    words[1] = high;
    return sass_at(&code, 0);
}

static const struct {
    const char *spelling;
    uint64_t low, high;
    struct sass want;
} rows[] = {
    {"SYNCS.PHASECHK.TRANS64.TRYWAIT P1, [R0+URZ+0x2008], R9",
     0x00200809000075a7,
     0x000ea4000802017f,
     {.kind = SASS_WAIT, .at = 0, .value = 9, .uniform = 63, .offset = 0x2008}},
    {"SYNCS.PHASECHK.TRANS64.TRYWAIT P0, [UR4+0x8], R0",
     0x00000800ff0075a7,
     0x000e240008000144,
     {.kind = SASS_WAIT, .at = 255, .value = 0, .uniform = 4, .offset = 8}},
    {"@P0 SYNCS.ARRIVE.TRANS64.A1T0 RZ, [R0+URZ+0x2010], RZ",
     0x002010ff00ff09a7,
     0x0001e2000810003f,
     {.kind = SASS_ARRIVE, .at = 0, .value = 255, .uniform = 63, .offset = 0x2010, .is_guarded = true}},
    {"SYNCS.ARRIVE.TRANS64.RED.A0T1 RZ, [UR6+-0x38], RZ",
     0xffffc8ffffff79a7,
     0x000fe20008200406,
     {.kind = SASS_ARRIVE, .at = 255, .value = 255, .uniform = 6, .offset = -0x38, .is_remote = true}},
    {"ARRIVES.LDGSTSBAR.64.ARVCNT [UR7]",
     0x00000000ff0079b0,
     0x000fe20008000a47,
     {.kind = SASS_ARRIVE, .at = 255, .uniform = 7}},
    {"BAR.SYNC.DEFER_BLOCKING 0x1, 0x80",
     0x0042000000007b1d,
     0x0000000000010000,
     {.kind = SASS_BARRIER, .number = 1, .count = 128}},
    {"BAR.ARV 0x5, 0x40",
     0x0141000000007b1d,
     0x000ff00000002000,
     {.kind = SASS_BARRIER_ARRIVE, .number = 5, .count = 64}},
    {"BAR.SYNC.DEFER_BLOCKING R6, 0x40",
     0x000100060000751d,
     0x0000000000010000,
     {.kind = SASS_BARRIER_REGISTER, .value = 6, .number = SASS_ANY_NUMBER, .count = 64}},
    {"UBLKCP.S.G [UR4], [UR6], UR8",
     0x00000004060073ba,
     0x0003d80008000208,
     {.kind = SASS_BULK_LOAD, .at = 6, .value = 4, .uniform = 8}},
    {"UBLKCP.G.S [UR6], [UR8], UR4",
     0x00000006080073ba,
     0x0001e40008000404,
     {.kind = SASS_BULK_STORE, .at = 8, .value = 6, .uniform = 4}},
    {"UBLKCP.S.S [UR4], [UR10], UR11",
     0x000000040a0073ba,
     0x0003d8000800060b,
     {.kind = SASS_SHARED_COPY, .at = 10, .value = 4, .uniform = 11}},
    {"UTMALDG.2D [UR4], [UR8]",
     0x00000004080075b4,
     0x0003d80008008000,
     {.kind = SASS_TENSOR_LOAD, .at = 8, .value = 4}},
    {"UCGABAR_WAIT", 0x0000000000007dc7, 0x000fe20008000000, {.kind = SASS_CLUSTER_WAIT}},
    {"IMAD.IADD R5, R7, 0x1, R2", 0x0000000107057824, 0x000fca00078e0202, {.kind = SASS_OTHER}},
};

LOOP_TEST(sass_is_what_nvdisasm_spells, 0, ROWS_OF(rows))
{
    const struct sass got = decoded(rows[_i].low, rows[_i].high), *want = &rows[_i].want;
    ck_assert_msg(got.kind == want->kind, "%s: kind %d", rows[_i].spelling, got.kind);
    if (want->kind == SASS_OTHER) return;
    ck_assert_msg(got.offset == want->offset || want->kind > SASS_EXCHANGE, "%s: offset %d", rows[_i].spelling,
                  got.offset);
    ck_assert_msg(got.is_guarded == want->is_guarded && got.is_remote == want->is_remote, "%s", rows[_i].spelling);
    ck_assert_msg(got.number == want->number && got.count == want->count, "%s: %u, %u", rows[_i].spelling, got.number,
                  got.count);
    if (want->kind == SASS_WAIT || want->kind == SASS_ARRIVE || want->kind == SASS_TENSOR_LOAD)
        ck_assert_msg(got.at == want->at && got.value == want->value && got.uniform == want->uniform,
                      "%s: registers %u, %u, %u", rows[_i].spelling, got.at, got.value, got.uniform);
}

// Targets, as nvdisasm says them: of branches forward and backward, and of a call.
static const struct {
    uint64_t at, low, high, target;
} branches[] = {
    {0x240, 0x00000004006c9947, 0x000fea0003800000, 0x800},
    {0x820, 0xfffffffc00f49947, 0x001fea000383ffff, 0x800},
    {0x3640, 0x0000002000fc7944, 0x020fea0003c00000, 0x5a40},
};

LOOP_TEST(branch_goes_where_nvdisasm_says, 0, ROWS_OF(branches))
{
    static uint8_t code[0x4000];
    const struct core_bytes bytes = {code, 0, sizeof code};
    memcpy(code + branches[_i].at, &branches[_i].low, 8);
    memcpy(code + branches[_i].at + 8, &branches[_i].high, 8);
    ck_assert_uint_eq(sass_at(&bytes, branches[_i].at).target, branches[_i].target);
}

// 0x00: a guarded branch to 0x30; 0x10: a plain one to 0x00; 0x20 is never reached; 0x30: EXIT; 0x40: behind it.
TEST(reach_follows_branches_and_stops_at_exit)
{
    const uint64_t code[10] = {
        0x0000000000080947, 0x0003800000, 0xfffffffc00f87947, 0x000383ffff, 0x7918, 0, 0x794d, 0, 0x7918, 0};
    const struct core_function function = {.name = "k", .code = {(const uint8_t *)code, 0, sizeof code}};
    uint8_t marks[5];
    ck_assert(core_reach(&function, 0, marks));
    ck_assert_mem_eq(marks, ((const uint8_t[]){1, 1, 0, 1, 0}), sizeof marks);
}
