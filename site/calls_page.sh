#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Prints the page calls.md: which calls of CUDA are implemented, of the tables of calls and refusals.h.
set -u
root=$(dirname "$0")/..

# calls TABLE [FIRST]: "CALL there", if a version of it is, or "CALL WHY", without versions.
calls() {
    awk -v first="${2:-}" -v last=99999 -f "$root/cmake/calls.awk" "$root/model/$1" | grep -v '^__' | awk '
        {
            name = $1
            sub(/_v[0-9]+$/, "", name)
            if (state[name] != "there") state[name] = $2 == "REFUSED" ? $6 : "there"
        }
        END { for (name in state) print name, state[name] }' | LC_ALL=C sort
}

# The first word behind cu or cuda, and the calls that begin with it.
there() {
    echo '| calls | |'
    echo '|---|---|'
    awk '$2 == "there" {
        match($1, /^cu(da)?[A-Z][a-z]*/)
        group = substr($1, 1, RLENGTH)
        if (group != last) { if (last != "") print line " |"; line = "| `" group "`... | "; last = group; comma = "" }
        line = line comma "`" $1 "`"; comma = ", "
    }
    END { print line " |" }'
}

missing() {
    echo '| why | calls |'
    echo '|---|---|'
    awk '
        FNR == NR { if (split($0, part, "\"") == 3) why[substr($2, 5)] = substr(part[2], 3); next }
        $2 != "there" {
            because = why[$2] != "" ? why[$2] : "no program of [programs.md](programs.md) calls it"
            if (!(because in list)) order[++count] = because
            list[because] = list[because] (because in list && list[because] != "" ? ", " : "") "`" $1 "`"
        }
        END { for (i = 1; i <= count; i++) print "| " order[i] " | " list[order[i]] " |" }' "$root/model/driver/refusals.h" -
}

page() {
    local library lines
    cat <<'END'
# CUDA 13 calls under tmaref exec

The build makes this page from the tables of calls. [exec.md](exec.md#what-runs) describes what the calls do.

- A call that is not implemented prints the reason below, once, on standard error. It returns 801 (`CUDA_ERROR_NOT_SUPPORTED`).
- Several versions of one call (`cuMemAlloc` and `cuMemAlloc_v2`) count as one, which is implemented if one of them is. Older versions
  with 32-bit addresses are not.
- The forms for per-thread default streams (`_ptds`, `_ptsz`) are the same calls.
- The list of the driver is that of CUDA 11.8 to 13.5. The list of the runtime is that of CUDA 13.0 to 13.5. `libcudart.so.12` and
  `libcudart.so.11.0` have the calls of their releases, with their parameters and structs.
END
    for library in "Driver API, libcuda.so.1:driver/driver_calls.def" \
        "Runtime API, libcudart.so.13:runtime/runtime_calls.def 13000"; do
        # shellcheck disable=SC2086
        lines=$(calls ${library#*:})
        printf '\n## %s\n\n%d of %d calls are implemented.\n\n' "${library%%:*}" \
            "$(grep -c ' there$' <<<"$lines")" "$(wc -l <<<"$lines")"
        there <<<"$lines"
        printf '\nNot implemented:\n\n'
        missing <<<"$lines"
    done
}

page
