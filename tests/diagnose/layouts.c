// SPDX-License-Identifier: MIT
// How often `tmaref diagnose` names mistakes in loads of interleaved and im2col tiles. Usage:
//   layouts SEED CASES [TELL]   so many tiles of each kind for each mistake, and as many right ones
// TELL: how many that were missed are printed. Otherwise as strangers.c. Exits 1 where docs/diagnose.md promises more.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diagnose.h"
#include "other_layout.h"
#include "tally.h"

enum { INTERLEAVED = 1, IM2COL = 2, MAX_ROWS = 32, TRIES = 400 };

// A mistake in the numbers, or in what is there afterwards (`file`: the tensor's bytes as the user has them); returns 0
// where the tile cannot have it.
struct scene {
    struct layout meant, done;
    struct bytes file, other, shared, before;
    bool has_other;
};

static int off(struct dice *dice, int most)
{
    return (dice_below(dice, 2) == 0 ? -1 : 1) * (1 + (int)dice_below(dice, (uint64_t)most));
}

static int never(struct scene *s, struct dice *dice)
{
    (void)dice;
    memcpy(s->shared.at, s->before.at, s->shared.count);
    return 1;
}

static int in_part(struct scene *s, struct dice *dice)
{
    uint32_t bytes = layout_tile_bytes(&s->meant), from = (uint32_t)dice_below(dice, bytes / 32 + 1) * 32;
    uint32_t start = s->meant.shared - (uint32_t)s->shared.first;
    memcpy(s->shared.at + start + from, s->before.at + start + from, bytes - (from < bytes ? from : bytes));
    return from < bytes;
}

static int row_for_column(struct scene *s, struct dice *dice)
{
    struct layout *l = &s->done;
    int first = l->piece == 0;
    int64_t old = l->at[first];
    (void)dice;
    l->at[first] = l->at[first + 1];
    l->at[first + 1] = old;
    return l->dims == 4;
}

static int pixels_off(struct scene *s, struct dice *dice)
{
    int by = off(dice, 3), i = s->done.piece == 0;
    s->done.at[i] += by;
    return s->done.piece == 0 || by % s->done.box[0] != 0;
}

static int rows_off(struct scene *s, struct dice *dice)
{
    int i = s->done.piece == 0 ? 2 : 1, by = off(dice, 3);
    s->done.at[i] += by;
    return s->done.dims == 4 && (s->done.piece == 0 || by % s->done.box[1] != 0);
}

static int other_image(struct scene *s, struct dice *dice)
{
    int i = s->done.dims - 1;
    s->done.at[i] += off(dice, 2);
    return s->done.at[i] >= 0 && s->done.at[i] < s->done.extent[i];
}

static int other_channels(struct scene *s, struct dice *dice)
{
    int i = s->done.piece == 0 ? 0 : s->done.dims - 2;
    s->done.at[i] += off(dice, 2) * s->done.box[i];
    return s->done.at[i] >= 0 && s->done.at[i] < s->done.extent[i];
}

static int pitch_off(struct scene *s, struct dice *dice)
{
    s->done.pitch[1] += 32 * off(dice, 3);
    return 1;
}

static int pointer_off(struct scene *s, struct dice *dice)
{
    s->done.address += (uint64_t)(32 * (int64_t)off(dice, 50));
    return 1;
}

static int other_swizzle(struct scene *s, struct dice *dice)
{
    s->done.span = (int[]){0, 32, 64, 128}[dice_below(dice, 4)];
    return s->done.piece == 32 || layout_tile_bytes(&s->done) == layout_tile_bytes(&s->meant);
}

static int fewer(struct scene *s, struct dice *dice)
{
    int *count = s->done.piece == 0 ? &s->done.pixels : &s->done.box[1];
    *count -= 1 + (int)dice_below(dice, (uint64_t)*count);
    return *count > 0;
}

static int short_tensor(struct scene *s, struct dice *dice)
{
    int i = s->done.piece == 0;
    s->done.extent[i] = s->done.at[i] + (int64_t)dice_below(dice, 4);
    return s->done.piece > 0 && s->done.extent[i] > 0 && s->done.extent[i] < s->meant.extent[i];
}

