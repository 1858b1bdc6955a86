// SPDX-License-Identifier: MIT
// The kernels of copy.cu of the stand-in GPU, from the bytes of their maps and jobs: the model that the family has, too
// (harness/family/copy/copy_model.c), on this device's memory.
#include <string.h>

#include "copy_model.h"
#include "standin.h"

// The memory from an address on, as far as any case may reach.
static struct memory memory_from(uint64_t address)
{
    return (struct memory){(uint8_t *)(uintptr_t)address, address, (uint64_t)1 << 30};
}

static struct tensormap map_of(const void *parameter)
{
    struct tensormap_image image;
    struct tensormap map;
    memcpy(image.word, parameter, sizeof image.word);
    tensormap_decode(&image, &map, NULL);
    return map;
}

static struct copy_machine machine_of(void)
{
    const struct cuda_launch_config *config = standin_config();
    struct copy_machine machine = {.grid = {config->grid_x, config->grid_y, config->grid_z},
                                   .shared_bytes = config->shared_bytes,
                                   .source = standin_mapped()};
    if (config->attribute_count == 0) return machine;
    machine.cluster[0] = config->attributes[0].value.cluster.x;
    machine.cluster[1] = config->attributes[0].value.cluster.y;
    machine.cluster[2] = config->attributes[0].value.cluster.z;
    return machine;
}

// Kernels with one map; `run` may store through it.
static enum rule run_one(void **parameters, enum rule (*run)(const struct copy_machine *, const struct copy_job *))
{
    struct copy_machine machine = machine_of();
    struct copy_job job;
    machine.map = map_of(parameters[0]);
    memcpy(&job, parameters[1], sizeof job);
    struct memory destination = memory_from(machine.map.address);
    machine.destination = &destination;
    return run(&machine, &job);
}

enum rule copy_load(void **parameters)
{
    return run_one(parameters, copy_model_load);
}

enum rule copy_store(void **parameters)
{
    return run_one(parameters, copy_model_store);
}

enum rule copy_stream(void **parameters)
{
    return run_one(parameters, copy_model_stream);
}

enum rule copy_tiles(void **parameters)
{
    struct copy_machine machine = machine_of();
    struct copy_job job;
    machine.map = map_of(parameters[0]);
    machine.to = map_of(parameters[1]);
    memcpy(&job, parameters[2], sizeof job);
    struct memory destination = memory_from(machine.to.address);
    machine.destination = &destination;
    return copy_model_tiles(&machine, &job);
}

static enum rule run_flat(void **parameters, enum rule (*run)(const struct copy_machine *, const struct copy_flat *))
{
    struct copy_machine machine = machine_of();
    struct copy_flat job;
    memcpy(&job, parameters[0], sizeof job);
    struct memory destination = memory_from(job.to);
    machine.destination = &destination;
    return run(&machine, &job);
}

enum rule copy_bytes(void **parameters)
{
    return run_flat(parameters, copy_model_bytes);
}

enum rule copy_vector(void **parameters)
{
    return run_flat(parameters, copy_model_vector);
}

enum rule copy_vector_add(void **parameters)
{
    return run_flat(parameters, copy_model_vector_add);
}
