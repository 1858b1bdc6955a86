// SPDX-License-Identifier: MIT
// The head of a function: its name, what it takes and returns, how it is tuned. Its body is skipped.
#include <string.h>

#include "parser.h"

static int take_number(struct parser *parser, int is_positive, uint32_t *number)
{
    struct ptx_token at = parser->token;
    if (!ptx_parser_u32(parser, "a number", number)) return 0;
    return !is_positive || *number > 0 || ptx_parser_fail(parser, &at, "", "a number of at least 1 is wanted");
}

// 128, 1, 1: what is not said is 1.
static int take_extent(struct parser *parser, int is_positive, uint32_t extent[3])
{
    extent[0] = extent[1] = extent[2] = 1;
    for (int i = 0; i < 3; i++) {
        if (!take_number(parser, is_positive, &extent[i])) return 0;
        if (i == 2 || !ptx_parser_take(parser, ",")) return 1;
    }
    return 1;
}

// Directives with one number; NULL if this is another.
static uint32_t *tuning_number(struct parser *parser, struct ptx_tuning *tuning)
{
    if (ptx_parser_take(parser, ".minnctapersm")) return &tuning->minnctapersm;
    if (ptx_parser_take(parser, ".maxnctapersm")) return &tuning->maxnctapersm;
    if (ptx_parser_take(parser, ".maxnreg")) return &tuning->maxnreg;
    if (ptx_parser_take(parser, ".maxclusterrank")) return &tuning->maxclusterrank;
    if (ptx_parser_take(parser, ".abi_preserve") || ptx_parser_take(parser, ".abi_preserve_control"))
        return &tuning->ignored;
    return NULL;
}

static uint32_t *tuning_extent(struct parser *parser, struct ptx_tuning *tuning)
{
    if (ptx_parser_take(parser, ".maxntid")) return tuning->maxntid;
    if (ptx_parser_take(parser, ".reqntid")) return tuning->reqntid;
    return ptx_parser_take(parser, ".reqnctapercluster") ? tuning->reqnctapercluster : NULL;
}

// .pragma "nounroll", "used_bytes_mask 0xff";
int ptx_parse_pragma(struct parser *parser)
{
    do {
        if (parser->token.kind != TOKEN_STRING) return ptx_parser_expect(parser, "a string");
        ptx_parser_advance(parser);
    } while (ptx_parser_take(parser, ","));
    return ptx_parser_expect(parser, ";");
}

static int take_tuning(struct parser *parser, struct ptx_tuning *tuning)
{
    while (parser->token.kind == TOKEN_DOTTED) {
        uint32_t *to;
        if ((to = tuning_extent(parser, tuning)) != NULL) {
            if (!take_extent(parser, to != tuning->reqnctapercluster, to)) return 0;
            if (to[0] == 0) to[1] = to[2] = 0; // no clusters at all, as ptxas has it
        } else if ((to = tuning_number(parser, tuning)) != NULL) {
            if (!take_number(parser, to == &tuning->minnctapersm || to == &tuning->maxnreg, to)) return 0;
        } else if (ptx_parser_take(parser, ".noreturn")) {
            tuning->is_noreturn = 1;
        } else if (ptx_parser_take(parser, ".explicitcluster")) {
            tuning->is_explicit_cluster = 1;
        } else if (ptx_parser_take(parser, ".blocksareclusters")) {
            tuning->blocks_are_clusters = 1;
        } else if (ptx_parser_take(parser, ".pragma")) {
            if (!ptx_parse_pragma(parser)) return 0;
        } else {
            return ptx_parser_fail(
                parser, &parser->token,
                "Known are .maxntid, .reqntid, .minnctapersm, .maxnreg, "
                ".reqnctapercluster, .explicitcluster, .maxclusterrank, .blocksareclusters, .noreturn and .pragma.",
                "'%.*s' is no directive of a function", (int)(parser->token.length > 40 ? 40 : parser->token.length),
                parser->token.at);
        }
    }
    return 1;
}

static int same_types(const struct ptx_function *a, const struct ptx_function *b)
{
    if (a->returns != b->returns || a->parameters != b->parameters) return 0;
    for (uint32_t i = 0; i < a->returns + a->parameters; i++)
        if (a->variable[i].bytes != b->variable[i].bytes) return 0;
    return 1;
}

