# Bash completion for warpmark: `source scripts/warpmark-completion.bash`, or copy it to
# /usr/share/bash-completion/completions/warpmark. Verbs and options are asked of the tool itself, so
# they are those of the version that is completed.
_warpmark() {
  local tool=${COMP_WORDS[0]} verb=${COMP_WORDS[1]:-} word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
  local words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="$("$tool" --help 2> /dev/null | sed -n '/^Subcommands:/,/^$/s/^  \([a-z][a-z-]*\) .*/\1/p') --help --version"
  else
    case "$before" in
      --device) words="auto $("$tool" list devices 2> /dev/null | sed -n 's/^\([a-z][a-z:0-9-]*\).*/\1/p')" ;;
      --stages) words="verify determinism throughput" ;;
      --guard) words="none back front" ;;
      --distribute) words="partition replicate" ;;
      --shard) words="auto" ;;
      --out | --dump | -o | --output) COMPREPLY=($(compgen -d -- "$word")); return ;;
      *)
        if [ "$verb" = list ] && [ "$COMP_CWORD" -eq 2 ]; then
          words="ops algorithms devices recipes"
        elif [[ "$word" == -* ]]; then
          words=$("$tool" "$verb" --help 2> /dev/null | grep -o -- '^ *\(-[a-z],\)\?--[a-z-]*' | grep -o -- '--[a-z-]*')
        else
          COMPREPLY=($(compgen -f -X '!*.json*' -- "$word") $(compgen -d -- "$word"))
          return
        fi
        ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -F _warpmark warpmark
