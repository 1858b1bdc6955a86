// SPDX-License-Identifier: MIT
// Faults, with the rule, the place in the user's program, and what the lane gave to the instruction.
#include "report.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demangle.h"
#include "handler.h"
#include "hang.h"
#include "looker.h"
#include "role.h"

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
    for (size_t at = 0; at + 1 < length; at++)
        if (memcmp(text + at, "//", 2) == 0) length = at; // the compiler's comment behind the instruction
    while (length > 0 && strchr(" \t\r", text[length - 1]) != NULL) length--;
    return (struct ptx_name){text, (uint32_t)length};
}

static void add_caller(struct machine_where *where, const struct ptx_module *front, const struct ptx_location *location)
{
    if (where->callers < MACHINE_CALLERS) where->callers++;
    where->caller[where->callers - 1] = (struct machine_caller){ptx_file_name(front, location->file), location->line};
}

static void set_callers(struct machine_where *where, const struct ptx_module *front,
                        const struct ptx_function *function, uint32_t inlined_at)
{
    for (; inlined_at != 0; inlined_at = function->location[inlined_at].inlined_at)
        add_caller(where, front, &function->location[inlined_at]);
}

void machine_where_source(struct machine_where *where, const struct machine_module *module,
                          const struct ptx_function *function, const struct ptx_instruction *instruction)
{
    struct ptx_module *front = machine_module_front(module);
    where->ptx_line = instruction->line;
    where->instruction = text_line(machine_module_text(module), instruction->line);
    if (instruction->location == 0) return;
    const struct ptx_location *location = &function->location[instruction->location];
    where->source_line = location->line;
    where->source_column = location->column;
    where->source_file = ptx_file_name(front, location->file);
    set_callers(where, front, function, location->inlined_at);
    where->telling = machine_role_calls(ptx_program(front), function, instruction->location);
    where->has_helper = location->inlined_at != 0 && machine_is_called_once(function, location->inlined_at);
}

// The line of a call tells more, unless what it calls is a role.
static void tell_call(struct machine_where *where, const struct ptx_program *program, const struct ptx_function *callee,
                      const struct ptx_function *caller, uint32_t location, uint32_t before)
{
    if (where->telling == before && !machine_is_role(program, callee))
        where->telling = before + 1 + machine_role_calls(program, caller, location);
}

// The lines of the calls that are under way, as far as the PTX says them.
static void add_calls(struct machine_where *where, const struct machine_module *module,
                      const struct machine_frame *frame)
{
    struct ptx_module *front = machine_module_front(module);
    const uint32_t inlined = where->callers;
    for (; frame->call != NULL && where->source_line > 0; frame = frame->caller) {
        const struct ptx_function *function = frame->caller->function->source;
        const uint32_t at = frame->call->instruction;
        if (at >= function->instructions || function->instruction[at].location == 0) return;
        const struct ptx_location *location = &function->location[function->instruction[at].location];
        tell_call(where, ptx_program(front), frame->function->source, function, function->instruction[at].location,
                  where->callers);
        add_caller(where, front, location);
        set_callers(where, front, function, location->inlined_at);
        where->called = where->callers - inlined;
    }
}

const char *machine_where_joined(const struct machine_where *where)
{
    return where->called > 0 ? "called at" : "inlined at";
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
        machine_where_source(&where, machine->launch->module, function->source,
                             &function->source->instruction[code->instruction]);
    add_calls(&where, machine->launch->module, strand->frame);
    return where;
}

// The function with an instruction at a line of the PTX, and its location; NULL if none has a location there.
static const struct ptx_function *function_of_line(const struct machine *machine, uint32_t line, uint32_t *location)
{
    for (uint32_t f = 0; f < machine->kernel->functions; f++) {
        const struct ptx_function *source = machine->kernel->function[f]->source;
        for (uint32_t i = 0; i < source->instructions; i++) {
            *location = source->instruction[i].location;
            if (source->instruction[i].line == line && *location != 0) return source;
        }
    }
    return NULL;
}

// ", inlined at ring.cu:19": the outermost of the lines, behind the telling one.
static void add_outermost(struct machine_text *text, const struct machine_where *where)
{
    if (where->callers == 0) return;
    const struct machine_caller *outermost = &where->caller[where->callers - 1];
    machine_text_add(text, ", %s ", machine_where_joined(where));
    if (where->telling > 0 && where->telling < where->callers) {
        const struct machine_caller *telling = &where->caller[where->telling - 1];
        machine_text_add(text, "%.*s:%u, ", short_of(&telling->file), telling->file.at, telling->line);
    }
    machine_text_add(text, "%.*s:%u", short_of(&outermost->file), outermost->file.at, outermost->line);
}

