// SPDX-License-Identifier: MIT
#include "interrupt.h"

#include <signal.h>

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
