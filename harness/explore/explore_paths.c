// SPDX-License-Identifier: MIT
// Every order of what synchronises in one run, with the path of each warp and its values as that run has them: one
// program for each cluster (paths.h), of which those that are alike are searched once.
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "explore_search.h"

enum { PATH_BYTES = 512 };

void explore_paths_free(struct explore_paths *paths)
{
    for (uint32_t i = 0; paths->found != NULL && i < paths->set.programs; i++) free(paths->found[i].order);
    free(paths->found);
    free(paths->why);
    paths_set_free(&paths->set);
    *paths = (struct explore_paths){.found = NULL};
}

// Each process of the program that runs kernels has written a file of its own. Reads them all, and removes them.
static int read_files(const char *folder, struct paths_set *set, struct text *why)
{
    char path[PATH_BYTES + NAME_MAX + 2];
    bool ok = true;
    DIR *in = opendir(folder);
    if (in == NULL) return text_fail(why, "cannot read %.300s: %s", folder, strerror(errno));
    for (const struct dirent *entry; (entry = readdir(in)) != NULL;) {
        struct stat facts;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] == '.' || stat(path, &facts) != 0) continue;
        if (facts.st_size > 0) ok = ok && paths_read(path, set, why);
        unlink(path);
    }
    closedir(in);
    return ok && (set->programs > 0 || text_fail(why, "no kernel of the program ran, so nothing of it synchronises"));
}

int explore_paths_once(struct search *search, struct explore_how *how)
{
    const char *in = getenv("TMPDIR");
    char folder[PATH_BYTES], path[PATH_BYTES + NAME_MAX + 2];
    const struct explore_end *end = &search->result->end;
    snprintf(folder, sizeof folder, "%s/tmaref_sync_XXXXXX", in != NULL && in[0] != '\0' ? in : "/tmp");
    if (mkdtemp(folder) == NULL)
        return text_fail(search->why, "cannot make a folder %.300s: %s", folder, strerror(errno));
    snprintf(path, sizeof path, "%s/steps", folder);
    how->write_sync = path;
    int ok = explore_once(search, how);
    how->write_sync = NULL;
    struct text other;
    const bool is_of_use = ok && !end->is_unstarted && !end->is_cut && !end->has_report;
    const bool is_read = read_files(folder, &search->result->paths.set, is_of_use ? search->why : &other);
    rmdir(folder);
    return ok && (!is_of_use || is_read);
}

int explore_paths_search(struct search *search)
{
    struct explore_paths *paths = &search->result->paths;
    const uint32_t programs = paths->set.programs;
    const double until = search->plan->seconds > 0 ? search->begun + search->plan->seconds : 0;
    paths->found = calloc(programs + 1u, sizeof *paths->found);
    paths->why = calloc(programs + 1u, sizeof *paths->why);
    if (paths->found == NULL || paths->why == NULL)
        return text_fail(search->why, "there is no memory for %u programs: %s", programs, strerror(errno));
    for (uint32_t i = 0; i < programs && !explore_is_stopped(); i++) {
        struct paths_program *program = &paths->set.program[i];
        struct paths_found *found = &paths->found[i];
        if (!paths_check(program, &paths->why[i])) continue;
        if (!paths_search(program, search->plan->steps, until, found, &paths->why[i])) continue;
        if (found->end == PATHS_WAITS) text_set(&paths->why[i], "its steps do not repeat the run");
        if (found->end > PATHS_WAITS) search->result->verdict = EXPLORE_ORDER;
        paths_shorten(program, found);
    }
    return 1;
}