static int stage_off(struct scene *s, struct dice *dice)
{
    (void)dice;
    s->done.shared += (layout_tile_bytes(&s->meant) + 1023) / 1024 * 1024;
    return 1;
}

static int other_interleave(struct scene *s, struct dice *dice)
{
    (void)dice;
    s->done.pitch[0] = s->done.piece = s->done.element = 48 - s->meant.piece;
    return s->done.span == 0;
}

static int taps_swapped(struct scene *s, struct dice *dice)
{
    (void)dice;
    s->done.tap[0] = s->meant.tap[1];
    s->done.tap[1] = s->meant.tap[0];
    return s->done.dims == 4;
}

static int tap_off(struct scene *s, struct dice *dice)
{
    int k = (int)dice_below(dice, (uint64_t)s->done.dims - 2);
    s->done.tap[k] += off(dice, 2);
    return s->done.tap[k] >= 0;
}

// One of the corners without the padding.
static int no_padding(struct scene *s, struct dice *dice)
{
    int k = (int)dice_below(dice, (uint64_t)s->done.dims - 2), padding = -s->meant.lower[k];
    if (dice_below(dice, 2) == 0)
        s->done.lower[k] = 0;
    else
        s->done.upper[k] -= padding;
    return padding > 0;
}

static int corner_off(struct scene *s, struct dice *dice)
{
    int k = (int)dice_below(dice, (uint64_t)s->done.dims - 2);
    (dice_below(dice, 2) == 0 ? s->done.lower : s->done.upper)[k] += off(dice, 2);
    return 1;
}

static int flipped_bits(struct scene *s, struct dice *dice)
{
    uint32_t start = s->meant.shared - (uint32_t)s->shared.first, bytes = layout_tile_bytes(&s->meant);
    for (uint64_t n = 1 + dice_below(dice, 5); n > 0; n--)
        s->shared.at[start + dice_below(dice, bytes)] ^= (uint8_t)(1u << dice_below(dice, 8));
    return 1;
}

static int other_operand(struct scene *s, struct dice *dice)
{
    struct bytes tensor = s->other;
    (void)dice;
    s->has_other = true;
    return layout_load(&s->done, &tensor, &s->shared);
}

static const struct row {
    const char *name, *says;
    int of;
    int (*numbers)(struct scene *scene, struct dice *dice);
    int (*after)(struct scene *scene, struct dice *dice);
} mistakes_of[] = {
    {"never copied, or seen too early", "STALE|OTHER_PHASE", INTERLEAVED | IM2COL, NULL, never},
    {"part of it seen too early", "STALE|OTHER_PHASE", INTERLEAVED | IM2COL, NULL, in_part},
    {"row for column", "COORD_SWAPPED", INTERLEAVED | IM2COL, row_for_column, NULL},
    {"some pixels off", "COORD_OFF|OTHER_PHASE", INTERLEAVED | IM2COL, pixels_off, NULL},
    {"some rows off", "COORD_OFF|OTHER_PHASE", INTERLEAVED | IM2COL, rows_off, NULL},
    {"another image", "OTHER_PHASE|COORD_OFF", INTERLEAVED | IM2COL, other_image, NULL},
    {"other channels", "OTHER_PHASE|COORD_OFF", INTERLEAVED | IM2COL, other_channels, NULL},
    {"another pitch", "STRIDE", INTERLEAVED | IM2COL, pitch_off, NULL},
    {"pointer off", "GLOBAL_BASE", INTERLEAVED | IM2COL, pointer_off, NULL},
    {"another swizzle", "SWIZZLE_MODE", INTERLEAVED | IM2COL, other_swizzle, NULL},
    {"fewer rows, or pixels", "BOX", INTERLEAVED | IM2COL, fewer, NULL},
    {"tensor given as smaller", "BOUNDS", INTERLEAVED, short_tensor, NULL},
    {"another stage's address", "SHARED_ADDRESS", INTERLEAVED | IM2COL, stage_off, NULL},
    {"16B for 32B, or back", "INTERLEAVE", INTERLEAVED, other_interleave, NULL},
    {"offsets swapped", "IM2COL_OFFSET", IM2COL, taps_swapped, NULL},
    {"another tap of the filter", "IM2COL_OFFSET", IM2COL, tap_off, NULL},
    {"padding forgotten in a corner", "IM2COL_CORNER", IM2COL, no_padding, NULL},
    {"a corner off", "IM2COL_CORNER", IM2COL, corner_off, NULL},
    {"a few bits flipped", "CORRUPTED", INTERLEAVED | IM2COL, NULL, flipped_bits},
    {"the other operand (given)", "OTHER_TENSOR", INTERLEAVED | IM2COL, NULL, other_operand},
};
enum { MISTAKES = sizeof mistakes_of / sizeof mistakes_of[0] };

