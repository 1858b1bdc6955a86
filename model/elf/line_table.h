// SPDX-License-Identifier: MIT
// Which lines of the source an instruction of a cubin comes from: the section .debug_line that nvcc -lineinfo makes,
// DWARF 2 to 4, with ptxas's own two operations for what was inlined. Source: the DWARF 4 standard, section 6.2; the
// two operations were read off cubins of ptxas 13.0 against what nvdisasm 13.0 says of them.
#ifndef TMAREF_LINE_TABLE_H
#define TMAREF_LINE_TABLE_H

#include "elf_image.h"

struct line_row;
struct line_unit;

//   row     the rows of one unit one behind the other, as the table has them
//   sorted  numbers of rows, by section and address
struct line_table {
    struct line_unit *unit;
    struct line_row *row;
    uint32_t *sorted;
    uint32_t units, rows;
};

// A line of a source. `file` belongs to the table; "" if it is not known.
enum { LINE_PLACES = 64 };
struct line_place {
    const char *file;
    uint32_t line;
};

// Reads the table in the section of that name: .debug_line says lines of the source, .nv_debug_line_sass those of the
// PTX. A cubin without one, or with one that is broken, has no rows from there on. 0 if there is no memory.
bool line_table_open(struct line_table *table, const struct elf *image, const char *name);
void line_table_close(struct line_table *table);

// The place of the instruction at `offset` of section `section`, and behind it the lines that it was inlined at, from
// the innermost to the outermost. How many there are, LINE_PLACES at most; 0: not known.
uint32_t line_table_find(const struct line_table *table, uint64_t section, uint64_t offset, struct line_place *place);

// The first row of each line up to `lines` of unit `unit`, UINT32_MAX for a line without one. NULL if there is no
// memory; the caller frees it.
uint32_t *line_table_by_line(struct line_table *table, uint32_t unit, uint32_t lines);

// The next row of the same line, UINT32_MAX if there is none.
uint32_t line_table_next(const struct line_table *table, uint32_t row);

// Where the instruction of a row is.
void line_table_row(const struct line_table *table, uint32_t row, uint64_t *section, uint64_t *offset);

// Does the table have a row that begins at this very instruction? Else its line is that of the code before it.
bool line_table_begins(const struct line_table *table, uint64_t section, uint64_t offset);

#endif
