// SPDX-License-Identifier: MIT
// Faults, with the rule, the place in the user's program, and what the lane gave to the instruction.
#include "report.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "barrier.h"
#include "flights.h"
#include "handler.h"
#include "looker.h"
#include "tuning.h"

// --- Text ------------------------------------------------------------------------------------------------------------

void machine_text_add(struct machine_text *text, const char *format, ...)
{
    va_list arguments;
    if (text->used + 1 >= text->room) return;
    va_start(arguments, format);
    int length = vsnprintf(text->at + text->used, text->room - text->used, format, arguments);
    va_end(arguments);
    text->used += length < 0 ? 0 : (size_t)length;
    if (text->used >= text->room) text->used = text->room - 1;
}

static int short_of(const struct ptx_name *name)
{
    return (int)(name->length > 200 ? 200 : name->length);
}

// --- Where -----------------------------------------------------------------------------------------------------------

// Line `number` of the text, without the blanks around it.
static struct ptx_name text_line(const char *text, uint32_t number)
{
    for (uint32_t line = 1; line < number && text != NULL; line++) {
        text = strchr(text, '\n');
        if (text != NULL) text++;
    }
    if (text == NULL) return (struct ptx_name){"", 0};
    text += strspn(text, " \t");
    size_t length = strcspn(text, "\n");
    while (length > 0 && strchr(" \t\r", text[length - 1]) != NULL) length--;
    return (struct ptx_name){text, (uint32_t)length};
}

static void set_callers(struct machine_where *where, const struct ptx_module *front,
                        const struct ptx_function *function, uint32_t inlined_at)
{
    for (; inlined_at != 0; inlined_at = function->location[inlined_at].inlined_at) {
        const struct ptx_location *location = &function->location[inlined_at];
        if (where->callers < MACHINE_CALLERS) where->callers++;
        where->caller[where->callers - 1] =
            (struct machine_caller){ptx_file_name(front, location->file), location->line};
    }
}

static void set_source(struct machine_where *where, const struct machine *machine, const struct ptx_function *function,
                       const struct ptx_instruction *instruction)
{
    struct ptx_module *front = machine_module_front(machine->launch->module);
    where->ptx_line = instruction->line;
    where->instruction = text_line(machine_module_text(machine->launch->module), instruction->line);
    if (instruction->location == 0) return;
    const struct ptx_location *location = &function->location[instruction->location];
    where->source_line = location->line;
    where->source_column = location->column;
    where->source_file = ptx_file_name(front, location->file);
    set_callers(where, front, function, location->inlined_at);
}

struct machine_where machine_where(const struct machine_strand *strand, const struct machine_code *code, uint32_t lane)
{
    const struct machine_warp *warp = strand->warp;
    const struct machine_cta *cta = warp->cta;
    const struct machine *machine = cta->cluster->machine;
    const uint32_t *block = machine->launch->block;
    const struct machine_function *function = strand->frame->function;
    struct machine_where where = {.rank = cta->rank, .warp = warp->index, .lanes = strand->lanes};
    uint32_t thread = warp->index * MACHINE_LANES + lane;
    if (code == NULL) code = &function->code[strand->pc < function->codes ? strand->pc : function->codes - 1];
    where.function = function->source->name;
    memcpy(where.cta, cta->ctaid, sizeof where.cta);
    where.thread[0] = thread % block[0];
    where.thread[1] = thread / block[0] % block[1];
    where.thread[2] = thread / block[0] / block[1];
    if (code->instruction < function->source->instructions)
        set_source(&where, machine, function->source, &function->source->instruction[code->instruction]);
    return where;
}

// The function with an instruction at a line of the PTX, and its location; NULL if none has a location there.
static const struct ptx_function *function_of_line(const struct machine *machine, uint32_t line, uint32_t *location)
{
    for (uint32_t f = 0; f < machine->kernel->functions; f++) {
        if (machine->kernel->function[f] == NULL) continue;
        const struct ptx_function *source = machine->kernel->function[f]->source;
        for (uint32_t i = 0; i < source->instructions; i++) {
            *location = source->instruction[i].location;
            if (source->instruction[i].line == line && *location != 0) return source;
        }
    }
    return NULL;
}

static void add_location(struct machine_text *text, const struct machine *machine, const char *before,
                         const struct ptx_location *location)
{
    const struct ptx_name file = ptx_file_name(machine_module_front(machine->launch->module), location->file);
    machine_text_add(text, "%s%.*s:%u", before, short_of(&file), file.at, location->line);
}

