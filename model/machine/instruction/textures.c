// SPDX-License-Identifier: MIT
// tex, tld4 and txq: a lane's fetch is the model's (texture.h); here are its operands.
#include <string.h>

#include "each.h"
#include "float_add.h"
#include "form_number.h"
#include "texture_handle.h"

// The operands of a row, by number; those behind the coordinates differ.
enum { OF_RESULT, OF_PREDICATE, OF_TEXTURE, OF_PLACE, OF_LEVEL, OF_DX = OF_LEVEL, OF_DY };

// --- Handles ---------------------------------------------------------------------------------------------------------

// Is the memory of its first level still there? That of the others goes with it.
static bool is_mapped(const struct machine_strand *strand, const struct texture_image *image)
{
    const struct texture_level *level = &image->level[0];
    const uint64_t row = (uint64_t)level->size[0] * image->channels * image->channel_bytes;
    const uint64_t planes = (uint64_t)level->size[2] * image->planes, rows = level->size[1];
    const uint64_t bytes = row == 0 ? 0 : row + (rows - 1) * level->pitch + (planes - 1) * level->slice;
    const struct global_memory *global = &strand->warp->cta->cluster->machine->global;
    return global_usable_bytes(global, (uint64_t)(uintptr_t)level->at, bytes, MEMORY_READS) >= bytes;
}

const struct texture *machine_texture(const struct machine_strand *strand, const struct machine_operand *operand,
                                      uint32_t lane, uint64_t *handle)
{
    const struct machine_launch *launch = strand->warp->cta->cluster->machine->launch;
    *handle = machine_address(strand, operand, lane);
    const struct texture *texture = launch->texture != NULL ? launch->texture(launch->texture_context, *handle) : NULL;
    if (texture == NULL || texture->image.is_linear_memory) return texture;
    return is_mapped(strand, &texture->image) ? texture : NULL;
}

enum machine_next machine_no_texture(struct machine_strand *strand, const struct machine_code *code, uint32_t lane,
                                     uint64_t handle)
{
    return machine_stop(strand, code, lane, MACHINE_FAULTED, CUDA_ILLEGAL_ADDRESS,
                        "there is no texture or surface object 0x%llx: it was never made, or it or its memory is gone",
                        (unsigned long long)handle);
}

// --- Fetches ---------------------------------------------------------------------------------------------------------

enum { GEOMETRIES = 7, GATHERS = 4, SURFACES = 5, REDUCTIONS = 3 };

const struct machine_geometry *machine_geometry(const struct ptx_choice *choice)
{
    static const struct machine_geometry all[GEOMETRIES] = {{1, false, false}, {2, false, false}, {3, false, false},
                                                            {1, true, false},  {2, true, false},  {3, false, true},
                                                            {3, true, true}};
    static const uint8_t of_gather[GATHERS] = {1, 4, 5, 6};
    const int form = choice->form;
    if (form < PTX_FORM_TLD4_R_2D) return &all[(form - PTX_FORM_TEX_1D) % GEOMETRIES];
    if (form <= PTX_FORM_TLD4_A_ACUBE) return &all[of_gather[(form - PTX_FORM_TLD4_R_2D) % GATHERS]];
    if (form < PTX_FORM_SURED_B_1D) return &all[(form - PTX_FORM_SULD_B_1D) % SURFACES];
    return &all[(form - PTX_FORM_SURED_B_1D) % REDUCTIONS];
}

// Where the operands of an instruction are.
struct parts {
    const struct machine_operand *result, *predicate, *texture, *place, *level, *dy;
};

static struct parts parts_of(const struct machine_code *code)
{
    const struct machine_operand *at = code->operand;
    const int form = code->choice->form;
    const bool has_dy = form >= PTX_FORM_TEX_GRAD_1D && form <= PTX_FORM_TEX_GRAD_ACUBE;
    const bool has_level = form >= PTX_FORM_TEX_LEVEL_1D && form <= PTX_FORM_TEX_GRAD_ACUBE;
    return (struct parts){.result = &at[machine_operand_at(code, OF_RESULT)],
                          .predicate = &at[machine_operand_at(code, OF_PREDICATE)],
                          .texture = &at[machine_operand_at(code, OF_TEXTURE)],
                          .place = &at[machine_operand_at(code, OF_PLACE)],
                          .level = has_level ? &at[machine_operand_at(code, OF_LEVEL)] : NULL,
                          .dy = has_dy ? &at[machine_operand_at(code, OF_DY)] : NULL};
}

static void floats_of(const struct machine_strand *strand, const struct machine_operand *from, uint32_t count,
                      uint32_t lane, float to[TEXTURE_AXES])
{
    for (uint32_t i = 0; i < count; i++) to[i] = f32_of((uint32_t)machine_value(strand, &from[i], lane));
}

