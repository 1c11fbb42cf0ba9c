# Functions of the cases, in the plain shell.

# Prints the first value of a key in each line of JSON, a number or a string without escapes: `key text`.
key() {
    awk -v key="\"$1\": *" 'match($0, key) {
        value = substr($0, RSTART + RLENGTH)
        match(value, /^("[^"]*"|[^,}]*)/)
        print substr(value, 1, RLENGTH)
    }'
}
# Says how often a text stands in standard input.
count() { grep -oF -e "$1" | wc -l | tr -d ' '; }
# Writes what a server sends: a head with a content type, and a file.
served() { printf 'HTTP/1.1 200 OK\r\nContent-Type: %s\r\n\r\n' "$1"; cat "$2"; }
# Writes standard input as a WARC record: `record NUMBER TYPE CONTENT-TYPE URL [HEADER]`.
record() {
    cat > block.tmp
    printf 'WARC/1.1\r\nWARC-Type: %s\r\nWARC-Date: 2024-05-18T01:58:10Z\r\n' "$2"
    printf 'WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-%012d>\r\nWARC-Target-URI: %s\r\n' "$1" "$4"
    printf "${5:+$5\r\n}"
    printf 'Content-Type: %s\r\nContent-Length: %d\r\n\r\n' "$3" "$(wc -c < block.tmp)"
    cat block.tmp
    printf '\r\n\r\n'
    rm block.tmp
}
# Lists the outputs that `trommel run` would write, and how it would write them.
outputs() { trommel run "$@" --dry-run | sed '1,/^outputs:/d; s/^  //'; }
encodes() { trommel run "$@" --dry-run | sed -n 's/^  encode: //p'; }
