// SPDX-License-Identifier: MIT
// An adapter in C: it answers cases of `tmaref` (docs/conformance-kit.md) with the library libtmaref, which stands for
// the simulator under test. Take it as a pattern: replace what calls tmaref_... by calls of your own. It needs jansson.
//   cc adapter.c -o adapter $(pkg-config --cflags --libs tmaref jansson)
//   tmaref replay --executor command:./adapter traces
#include <signal.h>
#include <tmaref.h>

#include "adapter_lines.h"
#include "arena_bytes.h"

static uint8_t own[LOAD_BYTES], other[LOAD_BYTES], global[STORE_GLOBAL_BYTES], arena[ARENA_BYTES];
static const struct tmaref_region whole_arena = {{arena, ARENA_BASE, sizeof arena}, 0};

// The end of a case: its status and the rule that it breaks. Returns whether its windows follow.
static int done(json_t *result, enum tmaref_rule rule)
{
    const int crashes = tmaref_rule_row(rule)->sm_90a == TMAREF_OUTCOME_CRASH;
    json_object_set_new(result, "status", json_integer(crashes ? -SIGSEGV : tmaref_rule_cuda_error(rule)));
    if (rule != TMAREF_RULE_OK) json_object_set_new(result, "rule", json_string(tmaref_rule_row(rule)->id));
    return rule == TMAREF_RULE_OK;
}

static enum tmaref_rule map_of(const json_t *c, struct tmaref_tensormap_image *image)
{
    uint64_t dim[5] = {0}, stride[5] = {0};
    uint32_t box[5] = {0}, estride[5] = {0};
    int lower[5] = {0}, upper[5] = {0};
    numbers(c, "globalDim", dim, 8), numbers(c, "globalStrides", stride, 8), numbers(c, "boxDim", box, 4);
    numbers(c, "elementStrides", estride, 4), numbers(c, "pixelBoxLowerCorner", lower, 4);
    numbers(c, "pixelBoxUpperCorner", upper, 4);
    const uint32_t type = word(c, "tensorDataType"), rank = word(c, "tensorRank"), swizzle = word(c, "swizzle");
    const uint32_t interleave = word(c, "interleave"), l2 = word(c, "l2Promotion"), fill = word(c, "oobFill");
    const uint64_t address = number(c, "globalAddress", 0);
    if (strcmp(text(c, "function"), "cuTensorMapEncodeTiled") == 0)
        return tmaref_tensormap_encode_tiled(image, type, rank, address, dim, stride, box, estride, interleave, swizzle,
                                             l2, fill, NULL);
    return tmaref_tensormap_encode_im2col(image, type, rank, address, dim, stride, lower, upper,
                                          word(c, "channelsPerPixel"), word(c, "pixelsPerColumn"), estride, interleave,
                                          swizzle, l2, fill, NULL);
}

static const char *lacks(const json_t *map)
{
    const char *function = text(map, "function");
    if (strcmp(function, "cuTensorMapEncodeTiled") != 0 && strcmp(function, "cuTensorMapEncodeIm2col") != 0)
        return "only the tiled and im2col calls";
    return number(map, "null", 0) + number(map, "misalign", 0) > 0 ? "only calls without NULL, aligned maps" : NULL;
}

static const char *encode(const json_t *asked, const json_t *c, json_t *result)
{
    struct tmaref_tensormap_image image;
    if (lacks(c) != NULL) return lacks(c);
    if (done(result, map_of(c, &image))) answer(result, asked, "map", &image, 0);
    return NULL;
}

// Runs an operation of CTA 0 of two, `bytes` of shared memory each, and what its barrier hears. `region` may be NULL.
static enum tmaref_rule run(const struct tmaref_operation *operation, const struct tmaref_region *region,
                            uint32_t bytes, const json_t *c, uint64_t *barrier)
{
    const struct tmaref_memory cta[2] = {{own, SHARED, bytes}, {other, SHARED, bytes}};
    const struct tmaref_memories memories = {&(struct tmaref_global_memory){region, region != NULL},
                                             &(struct tmaref_cluster_memory){.cta = cta, .ctas = 2, .is_cluster = 1}};
    const struct tmaref_mbarrier_transaction announce = {.arrivals = 1, .expect_bytes = word(c, "expect")};
    struct tmaref_piece piece = {0};
    *barrier = tmaref_mbarrier_init(1);
    enum tmaref_rule rule =
        tmaref_operation_has_barrier(operation->kind) ? tmaref_mbarrier_transact(barrier, &announce) : TMAREF_RULE_OK;
    if (rule == TMAREF_RULE_OK) rule = tmaref_operation_run(operation, &memories, NULL, &piece, NULL);
    const struct tmaref_mbarrier_transaction land = {.complete_bytes = piece.complete_bytes};
    if (rule == TMAREF_RULE_OK && piece.complete_bytes > 0) tmaref_mbarrier_transact_remote(barrier, &land);
    return rule;
}

