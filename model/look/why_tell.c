// SPDX-License-Identifier: MIT
// What --why says when the program ends: of each write to the place who made it, and where its bytes came from.
#include <string.h>

#include "check_found.h"
#include "copy_report.h"
#include "json_text.h"
#include "note.h"
#include "operation_part.h"
#include "plain.h"
#include "report.h"
#include "why.h"
#include "why_host.h"

enum { DETAIL_BYTES = 2048 };

// A place in memory, in the words of --why.
struct spot {
    enum access_space space;
    uint32_t launch, cta; // of shared memory
    uint64_t address;
};

// One step back: the writer of the byte at `spot`, and where an operation or a call took that byte from. FROM_UNKNOWN:
// it is no copy.
struct link {
    uint32_t writer;
    struct spot spot;
    struct why_source source;
};

struct chain {
    struct link link[WHY_MOST_LINKS];
    uint32_t links;
    bool is_cut;
};

// --- Chains ----------------------------------------------------------------------------------------------------------

static struct why_source call_source(const struct why_call *call, uint64_t address)
{
    if (call->from == 0) return (struct why_source){.kind = WHY_FROM_FILL};
    if (call->from == LOOK_WHY_OWN) return (struct why_source){.kind = WHY_FROM_OWN};
    return (struct why_source){.kind = WHY_FROM_GLOBAL, .address = call->from + (address - call->to)};
}

static struct why_source source_of(const struct look_why *why, const struct why_writer *writer, const struct spot *spot)
{
    if (writer->kind == WHY_CALL) return call_source(&why->keep.call[writer->site], spot->address);
    if (writer->kind == WHY_THREAD || writer->is_barrier) return (struct why_source){.kind = WHY_FROM_UNKNOWN};
    return why_source_of(why->keep.operation[writer->operation], spot->space, spot->address);
}

// The writer of a byte, the writer of the byte that he copied, and so on.
static struct chain chain_of(const struct look_why *why, uint32_t writer, struct spot spot)
{
    struct chain chain = {.links = 0};
    for (;;) {
        struct link *link = &chain.link[chain.links];
        if (chain.links == WHY_MOST_LINKS) {
            chain.is_cut = true;
            return chain;
        }
        *link = (struct link){writer, spot, {.kind = WHY_FROM_UNKNOWN}};
        chain.links++;
        if (writer < WHY_WRITERS) return chain;
        const struct why_writer *of = &why->keep.writer[writer];
        link->source = source_of(why, of, &spot);
        if (link->source.kind != WHY_FROM_GLOBAL && link->source.kind != WHY_FROM_SHARED) return chain;
        spot = (struct spot){link->source.kind == WHY_FROM_SHARED ? SPACE_SHARED : SPACE_GLOBAL, of->launch, of->cta,
                             link->source.address};
        writer = of->source;
    }
}

// --- Words -----------------------------------------------------------------------------------------------------------

static void add_offset(struct machine_text *text, uint64_t offset)
{
    if (offset > 0) machine_text_add(text, "+0x%llx", (unsigned long long)offset);
}

static void add_shared(struct machine_text *text, const struct why_launch_facts *facts, uint64_t address)
{
    for (uint32_t i = 0; i < facts->variables; i++) {
        const struct why_variable *variable = &facts->variable[i];
        if (address < variable->at || address - variable->at >= variable->bytes) continue;
        machine_text_add(text, "%s", variable->name);
        add_offset(text, address - variable->at);
        return;
    }
    machine_text_add(text, "shared address 0x%llx", (unsigned long long)address);
}

static void add_global(struct machine_text *text, const struct look_why *why, uint64_t address)
{
    const struct why_area *area = why_area_of(why, address);
    machine_text_add(text, "global:0x%llx", (unsigned long long)address);
    if (area == NULL) return;
    machine_text_add(text, " = %s", area->name);
    add_offset(text, address - area->address);
}

