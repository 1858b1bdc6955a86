// SPDX-License-Identifier: MIT
// The suite `fault_lane`: both sides of a rule's limit, sources with a quota, and core dumps of a GPU, made by hand.
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "diff.h"
#include "edge.h"
#include "gpu.h"
#include "gpu_core.h"
#include "rule_most.h"
#include "rules/copy.h"
#include "rules/load.h"
#include "rules/shared.h"
#include "source.h"

// --- limits ----------------------------------------------------------------------------------------------------------

static void read_case(const char *family_name, const char *text, void *test_case)
{
    struct text why;
    const struct family *family = family_find(family_name);
    json_t *json = json_loads(text, 0, NULL);
    ck_assert_ptr_nonnull(json);
    ck_assert_msg(family_read(family, json, test_case, &why), "%s", why.at);
    json_decref(json);
}

static json_int_t number_of(const char *family_name, const void *test_case, const char *key)
{
    json_t *json = family_write(family_find(family_name), test_case);
    json_int_t number = json_integer_value(json_object_get(json, key));
    json_decref(json);
    return number;
}

static const struct {
    const char *why, *text, *key;
    json_int_t edge, near;
    enum rule rule;
} limits[] = {
    {"one step of 1 from alignment", "{\"operation\":\"load_shared\",\"cluster\":0,\"shared\":4097,\"seed\":1}",
     "shared", 4097, 4096, RULE_SHARED_ACCESS_ALIGN},
    {"the last word and the one behind it", "{\"operation\":\"load_shared\",\"cluster\":0,\"shared\":18432,\"seed\":1}",
     "shared", 17408, 17404, RULE_SHARED_ACCESS_BOUNDS},
    {"the upper bits go at once", "{\"operation\":\"load_shared\",\"cluster\":0,\"shared\":83890176,\"seed\":1}",
     "shared", 20975616, 4096, RULE_SHARED_ACCESS_WINDOW},
};

LOOP_TEST(edge_is_one_step_from_a_case_that_does_not_fault, 0, ROWS_OF(limits))
{
    const struct family *family = family_find("misuse");
    void *fatal = calloc(3, family->case_bytes), *edge = (char *)fatal + family->case_bytes,
         *near = (char *)edge + family->case_bytes;
    read_case("misuse", limits[_i].text, fatal);
    ck_assert_int_eq(family_rule(family, fatal), limits[_i].rule);
    ck_assert_msg(edge_find(family, fatal, family_rule(family, fatal), edge, near), "%s", limits[_i].why);
    ck_assert_int_eq(family_rule(family, edge), limits[_i].rule);
    ck_assert(!family_is_fatal(family_rule(family, near)));
    ck_assert_int_eq(number_of("misuse", near, limits[_i].key), limits[_i].near);
    ck_assert_int_eq(number_of("misuse", edge, limits[_i].key), limits[_i].edge);
    free(fatal);
}

// Where no step of one number helps, another case's number does, or a word.
static const struct {
    const char *why, *family, *text;
    enum rule rule;
} borrowed[] = {
    {"the prefetch that goes with the map", "misuse",
     "{\"operation\":\"prefetch_tile\",\"cluster\":0,\"global\":17592186044416,\"map\":\"column\",\"dims\":3,"
     "\"tensorCoords\":[0,0,0],\"offset\":0,\"seed\":1}",
     RULE_LOAD_MODE},
    {"an address of another case", "misuse",
     "{\"operation\":\"copy_map\",\"cluster\":0,\"shared\":4232,\"global\":17592221671424,\"seed\":1}",
     RULE_COPY_MAP_UNMAPPED},
};

static int differences(const struct family *family, const void *one, const void *other)
{
    json_t *a = family_write(family, one), *b = family_write(family, other), *value;
    const char *name;
    int count = 0;
    json_object_foreach(a, name, value) count += !json_equal(value, json_object_get(b, name));
    json_decref(a);
    json_decref(b);
    return count;
}

LOOP_TEST(edge_borrows_one_value_of_another_case, 0, ROWS_OF(borrowed))
{
    const struct family *family = family_find(borrowed[_i].family);
    void *fatal = calloc(3, family->case_bytes), *edge = (char *)fatal + family->case_bytes,
         *near = (char *)edge + family->case_bytes;
    read_case(borrowed[_i].family, borrowed[_i].text, fatal);
    ck_assert_int_eq(family_rule(family, fatal), borrowed[_i].rule);
    ck_assert_msg(edge_find(family, fatal, family_rule(family, fatal), edge, near), "%s", borrowed[_i].why);
    ck_assert_int_eq(family_rule(family, edge), borrowed[_i].rule);
    ck_assert(!family_is_fatal(family_rule(family, near)));
    ck_assert_int_eq(differences(family, edge, near), 1);
    free(fatal);
}

