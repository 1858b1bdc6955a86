// SPDX-License-Identifier: MIT
// The state of a thread, its warp and its CTA, on standard error.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demangle.h"
#include "explain.h"
#include "handler.h"
#include "report.h"
#include "stop.h"

enum { ROW_BYTES = 32, MESSAGE_BYTES = 1 << 14 };

// --- Registers -------------------------------------------------------------------------------------------------------

static enum ptx_file file_of(enum ptx_type type)
{
    const uint32_t bits = ptx_type_row(type)->bits;
    if (ptx_type_row(type)->kind == PTX_KIND_PREDICATE) return PTX_FILE_PRED;
    return bits <= 16 ? PTX_FILE_16 : bits == 32 ? PTX_FILE_32 : bits == 64 ? PTX_FILE_64 : PTX_FILE_128;
}

// Which slots of the frame an instruction that has run writes or reads.
static uint8_t *used_slots(const struct look_function *of)
{
    const struct machine_function *function = of->function;
    uint8_t *used = calloc(function->frame_bytes / MACHINE_SLOT_ALIGN + 1u, 1);
    for (uint32_t c = 0; used != NULL && c < function->codes; c++) {
        const struct machine_code *code = &function->code[c];
        for (uint32_t i = 0; of->count[c].warps > 0 && i < code->operands; i++)
            if (code->operand[i].slot % MACHINE_BASES == MACHINE_IN_FRAME)
                used[code->operand[i].slot / MACHINE_SLOT_ALIGN] = 1;
    }
    return used;
}

static void print_value(const struct machine_strand *strand, const struct machine_operand *operand, uint32_t lane)
{
    static const int digits[PTX_FILES] = {1, 4, 8, 16, 16};
    fprintf(stderr, "0x%0*llx", digits[operand->file], (unsigned long long)machine_value(strand, operand, lane));
}

// One value where all lanes have it, else 8 in a line.
static void print_lanes(const struct machine_strand *strand, const struct machine_operand *operand)
{
    bool is_uniform = true;
    for (uint32_t lane = 1; lane < MACHINE_LANES; lane++)
        is_uniform &= machine_value(strand, operand, lane) == machine_value(strand, operand, 0);
    for (uint32_t lane = 0; lane < (is_uniform ? 1 : MACHINE_LANES); lane++) {
        fprintf(stderr, "%s", lane == 0 ? "" : lane % 8 == 0 ? "\n              " : " ");
        print_value(strand, operand, lane);
    }
    fprintf(stderr, "%s\n", is_uniform ? "  in all lanes" : "");
}

// What a 32- or 64-bit value is as a number: that of a float register as a float.
static void print_number(enum ptx_type type, uint64_t bits)
{
    float single;
    double number;
    uint32_t low = (uint32_t)bits;
    memcpy(&single, &low, sizeof single);
    memcpy(&number, &bits, sizeof number);
    if (type == PTX_TYPE_f32)
        fprintf(stderr, "  %.9g", (double)single);
    else if (type == PTX_TYPE_f64)
        fprintf(stderr, "  %.17g", number);
    else if (ptx_type_row(type)->kind != PTX_KIND_PREDICATE && ptx_type_row(type)->bits == 32)
        fprintf(stderr, "  %d", (int32_t)low);
}

static void print_register(const struct machine_strand *strand, const struct ptx_registers *declared, uint32_t number,
                           const struct machine_operand *operand, uint32_t lane, bool is_warp)
{
    char name[128], index[16] = "", part[3] = "";
    if (declared->count > 0) snprintf(index, sizeof index, "%u", number / declared->vector);
    if (declared->vector > 1) snprintf(part, sizeof part, ".%c", "xyzw"[number % declared->vector % 4]);
    snprintf(name, sizeof name, "%.*s%s%s", (int)(declared->name.length > 100 ? 100 : declared->name.length),
             declared->name.at, index, part);
    fprintf(stderr, "    %-9s ", name);
    if (is_warp) {
        print_lanes(strand, operand);
        return;
    }
    print_value(strand, operand, lane);
    print_number((enum ptx_type)declared->type, machine_value(strand, operand, lane));
    fprintf(stderr, "\n");
}

