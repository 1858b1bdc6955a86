// SPDX-License-Identifier: MIT
// Cases of the family "gemm": what a kernel takes, and JSON both ways.
#include "gemm_case.h"

#include <string.h>

#include "field.h"

static const char *const kernel_names[] = {"pingpong", "pingpong_turned", "cooperative", "cooperative_turned",
                                           "split_k",  "turned",          "gather",      "cp_async",
                                           NULL};

enum wgmma_types gemm_wgmma_types(const struct gemm_instance *instance)
{
    static const enum wgmma_types types[] = {WGMMA_F32_BF16_BF16, WGMMA_F32_F16_F16, WGMMA_F32_E4M3_E4M3,
                                             WGMMA_F32_E5M2_E5M2};
    return types[instance->in];
}

enum number_format gemm_format(enum gemm_type type)
{
    static const enum number_format formats[] = {NUMBER_BF16, NUMBER_F16, NUMBER_E4M3, NUMBER_E5M2, NUMBER_F32};
    return formats[type];
}

// --- Where things are ------------------------------------------------------------------------------------------------

static uint32_t round_up(uint32_t value, uint32_t unit)
{
    return (value + unit - 1) / unit * unit;
}

uint32_t gemm_row_bytes(const struct gemm_case *c, enum gemm_operand operand)
{
    const struct gemm_instance *i = gemm_instance_row(c->instance);
    return operand == GEMM_D ? c->n * gemm_bytes(i->out) : c->k * gemm_bytes(i->in);
}

uint32_t gemm_rows(const struct gemm_case *c, enum gemm_operand operand)
{
    return operand == GEMM_B ? c->n : c->m;
}

size_t gemm_operand_bytes(const struct gemm_case *c, enum gemm_operand operand)
{
    size_t guards = operand == GEMM_D ? 2 * GEMM_GUARD_BYTES : 0;
    return (size_t)gemm_rows(c, operand) * c->pitch_bytes[operand] + guards;
}

void gemm_least_pitch(struct gemm_case *c)
{
    for (int i = GEMM_A; i <= GEMM_D; i++)
        c->pitch_bytes[i] = round_up(gemm_row_bytes(c, (enum gemm_operand)i), GEMM_PITCH_UNIT);
}

struct gemm_job gemm_case_job(const struct gemm_case *c)
{
    return (struct gemm_job){.m = c->m,
                             .n = c->n,
                             .k = c->k,
                             .stages = c->stages,
                             .cluster_m = c->cluster_m,
                             .cluster_n = c->cluster_n,
                             .splits = c->splits,
                             .reduce = c->reduce,
                             .workspace = c->workspace,
                             .group = c->group};
}

// --- What a kernel takes ---------------------------------------------------------------------------------------------

// Says that `key` is out of its limits, and which of them is nearer.
static bool is_within(const char *key, uint32_t value, uint32_t least, uint32_t most, const char *because,
                      struct text *why)
{
    if (value >= least && value <= most) return true;
    return text_fail(why, "gemm: \"%s\" is %u to %u%s, not %u: the nearest is %u", key, least, most, because, value,
                     value < least ? least : most);
}

static int check_pitch(const struct gemm_case *c, int operand, struct text *why)
{
    static const char names[] = "ABD";
    uint32_t pitch = c->pitch_bytes[operand], row = gemm_row_bytes(c, (enum gemm_operand)operand);
    uint32_t legal = round_up(pitch < row ? row : pitch, GEMM_PITCH_UNIT);
    if (pitch == legal && pitch <= GEMM_MAX_PITCH) return 1;
    return text_fail(why,
                     "gemm: \"pitch\" of %c is a multiple of 16, %u (its row) to %d bytes, not %u: the nearest is %u",
                     names[operand], row, GEMM_MAX_PITCH, pitch, legal > GEMM_MAX_PITCH ? GEMM_MAX_PITCH : legal);
}

// Along one side 1, 2 or 4 CTAs, whose shares of the rows of the operand that they have in common are whole groups of
// 8, as the swizzle repeats.
static int check_side(uint32_t ctas, uint32_t rows, struct text *why)
{
    uint32_t most = GEMM_MAX_SIDE_CTAS;
    while (rows / most % 8 != 0) most /= 2;
    if ((ctas == 1 || ctas == 2 || ctas == 4) && ctas <= most) return 1;
    return text_fail(why, "gemm: \"cluster\" is 1, 2 or 4 along a side, and here at most %u, not %u: the nearest is %u",
                     most, ctas,
                     ctas > most ? most
                     : ctas == 3 ? 2
                                 : 1);
}

