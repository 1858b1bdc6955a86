// SPDX-License-Identifier: MIT
// A module: what stands outside of functions, and the calls of ptx.h.
#include "ptx.h"
#include "float_environment.h"

#include <stdlib.h>
#include <string.h>

#include "parser.h"

#define DEFAULT_MEMORY_BYTES ((size_t)1 << 30)
enum { ADDRESS_BITS = 64, NEWEST_MAJOR = 9 };

// --- Directives of the module ----------------------------------------------------------------------------------------

// .version 8.5
static int parse_version(struct parser *parser)
{
    struct ptx_token token = parser->token;
    unsigned major = 0, minor = 0;
    const char *dot = memchr(token.at, '.', token.length);
    if (token.kind != TOKEN_NUMBER || dot == NULL || dot - token.at > 2 || token.at + token.length - dot != 2)
        return ptx_parser_fail(parser, &token, "", "expected a version such as 8.0");
    for (const char *at = token.at; at < dot; at++) major = major * 10 + (unsigned)(*at - '0');
    minor = (unsigned)(dot[1] - '0');
    if (parser->unit->has_version) return ptx_parser_fail(parser, &token, "", "a second .version");
    parser->unit->has_version = 1;
    parser->module->program.isa_version = major * 10 + minor;
    ptx_parser_advance(parser);
    if (major <= NEWEST_MAJOR) return 1;
    return ptx_parser_fail(parser, &token, "Compile with CUDA 13.",
                           "PTX %u.%u is newer than the versions 1 to 9 that tmaref knows", major, minor);
}

// sm_90a, and what code for older GPUs says.
static bool is_target(const struct ptx_token *token)
{
    static const char *const fine[] = {"sm_90a", "sm_90", "texmode_unified", "texmode_independent", "debug"};
    for (size_t i = 0; i < sizeof fine / sizeof fine[0]; i++)
        if (ptx_token_is(token, fine[i])) return true;
    if (token->length != 5 || strncmp(token->at, "sm_", 3) != 0) return false;
    return token->at[3] >= '2' && token->at[3] <= '8' && token->at[4] >= '0' && token->at[4] <= '9';
}

// sm_100, sm_120, without features of that GPU alone.
static bool is_later_target(const struct ptx_token *token)
{
    if (token->length != 6 || strncmp(token->at, "sm_1", 4) != 0) return false;
    return token->at[4] >= '0' && token->at[4] <= '9' && token->at[5] >= '0' && token->at[5] <= '9';
}

static int parse_target(struct parser *parser)
{
    if (parser->unit->has_target) return ptx_parser_fail(parser, &parser->token, "", "a second .target");
    parser->unit->has_target = 1;
    do {
        struct ptx_token token = parser->token;
        struct ptx_name name;
        if (!ptx_parser_name(parser, "a target", &name)) return 0;
        if (!is_target(&token) && !(parser->module->may_be_later && is_later_target(&token)))
            return ptx_parser_fail(parser, &token, "Compile with -arch=sm_90a.",
                                   "tmaref runs code for sm_90a and older, not for %.*s",
                                   (int)(token.length > 40 ? 40 : token.length), token.at);
        if (parser->module->program.target.length == 0) parser->module->program.target = name;
    } while (ptx_parser_take(parser, ","));
    return 1;
}

static int parse_address_size(struct parser *parser)
{
    struct ptx_token token = parser->token;
    uint32_t bits;
    if (parser->unit->has_address_size) return ptx_parser_fail(parser, &token, "", "a second .address_size");
    parser->unit->has_address_size = 1;
    if (!ptx_parser_u32(parser, "32 or 64", &bits)) return 0;
    parser->module->program.address_bits = (int)bits;
    return bits == ADDRESS_BITS ||
           ptx_parser_fail(parser, &token, "Compile with -m64.", "only .address_size 64 is known");
}

// .file 1 "name.cu", timestamp, size
static int parse_file(struct parser *parser)
{
    struct ptx_source_file *file = ptx_arena_list_add(parser->arena, &parser->module->files, sizeof *file);
    const struct ptx_token at = parser->token;
    uint32_t number;
    if (!ptx_parser_u32(parser, "the number of a file", &file->number)) return 0;
    file->number += parser->unit->first_file;
    for (const struct ptx_source_file *other = parser->module->files.item; other < file; other++)
        if (other->number == file->number) return ptx_parser_fail(parser, &at, "", "two files have this number");
    struct ptx_token token = parser->token;
    if (token.kind != TOKEN_STRING || token.length < 2) return ptx_parser_fail_here(parser, "a string");
    file->name = (struct ptx_name){token.at + 1, token.length - 2};
    ptx_parser_advance(parser);
    while (ptx_parser_take(parser, ","))
        if (!ptx_parser_u32(parser, "a number", &number)) return 0;
    return 1;
}

