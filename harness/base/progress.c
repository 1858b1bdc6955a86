// SPDX-License-Identifier: MIT
#include "progress.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { BAR_CELLS = 30 };

double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

struct progress progress_start(const char *label, uint64_t total)
{
    return (struct progress){label, total, 0, isatty(STDERR_FILENO), 0, seconds_now()};
}

static void draw(const struct progress *progress, double now)
{
    char bar[BAR_CELLS + 1];
    int full = progress->total == 0 ? 0 : (int)(BAR_CELLS * progress->done / progress->total);
    for (int i = 0; i < BAR_CELLS; i++) bar[i] = i < full ? '#' : '.';
    bar[BAR_CELLS] = '\0';
    double seconds = now - progress->start_seconds;
    fprintf(stderr, "\r%-12s [%s] %" PRIu64 " cases, %.0f/s ", progress->label, bar, progress->done,
            seconds > 0 ? (double)progress->done / seconds : 0.0);
}

void progress_add(struct progress *progress, uint64_t count)
{
    progress->done += count;
    double now = seconds_now();
    if (!progress->is_terminal || now - progress->last_seconds < 0.1) return;
    progress->last_seconds = now;
    draw(progress, now);
}

void progress_end(struct progress *progress)
{
    if (progress->is_terminal) fprintf(stderr, "\r\033[K");
}

// --- Ctrl-C ----------------------------------------------------------------------------------------------------------

static volatile sig_atomic_t pressed;
static struct sigaction before;

static void on_interrupt(int number)
{
    (void)number;
    pressed = 1;
}

void interrupt_catch(void)
{
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND};
    pressed = 0;
    sigaction(SIGINT, &action, &before);
}

int interrupted(void)
{
    return pressed;
}

void interrupt_release(void)
{
    sigaction(SIGINT, &before, NULL);
}
