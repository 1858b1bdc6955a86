// SPDX-License-Identifier: MIT
#include "sanitize_verdict.h"

#include <string.h>

#include "check_found.h"
#include "demangle.h"
#include "json_text.h"
#include "plain.h"
#include "sanitize_confirm.h"

void sanitize_verdict_tell(const struct sanitize_found *found, uint32_t count, const struct sanitize_untold *untold,
                           const char *incomplete)
{
    const char *verdict = count > 0 ? "findings" : incomplete != NULL ? "incomplete" : "clean";
    char kernel[DEMANGLED_BYTES];
    struct json_line line;
    const size_t length = demangle_function(found->kernel, strlen(found->kernel), kernel, sizeof kernel);
    if (json_line_begin(&line, &found->lines)) {
        fprintf(line.out, "{\"sanitize\": \"VERDICT\", \"verdict\": \"%s\"", verdict);
        look_print_key(line.out, "kernel", found->kernel, strlen(found->kernel));
        look_print_key(line.out, "signature", kernel, length);
        fprintf(line.out, ", \"findings\": %u", count);
        if (untold->again > 0) fprintf(line.out, ", \"again\": %u", untold->again);
        if (untold->suppressed > 0) fprintf(line.out, ", \"suppressed\": %u", untold->suppressed);
        if (incomplete != NULL) look_print_key(line.out, "incomplete", incomplete, strlen(incomplete));
        fprintf(line.out, "}");
        json_line_tell(&line, &found->lines);
    }
    if (found->lines.is_json) return;
    plain_printf(stderr, "tmaref: sanitize: kernel %s: ", kernel);
    if (count > 0) fprintf(stderr, "%u finding%s", count, count == 1 ? "" : "s");
    if (count > 0 && incomplete != NULL) fprintf(stderr, ", and ");
    if (incomplete != NULL) fprintf(stderr, "incomplete: %s", incomplete);
    if (count == 0 && incomplete == NULL) fprintf(stderr, "clean");
    if (untold->again > 0) fprintf(stderr, ", %u told before", untold->again);
    if (untold->suppressed > 0) fprintf(stderr, ", %u suppressed", untold->suppressed);
    fputc('\n', stderr);
}

void sanitize_verdict_confirm(const struct sanitize_found *found, const struct sanitize_confirm *confirm)
{
    char kernel[DEMANGLED_BYTES];
    demangle_function(found->kernel, strlen(found->kernel), kernel, sizeof kernel);
    plain_printf(stderr, "tmaref: sanitize: kernel %s: ", kernel);
    if (confirm->schedule[0] == '\0')
        fprintf(stderr, "under 5 other schedules it leaves the same bytes in memory\n");
    else if (confirm->fails)
        fprintf(stderr, "under %s it does not come to its end\n", confirm->schedule);
    else
        fprintf(stderr, "under %s it leaves other bytes in memory\n", confirm->schedule);
}
