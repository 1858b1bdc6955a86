// SPDX-License-Identifier: MIT
// The suite `diagnose`: causes planted one by one in the same tile, and what tmaref diagnose says of them. How often it
// is right on random tiles is measured by tests/diagnose.
#include <check.h>
#include <string.h>

#include "arena.h"
#include "copy.h"
#include "diagnose.h"
#include "mbarrier.h"
#include "swizzle.h"

Suite *diagnose_suite(void);

enum { BASE = 0x1000, BYTES = 0x2000, SHARED = 0x1800, STALE_BYTE = 0xcd };

// What is found: the dump, and what was there before.
struct scene {
    struct diagnose question;
    struct tensormap map; // that the copy had
    int32_t coord[TENSORMAP_MAX_RANK];
    uint32_t shared;
    uint8_t dump[BYTES], before[BYTES];
};

// A box of 64 x 16 float16 at (64, 16) of a matrix of 256 x 64 with padded rows, SWIZZLE_128B.
static void scene_start(struct scene *scene)
{
    struct tensormap_image image;
    const uint64_t dim[] = {256, 64}, strides[] = {576};
    const uint32_t box[] = {64, 16}, estride[] = {1, 1};
    *scene = (struct scene){.coord = {64, 16}, .shared = SHARED};
    ck_assert_int_eq(tensormap_encode_tiled(&image, DTYPE_FLOAT16, 2, ARENA_BASE + 4096, dim, strides, box, estride,
                                            INTERLEAVE_NONE, SWIZZLE_128B, 0, 0, NULL),
                     RULE_OK);
    tensormap_decode(&image, &scene->map, NULL);
    scene->question = (struct diagnose){.map = scene->map, .coord = {64, 16}, .shared = SHARED, .slices = 1};
    scene->question.tensor = *arena();
    scene->question.dump = (struct memory){scene->dump, BASE, BYTES};
    scene->question.before = scene->before;
    memset(scene->dump, STALE_BYTE, BYTES);
    memset(scene->before, STALE_BYTE, BYTES);
}

static void load(struct scene *scene)
{
    const struct memory shared = {scene->dump, BASE, BYTES};
    uint32_t tx_bytes;
    ck_assert_int_eq(tile_load(&scene->map, scene->map.rank, scene->coord, arena(), &shared, scene->shared, &tx_bytes),
                     RULE_OK);
}

// Each plants one cause in what the copy is given.
static void no_swizzle(struct scene *s)
{
    s->map.swizzle = SWIZZLE_NONE; // rows of 128 bytes fault with a narrower one
}

static void previous_tile(struct scene *s)
{
    s->coord[0] -= 64;
}

static void row_below(struct scene *s)
{
    s->coord[1] += 5;
}

static void swapped(struct scene *s)
{
    s->question.coord[0] = s->coord[1] = 24;
    s->question.coord[1] = s->coord[0] = 8;
}

static void byte_coordinate(struct scene *s)
{
    s->question.coord[0] = 40;
    s->coord[0] = 80;
}

static void row_pitch(struct scene *s)
{
    s->map.stride[1] += 48;
}

static void strided(struct scene *s)
{
    s->map.estride[1] = 3;
}

static void taller_box(struct scene *s)
{
    s->map.box[1] = 19;
}

static void nan_fill(struct scene *s)
{
    s->question.coord[1] = s->coord[1] = 56;
    s->map.oob_fill = OOB_FILL_NAN_REQUEST_ZERO_FMA;
}

static void fewer_rows(struct scene *s)
{
    s->map.dim[1] = 27;
}

static void wide_elements(struct scene *s)
{
    s->question.map.swizzle = s->map.swizzle = SWIZZLE_NONE;
    s->map.dtype = DTYPE_FLOAT32;
    s->map.stride[0] = 4;
}

static void base_later(struct scene *s)
{
    s->map.address += 16 * 37;
    s->map.stride[1] = s->question.map.stride[1] = 1072; // no whole rows
}

static void next_stage(struct scene *s)
{
    s->shared += 2048;
}