static void print_registers(const struct look_function *of, const struct machine_strand *strand, uint32_t lane,
                            bool is_warp)
{
    const struct ptx_function *source = of->function->source;
    uint8_t *used = used_slots(of);
    for (uint32_t d = 0; used != NULL && d < source->declarations; d++) {
        const struct ptx_registers *declared = &source->declared[d];
        enum ptx_file file = file_of((enum ptx_type)declared->type);
        uint32_t count = (declared->count > 0 ? declared->count : 1) * declared->vector;
        for (uint32_t i = 0; i < count; i++) {
            const struct machine_register_place *place = machine_register_find(of->function, file, declared->first + i);
            if (place == NULL || !used[place->slot / MACHINE_SLOT_ALIGN]) continue;
            const struct machine_operand operand = {.slot = place->slot, .file = (uint8_t)file};
            print_register(strand, declared, i, &operand, lane, is_warp);
        }
    }
    if (used == NULL) fprintf(stderr, "    not enough memory to show them\n");
    free(used);
}

// --- Shared memory ---------------------------------------------------------------------------------------------------

static void print_variables(const struct machine_kernel *kernel)
{
    for (uint32_t i = 0; i < kernel->shareds; i++) {
        const struct machine_variable *variable = &kernel->shared[i];
        char name[DEMANGLED_BYTES];
        demangle_variable(variable->name.at, variable->name.length, name, sizeof name);
        fprintf(stderr, "    %s at 0x%llx", name, (unsigned long long)variable->at);
        if (variable->bytes > 0)
            fprintf(stderr, ", %llu bytes\n", (unsigned long long)variable->bytes);
        else
            fprintf(stderr, ", dynamic: the launch gives its size\n");
    }
}

// Rows of words; rows that are as the one above stand as one *.
static void print_shared(const struct machine_cta *cta)
{
    const struct memory *memory = &cta->cluster->memory[cta->rank];
    const uint8_t *last = NULL;
    bool is_skipping = false;
    fprintf(stderr, "  shared memory of CTA (%u,%u,%u): %llu bytes from 0x%llx on\n", cta->ctaid[0], cta->ctaid[1],
            cta->ctaid[2], (unsigned long long)memory->size_bytes, (unsigned long long)memory->base);
    print_variables(cta->cluster->machine->kernel);
    for (uint64_t at = 0; at + ROW_BYTES <= memory->size_bytes; at += ROW_BYTES) {
        const uint8_t *row = memory->bytes + at;
        bool is_same = last != NULL && memcmp(last, row, ROW_BYTES) == 0;
        if (is_same && !is_skipping) fprintf(stderr, "    *\n");
        is_skipping = is_same;
        last = row;
        if (is_same) continue;
        fprintf(stderr, "    0x%05llx:", (unsigned long long)(memory->base + at));
        for (int i = 0; i < ROW_BYTES; i += 4) {
            uint32_t word;
            memcpy(&word, row + i, sizeof word);
            fprintf(stderr, " %08x", word);
        }
        fprintf(stderr, "\n");
    }
}

static void print_barriers(const struct machine_cta *cta)
{
    char *text = malloc(MESSAGE_BYTES);
    if (text == NULL)
        fprintf(stderr, "  not enough memory to show the mbarriers\n");
    else if (machine_mbarriers_explain(cta->cluster, cta->rank, text, MESSAGE_BYTES) > 0)
        fprintf(stderr, "  mbarriers of CTA (%u,%u,%u)\n%s\n", cta->ctaid[0], cta->ctaid[1], cta->ctaid[2], text);
    else
        fprintf(stderr, "  CTA (%u,%u,%u) has no mbarriers\n", cta->ctaid[0], cta->ctaid[1], cta->ctaid[2]);
    free(text);
}

void look_show(const struct look_tally *tally, const struct machine_strand *strand, uint32_t lane, unsigned what)
{
    const struct machine_cta *cta = strand->warp->cta;
    const struct look_function *of = NULL;
    for (uint32_t i = 0; i < tally->count; i++)
        if (tally->item[i].function == strand->frame->function) of = &tally->item[i];
    fprintf(stderr, "  lanes %08x of warp %u are at this instruction\n", strand->lanes, strand->warp->index);
    if (of != NULL && what & (LOOK_SHOWS_THREAD | LOOK_SHOWS_WARP)) {
        fprintf(stderr, "  registers of %s used so far\n",
                what & LOOK_SHOWS_WARP ? "the lanes of the warp" : "the thread");
        print_registers(of, strand, lane, (what & LOOK_SHOWS_WARP) != 0);
    }
    if (what & LOOK_SHOWS_BARRIERS) print_barriers(cta);
    if (what & LOOK_SHOWS_SHARED) print_shared(cta);
}
