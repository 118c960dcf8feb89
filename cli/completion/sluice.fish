# Completion of sluice, sluice-autoscale and sluice-launch for fish 3.1 and later; `sluice` itself
# says what may stand at the cursor. Where fish does not find it:
#
#   sluice completion fish | source

# The completion of the command that begins at the given word, after options of sluice-launch.
# `complete -C` would take text that begins with - for an option of its own.
function __sluice_command -a at
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    set -l command
    while string match -q -- '-*' "$words[$at]"
        set at (math $at + 1)
    end
    test $at -gt (count $words); and string match -q -- '-*' "$typed"; and return
    test $at -le (count $words); and set command (string escape -- $words[$at..-1])
    complete -C (string join -- ' ' $command (commandline -ct | string collect))
end

function __sluice_complete
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    set -l program $words[1]
    type -q -- $program; or set program sluice
    set -l plain (string unescape -- $typed; or string replace -r '^[\'"]' '' -- $typed)
    set -l lines ($program __complete $words[2..-1] "$plain" 2>/dev/null)
    set -l before (string match -r -- '^--[^=]*=' $typed)
    set -l rest (string replace -r -- '^--[^=]*=' '' $typed)
    switch "$lines[1]"
        case 'command *'
            __sluice_command (math (string replace 'command ' '' -- $lines[1]) + 2)
        case files
            string replace -r -- '^' "$before" (__fish_complete_path "$rest")
        case folders
            string replace -r -- '^' "$before" (__fish_complete_directories "$rest" '')
    end
    test (count $lines) -gt 1; and printf '%s\n' $lines[2..-1]
end

complete -c sluice -f -k -a '(__sluice_complete)'
complete -c sluice-autoscale -f -k -a '(__sluice_complete)'
complete -c sluice-launch -f -a '(__sluice_command 2)'
