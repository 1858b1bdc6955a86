// SPDX-License-Identifier: MIT
// An address that the PTX computes is followed back through mov, add, cvta and mapa to the variable that it begins at,
// with the constants that are added on the way. What is not a constant is left out, and the address is not exact.
#include "core_sites.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "code.h"
#include "module.h"

enum { MOST_STEPS = 24 };

// --- Addresses of the PTX --------------------------------------------------------------------------------------------

struct address {
    uint64_t at, variable; // UINT64_MAX: no variable of shared memory is known
    bool is_exact;
};

// What the search walks over: the program, its function, and where that was placed.
struct search {
    const struct core_code *code;
    const struct ptx_program *program;
    const struct ptx_function *function;
    int steps;
};

static struct ptx_name opcode_of(const struct search *search, const struct ptx_instruction *instruction)
{
    return search->program->op[instruction->op].spelling;
}

static bool begins(struct ptx_name name, const char *with)
{
    const size_t length = strlen(with);
    return name.length >= length && memcmp(name.at, with, length) == 0;
}

static bool has(struct ptx_name name, const char *part)
{
    return memmem(name.at, name.length, part, strlen(part)) != NULL;
}

static struct ptx_name variable_name(const struct search *search, uint32_t index)
{
    static const struct ptx_name none;
    if ((index & PTX_OF_FUNCTION) != 0) {
        index &= ~PTX_OF_FUNCTION;
        return index < search->function->variables ? search->function->variable[index].name : none;
    }
    return index < search->program->variables ? search->program->variable[index].name : none;
}

static uint64_t place_of(const struct search *search, struct ptx_name name)
{
    const struct machine_kernel *kernel = search->code->kernel;
    for (uint32_t i = 0; name.length > 0 && i < kernel->shareds; i++)
        if (kernel->shared[i].name.length == name.length &&
            memcmp(kernel->shared[i].name.at, name.at, name.length) == 0)
            return kernel->shared[i].at;
    return UINT64_MAX;
}

static struct address follow(struct search *search, const struct ptx_operand *operand, uint32_t before);

// The instruction before number `before` that writes the register, or the nearest behind it; UINT32_MAX for none.
static uint32_t writer_of(const struct search *search, const struct ptx_operand *operand, uint32_t before)
{
    uint32_t behind = UINT32_MAX;
    for (uint32_t i = search->function->instructions; i-- > 0;) {
        const struct ptx_instruction *instruction = &search->function->instruction[i];
        if (instruction->operands == 0) continue;
        const struct ptx_operand *to = &search->function->operand[instruction->first];
        if (to->kind != PTX_OPERAND_REGISTER || to->file != operand->file || to->index != operand->index) continue;
        if (i < before) return i;
        behind = i;
    }
    return behind;
}

static struct address sum(struct search *search, const struct ptx_operand *one, const struct ptx_operand *other,
                          uint32_t before)
{
    if (one->kind == PTX_OPERAND_CONSTANT) return sum(search, other, one, before);
    struct address address = follow(search, one, before);
    if (other->kind == PTX_OPERAND_CONSTANT) {
        if (address.at != UINT64_MAX) address.at += other->bits;
        return address;
    }
    const struct address second = follow(search, other, before);
    if (address.at == UINT64_MAX) address = second;
    address.is_exact = false;
    return address;
}

static struct address follow_register(struct search *search, const struct ptx_operand *operand, uint32_t before)
{
    struct address address = {UINT64_MAX, UINT64_MAX, false};
    const uint32_t at = search->steps-- > 0 ? writer_of(search, operand, before) : UINT32_MAX;
    if (at == UINT32_MAX) return address;
    const struct ptx_instruction *instruction = &search->function->instruction[at];
    const struct ptx_operand *operands = &search->function->operand[instruction->first];
    const struct ptx_name opcode = opcode_of(search, instruction);
    if ((begins(opcode, "mov.") || begins(opcode, "cvt")) && instruction->operands >= 2)
        address = follow(search, &operands[1], at);
    else if ((begins(opcode, "add.") || begins(opcode, "or.") || begins(opcode, "sub.")) && instruction->operands >= 3)
        address = sum(search, &operands[1], &operands[2], at);
    else if (begins(opcode, "mapa") && instruction->operands >= 2)
        address = follow(search, &operands[1], at);
    else if ((begins(opcode, "mad.") || begins(opcode, "shl.")) && instruction->operands >= 3) {
        address = follow(search, &operands[instruction->operands - 1], at);
        address.is_exact = false;
    }
    return address;
}

