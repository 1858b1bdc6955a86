// SPDX-License-Identifier: MIT
// From the machine's looker to the parts that were asked for.
#include "look.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "look_apart.h"
#include "look_trace.h"
#include "module.h"
#include "parts.h"
#include "sanitize_lint.h"
#include "sanitize_works.h"
#include "stop.h"
#include "suppress.h"
#include "sync_log.h"
#include "told_before.h"
#include "why.h"
#include "why_host.h"

// under_way: the launches that are; is_closed: nothing is told any more, and only they are left.
struct look {
    struct look_count lost; // counts that there is no memory for
    struct look_stop *stop;
    struct look_stats *stats;
    struct look_trace *trace;
    struct sync_log *sync;
    struct look_coverage *coverage;
    struct look_launch *under_way;
    struct look_sanitize_kept *kept; // of the launch that ended last
    struct suppressions *suppressions;
    struct told_before *before;
    struct sanitize_works *works; // of streams; NULL: nobody submits any
    struct sanitize_lint *lint;   // NULL: not asked for
    struct look_why *why;         // the same
    int is_closed;
    bool is_short;
    struct look_options options;
};

struct look_launch {
    struct look *look;
    struct look_launch *next;
    struct machine_looker looker;
    struct observer observer;
    struct look_ran ran;
    struct look_stats_launch stats;
    struct look_trace_launch *trace;
    struct sync_log_launch *sync;
    struct look_sanitize *sanitize; // of --check too
    struct look_apart *apart;       // several threads run it; NULL: one does
    struct look_why_launch *why;
    int (*child)(void *context, const struct machine_child *child); // who takes what the kernel asks for
    void *child_context;
    uint64_t number;
    int kernel; // its number in the module
};

// --- What the machine tells ------------------------------------------------------------------------------------------

static void before(void *context, const struct machine_step *step)
{
    struct look_launch *launch = context;
    struct look *look = launch->look;
    if (look->is_closed) return;
    const bool is_break = look->stop != NULL && look_stop_before(look->stop, &launch->ran, step);
    if (look->stats != NULL) look_stats_before(look->stats, step);
    if (launch->trace != NULL) look_trace_before(launch->trace, step);
    if (launch->sync != NULL) sync_log_before(launch->sync, step);
    if (launch->sanitize != NULL) look_sanitize_before(launch->sanitize, step);
    if (launch->why != NULL) look_why_before(launch->why, step);
    if (launch->why != NULL && is_break) look_why_break(launch->why);
}

static void after(void *context, const struct machine_step *step, enum machine_next next)
{
    struct look_launch *launch = context;
    struct look *look = launch->look;
    if (launch->why != NULL && !look->is_closed) look_why_after(launch->why);
    if (next == MACHINE_WAIT || look->is_closed) return;
    struct look_count *count = look_tally_step(&launch->ran.tally, step);
    if (look->stats != NULL) look_stats_after(look->stats, count != NULL ? count : &look->lost);
}

static void flight(void *context, const struct machine_flight *flight, int begins)
{
    struct look_launch *launch = context;
    struct look *look = launch->look;
    if (look->is_closed) return;
    if (look->stats != NULL && begins) look_stats_issue(look->stats, &launch->stats, machine_flight_line(flight));
    if (launch->trace != NULL) look_trace_flight(launch->trace, flight, begins);
    if (launch->sync != NULL) sync_log_flight(launch->sync, flight, begins);
    if (launch->sanitize != NULL) (begins ? look_sanitize_issue : look_sanitize_done)(launch->sanitize, flight);
    if (launch->why != NULL) look_why_flight(launch->why, flight, begins);
}

static void hear(void *context, const struct event *event)
{
    struct look_launch *launch = context;
    struct look *look = launch->look;
    if (look->is_closed) return;
    if (look->stats != NULL) look_stats_hear(look->stats, &launch->stats, event);
    if (launch->trace != NULL) look_trace_hear(launch->trace, event);
    if (launch->sync != NULL) sync_log_hear(launch->sync, event);
    if (launch->sanitize != NULL) look_sanitize_hear(launch->sanitize, event);
    if (launch->why != NULL) look_why_hear(launch->why, event);
}

