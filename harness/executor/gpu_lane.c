// SPDX-License-Identifier: MIT
#include "gpu_run.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpu.h"
#include "progress.h"
#include "schedules.h"

enum { CHILDREN = 16, LATE_MILLISECONDS = 1000, LEAVING_MILLISECONDS = 2 };

// What a slot holds: no child, one that opens the device, one that waits for a case or runs one, one that has told the
// outcome and needs a while to take its context down.
enum state { FREE, STARTING, READY, RUNNING, LEAVING };

struct slot {
    enum state state;
    struct gpu_child child;
    int index;    // of the case that runs
    double since; // when the state began
};

static struct slot slots[CHILDREN];

// One call: cases queue[next] .. queue[end - 1] wait, `left` have no outcome yet.
struct lane {
    struct batch *batch;
    int queue[BATCH_CASES], next, end, left, seconds;
    struct text *why;
};

static void enter(struct slot *slot, enum state state)
{
    slot->state = state;
    slot->since = seconds_now();
}

static int count_of(enum state state)
{
    int count = 0;
    for (int i = 0; i < CHILDREN; i++) count += slots[i].state == state;
    return count;
}

static void settle(struct lane *lane, const struct slot *slot, int status)
{
    struct result *result = &lane->batch->results[slot->index];
    lane->left--;
    if (status != CUDA_SUCCESS) result_fail(result, status);
}

static void hand_out(struct lane *lane, struct slot *slot)
{
    if (lane->next == lane->end) return;
    struct result *result = &lane->batch->results[lane->queue[lane->next]];
    *result = result_at(result->first_bytes); // what a dump told of it counts no more
    const struct gpu_order order = {lane->batch, lane->queue[lane->next], 1, schedule_pair(), true};
    if (!gpu_child_order(&slot->child, &order)) { // it died of what no case did
        gpu_child_end(&slot->child, true);
        enter(slot, FREE);
        return;
    }
    slot->index = lane->queue[lane->next++];
    enter(slot, RUNNING);
}

// The child of a case that ran: 0 if the machine cannot run cases.
static bool hear_outcome(struct lane *lane, struct slot *slot)
{
    int error = 0;
    if (gpu_child_answers(&slot->child, 0, &error) != GPU_CAME_MESSAGE) {
        int killed = gpu_child_end(&slot->child, false);
        settle(lane, slot, killed != 0 ? killed : -SIGKILL);
        enter(slot, FREE);
        return true;
    }
    if (gpu_is_of_machine(error, lane->why)) return false;
    settle(lane, slot, error);
    enter(slot, error == CUDA_SUCCESS || cuda_is_simulated() ? READY : LEAVING);
    return true;
}

static bool hear(struct lane *lane, struct slot *slot)
{
    struct gpu_greeting greeting;
    if (slot->state == RUNNING) return hear_outcome(lane, slot);
    if (slot->state == READY) { // it says nothing unasked: it died
        gpu_child_end(&slot->child, true);
        enter(slot, FREE);
        return true;
    }
    bool is_ready = gpu_child_greets(&slot->child, 0, &greeting, lane->why);
    enter(slot, is_ready ? READY : FREE);
    return is_ready;
}

// Who takes too long: a case is given up, a start ends the whole run.
static int look_at_clock(struct lane *lane, struct slot *slot)
{
    double seconds = seconds_now() - slot->since;
    if (slot->state == RUNNING && seconds > lane->seconds) {
        gpu_child_end(&slot->child, true);
        settle(lane, slot, CUDA_ERROR_LAUNCH_TIMEOUT);
        enter(slot, FREE);
    }
    if (slot->state != STARTING || seconds <= (double)GPU_START_SECONDS) return 1;
    return text_fail(lane->why, "the CUDA driver did not start within %d s", GPU_START_SECONDS);
}

static void let_go(struct slot *slot)
{
    if (slot->state != LEAVING || waitpid(slot->child.pid, NULL, WNOHANG) == 0) return;
    close(slot->child.socket);
    slot->child.pid = 0;
    enter(slot, FREE);
}

// Starts as many children as there are cases for, and gives those that are ready something to do. A simulated device
// outlives its cases: one child has it ready for all of them.
static bool fill_slots(struct lane *lane)
{
    for (int i = 0; i < (cuda_is_simulated() ? 1 : CHILDREN); i++) {
        struct slot *slot = &slots[i];
        let_go(slot);
        if (slot->state == READY) hand_out(lane, slot);
        if (slot->state != FREE || count_of(STARTING) >= lane->end - lane->next) continue;
        if (!gpu_child_start(&slot->child, NULL, lane->why)) return false;
        enter(slot, STARTING);
    }
    return true;
}

static bool wait_for_news(struct lane *lane)
{
    struct pollfd files[CHILDREN];
    for (int i = 0; i < CHILDREN; i++) {
        bool speaks = slots[i].state == STARTING || slots[i].state == READY || slots[i].state == RUNNING;
        files[i] = (struct pollfd){.fd = speaks ? slots[i].child.socket : -1, .events = POLLIN};
    }
    poll(files, CHILDREN, count_of(LEAVING) > 0 ? LEAVING_MILLISECONDS : LATE_MILLISECONDS);
    for (int i = 0; i < CHILDREN; i++) {
        if (files[i].fd >= 0 && files[i].revents != 0 && !hear(lane, &slots[i])) return false;
        if (!look_at_clock(lane, &slots[i])) return false;
    }
    return true;
}

// No more is begun: what waits stays open.
static void cut_short(struct lane *lane)
{
    for (int i = lane->next; i < lane->end; i++) lane->batch->results[lane->queue[i]].is_open = true;
    lane->left -= lane->end - lane->next;
    lane->end = lane->next;
}

int gpu_lane_run(struct batch *batch, int first, int count, const struct apart *apart, int seconds, struct text *why)
{
    static struct lane lane;
    lane = (struct lane){.batch = batch, .seconds = seconds, .why = why};
    for (int i = first; i < first + count && (uint64_t)lane.end < apart->alone; i++) {
        if (!batch->results[i].is_open) continue;
        batch->results[i].is_open = false;
        lane.queue[lane.end++] = i;
    }
    lane.left = lane.end;
    while (lane.left > 0) {
        if (apart_is_over(apart)) cut_short(&lane);
        if (lane.left > 0 && (!fill_slots(&lane) || !wait_for_news(&lane))) return -1;
    }
    return lane.end;
}

void gpu_lane_close(void)
{
    for (int i = 0; i < CHILDREN; i++) gpu_child_end(&slots[i].child, slots[i].state != LEAVING);
    for (int i = 0; i < CHILDREN; i++) slots[i].state = FREE;
}
