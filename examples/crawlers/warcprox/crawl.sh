#!/usr/bin/env bash
# Takes the main text out of all that goes through warcprox, as it goes: crawl.sh URL OUT.jsonl
#
# Behind the proxy may stand any crawler or browser that trusts its certificate; here it is wget. warcprox
# writes NAME.warc.open and renames it; `trommel run --follow` takes both for one input.
set -euo pipefail
url=$1 out=$2 port=${PORT:-8000}
folder=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$folder"' EXIT
mkdir "$folder/warcs"

# Without a memory of what it has seen: revisits have no page.
"${WARCPROX:-warcprox}" --quiet --port "$port" --dir "$folder/warcs" --cacert "$folder/ca.pem" \
    --certs-dir "$folder/certs" --dedup-db-file /dev/null --stats-db-file /dev/null &
proxy=$!
until (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do
    kill -0 "$proxy"
    sleep 0.1
done
# A crawl that pauses for longer is over; a service would leave this out and be stopped.
"${TROMMEL:-trommel}" run --follow "$folder/warcs" --until-idle "${IDLE:-10}" -o - -f jsonl >"$out" &
reader=$!
# Pages that are gone make wget end with 8.
http_proxy=http://127.0.0.1:$port https_proxy=http://127.0.0.1:$port no_proxy='' \
    wget --quiet --recursive --level=1 --no-parent --no-directories --delete-after \
    --directory-prefix="$folder/pages" --ca-certificate="$folder/ca.pem" "$url" || [ $? -eq 8 ]
wait "$reader"