// { ... }, of which a section of strings is of use to debuggers.
static int skip_section(struct parser *parser, bool is_strings)
{
    struct ptx_token token = parser->token;
    if (!ptx_parser_is(parser, "{")) return ptx_parser_expect(parser, "{");
    if (!ptx_lexer_skip_block(&parser->lexer)) return ptx_parser_fail(parser, &token, "", "the section does not end");
    if (is_strings) {
        parser->unit->debug_text = token.at + 1;
        parser->unit->debug_end = parser->lexer.at - 1;
    }
    ptx_parser_advance(parser);
    return 1;
}

// .section .debug_str { ... }: DWARF.
static int parse_section(struct parser *parser)
{
    bool is_strings = ptx_parser_is(parser, ".debug_str");
    ptx_parser_advance(parser);
    return skip_section(parser, is_strings);
}

static uint32_t files_end(const struct ptx_module *module)
{
    const struct ptx_source_file *file = module->files.item;
    uint32_t end = 0;
    for (uint32_t i = 0; i < module->files.count; i++)
        if (file[i].number >= end) end = file[i].number + 1;
    return end;
}

static bool expect_version(struct parser *parser)
{
    return ptx_parser_is(parser, ".version") ||
           ptx_parser_fail(parser, &parser->token, "Is this the output of nvcc -ptx?", "PTX begins with .version");
}

// .tmaref_unit "name"; another text begins.
static int parse_unit(struct parser *parser)
{
    struct ptx_module *module = parser->module;
    struct ptx_token token = parser->token;
    if (!module->is_linked && parser->unit->has_version)
        return ptx_parser_fail(parser, &token, "", "a linked module begins with .tmaref_unit");
    if (token.kind != TOKEN_STRING || token.length < 2) return ptx_parser_fail_here(parser, "a string");
    if (module->is_linked) {
        module->last->next = ptx_arena_take(parser->arena, 1, sizeof *parser->unit);
        module->last = parser->unit = module->last->next;
    }
    module->is_linked = true;
    parser->unit->at = token.at;
    parser->unit->name = (struct ptx_name){token.at + 1, token.length - 2};
    parser->unit->first_file = files_end(module);
    ptx_parser_advance(parser);
    return ptx_parser_expect(parser, ";") && expect_version(parser);
}

// .alias name, other;
static int parse_alias(struct parser *parser)
{
    struct ptx_name name, other;
    struct ptx_token token = parser->token;
    if (!ptx_parser_name(parser, "a function", &name) || !ptx_parser_expect(parser, ",") ||
        !ptx_parser_name(parser, "a function", &other) || !ptx_parser_expect(parser, ";"))
        return 0;
    const struct named *from = ptx_names_find(&parser->unit->names, name),
                       *to = ptx_names_find(&parser->unit->names, other);
    if (from == NULL || to == NULL || from->kind != NAME_FUNCTION || to->kind != NAME_FUNCTION)
        return ptx_parser_fail(parser, &token, "Declare both functions above.", ".alias takes two functions");
    struct ptx_function *all = parser->module->functions.item, *alias = &all[from->index];
    const struct ptx_function *target = &all[to->index];
    if (alias->has_body || alias->is_entry || alias == target)
        return ptx_parser_fail(parser, &token, "", "an alias is a .func declared without a body");
    if (!target->has_body || target->is_entry)
        return ptx_parser_fail(parser, &token, "", "the target of an alias is a .func with a body above");
    if (!ptx_same_types(alias, target))
        return ptx_parser_fail(parser, &token, "", "an alias has the parameters and results of its function");
    struct ptx_name kept = alias->name;
    *alias = *target;
    alias->name = kept;
    return 1;
}

static enum ptx_linkage take_linkage(struct parser *parser)
{
    if (ptx_parser_take(parser, ".visible")) return PTX_LINK_VISIBLE;
    if (ptx_parser_take(parser, ".extern")) return PTX_LINK_EXTERN;
    if (ptx_parser_take(parser, ".weak")) return PTX_LINK_WEAK;
    return ptx_parser_take(parser, ".common") ? PTX_LINK_COMMON : PTX_LINK_LOCAL;
}

static int parse_declaration(struct parser *parser)
{
    enum ptx_linkage linkage = take_linkage(parser);
    if (ptx_parser_take(parser, ".entry")) return ptx_parse_function(parser, true, linkage);
    if (ptx_parser_take(parser, ".func")) return ptx_parse_function(parser, false, linkage);
    if (ptx_space_word(&parser->token) != PTX_WORD_NONE) return ptx_parse_variables(parser, NULL, linkage);
    return ptx_parser_fail(parser, &parser->token, "", "'%.*s' is not a directive of a module",
                           (int)(parser->token.length > 60 ? 60 : parser->token.length), parser->token.at);
}

