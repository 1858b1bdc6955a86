// SPDX-License-Identifier: MIT
// The answer of `tmaref explore --paths`.
#include <string.h>

#include "explore_answer.h"
#include "paths_tell.h"

enum { MOST_FINDINGS = 16, MOST_ORDER = 1000, MOST_LAST = 12 };

static json_t *json_of_line(const struct paths_line *line)
{
    return json_pack("{s:s, s:s, s:s}", "who", line->who, "at", line->at, "what", line->what);
}

static json_t *json_of_step(const struct paths_set *set, const struct paths_program *program, uint32_t step)
{
    struct paths_line line;
    paths_tell_step(set, program, step, &line);
    return json_of_line(&line);
}

// The last steps of the order, and the one with which it ends.
static json_t *json_of_order(const struct paths_set *set, const struct paths_program *program,
                             const struct paths_found *found, uint32_t most)
{
    json_t *order = json_array();
    const uint32_t from = found->steps > most ? found->steps - most : 0;
    for (uint32_t i = from; i < found->steps; i++)
        json_array_append_new(order, json_of_step(set, program, found->order[i]));
    if (found->step != PATHS_NONE) json_array_append_new(order, json_of_step(set, program, found->step));
    return order;
}

static json_t *json_of_waits(const struct paths_told *told)
{
    json_t *waits = json_array();
    for (uint32_t i = 0; i < told->waits; i++) json_array_append_new(waits, json_of_line(&told->wait[i]));
    return waits;
}

static json_t *json_of_finding(const struct paths_set *set, const struct paths_program *program,
                               const struct paths_found *found)
{
    static struct paths_told told;
    paths_tell(set, program, found, &told);
    const uint32_t all = found->steps + (found->step != PATHS_NONE);
    json_t *json = json_pack(
        "{s:s, s:s, s:s, s:s, s:i, s:o, s:o, s:b}", "kind", paths_end_name[found->end], "kernel", told.kernel, "at",
        told.at, "what", told.what, "steps", (int)all, "order", json_of_order(set, program, found, MOST_ORDER), "last",
        json_of_order(set, program, found, MOST_LAST), "late", told.waits > 0 && found->end != PATHS_DEADLOCK);
    if (told.waits > 0) json_object_set_new(json, "waits", json_of_waits(&told));
    if (found->first != PATHS_NONE) {
        json_object_set_new(json, "first", json_of_step(set, program, found->first));
        json_object_set_new(json, "later", json_of_step(set, program, found->later));
    }
    return json;
}

// What is said of all orders of a program.
static json_t *json_of_verdict(const struct paths_found *found, const struct text *why)
{
    const unsigned long long tried = found->tried;
    if (why->at[0] != '\0') return json_sprintf("not searched: %s", why->at);
    if (found->end > PATHS_WAITS) return json_sprintf("%s", "an order of them fails");
    if (found->is_whole && found->races == 0)
        return json_string("in every order of them, no deadlock, no arrival too many and no lap");
    if (found->is_whole)
        return json_sprintf("in every order of them (%llu that differ), no deadlock, no arrival too many and no lap",
                            tried);
    return json_sprintf("in %llu orders of them, no deadlock, no arrival too many and no lap; others are left", tried);
}

static json_t *json_of_program(const struct paths_set *set, const struct paths_program *program,
                               const struct paths_found *found, const struct text *why)
{
    char kernel[PATHS_LINE_BYTES];
    paths_kernel(set, program, kernel);
    const uint32_t *cta = program->cta[0].id;
    return json_pack(
        "{s:s, s:o, s:o, s:o, s:i, s:i, s:i, s:i, s:o, s:o, s:o, s:b, s:s, s:o}", "kernel", kernel, "cta",
        json_sprintf("(%u,%u,%u)", cta[0], cta[1], cta[2]), "launch", explore_json_of_number(program->launch),
        "clusters", explore_json_of_number(program->alike), "threads", (int)program->lanes_actors, "operations",
        (int)(program->actors - program->lanes_actors), "steps", (int)program->steps, "held", (int)program->held,
        "orders", explore_json_of_number(found->tried), "made", explore_json_of_number(found->made), "open",
        explore_json_of_number(found->races), "whole", found->is_whole && why->at[0] == '\0', "kind",
        paths_end_name[found->end], "text", json_of_verdict(found, why));
}

static bool is_told(const json_t *findings, const json_t *finding)
{
    size_t i;
    json_t *other;
    json_array_foreach(
        findings, i,
        other) if (json_equal(json_object_get(other, "kind"), json_object_get(finding, "kind")) &&
                   json_equal(json_object_get(other, "at"), json_object_get(finding, "at")) &&
                   json_equal(json_object_get(other, "kernel"), json_object_get(finding, "kernel"))) return true;
    return false;
}

json_t *explore_json_of_paths(const struct explore_paths *paths)
{
    const struct paths_set *set = &paths->set;
    json_t *programs = json_array(), *findings = json_array();
    for (uint32_t i = 0; i < set->programs; i++) {
        const struct paths_found *found = &paths->found[i];
        json_array_append_new(programs, json_of_program(set, &set->program[i], found, &paths->why[i]));
        if (found->end <= PATHS_WAITS || json_array_size(findings) >= MOST_FINDINGS) continue;
        json_t *finding = json_of_finding(set, &set->program[i], found);
        if (!is_told(findings, finding)) json_array_append(findings, finding);
        json_decref(finding);
    }
    return json_pack("{s:o, s:o, s:b, s:o, s:o}", "clusters", explore_json_of_number(set->clusters), "steps",
                     explore_json_of_number(set->steps), "full", set->is_full, "programs", programs, "findings",
                     findings);
}
