// SPDX-License-Identifier: MIT
#include "unseen.h"

#include <string.h>

#include "cluster.h"
#include "commute.h"
#include "veil.h"

bool machine_unseen_is_wanted(const struct machine *machine)
{
    const struct ptx_program *program = machine_module_program(machine->launch->module);
    const struct cluster_registers of = cluster_registers(&machine->shape, (const uint32_t[3]){0, 0, 0});
    if (!machine_is_weak(machine) || of.nclusterid[0] * of.nclusterid[1] * of.nclusterid[2] == 1) return false;
    for (uint32_t i = 0; i < program->ops; i++)
        if (machine_is_look(&program->op[i].choice)) return true;
    return false;
}

static bool leave(const struct machine_cluster *cluster)
{
    const struct machine_schedule *schedule = &cluster->machine->launch->schedule;
    const struct veil_choice choice = {schedule->seed + (cluster->number << 32), schedule->policy == MACHINE_SHUFFLED};
    struct veil_global *stores = machine_veil_stores(cluster);
    return stores != NULL && veil_global_leave(stores, machine_veil_times(cluster), &choice);
}

bool machine_unseen_leave(const struct machine_cluster *cluster)
{
    return cluster->machine->is_spoken && leave(cluster);
}

bool machine_unseen_return(const struct machine_cluster *cluster, bool is_for_good)
{
    struct veil_global *stores = cluster->machine->is_spoken ? machine_veil_stores(cluster) : NULL;
    return stores != NULL && veil_global_return(stores, is_for_good);
}

static void land_first(struct machine_unseen *unseen)
{
    veil_global_return(unseen->stores[0], true);
    veil_global_close(unseen->stores[0]);
    memmove(unseen->stores, unseen->stores + 1, --unseen->count * sizeof(struct veil_global *));
}

void machine_unseen_keep(struct machine_unseen *unseen, struct machine_cluster *cluster)
{
    struct veil_global *stores = cluster->machine->is_spoken ? machine_veil_stores(cluster) : NULL;
    if (stores != NULL) leave(cluster);
    if (stores == NULL || !veil_global_is_away(stores)) return;
    if (unseen->count == UNSEEN_KEPT) land_first(unseen);
    unseen->stores[unseen->count++] = machine_veil_take_stores(cluster);
}

bool machine_unseen_age(struct machine_unseen *unseen)
{
    enum { MOST_TURNS = 256 };
    unseen->turns = unseen->count > 0 ? unseen->turns + 1 : 0;
    return unseen->turns > MOST_TURNS && machine_unseen_land(unseen);
}

bool machine_unseen_land(struct machine_unseen *unseen)
{
    const bool has_landed = unseen->count > 0;
    while (unseen->count > 0) land_first(unseen);
    return has_landed;
}
