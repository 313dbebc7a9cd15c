# bash completion of outplay; the candidates come from the program.
_outplay() {
    local line=${COMP_LINE:0:COMP_POINT} words found word i
    read -ra words <<<"$line"
    [[ $line == *[[:space:]] ]] && words+=("")
    local current=${words[-1]}
    mapfile -t found < <("$1" complete-words -- "${words[@]:1}" 2>/dev/null)
    COMPREPLY=()
    case ${found[0]-} in
    :files) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
    :directories) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- "$current"); return ;;
    esac
    # bash replaces only what follows the last character at which it breaks words.
    local breaks=${COMP_WORDBREAKS//[^:=]/} prefix=""
    [[ $breaks ]] && prefix=${current%"${current##*[$breaks]}"}
    for i in "${found[@]}"; do
        word=${i%%$'\t'*}
        COMPREPLY+=("${word#"$prefix"}")
    done
    [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[:=,] ]] && compopt -o nospace
    return 0
}
complete -F _outplay outplay
