// SPDX-License-Identifier: MIT
// The suite `cp_async`: what cp.async reads and writes, and its faults in the order of the hardware. The vectors are
// what an H200 was seen to do; the mutants are wrong readings that they must tell from it.
#include <string.h>

#include "cp_async.h"
#include "rules/cp.h"
#include "vectors.h"

enum { SMEM_BASE = 0x400, SMEM_BYTES = 1024, SMEM_END = SMEM_BASE + SMEM_BYTES, GMEM_BYTES = 256, WINDOW = 1 << 24 };
#define GMEM_BASE ((uint64_t)1 << 40)
#define GMEM_END  (GMEM_BASE + GMEM_BYTES)

// --- what is read ----------------------------------------------------------------------------------------------------

// `bytes` bytes from `start`, the source at offset `at`, both counted from GMEM_BASE + 64.
static const struct {
    const char *why;
    enum cp_async_form form;
    uint32_t size_bytes, operand;
    int at, start;
    uint32_t bytes;
} reads[] = {
    {"all 4", CP_ASYNC_WHOLE, 4, 0, 0, 0, 4},
    {"all 16", CP_ASYNC_WHOLE, 16, 0, 16, 16, 16},
    {"src-size 16 of 16", CP_ASYNC_SRC_SIZE, 16, 16, 0, 0, 16},
    {"src-size 1 of 4", CP_ASYNC_SRC_SIZE, 4, 1, 0, 0, 1},
    {"src-size 7 of 8", CP_ASYNC_SRC_SIZE, 8, 7, 8, 8, 7},
    {"src-size 5 of 16", CP_ASYNC_SRC_SIZE, 16, 5, 0, 0, 5},
    {"src-size 0", CP_ASYNC_SRC_SIZE, 16, 0, 0, 0, 0},
    {"src-size 0, misaligned", CP_ASYNC_SRC_SIZE, 4, 0, 3, 0, 0},
    {"src-size 5 of 4 is 1", CP_ASYNC_SRC_SIZE, 4, 5, 0, 0, 1},
    {"src-size 12 of 8 is 4", CP_ASYNC_SRC_SIZE, 8, 12, 0, 0, 4},
    {"src-size 17 of 16 is 1", CP_ASYNC_SRC_SIZE, 16, 17, 0, 0, 1},
    {"src-size 32 of 16 is 16", CP_ASYNC_SRC_SIZE, 16, 32, 0, 0, 16},
    {"src-size 2^31 of 16 is 16", CP_ASYNC_SRC_SIZE, 16, 1u << 31, 0, 0, 16},
    {"src-size 2^32 - 1 of 16 is 15", CP_ASYNC_SRC_SIZE, 16, UINT32_MAX, 0, 0, 15},
    {"2 bytes too far: 2 bytes fewer", CP_ASYNC_SRC_SIZE, 4, 4, 2, 0, 2},
    {"misaligned, still in these 16", CP_ASYNC_SRC_SIZE, 16, 14, 1, 0, 13},
    {"misaligned, the next 4", CP_ASYNC_SRC_SIZE, 4, 1, 1, 4, 4},
    {"misaligned, 2 of the next 4", CP_ASYNC_SRC_SIZE, 4, 1, 3, 4, 2},
    {"misaligned, 8 of the next 16", CP_ASYNC_SRC_SIZE, 16, 5, 13, 16, 8},
    {"misaligned and too long", CP_ASYNC_SRC_SIZE, 8, 10, 7, 8, 3},
    {"ignore-src false", CP_ASYNC_IGNORE_SRC, 8, 0, 8, 8, 8},
    {"ignore-src true", CP_ASYNC_IGNORE_SRC, 8, 1, 8, 8, 0},
};

static struct cp_async read_copy(int i)
{
    return (struct cp_async){
        NULL,     NULL, reads[i].form, reads[i].size_bytes, reads[i].operand, GMEM_BASE + 64 + (uint64_t)reads[i].at,
        SMEM_BASE};
}

static int is_vector(int i, uint64_t start, uint32_t bytes)
{
    return bytes == reads[i].bytes && (bytes == 0 || start == GMEM_BASE + 64 + (uint64_t)reads[i].start);
}

static void check_reads(enum cp_async_form form)
{
    for (int i = 0; i < ROWS_OF(reads); i++) {
        uint64_t start;
        uint32_t bytes;
        struct cp_async copy = read_copy(i);
        if (copy.form != form) continue;
        cp_async_source(&copy, &start, &bytes);
        ck_assert_msg(is_vector(i, start, bytes), "%s: %u bytes from +%d", reads[i].why, bytes,
                      (int)(start - GMEM_BASE - 64));
    }
}

