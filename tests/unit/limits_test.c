// SPDX-License-Identifier: MIT
// The suite `limits`: whatever a user passes is checked, or its length is stated: how many coordinates an instruction
// has, where a tile may go, findings that were never cleared.
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bulk.h"
#include "cp_async.h"
#include "multicast.h"
#include "operand.h"
#include "prefetch.h"
#include "rules/instruction.h"
#include "rules/load.h"
#include "rules/map.h"
#include "rules/reduce.h"
#include "rules/shared.h"
#include "rules/store.h"
#include "tmaref.h"

enum { SMEM_BASE = 1024, SMEM_BYTES = 1 << 15, GMEM_BYTES = 1 << 16 };
#define GMEM_BASE 0x700000000u

static uint8_t smem_bytes[SMEM_BYTES], gmem_bytes[GMEM_BYTES];
static const struct memory smem = {smem_bytes, SMEM_BASE, SMEM_BYTES}, gmem = {gmem_bytes, GMEM_BASE, GMEM_BYTES};
static const struct region region = {{gmem_bytes, GMEM_BASE, GMEM_BYTES}, 0};
static const struct global_memory global = {&region, 1};

// A small map of `rank` dimensions; im2col needs three.
static struct tensormap map_of(enum tensormap_mode mode, int rank)
{
    struct tensormap map = {.mode = mode, .rank = rank, .dtype = DTYPE_FLOAT32, .address = GMEM_BASE, .pixels = 4};
    uint64_t stride = 4;
    for (int i = 0; i < rank; i++) {
        map.dim[i] = 8;
        map.stride[i] = stride;
        map.box[i] = i == 0 ? 8 : 2;
        map.estride[i] = 1;
        stride *= 8;
    }
    return map;
}

// --- Coordinates -----------------------------------------------------------------------------------------------------

// `bytes` of zeros that end where memory ends: whoever reads past them dies.
static void *end_of_memory(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert(pages != MAP_FAILED && mprotect(pages + page, page, PROT_NONE) == 0);
    return pages + page - bytes;
}

// Every instruction with a map, at as many coordinates as it has dimensions.
static void run_all(const struct tensormap *map, int dims, enum rule load, enum rule store)
{
    const int entries = dims < 0 ? 0 : dims;
    const int32_t *coord = end_of_memory((size_t)entries * sizeof *coord);
    const uint16_t *offset = end_of_memory(entries > 2 ? (size_t)(entries - 2) * sizeof *offset : 0);
    const struct cluster_load multicast = {.cluster.cta = &smem,
                                           .cluster.ctas = 1,
                                           .shared = SMEM_BASE,
                                           .mask = 1,
                                           .is_multicast = true,
                                           .cluster.is_cluster = 1};
    struct findings findings;
    uint32_t bytes;
    if (map->mode == TENSORMAP_TILED) {
        ck_assert_int_eq(tile_load_check(map, dims, coord, &gmem, &smem, SMEM_BASE, &findings), load);
        ck_assert_int_eq(tile_load(map, dims, coord, &gmem, &smem, SMEM_BASE, &bytes, NULL), load);
        ck_assert_int_eq(tile_prefetch_check(map, dims, coord, &findings), load);
        ck_assert_int_eq(tile_store_check(map, dims, coord, &gmem, &smem, SMEM_BASE, &findings), store);
        ck_assert_int_eq(tile_store(map, dims, coord, &gmem, &smem, SMEM_BASE, NULL), store);
        ck_assert_int_eq(tile_reduce_check(REDUCE_ADD, map, dims, coord, &gmem, &smem, SMEM_BASE, &findings), store);
        ck_assert_int_eq(multicast_tile_load(map, dims, coord, &gmem, &multicast, &bytes, &findings), load);
        return;
    }
    ck_assert_int_eq(im2col_load_check(map, dims, coord, offset, &gmem, &smem, SMEM_BASE, &findings), load);
    ck_assert_int_eq(im2col_load(map, dims, coord, offset, &gmem, &smem, SMEM_BASE, &bytes, NULL), load);
    ck_assert_int_eq(im2col_prefetch_check(map, dims, coord, offset, &findings), load);
    ck_assert_int_eq(im2col_store_check(map, dims, coord, &gmem, &smem, SMEM_BASE, &findings), store);
    ck_assert_int_eq(im2col_store(map, dims, coord, &gmem, &smem, SMEM_BASE, NULL), store);
    ck_assert_int_eq(im2col_reduce_check(REDUCE_ADD, map, dims, coord, &gmem, &smem, SMEM_BASE, &findings), store);
    ck_assert_int_eq(multicast_im2col_load(map, dims, coord, offset, &gmem, &multicast, &bytes, &findings), load);
}

