// SPDX-License-Identifier: MIT
// `tmaref diff`: the same cases on two executors, and whatever differs.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "command.h"
#include "common_options.h"
#include "diff.h"
#include "json.h"
#include "near_lists.h"
#include "progress.h"
#include "replay.h"
#include "shard.h"

#define TRACE_EXECUTOR "trace"
enum { DEFAULT_FAULTS = 32, DEFAULT_PRINTED = 10, MOST_SECONDS = 1000000, DEFAULT_ALL_CASES = 1000000 };
#define SHORT_SECONDS 1.0 // what a family gets at least, of the time that is left

struct diff_options {
    struct case_options cases;
    const struct executor *executor[2];
    int executors, json;
    bool is_capped;    // is_capped: --faults was given
    const char *given; // the last of this command's own options that a replay has no use for
    struct diff_limits limits;
    struct quota quota;
    struct shard shard;
};

#define TO    struct diff_options
#define NAMED .named_at = offsetof(TO, given)
static const struct command_option options[] = {
    OPTION_NUMBER(
        'F', "faults", "N", limits.faults, 0, UINT64_MAX,
        "run at most N cases with a predicted fault that kills their process (default 32; with --each as many as "
        "there are)",
        NAMED, .counted_at = offsetof(TO, is_capped)),
    OPTION_NUMBER('e', "each", "N", quota.each, 1, UINT64_MAX,
                  "take only cases predicted to kill their process, at most N for each rule, and their neighbours that "
                  "are not",
                  NAMED),
    OPTION_NUMBER('u', "sure", "N", limits.sure, 0, UINT64_MAX,
                  "for each rule, run N faults again alone whose dump fits two CUDA errors (default 0)", NAMED),
    OPTION_NUMBER('a', "alone", "N", limits.alone, 0, UINT64_MAX,
                  "run at most N of 4096 faults in their own process (default: all that need one)", NAMED),
    OPTION_NUMBER('p', "print", "N", limits.printed, 0, UINT64_MAX, "print at most N mismatches (default 10)", NAMED),
    OPTION_REAL('t', "seconds", "N", limits.seconds, 1, MOST_SECONDS,
                "begin no batch after N seconds (default: no limit)", NAMED),
    OPTION_SHARD(0, shard, "run part I of N of the cases; tmaref merge adds up what --json prints"),
    OPTION_FLAG('j', "json", json, "the tally as JSON"),
    OPTION_END,
};

static void take_name(void *line, char *argument, struct argp_state *state)
{
    struct diff_options *to = line;
    if (to->executors == 2) argp_error(state, "compares two executors, not three");
    to->executor[to->executors] = executor_find(argument);
    if (to->executor[to->executors] == NULL && (to->executors != 0 || strcmp(argument, TRACE_EXECUTOR) != 0))
        argp_error(state, "there is no executor '%s' here%s (%s, or trace in the first place)", argument,
                   near_names(argument, near_executor).at, near_all(near_executor).at);
    to->executors++;
}

static void check_line(const void *line, struct argp_state *state)
{
    if (((const struct diff_options *)line)->executors != 2)
        argp_error(state, "needs two executors, for example: model gpu");
    const struct diff_options *to = line;
    if (to->executor[0] == &executor_command && to->executor[1] == &executor_command)
        argp_error(state, "compares one command: put model, gpu or sim in the first place");
}

// What was recorded against an executor is a replay of the file that --input names.
static int diff_trace(const struct diff_options *to)
{
    const struct replay_options replay = {.executor = to->executor[1],
                                          .json = to->json,
                                          .jobs = to->cases.jobs,
                                          .shard = to->shard,
                                          .paths = 1,
                                          .printed = REPLAY_PRINTED,
                                          .path = {to->cases.input}};
    const char *given = to->given != NULL ? to->given : to->cases.given;
    if (to->cases.input == NULL) return command_usage("diff", "trace needs --input, a recorded trace");
    if (given != NULL)
        return command_usage("diff", "--%s does not go with trace: every case of the recording is compared", given);
    return replay_run("diff", &replay);
}

