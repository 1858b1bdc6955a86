// SPDX-License-Identifier: MIT
// Puts the units of a module together. Functions and variables of all units lie in the same two lists already: a name
// that means something of another unit gets the number of that. Bodies, which are read later, then find it.
#include <string.h>

#include "link_rules.h"
#include "parser.h"

struct linker {
    struct ptx_module *module;
    struct ptx_errors *errors;
    int (*is_given)(struct ptx_name name);
    uint8_t *is_used;              // of each function: a body or a value names it
    uint32_t *function, *variable; // which one a number stands for
};

static struct ptx_function *function_at(const struct linker *linker, uint32_t index)
{
    return (struct ptx_function *)linker->module->functions.item + index;
}

static struct ptx_variable *variable_at(const struct linker *linker, uint32_t index)
{
    return (struct ptx_variable *)linker->module->variables.item + index;
}

static int shown(struct ptx_name name)
{
    return (int)(name.length > 100 ? 100 : name.length);
}

// --- What is used ----------------------------------------------------------------------------------------------------

static void mark_body(struct linker *linker, const struct ptx_function *function)
{
    const struct unit *unit = ptx_unit_of(linker->module, function->body);
    struct ptx_lexer lexer = {function->body, function->body_end, function->body_line};
    for (struct ptx_token token = ptx_lexer_next(&lexer); token.kind != TOKEN_END; token = ptx_lexer_next(&lexer)) {
        if (token.kind != TOKEN_WORD) continue;
        const struct named *named = ptx_names_find(&unit->names, (struct ptx_name){token.at, token.length});
        if (named != NULL && named->kind == NAME_FUNCTION) linker->is_used[named->index] = 1;
    }
}

static void mark_value(struct linker *linker, const struct ptx_variable *variable)
{
    for (uint32_t i = 0; i < variable->relocations; i++)
        if (variable->relocation[i].is_function) linker->is_used[variable->relocation[i].index] = 1;
}

static void mark_used(struct linker *linker)
{
    for (uint32_t i = 0; i < linker->module->functions.count; i++)
        if (function_at(linker, i)->has_body) mark_body(linker, function_at(linker, i));
    for (uint32_t i = 0; i < linker->module->variables.count; i++) mark_value(linker, variable_at(linker, i));
}

static bool is_local(const struct linker *linker, const struct named *named)
{
    return (named->kind == NAME_FUNCTION ? function_at(linker, named->index)->linkage
                                         : variable_at(linker, named->index)->linkage) == PTX_LINK_LOCAL;
}

// A function that is declared and not used is as if it were not there.
static bool is_idle(const struct linker *linker, const struct named *named)
{
    return named->kind == NAME_FUNCTION && !function_at(linker, named->index)->has_body &&
           !linker->is_used[named->index];
}

static struct ptx_token token_of(const struct linker *linker, const struct named *named)
{
    const uint32_t line = named->kind == NAME_FUNCTION ? function_at(linker, named->index)->line
                                                       : variable_at(linker, named->index)->line;
    return (struct ptx_token){TOKEN_WORD, named->name.length, line, named->name.at};
}

// --- What stays open -------------------------------------------------------------------------------------------------

static bool is_open(const struct linker *linker, const struct named *symbol)
{
    if (symbol->kind == NAME_FUNCTION) {
        const struct ptx_function *function = function_at(linker, symbol->index);
        return !is_idle(linker, symbol) && !function->has_body && !linker->is_given(function->name);
    }
    const struct ptx_variable *variable = variable_at(linker, symbol->index);
    return variable->linkage == PTX_LINK_EXTERN && !(variable->space == PTX_SHARED && variable->is_unsized);
}

// CUDA's device runtime, with which kernels call the runtime API.
static bool is_of_device_runtime(struct ptx_name name)
{
    static const char prefix[] = "__cudaCDP2";
    return name.length >= sizeof prefix - 1 && memcmp(name.at, prefix, sizeof prefix - 1) == 0;
}

