// SPDX-License-Identifier: MIT
// The head of a function: its name, what it takes and returns, how it is tuned. Its body is skipped.
#include <string.h>

#include "parser.h"

static int take_number(struct parser *parser, bool is_positive, uint32_t *number)
{
    struct ptx_token at = parser->token;
    if (!ptx_parser_u32(parser, "a number", number)) return 0;
    return !is_positive || *number > 0 || ptx_parser_fail(parser, &at, "", "expected a number of at least 1");
}

// 128, 1, 1: what is not said is 1.
static bool take_extent(struct parser *parser, bool is_positive, uint32_t extent[3])
{
    extent[0] = extent[1] = extent[2] = 1;
    for (int i = 0; i < 3; i++) {
        if (!take_number(parser, is_positive, &extent[i])) return false;
        if (i == 2 || !ptx_parser_take(parser, ",")) return true;
    }
    return true;
}

// Directives of a kernel with one number; NULL if this is another.
static uint32_t *kernel_number(struct parser *parser, struct ptx_tuning *tuning)
{
    if (ptx_parser_take(parser, ".minnctapersm")) return &tuning->minnctapersm;
    if (ptx_parser_take(parser, ".maxnctapersm")) return &tuning->maxnctapersm;
    if (ptx_parser_take(parser, ".maxnreg")) return &tuning->maxnreg;
    return ptx_parser_take(parser, ".maxclusterrank") ? &tuning->maxclusterrank : NULL;
}

static uint32_t *kernel_extent(struct parser *parser, struct ptx_tuning *tuning)
{
    if (ptx_parser_take(parser, ".maxntid")) return tuning->maxntid;
    if (ptx_parser_take(parser, ".reqntid")) return tuning->reqntid;
    return ptx_parser_take(parser, ".reqnctapercluster") ? tuning->reqnctapercluster : NULL;
}

// .pragma "nounroll", "used_bytes_mask 0xff";
int ptx_parse_pragma(struct parser *parser)
{
    do {
        if (parser->token.kind != TOKEN_STRING) return ptx_parser_fail_here(parser, "a string");
        ptx_parser_advance(parser);
    } while (ptx_parser_take(parser, ","));
    return ptx_parser_expect(parser, ";");
}

// One directive behind the head of a kernel; *is_one: this is one.
static int take_kernel_tuning(struct parser *parser, struct ptx_tuning *tuning, int *is_one)
{
    uint32_t *to;
    *is_one = 1;
    if ((to = kernel_extent(parser, tuning)) != NULL) {
        if (!take_extent(parser, to != tuning->reqnctapercluster, to)) return 0;
        if (to[0] == 0) to[1] = to[2] = 0; // no clusters at all, as ptxas has it
        return 1;
    }
    if ((to = kernel_number(parser, tuning)) != NULL)
        return take_number(parser, to == &tuning->minnctapersm || to == &tuning->maxnreg, to);
    if (ptx_parser_take(parser, ".explicitcluster")) return tuning->is_explicit_cluster = 1;
    if (ptx_parser_take(parser, ".blocksareclusters")) return tuning->blocks_are_clusters = 1;
    if (ptx_parser_take(parser, ".pragma")) return ptx_parse_pragma(parser);
    if (ptx_parser_take(parser, ".language")) return take_number(parser, false, &tuning->language);
    *is_one = 0;
    return 1;
}

// The same of a function, or of the prototype of one.
static int take_function_tuning(struct parser *parser, struct ptx_tuning *tuning, int *is_one)
{
    *is_one = 1;
    if (ptx_parser_take(parser, ".noreturn")) return tuning->is_noreturn = 1;
    if (ptx_parser_take(parser, ".abi_preserve") || ptx_parser_take(parser, ".abi_preserve_control"))
        return take_number(parser, false, &tuning->ignored);
    *is_one = 0;
    return 1;
}

static int take_tuning(struct parser *parser, bool is_entry, struct ptx_tuning *tuning)
{
    while (parser->token.kind == TOKEN_DOTTED) {
        int is_one;
        if (!(is_entry ? take_kernel_tuning : take_function_tuning)(parser, tuning, &is_one)) return 0;
        if (is_one) continue;
        return ptx_parser_fail(parser, &parser->token,
                               is_entry ? "Known are .maxntid, .reqntid, .minnctapersm, .maxnreg, "
                                          ".reqnctapercluster, .explicitcluster, .maxclusterrank, "
                                          ".blocksareclusters, .language and .pragma."
                                        : "Known are .noreturn, .abi_preserve and .abi_preserve_control.",
                               "'%.*s' is not a directive of a%s",
                               (int)(parser->token.length > 40 ? 40 : parser->token.length), parser->token.at,
                               is_entry ? "n .entry" : " .func");
    }
    return 1;
}

