// SPDX-License-Identifier: MIT
// Family "bank": one access to shared memory by a warp. The result is the clocks that it keeps the data path busy:
// counted by the model, measured on the GPU and rounded.
#include <inttypes.h>
#include <string.h>

#include "bank_case.h"
#include "bank_job.h"
#include "draw.h"
#include "family.h"
#include "field.h"
#include "gpu_jobs.h"

static const char *const access_names[] = {"load", "store", NULL};

static void bank_windows(const void *test_case, struct result *result)
{
    (void)test_case;
    result_window(result, "clocks", 0, sizeof(uint32_t));
}

static void answer(const struct result *result, uint32_t clocks)
{
    memcpy(result->window[0].bytes, &clocks, sizeof clocks);
}

static enum rule bank_run_model(const void *test_case, struct result *result)
{
    const struct bank_case *c = test_case;
    struct bank_report report;
    bank_count((enum bank_access)c->is_store, c->address, c->active, c->bytes, &report);
    answer(result, (uint32_t)report.clocks);
    return RULE_OK;
}

static int make_job(const struct gpu_place *place, void *to)
{
    const struct bank_case *c = place->test_case;
    struct bank_job *job = to;
    *job = (struct bank_job){.is_store = c->is_store, .bytes = c->bytes, .active = c->active};
    memcpy(job->address, c->address, sizeof job->address);
    return CUDA_SUCCESS;
}

static const struct gpu_jobs jobs = {GPU_JOBS_OF("bank", struct bank_case, struct bank_job), .block = BANK_THREADS,
                                     .shared_bytes = BANK_SHARED_BYTES, .make = make_job};

// The clocks come back in the jobs.
static int bank_run_gpu(struct gpu *gpu, const void *cases, int count, struct result *results)
{
    int error = gpu_run_jobs(gpu, &jobs, cases, count, results);
    for (int i = 0; i < count && error == CUDA_SUCCESS; i++) {
        struct bank_job job;
        error = (int)gpu->driver.cuMemcpyDtoH_v2(&job, gpu->buffer[GPU_JOBS_BUFFER].address + (size_t)i * sizeof job,
                                                 sizeof job);
        answer(&results[i], (job.clocks + BANK_ACCESSES / 2) / BANK_ACCESSES);
    }
    return error;
}

enum rule bank_explain(const void *test_case, const struct difference *difference, FILE *out)
{
    const struct bank_case *c = test_case;
    struct bank_report report;
    struct difference_units clocks = difference_units(difference, 4);
    bank_count((enum bank_access)c->is_store, c->address, c->active, c->bytes, &report);
    fprintf(out, "    %s of %u bytes by lanes 0x%08" PRIx32 ": %u clocks expected, %u found; wavefronts",
            access_names[c->is_store], c->bytes, c->active, (unsigned)clocks.expected, (unsigned)clocks.found);
    for (int i = 0; i < report.phases; i++)
        fprintf(out, "%s %d (lanes %d to %d)", i > 0 ? "," : "", report.phase[i].wavefronts, report.phase[i].first_lane,
                report.phase[i].end_lane - 1);
    fprintf(out, "\n");
    return RULE_OK; // of clocks no rule speaks
}

static const char *illegal(const void *test_case)
{
    const struct bank_case *c = test_case;
    if ((c->bytes & (c->bytes - 1)) != 0) return "\"bytes\" is 1, 2, 4, 8 or 16";
    for (int lane = 0; lane < WARP_LANES; lane++)
        if (c->address[lane] % c->bytes != 0) return "\"address\" of a lane is no multiple of \"bytes\"";
    return NULL;
}

#define CASE struct bank_case
static const struct field field[] = {
    FIELD_ONE_OF("access", is_store, access_names, "what each lane does"),
    FIELD_NUMBER("bytes", bytes, 1, 16, "how wide the access of a lane is: 1, 2, 4, 8 or 16"),
    FIELD_NUMBER("lanes", active, 0, UINT32_MAX, "a bit for each lane that takes part"),
    FIELD_NUMBERS("address", address, WARP_LANES, 0, BANK_SHARED_BYTES - 1, "each lane's address in shared memory"),
    FIELD_END,
};
#undef CASE

static enum family_ground bank_ground(const void *test_case)
{
    (void)test_case;
    return GROUND_TIME;
}

// --- Random cases ----------------------------------------------------------------------------------------------------
// Random accesses, as kernels make them and as they do not: strides, columns of swizzled tiles, a few words that many
// lanes share, addresses all over; all lanes, some, one.

enum { LINE_BYTES = 128, CHUNK_BYTES = 16 };

// Cut to the memory, and to a multiple of the size.
static uint32_t legal(uint32_t address, uint32_t bytes)
{
    return address % BANK_SHARED_BYTES / bytes * bytes;
}

static void strided(struct random *random, struct bank_case *c)
{
    static const uint32_t strides[] = {0, 4, 8, 12, 16, 20, 32, 36, 64, 68, 96, 128, 132, 144, 256, 260, 272, 512};
    uint32_t first = (uint32_t)random_below(random, BANK_SHARED_BYTES);
    uint32_t stride = random_chance(random, 20) ? (uint32_t)random_below(random, 1024) : random_pick(random, strides);
    uint32_t group = UINT32_C(1) << random_below(random, 6),
             between = random_chance(random, 30) ? 0 : (uint32_t)random_below(random, 512);
    for (uint32_t lane = 0; lane < WARP_LANES; lane++)
        c->address[lane] = first + lane % group * stride + lane / group * between;
}

