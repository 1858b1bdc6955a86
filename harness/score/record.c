// SPDX-License-Identifier: MIT
// A file of results: its header, and the line of a case.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cross.h"
#include "feature.h"
#include "json.h"
#include "score.h"
#include "version_text.h"

enum { SCORE_VERSION = 1 };

const char *const score_verdict_names[SCORE_VERDICTS + 1] = {"agrees", "differs", "unsupported", "crashed",
                                                             "hung",   "garbage", NULL};

json_t *score_header(const char *program, uint64_t shard, uint64_t shards)
{
    return json_pack("{s:i, s:s, s:s, s:o, s:o}", "tmaref_score", SCORE_VERSION, "version", TMAREF_VERSION_TEXT,
                     "program", program, "shard", json_u64(shard), "shards", json_u64(shards));
}

struct text score_trace_name(const char *path)
{
    struct text name;
    const char *slash = strrchr(path, '/');
    text_set(&name, "%.400s", slash != NULL ? slash + 1 : path);
    char *end = strstr(name.at, ".jsonl");
    if (end != NULL) *end = '\0';
    return name;
}

static enum score_verdict verdict_of(const struct trace_batch *cases, int i, FILE *out)
{
    static const enum score_verdict of[] = {[RESULT_ANSWERED] = SCORE_DIFFERS,
                                            [RESULT_UNSUPPORTED] = SCORE_UNSUPPORTED,
                                            [RESULT_CRASHED] = SCORE_CRASHED,
                                            [RESULT_HUNG] = SCORE_HUNG,
                                            [RESULT_GARBAGE] = SCORE_GARBAGE};
    const enum result_end end = cases->batch.results[i].end;
    if (end != RESULT_UNSUPPORTED && trace_batch_agrees(cases, i, out)) return SCORE_AGREES;
    return of[end];
}

static json_t *feature_write(const struct family *family, const void *test_case)
{
    struct feature f;
    if (family->feature == NULL || !family->feature(test_case, &f)) return NULL;
    return json_pack(
        "{s:s, s:s, s:s, s:i, s:s, s:s, s:s, s:s}", "operation", feature_operation_name(f.operation), "mode",
        cross_value_name(AXIS_MODE, (int)f.mode), "dtype", cross_value_name(AXIS_DTYPE, (int)f.dtype), "rank", f.rank,
        "swizzle", cross_value_name(AXIS_SWIZZLE, (int)f.swizzle), "interleave",
        cross_value_name(AXIS_INTERLEAVE, (int)f.interleave), "bounds", cross_value_name(AXIS_BOUNDS, (int)f.bounds),
        "estride", cross_value_name(AXIS_ESTRIDE, (int)f.estride));
}

// The rule that the case breaks by the model, or of one that breaks none the likely rule of what differs.
static const char *rule_of(const struct trace_batch *cases, int i, const char *told, char *room, size_t room_bytes)
{
    static const char likely[] = "likely rule ";
    const enum rule rule = family_rule(cases->batch.family, batch_case(&cases->batch, i));
    const char *at = strstr(told, likely);
    if (rule != RULE_OK) return rule_row(rule)->id;
    if (at == NULL) return NULL;
    at += sizeof likely - 1;
    snprintf(room, room_bytes, "%.*s", (int)strcspn(at, ":\n"), at);
    return room;
}

json_t *score_record(const struct trace_batch *cases, int i)
{
    char *told = NULL, id[64];
    size_t bytes;
    FILE *out = open_memstream(&told, &bytes);
    if (out == NULL) abort();
    const enum score_verdict verdict = verdict_of(cases, i, out);
    fclose(out);
    const struct result *result = &cases->batch.results[i];
    json_t *json = json_pack("{s:o, s:s, s:s}", "case",
                             json_sprintf("%s:%" PRIu64, score_trace_name(cases->path).at, cases->line[i]), "family",
                             cases->batch.family->name, "verdict", score_verdict_names[verdict]);
    const char *rule = rule_of(cases, i, told, id, sizeof id);
    json_t *feature = feature_write(cases->batch.family, batch_case(&cases->batch, i));
    if (rule != NULL) json_object_set_new(json, "rule", json_string(rule));
    if (feature != NULL) json_object_set_new(json, "feature", feature);
    if (verdict != SCORE_AGREES) json_object_set_new(json, "why", json_string(told[0] != '\0' ? told : result->told));
    free(told);
    return json;
}
