// SPDX-License-Identifier: MIT
#include "core_code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "code.h"
#include "demangle.h"
#include "module.h"

// --- Functions -------------------------------------------------------------------------------------------------------

static bool is_of_code(const struct elf *elf, const Elf64_Sym *symbol, Elf64_Shdr *section)
{
    return ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_size > 0 &&
           elf_section(elf, symbol->st_shndx, section) && elf_bytes(elf, section) != NULL;
}

// A symbol's value is an offset in its section, or, in code that was placed in memory, an address.
static void take_function(struct core_code *code, const char *name, const Elf64_Sym *symbol, const Elf64_Shdr *section)
{
    uint64_t start = symbol->st_value;
    if (section->sh_addr != 0 && start >= section->sh_addr) start -= section->sh_addr;
    if (start > section->sh_size || symbol->st_size > section->sh_size - start) return;
    code->function[code->functions++] =
        (struct core_function){.name = name,
                               .section = symbol->st_shndx,
                               .start = start,
                               .code = {elf_bytes(&code->elf, section) + start, 0, symbol->st_size},
                               .address = section->sh_addr == 0 ? 0 : section->sh_addr + start};
}

static int read_functions(struct core_code *code, struct text *why)
{
    Elf64_Shdr table, names, section;
    if (!elf_find(&code->elf, ".symtab", 0, &table) || elf_bytes(&code->elf, &table) == NULL ||
        !elf_section(&code->elf, table.sh_link, &names))
        return text_fail(why, "its machine code has no table of symbols");
    const uint64_t symbols = table.sh_size / sizeof(Elf64_Sym);
    code->function = calloc(symbols + 1, sizeof *code->function);
    if (code->function == NULL) return text_fail(why, "no memory for its functions");
    for (uint64_t i = 0; i < symbols; i++) {
        Elf64_Sym symbol;
        memcpy(&symbol, elf_bytes(&code->elf, &table) + i * sizeof symbol, sizeof symbol);
        if (is_of_code(&code->elf, &symbol, &section))
            take_function(code, elf_string(&code->elf, &names, symbol.st_name), &symbol, &section);
    }
    return 1;
}

// --- PTX -------------------------------------------------------------------------------------------------------------

enum { MOST_PTX_BYTES = 64 << 20 };

// nvlink keeps one section for each unit that it linked. Which one a line is of is not known: then none is read.
static bool has_one(const struct elf *elf, const char *name)
{
    int found = 0;
    Elf64_Shdr section;
    for (uint64_t i = 1; i < elf->sections; i++)
        found += elf_section(elf, i, &section) && strcmp(elf_name(elf, &section), name) == 0;
    return found == 1;
}

// Lines of the section end in 0, those with .file and .loc are empty; behind the code stand strings of .debug_str that
// are empty too, which is no PTX.
static void read_ptx(struct core_code *code)
{
    static const char strings[] = "\n.section", name[] = ".nv_debug_ptx_txt";
    Elf64_Shdr section;
    struct ptx_errors errors = {0};
    if (!has_one(&code->elf, name) || !elf_find(&code->elf, name, 0, &section) || section.sh_size > MOST_PTX_BYTES ||
        elf_bytes(&code->elf, &section) == NULL)
        return;
    char *text = malloc(section.sh_size + 1);
    if (text == NULL) return;
    memcpy(text, elf_bytes(&code->elf, &section), section.sh_size);
    text[section.sh_size] = '\0';
    for (uint64_t i = 0; i < section.sh_size; i++)
        if (text[i] == '\0') text[i] = '\n';
    char *end = strstr(text, strings);
    code->ptx = machine_module_open(text, end != NULL ? (size_t)(end - text) : section.sh_size, &errors);
    free(text);
}

// --- The whole -------------------------------------------------------------------------------------------------------

int core_code_open(struct core_code *code, const struct core_bytes *image, struct text *why)
{
    *code = (struct core_code){0};
    if (!elf_file_open(&code->elf, image->at, image->bytes, why) || !read_functions(code, why)) return 0;
    if (!line_table_open(&code->lines, &code->elf, ".debug_line") ||
        !line_table_open(&code->ptx_lines, &code->elf, ".nv_debug_line_sass"))
        return text_fail(why, "no memory for its lines");
    read_ptx(code);
    return 1;
}

void core_code_close(struct core_code *code)
{
    free(code->function);
    line_table_close(&code->lines);
    line_table_close(&code->ptx_lines);
    if (code->ptx != NULL) machine_module_close(code->ptx);
    *code = (struct core_code){0};
}

