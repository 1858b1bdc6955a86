// SPDX-License-Identifier: MIT
// Stands for libcurand: its generators for the host count, each from its seed on, and there is none for the device.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum { SUCCESS = 0, TYPE_ERROR = 103, INITIALIZATION_FAILED = 203, XORWOW = 101, PHILOX = 161 };

struct counter {
    uint32_t next;
};

int curandCreateGeneratorHost(struct counter **generator, int type);
int curandCreateGenerator(struct counter **generator, int type);
int curandDestroyGenerator(struct counter *generator);
int curandSetPseudoRandomGeneratorSeed(struct counter *generator, unsigned long long seed);
int curandSetStream(struct counter *generator, void *stream);
int curandGenerate(struct counter *generator, uint32_t *to, size_t n);
int curandGenerateNormal(struct counter *generator, float *to, size_t n, float mean, float deviation);

int curandCreateGeneratorHost(struct counter **generator, int type)
{
    if (type != XORWOW && type != PHILOX) return TYPE_ERROR;
    *generator = calloc(1, sizeof **generator);
    return *generator == NULL ? INITIALIZATION_FAILED : SUCCESS;
}

int curandCreateGenerator(struct counter **generator, int type)
{
    (void)generator, (void)type;
    return INITIALIZATION_FAILED;
}

int curandDestroyGenerator(struct counter *generator)
{
    free(generator);
    return SUCCESS;
}

int curandSetPseudoRandomGeneratorSeed(struct counter *generator, unsigned long long seed)
{
    generator->next = (uint32_t)seed;
    return SUCCESS;
}

int curandSetStream(struct counter *generator, void *stream)
{
    (void)generator, (void)stream;
    return INITIALIZATION_FAILED; // ours keeps the stream
}

int curandGenerate(struct counter *generator, uint32_t *to, size_t n)
{
    for (size_t i = 0; i < n; i++) to[i] = generator->next++;
    return SUCCESS;
}

int curandGenerateNormal(struct counter *generator, float *to, size_t n, float mean, float deviation)
{
    if (n % 2 != 0) return TYPE_ERROR;
    for (size_t i = 0; i < n; i++) to[i] = mean + deviation * (float)generator->next++;
    return SUCCESS;
}
