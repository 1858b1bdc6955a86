// SPDX-License-Identifier: MIT
// Operands of PTX as slots: registers, constants, special registers, addresses, and what has to run before or behind an
// instruction so that it finds its lanes as wide as it expects them.
#include <stdlib.h>
#include <string.h>

#include "decoder.h"
#include "handler.h"

enum { HEADS = 4096 }; // of the lists by hash

void *machine_array_add(struct machine_array *array, uint32_t count, size_t each_bytes, jmp_buf *no_memory)
{
    if (array->room - array->count < count) {
        uint32_t room = 2 * array->room + count + 16;
        void *more = room < array->room ? NULL : realloc(array->item, room * each_bytes);
        if (more == NULL) longjmp(*no_memory, 1);
        array->item = more;
        array->room = room;
    }
    void *first = (uint8_t *)array->item + array->count * each_bytes;
    memset(first, 0, count * each_bytes);
    array->count += count;
    return first;
}

// --- Slots -----------------------------------------------------------------------------------------------------------

enum ptx_file machine_file_of(enum ptx_type type)
{
    uint32_t bits = ptx_type_row(type)->bits;
    if (type == PTX_TYPE_pred) return PTX_FILE_PRED;
    return bits <= 16 ? PTX_FILE_16 : bits <= 32 ? PTX_FILE_32 : bits <= 64 ? PTX_FILE_64 : PTX_FILE_128;
}

static uint32_t machine_slot_bytes(enum ptx_file file)
{
    static const uint32_t bytes[PTX_FILES] = {MACHINE_SLOT_ALIGN, 2 * MACHINE_LANES, 4 * MACHINE_LANES,
                                              8 * MACHINE_LANES, 16 * MACHINE_LANES};
    return bytes[file];
}

uint32_t machine_scratch(struct decoder *decoder, enum ptx_file file)
{
    enum { MOST_BYTES = 1 << 28 };
    uint32_t slot = decoder->function->frame_bytes | MACHINE_IN_FRAME;
    if (decoder->function->frame_bytes > MOST_BYTES) longjmp(decoder->no_memory, 1);
    decoder->function->frame_bytes += machine_slot_bytes(file);
    return slot;
}

uint32_t machine_register(struct decoder *decoder, enum ptx_file file, uint32_t index)
{
    uint32_t *head = &decoder->register_head[(index * PTX_FILES + (uint32_t)file) % HEADS];
    const struct machine_register_place *all = decoder->registers.item;
    for (uint32_t i = *head; i != 0; i = all[i - 1].next)
        if (all[i - 1].index == index && all[i - 1].file == file) return all[i - 1].slot;
    const uint32_t slot = machine_scratch(decoder, file);
    struct machine_register_place *added =
        machine_array_add(&decoder->registers, 1, sizeof *added, &decoder->no_memory);
    *added = (struct machine_register_place){index, slot, *head, (uint8_t)file};
    *head = decoder->registers.count;
    return slot;
}

// --- Constants -------------------------------------------------------------------------------------------------------

struct constant {
    uint64_t bits;
    uint32_t slot, next; // next: number of another with the same hash, + 1
    uint8_t file;
};

static void fill_lanes(uint8_t *slot, enum ptx_file file, uint64_t bits)
{
    uint32_t predicate = bits ? UINT32_MAX : 0;
    if (file == PTX_FILE_PRED) memcpy(slot, &predicate, sizeof predicate);
    for (int lane = 0; file != PTX_FILE_PRED && lane < MACHINE_LANES; lane++) {
        uint32_t each = machine_slot_bytes(file) / MACHINE_LANES;
        memset(slot + (uint32_t)lane * each, 0, each);
        memcpy(slot + (uint32_t)lane * each, &bits, each > 8 ? 8 : each);
    }
}

// The slot of a constant, which equal ones share.
static uint32_t constant_slot(struct decoder *decoder, enum ptx_file file, uint64_t bits)
{
    uint32_t *head = &decoder->constant_head[(bits * UINT64_C(0x9e3779b97f4a7c15) >> 40) % HEADS];
    const struct constant *all = decoder->constants_seen.item;
    for (uint32_t i = *head; i != 0; i = all[i - 1].next)
        if (all[i - 1].bits == bits && all[i - 1].file == file) return all[i - 1].slot;
    uint32_t offset = decoder->constant.count, bytes = machine_slot_bytes(file);
    fill_lanes(machine_array_add(&decoder->constant, bytes, 1, &decoder->no_memory), file, bits);
    struct constant *seen = machine_array_add(&decoder->constants_seen, 1, sizeof *seen, &decoder->no_memory);
    *seen = (struct constant){bits, offset | MACHINE_IN_CONSTANTS, *head, (uint8_t)file};
    *head = decoder->constants_seen.count;
    return seen->slot;
}

