// SPDX-License-Identifier: MIT
// Family "gemm_layout": cases, JSON, launches. The result is D and, where the case asks for it, the shared memory of
// CTA 0, swizzled as it is.
#include <stdlib.h>
#include <string.h>

#include "family.h"
#include "field.h"
#include "gpu.h"
#include "layout_case.h"
#include "rules/mbarrier.h"
#include "rules/wgmma.h"
#include "swizzle_names.h"

enum { DUMP_BUFFER = 3, MAX_SIDE = 1024 }; // the slot behind those of A, B and D; the most rows or columns of D

static const char *const major_names[] = {"k", "mn", NULL};

static const struct layout_instance instances[] = {
#define ROW(type, a, b) {"gemm_layout_" #type "_" #a "_" #b, GEMM_TYPE_##type, {MAJOR_##a, MAJOR_##b}},
#define MAJOR_k         0
#define MAJOR_mn        1
    LAYOUT_INSTANCES(ROW)
#undef ROW
};
enum { INSTANCES = sizeof instances / sizeof instances[0] };

const struct layout_instance *layout_instance_row(uint32_t instance)
{
    return &instances[instance];
}

// --- Where things are ------------------------------------------------------------------------------------------------

static uint32_t side(const struct layout_case *c, enum gemm_operand operand)
{
    return operand == GEMM_B ? c->n : c->m;
}

// Rows and bytes of a row of an operand as it lies in memory, and the bytes of all of it (D with its guards).
static uint32_t layout_rows(const struct layout_case *c, enum gemm_operand operand)
{
    bool is_mn_major = operand != GEMM_D && instances[c->instance].is_mn_major[operand];
    return is_mn_major ? c->k : side(c, operand);
}

static uint32_t layout_row_bytes(const struct layout_case *c, enum gemm_operand operand)
{
    if (operand == GEMM_D) return c->n * 4;
    uint32_t elements = instances[c->instance].is_mn_major[operand] ? side(c, operand) : c->k;
    return elements * gemm_bytes(instances[c->instance].type);
}

size_t layout_operand_size(const struct layout_case *c, enum gemm_operand operand)
{
    size_t guards = operand == GEMM_D ? 2 * GEMM_GUARD_BYTES : 0;
    return (size_t)layout_rows(c, operand) * c->pitch_bytes[operand] + guards;
}

void layout_fill(const struct layout_case *c, enum gemm_operand operand, uint8_t *bytes)
{
    size_t size_bytes = layout_operand_size(c, operand);
    if (operand == GEMM_D)
        gemm_fill_canaries(bytes, size_bytes);
    else
        gemm_fill_numbers(instances[c->instance].type, 0, c->seed, operand, bytes, size_bytes);
}

uint32_t layout_blocks(const struct layout_case *c)
{
    return (c->k - 1) / gemm_block_k(instances[c->instance].type) + 1;
}

enum rule layout_map(const struct layout_case *c, enum gemm_operand operand, uint64_t address,
                     struct tensormap_image *map)
{
    static const uint32_t estride[] = {1, 1};
    const struct layout_instance *i = &instances[c->instance];
    uint32_t element_bytes = gemm_bytes(i->type);
    const uint64_t dim[] = {layout_row_bytes(c, operand) / element_bytes, layout_rows(c, operand)};
    const uint64_t pitch = c->pitch_bytes[operand];
    const uint32_t box[] = {layout_span_bytes(c->swizzle[operand]) / element_bytes,
                            i->is_mn_major[operand] ? gemm_block_k(i->type) : LAYOUT_TILE};
    enum dtype dtype = element_bytes == 2 ? DTYPE_UINT16 : DTYPE_UINT8;
    return tensormap_encode_tiled(map, dtype, 2, address, dim, &pitch, box, estride, INTERLEAVE_NONE,
                                  c->swizzle[operand], L2_PROMOTION_NONE, OOB_FILL_ZERO, NULL);
}

// --- JSON ------------------------------------------------------------------------------------------------------------

