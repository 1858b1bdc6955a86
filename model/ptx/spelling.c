// SPDX-License-Identifier: MIT
// The spellings of a module and the rows that take each, so that each is looked up once.
#include <string.h>

#include "parser.h"

#define NOT_THERE UINT32_MAX

static uint32_t hash_of(const struct ptx_token *token)
{
    uint32_t hash = 2166136261u;
    for (uint32_t i = 0; i < token->length; i++) hash = (hash ^ (unsigned char)token->at[i]) * 16777619u;
    return hash ^ hash >> 15;
}

static void blame_opcode(struct parser *parser, const struct ptx_token *token)
{
    const char *dot = memchr(token->at, '.', token->length);
    size_t length = dot == NULL ? token->length : (size_t)(dot - token->at);
    const char *near = ptx_near(token->at, length, ptx_near_opcode);
    struct ptx_token opcode = *token;
    opcode.length = (uint32_t)length;
    ptx_parser_fail(parser, &opcode, "", "'%.*s' is not a PTX instruction%s%s%s", (int)(length > 60 ? 60 : length),
                    token->at, near == NULL ? "" : "; did you mean '", near == NULL ? "" : near,
                    near == NULL ? "" : "'?");
}

static void blame_words(struct parser *parser, const struct ptx_token *token, const struct ptx_spelling *spelling)
{
    char message[PTX_MESSAGE_BYTES], advice[PTX_MESSAGE_BYTES];
    int word = ptx_form_blame(spelling, message, advice, sizeof message);
    struct ptx_token blamed = *token;
    if (word >= 0) {
        blamed.at = spelling->word[word].at - 1;
        blamed.length = spelling->word[word].length + 1;
    }
    ptx_parser_fail(parser, &blamed, advice, "%s", message);
}

// Adds the rows of the opcode that take all words.
static uint32_t add_rows(struct parser *parser, const struct ptx_spelling *spelling)
{
    struct ptx_module *module = parser->module;
    uint32_t count = 0;
    int taken;
    for (int form = ptx_form_next(spelling, 0); form >= 0; form = ptx_form_next(spelling, form + 1)) {
        struct ptx_choice choice;
        if (ptx_form_row(form)->support != PTX_ACCEPTED || !ptx_form_match(form, spelling, &choice, &taken)) continue;
        struct known_row *row = ptx_arena_list_add(parser->arena, &module->rows, sizeof *row);
        row->choice = choice;
        row->rules = ptx_operand_rules(&choice, row->rule);
        row->op = NOT_THERE;
        count++;
    }
    return count;
}

static bool blame_support(struct parser *parser, const struct ptx_token *token, const struct ptx_form *form)
{
    if (form->support == PTX_ACCEPTED) return false;
    if (form->support == PTX_REFUSED)
        ptx_parser_fail(parser, token, "Compile with -arch=sm_90a.", "'%s' is for %s, not for sm_90a", form->opcode,
                        form->note);
    else
        ptx_parser_fail(parser, token, "tmaref cannot run a program that needs it.",
                        "tmaref does not support '%s' (%s)", form->opcode, form->note);
    return true;
}

// Of some opcodes only a part is read: nvcc uses two forms of vabsdiff4.
static bool blame_outside(struct parser *parser, const struct ptx_token *token, const struct ptx_spelling *spelling)
{
    for (int form = ptx_form_next(spelling, 0); form >= 0; form = ptx_form_next(spelling, form + 1))
        if (ptx_form_row(form)->support == PTX_OUTSIDE) return blame_support(parser, token, ptx_form_row(form));
    return false;
}

static const struct known_spelling *add_spelling(struct parser *parser, const struct ptx_token *token, uint32_t hash)
{
    struct ptx_module *module = parser->module;
    struct ptx_spelling spelling;
    if (!ptx_spelling_cut(token->at, token->length, &spelling)) {
        if (spelling.opcode == NULL)
            blame_opcode(parser, token);
        else
            ptx_parser_fail(parser, token, "", "'%s' with more than %d modifiers", spelling.opcode, PTX_MOST_WORDS);
        return NULL;
    }
    if (blame_support(parser, token, ptx_form_row(ptx_form_next(&spelling, 0)))) return NULL;
    uint32_t first = module->rows.count, rows = add_rows(parser, &spelling);
    if (rows == 0) {
        if (!blame_outside(parser, token, &spelling)) blame_words(parser, token, &spelling);
        return NULL;
    }
    struct known_spelling *to = ptx_arena_list_add(parser->arena, &module->spellings, sizeof *to);
    uint32_t *head = &module->spelling_head[hash % SPELLING_HEADS];
    *to = (struct known_spelling){ptx_token_name(token), hash, *head, first, rows};
    *head = module->spellings.count - 1;
    return to;
}

const struct known_spelling *ptx_spelling_find(struct parser *parser, const struct ptx_token *token)
{
    const struct ptx_module *module = parser->module;
    const struct known_spelling *all = module->spellings.item;
    uint32_t hash = hash_of(token);
    for (uint32_t i = module->spelling_head[hash % SPELLING_HEADS]; i != NOT_THERE; i = all[i].next)
        if (all[i].hash == hash && all[i].name.length == token->length &&
            memcmp(all[i].name.at, token->at, token->length) == 0)
            return &all[i];
    return add_spelling(parser, token, hash);
}