TEST(quota_gives_what_it_has_when_the_time_is_up)
{
    static struct fill fill;
    struct quota quota = {.each = 3};
    struct source source = {.family = family_find("load"), .seed = 1, .end = 20000, .quota = &quota, .until = 1};
    struct batch batch;
    struct text why;
    ck_assert(batch_open(&batch, source.family));
    ck_assert_int_eq(source_fill(&source, &batch, &fill, &why), 0);
    ck_assert_uint_eq(source_left(&source), 20000);
    source_close(&source);
    batch_close(&batch);
}

TEST(source_counts_the_lines_that_are_left)
{
    char lines[] = "{}\n \n{}\n{}";
    struct source source = {.family = family_find("load"), .lines = lines, .end = UINT64_MAX};
    ck_assert_uint_eq(source_left(&source), 3);
    source.end = 2;
    ck_assert_uint_eq(source_left(&source), 2);
}

TEST(quota_takes_so_many_of_each_rule_and_their_neighbours)
{
    static struct fill fill;
    struct quota quota = {.each = 3};
    struct source source = {.family = family_find("load"), .seed = 1, .end = 20000, .quota = &quota};
    struct batch batch;
    struct text why;
    uint64_t taken = 0, near = 0;
    ck_assert(batch_open(&batch, source.family));
    ck_assert_int_gt(source_fill(&source, &batch, &fill, &why), 0);
    for (int i = 0; i < batch.count; i++) {
        enum rule rule = family_rule(source.family, batch_case(&batch, i));
        ck_assert_int_eq(family_is_fatal(rule), i >= fill.normal);
        ck_assert_int_eq(fill.near[i] != RULE_OK, i < fill.normal);
        near += fill.near[i] != RULE_OK;
    }
    for (int i = 0; i < rule_count(); i++) {
        ck_assert_uint_le(quota.taken[i], 3);
        taken += quota.taken[i];
    }
    ck_assert_uint_eq(quota.taken[RULE_LOAD_SMEM_ALIGN], 3);
    ck_assert_uint_eq(taken, (uint64_t)(batch.count - fill.normal));
    ck_assert_uint_eq(near, (uint64_t)fill.normal);
    source_close(&source);
    batch_close(&batch);
}

// Loads of which each kills its process.
static void generate_fault(struct random *random, void *test_case)
{
    const struct family *family = family_find("load");
    do family->generate(random, test_case);
    while (!family_is_fatal(family_rule(family, test_case)));
}

// What the batches hold, whatever the number of threads: several rounds of cases, and more than one batch.
TEST(quota_gives_the_same_to_any_number_of_threads)
{
    static struct fill fill;
    struct family family = *family_find("load");
    uint64_t cases[2] = {0}, sums[2] = {0};
    int batches = 0;
    family.generate = generate_fault;
    for (int run = 0; run < 2; run++) {
        struct quota quota = {.each = UINT64_MAX};
        struct source source = {.family = &family, .seed = 3, .end = 2200, .quota = &quota, .jobs = run == 0 ? 0 : 5};
        struct batch batch;
        struct text why;
        ck_assert(batch_open(&batch, source.family));
        for (batches = 0; source_fill(&source, &batch, &fill, &why) > 0; batches++)
            for (int i = 0; i < batch.count; i++, cases[run]++)
                sums[run] = sums[run] * 31 + fill.index[i] * RULE_MOST + (uint64_t)batch_rule(&batch, i);
        ck_assert_uint_eq(source_left(&source), 0);
        source_close(&source);
        batch_close(&batch);
    }
    ck_assert_int_ge(batches, 2);
    ck_assert_uint_eq(cases[0], cases[1]);
    ck_assert_uint_eq(sums[0], sums[1]);
}

// --- core dumps ------------------------------------------------------------------------------------------------------

enum { CTA_BYTES = 56, WARP_BYTES = 64, LANE_BYTES = 48, LANES = 2, SECTIONS = 4, CTA_TABLE = 13, WARP_TABLE = 14 };

// One SM, number 7, with CTA 41 on it, whose second warp has an exception in its second lane.
struct dump {
    Elf64_Ehdr header;
    Elf64_Shdr section[SECTIONS]; // 0: none; CTAs; warps; lanes of warp 1
    uint8_t cta[CTA_BYTES], warp[2][WARP_BYTES], lane[LANES][LANE_BYTES];
};

static void add_table(struct dump *dump, int i, unsigned type, const void *rows, size_t row_bytes, size_t count)
{
    dump->section[i] = (Elf64_Shdr){.sh_type = SHT_LOUSER + type,
                                    .sh_offset = (uint64_t)((const char *)rows - (const char *)dump),
                                    .sh_size = row_bytes * count,
                                    .sh_entsize = row_bytes};
}

