// SPDX-License-Identifier: MIT
// A step of wmma: matrices from memory, a product, and D back to memory. Which elements the registers hold is open, so
// only what memory holds then is compared.
#include <string.h>

#include "operand_rule.h"
#include "random_program.h"

enum { OF_A, OF_B, OF_C, OF_D, MATRICES, MATRIX_BYTES = 1024, LANE_BYTES = MATRIX_BYTES / 32 };

// The types that the matrices have: of f16 the product says those of D and C alone.
static void types_of(const struct ptx_choice *choice, enum ptx_type type[MATRICES])
{
    const bool is_f16 = choice->types == 2;
    type[OF_D] = (enum ptx_type)choice->type[0];
    type[OF_A] = type[OF_B] = is_f16 ? PTX_TYPE_f16 : (enum ptx_type)choice->type[1];
    type[OF_C] = (enum ptx_type)choice->type[is_f16 ? 1 : 3];
}

// Values that are hard on the type, LANE_BYTES of each lane: a lane's words lie where its own memory begins in the
// warp's.
static void fill(struct program *program, enum ptx_type type, int matrix)
{
    const enum ptx_type pair = type == PTX_TYPE_f16 ? PTX_TYPE_f16x2 : type == PTX_TYPE_bf16 ? PTX_TYPE_bf16x2 : type;
    const bool is_double = type == PTX_TYPE_f64;
    for (int at = 0; at < LANE_BYTES; at += 16) {
        int word[4];
        for (int i = 0; i < (is_double ? 2 : 4); i++) {
            word[i] = program_register(program, is_double ? 'd' : 'r', -1);
            program_refresh(program, pair, is_double ? 'd' : 'r', word[i]);
        }
        if (is_double)
            program_say(program, "st.global.v2.b64 [%%A5+%d], {%%d%d, %%d%d};\n", matrix * MATRIX_BYTES + at, word[0],
                        word[1]);
        else
            program_say(program, "st.global.v4.b32 [%%A5+%d], {%%r%d, %%r%d, %%r%d, %%r%d};\n",
                        matrix * MATRIX_BYTES + at, word[0], word[1], word[2], word[3]);
    }
}

// {wa0, wa1, ...}
static const char *vector(char letter, int count, char *text, size_t bytes)
{
    size_t used = (size_t)snprintf(text, bytes, "{");
    for (int i = 0; i < count; i++)
        used += (size_t)snprintf(text + used, bytes - used, "%sw%c%d", i ? ", " : "", letter, i);
    snprintf(text + used, bytes - used, "}");
    return text;
}

struct product {
    const struct ptx_choice *choice;
    enum ptx_type type[MATRICES];
    int registers[MATRICES];
    const char *spelling;
};

static void put_move(struct program *program, const struct product *product, int matrix)
{
    static const char letters[] = "abcd";
    const struct ptx_choice *choice = product->choice;
    const int layouts[] = {choice->word[PTX_CLASS_LAYOUT], choice->second,
                           program_chance(program, 50) ? PTX_ROW : PTX_COL,
                           program_chance(program, 50) ? PTX_ROW : PTX_COL};
    char vector_text[80], address[24];
    const char *layout = layouts[matrix] == PTX_ROW ? "row" : "col";
    vector(letters[matrix], product->registers[matrix], vector_text, sizeof vector_text);
    snprintf(address, sizeof address, "[%%A4+%d]", matrix * MATRIX_BYTES);
    program_say(program, "wmma.%s.%c.sync.aligned.%s.m%dn%dk%d%s.%s %s, %s;\n", matrix == OF_D ? "store" : "load",
                letters[matrix], layout, choice->shape[0], choice->shape[1], choice->shape[2],
                program_chance(program, 50) ? ".global" : "", ptx_type_row(product->type[matrix])->name,
                matrix == OF_D ? address : vector_text, matrix == OF_D ? vector_text : address);
}

static void put_product(struct program *program, const struct product *product)
{
    char d[80], a[80], b[80], c[80];
    program_say(program, "%s %s, %s, %s, %s;\n", product->spelling, vector('d', product->registers[OF_D], d, sizeof d),
                vector('a', product->registers[OF_A], a, sizeof a), vector('b', product->registers[OF_B], b, sizeof b),
                vector('c', product->registers[OF_C], c, sizeof c));
}

static void start_product(struct product *product)
{
    static const int of_operand[] = {OF_D, OF_A, OF_B, OF_C};
    struct ptx_operand_rule rule[PTX_MOST_OPERANDS];
    int rules = ptx_operand_rules(product->choice, rule);
    for (int i = 0; i < rules; i++) product->registers[of_operand[i]] = rule[i].vector;
    types_of(product->choice, product->type);
}

static void read_result(struct program *program)
{
    program_say(program, "bar.warp.sync %%m0;\n");
    for (int i = 0; i < LANE_BYTES / 8; i++) {
        program_say(program, "ld.global.u64 %%A%d, [%%A5+%d];\n", 6 + i, OF_D * MATRIX_BYTES + i * 8);
        program_wrote(program, 'A', 6 + i);
    }
}

void step_wmma(struct program *program)
{
    static const char *const opcodes[] = {"wmma.mma", NULL};
    struct ptx_choice choice;
    char spelling[96];
    int form;
    do form = draw_row(program, PTX_RUNS_MATRIX, opcodes);
    while (!spell(program, form, spelling, sizeof spelling, &choice));
    struct product product = {.choice = &choice, .spelling = spelling};
    start_product(&product);
    program_begin_step(program, ptx_form_row(form)->name);
    program_say(program,
                "mov.u32 %%B4, %%laneid;\nmul.wide.u32 %%A4, %%B4, %d;\nsub.u64 %%A4, %%own, %%A4;\n"
                "mul.wide.u32 %%A5, %%B4, %d;\nadd.u64 %%A5, %%A5, %%A4;\nbar.warp.sync %%m0;\n",
                PROGRAM_OWN_BYTES, LANE_BYTES);
    for (int matrix = OF_A; matrix <= OF_C; matrix++) fill(program, product.type[matrix], matrix);
    const char *bits = product.type[OF_D] == PTX_TYPE_f64 ? "b64" : "b32";
    program_say(program, "bar.warp.sync %%m0;\n{\n.reg .%s wa<8>, wb<8>, wc<8>, wd<8>;\n", bits);
    for (int matrix = OF_A; matrix <= OF_C; matrix++) put_move(program, &product, matrix);
    put_product(program, &product);
    put_move(program, &product, OF_D);
    program_say(program, "}\n");
    read_result(program);
    program->instances += MATRICES; // the moves
    program_end_step(program);
}