static void cta_of(const struct why_launch_facts *facts, uint32_t number, uint32_t cta[3])
{
    cta[0] = number % facts->grid[0];
    cta[1] = number / facts->grid[0] % facts->grid[1];
    cta[2] = number / facts->grid[0] / facts->grid[1];
}

static void thread_of(const struct why_launch_facts *facts, uint32_t warp, uint32_t lane, uint32_t thread[3])
{
    const uint32_t number = warp * MACHINE_LANES + lane;
    thread[0] = number % facts->block[0];
    thread[1] = number / facts->block[0] % facts->block[1];
    thread[2] = number / facts->block[0] / facts->block[1];
}

// "tile+0x80 of CTA (0,0,0)", or "global:0x7f... = alloc:1+0x120".
static void add_spot(struct machine_text *text, const struct look_why *why, const struct spot *spot)
{
    uint32_t cta[3];
    if (spot->space == SPACE_GLOBAL) {
        add_global(text, why, spot->address);
        return;
    }
    const struct why_launch_facts *facts = &why->keep.launch[spot->launch];
    add_shared(text, facts, spot->address);
    cta_of(facts, spot->cta, cta);
    machine_text_add(text, " of CTA (%u,%u,%u)", cta[0], cta[1], cta[2]);
}

static void add_launch(struct machine_text *text, const struct why_launch_facts *facts)
{
    machine_text_add(text, "kernel %s, launch %llu", facts->kernel, (unsigned long long)facts->number);
}

// "tile.cu:8 (PTX line 25), kernel f, launch 1, CTA (0,0,0), thread (5,0,0): st.shared.f32 ..."; `lanes`: of how many.
static void add_instruction(struct machine_text *text, const struct look_why *why, const struct why_writer *writer,
                            uint32_t lanes)
{
    const struct why_launch_facts *facts = &why->keep.launch[writer->launch];
    const struct why_site *site = &why->keep.site[writer->site];
    const int count = __builtin_popcount(lanes);
    uint32_t cta[3], thread[3];
    cta_of(facts, writer->cta, cta);
    thread_of(facts, writer->warp, writer->lane, thread);
    machine_text_add(text, "%s, ", site->place);
    add_launch(text, facts);
    machine_text_add(text, ", CTA (%u,%u,%u), thread (%u,%u,%u)", cta[0], cta[1], cta[2], thread[0], thread[1],
                     thread[2]);
    if (count > 1) machine_text_add(text, " and %d more of its warp", count - 1);
    if (writer->is_barrier && writer->kind == WHY_OPERATION)
        machine_text_add(text, ": the end of this operation, at the mbarrier");
    machine_text_add(text, ": %s", site->instruction);
}

static void add_call(struct machine_text *text, const struct look_why *why, const struct why_call *call)
{
    machine_text_add(text, "%s, copy or fill %llu of the program", why->keep.site[call->who].place,
                     (unsigned long long)call->number);
}

// The writer, in one line.
static void add_writer(struct machine_text *text, const struct look_why *why, uint32_t number, uint32_t lanes)
{
    if (number == WHY_NOBODY) {
        machine_text_add(text, "nobody: no kernel, copy or fill has written it");
    } else if (number == WHY_LOST) {
        machine_text_add(text, "somebody: there was no room to keep who");
    } else {
        const struct why_writer *writer = &why->keep.writer[number];
        if (writer->kind == WHY_CALL)
            add_call(text, why, &why->keep.call[writer->site]);
        else
            add_instruction(text, why, writer, lanes);
    }
}

static bool is_tensor(const struct why_operation *of)
{
    return of->operation.kind <= OPERATION_TENSOR_REDUCE;
}