static int parse_directive(struct parser *parser)
{
    if (ptx_parser_take(parser, ".version")) return parse_version(parser);
    if (ptx_parser_take(parser, ".target")) return parse_target(parser);
    if (ptx_parser_take(parser, ".address_size")) return parse_address_size(parser);
    if (ptx_parser_take(parser, ".file")) return parse_file(parser);
    if (ptx_parser_take(parser, ".section")) return parse_section(parser);
    if (ptx_parser_take(parser, ".nv_intermediate_source_section"))
        return skip_section(parser, false); // CUDA Tile's IR
    if (ptx_parser_take(parser, ".alias")) return parse_alias(parser);
    if (ptx_parser_take(parser, ".tmaref_unit")) return parse_unit(parser);
    if (ptx_parser_take(parser, ".pragma")) return ptx_parse_pragma(parser);
    return parse_declaration(parser);
}

// Past the statement that is wrong: behind its ; or its block.
static void recover_outside(struct parser *parser)
{
    parser->failed = false;
    parser->depth = 0;
    while (parser->token.kind != TOKEN_END) {
        if (ptx_parser_is(parser, "{")) ptx_lexer_skip_block(&parser->lexer);
        if (ptx_parser_is(parser, ";") || ptx_parser_is(parser, "{") || ptx_parser_is(parser, "}")) {
            ptx_parser_advance(parser);
            return;
        }
        ptx_parser_advance(parser);
    }
}

static void parse_module(struct parser *parser)
{
    ptx_parser_advance(parser);
    parser->module->may_be_later = ptx_parser_take(parser, ".tmaref_later");
    if (!ptx_parser_is(parser, ".tmaref_unit")) expect_version(parser);
    while (parser->token.kind != TOKEN_END)
        if (!parse_directive(parser) || parser->failed) recover_outside(parser);
}

// --- The calls -------------------------------------------------------------------------------------------------------

struct unit *ptx_unit_of(const struct ptx_module *module, const char *at)
{
    struct unit *unit = (struct unit *)&module->first;
    while (unit->next != NULL && unit->next->at <= at) unit = unit->next;
    return unit;
}

static struct parser parser_at(struct ptx_module *module, struct ptx_errors *errors, const char *at, const char *end,
                               uint32_t line)
{
    return (struct parser){.module = module,
                           .unit = ptx_unit_of(module, at),
                           .arena = &module->arena,
                           .errors = errors,
                           .text = module->text,
                           .lexer = {at, end, line}};
}

static void show(struct ptx_module *module)
{
    struct ptx_program *program = &module->program;
    program->function = module->functions.item;
    program->functions = module->functions.count;
    program->variable = module->variables.item;
    program->variables = module->variables.count;
    program->op = module->ops.item;
    program->ops = module->ops.count;
    program->file = module->files.item;
    program->files = module->files.count;
}

void ptx_complain_of_memory(struct ptx_module *module, struct ptx_errors *errors)
{
    struct ptx_token start = {TOKEN_MARK, 1, 1, module->text};
    ptx_complain(errors, module->text, &start, "", "the program takes more memory than the limit of %zu bytes",
                 module->arena.most_bytes);
}

static struct ptx_module *open_module(const char *text, size_t size_bytes, struct ptx_limits limits,
                                      struct ptx_errors *errors)
{
    struct ptx_module *module = calloc(1, sizeof *module);
    *errors = (struct ptx_errors){0};
    if (module == NULL) return NULL;
    module->last = &module->first;
    module->text = text;
    module->text_bytes = size_bytes;
    module->program.address_bits = ADDRESS_BITS;
    module->arena.most_bytes = limits.memory_bytes == 0 ? DEFAULT_MEMORY_BYTES : limits.memory_bytes;
    module->arena.when_full = &module->when_full;
    memset(module->spelling_head, 0xff, sizeof module->spelling_head);
    if (setjmp(module->when_full) == 0) {
        struct parser parser = parser_at(module, errors, text, text + size_bytes, 1);
        parse_module(&parser);
        if (!module->is_linked) ptx_check_constants(module, errors);
    } else {
        ptx_complain_of_memory(module, errors);
    }
    show(module);
    return module;
}

// Constants are rounded in the text's way, whatever the caller's is.
struct ptx_module *ptx_open(const char *text, size_t size_bytes, struct ptx_limits limits, struct ptx_errors *errors)
{
    const struct float_environment caller = float_environment_set_default();
    struct ptx_module *module = open_module(text, size_bytes, limits, errors);
    float_environment_put_back(&caller);
    return module;
}

const struct ptx_program *ptx_program(const struct ptx_module *module)
{
    return &module->program;
}