LOOP_TEST(load_rank__reads_the_coordinates_of_the_instruction, TENSORMAP_TILED, TENSORMAP_IM2COL + 1)
{
    for (int rank = _i == TENSORMAP_IM2COL ? 3 : 1; rank <= TENSORMAP_MAX_RANK; rank++) {
        const struct tensormap map = map_of((enum tensormap_mode)_i, rank);
        for (int dims = -1; dims <= TENSORMAP_MAX_RANK + 2; dims++)
            run_all(&map, dims, dims == rank ? RULE_OK : RULE_LOAD_RANK, dims == rank ? RULE_OK : RULE_STORE_RANK);
    }
}

// --- Shared addresses ------------------------------------------------------------------------------------------------

static bool names_operand(const struct findings *findings, const char *operand, uint64_t *nearest)
{
    bool named = false;
    for (int i = 0; i < findings->count; i++) {
        if (strcmp(findings->item[i].argument, operand) != 0) continue;
        if (named) ck_assert_uint_eq(findings->item[i].nearest, *nearest);
        *nearest = findings->item[i].nearest;
        named = true;
    }
    return named;
}

// Each load and store at an address, and then where the findings say: there none names the operand.
static int propose(const struct tensormap *map, uint32_t shared)
{
    static const int32_t coord[TENSORMAP_MAX_RANK];
    struct findings findings, left;
    uint64_t nearest = 0, none;
    int proposed = 0;
    tile_load_check(map, map->rank, coord, &gmem, &smem, shared, &findings);
    if (names_operand(&findings, "dstMem", &nearest)) {
        tile_load_check(map, map->rank, coord, &gmem, &smem, (uint32_t)nearest, &left);
        ck_assert_msg(!names_operand(&left, "dstMem", &none), "0x%x: proposes 0x%x", shared, (uint32_t)nearest);
        proposed++;
    }
    tile_store_check(map, map->rank, coord, &gmem, &smem, shared, &findings);
    if (names_operand(&findings, "srcMem", &nearest)) {
        tile_store_check(map, map->rank, coord, &gmem, &smem, (uint32_t)nearest, &left);
        ck_assert_msg(!names_operand(&left, "srcMem", &none), "0x%x: proposes 0x%x", shared, (uint32_t)nearest);
        proposed++;
    }
    return proposed;
}

TEST(operand_rank__proposes_a_place_of_this_cta)
{
    int proposed = 0;
    for (int swizzle = 0; swizzle < 4; swizzle++) {
        struct tensormap map = map_of(TENSORMAP_TILED, 3);
        map.swizzle = (enum tensormap_swizzle)swizzle;
        for (int bit = 0; bit < 32; bit++)
            for (int32_t near = -129; near <= 129; near++) {
                uint32_t shared = (UINT32_C(1) << bit) + (uint32_t)near;
                proposed += propose(&map, shared) + propose(&map, SMEM_BASE + SMEM_BYTES - shared);
            }
    }
    ck_assert_int_gt(proposed, 50000);
}

// --- Types that have an operation ------------------------------------------------------------------------------------