size_t machine_line_place(const struct machine *machine, uint32_t line, uint32_t called_at, char *text, size_t bytes)
{
    const struct machine_where where = machine_line_where(machine, line, called_at);
    struct machine_text to = {text, 0, bytes};
    text[0] = '\0';
    if (where.source_line > 0) {
        machine_text_add(&to, "%.*s:%u", short_of(&where.source_file), where.source_file.at, where.source_line);
        add_outermost(&to, &where);
        machine_text_add(&to, " (PTX line %u)", line);
    } else if (line > 0) {
        machine_text_add(&to, "line %u of the PTX", line);
    }
    return to.used;
}

struct machine_where machine_line_where(const struct machine *machine, uint32_t line, uint32_t called_at)
{
    struct machine_where where = {.ptx_line = line};
    uint32_t location = 0;
    const struct ptx_function *function = line > 0 ? function_of_line(machine, line, &location) : NULL;
    const struct ptx_instruction instruction = {.line = line, .location = location};
    struct ptx_module *front = machine_module_front(machine->launch->module);
    if (function == NULL) return where;
    machine_where_source(&where, machine->launch->module, function, &instruction);
    const struct ptx_function *callee = function;
    function = called_at > 0 ? function_of_line(machine, called_at, &location) : NULL;
    if (function == NULL) return where;
    where.called = 1;
    tell_call(&where, ptx_program(front), callee, function, location, where.callers);
    add_caller(&where, front, &function->location[location]);
    set_callers(&where, front, function, function->location[location].inlined_at);
    return where;
}

size_t machine_shared_name(const struct machine *machine, uint32_t address, char *text, size_t bytes)
{
    const struct machine_variable *variable = machine->kernel->shared;
    struct machine_text to = {text, 0, bytes};
    text[0] = '\0';
    for (uint32_t i = 0; i < machine->kernel->shareds; i++) {
        uint64_t size = variable[i].bytes > 0 ? variable[i].bytes : machine->launch->dynamic_shared_bytes;
        if (address < variable[i].at || address - variable[i].at >= size) continue;
        char name[DEMANGLED_BYTES];
        demangle_variable(variable[i].name.at, variable[i].name.length, name, sizeof name);
        machine_text_add(&to, "%s", name);
        if (address > variable[i].at) machine_text_add(&to, " + %llu", (unsigned long long)(address - variable[i].at));
        break;
    }
    return to.used;
}

static void add_where(struct machine_text *text, const struct machine_where *where)
{
    char function[DEMANGLED_BYTES], instruction[2 * DEMANGLED_BYTES];
    demangle_function(where->function.at, where->function.length, function, sizeof function);
    demangle_line(where->instruction.at, where->instruction.length, instruction, sizeof instruction);
    machine_text_add(text, "%s, PTX line %u", function, where->ptx_line);
    if (where->source_line > 0)
        machine_text_add(text, " (%.*s:%u", short_of(&where->source_file), where->source_file.at, where->source_line);
    add_outermost(text, where);
    machine_text_add(text, "%s, CTA (%u,%u,%u), thread (%u,%u,%u): %s", where->source_line > 0 ? ")" : "",
                     where->cta[0], where->cta[1], where->cta[2], where->thread[0], where->thread[1], where->thread[2],
                     instruction);
}

// Is it a header: part.h, part.cuh, or without an ending, as <cuda/ptx>?
static bool is_header(const struct ptx_name *file)
{
    static const char *const endings[] = {".cu", ".cpp", ".cc", ".cxx", ".c", ".C", ".py", ".jl", ".rs", ".ptx"};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        const size_t length = strlen(endings[i]);
        if (file->length > length && memcmp(file->at + file->length - length, endings[i], length) == 0) return false;
    }
    return true;
}

static bool is_same_name(const struct ptx_name *one, const struct ptx_name *other)
{
    return one->length == other->length && memcmp(one->at, other->at, one->length) == 0;
}

// Its own line, 0, or that of one of its callers.
static struct machine_caller nth_line(const struct machine_where *where, uint32_t calls)
{
    return calls == 0 ? (struct machine_caller){where->source_file, where->source_line} : where->caller[calls - 1];
}

// All is in headers. The kernel is where its file is left, unless that is one call which holds all, as
// cutlass::device_kernel() is.
static struct machine_caller line_of_headers(const struct machine_where *where)
{
    const struct ptx_name *file = &where->caller[where->callers - 1].file;
    uint32_t calls = 0;
    if (is_same_name(&where->source_file, file)) return nth_line(where, 0);
    while (calls + 1 < where->callers && !is_same_name(&where->caller[calls].file, file)) calls++;
    calls++;
    return nth_line(where, calls == where->callers && where->telling < calls ? where->telling : calls);
}