static int check_cluster(const struct gemm_case *c, struct text *why)
{
    const struct gemm_instance *i = gemm_instance_row(c->instance);
    const struct gemm_job job = gemm_case_job(c);
    if (!check_side(c->cluster_m, i->tile_n, why) || !check_side(c->cluster_n, i->tile_m, why)) return 0;
    if (gemm_cluster_size(&job) <= GEMM_MAX_CLUSTER) return 1;
    return text_fail(why,
                     "gemm: a cluster has at most %d CTAs, not %u: \"cluster\" is %u x %u, and %u splits meet in it",
                     GEMM_MAX_CLUSTER, gemm_cluster_size(&job), c->cluster_m, c->cluster_n, c->reduce ? 1 : c->splits);
}

// The most splits: in a cluster with the CTAs that share blocks, with a counter each, and what they send each other
// over the stages.
static uint32_t most_splits(const struct gemm_case *c)
{
    const struct gemm_instance *i = gemm_instance_row(c->instance);
    struct gemm_job job = gemm_case_job(c);
    if (!gemm_cuts_k(i->kernel)) return 1;
    if (c->reduce) return GEMM_MAX_SPLITS;
    if (i->kernel == GEMM_GATHER && !c->workspace) return 1; // it has no clusters
    job.splits = c->workspace ? GEMM_MAX_SPLITS_IN_MEMORY : GEMM_MAX_CLUSTER;
    while (job.splits > 1 &&
           (gemm_min_stages(i, &job) > gemm_max_stages(i) || (c->workspace && !gemm_fits_counters(i, &job))))
        job.splits--;
    return job.splits;
}

static int check_splits(const struct gemm_case *c, struct text *why)
{
    const struct gemm_instance *i = gemm_instance_row(c->instance);
    int splits = gemm_cuts_k(i->kernel);
    const char *because = !splits ? " (only gemm-split-k, gemm-turned and gemm-gather cut k)"
                          : i->kernel == GEMM_GATHER && !c->workspace
                              ? " (gemm-gather has no clusters, take workspace 1)"
                              : "";
    if (!is_within("splits", c->splits, 1, most_splits(c), because, why)) return 0;
    if (!is_within("reduce", c->reduce, 0, splits && i->out == GEMM_F32, " (1: split-K into an f32 D)", why)) return 0;
    if (!is_within("workspace", c->workspace, 0, splits && !c->reduce, " (1: split-K without \"reduce\")", why))
        return 0;
    if (!c->reduce || c->exact || c->splits <= 2) return 1;
    return text_fail(why,
                     "gemm: the order in which %u parts are added with \"reduce\" is open: take 2 splits, or exact 1",
                     c->splits);
}

// Kernels without TMA loads know nothing of clusters; the baseline of sm_80 has a CTA for each tile, too.
static bool check_no_cluster(const struct gemm_case *c, struct text *why)
{
    enum gemm_kernel kernel = gemm_instance_row(c->instance)->kernel;
    const char *because = kernel == GEMM_GATHER ? " (gemm-gather has no more)" : " (gemm-cp-async has no more)";
    if (kernel != GEMM_CP_ASYNC && kernel != GEMM_GATHER) return true;
    return is_within("cluster", c->cluster_m, 1, 1, because, why) &&
           is_within("cluster", c->cluster_n, 1, 1, because, why) &&
           (kernel == GEMM_GATHER || is_within("ctas", c->ctas, 0, 0, because, why));
}

// 1 if the kernels take this case; else 0 with a sentence in `why` that names the key, its limit and the nearest value.
static int check(const void *test_case, struct text *why)
{
    const struct gemm_case *c = test_case;
    const struct gemm_instance *i = gemm_instance_row(c->instance);
    const struct gemm_job job = gemm_case_job(c);
    for (int operand = GEMM_A; operand <= GEMM_D; operand++)
        if (!check_pitch(c, operand, why)) return 0;
    return is_within("m", c->m, 1, GEMM_MAX_SIDE, "", why) && is_within("n", c->n, 1, GEMM_MAX_SIDE, "", why) &&
           is_within("k", c->k, 1, GEMM_MAX_SIDE, "", why) && check_splits(c, why) &&
           is_within("stages", c->stages, gemm_min_stages(i, &job), gemm_max_stages(i), " (as fit in shared memory)",
                     why) &&
           is_within("group", c->group, 1, GEMM_MAX_SIDE, "", why) && is_within("exact", c->exact, 0, 1, "", why) &&
           check_cluster(c, why) && check_no_cluster(c, why) && is_within("dump", c->dump, 0, 1, "", why);
}

