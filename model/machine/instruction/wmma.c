// SPDX-License-Identifier: MIT
// wmma.load, wmma.store and wmma.mma. PTX leaves open which elements a lane's registers hold. Here the matrices are
// made of tiles of mma.sync, whose registers lie one after the other; m8n32k16 is m32n8k16 with rows and columns
// exchanged. Fragments of f16 have 8 registers, where fewer are filled they repeat. Elements of 4 bits and of 1 bit
// move in words of 32 bits.
#include <string.h>

#include "cluster.h"
#include "each.h"
#include "float_add.h"
#include "handler.h"
#include "mma.h"
#include "number_type.h"

enum { TILE_COLUMNS = 8, MOST_TILES = 2 };

// What a wmma shape is made of: tiles of one form of mma.sync, `tiles[]` of them by enum mma_operand.
struct tiling {
    enum mma_form form;
    const struct mma_row *row;
    int tiles[3];
    bool is_turned;
};

static enum mma_tail tail_of(const struct ptx_choice *choice, enum number_format of_a)
{
    if (of_a == NUMBER_B1) return choice->word[PTX_CLASS_OPERATION] == PTX_XOR ? MMA_XOR : MMA_AND;
    return choice->word[PTX_CLASS_SATFINITE] != 0 ? MMA_SATFINITE : MMA_PLAIN;
}

// `form` is MMA_FORMS if no form fits.
static struct tiling tiling_of(const struct ptx_choice *choice, enum number_format of_a, enum number_format of_d)
{
    const bool is_turned = choice->shape[0] == TILE_COLUMNS && choice->shape[1] > TILE_COLUMNS;
    const int rows = choice->shape[is_turned], columns = choice->shape[!is_turned];
    const enum mma_tail tail = tail_of(choice, of_a);
    struct tiling tiling = {.is_turned = is_turned};
    for (; tiling.form < MMA_FORMS; tiling.form++) {
        tiling.row = mma_row(tiling.form);
        if (!tiling.row->is_sparse && tiling.row->m == (rows > 16 ? 16 : rows) && tiling.row->k == choice->shape[2] &&
            tiling.row->a == of_a && tiling.row->b == of_a && tiling.row->d == of_d && tiling.row->tail == tail)
            break;
    }
    tiling.tiles[MMA_OF_A] = rows / tiling.row->m;
    tiling.tiles[MMA_OF_B] = columns / TILE_COLUMNS;
    tiling.tiles[MMA_OF_D] = tiling.tiles[MMA_OF_A] * tiling.tiles[MMA_OF_B];
    return tiling;
}

// The form whose fragments are those of a load or store: of an accumulator that of any product which has it.
static struct tiling tiling_of_move(const struct ptx_choice *choice, char matrix)
{
    const enum number_format type = (enum number_format)machine_number_format(choice, 0);
    const bool is_float = type == NUMBER_F16 || type == NUMBER_BF16 || type == NUMBER_TF32;
    const int k = choice->shape[2];
    if (matrix == 'a' || matrix == 'b')
        return tiling_of(choice, type, type == NUMBER_F64 ? NUMBER_F64 : is_float ? NUMBER_F32 : NUMBER_S32);
    const enum number_format half = k == 8 ? NUMBER_TF32 : NUMBER_F16;
    const enum number_format integer = k == 32 ? NUMBER_S4 : k == 128 ? NUMBER_B1 : NUMBER_S8;
    return tiling_of(choice, type == NUMBER_F64 ? NUMBER_F64 : type == NUMBER_S32 ? integer : half, type);
}

// The matrix that an instruction moves is the last letter of its opcode; of a turned one A is B of the tiles.
static enum mma_operand operand_of(char matrix, bool is_turned)
{
    if (matrix != 'a' && matrix != 'b') return MMA_OF_D;
    return (matrix == 'a') != is_turned ? MMA_OF_A : MMA_OF_B;
}

// Row and column of a part of a register, in the matrix of the instruction.
static struct number_place place_of(const struct tiling *tiling, enum mma_operand operand, int lane, int index,
                                    int part)
{
    const int each = tiling->row->registers[operand], tile = index / each % tiling->tiles[operand];
    struct number_place place = mma_place(tiling->form, operand, lane, index % each, part);
    if (operand == MMA_OF_A || (operand == MMA_OF_D && tiling->tiles[MMA_OF_A] > 1))
        place.row += tile * tiling->row->m;
    else
        place.column += tile * TILE_COLUMNS;
    return tiling->is_turned ? (struct number_place){place.column, place.row} : place;
}

// --- Loads and stores ------------------------------------------------------------------------------------------------

struct movement {
    struct tiling tiling;
    enum mma_operand operand;
    uint32_t first, registers, bits, bytes; // operands of the lanes' registers; bits of an element, bytes that move
    bool is_store, is_row;
    uint64_t base[MACHINE_LANES], stride[MACHINE_LANES]; // in elements
};