// The outermost line that a location was inlined at; 0 if it was not.
static uint32_t outermost(const struct ptx_function *function, uint32_t location)
{
    uint32_t caller = function->location[location].inlined_at;
    while (caller != 0 && function->location[caller].inlined_at != 0) caller = function->location[caller].inlined_at;
    return caller;
}

size_t machine_line_place(const struct machine *machine, uint32_t line, char *text, size_t bytes)
{
    uint32_t location = 0;
    const struct ptx_function *function = line > 0 ? function_of_line(machine, line, &location) : NULL;
    const uint32_t caller = function != NULL ? outermost(function, location) : 0;
    struct machine_text to = {text, 0, bytes};
    text[0] = '\0';
    if (function != NULL) {
        add_location(&to, machine, "", &function->location[location]);
        if (caller != 0) add_location(&to, machine, ", inlined at ", &function->location[caller]);
        machine_text_add(&to, " (PTX line %u)", line);
    } else if (line > 0) {
        machine_text_add(&to, "line %u of the PTX", line);
    }
    return to.used;
}

// _ZZ4loadPfE4full is `full` in load(float *): what stands behind an E with its length.
static struct ptx_name source_name(struct ptx_name name)
{
    if (name.length < 3 || memcmp(name.at, "_ZZ", 3) != 0) return name;
    for (uint32_t i = name.length - 1; i > 3; i--) {
        uint32_t length = 0, at = i + 1;
        if (name.at[i] != 'E') continue;
        while (at < name.length && name.at[at] >= '0' && name.at[at] <= '9' && length < name.length)
            length = 10 * length + (uint32_t)(name.at[at++] - '0');
        if (length > 0 && at + length <= name.length) return (struct ptx_name){name.at + at, length};
    }
    return name;
}

size_t machine_shared_name(const struct machine *machine, uint32_t address, char *text, size_t bytes)
{
    const struct machine_variable *variable = machine->kernel->shared;
    struct machine_text to = {text, 0, bytes};
    text[0] = '\0';
    for (uint32_t i = 0; i < machine->kernel->shareds; i++) {
        uint64_t size = variable[i].bytes > 0 ? variable[i].bytes : machine->launch->dynamic_shared_bytes;
        if (address < variable[i].at || address - variable[i].at >= size) continue;
        struct ptx_name name = source_name(variable[i].name);
        machine_text_add(&to, "%.*s", short_of(&name), name.at);
        if (address > variable[i].at) machine_text_add(&to, " + %llu", (unsigned long long)(address - variable[i].at));
        break;
    }
    return to.used;
}

static void add_where(struct machine_text *text, const struct machine_where *where)
{
    machine_text_add(text, "%.*s, PTX line %u", short_of(&where->function), where->function.at, where->ptx_line);
    if (where->source_line > 0)
        machine_text_add(text, " (%.*s:%u", short_of(&where->source_file), where->source_file.at, where->source_line);
    if (where->callers > 0) {
        const struct machine_caller *outermost = &where->caller[where->callers - 1];
        machine_text_add(text, ", inlined at %.*s:%u", short_of(&outermost->file), outermost->file.at, outermost->line);
    }
    machine_text_add(text, "%s, CTA (%u,%u,%u), thread (%u,%u,%u): %.*s", where->source_line > 0 ? ")" : "",
                     where->cta[0], where->cta[1], where->cta[2], where->thread[0], where->thread[1], where->thread[2],
                     short_of(&where->instruction), where->instruction.at);
}

void machine_place_text(const struct machine_strand *strand, const struct machine_code *code, uint32_t lane, char *text,
                        size_t bytes)
{
    struct machine_where where = machine_where(strand, code, lane);
    struct machine_text to = {text, 0, bytes};
    add_where(&to, &where);
}

// All lines that it was inlined at, where add_where() has left out some.
static void add_callers(struct machine_text *text, const struct machine_where *where)
{
    if (where->callers < 2) return;
    machine_text_add(text, "\n  inlined, from the inside out, at");
    for (uint32_t i = 0; i < where->callers; i++)
        machine_text_add(text, "%s %.*s:%u", i == 0 ? "" : ",", short_of(&where->caller[i].file),
                         where->caller[i].file.at, where->caller[i].line);
}

