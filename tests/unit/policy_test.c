// SPDX-License-Identifier: MIT
// createpolicy: the bits that an H200 gave (driver 580.159.04, 2026-11-28).
#include "policy.h"

#include "unit_test.h"

static const struct l2_policy made[] = {
    {PTX_L2_EVICT_LAST, PTX_WORD_NONE},
    {PTX_L2_EVICT_UNCHANGED, PTX_WORD_NONE},
    {PTX_L2_EVICT_FIRST, PTX_L2_EVICT_FIRST},
    {PTX_L2_EVICT_NORMAL, PTX_L2_EVICT_UNCHANGED},
};

enum { MADE = sizeof made / sizeof made[0] };

// By the bits of the fraction, for each of `made`: bits 63..48.
static const struct {
    uint32_t fraction;
    uint16_t upper[MADE];
} fractions[] = {
    {0x00000000, {0x1400, 0x1000, 0x1300, 0x1600}}, // 0
    {0x3d800001, {0x1400, 0x1000, 0x1300, 0x1600}}, // a little above 1/16
    {0x3f000001, {0x1470, 0x1070, 0x1370, 0x1670}}, // and above 1/2
    {0x3f7fffff, {0x14f0, 0x10f0, 0x13f0, 0x16f0}}, // below 1
    {0x3f800000, {0x14f0, 0x10f0, 0x13f0, 0x16f0}}, // 1
    {0x3fc00000, {0x1470, 0x1070, 0x1370, 0x1670}}, // 1.5 wraps
    {0xbf800000, {0x1400, 0x1000, 0x1300, 0x1600}}, // -1
    {0x7f800000, {0x14f0, 0x10f0, 0x13f0, 0x16f0}}, // infinity
    {0x7fc00000, {0x1400, 0x1000, 0x1300, 0x1600}}, // NaN
};

LOOP_TEST(fractions_are_those_of_an_h200, 0, sizeof fractions / sizeof fractions[0])
{
    for (int i = 0; i < MADE; i++)
        ck_assert_uint_eq(machine_policy_fraction(made[i], fractions[_i].fraction),
                          (uint64_t)fractions[_i].upper[i] << 48);
}

static const struct {
    uint64_t address;
    uint32_t primary_bytes, total_bytes;
    uint64_t last, first_first;
} ranges[] = {
    {0, 0, 0xfff, 0x1c00000000000000, 0x1b00000000000000},
    {0, 0, 0, 0x1800000000000000, 0x1800000000000000},               // no total: nothing is said of any line
    {4, 0, 0x100001, 0x1c10002000000000, 0x1b10002000000000},        // the logarithm of 2^20 + 1 is 20
    {0, 0x100001, 0x100001, 0x1c100fe000000000, 0x1b100fe000000000}, // 127 blocks at most
    {0x1001, 0x1000, 0x80000, 0x1c00104000000000, 0x1b00104000000000},
    {0xffffff, 0x100000, 0x100000, 0x1c17ffe000000000, 0x1b17ffe000000000}, // 7 bits of the first block
    {0x7f0000000000, 0x40000000, 0x80000000, 0x1cc0080000000000, 0x1bc0080000000000},
    {0x7fff12345678, 0x80000001, 0x80000001, 0x1cc12fe000000000, 0x1bc12fe000000000},
    {0xfffffffffffff000, 1, 0x1000, 0x1c07ffe000000000, 0x1b07ffe000000000}, // the end wraps
    {0, 0xfffffffe, 0xfffffffe, 0x1cd0000000000000, 0x1bd0000000000000},     // so does the size
};

LOOP_TEST(ranges_are_those_of_an_h200, 0, sizeof ranges / sizeof ranges[0])
{
    const uint32_t primary = ranges[_i].primary_bytes, total = ranges[_i].total_bytes;
    ck_assert_uint_eq(machine_policy_range(made[0], ranges[_i].address, primary, total), ranges[_i].last);
    ck_assert_uint_eq(machine_policy_range(made[2], ranges[_i].address, primary, total), ranges[_i].first_first);
}
