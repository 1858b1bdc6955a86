// SPDX-License-Identifier: MIT
// A module: its text, its variables where they lie, and the kernels that were decoded of it.
#include "module.h"

#include <stdlib.h>
#include <string.h>

#include "budget.h"
#include "commute.h"
#include "decode.h"
#include "device_call.h"

#define MOST_CODE_BYTES (UINT64_C(1) << 30)
enum { VARIABLES_ALIGN = 256, FUNCTION_STRIDE = 16 };

// The groups in which ptxas places variables. Global and managed ones lie in the first block, constant ones in the
// second, which is read-only.
enum { ZEROED, INITIALIZED, CONSTANT, NOWHERE };

struct placed {
    uint32_t group, align, index;
    uint64_t bytes;
};

static struct placed placed_of(const struct ptx_program *program, uint32_t index)
{
    const struct ptx_variable *variable = &program->variable[index];
    uint32_t align = variable->align > VARIABLES_ALIGN ? VARIABLES_ALIGN : variable->align;
    uint32_t group = variable->is_unsized || variable->bytes == 0       ? NOWHERE
                     : variable->linkage == PTX_LINK_EXTERN             ? NOWHERE // another unit's
                     : variable->space == PTX_CONST                     ? CONSTANT
                     : variable->space != PTX_GLOBAL                    ? NOWHERE
                     : variable->init_bytes + variable->relocations > 0 ? INITIALIZED
                                                                        : ZEROED;
    return (struct placed){group, align, index, variable->bytes};
}

static int block_of(uint32_t group)
{
    return group == NOWHERE ? -1 : group == CONSTANT;
}

// As ptxas of 13.0 does it: constants as they come, others by falling alignment and growing size.
static int order_of(const void *left, const void *right)
{
    const struct placed *a = left, *b = right;
    if (a->group != b->group) return a->group < b->group ? -1 : 1;
    if (a->group < CONSTANT && a->align != b->align) return a->align > b->align ? -1 : 1;
    if (a->group < CONSTANT && a->bytes != b->bytes) return a->bytes < b->bytes ? -1 : 1;
    return a->index < b->index ? -1 : 1;
}

static uint64_t aligned(uint64_t offset, uint64_t align)
{
    return align == 0 ? offset : (offset + align - 1) / align * align;
}

// The offset of each variable in its block, into address[]; the bytes of both blocks. Each group begins anew.
static void lay_out(struct machine_module *module, const struct placed *variable, uint32_t variables, uint64_t bytes[2])
{
    bytes[0] = bytes[1] = 0;
    for (uint32_t i = 0; i < variables; i++) {
        int block = block_of(variable[i].group);
        if (block < 0) continue;
        bool begins = i == 0 || variable[i].group != variable[i - 1].group;
        module->address[variable[i].index] = aligned(bytes[block], begins ? VARIABLES_ALIGN : variable[i].align);
        bytes[block] = module->address[variable[i].index] + variable[i].bytes;
    }
}

// A variable takes memory where it is used or begins with other bytes than 0: the system gives pages as they are
// touched.
static bool take_blocks(struct machine_module *module, const uint64_t bytes[2])
{
    for (int block = 0; block < 2; block++) {
        if (bytes[block] == 0) continue;
        uint64_t whole = aligned(bytes[block], VARIABLES_ALIGN);
        if (whole < bytes[block] || !budget_take(BUDGET_VARIABLES, whole)) return false;
        module->raw[block] = calloc(whole + VARIABLES_ALIGN, 1);
        if (module->raw[block] == NULL) budget_give(BUDGET_VARIABLES, whole);
        if (module->raw[block] == NULL) return false;
        uint8_t *at = (uint8_t *)(uintptr_t)aligned((uint64_t)(uintptr_t)module->raw[block], VARIABLES_ALIGN);
        module->block[block] = (struct memory){at, (uint64_t)(uintptr_t)at, whole};
    }
    return true;
}

uint64_t machine_function_address(const struct machine_module *module, uint32_t function)
{
    return (uint64_t)(uintptr_t)module->function_place + (uint64_t)function * FUNCTION_STRIDE;
}

