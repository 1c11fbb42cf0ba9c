#!/bin/sh
# Writes an archive in every format and reads each back with the readers of others:
#
#     scripts/check-formats.sh [ARCHIVE [TROMMEL]]
#
# warcio, FastWARC, pyarrow, DuckDB and polars are installed into a Python environment of their own, in VENV
# (default: out/check-formats-venv), if it is not there. PySpark is used where VENV has it. ANSERINI=JAR names Anserini's fat jar, which
# the Python package pyserini holds; without it, or without java, its indexer is left out.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
archive=${1:-$root/samples/wcxb-sample.warc.gz}
trommel=${2:-$root/target/release/trommel}
venv=${VENV:-$root/out/check-formats-venv}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

if [ ! -x "$venv/bin/python" ]; then
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet warcio fastwarc pyarrow duckdb polars pytz ||
        echo "skip  packages cannot be installed"
fi
for name in x.jsonl x.wet.gz x.parquet x.anserini.jsonl.gz x.trec.gz x.bulk.ndjson; do
    "$trommel" run "$archive" -o "$folder/$name" 2>"$folder/log" || { cat "$folder/log"; exit 1; }
done
"$trommel" run "$archive" -o "$folder/blocks.parquet" --blocks 2>"$folder/log" || { cat "$folder/log"; exit 1; }
"$venv/bin/python" "$root/scripts/check-formats.py" "$folder"

# Anserini's own indexer and count.
if [ -z "${ANSERINI:-}" ] || ! command -v java >/dev/null; then
    echo "skip  Anserini: no jar (ANSERINI=...) or no java"
    exit
fi
documents=$(gunzip -c "$folder/x.anserini.jsonl.gz" | wc -l)
for kind in Json:x.anserini.jsonl.gz Trecweb:x.trec.gz; do
    collection=${kind%%:*}
    mkdir "$folder/$collection"
    cp "$folder/${kind#*:}" "$folder/$collection"
    java -cp "$ANSERINI" io.anserini.index.IndexCollection -collection "${collection}Collection" \
        -input "$folder/$collection" -index "$folder/$collection-index" \
        -generator DefaultLuceneDocumentGenerator -threads 1 -uniqueDocid -storeRaw \
        >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
    indexed=$(sed -n 's/.*indexed: *\([0-9,]*\).*/\1/p' "$folder/log" | tr -d , | tail -1)
    if [ "$indexed" != "$documents" ]; then
        cat "$folder/log"
        echo "FAIL  ${collection}Collection by Anserini: $indexed of $documents indexed"
        exit 1
    fi
    echo "ok    ${collection}Collection by Anserini: $indexed documents indexed"
done
