// SPDX-License-Identifier: MIT
#include "tally.h"

#include <stdio.h>
#include <string.h>

// Is the id of `cause` one of those in `says`?
static bool is_said(const char *says, enum cause cause)
{
    const char *id = cause == CAUSES ? "" : cause == CAUSE_FOREIGN ? "?" : cause_row(cause)->id;
    size_t length = strlen(id);
    for (const char *at = says; length > 0 && at != NULL; at = strchr(at, '|')) {
        at += *at == '|';
        if (strncmp(at, id, length) == 0 && (at[length] == '|' || at[length] == 0)) return true;
    }
    return false;
}

static bool is_named(const struct explanation *e, const char *first, const char *second)
{
    if (second == NULL) return e->second == CAUSES && is_said(first, e->cause);
    return (is_said(first, e->cause) && is_said(second, e->second)) ||
           (is_said(second, e->cause) && is_said(first, e->second));
}

int tally_verdict(const struct diagnosis *answer, const char *first, const char *second)
{
    bool has_whole = answer->explanations > 0 && answer->explanation[0].is_whole;
    for (int i = 0; i < answer->explanations; i++)
        if (is_named(&answer->explanation[i], first, second)) return i == 0 ? FIRST : TIE;
    if (second != NULL && has_whole && answer->explanation[0].second == CAUSES) return MERGED;
    return has_whole ? WRONG : MISSED;
}

void tally_explain(const struct diagnosis *answer)
{
    for (int i = 0; i < answer->explanations && i < 6; i++) {
        const struct explanation *e = &answer->explanation[i];
        printf("    %s%s%s%s: %s\n", cause_row(e->cause)->id, e->second < CAUSES ? " + " : "",
               e->second < CAUSES ? cause_row(e->second)->id : "",
               e->is_whole   ? ""
               : e->is_maybe ? " (may be)"
                             : " (part)",
               e->what);
    }
}

static double percent(unsigned part, unsigned of)
{
    return of == 0 ? 100 : 100.0 * part / of;
}

void tally_print(const char *name, const struct tally *row)
{
    printf("| %-38s |", name);
    for (int knows = 1; knows >= 0; knows--) {
        const unsigned *c = row->count[knows];
        unsigned all = c[FIRST] + c[TIE] + c[MISSED] + c[WRONG];
        printf(" %4u | %4u | %4u | %4u | %4u |", all, c[FIRST], c[TIE], c[MISSED], c[WRONG]);
    }
    printf("\n");
}

void tally_head(void)
{
    printf("| %-38s |%37s |%37s |\n", "", "before known: cases, first, tie, missed, wrong", "not known: the same");
}

bool tally_is_kept(const struct tally *all, bool is_two)
{
    bool is_good = true;
    for (int knows = 0; knows < 2; knows++) {
        const unsigned *c = all->count[knows];
        unsigned cases = c[FIRST] + c[TIE] + c[MISSED] + c[WRONG];
        double named = percent(c[FIRST] + c[TIE], cases), wrong = percent(c[WRONG], cases);
        printf("before %s: named %.1f %% (first %.1f %%), wrong %.2f %%, of %u; %u more are the same bytes as one "
               "mistake\n",
               knows ? "known" : "not known", named, percent(c[FIRST], cases), cases > 0 ? wrong : 0, cases, c[MERGED]);
        is_good &= named >= (is_two ? 70 : knows ? 95 : 90) && (cases == 0 || wrong <= (is_two ? 5 : 1));
    }
    return is_good;
}