// What all lanes have in common.
static struct texture_fetch fetch_of(const struct machine_code *code)
{
    const struct machine_geometry *geometry = machine_geometry(code->choice);
    return (struct texture_fetch){.axes = geometry->axes,
                                  .is_layered = geometry->has_layer,
                                  .is_cube = geometry->is_cube,
                                  .is_integer = code->choice->type[1] == PTX_TYPE_s32};
}

static void set_place(struct texture_fetch *fetch, const struct machine_strand *strand, const struct parts *parts,
                      uint32_t lane)
{
    const struct machine_operand *axis = parts->place + fetch->is_layered;
    if (fetch->is_layered) fetch->layer = (int32_t)machine_value(strand, parts->place, lane);
    if (!fetch->is_integer) floats_of(strand, axis, fetch->axes, lane, fetch->at);
    for (uint32_t i = 0; fetch->is_integer && i < fetch->axes; i++)
        fetch->whole[i] = (int32_t)machine_value(strand, &axis[i], lane);
}

static float level_of(const struct machine_strand *strand, const struct parts *parts, uint32_t lane,
                      const struct texture *texture, const struct texture_fetch *fetch)
{
    float dx[TEXTURE_AXES] = {0}, dy[TEXTURE_AXES] = {0};
    if (parts->level == NULL) return 0;
    if (parts->dy == NULL) {
        const uint32_t bits = (uint32_t)machine_value(strand, parts->level, lane);
        return fetch->is_integer ? (float)(int32_t)bits : f32_of(bits);
    }
    floats_of(strand, parts->level, fetch->axes, lane, dx);
    floats_of(strand, parts->dy, fetch->axes, lane, dy);
    return texture_level_of(texture, fetch, dx, dy);
}

static uint32_t component_of(const struct ptx_choice *choice)
{
    return (uint32_t)(choice->form - PTX_FORM_TLD4_R_2D) / GATHERS;
}

static bool is_gather(const struct ptx_choice *choice)
{
    return choice->form >= PTX_FORM_TLD4_R_2D && choice->form <= PTX_FORM_TLD4_A_ACUBE;
}

// Words are those of four channels; registers of halves take two or one of them.
static void set_result(const struct machine_strand *strand, const struct machine_code *code, const struct parts *parts,
                       uint32_t lane, const uint32_t word[TEXTURE_MOST_CHANNELS])
{
    const enum ptx_type type = (enum ptx_type)code->choice->type[0];
    const bool is_half = type == PTX_TYPE_f16 || type == PTX_TYPE_f16x2;
    uint32_t half[TEXTURE_MOST_CHANNELS] = {0};
    for (int i = 0; is_half && i < TEXTURE_MOST_CHANNELS; i++) half[i] = f16_of_float(f32_of(word[i]));
    for (uint32_t i = 0; type == PTX_TYPE_f16x2 && i < 2; i++)
        machine_set_value(strand, &parts->result[i], lane, half[2 * i] | half[2 * i + 1] << 16);
    for (uint32_t i = 0; type != PTX_TYPE_f16x2 && i < TEXTURE_MOST_CHANNELS; i++)
        machine_set_value(strand, &parts->result[i], lane, is_half ? half[i] : word[i]);
    if (parts->predicate->slot != MACHINE_LEFT_OUT) machine_set_value(strand, parts->predicate, lane, 1);
}

// A texture may be larger than the memory it was made of, as an H200 takes it: then each texel counts by itself.
// Indices past the texture read zero.
static bool has_texel(const struct machine_strand *strand, const struct texture_image *image,
                      const struct texture_fetch *fetch)
{
    const struct texture_level *level = &image->level[0];
    const uint32_t index = (uint32_t)fetch->whole[0], bytes = image->channels * image->channel_bytes;
    const struct global_memory *global = &strand->warp->cta->cluster->machine->global;
    if (index >= level->size[0]) return true;
    return global_usable_bytes(global, (uint64_t)(uintptr_t)level->at + (uint64_t)index * bytes, bytes, MEMORY_READS) >=
           bytes;
}

static enum machine_next no_texel(struct machine_strand *strand, const struct machine_code *code, uint32_t lane,
                                  const struct texture_image *image, const struct texture_fetch *fetch)
{
    return machine_stop(strand, code, lane, MACHINE_FAULTED, CUDA_ILLEGAL_ADDRESS,
                        "texel %d of a texture of the %u texels at %p: no memory of the device is there",
                        fetch->whole[0], image->level[0].size[0], (const void *)image->level[0].at);
}

