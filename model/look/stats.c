// SPDX-License-Identifier: MIT
// Statistics of each kernel, over all its launches: which instructions, what they moved, and where lanes of a warp meet
// in a bank of shared memory (core/bank.h). Printed when the program ends.
#include "stats.h"

#include <stdlib.h>
#include <string.h>

#include "bank.h"
#include "module.h"

// --- While it runs ---------------------------------------------------------------------------------------------------

// The accesses of one instruction of a warp to its own CTA's shared memory.
struct warp_access {
    uint32_t active, bytes, address[WARP_LANES];
    enum bank_access kind;
};

struct look_stats {
    struct look_kernel *kernel;
    uint32_t kernels, room;
    bool is_json;
    struct warp_access access;
    const struct machine_code *code; // that is executed now, of whatever launch
    bool is_short;                   // there was no memory for all
};

// The kernel that a launch counts for, NULL if there was no memory.
static struct look_kernel *kernel_of(const struct look_stats *stats, const struct look_stats_launch *launch)
{
    return launch->kernel == 0 ? NULL : &stats->kernel[launch->kernel - 1];
}

struct look_stats *look_stats_open(bool is_json)
{
    struct look_stats *stats = calloc(1, sizeof *stats);
    if (stats != NULL) stats->is_json = is_json;
    return stats;
}

void look_stats_begin(struct look_stats *stats, struct look_stats_launch *launch, const char *name)
{
    *launch = (struct look_stats_launch){0};
    for (uint32_t i = 0; i < stats->kernels; i++)
        if (strcmp(stats->kernel[i].name, name) == 0) launch->kernel = i + 1;
    if (launch->kernel != 0) return;
    struct look_kernel *more = look_grow(stats->kernel, &stats->room, stats->kernels + 1, sizeof *more);
    if (more != NULL) stats->kernel = more;
    char *own = more == NULL ? NULL : look_string(name, strlen(name));
    struct look_moved *moved = own == NULL ? NULL : calloc(ptx_form_count(), sizeof *moved);
    stats->is_short |= moved == NULL;
    if (moved == NULL) {
        free(own);
        return;
    }
    more[stats->kernels].name = own;
    more[stats->kernels].moved = moved;
    launch->kernel = ++stats->kernels;
}

void look_stats_before(struct look_stats *stats, const struct machine_step *step)
{
    stats->code = step->code;
}

void look_stats_issue(struct look_stats *stats, struct look_stats_launch *launch, uint32_t line)
{
    if (line >= launch->lines) {
        uint32_t room = launch->lines;
        uint16_t *more = look_grow(launch->form_of_line, &room, line + 1, sizeof *more);
        stats->is_short |= more == NULL;
        if (more == NULL) return;
        launch->form_of_line = more;
        launch->lines = room;
    }
    if (stats->code != NULL && stats->code->choice != NULL) launch->form_of_line[line] = stats->code->choice->form;
}

static bool is_parameter(const struct ptx_choice *choice)
{
    return choice->spaces > 0 && choice->space[0] >= PTX_CONST && choice->space[0] <= PTX_PARAM_CTA;
}

static void note_lane(struct warp_access *to, const struct event *event)
{
    const struct access *access = &event->access;
    if (access->bytes > 16 || event->origin->lanes == 0) return;
    uint32_t lane = (uint32_t)__builtin_ctz(event->origin->lanes);
    to->active |= UINT32_C(1) << lane;
    to->address[lane] = (uint32_t)access->address;
    to->bytes = (uint32_t)access->bytes;
    to->kind = access->kind == ACCESS_READ ? BANK_LOAD : BANK_STORE;
}

void look_stats_hear(struct look_stats *stats, const struct look_stats_launch *launch, const struct event *event)
{
    const struct access *access = &event->access;
    const struct event_origin *origin = event->origin;
    struct look_kernel *kernel = kernel_of(stats, launch);
    if (event->kind != EVENT_ACCESS || kernel == NULL || access->proxy == PROXY_TENSORMAP) return;
    uint16_t form = origin->line < launch->lines ? launch->form_of_line[origin->line] : 0;
    if (origin->operation == 0 && stats->code != NULL && stats->code->choice != NULL) {
        const struct ptx_choice *choice = stats->code->choice;
        if (form == 0 || ptx_form_row(choice->form)->runs == PTX_RUNS_MEMORY) form = choice->form;
        if (is_parameter(choice)) return;
        bool is_plain = access->space == SPACE_SHARED && access->rank == origin->rank && access->kind != ACCESS_REDUCE;
        if (is_plain && access->proxy == PROXY_GENERIC && ptx_form_row(form)->runs != PTX_RUNS_ASYNC)
            note_lane(&stats->access, event);
    }
    kernel->moved[form].bytes[access->space][access->kind] += access->bytes;
}

