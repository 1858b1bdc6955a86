#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The Debian packages, from nothing: package.sh SOURCE RELEASE [FOLDER]. RELEASE is bookworm, trixie or one that Debian names
# later. In a clean root of it the packages are built, with what debian/control asks for and no more, and lintian looks at them.
# In another one they are installed, and a new user tries them (user.sh). FOLDER gets the packages. Ends with 77, and says why,
# where no clean root can be made.
set -u
source=$1 release=$2 keep=${3:-}
here=$(cd "$(dirname "$0")" && pwd)
skip() { echo "skipped: $1"; exit 77; }

[ "$(id -u)" = 0 ] || skip "only root can make a clean root here"
command -v mmdebstrap >/dev/null || command -v debootstrap >/dev/null || skip "neither mmdebstrap nor debootstrap is here"
[ "$(. /etc/os-release && echo "${ID:-}")" = debian ] || skip "this system is no Debian"

work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT
if command -v mmdebstrap >/dev/null; then
    mmdebstrap --variant=minbase "$release" "$work/base.tar" >"$work/log" 2>&1
else
    debootstrap --variant=minbase "$release" "$work/base" >"$work/log" 2>&1 &&
        tar -C "$work/base" -cf "$work/base.tar" . && rm -rf "$work/base"
fi || skip "no clean root, is a mirror of Debian in reach? $(tail -n 1 "$work/log")"

new_root() { # new_root NAME
    mkdir "$work/$1" && tar -C "$work/$1" -xf "$work/base.tar" && cp /etc/resolv.conf "$work/$1/etc/"
}
inside() { # inside NAME "SCRIPT": in that root, with a /proc of its own that goes when the script ends
    unshare --mount --pid --fork sh -ec 'mount -t proc proc "$1/proc"; exec chroot "$1" sh -ec "$2"' sh "$work/$1" \
        "export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8; $2"
}
part() { # part "what" COMMAND...
    local start=$SECONDS what=$1
    shift
    if "$@" >"$work/log" 2>&1; then
        echo "$what: $((SECONDS - start)) s"
        return
    fi
    tail -n 40 "$work/log"
    echo "$what: failed"
    exit 1
}

new_root build && inside build : || skip "no other root can be entered here"
inside build "apt-get update" >"$work/log" 2>&1 || skip "no mirror of Debian is in reach: $(tail -n 1 "$work/log")"
mkdir -p "$work/build/src/tmaref"
(cd "$source" && git ls-files -z -co --exclude-standard | tar -c --null -T - | tar -x -C "$work/build/src/tmaref") || exit 1
part "what building needs" inside build "apt-get install -y --no-install-recommends build-essential lintian
    apt-get build-dep -y --no-install-recommends /src/tmaref"
part "dpkg-buildpackage" inside build "cd /src/tmaref; dpkg-buildpackage -us -uc -b"
inside build "cd /src; lintian --fail-on error,warning *.changes" ||
    { echo "lintian: failed"; exit 1; }
echo "lintian: nothing to say"

new_root user
mkdir "$work/user/packages" && cp "$work"/build/src/*.deb "$here/user.sh" "$work/user/packages"
[ -z "$keep" ] || cp "$work"/build/src/*.deb "$keep"
rm -rf "$work/build"
part "installation" inside user "apt-get update; cd /packages; rm -f *-dbgsym_*
    apt-get install -y --no-install-recommends ./*.deb man-db gcc libc6-dev cmake make pkg-config python3-pytest gdb"
inside user "cd /tmp; useradd -m new; exec su new -c 'cd; bash /packages/user.sh'" || { echo "a new user: failed"; exit 1; }
part "removal" inside user "apt-get purge -y tmaref libtmaref0 libtmaref-dev python3-tmaref
    left=\$(find /usr /etc -name '*tmaref*'); [ -z \"\$left\" ] || { echo \"left behind: \$left\"; exit 1; }"