// What is proposed for a reduction has the operation, and the bytes of the type that does not, where a type has both.
TEST(reduce_type__proposes_a_type_of_the_same_size)
{
    static const int32_t coord[TENSORMAP_MAX_RANK];
    for (int op = -1; op <= REDUCE_OPS; op++)
        for (enum dtype dtype = 0; dtype < DTYPE_COUNT; dtype++) {
            struct tensormap map = map_of(TENSORMAP_TILED, 3);
            struct findings findings;
            map.dtype = dtype;
            map.box[0] = 16;
            enum rule rule = tile_reduce_check((enum reduce_op)op, &map, 3, coord, &gmem, &smem, SMEM_BASE, &findings);
            ck_assert_int_eq(rule == RULE_REDUCE_TYPE, !reduce_is_legal((enum reduce_op)op, dtype));
            if (rule != RULE_REDUCE_TYPE || (unsigned)op >= REDUCE_OPS) continue;
            enum dtype nearest = (enum dtype)findings.item[0].nearest;
            ck_assert(reduce_is_legal((enum reduce_op)op, nearest));
            bool has_size = false;
            for (enum dtype type = 0; type < DTYPE_COUNT; type++)
                has_size |= reduce_is_legal((enum reduce_op)op, type) &&
                            dtype_row(type)->size_bytes == dtype_row(dtype)->size_bytes;
            ck_assert(!has_size || dtype_row(nearest)->size_bytes == dtype_row(dtype)->size_bytes);
        }
}

// --- Any bytes, any struct -------------------------------------------------------------------------------------------

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 32 ^ *state << 31;
}

// Any bytes decode to a map that can be packed, and the bytes that it makes decode to the same map.
TEST(map_bits_layout__any_map_can_be_packed)
{
    uint64_t state = 12345;
    for (int i = 0; i < 200000; i++) {
        struct tensormap_image image, packed;
        struct tensormap map, again;
        for (int w = 0; w < TENSORMAP_BYTES / 8; w++) image.word[w] = next_random(&state);
        if (i % 2 == 1) image.word[1] &= ~UINT64_C(0x70) | (uint64_t)(i % 8) << 4; // every rank
        tensormap_decode(&image, &map, NULL);
        tensormap_pack(&map, &packed);
        tensormap_decode(&packed, &again, NULL);
        ck_assert_msg(memcmp(&map, &again, sizeof map) == 0, "map %d", i);
    }
}

// Structs that nobody decoded: no load or store divides by what is 0, or reads what is not there.
TEST(load_map_format__refuses_structs_that_no_bytes_decode_to)
{
    static const int32_t coord[TENSORMAP_MAX_RANK];
    static const uint16_t offset[3];
    uint64_t state = 777;
    int refused = 0;
    for (int i = 0; i < 300000; i++) {
        struct tensormap map = map_of(i % 2 ? TENSORMAP_IM2COL : TENSORMAP_TILED, i % 2 ? 3 : 1 + i % 5);
        struct findings findings;
        for (uint64_t hits = 1 + next_random(&state) % 3; hits > 0; hits--) {
            uint32_t odd = (uint32_t)next_random(&state) >> next_random(&state) % 32;
            if (next_random(&state) % 3 == 0) odd = 0;
            memcpy((char *)&map + next_random(&state) % (sizeof map / 4) * 4, &odd, sizeof odd);
        }
        int dims = map.rank < 1 || map.rank > TENSORMAP_MAX_RANK ? 3 : map.rank;
        refused += tile_load_check(&map, dims, coord, &gmem, &smem, SMEM_BASE, &findings) == RULE_LOAD_MAP_FORMAT;
        tile_store_check(&map, dims, coord, &gmem, &smem, SMEM_BASE, &findings);
        tile_prefetch_check(&map, dims, coord, &findings);
        im2col_load_check(&map, dims, coord, offset, &gmem, &smem, SMEM_BASE, &findings);
        im2col_store_check(&map, dims, coord, &gmem, &smem, SMEM_BASE, &findings);
    }
    ck_assert_int_gt(refused, 10000);
}

// --- Numbers that are no form ----------------------------------------------------------------------------------------