static uint32_t least_pitch(const struct layout_case *c, int operand)
{
    return (layout_row_bytes(c, (enum gemm_operand)operand) + GEMM_PITCH_UNIT - 1) / GEMM_PITCH_UNIT * GEMM_PITCH_UNIT;
}

static int check(const void *test_case, struct text *why)
{
    const struct layout_case *c = test_case;
    uint32_t most_k = LAYOUT_MAX_BLOCKS * gemm_block_k(instances[c->instance].type);
    if (c->k < 1 || c->k > most_k)
        return text_fail(why, "gemm_layout: \"k\" is 1 to %u for this type (all of it lies in shared memory), not %u",
                         most_k, c->k);
    for (int i = GEMM_A; i <= GEMM_D; i++) {
        uint32_t least = least_pitch(c, i);
        if (c->pitch_bytes[i] >= least && c->pitch_bytes[i] <= GEMM_MAX_PITCH && c->pitch_bytes[i] % 16 == 0) continue;
        return text_fail(why, "gemm_layout: \"pitch\" of %c is a multiple of 16 from %u to %d, not %u", "ABD"[i], least,
                         GEMM_MAX_PITCH, c -> pitch_bytes[i]);
    }
    for (int i = 0; i < 2; i++) {
        if (c->shift_bytes[i] < LAYOUT_SHIFT && c->shift_bytes[i] % LAYOUT_SHIFT_UNIT == 0) continue;
        return text_fail(why, "gemm_layout: \"shift\" is a multiple of %d below %d, not %u: the nearest is %u",
                         LAYOUT_SHIFT_UNIT, LAYOUT_SHIFT, c->shift_bytes[i],
                         c->shift_bytes[i] >= LAYOUT_SHIFT ? LAYOUT_SHIFT - LAYOUT_SHIFT_UNIT
                                                           : c->shift_bytes[i] / LAYOUT_SHIFT_UNIT * LAYOUT_SHIFT_UNIT);
    }
    return 1;
}

enum { KEY_TYPE, KEY_MAJOR_A, KEY_MAJOR_B };

static uint64_t instance_key(uint32_t instance, uint32_t key)
{
    const struct layout_instance *i = &instances[instance];
    return key == KEY_TYPE ? (uint64_t)i->type : (uint64_t)i->is_mn_major[key - KEY_MAJOR_A];
}

static const struct field_rows compiled = {INSTANCES, instance_key};

static void supply_pitch(void *test_case)
{
    struct layout_case *c = test_case;
    for (int i = GEMM_A; i <= GEMM_D; i++) c->pitch_bytes[i] = least_pitch(c, i);
}

// Mostly one tile or less, so that the model, which runs every instruction of it, is quick.
#define SIDE                                                                                                           \
    DRAWN({63, BETWEEN(1, LAYOUT_TILE)}, {27, BETWEEN(LAYOUT_TILE - 2, LAYOUT_TILE)},                                  \
          {10, BETWEEN(LAYOUT_TILE + 1, 2 * LAYOUT_TILE)})

static void draw_k(struct random *random, void *test_case)
{
    struct layout_case *c = test_case;
    const uint32_t block_k = gemm_block_k(instances[c->instance].type);
    c->k = (uint32_t)DRAW(random, {85, BETWEEN(1, 2 * block_k)}, {15, BETWEEN(1, LAYOUT_MAX_BLOCKS * block_k)});
}

static void draw_pitch(struct random *random, void *test_case)
{
    struct layout_case *c = test_case;
    for (int i = GEMM_A; i <= GEMM_D; i++)
        c->pitch_bytes[i] =
            least_pitch(c, i) + GEMM_PITCH_UNIT * (uint32_t)DRAW(random, {60, JUST(0)}, {40, BETWEEN(1, 9)});
}

// Numbers of about the same size, more often than not.
static void draw_seed(struct random *random, void *test_case)
{
    ((struct layout_case *)test_case)->seed = (uint32_t)random_u64(random) & (random_chance(random, 60) ? ~036u : ~0u);
}