static enum machine_next fetch(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    const struct parts parts = parts_of(code);
    struct texture_fetch fetch = fetch_of(code);
    const struct texture *texture = NULL;
    uint64_t handle = 0;
    bool is_whole = false;
    for (EACH_BIT(lane, lanes)) {
        uint32_t word[TEXTURE_MOST_CHANNELS];
        if (texture == NULL || machine_address(strand, parts.texture, lane) != handle) {
            texture = machine_texture(strand, parts.texture, lane, &handle);
            is_whole = texture != NULL && is_mapped(strand, &texture->image);
        }
        if (texture == NULL || (!is_whole && !fetch.is_integer)) return machine_no_texture(strand, code, lane, handle);
        set_place(&fetch, strand, &parts, lane);
        if (!is_whole && !has_texel(strand, &texture->image, &fetch))
            return no_texel(strand, code, lane, &texture->image, &fetch);
        if (is_gather(code->choice))
            texture_gather(texture, &fetch, component_of(code->choice), word);
        else
            texture_read(texture, &fetch, level_of(strand, &parts, lane, texture, &fetch), word);
        set_result(strand, code, &parts, lane, word);
    }
    return MACHINE_NEXT;
}

// --- Queries ---------------------------------------------------------------------------------------------------------

// The numbers of PTX, 5.3: what a channel is, and how many there are.
static uint32_t data_type_of(const struct texture_image *image, bool is_raw)
{
    enum { SNORM_8 = 0x10d0, SNORM_16, UNORM_8, UNORM_16, SIGNED_8 = 0x10d7, UNSIGNED_8 = 0x10da, FLOAT_16 = 0x10dd };
    const uint32_t wide = image->channel_bytes / 2; // 0, 1, 2
    if (image->number == TEXTURE_FLOAT) return FLOAT_16 + wide - 1;
    const uint32_t is_unsigned = image->number == TEXTURE_UNSIGNED;
    if (!is_raw && image->channel_bytes < 4) return (is_unsigned ? (uint32_t)UNORM_8 : (uint32_t)SNORM_8) + wide;
    return (is_unsigned ? (uint32_t)UNSIGNED_8 : (uint32_t)SIGNED_8) + wide;
}

static uint32_t order_of(const struct texture_image *image)
{
    enum { ORDER_R = 0x10b0, ORDER_RG = 0x10b2, ORDER_RGBA = 0x10b5 };
    return image->channels == 1 ? ORDER_R : image->channels == 2 ? ORDER_RG : ORDER_RGBA;
}

static uint32_t size_of(const struct texture_image *image, uint32_t axis, uint32_t level)
{
    const uint32_t last = image->levels - 1;
    return axis < image->axes ? image->level[level < last ? level : last].size[axis] : 0;
}

// What is asked: the names are those of the rows behind TXQ_ and SUQ_.
#define ASKED(name)                                                                                                    \
    case PTX_FORM_TXQ_##name:                                                                                          \
    case PTX_FORM_SUQ_##name
static uint32_t answer(const struct texture *texture, int form, uint32_t level)
{
    const struct texture_image *image = &texture->image;
    switch (form) {
    case PTX_FORM_TXQ_LEVEL_WIDTH:
        ASKED(WIDTH) : return size_of(image, 0, level);
    case PTX_FORM_TXQ_LEVEL_HEIGHT:
        ASKED(HEIGHT) : return size_of(image, 1, level);
    case PTX_FORM_TXQ_LEVEL_DEPTH:
        ASKED(DEPTH) : return size_of(image, 2, level);
        ASKED(CHANNEL_DATA_TYPE) : return data_type_of(image, texture->sampler.is_raw);
        ASKED(CHANNEL_ORDER) : return order_of(image);
        ASKED(ARRAY_SIZE) : return image->is_layered ? image->planes / (image->is_cube ? TEXTURE_FACES : 1) : 0;
    case PTX_FORM_TXQ_NORMALIZED_COORDS:
        return (uint32_t)texture->sampler.is_normalized;
    case PTX_FORM_TXQ_NUM_MIPMAP_LEVELS:
        return image->levels;
    default:
        return 1; // samples; the layout of a surface
    }
}

static bool has_level(int form)
{
    return form >= PTX_FORM_TXQ_LEVEL_WIDTH && form <= PTX_FORM_TXQ_LEVEL_DEPTH;
}

static enum machine_next query(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    const int form = code->choice->form;
    for (EACH_BIT(lane, lanes)) {
        uint64_t handle;
        const struct texture *texture = machine_texture(strand, &code->operand[1], lane, &handle);
        if (texture == NULL) return machine_no_texture(strand, code, lane, handle);
        const uint32_t level = has_level(form) ? (uint32_t)machine_value(strand, &code->operand[2], lane) : 0;
        machine_set_value(strand, &code->operand[0], lane, answer(texture, form, level));
    }
    return MACHINE_NEXT;
}

machine_handler *machine_textures_find(const struct ptx_choice *choice)
{
    if (choice->form >= PTX_FORM_TEX_1D && choice->form <= PTX_FORM_TLD4_A_ACUBE) return fetch;
    return choice->form >= PTX_FORM_TXQ_WIDTH && choice->form <= PTX_FORM_SUQ_MEMORY_LAYOUT ? query : NULL;
}