// Directives that say too much together, or too little.
static int check_tuning(struct parser *parser, const struct ptx_token *name, const struct ptx_function *head)
{
    const struct ptx_tuning *tuning = &head->tuning;
    if (tuning->maxntid[0] > 0 && tuning->reqntid[0] > 0)
        return ptx_parser_fail(parser, name, "", "a kernel has .maxntid or .reqntid, not both");
    if (tuning->maxclusterrank > 0 && tuning->reqnctapercluster[0] > 0)
        return ptx_parser_fail(parser, name, "", "a kernel has .maxclusterrank or .reqnctapercluster, not both");
    if (tuning->blocks_are_clusters && (tuning->reqntid[0] == 0 || tuning->reqnctapercluster[0] == 0))
        return ptx_parser_fail(parser, name, "", ".blocksareclusters needs .reqntid and .reqnctapercluster");
    if (tuning->maxnctapersm > 0 && parser->module->program.isa_version > 20)
        return ptx_parser_fail(parser, name, "Write .minnctapersm.", ".maxnctapersm ended with PTX 2.0");
    return !tuning->is_noreturn || head->returns == 0 ||
           ptx_parser_fail(parser, name, "", "a .noreturn function has no results");
}

bool ptx_same_types(const struct ptx_function *a, const struct ptx_function *b)
{
    if (a->returns != b->returns || a->parameters != b->parameters) return false;
    for (uint32_t i = 0; i < a->returns + a->parameters; i++)
        if (a->variable[i].bytes != b->variable[i].bytes || a->variable[i].type != b->variable[i].type ||
            a->variable[i].space != b->variable[i].space || a->variable[i].align != b->variable[i].align)
            return false;
    return true;
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
    if (!ptx_same_types(function, head)) {
        ptx_parser_fail(parser, token, "", "'%.*s' has other parameters or results in its first declaration",
                        (int)token->length, token->at);
        return NULL;
    }
    if (head->linkage != function->linkage &&
        (head->linkage != PTX_LINK_LOCAL || function->linkage == PTX_LINK_EXTERN)) {
        ptx_parser_fail(parser, token, "Write .visible, .weak or .extern in both places, or only in the first.",
                        "'%.*s' has another linkage in its first declaration", (int)token->length, token->at);
        return NULL;
    }
    if (function->has_body) {
        ptx_parser_fail(parser, token, "", "'%.*s' already has a body", (int)token->length, token->at);
        return NULL;
    }
    function->variable = head->variable; // the names that the body knows
    function->line = head->line;
    function->tuning = head->tuning;
    return function;
}

// Where a parameter may lie, and which may be an array of open size.
static int check_parameters(struct parser *parser, const struct ptx_function *head)
{
    const uint32_t count = head->returns + head->parameters;
    for (uint32_t i = 0; i < count; i++) {
        const struct ptx_variable *variable = &head->variable[i];
        const struct ptx_token token = {TOKEN_WORD, variable->name.length, variable->line, variable->name.at};
        const bool is_result = i < head->returns;
        if (head->is_entry && variable->space != PTX_PARAM)
            return ptx_parser_fail(parser, &token, "", "a parameter of an .entry is in .param");
        if (head->is_entry && variable->vector > 1 && !variable->is_array)
            return ptx_parser_fail(parser, &token, "Declare an array of its parts.", "a parameter cannot be a vector");
        if (!head->is_entry && variable->is_pointer)
            return ptx_parser_fail(parser, &token, "", "only parameters of an .entry may be .ptr");
        if (is_result && head->returns > 1 && variable->space == PTX_PARAM)
            return ptx_parser_fail(parser, &token, "", "where a function has several results, each is in .reg");
        if (!variable->is_unsized) continue;
        if (head->is_entry || is_result || i + 1 < count || variable->space != PTX_PARAM)
            return ptx_parser_fail(parser, &token, "",
                                   "only the last parameter of a .func may be an array of open size, in .param");
    }
    return 1;
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
    return check_parameters(parser, head) && take_tuning(parser, head->is_entry, &head->tuning) &&
           check_tuning(parser, token, head);
}

// Notes where the body is, and goes behind it.
static int skip_body(struct parser *parser, struct ptx_function *function, const struct ptx_token *name)
{
    struct ptx_token token = parser->token;
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

int ptx_parse_function(struct parser *parser, bool is_entry, enum ptx_linkage linkage)
{
    struct ptx_function head = {.is_entry = (uint8_t)is_entry, .linkage = (uint8_t)linkage};
    struct ptx_token token;
    if (!parse_head(parser, &head, &token)) return 0;
    static const struct ptx_tuning none;
    const bool is_tuned = is_entry && memcmp(&head.tuning, &none, sizeof none) != 0;
    struct ptx_function *function = function_of(parser, &token, &head);
    if (function == NULL) return 0;
    if (ptx_parser_is(parser, ";") && is_tuned)
        return ptx_parser_fail(parser, &token, "Write them at its body.",
                               "a kernel declared without a body has no directives");
    if (ptx_parser_take(parser, ";")) return 1;
    if (head.linkage == PTX_LINK_EXTERN)
        return ptx_parser_fail(parser, &token, "Write .visible, or end it with ;",
                               "an .extern function has no body here");
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
    if (!ptx_parse_parameters(parser, list, &targets->parameters) || !take_tuning(parser, false, &tuning)) return 0;
    targets->is_prototype = 1;
    targets->variable = ptx_arena_list_keep(parser->arena, list, sizeof(struct ptx_variable));
    return ptx_parser_expect(parser, ";");
}