// The values that the lane gave to the instruction: its operands in their order, those that it writes too.
static void add_operands(struct machine_text *text, const struct machine_strand *strand,
                         const struct machine_code *code, uint32_t lane)
{
    enum { MOST = 12 };
    for (uint32_t i = 0; i < code->operands && i < MOST; i++) {
        const struct machine_operand *operand = &code->operand[i];
        if (operand->slot == MACHINE_LEFT_OUT || operand->file == PTX_FILES) continue;
        machine_text_add(text, "%s0x%llx", i == 0 ? "" : ", ",
                         (unsigned long long)machine_value(strand, operand, lane));
        if (operand->add != 0) machine_text_add(text, " + 0x%llx", (unsigned long long)operand->add);
    }
}

// --- Ends ------------------------------------------------------------------------------------------------------------

void machine_end(struct machine *machine, const struct machine_outcome *outcome)
{
    pthread_mutex_lock(machine->lock);
    if (!machine_is_stopped(machine)) *machine->outcome = *outcome;
    __atomic_store_n(&machine->is_stopped, 1, __ATOMIC_RELAXED);
    pthread_mutex_unlock(machine->lock);
}

static void tell_end(const struct machine_strand *strand, const struct machine_code *code, uint32_t lane)
{
    const struct machine_looker *looker = machine_looker(strand->warp->cta->cluster);
    if (looker != NULL) looker->ended(looker->context, strand, code, lane);
}

static void end_at(struct machine_strand *strand, const struct machine_code *code, uint32_t lane,
                   struct machine_outcome *outcome, struct machine_text *text)
{
    outcome->where = machine_where(strand, code, lane);
    machine_text_add(text, "\n  at ");
    add_where(text, &outcome->where);
    add_callers(text, &outcome->where);
    machine_text_add(text, "\n  operands: ");
    add_operands(text, strand, code, lane);
    tell_end(strand, code, lane);
    machine_end(strand->warp->cta->cluster->machine, outcome);
}

enum machine_next machine_fault(struct machine_strand *strand, const struct machine_code *code, uint32_t lane,
                                enum rule rule, uint64_t address, const char *more)
{
    const struct rule_row *row = rule_row(rule);
    struct machine_outcome outcome = {
        .kind = MACHINE_FAULTED, .rule = rule, .cuda_error = row->cuda_error, .address = address};
    struct machine_text text = {outcome.message, 0, sizeof outcome.message};
    machine_text_add(&text, "%s: %s", row->id, row->sentence);
    machine_text_add(&text, "\n  address 0x%llx", (unsigned long long)address);
    if (*more != '\0') machine_text_add(&text, ": %s", more);
    if (*row->advice != '\0') machine_text_add(&text, "\n  %s", row->advice);
    end_at(strand, code, lane, &outcome, &text);
    return MACHINE_FAULT;
}

static const char *place_name(const struct machine_place *place)
{
    switch (place->space) {
    case PTX_SHARED:
        return "shared memory of the CTA";
    case PTX_SHARED_CLUSTER:
        return "shared memory of the cluster";
    case PTX_LOCAL:
        return "local memory of the thread";
    default:
        return "global memory";
    }
}

// Does the program's own memory lie there: its heap, its stack, or a file that it has mapped, such as itself?
static int is_of_program(uint64_t address)
{
    char line[512];
    int is_there = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps != NULL && !is_there && fgets(line, sizeof line, maps) != NULL) {
        unsigned long long first, end;
        if (sscanf(line, "%llx-%llx", &first, &end) != 2 || address < first || address >= end) continue;
        is_there = strchr(line, '/') != NULL || strstr(line, "[heap]") != NULL || strstr(line, "[stack]") != NULL;
    }
    if (maps != NULL) fclose(maps);
    return is_there;
}

// What is mapped near an address of global memory. Linux maps nothing in the first 64 KiB.
static void add_nearest(struct machine_text *text, const struct machine *machine, uint64_t address)
{
    enum { NULL_BYTES = 1 << 16 };
    const struct region *region = region_nearest(&machine->global, address);
    if (address < NULL_BYTES) {
        machine_text_add(text, address == 0 ? "; it is a null pointer" : "; it is %llu bytes past a null pointer",
                         (unsigned long long)address);
        return;
    }
    if (region == NULL) return;
    machine_text_add(text, "; the nearest allocation has %llu bytes at 0x%llx",
                     (unsigned long long)region->memory.size_bytes, (unsigned long long)region->memory.base);
    if (address >= region->memory.base)
        machine_text_add(text, "; the address is %llu bytes past its start",
                         (unsigned long long)(address - region->memory.base));
    if (is_of_program(address))
        machine_text_add(text, "; host memory is there: is it a pointer of malloc, new or a variable of the host?");
}

