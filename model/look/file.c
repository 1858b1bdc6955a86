// SPDX-License-Identifier: MIT
// The file of one process of a run of `tmaref exec`: the first to write has the name that was asked for.
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "parts.h"

// Is it a file of this run? Its first line says so.
static bool is_taken(int file, const char *run)
{
    char head[512];
    const ssize_t bytes = pread(file, head, sizeof head - 1, 0);
    if (bytes <= 0 || run[0] == '\0') return false;
    head[bytes] = '\0';
    return strstr(head, run) != NULL;
}

// The name with the process behind it, and a word on where it is.
static FILE *open_beside(char **path)
{
    char *beside;
    if (asprintf(&beside, "%s.%ld", *path, (long)getpid()) < 0) return NULL;
    FILE *file = fopen(beside, "w");
    if (file != NULL)
        fprintf(stderr, "tmaref: another process of this run writes %s; this one writes %s\n", *path, beside);
    free(*path);
    *path = beside;
    return file;
}

const char *look_file_error(void)
{
    return errno == EINVAL ? "it is not a regular file" : strerror(errno);
}

// A pipe or a device is refused as by `tmaref exec`: two processes would mix in it what they write.
static int open_regular(const char *path)
{
    struct stat facts;
    const int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0 || (fstat(file, &facts) == 0 && S_ISREG(facts.st_mode))) return file;
    close(file);
    errno = EINVAL;
    return -1;
}

FILE *look_file_open(char **path, const char *run)
{
    const int file = open_regular(*path);
    if (file < 0) return NULL;
    flock(file, LOCK_EX); // a file system that has no locks has no two processes at the same moment, mostly
    if (is_taken(file, run)) {
        close(file);
        return open_beside(path);
    }
    FILE *out = ftruncate(file, 0) == 0 ? fdopen(file, "w") : NULL;
    if (out == NULL) close(file);
    return out;
}

bool look_file_close(FILE *file, const char *path, int error)
{
    errno = error;
    if (error == 0 && fflush(file) != 0) error = errno;
    if (error == 0 && ferror(file)) error = EIO; // of what was written before, nobody knows the reason any more
    if (error != 0) unlink(path);
    if (fclose(file) != 0 && error == 0) {
        error = errno;
        unlink(path);
    }
    errno = error;
    return error == 0;
}

bool look_file_share(FILE *file)
{
    return fflush(file) == 0 && flock(fileno(file), LOCK_UN) == 0;
}
