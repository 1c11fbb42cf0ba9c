#!/bin/sh
# Writes archives as JSON lines in every compression and as Parquet, and reads all with the readers that
# take the types of JSON from the data: each must find every document, and one schema for all archives.
#
#     scripts/check-schema.sh ARCHIVE...
#
# The readers (Hugging Face datasets, Spark, DuckDB, pandas, polars, pyarrow) are installed into a Python
# environment of their own, in VENV (default: out/check-schema-venv), if it is not there. Spark needs
# java. TROMMEL names the program (default: target/release/trommel).
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
trommel=${TROMMEL:-$root/target/release/trommel}
venv=${VENV:-$root/out/check-schema-venv}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
[ $# -gt 0 ] || set -- "$root/samples/wcxb-sample.warc.gz"

if [ ! -x "$venv/bin/python" ]; then
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet datasets pyspark duckdb pandas polars pyarrow pytz zstandard ||
        echo "skip  packages cannot be installed"
fi
number=0
for archive; do
    number=$((number + 1))
    for form in jsonl:none jsonl:gz jsonl:zst parquet:none; do
        "$trommel" run "$archive" -o "$folder/$number/${form%:*}-${form#*:}" -f "${form%:*}" \
            --compress "${form#*:}" --quarantine none 2>"$folder/log" || { cat "$folder/log"; exit 1; }
    done
    "$trommel" run "$archive" -o "$folder/$number/blocks" --compress none --blocks --quarantine none \
        2>"$folder/log" || { cat "$folder/log"; exit 1; }
done
"$venv/bin/python" "$root/scripts/check-schema.py" "$folder"
