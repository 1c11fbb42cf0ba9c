#!/usr/bin/env bash
# Counts the instructions that a page of the sample archive takes, by callgrind, and compares them with
# docs/instructions.tsv: more than 5 % above the figure there fails. `--write` writes the figures anew; say
# in the commit why they have risen.
#
# The figure is that of the run less that of a run over no page, so that starting up is not in it. It does
# not depend on what else the machine does, but on the compiler and a little on the C library.
set -euo pipefail
cd "$(dirname "$0")/.."

table=docs/instructions.tsv
tolerance=105 # percent

if ! command -v valgrind >/dev/null; then
    echo "skipped: instructions a page: valgrind is not installed"
    exit 0
fi
cargo build --quiet --release -p trommel-cli --no-default-features
program=${CARGO_TARGET_DIR:-target}/release/trommel
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Instructions of a run with a model over an archive.
count() {
    valgrind --tool=callgrind --callgrind-out-file="$folder/callgrind" \
        "$program" run "$2" -o "$folder/out" -j 1 --model "$1" --quiet --overwrite 2>&1 |
        sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}

gunzip -c samples/wcxb-sample.warc.gz >"$folder/sample.warc"
pages=$(grep -ac '^WARC-Type: response' "$folder/sample.warc")
# A record that is no page: what starting up takes.
printf 'WARC/1.0\r\nWARC-Type: metadata\r\nWARC-Record-ID: <urn:uuid:0>\r\nContent-Length: 0\r\n\r\n\r\n\r\n' >"$folder/none.warc"

new=$folder/instructions.tsv
printf 'model\tthousand instructions a page\n' >"$new"
failed=0
for model in fast lite; do
    whole=$(count "$model" "$folder/sample.warc")
    start=$(count "$model" "$folder/none.warc")
    found=$(((whole - start) / pages / 1000))
    printf '%s\t%s\n' "$model" "$found" >>"$new"
    known=$(awk -F '\t' -v model="$model" '$1 == model { print $2 }' "$table" 2>/dev/null || true)
    echo "$model: $found thousand instructions a page (known: ${known:-none})"
    if [ -n "$known" ] && [ $((found * 100)) -gt $((known * tolerance)) ]; then
        echo "$model: that is more than 5 % above the figure in $table" >&2
        failed=1
    fi
done
if [ "${1:-}" = --write ]; then
    cp "$new" "$table"
    failed=0
fi
exit $failed
