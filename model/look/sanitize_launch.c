// SPDX-License-Identifier: MIT
// The sanitizer of one launch: how it begins, what is told at its end, and what a programmatic launch behind it keeps.
#include <stdlib.h>
#include <string.h>

#include "apart.h"
#include "check_found.h"
#include "module.h"
#include "report.h"
#include "sanitize_works.h"

static void set_found(struct sanitize_found *found, const char *kernel, const struct machine_launch *launch,
                      const struct look_options *options)
{
    found->kernel = kernel;
    found->lines = options->lines;
    found->notes = options->notes;
    memcpy(found->grid, launch->grid, sizeof found->grid);
    memcpy(found->block, launch->block, sizeof found->block);
}

static int is_untouched(void *context, uint64_t address)
{
    const struct look_sanitize *sanitize = context;
    const struct machine_launch *launch = sanitize->cluster->machine->launch;
    return launch->untouched != NULL && launch->untouched(launch->describe_context, address, 1) != 0;
}

static bool open_others(struct look_sanitize *sanitize)
{
    sanitize->registers = sanitize_registers_open();
    sanitize->lanes = sanitize_lanes_open();
    sanitize->layouts = sanitize_layouts_open(sanitize, sanitize_take_layout);
    return sanitize->registers != NULL && sanitize->lanes != NULL && sanitize->layouts != NULL;
}

struct look_sanitize *look_sanitize_open(const char *kernel, const struct machine_launch *launch,
                                         const struct look_options *options, struct look_sanitize_kept *kept)
{
    const uint32_t threads = launch->block[0] * launch->block[1] * launch->block[2];
    struct look_sanitize *sanitize = calloc(1, sizeof *sanitize);
    if (sanitize != NULL) {
        sanitize->is_quick = !options->sanitize;
        sanitize->order = clock_order_open((threads + MACHINE_LANES - 1) / MACHINE_LANES, sanitize, sanitize_take);
    }
    if (sanitize == NULL || sanitize->order == NULL || (options->sanitize && !open_others(sanitize))) {
        look_sanitize_drop(kept);
        if (sanitize != NULL) look_sanitize_close(sanitize);
        return NULL;
    }
    sanitize->order->is_untouched = is_untouched;
    sanitize->needs = sanitize_needs_of(launch->module->kernel[launch->kernel]);
    sanitize_ran_open(&sanitize->ran);
    sanitize->ghost = (struct observer){sanitize, sanitize_hear_ghost};
    set_found(&sanitize->found, kernel, launch, options);
    if (kept == NULL || launch->follows != kept->number) {
        look_sanitize_drop(kept);
        return sanitize;
    }
    sanitize->before = kept;
    if (kept->apart != NULL) order_apart_give(kept->apart, kept->order);
    sanitize->found.front = &kept->front;
    clock_order_follow(sanitize->order, kept->order);
    kept->order = NULL;
    return sanitize;
}

bool look_sanitize_skips_plain(const struct look_sanitize *sanitize)
{
    return !sanitize->needs.plain;
}

// Why the launch was not seen whole; NULL if it was.
static const char *incomplete(struct look_sanitize *sanitize)
{
    static const char sentence[] = "this ran, and is not followed: ";
    const size_t length = sizeof sentence - 1;
    if (sanitize->order->is_short) return "there was not enough memory to see all of it";
    if (sanitize->is_cut || !clock_order_is_over(sanitize->order)) return "the kernel did not run to its end";
    if (sanitize->order->global.is_full) return "it accessed more global memory than can be followed (128 MiB)";
    memcpy(sanitize->incomplete, sentence, length);
    if (sanitize_ran_unknown(&sanitize->ran, sanitize->incomplete + length, sizeof sanitize->incomplete - length))
        return sanitize->incomplete;
    return NULL;
}

// Does the page have parameters in it? They lie elsewhere each time.
static bool is_of_parameters(const struct look_sanitize *sanitize, uint64_t address)
{
    return address + SHADOW_PAGE_BYTES > sanitize->parameters &&
           address < sanitize->parameters + sanitize->parameter_bytes;
}

// Of what is in the global memory that the launch accessed, but for parameters.
static uint64_t digest(const struct look_sanitize *sanitize)
{
    const struct order_global *global = &sanitize->order->global;
    uint8_t bytes[SHADOW_PAGE_BYTES];
    uint64_t sum = 0;
    for (int i = 0; global->page != NULL && i < ORDER_GLOBAL_HASH; i++)
        for (const struct shadow_page *page = global->page[i]; page != NULL; page = page->next) {
            const uint64_t address = page->number * SHADOW_PAGE_BYTES;
            uint64_t hash = page->number;
            const uint64_t usable = global_usable_bytes(sanitize->global, address, sizeof bytes, MEMORY_READS);
            if (usable == 0 || is_of_parameters(sanitize, address)) continue;
            global_read(sanitize->global, address, bytes, usable);
            for (size_t at = 0; at < usable; at++) hash = (hash ^ bytes[at]) * UINT64_C(0x100000001b3);
            sum += hash;
        }
    return sum;
}

