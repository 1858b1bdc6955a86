// SPDX-License-Identifier: MIT
// A kernel that runs, in parts where it waits, and what kernels ask for behind it.
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "children.h"
#include "cuda_array.h"
#include "graph_condition.h"
#include "lateness.h"
#include "logs.h"
#include "look.h"
#include "note.h"
#include "plain.h"
#include "runtime_error.h"
#include "signals.h"
#include "tell_hang.h"
#include "tell_launch.h"
#include "try_again.h"
#include "turns.h"
#include "works.h"

//   launched  the grid that runs: the kernel's, or that of `child`, what a kernel asked for, if is_child; NULL: none
//   regions   of the allocations, that the grid knows
//   written   what it writes, for a programmatic launch behind it; before: what the one in front has written; NULL: none
struct kernel_run {
    struct children children;
    struct work child;
    bool is_child;
    struct machine_launched *launched;
    struct machine_outcome outcome;
    struct hang_told hang; // the report of one that hangs or was stopped at a limit
    struct machine_launch launch;
    struct look_launch *look;          // who looks at the grid that runs; NULL: nobody
    struct remedy remedy;              // who can do it again
    uint64_t regions, number, follows; // numbers of launches: its own; the one in front that may not have ended
    uint32_t work;                     // of the history, in which the kernel is one
    struct machine_written *written, *before;
};

// --- A grid ----------------------------------------------------------------------------------------------------------

static void print(void *context, const char *text, size_t bytes)
{
    (void)context;
    fwrite(text, 1, bytes, stdout);
}

// What assert() says: on standard error, as on a GPU.
static void print_error(void *context, const char *text, size_t bytes)
{
    (void)context;
    plain_print(stderr, text, bytes);
}

static uint64_t workspace_of(struct driver *driver, struct CUctx_st *context)
{
    enum { WORKSPACE_BYTES = 1024 };
    if (context->grid_workspace == 0)
        context->grid_workspace =
            allocations_make(&driver->allocations, WORKSPACE_BYTES, ALLOCATION_PINNED, 0, context);
    return context->grid_workspace;
}

// The machine keeps more on the stack than a GPU, which has registers: the limit's default is too small for it.
static uint32_t stack_of(const struct CUctx_st *context)
{
    enum { LEAST_BYTES = 1 << 16 };
    const size_t limit = context->limit[LIMIT_STACK_BYTES];
    if (limit < LEAST_BYTES) return LEAST_BYTES;
    return limit < UINT32_MAX ? (uint32_t)limit : UINT32_MAX;
}

static bool is_named(const struct ptx_function *function, const char *name)
{
    return function->name.length == strlen(name) && memcmp(function->name.at, name, function->name.length) == 0;
}

// The heap is opened for the first kernel of a module that speaks of malloc() or free(), or launches kernels: its size
// is fixed from there.
static struct machine_heap *heap_of(struct CUctx_st *context, const struct CUmod_st *module)
{
    const struct ptx_program *program = machine_module_program(module->machine);
    for (uint32_t i = 0; i < program->functions && context->heap == NULL; i++)
        if (is_named(&program->function[i], "malloc") || is_named(&program->function[i], "free") ||
            is_named(&program->function[i], "__cudaCDP2GetParameterBufferV2") ||
            is_named(&program->function[i], "__cudaCDP2Malloc"))
            return context_heap(context);
    return context->heap;
}

// What was allocated or freed since the grid began is the kernel's too, or no longer.
static bool see_regions(struct driver *driver, struct kernel_run *run)
{
    const struct global_memory *global = allocations_regions(&driver->allocations);
    if (run->regions == driver->allocations.regions_made) return true;
    if (!machine_map(run->launched, global)) return false;
    run->regions = driver->allocations.regions_made;
    return true;
}

// The one thread that runs the grid lets others in, who may allocate. Without memory for that it sees what it saw.
static void let_others(void *context)
{
    struct kernel_run *run = context;
    turns_let(run->children.driver);
    see_regions(run->children.driver, run);
}

// Who looks takes what it saw before the grid goes.
static void close_grid(struct kernel_run *run)
{
    look_end(run->look);
    remedy_close(&run->remedy);
    machine_close(run->launched);
    run->look = NULL;
    run->launched = NULL;
}

static size_t describe(void *context, uint64_t address, char *text, size_t bytes)
{
    return allocations_describe(&((struct driver *)context)->allocations, address, text, bytes);
}

static uint32_t untouched(void *context, uint64_t address, uint32_t pages)
{
    return allocations_untouched(&((struct driver *)context)->allocations, address, pages);
}

static void untouch(void *context, uint64_t address)
{
    allocations_untouch(&((struct driver *)context)->allocations, address);
}

static void hear_hang(void *context, const struct machine_hang *hang)
{
    struct kernel_run *run = context;
    hang_told_free(&run->hang);
    hang_report(run->children.driver, hang, &run->hang);
}

