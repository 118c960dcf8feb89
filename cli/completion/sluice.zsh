#compdef sluice sluice-autoscale sluice-launch
# Completion of sluice, sluice-autoscale and sluice-launch for zsh; `sluice` itself says what may
# stand at the cursor. Where compinit does not find it:
#
#   source <(sluice completion zsh)

# The completion of the command that begins at words[$1].
_sluice_command() {
  shift $(($1 - 1)) words
  ((CURRENT -= $1 - 1))
  _normal
}

# Adds the lines "WORD<tab>MEANING". A word that ends with = or : is to be continued.
_sluice_add() {
  local line word meaning width=0
  local -a whole whole_shown open open_shown
  for line; do
    word=${line%%$'\t'*}
    ((${#word} > width)) && width=${#word}
  done
  for line; do
    word=${line%%$'\t'*} meaning=${line#*$'\t'}
    [[ -z $meaning ]] && line=$word || line="${(r:width:)word}  -- $meaning"
    if [[ $word == *[=:] ]]; then
      open+=("$word") open_shown+=("$line")
    else
      whole+=("$word") whole_shown+=("$line")
    fi
  done
  compadd -V sluice -l -d whole_shown -a -- whole
  local status_of_whole=$?
  compadd -V sluice -l -S '' -d open_shown -a -- open || return $status_of_whole
}

_sluice() {
  local program=${${(Q)words[1]}/#\~\//$HOME/}
  local -a lines
  if [[ ${program:t} == sluice-launch ]]; then
    _sluice_command 2
    return
  fi
  whence -- "$program" >/dev/null || program=sluice
  lines=("${(@f)$("$program" __complete "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
  case $lines[1] in
    command*) _sluice_command $((${lines[1]#command } + 2)) ;;
    files) compset -P '--*='; _files ;;
    folders) compset -P '--*='; _files -/ ;;
    words) ((${#lines} > 1)) && _sluice_add "${(@)lines[2,-1]}" ;;
    *) return 1 ;;
  esac
}

# As a file that compinit found, this is the body of the function.
if [[ $funcstack[1] == _sluice ]]; then
  _sluice "$@"
else
  compdef _sluice sluice sluice-autoscale sluice-launch
fi
