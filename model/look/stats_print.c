// SPDX-License-Identifier: MIT
// The statistics of a kernel as a table for people, or as a line of JSON.
#include <stdlib.h>
#include <string.h>

#include "demangle.h"
#include "json_text.h"
#include "plain.h"
#include "stats.h"

enum { MOST_BANK_ROWS = 20 };

static int by_warps(const void *left, const void *right)
{
    const struct look_mix *a = left, *b = right;
    if (a->warps != b->warps) return a->warps > b->warps ? -1 : 1;
    return strcmp(a->name, b->name);
}

// Those with the most conflicts first.
static int by_conflicts(const void *left, const void *right)
{
    const struct look_bank *a = left, *b = right;
    uint64_t first = a->wavefronts - a->ideal, second = b->wavefronts - b->ideal;
    if (first != second) return first > second ? -1 : 1;
    return strcmp(a->place, b->place);
}

// The bytes of all forms of one opcode; 0 if `form` is not the first of them, or they moved none.
static bool moved_by(const struct look_kernel *kernel, int form, struct look_moved *moved)
{
    const char *opcode = ptx_form_row(form)->opcode;
    uint64_t all = 0;
    memset(moved, 0, sizeof *moved);
    for (int other = 0; other < form; other++)
        if (strcmp(ptx_form_row(other)->opcode, opcode) == 0) return false;
    for (int other = form; other < ptx_form_count(); other++) {
        if (strcmp(ptx_form_row(other)->opcode, opcode) != 0) continue;
        for (int i = 0; i < LOOK_SPACES * LOOK_KINDS; i++) {
            moved->bytes[i / LOOK_KINDS][i % LOOK_KINDS] += kernel->moved[other].bytes[i / LOOK_KINDS][i % LOOK_KINDS];
            all += kernel->moved[other].bytes[i / LOOK_KINDS][i % LOOK_KINDS];
        }
    }
    return all > 0;
}

// --- For people ------------------------------------------------------------------------------------------------------

static double percent(uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0 : 100.0 * (double)part / (double)whole;
}

static void print_mix(const struct look_kernel *kernel, FILE *out)
{
    fprintf(out, "  %-36s %14s %16s %8s\n", "instruction", "warps", "threads", "share");
    for (uint32_t i = 0; i < kernel->mixes; i++) {
        const struct look_mix *mix = &kernel->mix[i];
        fprintf(out, "  %-36s %14llu %16llu %6.1f %%\n", mix->name, (unsigned long long)mix->warps,
                (unsigned long long)mix->threads, percent(mix->warps, kernel->warps));
    }
}

static void print_moved(const struct look_kernel *kernel, FILE *out)
{
    struct look_moved moved;
    bool has_head = false;
    for (int form = 0; form < ptx_form_count(); form++) {
        if (!moved_by(kernel, form, &moved)) continue;
        if (!has_head)
            fprintf(out, "  %-24s %12s %12s %12s %12s %12s %12s\n", "bytes moved by", "global read", "written",
                    "reduced", "shared read", "written", "reduced");
        has_head = true;
        fprintf(out, "  %-24s", ptx_form_row(form)->opcode);
        for (int i = 0; i < LOOK_SPACES * LOOK_KINDS; i++)
            fprintf(out, " %12llu", (unsigned long long)moved.bytes[i / LOOK_KINDS][i % LOOK_KINDS]);
        fprintf(out, "\n");
    }
}

// Without the folders: lines are short, and --json has them.
static const char *short_place(const char *place)
{
    const char *slash = strrchr(place, '/');
    return slash != NULL ? slash + 1 : place;
}

static void print_banks(const struct look_kernel *kernel, FILE *out)
{
    if (kernel->banks == 0) return;
    fprintf(out, "  %-36s %-18s %10s %11s %10s %10s %6s\n", "banks of shared memory", "instruction", "accesses",
            "wavefronts", "at best", "conflicts", "worst");
    for (uint32_t i = 0; i < kernel->banks && i < MOST_BANK_ROWS; i++) {
        const struct look_bank *bank = &kernel->bank[i];
        fprintf(out, "  %-36s %-18s %10llu %11llu %10llu %10llu %6u\n", short_place(bank->place), bank->name,
                (unsigned long long)bank->accesses, (unsigned long long)bank->wavefronts,
                (unsigned long long)bank->ideal, (unsigned long long)(bank->wavefronts - bank->ideal), bank->worst);
    }
    if (kernel->banks > MOST_BANK_ROWS)
        fprintf(out, "  and %u more lines with at most as many conflicts as the last (--json lists all)\n",
                kernel->banks - MOST_BANK_ROWS);
}