void look_stats_after(struct look_stats *stats, struct look_count *count)
{
    struct bank_report report;
    struct warp_access *access = &stats->access;
    stats->code = NULL;
    if (access->active == 0) return;
    if (bank_count(access->kind, access->address, access->active, access->bytes, &report) == RULE_OK) {
        count->accesses++;
        count->wavefronts += (uint64_t)report.wavefronts;
        count->ideal += (uint64_t)report.ideal;
        if ((uint32_t)report.wavefronts > count->worst) count->worst = (uint32_t)report.wavefronts;
    }
    access->active = 0;
}

// --- At the end of a launch ------------------------------------------------------------------------------------------

static void name_of(const struct ptx_choice *choice, char *name, size_t bytes)
{
    const struct ptx_form *form = ptx_form_row(choice->form);
    if (form->runs != PTX_RUNS_MEMORY)
        snprintf(name, bytes, "%s", form->opcode);
    else
        snprintf(name, bytes, "%s.%s", form->opcode,
                 choice->spaces > 0 ? ptx_word_spelling((enum ptx_word)choice->space[0]) : "generic");
}

static void add_mix(struct look_kernel *kernel, const char *name, struct look_count count)
{
    for (uint32_t i = 0; i < kernel->mixes; i++) {
        if (strcmp(kernel->mix[i].name, name) != 0) continue;
        kernel->mix[i].warps += count.warps;
        kernel->mix[i].threads += count.threads;
        return;
    }
    struct look_mix *more = look_grow(kernel->mix, &kernel->mix_room, kernel->mixes + 1, sizeof *more);
    kernel->is_short |= more == NULL;
    if (more == NULL) return;
    kernel->mix = more;
    struct look_mix *mix = &more[kernel->mixes++];
    *mix = (struct look_mix){.warps = count.warps, .threads = count.threads};
    snprintf(mix->name, sizeof mix->name, "%s", name);
}

static struct look_bank *bank_of(struct look_kernel *kernel, const char *place, const char *name)
{
    for (uint32_t i = 0; i < kernel->banks; i++)
        if (strcmp(kernel->bank[i].place, place) == 0 && strcmp(kernel->bank[i].name, name) == 0)
            return &kernel->bank[i];
    struct look_bank *more = look_grow(kernel->bank, &kernel->bank_room, kernel->banks + 1, sizeof *more);
    if (more == NULL) return NULL;
    kernel->bank = more;
    struct look_bank *bank = &more[kernel->banks];
    snprintf(bank->name, sizeof bank->name, "%s", name);
    bank->place = look_string(place, strlen(place));
    if (bank->place == NULL) return NULL;
    kernel->banks++;
    return bank;
}

static void add_bank(struct look_kernel *kernel, const char *place, const char *name, struct look_count count)
{
    struct look_bank *bank = bank_of(kernel, place, name);
    kernel->is_short |= bank == NULL;
    if (bank == NULL) return;
    bank->accesses += count.accesses;
    bank->wavefronts += count.wavefronts;
    bank->ideal += count.ideal;
    if (count.worst > bank->worst) bank->worst = count.worst;
}

static void take_function(struct look_kernel *kernel, const struct look_function *of, struct machine_module *module)
{
    const struct ptx_function *source = of->function->source;
    uint32_t code = 0;
    char name[LOOK_NAME_BYTES], place[512];
    for (uint32_t i = 0; i < source->instructions; i++) {
        const struct machine_code *main = NULL;
        struct look_count count = look_instruction_count(of, i, &code, &main);
        if (count.warps == 0 || main->choice == NULL) continue;
        name_of(main->choice, name, sizeof name);
        add_mix(kernel, name, count);
        kernel->warps += count.warps;
        kernel->threads += count.threads;
        if (count.accesses == 0) continue;
        look_place(module, source, &source->instruction[i], place, sizeof place);
        add_bank(kernel, place, name, count);
    }
}

void look_stats_take(struct look_stats *stats, struct look_stats_launch *launch, const struct look_tally *tally,
                     struct machine_module *module)
{
    struct look_kernel *kernel = kernel_of(stats, launch);
    free(launch->form_of_line);
    *launch = (struct look_stats_launch){0};
    if (kernel == NULL) return;
    kernel->launches++;
    kernel->is_short |= tally->is_short;
    for (uint32_t i = 0; i < tally->count; i++) take_function(kernel, &tally->item[i], module);
}

void look_stats_close(struct look_stats *stats)
{
    for (uint32_t i = 0; i < stats->kernels; i++) {
        struct look_kernel *kernel = &stats->kernel[i];
        look_stats_print(kernel, stats->is_json, stderr);
        stats->is_short |= kernel->is_short;
        for (uint32_t b = 0; b < kernel->banks; b++) free(kernel->bank[b].place);
        free(kernel->bank);
        free(kernel->mix);
        free(kernel->moved);
        free(kernel->name);
    }
    if (stats->is_short) fprintf(stderr, "tmaref: there was no memory for all of the statistics\n");
    free(stats->kernel);
    free(stats);
}