static const struct {
    enum cause cause;
    void (*plant)(struct scene *scene);
} plants[] = {
    {CAUSE_SWIZZLE_MODE, no_swizzle},
    {CAUSE_OTHER_PHASE, previous_tile},
    {CAUSE_COORD_OFF, row_below},
    {CAUSE_COORD_SWAPPED, swapped},
    {CAUSE_COORD_UNIT, byte_coordinate},
    {CAUSE_STRIDE, row_pitch},
    {CAUSE_ELEMENT_STRIDE, strided},
    {CAUSE_BOX, taller_box},
    {CAUSE_FILL, nan_fill},
    {CAUSE_BOUNDS, fewer_rows},
    {CAUSE_ELEMENT_TYPE, wide_elements},
    {CAUSE_GLOBAL_BASE, base_later},
    {CAUSE_SHARED_ADDRESS, next_stage},
};

static struct scene scene;
static struct diagnosis answer;

static int names(enum cause cause)
{
    for (int i = 0; i < answer.explanations; i++)
        if (answer.explanation[i].cause == cause && answer.explanation[i].is_whole) return 1;
    return 0;
}

START_TEST(a_planted_cause_is_named)
{
    scene_start(&scene);
    plants[_i].plant(&scene);
    load(&scene);
    ck_assert(diagnose(&scene.question, &answer));
    ck_assert_msg(names(plants[_i].cause), "%s, but %s", cause_row(plants[_i].cause)->id,
                  answer.explanations > 0 ? answer.explanation[0].what : "nothing is named");
    ck_assert(!diagnosis_is_clean(&answer));
    ck_assert_uint_gt(answer.wrong_bytes, 0);
}
END_TEST

// With and without the bytes before; a barrier that is content says nothing.
START_TEST(a_right_tile_is_clean)
{
    scene_start(&scene);
    load(&scene);
    scene.question.has_word = scene.question.has_expect = 1;
    scene.question.word = mbarrier_init(1);
    scene.question.expect = 64 * 16 * 2;
    for (int knows = 0; knows < 2; knows++) {
        scene.question.before = knows ? scene.before : NULL;
        ck_assert(diagnose(&scene.question, &answer));
        ck_assert(diagnosis_is_clean(&answer));
    }
}
END_TEST

START_TEST(bytes_that_stayed_are_stale)
{
    scene_start(&scene);
    load(&scene);
    memset(scene.dump + (SHARED - BASE) + 1024, STALE_BYTE, 1024);
    ck_assert(diagnose(&scene.question, &answer));
    ck_assert_int_eq(answer.explanation[0].cause, CAUSE_STALE);
    ck_assert_uint_eq(answer.first_wrong, SHARED + 1024);
    scene.question.before = NULL; // then they are only likely so
    ck_assert(diagnose(&scene.question, &answer));
    ck_assert_int_eq(answer.explanation[0].cause, CAUSE_STALE);
    ck_assert(!answer.explanation[0].is_whole);
}
END_TEST

// A wrong coordinate, and half of that tile never came: no cause alone explains it, but this one and the stale bytes
// do.
START_TEST(a_wrong_tile_that_came_in_part_is_told)
{
    scene_start(&scene);
    row_below(&scene);
    load(&scene);
    memset(scene.dump + (SHARED - BASE) + 1024, STALE_BYTE, 1024);
    ck_assert(diagnose(&scene.question, &answer));
    ck_assert_int_eq(answer.explanation[0].cause, CAUSE_COORD_OFF);
    ck_assert_ptr_nonnull(strstr(answer.explanation[0].what, "the rest had not landed"));
    ck_assert(!answer.explanation[0].is_whole);
}
END_TEST

// Half a tile of the phase before.
START_TEST(pieces_of_two_phases_are_told)
{
    static struct scene old;
    scene_start(&scene);
    scene_start(&old);
    previous_tile(&old);
    load(&scene);
    load(&old);
    memcpy(scene.dump + (SHARED - BASE) + 512, old.dump + (SHARED - BASE) + 512, 512);
    for (int knows = 0; knows < 2; knows++) {
        scene.question.before = knows ? scene.before : NULL;
        ck_assert(diagnose(&scene.question, &answer));
        ck_assert_int_eq(answer.explanation[0].cause, CAUSE_OTHER_PHASE);
    }
}
END_TEST

