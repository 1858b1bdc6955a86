// SPDX-License-Identifier: MIT
// Launch attributes of kernel nodes. The cluster's size and cooperative launches are part of what the node does; the
// others are kept, and nothing depends on them here.
#include <stdlib.h>
#include <string.h>

#include "graph_node.h"

static const uint32_t numbers[] = {CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW,
                                   CU_LAUNCH_ATTRIBUTE_COOPERATIVE,
                                   CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
                                   CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE,
                                   CU_LAUNCH_ATTRIBUTE_PRIORITY,
                                   CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP,
                                   CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN,
                                   CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE,
                                   CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT};
enum { NUMBERS = sizeof numbers / sizeof numbers[0] };

struct node_attributes {
    unsigned char value[NUMBERS][64];
};

// Its place in `numbers`, -1 if kernel nodes have none of that number.
static int place_of(uint32_t attribute)
{
    for (int i = 0; i < NUMBERS; i++)
        if (numbers[i] == attribute) return i;
    return -1;
}

// Those of a node, made when they are first asked for; NULL if it is no kernel's, or there is no memory.
static struct node_attributes *attributes_of(struct CUgraphNode_st *node)
{
    if (!object_is(node, OBJECT_NODE) || node->work.type != NODE_KERNEL) return NULL;
    if (node->attributes != NULL) return node->attributes;
    node->attributes = calloc(1, sizeof *node->attributes);
    if (node->attributes != NULL) node->attributes->value[place_of(CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP)][1] = 1;
    return node->attributes;
}

DRIVER_VISIBLE enum cuda_result cuGraphKernelNodeGetAttribute(struct CUgraphNode_st *node, uint32_t attribute,
                                                              void *value)
{
    DRIVER_USE_OR_RETURN(driver);
    const struct node_attributes *kept = attributes_of(node);
    const int place = place_of(attribute);
    if (kept == NULL || place < 0 || value == NULL) return CUDA_ERROR_INVALID_VALUE;
    const struct work_kernel *kernel = &node->work.of.kernel;
    memcpy(value, kept->value[place], sizeof kept->value[place]);
    if (attribute == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) memcpy(value, &kernel->is_cooperative, sizeof(int));
    if (attribute == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) memcpy(value, kernel->cluster, sizeof kernel->cluster);
    return CUDA_SUCCESS;
}

static void set_kernel(struct work_kernel *kernel, uint32_t attribute, const void *value)
{
    if (attribute == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) memcpy(&kernel->is_cooperative, value, sizeof(int));
    if (attribute != CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) return;
    memcpy(kernel->cluster, value, sizeof kernel->cluster);
    kernel->has_cluster = kernel->cluster[0] + kernel->cluster[1] + kernel->cluster[2] > 0;
}

DRIVER_VISIBLE enum cuda_result cuGraphKernelNodeSetAttribute(struct CUgraphNode_st *node, uint32_t attribute,
                                                              const void *value)
{
    DRIVER_USE_OR_RETURN(driver);
    struct node_attributes *kept = attributes_of(node);
    const int place = place_of(attribute);
    if (kept == NULL || place < 0 || value == NULL) return CUDA_ERROR_INVALID_VALUE;
    struct work_kernel kernel = node->work.of.kernel;
    set_kernel(&kernel, attribute, value);
    const enum cuda_result error = kernel_check(driver, "cuGraphKernelNodeSetAttribute", &kernel);
    if (error != CUDA_SUCCESS) return error;
    memcpy(kept->value[place], value, sizeof kept->value[place]);
    node->work.of.kernel = kernel;
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuGraphKernelNodeCopyAttributes(struct CUgraphNode_st *to, struct CUgraphNode_st *from)
{
    DRIVER_USE_OR_RETURN(driver);
    const struct node_attributes *given = attributes_of(from);
    struct node_attributes *kept = attributes_of(to);
    if (given == NULL || kept == NULL) return CUDA_ERROR_INVALID_VALUE;
    const struct work_kernel *kernel = &from->work.of.kernel;
    *kept = *given;
    set_kernel(&to->work.of.kernel, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &kernel->is_cooperative);
    set_kernel(&to->work.of.kernel, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, kernel->cluster);
    return CUDA_SUCCESS;
}
