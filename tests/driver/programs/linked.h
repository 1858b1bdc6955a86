// SPDX-License-Identifier: MIT
// What linked.cu and linked_part.cu know of each other.
#ifndef LINKED_H
#define LINKED_H

enum { THREADS = 32, CHOICES = 2 };

typedef int operation(int);

extern __constant__ int factors[4];                  // of linked.cu
extern __device__ int launched;                      // of linked.cu, counted by linked_part.cu
extern __device__ operation *const choices[CHOICES]; // of linked_part.cu
extern __managed__ int told;                         // of linked_part.cu

__device__ int scaled(int value); // of linked_part.cu
__device__ int *room();           // of linked.cu: its dynamic shared memory

// Both files have it; one is left.
template <int more>
__device__ __noinline__ int plus(int value)
{
    return value + more;
}

// Launches the kernel of linked_part.cu.
void finish(int *values);

#endif
