// SPDX-License-Identifier: MIT
#include "exec_inputs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "delays.h"
#include "look.h"

static const char *value_of(const char *variable)
{
    const char *value = getenv(variable);
    return value != NULL ? value : "";
}

static bool set_whole(const char *variable, const char *path)
{
    char whole[PATH_MAX];
    return realpath(path, whole) != NULL && setenv(variable, whole, 1) == 0;
}

int exec_delays(const char *schedule, const char *from, const char *to)
{
    const bool is_delay = strcmp(value_of(schedule), "delay") == 0;
    const char *list = value_of(from), *written = value_of(to);
    char why[512];
    if ((list[0] != '\0') != is_delay) return command_usage("exec", "--schedule delay and --delays FILE go together");
    if (is_delay) {
        struct machine_delays *delays = machine_delays_load(list, why, sizeof why);
        if (delays == NULL) return command_usage("exec", "--delays: %s", why);
        machine_delays_free(delays);
        if (!set_whole(from, list)) return command_usage("exec", "--delays: %s: %s", list, strerror(errno));
    }
    if (written[0] == '\0') return EXIT_AGREE;
    const int file = open(written, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file >= 0) close(file);
    return file >= 0 && set_whole(to, written) ? EXIT_AGREE
                                               : command_usage("exec", "cannot write %s: %s", written, strerror(errno));
}

int exec_suppressions(void)
{
    static const char variable[] = "TMAREF_SUPPRESSIONS";
    const char *path = getenv(variable);
    char why[512];
    if (path == NULL || path[0] == '\0') return EXIT_AGREE;
    if (!look_suppressions_check(path, why, sizeof why)) return command_usage("exec", "--suppressions: %s", why);
    char *whole = realpath(path, NULL);
    const bool is_set = whole != NULL && setenv(variable, whole, 1) == 0;
    free(whole);
    return is_set ? EXIT_AGREE : command_usage("exec", "--suppressions: %s: %s", path, strerror(errno));
}