// The operands of a tensor copy: "the map: tiled of ..., coordinates 64 0; shared memory tile; mbarrier bar".
static void add_operands(struct machine_text *text, const struct look_why *why, const struct why_writer *writer)
{
    const struct why_operation *of = why->keep.operation[writer->operation];
    const struct why_launch_facts *facts = &why->keep.launch[writer->launch];
    const struct operation *o = &of->operation;
    if (is_tensor(of)) {
        machine_text_add(text, "the map: ");
        machine_map_explain(&o->map, text);
        machine_text_add(text, "; coordinates");
        for (int i = 0; i < o->dims; i++) machine_text_add(text, " %d", o->coord[i]);
        machine_text_add(text, "; shared memory ");
        add_shared(text, facts, operation_place(o->shared));
    } else if (!operation_is_register(o->kind)) {
        machine_text_add(text, "it moves %u bytes", of->is_copies ? of->bytes : o->size_bytes);
    }
    if (is_tensor(of) && o->is_multicast) machine_text_add(text, "; to CTAs 0x%x of the cluster", o->mask);
    if (!operation_has_barrier(o->kind)) return;
    machine_text_add(text, "%smbarrier ", text->used > 0 ? "; " : "");
    add_shared(text, facts, operation_place(o->barrier));
}

static void add_element(struct machine_text *text, const struct tensormap *map, const struct provenance *place)
{
    machine_text_add(text, "byte %u of element (", place->byte);
    for (int i = 0; i < map->rank; i++) machine_text_add(text, "%s%lld", i > 0 ? ", " : "", (long long)place->index[i]);
    machine_text_add(text, ") of the tensor");
}

// Where the byte came from; 0 where nothing is to be said.
static bool add_source(struct machine_text *text, const struct look_why *why, const struct link *link)
{
    if (link->writer < WHY_WRITERS) return false;
    const struct why_writer *writer = &why->keep.writer[link->writer];
    const struct why_operation *of = writer->kind == WHY_OPERATION ? why->keep.operation[writer->operation] : NULL;
    const enum why_source_kind kind = link->source.kind;
    const struct spot from = {kind == WHY_FROM_SHARED ? SPACE_SHARED : SPACE_GLOBAL, writer->launch, writer->cta,
                              link->source.address};
    const bool is_tensor_load = link->source.is_tensor && (kind == WHY_FROM_GLOBAL || kind == WHY_FROM_FILL);
    if (is_tensor_load) add_element(text, &of->operation.map, &link->source.place);
    if (is_tensor_load) machine_text_add(text, ", ");
    if (kind == WHY_FROM_REGISTERS) machine_text_add(text, "a register of that thread");
    if (kind == WHY_FROM_FILL)
        machine_text_add(text, "%s",
                         writer->kind == WHY_CALL ? "the value that the call sets"
                         : link->source.is_tensor ? "which is out of bounds: filled"
                                                  : "nowhere: it is filled with 0");
    if (kind == WHY_FROM_GLOBAL || kind == WHY_FROM_SHARED) add_spot(text, why, &from);
    if (link->source.is_tensor && kind == WHY_FROM_SHARED) {
        machine_text_add(text, ", to ");
        add_element(text, &of->operation.map, &link->source.place);
    }
    if (kind == WHY_FROM_OWN) machine_text_add(text, "memory of the program's own");
    return text->used > 0;
}

// What an addition found there.
static bool add_previous(struct machine_text *text, const struct look_why *why, const struct link *link)
{
    if (link->writer < WHY_WRITERS || why->keep.writer[link->writer].previous == 0) return false;
    if (why->keep.writer[link->writer].is_barrier) return false;
    add_writer(text, why, why->keep.writer[link->writer].previous, 1);
    return true;
}

static void value_text(const uint8_t *value, uint32_t bytes, char text[2 * WHY_MOST_WIDTH + 3])
{
    int length = sprintf(text, "0x");
    for (uint32_t i = bytes; i-- > 0;) length += sprintf(text + length, "%02x", value[i]);
}

// --- Text ------------------------------------------------------------------------------------------------------------

