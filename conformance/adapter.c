// SPDX-License-Identifier: MIT
// An adapter in C: it answers cases of `tmaref` (docs/conformance-kit.md) with the library libtmaref, which stands for
// the simulator under test. Take it as a pattern: replace what calls tmaref_... by calls of your own. It needs jansson.
//   cc adapter.c -o adapter $(pkg-config --cflags --libs tmaref jansson)
//   tmaref replay --executor command:./adapter traces
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tmaref.h>

#include "arena_bytes.h"

// The shared memory that the kernels of the families have, and what is mapped for stores.
enum { SHARED = 1024, LOAD_BYTES = 232448, STORE_BYTES = 101376, BULK_BYTES = 203776, STORE_GLOBAL_BYTES = 65536 };
enum { OTHER_CTA = 1 << 24, MOST_DIGITS = 1 << 20 };
#define STORE_GLOBAL ((uint64_t)1 << 46)
#define BULK_GLOBAL  ((uint64_t)1 << 45)

static uint8_t own[LOAD_BYTES], other[LOAD_BYTES], global[STORE_GLOBAL_BYTES], arena[ARENA_BYTES];
static char digits[MOST_DIGITS];

// --- JSON ------------------------------------------------------------------------------------------------------------

static uint64_t number(const json_t *of, const char *key, uint64_t absent)
{
    const json_t *value = json_object_get(of, key);
    if (json_is_string(value)) return strtoull(json_string_value(value), NULL, 0);
    return json_is_integer(value) ? (uint64_t)json_integer_value(value) : absent;
}

static int numbers(const json_t *of, const char *key, void *to, size_t bytes)
{
    const json_t *list = json_object_get(of, key);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *value = json_array_get(list, i);
        uint64_t entry =
            json_is_string(value) ? strtoull(json_string_value(value), NULL, 0) : (uint64_t)json_integer_value(value);
        memcpy((char *)to + i * bytes, &entry, bytes);
    }
    return json_array_size(list) > 0;
}

static const char *text(const json_t *of, const char *key)
{
    const char *value = json_string_value(json_object_get(of, key));
    return value != NULL ? value : "";
}

// What memory holds before, into `memory`, whose first byte has the address `first`. Returns how many bytes.
static size_t before(const json_t *asked, const char *name, uint8_t *memory, uint64_t first)
{
    const json_t *window = json_object_get(json_object_get(asked, "before"), name);
    const char *hex = text(window, "bytes");
    const size_t count = strlen(hex) / 2;
    for (size_t i = 0; i < count; i++) sscanf(hex + 2 * i, "%2hhx", memory + number(window, "base", 0) - first + i);
    return count;
}

static void answer(json_t *result, const json_t *asked, const char *name, const void *memory, uint64_t first)
{
    const json_t *window = json_object_get(json_object_get(asked, "windows"), name);
    const uint8_t *from = (const uint8_t *)memory + number(window, "base", 0) - first;
    const uint64_t count = number(window, "size", 0);
    digits[0] = '\0';
    for (uint64_t i = 0; i < count; i++) {
        digits[2 * i] = "0123456789abcdef"[from[i] >> 4];
        digits[2 * i + 1] = "0123456789abcdef"[from[i] & 15];
    }
    json_object_set_new(result, name, json_pack("{s:s#}", "bytes", digits, 2 * count));
}

static int done(json_t *result, enum tmaref_rule rule)
{
    const int crashes = tmaref_rule_row(rule)->sm_90a == TMAREF_OUTCOME_CRASH;
    json_object_set_new(result, "status", json_integer(crashes ? -SIGSEGV : tmaref_rule_cuda_error(rule)));
    if (rule != TMAREF_RULE_OK) json_object_set_new(result, "rule", json_string(tmaref_rule_row(rule)->id));
    return rule == TMAREF_RULE_OK;
}

// --- Families: each fills `result`, or says why it cannot run the case -----------------------------------------------