enum machine_next machine_fault_at(struct machine_strand *strand, const struct machine_code *code, uint32_t lane,
                                   enum rule rule, struct machine_place place, uint32_t bytes)
{
    const struct machine_cta *cta = strand->warp->cta;
    char more[512];
    struct machine_text text = {more, 0, sizeof more};
    machine_text_add(&text, "%u bytes of %s", bytes, place_name(&place));
    if (place.space == PTX_GLOBAL) add_nearest(&text, cta->cluster->machine, place.address);
    if (place.space == PTX_SHARED || place.space == PTX_SHARED_CLUSTER)
        machine_text_add(&text, "; this launch has %llu bytes from %u on, %llu of them dynamic",
                         (unsigned long long)cta->cluster->memory[cta->rank].size_bytes, MACHINE_SHARED_BASE,
                         (unsigned long long)cta->cluster->machine->launch->dynamic_shared_bytes);
    return machine_fault(strand, code, lane, rule, place.address, more);
}

enum machine_next machine_stop(struct machine_strand *strand, const struct machine_code *code, uint32_t lane,
                               enum machine_kind kind, int cuda_error, const char *format, ...)
{
    struct machine_outcome outcome = {.kind = kind, .cuda_error = cuda_error};
    struct machine_text text = {outcome.message, 0, sizeof outcome.message};
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(outcome.message, sizeof outcome.message, format, arguments);
    va_end(arguments);
    text.used = length < 0 ? 0 : (size_t)length < sizeof outcome.message ? (size_t)length : sizeof outcome.message - 1;
    end_at(strand, code, lane, &outcome, &text);
    return MACHINE_FAULT;
}

enum machine_next machine_unsupported(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    const struct ptx_form *form = ptx_form_row(code->choice->form);
    return machine_stop(strand, code, (uint32_t)__builtin_ctz(lanes), MACHINE_UNSUPPORTED, 0,
                        "the machine does not run this form of %s (row %s of forms.def)", form->opcode, form->name);
}

// --- Hangs -----------------------------------------------------------------------------------------------------------

// The instruction at which a strand waits: the wait that failed, where it polls an mbarrier.
static const struct machine_code *waiting_code(const struct machine_strand *strand)
{
    const struct machine_function *function = strand->frame->function;
    uint32_t instruction = machine_flights_wait_at(strand);
    for (uint32_t i = 0; i < function->codes; i++)
        if (function->code[i].instruction == instruction && function->code[i].choice != NULL) return &function->code[i];
    return NULL;
}

// Of a hang where the strand waits, of a limit where it is.
static const struct machine_code *end_code(const struct machine_strand *strand, enum machine_kind kind)
{
    return kind == MACHINE_HUNG ? waiting_code(strand) : NULL;
}

// What a strand waits for that is no mbarrier, as far as there is more to tell than its instruction.
static size_t explain_strand(const struct machine_strand *strand, char *text, size_t bytes)
{
    size_t length = machine_barrier_explain(strand, text, bytes);
    if (length == 0) length = machine_registers_explain(strand, text, bytes);
    return length > 0 ? length : machine_products_explain(strand, text, bytes);
}

// Warps `first` to `last` of a CTA, which are alike: where a strand of theirs is.
static void add_strand(struct machine_text *text, const struct machine_strand *strand, uint32_t last,
                       enum machine_kind kind)
{
    const uint32_t lane = (uint32_t)__builtin_ctz(strand->lanes), first = strand->warp->index;
    struct machine_where where = machine_where(strand, end_code(strand, kind), lane);
    machine_text_add(text, "\n  lanes %08x of warp%s %u", strand->lanes, last > first ? "s" : "", first);
    if (last > first) machine_text_add(text, " to %u", last);
    machine_text_add(text, " %s at ", kind == MACHINE_HUNG ? "wait" : "are");
    add_where(text, &where);
    char more[512];
    if (explain_strand(strand, more, sizeof more) > 0) machine_text_add(text, "\n    %s", more);
}