void machine_decoder_start(struct decoder *decoder)
{
    free(decoder->constant_head);
    free(decoder->register_head);
    decoder->constant_head = calloc(HEADS, sizeof *decoder->constant_head);
    decoder->register_head = calloc(HEADS, sizeof *decoder->register_head);
    if (decoder->constant_head == NULL || decoder->register_head == NULL) longjmp(decoder->no_memory, 1);
}

// --- Special registers -----------------------------------------------------------------------------------------------

static bool is_clock(enum ptx_special special)
{
    return special == PTX_SPECIAL_CLOCK || special == PTX_SPECIAL_CLOCK_HI || special == PTX_SPECIAL_CLOCK64 ||
           special == PTX_SPECIAL_GLOBALTIMER || special == PTX_SPECIAL_GLOBALTIMER_LO ||
           special == PTX_SPECIAL_GLOBALTIMER_HI;
}

// The slot of the warp that holds it, as wide as it is read.
static uint32_t special_slot(struct decoder *decoder, enum ptx_special special, uint8_t part, enum ptx_file file)
{
    const struct machine_special *all = decoder->special.item;
    for (uint32_t i = 0; i < decoder->special.count; i++)
        if (all[i].special == special && all[i].part == part && all[i].file == file) return all[i].slot;
    struct machine_special *added = machine_array_add(&decoder->special, 1, sizeof *added, &decoder->no_memory);
    *added =
        (struct machine_special){decoder->kernel->warp_bytes | MACHINE_IN_WARP, (uint8_t)special, part, (uint8_t)file};
    decoder->kernel->warp_bytes += machine_slot_bytes(file);
    return added->slot;
}

// --- Asides ----------------------------------------------------------------------------------------------------------

static void aside(struct decoder *decoder, struct machine_array *where, machine_handler *handler,
                  struct machine_operand to, struct machine_operand from)
{
    struct machine_aside *added = machine_array_add(where, 1, sizeof *added, &decoder->no_memory);
    *added = (struct machine_aside){handler, to, from};
}

static struct machine_operand scratch_operand(struct decoder *decoder, enum ptx_type type)
{
    enum ptx_file file = machine_file_of(type);
    return (struct machine_operand){
        .slot = machine_scratch(decoder, file), .file = (uint8_t)file, .type = (uint8_t)type, .parts = 1};
}

// --- Addresses -------------------------------------------------------------------------------------------------------

static const struct ptx_variable *variable_of(const struct decoder *decoder, uint32_t index)
{
    return index & PTX_OF_FUNCTION ? &decoder->source->variable[index & ~PTX_OF_FUNCTION]
                                   : &decoder->program->variable[index];
}

static bool is_kernel_parameter(const struct decoder *decoder, uint32_t index)
{
    return decoder->source->is_entry && index & PTX_OF_FUNCTION &&
           (index & ~PTX_OF_FUNCTION) < decoder->source->parameters;
}

// Where a variable begins: a slot of 64 bits and a number to add.
static struct machine_operand variable_address(const struct decoder *decoder, uint32_t index)
{
    const struct ptx_variable *variable = variable_of(decoder, index);
    bool is_own = (index & PTX_OF_FUNCTION) != 0;
    uint32_t number = index & ~PTX_OF_FUNCTION;
    uint64_t offset = is_own ? ((const uint64_t *)decoder->variable.item)[number] : 0;
    struct machine_operand at = {
        .slot = MACHINE_SLOT_ZERO | MACHINE_IN_WARP, .file = PTX_FILE_64, .parts = 1, .is_uniform = 1};
    switch (variable->space) {
    case PTX_SHARED:
        at.slot = MACHINE_SLOT_SHARED | MACHINE_IN_WARP;
        at.add = (int64_t)(is_own ? offset : decoder->module->variable_offset[number]);
        break;
    case PTX_LOCAL:
        if (is_own) at.slot = decoder->function->local_slot;
        at.add = (int64_t)(is_own ? offset : decoder->module->variable_offset[number]);
        break;
    case PTX_PARAM:
        if (is_kernel_parameter(decoder, index)) {
            at.slot = MACHINE_SLOT_PARAMETERS | MACHINE_IN_WARP;
            at.add = (int64_t)offset;
        } else {
            at.slot = decoder->function->local_slot;
            at.add = (int64_t)(offset + MACHINE_LOCAL_WINDOW);
        }
        break;
    default:
        at.add = (int64_t)(is_own ? offset : decoder->module->address[number]);
    }
    return at;
}