static void tell_open(struct linker *linker, const struct named *named)
{
    const struct ptx_name unit = ptx_unit_of(linker->module, named->name.at)->name;
    const struct ptx_token token = token_of(linker, named);
    ptx_complain(linker->errors, linker->module->text, &token,
                 is_of_device_runtime(named->name)
                     ? "A kernel calls the CUDA runtime here. tmaref supports only these parts of the device runtime: "
                       "kernel launches, streams, "
                       "events, cudaMemcpyAsync, cudaMemsetAsync, cudaMalloc, cudaFree and the last error."
                     : "Link what defines it too (-rdc=true, cuLinkAddData), with PTX in it: code=compute_90a.",
                 "'%.*s' is used%s%.*s, but nothing defines it", shown(named->name), named->name.at,
                 unit.length > 0 ? " in " : "", shown(unit), unit.at);
}

static void check_open(struct linker *linker, const struct names *names)
{
    const struct named *named = names->list.item;
    for (uint32_t i = 0; i < names->list.count; i++)
        if (is_open(linker, &named[i])) tell_open(linker, &named[i]);
}

// --- One name in two units -------------------------------------------------------------------------------------------

static const char *clash_of(const struct linker *linker, const struct named *first, const struct named *second)
{
    if (first->kind != second->kind) return "is a function in only one unit; the other is";
    return first->kind == NAME_FUNCTION
               ? ptx_link_clash_of_functions(function_at(linker, first->index), function_at(linker, second->index))
               : ptx_link_clash_of_variables(variable_at(linker, first->index), variable_at(linker, second->index));
}

static bool takes(const struct linker *linker, const struct named *first, const struct named *second)
{
    return first->kind == NAME_FUNCTION
               ? ptx_link_takes_function(function_at(linker, first->index), function_at(linker, second->index))
               : ptx_link_takes_variable(variable_at(linker, first->index), variable_at(linker, second->index));
}

// A definition that does not count is a declaration.
static void give_up(const struct linker *linker, const struct named *named, uint32_t index)
{
    if (named->kind == NAME_FUNCTION)
        function_at(linker, index)->has_body = 0;
    else
        variable_at(linker, index)->linkage = PTX_LINK_EXTERN;
}

static void tell_clash(struct linker *linker, const struct named *first, const struct named *second, const char *why)
{
    const struct ptx_name here = ptx_unit_of(linker->module, second->name.at)->name,
                          there = ptx_unit_of(linker->module, first->name.at)->name;
    const struct ptx_token token = token_of(linker, second);
    ptx_complain(linker->errors, linker->module->text, &token, "", "'%.*s' %s %.*s; the first is in %.*s",
                 shown(second->name), second->name.at, why, shown(here), here.at, shown(there), there.at);
}

static void join(struct linker *linker, const struct named *named)
{
    struct ptx_module *module = linker->module;
    if (is_local(linker, named)) {
        if (linker->is_given != NULL && is_open(linker, named)) tell_open(linker, named);
        return;
    }
    if (is_idle(linker, named) || ptx_names_add(&module->symbols, &module->arena, named)) return;
    struct named *symbol = (struct named *)ptx_names_find(&module->symbols, named->name);
    const char *why = clash_of(linker, symbol, named);
    if (why != NULL) {
        tell_clash(linker, symbol, named, why);
    } else if (takes(linker, symbol, named)) {
        give_up(linker, symbol, symbol->index);
        symbol->name = named->name; // where it is
        symbol->index = named->index;
    } else {
        give_up(linker, symbol, named->index);
    }
}

// --- Numbers ---------------------------------------------------------------------------------------------------------

static uint32_t *numbers(struct ptx_arena *arena, uint32_t count)
{
    uint32_t *number = ptx_arena_take(arena, count + 1u, sizeof *number);
    for (uint32_t i = 0; i < count; i++) number[i] = i;
    return number;
}