static int child(void *context, const struct machine_child *asked)
{
    struct look_launch *launch = context;
    look_sanitize_launches(launch->sanitize);
    return launch->child(launch->child_context, asked);
}

static void ended(void *context, const struct machine_strand *strand, const struct machine_code *code, uint32_t lane)
{
    struct look_launch *launch = context;
    const struct look *look = launch->look;
    if (look->is_closed || look->stop == NULL) return;
    look_stop_ended(look->stop, &launch->ran, strand, code, lane);
}

// --- Launches --------------------------------------------------------------------------------------------------------

static bool is_stop(const struct look_options *options)
{
    return options->break_at[0] != '\0' || options->dump[0] != '\0';
}

static bool is_why(const struct look_options *options)
{
    return options->why != NULL && options->why[0] != '\0';
}

static bool is_sync(const struct look_options *options)
{
    return options->write_sync != NULL && options->write_sync[0] != '\0';
}

static bool is_asked(const struct look_options *options)
{
    return is_stop(options) || options->stats || options->check || options->sanitize || options->trace[0] != '\0' ||
           options->coverage[0] != '\0' || is_why(options) || is_sync(options);
}

static bool open_parts(struct look *look, const struct look_options *options, char *why, size_t why_bytes)
{
    snprintf(why, why_bytes, "not enough memory for what exec was asked to report");
    look->options = *options; // its texts are the environment's, or the caller's as long
    if (options->coverage[0] != '\0' && (look->coverage = look_coverage_open(options->coverage, options->run)) == NULL)
        return false;
    if (options->stats && (look->stats = look_stats_open(options->lines.is_json)) == NULL) return false;
    if (options->trace[0] != '\0' && (look->trace = look_trace_open(options->trace, options->run)) == NULL) {
        snprintf(why, why_bytes, "TMAREF_TRACE: cannot write %s: %s", options->trace, look_file_error());
        return false;
    }
    if (is_sync(options) && (look->sync = sync_log_open(options->write_sync, options->run)) == NULL) {
        snprintf(why, why_bytes, "TMAREF_WRITE_SYNC: cannot write %s: %s", options->write_sync, look_file_error());
        return false;
    }
    if (is_stop(options) && (look->stop = look_stop_open(options)) == NULL) return false;
    if (options->lint_sync && (look->lint = sanitize_lint_open(&look->options.lines)) == NULL) return false;
    if (is_why(options) && (look->why = look_why_open(options)) == NULL) return false;
    if (options->suppressions != NULL && options->suppressions[0] != '\0' &&
        (look->suppressions = suppressions_open(options->suppressions, why, why_bytes)) == NULL)
        return false;
    // Where the host has 2 MiB as one page, who touched it says nothing of what is beside it.
    if (options->sanitize) prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
    if ((options->sanitize || options->check) && (look->before = told_before_open()) == NULL) return false;
    why[0] = '\0';
    return true;
}

bool look_suppressions_check(const char *path, char *why, size_t why_bytes)
{
    struct suppressions *read = suppressions_open(path, why, why_bytes);
    suppressions_close(read);
    return read != NULL;
}

static bool check(const struct look_options *options, char *why, size_t why_bytes)
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
    if (is_why(options) && !look_why_check(options->why)) wrong = options->why;
    if (wrong != NULL) snprintf(why, why_bytes, "'%.80s' is not a place, a thread or a list of what to show", wrong);
    return wrong == NULL;
}

struct look *look_open(const struct look_options *options, char *why, size_t why_bytes)
{
    if (why_bytes > 0) why[0] = '\0';
    if (!is_asked(options) || !check(options, why, why_bytes)) return NULL;
    struct look *look = calloc(1, sizeof *look);
    if (look != NULL && open_parts(look, options, why, why_bytes)) return look;
    if (look == NULL) snprintf(why, why_bytes, "not enough memory for what exec was asked to report");
    if (look != NULL && look->coverage != NULL) look_coverage_drop(look->coverage);
    if (look != NULL && look->stats != NULL) look_stats_close(look->stats);
    if (look != NULL && look->trace != NULL) look_trace_close(look->trace, why, 0);
    if (look != NULL && look->sync != NULL) sync_log_close(look->sync, why, 0);
    if (look != NULL) sanitize_lint_close(look->lint);
    free(look);
    return NULL;
}

