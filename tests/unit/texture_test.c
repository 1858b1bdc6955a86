// SPDX-License-Identifier: MIT
// The suite `texture`: what the model makes of the cases of tests/texture, held against an H200's digests.
#include <stdio.h>
#include <stdlib.h>

#include "texture.h"
#include "texture_case.h"
#include "unit_test.h"

enum { GROUP = 16, MOST_GROUPS = 4096 / GROUP, MOST_LINE = 4 * MOST_GROUPS + 2 };

static uint32_t extent(uint32_t size, uint32_t level)
{
    return size >> level > 0 ? size >> level : 1;
}

static bool is_cube(const struct texture_case *c)
{
    return c->shape == SHAPE_CUBE || c->shape == SHAPE_ACUBE;
}

static bool is_layered(const struct texture_case *c)
{
    return c->shape == SHAPE_A1D || c->shape == SHAPE_A2D || c->shape == SHAPE_ACUBE;
}

static bool is_float(const struct texture_case *c)
{
    return c->format == 0x10 || c->format == 0x20;
}

static void fill(const struct texture_case *c, struct texture_image *image)
{
    const uint32_t bytes = image->channel_bytes, planes = image->planes;
    for (uint32_t l = 0; l < image->levels; l++) {
        struct texture_level *level = &image->level[l];
        const uint32_t depth = c->shape == SHAPE_3D ? extent(c->depth, l) : 1;
        *level = (struct texture_level){.size = {extent(c->width, l), c->height ? extent(c->height, l) : 1, depth}};
        level->pitch = (uint64_t)level->size[0] * image->channels * bytes;
        level->slice = level->pitch * level->size[1];
        const uint64_t count = level->slice * depth * planes / bytes;
        level->at = malloc(count * bytes);
        ck_assert_ptr_nonnull(level->at);
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t bits = case_texel(c, l, i);
            memcpy(level->at + (uint64_t)i * bytes, &bits, bytes);
        }
    }
}

static struct texture texture_of(const struct texture_case *c)
{
    struct texture texture = {.sampler = {.is_linear = (int)c->filter,
                                          .is_linear_mip = (int)c->mip_filter,
                                          .is_normalized = (c->flags & 2) != 0,
                                          .is_raw = (c->flags & 1) != 0,
                                          .is_srgb = (c->flags & 0x10) != 0,
                                          .is_seamless = (c->flags & 0x40) != 0,
                                          .bias = c->bias,
                                          .least = c->least,
                                          .most = c->most}};
    struct texture_image *image = &texture.image;
    for (int i = 0; i < 3; i++) texture.sampler.address[i] = (enum texture_address)c->address[i];
    memcpy(texture.sampler.border, c->border, sizeof c->border);
    image->channels = c->channels;
    image->channel_bytes = case_channel_bytes(c->format);
    image->number = is_float(c) ? TEXTURE_FLOAT : c->format >= 8 ? TEXTURE_SIGNED : TEXTURE_UNSIGNED;
    image->levels = c->levels > 0 ? c->levels : 1;
    image->is_layered = is_layered(c);
    image->is_cube = is_cube(c);
    image->planes = is_layered(c) || is_cube(c) ? c->depth : 1;
    image->axes = c->shape == SHAPE_3D ? 3 : c->height > 0 ? 2 : 1;
    image->is_linear_memory = c->shape == SHAPE_LINEAR;
    if (image->is_linear_memory) {
        for (int i = 0; i < 3; i++) texture.sampler.address[i] = TEXTURE_BORDER;
        memset(texture.sampler.border, 0, sizeof texture.sampler.border);
    }
    fill(c, image);
    return texture;
}

static struct texture_fetch fetch_of(const struct texture_case *c, uint32_t i)
{
    static const uint8_t axes[] = {1, 2, 3, 1, 2, 3, 3, 1, 2};
    struct texture_fetch fetch = {
        .axes = axes[c->shape], .is_layered = is_layered(c), .is_cube = is_cube(c), .layer = case_layer(c, i)};
    fetch.is_integer = c->integer_coords && c->op == OP_TEX && !is_cube(c);
    for (uint32_t k = 0; k < fetch.axes; k++) {
        fetch.at[k] = is_cube(c) ? case_direction(c, i, k) : case_coord(c, i, k);
        if (fetch.is_integer) fetch.whole[k] = case_integer(c, i, k);
    }
    return fetch;
}