#define CASE struct layout_case
static const struct field field[] = {
    FIELD_ROW("type", instance, &compiled, KEY_TYPE, "of A and B", .kind = FIELD_NAME, .names = gemm_type_names),
    FIELD_ROW("major_a", instance, &compiled, KEY_MAJOR_A, "along what A is contiguous", .kind = FIELD_NAME,
              .names = major_names),
    FIELD_ROW("major_b", instance, &compiled, KEY_MAJOR_B, "along what B is contiguous", .kind = FIELD_NAME,
              .names = major_names),
    FIELD_NAMED("swizzle_a", swizzle[0], swizzle_plain_name, SWIZZLE_128B, "of A in shared memory"),
    FIELD_NAMED("swizzle_b", swizzle[1], swizzle_plain_name, SWIZZLE_128B, "of B in shared memory"),
    FIELD_NUMBERS("shift", shift_bytes, 2, 0, UINT32_MAX, "bytes of A and B past 1024-byte alignment",
                  DRAWN({50, JUST(0)}, {50, BETWEEN(0, LAYOUT_SHIFT - 1), .unit = LAYOUT_SHIFT_UNIT})),
    FIELD_NUMBER("m", m, 1, MAX_SIDE, "rows of D", SIDE),
    FIELD_NUMBER("n", n, 1, MAX_SIDE, "columns of D", SIDE),
    FIELD_NUMBER("k", k, 0, UINT32_MAX, "length of the products", .draw = draw_k),
    FIELD_NUMBERS("pitch", pitch_bytes, 3, 0, UINT32_MAX, "bytes from row to row of A, B and D",
                  .missing = FIELD_SUPPLIED, .supply = supply_pitch, .draw = draw_pitch),
    FIELD_NUMBER("dump", dump, 0, 1, "1: the result has shared memory too", DRAWN({85, JUST(0)}, {15, JUST(1)})),
    FIELD_SEED_AT(seed, .draw = draw_seed),
    FIELD_END,
};
#undef CASE
#undef SIDE

// --- The executors ---------------------------------------------------------------------------------------------------

static uint32_t dump_bytes(const struct layout_case *c)
{
    return c->dump ? layout_shared_bytes(layout_blocks(c)) : 0;
}

static void layout_windows(const void *test_case, struct result *result)
{
    const struct layout_case *c = test_case;
    result_window(result, "d", 0, (uint32_t)layout_operand_size(c, GEMM_D));
    if (c->dump) result_window(result, "shared", GEMM_SHARED_START, dump_bytes(c));
}

static enum rule layout_run_model(const void *test_case, struct result *result)
{
    const struct layout_case *c = test_case;
    layout_fill(c, GEMM_D, result->window[0].bytes);
    return layout_model(c, result->window[0].bytes, c->dump ? result->window[1].bytes : NULL);
}

static int upload(struct gpu *gpu, const struct layout_case *c, enum gemm_operand operand, unsigned long long *address)
{
    size_t bytes = layout_operand_size(c, operand);
    uint8_t *host = malloc(bytes);
    *address = gpu_buffer(gpu, (int)operand, bytes);
    if (host == NULL || *address == 0) return CUDA_ERROR_OUT_OF_MEMORY;
    layout_fill(c, operand, host);
    int error = (int)gpu->driver.cuMemcpyHtoD_v2(*address, host, bytes);
    free(host);
    return error;
}

