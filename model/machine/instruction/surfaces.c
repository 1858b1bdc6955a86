// SPDX-License-Identifier: MIT
// suld, sust and sured: bytes of an image by coordinates, of which x counts bytes (in the .p forms texels).
#include <math.h>
#include <string.h>

#include "each.h"
#include "float_add.h"
#include "texture_handle.h"

// What an access does. Those behind STORE take texels in the format of the image, for which x counts texels.
enum surface_kind { LOAD, REDUCE, STORE, STORE_TEXELS, REDUCE_TEXELS, KINDS };

// An access as its words say it.
struct surface_access {
    enum surface_kind kind;
    const struct machine_operand *surface, *place, *data;
    uint32_t axes, parts, part_bytes;
    bool has_layer, clamps, traps, is_formatted;
};

static struct surface_access access_of(const struct machine_code *code, enum surface_kind kind)
{
    const struct ptx_choice *choice = code->choice;
    const bool is_load = kind == LOAD;
    const uint32_t at = machine_operand_at(code, (uint32_t)is_load), place = machine_operand_at(code, is_load + 1u);
    const int vector = choice->word[PTX_CLASS_VECTOR];
    return (struct surface_access){.kind = kind,
                                   .surface = &code->operand[at],
                                   .place = &code->operand[place],
                                   .data = &code->operand[is_load ? 0 : machine_operand_at(code, 2)],
                                   .axes = machine_geometry(choice)->axes,
                                   .parts = vector == 0 ? 1 : 2u << (vector - PTX_V2),
                                   .part_bytes = ptx_type_row((enum ptx_type)choice->type[0])->bits / 8,
                                   .has_layer = machine_geometry(choice)->has_layer,
                                   .clamps = choice->word[PTX_CLASS_CLAMP] == PTX_CLAMP,
                                   .traps = choice->word[PTX_CLASS_CLAMP] == PTX_TRAP,
                                   .is_formatted = kind > STORE};
}

// Does a lane's x, in bytes, lie at no multiple of what the access moves?
static bool is_odd(const struct machine_strand *strand, const struct surface_access *access, uint32_t lane,
                   uint32_t bytes)
{
    const uint64_t x = machine_value(strand, access->place + access->has_layer, lane);
    return !access->is_formatted && (x & (bytes - 1)) != 0;
}

static uint8_t *at_of(const struct machine_strand *strand, const struct surface_access *access,
                      const struct texture_image *image, uint32_t lane, uint32_t bytes)
{
    const struct machine_operand *axis = access->place + access->has_layer;
    const int32_t layer = access->has_layer ? (int32_t)machine_value(strand, access->place, lane) : 0;
    int32_t at[TEXTURE_AXES] = {0};
    for (uint32_t i = 0; i < access->axes; i++) at[i] = (int32_t)machine_value(strand, &axis[i], lane);
    const int64_t x = (int64_t)at[0] * (access->is_formatted ? image->channels * image->channel_bytes : 1);
    at[0] = x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : (int32_t)x;
    return texture_surface_at(image, at, access->axes, layer, bytes, access->clamps);
}

static enum machine_next outside(struct machine_strand *strand, const struct machine_code *code,
                                 const struct surface_access *access, const struct texture_image *image, uint32_t lane)
{
    const struct machine_operand *axis = access->place + access->has_layer;
    int32_t at[TEXTURE_AXES] = {0};
    for (uint32_t i = 0; i < access->axes; i++) at[i] = (int32_t)machine_value(strand, &axis[i], lane);
    const uint32_t *size = image->level[0].size;
    return machine_stop(
        strand, code, lane, MACHINE_FAULTED, CUDA_ILLEGAL_ADDRESS,
        "the surface access at x %d, y %d, z %d is outside of its %u x %u x %u texels of %u bytes, in %u planes; x %s",
        at[0], at[1], at[2], size[0], size[1], size[2], image->channels * image->channel_bytes, image->planes,
        access->is_formatted ? "counts texels" : "counts bytes: multiply it by the size of a texel");
}

static enum machine_next odd(struct machine_strand *strand, const struct machine_code *code,
                             const struct surface_access *access, uint32_t lane, uint32_t bytes)
{
    const int32_t x = (int32_t)machine_value(strand, access->place + access->has_layer, lane);
    return machine_stop(strand, code, lane, MACHINE_FAULTED, CUDA_MISALIGNED,
                        "the surface access moves %u bytes at x %d; x counts bytes, and must be a multiple of %u",
                        bytes, x, bytes);
}

// --- Stores of texels ------------------------------------------------------------------------------------------------

// Rounded towards 0, as an H200 does.
static uint32_t cut_f16(float value)
{
    const uint32_t half = f16_of_float(value);
    return fabsf(float_of_f16(half)) > fabsf(value) ? half - 1 : half;
}

// What a channel of a formatted store becomes: integers keep what fits, floats become halves.
static uint32_t channel_of(const struct texture_image *image, uint32_t value)
{
    if (image->number == TEXTURE_FLOAT) return image->channel_bytes == 2 ? cut_f16(f32_of(value)) : value;
    const uint32_t bits = 8 * image->channel_bytes;
    if (bits == 32) return value;
    if (image->number == TEXTURE_UNSIGNED) return value >> bits != 0 ? (1u << bits) - 1 : value;
    const int32_t most = (int32_t)(1u << (bits - 1)) - 1, number = (int32_t)value;
    return (uint32_t)(number > most ? most : number < -most - 1 ? -most - 1 : number);
}

