// SPDX-License-Identifier: MIT
// Which values are alive behind each block is what its successors read before they write; the blocks are gone through
// backwards until nothing changes. Then each block is gone through once more, and the words are counted.
#include "liveness.h"

#include <stdlib.h>
#include <string.h>

#include "flow.h"

enum { WORD_BITS = 64, MOST_SET_WORDS = 1 << 23 };

// Registers that instructions name, numbered: `of` by file and number, 0 if it is not named, else its number plus 1.
//   words    32-bit words of each; 0 of predicates, and of values that need no register
//   is_free  nothing but constants and parameters is put into it
struct names {
    uint32_t *of[PTX_FILES];
    uint8_t *words, *is_free;
    uint32_t count;
};

// Instructions from `first` to before `end`; its successors are the next, where it falls through, and those of its
// last.
struct block {
    uint32_t first, end;
    bool falls_through;
};

struct live {
    const struct ptx_program *program;
    const struct ptx_function *function;
    struct names names;
    uint16_t *written; // of each spelling of the program: a bit for each operand; IS_KNOWN: it has been looked up
    struct block *block;
    uint32_t *block_of; // each instruction's
    uint32_t blocks, set_words;
    uint64_t *in; // of each block, set_words of them
    uint32_t (*callee)(void *context, uint32_t function);
    void *context;
};

// --- Operands --------------------------------------------------------------------------------------------------------

enum access { IS_READ, IS_WRITTEN };
typedef void visitor(struct live *live, uint64_t *set, uint8_t file, uint32_t index, enum access access);

static void visit_operand(struct live *live, uint64_t *set, const struct ptx_operand *operand, enum access access,
                          enum access wanted, visitor *visit)
{
    if (operand->kind == PTX_OPERAND_VECTOR) {
        for (uint64_t i = 0; i < operand->bits; i++)
            visit_operand(live, set, &live->function->operand[operand->index + i], access, wanted, visit);
        return;
    }
    if (operand->kind == PTX_OPERAND_AT_REGISTER) access = IS_READ;
    if (operand->kind != PTX_OPERAND_REGISTER && operand->kind != PTX_OPERAND_AT_REGISTER) return;
    if (access == wanted) visit(live, set, operand->file, operand->index, access);
}

enum { IS_KNOWN = 1 << 15, IS_PRODUCT = 1 << 14 };

// Which operands an instruction writes. The accumulators of wgmma are read too: IS_PRODUCT.
static uint16_t written_of(struct live *live, uint32_t op)
{
    struct ptx_operand_rule rule[PTX_MOST_OPERANDS];
    const struct ptx_choice *choice = &live->program->op[op].choice;
    uint16_t written = IS_KNOWN;
    if (live->written[op] != 0) return live->written[op];
    const bool is_call = ptx_flow_of(choice) == PTX_FLOW_CALL;
    const int rules = is_call ? 0 : ptx_operand_rules(choice, rule);
    for (int i = 0; i < rules; i++)
        if (rule[i].is_written) written |= (uint16_t)(1 << i);
    if (is_call) written |= 1 << 1; // what comes back
    if (strncmp(ptx_form_row(choice->form)->opcode, "wgmma.mma", 9) == 0) written |= IS_PRODUCT;
    return live->written[op] = written;
}

static void visit_instruction(struct live *live, uint64_t *set, const struct ptx_instruction *instruction,
                              enum access wanted, visitor *visit)
{
    const struct ptx_operand *operand = &live->function->operand[instruction->first];
    const uint16_t written = written_of(live, instruction->op);
    for (int i = 0; i < instruction->operands; i++) {
        const bool is_written = written >> i & true;
        visit_operand(live, set, &operand[i], is_written ? IS_WRITTEN : IS_READ, wanted, visit);
        if (written & IS_PRODUCT && is_written) visit_operand(live, set, &operand[i], IS_READ, wanted, visit);
    }
    if (instruction->is_guarded && wanted == IS_READ) visit(live, set, PTX_FILE_PRED, instruction->guard, IS_READ);
}

// --- Names -----------------------------------------------------------------------------------------------------------

static void add_name(struct live *live, uint64_t *set, uint8_t file, uint32_t index, enum access access)
{
    struct names *names = &live->names;
    (void)set, (void)access;
    if (names->of[file][index] == 0) names->of[file][index] = ++names->count;
}

static uint32_t number_of(const struct live *live, uint8_t file, uint32_t index)
{
    return live->names.of[file][index] - 1;
}

static void bind(struct live *live, uint64_t *set, uint8_t file, uint32_t index, enum access access)
{
    (void)set, (void)access;
    live->names.is_free[number_of(live, file, index)] = 0;
}

