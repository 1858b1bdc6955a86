# SPDX-License-Identifier: MIT
# Completion of tmaref in fish. The command itself says what can stand next: `tmaref --complete WORD... CURRENT`.

function __tmaref_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in ($words[1] --complete $words[2..-1] "$current" 2>/dev/null)
        if test "$line" != :files
            echo $line
            continue
        end
        set -l option (string match -r -- '^--[^=]*=' "$current")
        set -l path (string replace -r -- '^--[^=]*=' '' "$current")
        for file in $path*
            test -d $file; and set file $file/
            echo "$option$file"
        end
    end
end

complete -c tmaref -f -a '(__tmaref_complete)'