// The function of that name, declared before or new. What is declared twice must take the same.
static struct ptx_function *function_of(struct parser *parser, const struct ptx_token *token,
                                        const struct ptx_function *head)
{
    struct ptx_module *module = parser->module;
    struct named named = {.name = head->name, .kind = NAME_FUNCTION, .index = module->functions.count};
    if (ptx_names_add(&parser->unit->names, parser->arena, &named)) {
        struct ptx_function *to = ptx_arena_list_add(parser->arena, &module->functions, sizeof *to);
        *to = *head;
        return to;
    }
    const struct named *before = ptx_names_find(&parser->unit->names, head->name);
    struct ptx_function *function =
        before->kind == NAME_FUNCTION ? (struct ptx_function *)module->functions.item + before->index : NULL;
    if (function == NULL || function->is_entry != head->is_entry) {
        ptx_parser_fail(parser, token, "", "'%.*s' is declared twice", (int)token->length, token->at);
        return NULL;
    }
    if (!same_types(function, head)) {
        ptx_parser_fail(parser, token, "", "'%.*s' takes or returns something else where it is declared first",
                        (int)token->length, token->at);
        return NULL;
    }
    if (!function->has_body) {
        function->variable = head->variable; // the names that the body knows
        function->line = head->line;
        function->tuning = head->tuning;
        if (head->linkage != PTX_LINK_EXTERN) function->linkage = head->linkage;
    }
    return function;
}

// .entry name(params) or .func (returns) name(params)
static int parse_head(struct parser *parser, struct ptx_function *head, struct ptx_token *token)
{
    struct ptx_arena_list *list = &parser->module->heads;
    list->count = 0;
    if (ptx_parser_take(parser, ".attribute"))
        while (parser->token.kind != TOKEN_END && !ptx_parser_take(parser, ")")) ptx_parser_advance(parser);
    if (ptx_parser_take(parser, "(") && !ptx_parse_parameters(parser, list, &head->returns)) return 0;
    *token = parser->token;
    head->line = token->line;
    if (!ptx_parser_name(parser, "the name of a function", &head->name)) return 0;
    if (ptx_parser_take(parser, "(") && !ptx_parse_parameters(parser, list, &head->parameters)) return 0;
    if (head->is_entry && head->returns > 0) return ptx_parser_fail(parser, token, "", "an .entry returns nothing");
    head->variable = ptx_arena_list_keep(parser->arena, list, sizeof(struct ptx_variable));
    return take_tuning(parser, &head->tuning);
}

// Notes where the body is, and goes behind it.
static int skip_body(struct parser *parser, struct ptx_function *function, const struct ptx_token *name)
{
    struct ptx_token token = parser->token;
    if (function->has_body)
        return ptx_parser_fail(parser, name, "", "'%.*s' has two bodies", (int)name->length, name->at);
    function->has_body = 1;
    function->body = token.at + 1;
    function->body_line = token.line;
    if (!ptx_lexer_skip_block(&parser->lexer))
        return ptx_parser_fail(parser, &token, "Is a } missing?", "the body of '%.*s' does not end", (int)name->length,
                               name->at);
    function->body_end = parser->lexer.at - 1;
    ptx_parser_advance(parser);
    return 1;
}

int ptx_parse_function(struct parser *parser, int is_entry, enum ptx_linkage linkage)
{
    struct ptx_function head = {.is_entry = (uint8_t)is_entry, .linkage = (uint8_t)linkage};
    struct ptx_token token;
    if (!parse_head(parser, &head, &token)) return 0;
    struct ptx_function *function = function_of(parser, &token, &head);
    if (function == NULL) return 0;
    if (ptx_parser_take(parser, ";")) return 1;
    if (!ptx_parser_is(parser, "{")) return ptx_parser_expect(parser, "{");
    return skip_body(parser, function, &token);
}

int ptx_parse_prototype(struct parser *parser, struct ptx_targets *targets)
{
    struct ptx_name name;
    struct ptx_tuning tuning = {0};
    struct ptx_arena_list *list = &parser->module->heads;
    list->count = 0;
    if (ptx_parser_take(parser, "(") && !ptx_parse_parameters(parser, list, &targets->returns)) return 0;
    if (!ptx_parser_name(parser, "_", &name) || !ptx_parser_expect(parser, "(")) return 0;
    if (!ptx_parse_parameters(parser, list, &targets->parameters) || !take_tuning(parser, &tuning)) return 0;
    targets->is_prototype = 1;
    targets->variable = ptx_arena_list_keep(parser->arena, list, sizeof(struct ptx_variable));
    return ptx_parser_expect(parser, ";");
}
