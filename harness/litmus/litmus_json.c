// SPDX-License-Identifier: MIT
// The verdict on a litmus test as JSON (litmus_show.h; docs/json.md has the keys).
#include <stdio.h>

#include "litmus_show.h"

static json_t *outcome_json(const struct litmus_shown *shown, const struct model_outcome *outcome)
{
    json_t *end = json_object();
    char name[LITMUS_NAME_BYTES];
    for (int thread = 0; thread < shown->test->threads; thread++)
        RELATION_EACH(reg, shown->answer->used_registers[thread])
        {
            snprintf(name, sizeof name, "P%d:%s", thread, shown->test->thread[thread].register_name[reg]);
            json_object_set_new(end, name, json_integer(outcome->end.reg[thread][reg]));
        }
    RELATION_EACH(place, shown->answer->used_places)
    json_object_set_new(end, shown->test->place[place].name, json_integer(outcome->end.place[place]));
    return json_pack("{s:o,s:b}", "end", end, "condition", outcome->meets_condition);
}

static json_t *edge_json(const struct litmus_shown *shown, const struct axiom_edge *edge)
{
    char from[LITMUS_EVENT_BYTES], to[LITMUS_EVENT_BYTES];
    litmus_event_text(shown, edge->from, from, sizeof from);
    litmus_event_text(shown, edge->to, to, sizeof to);
    return json_pack("{s:s,s:s,s:s}", "from", from, "relation", edge->name, "to", to);
}

json_t *litmus_json(const struct litmus_shown *shown)
{
    const struct model_answer *answer = shown->answer;
    json_t *outcomes = json_array(), *edges = json_array();
    for (int i = 0; i < answer->outcomes; i++)
        json_array_append_new(outcomes, outcome_json(shown, &answer->outcome[i]));
    struct axiom_edge edge[LITMUS_CYCLE_EDGES];
    int count = answer->has_witness ? litmus_edges(shown, edge) : 0;
    for (int i = 0; i < count; i++) json_array_append_new(edges, edge_json(shown, &edge[i]));
    return json_pack("{s:s,s:s,s:s,s:b,s:b,s:s,s:o,s:o}", "file", shown->path, "name", shown->test->name, "verdict",
                     litmus_verdict(shown), "agrees", answer->holds, "loopsCut", answer->is_cut, "axiom",
                     axiom_name(answer->broken), "edges", edges, "outcomes", outcomes);
}
