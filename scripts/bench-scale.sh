#!/usr/bin/env bash
# Measures how cost grows with archive size, page size and workers; writes docs/scale.md.
# Needs the labelled pages (DATA). Usage: scripts/bench-scale.sh [--rounds N]
set -euo pipefail
cd "$(dirname "$0")/.."

data=${DATA:-../shared/data}
work=${WORK:-out/peers}
if [ ! -f "$data/wcxb-dev.warc.gz" ]; then
    echo "skipped: no $data/wcxb-dev.warc.gz" >&2
    exit 0
fi
mkdir -p "$work"
if [ ! -x "$work/venv/bin/python" ]; then
    python3 -m venv "$work/venv"
fi
"$work/venv/bin/pip" install --quiet zstandard
cargo build --release -p trommel-cli
"$work/venv/bin/python" scripts/peers/scale.py --data "$data" \
    --trommel "${CARGO_TARGET_DIR:-target}/release/trommel" --work "$work" --docs docs "$@"
