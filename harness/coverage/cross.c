// SPDX-License-Identifier: MIT
#include "cross.h"

#include <inttypes.h>
#include <string.h>

#include "rule_most.h"
#include "swizzle_names.h"

static const int values[AXES] = {FEATURE_OPERATIONS, FEATURE_MODES,       DTYPE_COUNT,    FEATURE_RANKS,
                                 FEATURE_SWIZZLES,   FEATURE_INTERLEAVES, BOUNDS_CLASSES, ESTRIDE_CLASSES};

int cross_axis_values(enum cross_axis axis)
{
    return values[axis];
}

const char *cross_axis_name(enum cross_axis axis)
{
    static const char *const names[AXES] = {"operation", "mode",       "data type", "rank",
                                            "swizzle",   "interleave", "bounds",    "element stride"};
    return names[axis];
}

const char *cross_value_name(enum cross_axis axis, int value)
{
    static const char *const names[AXES][AXIS_MOST] = {
        [AXIS_MODE] = {"tiled", "im2col"},
        [AXIS_RANK] = {"1", "2", "3", "4", "5"},
        [AXIS_INTERLEAVE] = {"none", "16B", "32B"},
        [AXIS_BOUNDS] = {"inside", "before", "past", "both", "outside"},
        [AXIS_ESTRIDE] = {"1", "inner", "outer", "both"},
    };
    if (axis == AXIS_OPERATION) return feature_operation_name((enum feature_operation)value);
    if (axis == AXIS_SWIZZLE) return swizzle_plain_name((uint32_t)value);
    if (axis == AXIS_DTYPE) return dtype_row((enum dtype)value)->name;
    return names[axis][value];
}

// --- Points as numbers -----------------------------------------------------------------------------------------------

static void coordinates_of(const struct feature *feature, int at[AXES])
{
    const int all[AXES] = {feature->operation, feature->mode,       feature->dtype,  feature->rank - 1,
                           feature->swizzle,   feature->interleave, feature->bounds, feature->estride};
    memcpy(at, all, sizeof all);
}

static struct feature feature_at(const int at[AXES])
{
    return (struct feature){(enum feature_operation)at[AXIS_OPERATION],
                            (enum tensormap_mode)at[AXIS_MODE],
                            (enum dtype)at[AXIS_DTYPE],
                            at[AXIS_RANK] + 1,
                            (enum tensormap_swizzle)at[AXIS_SWIZZLE],
                            (enum tensormap_interleave)at[AXIS_INTERLEAVE],
                            (enum feature_bounds)at[AXIS_BOUNDS],
                            (enum feature_estride)at[AXIS_ESTRIDE]};
}

static int cell_of(const int at[AXES])
{
    int cell = 0;
    for (int axis = 0; axis <= AXIS_INTERLEAVE; axis++) cell = cell * values[axis] + at[axis];
    return cell;
}

struct feature cross_feature(int cell)
{
    int at[AXES] = {0};
    for (int axis = AXIS_INTERLEAVE; axis >= 0; axis--) {
        at[axis] = cell % values[axis];
        cell /= values[axis];
    }
    return feature_at(at);
}

bool cross_cell_is_possible(int cell)
{
    struct feature feature = cross_feature(cell);
    return feature_is_possible(&feature);
}

// Is there a possible point with this value of axis 6 + `which` and this one of `axis`? Asked of the other axes' values
// that are never in the way: a load, tiled, of rank 3, of the first type that the operation has.
bool cross_pair_is_possible(int which, int value, enum cross_axis axis, int other)
{
    int at[AXES] = {[AXIS_RANK] = 2};
    at[AXIS_BOUNDS + which] = value;
    at[axis] = other;
    for (at[AXIS_DTYPE] = axis == AXIS_DTYPE ? other : 0; at[AXIS_DTYPE] < DTYPE_COUNT; at[AXIS_DTYPE]++) {
        struct feature feature = feature_at(at);
        if (feature_is_possible(&feature)) return true;
        if (axis == AXIS_DTYPE) break;
    }
    return false;
}

// --- Counting --------------------------------------------------------------------------------------------------------