static void run(const struct texture *texture, const struct texture_case *c, uint32_t i, uint32_t to[4])
{
    const struct texture_fetch fetch = fetch_of(c, i);
    const float dx[3] = {case_level(c, i, 0), case_level(c, i, 1), case_level(c, i, 2)};
    const float dy[3] = {case_level(c, i, 3), case_level(c, i, 4), case_level(c, i, 5)};
    float level = c->op == OP_LEVEL ? dx[0] : 0;
    if (c->op == OP_GRAD) level = texture_level_of(texture, &fetch, dx, dy);
    if (c->op == OP_GATHER)
        texture_gather(texture, &fetch, c->component, to);
    else
        texture_read(texture, &fetch, level, to);
}

static uint32_t digest_of(const struct texture *texture, const struct texture_case *c, uint32_t first)
{
    uint32_t digest = 2166136261u, word[4];
    for (uint32_t i = first; i < first + GROUP; i++) {
        run(texture, c, i, word);
        for (int k = 0; k < 4; k++) {
            if (!c->integer_result && (word[k] & 0x7fffffff) > 0x7f800000) word[k] = 0x7fc00000;
            digest = (digest ^ word[k]) * 16777619u;
            digest ^= digest >> 15;
        }
    }
    return digest & 0xffff;
}

// How many groups of a case agree.
static uint32_t agree(const struct texture_case *c, const char *line)
{
    struct texture texture = texture_of(c);
    uint32_t same = 0;
    for (uint32_t first = 0; first < c->fetches; first += GROUP) {
        char text[5] = {0};
        memcpy(text, line + first / GROUP * 4, 4);
        same += digest_of(&texture, c, first) == strtoul(text, NULL, 16);
    }
    for (uint32_t l = 0; l < texture.image.levels; l++) free(texture.image.level[l].at);
    return same;
}

// What kinds of cases there are. All groups of an exact one agree; of the others so many at least.
enum kind { POINT, FLOATS_1D, FLOATS_2D, GATHER, LINEAR, LEVELS, CUBES, KINDS };
static const struct {
    const char *name;
    uint32_t least; // 0: all
} kinds[KINDS] = {{"without a filter", 0},
                  {"floats filtered along one axis", 3734},
                  {"floats filtered along two axes", 1226},
                  {"gathers", 0},
                  {"other filters", 6079},
                  {"levels", 3484},
                  {"cubes", 1057}};

static enum kind kind_of(const struct texture_case *c)
{
    if (is_cube(c)) return CUBES;
    if (c->levels > 0) return LEVELS;
    if (c->op == OP_GATHER) return c->filter ? LINEAR : GATHER;
    if (!c->filter) return c->integer_result || is_float(c) ? POINT : LINEAR;
    if (is_float(c) && c->shape == SHAPE_1D) return FLOATS_1D;
    return is_float(c) && c->shape == SHAPE_2D ? FLOATS_2D : LINEAR;
}

TEST(fetches_are_those_of_an_h200)
{
    uint32_t same[KINDS] = {0}, all[KINDS] = {0};
    char line[MOST_LINE];
    FILE *file = fopen(TMAREF_TEXTURES "/recorded.txt", "r");
    ck_assert_msg(file != NULL, "cannot read %s/recorded.txt", TMAREF_TEXTURES);
    for (uint32_t number = 0; number < CASES_DESIGNED + CASES_RANDOM; number++) {
        const struct texture_case c = texture_case_make(number);
        ck_assert_msg(fgets(line, sizeof line, file) != NULL, "recorded.txt ends before case %u", number);
        const enum kind kind = kind_of(&c);
        const uint32_t now = agree(&c, line);
        same[kind] += now;
        all[kind] += c.fetches / GROUP;
        if (kinds[kind].least == 0 && now != c.fetches / GROUP)
            fprintf(stderr, "case %u, %s: %u of %u groups differ\n", number, kinds[kind].name, c.fetches / GROUP - now,
                    c.fetches / GROUP);
    }
    fclose(file);
    for (int k = 0; k < KINDS; k++) {
        const uint32_t least = kinds[k].least == 0 ? all[k] : kinds[k].least;
        ck_assert_msg(same[k] >= least, "%s: %u of %u groups agree, not %u", kinds[k].name, same[k], all[k], least);
    }
}

