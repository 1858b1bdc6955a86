// SPDX-License-Identifier: MIT
// From the machine's looker to the parts that were asked for.
#include "look.h"

#include <stdio.h>
#include <stdlib.h>

#include "module.h"
#include "parts.h"

struct look {
    struct machine_looker looker;
    struct look_tally tally;
    struct look_coverage *coverage;
    struct machine_module *module; // of the launch under way, and the number of its kernel
    int kernel;
};

// --- What the machine tells ------------------------------------------------------------------------------------------

static void before(void *context, const struct machine_step *step)
{
    (void)context;
    (void)step;
}

static void after(void *context, const struct machine_step *step, enum machine_next next)
{
    struct look *look = context;
    if (next != MACHINE_WAIT) look_tally_step(&look->tally, step);
}

static void flight(void *context, const struct machine_flight *flight, int begins)
{
    (void)context;
    (void)flight;
    (void)begins;
}

static void ended(void *context, const struct machine_strand *strand, const struct machine_code *code, uint32_t lane)
{
    (void)context;
    (void)strand;
    (void)code;
    (void)lane;
}

// --- Launches --------------------------------------------------------------------------------------------------------

static int is_asked(const struct look_options *options)
{
    return options->coverage[0] != '\0';
}

static int open_parts(struct look *look, const struct look_options *options)
{
    if (options->coverage[0] != '\0' && (look->coverage = look_coverage_open(options->coverage)) == NULL) return 0;
    return 1;
}

struct look *look_open(const struct look_options *options, char *why, size_t why_bytes)
{
    if (why_bytes > 0) why[0] = '\0';
    if (!is_asked(options)) return NULL;
    struct look *look = calloc(1, sizeof *look);
    if (look != NULL) look->looker = (struct machine_looker){look, before, after, flight, ended};
    if (look != NULL && open_parts(look, options)) return look;
    free(look);
    snprintf(why, why_bytes, "there is no memory for what exec was asked to tell");
    return NULL;
}

void look_begin(struct look *look, struct machine_launch *launch, const char *kernel)
{
    (void)kernel;
    if (look == NULL) return;
    look->module = launch->module;
    look->kernel = launch->kernel;
    launch->looker = &look->looker;
}

void look_end(struct look *look, const struct machine_outcome *outcome)
{
    (void)outcome;
    if (look == NULL) return;
    const struct machine_kernel *kernel = look->module->kernel[look->kernel];
    if (kernel != NULL) look_tally_complete(&look->tally, kernel);
    if (look->coverage != NULL) look_coverage_take(look->coverage, &look->tally, look->module);
    look_tally_clear(&look->tally);
}

int look_close(struct look *look, char *why, size_t why_bytes)
{
    int is_written = 1;
    if (look == NULL) return 1;
    if (look->coverage != NULL) is_written = look_coverage_close(look->coverage, why, why_bytes);
    look_tally_clear(&look->tally);
    free(look);
    return is_written;
}