struct run {
    uint64_t tell;
    struct tally row[MISTAKES], all;
    unsigned clean, alarms;
};

static uint8_t file_room[TRIAL_TENSOR_BYTES], other_room[TRIAL_TENSOR_BYTES];
static uint8_t shared_room[TRIAL_SHARED_BYTES], before_room[TRIAL_SHARED_BYTES];

static void draw_bytes(struct dice *dice, uint8_t *to, uint64_t count)
{
    uint64_t kind = dice_below(dice, 4);
    for (uint64_t i = 0; i + 2 <= count; i += 2) { // counted up, small integers, or anything
        uint64_t value = kind == 0 ? i / 2 : kind == 1 ? dice_below(dice, 7) : dice_below(dice, 1 << 16);
        memcpy(to + i, &value, 2);
    }
}

static int make(struct scene *s, struct dice *dice, bool is_im2col, const struct row *mistake)
{
    *s = (struct scene){.shared = {shared_room, TRIAL_SHARED_FIRST, sizeof shared_room}};
    layout_draw(&s->meant, dice, is_im2col);
    s->done = s->meant;
    s->before = (struct bytes){before_room, TRIAL_SHARED_FIRST, sizeof before_room};
    s->file = (struct bytes){file_room, s->meant.address, layout_tensor_bytes(&s->meant)};
    s->other = (struct bytes){other_room, s->meant.address, s->file.count};
    draw_bytes(dice, file_room, s->file.count + 1);
    draw_bytes(dice, other_room, s->file.count + 1);
    draw_bytes(dice, before_room, sizeof before_room);
    memcpy(shared_room, before_room, sizeof shared_room);
    if (mistake->numbers != NULL && !mistake->numbers(s, dice)) return 0;
    if (!layout_is_legal(&s->done) || !layout_load(&s->done, &s->file, &s->shared)) return 0;
    return mistake->after == NULL || mistake->after(s, dice);
}

static bool make_map(const struct layout *l, struct tensormap *map)
{
    static const enum dtype types[] = {0, DTYPE_UINT8, DTYPE_UINT16, 0, DTYPE_UINT32};
    struct tensormap_image image;
    uint64_t dim[LAYOUT_DIMS], strides[LAYOUT_DIMS];
    uint32_t box[LAYOUT_DIMS], swizzle = 0, every[LAYOUT_DIMS] = {1, 1, 1, 1, 1};
    enum rule rule;
    for (int i = 0; i < l->dims; i++) {
        dim[i] = (uint64_t)l->extent[i];
        if (i > 0) strides[i - 1] = (uint64_t)l->pitch[i];
        box[i] = (uint32_t)l->box[i];
    }
    while (swizzle < 3 && 16 << swizzle < l->span) swizzle++;
    if (l->span == 0) swizzle = 0;
    if (l->piece > 0)
        rule = tensormap_encode_tiled(&image, DTYPE_UINT64, (uint32_t)l->dims, l->address, dim, strides, box, every,
                                      l->piece == 16 ? INTERLEAVE_16B : INTERLEAVE_32B, swizzle, 0, 0, NULL);
    else
        rule =
            tensormap_encode_im2col(&image, types[l->element], (uint32_t)l->dims, l->address, dim, strides, l->lower,
                                    l->upper, box[0], (uint32_t)l->pixels, every, INTERLEAVE_NONE, swizzle, 0, 0, NULL);
    if (rule != RULE_OK) return false;
    tensormap_decode(&image, map, NULL);
    return true;
}