// What each rule that can fault came to.
static json_t *rules_json(const struct tally *tally)
{
    json_t *list = json_array();
    for (int i = 0; i < rule_count(); i++) {
        const struct rule_tally *rule = &tally->rule[i];
        if (rule->faults + rule->near == 0) continue;
        json_array_append_new(list, json_pack("{s:s, s:o, s:o, s:o, s:o}", "rule", rule_row((enum rule)i)->id, "faults",
                                              json_u64(rule->faults), "either", json_u64(rule->either), "near",
                                              json_u64(rule->near), "mismatches", json_u64(rule->mismatches)));
    }
    return list;
}

static json_t *tally_json(const struct diff_options *to, const char *family, const struct tally *tally)
{
    json_t *json = json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:b, s:f}", "family", family, "expected",
                             executor_title(to->executor[0]), "found", executor_title(to->executor[1]), "cases",
                             json_u64(tally->cases), "mismatches", json_u64(tally->mismatches), "faults",
                             json_u64(tally->faults), "left_out", json_u64(tally->left_out), "not_begun",
                             json_u64(tally->not_begun), "interrupted", tally->interrupted, "seconds", tally->seconds);
    json_object_set_new(json, "unsupported", json_u64(tally->unsupported));
    json_object_set_new(json, "faultsAllowed", json_u64(to->limits.faults));
    if (to->quota.each > 0) json_object_set_new(json, "rules", rules_json(tally));
    return json;
}

static const char text[] =
    "{family}: {expected} against {found}, {cases} cases compared in {seconds:.1f} s, {mismatches} mismatches\n"
    "    {faults} of these cases were predicted to kill their process\n"
    "{rules=*?    rule                         faults   either     near mismatches\n}"
    "{rules*    {rule:-26} {faults:8} {either:8} {near:8} {mismatches:10}\n}"
    "{unsupported?    {unsupported} more cases were not compared: the command says that it does not support them\n}"
    "{left_out?    {left_out} more such cases were not run: --faults allows {faultsAllowed}\n}"
    "{not_begun?    {not_begun} more cases were not begun: {interrupted?Ctrl-C}{interrupted!--seconds} ended the "
    "run\n}";

// The part of the cases that the shard has.
static void take_part(const struct shard *shard, struct source *source)
{
    const uint64_t cases = source->end - source->next, first = source->next;
    const uint64_t each = cases / shard->parts, rest = cases % shard->parts;
    source->next = first + each * (shard->part - 1) + rest * (shard->part - 1) / shard->parts;
    source->end = first + each * shard->part + rest * shard->part / shard->parts;
}

// Prints the answer as JSON, that of a part with what the parts have in common.
static void print_json(const struct diff_options *to, json_t *answer)
{
    json_t *settings = json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:f}", "expected", executor_title(to->executor[0]),
                                 "found", executor_title(to->executor[1]), "seed", json_u64(to->cases.seed), "first",
                                 json_u64(to->cases.first), "cases", json_u64(to->cases.cases), "faults",
                                 json_u64(to->limits.faults), "seconds", to->limits.seconds);
    answer_print(shard_answer(&to->shard, "diff", settings, answer), NULL, JSON_INDENT(1));
}

// One family; 0 with `why` if that is not possible.
static int diff_family(struct diff_options *to, struct tally *tally, struct text *why)
{
    struct source source = {.family = NULL};
    if (to->quota.each > 0 && !to->is_capped) to->limits.faults = UINT64_MAX;
    memset(to->quota.taken, 0, sizeof to->quota.taken);
    int ok = case_source(&to->cases, &source, why);
    if (ok && to->shard.is_given) take_part(&to->shard, &source);
    if (ok && to->quota.each > 0) source.quota = &to->quota;
    ok = ok && diff_run(&source, to->executor[0], to->executor[1], &to->limits, stdout, tally, why);
    source_close(&source);
    free(to->cases.lines);
    to->cases.lines = NULL;
    return ok;
}

static void add_tally(struct tally *sum, const struct tally *tally)
{
    sum->cases += tally->cases;
    sum->mismatches += tally->mismatches;
    sum->faults += tally->faults;
    sum->left_out += tally->left_out;
    sum->unsupported += tally->unsupported;
    sum->not_begun += tally->not_begun;
    sum->seconds += tally->seconds;
    sum->interrupted = tally->interrupted;
    for (int i = 0; i < rule_count(); i++) {
        sum->rule[i].faults += tally->rule[i].faults;
        sum->rule[i].either += tally->rule[i].either;
        sum->rule[i].near += tally->rule[i].near;
        sum->rule[i].mismatches += tally->rule[i].mismatches;
    }
}

