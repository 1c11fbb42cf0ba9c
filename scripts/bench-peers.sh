#!/usr/bin/env bash
# Measures trommel beside its peers on one archive in one run; writes docs/benchmarks.md and .svg.
# Installs the peers by name: FastWARC, Resiliparse, warcio and trafilatura from the Python registry into a virtual
# environment, dom_smoothie and rs-trafilatura from the Rust registry. Needs the labelled pages (DATA).
# Usage: scripts/bench-peers.sh [--rounds N] [--slow-rounds N] [--size MB]
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(fastwarc resiliparse warcio trafilatura lxml_html_clean zstandard)
. scripts/peers/setup.sh
CARGO_TARGET_DIR=$work/target cargo build --release --manifest-path scripts/peers/Cargo.toml

"$python" scripts/peers/bench.py --data "$data" --trommel "$trommel" --rust "$work/target/release" \
    --python "$python" --work "$work" --docs docs "$@"
