// SPDX-License-Identifier: MIT
// From the machine's looker to the parts that were asked for.
#include "look.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "look_trace.h"
#include "module.h"
#include "parts.h"
#include "stop.h"

struct look {
    struct machine_looker looker;
    struct observer observer;
    struct look_count lost; // counts that there is no memory for
    struct look_tally tally;
    struct look_stop *stop;
    struct look_stats *stats;
    struct look_trace *trace;
    struct look_coverage *coverage;
    struct machine_module *module; // of the launch under way, and the number of its kernel
    int kernel;
};

// --- What the machine tells ------------------------------------------------------------------------------------------

static void before(void *context, const struct machine_step *step)
{
    struct look *look = context;
    if (look->stop != NULL) look_stop_before(look->stop, &look->tally, step);
    if (look->stats != NULL) look_stats_before(look->stats, step);
    if (look->trace != NULL) look_trace_before(look->trace, step);
}

static void after(void *context, const struct machine_step *step, enum machine_next next)
{
    struct look *look = context;
    if (next == MACHINE_WAIT) return;
    struct look_count *count = look_tally_step(&look->tally, step);
    if (look->stats != NULL) look_stats_after(look->stats, count != NULL ? count : &look->lost);
}

static void flight(void *context, const struct machine_flight *flight, int begins)
{
    struct look *look = context;
    if (look->stats != NULL && begins) look_stats_issue(look->stats, machine_flight_line(flight));
    if (look->trace != NULL) look_trace_flight(look->trace, flight, begins);
}

static void hear(void *context, const struct event *event)
{
    struct look *look = context;
    if (look->stats != NULL) look_stats_hear(look->stats, event);
    if (look->trace != NULL) look_trace_hear(look->trace, event);
}

static void ended(void *context, const struct machine_strand *strand, const struct machine_code *code, uint32_t lane)
{
    struct look *look = context;
    if (look->stop != NULL) look_stop_ended(look->stop, &look->tally, strand, code, lane);
}

// --- Launches --------------------------------------------------------------------------------------------------------

static int is_stop(const struct look_options *options)
{
    return options->break_at[0] != '\0' || options->dump[0] != '\0';
}

static int is_asked(const struct look_options *options)
{
    return is_stop(options) || options->stats || options->trace[0] != '\0' || options->coverage[0] != '\0';
}

static int open_parts(struct look *look, const struct look_options *options, char *why, size_t why_bytes)
{
    snprintf(why, why_bytes, "not enough memory for what exec was asked to report");
    if (options->coverage[0] != '\0' && (look->coverage = look_coverage_open(options->coverage, options->run)) == NULL)
        return 0;
    if (options->stats && (look->stats = look_stats_open(options->is_json)) == NULL) return 0;
    if (options->trace[0] != '\0' && (look->trace = look_trace_open(options->trace, options->run)) == NULL) {
        snprintf(why, why_bytes, "TMAREF_TRACE: cannot write %s: %s", options->trace, look_file_error());
        return 0;
    }
    if (is_stop(options) && (look->stop = look_stop_open(options)) == NULL) return 0;
    why[0] = '\0';
    return 1;
}

static int check(const struct look_options *options, char *why, size_t why_bytes)
{
    struct look_triple triple;
    unsigned what;
    size_t length;
    uint32_t line;
    const char *wrong = NULL;
    if (options->break_at[0] != '\0' && !look_break_read(options->break_at, &length, &line)) wrong = options->break_at;
    if (options->cta[0] != '\0' && !look_triple_read(options->cta, &triple)) wrong = options->cta;
    if (options->thread[0] != '\0' && !look_triple_read(options->thread, &triple)) wrong = options->thread;
    if (options->dump[0] != '\0' && !look_what_read(options->dump, &what)) wrong = options->dump;
    if (wrong != NULL) snprintf(why, why_bytes, "'%.80s' is no place, thread or list of what to show", wrong);
    return wrong == NULL;
}

struct look *look_open(const struct look_options *options, char *why, size_t why_bytes)
{
    if (why_bytes > 0) why[0] = '\0';
    if (!is_asked(options) || !check(options, why, why_bytes)) return NULL;
    struct look *look = calloc(1, sizeof *look);
    if (look != NULL) look->looker = (struct machine_looker){look, before, after, flight, ended};
    if (look != NULL) look->observer = (struct observer){look, hear};
    if (look != NULL && open_parts(look, options, why, why_bytes)) return look;
    if (look == NULL) snprintf(why, why_bytes, "not enough memory for what exec was asked to report");
    if (look != NULL && look->coverage != NULL) look_coverage_drop(look->coverage);
    if (look != NULL && look->stats != NULL) look_stats_close(look->stats);
    if (look != NULL && look->trace != NULL) look_trace_close(look->trace, why, 0);
    free(look);
    return NULL;
}

void look_begin(struct look *look, struct machine_launch *launch, const char *kernel)
{
    if (look == NULL) return;
    look->module = launch->module;
    look->kernel = launch->kernel;
    launch->looker = &look->looker;
    if (look->stop != NULL) look_stop_begin(look->stop, kernel, launch->module);
    if (look->trace != NULL) look_trace_begin(look->trace, kernel, launch->module);
    if (look->stats != NULL) look_stats_begin(look->stats, kernel);
    if (look->stats != NULL || look->trace != NULL) launch->observer = &look->observer;
}

void look_end(struct look *look)
{
    if (look == NULL) return;
    const struct machine_kernel *kernel = look->module->kernel[look->kernel];
    if (kernel != NULL) look_tally_complete(&look->tally, kernel);
    if (look->coverage != NULL) look_coverage_take(look->coverage, &look->tally, look->module);
    if (look->stats != NULL) look_stats_take(look->stats, &look->tally, look->module);
    if (look->trace != NULL) look_trace_end(look->trace);
    look_tally_clear(&look->tally);
}

int look_close(struct look *look, char *why, size_t why_bytes)
{
    int is_written = 1;
    if (look == NULL) return 1;
    if (look->stop != NULL) look_stop_close(look->stop);
    if (look->stats != NULL) look_stats_close(look->stats);
    if (look->trace != NULL) is_written = look_trace_close(look->trace, why, why_bytes);
    if (look->coverage != NULL) is_written &= look_coverage_close(look->coverage, why, why_bytes);
    look_tally_clear(&look->tally);
    free(look);
    return is_written;
}
