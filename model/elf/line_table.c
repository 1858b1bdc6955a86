// SPDX-License-Identifier: MIT
#include "line_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"

enum { MOST_FILES = 4096, OPERATIONS = 256 };

// Standard and extended operations (DWARF 4, 6.2.5.2 and 6.2.5.3), and ptxas's two.
enum { COPY = 1, ADVANCE_PC, ADVANCE_LINE, SET_FILE, SET_COLUMN, NEGATE, BLOCK, ADD_CONSTANT_PC, FIXED_PC };
enum { END = 1, SET_ADDRESS = 2, INLINED_CALL = 0x90, FUNCTION_NAME = 0x91 };

//   section  of the cubin, 0 for none
//   context  the row that it was inlined at, 1 the first of its unit; 0 for none
struct line_row {
    uint64_t section, offset;
    uint32_t file, line, context, unit, next;
    bool is_end;
};

struct line_unit {
    uint32_t first_row, rows, files;
    char **file; // from number 1 on
};

// A place in the section: reading past `end` gives zeros, and `at` stays at it.
struct cursor {
    const uint8_t *start, *at, *end;
};

struct reading {
    struct line_table *table;
    const struct elf *image;
    struct line_unit *unit;
    Elf64_Shdr relocations, symbols;
    bool has_relocations, is_short;
    // of the unit's head
    uint8_t least_bytes, range, base;
    uint8_t operands[OPERATIONS];
    int8_t line_base;
};

static uint64_t number(struct cursor *c, unsigned bytes)
{
    uint64_t value = 0;
    if ((size_t)(c->end - c->at) < bytes) {
        c->at = c->end;
        return 0;
    }
    memcpy(&value, c->at, bytes);
    c->at += bytes;
    return value;
}

static uint64_t leb(struct cursor *c)
{
    uint64_t value = 0;
    for (unsigned shift = 0; c->at < c->end; shift += 7) {
        const uint8_t byte = *c->at++;
        if (shift < 64) value |= (uint64_t)(byte & 0x7f) << shift;
        if ((byte & 0x80) == 0) break;
    }
    return value;
}

static int64_t signed_leb(struct cursor *c)
{
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte = 0x80;
    while (c->at < c->end && (byte & 0x80) != 0) {
        byte = *c->at++;
        if (shift < 64) value |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
    }
    if (shift < 64 && (byte & 0x40) != 0) value |= ~UINT64_C(0) << shift;
    return (int64_t)value;
}

// A string that ends in 0; "" at the end.
static const char *string(struct cursor *c)
{
    const uint8_t *text = c->at, *zero = memchr(c->at, 0, (size_t)(c->end - c->at));
    c->at = zero == NULL ? c->end : zero + 1;
    return zero == NULL ? "" : (const char *)text;
}

// --- The head of a unit ----------------------------------------------------------------------------------------------

static bool add_file(struct reading *reading, const char *folder, const char *name)
{
    struct line_unit *unit = reading->unit;
    const bool is_whole = folder[0] == '\0' || name[0] == '/';
    const size_t length = strlen(folder) + strlen(name) + 2;
    char *path = malloc(length);
    if (path == NULL) return false;
    strcpy(path, is_whole ? "" : folder);
    strcat(strcat(path, is_whole ? "" : "/"), name);
    if (ARRAY_ADD(unit->file, unit->files, path)) return true;
    free(path);
    return false;
}

// The folder `wanted` of the list at `list`: 0 is that of the compilation, which has no name here.
static const char *folder_at(struct cursor list, uint64_t wanted)
{
    for (uint64_t i = 1; i < wanted && *string(&list) != '\0'; i++) continue;
    return wanted == 0 ? "" : string(&list);
}

static bool read_files(struct reading *reading, struct cursor *c)
{
    const struct cursor folders = *c;
    while (*string(c) != '\0') continue;
    for (const char *name; *(name = string(c)) != '\0';) {
        uint64_t folder = leb(c);
        leb(c); // time
        leb(c); // bytes
        if (reading->unit->files >= MOST_FILES || !add_file(reading, folder_at(folders, folder), name)) return false;
    }
    return true;
}

// Reads up to the operations, where it leaves `c`; 0 if it is of a version that is not known.
static bool read_head(struct reading *reading, struct cursor *c)
{
    const uint64_t version = number(c, 2);
    const uint64_t head_bytes = number(c, 4);
    if (version < 2 || version > 4 || head_bytes > (size_t)(c->end - c->at)) return false;
    const uint8_t *operations = c->at + head_bytes;
    reading->least_bytes = (uint8_t)number(c, 1);
    if (version >= 4) number(c, 1); // instructions in one word
    number(c, 1);                   // is it a statement?
    reading->line_base = (int8_t)number(c, 1);
    reading->range = (uint8_t)number(c, 1);
    reading->base = (uint8_t)number(c, 1);
    for (unsigned i = 1; i < reading->base; i++) reading->operands[i] = (uint8_t)number(c, 1);
    if (reading->range == 0 || !read_files(reading, c)) return false;
    c->at = operations;
    return true;
}

