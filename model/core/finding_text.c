// SPDX-License-Identifier: MIT
#include "finding_text.h"

#include <inttypes.h>
#include <string.h>

#include "finding_limit.h"
#include "rules/load.h"
#include "rules/map.h"
#include "rules/mbarrier.h"
#include "rules/replace.h"

// Addresses and words are written in hexadecimal.
static bool is_address(const struct finding *finding)
{
    static const char *const names[] = {"globalAddress",
                                        "address of an element",
                                        "tensorMap",
                                        "address, mapped read-only",
                                        "dstMem",
                                        "srcMem",
                                        "mbar",
                                        "64-bit word",
                                        "a",
                                        "dst",
                                        "src",
                                        "p",
                                        "a-desc",
                                        "b-desc",
                                        "ctaMask",
                                        "cache-policy",
                                        "global_address"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(finding->argument, names[i]) == 0) return true;
    return false;
}

static void add_number(const struct finding *finding, uint64_t number, struct line *line)
{
    if (is_address(finding))
        line_add(line, "0x%" PRIx64, number);
    else if (finding->is_signed)
        line_add(line, "%" PRId64, (int64_t)number);
    else
        line_add(line, "%" PRIu64, number);
}

// What sm_90a does about it, in one word.
const char *finding_severity(enum rule rule)
{
    if (rule_is_warning(rule)) return "warning";
    switch (rule_row(rule)->sm_90a) {
    case OUTCOME_CRASH:
        return "crash";
    case OUTCOME_FAULT:
        return "fault";
    case OUTCOME_INVALID:
        return "refused";
    default:
        return "odd";
    }
}

// Rules about a pointer or a whole object: there is no number to show.
static bool has_no_number(const struct finding *finding)
{
    return finding->rule == RULE_MAP_NULL_POINTER || finding->rule == RULE_MAP_NULL_CORNER ||
           finding->rule == RULE_REPLACE_NULL_MAP;
}

// Rules about a state or the order of operations: what the numbers of the finding count is not a limit.
static bool is_bare(const struct finding *finding)
{
    switch ((int)finding->rule) {
    case RULE_LOAD_MAP_FORMAT:
    case RULE_MBARRIER_ERROR:
    case RULE_MBARRIER_REMOTE_ERROR:
    case RULE_MBARRIER_INIT_LIVE:
    case RULE_MBARRIER_UNOBSERVED:
    case RULE_MBARRIER_NO_OBJECT:
    case RULE_MBARRIER_PLAIN_ACCESS:
    case RULE_MBARRIER_TOKEN_FOREIGN:
    case RULE_MBARRIER_TOKEN_OLD:
    case RULE_MBARRIER_PENDING_COUNT_TOKEN:
        return true;
    default:
        return false;
    }
}

// What the value must be, and the nearest legal value where that is another number.
static void add_limit(const struct finding *finding, struct line *line)
{
    static const char *const words[] = {[LIMIT_MULTIPLE] = ", must be a multiple of ",
                                        [LIMIT_EXACT] = ", must be ",
                                        [LIMIT_MOST] = ", must be at most ",
                                        [LIMIT_LEAST] = ", must be at least ",
                                        [LIMIT_BELOW] = ", must be below ",
                                        [LIMIT_END] = ", the memory ends at "};
    enum finding_limit limit = finding_limit(finding);
    if (limit == LIMIT_NONE) return;
    if (limit != LIMIT_NEAREST) {
        line_add(line, "%s", words[limit]);
        add_number(finding, finding->limit, line);
        if (limit == LIMIT_EXACT || (finding->nearest == finding->limit && limit != LIMIT_MULTIPLE)) return;
    }
    if (finding->nearest == finding->value) return;
    line_add(line, ", nearest legal value ");
    add_number(finding, finding->nearest, line);
}

void finding_value(const struct finding *finding, bool is_limited, struct line *line)
{
    line_add(line, "%s", finding->argument);
    if (finding->index >= 0) line_add(line, "[%d]", finding->index);
    line_add(line, " is ");
    if (has_no_number(finding)) {
        line_add(line, "NULL");
        return;
    }
    add_number(finding, finding->value, line);
    if (is_limited) add_limit(finding, line);
}

void finding_head(const struct finding *finding, struct line *line)
{
    const struct rule_row *row = rule_row(finding->rule);
    line_add(line, "  %s, rule %s", finding_severity(finding->rule), row->id);
    if (!is_bare(finding)) {
        line_add(line, ": ");
        finding_value(finding, true, line);
    }
    line_add(line, "\n");
}

void finding_advice(enum rule rule, struct line *line)
{
    const struct rule_row *row = rule_row(rule);
    line_add(line, "      %s\n", row->sentence);
    if (row->advice[0] != '\0') line_add(line, "      %s\n", row->advice);
}

void finding_text(const struct finding *finding, struct line *line)
{
    finding_head(finding, line);
    finding_advice(finding->rule, line);
}

static void json_number(const struct finding *finding, const char *name, uint64_t number, struct line *line)
{
    line_add(line, ",\"%s\":", name);
    if (finding->is_signed)
        line_add(line, "%" PRId64, (int64_t)number);
    else if (number > INT64_MAX)
        line_add(line, "\"0x%" PRIx64 "\"", number); // as json_u64() does: JSON readers have signed numbers
    else
        line_add(line, "%" PRIu64, number);
}

void finding_json(const struct finding *finding, struct line *line)
{
    const struct rule_row *row = rule_row(finding->rule);
    line_add(line, "{\"rule\":\"%s\",\"severity\":\"%s\",\"argument\":\"%s\"", row->id, finding_severity(finding->rule),
             finding->argument);
    if (finding->index >= 0) line_add(line, ",\"index\":%d", finding->index);
    if (!has_no_number(finding) && !is_bare(finding)) {
        json_number(finding, "value", finding->value, line);
        json_number(finding, "limit", finding->limit, line);
        json_number(finding, "nearest", finding->nearest, line);
    }
    line_add(line, ",\"sentence\":");
    line_add_json(line, row->sentence);
    line_add(line, ",\"advice\":");
    line_add_json(line, row->advice);
    line_add(line, "}");
}

void findings_text(const struct findings *findings, struct line *line)
{
    for (int i = 0; i < findings->count && i < FINDINGS_MAX; i++) finding_text(&findings->item[i], line);
    if (findings->count > FINDINGS_MAX) line_add(line, "  and %d more\n", findings->count - FINDINGS_MAX);
}

void findings_json(const struct findings *findings, struct line *line)
{
    line_add(line, "[");
    for (int i = 0; i < findings->count && i < FINDINGS_MAX; i++) {
        if (i != 0) line_add(line, ",");
        finding_json(&findings->item[i], line);
    }
    line_add(line, "]");
}