START_TEST(a_base_in_the_midst_of_the_pattern_is_told)
{
    scene_start(&scene);
    scene.shared += 384;
    load(&scene);
    memmove(scene.dump + (SHARED - BASE), scene.dump + (SHARED - BASE) + 384, 2048);
    memset(scene.dump + (SHARED - BASE) + 2048, STALE_BYTE, 384);
    ck_assert(diagnose(&scene.question, &answer));
    ck_assert_int_eq(answer.explanation[0].cause, CAUSE_SWIZZLE_BASE);
    ck_assert_int_eq(answer.explanations, 1);
}
END_TEST

START_TEST(a_swizzle_that_was_undone_is_told)
{
    static uint8_t raw[BYTES];
    scene_start(&scene);
    load(&scene);
    memcpy(raw, scene.dump, BYTES);
    for (uint32_t at = SHARED; at < SHARED + 2048; at++)
        scene.dump[at - BASE] = raw[swizzle_apply(SWIZZLE_128B, at) - BASE];
    ck_assert(diagnose(&scene.question, &answer));
    ck_assert(names(CAUSE_READ_UNSWIZZLED) && names(CAUSE_SWIZZLE_MODE)); // the rows are whole: the same bytes
}
END_TEST

START_TEST(slices_in_each_others_places_are_told)
{
    scene_start(&scene);
    scene.question.slices = 2;
    scene.question.slice_dim = 1;
    load(&scene);
    scene.shared += 2048; // again the first slice
    load(&scene);
    ck_assert(diagnose(&scene.question, &answer));
    ck_assert_int_eq(answer.explanation[0].cause, CAUSE_WRONG_SLICE);
    ck_assert_str_eq(answer.explanation[0].what, "place 1 holds slice 0");
}
END_TEST

START_TEST(a_barrier_that_expects_another_number_is_told)
{
    scene_start(&scene);
    load(&scene);
    scene.question.has_expect = 1;
    scene.question.expect = 2000;
    ck_assert(diagnose(&scene.question, &answer));
    ck_assert_int_eq(answer.explanation[0].cause, CAUSE_TX_COUNT);
    ck_assert_uint_eq(answer.wrong_bytes, 0);
    ck_assert(!diagnosis_is_clean(&answer));
}
END_TEST

START_TEST(a_load_that_faults_has_no_dump)
{
    scene_start(&scene);
    scene.question.shared += 16;
    ck_assert(diagnose(&scene.question, &answer));
    ck_assert_int_eq(answer.rule, RULE_LOAD_SMEM_ALIGN);
    ck_assert(!diagnosis_is_clean(&answer));
}
END_TEST

START_TEST(every_cause_has_a_sentence_and_is_found_by_its_name)
{
    for (int cause = 0; cause < CAUSES; cause++) {
        const struct cause_row *row = cause_row((enum cause)cause);
        ck_assert_int_eq(cause_find(row->id), cause);
        ck_assert(strlen(row->sentence) > 20 && strlen(row->advice) > 20);
    }
    ck_assert_int_eq(cause_find("NONE_SUCH"), CAUSES);
}
END_TEST

Suite *diagnose_suite(void)
{
    Suite *suite = suite_create("diagnose");
    TCase *tests = tcase_create("diagnose");
    tcase_add_loop_test(tests, a_planted_cause_is_named, 0, (int)(sizeof plants / sizeof plants[0]));
    tcase_add_test(tests, a_right_tile_is_clean);
    tcase_add_test(tests, bytes_that_stayed_are_stale);
    tcase_add_test(tests, a_wrong_tile_that_came_in_part_is_told);
    tcase_add_test(tests, pieces_of_two_phases_are_told);
    tcase_add_test(tests, a_base_in_the_midst_of_the_pattern_is_told);
    tcase_add_test(tests, a_swizzle_that_was_undone_is_told);
    tcase_add_test(tests, slices_in_each_others_places_are_told);
    tcase_add_test(tests, a_barrier_that_expects_another_number_is_told);
    tcase_add_test(tests, a_load_that_faults_has_no_dump);
    tcase_add_test(tests, every_cause_has_a_sentence_and_is_found_by_its_name);
    suite_add_tcase(suite, tests);
    return suite;
}