// Without --threads, all processors that this process may use run a kernel whose results the order of clusters cannot
// change.
static struct machine_schedule schedule_of(const struct driver_options *options)
{
    cpu_set_t usable;
    uint32_t threads = (uint32_t)options->threads;
    if (threads == 0) threads = sched_getaffinity(0, sizeof usable, &usable) == 0 ? (uint32_t)CPU_COUNT(&usable) : 1;
    return (struct machine_schedule){(enum machine_policy)options->schedule, options->seed, threads};
}

// --- Programmatic launches -------------------------------------------------------------------------------------------

void kernel_forget_primary(struct driver *driver)
{
    machine_written_close(driver->last_launch.written);
    driver->last_launch.written = NULL;
    driver->last_launch.number = 0;
}

static bool is_behind_primary(const struct driver *driver, const struct work_kernel *kernel)
{
    return kernel->is_programmatic && driver->last_launch.number != 0 && driver->last_launch.stream == kernel->stream;
}

// Under LATE and SHUFFLED a programmatic launch runs as if that in front of it had not ended (machine.md).
static void link_to_primary(struct driver *driver, const struct work_kernel *kernel, struct kernel_run *run)
{
    const struct machine_schedule schedule = schedule_of(&driver->options);
    const bool is_weak = machine_schedule_is_weak(&schedule, lateness_delays(driver));
    run->follows = 0;
    if (!run->is_child && is_behind_primary(driver, kernel)) {
        run->follows = driver->last_launch.number;
        if (driver->last_launch.regions == driver->allocations.regions_made) {
            run->before = driver->last_launch.written;
            driver->last_launch.written = NULL;
        }
    }
    kernel_forget_primary(driver);
    driver->has_programmatic |= kernel->is_programmatic;
    const bool may_be_primary = driver->has_programmatic || machine_module_depends(kernel->function->module->machine);
    if (is_weak && !run->is_child && may_be_primary) run->written = machine_written_open();
}

static void end_primary(struct driver *driver, const struct work_kernel *kernel, struct kernel_run *run)
{
    machine_written_close(run->before);
    run->before = NULL;
    kernel_forget_primary(driver);
    struct machine_written *written = run->written;
    if (written != NULL && !machine_written_is_known(written)) {
        machine_written_close(written);
        written = NULL;
    }
    if (run->outcome.kind == MACHINE_DONE && !run->is_child)
        driver->last_launch =
            (struct driver_primary){run->number, kernel->stream, written, driver->allocations.regions_made};
    else
        machine_written_close(written);
    run->written = NULL;
}

// Who looks at the launch is known.
static bool start(struct driver *driver, struct kernel_run *run)
{
    if (!run->is_child && !driver->has_programmatic && allocations_are_own(&driver->allocations))
        look_apart(run->look, &run->launch);
    if (run->launch.views == NULL && (run->look != NULL || driver->options.threads <= 1))
        run->launch.meanwhile = let_others; // one thread runs it
    run->launched = machine_begin(&run->launch, &run->outcome);
    if (run->launched == NULL)
        close_grid(run);
    else if (!driver->has_run++)
        note_add(driver->options.notes, NOTE_RAN);
    return run->launched != NULL;
}

static bool begin(struct driver *driver, const struct work_kernel *kernel, struct kernel_run *run)
{
    struct CUctx_st *context = driver_context();
    driver_options_schedule(&driver->options);
    const uint64_t workspace = kernel->is_cooperative ? workspace_of(driver, context) : 0;
    link_to_primary(driver, kernel, run);
    run->number = ++driver->launches;
    struct machine_launch launch = {
        .module = kernel->function->module->machine,
        .kernel = kernel->function->kernel,
        .dynamic_shared_bytes = kernel->shared_bytes,
        .stack_bytes = stack_of(context),
        .parameters = kernel->parameters,
        .global = allocations_regions(&driver->allocations),
        .number = run->number,
        .schedule = schedule_of(&driver->options),
        .only_alike = driver->options.threads == 0,
        .limits = {driver->options.limit_instructions, (double)driver->options.limit_seconds, signals_stop()},
        .print = print,
        .print_error = print_error,
        .grid_workspace = workspace,
        .heap = heap_of(context, kernel->function->module),
        .child = children_ask,
        .child_context = &run->children,
        .error_text = runtime_error_text,
        .may_wait = true,
        .written = run->written,
        .before = run->before,
        .follows = run->follows,
        .delays = lateness_delays(driver),
        .depth = (uint32_t)driver->options.depth,
        .steps = driver->options.steps,
        .delayed = lateness_tell(driver),
        .delayed_context = driver,
        .meanwhile_context = run,
        .set_condition = condition_set,
        .condition_context = driver,
        .texture = texture_find,
        .texture_context = driver,
        .describe = describe,
        .untouched = untouched,
        .untouch = untouch,
        .describe_context = driver,
        .hung = hear_hang,
        .hung_context = run};
    memcpy(launch.grid, kernel->grid, sizeof launch.grid);
    memcpy(launch.block, kernel->block, sizeof launch.block);
    memcpy(launch.cluster, kernel->cluster, sizeof launch.cluster);
    run->children.module = kernel->function->module;
    run->regions = driver->allocations.regions_made;
    remedy_open(&run->remedy, driver, &launch, kernel->function->name);
    run->look = look_begin(driver->look, &launch, kernel->function->name);
    if (!run->is_child) look_launch_is(run->look, run->work);
    if (run->remedy.is_open) look_remedies(run->look, &run->remedy.trier);
    run->launch = launch;
    return start(driver, run);
}