// --- Rows ------------------------------------------------------------------------------------------------------------

static int add_row(struct reading *reading, const struct line_row *row)
{
    struct line_table *table = reading->table;
    const int ok = ARRAY_ADD(table->row, table->rows, *row);
    if (!ok)
        reading->is_short = true;
    else
        table->row[table->rows - 1].unit = table->units - 1;
    reading->unit->rows += (uint32_t)ok;
    return ok;
}

// The section that the address at byte `at` of .debug_line is of: a relocation says it; in machine code that was placed
// in memory the sections have addresses.
static void set_address(const struct reading *reading, uint64_t at, uint64_t value, struct line_row *row)
{
    Elf64_Shdr section;
    *row = (struct line_row){.file = 1, .line = 1};
    for (uint64_t i = 0; reading->has_relocations && i < reading->relocations.sh_size / sizeof(Elf64_Rela); i++) {
        Elf64_Rela relocation;
        Elf64_Sym symbol;
        memcpy(&relocation, reading->image->image + reading->relocations.sh_offset + i * sizeof relocation,
               sizeof relocation);
        const uint64_t which = ELF64_R_SYM(relocation.r_info);
        if (relocation.r_offset != at || which >= reading->symbols.sh_size / sizeof symbol) continue;
        memcpy(&symbol, reading->image->image + reading->symbols.sh_offset + which * sizeof symbol, sizeof symbol);
        row->section = symbol.st_shndx;
        row->offset = symbol.st_value + (uint64_t)relocation.r_addend;
        if (elf_section(reading->image, row->section, &section) && row->offset >= section.sh_addr)
            row->offset -= section.sh_addr; // of code that was placed in memory
        return;
    }
    for (uint64_t i = 1; i < reading->image->sections; i++)
        if (elf_section(reading->image, i, &section) && (section.sh_flags & SHF_EXECINSTR) != 0 &&
            value >= section.sh_addr && value - section.sh_addr < section.sh_size) {
            row->section = i;
            row->offset = value - section.sh_addr;
            return;
        }
}

static int extended(struct reading *reading, struct cursor *c, struct line_row *row)
{
    const uint64_t length = leb(c);
    const uint8_t *next = c->at + (length > (size_t)(c->end - c->at) ? (size_t)(c->end - c->at) : length);
    int ok = 1;
    switch (length == 0 ? 0 : number(c, 1)) {
    case END:
        row->is_end = true;
        ok = add_row(reading, row);
        *row = (struct line_row){.file = 1, .line = 1};
        break;
    case SET_ADDRESS: {
        const uint64_t at = (uint64_t)(c->at - c->start);
        set_address(reading, at, number(c, length - 1 > 8 ? 8 : (unsigned)(length - 1)), row);
        break;
    }
    case INLINED_CALL:
        row->context = (uint32_t)leb(c);
        break;
    case FUNCTION_NAME:
    default:
        break;
    }
    c->at = next;
    return ok;
}

static void standard(struct reading *reading, struct cursor *c, uint8_t operation, struct line_row *row)
{
    switch (operation) {
    case ADVANCE_PC:
        row->offset += leb(c) * reading->least_bytes;
        break;
    case ADVANCE_LINE:
        row->line += (uint32_t)signed_leb(c);
        break;
    case SET_FILE:
        row->file = (uint32_t)leb(c);
        break;
    case ADD_CONSTANT_PC:
        row->offset += (uint64_t)((OPERATIONS - 1 - reading->base) / reading->range) * reading->least_bytes;
        break;
    case FIXED_PC:
        row->offset += number(c, 2);
        break;
    default: // SET_COLUMN, NEGATE, BLOCK and what later versions have
        for (unsigned i = 0; i < reading->operands[operation]; i++) leb(c);
        break;
    }
}

static bool read_rows(struct reading *reading, struct cursor *c)
{
    struct line_row row = {.file = 1, .line = 1};
    while (c->at < c->end) {
        const uint8_t operation = *c->at++;
        bool is_row = operation == COPY;
        if (operation >= reading->base) {
            const unsigned adjusted = operation - reading->base;
            row.offset += (uint64_t)(adjusted / reading->range) * reading->least_bytes;
            row.line += (uint32_t)(reading->line_base + (int)(adjusted % reading->range));
            is_row = true;
        } else if (operation == 0) {
            if (!extended(reading, c, &row)) return false;
        } else if (operation != COPY) {
            standard(reading, c, operation, &row);
        }
        if (is_row && !add_row(reading, &row)) return false;
    }
    return true;
}

static bool read_unit(struct reading *reading, struct cursor *c)
{
    struct line_table *table = reading->table;
    if (!ARRAY_ADD(table->unit, table->units, ((struct line_unit){.first_row = table->rows}))) return false;
    reading->unit = &table->unit[table->units - 1];
    return !read_head(reading, c) || read_rows(reading, c);
}