enum mutant { CLAMPED, OVERSIZE_IS_NOTHING, MODULO, ALIGNED_DOWN, AS_ADDRESSED, ADDED_BYTES, MUTANTS };

// Wrong readings of src-size and of misaligned sources.
static void mutant_source(enum mutant mutant, const struct cp_async *copy, uint64_t *start, uint32_t *bytes)
{
    uint32_t size = copy->size_bytes, asked = copy->form == CP_ASYNC_SRC_SIZE ? copy->operand : size;
    cp_async_source(copy, start, bytes);
    if (copy->form != CP_ASYNC_SRC_SIZE || asked == 0) return;
    uint64_t down = copy->from - copy->from % size;
    if (mutant == CLAMPED) *bytes = asked > size ? size : *bytes;
    if (mutant == OVERSIZE_IS_NOTHING) *bytes = asked > size ? 0 : *bytes;
    if (mutant == MODULO) *bytes = copy->from % size == 0 ? asked % size : *bytes;
    if (mutant == ALIGNED_DOWN) *start = down;
    if (mutant == AS_ADDRESSED) *start = copy->from;
    if (mutant == ADDED_BYTES) *bytes = (asked - 1) % size + 1;
}

LOOP_TEST(cp_async_source_tells_mutants, 0, MUTANTS)
{
    int noticed = 0;
    for (int i = 0; i < ROWS_OF(reads); i++) {
        uint64_t start;
        uint32_t bytes;
        struct cp_async copy = read_copy(i);
        mutant_source((enum mutant)_i, &copy, &start, &bytes);
        noticed += !is_vector(i, start, bytes);
    }
    ck_assert_msg(noticed > 0, "no vector tells mutant %d", _i);
}

TEST(cp_async_zero_fill__reads_src_size_bytes)
{
    check_reads(CP_ASYNC_WHOLE);
    check_reads(CP_ASYNC_SRC_SIZE);
}

TEST_CALL(cp_async_ignore_src__reads_nothing, check_reads(CP_ASYNC_IGNORE_SRC))

// --- the copy --------------------------------------------------------------------------------------------------------

struct bench {
    uint8_t shared[SMEM_BYTES], global[GMEM_BYTES];
    struct memory shared_memory, global_memory;
};

static struct cp_async set_up(struct bench *bench, struct cp_async copy)
{
    for (int i = 0; i < GMEM_BYTES; i++) bench->global[i] = (uint8_t)(i + 1);
    memset(bench->shared, 0xa5, sizeof bench->shared);
    bench->shared_memory = (struct memory){bench->shared, SMEM_BASE, SMEM_BYTES};
    bench->global_memory = (struct memory){bench->global, GMEM_BASE, GMEM_BYTES};
    copy.global = &bench->global_memory;
    copy.shared = &bench->shared_memory;
    return copy;
}

LOOP_TEST(cp_async_zero_fill__writes_cp_size_bytes, 0, ROWS_OF(reads))
{
    static struct bench bench, before;
    struct cp_async copy = read_copy(_i);
    copy.to = SMEM_BASE + 16;
    copy = set_up(&bench, copy);
    set_up(&before, copy);
    if (cp_async_copy(&copy, NULL) != RULE_OK) return; // a misaligned source without src-size
    for (uint32_t i = 0; i < copy.size_bytes; i++)
        before.shared[16 + i] = i < reads[_i].bytes ? before.global[64 + (uint32_t)reads[_i].start + i] : 0;
    ck_assert_mem_eq(bench.shared, before.shared, sizeof before.shared);
}

// --- rules -----------------------------------------------------------------------------------------------------------

#define R(id) RULE_CP_ASYNC_##id
#define ALL   CP_ASYNC_WHOLE
#define SOME  CP_ASYNC_SRC_SIZE
#define NONE  CP_ASYNC_IGNORE_SRC
#define PAST  GMEM_END