static enum tmaref_rule map_of(const json_t *c, struct tmaref_tensormap_image *image)
{
    uint64_t dim[5] = {0}, stride[5] = {0};
    uint32_t box[5] = {0}, estride[5] = {0};
    int lower[5] = {0}, upper[5] = {0};
    numbers(c, "globalDim", dim, 8), numbers(c, "globalStrides", stride, 8), numbers(c, "boxDim", box, 4);
    numbers(c, "elementStrides", estride, 4), numbers(c, "pixelBoxLowerCorner", lower, 4);
    numbers(c, "pixelBoxUpperCorner", upper, 4);
    const uint32_t type = (uint32_t)number(c, "tensorDataType", 0), rank = (uint32_t)number(c, "tensorRank", 0);
    const uint32_t interleave = (uint32_t)number(c, "interleave", 0), swizzle = (uint32_t)number(c, "swizzle", 0);
    const uint32_t l2 = (uint32_t)number(c, "l2Promotion", 0), fill = (uint32_t)number(c, "oobFill", 0);
    const uint64_t address = number(c, "globalAddress", 0);
    if (strcmp(text(c, "function"), "cuTensorMapEncodeTiled") == 0)
        return tmaref_tensormap_encode_tiled(image, type, rank, address, dim, stride, box, estride, interleave, swizzle,
                                             l2, fill, NULL);
    return tmaref_tensormap_encode_im2col(
        image, type, rank, address, dim, stride, lower, upper, (uint32_t)number(c, "channelsPerPixel", 0),
        (uint32_t)number(c, "pixelsPerColumn", 0), estride, interleave, swizzle, l2, fill, NULL);
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
                            uint32_t bytes, const json_t *c, uint64_t *word)
{
    const struct tmaref_memory cta[2] = {{own, SHARED, bytes}, {other, SHARED, bytes}};
    const struct tmaref_global_memory memory = {region, region != NULL};
    const struct tmaref_cluster_memory cluster = {.cta = cta, .ctas = 2, .is_cluster = 1};
    const struct tmaref_memories memories = {&memory, &cluster};
    const struct tmaref_mbarrier_transaction announce = {.arrivals = 1,
                                                         .expect_bytes = (uint32_t)number(c, "expect", 0)};
    struct tmaref_piece piece = {0};
    enum tmaref_rule rule = TMAREF_RULE_OK;
    *word = tmaref_mbarrier_init(1);
    if (tmaref_operation_has_barrier(operation->kind)) rule = tmaref_mbarrier_transact(word, &announce);
    if (rule == TMAREF_RULE_OK) rule = tmaref_operation_run(operation, &memories, NULL, &piece, NULL);
    if (rule == TMAREF_RULE_OK && piece.complete_bytes > 0)
        tmaref_mbarrier_transact_remote(word,
                                        &(struct tmaref_mbarrier_transaction){.complete_bytes = piece.complete_bytes});
    return rule;
}

// Loads and stores through a map, tiled and im2col.
static const char *tensor(const json_t *asked, const json_t *c, json_t *result)
{
    const char *family = text(asked, "family"), *name = text(c, "operation");
    const int is_store = strstr(family, "store") != NULL, is_reduction = is_store && strcmp(name, "store") != 0;
    const int is_im2col = strcmp(text(c, "load_mode"), "im2col") == 0 || strcmp(family, "im2col_store") == 0;
    const struct tmaref_region of_load = {{arena, ARENA_BASE, sizeof arena}, 0};
    const struct tmaref_region of_store = {{global, STORE_GLOBAL, sizeof global}, 0};
    struct tmaref_operation operation = {
        .kind = !is_store      ? TMAREF_OPERATION_TENSOR_LOAD
                : is_reduction ? TMAREF_OPERATION_TENSOR_REDUCE
                               : TMAREF_OPERATION_TENSOR_STORE,
        .mode = is_im2col ? TMAREF_TENSORMAP_IM2COL : TMAREF_TENSORMAP_TILED,
        .dims = (int)number(c, "dims", 0),
        .shared = (uint32_t)number(c, "shared", 0),
        .op = is_reduction ? tmaref_reduce_op_find(name) : 0,
        .barrier = SHARED,
    };
    struct tmaref_tensormap_image image;
    uint64_t word;
    if (lacks(json_object_get(c, "map")) != NULL) return lacks(json_object_get(c, "map"));
    enum tmaref_rule rule = map_of(json_object_get(c, "map"), &image);
    if (!done(result, rule)) return NULL;
    tmaref_tensormap_decode(&image, &operation.map, NULL);
    numbers(c, "tensorCoords", operation.coord, 4), numbers(c, "im2colOffsets", operation.offset, 2);
    before(asked, "shared", own, SHARED), before(asked, "global", global, STORE_GLOBAL);
    if (!done(result, run(&operation, is_store ? &of_store : &of_load, is_store ? STORE_BYTES : LOAD_BYTES, c, &word)))
        return NULL;
    if (is_store) return answer(result, asked, "global", global, STORE_GLOBAL), NULL;
    answer(result, asked, "mbarrier", &word, SHARED), answer(result, asked, "shared", own, SHARED);
    return NULL;
}