void cross_count(struct cross *cross, enum cross_source source, const struct family *family, const void *test_case,
                 enum rule rule)
{
    struct feature feature;
    int at[AXES];
    cross->cases[source]++;
    cross->rule[source][rule]++;
    if (rule != RULE_OK || family->feature == NULL || !family->feature(test_case, &feature)) return;
    coordinates_of(&feature, at);
    cross->cell[source][cell_of(at)]++;
    for (int which = 0; which < 2; which++)
        for (int axis = 0; axis < AXES; axis++)
            if (axis != AXIS_BOUNDS + which) cross->pair[source][which][at[AXIS_BOUNDS + which]][axis][at[axis]]++;
}

void cross_add(struct cross *cross, const struct cross *part)
{
    for (int source = 0; source < CROSS_SOURCES; source++) {
        for (int cell = 0; cell < CROSS_CELLS; cell++) cross->cell[source][cell] += part->cell[source][cell];
        uint32_t *pair = &cross->pair[source][0][0][0][0];
        const uint32_t *more = &part->pair[source][0][0][0][0];
        for (size_t i = 0; i < sizeof cross->pair[source] / sizeof *pair; i++) pair[i] += more[i];
        for (int rule = 0; rule < rule_count(); rule++) cross->rule[source][rule] += part->rule[source][rule];
        cross->cases[source] += part->cases[source];
    }
    cross->partly += part->partly;
}

bool cross_may_close_hole(const struct cross *cross, const struct family *family, const void *test_case)
{
    struct feature feature;
    int at[AXES];
    if (family->feature == NULL || !family->feature(test_case, &feature)) return false;
    coordinates_of(&feature, at);
    if (cross->cell[CROSS_RECORDED][cell_of(at)] < CROSS_ENOUGH) return true;
    for (int which = 0; which < 2; which++)
        for (int axis = 0; axis < AXES; axis++)
            if (axis != AXIS_BOUNDS + which &&
                cross->pair[CROSS_RECORDED][which][at[AXIS_BOUNDS + which]][axis][at[axis]] < CROSS_ENOUGH)
                return true;
    return false;
}

int cross_closes_hole(const struct cross *cross, const struct family *family, const void *test_case, enum rule rule)
{
    if (cross_rule_ends_case(rule)) return cross->rule[CROSS_RECORDED][rule] < CROSS_ENOUGH;
    return rule == RULE_OK && cross_may_close_hole(cross, family, test_case);
}

static void add(struct cross_total *total, uint32_t recorded, uint32_t generated)
{
    total->possible++;
    total->hit[CROSS_RECORDED] += recorded > 0;
    total->hit[CROSS_GENERATED] += generated > 0;
    total->enough += recorded >= CROSS_ENOUGH;
}

struct cross_total cross_cells(const struct cross *cross, enum feature_operation operation, enum tensormap_mode mode)
{
    struct cross_total total = {0};
    for (int cell = 0; cell < CROSS_CELLS; cell++) {
        struct feature feature = cross_feature(cell);
        if (!feature_is_possible(&feature)) continue;
        if (operation != FEATURE_OPERATIONS && (feature.operation != operation || feature.mode != mode)) continue;
        add(&total, cross->cell[CROSS_RECORDED][cell], cross->cell[CROSS_GENERATED][cell]);
    }
    return total;
}

struct cross_total cross_pairs(const struct cross *cross, int which)
{
    struct cross_total total = {0};
    for (int value = 0; value < values[AXIS_BOUNDS + which]; value++)
        for (int axis = 0; axis < AXES; axis++)
            for (int other = 0; axis != AXIS_BOUNDS + which && other < values[axis]; other++)
                if (cross_pair_is_possible(which, value, (enum cross_axis)axis, other))
                    add(&total, cross->pair[CROSS_RECORDED][which][value][axis][other],
                        cross->pair[CROSS_GENERATED][which][value][axis][other]);
    return total;
}

bool cross_rule_ends_case(enum rule rule)
{
    enum outcome outcome = rule_row(rule)->sm_90a;
    return outcome == OUTCOME_INVALID || outcome == OUTCOME_FAULT || outcome == OUTCOME_CRASH;
}

struct cross_total cross_rules(const struct cross *cross)
{
    struct cross_total total = {0};
    for (enum rule rule = RULE_OK + 1; rule < rule_end(); rule++)
        if (cross_rule_ends_case(rule))
            add(&total, cross->rule[CROSS_RECORDED][rule], cross->rule[CROSS_GENERATED][rule]);
    return total;
}

