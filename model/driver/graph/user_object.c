// SPDX-License-Identifier: MIT
// Objects of the program that graphs keep: when the last reference goes, the program's function is called.
#include <stdlib.h>

#include "array.h"
#include "work_graph.h"

struct CUuserObject_st {
    struct object object;
    void *user;
    void (*destroy)(void *user);
    uint64_t references;
};

// The program's function may call the driver.
static void leave(struct driver *driver, struct CUuserObject_st *it, uint64_t references)
{
    it->references -= references;
    if (it->references > 0) return;
    void (*destroy)(void *user) = it->destroy;
    void *user = it->user;
    object_destroy(&driver->objects, it);
    const int held = driver_release(driver);
    destroy(user);
    driver_retake(driver, held);
}

bool kept_copy(struct kept_objects *to, const struct kept_objects *from)
{
    to->count = 0;
    to->at = from->count == 0 ? NULL : malloc(from->count * sizeof *to->at);
    if (from->count > 0 && to->at == NULL) return false;
    for (uint32_t i = 0; i < from->count; i++) {
        to->at[to->count++] = (struct kept_object){from->at[i].object, 1};
        from->at[i].object->references++;
    }
    return true;
}

void kept_release(struct driver *driver, struct kept_objects *kept)
{
    struct kept_objects gone = *kept;
    *kept = (struct kept_objects){0};
    for (uint32_t i = 0; i < gone.count; i++) leave(driver, gone.at[i].object, gone.at[i].references);
    free(gone.at);
}

// What a graph keeps of an object, with room for one more row if there is none; NULL if there is no memory.
static struct kept_object *kept_of(struct kept_objects *kept, struct CUuserObject_st *it)
{
    for (uint32_t i = 0; i < kept->count; i++)
        if (kept->at[i].object == it) return &kept->at[i];
    return ARRAY_ADD(kept->at, kept->count, ((struct kept_object){it, 0})) ? &kept->at[kept->count - 1] : NULL;
}

DRIVER_VISIBLE enum cuda_result cuUserObjectCreate(struct CUuserObject_st **to, void *user, void (*destroy)(void *user),
                                                   unsigned references, unsigned flags)
{
    enum { NO_SYNC = 1 };
    DRIVER_USE_BARE_OR_RETURN(driver);
    if (to == NULL || destroy == NULL || references == 0 || flags != NO_SYNC) return CUDA_ERROR_INVALID_VALUE;
    *to = object_new(&driver->objects, OBJECT_USER, sizeof **to);
    if (*to == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
    (*to)->user = user;
    (*to)->destroy = destroy;
    (*to)->references = references;
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuUserObjectRetain(struct CUuserObject_st *it, unsigned count)
{
    DRIVER_USE_BARE_OR_RETURN(driver);
    if (!object_is(it, OBJECT_USER) || count == 0) return CUDA_ERROR_INVALID_VALUE;
    it->references += count;
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuUserObjectRelease(struct CUuserObject_st *it, unsigned count)
{
    DRIVER_USE_BARE_OR_RETURN(driver);
    if (!object_is(it, OBJECT_USER) || count == 0) return CUDA_ERROR_INVALID_VALUE;
    if (count <= it->references) leave(driver, it, count); // more than there are is nothing, as on an H200
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuGraphRetainUserObject(struct CUgraph_st *graph, struct CUuserObject_st *it,
                                                        unsigned count, unsigned flags)
{
    enum { MOVE = 1 }; // the graph takes over the references of the caller
    DRIVER_USE_BARE_OR_RETURN(driver);
    if (!object_is(graph, OBJECT_GRAPH) || !object_is(it, OBJECT_USER)) return CUDA_ERROR_INVALID_VALUE;
    if (count == 0 || flags > MOVE) return CUDA_ERROR_INVALID_VALUE;
    struct kept_object *kept = kept_of(&graph->kept, it);
    if (kept == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
    kept->references += count;
    if (flags != MOVE) it->references += count;
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuGraphReleaseUserObject(struct CUgraph_st *graph, struct CUuserObject_st *it,
                                                         unsigned count)
{
    DRIVER_USE_BARE_OR_RETURN(driver);
    if (!object_is(graph, OBJECT_GRAPH) || !object_is(it, OBJECT_USER) || count == 0) return CUDA_ERROR_INVALID_VALUE;
    struct kept_object *kept = kept_of(&graph->kept, it);
    if (kept == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
    const uint64_t given = count < kept->references ? count : kept->references;
    kept->references -= given;
    if (kept->references == 0) *kept = graph->kept.at[--graph->kept.count];
    if (given > 0) leave(driver, it, given);
    return CUDA_SUCCESS;
}
