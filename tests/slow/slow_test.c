// SPDX-License-Identifier: MIT
// Compares tiled loads and swizzles of model/tma with the slow second model: error, transaction bytes and all of
// shared memory, on random cases and on the vectors; and shows that the vectors notice every misread rule.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chunks.h"
#include "copy.h"
#include "slow_result.h"
#include "slow_test.h"
#include "slow_vectors.h"
#include "swizzle.h"

TEST_FILE(.seconds = 120);

enum { TEXT_BYTES = 1024, CHUNKS = 8, CASES_PER_CHUNK = 5000 };
static const uint64_t SEED = 0x51073a5e;

static void run_slow(const struct slow_tile *load, const uint8_t *gmem, enum slow_mutant mutant, struct result *outcome)
{
    clear(outcome);
    outcome->error = slow_load(load, gmem, outcome->smem, &outcome->tx_bytes, mutant);
}

static void run_model(const struct slow_tile *load, uint8_t *gmem, struct result *outcome)
{
    struct memory global_memory = {gmem, load->gmem_base, load->gmem_bytes};
    struct memory shared_memory = {outcome->smem, load->smem_base, load->smem_bytes};
    clear(outcome);
    outcome->error = rule_cuda_error(tile_load(&load->map, load->dims, load->coord, &global_memory, &shared_memory,
                                               load->shared, &outcome->tx_bytes, NULL));
}

// Fails with the whole case and the first difference.
static void require_same(const struct slow_tile *load, const struct result *model, const struct result *slow,
                         const char *what)
{
    if (is_same(model, slow)) return;
    char text[TEXT_BYTES];
    slow_tile_text(load, text, sizeof text);
    tell_difference(model, slow, load->smem_base, what, text);
}

// One chunk of random cases; `_i` is the chunk.
LOOP_TEST(tile_steps__slow_model_agrees, 0, chunks_of(CHUNKS))
{
    static uint8_t gmem[SLOW_GMEM_BYTES];
    static struct result model, slow;
    struct slow_random random = {SEED + (uint64_t)_i};
    int done = 0, faults[3] = {0, 0, 0};
    slow_fill_gmem(gmem, SEED);
    for (int i = 0; i < CASES_PER_CHUNK; i++) {
        struct slow_tile load;
        char what[TEXT_BYTES];
        snprintf(what, sizeof what, "seed 0x%" PRIx64 " chunk %d case %d", SEED, _i, i);
        slow_generate_load(&random, &load);
        run_slow(&load, gmem, SLOW_NONE, &slow);
        run_model(&load, gmem, &model);
        require_same(&load, &model, &slow, what);
        done += slow.error == 0;
        for (int f = 0; f < 3; f++) faults[f] += slow.error == (int[]){715, 716, 700}[f];
    }
    printf("slow model: seed 0x%" PRIx64 " chunk %d: %d loads done, %d x 715, %d x 716, %d x 700\n", SEED, _i, done,
           faults[0], faults[1], faults[2]);
    ck_assert_msg(done > CASES_PER_CHUNK / 3, "only %d cases without a fault", done);
    for (int f = 0; f < 3; f++) ck_assert_msg(faults[f] > CASES_PER_CHUNK / 100, "fault %d: %d cases", f, faults[f]);
}

TEST(tile_pitch__vectors_agree)
{
    static uint8_t gmem[SLOW_GMEM_BYTES];
    static struct result model, slow;
    struct slow_tile load;
    slow_fill_gmem(gmem, SEED);
    const char *why;
    for (int i = 0; (why = slow_load_vector(i, &load)) != NULL; i++) {
        run_slow(&load, gmem, SLOW_NONE, &slow);
        run_model(&load, gmem, &model);
        require_same(&load, &model, &slow, why);
    }
}

// A vector whose `why` begins with a number must give that fault, all others none.
TEST(load_unmapped__vectors_fault_as_they_say)
{
    static uint8_t gmem[SLOW_GMEM_BYTES];
    static struct result slow;
    struct slow_tile load;
    slow_fill_gmem(gmem, SEED);
    const char *why;
    for (int i = 0; (why = slow_load_vector(i, &load)) != NULL; i++) {
        long expected = strtol(why, NULL, 10);
        run_slow(&load, gmem, SLOW_NONE, &slow);
        ck_assert_msg(slow.error == (expected >= 700 ? expected : 0), "%s: error %d", why, slow.error);
    }
}

static int is_noticed(enum slow_mutant mutant)
{
    static uint8_t gmem[SLOW_GMEM_BYTES];
    static struct result right, wrong;
    struct slow_tile load;
    slow_fill_gmem(gmem, SEED);
    for (int i = 0; slow_load_vector(i, &load) != NULL; i++) {
        run_slow(&load, gmem, SLOW_NONE, &right);
        run_slow(&load, gmem, mutant, &wrong);
        if (!is_same(&right, &wrong)) return 1;
    }
    return 0;
}

void slow_require_noticed(uint32_t subjects, int (*notices)(enum slow_mutant mutant))
{
    char text[TEXT_BYTES] = "";
    for (int i = 1; i < SLOW_COUNT; i++) {
        const struct slow_mutant_row *row = slow_mutant_row((enum slow_mutant)i);
        if ((subjects >> row->subject & 1) == 0 || notices((enum slow_mutant)i)) continue;
        size_t at = strlen(text);
        snprintf(text + at, sizeof text - at, "\n%s (rule %s misread: %s)", row->id, rule_row(row->rule)->id,
                 row->sentence);
    }
    ck_assert_msg(text[0] == 0, "no vector notices%s", text);
}

TEST(tile_bounds__vectors_notice_each_misread_rule)
{
    slow_require_noticed(1u << SLOW_OF_LOAD | 1u << SLOW_OF_BOX, is_noticed);
}

TEST(swizzle_absolute__bits_agree)
{
    struct slow_random random = {SEED};
    for (int mode = 0; mode <= 3; mode++) {
        for (uint32_t i = 0; i < 4096 + 100000; i++) {
            uint32_t address = i < 4096 ? i : (uint32_t)slow_random(&random);
            uint32_t model = swizzle_apply((enum tensormap_swizzle)mode, address);
            uint32_t slow = slow_swizzle(mode, address, SLOW_NONE);
            if (model != slow) ck_abort_msg("mode %d address 0x%x: model 0x%x, slow 0x%x", mode, address, model, slow);
        }
    }
}

TEST(tile_tf32__arithmetic_agrees)
{
    struct slow_random random = {SEED};
    for (int i = 0; i < 1000000; i++) {
        uint32_t bits = i % 2 == 0 ? slow_special(&random) : (uint32_t)(slow_random(&random) >> 16);
        uint32_t model = tf32_round(bits), slow = slow_tf32(bits, SLOW_NONE);
        if (model != slow) ck_abort_msg("0x%08x: model 0x%08x, slow 0x%08x", bits, model, slow);
    }
}