LOOP_TEST(instruction_form__is_one_of_ptx, 0, 4)
{
    static const uint32_t odd[] = {99, UINT32_MAX, 1u << 31, 0x10000};
    struct bulk bulk = {(enum bulk_form)odd[_i], &gmem, &smem, GMEM_BASE, SMEM_BASE, 16};
    const struct bulk registers = {BULK_REGISTERS_TO_OTHER, &gmem, &smem, GMEM_BASE, SMEM_BASE, odd[_i] | 1};
    struct cp_async copy = {&gmem, &smem, (enum cp_async_form)odd[_i], 4, 4, GMEM_BASE, SMEM_BASE};
    const struct wgmma wgmma = {.types = (enum wgmma_types)odd[_i], .n = 8};
    const struct wgmma_operands operands = {.shared = &smem};
    const struct replace_op replace = {.field = odd[_i]}, no_type = {.field = REPLACE_ELEMTYPE, .value = odd[_i]};
    const struct cluster_memory cluster = cluster_memory_alone(&smem);
    const struct mbarrier_unit unit = {&cluster, NULL};
    const struct mbarrier_instruction ops[] = {
        {.opcode = odd[_i], .lanes = 1},
        {.opcode = MBARRIER_OP_ARRIVE, .rank = odd[_i], .lanes = 1},
        {.opcode = MBARRIER_OP_ARRIVE, .space = (enum mbarrier_space)odd[_i], .lanes = 1},
        {.opcode = MBARRIER_OP_ARRIVE}};
    struct mbarrier_answer answer;
    struct tensormap_image image = {{1, 2, 3}}, before = image;
    uint32_t address[MATRIX_LANES] = {0}, bytes;
    struct findings findings;
    ck_assert_int_eq(bulk_check(&bulk, &findings), RULE_INSTRUCTION_FORM);
    ck_assert_uint_eq(findings.item[0].value, (uint64_t)bulk.form);
    ck_assert_int_eq(bulk_copy(&bulk, &bytes, NULL), RULE_INSTRUCTION_FORM);
    ck_assert_int_eq(bulk_check(&registers, &findings), RULE_INSTRUCTION_FORM);
    ck_assert_int_eq(bulk_check_barrier(bulk.form, SMEM_BASE, &smem, &findings), RULE_INSTRUCTION_FORM);
    ck_assert_int_eq(cp_async_copy(&copy, NULL), RULE_INSTRUCTION_FORM);
    copy.form = CP_ASYNC_WHOLE;
    copy.size_bytes = odd[_i];
    ck_assert_int_eq(cp_async_check(&copy, &findings), RULE_INSTRUCTION_FORM);
    ck_assert_int_eq(wgmma_check(&wgmma, &operands, &findings), RULE_INSTRUCTION_FORM);
    ck_assert_int_eq(matrix_check(&smem, address, (int)odd[_i], &findings), RULE_INSTRUCTION_FORM);
    ck_assert_int_eq(map_location_check((enum map_location)odd[_i], 0, NULL, &findings), RULE_INSTRUCTION_FORM);
    ck_assert_int_eq(map_location_check(MAP_UNMAPPED, 0, NULL, &findings), RULE_MAP_LOCATION_UNMAPPED);
    ck_assert_int_eq(tensormap_replace(&image, &replace, &findings), RULE_INSTRUCTION_FORM);
    ck_assert_int_eq(tensormap_replace(&image, &no_type, &findings), RULE_INSTRUCTION_FORM);
    ck_assert_mem_eq(&image, &before, sizeof image);
    ck_assert_int_eq(shared_access_check(SMEM_BASE, odd[_i] & ~1u, &smem, &findings), RULE_INSTRUCTION_FORM);
    ck_assert_int_eq(global_access_check(GMEM_BASE, 0, MEMORY_READS, &global, &findings), RULE_INSTRUCTION_FORM);
    const struct cluster_access access = {&cluster, 0, SMEM_BASE, odd[_i] & ~1u};
    ck_assert_int_eq(cluster_load(&access, address, NULL, &findings), RULE_INSTRUCTION_FORM);
    ck_assert_int_eq(cluster_access_check(&cluster, (enum cluster_use)odd[_i], 0, SMEM_BASE, 4, &findings),
                     RULE_INSTRUCTION_FORM);
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(mbarrier_operate(&unit, &ops[i], NULL, &answer, &findings), RULE_INSTRUCTION_FORM);
}

