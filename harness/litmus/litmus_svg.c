// SPDX-License-Identifier: MIT
// One execution of a litmus test as SVG (litmus_show.h): a column for each thread, a box for each event that an edge
// touches, an arrow with its name for each edge.
#include <string.h>

#include "litmus_show.h"

enum { COLUMN = 440, BOX_WIDTH = 330, BOX_HEIGHT = 40, ROW = 84, TOP = 64, LEFT = 20, SHOWN = 48 };

struct page {
    const struct litmus_shown *shown;
    FILE *out;
    int columns, rows;
    int column[RELATION_EVENTS], row[RELATION_EVENTS];
    uint64_t drawn;
};

static void write_escaped(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '<')
            fputs("&lt;", out);
        else if (*text == '>')
            fputs("&gt;", out);
        else if (*text == '&')
            fputs("&amp;", out);
        else
            fputc(*text, out);
    }
}

// Events of no thread stand in a column of their own, behind the others.
static void place_events(struct page *page)
{
    int next[LITMUS_THREADS + 1] = {0};
    const struct execution *x = &page->shown->answer->witness;
    const int threads = page->shown->test->threads;
    page->columns = threads;
    RELATION_EACH(event, page->drawn)
    {
        int column = x->event[event].thread < 0 ? threads : x->event[event].thread;
        page->column[event] = column;
        page->row[event] = next[column]++;
        if (column == threads) page->columns = threads + 1;
        if (next[column] > page->rows) page->rows = next[column];
    }
}

static int box_left(const struct page *page, int event)
{
    return LEFT + page->column[event] * COLUMN;
}

static int box_top(const struct page *page, int event)
{
    return TOP + page->row[event] * ROW;
}

static void write_line(struct page *page, int event, int below, const char *text)
{
    fprintf(page->out, "<text x='%d' y='%d'>", box_left(page, event) + 6, box_top(page, event) + below);
    write_escaped(page->out, text);
    fprintf(page->out, "</text>\n");
}

// The instruction, as much of it as fits, and under it what the event does of it.
static void write_box(struct page *page, int event)
{
    char text[LITMUS_EVENT_BYTES], line[SHOWN + 4];
    const struct order_event *at = &page->shown->answer->witness.event[event];
    litmus_event_text(page->shown, event, text, sizeof text);
    fprintf(page->out, "<rect x='%d' y='%d' width='%d' height='%d' rx='4' fill='%s' stroke='#555'/>\n",
            box_left(page, event), box_top(page, event), BOX_WIDTH, BOX_HEIGHT,
            at->operation >= 0    ? "#fdebc8"
            : at->what & IS_FENCE ? "#dbe9d4"
                                  : "#e3eaf5");
    char *part = strstr(text, ": it"), *value = strstr(text, " (");
    char *rest = part != NULL ? part : value;
    int bytes = rest != NULL ? (int)(rest - text) : (int)strlen(text);
    snprintf(line, sizeof line, bytes > SHOWN ? "%.*s..." : "%.*s", bytes > SHOWN ? SHOWN : bytes, text);
    write_line(page, event, 16, line);
    if (rest != NULL) write_line(page, event, 32, rest + (part != NULL ? 2 : 1));
}

static void write_edge(struct page *page, const struct axiom_edge *edge)
{
    int from_x = box_left(page, edge->from) + BOX_WIDTH / 2, from_y = box_top(page, edge->from) + BOX_HEIGHT;
    int to_x = box_left(page, edge->to) + BOX_WIDTH / 2, to_y = box_top(page, edge->to);
    int bow = 0;
    if (page->row[edge->from] >= page->row[edge->to]) { // sideways or up
        int rightwards = page->column[edge->to] > page->column[edge->from] ? 1 : -1;
        bool same = page->column[edge->to] == page->column[edge->from];
        from_x += rightwards * BOX_WIDTH / 2;
        from_y -= BOX_HEIGHT / 2;
        to_x -= (same ? -1 : 1) * rightwards * BOX_WIDTH / 2;
        to_y += BOX_HEIGHT / 2;
        bow = same ? -18 : 0;
    }
    fprintf(page->out, "<path d='M %d %d Q %d %d %d %d' fill='none' stroke='#b03030' marker-end='url(#head)'/>\n",
            from_x, from_y, (from_x + to_x) / 2 + bow, (from_y + to_y) / 2, to_x, to_y);
    fprintf(page->out, "<text x='%d' y='%d' class='edge'>", (2 * from_x + to_x) / 3 + 6 + bow / 2,
            (2 * from_y + to_y) / 3 - 2);
    write_escaped(page->out, edge->name);
    fprintf(page->out, "</text>\n");
}

static void write_head(struct page *page)
{
    const int width = LEFT + page->columns * COLUMN, height = TOP + page->rows * ROW;
    const struct litmus_shown *shown = page->shown;
    fprintf(page->out,
            "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' viewBox='0 0 %d %d' role='img'>\n"
            "<style>text { font: 12px sans-serif } .edge { font-size: 11px; fill: #b03030 } .head { font-weight: bold "
            "}\n@media (prefers-color-scheme: dark) {\n  text { fill: #dddddd } rect { fill: #2c3a50 } "
            "rect:first-of-type { fill: "
            "#1e1e1e } .edge { fill: #ff8080 }\n}\n</style>\n<defs><marker id='head' viewBox='0 0 8 8' refX='8' "
            "refY='4' markerWidth='8' markerHeight='8' "
            "orient='auto'><path d='M 0 0 L 8 4 L 0 8 z' fill='#b03030'/></marker></defs>\n"
            "<rect width='100%%' height='100%%' fill='white'/>\n<text x='%d' y='22' class='head'>",
            width, height, width, height, LEFT);
    write_escaped(page->out, shown->test->name);
    fprintf(page->out, ": %s", litmus_verdict(shown));
    if (shown->answer->broken != AXIOM_NONE) fprintf(page->out, " by the axiom %s", axiom_name(shown->answer->broken));
    fprintf(page->out, "</text>\n");
    for (int thread = 0; thread < shown->test->threads; thread++)
        fprintf(page->out, "<text x='%d' y='50' class='head'>P%d</text>\n", LEFT + thread * COLUMN, thread);
}

void litmus_write_svg(const void *what, FILE *out)
{
    const struct litmus_shown *shown = what;
    struct page page = {.shown = shown, .out = out};
    struct axiom_edge edges[LITMUS_CYCLE_EDGES];
    int count = shown->answer->has_witness ? litmus_edges(shown, edges) : 0;
    for (int i = 0; i < count; i++) page.drawn |= relation_bit(edges[i].from) | relation_bit(edges[i].to);
    place_events(&page);
    write_head(&page);
    RELATION_EACH(event, page.drawn) write_box(&page, event);
    for (int i = 0; i < count; i++) write_edge(&page, &edges[i]);
    fprintf(out, "</svg>\n");
}
