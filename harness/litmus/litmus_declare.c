// SPDX-License-Identifier: MIT
// What a litmus test declares: places with their values, aliases, mbarriers, registers, the order of grids; and where
// its threads run.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "litmus_parts.h"

static int find_place(const struct litmus_reader *reader)
{
    const struct litmus *test = reader->test;
    for (int i = 0; i < test->places; i++)
        if (scan_is(&reader->scan, test->place[i].name)) return i;
    return -1;
}

static struct litmus_place *new_place(struct litmus_reader *reader)
{
    struct litmus *test = reader->test;
    struct litmus_scan *scan = &reader->scan;
    if (scan->word.kind != SCAN_WORD) {
        scan_fail(scan, "the name of a place is missing here");
        return NULL;
    }
    if (find_place(reader) >= 0) {
        scan_fail(scan, "this place is declared twice");
        return NULL;
    }
    if (test->places == LITMUS_PLACES) {
        scan_fail(scan, "a test has at most %d places", LITMUS_PLACES);
        return NULL;
    }
    int index = test->places++;
    struct litmus_place *place = &test->place[index];
    *place = (struct litmus_place){.address = index, .memory = index};
    scan_copy(scan, place->name, sizeof place->name);
    litmus_scan_next(scan);
    return place;
}

// The coordinates of a tensor copy change nothing in a test.
static int close_bracket(struct litmus_scan *scan)
{
    while (!scan_take(scan, "]")) {
        if (scan->word.kind == SCAN_END || scan_is(scan, ";")) return scan_fail(scan, "']' is missing here");
        litmus_scan_next(scan);
    }
    return 1;
}

int litmus_read_place(struct litmus_reader *reader)
{
    struct litmus_scan *scan = &reader->scan;
    bool in_brackets = scan_take(scan, "[");
    int place = find_place(reader);
    if (place >= 0) {
        litmus_scan_next(scan);
    } else if (reader->is_in_rows && !litmus_is_register(scan)) {
        if (new_place(reader) == NULL) return -1;
        place = reader->test->places - 1;
    } else {
        char name[LITMUS_NAME_BYTES];
        scan_copy(scan, name, sizeof name);
        scan_fail(scan, "'%s' is no place of the test; add '%s = 0;' between its braces", name, name);
        return -1;
    }
    return in_brackets && !close_bracket(scan) ? -1 : place;
}

bool litmus_is_register(const struct litmus_scan *scan)
{
    const struct scan_word *word = &scan->word;
    if (word->kind != SCAN_WORD || word->bytes < 2 || (word->at[0] != 'r' && word->at[0] != 'p')) return false;
    for (size_t i = 1; i < word->bytes; i++)
        if (!isdigit((unsigned char)word->at[i])) return false;
    return true;
}

int litmus_read_register(struct litmus_reader *reader, int thread)
{
    struct litmus_scan *scan = &reader->scan;
    struct litmus_thread *of = &reader->test->thread[thread];
    if (!litmus_is_register(scan)) return scan_fail(scan, "a register (r0, r1, ...) is missing here") - 1;
    for (int i = 0; i < of->registers; i++) {
        if (!scan_is(scan, of->register_name[i])) continue;
        litmus_scan_next(scan);
        return i;
    }
    if (of->registers == LITMUS_REGISTERS)
        return scan_fail(scan, "a thread has at most %d registers", LITMUS_REGISTERS) - 1;
    scan_copy(scan, of->register_name[of->registers], sizeof of->register_name[0]);
    litmus_scan_next(scan);
    return of->registers++;
}

static int thread_number(const struct scan_word *word)
{
    if (word->kind == SCAN_NUMBER && word->number >= 0) return word->number < LITMUS_THREADS ? (int)word->number : -1;
    if (word->kind != SCAN_WORD || word->bytes != 2 || word->at[0] != 'P' || !isdigit((unsigned char)word->at[1]))
        return -1;
    return word->at[1] - '0' < LITMUS_THREADS ? word->at[1] - '0' : -1;
}

int litmus_read_thread(struct litmus_reader *reader)
{
    int thread = thread_number(&reader->scan.word);
    if (thread < 0) {
        scan_fail(&reader->scan, "a thread (P0 to P%d) is missing here", LITMUS_THREADS - 1);
        return -1;
    }
    litmus_scan_next(&reader->scan);
    return thread;
}

static int read_proxy(struct litmus_scan *scan, enum litmus_proxy *proxy)
{
    static const struct {
        const char *word;
        enum litmus_proxy proxy;
    } rows[] = {
        {"generic", VIA_GENERIC}, {"texture", VIA_TEXTURE}, {"surface", VIA_SURFACE}, {"constant", VIA_CONSTANT}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (!scan_take(scan, rows[i].word)) continue;
        *proxy = rows[i].proxy;
        return 1;
    }
    return scan_fail(scan, "a proxy is missing here: generic, texture, surface or constant");
}

// "y @ generic aliases x" is another virtual address of x's memory, "t @ texture aliases x" the same address by another
// proxy.
static int read_alias(struct litmus_reader *reader, struct litmus_place *place)
{
    if (!read_proxy(&reader->scan, &place->proxy) || !scan_need(&reader->scan, "aliases")) return 0;
    int of = litmus_read_place(reader);
    if (of < 0) return 0;
    place->memory = reader->test->place[of].memory;
    place->space = reader->test->place[of].space;
    if (place->proxy != VIA_GENERIC) place->address = reader->test->place[of].address;
    return 1;
}

