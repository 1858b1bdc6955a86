// SPDX-License-Identifier: MIT
// How many clusters of a launch run side by side.
#ifndef TMAREF_GPU_CLUSTERS_H
#define TMAREF_GPU_CLUSTERS_H

#include "gpu.h"

// The clusters of `launch` (whose grid does not matter) that an otherwise idle device runs at once; 0 if that cannot be
// told. Allows the kernel the shared memory of the launch, and clusters of more than 8 CTAs.
//   source   CUDA Driver API 13.0, cuOccupancyMaxActiveClusters
int gpu_clusters(struct gpu *gpu, const struct gpu_launch *launch);

#endif