// --- The summary -----------------------------------------------------------------------------------------------------

static void write_total(FILE *out, const char *what, struct cross_total total)
{
    fprintf(out, "%-28s %8u %8u %8u %8u\n", what, total.possible, total.hit[CROSS_RECORDED], total.enough,
            total.hit[CROSS_GENERATED]);
}

// How many cases of this source a point needs.
static uint32_t needed(enum cross_source source)
{
    return source == CROSS_RECORDED ? CROSS_ENOUGH : 1;
}

// Returns how many there are.
static int write_holes(const struct cross *cross, enum cross_source source, int most, FILE *out)
{
    int holes = 0;
    for (int cell = 0; cell < CROSS_CELLS; cell++) {
        if (!cross_cell_is_possible(cell) || cross->cell[source][cell] >= needed(source)) continue;
        struct feature f = cross_feature(cell);
        if (holes++ < most)
            fprintf(out, "    %s %s, %s, rank %d, swizzle %s, interleave %s\n", feature_operation_name(f.operation),
                    cross_value_name(AXIS_MODE, f.mode), cross_value_name(AXIS_DTYPE, f.dtype), f.rank,
                    cross_value_name(AXIS_SWIZZLE, f.swizzle), cross_value_name(AXIS_INTERLEAVE, f.interleave));
    }
    if (holes > most) fprintf(out, "    and %d more\n", holes - most);
    return holes;
}

static int write_rule_holes(const struct cross *cross, enum cross_source source, FILE *out)
{
    int holes = 0;
    for (enum rule rule = RULE_OK + 1; rule < rule_end(); rule++) {
        if (!cross_rule_ends_case(rule) || cross->rule[source][rule] >= needed(source)) continue;
        fprintf(out, "    rule %s\n", rule_row(rule)->id);
        holes++;
    }
    return holes;
}

struct cross_total cross_total_at(const struct cross *cross, int i, const char **name)
{
    static const char *const rest[] = {"the whole cross", "pairs with bounds", "pairs with element stride",
                                       "rules that end a case"};
    static char what[64];
    int operation = i / FEATURE_MODES, mode = i % FEATURE_MODES, last = i - FEATURE_OPERATIONS * FEATURE_MODES;
    *name = last >= 0 ? rest[last] : what;
    if (last == 0) return cross_cells(cross, FEATURE_OPERATIONS, TENSORMAP_TILED);
    if (last == 1 || last == 2) return cross_pairs(cross, last - 1);
    if (last == 3) return cross_rules(cross);
    snprintf(what, sizeof what, "%s, %s", feature_operation_name((enum feature_operation)operation),
             cross_value_name(AXIS_MODE, mode));
    return cross_cells(cross, (enum feature_operation)operation, (enum tensormap_mode)mode);
}

static void write_answered(const struct cross *cross, FILE *out)
{
    int rules = 0;
    for (enum rule rule = RULE_OK + 1; rule < rule_end(); rule++)
        rules += cross_rule_ends_case(rule) && cross->rule[CROSS_ANSWERED][rule] > 0;
    fprintf(out, "answered as recorded: %" PRIu64 " of %" PRIu64 " cases, %d of the rules that end a case\n",
            cross->cases[CROSS_ANSWERED], cross->cases[CROSS_RECORDED], rules);
    if (cross->partly > 0)
        fprintf(out, "compared in part, as the rest is an H200's time or promise: %" PRIu64 " more\n", cross->partly);
}

void cross_write_text(const struct cross *cross, int holes, FILE *out)
{
    fprintf(out, "%-28s %8s %8s %8s %8s\n", "points", "possible", "recorded", "3 times", "generated");
    for (int i = 0; i < CROSS_TOTALS; i++) {
        const char *name;
        struct cross_total total = cross_total_at(cross, i, &name);
        write_total(out, name, total);
    }
    if (cross->is_asked) write_answered(cross, out);
    for (int source = 0; source <= CROSS_GENERATED && holes > 0; source++) {
        if (cross->cases[source] == 0) continue;
        fprintf(out, "%s:\n", source == CROSS_RECORDED ? "recorded fewer than 3 times" : "never generated");
        int count = write_holes(cross, (enum cross_source)source, holes, out);
        count += write_rule_holes(cross, (enum cross_source)source, out);
        if (count == 0) fprintf(out, "    none\n");
    }
}