// Images of 9 x 5 texels of 4 bytes as far as they have these axes, with 4 layers or a depth of 4, and what an H200
// read by `suld.b` (2026-11-28): a texel of plane `z` at x 4, y 0, or 0 for an image of other axes.
static const struct surface_row {
    const char *name;
    uint32_t axes, planes, asked; // axes of the image, its layers, axes of the instruction
    int32_t at[TEXTURE_AXES], layer;
    bool clamps;
    int x, y, z; // x < 0: nothing is there
} surface_rows[] = {
    {"2d of 2d", 2, 1, 2, {4, 0, 0}, 0, true, 4, 0, 0},
    {"2d of 1d", 1, 1, 2, {4, 0, 0}, 0, true, -1, 0, 0},
    {"2d of 3d", 3, 1, 2, {4, 0, 0}, 0, true, 4, 0, 0},
    {"2d of a2d", 2, 4, 2, {4, 0, 0}, 0, true, 4, 0, 0},
    {"1d of a1d", 1, 4, 1, {4, 0, 0}, 0, true, 4, 0, 0},
    {"1d of 2d", 2, 1, 1, {4, 0, 0}, 0, true, -1, 0, 0},
    {"1d of 3d", 3, 1, 1, {4, 0, 0}, 0, true, -1, 0, 0},
    {"3d of 2d", 2, 1, 3, {4, 0, 0}, 0, true, -1, 0, 0},
    {"3d of a2d", 2, 4, 3, {4, 0, 0}, 0, true, -1, 0, 0},
    {"3d of 1d", 1, 1, 3, {4, 0, 0}, 0, true, -1, 0, 0},
    {"x past, clamp", 2, 1, 2, {48, 0, 0}, 0, true, 32, 0, 0},
    {"x past, zero", 2, 1, 2, {36, 0, 0}, 0, false, -1, 0, 0},
    {"x and y before, clamp", 2, 1, 2, {-36, -1, 0}, 0, true, 0, 0, 0},
    {"z past, clamp", 3, 1, 3, {4, 0, 7}, 0, true, 4, 0, 3},
    {"layer past, clamp", 2, 4, 2, {16, 3, 0}, 8, true, 16, 3, 3},
    {"layer before, clamp", 2, 4, 2, {16, 3, 0}, -2, true, 16, 3, 3},
    {"layer before, zero", 2, 4, 2, {16, 3, 0}, -2, false, -1, 0, 0},
    {"layer of a1d before, clamp", 1, 4, 1, {16, 0, 0}, -4, true, 16, 0, 3},
};

LOOP_TEST(a_surface_is_reached_as_on_an_h200, 0, ROWS_OF(surface_rows))
{
    enum { WIDTH = 9, HEIGHT = 5, PLANES = 4 };
    static uint8_t texels[WIDTH * HEIGHT * PLANES * 4];
    const struct surface_row *row = &surface_rows[_i];
    struct texture_image image = {.axes = row->axes, .planes = row->planes, .channels = 1, .channel_bytes = 4};
    image.level[0] = (struct texture_level){.at = texels,
                                            .size = {WIDTH, row->axes > 1 ? HEIGHT : 1, row->axes > 2 ? PLANES : 1},
                                            .pitch = WIDTH * 4,
                                            .slice = (uint64_t)WIDTH * 4 * (row->axes > 1 ? HEIGHT : 1)};
    const uint8_t *at = texture_surface_at(&image, row->at, row->asked, row->layer, 4, row->clamps);
    const uint8_t *wanted =
        texels + row->x + (uint64_t)row->y * image.level[0].pitch + (uint64_t)row->z * image.level[0].slice;
    ck_assert_msg(row->x < 0 ? at == NULL : at == wanted, "%s: byte %td", row->name, at == NULL ? -1 : at - texels);
}
