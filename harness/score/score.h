// SPDX-License-Identifier: MIT
// How well an implementation agrees with the recordings: the verdict of each case in a file of results (JSON lines, one
// for each case, which a run that was cut off is resumed from), and the report that follows from such files. One tree,
// four printers.
#ifndef TMAREF_SCORE_H
#define TMAREF_SCORE_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

#include "text.h"
#include "trace_batch.h"

// What became of a case. All but SCORE_AGREES and SCORE_UNSUPPORTED fail, unless they are known.
enum score_verdict {
    SCORE_AGREES,
    SCORE_DIFFERS,
    SCORE_UNSUPPORTED,
    SCORE_CRASHED,
    SCORE_HUNG,
    SCORE_GARBAGE,
    SCORE_VERDICTS
};

extern const char *const score_verdict_names[SCORE_VERDICTS + 1]; // NULL ends them

// The first line of a file of results: what was scored, by which recordings and version. Those of two files that are
// merged, or resumed, have to be equal but for the shard.
json_t *score_header(const char *program, uint64_t shard, uint64_t shards);

// The line of a case that ran: "load:17" is line 17 of the recording load.jsonl or load.jsonl.zst.
json_t *score_record(const struct trace_batch *cases, int i);

// The name of a recording: "load" of "traces/sm_90a/load.jsonl.zst".
struct text score_trace_name(const char *path);

// What somebody knows of failures: lines "CASE VERDICT REASON" of a file; CASE may be a pattern ("wgmma*:*").
// `verdicts`: the words that a verdict may be, NULL ends them.
struct expectations;
struct expectations *expectations_read(const char *path, const char *const *verdicts, struct text *why);
void expectations_free(struct expectations *expectations);

// The verdict that is expected of a case, and why; NULL where no entry fits.
const char *expectations_of(struct expectations *expectations, const char *name, const char **reason);

// The entry that fits a case that did so: its reason, or NULL. Counts the case for the report.
const char *expectations_take(struct expectations *expectations, const char *name, const char *verdict);

// Entries of which every case agrees, and those that no case of the run fits: two arrays of strings.
json_t *expectations_fixed(const struct expectations *expectations);
json_t *expectations_stale(const struct expectations *expectations);

// The report while it is made of records; `expectations` may be NULL. score_close() gives the tree:
//   program, version, shard, cases, total, families, rules, features, unsupported, failures, known, fixed, stale
struct score;
struct score *score_open(struct expectations *expectations);
// Adds a file of results. 0 with `why`: it is none, or of another program or version than the ones before.
int score_add(struct score *score, const char *path, struct text *why);
json_t *score_close(struct score *score);

// How many cases fail that are not known.
uint64_t score_failures(const json_t *report);

void score_print_text(const void *report, FILE *out);
void score_print_json(const void *report, FILE *out);
void score_print_junit(const void *report, FILE *out);
void score_print_html(const void *report, FILE *out);

// What fails, as lines of a file of expectations.
void score_print_expectations(const void *report, FILE *out);

#endif
