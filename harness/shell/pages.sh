#!/bin/sh
# SPDX-License-Identifier: MIT
# Writes the manual pages: pages.sh TMAREF FOLDER. The command prints them out of what it prints for --help.
set -eu
tmaref=$1 folder=$2
rm -rf "$folder"
mkdir -p "$folder"
"$tmaref" --man >"$folder/tmaref.1"
"$tmaref" --complete help '' | while read -r command rest; do
    "$tmaref" --man "$command" >"$folder/tmaref-$command.1"
done
