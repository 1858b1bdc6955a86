// SPDX-License-Identifier: MIT
#include "litmus_tries.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "files.h"
#include "json.h"
#include "litmus_read.h"
#include "litmus_record.h"
#include "litmus_show.h"
#include "progress.h"
#include "random.h"
#include "schedules.h"
#include "workers.h"

enum {
    MAX_TEST_BYTES = 1 << 20,
    SIM_TURN = 16,
    SIM_TRIES = SIM_TURN * 10 * LITMUS_LANES,
    GPU_TRIES = 1 << 20,
    GPU_LAUNCH_ROUNDS = 1 << 14
};

// On the simulated device the schedule is the stress: so many launches under other schedules and seeds, then the next.
static const struct litmus_stress sim_stress[] = {
    {.groups = 1, .rounds = 1, .pitch = LITMUS_LEAST_PITCH},
    {.groups = 1, .rounds = 1, .pitch = LITMUS_LEAST_PITCH, .is_turned = true},
    {.groups = 1, .rounds = 4, .pitch = LITMUS_LEAST_PITCH, .delay = 255},
    {.groups = 1, .rounds = 4, .pitch = LITMUS_LEAST_PITCH, .delay = 255, .is_turned = true},
};

// On a GPU each launch draws what disturbs it: how many groups run at once, how far places lie apart, how long threads
// wait, of which places the caches of which threads hold the old bytes, which threads come with what accesses under
// way, CTAs and warps that load the memories or one place's lines alone, whether CTAs lie in one GPC, whether places
// have pages of their own. The first launch has nothing of it.
static struct litmus_stress gpu_stress(uint64_t launch)
{
    static const uint32_t groups[] = {32, 128, 512, 1024}, pitches[] = {16, 128, 32, 1024},
                          delays[] = {0, 3, 15, 63, 255, 1023, 4095}, noises[] = {0, 0, 132, 528},
                          helpers[] = {0, 0, 1, 4}, nears[] = {0, 0, 1, 2, 3}, fars[] = {0, 0, 12, 14, 17};
    struct random random = random_for(0, launch);
    struct litmus_stress stress = {.groups = 512, .pitch = LITMUS_LEAST_PITCH, .noise_rounds = 4000};
    if (launch > 0) {
        stress.groups = random_pick(&random, groups);
        stress.pitch = random_pick(&random, pitches);
        stress.delay = random_pick(&random, delays);
        stress.noise = random_pick(&random, noises);
        stress.helpers = random_pick(&random, helpers);
        stress.near = random_pick(&random, nears);
        stress.warm = random_below(&random, 2) ? (uint32_t)random_below(&random, 1u << 31) : 0;
        stress.burst = random_below(&random, 2) ? (uint32_t)random_below(&random, 1u << 31) : 0;
        stress.far = random_pick(&random, fars);
        stress.is_turned = (int)random_below(&random, 2);
        stress.is_together = random_below(&random, 4) == 0;
    }
    stress.rounds = GPU_LAUNCH_ROUNDS / stress.groups;
    return stress;
}

// What a run adds up to. `asked`: tests whose question's end the model allows, or forbids; `seen`: of those, where it
// was seen.
struct sums {
    int agree, differ, unread, refused, asked[2], seen[2];
    uint64_t tries;
};

// Lines of JSON that a child leaves for its parent.
struct left {
    size_t bytes;
    char text[(size_t)64 << 20];
};

// What the children that run the tests leave: a test that kills the device, or its process, ends that child alone, and
// another one goes on behind it. `next`: the test that is to run or runs. is_open: a device was there.
struct course {
    int next;
    bool is_open;
    struct sums sums;
    struct litmus_record_header header;
    struct left tests, record;
};

// All that a run needs; too large for the stack.
struct room {
    const struct litmus_tries *to;
    struct course *course; // NULL: all runs in this process
    struct gpu gpu;
    struct litmus test, one_end;
    struct litmus_layout layout;
    struct litmus_counts counts;
    struct litmus_model model;
    struct litmus_allowed allowed;
    struct sums sums;
    json_t *list;
    char device[256];
};

static bool leave(struct left *left, json_t *json)
{
    char *line = json_dumps(json, JSON_COMPACT);
    const size_t length = line == NULL ? 0 : strlen(line);
    const bool fits = line != NULL && length + 2 <= sizeof left->text - left->bytes;
    if (fits) {
        memcpy(left->text + left->bytes, line, length);
        left->text[left->bytes + length] = '\n';
        left->bytes += length + 1;
    }
    free(line);
    json_decref(json);
    return fits;
}

