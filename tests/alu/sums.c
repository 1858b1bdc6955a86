// SPDX-License-Identifier: MIT
#include "sums.h"

#include <string.h>

#include "registers.h"

static const char *const spellings[] = {
    "ex2.approx.f32",     "ex2.approx.ftz.f32", "lg2.approx.f32",       "lg2.approx.ftz.f32", "rcp.approx.f32",
    "rcp.approx.ftz.f32", "rsqrt.approx.f32",   "rsqrt.approx.ftz.f32", "sqrt.approx.f32",    "sqrt.approx.ftz.f32",
    "sin.approx.f32",     "sin.approx.ftz.f32", "cos.approx.f32",       "cos.approx.ftz.f32", "tanh.approx.f32",
    "rcp.rn.f32",         "sqrt.rn.f32",        "cvt.rn.f16.f32",       "cvt.rna.tf32.f32",   "cvt.rn.bf16.f32",
};

const char *sums_spelling(int i)
{
    return i < (int)(sizeof spellings / sizeof *spellings) ? spellings[i] : NULL;
}

#define FIRST_FACTOR  0x9e3779b97f4a7c15u
#define SECOND_FACTOR 0xbf58476d1ce4e5b9u

static uint64_t mixed(uint32_t argument, uint32_t result)
{
    uint64_t mix = ((uint64_t)result << 32 | argument) * FIRST_FACTOR;
    mix = (mix ^ mix >> 29) * SECOND_FACTOR;
    return mix ^ mix >> 32;
}

// Results of 16 bits are widened.
static bool is_half(const char *spelling)
{
    return strstr(spelling, "16.f32") != NULL;
}

void sums_print(const char *spelling, const char *name, FILE *to)
{
    fprintf(to,
            ".visible .entry %s(.param .u64 in, .param .u64 out, .param .u64 tuples) {\n"
            ".reg .b32 %%r<9>; .reg .b64 %%d<9>; .reg .b16 %%h; .reg .pred %%p;\n"
            "ld.param.u64 %%d0, [out];\nmov.u32 %%r0, %%ctaid.x;\nmov.u32 %%r1, %%tid.x;\n"
            "mul.wide.u32 %%d1, %%r0, 8;\nadd.u64 %%d0, %%d0, %%d1;\n"
            "shl.b32 %%r2, %%r0, %d;\nadd.u32 %%r2, %%r2, %%r1;\nmov.u64 %%d2, 0;\nmov.u32 %%r3, %d;\nLOOP:\n",
            name, SUMS_REGION_BITS, (1 << SUMS_REGION_BITS) / 256);
    if (is_half(spelling))
        fprintf(to, "%s %%h, %%r2;\ncvt.u32.u16 %%r4, %%h;\n", spelling);
    else
        fprintf(to, "%s %%r4, %%r2;\n", spelling);
    fprintf(to,
            "mov.b64 %%d3, {%%r2, %%r4};\nmul.lo.u64 %%d3, %%d3, 0x%llx;\nshr.u64 %%d4, %%d3, 29;\n"
            "xor.b64 %%d3, %%d3, %%d4;\nmul.lo.u64 %%d3, %%d3, 0x%llx;\nshr.u64 %%d4, %%d3, 32;\n"
            "xor.b64 %%d3, %%d3, %%d4;\nadd.u64 %%d2, %%d2, %%d3;\nadd.u32 %%r2, %%r2, 256;\n"
            "sub.u32 %%r3, %%r3, 1;\nsetp.ne.u32 %%p, %%r3, 0;\n@%%p bra LOOP;\n"
            "red.global.add.u64 [%%d0], %%d2;\nret;\n}\n",
            (unsigned long long)FIRST_FACTOR, (unsigned long long)SECOND_FACTOR);
}

uint64_t sums_of_model(const char *spelling, int region)
{
    struct registers registers;
    uint64_t sum = 0;
    if (!registers_open(&registers, -1, spelling, 1)) return 0;
    alu_function *function = alu_find(&registers.choice);
    for (uint32_t first = 0; first < (uint32_t)1 << SUMS_REGION_BITS; first += 32) {
        uint32_t *argument = (uint32_t *)registers.lanes[1];
        for (uint32_t lane = 0; lane < 32; lane++)
            argument[lane] = ((uint32_t)region << SUMS_REGION_BITS) + first + lane;
        registers_run(&registers, function, UINT32_MAX);
        for (int lane = 0; lane < 32; lane++)
            sum += mixed(argument[lane], (uint32_t)registers_get(&registers, 0, lane, 0));
    }
    return sum;
}
