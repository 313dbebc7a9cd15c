# fish completion of outplay; the candidates come from the program.
function __outplay_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l found ($words[1] complete-words -- $words[2..-1] 2>/dev/null)
    switch "$found[1]"
        case :files
            __fish_complete_path (commandline -ct)
        case :directories
            __fish_complete_directories (commandline -ct)
        case '*'
            printf '%s\n' $found
    end
end
complete -c outplay -f -a '(__outplay_complete)'
