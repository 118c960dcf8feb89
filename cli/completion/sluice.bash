# Completion of sluice, sluice-autoscale and sluice-launch for bash 4.4 and later; `sluice` itself
# says what may stand at the cursor. Where the package bash-completion does not find it:
#
#   source <(sluice completion bash)

# Sets `words` to those up to the cursor, without quotes; `at`, where each begins in COMP_WORDS; and
# `before`, the part of the last one that readline leaves as it is: it breaks words at = and :.
_sluice_words() {
  local rest=${COMP_LINE:0:COMP_POINT} i word gap
  for ((i = 0; i <= COMP_CWORD; i++)); do
    if ((i < COMP_CWORD)); then
      word=${COMP_WORDS[i]}
      gap=${rest%%"$word"*}
      rest=${rest#*"$word"}
    else
      gap=${rest%%[![:space:]]*}
      word=${rest#"$gap"}
    fi
    if [[ -n $gap || ${#words[@]} -eq 0 ]]; then
      words+=("")
      at+=("$i")
    fi
    before=${words[-1]}
    words[-1]+=${word//[\"\'\\]/}
  done
  [[ $word != [=:]* ]] || before+=${word%%[!=:]*}
  [[ $word == [\"\']* ]] && quoted=yes
}

# The completion of the command that begins at COMP_WORDS[$1].
_sluice_command() {
  if declare -F _comp_command_offset >/dev/null; then
    _comp_command_offset "$1"
  elif declare -F _command_offset >/dev/null; then
    _command_offset "$1"
  elif ((COMP_CWORD == $1)); then
    mapfile -t COMPREPLY < <(compgen -c -- "${COMP_WORDS[COMP_CWORD]}")
  else
    compopt -o default
  fi
}

_sluice() {
  local words=() at=() before= quoted= program line lines word
  COMPREPLY=()
  _sluice_words
  program=${words[0]/#\~\//$HOME/}
  if [[ ${program##*/} == sluice-launch ]]; then
    _sluice_command 1
    return
  fi
  type "$program" &>/dev/null || program=sluice
  mapfile -t lines < <("$program" __complete "${words[@]:1}" 2>/dev/null)
  case ${lines[0]-} in
    command*) _sluice_command "${at[${lines[0]#command } + 1]}" ;;
    files) compopt -o default ;;
    folders) compopt -o dirnames ;;
  esac
  for line in "${lines[@]:1}"; do
    word=${line%%$'\t'*}
    word=${word#"$before"}
    # Names may hold anything that a shell would read.
    [[ -n $quoted ]] || printf -v word %q "$word"
    COMPREPLY+=("$word")
  done
  if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[=:] ]]; then compopt -o nospace; fi
}

complete -F _sluice sluice sluice-autoscale sluice-launch
