// SPDX-License-Identifier: MIT
// Functional coverage as one HTML page that needs nothing else: no script, no style sheet of its own file.
#include "cross.h"
#include "rule_most.h"

static const char head[] =
    "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>tmaref: functional coverage</title>\n<style>\n"
    "body{font:14px/1.5 system-ui,sans-serif;max-width:110em;margin:2em auto;padding:0 1em;color:#1d2733}\n"
    "h1{font-size:1.5em}h2{font-size:1.15em;margin-top:2em}table{border-collapse:collapse;margin:.6em 0}\n"
    "td,th{border:1px solid #cfd8e3;padding:.1em .4em;text-align:right;font-variant-numeric:tabular-nums}\n"
    "th{background:#eef2f7;font-weight:600}td:first-child,th:first-child{text-align:left}\n"
    ".hole{background:#f8d0cc}.part{background:#fdf0c4}.hit{background:#d9efd8}.not{background:#f4f4f4;color:#aaa}\n"
    "details{margin:.4em 0}summary{cursor:pointer}\n</style>\n<h1>Functional coverage</h1>\n";

static const char *colour(uint32_t recorded, uint32_t generated)
{
    return recorded >= CROSS_ENOUGH ? "hit" : recorded > 0 || generated > 0 ? "part" : "hole";
}

static void write_row(FILE *out, const char *what, struct cross_total total)
{
    const uint32_t reached[] = {total.hit[CROSS_RECORDED], total.enough, total.hit[CROSS_GENERATED]};
    fprintf(out, "<tr><td>%s<td>%u", what, total.possible);
    for (int i = 0; i < 3; i++)
        fprintf(out, "<td class=%s>%u", reached[i] == total.possible ? "hit" : "part", reached[i]);
    fputs("</tr>\n", out);
}

static void write_totals(const struct cross *cross, FILE *out)
{
    char what[64];
    fprintf(out,
            "<p>%llu cases recorded on a machine, %llu made by the generators. A point is recorded three times or "
            "more (green), less often or only generated (yellow), or a hole (red); what cannot be is grey.</p>\n"
            "<p>In the grids each rank has its swizzles none, 32B, 64B, 128B from left to right, and within each the "
            "interleaves none, 16B, 32B (from rank 3 on); numbers are recorded cases, hover to see more.</p>\n"
            "<table><tr><th>points<th>possible<th>recorded<th>3 times<th>generated</tr>\n",
            (unsigned long long)cross->cases[CROSS_RECORDED], (unsigned long long)cross->cases[CROSS_GENERATED]);
    for (int operation = 0; operation < FEATURE_OPERATIONS; operation++)
        for (int mode = 0; mode < FEATURE_MODES; mode++) {
            snprintf(what, sizeof what, "<a href=\"#o%d-%d\">%s, %s</a>", operation, mode,
                     feature_operation_name((enum feature_operation)operation), cross_value_name(AXIS_MODE, mode));
            write_row(out, what, cross_cells(cross, (enum feature_operation)operation, (enum tensormap_mode)mode));
        }
    write_row(out, "the whole cross", cross_cells(cross, FEATURE_OPERATIONS, TENSORMAP_TILED));
    write_row(out, "pairs with bounds", cross_pairs(cross, 0));
    write_row(out, "pairs with element stride", cross_pairs(cross, 1));
    write_row(out, "rules that end a case", cross_rules(cross));
    fputs("</table>\n", out);
}