static struct address follow(struct search *search, const struct ptx_operand *operand, uint32_t before)
{
    struct address address = {UINT64_MAX, UINT64_MAX, false};
    switch (operand->kind) {
    case PTX_OPERAND_VARIABLE:
    case PTX_OPERAND_AT_VARIABLE:
        address.at = place_of(search, variable_name(search, operand->index));
        address.variable = address.at;
        address.is_exact = true;
        if (address.at != UINT64_MAX) address.at += operand->bits;
        return address;
    case PTX_OPERAND_REGISTER:
    case PTX_OPERAND_AT_REGISTER:
        address = follow_register(search, operand, before);
        if (address.at != UINT64_MAX && operand->kind == PTX_OPERAND_AT_REGISTER) address.at += operand->bits;
        return address;
    default:
        return address;
    }
}

// The operand of an instruction that is the address of its barrier: of a copy the last that is one, else the first.
static struct address barrier_of(struct search *search, uint32_t number)
{
    const struct ptx_instruction *instruction = &search->function->instruction[number];
    const bool is_copy = begins(opcode_of(search, instruction), "cp.");
    struct address address = {UINT64_MAX, UINT64_MAX, false};
    for (uint32_t i = 0; i < instruction->operands; i++) {
        const struct ptx_operand *operand = &search->function->operand[instruction->first + i];
        if (operand->kind != PTX_OPERAND_AT_REGISTER && operand->kind != PTX_OPERAND_AT_VARIABLE) continue;
        search->steps = MOST_STEPS;
        const struct address found = follow(search, operand, number);
        if (found.at != UINT64_MAX) address = found;
        if (!is_copy) break;
    }
    return address;
}

// --- Sites -----------------------------------------------------------------------------------------------------------

static int add(struct core_sites *sites, struct core_site site)
{
    return ARRAY_ADD(sites->site, sites->sites, site);
}

static bool is_of_barrier(const struct search *search, uint32_t number)
{
    const struct ptx_name opcode = opcode_of(search, &search->function->instruction[number]);
    return begins(opcode, "mbarrier.") || begins(opcode, "cp.async.") || begins(opcode, "st.async") ||
           begins(opcode, "red.async");
}

// The instruction of that line of the PTX that is about a barrier; UINT32_MAX for none.
static uint32_t instruction_at(const struct search *search, uint32_t line)
{
    for (uint32_t i = 0; line > 0 && i < search->function->instructions; i++)
        if (search->function->instruction[i].line == line && is_of_barrier(search, i)) return i;
    return UINT32_MAX;
}

static struct search search_of(const struct core_code *code)
{
    return (struct search){code, code->ptx != NULL ? machine_module_program(code->ptx) : NULL, code->ptx_function, 0};
}

// Fills in what the PTX says of the barrier.
static void name_site(const struct core_code *code, const struct core_function *function, struct core_site *site)
{
    struct search search = search_of(code);
    const uint32_t line = core_code_ptx_line(code, function, site->offset);
    const uint32_t number = search.function != NULL ? instruction_at(&search, line) : UINT32_MAX;
    if (number == UINT32_MAX) return;
    const struct ptx_name opcode = opcode_of(&search, &search.function->instruction[number]);
    const struct address address = barrier_of(&search, number);
    site->at = address.at;
    site->variable = address.variable;
    site->is_exact = address.is_exact;
    if (begins(opcode, "mbarrier.init")) site->kind = CORE_SITE_INIT;
    if (has(opcode, "expect_tx")) site->kind = CORE_SITE_EXPECT;
}

