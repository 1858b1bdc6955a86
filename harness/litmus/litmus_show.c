// SPDX-License-Identifier: MIT
// The verdict on a litmus test as text (litmus_show.h).
#include "litmus_show.h"

#include <inttypes.h>
#include <string.h>

static bool is_found(const struct litmus_shown *shown)
{
    return shown->answer->has_witness && shown->answer->broken == AXIOM_NONE;
}

const char *litmus_verdict(const struct litmus_shown *shown)
{
    bool found = is_found(shown);
    if (shown->options->question == MODEL_PROGRESS) return found ? "can wait for ever" : "ends";
    if (shown->options->question == MODEL_RACES) return found ? "has a data-race" : "has no data-race";
    if (shown->test->claim == CLAIM_ALWAYS) return found ? "not always" : "always";
    return found ? "allowed" : "forbidden";
}

static const char *claim_text(const struct litmus_shown *shown)
{
    static const char *const words[] = {
        [CLAIM_EXISTS] = "exists", [CLAIM_NEVER] = "~exists", [CLAIM_ALWAYS] = "forall"};
    if (shown->options->question == MODEL_RACES) return "no data-race";
    return shown->options->question == MODEL_PROGRESS ? "all threads end" : words[shown->test->claim];
}

// The instruction at a place of the text, up to the end of its cell.
static int cell_text(const struct litmus_shown *shown, int line, int column, const char **at)
{
    const char *text = shown->text, *end = text + shown->bytes;
    for (; line > 1 && text < end; text++)
        if (*text == '\n') line--;
    text += column - 1;
    const char *stop = text;
    while (stop < end && *stop != '|' && *stop != ';' && *stop != '\n') stop++;
    while (stop > text && stop[-1] == ' ') stop--;
    *at = text;
    return (int)(stop - text);
}

static const char *part_text(const struct order_event *event)
{
    if (event->what & IS_API) return "a grid starts or ends";
    if (event->operation >= 0 && (event->what & IS_COMPLETE_TX)) return "its complete_tx";
    if (event->operation >= 0 && (event->what & IS_PROXY_FENCE)) return "its implicit proxy fence";
    if (event->operation >= 0 && (event->what & IS_ARRIVE)) return "its arrive";
    if (event->operation >= 0) return event->what & IS_WRITE ? "its write" : "its read";
    if (event->meeting == AT_BARRIER || event->meeting == AT_CLUSTER)
        return event->what & IS_WAIT ? "leaves" : "arrives";
    return "";
}

static size_t add_value(const struct litmus_shown *shown, const struct order_event *event, char *to, size_t room)
{
    if (event->place < 0 || !(event->what & (IS_READ | IS_WRITE))) return 0;
    int bytes = snprintf(to, room, " (%s %s %" PRId64 ")", event->what & IS_WRITE ? "writes" : "reads",
                         shown->test->place[event->place].name, event->value);
    return (size_t)bytes;
}

void litmus_event_text(const struct litmus_shown *shown, int event, char *to, size_t room)
{
    const struct order_event *at = &shown->answer->witness.event[event];
    if (at->what & IS_INITIAL) {
        snprintf(to, room, "%s = %" PRId64 " before the test", shown->test->place[at->place].name, at->value);
        return;
    }
    if (at->thread < 0) {
        snprintf(to, room, "%s", part_text(at));
        return;
    }
    const struct litmus_step *step = &shown->test->thread[at->thread].step[at->step];
    const char *cell = "";
    int bytes = cell_text(shown, step->line, step->column, &cell);
    const char *part = part_text(at);
    size_t used = (size_t)snprintf(to, room, "P%d:%d %.*s%s%s", at->thread, step->line, bytes > 90 ? 90 : bytes, cell,
                                   part[0] == '\0' ? "" : ": ", part);
    if (used < room) add_value(shown, at, to + used, room - used);
}