static bool is_free_operand(const struct live *live, const struct ptx_operand *operand)
{
    if (operand->kind == PTX_OPERAND_REGISTER)
        return live->names.is_free[number_of(live, operand->file, operand->index)];
    return operand->kind == PTX_OPERAND_CONSTANT || operand->kind == PTX_OPERAND_VARIABLE ||
           operand->kind == PTX_OPERAND_AT_VARIABLE || operand->kind == PTX_OPERAND_AT_CONSTANT;
}

// mov, cvta and ld.param of what needs no register: the result needs none.
static bool gives_free(const struct live *live, const struct ptx_instruction *instruction)
{
    const struct ptx_choice *choice = &live->program->op[instruction->op].choice;
    const char *opcode = ptx_form_row(choice->form)->opcode;
    const struct ptx_operand *operand = &live->function->operand[instruction->first];
    const bool is_load = strcmp(opcode, "ld") == 0 && choice->spaces > 0 && choice->space[0] == PTX_PARAM;
    if (instruction->is_guarded || instruction->operands < 2) return false;
    if (!is_load && strcmp(opcode, "mov") != 0 && strncmp(opcode, "cvta", 4) != 0) return false;
    return live->function->is_entry && is_free_operand(live, &operand[1]);
}

static bool open_names(struct live *live)
{
    struct names *names = &live->names;
    const struct ptx_function *function = live->function;
    for (int file = 0; file < PTX_FILES; file++)
        if ((names->of[file] = calloc(function->registers[file] + 1u, sizeof *names->of[file])) == NULL) return false;
    for (uint32_t i = 0; i < function->instructions; i++) {
        visit_instruction(live, NULL, &function->instruction[i], IS_READ, add_name);
        visit_instruction(live, NULL, &function->instruction[i], IS_WRITTEN, add_name);
    }
    names->words = calloc(names->count + 1u, 1);
    names->is_free = malloc(names->count + 1u);
    if (names->words == NULL || names->is_free == NULL) return false;
    memset(names->is_free, 1, names->count + 1u);
    for (uint32_t i = 0; i < function->instructions; i++)
        if (!gives_free(live, &function->instruction[i]))
            visit_instruction(live, NULL, &function->instruction[i], IS_WRITTEN, bind);
    for (int file = 0; file < PTX_FILES; file++)
        for (uint32_t i = 0; i < function->registers[file]; i++) {
            static const uint8_t words[PTX_FILES] = {0, 1, 1, 2, 4};
            const uint32_t number = names->of[file][i];
            if (number > 0 && !names->is_free[number - 1]) names->words[number - 1] = words[file];
        }
    return true;
}

// --- Blocks ----------------------------------------------------------------------------------------------------------

static bool leaves(const struct live *live, uint32_t instruction)
{
    return ptx_flow_leaves(ptx_flow_of(&live->program->op[live->function->instruction[instruction].op].choice));
}

typedef void targets(struct live *live, uint32_t instruction, void *context);

// Tells where a branch may lead.
static void each_target(struct live *live, uint32_t from, targets *tell, void *context)
{
    const struct ptx_instruction *instruction = &live->function->instruction[from];
    for (int i = 0; i < instruction->operands; i++) {
        const struct ptx_operand *operand = &live->function->operand[instruction->first + (uint32_t)i];
        if (operand->kind == PTX_OPERAND_LABEL) tell(live, operand->index, context);
        if (operand->kind != PTX_OPERAND_TARGETS) continue;
        const struct ptx_targets *list = &live->function->targets[operand->index];
        for (uint32_t k = 0; k < list->count && !list->is_function && !list->is_prototype; k++)
            tell(live, list->index[k], context);
    }
}

static void mark_target(struct live *live, uint32_t instruction, void *context)
{
    (void)context;
    live->block_of[instruction] = 1;
}

static bool open_blocks(struct live *live)
{
    const struct ptx_function *function = live->function;
    const uint32_t count = function->instructions;
    live->block_of = calloc(count + 1u, sizeof *live->block_of);
    if (live->block_of == NULL) return false;
    for (uint32_t i = 0; i < count; i++) {
        if (!leaves(live, i)) continue;
        each_target(live, i, mark_target, NULL);
        live->block_of[i + 1] = 1;
    }
    for (uint32_t i = 0; i < count; i++) live->blocks += i == 0 || live->block_of[i];
    live->block = calloc(live->blocks + 1u, sizeof *live->block);
    if (live->block == NULL) return false;
    for (uint32_t i = 0, block = 0; i < count; i++) {
        if (i > 0 && live->block_of[i]) block++;
        if (i == 0 || live->block_of[i]) live->block[block].first = i;
        live->block[block].end = i + 1;
        live->block[block].falls_through = i + 1 < count && (!leaves(live, i) || function->instruction[i].is_guarded);
    }
    for (uint32_t b = 0; b < live->blocks; b++)
        for (uint32_t i = live->block[b].first; i < live->block[b].end; i++) live->block_of[i] = b;
    return true;
}

