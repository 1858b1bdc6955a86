// SPDX-License-Identifier: MIT
// The suite `diagnose`: causes planted one by one in the same tile, and what tmaref diagnose says of them. How often it
// is right on random tiles is measured by tests/diagnose.
#include <string.h>

#include "arena.h"
#include "copy.h"
#include "diagnose.h"
#include "mbarrier.h"
#include "number.h"
#include "rules/load.h"
#include "store.h"
#include "swizzle.h"

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
    scene->question.source = *arena();
    scene->question.dump = (struct memory){scene->dump, BASE, BYTES};
    scene->question.before = scene->before;
    memset(scene->dump, STALE_BYTE, BYTES);
    memset(scene->before, STALE_BYTE, BYTES);
}

static void load(struct scene *scene)
{
    const struct memory shared = {scene->dump, BASE, BYTES};
    uint32_t tx_bytes;
    ck_assert_int_eq(
        tile_load(&scene->map, scene->map.rank, scene->coord, arena(), &shared, scene->shared, &tx_bytes, NULL),
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

static bool names(enum cause cause)
{
    for (int i = 0; i < answer.explanations; i++)
        if (answer.explanation[i].cause == cause && answer.explanation[i].is_whole) return true;
    return false;
}

static bool names_both(enum cause one, enum cause other)
{
    for (int i = 0; i < answer.explanations; i++) {
        const struct explanation *e = &answer.explanation[i];
        if ((e->is_whole || e->is_maybe) &&
            ((e->cause == one && e->second == other) || (e->cause == other && e->second == one)))
            return true;
    }
    return false;
}

LOOP_TEST(a_planted_cause_is_named, 0, ROWS_OF(plants))
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

// With and without the bytes before; a barrier that is content says nothing.
TEST(a_right_tile_is_clean)
{
    scene_start(&scene);
    load(&scene);
    scene.question.has_word = scene.question.has_expect = true;
    scene.question.word = mbarrier_init(1);
    scene.question.expect = 64 * 16 * 2;
    for (int knows = 0; knows < 2; knows++) {
        scene.question.before = knows ? scene.before : NULL;
        ck_assert(diagnose(&scene.question, &answer));
        ck_assert(diagnosis_is_clean(&answer));
    }
}

TEST(bytes_that_stayed_are_stale)
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
    ck_assert(answer.explanation[0].is_maybe);
}

// A wrong coordinate, and half of that tile never came: no cause alone explains it, but both together do. So does a box
// of half the rows.
TEST(a_wrong_tile_that_came_in_part_is_told)
{
    scene_start(&scene);
    row_below(&scene);
    load(&scene);
    memset(scene.dump + (SHARED - BASE) + 1024, STALE_BYTE, 1024);
    ck_assert(diagnose(&scene.question, &answer));
    ck_assert(answer.explanation[0].is_whole);
    ck_assert(names_both(CAUSE_STALE, CAUSE_COORD_OFF));
    ck_assert(names_both(CAUSE_BOX, CAUSE_COORD_OFF));
    memset(scene.dump + (SHARED - BASE) + 512, STALE_BYTE, 256); // in two places: no box leaves that, chance may
    ck_assert(diagnose(&scene.question, &answer));
    ck_assert(names_both(CAUSE_STALE, CAUSE_COORD_OFF));
    ck_assert(!answer.explanation[0].is_whole);
}

// Half a tile of the phase before.
TEST(pieces_of_two_phases_are_told)
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

TEST(a_base_in_the_midst_of_the_pattern_is_told)
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

TEST(a_swizzle_that_was_undone_is_told)
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

TEST(slices_in_each_others_places_are_told)
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

TEST(a_barrier_that_expects_another_number_is_told)
{
    scene_start(&scene);
    load(&scene);
    scene.question.has_expect = true;
    scene.question.expect = 2000;
    ck_assert(diagnose(&scene.question, &answer));
    ck_assert_int_eq(answer.explanation[0].cause, CAUSE_TX_COUNT);
    ck_assert_uint_eq(answer.wrong_bytes, 0);
    ck_assert(!diagnosis_is_clean(&answer));
}

TEST(a_load_that_faults_has_no_dump)
{
    scene_start(&scene);
    scene.question.shared += 16;
    ck_assert(diagnose(&scene.question, &answer));
    ck_assert_int_eq(answer.rule, RULE_LOAD_SMEM_ALIGN);
    ck_assert(!diagnosis_is_clean(&answer));
}

// Memory that nobody wrote is zeros: first of all that is said, whatever coordinates would give zeros too.
TEST(a_tile_of_zeros_was_never_written)
{
    scene_start(&scene);
    memset(scene.dump, 0, BYTES);
    scene.question.before = NULL;
    ck_assert(diagnose(&scene.question, &answer));
    ck_assert_int_eq(answer.explanation[0].cause, CAUSE_STALE);
    ck_assert(answer.explanation[0].is_whole && answer.explanation[0].is_maybe);
    ck_assert(!diagnosis_is_foreign(&answer));
}

TEST(bytes_of_nowhere_are_not_of_the_tensor)
{
    scene_start(&scene);
    load(&scene);
    for (uint32_t i = 0; i < 2048; i++) scene.dump[SHARED - BASE + i] = (uint8_t)(i * i * 31 + i / 7);
    ck_assert(diagnose(&scene.question, &answer));
    ck_assert(diagnosis_is_foreign(&answer));
    ck_assert_int_eq(answer.explanation[0].cause, CAUSE_FOREIGN);
    ck_assert_uint_gt(answer.foreign_bytes, 1900);
}

// Two mistakes, of which neither explains anything alone.
TEST(two_mistakes_are_both_named)
{
    scene_start(&scene);
    no_swizzle(&scene);
    previous_tile(&scene);
    load(&scene);
    for (int knows = 0; knows < 2; knows++) {
        scene.question.before = knows ? scene.before : NULL;
        ck_assert(diagnose(&scene.question, &answer));
        ck_assert(names_both(CAUSE_SWIZZLE_MODE, CAUSE_OTHER_PHASE));
    }
}

// The tensor after a store: 256 x 64 float16 with padded rows.
enum { TENSOR_BYTES = 576 * 64 };
static uint8_t tensor[TENSOR_BYTES], tensor_before[TENSOR_BYTES];

static void store(struct scene *s, bool is_added)
{
    const struct memory global = {tensor, s->map.address, TENSOR_BYTES}, shared = {s->dump, BASE, BYTES};
    for (uint32_t i = 0; i < BYTES; i++) s->dump[i] = (uint8_t)(0x30 + (i * 2654435761u >> 27));
    memset(tensor_before, 0x3c, TENSOR_BYTES);
    memcpy(tensor, tensor_before, TENSOR_BYTES);
    ck_assert_int_eq((is_added ? tile_reduce(REDUCE_ADD, &s->map, 2, s->coord, &global, &shared, s->shared, NULL)
                               : tile_store(&s->map, 2, s->coord, &global, &shared, s->shared, NULL)),
                     RULE_OK);
    s->question.is_store = true;
    s->question.source = shared;
    s->question.dump = global;
    s->question.before = tensor_before;
}

static void nothing(struct scene *s)
{
    (void)s;
}

static const struct {
    enum cause cause;
    void (*plant)(struct scene *scene);
    bool is_added;
} stored[] = {
    {CAUSES, nothing, false},
    {CAUSE_ADDED, nothing, true},
    {CAUSE_COORD_OFF, row_below, false},
    {CAUSE_STRIDE, row_pitch, false},
    {CAUSE_SWIZZLE_MODE, no_swizzle, false},
    {CAUSE_OTHER_PHASE, previous_tile, false},
    {CAUSE_BOUNDS, fewer_rows, false},
};

LOOP_TEST(a_wrong_store_is_told, 0, ROWS_OF(stored))
{
    scene_start(&scene);
    stored[_i].plant(&scene);
    store(&scene, stored[_i].is_added);
    ck_assert(diagnose(&scene.question, &answer));
    if (stored[_i].cause == CAUSES)
        ck_assert(diagnosis_is_clean(&answer));
    else
        ck_assert(names(stored[_i].cause));
}

// Every float16 and bfloat16 goes to float32 and back; half way between two neighbours the even one is taken.
TEST(numbers_are_converted_to_nearest_even)
{
    for (uint32_t bits = 0; bits < 0x7c00; bits++) {
        uint32_t here = number_convert(NUMBER_F16, NUMBER_F32, false, bits),
                 next = number_convert(NUMBER_F16, NUMBER_F32, false, bits + 1), half = (here + next) / 2;
        ck_assert_uint_eq(number_convert(NUMBER_F32, NUMBER_F16, 0, here), bits);
        if (bits < 0x400 || bits == 0x7bff) continue; // not of one exponent, or next to infinity
        ck_assert_uint_eq(number_convert(NUMBER_F32, NUMBER_F16, 0, half), bits + bits % 2);
        ck_assert_uint_eq(number_convert(NUMBER_F32, NUMBER_F16, 0, half + 1), bits + 1);
        ck_assert_uint_eq(number_convert(NUMBER_F32, NUMBER_F16, 1, half + 1), bits);
    }
    for (uint32_t bits = 0; bits < 0x7f80; bits++) {
        ck_assert_uint_eq(number_convert(NUMBER_F32, NUMBER_BF16, 0, bits << 16), bits);
        ck_assert_uint_eq(number_convert(NUMBER_F32, NUMBER_BF16, 0, bits << 16 | 0x8000), bits + bits % 2);
        ck_assert_uint_eq(number_convert(NUMBER_F32, NUMBER_BF16, 1, bits << 16 | 0xffff), bits);
    }
    ck_assert_uint_eq(number_convert(NUMBER_F16, NUMBER_BF16, 0, 0xc000), 0xc000);
    ck_assert_uint_eq(number_convert(NUMBER_BF16, NUMBER_F16, 0, 0x3f80), 0x3c00);
    ck_assert_uint_eq(number_convert(NUMBER_F32, NUMBER_F16, 0, 0x47800000), 0x7c00);
    ck_assert_uint_eq(number_convert(NUMBER_F32, NUMBER_F16, 0, 0x33000001), 1); // just above half of the least
    ck_assert_uint_eq(number_convert(NUMBER_F32, NUMBER_F16, 0, 0x7fc00000), 0x7fff);
    ck_assert_uint_eq(number_convert(NUMBER_F32, NUMBER_F16, 1, 0x47800000), 0x7bff);
    ck_assert_uint_eq(number_convert(NUMBER_F32, NUMBER_F16, 1, 0xc7800000), 0xfbff);
    ck_assert_uint_eq(number_convert(NUMBER_F32, NUMBER_F16, 1, 0x7fc00000), 0x7fff);
    ck_assert_uint_eq(number_convert(NUMBER_F32, NUMBER_F16, 1, 0x7f800000), 0x7c00);
    ck_assert_uint_eq(number_convert(NUMBER_F32, NUMBER_F16, 1, 0x33000001), 0);
}

TEST(every_cause_has_a_sentence_and_is_found_by_its_name)
{
    for (int cause = 0; cause < CAUSES; cause++) {
        const struct cause_row *row = cause_row((enum cause)cause);
        ck_assert_int_eq(cause_find(row->id), cause);
        ck_assert(strlen(row->sentence) > 20 && strlen(row->advice) > 20);
    }
    ck_assert_int_eq(cause_find("NONE_SUCH"), CAUSES);
}
