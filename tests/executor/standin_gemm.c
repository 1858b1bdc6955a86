// SPDX-License-Identifier: MIT
// The kernels of kernels/gemm of the stand-in GPU, from their parameters alone: D element by element from what the maps
// point at, and the dump of CTA 0 load by load, as its producer issues them.
#include <stdlib.h>
#include <string.h>

#include "chain.h"
#include "copy.h"
#include "gemm/cp_async_job.h"
#include "gemm/layout_job.h"
#include "ladder/ladder_job.h"
#include "load_job.h"
#include "mbarrier.h"
#include "reduce.h"
#include "standin.h"

enum { WARPS = 4, MN_MAJOR_ROWS = 64 };

static const struct kernel {
    const char *name;
    enum gemm_kernel kernel;
    enum gemm_type in, out;
    uint32_t tile_m, tile_n;
    int is_mn_major[2];
} kernels[] = {
#define ROW(kernel, in, out, m, n, ...)                                                                                \
    {"gemm_" #kernel "_" #in "_" #out "_" #m "x" #n, KERNEL_##kernel, TYPE_##in, TYPE_##out, m, n, {0, 0}},
#define LAYOUT_ROW(in, a, b)                                                                                           \
    {"gemm_layout_" #in "_" #a "_" #b, 0, TYPE_##in, GEMM_F32, LAYOUT_TILE, LAYOUT_TILE, {IS_##a, IS_##b}},
#define KERNEL_pingpong           GEMM_PINGPONG
#define KERNEL_cooperative        GEMM_COOPERATIVE
#define KERNEL_split_k            GEMM_SPLIT_K
#define KERNEL_pingpong_turned    GEMM_PINGPONG_TURNED
#define KERNEL_cooperative_turned GEMM_COOPERATIVE_TURNED
#define KERNEL_turned             GEMM_TURNED
#define KERNEL_gather             GEMM_GATHER
#define KERNEL_cp_async           GEMM_CP_ASYNC
#define TYPE_bf16                 GEMM_BF16
#define TYPE_f16                  GEMM_F16
#define TYPE_e4m3                 GEMM_E4M3
#define TYPE_e5m2                 GEMM_E5M2
#define TYPE_f32                  GEMM_F32
#define IS_k                      0
#define IS_mn                     1
    GEMM_INSTANCES(ROW) CP_ASYNC_INSTANCES(ROW) LAYOUT_INSTANCES(LAYOUT_ROW)};

static const struct kernel *kernel_named(const char *name)
{
    size_t i = 0;
    while (strcmp(kernels[i].name, name) != 0) i++;
    return &kernels[i];
}

static enum wgmma_types types_of(const struct kernel *k)
{
    static const enum wgmma_types types[] = {WGMMA_F32_BF16_BF16, WGMMA_F32_F16_F16, WGMMA_F32_E4M3_E4M3,
                                             WGMMA_F32_E5M2_E5M2};
    return types[k->in];
}

static struct tensormap map_at(const void *parameter)
{
    struct tensormap_image image;
    struct tensormap map;
    memcpy(&image, parameter, sizeof image);
    tensormap_decode(&image, &map, NULL);
    return map;
}

// What the map points at, as memory for the model's loads.
static struct memory memory_of(const struct tensormap *map)
{
    return (struct memory){(uint8_t *)(uintptr_t)map->address, map->address, map->stride[1] * map->dim[1]};
}

// --- D ---------------------------------------------------------------------------------------------------------------

// Row `row` of A or B, K along it, taken apart; one that is not there is zeros.
static struct number_terms *read_row(const struct kernel *kernel, int operand, const struct tensormap *map, uint64_t k,
                                     uint64_t row)
{
    enum wgmma_types types = types_of(kernel);
    size_t bytes = gemm_bytes(kernel->in);
    int is_mn_major = kernel->is_mn_major[operand];
    struct number_terms *vectors = calloc(wgmma_chain_steps(types, k), sizeof *vectors);
    uint8_t *gathered = calloc(k, bytes);
    for (uint64_t i = 0; i < k && row < map->dim[is_mn_major ? 0 : 1]; i++) {
        uint64_t at = is_mn_major ? i * map->stride[1] + row * bytes : row * map->stride[1] + i * bytes;
        memcpy(gathered + i * bytes, (const uint8_t *)(uintptr_t)map->address + at, bytes);
    }
    wgmma_chain_read(types, operand, k, gathered, vectors);
    free(gathered);
    return vectors;
}

static float as_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// One element: its parts of K in their order, to global memory.
static void element(const struct kernel *kernel, const struct gemm_job *job, const struct number_terms *a,
                    const struct number_terms *b, uint8_t *to)
{
    uint32_t block_k = gemm_block_k(kernel->in), blocks = (job->k - 1) / block_k + 1, sum = 0;
    size_t steps = wgmma_chain_steps(types_of(kernel), job->k), of_block = block_k / (kernel->in <= GEMM_F16 ? 16 : 32);
    for (uint32_t part = 0; part < job->splits; part++) {
        size_t first = blocks * part / job->splits * of_block, end = blocks * (part + 1) / job->splits * of_block;
        if (end > steps) end = steps;
        uint32_t own = wgmma_chain_dot(types_of(kernel), end - first, a + first, b + first, NULL);
        if (job->reduce) {
            reduce_apply(REDUCE_ADD, DTYPE_FLOAT32, to, &own, 1);
            continue;
        }
        float total = as_float(sum) + as_float(own);
        memcpy(&sum, &total, sizeof sum);
        if (part == 0) sum = own;
        if ((sum & 0x7fffffff) > 0x7f800000) sum = 0x7fffffff;
    }
    static const enum number_format formats[] = {NUMBER_BF16, NUMBER_F16, NUMBER_E4M3, NUMBER_E5M2, NUMBER_F32};
    sum = number_round(formats[kernel->out], sum);
    if (!job->reduce) memcpy(to, &sum, gemm_bytes(kernel->out));
}

// All of D; a store by TMA ends with a whole piece of 16 bytes, `columns` says where.
static void multiply(const struct kernel *kernel, const struct gemm_job *job, const struct tensormap map[2], uint8_t *d,
                     uint64_t pitch, uint32_t columns)
{
    struct number_terms **b = calloc(columns, sizeof(struct number_terms *));
    for (uint32_t n = 0; n < columns; n++) b[n] = read_row(kernel, 1, &map[1], job->k, n);
    for (uint32_t m = 0; m < job->m; m++) {
        struct number_terms *a = read_row(kernel, 0, &map[0], job->k, m);
        for (uint32_t n = 0; n < columns; n++)
            element(kernel, job, a, b[n], d + m * pitch + n * gemm_bytes(kernel->out));
        free(a);
    }
    for (uint32_t n = 0; n < columns; n++) free(b[n]);
    free(b);
}

// --- The dump --------------------------------------------------------------------------------------------------------

static void box(const struct tensormap *map, uint32_t x, uint32_t y, const struct memory *shared, uint32_t to)
{
    const struct memory global_memory = memory_of(map);
    const int32_t coord[] = {(int32_t)x, (int32_t)y};
    uint32_t bytes;
    if (tile_load(map, 2, coord, &global_memory, shared, to, &bytes) != RULE_OK) abort();
}

// A block of an operand, by the CTAs that share it: each loads a box of the rows.
static void block(const struct tensormap *map, uint32_t k, uint32_t row, uint32_t rows, const struct memory *shared,
                  uint32_t to)
{
    for (uint32_t at = 0; at < rows; at += map->box[1]) box(map, k, row + at, shared, to + at * GEMM_BLOCK_BYTES);
}

static uint64_t word_after(uint32_t arrivals, uint32_t phases)
{
    uint64_t word = mbarrier_init(arrivals);
    struct mbarrier_transaction all = {.arrivals = arrivals};
    for (uint32_t i = 0; i < phases; i++) mbarrier_transact(&word, &all);
    return word;
}

// Sums that other parts send to part 0 in distributed shared memory: 128 threads, each four floats at a time.
static void part_box(const struct kernel *kernel, const struct gemm_job *job, const struct tensormap map[2],
                     uint32_t part, const uint32_t tile[2], uint32_t columns, uint8_t *to)
{
    uint32_t block_k = gemm_block_k(kernel->in), blocks = (job->k - 1) / block_k + 1;
    size_t steps = wgmma_chain_steps(types_of(kernel), job->k), of_block = block_k / (kernel->in <= GEMM_F16 ? 16 : 32);
    size_t first = blocks * part / job->splits * of_block, end = blocks * (part + 1) / job->splits * of_block;
    if (end > steps) end = steps;
    struct number_terms *b[64];
    for (uint32_t n = 0; n < columns; n++) b[n] = read_row(kernel, 1, &map[1], job->k, tile[1] + n);
    for (uint32_t m = 0; m < GEMM_BOX_ROWS; m++) {
        struct number_terms *a = read_row(kernel, 0, &map[0], job->k, tile[0] + m);
        for (uint32_t n = 0; n < columns; n++) {
            uint32_t thread = m / 16 * 32 + m % 8 * 4 + n % 8 / 2, index = n / 8 * 4 + m % 16 / 8 * 2 + n % 2;
            uint32_t sum = wgmma_chain_dot(types_of(kernel), end - first, a + first, b[n] + first, NULL);
            memcpy(to + index / 4 * 2048 + thread * 16 + index % 4 * 4, &sum, sizeof sum);
        }
        free(a);
    }
    for (uint32_t n = 0; n < columns; n++) free(b[n]);
}

static void part_boxes(const struct kernel *kernel, const struct gemm_job *job, const struct tensormap map[2],
                       const uint32_t tile[2], uint8_t *to)
{
    int is_turned = gemm_is_turned(kernel->kernel); // its boxes are of the transpose of D
    int is_tall =
        is_turned ? kernel->tile_n == 64 : kernel->tile_m > 64; // one consumer on top of the other, or beside it
    uint32_t part_m = is_tall ? kernel->tile_m / 2 : kernel->tile_m,
             part_n = is_tall ? kernel->tile_n : kernel->tile_n / 2;
    const struct gemm_instance of_part = {NULL, kernel->kernel, kernel->in, kernel->out, part_m, part_n, 1, 1, 2};
    const struct tensormap operand[] = {map[is_turned], map[!is_turned]};
    uint32_t columns = gemm_box_columns(&of_part), across = gemm_width(&of_part) / columns;
    uint32_t count = part_m * part_n / (64 * columns), most = (count - 1) / job->splits + 1;
    for (uint32_t part = 1; part < job->splits; part++)
        for (uint32_t i = 0; i < 2 * (count / job->splits); i++) {
            uint32_t consumer = i / (count / job->splits), box = i % (count / job->splits);
            const uint32_t start[] = {tile[0] + (is_tall ? consumer * part_m : 0),
                                      tile[1] + (is_tall ? 0 : consumer * part_n)};
            const uint32_t at[] = {start[is_turned] + box / across * 64, start[!is_turned] + box % across * columns};
            part_box(kernel, job, operand, part, at, columns,
                     to + (((part - 1) * 2 + consumer) * most + box) * columns * 256);
        }
}

static void dump(const struct kernel *kernel, const struct gemm_job *job, const struct tensormap map[2], uint32_t grid)
{
    uint32_t stage_bytes = gemm_stage_bytes(kernel->tile_m, kernel->tile_n), loads = 0;
    uint32_t parts = job->splits / gemm_splits_in_cluster(job), size = gemm_cluster_size(job);
    uint32_t rows = (job->m - 1) / (kernel->tile_m * job->cluster_m) + 1;
    uint32_t columns = (job->n - 1) / (kernel->tile_n * job->cluster_n) + 1, per_group = job->group * columns;
    uint32_t block_k = gemm_block_k(kernel->in), blocks = (job->k - 1) / block_k + 1;
    uint8_t *to = (uint8_t *)(uintptr_t)job->dump;
    const struct memory shared = {to, GEMM_SHARED_START, job->stages * stage_bytes};
    memset(to, 0, shared.size_bytes);
    for (uint32_t i = 0; i < rows * columns * parts; i += grid / size) {
        uint32_t tile = i / parts, top = tile / per_group * job->group;
        uint32_t height = rows - top < job->group ? rows - top : job->group;
        uint32_t m = (top + tile % per_group % height) * job->cluster_m * kernel->tile_m;
        uint32_t n = tile % per_group / height * job->cluster_n * kernel->tile_n;
        for (uint32_t b = blocks * (i % parts) / job->splits; b < blocks * (i % parts + 1) / job->splits;
             b++, loads++) {
            uint32_t at = GEMM_SHARED_START + loads % job->stages * stage_bytes;
            block(&map[0], b * block_k, m, kernel->tile_m, &shared, at);
            block(&map[1], b * block_k, n, kernel->tile_n, &shared, at + kernel->tile_m * GEMM_BLOCK_BYTES);
        }
        if (parts < job->splits) part_boxes(kernel, job, map, (const uint32_t[]){m, n}, to);
    }
    uint32_t consumers = gemm_is_pingpong(kernel->kernel) ? 1 : GEMM_CONSUMERS;
    uint32_t producers = kernel->kernel == GEMM_GATHER ? GEMM_GATHERERS : 1;
    uint32_t releases = consumers * WARPS * (job->cluster_m + job->cluster_n - 1);
    for (uint32_t i = 0; i < 2 * job->stages; i++) {
        uint32_t stage = i % job->stages, phases = loads / job->stages + (stage < loads % job->stages);
        uint64_t word = word_after(i < job->stages ? producers : releases, phases);
        memcpy(to + shared.size_bytes + 8 * i, &word, sizeof word);
    }
}

static void dump_layout(const struct kernel *kernel, const struct layout_job *job, const struct tensormap map[2])
{
    uint32_t half = layout_operand_bytes(job->blocks), block_k = gemm_block_k(kernel->in);
    uint8_t *to = (uint8_t *)(uintptr_t)job->dump;
    const struct memory shared = {to, GEMM_SHARED_START, 2 * half};
    for (uint32_t at = 0; at < shared.size_bytes; at += 4) {
        uint32_t canary = load_canary(GEMM_SHARED_START + at);
        memcpy(to + at, &canary, sizeof canary);
    }
    for (uint32_t i = 0; i < 2 * job->blocks; i++) {
        uint32_t operand = i % 2, b = i / 2, span = layout_span_bytes(job->swizzle[operand]);
        int is_mn_major = kernel->is_mn_major[operand];
        uint32_t bytes = (is_mn_major ? MN_MAJOR_ROWS : LAYOUT_TILE) * span;
        uint32_t at = GEMM_SHARED_START + operand * half + job->shift_bytes[operand] + b * LAYOUT_BLOCK_BYTES;
        for (uint32_t j = 0; j < LAYOUT_BLOCK_BYTES / bytes; j++) {
            uint32_t along = j * span / gemm_bytes(kernel->in), k = b * block_k;
            box(&map[operand], is_mn_major ? along : k + along, is_mn_major ? k : 0, &shared, at + j * bytes);
        }
    }
    for (uint32_t b = 0; b < job->blocks; b++) {
        uint64_t word = word_after(1, 1);
        memcpy(to + shared.size_bytes + 8 * b, &word, sizeof word);
    }
}

// --- The kernels -----------------------------------------------------------------------------------------------------

enum rule gemm_kernels(void **parameters)
{
    const struct kernel *kernel = kernel_named(standin_kernel());
    const struct tensormap map[] = {map_at(parameters[0]), map_at(parameters[1]), map_at(parameters[2])};
    struct gemm_job job;
    memcpy(&job, parameters[3], sizeof job);
    uint32_t piece = 16 / gemm_bytes(kernel->out), columns = (job.n + piece - 1) / piece * piece;
    multiply(kernel, &job, map, (uint8_t *)(uintptr_t)map[2].address, map[2].stride[1], columns);
    if (job.dump != 0) dump(kernel, &job, map, standin_config()->grid_x);
    return RULE_OK;
}

// A block of an operand as the kernel of cp.async lays it out: chunks of 16 bytes, that of row r and column c in column
// c ^ r % 8; zeros past the end of a row, and where no row is.
static void chunks(const struct cp_async_job *job, int operand, uint32_t b, uint8_t *to)
{
    const uint8_t *from = (const uint8_t *)(uintptr_t)(operand == 0 ? job->a : job->b);
    uint32_t rows = operand == 0 ? job->m : job->n, tile = operand == 0 ? 128 : 256;
    for (uint32_t at = 0; at < tile * GEMM_BLOCK_BYTES; at++) {
        uint32_t row = at / GEMM_BLOCK_BYTES, column = at % GEMM_BLOCK_BYTES ^ row % 8 * 16;
        uint32_t x = b * GEMM_BLOCK_BYTES + column;
        to[at] = row < rows && x < 2 * job->k ? from[(size_t)row * job->pitch_bytes[operand] + x] : 0;
    }
}

static void dump_cp_async(const struct cp_async_job *job)
{
    uint8_t *to = (uint8_t *)(uintptr_t)job->dump;
    uint32_t stage_bytes = gemm_stage_bytes(128, 256);
    memset(to, 0, job->stages * stage_bytes);
    for (uint32_t b = 0; b * 64 < job->k; b++) {
        chunks(job, 0, b, to + b % job->stages * stage_bytes);
        chunks(job, 1, b, to + b % job->stages * stage_bytes + 128 * GEMM_BLOCK_BYTES);
    }
}

// Its operands are pointers: maps of them, for what they point at alone.
enum rule gemm_cp_async_kernels(void **parameters)
{
    const struct kernel *kernel = kernel_named(standin_kernel());
    struct cp_async_job job;
    memcpy(&job, parameters[0], sizeof job);
    const struct gemm_job whole = {.m = job.m, .n = job.n, .k = job.k, .splits = 1};
    const struct tensormap map[] = {
        {.address = job.a, .dim = {job.k, job.m}, .stride = {0, job.pitch_bytes[0]}},
        {.address = job.b, .dim = {job.k, job.n}, .stride = {0, job.pitch_bytes[1]}},
    };
    multiply(kernel, &whole, map, (uint8_t *)(uintptr_t)job.d, job.pitch_bytes[2], job.n);
    if (job.dump != 0) dump_cp_async(&job);
    return RULE_OK;
}

// The steps of the ladder: one D, and no dump.
enum rule ladder_kernels(void **parameters)
{
    const struct tensormap map[] = {map_at(parameters[0]), map_at(parameters[1])};
    const struct kernel kernel = {.in = GEMM_BF16, .out = GEMM_F32};
    struct ladder_job job;
    memcpy(&job, parameters[2], sizeof job);
    const struct gemm_job whole = {.m = job.m, .n = job.n, .k = job.k, .splits = 1};
    multiply(&kernel, &whole, map, (uint8_t *)(uintptr_t)job.d, (uint64_t)job.pitch * 4, job.n);
    return RULE_OK;
}

enum rule gemm_layout_kernels(void **parameters)
{
    const struct kernel *kernel = kernel_named(standin_kernel());
    const struct tensormap map[] = {map_at(parameters[0]), map_at(parameters[1])};
    struct layout_job job;
    memcpy(&job, parameters[2], sizeof job);
    const struct gemm_job whole = {.m = job.m, .n = job.n, .k = job.k, .splits = 1};
    multiply(kernel, &whole, map, (uint8_t *)(uintptr_t)job.d, (uint64_t)job.pitch_elems * 4, job.n);
    if (job.dump != 0) dump_layout(kernel, &job, map);
    return RULE_OK;
}