static void movement_start(const struct machine_strand *strand, const struct machine_code *code, struct movement *move)
{
    const char *opcode = ptx_form_row(code->choice->form)->opcode;
    const char matrix = opcode[strlen(opcode) - 1];
    const struct ptx_choice *choice = code->choice;
    move->tiling = tiling_of_move(choice, matrix);
    move->operand = operand_of(matrix, move->tiling.is_turned);
    move->is_store = matrix == 'd';
    move->is_row = choice->word[PTX_CLASS_LAYOUT] == PTX_ROW;
    const enum number_format format = (enum number_format)machine_number_format(choice, 0);
    move->bits = (uint32_t)number_format_row(format)->size_bits;
    move->bytes = move->bits < 8 ? sizeof(uint32_t) : move->bits / 8;
    const uint32_t address = machine_operand_at(code, move->is_store ? 0 : 1);
    const uint32_t stride = machine_operand_at(code, 2);
    move->first = machine_operand_at(code, move->is_store ? 1 : 0);
    move->registers = (move->is_store ? stride : address) - move->first;
    machine_addresses(strand, &code->operand[address], move->base);
    const int rows = matrix == 'b' ? choice->shape[2] : choice->shape[0];
    const int columns = matrix == 'a' ? choice->shape[2] : choice->shape[1];
    const bool is_said = code->operand[stride].slot != MACHINE_LEFT_OUT;
    for (uint32_t lane = 0; lane < MACHINE_LANES; lane++)
        move->stride[lane] = is_said ? (uint32_t)machine_value(strand, &code->operand[stride], lane)
                                     : (uint64_t)(move->is_row ? columns : rows);
}

static uint64_t address_of(const struct movement *move, uint32_t lane, int index, int part)
{
    const struct number_place place = place_of(&move->tiling, move->operand, (int)lane, index, part);
    const uint64_t slow = (uint64_t)(move->is_row ? place.row : place.column);
    const uint64_t fast = (uint64_t)(move->is_row ? place.column : place.row) * (move->bits == 1 ? 32 : 1);
    return move->base[lane] + (slow * move->stride[lane] + fast) * move->bits / 8;
}

// One part of one register of the lanes that execute. Returns MACHINE_NEXT, or that of a fault.
static enum machine_next move_part(struct machine_strand *strand, const struct machine_code *code,
                                   const struct movement *move, uint32_t lanes, int index, int part)
{
    const struct machine_operand *operand = &code->operand[move->first + (uint32_t)index];
    uint64_t address[MACHINE_LANES] = {0};
    for (EACH_BIT(lane, lanes)) address[lane] = address_of(move, lane, index, part);
    if (machine_is_heard(strand))
        machine_tell_access(strand, code, lanes, move->is_store ? ACCESS_WRITE : ACCESS_READ, address, move->bytes);
    for (EACH_BIT(lane, lanes)) {
        enum rule rule;
        uint64_t value = machine_value(strand, operand, lane), unit = value >> 8 * move->bytes * (uint32_t)part;
        const struct machine_place place = machine_place(strand, (enum ptx_word)code->choice->space[0], address[lane]);
        const bool is_there = move->is_store ? machine_write(strand, place, lane, &unit, move->bytes, &rule)
                                             : machine_read(strand, place, lane, &unit, move->bytes, &rule);
        if (!is_there) return machine_fault_at(strand, code, lane, rule, place, move->bytes);
        if (move->is_store) continue;
        const uint64_t mask = move->bytes == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * move->bytes) - 1;
        const uint32_t up = 8 * move->bytes * (uint32_t)part;
        machine_set_value(strand, operand, lane, (value & ~(mask << up)) | (unit & mask) << up);
    }
    return MACHINE_NEXT;
}

static enum machine_next move(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    struct movement movement;
    if (!machine_is_converged(strand, lanes)) return MACHINE_WAIT;
    movement_start(strand, code, &movement);
    const int parts = movement.bits < 8 ? 1 : mma_parts(movement.tiling.form, movement.operand);
    for (int index = 0; index < (int)movement.registers; index++)
        for (int part = 0; part < parts; part++) {
            const enum machine_next next = move_part(strand, code, &movement, lanes, index, part);
            if (next != MACHINE_NEXT) return next;
        }
    if (movement.is_store) machine_progress(strand);
    return MACHINE_NEXT;
}

// --- Products --------------------------------------------------------------------------------------------------------

// The registers of one tile of an operand: `n` of them, from the n * tile-th on.
static void tile_words(const struct machine_strand *strand, const struct machine_code *code, uint32_t operand, int tile,
                       int n, size_t bytes, uint32_t *words)
{
    const uint32_t at = machine_operand_at(code, operand) + (uint32_t)(tile * n);
    for (int r = 0; r < n; r++)
        memcpy((uint8_t *)words + (size_t)r * bytes, machine_lanes(strand, code, at + (uint32_t)r), bytes);
}

// Of f16 an instruction names the types of D and C alone. Where one of them is f32, f32 is added.
static struct tiling tiling_of_product(const struct ptx_choice *choice)
{
    const bool is_f16 = choice->types == 2, is_mixed = is_f16 && choice->type[0] != choice->type[1];
    return tiling_of(choice, is_f16 ? NUMBER_F16 : (enum number_format)machine_number_format(choice, 1),
                     is_mixed ? NUMBER_F32 : (enum number_format)machine_number_format(choice, 0));
}