static bool site_of(const struct sass *sass, struct core_site *site)
{
    static const struct {
        enum sass_kind sass;
        enum core_site_kind kind;
    } kinds[] = {
        {SASS_ARRIVE, CORE_SITE_ARRIVE},          {SASS_EXCHANGE, CORE_SITE_INIT},
        {SASS_TENSOR_LOAD, CORE_SITE_COPY},       {SASS_BULK_LOAD, CORE_SITE_COPY},
        {SASS_SHARED_COPY, CORE_SITE_COPY},       {SASS_BARRIER, CORE_SITE_NAMED},
        {SASS_CLUSTER_ARRIVE, CORE_SITE_CLUSTER}, {SASS_BARRIER_ARRIVE, CORE_SITE_NAMED},
        {SASS_BARRIER_REGISTER, CORE_SITE_NAMED}, {SASS_BARRIER_UNKNOWN, CORE_SITE_NAMED},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (kinds[i].sass == sass->kind) {
            site->kind = kinds[i].kind;
            site->is_remote = sass->is_remote;
            site->number = sass->kind == SASS_BARRIER_UNKNOWN ? SASS_ANY_NUMBER : sass->number;
            return true;
        }
    return false;
}

bool core_sites_open(struct core_sites *sites, const struct core_code *code, const struct core_function *function)
{
    *sites = (struct core_sites){0};
    for (uint64_t offset = 0; offset + SASS_BYTES <= function->code.bytes; offset += SASS_BYTES) {
        const struct sass sass = sass_at(&function->code, offset);
        struct core_site site = {.offset = offset, .at = UINT64_MAX, .variable = UINT64_MAX};
        if (!site_of(&sass, &site)) continue;
        if (site.kind != CORE_SITE_NAMED && site.kind != CORE_SITE_CLUSTER) name_site(code, function, &site);
        if (!add(sites, site)) return false;
    }
    return true;
}

void core_sites_close(struct core_sites *sites)
{
    free(sites->site);
    *sites = (struct core_sites){0};
}

bool core_site_may_be_at(const struct core_site *site, uint64_t variable, uint64_t address)
{
    if (site->kind == CORE_SITE_NAMED || site->kind == CORE_SITE_CLUSTER || site->kind == CORE_SITE_INIT) return false;
    if (site->at == UINT64_MAX) return true; // it may be any
    return site->is_exact ? site->at == address : site->variable == variable || variable == UINT64_MAX;
}

// Does another site of the variable begin nearer to the address?
static bool has_nearer(const struct core_sites *sites, const struct core_site *site, uint64_t address)
{
    for (uint32_t i = 0; i < sites->sites; i++) {
        const struct core_site *other = &sites->site[i];
        if (other->kind != CORE_SITE_INIT && other->variable == site->variable && other->at > site->at &&
            other->at <= address)
            return true;
    }
    return false;
}

bool core_site_is_at(const struct core_sites *sites, const struct core_site *site, uint64_t variable, uint64_t address)
{
    if (site->at == UINT64_MAX || !core_site_may_be_at(site, variable, address)) return false;
    return site->is_exact || !has_nearer(sites, site, address);
}

bool core_sites_is_array(const struct core_sites *sites, uint64_t variable, uint64_t bytes)
{
    enum { WORD = 8 };
    uint64_t inits = 0;
    for (uint32_t i = 0; i < sites->sites; i++) {
        const struct core_site *site = &sites->site[i];
        if (site->variable != variable || site->kind > CORE_SITE_EXPECT) continue;
        if (!site->is_exact && site->at == variable) return bytes > WORD && bytes % WORD == 0;
        inits += site->is_exact && site->kind == CORE_SITE_INIT;
    }
    return bytes > WORD && inits * WORD == bytes;
}

// --- Reach -----------------------------------------------------------------------------------------------------------

bool core_reach(const struct core_function *function, uint64_t from, uint8_t *marks)
{
    const uint64_t count = function->code.bytes / SASS_BYTES;
    uint64_t *todo = malloc((count + 1) * sizeof *todo), left = 0;
    bool is_known = todo != NULL;
    memset(marks, 0, count);
    if (todo != NULL && from / SASS_BYTES < count) {
        todo[left++] = from / SASS_BYTES;
        marks[from / SASS_BYTES] = 1;
    }
    while (left > 0) {
        const uint64_t at = todo[--left];
        const struct sass sass = sass_at(&function->code, at * SASS_BYTES);
        const bool goes = sass.kind == SASS_BRANCH || sass.kind == SASS_CALL;
        const bool ends =
            !sass.is_guarded && (sass.kind == SASS_BRANCH || sass.kind == SASS_EXIT || sass.kind == SASS_RETURN);
        const uint64_t next[] = {ends ? count : at + 1, goes ? sass.target / SASS_BYTES : count};
        if (sass.kind == SASS_JUMP || (sass.kind == SASS_CALL && sass.target / SASS_BYTES >= count)) is_known = false;
        for (unsigned i = 0; i < 2; i++)
            if (next[i] < count && !marks[next[i]]) {
                marks[next[i]] = 1;
                todo[left++] = next[i];
            }
    }
    free(todo);
    return is_known;
}