void look_sanitize_tell(struct look_sanitize *sanitize, const struct look_tally *tally,
                        const struct machine_module *module)
{
    if (sanitize->is_quick) {
        check_found_tell(&sanitize->found, tally, module);
        if (sanitize->order->is_short)
            fprintf(stderr, "tmaref: check: there was not enough memory to check all CTAs\n");
        return;
    }
    if (sanitize->global != NULL) sanitize_values_end(&sanitize->values, sanitize->global, &sanitize->found);
    sanitize_guess_forgive(&sanitize->guesses, &sanitize->found);
    if (sanitize->found.result != NULL && sanitize->global != NULL) sanitize->found.result->digest = digest(sanitize);
    sanitize->found.works = sanitize_works_launch(sanitize->works, sanitize->work, sanitize, tally, module);
    sanitize_found_tell(&sanitize->found, tally, module, incomplete(sanitize));
}

void look_sanitize_suppress(struct look_sanitize *sanitize, const struct suppressions *suppressions,
                            struct told_before *before)
{
    sanitize->found.suppressions = suppressions;
    sanitize->found.before = before;
}

void look_sanitize_is(struct look_sanitize *sanitize, struct sanitize_works *works, uint32_t work)
{
    sanitize->works = works;
    sanitize->work = work;
}

void look_sanitize_remedies(struct look_sanitize *sanitize, const struct remedy_trier *trier,
                            struct sanitize_lint *lint)
{
    sanitize->found.trier = trier;
    sanitize->found.lint = lint;
}

void look_sanitize_try(struct look_sanitize *sanitize, const struct remedy_aim *aim, struct remedy_result *result)
{
    sanitize->found.aim = aim;
    sanitize->found.result = result;
}

void look_sanitize_drop(struct look_sanitize_kept *kept)
{
    while (kept != NULL) {
        struct look_sanitize_kept *before = kept->before;
        clock_order_close(kept->order);
        order_apart_close(kept->apart);
        free(kept->front.tally.item);
        free(kept);
        kept = before;
    }
}

void look_sanitize_close(struct look_sanitize *sanitize)
{
    if (sanitize->order != NULL) clock_order_close(sanitize->order);
    if (sanitize->registers != NULL) sanitize_registers_close(sanitize->registers);
    if (sanitize->lanes != NULL) sanitize_lanes_close(sanitize->lanes);
    if (sanitize->layouts != NULL) sanitize_layouts_close(sanitize->layouts);
    look_sanitize_drop(sanitize->before);
    free(sanitize);
}

void sanitize_keep_functions(struct look_tally *to, const struct look_tally *tally)
{
    to->item = calloc(tally->count, sizeof *to->item);
    if (to->item == NULL) return;
    to->count = tally->count;
    for (uint32_t i = 0; i < tally->count; i++) to->item[i].function = tally->item[i].function;
}

struct look_sanitize_kept *look_sanitize_keep(struct look_sanitize *sanitize, const struct look_tally *tally,
                                              const struct machine_module *module, uint64_t number,
                                              struct order_apart *apart)
{
    struct look_sanitize_kept *kept = calloc(1, sizeof *kept);
    if (kept == NULL || !clock_order_is_over(sanitize->order)) {
        look_sanitize_close(sanitize);
        order_apart_close(apart);
        free(kept);
        return NULL;
    }
    clock_order_end(sanitize->order);
    *kept = (struct look_sanitize_kept){.number = number, .order = sanitize->order, .front.module = module};
    kept->apart = apart;
    if (sanitize->order->before != NULL) {
        kept->before = sanitize->before;
        kept->front.next = &kept->before->front;
    } else {
        look_sanitize_drop(sanitize->before);
    }
    snprintf(kept->front.kernel, sizeof kept->front.kernel, "%s", sanitize->found.kernel);
    memcpy(kept->front.grid, sanitize->found.grid, sizeof kept->front.grid);
    memcpy(kept->front.block, sanitize->found.block, sizeof kept->front.block);
    sanitize_keep_functions(&kept->front.tally, tally);
    sanitize_registers_close(sanitize->registers);
    sanitize_lanes_close(sanitize->lanes);
    sanitize_layouts_close(sanitize->layouts);
    free(sanitize);
    return kept;
}
