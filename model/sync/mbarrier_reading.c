// SPDX-License-Identifier: MIT
#include "mbarrier_reading.h"

static void add_bytes(int32_t tx, struct line *line)
{
    if (tx > 0)
        line_add(line, "%d bytes that were expected and not completed", tx);
    else
        line_add(line, "an expect_tx of %d bytes that are completed already", -tx);
}

void mbarrier_reading(const struct mbarrier_fields *fields, struct line *line)
{
    if (fields->error) {
        line_add(line,
                 "Another CTA or a copy broke a limit of this barrier: the next operation or wait of its own CTA dies "
                 "with 719.");
        return;
    }
    line_add(line, "Phase %d waits for ", fields->phase);
    if (fields->pending == 0 && fields->tx == 0)
        line_add(line, "nothing: the next operation that does not fault completes it");
    if (fields->pending != 0)
        line_add(line, "%u arrival%s", (unsigned)fields->pending, fields->pending == 1 ? "" : "s");
    if (fields->pending != 0 && fields->tx != 0) line_add(line, " and ");
    if (fields->tx != 0) add_bytes(fields->tx, line);
    line_add(line, ".");
}