static struct machine_operand address_operand(struct decoder *decoder, const struct ptx_operand *operand)
{
    struct machine_operand at = {
        .slot = MACHINE_SLOT_ZERO | MACHINE_IN_WARP, .file = PTX_FILE_64, .parts = 1, .is_uniform = 1};
    if (operand->kind == PTX_OPERAND_AT_VARIABLE) at = variable_address(decoder, operand->index);
    if (operand->kind == PTX_OPERAND_AT_REGISTER)
        at = (struct machine_operand){
            .slot = machine_register(decoder, operand->file, operand->index), .file = operand->file, .parts = 1};
    at.add = (int64_t)((uint64_t)at.add + operand->bits);
    at.type = operand->type;
    return at;
}

// --- Values ----------------------------------------------------------------------------------------------------------

static struct machine_operand constant_operand(struct decoder *decoder, enum ptx_type type, uint64_t bits)
{
    enum ptx_file file = machine_file_of(type);
    return (struct machine_operand){.slot = constant_slot(decoder, file, bits),
                                    .file = (uint8_t)file,
                                    .type = (uint8_t)type,
                                    .parts = 1,
                                    .is_uniform = 1};
}

// The address of a variable, or of a function, as a number. Of a kernel's parameter it is the offset (machine_place).
static struct machine_operand symbol_operand(struct decoder *decoder, const struct ptx_operand *operand,
                                             enum ptx_type type)
{
    if (operand->kind == PTX_OPERAND_FUNCTION)
        return constant_operand(decoder, type, machine_function_address(decoder->module, operand->index));
    struct machine_operand from = variable_address(decoder, operand->index);
    from.add = (int64_t)((uint64_t)from.add + operand->bits);
    if (is_kernel_parameter(decoder, operand->index)) from.slot = MACHINE_SLOT_ZERO | MACHINE_IN_WARP;
    if (from.slot == (MACHINE_SLOT_ZERO | MACHINE_IN_WARP)) return constant_operand(decoder, type, (uint64_t)from.add);
    struct machine_operand to = scratch_operand(decoder, type);
    aside(decoder, &decoder->before, machine_add_up, to, from);
    return to;
}

static struct machine_operand register_operand(struct decoder *decoder, const struct ptx_operand *operand)
{
    return (struct machine_operand){.slot = machine_register(decoder, operand->file, operand->index),
                                    .file = operand->file,
                                    .type = operand->type,
                                    .parts = 1};
}

static struct machine_operand special_operand(struct decoder *decoder, const struct ptx_operand *operand,
                                              enum ptx_type type)
{
    enum ptx_file file = machine_file_of(type);
    struct machine_operand at = {
        .slot = special_slot(decoder, (enum ptx_special)operand->index, (uint8_t)operand->bits, file),
        .file = (uint8_t)file,
        .type = (uint8_t)type,
        .parts = 1};
    if (!is_clock((enum ptx_special)operand->index)) return at;
    struct machine_operand which = at;
    which.add = (int64_t)operand->index;
    aside(decoder, &decoder->before, machine_read_clock, at, which);
    return at;
}

static struct machine_operand complemented(struct decoder *decoder, struct machine_operand from)
{
    struct machine_operand to = scratch_operand(decoder, PTX_TYPE_pred);
    aside(decoder, &decoder->before, machine_complement, to, from);
    return to;
}

// A register that is wider than the type: the instruction sees a copy as wide as the type.
static struct machine_operand fitted(struct decoder *decoder, struct machine_operand wide,
                                     const struct ptx_operand_rule *rule, enum ptx_type type)
{
    if (wide.file == machine_file_of(type) || wide.file == PTX_FILE_PRED || type == PTX_TYPE_NONE) return wide;
    struct machine_operand copy = scratch_operand(decoder, type);
    if (rule->is_written)
        aside(decoder, &decoder->behind, machine_convert, wide, copy);
    else
        aside(decoder, &decoder->before, machine_convert, copy, wide);
    return copy;
}