TEST(instruction_form__of_a_matrix_or_an_access_is_one_of_ptx)
{
    uint32_t a[1024] = {0}, b[1024] = {0}, d[1024] = {0}, metadata[MMA_LANES] = {0}, address[WARP_LANES] = {0};
    struct bank_report report;
    struct findings findings;
    for (int form = -1; form <= MMA_FORMS; form++) {
        bool is_form = form >= 0 && form < MMA_FORMS, is_sparse = is_form && mma_row((enum mma_form)form)->is_sparse;
        enum mma_form as = (enum mma_form)form;
        ck_assert_int_eq(mma_execute(as, a, b, d, &findings) == RULE_OK, is_form && !is_sparse);
        ck_assert_int_eq(findings.count == 0, is_form && !is_sparse);
        for (int selector = -1; selector <= 4; selector++) {
            ck_assert_int_eq(mma_execute_sparse(as, selector, metadata, a, b, d, &findings),
                             findings_first_broken(&findings));
            bool is_selector = is_sparse && selector >= 0 && selector <= number_most_selector(mma_sparsity(as));
            ck_assert_int_eq(findings.count == 0, is_selector);
        }
    }
    for (uint32_t bytes = 0; bytes < 70; bytes++) {
        bool is_size = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16;
        ck_assert_int_eq(bank_count(BANK_LOAD, address, UINT32_MAX, bytes, &report) == RULE_OK, is_size);
    }
    address[7] = 6;
    ck_assert_int_eq(bank_count(BANK_STORE, address, UINT32_MAX, 4, &report), RULE_SHARED_ACCESS_ALIGN);
    ck_assert_int_eq(report.wavefronts, 0);
}

// --- Findings that were never cleared --------------------------------------------------------------------------------