static void print_line(const char *before, const struct machine_text *text)
{
    plain_printf(stderr, "%s%s\n", before, text->at);
}

#define BEGIN(name, room)                                                                                              \
    char room[DETAIL_BYTES] = "";                                                                                      \
    struct machine_text name = {room, 0, sizeof room}

static void print_link(const struct look_why *why, const struct link *link, uint32_t lanes, bool is_first)
{
    BEGIN(who, who_room);
    BEGIN(operands, operands_room);
    BEGIN(source, source_room);
    BEGIN(previous, previous_room);
    add_writer(&who, why, link->writer, lanes);
    print_line(is_first ? "" : "    written by ", &who);
    if (link->writer >= WHY_WRITERS && why->keep.writer[link->writer].kind == WHY_OPERATION)
        add_operands(&operands, why, &why->keep.writer[link->writer]);
    if (operands.used > 0) print_line("      ", &operands);
    if (add_source(&source, why, link)) print_line("      from ", &source);
    if (add_previous(&previous, why, link)) print_line("      combined with what was there, written by ", &previous);
}

static const char stale[] =
    "      which held another value by then: the write that follows was not visible to the copy yet "
    "(is a fence or a wait missing?)\n";

static void print_entry(const struct look_why *why, const struct why_watch *watch, const struct why_entry *entry,
                        const struct chain *chain)
{
    char before[2 * WHY_MOST_WIDTH + 3], after[2 * WHY_MOST_WIDTH + 3];
    value_text(entry->before, watch->bytes, before);
    value_text(entry->after, watch->bytes, after);
    fprintf(stderr, "  %s -> %s by ", before, after);
    for (uint32_t i = 0; i < chain->links; i++) {
        print_link(why, &chain->link[i], i == 0 ? entry->lanes : 1, i == 0);
        if (i == 0 && entry->is_stale) fprintf(stderr, "%s", stale);
    }
    if (chain->is_cut) fprintf(stderr, "    ... and so on: more than %d copies\n", WHY_MOST_LINKS);
}

// --- JSON ------------------------------------------------------------------------------------------------------------

static void print_key(FILE *out, const char *key, const struct machine_text *text)
{
    look_print_key(out, key, text->at, text->used);
}

static void print_numbers(FILE *out, const char *key, const uint32_t number[3])
{
    fprintf(out, ", \"%s\": [%u, %u, %u]", key, number[0], number[1], number[2]);
}

static void print_instruction(FILE *out, const struct look_why *why, const struct why_writer *writer)
{
    const struct why_launch_facts *facts = &why->keep.launch[writer->launch];
    const struct why_site *site = &why->keep.site[writer->site];
    uint32_t cta[3], thread[3];
    cta_of(facts, writer->cta, cta);
    thread_of(facts, writer->warp, writer->lane, thread);
    look_print_key(out, "kernel", facts->kernel, strlen(facts->kernel));
    fprintf(out, ", \"launch\": %llu", (unsigned long long)facts->number);
    look_print_key(out, "user_file", site->file, strlen(site->file));
    fprintf(out, ", \"user_line\": %u, \"ptx_line\": %u", site->line, site->ptx_line);
    print_numbers(out, "cta", cta);
    print_numbers(out, "thread", thread);
    look_print_key(out, "instruction", site->instruction, strlen(site->instruction));
}