struct look_launch *look_begin(struct look *look, struct machine_launch *machine_launch, const char *kernel)
{
    if (look == NULL) return NULL;
    struct look_launch *launch = calloc(1, sizeof *launch);
    look->is_short |= launch == NULL;
    if (launch == NULL) return NULL;
    *launch = (struct look_launch){.look = look,
                                   .next = look->under_way,
                                   .looker = {launch, false, before, after, flight, NULL, NULL, ended},
                                   .observer = {launch, hear},
                                   .ran = {.kernel = kernel, .module = machine_launch->module},
                                   .number = machine_launch->number,
                                   .kernel = machine_launch->kernel};
    look->under_way = launch;
    machine_launch->looker = &launch->looker;
    if (look->trace != NULL) launch->trace = look_trace_begin(look->trace, kernel, launch->ran.module);
    if (look->sync != NULL) launch->sync = sync_log_begin(look->sync, kernel, launch->number);
    if (look->stats != NULL) look_stats_begin(look->stats, &launch->stats, kernel);
    if ((look->options.sanitize || look->options.check) &&
        (launch->sanitize = look_sanitize_open(kernel, machine_launch, &look->options, look->kept)) == NULL)
        look->is_short = true;
    look->kept = NULL;
    if (look->why != NULL) launch->why = look_why_begin(look->why, machine_launch, kernel);
    if (launch->sanitize != NULL) look_sanitize_suppress(launch->sanitize, look->suppressions, look->before);
    if (look->options.sanitize && launch->sanitize != NULL && machine_launch->child != NULL) {
        launch->child = machine_launch->child;
        launch->child_context = machine_launch->child_context;
        machine_launch->child = child;
        machine_launch->child_context = launch;
    }
    if (look->stats != NULL || launch->trace != NULL || launch->sanitize != NULL || launch->why != NULL ||
        launch->sync != NULL)
        machine_launch->observer = &launch->observer;
    launch->looker.skips_plain = launch->sanitize != NULL && look->stop == NULL && look->stats == NULL &&
                                 look->trace == NULL && look->coverage == NULL && look->why == NULL &&
                                 look_sanitize_skips_plain(launch->sanitize);
    machine_launch->hears_ranges = look->stats == NULL && launch->trace == NULL && launch->why == NULL;
    return launch;
}

void look_remedies(struct look_launch *launch, const struct remedy_trier *trier)
{
    if (launch != NULL && launch->sanitize != NULL) look_sanitize_remedies(launch->sanitize, trier, launch->look->lint);
}

void look_try(struct look_launch *launch, const struct remedy_aim *aim, struct remedy_result *result)
{
    if (launch != NULL && launch->sanitize != NULL) look_sanitize_try(launch->sanitize, aim, result);
}

void look_apart(struct look_launch *launch, struct machine_launch *machine_launch)
{
    if (launch == NULL || launch->sanitize == NULL) return;
    const struct look *look = launch->look;
    if (look->stop != NULL || look->stats != NULL || look->trace != NULL || look->sync != NULL ||
        look->coverage != NULL || look->why != NULL)
        return;
    launch->apart = look_apart_open(launch->sanitize, machine_launch, &look->options, &look->is_closed);
    if (launch->apart != NULL) machine_launch->views = look_apart_views(launch->apart);
}

bool look_apart_is_over(struct look_launch *launch, bool is_over, struct machine_outcome *outcome)
{
    if (launch == NULL || launch->apart == NULL) return true;
    if (look_apart_counts(launch->apart, is_over, outcome, &launch->ran.tally)) return true;
    look_apart_close(launch->apart);
    launch->apart = NULL;
    return false;
}

struct history *look_works_begin(struct look *look, const struct look_works_names *names)
{
    if (look == NULL || !look->options.sanitize) return NULL;
    if (look->works == NULL) look->works = sanitize_works_open(&look->options, names, look->suppressions);
    look->is_short |= look->works == NULL;
    return look->works != NULL ? sanitize_works_history(look->works) : NULL;
}

void look_launch_is(struct look_launch *launch, uint32_t work)
{
    if (launch != NULL && launch->sanitize != NULL) look_sanitize_is(launch->sanitize, launch->look->works, work);
}