bool machine_function_at(const struct machine_module *module, uint64_t address, uint32_t *function)
{
    uint64_t offset = address - (uint64_t)(uintptr_t)module->function_place;
    *function = (uint32_t)(offset / FUNCTION_STRIDE);
    return offset % FUNCTION_STRIDE == 0 && offset / FUNCTION_STRIDE < ptx_program(module->front)->functions;
}

static void relocate(const struct machine_module *module, uint8_t *variable, const struct ptx_relocation *relocation)
{
    uint64_t address = relocation->is_function ? machine_function_address(module, relocation->index)
                                               : module->address[relocation->index];
    uint64_t bits = ((address + (uint64_t)relocation->add) & relocation->mask) >> relocation->shift;
    memcpy(variable + relocation->offset, &bits, relocation->bytes > 8 ? 8 : relocation->bytes);
}

// Offsets become addresses, for all before any of them is put into another.
static void place(struct machine_module *module, const struct ptx_program *program, const struct placed *variable)
{
    for (uint32_t i = 0; i < program->variables; i++) {
        int block = block_of(variable[i].group);
        if (block >= 0) module->address[variable[i].index] += module->block[block].base;
    }
    for (uint32_t i = 0; i < program->variables; i++) {
        const struct ptx_variable *source = &program->variable[variable[i].index];
        int block = block_of(variable[i].group);
        if (block < 0) continue;
        uint8_t *at = memory_at(&module->block[block], module->address[variable[i].index], source->bytes);
        if (source->init_bytes > 0) memcpy(at, source->init, source->init_bytes);
        for (uint32_t k = 0; k < source->relocations; k++) relocate(module, at, &source->relocation[k]);
    }
}

static bool place_variables(struct machine_module *module, const struct ptx_program *program)
{
    uint64_t bytes[2];
    struct placed *variable = calloc(program->variables + 1u, sizeof *variable);
    if (variable == NULL) return false;
    for (uint32_t i = 0; i < program->variables; i++) variable[i] = placed_of(program, i);
    qsort(variable, program->variables, sizeof *variable, order_of);
    lay_out(module, variable, program->variables, bytes);
    bool is_placed = take_blocks(module, bytes);
    if (is_placed) place(module, program, variable);
    free(variable);
    return is_placed;
}

static bool start(struct machine_module *module)
{
    const struct ptx_program *program = ptx_program(module->front);
    module->address = calloc(program->variables + 1u, sizeof *module->address);
    module->kernel = calloc(program->functions + 1u, sizeof *module->kernel);
    module->function_place = malloc((size_t)program->functions * FUNCTION_STRIDE + 1);
    if (module->address == NULL || module->kernel == NULL || module->function_place == NULL) return false;
    return place_variables(module, program);
}

// Counts `bytes` of decoded code, and what the PTX's reader has taken since. 0: it is too much.
static bool machine_module_count(struct machine_module *module, uint64_t bytes)
{
    const uint64_t read = ptx_memory_bytes(module->front), more = bytes + read - module->read_bytes;
    if (!budget_take(BUDGET_CODE, more)) return false;
    module->read_bytes = read;
    module->code_bytes += more;
    return true;
}

static bool open_text(struct machine_module *module, size_t bytes, struct ptx_errors *errors)
{
    const uint64_t left = budget_left();
    const struct ptx_limits limits = {left < MOST_CODE_BYTES ? (size_t)left + 1 : 0};
    module->front = ptx_open(module->text, bytes, limits, errors);
    if (module->front != NULL && errors->count == 0 && !machine_module_count(module, 0)) return false;
    return module->front != NULL && errors->count == 0 && ptx_link(module->front, machine_is_device_call, errors) &&
           start(module);
}

struct machine_module *machine_module_adopt(char *text, size_t bytes, struct ptx_errors *errors)
{
    struct machine_module *module = calloc(1, sizeof *module);
    *errors = (struct ptx_errors){0};
    if (module == NULL) return NULL;
    module->text = text;
    if (budget_take(BUDGET_TEXT, bytes)) module->text_bytes = bytes;
    if ((module->text_bytes == bytes) && open_text(module, bytes, errors)) return module;
    module->text = NULL;
    machine_module_close(module);
    return NULL;
}

struct machine_module *machine_module_open(const char *ptx, size_t bytes, struct ptx_errors *errors)
{
    char *text = malloc(bytes + 1);
    *errors = (struct ptx_errors){0};
    if (text == NULL) return NULL;
    memcpy(text, ptx, bytes);
    text[bytes] = '\0';
    struct machine_module *module = machine_module_adopt(text, bytes, errors);
    if (module == NULL) free(text);
    return module;
}