static void add_barrier(struct machine_text *text, const struct machine_warp *warp)
{
    char sentences[4096];
    if (warp->strands > 0 && machine_flights_explain(warp, sentences, sizeof sentences) > 0)
        machine_text_add(text, "\n    %s", sentences);
}

static int is_strand_alike(const struct machine_strand *one, const struct machine_strand *other, enum machine_kind kind)
{
    const struct machine_code *code = end_code(one, kind);
    char a[512] = "", b[512] = "";
    if (one->lanes != other->lanes || one->frame->function != other->frame->function) return 0;
    if (code != end_code(other, kind) || (code == NULL && one->pc != other->pc)) return 0;
    explain_strand(one, a, sizeof a);
    explain_strand(other, b, sizeof b);
    return strcmp(a, b) == 0;
}

// Are all lanes of both warps at the same places, and wait for the same?
static int is_alike(const struct machine_warp *one, const struct machine_warp *other, enum machine_kind kind)
{
    if (one->strands != other->strands || !machine_flights_wait_alike(one, other)) return 0;
    for (uint32_t i = 0; i < one->strands; i++)
        if (!is_strand_alike(&one->strand[i], &other->strand[i], kind)) return 0;
    return 1;
}

// Warps that are alike and follow each other are told of once.
static void add_cta(struct machine_text *text, const struct machine_cta *cta, enum machine_kind kind)
{
    for (uint32_t first = 0, last; first < cta->warps; first = last + 1) {
        const struct machine_warp *warp = &cta->warp[first];
        for (last = first; last + 1 < cta->warps && is_alike(warp, &cta->warp[last + 1], kind);) last++;
        for (uint32_t i = 0; i < warp->strands; i++) add_strand(text, &warp->strand[i], last, kind);
        add_barrier(text, warp);
    }
}

static const struct machine_strand *first_strand(const struct machine_cta *cta)
{
    for (uint32_t i = 0; i < cta->warps; i++)
        if (cta->warp[i].strands > 0) return &cta->warp[i].strand[0];
    return NULL;
}

void machine_end_everywhere(struct machine *machine, enum machine_kind kind, const char *why,
                            struct machine_cluster *const *cluster, uint32_t clusters)
{
    struct machine_outcome outcome = {.kind = kind};
    const struct machine_strand *first = NULL;
    struct machine_text text = {outcome.message, 0, sizeof outcome.message};
    machine_text_add(&text, "%s", why);
    for (uint32_t i = 0; i < clusters; i++)
        for (uint32_t c = 0; c < cluster[i]->ctas; c++) {
            if (first == NULL) first = first_strand(&cluster[i]->cta[c]);
            add_cta(&text, &cluster[i]->cta[c], kind);
        }
    if (first != NULL && !machine_is_stopped(machine)) {
        const uint32_t lane = (uint32_t)__builtin_ctz(first->lanes);
        outcome.where = machine_where(first, end_code(first, kind), lane);
        tell_end(first, end_code(first, kind), lane);
    }
    machine_end(machine, &outcome);
}

const char *machine_kind_name(enum machine_kind kind)
{
    static const char *const names[] = {[MACHINE_DONE] = "done",
                                        [MACHINE_REFUSED] = "refused",
                                        [MACHINE_FAULTED] = "faulted",
                                        [MACHINE_TRAPPED] = "trapped",
                                        [MACHINE_HUNG] = "hung",
                                        [MACHINE_LIMITED] = "limited",
                                        [MACHINE_UNSUPPORTED] = "unsupported",
                                        [MACHINE_NO_MEMORY] = "no memory"};
    return names[kind];
}

// --- Events ----------------------------------------------------------------------------------------------------------

const struct teller *machine_teller(const struct machine_strand *strand, const struct machine_code *code,
                                    uint32_t lanes, struct teller *room)
{
    const struct machine_cta *cta = strand->warp->cta;
    const struct machine *machine = cta->cluster->machine;
    const struct ptx_function *function = strand->frame->function->source;
    struct event_origin *origin = &room->origin;
    room->observer = machine->launch->observer;
    origin->launch = machine->launch->number;
    origin->cta = cta->number;
    origin->rank = cta->rank;
    origin->warp = strand->warp->index;
    origin->lanes = lanes;
    origin->operation = 0;
    origin->file = NULL;
    origin->line = code->instruction < function->instructions ? function->instruction[code->instruction].line : 0;
    return room;
}