// Registers `r` and `r + 1` of f32 from one of two f16, and back.
static void widen(const uint32_t *pair, uint32_t *wide)
{
    for (int lane = 0; lane < MMA_LANES; lane++) {
        wide[lane] = bits_of_f32(float_of_f16(pair[lane] & 0xffff));
        wide[MMA_LANES + lane] = bits_of_f32(float_of_f16(pair[lane] >> 16));
    }
}

static void narrow(const uint32_t *wide, uint32_t *pair)
{
    for (int lane = 0; lane < MMA_LANES; lane++)
        pair[lane] = number_round(NUMBER_F16, wide[lane]) | number_round(NUMBER_F16, wide[MMA_LANES + lane]) << 16;
}

static void read_accumulator(const struct machine_strand *strand, const struct machine_code *code, uint32_t operand,
                             int tile, int n, size_t bytes, uint32_t *words)
{
    uint32_t pair[MMA_LANES * MMA_MAX_REGISTERS];
    if (code->choice->types != 2 || code->choice->type[1] == code->choice->type[0] ||
        code->choice->type[1] == PTX_TYPE_f32) {
        tile_words(strand, code, operand, tile, n, bytes, words);
        return;
    }
    tile_words(strand, code, operand, tile, n / 2, bytes, pair);
    for (int r = 0; r < n / 2; r++) widen(pair + r * MMA_LANES, words + 2 * r * MMA_LANES);
}

// The registers of D from those of tiles, each of `n`.
static void write_accumulator(struct machine_strand *strand, const struct machine_code *code, int tiles, int n,
                              size_t bytes, const uint32_t *words, size_t tile_words)
{
    const bool is_narrow =
        code->choice->types == 2 && code->choice->type[0] == PTX_TYPE_f16 && code->choice->type[1] == PTX_TYPE_f32;
    for (int r = 0; r < n * tiles; r += 1 + is_narrow) {
        const uint8_t *from = (const uint8_t *)(words + (size_t)(r / n) * tile_words) + (size_t)(r % n) * bytes;
        uint32_t *to = machine_lanes(strand, code, (uint32_t)(is_narrow ? r / 2 : r));
        if (is_narrow)
            narrow((const uint32_t *)(const void *)from, to);
        else
            memcpy(to, from, bytes);
    }
}

// m16n16k8 of tf32 is added in two steps of four terms, others in one.
static void execute(enum mma_form form, const uint32_t *a, const uint32_t *b, uint32_t *d)
{
    enum { A_OF_STEP = 2 * MMA_LANES, B_OF_STEP = MMA_LANES };
    if (form != MMA_M16K8_F32_TF32_TF32_PLAIN) {
        mma_execute(form, a, b, d, NULL);
        return;
    }
    for (int step = 0; step < 2; step++)
        mma_execute(MMA_M16K4_F32_TF32_TF32_PLAIN, a + step * A_OF_STEP, b + step * B_OF_STEP, d, NULL);
}

static enum machine_next multiply(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    enum { OF_A = 1, OF_B, OF_C, MOST_WORDS = 2 * MMA_LANES * MMA_MAX_REGISTERS };
    uint32_t a[MOST_WORDS], b[MOST_WORDS], d[MOST_TILES][MOST_WORDS];
    if (!machine_is_converged(strand, lanes)) return MACHINE_WAIT;
    const struct tiling tiling = tiling_of_product(code->choice);
    const int *each = tiling.row->registers, columns = tiling.tiles[MMA_OF_B];
    const size_t bytes = MMA_LANES * (tiling.row->d == NUMBER_F64 ? sizeof(uint64_t) : sizeof(uint32_t));
    for (int tile = 0; tile < tiling.tiles[MMA_OF_D]; tile++) {
        tile_words(strand, code, tiling.is_turned ? OF_B : OF_A, tile / columns, each[MMA_OF_A], bytes, a);
        tile_words(strand, code, tiling.is_turned ? OF_A : OF_B, tile % columns, each[MMA_OF_B], bytes, b);
        read_accumulator(strand, code, OF_C, tile, each[MMA_OF_D], bytes, d[tile]);
        execute(tiling.form, a, b, d[tile]);
    }
    write_accumulator(strand, code, tiling.tiles[MMA_OF_D], each[MMA_OF_D], bytes, d[0], MOST_WORDS);
    return MACHINE_NEXT;
}

machine_handler *machine_wmma_find(const struct ptx_choice *choice)
{
    const char *opcode = ptx_form_row(choice->form)->opcode;
    if (strncmp(opcode, "wmma.", 5) != 0) return NULL;
    const bool is_product = strcmp(opcode, "wmma.mma") == 0;
    const struct tiling tiling =
        is_product ? tiling_of_product(choice) : tiling_of_move(choice, opcode[strlen(opcode) - 1]);
    if (tiling.form == MMA_FORMS) return NULL;
    return is_product ? multiply : move;
}