static void store_texel(const struct machine_strand *strand, const struct surface_access *access,
                        const struct texture_image *image, uint32_t lane, uint8_t *to)
{
    for (uint32_t i = 0; i < image->channels; i++) {
        const uint32_t value = i < access->parts ? (uint32_t)machine_value(strand, &access->data[i], lane) : 0;
        const uint32_t channel = channel_of(image, value);
        memcpy(to + i * image->channel_bytes, &channel, image->channel_bytes);
    }
}

// --- Bytes -----------------------------------------------------------------------------------------------------------

static void load(const struct machine_strand *strand, const struct surface_access *access, uint32_t lane,
                 const uint8_t *from)
{
    for (uint32_t i = 0; i < access->parts; i++) {
        uint64_t value = 0;
        if (from != NULL) memcpy(&value, from + i * access->part_bytes, access->part_bytes);
        machine_set_value(strand, &access->data[i], lane, value);
    }
}

static void store(const struct machine_strand *strand, const struct surface_access *access, uint32_t lane, uint8_t *to)
{
    for (uint32_t i = 0; i < access->parts; i++) {
        const uint64_t value = machine_value(strand, &access->data[i], lane);
        memcpy(to + i * access->part_bytes, &value, access->part_bytes);
    }
}

static uint64_t reduced(const struct ptx_choice *choice, uint64_t old, uint64_t value)
{
    const bool is_wide = ptx_type_row((enum ptx_type)choice->type[0])->bits == 64;
    const bool is_signed = choice->type[0] == PTX_TYPE_s32 || choice->type[0] == PTX_TYPE_s64;
    const int64_t a = is_wide ? (int64_t)old : (int32_t)old, b = is_wide ? (int64_t)value : (int32_t)value;
    const bool is_less = is_signed ? b < a : value < old;
    switch (choice->word[PTX_CLASS_OPERATION]) {
    case PTX_ADD:
        return old + value;
    case PTX_MIN:
        return is_less ? value : old;
    case PTX_MAX:
        return is_less ? old : value;
    case PTX_AND:
        return old & value;
    default:
        return old | value;
    }
}

// Other clusters may do the same at once.
static void reduce(const struct machine_strand *strand, const struct machine_code *code,
                   const struct surface_access *access, uint32_t lane, uint8_t *to)
{
    const uint64_t value = machine_value(strand, access->data, lane);
    if (access->part_bytes == 8) {
        uint64_t *word = (uint64_t *)(void *)to, old = __atomic_load_n(word, __ATOMIC_RELAXED);
        while (!__atomic_compare_exchange_n(word, &old, reduced(code->choice, old, value), 0, __ATOMIC_RELAXED,
                                            __ATOMIC_RELAXED)) {
        }
        return;
    }
    uint32_t *word = (uint32_t *)(void *)to, old = __atomic_load_n(word, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(word, &old, (uint32_t)reduced(code->choice, old, value), 0, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED)) {
    }
}

// What the access does at the bytes of one lane, which are outside of the surface where `at` is NULL.
static void act(struct machine_strand *strand, const struct machine_code *code, const struct surface_access *access,
                const struct texture_image *image, uint32_t lane, uint8_t *at)
{
    if (access->kind == LOAD) load(strand, access, lane, at);
    if (at == NULL) return;
    if (access->kind == STORE) store(strand, access, lane, at);
    if (access->kind == STORE_TEXELS) store_texel(strand, access, image, lane, at);
    if (access->kind == REDUCE || access->kind == REDUCE_TEXELS) reduce(strand, code, access, lane, at);
}

static enum machine_next run(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes,
                             enum surface_kind kind)
{
    const struct surface_access access = access_of(code, kind);
    for (EACH_BIT(lane, lanes)) {
        uint64_t handle;
        const struct texture *texture = machine_texture(strand, access.surface, lane, &handle);
        if (texture == NULL) return machine_no_texture(strand, code, lane, handle);
        const struct texture_image *image = &texture->image;
        const uint32_t bytes =
            kind == STORE_TEXELS ? image->channels * image->channel_bytes : access.parts * access.part_bytes;
        uint8_t *at = at_of(strand, &access, image, lane, bytes);
        if (at == NULL && access.traps) return outside(strand, code, &access, image, lane);
        if (is_odd(strand, &access, lane, bytes)) return odd(strand, code, &access, lane, bytes);
        act(strand, code, &access, image, lane, at);
    }
    return MACHINE_NEXT;
}

#define HANDLER(name, kind)                                                                                            \
    static enum machine_next name(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)      \
    {                                                                                                                  \
        return run(strand, code, lanes, kind);                                                                         \
    }
HANDLER(run_load, LOAD)
HANDLER(run_store, STORE)
HANDLER(run_store_texels, STORE_TEXELS)
HANDLER(run_reduce, REDUCE)
HANDLER(run_reduce_texels, REDUCE_TEXELS)

machine_handler *machine_surfaces_find(const struct ptx_choice *choice)
{
    static const struct {
        const char *opcode; // begins so
        machine_handler *handler;
    } kinds[KINDS] = {{"suld.b", run_load},
                      {"sust.b", run_store},
                      {"sust.p", run_store_texels},
                      {"sured.b", run_reduce},
                      {"sured.p", run_reduce_texels}};
    const char *opcode = ptx_form_row(choice->form)->opcode;
    for (int i = 0; i < KINDS; i++)
        if (strncmp(opcode, kinds[i].opcode, strlen(kinds[i].opcode)) == 0) return kinds[i].handler;
    return NULL;
}
