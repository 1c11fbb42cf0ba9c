#!/usr/bin/env bash
# Measures trommel beside its peers on one archive in one run; writes docs/benchmarks.md and .svg.
# Installs the peers by name: FastWARC, Resiliparse, warcio and trafilatura from PyPI into a virtual
# environment, dom_smoothie and rs-trafilatura from crates.io. Needs the labelled pages (DATA).
# Usage: scripts/bench-peers.sh [--rounds N] [--slow-rounds N] [--size MB]
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
"$work/venv/bin/pip" install --quiet fastwarc resiliparse warcio trafilatura lxml_html_clean zstandard
cargo build --release -p trommel-cli
target=${CARGO_TARGET_DIR:-target}
CARGO_TARGET_DIR=$work/target cargo build --release --manifest-path scripts/peers/Cargo.toml

"$work/venv/bin/python" scripts/peers/bench.py --data "$data" --trommel "$target/release/trommel" \
    --rust "$work/target/release" --python "$work/venv/bin/python" --work "$work" --docs docs "$@"
