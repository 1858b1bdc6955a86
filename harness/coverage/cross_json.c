// SPDX-License-Identifier: MIT
#include <jansson.h>

#include "cross.h"
#include "rule_most.h"

static json_t *totals(const struct cross *cross)
{
    json_t *list = json_array();
    for (int i = 0; i < CROSS_TOTALS; i++) {
        const char *name;
        struct cross_total total = cross_total_at(cross, i, &name);
        json_array_append_new(list, json_pack("{s:s, s:i, s:i, s:i, s:i}", "points", name, "possible", total.possible,
                                              "recorded", total.hit[CROSS_RECORDED], "recorded_3_times", total.enough,
                                              "generated", total.hit[CROSS_GENERATED]));
    }
    return list;
}

// At most `most` points that fewer than `enough` cases of a source reach.
static json_t *holes_of(const struct cross *cross, enum cross_source source, uint32_t enough, int most)
{
    json_t *list = json_array();
    for (int cell = 0; cell < CROSS_CELLS; cell++) {
        if (!cross_cell_is_possible(cell) || cross->cell[source][cell] >= enough) continue;
        struct feature f = cross_feature(cell);
        if (json_array_size(list) == (size_t)most) break;
        json_array_append_new(
            list, json_pack("{s:s, s:s, s:s, s:i, s:s, s:s}", "operation", feature_operation_name(f.operation), "mode",
                            cross_value_name(AXIS_MODE, f.mode), "dtype", cross_value_name(AXIS_DTYPE, f.dtype), "rank",
                            f.rank, "swizzle", cross_value_name(AXIS_SWIZZLE, f.swizzle), "interleave",
                            cross_value_name(AXIS_INTERLEAVE, f.interleave)));
    }
    return list;
}

static json_t *rules(const struct cross *cross)
{
    json_t *list = json_array();
    for (enum rule rule = RULE_OK + 1; rule < rule_end(); rule++)
        if (cross_rule_ends_case(rule))
            json_array_append_new(list, json_pack("{s:s, s:i, s:i, s:i}", "id", rule_row(rule)->id, "recorded",
                                                  cross->rule[CROSS_RECORDED][rule], "generated",
                                                  cross->rule[CROSS_GENERATED][rule], "answered",
                                                  cross->rule[CROSS_ANSWERED][rule]));
    return list;
}

void cross_write_json(const struct cross *cross, int holes, FILE *out)
{
    json_t *json = json_pack("{s:o, s:o, s:o, s:o}", "totals", totals(cross), "recorded_too_seldom",
                             holes_of(cross, CROSS_RECORDED, CROSS_ENOUGH, holes), "never_generated",
                             holes_of(cross, CROSS_GENERATED, 1, holes), "rules", rules(cross));
    json_dumpf(json, out, JSON_INDENT(1));
    fprintf(out, "\n");
    json_decref(json);
}