// The body's lists, as they were left by the last function, made ready for this one.
static void start_body(struct ptx_module *module, struct ptx_function *function)
{
    struct body *body = &module->body;
    body->function = function;
    body->variables.count = body->instructions.count = body->operands.count = body->locations.count = 0;
    body->declared.count = body->targets.count = body->pending.count = body->target_items.count = 0;
    body->location = 0;
    memset(body->registers, 0, sizeof body->registers);
    memset(body->last_location, 0, sizeof body->last_location);
    ptx_names_clear(&body->names);
}

static void keep_body(struct ptx_module *module, struct ptx_function *function)
{
    struct body *body = &module->body;
    struct ptx_arena *arena = &module->arena;
    function->variables = body->variables.count;
    function->instructions = body->instructions.count;
    function->operands = body->operands.count;
    function->locations = body->locations.count;
    function->target_lists = body->targets.count;
    function->declarations = body->declared.count;
    memcpy(function->registers, body->registers, sizeof body->registers);
    function->variable = ptx_arena_list_keep(arena, &body->variables, sizeof(struct ptx_variable));
    function->instruction = ptx_arena_list_keep(arena, &body->instructions, sizeof(struct ptx_instruction));
    function->operand = ptx_arena_list_keep(arena, &body->operands, sizeof(struct ptx_operand));
    function->location = ptx_arena_list_keep(arena, &body->locations, sizeof(struct ptx_location));
    function->targets = ptx_arena_list_keep(arena, &body->targets, sizeof(struct ptx_targets));
    function->declared = ptx_arena_list_keep(arena, &body->declared, sizeof(struct ptx_registers));
}

static void decode(struct ptx_module *module, uint32_t number, struct ptx_errors *errors)
{
    struct ptx_function *function = (struct ptx_function *)module->functions.item + number;
    struct parser parser = parser_at(module, errors, function->body, function->body_end, function->body_line);
    start_body(module, function);
    ptx_parse_body(&parser, &module->body);
    keep_body(module, function);
    ptx_check_shared(module, number, errors);
    function->is_bad = errors->count > 0;
}

static bool decode_first(struct ptx_module *module, uint32_t number, struct ptx_errors *errors)
{
    struct ptx_function *function = (struct ptx_function *)module->functions.item + number;
    function->is_decoded = 1;
    if (setjmp(module->when_full) == 0) {
        decode(module, number, errors);
    } else {
        function->is_bad = 1;
        ptx_complain_of_memory(module, errors);
    }
    show(module);
    return !function->is_bad;
}

int ptx_decode(struct ptx_module *module, uint32_t number, struct ptx_errors *errors)
{
    struct ptx_function *function = (struct ptx_function *)module->functions.item + number;
    *errors = (struct ptx_errors){0};
    if (!function->has_body || function->is_decoded) return !function->is_bad;
    const struct float_environment caller = float_environment_set_default();
    const bool is_good = decode_first(module, number, errors);
    float_environment_put_back(&caller);
    return is_good;
}

int ptx_function_find(const struct ptx_module *module, const char *name)
{
    const struct ptx_function *function = module->functions.item;
    int local = -1;
    for (const struct unit *unit = &module->first; unit != NULL; unit = unit->next) {
        const struct named *named = ptx_names_find(&unit->names, (struct ptx_name){name, (uint32_t)strlen(name)});
        if (named == NULL || named->kind != NAME_FUNCTION) continue;
        if (function[named->index].linkage != PTX_LINK_LOCAL) return (int)named->index;
        if (local < 0) local = (int)named->index;
    }
    return local;
}

struct ptx_name ptx_file_name(const struct ptx_module *module, uint32_t number)
{
    const struct ptx_source_file *file = module->files.item;
    for (uint32_t i = 0; i < module->files.count; i++)
        if (file[i].number == number) return file[i].name;
    return (struct ptx_name){"", 0};
}

size_t ptx_memory_bytes(const struct ptx_module *module)
{
    return module->arena.used_bytes;
}

void ptx_close(struct ptx_module *module)
{
    if (module == NULL) return;
    struct body *body = &module->body;
    struct ptx_arena_list *lists[] = {&module->functions,     &module->variables,
                                      &module->ops,           &module->files,
                                      &module->spellings,     &module->rows,
                                      &module->heads,         &module->symbols.list,
                                      &module->initial.bytes, &module->initial.relocations,
                                      &body->names.list,      &body->variables,
                                      &body->instructions,    &body->operands,
                                      &body->locations,       &body->targets,
                                      &body->pending,         &body->target_items,
                                      &body->declared};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) ptx_arena_list_free(lists[i]);
    for (struct unit *unit = &module->first; unit != NULL; unit = unit->next) {
        ptx_arena_list_free(&unit->names.list);
        free(unit->names.head);
    }
    free(module->symbols.head);
    free(body->names.head);
    ptx_arena_free(&module->arena);
    free(module);
}
