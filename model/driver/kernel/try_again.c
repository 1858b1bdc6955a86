// SPDX-License-Identifier: MIT
#include "try_again.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "backing.h"
#include "plain.h"
#include "remedy_text.h"

enum { LEAST_SECONDS = 1, LIMIT_SECONDS = 20, LONGER = 5, MOST_COPIED = 1 << 28 };

struct request {
    struct remedy_edit edit;
    struct remedy_aim aim;
    bool is_own; // the schedule is the launch's
    struct remedy_schedule schedule;
};

// --- A try -----------------------------------------------------------------------------------------------------------

// The module of the edited text, whose variables hold what those of the first one do.
static struct machine_module *edited_module(const struct machine_module *module, const struct remedy_edit *edit,
                                            struct remedy_aim *aim)
{
    static struct ptx_errors errors;
    struct region from[MACHINE_MODULE_REGIONS], to[MACHINE_MODULE_REGIONS];
    char *text = remedy_text(machine_module_text(module), edit, aim);
    struct machine_module *edited = text != NULL ? machine_module_open(text, strlen(text), &errors) : NULL;
    if (edited == NULL) return NULL;
    const uint32_t count = machine_module_regions(module, from);
    if (machine_module_regions(edited, to) != count) return NULL;
    for (uint32_t i = 0; i < count; i++) { // of each module constants may lie before the others, or behind
        const uint32_t same = from[i].is_read_only == to[i].is_read_only ? i : 1 - i;
        if (from[i].memory.size_bytes != to[same].memory.size_bytes) return NULL;
        memcpy(to[same].memory.bytes, from[i].memory.bytes, from[i].memory.size_bytes);
    }
    return edited;
}

// With the edit, if there is one.
static bool edit_launch(struct machine_launch *launch, const char *kernel, const struct remedy_edit *edit,
                        struct remedy_aim *aim)
{
    static struct ptx_errors errors;
    struct machine_kernel_facts facts;
    if (edit->count == 0) return true;
    launch->module = edited_module(launch->module, edit, aim);
    if (launch->module == NULL) return false;
    launch->kernel = machine_module_kernel(launch->module, kernel);
    return launch->kernel >= 0 && machine_module_facts(launch->module, launch->kernel, &facts, &errors);
}

