#!/usr/bin/env bash
# Crawls a site with wget and takes the main text out of its archive: crawl.sh URL OUT.jsonl
#
# wget writes records as it goes; `trommel run -` reads them from a pipe at the same time.
set -euo pipefail
url=$1 out=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# The name that --warc-file makes of it.
pipe=$folder/crawl.warc
mkfifo "$pipe"
"${TROMMEL:-trommel}" run "$pipe" -o "$out" --overwrite &
reader=$!
# wget wants to open its file anew; a pipe it just opens. Pages that are gone make it end with 8.
wget --quiet --recursive --level=1 --no-parent --no-directories --delete-after --directory-prefix="$folder/pages" \
    --no-warc-compression --no-warc-keep-log --no-warc-digests --warc-tempdir="$folder" \
    --warc-file="$folder/crawl" "$url" || [ $? -eq 8 ]
wait "$reader"
