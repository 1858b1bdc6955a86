// SPDX-License-Identifier: MIT
// cuLogs*: the messages that are also printed, kept for the program.
#include <unistd.h>

#include "api.h"

enum { KEPT = 128, ROOM = 1 << 17 };
static const char cut[] = "[tmaref] messages before these are left out\n";

// One message more, of an address that no memory has: "[tmaref][cuMemFree] 0x100001: ...".
#define ADDRESS 0x100000u
static void complain(unsigned which)
{
    REFUSES(ERROR_INVALID_VALUE, cuMemFree_v2(ADDRESS + which));
}

static unsigned lines_of(const char *text)
{
    unsigned lines = 0;
    for (; *text != '\0'; text++) lines += *text == '\n';
    return lines;
}

static const char *dump(unsigned *iterator, size_t room)
{
    static char text[ROOM];
    size_t bytes = room;
    memset(text, 'x', sizeof text);
    WORKS(cuLogsDumpToMemory(iterator, text, &bytes, 0));
    REQUIRE(bytes < room && strlen(text) == bytes && text[room] == 'x');
    return text;
}

SECTION(logs)
{
    char small[8] = "xxxxxxx";
    unsigned iterator = 77;
    size_t bytes = sizeof small;
    REFUSES(ERROR_INVALID_VALUE, cuLogsCurrent(NULL, 0));
    REFUSES(ERROR_INVALID_VALUE, cuLogsCurrent(&iterator, 1));
    WORKS(cuLogsCurrent(&iterator, 0));
    WORKS(cuLogsDumpToMemory(NULL, small, &bytes, 0)); // nothing yet
    REQUIRE(bytes == 0 && small[0] == '\0' && small[1] == 'x');
    WORKS(cuLogsDumpToMemory(&iterator, small, &bytes, 0)); // into no room
    REQUIRE(bytes == 0 && small[1] == 'x');
    api_ready();
    complain(1);
    complain(2);
    const char *text = dump(&iterator, ROOM - 1);
    REQUIRE(lines_of(text) == 2 && strncmp(text, "[tmaref][cuMemFree] 0x100001: ", 30) == 0);
    REQUIRE(strstr(text, "0x100001:") < strstr(text, "0x100002:") && strstr(text, "0x100001:") != NULL);
    REQUIRE(dump(&iterator, ROOM - 1)[0] == '\0'); // it has gone on
    REQUIRE(lines_of(dump(NULL, ROOM - 1)) == 2);  // all
    bytes = sizeof small;
    REFUSES(ERROR_INVALID_VALUE, cuLogsDumpToMemory(NULL, small, &bytes, 0));
    REQUIRE(bytes == 0);
    REFUSES(ERROR_INVALID_VALUE, cuLogsDumpToMemory(NULL, NULL, &bytes, 0));
    REFUSES(ERROR_INVALID_VALUE, cuLogsDumpToMemory(NULL, small, NULL, 0));
    REFUSES(ERROR_INVALID_VALUE, cuLogsDumpToMemory(NULL, small, &bytes, 1));
}

// Where there is no room for all, the last ones stay, and a line says so.
SECTION(logs_cut)
{
    unsigned iterator = 0;
    api_ready();
    complain(1);
    const size_t one = strlen(dump(&iterator, ROOM - 1)); // of a call: they are as long as each other
    complain(2);
    complain(3);
    const char *text = dump(NULL, strlen(cut) + 2 * one + 1);
    REQUIRE(strncmp(text, cut, strlen(cut)) == 0 && lines_of(text) == 3 && strstr(text, "0x100001:") == NULL);
    REQUIRE(strstr(text, "0x100002:") != NULL && strstr(text, "0x100003:") != NULL);
    REQUIRE(lines_of(dump(NULL, strlen(cut) + 2 * one)) == 2); // one byte less: the last alone
    REQUIRE(lines_of(dump(NULL, 3 * one + 1)) == 3);           // all of them fit
    REQUIRE(strstr(dump(NULL, 3 * one + 1), cut) == NULL);
}

static const char *read_file(const char *path)
{
    static char text[ROOM];
    FILE *file = fopen(path, "r");
    REQUIRE(file != NULL);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

// 128 are kept.
SECTION(logs_in_files)
{
    char path[] = "/tmp/tmaref-logs-XXXXXX";
    unsigned iterator = 0;
    const int file = mkstemp(path);
    REQUIRE(file >= 0 && close(file) == 0);
    api_ready();
    REFUSES(ERROR_INVALID_VALUE, cuLogsDumpToFile(&iterator, NULL, 0));
    REFUSES(ERROR_INVALID_VALUE, cuLogsDumpToFile(&iterator, path, 1));
    REFUSES(ERROR_INVALID_VALUE, cuLogsDumpToFile(&iterator, "/nowhere/logs", 0));
    for (unsigned i = 1; i <= KEPT; i++) complain(i);
    WORKS(cuLogsDumpToFile(NULL, path, 0));
    REQUIRE(lines_of(read_file(path)) == KEPT && strstr(read_file(path), "0x100001:") != NULL);
    complain(KEPT + 1);
    WORKS(cuLogsDumpToFile(&iterator, path, 0));
    const char *text = read_file(path);
    REQUIRE(strncmp(text, cut, strlen(cut)) == 0 && lines_of(text) == KEPT + 1);
    REQUIRE(strstr(text, "0x100001:") == NULL && strstr(text, "0x100081:") != NULL && iterator == KEPT + 1);
    WORKS(cuLogsDumpToFile(&iterator, path, 0));
    REQUIRE(read_file(path)[0] == '\0');
    REQUIRE(unlink(path) == 0);
}

// --- Functions that hear ---------------------------------------------------------------------------------------------

static void hear(void *user, uint32_t level, char *text, size_t bytes)
{
    int *heard = user;
    REQUIRE(level == 0 && strlen(text) == bytes && strstr(text, "0x10000") != NULL);
    *heard += 1;
}

SECTION(logs_heard)
{
    int first = 0, second = 0;
    struct CUlogsCallbackEntry_st *hearer;
    REFUSES(ERROR_INVALID_VALUE, cuLogsRegisterCallback(NULL, NULL, &hearer));
    REFUSES(ERROR_INVALID_VALUE, cuLogsUnregisterCallback(NULL));
    WORKS(cuLogsRegisterCallback(hear, &first, &hearer));
    WORKS(cudaLogsRegisterCallback(hear, &second, NULL));
    api_ready();
    complain(1);
    REQUIRE(first == 1 && second == 1);
    WORKS(cuLogsUnregisterCallback(hearer));
    REFUSES(ERROR_INVALID_VALUE, cuLogsUnregisterCallback(hearer));
    complain(2);
    REQUIRE(first == 1 && second == 2);
}
