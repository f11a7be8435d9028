"""`agents completion`: what makes a shell offer commands, options, ids and labels."""

from cleveragents.cli.invocation import Invocation
from cleveragents.cli.render import Result, Text
from cleveragents.shapes.completion import CompletionScript

# Each asks `agents __complete WORD…` for lines of VALUE, a tab, and what the value is; where
# nothing is offered, files are.
BASH = r"""
_agents() {
    local IFS=$'\n' line width=0
    local found=($(agents __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
    if [ ${#found[@]} -eq 1 ]; then
        COMPREPLY=("${found[0]%%$'\t'*}")
        return
    fi
    COMPREPLY=()
    for line in "${found[@]}"; do
        [ ${#line} -eq 0 ] || COMPREPLY+=("${line%%$'\t'*}  (${line#*$'\t'})")
    done
}
complete -o default -o nosort -F _agents agents cleveragents
"""
ZSH = r"""
#compdef agents cleveragents
_agents() {
    local -a found
    local line
    for line in "${(@f)$(agents __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
        [[ -n $line ]] && found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
    done
    if (( ${#found} )); then
        _describe -V 'agents' found
    else
        _files
    fi
}
if [[ $funcstack[1] == _agents ]]; then
    _agents "$@"
else
    compdef _agents agents cleveragents
fi
"""
FISH = r"""
function __agents_complete
    set -l words (commandline -opc)
    set -l found (agents __complete $words[2..] (commandline -ct) 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
for name in agents cleveragents
    complete -c $name -f -k -a '(__agents_complete)'
end
"""


SCRIPTS = {"bash": BASH, "zsh": ZSH, "fish": FISH}


def completion(_: Invocation, shell: str) -> Result:
    """Write a script that lets your shell complete commands."""
    script = SCRIPTS[shell].strip()
    data: CompletionScript = {"shell": shell, "script": script}
    return Result(data, [Text(script.splitlines())])
