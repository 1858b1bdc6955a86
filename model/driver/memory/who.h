// SPDX-License-Identifier: MIT
// Who made memory and who gave it back: the call of the API, and where in the program it was made. For reports.
#ifndef TMAREF_DRIVER_WHO_H
#define TMAREF_DRIVER_WHO_H

#include <stddef.h>
#include <stdint.h>

enum { WHO_FRAMES = 16 };

// The calls under way in a thread, the innermost first. 0 frames: nobody knows.
struct who {
    void *frame[WHO_FRAMES];
    int frames;
};

struct who who_now(void);

// The name of the outermost call of the API that is under way in this thread; "a call" if nobody knows.
const char *who_call(void);

// Who was at this place when a signal came; "main of program, at 0x1234" of him, or of who called the C library there.
struct who who_at(uintptr_t place);
size_t who_tell_place(const struct who *who, char *text, size_t bytes);

// "cudaMalloc (called in main of program, at 0x1234)", or "a call". Returns its length.
size_t who_tell(const struct who *who, char *text, size_t bytes);

// The same of a launch, without the function of the program that nvcc makes for the kernel and names as the kernel.
size_t who_tell_launch(const struct who *who, const char *kernel, char *text, size_t bytes);

#endif
