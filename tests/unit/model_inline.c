// SPDX-License-Identifier: MIT
// The inline functions of the model's headers as functions that the runner of scripts finds by their names.
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#define static
#define inline
#include "model_names.h"