static struct remedy_result try_now(struct driver *driver, struct machine_launch launch, const char *kernel,
                                    const struct request *request)
{
    static struct machine_outcome outcome;
    struct remedy_aim aim = request->aim;
    struct remedy_result result = {.is_over = false};
    if (!edit_launch(&launch, kernel, &request->edit, &aim)) return result;
    if (!request->is_own) {
        launch.schedule.policy = (enum machine_policy)request->schedule.policy;
        launch.schedule.seed = request->schedule.seed;
    }
    struct look_launch *look = look_begin(driver->look, &launch, kernel);
    if (look == NULL) return result;
    look_try(look, &aim, &result);
    struct machine_launched *launched = machine_begin(&launch, &outcome);
    while (launched != NULL && machine_go_on(launched, false) != MACHINE_PART_ENDED) {
    }
    look_end(look); // takes what the launch left in memory, before the machine goes
    machine_close(launched);
    result.has_ended = outcome.kind == MACHINE_DONE;
    result.is_over = result.is_over && result.has_ended;
    return result;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

// How much time of processors a try may take, where the launch took so long: the first edit comes when that has ended.
static struct itimerval limit(double seconds)
{
    const double longer = LEAST_SECONDS + LONGER * seconds, most = longer < LIMIT_SECONDS ? longer : LIMIT_SECONDS;
    return (struct itimerval){.it_value = {(time_t)most, (suseconds_t)((most - (double)(time_t)most) * 1e6)}};
}

// A process of its own for each, so that each begins with the same memory.
static void serve(struct driver *driver, struct machine_launch *launch, const char *kernel, int socket)
{
    const double begin = now();
    struct itimerval most = {.it_value = {0, 0}};
    struct request request;
    signal(SIGCHLD, SIG_DFL); // the program may ignore its children
    while (TEMP_FAILURE_RETRY(recv(socket, &request, sizeof request, MSG_WAITALL)) == (ssize_t)sizeof request) {
        const struct remedy_result none = {.is_over = false};
        int status = 1;
        if (!timerisset(&most.it_value)) most = limit(now() - begin);
        const pid_t child = fork();
        if (child == 0) { // an allocator that another thread held when the launch's process forked may never answer
            signal(SIGALRM, SIG_DFL);
            signal(SIGPROF, SIG_DFL);
            alarm(LONGER * LIMIT_SECONDS);
            setitimer(ITIMER_PROF, &most, NULL);
            const struct remedy_result result = try_now(driver, *launch, kernel, &request);
            _exit(send(socket, &result, sizeof result, MSG_NOSIGNAL) != (ssize_t)sizeof result);
        }
        if (child < 0 || TEMP_FAILURE_RETRY(waitpid(child, &status, 0)) != child || status != 0)
            if (send(socket, &none, sizeof none, MSG_NOSIGNAL) != (ssize_t)sizeof none) break;
    }
}

static int ask(void *context, const struct remedy_edit *edit, const struct remedy_aim *aim,
               const struct remedy_schedule *schedule, struct remedy_result *result)
{
    const struct remedy *remedy = context;
    struct request request = {*edit, *aim, schedule == NULL, {0, 0}};
    if (schedule != NULL) request.schedule = *schedule;
    return send(remedy->socket, &request, sizeof request, MSG_NOSIGNAL) == (ssize_t)sizeof request &&
           TEMP_FAILURE_RETRY(read(remedy->socket, result, sizeof *result)) == (ssize_t)sizeof *result;
}

// --- Open and close --------------------------------------------------------------------------------------------------

// A forked process writes to memory of its own, but where a file is behind it, which others map. What cuMemMap mapped
// at one place it can copy, if that is not much.
static bool is_shared(const struct driver *driver)
{
    uint64_t copied = 0;
    for (uint32_t i = 0; i < driver->allocations.count; i++) {
        const struct allocation *item = &driver->allocations.item[i];
        const bool is_mapped = item->kind == ALLOCATION_MAPPED;
        if (is_mapped && item->backing->mappings == 1) copied += backing_used(item->backing);
        if ((is_mapped && item->backing->mappings > 1) || copied > MOST_COPIED || item->kind == ALLOCATION_REGISTERED ||
            item->kind == ALLOCATION_IPC || item->kind == ALLOCATION_POOL_IPC || item->shared_file != 0)
            return true;
    }
    return false;
}

static bool own_mapped(const struct driver *driver)
{
    for (uint32_t i = 0; i < driver->allocations.count; i++)
        if (driver->allocations.item[i].kind == ALLOCATION_MAPPED && !backing_own(&driver->allocations.item[i]))
            return false;
    return true;
}

static bool has_other_reports(const struct driver_options *options)
{
    return options->stats != 0 || options->trace[0] != '\0' || options->coverage[0] != '\0' ||
           options->break_at[0] != '\0' || options->dump[0] != '\0';
}

// The try tells nobody, waits for nobody, and ends.
static struct machine_launch quiet(const struct machine_launch *launch)
{
    struct machine_launch quiet = *launch;
    quiet.print = quiet.print_error = NULL;
    quiet.child = NULL;
    quiet.delayed = NULL;
    quiet.meanwhile = NULL;
    quiet.set_condition = NULL;
    quiet.hung = NULL;
    quiet.may_wait = false;
    quiet.schedule.threads = 1;
    quiet.limits = (struct machine_limits){0, 0, NULL};
    return quiet;
}

// Says once why nothing is tried.
static bool may_try(const struct driver *driver)
{
    static bool is_told;
    const char *why = has_other_reports(&driver->options) ? "with --stats, --trace, --coverage, --break or --dump"
                      : is_shared(driver)
                          ? "where memory is shared (cuMemCreate at several addresses or of more than 256 MiB, "
                            "cudaHostRegister, other processes)"
                          : NULL;
    if (why != NULL && !is_told)
        plain_printf(stderr, "tmaref: %s: no remedy is tried %s\n",
                     driver->options.remedies != 0 ? "--remedies" : "--lint-sync", why);
    is_told |= why != NULL;
    return why == NULL;
}

void remedy_open(struct remedy *remedy, struct driver *driver, const struct machine_launch *launch, const char *kernel)
{
    int end[2];
    *remedy = (struct remedy){false};
    if ((driver->options.remedies == 0 && driver->options.lint_sync == 0) || !may_try(driver)) return;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, end) != 0) return;
    int status = 0;
    const pid_t child = fork();
    if (child == 0) { // who waits for edits is nobody's child, so that the program never waits for it
        close(end[0]);
        if (!own_mapped(driver)) _exit(1);
        if (fork() != 0) _exit(0);
        struct machine_launch again = quiet(launch);
        serve(driver, &again, kernel, end[1]);
        _exit(0);
    }
    close(end[1]);
    remedy->is_open =
        child > 0 && (TEMP_FAILURE_RETRY(waitpid(child, &status, 0)) == child || errno == ECHILD) && status == 0;
    remedy->socket = end[0];
    remedy->trier = (struct remedy_trier){remedy, ask};
    if (!remedy->is_open) close(end[0]);
}

void remedy_close(struct remedy *remedy)
{
    if (remedy->is_open) close(remedy->socket);
    remedy->is_open = false;
}
