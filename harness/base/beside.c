// SPDX-License-Identifier: MIT
#include "beside.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifndef TMAREF_LIBDIR
#define TMAREF_LIBDIR  "lib"
#define TMAREF_DATADIR "share"
#endif

#define BESIDE "/../" TMAREF_LIBDIR
#define DATA   "/../" TMAREF_DATADIR "/tmaref"
// Beside the Python package that the command is in, where `pip install "tmaref[traces]"` puts the recordings.
#define TRACES_WHEEL "/../../tmaref_traces"

int program_part(const char *name, char *path, size_t path_bytes)
{
    static const char *const places[] = {"", BESIDE "/tmaref", BESIDE, "/../lib/tmaref", "/../lib", DATA, TRACES_WHEEL};
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0) return -1;
    self[length] = '\0';
    *strrchr(self, '/') = '\0';
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        int needed = snprintf(path, path_bytes, "%s%s/%s", self, places[i], name);
        if (needed > 0 && (size_t)needed < path_bytes && access(path, R_OK) == 0) return 0;
    }
    return -1;
}

const char *program_traces(char *path, size_t path_bytes)
{
    static const char here[] = "traces";
    if (access(here, R_OK) == 0) return here;
    return program_part(here, path, path_bytes) == 0 ? path : NULL;
}
