// SPDX-License-Identifier: MIT
// The suite `harness`: what every command stands on: the generators and the arena as they are on every machine, where
// an element lies, sources of cases, the model's executor, manifests and saved files. Traces have the suite `trace`,
// the JSON reader `json`, the gpu executor tests/executor.
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "arena.h"
#include "files.h"
#include "load_case.h"
#include "manifest.h"
#include "provenance.h"
#include "source.h"
#include "swizzle.h"

// --- the same on every machine -----------------------------------------------------------------------------------

enum { CASES = 1000, RUN_CASES = 200, BATCH_OF = 50, SEED = 1 };
#define RANDOM_FIRST UINT64_C(0x108c40ea43b9a2d8)
#define ARENA_DIGEST UINT64_C(0xf035724866297d47)

static const struct {
    const char *family;
    uint64_t digest;
} first_cases[] = {
#define FAMILY(name, live, likely, first) {#name, first},
#include "families.def"
#undef FAMILY
};

static uint64_t digest_of_cases(const struct family *family)
{
    XXH3_state_t *state = XXH3_createState();
    void *test_case = malloc(family->case_bytes);
    XXH3_64bits_reset(state);
    for (uint64_t i = 0; i < CASES; i++) {
        struct random random = random_for(SEED, i);
        family_generate(family, &random, test_case);
        json_t *json = family_write(family, test_case);
        char *line = json_dumps(json, JSON_COMPACT);
        XXH3_64bits_update(state, line, strlen(line));
        free(line);
        json_decref(json);
    }
    uint64_t digest = XXH3_64bits_digest(state);
    free(test_case);
    XXH3_freeState(state);
    return digest;
}

LOOP_TEST(first_cases_of_a_seed_are_fixed, 0, ROWS_OF(first_cases))
{
    uint64_t digest = digest_of_cases(family_find(first_cases[_i].family));
    ck_assert_msg(digest == first_cases[_i].digest,
                  "family %s: 0x%016llx; if its cases were changed on purpose, write that into "
                  "harness/family/families.def",
                  first_cases[_i].family, (unsigned long long)digest);
}

TEST(random_numbers_are_fixed_and_in_range)
{
    struct random random = random_for(1, 0);
    ck_assert_uint_eq(random_u64(&random), RANDOM_FIRST);
    for (int i = 0; i < 10000; i++) {
        int64_t value = random_range(&random, -3, 3);
        ck_assert(value >= -3 && value <= 3);
        ck_assert_uint_lt(random_below(&random, 7), 7);
    }
    ck_assert_int_eq(random_chance(&random, 0), 0);
    ck_assert_int_eq(random_chance(&random, 100), 1);
    ck_assert_int_eq(random_range(&random, INT64_MAX, INT64_MAX), INT64_MAX);
}

static int compare_words(const void *a, const void *b)
{
    uint64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return x < y ? -1 : x > y;
}

// Every word of the lower half is found where it is, and no two are equal.
TEST(arena_words_are_distinct_and_found)
{
    const struct memory *memory = arena();
    uint64_t distinct = ARENA_BYTES - ARENA_SPECIAL_BYTES, *words = malloc(distinct);
    memcpy(words, memory->bytes, distinct);
    for (uint64_t i = 0; i < distinct / 8; i++) ck_assert_int_eq(arena_find(words[i]), (int64_t)(8 * i));
    qsort(words, distinct / 8, sizeof *words, compare_words);
    for (uint64_t i = 1; i < distinct / 8; i++) ck_assert_uint_ne(words[i - 1], words[i]);
    free(words);
    ck_assert_int_eq(arena_find(0), -1);
    ck_assert_int_eq(arena_find(UINT64_MAX), -1);
    ck_assert_uint_eq(XXH3_64bits(memory->bytes, ARENA_BYTES), ARENA_DIGEST);
}

// --- where an element lies ---------------------------------------------------------------------------------------

// The byte at `address`: the element that it is of must lie there, and hold what the load put there.
static void check_byte(const struct load_case *c, const struct box *box, uint32_t address, uint8_t found)
{
    const struct tensormap *map = box->tile.map;
    struct provenance at, element;
    if (!provenance_of_shared(box, c->coord, c->shared, address, &at)) return;
    ck_assert_uint_eq(at.shared, address);
    ck_assert(provenance_of_element(box, c->coord, c->shared, at.index, &element));
    uint32_t flat = swizzle_apply(map->swizzle, element.shared) + at.byte;
    ck_assert_uint_eq(swizzle_apply(map->swizzle, flat), address);
    ck_assert_int_eq(element.is_fill, at.is_fill);
    if (at.is_fill || dtype_row(map->dtype)->is_tf32) return;
    ck_assert_uint_eq(element.address + at.byte, at.address);
    ck_assert_uint_eq(*memory_at(arena(), at.address, 1), found);
}

