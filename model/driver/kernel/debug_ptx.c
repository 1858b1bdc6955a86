// SPDX-License-Identifier: MIT
// One table of a cubin says which line of the PTX an instruction is from (.nv_debug_line_sass), the other which line of
// the source (.debug_line). Lines of the PTX between two empty ones had one .loc, which stood in the first of these. So
// the first of them that became an instruction gives the place of all.
#include "debug_ptx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "elf_image.h"
#include "line_table.h"

//   first  the row of `ptx` with the first instruction of each line
//   file   those that .loc has named; its number is its place, from 1 on
struct joined {
    struct line_table ptx, source;
    uint32_t *first;
    const char **file;
    uint32_t files;
    FILE *out;
};

static uint32_t file_number(struct joined *joined, const char *name)
{
    for (uint32_t i = 0; i < joined->files; i++)
        if (joined->file[i] == name || strcmp(joined->file[i], name) == 0) return i + 1;
    return ARRAY_ADD(joined->file, joined->files, name) ? joined->files : 0;
}

static void put_files(struct joined *joined)
{
    for (uint32_t i = 0; i < joined->files; i++) fprintf(joined->out, ".file %u \"%s\"\n", i + 1, joined->file[i]);
}

// From the outermost to the innermost, each inlined at the one before it.
static void put_places(struct joined *joined, const struct line_place *place, uint32_t places)
{
    for (uint32_t i = places; i > 0; i--) {
        const uint32_t file = file_number(joined, place[i - 1].file);
        fprintf(joined->out, ".loc %u %u 0 ", file, place[i - 1].line);
        if (i < places)
            fprintf(joined->out, ", function_name $L__of_inlined, inlined_at %u %u 0 ",
                    file_number(joined, place[i].file), place[i].line);
    }
}

// The place of the lines from `line` to `end`: that of an instruction at which a row of the source's table begins, or
// else of the first.
static void put_place_of(struct joined *joined, uint32_t line, uint32_t end)
{
    struct line_place place[LINE_PLACES];
    uint64_t section = 0, offset = 0;
    bool is_known = false, is_exact = false;
    for (; line < end && !is_exact; line++)
        for (uint32_t row = joined->first[line]; row != UINT32_MAX && !is_exact;
             row = line_table_next(&joined->ptx, row)) {
            uint64_t its_section, its_offset;
            line_table_row(&joined->ptx, row, &its_section, &its_offset);
            is_exact = line_table_begins(&joined->source, its_section, its_offset);
            if (!is_exact && is_known) continue;
            section = its_section;
            offset = its_offset;
            is_known = true;
        }
    if (is_known) put_places(joined, place, line_table_find(&joined->source, section, offset, place));
}

static bool is_empty(const char *line)
{
    return *line == '\n' || *line == '\0';
}

static const char *next_line(const char *at)
{
    const size_t length = strcspn(at, "\n");
    return at + length + (at[length] == '\n');
}

// How much deeper in { } the line ends than it begins.
static int depth_of(const char *line)
{
    int depth = 0;
    for (; !is_empty(line) && strncmp(line, "//", 2) != 0; line++) depth += (*line == '{') - (*line == '}');
    return depth;
}

static void put_text(struct joined *joined, const char *text)
{
    int depth = 0;
    uint32_t line = 1;
    for (const char *at = text, *next; *at != '\0'; at = next, line++) {
        next = next_line(at);
        depth += depth_of(at);
        fwrite(at, 1, strcspn(at, "\n"), joined->out);
        if (is_empty(at) && !is_empty(next) && depth > 0) {
            uint32_t end = line + 1;
            for (const char *of = next; !is_empty(of); of = next_line(of)) end++;
            put_place_of(joined, line + 1, end);
        }
        putc('\n', joined->out);
    }
}

// `text` with what is known of its places; as it is, where that is nothing. It is freed in the former case.
static char *with_places(struct joined *joined, unsigned unit, char *text, size_t *text_bytes)
{
    uint32_t lines = 1;
    char *whole = NULL;
    size_t whole_bytes;
    for (const char *at = text; *at != '\0'; at++) lines += *at == '\n';
    joined->first = line_table_by_line(&joined->ptx, unit, lines);
    joined->out = joined->first != NULL ? open_memstream(&whole, &whole_bytes) : NULL;
    if (joined->out == NULL) return text;
    put_text(joined, text);
    put_files(joined);
    const bool ok = !ferror(joined->out) && fclose(joined->out) == 0;
    free(ok ? text : whole);
    *text_bytes = ok ? whole_bytes : *text_bytes;
    return ok ? whole : text;
}

// ptxas ends each line with a 0. A section may end before the last one.
static char *text_of(const struct elf *elf, const Elf64_Shdr *section)
{
    char *text = malloc(section->sh_size + 1);
    if (text == NULL) return NULL;
    memcpy(text, elf->image + section->sh_offset, section->sh_size);
    for (size_t i = 0; i < section->sh_size; i++)
        if (text[i] == '\0') text[i] = '\n';
    text[section->sh_size] = '\0';
    return text;
}

char *debug_ptx(const void *image, size_t bytes, unsigned unit, size_t *text_bytes)
{
    struct elf elf;
    Elf64_Shdr section;
    struct joined joined = {0};
    if (!elf_open(&elf, image, bytes) || elf.head.e_machine != EM_CUDA) return NULL;
    if (!elf_find(&elf, ".nv_debug_ptx_txt", unit, &section) || section.sh_size == 0) return NULL;
    char *text = text_of(&elf, &section);
    if (text == NULL) return NULL;
    *text_bytes = section.sh_size;
    if (line_table_open(&joined.ptx, &elf, ".nv_debug_line_sass") &&
        line_table_open(&joined.source, &elf, ".debug_line"))
        text = with_places(&joined, unit, text, text_bytes);
    line_table_close(&joined.ptx);
    line_table_close(&joined.source);
    free(joined.first);
    free(joined.file);
    return text;
}