static void save_dump(const char *path, uint32_t exception, size_t size_bytes)
{
    static struct dump dump;
    const uint32_t block = 41, has_place = 1;
    dump = (struct dump){
        .header = {.e_shoff = offsetof(struct dump, section), .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = SECTIONS}};
    memcpy(dump.header.e_ident, (const char[]){ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB}, 6);
    add_table(&dump, 1, CTA_TABLE, dump.cta, CTA_BYTES, 1);
    add_table(&dump, 2, WARP_TABLE, dump.warp, WARP_BYTES, 2);
    add_table(&dump, 3, 15, dump.lane, LANE_BYTES, LANES);
    dump.section[1].sh_info = 7;
    dump.section[2].sh_link = 1;
    dump.section[3].sh_link = 2;
    dump.section[3].sh_info = 1;
    memcpy(dump.cta + 8, &block, sizeof block);
    memcpy(dump.warp[1] + 24, &has_place, sizeof has_place);
    memcpy(dump.lane[1] + 32, &exception, sizeof exception);
    FILE *file = fopen(path, "wb");
    ck_assert_uint_eq(fwrite(&dump, 1, size_bytes, file), size_bytes);
    fclose(file);
}

static void keep_warp(void *to, const struct gpu_core_warp *warp)
{
    *(struct gpu_core_warp *)to = *warp;
}

TEST(dump_tells_of_the_warp_with_an_exception)
{
    char path[] = "/tmp/tmaref-dump-XXXXXX";
    struct gpu_core_warp warp = {0};
    close(mkstemp(path));
    save_dump(path, 6, sizeof(struct dump));
    ck_assert(gpu_core_read(path, keep_warp, &warp));
    ck_assert_uint_eq(warp.sm, 7);
    ck_assert_uint_eq(warp.block, 41);
    ck_assert_uint_eq(warp.exception, 6);
    ck_assert_uint_ne(warp.has_place, 0);
    save_dump(path, 6, offsetof(struct dump, warp)); // cut short: no warp can be read
    warp.block = 0;
    gpu_core_read(path, keep_warp, &warp);
    ck_assert_uint_eq(warp.block, 0);
    save_dump(path, 6, 20);
    ck_assert(!gpu_core_read(path, keep_warp, &warp));
    unlink(path);
    ck_assert(!gpu_core_read(path, keep_warp, &warp));
}

TEST(exceptions_stand_for_one_cuda_error_or_two)
{
    static const struct {
        uint32_t exception;
        int error, other;
    } rows[] = {{4, 715, 719}, {5, 700, 719}, {6, 716, 0}, {14, 700, 0},
                {17, 719, 0},  {18, 719, 0},  {2, 0, 0},   {99, 0, 0}};
    for (int i = 0; i < ROWS_OF(rows); i++) {
        int other = -1;
        ck_assert_int_eq(gpu_core_error(rows[i].exception, &other), rows[i].error);
        ck_assert_int_eq(other, rows[i].other);
    }
}

// --- how often the model runs ----------------------------------------------------------------------------------------

static struct family counting; // load, and model_runs counts
static int model_runs;

static enum rule run_counted(const void *test_case, struct result *result)
{
    model_runs++;
    return family_find("load")->run_model(test_case, result);
}

static int other_open(struct batch *batch, struct text *why)
{
    (void)batch, (void)why;
    return 1;
}

// Another machine that does what the model says, and is not the model.
static int other_run(struct batch *batch, int first, int count, struct text *why)
{
    (void)why;
    for (int i = first; i < first + count; i++)
        family_run_model(family_find("load"), batch_case(batch, i), &batch->results[i]);
    return 1;
}

static int other_run_apart(struct batch *batch, int first, int count, struct apart *apart, struct text *why)
{
    (void)apart;
    return other_run(batch, first, count, why);
}

static void other_close(void)
{
}

static const struct executor other = {
    .name = "other", .open = other_open, .run = other_run, .run_apart = other_run_apart, .close = other_close};

LOOP_TEST(diff_runs_the_model_once_for_each_case, 0, 2)
{
    const struct diff_limits most = {.faults = UINT64_MAX, .alone = UINT64_MAX, .sure = 3};
    struct tally tally;
    struct text why = {""};
    counting = *family_find("load");
    counting.run_model = run_counted;
    struct source source = {.family = &counting, .seed = 5, .end = 2000};
    model_runs = 0;
    const struct executor *first = _i == 0 ? &executor_model : &other, *second = _i == 0 ? &other : &executor_model;
    ck_assert_msg(diff_run(&source, first, second, &most, stdout, &tally, &why), "%s", why.at);
    ck_assert_uint_eq(tally.cases, 2000);
    ck_assert_uint_eq(tally.mismatches, 0);
    ck_assert_uint_gt(tally.faults, 0);
    ck_assert_int_eq(model_runs, 2000);
}

