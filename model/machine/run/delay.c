// SPDX-License-Identifier: MIT
#include "delay.h"

#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "step_turns.h"
#include "where_text.h"

enum { PATIENCE = 1 << 18, MOST_TOLD = 64 }; // instructions in which nothing changes; delays of which the end is told

static const struct machine_launch *launch_of(const struct machine_cluster *cluster)
{
    return cluster->machine->launch;
}

static struct machine_warp *warp_at(const struct machine_cluster *cluster, uint32_t number)
{
    return &cluster->cta[number % cluster->ctas].warp[number / cluster->ctas];
}

static uint32_t number_of(const struct machine_warp *warp)
{
    return warp->index * warp->cta->cluster->ctas + warp->cta->rank;
}

// --- What is told ----------------------------------------------------------------------------------------------------

static void tell(const struct machine_cluster *cluster, const char *text)
{
    const struct machine_launch *launch = launch_of(cluster);
    launch->delayed(launch->delayed_context, text);
}

static void place_of(const struct machine_warp *warp, uint32_t *line, uint32_t *called_at)
{
    *line = *called_at = 0;
    if (warp->strands == 0) return;
    const struct machine_strand *strand = &warp->strand[0];
    *line = machine_where(strand, NULL, (uint32_t)__builtin_ctz(strand->lanes)).ptx_line;
    *called_at = machine_called_at(strand->frame);
}

static void add_place(struct machine_text *to, const struct machine *machine, uint32_t line, uint32_t called_at)
{
    const struct machine_where where = machine_line_where(machine, line, called_at);
    const struct machine_caller own = machine_where_own(&where);
    char place[300];
    if (line == 0)
        machine_text_add(to, "its end");
    else if (where_place(&own, false, place, sizeof place)[0] != '\0')
        machine_text_add(to, "%s (PTX line %u)", place, line);
    else
        machine_text_add(to, "line %u of the PTX", line);
}

static void name_warp(struct machine_text *to, const struct machine_warp *warp)
{
    const uint32_t *cta = warp->cta->ctaid;
    machine_text_add(to, "warp %u of CTA (%u,%u,%u)", warp->index, cta[0], cta[1], cta[2]);
}

// Keeps what the end of the delay is compared with. Who has drawn its delays is not told of their ends: there are many.
static void begin_wait(struct machine_cluster *cluster, const struct delay_wait *of)
{
    struct machine_delayed *delayed = cluster->delayed;
    const struct machine_delays *delays = launch_of(cluster)->delays;
    if (delays == NULL || delays->count > MOST_TOLD) return;
    struct delay_wait *wait = malloc(sizeof *wait + delayed->warps * sizeof *wait->seen);
    if (wait == NULL) return;
    *wait = *of;
    wait->next = delayed->wait;
    for (uint32_t i = 0; i < delayed->warps; i++) {
        wait->seen[i].executed = delayed->warp[i].executed;
        place_of(warp_at(cluster, i), &wait->seen[i].line, &wait->seen[i].called_at);
    }
    delayed->wait = wait;
}

// A delay has begun: "3 launch 1 cta 0,0,0 warp 2 after 37 # at k.cu:40".
static void tell_begin(const struct machine_warp *warp, const struct delay_wait *of)
{
    struct machine_cluster *cluster = warp->cta->cluster;
    char delay[MACHINE_DELAY_BYTES], text[1024];
    struct machine_text to = {text, 0, sizeof text};
    if (launch_of(cluster)->delayed == NULL) return;
    machine_delay_write(&of->delay, delay);
    machine_text_add(&to, "%s # at ", delay);
    add_place(&to, cluster->machine, of->line, of->called_at);
    tell(cluster, text);
    begin_wait(cluster, of);
}