TEST(provenance_agrees_with_itself_and_the_load)
{
    static uint8_t bytes[1 << 20];
    int loads = 0;
    for (uint64_t i = 0; i < 400; i++) {
        struct random random = random_for(SEED, i);
        struct load_case c;
        struct result result = result_at(bytes);
        family_generate(family_find("load"), &random, &c);
        family_run_model(family_find("load"), &c, &result);
        if (result.status != 0) continue;
        struct tensormap_image image;
        struct tensormap map;
        ck_assert_int_eq(map_args_encode(&c.map, &image, NULL), RULE_OK);
        tensormap_decode(&image, &map, NULL);
        struct box box;
        box_start(&box, TENSORMAP_TILED, &map, c.coord, NULL);
        const struct window *window = &result.window[1];
        for (int j = 0; j < 20; j++) {
            uint32_t offset = (uint32_t)random_below(&random, window->size_bytes);
            check_byte(&c, &box, (uint32_t)window->base + offset, window->bytes[offset]);
        }
        loads++;
    }
    ck_assert_int_gt(loads, 100);
}

// The same of a column, whose pixels may hold an element more than once: the first of them.
static void check_column_byte(const struct load_case *c, const struct box *box, uint32_t address, uint8_t found)
{
    const struct tensormap *map = box->column.map;
    struct provenance at, element;
    if (!provenance_of_shared(box, c->coord, c->shared, address, &at)) return;
    ck_assert_uint_eq(at.shared, address);
    ck_assert(provenance_of_element(box, c->coord, c->shared, at.index, &element));
    ck_assert_uint_le(element.pixel, at.pixel);
    ck_assert_int_eq(element.is_fill, at.is_fill);
    ck_assert_mem_eq(element.index, at.index, (size_t)map->rank * sizeof at.index[0]);
    if (at.is_fill || dtype_row(map->dtype)->is_tf32) return;
    ck_assert_uint_eq(element.address + at.byte, at.address);
    ck_assert_uint_eq(*memory_at(arena(), at.address, 1), found);
}

TEST(provenance_agrees_with_itself_and_the_im2col_load)
{
    static uint8_t bytes[1 << 20];
    int loads = 0;
    for (uint64_t i = 0; i < 200; i++) {
        struct random random = random_for(SEED, i);
        struct load_case c;
        struct tensormap map;
        struct result result = result_at(bytes);
        family_generate(family_find("im2col"), &random, &c);
        family_run_model(family_find("im2col"), &c, &result);
        if (result.status != 0) continue;
        ck_assert(map_args_made(&c.map, &map));
        struct box box;
        box_start(&box, TENSORMAP_IM2COL, &map, c.coord, c.offset);
        const struct window *window = &result.window[1];
        for (int j = 0; j < 20; j++) {
            uint32_t offset = (uint32_t)random_below(&random, window->size_bytes);
            check_column_byte(&c, &box, (uint32_t)window->base + offset, window->bytes[offset]);
        }
        loads++;
    }
    ck_assert_int_gt(loads, 100);
}

// --- sources and the model's executor ----------------------------------------------------------------------------

// How many cases to run on the model: few of those that are a million products each.
static int few_cases(const struct family *family, int cases)
{
    return strncmp(family->name, "gemm", 4) == 0 ? cases / 50 : cases;
}

// Normal cases first, then the fatal ones; each case once, and the one that its number says.
LOOP_TEST(source_fill_partitions, 0, ROWS_OF(first_cases))
{
    const struct family *family = family_find(first_cases[_i].family);
    const int cases = few_cases(family, RUN_CASES);
    struct source source = {.family = family, .seed = SEED, .next = 5, .end = 5 + (uint64_t)cases};
    static struct fill fill;
    struct batch batch;
    struct text why;
    char seen[RUN_CASES] = {0};
    void *expected = malloc(family->case_bytes);
    ck_assert(batch_open(&batch, family));
    ck_assert_int_eq(source_fill(&source, &batch, &fill, &why), cases);
    for (int i = 0; i < cases; i++) {
        uint64_t index = fill.index[i];
        struct random random = random_for(SEED, index);
        ck_assert(index >= 5 && index < source.end && seen[index - 5]++ == 0);
        family_generate(family, &random, expected);
        ck_assert_mem_eq(expected, batch_case(&batch, i), family->case_bytes);
        ck_assert_int_eq(family_is_fatal(family_rule(family, expected)), i >= fill.normal);
    }
    ck_assert_int_eq(source_fill(&source, &batch, &fill, &why), 0);
    batch_close(&batch);
    free(expected);
}

