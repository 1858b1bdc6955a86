// SPDX-License-Identifier: MIT
#include "sanitize_confirm.h"

static const struct {
    const char *text;
    struct remedy_schedule as;
} schedules[] = {
    {"--schedule late", {MACHINE_LATE, 0}},
    {"--schedule early", {MACHINE_EARLY, 0}},
    {"--schedule shuffled", {MACHINE_SHUFFLED, 0}},
    {"--schedule shuffled --seed 1", {MACHINE_SHUFFLED, 1}},
    {"--schedule shuffled --seed 2", {MACHINE_SHUFFLED, 2}},
};
enum { SCHEDULES = sizeof schedules / sizeof schedules[0] };

static const struct remedy_aim nothing;

static int run(const struct remedy_trier *trier, const struct remedy_edit *edit, const struct remedy_schedule *as,
               struct remedy_result *result)
{
    return trier->try(trier->context, edit, &nothing, as, result);
}

struct sanitize_confirm sanitize_confirm_launch(const struct remedy_trier *trier)
{
    static const struct remedy_edit none;
    struct sanitize_confirm confirm = {.schedule = ""};
    struct remedy_result own, other;
    if (!run(trier, &none, NULL, &own) || !own.has_ended) return confirm;
    confirm.is_tried = true;
    for (int i = 0; i < SCHEDULES; i++) {
        if (!run(trier, &none, &schedules[i].as, &other)) continue;
        if (other.has_ended && other.digest == own.digest) continue;
        confirm.fails = !other.has_ended;
        confirm.schedule = schedules[i].text;
        confirm.as = schedules[i].as;
        break;
    }
    return confirm;
}

bool sanitize_confirm_edit(const struct remedy_trier *trier, const struct sanitize_confirm *confirm,
                           const struct remedy_edit *edit)
{
    struct remedy_result own, other;
    return confirm->is_tried && confirm->schedule[0] != '\0' && run(trier, edit, NULL, &own) && own.has_ended &&
           run(trier, edit, &confirm->as, &other) && other.has_ended && own.digest == other.digest;
}
