// SPDX-License-Identifier: MIT
// What `tmaref watch` and the processes it watches have in common: a block of shared memory with the options and the
// counts. It has no name in the file system; TMAREF_WATCH_STATE says where to open it (/proc/PID/fd/N of the command).
#ifndef TMAREF_WATCH_SHARED_H
#define TMAREF_WATCH_SHARED_H

#include <stdatomic.h>
#include <stdint.h>

#include "line.h"

#define WATCH_STATE_VARIABLE "TMAREF_WATCH_STATE"
#define WATCH_LIBRARY        "libtmaref_watch.so"

enum { WATCH_PATH_BYTES = 4096, WATCH_SEEN = 1024 };

// A call that was reported, and how often it came again with the same answer; addresses may be others.
struct watch_seen {
    _Atomic uint64_t key, number, repeats; // key 0: a free place
    _Atomic uint64_t answer;               // 0: none yet
};

// Counts are of calls, but `warnings` of findings. A call that began and did not return took its process with it.
struct watch_shared {
    uint32_t bytes;  // sizeof this struct: a library of another build is not believed
    int32_t command; // its process
    int32_t json, only_refused, every;
    int32_t has_no_driver; // set by the command at the end: no libcuda.so.1 can be loaded here
    _Atomic uint64_t processes, begun, returned, refused, warnings, differences;
    struct watch_seen seen[WATCH_SEEN];
    char output[WATCH_PATH_BYTES]; // absolute path, or "": the standard error of each process
};

// Appends the summary to `line`: one text line or one JSON line, as the options say.
void watch_summary(const struct watch_shared *shared, struct line *line);

#endif
