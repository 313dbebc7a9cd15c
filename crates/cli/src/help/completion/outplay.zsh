#compdef outplay
# zsh completion of outplay; the candidates come from the program.
_outplay() {
    local -a found candidates shown
    local line
    found=("${(@f)$("${words[1]}" complete-words -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
    case ${found[1]} in
        :files) _files; return ;;
        :directories) _files -/; return ;;
        '') return 1 ;;
    esac
    for line in "${found[@]}"; do
        candidates+=("${line%%$'\t'*}")
        shown+=("${line%%$'\t'*}  ${line#*$'\t'}")
    done
    compadd -l -d shown -a candidates
}
if [ "$funcstack[1]" = "_outplay" ]; then
    _outplay "$@"
else
    compdef _outplay outplay
fi