// Who else has got on meanwhile: a comment for each.
static void tell_end(const struct machine_cluster *cluster, const struct delay_wait *wait)
{
    for (uint32_t i = 0; i < cluster->delayed->warps; i++) {
        const struct machine_warp *warp = warp_at(cluster, i);
        const struct delay_seen *seen = &wait->seen[i];
        char text[1536];
        struct machine_text to = {text, 0, sizeof text};
        uint32_t line, called_at;
        if (cluster->delayed->warp[i].executed == seen->executed) continue;
        place_of(warp, &line, &called_at);
        machine_text_add(&to, "# past %llu: ", (unsigned long long)wait->delay.level);
        name_warp(&to, warp);
        machine_text_add(&to, " went on from ");
        add_place(&to, cluster->machine, seen->line, seen->called_at);
        machine_text_add(&to, " to ");
        add_place(&to, cluster->machine, line, called_at);
        tell(cluster, text);
    }
}

// The delays of the warp, or that of its operation `number`, have ended.
static void end_waits(const struct machine_cluster *cluster, uint32_t warp, uint32_t operation)
{
    for (struct delay_wait **at = &cluster->delayed->wait; *at != NULL;) {
        struct delay_wait *wait = *at;
        const bool is_it = wait->warp == warp && wait->delay.is_operation == (operation > 0) &&
                           (operation == 0 || wait->delay.at == operation);
        if (!is_it) {
            at = &wait->next;
            continue;
        }
        tell_end(cluster, wait);
        *at = wait->next;
        free(wait);
    }
}

static struct delay_wait wait_of(const struct machine_warp *warp, uint64_t at, uint64_t level)
{
    struct delay_wait wait = {.warp = number_of(warp), .delay = {.at = at, .level = level, .warp = warp->index}};
    wait.delay.launch = launch_of(warp->cta->cluster)->number;
    memcpy(wait.delay.cta, warp->cta->ctaid, sizeof wait.delay.cta);
    return wait;
}

static void tell_warp(const struct machine_warp *warp, uint64_t at, uint64_t level)
{
    struct delay_wait wait = wait_of(warp, at, level);
    if (launch_of(warp->cta->cluster)->delayed == NULL) return;
    place_of(warp, &wait.line, &wait.called_at);
    tell_begin(warp, &wait);
}

// --- Where the levels come from --------------------------------------------------------------------------------------

static int compare_to(const struct machine_delay *a, const struct machine_delay *b)
{
#define BY(member)                                                                                                     \
    if (a->member != b->member) return a->member < b->member ? -1 : 1
    BY(launch);
    BY(cta[2]);
    BY(cta[1]);
    BY(cta[0]);
    BY(warp);
    BY(is_operation);
    BY(at);
#undef BY
    return 0;
}