// --- What is alive ---------------------------------------------------------------------------------------------------

static void put(struct live *live, uint64_t *set, uint8_t file, uint32_t index, enum access access)
{
    const uint32_t number = number_of(live, file, index);
    const uint64_t bit = (uint64_t)1 << number % WORD_BITS;
    if (access == IS_READ)
        set[number / WORD_BITS] |= bit;
    else
        set[number / WORD_BITS] &= ~bit;
}

static void step_back(struct live *live, uint64_t *set, const struct ptx_instruction *instruction)
{
    visit_instruction(live, set, instruction, IS_WRITTEN, put);
    visit_instruction(live, set, instruction, IS_READ, put);
}

static void join(struct live *live, uint64_t *set, uint32_t block)
{
    const uint64_t *from = &live->in[(size_t)block * live->set_words];
    for (uint32_t i = 0; i < live->set_words; i++) set[i] |= from[i];
}

static void join_target(struct live *live, uint32_t instruction, void *set)
{
    if (instruction < live->function->instructions) join(live, set, live->block_of[instruction]);
}

static void set_out(struct live *live, uint32_t block, uint64_t *set)
{
    memset(set, 0, live->set_words * sizeof *set);
    if (live->block[block].falls_through) join(live, set, block + 1);
    each_target(live, live->block[block].end - 1, join_target, set);
}

static bool settle_block(struct live *live, uint32_t block, uint64_t *set)
{
    uint64_t *in = &live->in[(size_t)block * live->set_words];
    set_out(live, block, set);
    for (uint32_t i = live->block[block].end; i-- > live->block[block].first;)
        step_back(live, set, &live->function->instruction[i]);
    const bool has_changed = memcmp(in, set, live->set_words * sizeof *set) != 0;
    memcpy(in, set, live->set_words * sizeof *set);
    return has_changed;
}

static uint32_t count_words(const struct live *live, const uint64_t *set)
{
    uint32_t words = 0;
    for (uint32_t i = 0; i < live->set_words; i++)
        for (uint64_t left = set[i]; left != 0; left &= left - 1)
            words += live->names.words[i * WORD_BITS + (uint32_t)__builtin_ctzll(left)];
    return words;
}

// What a called function needs besides what is alive behind the call.
static uint32_t callee_words(struct live *live, const struct ptx_instruction *instruction)
{
    const struct ptx_operand *called = &live->function->operand[instruction->first];
    if (live->callee == NULL || ptx_flow_of(&live->program->op[instruction->op].choice) != PTX_FLOW_CALL) return 0;
    return live->callee(live->context, called->kind == PTX_OPERAND_FUNCTION ? called->index : UINT32_MAX);
}

static uint32_t most_of_block(struct live *live, uint32_t block, uint64_t *set)
{
    uint32_t most = 0;
    set_out(live, block, set);
    for (uint32_t i = live->block[block].end; i-- > live->block[block].first;) {
        const struct ptx_instruction *instruction = &live->function->instruction[i];
        const uint32_t behind = count_words(live, set) + callee_words(live, instruction);
        step_back(live, set, instruction);
        const uint32_t before = count_words(live, set);
        if (behind > most) most = behind;
        if (before > most) most = before;
    }
    return most;
}

static uint32_t most_of_all(struct live *live)
{
    uint64_t *set = calloc(live->set_words + 1u, sizeof *set);
    uint32_t most = 0;
    bool has_changed = set != NULL;
    while (has_changed) {
        has_changed = false;
        for (uint32_t block = live->blocks; block-- > 0;) has_changed |= settle_block(live, block, set);
    }
    for (uint32_t block = 0; block < live->blocks && set != NULL; block++) {
        const uint32_t words = most_of_block(live, block, set);
        if (words > most) most = words;
    }
    free(set);
    return most;
}

static void close_live(struct live *live)
{
    for (int file = 0; file < PTX_FILES; file++) free(live->names.of[file]);
    free(live->names.words);
    free(live->names.is_free);
    free(live->written);
    free(live->block);
    free(live->block_of);
    free(live->in);
}

uint32_t ptx_live_registers(const struct ptx_program *program, const struct ptx_function *function,
                            uint32_t (*callee)(void *context, uint32_t function), void *context)
{
    struct live live = {.program = program, .function = function, .callee = callee, .context = context};
    uint32_t most = 0;
    live.written = calloc(program->ops + 1u, sizeof *live.written);
    if (live.written != NULL && open_names(&live) && open_blocks(&live)) {
        live.set_words = (live.names.count + WORD_BITS - 1) / WORD_BITS;
        const uint64_t all = (uint64_t)live.set_words * live.blocks;
        live.in = all > MOST_SET_WORDS ? NULL : calloc(all + 1, sizeof *live.in);
        if (live.in != NULL) most = most_of_all(&live);
    }
    close_live(&live);
    return most;
}
