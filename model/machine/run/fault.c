// SPDX-License-Identifier: MIT
// What is said of an access that faults. The first line says what happened, the next the rule that it breaks; memory
// nearby is named in both directions, and only if the program made it.
#include <stdio.h>
#include <string.h>

#include "finding_text.h"
#include "handler.h"
#include "heap.h"
#include "report.h"
#include "rules/global.h"

// The rest of a text behind its first line, from the '\n' on.
static const char *first_end(const char *text)
{
    return text + strcspn(text, "\n");
}

enum machine_next machine_fault_with(struct machine_strand *strand, const struct machine_code *code, uint32_t lane,
                                     enum rule rule, uint64_t address, const char *what)
{
    const struct rule_row *row = rule_row(rule);
    struct machine_outcome outcome = {
        .kind = MACHINE_FAULTED, .rule = rule, .cuda_error = row->cuda_error, .address = address};
    struct machine_text text = {outcome.message, 0, sizeof outcome.message};
    const char *rest = first_end(what);
    machine_text_add(&text, "%.*s\n%s: %s", (int)(rest - what), what, row->id, row->sentence);
    machine_text_add(&text, "%s", rest);
    if (*row->advice != '\0') machine_text_add(&text, "\n  %s", row->advice);
    machine_end_at(strand, code, lane, &outcome, &text);
    return MACHINE_FAULT;
}

enum machine_next machine_fault(struct machine_strand *strand, const struct machine_code *code, uint32_t lane,
                                enum rule rule, uint64_t address, const char *more)
{
    char what[4096];
    const char *between = *more == '\0' || *more == '\n' ? "" : ": ";
    snprintf(what, sizeof what, "address 0x%llx%s%s", (unsigned long long)address, between, more);
    return machine_fault_with(strand, code, lane, rule, address, what);
}

// --- Global memory ---------------------------------------------------------------------------------------------------

// Does the program's own memory lie there: its heap, its stack, or a file that it has mapped, such as itself?
static bool is_of_program(uint64_t address)
{
    char line[512];
    bool is_there = false;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps != NULL && !is_there && fgets(line, sizeof line, maps) != NULL) {
        unsigned long long first, end;
        if (sscanf(line, "%llx-%llx", &first, &end) != 2 || address < first || address >= end) continue;
        is_there = strchr(line, '/') != NULL || strstr(line, "[heap]") != NULL || strstr(line, "[stack]") != NULL;
    }
    if (maps != NULL) fclose(maps);
    return is_there;
}

// Linux maps nothing in the first 64 KiB. 0: the address is not so near to 0.
static bool add_null(struct machine_text *text, uint64_t address)
{
    enum { NULL_BYTES = 1 << 16 };
    if (address == 0)
        machine_text_add(text, "; it is a null pointer");
    else if (address < NULL_BYTES)
        machine_text_add(text, "; it is %llu bytes past a null pointer", (unsigned long long)address);
    else if (-address <= NULL_BYTES)
        machine_text_add(text, "; it is %llu bytes before a null pointer", (unsigned long long)-address);
    else
        return false;
    return true;
}

static uint64_t distance(const struct memory *memory, uint64_t address)
{
    if (address < memory->base) return memory->base - address;
    return address - memory->base < memory->size_bytes ? 0 : address - memory->base - memory->size_bytes;
}

// The heap of kernels, the parameters and where the CTAs of a grid meet are no allocations of the program.
static bool is_internal(const struct machine *machine, const struct memory *memory)
{
    const struct machine_heap *heap = machine->launch->heap;
    if (memory->base == machine->launch->grid_workspace) return true;
    return memory->bytes == machine->parameters || (heap != NULL && memory->base == machine_heap_memory(heap).base);
}

static const struct region *nearest(const struct machine *machine, uint64_t address)
{
    const struct region *best = NULL;
    for (uint32_t i = 0; i < machine->global.count; i++) {
        const struct region *region = &machine->global.region[i];
        if (is_internal(machine, &region->memory)) continue;
        if (best == NULL || distance(&region->memory, address) < distance(&best->memory, address)) best = region;
    }
    return best;
}

// What is known of memory, in the launching program's words: "which cudaMalloc allocated".
static void add_known(struct machine_text *text, const struct machine *machine, const char *before, uint64_t address)
{
    char known[512] = "";
    if (machine->launch->describe == NULL) return;
    if (machine->launch->describe(machine->launch->describe_context, address, known, sizeof known) > 0)
        machine_text_add(text, "%s%s", before, known);
}

static void add_region(struct machine_text *text, const struct machine *machine, const struct memory *memory,
                       uint64_t address, uint32_t bytes)
{
    const uint64_t past = address - memory->base - memory->size_bytes;
    if (address < memory->base)
        machine_text_add(text, "; it lies %llu bytes before", (unsigned long long)(memory->base - address));
    else if (address - memory->base >= memory->size_bytes && past > 0)
        machine_text_add(text, "; it lies %llu bytes past the end of", (unsigned long long)past);
    else if (address - memory->base >= memory->size_bytes)
        machine_text_add(text, "; it lies right behind");
    else if (memory_holds(memory, address, bytes))
        machine_text_add(text, "; it may only be read: it lies in");
    else
        machine_text_add(text, "; the access begins inside and ends behind");
    machine_text_add(text, " the %llu bytes at 0x%llx", (unsigned long long)memory->size_bytes,
                     (unsigned long long)memory->base);
    add_known(text, machine, ", ", memory->base);
}

