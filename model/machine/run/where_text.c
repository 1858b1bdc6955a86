// SPDX-License-Identifier: MIT
#include "where_text.h"

enum { FILE_BYTES = 250 };

// The name of a file without its folders.
static struct ptx_name base_name(struct ptx_name path)
{
    for (uint32_t i = path.length; i > 0; i--)
        if (path.at[i - 1] == '/') return (struct ptx_name){path.at + i, path.length - i};
    return path;
}

const char *where_place(const struct machine_caller *at, bool is_whole, char *text, size_t bytes)
{
    const struct ptx_name file = is_whole ? at->file : base_name(at->file);
    text[0] = '\0';
    if (at->line > 0)
        snprintf(text, bytes, "%.*s:%u", (int)(file.length > FILE_BYTES ? FILE_BYTES : file.length), file.at, at->line);
    return text;
}

static void print_line(FILE *out, const char *before, struct ptx_name path, uint32_t line)
{
    const struct ptx_name file = base_name(path);
    fprintf(out, "%s%.*s:%u", before, (int)file.length, file.at, line);
}

void where_print_lines(FILE *out, const struct machine_where *where)
{
    if (where->source_line == 0) return;
    print_line(out, " (", where->source_file, where->source_line);
    if (where->callers > 0) {
        const struct machine_caller *outermost = &where->caller[where->callers - 1];
        fprintf(out, ", %s", machine_where_joined(where));
        if (where->telling > 0 && where->telling < where->callers) {
            const struct machine_caller *telling = &where->caller[where->telling - 1];
            print_line(out, " ", telling->file, telling->line);
            fputc(',', out);
        }
        print_line(out, " ", outermost->file, outermost->line);
    }
    fputc(')', out);
}

void where_print_missing(FILE *out, const struct mbarrier_fields *now, uint64_t expected_bytes)
{
    const char *comma = now->pending > 0 ? "," : ":";
    if (now->pending == 1 && now->expected == 1)
        fprintf(out, ": its arrival is missing");
    else if (now->pending > 0)
        fprintf(out, ": %u of %u arrivals %s missing", now->pending, now->expected, now->pending == 1 ? "is" : "are");
    if (now->tx > 0 && expected_bytes > 0)
        fprintf(out, "%s %d of %llu expected bytes have not come", comma, now->tx, (unsigned long long)expected_bytes);
    if (now->tx > 0 && expected_bytes == 0) fprintf(out, "%s %d of the expected bytes have not come", comma, now->tx);
    if (now->tx < 0) fprintf(out, "%s %d more bytes came than were expected", comma, -now->tx);
}
