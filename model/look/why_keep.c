// SPDX-License-Identifier: MIT
#include "why_keep.h"

#include <stdlib.h>
#include <string.h>

#include "operation_part.h"
#include "parts.h"

// --- Cells -----------------------------------------------------------------------------------------------------------

static struct why_page *page_of(struct why_keep *keep, uint64_t number, bool makes)
{
    struct why_page **first = &keep->page[number % WHY_BUCKETS], *page = *first;
    if (keep->last != NULL && keep->last->number == number) return keep->last;
    while (page != NULL && page->number != number) page = page->next;
    if (page == NULL && makes) {
        page = calloc(1, sizeof *page);
        if (page == NULL) {
            keep->is_short = true;
            return NULL;
        }
        *page = (struct why_page){.next = *first, .number = number};
        *first = page;
    }
    if (page != NULL) keep->last = page;
    return page;
}

static void fill_cells(uint32_t *cell, uint64_t count, uint32_t writer)
{
    for (uint64_t i = 0; i < count; i++) cell[i] = writer;
}

// A cell for each of its bytes; NULL where there is no room: then nobody knows the writers of its bytes.
static uint32_t *cells_of(struct why_keep *keep, struct why_page *page)
{
    if (page->cell != NULL || page->all == WHY_LOST) return page->cell;
    if (keep->pages < WHY_MOST_PAGES) page->cell = malloc(WHY_PAGE_BYTES * sizeof *page->cell);
    if (page->cell == NULL) {
        keep->is_short = true;
        page->all = WHY_LOST;
        return NULL;
    }
    keep->pages++;
    fill_cells(page->cell, WHY_PAGE_BYTES, page->all);
    return page->cell;
}

// How many of `bytes` bytes lie in the page of the first.
static uint32_t in_page(uint64_t address, uint64_t bytes)
{
    const uint64_t left = WHY_PAGE_BYTES - address % WHY_PAGE_BYTES;
    return (uint32_t)(left < bytes ? left : bytes);
}

static void get_global(struct why_keep *keep, uint64_t address, uint32_t bytes, uint32_t *writer)
{
    for (uint32_t part; bytes > 0; bytes -= part, address += part, writer += part) {
        const struct why_page *page = page_of(keep, address / WHY_PAGE_BYTES, false);
        part = in_page(address, bytes);
        if (page != NULL && page->cell != NULL)
            memcpy(writer, page->cell + address % WHY_PAGE_BYTES, part * sizeof *writer);
        else
            fill_cells(writer, part, page != NULL ? page->all : WHY_NOBODY);
    }
}

static void set_global(struct why_keep *keep, uint64_t address, uint32_t bytes, const uint32_t *writer)
{
    for (uint32_t part; bytes > 0; bytes -= part, address += part, writer += part) {
        struct why_page *page = page_of(keep, address / WHY_PAGE_BYTES, true);
        uint32_t *cell = page != NULL ? cells_of(keep, page) : NULL;
        part = in_page(address, bytes);
        if (cell != NULL) memcpy(cell + address % WHY_PAGE_BYTES, writer, part * sizeof *writer);
    }
}

// How many of `bytes` bytes at an address the CTA has.
static uint32_t in_cta(const struct why_cta *cta, uint64_t address, uint32_t bytes)
{
    const uint64_t left = address < cta->bytes ? cta->bytes - address : 0;
    return left < bytes ? (uint32_t)left : bytes;
}

void why_get(struct why_keep *keep, struct why_bytes at, uint32_t bytes, uint32_t *writer)
{
    const uint32_t has = at.cta != NULL ? in_cta(at.cta, at.address, bytes) : 0;
    if (at.cta == NULL) {
        get_global(keep, at.address, bytes, writer);
        return;
    }
    memcpy(writer, at.cta->cell + at.address, has * sizeof *writer);
    fill_cells(writer + has, bytes - has, WHY_NOBODY);
}

void why_set(struct why_keep *keep, struct why_bytes at, uint32_t bytes, const uint32_t *writer)
{
    if (at.cta == NULL)
        set_global(keep, at.address, bytes, writer);
    else
        memcpy(at.cta->cell + at.address, writer, in_cta(at.cta, at.address, bytes) * sizeof *writer);
}

static bool are_even(const uint32_t *cell, uint64_t count, uint32_t writer)
{
    for (uint64_t i = 0; i < count; i++)
        if (cell[i] != writer) return false;
    return true;
}

bool why_is_even(struct why_keep *keep, uint64_t address, uint64_t bytes, uint32_t *writer)
{
    get_global(keep, address, bytes > 0, writer);
    for (uint32_t part; bytes > 0; bytes -= part, address += part) {
        const struct why_page *page = page_of(keep, address / WHY_PAGE_BYTES, false);
        part = in_page(address, bytes);
        if (page != NULL && page->cell != NULL) {
            if (!are_even(page->cell + address % WHY_PAGE_BYTES, part, *writer)) return false;
        } else if ((page != NULL ? page->all : WHY_NOBODY) != *writer) {
            return false;
        }
    }
    return true;
}

