# Prints the first document of each page type: gold lines on standard input, then JSON lines of `trommel run`.
#     gunzip -c X.gold.jsonl.gz | awk -f show.awk - X.jsonl

# The value of a key on the current line, without quotes; "" if it has none.
function value(key,    at, rest) {
    at = index($0, "\"" key "\":")
    if (!at) return ""
    rest = substr($0, at + length(key) + 3)
    sub(/^ +/, "", rest)
    if (match(rest, /^"([^"\\]|\\.)*"/)) return substr(rest, 2, RLENGTH - 2)
    match(rest, /^[^,}]*/)
    return substr(rest, 1, RLENGTH)
}

function plain(text) {
    gsub(/\\"/, "\"", text)
    gsub(/\\t/, " ", text)
    gsub(/\\\\/, "\\", text)
    return text
}

# A line that fits the screen, cut at a space.
function fit(text) {
    if (length(text) <= 100) return text
    text = substr(text, 1, 100)
    sub(/ [^ ]*$/, " ...", text)
    return text
}

FILENAME == "-" || FILENAME == "" {
    id = value("record_id")
    gsub(/[<>]/, "", id)
    type[id] = value("page_type")
    next
}

!shown[type[value("id")]]++ {
    printf "\n[%s] %s   (confidence %.2f)\n%s\n", type[value("id")], plain(value("title")), value("confidence"), value("url")
    count = split(value("text"), lines, /(\\n)+/)
    for (i = 1; i <= count && i <= 5; i++) print "    " fit(plain(lines[i]))
    if (count > 5) print "    ... " (count - 5) " more lines"
}