#define EMPTY(call)                                                                                                    \
    memset(&findings, 0x7f, sizeof findings);                                                                          \
    (void)(call);                                                                                                      \
    ck_assert_msg(findings.count == 0, "%s: %d", #call, findings.count)

TEST(findings_start_empty_in_every_check)
{
    static const int32_t coord[TENSORMAP_MAX_RANK];
    static const uint16_t offset[3];
    const struct tensormap tiled = map_of(TENSORMAP_TILED, 3), im2col = map_of(TENSORMAP_IM2COL, 3);
    const struct bulk bulk = {BULK_GLOBAL_TO_SHARED, &gmem, &smem, GMEM_BASE, SMEM_BASE, 16};
    const struct cp_async copy = {&gmem, &smem, CP_ASYNC_WHOLE, 4, 4, GMEM_BASE, SMEM_BASE};
    const struct cluster_load load = {.cluster.cta = &smem, .cluster.ctas = 1, .shared = SMEM_BASE};
    const struct wgmma wgmma = {.types = 0, .n = 8};
    const struct wgmma_operands operands = {.descriptor = {64, 64}, .shared = &smem};
    const struct replace_op replace = {.field = REPLACE_BOX_DIM, .value = 8};
    const struct cluster_launch launch = {.grid = {1, 1, 1}, .block = {32, 1, 1}};
    const struct mbarrier_instruction init = {
        .opcode = MBARRIER_OP_INIT, .lanes = 1, .address = {SMEM_BASE}, .operand = {1}};
    struct mbarrier_instruction generic = init;
    const struct cluster_memory alone = cluster_memory_alone(&smem);
    const struct mbarrier_unit unit = {&alone, NULL};
    struct mbarrier_answer answer;
    struct tensormap_image image = {{0}};
    struct findings findings;
    uint32_t address[MATRIX_LANES], bytes;
    for (int i = 0; i < MATRIX_LANES; i++) address[i] = SMEM_BASE;
    EMPTY(tile_map_check(&tiled, &findings));
    EMPTY(tile_load_check(&tiled, 3, coord, &gmem, &smem, SMEM_BASE, &findings));
    EMPTY(tile_store_check(&tiled, 3, coord, &gmem, &smem, SMEM_BASE, &findings));
    EMPTY(tile_reduce_check(REDUCE_ADD, &tiled, 3, coord, &gmem, &smem, SMEM_BASE, &findings));
    EMPTY(tile_prefetch_check(&tiled, 3, coord, &findings));
    EMPTY(im2col_load_check(&im2col, 3, coord, offset, &gmem, &smem, SMEM_BASE, &findings));
    EMPTY(im2col_store_check(&im2col, 3, coord, &gmem, &smem, SMEM_BASE, &findings));
    EMPTY(im2col_reduce_check(REDUCE_ADD, &im2col, 3, coord, &gmem, &smem, SMEM_BASE, &findings));
    EMPTY(im2col_prefetch_check(&im2col, 3, coord, offset, &findings));
    EMPTY(multicast_tile_load(&tiled, 3, coord, &gmem, &load, &bytes, &findings));
    EMPTY(multicast_im2col_load(&im2col, 3, coord, offset, &gmem, &load, &bytes, &findings));
    EMPTY(multicast_bulk_load(GMEM_BASE, 16, &gmem, &load, &bytes, &findings));
    EMPTY(bulk_check(&bulk, &findings));
    EMPTY(bulk_check_barrier(BULK_GLOBAL_TO_SHARED, SMEM_BASE, &smem, &findings));
    EMPTY(bulk_prefetch_check(GMEM_BASE, 16, &findings));
    EMPTY(cache_policy_check(0, &findings));
    EMPTY(cp_async_check(&copy, &findings));
    EMPTY(operand_check_barrier(SMEM_BASE, &smem, &findings));
    EMPTY(shared_access_check(SMEM_BASE, 4, &smem, &findings));
    EMPTY(global_access_check(GMEM_BASE, 4, MEMORY_READS, &global, &findings));
    EMPTY(cluster_access_check(&alone, CLUSTER_PLAIN, 0, SMEM_BASE, 4, &findings));
    EMPTY(mbarrier_address_check(&alone, MBARRIER_OP_ARRIVE, MBARRIER_SHARED_CTA, 0, SMEM_BASE, &findings));
    EMPTY(mbarrier_set_generic(&alone, &generic, init.operand, &findings));
    EMPTY(map_prefetch_check(GMEM_BASE, &global, &findings));
    EMPTY(map_acquire_check(GMEM_BASE, &findings));
    EMPTY(map_copy_check(SMEM_BASE, &smem, GMEM_BASE, (uint64_t)1 << 46, &global, &findings));
    EMPTY(map_location_check(MAP_IN_GLOBAL, GMEM_BASE, &global, &findings));
    EMPTY(tensormap_replace(&image, &replace, &findings));
    EMPTY(tensormap_replace_address(&image, GMEM_BASE, &findings));
    EMPTY(matrix_check(&smem, address, 1, &findings));
    EMPTY(wgmma_check(&wgmma, &operands, &findings));
    EMPTY(mbarrier_operate(&unit, &init, NULL, &answer, &findings));
    memset(&findings, 0x7f, sizeof findings);
    cluster_launch_check(&launch, &findings); // nobody compiled this kernel
    ck_assert_int_eq(findings.count, 1);
}

TEST(findings_start_empty_in_every_call_that_moves)
{
    static const int32_t coord[TENSORMAP_MAX_RANK];
    static const uint16_t offset[3];
    static uint32_t words[4 * WGMMA_THREADS], d[4 * WGMMA_THREADS];
    const struct tensormap tiled = map_of(TENSORMAP_TILED, 3), im2col = map_of(TENSORMAP_IM2COL, 3);
    const struct bulk bulk = {BULK_GLOBAL_TO_SHARED, &gmem, &smem, GMEM_BASE, SMEM_BASE, 16};
    const struct bulk back = {BULK_SHARED_TO_GLOBAL, &smem, &gmem, SMEM_BASE, GMEM_BASE, 16};
    const struct cp_async copy = {&gmem, &smem, CP_ASYNC_WHOLE, 4, 4, GMEM_BASE, SMEM_BASE};
    const struct wgmma wgmma = {.types = 0, .n = 8};
    const struct wgmma_operands operands = {.descriptor = {64, 64}, .shared = &smem};
    struct findings findings;
    uint32_t address[MATRIX_LANES], registers[1][MATRIX_LANES] = {{0}}, bytes;
    for (int i = 0; i < MATRIX_LANES; i++) address[i] = SMEM_BASE;
    EMPTY(tile_load(&tiled, 3, coord, &gmem, &smem, SMEM_BASE, &bytes, &findings));
    EMPTY(tile_store(&tiled, 3, coord, &gmem, &smem, SMEM_BASE, &findings));
    EMPTY(tile_reduce(REDUCE_ADD, &tiled, 3, coord, &gmem, &smem, SMEM_BASE, &findings));
    EMPTY(im2col_load(&im2col, 3, coord, offset, &gmem, &smem, SMEM_BASE, &bytes, &findings));
    EMPTY(im2col_store(&im2col, 3, coord, &gmem, &smem, SMEM_BASE, &findings));
    EMPTY(im2col_reduce(REDUCE_ADD, &im2col, 3, coord, &gmem, &smem, SMEM_BASE, &findings));
    EMPTY(bulk_copy(&bulk, &bytes, &findings));
    EMPTY(bulk_reduce(&back, REDUCE_ADD, DTYPE_UINT32, &bytes, &findings));
    EMPTY(cp_async_copy(&copy, &findings));
    EMPTY(matrix_load(&smem, address, 1, 0, registers, &findings));
    EMPTY(matrix_store(&smem, address, 1, 0, registers, &findings));
    EMPTY(wgmma_execute(&wgmma, &operands, d, &findings));
    EMPTY(mma_execute(MMA_M16K8_F16_F16_F16_PLAIN, words, words, d, &findings));
}

#undef EMPTY

// --- Work ------------------------------------------------------------------------------------------------------------

static void count_event(void *context, const struct event *event)
{
    (void)event;
    ++*(int *)context;
}

// A map that the encoder takes, for it counts 2 / 8 = 0 elements in a row: 2^32 rows, of which few are in bounds.
TEST(store_bounds__of_2_32_rows_costs_what_is_inside)
{
    const uint64_t dim[] = {2, 1, 3, 2, 2}, strides[] = {16, 16, 48, 96};
    const uint32_t box[] = {2, 256, 256, 256, 256}, estride[] = {8, 1, 1, 1, 1};
    const int32_t coord[] = {0, 0, 0, 0, 1};
    struct tensormap_image image;
    struct tensormap map;
    int told = 0;
    const struct observer observer = {&told, count_event};
    const struct teller teller = {&observer, {0}};
    ck_assert_int_eq(
        tensormap_encode_tiled(&image, DTYPE_FLOAT64, 5, GMEM_BASE, dim, strides, box, estride, 0, 0, 0, 0, NULL),
        RULE_OK);
    ck_assert_int_eq(tensormap_decode(&image, &map, NULL), RULE_OK);
    for (int i = 0; i < 1000; i++) { // before, each of these took minutes
        struct operation operation = {
            .kind = OPERATION_TENSOR_STORE, .dims = 5, .map = map, .coord = {0, 0, 0, 0, 1}, .shared = SMEM_BASE};
        struct findings findings;
        ck_assert_int_eq(tile_store_check(&map, 5, coord, &gmem, &smem, SMEM_BASE, &findings), RULE_STORE_SMEM_BOUNDS);
        ck_assert_int_eq(tile_load_check(&map, 5, coord, &gmem, &smem, SMEM_BASE, &findings), RULE_LOAD_SMEM_BOUNDS);
        ck_assert_int_eq(tile_prefetch_check(&map, 5, coord, &findings), RULE_OK);
        struct flight store = operation_issue(&operation, NULL, &teller);
        flight_advance(&store, UINT64_MAX);
        operation.kind = OPERATION_TENSOR_PREFETCH;
        struct flight prefetch = operation_issue(&operation, NULL, &teller);
        flight_advance(&prefetch, UINT64_MAX);
    }
    ck_assert_int_le(told, 1000 * 2 * (6 + 6 + 1)); // rows in bounds, in both memories, and the map
    const uint64_t one[] = {2, 1, 1, 1, 1};
    memcpy(map.dim, one, sizeof one);
    const int32_t start[] = {0, 0, 0, 0, 0};
    for (int i = 0; i < 1000; i++) {
        ck_assert_int_eq(tile_store(&map, 5, start, &gmem, &smem, SMEM_BASE, NULL), RULE_OK);
        ck_assert_int_eq(tile_reduce(REDUCE_ADD, &map, 5, start, &gmem, &smem, SMEM_BASE, NULL), RULE_OK);
    }
}
