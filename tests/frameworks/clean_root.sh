#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Python's packages for GPUs as a new user meets them: clean_root.sh WHEEL [RELEASE] [SCRIPT...]. In a clean root of a Debian
# release (trixie if none is named) with Python, a C compiler and no CUDA, each script of this folder gets an environment of its
# own: pip installs what its line "needs:" names and WHEEL, tmaref's, as one command; then `tmaref exec -- python SCRIPT` runs it. Prints a
# row for each: versions, what came, seconds. Ends with 1 if a script fails, and with 77, and says why, where no clean root can
# be made. It fetches some gigabytes.
set -u
here=$(cd "$(dirname "$0")" && pwd)
skip() { echo "skipped: $1"; exit 77; }
[ $# -ge 1 ] && [ -f "$1" ] || { echo "usage: clean_root.sh WHEEL [RELEASE] [SCRIPT...]" >&2; exit 2; }
wheel=$(realpath "$1") release=${2:-trixie}
shift $(($# < 2 ? $# : 2))
[ $# -gt 0 ] || set -- "$here"/*.py
[ "$(id -u)" = 0 ] || skip "only root can make a clean root here"
command -v mmdebstrap >/dev/null || skip "mmdebstrap is not here"

work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT
mmdebstrap --variant=minbase --include=python3,python3-venv,python3-dev,gcc,g++,libc6-dev,ca-certificates "$release" "$work/root" \
    >"$work/log" 2>&1 || skip "no clean root, is a mirror of Debian in reach? $(tail -n 1 "$work/log")"
cp /etc/resolv.conf "$work/root/etc/"
[ ! -f /etc/pip.conf ] || cp /etc/pip.conf "$work/root/etc/"
cp /etc/ssl/certs/ca-certificates.crt "$work/root/etc/ssl/certs/"
cp "$wheel" "$work/root/srv/"

inside() { # inside "COMMAND": with a /proc and a /dev of its own, and none of this shell's variables
    unshare --mount --pid --fork sh -ec 'mount -t proc proc "$1/proc"; mount --rbind /dev "$1/dev"; exec chroot "$1" env -i \
        PATH=/usr/bin:/bin HOME=/root LC_ALL=C.UTF-8 PIP_NO_CACHE_DIR=1 PIP_DEFAULT_TIMEOUT=180 sh -ec "$2"' sh "$work/root" "$1"
}

failed=0
for script in "$@"; do
    name=$(basename "$script" .py) needs=$(sed -n 's/^# needs: //p' "$script")
    cp "$script" "$work/root/srv/" && rm -rf "$work/root/srv/venv"
    begin=$SECONDS
    if ! inside "python3 -m venv /srv/venv; /srv/venv/bin/pip install -q $(printf "'%s' " $needs) /srv/$(basename "$wheel")" >"$work/log" 2>&1; then
        echo "| $needs | not installed: $(tail -n 1 "$work/log") | |" && failed=1
        continue
    fi
    installed=$((SECONDS - begin)) begin=$SECONDS
    versions=$(inside "/srv/venv/bin/pip list --format=freeze" | grep -iE "^($(printf '%s\n' $needs | sed 's/[[<].*//' | paste -sd '|'))==" | paste -sd ' ')
    if inside "cd /srv; . venv/bin/activate; timeout 900 tmaref exec -- python $name.py" >"$work/log" 2>&1; then came=right; else came="fails ($?)" failed=1; fi
    echo "| $versions | \`$name.py\` | $came | $((SECONDS - begin)) s | $installed s to install |"
    [ "$came" = right ] || tail -n 30 "$work/log"
done
exit $failed
