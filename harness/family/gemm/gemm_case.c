// SPDX-License-Identifier: MIT
// Cases of the family "gemm": what a kernel takes, and JSON both ways.
#include "gemm_case.h"

#include <string.h>

#include "json.h"

static const char *const kernel_names[] = {"pingpong", "cooperative", "split_k", "gather", "cp_async", NULL};

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
static int is_within(const char *key, uint32_t value, uint32_t least, uint32_t most, const char *because,
                     struct text *why)
{
    if (value >= least && value <= most) return 1;
    text_set(why, "gemm: \"%s\" is %u to %u%s, not %u: the nearest is %u", key, least, most, because, value,
             value < least ? least : most);
    return 0;
}

static int check_pitch(const struct gemm_case *c, int operand, struct text *why)
{
    static const char names[] = "ABD";
    uint32_t pitch = c->pitch_bytes[operand], row = gemm_row_bytes(c, (enum gemm_operand)operand);
    uint32_t legal = round_up(pitch < row ? row : pitch, GEMM_PITCH_UNIT);
    if (pitch == legal && pitch <= GEMM_MAX_PITCH) return 1;
    text_set(why, "gemm: \"pitch\" of %c is a multiple of 16, %u (its row) to %d bytes, not %u: the nearest is %u",
             names[operand], row, GEMM_MAX_PITCH, pitch, legal > GEMM_MAX_PITCH ? GEMM_MAX_PITCH : legal);
    return 0;
}

// Along one side 1, 2 or 4 CTAs, whose shares of the rows of the operand that they have in common are whole groups of
// 8, as the swizzle repeats.
static int check_side(uint32_t ctas, uint32_t rows, struct text *why)
{
    uint32_t most = GEMM_MAX_SIDE_CTAS;
    while (rows / most % 8 != 0) most /= 2;
    if ((ctas == 1 || ctas == 2 || ctas == 4) && ctas <= most) return 1;
    text_set(why, "gemm: \"cluster\" is 1, 2 or 4 along a side, and here at most %u, not %u: the nearest is %u", most,
             ctas,
             ctas > most ? most
             : ctas == 3 ? 2
                         : 1);
    return 0;
}

static int check_cluster(const struct gemm_case *c, struct text *why)
{
    const struct gemm_instance *i = gemm_instance_row(c->instance);
    const struct gemm_job job = gemm_case_job(c);
    if (!check_side(c->cluster_m, i->tile_n, why) || !check_side(c->cluster_n, i->tile_m, why)) return 0;
    if (gemm_cluster_size(&job) <= GEMM_MAX_CLUSTER) return 1;
    text_set(why, "gemm: a cluster has at most %d CTAs, not %u: \"cluster\" is %u x %u, and %u splits meet in it",
             GEMM_MAX_CLUSTER, gemm_cluster_size(&job), c->cluster_m, c->cluster_n, c->reduce ? 1 : c->splits);
    return 0;
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
    const char *because = !splits ? " (only gemm-split-k and gemm-gather cut k)"
                          : i->kernel == GEMM_GATHER && !c->workspace
                              ? " (gemm-gather has no clusters, take workspace 1)"
                              : "";
    if (!is_within("splits", c->splits, 1, most_splits(c), because, why)) return 0;
    if (!is_within("reduce", c->reduce, 0, splits && i->out == GEMM_F32, " (1: split-K into an f32 D)", why)) return 0;
    if (!is_within("workspace", c->workspace, 0, splits && !c->reduce, " (1: split-K without \"reduce\")", why))
        return 0;
    if (!c->reduce || c->exact || c->splits <= 2) return 1;
    text_set(why, "gemm: the order in which %u parts are added with \"reduce\" is open: take 2 splits, or exact 1",
             c->splits);
    return 0;
}

// Kernels without TMA loads know nothing of clusters; the baseline of sm_80 has a CTA for each tile, too.
static int check_no_cluster(const struct gemm_case *c, struct text *why)
{
    enum gemm_kernel kernel = gemm_instance_row(c->instance)->kernel;
    const char *because = kernel == GEMM_GATHER ? " (gemm-gather has no more)" : " (gemm-cp-async has no more)";
    if (kernel != GEMM_CP_ASYNC && kernel != GEMM_GATHER) return 1;
    return is_within("cluster", c->cluster_m, 1, 1, because, why) &&
           is_within("cluster", c->cluster_n, 1, 1, because, why) &&
           (kernel == GEMM_GATHER || is_within("ctas", c->ctas, 0, 0, because, why));
}