struct machine_caller machine_where_own(const struct machine_where *where)
{
    const struct machine_caller here = nth_line(where, 0);
    if (where->callers == 0 || !is_header(&here.file)) return here;
    for (uint32_t i = 0; i < where->callers; i++)
        if (!is_header(&where->caller[i].file)) return where->caller[i];
    return line_of_headers(where);
}

struct machine_caller machine_where_outer(const struct machine_where *where)
{
    for (uint32_t i = where->telling < where->callers ? where->telling : where->callers; i > 0; i--)
        if (!is_header(&where->caller[i - 1].file)) return where->caller[i - 1];
    return machine_where_own(where);
}

// Is the instruction one that programs put into helpers: of an mbarrier, or a copy?
static bool is_of_helpers(const struct ptx_name *instruction)
{
    static const char *const words[] = {"mbarrier.", "cp.async", "cp.reduce", "st.async"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        for (size_t at = 0; at + strlen(words[i]) <= instruction->length; at++)
            if (memcmp(instruction->at + at, words[i], strlen(words[i])) == 0) return true;
    return false;
}

struct machine_caller machine_where_lead(const struct machine_where *where)
{
    return is_of_helpers(&where->instruction) ? machine_where_outer(where) : machine_where_own(where);
}

struct machine_caller machine_where_helper(const struct machine_where *where)
{
    const struct machine_caller none = {{"", 0}, 0}, outer = machine_where_outer(where);
    if (!where->has_helper || where->callers < 2 || where->telling < 2 || is_header(&where->caller[0].file))
        return none;
    return outer.line == where->caller[0].line && is_same_name(&outer.file, &where->caller[0].file) ? none
                                                                                                    : where->caller[0];
}

void machine_place_text(const struct machine_strand *strand, const struct machine_code *code, uint32_t lane, char *text,
                        size_t bytes)
{
    struct machine_where where = machine_where(strand, code, lane);
    struct machine_text to = {text, 0, bytes};
    add_where(&to, &where);
}

// How many of the callers from `first` on are the same line: the calls of a recursion. The last stays apart, where
// others before it were left out.
static uint32_t alike_from(const struct machine_where *where, uint32_t first)
{
    const struct machine_caller *caller = where->caller + first;
    const uint32_t end = where->callers < MACHINE_CALLERS ? where->callers : MACHINE_CALLERS - 1;
    uint32_t alike = 1;
    while (first + alike < end && caller[alike].line == caller->line &&
           is_same_name(&caller[alike].file, &caller->file))
        alike++;
    return alike;
}

// All lines that it was inlined at, where add_where() has left out some.
static void add_callers(struct machine_text *text, const struct machine_where *where)
{
    if (where->callers < 2) return;
    machine_text_add(text, "\n  %s, from the inside out, at", where->called > 0 ? "called" : "inlined");
    for (uint32_t i = 0, alike; i < where->callers; i += alike) {
        alike = alike_from(where, i);
        machine_text_add(text, "%s %.*s:%u",
                         i == 0                    ? ""
                         : i + 1 < MACHINE_CALLERS ? ","
                                                   : ", ...,",
                         short_of(&where->caller[i].file), where->caller[i].file.at, where->caller[i].line);
        if (alike > 1) machine_text_add(text, " (%u times)", alike);
    }
}

// The values that the lane gave to the instruction: its operands in their order, those that it writes too. Those of a
// call are in memory.
static void add_operands(struct machine_text *text, const struct machine_strand *strand,
                         const struct machine_code *code, uint32_t lane)
{
    enum { MOST = 12 };
    const char *before = "\n  operands: ";
    if (code->choice != NULL && strcmp(ptx_form_row(code->choice->form)->opcode, "call") == 0) return;
    for (uint32_t i = 0; i < code->operands && i < MOST; i++) {
        const struct machine_operand *operand = &code->operand[i];
        if (operand->slot == MACHINE_LEFT_OUT || operand->file == PTX_FILES) continue;
        machine_text_add(text, "%s0x%llx", before, (unsigned long long)machine_value(strand, operand, lane));
        if (operand->add != 0) machine_text_add(text, " + 0x%llx", (unsigned long long)operand->add);
        before = ", ";
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

void machine_end_at(struct machine_strand *strand, const struct machine_code *code, uint32_t lane,
                    struct machine_outcome *outcome, struct machine_text *text)
{
    outcome->where = machine_where(strand, code, lane);
    machine_text_add(text, "\n  at ");
    add_where(text, &outcome->where);
    add_callers(text, &outcome->where);
    add_operands(text, strand, code, lane);
    tell_end(strand, code, lane);
    machine_end(strand->warp->cta->cluster->machine, outcome);
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
    machine_end_at(strand, code, lane, &outcome, &text);
    return MACHINE_FAULT;
}

enum machine_next machine_unsupported(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    const struct ptx_form *form = ptx_form_row(code->choice->form);
    return machine_stop(strand, code, (uint32_t)__builtin_ctz(lanes), MACHINE_UNSUPPORTED, 0,
                        form->note[0] != '\0' ? "the machine does not run %s: it has no %s"
                                              : "the machine does not run this form of %s (row %s of forms.def)",
                        form->opcode, form->note[0] != '\0' ? form->note : form->name);
}

// --- Hangs -----------------------------------------------------------------------------------------------------------

// What the report says, as far as a message has room: who needs all of it asks for the hang itself.
static void set_message(struct machine_outcome *outcome, const struct machine_hang *hang)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = hang != NULL ? open_memstream(&text, &length) : NULL;
    if (out != NULL) {
        hang_print(out, hang, false);
        fclose(out);
    }
    const bool is_cut = length >= sizeof outcome->message;
    snprintf(outcome->message, sizeof outcome->message - 4, "%s",
             text != NULL ? text : "not enough memory to say where");
    if (is_cut) strcat(outcome->message, "...");
    free(text);
}

// Where the first of the roots waits.
static void tell_hang(struct machine_outcome *outcome, const struct machine_hang *hang)
{
    const struct machine_launch *launch = hang->machine->launch;
    const struct hang_wait *first = hang_first(hang);
    if (first != NULL) {
        const uint32_t lane = (uint32_t)__builtin_ctz(first->strand[0]->lanes);
        outcome->where = first->where;
        tell_end(first->strand[0], first->code, lane);
    }
    if (launch->hung != NULL) launch->hung(launch->hung_context, hang);
}

void machine_end_everywhere(struct machine *machine, enum machine_kind kind, const char *why,
                            struct machine_cluster *const *cluster, uint32_t clusters)
{
    struct machine_outcome outcome = {.kind = kind};
    struct machine_hang *hang = machine_is_stopped(machine) ? NULL : hang_open(machine, kind, why, cluster, clusters);
    set_message(&outcome, hang);
    if (hang != NULL) tell_hang(&outcome, hang);
    machine_end(machine, &outcome);
    hang_close(hang);
}

const char *machine_kind_name(enum machine_kind kind)
{
    static const char *const names[] = {[MACHINE_DONE] = "done",
                                        [MACHINE_REFUSED] = "refused",
                                        [MACHINE_FAULTED] = "faulted",
                                        [MACHINE_TRAPPED] = "trapped",
                                        [MACHINE_HUNG] = "hung",
                                        [MACHINE_LIMITED] = "limited",
                                        [MACHINE_INTERRUPTED] = "interrupted",
                                        [MACHINE_UNSUPPORTED] = "unsupported",
                                        [MACHINE_NO_MEMORY] = "no memory",
                                        [MACHINE_GIVEN_UP] = "given up"};
    return names[kind];
}

// --- Events ----------------------------------------------------------------------------------------------------------

uint32_t machine_called_at(const struct machine_frame *frame)
{
    uint32_t line = 0;
    for (; frame->call != NULL; frame = frame->caller) {
        const struct ptx_function *caller = frame->caller->function->source;
        line = frame->call->instruction < caller->instructions ? caller->instruction[frame->call->instruction].line : 0;
    }
    return line;
}

const struct teller *machine_teller(const struct machine_strand *strand, const struct machine_code *code,
                                    uint32_t lanes, struct teller *room)
{
    const struct machine_cta *cta = strand->warp->cta;
    const struct machine *machine = cta->cluster->machine;
    const struct ptx_function *function = strand->frame->function->source;
    struct event_origin *origin = &room->origin;
    room->observer = cta->cluster->observer;
    origin->launch = machine->launch->number;
    origin->cta = cta->number;
    origin->rank = cta->rank;
    origin->warp = strand->warp->index;
    origin->lanes = lanes;
    origin->operation = 0;
    origin->file = NULL;
    origin->line = code->instruction < function->instructions ? function->instruction[code->instruction].line : 0;
    origin->called_at = machine_called_at(strand->frame);
    return room;
}
