// SPDX-License-Identifier: MIT
// The suite `environment`: what adds floats gives the same bits whatever floating-point environment its caller has set,
// and leaves that environment as it was, flags included. All other suites run in such environments too: see
// tests/environment.
#include <fenv.h>
#include <string.h>

#include "mma.h"
#include "reduce.h"

// Two operands of mma, and what they become, in words; a reduction takes the first two.
enum { WORDS = 1024, ROUNDS = 5 };
static uint32_t a[WORDS], b[WORDS], start[WORDS];

static uint64_t next(void)
{
    static uint64_t state = 20261122;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state ^ state >> 29;
}

// Any bits; one word in four is subnormal as a float32 and as the upper half of a float64, one in four of the normals'
// least.
static uint32_t word(void)
{
    uint32_t bits = (uint32_t)(next() >> 16);
    int kind = (int)(next() >> 40 & 3);
    return kind == 0 ? bits & 0x800fffff : kind == 1 ? bits & 0x80ffffff : bits;
}

static void fill(void)
{
    for (int i = 0; i < WORDS; i++) a[i] = word(), b[i] = word(), start[i] = word();
}

#if defined __x86_64__
#define CONTROL __builtin_ia32_stmxcsr
static void flush_subnormals(void)
{
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);
}
#else // what all others have in common; tests/environment flushes there
#define CONTROL fegetround
static void flush_subnormals(void)
{
}
#endif

static void round_upward(void)
{
    fesetround(FE_UPWARD);
}

static void round_to_zero(void)
{
    fesetround(FE_TOWARDZERO);
}

static void raise_flags(void)
{
    fenv_t before;
    feholdexcept(&before); // no traps
    feraiseexcept(FE_INVALID | FE_INEXACT);
}

static void (*const environments[])(void) = {flush_subnormals, round_upward, round_to_zero, raise_flags};

// Sets an environment, calls `execute`, and sees that the environment is still that one. Fills `d`.
static void run_in(int environment, void (*execute)(int which, uint32_t *d), int which, uint32_t *d)
{
    fenv_t before;
    memcpy(d, start, sizeof start);
    fegetenv(&before);
    environments[environment]();
    unsigned control = (unsigned)CONTROL();
    int flags = fetestexcept(FE_ALL_EXCEPT);
    execute(which, d);
    unsigned control_after = (unsigned)CONTROL();
    int flags_after = fetestexcept(FE_ALL_EXCEPT);
    fesetenv(&before);
    ck_assert_uint_eq(control_after, control);
    ck_assert_int_eq(flags_after, flags);
}

static void same_in_all(void (*execute)(int which, uint32_t *d), int which, const char *name)
{
    uint32_t want[WORDS], found[WORDS];
    for (int round = 0; round < ROUNDS; round++) {
        fill();
        memcpy(want, start, sizeof start);
        execute(which, want);
        for (int i = 0; i < ROWS_OF(environments); i++) {
            run_in(i, execute, which, found);
            for (int at = 0; at < WORDS; at++)
                ck_assert_msg(found[at] == want[at], "%s, environment %d: word %d is %08x, not %08x", name, i, at,
                              found[at], want[at]);
        }
    }
}

static void execute_add(int dtype, uint32_t *d)
{
    reduce_apply(REDUCE_ADD, (enum dtype)dtype, d, a,
                 (uint32_t)sizeof start / dtype_row((enum dtype)dtype)->size_bytes);
}

TEST(reduce_float_add__is_the_same_in_any_environment)
{
    for (int i = 0; i < DTYPE_COUNT; i++)
        if (reduce_is_legal(REDUCE_ADD, (enum dtype)i)) same_in_all(execute_add, i, dtype_row((enum dtype)i)->name);
}

static void execute_mma(int form, uint32_t *d)
{
    static const uint32_t metadata[MMA_LANES] = {0x44444444};
    if (mma_row((enum mma_form)form)->is_sparse)
        mma_execute_sparse((enum mma_form)form, 0, metadata, a, b, d, NULL);
    else
        mma_execute((enum mma_form)form, a, b, d, NULL);
}

LOOP_TEST(mma_numbers_are_the_same_in_any_environment, 0, MMA_FORMS)
{
    same_in_all(execute_mma, _i, mma_row((enum mma_form)_i)->name);
}