// Types down, rank x interleave x swizzle across: twelve columns for each rank.
static void write_grid(const struct cross *cross, int operation, int mode, FILE *out)
{
    enum { ROW_CELLS = FEATURE_RANKS * FEATURE_SWIZZLES * FEATURE_INTERLEAVES };
    int first = (operation * FEATURE_MODES + mode) * DTYPE_COUNT * ROW_CELLS;
    fprintf(out, "<h2 id=\"o%d-%d\">%s, %s</h2>\n<table><tr><th>rank", operation, mode,
            feature_operation_name((enum feature_operation)operation), cross_value_name(AXIS_MODE, mode));
    for (int rank = mode == TENSORMAP_IM2COL ? 3 : 1; rank <= FEATURE_RANKS; rank++)
        fprintf(out, "<th colspan=%d>%d", rank < 3 ? 4 : 12, rank);
    fputs("</tr>\n", out);
    for (int dtype = 0; dtype < DTYPE_COUNT; dtype++) {
        fprintf(out, "<tr><td>%s", cross_value_name(AXIS_DTYPE, dtype));
        for (int i = 0; i < ROW_CELLS; i++) {
            int cell = first + dtype * ROW_CELLS + i;
            struct feature f = cross_feature(cell);
            uint32_t recorded = cross->cell[CROSS_RECORDED][cell], generated = cross->cell[CROSS_GENERATED][cell];
            if (f.rank < 3 && (mode == TENSORMAP_IM2COL || f.interleave != INTERLEAVE_NONE)) continue;
            if (!cross_cell_is_possible(cell))
                fputs("<td class=not>", out);
            else
                fprintf(out, "<td class=%s title=\"swizzle %s, interleave %s: %u recorded, %u generated\">%u",
                        colour(recorded, generated), cross_value_name(AXIS_SWIZZLE, f.swizzle),
                        cross_value_name(AXIS_INTERLEAVE, f.interleave), recorded, generated, recorded);
        }
        fputs("</tr>\n", out);
    }
    fputs("</table>\n", out);
}

static void write_pairs(const struct cross *cross, int which, FILE *out)
{
    int columns = cross_axis_values((enum cross_axis)(AXIS_BOUNDS + which));
    fprintf(out, "<h2>Pairs with %s</h2>\n<table><tr><th>axis<th>value",
            cross_axis_name((enum cross_axis)(AXIS_BOUNDS + which)));
    for (int value = 0; value < columns; value++)
        fprintf(out, "<th>%s", cross_value_name((enum cross_axis)(AXIS_BOUNDS + which), value));
    fputs("</tr>\n", out);
    for (int axis = 0; axis < AXES; axis++)
        for (int other = 0; axis != AXIS_BOUNDS + which && other < cross_axis_values((enum cross_axis)axis); other++) {
            fprintf(out, "<tr><td>%s<td>%s", cross_axis_name((enum cross_axis)axis),
                    cross_value_name((enum cross_axis)axis, other));
            for (int value = 0; value < columns; value++) {
                uint32_t recorded = cross->pair[CROSS_RECORDED][which][value][axis][other];
                uint32_t generated = cross->pair[CROSS_GENERATED][which][value][axis][other];
                bool possible = cross_pair_is_possible(which, value, (enum cross_axis)axis, other);
                fprintf(out, "<td class=%s>%u", possible ? colour(recorded, generated) : "not", recorded);
            }
            fputs("</tr>\n", out);
        }
    fputs("</table>\n", out);
}

static void write_rules(const struct cross *cross, FILE *out)
{
    fputs("<h2>Rules that end a case</h2>\n<p>How many cases have each rule as their verdict. Every rule, these and "
          "those "
          "that hold all the time, has a unit test and names the recording that shows it (docs/rules.md).</p>\n"
          "<table><tr><th>rule<th>outcome<th>recorded<th>generated<th>answered<th>evidence</tr>\n",
          out);
    for (enum rule rule = RULE_OK + 1; rule < rule_end(); rule++) {
        uint32_t recorded = cross->rule[CROSS_RECORDED][rule], generated = cross->rule[CROSS_GENERATED][rule];
        if (!cross_rule_ends_case(rule)) continue;
        fprintf(out, "<tr><td>%s<td>%s<td class=%s>%u<td>%u<td>%u<td>%s</tr>\n", rule_row(rule)->id,
                outcome_name(rule_row(rule)->sm_90a), colour(recorded, generated), recorded, generated,
                cross->rule[CROSS_ANSWERED][rule], rule_row(rule)->evidence);
    }
    fputs("</table>\n", out);
}

void cross_write_html(const struct cross *cross, FILE *out)
{
    fputs(head, out);
    write_totals(cross, out);
    for (int operation = 0; operation < FEATURE_OPERATIONS; operation++)
        for (int mode = 0; mode < FEATURE_MODES; mode++) write_grid(cross, operation, mode, out);
    for (int which = 0; which < 2; which++) write_pairs(cross, which, out);
    write_rules(cross, out);
    fputs("</html>\n", out);
}