int litmus_edges(const struct litmus_shown *shown, struct axiom_edge *edges)
{
    const struct execution *x = &shown->answer->witness;
    if (!is_found(shown)) return axiom_cycle(x, shown->answer->broken, edges, LITMUS_CYCLE_EDGES);
    int count = 0;
    RELATION_EACH(write, x->writes)
    {
        RELATION_EACH(read, x->reads_from.row[write])
        {
            if (count < LITMUS_CYCLE_EDGES) edges[count++] = (struct axiom_edge){write, read, "is read by"};
        }
    }
    return count;
}

static void print_edges(const struct litmus_shown *shown, FILE *out)
{
    struct axiom_edge edges[LITMUS_CYCLE_EDGES];
    int count = litmus_edges(shown, edges);
    char text[LITMUS_EVENT_BYTES];
    for (int i = 0; i < count; i++) {
        bool goes_on = i > 0 && edges[i - 1].to == edges[i].from;
        litmus_event_text(shown, edges[i].from, text, sizeof text);
        if (!goes_on) fprintf(out, "    %s\n", text);
        litmus_event_text(shown, edges[i].to, text, sizeof text);
        fprintf(out, "      %s\n    %s\n", edges[i].name, text);
    }
}

static void print_loops(const struct litmus_shown *shown, FILE *out)
{
    if (shown->answer->is_cut && !is_found(shown))
        fprintf(out, "  A loop was run %d times at most; --unroll sets the number.\n", shown->options->unroll + 1);
    if (!shown->answer->can_end && shown->options->question != MODEL_PROGRESS)
        fprintf(out, "  In no execution do all threads end: the question has no answer but that.\n");
}

static void print_race(const struct litmus_shown *shown, FILE *out)
{
    char text[LITMUS_EVENT_BYTES];
    if (shown->options->question != MODEL_RACES) return;
    fprintf(out, "  Two accesses race: neither comes first in causality order, and they are not morally strong.\n");
    for (int i = 0; i < 2; i++) {
        litmus_event_text(shown, shown->answer->race[i], text, sizeof text);
        fprintf(out, "    %s\n", text);
    }
}

void litmus_print(const struct litmus_shown *shown, FILE *out)
{
    const struct model_answer *answer = shown->answer;
    fprintf(out, "%s: %s, %s (%s)\n", shown->test->name, litmus_verdict(shown),
            answer->holds ? "as the test claims" : "against the test's claim", claim_text(shown));
    if (shown->test->about[0] != '\0') fprintf(out, "  %s\n", shown->test->about);
    print_loops(shown, out);
    if (!answer->has_witness) {
        if (shown->options->question == MODEL_CLAIM)
            fprintf(out, "  No execution reads and leaves such values: none is written so, or coherence order has "
                         "another last one.\n");
        return;
    }
    if (is_found(shown)) {
        print_race(shown, out);
        fprintf(out, "  One execution, by its reads:\n");
    } else if (shown->options->question != MODEL_CLAIM) {
        return; // there is none, and no cycle that would show it
    } else {
        fprintf(out, "  The axiom '%s' forbids it, because this is a cycle:\n", axiom_name(answer->broken));
    }
    print_edges(shown, out);
}

static void print_register(const struct litmus_shown *shown, int thread, int reg, int64_t value, FILE *out)
{
    fprintf(out, " P%d:%s=%" PRId64, thread, shown->test->thread[thread].register_name[reg], value);
}

void litmus_print_outcomes(const struct litmus_shown *shown, FILE *out)
{
    const struct model_answer *answer = shown->answer;
    fprintf(out, "  Outcomes that are allowed:\n");
    for (int i = 0; i < answer->outcomes; i++) {
        const struct model_outcome *outcome = &answer->outcome[i];
        fprintf(out, "   %s", outcome->meets_condition ? " *" : "  ");
        for (int thread = 0; thread < shown->test->threads; thread++) RELATION_EACH(reg, answer->used_registers[thread])
        print_register(shown, thread, reg, outcome->end.reg[thread][reg], out);
        RELATION_EACH(place, answer->used_places)
        fprintf(out, " %s=%" PRId64, shown->test->place[place].name, outcome->end.place[place]);
        fprintf(out, "\n");
    }
    if (answer->outcomes_lost) fprintf(out, "    and more: only %d are kept\n", MODEL_OUTCOMES);
}