// --- as many processors as there are ------------------------------------------------------------------------------------

// Another machine that leaves one bit wrong in every fifth case.
static int wrong_run(struct batch *batch, int first, int count, struct text *why)
{
    other_run(batch, first, count, why);
    for (int i = first; i < first + count; i++)
        if (i % 5 == 0 && batch->results[i].windows > 0) batch->results[i].window[0].bytes[0] ^= 1;
    return 1;
}

static const struct executor wrong = {
    .name = "wrong", .open = other_open, .run = wrong_run, .run_apart = other_run_apart, .close = other_close};

// What a diff of `jobs` threads prints of 6000 cases, more than a batch, which the caller frees; and its tally.
static char *told_by_jobs(int jobs, struct tally *tally)
{
    const struct diff_limits most = {.faults = 40, .alone = UINT64_MAX, .printed = 30};
    struct source source = {.family = family_find("load"), .seed = 11, .end = 6000, .jobs = jobs};
    struct text why = {""};
    char *told = NULL;
    size_t size_bytes;
    FILE *out = open_memstream(&told, &size_bytes);
    ck_assert_msg(diff_run(&source, &executor_model, &wrong, &most, out, tally, &why), "%s", why.at);
    fclose(out);
    tally->seconds = 0;
    return told;
}

TEST(diff_tells_the_same_on_any_number_of_processors)
{
    struct tally one, three;
    char *told_by_one = told_by_jobs(1, &one), *told_by_three = told_by_jobs(3, &three);
    ck_assert_str_eq(told_by_three, told_by_one);
    ck_assert_mem_eq(&three, &one, sizeof one);
    ck_assert_uint_gt(one.mismatches, 30);
    ck_assert_uint_eq(one.faults, 40);
    free(told_by_one);
    free(told_by_three);
}

// --- launches --------------------------------------------------------------------------------------------------------

static unsigned launched_ctas;
static int heard_jobs;

static enum cuda_result any_function(struct CUfunc_st **function, struct CUmod_st *module, const char *name)
{
    (void)function, (void)module, (void)name;
    return CUDA_SUCCESS;
}

static enum cuda_result note_launch(const struct cuda_launch_config *config, struct CUfunc_st *function,
                                    void **parameters, void **extra)
{
    (void)function, (void)extra;
    launched_ctas = config->grid_x;
    memcpy(&heard_jobs, parameters[0], sizeof heard_jobs);
    return CUDA_SUCCESS;
}

// A case that does not fault must not hide behind the fault of the next one of its CTA.
static const struct {
    const char *why, *core;
    unsigned cluster, grid;
    int jobs, heard;
    unsigned ctas;
} launches[] = {
    {"no dump is wanted: the CTAs take the jobs in turn", NULL, 0, 10, 25, 25, 10},
    {"a dump is wanted: one job for each CTA", "core", 0, 10, 25, 10, 10},
    {"as many CTAs as SMs", "core", 0, 20, 25, 10, 10},
    {"one job for each cluster, whole clusters alone", "core", 4, 40, 25, 2, 8},
    {"fewer jobs than CTAs", "core", 2, 6, 3, 3, 6},
};

LOOP_TEST(launch_that_wants_a_dump_gives_each_cta_one_job, 0, ROWS_OF(launches))
{
    int jobs = launches[_i].jobs;
    void *arguments[] = {&jobs};
    struct gpu gpu = {.core = launches[_i].core, .processors = 10, .module = {{.name = "load"}}};
    gpu.module[0].module = (struct CUmod_st *)&gpu; // loaded
    gpu.driver.cuModuleGetFunction = any_function;
    gpu.driver.cuLaunchKernelEx = note_launch;
    const struct gpu_launch launch = {.module = "load",
                                      .kernel = "load_jobs",
                                      .grid = launches[_i].grid,
                                      .block = 32,
                                      .cluster = launches[_i].cluster,
                                      .jobs = &jobs,
                                      .arguments = arguments};
    ck_assert_int_eq(gpu_start(&gpu, &launch), CUDA_SUCCESS);
    ck_assert_msg(heard_jobs == launches[_i].heard, "%s: %d jobs", launches[_i].why, heard_jobs);
    ck_assert_msg(launched_ctas == launches[_i].ctas, "%s: %u CTAs", launches[_i].why, launched_ctas);
    ck_assert_int_eq(gpu.launched.jobs, heard_jobs);
}