// A store of another size than its register's. As ptxas has it, a float that is stored as bits is converted to an
// unsigned integer of that size, and 64 bits that are stored as .f32 are an unsigned integer that becomes a float; all
// others are cut.
static struct machine_operand stored(struct decoder *decoder, struct machine_operand from, enum ptx_type type)
{
    const struct ptx_type_row *row = ptx_type_row((enum ptx_type)from.type), *as = ptx_type_row(type);
    const bool is_float = row->kind == PTX_KIND_FLOAT && row->bits >= 32 && as->kind == PTX_KIND_BITS;
    const bool is_bits = row->kind == PTX_KIND_BITS && row->bits == 64 && type == PTX_TYPE_f32;
    if (row->bits <= as->bits || !(is_float || is_bits)) return from;
    struct machine_operand copy = scratch_operand(decoder, type);
    aside(decoder, &decoder->before, machine_convert_stored, copy, from);
    return copy;
}

// The type that one part of a vector is taken as: {a, b} of a mov is two halves of the whole.
static enum ptx_type part_type(const struct ptx_operand_rule *rule, uint64_t count)
{
    static const enum ptx_type halves[] = {PTX_TYPE_b8, PTX_TYPE_b16, PTX_TYPE_b32, PTX_TYPE_b64};
    uint32_t bits = ptx_type_row((enum ptx_type)rule->type)->bits;
    for (int i = 0; rule->may_pack && count > 1 && i < 4; i++)
        if (ptx_type_row(halves[i])->bits * count == bits) return halves[i];
    return (enum ptx_type)rule->type;
}

static struct machine_operand scalar(struct decoder *decoder, const struct ptx_operand *operand,
                                     const struct ptx_operand_rule *rule, enum ptx_type type, bool fits_type)
{
    struct machine_operand at;
    switch ((enum ptx_operand_kind)operand->kind) {
    case PTX_OPERAND_REGISTER:
        at = register_operand(decoder, operand);
        if (operand->is_negated) return complemented(decoder, at);
        if (fits_type) return fitted(decoder, at, rule, type);
        return rule->is_wide && !rule->is_written ? stored(decoder, at, type) : at;
    case PTX_OPERAND_CONSTANT:
        at = constant_operand(decoder, (enum ptx_type)operand->type, operand->bits);
        return operand->is_negated ? complemented(decoder, at) : at;
    case PTX_OPERAND_SPECIAL:
        at = special_operand(decoder, operand, type);
        return operand->is_negated ? complemented(decoder, at) : at;
    case PTX_OPERAND_SINK:
        return scratch_operand(decoder, type);
    case PTX_OPERAND_VARIABLE:
    case PTX_OPERAND_FUNCTION:
        return symbol_operand(decoder, operand, type);
    case PTX_OPERAND_AT_REGISTER:
    case PTX_OPERAND_AT_VARIABLE:
    case PTX_OPERAND_AT_CONSTANT:
        return address_operand(decoder, operand);
    default:
        return (struct machine_operand){.slot = MACHINE_LEFT_OUT, .parts = 1};
    }
}

static struct machine_operand *add(struct decoder *decoder, struct machine_operand operand)
{
    struct machine_operand *to = machine_array_add(&decoder->operand, 1, sizeof *to, &decoder->no_memory);
    *to = operand;
    return to;
}

void machine_operand_add(struct decoder *decoder, const struct ptx_operand *operand,
                         const struct ptx_operand_rule *rule, bool fits_type)
{
    enum ptx_type type = rule->kind == PTX_RULE_CONSTANT ? PTX_TYPE_b32 : (enum ptx_type)rule->type;
    if (operand->kind != PTX_OPERAND_VECTOR) {
        add(decoder, scalar(decoder, operand, rule, type, fits_type));
        return;
    }
    const struct ptx_operand *part = &decoder->source->operand[operand->index];
    uint32_t first = decoder->operand.count;
    for (uint64_t i = 0; i < operand->bits; i++)
        add(decoder, scalar(decoder, &part[i], rule, part_type(rule, operand->bits), fits_type));
    if (operand->bits > 0) ((struct machine_operand *)decoder->operand.item)[first].parts = (uint8_t)operand->bits;
}

void machine_argument_add(struct decoder *decoder, const struct ptx_operand *operand)
{
    struct ptx_operand_rule any = {.type = PTX_TYPE_b64};
    if (operand->kind != PTX_OPERAND_VARIABLE) {
        add(decoder, scalar(decoder, operand, &any, PTX_TYPE_b64, false));
        return;
    }
    struct machine_operand at = variable_address(decoder, operand->index);
    at.add = (int64_t)((uint64_t)at.add + operand->bits);
    at.file = PTX_FILES;
    add(decoder, at);
}
