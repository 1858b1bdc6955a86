// SPDX-License-Identifier: MIT
// Lanes one by one, and the asides that decoding puts before and behind instructions.
#include <string.h>

#include "decoder.h"
#include "form_number.h"
#include "handler.h"

uint32_t machine_operand_at(const struct machine_code *code, uint32_t n)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < n; i++) at += code->operand[at].parts;
    return at;
}

uint64_t machine_value(const struct machine_strand *strand, const struct machine_operand *operand, uint32_t lane)
{
    const void *lanes = machine_slot(strand, operand->slot);
    switch ((enum ptx_file)operand->file) {
    case PTX_FILE_PRED:
        return *(const uint32_t *)lanes >> lane & 1;
    case PTX_FILE_16:
        return ((const uint16_t *)lanes)[lane];
    case PTX_FILE_32:
        return ((const uint32_t *)lanes)[lane];
    case PTX_FILE_64:
        return ((const uint64_t *)lanes)[lane];
    default:
        return ((const struct machine_wide *)lanes)[lane].low;
    }
}

void machine_set_value(const struct machine_strand *strand, const struct machine_operand *operand, uint32_t lane,
                       uint64_t value)
{
    void *lanes = machine_slot(strand, operand->slot);
    switch ((enum ptx_file)operand->file) {
    case PTX_FILE_PRED:
        *(uint32_t *)lanes = (*(uint32_t *)lanes & ~(1u << lane)) | (uint32_t)(value & 1) << lane;
        break;
    case PTX_FILE_16:
        ((uint16_t *)lanes)[lane] = (uint16_t)value;
        break;
    case PTX_FILE_32:
        ((uint32_t *)lanes)[lane] = (uint32_t)value;
        break;
    case PTX_FILE_64:
        ((uint64_t *)lanes)[lane] = value;
        break;
    default:
        ((struct machine_wide *)lanes)[lane] = (struct machine_wide){value, 0};
    }
}

uint64_t machine_address(const struct machine_strand *strand, const struct machine_operand *operand, uint32_t lane)
{
    uint64_t address = machine_value(strand, operand, lane) + (uint64_t)operand->add;
    return operand->file == PTX_FILE_64 ? address : (uint32_t)address;
}

void machine_addresses(const struct machine_strand *strand, const struct machine_operand *operand,
                       uint64_t address[MACHINE_LANES])
{
    uint64_t add = (uint64_t)operand->add;
    if (operand->file == PTX_FILE_64) {
        const uint64_t *from = machine_slot(strand, operand->slot);
        for (int lane = 0; lane < MACHINE_LANES; lane++) address[lane] = from[lane] + add;
        return;
    }
    if (operand->file == PTX_FILE_32) {
        const uint32_t *from = machine_slot(strand, operand->slot), add_32 = (uint32_t)add;
        for (int lane = 0; lane < MACHINE_LANES; lane++) address[lane] = from[lane] + add_32;
        return;
    }
    for (uint32_t lane = 0; lane < MACHINE_LANES; lane++) address[lane] = machine_address(strand, operand, lane);
}

// --- Asides ----------------------------------------------------------------------------------------------------------

enum machine_next machine_complement(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    (void)lanes; // a scratch predicate: the others do no harm
    *(uint32_t *)machine_lanes(strand, code, 0) = ~*(const uint32_t *)machine_lanes(strand, code, 1);
    return MACHINE_NEXT;
}

// Sign- or zero-extends the `bits` low bits.
static uint64_t extended(uint64_t value, uint32_t bits, bool is_signed)
{
    if (bits >= 64) return value;
    uint64_t sign = (uint64_t)1 << (bits - 1);
    value &= ((uint64_t)1 << bits) - 1;
    return is_signed ? (value ^ sign) - sign : value;
}

enum machine_next machine_convert(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    const struct machine_operand *to = &code->operand[0], *from = &code->operand[1];
    const struct ptx_type_row *type = ptx_type_row((enum ptx_type)from->type);
    for (uint32_t lane = 0; lane < MACHINE_LANES; lane++)
        if (lanes >> lane & 1)
            machine_set_value(strand, to, lane,
                              extended(machine_value(strand, from, lane), type->bits, type->kind == PTX_KIND_SIGNED));
    return MACHINE_NEXT;
}

// The type of as many bits without a sign.
static enum ptx_type unsigned_type(enum ptx_type type)
{
    static const enum ptx_type types[] = {PTX_TYPE_u8, PTX_TYPE_u16, PTX_TYPE_u32, PTX_TYPE_u64};
    return types[__builtin_ctz(ptx_type_row(type)->bits / 8)];
}

// cvt.rn.f32.u64 or cvt.rzi.u32.f64 and the like, for all lanes: the copy is a slot that the instruction alone reads.
enum machine_next machine_convert_stored(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    const enum ptx_type to = (enum ptx_type)code->operand[0].type, from = (enum ptx_type)code->operand[1].type;
    const uint32_t slot[] = {code->operand[0].slot, code->operand[1].slot};
    struct ptx_choice choice = {.types = 2};
    if (to == PTX_TYPE_f32) {
        choice.form = PTX_FORM_CVT_INT_TO_F32;
        choice.type[0] = PTX_TYPE_f32;
        choice.type[1] = (uint8_t)unsigned_type(from);
        choice.word[PTX_CLASS_ROUND] = PTX_RN;
    } else {
        choice.form = from == PTX_TYPE_f32 ? PTX_FORM_CVT_F32_TO_INT : PTX_FORM_CVT_FLOAT_TO_INT;
        choice.type[0] = (uint8_t)unsigned_type(to);
        choice.type[1] = (uint8_t)from;
        choice.word[PTX_CLASS_ROUND] = PTX_RZI;
    }
    alu_find (&choice)(&strand->registers, slot, &choice, lanes);
    return MACHINE_NEXT;
}

enum machine_next machine_add_up(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    uint64_t address[MACHINE_LANES];
    machine_addresses(strand, &code->operand[1], address);
    for (uint32_t lane = 0; lane < MACHINE_LANES; lane++)
        if (lanes >> lane & 1) machine_set_value(strand, &code->operand[0], lane, address[lane]);
    return MACHINE_NEXT;
}