// The lines again, one after the other, until there is none.
static json_t *take(const struct left *left, size_t *at)
{
    json_error_t error;
    const char *line = left->text + *at, *end = memchr(line, '\n', left->bytes - *at);
    if (end == NULL) return NULL;
    *at = (size_t)(end - left->text) + 1;
    return json_parse(line, (size_t)(end - line), &error);
}

// --- What was seen, against the model --------------------------------------------------------------------------------

// Says which end is forbidden, and by what: the cycle is the model's answer to that end alone.
static void tell_forbidden(struct room *room, const char *path, const char *text, const struct litmus_count *count)
{
    const struct model_options *options = &room->to->model;
    struct litmus_shown shown = {.path = path, .text = text, .bytes = strlen(text), .options = options};
    litmus_end_ask(&room->test, &room->layout, count->key, options, &room->one_end, &room->model);
    shown.test = &room->one_end;
    shown.answer = &room->model.answer;
    printf("%s: %s ended %" PRIu64 " of %" PRIu64 " times with %s, which the memory model forbids%s:\n", path,
           room->device, count->tries, room->counts.tries, litmus_key_text(&room->test, &room->layout, count->key).at,
           room->allowed.is_cut ? " (of runs with no more rounds of its loops; see --unroll)" : "");
    litmus_print(&shown, stdout);
}

// Holds what was seen against the model. Returns how many ends are forbidden; `asked` gets how often an end was seen
// that the question is about.
static int judge(struct room *room, const char *path, const char *text, uint64_t *asked)
{
    int forbidden = 0;
    *asked = 0;
    for (int i = 0; i < room->counts.counts; i++) {
        const struct litmus_count *count = &room->counts.count[i];
        if (!litmus_key_passes(&room->test, &room->layout, count->key)) continue;
        if (litmus_key_is_asked(&room->test, &room->layout, count->key)) *asked += count->tries;
        if (litmus_allowed_has(&room->allowed, count->key)) continue;
        forbidden++;
        if (!room->to->json) tell_forbidden(room, path, text, count);
    }
    return forbidden;
}

static bool is_asked_allowed(const struct room *room)
{
    for (int i = 0; i < room->allowed.keys; i++)
        if (litmus_key_is_asked(&room->test, &room->layout, room->allowed.key[i])) return true;
    return false;
}

static void print_test(const struct room *room, bool is_allowed, uint64_t asked)
{
    printf("%s: %" PRIu64 " tries, %d ends seen of %d that are allowed", room->test.name, room->counts.tries,
           room->counts.counts, room->allowed.keys);
    if (room->counts.given_up > 0) printf(", %" PRIu64 " tries gave up a loop or a wait", room->counts.given_up);
    printf("; the end of its question is %s and was seen %" PRIu64 " times\n", is_allowed ? "allowed" : "forbidden",
           asked);
}

static json_t *test_json(const struct room *room, const char *path, bool is_allowed, int forbidden, uint64_t asked)
{
    return json_pack("{s:s, s:s, s:o, s:o, s:s, s:o, s:i, s:o}", "test", room->test.name, "path", path, "tries",
                     json_u64(room->counts.tries), "givenUp", json_u64(room->counts.given_up), "question",
                     is_allowed ? "allowed" : "forbidden", "seen", json_u64(asked), "forbiddenEnds", forbidden, "ends",
                     litmus_ends_json(&room->test, &room->layout, &room->counts));
}

// One test whose counts are there.
static void count_test(struct room *room, const char *path, const char *text)
{
    uint64_t asked = 0;
    const bool is_allowed = is_asked_allowed(room);
    const int forbidden = judge(room, path, text, &asked);
    room->sums.differ += forbidden > 0;
    room->sums.agree += forbidden == 0;
    room->sums.asked[!is_allowed]++;
    room->sums.seen[!is_allowed] += asked > 0;
    room->sums.tries += room->counts.tries;
    json_t *const json = room->to->json ? test_json(room, path, is_allowed, forbidden, asked) : NULL;
    if (json != NULL && room->course != NULL)
        leave(&room->course->tests, json);
    else if (json != NULL)
        json_array_append_new(room->list, json);
    else if (!room->to->quiet)
        print_test(room, is_allowed, asked);
}