// What is broken, in the order of the hardware; the numbers are those of the finding of `about`.
static const struct vector {
    enum rule about;
    const char *why;
    struct cp_async copy;
    enum rule rules[4];
    uint64_t value, limit, nearest;
} vectors[] = {
    // clang-format off
    {R(SRC_SIZE), "17 of 16", {.form = SOME, .size_bytes = 16, .operand = 17, .from = GMEM_BASE, .to = 0x400}, {R(SRC_SIZE)}, 17, 16, 16},
    {R(SRC_SIZE), "5 of 4", {.form = SOME, .size_bytes = 4, .operand = 5, .from = GMEM_BASE, .to = 0x404}, {R(SRC_SIZE)}, 5, 4, 4},
    {R(SRC_SIZE), "16 of 16", {.form = SOME, .size_bytes = 16, .operand = 16, .from = GMEM_BASE, .to = 0x400}, {RULE_OK}, 0, 0, 0},
    {R(SRC_SIZE_ALIGN), "8 off", {.form = SOME, .size_bytes = 16, .operand = 16, .from = GMEM_BASE + 8, .to = 0x400}, {R(SRC_SIZE_ALIGN)}, GMEM_BASE + 8, 16, GMEM_BASE},
    {R(SRC_SIZE_ALIGN), "1 off, and too long", {.form = SOME, .size_bytes = 4, .operand = 6, .from = GMEM_BASE + 5, .to = 0x400}, {R(SRC_SIZE), R(SRC_SIZE_ALIGN)}, GMEM_BASE + 5, 4, GMEM_BASE + 4},
    {R(SRC_SIZE_ALIGN), "nothing is read", {.form = SOME, .size_bytes = 16, .operand = 0, .from = GMEM_BASE + 8, .to = 0x400}, {RULE_OK}, 0, 0, 0},
    {R(SRC_ALIGN), "2 off", {.form = ALL, .size_bytes = 4, .from = GMEM_BASE + 2, .to = 0x400}, {R(SRC_ALIGN)}, GMEM_BASE + 2, 4, GMEM_BASE},
    {R(SRC_ALIGN), "ignore-src false", {.form = NONE, .size_bytes = 8, .operand = 0, .from = GMEM_BASE + 12, .to = 0x400}, {R(SRC_ALIGN)}, GMEM_BASE + 12, 8, GMEM_BASE + 8},
    {R(SRC_ALIGN), "before the window", {.form = ALL, .size_bytes = 4, .from = GMEM_BASE + 1, .to = WINDOW}, {R(SRC_ALIGN), R(WINDOW)}, GMEM_BASE + 1, 4, GMEM_BASE},
    {R(SRC_ALIGN), "before the bounds", {.form = ALL, .size_bytes = 4, .from = GMEM_BASE + 1, .to = SMEM_END}, {R(SRC_ALIGN), R(SMEM_BOUNDS)}, GMEM_BASE + 1, 4, GMEM_BASE},
    {R(SRC_ALIGN), "ignored", {.form = NONE, .size_bytes = 8, .operand = 1, .from = GMEM_BASE + 12, .to = 0x400}, {RULE_OK}, 0, 0, 0},
    {R(WINDOW), "2^24", {.form = ALL, .size_bytes = 16, .from = GMEM_BASE, .to = WINDOW}, {R(WINDOW)}, WINDOW, WINDOW, SMEM_END - 16},
    {R(WINDOW), "misaligned too", {.form = ALL, .size_bytes = 16, .from = GMEM_BASE, .to = WINDOW + 8}, {R(WINDOW), R(ALIGN)}, WINDOW + 8, WINDOW, SMEM_END - 16},
    {R(WINDOW), "below it", {.form = ALL, .size_bytes = 16, .from = GMEM_BASE, .to = WINDOW - 16}, {R(SMEM_BOUNDS)}, 0, 0, 0},
    {R(SMEM_BOUNDS), "the end", {.form = ALL, .size_bytes = 4, .from = GMEM_BASE, .to = SMEM_END}, {R(SMEM_BOUNDS)}, SMEM_END, SMEM_END, SMEM_END - 4},
    {R(SMEM_BOUNDS), "before the start", {.form = ALL, .size_bytes = 4, .from = GMEM_BASE, .to = SMEM_BASE - 4}, {R(SMEM_BOUNDS)}, SMEM_BASE - 4, SMEM_END, SMEM_BASE},
    {R(SMEM_BOUNDS), "nothing read", {.form = SOME, .size_bytes = 16, .operand = 0, .from = PAST, .to = SMEM_END}, {R(SMEM_BOUNDS)}, SMEM_END, SMEM_END, SMEM_END - 16},
    {R(SMEM_BOUNDS), "before the alignment", {.form = ALL, .size_bytes = 16, .from = GMEM_BASE, .to = SMEM_END + 8}, {R(SMEM_BOUNDS), R(ALIGN)}, SMEM_END + 8, SMEM_END, SMEM_END - 16},
    {R(SMEM_BOUNDS), "just fits", {.form = ALL, .size_bytes = 16, .from = GMEM_BASE, .to = SMEM_END - 16}, {RULE_OK}, 0, 0, 0},
    {R(ALIGN), "1 off", {.form = ALL, .size_bytes = 4, .from = GMEM_BASE, .to = 0x401}, {R(ALIGN)}, 0x401, 4, 0x400},
    {R(ALIGN), "8 off", {.form = SOME, .size_bytes = 16, .operand = 0, .from = GMEM_BASE, .to = 0x418}, {R(ALIGN)}, 0x418, 16, 0x410},
    {R(ALIGN), "before the source", {.form = ALL, .size_bytes = 16, .from = PAST, .to = 0x408}, {R(ALIGN), R(UNMAPPED)}, 0x408, 16, 0x400},
    {R(ALIGN), "8 is enough for 8", {.form = ALL, .size_bytes = 8, .from = GMEM_BASE, .to = 0x408}, {RULE_OK}, 0, 0, 0},
    {R(UNMAPPED), "past the end", {.form = ALL, .size_bytes = 16, .from = PAST, .to = 0x400}, {R(UNMAPPED)}, PAST, GMEM_END, GMEM_END - 16},
    {R(UNMAPPED), "before the start", {.form = SOME, .size_bytes = 4, .operand = 1, .from = GMEM_BASE - 4, .to = 0x400}, {R(UNMAPPED)}, GMEM_BASE - 4, GMEM_END, GMEM_BASE},
    {R(UNMAPPED), "misaligned, and the next is gone", {.form = SOME, .size_bytes = 4, .operand = 1, .from = GMEM_END - 1, .to = 0x400}, {R(SRC_SIZE_ALIGN), R(UNMAPPED)}, GMEM_END - 1, GMEM_END, GMEM_END - 4},
    {R(UNMAPPED), "src-size 0", {.form = SOME, .size_bytes = 4, .operand = 0, .from = PAST, .to = 0x400}, {RULE_OK}, 0, 0, 0},
    {R(UNMAPPED), "ignore-src", {.form = NONE, .size_bytes = 16, .operand = 1, .from = 0, .to = 0x400}, {RULE_OK}, 0, 0, 0},
    // clang-format on
};