static void take(struct look *look, struct look_launch *launch)
{
    struct look_tally *tally = &launch->ran.tally;
    struct machine_module *module = launch->ran.module;
    const struct machine_kernel *kernel = module->kernel[launch->kernel];
    if (kernel != NULL) look_tally_complete(tally, kernel);
    if (look->coverage != NULL) look_coverage_take(look->coverage, tally, module);
    if (look->stats != NULL) look_stats_take(look->stats, &launch->stats, tally, module);
    if (launch->trace != NULL) look_trace_end(launch->trace);
    launch->trace = NULL;
    if (launch->sync != NULL) sync_log_end(launch->sync);
    launch->sync = NULL;
    if (launch->sanitize != NULL) look_sanitize_tell(launch->sanitize, tally, module);
}

static void end_sanitize(struct look *look, struct look_launch *launch)
{
    if (look->is_closed || !look->options.sanitize) {
        look_sanitize_close(launch->sanitize);
        return;
    }
    look_sanitize_drop(look->kept);
    look->kept = look_sanitize_keep(launch->sanitize, &launch->ran.tally, launch->ran.module, launch->number,
                                    look_apart_release(launch->apart));
}

void look_end(struct look_launch *launch)
{
    if (launch == NULL) return;
    struct look *look = launch->look;
    struct look_launch **at = &look->under_way;
    while (*at != launch) at = &(*at)->next;
    *at = launch->next;
    if (!look->is_closed) take(look, launch);
    if (launch->sanitize != NULL) end_sanitize(look, launch);
    look_apart_close(launch->apart);
    if (launch->why != NULL) look_why_end(launch->why);
    look_tally_clear(&launch->ran.tally);
    free(launch);
}

bool look_why_is_asked(const struct look *look)
{
    return look != NULL && look->why != NULL;
}

void look_why_allocate(struct look *look, uint64_t address, uint64_t bytes)
{
    if (look_why_is_asked(look)) why_allocate(look->why, address, bytes);
}

void look_why_module(struct look *look, const struct machine_module *module)
{
    if (look_why_is_asked(look)) why_module(look->why, module);
}

void look_why_call(struct look *look, const char *who)
{
    if (look_why_is_asked(look)) why_begin_call(look->why, who);
}

void look_why_write(struct look *look, uint64_t to, uint64_t from, uint64_t bytes)
{
    if (look_why_is_asked(look)) why_write(look->why, to, from, bytes);
}

bool look_is_under_way(const struct look *look)
{
    return look != NULL && look->under_way != NULL;
}

// Launches that are under way are told of as far as they ran.
static void close_why(struct look *look)
{
    for (struct look_launch *launch = look->under_way; launch != NULL; launch = launch->next) {
        if (launch->why != NULL) look_why_end(launch->why);
        launch->why = NULL;
    }
    look_why_close(look->why);
    look->why = NULL;
}

// What launches that are under way point at stays.
int look_close(struct look *look, char *why, size_t why_bytes)
{
    bool is_written = true;
    if (look == NULL) return 1;
    for (struct look_launch *launch = look->under_way; launch != NULL; launch = launch->next) take(look, launch);
    if (look->stop != NULL) look_stop_close(look->stop);
    if (look->why != NULL) close_why(look);
    if (look->stats != NULL) look_stats_close(look->stats);
    if (look->trace != NULL) is_written = look_trace_close(look->trace, why, why_bytes);
    if (look->sync != NULL) is_written &= sync_log_close(look->sync, why, why_bytes);
    if (look->coverage != NULL) is_written &= look_coverage_close(look->coverage, why, why_bytes);
    if (look->is_short) fprintf(stderr, "tmaref: there was not enough memory to look at all launches\n");
    look_sanitize_drop(look->kept);
    look->kept = NULL;
    look->is_closed = 1;
    sanitize_works_close(look->works);
    look->works = NULL;
    sanitize_lint_close(look->lint);
    look->lint = NULL;
    if (look->under_way == NULL) suppressions_close(look->suppressions);
    if (look->under_way == NULL) told_before_close(look->before);
    if (look->under_way == NULL) free(look);
    return is_written;
}