// --- Tries -----------------------------------------------------------------------------------------------------------

// Launches until there are enough tries, and enough time has gone. On the simulated device each launch has another
// schedule or seed.
static bool try_enough(const struct litmus_tries *to, struct litmus_device *device, struct litmus_counts *counts,
                       struct text *why)
{
    enum { KINDS = sizeof sim_stress / sizeof sim_stress[0] };
    const bool is_sim = to->executor == LITMUS_ON_SIM;
    const uint64_t tries = to->tries > 0 ? to->tries : is_sim ? SIM_TRIES : GPU_TRIES;
    const double begin = seconds_now();
    *counts = (struct litmus_counts){.tries = 0};
    for (uint64_t i = 0; counts->tries < tries || seconds_now() - begin < to->seconds; i++) {
        const struct litmus_stress stress = is_sim ? sim_stress[i / SIM_TURN % KINDS] : gpu_stress(i);
        if (!litmus_device_fits(device, &stress)) continue;
        if (is_sim) schedule_set((int)(i % SCHEDULE_PAIRS));
        if (!litmus_device_try(device, &stress, counts, why)) return false;
    }
    return true;
}

// Asks the model how the test may end. 0 if it is of no use then.
static bool ask_model(struct room *room, const char *path)
{
    struct text why = {""};
    if (litmus_allowed_ask(&room->test, &room->layout, &room->to->model, &room->model, &room->allowed, &why))
        return true;
    room->sums.unread++;
    command_usage("litmus", "%s: %s", path, why.at);
    return false;
}

// 0: the device is of no more use.
static bool run_test(struct room *room, const char *path, const char *text)
{
    struct litmus_device device;
    struct text why = {""};
    bool is_usable = true;
    const char *refusal = litmus_layout_of(&room->test, &room->layout, &why) ? NULL : why.at;
    if (refusal == NULL && !ask_model(room, path)) return true;
    if (refusal == NULL && room->allowed.keys == 0) refusal = "none of its executions ends";
    if (refusal != NULL) {
        room->sums.refused++;
        if (!room->to->quiet && !room->to->json) printf("%s: not run: %s\n", path, refusal);
        return true;
    }
    if (litmus_device_open(&device, &room->gpu, &room->test, &why) &&
        (is_usable = try_enough(room->to, &device, &room->counts, &why))) {
        count_test(room, path, text);
        if (room->to->record != NULL)
            leave(&room->course->record, litmus_record_json(text, &room->test, &room->layout, &room->counts));
    } else {
        room->sums.unread++;
        command_usage("litmus", "%s: %s", path, why.at);
    }
    litmus_device_close(&device);
    return is_usable;
}

static bool run_file(struct room *room, const char *path)
{
    bool is_usable = true;
    struct text why = {""};
    size_t bytes = 0;
    char *text = read_file(path, MAX_TEST_BYTES, &bytes, &why);
    if (text != NULL && litmus_read(path, text, bytes, &room->test, &why)) {
        is_usable = run_test(room, path, text);
    } else {
        room->sums.unread++;
        command_usage("litmus", "%s", why.at);
    }
    free(text);
    return is_usable;
}

// Of a child: the tests from course->next on, until one has made the device useless.
static void run_files(struct room *room)
{
    struct course *course = room->course;
    struct text why = {""};
    bool is_usable = true;
    cuda_simulate(room->to->executor == LITMUS_ON_SIM);
    if (!gpu_init(&room->gpu, &why)) {
        command_usage("litmus", "%s", why.at);
        return;
    }
    course->is_open = true;
    strcpy(course->header.recorded_by, room->gpu.driver.is_simulated ? "sim" : "gpu");
    strcpy(course->header.device, room->gpu.description);
    strcpy(room->device, room->gpu.description);
    room->sums = course->sums;
    while (is_usable && course->next < room->to->files->count) {
        is_usable = run_file(room, room->to->files->file[course->next].path);
        fflush(stdout);
        course->sums = room->sums;
        course->next++;
    }
}