// Rows or columns of chunks of a tile of 128-byte lines, with a swizzle of 0 to 3 bits.
static void tiled(struct random *random, struct bank_case *c)
{
    uint32_t bits = (uint32_t)random_below(random, 4), across = UINT32_C(1) << random_below(random, 4);
    uint32_t first = LINE_BYTES * (uint32_t)random_below(random, 64), skew = (uint32_t)random_below(random, 2);
    uint32_t inner = (uint32_t)random_below(random, CHUNK_BYTES);
    for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
        uint32_t row = lane / across, chunk = (lane % across + skew * row) % 8, line = first / LINE_BYTES + row;
        c->address[lane] = line * LINE_BYTES + (chunk ^ (line & ((UINT32_C(1) << bits) - 1))) * CHUNK_BYTES + inner;
    }
}

// Every lane takes one of a few places.
static void shared_places(struct random *random, struct bank_case *c)
{
    uint32_t place[WARP_LANES], places = 1 + (uint32_t)random_below(random, WARP_LANES);
    uint32_t span = random_chance(random, 50) ? 256 : BANK_SHARED_BYTES;
    for (uint32_t i = 0; i < places; i++) place[i] = (uint32_t)random_below(random, span);
    for (uint32_t lane = 0; lane < WARP_LANES; lane++) c->address[lane] = place[random_below(random, places)];
}

// A permutation of neighbours, a line apart now and then.
static void permuted(struct random *random, struct bank_case *c)
{
    uint32_t order[WARP_LANES], step = random_chance(random, 70) ? c->bytes : 4;
    for (uint32_t lane = 0; lane < WARP_LANES; lane++) order[lane] = lane;
    for (uint32_t i = WARP_LANES; i > 1; i--) {
        uint32_t other = (uint32_t)random_below(random, i), kept = order[i - 1];
        order[i - 1] = order[other];
        order[other] = kept;
    }
    for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
        uint32_t lines = random_chance(random, 20) ? (uint32_t)random_below(random, 4) : 0;
        c->address[lane] = order[lane] * step + lines * LINE_BYTES;
    }
}

// Lanes that differ in one bit of their number, or in two, share an address; now and then one of them does not.
static void paired(struct random *random, struct bank_case *c)
{
    static const uint32_t bits[] = {1, 2, 3, 4, 6, 8, 16};
    uint32_t bit = random_pick(random, bits), span = random_chance(random, 50) ? 512 : BANK_SHARED_BYTES;
    uint32_t from = random_chance(random, 50) ? 0 : 8 * (uint32_t)random_below(random, 4);
    for (uint32_t lane = 0; lane < WARP_LANES; lane++) c->address[lane] = (uint32_t)random_below(random, span);
    if (random_chance(random, 50))
        for (uint32_t lane = 0; lane < WARP_LANES; lane++) c->address[lane] = (lane & ~bit) * c->bytes;
    for (uint32_t lane = from; lane < WARP_LANES; lane++) c->address[lane] = c->address[lane & ~bit];
    if (random_chance(random, 30)) {
        uint64_t from_lane = random_below(random, WARP_LANES);
        uint64_t to_lane = random_below(random, WARP_LANES);
        c->address[to_lane] = c->address[from_lane];
    }
}

static void scattered(struct random *random, struct bank_case *c)
{
    for (int lane = 0; lane < WARP_LANES; lane++) c->address[lane] = (uint32_t)random_below(random, BANK_SHARED_BYTES);
}

static uint32_t pick_lanes(struct random *random)
{
    const uint32_t count = 1 + (uint32_t)random_below(random, WARP_LANES);
    const uint32_t one = UINT32_C(1) << random_below(random, WARP_LANES), some = (uint32_t)random_u64(random);
    return (uint32_t)DRAW(random, {1, JUST(UINT32_MAX >> (WARP_LANES - count))}, {1, JUST(some | one)}, {1, JUST(one)},
                          {5, JUST(UINT32_MAX)});
}

void bank_generate(struct random *random, void *test_case)
{
    static void (*const kinds[])(struct random * random, struct bank_case * c) = {strided,  tiled,  shared_places,
                                                                                  permuted, paired, scattered};
    struct bank_case *c = test_case;
    *c = (struct bank_case){.is_store = (uint32_t)random_below(random, 2)};
    c->bytes = UINT32_C(1) << random_below(random, 5);
    c->active = pick_lanes(random);
    random_pick(random, kinds)(random, c);
    for (uint32_t lane = 0; lane < WARP_LANES; lane++)
        c->address[lane] = (c->active >> lane & 1) != 0 ? legal(c->address[lane], c->bytes) : 0;
}

const struct family family_bank = {
    FAMILY_CASES("bank", struct bank_case, field, .illegal = illegal),
    .summary = "one load or store of a warp in shared memory: the clocks that its wavefronts take",
    .generate = bank_generate,
    .windows = bank_windows,
    .run_model = bank_run_model,
    .run_gpu = bank_run_gpu,
    .kernels = "bank",
    .ground = bank_ground,
    .explain = bank_explain,
};
