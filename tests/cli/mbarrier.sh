#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `tmaref mbarrier`: programs stepped on the model, their findings and what each barrier waits for at the end.
. "$(dirname "$0")/expect.sh" || exit 2

run 0 mbarrier "init 1"
out "barrier 0: Phase 0 waits for 1 arrival."
run 0 mbarrier "init 1" inval
out "barrier 0: It is invalidated"
no_out "waits for"
run 0 mbarrier --json "init 1" inval
json '"It is invalidated: no barrier any more, until the next init."' steps 1 after reading
run 0 mbarrier "init 1" inval "init 2"
out "barrier 0: Phase 0 waits for 2 arrivals."

# Findings are those of finding_text.h: severity, rule, numbers; sentence and advice once a program.
run 1 mbarrier "init 1" "arrive 5"
out "  fault, rule MBARRIER_ARRIVALS: arrivals is 5, must be at most 1"
out "A transaction must bring no more arrivals than are pending"
run 1 mbarrier --json "init 1" "arrive 5"
json '"fault"' steps 1 findings 0 severity
json 5 steps 1 findings 0 value
json 1 steps 1 findings 0 nearest
run 0 mbarrier "init 1" arrive arrive arrive
out "  warning, rule MBARRIER_UNOBSERVED"
check "the advice comes once" test "$(grep -c "Wait for each phase before" "$work/out")" -eq 1

run 0 mbarrier "init 2" "arrive.expect_tx 1024" "arrive issuer=remote" "complete_tx 512"
out "Phase 0 waits for 512 bytes that were expected and not completed"
out "  step 1: 1 arrival, expects 1024 bytes"
out "  step 2: 1 arrival, from the other CTA"
out "  step 3: completes 512 bytes"

run 2 mbarrier "arrive issuer=other"
err "issuer"
run 2 mbarrier
quiet
finish
