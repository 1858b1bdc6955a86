// SPDX-License-Identifier: MIT
// Barrier operations as people type them: "arrive.expect_tx 4096 lanes=0xff", "test_wait token=1". One operation a
// string: its name, its operand, then key=value in any order. JSON programs are read in mbarrier.c.
#include <string.h>

#include "mbarrier_case.h"
#include "parse_number.h"

enum { OP_TEXT_BYTES = 160 };

static int parse_key(const char *key, const char *value, struct mbarrier_op *op, struct text *why)
{
    struct {
        const char *name;
        uint32_t *field;
    } fields[] = {{"barrier", &op->barrier},
                  {"lanes", &op->lanes},
                  {"step", &op->step},
                  {"token", &op->token},
                  {"offset", &op->offset_bytes}};
    if (strcmp(key, "issuer") == 0) {
        op->issuer = mbarrier_issuer_find(value);
        return 1; // mbarrier_op_illegal() names the legal ones
    }
    if (strcmp(key, "spread") == 0 && parse_u64(value, UINT64_MAX, &op->spread)) return 1;
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        if (strcmp(key, fields[i].name) != 0) continue;
        uint64_t number;
        if (!parse_u64(value, UINT32_MAX, &number))
            return text_fail(why, "%s=%s is not a whole number below 2^32", key, value);
        *fields[i].field = (uint32_t)number;
        return 1;
    }
    text_set(why, "there is no '%s='; there are barrier, lanes, step, token, offset, spread and issuer", key);
    return 0;
}

static int parse_operand(const char *text, struct mbarrier_op *op, struct text *why)
{
    enum mbarrier_operand takes = mbarrier_step_row(op->opcode)->operand;
    uint64_t number, most = takes == MBARRIER_TAKES_WORD ? UINT64_MAX : UINT32_MAX;
    if (takes == MBARRIER_TAKES_NOTHING) return text_fail(why, "'%s' is one operand too many", text);
    if (!parse_u64(text, most, &number))
        return text_fail(why, "'%s' is not a whole number below 2^%d", text, most == UINT64_MAX ? 64 : 32);
    if (takes == MBARRIER_TAKES_WORD)
        op->word = number;
    else
        op->operand = (uint32_t)number;
    return 1;
}

// The newest token of the operation's barrier: what a wait without a token means.
static uint32_t newest_token(const struct mbarrier_case *program, const struct mbarrier_op *op)
{
    for (int i = program->count - 1; i >= 0; i--) {
        const struct mbarrier_op *source = &program->op[i];
        if (mbarrier_step_row(source->opcode)->result != MBARRIER_GIVES_TOKEN) continue;
        if (source->barrier == op->barrier && source->issuer == MBARRIER_ISSUER_CTA) return (uint32_t)i;
    }
    return MBARRIER_TOKEN_OPERAND;
}

// What an operation without an operand means. Returns 0 if it means nothing.
static int default_operand(const struct mbarrier_case *program, struct mbarrier_op *op, struct text *why)
{
    const struct mbarrier_op_row *row = mbarrier_step_row(op->opcode);
    if (row->operand == MBARRIER_TAKES_NOTHING) return 1;
    if (row->does == MBARRIER_ARRIVES) {
        op->operand = 1;
        return 1;
    }
    if (row->operand == MBARRIER_TAKES_TOKEN) {
        if (op->token == MBARRIER_TOKEN_OPERAND) op->token = newest_token(program, op);
        if (op->token != MBARRIER_TOKEN_OPERAND) return 1;
    }
    static const char *const needs[] = {"", "a count", "a number of bytes", "a parity", "a token", "a 64-bit word"};
    return text_fail(why, "%s needs %s", row->name, needs[row->operand]);
}

static bool parse_words(char *text, const struct mbarrier_case *program, struct mbarrier_op *op, struct text *why)
{
    char *save, *word = strtok_r(text, " \t", &save);
    *op = mbarrier_op_plain(word == NULL ? MBARRIER_STEP_OPS : mbarrier_step_find(word));
    if (op->opcode >= MBARRIER_STEP_OPS) {
        text_set(why, "'%s' is not an mbarrier operation; --help lists them", word == NULL ? "" : word);
        return false;
    }
    int operands = 0;
    while ((word = strtok_r(NULL, " \t", &save)) != NULL) {
        char *equals = strchr(word, '=');
        if (equals != NULL) *equals = '\0';
        if (equals != NULL ? !parse_key(word, equals + 1, op, why) : !parse_operand(word, op, why)) return false;
        operands += equals == NULL;
    }
    if (operands > 1) text_set(why, "%s takes one operand", mbarrier_step_row(op->opcode)->name);
    return operands > 1 ? false : operands == 1 || default_operand(program, op, why);
}

int mbarrier_case_add_text(struct mbarrier_case *program, const char *text, struct text *why)
{
    char copy[OP_TEXT_BYTES];
    struct text reason;
    if (program->count == MBARRIER_MAX_OPS || strlen(text) >= sizeof copy)
        return text_fail(why, "'%.40s': a program is at most %d operations of at most %d characters", text,
                         MBARRIER_MAX_OPS, OP_TEXT_BYTES - 1);
    strcpy(copy, text);
    const char *illegal = NULL;
    if (!parse_words(copy, program, &program->op[program->count], &reason))
        illegal = reason.at;
    else
        illegal = mbarrier_op_illegal(program->op, program->count);
    if (illegal != NULL) return text_fail(why, "'%s': %s", text, illegal);
    program->count++;
    return 1;
}