void machine_module_close(struct machine_module *module)
{
    if (module == NULL) return;
    budget_give(BUDGET_TEXT, module->text_bytes);
    budget_give(BUDGET_CODE, module->code_bytes);
    for (uint32_t i = 0; module->kernel != NULL && i < ptx_program(module->front)->functions; i++)
        machine_kernel_free(module->kernel[i]);
    for (int block = 0; block < 2; block++) {
        if (module->raw[block] != NULL) budget_give(BUDGET_VARIABLES, module->block[block].size_bytes);
        free(module->raw[block]);
    }
    free(module->kernel);
    free(module->address);
    free(module->function_place);
    free(module->executor);
    free(module->is_needed);
    free(module->is_named);
    free(module->variable_offset);
    ptx_close(module->front);
    free(module->text);
    free(module);
}

const struct ptx_program *machine_module_program(const struct machine_module *module)
{
    return ptx_program(module->front);
}

struct ptx_module *machine_module_front(const struct machine_module *module)
{
    return module->front;
}

const char *machine_module_text(const struct machine_module *module)
{
    return module->text;
}

int machine_module_kernel(const struct machine_module *module, const char *name)
{
    const struct ptx_program *program = ptx_program(module->front);
    int function = ptx_function_find(module->front, name);
    return function >= 0 && program->function[function].is_entry ? function : -1;
}

// A unit's own variable is found if no other has the name.
bool machine_module_variable(const struct machine_module *module, const char *name, uint64_t *address, uint64_t *bytes)
{
    const struct ptx_program *program = ptx_program(module->front);
    bool is_found = false;
    for (uint32_t i = 0; i < program->variables; i++) {
        const struct ptx_variable *variable = &program->variable[i];
        if (module->address[i] == 0 || strlen(name) != variable->name.length ||
            memcmp(name, variable->name.at, variable->name.length) != 0)
            continue;
        if (is_found && variable->linkage == PTX_LINK_LOCAL) continue;
        *address = module->address[i];
        *bytes = variable->bytes;
        is_found = true;
        if (variable->linkage != PTX_LINK_LOCAL) break;
    }
    return is_found;
}

const struct ptx_variable *machine_module_variable_at(const struct machine_module *module, uint64_t address,
                                                      uint64_t *offset)
{
    const struct ptx_program *program = ptx_program(module->front);
    for (uint32_t i = 0; i < program->variables; i++) {
        *offset = address - module->address[i];
        if (module->address[i] != 0 && address >= module->address[i] && *offset < program->variable[i].bytes)
            return &program->variable[i];
    }
    return NULL;
}

uint32_t machine_module_regions(const struct machine_module *module, struct region region[MACHINE_MODULE_REGIONS])
{
    uint32_t count = 0;
    for (int block = 0; block < 2; block++)
        if (module->block[block].bytes != NULL) region[count++] = (struct region){module->block[block], block == 1};
    if (count < 2 || region[0].memory.base < region[1].memory.base) return count;
    struct region first = region[1];
    region[1] = region[0];
    region[0] = first;
    return count;
}

struct machine_kernel *machine_module_decoded(struct machine_module *module, int kernel, struct ptx_errors *errors)
{
    *errors = (struct ptx_errors){0};
    if (module->kernel[kernel] != NULL) return module->kernel[kernel];
    struct machine_kernel *decoded = machine_decode(module, (uint32_t)kernel, errors);
    if (decoded != NULL && !machine_module_count(module, machine_kernel_bytes(decoded))) {
        machine_kernel_free(decoded);
        return NULL;
    }
    if (decoded != NULL) decoded->commutes = machine_kernel_commutes(decoded, ptx_program(module->front), false);
    if (decoded != NULL) decoded->adds = machine_kernel_commutes(decoded, ptx_program(module->front), true);
    return module->kernel[kernel] = decoded;
}

bool machine_module_facts(struct machine_module *module, int kernel, struct machine_kernel_facts *facts,
                          struct ptx_errors *errors)
{
    const struct machine_kernel *decoded = machine_module_decoded(module, kernel, errors);
    if (decoded == NULL) return false;
    *facts = decoded->facts;
    return true;
}