const struct core_function *core_code_function(const struct core_code *code, uint64_t address)
{
    for (uint32_t i = 0; i < code->functions; i++) {
        const struct core_function *function = &code->function[i];
        if (function->address != 0 && address >= function->address &&
            address - function->address < function->code.bytes)
            return function;
    }
    return code->functions == 1 && code->function[0].address == 0 ? &code->function[0] : NULL;
}

// A line of the PTX, without blanks around it; "" if there is none.
static struct ptx_name ptx_line_text(const struct core_code *code, uint32_t line)
{
    struct ptx_name text = {"", 0};
    const char *at = code->ptx != NULL && line > 0 ? machine_module_text(code->ptx) : NULL;
    for (uint32_t i = 1; at != NULL && i < line; i++) at = (at = strchr(at, '\n')) != NULL ? at + 1 : NULL;
    if (at == NULL) return text;
    at += strspn(at, " \t");
    text = (struct ptx_name){at, (uint32_t)strcspn(at, "\n")};
    return text;
}

static struct machine_caller caller_of(const struct line_place *place)
{
    return (struct machine_caller){{place->file, (uint32_t)strlen(place->file)}, place->line};
}

bool core_code_place(const struct core_code *code, const struct core_function *function, uint64_t offset,
                     struct machine_where *where)
{
    struct line_place place[LINE_PLACES];
    *where = (struct machine_where){0};
    where->function = (struct ptx_name){function->name, (uint32_t)strlen(function->name)};
    where->ptx_line = core_code_ptx_line(code, function, offset);
    where->instruction = ptx_line_text(code, where->ptx_line);
    const uint32_t places = line_table_find(&code->lines, function->section, function->start + offset, place);
    if (places == 0) return false;
    where->source_file = caller_of(&place[0]).file;
    where->source_line = place[0].line;
    for (uint32_t i = 1; i < places; i++) {
        const uint32_t at = where->callers < MACHINE_CALLERS ? where->callers++ : MACHINE_CALLERS - 1;
        where->caller[at] = caller_of(&place[i]);
    }
    return true;
}

uint32_t core_code_ptx_line(const struct core_code *code, const struct core_function *function, uint64_t offset)
{
    struct line_place place[LINE_PLACES];
    const uint32_t places = line_table_find(&code->ptx_lines, function->section, function->start + offset, place);
    return places > 0 ? place[0].line : 0;
}

void core_code_kernel(struct core_code *code, const char *name)
{
    struct ptx_errors errors = {0};
    int kernel = code->ptx != NULL ? machine_module_kernel(code->ptx, name) : -1;
    code->kernel = kernel >= 0 ? machine_module_decoded(code->ptx, kernel, &errors) : NULL;
    code->ptx_function = code->kernel != NULL ? code->kernel->entry->source : NULL;
}

// The variable that begins last at or before the address. What the launch adds has no end.
static const struct machine_variable *variable_at(const struct machine_kernel *kernel, uint64_t address)
{
    const struct machine_variable *best = NULL;
    for (uint32_t i = 0; kernel != NULL && i < kernel->shareds; i++) {
        const struct machine_variable *variable = &kernel->shared[i];
        if (address < variable->at || (variable->bytes != 0 && address - variable->at >= variable->bytes)) continue;
        if (best == NULL || variable->at > best->at) best = variable;
    }
    return best;
}

size_t core_code_shared_name(const struct core_code *code, uint64_t address, char *text, size_t bytes)
{
    const struct machine_variable *variable = variable_at(code->kernel, address);
    if (bytes > 0) text[0] = '\0';
    if (variable == NULL) return 0;
    size_t length = demangle_variable(variable->name.at, variable->name.length, text, bytes);
    if (address > variable->at && length + 1 < bytes)
        length +=
            (size_t)snprintf(text + length, bytes - length, " + %llu", (unsigned long long)(address - variable->at));
    return length < bytes ? length : bytes - 1;
}

uint64_t core_code_shared_start(const struct core_code *code, uint64_t address)
{
    const struct machine_variable *variable = variable_at(code->kernel, address);
    return variable != NULL ? variable->at : UINT64_MAX;
}

uint64_t core_code_shared_bytes(const struct core_code *code, uint64_t start)
{
    const struct machine_variable *variable = variable_at(code->kernel, start);
    return variable != NULL && variable->at == start ? variable->bytes : 0;
}