static bool ask(const struct scene *s, bool knows, struct diagnose *question)
{
    uint64_t first = s->meant.shared - 2048, skip = first - s->shared.first;
    uint64_t count = 4096 + 2 * layout_tile_bytes(&s->meant);
    *question = (struct diagnose){.shared = s->meant.shared, .slices = 1};
    for (int i = 0; i < s->meant.dims; i++) question->coord[i] = (int32_t)s->meant.at[i];
    for (int k = 0; s->meant.piece == 0 && k < s->meant.dims - 2; k++) question->offset[k] = (uint16_t)s->meant.tap[k];
    question->source = (struct memory){s->file.at, s->file.first, s->file.count};
    question->dump = (struct memory){s->shared.at + skip, first, count};
    if (knows) question->before = s->before.at + skip;
    if (s->has_other) {
        question->others = 1;
        question->other[0] = (struct memory){s->other.at, s->other.first, s->other.count};
    }
    return make_map(&s->meant, &question->map);
}

static void judge(struct run *run, struct tally *row, const struct scene *s, const struct row *mistake)
{
    static struct diagnosis answer;
    struct diagnose question;
    for (int knows = 0; knows < 2; knows++) {
        if (!ask(s, knows, &question)) return;
        if (!diagnose(&question, &answer)) exit(2);
        if (answer.wrong_bytes == 0) return; // it does not show
        int verdict = tally_verdict(&answer, mistake->says, NULL);
        row->count[knows][verdict]++;
        run->all.count[knows][verdict]++;
        if ((verdict != MISSED && verdict != WRONG) || run->tell == 0) continue;
        run->tell--;
        printf("%s: %s, %s, before %s: %u wrong, %u foreign\n", verdict == WRONG ? "wrong" : "missed", mistake->name,
               s->meant.piece > 0 ? "interleaved" : "im2col", knows ? "known" : "not known", answer.wrong_bytes,
               answer.foreign_bytes);
        tally_explain(&answer);
    }
}

static void judge_clean(struct run *run, const struct scene *s)
{
    static struct diagnosis answer;
    struct diagnose question;
    for (int knows = 0; knows < 2 && ask(s, knows, &question); knows++) {
        if (!diagnose(&question, &answer)) exit(2);
        run->clean++;
        run->alarms += !diagnosis_is_clean(&answer);
    }
}

static void run_kind(struct run *run, uint64_t seed, uint64_t cases, bool is_im2col)
{
    static const struct row right = {"", "", INTERLEAVED | IM2COL, NULL, NULL};
    struct dice dice = {seed * 1000003 + (uint64_t)is_im2col};
    struct scene s;
    for (int m = 0; m <= MISTAKES; m++) {
        const struct row *mistake = m < MISTAKES ? &mistakes_of[m] : &right;
        uint64_t made = 0;
        for (int i = 0; i < TRIES && made < cases && (mistake->of & (is_im2col ? IM2COL : INTERLEAVED)); i++) {
            if (!make(&s, &dice, is_im2col, mistake)) continue;
            made++;
            if (m < MISTAKES)
                judge(run, &run->row[m], &s, mistake);
            else
                judge_clean(run, &s);
        }
    }
}

int main(int argc, char **argv)
{
    static struct run run;
    if (argc < 3) return fprintf(stderr, "usage: layouts SEED CASES [TELL]\n"), 2;
    run.tell = argc > 3 ? strtoull(argv[3], NULL, 0) : 0;
    for (int is_im2col = 0; is_im2col < 2; is_im2col++)
        run_kind(&run, strtoull(argv[1], NULL, 0), strtoull(argv[2], NULL, 0), is_im2col);
    tally_head();
    for (int m = 0; m < MISTAKES; m++) tally_print(mistakes_of[m].name, &run.row[m]);
    tally_print("all", &run.all);
    printf("%u questions about right tiles, %u alarms\n", run.clean, run.alarms);
    return !tally_is_kept(&run.all, false) || run.clean == 0 || run.alarms > 0;
}