// The first delay of the list for the same warp, and kind, from `at` on; NULL: there is none.
static const struct machine_delay *find(const struct machine_delays *delays, const struct machine_delay *wanted)
{
    uint32_t from = 0, to = delays->count;
    while (from < to) {
        const uint32_t middle = from + (to - from) / 2;
        if (compare_to(&delays->item[middle], wanted) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    const struct machine_delay *found = &delays->item[from];
    if (from == delays->count || found->launch != wanted->launch || found->warp != wanted->warp ||
        memcmp(found->cta, wanted->cta, sizeof found->cta) != 0 || found->is_operation != wanted->is_operation)
        return NULL;
    return found;
}

// Where the warp gets its next level, from `at` instructions on.
static void find_next(const struct machine_cluster *cluster, uint32_t number, uint64_t at)
{
    struct machine_delayed *delayed = cluster->delayed;
    struct delay_warp *warp = &delayed->warp[number];
    const struct machine_delays *delays = launch_of(cluster)->delays;
    warp->next = UINT64_MAX;
    if (delays != NULL) {
        const struct delay_wait wanted = wait_of(warp_at(cluster, number), at, 0);
        const struct machine_delay *found = find(delays, &wanted.delay);
        if (found != NULL) warp->next = found->at, warp->then = found->level;
        if (at == 0 && delays->of_warps > 0 && warp->next > 0) warp->next = 0, warp->then = delays->of_warps;
        return;
    }
    for (uint32_t i = 0; i < delayed->points; i++) {
        if (delayed->point[i].warp != number || delayed->point[i].at < at || delayed->point[i].at >= warp->next)
            continue;
        warp->next = delayed->point[i].at;
        warp->then = delayed->warps + 1 + i;
    }
}

// The warp has come to its next level.
static void take_next(const struct machine_cluster *cluster, uint32_t number)
{
    struct machine_delayed *delayed = cluster->delayed;
    struct delay_warp *warp = &delayed->warp[number];
    uint32_t from = 0, to = 0;
    warp->level = warp->then;
    while (delayed->order[from] != number) from++;
    memmove(&delayed->order[from], &delayed->order[from + 1], (delayed->warps - from - 1) * sizeof *delayed->order);
    while (to < delayed->warps - 1 && delayed->warp[delayed->order[to]].level <= warp->level) to++;
    memmove(&delayed->order[to + 1], &delayed->order[to], (delayed->warps - to - 1) * sizeof *delayed->order);
    delayed->order[to] = number;
    tell_warp(warp_at(cluster, number), warp->next, warp->level);
    find_next(cluster, number, warp->next + 1);
}

static void draw_points(struct machine_delayed *delayed, const struct machine_launch *launch)
{
    const uint32_t depth = launch->depth > 0 ? launch->depth : MACHINE_PCT_DEPTH;
    const uint64_t steps = launch->steps > 0 ? launch->steps : MACHINE_PCT_STEPS;
    delayed->points = depth - 1 < MACHINE_DELAY_POINTS ? depth - 1 : MACHINE_DELAY_POINTS;
    for (uint32_t i = 0; i < delayed->points; i++) {
        delayed->point[i].warp = (uint32_t)(machine_draw(&delayed->random) % delayed->warps);
        delayed->point[i].at = 1 + machine_draw(&delayed->random) % steps;
    }
}

// Under PCT: who comes first, by the seed.
static void draw_levels(const struct machine_cluster *cluster)
{
    struct machine_delayed *delayed = cluster->delayed;
    for (uint32_t i = delayed->warps; i > 1; i--) {
        const uint32_t other = (uint32_t)(machine_draw(&delayed->random) % i), was = delayed->order[i - 1];
        delayed->order[i - 1] = delayed->order[other];
        delayed->order[other] = was;
    }
    for (uint32_t i = 0; i < delayed->warps; i++) {
        delayed->warp[delayed->order[i]].level = i + 1;
        tell_warp(warp_at(cluster, delayed->order[i]), 0, i + 1);
    }
    draw_points(delayed, launch_of(cluster));
}

bool machine_delay_begin(struct machine_cluster *cluster)
{
    const struct machine_launch *launch = launch_of(cluster);
    const enum machine_policy policy = launch->schedule.policy;
    const bool is_drawn = policy == MACHINE_PCT;
    if (!is_drawn && (policy != MACHINE_DELAY || launch->delays == NULL)) return true;
    struct machine_delayed *delayed = cluster->delayed = calloc(1, sizeof *delayed);
    if (delayed == NULL) return false;
    delayed->random = ~cluster->random;
    delayed->warps = cluster->ctas * cluster->cta[0].warps;
    delayed->warp = calloc(delayed->warps, sizeof *delayed->warp);
    delayed->order = calloc(delayed->warps, sizeof *delayed->order);
    if (cluster->machine->turns != NULL) delayed->turns = calloc(delayed->warps, sizeof *delayed->turns);
    if (delayed->warp == NULL || delayed->order == NULL || (cluster->machine->turns != NULL && delayed->turns == NULL))
        return false;
    for (uint32_t i = 0; i < delayed->warps; i++) delayed->order[i] = i;
    if (is_drawn) draw_levels(cluster);
    for (uint32_t i = 0; i < delayed->warps; i++) find_next(cluster, i, is_drawn);
    for (uint32_t i = 0; i < delayed->warps; i++)
        if (delayed->warp[i].next == 0) take_next(cluster, i);
    return true;
}

// How many instructions a warp had, as a measure of `steps`.
static void tell_steps(const struct machine_cluster *cluster)
{
    char text[64];
    uint64_t most = 0;
    for (uint32_t i = 0; i < cluster->delayed->warps; i++)
        if (cluster->delayed->warp[i].executed > most) most = cluster->delayed->warp[i].executed;
    snprintf(text, sizeof text, "# steps %llu", (unsigned long long)most);
    tell(cluster, text);
}

void machine_delay_end(struct machine_cluster *cluster)
{
    struct machine_delayed *delayed = cluster->delayed;
    if (delayed == NULL) return;
    const bool is_whole = delayed->warp != NULL && delayed->order != NULL;
    const bool tells_steps = cluster->number == 0 || launch_of(cluster)->delays != NULL;
    if (is_whole && tells_steps && launch_of(cluster)->delayed != NULL) tell_steps(cluster);
    for (struct delay_wait *wait = delayed->wait, *next; wait != NULL; wait = next) {
        next = wait->next;
        if (is_whole) tell_end(cluster, wait);
        free(wait);
    }
    free(delayed->warp);
    free(delayed->order);
    free(delayed->turns);
    free(delayed);
    cluster->delayed = NULL;
}

// --- Turns -----------------------------------------------------------------------------------------------------------

uint64_t machine_delay_level(const struct machine_cluster *cluster, uint32_t warp)
{
    return cluster->clock_reads > 0 ? 0 : cluster->delayed->warp[warp].level;
}

// Between any two instructions of one that is late, somebody with a smaller level may have something to do.
uint32_t machine_delay_turn(const struct machine_warp *warp, uint32_t most)
{
    const struct machine_cluster *cluster = warp->cta->cluster;
    if (cluster->machine->turns != NULL) return 1;
    if (cluster->delayed == NULL || cluster->clock_reads > 0) return most;
    const struct delay_warp *of = &cluster->delayed->warp[number_of(warp)];
    if (of->level > 0) return 1;
    return of->next - of->executed < most ? (uint32_t)(of->next - of->executed) : most;
}

void machine_delay_ran(struct machine_warp *warp, uint64_t used)
{
    struct machine_cluster *cluster = warp->cta->cluster;
    if (cluster->delayed == NULL) return;
    const uint32_t number = number_of(warp);
    struct delay_warp *of = &cluster->delayed->warp[number];
    if (used > 0 && of->level > 0 && cluster->delayed->wait != NULL) end_waits(cluster, number, 0);
    of->executed += used;
    while (of->executed >= of->next && warp->strands > 0) take_next(cluster, number);
}

bool machine_delay_is_over(struct machine_cluster *cluster)
{
    struct machine_delayed *delayed = cluster->delayed;
    const uint64_t changes = cluster->progress - cluster->vain + cluster->ground;
    if (delayed->changes != changes) delayed->still = cluster->executed;
    delayed->changes = changes;
    return cluster->clock_reads > 0 || cluster->executed - delayed->still > PATIENCE;
}

// --- Operations ------------------------------------------------------------------------------------------------------

static uint64_t draw_level(struct machine_delayed *delayed)
{
    const uint64_t random = machine_draw(&delayed->random);
    return random % 2 == 0 ? 0 : 1 + random / 2 % delayed->warps;
}

uint64_t machine_delay_issue(struct machine_warp *warp, uint32_t line, uint32_t *number)
{
    struct machine_cluster *cluster = warp->cta->cluster;
    struct machine_delayed *delayed = cluster->delayed;
    const struct machine_delays *delays = launch_of(cluster)->delays;
    if (delayed == NULL) return 0;
    *number = ++delayed->warp[number_of(warp)].operations;
    machine_turns_issue(cluster, *number);
    if (cluster->machine->turns != NULL) return 1;
    struct delay_wait wait = wait_of(warp, *number, 0);
    wait.delay.is_operation = true;
    const struct machine_delay *found = delays != NULL ? find(delays, &wait.delay) : NULL;
    if (delays == NULL)
        wait.delay.level = draw_level(delayed);
    else if (found != NULL && found->at == *number)
        wait.delay.level = found->level;
    else
        wait.delay.level = delays->of_operations;
    wait.line = line;
    if (wait.delay.level > 0) tell_begin(warp, &wait);
    return wait.delay.level;
}

void machine_delay_ends(struct machine_warp *warp, uint32_t number)
{
    const struct machine_cluster *cluster = warp->cta->cluster;
    if (cluster->delayed != NULL && cluster->delayed->wait != NULL && number > 0)
        end_waits(cluster, number_of(warp), number);
}
