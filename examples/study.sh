# study.sh -- what the studies share.  They read it with the dot command; it does
# nothing by itself.
#
# It takes the words of the study, FOLDER [small], and sets:
#     slimfly  the program ($SLIMFLY)
#     figure   the form of figures ($FIGURE): pdf or svg
#     folder   where files go
slimfly=${SLIMFLY:-slimfly}
figure=${FIGURE:-pdf}
folder=${1:?usage: ${0##*/} FOLDER [small]}
mkdir -p "$folder"

# Says what a step is and why.
say() { printf '\n%s\n' "$*"; }

# Writes a command so that a shell reads the same words again.
quote() {
    for word; do
        case $word in
        '' | *[!A-Za-z0-9_.,:/=+-]*)
            # A quote ends the text, stands for itself, and begins another.
            printf " '%s'" "$(printf '%s\n' "$word" | sed "s/'/'\\\\''/g")"
            ;;
        *) printf ' %s' "$word" ;;
        esac
    done
}

# Shows a command and what it prints.
show() {
    printf '\n    $%s\n\n' "$(quote "$@")"
    "$@" >"$folder/shown"
    sed 's/^/    /' "$folder/shown"
    rm "$folder/shown"
}