static void check_vector(const struct vector *vector)
{
    const char *name = vector_name(vector->about, vector->why);
    static struct bench bench, before;
    struct findings findings = {0};
    enum rule first = RULE_OK;
    struct cp_async copy = set_up(&bench, vector->copy);
    set_up(&before, vector->copy);
    enum rule rule = cp_async_check(&copy, &findings);
    int count = 0;
    for (; count < 4 && vector->rules[count] != RULE_OK; count++) {
        if (first == RULE_OK && !rule_is_warning(vector->rules[count])) first = vector->rules[count];
        ck_assert_msg(count < findings.count && findings.item[count].rule == vector->rules[count], "%s: finding %d",
                      name, count);
        if (vector->rules[count] != vector->about) continue;
        const struct finding *finding = &findings.item[count];
        ck_assert_msg(finding->value == vector->value && finding->limit == vector->limit &&
                          finding->nearest == vector->nearest,
                      "%s: nearest %llx", name, (unsigned long long)finding->nearest);
    }
    ck_assert_msg(findings.count == count && rule == first, "%s: %s", name, rule_row(rule)->id);
    const enum rule same = cp_async_copy(&copy, NULL);
    ck_assert_msg(same == rule, "%s: the check says %s, the copy %s", name, rule_row(rule)->id, rule_row(same)->id);
    ck_assert_msg(rule == RULE_OK || memcmp(bench.shared, before.shared, sizeof before.shared) == 0,
                  "%s: %s, and shared memory is written", name, rule_row(rule)->id);
}

static void check_vectors(enum rule rule, int cuda_error)
{
    int broken = 0, kept = 0;
    ck_assert_int_eq(rule_cuda_error(rule), cuda_error);
    ck_assert_int_eq(rule_is_warning(rule), cuda_error == 0);
    for (int i = 0; i < ROWS_OF(vectors); i++) {
        if (vectors[i].about != rule) continue;
        check_vector(&vectors[i]);
        int is_about = 0;
        for (int j = 0; j < 4; j++) is_about |= vectors[i].rules[j] == rule;
        broken += is_about, kept += !is_about;
    }
    vectors_are_of_both_sides(rule, "tests/unit/cp_async_test.c", broken, kept);
}

TEST_CALL(cp_async_src_size__warns_past_cp_size, check_vectors(R(SRC_SIZE), 0))
TEST_CALL(cp_async_src_size_align__warns, check_vectors(R(SRC_SIZE_ALIGN), 0))
TEST_CALL(cp_async_src_align__is_first, check_vectors(R(SRC_ALIGN), 716))
TEST_CALL(cp_async_window__is_24_bits, check_vectors(R(WINDOW), 715))
TEST_CALL(cp_async_smem_bounds__are_exact, check_vectors(R(SMEM_BOUNDS), 700))
TEST_CALL(cp_async_align__is_that_of_cp_size, check_vectors(R(ALIGN), 716))
TEST_CALL(cp_async_unmapped__counts_what_is_read, check_vectors(R(UNMAPPED), 700))
