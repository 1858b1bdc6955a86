// SPDX-License-Identifier: MIT
// A timeline as an SVG document. Colours come from a style sheet in it, with values for light and for dark; nothing
// comes from outside; lengths are pixels.
#include <stdarg.h>

#include "timeline.h"

enum {
    LEFT = 196,
    RIGHT = 28,
    WIDTH = 1280,
    PLOT = WIDTH - LEFT - RIGHT,
    TITLE_TOP = 34,
    SUBTITLE_TOP = 56,
    LEGEND_TOP = 76,
    ROWS_TOP = 106,
    ROW_HEIGHT = 30,
    BAR_HEIGHT = 20,
    AXIS_HEIGHT = 52,
    LETTER = 7, // the width of one in a label
};

// No variables of CSS: not every program that draws SVG knows them.
static const char style[] =
    "<style>\n"
    "  text { font: 13px Helvetica, Arial, 'DejaVu Sans', sans-serif; fill: #1f2328; }\n"
    "  .title { font-size: 16px; font-weight: 600; } .soft { fill: #59636e; } .end { text-anchor: end; }\n"
    "  .middle { text-anchor: middle; } .on { fill: #ffffff; font-size: 11px; text-anchor: middle; }\n"
    "  .k0 { fill: #cfd4da; } .k1 { fill: #7a8490; } .k2 { fill: #2f7ed8; } .k3 { fill: #e0782f; }\n"
    "  .k4 { fill: #2e9e6b; } .page { fill: #ffffff; } .band { fill: #f6f8fa; } .grid { stroke: #e6e9ed; }\n"
    "  @media (prefers-color-scheme: dark) {\n"
    "    text { fill: #e6edf3; } .soft { fill: #9198a1; } .on { fill: #0d1117; }\n"
    "    .k0 { fill: #3d444d; } .k1 { fill: #9aa4b0; } .k2 { fill: #4493f8; } .k3 { fill: #f0883e; }\n"
    "    .k4 { fill: #3fb950; } .page { fill: #0d1117; } .band { fill: #151b23; } .grid { stroke: #262c36; }\n"
    "  }\n"
    "</style>\n";

// What of the time is drawn, and where.
struct plot {
    uint64_t first, end;
    FILE *out;
};

static double x_of(const struct plot *plot, uint64_t tick)
{
    return (int)LEFT + (double)(tick - plot->first) * (int)PLOT / (double)(plot->end - plot->first);
}

__attribute__((format(printf, 5, 6))) static void text(const struct plot *plot, double x, int y, const char *class,
                                                       const char *format, ...)
{
    char line[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    fprintf(plot->out, "<text x=\"%.1f\" y=\"%d\" class=\"%s\">", x, y, class);
    for (const char *at = line; *at != '\0'; at++)
        if (*at == '<' || *at == '&')
            fputs(*at == '<' ? "&lt;" : "&amp;", plot->out);
        else
            fputc(*at, plot->out);
    fprintf(plot->out, "</text>\n");
}

static void legend(const struct plot *plot)
{
    double x = LEFT;
    for (int kind = 0; kind < TIMELINE_KINDS; kind++) {
        int letters = 0;
        while (timeline_kinds[kind][letters] != '\0') letters++;
        fprintf(plot->out, "<rect x=\"%.1f\" y=\"%d\" width=\"14\" height=\"14\" rx=\"3\" class=\"k%d\"/>\n", x,
                LEGEND_TOP, kind);
        text(plot, x + 20, LEGEND_TOP + 12, "soft", "%s", timeline_kinds[kind]);
        x += 20 + LETTER * letters + 24;
    }
}

// Steps of 1, 2 or 5 times a power of ten, at least 6 of them.
static uint64_t axis_step(uint64_t range)
{
    uint64_t step = 1;
    for (uint64_t power = 1; power * 6 <= range; power *= 10) {
        step = power;
        if (2 * power * 6 <= range) step = 2 * power;
        if (5 * power * 6 <= range) step = 5 * power;
    }
    return step;
}

static void axis(const struct plot *plot, int rows, const char *unit, uint64_t origin)
{
    int bottom = ROWS_TOP + rows * ROW_HEIGHT;
    uint64_t step = axis_step(plot->end - plot->first), at = (plot->first - origin + step - 1) / step * step;
    for (; at + origin <= plot->end; at += step) {
        double x = x_of(plot, at + origin);
        fprintf(plot->out, "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" class=\"grid\"/>\n", x, ROWS_TOP, x,
                bottom);
        text(plot, x, bottom + 18, "soft middle", "%g", (double)at / 1000);
    }
    text(plot, WIDTH - RIGHT, bottom + 38, "soft end", "thousand %s", unit);
}

// A span that is too narrow to be seen is drawn half a pixel wide; a name is written where it fits.
static void bar(const struct plot *plot, const struct timeline_span *span)
{
    if (span->end <= plot->first || span->start >= plot->end) return;
    uint64_t start = span->start > plot->first ? span->start : plot->first;
    uint64_t end = span->end < plot->end ? span->end : plot->end;
    double x = x_of(plot, start), width = x_of(plot, end) - x;
    int y = ROWS_TOP + span->row * ROW_HEIGHT + (ROW_HEIGHT - BAR_HEIGHT) / 2, letters = 0;
    while (span->name[letters] != '\0') letters++;
    double gap = width > 4 ? 0.6 : 0;
    fprintf(plot->out,
            "<rect x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\" rx=\"%d\" class=\"k%d\"><title>%s: "
            "%llu</title></rect>\n",
            x + gap / 2, y, width - gap > 0.5 ? width - gap : 0.5, BAR_HEIGHT, width > 8 ? 2 : 0, span->kind,
            span->name, (unsigned long long)(span->end - span->start));
    if (span->kind != TIMELINE_WAIT && width > LETTER * letters + 6)
        text(plot, x + width / 2, y + BAR_HEIGHT / 2 + 4, "on", "%s", span->name);
}

void timeline_svg(const struct timeline *timeline, uint64_t first, uint64_t end, FILE *out)
{
    uint64_t origin, last;
    int rows = timeline->drawn > 0 ? timeline->drawn : timeline->rows;
    int height = ROWS_TOP + rows * ROW_HEIGHT + AXIS_HEIGHT;
    timeline_range(timeline, &origin, &last);
    struct plot plot = {origin + first, end > first ? origin + end : last, out};
    if (plot.end <= plot.first) plot.end = plot.first + 1;
    fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">\n", WIDTH,
            height, WIDTH, height);
    fputs(style, out);
    fprintf(out, "<rect width=\"%d\" height=\"%d\" class=\"page\"/>\n", WIDTH, height);
    text(&plot, 24, TITLE_TOP, "title", "%s", timeline->title);
    text(&plot, 24, SUBTITLE_TOP, "soft", "%s", timeline->subtitle);
    legend(&plot);
    for (int row = 0; row < rows; row++) {
        int y = ROWS_TOP + row * ROW_HEIGHT;
        if (row % 2 == 0)
            fprintf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" class=\"band\"/>\n", LEFT, y, PLOT,
                    ROW_HEIGHT);
        text(&plot, LEFT - 12, y + ROW_HEIGHT / 2 + 5, "end", "%s", timeline->row[row]);
    }
    axis(&plot, rows, timeline->unit, origin);
    for (int i = 0; i < timeline->count; i++)
        if (timeline->span[i].row < rows) bar(&plot, &timeline->span[i]);
    fprintf(out, "</svg>\n");
}