static void find_relocations(struct reading *reading, const char *name)
{
    const struct elf *image = reading->image;
    char relocations[64];
    snprintf(relocations, sizeof relocations, ".rela%s", name);
    reading->has_relocations = elf_find(image, relocations, 0, &reading->relocations) &&
                               elf_section(image, reading->relocations.sh_link, &reading->symbols) &&
                               reading->symbols.sh_type == SHT_SYMTAB;
}

static bool read_units(struct reading *reading, const Elf64_Shdr *section)
{
    const uint8_t *start = (const uint8_t *)reading->image->image + section->sh_offset, *end = start + section->sh_size;
    for (struct cursor c = {start, start, end}; c.at < end;) {
        const uint64_t bytes = number(&c, 4);
        if (bytes > (size_t)(end - c.at)) break; // broken, or the form of 64 bits, which ptxas has not
        struct cursor unit = {start, c.at, c.at + bytes};
        c.at += bytes;
        if (!read_unit(reading, &unit)) return !reading->is_short;
    }
    return true;
}

static int by_address(const void *a, const void *b, void *rows)
{
    const uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
    const struct line_row *left = (const struct line_row *)rows + i, *right = (const struct line_row *)rows + k;
    if (left->section != right->section) return left->section < right->section ? -1 : 1;
    if (left->offset != right->offset) return left->offset < right->offset ? -1 : 1;
    return i < k ? -1 : i > k;
}

bool line_table_open(struct line_table *table, const struct elf *image, const char *name)
{
    Elf64_Shdr section;
    struct reading reading = {.table = table, .image = image};
    *table = (struct line_table){0};
    if (!elf_find(image, name, 0, &section)) return true;
    find_relocations(&reading, name);
    if (!read_units(&reading, &section)) return false;
    table->sorted = malloc((table->rows + 1) * sizeof *table->sorted);
    if (table->sorted == NULL) return false;
    for (uint32_t i = 0; i < table->rows; i++) table->sorted[i] = i;
    qsort_r(table->sorted, table->rows, sizeof *table->sorted, by_address, table->row);
    return true;
}

void line_table_close(struct line_table *table)
{
    for (uint32_t i = 0; i < table->units; i++) {
        for (uint32_t f = 0; f < table->unit[i].files; f++) free(table->unit[i].file[f]);
        free(table->unit[i].file);
    }
    free(table->unit);
    free(table->row);
    free(table->sorted);
    *table = (struct line_table){0};
}

// --- Look-up ---------------------------------------------------------------------------------------------------------

static struct line_place place_of(const struct line_unit *unit, const struct line_row *row)
{
    const bool is_known = row->file >= 1 && row->file <= unit->files;
    return (struct line_place){is_known ? unit->file[row->file - 1] : "", row->line};
}

// The number, in `sorted`, of the last row that begins at or before the address; -1 if there is none.
static int64_t last_before(const struct line_table *table, uint64_t section, uint64_t offset)
{
    int64_t low = -1, high = table->rows;
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        const struct line_row *row = &table->row[table->sorted[middle]];
        if (row->section < section || (row->section == section && row->offset <= offset))
            low = middle;
        else
            high = middle;
    }
    return low >= 0 && table->row[table->sorted[low]].section == section ? low : -1;
}

uint32_t line_table_find(const struct line_table *table, uint64_t section, uint64_t offset, struct line_place *place)
{
    const int64_t at = last_before(table, section, offset);
    if (at < 0 || table->row[table->sorted[at]].is_end) return 0;
    const struct line_row *row = &table->row[table->sorted[at]];
    const struct line_unit *unit = &table->unit[row->unit];
    uint32_t places = 0;
    place[places++] = place_of(unit, row);
    while (row->context >= 1 && row->context <= unit->rows && places < LINE_PLACES) {
        row = &table->row[unit->first_row + row->context - 1];
        place[places++] = place_of(unit, row);
    }
    return places;
}

uint32_t *line_table_by_line(struct line_table *table, uint32_t unit, uint32_t lines)
{
    uint32_t *first = malloc((lines + (size_t)1) * sizeof *first);
    if (first == NULL) return NULL;
    memset(first, 0xff, (lines + (size_t)1) * sizeof *first);
    const struct line_unit *its = unit < table->units ? &table->unit[unit] : &(struct line_unit){0};
    for (uint32_t i = its->rows; i > 0; i--) {
        const uint32_t at = its->first_row + i - 1;
        if (table->row[at].is_end || table->row[at].line > lines) continue;
        table->row[at].next = first[table->row[at].line];
        first[table->row[at].line] = at;
    }
    return first;
}

uint32_t line_table_next(const struct line_table *table, uint32_t row)
{
    return table->row[row].next;
}

void line_table_row(const struct line_table *table, uint32_t row, uint64_t *section, uint64_t *offset)
{
    *section = table->row[row].section;
    *offset = table->row[row].offset;
}

bool line_table_begins(const struct line_table *table, uint64_t section, uint64_t offset)
{
    int64_t at = last_before(table, section, offset);
    for (; at >= 0; at--) {
        const struct line_row *row = &table->row[table->sorted[at]];
        if (row->section != section || row->offset != offset) return false;
        if (!row->is_end) return true;
    }
    return false;
}