static const char *bulk(const json_t *asked, const json_t *c, json_t *result)
{
    const char *form = text(c, "form"), *name = text(c, "operation"), *dot = strchr(name, '.');
    const int is_copy = dot == NULL, is_load = strncmp(form, "global_", 7) == 0;
    const int is_store = strcmp(form, "shared_to_global") == 0, is_value = strncmp(form, "registers", 9) == 0;
    const uint32_t rank = strstr(form, "_to_other") != NULL ? OTHER_CTA : 0;
    struct tmaref_operation operation = {
        .kind = is_load    ? TMAREF_OPERATION_BULK_LOAD
                : is_store ? (is_copy ? TMAREF_OPERATION_BULK_STORE : TMAREF_OPERATION_BULK_STORE_REDUCE)
                : is_value ? (is_copy ? TMAREF_OPERATION_ST_ASYNC : TMAREF_OPERATION_RED_ASYNC)
                           : (is_copy ? TMAREF_OPERATION_BULK_SEND : TMAREF_OPERATION_BULK_SEND_REDUCE),
        .from = number(c, "from", 0),
        .to = number(c, "to", 0) | rank,
        .size_bytes = (uint32_t)number(c, "size", 0),
        .barrier = SHARED | rank,
    };
    char op[8] = "";
    uint64_t word;
    uint8_t *destination = rank != 0 ? other : own;
    if (!is_copy) {
        memcpy(op, name, (size_t)(dot - name));
        const char *type = strrchr(name, '.') + 1; // bits of b32 and b64 are those of an unsigned number
        operation.op = tmaref_reduce_op_find(op);
        operation.dtype = tmaref_dtype_find(strcmp(type, "b32") == 0 ? "u32" : strcmp(type, "b64") == 0 ? "u64" : type);
    }
    if (is_value) before(asked, "source", (uint8_t *)operation.value, 0);
    if (!is_load && !is_value) before(asked, "source", own, SHARED);
    before(asked, "shared", destination, SHARED);
    const uint64_t mapped = before(asked, "global", global, BULK_GLOBAL);
    const struct tmaref_region of_load = {{arena, ARENA_BASE, sizeof arena}, 0};
    const struct tmaref_region of_store = {{global, BULK_GLOBAL, mapped}, 0};
    const struct tmaref_region *region = is_load ? &of_load : is_store && mapped > 0 ? &of_store : NULL;
    if (!done(result, run(&operation, region, BULK_BYTES, c, &word))) return NULL;
    if (is_store) return answer(result, asked, "global", global, BULK_GLOBAL), NULL;
    answer(result, asked, "mbarrier", &word, SHARED), answer(result, asked, "shared", destination, SHARED);
    return NULL;
}

// --- Lines -----------------------------------------------------------------------------------------------------------

static json_t *answer_of(const json_t *asked)
{
    static const struct {
        const char *name;
        const char *(*run)(const json_t *asked, const json_t *c, json_t *result);
    } families[] = {{"encode", encode}, {"load", tensor},         {"im2col", tensor},
                    {"store", tensor},  {"im2col_store", tensor}, {"bulk", bulk}};
    const char *why = "no such family here";
    json_t *result = json_object();
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
        if (strcmp(text(asked, "family"), families[i].name) == 0)
            why = families[i].run(asked, json_object_get(asked, "case"), result);
    json_t *json = json_pack("{s:O}", "index", json_object_get(asked, "index"));
    if (why != NULL) json_object_set_new(json, "unsupported", json_string(why));
    if (why == NULL) json_object_set(json, "result", result);
    json_decref(result);
    return json;
}

int main(void)
{
    char *line = NULL;
    size_t room = 0;
    arena_fill(arena);
    for (ssize_t length; (length = getline(&line, &room, stdin)) > 0;) {
        json_t *asked = json_loadb(line, (size_t)length, 0, NULL);
        if (asked == NULL) return EXIT_FAILURE;
        json_t *json = answer_of(asked);
        json_dumpf(json, stdout, JSON_COMPACT);
        putchar('\n');
        fflush(stdout);
        json_decref(json), json_decref(asked);
    }
    free(line);
    return EXIT_SUCCESS;
}