static void print_json_link(FILE *out, const struct look_why *why, const struct link *link)
{
    static const char *const kinds[] = {"thread", "operation", "call"};
    const struct why_writer *writer = link->writer >= WHY_WRITERS ? &why->keep.writer[link->writer] : NULL;
    BEGIN(at, at_room);
    BEGIN(who, who_room);
    BEGIN(operands, operands_room);
    BEGIN(source, source_room);
    BEGIN(previous, previous_room);
    add_spot(&at, why, &link->spot);
    add_writer(&who, why, link->writer, 1);
    fprintf(out, "{\"by\": \"%s\"",
            writer != NULL               ? kinds[writer->kind]
            : link->writer == WHY_NOBODY ? "nobody"
                                         : "unknown");
    print_key(out, "place", &at);
    print_key(out, "text", &who);
    if (writer != NULL && writer->kind != WHY_CALL) print_instruction(out, why, writer);
    if (writer != NULL && writer->kind == WHY_CALL)
        fprintf(out, ", \"call\": %llu", (unsigned long long)why->keep.call[writer->site].number);
    if (writer != NULL && writer->kind == WHY_OPERATION) add_operands(&operands, why, writer);
    if (operands.used > 0) print_key(out, "operands", &operands);
    if (add_source(&source, why, link)) print_key(out, "from", &source);
    if (add_previous(&previous, why, link)) print_key(out, "combined_with", &previous);
    fputc('}', out);
}

static void print_json_entry(FILE *out, const struct look_why *why, const struct why_watch *watch,
                             const struct why_entry *entry, const struct chain *chain)
{
    char before[2 * WHY_MOST_WIDTH + 3], after[2 * WHY_MOST_WIDTH + 3];
    value_text(entry->before, watch->bytes, before);
    value_text(entry->after, watch->bytes, after);
    fprintf(out, "{\"before\": \"%s\", \"after\": \"%s\", \"lanes\": %d, \"is_stale\": %s, \"chain\": [", before, after,
            __builtin_popcount(entry->lanes), entry->is_stale ? "true" : "false");
    for (uint32_t i = 0; i < chain->links; i++) {
        if (i > 0) fputs(", ", out);
        print_json_link(out, why, &chain->link[i]);
    }
    fprintf(out, "], \"is_cut\": %s}", chain->is_cut ? "true" : "false");
}

// --- All -------------------------------------------------------------------------------------------------------------

static struct spot spot_of(const struct why_watch *watch, uint64_t offset)
{
    return (struct spot){watch->is_shared ? SPACE_SHARED : SPACE_GLOBAL, watch->launch, (uint32_t)watch->cta,
                         watch->address + offset};
}

// "kernel f, launch 1: tile+0x80 of CTA (0,0,0)".
static void add_title(struct machine_text *text, const struct look_why *why, const struct why_watch *watch)
{
    const struct spot spot = spot_of(watch, 0);
    if (watch->is_shared) add_launch(text, &why->keep.launch[watch->launch]);
    if (watch->is_shared) machine_text_add(text, ": ");
    add_spot(text, why, &spot);
}

static void tell_watch(const struct look_why *why, const struct why_watch *watch)
{
    const uint64_t kept = watch->count < WHY_MOST_TOLD ? watch->count : WHY_MOST_TOLD;
    const uint64_t told = kept < why->most ? kept : why->most;
    char now[2 * WHY_MOST_WIDTH + 3];
    struct json_line line;
    BEGIN(title, room);
    add_title(&title, why, watch);
    value_text(watch->now, watch->bytes, now);
    const bool is_json = json_line_begin(&line, &(struct json_lines){why->lines.is_json, ""});
    if (is_json) {
        fprintf(line.out, "{\"why\": ");
        json_text(line.out, why->text, strlen(why->text));
        print_key(line.out, "place", &title);
        fprintf(line.out, ", \"value\": \"%s\", \"bytes\": %u, \"writes\": %llu, \"told\": [", now, watch->bytes,
                (unsigned long long)watch->count);
    } else {
        plain_printf(stderr, "tmaref: why: %s = %s", title.at, watch->is_known ? now : "a value that is not known");
        fprintf(stderr, ", %llu write%s\n", (unsigned long long)watch->count, watch->count == 1 ? "" : "s");
    }
    for (uint64_t i = 0; i < told; i++) {
        const struct why_entry *entry = &watch->entry[(watch->count - 1 - i) % WHY_MOST_TOLD];
        const struct chain chain = chain_of(why, entry->writer, spot_of(watch, entry->first));
        if (is_json && i > 0) fputs(", ", line.out);
        if (is_json)
            print_json_entry(line.out, why, watch, entry, &chain);
        else
            print_entry(why, watch, entry, &chain);
    }
    if (is_json) {
        fputs("]}", line.out);
        json_line_tell(&line, &(struct json_lines){true, ""});
    } else if (told < watch->count) {
        fprintf(stderr, "  and %llu earlier writes%s\n", (unsigned long long)(watch->count - told),
                told < kept ? "; --why-writes N shows more" : "");
    }
}