// Loads and stores through a map, tiled and im2col.
static const char *tensor(const json_t *asked, const json_t *c, json_t *result)
{
    const char *family = text(asked, "family"), *name = text(c, "operation");
    const int is_store = strstr(family, "store") != NULL, is_reduction = is_store && strcmp(name, "store") != 0;
    const int is_im2col = strcmp(text(c, "load_mode"), "im2col") == 0 || strcmp(family, "im2col_store") == 0;
    const struct tmaref_region stored = {{global, STORE_GLOBAL, sizeof global}, 0};
    struct tmaref_operation operation = {
        .kind = !is_store      ? TMAREF_OPERATION_TENSOR_LOAD
                : is_reduction ? TMAREF_OPERATION_TENSOR_REDUCE
                               : TMAREF_OPERATION_TENSOR_STORE,
        .mode = is_im2col ? TMAREF_TENSORMAP_IM2COL : TMAREF_TENSORMAP_TILED,
        .dims = (int)word(c, "dims"),
        .shared = word(c, "shared"),
        .op = is_reduction ? tmaref_reduce_op_find(name) : 0,
        .barrier = SHARED,
    };
    struct tmaref_tensormap_image image;
    uint64_t barrier;
    if (lacks(json_object_get(c, "map")) != NULL) return lacks(json_object_get(c, "map"));
    if (!done(result, map_of(json_object_get(c, "map"), &image))) return NULL;
    tmaref_tensormap_decode(&image, &operation.map, NULL);
    numbers(c, "tensorCoords", operation.coord, 4), numbers(c, "im2colOffsets", operation.offset, 2);
    before(asked, "shared", own, SHARED), before(asked, "global", global, STORE_GLOBAL);
    const uint32_t bytes = is_store ? STORE_BYTES : LOAD_BYTES;
    if (!done(result, run(&operation, is_store ? &stored : &whole_arena, bytes, c, &barrier))) return NULL;
    if (is_store) return answer(result, asked, "global", global, STORE_GLOBAL), NULL;
    answer(result, asked, "mbarrier", &barrier, SHARED), answer(result, asked, "shared", own, SHARED);
    return NULL;
}

static const char *bulk(const json_t *asked, const json_t *c, json_t *result)
{
    const char *form = text(c, "form"), *name = text(c, "operation"), *dot = strchr(name, '.');
    const int is_copy = dot == NULL, is_load = strstr(form, "global_") == form;
    const int is_store = strcmp(form, "shared_to_global") == 0, is_value = strstr(form, "registers") == form;
    const uint32_t rank = strstr(form, "_to_other") != NULL ? OTHER_CTA : 0;
    struct tmaref_operation operation = {
        .kind = is_load    ? TMAREF_OPERATION_BULK_LOAD
                : is_store ? (is_copy ? TMAREF_OPERATION_BULK_STORE : TMAREF_OPERATION_BULK_STORE_REDUCE)
                : is_value ? (is_copy ? TMAREF_OPERATION_ST_ASYNC : TMAREF_OPERATION_RED_ASYNC)
                           : (is_copy ? TMAREF_OPERATION_BULK_SEND : TMAREF_OPERATION_BULK_SEND_REDUCE),
        .from = number(c, "from", 0),
        .to = number(c, "to", 0) | rank,
        .size_bytes = word(c, "size"),
        .barrier = SHARED | rank,
    };
    char op[8] = "";
    uint64_t barrier;
    uint8_t *destination = rank != 0 ? other : own;
    if (!is_copy) {
        memcpy(op, name, (size_t)(dot - name));
        const char *type = strrchr(name, '.') + 1; // bits of b32 and b64 are those of an unsigned number
        operation.op = tmaref_reduce_op_find(op);
        operation.dtype = tmaref_dtype_find(strcmp(type, "b32") == 0 ? "u32" : strcmp(type, "b64") == 0 ? "u64" : type);
    }
    if (!is_load) before(asked, "source", is_value ? (uint8_t *)operation.value : own, is_value ? 0 : SHARED);
    before(asked, "shared", destination, SHARED);
    const uint64_t mapped = before(asked, "global", global, BULK_GLOBAL);
    const struct tmaref_region stored = {{global, BULK_GLOBAL, mapped}, 0};
    const struct tmaref_region *region = is_load ? &whole_arena : is_store && mapped > 0 ? &stored : NULL;
    if (!done(result, run(&operation, region, BULK_BYTES, c, &barrier))) return NULL;
    if (is_store) return answer(result, asked, "global", global, BULK_GLOBAL), NULL;
    answer(result, asked, "mbarrier", &barrier, SHARED), answer(result, asked, "shared", destination, SHARED);
    return NULL;
}

int main(void)
{
    static const struct adapter_family all[] = {{"encode", encode}, {"load", tensor}, {"im2col", tensor},
                                                {"store", tensor},  {"bulk", bulk},   {"im2col_store", tensor}};
    return arena_fill(arena), adapter_run(all, sizeof all / sizeof all[0]);
}
