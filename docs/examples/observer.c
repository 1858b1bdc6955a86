// SPDX-License-Identifier: MIT
// An observer hears each access and each synchronisation. This one finds the commonest race of TMA stores: threads
// write a tile, and the copy reads it with no fence.proxy.async between. The program runs without the fence, and with.
#include <stdio.h>
#include <string.h>
#include <tmaref.h>

// Writes by threads that no proxy fence has covered yet: from the first to the last byte.
struct watch {
    uint64_t first, end;
    int races;
};

static void hear(void *context, const struct tmaref_event *event)
{
    struct watch *watch = context;
    const struct tmaref_access *access = &event->access;
    printf("    line %u: %s", event->origin->line, tmaref_event_name(event));
    if (event->kind == TMAREF_EVENT_ACCESS)
        printf(" of %s 0x%llx, %u bytes, %s proxy", tmaref_access_space_name(access->space),
               (unsigned long long)access->address, (unsigned)access->bytes, tmaref_access_proxy_name(access->proxy));
    printf("\n");

    if (event->kind == TMAREF_EVENT_FENCE && event->fence.kind == TMAREF_FENCE_PROXY) watch->end = 0;
    if (event->kind != TMAREF_EVENT_ACCESS || access->space != TMAREF_SPACE_SHARED) return;
    if (access->proxy == TMAREF_PROXY_GENERIC && access->kind == TMAREF_ACCESS_WRITE) {
        watch->first = access->address;
        watch->end = access->address + access->bytes;
    } else if (access->proxy == TMAREF_PROXY_ASYNC && access->address < watch->end &&
               access->address + access->bytes > watch->first) {
        printf("    ^ a race: it may read what was there before the writes of the threads\n");
        watch->races++;
    }
}

// A thread writes 16 bytes of shared memory; a bulk copy takes them to global memory.
static int run(int has_fence)
{
    static uint8_t global_bytes[16], shared[256];
    const struct tmaref_region region = {{global_bytes, 0x10000, sizeof global_bytes}, 0};
    const struct tmaref_memory cta = {shared, 0, sizeof shared};
    const struct tmaref_global_memory global = {&region, 1};
    const struct tmaref_cluster_memory cluster = tmaref_cluster_memory_alone(&cta);
    const struct tmaref_memories memories = {&global, &cluster};
    struct watch watch = {0, 0, 0};
    const struct tmaref_observer observer = {&watch, hear};
    struct tmaref_teller teller = {&observer, {.lanes = 1, .line = 20}};

    const struct tmaref_cluster_access write = {&cluster, 0, 128, 16};
    struct tmaref_event_fence fence;
    struct tmaref_async_groups groups = {0};
    const struct tmaref_operation store = {
        .kind = TMAREF_OPERATION_BULK_STORE, .from = 128, .to = 0x10000, .size_bytes = 16};

    tmaref_cluster_store(&write, "sixteen bytes...", &teller, NULL);
    teller.origin.line = 21;
    if (!tmaref_fence_find("fence.proxy.async.shared::cta", &fence)) return -1;
    if (has_fence) tmaref_fence_tell(&fence, &teller);
    teller.origin.line = 22;
    if (tmaref_operation_run(&store, &memories, &teller, NULL, NULL) != TMAREF_RULE_OK) return -1;
    teller.origin.line = 23;
    tmaref_async_commit(&groups, TMAREF_ASYNC_BULK, &teller);
    return memcmp(global_bytes, "sixteen bytes...", 16) == 0 ? watch.races : -1;
}

int main(void)
{
    printf("without a fence:\n");
    int without = run(0);
    printf("with fence.proxy.async:\n");
    int with = run(1);
    return without == 1 && with == 0 ? 0 : 1;
}