// What several threads have looked at does not count: one does.
static enum machine_part begin_again(struct driver *driver, struct kernel_run *run, const struct work_state *state)
{
    machine_close(run->launched);
    hang_told_free(&run->hang);
    run->launch.views = NULL;
    run->launch.meanwhile = let_others;
    run->launch.global = allocations_regions(&driver->allocations);
    run->launched = machine_begin(&run->launch, &run->outcome);
    return run->launched != NULL ? machine_go_on(run->launched, state->is_alone) : MACHINE_PART_ENDED;
}

static enum cuda_result end(struct driver *driver, const struct work_kernel *kernel, struct kernel_run *run)
{
    struct machine_outcome *outcome = &run->outcome;
    enum cuda_result error = CUDA_SUCCESS;
    close_grid(run);
    end_primary(driver, kernel, run);
    if (outcome->kind != MACHINE_DONE) {
        launch_tell(driver, kernel->function, outcome, &run->hang);
        error = launch_error(outcome);
        if (outcome->kind != MACHINE_REFUSED) driver->error = error;
        if (outcome->kind == MACHINE_INTERRUPTED) driver_wait_for_end(driver);
        driver->is_of_gpu = outcome->kind == MACHINE_FAULTED || outcome->kind == MACHINE_TRAPPED;
    }
    const bool is_told_later = outcome->kind != MACHINE_REFUSED && outcome->kind != MACHINE_UNSUPPORTED;
    return is_told_later ? CUDA_SUCCESS : error; // as on a GPU, where the kernel runs behind the call
}

static enum cuda_result run_grid(struct driver *driver, const struct work_kernel *kernel, struct work_state *state)
{
    struct kernel_run *run = state->kernel;
    if (run->launched != NULL ? !see_regions(driver, run) : !begin(driver, kernel, run))
        return CUDA_ERROR_OUT_OF_MEMORY;
    enum machine_part part = machine_go_on(run->launched, state->is_alone);
    if (!look_apart_is_over(run->look, part == MACHINE_PART_ENDED, &run->outcome))
        part = begin_again(driver, run, state);
    logs_tell_deferred(driver);
    state->has_changed = part == MACHINE_PART_WAITS;
    state->is_stuck = part == MACHINE_PART_STUCK;
    if (part != MACHINE_PART_ENDED) return CUDA_ERROR_NOT_READY;
    return end(driver, kernel, run);
}

// --- Grids behind it -------------------------------------------------------------------------------------------------

static bool next_child(struct kernel_run *run)
{
    if (run->is_child) work_release(run->children.driver, &run->child);
    run->is_child = children_next(&run->children, &run->child);
    return run->is_child;
}

static const struct work_kernel *kernel_now(const struct work_kernel *kernel, const struct kernel_run *run)
{
    return run->is_child ? &run->child.of.kernel : kernel;
}

static enum cuda_result run_now(struct driver *driver, const struct work_kernel *kernel, struct work_state *state)
{
    struct work_state none = {0}; // copies and fills do not wait
    struct kernel_run *run = state->kernel;
    if (run->is_child && run->child.type != NODE_KERNEL) return work_run(driver, &run->child, &none);
    return run_grid(driver, kernel_now(kernel, run), state);
}

// The kernel, and then all that kernels asked for.
static enum cuda_result run_all(struct driver *driver, const struct work_kernel *kernel, struct work_state *state)
{
    enum cuda_result error = run_now(driver, kernel, state);
    while (error == CUDA_SUCCESS && driver->error == CUDA_SUCCESS) {
        if (!children_settle(&state->kernel->children)) return CUDA_ERROR_OUT_OF_MEMORY;
        if (!next_child(state->kernel)) break;
        error = run_now(driver, kernel, state);
    }
    return error;
}

enum cuda_result kernel_run(struct driver *driver, const struct work_kernel *kernel, struct work_state *state)
{
    if (state->kernel == NULL) {
        state->kernel = calloc(1, sizeof *state->kernel);
        if (state->kernel == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
        children_open(&state->kernel->children, driver);
        state->kernel->work = driver->work_now;
    }
    const enum cuda_result error = run_all(driver, kernel, state);
    if (error != CUDA_ERROR_NOT_READY) kernel_drop(state);
    return error;
}

void kernel_hang(struct driver *driver, const struct work_kernel *kernel, const struct work_state *state,
                 const char *why)
{
    struct kernel_run *run = state->kernel;
    if (run == NULL || run->launched == NULL) return;
    machine_hang(run->launched, why);
    end(driver, kernel_now(kernel, run), run);
}

void kernel_drop(struct work_state *state)
{
    struct kernel_run *run = state->kernel;
    if (run == NULL) return;
    close_grid(run);
    machine_written_close(run->before);
    machine_written_close(run->written);
    if (run->is_child) work_release(run->children.driver, &run->child);
    children_close(&run->children);
    hang_told_free(&run->hang);
    free(run);
    state->kernel = NULL;
}
