// SPDX-License-Identifier: MIT
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int fail(struct text *why, const char *path, const char *reason)
{
    return text_fail(why, "cannot write '%.300s': %s", path, reason);
}

// A rename would replace a link or a device with a file, and fail late on a directory: say so first.
static bool is_replaceable(const char *path, struct text *why)
{
    struct stat status;
    size_t length = strlen(path);
    if (length == 0 || path[length - 1] == '/') return fail(why, path, "that names a directory, not a file");
    if (lstat(path, &status) != 0) return errno == ENOENT ? true : fail(why, path, strerror(errno));
    if (S_ISDIR(status.st_mode)) return fail(why, path, "it is a directory");
    if (S_ISLNK(status.st_mode)) return fail(why, path, "it is a symbolic link; name the file itself");
    if (access(path, W_OK) != 0) return fail(why, path, strerror(errno));
    return true;
}

bool write_all(int file, const void *bytes, size_t size_bytes)
{
    for (const char *at = bytes; size_bytes > 0;) {
        ssize_t written = write(file, at, size_bytes);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        at += written;
        size_bytes -= (size_t)written;
    }
    return true;
}

bool is_stream(const char *path)
{
    struct stat status;
    if (strncmp(path, "/dev/std", 8) == 0 || strncmp(path, "/dev/fd/", 8) == 0) return true;
    return stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

static int write_stream(const char *path, const char *bytes, size_t size_bytes, struct text *why)
{
    fflush(stdout); // what was printed before comes first
    bool is_stdout = strcmp(path, "/dev/stdout") == 0;
    int file = is_stdout ? STDOUT_FILENO : open(path, O_WRONLY);
    if (file < 0) return fail(why, path, strerror(errno));
    bool written = write_all(file, bytes, size_bytes);
    int error = errno;
    if (!is_stdout && close(file) != 0 && written) written = false, error = errno;
    return written ? 1 : fail(why, path, strerror(error));
}

int save_file(const char *path, const char *bytes, size_t size_bytes, struct text *why)
{
    char temporary[PATH_MAX];
    if (is_stream(path)) return write_stream(path, bytes, size_bytes, why);
    if (!is_replaceable(path, why)) return 0;
    if (snprintf(temporary, sizeof temporary, "%s.XXXXXX", path) >= (int)sizeof temporary)
        return fail(why, path, strerror(ENAMETOOLONG));
    int file = mkstemp(temporary);
    if (file < 0) return fail(why, path, strerror(errno));

    mode_t mask = umask(0);
    umask(mask);
    bool written = write_all(file, bytes, size_bytes) && fchmod(file, 0666 & ~mask) == 0;
    int error = errno;
    if (close(file) != 0 && written) written = false, error = errno;
    if (written && rename(temporary, path) == 0) return 1;
    if (written) error = errno;
    unlink(temporary);
    return fail(why, path, strerror(error));
}

int save_written(const char *path, void (*write)(const void *what, FILE *out), const void *what, struct text *why)
{
    char *bytes = NULL;
    size_t size_bytes = 0;
    FILE *out = open_memstream(&bytes, &size_bytes);
    if (out == NULL) return text_fail(why, "%s", strerror(errno));
    write(what, out);
    int ok = fclose(out) == 0 ? save_file(path, bytes, size_bytes, why) : text_fail(why, "%s", strerror(errno));
    free(bytes);
    return ok;
}

static char *read_stream(FILE *file, const char *path, size_t max_bytes, size_t *size_bytes, struct text *why)
{
    size_t capacity = 65536, size = 0;
    char *bytes = malloc(capacity + 1);
    bool enough = bytes != NULL;
    while (enough && !feof(file) && !ferror(file) && size <= max_bytes) {
        if (size == capacity) {
            char *more = realloc(bytes, 2 * capacity + 1);
            enough = more != NULL;
            if (!enough) break;
            bytes = more;
            capacity *= 2;
        }
        size += fread(bytes + size, 1, capacity - size, file);
    }
    if (!enough || ferror(file) || size > max_bytes) {
        text_set(why, "%.300s: %s", path, size > max_bytes ? "too large" : strerror(errno));
        free(bytes);
        return NULL;
    }
    bytes[size] = '\0';
    *size_bytes = size;
    return bytes;
}

char *read_file(const char *path, size_t max_bytes, size_t *size_bytes, struct text *why)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    if (file == NULL) {
        text_set(why, "%.300s: %s", path, strerror(errno));
        return NULL;
    }
    char *bytes = read_stream(file, path, max_bytes, size_bytes, why);
    if (file != stdin) fclose(file);
    return bytes;
}