static void add_kernels(struct machine_text *text, const struct look_why *why)
{
    machine_text_add(text, why->kernels > 0 ? "; kernels that ran:" : "; no kernel ran");
    for (uint32_t i = 0; i < why->kernels; i++)
        machine_text_add(text, "%s %s (%llu launch%s)", i > 0 ? "," : "", why->kernel[i].name,
                         (unsigned long long)why->kernel[i].launches, why->kernel[i].launches == 1 ? "" : "es");
}

static void add_names(struct machine_text *text, const struct look_why *why)
{
    uint32_t count = 0;
    machine_text_add(text, "; there are");
    for (uint32_t k = 0; k < why->keep.launches; k++) {
        const struct why_launch_facts *facts = &why->keep.launch[k];
        for (uint32_t i = 0; i < facts->variables && facts->number == 1; i++)
            machine_text_add(text, "%s %s of kernel %s (%llu bytes)", count++ > 0 ? "," : "", facts->variable[i].name,
                             facts->kernel, (unsigned long long)facts->variable[i].bytes);
    }
    for (uint32_t i = 0; i < why->areas; i++)
        if (!why->area[i].is_gone)
            machine_text_add(text, "%s %s (%llu bytes at 0x%llx)", count++ > 0 ? "," : "", why->area[i].name,
                             (unsigned long long)why->area[i].bytes, (unsigned long long)why->area[i].address);
    if (count == 0) machine_text_add(text, " none");
}

static void tell_nothing(const struct look_why *why)
{
    BEGIN(text, room);
    machine_text_add(&text, "%s is nowhere", why->text);
    if (why->wrong[0] != '\0') machine_text_add(&text, ": %s", why->wrong);
    if (why->place.kind == WHY_ALLOCATION && why->place.number > why->allocations)
        machine_text_add(&text, ": the program made %llu allocation%s", (unsigned long long)why->allocations,
                         why->allocations == 1 ? "" : "s");
    if (why->place.kernel[0] != '\0' && why->named == 0)
        machine_text_add(&text, ": no kernel %s ran", why->place.kernel);
    else if (why->place.launch > why->named)
        machine_text_add(&text, ": kernel %s was launched %llu time%s", why->place.kernel,
                         (unsigned long long)why->named, why->named == 1 ? "" : "s");
    if (why->place.kernel[0] != '\0') add_kernels(&text, why);
    add_names(&text, why);
    print_line("tmaref: why: ", &text);
}

void why_tell_now(const struct look_why *why, const struct why_watch *watch)
{
    if (watch->is_on)
        tell_watch(why, watch);
    else
        plain_printf(stderr, "tmaref: why: %s is not in this launch\n", why->text);
}

void why_tell(const struct look_why *why)
{
    const struct why_watch *watch = why->global.is_on ? &why->global : &why->shared;
    const bool is_nowhere = !watch->is_on || (why->place.kind == WHY_ADDRESS && watch->count == 0 &&
                                              why_area_of(why, watch->address) == NULL);
    fflush(stdout);
    if (is_nowhere)
        tell_nothing(why);
    else
        tell_watch(why, watch);
    note_add(why->notes, is_nowhere ? NOTE_NOWHERE : NOTE_TOLD);
}
