// SPDX-License-Identifier: MIT
// What decoding has gathered of a function, in the form in which it stays and runs.
#include <stdlib.h>
#include <string.h>

#include "decoder.h"
#include "handler.h"

void *machine_aligned_copy(struct decoder *decoder, const void *from, size_t bytes)
{
    void *to =
        aligned_alloc(MACHINE_SLOT_ALIGN, (bytes + MACHINE_SLOT_ALIGN) / MACHINE_SLOT_ALIGN * MACHINE_SLOT_ALIGN);
    if (to == NULL) longjmp(decoder->no_memory, 1);
    if (bytes > 0) memcpy(to, from, bytes);
    return to;
}

// The program's spellings lie elsewhere when it has read another body.
static void keep_choices(struct decoder *decoder, struct machine_code *code)
{
    struct machine_function *function = decoder->function;
    const struct ptx_program *program = decoder->program;
    function->choice = malloc((program->ops + 1u) * sizeof *function->choice);
    if (function->choice == NULL) longjmp(decoder->no_memory, 1);
    for (uint32_t i = 0; i < program->ops; i++) function->choice[i] = program->op[i].choice;
    for (uint32_t i = 0; i < function->codes; i++)
        if (code[i].choice != NULL)
            code[i].choice = &function->choice[decoder->source->instruction[code[i].instruction].op];
}

// For each code where its operands are, and the end behind them.
static void keep_slots(struct decoder *decoder, struct machine_code *code)
{
    struct machine_function *function = decoder->function;
    uint32_t *many = malloc((decoder->operand.count + function->codes + 1u) * sizeof *many);
    if (many == NULL) longjmp(decoder->no_memory, 1);
    function->many = many;
    for (uint32_t i = 0; i < function->codes; i++) {
        bool are_few = code[i].operands <= MACHINE_FEW_OPERANDS;
        uint32_t *slot = are_few ? code[i].few : many, n = 0;
        if (!are_few) code[i].many = many;
        if (are_few && code[i].handler == NULL && code[i].guarded == MACHINE_ALL) code[i].kind = MACHINE_PLAIN;
        for (; n < code[i].operands; n++) slot[n] = code[i].operand[n].slot;
        for (; n < MACHINE_FEW_OPERANDS || (!are_few && n == code[i].operands); n++) slot[n] = MACHINE_LEFT_OUT;
        if (!are_few) many += n;
    }
}

// Loads and stores are not model/alu's: they have something else in the place of the slots.
static void keep_transfers(struct decoder *decoder, struct machine_code *code)
{
    struct machine_function *function = decoder->function;
    uint32_t count = 0;
    for (uint32_t i = 0; i < function->codes; i++) count += code[i].handler == machine_run_transfer;
    struct machine_transfer *transfer = malloc((count + 1u) * sizeof *transfer);
    if (transfer == NULL) longjmp(decoder->no_memory, 1);
    function->transfer = transfer;
    for (uint32_t i = 0; i < function->codes; i++) {
        if (code[i].handler != machine_run_transfer) continue;
        machine_transfer_prepare(transfer, &code[i]);
        code[i].transfer = transfer++;
    }
}

static int order_of(const void *left, const void *right)
{
    const struct machine_register_place *a = left, *b = right;
    if (a->file != b->file) return a->file < b->file ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

static void keep_places(struct decoder *decoder)
{
    struct machine_function *function = decoder->function;
    function->places = decoder->registers.count;
    function->place =
        machine_aligned_copy(decoder, decoder->registers.item, function->places * sizeof *function->place);
    qsort(function->place, function->places, sizeof *function->place, order_of);
}

const struct machine_register_place *machine_register_find(const struct machine_function *function, enum ptx_file file,
                                                           uint32_t index)
{
    const struct machine_register_place wanted = {.index = index, .file = (uint8_t)file};
    return bsearch(&wanted, function->place, function->places, sizeof wanted, order_of);
}

void machine_function_keep(struct decoder *decoder)
{
    struct machine_function *function = decoder->function;
    function->operand =
        machine_aligned_copy(decoder, decoder->operand.item, decoder->operand.count * sizeof(struct machine_operand));
    function->constants = machine_aligned_copy(decoder, decoder->constant.item, decoder->constant.count);
    struct machine_code *code =
        machine_aligned_copy(decoder, decoder->code.item, decoder->code.count * sizeof(struct machine_code));
    function->code = code;
    function->codes = decoder->code.count;
    for (uint32_t i = 0; i < function->codes; i++) code[i].operand = function->operand + (uintptr_t)code[i].operand;
    keep_slots(decoder, code);
    keep_choices(decoder, code);
    keep_transfers(decoder, code);
    keep_places(decoder);
    function->kept_bytes =
        (uint32_t)(decoder->operand.count * (sizeof(struct machine_operand) + sizeof *function->many) +
                   decoder->constant.count + decoder->program->ops * sizeof *function->choice);
}