TEST(source_lines)
{
    char lines[] = "\n{\"ops\":[{\"op\":\"inval\"}]}\r\n  \n{\"ops\":[{\"op\":\"inval\"}]}\n{\"ops\":7}\n";
    struct source source = {.family = family_find("mbarrier"), .lines = lines, .end = UINT64_MAX};
    void *test_case = malloc(source.family->case_bytes);
    struct text why;
    uint64_t index;
    ck_assert_int_eq(source_next(&source, test_case, &index, &why), 1);
    ck_assert_uint_eq(index, 2);
    ck_assert_int_eq(source_next(&source, test_case, &index, &why), 1);
    ck_assert_uint_eq(index, 4);
    ck_assert_int_eq(source_next(&source, test_case, &index, &why), -1);
    ck_assert_str_eq(why.at, "line 5: mbarrier case: \"ops\" is an array of 1 to 16 objects");
    ck_assert_int_eq(source_next(&source, test_case, &index, &why), 0);
    free(test_case);
}

// A batch gives what run_model() gives, and no two results share bytes.
LOOP_TEST(executor_model_runs_a_batch, 0, ROWS_OF(first_cases))
{
    const struct family *family = family_find(first_cases[_i].family);
    const int cases = few_cases(family, BATCH_OF);
    struct source source = {.family = family, .seed = SEED, .end = (uint64_t)cases};
    static struct fill fill;
    struct batch batch;
    struct text why;
    uint8_t *bytes = malloc(BATCH_BYTES), *end;
    ck_assert(batch_open(&batch, family) && executor_model.open(&batch, &why));
    ck_assert_int_eq(source_fill(&source, &batch, &fill, &why), cases);
    batch_prepare(&batch);
    ck_assert(executor_model.run(&batch, 0, cases, &why));
    end = batch.bytes;
    for (int i = 0; i < cases; i++) {
        struct result alone = result_at(bytes), *result = &batch.results[i];
        ck_assert(result->first_bytes >= end);
        end = result->free_bytes;
        ck_assert_uint_le((size_t)(end - result->first_bytes), family_result_bytes(family, batch_case(&batch, i)));
        family_run_model(family, batch_case(&batch, i), &alone);
        ck_assert_int_eq(alone.status, result->status);
        ck_assert_int_eq(alone.windows, result->windows);
        for (int w = 0; w < alone.windows; w++)
            ck_assert_mem_eq(alone.window[w].bytes, result->window[w].bytes, alone.window[w].size_bytes);
    }
    executor_model.close();
    batch_close(&batch);
    free(bytes);
}

// A family whose cases are the bytes of their results: what a batch takes in, and where the results lie.
static void window_asked(const void *test_case, struct result *result)
{
    result_window(result, "asked", 0, (uint32_t) * (const size_t *)test_case);
}

static int runs;

static enum rule count_run(const void *test_case, struct result *result)
{
    (void)test_case, (void)result, runs++;
    return RULE_OK;
}

static void generate_large(struct random *random, void *test_case)
{
    *(size_t *)test_case = random_chance(random, 25) ? BATCH_BYTES : random_below(random, BATCH_BYTES / 2);
}

static const struct family large = {
    .name = "large",
    .case_bytes = sizeof(size_t),
    .windows = window_asked,
    .run_model = count_run,
    .generate = generate_large,
};

// No result begins before the end of another or ends past the room, however large they are and however they are mixed.
TEST(batch_has_room_for_all_that_it_took)
{
    struct source source = {.family = &large, .seed = SEED, .end = 500};
    static struct fill fill;
    struct batch batch;
    struct text why;
    int cases = 0, most = 0;
    ck_assert(batch_open(&batch, &large));
    for (int count; (count = source_fill(&source, &batch, &fill, &why)) > 0; cases += count) {
        uint8_t *end = batch.bytes;
        batch_prepare_for(&batch, &executor_model);
        ck_assert(executor_model.run(&batch, 0, count, &why));
        batch_prepare(&batch);
        for (int i = 0; i < count; i++) {
            ck_assert(batch.results[i].first_bytes >= end);
            end = batch.results[i].first_bytes + family_result_bytes(&large, batch_case(&batch, i));
        }
        ck_assert(end <= batch.bytes + BATCH_ROOM);
        if (end > batch.bytes + BATCH_BYTES) most++;
    }
    ck_assert_int_eq(cases, 500);
    ck_assert_int_eq(runs, 500); // the model runs a case once: when its rule is asked for
    ck_assert_int_gt(most, 50);  // batches that one more case of the greatest size would not fit
    batch_close(&batch);
}