// --- The fields ------------------------------------------------------------------------------------------------------

enum { KEY_KERNEL, KEY_TYPE, KEY_OUT, KEY_TILE_M, KEY_TILE_N };

static uint64_t instance_key(uint32_t instance, uint32_t key)
{
    const struct gemm_instance *i = gemm_instance_row(instance);
    const uint64_t keys[] = {i->kernel, i->in, i->out, i->tile_m, i->tile_n};
    return keys[key];
}

#define ONE(...) +1
enum { GEMM_INSTANCE_COUNT = 0 GEMM_INSTANCES(ONE) CP_ASYNC_INSTANCES(ONE) };
#undef ONE

static const struct field_rows compiled = {GEMM_INSTANCE_COUNT, instance_key};

static void supply_pitch(void *test_case)
{
    gemm_least_pitch(test_case);
}

static void supply_stages(void *test_case)
{
    struct gemm_case *c = test_case;
    c->stages = gemm_max_stages(gemm_instance_row(c->instance));
}

// What the case may leave out: D in 16 bits, the first tile that is compiled, the least pitches, all stages that fit.
// The limits of what follows the sizes depend on each other: check() has them.
#define CASE struct gemm_case
static const struct field field[] = {
    FIELD_ROW("kernel", instance, &compiled, KEY_KERNEL, "the kernel", .kind = FIELD_NAME, .names = kernel_names),
    FIELD_ROW("type", instance, &compiled, KEY_TYPE, "of A and B", .kind = FIELD_NAME, .names = gemm_type_names),
    FIELD_ROW("out", instance, &compiled, KEY_OUT, "type of D", .kind = FIELD_NAME, .names = gemm_type_names,
              .missing = FIELD_SUPPLIED),
    FIELD_ROW("tile", instance, &compiled, KEY_TILE_M, "rows and columns of a tile", .count = 2,
              .missing = FIELD_SUPPLIED),
    FIELD_NUMBER("m", m, 1, GEMM_MAX_SIDE, "rows of D"),
    FIELD_NUMBER("n", n, 1, GEMM_MAX_SIDE, "columns of D"),
    FIELD_NUMBER("k", k, 1, GEMM_MAX_SIDE, "length of the products"),
    FIELD_NUMBERS("pitch", pitch_bytes, 3, 0, UINT32_MAX, "bytes from row to row of A, B and D",
                  .missing = FIELD_SUPPLIED, .supply = supply_pitch),
    FIELD_NUMBER("stages", stages, 0, UINT32_MAX, "stages of the ring", .missing = FIELD_SUPPLIED,
                 .supply = supply_stages),
    FIELD_NUMBER("cluster", cluster_m, 0, UINT32_MAX, "CTAs of a cluster along m and n", .count = 2),
    FIELD_NUMBER("splits", splits, 0, UINT32_MAX, "parts of k"),
    FIELD_NUMBER("reduce", reduce, 0, UINT32_MAX, "1: the parts are added by TMA reductions"),
    FIELD_NUMBER("workspace", workspace, 0, UINT32_MAX, "1: the parts meet in global memory",
                 .missing = FIELD_SUPPLIED),
    FIELD_NUMBER("group", group, 0, UINT32_MAX, "rows of tiles that are taken together"),
    FIELD_NUMBER("ctas", ctas, 0, UINT16_MAX, "most CTAs of the grid; 0: as many as the GPU has SMs"),
    FIELD_NUMBER("exact", exact, 0, UINT32_MAX, "1: sums that are exact in any order"),
    FIELD_NUMBER("dump", dump, 0, UINT32_MAX, "1: the result has shared memory too"),
    FIELD_SEED,
    FIELD_END,
};
#undef CASE

const struct fields gemm_fields = {
    .name = "gemm case", .field = field, .bytes = sizeof(struct gemm_case), .check = check};
