// SPDX-License-Identifier: MIT
#include "budget.h"

#include <pthread.h>
#include <stdio.h>

static struct {
    pthread_mutex_t lock;
    uint64_t limit, used, part[BUDGET_PARTS];
    void (*tell)(const char *text);
} budget = {.lock = PTHREAD_MUTEX_INITIALIZER};

void budget_set(uint64_t limit_bytes, void (*tell)(const char *text))
{
    pthread_mutex_lock(&budget.lock);
    budget.limit = limit_bytes;
    budget.tell = tell;
    pthread_mutex_unlock(&budget.lock);
}

// The first refusal as text; "" if it was told.
static void describe(enum budget_part part, uint64_t bytes, char *text, size_t text_bytes)
{
    static const char *const words[] = {
#define BUDGET_WORDS(part, words) words,
        BUDGET_ROWS(BUDGET_WORDS)
#undef BUDGET_WORDS
    };
    size_t used = 0;
    text[0] = '\0';
    if (budget.tell == NULL) return;
    used += (size_t)snprintf(text, text_bytes, "the limit of %llu bytes is reached: %s would take %llu bytes more",
                             (unsigned long long)budget.limit, words[part], (unsigned long long)bytes);
    for (int i = 0; i < BUDGET_PARTS && used < text_bytes; i++)
        if (budget.part[i] > 0)
            used += (size_t)snprintf(text + used, text_bytes - used, "\n    %14llu bytes: %s",
                                     (unsigned long long)budget.part[i], words[i]);
}

bool budget_take(enum budget_part part, uint64_t bytes)
{
    char text[1024] = "";
    pthread_mutex_lock(&budget.lock);
    const bool is_taken = budget.limit == 0 || (budget.used <= budget.limit && bytes <= budget.limit - budget.used);
    void (*const tell)(const char *text) = budget.tell;
    if (is_taken) {
        budget.used += bytes;
        budget.part[part] += bytes;
    } else {
        describe(part, bytes, text, sizeof text);
        budget.tell = NULL;
    }
    pthread_mutex_unlock(&budget.lock);
    if (text[0] != '\0') tell(text);
    return is_taken;
}

void budget_give(enum budget_part part, uint64_t bytes)
{
    pthread_mutex_lock(&budget.lock);
    budget.used -= bytes;
    budget.part[part] -= bytes;
    pthread_mutex_unlock(&budget.lock);
}

uint64_t budget_left(void)
{
    pthread_mutex_lock(&budget.lock);
    const uint64_t left = budget.limit == 0 ? UINT64_MAX : budget.used < budget.limit ? budget.limit - budget.used : 0;
    pthread_mutex_unlock(&budget.lock);
    return left;
}
