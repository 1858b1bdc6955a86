// SPDX-License-Identifier: MIT
// Which lines of the source an instruction of a cubin comes from: the section .debug_line that nvcc -lineinfo makes,
// DWARF 2 to 4, with ptxas's own two operations for what was inlined. Source: the DWARF 4 standard, section 6.2; the
// two operations were read off cubins of ptxas 13.0 against what nvdisasm 13.0 says of them.
#ifndef TMAREF_LINE_TABLE_H
#define TMAREF_LINE_TABLE_H

#include "elf_file.h"
#include "machine.h"

struct line_row;
struct line_unit;

//   row      by section and address, the rows of one unit one behind the other as the table has them
struct line_table {
    struct line_unit *unit;
    struct line_row *row;
    uint32_t units, rows;
};

// Reads the table in the section of that name: .debug_line says lines of the source, .nv_debug_line_sass those of the
// PTX. A cubin without one, or with one that is broken, has no rows from there on. 0 if there is no memory.
int line_table_open(struct line_table *table, const struct elf_file *image, const char *name);
void line_table_close(struct line_table *table);

// The place of the instruction at `offset` of section `section`, and the lines that it was inlined at. 0: not known.
int line_table_find(const struct line_table *table, uint64_t section, uint64_t offset, struct machine_where *where);

// Does the table have a row that begins at this very instruction? Else its line is that of the code before it.
int line_table_begins(const struct line_table *table, uint64_t section, uint64_t offset);

#endif
