// SPDX-License-Identifier: MIT
#include "lateness.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plain.h"

const struct machine_delays *lateness_delays(const struct driver *driver)
{
    static struct machine_delays *delays;
    static bool is_read;
    char why[512];
    if (driver->options.schedule != MACHINE_DELAY) return NULL;
    if (!is_read) delays = machine_delays_load(driver->options.delays, why, sizeof why);
    if (!is_read && delays == NULL) plain_printf(stderr, "tmaref: the schedule delay delays nothing: %s\n", why);
    is_read = true;
    return delays;
}

// Several processes may write: each line is one write().
static void write_line(int file, const char *text)
{
    char line[2048];
    const int bytes = snprintf(line, sizeof line, "%s\n", text);
    const ssize_t written = write(file, line, bytes < (int)sizeof line ? (size_t)bytes : sizeof line - 1);
    (void)written; // who reads the file sees that it is cut
}

static void tell(void *context, const char *text)
{
    static int file = -1;
    const struct driver *driver = context;
    if (file < 0) {
        struct stat facts;
        const struct machine_schedule schedule = {.policy = (enum machine_policy)driver->options.schedule,
                                                  .seed = driver->options.seed};
        file = open(driver->options.write_delays, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
        if (file < 0) return;
        if (fstat(file, &facts) == 0 && facts.st_size == 0) {
            write_line(file, MACHINE_DELAYS_HEAD);
            if (machine_schedule_is_weak(&schedule, lateness_delays(driver))) write_line(file, "weak");
        }
    }
    write_line(file, text);
}

lateness_teller *lateness_tell(const struct driver *driver)
{
    return driver->options.write_delays[0] != '\0' ? tell : NULL;
}
