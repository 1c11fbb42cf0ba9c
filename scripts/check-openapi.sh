#!/usr/bin/env bash
# Holds `trommel serve` to its own description: schemathesis makes requests from /openapi.json, good and bad
# ones, and finds answers that are not described.
#
#     scripts/check-openapi.sh [EXAMPLES]      # cases of each path; 300 unless told
#
# Needs schemathesis (PyPI) on the path, or SCHEMATHESIS; TROMMEL names the program.
set -euo pipefail
cd "$(dirname "$0")/.."

program=${TROMMEL:-trommel}
folder=$(mktemp -d)
"$program" index samples/wcxb-sample.warc.gz --index "$folder/index" --quiet
"$program" serve --listen 127.0.0.1:0 --index "$folder/index" --archives samples 2>"$folder/log" &
service=$!
trap 'kill "$service" 2>/dev/null; wait "$service" || true; rm -rf "$folder"' EXIT
url=
until url=$(grep -om1 'http://[0-9.:]*' "$folder/log"); do
    kill -0 "$service" || { cat "$folder/log"; exit 1; }
    sleep 0.1
done
config=$PWD/scripts/schemathesis.toml
# It leaves files where it stands.
cd "$folder"
"${SCHEMATHESIS:-schemathesis}" --config-file "$config" run "$url/openapi.json" \
    --max-examples "${1:-300}" --checks all