TEST(batch_refuses_a_result_of_more_than_it_holds)
{
    struct batch batch;
    struct text why;
    ck_assert(batch_open(&batch, &large));
    *(size_t *)batch_case(&batch, 0) = BATCH_BYTES + 1;
    ck_assert_int_eq(batch_add(&batch, &why), 0);
    ck_assert_str_eq(why.at, "the result of this case needs 268435712 bytes: at most 268435456 fit");
    ck_assert_int_eq(batch.count, 0);
    *(size_t *)batch_case(&batch, 0) = BATCH_BYTES;
    ck_assert(!batch_is_full(&batch) && batch_add(&batch, &why) && batch_is_full(&batch));
    batch_close(&batch);
}

// --- files -------------------------------------------------------------------------------------------------------

// A folder of this test's own.
static char folder[64];

static void make_folder(void)
{
    strcpy(folder, "/tmp/tmaref-harness-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void remove_folder(void)
{
    char command[80];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
}

static void make_arena(void)
{
    arena_share(); // filled once, not again in every test's process
}

TEST_FILE(.seconds = 300, .once = make_arena, .before = make_folder, .after = remove_folder);

static const char *inside(const char *name)
{
    static char path[80];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void check_file(const char *name, const char *expected)
{
    struct text why = {""};
    size_t size_bytes;
    char *text = read_file(inside(name), 1 << 20, &size_bytes, &why);
    ck_assert_msg(text != NULL, "%s", why.at);
    ck_assert_str_eq(text, expected);
    free(text);
}

TEST(save_file_replaces_or_leaves)
{
    struct text why = {""};
    ck_assert_msg(save_file(inside("a"), "one", 3, &why), "%s", why.at);
    ck_assert_msg(save_file(inside("a"), "two", 3, &why), "%s", why.at);
    check_file("a", "two");
    ck_assert(!save_file(folder, "x", 1, &why));
    ck_assert_ptr_nonnull(strstr(why.at, "directory"));
    ck_assert(!save_file(inside("none/a"), "x", 1, &why));
    ck_assert_ptr_nonnull(strstr(why.at, "No such file"));
    ck_assert(!save_file("/dev/full", "x", 1, &why));
    ck_assert_ptr_nonnull(strstr(why.at, "No space left"));
}

TEST(read_file_complains_with_the_path)
{
    struct text why = {""};
    size_t size_bytes;
    ck_assert_ptr_null(read_file(inside("none"), 10, &size_bytes, &why));
    ck_assert_ptr_nonnull(strstr(why.at, "none: No such file"));
    ck_assert_ptr_null(read_file(folder, 10, &size_bytes, &why));
    ck_assert_ptr_nonnull(strstr(why.at, "Is a directory"));
    ck_assert(save_file(inside("a"), "12345678901", 11, &why));
    ck_assert_ptr_null(read_file(inside("a"), 10, &size_bytes, &why));
    ck_assert_ptr_nonnull(strstr(why.at, "a: too large"));
}

#define TITLE "# trace\tfamily\tcases\trecorded on\ttoolkit\tkernel digest\tdate\tseed\n"

TEST(manifest_replaces_and_keeps)
{
    struct text why = {""};
    struct trace_header header = {.family = family_find("load"),
                                  .device = "D",
                                  .toolkit = "T",
                                  .kernel = "K",
                                  .date = "2026-01-02",
                                  .seed = 3,
                                  .cases = 4};
    ck_assert_msg(manifest_update(inside("a.jsonl"), &header, &why), "%s", why.at);
    ck_assert(manifest_update(inside("a.jsonl.zst"), &header, &why));
    check_file("MANIFEST", TITLE "a.jsonl\tload\t4\tD\tT\tK\t2026-01-02\t3\n"
                                 "a.jsonl.zst\tload\t4\tD\tT\tK\t2026-01-02\t3\n");
    header.cases = 5;
    ck_assert(manifest_update(inside("a.jsonl"), &header, &why));
    check_file("MANIFEST", TITLE "a.jsonl.zst\tload\t4\tD\tT\tK\t2026-01-02\t3\n"
                                 "a.jsonl\tload\t5\tD\tT\tK\t2026-01-02\t3\n");
}

// A last line without an end gets one; a manifest that cannot be read is not replaced.
TEST(manifest_loses_nothing)
{
    struct text why = {""};
    struct trace_header header = {.family = family_find("load")};
    ck_assert(save_file(inside("MANIFEST"), "other\tx", 7, &why));
    ck_assert(manifest_update(inside("a"), &header, &why));
    check_file("MANIFEST", TITLE "other\tx\na\tload\t0\t\t\t\t\t0\n");
    ck_assert_int_eq(unlink(inside("MANIFEST")), 0);
    ck_assert_int_eq(mkdir(inside("MANIFEST"), 0777), 0);
    ck_assert(!manifest_update(inside("a"), &header, &why));
    ck_assert_ptr_nonnull(strstr(why.at, "MANIFEST: Is a directory"));
}
