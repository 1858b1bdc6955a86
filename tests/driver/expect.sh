# SPDX-License-Identifier: MIT
# What the tests of `tmaref exec` share: `expect`, a scratch folder, and the count of what failed. TMAREF is the command.
failed=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# expect STATUS PATTERN ARGUMENT...: exec ends so and prints a line like PATTERN; all of it is in $scratch/out.
expect() {
    local status=$1 pattern=$2
    shift 2
    "$TMAREF" exec "$@" >"$scratch/out" 2>&1
    local got=$?
    [ $got = "$status" ] && { [ -z "$pattern" ] || grep -qE -- "$pattern" "$scratch/out"; } && return
    echo "tmaref exec $*: status $got ($status expected), and not like '$pattern':"
    cat "$scratch/out"
    failed=1
}

# has FILE LINE...: each of the lines is in the file, whole.
has() {
    local file=$1
    shift
    for line in "$@"; do
        grep -qxF -- "$line" "$file" && continue
        echo "no line '$line' in $file:"
        cat "$file"
        failed=1
    done
}