// Runs the tests in a child, in a second one what comes behind a test that has ended the first, and so on. 0: there is
// no device.
static bool run_children(struct room *room)
{
    struct course *course = room->course;
    const struct litmus_files *files = room->to->files;
    while (course->next < files->count) {
        int status = 0;
        course->is_open = false;
        fflush(stdout);
        const pid_t pid = fork();
        if (pid == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            run_files(room);
            exit(0);
        }
        if (pid < 0 || waitpid(pid, &status, 0) < 0) return command_usage("litmus", "no process can be started"), false;
        if (WIFEXITED(status) && !course->is_open) return false;
        if (!WIFSIGNALED(status) || course->next == files->count) continue;
        command_usage("litmus", "%s: its process ended by signal %d", files->file[course->next++].path,
                      WTERMSIG(status));
        course->sums.unread++;
    }
    return true;
}

// What the children have left.
static int save_record(const struct room *room, struct text *why)
{
    struct trace_lines lines;
    json_t *json;
    size_t at = 0;
    int ok = litmus_record_begin(&lines, &room->course->header);
    while (ok && (json = take(&room->course->record, &at)) != NULL) ok = trace_lines_add(&lines, json);
    if (ok) return litmus_record_save(&lines, room->to->record, why);
    trace_lines_free(&lines);
    return text_fail(why, "not enough memory");
}

static bool run_device(struct room *room)
{
    struct text why = {""};
    const time_t now = time(NULL);
    struct tm day;
    json_t *json;
    size_t at = 0;
    struct course *course = room->course = shared_memory(sizeof *room->course);
    if (course == NULL) return command_usage("litmus", "not enough memory"), false;
    bool ok = run_children(room);
    strftime(course->header.date, sizeof course->header.date, "%Y-%m-%d", gmtime_r(&now, &day));
    room->sums = course->sums;
    strcpy(room->device, course->header.device);
    while ((json = take(&course->tests, &at)) != NULL) json_array_append_new(room->list, json);
    if (ok && room->to->record != NULL && !save_record(room, &why)) ok = (command_usage("litmus", "%s", why.at), false);
    shared_memory_free(course, sizeof *course);
    return ok;
}

// --- What was recorded -----------------------------------------------------------------------------------------------

static bool run_trace(struct room *room, const char *path)
{
    struct litmus_record record;
    struct text why = {""};
    char *text = NULL;
    if (!litmus_record_open(path, &record, &why)) return command_usage("litmus", "%s", why.at), false;
    strcpy(room->device, record.header.device);
    while (litmus_record_next(&record, &room->test, &room->layout, &room->counts, &text, &why)) {
        if (ask_model(room, room->test.name)) count_test(room, room->test.name, text);
        free(text);
    }
    litmus_record_close(&record);
    if (why.at[0] != '\0') command_usage("litmus", "%s: %s", path, why.at);
    return why.at[0] == '\0';
}

// --- The sum ---------------------------------------------------------------------------------------------------------

static void print_sums(struct room *room)
{
    const struct sums *sums = &room->sums;
    if (room->to->json) {
        json_t *answer = json_pack("{s:s, s:i, s:i, s:i, s:i, s:o, s:O}", "device", room->device, "agree", sums->agree,
                                   "differ", sums->differ, "unread", sums->unread, "refused", sums->refused, "tries",
                                   json_u64(sums->tries), "tests", room->list);
        room->to->answer(room->to->answer_context, answer);
        return;
    }
    const int tests = sums->agree + sums->differ + sums->unread + sums->refused;
    if (tests == 1 && !room->to->quiet) return;
    printf("%d tests in %" PRIu64 " tries on %s: %d ended as the memory model allows, %d did not, %d could not be "
           "decided, %d are not run\n",
           tests, sums->tries, room->device, sums->agree, sums->differ, sums->unread, sums->refused);
    printf("the end that the question asks for: seen in %d of %d tests where it is allowed, in %d of %d where it is "
           "forbidden\n",
           sums->seen[0], sums->asked[0], sums->seen[1], sums->asked[1]);
}

int litmus_tries_run(const struct litmus_tries *to)
{
    struct room *room = calloc(1, sizeof *room);
    bool ok = room != NULL;
    if (!ok) return command_usage("litmus", "out of memory");
    room->to = to;
    room->list = json_array();
    for (int i = 0; i < to->traces && ok; i++) ok = run_trace(room, to->trace[i]);
    if (to->executor != LITMUS_ON_TRACE) ok = run_device(room);
    if (ok) print_sums(room);
    int status = !ok || room->sums.unread > 0 ? EXIT_USAGE : room->sums.differ > 0 ? EXIT_MISMATCH : EXIT_AGREE;
    json_decref(room->list);
    free(room);
    return status;
}
