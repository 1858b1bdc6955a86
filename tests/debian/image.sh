#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The image of Containerfile, built and tried: image.sh SOURCE [RELEASE]. Its base is a clean root of that release (trixie if none is
# named), so no registry is asked. Ends with 77, and says why, where no image can be made.
set -u
source=$1 release=${2:-trixie}
skip() { echo "skipped: $1"; exit 77; }

[ "$(id -u)" = 0 ] || skip "only root can make a clean root here"
command -v buildah >/dev/null || skip "buildah is not here"
command -v mmdebstrap >/dev/null || skip "mmdebstrap is not here"

work=$(mktemp -d)
buildah() { command buildah --root "$work/images" --runroot "$work/run" --storage-driver vfs "$@"; }
trap 'rm -rf --one-file-system "$work"' EXIT
mmdebstrap --variant=minbase "$release" "$work/base.tar" >"$work/log" 2>&1 ||
    skip "no clean root, is a mirror of Debian in reach? $(tail -n 1 "$work/log")"
base=$(buildah from scratch) && buildah add -q "$base" "$work/base.tar" / >/dev/null &&
    buildah commit -q "$base" localhost/base >/dev/null && buildah rm "$base" >/dev/null || skip "no image can be made here"
rm "$work/base.tar"
mkdir "$work/source"
(cd "$source" && git ls-files -z -co --exclude-standard | tar -c --null -T - | tar -x -C "$work/source") || exit 1
if ! buildah bud -q --isolation chroot --network host --build-arg BASE=localhost/base -t tmaref "$work/source" >"$work/log" 2>&1; then
    tail -n 30 "$work/log"
    echo "the image: not built"
    exit 1
fi
image=$(buildah from tmaref)
tmaref() { buildah run --isolation chroot "$image" tmaref "$@"; }
tmaref --version && tmaref replay --sample=100 | tail -n 1 && tmaref demo >"$work/log" && grep -m 1 hang "$work/log"