static int launch(struct gpu *gpu, const struct layout_case *c, unsigned long long address[3], unsigned long long dump)
{
    struct tensormap_image map[2];
    struct layout_job job = {.d = address[GEMM_D] + GEMM_GUARD_BYTES,
                             .dump = dump,
                             .m = c->m,
                             .n = c->n,
                             .k = c->k,
                             .pitch_elems = c->pitch_bytes[GEMM_D] / 4,
                             .blocks = layout_blocks(c)};
    for (int i = 0; i < 2; i++) {
        job.swizzle[i] = c->swizzle[i];
        job.shift_bytes[i] = c->shift_bytes[i];
        if (layout_map(c, (enum gemm_operand)i, address[i], &map[i]) != RULE_OK) return CUDA_ERROR_INVALID_VALUE;
    }
    uint32_t rows = (c->m - 1) / LAYOUT_TILE + 1, columns = (c->n - 1) / LAYOUT_TILE + 1;
    job.columns = columns;
    void *arguments[] = {&map[0], &map[1], &job};
    struct gpu_launch launch = {.module = "gemm_layout",
                                .kernel = instances[c->instance].name,
                                .grid = rows * columns,
                                .block = LAYOUT_THREADS,
                                .shared_bytes = layout_shared_bytes(job.blocks),
                                .arguments = arguments};
    return gpu_launch(gpu, &launch);
}

static int run_case(struct gpu *gpu, const struct layout_case *c, struct result *result)
{
    uint32_t d_bytes = (uint32_t)layout_operand_size(c, GEMM_D), shared_bytes = dump_bytes(c);
    unsigned long long address[3], device_dump = 0;
    uint8_t *d = result->window[0].bytes, *dump = c->dump ? result->window[1].bytes : NULL;
    int error = CUDA_SUCCESS;
    for (int i = GEMM_A; i <= GEMM_D && error == CUDA_SUCCESS; i++)
        error = upload(gpu, c, (enum gemm_operand)i, &address[i]);
    if (dump != NULL && (device_dump = gpu_buffer(gpu, DUMP_BUFFER, shared_bytes)) == 0)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (error == CUDA_SUCCESS) error = launch(gpu, c, address, device_dump);
    if (error == CUDA_SUCCESS) error = (int)gpu->driver.cuMemcpyDtoH_v2(d, address[GEMM_D], d_bytes);
    if (error == CUDA_SUCCESS && dump != NULL)
        error = (int)gpu->driver.cuMemcpyDtoH_v2(dump, device_dump, shared_bytes);
    return error;
}

static int layout_run_gpu(struct gpu *gpu, const void *cases, int count, struct result *results)
{
    const struct layout_case *c = cases;
    int error = CUDA_SUCCESS;
    for (int i = 0; i < count && error == CUDA_SUCCESS; i++) error = run_case(gpu, &c[i], &results[i]);
    return error;
}

enum rule gemm_layout_explain(const void *test_case, const struct difference *difference, FILE *out)
{
    const struct layout_case *c = test_case;
    uint32_t at = difference->at, pitch = c->pitch_bytes[GEMM_D], half = layout_operand_bytes(layout_blocks(c));
    if (difference->window == 0) {
        fprintf(out, "    D[%u][%u]: A %s-major, swizzle %s; B %s-major, swizzle %s\n", (at - GEMM_GUARD_BYTES) / pitch,
                (at - GEMM_GUARD_BYTES) % pitch / 4, major_names[instances[c->instance].is_mn_major[0]],
                swizzle_plain_name(c->swizzle[0]), major_names[instances[c->instance].is_mn_major[1]],
                swizzle_plain_name(c->swizzle[1]));
        return RULE_WGMMA_LAYOUT;
    }
    const uint32_t part = at / half; // A, B, and all behind them the barriers
    fprintf(out, "    shared memory of CTA 0: byte %u of %s\n", part < 2 ? at % half : at - 2 * half,
            part == 0   ? "A"
            : part == 1 ? "B"
                        : "the barriers");
    return part < 2 ? swizzle_name((enum tensormap_swizzle)c->swizzle[part])->rule : RULE_MBARRIER_PHASE;
}

const struct family family_gemm_layout = {
    FAMILY_CASES("gemm_layout", struct layout_case, field, .check = check),
    .summary = "a GEMM whose operands have any swizzle and majorness; D, and shared memory as it is swizzled",
    .cost = 300,
    .windows = layout_windows,
    .run_model = layout_run_model,
    .run_gpu = layout_run_gpu,
    .kernels = "gemm_layout",
    .explain = gemm_layout_explain,
};