static void forward_names(struct linker *linker, struct unit *unit)
{
    struct named *named = unit->names.list.item;
    for (uint32_t i = 0; i < unit->names.list.count; i++) {
        const struct named *symbol = ptx_names_find(&linker->module->symbols, named[i].name);
        if (is_local(linker, &named[i]) || symbol == NULL || symbol->kind != named[i].kind) continue;
        (named[i].kind == NAME_FUNCTION ? linker->function : linker->variable)[named[i].index] = symbol->index;
        named[i].index = symbol->index;
    }
}

static void forward_values(const struct linker *linker, const struct ptx_variable *variable)
{
    for (uint32_t i = 0; i < variable->relocations; i++) {
        struct ptx_relocation *relocation = &variable->relocation[i];
        relocation->index = (relocation->is_function ? linker->function : linker->variable)[relocation->index];
    }
}

static void link_units(struct linker *linker)
{
    struct ptx_module *module = linker->module;
    mark_used(linker);
    for (struct unit *unit = &module->first; unit != NULL; unit = unit->next)
        for (uint32_t i = 0; i < unit->names.list.count; i++)
            join(linker, (const struct named *)unit->names.list.item + i);
    if (linker->is_given != NULL) check_open(linker, &module->symbols);
    if (linker->errors->count > 0) return;
    for (struct unit *unit = &module->first; unit != NULL; unit = unit->next) forward_names(linker, unit);
    for (uint32_t i = 0; i < module->variables.count; i++) forward_values(linker, variable_at(linker, i));
}

// A whole program, as ptxas has it: .extern variables are its own if they have a size. To ask which functions are used
// takes time, so that it is done where one is missing.
static void link_whole(struct linker *linker)
{
    bool is_missing = false;
    for (uint32_t i = 0; i < linker->module->variables.count; i++) {
        struct ptx_variable *variable = variable_at(linker, i);
        if (variable->linkage == PTX_LINK_EXTERN && !variable->is_unsized) variable->linkage = PTX_LINK_VISIBLE;
    }
    if (linker->is_given == NULL) return;
    for (uint32_t i = 0; i < linker->module->functions.count; i++)
        is_missing |= !function_at(linker, i)->has_body && !linker->is_given(function_at(linker, i)->name);
    if (is_missing) mark_used(linker);
    check_open(linker, &linker->module->first.names);
}

// --- The call --------------------------------------------------------------------------------------------------------

int ptx_link(struct ptx_module *module, int (*is_given)(struct ptx_name name), struct ptx_errors *errors)
{
    struct linker linker = {.module = module, .errors = errors, .is_given = is_given};
    *errors = (struct ptx_errors){0};
    if (setjmp(module->when_full) != 0) {
        ptx_complain_of_memory(module, errors);
        return 0;
    }
    linker.is_used = ptx_arena_take(&module->arena, module->functions.count + 1u, 1);
    linker.function = numbers(&module->arena, module->functions.count);
    linker.variable = numbers(&module->arena, module->variables.count);
    (module->is_linked ? link_units : link_whole)(&linker);
    if (module->is_linked && errors->count == 0) ptx_check_constants(module, errors);
    return errors->count == 0;
}

// --- Names -----------------------------------------------------------------------------------------------------------

static void tell_names(const struct names *names, void (*tell)(void *context, struct ptx_name name), void *context)
{
    const struct named *named = names->list.item;
    for (uint32_t i = 0; i < names->list.count; i++) tell(context, named[i].name);
}

void ptx_each_name(const struct ptx_module *module, void (*tell)(void *context, struct ptx_name name), void *context)
{
    for (const struct unit *unit = &module->first; unit != NULL; unit = unit->next)
        tell_names(&unit->names, tell, context);
}

void ptx_each_symbol(const struct ptx_module *module, void (*tell)(void *context, struct ptx_name name), void *context)
{
    tell_names(&module->symbols, tell, context);
}