static void free_cells(struct why_keep *keep, struct why_page *page)
{
    keep->pages -= page->cell != NULL;
    free(page->cell);
    page->cell = NULL;
}

void why_fill(struct why_keep *keep, uint64_t address, uint64_t bytes, uint32_t writer)
{
    for (uint32_t part; bytes > 0; bytes -= part, address += part) {
        struct why_page *page = page_of(keep, address / WHY_PAGE_BYTES, true);
        part = in_page(address, bytes);
        if (page != NULL && part == WHY_PAGE_BYTES) {
            free_cells(keep, page);
            page->all = writer;
        }
        uint32_t *cell = page != NULL && part < WHY_PAGE_BYTES ? cells_of(keep, page) : NULL;
        if (cell != NULL) fill_cells(cell + address % WHY_PAGE_BYTES, part, writer);
    }
}

// --- Writers ---------------------------------------------------------------------------------------------------------

// Room for one more in an array: 0 without memory.
static bool grow(struct why_keep *keep, void **array, uint32_t *room, uint32_t count, size_t each_bytes)
{
    void *grown = count < *room ? *array : look_grow(*array, room, count + 1, each_bytes);
    keep->is_short |= grown == NULL;
    if (grown != NULL) *array = grown;
    return grown != NULL;
}
#define GROW(keep, array, count)                                                                                       \
    grow(keep, (void **)&(keep)->array, &(keep)->count##_room, (keep)->count, sizeof *(keep)->array)

uint32_t why_add_writer(struct why_keep *keep, const struct why_writer *writer)
{
    uint32_t number = keep->unused;
    if (keep->writers == 0) keep->writers = WHY_WRITERS;
    keep->is_short |= number == 0 && keep->writers == WHY_MOST_WRITERS;
    if (number == 0 && (keep->writers == WHY_MOST_WRITERS || !GROW(keep, writer, writers))) return WHY_LOST;
    if (number == 0)
        number = keep->writers++;
    else
        keep->unused = keep->writer[number].source;
    if (writer->kind == WHY_OPERATION) keep->operation[writer->operation]->users++;
    keep->writer[number] = *writer;
    keep->used++;
    return number;
}

bool why_is_full(const struct why_keep *keep)
{
    return keep->used > WHY_MOST_WRITERS - WHY_MOST_WRITERS / 8;
}

bool why_sweep_begin(struct why_keep *keep)
{
    keep->mark = calloc(keep->writers, sizeof *keep->mark);
    keep->is_short |= keep->mark == NULL;
    return keep->mark != NULL;
}

// A link that is farther from its cell needs fewer behind it.
static void mark_chain(struct why_keep *keep, uint32_t writer)
{
    for (uint8_t left = WHY_MOST_LINKS; left > 0 && writer >= WHY_WRITERS && keep->mark[writer] < left; left--) {
        const uint32_t previous = keep->writer[writer].previous;
        keep->mark[writer] = left;
        if (previous >= WHY_WRITERS && keep->mark[previous] == 0) keep->mark[previous] = 1;
        writer = keep->writer[writer].source;
    }
}

void why_mark(struct why_keep *keep, const uint32_t *writer, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        if (i == 0 || writer[i] != writer[i - 1]) mark_chain(keep, writer[i]);
}

static void mark_pages(struct why_keep *keep)
{
    for (uint32_t i = 0; i < WHY_BUCKETS; i++)
        for (const struct why_page *page = keep->page[i]; page != NULL; page = page->next)
            why_mark(keep, page->cell != NULL ? page->cell : &page->all, page->cell != NULL ? WHY_PAGE_BYTES : 1);
}

// The last link of a chain loses what is behind it.
static void cut(struct why_writer *writer)
{
    if (writer->source >= WHY_WRITERS) writer->source = WHY_LOST;
    writer->previous = WHY_NOBODY;
}

void why_sweep(struct why_keep *keep)
{
    mark_pages(keep);
    keep->unused = keep->used = 0;
    for (uint32_t i = 1; i < keep->operations; i++)
        if (keep->operation[i] != NULL) keep->operation[i]->users = 0;
    for (uint32_t i = WHY_WRITERS; i < keep->writers; i++) {
        struct why_writer *writer = &keep->writer[i];
        if (keep->mark[i] == 0) {
            *writer = (struct why_writer){.source = keep->unused};
            keep->unused = i;
            continue;
        }
        keep->used++;
        if (keep->mark[i] == 1) cut(writer);
        if (writer->kind == WHY_OPERATION) keep->operation[writer->operation]->users++;
    }
    for (uint32_t i = 1; i < keep->operations; i++)
        if (keep->operation[i] != NULL && keep->operation[i]->users == 0 && keep->operation[i]->cluster == NULL) {
            free(keep->operation[i]);
            keep->operation[i] = NULL;
        }
    free(keep->mark);
    keep->mark = NULL;
}

static bool is_site(const struct why_site *one, const struct why_site *other)
{
    return one->ptx_line == other->ptx_line && strcmp(one->place, other->place) == 0 &&
           strcmp(one->instruction, other->instruction) == 0;
}

uint32_t why_add_site(struct why_keep *keep, const struct why_site *site)
{
    for (uint32_t i = keep->sites; i-- > 0;)
        if (is_site(&keep->site[i], site)) return i;
    if (!GROW(keep, site, sites)) return UINT32_MAX;
    struct why_site *to = &keep->site[keep->sites];
    *to = *site;
    to->place = look_string(site->place, strlen(site->place));
    to->file = look_string(site->file, strlen(site->file));
    to->instruction = look_string(site->instruction, strlen(site->instruction));
    keep->sites++;
    const bool is_whole = to->place != NULL && to->file != NULL && to->instruction != NULL;
    keep->is_short |= !is_whole;
    return is_whole ? keep->sites - 1 : UINT32_MAX;
}

uint32_t why_add_launch(struct why_keep *keep, const struct why_launch_facts *launch)
{
    if (launch->kernel == NULL || !GROW(keep, launch, launches)) return UINT32_MAX;
    keep->launch[keep->launches] = *launch;
    return keep->launches++;
}

uint32_t why_add_call(struct why_keep *keep, const struct why_call *call)
{
    if (!GROW(keep, call, calls)) return UINT32_MAX;
    keep->call[keep->calls] = *call;
    return keep->calls++;
}

// Slot 0 is nobody's.
uint32_t why_add_operation(struct why_keep *keep, struct why_operation *operation)
{
    if (keep->operations == 0) keep->operations = 1;
    if (!GROW(keep, operation, operations)) return UINT32_MAX;
    keep->operation[operation->slot = keep->operations] = operation;
    return keep->operations++;
}

void why_drop(struct why_keep *keep)
{
    for (uint32_t i = 0; i < WHY_BUCKETS; i++)
        for (struct why_page *page = keep->page[i], *next; page != NULL; page = next) {
            next = page->next;
            free(page->cell);
            free(page);
        }
    for (uint32_t i = 0; i < keep->sites; i++) {
        free(keep->site[i].place);
        free(keep->site[i].file);
        free(keep->site[i].instruction);
    }
    for (uint32_t i = 0; i < keep->launches; i++) {
        free(keep->launch[i].kernel);
        free(keep->launch[i].variable);
    }
    for (uint32_t i = 1; i < keep->operations; i++) free(keep->operation[i]);
    free(keep->writer);
    free(keep->site);
    free(keep->launch);
    free(keep->call);
    free(keep->operation);
}

// --- Where a byte came from ------------------------------------------------------------------------------------------

static bool is_tensor(enum operation_kind kind)
{
    return kind == OPERATION_TENSOR_LOAD || kind == OPERATION_TENSOR_STORE || kind == OPERATION_TENSOR_REDUCE;
}

static struct why_source tensor_source(const struct operation *o, enum access_space space, uint64_t address)
{
    struct why_source source = {.kind = WHY_FROM_UNKNOWN, .is_tensor = true};
    struct box box;
    bool is_known;
    if (space == SPACE_SHARED) {
        box_start(&box, o->mode, &o->map, o->coord, o->offset);
        is_known = provenance_of_shared(&box, o->coord, operation_place(o->shared), (uint32_t)address, &source.place);
        source.address = source.place.address;
    } else {
        box_start_store(&box, o->mode, &o->map, o->coord);
        is_known = provenance_of_global(&box, o->coord, operation_place(o->shared), address, &source.place);
        source.address = source.place.shared;
    }
    if (is_known)
        source.kind = space != SPACE_SHARED ? WHY_FROM_SHARED : source.place.is_fill ? WHY_FROM_FILL : WHY_FROM_GLOBAL;
    return source;
}

// The lane whose bytes these are: the last one, as it was written last.
static struct why_source copies_source(const struct why_operation *of, uint64_t address)
{
    for (uint32_t lane = MACHINE_LANES; lane-- > 0;) {
        const uint64_t at = address - of->to_address[lane];
        if (!(of->lanes >> lane & 1) || address < of->to_address[lane] || at >= of->bytes) continue;
        return (struct why_source){.kind = at < of->read[lane] ? WHY_FROM_GLOBAL : WHY_FROM_FILL,
                                   .address = of->from_address[lane] + at};
    }
    return (struct why_source){.kind = WHY_FROM_UNKNOWN};
}

struct why_source why_source_of(const struct why_operation *of, enum access_space space, uint64_t address)
{
    const struct operation *o = &of->operation;
    if (of->is_copies) return copies_source(of, address);
    if (is_tensor(o->kind)) return tensor_source(o, space, address);
    if (operation_is_register(o->kind)) return (struct why_source){.kind = WHY_FROM_REGISTERS};
    const uint64_t to = space == SPACE_SHARED ? operation_place((uint32_t)o->to) : o->to;
    if (address < to || address - to >= o->size_bytes) return (struct why_source){.kind = WHY_FROM_UNKNOWN};
    if (o->kind == OPERATION_BULK_LOAD)
        return (struct why_source){.kind = WHY_FROM_GLOBAL, .address = o->from + (address - to)};
    return (struct why_source){.kind = WHY_FROM_SHARED, .address = operation_place((uint32_t)o->from) + (address - to)};
}