static int read_data(struct litmus_reader *reader, enum litmus_space space)
{
    struct litmus_place *place = new_place(reader);
    if (place == NULL) return 0;
    place->space = space;
    if (scan_take(&reader->scan, "@")) return read_alias(reader, place);
    return !scan_take(&reader->scan, "=") || scan_need_number(&reader->scan, &place->initial);
}

static int read_mbarrier(struct litmus_reader *reader)
{
    struct litmus_place *place = new_place(reader);
    if (place == NULL) return 0;
    place->is_mbarrier = true;
    place->space = IN_SHARED;
    if (!scan_take(&reader->scan, "=")) return 1;
    int64_t count = 0;
    struct scan_word word = reader->scan.word;
    if (!scan_need_number(&reader->scan, &count)) return 0;
    if (count < 1 || count > 16)
        return scan_fail_at(&reader->scan, word.line, word.column, "an mbarrier of a test expects 1 to 16 arrivals");
    place->count = (int)count;
    return 1;
}

static int read_small(struct litmus_scan *scan, int *number)
{
    int64_t wide = 0;
    struct scan_word word = scan->word;
    if (!scan_need_number(scan, &wide)) return 0;
    if (wide < 0 || wide > 1000) return scan_fail_at(scan, word.line, word.column, "a number from 0 to 1000 fits here");
    *number = (int)wide;
    return 1;
}

// "grid 1 after grid 0", "grid 1 programmatic after grid 0"
static int read_link(struct litmus_reader *reader)
{
    struct litmus *test = reader->test;
    struct litmus_scan *scan = &reader->scan;
    if (test->links == LITMUS_LINKS) return scan_fail(scan, "a test orders at most %d pairs of grids", LITMUS_LINKS);
    struct litmus_link *link = &test->link[test->links];
    if (!read_small(scan, &link->second)) return 0;
    link->is_programmatic = scan_take(scan, "programmatic");
    if (!scan_need(scan, "after") || !scan_need(scan, "grid") || !read_small(scan, &link->first)) return 0;
    test->links++;
    return 1;
}

static int read_initial_register(struct litmus_reader *reader)
{
    int thread = litmus_read_thread(reader);
    if (thread < 0 || !scan_need(&reader->scan, ":")) return 0;
    int reg = litmus_read_register(reader, thread);
    return reg >= 0 && scan_need(&reader->scan, "=") &&
           scan_need_number(&reader->scan, &reader->test->thread[thread].initial[reg]);
}

static bool is_register_of_thread(const struct litmus_scan *scan)
{
    if (thread_number(&scan->word) < 0) return false;
    struct litmus_scan ahead = *scan;
    litmus_scan_next(&ahead);
    return scan_is(&ahead, ":");
}

static int read_declaration(struct litmus_reader *reader)
{
    struct litmus_scan *scan = &reader->scan;
    if (is_register_of_thread(scan)) return read_initial_register(reader);
    if (scan_take(scan, "mbarrier")) return read_mbarrier(reader);
    if (scan_take(scan, "grid")) return read_link(reader);
    if (scan_take(scan, ".shared")) return read_data(reader, IN_SHARED);
    if (scan_take(scan, ".global")) return read_data(reader, IN_GLOBAL);
    return read_data(reader, IN_ANY);
}

bool litmus_read_declarations(struct litmus_reader *reader)
{
    struct litmus_scan *scan = &reader->scan;
    if (!scan_need(scan, "{")) return false;
    while (!scan_take(scan, "}")) {
        if (scan_take(scan, ";")) continue;
        if (!read_declaration(reader)) return false;
        if (!scan_is(scan, "}") && !scan_need(scan, ";")) return false;
    }
    scan_take(scan, ";");
    return true;
}

static int read_placement(struct litmus_scan *scan, struct litmus_thread *thread)
{
    static const char *const words[] = {"cta", "cluster", "gpu", "grid"};
    int *const to[] = {&thread->cta, &thread->cluster, &thread->gpu, &thread->grid};
    if (scan_take(scan, "host")) {
        thread->is_host = true;
        return 1;
    }
    do {
        size_t i = 0;
        while (i < 4 && !scan_is(scan, words[i])) i++;
        if (i == 4) return scan_fail(scan, "where the thread runs is missing here: cta, cluster, gpu, grid or host");
        litmus_scan_next(scan);
        if (!read_small(scan, to[i])) return 0;
    } while (scan_take(scan, ","));
    return 1;
}

int litmus_read_threads(struct litmus_reader *reader)
{
    struct litmus *test = reader->test;
    struct litmus_scan *scan = &reader->scan;
    do {
        if (test->threads == LITMUS_THREADS) return scan_fail(scan, "a test has at most %d threads", LITMUS_THREADS);
        struct scan_word word = scan->word;
        int number = litmus_read_thread(reader);
        if (number < 0) return 0;
        if (number != test->threads)
            return scan_fail_at(scan, word.line, word.column, "this column is P%d", test->threads);
        struct litmus_thread *thread = &test->thread[test->threads++];
        thread->cluster = -1;
        if (!scan_need(scan, "@") || !read_placement(scan, thread)) return 0;
    } while (scan_take(scan, "|"));
    return scan_need(scan, ";");
}