static void print_table(const struct look_kernel *kernel, FILE *out)
{
    char name[DEMANGLED_BYTES];
    demangle_function(kernel->name, strlen(kernel->name), name, sizeof name);
    plain_printf(out,
                 "tmaref: statistics of kernel %s: %llu launch%s, %llu warp instructions, %llu thread instructions\n",
                 name, (unsigned long long)kernel->launches, kernel->launches == 1 ? "" : "es",
                 (unsigned long long)kernel->warps, (unsigned long long)kernel->threads);
    print_mix(kernel, out);
    print_moved(kernel, out);
    print_banks(kernel, out);
}

// --- For machines ----------------------------------------------------------------------------------------------------

static void print_key(FILE *out, const char *before, const char *key, const char *text)
{
    fprintf(out, "%s\"%s\": ", before, key);
    json_text(out, text, strlen(text));
}

static void print_moved_json(const struct look_kernel *kernel, FILE *out)
{
    static const char *const keys[] = {"global_read", "global_written", "global_reduced",
                                       "shared_read", "shared_written", "shared_reduced"};
    struct look_moved moved;
    const char *before = "";
    for (int form = 0; form < ptx_form_count(); form++) {
        if (!moved_by(kernel, form, &moved)) continue;
        fprintf(out, "%s{", before);
        print_key(out, "", "instruction", ptx_form_row(form)->opcode);
        for (int i = 0; i < LOOK_SPACES * LOOK_KINDS; i++)
            fprintf(out, ", \"%s\": %llu", keys[i], (unsigned long long)moved.bytes[i / LOOK_KINDS][i % LOOK_KINDS]);
        fprintf(out, "}");
        before = ", ";
    }
}

static void print_json(const struct look_kernel *kernel, FILE *out)
{
    print_key(out, "{", "statistics", kernel->name);
    fprintf(out, ", \"launches\": %llu, \"warp_instructions\": %llu, \"thread_instructions\": %llu, \"mix\": [",
            (unsigned long long)kernel->launches, (unsigned long long)kernel->warps,
            (unsigned long long)kernel->threads);
    for (uint32_t i = 0; i < kernel->mixes; i++) {
        print_key(out, i == 0 ? "{" : ", {", "instruction", kernel->mix[i].name);
        fprintf(out, ", \"warps\": %llu, \"threads\": %llu}", (unsigned long long)kernel->mix[i].warps,
                (unsigned long long)kernel->mix[i].threads);
    }
    fprintf(out, "], \"moved\": [");
    print_moved_json(kernel, out);
    fprintf(out, "], \"banks\": [");
    for (uint32_t i = 0; i < kernel->banks; i++) {
        const struct look_bank *bank = &kernel->bank[i];
        print_key(out, i == 0 ? "{" : ", {", "place", bank->place);
        print_key(out, ", ", "instruction", bank->name);
        fprintf(out, ", \"accesses\": %llu, \"wavefronts\": %llu, \"ideal\": %llu, \"worst\": %u}",
                (unsigned long long)bank->accesses, (unsigned long long)bank->wavefronts,
                (unsigned long long)bank->ideal, bank->worst);
    }
    fprintf(out, "]}\n");
}

void look_stats_print(struct look_kernel *kernel, bool is_json, FILE *out)
{
    if (kernel->mixes > 0) qsort(kernel->mix, kernel->mixes, sizeof *kernel->mix, by_warps);
    if (kernel->banks > 0) qsort(kernel->bank, kernel->banks, sizeof *kernel->bank, by_conflicts);
    fflush(stdout);
    if (is_json)
        print_json(kernel, out);
    else
        print_table(kernel, out);
}