// What the shares of families 0 .. count - 1 add up to; a family whose cases cost more has fewer of them.
static uint64_t shares_before(uint64_t count)
{
    const uint64_t full_share = 3000; // a multiple of every cost
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++) sum += full_share / (families[i]->cost > 0 ? families[i]->cost : 1);
    return sum;
}

static int diff_status(const struct tally *tally)
{
    if (tally->interrupted)
        fprintf(stderr, "tmaref diff: interrupted; the tally counts the cases that were compared\n");
    if (tally->mismatches > 0) return EXIT_MISMATCH;
    return tally->interrupted ? EXIT_USAGE : EXIT_AGREE;
}

// Every family has its share of the cases, and of the time that is left when its turn comes.
static int diff_families(const struct diff_options *all)
{
    struct tally sum = {0};
    struct text why;
    json_t *list = json_array();
    uint64_t cases = all->cases.cases == UINT64_MAX ? DEFAULT_ALL_CASES : all->cases.cases, count = 0;
    while (families[count] != NULL) count++;
    uint64_t shares = shares_before(count);
    for (uint64_t i = 0; i < count && !sum.interrupted; i++) {
        struct diff_options one = *all;
        struct tally tally;
        one.cases.family = families[i];
        one.cases.cases = cases * shares_before(i + 1) / shares - cases * shares_before(i) / shares;
        if (one.cases.cases == 0) continue;
        double left = all->limits.seconds - sum.seconds;
        if (all->limits.seconds > 0)
            one.limits.seconds = (left > SHORT_SECONDS ? left : SHORT_SECONDS) / (double)(count - i);
        if (!diff_family(&one, &tally, &why)) {
            json_decref(list);
            return command_usage("diff", "%s: %s", families[i]->name, why.at);
        }
        json_array_append_new(list, tally_json(&one, families[i]->name, &tally));
        if (!all->json) answer_text(json_array_get(list, json_array_size(list) - 1), text, stdout);
        fflush(stdout);
        add_tally(&sum, &tally);
    }
    json_t *last = tally_json(all, "all", &sum);
    json_array_append_new(list, last);
    if (!all->json) answer_text(last, text, stdout);
    if (all->json)
        print_json(all, list);
    else
        json_decref(list);
    return diff_status(&sum);
}

int command_diff(int argc, char **argv)
{
    static const struct command_line line = {
        .usage = "EXPECTED FOUND",
        .help = "Runs the same cases on two executors (EXECUTORS, or trace with --input) and compares every byte. "
                "--family=all distributes --cases (default a million) over all families.",
        .options = options,
        .argument = take_name,
        .value_at = near_executor,
        .end = check_line,
        .part = &case_line,
        .part_at = offsetof(TO, cases),
        .filter = names_filter,
    };
    struct diff_options to = {.shard = {1, 1, false},
                              .limits = {.faults = DEFAULT_FAULTS, .alone = UINT64_MAX, .printed = DEFAULT_PRINTED}};
    struct tally tally;
    struct text why;
    command_line_read(&line, argc, argv, &to);
    if (to.executor[0] == NULL) return diff_trace(&to);
    if (to.cases.cases == 0) return command_usage("diff", "--cases is 0: there is no case to compare");
    if (to.shard.is_given && (to.cases.input != NULL || to.quota.each > 0))
        return command_usage("diff", "--shard is for random cases, without %s",
                             to.cases.input != NULL ? "--input" : "--each");
    if (to.cases.input != NULL && to.cases.is_all)
        return command_usage("diff", "--family=all is for random cases, not for --input");
    interrupt_catch();
    if (to.cases.is_all) return diff_families(&to);
    if (!diff_family(&to, &tally, &why)) return command_usage("diff", "%s", why.at);
    if (to.json)
        print_json(&to, tally_json(&to, to.cases.family->name, &tally));
    else
        answer_print(tally_json(&to, to.cases.family->name, &tally), text, 0);
    return diff_status(&tally);
}
