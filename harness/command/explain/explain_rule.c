// SPDX-License-Identifier: MIT
// What a rule says. explain_error.c has the rules behind a CUDA error.
#include "answer.h"
#include "command.h"
#include "explain_command.h"
#include "json.h"
#include "near_lists.h"
#include "rule.h"

int explain_rule(const char *name, int json)
{
    uint64_t number;
    enum rule rule = rule_find(name);
    int error = explain_find_error(name);
    if (rule != RULE_NONE) {
        answer_print(json_rule(rule_row(rule)), json ? NULL : EXPLAIN_RULE_TEXT, JSON_INDENT(2));
        return EXIT_AGREE;
    }
    if (error >= 0) return explain_error(error, json);
    if (parse_u64(name, UINT64_MAX, &number)) return command_usage("explain", "CUDA has no error %s", name);
    return command_usage("explain",
                         "'%.64s' is neither a rule nor a CUDA error%s ('tmaref list --rules' shows the rules)", name,
                         near_names(name, near_rule).at);
}