// What lies near an address of global memory of which `bytes` bytes may not be used so: "; it lies right behind the 128
// bytes at 0x1000, which cudaMalloc allocated".
static void machine_memory_explain(const struct machine *machine, uint64_t address, uint32_t bytes,
                                   struct machine_text *text)
{
    const uint64_t near = UINT64_C(1) << 30;
    const size_t used = text->used;
    if (add_null(text, address)) return;
    const struct region *region = nearest(machine, address);
    if (region == NULL || distance(&region->memory, address) > 0) add_known(text, machine, "; it lies in ", address);
    if (text->used > used) return;
    if (region == NULL || distance(&region->memory, address) > near)
        machine_text_add(text, "; no allocation is within 1 GiB of it");
    else
        add_region(text, machine, &region->memory, address, bytes);
    if (is_of_program(address))
        machine_text_add(text, "; host memory is there: is it a pointer of malloc, new or a variable of the host?");
}

// --- Findings --------------------------------------------------------------------------------------------------------

// An address that is not mapped has no limit that helps: the memory nearby does.
static bool is_unmapped(const struct finding *finding)
{
    enum { ILLEGAL_ADDRESS = 700 };
    const struct rule_row *row = rule_row(finding->rule);
    if (strstr(row->id, "_UNMAPPED") != NULL) return true;
    if (strstr(row->id, "_SPACE") != NULL) return false;
    return row->cuda_error == ILLEGAL_ADDRESS && finding->value > UINT32_MAX;
}

void machine_finding_add(struct machine_text *text, const struct machine *machine, const struct finding *finding,
                         uint32_t bytes)
{
    struct line line;
    line_start(&line);
    finding_value(finding, !is_unmapped(finding), &line);
    machine_text_add(text, "%.*s", (int)line.used, line.bytes);
    if (is_unmapped(finding)) machine_memory_explain(machine, finding->value, bytes, text);
}

enum machine_next machine_fault_found(struct machine_strand *strand, const struct machine_code *code, uint32_t lane,
                                      const struct finding *finding, uint32_t bytes)
{
    const struct machine *machine = strand->warp->cta->cluster->machine;
    char what[2048];
    struct machine_text text = {what, 0, sizeof what};
    machine_finding_add(&text, machine, finding, bytes);
    machine_text_add(&text, "\n  The instruction takes %u bytes there.", bytes);
    return machine_fault_with(strand, code, lane, finding->rule, finding->value, what);
}

// --- Accesses of lanes -----------------------------------------------------------------------------------------------

// No rule of the table is about local memory: the first line says it all.
static enum machine_next fault_local(struct machine_strand *strand, const struct machine_code *code, uint32_t lane,
                                     enum rule rule, uint64_t offset, uint32_t bytes)
{
    struct machine_outcome outcome = {
        .kind = MACHINE_FAULTED, .cuda_error = rule_row(rule)->cuda_error, .address = offset};
    struct machine_text text = {outcome.message, 0, sizeof outcome.message};
    machine_text_add(&text, "address 0x%llx of local memory: ", (unsigned long long)offset);
    if (rule == RULE_GLOBAL_ACCESS_ALIGN)
        machine_text_add(&text, "%u bytes, and it is no multiple of %u", bytes, bytes);
    else
        machine_text_add(&text,
                         "%u bytes; the thread has %u bytes of local memory\n  Check the index of an array that "
                         "is a variable of the kernel.",
                         bytes, strand->warp->local_bytes);
    machine_end_at(strand, code, lane, &outcome, &text);
    return MACHINE_FAULT;
}

enum machine_next machine_fault_at(struct machine_strand *strand, const struct machine_code *code, uint32_t lane,
                                   enum rule rule, struct machine_place place, uint32_t bytes)
{
    const struct machine_cta *cta = strand->warp->cta;
    const struct machine *machine = cta->cluster->machine;
    char more[1024];
    struct machine_text text = {more, 0, sizeof more};
    if (place.space == PTX_LOCAL) return fault_local(strand, code, lane, rule, place.address, bytes);
    if (place.space != PTX_SHARED && place.space != PTX_SHARED_CLUSTER) {
        machine_text_add(&text, "%u bytes of global memory", bytes);
        if (rule != RULE_GLOBAL_ACCESS_ALIGN) machine_memory_explain(machine, place.address, bytes, &text);
        return machine_fault(strand, code, lane, rule, place.address, more);
    }
    machine_text_add(&text, "%u bytes of shared memory of the %s", bytes,
                     place.space == PTX_SHARED ? "CTA" : "cluster");
    machine_text_add(&text, "; this launch has %llu bytes from 0x%x on, %llu of them dynamic",
                     (unsigned long long)cta->cluster->memory[cta->rank].size_bytes, MACHINE_SHARED_BASE,
                     (unsigned long long)machine->launch->dynamic_shared_bytes);
    return machine_fault(strand, code, lane, rule, place.address, more);
}