int gemm_check(const struct gemm_case *c, struct text *why)
{
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

// --- JSON ------------------------------------------------------------------------------------------------------------

json_t *gemm_write(const void *test_case)
{
    const struct gemm_case *c = test_case;
    const struct gemm_instance *i = gemm_instance_row(c->instance);
    const uint32_t cluster[] = {c->cluster_m, c->cluster_n}, tile[] = {i->tile_m, i->tile_n};
    json_t *json = json_object();
    json_object_set_new(json, "kernel", json_string(kernel_names[i->kernel]));
    json_object_set_new(json, "type", json_string(gemm_type_names[i->in]));
    json_object_set_new(json, "out", json_string(gemm_type_names[i->out]));
    json_object_set_new(json, "tile", json_u32s(tile, 2));
    json_object_set_new(json, "m", json_u64(c->m));
    json_object_set_new(json, "n", json_u64(c->n));
    json_object_set_new(json, "k", json_u64(c->k));
    json_object_set_new(json, "pitch", json_u32s(c->pitch_bytes, 3));
    json_object_set_new(json, "stages", json_u64(c->stages));
    json_object_set_new(json, "cluster", json_u32s(cluster, 2));
    json_object_set_new(json, "splits", json_u64(c->splits));
    json_object_set_new(json, "reduce", json_u64(c->reduce));
    json_object_set_new(json, "workspace", json_u64(c->workspace));
    json_object_set_new(json, "group", json_u64(c->group));
    json_object_set_new(json, "ctas", json_u64(c->ctas));
    json_object_set_new(json, "exact", json_u64(c->exact));
    json_object_set_new(json, "dump", json_u64(c->dump));
    json_object_set_new(json, "seed", json_u64(c->seed));
    return json;
}

// The instance with these properties, of any tile where `tile` is 0 x 0; complains with the tiles that there are.
static int find_instance(int kernel, int in, int out, const uint32_t tile[2], uint32_t *instance, struct text *why)
{
    struct text tiles = {""};
    for (*instance = 0; *instance < gemm_instance_count(); ++*instance) {
        const struct gemm_instance *i = gemm_instance_row(*instance);
        size_t used = strlen(tiles.at);
        if ((int)i->kernel != kernel || (int)i->in != in || (int)i->out != out) continue;
        if (tile[0] == 0 || (i->tile_m == tile[0] && i->tile_n == tile[1])) return 1;
        snprintf(tiles.at + used, sizeof tiles.at - used, "%s%ux%u", used > 0 ? ", " : "", i->tile_m, i->tile_n);
    }
    if (tiles.at[0] == '\0')
        text_set(
            why,
            "gemm: %s is not compiled for %s into %s: bf16 and f16 go into themselves or f32, fp8 into bf16 or f32",
            kernel_names[kernel], gemm_type_names[in], gemm_type_names[out]);
    else
        text_set(why, "gemm: %s of %s into %s is compiled for tiles %.100s, not %ux%u", kernel_names[kernel],
                 gemm_type_names[in], gemm_type_names[out], tiles.at, tile[0], tile[1]);
    return 0;
}

// What the case may leave out: D in 16 bits, the first tile that is compiled, the least pitches, all stages that fit.
static int read_instance(struct json_reader *reader, struct gemm_case *c, struct text *why)
{
    uint32_t tile[2] = {0};
    int kernel = json_read_name(reader, "kernel", kernel_names);
    int in = json_read_name(reader, "type", gemm_type_names), out = in == GEMM_F16 ? GEMM_F16 : GEMM_BF16;
    if (json_has(reader, "out")) out = json_read_name(reader, "out", gemm_type_names);
    if (json_has(reader, "tile")) json_read_u32s(reader, "tile", 2, tile);
    return reader->ok && find_instance(kernel, in, out, tile, &c->instance, why);
}

int gemm_read(const json_t *json, void *test_case, struct text *why)
{
    struct gemm_case *c = test_case;
    struct json_reader reader = json_reader_open(json, "gemm case", why);
    uint32_t cluster[2] = {0};
    *c = (struct gemm_case){0};
    if (!read_instance(&reader, c, why)) return 0;
    c->m = (uint32_t)json_read_u64(&reader, "m", GEMM_MAX_SIDE);
    c->n = (uint32_t)json_read_u64(&reader, "n", GEMM_MAX_SIDE);
    c->k = (uint32_t)json_read_u64(&reader, "k", GEMM_MAX_SIDE);
    gemm_least_pitch(c);
    if (json_has(&reader, "pitch")) json_read_u32s(&reader, "pitch", 3, c->pitch_bytes);
    c->stages =
        (uint32_t)json_read_u64_or(&reader, "stages", UINT32_MAX, gemm_max_stages(gemm_instance_row(c->instance)));
    json_read_u32s(&reader, "cluster", 2, cluster);
    c->cluster_m = cluster[0];
    c->cluster_n = cluster[1];
    c->splits = (uint32_t)json_read_u64(&reader, "splits", UINT32_MAX);
    c->reduce = (uint32_t)json_read_u64(&reader, "reduce", UINT32_MAX);
    c->workspace = (uint32_t)json_read_u64_or(&reader, "workspace", UINT32_MAX, 0);
    c->group = (uint32_t)json_read_u64(&reader, "group", UINT32_MAX);
    c->ctas = (uint32_t)json_read_u64(&reader, "ctas", UINT16_MAX);
    c->exact = (uint32_t)json_read_u64(&reader, "exact", UINT32_MAX);
    c->dump = (uint32_t)json_read_u64(&reader, "dump", UINT32_MAX);
    c->seed = (uint32_t)json_read_u64(&reader, "seed", UINT32_MAX);
    return json_reader_close(&reader) && gemm_check(c, why);
}
